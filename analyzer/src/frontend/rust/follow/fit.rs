//! Values of one type as values of another, where Rust turns one into the other by itself.

use super::super::hir::{AdtId, Mutability};
use super::super::types::Ty;
use super::value::Value;
use super::{Flow, Flowing, Follower};

impl Follower<'_, '_> {
    /// A value of one type as one of another, where Rust turns one into the other by itself.
    pub(super) fn fitted(&mut self, value: Value, have: &Ty, want: &Ty) -> Flowing<Value> {
        if have == want {
            return Ok(value);
        }
        match (have, want) {
            (_, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_)) | (Ty::Never | Ty::Opaque, _) => Ok(value),
            (Ty::Reference(_, from), Ty::Reference(Mutability::Mutable | Mutability::Shared, to)) => {
                self.refitted(value, from, to)
            }
            (from, to) if self.context.is_pointer(to) => self.pointed(value, from, to),
            // An iterator over what is given.
            (from, Ty::Adt(wanted, _)) if self.is_collected(from, *wanted) => {
                self.iterator_of(value, from, want)
            }
            // One over the elements that are lent.
            (Ty::Reference(_, from), Ty::Adt(wanted, _))
                if matches!(**from, Ty::Slice(_) | Ty::Array(..))
                    && ["Iter", "IterMut"]
                        .iter()
                        .any(|name| self.context.items.is_standard(*wanted, name)) =>
            {
                Ok(Value::list(vec![value]))
            }
            (Ty::Reference(_, from), to) if !matches!(to, Ty::Callable(..)) => {
                let Value::Place(place) = value else { return self.unseen(value) };
                let inner = self.taken(&place, from)?;
                self.fitted(inner, from, to)
            }
            // Our own text takes an element for its place.
            (from, Ty::Reference(_, to)) if *from == **to && matches!(value, Value::Place(_)) => Ok(value),
            (from, Ty::Reference(Mutability::Shared, to)) if !matches!(from, Ty::Callable(..)) => {
                let place = self.placed(value)?;
                self.refitted(Value::Place(place.into()), from, to)
            }
            (_, Ty::Reference(Mutability::Mutable, _)) => {
                Err(Flow::Stop("a borrow of a value that nobody else sees"))
            }
            (Ty::Range(_), Ty::Adt(..)) => {
                let mut parts = value.into_parts()?;
                if parts.tag == 1 {
                    parts.list.push(Value::truth(false));
                }
                Ok(Value::list(parts.list))
            }
            _ => Ok(value),
        }
    }

    /// Whether a value is a list of std, or borrows one, where another type of std is wanted.
    fn is_collected(&self, from: &Ty, wanted: AdtId) -> bool {
        let items = self.context.items;
        let of_std = |id: AdtId| items.is_std_module(items.adt(id).module);
        let lists = ["Vec", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "BinaryHeap"];
        let inner = match from {
            Ty::Reference(_, inner) => inner,
            ty => ty,
        };
        match inner {
            Ty::Adt(id, _) => {
                *id != wanted && of_std(wanted) && lists.iter().any(|name| items.is_standard(*id, name))
            }
            _ => false,
        }
    }

    fn unseen(&self, value: Value) -> Flowing<Value> {
        match value {
            Value::Unseen => Ok(Value::Unseen),
            _ => Err(Flow::Stop("a value of another kind")),
        }
    }

    /// A borrow of one type as a borrow of another.
    fn refitted(&mut self, value: Value, from: &Ty, to: &Ty) -> Flowing<Value> {
        if from == to {
            return Ok(value);
        }
        let place = match value {
            Value::Place(place) => place,
            other => return self.unseen(other),
        };
        match (from, to) {
            (_, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_)) | (Ty::Opaque, _) => Ok(Value::Place(place)),
            (Ty::Array(..), Ty::Slice(_)) | (Ty::Array(..), Ty::Array(..)) | (Ty::Slice(_), Ty::Slice(_)) => {
                Ok(Value::Place(place))
            }
            (Ty::Adt(one, _), Ty::Adt(other, _)) if one == other => Ok(Value::Place(place)),
            (Ty::Reference(_, inner), to) if !matches!(to, Ty::Reference(..)) => {
                let value = self.memory.load(&place)?;
                self.refitted(value, inner, to)
            }
            (Ty::Adt(..), _) => match self.context.dereferenced(from) {
                Some(inner) => self.refitted(Value::Place(place.at(0).into()), &inner, to),
                None => Err(Flow::Stop("what lies behind a value by its own Deref")),
            },
            (Ty::Reference(_, one), Ty::Reference(_, other)) if same_shape(one, other) => {
                Ok(Value::Place(place))
            }
            (Ty::Tuple(_), Ty::Tuple(_)) | (Ty::Callable(..), _) | (_, Ty::Callable(..)) => {
                Ok(Value::Place(place))
            }
            _ => Err(Flow::Stop("a borrow of another type")),
        }
    }
}

fn same_shape(one: &Ty, other: &Ty) -> bool {
    match (one, other) {
        (Ty::Reference(_, one), Ty::Reference(_, other)) => same_shape(one, other),
        (Ty::Array(..) | Ty::Slice(_), Ty::Slice(_)) => true,
        (one, other) => one == other || matches!(other, Ty::Opaque) || matches!(one, Ty::Opaque),
    }
}
