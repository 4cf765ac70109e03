//! Small programs: every statement of the language, a handful at a time.

use super::maker::{Maker, Size};
use crate::program::{Block, Cond, Expr, Function, Initial, Op, Program, Rel, Stmt, num};
use crate::rng::Rng;

pub fn program(rng: &mut Rng) -> Program {
    let mut maker = Maker::new(rng, Size { constant: 4, input: 4, scale: 1, unbounded: 0 });
    for name in ["x", "y", "z"].into_iter().take(maker.rng.range(1, 3) as usize) {
        let initial = maker.initial();
        maker.int_global(name, initial);
    }
    if maker.rng.percent(12) {
        let initial = if maker.rng.percent(40) { Initial::FreeFlag } else { Initial::Flag(false) };
        maker.flag_global("b", initial);
    }
    if maker.rng.percent(8) {
        let length = maker.rng.range(2, 3);
        maker.array_global("a", (0..length).collect());
    }
    let assume = maker.rng.percent(6).then(|| maker.restriction());
    if maker.rng.percent(25) {
        let function = maker.small_function("f");
        maker.functions.push(function);
    }
    let mut budget = maker.rng.range(2, 8) as usize;
    let mut main = maker.body(&mut budget, 2);
    if !maker.functions.is_empty() && maker.rng.percent(80) {
        super::scenes::calls(&mut maker, &mut main);
    }
    if maker.rng.percent(25) {
        let mut budget = maker.rng.range(1, 4) as usize;
        let mut body = maker.in_loop(|maker| maker.body(&mut budget, 1));
        if maker.rng.percent(60) {
            body.insert(0, Stmt::Tick);
        }
        main.push(Stmt::While(Cond::Const(true), body));
    }
    maker.finish(main, assume)
}

