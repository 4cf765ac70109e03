//! The texts of formatting macros: which arguments they show, in what order and how.

use std::iter::Peekable;
use std::str::Chars;

use super::super::hir::{Align, Count, Piece, Shown, Spec, Way};

/// What a text shows: pieces whose arguments are numbered as they stand behind it, then those that it names itself.
pub struct Text {
    pub pieces: Vec<Piece>,
    /// Names of the code around that stand in braces, in order, each once.
    pub captured: Vec<String>,
}

struct Reader<'t> {
    letters: Peekable<Chars<'t>>,
    /// Names of arguments: those without one have `None`.
    given: &'t [Option<String>],
    captured: Vec<String>,
    /// How many `{}` there were.
    next: usize,
}

/// `None`: it is not such a text.
pub fn read(text: &str, given: &[Option<String>]) -> Option<Text> {
    let mut reader = Reader { letters: text.chars().peekable(), given, captured: Vec::new(), next: 0 };
    let mut pieces = Vec::new();
    let mut plain = String::new();
    while let Some(letter) = reader.letters.next() {
        match letter {
            '{' | '}' if reader.letters.next_if_eq(&letter).is_some() => plain.push(letter),
            '{' => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Shown(reader.shown()?));
            }
            '}' => return None,
            letter => plain.push(letter),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Some(Text { pieces, captured: reader.captured })
}

impl Reader<'_> {
    /// Behind the brace, to the end of it.
    fn shown(&mut self) -> Option<Shown> {
        self.spaces();
        let named = self.argument();
        self.spaces();
        let (mut spec, mut way) = (Spec::default(), Way::Display);
        if self.letters.next_if_eq(&':').is_some() {
            (spec.fill, spec.align) = self.filled();
            spec.plus = self.letters.next_if_eq(&'+').is_some();
            spec.minus = !spec.plus && self.letters.next_if_eq(&'-').is_some();
            spec.alternate = self.letters.next_if_eq(&'#').is_some();
            spec.zero = self.has_zero();
            spec.width = self.count()?;
            if self.letters.next_if_eq(&'.').is_some() {
                spec.precision = match self.letters.next_if_eq(&'*') {
                    Some(_) => Some(Count::Argument(self.following())),
                    None => self.count()?,
                };
            }
            way = self.way()?;
            self.spaces();
        }
        self.letters.next_if_eq(&'}')?;
        let argument = match named {
            Some(word) => self.number_of(&word)?,
            None => self.following(),
        };
        (argument < self.given.len() + self.captured.len()).then_some(Shown { argument, way, spec })
    }

    fn spaces(&mut self) {
        while self.letters.next_if(|letter| letter.is_whitespace()).is_some() {}
    }

    fn following(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// A number or a name.
    fn argument(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(letter) = self.letters.next_if(|letter| letter.is_alphanumeric() || *letter == '_') {
            word.push(letter);
        }
        (!word.is_empty()).then_some(word)
    }

    fn number_of(&mut self, word: &str) -> Option<usize> {
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            return word.parse().ok();
        }
        if let Some(known) = self.given.iter().position(|name| name.as_deref() == Some(word)) {
            return Some(known);
        }
        let at = self.captured.iter().position(|name| name == word).unwrap_or(self.captured.len());
        if at == self.captured.len() {
            self.captured.push(word.into());
        }
        Some(self.given.len() + at)
    }

    fn filled(&mut self) -> (char, Option<Align>) {
        let mut ahead = self.letters.clone();
        let (first, second) = (ahead.next(), ahead.next());
        if let (Some(fill), Some(align)) = (first, second.and_then(align)) {
            self.letters = ahead;
            return (fill, Some(align));
        }
        let align = first.and_then(align);
        if align.is_some() {
            self.letters.next();
        }
        (' ', align)
    }

    /// `0` is a sign before a width, unless it is one that is named.
    fn has_zero(&mut self) -> bool {
        let mut ahead = self.letters.clone();
        let zero = ahead.next() == Some('0') && ahead.next() != Some('$');
        if zero {
            self.letters.next();
        }
        zero
    }

    /// `Some(None)`: there is none.
    fn count(&mut self) -> Option<Option<Count>> {
        let mut ahead = self.letters.clone();
        let mut word = String::new();
        while let Some(letter) = ahead.next_if(|letter| letter.is_alphanumeric() || *letter == '_') {
            word.push(letter);
        }
        if !word.is_empty() && ahead.next_if_eq(&'$').is_some() {
            self.letters = ahead;
            return Some(Some(Count::Argument(self.number_of(&word)?)));
        }
        let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() {
            return Some(None);
        }
        for _ in 0..digits.len() {
            self.letters.next();
        }
        Some(Some(Count::Number(digits.parse().ok()?)))
    }

    fn way(&mut self) -> Option<Way> {
        let mut word = String::new();
        while let Some(letter) = self.letters.next_if(|letter| letter.is_alphanumeric() || *letter == '?') {
            word.push(letter);
        }
        Some(match word.as_str() {
            "" => Way::Display,
            "?" => Way::Debug,
            "x?" | "X?" => Way::DebugHex,
            "x" => Way::LowerHex,
            "X" => Way::UpperHex,
            "o" => Way::Octal,
            "b" => Way::Binary,
            "e" => Way::LowerExp,
            "E" => Way::UpperExp,
            "p" => Way::Pointer,
            _ => return None,
        })
    }
}

fn align(letter: char) -> Option<Align> {
    match letter {
        '<' => Some(Align::Left),
        '^' => Some(Align::Middle),
        '>' => Some(Align::Right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(argument: usize, way: Way, spec: Spec) -> Piece {
        Piece::Shown(Shown { argument, way, spec })
    }

    #[test]
    fn texts_name_what_they_show() {
        let plain = Spec::default();
        let text = |text: &str| Piece::Text(text.into());
        let given = [None, Some("b".to_string())];
        let read = |text: &str| read(text, &given).map(|text| (text.pieces, text.captured));
        let all = |pieces: Vec<Piece>, captured: &[&str]| {
            Some((pieces, captured.iter().map(ToString::to_string).collect()))
        };
        assert_eq!(read("a{{b}}"), all(vec![text("a{b}")], &[]));
        assert_eq!(
            read("{}-{b:?}{ c }{c}"),
            all(
                vec![
                    shown(0, Way::Display, plain),
                    text("-"),
                    shown(1, Way::Debug, plain),
                    shown(2, Way::Display, plain),
                    shown(2, Way::Display, plain),
                ],
                &["c"]
            )
        );
        let spec = Spec { fill: '*', align: Some(Align::Middle), zero: true, alternate: true, ..plain };
        let spec = Spec { width: Some(Count::Number(12)), precision: Some(Count::Argument(3)), ..spec };
        assert_eq!(
            read("{w:*^#012.p$x}"),
            all(
                vec![shown(3, Way::LowerHex, Spec { precision: Some(Count::Argument(2)), ..spec })],
                &["p", "w"]
            )
        );
        let starred = Spec { precision: Some(Count::Argument(0)), ..plain };
        assert_eq!(read("{:.*}"), all(vec![shown(1, Way::Display, starred)], &[]));
        let named = Spec { width: Some(Count::Argument(0)), plus: true, ..plain };
        assert_eq!(read("{1:+0$}"), all(vec![shown(1, Way::Display, named)], &[]));
        for wrong in ["{", "}", "{2}", "{} {} {}", "{:q}", "{:?", "{0:9999999999999999999999}"] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
