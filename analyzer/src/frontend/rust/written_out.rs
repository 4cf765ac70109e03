//! Our own text of std with its macros written out: each copy is text like any other, whose bodies can wait.
//!
//! Only for that text: its macros list words, with or without a repetition around all of it, and nothing else.

use crate::source::skim::{group, next};

/// What a macro writes for so many words at a time.
struct Listing<'t> {
    name: &'t str,
    variables: Vec<&'t str>,
    body: &'t str,
}

pub fn written_out(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut known: Vec<Listing<'_>> = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some((start, end)) = next(text, at) {
        at = end;
        let word = &text[start..end];
        if word == "macro_rules" {
            let (listing, behind) = declared(text, end).expect("a macro of our own text lists words");
            known.push(listing);
            out.push_str(&text[copied..start]);
            (at, copied) = (behind, behind);
        } else if let Some(listing) = known.iter().rfind(|listing| listing.name == word)
            && let Some((open, behind)) = called(text, end)
        {
            out.push_str(&text[copied..start]);
            listing.write(&text[open..behind], &mut out);
            (at, copied) = (behind, behind);
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// `! name { (variables) => { body }; }`, and where it ends.
fn declared(text: &str, at: usize) -> Option<(Listing<'_>, usize)> {
    let (_, at) = next(text, at)?;
    let (name, end) = next(text, at)?;
    let whole = group(text, next(text, end)?.0);
    let pattern = group(text, next(text, whole.start + 1)?.0);
    let (_, arrow) = next(text, next(text, pattern.end)?.1)?;
    let body = group(text, next(text, arrow)?.0);
    let variables = variables(&text[pattern]);
    let body = repeated(&text[body.start + 1..body.end - 1]);
    Some((Listing { name: &text[name..end], variables, body }, whole.end))
}

/// `! (words);`
fn called(text: &str, at: usize) -> Option<(usize, usize)> {
    let (_, at) = next(text, at).filter(|(start, end)| &text[*start..*end] == "!")?;
    let words = group(text, next(text, at)?.0);
    let (_, end) = next(text, words.end)?;
    Some((words.start, end))
}

fn variables(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = next(pattern, at) {
        at = end;
        if let Some((name, end)) = next(pattern, end).filter(|_| &pattern[start..end] == "$")
            && &pattern[name..end] != "("
        {
            found.push(&pattern[name..end]);
        }
    }
    found
}

/// What is repeated, if all of it is.
fn repeated(body: &str) -> &str {
    match next(body, 0).and_then(|(_, sign)| next(body, sign)) {
        Some((open, _)) if body.trim_start().starts_with("$(") => {
            let inside = group(body, open);
            &body[inside.start + 1..inside.end - 1]
        }
        _ => body,
    }
}

impl Listing<'_> {
    /// One copy after the other.
    fn write(&self, call: &str, out: &mut String) {
        let mut words = Vec::new();
        let mut at = 1;
        while let Some((start, end)) = next(call, at).filter(|(start, _)| !call[*start..].starts_with(')')) {
            words.push(&call[start..end]);
            at = end;
        }
        for words in words.chunks_exact(self.variables.len()) {
            self.copy(words, out);
            out.push('\n');
        }
    }

    fn copy(&self, words: &[&str], out: &mut String) {
        let mut pieces = self.body.split('$');
        out.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let end = next(piece, 0).map_or(0, |(_, end)| end);
            let at = self.variables.iter().position(|name| *name == &piece[..end]);
            out.push_str(words[at.expect("a variable of the macro")]);
            out.push_str(&piece[end..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::written_out;

    #[test]
    fn macros_become_what_they_write() {
        let text = "macro_rules! both {\n    ($($a:ident $b:ident)*) => {\n        $(impl $a { fn f() -> $b { 1 } })*\n    };\n}\nboth!(A u8 B u16);\nfn both() {}\n";
        let written = "\nimpl A { fn f() -> u8 { 1 } }\nimpl B { fn f() -> u16 { 1 } }\n\nfn both() {}\n";
        assert_eq!(written_out(text), written);
        let once =
            "mod m { macro_rules! one { ($a:ident $n:literal) => { const $a: u8 = $n; }; } one!(A 0x1_0); }";
        assert_eq!(written_out(once), "mod m {   const A: u8 = 0x1_0; \n }");
    }
}
