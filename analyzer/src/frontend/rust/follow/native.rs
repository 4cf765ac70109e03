//! Functions of std whose text says less than a run can know: pointers, memory that is not there yet, orders and searches.
//!
//! What an exploration has to give up a run knows: a pointer is a place. It stays so while only its type changes to one of
//! the same form. Orders and searches are plain Rust in our own text (`standard/exact.rs.txt`); what they ask their closures
//! the library may ask otherwise, so that nothing they pass counts.

use super::super::hir::FnId;
use super::super::items::{AdtKind, Arrangement};
use super::super::traits::TraitName;
use super::super::types::{Length, Ty};
use super::atomics::Atomic;
use super::either::UNKNOWN;
use super::number::{bits, wrapped};
use super::show::Written;
use super::tables::Table;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// The value as it is, under another type.
    Same,
    /// A value that is not there yet.
    Absent,
    /// All bits are 0.
    Zeroed,
    /// What is in the place that is lent or pointed to.
    Read,
    /// The place itself.
    Lent,
    Write,
    WriteAndLend,
    Replace,
    Swap,
    Forget,
    /// Copies of one value in all places of a list.
    Fill,
    /// A list as another one of the same length.
    CopyAll,
    /// Elements of a part as those of another one of the same length.
    CopyWithin,
    /// Arrays that are copies of a list's elements, and the rest of it.
    Chunks,
    EndInPlace,
    Copy {
        from_first: bool,
    },
    /// A pointer to the first element, of a list or of a vector around it.
    First {
        boxed: bool,
    },
    /// Pointers to the first element and behind the last one.
    FirstToLast,
    /// The element at an index, without a check.
    Element,
    /// So many elements from a pointer on.
    Elements,
    Moved {
        back: bool,
    },
    Offset,
    Distance,
    IsNull,
    /// The place in a structure around a pointer.
    Wrapped,
    WrappedOption,
    Unwrapped,
    UnwrappedPlace,
    /// A pointer under another type.
    Cast,
    /// Our own text says exactly what it does.
    Exact(FnId),
    /// The same, and whoever is asked on the way need not be asked so.
    Quiet(FnId),
    /// The same of a list that is put in order, where it answers how many elements are equal to the one before.
    Unstable(FnId),
    /// What is drawn from one of two has no partner in the other: std need not ask for it.
    Zipped(FnId),
    /// It writes a part of a text.
    Written(Written),
    ReverseBits,
    /// How many items an iterator says are left.
    SizeHint,
    /// What there is room for: at least what is there, of a list in the first field.
    Capacity,
    OnTable(Table),
    /// A hash of `RandomState`, and of a hasher of the crate.
    RandomHash,
    Hash,
    /// Whether there is room for more, which nobody knows of a count that nobody knows.
    HasRoom(FnId),
    /// Makes room, which fails where that is too much.
    Room(FnId),
    /// What holds an error of any type.
    IoError(FnId),
    /// A value in a structure that nobody names the fields of.
    Held,
    /// The place of that.
    HeldPlace,
    Atomic(Atomic),
    /// It has pointers, and nobody says what it does with them.
    Unknown,
}

