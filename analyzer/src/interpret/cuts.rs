//! Where values are split: the constants that guards and properties compare a variable with, carried
//! back along assignments to the inputs they came from. They also serve as widening thresholds.
//!
//! A cut only decides which cells are kept apart; a useless or missing one costs precision, never
//! soundness.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;
use kleene_domains::{BinaryOp, Int, Thresholds, expr};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Effect, Expr, Function, FunctionId, Initialiser, Place, Program, VariableId};
use crate::property::{Leaf, Predicate};

/// More cuts than this on one variable are not carried on; fewer where values flow in very many ways.
const CUTS_PER_VARIABLE: usize = 32;
const CUTS_OF_MANY: usize = 8;
const MANY_FLOWS: usize = 4_000;

#[derive(Clone, Debug)]
pub struct Cuts {
    /// In order.
    cuts: FxHashMap<Owner, Vec<Int>>,
    /// Per function: its own constants and those of the properties.
    thresholds: Vec<Thresholds>,
}

/// A variable of the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Owner {
    Global(u32),
    Local(FunctionId, u32),
}

impl Owner {
    fn of(function: FunctionId, variable: VariableId) -> Self {
        match variable {
            VariableId::Global(index) => Self::Global(index),
            VariableId::Local(index) => Self::Local(function, index),
        }
    }
}

