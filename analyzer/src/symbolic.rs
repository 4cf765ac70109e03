//! Runs that a solver finds: paths through the cells as conditions on what is drawn along them.
//!
//! The cells no known run has visited are goals. Paths are followed from the initial cells, those nearest to a
//! goal first; values are expressions over the initial values and the inputs. Where a path enters a goal, the
//! solver is asked for values that lead there. What it answers is only a suggestion: the run is followed state
//! by state like any other (`interpret::explore::walk`), and no verdict rests on this module.

mod concolic;
mod conflict;
mod nodes;
mod path;
mod steps;
mod unrolling;

pub mod simplify;

mod way;

pub use path::{Drawn, Origin, folded, simplified};
pub use way::{Way, way};

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use kleene_ctl::CellId;
use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{Cond, Int, Var};
use kleene_solver::{Answer, Limit, Reason, Solver};
use rustc_hash::FxHashSet;

pub use self::steps::{SolvedSteps, preconditions};

use self::nodes::Nodes;
use self::path::Path;
use crate::budget::Budget;
use crate::interpret::context::NodeId;
use crate::interpret::explore::{Cell, CellIndex, Exploration};
use crate::interpret::transfer::Initial;
use crate::precision::Script;
use crate::property::Predicate;

/// Paths that are looked at, and questions to the solver.
const MOST_PATHS: usize = 4_000;
const MOST_QUESTIONS: usize = 60;
/// Questions about one goal.
const TRIES: usize = 6;
/// Runs of one search.
const MOST_RUNS: usize = 12;
const LONGEST: usize = 400;
/// Conditions from impossible paths.
const MOST_CONFLICTS: usize = 6;
/// What a question counts for.
const QUESTION: u64 = 100;
/// The backstop of one question.
const LONGEST_QUESTION: Duration = Duration::from_secs(2);

/// How runs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Path by path; where that finds nothing, by runs whose branches are turned, then all short paths at once.
    Paths,
    /// All paths at once, as far as the limits allow.
    Whole,
}

/// What a search came to.
#[derive(Debug, Default)]
pub struct Found {
    pub runs: Vec<Script>,
    /// Why the solver did not answer a question, the last time it did not.
    pub trouble: Option<Reason>,
    /// What would show that paths which are no runs are none.
    pub conflicts: Vec<(NodeId, Cond)>,
}

