//! True results over real crates, tried: every place that is said never to fail, and that the crate's own tests or random
//! calls come to, counts its visits in a copy of the crate; no panic may ever be reported there.
//!
//! Code of crates is run here, in a folder of its own. The copy keeps its lines, so that panics name the same ones.

mod calls;
mod copy;
mod counters;
mod output;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::crates::child::{self, End};
use crate::crates::{Named, chosen, sources};
use counters::Counters;
use output::Output;

#[derive(Clone, Debug)]
pub struct Plan {
    /// `name` or `name@version`; empty: the whole list.
    pub only: Vec<String>,
    /// For linting one crate, and for each run of its tests.
    pub timeout: Duration,
    /// Where sources, copies and answers go.
    pub folder: PathBuf,
}

/// A line of a file on which everything one lint speaks of is True.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Below the crate's folder.
    pub file: PathBuf,
    pub line: usize,
    pub lint: String,
}

/// What became of one crate.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    pub name: String,
    /// Lines and lints that are True.
    pub said: usize,
    /// Those of them whose visits are counted.
    pub counted: usize,
    pub visited: BTreeSet<Site>,
    /// Those that fail all the same, with what was said.
    pub wrong: Vec<(Site, String)>,
    /// Panics at any other line.
    pub other_panics: usize,
    /// Functions that were called with random values.
    pub called: usize,
    /// Why nothing, or not all, could be run.
    pub not_run: Option<String>,
}

/// Lints, counts and runs each crate; `seen` hears of each when it is done.
///
/// # Errors
/// If sources cannot be fetched or files cannot be written.
pub fn try_all(plan: &Plan, mut seen: impl FnMut(&Tried)) -> Result<Vec<Tried>, String> {
    let crates = chosen(&plan.only)?;
    let vendor = sources::fetch(&crates, &plan.folder)?;
    let mut all = Vec::new();
    for named in crates {
        let source = vendor.join(format!("{}-{}", named.name, named.version));
        let tried = try_one(plan, &named, &source)?;
        seen(&tried);
        all.push(tried);
    }
    Ok(all)
}

fn try_one(plan: &Plan, named: &Named, source: &Path) -> Result<Tried, String> {
    let mut tried = Tried { name: named.name.clone(), ..Tried::default() };
    let folder = plan.folder.join("trues").join(&named.name);
    let copy = copy::made(source, &folder)?;
    let answer = folder.join("answer.json");
    let words =
        ["kleene", "lint", &copy.display().to_string(), "--lib", "--format", "json"].map(String::from);
    let spent = child::run(&words, &answer, &folder.join("said.txt"), plan.timeout)?;
    if spent.end != End::Finished {
        return Ok(Tried { not_run: Some(format!("linting: {}", spent.end.name())), ..tried });
    }
    let sites = true_sites(&answer, &copy)?;
    tried.said = sites.len();
    try_sites(tried, &sites, &copy, &folder, plan.timeout)
}

/// Runs a copy in which the visits of these sites are counted.
fn try_sites(
    mut tried: Tried,
    sites: &BTreeMap<Site, BTreeSet<Position>>,
    copy: &Path,
    folder: &Path,
    timeout: Duration,
) -> Result<Tried, String> {
    let mut counters = Counters::of(copy, sites)?;
    let calls = calls::written(copy, &mut counters)?;
    let programs = match copy::built(copy, folder, &mut counters)? {
        Ok(programs) => programs,
        Err(said) => return Ok(Tried { not_run: Some(said), ..tried }),
    };
    tried.counted = counters.counted().len();
    let mut output = Output::default();
    for (index, program) in programs.iter().enumerate() {
        let log = folder.join(format!("own{index}.txt"));
        let skip = ["--nocapture", "--test-threads", "1", "--skip", calls::MODULE];
        if let Some(problem) = output.run(program, &skip, copy, &log, timeout)? {
            tried.not_run = Some(problem);
        }
    }
    if let Some(program) = programs.first() {
        for name in &calls {
            // A call that never returns, or asks for more memory than there is, ends alone.
            let only = ["--nocapture", "--test-threads", "1", "--exact", name.as_str()];
            output.run(program, &only, copy, &folder.join("calls.txt"), timeout.min(calls::LONGEST))?;
        }
    }
    tried.called = calls.len();
    tried.visited = output.visited.iter().filter_map(|id| counters.site(*id)).cloned().collect();
    judge(&mut tried, sites.keys(), &output);
    Ok(tried)
}

