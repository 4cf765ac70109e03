//! Answers about a cone of which only the constraints are known, without its generators.
//!
//! A linear program in floating point ([`program`]) suggests which constraints matter: those whose
//! combination gives the wanted row, or those on which the lowest point lies. The small system that
//! they form is solved exactly, and what comes out is checked in exact arithmetic ([`exact`]): an
//! answer is either proved or not given, and then the generators are asked. Nothing that a solver
//! says can change an answer. (Farkas, 1902; Applegate et al., "Exact solutions to linear programming
//! problems", 2007.)

mod exact;
mod program;
#[cfg(test)]
mod tests;

use super::block::Cone;
use super::parts::{Parts, local};
use super::rows::{Matrix, is_constant};
use super::scalar::Scalar;
use crate::int::Int;
use exact::{Fraction, Multipliers, Point, contains, multipliers, point};
use program::{Answer, Floats, MicroLp, Program, Solver};

/// From so many variables on, and so many more constraints than variables, linear programs are asked.
///
/// Generators multiply with the constraints beyond the variables. Means over 8 random systems of two
/// or three variables per row, in microseconds, to find the generators / for one question: 8 variables
/// 13 rows 91 / 46–963, 15 rows 263 / 64–157; 12 variables 17 rows 120 / 63–626; and where most
/// conversions gave up rows, 12 variables 21 rows 2,561 / 73–138, 16 variables 23 rows 1,397 / 83–156.
/// A chain of differences is cheap to convert at any size: 16 variables 21 rows 37 / 333.
const MIN_VARIABLES: usize = 8;
const MIN_EXCESS: usize = 7;

/// Whether asking a linear program is cheaper than finding the generators.
fn pays<S: Scalar>(rows: &Matrix<S>) -> bool {
    let variables = rows.width() - 1;
    variables >= MIN_VARIABLES && rows.len() >= variables + MIN_EXCESS
}

/// Whether the row is at least zero on the cone. `None`: ask the generators.
pub fn implies<S: Scalar>(cone: &Cone<S>, row: &[S]) -> Option<bool> {
    let rows = cone.only_constraints().filter(|rows| pays(rows))?;
    Guide::new(rows.iter().map(exact_row).collect(), MicroLp)?.implies(&exact_row(row))
}

/// The least value of the row, without its constant, on the cone. `None`: ask the generators.
pub fn least<S: Scalar>(cone: &Cone<S>, row: &[S]) -> Option<Lowest> {
    let rows = cone.only_constraints().filter(|rows| pays(rows))?;
    let mut row = exact_row(row);
    row[0] = Int::ZERO;
    Guide::new(rows.iter().map(exact_row).collect(), MicroLp)?.least(&row)
}

impl<S: Scalar> Parts<S> {
    /// Whether rows over these closed columns are known to contradict the blocks there; asked only
    /// where the generators of a block would have to be found first.
    pub fn is_contradicted(&self, columns: &[usize], rows: &[Vec<S>]) -> bool {
        let inside = || self.blocks.iter().filter(|block| columns.binary_search(&block.columns[0]).is_ok());
        if !inside().any(|block| block.cone.only_constraints().is_some_and(pays)) {
            return false;
        }
        let mut all: Vec<Vec<Int>> = rows.iter().map(|row| exact_row(row)).collect();
        for block in inside() {
            let global = |row: &[S]| exact_row(&local(columns, &block.global(row, self.width)));
            let Ok(facets) = block.cone.facets() else { return false };
            all.extend(facets.map(global));
        }
        Guide::new(all, MicroLp).and_then(|guide| guide.is_empty()) == Some(true)
    }
}

