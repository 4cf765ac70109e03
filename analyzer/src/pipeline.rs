//! The flow on one page: text → program → cells → model → verdict, and the ladder of precisions that a
//! property climbs while its verdict is Maybe.

mod cause;
mod certificate;
mod judge;
mod obligation;
mod precondition;
mod refine;
mod shorten;
mod shown;
mod structure;
mod trail;
mod witness;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kleene_ctl::{Atom, Formula};
use kleene_solver::{Recorder, Solver};

use self::obligation::Undecided;
use crate::budget::Budget;
use crate::concrete::{Interpreter, State};
use crate::evidence::certificate::Body;
use crate::evidence::{Attempt, Cause, Evidence};
use crate::frontend::rust::RustOptions;
use crate::frontend::{self, Arithmetic, FrontendOptions, Integers, Language};
use crate::granularity::{self, Granularity, Watched};
use crate::interpret::compile::Scope;
use crate::interpret::cuts::Cuts;
use crate::interpret::explore::{Exploration, Explorer, Interrupted, Limits, Steps};
use crate::interpret::packs::Packs;
use crate::interpret::relevance::Relevance;
use crate::interpret::transfer::Transfer;
use crate::ir::layout::Layout;
use crate::ir::{Effect, FunctionId, Program, VariableId, VariableKind};
use crate::mutation::Mutation;
use crate::precision::{Domain, Precision, Split};
use crate::property::{Leaf, Predicate, PropertyError, Resolver, evaluate};
use crate::source::{Diagnostic, FileId, SourceFile, Span};
use crate::symbolic;

pub use certificate::certificate;
pub use refine::Found as Suggested;
pub use structure::{DrawnCell, Structure, structure};
pub use trail::{Parts, Trail, initial_state};

/// Units of work of one question, far beyond what its time allows on any machine: a backstop that does not
/// depend on the clock.
const MOST_STEPS: u64 = 200_000_000;

#[derive(Clone, Debug)]
pub struct Options {
    pub entry: String,
    pub integers: Integers,
    pub arithmetic: Arithmetic,
    pub rust: RustOptions,
    pub granularity: Granularity,
    /// Watched variables under `change`; empty means all globals.
    pub watch: Vec<String>,
    /// A predicate on the initial state.
    pub assume: Option<String>,
    pub level: Level,
    /// One domain for every precision; `None`: intervals first, relations where they are needed.
    pub domain: Option<Domain>,
    /// Per property.
    pub timeout: Duration,
    /// When everything ends.
    pub deadline: Option<Instant>,
    pub solver: Solvers,
    /// Precisions to try instead of the usual ladder; for tests.
    pub ladder: Option<Vec<Precision>>,
    /// Deliberately wrong rules, to show that the oracle finds them.
    pub mutation: Option<Mutation>,
    /// Keep the whole evidence of definite verdicts.
    pub certify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: "main".into(),
            integers: Integers::Unbounded,
            arithmetic: Arithmetic::Debug,
            rust: RustOptions::default(),
            granularity: Granularity::Statement,
            watch: Vec::new(),
            assume: None,
            level: Level::Smt,
            domain: None,
            timeout: Duration::from_secs(60),
            deadline: None,
            solver: Solvers::default(),
            ladder: None,
            mutation: None,
            certify: false,
        }
    }
}

impl Options {
    /// For one property, if it begins now.
    pub fn time(&self) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(self.timeout, |left| left.min(self.timeout))
    }
}

/// Which solver is asked, and where its questions are recorded.
#[derive(Clone, Debug, Default)]
pub struct Solvers {
    pub choice: kleene_solver::Choice,
    pub record: Option<PathBuf>,
}

impl Solvers {
    pub fn open(&self) -> Box<dyn Solver> {
        let solver = self.choice.open();
        match &self.record {
            None => solver,
            // A folder that cannot be written to was refused when the call was read.
            Some(folder) => match Recorder::new(solver, folder) {
                Ok(recorder) => Box::new(recorder),
                Err(_) => self.choice.open(),
            },
        }
    }
}

