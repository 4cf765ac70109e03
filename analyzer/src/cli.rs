//! The command line: arguments and files in, reports and an exit status out.

mod analyse;
mod arguments;
mod check;
mod config;
mod evidence;
mod files;
mod graph;
mod guard;
mod lint;
mod model_file;
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

/// The program `kleene`.
pub fn kleene(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
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
        Command::Check(check) => check::check(check),
        Command::Lint(arguments) => lint::lint(arguments),
        Command::Explain(arguments) => lint::explain(arguments),
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
    if arguments.len() < 2 {
        eprintln!("error: the checks of a whole workspace are not available yet");
        eprintln!("  help: `cargo kleene check FILE --prop FORMULA` checks a property of a file");
        return Exit::Misuse.into();
    }
    kleene(arguments)
}
