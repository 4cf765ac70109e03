//! What a call could not see into: why, and what stands there how often.

use std::collections::BTreeMap;

use crate::frontend::{Lowered, Unknown};
use crate::ir::{InputSource, Program};
use crate::source::SourceFile;
use crate::source::stored::{Reader, Stored, Writer};

/// By the reason, and by the text.
#[derive(Debug, Default)]
pub struct Opaque(BTreeMap<String, BTreeMap<String, usize>>);

/// Examples of one reason.
const MOST_EXAMPLES: usize = 6;
const LONGEST_EXAMPLE: usize = 32;
/// Reasons that are named.
const MOST_REASONS: usize = 40;

impl Opaque {
    pub fn of(lowered: &Lowered, source: &SourceFile) -> Self {
        match lowered.unknown.is_empty() {
            true => Self(drawn(&lowered.program, source)),
            false => Self(reasons(&lowered.unknown, source)),
        }
    }

    pub fn add(&mut self, other: Self) {
        for (what, examples) in other.0 {
            let known = self.0.entry(what).or_default();
            for (example, count) in examples {
                *known.entry(example).or_insert(0) += count;
            }
        }
    }

    /// For people, the most frequent first.
    pub fn told(&self) -> String {
        let total = |examples: &BTreeMap<String, usize>| examples.values().sum::<usize>();
        let mut all: Vec<(&String, &BTreeMap<String, usize>)> = self.0.iter().collect();
        all.sort_by_key(|(what, examples)| (std::cmp::Reverse(total(examples)), (*what).clone()));
        let mut out = match all.is_empty() {
            true => "nothing was opaque\n".to_string(),
            false => "opaque, the most frequent first:\n".to_string(),
        };
        for (what, examples) in all.into_iter().take(MOST_REASONS) {
            out += &format!("{:6}  {what}\n", total(examples));
            let mut examples: Vec<(&String, &usize)> =
                examples.iter().filter(|(example, _)| !example.is_empty()).collect();
            examples.sort_by_key(|(example, count)| (std::cmp::Reverse(**count), (*example).clone()));
            let shown = examples.iter().take(MOST_EXAMPLES);
            let shown: Vec<String> = shown.map(|(example, count)| format!("`{example}` ({count})")).collect();
            if !shown.is_empty() {
                out += &format!("        such as {}\n", shown.join(", "));
            }
        }
        out
    }
}

impl Stored for Opaque {
    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Stored::read(from).map(Self)
    }
}

type Counts = BTreeMap<String, BTreeMap<String, usize>>;

/// What the front end did not understand, by its reason.
fn reasons(unknown: &[Unknown], source: &SourceFile) -> Counts {
    let mut found = Counts::new();
    for unknown in unknown.iter().filter(|unknown| !unknown.span.file.is_foreign()) {
        let example = if unknown.reason.starts_with("a method") {
            method(source.of(unknown.span).snippet(unknown.span))
        } else {
            source.of(unknown.span).snippet(unknown.span)
        };
        let example: String = example.split_whitespace().collect::<Vec<_>>().join(" ");
        let examples = found.entry(unknown.reason.to_string()).or_default();
        *examples.entry(example.chars().take(LONGEST_EXAMPLE).collect()).or_insert(0) += 1;
    }
    found
}

/// The name in a call of a method.
fn method(call: &str) -> &str {
    let mut depth = 0;
    let end = call.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (c == '(' && depth == 0).then_some(at)
    });
    let before = end.map_or(call, |end| &call[..end]);
    before.rsplit('.').next().unwrap_or(before)
}

/// The places where something unknown is drawn, by what stands there.
fn drawn(program: &Program, source: &SourceFile) -> Counts {
    let mut found = Counts::new();
    for location in program.functions.iter().flat_map(|function| function.graph.node_weights()) {
        for input in &location.inputs {
            if matches!(input.source, InputSource::Unknown) {
                let text: String =
                    source.snippet(input.span).split_whitespace().collect::<Vec<_>>().join(" ");
                let text: String = text.chars().take(60).collect();
                *found.entry(text).or_default().entry(String::new()).or_insert(0) += 1;
            }
        }
    }
    found
}
