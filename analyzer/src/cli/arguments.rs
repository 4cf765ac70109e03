//! What can be written on the command line.

mod lint;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kleene_solver::Choice;

use super::config;
use super::package::Selection;
use crate::frontend::{Arithmetic, Integers, Language};
use crate::granularity::Granularity;
use crate::pipeline::Level;
use crate::precision::Domain;

pub use lint::{JoinedFormat, LintArguments, MergeArguments, MessageFormat, WhyArguments};

/// Checks temporal (CTL) properties of programs: True with a proof, False with a run, Maybe with a reason.
#[derive(Debug, Parser)]
#[command(name = "kleene", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check properties of programs and models
    ///
    /// Exit status: 0 fine; 1 some verdict is False; 2 the call or an input file is wrong; 3 internal error.
    Check(CheckArguments),
    /// Look for what can go wrong: overflows, divisions by zero, panics, endless loops …
    ///
    /// Exit status: 0 nothing remains; 1 an error or a warning does; 2 the call, settings or an input file is wrong; 3
    /// internal error.
    Lint(LintArguments),
    /// Keep what is found in a file, so that `lint --baseline FILE` fails on new findings only
    ///
    /// Takes the options of `lint`; `--baseline FILE` says where to write [default: kleene-baseline.json].
    Baseline(LintArguments),
    /// Put together what `lint --format json --partition I/N` said of all parts
    ///
    /// Exit status: as `lint` on the whole; 2 also if a part is missing.
    Merge(MergeArguments),
    /// Write a `kleene.toml` that means the defaults, with a word on each setting
    Init,
    /// Say what a lint means, or why a result is what it is
    Explain(ExplainArguments),
    /// Say why the answers for one line are what they are
    Why(WhyArguments),
    /// Print a script that completes calls in a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for every command
    Man {
        /// The folder to write to
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print a flow graph or a model as Graphviz text
    Graph(GraphArguments),
    /// Check evidence again, with separate code
    ///
    /// Exit status: 0 nothing refused; 1 some evidence is refused; 2 a file is wrong; 3 internal error.
    Verify(VerifyArguments),
}

