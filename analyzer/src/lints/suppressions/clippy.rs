//! Lints of clippy and rustc that speak of the same things as ours.

use super::Permit;
use crate::lints::Lint;

/// What an attribute leaves alone, by the name of its lint.
const KNOWN: [(&str, Lint, &str); 40] = [
    ("clippy::arithmetic_side_effects", Lint::Overflow, ""),
    ("clippy::arithmetic_side_effects", Lint::DivisionByZero, ""),
    ("clippy::arithmetic_side_effects", Lint::InvalidShift, ""),
    ("clippy::integer_division_remainder_used", Lint::DivisionByZero, ""),
    ("clippy::indexing_slicing", Lint::IndexOutOfBounds, ""),
    ("clippy::out_of_bounds_indexing", Lint::IndexOutOfBounds, ""),
    ("clippy::string_slice", Lint::IndexOutOfBounds, ""),
    ("clippy::unwrap_used", Lint::UnwrapFailed, "unwrap"),
    ("clippy::expect_used", Lint::UnwrapFailed, "expect"),
    ("clippy::panic", Lint::ReachablePanic, "panic!"),
    ("clippy::unreachable", Lint::ReachablePanic, "unreachable!"),
    ("clippy::todo", Lint::ReachablePanic, "todo!"),
    ("clippy::unimplemented", Lint::ReachablePanic, "unimplemented!"),
    ("clippy::panic_in_result_fn", Lint::ReachablePanic, ""),
    ("clippy::panic_in_result_fn", Lint::AssertionFailed, ""),
    ("clippy::cast_possible_truncation", Lint::LossyCast, ""),
    ("clippy::cast_possible_wrap", Lint::LossyCast, ""),
    ("clippy::cast_sign_loss", Lint::LossyCast, ""),
    ("clippy::as_conversions", Lint::LossyCast, ""),
    ("clippy::while_immutable_condition", Lint::NonTermination, ""),
    ("clippy::infinite_loop", Lint::NonTermination, ""),
    ("clippy::assertions_on_constants", Lint::AssertionFailed, ""),
    ("clippy::absurd_extreme_comparisons", Lint::ConstantCondition, ""),
    ("clippy::overly_complex_bool_expr", Lint::ConstantCondition, ""),
    ("clippy::erasing_op", Lint::ConstantCondition, ""),
    ("clippy::restriction", Lint::Overflow, ""),
    ("clippy::restriction", Lint::DivisionByZero, ""),
    ("clippy::restriction", Lint::InvalidShift, ""),
    ("clippy::restriction", Lint::IndexOutOfBounds, ""),
    ("clippy::restriction", Lint::UnwrapFailed, ""),
    ("clippy::restriction", Lint::ReachablePanic, ""),
    ("clippy::restriction", Lint::LossyCast, ""),
    ("arithmetic_overflow", Lint::Overflow, ""),
    ("arithmetic_overflow", Lint::InvalidShift, ""),
    ("unconditional_panic", Lint::DivisionByZero, ""),
    ("unconditional_panic", Lint::IndexOutOfBounds, ""),
    ("unused_comparisons", Lint::ConstantCondition, ""),
    ("unreachable_code", Lint::UnreachableCode, ""),
    ("unreachable_patterns", Lint::UnreachableCode, ""),
    ("unconditional_recursion", Lint::NonTermination, ""),
];

pub(super) fn permits(name: &str) -> impl Iterator<Item = Permit> {
    let same = KNOWN.iter().filter(move |(known, ..)| *known == name);
    same.map(|(name, lint, beginning)| Permit { name: (*name).to_string(), lint: *lint, beginning })
}

/// Whether a text names one of them.
pub(super) fn may_be_in(text: &str) -> bool {
    let has_clippy = text.contains("clippy");
    KNOWN.iter().any(|(name, ..)| match name.strip_prefix("clippy::") {
        Some(own) => has_clippy && text.contains(own),
        None => text.contains(name),
    })
}

/// Those that leave a lint alone, but for whole groups of them.
pub fn names(lint: Lint) -> Vec<&'static str> {
    let own = KNOWN.iter().filter(|(name, of, _)| *of == lint && *name != "clippy::restriction");
    own.map(|(name, ..)| *name).collect()
}
