//! What is worth trying where a run begins: for each slot its bounds, constants of the program, and what it is for.

use std::ops::Range;
use std::rc::Rc;

use kleene_domains::Int;

use super::Walks;
use super::kinds::{Kind, Kinds};
use super::policy::{Among, Policy};
use super::texts::Text;
use crate::interpret::cuts::{Cuts, Facts};
use crate::ir::slice::Slice;
use crate::ir::{FunctionId, Program, VariableId};
use crate::lints::mark::Marked;

pub struct Worth {
    pub cuts: Cuts,
    pub kinds: Kinds,
    pub slots: Vec<Slot>,
    pub texts: Vec<Text>,
}

impl Worth {
    pub fn of(marked: &Marked, slice: &Slice, walks: &Walks, parameters: &Range<usize>) -> Self {
        let program = &slice.program;
        let facts: Vec<&Facts> =
            slice.origin.iter().map(|id| marked.facts.of(&marked.program, *id)).collect();
        let own = |id: FunctionId| slice.own(id).expect("a slice has all that it calls");
        let cuts = Cuts::carrying(program, &facts, &own, walks.cuts);
        let said = slice.origin.iter().map(|id| marked.kinds.of(&marked.program, *id));
        let kinds = Kinds::of(program, said, walks.sight);
        let slots = slots(program, &cuts, &kinds);
        let texts = Text::all(&slots, parameters.clone());
        Self { cuts, kinds, slots, texts }
    }
}

/// A slot of the initial state.
pub struct Slot {
    pub low: Option<Int>,
    pub high: Option<Int>,
    /// Constants worth trying.
    cuts: Rc<[Int]>,
    pub kind: Kind,
}

impl Slot {
    pub fn any(&self, policy: &mut Policy<'_>) -> Int {
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        policy.value(&Among { low, high, cuts: &self.cuts, kind: self.kind })
    }

    pub fn holds(&self, value: &Int) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value)
            && self.high.as_ref().is_none_or(|high| value <= high)
    }
}

/// The slots of the initial state in their order; only parameters and globals have values worth trying.
fn slots(program: &Program, cuts: &Cuts, kinds: &Kinds) -> Vec<Slot> {
    let entry = program.entry_function();
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..entry.locals.len() as u32).map(VariableId::Local);
    let mut slots = Vec::new();
    for variable in globals.chain(locals) {
        let scalars = program.variable(program.entry, variable).ty.scalars();
        if scalars.is_empty() {
            continue;
        }
        let cuts: Rc<[Int]> = cuts.of_variable(program.entry, variable).into();
        for ty in scalars {
            let range = ty.range();
            let [low, high] = [range.low(), range.high()].map(|bound| bound.finite().cloned());
            let kind = kinds.of_variable(program.entry, variable, ty);
            slots.push(Slot { low, high, cuts: cuts.clone(), kind });
        }
    }
    slots
}
