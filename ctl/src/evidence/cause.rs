//! The search for what makes an answer Maybe.
//!
//! A breadth-first search over pairs of an undecided subformula and a cell: operands are looked at in the
//! same cell, successors one step later. It ends at the first pair that is undecided for a reason of its
//! own: a label, an edge, or a loop.

use super::{Cause, CauseKind};
use crate::bits::BitSet;
use crate::check::{Checked, Node, SubformulaId};
use crate::formula::Quantifier::{All, Exists};
use crate::kripke::{CellId, Model};
use crate::scc;
use crate::truth::Truth;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

type Pair = (SubformulaId, CellId);

pub(super) fn nearest(model: &Model, checked: &Checked, start: CellId) -> Cause {
    let mut search = Search {
        model,
        checked,
        parents: FxHashMap::default(),
        queue: VecDeque::new(),
        loops: FxHashMap::default(),
        passed_loop: None,
    };
    let root = (checked.root(), start);
    search.queue.push_back((root, root));
    let mut done: FxHashSet<Pair> = FxHashSet::default();
    while let Some((pair, parent)) = search.queue.pop_front() {
        if !done.insert(pair) {
            continue;
        }
        search.parents.insert(pair, parent);
        if let Some(kind) = search.visit(pair) {
            return search.cause(pair, root, kind);
        }
    }
    // Every undecided answer has a reason on the way; a contradiction that was turned into Maybe has not.
    let at = search.passed_loop.unwrap_or(root);
    search.cause(at, root, CauseKind::Loop)
}

struct Search<'c> {
    model: &'c Model,
    checked: &'c Checked,
    parents: FxHashMap<Pair, Pair>,
    /// Pairs to visit with the pair they were found from; those of the same cell come first.
    queue: VecDeque<(Pair, Pair)>,
    loops: FxHashMap<SubformulaId, BitSet>,
    /// The nearest loop on the way to something that a run may reach: the cause if nothing else is.
    passed_loop: Option<Pair>,
}

/// How an undecided fixpoint would get this value: by a run that reaches something or by one that stays.
#[derive(Clone, Copy)]
enum Decision {
    Reach(Truth),
    Stay(Truth),
}

