//! The differential oracle: random programs and formulas, answered by an explicit-state reference that
//! shares no code with the analyzer, compared with what the analyzer says.
//!
//! In reading order: the programs (`program`, `print`, `validate`), their steps (`compile`, `evaluate`,
//! `reference`), the logic (`logic`, `check`, `model`), the random cases, and the comparison.

pub mod names;
pub mod print;
pub mod program;
pub mod validate;

pub mod compile;
pub mod evaluate;
pub mod reference;

pub mod calls;
pub mod check;
pub mod logic;
pub mod model;
pub mod readings;

pub mod generate;
pub mod rng;

mod copies;
pub mod crates;
pub mod differential;
pub mod domains;
pub mod engine;
pub mod evidence;
pub mod fuzz;
pub mod replays;
pub mod rust;
pub mod shrink;
pub mod statistics;
pub mod suite;
pub mod trues;
pub mod variants;
pub mod workflow;
