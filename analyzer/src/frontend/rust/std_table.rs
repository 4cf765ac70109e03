//! The standard library, as far as it is known: operations on integers.
//!
//! One row per method: its name, the integer types that have it, its parameters, its result, what it means.
//! The meanings are carried out in `lower/standard`. Methods that plain Rust can express stand in
//! `standard.rs.txt` instead (Option, Result, byte and char tests): to add one, write its body there.

use super::context::Context;
use super::types::{Integer, Length, Ty, U8, U32};
use kleene_domains::expr::CompareOp;
use kleene_domains::machine::IntType;

/// Arithmetic that the families `wrapping_*`, `checked_*`, … are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    DivEuclid,
    RemEuclid,
    Neg,
    Abs,
    Shl,
    Shr,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// As the operator: overflow fails or wraps by the arithmetic mode.
    Plain(Arith),
    Wrapping(Arith),
    Checked(Arith),
    Saturating(Arith),
    Overflowing(Arith),
    Min,
    Max,
    Clamp,
    Signum,
    IsPositive,
    IsNegative,
    AbsDiff,
    UnsignedAbs,
    IsPowerOfTwo,
    NextPowerOfTwo,
    CheckedNextPowerOfTwo,
    CountOnes,
    CountZeros,
    LeadingZeros,
    LeadingOnes,
    TrailingZeros,
    TrailingOnes,
    SquareRoot,
    Log2,
    CheckedLog2,
    DivCeil,
    NextMultipleOf,
    RotateLeft,
    RotateRight,
    SwapBytes,
    /// The bytes in this order, whatever the target's is.
    InOrder(Order),
    ToBytes(Order),
    FromBytes(Order),
    Compare,
    PartialCompare,
    /// An operator on two borrowed values, as a method.
    Relation(CompareOp),
    Identity,
    CastSigned,
    CastUnsigned,
    // Below: not methods of integers.
    From,
    TryFrom,
    Unwrap,
    UnwrapErr,
    SizeOf,
    AlignOf,
    /// About how many bytes a value takes, without what lies between its parts; the greatest number where nobody knows.
    AboutBytes,
    /// Whether an enumeration is at this variant.
    HasTag(u32),
    Length,
    /// What our own text of std cannot say in Rust: `kleene::…` there.
    Slice(SliceOp),
    Iterate,
    /// The places of a slice in some order, which only `for` goes through.
    Walked(WalkStep),
    Reversed,
    StepBy,
    /// `start_bound` of a range that is no iterator.
    StartBound,
    EndBound,
    Exit,
    Drop,
    /// `Default::default()`.
    Default,
}

/// What `xs.iter_mut().…` says about the places a loop goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalkStep {
    Numbered,
    Reversed,
    Skipped,
    Taken,
    /// With an iterator beside them.
    Zipped,
}

/// Operations on slices and texts that check nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceOp {
    /// A slice without elements.
    Empty,
    /// A vector of the elements of an array.
    Vector,
    /// So many equal elements.
    Repeat,
    Get,
    Put,
    /// The elements from one index up to another.
    Part,
    SetLength,
    /// The elements are no longer known.
    Forget,
    /// The call fails as an index does, or as a panic, unless this holds.
    CheckIndex,
    CheckPanic,
    /// What happens otherwise is undefined: runs go on only where this holds.
    Assume,
    /// A value nobody knows.
    Unseen,
    /// Code of others may run with this value: not for numbers and texts of std.
    Foreign,
    /// A value that whoever begins the run chooses: what somebody else's writer answers.
    Chosen,
    /// Whether closures in a value write to places around them.
    Writes,
    /// Whether cloning a value of this type is copying it.
    ClonesPlainly,
    /// A copy, if cloning is copying.
    Cloned,
    /// How two values compare whose order is plain.
    Ordered,
    /// Whether two values are the same whose equality is plain.
    Equals,
    /// Whether elements of a slice and a value compare without code of others, and equal ones are the same.
    OrdersPlainly,
    HashesPlainly,
    /// Values of this type may end here.
    Ended,
    /// Code that nobody sees: it may fail.
    Unknown,
    /// A number that no earlier step has made.
    Fresh,
    /// How many elements of a slice are followed at most.
    Sight,
    /// Arithmetic that is known to stay in range.
    Add,
    Sub,
    /// A text as its bytes, bytes as a text, a number as a letter, a float as its bits.
    Retype,
    /// The same bits as a value of another type.
    Transmute,
    /// Whether a character begins or the text ends here.
    Boundary,
    /// The letter a text begins or ends with, of more than one byte.
    FirstLetter,
    LastLetter,
    // Below: methods, not operations of the text.
    /// The part between bounds, if there is one.
    GetPart,
    /// A number or a letter that a text may be read as.
    Parse,
    /// Whether a number lies in a range.
    Contains,
}

