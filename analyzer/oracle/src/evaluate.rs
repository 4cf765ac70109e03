//! Every possible value of an expression in a state, left to right, lazily where C is lazy.
//!
//! A `nondet` makes an expression have several values, so evaluation hands each of them to a
//! continuation instead of returning one.

use crate::compile::{FailKind, Slot};
use crate::program::{Cond, Expr, Op, Reach};

/// Values beyond this are outside what the reference explores.
pub const LARGEST: i64 = 1_000_000;
/// A wider input is outside what the reference explores.
const WIDEST_INPUT: i64 = 2_000;

/// Why an evaluation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Fail(FailKind),
    /// Beyond the reference's limits; says nothing about the program.
    TooBig,
}

#[derive(Clone, Copy)]
pub struct Cells<'s> {
    pub globals: &'s [i32],
    pub locals: &'s [i32],
}

impl Cells<'_> {
    fn read(&self, slot: Slot, offset: usize) -> i64 {
        let cells = if slot.local { self.locals } else { self.globals };
        i64::from(cells[slot.base + offset])
    }
}

type Then<'t, T> = &'t mut dyn FnMut(Result<T, Stop>);

pub fn values(expr: &Expr<Slot>, cells: Cells<'_>, then: Then<'_, i64>) {
    match expr {
        Expr::Const(value) => then(Ok(*value)),
        Expr::Var(slot) => then(Ok(cells.read(*slot, 0))),
        Expr::Element(slot, index) => values(index, cells, &mut |index| {
            then(index.and_then(|index| offset(*slot, index)).map(|offset| cells.read(*slot, offset)));
        }),
        Expr::Negate(inner) => values(inner, cells, &mut |value| then(value.map(|value| -value))),
        Expr::Binary(op, left, right) => values(left, cells, &mut |left| match left {
            Err(stop) => then(Err(stop)),
            Ok(left) => {
                values(right, cells, &mut |right| then(right.and_then(|right| apply(*op, left, right))))
            }
        }),
        Expr::Choose(test, yes, no) => truths(test, cells, &mut |test| match test {
            Err(stop) => then(Err(stop)),
            Ok(test) => values(if test { yes } else { no }, cells, then),
        }),
        Expr::Nondet(low, high) => values(low, cells, &mut |low| match low {
            Err(stop) => then(Err(stop)),
            Ok(low) => values(high, cells, &mut |high| match high {
                Err(stop) => then(Err(stop)),
                Ok(high) if low > high => then(Err(Stop::Fail(FailKind::EmptyRange))),
                Ok(high) if high - low > WIDEST_INPUT => then(Err(Stop::TooBig)),
                Ok(high) => (low..=high).for_each(|value| then(Ok(value))),
            }),
        }),
        Expr::Any(Reach::Exact(reach)) => (-reach..=*reach).for_each(|value| then(Ok(value))),
        Expr::Any(Reach::Sampled(reach)) => {
            (-reach..=*reach).for_each(|value| then(Ok(value)));
            then(Err(Stop::TooBig));
        }
        Expr::Truth(test) => truths(test, cells, &mut |value| then(value.map(i64::from))),
        Expr::Call(name, _) => unreachable!("the call of {name} has been taken out"),
    }
}

/// As `values`, for a list evaluated from left to right.
pub fn lists(exprs: &[Expr<Slot>], cells: Cells<'_>, then: Then<'_, Vec<i64>>) {
    let Some((first, rest)) = exprs.split_first() else { return then(Ok(Vec::new())) };
    values(first, cells, &mut |value| match value {
        Err(stop) => then(Err(stop)),
        Ok(value) => lists(rest, cells, &mut |list| {
            then(list.map(|mut list| {
                list.insert(0, value);
                list
            }));
        }),
    });
}

pub fn truths(cond: &Cond<Slot>, cells: Cells<'_>, then: Then<'_, bool>) {
    match cond {
        Cond::Const(value) => then(Ok(*value)),
        Cond::Flag(slot) => then(Ok(cells.read(*slot, 0) != 0)),
        Cond::Compare(rel, left, right) => values(left, cells, &mut |left| match left {
            Err(stop) => then(Err(stop)),
            Ok(left) => values(right, cells, &mut |right| then(right.map(|right| rel.holds(left, right)))),
        }),
        Cond::Nonzero(inner) => values(inner, cells, &mut |value| then(value.map(|value| value != 0))),
        Cond::Not(inner) => truths(inner, cells, &mut |value| then(value.map(|value| !value))),
        Cond::And(left, right) => truths(left, cells, &mut |left| match left {
            Ok(true) => truths(right, cells, then),
            other => then(other),
        }),
        Cond::Or(left, right) => truths(left, cells, &mut |left| match left {
            Ok(false) => truths(right, cells, then),
            other => then(other),
        }),
    }
}

/// The cell an index means, or the failure it is.
pub fn offset(slot: Slot, index: i64) -> Result<usize, Stop> {
    usize::try_from(index).ok().filter(|offset| *offset < slot.length).ok_or(Stop::Fail(FailKind::Index))
}

fn apply(op: Op, left: i64, right: i64) -> Result<i64, Stop> {
    let result = match op {
        Op::Add => left.checked_add(right),
        Op::Sub => left.checked_sub(right),
        Op::Mul => left.checked_mul(right),
        Op::Div | Op::Rem if right == 0 => return Err(Stop::Fail(FailKind::DivisionByZero)),
        Op::Div => left.checked_div(right),
        Op::Rem => left.checked_rem(right),
    };
    result.ok_or(Stop::TooBig)
}
