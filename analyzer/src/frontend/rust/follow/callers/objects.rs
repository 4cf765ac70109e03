//! Values that public functions make and change.

use super::super::super::hir::{FnId, Mutability};
use super::super::super::privacy::{Change, Wrapped};
use super::super::super::types::Ty;
use super::super::value::{Place, Value};
use super::super::{Flow, Flowing, Follower};
use super::make::NO_WAY;
use super::ways::{Out, Ways};

/// Ways that are tried where functions answer that there is no such value.
const MOST_TRIES: u32 = 4;

impl Follower<'_, '_> {
    /// A value that public functions make, and change a few times.
    pub(super) fn made_by_calls(&mut self, ty: &Ty, depth: u32) -> Flowing<Value> {
        let ways = self.ways(ty)?;
        let all = ways.count();
        if all == 0 {
            return Err(Flow::Stop(NO_WAY));
        }
        self.tell(|_| "{ ".into());
        let mut tries = 0;
        let value = loop {
            let told = std::mem::take(&mut self.calling()?.text);
            let value = self.made_in_a_way(ty, &ways, all, depth);
            let calling = self.calling()?;
            calling.text = match (&value, &calling.text) {
                (Ok(Some(_)), call) => format!("{told}let mut it = {call}"),
                // One that is not even tried.
                (_, call) if call.is_empty() => told,
                (_, call) => format!("{told}forget({call}); "),
            };
            tries += 1;
            match value? {
                Some(value) => break value,
                None if tries < MOST_TRIES => {}
                None => return Err(Flow::Stop("a value that is not there")),
            }
        };
        self.tell(|_| "; ".into());
        let mut place = self.placed(value)?;
        if !ways.made.changers.is_empty() {
            for _ in 0..[0, 0, 1, 1, 2, 3, 5, 9][self.calling()?.draws.below(8)] {
                let at = self.calling()?.draws.below(ways.made.changers.len());
                let ((function, generics), change) = &ways.made.changers[at];
                place = self.changed(place, ty, (*function, generics), *change, depth)?;
            }
        }
        self.tell(|_| "it }".into());
        Ok(self.memory.load(&place)?)
    }

    /// One try; nothing where what gives it says that there is none.
    fn made_in_a_way(&mut self, ty: &Ty, ways: &Ways, all: usize, depth: u32) -> Flowing<Option<Value>> {
        let made = &ways.made;
        let mut way = self.calling()?.draws.below(all);
        if way < ways.more() {
            return self.made_in_another_way(ways, way, depth);
        }
        way -= ways.more();
        if let Some(((function, generics), wrapped)) = made.makers.get(way) {
            let parameters = self.parameters(*function, generics);
            if self.calling()?.unknown.contains(&(*function, generics.clone())) {
                return Ok(None);
            }
            self.tell_path(*function, generics);
            let values = self.all_made(&parameters, depth + 1)?;
            let value = self.called_by_anybody(*function, generics, values);
            if matches!(value, Err(Flow::Stop(_))) && self.steps > 0 {
                self.calling()?.unknown.insert((*function, generics.clone()));
            }
            return self.unwrapped(value?, *wrapped);
        }
        if let Some(id) = made.constants.get(way - made.makers.len()) {
            self.tell(|follower| follower.context.constant_callable(*id).path + "()");
            let place = self.constant_place(*id, &[])?;
            return Ok(Some(self.memory.load(&place)?));
        }
        let text = self.context.default_callable(ty).map(|callable| format!("{}()", callable.path));
        self.tell(|_| text.unwrap_or_default());
        self.default_value(ty, 0).map(Some)
    }

