//! A finding for people: what is wrong, where, and the shortest way to see it.

use std::collections::BTreeSet;

use ariadne::Color;

use crate::evidence::{Called, Evidence, Run};
use crate::lints::{Lint, Severity};
use crate::pipeline::Verdict;
use crate::report::advice::Advice;
use crate::report::causes::Cause;
use crate::report::paint::{Paint, Tint, clipped};
use crate::report::snippet::{self, Caption};
use crate::report::{Backing, Entry, FileReport, Summary};
use crate::source::SourceFile;

/// Values that are named in a note.
const VALUES: usize = 8;

/// Longer calls are cut.
const LONGEST_CALL: usize = 400;
/// Lines of other places that are named.
const OTHERS: usize = 6;

/// One finding: a headline, the place, and what stands behind it.
pub fn finding(report: &FileReport, cause: &Cause<'_>, paint: Paint) -> String {
    let entry = cause.first;
    let Some(lint) = entry.lint else { return String::new() };
    let word = if entry.verdict == Verdict::Maybe { "maybe" } else { entry.severity() };
    let (tint, color) = match word {
        "error" => (Tint::Red, Color::Red),
        "warning" => (Tint::Yellow, Color::Yellow),
        _ => (Tint::Cyan, Color::Cyan),
    };
    let head = format!("{}[{}]: {}\n", paint.with(tint, word), lint.name(), said(entry));
    let mut notes = match &entry.backing {
        Backing::Program(evidence) => notes(evidence, &report.source),
        Backing::Model(_) => Vec::new(),
    };
    let Advice { call, guard } = &entry.advice;
    notes.extend(call.iter().map(|call| (snippet::VERBATIM, clipped(call, LONGEST_CALL))));
    notes.extend(guard.iter().map(|guard| ("help", guard.clone())));
    notes.extend(others(report, &cause.others));
    let label = entry.function.as_ref().map_or("here".to_string(), |function| format!("in `{function}`"));
    let caption = Caption { label, notes };
    let place = match entry.span {
        Some(span) => snippet::place(&report.source, span, &caption, color, paint),
        None => snippet::below(&caption.notes, paint),
    };
    format!("{head}{place}\n")
}

/// What is said of a place, and the place.
pub fn headed_place(report: &FileReport, entry: &Entry, paint: Paint) -> String {
    let Some(lint) = entry.lint else { return String::new() };
    let (word, tint, color) = match entry.verdict {
        Verdict::True => ("True", Tint::Green, Color::Green),
        Verdict::False => ("False", Tint::Red, Color::Red),
        Verdict::Maybe => ("Maybe", Tint::Yellow, Color::Yellow),
        Verdict::Error => ("error", Tint::Red, Color::Red),
    };
    let rated = entry.rated.map_or(String::new(), |rated| format!(" ({})", rated.name()));
    let head = format!("{}[{}]{rated}: {}\n", paint.with(tint, word), lint.name(), said(entry));
    let label = entry.function.as_ref().map_or("here".to_string(), |function| format!("in `{function}`"));
    let notes: Vec<(&'static str, String)> = match &entry.advice {
        Advice { call: Some(call), .. } => vec![(snippet::VERBATIM, clipped(call, LONGEST_CALL))],
        _ => Vec::new(),
    };
    let place =
        entry.span.map(|span| snippet::place(&report.source, span, &Caption { label, notes }, color, paint));
    head + &place.unwrap_or_default()
}

/// What a result says, in one sentence.
pub fn said(entry: &Entry) -> String {
    match (&entry.message, entry.lint) {
        (Some(message), _) => message.clone(),
        (None, Some(lint)) if entry.verdict == Verdict::True => safe(lint).to_string(),
        (None, Some(lint)) => sentence(lint, entry.verdict).to_string(),
        (None, None) => format!("{} is {}", entry.property, entry.verdict.name()),
    }
}

/// Where the same thing happens.
fn others(report: &FileReport, others: &[&Entry]) -> Option<(&'static str, String)> {
    let lines: BTreeSet<u32> =
        others.iter().filter_map(|entry| entry.span).map(|span| report.source.line_of(span)).collect();
    let named: Vec<String> = lines.iter().take(OTHERS).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(OTHERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    (!named.is_empty()).then(|| ("also", format!("{word} {}{more}", named.join(", "))))
}

/// What never happens.
fn safe(lint: Lint) -> &'static str {
    match lint {
        Lint::Overflow => "this arithmetic never overflows",
        Lint::DivisionByZero => "the divisor is never zero",
        Lint::IndexOutOfBounds => "the index is never out of bounds",
        Lint::InvalidShift => "the shift is never too wide",
        Lint::UnwrapFailed => "there is always a value",
        Lint::AssertionFailed => "this assertion never fails",
        Lint::ReachablePanic => "no run comes to this panic",
        Lint::LossyCast => "this cast never changes the value",
        Lint::ConstantCondition => "this condition has both outcomes, or no run comes to it",
        Lint::UnreachableCode => "a run comes to this code",
        Lint::NonTermination => "every run leaves this loop",
        Lint::UninitialisedRead => "this is never read before it is assigned",
    }
}