impl Follower<'_, '_> {
    pub(super) fn natively(
        &mut self,
        native: Native,
        generics: &[Ty],
        mut arguments: Vec<Value>,
        result: &Ty,
    ) -> Flowing<Value> {
        let own = generics.first().cloned().unwrap_or(Ty::Opaque);
        match native {
            Native::Same => Ok(arguments.swap_remove(0)),
            Native::Written(written) => self.written_by_std(written, generics, &arguments),
            Native::Absent => self.absent(result, 0),
            Native::Zeroed => self.zeroed(result, 0),
            Native::Forget => Ok(Value::unit()),
            Native::Read => {
                let place = place_of(&arguments[0])?;
                Ok(self.memory.load(&place)?)
            }
            Native::Lent => Ok(Value::Place(place_of(&arguments[0])?.into())),
            Native::Write | Native::WriteAndLend => {
                let place = place_of(&arguments[0])?;
                let value = arguments.swap_remove(1);
                self.memory.store(&place, value)?;
                match native {
                    Native::Write => Ok(Value::unit()),
                    _ => Ok(Value::Place(place.into())),
                }
            }
            Native::Replace => {
                let place = place_of(&arguments[0])?;
                let old = self.memory.load(&place)?;
                let value = arguments.swap_remove(1);
                self.memory.store(&place, value)?;
                Ok(old)
            }
            Native::Swap => {
                let (one, other) = (place_of(&arguments[0])?, place_of(&arguments[1])?);
                let (first, second) = (self.memory.load(&one)?, self.memory.load(&other)?);
                self.memory.store(&one, second)?;
                self.memory.store(&other, first)?;
                Ok(Value::unit())
            }
            Native::Fill | Native::CopyAll | Native::Chunks
                if self.ends(&own) || !self.context.clones_plainly(&own, 0) =>
            {
                Err(Flow::Stop("a clone that its type makes itself"))
            }
            Native::Fill => {
                let list = place_of(&arguments[0])?;
                let count = self.memory.length(&list)?;
                let value = arguments.swap_remove(1);
                self.steps = self.steps.saturating_sub(count / 16);
                for at in 0..count {
                    self.memory.store(&list.element(at as u32), value.clone())?;
                }
                Ok(Value::unit())
            }
            Native::CopyAll => {
                let (to, from) = (place_of(&arguments[0])?, place_of(&arguments[1])?);
                let values = self.memory.elements(&from)?.to_vec();
                if values.len() != self.memory.length(&to)? {
                    return Err(Flow::Panic);
                }
                self.steps = self.steps.saturating_sub(values.len() / 16);
                for (at, value) in values.into_iter().enumerate() {
                    self.memory.store(&to.element(at as u32), value)?;
                }
                Ok(Value::unit())
            }
            Native::CopyWithin => {
                let list = place_of(&arguments[0])?;
                let range = generics.get(1).cloned().unwrap_or(Ty::Opaque);
                let (bounds, to) = (self.bounds_of(&arguments[1], &range)?, self.size(&arguments[2])?);
                let Some(from) = self.part(&list, false, &bounds)? else { return Err(Flow::Panic) };
                let values = self.memory.elements(&from)?.to_vec();
                if to.checked_add(values.len()).is_none_or(|end| Ok(end) > self.memory.length(&list)) {
                    return Err(Flow::Panic);
                }
                self.steps = self.steps.saturating_sub(values.len() / 16);
                for (value, at) in values.into_iter().zip(to..) {
                    self.memory.store(&list.element(at as u32), value)?;
                }
                Ok(Value::unit())
            }
            Native::Chunks => {
                let list = place_of(&arguments[0])?;
                let Ty::Tuple(parts) = result else { return Err(Flow::Stop("chunks")) };
                let Some(Ty::Slice(chunk)) = parts.first().map(Ty::behind) else {
                    return Err(Flow::Stop("chunks"));
                };
                let Ty::Array(_, Length::Known(size @ 1..)) = **chunk else {
                    return Err(Flow::Stop("an array of unknown length"));
                };
                let values = self.memory.elements(&list)?.to_vec();
                self.steps = self.steps.saturating_sub(values.len() / 16);
                let chunks = values.chunks_exact(size as usize);
                let rest = chunks.remainder().len() as u32;
                let copies = chunks.map(|chunk| Value::list(chunk.to_vec())).collect();
                let copies = self.placed(Value::list(copies))?;
                let rest = list.narrowed(values.len() as u32 - rest, rest);
                Ok(Value::list(vec![Value::Place(copies.into()), Value::Place(rest.into())]))
            }
            Native::EndInPlace => {
                let place = place_of(&arguments[0])?;
                self.end(&place, &own)?;
                Ok(Value::unit())
            }
            Native::Copy { from_first } => {
                let (from, to) = match from_first {
                    true => (place_of(&arguments[0])?, place_of(&arguments[1])?),
                    false => (place_of(&arguments[1])?, place_of(&arguments[0])?),
                };
                let count = self.size(&arguments[2])?;
                let mut values = Vec::new();
                for at in 0..count {
                    self.count()?;
                    let place = moved(&from, at as i128)?;
                    values.push(self.memory.whole(&place)?.clone());
                }
                for (at, value) in values.into_iter().enumerate() {
                    let place = moved(&to, at as i128)?;
                    self.memory.store(&place, value)?;
                }
                Ok(Value::unit())
            }
            Native::First { boxed } => {
                let place = place_of(&arguments[0])?;
                let list = if boxed { place.at(0) } else { place };
                Ok(Value::Place(list.element(0).into()))
            }
            Native::FirstToLast => {
                let list = place_of(&arguments[0])?;
                let count = self.memory.length(&list)? as u32;
                let ends = [0, count].map(|at| Value::Place(list.element(at).into()));
                Ok(Value::list(ends.into()))
            }
            Native::Element => {
                let place = place_of(&arguments[0])?;
                let at = self.size(&arguments[1])?;
                match at < self.memory.length(&place)? {
                    true => Ok(Value::Place(place.element(at as u32).into())),
                    false => Err(Flow::Stop("what happens is undefined")),
                }
            }
            Native::Elements => {
                let first = place_of(&arguments[0])?;
                let count = self.size(&arguments[1])?;
                let Some((at, around)) =
                    first.path.split_last().filter(|_| first.listed && first.around == 0)
                else {
                    return Err(Flow::Stop("elements of what is no list"));
                };
                let around =
                    Place { slot: first.slot, path: around.into(), part: None, listed: false, around: 0 };
                if *at as usize + count > self.memory.length(&around)? {
                    return Err(Flow::Stop("elements that are not there"));
                }
                Ok(Value::Place(around.narrowed(*at, count as u32).into()))
            }
            Native::Moved { back } => {
                let by = self.number(&arguments[1])?;
                let place = moved(&place_of(&arguments[0])?, if back { -by } else { by })?;
                Ok(Value::Place(place.into()))
            }
            Native::Offset => {
                let by = self.number(&arguments[1])?;
                Ok(Value::Place(moved(&place_of(&arguments[0])?, by)?.into()))
            }
            Native::Distance => {
                let (one, other) = (place_of(&arguments[0])?, place_of(&arguments[1])?);
                Ok(Value::Number(distance(&one, &other)?))
            }
            Native::IsNull => {
                place_of(&arguments[0])?;
                Ok(Value::truth(false))
            }
            Native::Wrapped => Ok(Value::list(vec![arguments.swap_remove(0)])),
            Native::WrappedOption => {
                place_of(&arguments[0])?;
                Ok(Value::option(Some(Value::list(vec![arguments.swap_remove(0)]))))
            }
            Native::Unwrapped => Ok(arguments.swap_remove(0).into_parts()?.list.swap_remove(0)),
            Native::UnwrappedPlace => {
                let place = place_of(&arguments[0])?;
                let inner = self.memory.load(&place.at(0))?;
                Ok(Value::Place(place_of(&inner)?.into()))
            }
            Native::Cast => {
                let Some(to) = self.pointee(result).cloned() else { return Err(Flow::Stop("a pointer")) };
                self.pointed_as(arguments.swap_remove(0), &own, &to)
            }
            Native::Exact(function) => self.call(function, generics, arguments),
            Native::Zipped(function) => self.zipped(function, generics, arguments),
            Native::Quiet(function) => self.asked_otherwise(function, generics, arguments),
            Native::Unstable(function) => {
                let list = place_of(&arguments[0])?;
                let equal = self.asked_otherwise(function, generics, arguments)?;
                let elements = self.memory.elements(&list)?;
                let same = elements.windows(2).filter(|pair| pair[0].is_same(&pair[1])).count();
                // Nobody says in which order equal ones are.
                match self.size(&equal)? == same {
                    true => Ok(Value::unit()),
                    false => Err(Flow::Stop("an order of equal elements")),
                }
            }
            Native::ReverseBits => match result {
                Ty::Integer(integer) => {
                    let bits = bits(integer.ty, self.number(&arguments[0])?);
                    let reversed = bits.reverse_bits() >> (128 - integer.ty.bits);
                    Ok(Value::Number(wrapped(integer.ty, reversed as i128)))
                }
                _ => Err(Flow::Stop("a number of unknown type")),
            },
            Native::SizeHint => {
                let place = place_of(&arguments[0])?;
                self.size_hint(&place, &own)
            }
            Native::Capacity => {
                let count = self.memory.length(&place_of(&arguments[0])?.at(0))?;
                Ok(Value::room(count))
            }
            Native::OnTable(operation) => self.on_table(operation, generics, arguments),
            Native::RandomHash => {
                let ty = generics.last().cloned().unwrap_or(Ty::Opaque);
                self.random_hash(&arguments[1], &ty)
            }
            Native::HasRoom(function) => match self.number(&arguments[1]) {
                Err(Flow::Stop(UNKNOWN)) => Ok(Value::Unseen),
                _ => self.follow_body(function, generics, arguments),
            },
            Native::Hash => {
                let ty = generics.last().cloned().unwrap_or(Ty::Opaque);
                let value = arguments.pop().ok_or("a call with other arguments")?;
                self.hash_of(arguments.swap_remove(0), &own, &value, &ty)
            }
            Native::Room(function) => {
                let count = match arguments.swap_remove(0) {
                    Value::Between(_, most) => Value::Number(most),
                    count => count,
                };
                self.follow_body(function, generics, vec![count])
            }
            Native::IoError(function) => {
                let ty = generics.first().ok_or("a function for types that are not known")?;
                let error = TraitName::Standard("error::Error".into());
                let is_error = matches!(ty, Ty::Adt(id, _) if !self.context.items.adt(*id).opaque)
                    && self.context.impls_of(&error).any(|(_, target)| target == ty);
                match is_error && !self.ends(ty) {
                    // It is put in a box, without a call.
                    true => Ok(Value::list(vec![arguments.swap_remove(0)])),
                    false => self.follow_body(function, generics, arguments),
                }
            }
            Native::Held => Ok(Value::list(vec![arguments.swap_remove(0)])),
            Native::HeldPlace => Ok(Value::Place(place_of(&arguments[0])?.at(0).into())),
            Native::Atomic(operation) => self.atomic(operation, arguments, result),
            Native::Unknown => Err(Flow::Stop("a pointer")),
        }
    }

