//! The steps of a cell, command by command: what each does to a linear expression.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use kleene_ctl::CellId;
use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Int, LinearExpr, Value, Var};
use rustc_hash::FxHashSet;

use super::forms::LinearStep;
use crate::interpret::State;
use crate::interpret::compile::{Command, Edge, Effect, Source};
use crate::interpret::context::{ContextId, ContextKind, Point};
use crate::interpret::explore::Exploration;
use crate::ir;

/// A guarded command of a cell, with the state in which its guard holds.
#[derive(Clone)]
pub struct StepFacts {
    context: ContextId,
    before: State,
    guarded: State,
    command: Rc<Command>,
    edge: Option<usize>,
    stored: Stored,
    globals: Range<u32>,
    crossing: Crossing,
    forms: OnceCell<Vec<LinearStep>>,
}

/// Which part of a call a step is, where calls are looked at apart from their returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// As the command says: frames of the callers stay below that of the callee.
    AsWritten,
    /// Into the callee, whose frame replaces the caller's from a slot on.
    Into { base: u32, dimensions: u32 },
    /// From before the call to behind it.
    Over,
}

/// Where a return puts its result.
#[derive(Clone)]
enum Stored {
    Slots(Vec<Var>),
    /// Some caller stores it into a global.
    Anywhere,
}

/// `None` for a cell that runs never leave.
pub fn steps_of(exploration: &Exploration<'_>, cell: CellId) -> Option<Vec<Rc<StepFacts>>> {
    let before = exploration.cells.get(cell.index())?;
    if exploration.transfer.is_terminal(before.node) {
        return None;
    }
    let command = exploration.transfer.known_command(before.node)?;
    let context = exploration.transfer.contexts.node(before.node).context;
    let stored = stored_by_return(exploration, context);
    let facts = |guarded: State, edge: Option<usize>| {
        let (command, stored) = (command.clone(), stored.clone());
        Rc::new(StepFacts {
            context,
            before: before.state.clone(),
            guarded,
            command,
            edge,
            stored,
            globals: 0..exploration.transfer.scope.layout.global_slots,
            crossing: Crossing::AsWritten,
            forms: OnceCell::new(),
        })
    };
    if command.edges.is_empty() {
        return Some(vec![facts(before.state.clone(), None)]);
    }
    let enabled = exploration.transfer.enabled_in_few(&command, &before.state);
    let enabled = enabled.into_iter().filter(|enabled| enabled.edge.is_some());
    Some(enabled.map(|enabled| facts(enabled.state, enabled.edge)).collect())
}

impl StepFacts {
    /// Whether the command can arrive in a cell, as far as their places say.
    pub fn leads_to(&self, exploration: &Exploration<'_>, to: CellId) -> bool {
        let Some(edge) = self.edge() else { return true };
        let Some(to) = exploration.cells.get(to.index()) else { return true };
        let node = exploration.transfer.contexts.node(to.node);
        match &edge.effect {
            Effect::Assign(_) => node.context == self.context && node.point == Point::At(edge.target),
            Effect::Call { function, .. } => {
                exploration.transfer.contexts.get(node.context).function == *function
            }
            Effect::Return(_) => true,
            Effect::Fail(_) | Effect::Discard | Effect::Stop => false,
        }
    }
}

fn stored_by_return(exploration: &Exploration<'_>, context: ContextId) -> Stored {
    let transfer = &exploration.transfer;
    match transfer.contexts.get(context).kind {
        ContextKind::Root => Stored::Slots(Vec::new()),
        ContextKind::Exact { .. } => {
            exploration.transfer.stored_by_return(context).map_or(Stored::Anywhere, Stored::Slots)
        }
        // Ranks over summaries speak of globals only.
        ContextKind::Summary => {
            let mut edges = transfer.scope.program.functions.iter().flat_map(|f| f.graph.edge_weights());
            let global = edges.any(|edge| match &edge.effect {
                ir::Effect::Call { result: Some(place), .. } => {
                    matches!(place.variable, ir::VariableId::Global(_))
                }
                _ => false,
            });
            if global { Stored::Anywhere } else { Stored::Slots(Vec::new()) }
        }
    }
}

impl StepFacts {
    /// The same step as a part of a call.
    pub fn crossing(&self, crossing: Crossing) -> Self {
        Self { crossing, forms: OnceCell::new(), ..self.clone() }
    }

    pub fn is_crossing(&self) -> bool {
        self.crossing != Crossing::AsWritten
    }

