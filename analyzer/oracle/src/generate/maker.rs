//! What every generator draws from: names in scope, numbers of the right size, expressions, conditions.

use crate::program::{
    Block, Cond, Expr, Function, Global, Initial, Name, Op, Program, Reach, Rel, Stmt, num,
};
use crate::rng::Rng;

/// How large things get.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Constants lie between minus this and this.
    pub constant: i64,
    /// Inputs have between two and this many values.
    pub input: i64,
    /// Loops run this many times longer than usual.
    pub scale: i64,
    /// In percent: inputs without bounds, of which the reference tries some.
    pub unbounded: u64,
}

pub struct Maker<'r> {
    pub rng: &'r mut Rng,
    pub size: Size,
    pub globals: Vec<Global>,
    /// Integers in scope, globals first.
    pub ints: Vec<Name>,
    pub flags: Vec<Name>,
    pub arrays: Vec<(Name, i64)>,
    pub functions: Vec<Function>,
    pub loops: usize,
    fresh: usize,
}

impl<'r> Maker<'r> {
    pub fn new(rng: &'r mut Rng, size: Size) -> Self {
        Self {
            rng,
            size,
            globals: Vec::new(),
            ints: Vec::new(),
            flags: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            loops: 0,
            fresh: 0,
        }
    }

    pub fn finish(self, main: Block, assume: Option<Cond>) -> Program {
        let mut functions = self.functions;
        functions.push(Function {
            name: "main".into(),
            parameters: Vec::new(),
            has_result: false,
            body: main,
        });
        Program { globals: self.globals, functions, assume }
    }

