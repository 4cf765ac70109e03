//! Rankings found by linear programming: an unknown linear expression for every cell and phase.
//!
//! That an expression is not negative wherever a step is possible is, by Farkas' lemma, a question of
//! multipliers of the step's constraints, and linear in the unknown factors. The program is solved in floating
//! point; the factors are made integers and every claim is proved again by the solver, exactly.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use good_lp::solvers::WithTimeLimit;
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, Variable, microlp, variable};
use kleene_ctl::CellId;
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::Constraint;
use kleene_domains::{CompareOp, Cond, Expr, Int, LinearExpr, Var};
use kleene_solver::{Embedded, Solver};
use rustc_hash::FxHashSet;

use super::forms::LinearStep;
use super::{Removal, System};
use crate::interpret::compile::Effect;

const MOST_PHASES: usize = 3;
const MOST_SLOTS: usize = 10;
/// Constraints of all steps together.
const MOST_ROWS: usize = 2_400;
const MOST_PROPOSALS: usize = 16;
/// The backstop of one linear program, in seconds.
const PATIENCE: f64 = 2.0;
/// The largest denominator of a factor.
const FINEST: i64 = 720;
const TOLERANCE: f64 = 1e-6;

/// Transitions of the component that no run takes for ever, by expressions of as few phases as possible.
pub fn remove(system: &System<'_>, component: &[usize]) -> Option<Removal> {
    if system.ranking.work.get() == 0 {
        return None;
    }
    let problem = Problem::new(system, component)?;
    let proposals = problem.proposals();
    let size: usize = problem.paths.iter().map(|path| path.rows.len()).sum();
    for phases in 1..=MOST_PHASES {
        for removed in &proposals {
            let work = &system.ranking.work;
            work.set(work.get().checked_sub(size * phases)?);
            (0..64).try_for_each(|_| system.ranking.budget.tick()).ok()?;
            if let Some(found) = problem.solve(phases, removed) {
                return Some(system.removal(component, removed.clone(), found));
            }
        }
    }
    None
}

/// The steps of a component as constraints, and the slots that expressions may mention.
struct Problem<'s> {
    system: &'s System<'s>,
    component: &'s [usize],
    slots: Vec<Var>,
    steps: Vec<Path>,
    /// The steps again, cells with only one way on left out.
    paths: Vec<Path>,
    /// Those cells, in the order they were left out, with their only step.
    passed: Vec<(CellId, Path)>,
    /// All others.
    cells: Vec<CellId>,
}

/// One case of a transition, or several in a row.
#[derive(Clone)]
struct Path {
    /// The first transition, as an index into the component.
    at: usize,
    from: CellId,
    to: CellId,
    form: LinearStep,
    rows: Vec<Constraint>,
    /// Whether the rows say more than what is known of the cells.
    guarded: bool,
}

impl<'s> Problem<'s> {
    fn new(system: &'s System<'s>, component: &'s [usize]) -> Option<Self> {
        let slots = interesting_slots(system, component);
        if slots.is_empty() || slots.len() > MOST_SLOTS {
            return None;
        }
        let cells = &system.ranking.exploration.cells;
        let varies = |cell: CellId| {
            let mut values = slots.iter().map(|slot| cells[cell.index()].state.get(*slot));
            values.any(|value| value.as_constant().is_none())
        };
        // Single states that lead to each other go round for ever.
        if !component.iter().any(|index| varies(system.transitions[*index].from)) {
            return None;
        }
        let mut steps = Vec::new();
        let mut rows = 0;
        for (at, index) in component.iter().enumerate() {
            let transition = &system.transitions[*index];
            let target = &cells[transition.to.index()].state;
            let guarded = transition.step.edge().is_some_and(|edge| edge.guard != Cond::Literal(true));
            for form in transition.step.forms() {
                let arriving = form.arriving(target, system.slots);
                let known = connected(form.rows.iter().chain(&arriving), form, &slots);
                rows += known.len();
                if rows > MOST_ROWS {
                    return None;
                }
                let (from, to) = (transition.from, transition.to);
                steps.push(Path { at, from, to, form: form.clone(), rows: known, guarded });
            }
        }
        let mut cells: Vec<CellId> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
        cells.sort_unstable();
        cells.dedup();
        let (paths, passed) = (steps.clone(), Vec::new());
        let mut problem = Self { system, component, slots, steps, paths, passed, cells };
        problem.contract();
        let rows: usize = problem.paths.iter().map(|path| path.rows.len()).sum();
        (rows <= MOST_ROWS / 4).then_some(problem)
    }

