//! Loops that are left.
//!
//! The transitions of a loop are cut down, ranking by ranking. With phases f_1 … f_n (a linear form per
//! cell) and Δ the decrease along a transition, every transition of a strongly connected component has to
//! satisfy Δf_1 ≥ 0, and Δf_i ≥ 0 or Δf_i + f_(i-1) ≥ 0. Steps with Δf_1 ≥ 1 and Δf_i + f_(i-1) ≥ 1 are
//! then taken finitely often where f_n has a lower bound: f_1 would fall for ever, so f_2 from some point
//! on, and so on to f_n. What is left of each transition are its other steps; in the end no cycle is.
//!
//! Where calls are looked at apart from their returns, an endless path steps over the calls that return and
//! goes into those that do not (`docs/evidence.md`).

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::cells::{sum, total};
use super::model::Model;
use super::shape::{Claim, Mode, Shape};
use super::steps::{Crossing, Step, Steps};
use super::{Checked, Doubt, wrong};
use crate::evidence::certificate::{Calls, Loop, Ranking};

/// Every lower bound that a program could mean lies above its negative.
fn far() -> Int {
    Int::from(2).pow(200)
}

/// A step between two cells of the loop, as far as it can still be taken for ever.
struct Transition<'s> {
    from: usize,
    to: usize,
    steps: &'s Steps,
    when: Vec<Cond>,
    after: &'s [Expr],
}

/// A cell of a loop, its successors there, and its steps.
type Inside = (usize, Vec<usize>, Steps);

/// The forms of a ranking, by cell.
type Forms = FxHashMap<usize, (Vec<(u32, Int)>, Int)>;

