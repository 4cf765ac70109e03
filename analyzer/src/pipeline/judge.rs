//! One question on one exploration: labels, model, three-valued check, verdict and what stands behind it.

mod certified;

use kleene_ctl::{CellId, Checked, Formula, Model, Quantifier, Truth, Vacuity, check};
use kleene_domains::numeric::NumericState;

use super::obligation::Undecided;
use super::witness::{Ending, Walker};
use super::{ModelSize, Prepared, Verdict};
use super::{cause, precondition, refine};
use crate::budget::Budget;
use crate::concrete::{Interpreter, State};
use crate::evidence::certificate::Body;
use crate::evidence::{Cause, Evidence, Proof, Strategy};
use crate::granularity::Granularity;
use crate::interpret::explore::Exploration;
use crate::ir::{FunctionId, VariableId};
use crate::model::progress::Ranking;
use crate::model::{Abstraction, Labelled};
use crate::precision::Split;
use crate::property::{Leaf, Predicate, Predicates, evaluate, is_set};
use crate::source::Span;

/// Loops whose invariants a proof shows.
const MOST_INVARIANTS: usize = 12;

pub struct Judged {
    pub verdict: Verdict,
    pub message: Option<String>,
    pub model: ModelSize,
    pub evidence: Evidence,
    /// The same for files, if it was asked for.
    pub certificate: Option<Body>,
    /// Of a Maybe: what is not definite, and where.
    pub undecided: Option<Undecided>,
    pub vacuous: Option<bool>,
    pub vacuous_parts: Vec<String>,
    pub span: Option<Span>,
}

/// What one precision finds out for the next ones.
#[derive(Default)]
pub struct Known {
    /// Some run is known to keep the user's assumptions: that does not depend on the precision.
    pub lives: bool,
    /// What to tell apart, as far as causes of a Maybe suggested it.
    pub splits: Vec<Split>,
    /// Variables that the causes of a Maybe point at.
    pub blamed: Vec<(FunctionId, VariableId)>,
    /// What may hold wherever a loop begins anew.
    pub candidates: Vec<Split>,
    /// Assumptions under which the answer is known.
    pub holds_if: Option<String>,
    pub fails_if: Option<String>,
}

/// At most so many that apply everywhere, so many others, and so many candidates.
const MOST_SPLITS: usize = 12;
const MOST_LOCAL_SPLITS: usize = 40;
const MOST_CANDIDATES: usize = 24;

impl Known {
    /// Remembers what to tell apart, as far as there is room.
    pub fn learn(&mut self, splits: Vec<Split>) {
        for split in splits {
            let most = if split.at.is_some() { MOST_LOCAL_SPLITS } else { MOST_SPLITS };
            let same = |other: &&Split| other.at.is_some() == split.at.is_some();
            if self.splits.iter().filter(same).count() < most && !self.splits.contains(&split) {
                self.splits.push(split);
            }
        }
    }
}

pub fn judge(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    known: &mut Known,
    budget: &Budget,
) -> Judged {
    if exploration.initial.is_empty() {
        return error("the assumption excludes every run");
    }
    let mut case = Case::new(prepared, exploration, budget);
    known.lives |= case.has_live_start();
    case.lives = known.lives;
    if case.is_dead() {
        return error("the assumption excludes every run");
    }
    if case.is_never_visible() {
        return error(
            "no run comes to a tick, an end or a failure: there is no state to read the formula in",
        );
    }
    let verdict = case.verdict();
    let undefined = case.demanded_undefined();
    if let Some((_, cells)) = undefined.first() {
        // Only states that are certainly on live runs make it an error.
        let mut certain = undefined.clone();
        for (_, cells) in &mut certain {
            cells.retain(|cell| case.live(*cell) == Truth::True);
        }
        if let Some(message) = cause::undefined_run(prepared, exploration, &certain) {
            return error(&message);
        }
        let cell = cells[0];
        let mut judged = case.judged(Verdict::Maybe);
        judged.evidence = Evidence::Cause(cause::undefined(prepared, exploration, cell));
        return judged;
    }
    let certificate = |verdict: bool| prepared.certify.then(|| case.certified(verdict));
    match verdict {
        Truth::True => Judged { certificate: certificate(true), ..case.judged_true() },
        Truth::False => match case.judged_false() {
            open if open.verdict == Verdict::Maybe => open,
            judged => Judged { certificate: certificate(false), ..judged },
        },
        Truth::Maybe => {
            let mut judged = case.judged(Verdict::Maybe);
            let (cause, found) = cause::of_maybe(prepared, exploration, &case.labelled.model, &case.checked);
            judged.span = cause.span;
            let blamed = cause::blamed(prepared, exploration, &case.labelled.model, &case.checked);
            let new = blamed.into_iter().filter(|variable| !known.blamed.contains(variable));
            let new: Vec<_> = new.collect();
            known.blamed.extend(new);
            judged.undecided = found.map(|found| {
                Undecided::new(found.cell, &found.kind, |atom| case.predicates.get(atom).clone())
            });
            judged.evidence = Evidence::Cause(cause);
            if exploration.transfer.precision.branches {
                case.suggest(known);
                known.holds_if = case.precondition(Truth::True).or(known.holds_if.take());
                known.fails_if = case.precondition(Truth::False).or(known.fails_if.take());
            }
            judged
        }
    }
}

