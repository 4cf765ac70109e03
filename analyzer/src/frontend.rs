//! Source text in, intermediate representation out.
//!
//! One front end per language, chosen by extension. A front end reports every mistake it finds in a
//! file and never panics on any input.

mod arith;
mod build;
pub mod cminus;
pub mod rust;
pub mod t2;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::ir::{FunctionId, Program, StepKind};
use crate::source::sink::Digest;
use crate::source::{Diagnostic, SourceFile, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.cm`
    CMinus,
    /// `.c`: integer C as verification suites write it.
    C,
    /// `.rs`
    Rust,
    /// `.t2`: transition systems.
    T2,
}

/// How integers of C- and C are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    Unbounded,
    /// `int` is 32 bits wide and wraps.
    Machine,
}

/// What Rust arithmetic does beyond its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Overflow fails.
    Debug,
    /// Overflow wraps.
    Release,
}

#[derive(Clone, Debug)]
pub struct FrontendOptions {
    /// The function that runs start in; empty: the first one, for callers that choose later.
    pub entry: String,
    pub integers: Integers,
    pub arithmetic: Arithmetic,
    pub rust: rust::RustOptions,
    /// Where modules in files of their own come from; without it they are not known.
    pub modules: Option<Arc<dyn ModuleFiles>>,
    /// What earlier runs found out.
    pub notebook: Option<Arc<dyn Notebook>>,
    /// From when on what can be left out is left out.
    pub deadline: Option<Instant>,
}

/// Opens the files of modules: a front end does not.
pub trait ModuleFiles: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The text of a file, by its path from the folder of the given file. One file has one id, however it is
    /// named; the given file has its own.
    fn text(&self, path: &Path) -> ModuleText;

    /// The text of a file of another package, by its whole path. It has an id of its own there, whoever else takes the
    /// same file in.
    fn of_dependency(&self, _path: &Path) -> ModuleText {
        ModuleText::Missing
    }
}

/// Keeps what was found out for a later run, each under the digest of what it was asked with.
pub trait Notebook: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// What was kept last under a key.
    fn recall(&self, key: &Digest) -> Option<&[u8]>;

    /// What was recalled is of use once more.
    fn used(&self, key: &Digest);

    fn keep(&self, key: &Digest, bytes: Vec<u8>);

    /// Something was left out because of the time.
    fn cut(&self);
}

#[derive(Clone, Debug)]
pub enum ModuleText {
    Found(Arc<SourceFile>),
    Missing,
    /// It is there, and why it cannot be read.
    Unreadable(String),
}

impl Default for FrontendOptions {
    fn default() -> Self {
        Self {
            entry: "main".into(),
            integers: Integers::Unbounded,
            arithmetic: Arithmetic::Debug,
            rust: rust::RustOptions::default(),
            modules: None,
            notebook: None,
            deadline: None,
        }
    }
}

/// A lowered program with the remarks made on the way (warnings and notes only).
#[derive(Debug)]
pub struct Lowered {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// What the front end did not understand, in order of the text.
    pub unknown: Vec<Unknown>,
    /// Where runs begin if nobody says otherwise; empty where the program itself says it.
    pub entries: Vec<FunctionId>,
    /// Those of them that take a value which only its own module can make.
    pub private: Vec<FunctionId>,
    /// Those that take arguments of more than a megabyte.
    pub large: Vec<FunctionId>,
    /// Those that only code which is not seen calls: with any arguments, for all that is known.
    pub hidden: Vec<FunctionId>,
    /// How private values come about, for those of them where that is known.
    pub drivers: Drivers,
    /// Generic entries with types in the place of their parameters: what these can do the entry can do.
    pub examples: Vec<Example>,
    /// Code that calls what everybody can call.
    pub uses: Option<Box<Uses>>,
    /// What everybody can come to.
    pub passed: Passed,
    /// Functions that a caller can write a call of.
    pub callables: BTreeMap<FunctionId, rust::replay::Callable>,
}

/// Functions that stand in no text: they make values through public calls, then call an entry.
#[derive(Clone, Debug, Default)]
pub struct Drivers {
    pub list: Vec<Driver>,
    /// All that was added: the drivers and what they call to make values.
    pub added: Vec<FunctionId>,
}

/// A program beside the one that is looked at, of code that uses it: what runs of it show is shown.
#[derive(Debug)]
pub struct Uses {
    pub program: Program,
    pub groups: Vec<Group>,
    /// Functions of those who use it: nobody asks about these.
    pub added: Vec<FunctionId>,
}

/// What runs of tests, of examples and of made up calls have passed, wherever they went from there.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Every step of this kind at this place; by the run that was the last they needed.
    pub steps: FxHashMap<(Span, StepKind), u32>,
    /// Every condition at this place, both ways.
    pub conditions: FxHashMap<Span, u32>,
    /// What to call each of these runs.
    pub runs: Vec<String>,
    /// Those that are made up.
    pub calls: Vec<MadeUp>,
}

/// A run of calls that everybody can write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeUp {
    /// An expression in the root of the crate; `lent` leaks what it is given.
    pub call: String,
    pub end: CallEnd,
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It gives this value, as `Debug` shows it; nothing where that is not plain.
    Value(Option<String>),
    Panics,
    /// It is not followed to its end.
    Open,
}

/// Runs that begin together and first choose which of them they are.
#[derive(Debug)]
pub struct Group {
    pub begins: FunctionId,
    /// By the number that is chosen.
    pub tests: Vec<FunctionId>,
}

#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub entry: FunctionId,
    /// Where its runs begin: at the function itself, or at a driver of it.
    pub begins: FunctionId,
    /// More of slices is followed than elsewhere.
    pub wide: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Driver {
    pub entry: FunctionId,
    pub driver: FunctionId,
    /// Its runs make every value that the entry can be called with.
    pub complete: bool,
}

impl Lowered {
    pub fn new(program: Program, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            program,
            diagnostics,
            unknown: Vec::new(),
            entries: Vec::new(),
            private: Vec::new(),
            large: Vec::new(),
            hidden: Vec::new(),
            drivers: Drivers::default(),
            examples: Vec::new(),
            uses: None,
            passed: Passed::default(),
            callables: BTreeMap::new(),
        }
    }
}

/// A construct that was not understood: a value nobody may choose stands for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    pub span: Span,
    pub reason: &'static str,
}

/// Reads one file. `Err` says why there is no program: errors, or that there is nothing to run.
pub fn lower(
    file: &Arc<SourceFile>,
    language: Language,
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    match language {
        Language::CMinus | Language::C => cminus::lower(file, language, options),
        Language::Rust => rust::lower(file, options),
        Language::T2 => t2::lower(file),
    }
}
