//! Random questions, shared by the tests and by `examples/against_z3`.

#![allow(dead_code, reason = "each user takes a part")]

use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, UnaryOp, Var};
use kleene_solver::{Problem, Sort};

/// What a random question is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub variables: u32,
    pub depth: usize,
    pub constants: i64,
    /// Products of variables and divisions by them.
    pub curved: bool,
    /// Wrapping into small machine types.
    pub wraps: bool,
    /// Bit operations, shifts, powers and their like.
    pub bits: bool,
}

pub fn constant(value: i64) -> Expr {
    Expr::constant(value)
}

pub fn variable(index: u32) -> Expr {
    Expr::Variable(Var(index))
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Cond {
    Cond::Compare(op, left, right)
}

pub fn expr(numbers: &mut Numbers, shape: &Shape, depth: usize) -> Expr {
    if depth == 0 || numbers.below(4) == 0 {
        return match numbers.below(3) {
            0 => constant(numbers.between(-shape.constants, shape.constants)),
            _ => variable(numbers.below(shape.variables as usize) as u32),
        };
    }
    let inner = depth - 1;
    if shape.bits && numbers.below(3) == 0 {
        return bits(numbers, shape, inner);
    }
    match numbers.below(13) {
        0..=2 => Expr::binary(BinaryOp::Add, expr(numbers, shape, inner), expr(numbers, shape, inner)),
        3..=4 => Expr::binary(BinaryOp::Sub, expr(numbers, shape, inner), expr(numbers, shape, inner)),
        5..=6 => {
            let factor = constant(numbers.between(-shape.constants, shape.constants));
            Expr::binary(BinaryOp::Mul, factor, expr(numbers, shape, inner))
        }
        7 => Expr::Negate(Box::new(expr(numbers, shape, inner))),
        8 => {
            let op = if numbers.below(2) == 0 { BinaryOp::Div } else { BinaryOp::Rem };
            let divisor = match shape.curved {
                true => expr(numbers, shape, inner.min(1)),
                false => constant(numbers.between(-shape.constants, shape.constants)),
            };
            Expr::binary(op, expr(numbers, shape, inner), divisor)
        }
        9 => {
            let op = if numbers.below(2) == 0 { BinaryOp::Min } else { BinaryOp::Max };
            Expr::binary(op, expr(numbers, shape, inner), expr(numbers, shape, inner))
        }
        10 => {
            let condition = cond(numbers, shape, inner.min(1));
            let (yes, no) = (expr(numbers, shape, inner), expr(numbers, shape, inner));
            Expr::IfThenElse(Box::new(condition), Box::new(yes), Box::new(no))
        }
        11 if shape.curved => {
            Expr::binary(BinaryOp::Mul, expr(numbers, shape, inner), expr(numbers, shape, inner))
        }
        12 if shape.wraps => {
            let bits = numbers.between(2, 4) as u32;
            let ty = if numbers.below(2) == 0 { IntType::signed(bits) } else { IntType::unsigned(bits) };
            Expr::Wrap(ty, Box::new(expr(numbers, shape, inner)))
        }
        _ => Expr::binary(BinaryOp::Add, expr(numbers, shape, inner), variable(0)),
    }
}

fn bits(numbers: &mut Numbers, shape: &Shape, inner: usize) -> Expr {
    let left = expr(numbers, shape, inner);
    match numbers.below(9) {
        0 => Expr::unary(UnaryOp::ALL[numbers.below(4)], left),
        1 | 2 => {
            let op = if numbers.below(2) == 0 { BinaryOp::ShiftLeft } else { BinaryOp::ShiftRight };
            let count = if numbers.below(2) == 0 { constant(numbers.between(-1, 3)) } else { variable(0) };
            Expr::binary(op, left, count)
        }
        3 => Expr::binary(BinaryOp::Power, variable(0), constant(numbers.between(-1, 3))),
        kind => {
            let op = [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor][kind % 3];
            let right = match numbers.below(2) {
                0 => constant(numbers.between(-shape.constants, shape.constants)),
                _ => expr(numbers, shape, inner),
            };
            Expr::binary(op, left, right)
        }
    }
}

pub fn cond(numbers: &mut Numbers, shape: &Shape, depth: usize) -> Cond {
    if depth > 0 {
        let inner = depth - 1;
        match numbers.below(6) {
            0 => return Cond::Not(Box::new(cond(numbers, shape, inner))),
            1 | 2 => {
                let left = cond(numbers, shape, inner);
                return Cond::And(Box::new(left), Box::new(cond(numbers, shape, inner)));
            }
            3 | 4 => {
                let left = cond(numbers, shape, inner);
                return Cond::Or(Box::new(left), Box::new(cond(numbers, shape, inner)));
            }
            _ => {}
        }
    }
    // Equalities are the interesting ones.
    let op = match numbers.below(8) {
        0..=2 => CompareOp::Equal,
        3 => CompareOp::NotEqual,
        4 => CompareOp::Less,
        5 => CompareOp::LessEqual,
        6 => CompareOp::Greater,
        _ => CompareOp::GreaterEqual,
    };
    compare(op, expr(numbers, shape, shape.depth), expr(numbers, shape, shape.depth))
}

/// `low <= variable <= high` for every variable.
pub fn boxed(variables: u32, low: i64, high: i64) -> Vec<Cond> {
    let bounds = (0..variables).flat_map(|index| {
        [
            compare(CompareOp::GreaterEqual, variable(index), constant(low)),
            compare(CompareOp::LessEqual, variable(index), constant(high)),
        ]
    });
    bounds.collect()
}

pub fn problem(conds: &[Cond]) -> Problem {
    let mut problem = Problem::default();
    for cond in conds {
        problem.assert(cond);
    }
    problem
}

/// Whether some point of the box satisfies all; by trying every one.
pub fn brute(problem: &Problem, variables: u32, low: i64, high: i64) -> bool {
    let mut point = vec![low; variables as usize];
    loop {
        let model = point.iter().enumerate().map(|(index, value)| (Var(index as u32), Int::from(*value)));
        if model.collect::<kleene_solver::Model>().satisfies(problem) {
            return true;
        }
        let Some(position) = point.iter().position(|value| *value < high) else { return false };
        point[..position].fill(low);
        point[position] += 1;
    }
}

pub fn machine(variables: u32, ty: IntType) -> Problem {
    let mut problem = Problem::default();
    for index in 0..variables {
        problem.declare(Var(index), Sort::Machine(ty));
    }
    problem
}

pub fn text(problem: &Problem) -> String {
    kleene_solver::smtlib::script(problem)
}

/// A sum of variables with factors.
pub fn sum(numbers: &mut Numbers, variables: u32, factors: i64) -> Expr {
    let mut sum = constant(numbers.between(-factors, factors));
    for index in 0..variables {
        let factor = constant(numbers.between(-factors, factors));
        sum = Expr::binary(BinaryOp::Add, sum, Expr::binary(BinaryOp::Mul, factor, variable(index)));
    }
    sum
}

/// Systems of equalities and inequalities without bounds.
pub fn system(numbers: &mut Numbers, variables: u32, factors: i64) -> Problem {
    let mut problem = Problem::default();
    for _ in 0..numbers.between(2, 5) {
        let op = match numbers.below(3) {
            0 => CompareOp::Equal,
            1 => CompareOp::LessEqual,
            _ => CompareOp::Less,
        };
        let left = sum(numbers, variables, factors);
        problem.assert(&compare(op, left, constant(numbers.between(-50, 50))));
    }
    problem
}

/// The condition as a machine computes it: every operation wraps.
fn computed(cond: &Cond, ty: IntType) -> Cond {
    let both = |left: &Cond, right: &Cond| (Box::new(computed(left, ty)), Box::new(computed(right, ty)));
    match cond {
        Cond::Literal(value) => Cond::Literal(*value),
        Cond::Compare(op, left, right) => Cond::Compare(*op, word(left, ty), word(right, ty)),
        Cond::Not(inner) => Cond::Not(Box::new(computed(inner, ty))),
        Cond::And(left, right) => {
            let (left, right) = both(left, right);
            Cond::And(left, right)
        }
        Cond::Or(left, right) => {
            let (left, right) = both(left, right);
            Cond::Or(left, right)
        }
    }
}

fn word(expr: &Expr, ty: IntType) -> Expr {
    let wrapped = |expr: Expr| Expr::Wrap(ty, Box::new(expr));
    match expr {
        Expr::Constant(value) => Expr::Constant(ty.wrap(value)),
        Expr::Variable(_) | Expr::Any(_) => expr.clone(),
        Expr::Negate(inner) => wrapped(Expr::Negate(Box::new(word(inner, ty)))),
        Expr::Unary(op, inner) => wrapped(Expr::unary(*op, word(inner, ty))),
        Expr::Binary(op, left, right) => wrapped(Expr::binary(*op, word(left, ty), word(right, ty))),
        Expr::Wrap(own, inner) => Expr::Wrap(*own, Box::new(word(inner, ty))),
        Expr::IfThenElse(cond, yes, no) => {
            let (yes, no) = (Box::new(word(yes, ty)), Box::new(word(no, ty)));
            Expr::IfThenElse(Box::new(computed(cond, ty)), yes, no)
        }
    }
}

/// One of the families, by name.
pub fn any_problem(numbers: &mut Numbers) -> (&'static str, Problem) {
    let variables = numbers.between(2, 4) as u32;
    let shape = Shape { variables, depth: 2, constants: 10, curved: false, wraps: false, bits: false };
    let random = |numbers: &mut Numbers, mut problem: Problem, shape: &Shape| {
        for _ in 0..numbers.between(1, 5) {
            problem.assert(&cond(numbers, shape, 2));
        }
        problem
    };
    match numbers.below(10) {
        0 | 1 => {
            let start = problem(&boxed(variables, -100, 100));
            ("boxed", random(numbers, start, &shape))
        }
        2 | 3 => ("unbounded", random(numbers, Problem::default(), &shape)),
        4 => ("systems", system(numbers, variables, 9)),
        5 => {
            let start = machine(variables, IntType::I32);
            let shape = Shape { wraps: true, depth: 3, ..shape };
            ("wrapped in 32 bits", random(numbers, start, &shape))
        }
        6 => {
            let start = machine(2, IntType::I8);
            ("curved in 8 bits", random(numbers, start, &Shape { curved: true, variables: 2, ..shape }))
        }
        7 | 8 => {
            let ty = [IntType::U8, IntType::I16, IntType::I32, IntType::U64][numbers.below(4)];
            let shape = Shape { curved: numbers.below(4) == 0, ..shape };
            let mut problem = machine(variables, ty);
            for _ in 0..numbers.between(1, 5) {
                problem.assert(&computed(&cond(numbers, &shape, 2), ty));
            }
            (if shape.curved { "words, curved" } else { "words" }, problem)
        }
        _ => {
            let shape = Shape { curved: true, variables: 2, ..shape };
            ("curved, unbounded", random(numbers, Problem::default(), &shape))
        }
    }
}

/// How many questions `tests/recorded` holds.
pub const RECORDED: u64 = 60;