/// Looks for runs into cells that are not known to have a state, as far as the limits allow: first into those
/// that look different from all others to the formula, and if there are none, into any.
pub fn search(
    exploration: &Exploration<'_>,
    atoms: &[Predicate],
    assume: Option<&Cond>,
    method: Method,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Found {
    let visited = visited(exploration);
    let looks = looks(exploration, atoms);
    let seen: FxHashSet<&Look> =
        looks.iter().zip(&visited).filter(|(_, visited)| **visited).map(|(look, _)| look).collect();
    let different: Vec<bool> = looks.iter().map(|look| !seen.contains(look)).collect();
    let any: Vec<bool> = visited.iter().map(|visited| !visited).collect();
    let starts = starts(exploration, assume);
    let mut found = Found::default();
    if method == Method::Whole {
        let mut nodes = Nodes::new(exploration, &different);
        unrolling::seek(&mut nodes, starts, unrolling::LONG, solver, budget, &mut found);
        return found;
    }
    found = Search::new(exploration, different.clone(), found).go(starts.clone(), solver, budget);
    if found.is_open() {
        let mut nodes = Nodes::new(exploration, &different);
        concolic::seek(&mut nodes, starts.clone(), solver, budget, &mut found);
        if found.is_open() {
            unrolling::seek(&mut nodes, starts.clone(), unrolling::SHORT, solver, budget, &mut found);
        }
    }
    if found.is_open() {
        found = Search::new(exploration, any, found).go(starts, solver, budget);
    }
    found
}

impl Found {
    /// Nothing was found, and there is use in going on.
    fn is_open(&self) -> bool {
        self.runs.is_empty() && !self.trouble.as_ref().is_some_and(is_failure)
    }
}

/// The time a question may take; `None` if there is none left.
fn question_time(budget: &Budget, longest: Duration) -> Option<Duration> {
    let left = budget.time_left().unwrap_or(longest);
    (!left.is_zero()).then_some(left.min(longest))
}

/// The beginnings of all runs.
fn starts(exploration: &Exploration<'_>, assume: Option<&Cond>) -> Vec<Path> {
    // Points that runs started from lie in the states of the others.
    let mut starts: Vec<&(CellIndex, Initial)> = Vec::new();
    for start in &exploration.initial {
        let known = |known: &&(CellIndex, Initial)| start.1.state.leq(&known.1.state);
        if !starts.iter().any(known) {
            starts.push(start);
        }
    }
    starts.into_iter().map(|(cell, initial)| Path::start(CellId(cell.0), &initial.state, assume)).collect()
}

/// The next question would not fare better.
fn is_failure(reason: &Reason) -> bool {
    match reason {
        Reason::Limit(limit) => *limit == Limit::Time,
        Reason::InvalidModel | Reason::GaveUp(_) | Reason::NotRecorded => false,
        Reason::NotStarted(_) | Reason::Exited(_) | Reason::Garbage(_) | Reason::TooMuchOutput => true,
    }
}

/// What the atoms of the formula are in a cell.
type Look = Vec<Option<bool>>;

fn looks(exploration: &Exploration<'_>, atoms: &[Predicate]) -> Vec<Look> {
    let look = |cell: &Cell| {
        let conditions = atoms.iter().map(|atom| exploration.transfer.predicate(atom, cell.node));
        conditions.map(|condition| cell.state.decide(&condition)).collect()
    };
    exploration.cells.iter().map(look).collect()
}

/// How much a search may look at.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub paths: usize,
    pub questions: usize,
    /// What one question may cost: so many times less than usual.
    pub easier: u64,
}

