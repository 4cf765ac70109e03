//! Sets of cells, one bit per cell.

/// A subset of `0..len`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    pub fn empty(len: usize) -> BitSet {
        BitSet { words: vec![0; len.div_ceil(64)], len }
    }

    pub fn full(len: usize) -> BitSet {
        let mut set = BitSet { words: vec![!0; len.div_ceil(64)], len };
        set.clear_tail();
        set
    }

    /// Bits beyond `len` stay zero, so that counting and comparing need no care.
    fn clear_tail(&mut self) {
        let used = self.len % 64;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// The size of the universe, not of the set.
    pub fn universe(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Inserts and says whether that changed the set.
    #[inline]
    pub fn insert_new(&mut self, index: usize) -> bool {
        let word = &mut self.words[index / 64];
        let before = *word;
        *word |= 1 << (index % 64);
        *word != before
    }

    #[inline]
    pub fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn complement(&self) -> BitSet {
        let mut set = BitSet { words: self.words.iter().map(|word| !word).collect(), len: self.len };
        set.clear_tail();
        set
    }

    pub fn intersection(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & b)
    }

    pub fn union(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a | b)
    }

    pub fn difference(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & !b)
    }

    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    fn zip(&self, other: &BitSet, combine: impl Fn(u64, u64) -> u64) -> BitSet {
        debug_assert_eq!(self.len, other.len, "sets over different models");
        let words = self.words.iter().zip(&other.words).map(|(a, b)| combine(*a, *b)).collect();
        BitSet { words, len: self.len }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_keeps_the_tail_clear() {
        for len in [0, 1, 63, 64, 65, 130] {
            let full = BitSet::full(len);
            assert_eq!(full.count(), len);
            assert!(full.complement().is_empty());
            assert_eq!(BitSet::empty(len).complement(), full);
            assert_eq!(full.iter().collect::<Vec<_>>(), (0..len).collect::<Vec<_>>());
        }
    }

    #[test]
    fn operations_are_those_of_sets() {
        let mut evens = BitSet::empty(100);
        let mut threes = BitSet::empty(100);
        (0..100).step_by(2).for_each(|index| evens.insert(index));
        (0..100).step_by(3).for_each(|index| threes.insert(index));
        let sixes = evens.intersection(&threes);
        assert!(sixes.iter().all(|index| index % 6 == 0) && sixes.count() == 17);
        assert!(sixes.is_subset(&evens) && !evens.is_subset(&sixes));
        assert_eq!(evens.union(&threes).count(), 50 + 34 - 17);
        assert!(evens.difference(&threes).iter().all(|index| index % 2 == 0 && index % 3 != 0));
        evens.remove(0);
        assert!(evens.insert_new(1) && !evens.insert_new(1));
        assert!(!evens.contains(0) && evens.contains(2));
    }
}
