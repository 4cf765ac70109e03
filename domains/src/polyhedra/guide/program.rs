//! Linear programs in floating point. Nothing here is to be believed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, microlp, variable,
};

use crate::int::Int;
use crate::relation::ConstraintKind;

/// What counts as zero.
const TOLERANCE: f64 = 1e-7;

/// After so many seconds the generators are asked instead.
const PATIENCE: f64 = 1.0;

/// The seam at which another solver, or a liar, can be put.
pub trait Solver {
    /// `None` if it gives up.
    fn minimise(&self, program: &Program) -> Option<Answer>;
}

#[derive(Clone, Debug)]
pub enum Answer {
    At(Vec<f64>),
    Infeasible,
    Unbounded,
}

/// Rows have a constant first, as everywhere.
#[derive(Clone, Debug)]
pub struct Program {
    pub domain: Domain,
    pub objective: Vec<f64>,
    pub rows: Vec<(ConstraintKind, Vec<f64>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    Real,
    NotNegative,
}

impl Program {
    /// The constraints that are zero at a point, the surest first.
    pub fn active(&self, values: &[f64]) -> Vec<usize> {
        let slack = |row: &[f64]| {
            let terms = || row[1..].iter().zip(values).map(|(factor, value)| factor * value);
            let size = terms().fold(row[0].abs().max(1.0), |size, term| size.max(term.abs()));
            (terms().sum::<f64>() + row[0]).abs() / size
        };
        let slacks = self.rows.iter().map(|(_, row)| slack(row)).enumerate();
        let mut active: Vec<(usize, f64)> = slacks.filter(|(_, slack)| *slack <= TOLERANCE).collect();
        active.sort_by(|a, b| a.1.total_cmp(&b.1));
        active.into_iter().map(|(index, _)| index).collect()
    }
}

/// The columns of variables that are zero.
pub fn zeros(values: &[f64]) -> impl Iterator<Item = usize> {
    (1..=values.len()).filter(|&column| values[column - 1].abs() <= TOLERANCE)
}

/// The indices of multipliers that are not zero.
pub fn support(weights: &[f64]) -> Vec<usize> {
    (0..weights.len()).filter(|&index| weights[index] > TOLERANCE).collect()
}

/// Constraints, each divided by its largest factor.
pub struct Floats {
    rows: Vec<Vec<f64>>,
    width: usize,
}

impl Floats {
    pub fn new(rows: &[Vec<Int>]) -> Option<Self> {
        let width = rows.first()?.len();
        Some(Self { rows: rows.iter().map(|row| scaled(row)).collect::<Option<_>>()?, width })
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The lowest point of a row.
    pub fn lowest(&self, row: &[Int]) -> Option<Program> {
        let rows = self.rows.iter().map(|row| (ConstraintKind::AtLeastZero, row.clone())).collect();
        Some(Program { domain: Domain::Real, objective: scaled(row)?.split_off(1), rows })
    }

    /// A direction inside along which a row falls by 1; that is the last constraint.
    pub fn falling(&self, row: &[Int]) -> Option<Program> {
        let with_constant = |row: &[f64], constant: f64| [&[constant], &row[1..]].concat();
        let inside = self.rows.iter().map(|row| (ConstraintKind::AtLeastZero, with_constant(row, 0.0)));
        let falls = (ConstraintKind::Zero, with_constant(&scaled(row)?, 1.0));
        let objective = vec![0.0; self.width - 1];
        Some(Program { domain: Domain::Real, objective, rows: inside.chain([falls]).collect() })
    }

    /// The multipliers whose combination is the row in the variables and has the least constant.
    pub fn multipliers(&self, row: &[Int]) -> Option<Program> {
        let row = scaled(row)?;
        let rows = (1..self.width).map(|column| self.combination(column, row[column])).collect();
        let objective = self.rows.iter().map(|row| row[0]).collect();
        Some(Program { domain: Domain::NotNegative, objective, rows })
    }

    /// The multipliers whose combination is `-1 >= 0`.
    pub fn contradiction(&self) -> Program {
        let rows =
            (0..self.width).map(|column| self.combination(column, if column == 0 { -1.0 } else { 0.0 }));
        Program { domain: Domain::NotNegative, objective: vec![0.0; self.rows.len()], rows: rows.collect() }
    }

    fn combination(&self, column: usize, wanted: f64) -> (ConstraintKind, Vec<f64>) {
        let weights = self.rows.iter().map(|row| row[column]);
        (ConstraintKind::Zero, std::iter::once(-wanted).chain(weights).collect())
    }
}

/// The row over its largest factor. `None` beyond double words.
fn scaled(row: &[Int]) -> Option<Vec<f64>> {
    let floats = row.iter().map(|value| value.to_i128().map(|value| value as f64));
    let mut floats = floats.collect::<Option<Vec<f64>>>()?;
    let largest = floats[1..].iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let size = if largest > 0.0 { largest } else { floats[0].abs().max(1.0) };
    floats.iter_mut().for_each(|value| *value /= size);
    Some(floats)
}

/// The simplex method of `microlp`.
#[derive(Clone, Copy, Debug)]
pub struct MicroLp;

impl Solver for MicroLp {
    /// A panic of the solver is its way to give up.
    fn minimise(&self, program: &Program) -> Option<Answer> {
        catch_unwind(AssertUnwindSafe(|| solve(program))).ok().flatten()
    }
}

fn solve(program: &Program) -> Option<Answer> {
    let mut variables = ProblemVariables::new();
    // As differences: on variables without bounds the solver may go round in circles.
    let mut columns = || variables.add_vector(variable().min(0.0), program.objective.len());
    let added: Vec<Variable> = columns();
    let subtracted: Vec<Variable> = if program.domain == Domain::Real { columns() } else { Vec::new() };
    let sum = |factors: &[f64], constant: f64| {
        let mut sum = Expression::from(constant);
        for (index, factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            sum.add_mul(*factor, added[index]);
            subtracted.get(index).into_iter().for_each(|column| sum.add_mul(-factor, *column));
        }
        sum
    };
    let mut model = variables.minimise(sum(&program.objective, 0.0)).using(microlp).with_time_limit(PATIENCE);
    for (kind, row) in &program.rows {
        let expression = sum(&row[1..], row[0]);
        model.add_constraint(match kind {
            ConstraintKind::Zero => expression.eq(0.0),
            ConstraintKind::AtLeastZero => expression.geq(0.0),
        });
    }
    match model.solve() {
        Ok(solution) => {
            let mut values: Vec<f64> = added.iter().map(|column| solution.value(*column)).collect();
            values.iter_mut().zip(&subtracted).for_each(|(value, column)| *value -= solution.value(*column));
            Some(Answer::At(values))
        }
        Err(ResolutionError::Infeasible) => Some(Answer::Infeasible),
        Err(ResolutionError::Unbounded) => Some(Answer::Unbounded),
        Err(_) => None,
    }
}
