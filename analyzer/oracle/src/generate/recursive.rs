//! Recursion that changes globals on its way down and up: what a call leaves behind.

use super::maker::{Maker, Size};
use crate::program::{Block, Cond, Expr, Function, Initial, Name, Op, Program, Rel, Stmt, num, var};
use crate::rng::Rng;

pub fn program(rng: &mut Rng) -> Program {
    let mut maker = Maker::new(rng, Size { constant: 3, input: 3, scale: 1, unbounded: 0 });
    for name in ["x", "y"].into_iter().take(maker.rng.range(1, 2) as usize) {
        let initial = maker.initial();
        maker.int_global(name, initial);
    }
    let (least, most) = (maker.rng.range(-1, 1), maker.rng.range(1, 5));
    maker.int_global("n", Initial::Free(least, most));
    let globals: Vec<Name> = maker.ints.iter().filter(|name| *name != "n").cloned().collect();
    for name in ["f", "g"].into_iter().take(maker.rng.range(1, 2) as usize) {
        let function = maker.descent(name, &globals);
        maker.functions.push(function);
    }
    let mut main = maker.body(&mut 2, 1);
    let callee = maker.functions[maker.rng.below(maker.functions.len())].name.clone();
    main.push(Stmt::Call(callee, vec![var("n")]));
    main.extend(maker.body(&mut 2, 1));
    if maker.rng.percent(30) {
        let callee = maker.functions[maker.rng.below(maker.functions.len())].name.clone();
        main.push(Stmt::While(Cond::Const(true), vec![Stmt::Tick, Stmt::Call(callee, vec![var("n")])]));
    }
    maker.finish(main, None)
}

impl Maker<'_> {
    /// Down and up again; what is added on the way down is mostly taken away on the way up.
    fn descent(&mut self, name: &str, globals: &[Name]) -> Function {
        let parameter = self.fresh("p");
        let global = self.rng.pick(globals).clone();
        let by = self.rng.range(1, 2);
        let back = if self.rng.percent(70) { by } else { self.rng.range(0, 3) };
        let body = self.scoped(|maker| {
            maker.ints.push(parameter.clone());
            let mut deeper: Block = vec![Stmt::Update(global.clone(), Op::Add, num(by))];
            maker.some(30, &mut deeper);
            deeper.push(maker.call_deeper(name, &parameter));
            maker.some(20, &mut deeper);
            if maker.rng.percent(25) {
                deeper.push(maker.call_deeper(name, &parameter));
            }
            deeper.push(Stmt::Update(global, Op::Sub, num(back)));
            let mut otherwise = Vec::new();
            maker.some(30, &mut otherwise);
            let mut body = vec![Stmt::If(Cond::compare(Rel::Gt, var(&parameter), num(0)), deeper, otherwise)];
            maker.some(15, &mut body);
            body
        });
        Function { name: name.into(), parameters: vec![parameter], has_result: false, body }
    }

    fn some(&mut self, percent: u64, block: &mut Block) {
        if self.rng.percent(percent) {
            block.push(self.simple());
        }
    }

    /// A call of the function itself, or of an earlier one.
    fn call_deeper(&mut self, name: &str, parameter: &str) -> Stmt {
        let elsewhere = self.rng.percent(25);
        let other = self.functions.last().filter(|_| elsewhere).map(|other| other.name.clone());
        let less = Expr::binary(Op::Sub, var(parameter), num(1));
        let argument = if self.rng.percent(95) { less } else { var(parameter) };
        Stmt::Call(other.unwrap_or_else(|| name.to_string()), vec![argument])
    }
}
