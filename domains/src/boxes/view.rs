//! A box as a condition leaves it: the values that became smaller, above the box they came from. Looking at both
//! sides of a condition copies these few and nothing of the box.

use std::ops::Index;

use smallvec::SmallVec;

use super::refine::Empty;
use super::values::Values;
use crate::product::Value;

/// In the order of their indices.
type Changes = SmallVec<[(usize, Value); 4]>;

#[derive(Clone)]
pub(super) struct View<'v> {
    below: &'v Values,
    changes: Changes,
}

impl<'v> View<'v> {
    pub(super) fn of(below: &'v Values) -> Self {
        Self { below, changes: Changes::new() }
    }

    pub(super) fn set(&mut self, index: usize, value: Value) {
        match self.position(index) {
            Ok(at) => self.changes[at].1 = value,
            Err(at) => self.changes.insert(at, (index, value)),
        }
    }

    /// What is to be written to make the box below this one.
    pub(super) fn into_changes(self) -> Changes {
        self.changes
    }

    /// Whether the two are of one box and say the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.below, other.below) && self.changes == other.changes
    }

    fn position(&self, index: usize) -> Result<usize, usize> {
        self.changes.binary_search_by_key(&index, |(changed, _)| *changed)
    }

    /// Keeps what is in one of two restrictions of this box; whether a value changed.
    pub(super) fn keep_union(
        &mut self,
        left: Result<Self, Empty>,
        right: Result<Self, Empty>,
    ) -> Result<bool, Empty> {
        let (one, other) = match (left, right) {
            (Ok(left), Ok(right)) => (left, Some(right)),
            (Ok(only), Err(Empty)) | (Err(Empty), Ok(only)) => (only, None),
            (Err(Empty), Err(Empty)) => return Err(Empty),
        };
        let mut indices: SmallVec<[usize; 8]> = one.changes.iter().map(|(index, _)| *index).collect();
        if let Some(other) = &other {
            let only_there = other.changes.iter().filter(|(index, _)| one.position(*index).is_err());
            indices.extend(only_there.map(|(index, _)| *index));
        }
        let mut changed = false;
        for index in indices {
            let before = &self[index];
            let smaller = match &other {
                Some(other) => before.meet(&one[index].join(&other[index])),
                None => before.meet(&one[index]),
            };
            if smaller.is_bottom() {
                return Err(Empty);
            }
            if smaller != *before {
                self.set(index, smaller);
                changed = true;
            }
        }
        Ok(changed)
    }
}

impl Index<usize> for View<'_> {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        if self.changes.is_empty() {
            return &self.below[index];
        }
        match self.position(index) {
            Ok(at) => &self.changes[at].1,
            Err(_) => &self.below[index],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_is_within_the_box_and_knows_whether_it_is_smaller() {
        let values = Values::from_vec(vec![Value::boolean(), Value::top(), Value::top()]);
        let view = View::of(&values);
        let with = |index: usize, value: i64| {
            let mut side = view.clone();
            side.set(index, Value::constant(value));
            side
        };
        let mut both = view.clone();
        assert!(!both.keep_union(Ok(with(0, 0)), Ok(with(0, 1))).is_ok_and(|changed| changed));
        assert_eq!(both[0], Value::boolean());
        assert!(both.keep_union(Ok(with(1, 5)), Ok(with(1, 5))).is_ok_and(|changed| changed));
        assert_eq!(both[1], Value::constant(5));
        assert!(!both.keep_union(Ok(with(2, 5)), Ok(with(1, 5))).is_ok_and(|changed| changed));
        assert!(both[2].is_top());
        assert!(both.keep_union(Err(Empty), Ok(with(2, 7))).is_ok_and(|changed| changed));
        assert_eq!(both.clone().into_changes().len(), 2);
        assert!(both.keep_union(Ok(with(0, 2)), Err(Empty)).is_err());
        assert!(values[1].is_top());
    }
}
