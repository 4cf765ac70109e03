//! The memory of a compiled run: one number per slot, globals first, then the frames.
//!
//! Almost every value fits a cell. What does not, numbers of more than 127 bits and what is only bounded, lies in a list
//! beside the cells, each once, and the cell says where: such cells are copied and compared like any other.

use kleene_domains::{Int, Value};
use rustc_hash::FxHashMap;

use super::super::unseen::Found;

pub type Cell = i128;

/// Cells of this upper half are no numbers; the lower half says where in the list the value is.
const ODD: i64 = i64::MAX;

/// What code answers that cannot tell the value: no place in any list.
pub const NOTHING: Cell = ((ODD as i128) << 64) | u64::MAX as i128;

/// Whether a cell is not the number that it holds.
#[inline]
pub fn is_odd(cell: Cell) -> bool {
    (cell >> 64) as i64 == ODD
}

#[derive(Debug, Default)]
pub struct Memory {
    pub cells: Vec<Cell>,
    odd: Vec<Found>,
    numbers: FxHashMap<Found, u64>,
}

impl Memory {
    /// How much lies beside the cells.
    pub fn beside(&self) -> usize {
        self.odd.len()
    }

    pub fn cell_of(&mut self, value: &Int) -> Cell {
        match value.to_i128().filter(|cell| !is_odd(*cell)) {
            Some(cell) => cell,
            None => self.kept(Found::Exactly(value.clone())),
        }
    }

    pub fn cell_of_found(&mut self, found: Found) -> Cell {
        match found {
            Found::Exactly(value) => self.cell_of(&value),
            bounded => self.kept(bounded),
        }
    }

    fn kept(&mut self, found: Found) -> Cell {
        let odd = &mut self.odd;
        let number = *self.numbers.entry(found).or_insert_with_key(|found| {
            odd.push(found.clone());
            odd.len() as u64 - 1
        });
        Cell::from(ODD) << 64 | Cell::from(number)
    }

    fn odd(&self, cell: Cell) -> &Found {
        &self.odd[cell as u64 as usize]
    }

    /// The value of a cell; `None` where it is only bounded.
    pub fn exactly(&self, cell: Cell) -> Option<Int> {
        if !is_odd(cell) {
            return Some(Int::from(cell));
        }
        match self.odd(cell) {
            Found::Exactly(value) => Some(value.clone()),
            Found::Within(_) => None,
        }
    }

    pub fn within(&self, cell: Cell) -> Value {
        if !is_odd(cell) {
            return Value::constant(Int::from(cell));
        }
        match self.odd(cell) {
            Found::Exactly(value) => Value::constant(value),
            Found::Within(value) => value.clone(),
        }
    }

    pub fn found(&self, cell: Cell) -> Found {
        match self.exactly(cell) {
            Some(value) => Found::Exactly(value),
            None => Found::Within(self.within(cell)),
        }
    }
}
