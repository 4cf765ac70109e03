//! The cells that runs are wanted into, and the way there from node to node, whatever the cells in between.

use kleene_ctl::CellId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::path::goes_to;
use crate::interpret::compile::Edge;
use crate::interpret::context::NodeId;
use crate::interpret::explore::Exploration;

pub struct Nodes<'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    /// The wanted cells of a node.
    goals: FxHashMap<NodeId, Vec<CellId>>,
    /// Steps from a node to the nearest wanted cell's.
    distance: FxHashMap<NodeId, usize>,
    /// Where a step from a node may lead, in order.
    next: FxHashMap<NodeId, Vec<NodeId>>,
}

impl<'e, 'p> Nodes<'e, 'p> {
    pub fn new(exploration: &'e Exploration<'p>, wanted: &[bool]) -> Self {
        let cells = &exploration.cells;
        let mut goals: FxHashMap<NodeId, Vec<CellId>> = FxHashMap::default();
        let mut next: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        let mut before: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        let mut queue = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            if wanted[index] {
                goals.entry(cell.node).or_default().push(CellId(index as u32));
                queue.push(cell.node);
            }
            for to in exploration.edges[index].iter().flat_map(|part| &part.targets) {
                let to = cells[to.0 as usize].node;
                next.entry(cell.node).or_default().push(to);
                before.entry(to).or_default().push(cell.node);
            }
        }
        for nodes in next.values_mut().chain(before.values_mut()) {
            nodes.sort_unstable();
            nodes.dedup();
        }
        queue.sort_unstable();
        queue.dedup();
        let mut distance: FxHashMap<NodeId, usize> = queue.iter().map(|node| (*node, 0)).collect();
        let mut head = 0;
        while let Some(node) = queue.get(head).copied() {
            head += 1;
            let farther = distance[&node] + 1;
            for from in before.get(&node).into_iter().flatten() {
                if !distance.contains_key(from) {
                    distance.insert(*from, farther);
                    queue.push(*from);
                }
            }
        }
        Self { exploration, goals, distance, next }
    }

    pub fn goals(&self, node: NodeId) -> &[CellId] {
        self.goals.get(&node).map_or(&[], Vec::as_slice)
    }

    pub fn distance(&self, node: NodeId) -> Option<usize> {
        self.distance.get(&node).copied()
    }

    /// The node a step by the edge arrives at; `None` if no wanted cell lies behind it.
    pub fn behind(&self, node: NodeId, edge: Option<&Edge>) -> Option<NodeId> {
        let next = self.next.get(&node)?;
        let leads = |to: &&NodeId| {
            self.distance.contains_key(*to) && goes_to(&self.exploration.transfer, node, edge, **to)
        };
        next.iter().find(leads).copied()
    }

    /// Nodes in an order in which only loops go back.
    pub fn order(&self, starts: &[NodeId]) -> FxHashMap<NodeId, usize> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut finished: Vec<NodeId> = Vec::new();
        for start in starts {
            // A node with the successors that are left to look at.
            let mut stack: Vec<(NodeId, usize)> = Vec::new();
            if seen.insert(*start) {
                stack.push((*start, 0));
            }
            while let Some((node, at)) = stack.last_mut() {
                let next = self.next.get(node).and_then(|next| next.get(*at)).copied();
                *at += 1;
                match next {
                    Some(next) if seen.insert(next) => stack.push((next, 0)),
                    Some(_) => {}
                    None => {
                        finished.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        finished.into_iter().rev().enumerate().map(|(position, node)| (node, position)).collect()
    }

    /// A run was found into the cell.
    pub fn reached(&mut self, cell: CellId) {
        let node = self.exploration.cells[cell.index()].node;
        if let Some(goals) = self.goals.get_mut(&node) {
            goals.retain(|goal| *goal != cell);
        }
    }

    pub fn is_done(&self) -> bool {
        self.goals.values().all(Vec::is_empty)
    }
}
