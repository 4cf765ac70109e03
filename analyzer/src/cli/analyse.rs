//! One file: read it, ask every question, keep going whatever happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arguments::Kind;
use super::files::{self, Modules, Unreadable};
use super::plan::{Asked, Job};
use super::tables::Text;
use super::{evidence, guard, model_file};
use crate::evidence::{Cause, CauseKind, Evidence};
use crate::frontend::rust::RustOptions;
use crate::frontend::{self, Arithmetic, FrontendOptions, Integers, Language, Lowered};
use crate::pipeline::{self, Level, Options, Solvers, Verdict};
use crate::precision::Domain;
use crate::property::Resolver;
use crate::report::progress::Progress;
use crate::report::{Backing, Entry, FileReport, Remark, Trouble};
use crate::source::{Diagnostic, FileId, SourceFile, Span};

/// Limits of the whole call, and the line that shows how far it is.
pub struct Surroundings {
    pub kind: Option<Kind>,
    pub rust: RustOptions,
    pub level: Level,
    pub domain: Option<Domain>,
    pub solver: Solvers,
    pub timeout: Duration,
    pub deadline: Option<Instant>,
    pub progress: Progress,
    /// Where the evidence of definite verdicts goes, if anywhere.
    pub evidence: Option<PathBuf>,
}

pub const UNREAD: &str = "the file could not be read";

impl Surroundings {
    /// Time for the next property; `None` if the budget is spent.
    fn time_left(&self) -> Option<Duration> {
        let Some(deadline) = self.deadline else { return Some(self.timeout) };
        let left = deadline.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| left.min(self.timeout))
    }
}

/// Never panics: a panic of the analysis becomes entries that say so.
pub fn file(job: &Job, around: &Surroundings) -> FileReport {
    let name = job.path.display().to_string();
    guard::caught(|| opened(job, around)).unwrap_or_else(|panic| {
        let source = SourceFile::new(FileId(0), &name, "");
        let error = |asked: &Asked| refused(asked, &panic).with_trouble(Trouble::Internal);
        FileReport {
            name,
            source,
            entries: job.asked.iter().map(error).collect(),
            remarks: Vec::new(),
            unit: None,
        }
    })
}

fn opened(job: &Job, around: &Surroundings) -> FileReport {
    let read = || -> Result<_, Box<Unreadable>> {
        let kind = files::kind(&job.path, around.kind)?;
        Ok((kind, files::read(&job.path, kind)?))
    };
    match read() {
        Ok((Kind::Model, source)) => model_file::check(job, source, around),
        Ok((Kind::Program(language), source)) => {
            let modules = Modules::of(&job.path, &source);
            let mut analysis = Analysis { job, source, modules, language, around, lowered: Vec::new() };
            let entries = job.asked.iter().map(|asked| finished(analysis.entry(asked), asked)).collect();
            analysis.report(entries)
        }
        Err(unreadable) => unreadable_report(job, *unreadable),
    }
}

fn unreadable_report(job: &Job, unreadable: Unreadable) -> FileReport {
    let Unreadable { source, diagnostic } = unreadable;
    let remarks = vec![Remark::of(&source, diagnostic)];
    let error = |asked: &Asked| refused(asked, UNREAD).with_trouble(Trouble::Input);
    let entries = job.asked.iter().map(|asked| finished(error(asked), asked)).collect();
    FileReport { name: source.name.clone(), source, entries, remarks, unit: None }
}

pub fn refused(asked: &Asked, message: &str) -> Entry {
    Entry::error(&asked.formula.text, asked.granularity, message)
}

/// The answer to a question that makes no sense whatever the file.
pub fn unaskable(asked: &Asked) -> Option<Entry> {
    let mistaken =
        |mistake: &Remark| Entry::mistaken(&asked.formula.text, asked.granularity, mistake.clone());
    let spoiled = || refused(asked, "the property file has mistakes").with_trouble(Trouble::Input);
    asked.mistake.as_ref().map(mistaken).or_else(|| asked.spoiled.then(spoiled))
}

/// What the question itself brings to its entry.
pub fn finished(entry: Entry, asked: &Asked) -> Entry {
    Entry { name: asked.name.clone(), expected: asked.expected.clone(), ..entry }
}

/// What a program depends on besides its text.
type Key = (String, Integers, Arithmetic);
type Attempt = Result<Result<Lowered, Vec<Diagnostic>>, String>;

struct Analysis<'j> {
    job: &'j Job,
    /// With its modules as far as they are read.
    source: Arc<SourceFile>,
    modules: Arc<Modules>,
    language: Language,
    around: &'j Surroundings,
    /// Properties may differ in their entry function: one program for each.
    lowered: Vec<(Key, Attempt)>,
}