impl SliceOp {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "empty" => Self::Empty,
            "vector" => Self::Vector,
            "repeat" => Self::Repeat,
            "get" => Self::Get,
            "put" => Self::Put,
            "part" => Self::Part,
            "set_length" => Self::SetLength,
            "forget" => Self::Forget,
            "check_index" => Self::CheckIndex,
            "check_panic" => Self::CheckPanic,
            "assume" => Self::Assume,
            "unseen" => Self::Unseen,
            "chosen" => Self::Chosen,
            "foreign" => Self::Foreign,
            "writes" => Self::Writes,
            "clones_plainly" => Self::ClonesPlainly,
            "cloned" => Self::Cloned,
            "ordered" => Self::Ordered,
            "equals" => Self::Equals,
            "orders_plainly" => Self::OrdersPlainly,
            "hashes_plainly" => Self::HashesPlainly,
            "ended" => Self::Ended,
            "lent" => Self::Retype,
            "unknown" => Self::Unknown,
            "fresh" => Self::Fresh,
            "sight" => Self::Sight,
            "add" => Self::Add,
            "sub" => Self::Sub,
            "bytes" | "text" => Self::Retype,
            "letter" | "bits32" | "bits64" | "float32" | "float64" => Self::Retype,
            "transmuted" => Self::Transmute,
            "boundary" => Self::Boundary,
            "first_letter" => Self::FirstLetter,
            "last_letter" => Self::LastLetter,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Big,
    Little,
    Native,
}

/// Which integer types have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Any,
    Signed,
    Unsigned,
}

/// The type of a parameter or a result, seen from the receiver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Own,
    /// A reference to one of the same type.
    Borrowed,
    Bool,
    U32,
    /// The type of the same width with the other sign.
    Signed,
    Unsigned,
    MaybeOwn,
    MaybeU32,
    OwnAndBool,
    Bytes,
    Ordering,
    MaybeOrdering,
}

