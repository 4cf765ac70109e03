//! Single runs: boundary and random inputs followed state by state, so that short runs are found before
//! anything expensive is tried. Their states become cells like any other; no verdict rests on this module.

use kleene_domains::numeric::NumericState;
use kleene_domains::{Int, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::State;
use super::super::context::NodeId;
use super::super::transfer::{Initial, Transfer};

const WALKS: u64 = 48;
const INITIAL_POINTS: usize = 24;

/// Follows runs from the given initial states and remembers what they meet. Answers the points they
/// started from.
pub fn walk(
    transfer: &mut Transfer<'_>,
    walked: &mut FxHashMap<NodeId, FxHashSet<State>>,
    entry: NodeId,
    seeds: &[Initial],
) -> Vec<Initial> {
    let mut points = Vec::new();
    let tracked = transfer.tracked_slots();
    for seed in seeds.iter().take(INITIAL_POINTS) {
        let Some(witness) = &seed.witness else { continue };
        let mut state = seed.state.clone();
        for slot in &tracked {
            state.set(*slot, Value::constant(witness[slot.0 as usize].clone()));
        }
        transfer.normalise(entry, &mut state);
        points.push(Initial { state, witness: Some(witness.clone()) });
    }
    let mut left = transfer.precision.walked_steps;
    for round in 0..WALKS {
        let mut chose = false;
        for (number, point) in points.iter().enumerate() {
            let mut policy =
                Policy { round, chose: false, random: 0x9E37_79B9_7F4A_7C15 ^ (round << 32) ^ number as u64 };
            left = walk_once(transfer, walked, entry, &point.state, &mut policy, left);
            if left == 0 {
                return points;
            }
            chose |= policy.chose;
        }
        if !chose {
            break;
        }
    }
    points
}

/// One run, until it meets a state it has been in, ends, or the steps are used up. Answers what is left.
fn walk_once(
    transfer: &mut Transfer<'_>,
    walked: &mut FxHashMap<NodeId, FxHashSet<State>>,
    entry: NodeId,
    start: &State,
    policy: &mut Policy,
    mut left: usize,
) -> usize {
    let (mut node, mut state) = (entry, start.clone());
    let mut own: FxHashSet<(NodeId, State)> = FxHashSet::default();
    // A run that only meets states of earlier runs is given up after a while.
    let mut stale = 0;
    while left > 0 && stale < 2_000 && own.insert((node, state.clone())) {
        left -= 1;
        stale = if walked.entry(node).or_default().insert(state.clone()) { 0 } else { stale + 1 };
        let Some((to, next, chosen)) =
            transfer.step_of_point(node, &state, &mut |input, values| policy.choose(&input.cuts, values))
        else {
            break;
        };
        if !chosen.is_empty() {
            let drawn = transfer.drawn.entry(node).or_default().entry(state).or_default();
            drawn.resize(chosen.len(), Vec::new());
            for (known, value) in drawn.iter_mut().zip(chosen) {
                if !known.contains(&value) && known.len() < 8 {
                    known.push(value);
                    known.sort();
                }
            }
        }
        (node, state) = (to, next);
    }
    left
}

struct Policy {
    round: u64,
    chose: bool,
    random: u64,
}

impl Policy {
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Boundaries in the first rounds, then a mixture of boundaries, cuts and random values.
    fn choose(&mut self, cuts: &[Int], values: &Value) -> Int {
        self.chose = true;
        let nearest = values.witness().expect("an input has a value");
        let low = values.low().finite().cloned().unwrap_or_else(|| nearest.clone());
        let high = values.high().finite().cloned().unwrap_or_else(|| nearest.clone());
        match self.round {
            0 => return low,
            1 => return high,
            _ => {}
        }
        let allowed = |value: &Int| values.contains(value);
        match self.next() % 4 {
            0 => {
                if self.next().is_multiple_of(2) {
                    low
                } else {
                    high
                }
            }
            1 | 2 if !cuts.is_empty() => {
                let cut = &cuts[(self.next() % cuts.len() as u64) as usize];
                let near = cut + &Int::from((self.next() % 3) as i64 - 1);
                if allowed(&near) { near } else { nearest }
            }
            _ => {
                let span = &(&high - &low) + &Int::ONE;
                let random = Int::from((self.next() >> 2) as i64);
                let offset = random.rem_euclid(&span).unwrap_or(Int::ZERO);
                let value = &low + &offset;
                if allowed(&value) { value } else { nearest }
            }
        }
    }
}
