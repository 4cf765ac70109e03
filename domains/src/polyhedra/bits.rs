//! Rows of bits: which generator lies on the hyperplane of which constraint.

#[derive(Clone, Debug)]
pub struct Bits {
    columns: usize,
    stride: usize,
    words: Vec<u64>,
}

impl Bits {
    pub fn new(columns: usize) -> Self {
        Self { columns, stride: columns.div_ceil(64).max(1), words: Vec::new() }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    pub fn row(&self, index: usize) -> &[u64] {
        &self.words[index * self.stride..(index + 1) * self.stride]
    }

    pub fn iter(&self) -> std::slice::ChunksExact<'_, u64> {
        self.words.chunks_exact(self.stride)
    }

    pub fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.stride + column / 64] >> (column % 64) & 1 == 1
    }

    pub fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / 64] |= 1 << (column % 64);
    }

    pub fn clear(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / 64] &= !(1 << (column % 64));
    }

    /// Appends a row of a narrower or equal set of columns.
    pub fn push(&mut self, row: impl Iterator<Item = u64>) {
        let end = self.words.len() + self.stride;
        self.words.extend(row);
        self.words.resize(end, 0);
    }

    pub fn push_empty(&mut self) {
        self.words.resize(self.words.len() + self.stride, 0);
    }

    /// Appends a row with the first `columns` set.
    pub fn push_full(&mut self, columns: usize) {
        self.push_empty();
        let row = self.len() - 1;
        (0..columns).for_each(|column| self.set(row, column));
    }

    pub fn transposed(&self) -> Self {
        let mut result = Self::new(self.len());
        result.words.resize(self.columns * result.stride, 0);
        for (index, row) in self.iter().enumerate() {
            for (position, &word) in row.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    result.set(position * 64 + rest.trailing_zeros() as usize, index);
                    rest &= rest - 1;
                }
            }
        }
        result
    }
}

pub fn is_subset(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(a, b)| a & !b == 0)
}

pub fn count(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}