impl Kind {
    pub fn ty(self, own: Integer, context: &Context<'_>) -> Ty {
        let sign = |signed: bool| Ty::Integer(Integer { ty: IntType { signed, bits: own.ty.bits }, ..own });
        match self {
            Self::Own => Ty::Integer(own),
            Self::Borrowed => Ty::Reference(super::hir::Mutability::Shared, Box::new(Ty::Integer(own))),
            Self::Bool => Ty::Bool,
            Self::U32 => U32,
            Self::Signed => sign(true),
            Self::Unsigned => sign(false),
            Self::MaybeOwn => context.option_of(Ty::Integer(own)),
            Self::MaybeU32 => context.option_of(U32),
            Self::OwnAndBool => Ty::Tuple(vec![Ty::Integer(own), Ty::Bool]),
            Self::Bytes => Ty::Array(Box::new(U8), Length::Known(u64::from(own.ty.bits / 8))),
            Self::Ordering => context.ordering(),
            Self::MaybeOrdering => context.option_of(context.ordering()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub name: &'static str,
    pub on: On,
    pub takes_self: bool,
    pub parameters: &'static [Kind],
    pub result: Kind,
    pub meaning: Meaning,
}

/// A method that takes `self`.
const fn row(
    name: &'static str,
    on: On,
    parameters: &'static [Kind],
    result: Kind,
    meaning: Meaning,
) -> Method {
    Method { name, on, takes_self: true, parameters, result, meaning }
}

use Kind::{Bool, Bytes, MaybeOwn, MaybeU32, Own, OwnAndBool};
use Meaning::{Checked, Overflowing, Plain, Saturating, Wrapping};
use On::{Any, Signed, Unsigned};

pub const METHODS: &[Method] = &[
    row("wrapping_add", Any, &[Own], Own, Wrapping(Arith::Add)),
    row("wrapping_sub", Any, &[Own], Own, Wrapping(Arith::Sub)),
    row("wrapping_mul", Any, &[Own], Own, Wrapping(Arith::Mul)),
    row("wrapping_div", Any, &[Own], Own, Wrapping(Arith::Div)),
    row("wrapping_rem", Any, &[Own], Own, Wrapping(Arith::Rem)),
    row("wrapping_div_euclid", Any, &[Own], Own, Wrapping(Arith::DivEuclid)),
    row("wrapping_rem_euclid", Any, &[Own], Own, Wrapping(Arith::RemEuclid)),
    row("wrapping_neg", Any, &[], Own, Wrapping(Arith::Neg)),
    row("wrapping_abs", Signed, &[], Own, Wrapping(Arith::Abs)),
    row("wrapping_shl", Any, &[Kind::U32], Own, Wrapping(Arith::Shl)),
    row("wrapping_shr", Any, &[Kind::U32], Own, Wrapping(Arith::Shr)),
    row("wrapping_pow", Any, &[Kind::U32], Own, Wrapping(Arith::Pow)),
    row("checked_add", Any, &[Own], MaybeOwn, Checked(Arith::Add)),
    row("checked_sub", Any, &[Own], MaybeOwn, Checked(Arith::Sub)),
    row("checked_mul", Any, &[Own], MaybeOwn, Checked(Arith::Mul)),
    row("checked_div", Any, &[Own], MaybeOwn, Checked(Arith::Div)),
    row("checked_rem", Any, &[Own], MaybeOwn, Checked(Arith::Rem)),
    row("checked_div_euclid", Any, &[Own], MaybeOwn, Checked(Arith::DivEuclid)),
    row("checked_rem_euclid", Any, &[Own], MaybeOwn, Checked(Arith::RemEuclid)),
    row("checked_neg", Any, &[], MaybeOwn, Checked(Arith::Neg)),
    row("checked_abs", Signed, &[], MaybeOwn, Checked(Arith::Abs)),
    row("checked_shl", Any, &[Kind::U32], MaybeOwn, Checked(Arith::Shl)),
    row("checked_shr", Any, &[Kind::U32], MaybeOwn, Checked(Arith::Shr)),
    row("checked_pow", Any, &[Kind::U32], MaybeOwn, Checked(Arith::Pow)),
    row("saturating_add", Any, &[Own], Own, Saturating(Arith::Add)),
    row("saturating_sub", Any, &[Own], Own, Saturating(Arith::Sub)),
    row("saturating_mul", Any, &[Own], Own, Saturating(Arith::Mul)),
    row("saturating_div", Any, &[Own], Own, Saturating(Arith::Div)),
    row("saturating_neg", Signed, &[], Own, Saturating(Arith::Neg)),
    row("saturating_abs", Signed, &[], Own, Saturating(Arith::Abs)),
    row("saturating_pow", Any, &[Kind::U32], Own, Saturating(Arith::Pow)),
    row("overflowing_add", Any, &[Own], OwnAndBool, Overflowing(Arith::Add)),
    row("overflowing_sub", Any, &[Own], OwnAndBool, Overflowing(Arith::Sub)),
    row("overflowing_mul", Any, &[Own], OwnAndBool, Overflowing(Arith::Mul)),
    row("overflowing_div", Any, &[Own], OwnAndBool, Overflowing(Arith::Div)),
    row("overflowing_rem", Any, &[Own], OwnAndBool, Overflowing(Arith::Rem)),
    row("overflowing_neg", Any, &[], OwnAndBool, Overflowing(Arith::Neg)),
    row("overflowing_abs", Signed, &[], OwnAndBool, Overflowing(Arith::Abs)),
    row("overflowing_shl", Any, &[Kind::U32], OwnAndBool, Overflowing(Arith::Shl)),
    row("overflowing_shr", Any, &[Kind::U32], OwnAndBool, Overflowing(Arith::Shr)),
    row("overflowing_pow", Any, &[Kind::U32], OwnAndBool, Overflowing(Arith::Pow)),
    row("abs", Signed, &[], Own, Plain(Arith::Abs)),
    row("pow", Any, &[Kind::U32], Own, Plain(Arith::Pow)),
    row("div_euclid", Any, &[Own], Own, Plain(Arith::DivEuclid)),
    row("rem_euclid", Any, &[Own], Own, Plain(Arith::RemEuclid)),
    row("min", Any, &[Own], Own, Meaning::Min),
    row("max", Any, &[Own], Own, Meaning::Max),
    row("clamp", Any, &[Own, Own], Own, Meaning::Clamp),
    row("signum", Signed, &[], Own, Meaning::Signum),
    row("is_positive", Signed, &[], Bool, Meaning::IsPositive),
    row("is_negative", Signed, &[], Bool, Meaning::IsNegative),
    row("abs_diff", Any, &[Own], Kind::Unsigned, Meaning::AbsDiff),
    row("unsigned_abs", Signed, &[], Kind::Unsigned, Meaning::UnsignedAbs),
    row("is_power_of_two", Unsigned, &[], Bool, Meaning::IsPowerOfTwo),
    row("next_power_of_two", Unsigned, &[], Own, Meaning::NextPowerOfTwo),
    row("checked_next_power_of_two", Unsigned, &[], MaybeOwn, Meaning::CheckedNextPowerOfTwo),
    row("count_ones", Any, &[], Kind::U32, Meaning::CountOnes),
    row("count_zeros", Any, &[], Kind::U32, Meaning::CountZeros),
    row("leading_zeros", Any, &[], Kind::U32, Meaning::LeadingZeros),
    row("leading_ones", Any, &[], Kind::U32, Meaning::LeadingOnes),
    row("trailing_zeros", Any, &[], Kind::U32, Meaning::TrailingZeros),
    row("trailing_ones", Any, &[], Kind::U32, Meaning::TrailingOnes),
    row("isqrt", Any, &[], Own, Meaning::SquareRoot),
    row("ilog2", Any, &[], Kind::U32, Meaning::Log2),
    row("checked_ilog2", Any, &[], MaybeU32, Meaning::CheckedLog2),
    row("div_ceil", Unsigned, &[Own], Own, Meaning::DivCeil),
    row("next_multiple_of", Unsigned, &[Own], Own, Meaning::NextMultipleOf),
    row("rotate_left", Any, &[Kind::U32], Own, Meaning::RotateLeft),
    row("rotate_right", Any, &[Kind::U32], Own, Meaning::RotateRight),
    row("swap_bytes", Any, &[], Own, Meaning::SwapBytes),
    row("to_be_bytes", Any, &[], Bytes, Meaning::ToBytes(Order::Big)),
    row("to_le_bytes", Any, &[], Bytes, Meaning::ToBytes(Order::Little)),
    row("to_ne_bytes", Any, &[], Bytes, Meaning::ToBytes(Order::Native)),
    Method { takes_self: false, ..row("from_be_bytes", Any, &[Bytes], Own, Meaning::FromBytes(Order::Big)) },
    Method {
        takes_self: false,
        ..row("from_le_bytes", Any, &[Bytes], Own, Meaning::FromBytes(Order::Little))
    },
    Method {
        takes_self: false,
        ..row("from_ne_bytes", Any, &[Bytes], Own, Meaning::FromBytes(Order::Native))
    },
    row("cmp", Any, &[Kind::Borrowed], Kind::Ordering, Meaning::Compare),
    row("partial_cmp", Any, &[Kind::Borrowed], Kind::MaybeOrdering, Meaning::PartialCompare),
    row("eq", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::Equal)),
    row("ne", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::NotEqual)),
    row("lt", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::Less)),
    row("le", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::LessEqual)),
    row("gt", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::Greater)),
    row("ge", Any, &[Kind::Borrowed], Bool, Meaning::Relation(CompareOp::GreaterEqual)),
    row("to_le", Any, &[], Own, Meaning::InOrder(Order::Little)),
    row("to_be", Any, &[], Own, Meaning::InOrder(Order::Big)),
    Method { takes_self: false, ..row("from_le", Any, &[Own], Own, Meaning::InOrder(Order::Little)) },
    Method { takes_self: false, ..row("from_be", Any, &[Own], Own, Meaning::InOrder(Order::Big)) },
    row("clone", Any, &[], Own, Meaning::Identity),
    row("cast_signed", Unsigned, &[], Kind::Signed, Meaning::CastSigned),
    row("cast_unsigned", Signed, &[], Kind::Unsigned, Meaning::CastUnsigned),
];

