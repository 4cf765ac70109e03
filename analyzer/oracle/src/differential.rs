//! The comparison: what the reference knows against what the engine under test says.
//!
//! True and False are never allowed to be wrong; Maybe always is. An error where there is a verdict, a
//! verdict where there is an error, and a panic are as wrong as a wrong verdict.

use crate::generate::Case;
use crate::logic::Formula;
use crate::model::{Expected, Granularity, Model};
use crate::reference::Exploration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    True,
    False,
    Maybe,
    Error(String),
    Panic(String),
}

impl Answer {
    pub fn name(&self) -> &'static str {
        match self {
            Answer::True => "True",
            Answer::False => "False",
            Answer::Maybe => "Maybe",
            Answer::Error(_) => "error",
            Answer::Panic(_) => "panic",
        }
    }
}

/// What the engine said about one formula.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub answer: Answer,
    /// The level that decided, as the engine names it.
    pub level: String,
    /// The granularity the report claims; it has to be the one asked for.
    pub granularity: Option<Granularity>,
}

/// The engine under test: one outcome per formula, in order.
pub type Engine<'e> = dyn Fn(&Case) -> Vec<Outcome> + Sync + 'e;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrong {
    Verdict,
    /// An error where the formula has a verdict.
    SpuriousError,
    /// A verdict where the question is an error.
    MissingError,
    Panic,
    /// No outcome, or one about another granularity.
    Report,
}

/// One formula of a case with both answers.
#[derive(Clone, Debug)]
pub struct Judged {
    pub formula: Formula,
    pub expected: Expected,
    pub outcome: Outcome,
    pub wrong: Option<Wrong>,
}

/// Beyond this many nodes the direct construction is left out: it may be quadratic.
const DIRECT: usize = 1_500;

/// The reference's answers, in the order of the formulas. Panics if its two ways disagree.
pub fn reference(case: &Case, exploration: &Exploration) -> Vec<Expected> {
    let model = Model::new(exploration, case.granularity, &case.watch);
    let answer = |formula: &Formula| {
        let expected = model.check(formula);
        if exploration.is_complete() && model.graph.len() <= DIRECT {
            let direct = model.check_direct(formula);
            assert_eq!(expected, direct, "the reference disagrees with itself on {formula} of {case:?}");
        }
        expected
    };
    case.formulas.iter().map(answer).collect()
}

pub fn judge(expected: Expected, outcome: &Outcome, asked: Granularity) -> Option<Wrong> {
    if outcome.granularity.is_some_and(|claimed| claimed != asked) {
        return Some(Wrong::Report);
    }
    match (expected, &outcome.answer) {
        (_, Answer::Panic(_)) => Some(Wrong::Panic),
        // A limit may always end in Maybe; a formula that may not be asked is no limit.
        (Expected::Illegal, Answer::Maybe) => Some(Wrong::MissingError),
        (Expected::Unknown, _) | (_, Answer::Maybe) => None,
        (Expected::True, Answer::True) | (Expected::False, Answer::False) => None,
        (Expected::True | Expected::False, Answer::Error(_)) => Some(Wrong::SpuriousError),
        (Expected::True | Expected::False, _) => Some(Wrong::Verdict),
        (Expected::NoRun | Expected::Undefined | Expected::Illegal, Answer::Error(_)) => None,
        (Expected::NoRun | Expected::Undefined | Expected::Illegal, _) => Some(Wrong::MissingError),
    }
}

/// Asks both sides and compares.
pub fn compare(engine: &Engine<'_>, case: &Case, exploration: &Exploration) -> Vec<Judged> {
    let expected = reference(case, exploration);
    let mut outcomes = guarded(engine, case).into_iter();
    let judged = case.formulas.iter().zip(expected).map(|(formula, expected)| {
        let (outcome, wrong) = match outcomes.next() {
            Some(outcome) => {
                let wrong = judge(expected, &outcome, case.granularity);
                (outcome, wrong)
            }
            None => {
                let answer = Answer::Error("no result".into());
                (Outcome { answer, level: String::new(), granularity: None }, Some(Wrong::Report))
            }
        };
        Judged { formula: formula.clone(), expected, outcome, wrong }
    });
    judged.collect()
}

/// A panic of the engine is an outcome like any other: of every formula if it cannot be told which.
fn guarded(engine: &Engine<'_>, case: &Case) -> Vec<Outcome> {
    let run = |case: &Case| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine(case)));
    if let Ok(outcomes) = run(case) {
        return outcomes;
    }
    let alone = |formula: &Formula| {
        let alone = Case { formulas: vec![formula.clone()], ..case.clone() };
        run(&alone).map(|outcomes| outcomes.into_iter().next()).unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string()))
                .unwrap_or_else(|| "a panic without a message".into());
            Some(Outcome { answer: Answer::Panic(text), level: String::new(), granularity: None })
        })
    };
    case.formulas.iter().filter_map(alone).collect()
}

/// A case as a file for the collection of fixtures: the program, what to ask, what is true, what was said.
pub fn fixture(case: &Case, judged: &Judged) -> String {
    let mut text = String::new();
    let mut line = |part: String| {
        text.push_str("// ");
        text.push_str(&part);
        text.push('\n');
    };
    line(format!("oracle: class {}, seed {}, index {}", case.class.name(), case.seed, case.index));
    line(format!("granularity: {}", case.granularity.name()));
    if !case.watch.is_empty() {
        line(format!("watch: {}", case.watch.join(", ")));
    }
    if let Some(assume) = case.program.assumption() {
        line(format!("assume: {}", crate::print::cond(&assume)));
    }
    let truth = match judged.expected {
        Expected::True => "HOLDS",
        Expected::False => "FAILS",
        Expected::NoRun => "ERROR (the assumption excludes every run)",
        Expected::Undefined => "ERROR (an atom without a value)",
        Expected::Illegal => "ERROR (not at this granularity)",
        Expected::Unknown => "UNKNOWN",
    };
    line(format!("{truth}: {}", judged.formula));
    let detail = match &judged.outcome.answer {
        Answer::Error(message) | Answer::Panic(message) => format!(": {}", message.replace('\n', " ")),
        _ => String::new(),
    };
    line(format!("got: {}{detail} {}", judged.outcome.answer.name(), judged.outcome.level));
    text + &crate::print::program(&case.program)
}
