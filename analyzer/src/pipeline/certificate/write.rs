//! Cells, edges and rankings as the file has them.

use std::collections::{BTreeMap, BTreeSet};

use kleene_ctl::CellId;
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::{ConstraintKind, Relation as _};
use kleene_domains::{Bound, Constraint, Int, Interval, LinearExpr, Value, Var};
use rustc_hash::FxHashMap;

use super::draws::draws;
use super::{Ledger, Reason};
use crate::evidence::certificate::{
    At, Calls, Cell, Claims, Comparison, Congruence, Context, Held, Linear, Loop, Model, Must, Number,
    Offset, Piece, Ranking, Relation, Sign, Values,
};
use crate::interpret::State;
use crate::interpret::context::{ContextId, ContextKind, Point};
use crate::interpret::offsets;
use crate::model::progress::Transitions;
use crate::verify::shape::{Claim, Shape};

pub struct Writer<'w, 'l, 'p> {
    ledger: &'w Ledger<'l, 'p>,
    numbers: FxHashMap<CellId, usize>,
    order: Vec<CellId>,
}

impl<'w, 'l, 'p> Writer<'w, 'l, 'p> {
    pub fn new(ledger: &'w Ledger<'l, 'p>) -> Self {
        let claimed = ledger.claims.values().flat_map(|cells| cells.keys().copied());
        let cells: BTreeSet<CellId> = claimed.chain(ledger.mentioned.iter().copied()).collect();
        let order: Vec<CellId> = cells.into_iter().collect();
        let numbers = order.iter().enumerate().map(|(number, cell)| (*cell, number)).collect();
        Self { ledger, numbers, order }
    }

    pub fn number(&self, cell: CellId) -> usize {
        self.numbers[&cell]
    }

    /// `None` if a claim was lost on the way.
    pub fn model(&self) -> Option<Model> {
        if self.ledger.lost {
            return None;
        }
        let contexts = self.contexts();
        let mut cells: Vec<Cell> = self.order.iter().map(|cell| self.cell(*cell, &contexts)).collect();
        let (mut claims, mut loops) = (Vec::new(), Vec::new());
        for (claim, held) in self.ledger.claims.iter().filter(|(_, held)| !held.is_empty()) {
            let least = matches!(self.ledger.nodes.shape(*claim), Shape::Least { .. });
            let (ranks, around) = if least { self.ledger.ranks(held) } else { Default::default() };
            for (rank, inside) in around {
                loops.push(self.left(claims.len(), rank, &inside, held)?);
            }
            claims.push(self.claims(*claim, held, &ranks, &mut cells));
        }
        let contexts: Vec<Context> =
            contexts.keys().map(|context| self.context(*context, &contexts)).collect();
        let summaries = contexts.iter().any(|context| matches!(context, Context::Summary { .. }));
        let offsets = if summaries { self.offsets() } else { Vec::new() };
        Some(Model { contexts, offsets, cells, initial: Vec::new(), start: None, end: None, claims, loops })
    }

    fn claims(
        &self,
        claim: Claim,
        held: &BTreeMap<CellId, Reason>,
        ranks: &FxHashMap<CellId, usize>,
        cells: &mut [Cell],
    ) -> Claims {
        let mut written = Vec::new();
        for (cell, reason) in held {
            let number = self.number(*cell);
            let must = reason.must.as_ref().map(|targets| {
                let to: Vec<usize> = targets.iter().map(|to| self.number(*to)).collect();
                let known = cells[number].must.iter().position(|must| must.to == to);
                known.unwrap_or_else(|| {
                    let draws = draws(self.ledger.exploration, *cell, targets);
                    cells[number].must.push(Must { to, draws });
                    cells[number].must.len() - 1
                })
            });
            if must.is_none() && !reason.targets.is_empty() {
                cells[number].may = Some(reason.targets.iter().map(|to| self.number(*to)).collect());
            }
            let rank = ranks.get(cell).copied().unwrap_or(0);
            written.push(Held { cell: number, rank, must });
        }
        Claims { formula: claim.node, value: claim.value, cells: written }
    }

    fn contexts(&self) -> BTreeMap<ContextId, usize> {
        let known = &self.ledger.exploration.transfer.contexts;
        let mut all = BTreeSet::from([crate::interpret::context::Contexts::ROOT]);
        for cell in &self.order {
            let mut own = known.node(self.ledger.exploration.cells[cell.index()].node).context;
            while all.insert(own)
                && let ContextKind::Exact { caller, .. } = known.get(own).kind
            {
                own = caller;
            }
        }
        all.into_iter().enumerate().map(|(number, context)| (context, number)).collect()
    }

    fn context(&self, context: ContextId, numbers: &BTreeMap<ContextId, usize>) -> Context {
        let transfer = &self.ledger.exploration.transfer;
        let known = transfer.contexts.get(context);
        match known.kind {
            ContextKind::Root => Context::Root,
            ContextKind::Exact { caller, edge } => {
                Context::Call { caller: numbers[&caller], edge: edge.index() }
            }
            ContextKind::Summary => {
                Context::Summary { function: transfer.scope.program.function(known.function).name.clone() }
            }
        }
    }

