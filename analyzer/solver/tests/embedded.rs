//! The embedded solver against trying every point.

mod support;

use std::time::Duration;

use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, Var};
use kleene_solver::{Answer, Budget, Embedded, Problem, Solver, Sort};
use support::{Shape, boxed, brute, compare, cond, constant, machine, variable};

fn solver(problem: &Problem) -> Embedded {
    let mut solver = Embedded::new();
    *solver.problem_mut() = problem.clone();
    solver
}

fn check(problem: &Problem) -> Answer {
    solver(problem).check(&Budget { time: Duration::from_secs(60), ..Budget::default() })
}

/// Compares; answers whether it was left open.
fn agree(problem: &Problem, expected: bool, seed: u64) -> bool {
    match check(problem) {
        Answer::Sat(model) => {
            assert!(expected, "seed {seed}: {model:?} of {:#?}", problem.assertions());
            assert!(model.satisfies(problem));
            false
        }
        Answer::Unsat(core) => {
            assert!(!expected, "seed {seed}: no model of {:#?}", problem.assertions());
            assert!(core.windows(2).all(|pair| pair[0] < pair[1]));
            let rest = problem.restricted(&core);
            assert!(!check(&rest).is_sat(), "seed {seed}: the core {core:?} is satisfiable");
            false
        }
        Answer::Unknown(reason) => {
            assert!(
                reason != kleene_solver::Reason::InvalidModel,
                "seed {seed}: invalid model of {:#?}",
                problem.assertions()
            );
            true
        }
    }
}

fn sweep(shape: Shape, (low, high): (i64, i64), questions: u64, seed: u64) {
    let (mut open, mut sat) = (0, 0);
    for index in 0..questions {
        let seed = seed + index;
        let mut numbers = Numbers::seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut conds = boxed(shape.variables, low, high);
        for _ in 0..numbers.between(1, 4) {
            conds.push(cond(&mut numbers, &shape, 2));
        }
        let problem = support::problem(&conds);
        let expected = brute(&problem, shape.variables, low, high);
        sat += u64::from(expected);
        open += u64::from(agree(&problem, expected, seed));
    }
    println!("{shape:?}: {questions} questions, {sat} satisfiable, {open} open");
    assert!(open * 50 <= questions, "{open} of {questions} open");
    assert!(sat * 10 >= questions && sat * 10 <= 9 * questions, "{sat} of {questions} satisfiable");
}

#[test]
fn linear_over_two_variables() {
    let shape = Shape { variables: 2, depth: 2, constants: 7, curved: false, wraps: false };
    sweep(shape, (-6, 6), 2500, 1);
}

#[test]
fn linear_over_three_and_four_variables() {
    let shape = Shape { variables: 3, depth: 2, constants: 9, curved: false, wraps: false };
    sweep(shape, (-4, 4), 1500, 10_000);
    sweep(Shape { variables: 4, ..shape }, (-2, 3), 800, 20_000);
}

#[test]
fn wrapped() {
    let shape = Shape { variables: 2, depth: 3, constants: 9, curved: false, wraps: true };
    sweep(shape, (-9, 9), 1500, 30_000);
}

#[test]
fn curved() {
    let shape = Shape { variables: 2, depth: 2, constants: 6, curved: true, wraps: true };
    sweep(shape, (-6, 6), 1000, 40_000);
    // Ranges too wide for cases.
    sweep(Shape { constants: 30, ..shape }, (-25, 25), 800, 50_000);
}

#[test]
fn machine_integers_by_their_sorts() {
    let ty = IntType::signed(4);
    let shape = Shape { variables: 2, depth: 3, constants: 9, curved: true, wraps: true };
    for seed in 0..400 {
        let mut numbers = Numbers::seeded(seed + 77);
        let mut problem = machine(2, ty);
        for _ in 0..2 {
            problem.assert(&cond(&mut numbers, &shape, 2));
        }
        agree(&problem, brute(&problem, 2, -8, 7), seed);
    }
}
