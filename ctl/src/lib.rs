//! Three-valued CTL over finite models with may edges and must hyper-edges.
//!
//! The crate knows formulas, finite models and the verdicts `True`, `False` and `Maybe`. It knows no
//! program, no abstract domain and no solver; whatever proves that a loop is left comes in through the
//! [`Progress`] trait.
//!
//! Reading order: [`truth`], [`formula`], [`syntax`] and [`parse`] (the formula language), [`kripke`] (the
//! model), [`check`] (the verdicts), [`evidence`] (why), [`vacuity`], [`granularity`] (what one step is)
//! and [`text`] (the `.kripke` form of a model).
//!
//! ```
//! use kleene_ctl::{NoProgress, Truth, check, parse, parse_model};
//!
//! let named = parse_model("state 0 init p\nstate 1 p?\nmay 0 0 1\n").unwrap();
//! let formula = named.resolve(&parse("AG p").unwrap()).unwrap();
//! let checked = check(&named.model, &formula, &NoProgress);
//! assert_eq!(checked.verdict_over_initial(), Truth::Maybe);
//! ```

pub mod truth;

pub mod formula;
pub mod granularity;
mod lex;
pub mod parse;
mod print;
pub mod syntax;
pub mod vacuity;

pub mod bits;
pub mod kripke;
mod scc;

pub mod check;
pub mod evidence;
mod fixpoint;
mod rank;

pub mod text;

pub use check::{Checked, NoProgress, Progress, SubformulaId, check};
pub use evidence::{Cause, CauseKind, Explanation, explain};
pub use formula::{Formula, Quantifier};
pub use granularity::{at_first_visible, live, read_on_visible, restrict_to_live, visible_size};
pub use kripke::{AtomId, CellId, Model, ModelBuilder, ModelError};
pub use parse::{ParseError, parse};
pub use syntax::{Atom, Comparison, Name, SourceSpan, Term, TermOp};
pub use text::{ModelTextError, NamedModel, parse_model, print_model};
pub use truth::Truth;
pub use vacuity::{Occurrence, Vacuity, vacuity, vacuity_mutants};
