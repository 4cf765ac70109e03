//! What expressions, conditions and effects say of cuts: the constants that variables are compared with, and where values
//! flow from one variable to another.

use kleene_domains::{BinaryOp, Int, expr};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{Flow, add};
use crate::ir::{Effect, Expr, FunctionId, Place, VariableId};

/// So many flows to one variable are looked through one by one.
const FEW_FLOWS: usize = 8;

/// What one expression is made of: a handful.
type Constants = SmallVec<[Int; 4]>;

/// The number of a variable of a function.
pub type Number<'n> = dyn FnMut(FunctionId, VariableId) -> u32 + 'n;

/// A comparison with a global, which cuts where the global never changes.
#[derive(Clone, Debug)]
pub struct Compared {
    pub global: u32,
    pub owner: u32,
    factor: Int,
    offset: Int,
}

impl Compared {
    /// The cuts where the global has this value.
    pub fn cuts(&self, value: &Int) -> impl Iterator<Item = Int> + use<> {
        solved(value, &self.factor, &self.offset)
    }
}

/// Flows between variables of one function, by the numbers that these have there.
#[derive(Clone, Copy, Debug)]
pub struct OwnFlows<'c> {
    pub flows: &'c [Flow],
    pub globals: u32,
    /// What the first local has here.
    pub first: u32,
}

impl OwnFlows<'_> {
    /// The number of a source.
    pub fn source(&self, flow: &Flow) -> u32 {
        flow.source.checked_sub(self.globals).map_or(flow.source, |local| self.first + local)
    }
}

#[derive(Default)]
pub struct Collector<'c> {
    /// By the variable's number, each in order.
    pub cuts: Vec<Vec<Int>>,
    pub compared: Vec<Compared>,
    /// By the target's number, each once.
    pub flows: Vec<Vec<Flow>>,
    /// The same of targets that one function knows all flows of.
    pub own_flows: Vec<Option<OwnFlows<'c>>>,
    /// Those beyond the first few of a target.
    more_flows: FxHashSet<(u32, Flow)>,
    pub wants_thresholds: bool,
    /// Constants of one function.
    pub thresholds: Vec<Int>,
    /// By the number of the global: what it begins with, where it may be that it never changes.
    pub first: &'c [Option<Int>],
}

impl<'c> Collector<'c> {
    pub fn new(first: &'c [Option<Int>]) -> Self {
        Self { first, ..Self::default() }
    }

    pub fn cut(&mut self, owner: u32, cuts: impl Iterator<Item = Int>) {
        let known = at(&mut self.cuts, owner);
        cuts.for_each(|cut| add(known, cut));
    }

    pub fn flow(&mut self, target: u32, flow: Flow) {
        let flows = at(&mut self.flows, target);
        if flows.iter().take(FEW_FLOWS).any(|known| *known == flow) {
            return;
        }
        if flows.len() < FEW_FLOWS || self.more_flows.insert((target, flow.clone())) {
            flows.push(flow);
        }
    }

    fn threshold(&mut self, constants: &[Int]) {
        if self.wants_thresholds {
            self.thresholds.extend_from_slice(constants);
        }
    }

    pub fn condition<V>(&mut self, cond: &expr::Cond<V>, owner: &mut dyn FnMut(&V) -> Option<u32>) {
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
        let mut globals: SmallVec<[u32; 4]> = SmallVec::new();
        right.for_each_variable(&mut |variable| {
            let first = |owner: &u32| self.first.get(*owner as usize).is_some_and(Option::is_some);
            globals.extend(owner(variable).filter(first));
        });
        self.threshold(&constants);
        if self.wants_thresholds {
            let values = globals.iter().filter_map(|global| self.first[*global as usize].clone());
            self.thresholds.extend(values);
        }
        if let Some(Linear { variable: Some(variable), factor, offset }) = linear(left) {
            if let Some(owner) = owner(variable) {
                let constants = constants.iter();
                self.cut(owner, constants.flat_map(|constant| solved(constant, &factor, &offset)));
                let compared =
                    |global| Compared { global, owner, factor: factor.clone(), offset: offset.clone() };
                self.compared.extend(globals.into_iter().map(compared));
            }
            return;
        }
        constants_of(left, &mut constants);
        let mut owners: SmallVec<[u32; 8]> = SmallVec::new();
        left.for_each_variable(&mut |variable| owners.extend(owner(variable)));
        for owner in owners {
            self.cut(owner, constants.iter().cloned());
            let compared =
                |global: &u32| Compared { global: *global, owner, factor: Int::ONE, offset: Int::ZERO };
            self.compared.extend(globals.iter().map(compared));
        }
    }

    /// Where all globals with a first value keep it.
    pub fn compare_fixed(&mut self) {
        for compared in std::mem::take(&mut self.compared) {
            if let Some(value) = &self.first[compared.global as usize] {
                self.cut(compared.owner, compared.cuts(value));
            }
        }
    }

    pub fn effect(&mut self, number: &mut Number<'_>, id: FunctionId, effect: &Effect) {
        match effect {
            Effect::Assign(assignments) => {
                for (place, value) in assignments {
                    let target = number(id, place.variable);
                    self.assignment(number, target, id, value);
                }
            }
            Effect::Call { function, arguments, .. } => {
                for (index, argument) in arguments.iter().enumerate() {
                    let parameter = number(*function, VariableId::Local(index as u32));
                    self.assignment(number, parameter, id, argument);
                }
            }
            _ => {}
        }
    }

    pub fn assignment(&mut self, number: &mut Number<'_>, target: u32, function: FunctionId, value: &Expr) {
        if self.wants_thresholds {
            let mut constants = Constants::new();
            constants_of(value, &mut constants);
            self.threshold(&constants);
        }
        conditions_of(value, &mut |cond| {
            self.condition(cond, &mut |place: &Place| Some(number(function, place.variable)));
        });
        if let Some(Linear { variable: Some(place), factor, offset }) = linear(value)
            && factor.abs().is_one()
        {
            let source = number(function, place.variable);
            return self.flow(target, Flow { source, is_negated: factor.is_negative(), offset });
        }
        value
            .for_each_variable(&mut |place| self.flow(target, Flow::plain(number(function, place.variable))));
    }
}

/// The list of a number.
fn at<T>(lists: &mut Vec<Vec<T>>, number: u32) -> &mut Vec<T> {
    let number = number as usize;
    if lists.len() <= number {
        lists.resize_with(number + 1, Vec::new);
    }
    &mut lists[number]
}

/// Where `factor * variable + offset` passes a constant: on one or between two values of the variable.
fn solved(constant: &Int, factor: &Int, offset: &Int) -> impl Iterator<Item = Int> + use<> {
    let distance = constant - offset;
    [distance.div_floor(factor), distance.div_ceil(factor)].into_iter().flatten()
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
