//! One line per finding: for people, or in the JSON of rustc's diagnostics as cargo wraps them.

use std::path::Path;

use serde_json::{Value, json};

use super::causes::Cause;
use super::paint::Paint;
use super::text::{self, said};
use super::{Entry, FileReport, Remark, Unit};
use crate::lints::Lint;
use crate::pipeline::Verdict;
use crate::source::{Severity, SourceFile, Span};

/// `FILE:LINE:COLUMN: warning[LINT]: what`
pub fn short(report: &FileReport, entry: &Entry) -> String {
    let (line, column) = entry.span.map_or((1, 1), |span| report.source.place(span));
    let file = entry.span.map_or(&report.name, |span| &report.source.of(span).name);
    let lint = entry.lint.map_or("property", Lint::name);
    format!("{file}:{line}:{column}: {}[{lint}]: {}\n", level(entry), said(entry))
}

/// What rustc calls a level.
pub fn level(entry: &Entry) -> &'static str {
    match entry.verdict {
        Verdict::Maybe => "note",
        _ => entry.severity(),
    }
}

/// A finding as cargo passes one on.
pub fn finding(report: &FileReport, cause: &Cause<'_>) -> String {
    let entry = cause.first;
    let mut children: Vec<Value> = Vec::new();
    children.extend(entry.advice.call.iter().map(|call| child("note", &format!("fails in: {call}"))));
    children.extend(entry.advice.guard.iter().map(|guard| child("help", guard)));
    let others = cause.others.iter().filter_map(|entry| entry.span);
    let spans: Vec<Value> = others.map(|at| span(&report.source, at, false, "here, too")).collect();
    if !spans.is_empty() {
        let mut also = child("note", "the same happens in other places");
        also["spans"] = spans.into();
        children.push(also);
    }
    let message = json!({
        "$message_type": "diagnostic",
        "message": said(entry),
        "code": { "code": format!("kleene::{}", entry.lint.map_or("property", Lint::name)), "explanation": null },
        "level": level(entry),
        "spans": entry.span.map(|at| span(&report.source, at, true, "")).into_iter().collect::<Vec<_>>(),
        "children": children,
        "rendered": text::finding(report, cause, Paint::Plain),
    });
    wrapped(&report.name, report.unit.as_ref(), message)
}

/// What is wrong with a file, or with the call.
pub fn remark(unit: Option<&Unit>, remark: &Remark) -> String {
    let diagnostic = &remark.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let at = remark.file.as_ref().zip(diagnostic.span);
    let message = json!({
        "$message_type": "diagnostic",
        "message": diagnostic.message,
        "code": null,
        "level": level,
        "spans": at.map(|(file, at)| span(file, at, true, "")).into_iter().collect::<Vec<_>>(),
        "children": diagnostic.help.iter().map(|help| child("help", help)).collect::<Vec<_>>(),
        "rendered": super::snippet::remark(remark, Paint::Plain),
    });
    wrapped(remark.file_name().unwrap_or_default(), unit, message)
}

/// The last line: consumers wait for it.
pub fn finished(success: bool) -> String {
    json!({ "reason": "build-finished", "success": success }).to_string() + "\n"
}

fn child(level: &str, message: &str) -> Value {
    json!({ "message": message, "code": null, "level": level, "spans": [], "children": [], "rendered": null })
}

fn wrapped(name: &str, unit: Option<&Unit>, message: Value) -> String {
    let whole = |path: &str| {
        let path = Path::new(path);
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
    };
    let stem = Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let (id, manifest, target, kind, root, edition) = match unit {
        Some(unit) => (
            unit.package_id.clone(),
            unit.manifest.clone(),
            unit.target.clone(),
            unit.kind.clone(),
            whole(&unit.root),
            unit.edition.as_str(),
        ),
        // A file by itself is its own package.
        None => (format!("file://{}", whole(name)), whole(name), stem, "bin".into(), whole(name), "2024"),
    };
    let line = json!({
        "reason": "compiler-message",
        "package_id": id,
        "manifest_path": manifest,
        "target": {
            "kind": [kind], "crate_types": [kind], "name": target, "src_path": root, "edition": edition,
            "doc": true, "doctest": false, "test": true,
        },
        "message": message,
    });
    line.to_string() + "\n"
}

/// A place as rustc writes one: bytes from 0, lines and columns from 1, the end behind the last character.
fn span(source: &SourceFile, at: Span, is_primary: bool, label: &str) -> Value {
    let file = source.of(at);
    let end = at.end.max(at.start);
    let ((line_start, column_start), (line_end, column_end)) = (file.position(at.start), file.position(end));
    let text: Vec<Value> = (line_start..=line_end)
        .map(|line| {
            let text = file.line_text(line);
            let first = if line == line_start { column_start } else { 1 };
            let last = if line == line_end { column_end } else { text.chars().count() as u32 + 1 };
            json!({ "text": text, "highlight_start": first, "highlight_end": last })
        })
        .collect();
    json!({
        "file_name": file.name,
        "byte_start": at.start, "byte_end": end,
        "line_start": line_start, "line_end": line_end,
        "column_start": column_start, "column_end": column_end,
        "is_primary": is_primary,
        "text": text,
        "label": (!label.is_empty()).then_some(label),
        "suggested_replacement": null, "suggestion_applicability": null, "expansion": null,
    })
}
