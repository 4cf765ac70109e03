//! The report for people: a headline per property, then what stands behind it.

mod finding;
mod model;
mod run;

use ariadne::Color;

pub use finding::{Tally, finding, said, sites};

use super::paint::{Paint, Tint, clipped, wrapped};
use super::snippet::{self, Caption};
use super::{Backing, Entry, FileReport, Summary};
use crate::evidence::{Cause, Evidence, Obligation, Proof, Strategy};
use crate::pipeline::Verdict;
use crate::source::SourceFile;

/// Lines fit a terminal of 80 columns.
const WIDTH: usize = 78;
/// Text under a headline starts below the formula.
const INDENT: usize = 7;

/// One property: headline, evidence, remarks on the answer.
pub fn entry(report: &FileReport, entry: &Entry, paint: Paint) -> String {
    let mut out = headline(report, entry, paint);
    if let Some(mistake) = &entry.mistake {
        out += &snippet::remark(mistake, paint);
    } else if let Some(message) = &entry.message {
        out += &indented(message);
    }
    out += &match &entry.backing {
        Backing::Program(evidence) => behind(evidence, &report.source, entry.verdict, paint),
        Backing::Model(evidence) => model::behind(evidence, entry, &report.source, paint),
    };
    if entry.vacuous == Some(true) {
        out += &vacuity(&entry.vacuous_parts, paint);
    }
    if let Some(surprise) = entry.surprise() {
        out += &snippet::remark(&surprise, paint);
    }
    out.push('\n');
    out
}

/// One check of one place, with all that stands behind the answer.
pub fn explained(report: &FileReport, entry: &Entry, paint: Paint) -> String {
    let mut out = finding::headed_place(report, entry, paint);
    out += &indented(&details(report, entry));
    out += &match &entry.backing {
        Backing::Program(evidence) => behind(evidence, &report.source, entry.verdict, paint),
        Backing::Model(evidence) => model::behind(evidence, entry, &report.source, paint),
    };
    if let Some(reason) = &entry.suppressed {
        out += &indented(&format!("left alone: {reason}"));
    }
    out.push('\n');
    out
}

fn headline(report: &FileReport, entry: &Entry, paint: Paint) -> String {
    let (word, tint) = match entry.verdict {
        Verdict::True => ("True", Tint::Green),
        Verdict::False => ("False", Tint::Red),
        Verdict::Maybe => ("Maybe", Tint::Yellow),
        Verdict::Error => ("error", Tint::Red),
    };
    let gap = " ".repeat(INDENT - word.len());
    // Formulas are shown on a few lines, not on thousands.
    let formula = wrapped(&clipped(&entry.property, 6 * WIDTH), WIDTH - INDENT)
        .iter()
        .map(|line| paint.with(Tint::Bold, &clipped(line, WIDTH - INDENT)))
        .collect::<Vec<_>>()
        .join(&format!("\n{:INDENT$}", ""));
    let details = indented_lines(&details(report, entry));
    format!("{}{gap}{formula}\n{}", paint.with(tint, word), paint.with(Tint::Dim, &details)) + "\n"
}

fn details(report: &FileReport, entry: &Entry) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &entry.name {
        parts.push(name.clone());
    }
    parts.push(match &entry.function {
        Some(function) => format!("{}, {function}", report.name),
        None => report.name.clone(),
    });
    parts.push(format!("per {}", entry.granularity.name()));
    if entry.verdict != Verdict::Error {
        let cells = counted(entry.model.cells, "cell");
        let level = match &entry.solver {
            Some(solver) => format!("{} ({solver})", entry.level.name()),
            None => entry.level.name().to_string(),
        };
        parts.push(format!("{level}, {cells}, {}", duration(entry.seconds)));
    }
    parts.join(" · ")
}