fn exact_row<S: Scalar>(row: &[S]) -> Vec<Int> {
    row.iter().map(S::to_int).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lowest {
    At(Fraction),
    Unbounded,
}

/// The polyhedron of the points where each row is at least zero, and whom to ask about it.
struct Guide<L> {
    rows: Vec<Vec<Int>>,
    floats: Floats,
    solver: L,
}

impl<L: Solver> Guide<L> {
    /// `None` if there is nothing to ask, or the numbers are beyond any floating point.
    fn new(mut rows: Vec<Vec<Int>>, solver: L) -> Option<Self> {
        rows.retain(|row| !is_constant(row) || row[0].is_negative());
        let floats = Floats::new(&rows)?;
        Some(Self { rows, floats, solver })
    }

    /// Whether the row is at least zero at every point. There must be one.
    fn implies(&self, row: &[Int]) -> Option<bool> {
        let there = |own: &Vec<Int>| own[1..] == row[1..] && own[0] <= row[0];
        if self.rows.iter().any(there) {
            return Some(true);
        }
        match self.suggested_multipliers(row)? {
            Suggested::Proof(proof, bound) => {
                let holds = !bound.value.is_negative();
                (holds || self.lowest_point(row, &proof)?.value(row).value.is_negative()).then_some(holds)
            }
            Suggested::Ray => self.is_unbounded(row).then_some(false),
        }
    }

    /// The least value of the row. There must be a point.
    fn least(&self, row: &[Int]) -> Option<Lowest> {
        match self.suggested_multipliers(row)? {
            Suggested::Proof(proof, bound) => {
                let reached = self.lowest_point(row, &proof)?.value(row) == bound;
                reached.then_some(Lowest::At(bound))
            }
            Suggested::Ray => self.is_unbounded(row).then_some(Lowest::Unbounded),
        }
    }

    /// Whether there is no point.
    fn is_empty(&self) -> Option<bool> {
        match self.solver.minimise(&self.floats.contradiction())? {
            Answer::At(weights) => {
                let mut absurd = vec![Int::ZERO; self.floats.width()];
                absurd[0] = Int::MINUS_ONE;
                let proof = multipliers(&self.rows, &program::support(&weights), &absurd, 0);
                let bound = proof.bound(&self.rows, &absurd)?;
                (!bound.value.is_negative()).then_some(true)
            }
            Answer::Infeasible => {
                let nowhere = vec![Int::ZERO; self.floats.width()];
                self.suggested_point(&nowhere, &[]).map(|_| false)
            }
            Answer::Unbounded => None,
        }
    }

    /// Multipliers with the greatest lower bound of the row, if they prove one.
    fn suggested_multipliers(&self, row: &[Int]) -> Option<Suggested> {
        match self.solver.minimise(&self.floats.multipliers(row)?)? {
            Answer::At(weights) => {
                let proof = multipliers(&self.rows, &program::support(&weights), row, 1);
                let bound = proof.bound(&self.rows, row)?;
                Some(Suggested::Proof(proof, bound))
            }
            Answer::Infeasible => Some(Suggested::Ray),
            Answer::Unbounded => None,
        }
    }

    /// A point on all constraints of a proof: often the only one, else one that a program finds.
    fn lowest_point(&self, row: &[Int], proof: &Multipliers) -> Option<Point> {
        let support: Vec<usize> = proof.support().collect();
        let on = || support.iter().map(|&index| self.rows[index].clone());
        let only = (support.len() + 1 == row.len()).then(|| point(on(), row.len()));
        only.filter(|found| contains(&self.rows, found)).or_else(|| self.suggested_point(row, &support))
    }

    /// A point of the polyhedron on certain constraints, as low as a program finds one.
    fn suggested_point(&self, row: &[Int], on: &[usize]) -> Option<Point> {
        let program = self.floats.lowest(row)?;
        let Answer::At(values) = self.solver.minimise(&program)? else { return None };
        let equations = on.iter().map(|&index| self.rows[index].clone());
        let equations = equations.chain(equations_at(&program, &values, &self.rows));
        Some(point(equations, row.len())).filter(|found| contains(&self.rows, found))
    }

    /// Whether a direction is found that never leaves the polyhedron and along which the row falls.
    fn is_unbounded(&self, row: &[Int]) -> bool {
        let flat = |row: &Vec<Int>| std::iter::once(Int::ZERO).chain(row[1..].iter().cloned()).collect();
        let rows: Vec<Vec<Int>> = self.rows.iter().map(flat).collect();
        let mut falling: Vec<Int> = flat(&row.to_vec());
        falling[0] = Int::ONE;
        let found = || {
            let program = self.floats.falling(row)?;
            let Answer::At(values) = self.solver.minimise(&program)? else { return None };
            let equations = equations_at(&program, &values, &rows);
            Some(point(std::iter::once(falling.clone()).chain(equations), row.len()))
        };
        found().is_some_and(|ray| contains(&rows, &ray) && ray.value(&falling).value.is_zero())
    }
}

/// What seems to be zero at a solution of a program: the first of its constraints, which these rows
/// are, and variables.
fn equations_at(program: &Program, values: &[f64], rows: &[Vec<Int>]) -> impl Iterator<Item = Vec<Int>> {
    let width = values.len() + 1;
    let variable = move |column: usize| (0..width).map(|other| Int::from(other == column)).collect();
    let active = program.active(values).into_iter().filter_map(|index| rows.get(index).cloned());
    active.chain(program::zeros(values).map(variable))
}

enum Suggested {
    Proof(Multipliers, Fraction),
    /// No multipliers: the row falls without end.
    Ray,
}
