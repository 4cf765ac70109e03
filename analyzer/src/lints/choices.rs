//! Steps that store which of two cases they are in: `found := c ? 1 : 0`. As two ways they can be told apart.

use std::sync::Arc;

use crate::ir::{Cond, Edge, Effect, Expr, Location};

/// The edge, or one for each case. Both lead where it leads, and a step takes the one or the other.
pub fn taken_apart(from: &Location, edge: &Arc<Edge>) -> Vec<Arc<Edge>> {
    let Effect::Assign(assignments) = &edge.effect else { return vec![edge.clone()] };
    let between_constants = |value: &Expr| match value {
        Expr::IfThenElse(cond, yes, no) => {
            let constants = matches!((&**yes, &**no), (Expr::Constant(_), Expr::Constant(_)));
            constants.then(|| (**cond).clone())
        }
        _ => None,
    };
    let cond = assignments.iter().find_map(|(_, value)| between_constants(value));
    let Some(cond) = cond.filter(|_| !from.overlapping) else { return vec![edge.clone()] };
    [true, false].into_iter().map(|outcome| case(edge, &cond, outcome).into()).collect()
}

fn case(edge: &Edge, cond: &Cond, outcome: bool) -> Edge {
    let holds = if outcome { cond.clone() } else { cond.clone().negated() };
    let guard = match &edge.guard {
        Cond::Literal(true) => holds,
        guard => Cond::And(Box::new(guard.clone()), Box::new(holds)),
    };
    let mut edge = Edge { guard, ..edge.clone() };
    if let Effect::Assign(assignments) = &mut edge.effect {
        for (_, value) in assignments {
            if let Expr::IfThenElse(of, yes, no) = value
                && **of == *cond
            {
                *value = if outcome { (**yes).clone() } else { (**no).clone() };
            }
        }
    }
    edge
}