/// The model and the truth of the formula in each of its cells.
pub fn checked(prepared: &Prepared, exploration: &Exploration<'_>, budget: &Budget) -> (Model, Checked) {
    let case = Case::new(prepared, exploration, budget);
    (case.labelled.model, case.checked)
}

fn error(message: &str) -> Judged {
    Judged {
        verdict: Verdict::Error,
        message: Some(message.into()),
        model: ModelSize::default(),
        evidence: Evidence::None,
        certificate: None,
        undecided: None,
        vacuous: None,
        vacuous_parts: Vec::new(),
        span: None,
    }
}

/// A formula checked on an exploration.
struct Case<'c, 'p> {
    prepared: &'c Prepared,
    exploration: &'c Exploration<'p>,
    budget: &'c Budget,
    predicates: Predicates,
    abstraction: Abstraction<'c, 'p>,
    labelled: Labelled,
    checked: Checked,
    live: Option<Checked>,
    lives: bool,
    ranking: Ranking<'c, 'p>,
}

impl<'c, 'p> Case<'c, 'p> {
    fn new(prepared: &'c Prepared, exploration: &'c Exploration<'p>, budget: &'c Budget) -> Self {
        let mut predicates = Predicates::default();
        let formula = predicates.compress(&translated(prepared, &prepared.question.formula));
        let live =
            prepared.discards().then(|| predicates.compress(&kleene_ctl::live(is_set(Leaf::Discarded))));
        let abstraction = Abstraction::new(exploration);
        let labelled = abstraction.label(&predicates);
        let ranking = Ranking::new(exploration, budget);
        let checked = check(&labelled.model, &formula, &ranking);
        let live = live.map(|live| check(&labelled.model, &live, &ranking));
        let lives = false;
        Self {
            prepared,
            exploration,
            budget,
            predicates,
            abstraction,
            labelled,
            checked,
            live,
            lives,
            ranking,
        }
    }

    /// Remembers what would tell the undecided cells apart.
    fn suggest(&self, known: &mut Known) {
        let asked = comparisons(&atoms(&self.prepared.question.formula));
        let mut all: Vec<Split> = asked.into_iter().map(Split::everywhere).collect();
        all.extend(known.splits.iter().cloned());
        let found = refine::suggestions(self.exploration, &self.checked, &self.ranking, &all);
        known.learn(found.splits);
        let new = found.candidates.into_iter().filter(|candidate| !known.candidates.contains(candidate));
        let room = MOST_CANDIDATES.saturating_sub(known.candidates.len());
        let new: Vec<Split> = new.take(room).collect();
        known.candidates.extend(new);
    }

    /// What would have to be assumed for this answer. Not where runs may be discarded: an assumption that
    /// leaves none is a mistake.
    fn precondition(&self, answer: Truth) -> Option<String> {
        if self.prepared.discards() {
            return None;
        }
        let wanted = |cell: CellId| self.checked.truth(cell) == answer;
        precondition::plainest(self.prepared, self.exploration, wanted)
    }

    fn live(&self, cell: CellId) -> Truth {
        self.live.as_ref().map_or(Truth::True, |live| live.truth(cell))
    }

    /// Some proven initial state has a run that keeps the user's assumptions.
    fn has_live_start(&self) -> bool {
        let mut starts = self.exploration.initial.iter();
        starts.any(|(cell, start)| start.witness.is_some() && self.live(CellId(cell.0)) == Truth::True)
    }

    /// No run keeps the user's assumptions.
    fn is_dead(&self) -> bool {
        self.exploration.initial.iter().all(|(cell, _)| self.live(CellId(cell.0)) == Truth::False)
    }