    /// Leaves out cells with only one way on whose effect is known exactly.
    fn contract(&mut self) {
        let system = self.system;
        let is_head = |cell: &CellId| {
            let exploration = system.ranking.exploration;
            exploration.transfer.is_widening_point(exploration.cells[cell.index()].node)
        };
        for cell in self.cells.clone() {
            let mut ways = self.paths.iter().filter(|path| path.from == cell);
            let (Some(only), None) = (ways.next(), ways.next()) else { continue };
            if only.to == cell || is_head(&cell) || !self.is_exact(only) {
                continue;
            }
            let only = only.clone();
            self.paths.retain(|path| path.from != cell);
            for path in self.paths.iter_mut().filter(|path| path.to == cell) {
                path.extend(&only);
            }
            self.cells.retain(|kept| *kept != cell);
            self.passed.push((cell, only));
        }
    }

    /// The expressions behind the path are expressions of the values before it.
    fn is_exact(&self, path: &Path) -> bool {
        self.slots.iter().all(|slot| {
            let after = path.form.after(*slot);
            path.form.before(*slot) == LinearExpr::variable(*slot)
                && after.terms().iter().all(|(variable, _)| self.slots.contains(variable))
        })
    }

    /// Sets of transitions worth removing: those that leave a loop's head, then those of single commands.
    fn proposals(&self) -> Vec<Vec<usize>> {
        let exploration = self.system.ranking.exploration;
        let mut heads: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut commands: BTreeMap<(u32, usize), Vec<usize>> = BTreeMap::new();
        let mut first: Vec<usize> = self.paths.iter().map(|path| path.at).collect();
        first.sort_unstable();
        first.dedup();
        for at in first {
            let transition = &self.system.transitions[self.component[at]];
            let node = exploration.cells[transition.from.index()].node;
            if exploration.transfer.is_widening_point(node) {
                heads.entry(node.0).or_default().push(at);
            }
            let edge = transition.step.edge().map_or(0, |edge| edge.id.index());
            commands.entry((node.0, edge)).or_default().push(at);
        }
        let mut proposals: Vec<Vec<usize>> = Vec::new();
        for proposal in heads.into_values().chain(commands.into_values()) {
            if proposals.len() < MOST_PROPOSALS && !proposals.contains(&proposal) {
                proposals.push(proposal);
            }
        }
        proposals
    }

    fn solve(&self, phases: usize, removed: &[usize]) -> Option<Vec<BTreeMap<CellId, LinearExpr>>> {
        let found = catch_unwind(AssertUnwindSafe(|| self.program(phases, removed))).ok()??;
        let mut found = whole(&found, &self.cells, &self.slots)?;
        for phase in &mut found {
            for (cell, only) in self.passed.iter().rev() {
                let behind = only.form.after_all(&phase[&only.to]);
                phase.insert(*cell, behind);
            }
        }
        self.is_proved(&found, removed).then_some(found)
    }

