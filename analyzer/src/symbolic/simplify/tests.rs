use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, Interval, Var, concrete};

use super::tidy::tidy;
use super::{Simplifier, in_words};

const X: u32 = 0;
const Y: u32 = 1;
const Z: u32 = 2;

fn var(index: u32) -> Expr {
    Expr::Variable(Var(index))
}

fn num(value: i64) -> Expr {
    Expr::constant(value)
}

fn add(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Add, left, right)
}

fn times(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Mul, left, right)
}

fn over(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Div, left, right)
}

fn is(left: Expr, symbol: &str, right: Expr) -> Cond {
    let op = match symbol {
        "==" => CompareOp::Equal,
        "!=" => CompareOp::NotEqual,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEqual,
        ">" => CompareOp::Greater,
        _ => CompareOp::GreaterEqual,
    };
    Cond::Compare(op, left, right)
}

/// Without the short cuts of `Cond::and`.
fn both(left: Cond, right: Cond) -> Cond {
    Cond::And(Box::new(left), Box::new(right))
}

fn either(left: Cond, right: Cond) -> Cond {
    Cond::Or(Box::new(left), Box::new(right))
}

fn not(cond: Cond) -> Cond {
    Cond::Not(Box::new(cond))
}

fn words(cond: &Cond) -> String {
    in_words(cond, &|var| ["x", "y", "z"][var.0 as usize].into())
}

fn tidied(cond: Cond) -> String {
    words(&tidy(&cond))
}

fn simplified(conds: Vec<Cond>) -> Vec<String> {
    let all = |_: Var| Interval::top();
    Simplifier::new(&all, &[]).simplify(conds).iter().map(words).collect()
}

#[test]
fn booleans() {
    let (p, q) = (is(var(X), ">=", num(1)), is(var(Y), "==", num(2)));
    assert_eq!(tidied(not(not(p.clone()))), "x >= 1");
    assert_eq!(tidied(not(both(p.clone(), q.clone()))), "x <= 0 || y != 2");
    assert_eq!(tidied(not(either(p.clone(), q.clone()))), "x <= 0 && y != 2");
    assert_eq!(tidied(both(p.clone(), both(q.clone(), p.clone()))), "x >= 1 && y == 2");
    assert_eq!(tidied(both(p.clone(), either(p.clone(), q.clone()))), "x >= 1");
    assert_eq!(tidied(either(p.clone(), both(q.clone(), p.clone()))), "x >= 1");
    assert_eq!(tidied(either(p.clone(), not(p.clone()))), "true");
    assert_eq!(tidied(both(p.clone(), not(p.clone()))), "false");
    assert_eq!(tidied(both(p.clone(), Cond::Literal(false))), "false");
    assert_eq!(tidied(both(Cond::Literal(true), either(q, Cond::Literal(false)))), "y == 2");
}

#[test]
fn a_condition_without_a_value_is_not_decided() {
    let partial = is(over(num(10), var(Y)), ">", num(1));
    assert_eq!(
        tidied(both(partial.clone(), Cond::Literal(false))),
        "10 / y > 1 && false".replace("> 1", ">= 2")
    );
    assert_eq!(tidied(either(partial.clone(), not(partial.clone()))), "10 / y >= 2 || 10 / y <= 1");
    let quotient = || over(var(X), var(Y));
    assert_eq!(tidied(is(quotient(), "==", quotient())), "x / y == x / y");
    assert_eq!(tidied(is(times(num(0), quotient()), "==", num(0))), "0*(x / y) == 0");
}

#[test]
fn constants() {
    assert_eq!(tidied(is(add(num(2), num(3)), "<", num(6))), "true");
    assert_eq!(tidied(is(over(num(-7), num(2)), "==", var(X))), "x == -3");
    assert_eq!(tidied(is(over(var(X), num(1)), "<", num(3))), "x <= 2");
    let choice = |cond: Cond| Expr::IfThenElse(Box::new(cond), Box::new(num(1)), Box::new(num(0)));
    let p = is(var(X), "<", var(Y));
    assert_eq!(tidied(is(choice(p.clone()), "!=", num(0))), "y > x");
    assert_eq!(tidied(is(choice(p.clone()), "==", num(0))), "x >= y");
    assert_eq!(tidied(is(choice(p), "<=", num(1))), "true");
    let wrapped = Expr::Wrap(IntType::I8, Box::new(num(130)));
    assert_eq!(tidied(is(var(X), "==", wrapped)), "x == -126");
}

