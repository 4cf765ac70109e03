//! What a caller's closure does with what it is lent: it may write there what it likes.

use super::super::super::hir::Mutability;
use super::super::super::types::{Integer, Ty};
use super::super::value::{Place, Value};
use super::super::{Flowing, Follower, Frame};

/// Elements of what is lent that are written one by one.
const MOST_WRITTEN: usize = 64;

impl<'f> Follower<'f, '_> {
    /// The parameters of a closure of a caller's, before it answers: numbers behind borrows are written, half of the time.
    pub(in super::super) fn written_by_caller(&mut self, frame: &Frame<'f>) -> Flowing<()> {
        let lent: Vec<(Place, Ty)> = (frame.locals.iter().zip(&frame.typing.locals))
            .filter_map(|(slot, ty)| match ty {
                Ty::Reference(Mutability::Mutable, inner) => Some((Place::of((*slot)?), (**inner).clone())),
                _ => None,
            })
            .collect();
        for (at, ty) in lent {
            let Value::Place(place) = self.memory.load(&at)? else { continue };
            let element = match &ty {
                Ty::Slice(element) | Ty::Array(element, _) => &**element,
                ty => ty,
            };
            let Ty::Integer(integer) = element else { continue };
            if self.calling()?.draws.below(2) == 0 {
                match &ty {
                    Ty::Integer(_) => {
                        let number = self.made_integer(*integer)?;
                        self.memory.store(&place, number)?;
                    }
                    _ => self.filled_by_caller(&place, *integer)?,
                }
            }
        }
        Ok(())
    }

    fn filled_by_caller(&mut self, place: &Place, integer: Integer) -> Flowing<()> {
        let room = self.memory.length(place)?;
        let is_byte = integer.ty.bits == 8 && !integer.ty.signed;
        let mut written = Vec::new();
        if is_byte {
            written.extend(self.words(false)?.into_iter().map(|byte| Value::Number(byte.into())));
        } else {
            for _ in 0..room.min(MOST_WRITTEN) {
                written.push(self.made_integer(integer)?);
            }
        }
        for (at, value) in (0..room as u32).zip(written) {
            self.memory.store(&place.element(at), value)?;
        }
        Ok(())
    }
}