    fn zipped(&mut self, function: FnId, generics: &[Ty], arguments: Vec<Value>) -> Flowing<Value> {
        let asks = generics.iter().any(|ty| ty.any(&mut |part| matches!(part, Ty::Callable(..))));
        if asks && self.context.items.function(function).name == "next_back" {
            return Err(Flow::Stop("a closure that std need not ask"));
        }
        let first = place_of(&arguments[0])?.at(0);
        let before = self.memory.whole(&first)?.clone();
        let value = self.follow_body(function, generics, arguments)?;
        let alone = value.parts()?.tag == 0 && !self.memory.whole(&first)?.is_same(&before);
        match asks && alone {
            true => Err(Flow::Stop("a closure that std need not ask")),
            false => Ok(value),
        }
    }

    /// What a function of std answers that asks closures in its own order, and how often it likes: what they pass does not
    /// count, and they may change nothing.
    pub(super) fn asked_otherwise(
        &mut self,
        function: FnId,
        generics: &[Ty],
        arguments: Vec<Value>,
    ) -> Flowing<Value> {
        if generics.iter().any(|ty| self.writes(ty)) {
            return Err(Flow::Stop("a closure that std asks in its own order"));
        }
        self.quietly(function, |this| this.call(function, generics, arguments))
    }

    /// The same of anything that is followed for this function.
    pub(super) fn quietly(
        &mut self,
        function: FnId,
        follow: impl FnOnce(&mut Self) -> Flowing<Value>,
    ) -> Flowing<Value> {
        let (before, asking) = (self.memory.seal(), self.asking.replace(function));
        self.hushed = true;
        self.quiet += 1;
        let value = follow(self);
        self.quiet -= 1;
        self.memory.unseal(before);
        self.asking = asking;
        match value {
            Err(Flow::Panic) => Err(Flow::Stop("a failure in a closure that std asks in its own order")),
            other => other,
        }
    }

