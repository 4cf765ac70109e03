//! `kleene merge`: the JSON of all parts of a call, put together as if it had been one.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::arguments::{Colour, JoinedFormat, MergeArguments};
use super::check::paint;
use super::{Exit, files};
use crate::report::{Remark, snippet};

pub fn merge(arguments: &MergeArguments) -> Exit {
    let joined =
        parts(&arguments.files).and_then(|parts| complete(&arguments.files, &parts).map(|()| joined(&parts)));
    match joined {
        Ok(document) => {
            let text = match arguments.format {
                JoinedFormat::Json => document.to_string() + "\n",
                JoinedFormat::Human => told(&document),
            };
            let _ = io::stdout().lock().write_all(text.as_bytes());
            verdict(&document)
        }
        Err(remarks) => {
            let mistakes = paint(Colour::Auto, io::stderr().is_terminal());
            let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
            let _ = io::stderr().lock().write_all(text.as_bytes());
            Exit::Misuse
        }
    }
}

/// One file: its part, if it has one, and what it says.
struct Part {
    place: Option<(usize, usize)>,
    document: Map<String, Value>,
}

fn parts(paths: &[PathBuf]) -> Result<Vec<Part>, Vec<Remark>> {
    let mut parts = Vec::new();
    let mut remarks = Vec::new();
    for path in paths {
        match part(path) {
            Ok(part) => parts.push(part),
            Err(remark) => remarks.push(remark),
        }
    }
    parts.sort_by_key(|part| part.place);
    if remarks.is_empty() { Ok(parts) } else { Err(remarks) }
}

fn part(path: &Path) -> Result<Part, Remark> {
    let wrong = |message: String| Remark::call(format!("{}: {message}", path.display()), None);
    let file = files::read_evidence(path)
        .map_err(|unreadable| Remark::of(&unreadable.source, unreadable.diagnostic.clone()))?;
    let document: Value =
        serde_json::from_str(&file.text).map_err(|error| wrong(format!("this is no JSON: {error}")))?;
    let Value::Object(document) = document else {
        return Err(wrong("this is no result of `kleene lint`".into()));
    };
    if document.get("schema").and_then(Value::as_str) != Some("kleene/1") {
        return Err(wrong("this is no result of `kleene lint --format json`".into()));
    }
    let place = document.get("partition").and_then(Value::as_str).and_then(|text| {
        let (part, of) = text.split_once('/')?;
        Some((part.parse().ok()?, of.parse().ok()?))
    });
    Ok(Part { place, document })
}

/// Every part once, all of the same whole.
fn complete(paths: &[PathBuf], parts: &[Part]) -> Result<(), Vec<Remark>> {
    let wrong = |message: String| Err(vec![Remark::call(message, None)]);
    let places: Option<Vec<(usize, usize)>> = parts.iter().map(|part| part.place).collect();
    let Some(places) = places else {
        // Without parts any files may be put together; with some, one is a stranger.
        return match parts.iter().any(|part| part.place.is_some()) {
            true => wrong("some of the files are parts of a whole and some are not".into()),
            false => Ok(()),
        };
    };
    let Some((_, of)) = places.first().copied() else { return wrong("no file to put together".into()) };
    if places.iter().any(|(_, other)| *other != of) {
        return wrong("the files are parts of different wholes".into());
    }
    let missing: Vec<String> =
        (1..=of).filter(|part| !places.contains(&(*part, of))).map(|part| format!("{part}/{of}")).collect();
    if !missing.is_empty() {
        return wrong(format!("missing: {}", missing.join(", ")));
    }
    if places.len() != of {
        return wrong(format!("{} files for {of} parts: one is there twice", paths.len()));
    }
    Ok(())
}

fn joined(parts: &[Part]) -> Value {
    let list = |key: &str| -> Vec<Value> {
        parts
            .iter()
            .flat_map(|part| part.document.get(key).and_then(Value::as_array).into_iter().flatten().cloned())
            .collect()
    };
    let mut diagnostics: Vec<Value> = Vec::new();
    for diagnostic in list("diagnostics") {
        // Each part says what is wrong with the settings they share.
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    let count = |key: &str| -> u64 {
        let of = |part: &Part| part.document.get("summary").and_then(|summary| summary.get(key)?.as_u64());
        parts.iter().filter_map(of).sum()
    };
    serde_json::json!({
        "schema": "kleene/1",
        "results": in_order(list("results")),
        "diagnostics": diagnostics,
        "summary": { "true": count("true"), "false": count("false"), "maybe": count("maybe"), "errors": count("errors") },
    })
}

/// Several parts may share a target, and count its places as the whole would: those are put in order and counted anew.
fn in_order(mut results: Vec<Value>) -> Vec<Value> {
    let id = |result: &Value| {
        let (root, number) = result["id"].as_str()?.rsplit_once('#')?;
        Some((root.to_string(), number.parse::<usize>().ok()?))
    };
    let root = |result: &Value| id(result).map(|(root, _)| root);
    for shared in results.chunk_by_mut(|left, right| root(left) == root(right)) {
        shared.sort_by_key(|result| id(result).map(|(_, number)| number));
        for (result, number) in shared.iter_mut().zip(1..) {
            if let Some(root) = root(result) {
                result["id"] = format!("{root}#{number}").into();
            }
        }
    }
    results
}

/// Whether a result makes the call fail.
fn counts(result: &Value) -> bool {
    let is_severe = matches!(result["severity"].as_str(), Some("error" | "warning"));
    let is_left = result["suppressed"].is_string() || result["known"] == true;
    result["verdict"] == "false" && is_severe && !is_left
}

fn verdict(document: &Value) -> Exit {
    let list = |key: &str| document[key].as_array().into_iter().flatten();
    if list("diagnostics").any(|diagnostic| diagnostic["severity"] == "error") {
        return Exit::Misuse;
    }
    // Nothing looked at is never fine.
    match list("results").next() {
        None => Exit::Misuse,
        Some(_) if list("results").any(counts) => Exit::Refuted,
        Some(_) => Exit::Fine,
    }
}

/// For people: a line each, and the sum.
fn told(document: &Value) -> String {
    let mut out = String::new();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    for result in document["results"].as_array().into_iter().flatten().filter(|result| counts(result)) {
        let [file, severity, lint, function] =
            ["file", "severity", "lint", "function"].map(|field| word(&result[field]));
        let call = result["call"].as_str().map_or(String::new(), |call| format!(": {call}"));
        out += &format!(
            "{file}:{}:{}: {severity}[{lint}] in `{function}`{call}\n",
            result["line"], result["column"]
        );
    }
    let summary = &document["summary"];
    let total: u64 =
        ["true", "false", "maybe", "errors"].iter().filter_map(|key| summary[key].as_u64()).sum();
    out + &format!(
        "{total} sites: {} true, {} false, {} maybe\n",
        summary["true"], summary["false"], summary["maybe"]
    )
}