/// How far a Maybe is escalated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    Abstract,
    Refine,
    Smt,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Abstract => "abstract",
            Self::Refine => "refine",
            Self::Smt => "smt",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    True,
    False,
    Maybe,
    Error,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Maybe => "maybe",
            Self::Error => "error",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: String,
    pub granularity: Granularity,
    pub verdict: Verdict,
    pub level: Level,
    pub precision: &'static str,
    /// The solver that was asked, if one was.
    pub solver: Option<String>,
    pub seconds: f64,
    pub model: ModelSize,
    /// Whether a True does not depend on a part of the formula; `None` if undecided or not True.
    pub vacuous: Option<bool>,
    /// Parts of the formula that do not matter.
    pub vacuous_parts: Vec<String>,
    pub evidence: Evidence,
    /// The whole evidence, if it was asked for.
    pub certificate: Option<Body>,
    pub message: Option<String>,
    /// A mistake in the formula, with its place in the formula's text.
    pub formula_error: Option<PropertyError>,
    /// The place the result speaks of: where a run ends or a cause lies; else the entry function.
    pub span: Option<Span>,
    pub function: String,
}

impl PropertyResult {
    fn new(text: &str, granularity: Granularity, function: &str) -> Self {
        Self {
            property: text.into(),
            granularity,
            verdict: Verdict::Maybe,
            level: Level::Abstract,
            precision: "",
            solver: None,
            seconds: 0.0,
            model: ModelSize::default(),
            vacuous: None,
            vacuous_parts: Vec::new(),
            evidence: Evidence::None,
            certificate: None,
            message: None,
            formula_error: None,
            span: None,
            function: function.into(),
        }
    }