impl Cuts {
    pub fn of<'a>(program: &Program, predicates: impl Iterator<Item = &'a Predicate>) -> Self {
        Collector::of_program(program, predicates).carried([CUTS_PER_VARIABLE, CUTS_OF_MANY])
    }

    /// Without predicates; about so many are carried on, and so many where values flow in very many ways.
    pub fn carrying(program: &Program, most: [usize; 2]) -> Self {
        Collector::of_program(program, std::iter::empty()).carried(most)
    }

    /// Where widening in a function stops first.
    pub fn thresholds(&self, function: FunctionId) -> &Thresholds {
        &self.thresholds[function.0 as usize]
    }

    pub fn of_variable(&self, function: FunctionId, variable: VariableId) -> &[Int] {
        self.cuts.get(&Owner::of(function, variable)).map_or(&[], Vec::as_slice)
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

fn leaf_owner(leaf: &Leaf) -> Option<Owner> {
    match leaf {
        Leaf::Global { variable, .. } => Some(Owner::Global(*variable)),
        Leaf::Local { function, variable, .. } => Some(Owner::Local(*function, *variable)),
        _ => None,
    }
}

/// Where `target` receives `factor * source + offset`, the factor 1 or -1 (or something made from it: offset 0).
#[derive(Clone, PartialEq, Eq, Hash)]
struct Flow {
    source: u32,
    factor: Int,
    offset: Int,
}

#[derive(Default)]
struct Collector {
    owners: Vec<Owner>,
    numbers: FxHashMap<Owner, u32>,
    /// By the owner's number, each in order.
    cuts: Vec<Vec<Int>>,
    /// By the target's number, each once.
    flows: Vec<Vec<Flow>>,
    known_flows: FxHashSet<(u32, Flow)>,
    thresholds: Vec<Int>,
    by_function: Vec<Thresholds>,
    /// Variables that never change are as good as their values.
    fixed: FxHashMap<Owner, Int>,
}

/// Globals with an initial value that nobody writes.
fn fixed(program: &Program) -> FxHashMap<Owner, Int> {
    let mut written = FxHashSet::default();
    for function in &program.functions {
        let inputs = function.graph.node_weights().flat_map(|location| &location.inputs);
        written.extend(inputs.map(|input| input.place.variable));
        for edge in function.graph.edge_weights() {
            match &edge.effect {
                Effect::Assign(assignments) => {
                    written.extend(assignments.iter().map(|(place, _)| place.variable));
                }
                Effect::Call { result: Some(place), .. } => {
                    written.insert(place.variable);
                }
                _ => {}
            }
        }
    }
    let mut fixed = FxHashMap::default();
    for initialiser in &program.initialisers {
        let place = initialiser.place();
        let VariableId::Global(index) = place.variable else { continue };
        match initialiser {
            Initialiser::Assign(Place { path, .. }, Expr::Constant(value))
                if path.is_empty() && !written.contains(&place.variable) =>
            {
                fixed.insert(Owner::Global(index), value.clone());
            }
            _ => {
                fixed.remove(&Owner::Global(index));
            }
        }
    }
    fixed
}

impl Collector {
    fn of_program<'a>(program: &Program, predicates: impl Iterator<Item = &'a Predicate>) -> Self {
        let mut collector = Collector { fixed: fixed(program), ..Collector::default() };
        for predicate in predicates {
            collector.condition(predicate, &mut leaf_owner);
        }
        let asked = std::mem::take(&mut collector.thresholds);
        let returned: Vec<Vec<&Expr>> = program.functions.iter().map(returned).collect();
        for (id, function) in program.functions.iter().enumerate() {
            let id = FunctionId(id as u32);
            collector.thresholds = asked.clone();
            for edge in function.graph.edge_weights() {
                collector.condition(&edge.guard, &mut |place: &Place| Some(Owner::of(id, place.variable)));
                collector.effect(&returned, id, &edge.effect);
            }
            collector.by_function.push(Thresholds::new(std::mem::take(&mut collector.thresholds)));
        }
        collector
    }

    fn carried(mut self, [most, of_many]: [usize; 2]) -> Cuts {
        self.carry_back(if self.known_flows.len() > MANY_FLOWS { of_many } else { most });
        Cuts { cuts: self.owners.into_iter().zip(self.cuts).collect(), thresholds: self.by_function }
    }

    fn number(&mut self, owner: Owner) -> u32 {
        *self.numbers.entry(owner).or_insert_with(|| {
            self.owners.push(owner);
            self.cuts.push(Vec::new());
            self.flows.push(Vec::new());
            self.owners.len() as u32 - 1
        })
    }

    fn cut(&mut self, owner: Owner, cuts: impl Iterator<Item = Int>) {
        let number = self.number(owner);
        cuts.for_each(|cut| add(&mut self.cuts[number as usize], cut));
    }

    fn flow(&mut self, target: Owner, source: Owner, factor: Int, offset: Int) {
        let (target, source) = (self.number(target), self.number(source));
        let flow = Flow { source, factor, offset };
        if self.known_flows.insert((target, flow.clone())) {
            self.flows[target as usize].push(flow);
        }
    }

    fn condition<V>(&mut self, cond: &expr::Cond<V>, owner: &mut dyn FnMut(&V) -> Option<Owner>) {
        match cond {
            expr::Cond::Literal(_) => {}
            expr::Cond::Not(inner) => self.condition(inner, owner),
            expr::Cond::And(left, right) | expr::Cond::Or(left, right) => {
                self.condition(left, owner);
                self.condition(right, owner);
            }
            expr::Cond::Compare(_, left, right) => {
                self.comparison(left, right, owner);
                self.comparison(right, left, owner);
            }
        }
    }

    /// Cuts of the variables on the left by what stands on the right.
    fn comparison<V>(
        &mut self,
        left: &expr::Expr<V>,
        right: &expr::Expr<V>,
        owner: &mut dyn FnMut(&V) -> Option<Owner>,
    ) {
        let mut constants = Vec::new();
        constants_of(right, &mut constants);
        right.for_each_variable(&mut |variable| {
            constants.extend(owner(variable).and_then(|owner| self.fixed.get(&owner)).cloned());
        });
        self.thresholds.extend(constants.iter().flat_map(around));
        if let Some(Linear { variable: Some(variable), factor, offset }) = linear(left) {
            if let Some(owner) = owner(variable) {
                // Where the left side passes the constant: on one or between two values of the variable.
                let solved = constants.iter().flat_map(|constant| {
                    let distance = constant - &offset;
                    [distance.div_floor(&factor), distance.div_ceil(&factor)]
                });
                self.cut(owner, solved.flatten());
            }
            return;
        }
        constants_of(left, &mut constants);
        let mut owners = Vec::new();
        left.for_each_variable(&mut |variable| owners.extend(owner(variable)));
        for owner in owners {
            self.cut(owner, constants.iter().cloned());
        }
    }

    fn effect(&mut self, returned: &[Vec<&Expr>], id: FunctionId, effect: &Effect) {
        match effect {
            Effect::Assign(assignments) => {
                for (place, value) in assignments {
                    self.assignment(Owner::of(id, place.variable), id, value);
                }
            }
            Effect::Call { function, arguments, result } => {
                for (index, argument) in arguments.iter().enumerate() {
                    self.assignment(Owner::Local(*function, index as u32), id, argument);
                }
                let Some(place) = result else { return };
                for value in &returned[function.0 as usize] {
                    self.assignment(Owner::of(id, place.variable), *function, value);
                }
            }
            _ => {}
        }
    }

    fn assignment(&mut self, target: Owner, function: FunctionId, value: &Expr) {
        let mut constants = Vec::new();
        constants_of(value, &mut constants);
        self.thresholds.extend(constants.iter().flat_map(around));
        conditions_of(value, &mut |cond| {
            self.condition(cond, &mut |place: &Place| Some(Owner::of(function, place.variable)));
        });
        if let Some(Linear { variable: Some(place), factor, offset }) = linear(value)
            && factor.abs().is_one()
        {
            return self.flow(target, Owner::of(function, place.variable), factor, offset);
        }
        value.for_each_variable(&mut |place| {
            self.flow(target, Owner::of(function, place.variable), Int::ONE, Int::ZERO);
        });
    }

    /// In the order of the variables: beyond the limit it counts who comes first.
    fn carry_back(&mut self, most: usize) {
        let mut first: Vec<u32> = (0..self.owners.len() as u32).collect();
        first.sort_unstable_by_key(|number| self.owners[*number as usize]);
        let mut pending: VecDeque<u32> = first.into();
        let mut queued = FixedBitSet::with_capacity(self.owners.len());
        queued.insert_range(..);
        // What was carried on changes nothing a second time.
        let mut carried: Vec<Vec<Int>> = vec![Vec::new(); self.owners.len()];
        while let Some(target) = pending.pop_front() {
            let at = target as usize;
            queued.remove(at);
            let first = self.cuts[at].iter().take(most);
            let cuts: Vec<Int> =
                first.filter(|cut| carried[at].binary_search(cut).is_err()).cloned().collect();
            if cuts.is_empty() {
                continue;
            }
            cuts.iter().for_each(|cut| add(&mut carried[at], cut.clone()));
            for Flow { source, factor, offset } in &self.flows[at] {
                let known = &mut self.cuts[*source as usize];
                let before = known.len();
                if *source == target || before >= most {
                    continue;
                }
                let plain = factor.is_one();
                for cut in &cuts {
                    let before = cut - offset;
                    add(known, if plain { before } else { &before * factor });
                }
                if known.len() > before && !queued.put(*source as usize) {
                    pending.push_back(*source);
                }
            }
        }
    }
}

