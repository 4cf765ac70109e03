//! How much is done for one entry, and in which order: counted work, so that no answer depends on the clock.

use petgraph::Direction;
use petgraph::visit::EdgeRef;

use super::super::runs::Walks;
use super::super::summaries::MOST_CONTEXTS;
use super::{Asked, Open, Place};
use crate::ir::variables::{read_by_cond, read_by_expr};
use crate::ir::{Cond, Effect, FunctionId, LocationId, Program, VariableId};
use crate::pipeline::{self, Level, Options};
use crate::precision::{Domain, Precision};
use crate::symbolic;

/// Units of work of one entry: so many, and so many more for each of its locations. A unit is a step of boxes.
const MOST_STEPS: u64 = 2_000;
const STEPS_PER_LOCATION: u64 = 20;
/// Entries of few locations have cheap steps, and may make more of them.
const FEW_LOCATIONS: u64 = 24;
const MOST_STEPS_OF_FEW: u64 = 30_000;
/// Entries that can call much more than they do themselves cost no more than this.
const MOST_LOCATIONS: u64 = 600;
/// A step costs as much again for every so many values in its state, and states of many more are copied more often.
const SLOTS_OF_A_STEP: u64 = 1_000;
const MANY_SLOTS: u64 = 2_000;
/// What a step costs where states relate variables.
const RELATED_STEP: u64 = 6;
/// What a step costs that a solver is asked about.
const SOLVED_STEP: u64 = 100;
/// What is asked of few entries, and of values that many calls make, may cost more.
const MORE_STEPS: u64 = 5;
/// What a quick look costs at most; programs of more locations are not looked at.
const QUICK_LOCATIONS: u64 = 600;
const QUICK_STEPS: u64 = 200;
const QUICK_STEPS_PER_LOCATION: u64 = 8;
/// Steps that a location of many takes at least in a look that ends.
const VISITS_OF_MANY: u64 = 10;
/// The same for each cell of the look before, where states relate variables: of looks with fewer hardly any ends.
const VISITS_IF_RELATED: u64 = 3;
/// Loops of more rounds than this are widened at the first look: few have a bound that is worth the rounds.
const FIRST_DELAY: u32 = 4;

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// One look with one cell for most locations, and a few runs.
    Quick,
    Usual,
    More,
}

impl Effort {
    pub fn of(options: &Options, asked: Option<&Asked<'_>>) -> Self {
        match asked {
            _ if is_quick(options) => Self::Quick,
            Some(asked) if asked.closely => Self::More,
            _ => Self::Usual,
        }
    }

    pub fn steps(self, program: &Program) -> u64 {
        match self {
            Self::Quick => {
                most_steps(program).min(QUICK_STEPS + QUICK_STEPS_PER_LOCATION * locations(program))
            }
            Self::Usual => most_steps(program),
            Self::More => MORE_STEPS * most_steps(program),
        }
    }

    /// Whether the program is too large for more than single runs.
    pub fn leaves_out(self, program: &Program) -> bool {
        self == Self::Quick && locations(program) > QUICK_LOCATIONS
    }

    pub fn of_runs(self) -> Walks {
        match self {
            Self::Quick => Walks::FEW,
            Self::Usual | Self::More => Walks::USUAL,
        }
    }

    /// Runs are looked for along so many paths, a few times.
    pub fn of_search(self) -> symbolic::Effort {
        match self {
            Self::Quick | Self::Usual => symbolic::Effort { paths: 80, questions: 6, easier: 8 },
            Self::More => symbolic::Effort { paths: 600, questions: 24, easier: 1 },
        }
    }
}

/// How far back conditions are looked for that a place depends on.
const FARTHEST: usize = 3;

/// Whether only what costs little is done.
pub fn is_quick(options: &Options) -> bool {
    options.level == Level::Abstract && options.ladder.is_none()
}

fn locations(program: &Program) -> u64 {
    program.functions.iter().map(|function| function.graph.node_count() as u64).sum()
}

/// Whether a look will hardly end within so many steps.
pub fn is_too_much(program: &Program, steps: u64) -> bool {
    let locations = locations(program);
    let visits = if locations > MOST_LOCATIONS { VISITS_OF_MANY } else { 1 };
    steps < visits * locations
}

fn most_steps(program: &Program) -> u64 {
    let steps = match locations(program) {
        ..=FEW_LOCATIONS => MOST_STEPS_OF_FEW,
        more => MOST_STEPS + STEPS_PER_LOCATION * more.min(MOST_LOCATIONS),
    };
    let variables = program.globals.iter().chain(program.entry_function().locals.iter());
    let slots: u64 = variables.map(|variable| variable.ty.slots()).sum();
    steps / (1 + slots / SLOTS_OF_A_STEP + (slots / MANY_SLOTS).pow(2))
}

