//! False results over real crates, sampled and replayed: the tests that `kleene lint --emit-tests` writes are put into a
//! copy of the crate, compiled there with what it depends on, and run; each must panic at its line.
//!
//! The only place where code of crates is run. Everything stands in a folder of its own.

pub(crate) mod copy;
mod emitted;
pub(crate) mod manifest;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::crates::child::{self, End};
use crate::crates::{Named, chosen, sources};
use crate::rng::Rng;
pub(crate) use emitted::without_own_tests;
use emitted::{Emitted, Test};
use manifest::Manifest;

#[derive(Clone, Debug)]
pub struct Plan {
    /// `name` or `name@version`; empty: the whole list.
    pub only: Vec<String>,
    /// How many results, over all crates.
    pub count: usize,
    pub seed: u64,
    pub which: Which,
    /// For linting one crate, and for running its tests.
    pub timeout: Duration,
    /// Where sources, copies and answers go.
    pub folder: PathBuf,
}

/// Which results are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Notes included.
    All,
    /// Errors and warnings.
    Shown,
}

/// What became of one crate.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    pub name: String,
    /// Results that have a test.
    pub written: usize,
    pub chosen: Vec<String>,
    /// Those of the chosen that panic where they should.
    pub panics: Vec<String>,
    /// Those that do not, with what happened.
    pub wrong: Vec<(String, String)>,
    /// Those that do not compile, with what the compiler says.
    pub refused: Vec<(String, String)>,
    /// Why nothing could be run.
    pub not_run: Option<String>,
}

impl Replayed {
    fn of(named: &Named) -> Self {
        Self { name: named.name.clone(), ..Self::default() }
    }
}

/// A crate with the tests for it.
struct Candidate {
    named: Named,
    source: PathBuf,
    manifest: Manifest,
    emitted: Emitted,
    /// Names of the tests to choose from.
    open: Vec<String>,
    chosen: Vec<String>,
}

/// Lints, samples and replays; `seen` hears of each crate when it is done.
///
/// # Errors
/// If sources cannot be fetched or files cannot be written.
pub fn replay(plan: &Plan, mut seen: impl FnMut(&Replayed)) -> Result<Vec<Replayed>, String> {
    let crates = chosen(&plan.only)?;
    let vendor = sources::fetch(&crates, &plan.folder)?;
    let vendor = vendor.canonicalize().map_err(|error| format!("{}: {error}", vendor.display()))?;
    let mut candidates = Vec::new();
    let mut all = Vec::new();
    for named in crates {
        let source = vendor.join(format!("{}-{}", named.name, named.version));
        let manifest = Manifest::read(&source, &vendor)?;
        match linted(plan, &named, &source, &manifest)? {
            Ok(emitted) => {
                let open = names(&emitted, &folder_of(plan, &named).join("answer.json"), plan.which)?;
                candidates.push(Candidate { named, source, manifest, emitted, open, chosen: Vec::new() });
            }
            Err(said) => {
                let refused = Replayed { not_run: Some(said), ..Replayed::of(&named) };
                seen(&refused);
                all.push(refused);
            }
        }
    }
    choose(&mut candidates, plan);
    for candidate in candidates.iter().filter(|candidate| !candidate.chosen.is_empty()) {
        let replayed = run(plan, candidate, &vendor)?;
        seen(&replayed);
        all.push(replayed);
    }
    Ok(all)
}

fn folder_of(plan: &Plan, named: &Named) -> PathBuf {
    plan.folder.join("replays").join(&named.name)
}

/// The tests for what is False in a crate, or why there is no answer.
fn linted(
    plan: &Plan,
    named: &Named,
    source: &Path,
    manifest: &Manifest,
) -> Result<Result<Emitted, String>, String> {
    let folder = folder_of(plan, named);
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(problem)?;
    }
    let tests = folder.join("tests");
    std::fs::create_dir_all(&tests).map_err(problem)?;
    let words =
        ["kleene", "lint", &source.display().to_string(), "--lib", "--format", "json", "--emit-tests"];
    let mut words: Vec<String> = words.map(String::from).to_vec();
    words.push(tests.display().to_string());
    words.extend(["--no-default-features".into(), "--no-cache".into()]);
    if !manifest.features.is_empty() {
        words.extend(["--features".into(), manifest.features.join(",")]);
    }
    let answer = folder.join("answer.json");
    let spent = child::run(&words, &answer, &folder.join("said.txt"), plan.timeout)?;
    if spent.end != End::Finished {
        return Ok(Err(format!("linting: {}", spent.end.name())));
    }
    match refusal(&answer) {
        Some(said) => Ok(Err(format!("linting: {said}"))),
        None => Emitted::read(&tests).map(Ok),
    }
}

