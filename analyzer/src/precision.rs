//! How closely to look: a value that refinement changes and nothing else does.

use kleene_domains::Int;

use crate::ir::{FunctionId, LocationId, VariableId};
use crate::property::Predicate;

/// What is known of variables together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Nothing: each variable by itself.
    Intervals,
    /// Sums and differences of two variables, by pack.
    Octagons,
    /// Linear constraints, by pack; octagons where a pack is too large.
    Polyhedra,
}

/// Limits and partitions of one abstract interpretation.
#[derive(Clone, Debug)]
pub struct Precision {
    pub name: &'static str,
    pub domain: Domain,
    /// The variables whose packs have relations; `None`: those of every pack.
    pub related: Option<Vec<(FunctionId, VariableId)>>,
    /// Only those variables have relations, and not all that are in their packs.
    pub related_alone: bool,
    /// So many looks at the packs only that causes of a Maybe point at, before all have relations.
    pub by_cause: usize,
    /// How many cells of a location are kept apart before further ones are joined: loop iterations,
    /// input parts and branch histories are unrolled this far.
    pub cells_per_location: usize,
    /// Cells of the whole model; beyond it everything new is joined.
    pub cells: usize,
    /// Joined cells of a location, told apart by predicates, small variables and what never changes.
    pub partitions: usize,
    /// Variables that never change and tell joined cells apart.
    pub fixed_variables: usize,
    /// Variables of few values (booleans, those only ever given constants) that tell joined cells apart.
    pub small_variables: usize,
    /// Keep apart the sides of a branch before it is taken, and the cases of its condition.
    pub branches: bool,
    /// The visit at which a loop head is widened (the paper's MAX_LOOP).
    pub widening_delay: u32,
    /// Keep what loop heads held after each visit.
    pub records_visits: bool,
    pub narrowing_rounds: u32,
    /// Inputs with at most this many values are drawn value by value.
    pub enumerated_inputs: usize,
    /// Cells a single input may be cut into.
    pub input_parts: usize,
    /// Initial values are cut like inputs, also those that tell no joined cells apart.
    pub cuts_start: bool,
    /// How often a function may be on the call string before its summary is used.
    pub recursion_depth: usize,
    pub call_depth: usize,
    pub contexts: usize,
    /// Steps of single runs that are followed state by state, on boundary and random inputs, and keep
    /// cells of their own whatever the other limits say.
    pub walked_steps: usize,
    /// Rounds in which the cause of a Maybe may suggest what else to tell apart.
    pub refinements: usize,
    /// Rounds in which a solver may look for runs to follow.
    pub searches: usize,
    /// A solver is asked which steps between joined cells are possible.
    pub solved: bool,
    /// Predicates by which joined cells are told apart, beside those of the property.
    pub splits: Vec<Split>,
    /// Predicates that are kept where a solver proves them of every state that arrives (the idea of Houdini,
    /// Flanagan and Leino, FME 2001: start with all, drop what does not hold on).
    pub candidates: Vec<Split>,
    /// Runs that are followed before any others.
    pub scripts: Vec<Script>,
}

/// A predicate on the states of a location, or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    pub predicate: Predicate,
    pub at: Option<(FunctionId, LocationId)>,
}

impl Split {
    pub fn everywhere(predicate: Predicate) -> Self {
        Self { predicate, at: None }
    }
}

/// What to choose on a run: the initial values of the entry's slots, then the inputs in order. Only a
/// suggestion: what does not fit is chosen otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub start: Vec<Int>,
    pub draws: Vec<Int>,
    /// Edges where several may be enabled.
    pub edges: Vec<u32>,
    /// Steps that the choices were made for.
    pub steps: usize,
}

impl Precision {
    /// All of them, from cheap to expensive.
    pub fn ladder() -> [Precision; 10] {
        [
            Self::joined(),
            Self::partitioned(),
            Self::glimpsed(),
            Self::related(),
            Self::refined(),
            Self::unrolled(),
            Self::walked(),
            Self::solved(),
            Self::traced(),
            Self::explicit(),
        ]
    }

    /// Every location joined: the cheapest first look.
    pub fn joined() -> Self {
        Self {
            name: "joined",
            domain: Domain::Intervals,
            related: None,
            related_alone: false,
            by_cause: 0,
            cells_per_location: 0,
            cells: 200_000,
            partitions: 8,
            fixed_variables: 8,
            small_variables: 0,
            branches: false,
            widening_delay: 20,
            records_visits: false,
            narrowing_rounds: 2,
            enumerated_inputs: 2,
            input_parts: 9,
            cuts_start: true,
            recursion_depth: 1,
            call_depth: 8,
            contexts: 2_000,
            walked_steps: 0,
            refinements: 0,
            searches: 0,
            solved: false,
            splits: Vec::new(),
            candidates: Vec::new(),
            scripts: Vec::new(),
        }
    }

    /// Joined states told apart by the values of a few small variables.
    pub fn partitioned() -> Self {
        Self { name: "partitioned", partitions: 96, small_variables: 3, ..Self::joined() }
    }

    /// Variables that the program relates looked at together.
    pub fn related() -> Self {
        Self {
            name: "related",
            domain: Domain::Polyhedra,
            by_cause: 2,
            branches: true,
            widening_delay: 4,
            ..Self::partitioned()
        }
    }

    /// Related, told apart by what loops and branches depend on, beside a few concrete runs.
    pub fn refined() -> Self {
        Self {
            name: "refined",
            by_cause: 0,
            refinements: 3,
            searches: 4,
            walked_steps: 1_600,
            ..Self::related()
        }
    }

    /// Refined, with a solver that decides steps and tells cells apart by what no domain can express.
    pub fn solved() -> Self {
        Self {
            name: "solved",
            solved: true,
            enumerated_inputs: 4,
            refinements: 5,
            searches: 2,
            ..Self::refined()
        }
    }

    /// Loops unrolled a little, inputs cut at the constants that matter.
    pub fn unrolled() -> Self {
        Self {
            name: "unrolled",
            cells_per_location: 100,
            cells: 20_000,
            enumerated_inputs: 4,
            input_parts: 13,
            recursion_depth: 20,
            call_depth: 40,
            contexts: 1_000,
            ..Self::partitioned()
        }
    }

    /// Joined cells beside a few concrete runs: finds short runs cheaply.
    pub fn glimpsed() -> Self {
        Self { name: "glimpsed", walked_steps: 1_600, ..Self::joined() }
    }

    /// Unrolled loops beside many concrete runs.
    pub fn walked() -> Self {
        Self { name: "walked", walked_steps: 100_000, ..Self::unrolled() }
    }

    /// Unrolled with relations: the paths of a short run told apart, whatever its inputs.
    pub fn traced() -> Self {
        Self {
            name: "traced",
            domain: Domain::Polyhedra,
            branches: true,
            cells_per_location: 40,
            cells: 3_000,
            enumerated_inputs: 2,
            input_parts: 9,
            widening_delay: 4,
            ..Self::unrolled()
        }
    }

    /// States kept apart as far as the budget goes.
    pub fn explicit() -> Self {
        Self {
            name: "explicit",
            cells_per_location: 6_000,
            cells: 60_000,
            partitions: 256,
            enumerated_inputs: 64,
            input_parts: 64,
            recursion_depth: 400,
            call_depth: 400,
            contexts: 5_000,
            walked_steps: 20_000,
            ..Self::joined()
        }
    }
}
