//! Abstract domains over exact integers.
//!
//! Lattices only: this crate knows no program, no logic and does no IO. One abstract *value* (an
//! interval, an interval set, a congruence, their product) is a different thing from a *state*
//! (boxes), which knows what holds of several variables at once.

// In reading order; the blank lines keep the formatter from sorting it.

pub mod int;

pub mod machine;

pub mod operator;

pub mod expr;

pub mod linear;

pub mod concrete;

pub mod lattice;

pub mod laws;

pub mod interval;

pub mod interval_set;

pub mod congruence;

pub mod finite;

pub mod product;

pub mod bounded;

pub mod numeric;

pub mod boxes;

pub mod relation;

pub mod octagon;

pub mod polyhedra;

pub mod packs;

pub mod facts;

pub mod recording;

pub use boxes::BoxState;
pub use congruence::Congruence;
pub use expr::{BinaryOp, CompareOp, Cond, Expr, UnaryOp, Var};
pub use finite::FiniteSet;
pub use int::Int;
pub use interval::{Bound, Interval, Thresholds};
pub use interval_set::IntervalSet;
pub use lattice::{Lattice, Widen};
pub use linear::LinearExpr;
pub use machine::IntType;
pub use numeric::NumericState;
pub use octagon::Octagon;
pub use operator::Needs;
pub use polyhedra::Polyhedron;
pub use product::Value;
pub use relation::{Constraint, Relation};
