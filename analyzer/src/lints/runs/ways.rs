//! Which of several ways runs take where a caller chooses between calls: those that led to what nobody knows are taken
//! less often, and nobody goes round for ever.

use kleene_domains::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::Policy;
use crate::concrete::Choice;
use crate::ir::{Function, FunctionId, LocationId, StepKind, Type};

/// Where a way is chosen.
type Fork = (FunctionId, LocationId);

/// A way that ended runs so often is taken less often, if hardly any run got past it.
const OFTEN: u32 = 3;
const HARDLY: u32 = 8;
/// How often another way is drawn instead.
const TRIES: u32 = 6;

#[derive(Debug, Default)]
pub struct Ways {
    /// How often each way was taken, and how often runs ended on it.
    known: FxHashMap<(Fork, Int), [u32; 2]>,
    /// Forks that a call comes to again and again: the first way leaves.
    round: FxHashSet<Fork>,
}

/// The ways of a run that calls under way have taken last, each with how many calls are under way.
#[derive(Debug, Default)]
pub struct Taken(Vec<(usize, Fork, Int)>);

impl Ways {
    /// Whether somebody chooses a way here, and not a value.
    pub fn is_fork(function: &Function, location: LocationId, choice: &Choice<'_>) -> bool {
        let here = &function.graph[location];
        let count = choice.high.as_ref().and_then(Int::to_i64);
        here.what == StepKind::Skip
            && here.inputs.len() == 1
            && count.is_some_and(|count| count > 0 && count < i64::from(u16::MAX))
            && matches!(Self::drawn(function, choice), Some(Type::Below(_)))
    }

    fn drawn<'f>(function: &'f Function, choice: &Choice<'_>) -> Option<&'f Type> {
        match choice.input.place.variable {
            crate::ir::VariableId::Local(local) => function.locals.get(local as usize).map(|local| &local.ty),
            crate::ir::VariableId::Global(_) => None,
        }
    }

    pub fn choose(
        &mut self,
        fork: Fork,
        depth: usize,
        taken: &mut Taken,
        policy: &mut Policy<'_>,
        draw: &mut dyn FnMut(&mut Policy<'_>) -> Int,
    ) -> Int {
        taken.0.retain(|(under_way, ..)| *under_way <= depth);
        if taken.0.last().is_some_and(|(under_way, last, _)| *under_way == depth && *last == fork) {
            self.round.insert(fork);
        }
        let free = policy.is_free();
        let mut way = draw(policy);
        if free && !policy.goes_round() && self.round.contains(&fork) && policy.next() >> 13 & 1 == 0 {
            way = Int::ZERO;
        } else if free {
            for _ in 0..TRIES {
                if !self.leads_nowhere(fork, &way) {
                    break;
                }
                way = draw(policy);
            }
        }
        self.known.entry((fork, way.clone())).or_default()[0] += 1;
        taken.0.retain(|(under_way, ..)| *under_way < depth);
        taken.0.push((depth, fork, way.clone()));
        way
    }

    fn leads_nowhere(&self, fork: Fork, way: &Int) -> bool {
        self.known
            .get(&(fork, way.clone()))
            .is_some_and(|[taken, ended]| *ended >= OFTEN && taken - ended.min(taken) <= ended / HARDLY)
    }

    /// A run came to something that nobody knows, so many calls deep.
    pub fn ended(&mut self, depth: usize, taken: &Taken) {
        let last = taken.0.iter().rev().find(|(under_way, ..)| *under_way <= depth);
        if let Some((_, fork, way)) = last
            && let Some(counts) = self.known.get_mut(&(*fork, way.clone()))
        {
            counts[1] += 1;
        }
    }
}
