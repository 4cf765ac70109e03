//! Names of variables in a piece of Rust, by its letters alone: macros are read like anything else.

use super::Names;

/// The variables that a text uses: no fields, no calls, no types, no constants.
pub fn used(text: &str) -> Names {
    let words = words(text);
    let mut names = Names::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| words[at]);
        let after = words.get(at + 1).copied();
        let is_cast = before == Some("as");
        let is_member = before == Some(".");
        let is_called = matches!(after, Some("(" | "!" | "::")) || before == Some("::");
        if is_name(word) && !is_cast && !is_member && !is_called {
            names.insert((*word).to_string());
        }
    }
    names
}

/// The variables that the condition of an assertion uses: of its first argument, or of the first two of `assert_eq!`
/// and `assert_ne!`. What is printed does not matter.
pub fn asserted(text: &str) -> Names {
    let Some(open) = text.find(['(', '[', '{']) else { return used(text) };
    let name = text[..open].trim_end().trim_end_matches('!');
    let arguments = if name.ends_with("_eq") || name.ends_with("_ne") { 2 } else { 1 };
    let inner = &text[open + 1..];
    let (mut depth, mut commas) = (0usize, 0);
    let mut end = inner.len();
    for (at, word) in places(inner) {
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => {
                end = at;
                break;
            }
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                commas += 1;
                if commas == arguments {
                    end = at;
                    break;
                }
            }
            _ => {}
        }
    }
    used(&inner[..end])
}

const KEYWORDS: [&str; 26] = [
    "as", "async", "await", "box", "break", "const", "continue", "else", "false", "fn", "for", "if", "in",
    "let", "loop", "match", "move", "mut", "ref", "return", "static", "true", "unsafe", "where", "while",
    "dyn",
];

/// A variable as people write one: constants and types begin with a capital letter.
pub fn is_name(word: &str) -> bool {
    let first = word.chars().next().unwrap_or('0');
    (first.is_lowercase() || first == '_') && word != "_" && !KEYWORDS.contains(&word)
}

fn words(text: &str) -> Vec<&str> {
    places(text).map(|(_, word)| word).collect()
}

/// Words and signs with their places; literals, comments and lifetimes are left out.
fn places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let first = rest.chars().next()?;
            let start = at;
            let length = match first {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                '"' => string(rest),
                '\'' => quoted(rest),
                _ if rest.starts_with("::") => 2,
                // A range is no member.
                _ if rest.starts_with("..") => 2,
                c if c.is_alphanumeric() || c == '_' => {
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
                }
                c => c.len_utf8(),
            };
            at += length;
            let word = &rest[..length];
            if !first.is_whitespace()
                && !matches!(first, '"' | '\'')
                && !word.starts_with("//")
                && !word.starts_with("/*")
            {
                return Some((start, word));
            }
        }
    })
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character, or a lifetime with its sign.
fn quoted(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), _) => {
            text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| at + 3)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |end| end + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        used(text).into_iter().collect()
    }

    #[test]
    fn variables_are_told_from_everything_else() {
        assert_eq!(of("a + self.b.c(d)[E::F] as usize - f(1u8) * MAX"), ["a", "d", "self"]);
        assert_eq!(of("x..y, \"no {z}\", 'q', '\\'', &'a w, vec![v; 3] // u"), ["v", "w", "x", "y"]);
        assert_eq!(of("if let Some(n) = m { n } else { true }"), ["m", "n"]);
    }

    #[test]
    fn what_an_assertion_prints_does_not_matter() {
        let names = |text: &str| asserted(text).into_iter().collect::<Vec<_>>();
        assert_eq!(names("assert!(n > f(m, 1), \"{}\", other)"), ["m", "n"]);
        assert_eq!(names("assert_eq!(n, limit, \"{other}\")"), ["limit", "n"]);
        assert_eq!(names("debug_assert!(ok)"), ["ok"]);
    }
}