    fn offsets(&self) -> Vec<Offset> {
        let transfer = &self.ledger.exploration.transfer;
        let offset = |offset: &offsets::Offset| Offset {
            function: transfer.scope.program.function(offset.function).name.clone(),
            slot: offset.slot,
            by: Number(offset.by.clone()),
            at: offset.at.iter().map(|(at, by)| (at.index(), Number(by.clone()))).collect(),
        };
        transfer.offsets().all(transfer.scope.program).iter().map(offset).collect()
    }

    fn cell(&self, cell: CellId, contexts: &BTreeMap<ContextId, usize>) -> Cell {
        let exploration = self.ledger.exploration;
        let known = &exploration.cells[cell.index()];
        let node = exploration.transfer.contexts.node(known.node);
        let at = match node.point {
            Point::At(location) => At::Location(location.index()),
            Point::Stopped => At::Stopped,
            Point::Failed(kind) => At::Failed(kind.name().into()),
            Point::Discarded => At::Discarded,
            Point::Stuck => At::Stuck,
        };
        let slots = (0..known.state.dimensions() as u32).map(Var);
        let values = slots.filter_map(|slot| values(slot, &known.state.get(slot))).collect();
        let context = contexts[&node.context];
        let facts = known.state.facts().iter().filter_map(Comparison::of).collect();
        let relations = relations(&known.state);
        Cell { context, at, values, relations, facts, may: None, must: Vec::new() }
    }

    /// The rankings of a loop; `None` if nobody has any.
    fn left(
        &self,
        claims: usize,
        rank: usize,
        inside: &[CellId],
        held: &BTreeMap<CellId, Reason>,
    ) -> Option<Loop> {
        let strategy: Vec<(CellId, Vec<CellId>)> =
            inside.iter().map(|cell| (*cell, held[cell].targets.clone())).collect();
        let proof = self.ledger.ranking.proof(self.ledger.model, &strategy)?;
        let calls = match proof.transitions {
            Transitions::Steps => Calls::WithReturns,
            Transitions::CallsApart => Calls::Apart,
        };
        let rankings = proof.removals.iter().map(|removal| Ranking {
            phases: removal.phases.iter().map(|forms| self.pieces(forms)).collect(),
        });
        Some(Loop { claims, rank, calls, rankings: rankings.collect() })
    }

    /// Cells with the same form together.
    fn pieces(&self, forms: &BTreeMap<CellId, LinearExpr>) -> Vec<Piece> {
        let mut pieces: Vec<(&LinearExpr, Vec<usize>)> = Vec::new();
        for (cell, form) in forms {
            let number = self.number(*cell);
            match pieces.iter_mut().find(|(known, _)| *known == form) {
                Some((_, cells)) => cells.push(number),
                None => pieces.push((form, vec![number])),
            }
        }
        pieces.into_iter().map(|(form, cells)| Piece { cells, form: linear(form, |slot| slot) }).collect()
    }
}

fn values(slot: Var, value: &Value) -> Option<Values> {
    if value.is_top() {
        return None;
    }
    let bound = |bound: &Bound| bound.finite().cloned().map(Number);
    let parts = value.parts().iter().map(|part| (bound(part.low()), bound(part.high()))).collect();
    let congruence = value.congruence();
    let congruence = (!congruence.is_top() && value.as_constant().is_none()).then(|| Congruence {
        modulus: Number(congruence.modulus().clone()),
        residue: Number(congruence.residue().clone()),
    });
    Some(Values { slot: slot.0, parts, congruence })
}

pub(super) fn linear(form: &LinearExpr, slot: impl Fn(Var) -> Var) -> Linear {
    let terms = form.terms().iter().map(|(var, factor)| (slot(*var).0, Number(factor.clone())));
    Linear { terms: terms.collect(), constant: Number(form.offset().clone()) }
}

/// What the box of a state does not say.
fn relations(state: &State) -> Vec<Relation> {
    let mut found = Vec::new();
    for (variables, relation) in state.relations() {
        let slot = |var: Var| variables[var.0 as usize];
        for constraint in relation.constraints() {
            if is_boxed(state, &constraint, &slot) {
                continue;
            }
            let is = match constraint.kind() {
                ConstraintKind::Zero => Sign::Zero,
                ConstraintKind::AtLeastZero => Sign::AtLeastZero,
            };
            found.push(Relation { is, form: linear(constraint.form(), slot) });
        }
    }
    found
}

/// The box says it too.
fn is_boxed(state: &State, constraint: &Constraint, slot: &impl Fn(Var) -> Var) -> bool {
    let start = Interval::constant(constraint.form().offset().clone());
    let values = constraint.form().terms().iter().fold(start, |sum, (var, factor)| {
        let own = state.get(slot(*var)).hull().unwrap_or_else(Interval::top);
        sum.add(&own.mul(&Interval::constant(factor.clone())))
    });
    match constraint.kind() {
        ConstraintKind::Zero => values.as_constant() == Some(&Int::ZERO),
        ConstraintKind::AtLeastZero => *values.low() >= Bound::Finite(Int::ZERO),
    }
}
