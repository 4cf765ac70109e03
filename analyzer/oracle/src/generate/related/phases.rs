//! Loops that take one course for each value of the input.

use super::{Make, Related, Scene, add, plus, times};
use crate::program::{Block, Cond, Expr, Op, Rel, Stmt, num, var};

pub const ALL: &[Make] =
    &[transfer, transfer, count, count, there_and_back, alternate, collect, divide, nested, swap, share];

/// All of `n` goes from one variable to another: their sum stays.
fn transfer(maker: &mut Related<'_>) -> Scene {
    let [from, to] = maker.cast();
    let (by, offset) = (maker.step(), maker.offset());
    let total = plus(maker.n(), offset.clone());
    let sum = || Expr::binary(Op::Add, var(&from), var(&to));
    let again = match maker.rng.below(6) {
        0 if by == 1 && maker.low >= 0 => Cond::compare(Rel::Ne, var(&from), num(0)),
        0..=2 => Cond::compare(Rel::Ge, var(&from), num(by)),
        3 => Cond::compare(Rel::Le, plus(var(&to), num(by)), total.clone()),
        4 => Cond::compare(Rel::Lt, var(&to), maker.n()),
        _ => Cond::compare(Rel::Gt, var(&from), var(&to)),
    };
    let mut inner = Vec::new();
    maker.check(&mut inner, sum(), Rel::Eq, total.clone());
    inner.extend(maker.transfer(&from, &to, by));
    let mut body = vec![maker.repeat(again, inner)];
    match maker.rng.below(3) {
        0 => maker.check(&mut body, sum(), Rel::Eq, total),
        1 => maker.check(&mut body, var(&to), Rel::Ge, plus(total, num(1 - by))),
        _ => maker.check(&mut body, var(&to), Rel::Le, plus(total, num(0))),
    }
    Scene { start: vec![(from, maker.n()), (to, offset)], body }
}

/// A counter and its multiple: `y == k * i + c`.
fn count(maker: &mut Related<'_>) -> Scene {
    let [counter, other] = maker.cast();
    let (by, factor) = (maker.step(), *maker.rng.pick(&[-2, -1, 1, 1, 2, 3]));
    let offset = maker.offset();
    let scaled = |value: Expr| plus(times(factor, value), offset.clone());
    let mut inner = vec![add(&counter, by), add(&other, factor * by)];
    if maker.rng.percent(50) {
        inner.reverse();
    }
    let at = if maker.rng.percent(50) { 0 } else { inner.len() };
    let mut checked = Vec::new();
    maker.check(&mut checked, var(&other), Rel::Eq, scaled(var(&counter)));
    inner.splice(at..at, checked);
    let rel = *maker.rng.pick(&[Rel::Lt, Rel::Lt, Rel::Le]);
    let again = Cond::compare(rel, var(&counter), maker.n());
    let mut body = vec![maker.repeat(again, inner)];
    let end = if factor > 0 { Rel::Ge } else { Rel::Le };
    let reached = scaled(maker.n());
    maker.check(&mut body, var(&other), end, reached);
    Scene { start: vec![(counter, num(0)), (other, offset)], body }
}

/// Up, then down while another goes up.
fn there_and_back(maker: &mut Related<'_>) -> Scene {
    let [first, second] = maker.cast();
    let (up, down) = (maker.step(), maker.step());
    let rises = Stmt::While(Cond::compare(Rel::Lt, var(&first), maker.n()), vec![add(&first, up)]);
    let mut body = vec![rises];
    let top = maker.n();
    maker.check(&mut body, var(&first), Rel::Lt, plus(top, num(up)));
    let mut inner = maker.transfer(&first, &second, down);
    let sum = Expr::binary(Op::Add, var(&first), var(&second));
    let top = maker.n();
    maker.check(&mut inner, sum, Rel::Ge, top);
    body.push(maker.repeat(Cond::compare(Rel::Gt, var(&first), num(down - 1)), inner));
    let top = maker.n();
    maker.check(&mut body, var(&second), Rel::Ge, plus(top, num(1 - down)));
    Scene { start: vec![(first, num(0)), (second, num(0))], body }
}

/// Every step counts for one of two, by turns: `x + y == i`.
fn alternate(maker: &mut Related<'_>) -> Scene {
    let [counter, left, right] = maker.cast();
    let by = maker.step();
    let turn = Expr::binary(Op::Rem, var(&counter), num(maker.rng.range(2, 3)));
    let turn = match maker.rng.percent(70) {
        true => Cond::compare(Rel::Eq, turn, num(0)),
        false => Cond::compare(Rel::Le, var(&left), var(&right)),
    };
    let mut inner = vec![Stmt::If(turn, vec![add(&left, by)], vec![add(&right, by)]), add(&counter, by)];
    let sum = || Expr::binary(Op::Add, var(&left), var(&right));
    maker.check(&mut inner, sum(), Rel::Eq, var(&counter));
    let again = Cond::compare(Rel::Lt, var(&counter), maker.n());
    let mut body = vec![maker.repeat(again, inner)];
    let top = maker.n();
    maker.check(&mut body, sum(), Rel::Ge, top);
    let start = [counter, left, right].map(|name| (name, num(0)));
    Scene { start: start.to_vec(), body }
}

