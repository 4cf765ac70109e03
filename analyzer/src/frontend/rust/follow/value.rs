//! Values as trees, and places that hold them.

use std::rc::Rc;

use smallvec::SmallVec;

use super::super::hir::{ExprId, LocalId};
use super::super::infer::Typing;
use super::{Code, Stop};

#[derive(Clone, Debug)]
pub enum Value {
    /// Nobody knows it. What depends on it ends the run.
    Unseen,
    /// It was taken away.
    Moved,
    /// A number, a truth, a letter, the bits of a float; of `u128` and `i128` all bits.
    Number(i128),
    Parts(Rc<Parts>),
    Place(Rc<Place>),
    /// The number of a place in memory, where values take a byte. Only how far two are apart is known.
    Address(Rc<Place>),
    Closure(Rc<Made>),
}

/// A tuple, a structure, an array, the elements of a slice, the bytes of a text; of an enumeration the variant and its
/// fields.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    pub tag: u32,
    pub list: Vec<Value>,
}

/// Where a value is: in a slot, in a part of a part of it. A part of a list is where it begins and how long it is.
#[derive(Clone, Debug)]
pub struct Place {
    pub slot: u32,
    pub path: SmallVec<[u32; 6]>,
    pub part: Option<(u32, u32)>,
    /// It is an element of a list: others lie beside it.
    pub listed: bool,
}

/// A closure: the code around it, where what it names is, and what it holds itself.
#[derive(Clone, Debug)]
pub struct Made {
    pub code: Code,
    pub typing: Rc<Typing>,
    pub expr: ExprId,
    pub names: Vec<(LocalId, u32)>,
    /// Copied with it; calls leave it as they change it.
    pub held: Vec<(LocalId, Value)>,
}

impl Value {
    pub fn list(list: Vec<Value>) -> Self {
        Self::Parts(Rc::new(Parts { tag: 0, list }))
    }

    pub fn variant(tag: u32, list: Vec<Value>) -> Self {
        Self::Parts(Rc::new(Parts { tag, list }))
    }

    pub fn unit() -> Self {
        Self::list(Vec::new())
    }

    pub fn truth(truth: bool) -> Self {
        Self::Number(i128::from(truth))
    }

    pub fn size(size: usize) -> Self {
        Self::Number(size as i128)
    }

    pub fn text(text: &[u8]) -> Self {
        Self::list(text.iter().map(|byte| Self::Number(i128::from(*byte))).collect())
    }

    pub fn option(value: Option<Value>) -> Self {
        match value {
            Some(value) => Self::variant(1, vec![value]),
            None => Self::variant(0, Vec::new()),
        }
    }

    pub fn result(value: Result<Value, Value>) -> Self {
        match value {
            Ok(value) => Self::variant(0, vec![value]),
            Err(error) => Self::variant(1, vec![error]),
        }
    }

    /// Whether nothing tells two values apart; `false` where that is not known.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Parts(one), Self::Parts(other)) => {
                let pairs = || one.list.iter().zip(&other.list);
                one.tag == other.tag
                    && one.list.len() == other.list.len()
                    && pairs().all(|(one, other)| one.is_same(other))
            }
            (Self::Closure(one), Self::Closure(other)) => Rc::ptr_eq(one, other),
            (Self::Place(one), Self::Place(other)) => {
                one.slot == other.slot && one.path == other.path && one.part == other.part
            }
            _ => false,
        }
    }

    pub fn parts(&self) -> Result<&Rc<Parts>, Stop> {
        match self {
            Self::Parts(parts) => Ok(parts),
            Self::Unseen => Err("a value that nobody knows"),
            Self::Moved => Err("a value that was taken away"),
            _ => Err("a value of another kind"),
        }
    }

    /// The parts of one that nobody else looks at.
    pub fn into_parts(self) -> Result<Parts, Stop> {
        match self {
            Self::Parts(parts) => Ok(Rc::try_unwrap(parts).unwrap_or_else(|parts| (*parts).clone())),
            other => other.parts().map(|parts| (**parts).clone()),
        }
    }
}

