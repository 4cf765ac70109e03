//! The situations that are hard for an analyzer, one function each.
//!
//! A scene appends statements that exercise one difficulty: a loop beyond any unrolling, a loop that may
//! not end, relations between variables, correlated branches, partial operations, irrelevant choices.

use super::maker::Maker;
use crate::program::{Block, Cond, Expr, Name, Op, Rel, Stmt, num};

type Scene = fn(&mut Maker<'_>, &mut Block);

/// Repeated entries are more likely.
pub const SCENES: &[Scene] = &[
    count,
    count,
    late_phase,
    relation,
    nested,
    parity,
    input_branch,
    input_branch,
    correlated,
    division,
    array,
    calls,
    calls,
    irrelevant,
    random_descent,
    dependent_input,
    dependent_input,
    gcd,
    lexicographic,
    assumption,
    checked,
    reset,
    anything,
    anything,
];

fn variable(name: &Name) -> Expr {
    Expr::Var(name.clone())
}

fn compare(rel: Rel, name: &Name, value: i64) -> Cond {
    Cond::compare(rel, variable(name), num(value))
}

fn add(name: &Name, by: i64) -> Stmt {
    Stmt::Update(name.clone(), Op::Add, num(by))
}

fn when(test: Cond, yes: Block) -> Stmt {
    Stmt::If(test, yes, Vec::new())
}

impl Maker<'_> {
    /// Two variables, different if there are two.
    fn pair(&mut self) -> (Name, Name) {
        let first = self.any_int();
        let mut second = self.any_int();
        for _ in 0..6 {
            if second != first {
                break;
            }
            second = self.any_int();
        }
        (first, second)
    }

    fn extra(&mut self, chance: u64, block: &mut Block) {
        if self.rng.percent(chance) {
            block.push(self.simple());
        }
    }

    fn mark(&mut self, block: &mut Block) {
        if self.rng.percent(20) {
            block.push(self.label());
        }
    }
}

/// A counter passes every unrolling.
fn count(maker: &mut Maker<'_>, block: &mut Block) {
    let (counter, other) = maker.pair();
    let bound = maker.rng.range(25, 300) * maker.size.scale;
    let by = *maker.rng.pick(&[1, 1, 1, 2, 3, 7]);
    let rel = *maker.rng.pick(&[Rel::Lt, Rel::Le, Rel::Lt, Rel::Ne]);
    let mut body = vec![add(&counter, by)];
    match maker.rng.below(4) {
        0 => body.push(when(compare(Rel::Eq, &counter, maker.rng.range(20, bound)), vec![maker.simple()])),
        1 => body.push(Stmt::Update(other, *maker.rng.pick(&[Op::Add, Op::Sub]), num(1))),
        2 => maker.extra(50, &mut body),
        _ => {}
    }
    block.push(Stmt::Assign(counter.clone(), num(maker.rng.range(-5, 5))));
    maker.mark(block);
    block.push(Stmt::While(compare(rel, &counter, bound), body));
    maker.extra(60, block);
}

/// The second half of the loop does something the first did not.
fn late_phase(maker: &mut Maker<'_>, block: &mut Block) {
    let (slow, fast) = maker.pair();
    let bound = maker.rng.range(30, 120) * maker.size.scale;
    let late = when(compare(Rel::Gt, &fast, maker.rng.range(10, bound)), vec![add(&slow, 1)]);
    block.push(Stmt::Assign(fast.clone(), num(0)));
    block.push(Stmt::While(compare(Rel::Lt, &fast, bound), vec![add(&fast, 1), late]));
    maker.extra(40, block);
}

/// Two counters in step: only their relation says how the loop ends.
fn relation(maker: &mut Maker<'_>, block: &mut Block) {
    let (left, right) = maker.pair();
    let bound = maker.rng.range(25, 90) * maker.size.scale;
    let factor = maker.rng.range(-2, 2);
    block.push(Stmt::Assign(left.clone(), num(0)));
    block.push(Stmt::Assign(right.clone(), num(0)));
    block.push(Stmt::While(compare(Rel::Lt, &left, bound), vec![add(&left, 1), add(&right, factor)]));
    let end = compare(maker.relation(), &right, factor * bound);
    match maker.rng.below(3) {
        0 => block.push(Stmt::Assert(end)),
        1 => block.push(when(end, vec![maker.simple()])),
        _ => {}
    }
}

fn nested(maker: &mut Maker<'_>, block: &mut Block) {
    let (outer, inner) = maker.pair();
    let (first, second) = (maker.rng.range(3, 16) * maker.size.scale, maker.rng.range(3, 16));
    let step = |name: &Name| Expr::binary(Op::Add, variable(name), num(1));
    let mut body = Vec::new();
    maker.extra(30, &mut body);
    let limit = if maker.rng.percent(30) { variable(&outer) } else { num(second) };
    let below = Cond::compare(Rel::Lt, variable(&inner), limit);
    let inside = Stmt::For(inner.clone(), num(0), below, step(&inner), body);
    block.push(Stmt::For(outer.clone(), num(0), compare(Rel::Lt, &outer, first), step(&outer), vec![inside]));
    maker.extra(40, block);
}