/// A small store that is emptied into a large one.
fn collect(maker: &mut Related<'_>) -> Scene {
    let [counter, small, large] = maker.cast();
    let by = maker.step();
    let full = num(by * maker.rng.range(2, 5));
    let gather = vec![Stmt::Update(large.clone(), Op::Add, var(&small)), Stmt::Assign(small.clone(), num(0))];
    let mut inner = vec![add(&counter, by), add(&small, by)];
    inner.push(Stmt::If(Cond::compare(Rel::Ge, var(&small), full.clone()), gather, Vec::new()));
    let sum = || Expr::binary(Op::Add, var(&small), var(&large));
    maker.check(&mut inner, sum(), Rel::Eq, var(&counter));
    let again = Cond::compare(Rel::Lt, var(&counter), maker.n());
    let mut body = vec![maker.repeat(again, inner)];
    match maker.rng.percent(50) {
        true => maker.check(&mut body, sum(), Rel::Eq, var(&counter)),
        false => maker.check(&mut body, var(&counter), Rel::Lt, plus(var(&large), full)),
    }
    let start = [counter, small, large].map(|name| (name, num(0)));
    Scene { start: start.to_vec(), body }
}

/// Division by subtraction: `n == c * q + r`.
fn divide(maker: &mut Related<'_>) -> Scene {
    let [rest, quotient] = maker.cast();
    let divisor = (maker.pace + maker.rng.range(0, 2)).max(2);
    let whole = || plus(times(divisor, var(&quotient)), var(&rest));
    let mut inner = vec![add(&rest, -divisor), add(&quotient, 1)];
    let n = maker.n();
    maker.check(&mut inner, whole(), Rel::Eq, n);
    let again = Cond::compare(Rel::Ge, var(&rest), num(divisor));
    let mut body = vec![maker.repeat(again, inner)];
    let n = maker.n();
    match maker.rng.below(3) {
        0 => maker.check(&mut body, whole(), Rel::Eq, n),
        1 => maker.check(&mut body, var(&quotient), Rel::Eq, Expr::binary(Op::Div, n, num(divisor))),
        _ => maker.check(&mut body, var(&rest), Rel::Eq, Expr::binary(Op::Rem, n, num(divisor))),
    }
    Scene { start: vec![(rest, maker.n()), (quotient, num(0))], body }
}

/// A loop in a loop that adds the same every time: `s == c * i`.
fn nested(maker: &mut Related<'_>) -> Scene {
    let [outer, inner, sum] = maker.cast();
    let (by, rounds) = (2 * maker.step() - 1, maker.rng.range(2, 3));
    let each = vec![add(&inner, 1), add(&sum, by)];
    let mut turn = vec![Stmt::Assign(inner.clone(), num(0))];
    turn.push(Stmt::While(Cond::compare(Rel::Lt, var(&inner), num(rounds)), each));
    turn.push(add(&outer, by));
    maker.check(&mut turn, var(&sum), Rel::Eq, times(rounds, var(&outer)));
    let again = Cond::compare(Rel::Lt, var(&outer), maker.n());
    let mut body = vec![maker.repeat(again, turn)];
    let top = times(rounds, maker.n());
    maker.check(&mut body, var(&sum), Rel::Ge, top);
    let start = [outer, inner, sum].map(|name| (name, num(0)));
    Scene { start: start.to_vec(), body }
}

/// Two variables change places some times.
fn swap(maker: &mut Related<'_>) -> Scene {
    let [left, right, counter] = maker.cast();
    let offset = maker.offset();
    let kept = maker.fresh("t");
    let mut inner: Block = vec![
        Stmt::Declare(kept.clone(), var(&left)),
        Stmt::Assign(left.clone(), var(&right)),
        Stmt::Assign(right.clone(), var(&kept)),
        add(&counter, 1),
    ];
    if maker.rng.percent(40) {
        inner.extend(maker.transfer(&left, &right, 1));
    }
    let total = plus(maker.n(), offset.clone());
    let sum = || Expr::binary(Op::Add, var(&left), var(&right));
    maker.check(&mut inner, sum(), Rel::Eq, total.clone());
    let rounds = maker.rng.range(3, 6);
    let again = Cond::compare(Rel::Lt, var(&counter), num(rounds));
    let mut body = vec![maker.repeat(again, inner)];
    maker.check(&mut body, sum(), Rel::Eq, total);
    Scene { start: vec![(left, maker.n()), (right, offset), (counter, num(0))], body }
}

/// A part of `n` and the rest of it, without a loop.
fn share(maker: &mut Related<'_>) -> Scene {
    let [part, rest] = maker.cast();
    let divisor = maker.rng.range(2, 5);
    let mut body = vec![
        Stmt::Assign(part.clone(), Expr::binary(Op::Div, var(&rest), num(divisor))),
        Stmt::Update(rest.clone(), Op::Sub, var(&part)),
    ];
    let n = maker.n();
    match maker.rng.below(3) {
        0 => maker.check(&mut body, Expr::binary(Op::Add, var(&part), var(&rest)), Rel::Eq, n),
        1 => maker.check(&mut body, times(divisor, var(&part)), Rel::Gt, plus(n, num(-divisor))),
        _ => maker.check(&mut body, var(&part), Rel::Le, var(&rest)),
    }
    let by = maker.pace;
    let down = maker.transfer(&rest, &part, by);
    body.push(Stmt::While(Cond::compare(Rel::Gt, var(&rest), var(&part)), down));
    Scene { start: vec![(part, num(0)), (rest, maker.n())], body }
}