/// The row of a method of an integer type.
pub fn find(ty: &Ty, name: &str) -> Option<&'static Method> {
    let Ty::Integer(integer) = ty else { return None };
    METHODS.iter().find(|method| {
        let has = match method.on {
            Any => true,
            Signed => integer.ty.signed,
            Unsigned => !integer.ty.signed,
        };
        has && method.name == name
    })
}

/// Names that `use std::PATH::*` brings, of those that mean something to us.
pub fn declares(path: &str, name: &str) -> bool {
    matches!(
        (path, name),
        ("cmp", "min" | "max" | "Ordering" | "Reverse")
            | ("cmp::Ordering", "Less" | "Equal" | "Greater")
            | ("collections", "BTreeMap" | "BTreeSet" | "BinaryHeap" | "HashMap" | "HashSet" | "VecDeque")
            | ("option", "Option")
            | ("result", "Result")
            | ("mem", "swap" | "replace" | "take" | "drop")
            | ("option::Option", "Some" | "None")
            | ("result::Result", "Ok" | "Err")
            | ("num::IntErrorKind", "Empty" | "InvalidDigit" | "PosOverflow" | "NegOverflow" | "Zero")
            | ("sync::atomic::Ordering", "Relaxed" | "Release" | "Acquire" | "AcqRel" | "SeqCst")
            | ("ops::Bound", "Included" | "Excluded" | "Unbounded")
    )
}

/// Enumerations of which `declares` knows all variants.
pub const ENUMERATIONS: [&str; 6] = [
    "cmp::Ordering",
    "option::Option",
    "result::Result",
    "num::IntErrorKind",
    "sync::atomic::Ordering",
    "ops::Bound",
];
