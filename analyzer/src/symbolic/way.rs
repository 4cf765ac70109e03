//! One way into a cell, as a condition on initial values and inputs.

use kleene_ctl::CellId;
use kleene_domains::lattice::Lattice;
use kleene_domains::{Bound, CompareOp, Cond, Expr, Interval, Var};
use kleene_solver::{Answer, Embedded};
use rustc_hash::FxHashMap;

use super::path::{Drawn, Origin, Path, Why};
use super::{Found, Search, ask};
use crate::interpret::explore::Exploration;
use crate::ir::VariableId;

/// Paths that are looked at, and questions to the solver.
const MOST_PATHS: usize = 300;
const MOST_QUESTIONS: usize = 8;
const LONGEST_QUESTION: std::time::Duration = std::time::Duration::from_millis(500);

/// A path into a cell that some run can take. Variables below the number of the entry's slots are initial values.
pub struct Way {
    path: Path,
    /// What has to hold for it to be taken.
    pub conditions: Vec<Cond>,
    /// What holds anyway, of initial values and of what can be drawn.
    pub known: Vec<Cond>,
    ranges: FxHashMap<Var, Interval>,
}

/// A shortest path into the cell, as far as the limits allow: one whose condition the embedded solver can satisfy.
pub fn way(exploration: &Exploration<'_>, goal: CellId, assume: Option<&Cond>) -> Option<Way> {
    let mut goals = vec![false; exploration.cells.len()];
    *goals.get_mut(goal.index())? = true;
    let mut search = Search::new(exploration, goals, Found::default());
    // Which part of the initial states a cell stands for is no matter: the path alone decides.
    let all = exploration.initial.iter().map(|(_, initial)| initial.state.clone());
    let all = all.reduce(|all, state| all.join(&state))?;
    let mut starts: Vec<CellId> = exploration.initial.iter().map(|(cell, _)| CellId(cell.0)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().for_each(|cell| search.push(Path::start(cell, &all, assume)));
    let mut solver = Embedded::new();
    let mut questions = 0;
    for _ in 0..MOST_PATHS {
        let at = search.pending.pop()?.0.1;
        let Some(path) = search.paths[at].take() else { continue };
        if path.cell == goal {
            let inside = path.inside(&exploration.cells[goal.index()].state);
            match ask(&path, inside, &mut solver, LONGEST_QUESTION) {
                Answer::Sat(_) if is_told_apart(exploration, &path) => {
                    return Some(Way::new(exploration, path));
                }
                Answer::Sat(_) => return None,
                Answer::Unsat(_) | Answer::Unknown(_) => questions += 1,
            }
            if questions >= MOST_QUESTIONS {
                return None;
            }
        }
        for next in path.steps(exploration, &search.distance) {
            search.push(next);
        }
    }
    None
}

impl Way {
    fn new(exploration: &Exploration<'_>, path: Path) -> Self {
        let mut ranges = initial_ranges(exploration);
        let (mut conditions, mut known) = (Vec::new(), Vec::new());
        for (condition, why) in path.reasons() {
            if why == Why::Taken {
                conditions.push(condition);
                continue;
            }
            let narrowed = bound(&condition).and_then(|(var, range)| {
                let both = ranges.get(&var).map_or(Some(range.clone()), |known| known.meet(&range));
                Some((var, both?))
            });
            match narrowed {
                Some((var, range)) => {
                    ranges.insert(var, range);
                }
                None => known.push(condition),
            }
        }
        conditions.reverse();
        known.reverse();
        Self { path, conditions, known, ranges }
    }

    /// The values a variable can have on any path.
    pub fn range(&self, var: Var) -> Interval {
        self.ranges.get(&var).cloned().unwrap_or_else(Interval::top)
    }

    /// Where a variable comes from that is no initial value.
    pub fn origin(&self, var: Var) -> Option<&Origin> {
        self.path.origins.iter().find(|origin| origin.variable == var)
    }

    /// What it means to be in the cell behind it.
    pub fn inside(&self, exploration: &Exploration<'_>) -> Vec<Cond> {
        self.path.inside(&exploration.cells[self.path.cell.index()].state)
    }

    /// A condition on the slots of the cell, over the variables of the way.
    pub fn at_end(&self, condition: &Cond) -> Cond {
        self.path.condition(condition)
    }

    /// What has to hold besides for the next step to lead into another cell, one way to get there each.
    pub fn onward(&self, exploration: &Exploration<'_>, to: CellId) -> Vec<Vec<Cond>> {
        let mut distance = vec![None; exploration.cells.len()];
        if let Some(distance) = distance.get_mut(to.index()) {
            *distance = Some(0);
        }
        let before = self.path.reasons().count();
        let longer = self.path.steps(exploration, &distance);
        let conditions = longer.iter().map(|path| {
            let all = path.reasons().count() - before;
            let mut new: Vec<Cond> = path.conditions().take(all).collect();
            new.reverse();
            new.extend(path.inside(&exploration.cells[to.index()].state));
            new
        });
        conditions.collect()
    }
}

/// Paths have one variable for all that an input draws.
fn is_told_apart(exploration: &Exploration<'_>, path: &Path) -> bool {
    path.origins.iter().filter(|origin| origin.drawn == Drawn::Input).all(|origin| {
        let command = exploration.transfer.known_command(origin.node);
        command.is_some_and(|command| command.inputs.iter().all(|input| input.targets.len() <= 1))
    })
}

/// The types of what the entry starts with.
fn initial_ranges(exploration: &Exploration<'_>) -> FxHashMap<Var, Interval> {
    let scope = &exploration.transfer.scope;
    let program = scope.program;
    let mut ranges = FxHashMap::default();
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..program.entry_function().locals.len() as u32).map(VariableId::Local);
    for id in globals.chain(locals) {
        let base = if matches!(id, VariableId::Local(_)) { scope.layout.global_slots } else { 0 };
        let first = base + scope.layout.first_slot(program.entry, id);
        let scalars = program.variable(program.entry, id).ty.scalars();
        for (offset, ty) in scalars.iter().enumerate() {
            ranges.insert(Var(first + offset as u32), ty.range());
        }
    }
    ranges
}

/// The range a condition gives to a variable, if it says nothing else.
fn bound(condition: &Cond) -> Option<(Var, Interval)> {
    let Cond::Compare(CompareOp::LessEqual, left, right) = condition else { return None };
    match (left, right) {
        (Expr::Constant(low), Expr::Variable(var)) => {
            Interval::new(Bound::Finite(low.clone()), Bound::PosInfinity).map(|range| (*var, range))
        }
        (Expr::Variable(var), Expr::Constant(high)) => {
            Interval::new(Bound::NegInfinity, Bound::Finite(high.clone())).map(|range| (*var, range))
        }
        _ => None,
    }
}
