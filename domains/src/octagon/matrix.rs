//! A half matrix at the narrowest level that holds its bounds.

use std::borrow::Cow;

use super::half::{Empty, Half};
use super::weight::{WIDE_BITS, WORD_BITS, Weight};
use crate::int::Int;
use crate::interval::Bound;

/// Canonical after [`Matrix::settle`]: the narrowest level at which every cell is roomy.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Matrix {
    Word(Half<i64>),
    Wide(Half<i128>),
    Exact(Half<Bound>),
}

use Matrix::{Exact, Wide, Word};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Word,
    Wide,
    Exact,
}

impl Level {
    fn of(value: &Int) -> Self {
        match value.bits() {
            bits if bits <= WORD_BITS => Level::Word,
            bits if bits <= WIDE_BITS => Level::Wide,
            _ => Level::Exact,
        }
    }
}

/// How the cells of two matrices become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    Join,
    Meet,
    /// The older bound where it still holds.
    Widen,
    /// The newer bound where there was none.
    Narrow,
}

impl Combine {
    fn apply<W: Weight>(self, older: &W, newer: &W) -> W {
        let picked = match self {
            Combine::Join => older.max(newer),
            Combine::Meet => older.min(newer),
            Combine::Widen if newer <= older => older,
            Combine::Widen => &W::INFINITE,
            Combine::Narrow if older.is_finite() => older,
            Combine::Narrow => newer,
        };
        picked.clone()
    }
}

macro_rules! at_any_level {
    ($matrix:expr, $half:ident => $body:expr) => {
        match $matrix {
            Word($half) => $body,
            Wide($half) => $body,
            Exact($half) => $body,
        }
    };
}

impl Matrix {
    pub fn unconstrained(variables: usize) -> Self {
        Word(Half::build(variables, |i, j| if i ^ 1 == j { 0 } else { i64::INFINITE }))
    }

    /// One matrix from parts of others: each variable names a part and a variable of it, or nothing
    /// for one without constraints. Across parts a cell is what the unary cells say.
    pub fn gather(parts: &[&Matrix], variables: &[Option<(usize, usize)>]) -> Self {
        match parts.iter().map(|part| part.level()).max().unwrap_or(Level::Word) {
            Level::Word => Word(gather(parts, variables, Matrix::as_words)),
            Level::Wide => Wide(gather(parts, variables, Matrix::as_wide)),
            Level::Exact => Exact(gather(parts, variables, Matrix::as_exact)),
        }
    }

    pub fn level(&self) -> Level {
        match self {
            Word(_) => Level::Word,
            Wide(_) => Level::Wide,
            Exact(_) => Level::Exact,
        }
    }

