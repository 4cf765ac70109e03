//! What names and attributes mean: lints that are allowed, documentation, operators, allocations, files of modules.

use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Item, Meta, Token};

/// Whether it expects rather than allows, and the names of the lints; `None` if it is about something else.
pub fn level(attribute: &Attribute) -> Option<(bool, Vec<String>)> {
    let Meta::List(list) = &attribute.meta else { return None };
    let expects = match list.path.get_ident()?.to_string().as_str() {
        "allow" => false,
        "expect" => true,
        _ => return None,
    };
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let names = parsed.iter().filter_map(|meta| match meta {
        Meta::Path(path) => {
            Some(path.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>().join("::"))
        }
        // `reason = "…"`
        _ => None,
    });
    Some((expects, names.collect()))
}

pub fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    }
}

pub fn of_expression(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::Assign(part) => &part.attrs,
        Expr::Binary(part) => &part.attrs,
        Expr::Block(part) => &part.attrs,
        Expr::Call(part) => &part.attrs,
        Expr::Cast(part) => &part.attrs,
        Expr::ForLoop(part) => &part.attrs,
        Expr::If(part) => &part.attrs,
        Expr::Index(part) => &part.attrs,
        Expr::Loop(part) => &part.attrs,
        Expr::Macro(part) => &part.attrs,
        Expr::Match(part) => &part.attrs,
        Expr::MethodCall(part) => &part.attrs,
        Expr::Paren(part) => &part.attrs,
        Expr::Return(part) => &part.attrs,
        Expr::Unary(part) => &part.attrs,
        Expr::Unsafe(part) => &part.attrs,
        Expr::While(part) => &part.attrs,
        _ => &[],
    }
}

/// The names that the file of a module may have, as rustc looks for it.
pub fn module_files(declaring: &str, around: &[String], item: &syn::ItemMod) -> Vec<PathBuf> {
    let declaring = Path::new(declaring);
    let folder = declaring.parent().unwrap_or(Path::new(""));
    let stem = declaring.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if let Some(path) = path_of(item) {
        return vec![around.iter().fold(folder.to_path_buf(), |folder, name| folder.join(name)).join(path)];
    }
    // Files of the root and `mod.rs` own their folder; others own one of their name. A root may have any name.
    let name = item.ident.to_string();
    let owned = [folder.to_path_buf(), folder.join(stem)];
    let inner =
        owned.iter().map(|folder| around.iter().fold(folder.clone(), |folder, name| folder.join(name)));
    inner.flat_map(|folder| [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")]).collect()
}

fn path_of(item: &syn::ItemMod) -> Option<String> {
    item.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether a section of the documentation is headed `Panics`.
pub fn documents_panics(attributes: &[Attribute]) -> bool {
    let is_head = |line: &str| {
        let head = line.trim().trim_start_matches('#');
        line.trim().starts_with('#') && head.trim().to_lowercase().starts_with("panic")
    };
    attributes.iter().any(|attribute| {
        let syn::Meta::NameValue(meta) = &attribute.meta else { return false };
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &meta.value else { return false };
        meta.path.is_ident("doc") && text.value().lines().any(is_head)
    })
}

/// Traits behind operators: their callers write `a + b` and expect it to do what it does for numbers.
pub const OPERATORS: [&str; 24] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "Shl",
    "Shr",
    "BitAnd",
    "BitOr",
    "BitXor",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "ShlAssign",
    "ShrAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "Index",
    "IndexMut",
];

/// Calls whose arguments are sizes of allocations.
pub const ALLOCATING: [&str; 12] = [
    "with_capacity",
    "reserve",
    "reserve_exact",
    "try_reserve",
    "try_reserve_exact",
    "resize",
    "resize_with",
    "set_len",
    "repeat",
    "from_size_align",
    "array",
    "alloc",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn files(declaring: &str, around: &[&str], text: &str) -> Vec<String> {
        let item: syn::ItemMod = syn::parse_str(text).expect("a module");
        let around: Vec<String> = around.iter().map(ToString::to_string).collect();
        module_files(declaring, &around, &item).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn modules_are_found_where_rustc_looks() {
        let found = files("src/lib.rs", &[], "mod door;");
        assert!(found.contains(&"src/door.rs".to_string()) && found.contains(&"src/door/mod.rs".to_string()));
        assert!(
            files("src/door.rs", &["inner"], "mod lock;").contains(&"src/door/inner/lock.rs".to_string())
        );
        assert_eq!(files("src/lib.rs", &[], "#[path = \"other.rs\"] mod door;"), ["src/other.rs"]);
    }

    #[test]
    fn levels_are_read_with_their_names() {
        let item: syn::ItemMod =
            syn::parse_str("#[expect(clippy::unwrap_used, unused, reason = \"x\")] #[deny(warnings)] mod m;")
                .expect("a module");
        let found: Vec<_> = item.attrs.iter().filter_map(level).collect();
        assert_eq!(found, [(true, vec!["clippy::unwrap_used".to_string(), "unused".to_string()])]);
    }
}
