//! The abstract interpreter: a program and a precision in, cells that cover every concrete run out.
//!
//! Reading order: `order` (when to visit what, where to widen), `context` (calls), `relevance` (what need
//! not be tracked), `cuts` (where values are split), `cases` (guards taken apart), `packs` and `related` (which
//! variables are looked at together, and how), `compile` (commands over slots), `telling`
//! (what keeps joined states apart), `aims` and `draw` (inputs), `transfer` (one abstract step), `explore` (the
//! fixpoint). Knows nothing of temporal operators.

pub mod order;

pub mod context;

pub mod relevance;

pub mod cuts;

pub mod cases;

pub mod offsets;
pub mod packs;

pub mod related;

pub mod compile;

pub mod telling;

pub mod aims;

pub mod draw;

pub mod transfer;

pub mod explore;

/// What is known at a point of the program: of single variables, of packs of them, and what a solver has proved.
pub type State = kleene_domains::facts::Facts<kleene_domains::packs::Packed<related::Related>>;
