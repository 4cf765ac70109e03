//! `kleene verify`: checks an evidence file again, entry by entry.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::VerifyArguments;
use super::check::STACK;
use super::{Exit, files, guard};
use crate::evidence::certificate::{Document, Entry};
use crate::source::SourceFile;
use crate::verify::{Outcome, verify_with as check};

pub fn verify(arguments: &VerifyArguments) -> Exit {
    let file = &arguments.evidence;
    let text = match files::read_evidence(file) {
        Ok(source) => source,
        Err(unreadable) => return misuse(file, &unreadable.diagnostic.message),
    };
    let document = match Document::from_json(&text.text) {
        Ok(document) => document,
        Err(problem) => return misuse(file, &format!("this is no evidence: {problem}")),
    };
    if document.entries.is_empty() {
        return misuse(file, "there is no evidence in it");
    }
    let mut counts = [0usize; 3];
    let mut exit = Exit::Fine;
    let mut lines = String::new();
    for entry in &document.entries {
        let outcome = match program(file, arguments.program.as_deref(), entry) {
            Ok((path, source)) => {
                on_a_large_stack(|| check(entry, &source.text, Some(files::Modules::of(&path, &source))))
                    .unwrap_or_else(|panic| {
                        exit = exit.max(Exit::Internal);
                        Outcome::Open(panic)
                    })
            }
            Err((path, problem)) => {
                exit = exit.max(misuse(&path, &problem));
                Outcome::Open("the program could not be read".into())
            }
        };
        let (kind, words) = match &outcome {
            Outcome::Verified => (0, "verified".to_string()),
            Outcome::Open(reason) => (1, format!("not verified: {reason}")),
            Outcome::Refused(reason) => (2, format!("refused: {reason}")),
        };
        counts[kind] += 1;
        if kind == 2 {
            exit = exit.max(Exit::Refuted);
        }
        let verdict = if entry.verdict { "true" } else { "false" };
        lines += &format!("{}: {} is {verdict}: {words}\n", entry.program.path, entry.question.formula);
    }
    let [verified, open, refused] = counts;
    lines += &format!("{verified} verified, {refused} refused, {open} not verified\n");
    let mut out = io::stdout().lock();
    let _ = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
    exit
}

/// Programs and formulas may be nested as deeply as `check` takes them.
fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let caught = || guard::caught(work);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, caught);
        let thread = thread.map_err(|error| format!("internal error: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("internal error: no message".into()))
    })
}

fn misuse(file: &Path, problem: &str) -> Exit {
    eprintln!("error: {}: {problem}", file.display());
    Exit::Misuse
}

/// The text of an entry's program: the file given in the call, or the one beside the evidence.
fn program(
    evidence: &Path,
    given: Option<&Path>,
    entry: &Entry,
) -> Result<(PathBuf, Arc<SourceFile>), (PathBuf, String)> {
    let path = match given {
        Some(path) => path.to_path_buf(),
        None => evidence.parent().unwrap_or(Path::new("")).join(&entry.program.path),
    };
    match files::read_small(&path) {
        Ok(source) => Ok((path, source)),
        Err(unreadable) => Err((path, unreadable.diagnostic.message)),
    }
}
