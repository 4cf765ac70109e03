//! The part of a program that an answer depends on, and its name.

use std::hash::Hash;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::super::mark::Marked;
use super::content::{Content, contents};
use crate::ir::{FunctionId, VariableId};
use crate::source::FileId;
use crate::source::sink::{Digest, Sink};
use crate::source::stored::Frame;

/// The contents of a program, found once for all its parts.
pub struct Contents<'m> {
    marked: &'m Marked,
    functions: Vec<Content>,
    globals: Vec<Content>,
    /// Which globals get their first values in which order: each with how many in a row.
    order: Vec<(u32, usize)>,
}

/// All that runs from one function can come to.
pub struct Part {
    pub digest: Digest,
    pub frame: Frame,
    pub functions: Vec<FunctionId>,
    /// In order.
    pub globals: Vec<u32>,
}

impl<'m> Contents<'m> {
    pub fn of(marked: &'m Marked) -> Self {
        let (functions, globals) = contents(marked);
        let mut order: Vec<(u32, usize)> = Vec::new();
        for initialiser in &marked.program.initialisers {
            let VariableId::Global(index) = initialiser.place().variable else { continue };
            match order.last_mut() {
                Some((last, count)) if *last == index => *count += 1,
                _ => order.push((index, 1)),
            }
        }
        Self { marked, functions, globals, order }
    }

    pub fn part(&self, entry: FunctionId) -> Part {
        let functions = self.marked.names.reached(entry);
        let globals = self.globals_of(&functions);
        let content = |id: &FunctionId| &self.functions[id.0 as usize];
        let all = || {
            let globals = globals.iter().map(|index| &self.globals[*index as usize]);
            functions.iter().map(content).chain(globals)
        };
        let mut positions: Vec<(FileId, u32)> =
            all().flat_map(|content| content.positions.iter().copied()).collect();
        positions.sort_unstable();
        positions.dedup();
        let frame = Frame::new(positions, functions.iter().map(|id| id.0).collect());

        let mut sink = Sink::new();
        (functions.len(), globals.len()).hash(&mut sink);
        // The order of functions in the whole is that of their questions.
        let mut sorted = functions.clone();
        sorted.sort_unstable();
        let rank: FxHashMap<FunctionId, usize> = sorted.into_iter().zip(0..).collect();
        for id in &functions {
            rank[id].hash(&mut sink);
            for callee in &content(id).callees {
                frame.function(callee.0).hash(&mut sink);
            }
        }
        for content in all() {
            content.digest.hash(&mut sink);
            for global in &content.globals {
                globals.binary_search(global).hash(&mut sink);
            }
            frame.ranks(&content.positions).for_each(|rank| rank.hash(&mut sink));
        }
        frame.files().for_each(|first| first.hash(&mut sink));
        for (global, count) in &self.order {
            if let Ok(own) = globals.binary_search(global) {
                (own, count).hash(&mut sink);
            }
        }
        Part { digest: sink.digest(), frame, functions, globals }
    }

    /// Those that are named, and those that the first values of these are made of.
    fn globals_of(&self, functions: &[FunctionId]) -> Vec<u32> {
        let mut found = FixedBitSet::with_capacity(self.globals.len());
        let named = functions.iter().flat_map(|id| &self.functions[id.0 as usize].globals);
        let mut pending: Vec<u32> = named.copied().collect();
        while let Some(global) = pending.pop() {
            if !found.put(global as usize) {
                pending.extend(&self.globals[global as usize].globals);
            }
        }
        found.ones().map(|index| index as u32).collect()
    }
}
