//! Expectations that stand in a program as comments `//~ [OPTIONS] FORMULA VERDICT`; `fixtures/README.md` says
//! how they are written. Read by the tests and by the oracle's measurements; knows no files.

use crate::frontend::{Integers, Language};
use crate::granularity::Granularity;
use crate::lints::Lint;
use crate::pipeline::{Options, Verdict};

const MARK: &str = "//~";

/// What is recorded of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Decided(bool),
    /// Accepted imprecision, with the concrete truth.
    Open(bool),
    Error,
}

/// A verdict beside a recorded truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    Same,
    /// A definite verdict where Maybe was accepted.
    Better,
    /// Maybe where a definite verdict or an error is recorded.
    Undecided,
    Wrong,
}

impl Truth {
    pub fn against(self, verdict: Verdict) -> Agreement {
        let said = match verdict {
            Verdict::True => Some(true),
            Verdict::False => Some(false),
            Verdict::Maybe => None,
            Verdict::Error if self == Self::Error => return Agreement::Same,
            Verdict::Error => return Agreement::Wrong,
        };
        match (self, said) {
            (Self::Decided(truth), Some(said)) if said == truth => Agreement::Same,
            (Self::Open(truth), Some(said)) if said == truth => Agreement::Better,
            (_, Some(_)) => Agreement::Wrong,
            (Self::Open(_), None) => Agreement::Same,
            (_, None) => Agreement::Undecided,
        }
    }
}

/// What is recorded of the lints of a program, `//~ LINT VERDICT, LINT VERDICT …` at the end of their lines.
///
/// # Errors
/// With the line that is not understood.
pub fn of_lints(text: &str) -> Result<Vec<(u32, Lint, Truth)>, String> {
    let verdicts = [
        ("MAYBE, really FAILS", Truth::Open(false)),
        ("MAYBE, really HOLDS", Truth::Open(true)),
        ("FAILS", Truth::Decided(false)),
        ("HOLDS", Truth::Decided(true)),
    ];
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, written)) = line.split_once(MARK) else { continue };
        let wrong = || format!("line {}: {}", index + 1, written.trim());
        let mut rest = written.trim();
        while !rest.is_empty() {
            let (lint, after) = rest.split_once(' ').ok_or_else(wrong)?;
            let lint = Lint::from_name(lint).ok_or_else(wrong)?;
            let verdict = verdicts.into_iter().find(|(word, _)| after.starts_with(word));
            let (word, truth) = verdict.ok_or_else(wrong)?;
            found.push((index as u32 + 1, lint, truth));
            rest = after[word.len()..].trim_start_matches([',', ' ']);
        }
    }
    Ok(found)
}

#[derive(Clone, Debug)]
pub struct Expectation {
    pub line: usize,
    pub options: Options,
    /// Deciding it takes seconds, too long for a test.
    pub slow: bool,
    pub formula: String,
    pub truth: Truth,
    pub vacuous: Option<bool>,
}

/// All that is expected of one program.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    pub properties: Vec<Expectation>,
    /// Line and text that must occur in a diagnostic.
    pub diagnostics: Vec<(usize, String)>,
}

/// A line that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub line: usize,
    pub what: String,
}

/// The language of programs that carry expectations, by the extension of their file.
pub fn language(extension: &str) -> Option<Language> {
    match extension {
        "cm" => Some(Language::CMinus),
        "c" => Some(Language::C),
        "rs" => Some(Language::Rust),
        "t2" => Some(Language::T2),
        _ => None,
    }
}