/// What a step counts for at a precision.
pub fn weight(precision: &Precision) -> u64 {
    match precision.domain {
        _ if precision.solved => SOLVED_STEP,
        Domain::Intervals => 1,
        Domain::Octagons | Domain::Polyhedra => RELATED_STEP,
    }
}

/// How often each cell of the look before is visited at least.
pub fn visits(precision: &Precision) -> u64 {
    if precision.name == "related" { VISITS_IF_RELATED } else { 1 }
}

/// The usual precisions, with a plainer first look: most places are settled by one cell per location, or a few where
/// something was just found out (whether there is a value, which way was taken), and what is not needs relations more
/// often than parts of inputs.
pub fn ladder(options: &Options) -> Vec<(Level, Precision)> {
    let mut ladder = pipeline::ladder(options);
    if options.ladder.is_none() {
        let place = |precision: &Precision| match precision.name {
            "joined" => 0,
            "related" => 1,
            _ => 2,
        };
        ladder.sort_by_key(|(_, precision)| place(precision));
        for (_, precision) in ladder.iter_mut().filter(|(_, precision)| precision.cells_per_location == 0) {
            precision.contexts = MOST_CONTEXTS as usize;
            precision.cuts_start = false;
        }
        if let Some((_, first)) = ladder.first_mut().filter(|(_, first)| first.name == "joined") {
            *first = Precision {
                widening_delay: FIRST_DELAY,
                partitions: 4,
                fixed_variables: 0,
                small_variables: 12,
                input_parts: 1,
                enumerated_inputs: 1,
                ..first.clone()
            };
        }
        if is_quick(options) {
            ladder.truncate(1);
        }
    }
    ladder
}

/// The solver looks along paths where cells are few and related. Most of what relations leave open, parts of inputs
/// settle at less cost: it is not asked before.
pub fn searches_in(precision: &Precision) -> bool {
    matches!(precision.name, "refined" | "unrolled")
}

/// What most proofs need that a function allows by itself.
pub fn proves_cheaply(precision: &Precision) -> bool {
    matches!(precision.name, "joined" | "related" | "partitioned")
}

/// The variables that decide whether runs come to open places and leave open loops: those of the conditions there, in
/// the loops around them, and what these are made of.
pub fn concerned(
    program: &Program,
    places: &[Open<Place>],
    open_loops: &[Open<Vec<Place>>],
    all_loops: &[Vec<Place>],
) -> Vec<(FunctionId, VariableId)> {
    let mut found = Vec::new();
    for Open { what, .. } in places {
        leading_to(program, what.function, what.location, FARTHEST, &mut found);
    }
    let around = |places_of: &&Vec<Place>| places.iter().any(|open| places_of.contains(&open.what));
    let failing = |places_of: &&Vec<Place>| {
        let before = |place: &Place| places.iter().any(|open| leads(program, *place, open.what));
        places_of.iter().any(before)
    };
    let loops = all_loops.iter().filter(|places| around(places) || failing(places));
    for place in loops.chain(open_loops.iter().map(|open| &open.what)).flatten() {
        for edge in program.function(place.function).graph.edges(place.location) {
            read(place.function, &edge.weight().guard, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    add_sources(program, &mut found);
    found
}

/// Where a step fails, the failure is outside the loop that the step is in.
fn leads(program: &Program, from: Place, to: Place) -> bool {
    from.function == to.function
        && program.function(from.function).graph.contains_edge(from.location, to.location)
}

/// What is assigned to these variables, one step back.
fn add_sources(program: &Program, found: &mut Vec<(FunctionId, VariableId)>) {
    let mut sources = Vec::new();
    for (id, function) in program.functions.iter().enumerate() {
        let id = FunctionId(id as u32);
        for edge in function.graph.edge_weights() {
            let Effect::Assign(assignments) = &edge.effect else { continue };
            for (to, value) in assignments {
                if found.binary_search(&(id, to.variable)).is_ok() {
                    read_by_expr(value, &mut |read| sources.push((id, read)));
                }
            }
        }
    }
    found.extend(sources);
    found.sort_unstable();
    found.dedup();
}

fn leading_to(
    program: &Program,
    function: FunctionId,
    to: LocationId,
    farthest: usize,
    found: &mut Vec<(FunctionId, VariableId)>,
) {
    if farthest == 0 {
        return;
    }
    for edge in program.function(function).graph.edges_directed(to, Direction::Incoming) {
        match &edge.weight().guard {
            Cond::Literal(_) => leading_to(program, function, edge.source(), farthest - 1, found),
            guard => read(function, guard, found),
        }
    }
}

fn read(function: FunctionId, guard: &Cond, found: &mut Vec<(FunctionId, VariableId)>) {
    read_by_cond(guard, &mut |variable| found.push((function, variable)));
}
