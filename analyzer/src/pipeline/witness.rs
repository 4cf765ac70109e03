//! Concrete runs behind definite answers: the checker's strategy followed by the concrete interpreter.
//!
//! From a proven concrete initial state, every chosen must edge promises a step into one of its cells; the
//! interpreter takes it, input by input, until the formula's promise is kept. The run is then replayed from
//! its inputs alone before anybody sees it.

use kleene_ctl::{AtomId, CellId, Checked, Formula, Quantifier, SubformulaId};
use kleene_domains::numeric::NumericState;
use kleene_domains::{Int, Value, Var};
use rustc_hash::FxHashMap;

use super::shorten::{Trace, shorten};
use super::trail::{Trail, initial_state};
use crate::budget::Budget;
use crate::concrete::{Choice, Interpreter, State, Status};
use crate::evidence::Run;
use crate::interpret::compile::Source;
use crate::interpret::context::{ContextKind, Point};
use crate::interpret::explore::Exploration;
use crate::property::{Predicates, evaluate};

const MOST_STEPS: usize = 50_000;
/// A run that stays somewhere for ever and has not come back after so many steps is left to a proof.
const LONGEST_STAY: usize = 4_000;
/// Frames that are kept over all states of a run: endless recursion is given up early.
const MOST_FRAMES: usize = 400_000;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In a state whose atoms decide the rest of the formula.
    Fact,
    /// In a cycle.
    Lasso,
    /// In a state where a statement about all runs decides the rest.
    Proof,
    /// It could not be followed to its end.
    Lost,
}

pub struct Walker<'w, 'p> {
    exploration: &'w Exploration<'p>,
    interpreter: &'w Interpreter<'p>,
    checked: &'w Checked,
    predicates: &'w Predicates,
    cell: CellId,
    /// All states so far, with the inputs drawn between them.
    states: Vec<State>,
    drawn: Vec<Vec<Int>>,
    /// Frames of all states.
    frames: usize,
    cycle: Option<usize>,
    /// Runs are given up when it is used up.
    pub budget: Option<&'w Budget>,
    /// What a proof about all runs decides where the run ended.
    pub open: Option<(SubformulaId, bool)>,
    /// Stop where a proof has to take over, however far a run could go on.
    pub strict: bool,
    /// What holds along the run is more than its states show.
    pub relies_on_proof: bool,
}

impl<'w, 'p> Walker<'w, 'p> {
    /// Starts at a concrete point of an initial cell; `None` if the point is no initial state after all.
    pub fn start(
        exploration: &'w Exploration<'p>,
        interpreter: &'w Interpreter<'p>,
        checked: &'w Checked,
        predicates: &'w Predicates,
        cell: CellId,
        point: &[Int],
    ) -> Option<Self> {
        let state = initial_state(interpreter, point)?;
        let walker = Self {
            exploration,
            interpreter,
            checked,
            predicates,
            cell,
            states: vec![state],
            drawn: Vec::new(),
            frames: 0,
            cycle: None,
            budget: None,
            open: None,
            strict: false,
            relies_on_proof: false,
        };
        walker.covers(cell).then_some(walker)
    }

    fn is_over(&self) -> bool {
        let large = self.states.len() > MOST_STEPS || self.frames > MOST_FRAMES;
        large || self.budget.is_some_and(|budget| budget.tick().is_err())
    }

    pub fn state(&self) -> &State {
        self.states.last().expect("a run has a state")
    }

    /// Whether the current state belongs to the cell.
    fn covers(&self, cell: CellId) -> bool {
        covers(self.exploration, self.interpreter, cell, self.state())
    }

    /// All states with the inputs drawn between them, and where the last one is seen first.
    pub fn trace(&self) -> (&[State], &[Vec<Int>], Option<usize>) {
        (&self.states, &self.drawn, self.cycle)
    }

    /// The cell of the current state.
    pub fn cell(&self) -> CellId {
        self.cell
    }

    /// Follows the reasons why a subformula is true (or false) here.
    pub fn follow(&mut self, sub: SubformulaId, wanted: bool) -> Ending {
        let ending = self.follow_on(sub, wanted);
        if ending == Ending::Proof && self.open.is_none() {
            self.open = Some((sub, wanted));
        }
        ending
    }

