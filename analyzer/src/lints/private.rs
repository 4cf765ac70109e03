//! Entries that take values which not everybody can make: what is open there is asked again of a driver, which makes
//! the values through public calls.
//!
//! A run of a driver is a run like any other. What no run of it comes to is never reached where the driver makes every
//! value there can be.

use rayon::prelude::*;

use super::decide::{self, Answers, Asked};
use super::kept::{Desk, How};
use super::mark::Marked;
use super::summaries::Summaries;
use crate::frontend::Driver;
use crate::ir::slice::reached;
use crate::ir::{FunctionId, Program};
use crate::pipeline::Options;

pub const CAUSE: &str = "private state: the run begins with a value that only its module can make";

/// So many drivers may cost more than other entries.
const FEW_DRIVERS: usize = 16;
/// Where there are more, those that can come to more locations than this only run.
const LARGEST_OF_MANY: usize = 600;
/// The same where little is done.
const LARGEST_IF_QUICK: usize = 150;

/// Puts what drivers say in the place of what was open.
pub fn settle(
    marked: &Marked,
    summaries: &Summaries,
    desk: &Desk<'_>,
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
    let closely = asked.len() <= FEW_DRIVERS && !decide::is_quick(options);
    let largest = if decide::is_quick(options) { LARGEST_IF_QUICK } else { LARGEST_OF_MANY };
    let told: Vec<(usize, bool, Answers)> = asked
        .par_iter()
        .map(|(at, driver, open)| {
            if !closely && size(&marked.program, driver.driver) > largest {
                let work = || decide::shown(marked, driver.driver, options);
                return (*at, false, desk.answers(driver.driver, How::Shown, summaries, work));
            }
            let asked = Asked { open, closely };
            let work = || decide::decide_only(marked, summaries, driver.driver, Some(&asked), options);
            (*at, driver.complete, desk.answers(driver.driver, How::Some(&asked), summaries, work))
        })
        .collect();
    for (at, complete, told) in told {
        if complete {
            answers[at].take_over(&told);
        }
        answers.push(told.reached());
    }
}

/// The locations of all functions that runs of an entry can come to.
fn size(program: &Program, entry: FunctionId) -> usize {
    reached(program, entry).iter().map(|id| program.function(*id).graph.node_count()).sum()
}
