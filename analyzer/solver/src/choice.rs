//! Which solver to use.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;

use crate::embedded::Embedded;
use crate::process::Process;
use crate::solver::Solver;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// `z3` or `cvc5` if found on PATH, else the embedded one.
    #[default]
    Auto,
    Embedded,
    /// A program and its arguments.
    Command(Vec<String>),
}

impl Choice {
    pub fn open(&self) -> Box<dyn Solver> {
        match self {
            Choice::Embedded => Box::new(Embedded::new()),
            Choice::Command(command) => Box::new(Process::new(command.clone()).with_version()),
            Choice::Auto => match ["z3", "cvc5"].into_iter().find_map(on_path) {
                Some(found) => Box::new(Process::new([found.to_string_lossy()]).with_version()),
                None => Box::new(Embedded::new()),
            },
        }
    }
}

/// `auto`, `embedded`, or a command with its arguments separated by spaces.
impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" => Err("no solver is named".to_string()),
            "auto" => Ok(Choice::Auto),
            "embedded" => Ok(Choice::Embedded),
            command => Ok(Choice::Command(command.split_whitespace().map(ToString::to_string).collect())),
        }
    }
}

/// Whether a command could be started: a path to a program, or a name on PATH.
pub fn is_runnable(program: &str) -> bool {
    match program.contains('/') {
        true => is_executable(std::path::Path::new(program)),
        false => on_path(program).is_some(),
    }
}

/// The program of this name in the first folder of PATH that has it.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &std::path::Path) -> bool {
    path.is_file()
}