    fn follow_on(&mut self, sub: SubformulaId, wanted: bool) -> Ending {
        let operands = self.checked.operands(sub);
        let truth = |walker: &Self, sub| walker.checked.truth_of(sub, walker.cell).to_bool();
        match self.checked.subformula(sub) {
            Formula::Literal(_) => Ending::Fact,
            Formula::Atom(atom) => self.confirm(atom, wanted),
            Formula::Not(_) => self.follow(operands[0], !wanted),
            Formula::And(..) | Formula::Or(..) | Formula::Implies(..) => {
                let flips =
                    |index: usize| matches!(self.checked.subformula(sub), Formula::Implies(..)) && index == 0;
                // One operand that is enough, if there is one.
                let enough = (0..2).find(|index| {
                    let side = truth(self, operands[*index]).map(|value| value != flips(*index));
                    let decides = match self.checked.subformula(sub) {
                        Formula::And(..) => !wanted,
                        _ => wanted,
                    };
                    decides && side == Some(wanted)
                });
                // Else both matter; a run can show one of them: the temporal one.
                let both = || {
                    let temporal =
                        |index: &usize| !self.checked.subformula(operands[*index]).is_propositional();
                    let mut candidates = (0..2).filter(temporal);
                    match (candidates.next(), candidates.next()) {
                        (Some(only), None) => Some(only),
                        _ => None,
                    }
                };
                match enough.or_else(both) {
                    Some(index) => {
                        let wanted = wanted != flips(index);
                        self.follow(operands[index], wanted)
                    }
                    None => Ending::Proof,
                }
            }
            Formula::Iff(..) => Ending::Proof,
            Formula::Next(quantifier, _) if existential(quantifier, wanted) => {
                let Some(targets) = self.checked.chosen_edge(sub, self.cell) else { return Ending::Lost };
                if !self.advance(&targets) {
                    return Ending::Lost;
                }
                self.follow(operands[0], wanted)
            }
            Formula::Future(quantifier, _)
            | Formula::Globally(quantifier, _)
            | Formula::Until(quantifier, ..)
            | Formula::Release(quantifier, ..)
            | Formula::WeakUntil(quantifier, ..)
                if existential(quantifier, wanted) =>
            {
                self.follow_fixpoint(sub, &operands, wanted)
            }
            _ => Ending::Proof,
        }
    }

    /// Takes chosen edges until there is none (the promise is kept here) or the run closes a cycle.
    fn follow_fixpoint(&mut self, sub: SubformulaId, operands: &[SubformulaId], wanted: bool) -> Ending {
        let stays = stays(&self.checked.subformula(sub), wanted);
        let (start, cell) = (self.states.len(), self.cell);
        let mut seen: FxHashMap<State, usize> = FxHashMap::default();
        while let Some(targets) = self.checked.chosen_edge(sub, self.cell) {
            if stays && self.states.len() - start >= LONGEST_STAY {
                self.states.truncate(start);
                self.drawn.truncate(start - 1);
                self.cell = cell;
                return Ending::Proof;
            }
            if !self.shows_what_holds_along(sub, operands, wanted) {
                self.relies_on_proof = true;
                if self.strict {
                    return Ending::Proof;
                }
            }
            if let Some(before) = seen.insert(self.state().clone(), self.states.len() - 1) {
                self.cycle = Some(before);
                return Ending::Lasso;
            }
            if self.is_over() || !self.advance(&targets) {
                return Ending::Lost;
            }
        }
        // What keeps the promise here: an operand with the wanted value.
        let fitting = operands
            .iter()
            .rev()
            .find(|operand| self.checked.truth_of(**operand, self.cell).to_bool() == Some(wanted));
        match fitting {
            Some(operand) => self.follow(*operand, wanted),
            None => Ending::Proof,
        }
    }

    /// What has to hold along a run (of the operator, up to where it arrives) is seen in the current state.
    fn shows_what_holds_along(&self, sub: SubformulaId, operands: &[SubformulaId], wanted: bool) -> bool {
        let along = match (self.checked.subformula(sub), wanted) {
            (Formula::Globally(..) | Formula::Until(..) | Formula::WeakUntil(..), true)
            | (Formula::Future(..) | Formula::Release(..), false) => operands[0],
            (Formula::Release(..), true) | (Formula::Until(..) | Formula::WeakUntil(..), false) => {
                operands[1]
            }
            _ => return true,
        };
        self.plainly(along) == Some(wanted)
    }

