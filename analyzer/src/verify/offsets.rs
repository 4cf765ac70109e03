//! What whole calls do to globals: behind a call of f the global is what it was before it plus a constant.
//!
//! Each location of f has a number: how far the global is from what it was at f's entry. That is 0 at the entry, and
//! every step leads from one number to the next: by what it assigns, over a call by the number of the callee.
//! Where f returns the number is that of the call. By induction on the steps of a call that returns, with those
//! of the calls inside it, the numbers are right.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, Interval, Var};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::ask::{Asker, Known};
use super::slots::{Slots, store};
use super::{Checked, Doubt, wrong};
use crate::evidence::certificate::Offset;
use crate::ir::{Effect, FunctionId, LocationId, Place};

type Calls = FxHashMap<(FunctionId, usize), Int>;

/// The constants, each of them shown to be right if all are.
pub fn checked(slots: &Slots<'_>, written: &[Offset]) -> Checked<Calls> {
    let mut calls = Calls::default();
    for offset in written {
        let Some(function) = slots.named(&offset.function) else {
            return wrong("an offset is of a function that is not there");
        };
        let slot = offset.slot as usize;
        if slot >= slots.layout.global_slots as usize {
            return wrong("an offset is of a slot that is no global's");
        }
        if calls.insert((function, slot), offset.by.0.clone()).is_some() {
            return wrong("an offset is given twice");
        }
    }
    for offset in written {
        let Some(function) = slots.named(&offset.function) else { continue };
        let by = &offset.by.0;
        let at = offset.at.iter().map(|(location, by)| (LocationId::new(*location), by.0.clone())).collect();
        let one = Numbers { slots, calls: &calls, function, slot: offset.slot as usize, by, at };
        one.check().map_err(|doubt| {
            let what = format!("what calls of `{}` add to slot {}", offset.function, offset.slot);
            match doubt {
                Doubt::Wrong(reason) => Doubt::Wrong(format!("{what}: {reason}")),
                Doubt::Open(reason) => Doubt::Open(format!("{what}: {reason}")),
            }
        })?;
    }
    Ok(calls)
}

/// The numbers of one function for one global.
struct Numbers<'n, 'p> {
    slots: &'n Slots<'p>,
    calls: &'n Calls,
    function: FunctionId,
    slot: usize,
    by: &'n Int,
    at: FxHashMap<LocationId, Int>,
}

impl Numbers<'_, '_> {
    fn check(&self) -> Checked<()> {
        let function = self.slots.program.function(self.function);
        if self.at.get(&function.entry) != Some(&Int::ZERO) {
            return wrong("it is not 0 at the entry");
        }
        let mut locations: Vec<(&LocationId, &Int)> = self.at.iter().collect();
        locations.sort_unstable();
        for (location, own) in locations {
            let Some(place) = function.graph.node_weight(*location) else {
                return wrong("a location is not there");
            };
            if *location == function.exit && own != self.by {
                return wrong("it is another at the exit");
            }
            let inputs = &mut place.inputs.iter();
            if inputs.any(|input| self.may_be(&input.place)) {
                return wrong("the global is drawn");
            }
            for edge in function.graph.edges(*location) {
                self.check_edge(own, &edge.weight().effect, edge.target())?;
            }
        }
        Ok(())
    }

    fn check_edge(&self, own: &Int, effect: &Effect, target: LocationId) -> Checked<()> {
        match effect {
            Effect::Return(_) if own == self.by => Ok(()),
            Effect::Return(_) => wrong("it is another at a return"),
            Effect::Fail(_) | Effect::Discard | Effect::Stop => Ok(()),
            Effect::Assign(assignments) => {
                let Some(next) = self.at.get(&target) else { return wrong("a location has none") };
                self.adds(assignments, &(next - own))
            }
            Effect::Call { function, result, .. } => {
                let Some(by) = self.calls.get(&(*function, self.slot)) else {
                    return wrong("nothing is said of a call");
                };
                if result.as_ref().is_some_and(|place| self.may_be(place)) {
                    return wrong("a result is stored in the global");
                }
                match self.at.get(&target) {
                    Some(next) if *next == own + by => Ok(()),
                    _ => wrong("it is another behind a call"),
                }
            }
        }
    }

    /// The variable of a place has the slot.
    fn may_be(&self, place: &Place) -> bool {
        let state = self.state();
        let frame = self.slots.innermost(self.function, &state);
        let root = Place { variable: place.variable, path: Vec::new() };
        let slots = self.slots.program.place_type(self.function, &root).slots() as usize;
        frame.places(&root).iter().any(|(_, first)| (*first..first + slots).contains(&self.slot))
    }

    fn state(&self) -> Vec<Expr> {
        let slots = self.slots.layout.global_slots + self.slots.layout.frame(self.function);
        (0..slots).map(|slot| Expr::Variable(Var(slot))).collect()
    }

    /// Whatever the variables are, the assignments add the number to the global.
    fn adds(&self, assignments: &[(Place, crate::ir::Expr)], number: &Int) -> Checked<()> {
        let before = self.state();
        let frame = self.slots.innermost(self.function, &before);
        let mut after = before.clone();
        for (place, value) in assignments {
            store(&mut after, &frame.places(place), &frame.expr(value));
        }
        let sum = Expr::binary(BinaryOp::Add, before[self.slot].clone(), Expr::Constant(number.clone()));
        let differs = Cond::Compare(CompareOp::NotEqual, after[self.slot].clone(), sum);
        Asker.impossible(&Known { range: &|_| Interval::top(), facts: &[] }, &[differs])
    }
}
