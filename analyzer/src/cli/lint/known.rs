//! The baseline of a call: none, one that is read and compared with, or one that is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::arguments::LintArguments;
use super::super::files;
use crate::report::baseline::Baseline;
use crate::report::{Entry, FileReport, Remark};
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// Where a baseline stands unless the call says otherwise.
const FILE: &str = "kleene-baseline.json";

pub enum Known {
    Nothing,
    Before { file: Arc<SourceFile>, baseline: Box<Baseline> },
    Kept { path: PathBuf, baseline: Box<Baseline> },
}

/// What there is to say in the end.
pub enum Told {
    /// Entries that nothing answers to any more.
    Stale(Vec<Remark>),
    Written(String),
}

impl Known {
    /// The one that the call names, or what is wrong with it.
    pub fn of_call(arguments: &LintArguments) -> Result<Self, Vec<Remark>> {
        let Some(path) = &arguments.baseline else { return Ok(Self::Nothing) };
        let file = files::read_small(path).map_err(|unreadable| {
            let help = "`kleene baseline` writes one";
            vec![Remark::of(&unreadable.source, unreadable.diagnostic.clone().with_help(help))]
        })?;
        match Baseline::parsed(&file.text) {
            Ok(baseline) => Ok(Self::Before { file, baseline: Box::new(baseline) }),
            Err(error) => {
                let line = file.line_start(error.line().saturating_sub(1)).unwrap_or(0) as usize;
                let at = (line + error.column().saturating_sub(1)).min(file.text.len());
                let message = format!("this is no baseline: {}", plain(&error));
                let diagnostic = Diagnostic::error(Span::new(file.id, at, at + 1), message);
                Err(vec![Remark::of(&file, diagnostic.with_help("`kleene baseline` writes one"))])
            }
        }
    }

    /// A new one.
    pub fn kept(arguments: &LintArguments) -> Self {
        let path = arguments.baseline.clone().unwrap_or_else(|| FILE.into());
        Self::Kept { path, baseline: Box::default() }
    }

    /// Looks at a report; `counts` are the findings that would make the call fail.
    pub fn meet(&mut self, report: &mut FileReport, counts: &dyn Fn(&Entry) -> bool) {
        match self {
            Self::Nothing => {}
            Self::Before { baseline, .. } => baseline.mark(report, counts),
            Self::Kept { baseline, .. } => baseline.keep(report, counts),
        }
    }

    pub fn finished(self, arguments: &LintArguments) -> Result<Told, Remark> {
        match self {
            Self::Nothing => Ok(Told::Stale(Vec::new())),
            // A part of the program says nothing of the rest.
            Self::Before { .. } if is_a_part(arguments) => Ok(Told::Stale(Vec::new())),
            Self::Before { file, baseline } => Ok(Told::Stale(stale(&file, &baseline))),
            Self::Kept { path, baseline } => {
                written(&path, &baseline.written())?;
                let count = baseline.len();
                let word = if count == 1 { "finding" } else { "findings" };
                Ok(Told::Written(format!("wrote {}: {count} {word}\n", path.display())))
            }
        }
    }
}

fn is_a_part(arguments: &LintArguments) -> bool {
    !arguments.entries.is_empty() || arguments.since.is_some() || arguments.partition.is_some()
}

/// In one step, so that nobody reads half of it.
fn written(path: &Path, text: &str) -> Result<(), Remark> {
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let result = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    result.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Remark::call(format!("{}: {error}", path.display()), None)
    })
}

fn stale(file: &Arc<SourceFile>, baseline: &Baseline) -> Vec<Remark> {
    let remark = |(identity, count): (&crate::report::identity::Identity, usize)| {
        let what = format!("{} of `{}` in `{}`", identity.lint, identity.text, identity.function);
        let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
        let message = format!("stale: {what} is not there any more{times}");
        let help = Some("`kleene baseline` writes what is there now".to_string());
        Remark::of(file, Diagnostic { severity: Severity::Warning, message, span: None, help })
    };
    baseline.stale().map(remark).collect()
}

/// Without its place, which is shown.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_string())
}
