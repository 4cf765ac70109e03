//! Entries once more, with more of their slices followed.
//!
//! States of explorations grow with every element that is followed; those of single runs cost little. So functions that look
//! behind the windows of slices are lowered a second time, with wide ones, and begin runs that only show: whatever such
//! a run comes to is reached, and what none comes to says nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{Instance, ProgramLowerer};
use super::Making;
use crate::frontend::{Driver, Example};
use crate::ir::slice::callees;
use crate::ir::{self, FunctionId, InputSource};

impl ProgramLowerer<'_, '_> {
    /// Examples of entries that may look behind the windows of slices. Nothing is lowered with usual ones afterwards.
    pub(super) fn wide(
        &mut self,
        entries: &[(FunctionId, Instance)],
        drivers: &[Driver],
        examples: &[Example],
        making: &mut Making,
    ) -> Vec<Example> {
        if self.context.configuration.only_explores {
            return Vec::new();
        }
        let far = self.looking_far();
        let drivers = drivers.iter().map(|driver| (driver.entry, driver.driver));
        let begins = drivers.chain(examples.iter().map(|example| (example.entry, example.begins)));
        let of_others: FxHashSet<FunctionId> =
            begins.filter(|(_, begins)| far.contains(begins)).map(|(entry, _)| entry).collect();
        let asked = entries.iter().filter(|(entry, _)| far.contains(entry) || of_others.contains(entry));
        let asked: Vec<(FunctionId, Instance)> = asked.cloned().collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let (functions, added, too_large) = (self.functions.len(), making.added.len(), self.too_large.len());
        self.context.widen();
        self.instances.clear();
        self.tables.clear();
        self.typed.clear();
        making.known.clear();
        let mut list = Vec::new();
        for (entry, (function, _)) in asked {
            if let Some(begins) = self.example(function, making) {
                list.push(Example { entry, begins, wide: true });
            }
        }
        self.work();
        if self.too_large.len() > too_large {
            // There are steps that only fit with usual windows: nobody refers to what was made here.
            self.too_large.truncate(too_large);
            self.functions.truncate(functions);
            making.added.truncate(added);
            self.callables.retain(|id, _| (id.0 as usize) < functions);
            return Vec::new();
        }
        list.retain(|example| self.compiles(example.begins));
        list
    }

    /// Functions whose runs may come to an element behind a window.
    fn looking_far(&self) -> FxHashSet<FunctionId> {
        let functions = (0..).map(FunctionId).zip(self.functions.iter().flatten());
        let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let mut found: Vec<FunctionId> = Vec::new();
        for (id, function) in functions {
            callees(function).for_each(|callee| callers.entry(callee).or_default().push(id));
            if looks_far(function) {
                found.push(id);
            }
        }
        let mut known: FxHashSet<FunctionId> = found.iter().copied().collect();
        while let Some(id) = found.pop() {
            let before = callers.get(&id).into_iter().flatten();
            found.extend(before.filter(|caller| known.insert(**caller)));
        }
        known
    }
}

/// Whether a function draws elements that nobody sees.
fn looks_far(function: &ir::Function) -> bool {
    let mut inputs = function.graph.node_weights().flat_map(|location| &location.inputs);
    inputs.any(|input| matches!(input.source, InputSource::Unseen) && !input.place.path.is_empty())
}
