//! The report for machines: schema `kleene/1`, field for field in the documented order.
//!
//! Everything but `seconds` is a function of the input.

mod evidence;

use rayon::prelude::*;
use serde::Serialize;

use super::{Entry, FileReport, Remark, Summary};
use crate::lints::Lint;
use crate::source::{Severity, SourceFile};

#[derive(Serialize)]
struct Result<'r> {
    id: String,
    file: &'r str,
    line: u32,
    column: u32,
    function: Option<&'r str>,
    property: &'r str,
    lint: Option<&'r str>,
    granularity: &'r str,
    verdict: &'r str,
    severity: &'r str,
    level: &'r str,
    seconds: f64,
    model: Size,
    vacuous: Option<bool>,
    evidence: Option<evidence::Evidence<'r>>,
    message: Option<&'r str>,
    solver: Option<&'r str>,
}

#[derive(Serialize)]
struct Size {
    cells: usize,
    may: usize,
    must: usize,
}

#[derive(Serialize)]
struct Place<'r> {
    file: Option<&'r str>,
    line: Option<u32>,
    column: Option<u32>,
    severity: &'r str,
    message: &'r str,
    help: Option<&'r str>,
}

/// The whole object. `remarks` are those on the call; files bring their own.
pub fn document(files: &[FileReport], remarks: &[Remark]) -> String {
    let mut summary = Summary::default();
    let mut results = Vec::new();
    let mut diagnostics: Vec<String> = remarks.iter().map(diagnostic).collect();
    for file in files {
        diagnostics.extend(file.remarks.iter().map(diagnostic));
        results.par_extend(
            file.entries.par_iter().enumerate().map(|(index, entry)| result(file, entry, index + 1)),
        );
        for entry in &file.entries {
            summary.add(entry.verdict);
            diagnostics.extend(entry.surprise().iter().map(diagnostic));
        }
    }
    let Summary { holds, fails, undecided, errors } = summary;
    format!(
        "{{\"schema\":\"kleene/1\",\n \"results\":{},\n \"diagnostics\":{},\n \
         \"summary\":{{\"true\":{holds},\"false\":{fails},\"maybe\":{undecided},\"errors\":{errors}}}}}\n",
        list(&results),
        list(&diagnostics),
    )
}

/// One element a line.
fn list(elements: &[String]) -> String {
    match elements {
        [] => "[]".into(),
        _ => format!("[\n  {}]", elements.join(",\n  ")),
    }
}

fn line_of<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data without maps of its own")
}

fn result(file: &FileReport, entry: &Entry, number: usize) -> String {
    let (line, column) = position(file, entry);
    line_of(&Result {
        id: format!("{}#{number}", file.name),
        file: entry
            .span
            .filter(|span| !file.source.is_own(*span))
            .map_or(&file.name, |span| &file.source.of(span).name),
        line,
        column,
        function: entry.function.as_deref(),
        property: &entry.property,
        lint: entry.lint.map(Lint::name),
        granularity: entry.granularity.name(),
        verdict: entry.verdict.name(),
        severity: entry.severity(),
        level: entry.level.name(),
        seconds: (entry.seconds * 1e6).round() / 1e6,
        model: Size { cells: entry.model.cells, may: entry.model.may, must: entry.model.must },
        vacuous: entry.vacuous,
        evidence: evidence::value(&entry.backing, &file.source),
        message: entry.message.as_deref(),
        solver: entry.solver.as_deref(),
    })
}

/// A file that was not understood has its first mistake for a place.
fn position(file: &FileReport, entry: &Entry) -> (u32, u32) {
    let at = |source: &SourceFile| entry.span.map(|span| source.place(span));
    let first_error = || file.remarks.iter().filter(|remark| remark.is_error()).find_map(Remark::position);
    at(&file.source).or_else(first_error).unwrap_or((1, 1))
}

fn diagnostic(remark: &Remark) -> String {
    let position = remark.position();
    line_of(&Place {
        file: remark.file_name(),
        line: position.map(|(line, _)| line),
        column: position.map(|(_, column)| column),
        severity: match remark.diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: &remark.diagnostic.message,
        help: remark.diagnostic.help.as_deref(),
    })
}
