//! `include!` where items stand: which file a call names.
//!
//! The name is a text, or a text behind `OUT_DIR`, the folder of what a build script made. Anything else stays unknown.

use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprMacro, ItemMacro, Lit, Token};

/// The file of `include!("…")`, by its path from the folder of the text that says it, or in the folder of what a build
/// script made; `None` for other macros.
pub fn file_of(
    call: &ItemMacro,
    beside: &Path,
    made: Option<&Path>,
) -> Option<Result<PathBuf, &'static str>> {
    if call.ident.is_some() || !call.mac.path.is_ident("include") {
        return None;
    }
    let named = match syn::parse2::<Expr>(call.mac.tokens.clone()) {
        Ok(named) => named,
        Err(_) => return Some(Err("a file that is taken in under a name that is not plain")),
    };
    if let Some(name) = text(&named) {
        return Some(Ok(beside.join(name)));
    }
    Some(match (behind_out_dir(&named), made) {
        (Some(name), Some(made)) => Ok(made.join(name)),
        (Some(_), None) => Err("a file that a build script makes"),
        (None, _) => Err("a file that is taken in under a name that is not plain"),
    })
}

fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// `concat!(env!("OUT_DIR"), "/name.rs")`: the name.
fn behind_out_dir(expr: &Expr) -> Option<String> {
    let parts = arguments(expr, "concat")?;
    let (first, rest) = parts.split_first()?;
    let variable = arguments(first, "env")?;
    let variable = variable.first().and_then(text)?;
    let name: String = rest.iter().map(text).collect::<Option<String>>()?;
    let name = name.strip_prefix('/').filter(|_| variable == "OUT_DIR")?;
    Some(name.to_string())
}

fn arguments(expr: &Expr, of: &str) -> Option<Vec<Expr>> {
    let Expr::Macro(ExprMacro { mac, .. }) = expr else { return None };
    let plain = mac.path.is_ident(of);
    let parts = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
    parts.ok().filter(|_| plain).map(|parts| parts.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(call: &str) -> Option<Result<PathBuf, &'static str>> {
        let call = syn::parse_str(call).expect("an item");
        file_of(&call, Path::new("src"), Some(Path::new("/made")))
    }

    #[test]
    fn names_of_files() {
        assert_eq!(named("include!(\"a.rs\");"), Some(Ok("src/a.rs".into())));
        assert_eq!(
            named("include!(concat!(env!(\"OUT_DIR\"), \"/\", \"a.rs\"));"),
            Some(Ok("/made/a.rs".into()))
        );
        assert!(matches!(named("include!(concat!(env!(\"OTHER\"), \"/a.rs\"));"), Some(Err(_))));
        assert!(matches!(named("include!(others!());"), Some(Err(_))));
        assert_eq!(named("others!(\"a.rs\");"), None);
    }
}