    /// Under `tick`, no run ever shows a state.
    fn is_never_visible(&self) -> bool {
        let question = &self.prepared.question;
        let (Granularity::Tick, Some(visible)) = (question.granularity, &question.visible) else {
            return false;
        };
        let mut predicates = Predicates::default();
        let shown = predicates.compress(&Formula::Atom(visible.clone()).future(Quantifier::Exists));
        let labelled = self.abstraction.label(&predicates);
        let checked = check(&labelled.model, &shown, &self.ranking);
        self.exploration.initial.iter().all(|(cell, _)| checked.truth(CellId(cell.0)) == Truth::False)
    }

    /// True in all live initial states, False in a proven one, else Maybe.
    fn verdict(&self) -> Truth {
        verdict(self.exploration, &self.checked, self.lives, |cell| self.live(cell))
    }

    fn judged(&self, verdict: Verdict) -> Judged {
        let model = &self.labelled.model;
        let size =
            ModelSize { cells: model.cells(), may: model.may_edge_count(), must: model.must_edge_count() };
        Judged {
            verdict,
            message: None,
            model: size,
            evidence: Evidence::None,
            certificate: None,
            undecided: None,
            vacuous: None,
            vacuous_parts: Vec::new(),
            span: None,
        }
    }

    fn judged_true(&self) -> Judged {
        let mut judged = self.judged(Verdict::True);
        judged.evidence = match quantifier(&self.prepared.question.formula) {
            Some(Quantifier::Exists) => self.existential_true(),
            _ => Evidence::Proof(self.proof()),
        };
        let vacuity = self.vacuity();
        judged.vacuous = match &vacuity {
            Vacuity::NotVacuous => Some(false),
            Vacuity::Vacuous(_) => Some(true),
            Vacuity::Undecided(_) => None,
        };
        if let Vacuity::Vacuous(parts) | Vacuity::Undecided(parts) = vacuity {
            judged.vacuous_parts = parts.into_iter().map(|part| part.text).collect();
        }
        judged
    }

    /// A run where the initial state is unique; a strategy with an example else.
    fn existential_true(&self) -> Evidence {
        let initial = &self.exploration.initial;
        let example = initial.iter().find_map(|(cell, start)| {
            let point = start.witness.as_ref()?;
            self.run_from(CellId(cell.0), point, true)
        });
        let tracked = self.exploration.transfer.tracked_slots();
        let unique = initial.iter().all(|(cell, _)| *cell == initial[0].0)
            && self.fully_known(&initial[0].1.state, &tracked);
        match example {
            Some((run, Ending::Fact | Ending::Lasso, _)) if unique => Evidence::Run(run),
            Some((run, Ending::Proof, _)) if unique => Evidence::Mixed { run, then: self.proof() },
            other => Evidence::Strategy(Strategy {
                cells: self.labelled.model.cells(),
                must_edges: self.labelled.model.must_edge_count(),
                example: other.map(|(run, ..)| run),
            }),
        }
    }

    /// Every slot somebody reads has one value; the others were forgotten because nobody does.
    fn fully_known(&self, state: &crate::interpret::State, tracked: &[kleene_domains::Var]) -> bool {
        let program = &self.prepared.program;
        let entry = program.entry_function();
        let base = self.exploration.transfer.contexts.get(crate::interpret::context::Contexts::ROOT).base;
        tracked.iter().all(|slot| {
            if state.get(*slot).as_constant().is_some() {
                return true;
            }
            // A dead local of the entry is forgotten; a global never is.
            slot.0 >= base
                && (0..entry.locals.len() as u32).any(|local| {
                    let first = self
                        .exploration
                        .transfer
                        .scope
                        .layout
                        .first_slot(program.entry, crate::ir::VariableId::Local(local));
                    let slots = entry.locals[local as usize].ty.slots() as u32;
                    (base + first..base + first + slots).contains(&slot.0)
                        && !self.exploration.transfer.scope.relevance.is_live(
                            program.entry,
                            entry.entry.index(),
                            local,
                        )
                })
        })
    }

