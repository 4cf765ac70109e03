//! One entry: what runs come to every place, what no run comes to, and what is left open.
//!
//! Single runs first, then explorations from cheap to expensive, each of which answers for every place that is still
//! open; where a solver may be asked, it looks for runs into the cells of those places.

mod calls;
mod causes;
mod effort;
mod held_back;
mod journeys;
mod large;
mod merged;
mod plain;
mod seen;
mod stored;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use kleene_ctl::{Formula, Quantifier, Truth};
use kleene_solver::{Solver, clock};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashSet;

use effort::Effort;
pub use effort::is_quick;
pub use held_back::{Asked, OpenQuestions};
use seen::Seen;

use super::ahead::Ahead;
use super::loops::Leaving;
use super::mark::Marked;
pub use super::runs::Sight;
use super::runs::{Audience, Beginning, Glimpse, Journey, Runs, Walks};
use super::standing::{Standing, Wanted};
use super::summaries::{Summaries, Summary};
use super::{Place, Reach};
use crate::budget::Budget;
use crate::concrete::Interpreter;
use crate::evidence::{Attempt, Cause, CauseKind, Evidence, Proof, Strategy};
use crate::frontend::Group;
use crate::interpret::context::Point;
use crate::interpret::explore::{Exploration, Interrupted};
use crate::ir::slice::Slice;
use crate::ir::{Effect, FunctionId, Initialiser, LocationId, Program, StepKind};
use crate::model::Abstraction;
use crate::model::progress::Ranking;
use crate::pipeline::{self, Level, ModelSize, Options, Parts, Verdict};
use crate::precision::{Precision, Split};
use crate::property::{Leaf, Predicate, is_set};
use crate::symbolic;

/// Predicates that may be told apart.
const MOST_SPLITS: usize = 24;
/// Steps of single runs whose states become cells, for loops.
const WALKED: usize = 400;
/// Longer runs are not shown.
const LONGEST_RUN: usize = 1_000_000;
pub const VERY_LARGE: &str = "only for very large inputs: more than 1 MiB of arguments";

pub use merged::merged;

/// What is known of a place or a loop.
#[derive(Clone, Debug)]
pub struct Known<T> {
    pub answer: T,
    level: Level,
    model: ModelSize,
    pub evidence: Evidence,
    solver: Option<String>,
    /// Every run that comes before it comes to it.
    pub inevitable: bool,
}

/// What one entry says.
#[derive(Default)]
pub struct Answers {
    entry: String,
    seconds: f64,
    /// By the place's number.
    places: BTreeMap<usize, Known<Reach>>,
    /// By the site's number.
    loops: BTreeMap<usize, Known<Verdict>>,
}

impl Answers {
    /// By the place's number.
    pub fn places(&self) -> impl Iterator<Item = (usize, &Known<Reach>)> {
        self.places.iter().map(|(index, known)| (*index, known))
    }

    /// By the site's number.
    pub fn loops(&self) -> impl Iterator<Item = (usize, Verdict)> {
        self.loops.iter().map(|(site, known)| (*site, known.answer))
    }
}

/// What is asked, and what is known already.
#[derive(Clone, Copy)]
pub struct Task<'t> {
    pub marked: &'t Marked,
    pub summaries: &'t Summaries,
    pub standing: &'t Standing<'t>,
    pub options: &'t Options,
}

pub fn decide(task: Task<'_>, entry: FunctionId) -> Answers {
    decide_only(task, entry, None)
}

