//! `.kripke` files: the checker of the `ctl` crate, its answers in the names of the model.

use std::sync::Arc;
use std::time::Instant;

use kleene_ctl::{
    AtomId, CellId, Checked, Explanation, Formula, NamedModel, NoProgress, ParseError, Truth, Vacuity,
};

use super::analyse::{Surroundings, UNREAD, finished, refused, unaskable};
use super::plan::{Asked, Job};
use super::tables::Text;
use crate::granularity::Granularity;
use crate::pipeline::{ModelSize, Verdict};
use crate::report::{Backing, Entry, FileReport, ModelEvidence, Remark, Trouble};
use crate::source::{Diagnostic, SourceFile, Span};

/// Vacuity checks a formula once per part; beyond this many states the answer stays open.
const VACUITY_LIMIT: usize = 200_000;

pub fn check(job: &Job, source: Arc<SourceFile>, around: &Surroundings) -> FileReport {
    let name = source.name.clone();
    let (entries, remarks) = match read(&source) {
        Ok(named) => {
            let entry = |asked: &Asked| {
                around.progress.begin(&name, &asked.formula.text);
                let entry =
                    unaskable(asked).unwrap_or_else(|| Question { named: &named, asked }.entry(&source));
                finished(entry, asked)
            };
            (job.asked.iter().map(entry).collect(), Vec::new())
        }
        Err(diagnostics) => {
            let error = |asked: &Asked| finished(refused(asked, UNREAD).with_trouble(Trouble::Input), asked);
            let remarks = diagnostics.into_iter().map(|diagnostic| Remark::of(&source, diagnostic)).collect();
            (job.asked.iter().map(error).collect(), remarks)
        }
    };
    FileReport { name, source, entries, remarks, unit: None }
}

pub fn read(source: &SourceFile) -> Result<NamedModel, Vec<Diagnostic>> {
    let at = |start, end, message| Diagnostic::error(Span::new(source.id, start, end), message);
    let named = kleene_ctl::parse_model(&source.text).map_err(|errors| {
        let diagnostic =
            |error: kleene_ctl::ModelTextError| at(error.span.start, error.span.end, error.message);
        errors.into_iter().map(diagnostic).collect::<Vec<_>>()
    })?;
    if named.model.initial().is_empty() {
        let problem = at(0, 0, "the model has no initial state".into());
        return Err(vec![problem.with_help("mark one, as in `state s0 init`")]);
    }
    Ok(named)
}

/// The formula over the model's atoms.
pub fn resolve(named: &NamedModel, text: &str) -> Result<Formula<AtomId>, ParseError> {
    named.resolve(&kleene_ctl::parse(text)?)
}

struct Question<'q> {
    named: &'q NamedModel,
    asked: &'q Asked,
}

