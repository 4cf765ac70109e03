//! Values that nobody may choose and nobody knows: a run goes on with their bounds.
//!
//! Every guard such a run meets is decided by the bounds, so it takes the same way whatever the values are: the run
//! exists, though nobody can say which of its values are which. Where the bounds decide nothing it stops.

use std::collections::BTreeMap;
use std::sync::Arc;

use kleene_domains::concrete as arithmetic;
use kleene_domains::{Int, Value, bounded};

use super::{Interpreter, State, Stop, Values};
use crate::ir::{Cond, Expr, Place, VariableId};

/// The slots whose values are only bounded; one of the values they may have stands in their place. Nothing where there
/// are none; states share it like their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounded(Option<Arc<BTreeMap<u32, Value>>>);

impl Bounded {
    pub fn contains(&self, slot: u32) -> bool {
        self.get(slot).is_some()
    }

    pub fn get(&self, slot: u32) -> Option<&Value> {
        self.0.as_ref()?.get(&slot)
    }

    /// The slots of which something else may be known.
    fn changed<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = u32> + 'b {
        let is_same = match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        let both = [self, other].into_iter().filter(move |_| !is_same);
        both.flat_map(|bounded| bounded.0.iter().flat_map(|slots| slots.keys().copied()))
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn insert(&mut self, slot: u32, value: Value) {
        Arc::make_mut(self.0.get_or_insert_default()).insert(slot, value);
    }

    fn remove(&mut self, slot: u32) {
        if self.contains(slot)
            && let Some(slots) = &mut self.0
        {
            let slots = Arc::make_mut(slots);
            slots.remove(&slot);
            if slots.is_empty() {
                self.0 = None;
            }
        }
    }
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    Exactly(Int),
    Within(Value),
}

impl Found {
    pub fn within(value: Value) -> Self {
        match value.as_constant() {
            Some(constant) => Self::Exactly(constant.clone()),
            None => Self::Within(value),
        }
    }

    pub fn put(self, slot: u32, values: &mut Values, bounded: &mut Bounded) {
        match self {
            Self::Exactly(value) => {
                values.set(slot as usize, value);
                bounded.remove(slot);
            }
            Self::Within(value) => {
                values.set(slot as usize, value.witness().unwrap_or_default());
                bounded.insert(slot, value);
            }
        }
    }
}

impl State {
    /// Whether the value of a global, or of a local of one frame, is known.
    pub fn knows(&self, depth: usize, variable: VariableId, slot: u32) -> bool {
        match variable {
            VariableId::Global(_) => !self.bounded.contains(slot),
            VariableId::Local(_) => !self.frames[depth].bounded.contains(slot),
        }
    }

    /// The slots of globals, and of locals of one frame, at which the values or what is known of them may be others; each
    /// in order.
    pub fn changed(&self, other: &Self, depth: usize) -> [Vec<u32>; 2] {
        let (own, others) = (&self.frames[depth], &other.frames[depth]);
        let globals = self.globals.changed(&other.globals).chain(self.bounded.changed(&other.bounded));
        let locals = own.locals.changed(&others.locals).chain(own.bounded.changed(&others.bounded));
        [globals.collect(), locals.collect()].map(|mut slots: Vec<u32>| {
            slots.sort_unstable();
            slots.dedup();
            slots
        })
    }

    /// What is known of the value in a slot of the globals or of the innermost frame.
    pub(super) fn found_in(&self, variable: VariableId, slot: u32) -> Found {
        let frame = self.frames.last().expect("a state has a frame");
        let (values, bounded) = match variable {
            VariableId::Global(_) => (&self.globals, &self.bounded),
            VariableId::Local(_) => (&frame.locals, &frame.bounded),
        };
        match bounded.get(slot) {
            Some(value) => Found::Within(value.clone()),
            None => Found::Exactly(values[slot as usize].clone()),
        }
    }

    pub(super) fn put(&mut self, variable: VariableId, slot: u32, value: Found) {
        let frame = self.frames.last_mut().expect("a state has a frame");
        match variable {
            VariableId::Global(_) => value.put(slot, &mut self.globals, &mut self.bounded),
            VariableId::Local(_) => value.put(slot, &mut frame.locals, &mut frame.bounded),
        }
    }

    /// Whether everything that can be read here is known.
    fn is_plain(&self) -> bool {
        self.bounded.is_empty() && self.frames.last().is_none_or(|frame| frame.bounded.is_empty())
    }
}

impl Interpreter<'_> {
    pub(super) fn found(&self, state: &State, expr: &Expr) -> Result<Found, Stop> {
        if state.is_plain() {
            return Ok(Found::Exactly(self.eval(state, expr)));
        }
        if let Some(value) = self.try_eval(state, expr) {
            return Ok(Found::Exactly(value));
        }
        let value = bounded::value(expr, &mut |place: &Place| Some(self.within(state, place)));
        value.map(Found::within).ok_or(Stop::Unseen)
    }

    pub(super) fn exactly(&self, state: &State, expr: &Expr) -> Result<Int, Stop> {
        match self.found(state, expr)? {
            Found::Exactly(value) => Ok(value),
            Found::Within(_) => Err(Stop::Unseen),
        }
    }

    pub(super) fn decided(&self, state: &State, cond: &Cond) -> Result<bool, Stop> {
        if state.is_plain() {
            return Ok(self.holds(state, cond));
        }
        let mut known = true;
        let exact = arithmetic::holds(cond, &mut |place: &Place| {
            self.read(state, place).unwrap_or_else(|| {
                known = false;
                Int::ZERO
            })
        });
        if let Some(answer) = exact.filter(|_| known) {
            return Ok(answer);
        }
        bounded::decide(cond, &mut |place: &Place| Some(self.within(state, place))).ok_or(Stop::Unseen)
    }

    /// A place whose index nobody knows may be any of several.
    pub(super) fn slot(&self, state: &State, place: &Place) -> Result<u32, Stop> {
        match self.try_slot(state, place) {
            Some(slot) => Ok(slot),
            None if state.is_plain() => panic!("a place is in bounds where its guard holds"),
            None => Err(Stop::Unseen),
        }
    }

    /// What is known of the value in a place.
    fn within(&self, state: &State, place: &Place) -> Value {
        let frame = state.frames.last().expect("a state has a frame");
        let Some(slot) = self.try_slot(state, place) else {
            return self.program.place_type(frame.function, place).any_value();
        };
        let (values, bounded) = match place.variable {
            VariableId::Global(_) => (&state.globals, &state.bounded),
            VariableId::Local(_) => (&frame.locals, &frame.bounded),
        };
        match bounded.get(slot) {
            Some(value) => value.clone(),
            None => Value::constant(&values[slot as usize]),
        }
    }
}
