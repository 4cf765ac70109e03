//! The operators of expressions and where they are defined.
//!
//! Integers are unbounded; bits are those of the infinite two's complement reading, in which a negative number
//! has ones all the way up. A partial operator says here what its operands need; everything that has to know
//! definedness (evaluation, guards, solvers) asks for it, so that there is one rule only.

use crate::expr::{Cond, Expr};
use crate::int::Int;
use crate::interval::Interval;
use crate::product::Value;

/// The greatest shift and the greatest exponent that are defined. A program must not make us fill the memory.
pub const LARGEST_SHIFT: i64 = 255;
/// Bases of powers have at most so many bits.
pub const BASE_BITS: u32 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Truncates toward zero; undefined where the divisor is 0.
    Div,
    /// Takes the sign of the dividend; undefined where the divisor is 0.
    Rem,
    Min,
    Max,
    BitAnd,
    BitOr,
    BitXor,
    /// `left * 2^right`, for `right` from 0 to [`LARGEST_SHIFT`].
    ShiftLeft,
    /// `left / 2^right` rounded down, for `right` from 0 to [`LARGEST_SHIFT`].
    ShiftRight,
    /// `left` to the power `right`, for `right` from 0 to [`LARGEST_SHIFT`] and bases of [`BASE_BITS`]; 0 to the
    /// power 0 is 1.
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// How many bits are one, of a number that is not negative.
    CountOnes,
    /// The number of bits without leading zeros, of a number that is not negative: 0 for 0.
    BitLength,
    /// The number of zeros below the lowest one, of a positive number.
    TrailingZeros,
    /// Rounded down, of a number that is not negative.
    SquareRoot,
}

/// Which values an operand may have for the operator to be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    Anything,
    NotZero,
    /// From the one to the other, or without end.
    Within(Int, Option<Int>),
}

impl BinaryOp {
    pub const ALL: [BinaryOp; 13] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::Min,
        Self::Max,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Power,
    ];

    pub fn is_partial(self) -> bool {
        matches!(self, Self::Div | Self::Rem | Self::ShiftLeft | Self::ShiftRight | Self::Power)
    }

    /// What the left and the right operand need.
    pub fn needs(self) -> (Needs, Needs) {
        let count = || Needs::Within(Int::ZERO, Some(Int::from(LARGEST_SHIFT)));
        match self {
            Self::Div | Self::Rem => (Needs::Anything, Needs::NotZero),
            Self::ShiftLeft | Self::ShiftRight => (Needs::Anything, count()),
            Self::Power => {
                let most = Int::from(2).pow(BASE_BITS) - Int::ONE;
                (Needs::Within(most.neg(), Some(most)), count())
            }
            _ => (Needs::Anything, Needs::Anything),
        }
    }
}

impl UnaryOp {
    pub const ALL: [UnaryOp; 4] = [Self::CountOnes, Self::BitLength, Self::TrailingZeros, Self::SquareRoot];

    /// What the operand needs. Every unary operator is partial.
    pub fn needs(self) -> Needs {
        match self {
            Self::CountOnes | Self::BitLength | Self::SquareRoot => Needs::Within(Int::ZERO, None),
            Self::TrailingZeros => Needs::Within(Int::ONE, None),
        }
    }

    /// As in the text form of programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::CountOnes => "ones",
            Self::BitLength => "bits",
            Self::TrailingZeros => "zeros",
            Self::SquareRoot => "root",
        }
    }
}

impl Needs {
    pub fn allow(&self, value: &Int) -> bool {
        match self {
            Self::Anything => true,
            Self::NotZero => !value.is_zero(),
            Self::Within(low, high) => low <= value && high.as_ref().is_none_or(|high| value <= high),
        }
    }

    /// Whether a member of the set is not allowed.
    pub fn exclude_some(&self, values: &Value) -> bool {
        match self {
            Self::Anything => false,
            // Leaving out 0 may need more parts than a value can have.
            Self::NotZero => values.contains(&Int::ZERO),
            Self::Within(..) => self.allowed(values) != *values,
        }
    }

    /// The values of a set that are allowed; more, where they have too many parts.
    pub fn allowed(&self, values: &Value) -> Value {
        match self {
            Self::Anything => values.clone(),
            Self::NotZero => values.without(&Int::ZERO),
            Self::Within(low, high) => {
                let above = values.meet_interval(&Interval::at_least(low));
                match high {
                    Some(high) => above.meet_interval(&Interval::at_most(high)),
                    None => above,
                }
            }
        }
    }

    /// The condition that an operand's value is allowed; `None`: always.
    pub fn condition<V: Clone>(&self, operand: &Expr<V>) -> Option<Cond<V>> {
        use crate::expr::CompareOp::{GreaterEqual, LessEqual, NotEqual};
        let compare = |op, with: &Int| Cond::Compare(op, operand.clone(), Expr::Constant(with.clone()));
        match (self, operand) {
            (Self::Anything, _) => None,
            (needs, Expr::Constant(value)) => (!needs.allow(value)).then_some(Cond::Literal(false)),
            (Self::NotZero, _) => Some(compare(NotEqual, &Int::ZERO)),
            (Self::Within(low, high), _) => {
                let above = compare(GreaterEqual, low);
                Some(match high {
                    Some(high) => above.and(compare(LessEqual, high)),
                    None => above,
                })
            }
        }
    }
}
