//! Checks evidence again, with code of its own.
//!
//! Shares with the engine what gives the question its meaning: the front ends, the flow graphs, the names
//! of formulas, the translations of granularities, the concrete interpreter, and the solver. It knows no
//! abstract domain, no exploration, no model checker: cells are constraints, edges are questions to the
//! solver, and truth values are claims with reasons that are looked at one by one (`docs/evidence.md`).
//!
//! Reading order: `question` (what was asked), `shape` (what a claim needs), `run`, then for models `slots`
//! and `steps` (the program as conditions), `offsets`, `cells`, `ask` (the solver), `model` (edges), `claims` and `rank`.

mod question;

pub mod shape;

mod run;

mod slots;

mod steps;

mod offsets;

mod cells;

mod ask;

mod model;

mod claims;

mod rank;

use std::sync::Arc;

use crate::concrete::Interpreter;
use crate::evidence::certificate::Entry;
use crate::frontend::ModuleFiles;
use crate::source::digest::sha256;

use question::Question;
use shape::Claim;

/// The result for one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Verified,
    /// Something could not be decided again; nothing was found wrong.
    Open(String),
    Refused(String),
}

/// Why an entry is not accepted.
#[derive(Clone, Debug)]
enum Doubt {
    Wrong(String),
    Open(String),
}

type Checked<T> = Result<T, Doubt>;

fn wrong<T>(reason: impl Into<String>) -> Checked<T> {
    Err(Doubt::Wrong(reason.into()))
}

fn open<T>(reason: impl Into<String>) -> Checked<T> {
    Err(Doubt::Open(reason.into()))
}

/// Checks one entry against the text of its program.
pub fn verify(entry: &Entry, text: &str) -> Outcome {
    verify_with(entry, text, None)
}

/// The same for a program whose modules stand in files of their own.
pub fn verify_with(entry: &Entry, text: &str, files: Option<Arc<dyn ModuleFiles>>) -> Outcome {
    match follows(entry, text, files) {
        Ok(()) => Outcome::Verified,
        Err(Doubt::Open(reason)) => Outcome::Open(reason),
        Err(Doubt::Wrong(reason)) => Outcome::Refused(reason),
    }
}

/// The verdict follows from the evidence.
fn follows(entry: &Entry, text: &str, files: Option<Arc<dyn ModuleFiles>>) -> Checked<()> {
    if sha256(text) != entry.program.sha256 {
        return wrong("the program's text is not the one the evidence was made for");
    }
    let files = Arc::new(question::Seen::new(files));
    let question = Question::read(text, &entry.question, files.clone())?;
    if files.digests() != entry.program.modules {
        return wrong("the files of the program's modules are not those the evidence was made for");
    }
    let interpreter = Interpreter::new(&question.program);
    let run = entry.evidence.run.as_ref();
    let states = run.map(|run| run::replay(&question, &interpreter, run)).transpose()?;
    let model = entry.evidence.model.as_ref();
    let checked = model.map(|model| model::Model::checked(&question, &interpreter, model)).transpose()?;
    let is = |value: bool| Claim { node: question.root, value };
    if entry.verdict {
        let Some(model) = &checked else { return wrong("a True has to speak of all initial states") };
        model.holds_initially(is(true))?;
        return match (&states, run) {
            (Some(states), Some(run)) if !model.has_start() => {
                let path =
                    run::Path { question: &question, interpreter: &interpreter, states, cycle: run.cycle };
                path.keeps_assumptions(&|_| false)
            }
            _ => model.starts(),
        };
    }
    let (Some(states), Some(run)) = (&states, run) else {
        let Some(model) = &checked else { return wrong("there is no evidence") };
        return model.fails_initially(is(false));
    };
    if let Some(model) = &checked {
        model.holds_run(states)?;
    }
    let known = |claim: Claim| checked.as_ref().is_some_and(|model| model.claimed_at_end(claim));
    let path = run::Path { question: &question, interpreter: &interpreter, states, cycle: run.cycle };
    if !path.shows(is(false), &known) {
        return wrong("the run does not show that the formula is false");
    }
    path.keeps_assumptions(&known)
}