    fn take(&mut self, judged: judge::Judged) {
        self.verdict = judged.verdict;
        self.message = judged.message;
        self.model = judged.model;
        self.evidence = judged.evidence;
        self.certificate = judged.certificate;
        self.vacuous = judged.vacuous;
        self.vacuous_parts = judged.vacuous_parts;
        self.span = judged.span.or(self.span);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelSize {
    pub cells: usize,
    pub may: usize,
    pub must: usize,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub file: Arc<SourceFile>,
    pub results: Vec<PropertyResult>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A property ready to be checked on a program.
pub struct Question {
    pub text: String,
    pub written: Formula<Atom>,
    /// As written, names resolved.
    pub formula: Formula<Predicate>,
    /// What each atom of the formula means.
    atoms: Vec<(Atom, Predicate)>,
    pub granularity: Granularity,
    /// States in which formulas are read; `None`: all.
    pub visible: Option<Predicate>,
}

impl Question {
    /// What the atoms of the formula are in a state.
    fn in_words(&self, interpreter: &Interpreter<'_>, state: &State) -> String {
        let mut known: Vec<String> = Vec::new();
        for (written, predicate) in &self.atoms {
            let Some(holds) = evaluate::holds(interpreter, state, predicate) else { continue };
            let words = format!("`{written}` is {holds}");
            if !known.contains(&words) && known.len() < 4 {
                known.push(words);
            }
        }
        if known.is_empty() { String::new() } else { format!("{} here", known.join(", ")) }
    }

    /// A variant of the formula with parts of it replaced by constants.
    fn resolve_mutant(&self, mutant: &Formula<Atom>) -> Formula<Predicate> {
        mutant.map_atoms(&mut |atom| {
            let known = self.atoms.iter().find(|(written, _)| written == atom);
            known.expect("a variant has no new atoms").1.clone()
        })
    }
}

/// Checks properties of one program text.
pub fn check_text(
    name: &str,
    text: &str,
    language: Language,
    properties: &[String],
    options: &Options,
) -> Report {
    let file = SourceFile::new(FileId(0), name, text);
    let lowering = FrontendOptions {
        entry: options.entry.clone(),
        integers: options.integers,
        arithmetic: options.arithmetic,
        rust: options.rust.clone(),
        modules: None,
        notebook: None,
        deadline: None,
    };
    match frontend::lower(&file, language, &lowering) {
        Ok(lowered) => {
            let results = check_program(&file, &lowered.program, properties, options);
            Report { file, results, diagnostics: lowered.diagnostics }
        }
        Err(diagnostics) => {
            let message = "the program could not be read".to_string();
            let results = properties.iter().map(|text| failed(text, options, message.clone())).collect();
            Report { file, results, diagnostics }
        }
    }
}

fn failed(text: &str, options: &Options, message: String) -> PropertyResult {
    PropertyResult {
        verdict: Verdict::Error,
        message: Some(message),
        ..PropertyResult::new(text, options.granularity, &options.entry)
    }
}

/// Checks properties of a lowered program, one after the other.
pub fn check_program(
    file: &SourceFile,
    program: &Program,
    properties: &[String],
    options: &Options,
) -> Vec<PropertyResult> {
    properties
        .iter()
        .map(|text| {
            let start = Instant::now();
            let mut result = match Prepared::new(file, program, text, options) {
                Ok(prepared) => prepared.climb(options),
                Err(error) => PropertyResult {
                    formula_error: Some(error.clone()),
                    ..failed(text, options, error.message)
                },
            };
            result.seconds = start.elapsed().as_secs_f64();
            result
        })
        .collect()
}

/// One property on its way up.
/// Larger models are not kept to be explained.
const MOST_EXPLAINED: usize = 20_000;

struct Climb<'o> {
    options: &'o Options,
    budget: Budget,
    result: PropertyResult,
    tried: Vec<Attempt>,
    known: judge::Known,
    /// Opened when it is first needed.
    solver: Option<Box<dyn Solver>>,
    /// The last look that ended with a Maybe.
    last: Option<(Exploration<'o>, Undecided)>,
}

enum Look {
    /// Decided, or interrupted.
    Done,
    /// Maybe, and how to look more closely at the same cells.
    Open(Option<Box<(Level, Precision)>>),
}

/// A question with the program it is asked of (instrumented for its granularity).
pub struct Prepared {
    pub program: Program,
    pub question: Question,
    pub assume: Option<Predicate>,
    /// Keep the whole evidence of definite verdicts.
    pub certify: bool,
}

impl Prepared {
    pub fn new(
        file: &SourceFile,
        program: &Program,
        text: &str,
        options: &Options,
    ) -> Result<Self, PropertyError> {
        let whole = kleene_ctl::SourceSpan { start: 0, end: text.len() };
        let error = |message: String| PropertyError { message, span: whole, help: None };
        let resolver = Resolver { program, file };
        let written = kleene_ctl::parse(text)?;
        let mut atoms = Vec::new();
        let formula = written.try_map(&mut |atom| {
            let predicate = resolver.atom(atom)?;
            atoms.push((atom.clone(), predicate.clone()));
            Ok::<_, PropertyError>(predicate)
        })?;
        let assume = options.assume.as_ref().map(|assume| resolver.predicate(assume)).transpose()?;
        let (program, visible) = match options.granularity {
            Granularity::Statement => (program.clone(), None),
            Granularity::Tick => {
                let visible = granularity::visible_at_ticks(program)
                    .ok_or_else(|| error("the program has no tick mark and no main loop".into()))?;
                (program.clone(), Some(visible))
            }
            Granularity::Change => {
                let watched = watched(program, &options.watch).map_err(error)?;
                only_watched(&formula, &watched).map_err(error)?;
                let (program, visible) = granularity::watch_changes(program, &watched).map_err(error)?;
                (program, Some(visible))
            }
        };
        let question = Question {
            text: text.into(),
            written,
            formula,
            atoms,
            granularity: options.granularity,
            visible,
        };
        Ok(Self { program, question, assume, certify: options.certify })
    }

    /// Check, cause, refine, check again: from cheap to expensive, until the answer is definite or there is
    /// nothing new to try.
    fn climb<'c>(&'c self, options: &'c Options) -> PropertyResult {
        let entry = self.program.entry_function();
        let mut result = PropertyResult::new(&self.question.text, self.question.granularity, &entry.name);
        result.span = Some(entry.span);
        let budget = Budget::new(MOST_STEPS, Some(options.timeout));
        let mut climb = Climb {
            options,
            budget,
            result,
            tried: Vec::new(),
            known: judge::Known::default(),
            solver: None,
            last: None,
        };
        'ladder: for (level, precision) in ladder(options) {
            let mut next = Some(Box::new((level, precision)));
            while let Some(current) = next {
                let (level, precision) = *current;
                match self.look(level, precision, &mut climb) {
                    Look::Done => break 'ladder,
                    Look::Open(finer) => next = finer,
                }
            }
        }
        let Climb { mut result, tried, known, solver, last, .. } = climb;
        result.solver = solver.map(|solver| solver.name());
        if let Evidence::Cause(cause) = &mut result.evidence {
            cause.tried = tried;
            cause.holds_if = known.holds_if;
            cause.fails_if = known.fails_if;
            let last = last.as_ref();
            cause.obligation = last
                .and_then(|(exploration, undecided)| obligation::obligation(self, exploration, undecided));
        } else if result.verdict == Verdict::Maybe {
            result.evidence = Evidence::Cause(Cause::limit(result.span, tried));
        }
        result
    }

    fn look<'c>(&'c self, level: Level, precision: Precision, climb: &mut Climb<'c>) -> Look {
        let mut precision = precision;
        if precision.refinements > 0 && precision.splits.is_empty() {
            precision.splits = climb.known.splits.clone();
            precision.candidates = climb.known.candidates.clone();
        }
        if precision.by_cause > 0 && precision.related.is_none() && !climb.known.blamed.is_empty() {
            precision.related = Some(climb.known.blamed.clone());
        }
        let name = precision.name;
        (climb.result.level, climb.result.precision) = (level, name);
        let exploration = match self.explore(precision, climb.options.mutation, &climb.budget) {
            Ok(exploration) => exploration,
            Err(interrupted) => {
                let limit = match interrupted {
                    Interrupted::Time => "time",
                    Interrupted::Memory => "steps",
                    Interrupted::Unsettled => {
                        let limit = Some("relations that do not settle".into());
                        climb.tried.push(Attempt { precision: name, cells: 0, limit });
                        return Look::Open(None);
                    }
                };
                climb.tried.push(Attempt { precision: name, cells: 0, limit: Some(limit.into()) });
                climb.result.message = Some(format!("the limit of {limit} was reached"));
                return Look::Done;
            }
        };
        let mut judged = judge::judge(self, &exploration, &mut climb.known, &climb.budget);
        let limit = limit_name(&exploration).map(String::from);
        climb.tried.push(Attempt { precision: name, cells: judged.model.cells, limit });
        let undecided = judged.undecided.take().filter(|_| exploration.cells.len() <= MOST_EXPLAINED);
        climb.result.take(judged);
        if climb.result.verdict != Verdict::Maybe {
            return Look::Done;
        }
        let finer = self.finer(&exploration, climb);
        climb.last = undecided.map(|undecided| (exploration, undecided));
        Look::Open(finer.map(Box::new))
    }

