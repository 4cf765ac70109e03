//! Reads of variables that no write may have reached.

use crate::ir::Program;
use crate::source::Diagnostic;

pub fn warnings(_program: &Program) -> Vec<Diagnostic> {
    Vec::new()
}