/// Ends for some starts and never for others.
fn parity(maker: &mut Maker<'_>, block: &mut Block) {
    let name = maker.any_int();
    let by = maker.rng.range(2, 3);
    if maker.rng.percent(70) {
        block.push(Stmt::Assign(name.clone(), Expr::nondet(0, maker.rng.range(1, 12) * maker.size.scale)));
    }
    let wrap = by * maker.rng.range(4, 15);
    let back = when(compare(Rel::Lt, &name, -maker.rng.range(3, 12)), vec![add(&name, wrap)]);
    let down = Stmt::Update(name.clone(), Op::Sub, num(by));
    block.push(Stmt::While(compare(Rel::Ne, &name, 0), vec![down, back]));
    maker.extra(60, block);
}

fn input_branch(maker: &mut Maker<'_>, block: &mut Block) {
    let name = maker.any_int();
    let (low, high) = maker.bounds();
    block.push(Stmt::Assign(name.clone(), Expr::nondet(low, high)));
    maker.mark(block);
    let test = compare(maker.relation(), &name, maker.rng.range(low - 1, high + 1));
    let yes = vec![maker.simple()];
    let no = if maker.rng.percent(60) { vec![maker.simple()] } else { Vec::new() };
    block.push(Stmt::If(test, yes, no));
}

/// The second branch repeats the first one's question.
fn correlated(maker: &mut Maker<'_>, block: &mut Block) {
    let (name, result) = maker.pair();
    let (low, high) = maker.bounds();
    let test = compare(maker.relation(), &name, maker.rng.range(low, high));
    let again = if maker.rng.percent(30) { Cond::not(test.clone()) } else { test.clone() };
    block.push(Stmt::Assign(name, Expr::nondet(low, high)));
    block.push(Stmt::If(
        test,
        vec![Stmt::Assign(result.clone(), num(maker.rng.range(0, 2)))],
        vec![Stmt::Assign(result.clone(), num(maker.rng.range(1, 3)))],
    ));
    block.push(when(again, vec![add(&result, maker.rng.range(1, 10))]));
}

fn division(maker: &mut Maker<'_>, block: &mut Block) {
    let (divisor, result) = maker.pair();
    let (low, high) = maker.bounds();
    let op = *maker.rng.pick(&[Op::Div, Op::Rem]);
    let divide = Stmt::Assign(result, Expr::binary(op, num(maker.rng.range(-40, 40)), variable(&divisor)));
    block.push(Stmt::Assign(divisor.clone(), Expr::nondet(low - 1, high)));
    block.push(match maker.rng.percent(40) {
        true => when(compare(Rel::Ne, &divisor, 0), vec![divide]),
        false => divide,
    });
    maker.extra(50, block);
}

fn array(maker: &mut Maker<'_>, block: &mut Block) {
    if maker.arrays.is_empty() {
        return input_branch(maker, block);
    }
    let (name, length) = maker.rng.pick(&maker.arrays).clone();
    let (index, other) = maker.pair();
    let past = maker.rng.range(0, 5) / 5;
    let value = match maker.rng.below(3) {
        0 => num(maker.constant()),
        1 => variable(&index),
        _ => Expr::binary(Op::Mul, variable(&index), num(maker.rng.range(-2, 2))),
    };
    let write = Stmt::AssignElement(name.clone(), variable(&index), value);
    block.push(Stmt::Assign(index.clone(), num(0)));
    block.push(Stmt::While(compare(Rel::Lt, &index, length + past), vec![write, add(&index, 1)]));
    block.push(Stmt::Assign(index.clone(), Expr::nondet(0, length - 1)));
    block.push(Stmt::Assign(other, Expr::Element(name, Box::new(variable(&index)))));
}

pub fn calls(maker: &mut Maker<'_>, block: &mut Block) {
    let Some(function) = maker.functions.last().cloned() else { return correlated(maker, block) };
    let target = maker.any_int();
    for _ in 0..maker.rng.range(1, 2) {
        let arguments = function.parameters.iter().map(|_| maker.argument()).collect();
        block.push(match maker.call() {
            Some(call) if maker.rng.percent(70) => Stmt::Assign(target.clone(), call),
            _ => Stmt::Call(function.name.clone(), arguments),
        });
    }
}

/// A choice that has nothing to do with the rest.
fn irrelevant(maker: &mut Maker<'_>, block: &mut Block) {
    let (target, _) = maker.pair();
    let (low, high) = maker.bounds();
    let (name, declaration) = maker.declare("t", Expr::nondet(low, high));
    block.push(declaration);
    let test = compare(maker.relation(), &name, maker.rng.range(low, high));
    let inner = when(compare(Rel::Ne, &name, maker.rng.range(low, high)), vec![Stmt::Assign(name, num(0))]);
    block.push(when(test, vec![inner]));
    block.push(Stmt::Assign(target, num(maker.constant())));
}

