//! Numbers that are looked at as numbers of another type: the same bytes under two names. Whatever is written under one
//! is there under the other at once.

use super::super::super::types::Integer;
use super::super::number::wrapped;
use super::{Memory, Place, Stop, Value};

/// Longer lists are not looked at so, nor more of them.
const LONGEST: usize = 1 << 12;
const MOST_VIEWS: usize = 64;

/// A slot that has what is in a list, from one element on.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// A list, or a number by itself.
    list: Place,
    from: u32,
    of: Integer,
    seen_as: Integer,
    slot: u32,
}

/// A byte, if somebody knows it.
type Byte = Option<u8>;

impl Memory {
    /// The slot of numbers of one type that has those of a list of another type, as a target with the least byte first does.
    pub fn viewed(&mut self, list: &Place, from: u32, of: Integer, seen_as: Integer) -> Result<u32, Stop> {
        if self.is_shared(list) {
            return Err("a static under another type");
        }
        let is_it = |view: &&View| {
            (view.list.slot, &view.list.path, view.from) == (list.slot, &list.path, from)
                && (view.of, view.seen_as) == (of, seen_as)
        };
        if let Some(view) = self.views.iter().find(is_it) {
            return Ok(view.slot);
        }
        if self.views.len() == MOST_VIEWS {
            return Err("too many lists under other types");
        }
        let mut view = View { list: list.clone(), from, of, seen_as, slot: 0 };
        let seen = self.seen(&view)?;
        view.slot = self.new_slot(seen)?;
        let slot = view.slot;
        self.views.push(view);
        Ok(slot)
    }

    /// Something was written there.
    pub(super) fn rewritten(&mut self, slot: u32) -> Result<(), Stop> {
        match self.views.iter().find(|view| view.slot == slot).cloned() {
            Some(view) => {
                let written = self.write_back(&view);
                match written {
                    Ok(()) => self.rewritten(view.list.slot),
                    Err(_) => {
                        self.refresh(view.list.slot);
                        written
                    }
                }
            }
            None => {
                self.refresh(slot);
                Ok(())
            }
        }
    }

    fn refresh(&mut self, slot: u32) {
        for at in 0..self.views.len() {
            if self.views[at].list.slot == slot {
                let (view, own) = (self.views[at].clone(), self.views[at].slot);
                // What it was made of may be gone.
                self.slots[own as usize] = self.seen(&view).unwrap_or(Value::Unseen);
                self.refresh(own);
            }
        }
    }

    fn seen(&self, view: &View) -> Result<Value, Stop> {
        let mut bytes = Vec::new();
        self.numbers_at(&view.list)?
            .iter()
            .skip(view.from as usize)
            .for_each(|value| bytes_of(value, view.of, &mut bytes));
        let numbers = bytes.chunks_exact(width(view.seen_as)).map(|bytes| number_of(bytes, view.seen_as));
        Ok(Value::list(numbers.collect()))
    }

    /// The elements of a list, or a number by itself as the only one.
    fn numbers_at(&self, list: &Place) -> Result<&[Value], Stop> {
        let values = match self.whole(list)? {
            Value::Parts(parts) => parts.list.as_slice(),
            value => std::slice::from_ref(value),
        };
        if values.len() > LONGEST { Err("a long list under another type") } else { Ok(values) }
    }

    fn write_back(&mut self, view: &View) -> Result<(), Stop> {
        let mut new = Vec::new();
        self.numbers_at(&Place::of(view.slot))?
            .iter()
            .for_each(|value| bytes_of(value, view.seen_as, &mut new));
        let mut changed = Vec::new();
        let own = self.numbers_at(&view.list)?.iter().enumerate().skip(view.from as usize);
        for ((at, value), wanted) in own.zip(new.chunks(width(view.of))) {
            let mut bytes = Vec::new();
            bytes_of(value, view.of, &mut bytes);
            // The last one may be seen in part.
            if bytes[..wanted.len()] != *wanted {
                bytes[..wanted.len()].copy_from_slice(wanted);
                changed.push((at, number_of(&bytes, view.of)));
            }
        }
        let is_list = matches!(self.whole(&view.list)?, Value::Parts(_));
        for (at, value) in changed {
            let place = if is_list { view.list.at(at as u32) } else { view.list.clone() };
            *self.whole_mut(&place)? = value;
        }
        Ok(())
    }
}

fn width(ty: Integer) -> usize {
    ty.ty.bits as usize / 8
}

fn bytes_of(value: &Value, ty: Integer, bytes: &mut Vec<Byte>) {
    match value {
        Value::Number(number) => {
            bytes.extend(number.to_le_bytes()[..width(ty)].iter().map(|byte| Some(*byte)))
        }
        _ => bytes.extend(std::iter::repeat_n(None, width(ty))),
    }
}

fn number_of(bytes: &[Byte], ty: Integer) -> Value {
    let mut number = [0; 16];
    for (byte, known) in number.iter_mut().zip(bytes) {
        match known {
            Some(known) => *byte = *known,
            None => return Value::Unseen,
        }
    }
    Value::Number(wrapped(ty.ty, i128::from_le_bytes(number)))
}