    /// The value of a subformula in the current state, as far as that alone shows it.
    fn plainly(&self, sub: SubformulaId) -> Option<bool> {
        let operands = self.checked.operands(sub);
        let side = |index: usize| self.plainly(operands[index]);
        let either = |left: Option<bool>, right: Option<bool>, enough: bool| match (left, right) {
            (Some(value), _) | (_, Some(value)) if value == enough => Some(enough),
            (Some(_), Some(_)) => Some(!enough),
            _ => None,
        };
        match self.checked.subformula(sub) {
            Formula::Literal(value) => Some(value),
            Formula::Atom(atom) => self.holds(atom),
            Formula::Not(_) => side(0).map(|value| !value),
            Formula::And(..) => either(side(0), side(1), false),
            Formula::Or(..) => either(side(0), side(1), true),
            Formula::Implies(..) => either(side(0).map(|value| !value), side(1), true),
            Formula::Iff(..) => Some(side(0)? == side(1)?),
            _ => None,
        }
    }

    fn holds(&self, atom: AtomId) -> Option<bool> {
        evaluate::holds(self.interpreter, self.state(), self.predicates.get(atom))
    }

    fn confirm(&self, atom: AtomId, wanted: bool) -> Ending {
        if self.holds(atom) == Some(wanted) { Ending::Fact } else { Ending::Lost }
    }

    /// One concrete step into one of the target cells.
    fn advance(&mut self, targets: &[CellId]) -> bool {
        let candidates = self.input_candidates();
        for inputs in candidates {
            let mut chosen = inputs.iter();
            let mut drawn = Vec::new();
            let next = self.interpreter.step(self.state(), &mut |choice: &Choice<'_>| {
                let value = match chosen.next() {
                    Some(Some(value)) => value.clone(),
                    _ => choice.nearest(&Int::ZERO),
                };
                drawn.push(value.clone());
                Some(value)
            });
            let Ok(next) = next else { continue };
            let arrived =
                targets.iter().find(|target| covers(self.exploration, self.interpreter, **target, &next));
            if let Some(target) = arrived {
                self.cell = *target;
                self.frames += next.frames.len();
                self.states.push(next);
                self.drawn.push(drawn);
                return true;
            }
        }
        false
    }

    /// Values worth drawing in the current state, one list per attempt; `None` leaves an input to chance.
    fn input_candidates(&self) -> Vec<Vec<Option<Int>>> {
        let none = vec![Vec::new()];
        let transfer = &self.exploration.transfer;
        let node = self.exploration.cells[self.cell.0 as usize].node;
        if self.state().status != Status::Running {
            return none;
        }
        let Some(command) = transfer.known_command(node) else { return none };
        if command.inputs.is_empty() {
            return none;
        }
        let Some(state) = self.point_state() else { return none };
        // Untracked slots are unconstrained in cells and constant here: harmless for choosing values.
        let drawn: Vec<Vec<Int>> = transfer
            .drawn
            .get(&node)
            .and_then(|states| states.get(&self.exploration.cells[self.cell.0 as usize].state))
            .cloned()
            .unwrap_or_default();
        let aims = transfer.aims.get(&node).cloned().unwrap_or_default();
        let (_, enabled) = transfer.enabled(&command, &state, &drawn, &aims);
        let mut lists: Vec<Vec<Option<Int>>> = Vec::new();
        for pick in [Pick::Witness, Pick::Low, Pick::High] {
            for enabled in &enabled {
                let values = command.inputs.iter().flat_map(|input| match input.source {
                    Source::Unknown | Source::Unseen | Source::Looked(..) => vec![None],
                    _ if input.targets.is_empty() => vec![None],
                    _ => input.targets.iter().map(|(slot, _)| pick.of(&enabled.state.get(*slot))).collect(),
                });
                let values: Vec<_> = values.collect();
                if !lists.contains(&values) {
                    lists.push(values);
                }
            }
        }
        lists
    }

    /// The current state as an abstract one, in the slots of the current cell's context.
    fn point_state(&self) -> Option<crate::interpret::State> {
        let cell = &self.exploration.cells[self.cell.0 as usize];
        let point = point_in_context(self.exploration, self.interpreter, self.cell, self.state())?;
        let mut state = crate::interpret::State::top(cell.state.dimensions());
        for (slot, value) in point.into_iter().enumerate() {
            state.set(Var(slot as u32), Value::constant(value));
        }
        Some(state)
    }

    /// Leaves out iterations without which a goal is reached too.
    pub fn shorten(&mut self, goal: &dyn Fn(&State) -> bool) {
        let (states, drawn) = (std::mem::take(&mut self.states), std::mem::take(&mut self.drawn));
        let Trace { states, drawn } = shorten(self.interpreter, Trace { states, drawn }, goal);
        (self.states, self.drawn) = (states, drawn);
    }

    fn trail(&self) -> Trail<'_, 'p> {
        Trail { interpreter: self.interpreter, states: &self.states, drawn: &self.drawn, cycle: self.cycle }
    }

    /// The run in the words of the source, after a replay from its inputs alone.
    pub fn run(&self, conclusion: String) -> Option<Run> {
        self.trail().run(conclusion, &|_| true)
    }

    /// The place the run has come to.
    pub fn place(&self) -> crate::source::Span {
        self.trail().place()
    }
}

