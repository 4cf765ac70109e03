//! Rust: read with `syn`, resolved and typed as far as needed, lowered to guarded steps.
//!
//! The stages in order: `scan` (is it safe to parse), `read` (items and bodies of our own), `defs` (names),
//! `infer` (types), `lower` (places, order of evaluation, steps). Nothing of the code is executed or compiled.
//! What is not understood costs precision where it stands and is recorded; only a text that is no Rust is
//! refused.

mod asked;
mod cfg;
mod context;
mod defs;
pub mod dependencies;
mod digest;
pub mod entries;
mod examples;
mod follow;
mod glue;
mod had;
mod hir;
mod holders;
mod in_use;
mod included;
mod infer;
mod inhabited;
mod intrinsics;
mod items;
mod keeping;
mod lower;
mod macros;
mod mentions;
mod modules;
mod outside;
mod privacy;
mod reach;
mod read;
pub mod replay;
mod scan;
mod scope;
mod sizes;
mod std_table;
mod text;
mod traits;
mod types;
mod unnamed;
pub mod users;
mod written_out;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use serde::{Deserialize, Serialize};

pub use cfg::{Configuration, Target, Undecided};
pub use dependencies::{Dependencies, Dependency};
pub use entries::{Entry, Root};
pub use follow::Ended;
pub use intrinsics::Intrinsics;
pub use users::Users;
use users::Using;

use super::{Arithmetic, FrontendOptions, Lowered, Notebook, Passed, Unknown, Uses};
use crate::source::{Diagnostic, FileId, Severity, SourceFile, Span};

const SIZE_LIMIT: usize = 16 << 20;
/// Holds the recursion of the parser within the limits of `scan`.
const STACK: usize = 512 << 20;
/// Our own text of the standard library.
const STANDARD: FileId = FileId(u32::MAX);
static STANDARD_TEXT: LazyLock<String> = LazyLock::new(|| written_out::written_out(STANDARD_PARTS));
const STANDARD_PARTS: &str = concat!(
    include_str!("rust/standard.rs.txt"),
    include_str!("rust/standard/sequences.rs.txt"),
    include_str!("rust/standard/patterns.rs.txt"),
    include_str!("rust/standard/numbers.rs.txt"),
    include_str!("rust/standard/time.rs.txt"),
    include_str!("rust/standard/shared.rs.txt"),
    include_str!("rust/standard/atomics.rs.txt"),
    include_str!("rust/standard/io.rs.txt"),
    include_str!("rust/standard/pointers.rs.txt"),
    include_str!("rust/standard/collections.rs.txt"),
    include_str!("rust/standard/hashing.rs.txt"),
    include_str!("rust/standard/exact.rs.txt"),
);
// Where every character is a byte, places are found much faster.
const _: () = assert!(STANDARD_PARTS.is_ascii());
/// Remarks about unknown code beyond this many are left to the list of all.
const REMARK_LIMIT: usize = 20;

/// How Rust is read, beyond what all languages have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RustOptions {
    pub features: Vec<String>,
    /// What `cfg` finds set besides: `name`, or `name = "value"`.
    pub cfg: Vec<(String, Option<String>)>,
    /// Bits of `usize`; 64 unless given.
    pub pointer_width: Option<u32>,
    /// What `cfg` can ask of the target; Linux unless given.
    #[serde(skip)]
    pub target: Option<Target>,
    /// Follows the arithmetic unless given.
    pub debug_assertions: Option<bool>,
    pub intrinsics: Intrinsics,
    /// Casts that change the value get a step of their own, for those who ask about them.
    pub marks_casts: bool,
    /// Entries are not made once more for single runs that see more of slices.
    #[serde(skip)]
    pub only_explores: bool,
    /// What the text is the beginning of, where all of it is looked at.
    #[serde(skip)]
    pub root: Root,
    /// Packages of the public registry that it depends on, under their own names.
    #[serde(skip)]
    pub crates: Vec<String>,
    /// Packages that it depends on and whose sources are at hand.
    #[serde(skip)]
    pub dependencies: Dependencies,
    /// Who uses it, where it is a library.
    #[serde(skip)]
    pub users: Users,
    /// The edition it is written in, if somebody says so.
    #[serde(skip)]
    pub edition: Option<u32>,
    /// Where what its build script made is found, for `include!`.
    #[serde(skip)]
    pub out_dir: Option<PathBuf>,
}

