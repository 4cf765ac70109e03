//! The embedded solver against trying every point.

mod support;

use std::time::Duration;

use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, IntType, Var};
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
    let shape = Shape { variables: 2, depth: 2, constants: 7, curved: false, wraps: false, bits: false };
    sweep(shape, (-6, 6), 2500, 1);
}

#[test]
fn linear_over_three_and_four_variables() {
    let shape = Shape { variables: 3, depth: 2, constants: 9, curved: false, wraps: false, bits: false };
    sweep(shape, (-4, 4), 1500, 10_000);
    sweep(Shape { variables: 4, ..shape }, (-2, 3), 800, 20_000);
}

#[test]
fn wrapped() {
    let shape = Shape { variables: 2, depth: 3, constants: 9, curved: false, wraps: true, bits: false };
    sweep(shape, (-9, 9), 1500, 30_000);
}

#[test]
fn bits() {
    let shape = Shape { variables: 2, depth: 2, constants: 9, curved: false, wraps: true, bits: true };
    sweep(shape, (-9, 9), 1500, 35_000);
}

/// Without ranges only the linear engine can say no.
#[test]
fn bits_by_constants_of_unbounded_numbers() {
    let x = || variable(0);
    let op = |op, left, right| Expr::binary(op, left, constant(right));
    let equal = |left, right| compare(CompareOp::Equal, left, constant(right));
    let sat = [
        equal(op(BinaryOp::BitAnd, x(), 7), 5).and(compare(CompareOp::Greater, x(), constant(1 << 40))),
        equal(op(BinaryOp::BitOr, x(), 12), -1),
        equal(op(BinaryOp::BitXor, x(), -6), 77),
        equal(op(BinaryOp::ShiftRight, x(), 3), -5).and(compare(CompareOp::Greater, x(), constant(-35))),
        equal(op(BinaryOp::Power, x(), 3), -125),
    ];
    let unsat = [
        equal(op(BinaryOp::BitAnd, x(), 6), 1),
        equal(op(BinaryOp::BitOr, x(), 12), 3),
        equal(op(BinaryOp::ShiftLeft, x(), 4), 24),
        equal(op(BinaryOp::ShiftRight, x(), 3), -5).and(compare(CompareOp::Less, x(), constant(-40))),
        compare(CompareOp::Less, op(BinaryOp::BitAnd, x(), 255), constant(0)),
        equal(op(BinaryOp::ShiftLeft, x(), -1), 0),
        equal(op(BinaryOp::ShiftLeft, x(), 256), 0),
        compare(CompareOp::Less, Expr::unary(kleene_domains::UnaryOp::CountOnes, x()), constant(0)),
    ];
    for cond in sat {
        assert!(check(&support::problem(std::slice::from_ref(&cond))).is_sat(), "{cond:?}");
    }
    for cond in unsat {
        assert!(check(&support::problem(std::slice::from_ref(&cond))).is_unsat(), "{cond:?}");
    }
}

#[test]
fn bits_of_machine_words() {
    let x = || variable(0);
    let mut problem = Problem::default();
    problem.declare(Var(0), Sort::Machine(IntType::U32));
    let power = compare(CompareOp::Equal, Expr::unary(kleene_domains::UnaryOp::CountOnes, x()), constant(1));
    problem.assert(&power);
    let below = Expr::binary(BinaryOp::Sub, x(), constant(1));
    problem.assert(&compare(CompareOp::NotEqual, Expr::binary(BinaryOp::BitAnd, x(), below), constant(0)));
    assert!(check(&problem).is_unsat());
    let mut problem = Problem::default();
    problem.declare(Var(0), Sort::Machine(IntType::U32));
    let root = Expr::unary(kleene_domains::UnaryOp::SquareRoot, x());
    problem.assert(&compare(CompareOp::Equal, root, constant(46_341)));
    let Answer::Sat(model) = check(&problem) else { panic!("the root has a square") };
    assert!(model.satisfies(&problem));
}

#[test]
fn curved() {
    let shape = Shape { variables: 2, depth: 2, constants: 6, curved: true, wraps: true, bits: false };
    sweep(shape, (-6, 6), 1000, 40_000);
    // Ranges too wide for cases.
    sweep(Shape { constants: 30, ..shape }, (-25, 25), 800, 50_000);
}

