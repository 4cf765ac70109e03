//! Evidence as a file: everything needed to check a definite verdict again (`docs/evidence.md`).
//!
//! Plain data with a stable JSON form. Made by the pipeline, read by `verify`, which believes none of it.

mod term;

use std::fmt;
use std::str::FromStr;

use kleene_domains::Int;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::frontend::rust::RustOptions;

pub const SCHEMA: &str = "kleene-evidence/1";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub schema: String,
    pub entries: Vec<Entry>,
}

/// One definite verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub program: ProgramText,
    pub question: Question,
    pub verdict: bool,
    pub evidence: Body,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramText {
    /// Relative to the evidence file.
    pub path: String,
    pub sha256: String,
    /// Digests of the files of its modules, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
}

/// What was asked, in the words of the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub formula: String,
    pub lang: String,
    pub entry: String,
    pub ints: String,
    pub arith: String,
    pub granularity: String,
    pub watch: Vec<String>,
    pub assume: Option<String>,
    /// How Rust was read, where that is not the usual way.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub rust: RustOptions,
}

fn is_usual(rust: &RustOptions) -> bool {
    *rust == RustOptions::default()
}

/// What stands behind the verdict: a run, a model, or a run into a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
}

/// A concrete initial state: the slots of the globals and of the entry function's frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    pub globals: Vec<Number>,
    pub locals: Vec<Number>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub start: Start,
    /// Per step the values drawn in it.
    pub inputs: Vec<Vec<Number>>,
    /// The last state is the state after this many steps: the run goes round for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
}

/// Cells, the edges between them that matter, and what is claimed of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub contexts: Vec<Context>,
    /// What calls do to globals, as far as returns from summaries need it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<Offset>,
    pub cells: Vec<Cell>,
    /// For a True: the cells that hold every initial state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<usize>,
    /// A concrete initial state and its cell: where a False is false, and for a True that there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Located>,
    /// The cell of the run's last state, where there is a run into the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<usize>,
    pub claims: Vec<Claims>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<Loop>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Located {
    pub cell: usize,
    pub state: Start,
}

/// Who called the code that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Context {
    /// The entry function; always the first context.
    Root,
    /// A whole call string: an earlier context and the call's edge in its function.
    Call { caller: usize, edge: usize },
    /// All calls of a function that have no context of their own.
    Summary { function: String },
}

/// A call of the function adds `by` to a global.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offset {
    pub function: String,
    pub slot: u32,
    pub by: Number,
    /// How far it is from what it was at the function's entry, by location.
    pub at: Vec<(usize, Number)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    pub context: usize,
    pub at: At,
    /// What is known of single slots.
    pub values: Vec<Values>,
    /// What is known of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// What else holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Comparison>,
    /// All successors, where a claim needs them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<Must>,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum At {
    Location(usize),
    Failed(String),
    Stopped,
    Discarded,
    Stuck,
}

/// A slot's value lies in one of the parts and is `residue` modulo `modulus`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    pub slot: u32,
    /// From and to, inclusive; `null` is infinite.
    pub parts: Vec<(Option<Number>, Option<Number>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congruence: Option<Congruence>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Congruence {
    pub modulus: Number,
    pub residue: Number,
}

/// Σ factor·slot + constant is 0, or at least 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    pub is: Sign,
    pub form: Linear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    Zero,
    AtLeastZero,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    pub terms: Vec<(u32, Number)>,
    pub constant: Number,
}

/// An operator of comparison and its two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison(pub String, pub Term, pub Term);

/// A number, a slot, or an operator and its two operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Term {
    Number(Number),
    Slot { slot: u32 },
    Apply(String, Box<Term>, Box<Term>),
}

/// Every state of the cell has a step into one of these cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Must {
    pub to: Vec<usize>,
    /// Values to draw, one list per attempt; none where the step draws nothing or every draw does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<Vec<Drawn>>,
}

/// A value to draw: always the same, or that of a sum over the slots before the step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Drawn {
    Number(Number),
    Sum(Linear),
}

/// The cells in which a subformula has a value. Subformulas are numbered in post order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    pub formula: usize,
    pub value: bool,
    pub cells: Vec<Held>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    pub cell: usize,
    /// In least fixpoints: successors have smaller ranks, or the same inside a loop that is left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rank: usize,
    /// Which must edge is chosen; none: all successors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub must: Option<usize>,
}

fn is_zero(rank: &usize) -> bool {
    *rank == 0
}

/// Why no run stays in the cells of one rank for ever.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Index into `claims`.
    pub claims: usize,
    pub rank: usize,
    #[serde(default, skip_serializing_if = "is_plain")]
    pub calls: Calls,
    pub rankings: Vec<Ranking>,
}

/// Which transitions a loop has where it calls into summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// Its steps, returns included.
    #[default]
    WithReturns,
    /// Into calls and over them, without returns.
    Apart,
}

fn is_plain(calls: &Calls) -> bool {
    *calls == Calls::WithReturns
}

/// Functions of the cells of a component, phase by phase (`docs/evidence.md`).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    pub phases: Vec<Vec<Piece>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    pub cells: Vec<usize>,
    pub form: Linear,
}

/// An integer: a JSON number where it fits into 64 bits, else its decimal digits in a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(pub Int);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_i64() {
            Some(small) => serializer.serialize_i64(small),
            None => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Digits)
    }
}

struct Digits;

impl Visitor<'_> for Digits {
    type Value = Number;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an integer")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(Int::from(value)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        Int::from_str(text).map(Number).map_err(E::custom)
    }
}

impl Document {
    pub fn new(entries: Vec<Entry>) -> Self {
        Self { schema: SCHEMA.into(), entries }
    }

    /// One line per entry, the same for the same input.
    pub fn to_json(&self) -> String {
        let lines: Vec<String> = self.entries.iter().map(json).collect();
        format!("{{\"schema\":{},\"entries\":[\n{}\n]}}\n", json(&self.schema), lines.join(",\n"))
    }

    /// Reads what `to_json` writes; the error says where the text is wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let document: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if document.schema != SCHEMA {
            return Err(format!("unknown schema `{}`: this program reads `{SCHEMA}`", document.schema));
        }
        Ok(document)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}
