//! Evidence as JSON: every object says its `kind` first.

use kleene_domains::Int;
use serde::{Serialize, Serializer};

use crate::evidence::{self as plain, Cause, RunStep};
use crate::ir::print;
use crate::report::{Backing, ModelEvidence};
use crate::source::{SourceFile, Span};

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Evidence<'e> {
    Run(Run<'e>),
    Strategy(Strategy<'e>),
    Proof(Proof<'e>),
    Mixed {
        run: Run<'e>,
        then: Proof<'e>,
    },
    Cause(Box<Open<'e>>),
    #[serde(rename = "run")]
    Path {
        states: &'e [String],
        cycle: Option<usize>,
        length: usize,
    },
    #[serde(rename = "proof")]
    Whole,
    #[serde(rename = "cause")]
    OpenState {
        cause: &'e str,
        state: &'e str,
        message: &'e str,
        path: &'e [String],
    },
}

/// `None`: nothing stands behind it.
pub fn value<'e>(backing: &'e Backing, source: &'e SourceFile) -> Option<Evidence<'e>> {
    match backing {
        Backing::Program(evidence) => program(evidence, source),
        Backing::Model(evidence) => Some(model(evidence)),
    }
}

fn program<'e>(evidence: &'e plain::Evidence, source: &'e SourceFile) -> Option<Evidence<'e>> {
    Some(match evidence {
        plain::Evidence::Run(run) => Evidence::Run(Run::of(run, source)),
        plain::Evidence::Strategy(strategy) => Evidence::Strategy(Strategy {
            cells: strategy.cells,
            must_edges: strategy.must_edges,
            example: strategy.example.as_ref().map(|example| Run::of(example, source)),
        }),
        plain::Evidence::Proof(proof) => Evidence::Proof(Proof::of(proof, source)),
        plain::Evidence::Mixed { run, then } => {
            Evidence::Mixed { run: Run::of(run, source), then: Proof::of(then, source) }
        }
        plain::Evidence::Cause(cause) => Evidence::Cause(Box::new(Open::of(cause, source))),
        plain::Evidence::None => return None,
    })
}

fn model(evidence: &ModelEvidence) -> Evidence<'_> {
    match evidence {
        ModelEvidence::Path { states, cycle } => {
            Evidence::Path { states, cycle: *cycle, length: states.len() }
        }
        ModelEvidence::Whole => Evidence::Whole,
        ModelEvidence::Cause { kind, state, message, path } => {
            Evidence::OpenState { cause: kind, state, message, path }
        }
    }
}

/// A JSON number where every reader can hold it, else its digits.
struct Number<'e>(&'e Int);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_i64() {
            Some(value) => serializer.serialize_i64(value),
            None => serializer.collect_str(self.0),
        }
    }
}

/// An element of a list, because one step may draw for the same name twice.
#[derive(Serialize)]
struct Named<'e, T> {
    name: &'e str,
    value: T,
}

type Numbers<'e> = Vec<Named<'e, Number<'e>>>;
type Words<'e> = Vec<Named<'e, &'e str>>;

fn numbers(values: &[(String, Int)]) -> Numbers<'_> {
    values.iter().map(|(name, value)| Named { name, value: Number(value) }).collect()
}

/// Values as the source writes them, where that is more than the numbers say.
fn words<'e>(
    words: impl ExactSizeIterator<Item = (&'e str, &'e str)>,
    numbers: &[(String, Int)],
) -> Option<Words<'e>> {
    let count = words.len();
    let words: Words<'e> = words.map(|(name, value)| Named { name, value }).collect();
    let mut pairs = words.iter().zip(numbers);
    let same = count == numbers.len()
        && pairs.all(|(word, (name, value))| word.name == name && word.value == value.to_string());
    (!same).then_some(words)
}

/// Where something stands.
#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

impl Place {
    fn of(span: Span, source: &SourceFile) -> Self {
        let (line, column) = source.place(span);
        Self { line, column }
    }
}

/// What stands in the file of a module says so.
fn module(span: Span, source: &SourceFile) -> Option<&str> {
    (!source.is_own(span)).then(|| source.of(span).name.as_str())
}

#[derive(Serialize)]
pub struct Run<'e> {
    initial: Numbers<'e>,
    steps: Vec<Step<'e>>,
    cycle: Option<usize>,
    length: usize,
    conclusion: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<Words<'e>>,
}

impl<'e> Run<'e> {
    fn of(run: &'e plain::Run, source: &'e SourceFile) -> Self {
        let shown = run.start.shown.iter().map(|shown| (shown.name.as_str(), shown.value.as_str()));
        Self {
            initial: numbers(&run.start.initial),
            steps: run.steps.iter().map(|step| Step::of(step, source)).collect(),
            cycle: run.cycle,
            length: run.length,
            conclusion: &run.conclusion,
            shown: words(shown, &run.start.initial),
        }
    }
}

