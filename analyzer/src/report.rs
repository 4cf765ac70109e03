//! What a call has to say: the data that all output formats share, and the formats.
//!
//! Knows results, not how they were found: no analysis, no arguments, no exit status.

pub mod advice;
pub mod baseline;
pub mod calls;
pub mod causes;
pub mod github;
pub mod graph;
pub mod identity;
pub mod json;
pub mod lines;
pub mod paint;
pub mod progress;
pub mod sarif;
pub mod snippet;
mod stored;
pub mod tests;
pub mod text;

use std::sync::Arc;

use advice::Advice;

use crate::evidence::{Evidence, certificate};
use crate::granularity::Granularity;
use crate::lints::{self, Finding, Lint};
use crate::pipeline::{Level, ModelSize, PropertyResult, Verdict};
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// Everything about one input file, in the order of the questions.
#[derive(Debug)]
pub struct FileReport {
    /// As the user named it.
    pub name: String,
    /// Empty where the file could not be read.
    pub source: Arc<SourceFile>,
    pub entries: Vec<Entry>,
    pub remarks: Vec<Remark>,
    /// What it is part of, if it is part of a package.
    pub unit: Option<Unit>,
}

/// A target of a package, in the words of cargo.
#[derive(Clone, Debug)]
pub struct Unit {
    pub package: String,
    pub package_id: String,
    pub manifest: String,
    pub target: String,
    pub kind: String,
    pub root: String,
    pub edition: String,
}

/// One property of one file.
#[derive(Debug)]
pub struct Entry {
    pub property: String,
    /// Its number in the whole, where this is a share of it.
    pub number: Option<usize>,
    /// The built-in check it belongs to, if it is one.
    pub lint: Option<Lint>,
    /// The name a property file gives it.
    pub name: Option<String>,
    /// `None` for models, which have no functions.
    pub function: Option<String>,
    pub granularity: Granularity,
    pub verdict: Verdict,
    /// Of a finding that is False.
    pub rated: Option<lints::Severity>,
    /// Why it is left alone.
    pub suppressed: Option<String>,
    /// It was there before: the baseline has it.
    pub known: bool,
    /// What fails, as a call to copy, and what would keep it from failing.
    pub advice: Advice,
    pub level: Level,
    /// The solver that was asked, if one was.
    pub solver: Option<String>,
    pub seconds: f64,
    pub model: ModelSize,
    pub vacuous: Option<bool>,
    pub vacuous_parts: Vec<String>,
    pub backing: Backing,
    /// The whole evidence, for a file.
    pub certificate: Option<certificate::Entry>,
    pub message: Option<String>,
    /// The place the result speaks of.
    pub span: Option<Span>,
    /// What a property file promised, and where.
    pub expected: Option<Expectation>,
    /// A mistake in the text of the formula or of an assumption.
    pub mistake: Option<Remark>,
    pub trouble: Trouble,
}

/// Why an entry is an error, as far as reports treat the reasons differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No error, or one that the entry itself explains.
    Own,
    /// The file could not be read; its remarks say why.
    Input,
    /// Our own bug.
    Internal,
}

#[derive(Debug)]
pub enum Backing {
    Program(Evidence),
    Model(ModelEvidence),
}

/// Evidence in the states of a `.kripke` model.
#[derive(Clone, Debug)]
pub enum ModelEvidence {
    /// States in order; from index `cycle` on they repeat for ever.
    Path {
        states: Vec<String>,
        cycle: Option<usize>,
    },
    /// No single path shows the verdict: it is a statement about all of them.
    Whole,
    Cause {
        kind: &'static str,
        state: String,
        message: String,
        path: Vec<String>,
    },
}

#[derive(Clone, Debug)]
pub struct Expectation {
    pub verdict: Verdict,
    pub origin: Origin,
}

/// A piece of text and where it stands: an argument of the call, or a string in a property file.
#[derive(Clone, Debug)]
pub struct Origin {
    pub file: Arc<SourceFile>,
    pub start: usize,
}

impl Origin {
    /// A remark on the bytes `start..end` of the piece.
    pub fn remark(&self, start: usize, end: usize, message: String, help: Option<String>) -> Remark {
        let span = Span::new(self.file.id, self.start + start, self.start + end);
        let diagnostic = Diagnostic { severity: Severity::Error, message, span: Some(span), help };
        Remark { file: Some(self.file.clone()), diagnostic }
    }
}

/// A diagnostic with the text it points into; without one it is about the call.
#[derive(Clone, Debug)]
pub struct Remark {
    pub file: Option<Arc<SourceFile>>,
    pub diagnostic: Diagnostic,
}

impl Remark {
    /// An error of the call itself.
    pub fn call(message: impl Into<String>, help: Option<&str>) -> Self {
        let help = help.map(Into::into);
        let diagnostic = Diagnostic { severity: Severity::Error, message: message.into(), span: None, help };
        Self { file: None, diagnostic }
    }

    pub fn of(file: &Arc<SourceFile>, diagnostic: Diagnostic) -> Self {
        Self { file: Some(file.clone()), diagnostic }
    }

