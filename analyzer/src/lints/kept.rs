//! Answers that are kept from one run to the next, each under the digest of everything it depends on.
//!
//! What is decided for an entry, a driver or an example is a function of
//! - the part of the marked program that its runs can come to: its functions with their locations, guards, effects,
//!   inputs, names, views, marks and questions, the globals they name with their first values, who calls whom, and in
//!   which order functions and texts stand (`content`, `part`);
//! - what summaries say of these functions;
//! - which questions are asked, what others settled of them, and how closely;
//! - the options, and who answers: this very build of the program, and the solver.
//!
//! All of that is in the key. Nothing else can be: the search is given the slice of the program and reads no other, no
//! file and no text. Where things stand counts by its order alone, which is all that an analysis without a text can
//! tell, so answers outlive edits that only move functions; kept answers name places by their rank among those of the
//! part. Numbers of globals and functions, and the names of registers, differ from one program to the next and say
//! nothing: they count by their order, too.
//!
//! What the clock had a say in is not kept, nor is anything where a rule is deliberately wrong. Knows no files: the
//! caller brings what was kept and takes what is to be.

mod content;
mod part;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fixedbitset::FixedBitSet;
use kleene_solver::clock;
use rustc_hash::FxHashMap;

pub use crate::source::sink::{Digest, Sink};
pub use part::{Contents, Part};

use super::decide::{Answers, Asked, OpenQuestions, Sight, Task};
use super::mark::Marked;
use super::summaries::Summary;
use crate::frontend::Notebook;
use crate::ir::FunctionId;
use crate::pipeline::{Options, Solvers};

/// What earlier runs left, and what this one adds.
#[derive(Debug, Default)]
pub struct Kept {
    /// Who answers.
    identity: Digest,
    bytes: Vec<u8>,
    before: FxHashMap<Digest, Range<usize>>,
    used: Mutex<BTreeMap<Digest, Option<Vec<u8>>>>,
    reused: AtomicUsize,
    made: AtomicUsize,
    /// The front end found something out.
    has_learned: AtomicBool,
    /// Something was cut short by the clock.
    is_cut: AtomicBool,
}

/// How many looks of a run were new, and how many were not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    pub reused: usize,
    pub made: usize,
}

impl Kept {
    /// `identity` tells builds of the program and solvers apart; `before` are places of kept answers in the bytes.
    pub fn new(identity: Digest, bytes: Vec<u8>, before: FxHashMap<Digest, Range<usize>>) -> Self {
        Self { identity, bytes, before, ..Self::default() }
    }

    pub fn reuse(&self) -> Reuse {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        Reuse { reused: count(&self.reused), made: count(&self.made) }
    }

    /// Whether there is anything that was not kept before.
    pub fn is_new(&self) -> bool {
        self.reuse().made > 0 || self.has_learned.load(Ordering::Relaxed)
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// What this run asked for: an answer that was kept before, or a new one.
    pub fn used(&self) -> Vec<(Digest, Vec<u8>)> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |key: &Digest, new: &Option<Vec<u8>>| match new {
            Some(new) => Some(new.clone()),
            None => self.find(key).map(<[u8]>::to_vec),
        };
        used.iter().filter_map(|(key, new)| Some((*key, bytes(key, new)?))).collect()
    }

    fn find(&self, key: &Digest) -> Option<&[u8]> {
        self.before.get(key).and_then(|range| self.bytes.get(range.clone()))
    }

    /// What another one was told in this run who asked the same.
    fn found_here(&self, key: &Digest) -> Option<Vec<u8>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned().flatten()
    }

    /// What was kept, or what `work` comes to.
    fn answer<T>(
        &self,
        key: Digest,
        restored: impl Fn(&[u8]) -> Option<T>,
        work: impl FnOnce() -> T,
        stored: impl FnOnce(&T) -> Option<Vec<u8>>,
    ) -> T {
        if let Some(known) = self.find(&key).and_then(&restored) {
            self.reused.fetch_add(1, Ordering::Relaxed);
            self.note(key, None);
            return known;
        }
        if let Some(known) = self.found_here(&key).as_deref().and_then(restored) {
            self.made.fetch_add(1, Ordering::Relaxed);
            return known;
        }
        let before = clock::times();
        let answer = work();
        self.made.fetch_add(1, Ordering::Relaxed);
        if clock::times() != before {
            self.is_cut.store(true, Ordering::Relaxed);
        } else if let Some(bytes) = stored(&answer) {
            self.note(key, Some(bytes));
        }
        answer
    }

    /// The name under which this build keeps what the front end calls so.
    fn own(&self, key: &Digest) -> Digest {
        Sink::of(&(self.identity, key))
    }

    fn note(&self, key: Digest, bytes: Option<Vec<u8>>) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(key, bytes);
    }
}

/// What the front end keeps says itself when it is of use.
impl Notebook for Kept {
    fn recall(&self, key: &Digest) -> Option<&[u8]> {
        self.find(&self.own(key))
    }

    fn used(&self, key: &Digest) {
        self.note(self.own(key), None);
    }

    fn keep(&self, key: &Digest, bytes: Vec<u8>) {
        self.has_learned.store(true, Ordering::Relaxed);
        self.note(self.own(key), Some(bytes));
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }
}

/// What is asked of a part.
#[derive(Clone, Copy)]
pub enum How<'q> {
    /// Everything.
    All,
    Some(&'q Asked<'q>),
    /// Of a function by itself, where some step of the program writes these globals.
    Alone {
        open: &'q OpenQuestions,
        written: &'q FixedBitSet,
        is_entry: bool,
    },
    /// Only what runs show.
    Shown(Sight),
    /// Only what its one run shows.
    Followed,
}