/// The tests of those results, by their places.
fn names(emitted: &Emitted, answer: &Path, which: Which) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(answer).map_err(|error| format!("{}: {error}", answer.display()))?;
    let answer: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    let is_shown = |result: &&serde_json::Value| {
        matches!(result["severity"].as_str(), Some("error" | "warning")) && result["suppressed"].is_null()
    };
    let shown: Vec<(PathBuf, usize)> = results
        .iter()
        .filter(is_shown)
        .filter_map(|result| Some((result["file"].as_str()?.into(), result["line"].as_u64()? as usize)))
        .collect();
    let is_meant = |test: &Test| {
        let at = |(file, line): &(PathBuf, usize)| *line == test.line && file.ends_with(&test.file);
        which == Which::All || shown.iter().any(at)
    };
    Ok(emitted.tests().into_iter().filter(is_meant).map(|test| test.name).collect())
}

/// What is said where there are no results at all.
fn refusal(answer: &Path) -> Option<String> {
    let text = std::fs::read_to_string(answer).unwrap_or_default();
    let Ok(answer) = serde_json::from_str::<serde_json::Value>(&text) else {
        return Some("the answer is no JSON".into());
    };
    let is_empty = answer["results"].as_array().is_none_or(Vec::is_empty);
    is_empty.then(|| answer["diagnostics"][0]["message"].as_str().unwrap_or("no results").to_string())
}

/// From each crate in turn one of its tests, drawn at random, until there are enough.
fn choose(candidates: &mut [Candidate], plan: &Plan) {
    let mut left: Vec<Vec<String>> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let mut rng = Rng::new(plan.seed, index as u64);
        let mut names = candidate.open.clone();
        for at in (1..names.len()).rev() {
            names.swap(at, rng.below(at + 1));
        }
        left.push(names);
    }
    let mut missing = plan.count;
    while missing > 0 && left.iter().any(|names| !names.is_empty()) {
        for (candidate, names) in candidates.iter_mut().zip(&mut left).filter(|(_, names)| !names.is_empty())
        {
            if missing > 0 {
                candidate.chosen.extend(names.pop());
                missing -= 1;
            }
        }
    }
}

fn run(plan: &Plan, candidate: &Candidate, vendor: &Path) -> Result<Replayed, String> {
    let Candidate { named, source, manifest, emitted, open, chosen } = candidate;
    let folder = folder_of(plan, named);
    let mut replayed = Replayed { written: open.len(), chosen: chosen.clone(), ..Replayed::of(named) };
    let program = match copy::compiled(source, manifest, emitted, chosen, vendor, &folder)? {
        Ok(compiled) => {
            replayed.refused = compiled.refused;
            compiled.program
        }
        Err(said) => {
            replayed.not_run = Some(said);
            return Ok(replayed);
        }
    };
    let (out, said) = (folder.join("run.txt"), folder.join("run_said.txt"));
    let mut command = std::process::Command::new(program);
    let ended = child::watched(command.args(["--test-threads", "1"]), &out, &said, plan.timeout)?;
    let output = std::fs::read_to_string(&out).unwrap_or_default();
    for name in chosen.iter().filter(|name| replayed.refused.iter().all(|(refused, _)| refused != *name)) {
        let line = output.lines().find(|line| line.contains(&format!("kleene_tests::{name} ... ")));
        match line {
            Some(line) if line.ends_with(" ok") => replayed.panics.push(name.clone()),
            Some(_) => replayed.wrong.push((name.clone(), panic_of(&output, name))),
            None => replayed.wrong.push((name.clone(), format!("it was not run: {}", ended.end.name()))),
        }
    }
    Ok(replayed)
}

/// What a failing test says.
fn panic_of(output: &str, name: &str) -> String {
    let section = output.lines().skip_while(|line| !(line.starts_with("---- ") && line.contains(name)));
    let said = section.skip(1).take_while(|line| !line.starts_with("---- "));
    said.filter(|line| !line.trim().is_empty()).take(3).collect::<Vec<_>>().join(" ")
}
