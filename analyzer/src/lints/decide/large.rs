//! Entries that are too large for a quick look: what summaries say of their functions, and nothing else.

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::mark::Marked;
use super::super::summaries::Summaries;
use super::{Answers, Known, Reach, effort};
use crate::evidence::{Attempt, Cause, CauseKind, Evidence, Proof};
use crate::ir::slice::reached;
use crate::ir::{FunctionId, Program};
use crate::pipeline::{Level, ModelSize, Options, Verdict};

/// Locations of entries that are run at least.
const LARGEST: usize = 2_000;

pub fn is_too_large(program: &Program, entry: FunctionId, options: &Options) -> bool {
    let size =
        || reached(program, entry).iter().map(|id| program.function(*id).graph.node_count()).sum::<usize>();
    effort::is_quick(options) && size() > LARGEST
}

pub fn by_summaries(marked: &Marked, summaries: &Summaries, entry: FunctionId, start: Instant) -> Answers {
    let functions = reached(&marked.program, entry);
    let mut places = BTreeMap::new();
    for function in &functions {
        let first = marked.places.partition_point(|place| place.function < *function);
        let own = marked.places[first..].iter().take_while(|place| place.function == *function);
        for (offset, place) in own.enumerate() {
            let known = match summaries.excludes(*function, place.location) {
                Some(summary) => {
                    let (cells, may_edges) = (summary.cells, summary.may_edges);
                    known(Reach::Never, Evidence::Proof(Proof { cells, may_edges, ..Proof::default() }))
                }
                None => known(Reach::Open, Evidence::Cause(cause())),
            };
            places.insert(first + offset, known);
        }
    }
    let loops = marked.loops_of(&functions).map(|(index, _)| {
        let kind = CauseKind::Loop;
        (index, known(Verdict::Maybe, Evidence::Cause(Cause { kind, ..cause() })))
    });
    Answers {
        entry: marked.program.function(entry).name.clone(),
        seconds: start.elapsed().as_secs_f64(),
        places,
        loops: loops.collect(),
    }
}

fn known<T>(answer: T, evidence: Evidence) -> Known<T> {
    let (level, model) = (Level::Abstract, ModelSize::default());
    Known { answer, level, model, evidence, solver: None, inevitable: false }
}

fn cause() -> Cause {
    let limit = Some("steps".to_string());
    Cause::limit(None, vec![Attempt { precision: "joined", cells: 0, limit }])
}
