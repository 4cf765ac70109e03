//! Evidence as JSON: every object says its `kind` first.

use kleene_domains::Int;
use serde_json::{Value, json};

use crate::evidence::{Cause, Evidence, Obligation, Proof, Run, RunStep, Strategy};
use crate::ir::print;
use crate::report::{Backing, ModelEvidence};
use crate::source::{SourceFile, Span};

pub fn value(backing: &Backing, source: &SourceFile) -> Value {
    match backing {
        Backing::Program(evidence) => program(evidence, source),
        Backing::Model(evidence) => model(evidence),
    }
}

fn program(evidence: &Evidence, source: &SourceFile) -> Value {
    match evidence {
        Evidence::Run(run) => kinded("run", self::run(run, source)),
        Evidence::Strategy(strategy) => kinded("strategy", self::strategy(strategy, source)),
        Evidence::Proof(proof) => kinded("proof", self::proof(proof, source)),
        Evidence::Mixed { run, then } => {
            kinded("mixed", json!({ "run": self::run(run, source), "then": self::proof(then, source) }))
        }
        Evidence::Cause(cause) => kinded("cause", self::cause(cause, source)),
        Evidence::None => Value::Null,
    }
}

fn kinded(kind: &str, contents: Value) -> Value {
    let mut object = serde_json::Map::new();
    object.insert("kind".into(), kind.into());
    if let Value::Object(contents) = contents {
        object.extend(contents);
    }
    Value::Object(object)
}

/// A JSON number where every reader can hold it, else its digits.
fn number(value: &Int) -> Value {
    value.to_i64().map_or_else(|| value.to_string().into(), Value::from)
}

/// A list, because one step may draw for the same name twice.
fn values(values: &[(String, Int)]) -> Value {
    values.iter().map(|(name, value)| json!({ "name": name, "value": number(value) })).collect()
}

fn place(span: Span, source: &SourceFile) -> (u32, u32) {
    source.place(span)
}

/// Values as the source writes them, where that is more than the numbers say.
fn with_words(mut value: Value, words: Vec<(&str, &str)>, numbers: &[(String, Int)]) -> Value {
    let plain: Vec<(&str, String)> =
        numbers.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
    let same = plain.iter().map(|(name, value)| (*name, value.as_str())).eq(words.iter().copied());
    if !same && let Value::Object(object) = &mut value {
        let words = words.iter().map(|(name, value)| json!({ "name": name, "value": value }));
        object.insert("shown".into(), words.collect());
    }
    value
}

/// What stands in the file of a module says so.
fn placed(mut value: Value, span: Span, source: &SourceFile) -> Value {
    if !source.is_own(span)
        && let Value::Object(object) = &mut value
    {
        object.insert("file".into(), source.of(span).name.clone().into());
    }
    value
}

fn run(run: &Run, source: &SourceFile) -> Value {
    let step = |step: &RunStep| {
        let (line, column) = place(step.span, source);
        let value = json!({
            "index": step.index,
            "line": line,
            "column": column,
            "what": print::step(step.what),
            "inputs": values(&step.inputs),
            "changes": values(&step.changes),
            "outcome": step.outcome,
        });
        let shown = step.shown.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        placed(with_words(value, shown.collect(), &step.changes), step.span, source)
    };
    let value = json!({
        "initial": values(&run.initial),
        "steps": run.steps.iter().map(step).collect::<Vec<_>>(),
        "cycle": run.cycle,
        "length": run.length,
        "conclusion": run.conclusion,
    });
    let shown = run.shown.iter().map(|shown| (shown.name.as_str(), shown.value.as_str()));
    with_words(value, shown.collect(), &run.initial)
}

fn strategy(strategy: &Strategy, source: &SourceFile) -> Value {
    json!({
        "cells": strategy.cells,
        "must_edges": strategy.must_edges,
        "example": strategy.example.as_ref().map(|example| run(example, source)),
    })
}

fn proof(proof: &Proof, source: &SourceFile) -> Value {
    let invariant = |(span, known): &(Span, String)| {
        let (line, column) = place(*span, source);
        placed(json!({ "line": line, "column": column, "known": known }), *span, source)
    };
    json!({
        "cells": proof.cells,
        "may_edges": proof.may_edges,
        "rankings": proof.rankings,
        "invariants": proof.invariants.iter().map(invariant).collect::<Vec<_>>(),
    })
}

fn cause(cause: &Cause, source: &SourceFile) -> Value {
    let at = cause.span.map(|span| place(span, source));
    let value = |(name, value): &(String, String)| json!({ "name": name, "value": value });
    let step = |span: &Span| {
        let (line, column) = place(*span, source);
        placed(json!({ "line": line, "column": column }), *span, source)
    };
    let attempt = |attempt: &crate::evidence::Attempt| json!({ "precision": attempt.precision, "cells": attempt.cells, "limit": attempt.limit });
    let value = json!({
        "cause": cause.kind.name(),
        "line": at.map(|(line, _)| line),
        "column": at.map(|(_, column)| column),
        "message": cause.message,
        "values": cause.values.iter().map(value).collect::<Vec<_>>(),
        "relations": cause.relations,
        "path": cause.path.iter().map(step).collect::<Vec<_>>(),
        "help": cause.help,
        "holds_if": cause.holds_if,
        "fails_if": cause.fails_if,
        "obligation": cause.obligation.as_ref().map(|obligation| self::obligation(obligation, source)),
        "tried": cause.tried.iter().map(attempt).collect::<Vec<_>>(),
    });
    match cause.span {
        Some(span) => placed(value, span, source),
        None => value,
    }
}

fn obligation(obligation: &Obligation, source: &SourceFile) -> Value {
    let input = |(name, span): &(String, Span)| {
        let (line, column) = place(*span, source);
        json!({ "name": name, "line": line, "column": column })
    };
    json!({
        "reached_if": obligation.reached_if,
        "undecided": obligation.undecided,
        "inputs": obligation.inputs.iter().map(input).collect::<Vec<_>>(),
    })
}

fn model(evidence: &ModelEvidence) -> Value {
    match evidence {
        ModelEvidence::Path { states, cycle } => {
            kinded("run", json!({ "states": states, "cycle": cycle, "length": states.len() }))
        }
        ModelEvidence::Whole => kinded("proof", json!({})),
        ModelEvidence::Cause { kind, state, message, path } => {
            kinded("cause", json!({ "cause": kind, "state": state, "message": message, "path": path }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_64_bits_are_strings() {
        let large: Int = "9223372036854775808".parse().expect("digits");
        assert_eq!(number(&Int::from(-5)), json!(-5));
        assert_eq!(number(&Int::from(i64::MAX)), json!(i64::MAX));
        assert_eq!(number(&large), json!("9223372036854775808"));
    }

    #[test]
    fn the_kind_comes_first() {
        let path = ModelEvidence::Path { states: vec!["a".into()], cycle: Some(0) };
        let text = serde_json::to_string(&model(&path)).expect("plain data");
        assert_eq!(text, r#"{"kind":"run","states":["a"],"cycle":0,"length":1}"#);
    }
}
