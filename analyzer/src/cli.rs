//! The command line: arguments and files in, reports and an exit status out.

mod analyse;
mod arguments;
mod cache;
mod check;
mod config;
mod evidence;
mod files;
mod graph;
mod guard;
mod init;
mod levels;
mod lint;
mod manual;
mod merge;
mod model_file;
mod package;
mod plan;
mod property_file;
mod tables;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// How a call ended. Of several, the last in this order is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Fine,
    /// A verdict is False, or a Maybe is denied, or an expectation is not met.
    Refuted,
    /// The call or an input file is wrong.
    Misuse,
    /// Our own bug.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::Refuted => 1,
            Exit::Misuse => 2,
            Exit::Internal => 3,
        })
    }
}

/// Which program was called: with no file, `cargo kleene` speaks of the package or workspace around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Kleene,
    Cargo,
}

/// The program `kleene`.
pub fn kleene(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    called(arguments, Caller::Kleene)
}

fn called(arguments: impl IntoIterator<Item = OsString>, caller: Caller) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no mistakes: clap knows where each goes.
            let _ = error.print();
            return if error.use_stderr() { Exit::Misuse.into() } else { Exit::Fine.into() };
        }
    };
    guard::silence_panics();
    let run = || match &arguments.command {
        Command::Check(check) => check::check(check, caller),
        Command::Lint(arguments) => lint::lint(arguments, caller),
        Command::Baseline(arguments) => lint::baseline(arguments, caller),
        Command::Init => init::init(caller),
        Command::Explain(arguments) => lint::explain(arguments, caller),
        Command::Why(arguments) => lint::why::why(arguments, caller),
        Command::Completions { shell } => manual::completions(*shell, caller),
        Command::Man { out } => manual::man(out.as_deref()),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Graph(graph) => graph::graph(graph),
        Command::Verify(arguments) => verify::verify(arguments),
    };
    guard::caught(run)
        .unwrap_or_else(|panic| {
            eprintln!("{panic}");
            Exit::Internal
        })
        .into()
}

/// The program `cargo-kleene`: cargo passes the name of the subcommand as the first argument.
pub fn cargo_kleene(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "kleene") {
        arguments.remove(1);
    }
    // `cargo kleene` is `cargo kleene lint`; options may follow at once.
    let is_option = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with('-'));
    let general = ["-h", "--help", "-V", "--version"];
    if arguments.get(1).is_none_or(|first| is_option(first) && !general.iter().any(|known| first == known)) {
        arguments.insert(1.min(arguments.len()), "lint".into());
    }
    called(arguments, Caller::Cargo)
}
