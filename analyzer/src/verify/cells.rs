//! Cells as constraints on slots.

use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Int, Interval, Var, concrete};

use super::ask::is_partial_cond;
use super::slots::Slots;
use super::steps::within;
use super::{Checked, wrong};
use crate::evidence::certificate::{self, At, Linear, Number, Sign};
use crate::ir::{FailKind, LocationId};

pub struct Cell {
    pub context: usize,
    pub at: At,
    pub facts: Vec<Fact>,
    pub may: Option<Vec<usize>>,
    pub must: Vec<certificate::Must>,
}

/// Something known of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A slot lies in one of the parts.
    Parts(u32, Vec<Interval>),
    /// A slot modulo a positive number.
    Congruence(u32, Int, Int),
    /// A sum is 0, or at least 0.
    Sum(Sign, Vec<(u32, Int)>, Int),
    /// A condition on slots holds, and has a value.
    Holds(Cond),
}

impl Cell {
    /// Refuses what is no cell of the program.
    pub fn read(cell: &certificate::Cell, slots: &Slots<'_>, cells: usize) -> Checked<Self> {
        let Some(context) = slots.contexts.get(cell.context) else {
            return wrong("a cell names a context that is not there");
        };
        let graph = &slots.program.function(context.function()).graph;
        let known = match &cell.at {
            At::Location(location) => graph.node_weight(LocationId::new(*location)).is_some(),
            At::Failed(kind) => FailKind::ALL.iter().any(|known| known.name() == kind),
            At::Stopped | At::Discarded | At::Stuck => true,
        };
        let targets = cell.must.iter().flat_map(|must| &must.to).chain(cell.may.iter().flatten());
        if !known || targets.into_iter().any(|to| *to >= cells) {
            return wrong("a cell names a place or a cell that is not there");
        }
        let mut facts = Vec::new();
        for values in &cell.values {
            let parts = values.parts.iter().map(interval).collect::<Checked<Vec<Interval>>>()?;
            facts.push(Fact::Parts(values.slot, parts));
            if let Some(congruence) = &values.congruence {
                let (Number(modulus), Number(residue)) = (&congruence.modulus, &congruence.residue);
                if *modulus < Int::ONE {
                    return wrong("a modulus is not positive");
                }
                facts.push(Fact::Congruence(values.slot, modulus.clone(), residue.clone()));
            }
        }
        for relation in &cell.relations {
            let (terms, constant) = sum(&relation.form);
            facts.push(Fact::Sum(relation.is, terms, constant));
        }
        for comparison in &cell.facts {
            let Some(condition) = comparison.condition() else {
                return wrong("a cell speaks of an operator that is not known");
            };
            if is_partial_cond(&condition) {
                return wrong("a cell speaks of something that may have no value");
            }
            facts.push(Fact::Holds(condition));
        }
        if facts.iter().flat_map(Fact::slots).any(|slot| slot as usize >= context.slots()) {
            return wrong("a cell speaks of a slot that is not there");
        }
        let (may, must) = (cell.may.clone(), cell.must.clone());
        Ok(Self { context: cell.context, at: cell.at.clone(), facts, may, must })
    }

    pub fn stands_at(&self, context: usize, at: &At) -> bool {
        self.context == context && self.at == *at
    }

    pub fn contains(&self, point: &[Int]) -> bool {
        let state: Vec<Expr> = point.iter().cloned().map(Expr::Constant).collect();
        let nobody = &mut |_: &Var| Int::ZERO;
        self.facts.iter().all(|fact| concrete::holds(&fact.condition(&state), nobody) == Some(true))
    }

    /// The values of a slot, as one interval.
    pub fn range(&self, slot: u32) -> Interval {
        let hull = |parts: &[Interval]| parts.iter().cloned().reduce(|hull, part| hull.join(&part));
        let known = self.facts.iter().find_map(|fact| match fact {
            Fact::Parts(own, parts) if *own == slot => hull(parts),
            _ => None,
        });
        known.unwrap_or_else(Interval::top)
    }
}

fn interval((low, high): &(Option<Number>, Option<Number>)) -> Checked<Interval> {
    let low = low.as_ref().map_or(Bound::NegInfinity, |low| Bound::Finite(low.0.clone()));
    let high = high.as_ref().map_or(Bound::PosInfinity, |high| Bound::Finite(high.0.clone()));
    Interval::new(low, high).map_or_else(|| wrong("a part of a value is empty"), Ok)
}

pub fn sum(form: &Linear) -> (Vec<(u32, Int)>, Int) {
    let terms = form.terms.iter().map(|(slot, factor)| (*slot, factor.0.clone())).collect();
    (terms, form.constant.0.clone())
}

/// The sum over a state.
pub fn total(terms: &[(u32, Int)], constant: &Int, state: &[Expr]) -> Expr {
    terms.iter().fold(Expr::Constant(constant.clone()), |sum, (slot, factor)| {
        let term = Expr::binary(BinaryOp::Mul, Expr::Constant(factor.clone()), state[*slot as usize].clone());
        Expr::binary(BinaryOp::Add, sum, term)
    })
}

impl Fact {
    pub fn slots(&self) -> Vec<u32> {
        match self {
            Self::Parts(slot, _) | Self::Congruence(slot, ..) => vec![*slot],
            Self::Sum(_, terms, _) => terms.iter().map(|(slot, _)| *slot).collect(),
            Self::Holds(condition) => {
                let mut slots = Vec::new();
                condition.for_each_variable(&mut |slot| slots.push(slot.0));
                slots
            }
        }
    }

    /// The fact as a condition on a state.
    pub fn condition(&self, state: &[Expr]) -> Cond {
        let zero = || Expr::constant(0);
        match self {
            Self::Parts(slot, parts) => {
                let value = &state[*slot as usize];
                let inside =
                    |part: &Interval| within(value, part).into_iter().fold(Cond::Literal(true), Cond::and);
                parts.iter().map(inside).fold(Cond::Literal(false), Cond::or)
            }
            Self::Congruence(slot, modulus, residue) => {
                let value = state[*slot as usize].clone();
                let offset = Expr::binary(BinaryOp::Sub, value, Expr::Constant(residue.clone()));
                let rest = Expr::binary(BinaryOp::Rem, offset, Expr::Constant(modulus.clone()));
                Cond::Compare(CompareOp::Equal, rest, zero())
            }
            Self::Sum(sign, terms, constant) => {
                let op = match sign {
                    Sign::Zero => CompareOp::Equal,
                    Sign::AtLeastZero => CompareOp::GreaterEqual,
                };
                Cond::Compare(op, total(terms, constant, state), zero())
            }
            Self::Holds(condition) => condition.map(&mut |slot| state[slot.0 as usize].clone()),
        }
    }

    /// Whether this fact alone says that one.
    pub fn says(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Parts(slot, parts), Self::Parts(of, wider)) => {
                slot == of && parts.iter().all(|part| wider.iter().any(|whole| part.leq(whole)))
            }
            (Self::Congruence(slot, modulus, residue), Self::Congruence(of, divisor, other)) => {
                slot == of && divisor.divides(modulus) && divisor.divides(&(residue - other))
            }
            (own, other) => own == other,
        }
    }
}
