//! How much a failure matters: what breaks in ordinary use is told from what only extreme values bring about.
//!
//! The run decides: where one was found on ordinary values it is the one that is shown. Verdicts do not change.

use kleene_domains::Int;

use super::{Finding, Lint};
use crate::evidence::{Called, Evidence, Run};
use crate::frontend::Lowered;
use crate::ir::view::Form;
use crate::ir::{FunctionId, Program, VariableId};
use crate::outline::{Function, Outline};
use crate::pipeline::Verdict;
use crate::source::stored::stored_names;
use crate::source::{SourceFile, Span};

/// The greater of two counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Hidden unless somebody asks.
    Note,
    Warning,
    Error,
}

stored_names!(Severity: Note, Warning, Error);

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The largest number that people use every day.
pub const ORDINARY: i64 = 1 << 16;
/// The longest data, in elements.
const LONGEST: i64 = 4 << 10;

/// Gives every failure its severity.
pub fn rate(findings: &mut [Finding], lowered: &Lowered, source: &SourceFile, outline: &Outline) {
    let unused = unused(findings, outline);
    let rating = Rating { lowered, program: &lowered.program, source, outline, unused };
    for finding in findings.iter_mut().filter(|finding| finding.verdict == Verdict::False) {
        finding.severity = rating.of(finding);
    }
}

/// Alternatives that nobody comes to: their first piece of code is never reached.
fn unused(findings: &[Finding], outline: &Outline) -> Vec<Span> {
    let sites = findings.iter().filter(|finding| finding.lint == Lint::UnreachableCode);
    let mut sites: Vec<(Span, Verdict)> = sites.map(|finding| (finding.span, finding.verdict)).collect();
    sites.sort_by_key(|(span, _)| (span.file, span.start));
    let is_unused = |text: &Span| {
        let from = sites.partition_point(|(span, _)| (span.file, span.start) < (text.file, text.start));
        sites.get(from).is_some_and(|(span, verdict)| text.covers(*span) && *verdict == Verdict::False)
    };
    outline.alternatives().filter(is_unused).collect()
}

struct Rating<'r> {
    lowered: &'r Lowered,
    program: &'r Program,
    source: &'r SourceFile,
    outline: &'r Outline,
    unused: Vec<Span>,
}