/// Where answers are asked for: kept ones first.
pub struct Desk<'k> {
    marked: &'k Marked,
    kept: Option<(&'k Kept, Contents<'k>, Digest)>,
}

impl<'k> Desk<'k> {
    pub fn new(marked: &'k Marked, kept: Option<&'k Kept>, options: &Options) -> Self {
        let base = kept.and_then(|kept| Some((kept, base(kept.identity, options)?)));
        Self { marked, kept: base.map(|(kept, base)| (kept, Contents::of(marked), base)) }
    }

    pub fn marked(&self) -> &'k Marked {
        self.marked
    }

    /// What an answer for a function depends on; nothing where none are kept.
    pub fn part(&self, entry: FunctionId) -> Option<Part> {
        self.kept.as_ref().map(|(_, contents, _)| contents.part(entry))
    }

    pub fn answers(
        &self,
        part: Option<&Part>,
        how: How<'_>,
        task: Task<'_>,
        work: impl FnOnce() -> Answers,
    ) -> Answers {
        let (Some((kept, _, base)), Some(part)) = (&self.kept, part) else { return work() };
        let mut sink = Sink::new();
        (base, "answers", part.digest).hash(&mut sink);
        self.put_questions(how, part, &mut sink);
        task.standing.hash_into(&part.functions, &part.frame, &mut sink);
        for id in &part.functions {
            task.summaries.never(*id).hash(&mut sink);
        }
        kept.answer(
            sink.digest(),
            |bytes| Answers::restored(bytes, self.marked, &part.frame),
            work,
            |answers| answers.stored(self.marked, &part.frame),
        )
    }

    fn put_questions(&self, how: How<'_>, part: &Part, sink: &mut Sink) {
        match how {
            How::All => "all".hash(sink),
            How::Followed => "followed".hash(sink),
            How::Shown(sight) => ("shown", sight).hash(sink),
            How::Alone { open, written, is_entry } => {
                ("alone", is_entry).hash(sink);
                for global in &part.globals {
                    written.contains(*global as usize).hash(sink);
                }
                self.put_open(open, part, sink);
            }
            How::Some(asked) => {
                ("some", asked.closely, asked.by_runs).hash(sink);
                self.put_open(asked.open, part, sink);
            }
        }
    }

    fn put_open(&self, open: &OpenQuestions, part: &Part, sink: &mut Sink) {
        let places = open.places().into_iter().map(|index| self.marked.places[index]);
        let own = places.map(|place| (part.frame.function(place.function.0), place.location));
        own.collect::<Vec<_>>().hash(sink);
        let loops = open.loops().into_iter().filter_map(|site| self.marked.loop_number(site));
        let own = loops.map(|(function, number)| (part.frame.function(function.0), number));
        own.collect::<Vec<_>>().hash(sink);
    }

    /// `written` are the globals that some step of the program writes: the others start with their first values.
    pub fn summary(
        &self,
        function: FunctionId,
        written: &FixedBitSet,
        work: impl FnOnce() -> Summary,
    ) -> Summary {
        let Some((kept, contents, base)) = &self.kept else { return work() };
        let part = contents.part(function);
        let mut sink = Sink::new();
        (base, "summary", part.digest).hash(&mut sink);
        for global in &part.globals {
            written.contains(*global as usize).hash(&mut sink);
        }
        let count = self.marked.program.globals.len();
        kept.answer(
            sink.digest(),
            |bytes| Summary::restored(bytes, &part.globals, count),
            work,
            // What one below it was cut short in may have cost it something, too.
            |summary| summary.stored(&part.globals).filter(|_| !kept.is_cut()),
        )
    }
}

/// What all answers depend on; none where they are not to be kept.
fn base(identity: Digest, options: &Options) -> Option<Digest> {
    let Options {
        entry,
        integers,
        arithmetic,
        rust,
        granularity,
        watch,
        assume,
        level,
        domain,
        timeout,
        // What it cuts short is not kept.
        deadline: _,
        solver: Solvers { choice, record },
        ladder,
        mutation,
        certify,
    } = options;
    if ladder.is_some() || mutation.is_some() || record.is_some() {
        return None;
    }
    let mut sink = Sink::new();
    (identity, timeout).hash(&mut sink);
    format!("{entry:?} {integers:?} {arithmetic:?} {rust:?} {granularity:?}").hash(&mut sink);
    format!("{watch:?} {assume:?} {level:?} {domain:?} {choice:?} {certify}").hash(&mut sink);
    Some(sink.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_ask_in_one_run_is_found_out_once() {
        let kept = Kept::new([1; 32], Vec::new(), FxHashMap::default());
        let (asked, read) = (AtomicUsize::new(0), |bytes: &[u8]| Some(bytes.to_vec()));
        let ask = |key: Digest| {
            let work = || vec![asked.fetch_add(1, Ordering::Relaxed) as u8];
            kept.answer(key, read, work, |answer| Some(answer.clone()))
        };
        assert_eq!((ask([2; 32]), ask([2; 32]), ask([3; 32])), (vec![0], vec![0], vec![1]));
        // Neither came from an earlier run.
        assert_eq!(kept.reuse(), Reuse { reused: 0, made: 3 });
        assert_eq!(kept.used(), [([2; 32], vec![0]), ([3; 32], vec![1])]);
    }
}
