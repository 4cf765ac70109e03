//! The values of a box, in shared chunks, and these in shared groups: a copy costs a pointer per group, and what two
//! boxes share is recognised without looking at it.

use std::ops::Index;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::product::Value;

/// Values per chunk. Smaller copies more pointers, larger copies more values on a write.
const CHUNK: usize = 16;
/// Chunks per group: a write copies the pointers of one group.
const GROUP: usize = 16;

type Chunk = Arc<[Value]>;
type Group = Arc<[Chunk]>;

#[derive(Clone, Debug)]
pub(super) struct Values {
    length: usize,
    groups: SmallVec<[Group; 2]>,
}

impl Values {
    pub(super) fn from_vec(values: Vec<Value>) -> Self {
        Self::from_chunks(values.len(), values.chunks(CHUNK).map(Arc::from).collect())
    }

    fn from_chunks(length: usize, chunks: Vec<Chunk>) -> Self {
        Self { length, groups: chunks.chunks(GROUP).map(Arc::from).collect() }
    }

    pub(super) fn top(length: usize) -> Self {
        let full: Chunk = vec![Value::top(); CHUNK.min(length)].into();
        let mut chunks = vec![full; length / CHUNK];
        if !length.is_multiple_of(CHUNK) {
            chunks.push(vec![Value::top(); length % CHUNK].into());
        }
        Self::from_chunks(length, chunks)
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.groups.iter().flat_map(|group| group.iter())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value> {
        self.chunks().flat_map(|chunk| chunk.iter())
    }

    pub(super) fn set(&mut self, index: usize, value: Value) {
        if self[index] != value {
            let group = Arc::make_mut(&mut self.groups[index / (GROUP * CHUNK)]);
            Arc::make_mut(&mut group[index / CHUNK % GROUP])[index % CHUNK] = value;
        }
    }

    /// Adds unconstrained values at the end, or drops the last ones.
    pub(super) fn resize(&mut self, length: usize) {
        let whole = length.min(self.length) / CHUNK;
        let groups = whole / GROUP;
        let mut chunks: Vec<Chunk> = self.chunks().take(whole).skip(groups * GROUP).cloned().collect();
        let mut tail: Vec<Value> = match self.chunks().nth(whole) {
            Some(chunk) => chunk.iter().take(length - whole * CHUNK).cloned().collect(),
            None => Vec::new(),
        };
        tail.resize(length - whole * CHUNK, Value::top());
        chunks.extend(tail.chunks(CHUNK).map(Chunk::from));
        self.groups.truncate(groups);
        self.groups.extend(chunks.chunks(GROUP).map(Group::from));
        self.length = length;
    }

    /// Combines two boxes value by value with an operation that gives back what both sides agree on.
    pub(super) fn zip_with(&self, other: &Self, mut operate: impl FnMut(&Value, &Value) -> Value) -> Self {
        let mut combine = |left: &Chunk, right: &Chunk| {
            if Arc::ptr_eq(left, right) {
                return left.clone();
            }
            let combined: Chunk = left.iter().zip(right.iter()).map(|(a, b)| operate(a, b)).collect();
            // Keeping the old chunk lets later steps see that nothing changed.
            if combined == *left { left.clone() } else { combined }
        };
        let groups = self.groups.iter().zip(&other.groups).map(|(left, right)| {
            if Arc::ptr_eq(left, right) {
                return left.clone();
            }
            let combined: Group = left.iter().zip(right.iter()).map(|(a, b)| combine(a, b)).collect();
            let same = left.iter().zip(combined.iter()).all(|(a, b)| Arc::ptr_eq(a, b));
            if same { left.clone() } else { combined }
        });
        Self { length: self.length, groups: groups.collect() }
    }

    /// Whether a relation that every value has to itself holds value by value.
    pub(super) fn all(&self, other: &Self, mut related: impl FnMut(&Value, &Value) -> bool) -> bool {
        let mut chunks = |left: &Chunk, right: &Chunk| {
            Arc::ptr_eq(left, right) || left.iter().zip(right.iter()).all(|(a, b)| related(a, b))
        };
        let mut groups = self.groups.iter().zip(&other.groups);
        groups.all(|(left, right)| {
            Arc::ptr_eq(left, right) || left.iter().zip(right.iter()).all(|(a, b)| chunks(a, b))
        })
    }
}

impl Index<usize> for Values {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        &self.groups[index / (GROUP * CHUNK)][index / CHUNK % GROUP][index % CHUNK]
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
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 2, GROUP * CHUNK, GROUP * CHUNK + 5] {
            let mut values = Values::top(length);
            for index in 0..length {
                values.set(index, Value::constant(index as i64));
            }
            for resized in [0, 1, CHUNK, length, length + 1, length + 2 * CHUNK, 2 * GROUP * CHUNK] {
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
