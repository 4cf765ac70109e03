//! A part of the questions: what changed, or a share of the work.
//!
//! What entries say of places is put together, and what one settled is not asked of the others. So a place is told only
//! where everybody who can come to it is asked. Shares go further: entries that can come to the same places, or to
//! instances of the same text, are never torn apart, and nothing that is found out for one group of them depends on
//! another group, so that all shares together say what the whole says.

use std::hash::Hash;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Restricted;
use super::kept::{Contents, Digest, Sink};
use super::mark::{self, Marked};
use super::{Lint, Site};
use crate::ir::{FunctionId, Program};
use crate::source::Span;

/// Which questions are asked.
#[derive(Clone, Copy, Debug, Default)]
pub enum Scope<'s> {
    #[default]
    Whole,
    /// One of several shares, from zero.
    Share { part: usize, of: usize },
    /// What is not the same as in an earlier program, and what can be told differently because of it.
    Since(&'s Earlier),
}

/// All that was there before: the names of the parts that entries, drivers and examples can come to.
#[derive(Clone, Debug, Default)]
pub struct Earlier(FxHashSet<Digest>);

impl Earlier {
    pub fn of(
        program: &Program,
        entries: &[FunctionId],
        restricted: &Restricted<'_>,
        wanted: &[Lint],
    ) -> Self {
        let added = restricted.drivers.map_or(&[][..], |drivers| &drivers.added);
        let marked = mark::marked(program, wanted, added);
        let begins = Beginnings::of(&marked, entries, restricted);
        let contents = Contents::of(&marked);
        Self(begins.list.iter().map(|begin| begin.digest(&contents, restricted)).collect())
    }
}

/// What is asked and told.
pub struct Chosen {
    /// Entries, drivers and examples.
    asked: FixedBitSet,
    /// Functions whose sites are told; all if there is none.
    told: Option<FixedBitSet>,
    /// The group of every function.
    groups: Vec<u32>,
    /// Entries that are asked, of how many.
    pub count: (usize, usize),
}

impl Chosen {
    pub fn of(
        marked: &Marked,
        entries: &[FunctionId],
        restricted: &Restricted<'_>,
        scope: Scope<'_>,
    ) -> Self {
        let begins = Beginnings::of(marked, entries, restricted);
        let groups = groups(marked, &begins);
        let size = marked.program.functions.len();
        let (mut asked, mut told) = (FixedBitSet::with_capacity(size), FixedBitSet::with_capacity(size));
        match scope {
            Scope::Whole => {
                asked.insert_range(..);
                let count = (entries.len(), entries.len());
                return Self { asked, told: None, groups, count };
            }
            Scope::Share { part, of } => {
                let shares = shares(marked, &begins, &groups, of);
                told.extend((0..size).filter(|function| shares[groups[*function] as usize] == part));
                asked = told.clone();
            }
            Scope::Since(earlier) => {
                let contents = Contents::of(marked);
                let is_new = |begin: &&Beginning| !earlier.0.contains(&begin.digest(&contents, restricted));
                let new = begins.list.iter().filter(is_new);
                told.extend(new.flat_map(|begin| &begin.reached).map(|id| id.0 as usize));
                close(marked, &begins, &mut told, &mut asked);
            }
        }
        let own = entries.iter().filter(|entry| asked.contains(entry.0 as usize)).count();
        Self { asked, told: Some(told), groups, count: (own, entries.len()) }
    }

    pub fn asks(&self, begin: FunctionId) -> bool {
        self.asked.contains(begin.0 as usize)
    }

    pub fn tells(&self, function: FunctionId) -> bool {
        self.told.as_ref().is_none_or(|told| told.contains(function.0 as usize))
    }

    pub fn group(&self, function: FunctionId) -> u32 {
        self.groups[function.0 as usize]
    }
}

/// Where runs begin.
struct Beginning {
    id: FunctionId,
    /// The entry it speaks for.
    entry: FunctionId,
    reached: Vec<FunctionId>,
}