#[test]
fn machine_integers_by_their_sorts() {
    let ty = IntType::signed(4);
    let shape = Shape { variables: 2, depth: 3, constants: 9, curved: true, wraps: true, bits: false };
    for seed in 0..400 {
        let mut numbers = Numbers::seeded(seed + 77);
        let mut problem = machine(2, ty);
        for _ in 0..2 {
            problem.assert(&cond(&mut numbers, &shape, 2));
        }
        agree(&problem, brute(&problem, 2, -8, 7), seed);
    }
}

fn linear(factors: &[i64], op: CompareOp, right: i64) -> Cond {
    let sum = factors.iter().enumerate().fold(constant(0), |sum, (index, factor)| {
        let product = Expr::binary(BinaryOp::Mul, constant(*factor), variable(index as u32));
        Expr::binary(BinaryOp::Add, sum, product)
    });
    compare(op, sum, constant(right))
}

#[test]
fn unbounded_systems_of_known_status() {
    use CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual};
    let cases: [(&[Cond], bool); 10] = [
        (&[linear(&[3, -3], Equal, 1)], false),
        (&[linear(&[4, 6], Equal, 2)], true),
        (&[linear(&[4, 6, 10], Equal, 7)], false),
        (&[linear(&[1, 1], Equal, 1), linear(&[1, -1], Equal, 0)], false),
        (&[linear(&[1, 1, -2], Equal, 0), linear(&[1, -1, 0, -2], Equal, 1)], false),
        (&[linear(&[17, -19], Equal, 1), linear(&[1], Greater, 1000)], true),
        (
            &[
                linear(&[3, -3, 1], GreaterEqual, 1),
                linear(&[3, -3, 1], LessEqual, 2),
                linear(&[0, 0, 1], Equal, 0),
            ],
            false,
        ),
        (&[linear(&[2, -2], Greater, 0), linear(&[2, -2], Less, 2)], false),
        (&[linear(&[1, -1], Less, 0), linear(&[0, 1, -1], Less, 0), linear(&[-1, 0, 1], Less, 2)], false),
        (&[linear(&[1, -1], Less, 0), linear(&[0, 1, -1], Less, 0), linear(&[-1, 0, 1], Less, 3)], true),
    ];
    for (index, (conds, expected)) in cases.iter().enumerate() {
        let answer = check(&support::problem(conds));
        assert_eq!(answer.is_sat(), *expected, "case {index}: {answer:?}");
        assert_eq!(answer.is_unsat(), !*expected, "case {index}: {answer:?}");
    }
}

#[test]
fn undefined_divisions_satisfy_nothing() {
    let divided = || Expr::binary(BinaryOp::Div, constant(10), variable(0));
    let zero = || compare(CompareOp::Equal, variable(0), constant(0));
    let compared = || compare(CompareOp::Greater, divided(), constant(100));
    // Neither the comparison nor its negation.
    assert!(check(&support::problem(&[zero(), compared()])).is_unsat());
    assert!(check(&support::problem(&[zero(), Cond::Not(Box::new(compared()))])).is_unsat());
    // Unless it is never reached.
    let guarded = Cond::Or(Box::new(zero()), Box::new(compared()));
    assert!(check(&support::problem(&[zero(), guarded])).is_sat());
    let late = Cond::Or(Box::new(compared()), Box::new(zero()));
    assert!(check(&support::problem(&[zero(), late])).is_unsat());
    let any = Expr::Any(kleene_domains::Interval::TOP);
    assert!(check(&support::problem(&[compare(CompareOp::Equal, any.clone(), any)])).is_unsat());
}

#[test]
fn machine_words_of_every_width() {
    let (x, y) = (|| variable(0), || variable(1));
    for ty in [IntType::I8, IntType::U16, IntType::I32, IntType::U64, IntType::I128] {
        let wrapped = |op, left, right| Expr::Wrap(ty, Box::new(Expr::binary(op, left, right)));
        let mut problem = machine(2, ty);
        // x + 1 < x: only at the end of the range.
        problem.assert(&compare(CompareOp::Less, wrapped(BinaryOp::Add, x(), constant(1)), x()));
        let Answer::Sat(model) = check(&problem) else { panic!("{ty}: it wraps") };
        assert_eq!(model.value(Var(0)), ty.max());
        problem.assert(&compare(CompareOp::Less, x(), y()));
        assert!(check(&problem).is_unsat(), "{ty}: nothing is above the largest");
    }
    // An odd square root of 1 modulo 2^16 that is neither 1 nor -1.
    let square = Expr::Wrap(IntType::U16, Box::new(Expr::binary(BinaryOp::Mul, x(), x())));
    let mut problem = machine(1, IntType::U16);
    problem.assert(&compare(CompareOp::Equal, square, constant(1)));
    problem.assert(&compare(CompareOp::Greater, x(), constant(1)));
    problem.assert(&compare(CompareOp::Less, x(), constant(65_535)));
    let answer = check(&problem);
    assert!(answer.is_sat(), "{answer:?}");
}

