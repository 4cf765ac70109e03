//! The triangle of a symmetric matrix of bounds, and its tight closure.
//!
//! Variable `k` has two sides, `2k` for `+x` and `2k + 1` for `-x`; `side ^ 1` is the opposite one.
//! Cell `(i, j)` bounds the sum of two sides: `s_i + s_j <= w`, so `(i, i)` bounds `2 * s_i`, and
//! `(i, opposite)` is 0. Sums compose: `s_i + s_k <= a` and `s_k' + s_j <= b`, with `k'` opposite to
//! `k`, give `s_i + s_j <= a + b`. (Miné, "The octagon abstract domain", 2006, writes the same cells
//! as differences and has to keep them coherent; here that is the symmetry.)
//!
//! *Tightly closed*: every cell is the best bound over the *integer* points. Closure over paths, then
//! even unary cells, then halved sums of those suffice (Bagnara, Hill and Zaffanella, "Weakly-
//! relational shapes for numeric abstractions", 2009), and for one more constraint the paths through
//! it (Chawdhary, Robbins and King, "Incrementally closing octagons", 2019).

use super::weight::Weight;

/// No integer point satisfies the cells.
#[derive(Debug)]
pub(super) struct Empty;

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Half<W> {
    sides: usize,
    cells: Vec<W>,
}

fn cell(i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    high * (high + 1) / 2 + low
}

impl<W: Weight> Half<W> {
    /// `bound(i, j)` for every `j <= i`.
    pub fn build(variables: usize, mut bound: impl FnMut(usize, usize) -> W) -> Self {
        let sides = 2 * variables;
        let mut cells = Vec::with_capacity(sides * (sides + 1) / 2);
        for i in 0..sides {
            cells.extend((0..=i).map(|j| bound(i, j)));
        }
        Self { sides, cells }
    }

    pub fn converted<V: Weight>(&self) -> Half<V> {
        let cells = self.cells.iter().map(|weight| V::from_bound(&weight.to_bound()));
        Half { sides: self.sides, cells: cells.collect() }
    }

    pub fn variables(&self) -> usize {
        self.sides / 2
    }

    pub fn cells(&self) -> &[W] {
        &self.cells
    }

    pub fn at(&self, i: usize, j: usize) -> &W {
        &self.cells[cell(i, j)]
    }

    pub fn set(&mut self, i: usize, j: usize, weight: W) {
        self.cells[cell(i, j)] = weight;
    }

    /// Cell by cell.
    pub fn zip_with(&self, other: &Self, combine: impl Fn(&W, &W) -> W) -> Self {
        let cells = self.cells.iter().zip(&other.cells).map(|(a, b)| combine(a, b));
        Self { sides: self.sides, cells: cells.collect() }
    }

    /// What the unary cells alone say of a sum of two sides. Exact if they are even.
    pub fn sum_of_unary(&self, i: usize, j: usize) -> W {
        self.at(i, i).plus(self.at(j, j)).halved()
    }

    /// Whether some cell says more of the two variables together than of each.
    pub fn relates(&self, x: usize, y: usize) -> bool {
        let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| (2 * x + a, 2 * y + b));
        pairs.iter().any(|&(i, j)| *self.at(i, j) < self.sum_of_unary(i, j))
    }

    fn row(&self, i: usize) -> Vec<W> {
        (0..self.sides).map(|j| self.at(i, j).clone()).collect()
    }

    /// Takes in every path that uses `s_a + s_b <= bound`, once or twice. With two opposite sides and
    /// bound 0 these are the paths through a variable. Answers whether all cells stay roomy.
    pub fn through(&mut self, a: usize, b: usize, bound: &W) -> Result<bool, Empty> {
        let (from_a, from_b) = (self.row(a ^ 1), self.row(b ^ 1));
        let twice_a = from_a[a ^ 1].plus(bound);
        let twice_b = from_b[b ^ 1].plus(bound);
        let mut roomy = true;
        for i in 0..self.sides {
            let (over_a, over_b) = (from_a[i].plus(bound), from_b[i].plus(bound));
            let to_a = over_a.plus(&twice_b).min(over_b.clone());
            let to_b = over_b.plus(&twice_a).min(over_a);
            if !to_a.is_finite() && !to_b.is_finite() {
                continue;
            }
            let start = cell(i, 0);
            let row = &mut self.cells[start..=start + i];
            for ((weight, a), b) in row.iter_mut().zip(&from_a).zip(&from_b) {
                let path = to_a.plus(a).min(to_b.plus(b));
                if path < *weight {
                    roomy &= path.is_roomy();
                    *weight = path;
                }
            }
        }
        if (0..self.sides).step_by(2).any(|i| *self.at(i, i + 1) < W::ZERO) { Err(Empty) } else { Ok(roomy) }
    }

    /// Extends paths from a variable's own cells through the closed rest. Answers as `through`, which
    /// has to follow for the paths that visit the variable in between.
    pub fn reach_from(&mut self, variable: usize) -> bool {
        let own = [2 * variable, 2 * variable + 1];
        let others = || (0..2 * variable).chain(2 * variable + 2..self.sides);
        let mut reached = Vec::new();
        for side in own {
            let direct = self.row(side);
            let via = |j| others().map(move |k| (k, j));
            let best = |j| via(j).map(|(k, j)| direct[k].plus(self.at(k ^ 1, j))).min();
            reached.extend(others().filter_map(|j| Some((side, j, best(j)?.min(direct[j].clone())))));
        }
        let mut roomy = true;
        for (side, j, weight) in reached {
            roomy &= weight.is_roomy();
            self.set(side, j, weight);
        }
        for (i, j) in [(own[0], own[0]), (own[0], own[1]), (own[1], own[1])] {
            let others = (0..2 * variable).chain(2 * variable + 2..self.sides);
            let sums = others.map(|k| self.at(i, k).plus(self.at(k ^ 1, j)));
            let best = sums.chain([self.at(i, j).clone()]).min().expect("one at least");
            roomy &= best.is_roomy();
            self.set(i, j, best);
        }
        roomy
    }

    /// The last step of closure: integers are whole, and sums are at most the sums of their parts.
    pub fn tighten(&mut self) -> Result<(), Empty> {
        for i in 0..self.sides {
            let half = self.at(i, i).halved();
            self.set(i, i, half.plus(&half));
        }
        if (0..self.sides).step_by(2).any(|i| self.at(i, i).plus(self.at(i + 1, i + 1)) < W::ZERO) {
            return Err(Empty);
        }
        for i in (0..self.sides).filter(|&i| self.at(i, i).is_finite()).collect::<Vec<_>>() {
            for j in 0..i {
                let sum = self.sum_of_unary(i, j);
                if sum < *self.at(i, j) {
                    self.set(i, j, sum);
                }
            }
        }
        Ok(())
    }

    /// `x := x + by`. Keeps closure; answers whether all cells stay roomy.
    pub fn shift(&mut self, variable: usize, by: &W, minus_by: &W) -> bool {
        let mut roomy = true;
        for (side, by) in [(2 * variable, by), (2 * variable + 1, minus_by)] {
            for j in (0..self.sides).filter(|j| j / 2 != variable).chain([side, side]) {
                let moved = self.at(side, j).plus(by);
                roomy &= moved.is_roomy();
                self.set(side, j, moved);
            }
        }
        roomy
    }

    /// `x := -x`. Keeps closure.
    pub fn negate(&mut self, variable: usize) {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        for j in (0..self.sides).filter(|j| j / 2 != variable) {
            self.cells.swap(cell(plus, j), cell(minus, j));
        }
        self.cells.swap(cell(plus, plus), cell(minus, minus));
    }
}