#[derive(Clone, Copy)]
enum Pick {
    Witness,
    Low,
    High,
}

impl Pick {
    fn of(self, values: &Value) -> Option<Int> {
        match self {
            Self::Witness => values.witness(),
            Self::Low => values.low().finite().cloned(),
            Self::High => values.high().finite().cloned(),
        }
    }
}

/// Whether a run shows the formula by never leaving, not by arriving.
fn stays(formula: &Formula<AtomId>, wanted: bool) -> bool {
    match formula {
        Formula::Globally(..) | Formula::Release(..) | Formula::WeakUntil(..) => wanted,
        Formula::Future(..) | Formula::Until(..) => !wanted,
        _ => false,
    }
}

fn existential(quantifier: Quantifier, wanted: bool) -> bool {
    (quantifier == Quantifier::Exists) == wanted
}

/// The values of a concrete state in the slots of a cell's context, if it stands at the cell's node.
fn point_in_context(
    exploration: &Exploration<'_>,
    interpreter: &Interpreter<'_>,
    cell: CellId,
    state: &State,
) -> Option<Vec<Int>> {
    let contexts = &exploration.transfer.contexts;
    let node = contexts.node(exploration.cells.get(cell.0 as usize)?.node);
    let context = contexts.get(node.context);
    let innermost = state.frames.last()?;
    let stands = match (node.point, state.status) {
        (Point::At(location), Status::Running) => innermost.location == location,
        (Point::At(location), Status::Ended) => {
            state.frames.len() == 1
                && innermost.location == location
                && location == interpreter.program.function(innermost.function).exit
        }
        (Point::Stopped, Status::Ended) => true,
        (Point::Failed(kind), Status::Failed(failed)) => kind == failed,
        (Point::Discarded, Status::Discarded) => true,
        _ => false,
    };
    if !stands || innermost.function != context.function {
        return None;
    }
    let mut point = state.globals.to_vec();
    if context.kind == ContextKind::Summary {
        point.extend(innermost.locals.iter().cloned());
        return Some(point);
    }
    let mut own = node.context;
    for depth in (0..state.frames.len()).rev() {
        match contexts.get(own).kind {
            ContextKind::Root if depth == 0 => {}
            ContextKind::Exact { caller, edge } if depth > 0 => {
                if state.frames[depth - 1].pending != Some(edge) {
                    return None;
                }
                own = caller;
            }
            _ => return None,
        }
    }
    state.frames.iter().for_each(|frame| point.extend(frame.locals.iter().cloned()));
    Some(point)
}

pub fn covers(
    exploration: &Exploration<'_>,
    interpreter: &Interpreter<'_>,
    cell: CellId,
    state: &State,
) -> bool {
    point_in_context(exploration, interpreter, cell, state)
        .is_some_and(|point| exploration.cells[cell.0 as usize].state.contains(&point))
}