impl Maker<'_> {
    /// A further restriction of the initial states, over globals and total.
    pub fn restriction(&mut self) -> Cond {
        match self.rng.below(3) {
            0 => Cond::compare(self.relation(), self.int(), self.int()),
            1 => Cond::compare(Rel::Ne, self.int(), num(self.constant())),
            _ => {
                let sum = Expr::binary(Op::Add, self.int(), self.int());
                Cond::compare(self.relation(), sum, num(self.constant()))
            }
        }
    }

    /// A function of one parameter or none, with or without a result, sometimes recursive.
    pub fn small_function(&mut self, name: &str) -> Function {
        let parameter = self.fresh("p");
        let result =
            |parameters, has_result, body| Function { name: name.into(), parameters, has_result, body };
        match self.rng.below(7) {
            0..=1 => {
                let body = self.scoped(|maker| maker.body(&mut 2, 1));
                result(Vec::new(), false, body)
            }
            2 => result(Vec::new(), true, vec![Stmt::Return(Some(self.value()))]),
            3..=4 => {
                let parameters = vec![parameter.clone()];
                let body = self.scoped(|maker| {
                    maker.ints.push(parameter);
                    let mut body = maker.body(&mut 1, 0);
                    if maker.rng.percent(50) {
                        let test = maker.cond(0);
                        body.push(Stmt::If(test, vec![Stmt::Return(Some(maker.total()))], Vec::new()));
                    }
                    body.push(Stmt::Return(Some(maker.total())));
                    body
                });
                result(parameters, true, body)
            }
            _ => {
                let body = self.recursion(name, &parameter);
                result(vec![parameter], true, body)
            }
        }
    }

    /// `if (n <= 0) return c; …; return f(n - 1) + k;` and the like, sometimes without end.
    pub fn recursion(&mut self, name: &str, parameter: &str) -> Block {
        let own = || Expr::Var(parameter.to_string());
        let base = Stmt::Return(Some(num(self.constant())));
        let stop = if self.rng.percent(85) { Rel::Le } else { Rel::Eq };
        let mut body = vec![Stmt::If(Cond::compare(stop, own(), num(0)), vec![base], Vec::new())];
        if self.rng.percent(50) {
            body.push(self.simple());
        }
        if self.rng.percent(20) {
            let (test, deeper) = (self.cond(0), self.deeper(name, parameter));
            body.push(Stmt::If(test, vec![Stmt::Return(Some(deeper))], Vec::new()));
        }
        let deeper = self.deeper(name, parameter);
        body.push(Stmt::Return(Some(match self.rng.below(6) {
            0 => deeper,
            1 => Expr::binary(Op::Add, deeper, num(self.rng.range(1, 2))),
            2 => Expr::binary(Op::Sub, own(), deeper),
            3 => Expr::binary(Op::Add, deeper, self.deeper(name, parameter)),
            4 => Expr::Call(name.into(), vec![Expr::binary(Op::Sub, deeper, num(1))]),
            _ => Expr::binary(Op::Add, own(), deeper),
        })));
        body
    }

    /// A call of the function itself, mostly with less.
    fn deeper(&mut self, name: &str, parameter: &str) -> Expr {
        let own = || Expr::Var(parameter.to_string());
        let argument = match self.rng.below(12) {
            0..=7 => Expr::binary(Op::Sub, own(), num(1)),
            8 => Expr::binary(Op::Sub, own(), num(2)),
            9 => Expr::binary(Op::Sub, own(), self.int()),
            10 => own(),
            _ => self.int(),
        };
        Expr::Call(name.into(), vec![argument])
    }

    /// Statements while the budget lasts, with blocks nested at most `depth` deep.
    pub fn body(&mut self, budget: &mut usize, depth: usize) -> Block {
        let mut block = Vec::new();
        let wanted = self.rng.range(1, 4) as usize;
        while *budget > 0 && block.len() < wanted {
            *budget -= 1;
            self.statement(&mut block, budget, depth);
        }
        block
    }

    fn statement(&mut self, block: &mut Block, budget: &mut usize, depth: usize) {
        let choice = self.rng.below(if depth > 0 { 100 } else { 62 });
        if choice < 90 && self.rng.percent(8) {
            block.push(self.label());
        }
        let stmt = match choice {
            0..=44 => self.simple(),
            45..=46 => Stmt::Assert(self.cond(1)),
            47..=48 => Stmt::Assume(self.cond(0)),
            49..=52 => Stmt::Tick,
            53 => Stmt::Print(self.total()),
            54 => Stmt::Empty,
            55..=61 if choice < 58 && self.loops > 0 => {
                let jump = if self.rng.percent(60) { Stmt::Break } else { Stmt::Continue };
                Stmt::If(self.cond(0), vec![jump], Vec::new())
            }
            55..=61 if choice < 60 && !matches!(block.last(), Some(Stmt::Label(_))) => {
                let value = self.value();
                self.declare("t", value).1
            }
            55..=61 => self.simple(),
            62..=80 => {
                let test = self.cond(1);
                let yes = self.scoped(|maker| maker.body(budget, depth - 1));
                let no = match self.rng.percent(45) {
                    true => self.scoped(|maker| maker.body(budget, depth - 1)),
                    false => Vec::new(),
                };
                Stmt::If(test, yes, no)
            }
            81..=86 => self.counting(budget, depth),
            87..=91 => {
                let test = self.cond(1);
                Stmt::While(test, self.in_loop(|maker| maker.body(budget, depth - 1)))
            }
            92..=94 => {
                let body = self.in_loop(|maker| maker.body(budget, depth - 1));
                Stmt::Do(body, self.cond(0))
            }
            95..=97 => {
                let name = self.any_int();
                let test = Cond::compare(Rel::Lt, Expr::Var(name.clone()), num(self.rng.range(1, 4)));
                let step = Expr::binary(Op::Add, Expr::Var(name.clone()), num(1));
                let body = self.in_loop(|maker| maker.body(budget, depth - 1));
                Stmt::For(name, num(0), test, step, body)
            }
            98 => Stmt::Nested(self.scoped(|maker| maker.body(budget, depth - 1))),
            _ => {
                let test = self.cond(1);
                Stmt::While(
                    Cond::Const(true),
                    vec![Stmt::If(test, vec![Stmt::Break], Vec::new()), self.simple()],
                )
            }
        };
        block.push(stmt);
    }

    /// `while (x < c) { …; x = x + k; }`
    fn counting(&mut self, budget: &mut usize, depth: usize) -> Stmt {
        let name = self.any_int();
        let own = Expr::Var(name.clone());
        let up = self.rng.percent(70);
        let (rel, op) = match up {
            true => (*self.rng.pick(&[Rel::Lt, Rel::Le, Rel::Ne]), Op::Add),
            false => (*self.rng.pick(&[Rel::Gt, Rel::Ge, Rel::Ne]), Op::Sub),
        };
        let bound = self.rng.range(-2, 6);
        let by = self.rng.range(1, 2);
        let mut body = self
            .in_loop(|maker| if maker.rng.percent(60) { maker.body(budget, depth - 1) } else { Vec::new() });
        body.push(Stmt::Update(name, op, num(by)));
        Stmt::While(Cond::compare(rel, own, num(bound)), body)
    }
}