    fn judged_false(&self) -> Judged {
        let mut judged = self.judged(Verdict::False);
        if quantifier(&self.prepared.question.formula) == Some(Quantifier::Exists) {
            judged.evidence = Evidence::Proof(self.proof());
            return judged;
        }
        let failing = self.exploration.initial.iter().filter(|(cell, _)| {
            let cell = CellId(cell.0);
            self.live(cell) == Truth::True && self.checked.truth(cell) == Truth::False
        });
        let mut best: Option<(crate::evidence::Run, Ending, Span)> = None;
        for (cell, start) in failing.take(8) {
            let Some(found) = start.witness.as_ref().and_then(|p| self.run_from(CellId(cell.0), p, false))
            else {
                continue;
            };
            if best.as_ref().is_none_or(|known| found.0.length < known.0.length) {
                best = Some(found);
            }
        }
        judged.evidence = match best {
            Some((run, ending, span)) => {
                judged.span = Some(span);
                match ending {
                    Ending::Proof => Evidence::Mixed { run, then: self.proof() },
                    _ => Evidence::Run(run),
                }
            }
            // There is a run, and no time is left to follow it.
            None if self.reachable_goal(false).is_some() && self.budget.tick().is_err() => {
                judged.verdict = Verdict::Maybe;
                Evidence::Cause(Cause::limit(None, Vec::new()))
            }
            None => Evidence::Strategy(Strategy {
                cells: self.labelled.model.cells(),
                must_edges: self.labelled.model.must_edge_count(),
                example: None,
            }),
        };
        judged
    }

    fn run_from(
        &self,
        cell: CellId,
        point: &[kleene_domains::Int],
        wanted: bool,
    ) -> Option<(crate::evidence::Run, Ending, Span)> {
        let interpreter = Interpreter::new(&self.prepared.program);
        let (walker, ending) = self.followed(&interpreter, cell, point, wanted, false)?;
        let conclusion = match ending {
            Ending::Lasso => "and so on for ever".to_string(),
            Ending::Proof => "from here on a proof decides".to_string(),
            _ => self.prepared.question.in_words(&interpreter, walker.state()),
        };
        let run = walker.run(conclusion)?;
        let ending = if walker.relies_on_proof { Ending::Proof } else { ending };
        Some((run, ending, walker.place()))
    }

    /// A run from a point of an initial cell that shows why the formula has a value there, as short as is easily
    /// had. A strict one stops where a proof has to take over.
    fn followed<'w>(
        &'w self,
        interpreter: &'w Interpreter<'w>,
        cell: CellId,
        point: &[kleene_domains::Int],
        wanted: bool,
        strict: bool,
    ) -> Option<(Walker<'w, 'w>, Ending)> {
        let mut walker =
            Walker::start(self.exploration, interpreter, &self.checked, &self.predicates, cell, point)?;
        walker.budget = Some(self.budget);
        walker.strict = strict;
        let ending = walker.follow(self.checked.root(), wanted);
        if ending == Ending::Fact
            && let Some(goal) = self.reachable_goal(wanted)
        {
            walker.shorten(&|state| goal.reached(interpreter, state));
        }
        (ending != Ending::Lost).then_some((walker, ending))
    }

    /// What a run has to reach where a single state decides the formula: EF of a fact, or not AG of one.
    fn reachable_goal(&self, wanted: bool) -> Option<Goal<'_>> {
        let question = &self.prepared.question;
        let fact = match (&question.formula, wanted) {
            (Formula::Future(Quantifier::Exists, fact), true)
            | (Formula::Globally(Quantifier::All, fact), false) => fact,
            _ => return None,
        };
        let usable = fact.is_propositional() && !self.prepared.discards();
        usable.then_some(Goal { fact, wanted, visible: question.visible.as_ref() })
    }

    fn proof(&self) -> Proof {
        let model = &self.labelled.model;
        Proof {
            cells: model.cells(),
            may_edges: model.may_edge_count(),
            rankings: self.ranking.proved(),
            invariants: self.invariants(),
        }
    }

    /// What is known where loops begin, of their joined states.
    fn invariants(&self) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        for (index, cell) in self.exploration.cells.iter().enumerate() {
            let at = CellId(index as u32);
            if !cell.history.widened || !self.exploration.transfer.is_widening_point(cell.node) {
                continue;
            }
            let known = cause::values(self.prepared, self.exploration, at).in_words();
            let Some(span) = cause::span_of(self.prepared, self.exploration, at) else { continue };
            if !known.is_empty() && found.len() < MOST_INVARIANTS {
                found.push((span, known.join(", ")));
            }
        }
        found
    }

    fn vacuity(&self) -> Vacuity {
        let mutants = kleene_ctl::vacuity_mutants(&self.prepared.question.written);
        kleene_ctl::vacuity::judge(mutants, |mutant| {
            let resolved = self.prepared.question.resolve_mutant(mutant);
            let mut predicates = Predicates::default();
            let formula = predicates.compress(&translated(self.prepared, &resolved));
            let labelled = self.abstraction.label(&predicates);
            let checked = check(&labelled.model, &formula, &self.ranking);
            verdict(self.exploration, &checked, self.lives, |cell| self.live(cell))
        })
    }

    /// Predicates with the cells that the formula looks at and in which they may have no value.
    fn demanded_undefined(&self) -> Vec<(Predicate, Vec<CellId>)> {
        if self.labelled.may_be_undefined.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (sub, cells) in cause::demanded(&self.labelled.model, &self.checked) {
            let Formula::Atom(atom) = self.checked.subformula(sub) else { continue };
            let undefined = self.labelled.may_be_undefined[atom.0 as usize].iter().copied();
            let undefined: Vec<CellId> = undefined
                .filter(|cell| cells.contains(cell.index()) && self.live(*cell) != Truth::False)
                .collect();
            if !undefined.is_empty() {
                found.push((self.predicates.get(atom).clone(), undefined));
            }
        }
        found
    }
}

