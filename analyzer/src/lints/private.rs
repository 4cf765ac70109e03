//! Entries that take values which not everybody can make: what is open there is asked again of a driver, which makes
//! the values through public calls.
//!
//! A run of a driver is a run like any other. What no run of it comes to is never reached where the driver makes every
//! value there can be.

use rayon::prelude::*;

use super::decide::{self, Answers};
use super::mark::Marked;
use super::summaries::Summaries;
use crate::frontend::Driver;
use crate::ir::FunctionId;
use crate::pipeline::Options;

pub const CAUSE: &str = "private state: the run begins with a value that only its module can make";

/// Puts what drivers say in the place of what was open.
pub fn settle(
    marked: &Marked,
    summaries: &Summaries,
    entries: &[FunctionId],
    drivers: &[Driver],
    answers: &mut Vec<Answers>,
    options: &Options,
) {
    let asked = drivers.iter().filter_map(|driver| {
        let at = entries.iter().position(|entry| *entry == driver.entry)?;
        let open = answers[at].open();
        (!open.is_empty()).then_some((at, driver, open))
    });
    let asked: Vec<_> = asked.collect();
    let told: Vec<(usize, bool, Answers)> = asked
        .par_iter()
        .map(|(at, driver, open)| {
            (*at, driver.complete, decide::decide_only(marked, summaries, driver.driver, Some(open), options))
        })
        .collect();
    for (at, complete, told) in told {
        if complete {
            answers[at].take_over(&told);
        }
        answers.push(told.reached());
    }
}