fn duration(seconds: f64) -> String {
    match seconds {
        shortest if shortest < 0.001 => "< 1 ms".into(),
        short if short < 0.0995 => format!("{:.0} ms", short * 1000.0),
        long => format!("{long:.1} s"),
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn indented_lines(text: &str) -> String {
    let lines: Vec<String> =
        wrapped(text, WIDTH - INDENT).into_iter().map(|line| format!("{:INDENT$}{line}", "")).collect();
    lines.join("\n")
}

pub(super) fn indented(text: &str) -> String {
    indented_lines(text) + "\n"
}

fn behind(evidence: &Evidence, source: &SourceFile, verdict: Verdict, paint: Paint) -> String {
    match evidence {
        Evidence::Run(run) => run::table(run, source, verdict, paint),
        Evidence::Strategy(strategy) => self::strategy(strategy, source, verdict, paint),
        Evidence::Proof(proof) => self::proof(proof, source),
        Evidence::Mixed { run, then } => {
            run::table(run, source, verdict, paint)
                + &indented("and from there on:")
                + &self::proof(then, source)
        }
        Evidence::Cause(cause) => self::cause(cause, source, paint),
        Evidence::None => String::new(),
    }
}

fn strategy(strategy: &Strategy, source: &SourceFile, verdict: Verdict, paint: Paint) -> String {
    let cells = counted(strategy.cells, "cell");
    let edges = counted(strategy.must_edges, "must edge");
    let mut out = indented(&format!("strategy: {cells}, {edges}"));
    if let Some(example) = &strategy.example {
        out += &indented("for example:");
        out += &run::table(example, source, verdict, paint);
    }
    out
}

/// Facts of a proof that are worth a line each.
const INVARIANTS: usize = 4;

fn proof(proof: &Proof, source: &SourceFile) -> String {
    let cells = counted(proof.cells, "cell");
    let edges = counted(proof.may_edges, "edge");
    let mut out = indented(&format!("proof: {cells}, {edges}, loops proved to end: {}", proof.rankings));
    for (span, known) in proof.invariants.iter().take(INVARIANTS) {
        out += &indented(&format!("line {}: {known}", source.line_named(*span)));
    }
    out
}

fn cause(cause: &Cause, source: &SourceFile, paint: Paint) -> String {
    let mut notes = Vec::new();
    let values = cause.values.iter().map(|(name, value)| format!("{name} = {value}"));
    let known: Vec<String> = values.chain(cause.relations.iter().cloned()).collect();
    if !known.is_empty() {
        notes.push(("known there", known.join(", ")));
    }
    if !cause.path.is_empty() {
        notes.push(("way there", way(cause, source)));
    }
    if let Some(obligation) = &cause.obligation {
        notes.extend(self::obligation(obligation, source));
    }
    if !cause.tried.is_empty() {
        // Of several looks with one precision the last knew most.
        let looks = cause.tried.chunk_by(|look, next| look.precision == next.precision);
        let tried: Vec<String> = looks.filter_map(|looks| looks.last()).map(attempt).collect();
        notes.push(("tried", tried.join(", ")));
    }
    notes.extend(cause.holds_if.iter().map(|condition| ("holds if", condition.clone())));
    notes.extend(cause.fails_if.iter().map(|condition| ("fails if", condition.clone())));
    notes.extend(cause.help.iter().map(|help| ("help", help.clone())));
    let caption = Caption { label: cause.message.clone(), notes };
    match cause.span {
        Some(span) => snippet::place(source, span, &caption, Color::Yellow, paint),
        None => indented(&cause.message) + &snippet::below(&caption.notes, paint),
    }
}

fn obligation(obligation: &Obligation, source: &SourceFile) -> Vec<(&'static str, String)> {
    let reached = match obligation.reached_if.as_slice() {
        [] => "always".to_string(),
        conditions => conjunction(conditions),
    };
    let mut notes = vec![("reached if", reached)];
    if !obligation.undecided.is_empty() {
        notes.push(("undecided", conjunction(&obligation.undecided)));
    }
    if !obligation.inputs.is_empty() {
        let inputs = obligation.inputs.iter();
        let drawn =
            inputs.map(|(name, span)| format!("{name} is drawn in line {}", source.line_named(*span)));
        notes.push(("where", drawn.collect::<Vec<_>>().join(", ")));
    }
    notes
}

/// Conditions that hold together, in one.
pub(super) fn conjunction(conditions: &[String]) -> String {
    let side = |condition: &String| match conditions.len() > 1 && condition.contains("||") {
        true => format!("({condition})"),
        false => condition.clone(),
    };
    conditions.iter().map(side).collect::<Vec<_>>().join(" && ")
}

fn attempt(attempt: &crate::evidence::Attempt) -> String {
    let cells = counted(attempt.cells, "cell");
    let limit = attempt.limit.as_ref().map_or(String::new(), |limit| format!("; stopped: {limit}"));
    format!("{} ({cells}{limit})", attempt.precision)
}

/// The lines of the abstract path; a long one without its middle.
fn way(cause: &Cause, source: &SourceFile) -> String {
    let mut lines: Vec<String> = cause.path.iter().map(|span| source.line_named(*span)).collect();
    lines.dedup();
    if lines.len() > 16 {
        lines.splice(8..lines.len() - 8, ["…".to_string()]);
    }
    format!("lines {}", lines.join(" → "))
}

fn vacuity(parts: &[String], paint: Paint) -> String {
    let named: Vec<String> = parts.iter().map(|part| format!("`{}`", clipped(part, 60))).collect();
    let text = match named.as_slice() {
        [] => "a part of the formula does not matter".to_string(),
        [one] => format!("the part {one} does not matter"),
        many => format!("the parts {} do not matter", many.join(", ")),
    };
    let lines = wrapped(&format!("vacuous: {text}"), WIDTH - INDENT - 9);
    let lines = lines.join(&format!("\n{:1$}", "", INDENT + 9));
    format!("{:INDENT$}{}: {lines}\n", "", paint.with(Tint::Yellow, "warning"))
}

/// `3 properties: 1 true, 1 false, 1 maybe`
pub fn summary(summary: &Summary, paint: Paint) -> String {
    let total = summary.total();
    let properties = if total == 1 { "property" } else { "properties" };
    let kinds = [
        (summary.holds, "true", Tint::Green),
        (summary.fails, "false", Tint::Red),
        (summary.undecided, "maybe", Tint::Yellow),
        (summary.errors, if summary.errors == 1 { "error" } else { "errors" }, Tint::Red),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, word, tint)| paint.with(tint, &format!("{count} {word}")))
        .collect();
    format!("{total} {properties}: {}\n", parts.join(", "))
}