/// The same for a part of the questions.
pub fn decide_only(task: Task<'_>, entry: FunctionId, asked: Option<&Asked<'_>>) -> Answers {
    let Task { marked, summaries, options, .. } = task;
    let start = Instant::now();
    if large::is_too_large(&marked.program, entry, options) {
        return large::by_summaries(marked, summaries, entry, start);
    }

    let slice = Slice::of(&marked.program, &marked.names, entry);
    let interpreter = Interpreter::bounding_unseen(&slice.program);
    let effort = Effort::of(options, asked);
    let runs = Runs::new(marked, &slice, &interpreter, effort.of_runs());
    let mut search = Search::new(task, &slice, &runs, effort);
    if let Some(Asked { open: asked, .. }) = asked {
        search.places.retain(|open| asked.places.contains(&open.index));
        search.loops.retain(|open| asked.loops.contains(&open.index));
    }
    if options.time().is_zero() {
        let limit = Some("the time of the whole call is over".to_string());
        search.tried.push(Attempt { precision: "none", cells: 0, limit });
        clock::had_a_say();
        return search.answers(start);
    }
    match asked {
        Some(Asked { by_runs: false, .. }) => search.aimed = true,
        _ => search.run(),
    }
    search.exclude_everywhere(summaries);
    search.set_doubtful_aside();
    search.climb();
    search.take_doubtful_back();
    search.look_for_plain_runs();
    search.answers(start)
}

/// What no call of a function comes to, whoever calls: with any arguments, and any values of globals that somebody
/// writes. `None` where that was asked before and there is nothing else to try.
pub fn alone(
    task: Task<'_>,
    function: FunctionId,
    is_entry: bool,
    first: &[Initialiser],
    open: &OpenQuestions,
) -> Option<Answers> {
    let Task { marked, summaries, options, .. } = task;
    let start = Instant::now();
    let mut slice = Slice::beginning_with(&marked.program, &marked.names, function, first);
    let effort = Effort::of(options, None);
    let mut loops = &open.loops;
    let none = FxHashSet::default();
    if effort::is_too_much(&slice.program, effort.steps(&slice.program)) {
        // Its calls answer what is known of the callees; whether they return is not.
        loops = &none;
        slice = summaries.single(&marked.program, function, first);
    } else if is_entry {
        return None;
    }
    let interpreter = Interpreter::bounding_unseen(&slice.program);
    let runs = Runs::new(marked, &slice, &interpreter, effort.of_runs());
    let mut search = Search::new(task, &slice, &runs, effort);
    search.places.retain(|asked| open.places.contains(&asked.index));
    search.loops.retain(|asked| loops.contains(&asked.index));
    (search.aimed, search.only_proves) = (true, true);
    search.climb();
    Some(search.answers(start))
}

/// Only what single runs come to.
pub fn shown(task: Task<'_>, entry: FunctionId, sight: Sight) -> Answers {
    let Task { marked, options, .. } = task;
    let start = Instant::now();
    let slice = Slice::of(&marked.program, &marked.names, entry);
    let interpreter = Interpreter::bounding_unseen(&slice.program);
    let effort = Effort::of(options, None);
    let runs = Runs::new(marked, &slice, &interpreter, effort.of_runs().with(sight));
    let mut search = Search::new(task, &slice, &runs, effort);
    if !options.time().is_zero() {
        search.run();
        // With no more in sight than others had, or where nothing came of what is, this hardly shows anything.
        if sight == Sight::Wide && search.has_shown() {
            search.aim();
        }
        search.look_for_plain_runs();
    } else {
        clock::had_a_say();
    }
    // Nobody asks what is left open.
    search.places.clear();
    search.loops.clear();
    search.answers(start).reached()
}

/// What each of some runs comes to that are told apart by their first choice alone.
pub fn followed(task: Task<'_>, group: &Group) -> Answers {
    let Task { marked, options, .. } = task;
    let start = Instant::now();
    let slice = Slice::of(&marked.program, &marked.names, group.begins);
    let interpreter = Interpreter::bounding_unseen(&slice.program);
    let runs = Runs::new(marked, &slice, &interpreter, Walks::OF_USES);
    let mut search = Search::new(task, &slice, &runs, Effort::of(options, None));
    for (number, test) in group.tests.iter().enumerate() {
        if search.is_done() {
            break;
        }
        if options.time().is_zero() {
            clock::had_a_say();
            break;
        }
        let before: FxHashSet<usize> = search.known_places.keys().copied().collect();
        runs.follow_only(number, &mut search);
        let name = &marked.program.function(*test).name;
        for (_, known) in search.known_places.iter_mut().filter(|(index, _)| !before.contains(index)) {
            if let Evidence::Run(run) = &mut known.evidence {
                // Its text says which calls it makes.
                run.calls.clear();
                run.conclusion += &format!(" in `{name}`");
            }
        }
    }
    search.places.clear();
    search.loops.clear();
    search.answers(start).reached()
}

