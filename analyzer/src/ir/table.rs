//! Tables of constants that are too long to be variables: they are part of the program, not of its states.

use kleene_domains::{Int, Interval, Value};

/// Ranges of indices that are looked at one by one.
const MOST: usize = 64;

/// Numbers in order; 0 in front of the first and behind the last, though nobody looks there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    values: Vec<Int>,
    low: Int,
    high: Int,
}

impl Table {
    /// `None` for no numbers.
    pub fn new(values: Vec<Int>) -> Option<Self> {
        let (low, high) = (values.iter().min()?.clone(), values.iter().max()?.clone());
        Some(Self { values, low, high })
    }

    pub fn values(&self) -> &[Int] {
        &self.values
    }

    pub fn low(&self) -> &Int {
        &self.low
    }

    pub fn high(&self) -> &Int {
        &self.high
    }

    pub fn at(&self, index: &Int) -> Int {
        index.to_usize().and_then(|index| self.values.get(index)).cloned().unwrap_or(Int::ZERO)
    }

    /// What stands at any of these indices.
    pub fn within(&self, indices: &Value) -> Value {
        if let Some(index) = indices.as_constant() {
            return Value::constant(self.at(index));
        }
        let last = Int::from(self.values.len() as u64 - 1);
        let Some(hull) = indices.hull() else { return indices.clone() };
        let (low, high) = (hull.low().finite(), hull.high().finite());
        let first = low.filter(|low| **low > Int::ZERO).cloned().unwrap_or(Int::ZERO);
        let until = high.filter(|high| **high < last).cloned().unwrap_or(last.clone());
        let inside = low.is_some_and(|low| *low >= Int::ZERO) && high.is_some_and(|high| *high <= last);
        let some = match (first.to_usize(), until.to_usize()) {
            (Some(first), Some(until)) if first <= until => &self.values[first..=until],
            _ => &[],
        };
        let (mut least, mut most) = match some {
            [] => (Int::ZERO, Int::ZERO),
            some if some.len() > MOST => (self.low.clone(), self.high.clone()),
            some => (
                some.iter().min().cloned().unwrap_or_default(),
                some.iter().max().cloned().unwrap_or_default(),
            ),
        };
        if !inside {
            (least, most) = (least.min(Int::ZERO), most.max(Int::ZERO));
        }
        Interval::finite(least, most).map_or_else(Value::top, Value::from_interval)
    }
}
