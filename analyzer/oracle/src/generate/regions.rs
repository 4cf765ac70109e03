//! Programs that read numbers without bounds and still have a finite answer.
//!
//! What is read is only compared with constants and copied, so values beyond the largest constant cannot be
//! told apart but by being equal or not (`change` sees that), and one more of them than there are variables
//! stands for all. The other variables hold small numbers. The reference is exact here where no tool can
//! enumerate.

use crate::program::{
    Block, Cond, Expr, Function, Global, Initial, Name, Op, Program, Reach, Rel, Stmt, num,
};
use crate::rng::Rng;

/// The largest constant that what is read is compared with, also in formulas.
pub const LARGEST: i64 = 4;

/// The globals that hold what is read. No other generator uses these names for globals.
pub const READ: [&str; 2] = ["w", "s"];

/// Two globals and two locals (one in each function) are read at most; one value more.
const REACH: i64 = LARGEST + 5;

struct Regions<'r> {
    rng: &'r mut Rng,
    /// Hold what was read.
    read: Vec<Name>,
    /// Whether the function being made has its local.
    has_local: bool,
    /// Hold numbers from zero to `modes - 1`.
    control: Vec<Name>,
    modes: i64,
    fresh: usize,
}

pub fn program(rng: &mut Rng) -> Program {
    let modes = rng.range(2, 4);
    let mut maker = Regions { rng, read: Vec::new(), has_local: false, control: Vec::new(), modes, fresh: 0 };
    let mut globals = Vec::new();
    for name in READ.into_iter().take(maker.rng.range(1, 2) as usize) {
        let initial = match maker.rng.below(3) {
            0 => Initial::Value(num(maker.rng.range(-LARGEST, LARGEST))),
            1 => Initial::Any(REACH),
            _ => Initial::Value(num(0)),
        };
        globals.push(Global { name: name.into(), initial });
        maker.read.push(name.into());
    }
    for name in ["x", "y", "z"].into_iter().take(maker.rng.range(1, 3) as usize) {
        let initial = Initial::Value(num(maker.rng.range(0, modes - 1)));
        globals.push(Global { name: name.into(), initial });
        maker.control.push(name.into());
    }
    let mut functions = Vec::new();
    if maker.rng.percent(30) {
        let body = maker.block(1, 3);
        functions.push(Function { name: "step".into(), parameters: Vec::new(), has_result: false, body });
    }
    maker.has_local = false;
    let mut main = maker.block(2, 3);
    if maker.rng.percent(75) {
        let mut body = maker.block(2, 5);
        if !functions.is_empty() {
            body.push(Stmt::Call("step".into(), Vec::new()));
        }
        if maker.rng.percent(70) {
            body.insert(0, Stmt::Tick);
        }
        if maker.rng.percent(25) {
            body.push(Stmt::If(maker.test(), vec![Stmt::Break], Vec::new()));
        }
        let again = if maker.rng.percent(70) { Cond::Const(true) } else { maker.test() };
        main.push(Stmt::While(again, body));
    } else if !functions.is_empty() {
        main.push(Stmt::Call("step".into(), Vec::new()));
    }
    functions.push(Function { name: "main".into(), parameters: Vec::new(), has_result: false, body: main });
    Program { globals, functions, assume: None }
}

impl Regions<'_> {
    fn any(&self) -> Expr {
        Expr::Any(Reach::Exact(REACH))
    }

    fn block(&mut self, depth: usize, most: i64) -> Block {
        let outer = self.read.len();
        let mut block = Vec::new();
        for _ in 0..self.rng.range(1, most) {
            let stmt = self.statement(depth);
            if self.rng.percent(8) && !matches!(stmt, Stmt::Declare(..)) {
                self.fresh += 1;
                block.push(Stmt::Label(format!("L{}", self.fresh)));
            }
            block.push(stmt);
        }
        self.read.truncate(outer);
        block
    }

    fn statement(&mut self, depth: usize) -> Stmt {
        match self.rng.below(if depth > 0 { 22 } else { 13 }) {
            0..=3 => Stmt::Assign(self.rng.pick(&self.read).clone(), self.any()),
            4 if !self.has_local => {
                self.has_local = true;
                self.fresh += 1;
                let name = format!("t{}", self.fresh);
                let stmt = Stmt::Declare(name.clone(), self.any());
                self.read.push(name);
                stmt
            }
            4..=5 => {
                let from = Expr::Var(self.rng.pick(&self.read).clone());
                Stmt::Assign(self.rng.pick(&self.read).clone(), from)
            }
            6..=11 => Stmt::Assign(self.rng.pick(&self.control).clone(), self.control_value()),
            12 => match self.rng.below(4) {
                0 => Stmt::Assert(self.test()),
                1 => Stmt::Assume(self.test()),
                2 => Stmt::Tick,
                _ => Stmt::Print(num(0)),
            },
            13..=19 => {
                let test = self.test();
                let yes = self.block(depth - 1, 2);
                let no = if self.rng.percent(40) { self.block(depth - 1, 2) } else { Vec::new() };
                Stmt::If(test, yes, no)
            }
            _ => {
                // Reads until something fits.
                let name = self.rng.pick(&self.read).clone();
                let test = self.about(&name);
                Stmt::While(test, vec![Stmt::Assign(name, self.any())])
            }
        }
    }

    fn control_value(&mut self) -> Expr {
        let other = Expr::Var(self.rng.pick(&self.control).clone());
        match self.rng.below(6) {
            0..=1 => num(self.rng.range(0, self.modes - 1)),
            2 => other,
            3 => Expr::binary(Op::Rem, Expr::binary(Op::Add, other, num(1)), num(self.modes)),
            4 => Expr::Choose(
                Box::new(self.test()),
                Box::new(num(self.rng.range(0, self.modes - 1))),
                Box::new(num(self.rng.range(0, self.modes - 1))),
            ),
            _ => Expr::nondet(0, self.modes - 1),
        }
    }

    fn about(&mut self, name: &str) -> Cond {
        let bound = num(self.rng.range(-LARGEST, LARGEST));
        Cond::compare(*self.rng.pick(&Rel::ALL), Expr::Var(name.to_string()), bound)
    }

    fn test(&mut self) -> Cond {
        let name = self.rng.pick(&self.read).clone();
        let mode = Expr::Var(self.rng.pick(&self.control).clone());
        let here = Cond::compare(*self.rng.pick(&Rel::ALL), mode, num(self.rng.range(0, self.modes - 1)));
        match self.rng.below(5) {
            0 => here,
            1 => Cond::and(here, self.about(&name)),
            2 => Cond::or(self.about(&name), here),
            _ => self.about(&name),
        }
    }
}