#[test]
fn products_without_bounds() {
    let square = || Expr::binary(BinaryOp::Mul, variable(0), variable(0));
    let product = || Expr::binary(BinaryOp::Mul, variable(0), variable(1));
    assert!(check(&support::problem(&[compare(CompareOp::Less, square(), constant(0))])).is_unsat());
    assert!(check(&support::problem(&[compare(CompareOp::Equal, square(), constant(49))])).is_sat());
    assert!(check(&support::problem(&[compare(CompareOp::Equal, square(), constant(50))])).is_unsat());
    let positive = [
        compare(CompareOp::Greater, variable(0), constant(3)),
        compare(CompareOp::Greater, variable(1), constant(3)),
        compare(CompareOp::Less, product(), constant(16)),
    ];
    assert!(check(&support::problem(&positive)).is_unsat());
    assert!(check(&support::problem(&positive[..2])).is_sat());
    assert!(
        check(&support::problem(&[compare(CompareOp::Equal, product(), constant(91)), positive[0].clone()]))
            .is_sat()
    );
}

#[test]
fn pushes_and_pops() {
    let mut solver = Embedded::new();
    let at_least = |value| compare(CompareOp::GreaterEqual, variable(0), constant(value));
    let at_most = |value| compare(CompareOp::LessEqual, variable(0), constant(value));
    solver.declare(Var(0), Sort::Machine(IntType::U8));
    assert_eq!(solver.assert(&at_least(10)), 0);
    solver.push();
    assert_eq!(solver.assert(&at_most(100)), 1);
    solver.push();
    assert_eq!(solver.assert(&at_most(9)), 2);
    assert_eq!(solver.check(&Budget::default()), Answer::Unsat(vec![0, 2]));
    solver.pop();
    assert!(solver.check(&Budget::default()).is_sat());
    solver.pop();
    solver.push();
    assert_eq!(solver.assert(&at_least(256)), 1);
    assert!(solver.check(&Budget::default()).is_unsat(), "the sort has no such value");
    solver.pop();
    assert!(solver.check(&Budget::default()).is_sat());
}

#[test]
fn cores_leave_out_what_does_not_matter() {
    use CompareOp::{Equal, Less};
    let conds = [
        linear(&[0, 0, 1], Less, 7),
        linear(&[1, -1], Less, 0),
        linear(&[0, 0, 1, 1], Equal, 3),
        linear(&[-1, 1], Less, 0),
    ];
    assert_eq!(check(&support::problem(&conds)), Answer::Unsat(vec![1, 3]));
}

#[test]
fn the_same_question_has_the_same_answer() {
    for seed in 1..120 {
        let (_, problem) = support::any_problem(&mut Numbers::seeded(seed * 6_700_417));
        assert_eq!(check(&problem), check(&problem), "seed {seed}");
    }
}

#[test]
fn budgets_end_every_question() {
    let ty = IntType::U64;
    let product = Expr::Wrap(ty, Box::new(Expr::binary(BinaryOp::Mul, variable(0), variable(1))));
    let mut problem = machine(2, ty);
    // A factorisation of a large semiprime.
    problem.assert(&compare(CompareOp::Equal, product, constant(3_000_000_040_000_000_133)));
    for index in 0..2 {
        problem.assert(&compare(CompareOp::Greater, variable(index), constant(1)));
        problem.assert(&compare(CompareOp::Less, variable(index), constant(1 << 32)));
    }
    let budget = Budget { conflicts: 200, pivots: 500, nodes: 50, rounds: 3, ..Budget::default() };
    let answer = solver(&problem).check(&budget);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert_eq!(answer, solver(&problem).check(&budget));
    let none = Budget { time: Duration::ZERO, ..Budget::default() };
    assert!(matches!(solver(&problem).check(&none), Answer::Unknown(_)));
}
