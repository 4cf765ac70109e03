//! Values as trees, and places that hold them.

mod views;

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
    /// A number between two, which is all that is known of it: what there is room for.
    Between(i128, i128),
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
    /// So many structures of one field are looked for around what is there.
    pub around: u32,
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

    /// What there is room for where so many are.
    pub fn room(least: usize) -> Self {
        Self::Between(least as i128, u64::MAX.into())
    }

    pub fn between(least: i128, most: i128) -> Self {
        if least == most { Self::Number(least) } else { Self::Between(least, most) }
    }

    /// Between which numbers it is, of counts.
    pub fn range(&self) -> Option<(i128, i128)> {
        match self {
            Self::Number(number) => Some((*number, *number)),
            Self::Between(least, most) => Some((*least, *most)),
            _ => None,
        }
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
            (Self::Between(least, most), Self::Between(low, high)) => least == low && most == high,
            (Self::Parts(one), Self::Parts(other)) => {
                let pairs = || one.list.iter().zip(&other.list);
                one.tag == other.tag
                    && one.list.len() == other.list.len()
                    && pairs().all(|(one, other)| one.is_same(other))
            }
            (Self::Closure(one), Self::Closure(other)) => Rc::ptr_eq(one, other),
            (Self::Place(one), Self::Place(other)) => {
                (one.slot, &one.path, one.part, one.around)
                    == (other.slot, &other.path, other.part, other.around)
            }
            _ => false,
        }
    }

    pub fn parts(&self) -> Result<&Rc<Parts>, Stop> {
        match self {
            Self::Parts(parts) => Ok(parts),
            Self::Unseen | Self::Between(..) => Err("a value that nobody knows"),
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
        Self { slot, path: SmallVec::new(), part: None, listed: false, around: 0 }
    }

    /// A field, or an element of what is there.
    pub fn at(&self, index: u32) -> Self {
        if self.around > 0 {
            debug_assert_eq!(index, 0);
            return Self { around: self.around - 1, ..self.clone() };
        }
        let mut path = self.path.clone();
        path.push(self.part.map_or(0, |(start, _)| start) + index);
        Self { slot: self.slot, path, part: None, listed: false, around: 0 }
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
    /// Places of statics, which others may have written.
    shared: Vec<u32>,
    /// But for the elements of a list.
    open: Option<Place>,
    /// The same while ways are tried that may not be taken.
    fence: u32,
    /// The first slot that was written since somebody watches.
    first: u32,
    /// Lists that are there under other types, too.
    views: Vec<views::View>,
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
        if place.around > 0 {
            return Err("a value under another type");
        }
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
        self.forget_kept();
    }

    fn forget_kept(&mut self) {
        if self.sealed == 0 && self.fence == 0 {
            self.kept.clear();
        }
    }

    /// The elements of which list can be written, however it is sealed; says which it was before.
    pub fn open(&mut self, list: Option<Place>) -> Option<Place> {
        std::mem::replace(&mut self.open, list)
    }

    /// What is there may not be written, whoever asks.
    pub fn fence(&mut self) -> u32 {
        std::mem::replace(&mut self.fence, self.slots.len() as u32)
    }

    pub fn unfence(&mut self, before: u32) {
        self.fence = before;
        self.forget_kept();
    }

    /// Begins to watch what is written; says how it was, and what there is.
    pub fn watch(&mut self) -> (u32, u32) {
        (std::mem::replace(&mut self.first, u32::MAX), self.slots.len() as u32)
    }

    /// Whether nothing was written that had been there.
    pub fn watched(&mut self, (before, count): (u32, u32)) -> bool {
        let first = self.first;
        self.first = first.min(before);
        first >= count
    }

    /// A place that was there before, though nobody had asked for it.
    pub fn keep(&mut self, slot: u32) {
        self.shared.push(slot);
        if self.sealed > 0 || self.fence > 0 {
            self.kept.push(slot);
        }
    }

    pub fn is_shared(&self, place: &Place) -> bool {
        self.shared.contains(&place.slot)
    }

    pub fn whole_mut(&mut self, place: &Place) -> Result<&mut Value, Stop> {
        let is_open = || {
            let inside = |list: &Place| list.slot == place.slot && place.path.starts_with(&list.path);
            self.open.as_ref().is_some_and(inside) && place.part.is_none()
        };
        if (place.slot < self.sealed || self.kept.contains(&place.slot)) && !is_open() {
            return Err("a write where std asks in its own order");
        }
        if place.slot < self.fence || place.around > 0 {
            return Err("a write on a way that may not be taken");
        }
        // What everybody sees was there before, whoever asked for it first.
        self.first = if self.is_shared(place) { 0 } else { self.first.min(place.slot) };
        let mut value = &mut self.slots[place.slot as usize];
        for index in &place.path {
            value.parts()?;
            let Value::Parts(parts) = value else { return Err("a value of another kind") };
            value = Rc::make_mut(parts).list.get_mut(*index as usize).ok_or("a part that is not there")?;
        }
        Ok(value)
    }

    /// What is there was written, other than with `store`.
    pub fn written(&mut self, place: &Place) -> Result<(), Stop> {
        if self.views.is_empty() { Ok(()) } else { self.rewritten(place.slot) }
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
        if place.around > 0 {
            return Ok(Value::list(vec![self.load(&place.at(0))?]));
        }
        match place.part {
            Some(_) => Ok(Value::list(self.elements(place)?.to_vec())),
            None => match self.whole(place)? {
                Value::Moved => Err("a value that was taken away"),
                value => Ok(value.clone()),
            },
        }
    }

    pub fn store(&mut self, place: &Place, value: Value) -> Result<(), Stop> {
        if place.around > 0 {
            let inner = value.into_parts()?.list.pop().ok_or("a part that is not there")?;
            return self.store(&place.at(0), inner);
        }
        match place.part {
            None => {
                *self.whole_mut(place)? = value;
                self.written(place)
            }
            Some(_) => Err("a part that is written as a whole"),
        }
    }
}