#[test]
fn cancellation() {
    assert_eq!(tidied(is(add(var(X), num(3)), "<", add(var(Y), var(X)))), "y >= 4");
    assert_eq!(tidied(is(add(times(num(2), var(X)), num(2)), ">=", num(7))), "x >= 3");
    assert_eq!(tidied(is(times(num(2), var(X)), "==", num(5))), "false");
    assert_eq!(tidied(is(add(times(num(4), var(X)), times(num(2), var(Y))), "!=", num(3))), "true");
    assert_eq!(tidied(is(num(3), ">", var(X))), "x <= 2");
    assert_eq!(tidied(is(add(var(X), num(1)), "<=", var(Y))), "y > x");
    let product = || times(var(X), var(Y));
    assert_eq!(tidied(is(add(product(), var(Z)), "==", add(num(4), product()))), "z == 4");
}

#[test]
fn what_is_rounded_is_not_cancelled() {
    let halved = times(over(var(X), num(2)), num(2));
    assert_eq!(tidied(is(halved.clone(), "==", var(X))), "x == 2*(x / 2)");
    assert_eq!(simplified(vec![is(halved, "==", var(X))]), ["x == 2*(x / 2)"]);
    let rest = Expr::binary(BinaryOp::Rem, var(X), num(3));
    assert_eq!(tidied(is(times(rest, num(3)), "==", var(X))), "x == 3*(x % 3)");
}

#[test]
fn what_others_imply_is_left_out() {
    assert_eq!(simplified(vec![is(var(X), ">", num(0)), is(var(X), ">", num(4))]), ["x >= 5"]);
    assert_eq!(simplified(vec![is(var(X), ">=", num(5)), is(var(X), "<", num(6))]), ["x == 5"]);
    assert_eq!(simplified(vec![is(var(X), ">=", num(5)), is(var(X), "!=", num(5))]), ["x >= 6"]);
    let chain = vec![is(var(X), "<", var(Y)), is(var(X), "<", var(Z)), is(var(Y), "<", var(Z))];
    assert_eq!(simplified(chain), ["y > x", "z > y"]);
    let fixed = vec![is(var(X), "==", num(2)), is(add(var(X), var(Y)), ">", num(9))];
    assert_eq!(simplified(fixed), ["x == 2", "y >= 8"]);
    // It has no value where y is 0.
    let partial = vec![is(var(X), ">=", num(1)), is(over(var(Y), var(Y)), "==", num(1))];
    assert_eq!(simplified(partial), ["x >= 1", "y / y == 1"]);
}

#[test]
fn what_contradicts_itself_is_false() {
    assert_eq!(simplified(vec![is(var(X), "<", var(Y)), is(var(Y), "<", var(X))]), ["false"]);
    assert_eq!(simplified(vec![is(var(X), "<=", var(Y)), is(var(Y), "<=", var(X))]), ["x == y"]);
}

#[test]
fn variables_that_do_not_matter_are_dropped() {
    let p = is(var(X), ">", num(0));
    let sides = either(both(p.clone(), is(var(Y), ">", num(0))), both(p.clone(), is(var(Y), "<=", num(0))));
    assert_eq!(simplified(vec![sides]), ["x >= 1"]);
    let matters = either(p.clone(), is(var(Y), ">", num(0)));
    assert_eq!(simplified(vec![matters]), ["x >= 1 || y >= 1"]);
    let byte = |_: Var| Interval::new(Int::ZERO.into(), Int::from(255).into()).expect("a range");
    let typed = vec![either(p, is(var(Y), ">", num(255))), is(var(Y), ">=", num(0))];
    let left = Simplifier::new(&byte, &[]).simplify(typed);
    assert_eq!(left.iter().map(words).collect::<Vec<_>>(), ["x >= 1"]);
}