impl Analysis<'_> {
    fn entry(&mut self, asked: &Asked) -> Entry {
        self.around.progress.begin(&self.source.name, &asked.formula.text);
        if let Some(refused) = unaskable(asked) {
            return refused;
        }
        let index = self.lower(asked);
        let entry = match &self.lowered[index].1 {
            Ok(Ok(lowered)) => {
                let span = Some(lowered.program.entry_function().span);
                let entry = guard::caught(|| self.ask(lowered, asked))
                    .unwrap_or_else(|panic| refused(asked, &panic).with_trouble(Trouble::Internal));
                Entry { span: entry.span.or(span), ..entry }
            }
            Ok(Err(_)) => refused(asked, "the program could not be read").with_trouble(Trouble::Input),
            Err(panic) => refused(asked, panic).with_trouble(Trouble::Internal),
        };
        Entry { function: Some(asked.entry.clone()), ..entry }
    }

    fn lower(&mut self, asked: &Asked) -> usize {
        let key = (asked.entry.clone(), asked.integers, asked.arithmetic);
        if let Some(known) = self.lowered.iter().position(|(other, _)| *other == key) {
            return known;
        }
        let options = FrontendOptions {
            entry: key.0.clone(),
            integers: key.1,
            arithmetic: key.2,
            modules: Some(self.modules.clone()),
            notebook: None,
            deadline: None,
            rust: self.around.rust.clone(),
        };
        let lowered = guard::caught(|| frontend::lower(&self.source, self.language, &options));
        self.source = self.modules.joined();
        self.lowered.push((key, lowered));
        self.lowered.len() - 1
    }

    fn ask(&self, lowered: &Lowered, asked: &Asked) -> Entry {
        if let Some(mistake) = wrong_assumption(asked, lowered, &self.source) {
            return Entry::mistaken(&asked.formula.text, asked.granularity, mistake);
        }
        let Some(timeout) = self.around.time_left() else { return out_of_time(asked) };
        let (domain, solver) = (self.around.domain, self.around.solver.clone());
        let certify = self.around.evidence.is_some();
        let rust = self.around.rust.clone();
        let options = Options { domain, solver, certify, rust, ..options(asked, self.around.level, timeout) };
        let formula = std::slice::from_ref(&asked.formula.text);
        let mut results = pipeline::check_program(&self.source, &lowered.program, formula, &options);
        let result = results.pop().expect("one result per property");
        let certificate = self.around.evidence.as_ref().and_then(|evidence| {
            let path = evidence::relative(&self.job.path, evidence);
            pipeline::certificate(&path, &self.source, self.language, &options, &result)
        });
        Entry { certificate, ..Entry::of_result(result, &asked.formula.origin) }
    }

    /// Remarks of the front end, each once however many programs were made of the text.
    fn report(self, entries: Vec<Entry>) -> FileReport {
        let mut once: Vec<Diagnostic> = Vec::new();
        for (_, lowered) in self.lowered {
            let found = match lowered {
                Ok(Ok(lowered)) => lowered.diagnostics,
                Ok(Err(diagnostics)) => placed(diagnostics),
                Err(_) => Vec::new(),
            };
            for diagnostic in found {
                if !once.contains(&diagnostic) {
                    once.push(diagnostic);
                }
            }
        }
        let remarks = once.into_iter().map(|remark| Remark::of(&self.source, remark)).collect();
        FileReport {
            name: self.job.path.display().to_string(),
            source: self.source,
            entries,
            remarks,
            unit: None,
        }
    }
}

/// A text that is wrong as a whole is wrong from its start: every refusal names a place.
fn placed(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.iter().all(|diagnostic| diagnostic.span.is_none()) {
        let start = Span::new(FileId(0), 0, 0);
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.span = Some(start));
    }
    diagnostics
}

/// The pipeline sees one conjunction; mistakes are shown in the assumption they are in.
pub fn wrong_assumption(asked: &Asked, lowered: &Lowered, source: &SourceFile) -> Option<Remark> {
    let resolver = Resolver { program: &lowered.program, file: source };
    asked.assumptions.iter().find_map(|assumption| {
        let error = resolver.predicate(&assumption.text).err()?;
        Some(assumption.origin.remark(error.span.start, error.span.end, error.message, error.help))
    })
}

pub fn options(asked: &Asked, level: Level, timeout: Duration) -> Options {
    Options {
        entry: asked.entry.clone(),
        integers: asked.integers,
        arithmetic: asked.arithmetic,
        granularity: asked.granularity,
        watch: asked.watch.clone(),
        assume: conjunction(&asked.assumptions),
        level,
        timeout,
        ..Options::default()
    }
}

fn conjunction(assumptions: &[Text]) -> Option<String> {
    let parts: Vec<String> = assumptions.iter().map(|assumption| format!("({})", assumption.text)).collect();
    (!parts.is_empty()).then(|| parts.join(" && "))
}

/// The time for the whole call was up before this property.
fn out_of_time(asked: &Asked) -> Entry {
    let cause = Cause {
        kind: CauseKind::Limit,
        span: None,
        message: "the time budget of the call was spent before this property".into(),
        values: Vec::new(),
        relations: Vec::new(),
        path: Vec::new(),
        help: Some("raise `--budget`".into()),
        holds_if: None,
        fails_if: None,
        obligation: None,
        tried: Vec::new(),
    };
    Entry {
        verdict: Verdict::Maybe,
        backing: Backing::Program(Evidence::Cause(cause)),
        message: None,
        ..refused(asked, "")
    }
}