    /// Factors per phase, cell and slot (the constant last), if the program has a solution.
    fn program(&self, phases: usize, removed: &[usize]) -> Option<Vec<Vec<Vec<f64>>>> {
        let mut variables = ProblemVariables::new();
        let width = self.slots.len() + 1;
        let mut unknown = || -> [Variable; 2] {
            // As a difference: on variables without bounds the solver may go round in circles.
            [variables.add(variable().min(0.0)), variables.add(variable().min(0.0))]
        };
        let factors: Vec<Vec<Vec<[Variable; 2]>>> = (0..phases)
            .map(|_| self.cells.iter().map(|_| (0..width).map(|_| unknown()).collect()).collect())
            .collect();
        let mut equations: Vec<Expression> = Vec::new();
        let mut inequalities: Vec<Expression> = Vec::new();
        let mut weights: Vec<Variable> = Vec::new();
        for step in &self.paths {
            let claims = claims(phases, removed.contains(&step.at));
            for claim in claims {
                let mut columns: BTreeMap<Var, Expression> = BTreeMap::new();
                let mut constant = Expression::from(-(claim.least as f64));
                for (phase, side, sign) in &claim.parts {
                    let cell = self.cells.binary_search(&side.cell(step)).ok()?;
                    let factors = &factors[*phase][cell];
                    for (slot, factor) in self.slots.iter().zip(factors) {
                        let form = side.form(step, *slot);
                        let sign = f64::from(*sign);
                        for (variable, by) in form.terms() {
                            add(columns.entry(*variable).or_default(), factor, sign * float(by)?);
                        }
                        add(&mut constant, factor, sign * float(form.offset())?);
                    }
                    add(&mut constant, &factors[width - 1], f64::from(*sign));
                }
                for row in &step.rows {
                    let size = row.form().terms().iter().map(|(_, by)| float(by).unwrap_or(f64::NAN).abs());
                    let size = size.fold(1.0, f64::max);
                    let mut weigh = |sign: f64| -> Option<()> {
                        let weight = variables.add(variable().min(0.0));
                        weights.push(weight);
                        for (variable, by) in row.form().terms() {
                            columns.entry(*variable).or_default().add_mul(-sign * float(by)? / size, weight);
                        }
                        constant.add_mul(-sign * float(row.form().offset())? / size, weight);
                        Some(())
                    };
                    weigh(1.0)?;
                    if row.is_equality() {
                        weigh(-1.0)?;
                    }
                }
                equations.extend(columns.into_values());
                inequalities.push(constant);
            }
        }
        let mut cost = Expression::default();
        for variable in factors.iter().flatten().flatten().flatten() {
            cost.add_mul(1.0, *variable);
        }
        let mut model = variables.minimise(cost).using(microlp).with_time_limit(PATIENCE);
        let equal = equations.into_iter().map(|sum| sum.eq(0.0));
        for constraint in equal.chain(inequalities.into_iter().map(|sum| sum.geq(0.0))) {
            model.add_constraint(constraint);
        }
        let solution = model.solve().ok()?;
        let value = |[plus, minus]: &[Variable; 2]| solution.value(*plus) - solution.value(*minus);
        let of_cell = |factors: &Vec<[Variable; 2]>| factors.iter().map(value).collect();
        Some(factors.iter().map(|cells| cells.iter().map(of_cell).collect()).collect())
    }

    /// Every claim again, with whole numbers and without floating point.
    fn is_proved(&self, found: &[BTreeMap<CellId, LinearExpr>], removed: &[usize]) -> bool {
        let budget = kleene_solver::Budget::default();
        self.steps.iter().all(|step| {
            let mut solver = Embedded::new();
            for row in &step.rows {
                let op = if row.is_equality() { CompareOp::Equal } else { CompareOp::GreaterEqual };
                solver.assert(&Cond::Compare(op, row.form().to_expr(), Expr::constant(0)));
            }
            claims(found.len(), removed.contains(&step.at)).into_iter().all(|claim| {
                let mut sum = LinearExpr::constant(Int::ZERO);
                for (phase, side, sign) in &claim.parts {
                    let rank = &found[*phase][&side.cell(step)];
                    let value = side.value(step, rank);
                    sum = sum.plus(&value.scaled(&Int::from(*sign)));
                }
                solver.push();
                solver.assert(&Cond::Compare(CompareOp::Less, sum.to_expr(), Expr::constant(claim.least)));
                let proved = solver.check(&budget).is_unsat();
                solver.pop();
                proved
            })
        })
    }
}

impl Path {
    /// Goes on by another path, whose effect is exact.
    fn extend(&mut self, next: &Path) {
        let before = &self.form;
        let first = next.form.first_made_up();
        let shifted = |variable: Var| Var(variable.0 - first + before.next);
        let placed = |form: &LinearExpr| {
            form.replaced(|variable| match variable.0 < first {
                true => before.after(variable),
                false => LinearExpr::variable(shifted(variable)),
            })
        };
        if next.guarded {
            for row in &next.rows {
                let form = placed(row.form());
                let row =
                    if row.is_equality() { Constraint::zero(form) } else { Constraint::at_least_zero(form) };
                if !row.is_trivial() && !self.rows.contains(&row) {
                    self.rows.push(row);
                }
            }
            self.guarded = true;
        }
        self.form = before.followed_by(&next.form, &placed);
        self.to = next.to;
    }
}

/// A sum of signed expressions that is at least a number wherever the step is possible.
struct Claim {
    parts: Vec<(usize, Side, i32)>,
    least: i64,
}

