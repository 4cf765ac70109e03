//! The same cells and edges under other atoms.

use super::Model;
use super::build::share;
use crate::bits::BitSet;
use crate::truth::Truth;

impl Model {
    /// A model with these cells and edges whose atom `i` has the truth values `labels[i]`, one per cell.
    ///
    /// # Panics
    /// If a label does not have one value per cell.
    pub fn with_labels(&self, labels: &[Vec<Truth>]) -> Model {
        let pack = |truths: &Vec<Truth>| {
            assert_eq!(truths.len(), self.cells(), "one truth value per cell");
            let mut sets = [BitSet::empty(self.cells()), BitSet::empty(self.cells())];
            for (cell, truth) in truths.iter().enumerate() {
                if *truth == Truth::True {
                    sets[0].insert(cell);
                }
                if *truth != Truth::False {
                    sets[1].insert(cell);
                }
            }
            share(sets)
        };
        Model { data: self.data.clone(), labels: labels.iter().map(pack).collect() }
    }
}

#[cfg(test)]
mod tests {
    use crate::kripke::{AtomId, CellId, ModelBuilder};
    use crate::truth::Truth;

    #[test]
    fn other_labels_leave_the_edges_alone() {
        let mut builder = ModelBuilder::new(2, 0);
        builder.step(CellId(0), CellId(1));
        let model = builder.build().expect("well formed").with_labels(&[vec![Truth::Maybe, Truth::True]]);
        assert_eq!(model.atoms(), 1);
        assert_eq!(model.label(AtomId(0), CellId(0)), Truth::Maybe);
        assert_eq!(model.label(AtomId(0), CellId(1)), Truth::True);
        assert_eq!(model.may_successors(CellId(0)), [CellId(1)]);
    }
}
