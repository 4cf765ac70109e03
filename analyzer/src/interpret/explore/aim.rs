//! Which expressions are drawn at a node: those that the conditions behind its step ask for.

use kleene_domains::Cond;

use super::super::aims::aims;
use super::super::context::{NodeId, Point};
use super::Explorer;
use crate::precision::Domain;

impl Explorer<'_, '_> {
    /// Looks for expressions to draw, once the states can relate them to others.
    pub(super) fn take_aim(&mut self, node: NodeId) {
        let related = self.transfer.precision.domain != Domain::Intervals;
        if !related || self.transfer.aims.contains_key(&node) || self.transfer.is_terminal(node) {
            return;
        }
        let Some(command) = self.transfer.command(node).filter(|command| !command.inputs.is_empty()) else {
            return;
        };
        let behind = command.edges.iter().map(|edge| {
            let to = self.transfer.sibling(node, Point::At(edge.target));
            let next = self.transfer.command(to);
            let guards = next.iter().flat_map(|next| &next.edges).map(|edge| edge.guard.clone());
            self.split_conditions(to).iter().cloned().chain(guards).collect()
        });
        let behind: Vec<Vec<Cond>> = behind.collect();
        self.transfer.aims.insert(node, aims(&command, &behind).into());
    }
}
