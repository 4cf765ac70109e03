//! Loops in which inputs choose every step.

use super::{Make, Related, Scene, add, plus};
use crate::program::{Block, Cond, Expr, Name, Op, Rel, Stmt, num, var};

pub const ALL: &[Make] = &[meet, race, account, account, account, pools, pools];

fn coin() -> Cond {
    Cond::Nonzero(Box::new(Expr::nondet(0, 1)))
}

/// Two bounds close in on each other.
fn meet(maker: &mut Related<'_>) -> Scene {
    let [low, high] = maker.cast();
    let (up, down) = (maker.rng.range(2, 7) / 3, maker.rng.range(2, 7) / 3);
    let turn = Stmt::If(coin(), vec![add(&low, up.max(1))], vec![add(&high, -down.max(1))]);
    let mut inner = vec![turn];
    let slack = num(up.max(down).max(1) - 1);
    maker.check(&mut inner, var(&low), Rel::Le, plus(var(&high), slack.clone()));
    let again = Cond::compare(Rel::Lt, var(&low), var(&high));
    let mut body = vec![maker.repeat(again, inner)];
    match maker.rng.percent(50) {
        true => maker.check(&mut body, var(&low), Rel::Ge, var(&high)),
        false => maker.check(&mut body, var(&low), Rel::Le, plus(maker.n(), slack)),
    }
    Scene { start: vec![(low, num(0)), (high, maker.n())], body }
}

/// One may only follow the other: `x <= y`.
fn race(maker: &mut Related<'_>) -> Scene {
    let [behind, ahead] = maker.cast();
    let lead = maker.rng.range(0, 3);
    let follows = Cond::compare(Rel::Lt, var(&behind), var(&ahead));
    let follow = Stmt::If(follows, vec![add(&behind, 1)], Vec::new());
    let mut inner = vec![match maker.rng.percent(50) {
        true => Stmt::If(coin(), vec![add(&ahead, 1)], vec![follow]),
        false => Stmt::If(Cond::and(coin(), coin()), vec![follow], vec![add(&ahead, 1)]),
    }];
    maker.check(&mut inner, var(&behind), Rel::Le, var(&ahead));
    let again = Cond::compare(Rel::Lt, var(&ahead), maker.n());
    let mut body = vec![maker.repeat(again, inner)];
    let n = maker.n();
    match maker.rng.below(3) {
        0 => maker.check(&mut body, var(&ahead), Rel::Ge, n),
        1 => maker.check(&mut body, var(&behind), Rel::Le, var(&ahead)),
        // Catches up.
        _ => body.push(Stmt::While(Cond::compare(Rel::Ne, var(&behind), var(&ahead)), vec![add(&behind, 1)])),
    }
    Scene { start: vec![(behind, num(0)), (ahead, num(lead))], body }
}

/// To and fro between two, for ever or until it is told to stop.
fn account(maker: &mut Related<'_>) -> Scene {
    let [left, right] = maker.cast();
    let mut ways = vec![(left.clone(), right.clone()), (right.clone(), left.clone())];
    if maker.rng.percent(20) {
        ways.pop();
    }
    let reset = vec![Stmt::Update(left.clone(), Op::Add, var(&right)), Stmt::Assign(right.clone(), num(0))];
    let resets = maker.rng.percent(30).then_some(reset);
    let body = maker.reactive(&ways, resets, &[left.clone(), right.clone()]);
    Scene { start: vec![(left, maker.n()), (right, num(0))], body }
}

/// Round and round between three.
fn pools(maker: &mut Related<'_>) -> Scene {
    let names: [Name; 3] = maker.cast();
    let [idle, busy, done] = names.clone();
    let mut ways = vec![(idle.clone(), busy.clone()), (busy.clone(), done.clone())];
    if maker.rng.percent(60) {
        ways.push((done.clone(), idle.clone()));
    }
    let body = maker.reactive(&ways, None, &names);
    Scene { start: vec![(idle, maker.n()), (busy, num(0)), (done, num(0))], body }
}

impl Related<'_> {
    /// `while (1) { tick(); int w = nondet(…); if (w == 1 && x >= k) move; … assert(sum); }`
    fn reactive(&mut self, ways: &[(Name, Name)], other: Option<Block>, all: &[Name]) -> Block {
        let read = self.fresh("w");
        let is = |value: usize| Cond::compare(Rel::Eq, var(&read), num(value as i64));
        // Three variables have a whole triangle of states for each value of the input.
        let least = if all.len() > 2 { self.rng.range(2, 4) } else { 1 };
        let stops = self.rng.percent(35);
        let mut chain: Block = match stops {
            true => vec![Stmt::If(is(ways.len() + 1), vec![Stmt::Break], Vec::new())],
            false => Vec::new(),
        };
        if let Some(other) = other {
            chain = vec![Stmt::If(is(0), other, chain)];
        }
        for (number, (from, to)) in ways.iter().enumerate() {
            let by = least + self.rng.range(0, 3) / 3;
            let enough = Cond::compare(Rel::Ge, var(from), num(by));
            let more = Cond::compare(Rel::Gt, var(from), var(to));
            let test = Cond::and(is(number + 1), if self.rng.percent(85) { enough } else { more });
            chain = vec![Stmt::If(test, self.transfer(from, to, by), chain)];
        }
        let choices = ways.len() + usize::from(stops);
        let mut inner = vec![Stmt::Declare(read.clone(), Expr::nondet(0, choices as i64))];
        inner.extend(chain);
        let sum = all[1..].iter().fold(var(&all[0]), |sum, name| plus(sum, var(name)));
        let n = self.n();
        self.check(&mut inner, sum.clone(), Rel::Eq, n);
        let mut body = vec![self.repeat(Cond::Const(true), inner)];
        if stops {
            let n = self.n();
            self.check(&mut body, sum, Rel::Eq, n);
        }
        body
    }
}
