//! From stable cells to a Kripke structure: may edges, must hyper-edges, three-valued labels.
//!
//! Built only from a finished exploration, whose edges were checked after the fixpoint was stable.

pub mod progress;

use kleene_ctl::{CellId, Model, ModelBuilder, Truth};
use kleene_domains::numeric::NumericState;
use rustc_hash::FxHashMap;

use crate::interpret::context::NodeId;
use crate::interpret::explore::Exploration;
use crate::property::Predicates;

/// The model of an exploration for a table of predicates; atom ids are the table's.
pub struct Abstraction<'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    pub model: Model,
    /// Per predicate: cells with a state in which it may have no value. Its label is Maybe there.
    pub may_be_undefined: Vec<Vec<CellId>>,
}

impl<'e, 'p> Abstraction<'e, 'p> {
    pub fn build(exploration: &'e Exploration<'p>, predicates: &Predicates) -> Self {
        let mut builder = ModelBuilder::new(exploration.cells.len(), predicates.len());
        for (from, parts) in exploration.edges.iter().enumerate() {
            let from = CellId(from as u32);
            for part in parts {
                let targets: Vec<CellId> = part.targets.iter().map(|to| CellId(to.0)).collect();
                targets.iter().for_each(|to| builder.may(from, *to));
                if part.must {
                    builder.must(from, &targets);
                }
            }
        }
        for (cell, _) in &exploration.initial {
            builder.initial(CellId(cell.0));
        }
        let mut may_be_undefined = Vec::new();
        for (atom, predicate) in predicates.iter().enumerate() {
            let mut conditions: FxHashMap<NodeId, kleene_domains::Cond> = FxHashMap::default();
            let mut undefined = Vec::new();
            for (index, cell) in exploration.cells.iter().enumerate() {
                let condition = conditions
                    .entry(cell.node)
                    .or_insert_with(|| exploration.transfer.predicate(predicate, cell.node));
                let truth = match cell.state.decide(condition) {
                    Some(value) => Truth::from_bool(value),
                    None => {
                        if cell.state.may_be_undefined(condition) {
                            undefined.push(CellId(index as u32));
                        }
                        Truth::Maybe
                    }
                };
                builder.label(kleene_ctl::AtomId(atom as u32), CellId(index as u32), truth);
            }
            may_be_undefined.push(undefined);
        }
        let model = builder.build().expect("hyper-edges are made of may edges");
        Self { exploration, model, may_be_undefined }
    }
}
