//! Larger programs put together from scenes, some of them around a server loop.

use super::maker::{Maker, Size};
use super::scenes::{SCENES, calls};
use crate::program::{Block, Cond, Expr, Function, Initial, Op, Program, Rel, Stmt, num};
use crate::rng::Rng;

pub fn program(rng: &mut Rng) -> Program {
    let size =
        Size { constant: *rng.pick(&[8, 20, 40]), input: *rng.pick(&[4, 10, 50]), scale: 1, unbounded: 0 };
    let scenes = rng.range(1, 4);
    sized(rng, size, scenes)
}

/// The same shapes an order of magnitude wider, and fewer of them so that the graph stays finite.
pub fn wide_program(rng: &mut Rng) -> Program {
    let size = Size {
        constant: *rng.pick(&[200, 2_000]),
        input: *rng.pick(&[60, 300, 1_500]),
        scale: 10,
        unbounded: 0,
    };
    let scenes = rng.range(1, 2);
    sized(rng, size, scenes)
}

/// Inputs without bounds: nothing can be enumerated any more. The reference tries a few values.
pub fn sampled_program(rng: &mut Rng) -> Program {
    let size = Size { constant: *rng.pick(&[5, 8]), input: 6, scale: 1, unbounded: 60 };
    let scenes = rng.range(1, 3);
    sized(rng, size, scenes)
}

fn sized(rng: &mut Rng, size: Size, scenes: i64) -> Program {
    let mut maker = Maker::new(rng, size);
    let count = maker.rng.range(2, 5) as usize;
    for name in ["x", "y", "z", "u", "v"].into_iter().take(count) {
        let initial = match maker.rng.percent(55) {
            true => Initial::Value(num(0)),
            false => maker.initial(),
        };
        maker.int_global(name, initial);
    }
    if maker.rng.percent(10) {
        maker.flag_global("b", Initial::Flag(false));
    }
    if maker.rng.percent(20) {
        let length = maker.rng.range(2, 5);
        let value = maker.rng.range(0, 2);
        maker.array_global("a", vec![value; length as usize]);
    }
    let assume = maker.rng.percent(8).then(|| maker.restriction());
    for name in ["f", "g"] {
        if maker.rng.percent(25) {
            let function = maker.hard_function(name);
            maker.functions.push(function);
        }
    }
    let server = maker.rng.percent(35);
    let scenes = if server { maker.rng.range(0, 1) } else { scenes };
    let mut main = Vec::new();
    for _ in 0..scenes {
        maker.scene(&mut main);
    }
    if !maker.functions.is_empty() && maker.rng.percent(70) {
        calls(&mut maker, &mut main);
    }
    if server {
        maker.server(&mut main);
    } else if maker.rng.percent(30) {
        main.push(maker.simple());
    }
    maker.finish(main, assume)
}

impl Maker<'_> {
    pub fn scene(&mut self, block: &mut Block) {
        let scene = *self.rng.pick(SCENES);
        scene(self, block);
    }

    fn hard_function(&mut self, name: &str) -> Function {
        match self.rng.below(3) {
            0 => {
                let body = self.scoped(|maker| {
                    let mut body = Vec::new();
                    maker.scene(&mut body);
                    body
                });
                Function { name: name.into(), parameters: Vec::new(), has_result: false, body }
            }
            _ => self.small_function(name),
        }
    }

    /// `while (1) { tick(); read; cascade of updates }`: the shape of a controller.
    fn server(&mut self, main: &mut Block) {
        let mode = self.any_int();
        let modes = self.rng.range(2, 4);
        if self.rng.percent(70) {
            main.push(Stmt::Assign(mode.clone(), num(self.rng.range(0, modes - 1))));
        }
        let body = self.in_loop(|maker| {
            let mut body = Vec::new();
            if maker.rng.percent(75) {
                if maker.rng.percent(30) {
                    body.push(maker.label());
                }
                body.push(Stmt::Tick);
            }
            let (low, high) = maker.bounds();
            let drawn = match maker.rng.percent(15) {
                true => maker.dependent_input(),
                false => Expr::nondet(low, high),
            };
            let read = match maker.rng.percent(60) {
                true => {
                    let (name, declaration) = maker.declare("w", drawn);
                    body.push(declaration);
                    name
                }
                false => {
                    let name = maker.any_int();
                    body.push(Stmt::Assign(name.clone(), drawn));
                    name
                }
            };
            for _ in 0..maker.rng.range(1, 4) {
                let update = maker.transition(&mode, modes, &read, (low, high));
                body.push(update);
            }
            if maker.rng.percent(40) {
                body.push(maker.output(&mode, modes));
            }
            if maker.rng.percent(20) {
                maker.scene(&mut body);
            }
            if maker.rng.percent(20) {
                let test = maker.cond(0);
                body.push(Stmt::If(test, vec![Stmt::Break], Vec::new()));
            }
            body
        });
        main.push(Stmt::While(Cond::Const(true), body));
        if self.rng.percent(30) {
            main.push(self.simple());
        }
    }

    /// `if (mode == k && w < c) mode = k2;`, perhaps with an action or an alternative.
    fn transition(&mut self, mode: &str, modes: i64, read: &str, (low, high): (i64, i64)) -> Stmt {
        let own = || Expr::Var(mode.to_string());
        let here = Cond::compare(Rel::Eq, own(), num(self.rng.range(0, modes - 1)));
        let threshold = self.rng.range(low, high);
        let event = Cond::compare(self.relation(), Expr::Var(read.to_string()), num(threshold));
        let test = match self.rng.below(5) {
            0 => here,
            1 => event,
            2 => Cond::and(event, here),
            _ => Cond::and(here, event),
        };
        let next = match self.rng.below(3) {
            0 => Expr::binary(Op::Rem, Expr::binary(Op::Add, own(), num(1)), num(modes)),
            _ => num(self.rng.range(0, modes - 1)),
        };
        let mut yes = vec![Stmt::Assign(mode.to_string(), next)];
        if self.rng.percent(40) {
            yes.push(self.simple());
        }
        let no = if self.rng.percent(25) { vec![self.simple()] } else { Vec::new() };
        Stmt::If(test, yes, no)
    }

    /// Another variable follows the mode.
    fn output(&mut self, mode: &str, modes: i64) -> Stmt {
        let target = self.any_int();
        let test = Cond::compare(Rel::Eq, Expr::Var(mode.to_string()), num(self.rng.range(0, modes - 1)));
        let (yes, no) = (num(self.rng.range(0, 2)), num(self.rng.range(0, 2)));
        Stmt::Assign(target, Expr::Choose(Box::new(test), Box::new(yes), Box::new(no)))
    }
}