/// An open question of the slice, with its number.
#[derive(Clone, Debug)]
struct Open<T> {
    index: usize,
    what: T,
}

struct Search<'s> {
    marked: &'s Marked,
    standing: &'s Standing<'s>,
    slice: &'s Slice,
    interpreter: &'s Interpreter<'s>,
    runs: &'s Runs<'s, 's>,
    /// How steps of runs are told.
    parts: RefCell<Parts<'s>>,
    options: &'s Options,
    budget: Budget,
    effort: Effort,
    places: Vec<Open<Place>>,
    loops: Vec<Open<Vec<Place>>>,
    all_loops: Vec<Vec<Place>>,
    /// What nobody excludes any more.
    doubtful: Vec<Open<Place>>,
    doubtful_loops: Vec<Open<Vec<Place>>>,
    /// What others settled.
    landmarks: Vec<Place>,
    aimed: bool,
    /// Only what costs little is tried, and no run is looked for.
    only_proves: bool,
    /// How the runs began that showed something.
    beginnings: Vec<Beginning>,
    known_places: BTreeMap<usize, Known<Reach>>,
    known_loops: BTreeMap<usize, Known<Verdict>>,
    /// Opened when it is first needed.
    solver: Option<Box<dyn Solver>>,
    splits: Vec<Split>,
    tried: Vec<Attempt>,
    level: Level,
    model: ModelSize,
    causes: BTreeMap<usize, Cause>,
    /// Cells of the last look that lead to what is open: the next one needs about as many.
    cells_before: usize,
    may_discard: bool,
    /// Runs may be discarded by more than the draw of a value that its type does not have.
    may_be_refused: bool,
}

impl<'s> Search<'s> {
    fn new(task: Task<'s>, slice: &'s Slice, runs: &'s Runs<'s, 's>, effort: Effort) -> Self {
        let Task { marked, standing, options, .. } = task;
        let own = |place: &Place| {
            let function = slice.own(place.function)?;
            Some(Place { function, location: place.location })
        };
        let (mut places, mut landmarks) = (Vec::new(), Vec::new());
        for (function, origin) in slice.origin.iter().enumerate() {
            let function = FunctionId(function as u32);
            for index in marked.place_numbers(*origin) {
                let what = Place { function, location: marked.places[index].location };
                match standing.of_place(index) {
                    Wanted::Nothing => landmarks.push(what),
                    Wanted::Runs | Wanted::Everything => places.push(Open { index, what }),
                }
            }
        }
        let loops = marked.loops_of(&slice.origin).filter_map(|(index, places)| {
            let what: Option<Vec<Place>> = places.iter().map(own).collect();
            Some(Open { index, what: what? })
        });
        let mut loops: Vec<Open<Vec<Place>>> = loops.collect();
        let all_loops = loops.iter().map(|open| open.what.clone()).collect();
        loops.retain(|open| standing.of_loop(open.index) != Wanted::Nothing);
        Self {
            marked,
            standing,
            slice,
            interpreter: runs.interpreter(),
            runs,
            parts: RefCell::new(Parts::new(runs.interpreter())),
            options,
            budget: Budget::new(effort.steps(&slice.program), Some(options.time())),
            effort,
            places,
            loops,
            all_loops,
            doubtful: Vec::new(),
            doubtful_loops: Vec::new(),
            landmarks,
            aimed: false,
            only_proves: false,
            beginnings: Vec::new(),
            known_places: BTreeMap::new(),
            known_loops: BTreeMap::new(),
            solver: None,
            splits: Vec::new(),
            tried: Vec::new(),
            level: Level::Abstract,
            model: ModelSize::default(),
            causes: BTreeMap::new(),
            cells_before: 0,
            may_discard: pipeline::may_discard(&slice.program),
            may_be_refused: may_be_refused(&slice.program),
        }
    }

