//! The options of `lint`, and of the commands that are made of it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use kleene_solver::Choice;

use super::super::levels::LevelArguments;
use super::super::lint::Partition;
use super::super::package::{Building, Selection};
use super::{Colour, DomainChoice, Format, Kind, RustReading, seconds, solver};
use crate::frontend::{Arithmetic, Integers};
use crate::pipeline::Level;

#[derive(Debug, Args)]
pub struct LintArguments {
    /// Programs (.cm, .c, .rs), packages and workspaces (a Cargo.toml, or its folder)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub building: Building,
    /// A function that runs start in, with any arguments; may be given several times [default: main, or every
    /// function nobody calls; of a library what is effectively public]
    #[arg(long = "entry", value_name = "FUNCTION")]
    pub entries: Vec<String>,
    /// Settings [default: `kleene.toml` of the package and its workspace, or the nearest one around a file]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rust: RustReading,
    #[command(flatten)]
    pub levels: LevelArguments,
    /// Say what there is to look for, and do nothing else
    #[arg(long)]
    pub list: bool,
    /// The language of the files, whatever their names
    #[arg(long, value_enum)]
    pub lang: Option<Kind>,
    /// Integers of C- and C [default: unbounded]
    #[arg(long, value_enum)]
    pub ints: Option<Integers>,
    /// Arithmetic of Rust [default: debug, or as the profile of the package says]
    #[arg(long, value_enum)]
    pub arith: Option<Arithmetic>,
    /// How far to go for an answer
    #[arg(long, value_enum, default_value_t = Level::Smt)]
    pub level: Level,
    /// What is known of variables together
    #[arg(long, value_enum, default_value_t = DomainChoice::Auto)]
    pub domain: DomainChoice,
    /// Who decides what the domains do not: `auto`, `embedded`, or a command that reads SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "auto", value_parser = solver)]
    pub solver: Choice,
    /// Time for each entry
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub timeout: Duration,
    /// Time for the whole call
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<Duration>,
    /// Show what is undecided, too
    #[arg(long)]
    pub maybe: bool,
    /// Show notes, too: failures that need extreme values or that the code announces
    #[arg(long)]
    pub all: bool,
    /// Write a test for every failure of a Rust function that plain arguments show
    #[arg(long, value_name = "DIR")]
    pub emit_tests: Option<PathBuf>,
    /// Write the made up calls of a library that came to something, with what comes of them, as JSON
    #[arg(long, value_name = "FILE", hide = true)]
    pub emit_calls: Option<PathBuf>,
    /// Say what could not be seen into, the most frequent first, and how many answers were kept from earlier runs
    #[arg(long)]
    pub stats: bool,
    /// Entries analysed at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Output for people or for programs [default: human; under GITHUB_ACTIONS with annotations]
    #[arg(long, value_enum, conflicts_with = "message_format")]
    pub format: Option<Format>,
    /// The same in the words of cargo
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub message_format: Option<MessageFormat>,
    /// What was there before, as `kleene baseline` writes it: only new findings make the call fail
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Look at what changed since this revision of git, and at what depends on it
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Look at one part of all targets and files, for machines that share the work
    #[arg(long, value_name = "I/N")]
    pub partition: Option<Partition>,
    /// Neither use nor keep answers of other runs (packages keep them under `target/kleene`)
    #[arg(long)]
    pub no_cache: bool,
    /// Say nothing but what is found
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

#[derive(Debug, Args)]
pub struct WhyArguments {
    /// The line, as reports name it
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    #[command(flatten)]
    pub lint: LintArguments,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Files that `kleene lint --format json` wrote
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Output for people or for programs
    #[arg(long, value_enum, default_value_t = JoinedFormat::Human)]
    pub format: JoinedFormat,
}

/// Of what was put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JoinedFormat {
    Human,
    Json,
}

/// As of cargo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Human,
    /// A line each
    Short,
    /// Diagnostics of rustc in JSON, a line each
    Json,
}
