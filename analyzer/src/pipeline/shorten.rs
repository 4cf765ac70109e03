//! Shorter runs to the same goal: loop iterations that do not matter are left out.
//!
//! A run that shows a reachable state is its inputs. Between two visits of the same place inputs are dropped
//! and the rest is executed again; what still reaches the goal, sooner, is kept. No verdict rests on this.

use kleene_domains::Int;
use rustc_hash::FxHashMap;

use crate::concrete::{Interpreter, State, Status};

/// Frames of states that may be looked at for one run.
const EFFORT: usize = 60_000;

/// States with the inputs drawn between them.
pub struct Trace {
    pub states: Vec<State>,
    pub drawn: Vec<Vec<Int>>,
}

/// The trace, or a shorter one from the same initial state whose last state is a goal too.
pub fn shorten(interpreter: &Interpreter<'_>, trace: Trace, goal: &dyn Fn(&State) -> bool) -> Trace {
    let mut best = trace;
    let mut effort = EFFORT;
    let mut visits = repeated_visits(&best.states);
    let mut dropped = visits.len().saturating_sub(1);
    while dropped > 0 && effort > 0 {
        let mut from = 0;
        while from + dropped < visits.len() && effort > 0 {
            let (start, end) = (visits[from], visits[from + dropped]);
            match without(interpreter, &best, start, end, goal, &mut effort) {
                Some(shorter) => {
                    best = shorter;
                    visits = repeated_visits(&best.states);
                }
                None => from += 1,
            }
        }
        dropped = dropped.min(visits.len().saturating_sub(1)).div_ceil(2).min(dropped - 1);
    }
    best
}

/// When the place that is visited most often is visited.
fn repeated_visits(states: &[State]) -> Vec<usize> {
    let mut visits: FxHashMap<Vec<(u32, usize)>, Vec<usize>> = FxHashMap::default();
    for (at, state) in states.iter().enumerate() {
        if state.status == Status::Running {
            let frames = state.frames.iter();
            let place = frames.map(|frame| (frame.function.0, frame.location.index())).collect();
            visits.entry(place).or_default().push(at);
        }
    }
    // The earliest of the most frequent ones, whatever the order of the map.
    visits.into_values().max_by_key(|at| (at.len(), std::cmp::Reverse(at[0]))).unwrap_or_default()
}

fn without(
    interpreter: &Interpreter<'_>,
    trace: &Trace,
    start: usize,
    end: usize,
    goal: &dyn Fn(&State) -> bool,
    effort: &mut usize,
) -> Option<Trace> {
    let mut inputs = trace.drawn[end..].iter().flatten();
    let mut states = trace.states[..=start].to_vec();
    let mut drawn = trace.drawn[..start].to_vec();
    while !goal(states.last()?) {
        if *effort == 0 || states.len() + 1 >= trace.states.len() {
            return None;
        }
        *effort = effort.saturating_sub(states.last()?.frames.len());
        let mut now = Vec::new();
        let next = interpreter.step(states.last()?, &mut |_| {
            let value = inputs.next()?.clone();
            now.push(value.clone());
            Some(value)
        });
        states.push(next.ok()?);
        drawn.push(now);
    }
    Some(Trace { states, drawn })
}
