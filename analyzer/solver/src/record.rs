//! Recordings: every question a solver was asked, as an SMT-LIB file with the answer in its last line.
//!
//! A file is named after its question, so the order of questions does not matter when they are replayed,
//! and any SMT solver can be run on it by hand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kleene_domains::{Int, Var};

use crate::budget::Budget;
use crate::problem::Problem;
use crate::smtlib;
use crate::solver::{Answer, Reason, Solver};

const MARK: &str = "; answer: ";

/// Passes questions on and writes them down.
pub struct Recorder<S> {
    inner: S,
    folder: PathBuf,
    trouble: Option<io::Error>,
}

impl<S: Solver> Recorder<S> {
    pub fn new(inner: S, folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        fs::create_dir_all(&folder)?;
        Ok(Self { inner, folder, trouble: None })
    }

    /// The first file that could not be written. Answers are not affected.
    pub fn trouble(&self) -> Option<&io::Error> {
        self.trouble.as_ref()
    }

    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: Solver> Solver for Recorder<S> {
    fn name(&self) -> String {
        format!("{}, recorded", self.inner.name())
    }

    fn problem(&self) -> &Problem {
        self.inner.problem()
    }

    fn problem_mut(&mut self) -> &mut Problem {
        self.inner.problem_mut()
    }

    fn solve(&mut self, budget: &Budget) -> Answer {
        let answer = self.inner.check(budget);
        let question = question(self.inner.problem());
        let text = format!("{question}{MARK}{}\n", shown(&answer));
        if let Err(error) = fs::write(file(&self.folder, &question), text) {
            self.trouble.get_or_insert(error);
        }
        answer
    }
}

/// Answers from a recording only.
pub struct Replay {
    problem: Problem,
    folder: PathBuf,
}

impl Replay {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { problem: Problem::default(), folder: folder.into() }
    }
}

impl Solver for Replay {
    fn name(&self) -> String {
        format!("recording in {}", self.folder.display())
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn problem_mut(&mut self) -> &mut Problem {
        &mut self.problem
    }

    fn solve(&mut self, _: &Budget) -> Answer {
        let question = question(&self.problem);
        let text = fs::read_to_string(file(&self.folder, &question)).unwrap_or_default();
        let answer = text.strip_prefix(&question).and_then(|rest| rest.trim_end().strip_prefix(MARK));
        answer.and_then(read).unwrap_or(Answer::Unknown(Reason::NotRecorded))
    }
}

/// The question and its answer as recorded in a file, for comparing solvers on recordings.
fn question(problem: &Problem) -> String {
    format!("(set-logic ALL)\n{}(check-sat)\n", smtlib::script(problem))
}

fn file(folder: &Path, question: &str) -> PathBuf {
    // FNV-1a: stable across versions, unlike the standard library's hashes.
    let hash = question.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    folder.join(format!("{hash:016x}.smt2"))
}

fn shown(answer: &Answer) -> String {
    let words = match answer {
        Answer::Sat(model) => {
            model.iter().map(|(variable, value)| format!(" {}={value}", variable.0)).collect()
        }
        Answer::Unsat(core) => core.iter().map(|index| format!(" {index}")).collect(),
        Answer::Unknown(reason) => format!(" {}", reason.to_string().replace('\n', " ")),
    };
    let word = match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat(_) => "unsat",
        Answer::Unknown(_) => "unknown",
    };
    format!("{word}{words}")
}

fn read(text: &str) -> Option<Answer> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let value = |word: &str| {
        let (variable, value) = word.split_once('=')?;
        Some((Var(variable.parse().ok()?), value.parse::<Int>().ok()?))
    };
    match word {
        "sat" => Some(Answer::Sat(rest.split_whitespace().map(value).collect::<Option<_>>()?)),
        "unsat" => {
            let indices = rest.split_whitespace().map(|index| index.parse().ok());
            Some(Answer::Unsat(indices.collect::<Option<_>>()?))
        }
        "unknown" => Some(Answer::Unknown(Reason::GaveUp(rest.to_string()))),
        _ => None,
    }
}
