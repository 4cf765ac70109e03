//! Expressions and conditions with their places resolved, and what they are in a memory.
//!
//! The rules are those of `kleene_domains::concrete`, for values that fit a cell. Whatever else comes up (an operand that
//! does not, a result that does not, an operator that is not defined there) has no answer here, and whoever asked
//! evaluates the expression itself.

use kleene_domains::{BinaryOp, CompareOp, IntType, UnaryOp};

use super::cells::{Cell, NOTHING, is_odd};

/// Where a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    Global(u32),
    /// Counted from the beginning of the frame.
    Local(u32),
}

impl Address {
    #[inline]
    pub fn of(self, base: usize) -> usize {
        match self {
            Self::Global(slot) => slot as usize,
            Self::Local(slot) => base + slot as usize,
        }
    }

    pub fn plus(self, slots: u32) -> Self {
        match self {
            Self::Global(slot) => Self::Global(slot + slots),
            Self::Local(slot) => Self::Local(slot + slots),
        }
    }
}

/// An element of an array, whose index is computed.
#[derive(Debug)]
pub struct Indexed {
    pub first: Address,
    /// The slots of the whole variable, from its first.
    pub whole: (Address, u32),
    /// Indices, how many there are of each, and the slots of one element.
    pub indices: Vec<(Code, u32, u32)>,
}

impl Indexed {
    #[inline]
    pub fn at(&self, cells: &[Cell], base: usize) -> Option<usize> {
        let mut at = self.first.of(base);
        for (index, count, slots) in &self.indices {
            let index = index.value(cells, base);
            if index < 0 || index >= Cell::from(*count) {
                return None;
            }
            at += index as usize * *slots as usize;
        }
        Some(at)
    }
}

#[derive(Debug)]
pub enum Code {
    Constant(Cell),
    Slot(Address),
    Element(Box<Indexed>),
    Negate(Box<Code>),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<[Code; 2]>),
    Wrap(IntType, Box<Code>),
    IfThenElse(Box<(Test, Code, Code)>),
    /// What has no answer here.
    Nothing,
}

#[derive(Debug)]
pub enum Test {
    Literal(bool),
    Compare(CompareOp, Code, Code),
    Not(Box<Test>),
    And(Box<[Test; 2]>),
    Or(Box<[Test; 2]>),
}

impl Code {
    /// The cell of its value. Odd where there is no answer, or where the value is that of an odd cell as it is.
    pub fn value(&self, cells: &[Cell], base: usize) -> Cell {
        match self {
            Self::Constant(value) => *value,
            Self::Slot(address) => cells[address.of(base)],
            Self::Element(indexed) => indexed.at(cells, base).map_or(NOTHING, |at| cells[at]),
            Self::Binary(op, operands) => {
                let left = operands[0].value(cells, base);
                if is_odd(left) {
                    return NOTHING;
                }
                let right = operands[1].value(cells, base);
                if is_odd(right) {
                    return NOTHING;
                }
                apply(*op, left, right).filter(|value| !is_odd(*value)).unwrap_or(NOTHING)
            }
            Self::Wrap(ty, inner) => match inner.value(cells, base) {
                value if is_odd(value) => NOTHING,
                value => wrapped(*ty, value),
            },
            Self::IfThenElse(parts) => match parts.0.holds(cells, base) {
                Some(true) => parts.1.value(cells, base),
                Some(false) => parts.2.value(cells, base),
                None => NOTHING,
            },
            Self::Negate(inner) => match inner.value(cells, base) {
                value if is_odd(value) => NOTHING,
                value => value.checked_neg().filter(|value| !is_odd(*value)).unwrap_or(NOTHING),
            },
            Self::Unary(op, inner) => match inner.value(cells, base) {
                value if is_odd(value) || value < 0 => NOTHING,
                value => apply_unary(*op, value),
            },
            Self::Nothing => NOTHING,
        }
    }
}

impl Test {
    pub fn holds(&self, cells: &[Cell], base: usize) -> Option<bool> {
        match self {
            Self::Literal(value) => Some(*value),
            Self::Compare(op, left, right) => {
                let left = left.value(cells, base);
                if is_odd(left) {
                    return None;
                }
                let right = right.value(cells, base);
                (!is_odd(right)).then(|| op.holds(&left, &right))
            }
            Self::Not(inner) => Some(!inner.holds(cells, base)?),
            Self::And(sides) => Some(sides[0].holds(cells, base)? && sides[1].holds(cells, base)?),
            Self::Or(sides) => Some(sides[0].holds(cells, base)? || sides[1].holds(cells, base)?),
        }
    }
}

fn apply(op: BinaryOp, left: Cell, right: Cell) -> Option<Cell> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::Div => divided(left, right, i64::checked_div, Cell::checked_div),
        BinaryOp::Rem => divided(left, right, i64::checked_rem, Cell::checked_rem),
        BinaryOp::Min => Some(left.min(right)),
        BinaryOp::Max => Some(left.max(right)),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::ShiftLeft => {
            let shifted = left.checked_shl(u32::try_from(right).ok()?)?;
            (shifted >> right == left).then_some(shifted)
        }
        BinaryOp::ShiftRight => left.checked_shr(u32::try_from(right).ok()?),
        BinaryOp::Power => left.checked_pow(u32::try_from(right).ok().filter(|count| *count < 128)?),
    }
}

/// Division of large numbers takes its time.
fn divided(
    left: Cell,
    right: Cell,
    small: fn(i64, i64) -> Option<i64>,
    large: fn(Cell, Cell) -> Option<Cell>,
) -> Option<Cell> {
    match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) if right != -1 => small(left, right).map(Cell::from),
        _ => large(left, right),
    }
}

/// Of a number that is not negative.
fn apply_unary(op: UnaryOp, value: Cell) -> Cell {
    match op {
        UnaryOp::CountOnes => value.count_ones().into(),
        UnaryOp::BitLength => (Cell::BITS - value.leading_zeros()).into(),
        UnaryOp::TrailingZeros if value == 0 => NOTHING,
        UnaryOp::TrailingZeros => value.trailing_zeros().into(),
        UnaryOp::SquareRoot => value.isqrt(),
    }
}

fn wrapped(ty: IntType, value: Cell) -> Cell {
    let unused = Cell::BITS.saturating_sub(ty.bits);
    match (ty.bits, ty.signed) {
        (1..=126, true) => value << unused >> unused,
        (1..=126, false) => ((value as u128) << unused >> unused) as Cell,
        (128, true) => value,
        (127 | 128, false) if value >= 0 => value,
        _ => NOTHING,
    }
}