    pub fn edge(&self) -> Option<&Edge> {
        self.edge.map(|edge| &self.command.edges[edge])
    }

    pub fn context(&self) -> ContextId {
        self.context
    }

    /// Slots whose values are drawn.
    pub fn drawn(&self) -> impl Iterator<Item = Var> {
        self.command.drawn()
    }

    /// The step as linear constraints, one set per case of its guard.
    pub fn forms(&self) -> &[LinearStep] {
        self.forms.get_or_init(|| {
            let always = [Cond::Literal(true)];
            let cases = self.edge().map_or(always.as_slice(), |edge| edge.cases());
            let steps = cases.iter().filter_map(|case| LinearStep::new(&self.guarded, case));
            steps.map(|step| self.with_effect(step)).collect()
        })
    }

    fn with_effect(&self, mut step: LinearStep) -> LinearStep {
        for slot in self.drawn() {
            step.drawn(slot, &self.before.get(slot));
        }
        let mut seen = FxHashSet::default();
        let each_once = self.drawn().all(|slot| seen.insert(slot));
        for (at, input) in self.command.inputs.iter().enumerate().filter(|_| each_once) {
            let from_here = self.command.inputs[at..].iter();
            let yet_to_draw: Vec<Var> =
                from_here.flat_map(|input| &input.targets).map(|(slot, _)| *slot).collect();
            if let (Source::Range(low, high), [(slot, _)]) = (&input.source, input.targets.as_slice()) {
                step.ranged(&self.guarded, *slot, [low, high], &yet_to_draw);
            }
        }
        match self.edge().map(|edge| &edge.effect) {
            Some(Effect::Assign(assignments)) => {
                for (slot, value) in assignments {
                    step.assigned(&self.guarded, *slot, value);
                }
            }
            Some(Effect::Call { arguments, result, .. }) => match self.crossing {
                Crossing::AsWritten => {}
                Crossing::Into { base, dimensions } => {
                    (base..dimensions).for_each(|slot| step.overwritten(Var(slot)));
                    for (slot, value) in arguments {
                        step.assigned(&self.guarded, Var(base + slot.0), value);
                    }
                }
                Crossing::Over => {
                    self.globals
                        .clone()
                        .map(Var)
                        .chain(result.iter().copied())
                        .for_each(|slot| step.overwritten(slot));
                }
            },
            Some(Effect::Return(_)) | None => match &self.stored {
                Stored::Slots(slots) => slots.iter().for_each(|slot| step.overwritten(*slot)),
                Stored::Anywhere => {
                    let all = (0..self.guarded.dimensions() as u32).map(Var);
                    all.for_each(|slot| step.overwritten(slot));
                }
            },
            Some(_) => {}
        }
        step
    }

    /// An upper bound of how much the step adds to the expression.
    pub fn change(&self, rank: &LinearExpr) -> Bound {
        if let (Some(Effect::Call { arguments, result, .. }), true) =
            (self.edge().map(|edge| &edge.effect), self.is_crossing())
        {
            return self.change_by_call(rank, arguments, result);
        }
        let mut total = Value::constant(0);
        for input in &self.command.inputs {
            for (slot, _) in &input.targets {
                let factor = rank.factor(*slot);
                if !factor.is_zero() {
                    let change = self.guarded.get(*slot).sub(&self.before.get(*slot));
                    total = total.add(&change.mul(&Value::constant(factor)));
                }
            }
        }
        match self.edge().map(|edge| &edge.effect) {
            Some(Effect::Assign(assignments)) => {
                for (slot, value) in assignments {
                    let factor = rank.factor(*slot);
                    if !factor.is_zero() {
                        let change = difference(&self.guarded, *slot, value);
                        total = total.add(&change.mul(&Value::constant(factor)));
                    }
                }
            }
            Some(Effect::Return(_)) | None => {
                let changed = match &self.stored {
                    Stored::Slots(slots) => slots.iter().any(|slot| !rank.factor(*slot).is_zero()),
                    Stored::Anywhere => true,
                };
                if changed {
                    return Bound::PosInfinity;
                }
            }
            Some(_) => {}
        }
        total.high()
    }

