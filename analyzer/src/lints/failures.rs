//! Steps that fail: one site per failing edge.

use super::Lint;
use crate::ir::FailKind;

/// The lint that looks for a kind of failure. Code we cannot see fails on nobody's behalf, and an empty range of
/// inputs is a mistake in the question.
pub fn lint_of(kind: FailKind) -> Option<Lint> {
    match kind {
        FailKind::Assertion => Some(Lint::AssertionFailed),
        FailKind::DivisionByZero => Some(Lint::DivisionByZero),
        FailKind::Overflow => Some(Lint::Overflow),
        FailKind::Index => Some(Lint::IndexOutOfBounds),
        FailKind::Shift => Some(Lint::InvalidShift),
        FailKind::Unwrap => Some(Lint::UnwrapFailed),
        FailKind::Panic | FailKind::Abort => Some(Lint::ReachablePanic),
        FailKind::EmptyRange | FailKind::Opaque => None,
    }
}
