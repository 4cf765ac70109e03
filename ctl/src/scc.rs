//! Strongly connected components of a part of the model, by Tarjan's algorithm without recursion.

use crate::bits::BitSet;
use crate::kripke::CellId;

const UNSEEN: u32 = u32::MAX;

/// The components of the graph that `successors` spans inside `part`, each ascending; a component comes
/// after all components it leads to.
pub(crate) fn components<'a>(part: &BitSet, successors: impl Fn(CellId) -> &'a [CellId]) -> Vec<Vec<CellId>> {
    let cells = part.universe();
    let mut search = Search {
        order: vec![UNSEEN; cells],
        low: vec![0; cells],
        open: Vec::new(),
        is_open: BitSet::empty(cells),
        seen: 0,
        found: Vec::new(),
    };
    for root in part.iter() {
        if search.order[root] == UNSEEN {
            search.explore(CellId(root as u32), part, &successors);
        }
    }
    search.found
}

/// More than one cell, or one with an edge to itself: a run can stay in it for ever.
pub(crate) fn can_stay<'a>(component: &[CellId], successors: impl Fn(CellId) -> &'a [CellId]) -> bool {
    component.len() > 1 || successors(component[0]).contains(&component[0])
}

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<CellId>,
    is_open: BitSet,
    seen: u32,
    found: Vec<Vec<CellId>>,
}

impl Search {
    fn enter(&mut self, cell: CellId) {
        self.order[cell.index()] = self.seen;
        self.low[cell.index()] = self.seen;
        self.seen += 1;
        self.open.push(cell);
        self.is_open.insert(cell.index());
    }

    fn explore<'a>(&mut self, root: CellId, part: &BitSet, successors: &impl Fn(CellId) -> &'a [CellId]) {
        self.enter(root);
        let mut calls = vec![(root, 0)];
        while let Some((cell, next)) = calls.pop() {
            if let Some(&to) = successors(cell).get(next) {
                calls.push((cell, next + 1));
                if !part.contains(to.index()) {
                    continue;
                }
                if self.order[to.index()] == UNSEEN {
                    self.enter(to);
                    calls.push((to, 0));
                } else if self.is_open.contains(to.index()) {
                    self.low[cell.index()] = self.low[cell.index()].min(self.order[to.index()]);
                }
                continue;
            }
            if self.low[cell.index()] == self.order[cell.index()] {
                self.close(cell);
            }
            if let Some((caller, _)) = calls.last() {
                self.low[caller.index()] = self.low[caller.index()].min(self.low[cell.index()]);
            }
        }
    }

    fn close(&mut self, root: CellId) {
        let start =
            self.open.iter().rposition(|cell| *cell == root).expect("the root of a component is open");
        let mut component = self.open.split_off(start);
        component.iter().for_each(|cell| self.is_open.remove(cell.index()));
        component.sort_unstable();
        self.found.push(component);
    }
}
