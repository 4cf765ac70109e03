//! How many lines of code there are: lines with anything but space and comments, outside of tests.

use std::collections::BTreeSet;
use std::path::PathBuf;

use proc_macro2::{TokenStream, TokenTree};

/// In all files together.
///
/// # Errors
/// If a file cannot be read or is no Rust.
pub fn count(files: &[PathBuf]) -> Result<usize, String> {
    let mut sum = 0;
    for path in files {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        sum += in_text(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(sum)
}

fn in_text(text: &str) -> Result<usize, String> {
    // What begins the file for a shell is no token.
    let text = if text.starts_with("#!") && !text.starts_with("#![") {
        &text[text.find('\n').unwrap_or(0)..]
    } else {
        text
    };
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let mut lines = BTreeSet::new();
    collect(tokens, &mut lines);
    Ok(lines.len())
}

fn collect(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some((inside, after)) = attribute(&tokens, at) {
            match inside.to_string().replace(' ', "") {
                said if is_comment(&said) => at = after,
                said if is_off(&said) => at = behind_item(&tokens, after),
                _ => {
                    add(token, lines);
                    tokens[at + 1..after].iter().for_each(|token| whole(token, lines));
                    at = after;
                }
            }
            continue;
        }
        whole(token, lines);
        at += 1;
    }
}

/// `#[…]` or `#![…]`: what is inside, and where it ends.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    let is =
        |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == sign);
    if !is(at, '#') {
        return None;
    }
    let inside = at + 1 + usize::from(is(at + 1, '!'));
    match tokens.get(inside) {
        Some(TokenTree::Group(group)) => Some((group.stream(), inside + 1)),
        _ => None,
    }
}

/// Documentation is an attribute for the compiler.
fn is_comment(attribute: &str) -> bool {
    attribute.starts_with("doc=")
}

/// Tests are off, under the name that the copies have for it.
fn is_off(attribute: &str) -> bool {
    ["test", "kleene_off"]
        .iter()
        .any(|name| attribute == format!("cfg({name})") || attribute.starts_with(&format!("cfg(all({name},")))
        || attribute == "test"
}

/// An item ends with its block or with a semicolon.
fn behind_item(tokens: &[TokenTree], at: usize) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
        TokenTree::Punct(sign) => matches!(sign.as_char(), ';' | ','),
        _ => false,
    };
    tokens[at..].iter().position(is_end).map_or(tokens.len(), |end| at + end + 1)
}

fn whole(token: &TokenTree, lines: &mut BTreeSet<usize>) {
    match token {
        TokenTree::Group(group) => {
            lines.extend([group.span_open().start().line, group.span_close().end().line]);
            collect(group.stream(), lines);
        }
        other => add(other, lines),
    }
}

/// A text may go over several lines.
fn add(token: &TokenTree, lines: &mut BTreeSet<usize>) {
    lines.extend(token.span().start().line..=token.span().end().line);
}

#[cfg(test)]
mod tests {
    use super::in_text;

    #[test]
    fn comments_and_tests_are_no_code() {
        let text = "//! A module.\n\nuse a::b; // for both\n\n/// What it does.\n#[inline]\nfn f() {\n    /* long\n    comment */\n    g(\"two\n    lines\");\n\n}\n\
            #[cfg(test)]\nmod tests {\n    fn t() {}\n}\n#[cfg(kleene_off)]\nuse only::tests;\nstatic A: u8 = 1;\n";
        // use, inline, fn, two of the text, the end, static.
        assert_eq!(in_text(text), Ok(7));
    }
}