    fn run(&mut self) {
        if self.is_done() {
            return;
        }
        let runs = self.runs;
        let beginnings = runs.walk(self);
        // Where runs show nothing that others did not, turned ones hardly do, unless they see more than others did; nor for
        // what they were made for in vain.
        let turns = self.has_shown() || runs.sight() == Sight::Wide || self.effort == Effort::More;
        if self.options.level == Level::Smt && self.effort != Effort::Quick && turns {
            let open: Vec<Place> = self.untried().collect();
            runs.turn(&open, &beginnings, self);
        }
        self.beginnings = beginnings;
    }

    /// What is open and nobody looked for in vain.
    fn untried(&self) -> impl Iterator<Item = Place> {
        let new = self.places.iter().filter(|open| !self.standing.was_tried(open.index));
        new.map(|open| open.what)
    }

    fn has_shown(&self) -> bool {
        !self.known_places.is_empty() || !self.known_loops.is_empty()
    }

    /// Runs towards what is open, once.
    fn aim(&mut self) {
        if self.effort == Effort::Quick || self.aimed {
            return;
        }
        self.aimed = true;
        let doubtful = std::mem::take(&mut self.doubtful);
        let proving: FxHashSet<usize> = self.places.iter().map(|open| open.index).collect();
        self.places.extend(doubtful);
        let places: Vec<Place> = self.places.iter().map(|open| open.what).collect();
        let beginnings = std::mem::take(&mut self.beginnings);
        let runs = self.runs;
        runs.aim(&places, &beginnings, self);
        let open = std::mem::take(&mut self.places).into_iter();
        (self.places, self.doubtful) = open.partition(|open| proving.contains(&open.index));
    }

    fn known<T>(&self, answer: T, evidence: Evidence) -> Known<T> {
        let solver = self.solver.as_ref().map(|solver| solver.name());
        Known { answer, level: self.level, model: self.model, evidence, solver, inevitable: false }
    }

    /// What only runs can tell something about.
    fn set_doubtful_aside(&mut self) {
        let standing = self.standing;
        let all = std::mem::take(&mut self.places).into_iter();
        (self.places, self.doubtful) =
            all.partition(|open| standing.of_place(open.index) == Wanted::Everything);
        let all = std::mem::take(&mut self.loops).into_iter();
        (self.loops, self.doubtful_loops) =
            all.partition(|open| standing.of_loop(open.index) == Wanted::Everything);
    }

    fn take_doubtful_back(&mut self) {
        self.places.append(&mut self.doubtful);
        self.loops.append(&mut self.doubtful_loops);
    }

    fn climb(&mut self) {
        let program = &self.slice.program;
        if self.effort.leaves_out(program) || effort::is_too_much(program, self.budget.left()) {
            let limit = Some("steps".to_string());
            self.tried.push(Attempt { precision: "joined", cells: 0, limit });
            return;
        }
        if self.is_done() && !self.doubtful.is_empty() {
            self.aim();
        }
        for (level, precision) in effort::ladder(self.options) {
            if self.only_proves && !effort::proves_cheaply(&precision) {
                continue;
            }
            let plain = matches!(precision.name, "joined" | "related") || self.options.ladder.is_some();
            if !plain && self.is_beyond_sight() {
                return;
            }
            let mut next = Some((level, precision));
            while let Some((level, precision)) = next.take() {
                if self.is_done() {
                    return;
                }
                self.level = level;
                match self.look(precision) {
                    Ok(finer) => next = finer,
                    Err(Interrupted::Unsettled) => {}
                    Err(_) => return,
                }
            }
        }
    }

    /// Whether no run can come to what is open without values that nobody knows: bounds of what they may be, and
    /// relations, exclude it or nothing does.
    fn is_beyond_sight(&self) -> bool {
        let seen = Seen::of(&self.slice.program);
        self.loops.is_empty() && self.places.iter().all(|open| !seen.contains(open.what))
    }