/// A file that was read: what any number of programs are made of.
#[derive(Debug)]
pub struct Crate {
    items: items::Items,
    /// The same beside code that uses it.
    in_use: Option<items::Items>,
    configuration: Configuration,
    arithmetic: Arithmetic,
    start: Span,
    /// What is wrong with files of modules.
    remarks: Vec<Diagnostic>,
    intrinsics: Intrinsics,
    root: Root,
    notebook: Option<Arc<dyn Notebook>>,
    deadline: Option<Instant>,
}

pub fn lower(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Lowered, Vec<Diagnostic>> {
    // One thread for all of it: what the parser gives back is used again.
    on_large_stack(Span::new(file.id, 0, 0), || {
        let read = Crate::read_here(file, options)?;
        if options.entry.is_empty() {
            return read.whole_here();
        }
        match read.entry_named(&options.entry) {
            Some(entry) => read.lower_entry(&entry),
            None => Err(vec![read.no_such_entry(&options.entry)]),
        }
    })?
}

impl Crate {
    pub fn read(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Self, Vec<Diagnostic>> {
        // The parser keeps its positions in the thread: a fresh one starts at zero and forgets them.
        on_large_stack(Span::new(file.id, 0, 0), || Self::read_here(file, options))?
    }

    fn read_here(file: &Arc<SourceFile>, options: &FrontendOptions) -> Result<Self, Vec<Diagnostic>> {
        let start = Span::new(file.id, 0, 0);
        let debug = options.rust.debug_assertions.unwrap_or(options.arithmetic == Arithmetic::Debug);
        let pointer_width = options.rust.pointer_width.unwrap_or(64);
        let configuration = Configuration {
            features: options.rust.features.clone(),
            cfg: options.rust.cfg.clone(),
            pointer_width,
            target: options.rust.target.clone().unwrap_or_else(|| Target::linux(pointer_width)),
            debug_assertions: debug,
            marks_casts: options.rust.marks_casts,
            only_explores: options.rust.only_explores,
            crates: options.rust.crates.clone(),
            edition: options.rust.edition,
            undecided: Undecided::default(),
            out_dir: options.rust.out_dir.clone(),
            reads_tests: options.rust.root == Root::Library && !options.rust.only_explores,
        };
        let Read { items, in_use, remarks } = read_items(file, &configuration, options)?;
        let (arithmetic, intrinsics) = (options.arithmetic, options.rust.intrinsics.clone());
        let (root, notebook, deadline) = (options.rust.root, options.notebook.clone(), options.deadline);
        Ok(Self {
            items,
            in_use,
            configuration,
            arithmetic,
            start,
            remarks,
            intrinsics,
            root,
            notebook,
            deadline,
        })
    }

    /// The program that begins with one function. Fails only where a step would be too large to build.
    pub fn program(&self, entry: &Entry) -> Result<Lowered, Vec<Diagnostic>> {
        on_large_stack(self.start, || self.lower_entry(entry))?
    }

    /// How runs of a function end when it is given these numbers, followed expression by expression.
    pub fn followed(&self, entry: &Entry, inputs: &[Vec<i128>]) -> Result<Vec<Ended>, Vec<Diagnostic>> {
        on_large_stack(self.start, || {
            let context = self.context();
            context.follows.set(true);
            follow::ends(&context, entry.function, inputs)
        })
    }

    /// The program of all functions, with every entry of the file.
    pub fn whole(&self) -> Result<Lowered, Vec<Diagnostic>> {
        on_large_stack(self.start, || self.whole_here())?
    }

    fn whole_here(&self) -> Result<Lowered, Vec<Diagnostic>> {
        if self.items.own_functions().next().is_none() {
            // A package may be nothing but types.
            let severity = if self.root == Root::File { Severity::Error } else { Severity::Note };
            return Err(vec![Diagnostic { severity, ..self.no_such_entry("main") }]);
        }
        let (done, (uses, passed)) = std::thread::scope(|scope| {
            let others = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || self.users());
            let context = self.context();
            let done = lower::ProgramLowerer::new(&context, self.start).whole(&self.beginnings());
            // Without a thread nobody is followed.
            let others =
                others.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            (self.finished(done), others.unwrap_or_default())
        });
        Ok(Lowered { uses, passed, ..done? })
    }

    /// Code that uses it, and what that comes to.
    fn users(&self) -> (Option<Box<Uses>>, Passed) {
        if self.root != Root::Library || self.configuration.only_explores {
            return (None, Passed::default());
        }
        let items = self.in_use.as_ref().unwrap_or(&self.items);
        let mut tests = items.tests_of_anybody();
        let context = context::Context::new(items, &self.configuration, self.arithmetic);
        context.follows.set(true);
        let desk = follow::Desk::new(&context, self.notebook.as_deref(), self.deadline);
        let (passed, ended) = follow::follow(&context, &tests, desk);
        // Casts are marked nowhere else.
        if !self.configuration.marks_casts {
            tests.retain(|test| !ended.contains(test));
        }
        let uses = match self.in_use {
            Some(_) => {
                let context = context::Context::new(items, &self.configuration, self.arithmetic);
                lower::ProgramLowerer::new(&context, self.start).uses(&tests)
            }
            None => None,
        };
        (uses, passed)
    }

    fn context(&self) -> context::Context<'_> {
        context::Context::new(&self.items, &self.configuration, self.arithmetic)
    }

    fn lower_entry(&self, entry: &Entry) -> Result<Lowered, Vec<Diagnostic>> {
        let context = self.context();
        self.finished(lower::ProgramLowerer::new(&context, self.start).program(entry.function))
    }

    fn finished(&self, done: lower::Done) -> Result<Lowered, Vec<Diagnostic>> {
        let lower::Done {
            program,
            entries,
            mut unknown,
            too_large,
            private,
            large,
            drivers,
            callables,
            hidden,
            examples,
        } = done;
        if !too_large.is_empty() {
            let message = "too many operations that can fail in one statement; split it";
            return Err(too_large.into_iter().map(|span| Diagnostic::error(span, message)).collect());
        }
        let own = self.items.unknown.iter().filter(|(_, span)| !span.file.is_foreign());
        unknown.extend(own.map(|(reason, span)| Unknown { span: *span, reason }));
        unknown.retain(|unknown| unknown.span.file != STANDARD);
        unknown.sort();
        debug_assert_eq!(
            crate::ir::verify::verify(&program),
            Ok(()),
            "a front end builds well-formed programs"
        );
        let diagnostics = self.remarks.iter().cloned().chain(remarks(&unknown)).collect();
        Ok(Lowered {
            program,
            diagnostics,
            unknown,
            entries,
            private,
            large,
            drivers,
            callables,
            hidden,
            examples,
            uses: None,
            passed: Passed::default(),
        })
    }

    /// The text form of the item tree.
    pub fn items_text(&self, file: &SourceFile) -> String {
        text::items(&self.items, file)
    }

    /// The text form of what inference found.
    pub fn types_text(&self, file: &SourceFile) -> String {
        text::types(&self.context(), file)
    }
}

