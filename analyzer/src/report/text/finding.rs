//! A finding for people: what is wrong, where, and the shortest way to see it.

use ariadne::Color;

use crate::evidence::{Called, Evidence, Run};
use crate::lints::Lint;
use crate::pipeline::Verdict;
use crate::report::paint::{Paint, Tint, clipped};
use crate::report::snippet::{self, Caption};
use crate::report::{Backing, Entry, FileReport, Summary};
use crate::source::SourceFile;

/// Values that are named in a note.
const VALUES: usize = 8;

/// One finding: a headline, the place, and what stands behind it.
pub fn finding(report: &FileReport, entry: &Entry, paint: Paint) -> String {
    let Some(lint) = entry.lint else { return String::new() };
    let (word, tint, color) = match entry.verdict {
        Verdict::False => ("warning", Tint::Yellow, Color::Yellow),
        Verdict::Maybe => ("note", Tint::Cyan, Color::Cyan),
        Verdict::Error => ("error", Tint::Red, Color::Red),
        Verdict::True => ("true", Tint::Green, Color::Green),
    };
    let said = match (&entry.message, entry.verdict) {
        (Some(message), _) => message.clone(),
        (None, verdict) => sentence(lint, verdict).to_string(),
    };
    let head = format!("{}[{}]: {said}\n", paint.with(tint, word), lint.name());
    let notes = match &entry.backing {
        Backing::Program(evidence) => notes(evidence, &report.source),
        Backing::Model(_) => Vec::new(),
    };
    let label = entry.function.as_ref().map_or("here".to_string(), |function| format!("in `{function}`"));
    let caption = Caption { label, notes };
    let place = match entry.span {
        Some(span) => snippet::place(&report.source, span, &caption, color, paint),
        None => snippet::below(&caption.notes, paint),
    };
    format!("{head}{place}\n")
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

/// `12 sites: 9 true, 2 false, 1 maybe`
pub fn sites(summary: &Summary, paint: Paint) -> String {
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
    format!("{}{parts}\n", super::counted(summary.total(), "site"))
}
