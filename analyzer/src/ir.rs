//! The one program representation: functions as control-flow graphs of guarded, atomic commands.
//!
//! A location is a point between two steps. One step from a location
//! 1. draws the location's inputs in order,
//! 2. takes an edge whose guard holds (guards of one location are exclusive and exhaustive unless
//!    the location says `overlapping`),
//! 3. performs the edge's effect and moves to its target.
//!
//! Failures are ordinary edges: `y = 10 / x` is the pair `[x == 0] fail(division_by_zero)` and
//! `[x != 0] y := 10 / x`. An expression of an edge is therefore defined wherever its guard holds, and
//! a guard is defined wherever it is evaluated left to right. The front ends build this form, `verify`
//! checks it, `print` shows it. Nothing here knows a source language or a domain of values.

pub mod layout;
pub mod print;
pub mod slice;
pub mod table;
pub mod variables;
pub mod verify;
pub mod view;

use kleene_domains::expr;
use kleene_domains::machine::IntType;
use petgraph::graph::{DiGraph, NodeIndex};
use std::fmt;
use std::sync::Arc;

use crate::source::Span;

pub type Expr = expr::Expr<Place>;
pub type Cond = expr::Cond<Place>;
pub type LocationId = NodeIndex<u32>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableId {
    Global(u32),
    /// Parameter, local or temporary of the function that mentions it (index into `Function::locals`).
    Local(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// The unbounded integers.
    Integer,
    /// An unbounded integer whose inputs are not negative (C `unsigned` read without machine widths).
    Natural,
    Bool,
    Machine(IntType),
    /// A number below this one: which variant an enumeration is at, a character.
    Below(u32),
    Array(Box<Type>, u32),
    Struct(Vec<(String, Type)>),
}

/// Where a value lives: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub variable: VariableId,
    pub path: Vec<Projection>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    Field(u32),
    /// In bounds wherever the guard of the edge holds.
    Element(Box<Expr>),
}

impl Place {
    pub fn variable(variable: VariableId) -> Self {
        Self { variable, path: Vec::new() }
    }

    pub fn element(variable: VariableId, index: Expr) -> Self {
        Self { variable, path: vec![Projection::Element(Box::new(index))] }
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub globals: Vec<Variable>,
    pub functions: Vec<Function>,
    pub entry: FunctionId,
    /// Global initialisers, in order: part of the initial state, not steps. Globals they leave out
    /// start with any value of their type. Always total: never fail.
    pub initialisers: Vec<Initialiser>,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    Assign(Place, Expr),
    Input(Input),
}

impl Initialiser {
    pub fn place(&self) -> &Place {
        match self {
            Self::Assign(place, _) => place,
            Self::Input(input) => &input.place,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub kind: VariableKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    Global,
    Parameter,
    Local,
    /// Made by a front end; no formula can name it.
    Temporary,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Parameters first, in order. Many programs are made of the same functions: they share these.
    pub locals: Arc<Vec<Variable>>,
    pub parameters: u32,
    pub result: Option<Type>,
    pub graph: Graph,
    pub entry: LocationId,
    /// Where control ends: a location without edges. Reaching it in the entry function is the end of
    /// the run (no step of its own); `Return` of any other function is an edge to it.
    pub exit: LocationId,
    /// Names that `at(…)` understands; several labels may share a location.
    pub labels: Vec<(String, LocationId)>,
    /// What variables of the source are made of, where that is more than one number.
    /// Shared like locals.
    pub views: Arc<[view::View]>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// The statement, or the part of it, that the next step executes.
    pub span: Span,
    pub what: StepKind,
    pub inputs: Vec<Input>,
    /// Visible under the `tick` granularity.
    pub tick: bool,
    /// Several guards may hold at once; each enabled edge is then a possible step.
    pub overlapping: bool,
    /// Where this holds the run is over: `terminated` holds, and the only way on is an edge without
    /// effect back to this location. Defined everywhere; reads no input. Entry function only.
    pub ends: Cond,
}

/// What a step is called in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    Assignment,
    Declaration,
    Input,
    Condition,
    Assert,
    Assume,
    Call,
    /// Also the jump that leaves a function.
    Return,
    /// A statement without effect (`print`, `tick`).
    Skip,
    /// Passed by values that a cast is about to change, where somebody asks about them.
    Cast,
    /// What may be asked of a caller's values. Where a run begins it decides whether anybody can make the run; calls
    /// pass what they pass.
    Begin,
    /// The location of `Function::exit`.
    End,
}

/// A value drawn at the start of a step.
#[derive(Clone, Debug)]
pub struct Input {
    pub place: Place,
    pub source: InputSource,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum InputSource {
    /// Any value of the place's type: all quantifiers range over it. An array draws every element.
    Type,
    /// Any value between the two, inclusive, of those the type has; where low > high the step is
    /// `fail(empty_range)` instead.
    Range(Expr, Expr),
    /// A value nobody may choose: any of the type, or failure, or no return.
    Unknown,
    /// A value nobody may choose, of a step that ends: what lies beyond what is followed.
    Unseen,
    /// The number of a table at an index. There is nothing to choose, and whoever knows the index knows the value.
    Looked(Arc<table::Table>, Expr),
}

impl InputSource {
    /// Whether nobody knows the value.
    pub fn is_hidden(&self) -> bool {
        matches!(self, Self::Unknown | Self::Unseen)
    }

