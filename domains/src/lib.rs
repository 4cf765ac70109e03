//! Abstract domains over exact integers. Lattices only: no program, no logic, no IO.

pub mod int;
pub mod machine;
pub mod interval;
pub mod expr;

pub use expr::{BinaryOp, CompareOp, Cond, Expr, Var};
pub use int::Int;
pub use interval::{Bound, Interval, Thresholds};
pub use machine::IntType;