/// The expectations of a program; there is at least one.
pub fn read(text: &str) -> Result<Expectations, Vec<Unreadable>> {
    let (mut read, mut wrong) = (Expectations::default(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let Some((_, marked)) = line.split_once(MARK) else { continue };
        match marked.trim().strip_prefix("DIAGNOSTIC ") {
            Some(fragment) => read.diagnostics.push((index + 1, fragment.trim().to_string())),
            None => match property(index + 1, marked.trim()) {
                Ok(expectation) => read.properties.push(expectation),
                Err(what) => wrong.push(Unreadable { line: index + 1, what }),
            },
        }
    }
    if wrong.is_empty() && read.properties.is_empty() && read.diagnostics.is_empty() {
        wrong.push(Unreadable { line: 1, what: "no expectation in this file".into() });
    }
    if wrong.is_empty() { Ok(read) } else { Err(wrong) }
}

/// `[OPTIONS] FORMULA VERDICT`
fn property(line: usize, text: &str) -> Result<Expectation, String> {
    let (written, rest) = split_options(text)?;
    let (rest, vacuous) = match (rest.strip_suffix(" vacuous"), rest.strip_suffix(" not-vacuous")) {
        (Some(rest), _) => (rest, Some(true)),
        (_, Some(rest)) => (rest, Some(false)),
        _ => (rest, None),
    };
    let endings = [
        (" MAYBE, really HOLDS", Truth::Open(true)),
        (" MAYBE, really FAILS", Truth::Open(false)),
        (" HOLDS", Truth::Decided(true)),
        (" FAILS", Truth::Decided(false)),
        (" ERROR", Truth::Error),
    ];
    let found = endings.iter().find_map(|(ending, truth)| Some((rest.strip_suffix(ending)?, *truth)));
    let (formula, truth) = found.ok_or("no verdict at the end of the line")?;
    if vacuous.is_some() && truth != Truth::Decided(true) {
        return Err("only what holds can be vacuous".into());
    }
    let (options, slow) = options(written)?;
    Ok(Expectation { line, options, slow, formula: formula.trim().into(), truth, vacuous })
}

/// The options in front, which may hold brackets of array elements, and the rest.
fn split_options(text: &str) -> Result<(&str, &str), String> {
    if !text.starts_with('[') {
        return Ok(("", text));
    }
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok((&text[1..at], &text[at + 1..]));
        }
    }
    Err("the options have no closing bracket".into())
}

/// How the question is asked, and whether its answer is slow.
fn options(written: &str) -> Result<(Options, bool), String> {
    let (mut options, mut slow) = (Options::default(), false);
    let mut watching = false;
    for part in written.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match (key, value) {
            ("watch", _) => options.watch.push(value.into()),
            ("assume", _) => options.assume = Some(value.into()),
            ("ints", "machine") => options.integers = Integers::Machine,
            ("slow", "") => slow = true,
            _ => match Granularity::from_name(part) {
                Some(granularity) => options.granularity = granularity,
                None if watching => options.watch.push(part.into()),
                None => return Err(format!("unknown option `{part}`")),
            },
        }
        watching = key == "watch" || (watching && options.watch.last().is_some_and(|last| last == part));
    }
    Ok((options, slow))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        let read = |text: &str| property(1, text).map(|read| (read.formula, read.truth, read.vacuous));
        assert_eq!(read("AG(b == 0) HOLDS"), Ok(("AG(b == 0)".into(), Truth::Decided(true), None)));
        assert_eq!(
            read("EF(b == 1) MAYBE, really FAILS"),
            Ok(("EF(b == 1)".into(), Truth::Open(false), None))
        );
        let vacuous = read("AG(r == 1 -> AF(a == 1)) HOLDS vacuous").map(|(.., vacuous)| vacuous);
        assert_eq!(vacuous, Ok(Some(true)));
    }

    #[test]
    fn options_are_read() {
        let line = "[change, watch=g,h, assume=a[0] == 1 && a[1] >= 2, ints=machine] AG(g == 0) FAILS";
        let read = property(1, line).expect("a good line");
        assert_eq!(read.options.granularity, Granularity::Change);
        assert_eq!(read.options.watch, ["g", "h"]);
        assert_eq!(read.options.assume.as_deref(), Some("a[0] == 1 && a[1] >= 2"));
        assert_eq!(read.options.integers, Integers::Machine);
        assert!(!read.slow);
        assert!(property(1, "[slow, tick] AG(g == 0) FAILS").is_ok_and(|read| read.slow));
    }

    #[test]
    fn unreadable_lines_are_reported() {
        for wrong in [
            "AG(b == 0)",
            "AG(b == 0) MAYBE",
            "HOLDS",
            "[tick AG(b == 0) HOLDS",
            "[often] AG(b == 0) HOLDS",
            "AG(b) FAILS vacuous",
        ] {
            assert!(property(1, wrong).is_err(), "{wrong}");
        }
        assert!(read("int x;\n").is_err(), "nothing is expected");
        let text = "//~ DIAGNOSTIC unused\nint x; //~ AG(x == 0) FAILS\n";
        let both = read(text).expect("good lines");
        assert_eq!((both.properties.len(), both.properties[0].line), (1, 2));
        assert_eq!(both.diagnostics, [(1, "unused".to_string())]);
    }

    #[test]
    fn truths_meet_verdicts() {
        use Agreement::*;
        let rows = [
            (Truth::Decided(true), [Same, Wrong, Undecided, Wrong]),
            (Truth::Open(false), [Wrong, Better, Same, Wrong]),
            (Truth::Error, [Wrong, Wrong, Undecided, Same]),
        ];
        for (truth, expected) in rows {
            let verdicts = [Verdict::True, Verdict::False, Verdict::Maybe, Verdict::Error];
            assert_eq!(verdicts.map(|verdict| truth.against(verdict)), expected, "{truth:?}");
        }
    }
}
