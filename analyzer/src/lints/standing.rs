//! What is known of the questions while entries are looked at one after the other: what one entry settled nobody needs
//! to ask another.
//!
//! A place that a run came to is reached, whatever else is found. A place that an entry leaves open for good is never
//! excluded any more: of the others only runs can tell something about it. The same holds of places in the source that
//! several instances of a function share, because their answers are put together. Entries are looked at in waves, callees
//! before callers; what a wave found counts from the next one on, so that nothing depends on who is faster.

use std::hash::Hash;

use fixedbitset::FixedBitSet;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;

use super::decide::Answers;
use super::mark::Marked;
use super::severity::is_ordinary;
use super::{Lint, Question, Reach};
use crate::evidence::Evidence;
use crate::ir::slice::callees;
use crate::ir::{FunctionId, LocationId, Program};
use crate::pipeline::Verdict;
use crate::source::Span;
use crate::source::stored::Frame;

/// What is still asked of a place or a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Nothing: it is settled.
    Nothing,
    /// Whether a run shows it.
    Runs,
    Everything,
}

/// Whether what an answer leaves open stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Nobody else is asked the same.
    Final,
    /// A driver will be.
    Passing,
}

pub struct Standing<'m> {
    marked: &'m Marked,
    /// Per place: the sites it decides.
    sites: Vec<Vec<u32>>,
    /// Per site: the number of its span and lint.
    keys: Vec<u32>,
    /// Places that runs come to, and those for which one run more would say nothing new.
    reached: FixedBitSet,
    settled: FixedBitSet,
    stuck: FixedBitSet,
    /// Loops, by the site's number.
    endless: FixedBitSet,
    open_loops: FixedBitSet,
    /// Spans with their lints.
    shown: FixedBitSet,
    doubtful: FixedBitSet,
    /// How often runs were made for them in vain.
    tries: Vec<u8>,
    /// Places that fail: how many of those who look at all of them saw nothing better than extreme runs, or no way past.
    second_looks: Vec<u8>,
}

/// So many look for ordinary runs to what fails, and for ways past it.
const MOST_SECOND_LOOKS: u8 = 4;

impl<'m> Standing<'m> {
    pub fn new(marked: &'m Marked) -> Self {
        let mut numbers = FxHashMap::default();
        let keys: Vec<u32> = marked
            .sites
            .iter()
            .map(|site| {
                let next = numbers.len() as u32;
                *numbers.entry((site.span, site.lint)).or_insert(next)
            })
            .collect();
        let mut sites = vec![Vec::new(); marked.places.len()];
        for (number, site) in marked.sites.iter().enumerate() {
            for place in site.question.places() {
                if let Some(index) = marked.index(place) {
                    sites[index].push(number as u32);
                }
            }
        }
        let empty = FixedBitSet::with_capacity;
        Self {
            marked,
            sites,
            keys,
            reached: empty(marked.places.len()),
            settled: empty(marked.places.len()),
            stuck: empty(marked.places.len()),
            endless: empty(marked.sites.len()),
            open_loops: empty(marked.sites.len()),
            shown: empty(numbers.len()),
            doubtful: empty(numbers.len()),
            tries: vec![0; numbers.len()],
            second_looks: vec![0; marked.places.len()],
        }
    }

    pub fn of_place(&self, index: usize) -> Wanted {
        let all = |known: &FixedBitSet| {
            let mut sites = self.sites[index].iter();
            sites.all(|site| known.contains(self.keys[*site as usize] as usize))
        };
        if self.settled.contains(index) || all(&self.shown) {
            Wanted::Nothing
        } else if self.stuck.contains(index) || all(&self.doubtful) {
            Wanted::Runs
        } else {
            Wanted::Everything
        }
    }

    /// By the site's number.
    pub fn of_loop(&self, site: usize) -> Wanted {
        let key = self.keys[site] as usize;
        if self.endless.contains(site) || self.shown.contains(key) {
            Wanted::Nothing
        } else if self.open_loops.contains(site) || self.doubtful.contains(key) {
            Wanted::Runs
        } else {
            Wanted::Everything
        }
    }

    /// Nothing is asked of spans and lints that are settled elsewhere.
    pub fn set_aside(&mut self, is_settled: impl Fn((Span, Lint)) -> bool) {
        for (site, key) in self.marked.sites.iter().zip(&self.keys) {
            if is_settled((site.span, site.lint)) {
                self.shown.insert(*key as usize);
            }
        }
    }

    /// Whether runs of these functions will hardly show anything: what they could was looked for so often in vain.
    pub fn is_exhausted(&self, functions: &[FunctionId], most: u8) -> bool {
        self.unsettled(functions).all(|key| self.tries[key] >= most)
    }

    /// Notes that runs of these functions were made.
    pub fn note_tries(&mut self, functions: &[FunctionId]) {
        let mut keys: Vec<usize> = self.unsettled(functions).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().for_each(|key| self.tries[key] = self.tries[key].saturating_add(1));
    }

    /// Whether runs were made in vain for all that a place decides.
    pub fn was_tried(&self, index: usize) -> bool {
        self.sites[index].iter().all(|site| self.tries[self.keys[*site as usize] as usize] > 0)
    }

    pub fn forget_tries(&mut self) {
        self.tries.fill(0);
    }

