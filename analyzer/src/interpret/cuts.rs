//! Where values are split: the constants that guards and properties compare a variable with, carried
//! back along assignments to the inputs they came from. They also serve as widening thresholds.
//!
//! A cut only decides which cells are kept apart; a useless or missing one costs precision, never
//! soundness.

mod collect;
mod facts;
mod gather;

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;
use kleene_domains::{Int, Thresholds};

use self::collect::Collector;
pub use self::facts::{AllFacts, Facts};
use self::facts::{first_values, written};
use self::gather::gathered;
use crate::ir::{Effect, Expr, Function, FunctionId, Place, Program, VariableId};
use crate::property::{Leaf, Predicate};

/// More cuts than this on one variable are not carried on (at most 64); fewer where values flow in very many ways.
const CUTS_PER_VARIABLE: usize = 32;
const CUTS_OF_MANY: usize = 8;
const MANY_FLOWS: usize = 4_000;

#[derive(Clone, Debug)]
pub struct Cuts {
    numbers: Numbers,
    /// By the variable's number, each in order.
    cuts: Vec<Vec<Int>>,
    /// Per function: its own constants and those of the properties. Nothing where nobody asks.
    thresholds: Vec<Thresholds>,
}

/// The variables of the whole program in a row: globals, then the locals of each function.
#[derive(Clone, Debug)]
struct Numbers {
    /// The number of the first local of each function, and of all variables.
    first: Vec<u32>,
}

impl Numbers {
    fn of_program(program: &Program) -> Self {
        let mut next = program.globals.len() as u32;
        let mut first = vec![next];
        for function in &program.functions {
            next += function.locals.len() as u32;
            first.push(next);
        }
        Self { first }
    }

    fn count(&self) -> usize {
        self.first.last().map_or(0, |count| *count as usize)
    }

    fn of(&self, function: FunctionId, variable: VariableId) -> u32 {
        match variable {
            VariableId::Global(index) => index,
            VariableId::Local(index) => self.first[function.0 as usize] + index,
        }
    }

    fn of_leaf(&self, leaf: &Leaf) -> Option<u32> {
        match leaf {
            Leaf::Global { variable, .. } => Some(*variable),
            Leaf::Local { function, variable, .. } => Some(self.of(*function, VariableId::Local(*variable))),
            _ => None,
        }
    }
}

impl Cuts {
    pub fn of<'a>(program: &Program, predicates: impl Iterator<Item = &'a Predicate>) -> Self {
        let numbers = Numbers::of_program(program);
        let fixed = fixed(program);
        let mut collector = Collector::new(&fixed);
        collector.wants_thresholds = true;
        for predicate in predicates {
            collector.condition(predicate, &mut |leaf| numbers.of_leaf(leaf));
        }
        let asked = std::mem::take(&mut collector.thresholds);
        let returned: Vec<Vec<&Expr>> = program.functions.iter().map(returned).collect();
        let mut thresholds = Vec::with_capacity(program.functions.len());
        for (id, function) in program.functions.iter().enumerate() {
            collector.function(&numbers, &returned, FunctionId(id as u32), function);
            collector.thresholds.extend_from_slice(&asked);
            collector.thresholds.sort_unstable();
            collector.thresholds.dedup();
            thresholds.push(Thresholds::new(collector.thresholds.drain(..).flat_map(around)));
        }
        collector.compare_fixed();
        let cuts = carried_back(collector, numbers.count(), [CUTS_PER_VARIABLE, CUTS_OF_MANY]);
        Self { numbers, cuts, thresholds }
    }

    /// Without predicates and thresholds; about so many are carried on, and so many where values flow in very many
    /// ways. What each function of the program says is known, by the numbers that functions have elsewhere; `own` says
    /// which they have here.
    pub fn carrying(
        program: &Program,
        facts: &[&Facts],
        own: &dyn Fn(FunctionId) -> FunctionId,
        most: [usize; 2],
    ) -> Self {
        let numbers = Numbers::of_program(program);
        let collector = gathered(program, &numbers, facts, own);
        let cuts = carried_back(collector, numbers.count(), most);
        Self { numbers, cuts, thresholds: Vec::new() }
    }

    /// Where widening in a function stops first.
    pub fn thresholds(&self, function: FunctionId) -> &Thresholds {
        &self.thresholds[function.0 as usize]
    }

    pub fn of_variable(&self, function: FunctionId, variable: VariableId) -> &[Int] {
        &self.cuts[self.numbers.of(function, variable) as usize]
    }
}

fn returned(function: &Function) -> Vec<&Expr> {
    let effects = function.graph.edge_weights().map(|edge| &edge.effect);
    effects
        .filter_map(|effect| match effect {
            Effect::Return(value) => value.as_ref(),
            _ => None,
        })
        .collect()
}

/// Globals with an initial value that nobody writes.
fn fixed(program: &Program) -> Vec<Option<Int>> {
    let mut fixed = first_values(program);
    for index in program.functions.iter().flat_map(written) {
        fixed[index as usize] = None;
    }
    fixed
}

