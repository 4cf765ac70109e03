//! What stands behind a verdict, in the words of the source: runs, strategies, proofs and causes.
//!
//! Plain data: made by the pipeline, shown by the reports. `certificate` is its form for machines, complete
//! enough to be checked again.

pub mod certificate;
mod stored;

use std::sync::Arc;

use kleene_domains::Int;

use crate::ir::{FunctionId, StepKind};
use crate::source::Span;

#[derive(Clone, Debug)]
pub enum Evidence {
    /// A concrete run, replayed step by step.
    Run(Run),
    /// From every initial cell the chosen must edges reach (or keep) what the formula promises.
    Strategy(Strategy),
    /// Cells and edges that leave no other possibility.
    Proof(Proof),
    /// A run to a state in which a subformula is decided by a proof or a strategy.
    Mixed {
        run: Run,
        then: Proof,
    },
    Cause(Cause),
    /// No verdict to stand behind: the question or the program is wrong.
    None,
}

impl Evidence {
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Run(_) => Some("run"),
            Self::Strategy(_) => Some("strategy"),
            Self::Proof(_) => Some("proof"),
            Self::Mixed { .. } => Some("mixed"),
            Self::Cause(_) => Some("cause"),
            Self::None => None,
        }
    }
}

/// A concrete run. With `cycle`, the steps from that index on repeat for ever.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub start: Start,
    pub steps: Vec<RunStep>,
    pub cycle: Option<usize>,
    /// Steps of the whole run; `steps` may leave out a long middle part.
    pub length: usize,
    /// What holds at its end, in words.
    pub conclusion: String,
    /// The calls that a caller makes for it, the entry last; empty where nobody asked.
    pub calls: Vec<Called>,
}

/// The first state of a run, shared by all places that the run comes to.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Values of the named variables, as far as they matter.
    pub initial: Arc<[(String, Int)]>,
    /// The same for people: each variable of the source once, as the source writes its value.
    pub shown: Arc<[Shown]>,
}

/// A call from outside: the function, and the scalars of its arguments in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    pub function: FunctionId,
    pub name: String,
    pub arguments: Vec<Int>,
}

/// A variable of the source with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub name: String,
    pub value: String,
    /// The caller chooses it: a parameter or a global.
    pub argument: bool,
}

#[derive(Clone, Debug)]
pub struct RunStep {
    /// Position in the run, counted from 0.
    pub index: usize,
    pub span: Span,
    pub what: StepKind,
    /// Values drawn in this step.
    pub inputs: Vec<(String, Int)>,
    /// Named variables that this step changes, with their new values.
    pub changes: Vec<(String, Int)>,
    /// Those that people know by name, as the source writes values.
    pub shown: Vec<(String, String)>,
    /// The step ends the run: "ends", "fails (assertion)".
    pub outcome: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Strategy {
    pub cells: usize,
    pub must_edges: usize,
    /// One run that follows it, if one was simulated to its goal.
    pub example: Option<Run>,
}

#[derive(Clone, Debug, Default)]
pub struct Proof {
    pub cells: usize,
    pub may_edges: usize,
    /// Loops proved to be left.
    pub rankings: usize,
    /// What is known at places that matter: place and values in words.
    pub invariants: Vec<(Span, String)>,
}

/// Why an answer is Maybe.
#[derive(Clone, Debug)]
pub struct Cause {
    pub kind: CauseKind,
    pub span: Option<Span>,
    /// One sentence.
    pub message: String,
    /// Values known at the place, in words.
    pub values: Vec<(String, String)>,
    /// Constraints on several variables known at the place.
    pub relations: Vec<String>,
    /// The shortest abstract path from the start: places in order.
    pub path: Vec<Span>,
    /// What to try.
    pub help: Option<String>,
    /// Assumptions on the initial state under which it is known to hold, or to fail.
    pub holds_if: Option<String>,
    pub fails_if: Option<String>,
    /// What is left to decide, if it was found.
    pub obligation: Option<Obligation>,
    /// Each attempt with the size of its model.
    pub tried: Vec<Attempt>,
}

impl Cause {
    /// Nothing was finished before a limit.
    pub fn limit(span: Option<Span>, tried: Vec<Attempt>) -> Self {
        Self {
            kind: CauseKind::Limit,
            span,
            message: "a limit was reached before anything was decided".into(),
            values: Vec::new(),
            relations: Vec::new(),
            path: Vec::new(),
            help: Some("raise --timeout".into()),
            holds_if: None,
            fails_if: None,
            obligation: None,
            tried,
        }
    }
}

/// What is left to decide of a Maybe, in conditions over initial values and inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// When a short way to the place is taken, with values that are undecided there; none: always.
    pub reached_if: Vec<String>,
    /// Whether these hold there, all of them, is not known.
    pub undecided: Vec<String>,
    /// Names in the conditions that are inputs, and where they are drawn.
    pub inputs: Vec<(String, Span)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// A loop head was widened.
    Widening,
    /// Several states share one cell.
    Join,
    /// Both sides of a branch remain possible.
    Branch,
    /// An input whose values could not be told apart.
    Input,
    /// A loop that could not be proved to end, nor to go on for ever.
    Loop,
    /// Values nobody can see.
    Unknown,
    /// An atom may have no value.
    Undefined,
    /// A limit of cells, steps, contexts or time.
    Limit,
}

impl CauseKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Join => "join",
            Self::Branch => "branch",
            Self::Input => "input",
            Self::Loop => "loop",
            Self::Unknown => "unknown",
            Self::Undefined => "undefined",
            Self::Limit => "limit",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Attempt {
    pub precision: &'static str,
    pub cells: usize,
    /// What it was stopped by, in words.
    pub limit: Option<String>,
}
