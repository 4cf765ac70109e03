//! How many items iterators say are left.

use super::super::hir::Mutability;
use super::super::types::Ty;
use super::value::{Place, Value};
use super::{Flowing, Follower};

/// At least so many, and at most.
type Hint = (usize, Option<usize>);

/// Types of our own text of std that know how many there are.
const COUNTED: &[&str] =
    &["Iter", "IterMut", "IntoIter", "Elements", "OwnedElements", "Range", "ChunksExact", "Bytes"];

impl Follower<'_, '_> {
    /// What the iterator in a place answers when it is asked for its size.
    pub(super) fn size_hint(&mut self, place: &Place, ty: &Ty) -> Flowing<Value> {
        let hint = self.hint(place, ty)?;
        Ok(hint.map_or(Value::Unseen, |(low, high)| {
            Value::list(vec![Value::size(low), Value::option(high.map(Value::size))])
        }))
    }

    fn hint(&mut self, place: &Place, ty: &Ty) -> Flowing<Option<Hint>> {
        let (id, arguments) = match ty {
            Ty::Reference(..) => {
                let (place, ty) = self.referred(place.clone(), ty)?;
                return self.hint(&place, &ty);
            }
            Ty::Adt(id, arguments) => (*id, arguments),
            _ => return Ok(None),
        };
        let adt = self.context.items.adt(id);
        if !self.context.items.is_std_module(adt.module) {
            return self.own_hint(place, ty);
        }
        let inner = |this: &mut Self, at: usize| match arguments.get(at) {
            Some(ty) => this.hint(&place.at(at as u32), ty),
            None => Ok(None),
        };
        Ok(match adt.name.as_str() {
            name if COUNTED.contains(&name) => {
                let Some((len, generics)) = self.own_method(ty, "iter::ExactSizeIterator", "len", None)
                else {
                    return Ok(None);
                };
                let count = self.call(len, &generics, vec![Value::Place(place.clone().into())])?;
                let count = self.size(&count)?;
                Some((count, Some(count)))
            }
            "CountedInclusive" => self.counted(place, arguments.first())?,
            "Chars" | "CharIndices" => {
                let (rest, _) =
                    self.referred(place.at(0), &Ty::Reference(Mutability::Shared, Ty::Str.into()))?;
                let bytes = self.memory.length(&rest)?;
                Some((bytes.div_ceil(4), Some(bytes)))
            }
            "Map" | "Copied" | "Rev" | "Enumerate" | "Inspect" => inner(self, 0)?,
            "Filter" | "FilterMap" => inner(self, 0)?.map(|(_, high)| (0, high)),
            "Take" | "Skip" => {
                let count = self.memory.load(&place.at(1))?;
                let count = self.size(&count)?;
                // Whoever takes nothing asks nobody.
                if count == 0 && adt.name == "Take" {
                    return Ok(Some((0, Some(0))));
                }
                let hint = inner(self, 0)?;
                match adt.name.as_str() {
                    "Take" => hint.map(|(low, high)| {
                        (low.min(count), Some(high.map_or(count, |high| high.min(count))))
                    }),
                    _ => hint.map(|(low, high)| {
                        (low.saturating_sub(count), high.map(|high| high.saturating_sub(count)))
                    }),
                }
            }
            "Zip" => {
                let hints = (inner(self, 0)?, inner(self, 1)?);
                hints
                    .0
                    .zip(hints.1)
                    .map(|((low, high), (least, most))| (low.min(least), high.into_iter().chain(most).min()))
            }
            _ => None,
        })
    }

    /// How many numbers or letters are left of `low..=high`.
    fn counted(&self, place: &Place, of: Option<&Ty>) -> Flowing<Option<Hint>> {
        let part = |at: u32| self.memory.load(&place.at(at));
        let (low, high) = (self.number(&part(0)?)?, self.number(&part(1)?)?);
        let gap = match of {
            Some(Ty::Integer(integer)) if integer.ty.bits < 128 => 0,
            // Between letters there are numbers that are none.
            Some(Ty::Char) if low < 0xD800 && high > 0xDFFF => 0x800,
            Some(Ty::Char) => 0,
            _ => return Ok(None),
        };
        let count = match low > high || self.number(&part(2)?)? != 0 {
            true => 0,
            false => high - low + 1 - gap,
        };
        Ok(usize::try_from(count).ok().map(|count| (count, Some(count))))
    }

    /// What an iterator of a crate answers: what it says itself, or what its trait says of any.
    fn own_hint(&mut self, place: &Place, ty: &Ty) -> Flowing<Option<Hint>> {
        let Some((next, generics)) = self.own_method(ty, "iter::Iterator", "next", None) else {
            return Ok(None);
        };
        if !self.says(next, "size_hint") {
            return Ok(Some((0, None)));
        }
        let Some((function, _)) = self.own_method(ty, "iter::Iterator", "size_hint", None) else {
            return Ok(None);
        };
        let hint = self.call(function, &generics, vec![Value::Place(place.clone().into())])?;
        let Value::Parts(parts) = hint else { return Ok(None) };
        let [low, high] = parts.list.as_slice() else { return Ok(None) };
        let high = match high.parts()?.list.first() {
            Some(high) => Some(self.size(high)?),
            None => None,
        };
        Ok(Some((self.size(low)?, high)))
    }
}