    /// A constant, or a part of what a function gives.
    fn made_in_another_way(&mut self, ways: &Ways, way: usize, depth: u32) -> Flowing<Option<Value>> {
        // How it is taken out is not written down.
        self.calling()?.answers = true;
        if let Some((id, generics)) = ways.constants.get(way) {
            let name = &self.context.items.constant(*id).name;
            self.tell(|_| name.clone());
            let place = self.constant_place(*id, generics)?;
            return Ok(Some(self.memory.load(&place)?));
        }
        let ((function, generics), out) = &ways.inside[way - ways.constants.len()];
        let signature = self.signature(*function, generics);
        self.tell_path(*function, generics);
        let values = self.all_made(&signature.parameters, depth + 1)?;
        let mut value = self.called_by_anybody(*function, generics, values)?;
        for step in out {
            let mut parts = value.into_parts()?;
            value = match step {
                Out::Field(at) => parts.list.swap_remove(*at as usize),
                Out::Variant(tag) if parts.tag == *tag => parts.list.swap_remove(0),
                Out::Variant(_) => return Ok(None),
            };
        }
        Ok(Some(value))
    }

    /// One call more; the place of the value afterwards.
    fn changed(
        &mut self,
        place: Place,
        ty: &Ty,
        (function, generics): (FnId, &[Ty]),
        change: Change,
        depth: u32,
    ) -> Flowing<Place> {
        let declared = self.context.items.function(function);
        let signature = self.signature(function, generics);
        let parameters = &signature.parameters;
        let of_it = |part: &Ty| *part == *ty || matches!(part, Ty::Reference(_, inner) if **inner == *ty);
        let Some(own) = parameters.iter().position(of_it) else {
            return Err(Flow::Stop(NO_WAY));
        };
        let lent = matches!(parameters[own], Ty::Reference(..));
        // Lent for no longer than the call.
        if lent && !declared.brief.get(own).copied().unwrap_or(false) {
            return Ok(place);
        }
        let replaced = matches!(change, Change::Replaced(_));
        self.tell(|_| match (replaced, lent) {
            (true, true) => "let old = lent(it); let mut it = ".into(),
            (true, false) => "it = ".into(),
            (false, _) => "forget(".into(),
        });
        self.tell_path(function, generics);
        self.tell(|_| "(".into());
        let mut values = Vec::with_capacity(parameters.len());
        for (index, part) in parameters.iter().enumerate() {
            if index > 0 {
                self.tell(|_| ", ".into());
            }
            values.push(match part {
                part if index != own => self.made(part, depth + 1)?,
                Ty::Reference(mutability, _) => {
                    self.tell(|_| match (replaced, mutability) {
                        (false, Mutability::Mutable) => "&mut it".into(),
                        (false, Mutability::Shared) => "&it".into(),
                        (true, Mutability::Mutable) => "&mut *old".into(),
                        (true, Mutability::Shared) => "&*old".into(),
                    });
                    Value::Place(place.clone().into())
                }
                _ => {
                    self.tell(|_| "it".into());
                    self.memory.load(&place)?
                }
            });
        }
        self.tell(|_| ")".into());
        let value = self.called_by_anybody(function, generics, values)?;
        match change {
            Change::Lent => {
                self.tell(|_| "); ".into());
                Ok(place)
            }
            Change::Replaced(wrapped) => {
                let value = self.unwrapped(value, wrapped)?;
                self.tell(|_| "; ".into());
                // The old one may still be lent.
                self.placed(value.ok_or("a value that is not there")?)
            }
        }
    }

    fn unwrapped(&mut self, value: Value, wrapped: Wrapped) -> Flowing<Option<Value>> {
        let good = match wrapped {
            Wrapped::Plain => return Ok(Some(value)),
            Wrapped::Some => 1,
            Wrapped::Ok => 0,
        };
        let mut parts = value.into_parts()?;
        if parts.tag != good {
            return Ok(None);
        }
        self.tell(|_| match wrapped {
            Wrapped::Ok => ".ok().unwrap()".into(),
            _ => ".unwrap()".into(),
        });
        Ok(Some(parts.list.swap_remove(0)))
    }
}