fn judge<'s>(tried: &mut Tried, sites: impl Iterator<Item = &'s Site> + Clone, output: &Output) {
    for panic in &output.panics {
        let lint = output::lint_of(&panic.said);
        let found = sites.clone().find(|site| {
            panic.file == site.file && panic.line == site.line && Some(site.lint.as_str()) == lint
        });
        match found {
            Some(site) => tried.wrong.push((site.clone(), panic.said.clone())),
            None => tried.other_panics += 1,
        }
    }
}

#[derive(Deserialize)]
struct Document {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    file: PathBuf,
    line: usize,
    column: usize,
    lint: Option<String>,
    verdict: String,
}

/// A place in a file: line and column, from 1.
type Position = (usize, usize);

/// The lines on which a lint says nothing but True, with the places it speaks of.
fn true_sites(answer: &Path, copy: &Path) -> Result<BTreeMap<Site, BTreeSet<Position>>, String> {
    let problem = |error: String| format!("{}: {error}", answer.display());
    let text = std::fs::read_to_string(answer).map_err(|error| problem(error.to_string()))?;
    let document: Document = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
    let mut sites: BTreeMap<Site, BTreeSet<Position>> = BTreeMap::new();
    let mut open = BTreeSet::new();
    for entry in document.results {
        let Some(lint) = entry.lint.filter(|lint| output::LINTS.contains(&lint.as_str())) else { continue };
        // Files below the current folder are named from there.
        let Ok(file) = entry.file.canonicalize() else { continue };
        let Ok(file) = file.strip_prefix(copy) else { continue };
        let site = Site { file: file.into(), line: entry.line, lint };
        if entry.verdict != "true" {
            open.insert(site.clone());
        }
        sites.entry(site).or_default().insert((entry.line, entry.column));
    }
    sites.retain(|site, _| !open.contains(site));
    Ok(sites)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATE: &str = "pub fn kept(n: u8) -> u16 {\n    u16::from(n) + 1\n}\n\n\
                         pub fn broken(n: u8) -> u8 {\n    n + 1\n}\n\n\
                         fn own(n: &[u8]) -> u8 {\n    n[0]\n}\n\n\
                         #[test]\nfn test() {\n    assert_eq!(own(&[3]), 3);\n}\n";

    /// Of three lines that are said never to fail one does, and random calls find it.
    #[test]
    fn a_line_that_fails_all_the_same_is_found() {
        let folder = std::env::temp_dir().join(format!("kleene-trues-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("source/src")).expect("a folder");
        std::fs::write(folder.join("source/src/lib.rs"), CRATE).expect("a file");
        let manifest = "[package]\nname = \"tried\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        std::fs::write(folder.join("source/Cargo.toml"), manifest).expect("a manifest");
        let copy = copy::made(&folder.join("source"), &folder).expect("a copy");
        let site = |line: usize, column: usize, lint: &str| {
            let site = Site { file: "src/lib.rs".into(), line, lint: lint.into() };
            (site, BTreeSet::from([(line, column)]))
        };
        let sites = [site(2, 5, "overflow"), site(6, 5, "overflow"), site(10, 5, "index_out_of_bounds")];
        let sites = BTreeMap::from(sites);
        let limit = Duration::from_secs(60);
        let tried = try_sites(Tried::default(), &sites, &copy, &folder, limit).expect("a run");
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(tried.not_run, None);
        assert_eq!((tried.counted, tried.visited.len(), tried.called), (3, 3, 2));
        let wrong: Vec<usize> = tried.wrong.iter().map(|(site, _)| site.line).collect();
        assert_eq!(wrong, [6]);
    }
}