/// Looks for runs into these cells.
pub fn search_for(
    exploration: &Exploration<'_>,
    goals: Vec<bool>,
    effort: Effort,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Found {
    let search = Search::new(exploration, goals, Found::default());
    let search = Search { effort, wants_conflicts: false, ..search };
    search.go(starts(exploration, None), solver, budget)
}

struct Search<'e, 'p> {
    exploration: &'e Exploration<'p>,
    /// How often each goal may still be asked about; 0 for cells that are no goals.
    tries: Vec<usize>,
    /// Steps to the nearest goal.
    distance: Vec<Option<usize>>,
    /// Taken out when they are followed.
    paths: Vec<Option<Path>>,
    pending: BinaryHeap<Reverse<(usize, usize)>>,
    found: Found,
    effort: Effort,
    /// Whether somebody asks why there are no runs.
    wants_conflicts: bool,
}

impl<'e, 'p> Search<'e, 'p> {
    fn new(exploration: &'e Exploration<'p>, goals: Vec<bool>, found: Found) -> Self {
        let tries = goals.into_iter().map(|goal| if goal { TRIES } else { 0 }).collect();
        let mut search = Self {
            exploration,
            tries,
            distance: Vec::new(),
            paths: Vec::new(),
            pending: BinaryHeap::new(),
            found,
            effort: Effort::USUAL,
            wants_conflicts: true,
        };
        search.measure();
        search
    }

    /// Breadth first from the goals, backwards.
    fn measure(&mut self) {
        let count = self.exploration.cells.len();
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, outgoing) in self.exploration.edges.iter().enumerate() {
            for to in outgoing.iter().flat_map(|part| &part.targets) {
                sources[to.0 as usize].push(from);
            }
        }
        self.distance = vec![None; count];
        let mut queue: Vec<usize> = (0..count).filter(|cell| self.tries[*cell] > 0).collect();
        queue.iter().for_each(|goal| self.distance[*goal] = Some(0));
        let mut head = 0;
        while let Some(cell) = queue.get(head).copied() {
            head += 1;
            let next = self.distance[cell].map(|steps| steps + 1);
            for from in &sources[cell] {
                if self.distance[*from].is_none() {
                    self.distance[*from] = next;
                    queue.push(*from);
                }
            }
        }
    }

    fn push(&mut self, path: Path) {
        let Some(distance) = self.distance[path.cell.index()] else { return };
        if self.paths.len() >= self.effort.paths || path.length >= LONGEST {
            return;
        }
        self.pending.push(Reverse((path.length + 2 * distance, self.paths.len())));
        self.paths.push(Some(path));
    }

    fn go(mut self, starts: Vec<Path>, solver: &mut dyn Solver, budget: &Budget) -> Found {
        starts.into_iter().for_each(|path| self.push(path));
        self.follow(solver, budget);
        self.found
    }

    fn follow(&mut self, solver: &mut dyn Solver, budget: &Budget) {
        let mut questions = 0;
        while let Some(Reverse((_, at))) = self.pending.pop() {
            if budget.tick().is_err() || self.found.runs.len() >= MOST_RUNS {
                return;
            }
            let Some(path) = self.paths[at].take() else { continue };
            let goal = path.cell.index();
            if self.tries[goal] > 0 {
                self.tries[goal] -= 1;
                questions += 1;
                let state = &self.exploration.cells[goal].state;
                let Some(time) = question_time(budget, LONGEST_QUESTION) else { return };
                if budget.spend(QUESTION).is_err() {
                    return;
                }
                match asked(&path, path.inside(state), solver, &self.effort.question(time)) {
                    Answer::Sat(model) => {
                        self.tries[goal] = 0;
                        self.found.runs.push(path.script(&|variable: Var| model.value(variable)));
                    }
                    Answer::Unsat(_) => {
                        if self.wants_conflicts && self.found.conflicts.len() < MOST_CONFLICTS {
                            self.found.conflicts.extend(conflict::conflict(self.exploration, &path));
                        }
                    }
                    // Longer paths there are not easier.
                    Answer::Unknown(reason) => {
                        self.tries[goal] = 0;
                        let fails = is_failure(&reason);
                        self.found.trouble = Some(reason);
                        if fails {
                            return;
                        }
                    }
                }
                if self.tries[goal] == 0 {
                    self.measure();
                }
                if questions >= self.effort.questions {
                    return;
                }
            }
            for next in path.steps(self.exploration, &self.distance) {
                self.push(next);
            }
        }
    }
}

impl Effort {
    const USUAL: Self = Self { paths: MOST_PATHS, questions: MOST_QUESTIONS, easier: 1 };

    /// The budget of one question.
    fn question(self, time: Duration) -> kleene_solver::Budget {
        kleene_solver::Budget {
            conflicts: 1_500 / self.easier,
            pivots: 6_000 / self.easier,
            nodes: 500 / self.easier,
            rounds: 8,
            gates: 40_000 / self.easier as usize,
            time,
        }
    }
}

fn ask(path: &Path, inside: Vec<Cond>, solver: &mut dyn Solver, time: Duration) -> Answer {
    asked(path, inside, solver, &Effort::USUAL.question(time))
}

fn asked(path: &Path, inside: Vec<Cond>, solver: &mut dyn Solver, budget: &kleene_solver::Budget) -> Answer {
    solver.push();
    for condition in path.conditions().chain(inside) {
        solver.assert(&condition);
    }
    let answer = solver.check(budget);
    solver.pop();
    answer
}

/// The cells that hold a state of a followed run.
fn visited(exploration: &Exploration<'_>) -> Vec<bool> {
    let cells = &exploration.cells;
    let mut visited = vec![false; cells.len()];
    let mut points: FxHashSet<(u32, Vec<Int>)> = FxHashSet::default();
    for cell in cells.iter().filter(|cell| !cell.history.rest) {
        points.extend(cell.state.sample().map(|point| (cell.node.0, point)));
    }
    for (index, cell) in cells.iter().enumerate() {
        // A cell that is kept apart was reached by a run, or is one step of its own.
        visited[index] = !cell.history.rest
            || points.iter().any(|(node, point)| *node == cell.node.0 && cell.state.contains(point));
    }
    visited
}
