//! What the answers for one crate come to: how many sites are decided, and why the others are not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::unsafe_code::Regions;

#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub all: Share,
    /// Sites in functions without unsafe code.
    pub safe: Share,
    pub lints: BTreeMap<String, Share>,
    /// Sites that are shown as errors or warnings, by lint.
    pub warned: BTreeMap<String, usize>,
    /// Why sites are open, with how many.
    pub causes: BTreeMap<String, usize>,
    /// What could not be seen into, with how often.
    pub opaque: BTreeMap<String, usize>,
    /// What is wrong with its files.
    pub mistakes: Vec<String>,
    /// What the analyzer says of its own failures.
    pub panics: Vec<String>,
}

/// Sites by their answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub holds: usize,
    pub fails: usize,
    pub open: usize,
}

impl Share {
    pub fn sites(self) -> usize {
        self.holds + self.fails + self.open
    }

    pub fn decided(self) -> f64 {
        self.percent(self.holds + self.fails)
    }

    pub fn percent(self, part: usize) -> f64 {
        100.0 * part as f64 / self.sites().max(1) as f64
    }

    pub fn add(&mut self, other: Share) {
        self.holds += other.holds;
        self.fails += other.fails;
        self.open += other.open;
    }

    fn count(&mut self, verdict: &str) {
        match verdict {
            "true" => self.holds += 1,
            "false" => self.fails += 1,
            _ => self.open += 1,
        }
    }
}

#[derive(Deserialize)]
struct Document {
    results: Vec<Entry>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct Entry {
    file: PathBuf,
    line: usize,
    lint: Option<String>,
    verdict: String,
    severity: Option<String>,
    suppressed: Option<String>,
    evidence: Option<Evidence>,
}

#[derive(Deserialize)]
struct Evidence {
    cause: Option<String>,
    message: Option<String>,
    #[serde(default)]
    tried: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    limit: Option<String>,
}

#[derive(Deserialize)]
struct Diagnostic {
    file: Option<String>,
    line: Option<u32>,
    severity: String,
    message: String,
}

impl Figures {
    /// From what `kleene lint --format json --stats` printed; a process that did not come so far has no figures.
    pub fn read(out: &Path, said: &Path) -> Result<Self, String> {
        let open =
            |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
        let mut figures = Self { opaque: statistics(&open(said)?), ..Self::default() };
        let text = open(out)?;
        if text.trim().is_empty() {
            return Ok(figures);
        }
        let document: Document =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", out.display()))?;
        let mut files: BTreeMap<PathBuf, Regions> = BTreeMap::new();
        for entry in &document.results {
            let regions = files.entry(entry.file.clone()).or_insert_with(|| Regions::of(&entry.file));
            figures.entry(entry, regions);
        }
        for diagnostic in document.diagnostics.iter().filter(|said| said.severity == "error") {
            let place = diagnostic.file.as_deref().unwrap_or("");
            let said = format!("{place}:{}: {}", diagnostic.line.unwrap_or(0), diagnostic.message);
            match diagnostic.message.contains("internal error") {
                true => figures.panics.push(said),
                false => figures.mistakes.push(said),
            }
        }
        Ok(figures)
    }

    fn entry(&mut self, entry: &Entry, regions: &Regions) {
        self.all.count(&entry.verdict);
        if !regions.is_unsafe(entry.line) {
            self.safe.count(&entry.verdict);
        }
        let lint = entry.lint.clone().unwrap_or_default();
        let is_shown = matches!(entry.severity.as_deref(), Some("error" | "warning"));
        if is_shown && entry.suppressed.is_none() {
            *self.warned.entry(lint.clone()).or_default() += 1;
        }
        self.lints.entry(lint).or_default().count(&entry.verdict);
        if !matches!(entry.verdict.as_str(), "true" | "false") {
            *self.causes.entry(cause(entry)).or_default() += 1;
        }
    }
}

/// The kind of a cause, what is said of it, and the limit that was hit last, if one was.
fn cause(entry: &Entry) -> String {
    let Some(evidence) = &entry.evidence else { return "no cause is given".into() };
    let kind = evidence.cause.as_deref().unwrap_or("no cause");
    let message = evidence.message.as_deref().unwrap_or("");
    let limit = evidence.tried.iter().rev().find_map(|attempt| attempt.limit.as_deref());
    match limit.filter(|_| kind != "unknown") {
        Some(limit) => format!("{kind}: {message} ({limit})"),
        None => format!("{kind}: {message}"),
    }
}

/// The lines `COUNT  WHAT` of `--stats`.
fn statistics(said: &str) -> BTreeMap<String, usize> {
    let lines = said.lines().skip_while(|line| !line.starts_with("opaque,")).skip(1);
    let row = |line: &str| {
        let (count, what) = line.trim_start().split_once("  ")?;
        Some((what.to_string(), count.parse().ok()?))
    };
    lines.filter_map(row).collect()
}
