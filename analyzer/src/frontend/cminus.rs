//! C- and the integer part of C.
//!
//! token → (C only) preprocess → parse → lower → uninitialised. Each stage reports what it finds and
//! the next one still runs, so that one call shows all mistakes of a file.

mod ast;
mod constant;
mod lower;
mod parse;
mod preprocess;
mod token;
mod types;
mod uninitialised;

use std::sync::Arc;

use super::{FrontendOptions, Language, Lowered};
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// Larger files are refused: tokens and graph take some fifty times the text.
const SIZE_LIMIT: usize = 16 << 20;
/// More errors than this help nobody.
const ERROR_LIMIT: usize = 100;
/// The recursion of the stages is bounded by the parser's limits; this stack holds it with room.
const STACK: usize = 256 << 20;

pub fn lower(
    file: &Arc<SourceFile>,
    language: Language,
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    on_large_stack(file, || lower_here(file, language, options))
}

/// Runs a front end whose recursion is bounded but deep, on a file that is not too large for it.
pub(super) fn on_large_stack(
    file: &Arc<SourceFile>,
    work: impl FnOnce() -> Result<Lowered, Vec<Diagnostic>> + Send,
) -> Result<Lowered, Vec<Diagnostic>> {
    let start = Span::new(file.id, 0, 0);
    if file.text.len() > SIZE_LIMIT {
        let message = format!("the file has {} bytes; at most {SIZE_LIMIT} are supported", file.text.len());
        return Err(vec![Diagnostic::error(start, message)]);
    }
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(vec![Diagnostic::error(start, format!("cannot start a thread: {error}"))]),
        }
    })
}

fn lower_here(
    file: &Arc<SourceFile>,
    language: Language,
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut tokens = token::tokenize(file, &mut diagnostics);
    if language == Language::C {
        tokens = preprocess::preprocess(tokens, &mut diagnostics);
    }
    let (unit, skipped_names) = parse::parse(&tokens, language, &mut diagnostics);
    let broken = has_errors(&diagnostics);
    let program = lower::lower(&unit, language, options, skipped_names, broken, &mut diagnostics);
    match program {
        Some(program) if !has_errors(&diagnostics) => {
            debug_assert_eq!(
                crate::ir::verify::verify(&program),
                Ok(()),
                "a front end builds well-formed programs"
            );
            diagnostics.extend(uninitialised::warnings(&program));
            Ok(Lowered::new(program, sorted(diagnostics)))
        }
        _ => Err(sorted(diagnostics)),
    }
}

pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// In the order of the text, and not too many.
pub(super) fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    diagnostics.dedup();
    if diagnostics.len() > ERROR_LIMIT {
        let more = diagnostics.len() - ERROR_LIMIT;
        let any_error = has_errors(&diagnostics[ERROR_LIMIT..]);
        diagnostics.truncate(ERROR_LIMIT);
        let severity = if any_error { Severity::Error } else { Severity::Warning };
        diagnostics.push(Diagnostic {
            severity,
            message: format!("{more} more remarks"),
            span: None,
            help: None,
        });
    }
    diagnostics
}