    /// One exploration for everything that is open; how to look more closely, if there is a way.
    fn look(&mut self, mut precision: Precision) -> Result<Option<(Level, Precision)>, Interrupted> {
        // Runs were followed already; loops may need their states as cells.
        if precision.name == "walked" || (precision.name == "glimpsed" && self.loops.is_empty()) {
            return Ok(None);
        }
        precision.walked_steps = if self.loops.is_empty() { 0 } else { precision.walked_steps.min(WALKED) };
        if precision.refinements > 0 && precision.splits.is_empty() {
            precision.splits = self.splits.clone();
        }
        if precision.name == "related" && self.options.ladder.is_none() {
            let program = &self.slice.program;
            let related = effort::concerned(program, &self.places, &self.loops, &self.all_loops);
            precision = Precision { related: Some(related), related_alone: true, ..precision };
        }
        let name = precision.name;
        let weight = effort::weight(&precision);
        if self.budget.left() < weight * effort::visits(&precision) * self.cells_before as u64 {
            let limit = Some("steps".to_string());
            self.tried.push(Attempt { precision: name, cells: 0, limit });
            return Err(Interrupted::Memory);
        }
        self.budget.weigh(weight);
        let trimmed = self.trimmed();
        let program = trimmed.as_ref().unwrap_or(&self.slice.program);
        let budget = std::mem::replace(&mut self.budget, Budget::unlimited());
        let explored =
            pipeline::explore(program, Vec::new(), None, precision, self.options.mutation, &budget);
        self.budget = budget;
        let exploration = match explored {
            Ok(exploration) => exploration,
            Err(interrupted) => {
                let limit = match interrupted {
                    Interrupted::Time => "time",
                    Interrupted::Memory => "steps",
                    Interrupted::Unsettled => "relations that do not settle",
                };
                self.tried.push(Attempt { precision: name, cells: 0, limit: Some(limit.into()) });
                return Err(interrupted);
            }
        };
        let limit = pipeline::limit_name(&exploration).map(String::from);
        self.tried.push(Attempt { precision: name, cells: exploration.cells.len(), limit });
        let may = exploration.edges.iter().flatten().map(|part| part.targets.len()).sum();
        let must = exploration.edges.iter().flatten().filter(|part| part.must).count();
        self.model = ModelSize { cells: exploration.cells.len(), may, must };
        self.exclude(&exploration);
        self.leave(&exploration);
        if self.is_done() {
            return Ok(None);
        }
        self.cells_before = self.cells_before_open(&exploration);
        Ok(self.finer(&exploration))
    }

    /// The program without what is of no use for what is open. A run that is discarded anywhere does not count: then
    /// everything is of use.
    fn trimmed(&self) -> Option<Program> {
        if self.may_discard {
            return None;
        }
        let places = self.places.iter().map(|open| open.what);
        let loops = self.loops.iter().map(|open| open.what.as_slice());
        Ahead::of(&self.slice.program, places, loops).trimmed(&self.slice.program)
    }

    /// What no call of a function comes to, whoever calls.
    fn exclude_everywhere(&mut self, summaries: &Summaries) {
        let mut open = Vec::new();
        for place in std::mem::take(&mut self.places) {
            let function = self.slice.origin[place.what.function.0 as usize];
            match summaries.excludes(function, place.what.location) {
                Some(summary) => {
                    let Summary { cells, may_edges, .. } = *summary;
                    let proof = Proof { cells, may_edges, ..Proof::default() };
                    self.known_places.insert(place.index, self.known(Reach::Never, Evidence::Proof(proof)));
                }
                None => open.push(place),
            }
        }
        self.places = open;
    }

