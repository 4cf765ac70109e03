//! SARIF 2.1.0: one run, a rule per lint, a result per finding, runs of the program as code flows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::identity::Identity;
use super::lines::level;
use super::text::said;
use super::{Backing, Entry, FileReport, Remark};
use crate::evidence::{Evidence, Run};
use crate::lints::{self, Lint};
use crate::pipeline::Verdict;
use crate::source::{Severity, SourceFile, Span};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Places of a run that are named.
const MOST_STEPS: usize = 100;

/// The whole log. `is_told` says which entries are results.
pub fn log(
    files: &[FileReport],
    remarks: &[Remark],
    is_told: &dyn Fn(&Entry) -> bool,
    is_successful: bool,
) -> Value {
    let mut counts: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut results = Vec::new();
    for file in files {
        for entry in file.entries.iter().filter(|entry| is_told(entry)) {
            results.push(result(file, entry, &mut counts));
        }
    }
    let remarks = remarks.iter().chain(files.iter().flat_map(|file| &file.remarks));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Kleene",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": is_successful,
                "toolExecutionNotifications": remarks.map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    })
}

fn rules() -> Vec<Value> {
    let property = json!({
        "id": "property",
        "shortDescription": { "text": "A property of a property file or of the call" },
        "help": { "text": "A temporal property that does not hold." },
        "defaultConfiguration": { "level": "error" },
    });
    let of_lint = |lint: Lint| {
        let page = lints::explain(lint);
        json!({
            "id": lint.name(),
            "shortDescription": { "text": lints::summary(lint) },
            "fullDescription": { "text": lints::summary(lint) },
            "help": { "text": page, "markdown": format!("```text\n{page}```\n") },
            "defaultConfiguration": { "level": "warning", "enabled": lint.is_on_by_default() },
        })
    };
    Lint::ALL.into_iter().map(of_lint).chain([property]).collect()
}

fn result(file: &FileReport, entry: &Entry, counts: &mut BTreeMap<Identity, usize>) -> Value {
    let rule = entry.lint.map_or("property", Lint::name);
    let index =
        entry.lint.and_then(|lint| Lint::ALL.iter().position(|own| *own == lint)).unwrap_or(Lint::ALL.len());
    let mut message = said(entry);
    if let Some(call) = &entry.advice.call {
        message += &format!("\nfails in: {call}");
    }
    if let Some(guard) = &entry.advice.guard {
        message += &format!("\nhelp: {guard}");
    }
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "kind": if entry.verdict == Verdict::Maybe { "review" } else { "fail" },
        // A result that is not `fail` has no level.
        "level": if entry.verdict == Verdict::Maybe { "none" } else { level(entry) },
        "message": { "text": message },
        "locations": [location(file, entry)],
    });
    if let Some(identity) = Identity::of(file, entry) {
        let ordinal = counts.entry(identity.clone()).or_insert(0);
        result["partialFingerprints"] = json!({ "kleene/v1": identity.fingerprint(*ordinal) });
        *ordinal += 1;
    }
    if let Some(reason) = &entry.suppressed {
        result["suppressions"] =
            json!([{ "kind": "inSource", "status": "accepted", "justification": reason }]);
    }
    if entry.known {
        result["baselineState"] = "unchanged".into();
        result["suppressions"] =
            json!([{ "kind": "external", "status": "accepted", "justification": "in the baseline" }]);
    }
    if let Backing::Program(Evidence::Run(run) | Evidence::Mixed { run, .. }) = &entry.backing
        && !run.steps.is_empty()
    {
        result["codeFlows"] = json!([code_flow(run, &file.source)]);
    }
    result
}

fn location(file: &FileReport, entry: &Entry) -> Value {
    let mut location = match entry.span {
        Some(span) => json!({ "physicalLocation": physical(&file.source, span) }),
        None => json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&file.name) } } }),
    };
    if let Some(function) = &entry.function {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": function, "kind": "function" }]);
    }
    location
}

fn physical(source: &SourceFile, span: Span) -> Value {
    let file = source.of(span);
    let ((line, column), (end_line, end_column)) =
        (file.position(span.start), file.position(span.end.max(span.start)));
    json!({
        "artifactLocation": { "uri": uri(&file.name) },
        "region": {
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
            "snippet": { "text": file.snippet(span) },
        },
    })
}

/// The run as places in the order they are passed.
fn code_flow(run: &Run, source: &SourceFile) -> Value {
    let skipped = run.steps.len().saturating_sub(MOST_STEPS);
    let steps = run.steps.iter().skip(skipped).map(|step| {
        let drawn = step.inputs.iter().map(|(name, value)| format!("{name} ← {value}"));
        let changed = step.shown.iter().map(|(name, value)| format!("{name} = {value}"));
        let outcome = step.outcome.iter().cloned();
        let words: Vec<String> = drawn.chain(changed).chain(outcome).collect();
        let text = if words.is_empty() { "goes on".to_string() } else { words.join(", ") };
        json!({
            "location": { "physicalLocation": physical(source, step.span), "message": { "text": text } },
            "executionOrder": step.index + 1,
        })
    });
    let shown = run.start.shown.iter().map(|shown| format!("{} = {}", shown.name, shown.value));
    let start: Vec<String> = shown.collect();
    let start =
        if start.is_empty() { "a run".to_string() } else { format!("a run with {}", start.join(", ")) };
    json!({ "message": { "text": start }, "threadFlows": [{ "locations": steps.collect::<Vec<_>>() }] })
}

fn notification(remark: &Remark) -> Value {
    let level = match remark.diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut notification = json!({ "level": level, "message": { "text": remark.diagnostic.message } });
    if let (Some(file), Some(span)) = (&remark.file, remark.diagnostic.span) {
        notification["locations"] = json!([{ "physicalLocation": physical(file, span) }]);
    }
    notification
}

/// A path as part of a URI: what is no letter, digit or one of a few signs is a percent code.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(byte as char)
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    if path.starts_with('/') { format!("file://{text}") } else { text }
}