/// Adds a value to an ordered list that has each value once.
fn add(values: &mut Vec<Int>, value: Int) {
    if let Err(at) = values.binary_search(&value) {
        values.insert(at, value);
    }
}

fn around(constant: &Int) -> [Int; 3] {
    [constant - &Int::ONE, constant.clone(), constant + &Int::ONE]
}

/// `factor * variable + offset`, or a constant.
struct Linear<'e, V> {
    variable: Option<&'e V>,
    factor: Int,
    offset: Int,
}

/// An expression with one occurrence of one variable, as a linear form.
fn linear<V>(value: &expr::Expr<V>) -> Option<Linear<'_, V>> {
    let of = |variable, factor, offset| Some(Linear { variable, factor, offset });
    match value {
        expr::Expr::Constant(constant) => of(None, Int::ZERO, constant.clone()),
        expr::Expr::Variable(variable) => of(Some(variable), Int::ONE, Int::ZERO),
        expr::Expr::Negate(inner) => {
            let inner = linear(inner)?;
            of(inner.variable, -&inner.factor, -&inner.offset)
        }
        expr::Expr::Binary(op, left, right) => {
            let (left, right) = (linear(left)?, linear(right)?);
            let variable = match (left.variable, right.variable) {
                (Some(_), Some(_)) => return None,
                (one, other) => one.or(other),
            };
            match op {
                BinaryOp::Add => of(variable, &left.factor + &right.factor, &left.offset + &right.offset),
                BinaryOp::Sub => of(variable, &left.factor - &right.factor, &left.offset - &right.offset),
                BinaryOp::Mul => {
                    let factor = &(&left.factor * &right.offset) + &(&right.factor * &left.offset);
                    of(variable.filter(|_| !factor.is_zero()), factor, &left.offset * &right.offset)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn constants_of<V>(value: &expr::Expr<V>, constants: &mut Vec<Int>) {
    match value {
        expr::Expr::Constant(constant) => constants.push(constant.clone()),
        expr::Expr::Negate(inner) => {
            let before = constants.len();
            constants_of(inner, constants);
            constants[before..].iter_mut().for_each(|constant| *constant = -&*constant);
        }
        expr::Expr::Unary(_, inner) | expr::Expr::Wrap(_, inner) => constants_of(inner, constants),
        expr::Expr::Binary(_, left, right) => {
            constants_of(left, constants);
            constants_of(right, constants);
        }
        expr::Expr::IfThenElse(_, yes, no) => {
            constants_of(yes, constants);
            constants_of(no, constants);
        }
        expr::Expr::Variable(_) | expr::Expr::Any(_) => {}
    }
}

/// Visits the conditions inside an expression.
fn conditions_of<V>(value: &expr::Expr<V>, visit: &mut dyn FnMut(&expr::Cond<V>)) {
    match value {
        expr::Expr::Negate(inner) | expr::Expr::Unary(_, inner) | expr::Expr::Wrap(_, inner) => {
            conditions_of(inner, visit)
        }
        expr::Expr::Binary(_, left, right) => {
            conditions_of(left, visit);
            conditions_of(right, visit);
        }
        expr::Expr::IfThenElse(cond, yes, no) => {
            visit(cond);
            conditions_of(yes, visit);
            conditions_of(no, visit);
        }
        expr::Expr::Constant(_) | expr::Expr::Variable(_) | expr::Expr::Any(_) => {}
    }
}