    /// No cell, no run.
    fn exclude(&mut self, exploration: &Exploration<'_>) {
        let contexts = &exploration.transfer.contexts;
        let mut reached: FxHashSet<Place> = FxHashSet::default();
        for cell in &exploration.cells {
            let node = contexts.node(cell.node);
            if let Point::At(location) = node.point {
                reached.insert(Place { function: contexts.get(node.context).function, location });
            }
        }
        let (open, never): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.places).into_iter().partition(|open| reached.contains(&open.what));
        self.places = open;
        for Open { index, .. } in never {
            let proof = Proof { cells: self.model.cells, may_edges: self.model.may, ..Proof::default() };
            self.known_places.insert(index, self.known(Reach::Never, Evidence::Proof(proof)));
        }
    }

    fn leave(&mut self, exploration: &Exploration<'_>) {
        if self.loops.is_empty() {
            return;
        }
        let budget = std::mem::replace(&mut self.budget, Budget::unlimited());
        let abstraction = Abstraction::new(exploration);
        let mut ranking = Ranking::new(exploration, &budget);
        // A closer look at the same loops follows, and may need less.
        if exploration.transfer.precision.name == "joined" && self.options.ladder.is_none() {
            ranking = ranking.by_candidates();
        }
        let may_discard = self.may_discard;
        let leaving = Leaving { exploration, abstraction: &abstraction, ranking: &ranking, may_discard };
        let mut open = Vec::new();
        for asked in std::mem::take(&mut self.loops) {
            let (verdict, evidence) = match leaving.decide(&asked.what) {
                Truth::Maybe => {
                    open.push(asked);
                    continue;
                }
                Truth::True => {
                    let proof = Proof {
                        cells: self.model.cells,
                        may_edges: self.model.may,
                        rankings: ranking.proved(),
                        invariants: Vec::new(),
                    };
                    (Verdict::True, Evidence::Proof(proof))
                }
                Truth::False => {
                    let strategy =
                        Strategy { cells: self.model.cells, must_edges: self.model.must, example: None };
                    (Verdict::False, Evidence::Strategy(strategy))
                }
            };
            self.known_loops.insert(asked.index, self.known(verdict, evidence));
        }
        self.loops = open;
        drop(ranking);
        self.budget = budget;
    }

    /// Runs that a solver finds; then the precision once more, with more told apart.
    fn finer(&mut self, exploration: &Exploration<'_>) -> Option<(Level, Precision)> {
        let precision = &exploration.transfer.precision;
        if precision.name == "joined" {
            self.aim();
        }
        self.remember_causes(exploration);
        if self.options.level == Level::Smt && !self.places.is_empty() && effort::searches_in(precision) {
            self.search(exploration);
        }
        self.budget.weigh(1);
        if self.is_done() {
            return None;
        }
        let refinements = precision.refinements.checked_sub(1)?;
        let found = pipeline::suggestions(exploration, &self.open_question(), &self.splits, &self.budget);
        let before = self.splits.len();
        self.splits.extend(found.splits);
        self.splits.truncate(MOST_SPLITS);
        (self.splits.len() > before).then(|| {
            let splits = self.splits.clone();
            (self.level, Precision { refinements, splits, ..precision.clone() })
        })
    }

    /// What is open, as one formula.
    fn open_question(&self) -> Formula<Predicate> {
        let outside = |places: &mut dyn Iterator<Item = &Place>| {
            let places: Arc<[(FunctionId, LocationId)]> =
                places.map(|place| (place.function, place.location)).collect();
            Formula::Atom(is_set(Leaf::At(places)).negated())
        };
        let never = outside(&mut self.places.iter().map(|open| &open.what)).globally(Quantifier::All);
        self.loops.iter().fold(never, |all, open| {
            let left = outside(&mut open.what.iter()).future(Quantifier::All).globally(Quantifier::All);
            all.and(left)
        })
    }

    fn search(&mut self, exploration: &Exploration<'_>) {
        let goals = self.cells_of_open_places(exploration);
        let solver = self.solver.get_or_insert_with(|| self.options.solver.open());
        let found =
            symbolic::search_for(exploration, goals, self.effort.of_search(), solver.as_mut(), &self.budget);
        if let (Some(trouble), Some(attempt)) = (found.trouble, self.tried.last_mut()) {
            attempt.limit = Some(trouble.to_string());
        }
        let level = std::mem::replace(&mut self.level, Level::Smt);
        for script in found.runs {
            if let Some(journey) = self.runs.scripted(&script) {
                self.learned(&journey);
            }
        }
        self.level = level;
    }

    fn cells_of_open_places(&self, exploration: &Exploration<'_>) -> Vec<bool> {
        let contexts = &exploration.transfer.contexts;
        let open: FxHashSet<Place> = self.places.iter().map(|open| open.what).collect();
        let is_open = |node| {
            let node = contexts.node(node);
            let Point::At(location) = node.point else { return false };
            open.contains(&Place { function: contexts.get(node.context).function, location })
        };
        exploration.cells.iter().map(|cell| is_open(cell.node)).collect()
    }

    /// Cells from which runs may come to open places; all of them where loops are open.
    fn cells_before_open(&self, exploration: &Exploration<'_>) -> usize {
        if !self.loops.is_empty() {
            return exploration.cells.len();
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); exploration.cells.len()];
        for (from, parts) in exploration.edges.iter().enumerate() {
            for to in parts.iter().flat_map(|part| &part.targets) {
                before[to.0 as usize].push(from);
            }
        }
        let mut leads = self.cells_of_open_places(exploration);
        let mut pending: Vec<usize> = (0..leads.len()).filter(|cell| leads[*cell]).collect();
        let mut next = 0;
        while let Some(to) = pending.get(next).copied() {
            next += 1;
            for from in &before[to] {
                if !std::mem::replace(&mut leads[*from], true) {
                    pending.push(*from);
                }
            }
        }
        pending.len()
    }

    fn answers(mut self, start: Instant) -> Answers {
        let tried = std::mem::take(&mut self.tried);
        let cause = |index: Option<usize>, causes: &BTreeMap<usize, Cause>| {
            let known = index.and_then(|index| causes.get(&index).cloned());
            let mut cause = known.unwrap_or_else(|| Cause::limit(None, Vec::new()));
            cause.tried = tried.clone();
            cause
        };
        for open in std::mem::take(&mut self.places) {
            let cause = cause(Some(open.index), &self.causes);
            self.known_places.insert(open.index, self.known(Reach::Open, Evidence::Cause(cause)));
        }
        for open in std::mem::take(&mut self.loops) {
            let mut cause = cause(None, &self.causes);
            cause.kind = CauseKind::Loop;
            cause.message = "neither a reason to end nor an endless run was found".into();
            cause.help = None;
            self.known_loops.insert(open.index, self.known(Verdict::Maybe, Evidence::Cause(cause)));
        }
        Answers {
            entry: self.slice.program.entry_function().name.clone(),
            seconds: start.elapsed().as_secs_f64(),
            places: self.known_places,
            loops: self.known_loops,
        }
    }
}

