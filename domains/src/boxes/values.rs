//! The values of a box, in shared chunks: a copy costs a pointer per chunk, and what two boxes share is
//! recognised without looking at it.

use std::ops::Index;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::product::Value;

/// Values per chunk. Smaller copies more pointers, larger copies more values on a write.
const CHUNK: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Values {
    length: usize,
    chunks: SmallVec<[Arc<[Value]>; 4]>,
}

impl Values {
    pub(super) fn from_vec(values: Vec<Value>) -> Self {
        Self { length: values.len(), chunks: values.chunks(CHUNK).map(Arc::from).collect() }
    }

    pub(super) fn top(length: usize) -> Self {
        let full: Arc<[Value]> = vec![Value::top(); CHUNK.min(length)].into();
        let mut chunks = smallvec![full; length / CHUNK];
        if !length.is_multiple_of(CHUNK) {
            chunks.push(vec![Value::top(); length % CHUNK].into());
        }
        Self { length, chunks }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    pub(super) fn set(&mut self, index: usize, value: Value) {
        if self[index] != value {
            Arc::make_mut(&mut self.chunks[index / CHUNK])[index % CHUNK] = value;
        }
    }

    /// Adds unconstrained values at the end, or drops the last ones.
    pub(super) fn resize(&mut self, length: usize) {
        let whole = length.min(self.length) / CHUNK;
        let mut tail: Vec<Value> = self.iter().take(length).skip(whole * CHUNK).cloned().collect();
        tail.resize(length - whole * CHUNK, Value::top());
        self.chunks.truncate(whole);
        self.chunks.extend(tail.chunks(CHUNK).map(Arc::from));
        self.length = length;
    }

    /// Combines two boxes value by value with an operation that gives back what both sides agree on.
    pub(super) fn zip_with(&self, other: &Self, mut operate: impl FnMut(&Value, &Value) -> Value) -> Self {
        let pairs = self.chunks.iter().zip(&other.chunks);
        let chunks = pairs.map(|(left, right)| {
            if Arc::ptr_eq(left, right) {
                return left.clone();
            }
            let combined: Arc<[Value]> = left.iter().zip(right.iter()).map(|(a, b)| operate(a, b)).collect();
            // Keeping the old chunk lets later steps see that nothing changed.
            if combined == *left { left.clone() } else { combined }
        });
        Self { length: self.length, chunks: chunks.collect() }
    }

    /// Whether a relation that every value has to itself holds value by value.
    pub(super) fn all(&self, other: &Self, mut related: impl FnMut(&Value, &Value) -> bool) -> bool {
        let mut pairs = self.chunks.iter().zip(&other.chunks);
        pairs.all(|(left, right)| {
            Arc::ptr_eq(left, right) || left.iter().zip(right.iter()).all(|(a, b)| related(a, b))
        })
    }
}

impl Index<usize> for Values {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.all(other, |a, b| a == b)
    }
}

impl Eq for Values {}

impl std::hash::Hash for Values {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.iter().for_each(|value| value.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_around_a_chunk_keep_their_values() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 2] {
            let mut values = Values::top(length);
            for index in 0..length {
                values.set(index, Value::constant(index as i64));
            }
            for resized in [0, 1, CHUNK, length, length + 1, length + 2 * CHUNK] {
                let mut other = values.clone();
                other.resize(resized);
                assert_eq!(other.len(), resized);
                assert_eq!(other.iter().count(), resized);
                for index in 0..resized {
                    let expected = if index < length { Value::constant(index as i64) } else { Value::top() };
                    assert_eq!(other[index], expected, "{length} to {resized} at {index}");
                }
            }
        }
    }

    #[test]
    fn a_write_leaves_copies_alone() {
        let mut left = Values::top(40);
        let right = left.clone();
        left.set(20, Value::constant(1));
        assert_eq!(right[20], Value::top());
        assert_ne!(left, right);
        left.set(20, Value::top());
        assert_eq!(left, right);
    }
}
