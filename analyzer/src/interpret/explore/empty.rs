//! Cells that turn out to hold no state.

use super::{CellIndex, Edges};

/// Every state has a step: a cell without one holds no state, though its relations do not say so. Nothing
/// leads into such cells; they keep a loop, because models are total.
pub(super) fn remove_empty(edges: &mut [Vec<Edges>]) {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); edges.len()];
    let mut empty: Vec<usize> = Vec::new();
    for (from, outgoing) in edges.iter().enumerate() {
        for target in outgoing.iter().flat_map(|part| &part.targets) {
            sources[target.0 as usize].push(from as u32);
        }
        if outgoing.is_empty() {
            empty.push(from);
        }
    }
    let mut found = 0;
    while let Some(cell) = empty.get(found).copied() {
        found += 1;
        for from in std::mem::take(&mut sources[cell]) {
            let outgoing = &mut edges[from as usize];
            if outgoing.is_empty() {
                continue;
            }
            for part in outgoing.iter_mut() {
                part.targets.retain(|target| target.0 as usize != cell);
            }
            drop_dead_ends(outgoing);
            if outgoing.is_empty() {
                empty.push(from as usize);
            }
        }
    }
    for cell in empty {
        let itself = CellIndex(cell as u32);
        edges[cell] = vec![Edges { must: false, targets: vec![itself] }];
    }
}

/// A must edge into nothing, or into empty cells only: nobody is here to take it.
pub(super) fn drop_dead_ends(outgoing: &mut Vec<Edges>) {
    if outgoing.iter().any(|part| part.must && part.targets.is_empty()) {
        outgoing.clear();
    }
    outgoing.retain(|part| !part.targets.is_empty());
}
