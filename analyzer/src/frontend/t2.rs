//! Transition systems as temporal provers read them (`.t2`).
//!
//! token → parse → per block: execute symbolically, solve for drawn values → per location: choose
//! between what is enabled → graph. A block is one atomic step: its assumptions are tested with the
//! assignments before them made, and it is not taken if one fails midway. A location with no block
//! enabled is an end.

mod ast;
mod block;
mod choice;
mod forms;
mod lower;
mod parse;
mod solve;
mod surface;
mod token;

use std::sync::Arc;

use super::Lowered;
use super::cminus::{has_errors, on_large_stack, sorted};
use crate::source::{Diagnostic, SourceFile, Span};

pub fn lower(file: &Arc<SourceFile>) -> Result<Lowered, Vec<Diagnostic>> {
    on_large_stack(file, || lower_here(file))
}

fn lower_here(file: &Arc<SourceFile>) -> Result<Lowered, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let tokens = token::tokenize(file, &mut diagnostics);
    let unit = parse::parse(&tokens, &mut diagnostics);
    let end = Span::new(file.id, file.text.len(), file.text.len());
    let Some(start) = unit.start else {
        if !has_errors(&diagnostics) {
            let beginning = Span::new(file.id, 0, 0);
            diagnostics.push(Diagnostic::error(beginning, "the file has no `START: location;`"));
        }
        return Err(sorted(diagnostics));
    };
    let program = lower::lower(&unit, start, end, &mut diagnostics);
    if has_errors(&diagnostics) {
        return Err(sorted(diagnostics));
    }
    debug_assert_eq!(crate::ir::verify::verify(&program), Ok(()), "a front end builds well-formed programs");
    Ok(Lowered::new(program, sorted(diagnostics)))
}
