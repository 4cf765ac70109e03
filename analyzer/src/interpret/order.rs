//! Weak topological orders (Bourdoncle 1993): in which order locations are visited and where to widen.
//!
//! Inner loops stabilise before the code behind them is looked at, because a worklist that always takes
//! the smallest pending position follows the nesting of this order.

use fixedbitset::FixedBitSet;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Reversed};

#[derive(Clone, Debug)]
pub struct Order {
    /// Position of each location; unreachable ones come last.
    pub position: Vec<u32>,
    /// Locations such that every cycle passes through one of them.
    pub is_head: Vec<bool>,
}

impl Order {
    pub fn of<N, E>(graph: &DiGraph<N, E, u32>, entry: NodeIndex<u32>) -> Self {
        let mut builder = Builder {
            graph,
            next: 0,
            order: Self {
                position: vec![u32::MAX; graph.node_count()],
                is_head: vec![false; graph.node_count()],
            },
        };
        // A stack of pending pieces instead of recursion: nesting may be as deep as the program is long.
        let mut pending = vec![Piece::Component(reachable(graph, entry), entry)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Single(node) => builder.place(node),
                Piece::Component(nodes, from) => {
                    let mut pieces = builder.decompose(&nodes, from);
                    pieces.reverse();
                    pending.extend(pieces);
                }
            }
        }
        builder.order
    }
}

enum Piece {
    Single(NodeIndex<u32>),
    /// Nodes still to be ordered, entered at the given node (or anywhere if it is not among them).
    Component(Vec<NodeIndex<u32>>, NodeIndex<u32>),
}

struct Builder<'g, N, E> {
    graph: &'g DiGraph<N, E, u32>,
    next: u32,
    order: Order,
}

impl<N, E> Builder<'_, N, E> {
    fn place(&mut self, node: NodeIndex<u32>) {
        self.order.position[node.index()] = self.next;
        self.next += 1;
    }

    /// Strongly connected components in topological order; each non-trivial one becomes its head
    /// followed by the rest, still to be ordered.
    fn decompose(&mut self, nodes: &[NodeIndex<u32>], entry: NodeIndex<u32>) -> Vec<Piece> {
        let mut inside = FixedBitSet::with_capacity(self.graph.node_count());
        nodes.iter().for_each(|node| inside.insert(node.index()));
        let mut pieces = Vec::new();
        for component in self.components(nodes, &inside, entry) {
            let head = component[0];
            let looping = component.len() > 1 || self.graph.neighbors(head).any(|next| next == head);
            if looping {
                self.order.is_head[head.index()] = true;
            }
            pieces.push(Piece::Single(head));
            if component.len() > 1 {
                let rest: Vec<_> = component[1..].to_vec();
                let next = self.graph.neighbors(head).find(|next| rest.contains(next));
                pieces.push(Piece::Component(rest, next.unwrap_or(head)));
            }
        }
        pieces
    }

    /// Kosaraju: reverse postorder forward, then backward searches. The first node of a component is the
    /// one a forward search meets first, which makes it the natural loop's head.
    fn components(
        &self,
        nodes: &[NodeIndex<u32>],
        inside: &FixedBitSet,
        entry: NodeIndex<u32>,
    ) -> Vec<Vec<NodeIndex<u32>>> {
        let filtered = petgraph::visit::NodeFiltered::from_fn(self.graph, |node: NodeIndex<u32>| {
            inside.contains(node.index())
        });
        let mut search = DfsPostOrder::empty(&filtered);
        let mut postorder = Vec::with_capacity(nodes.len());
        let starts = std::iter::once(entry).filter(|node| inside.contains(node.index()));
        for start in starts.chain(nodes.iter().copied()) {
            search.move_to(start);
            while let Some(node) = search.next(&filtered) {
                postorder.push(node);
            }
        }
        let mut taken = FixedBitSet::with_capacity(self.graph.node_count());
        let mut components = Vec::new();
        for start in postorder.into_iter().rev() {
            if taken.contains(start.index()) {
                continue;
            }
            taken.insert(start.index());
            let mut component = vec![start];
            let mut at = 0;
            while at < component.len() {
                let reversed = Reversed(self.graph);
                for before in petgraph::visit::IntoNeighbors::neighbors(reversed, component[at]) {
                    if inside.contains(before.index()) && !taken.contains(before.index()) {
                        taken.insert(before.index());
                        component.push(before);
                    }
                }
                at += 1;
            }
            components.push(component);
        }
        components
    }
}

fn reachable<N, E>(graph: &DiGraph<N, E, u32>, entry: NodeIndex<u32>) -> Vec<NodeIndex<u32>> {
    let mut search = petgraph::visit::Dfs::new(graph, entry);
    std::iter::from_fn(|| search.next(graph)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(nodes: usize, edges: &[(u32, u32)]) -> Order {
        let mut graph = DiGraph::<(), (), u32>::default();
        (0..nodes).for_each(|_| {
            graph.add_node(());
        });
        for (from, to) in edges {
            graph.add_edge(NodeIndex::new(*from as usize), NodeIndex::new(*to as usize), ());
        }
        Order::of(&graph, NodeIndex::new(0))
    }

    #[test]
    fn nested_loops_have_their_heads_and_inner_code_stands_before_what_follows() {
        // 0 → 1(head) → 2(head) → 3 → 2, 2 → 4 → 1, 1 → 5
        let order = order(6, &[(0, 1), (1, 2), (2, 3), (3, 2), (2, 4), (4, 1), (1, 5)]);
        assert_eq!(order.is_head, [false, true, true, false, false, false]);
        let at = |node: usize| order.position[node];
        assert!(at(0) < at(1) && at(1) < at(2) && at(2) < at(3) && at(3) < at(4) && at(4) < at(5));
    }

    #[test]
    fn every_cycle_of_an_irreducible_graph_has_a_head() {
        let order = order(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3), (3, 3)]);
        assert!(order.is_head[1] || order.is_head[2]);
        assert!(order.is_head[3]);
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_locations_does_not_recurse() {
        let edges: Vec<_> = (0..99_999).map(|at| (at, at + 1)).collect();
        assert_eq!(order(100_000, &edges).position[99_999], 99_999);
    }
}
