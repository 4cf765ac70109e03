//! Pointers to numbers of one type that become pointers to numbers of another.

use super::super::types::{Length, Ty};
use super::value::Place;
use super::{Flowing, Follower};

impl Follower<'_, '_> {
    /// Numbers that a pointer leads to as numbers of another type.
    pub(super) fn seen_as(&mut self, place: &Place, from: &Ty, to: &Ty) -> Flowing<Option<Place>> {
        let number = |ty: &Ty| match ty {
            Ty::Integer(integer) => Some((*integer, None)),
            Ty::Array(element, Length::Known(count)) => match **element {
                Ty::Integer(integer) => Some((integer, Some(*count as u32))),
                _ => None,
            },
            _ => None,
        };
        let of = match from {
            Ty::Slice(element) => number(element),
            ty => number(ty),
        };
        let (Some((of, _)), Some((wanted, count))) = (of, number(to)) else { return Ok(None) };
        if of == wanted || place.around > 0 || !self.context.configuration.is_little_endian() {
            return Ok(None);
        }
        let (list, at) = match (from, place.path.split_last()) {
            (Ty::Integer(_), Some((at, around))) if place.listed => {
                (Place { path: around.into(), part: None, listed: false, ..place.clone() }, *at)
            }
            (Ty::Integer(_), _) => (place.clone(), 0),
            _ => (Place { part: None, ..place.clone() }, place.part.map_or(0, |(start, _)| start)),
        };
        let length = self.memory.length(&list).unwrap_or(1);
        self.steps = self.steps.saturating_sub(length / 4);
        let seen = Place::of(self.memory.viewed(&list, at, of, wanted)?);
        Ok(Some(match count {
            Some(count) => seen.narrowed(0, count),
            None => seen.element(0),
        }))
    }
}
