//! Single runs: boundary and random inputs followed state by state, so that short runs are found before
//! anything expensive is tried. Their states become cells like any other; no verdict rests on this module.

use kleene_domains::numeric::NumericState;
use kleene_domains::{Cond, Int, Value};
use rustc_hash::FxHashSet;

use super::super::State;
use super::super::compile::Input;
use super::super::context::NodeId;
use super::super::transfer::{Choices, Initial, Transfer};
use super::Fingerprint;
use crate::precision::Script;

const WALKS: u64 = 48;
const INITIAL_POINTS: usize = 24;
const TRIES: u64 = 24;
/// Steps of one run: a run that never repeats leaves some for the others.
const LONGEST_RUN: usize = 20_000;

/// Follows runs from the given initial states and remembers what they meet. Answers the points they
/// started from.
pub fn walk(
    transfer: &mut Transfer<'_>,
    walked: &mut FxHashSet<Fingerprint>,
    entry: NodeId,
    seeds: &[Initial],
    assume: Option<&Cond>,
) -> Vec<Initial> {
    let mut left = transfer.precision.walked_steps;
    let scripts = transfer.precision.scripts.clone();
    let mut scripted = Vec::new();
    for script in &scripts {
        let Some(point) = scripted_start(transfer, entry, seeds, assume, script) else { continue };
        let mut policy = Policy { script: Some(script), ..Policy::new(0, 1) };
        // What was asked for is followed to its end, whatever else is left.
        let after = walk_once(transfer, walked, entry, &point.state, &mut policy, script.steps + left);
        left = left.min(after).max(1);
        scripted.push(point);
    }
    let mut points = starting_points(transfer, entry, seeds, assume);
    for round in 0..WALKS {
        let mut chose = false;
        for (number, point) in points.iter().enumerate() {
            let mut policy = Policy::new(round, number as u64);
            left = walk_once(transfer, walked, entry, &point.state, &mut policy, left);
            chose |= policy.chose;
        }
        if !chose || left == 0 {
            break;
        }
    }
    points.extend(scripted);
    points
}

/// The point a script asks for, if it is an initial state.
fn scripted_start(
    transfer: &mut Transfer<'_>,
    entry: NodeId,
    seeds: &[Initial],
    assume: Option<&Cond>,
    script: &Script,
) -> Option<Initial> {
    let (seed, witness) = seeds.iter().find_map(|seed| {
        let mut wanted = script.start.iter();
        let witness = transfer.initial_point(&seed.state, assume, &mut |_| wanted.next().cloned());
        Some((seed, witness?))
    })?;
    Some(started(transfer, entry, seed, witness))
}

/// The single initial state at a point.
fn started(transfer: &mut Transfer<'_>, entry: NodeId, seed: &Initial, witness: Vec<Int>) -> Initial {
    let mut state = seed.state.clone();
    for slot in transfer.tracked_slots() {
        state.set(slot, Value::constant(witness[slot.0 as usize].clone()));
    }
    transfer.normalise(entry, &mut state);
    Initial { state, witness: Some(witness) }
}

/// A concrete initial state inside an abstract one, if a few tries find one.
pub fn initial_point(transfer: &Transfer<'_>, state: &State, assume: Option<&Cond>) -> Option<Vec<Int>> {
    (0..TRIES).find_map(|round| {
        let mut policy = Policy::new(round, 1);
        transfer.initial_point(state, assume, &mut |values| policy.propose(values))
    })
}

/// Different concrete initial states, at least one per seed as long as there are few.
fn starting_points(
    transfer: &mut Transfer<'_>,
    entry: NodeId,
    seeds: &[Initial],
    assume: Option<&Cond>,
) -> Vec<Initial> {
    let mut points: Vec<Initial> = Vec::new();
    // A glimpse starts once per seed: runs from different states blur each other once they are joined.
    let rounds = if transfer.precision.walked_steps < LONGEST_RUN { 1 } else { TRIES };
    for round in 0..rounds {
        for (number, seed) in seeds.iter().enumerate().take(INITIAL_POINTS) {
            if points.len() >= INITIAL_POINTS {
                return points;
            }
            let mut policy = Policy::new(round, number as u64 + 1);
            let witness = match round {
                0 => seed.witness.clone(),
                _ => transfer.initial_point(&seed.state, assume, &mut |values| policy.propose(values)),
            };
            let Some(witness) = witness else { continue };
            let point = started(transfer, entry, seed, witness);
            if points.iter().all(|known| known.state != point.state) {
                points.push(point);
            }
        }
    }
    points
}

/// One run, until it meets a state it has been in, ends, or the steps are used up. Answers what is left.
fn walk_once(
    transfer: &mut Transfer<'_>,
    walked: &mut FxHashSet<Fingerprint>,
    entry: NodeId,
    start: &State,
    policy: &mut Policy<'_>,
    mut left: usize,
) -> usize {
    let (mut node, mut state) = (entry, start.clone());
    let mut own: FxHashSet<Fingerprint> = FxHashSet::default();
    // A run that only meets states of earlier runs is given up after a while.
    let mut stale = 0;
    while left > 0 && stale < 2_000 && own.len() < LONGEST_RUN {
        let print = Fingerprint::of(node, &state);
        if !own.insert(print) {
            break;
        }
        left -= 1;
        stale = if walked.insert(print) { 0 } else { stale + 1 };
        let Some((to, next, chosen)) = transfer.step_of_point(node, &state, policy) else { break };
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

struct Policy<'s> {
    round: u64,
    chose: bool,
    random: u64,
    /// What to choose as long as it lasts.
    script: Option<&'s Script>,
    drawn: usize,
    taken: usize,
}

impl Choices for Policy<'_> {
    fn input(&mut self, input: &Input, values: &Value) -> Int {
        let wanted = self.script.and_then(|script| script.draws.get(self.drawn));
        self.drawn += 1;
        match wanted {
            Some(value) if values.contains(value) => value.clone(),
            _ => self.choose(&input.cuts, values),
        }
    }

    fn edge(&mut self, enabled: &[usize]) -> Option<usize> {
        let wanted = self.script.and_then(|script| script.edges.get(self.taken));
        self.taken += 1;
        if let Some(edge) = wanted.map(|edge| *edge as usize).filter(|edge| enabled.contains(edge)) {
            return Some(edge);
        }
        self.chose |= enabled.len() > 1;
        match self.round {
            0 => enabled.first().copied(),
            1 => enabled.last().copied(),
            _ => enabled.get((self.next() % enabled.len().max(1) as u64) as usize).copied(),
        }
    }
}

impl Policy<'_> {
    fn new(round: u64, number: u64) -> Self {
        let random = 0x9E37_79B9_7F4A_7C15 ^ (round << 32) ^ number;
        Self { round, chose: false, random, script: None, drawn: 0, taken: 0 }
    }

    /// A value of an initial slot: the one nearest to 0 first, then others close by.
    fn propose(&mut self, values: &Value) -> Option<Int> {
        if self.round == 0 || values.as_constant().is_some() {
            return values.witness();
        }
        let near = Int::from((self.next() % 7) as i64 - 3);
        if values.contains(&near) && !self.next().is_multiple_of(4) {
            return Some(near);
        }
        Some(self.choose(&[], values))
    }

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
        // A neighbour of the boundary: what is odd there is even here.
        if let 2 | 3 = self.round {
            let near = if self.round == 2 { &low + &Int::ONE } else { &high - &Int::ONE };
            if allowed(&near) && (self.drawn <= 1 || self.next().is_multiple_of(2)) {
                return near;
            }
        }
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