impl Search<'_> {
    fn truth(&self, sub: SubformulaId, cell: CellId) -> Truth {
        self.checked.truth_of(sub, cell)
    }

    fn visit(&mut self, pair: Pair) -> Option<CauseKind> {
        debug_assert!(self.truth(pair.0, pair.1) == Truth::Maybe, "the search keeps to undecided pairs");
        let decision = match self.checked.node(pair.0) {
            Node::Literal(_) => return None,
            Node::Atom(atom) => return Some(CauseKind::Label(atom)),
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) => {
                self.enqueue_operands(pair);
                return None;
            }
            Node::Next(Exists, _) => return self.visit_next(pair, Truth::True),
            Node::Next(All, _) => return self.visit_next(pair, Truth::False),
            Node::Future(Exists, _) | Node::Until(Exists, ..) => Decision::Reach(Truth::True),
            Node::Globally(All, _) | Node::Release(All, ..) | Node::WeakUntil(All, ..) => {
                Decision::Reach(Truth::False)
            }
            Node::Globally(Exists, _) | Node::Release(Exists, ..) | Node::WeakUntil(Exists, ..) => {
                Decision::Stay(Truth::True)
            }
            Node::Future(All, _) | Node::Until(All, ..) => Decision::Stay(Truth::False),
        };
        self.visit_fixpoint(pair, decision)
    }

    /// Undecided operands, in reading order before everything that is already waiting.
    fn enqueue_operands(&mut self, pair: Pair) -> bool {
        let operands = self.checked.operands(pair.0);
        let undecided: Vec<_> =
            operands.into_iter().filter(|sub| self.truth(*sub, pair.1) == Truth::Maybe).collect();
        undecided.iter().rev().for_each(|sub| self.queue.push_front(((*sub, pair.1), pair)));
        !undecided.is_empty()
    }

    fn enqueue_successors(&mut self, sub: SubformulaId, pair: Pair) -> bool {
        let mut any = false;
        for to in self.model.may_successors(pair.1) {
            if self.truth(sub, *to) == Truth::Maybe {
                self.queue.push_back(((sub, *to), pair));
                any = true;
            }
        }
        any
    }

    /// `EX f` is undecided because `f` is, or because the edge to where it is True is no must edge.
    fn visit_next(&mut self, pair: Pair, decisive: Truth) -> Option<CauseKind> {
        let operand = self.checked.operands(pair.0)[0];
        if self.enqueue_successors(operand, pair) {
            return None;
        }
        self.edge_to(pair.1, |to| self.truth(operand, to) == decisive)
    }

    fn edge_to(&self, from: CellId, wanted: impl Fn(CellId) -> bool) -> Option<CauseKind> {
        let to = self.model.may_successors(from).iter().copied().find(|to| wanted(*to))?;
        Some(CauseKind::Edge { to })
    }

    fn visit_fixpoint(&mut self, pair: Pair, decision: Decision) -> Option<CauseKind> {
        let (sub, cell) = pair;
        if self.enqueue_operands(pair) {
            self.enqueue_successors(sub, pair);
            return None;
        }
        // The cell itself is clear: the answer hangs on where its edges lead.
        let (Decision::Reach(decisive) | Decision::Stay(decisive)) = decision;
        let keeps_chance = self.has_must_edge(cell, |to| self.truth(sub, to) != decisive.not());
        let asks_for_loop = keeps_chance || matches!(decision, Decision::Stay(_));
        if asks_for_loop && self.in_loop(sub, cell) {
            if matches!(decision, Decision::Stay(_)) {
                return Some(CauseKind::Loop);
            }
            self.passed_loop.get_or_insert(pair);
        }
        if !keeps_chance {
            return self
                .edge_to(cell, |to| self.truth(sub, to) == decisive)
                .or_else(|| self.edge_to(cell, |to| self.truth(sub, to) == Truth::Maybe));
        }
        self.enqueue_successors(sub, pair);
        None
    }

    fn has_must_edge(&self, cell: CellId, wanted: impl Fn(CellId) -> bool) -> bool {
        let all_may = std::iter::once(self.model.may_successors(cell));
        self.model.must_edges(cell).chain(all_may).any(|targets| targets.iter().all(|to| wanted(*to)))
    }

    /// The cell lies on a cycle of cells in which the subformula is undecided and its operands are not.
    fn in_loop(&mut self, sub: SubformulaId, cell: CellId) -> bool {
        let (model, checked) = (self.model, self.checked);
        let looping = self.loops.entry(sub).or_insert_with(|| {
            let mut clear = checked.may_hold(sub).difference(checked.must_hold(sub));
            for operand in checked.operands(sub) {
                clear = clear.difference(&checked.may_hold(operand).difference(checked.must_hold(operand)));
            }
            let mut looping = BitSet::empty(model.cells());
            for component in scc::components(&clear, |cell| model.may_successors(cell)) {
                if scc::can_stay(&component, |cell| model.may_successors(cell)) {
                    component.iter().for_each(|cell| looping.insert(cell.index()));
                }
            }
            looping
        });
        looping.contains(cell.index())
    }

    fn cause(&self, pair: Pair, root: Pair, kind: CauseKind) -> Cause {
        let mut path = vec![pair.1];
        let mut at = pair;
        while at != root {
            let before = self.parents[&at];
            // Operands share their cell with their operator; a fixpoint's successor is a step, even to itself.
            if before.0 == at.0 || before.1 != at.1 {
                path.push(before.1);
            }
            at = before;
        }
        path.reverse();
        Cause { cell: pair.1, kind, subformula: pair.0, path }
    }
}