/// A fact with a truth value, in a visible state.
struct Goal<'g> {
    fact: &'g Formula<Predicate>,
    wanted: bool,
    visible: Option<&'g Predicate>,
}

impl Goal<'_> {
    fn reached(&self, interpreter: &Interpreter<'_>, state: &State) -> bool {
        let holds = |predicate: &Predicate| evaluate::holds(interpreter, state, predicate);
        self.visible.is_none_or(|visible| holds(visible) == Some(true))
            && self.fact.decide(&mut |atom| holds(atom)) == Some(self.wanted)
    }
}

fn verdict(
    exploration: &Exploration<'_>,
    checked: &Checked,
    lives: bool,
    live: impl Fn(CellId) -> Truth,
) -> Truth {
    // Without a proven live initial state the question may be an error.
    let known = if lives { Truth::True } else { Truth::Maybe };
    exploration.initial.iter().fold(known, |verdict, (cell, initial)| {
        let cell = CellId(cell.0);
        verdict.and(match (live(cell), checked.truth(cell)) {
            (Truth::False, _) | (_, Truth::True) => Truth::True,
            (Truth::True, Truth::False) if initial.witness.is_some() => Truth::False,
            _ => Truth::Maybe,
        })
    })
}

/// The outermost path quantifier, counted with its negations; `None` if there is none or several.
fn quantifier(formula: &Formula<Predicate>) -> Option<Quantifier> {
    let dual = |quantifier: Quantifier| quantifier.dual();
    match formula {
        Formula::Literal(_) | Formula::Atom(_) => None,
        Formula::Not(inner) => quantifier(inner).map(dual),
        Formula::Next(quantifier, _)
        | Formula::Future(quantifier, _)
        | Formula::Globally(quantifier, _)
        | Formula::Until(quantifier, ..)
        | Formula::Release(quantifier, ..)
        | Formula::WeakUntil(quantifier, ..) => Some(*quantifier),
        Formula::And(left, right) | Formula::Or(left, right) => match (quantifier(left), quantifier(right)) {
            (Some(left), Some(right)) if left == right => Some(left),
            (only, None) | (None, only) => only,
            _ => None,
        },
        Formula::Implies(left, right) => match (quantifier(left).map(dual), quantifier(right)) {
            (Some(left), Some(right)) if left == right => Some(left),
            (only, None) | (None, only) => only,
            _ => None,
        },
        Formula::Iff(..) => None,
    }
}

/// The formula with its granularity and the user's assumptions written out.
fn translated(prepared: &Prepared, formula: &Formula<Predicate>) -> Formula<Predicate> {
    let question = &prepared.question;
    let mut formula = formula.clone();
    if let Some(visible) = &question.visible {
        formula = kleene_ctl::read_on_visible(&formula, visible.clone());
        if question.granularity == Granularity::Tick {
            formula = kleene_ctl::at_first_visible(formula, visible.clone());
        }
    }
    if prepared.discards() {
        formula = kleene_ctl::restrict_to_live(&formula, is_set(Leaf::Discarded));
    }
    formula
}

/// The atoms of a formula, each once.
pub fn atoms(formula: &Formula<Predicate>) -> Vec<Predicate> {
    let mut found: Vec<Predicate> = Vec::new();
    formula.for_each_atom(&mut |atom| {
        if !found.contains(atom) {
            found.push(atom.clone());
        }
    });
    found
}

/// The comparisons inside predicates, by which cells are told apart.
pub fn comparisons(predicates: &[Predicate]) -> Vec<Predicate> {
    let mut found: Vec<Predicate> = Vec::new();
    for predicate in predicates {
        predicate.for_each_comparison(&mut |op, left, right| {
            let comparison = Predicate::Compare(op, left.clone(), right.clone());
            if !found.contains(&comparison) && !found.contains(&comparison.clone().negated()) {
                found.push(comparison);
            }
        });
    }
    found.truncate(16);
    found
}
