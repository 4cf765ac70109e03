//! Marks on names: which expansion wrote them.
//!
//! A name that a macro's own text brings gets a mark of the expansion; names of the caller keep theirs. Locals
//! and labels are the same only if their marks are; everything else forgets marks. A mark is written behind the
//! name, after a character that no source may contain.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// A variation selector: the language allows it in names, and nobody writes it.
pub const SIGN: char = '\u{e01ef}';

/// Stands between `crate` and the number of the crate that a macro of others means by it; names may have it, and nobody
/// writes it.
pub const ORIGIN: char = '\u{e01ee}';

/// The name as the programmer wrote it.
pub fn base(name: &str) -> &str {
    name.split_once(SIGN).map_or(name, |(base, _)| base)
}

/// The name without its last mark, and that mark.
pub fn outermost(name: &str) -> Option<(&str, u32)> {
    let (rest, mark) = name.rsplit_once(SIGN)?;
    Some((rest, mark.parse().ok()?))
}

pub fn marked(ident: &Ident, mark: u32, span: Span) -> Ident {
    let text = ident.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    Ident::new(&format!("{text}{SIGN}{mark}"), span)
}

/// Names without their marks, for texts in which no local stands.
pub fn stripped(tokens: TokenStream) -> TokenStream {
    let strip = |token: TokenTree| match token {
        TokenTree::Ident(ident) => {
            let text = ident.to_string();
            match text.contains(SIGN) {
                true => TokenTree::Ident(Ident::new(base(&text), ident.span())),
                false => TokenTree::Ident(ident),
            }
        }
        TokenTree::Group(group) => {
            let mut inner = proc_macro2::Group::new(group.delimiter(), stripped(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().map(strip).collect()
}

/// Whether a word is a name wherever it stands before `next`; `None` stands for the end or for anything else.
pub fn is_name(word: &str, next: Option<&TokenTree>) -> bool {
    if is_reserved(word) {
        return false;
    }
    let next_word = match next {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let next_word = next_word.as_deref();
    match word {
        "macro_rules" => !matches!(next, Some(TokenTree::Punct(punct)) if punct.as_char() == '!'),
        "union" => next_word.is_none() && !is_dollar(next),
        "auto" => next_word != Some("trait"),
        "default" | "safe" => !matches!(
            next_word,
            Some("fn" | "impl" | "const" | "static" | "type" | "unsafe" | "async" | "extern")
        ),
        "raw" => !matches!(next_word, Some("const" | "mut")),
        _ => true,
    }
}

fn is_dollar(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == '$')
}

/// Words that are never the name of a local.
pub fn is_reserved(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let",
        "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "Self",
        "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized",
        "use", "virtual", "where", "while", "yield",
    ];
    WORDS.contains(&word)
}