fn remarks(unknown: &[Unknown]) -> Vec<Diagnostic> {
    let own = unknown.iter().filter(|unknown| !unknown.span.file.is_foreign());
    let shown = own.take(REMARK_LIMIT).map(|unknown| Diagnostic {
        severity: Severity::Note,
        message: format!("not understood: {}", unknown.reason),
        span: Some(unknown.span),
        help: None,
    });
    shown.collect()
}

/// What is read: the items of a crate, and, if it is a library that somebody uses, the same beside theirs.
struct Read {
    items: items::Items,
    in_use: Option<items::Items>,
    remarks: Vec<Diagnostic>,
}

fn read_items(
    file: &Arc<SourceFile>,
    configuration: &Configuration,
    options: &FrontendOptions,
) -> Result<Read, Vec<Diagnostic>> {
    let files = options.modules.as_deref();
    let texts = modules::Texts::read(file, files, configuration)?;
    let loading = dependencies::Loading::of(&texts, configuration, &options.rust.dependencies, files);
    let standard = SourceFile::new(STANDARD, "std", STANDARD_TEXT.as_str());
    let (form, left) = read::without_bodies(&STANDARD_TEXT);
    let standard = match modules::Texts::seen_as(&standard, &form) {
        Ok(standard) => standard,
        Err(problem) => panic!("our own text of std is wrong: {problem:?}"),
    };
    let read = |configuration: &Configuration, users: &Using<'_>| {
        let mut items = read::files(&texts, configuration, &options.rust.intrinsics, &loading, users);
        let own = items.functions.iter().filter(|function| items.is_own_module(function.module));
        let names = own.map(|function| function.name.clone()).collect();
        items.mentions = mentions::Mentions::of(&texts, names, configuration);
        read::standard(&mut items, &standard, left.clone(), configuration);
        items.known.settle();
        items
    };
    let alone = Configuration { reads_tests: false, ..configuration.clone() };
    let items = read(&alone, &Using::default());
    let in_use = configuration.reads_tests.then(|| {
        let users = options.rust.users.texts(&texts, configuration, files);
        read(configuration, &Using { name: &options.rust.users.name, users: &users })
    });
    let in_use = in_use.filter(|items| !items.tests.is_empty());
    Ok(Read { items, in_use, remarks: texts.remarks })
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
