//! Time and memory of one question, counted in deterministic steps first.

use std::cell::Cell;
use std::time::{Duration, Instant};

use kleene_solver::clock;

use crate::interpret::explore::Interrupted;

/// Single steps can be long: a location with many ways out has many guards.
const CLOCK_EVERY: u64 = 4;

#[derive(Debug)]
pub struct Budget {
    steps: Cell<u64>,
    /// What a step counts for.
    weight: Cell<u64>,
    most_steps: u64,
    deadline: Option<Instant>,
}

impl Budget {
    pub fn new(most_steps: u64, time: Option<Duration>) -> Self {
        Self {
            steps: Cell::new(0),
            weight: Cell::new(1),
            most_steps,
            deadline: time.map(|time| Instant::now() + time),
        }
    }

    pub fn unlimited() -> Self {
        Self::new(u64::MAX, None)
    }

    /// From now on a step counts for so many: some steps take longer than others.
    pub fn weigh(&self, weight: u64) {
        self.weight.set(weight);
    }

    /// Counts one step of work. The clock is looked at only now and then.
    pub fn tick(&self) -> Result<(), Interrupted> {
        self.spend(self.weight.get())
    }

    /// Counts many steps of work at once.
    pub fn spend(&self, work: u64) -> Result<(), Interrupted> {
        let before = self.steps.get();
        let steps = before + work;
        self.steps.set(steps);
        if steps > self.most_steps {
            return Err(Interrupted::Memory);
        }
        if steps / CLOCK_EVERY != before / CLOCK_EVERY
            && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            clock::had_a_say();
            return Err(Interrupted::Time);
        }
        Ok(())
    }

    /// Until the deadline; looks at the clock.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            clock::had_a_say();
        }
        left
    }

    /// Work that may still be done.
    pub fn left(&self) -> u64 {
        self.most_steps.saturating_sub(self.steps.get())
    }

    pub fn steps(&self) -> u64 {
        self.steps.get()
    }
}