    /// The precision once more, with what the cause of a Maybe suggests: cells to tell apart, and where there
    /// are no more, runs that a solver finds. `None` if nothing is new.
    fn finer(&self, exploration: &Exploration<'_>, climb: &mut Climb<'_>) -> Option<(Level, Precision)> {
        let precision = &exploration.transfer.precision;
        if exploration.transfer.scope.packs.left_out {
            return Some((climb.result.level, more_related(precision, &climb.known.blamed)));
        }
        let (splits, candidates) = (climb.known.splits.clone(), climb.known.candidates.clone());
        if (splits.len() > precision.splits.len() || candidates.len() > precision.candidates.len())
            && let Some(refinements) = precision.refinements.checked_sub(1)
        {
            let finer = Precision { refinements, splits, candidates, ..precision.clone() };
            return Some((climb.result.level, finer));
        }
        let searches = precision.searches.checked_sub(1)?;
        if climb.options.level != Level::Smt {
            return None;
        }
        let entry = exploration.initial.first()?.0;
        let entry = exploration.cells[entry.0 as usize].node;
        let assume = self.assume.as_ref().map(|assume| exploration.transfer.predicate(assume, entry));
        let solver = climb.solver.get_or_insert_with(|| climb.options.solver.open());
        let atoms = judge::atoms(&self.question.formula);
        let method = if precision.solved { symbolic::Method::Whole } else { symbolic::Method::Paths };
        let search =
            symbolic::search(exploration, &atoms, assume.as_ref(), method, solver.as_mut(), &climb.budget);
        if let (Some(trouble), Some(attempt)) = (search.trouble, climb.tried.last_mut()) {
            attempt.limit = Some(trouble.to_string());
        }
        climb.known.learn(refine::at_nodes(exploration, &search.conflicts));
        let mut scripts = precision.scripts.clone();
        scripts.extend(search.runs.into_iter().filter(|script| !precision.scripts.contains(script)));
        if scripts.len() == precision.scripts.len() {
            return None;
        }
        Some((
            Level::Smt,
            Precision { name: "searched", refinements: 0, searches, scripts, ..precision.clone() },
        ))
    }