fn sentence(lint: Lint, verdict: Verdict) -> &'static str {
    let happens = verdict == Verdict::False;
    match lint {
        Lint::Overflow if happens => "this arithmetic can overflow",
        Lint::Overflow => "this arithmetic may overflow",
        Lint::DivisionByZero if happens => "the divisor can be zero",
        Lint::DivisionByZero => "the divisor may be zero",
        Lint::IndexOutOfBounds if happens => "the index can be out of bounds",
        Lint::IndexOutOfBounds => "the index may be out of bounds",
        Lint::InvalidShift if happens => "the shift can be too wide",
        Lint::InvalidShift => "the shift may be too wide",
        Lint::UnwrapFailed if happens => "this can panic: there may be no value",
        Lint::UnwrapFailed => "there may be no value here",
        Lint::AssertionFailed if happens => "this assertion can fail",
        Lint::AssertionFailed => "this assertion may fail",
        Lint::ReachablePanic if happens => "this panic can be reached",
        Lint::ReachablePanic => "this panic may be reached",
        Lint::LossyCast if happens => "this cast can change the value",
        Lint::LossyCast => "this cast may change the value",
        Lint::ConstantCondition => "this condition may always have the same outcome",
        Lint::UnreachableCode if happens => "no run comes to this code",
        Lint::UnreachableCode => "no run may come to this code",
        Lint::NonTermination if happens => "this loop can run for ever",
        Lint::NonTermination => "this loop may run for ever",
        Lint::UninitialisedRead if happens => "this can be read before it is assigned",
        Lint::UninitialisedRead => "this may be read before it is assigned",
    }
}

fn notes(evidence: &Evidence, source: &SourceFile) -> Vec<(&'static str, String)> {
    match evidence {
        Evidence::Run(run) | Evidence::Mixed { run, .. } => run_notes(run),
        Evidence::Cause(cause) => {
            let place =
                cause.span.map_or(String::new(), |span| format!(" (line {})", source.line_named(span)));
            let mut notes = vec![("because", format!("{}{place}", cause.message))];
            notes.extend(cause.help.iter().map(|help| ("help", help.clone())));
            notes
        }
        Evidence::Proof(_) | Evidence::Strategy(_) | Evidence::None => Vec::new(),
    }
}

/// The values a run starts with and draws.
fn run_notes(run: &Run) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let shown = |values: Vec<String>| {
        let more = values.len().saturating_sub(VALUES);
        let mut text = values.into_iter().take(VALUES).collect::<Vec<_>>().join(", ");
        if more > 0 {
            text += &format!(", and {more} more");
        }
        clipped(&text, 300)
    };
    if !run.start.shown.is_empty() {
        let values = run.start.shown.iter().map(|shown| format!("{} = {}", shown.name, shown.value));
        notes.push(("with", shown(values.collect())));
    }
    if let [before @ .., _] = run.calls.as_slice()
        && !before.is_empty()
    {
        let times = |calls: &[Called]| match calls {
            [only] => only.name.clone(),
            [first, ..] => format!("{} ({} times)", first.name, calls.len()),
            [] => String::new(),
        };
        notes.push((
            "after",
            shown(before.chunk_by(|left, right| left.name == right.name).map(times).collect()),
        ));
    }
    let drawn: Vec<String> = run
        .steps
        .iter()
        .flat_map(|step| &step.inputs)
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !drawn.is_empty() {
        notes.push(("drawing", shown(drawn)));
    }
    notes
}

/// What a call of `lint` counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub summary: Summary,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
    pub suppressed: usize,
    pub known: usize,
    /// Notes are counted only.
    pub hides_notes: bool,
}

impl Tally {
    pub fn add(&mut self, entry: &Entry) {
        self.summary.add(entry.verdict);
        match entry.rated {
            Some(_) if entry.suppressed.is_some() => self.suppressed += 1,
            Some(_) if entry.known => self.known += 1,
            Some(Severity::Error) => self.errors += 1,
            Some(Severity::Warning) => self.warnings += 1,
            Some(Severity::Note) => self.notes += 1,
            None => {}
        }
    }

    /// `2 errors, 1 note (shown with --all)`
    fn severities(&self) -> String {
        let hidden = if self.hides_notes { " (shown with --all)" } else { "" };
        let kinds =
            [(self.errors, "error", ""), (self.warnings, "warning", ""), (self.notes, "note", hidden)];
        let parts = kinds.into_iter().filter(|(count, ..)| *count > 0);
        let mut parts: Vec<String> =
            parts.map(|(count, word, more)| format!("{}{more}", super::counted(count, word))).collect();
        if self.suppressed > 0 {
            parts.push(format!("{} suppressed", self.suppressed));
        }
        if self.known > 0 {
            parts.push(format!("{} in the baseline", self.known));
        }
        if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
    }
}

/// `12 sites: 9 true, 2 false, 1 maybe; 1 warning, 1 note (shown with --all)`
pub fn sites(tally: &Tally, paint: Paint) -> String {
    let summary = &tally.summary;
    let kinds = [
        (summary.holds, "true", Tint::Green),
        (summary.fails, "false", Tint::Yellow),
        (summary.undecided, "maybe", Tint::Cyan),
        (summary.errors, "errors", Tint::Red),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, word, tint)| paint.with(tint, &format!("{count} {word}")))
        .collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{}{parts}{}\n", super::counted(summary.total(), "site"), tally.severities())
}
