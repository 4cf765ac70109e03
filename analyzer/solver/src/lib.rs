//! Is there a value for every variable that makes these conditions hold?
//!
//! The one seam through which the refinement stage asks: [`Solver`]. Behind it stand an embedded
//! solver in Rust, SMT-LIB processes (`z3`, `cvc5`), and recordings of earlier sessions. The language is
//! that of the domains, [`Cond`](kleene_domains::Cond) and [`Expr`](kleene_domains::Expr), with the
//! meaning of [`concrete::holds`](kleene_domains::concrete::holds). Knows no program and no logic; what is
//! not decided within its [`Budget`] is [`Answer::Unknown`] with a [`Reason`].

// In reading order; the blank lines keep the formatter from sorting it.

pub mod problem;

pub mod clock;

pub mod budget;

pub mod solver;

pub mod choice;

pub mod embedded;

pub mod smtlib;

pub mod process;

pub mod record;

pub use budget::{Budget, Limit};
pub use choice::{Choice, is_runnable};
pub use embedded::Embedded;
pub use problem::{Problem, Sort};
pub use process::Process;
pub use record::{Recorder, Replay};
pub use solver::{Answer, Model, Reason, Solver};