impl Audience for Search<'_> {
    fn is_done(&self) -> bool {
        self.places.is_empty() && self.loops.is_empty()
    }

    fn open(&self) -> usize {
        self.places.len() + self.loops.len()
    }

    fn wants(&self, glimpse: &Glimpse) -> bool {
        glimpse.cycles && !self.loops.is_empty() || self.may_show_place(glimpse)
    }

    fn learn(&mut self, journey: &Journey) -> bool {
        self.learned(journey)
    }

    fn landmarks(&self) -> &[Place] {
        &self.landmarks
    }

    fn wants_ends(&self) -> bool {
        self.may_be_refused
    }

    fn wants_place(&self, place: Place) -> bool {
        self.places.iter().any(|open| open.what == place)
    }

    fn has_settled(&self, place: Place) -> bool {
        self.places.iter().all(|open| open.what != place)
    }
}

/// Whether something else than an input can discard a run. What an input discards is a value that its type does not
/// have: the same step can always draw another one.
fn may_be_refused(program: &Program) -> bool {
    program.functions.iter().any(|function| {
        function.graph.edge_references().any(|edge| {
            let drawn = matches!(function.graph[edge.source()].what, StepKind::Input | StepKind::Begin);
            matches!(edge.weight().effect, Effect::Discard) && !drawn
        })
    })
}
