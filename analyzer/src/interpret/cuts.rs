//! Where values are split: the constants that guards and properties compare a variable with, carried
//! back along assignments to the inputs they came from. They also serve as widening thresholds.
//!
//! A cut only decides which cells are kept apart; a useless or missing one costs precision, never
//! soundness.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;
use kleene_domains::{BinaryOp, Int, Thresholds, expr};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::ir::{Effect, Expr, Function, FunctionId, Initialiser, Place, Program, VariableId};
use crate::property::{Leaf, Predicate};

/// More cuts than this on one variable are not carried on; fewer where values flow in very many ways.
const CUTS_PER_VARIABLE: usize = 32;
const CUTS_OF_MANY: usize = 8;
const MANY_FLOWS: usize = 4_000;
/// So many flows to one variable are looked through one by one.
const FEW_FLOWS: usize = 8;

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
        let collector = Collector { wants_thresholds: true, ..Collector::new(program) };
        collector.of_program(program, predicates, [CUTS_PER_VARIABLE, CUTS_OF_MANY])
    }

    /// Without predicates and thresholds; about so many are carried on, and so many where values flow in very many
    /// ways.
    pub fn carrying(program: &Program, most: [usize; 2]) -> Self {
        Collector::new(program).of_program(program, std::iter::empty(), most)
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

/// Where `target` receives `factor * source + offset`, the factor 1 or -1 (or something made from it: offset 0).
#[derive(Clone, PartialEq, Eq, Hash)]
struct Flow {
    source: u32,
    factor: Int,
    offset: Int,
}

/// What one expression is made of: a handful.
type Constants = SmallVec<[Int; 4]>;

struct Collector {
    /// By the variable's number, each in order.
    cuts: Vec<Vec<Int>>,
    /// By the target's number, each once.
    flows: Vec<Vec<Flow>>,
    /// Those beyond the first few of a target.
    more_flows: FxHashSet<(u32, Flow)>,
    flow_count: usize,
    wants_thresholds: bool,
    /// Constants of one function.
    thresholds: Vec<Int>,
    by_function: Vec<Thresholds>,
    /// By the variable's number. Variables that never change are as good as their values.
    fixed: Vec<Option<Int>>,
}

/// Globals with an initial value that nobody writes.
fn fixed(program: &Program) -> Vec<Option<Int>> {
    let mut written = FixedBitSet::with_capacity(program.globals.len());
    let mut write = |variable: VariableId| {
        if let VariableId::Global(index) = variable {
            written.insert(index as usize);
        }
    };
    for function in &program.functions {
        let inputs = function.graph.node_weights().flat_map(|location| &location.inputs);
        inputs.for_each(|input| write(input.place.variable));
        for edge in function.graph.edge_weights() {
            match &edge.effect {
                Effect::Assign(assignments) => {
                    assignments.iter().for_each(|(place, _)| write(place.variable));
                }
                Effect::Call { result: Some(place), .. } => write(place.variable),
                _ => {}
            }
        }
    }
    let mut fixed = vec![None; program.globals.len()];
    for initialiser in &program.initialisers {
        let VariableId::Global(index) = initialiser.place().variable else { continue };
        fixed[index as usize] = match initialiser {
            Initialiser::Assign(Place { path, .. }, Expr::Constant(value))
                if path.is_empty() && !written.contains(index as usize) =>
            {
                Some(value.clone())
            }
            _ => None,
        };
    }
    fixed
}

impl Collector {
    fn new(program: &Program) -> Self {
        Self {
            cuts: Vec::new(),
            flows: Vec::new(),
            more_flows: FxHashSet::default(),
            flow_count: 0,
            wants_thresholds: false,
            thresholds: Vec::new(),
            by_function: Vec::new(),
            fixed: fixed(program),
        }
    }

    fn of_program<'a>(
        mut self,
        program: &Program,
        predicates: impl Iterator<Item = &'a Predicate>,
        [most, of_many]: [usize; 2],
    ) -> Cuts {
        let numbers = Numbers::of_program(program);
        self.cuts.resize(numbers.count(), Vec::new());
        self.flows.resize(numbers.count(), Vec::new());
        for predicate in predicates {
            self.condition(predicate, &mut |leaf| numbers.of_leaf(leaf));
        }
        let asked = std::mem::take(&mut self.thresholds);
        let returned: Vec<Vec<&Expr>> = program.functions.iter().map(returned).collect();
        for (id, function) in program.functions.iter().enumerate() {
            let id = FunctionId(id as u32);
            for edge in function.graph.edge_weights() {
                self.condition(&edge.guard, &mut |place: &Place| Some(numbers.of(id, place.variable)));
                self.effect(&numbers, &returned, id, &edge.effect);
            }
            if self.wants_thresholds {
                self.thresholds.extend_from_slice(&asked);
                self.thresholds.sort_unstable();
                self.thresholds.dedup();
                self.by_function.push(Thresholds::new(self.thresholds.drain(..).flat_map(around)));
            }
        }
        self.carry_back(if self.flow_count > MANY_FLOWS { of_many } else { most });
        Cuts { numbers, cuts: self.cuts, thresholds: self.by_function }
    }

    fn cut(&mut self, owner: u32, cuts: impl Iterator<Item = Int>) {
        cuts.for_each(|cut| add(&mut self.cuts[owner as usize], cut));
    }

    fn flow(&mut self, target: u32, source: u32, factor: Int, offset: Int) {
        let flow = Flow { source, factor, offset };
        let flows = &mut self.flows[target as usize];
        if flows.iter().take(FEW_FLOWS).any(|known| *known == flow) {
            return;
        }
        if flows.len() < FEW_FLOWS || self.more_flows.insert((target, flow.clone())) {
            flows.push(flow);
            self.flow_count += 1;
        }
    }

    fn threshold(&mut self, constants: &[Int]) {
        if self.wants_thresholds {
            self.thresholds.extend_from_slice(constants);
        }
    }

    fn condition<V>(&mut self, cond: &expr::Cond<V>, owner: &mut dyn FnMut(&V) -> Option<u32>) {
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
        owner: &mut dyn FnMut(&V) -> Option<u32>,
    ) {
        let mut constants = Constants::new();
        constants_of(right, &mut constants);
        right.for_each_variable(&mut |variable| {
            let fixed = owner(variable).and_then(|owner| self.fixed.get(owner as usize));
            constants.extend(fixed.cloned().flatten());
        });
        self.threshold(&constants);
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
        let mut owners: SmallVec<[u32; 8]> = SmallVec::new();
        left.for_each_variable(&mut |variable| owners.extend(owner(variable)));
        for owner in owners {
            self.cut(owner, constants.iter().cloned());
        }
    }

    fn effect(&mut self, numbers: &Numbers, returned: &[Vec<&Expr>], id: FunctionId, effect: &Effect) {
        match effect {
            Effect::Assign(assignments) => {
                for (place, value) in assignments {
                    self.assignment(numbers, numbers.of(id, place.variable), id, value);
                }
            }
            Effect::Call { function, arguments, result } => {
                for (index, argument) in arguments.iter().enumerate() {
                    let parameter = numbers.of(*function, VariableId::Local(index as u32));
                    self.assignment(numbers, parameter, id, argument);
                }
                let Some(place) = result else { return };
                for value in &returned[function.0 as usize] {
                    self.assignment(numbers, numbers.of(id, place.variable), *function, value);
                }
            }
            _ => {}
        }
    }

    fn assignment(&mut self, numbers: &Numbers, target: u32, function: FunctionId, value: &Expr) {
        if self.wants_thresholds {
            let mut constants = Constants::new();
            constants_of(value, &mut constants);
            self.threshold(&constants);
        }
        conditions_of(value, &mut |cond| {
            self.condition(cond, &mut |place: &Place| Some(numbers.of(function, place.variable)));
        });
        if let Some(Linear { variable: Some(place), factor, offset }) = linear(value)
            && factor.abs().is_one()
        {
            return self.flow(target, numbers.of(function, place.variable), factor, offset);
        }
        value.for_each_variable(&mut |place| {
            self.flow(target, numbers.of(function, place.variable), Int::ONE, Int::ZERO);
        });
    }

    /// In the order of the variables: beyond the limit it counts who comes first.
    fn carry_back(&mut self, most: usize) {
        // Nothing is carried on from where nothing flows to.
        let mut pending: VecDeque<u32> =
            (0..self.cuts.len() as u32).filter(|target| !self.flows[*target as usize].is_empty()).collect();
        let mut queued = FixedBitSet::with_capacity(self.cuts.len());
        queued.extend(pending.iter().map(|target| *target as usize));
        // What was carried on changes nothing a second time.
        let mut carried: FxHashMap<u32, Vec<Int>> = FxHashMap::default();
        while let Some(target) = pending.pop_front() {
            let at = target as usize;
            queued.remove(at);
            if self.cuts[at].is_empty() {
                continue;
            }
            let carried = carried.entry(target).or_default();
            let first = self.cuts[at].iter().take(most);
            let cuts: Vec<Int> = first.filter(|cut| carried.binary_search(cut).is_err()).cloned().collect();
            if cuts.is_empty() {
                continue;
            }
            cuts.iter().for_each(|cut| add(carried, cut.clone()));
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
                let goes_on = known.len() > before && !self.flows[*source as usize].is_empty();
                if goes_on && !queued.put(*source as usize) {
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

fn around(constant: Int) -> [Int; 3] {
    [&constant - &Int::ONE, &constant + &Int::ONE, constant]
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

fn constants_of<V>(value: &expr::Expr<V>, constants: &mut Constants) {
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