impl Place {
    pub fn of(slot: u32) -> Self {
        Self { slot, path: SmallVec::new(), part: None, listed: false }
    }

    /// A field, or an element of what is there.
    pub fn at(&self, index: u32) -> Self {
        let mut path = self.path.clone();
        path.push(self.part.map_or(0, |(start, _)| start) + index);
        Self { slot: self.slot, path, part: None, listed: false }
    }

    /// An element of the list there.
    pub fn element(&self, index: u32) -> Self {
        Self { listed: true, ..self.at(index) }
    }

    /// So many elements from one on.
    pub fn narrowed(&self, start: u32, count: u32) -> Self {
        let before = self.part.map_or(0, |(start, _)| start);
        Self { part: Some((before + start, count)), ..self.clone() }
    }
}

/// What a run may hold at most.
const MOST_SLOTS: usize = 2_000_000;

#[derive(Debug, Default)]
pub struct Memory {
    slots: Vec<Value>,
    /// What may not be written: all before this one, and some that came later.
    sealed: u32,
    kept: Vec<u32>,
}

impl Memory {
    pub fn new_slot(&mut self, value: Value) -> Result<u32, Stop> {
        if self.slots.len() >= MOST_SLOTS {
            return Err("too many values");
        }
        self.slots.push(value);
        Ok(self.slots.len() as u32 - 1)
    }

    /// What is there, parts of lists apart.
    pub fn whole(&self, place: &Place) -> Result<&Value, Stop> {
        let mut value = &self.slots[place.slot as usize];
        for index in &place.path {
            value = value.parts()?.list.get(*index as usize).ok_or("a part that is not there")?;
        }
        Ok(value)
    }

    /// From now on what is there cannot be written; how it was before.
    pub fn seal(&mut self) -> u32 {
        std::mem::replace(&mut self.sealed, self.slots.len() as u32)
    }

    /// For now everything can be written; how it was.
    pub fn unsealed(&mut self) -> u32 {
        std::mem::take(&mut self.sealed)
    }

    pub fn seal_again(&mut self, sealed: u32) {
        self.sealed = sealed;
    }

    /// What is there can be written as before.
    pub fn unseal(&mut self, before: u32) {
        self.sealed = before;
        if before == 0 {
            self.kept.clear();
        }
    }

    /// A place that was there before, though nobody had asked for it.
    pub fn keep(&mut self, slot: u32) {
        if self.sealed > 0 {
            self.kept.push(slot);
        }
    }

    pub fn whole_mut(&mut self, place: &Place) -> Result<&mut Value, Stop> {
        if place.slot < self.sealed || self.kept.contains(&place.slot) {
            return Err("a write where std asks in its own order");
        }
        let mut value = &mut self.slots[place.slot as usize];
        for index in &place.path {
            value.parts()?;
            let Value::Parts(parts) = value else { return Err("a value of another kind") };
            value = Rc::make_mut(parts).list.get_mut(*index as usize).ok_or("a part that is not there")?;
        }
        Ok(value)
    }

    /// How many elements are there.
    pub fn length(&self, place: &Place) -> Result<usize, Stop> {
        match place.part {
            Some((_, count)) => Ok(count as usize),
            None => Ok(self.whole(place)?.parts()?.list.len()),
        }
    }

    /// The elements there.
    pub fn elements(&self, place: &Place) -> Result<&[Value], Stop> {
        let list = &self.whole(place)?.parts()?.list;
        match place.part {
            Some((start, count)) => {
                list.get(start as usize..(start + count) as usize).ok_or("a part that is not there")
            }
            None => Ok(list),
        }
    }

    pub fn load(&self, place: &Place) -> Result<Value, Stop> {
        match place.part {
            Some(_) => Ok(Value::list(self.elements(place)?.to_vec())),
            None => match self.whole(place)? {
                Value::Moved => Err("a value that was taken away"),
                value => Ok(value.clone()),
            },
        }
    }

    pub fn store(&mut self, place: &Place, value: Value) -> Result<(), Stop> {
        match place.part {
            None => {
                *self.whole_mut(place)? = value;
                Ok(())
            }
            Some(_) => Err("a part that is written as a whole"),
        }
    }
}