    /// Whether both say the same of the same place.
    pub fn repeats(&self, other: &Remark) -> bool {
        self.diagnostic == other.diagnostic && self.file_name() == other.file_name()
    }

    /// Line and column, if the remark is about a place.
    pub fn position(&self) -> Option<(u32, u32)> {
        Some(self.file.as_ref()?.place(self.diagnostic.span?))
    }

    /// The file that the remark points into.
    pub fn file_name(&self) -> Option<&str> {
        let file = self.file.as_ref()?;
        Some(self.diagnostic.span.map_or(&file.name, |span| &file.of(span).name))
    }

    /// `FILE:LINE:COLUMN: message (help)`
    fn in_one_line(&self) -> String {
        let file = self.file_name().unwrap_or_default();
        let place =
            self.position().map_or(String::new(), |(line, column)| format!("{file}:{line}:{column}: "));
        let help = self.diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{place}{}{help}", self.diagnostic.message)
    }

    pub fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

impl Entry {
    /// An entry without an answer.
    pub fn error(property: &str, granularity: Granularity, message: impl Into<String>) -> Self {
        Self {
            property: property.into(),
            number: None,
            lint: None,
            name: None,
            function: None,
            granularity,
            verdict: Verdict::Error,
            rated: None,
            suppressed: None,
            known: false,
            advice: Advice::default(),
            level: Level::Abstract,
            solver: None,
            seconds: 0.0,
            model: ModelSize::default(),
            vacuous: None,
            vacuous_parts: Vec::new(),
            backing: Backing::Program(Evidence::None),
            certificate: None,
            message: Some(message.into()),
            span: None,
            expected: None,
            mistake: None,
            trouble: Trouble::Own,
        }
    }

    pub fn with_trouble(self, trouble: Trouble) -> Self {
        Self { trouble, ..self }
    }

    /// The mistake becomes the message.
    pub fn mistaken(property: &str, granularity: Granularity, mistake: Remark) -> Self {
        let message = mistake.in_one_line();
        Self { mistake: Some(mistake), ..Self::error(property, granularity, message) }
    }

    /// `origin` is where the formula stands, for its mistakes.
    pub fn of_result(result: PropertyResult, origin: &Origin) -> Self {
        let mistake = result.formula_error.as_ref().map(|error| {
            origin.remark(error.span.start, error.span.end, error.message.clone(), error.help.clone())
        });
        Self {
            property: result.property,
            number: None,
            lint: None,
            name: None,
            function: Some(result.function),
            granularity: result.granularity,
            verdict: result.verdict,
            rated: None,
            suppressed: None,
            known: false,
            advice: Advice::default(),
            level: result.level,
            solver: result.solver,
            seconds: result.seconds,
            model: result.model,
            vacuous: result.vacuous,
            vacuous_parts: result.vacuous_parts,
            backing: Backing::Program(result.evidence),
            certificate: None,
            message: mistake.as_ref().map(Remark::in_one_line).or(result.message),
            span: result.span,
            expected: None,
            mistake,
            trouble: Trouble::Own,
        }
    }

    pub fn of_finding(finding: Finding, advice: Advice) -> Self {
        Self {
            property: finding.property(),
            number: finding.number,
            lint: Some(finding.lint),
            name: None,
            function: Some(finding.function),
            granularity: Granularity::Statement,
            verdict: finding.verdict,
            rated: (finding.verdict == Verdict::False).then_some(finding.severity),
            suppressed: finding.suppressed,
            known: false,
            advice,
            level: finding.level,
            solver: finding.solver,
            seconds: finding.seconds,
            model: finding.model,
            vacuous: None,
            vacuous_parts: Vec::new(),
            backing: Backing::Program(finding.evidence),
            certificate: None,
            message: finding.message,
            span: Some(finding.span),
            expected: None,
            mistake: None,
            trouble: Trouble::Own,
        }
    }

    /// How much it matters, in the words of the machine output.
    pub fn severity(&self) -> &'static str {
        match (self.verdict, self.rated) {
            (Verdict::True, _) => "none",
            (Verdict::Maybe, _) => "note",
            (Verdict::False | Verdict::Error, None) => "error",
            (_, Some(rated)) => rated.name(),
        }
    }

    /// The verdict is not the one its property file promises.
    pub fn surprise(&self) -> Option<Remark> {
        let expected = self.expected.as_ref().filter(|expected| expected.verdict != self.verdict)?;
        if self.verdict == Verdict::Error {
            return None;
        }
        let message =
            format!("expected {}, but the verdict is {}", expected.verdict.name(), self.verdict.name());
        let length = expected.verdict.name().len();
        Some(expected.origin.remark(0, length, message, None))
    }
}

/// Verdicts by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub holds: usize,
    pub fails: usize,
    pub undecided: usize,
    pub errors: usize,
}

impl Summary {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::True => self.holds += 1,
            Verdict::False => self.fails += 1,
            Verdict::Maybe => self.undecided += 1,
            Verdict::Error => self.errors += 1,
        }
    }

    pub fn total(&self) -> usize {
        self.holds + self.fails + self.undecided + self.errors
    }
}