    /// A value of which nothing is there yet but its form.
    pub(super) fn absent(&mut self, ty: &Ty, depth: u32) -> Flowing<Value> {
        if depth > 12 {
            return Ok(Value::Unseen);
        }
        match ty {
            Ty::Array(element, Length::Known(length)) if *length <= 1 << 16 => {
                let element = self.absent(element, depth + 1)?;
                Ok(Value::list(vec![element; *length as usize]))
            }
            Ty::Tuple(parts) => {
                let list: Flowing<Vec<Value>> =
                    parts.iter().map(|part| self.absent(part, depth + 1)).collect();
                list.map(Value::list)
            }
            Ty::Adt(id, arguments) if self.is_absent_yet(ty) => {
                let _ = id;
                self.absent(&arguments[0].clone(), depth + 1)
            }
            _ => Ok(Value::Unseen),
        }
    }

    fn is_absent_yet(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Adt(id, arguments)
            if arguments.len() == 1 && self.context.items.is_standard(*id, "MaybeUninit"))
    }

    fn zeroed(&mut self, ty: &Ty, depth: u32) -> Flowing<Value> {
        match ty {
            Ty::Integer(_) | Ty::Float(_) | Ty::Bool | Ty::Char => Ok(Value::Number(0)),
            Ty::Array(element, Length::Known(length)) if *length <= 1 << 16 && depth < 12 => {
                let element = self.zeroed(element, depth + 1)?;
                Ok(Value::list(vec![element; *length as usize]))
            }
            Ty::Adt(_, arguments) if self.is_absent_yet(ty) && depth < 12 => {
                self.zeroed(&arguments[0].clone(), depth + 1)
            }
            _ => self.absent(ty, depth),
        }
    }

    /// How many bytes a value takes, and to what it is aligned, as rustc lays it out where pointers have 64 bits.
    pub(super) fn layout(&self, ty: &Ty) -> Option<(u64, u64)> {
        self.layout_within(ty, 0).filter(|_| self.context.configuration.pointer_width == 64)
    }

    fn layout_within(&self, ty: &Ty, depth: u32) -> Option<(u64, u64)> {
        if depth > 12 {
            return None;
        }
        let inner = |ty: &Ty| self.layout_within(ty, depth + 1);
        let together = |parts: &[Ty]| {
            let mut sum = (0_u64, 1_u64);
            for part in parts {
                let (size, alignment) = inner(part)?;
                sum = (sum.0.checked_add(size)?, sum.1.max(alignment));
            }
            // Parts go from the widest to the narrowest, with nothing between them.
            Some((sum.0.checked_next_multiple_of(sum.1)?, sum.1))
        };
        match ty {
            Ty::Integer(integer) => Some((u64::from(integer.ty.bits / 8), u64::from(integer.ty.bits / 8))),
            Ty::Float(bits) => Some((u64::from(bits / 8), u64::from(bits / 8))),
            Ty::Bool => Some((1, 1)),
            Ty::Char => Some((4, 4)),
            Ty::Tuple(parts) => together(parts),
            Ty::Array(element, Length::Known(length)) => {
                let (size, alignment) = inner(element)?;
                Some((size.checked_mul(*length)?, alignment))
            }
            Ty::Reference(_, referred) => match **referred {
                Ty::Slice(_) | Ty::Str => Some((16, 8)),
                Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_) => None,
                _ => Some((8, 8)),
            },
            Ty::Adt(..) if self.is_absent_yet(ty) => inner(&self.form(ty)),
            ty if self.context.is_pointer(ty) => match self.pointee(ty) {
                Some(Ty::Slice(_) | Ty::Str) => Some((16, 8)),
                Some(Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_)) | None => None,
                Some(_) => Some((8, 8)),
            },
            Ty::Adt(id, arguments) => {
                let items = self.context.items;
                let adt = items.adt(*id);
                if items.is_std_module(adt.module) {
                    let three = ["Vec", "String"].contains(&adt.name.as_str());
                    let boxed = match (adt.name.as_str(), arguments.first()) {
                        ("Box", Some(Ty::Slice(_) | Ty::Str)) => Some((16, 8)),
                        ("Box", Some(Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_)) | None) => None,
                        ("Box", Some(_)) => Some((8, 8)),
                        ("PhantomData", _) => Some((0, 1)),
                        _ => None,
                    };
                    return if three { Some((24, 8)) } else { boxed };
                }
                if adt.opaque {
                    return None;
                }
                let fields = self.context.field_types(*id, arguments);
                match (adt.kind, adt.arranged) {
                    (AdtKind::Struct, Arrangement::Free) => together(&fields),
                    (AdtKind::Struct, Arrangement::InOrder) => {
                        let (mut end, mut widest) = (0_u64, 1_u64);
                        for field in &fields {
                            let (size, alignment) = inner(field)?;
                            end = end.checked_next_multiple_of(alignment)?.checked_add(size)?;
                            widest = widest.max(alignment);
                        }
                        Some((end.checked_next_multiple_of(widest)?, widest))
                    }
                    (AdtKind::Enum, Arrangement::Numbered(bits)) if fields.is_empty() => {
                        Some((u64::from(bits / 8), u64::from(bits / 8)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// How two pointers compare, if they lead into one list: places without a size may be the same.
    pub(super) fn pointers(&self, ty: &Ty, one: &Place, other: &Place) -> Flowing<std::cmp::Ordering> {
        let size = self.pointee(ty).and_then(|ty| self.layout(&self.form(ty)));
        match size {
            Some((1.., _)) => Ok(distance(one, other)?.cmp(&0)),
            _ => Err(Flow::Stop("pointers to what may have no size")),
        }
    }

    /// What a type is when it does not matter whether its values are there yet.
    pub(super) fn form(&self, ty: &Ty) -> Ty {
        ty.map(&mut |part| match part {
            Ty::Adt(_, arguments) if self.is_absent_yet(part) => Some(self.form(&arguments[0])),
            _ => None,
        })
    }

    /// What a pointer or a borrow refers to.
    pub(super) fn pointee<'t>(&self, ty: &'t Ty) -> Option<&'t Ty> {
        match ty {
            Ty::Reference(_, inner) => Some(inner),
            ty => self.context.pointed_to(ty).or_else(|| self.context.unfollowed(ty)),
        }
    }

    /// A pointer of one type as one of another.
    pub(super) fn pointed(&mut self, value: Value, from: &Ty, to: &Ty) -> Flowing<Value> {
        let (Some(from), Some(to)) = (self.pointee(from), self.pointee(to)) else {
            return Err(Flow::Stop("a number as a pointer"));
        };
        let (from, to) = (from.clone(), to.clone());
        self.pointed_as(value, &from, &to)
    }

    fn pointed_as(&mut self, value: Value, from: &Ty, to: &Ty) -> Flowing<Value> {
        let (from, to) = (self.form(from), self.form(to));
        let Value::Place(place) = value else { return Ok(Value::Unseen) };
        let mut place = (*place).clone();
        let list = |ty: &Ty| match ty {
            Ty::Array(element, _) | Ty::Slice(element) => Some((**element).clone()),
            _ => None,
        };
        if from != to
            && let Some(place) = self.seen_as(&place, &from, &to)?
        {
            return Ok(Value::Place(place.into()));
        }
        match (list(&from), list(&to)) {
            _ if from == to => {}
            (Some(one), Some(other)) if one == other => match &to {
                Ty::Slice(_) => {}
                // The first of them.
                Ty::Array(_, Length::Known(count)) if *count as usize <= self.memory.length(&place)? => {
                    place = place.narrowed(0, *count as u32);
                }
                _ => return Ok(Value::Unseen),
            },
            (Some(element), None) if element == to => place = place.element(0),
            (None, _) if self.context.dereferenced(&from).is_some_and(|inner| self.form(&inner) == to) => {
                place = place.at(0);
            }
            _ if self.newtype(&to).is_some_and(|inner| inner == from) => place.around += 1,
            _ => {
                let Some(inner) = self.newtype(&from) else { return Ok(Value::Unseen) };
                return self.pointed_as(Value::Place(place.at(0).into()), &inner, &to);
            }
        }
        Ok(Value::Place(place.into()))
    }

    /// What a structure of a single field is laid out as.
    fn newtype(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Adt(id, arguments) = ty else { return None };
        let items = self.context.items;
        let adt = items.adt(*id);
        let plain = adt.kind == AdtKind::Struct && !adt.opaque && adt.arranged == Arrangement::Free;
        let of_std = items.is_std_module(adt.module) && adt.name != "ManuallyDrop";
        if !plain || of_std {
            return None;
        }
        match self.context.field_types(*id, arguments).as_slice() {
            [inner] => Some(self.form(inner)),
            _ => None,
        }
    }
}

pub(super) fn place_of(value: &Value) -> Flowing<Place> {
    match value {
        Value::Place(place) => Ok((**place).clone()),
        _ => Err(Flow::Stop("a pointer that nobody knows")),
    }
}

/// So many elements further on.
fn moved(place: &Place, by: i128) -> Flowing<Place> {
    if by == 0 {
        return Ok(place.clone());
    }
    if !place.listed {
        return Err(Flow::Stop("a pointer to what is no element"));
    }
    let mut place = place.clone();
    let last = place.path.last_mut().ok_or("a pointer to what is no element")?;
    *last = u32::try_from(i128::from(*last) + by).map_err(|_| "a pointer that leaves its list")?;
    Ok(place)
}

pub(super) fn distance(one: &Place, other: &Place) -> Flowing<i128> {
    let (Some((at, around)), Some((from, same))) = (one.path.split_last(), other.path.split_last()) else {
        return Err(Flow::Stop("pointers to what is no element"));
    };
    if one.slot != other.slot || around != same || !(one.listed && other.listed) {
        return Err(Flow::Stop("pointers into different lists"));
    }
    Ok(i128::from(*at) - i128::from(*from))
}