    fn change_by_call(&self, rank: &LinearExpr, arguments: &[(Var, Expr)], result: &[Var]) -> Bound {
        let mentions = |slot: Var| !rank.factor(slot).is_zero();
        if self.drawn().any(mentions) {
            return Bound::PosInfinity;
        }
        let base = match self.crossing {
            Crossing::Into { base, .. } => base,
            _ => {
                let lost = self.globals.clone().map(Var).chain(result.iter().copied()).any(mentions);
                return if lost { Bound::PosInfinity } else { Bound::Finite(Int::ZERO) };
            }
        };
        let after = rank.try_replaced(|slot| match slot.0 < base {
            true => Some(LinearExpr::variable(slot)),
            false => {
                let (_, value) = arguments.iter().find(|(parameter, _)| base + parameter.0 == slot.0)?;
                LinearExpr::of(value)
            }
        });
        let Some(after) = after else { return Bound::PosInfinity };
        self.guarded.value(&after.minus(rank).to_expr()).high()
    }

    /// Whether the expression is bounded below where the step starts.
    pub fn bounds(&self, rank: &LinearExpr) -> bool {
        // What is known behind an input says nothing of the value before it.
        if self.drawn().any(|slot| !rank.factor(slot).is_zero()) {
            return false;
        }
        if matches!(self.guarded.value(&rank.to_expr()).low(), Bound::Finite(_)) {
            return true;
        }
        self.edge().is_some_and(|edge| bounded_by(&edge.guard, rank))
    }
}

/// Whether a condition alone bounds the expression from below.
fn bounded_by(cond: &Cond, rank: &LinearExpr) -> bool {
    match cond {
        Cond::And(left, right) => bounded_by(left, rank) || bounded_by(right, rank),
        Cond::Compare(op, left, right) => {
            let (Some(left), Some(right)) = (LinearExpr::of(left), LinearExpr::of(right)) else {
                return false;
            };
            let difference = left.minus(&right).without_offset();
            match op {
                CompareOp::Greater | CompareOp::GreaterEqual => difference == *rank,
                CompareOp::Less | CompareOp::LessEqual => difference.scaled(&Int::MINUS_ONE) == *rank,
                CompareOp::Equal => difference == *rank || difference.scaled(&Int::MINUS_ONE) == *rank,
                CompareOp::NotEqual => false,
            }
        }
        Cond::Not(inner) => match &**inner {
            Cond::Compare(op, left, right) => {
                bounded_by(&Cond::Compare(op.negated(), left.clone(), right.clone()), rank)
            }
            Cond::Or(left, right) => {
                let negated = |side: &Cond| side.clone().negated();
                bounded_by(&negated(left), rank) || bounded_by(&negated(right), rank)
            }
            _ => false,
        },
        Cond::Literal(_) | Cond::Or(..) => false,
    }
}

/// The values of `value - slot`.
fn difference(state: &State, slot: Var, value: &Expr) -> Value {
    match value {
        Expr::IfThenElse(cond, yes, no) => {
            let mut holds = state.clone();
            holds.assume(cond);
            let mut fails = state.clone();
            fails.assume(&(**cond).clone().negated());
            let side = |state: &State, value: &Expr| {
                if state.is_bottom() { Value::bottom() } else { difference(state, slot, value) }
            };
            side(&holds, yes).join(&side(&fails, no))
        }
        Expr::Wrap(ty, inner) => {
            let unwrapped = state.value(inner);
            if unwrapped.leq(&Value::from_interval(ty.range())) {
                return difference(state, slot, inner);
            }
            state.value(value).sub(&state.get(slot))
        }
        _ => match (shrinks(state, slot, value), LinearExpr::of(value)) {
            (Some(change), _) => change,
            (None, Some(linear)) => state.value(&linear.minus(&LinearExpr::variable(slot)).to_expr()),
            (None, None) => state.value(value).sub(&state.get(slot)),
        },
    }
}

/// `v / c` with c ≥ 2 and `v >> c` with c ≥ 1 are nearer to 0 than a positive v.
fn shrinks(state: &State, slot: Var, value: &Expr) -> Option<Value> {
    let Expr::Binary(op @ (BinaryOp::Div | BinaryOp::ShiftRight), left, right) = value else { return None };
    let (Expr::Variable(of), Expr::Constant(by)) = (&**left, &**right) else { return None };
    let least = if *op == BinaryOp::Div { 2 } else { 1 };
    if *of != slot || *by < Int::from(least) {
        return None;
    }
    let most = match state.get(slot).low() {
        Bound::Finite(low) if low >= Int::ONE => -1,
        Bound::Finite(low) if low >= Int::ZERO => 0,
        _ => return None,
    };
    Some(Value::from_interval(kleene_domains::Interval::at_most(Int::from(most))))
}
