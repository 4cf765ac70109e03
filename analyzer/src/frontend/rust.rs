//! Rust: read with `syn`, resolved and typed as far as needed, lowered to guarded steps.
//!
//! The stages in order: `scan` (is it safe to parse), `read` (items and bodies of our own), `defs` (names),
//! `infer` (types), `lower` (places, order of evaluation, steps). Nothing of the code is executed or compiled.
//! What is not understood costs precision where it stands and is recorded; only a text that is no Rust is
//! refused.

mod cfg;
mod context;
mod defs;
pub mod entries;
mod hir;
mod infer;
mod intrinsics;
mod items;
mod lower;
mod read;
mod scan;
mod std_table;
mod text;
mod types;

use std::sync::Arc;

pub use cfg::Configuration;
pub use entries::Entry;
pub use intrinsics::Intrinsics;

use super::{Arithmetic, FrontendOptions, Lowered, Unknown};
use crate::source::{Diagnostic, FileId, Severity, SourceFile, Span};

const SIZE_LIMIT: usize = 16 << 20;
/// Holds the recursion of the parser within the limits of `scan`.
const STACK: usize = 512 << 20;
/// Remarks about unknown code beyond this many are left to the list of all.
const REMARK_LIMIT: usize = 20;

/// How Rust is read, beyond what all languages have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RustOptions {
    pub features: Vec<String>,
    /// Bits of `usize`; 64 unless given.
    pub pointer_width: Option<u32>,
    /// Follows the arithmetic unless given.
    pub debug_assertions: Option<bool>,
    pub intrinsics: Intrinsics,
    /// Casts that change the value get a step of their own, for those who ask about them.
    pub marks_casts: bool,
}

/// A file that was read: what any number of programs are made of.
#[derive(Debug)]
pub struct Crate {
    items: items::Items,
    configuration: Configuration,
    arithmetic: Arithmetic,
    start: Span,
}

pub fn lower(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let read = Crate::read(file, options)?;
    if options.entry.is_empty() {
        return read.whole();
    }
    let Some(entry) = read.entry_named(&options.entry) else {
        return Err(vec![read.no_such_entry(&options.entry)]);
    };
    read.program(&entry)
}

impl Crate {
    pub fn read(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Self, Vec<Diagnostic>> {
        let start = Span::new(file.id, 0, 0);
        if file.text.len() > SIZE_LIMIT {
            let message =
                format!("the file has {} bytes; at most {SIZE_LIMIT} are supported", file.text.len());
            return Err(vec![Diagnostic::error(start, message)]);
        }
        if let Some(deep) = scan::too_deep(file) {
            return Err(vec![deep]);
        }
        let debug = options.rust.debug_assertions.unwrap_or(options.arithmetic == Arithmetic::Debug);
        let configuration = Configuration {
            features: options.rust.features.clone(),
            pointer_width: options.rust.pointer_width.unwrap_or(64),
            debug_assertions: debug,
            marks_casts: options.rust.marks_casts,
        };
        // The parser keeps its positions in the thread: a fresh one starts at zero and forgets them.
        let items = on_large_stack(start, || read_items(file, &configuration, &options.rust.intrinsics))??;
        Ok(Self { items, configuration, arithmetic: options.arithmetic, start })
    }

    /// The program that begins with one function. Fails only where a step would be too large to build.
    pub fn program(&self, entry: &Entry) -> Result<Lowered, Vec<Diagnostic>> {
        on_large_stack(self.start, || self.lower_entry(entry))?
    }

    /// The program of all functions, with every entry of the file.
    pub fn whole(&self) -> Result<Lowered, Vec<Diagnostic>> {
        let entries = self.entries();
        if entries.is_empty() {
            return Err(vec![self.no_such_entry("main")]);
        }
        on_large_stack(self.start, || {
            let context = context::Context::new(&self.items, &self.configuration, self.arithmetic);
            let given: Vec<hir::FnId> = entries.iter().map(|entry| entry.function).collect();
            self.finished(lower::ProgramLowerer::new(&context, self.start).whole(&given))
        })?
    }

    fn lower_entry(&self, entry: &Entry) -> Result<Lowered, Vec<Diagnostic>> {
        let context = context::Context::new(&self.items, &self.configuration, self.arithmetic);
        self.finished(lower::ProgramLowerer::new(&context, self.start).program(entry.function))
    }

    fn finished(&self, done: lower::Done) -> Result<Lowered, Vec<Diagnostic>> {
        let lower::Done { program, entries, mut unknown, too_large, instances } = done;
        if !too_large.is_empty() {
            let message = "too many operations that can fail in one statement; split it";
            return Err(too_large.into_iter().map(|span| Diagnostic::error(span, message)).collect());
        }
        unknown.extend(self.items.unknown.iter().map(|(reason, span)| Unknown { span: *span, reason }));
        unknown.retain(|unknown| unknown.span.file == self.start.file);
        unknown.sort();
        debug_assert_eq!(
            crate::ir::verify::verify(&program),
            Ok(()),
            "a front end builds well-formed programs"
        );
        let first: rustc_hash::FxHashSet<_> = entries.iter().collect();
        let private = instances
            .iter()
            .filter(|((function, _), id)| first.contains(id) && self.takes_private_state(*function));
        let mut private: Vec<_> = private.map(|(_, id)| *id).collect();
        private.sort_unstable();
        let diagnostics = remarks(&unknown);
        Ok(Lowered { program, diagnostics, unknown, entries, private })
    }

    /// The text form of the item tree.
    pub fn items_text(&self, file: &SourceFile) -> String {
        text::items(&self.items, file)
    }

    /// The text form of what inference found.
    pub fn types_text(&self, file: &SourceFile) -> String {
        let context = context::Context::new(&self.items, &self.configuration, self.arithmetic);
        text::types(&context, file)
    }
}

fn remarks(unknown: &[Unknown]) -> Vec<Diagnostic> {
    let shown = unknown.iter().take(REMARK_LIMIT).map(|unknown| Diagnostic {
        severity: Severity::Note,
        message: format!("not understood: {}", unknown.reason),
        span: Some(unknown.span),
        help: None,
    });
    shown.collect()
}

fn read_items(
    file: &SourceFile,
    configuration: &Configuration,
    intrinsics: &Intrinsics,
) -> Result<items::Items, Vec<Diagnostic>> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let places = read::Places { file, offset: file.text.len() - text.len() };
    let syntax = match syn::parse_str::<syn::File>(text) {
        Ok(syntax) => syntax,
        Err(errors) => {
            let found = errors
                .into_iter()
                .map(|error| Diagnostic::error(places.span(error.span()), error.to_string()));
            return Err(found.collect());
        }
    };
    let mut items = read::file(&syntax, places, configuration, intrinsics);
    let standard = SourceFile::new(FileId(u32::MAX), "std", include_str!("rust/standard.rs.txt"));
    let places = read::Places { file: &standard, offset: 0 };
    match syn::parse_str::<syn::File>(&standard.text) {
        Ok(syntax) => read::standard(&mut items, &syntax, places, configuration),
        Err(error) => panic!("our own text of std is wrong: {error}"),
    }
    Ok(items)
}

/// Runs on a thread whose stack holds the recursion over what `scan` lets through.
fn on_large_stack<T: Send>(start: Span, work: impl FnOnce() -> T + Send) -> Result<T, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            Err(error) => Err(vec![Diagnostic::error(start, format!("cannot start a thread: {error}"))]),
        }
    })
}