    pub fn explore(
        &self,
        precision: Precision,
        mutation: Option<Mutation>,
        budget: &Budget,
    ) -> Result<Exploration<'_>, Interrupted> {
        let mut asked = judge::atoms(&self.question.formula);
        asked.extend(self.question.visible.clone());
        explore(&self.program, asked, self.assume.as_ref(), precision, mutation, budget)
    }

    /// Whether a user's assumption can be violated.
    pub fn discards(&self) -> bool {
        may_discard(&self.program)
    }
}

/// Relations for the packs that the cause points at now; if it points at no others, or did so often enough, for all:
/// a program may have as many packs as lines.
fn more_related(precision: &Precision, blamed: &[(FunctionId, VariableId)]) -> Precision {
    let mut related = precision.related.clone().unwrap_or_default();
    let new: Vec<_> = blamed.iter().filter(|variable| !related.contains(variable)).copied().collect();
    related.extend(&new);
    match precision.by_cause.saturating_sub(1) {
        by_cause @ 1.. if !new.is_empty() => {
            Precision { related: Some(related), by_cause, ..precision.clone() }
        }
        _ => Precision { related: None, by_cause: 0, ..precision.clone() },
    }
}

/// Whether a user's assumption can be violated.
pub fn may_discard(program: &Program) -> bool {
    let mut edges = program.functions.iter().flat_map(|function| function.graph.edge_weights());
    edges.any(|edge| matches!(edge.effect, Effect::Discard))
}

/// The cells of a program at a precision, told apart as far as the predicates ask for it.
pub fn explore<'p>(
    program: &'p Program,
    asked: Vec<Predicate>,
    assume: Option<&Predicate>,
    precision: Precision,
    mutation: Option<Mutation>,
    budget: &Budget,
) -> Result<Exploration<'p>, Interrupted> {
    let mut tracked = asked;
    tracked.extend(assume.cloned());
    let told_apart = precision.splits.iter().chain(&precision.candidates);
    let relevance = Relevance::of(program, tracked.iter(), told_apart.clone().map(|split| &split.predicate));
    let everywhere = told_apart.clone().filter(|split| split.at.is_none());
    let mut splits = tracked.clone();
    splits.extend(everywhere.map(|split| split.predicate.clone()));
    let splits = judge::comparisons(&splits);
    tracked.extend(told_apart.map(|split| split.predicate.clone()));
    let scope = Scope {
        program,
        layout: Layout::of(program),
        packs: Packs::of(program, &relevance, tracked.iter(), &precision),
        relevance,
        cuts: Cuts::of(program, tracked.iter()),
    };
    let mut transfer = Transfer::new(scope, precision);
    transfer.mutation = mutation;
    let mut solved = transfer.precision.solved.then(|| symbolic::SolvedSteps::new(budget));
    let steps = solved.as_mut().map(|solved| solved as &mut dyn Steps);
    Explorer::new(transfer, &splits, steps).run(assume, budget)
}

