//! Who answers: this very executable, and the solver it asks.
//!
//! A version number is not enough: whoever builds the program twice would be told what the first build thought.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use kleene_solver::Choice;
use kleene_solver::choice::on_path;

use crate::lints::Digest;

/// Grows with the form of what is kept.
const FORM: &str = "kleene cache 1";

/// Found when it is first needed.
#[derive(Debug, Default)]
pub struct Identity(OnceLock<Option<Digest>>);

impl Identity {
    /// The digest of the executable; none if it cannot be read.
    pub fn program(&self) -> Option<Digest> {
        *self.0.get_or_init(|| {
            let mut file = File::open(std::env::current_exe().ok()?).ok()?;
            let mut hasher = blake3::Hasher::new();
            hasher.update(FORM.as_bytes()).update(env!("CARGO_PKG_VERSION").as_bytes());
            hasher.update_reader(&mut file).ok()?;
            Some(*hasher.finalize().as_bytes())
        })
    }

    pub fn with_solver(&self, choice: &Choice) -> Option<Digest> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.program()?).update(solver(choice)?.as_bytes());
        Some(*hasher.finalize().as_bytes())
    }
}

/// What is asked, as a program in a file; none if that cannot be said.
fn solver(choice: &Choice) -> Option<String> {
    match choice {
        Choice::Embedded => Some("embedded".into()),
        Choice::Auto => match ["z3", "cvc5"].into_iter().find_map(on_path) {
            Some(found) => file(&found),
            None => Some("embedded".into()),
        },
        Choice::Command(words) => {
            let program = words.first()?;
            let path = if program.contains('/') { Some(PathBuf::from(program)) } else { on_path(program) };
            Some(format!("{words:?} {}", file(&path?)?))
        }
    }
}

fn file(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let about = path.metadata().ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{path:?} {} {}", about.len(), changed.as_nanos()))
}