    /// Whether nobody may choose the value.
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Unknown | Self::Unseen | Self::Looked(..))
    }
}

/// Programs that are made of others share their edges.
pub type Graph = DiGraph<Location, Arc<Edge>, u32>;

#[derive(Clone, Debug)]
pub struct Edge {
    pub guard: Cond,
    pub effect: Effect,
    /// The part of the source responsible: a branch, the operation that fails.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Effect {
    /// Simultaneous: every right side and index is read before any place is written.
    Assign(Vec<(Place, Expr)>),
    /// One step into the callee (arguments bound to its parameters); the edge's target is where the
    /// callee's return step arrives, having stored the result in `result`.
    Call { function: FunctionId, arguments: Vec<Expr>, result: Option<Place> },
    /// One step back to the caller, or to the end of the run from the entry function. Targets `exit`.
    Return(Option<Expr>),
    /// Targets `exit`, never arrives: the run stays in the failed state.
    Fail(FailKind),
    /// A violated user assumption. Targets `exit`, never arrives.
    Discard,
    /// The run ends here whatever the call depth. Targets `exit`, never arrives.
    Stop,
}

impl Effect {
    pub const SKIP: Effect = Effect::Assign(Vec::new());
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailKind {
    Assertion,
    DivisionByZero,
    Overflow,
    Index,
    Shift,
    EmptyRange,
    Unwrap,
    Panic,
    Abort,
    /// Code we cannot see failed; never one of the user's sites.
    Opaque,
}

impl FailKind {
    pub const ALL: [FailKind; 10] = [
        Self::Assertion,
        Self::DivisionByZero,
        Self::Overflow,
        Self::Index,
        Self::Shift,
        Self::EmptyRange,
        Self::Unwrap,
        Self::Panic,
        Self::Abort,
        Self::Opaque,
    ];

    /// The name in `failed(KIND)` and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::DivisionByZero => "division_by_zero",
            Self::Overflow => "overflow",
            Self::Index => "index",
            Self::Shift => "shift",
            Self::EmptyRange => "empty_range",
            Self::Unwrap => "unwrap",
            Self::Panic => "panic",
            Self::Abort => "abort",
            Self::Opaque => "opaque",
        }
    }

    /// Understands the name and the lint that looks for it (`assertion_failed`, `index_out_of_bounds` …).
    pub fn from_name(name: &str) -> Option<Self> {
        let lint = match name {
            "assertion_failed" | "assert" => Some(Self::Assertion),
            "division" | "div" => Some(Self::DivisionByZero),
            "index_out_of_bounds" => Some(Self::Index),
            "invalid_shift" => Some(Self::Shift),
            "unwrap_failed" => Some(Self::Unwrap),
            "reachable_panic" => Some(Self::Panic),
            _ => None,
        };
        lint.or_else(|| Self::ALL.into_iter().find(|kind| kind.name() == name))
    }
}

impl fmt::Display for FailKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Type {
    /// Number of scalar values a variable of this type holds.
    pub fn slots(&self) -> u64 {
        match self {
            Self::Array(element, length) => element.slots() * u64::from(*length),
            Self::Struct(fields) => fields.iter().map(|(_, ty)| ty.slots()).sum(),
            _ => 1,
        }
    }
}

impl Program {
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn entry_function(&self) -> &Function {
        self.function(self.entry)
    }

    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.name == name).map(|index| FunctionId(index as u32))
    }

    /// The variable behind an id, read inside `function`.
    pub fn variable(&self, function: FunctionId, id: VariableId) -> &Variable {
        match id {
            VariableId::Global(index) => &self.globals[index as usize],
            VariableId::Local(index) => &self.function(function).locals[index as usize],
        }
    }
}
