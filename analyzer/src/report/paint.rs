//! Colours, or none: every piece of coloured text goes through here.

/// Whether to write colour codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Colours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    Green,
    Red,
    Yellow,
    Cyan,
    Bold,
    Dim,
}

impl Tint {
    fn code(self) -> &'static str {
        match self {
            Self::Green => "1;32",
            Self::Red => "1;31",
            Self::Yellow => "1;33",
            Self::Cyan => "36",
            Self::Bold => "1",
            Self::Dim => "2",
        }
    }
}

impl Paint {
    pub fn with(self, tint: Tint, text: &str) -> String {
        match self {
            Self::Plain => text.into(),
            Self::Colours => format!("\u{1b}[{}m{text}\u{1b}[0m", tint.code()),
        }
    }
}

/// The text in at most `width` characters, on one line; what is left out shows as `…`.
pub fn clipped(text: &str, width: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut characters = text.chars().map(clean);
    let head: String = characters.by_ref().take(width).collect();
    if characters.next().is_none() {
        return head;
    }
    let mut kept: String = head.chars().take(width.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

/// Words broken into lines of at most `width` characters; a longer word stands alone.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("at least one line");
        let length = line.chars().count();
        if length > 0 && length + 1 + word.chars().count() > width {
            lines.push(word.into());
            continue;
        }
        if length > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_to_the_width_and_onto_one_line() {
        assert_eq!(clipped("a\tb", 10), "a b");
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abcde…");
        assert_eq!(clipped("äöüäöü", 4), "äöü…");
    }

    #[test]
    fn wraps_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("", 7), [""]);
        assert_eq!(wrapped("incomprehensible word", 7), ["incomprehensible", "word"]);
    }
}