#[derive(Clone, Debug, Args)]
pub struct CheckArguments {
    /// Programs (.cm, .c, .rs) and models (.kripke)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A formula to check on every FILE
    #[arg(long = "prop", value_name = "FORMULA")]
    pub properties: Vec<String>,
    /// A file of properties
    #[arg(long = "props", value_name = "FILE.toml")]
    pub property_files: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub reading: Reading,
    /// How far to go for an answer
    #[arg(long, value_enum, default_value_t = Level::Smt)]
    pub level: Level,
    /// What is known of variables together; `auto` looks for relations where intervals are not enough
    #[arg(long, value_enum, default_value_t = DomainChoice::Auto)]
    pub domain: DomainChoice,
    /// Who decides what the domains do not: `auto` (z3 or cvc5 on PATH, else the embedded solver), `embedded`, or a
    /// command that reads SMT-LIB from its standard input
    #[arg(long, value_name = "SOLVER", default_value = "auto", value_parser = solver)]
    pub solver: Choice,
    /// Write every question to a solver, with its answer, into this folder
    #[arg(long, value_name = "DIR")]
    pub record_smt: Option<PathBuf>,
    /// Time for each property
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
    /// Time for the whole call
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<Duration>,
    /// Write the whole evidence of definite verdicts, for `kleene verify`
    #[arg(long, value_name = "FILE")]
    pub evidence: Option<PathBuf>,
    /// Verdicts that make the call fail, besides False
    #[arg(long, value_enum)]
    pub deny: Option<Denied>,
    /// Files analysed at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Output for people or for programs
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The name of a lint or group, or the id of a result of `lint` (`FILE#NUMBER`)
    #[arg(value_name = "LINT-OR-ID")]
    pub what: String,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// A file that `kleene check --evidence` wrote
    #[arg(value_name = "EVIDENCE")]
    pub evidence: PathBuf,
    /// The program, if it is not where the evidence says
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct GraphArguments {
    /// A program (.cm, .c, .rs) or a model (.kripke)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The flow graph of a program, or the structure that formulas are checked on
    #[arg(long, value_enum)]
    pub what: Drawing,
    /// Colour the states of the structure by the truth of this formula
    #[arg(long = "prop", value_name = "FORMULA")]
    pub property: Option<String>,
    /// What is known of variables together in the structure
    #[arg(long, value_enum, default_value_t = DomainChoice::Intervals)]
    pub domain: DomainChoice,
    #[command(flatten)]
    pub reading: Reading,
}

/// How programs and formulas are read.
#[derive(Clone, Debug, Args)]
pub struct Reading {
    /// The language of the files, whatever their names
    #[arg(long, value_enum)]
    pub lang: Option<Kind>,
    /// The function that runs start in [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// A condition on the initial state
    #[arg(long, value_name = "FORMULA")]
    pub assume: Option<String>,
    /// What one step is [default: statement]
    #[arg(long, value_enum)]
    pub granularity: Option<Granularity>,
    /// Variables whose changes are steps under `--granularity change` [default: the globals]
    #[arg(long, value_name = "VARS", value_delimiter = ',')]
    pub watch: Vec<String>,
    /// Integers of C- and C [default: unbounded]
    #[arg(long, value_enum)]
    pub ints: Option<Integers>,
    /// Arithmetic of Rust
    #[arg(long, value_enum, default_value_t = Arithmetic::Debug)]
    pub arith: Arithmetic,
    /// Settings [default: none]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rust: RustReading,
}

/// How Rust is read.
#[derive(Clone, Debug, Default, Args)]
pub struct RustReading {
    /// Features of the crate that are on
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    pub features: Vec<String>,
    /// What `cfg(…)` finds set, besides the target: `name` or `name="value"`
    #[arg(long, value_name = "SPEC", value_parser = config::cfg)]
    pub cfg: Vec<(String, Option<String>)>,
    /// Bits of `usize` [default: 64]
    #[arg(long, value_name = "BITS", value_parser = pointer_width)]
    pub target_pointer_width: Option<u32>,
    /// Whether `debug_assert!` counts: `on` or `off` [default: of a package what its profile says, whatever the arithmetic; of
    /// a file as its arithmetic]
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    pub debug_assertions: Option<bool>,
    /// What the build script of the package made (`OUT_DIR`), for `include!`
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub's runner
    Github,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Denied {
    Maybe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DomainChoice {
    Intervals,
    Octagons,
    Polyhedra,
    Auto,
}

impl DomainChoice {
    /// `None`: as needed.
    pub fn domain(self) -> Option<Domain> {
        match self {
            Self::Intervals => Some(Domain::Intervals),
            Self::Octagons => Some(Domain::Octagons),
            Self::Polyhedra => Some(Domain::Polyhedra),
            Self::Auto => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    Cfg,
    Kripke,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Program(Language),
    Model,
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Program(Language::CMinus),
            Self::Program(Language::C),
            Self::Program(Language::Rust),
            Self::Program(Language::T2),
            Self::Model,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Program(Language::CMinus) => PossibleValue::new("cm"),
            Self::Program(Language::C) => PossibleValue::new("c"),
            Self::Program(Language::Rust) => PossibleValue::new("rs"),
            Self::Program(Language::T2) => PossibleValue::new("t2"),
            Self::Model => PossibleValue::new("kripke"),
        })
    }
}

impl ValueEnum for Granularity {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Statement, Self::Change, Self::Tick]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Level {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Abstract, Self::Refine, Self::Smt]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Integers {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Unbounded, Self::Machine]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Unbounded => "unbounded",
            Self::Machine => "machine",
        }))
    }
}

impl ValueEnum for Arithmetic {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Debug, Self::Release]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }))
    }
}

/// A command has to be there: a misspelt one must not turn every question into a Maybe.
fn solver(text: &str) -> Result<Choice, String> {
    let choice: Choice = text.parse()?;
    match &choice {
        Choice::Command(command) if !kleene_solver::is_runnable(&command[0]) => {
            Err(format!("there is no program `{}`", command[0]))
        }
        _ => Ok(choice),
    }
}

fn pointer_width(text: &str) -> Result<u32, String> {
    config::pointer_width(text.parse().unwrap_or(0))
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" | "yes" => Ok(true),
        "off" | "false" | "no" => Ok(false),
        _ => Err("`on` or `off`".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(value) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a limit is a positive number of seconds".into()),
    }
}