    fn as_words(&self) -> Cow<'_, Half<i64>> {
        match self {
            Word(half) => Cow::Borrowed(half),
            Wide(half) => Cow::Owned(half.converted()),
            Exact(half) => Cow::Owned(half.converted()),
        }
    }

    fn as_wide(&self) -> Cow<'_, Half<i128>> {
        match self {
            Wide(half) => Cow::Borrowed(half),
            Word(half) => Cow::Owned(half.converted()),
            Exact(half) => Cow::Owned(half.converted()),
        }
    }

    fn as_exact(&self) -> Cow<'_, Half<Bound>> {
        match self {
            Exact(half) => Cow::Borrowed(half),
            Word(half) => Cow::Owned(half.converted()),
            Wide(half) => Cow::Owned(half.converted()),
        }
    }

    fn become_level(&mut self, level: Level) {
        if level != self.level() {
            *self = match level {
                Level::Word => Word(self.as_words().into_owned()),
                Level::Wide => Wide(self.as_wide().into_owned()),
                Level::Exact => Exact(self.as_exact().into_owned()),
            };
        }
    }

    /// One level up, where every weight of this one is roomy.
    fn promote(&mut self) {
        self.become_level(if self.level() == Level::Word { Level::Wide } else { Level::Exact });
    }

    fn admit(&mut self, value: &Int) {
        self.become_level(self.level().max(Level::of(value)));
    }

    /// Down to the narrowest level.
    pub fn settle(&mut self) {
        if self.level() > Level::Word {
            let needed = at_any_level!(self, half => {
                let bounds = half.cells().iter().map(Weight::to_bound);
                bounds.filter_map(|bound| bound.finite().map(Level::of)).max()
            });
            self.become_level(needed.unwrap_or(Level::Word));
        }
    }

    pub fn variables(&self) -> usize {
        at_any_level!(self, half => half.variables())
    }

    pub fn at(&self, i: usize, j: usize) -> Bound {
        at_any_level!(self, half => half.at(i, j).to_bound())
    }

    pub fn relates(&self, x: usize, y: usize) -> bool {
        at_any_level!(self, half => half.relates(x, y))
    }

    /// `s_i + s_j <= bound` is written down if it says more; nothing follows from it yet.
    pub fn note(&mut self, i: usize, j: usize, bound: &Int) {
        self.admit(bound);
        let bound = Bound::Finite(bound.clone());
        at_any_level!(self, half => {
            let weight = Weight::from_bound(&bound);
            if weight < *half.at(i, j) {
                half.set(i, j, weight);
            }
        });
    }

    fn through(&mut self, i: usize, j: usize, bound: &Int) -> Result<(), Empty> {
        self.admit(bound);
        let bound = Bound::Finite(bound.clone());
        let roomy = at_any_level!(self, half => half.through(i, j, &Weight::from_bound(&bound))?);
        if !roomy {
            self.promote();
        }
        Ok(())
    }

    /// Tight closure from any cells. Cubic.
    pub fn close(&mut self) -> Result<(), Empty> {
        for variable in 0..self.variables() {
            self.through(2 * variable, 2 * variable + 1, &Int::ZERO)?;
        }
        at_any_level!(self, half => half.tighten())
    }

    /// `s_i + s_j <= bound` and what follows; the matrix was closed. Quadratic.
    pub fn constrain(&mut self, i: usize, j: usize, bound: &Int) -> Result<(), Empty> {
        self.through(i, j, bound)?;
        at_any_level!(self, half => half.tighten())
    }

    /// Tight closure of a matrix that is closed but for the cells of one variable, which was
    /// unconstrained before. Quadratic.
    pub fn close_variable(&mut self, variable: usize) -> Result<(), Empty> {
        if !at_any_level!(self, half => half.reach_from(variable)) {
            self.promote();
        }
        self.constrain(2 * variable, 2 * variable + 1, &Int::ZERO)
    }

    pub fn combined(&self, how: Combine, newer: &Self) -> Self {
        match self.level().max(newer.level()) {
            Level::Word => Word(self.as_words().zip_with(&newer.as_words(), |a, b| how.apply(a, b))),
            Level::Wide => Wide(self.as_wide().zip_with(&newer.as_wide(), |a, b| how.apply(a, b))),
            Level::Exact => Exact(self.as_exact().zip_with(&newer.as_exact(), |a, b| how.apply(a, b))),
        }
    }

    /// Cell by cell.
    pub fn leq(&self, other: &Self) -> bool {
        fn leq<W: Weight>(left: &Half<W>, right: &Half<W>) -> bool {
            left.cells().iter().zip(right.cells()).all(|(a, b)| a <= b)
        }
        match self.level().max(other.level()) {
            Level::Word => leq(&self.as_words(), &other.as_words()),
            Level::Wide => leq(&self.as_wide(), &other.as_wide()),
            Level::Exact => leq(&self.as_exact(), &other.as_exact()),
        }
    }

    pub fn shift(&mut self, variable: usize, by: &Int) {
        self.admit(by);
        let (by, minus_by) = (Bound::Finite(by.clone()), Bound::Finite(by.neg()));
        let shifted = at_any_level!(self, half => {
            half.shift(variable, &Weight::from_bound(&by), &Weight::from_bound(&minus_by))
        });
        if !shifted {
            self.promote();
        }
    }

    pub fn negate(&mut self, variable: usize) {
        at_any_level!(self, half => half.negate(variable));
    }
}