impl Beginning {
    /// The name of all that its answers depend on, summaries and what others settled aside.
    fn digest(&self, contents: &Contents<'_>, restricted: &Restricted<'_>) -> Digest {
        let Restricted { private, drivers, large, hidden, examples, called_unseen: _, passed: _ } =
            restricted;
        let mut sink = Sink::new();
        contents.part(self.id).digest.hash(&mut sink);
        let lists = [private, large, hidden].map(|list| list.contains(&self.entry));
        let driver = drivers.and_then(|drivers| drivers.list.iter().find(|driver| driver.driver == self.id));
        let example = examples.iter().any(|example| example.begins == self.id);
        (lists, driver.map(|driver| driver.complete), example).hash(&mut sink);
        sink.digest()
    }
}

struct Beginnings {
    list: Vec<Beginning>,
}

impl Beginnings {
    fn of(marked: &Marked, entries: &[FunctionId], restricted: &Restricted<'_>) -> Self {
        let own = entries.iter().map(|entry| (*entry, *entry));
        let drivers = restricted.drivers.iter().flat_map(|drivers| &drivers.list);
        let drivers = drivers.map(|driver| (driver.driver, driver.entry));
        let examples = restricted.examples.iter().map(|example| (example.begins, example.entry));
        let begin = |(id, entry)| Beginning { id, entry, reached: marked.names.reached(id) };
        Self { list: own.chain(drivers).chain(examples).map(begin).collect() }
    }
}

/// Adds the entries that can come to what is told, and the instances of the same texts.
fn close(marked: &Marked, begins: &Beginnings, told: &mut FixedBitSet, asked: &mut FixedBitSet) {
    let mut by_text: FxHashMap<(Span, Lint), Vec<usize>> = FxHashMap::default();
    for Site { span, lint, function, .. } in &marked.sites {
        by_text.entry((*span, *lint)).or_default().push(function.0 as usize);
    }
    for functions in by_text.values().filter(|functions| functions.iter().any(|id| told.contains(*id))) {
        // What one instance of it means for the text is known with all of them.
        asked.extend(functions.iter().copied());
    }
    told.union_with(asked);
    asked.clear();
    let speaks = |id: &FunctionId| has_questions(marked, *id) && told.contains(id.0 as usize);
    let concerned: FxHashSet<FunctionId> = begins
        .list
        .iter()
        .filter(|begin| begin.reached.iter().any(speaks))
        .map(|begin| begin.entry)
        .collect();
    let own = begins.list.iter().filter(|begin| concerned.contains(&begin.entry));
    asked.extend(own.flat_map(|begin| [begin.id, begin.entry]).map(|id| id.0 as usize));
}

fn has_questions(marked: &Marked, id: FunctionId) -> bool {
    !marked.place_numbers(id).is_empty() || marked.loops_of(&[id]).next().is_some()
}

/// The group of each function: those that somebody asks about together.
fn groups(marked: &Marked, begins: &Beginnings) -> Vec<u32> {
    let mut sets = petgraph::unionfind::UnionFind::<u32>::new(marked.program.functions.len());
    for begin in &begins.list {
        sets.union(begin.id.0, begin.entry.0);
        for id in begin.reached.iter().filter(|id| has_questions(marked, **id)) {
            sets.union(begin.id.0, id.0);
        }
    }
    let mut first: FxHashMap<(Span, Lint), FunctionId> = FxHashMap::default();
    for Site { span, lint, function, .. } in &marked.sites {
        let same = *first.entry((*span, *lint)).or_insert(*function);
        sets.union(same.0, function.0);
    }
    sets.into_labeling()
}

/// The numbers of all places in the source, from one, in order: every share counts the same.
pub fn numbers(marked: &Marked) -> FxHashMap<(Span, Lint), usize> {
    let mut keys: Vec<(Span, Lint)> = marked.sites.iter().map(|site| (site.span, site.lint)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().zip(1..).collect()
}

/// The share of each group: the largest first, each to whoever has least to do.
fn shares(marked: &Marked, begins: &Beginnings, groups: &[u32], of: usize) -> Vec<usize> {
    let size = |id: &FunctionId| marked.program.function(*id).graph.node_count();
    let mut weights = vec![0; groups.len()];
    for begin in &begins.list {
        let all: usize = begin.reached.iter().map(size).sum();
        weights[groups[begin.id.0 as usize] as usize] += all;
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|group| (std::cmp::Reverse(weights[*group]), *group));
    let mut loads = vec![0; of];
    let mut shares = vec![0; groups.len()];
    for group in order {
        let least = (0..of).min_by_key(|part| (loads[*part], *part)).unwrap_or(0);
        shares[group] = least;
        loads[least] += weights[group];
    }
    shares
}
