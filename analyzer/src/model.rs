//! From stable cells to a Kripke structure: may edges, must hyper-edges, three-valued labels.
//!
//! Built only from a finished exploration, whose edges were checked after the fixpoint was stable.

pub mod progress;

use kleene_ctl::{CellId, Model, ModelBuilder, Truth};
use kleene_domains::numeric::NumericState;
use rustc_hash::FxHashMap;

use crate::interpret::context::NodeId;
use crate::interpret::explore::Exploration;
use crate::mutation::Mutation;
use crate::property::{Predicate, Predicates};

/// The edges of an exploration, to be labelled for one table of predicates after another.
pub struct Abstraction<'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    edges: Model,
}

/// A model whose atoms are the predicates of a table.
pub struct Labelled {
    pub model: Model,
    /// Per predicate: cells with a state in which it may have no value. Its label is Maybe there.
    pub may_be_undefined: Vec<Vec<CellId>>,
}

impl<'e, 'p> Abstraction<'e, 'p> {
    pub fn new(exploration: &'e Exploration<'p>) -> Self {
        let mutation = exploration.transfer.mutation;
        let drops_loops = mutation == Some(Mutation::DroppedSelfLoops);
        let sink = CellId(exploration.cells.len() as u32);
        let mut builder = ModelBuilder::new(exploration.cells.len() + usize::from(drops_loops), 0);
        for (from, parts) in exploration.edges.iter().enumerate() {
            if drops_loops && exploration.transfer.is_terminal(exploration.cells[from].node) {
                builder.step(CellId(from as u32), sink);
                continue;
            }
            let from = CellId(from as u32);
            for part in parts {
                let targets: Vec<CellId> = part.targets.iter().map(|to| CellId(to.0)).collect();
                targets.iter().for_each(|to| builder.may(from, *to));
                if mutation == Some(Mutation::MayAsMust) {
                    targets.iter().for_each(|to| builder.must(from, &[*to]));
                } else if part.must {
                    builder.must(from, &targets);
                }
            }
        }
        for (cell, _) in &exploration.initial {
            builder.initial(CellId(cell.0));
        }
        let edges = builder.build().expect("hyper-edges are made of may edges");
        Self { exploration, edges }
    }

    /// With atoms whose truth in each cell is known already.
    pub fn with_labels(&self, labels: &[Vec<Truth>]) -> Model {
        let mut labels = labels.to_vec();
        labels.iter_mut().for_each(|truths| truths.resize(self.edges.cells(), Truth::True));
        self.edges.with_labels(&labels)
    }

    pub fn label(&self, predicates: &Predicates) -> Labelled {
        let mut may_be_undefined = Vec::new();
        let mut labels = Vec::new();
        for predicate in predicates.iter() {
            let (mut truths, undefined) = self.truths(predicate);
            truths.resize(self.edges.cells(), Truth::True);
            labels.push(truths);
            may_be_undefined.push(undefined);
        }
        Labelled { model: self.edges.with_labels(&labels), may_be_undefined }
    }

    fn truths(&self, predicate: &Predicate) -> (Vec<Truth>, Vec<CellId>) {
        let mut conditions: FxHashMap<NodeId, kleene_domains::Cond> = FxHashMap::default();
        let mut undefined = Vec::new();
        let mutation = self.exploration.transfer.mutation;
        let truths = self.exploration.cells.iter().enumerate().map(|(index, cell)| {
            let condition = conditions
                .entry(cell.node)
                .or_insert_with(|| self.exploration.transfer.predicate(predicate, cell.node));
            let state = match mutation {
                Some(Mutation::LabelsBeforeStabilisation) => &cell.first,
                _ => &cell.state,
            };
            match state.decide(condition) {
                Some(value) => Truth::from_bool(value),
                None => {
                    if state.may_be_undefined(condition) {
                        undefined.push(CellId(index as u32));
                    }
                    if mutation == Some(Mutation::NoIsNotYes) { Truth::False } else { Truth::Maybe }
                }
            }
        });
        let truths = truths.collect();
        (truths, undefined)
    }
}
