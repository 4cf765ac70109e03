//! Problems as SMT-LIB 2 text, and the answers back.
//!
//! Knows the language only; `process` knows how to talk.

mod bits;

mod print;

mod read;

pub use bits::expressible;
pub use print::{assertion_name, script, variable_name};
pub use read::{Sexp, core, values};