/// Where a variable receives `source + offset` or `offset - source` (or something made from it: offset 0).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Flow {
    source: u32,
    is_negated: bool,
    offset: Int,
}

impl Flow {
    fn plain(source: u32) -> Self {
        Self { source, is_negated: false, offset: Int::ZERO }
    }
}

impl Collector<'_> {
    fn function(&mut self, numbers: &Numbers, returned: &[Vec<&Expr>], id: FunctionId, function: &Function) {
        let number = &mut |function, variable| numbers.of(function, variable);
        for edge in function.graph.edge_weights() {
            self.condition(&edge.guard, &mut |place: &Place| Some(numbers.of(id, place.variable)));
            self.effect(number, id, &edge.effect);
            if let Effect::Call { function: callee, result: Some(place), .. } = &edge.effect {
                for value in &returned[callee.0 as usize] {
                    self.assignment(number, numbers.of(id, place.variable), *callee, value);
                }
            }
        }
    }
}

/// The cuts of each variable, with those that come back to it: in the order of the variables; beyond the limit it counts
/// who comes first.
fn carried_back(collector: Collector<'_>, count: usize, [most, of_many]: [usize; 2]) -> Vec<Vec<Int>> {
    let Collector { mut cuts, mut flows, mut own_flows, .. } = collector;
    cuts.resize(count, Vec::new());
    flows.resize(count, Vec::new());
    own_flows.resize(count, None);
    let flow_count = |target: usize| own_flows[target].map_or(0, |own| own.flows.len()) + flows[target].len();
    let is_many = (0..count).map(flow_count).sum::<usize>() > MANY_FLOWS;
    let most = if is_many { of_many } else { most };
    // Nothing is carried on from where nothing flows to.
    let mut pending: VecDeque<u32> =
        (0..count as u32).filter(|target| flow_count(*target as usize) > 0).collect();
    let mut queued = FixedBitSet::with_capacity(count);
    queued.extend(pending.iter().map(|target| *target as usize));
    // What was carried on changes nothing a second time.
    let mut carried = vec![Carried::default(); count];
    let mut new = Vec::new();
    while let Some(target) = pending.pop_front() {
        let at = target as usize;
        queued.remove(at);
        new.clear();
        let first = cuts[at].iter().take(most).enumerate();
        new.extend(first.filter(|(number, _)| !carried[at].contains(*number)).map(|(_, cut)| cut.clone()));
        if new.is_empty() {
            continue;
        }
        carried[at].add_first(most.min(cuts[at].len()));
        let own = own_flows[at].iter().flat_map(|own| own.flows.iter().map(|flow| (own.source(flow), flow)));
        for (source, Flow { is_negated, offset, .. }) in
            own.chain(flows[at].iter().map(|flow| (flow.source, flow)))
        {
            let from = source as usize;
            let before = cuts[from].len();
            if source == target || before >= most {
                continue;
            }
            match is_negated {
                false => add_all(&mut cuts[from], &mut carried[from], new.iter().map(|cut| cut - offset)),
                true => {
                    add_all(&mut cuts[from], &mut carried[from], new.iter().rev().map(|cut| offset - cut))
                }
            }
            if cuts[from].len() > before && flow_count(from) > 0 && !queued.put(from) {
                pending.push_back(source);
            }
        }
    }
    cuts
}

/// Adds a value to an ordered list that has each value once.
fn add(values: &mut Vec<Int>, value: Int) {
    if let Err(at) = values.binary_search(&value) {
        values.insert(at, value);
    }
}

/// Adds values that are in order.
fn add_all(values: &mut Vec<Int>, carried: &mut Carried, new: impl ExactSizeIterator<Item = Int>) {
    values.reserve(new.len());
    let mut from = 0;
    for value in new {
        match values[from..].binary_search(&value) {
            Ok(at) => from += at,
            Err(at) => {
                from += at;
                values.insert(from, value);
                carried.make_room(from);
            }
        }
    }
}

/// Which of the first values of a list were carried on: a bit for each. Of later ones nobody asks.
#[derive(Clone, Copy, Debug, Default)]
struct Carried(u64);

impl Carried {
    fn contains(self, number: usize) -> bool {
        self.0 >> number & 1 == 1
    }

    fn add_first(&mut self, count: usize) {
        self.0 |= Self::below(count);
    }

    /// For a value that comes before the one of this number.
    fn make_room(&mut self, number: usize) {
        let below = Self::below(number);
        self.0 = self.0 & below | (self.0 & !below) << 1;
    }

    fn below(number: usize) -> u64 {
        1u64.checked_shl(number as u32).map_or(u64::MAX, |bit| bit - 1)
    }
}

fn around(constant: Int) -> [Int; 3] {
    [&constant - &Int::ONE, &constant + &Int::ONE, constant]
}