/// What may decide a formula where it is undecided in an exploration, beside what is known already.
pub fn suggestions(
    exploration: &Exploration<'_>,
    formula: &Formula<Predicate>,
    known: &[Split],
    budget: &Budget,
) -> Suggested {
    let mut predicates = crate::property::Predicates::default();
    let formula = predicates.compress(formula);
    let labelled = crate::model::Abstraction::new(exploration).label(&predicates);
    let ranking = crate::model::progress::Ranking::new(exploration, budget);
    let checked = kleene_ctl::check(&labelled.model, &formula, &ranking);
    refine::suggestions(exploration, &checked, &ranking, known)
}

/// What kept an exploration from going further. Joining everything is no limit where it is the plan.
pub fn limit_name(exploration: &Exploration<'_>) -> Option<&'static str> {
    let joins = exploration.transfer.precision.cells_per_location == 0;
    match exploration.limits {
        Limits { cells: true, .. } => Some("cells"),
        Limits { cells_per_location: true, .. } if !joins => Some("cells per location"),
        Limits { contexts: true, .. } => Some("call contexts"),
        Limits { relations: true, .. } => Some("size of relations"),
        _ => None,
    }
}

/// The precisions a question climbs, from cheap to expensive.
pub fn ladder(options: &Options) -> Vec<(Level, Precision)> {
    if let Some(ladder) = &options.ladder {
        return ladder.iter().map(|precision| (Level::Abstract, precision.clone())).collect();
    }
    let level = |precision: &Precision| match precision.name {
        "refined" | "traced" | "explicit" => Level::Refine,
        "solved" => Level::Smt,
        _ => Level::Abstract,
    };
    let steps = Precision::ladder().into_iter().filter_map(|precision| {
        let only_for_relations = precision.domain != Domain::Intervals;
        match options.domain {
            Some(Domain::Intervals) if only_for_relations => None,
            Some(domain) => Some(Precision { domain, ..precision }),
            None => Some(precision),
        }
    });
    let steps = steps.map(|precision| (level(&precision), precision));
    let allowed = |level: Level| match options.level {
        Level::Abstract => level == Level::Abstract,
        Level::Refine => level != Level::Smt,
        Level::Smt => true,
    };
    steps.filter(|(level, _)| allowed(*level)).collect()
}

fn watched(program: &Program, names: &[String]) -> Result<Vec<Watched>, String> {
    let globals = program.globals.iter().enumerate();
    if names.is_empty() {
        let named = globals.filter(|(_, global)| global.kind == VariableKind::Global);
        return Ok(named.map(|(index, _)| Watched::Global(index as u32)).collect());
    }
    names
        .iter()
        .map(|name| {
            let global = program.globals.iter().position(|global| global.name == *name);
            let local = || program.entry_function().local_named(name).next();
            match global {
                Some(index) => Ok(Watched::Global(index as u32)),
                None => local()
                    .map(|index| Watched::EntryLocal(program.entry, index))
                    .ok_or_else(|| format!("no variable `{name}` to watch")),
            }
        })
        .collect()
}

/// Under `change` a formula may speak of watched variables, the end and failures only.
fn only_watched(formula: &Formula<Predicate>, watched: &[Watched]) -> Result<(), String> {
    let mut problem = None;
    formula.for_each_atom(&mut |predicate| {
        predicate.for_each_variable(&mut |leaf| {
            let fine = match leaf {
                Leaf::Global { variable, .. } => watched.contains(&Watched::Global(*variable)),
                Leaf::Local { function, variable, .. } => {
                    watched.contains(&Watched::EntryLocal(*function, *variable))
                }
                Leaf::At(_) => false,
                Leaf::Terminated | Leaf::Failed(_) | Leaf::Discarded => true,
            };
            if !fine {
                problem = Some(match leaf {
                    Leaf::At(_) => "`at` and `line` have no meaning under the granularity `change`",
                    _ => "under the granularity `change` a formula speaks of watched variables only",
                });
            }
        });
    });
    problem.map_or(Ok(()), |problem| Err(problem.into()))
}