impl Rating<'_> {
    fn of(&self, finding: &Finding) -> Severity {
        let run = match &finding.evidence {
            Evidence::Run(run) => Some(run),
            _ => None,
        };
        if matches!(
            finding.lint,
            Lint::ConstantCondition | Lint::UnreachableCode | Lint::LossyCast | Lint::UninitialisedRead
        ) {
            return self.unless(self.is_meant(finding));
        }
        // Who tests that it fails means it to.
        if finding.by_user {
            return Severity::Note;
        }
        if finding.inevitable || run.is_some_and(|run| self.has_no_choice(run)) {
            return Severity::Error;
        }
        let here = self.outline.function_at(finding.span);
        let harmless = here.is_some_and(|function| function.is_operator)
            || self.is_documented(here, run)
            || run.is_some_and(is_unchecked);
        if harmless {
            return Severity::Note;
        }
        match (finding.lint, here) {
            (Lint::AssertionFailed, Some(function)) => {
                self.unless(function.asserts_arguments(finding.span, self.source) || !self.is_ordinary(run))
            }
            (Lint::ReachablePanic, Some(function)) if !self.is_promised_unreachable(finding) => {
                self.unless(function.is_behind_arguments(finding.span) || !self.is_ordinary(run))
            }
            (Lint::UnwrapFailed, Some(function)) => self.unless(function.expects_arguments(finding.span)),
            (Lint::Overflow, here) => self.unless(
                !self.is_ordinary(run)
                    && !here.is_some_and(|function| {
                        function.is_dangerous(finding.span)
                            || function.is_checked_beside(finding.span, self.source)
                    }),
            ),
            _ => Severity::Warning,
        }
    }

    /// What is constant or never reached because it is switched, because the language asks for it, or in one of the places
    /// that a macro is used in.
    fn is_meant(&self, finding: &Finding) -> bool {
        let here = self.outline.function_at(finding.span);
        match finding.lint {
            Lint::ConstantCondition => {
                here.is_some_and(|function| function.is_switch(finding.span)) || self.is_expanded(finding)
            }
            Lint::UnreachableCode => {
                self.unused.iter().any(|text| text.covers(finding.span))
                    || here.is_none() && self.is_expanded(finding)
            }
            _ => false,
        }
    }

    /// Whether it stands in what a macro makes.
    fn is_expanded(&self, finding: &Finding) -> bool {
        let text = self.source.snippet(finding.span);
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        let name = text.split(|letter: char| !is_letter(letter)).next().unwrap_or("");
        let after = text[name.len()..].trim_start();
        let is_call = after.starts_with('!') && !after.starts_with("!=");
        !name.is_empty() && is_call && name.rsplit("::").next() != Some("matches")
    }

    fn unless(&self, harmless: bool) -> Severity {
        if harmless { Severity::Note } else { Severity::Warning }
    }

    fn is_ordinary(&self, run: Option<&Run>) -> bool {
        run.is_none_or(|run| is_ordinary(run, self.program))
    }

    /// `main` alone, and nothing that is drawn on the way.
    fn has_no_choice(&self, run: &Run) -> bool {
        let [only] = run.calls.as_slice() else { return false };
        if only.name != "main" || !only.arguments.is_empty() {
            return false;
        }
        let set = self.program.initialisers.iter().map(|initialiser| initialiser.place().variable);
        (0..self.program.globals.len() as u32)
            .all(|index| set.clone().any(|variable| variable == VariableId::Global(index)))
    }

    /// The function, or the one that others call for it, says that it panics.
    fn is_documented(&self, here: Option<&Function>, run: Option<&Run>) -> bool {
        let called = run.and_then(|run| run.calls.last()).map(|call| call.function);
        let span = called.map(|function| self.program.function(function).span);
        let outer = span.and_then(|span| self.outline.function_at(span));
        here.into_iter().chain(outer).any(|function| function.documents_panics)
            || called.is_some_and(|function| self.is_documented_by_trait(function))
    }

    /// Functions that macros write are known by the trait that a call names: `<u8 as Roots>::sqrt`.
    fn is_documented_by_trait(&self, function: FunctionId) -> bool {
        let path = self.lowered.callables.get(&function).map_or("", |callable| callable.path.as_str());
        let parts = path.split_once(" as ").and_then(|(_, rest)| rest.rsplit_once(">::"));
        let last =
            |path: &str| path.split('<').next().unwrap_or("").rsplit("::").next().unwrap_or("").to_string();
        parts.is_some_and(|(of_trait, name)| self.outline.trait_documents_panics(&last(of_trait), name))
    }

    /// `unreachable!` says that nobody comes here, `todo!` that somebody will.
    fn is_promised_unreachable(&self, finding: &Finding) -> bool {
        let text = self.source.snippet(finding.span);
        let name = text.split(['!', '(']).next().unwrap_or("").rsplit("::").next().unwrap_or("").trim();
        matches!(name, "unreachable" | "unreachable_unchecked" | "todo" | "unimplemented")
    }
}

/// Whether the run calls what says by its name that the caller has to check: `Packet::new_unchecked`.
fn is_unchecked(run: &Run) -> bool {
    let says = |call: &Called| call.name.split('<').next().is_some_and(|name| name.ends_with("_unchecked"));
    run.calls.iter().any(says)
}

/// Whether a caller passes, and the run draws, nothing but numbers and data of everyday size.
pub fn is_ordinary(run: &Run, program: &Program) -> bool {
    let is_small = |value: &Int| *value <= Int::from(ORDINARY) && *value >= Int::from(-ORDINARY);
    if run.calls.is_empty() {
        let drawn = run.steps.iter().flat_map(|step| &step.inputs);
        return run.start.initial.iter().chain(drawn).all(|(_, value)| is_small(value));
    }
    let is_short = |call: &Called| {
        lengths(program, call.function)
            .into_iter()
            .all(|at| call.arguments.get(at).is_none_or(|length| *length <= Int::from(LONGEST)))
    };
    run.calls.iter().all(|call| call.arguments.iter().all(is_small) && is_short(call))
}

/// Which parameters of a function are lengths.
fn lengths(program: &Program, function: FunctionId) -> Vec<usize> {
    let mut found = Vec::new();
    for view in program.function(function).views.iter() {
        collect_lengths(&view.form, &mut found);
    }
    found
}

fn collect_lengths(form: &Form, found: &mut Vec<usize>) {
    match form {
        Form::Sequence { length, elements, .. } => {
            if let Form::Number(place) = &**length
                && let VariableId::Local(index) = place.variable
            {
                found.push(index as usize);
            }
            elements.iter().for_each(|element| collect_lengths(element, found));
        }
        Form::Record(record) => record.fields.iter().for_each(|(_, field)| collect_lengths(field, found)),
        Form::Choice { variants, .. } => {
            let fields = variants.iter().flat_map(|variant| &variant.fields);
            fields.for_each(|(_, field)| collect_lengths(field, found));
        }
        Form::List(forms) => forms.iter().for_each(|form| collect_lengths(form, found)),
        Form::Number(_) | Form::Bool(_) | Form::Char(_) | Form::Hidden => {}
    }
}
