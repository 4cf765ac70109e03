//! The values of a frame or of all globals, in pieces that states share until one of them writes there: a step changes
//! a value or two, and a run keeps all its states.

use std::ops::Index;
use std::sync::Arc;

use kleene_domains::Int;
use smallvec::{SmallVec, smallvec};

const PIECE: usize = 16;

type Piece = Arc<[Int; PIECE]>;

thread_local! {
    /// Of each thread its own: counting who shares it is not free where several do at once.
    static ZEROS: Piece = Arc::new([Int::ZERO; PIECE]);
}

/// Invariant: what lies behind the last value is zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// Most frames have few.
    pieces: SmallVec<[Piece; 4]>,
    count: usize,
}

impl Values {
    pub fn zeros(count: usize) -> Self {
        let pieces = ZEROS.with(|zeros| smallvec![zeros.clone(); count.div_ceil(PIECE)]);
        Self { pieces, count }
    }

    pub fn get(&self, at: usize) -> Option<&Int> {
        (at < self.count).then(|| &self.pieces[at / PIECE][at % PIECE])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Int> {
        self.pieces.iter().flat_map(|piece| piece.iter()).take(self.count)
    }

    /// Where the values of another state of the same run may be others, in order.
    pub fn changed<'v>(&'v self, other: &'v Self) -> impl Iterator<Item = u32> + 'v {
        let pieces = self.pieces.iter().zip(&other.pieces).enumerate();
        pieces.filter(|(_, (own, other))| !Arc::ptr_eq(own, other)).flat_map(|(at, (own, other))| {
            let places = (at * PIECE..).zip(own.iter().zip(other.iter()));
            places.filter(|(_, (own, other))| own != other).map(|(at, _)| at as u32)
        })
    }

    pub fn to_vec(&self) -> Vec<Int> {
        self.iter().cloned().collect()
    }

    pub fn set(&mut self, at: usize, value: Int) {
        assert!(at < self.count, "a slot is one of the frame's");
        Arc::make_mut(&mut self.pieces[at / PIECE])[at % PIECE] = value;
    }
}

impl From<Vec<Int>> for Values {
    fn from(values: Vec<Int>) -> Self {
        let count = values.len();
        let mut values = values.into_iter();
        let piece = |_| Arc::new(std::array::from_fn(|_| values.next().unwrap_or(Int::ZERO)));
        Self { pieces: (0..count.div_ceil(PIECE)).map(piece).collect(), count }
    }
}

impl Index<usize> for Values {
    type Output = Int;

    fn index(&self, at: usize) -> &Int {
        assert!(at < self.count, "a slot is one of the frame's");
        &self.pieces[at / PIECE][at % PIECE]
    }
}
