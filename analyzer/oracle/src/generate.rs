//! Random cases: a program, a granularity and formulas worth asking about it.
//!
//! A case is a function of (class, seed, index) and nothing else, so that a report of three numbers is
//! enough to have it again.

pub mod formulas;
pub mod hard;
pub mod maker;
pub mod recursive;
pub mod regions;
pub mod related;
pub mod scenes;
pub mod tiny;

use crate::logic::Formula;
use crate::model::{Granularity, has_tick};
use crate::print;
use crate::program::{Name, Program};
use crate::reference::{Exploration, Limits, Refusal, explore};
use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A few variables and statements: every rule in isolation, thousands of cases a minute.
    Tiny,
    /// Inputs of some dozen values, long loops, calls, arrays: where unrolling ends.
    Hard,
    /// Hundreds of input values, thousands of iterations: where telling states apart ends.
    Wide,
    /// Inputs without bounds: where nothing can be enumerated.
    Unbounded,
    /// Loops that keep a linear relation between variables: where looking at one at a time ends.
    Related,
    /// Recursion that changes globals on its way down and up.
    Recursive,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Tiny => "tiny",
            Class::Hard => "hard",
            Class::Wide => "wide",
            Class::Unbounded => "unbounded",
            Class::Related => "related",
            Class::Recursive => "recursive",
        }
    }

    pub fn limits(self) -> Limits {
        match self {
            Class::Tiny | Class::Recursive => Limits { states: 4_000, initial: 500 },
            Class::Unbounded => Limits { states: 10_000, initial: 4_000 },
            Class::Hard | Class::Related => Limits { states: 60_000, initial: 4_000 },
            Class::Wide => Limits { states: 40_000, initial: 4_000 },
        }
    }

    /// From this many states on a program is worth asking about.
    fn lively(self) -> usize {
        match self {
            Class::Tiny => 7,
            Class::Recursive => 20,
            Class::Hard | Class::Unbounded => 60,
            Class::Wide | Class::Related => 300,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Case {
    pub class: Class,
    pub seed: u64,
    pub index: u64,
    pub program: Program,
    pub granularity: Granularity,
    /// Globals watched under `change`; empty means all.
    pub watch: Vec<Name>,
    pub formulas: Vec<Formula>,
}

/// Formulas asked of one program.
const FORMULAS: usize = 6;

/// The case of this number, with its explored graph. `None`: the graph has too many initial states.
pub fn case(class: Class, seed: u64, index: u64) -> Option<(Case, Exploration)> {
    let mut rng = Rng::new(seed ^ (class as u64) << 40, index);
    let mut attempt = program(class, &mut rng);
    for _ in 0..2 {
        // Programs in which next to nothing happens are common and teach little.
        let dull = attempt.1.as_ref().is_some_and(|graph| graph.states.len() < class.lively());
        if !dull || rng.percent(15) {
            break;
        }
        attempt = program(class, &mut rng);
    }
    let (program, exploration) = attempt;
    let exploration = exploration?;
    let granularity = match rng.below(20) {
        0..=10 => Granularity::Statement,
        11..=15 => Granularity::Change,
        _ if has_tick(&program) => Granularity::Tick,
        _ => Granularity::Statement,
    };
    let mut watch = Vec::new();
    if granularity == Granularity::Change && program.globals.len() > 1 && rng.percent(25) {
        watch = program.globals.iter().map(|global| global.name.clone()).collect();
        watch.remove(rng.below(watch.len()));
    }
    let formulas = {
        let sample = sample(&exploration, &mut rng);
        let mut writer = formulas::Writer::new(&mut rng, &program, &sample, granularity, &watch);
        if class == Class::Related {
            writer = writer.with_relations();
        }
        (0..FORMULAS).map(|_| writer.formula()).collect()
    };
    Some((Case { class, seed, index, program, granularity, watch, formulas }, exploration))
}

fn program(class: Class, rng: &mut Rng) -> (Program, Option<Exploration>) {
    let made = match class {
        Class::Tiny => tiny::program(rng),
        Class::Hard => hard::program(rng),
        Class::Wide => hard::wide_program(rng),
        Class::Unbounded if rng.percent(60) => regions::program(rng),
        Class::Unbounded => hard::sampled_program(rng),
        Class::Related => related::program(rng),
        Class::Recursive => recursive::program(rng),
    };
    match explore(&made, class.limits()) {
        Ok(exploration) => (made, Some(exploration)),
        Err(Refusal::TooBig) => (made, None),
        Err(Refusal::Invalid(reason)) => panic!("generated no program: {reason}\n{}", print::program(&made)),
    }
}

/// Some of the states without their steps: enough to tell whether an atom varies.
fn sample(exploration: &Exploration, rng: &mut Rng) -> Exploration {
    let count = exploration.states.len();
    let wanted = count.min(300);
    let states: Vec<_> = match count == wanted {
        true => exploration.states.clone(),
        false => (0..wanted).map(|_| rng.pick(&exploration.states).clone()).collect(),
    };
    let initial = if wanted > 0 { vec![0] } else { Vec::new() };
    let successors = (0..wanted as u32).map(|state| vec![state]).collect();
    let open = vec![false; wanted];
    Exploration { compiled: exploration.compiled.clone(), states, initial, successors, open }
}