    pub fn fresh(&mut self, prefix: &str) -> Name {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    pub fn int_global(&mut self, name: &str, initial: Initial) {
        self.globals.push(Global { name: name.into(), initial });
        self.ints.push(name.into());
    }

    pub fn flag_global(&mut self, name: &str, initial: Initial) {
        self.globals.push(Global { name: name.into(), initial });
        self.flags.push(name.into());
    }

    pub fn array_global(&mut self, name: &str, values: Vec<i64>) {
        self.arrays.push((name.into(), values.len() as i64));
        self.globals.push(Global { name: name.into(), initial: Initial::Elements(values) });
    }

    /// A start value: mostly a constant, sometimes an input, sometimes any value the assumption allows.
    pub fn initial(&mut self) -> Initial {
        match self.rng.below(20) {
            0..=11 => Initial::Value(num(self.constant())),
            12 if !self.ints.is_empty() => {
                Initial::Value(Expr::binary(Op::Add, self.int(), num(self.rng.range(-1, 1))))
            }
            12..=14 => Initial::Value(num(0)),
            15..=17 => {
                let (low, high) = self.bounds();
                Initial::Value(Expr::nondet(low, high))
            }
            _ => {
                let (low, high) = self.bounds();
                Initial::Free(low, high)
            }
        }
    }

    pub fn constant(&mut self) -> i64 {
        match self.rng.below(10) {
            0..=1 => 0,
            2..=3 => 1,
            4..=6 => self.rng.range(-3, 5),
            _ => self.rng.range(-self.size.constant, self.size.constant),
        }
    }

    /// Two bounds of a fitting input.
    pub fn bounds(&mut self) -> (i64, i64) {
        let width = match self.rng.below(3) {
            0 => self.rng.range(2, 2 * self.size.scale),
            1 => self.rng.range(2, self.size.input.min(5)),
            _ => self.rng.range(2, self.size.input),
        };
        let low = match self.rng.below(3) {
            0 | 1 => 0,
            _ => self.rng.range(-(width - 1), self.size.constant / 2),
        };
        (low, low + width - 1)
    }

    pub fn any_int(&mut self) -> Name {
        self.rng.pick(&self.ints).clone()
    }

    pub fn int(&mut self) -> Expr {
        Expr::Var(self.any_int())
    }

    pub fn input(&mut self) -> Expr {
        if self.rng.percent(self.size.unbounded) {
            return Expr::Any(Reach::Sampled(self.size.constant + 2));
        }
        if self.rng.percent(12) {
            return self.dependent_input();
        }
        let (low, high) = self.bounds();
        Expr::nondet(low, high)
    }

    /// Bounds that are variables: which values can be drawn depends on the state.
    pub fn dependent_input(&mut self) -> Expr {
        let near = num(self.rng.range(-1, 1));
        let (low, high) = match self.rng.below(4) {
            0 => (self.int(), num(self.rng.range(2, 8))),
            1 => (Expr::Negate(Box::new(self.int())), self.int()),
            _ => (near, self.int()),
        };
        Expr::Nondet(Box::new(low), Box::new(high))
    }

    /// Without division, inputs and calls: has exactly one value everywhere.
    pub fn total(&mut self) -> Expr {
        match self.rng.below(5) {
            0 | 1 => num(self.constant()),
            2 | 3 => self.int(),
            _ => {
                let op = *self.rng.pick(&[Op::Add, Op::Sub]);
                Expr::binary(op, self.int(), num(self.constant()))
            }
        }
    }

    /// The right side of an assignment; most forms keep values small.
    pub fn value(&mut self) -> Expr {
        match self.rng.below(40) {
            0..=8 => num(self.constant()),
            9..=15 => self.input(),
            16..=18 => self.int(),
            19..=20 => Expr::binary(Op::Sub, num(self.rng.range(0, 4)), self.int()),
            21..=24 => {
                let sum = Expr::binary(Op::Add, self.int(), num(self.rng.range(1, 3)));
                Expr::binary(Op::Rem, sum, num(self.rng.range(2, 2 + self.size.constant)))
            }
            25 => Expr::binary(Op::Add, self.int(), num(self.rng.range(1, 3))),
            26 => Expr::binary(Op::Sub, self.int(), num(self.rng.range(1, 3))),
            27 => {
                let product = Expr::binary(Op::Mul, self.int(), num(self.rng.range(-3, 3)));
                Expr::binary(Op::Rem, product, num(self.rng.range(2, 9)))
            }
            28 => Expr::binary(Op::Div, self.int(), num(*self.rng.pick(&[-2, 2, 3, 4]))),
            29..=31 => {
                let test = Box::new(self.cond(1));
                Expr::Choose(test, Box::new(self.value_leaf()), Box::new(self.value_leaf()))
            }
            32 => {
                let op = *self.rng.pick(&[Op::Div, Op::Rem]);
                let above = num(self.rng.range(-12, 12));
                let below = if self.rng.percent(50) { self.int() } else { self.input() };
                Expr::binary(op, above, below)
            }
            33..=34 => Expr::binary(Op::Add, self.input(), num(self.constant())),
            35 => Expr::binary(Op::Sub, self.int(), self.int()),
            36 => self.dependent_input(),
            37 => match self.rng.percent(50) {
                true => Expr::Negate(Box::new(self.int())),
                false => Expr::Truth(Box::new(self.cond(0))),
            },
            38 => self.element(),
            _ => self.call().unwrap_or(num(0)),
        }
    }

    fn value_leaf(&mut self) -> Expr {
        match self.rng.below(6) {
            0..=2 => num(self.constant()),
            3 => self.input(),
            _ => self.total(),
        }
    }

    fn element(&mut self) -> Expr {
        if self.arrays.is_empty() {
            return self.int();
        }
        let (name, length) = self.rng.pick(&self.arrays).clone();
        let index = if self.rng.percent(50) { num(self.rng.range(0, length - 1)) } else { self.int() };
        Expr::Element(name, Box::new(index))
    }

    /// A call of a function with a result, alone or as an operand of a sum.
    pub fn call(&mut self) -> Option<Expr> {
        let with: Vec<Function> = self.functions.iter().filter(|known| known.has_result).cloned().collect();
        if with.is_empty() {
            return None;
        }
        let function = self.rng.pick(&with).clone();
        let arguments = function.parameters.iter().map(|_| self.argument()).collect();
        let call = Expr::Call(function.name, arguments);
        Some(match self.rng.below(4) {
            0 => Expr::binary(Op::Add, call, self.total()),
            1 => Expr::binary(Op::Add, self.int(), call),
            _ => call,
        })
    }

    pub fn argument(&mut self) -> Expr {
        match self.rng.below(10) {
            0 => match self
                .functions
                .iter()
                .rev()
                .find(|known| known.has_result && known.parameters.is_empty())
            {
                Some(function) => Expr::Call(function.name.clone(), Vec::new()),
                None => num(self.rng.range(0, 3)),
            },
            1..=3 => num(self.rng.range(-1, 6)),
            4..=5 => {
                let low = self.rng.range(-1, 1);
                Expr::nondet(low, low + self.rng.range(1, 3))
            }
            _ => self.total(),
        }
    }

    pub fn relation(&mut self) -> Rel {
        *self.rng.pick(&Rel::ALL)
    }

    /// A condition with at most `depth` connectives above another.
    pub fn cond(&mut self, depth: usize) -> Cond {
        if depth > 0 && self.rng.percent(30) {
            let (left, right) = (self.cond(depth - 1), self.cond(depth - 1));
            return if self.rng.percent(50) { Cond::and(left, right) } else { Cond::or(left, right) };
        }
        match self.rng.below(20) {
            0..=10 => Cond::compare(self.relation(), self.int(), num(self.constant())),
            11..=12 => Cond::compare(self.relation(), self.int(), self.int()),
            13 => {
                let parity = Expr::binary(Op::Rem, self.int(), num(self.rng.range(2, 3)));
                Cond::compare(Rel::Eq, parity, num(self.rng.range(0, 1)))
            }
            14 => Cond::Nonzero(Box::new(match self.rng.percent(50) {
                true => self.int(),
                false => Expr::nondet(0, 1),
            })),
            15 => Cond::not(self.cond(0)),
            16 => {
                let (low, high) = self.bounds();
                let drawn = Expr::nondet(low, high);
                let with = if self.rng.percent(50) { self.int() } else { num(self.rng.range(low, high)) };
                Cond::compare(self.relation(), drawn, with)
            }
            17 => {
                let sum = Expr::binary(Op::Add, self.int(), self.int());
                Cond::compare(self.relation(), sum, num(self.constant()))
            }
            18 => {
                let name = self.any_int();
                let quotient = Expr::binary(Op::Div, num(self.rng.range(5, 20)), Expr::Var(name.clone()));
                let large = Cond::compare(Rel::Gt, quotient, num(self.rng.range(0, 3)));
                let defined = Cond::compare(Rel::Ne, Expr::Var(name), num(0));
                if self.rng.percent(80) { Cond::and(defined, large) } else { large }
            }
            _ => match self.flags.is_empty() {
                true => Cond::Const(self.rng.percent(50)),
                false => Cond::Flag(self.rng.pick(&self.flags).clone()),
            },
        }
    }

    /// A statement without blocks.
    pub fn simple(&mut self) -> Stmt {
        match self.rng.below(20) {
            0 if !self.flags.is_empty() => Stmt::AssignFlag(self.rng.pick(&self.flags).clone(), self.cond(1)),
            1 | 2 if !self.arrays.is_empty() => {
                let (name, length) = self.rng.pick(&self.arrays).clone();
                let index =
                    if self.rng.percent(50) { num(self.rng.range(0, length - 1)) } else { self.int() };
                Stmt::AssignElement(name, index, self.total())
            }
            3 => self.update(),
            4 if !self.functions.is_empty() => {
                let function = self.rng.pick(&self.functions).clone();
                let arguments = function.parameters.iter().map(|_| self.argument()).collect();
                Stmt::Call(function.name, arguments)
            }
            _ => Stmt::Assign(self.any_int(), self.value()),
        }
    }

    pub fn update(&mut self) -> Stmt {
        let by = num(self.rng.range(1, 3));
        match self.rng.below(8) {
            0..=2 => Stmt::Update(self.any_int(), Op::Add, by),
            3..=4 => Stmt::Update(self.any_int(), Op::Sub, by),
            5 => Stmt::Update(self.any_int(), Op::Rem, num(self.rng.range(2, 9))),
            6 => Stmt::Update(self.any_int(), Op::Div, num(self.rng.range(2, 4))),
            _ => Stmt::Update(self.any_int(), Op::Mul, num(self.rng.range(-1, 1))),
        }
    }

    /// Runs `make` in a scope of its own: what it declares is gone afterwards.
    pub fn scoped(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let outer = self.ints.len();
        let block = make(self);
        self.ints.truncate(outer);
        block
    }

    pub fn in_loop(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        self.loops += 1;
        let block = self.scoped(make);
        self.loops -= 1;
        block
    }

    pub fn declare(&mut self, prefix: &str, value: Expr) -> (Name, Stmt) {
        let name = self.fresh(prefix);
        self.ints.push(name.clone());
        (name.clone(), Stmt::Declare(name, value))
    }

    pub fn label(&mut self) -> Stmt {
        Stmt::Label(self.fresh("L"))
    }
}
