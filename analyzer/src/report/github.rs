//! Annotations as GitHub's runner reads them, and a table for the summary of the step.
//!
//! The runner shows ten of each kind in a step; the others are only in the table.

use std::fmt::Write;

use super::causes::Cause;
use super::lines::level;
use super::text::said;
use super::{Entry, FileReport, Remark};
use crate::lints::Lint;
use crate::source::{Severity, SourceFile, Span};

/// Annotations of one kind that a step can have.
const MOST: usize = 10;

#[derive(Debug, Default)]
pub struct Annotations {
    text: String,
    errors: usize,
    warnings: usize,
    notices: usize,
    left_out: usize,
    rows: String,
}

impl Annotations {
    pub fn finding(&mut self, report: &FileReport, cause: &Cause<'_>) {
        let entry = cause.first;
        let lint = entry.lint.map_or("property", Lint::name);
        let mut message = said(entry);
        if let Some(call) = &entry.advice.call {
            let _ = write!(message, "\nfails in: {call}");
        }
        if let Some(guard) = &entry.advice.guard {
            let _ = write!(message, "\nhelp: {guard}");
        }
        let place = entry.span.map(|span| place(&report.source, span));
        self.row(
            level(entry),
            place.as_ref().map_or(report.name.clone(), |place| format!("{}:{}", place.file, place.line)),
            lint,
            entry,
        );
        self.add(level(entry), place, lint, &message);
    }

    /// What is wrong with the call or a file.
    pub fn remark(&mut self, remark: &Remark) {
        let kind = match remark.diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = remark.file.as_ref().zip(remark.diagnostic.span).map(|(file, span)| place(file, span));
        self.add(kind, place, "kleene", &remark.diagnostic.message);
    }

    fn row(&mut self, level: &str, place: String, lint: &str, entry: &Entry) {
        let function = entry.function.as_deref().unwrap_or("");
        let call = entry.advice.call.as_deref().unwrap_or("").replace('|', "\\|").replace('\n', " ");
        let call = if call.is_empty() { call } else { format!("`{call}`") };
        let _ =
            writeln!(self.rows, "| {level} | `{place}` | {lint} | `{function}` | {} | {call} |", said(entry));
    }

    fn add(&mut self, level: &str, place: Option<Place>, title: &str, message: &str) {
        let (kind, count) = match level {
            "error" => ("error", &mut self.errors),
            "warning" => ("warning", &mut self.warnings),
            _ => ("notice", &mut self.notices),
        };
        *count += 1;
        if *count > MOST {
            self.left_out += 1;
            return;
        }
        let place = place.map_or(String::new(), |place| {
            let Place { file, line, column, end_line, end_column } = place;
            format!(
                "file={},line={line},col={column},endLine={end_line},endColumn={end_column},",
                property(&file)
            )
        });
        let _ = writeln!(self.text, "::{kind} {place}title={}::{}", property(title), escaped(message));
    }

    /// The commands for the runner.
    pub fn commands(&self) -> String {
        let mut text = self.text.clone();
        if self.left_out > 0 {
            let _ =
                writeln!(text, "::notice title=kleene::{} more in the summary of this step", self.left_out);
        }
        text
    }

    /// The table of all of them, and the line that sums up.
    pub fn summary(&self, sites: &str) -> String {
        let table = match self.rows.is_empty() {
            true => String::new(),
            false => format!(
                "| | place | lint | function | what | fails in |\n|---|---|---|---|---|---|\n{}\n",
                self.rows
            ),
        };
        format!("### Kleene\n\n{table}{sites}\n")
    }
}

struct Place {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

fn place(source: &SourceFile, span: Span) -> Place {
    let file = source.of(span);
    let ((line, column), (end_line, end_column)) =
        (file.position(span.start), file.position(span.end.max(span.start)));
    Place { file: file.name.clone(), line, column, end_line, end_column }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