#[test]
fn what_stays_in_its_type_is_not_wrapped() {
    let next = Expr::Wrap(IntType::I8, Box::new(add(var(X), num(1))));
    let below = is(next, "<", num(5));
    let small = vec![is(var(X), "<", num(100)), is(var(X), ">", num(-100)), below.clone()];
    assert_eq!(simplified(small), ["x <= 3", "x >= -99"]);
    assert_eq!(simplified(vec![below]), ["wrap_i8(x + 1) <= 4"]);
}

#[test]
fn what_is_known_need_not_be_said() {
    let known = [is(var(X), ">=", var(Y))];
    let all = |_: Var| Interval::top();
    let mut simplifier = Simplifier::new(&all, &known);
    let left = simplifier.simplify(vec![is(add(var(X), num(1)), ">", var(Y)), is(var(Z), ">", num(0))]);
    assert_eq!(left.iter().map(words).collect::<Vec<_>>(), ["z >= 1"]);
}

/// A number from a number: good enough to spread cases.
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn expr(&mut self, depth: u32) -> Expr {
        match self.below(if depth == 0 { 4 } else { 12 }) {
            0 => num(self.below(9) as i64 - 4),
            1..4 => var(self.below(3) as u32),
            4 => Expr::Negate(Box::new(self.expr(depth - 1))),
            5 => Expr::Wrap(IntType::signed(3), Box::new(self.expr(depth - 1))),
            6 => {
                let (cond, yes, no) = (self.cond(depth - 1), self.expr(depth - 1), self.expr(depth - 1));
                Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no))
            }
            _ => {
                let op = [
                    BinaryOp::Add,
                    BinaryOp::Sub,
                    BinaryOp::Mul,
                    BinaryOp::Div,
                    BinaryOp::Rem,
                    BinaryOp::Min,
                    BinaryOp::Max,
                ][self.below(7) as usize];
                Expr::binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
        }
    }

    fn cond(&mut self, depth: u32) -> Cond {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => Cond::Literal(self.below(2) == 0),
            1..5 => {
                let symbol = ["==", "!=", "<", "<=", ">", ">="][self.below(6) as usize];
                is(self.expr(depth.min(2)), symbol, self.expr(depth.min(2)))
            }
            5 => not(self.cond(depth - 1)),
            6 => both(self.cond(depth - 1), self.cond(depth - 1)),
            _ => either(self.cond(depth - 1), self.cond(depth - 1)),
        }
    }

    fn point(&mut self) -> [Int; 3] {
        [0; 3].map(|_| Int::from(self.below(13) as i64 - 6))
    }
}

fn value(cond: &Cond, point: &[Int; 3]) -> Option<bool> {
    concrete::holds(cond, &mut |var: &Var| point[var.0 as usize].clone())
}

#[test]
fn tidying_keeps_every_value() {
    let mut seed = Seed(11);
    for _ in 0..12_000 {
        let cond = seed.cond(3);
        let tidy = tidy(&cond);
        for _ in 0..12 {
            let point = seed.point();
            assert_eq!(value(&cond, &point), value(&tidy, &point), "{cond:?} at {point:?}: {tidy:?}");
        }
        assert_eq!(super::tidy(&tidy), tidy, "{cond:?}");
    }
}

#[test]
fn simplifying_keeps_what_holds() {
    let mut seed = Seed(23);
    let range = |_: Var| Interval::new(Int::from(-6).into(), Int::from(6).into()).expect("a range");
    for _ in 0..400 {
        let conds: Vec<Cond> = (0..1 + seed.below(4)).map(|_| seed.cond(2)).collect();
        let simple = Simplifier::new(&range, &[]).simplify(conds.clone());
        for _ in 0..60 {
            let point = seed.point();
            let holds = |conds: &[Cond]| conds.iter().all(|cond| value(cond, &point) == Some(true));
            assert_eq!(holds(&conds), holds(&simple), "{conds:?} at {point:?}: {simple:?}");
        }
    }
}
