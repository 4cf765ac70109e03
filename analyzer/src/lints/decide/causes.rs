//! Why places stay open: the shortest way to them through the cells, and what is lost on it.

use super::Search;
use crate::evidence::{Cause, CauseKind};
use crate::interpret::context::Point;
use crate::interpret::explore::Exploration;
use crate::source::Span;

impl Search<'_> {
    /// Why each open place is open, as far as the cells tell.
    pub(super) fn remember_causes(&mut self, exploration: &Exploration<'_>) {
        let (distance, before) = ways(exploration);
        let contexts = &exploration.transfer.contexts;
        for open in &self.places {
            let at = |cell: &usize| {
                let node = contexts.node(exploration.cells[*cell].node);
                node.point == Point::At(open.what.location)
                    && contexts.get(node.context).function == open.what.function
            };
            let cells = (0..exploration.cells.len()).filter(at);
            let Some(cell) = cells.min_by_key(|cell| distance[*cell]) else { continue };
            let way = path(&before, cell);
            self.causes.insert(open.index, self.cause(exploration, &way));
        }
    }

    fn cause(&self, exploration: &Exploration<'_>, way: &[usize]) -> Cause {
        let contexts = &exploration.transfer.contexts;
        let location = |cell: usize| {
            let node = contexts.node(exploration.cells[cell].node);
            match node.point {
                Point::At(location) => {
                    Some(&self.slice.program.function(contexts.get(node.context).function).graph[location])
                }
                _ => None,
            }
        };
        let unknown = way
            .iter()
            .filter_map(|cell| location(*cell))
            .find(|location| location.inputs.iter().any(|input| input.source.is_hidden()));
        let widened = way.iter().rev().find(|cell| exploration.cells[**cell].history.widened);
        let (kind, span, message) = match (unknown, widened) {
            (Some(location), _) => {
                (CauseKind::Unknown, Some(location.span), "depends on what cannot be seen here".to_string())
            }
            (None, Some(cell)) => (
                CauseKind::Widening,
                location(*cell).map(|location| location.span),
                "what this loop does to its variables is only bounded".to_string(),
            ),
            _ => (
                CauseKind::Join,
                way.last().and_then(|cell| location(*cell)).map(|location| location.span),
                "neither a run nor a proof was found".to_string(),
            ),
        };
        let path: Vec<Span> =
            way.iter().filter_map(|cell| location(*cell)).map(|location| location.span).collect();
        Cause { kind, message, path, help: None, ..Cause::limit(span, Vec::new()) }
    }
}

/// Steps from the start to each cell, and the cell before it.
fn ways(exploration: &Exploration<'_>) -> (Vec<usize>, Vec<Option<usize>>) {
    let count = exploration.cells.len();
    let (mut distance, mut before) = (vec![usize::MAX; count], vec![None; count]);
    let mut queue: Vec<usize> = Vec::new();
    for (cell, _) in &exploration.initial {
        let cell = cell.0 as usize;
        if distance[cell] != 0 {
            distance[cell] = 0;
            queue.push(cell);
        }
    }
    let mut head = 0;
    while let Some(from) = queue.get(head).copied() {
        head += 1;
        for to in exploration.edges[from].iter().flat_map(|part| &part.targets) {
            let to = to.0 as usize;
            if distance[to] == usize::MAX {
                distance[to] = distance[from] + 1;
                before[to] = Some(from);
                queue.push(to);
            }
        }
    }
    (distance, before)
}

fn path(before: &[Option<usize>], to: usize) -> Vec<usize> {
    let mut way = vec![to];
    while let Some(previous) = before[way[way.len() - 1]] {
        way.push(previous);
    }
    way.reverse();
    way
}
