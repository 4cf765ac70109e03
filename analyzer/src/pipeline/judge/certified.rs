//! Evidence for files: which form a verdict's takes.

use kleene_ctl::{AtomId, CellId, Formula, Quantifier, SubformulaId, Truth};

use super::{Case, translated};
use crate::concrete::{Interpreter, Status};
use crate::evidence::certificate::{Body, Run};
use crate::pipeline::cause;
use crate::pipeline::certificate::{self, Ledger};
use crate::pipeline::witness::{self, Ending};
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
            Some(Traced { run, end, open, .. }) if !run.inputs.is_empty() => {
                match self.ledger().ends(end, open) {
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
                let Some(state) = witness::initial_state(&interpreter, point) else { continue };
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
        Some(Traced { run: certificate::run(states, drawn, cycle), end: walker.cell(), open, whole })
    }
}