fn random_descent(maker: &mut Maker<'_>, block: &mut Block) {
    let name = maker.any_int();
    let start = maker.rng.range(20, 200) * maker.size.scale;
    let low = maker.rng.range(0, 5).min(1);
    let down = Expr::binary(Op::Sub, variable(&name), Expr::nondet(low, low + maker.rng.range(1, 4)));
    block.push(Stmt::Assign(name.clone(), num(start)));
    let mut body = vec![Stmt::Assign(name.clone(), down)];
    maker.extra(15, &mut body);
    block.push(Stmt::While(compare(Rel::Gt, &name, 0), body));
    maker.extra(50, block);
}

fn dependent_input(maker: &mut Maker<'_>, block: &mut Block) {
    let (bound, drawn) = maker.pair();
    let high = maker.rng.range(1, 12) * maker.size.scale;
    block.push(Stmt::Assign(bound.clone(), Expr::nondet(maker.rng.range(0, 1), high)));
    let low = if maker.rng.percent(30) { num(1) } else { num(0) };
    if maker.rng.percent(60) {
        block.push(maker.label());
    }
    block.push(Stmt::Assign(drawn.clone(), Expr::Nondet(Box::new(low), Box::new(variable(&bound)))));
    let test = Cond::compare(maker.relation(), variable(&drawn), variable(&bound));
    block.push(when(test, vec![maker.simple()]));
}

fn gcd(maker: &mut Maker<'_>, block: &mut Block) {
    let (left, right) = maker.pair();
    let high = maker.rng.range(3, 20);
    block.push(Stmt::Assign(left.clone(), Expr::nondet(1, high)));
    block.push(Stmt::Assign(right.clone(), num(maker.rng.range(1, 20))));
    let (rest, declaration) = maker.declare("r", Expr::binary(Op::Rem, variable(&left), variable(&right)));
    maker.ints.pop();
    let shift = [Stmt::Assign(left, variable(&right)), Stmt::Assign(right.clone(), variable(&rest))];
    let body = [declaration].into_iter().chain(shift).collect();
    block.push(Stmt::While(compare(Rel::Ne, &right, 0), body));
}

fn lexicographic(maker: &mut Maker<'_>, block: &mut Block) {
    let (high, low) = maker.pair();
    let top = maker.rng.range(3, 15) * maker.size.scale;
    let refill = match maker.rng.percent(50) {
        true => num(maker.rng.range(2, 10)),
        false => Expr::nondet(0, maker.rng.range(2, 8)),
    };
    let down = |name: &Name| Stmt::Update(name.clone(), Op::Sub, num(1));
    block.push(Stmt::Assign(high.clone(), num(top)));
    block.push(Stmt::Assign(low.clone(), num(maker.rng.range(0, 5))));
    let body = Stmt::If(
        compare(Rel::Gt, &low, 0),
        vec![down(&low)],
        vec![down(&high), Stmt::Assign(low.clone(), refill)],
    );
    block.push(Stmt::While(compare(Rel::Gt, &high, 0), vec![body]));
    maker.extra(40, block);
}

fn assumption(maker: &mut Maker<'_>, block: &mut Block) {
    let name = maker.any_int();
    let (low, high) = maker.bounds();
    block.push(Stmt::Assign(name.clone(), Expr::nondet(low, high)));
    let test = compare(maker.relation(), &name, maker.rng.range(low, high));
    block.push(Stmt::Assume(test));
    maker.extra(70, block);
}

fn checked(maker: &mut Maker<'_>, block: &mut Block) {
    let (name, result) = maker.pair();
    let (low, high) = maker.bounds();
    let factor = maker.rng.range(-3, 3);
    let offset = maker.rng.range(-5, 5);
    let scaled = Expr::binary(Op::Mul, variable(&name), num(factor));
    block.push(Stmt::Assign(name, Expr::nondet(low, high)));
    block.push(Stmt::Assign(result.clone(), Expr::binary(Op::Add, scaled, num(offset))));
    maker.mark(block);
    let edge = *maker.rng.pick(&[factor * low + offset, factor * high + offset]);
    block.push(Stmt::Assert(compare(maker.relation(), &result, edge)));
    maker.extra(40, block);
}

/// A loop that only ends if its counter is never set back.
fn reset(maker: &mut Maker<'_>, block: &mut Block) {
    let (counter, control) = maker.pair();
    let bound = maker.rng.range(25, 60) * maker.size.scale;
    let at = maker.rng.range(5, bound + 3);
    let back = vec![Stmt::Assign(counter.clone(), num(0))];
    let test = Cond::and(compare(Rel::Eq, &counter, at), compare(maker.relation(), &control, 0));
    block.push(Stmt::Assign(counter.clone(), num(0)));
    block.push(Stmt::While(compare(Rel::Lt, &counter, bound), vec![add(&counter, 1), when(test, back)]));
    maker.extra(50, block);
}

fn anything(maker: &mut Maker<'_>, block: &mut Block) {
    let mut budget = 4;
    let outer = maker.ints.len();
    let made = maker.body(&mut budget, 2);
    // Its declarations stay visible: the block is continued, not nested.
    debug_assert!(maker.ints.len() >= outer);
    block.extend(made);
}