impl Model<'_> {
    /// No run stays in the cells of the loop for ever.
    pub(super) fn check_loop(&self, written: &Loop) -> Checked<()> {
        let claims = &self.written.claims[written.claims];
        let claim = Claim { node: claims.formula, value: claims.value };
        let Shape::Least { mode, goal, .. } = self.question.nodes.shape(claim) else {
            return wrong("a loop belongs to claims that need none");
        };
        let inside: Vec<_> = claims
            .cells
            .iter()
            .filter(|held| held.rank == written.rank && !self.all(&goal, held.cell))
            .collect();
        let is_inside: FxHashMap<usize, ()> = inside.iter().map(|held| (held.cell, ())).collect();
        let mut all: Vec<Inside> = Vec::new();
        for held in inside {
            let to = self.next(held, mode)?.iter().copied().filter(|to| is_inside.contains_key(to)).collect();
            let must = if mode == Mode::Some { held.must } else { None };
            all.push((held.cell, to, self.steps(held.cell, must)?));
        }
        let mut transitions = self.transitions(&all, written.calls);
        let mut doubt = None;
        for ranking in &written.rankings {
            let phases = self.forms(ranking)?;
            for component in components(&transitions, |_| true) {
                let knows =
                    |at: &usize| phases.iter().all(|forms| forms.contains_key(&transitions[*at].from));
                if !component.iter().all(knows) {
                    continue;
                }
                match self.cut(&mut transitions, &component, &phases) {
                    Ok(()) => {}
                    Err(Doubt::Open(reason)) => doubt = Some(Doubt::Open(reason)),
                    Err(reason) => doubt = doubt.or(Some(reason)),
                }
            }
            transitions.retain(|transition| self.is_possible(transition, &[]));
        }
        match components(&transitions, |_| true).first() {
            None => Ok(()),
            Some(cycle) => Err(doubt.unwrap_or_else(|| Doubt::Wrong("a cycle is left by no ranking".into())))
                .map_err(|doubt| {
                    doubt.of_cell(transitions[cycle[0]].from, "the loop is not shown to be left")
                }),
        }
    }

    fn transitions<'s>(&self, all: &'s [Inside], calls: Calls) -> Vec<Transition<'s>> {
        let whole: Vec<usize> = all.iter().map(|(cell, ..)| *cell).collect();
        let mut transitions = Vec::new();
        for (from, targets, steps) in all {
            let mut add = |step: &'s Step, targets: &[usize]| {
                let Some((context, at)) = &step.to else { return };
                for to in targets.iter().filter(|to| self.cells[**to].stands_at(*context, at)) {
                    let mut when = step.when.clone();
                    when.extend(self.cells[*to].facts.iter().map(|fact| fact.condition(&step.after)));
                    transitions.push(Transition { from: *from, to: *to, steps, when, after: &step.after });
                }
            };
            match calls {
                Calls::WithReturns => steps.list.iter().for_each(|step| add(step, targets)),
                Calls::Apart => {
                    let staying = steps.list.iter().filter(|step| step.crossing != Crossing::Leaves);
                    staying.for_each(|step| add(step, targets));
                    // Behind a call a run is wherever the callee's returns lead.
                    steps.over.iter().for_each(|step| add(step, &whole));
                }
            }
        }
        transitions.retain(|transition| self.is_possible(transition, &[]));
        transitions
    }

    fn forms(&self, ranking: &Ranking) -> Checked<Vec<Forms>> {
        let mut phases = Vec::new();
        for phase in &ranking.phases {
            let mut forms = Forms::default();
            for piece in phase {
                let (terms, constant) = sum(&piece.form);
                for cell in &piece.cells {
                    let slots = self.cells.get(*cell).map(|cell| self.slots.contexts[cell.context].slots());
                    let fits = |slots: usize| terms.iter().all(|(slot, _)| (*slot as usize) < slots);
                    if !slots.is_some_and(fits) {
                        return wrong("a ranking speaks of a slot or a cell that is not there");
                    }
                    forms.insert(*cell, (terms.clone(), constant.clone()));
                }
            }
            phases.push(forms);
        }
        if phases.is_empty() { wrong("a ranking has no phase") } else { Ok(phases) }
    }

    fn refutes(&self, transition: &Transition<'_>, more: &[Cond]) -> Checked<()> {
        let conds: Vec<Cond> = transition.when.iter().chain(more).cloned().collect();
        self.impossible(transition.from, &transition.steps.fresh, &conds)
    }

    fn is_possible(&self, transition: &Transition<'_>, more: &[Cond]) -> bool {
        self.refutes(transition, more).is_err()
    }

    /// Leaves of each transition of a component the steps that do not decrease.
    fn cut(&self, transitions: &mut [Transition<'_>], component: &[usize], phases: &[Forms]) -> Checked<()> {
        let mut decreasing = Vec::new();
        for at in component {
            let transition = &transitions[*at];
            let before = self.slots.contexts[self.cells[transition.from].context].before();
            let mut decreases = Cond::Literal(true);
            let mut previous: Option<Expr> = None;
            for forms in phases {
                let Some((terms, constant)) = forms.get(&transition.to) else {
                    return wrong("a ranking misses a cell");
                };
                let (own, base) = &forms[&transition.from];
                let value = total(own, base, &before);
                let fall =
                    Expr::binary(BinaryOp::Sub, value.clone(), total(terms, constant, transition.after));
                let with = |previous: &Expr| Expr::binary(BinaryOp::Add, fall.clone(), previous.clone());
                let mut rises = vec![compare(CompareOp::Less, &fall, Int::ZERO)];
                rises.extend(previous.as_ref().map(|f| compare(CompareOp::Less, &with(f), Int::ZERO)));
                self.refutes(transition, &rises)?;
                let falls = previous.as_ref().map_or_else(|| fall.clone(), with);
                decreases = decreases.and(compare(CompareOp::GreaterEqual, &falls, Int::ONE));
                previous = Some(value);
            }
            let last = previous.expect("a ranking has a phase");
            let low = compare(CompareOp::Less, &last, -far());
            let bounded = self.refutes(transition, std::slice::from_ref(&low)).is_ok();
            decreasing.push((*at, decreases, low, bounded));
        }
        // Falling for ever, a run would stay among unbounded transitions.
        let unbounded: Vec<usize> =
            decreasing.iter().filter(|(.., bounded)| !bounded).map(|(at, ..)| *at).collect();
        let staying: Vec<usize> =
            components(transitions, |at| unbounded.contains(&at)).into_iter().flatten().collect();
        for (at, decreases, low, _) in decreasing {
            let taken = if staying.contains(&at) { decreases.and(low.negated()) } else { decreases };
            transitions[at].when.push(taken.negated());
        }
        Ok(())
    }
}

fn compare(op: CompareOp, value: &Expr, with: Int) -> Cond {
    Cond::Compare(op, value.clone(), Expr::Constant(with))
}

/// The transitions inside each strongly connected component that has any.
fn components(transitions: &[Transition<'_>], counts: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), usize, u32>::default();
    let mut nodes: FxHashMap<usize, NodeIndex<u32>> = FxHashMap::default();
    for (at, transition) in transitions.iter().enumerate().filter(|(at, _)| counts(*at)) {
        let from = *nodes.entry(transition.from).or_insert_with(|| graph.add_node(()));
        let to = *nodes.entry(transition.to).or_insert_with(|| graph.add_node(()));
        graph.add_edge(from, to, at);
    }
    let mut number = vec![0; graph.node_count()];
    let parts = tarjan_scc(&graph);
    for (id, part) in parts.iter().enumerate() {
        part.iter().for_each(|node| number[node.index()] = id);
    }
    let mut inside = vec![Vec::new(); parts.len()];
    for edge in graph.raw_edges() {
        let id = number[edge.source().index()];
        if id == number[edge.target().index()] {
            inside[id].push(edge.weight);
        }
    }
    inside.retain(|part| !part.is_empty());
    inside
}
