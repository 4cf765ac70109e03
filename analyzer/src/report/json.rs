//! The report for machines: schema `kleene/1`, field for field in the documented order.
//!
//! Everything but `seconds` is a function of the input.

mod evidence;

use std::io::{self, Write};

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
    /// Only where there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'r str>,
    /// Only where the baseline has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    known: bool,
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

/// Results that are put into words side by side before they are written.
const AT_ONCE: usize = 2_048;

/// The whole object. `remarks` are those on the call; files bring their own. A part of a whole says which one it is.
pub fn write(
    files: &[FileReport],
    remarks: &[Remark],
    partition: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut summary = Summary::default();
    let partition = partition.map_or(String::new(), |part| format!(" \"partition\":\"{part}\",\n"));
    let mut results = List::new(out, &format!("{{\"schema\":\"kleene/1\",\n{partition} \"results\":"))?;
    for file in files {
        for (block, entries) in file.entries.chunks(AT_ONCE).enumerate() {
            let numbered = entries.par_iter().enumerate();
            let lines: Vec<String> =
                numbered.map(|(at, entry)| result(file, entry, block * AT_ONCE + at + 1)).collect();
            lines.iter().try_for_each(|line| results.add(line))?;
        }
    }
    results.end()?;
    let mut diagnostics = List::new(out, ",\n \"diagnostics\":")?;
    remarks.iter().try_for_each(|remark| diagnostics.add(&diagnostic(remark)))?;
    for file in files {
        file.remarks.iter().try_for_each(|remark| diagnostics.add(&diagnostic(remark)))?;
        for entry in &file.entries {
            summary.add(entry.verdict);
            entry.surprise().iter().try_for_each(|remark| diagnostics.add(&diagnostic(remark)))?;
        }
    }
    diagnostics.end()?;
    let Summary { holds, fails, undecided, errors } = summary;
    writeln!(
        out,
        ",\n \"summary\":{{\"true\":{holds},\"false\":{fails},\"maybe\":{undecided},\"errors\":{errors}}}}}"
    )
}

/// A list with one element a line.
struct List<'o> {
    out: &'o mut dyn Write,
    is_empty: bool,
}

impl<'o> List<'o> {
    fn new(out: &'o mut dyn Write, before: &str) -> io::Result<Self> {
        write!(out, "{before}[")?;
        Ok(Self { out, is_empty: true })
    }

    fn add(&mut self, element: &str) -> io::Result<()> {
        let between = if std::mem::take(&mut self.is_empty) { "\n  " } else { ",\n  " };
        self.out.write_all(between.as_bytes())?;
        self.out.write_all(element.as_bytes())
    }

    fn end(self) -> io::Result<()> {
        self.out.write_all(b"]")
    }
}

fn line_of<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data without maps of its own")
}

fn result(file: &FileReport, entry: &Entry, number: usize) -> String {
    let (line, column) = position(file, entry);
    line_of(&Result {
        id: format!("{}#{}", file.name, entry.number.unwrap_or(number)),
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
        suppressed: entry.suppressed.as_deref(),
        call: entry.advice.call.as_deref(),
        help: entry.advice.guard.as_deref(),
        known: entry.known,
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
