//! What a loop steps over: a sum that every round changes by multiples of a number keeps its remainder.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, LinearExpr, Var};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpret::compile::Effect;
use crate::interpret::context::{ContextId, Node, NodeId, Point};
use crate::interpret::explore::Exploration;

/// The nodes of a loop, all in one context.
pub struct Loop {
    pub context: ContextId,
    pub nodes: Vec<NodeId>,
}

/// The loops of an exploration that stay in one context.
pub fn loops(exploration: &Exploration<'_>) -> Vec<Loop> {
    let contexts = &exploration.transfer.contexts;
    let mut graph = DiGraph::<NodeId, (), u32>::default();
    let mut index: FxHashMap<NodeId, NodeIndex<u32>> = FxHashMap::default();
    for (from, outgoing) in exploration.edges.iter().enumerate() {
        let from = exploration.cells[from].node;
        for to in outgoing.iter().flat_map(|part| &part.targets) {
            let to = exploration.cells[to.0 as usize].node;
            let [from, to] =
                [from, to].map(|node| *index.entry(node).or_insert_with(|| graph.add_node(node)));
            graph.update_edge(from, to, ());
        }
    }
    let mut found = Vec::new();
    for component in kosaraju_scc(&graph) {
        let mut nodes: Vec<NodeId> = component.iter().map(|node| graph[*node]).collect();
        nodes.sort_unstable();
        let context = contexts.node(nodes[0]).context;
        let one = nodes.iter().all(|node| contexts.node(*node).context == context);
        if one && nodes.len() > 1 {
            found.push(Loop { context, nodes });
        }
    }
    found.sort_by_key(|found| found.nodes[0]);
    found
}

/// For a sum, the number that divides all its changes around the loop, and at which node with which offset it does:
/// `sum - offset` has the same remainder at every visit. `None` if it changes otherwise, or by 0 or 1 only.
pub fn stride(
    exploration: &Exploration<'_>,
    around: &Loop,
    sum: &LinearExpr,
) -> Option<(Int, Vec<(NodeId, Int)>)> {
    let transfer = &exploration.transfer;
    let inside: FxHashSet<NodeId> = around.nodes.iter().copied().collect();
    let mut offsets: FxHashMap<NodeId, Int> = FxHashMap::default();
    let first = *around.nodes.iter().find(|node| transfer.is_widening_point(**node))?;
    offsets.insert(first, Int::ZERO);
    let mut pending = vec![first];
    let mut divisor = Int::ZERO;
    while let Some(node) = pending.pop() {
        let command = transfer.known_command(node)?;
        if command.drawn().any(|slot| !sum.factor(slot).is_zero()) {
            return None;
        }
        let at = offsets[&node].clone();
        for edge in &command.edges {
            let Effect::Assign(assignments) = &edge.effect else { continue };
            let to = Node { context: around.context, point: Point::At(edge.target) };
            let Some(to) = transfer.contexts.known_node(to).filter(|to| inside.contains(to)) else {
                continue;
            };
            let arrived = &at + &change(sum, assignments)?;
            match offsets.get(&to) {
                Some(known) => divisor = divisor.gcd(&(&arrived - known)),
                None => {
                    offsets.insert(to, arrived);
                    pending.push(to);
                }
            }
        }
    }
    let mut offsets: Vec<(NodeId, Int)> = offsets.into_iter().collect();
    offsets.sort_unstable_by_key(|(node, _)| *node);
    (divisor > Int::ONE).then_some((divisor, offsets))
}

/// By how much assignments change a sum, if always by the same.
fn change(sum: &LinearExpr, assignments: &[(Var, Expr)]) -> Option<Int> {
    let after = sum.try_replaced(|slot| match assignments.iter().find(|(written, _)| *written == slot) {
        Some((_, value)) => LinearExpr::of(value),
        None => Some(LinearExpr::variable(slot)),
    })?;
    after.minus(sum).as_constant().cloned()
}

/// That a number divides a sum.
pub fn divides(divisor: &Int, sum: &LinearExpr) -> Cond {
    let rest = Expr::binary(BinaryOp::Rem, sum.to_expr(), Expr::Constant(divisor.clone()));
    Cond::Compare(CompareOp::Equal, rest, Expr::constant(0))
}