/// The claims about one step, as sums of the phases' expressions before and after it, each at least so much.
fn claims(phases: usize, removed: bool) -> Vec<Claim> {
    let least = i64::from(removed);
    let mut claims = Vec::new();
    for phase in 0..phases {
        let mut parts = vec![(phase, Side::Before, 1), (phase, Side::After, -1)];
        if phase > 0 && removed {
            parts.push((phase - 1, Side::Before, 1));
        }
        claims.push(Claim { parts, least });
    }
    if removed {
        claims.push(Claim { parts: vec![(phases - 1, Side::Before, 1)], least: 0 });
    }
    claims
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Side {
    fn cell(self, step: &Path) -> CellId {
        match self {
            Self::Before => step.from,
            Self::After => step.to,
        }
    }

    fn value(self, step: &Path, rank: &LinearExpr) -> LinearExpr {
        match self {
            Self::Before => step.form.before_all(rank),
            Self::After => step.form.after_all(rank),
        }
    }

    fn form(self, step: &Path, slot: Var) -> LinearExpr {
        match self {
            Self::Before => step.form.before(slot),
            Self::After => step.form.after(slot),
        }
    }
}

fn add(sum: &mut Expression, [plus, minus]: &[Variable; 2], factor: f64) {
    if factor != 0.0 {
        sum.add_mul(factor, *plus);
        sum.add_mul(-factor, *minus);
    }
}

fn float(value: &Int) -> Option<f64> {
    value.to_i128().map(|value| value as f64)
}

/// The same expressions in whole numbers: all multiplied by one common denominator.
fn whole(
    found: &[Vec<Vec<f64>>],
    cells: &[CellId],
    slots: &[Var],
) -> Option<Vec<BTreeMap<CellId, LinearExpr>>> {
    let fraction = |value: f64| (1..=FINEST).find(|by| is_whole(value * *by as f64));
    let mut common = 1;
    for value in found.iter().flatten().flatten() {
        let by = fraction(*value)?;
        common = common / gcd(common, by) * by;
        if common > 1_000_000 {
            return None;
        }
    }
    let number = |value: f64| -> Option<Int> {
        let value = (value * common as f64).round();
        (value.abs() < 1e15).then(|| Int::from(value as i64))
    };
    let phase = |factors: &Vec<Vec<f64>>| -> Option<BTreeMap<CellId, LinearExpr>> {
        let expression = |(cell, factors): (&CellId, &Vec<f64>)| {
            let constant = number(*factors.last()?)?;
            let terms = slots.iter().zip(factors).map(|(slot, factor)| Some((*slot, number(*factor)?)));
            Some((*cell, LinearExpr::from_terms(terms.collect::<Option<Vec<_>>>()?, constant)))
        };
        cells.iter().zip(factors).map(expression).collect()
    };
    found.iter().map(phase).collect()
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= TOLERANCE * value.abs().max(1.0)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Slots that guards of the component compare or that its steps write.
fn interesting_slots(system: &System<'_>, component: &[usize]) -> Vec<Var> {
    let mut slots: FxHashSet<Var> = FxHashSet::default();
    for index in component {
        let step = &system.transitions[*index].step;
        slots.extend(step.drawn());
        let Some(edge) = step.edge() else { continue };
        edge.guard.for_each_comparison(&mut |_, left, right| {
            left.for_each_variable(&mut |slot| slots.extend([*slot]));
            right.for_each_variable(&mut |slot| slots.extend([*slot]));
        });
        match &edge.effect {
            Effect::Assign(assignments) => {
                for (slot, value) in assignments {
                    slots.insert(*slot);
                    value.for_each_variable(&mut |slot| slots.extend([*slot]));
                }
            }
            Effect::Call { arguments, .. } if step.is_crossing() => {
                arguments
                    .iter()
                    .for_each(|(_, value)| value.for_each_variable(&mut |slot| slots.extend([*slot])));
            }
            _ => {}
        }
    }
    let mut slots: Vec<Var> = slots.into_iter().filter(|slot| (slot.0 as usize) < system.slots).collect();
    slots.sort_unstable();
    slots
}

/// The constraints that have to do with the slots, directly or by others.
fn connected<'c>(
    rows: impl Iterator<Item = &'c Constraint>,
    form: &LinearStep,
    slots: &[Var],
) -> Vec<Constraint> {
    let mut rows: Vec<&Constraint> = rows.filter(|row| !row.is_trivial()).collect();
    let mut wanted: FxHashSet<Var> = FxHashSet::default();
    for slot in slots {
        for side in [form.before(*slot), form.after(*slot)] {
            wanted.extend(side.terms().iter().map(|(variable, _)| *variable));
        }
    }
    let mut kept: Vec<Constraint> = Vec::new();
    loop {
        let before = kept.len();
        rows.retain(|row| {
            let takes = row.is_absurd() || row.variables().any(|variable| wanted.contains(&variable));
            if takes && !kept.contains(row) {
                wanted.extend(row.variables());
                kept.push((*row).clone());
            }
            !takes
        });
        if kept.len() == before {
            return kept;
        }
    }
}