impl Question<'_> {
    fn entry(&self, source: &SourceFile) -> Entry {
        let start = Instant::now();
        let (property, granularity) = (&self.asked.formula.text, self.asked.granularity);
        let entry = match self.answer(source) {
            Ok(entry) => entry,
            Err(mistake) => Entry::mistaken(property, granularity, *mistake),
        };
        let first = self.named.model.initial().first();
        let span = entry.span.or_else(|| first.and_then(|cell| self.declaration(source, *cell)));
        Entry { seconds: start.elapsed().as_secs_f64(), span, ..entry }
    }

    fn answer(&self, source: &SourceFile) -> Result<Entry, Box<Remark>> {
        let formula = &self.asked.formula;
        if self.asked.granularity != Granularity::Statement {
            let message = "a model has only one granularity: `statement`".into();
            return Err(Box::new(formula.origin.remark(0, formula.text.len(), message, None)));
        }
        let resolved = self.resolve(formula)?;
        let allowed = self.allowed()?;
        let model = &self.named.model;
        if allowed.iter().all(|(_, truth)| *truth == Truth::False) {
            return Ok(refused(self.asked, "the assumption excludes every initial state"));
        }
        let checked = kleene_ctl::check(model, &resolved, &NoProgress);
        let verdict = over_initial(&checked, &allowed);
        let mut entry = Entry {
            verdict: match verdict {
                Truth::True => Verdict::True,
                Truth::False => Verdict::False,
                Truth::Maybe => Verdict::Maybe,
            },
            model: ModelSize {
                cells: model.cells(),
                may: model.may_edge_count(),
                must: model.must_edge_count(),
            },
            message: None,
            ..refused(self.asked, "")
        };
        let (evidence, cell) = self.evidence(&checked, &resolved, &allowed, verdict);
        entry.backing = Backing::Model(evidence);
        entry.span = cell.and_then(|cell| self.declaration(source, cell));
        if verdict == Truth::True && model.cells() <= VACUITY_LIMIT {
            (entry.vacuous, entry.vacuous_parts) = self.vacuity(&allowed)?;
        }
        Ok(entry)
    }

    fn resolve(&self, text: &Text) -> Result<Formula<AtomId>, Box<Remark>> {
        resolve(self.named, &text.text).map_err(|error| {
            Box::new(text.origin.remark(error.span.start, error.span.end, error.message, error.help))
        })
    }

    /// The initial states with the truth of all assumptions there.
    fn allowed(&self) -> Result<Vec<(CellId, Truth)>, Box<Remark>> {
        let model = &self.named.model;
        let mut allowed: Vec<_> = model.initial().iter().map(|cell| (*cell, Truth::True)).collect();
        for assumption in &self.asked.assumptions {
            let formula = self.resolve(assumption)?;
            if !formula.is_propositional() {
                let message = "an assumption on the initial state has no temporal operators".into();
                let length = assumption.text.len();
                return Err(Box::new(assumption.origin.remark(0, length, message, None)));
            }
            let checked = kleene_ctl::check(model, &formula, &NoProgress);
            allowed.iter_mut().for_each(|(cell, truth)| *truth = truth.and(checked.truth(*cell)));
        }
        Ok(allowed)
    }

    fn evidence(
        &self,
        checked: &Checked,
        formula: &Formula<AtomId>,
        allowed: &[(CellId, Truth)],
        verdict: Truth,
    ) -> (ModelEvidence, Option<CellId>) {
        let deciding: Vec<CellId> = allowed
            .iter()
            .filter(|(cell, allowed)| {
                judged(checked.truth(*cell), *allowed) == verdict && *allowed != Truth::False
            })
            .map(|(cell, _)| *cell)
            .collect();
        // A True is one state's own affair only if there is no other.
        let Some(cell) = deciding.first().filter(|_| verdict != Truth::True || allowed.len() == 1) else {
            return (ModelEvidence::Whole, None);
        };
        if verdict == Truth::Maybe && checked.truth(*cell) != Truth::Maybe {
            let message = "it is not known whether the assumption holds in this state".into();
            let state = self.name(*cell);
            let path = vec![state.clone()];
            return (ModelEvidence::Cause { kind: "assumption", state, message, path }, Some(*cell));
        }
        let names = |cells: &[CellId]| cells.iter().map(|cell| self.name(*cell)).collect::<Vec<_>>();
        match kleene_ctl::explain(&self.named.model, checked, *cell) {
            Explanation::Path(path) if path.len() < 2 && !one_run_shows(formula, verdict) => {
                (ModelEvidence::Whole, None)
            }
            Explanation::Path(path) => {
                (ModelEvidence::Path { states: names(&path), cycle: None }, path.last().copied())
            }
            Explanation::Lasso { stem, cycle } => {
                let states = names(&[stem.as_slice(), cycle.as_slice()].concat());
                (ModelEvidence::Path { states, cycle: Some(stem.len()) }, cycle.first().copied())
            }
            Explanation::Cause(cause) => {
                let (kind, message) = self.cause(&cause);
                let state = self.name(cause.cell);
                (ModelEvidence::Cause { kind, state, message, path: names(&cause.path) }, Some(cause.cell))
            }
        }
    }

    fn cause(&self, cause: &kleene_ctl::Cause) -> (&'static str, String) {
        let here = self.name(cause.cell);
        match cause.kind {
            kleene_ctl::CauseKind::Label(atom) => {
                let atom = &self.named.atom_names[atom.index()];
                ("label", format!("`{atom}` is Maybe in state {here}"))
            }
            kleene_ctl::CauseKind::Edge { to } => {
                let to = self.name(to);
                ("edge", format!("the step from {here} to {to} may exist, but is not known to"))
            }
            kleene_ctl::CauseKind::Loop => {
                ("loop", format!("a loop through {here} is not known to be left, nor to go on for ever"))
            }
        }
    }

    /// Parts in the words of the formula, so the mutants are made before names are resolved.
    fn vacuity(&self, allowed: &[(CellId, Truth)]) -> Result<(Option<bool>, Vec<String>), Box<Remark>> {
        let Ok(written) = kleene_ctl::parse(&self.asked.formula.text) else { return Ok((None, Vec::new())) };
        let mutants = kleene_ctl::vacuity_mutants(&written);
        let vacuity = kleene_ctl::vacuity::judge(mutants, |mutant| match self.named.resolve(mutant) {
            Ok(mutant) => over_initial(&kleene_ctl::check(&self.named.model, &mutant, &NoProgress), allowed),
            Err(_) => Truth::Maybe,
        });
        Ok(match vacuity {
            Vacuity::NotVacuous => (Some(false), Vec::new()),
            Vacuity::Vacuous(parts) => (Some(true), parts.into_iter().map(|part| part.text).collect()),
            Vacuity::Undecided(_) => (None, Vec::new()),
        })
    }

    fn name(&self, cell: CellId) -> String {
        self.named.state_names[cell.index()].clone()
    }

    /// The line that declares a state. A scan of the text, once per entry.
    fn declaration(&self, source: &SourceFile, cell: CellId) -> Option<Span> {
        let name = &self.named.state_names[cell.index()];
        let mut start = 0;
        for line in source.text.split('\n') {
            let mut words = line.split_whitespace();
            if words.next() == Some("state") && words.next() == Some(name) {
                let code = line.split('#').next().unwrap_or(line);
                let indent = code.len() - code.trim_start().len();
                return Some(Span::new(source.id, start + indent, start + code.trim_end().len()));
            }
            start += line.len() + 1;
        }
        None
    }
}

/// What an initial state contributes: nothing where the assumption excludes it.
fn judged(truth: Truth, allowed: Truth) -> Truth {
    match (allowed, truth) {
        (Truth::False, _) => Truth::True,
        (Truth::True, truth) => truth,
        (Truth::Maybe, Truth::True) => Truth::True,
        (Truth::Maybe, _) => Truth::Maybe,
    }
}

fn over_initial(checked: &Checked, allowed: &[(CellId, Truth)]) -> Truth {
    allowed
        .iter()
        .fold(Truth::True, |verdict, (cell, allowed)| verdict.and(judged(checked.truth(*cell), *allowed)))
}

/// Whether a single run (or state) can show the formula to have this value.
fn one_run_shows(formula: &Formula<AtomId>, truth: Truth) -> bool {
    match formula {
        Formula::Not(inner) => one_run_shows(inner, truth.not()),
        Formula::Next(path, _)
        | Formula::Future(path, _)
        | Formula::Globally(path, _)
        | Formula::Until(path, ..)
        | Formula::Release(path, ..)
        | Formula::WeakUntil(path, ..) => (*path == kleene_ctl::Quantifier::Exists) == (truth == Truth::True),
        other => other.is_propositional(),
    }
}