fn gather<'a, W: Weight + 'a>(
    parts: &[&'a Matrix],
    variables: &[Option<(usize, usize)>],
    view: impl Fn(&'a Matrix) -> Cow<'a, Half<W>>,
) -> Half<W> {
    let parts: Vec<Cow<'a, Half<W>>> = parts.iter().map(|part| view(part)).collect();
    let place = |side: usize| variables[side / 2].map(|(part, at)| (part, 2 * at + side % 2));
    let twice = |(part, side): (usize, usize)| parts[part].at(side, side);
    Half::build(variables.len(), |i, j| match (place(i), place(j)) {
        _ if i ^ 1 == j => W::ZERO,
        (Some((part, a)), Some((other, b))) if part == other => parts[part].at(a, b).clone(),
        (Some(a), Some(b)) => twice(a).plus(twice(b)).halved(),
        _ => W::INFINITE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Numbers;

    const VARIABLES: usize = 4;

    /// Scales that keep to one level or cross into the next.
    fn scales() -> [Int; 4] {
        [0, 58, 121, 200].map(|bits| Int::from(2).pow(bits))
    }

    fn random_cell(numbers: &mut Numbers, scale: &Int) -> (usize, usize, Int) {
        let i = numbers.below(2 * VARIABLES);
        let j = std::iter::repeat_with(|| numbers.below(2 * VARIABLES)).find(|j| *j != i ^ 1).unwrap();
        (i, j, Int::from(numbers.between(-4, 12)) * scale + Int::from(numbers.between(-3, 3)))
    }

    /// Constraint by constraint is the same as all at once, at every level.
    #[test]
    fn incremental_closure_is_closure() {
        let mut numbers = Numbers::seeded(3);
        let (mut empty, mut inhabited) = (0, 0);
        for round in 0..4000 {
            let scale = &scales()[round % 4];
            let (mut noted, mut closed) =
                (Matrix::unconstrained(VARIABLES), Matrix::unconstrained(VARIABLES));
            for _ in 0..numbers.below(14) {
                let (i, j, bound) = random_cell(&mut numbers, scale);
                noted.note(i, j, &bound);
                let mut whole = noted.clone();
                match (whole.close(), closed.constrain(i, j, &bound)) {
                    (Ok(()), Ok(())) => {
                        inhabited += 1;
                        let mut settled = closed.clone();
                        whole.settle();
                        settled.settle();
                        assert!(whole == settled, "{:?}", cells(&whole));
                    }
                    (Err(Empty), Err(Empty)) => {
                        empty += 1;
                        break;
                    }
                    _ => panic!("empty one way only: {:?}", cells(&noted)),
                }
            }
        }
        assert!(empty > 500 && inhabited > 5000, "{empty}, {inhabited}");
    }

    #[test]
    fn closing_a_fresh_variable_is_closure() {
        let mut numbers = Numbers::seeded(4);
        let mut checked = 0;
        for round in 0..4000 {
            let scale = &scales()[round % 4];
            let mut matrix = Matrix::unconstrained(VARIABLES);
            let fresh = numbers.below(VARIABLES);
            let cells: Vec<_> = (0..12).map(|_| random_cell(&mut numbers, scale)).collect();
            let is_fresh = |i: usize, j: usize| i / 2 == fresh || j / 2 == fresh;
            for (i, j, bound) in cells.iter().filter(|(i, j, _)| !is_fresh(*i, *j)) {
                matrix.note(*i, *j, bound);
            }
            if matrix.close().is_err() {
                continue;
            }
            for (i, j, bound) in cells.iter().filter(|(i, j, _)| is_fresh(*i, *j)) {
                matrix.note(*i, *j, bound);
            }
            let mut whole = matrix.clone();
            match (whole.close(), matrix.close_variable(fresh)) {
                (Ok(()), Ok(())) => {
                    checked += 1;
                    whole.settle();
                    matrix.settle();
                    assert!(whole == matrix);
                }
                (Err(Empty), Err(Empty)) => {}
                _ => panic!("empty one way only"),
            }
        }
        assert!(checked > 1000, "{checked}");
    }

    #[test]
    fn levels_are_left_and_found_again() {
        let big = Int::from(2).pow(130);
        let mut matrix = Matrix::unconstrained(1);
        matrix.constrain(0, 0, &Int::from(10)).unwrap();
        let before = matrix.clone();
        matrix.shift(0, &big);
        assert!(matrix.level() == Level::Exact);
        matrix.shift(0, &big.neg());
        matrix.settle();
        assert!(matrix == before);
    }

    /// Bounds that fit a level, with sums along a path that do not: `x1 - x0 <= b`, `x2 - x1 <= b`, …
    #[test]
    fn sums_leave_a_level() {
        for bound in [Int::from(2).pow(60) - Int::ONE, Int::from(2).pow(124) - Int::ONE] {
            let count = 20;
            let (mut whole, mut stepwise) = (Matrix::unconstrained(count), Matrix::unconstrained(count));
            for next in 1..count {
                let (from, to) = (2 * (next - 1) + 1, 2 * next);
                whole.note(from, to, &bound);
                assert!(whole.level() < Level::Exact);
                stepwise.constrain(from, to, &bound).unwrap();
            }
            whole.close().unwrap();
            for matrix in [&whole, &stepwise] {
                let sum = &bound * Int::from(count as i64 - 1);
                assert_eq!(matrix.at(1, 2 * (count - 1)), Bound::Finite(sum));
            }
            // Back by less than the way there: no point, however often the cycle is run through.
            let back = &bound * Int::from(1 - count as i64) - Int::ONE;
            assert!(stepwise.constrain(0, 2 * (count - 1) + 1, &back).is_err());
        }
    }

    fn cells(matrix: &Matrix) -> Vec<Bound> {
        let sides = 2 * matrix.variables();
        (0..sides).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| matrix.at(i, j)).collect()
    }
}
