//! A thin slice of Rust: free functions over integers and booleans.
//!
//! Everything else is refused with its place ("not supported yet"). The slice has no type inference
//! beyond what an expression shows by itself: a literal takes the type that is expected of it, and
//! where nothing says a type, "type needed" is reported. Written to be replaced as a whole.

mod call;
mod expression;
mod lower;
mod macros;
mod scan;
mod statement;
mod types;

use std::sync::Arc;

use super::{FrontendOptions, Lowered};
use crate::source::{Diagnostic, SourceFile, Span};

const SIZE_LIMIT: usize = 4 << 20;
/// Holds the recursion of the parser within the limits of `scan`.
const STACK: usize = 512 << 20;

pub fn lower(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let start = Span::new(file.id, 0, 0);
    if file.text.len() > SIZE_LIMIT {
        let message = format!("the file has {} bytes; at most {SIZE_LIMIT} are supported", file.text.len());
        return Err(vec![Diagnostic::error(start, message)]);
    }
    if let Some(deep) = scan::too_deep(file) {
        return Err(vec![deep]);
    }
    // The parser keeps its positions in the thread: a fresh one starts at zero and forgets them.
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || lower_here(file, options))
        {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(vec![Diagnostic::error(start, format!("cannot start a thread: {error}"))]),
        }
    })
}

fn lower_here(file: &SourceFile, options: &FrontendOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let places = Places { file, skipped: file.text.len() - text.len() };
    let syntax = match syn::parse_str::<syn::File>(text) {
        Ok(syntax) => syntax,
        Err(errors) => {
            let found = errors
                .into_iter()
                .map(|error| Diagnostic::error(places.span(error.span()), error.to_string()));
            return Err(found.collect());
        }
    };
    let mut diagnostics = Vec::new();
    let program = lower::program(&syntax, &places, options, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    match program {
        Some(program) => {
            debug_assert_eq!(
                crate::ir::verify::verify(&program),
                Ok(()),
                "a front end builds well-formed programs"
            );
            Ok(Lowered { program, diagnostics })
        }
        None => Err(diagnostics),
    }
}

/// Translates the parser's places into ours.
struct Places<'f> {
    file: &'f SourceFile,
    /// Bytes that the parser did not see.
    skipped: usize,
}

impl Places<'_> {
    fn span(&self, span: proc_macro2::Span) -> Span {
        let range = span.byte_range();
        let limit = self.file.text.len();
        let (start, end) = (range.start + self.skipped, range.end + self.skipped);
        Span::new(self.file.id, start.min(limit), end.min(limit))
    }

    fn of(&self, node: &impl syn::spanned::Spanned) -> Span {
        self.span(node.span())
    }
}
