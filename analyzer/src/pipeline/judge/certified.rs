//! Evidence for files: which form a verdict's takes.

use kleene_ctl::{AtomId, CellId, Formula, Quantifier, SubformulaId, Truth};

use super::super::witness;
use super::{Case, translated};
use crate::concrete::{Interpreter, State, Status};
use crate::evidence::certificate::{Body, Run};
use crate::interpret::context::{ContextKind, Point};
use crate::interpret::explore::{CellIndex, Exploration};
use crate::pipeline::cause;
use crate::pipeline::certificate::{self, Ledger};
use crate::pipeline::trail;
use crate::pipeline::witness::Ending;
use crate::property::{Leaf, is_set};

/// Initial cells from which a run is tried.
const MOST_STARTS: usize = 8;
/// Ways to draw inputs, and steps of each run, in the search for one that keeps the assumptions.
const MOST_ROUNDS: u32 = 32;
const MOST_STEPS: u32 = 300;

/// A run, and what is left to show at its end.
struct Traced {
    run: Run,
    end: CellId,
    open: Option<(SubformulaId, bool)>,
    /// Cells in which calls were made that have not returned at its end.
    callers: Vec<CellId>,
    /// Nothing is left, not even that the assumptions are kept.
    whole: bool,
}

impl Case<'_, '_> {
    pub(super) fn certified(&self, verdict: bool) -> Body {
        if verdict {
            let model = self.ledger().holds();
            let known = model.as_ref().is_some_and(|model| model.start.is_some());
            let run = if known { self.existential_run() } else { self.live_run() };
            return Body { run, model };
        }
        match self.traced() {
            Some(Traced { run, whole: true, .. }) => Body { run: Some(run), model: None },
            Some(Traced { run, end, open, callers, .. }) if !run.inputs.is_empty() => {
                match self.ledger().ends(end, open, &callers) {
                    Some(model) => Body { run: Some(run), model: Some(model) },
                    None => Body { run: None, model: self.ledger().fails() },
                }
            }
            _ => Body { run: None, model: self.ledger().fails() },
        }
    }

    fn ledger(&self) -> Ledger<'_, '_> {
        let (formula, live) = self.formulas();
        Ledger::new(self.exploration, &self.labelled.model, &self.ranking, formula, live)
    }

    /// As they were checked: the atoms are known by now.
    fn formulas(&self) -> (Formula<AtomId>, Option<Formula<AtomId>>) {
        let mut predicates = self.predicates.clone();
        let formula = predicates.compress(&translated(self.prepared, &self.prepared.question.formula));
        let live = self.prepared.discards();
        let live = live.then(|| predicates.compress(&kleene_ctl::live(is_set(Leaf::Discarded))));
        (formula, live)
    }

    /// Shows one of the runs an existential formula promises.
    fn existential_run(&self) -> Option<Run> {
        if super::quantifier(&self.prepared.question.formula) != Some(Quantifier::Exists) {
            return None;
        }
        let mut starts = self.exploration.initial.iter().take(MOST_STARTS);
        starts.find_map(|(cell, start)| {
            let traced = self.trace(CellId(cell.0), start.witness.as_ref()?, true)?;
            traced.whole.then_some(traced.run)
        })
    }

    /// A run that is never discarded: one that ends or comes round, on low, high and mixed inputs.
    fn live_run(&self) -> Option<Run> {
        let interpreter = Interpreter::new(&self.prepared.program);
        for round in 0..MOST_ROUNDS {
            for (_, start) in self.exploration.initial.iter().take(MOST_STARTS) {
                let Some(point) = &start.witness else { continue };
                let Some(state) = trail::initial_state(&interpreter, point) else { continue };
                let (mut states, mut drawn) = (vec![state], Vec::new());
                for step in 0..MOST_STEPS {
                    let last = &states[states.len() - 1];
                    let cycle = states.iter().position(|state| state == last);
                    let cycle = cycle.filter(|at| *at + 1 < states.len());
                    match last.status {
                        Status::Discarded => break,
                        Status::Running if cycle.is_none() => {}
                        _ => return Some(certificate::run(&states, &drawn, cycle)),
                    }
                    let mut values = Vec::new();
                    let next = interpreter.step(last, &mut |choice| {
                        values.push(cause::pick(choice, round, step));
                        values.last().cloned()
                    });
                    let Ok(next) = next else { break };
                    states.push(next);
                    drawn.push(values);
                }
            }
        }
        None
    }

    /// The shortest run that shows the formula false, whole runs first.
    fn traced(&self) -> Option<Traced> {
        let failing = self.exploration.initial.iter().filter(|(cell, _)| {
            let cell = CellId(cell.0);
            self.live(cell) == Truth::True && self.checked.truth(cell) == Truth::False
        });
        let traces = failing
            .take(MOST_STARTS)
            .filter_map(|(cell, start)| self.trace(CellId(cell.0), start.witness.as_ref()?, false));
        traces.min_by_key(|traced| (!traced.whole, traced.run.inputs.len()))
    }

    fn trace(&self, cell: CellId, point: &[kleene_domains::Int], wanted: bool) -> Option<Traced> {
        let interpreter = Interpreter::new(&self.prepared.program);
        let (walker, ending) = self.followed(&interpreter, cell, point, wanted, true)?;
        // A run that could still be discarded needs a word on that.
        let settled = walker.state().status != Status::Running || ending == Ending::Lasso;
        let whole = ending != Ending::Proof && (settled || !self.prepared.discards());
        let (states, drawn, cycle) = walker.trace();
        let open = walker.open.filter(|_| ending == Ending::Proof);
        let callers = if whole { Vec::new() } else { self.pending_callers(&interpreter, states) };
        let run = certificate::run(states, drawn, cycle);
        Some(Traced { run, end: walker.cell(), open, callers, whole })
    }

    /// The callers of summaries that hold the states in which the pending calls of a run were made.
    fn pending_callers(&self, interpreter: &Interpreter<'_>, states: &[State]) -> Vec<CellId> {
        let callers = self.summary_callers();
        let mut found = Vec::new();
        let mut depth = states.last().map_or(0, |state| state.frames.len());
        for state in states.iter().rev().filter(|_| !callers.is_empty()) {
            if state.frames.len() < depth {
                depth = state.frames.len();
                let holds = |cell: &&CellId| witness::covers(self.exploration, interpreter, **cell, state);
                found.extend(callers.iter().filter(holds));
            }
        }
        found
    }

    /// The cells that may call into summaries.
    fn summary_callers(&self) -> Vec<CellId> {
        let Exploration { transfer, cells, edges, .. } = self.exploration;
        let enters = |to: &CellIndex| {
            let node = transfer.contexts.node(cells[to.0 as usize].node);
            let context = transfer.contexts.get(node.context);
            let entry = transfer.scope.program.function(context.function).entry;
            context.kind == ContextKind::Summary && node.point == Point::At(entry)
        };
        let calls = |cell: &usize| edges[*cell].iter().any(|edges| edges.targets.iter().any(enters));
        (0..cells.len()).filter(calls).map(|cell| CellId(cell as u32)).collect()
    }
}