    /// Spans with their lints that somebody still asks about.
    fn unsettled(&self, functions: &[FunctionId]) -> impl Iterator<Item = usize> {
        let places = functions.iter().flat_map(|id| self.marked.place_numbers(*id));
        let open = places.filter(|index| self.of_place(*index) != Wanted::Nothing);
        let sites = open.flat_map(|index| self.sites[index].iter().map(|site| *site as usize));
        let loops = self.marked.loops_of(functions).map(|(site, _)| site);
        let loops = loops.filter(|site| self.of_loop(*site) != Wanted::Nothing);
        sites.chain(loops).map(|site| self.keys[site] as usize)
    }

    /// All that is not asked in full of these functions, by their order.
    pub fn hash_into(&self, functions: &[FunctionId], frame: &Frame, sink: &mut impl std::hash::Hasher) {
        for id in functions {
            for index in self.marked.place_numbers(*id) {
                match (self.of_place(index), self.was_tried(index)) {
                    (Wanted::Everything, false) => {}
                    (wanted, tried) => {
                        let own = frame.function(id.0);
                        (own, self.marked.places[index].location, wanted, tried).hash(sink);
                    }
                }
            }
        }
        for (number, (site, _)) in self.marked.loops_of(functions).enumerate() {
            (number, self.of_loop(site)).hash(sink);
        }
    }

    /// What an entry found.
    pub fn note(&mut self, answers: &Answers, weight: Weight) {
        for (index, known) in answers.places() {
            match known.answer {
                Reach::Reached => {
                    self.reached.insert(index);
                    let plain = match &known.evidence {
                        Evidence::Run(run) => is_ordinary(run, &self.marked.program),
                        _ => true,
                    };
                    let failing = self.marked.failing.contains(&self.marked.places[index]);
                    self.second_looks[index] = self.second_looks[index].saturating_add(1);
                    let enough = self.second_looks[index] >= MOST_SECOND_LOOKS;
                    if !failing || enough || plain && !known.inevitable {
                        self.settled.insert(index);
                    }
                }
                Reach::Open if weight == Weight::Final => self.stuck.insert(index),
                Reach::Open | Reach::Never => continue,
            }
            self.note_sites(index);
        }
        for (site, verdict) in answers.loops() {
            let key = self.keys[site] as usize;
            match verdict {
                Verdict::False => {
                    self.endless.insert(site);
                    self.shown.insert(key);
                }
                Verdict::Maybe | Verdict::Error if weight == Weight::Final => {
                    self.open_loops.insert(site);
                    self.doubtful.insert(key);
                }
                _ => {}
            }
        }
    }

    /// What a place that something became known of means for its sites.
    fn note_sites(&mut self, index: usize) {
        for at in 0..self.sites[index].len() {
            let site = self.sites[index][at] as usize;
            let number = |place| self.marked.index(place);
            let is = |known: &FixedBitSet, place| number(place).is_some_and(|index| known.contains(index));
            let certain = |place| is(&self.reached, place) || is(&self.stuck, place);
            let (shown, doubtful) = match &self.marked.sites[site].question {
                Question::Happens(place) => (is(&self.settled, *place), is(&self.stuck, *place)),
                Question::Unreachable(place) => (is(&self.reached, *place), is(&self.stuck, *place)),
                Question::Constant { yes, no, .. } => {
                    let both = is(&self.reached, *yes) && is(&self.reached, *no);
                    (both, certain(*yes) && certain(*no))
                }
                Question::Read { .. } | Question::Stays(_) => (false, false),
            };
            let key = self.keys[site] as usize;
            self.shown.set(key, self.shown.contains(key) || shown);
            self.doubtful.set(key, self.doubtful.contains(key) || doubtful);
        }
    }
}

/// Positions in a list, so many of a group at a time, those of callees before those of their callers. Who else is asked
/// makes no difference to a group.
pub fn waves(
    program: &Program,
    functions: &[FunctionId],
    most: usize,
    group: &dyn Fn(FunctionId) -> u32,
) -> Vec<Vec<usize>> {
    let heights = heights(program);
    let height = |at: &usize| heights[functions[*at].0 as usize];
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(height);
    let mut waves: Vec<Vec<usize>> = Vec::new();
    for level in order.chunk_by(|left, right| height(left) == height(right)) {
        let first = waves.len();
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for at in level {
            let count = counts.entry(group(functions[*at])).or_default();
            let own = first + *count / most;
            *count += 1;
            waves.resize_with(waves.len().max(own + 1), Vec::new);
            waves[own].push(*at);
        }
    }
    waves
}

/// Per function: how many calls there are below it at most, those of recursion counted once.
fn heights(program: &Program) -> Vec<usize> {
    let mut graph: DiGraph<(), (), u32> = DiGraph::new();
    for _ in &program.functions {
        graph.add_node(());
    }
    for (from, function) in program.functions.iter().enumerate() {
        for to in callees(function) {
            graph.add_edge(LocationId::new(from), LocationId::new(to.0 as usize), ());
        }
    }
    let mut heights = vec![0; program.functions.len()];
    for component in petgraph::algo::tarjan_scc(&graph) {
        let below = component.iter().flat_map(|node| graph.neighbors(*node));
        let outside = below.filter(|callee| !component.contains(callee));
        let own = outside.map(|callee| heights[callee.index()] + 1).max().unwrap_or(0);
        component.iter().for_each(|node| heights[node.index()] = own);
    }
    heights
}
