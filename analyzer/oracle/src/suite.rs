//! Programs with recorded truths, asked one after the other: how much is decided in limited time, and how fast.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kleene::evidence::Evidence;
use kleene::expectation::{self, Agreement, Expectation, Truth};
use kleene::frontend::Language;
use kleene::pipeline::{Options, PropertyResult, Verdict, check_text};

use crate::engine::Settings;

/// How many of the slowest answers are listed.
const SLOWEST: usize = 10;

/// One property and its answer.
#[derive(Clone, Debug)]
pub struct Row {
    pub file: String,
    pub line: usize,
    pub formula: String,
    pub truth: Truth,
    pub verdict: Verdict,
    /// Level and precision that gave the verdict.
    pub level: String,
    pub seconds: f64,
    /// Why it is Maybe, or the message of an error.
    pub reason: String,
}

impl Row {
    fn agreement(&self) -> Agreement {
        self.truth.against(self.verdict)
    }

    fn truth_name(&self) -> &'static str {
        match self.truth {
            Truth::Decided(true) | Truth::Open(true) => "HOLDS",
            Truth::Decided(false) | Truth::Open(false) => "FAILS",
            Truth::Error => "ERROR",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Measurement {
    pub programs: usize,
    pub rows: Vec<Row>,
}

/// Asks everything that is expected of the programs of a folder, in the order of their names.
pub fn measure(folder: &Path, settings: &Settings) -> Result<Measurement, String> {
    let mut measurement = Measurement::default();
    for (path, language) in programs(folder)? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let expected = expectation::read(&text).map_err(|wrong| {
            let lines: Vec<String> =
                wrong.iter().map(|one| format!("{file}:{}: {}", one.line, one.what)).collect();
            lines.join("\n")
        })?;
        measurement.programs += 1;
        for expectation in &expected.properties {
            measurement.rows.push(ask(&file, &text, language, expectation, settings));
        }
    }
    if measurement.rows.is_empty() {
        return Err(format!("{}: no programs with expectations", folder.display()));
    }
    Ok(measurement)
}

fn programs(folder: &Path) -> Result<Vec<(PathBuf, Language)>, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if let Some(language) = extension.and_then(expectation::language) {
            found.push((path, language));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

fn ask(file: &str, text: &str, language: Language, asked: &Expectation, settings: &Settings) -> Row {
    let options = Options {
        level: settings.level,
        timeout: settings.timeout,
        domain: settings.domain,
        ..asked.options.clone()
    };
    let start = Instant::now();
    let report = check_text(file, text, language, std::slice::from_ref(&asked.formula), &options);
    let seconds = start.elapsed().as_secs_f64();
    let result = report.results.first();
    let remarks = || {
        let messages = report.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str());
        messages.collect::<Vec<_>>().join("; ")
    };
    Row {
        file: file.into(),
        line: asked.line,
        formula: asked.formula.clone(),
        truth: asked.truth,
        verdict: result.map_or(Verdict::Error, |result| result.verdict),
        level: result.map_or(String::new(), |result| format!("{}/{}", result.level.name(), result.precision)),
        seconds,
        reason: result.and_then(reason).unwrap_or_else(remarks),
    }
}

fn reason(result: &PropertyResult) -> Option<String> {
    match &result.evidence {
        Evidence::Cause(cause) => Some(cause.message.clone()),
        _ => result.message.clone(),
    }
}

impl Measurement {
    pub fn wrong(&self) -> usize {
        self.with(Agreement::Wrong).count()
    }

    fn with(&self, agreement: Agreement) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.agreement() == agreement)
    }

    fn maybe(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict == Verdict::Maybe)
    }

    fn slowest_first(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        rows
    }

    /// What to read after a run: mistakes, gaps and times.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let mut list = |title: &str, rows: &[&Row], full: bool| {
            if rows.is_empty() {
                return;
            }
            let _ = writeln!(text, "{title}:");
            for row in rows {
                let verdict = row.verdict.name();
                let _ = write!(text, "  {:>7.3} s  {}:{}: {}", row.seconds, row.file, row.line, row.formula);
                let _ = write!(text, "  {verdict}, really {}", row.truth_name());
                let _ = if full { writeln!(text, "; {}", row.reason) } else { writeln!(text) };
            }
        };
        let slowest = self.slowest_first();
        list("WRONG", &self.with(Agreement::Wrong).collect::<Vec<_>>(), true);
        list("Maybe", &self.maybe().collect::<Vec<_>>(), true);
        list("no longer decided", &self.with(Agreement::Undecided).collect::<Vec<_>>(), false);
        list("better than recorded", &self.with(Agreement::Better).collect::<Vec<_>>(), false);
        list("slowest", &slowest[..slowest.len().min(SLOWEST)], false);
        text + &self.summary()
    }

    fn summary(&self) -> String {
        let (asked, maybe) = (self.rows.len(), self.maybe().count());
        let decided = asked - maybe - self.wrong();
        let share = decided as f64 * 100.0 / asked.max(1) as f64;
        let holding = self.rows.iter().filter(|row| row.truth_name() == "HOLDS").count();
        let total: f64 = self.rows.iter().map(|row| row.seconds).sum();
        let slowest = self.slowest_first();
        let median = slowest.get(asked / 2).map_or(0.0, |row| row.seconds);
        format!(
            "{} programs, {asked} properties ({holding} hold): {decided} decided ({share:.1} %), {maybe} Maybe, \
             {} wrong\nmedian {median:.3} s, slowest {:.3} s, together {total:.1} s\n",
            self.programs,
            self.wrong(),
            slowest.first().map_or(0.0, |row| row.seconds),
        )
    }

    pub fn csv(&self) -> String {
        let mut text = String::from("file,line,formula,truth,verdict,level,seconds\n");
        for row in &self.rows {
            let (truth, verdict) = (row.truth_name(), row.verdict.name());
            let _ = writeln!(
                text,
                "{},{},\"{}\",{truth},{verdict},{},{:.4}",
                row.file, row.line, row.formula, row.level, row.seconds
            );
        }
        text
    }
}