#[derive(Serialize)]
struct Step<'e> {
    index: usize,
    #[serde(flatten)]
    place: Place,
    what: &'e str,
    inputs: Numbers<'e>,
    changes: Numbers<'e>,
    outcome: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<Words<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'e str>,
}

impl<'e> Step<'e> {
    fn of(step: &'e RunStep, source: &'e SourceFile) -> Self {
        let shown = step.shown.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self {
            index: step.index,
            place: Place::of(step.span, source),
            what: print::step(step.what),
            inputs: numbers(&step.inputs),
            changes: numbers(&step.changes),
            outcome: step.outcome.as_deref(),
            shown: words(shown, &step.changes),
            file: module(step.span, source),
        }
    }
}

#[derive(Serialize)]
pub struct Strategy<'e> {
    cells: usize,
    must_edges: usize,
    example: Option<Run<'e>>,
}

#[derive(Serialize)]
pub struct Proof<'e> {
    cells: usize,
    may_edges: usize,
    rankings: usize,
    invariants: Vec<Invariant<'e>>,
}

#[derive(Serialize)]
struct Invariant<'e> {
    #[serde(flatten)]
    place: Place,
    known: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'e str>,
}

impl<'e> Proof<'e> {
    fn of(proof: &'e plain::Proof, source: &'e SourceFile) -> Self {
        let invariants = proof.invariants.iter().map(|(span, known)| Invariant {
            place: Place::of(*span, source),
            known,
            file: module(*span, source),
        });
        Self {
            cells: proof.cells,
            may_edges: proof.may_edges,
            rankings: proof.rankings,
            invariants: invariants.collect(),
        }
    }
}

/// A cause.
#[derive(Serialize)]
pub struct Open<'e> {
    cause: &'e str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'e str,
    values: Words<'e>,
    relations: &'e [String],
    path: Vec<Passed<'e>>,
    help: Option<&'e str>,
    holds_if: Option<&'e str>,
    fails_if: Option<&'e str>,
    obligation: Option<Obligation<'e>>,
    tried: Vec<Attempt<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'e str>,
}

#[derive(Serialize)]
struct Passed<'e> {
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'e str>,
}

#[derive(Serialize)]
struct Attempt<'e> {
    precision: &'e str,
    cells: usize,
    limit: Option<&'e str>,
}

impl<'e> Open<'e> {
    fn of(cause: &'e Cause, source: &'e SourceFile) -> Self {
        let at = cause.span.map(|span| Place::of(span, source));
        let passed = |span: &Span| Passed { place: Place::of(*span, source), file: module(*span, source) };
        let attempt = |attempt: &'e plain::Attempt| Attempt {
            precision: attempt.precision,
            cells: attempt.cells,
            limit: attempt.limit.as_deref(),
        };
        Self {
            cause: cause.kind.name(),
            line: at.as_ref().map(|at| at.line),
            column: at.as_ref().map(|at| at.column),
            message: &cause.message,
            values: cause.values.iter().map(|(name, value)| Named { name, value: value.as_str() }).collect(),
            relations: &cause.relations,
            path: cause.path.iter().map(passed).collect(),
            help: cause.help.as_deref(),
            holds_if: cause.holds_if.as_deref(),
            fails_if: cause.fails_if.as_deref(),
            obligation: cause.obligation.as_ref().map(|obligation| Obligation::of(obligation, source)),
            tried: cause.tried.iter().map(attempt).collect(),
            file: cause.span.and_then(|span| module(span, source)),
        }
    }
}

#[derive(Serialize)]
struct Obligation<'e> {
    reached_if: &'e [String],
    undecided: &'e [String],
    inputs: Vec<Drawn<'e>>,
}

#[derive(Serialize)]
struct Drawn<'e> {
    name: &'e str,
    #[serde(flatten)]
    place: Place,
}

impl<'e> Obligation<'e> {
    fn of(obligation: &'e plain::Obligation, source: &SourceFile) -> Self {
        let drawn = |(name, span): &'e (String, Span)| Drawn { name, place: Place::of(*span, source) };
        Self {
            reached_if: &obligation.reached_if,
            undecided: &obligation.undecided,
            inputs: obligation.inputs.iter().map(drawn).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_beyond_64_bits_are_strings() {
        let large: Int = "9223372036854775808".parse().expect("digits");
        let written = |value: &Int| serde_json::to_value(Number(value)).expect("a number");
        assert_eq!(written(&Int::from(-5)), json!(-5));
        assert_eq!(written(&Int::from(i64::MAX)), json!(i64::MAX));
        assert_eq!(written(&large), json!("9223372036854775808"));
    }

    #[test]
    fn the_kind_comes_first() {
        let path = ModelEvidence::Path { states: vec!["a".into()], cycle: Some(0) };
        let text = serde_json::to_string(&model(&path)).expect("plain data");
        assert_eq!(text, r#"{"kind":"run","states":["a"],"cycle":0,"length":1}"#);
    }
}
