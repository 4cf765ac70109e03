//! Programs that only a relation between variables explains.
//!
//! An input `n` of many values is moved, shared out, counted up and down; every loop keeps some linear
//! relation, and most assertions hold because of it. The values alone say little: each variable ranges
//! over nearly everything.

mod games;
mod phases;

use crate::program::{Block, Cond, Expr, Function, Global, Initial, Name, Op, Program, Rel, Stmt, num, var};
use crate::rng::Rng;

/// Some variables' start values and what is done with them.
struct Scene {
    start: Vec<(Name, Expr)>,
    body: Block,
}

type Make = fn(&mut Related<'_>) -> Scene;

struct Related<'r> {
    rng: &'r mut Rng,
    /// What every relation is about, and its bounds.
    input: Name,
    low: i64,
    high: i64,
    /// A second input of a few values.
    second: Option<Name>,
    /// Loops of `n` steps advance by this at least, so that the graph stays finite.
    pace: i64,
    /// The globals that are no inputs.
    pool: Vec<Name>,
    functions: Vec<Function>,
    fresh: usize,
}

/// Where `n` gets its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Initialiser,
    Assumption,
    Statement,
    Local,
}

pub fn program(rng: &mut Rng) -> Program {
    use Origin::{Assumption, Initialiser, Local, Statement};
    let origin = *rng.pick(&[Initialiser, Initialiser, Initialiser, Assumption, Statement, Statement, Local]);
    // Phases one after the other, or one at most and then a game.
    let game = rng.percent(45).then(|| *rng.pick(games::ALL));
    let count = if game.is_some() { rng.range(0, 3) / 3 } else { rng.range(1, 3) };
    let phases: Vec<Make> = (0..count).map(|_| *rng.pick(phases::ALL)).collect();
    // A game has about as many states as the square of its input.
    let width = match rng.below(10) {
        _ if game.is_some() => rng.range(20, 26),
        0..=4 => rng.range(20, 40),
        5..=7 => rng.range(41, 100),
        _ => rng.range(101, 300),
    };
    let mut maker = Related::new(rng, width);
    let made: Vec<Scene> = phases.into_iter().chain(game).map(|make| make(&mut maker)).collect();
    maker.put_together(origin, made)
}

impl<'r> Related<'r> {
    fn new(rng: &'r mut Rng, width: i64) -> Self {
        let low = match rng.below(10) {
            0..=5 => 0,
            6..=7 => rng.range(1, 8),
            _ => rng.range(-6, -1),
        };
        let second = rng.percent(20).then(|| "m".to_string());
        let runs = if second.is_some() { 3 * width } else { width };
        let (high, pace) = (low + width - 1, 1 + runs * (low + width) / 3_000);
        let count = rng.range(2, 4) as usize;
        let pool = ["x", "y", "z", "u"].map(String::from)[..count].to_vec();
        let input = "n".to_string();
        Self { rng, input, low, high, second, pace, pool, functions: Vec::new(), fresh: 0 }
    }

    fn put_together(mut self, origin: Origin, scenes: Vec<Scene>) -> Program {
        let mut main = self.opening(origin);
        let before = matches!(origin, Origin::Initialiser | Origin::Assumption);
        let mut initial: Vec<(Name, Expr)> = Vec::new();
        for scene in scenes {
            for (name, value) in scene.start {
                match self.pool.contains(&name) {
                    // The relation holds from the initial state on.
                    true if before && main.is_empty() && self.rng.percent(80) => initial.push((name, value)),
                    true => main.push(Stmt::Assign(name, value)),
                    false => main.push(Stmt::Declare(name, value)),
                }
            }
            main.extend(scene.body);
        }
        let mut globals = self.inputs(origin);
        for name in &self.pool {
            let known = initial.iter().find(|(known, _)| known == name);
            let value = known.map_or(num(0), |(_, value)| value.clone());
            globals.push(Global { name: name.clone(), initial: Initial::Value(value) });
        }
        let assume = (before && self.rng.percent(10)).then(|| self.restriction());
        let mut functions = self.functions;
        functions.push(Function {
            name: "main".into(),
            parameters: Vec::new(),
            has_result: false,
            body: main,
        });
        Program { globals, functions, assume }
    }

    fn inputs(&mut self, origin: Origin) -> Vec<Global> {
        let drawn = Initial::Value(Expr::nondet(self.low, self.high));
        let initial = match origin {
            Origin::Initialiser => Some(drawn),
            Origin::Assumption => Some(Initial::Free(self.low, self.high)),
            Origin::Statement => Some(Initial::Value(num(0))),
            Origin::Local => None,
        };
        let mut globals = Vec::new();
        globals.extend(initial.map(|initial| Global { name: self.input.clone(), initial }));
        if let Some(name) = &self.second {
            let initial = Initial::Value(Expr::nondet(0, self.rng.range(1, 4)));
            globals.push(Global { name: name.clone(), initial });
        }
        globals
    }

    /// Statements before the first scene.
    fn opening(&mut self, origin: Origin) -> Block {
        let drawn = Expr::nondet(self.low, self.high);
        let mut main = match origin {
            Origin::Initialiser | Origin::Assumption => Vec::new(),
            Origin::Statement => vec![Stmt::Assign(self.input.clone(), drawn)],
            Origin::Local => vec![Stmt::Declare(self.input.clone(), drawn)],
        };
        if self.rng.percent(12) {
            let test = self.restriction();
            main.push(Stmt::Assume(test));
        }
        main
    }

    /// Leaves out some values of `n`.
    fn restriction(&mut self) -> Cond {
        let n = self.n();
        match self.rng.below(3) {
            0 => Cond::compare(Rel::Eq, Expr::binary(Op::Rem, n, num(2)), num(0)),
            1 => Cond::compare(Rel::Ne, n, num(self.rng.range(self.low, self.high))),
            _ => Cond::compare(Rel::Ge, n, num(self.low + self.rng.range(1, 5))),
        }
    }

    fn n(&self) -> Expr {
        var(&self.input)
    }

    fn fresh(&mut self, prefix: &str) -> Name {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// Different variables, mostly globals.
    fn cast<const COUNT: usize>(&mut self) -> [Name; COUNT] {
        let mut free = self.pool.clone();
        std::array::from_fn(|_| match free.is_empty() || self.rng.percent(12) {
            true => self.fresh("i"),
            false => free.remove(self.rng.below(free.len())),
        })
    }

    /// How far a loop that goes through the whole of `n` goes at a time.
    fn step(&mut self) -> i64 {
        self.pace + self.rng.range(0, 5) / 4
    }

    /// Something small to start from: a constant or the second input.
    fn offset(&mut self) -> Expr {
        match (self.rng.below(10), &self.second) {
            (0..=5, Some(name)) => var(name),
            (0..=4, _) => num(0),
            _ => num(self.rng.range(-4, 6)),
        }
    }

    /// What the relation gives, sometimes missed by one.
    fn claim(&mut self, left: Expr, rel: Rel, right: Expr) -> Cond {
        match self.rng.below(20) {
            0..=1 => Cond::compare(rel, left, plus(right, num(*self.rng.pick(&[-1, 1])))),
            2 => Cond::compare(*self.rng.pick(&[Rel::Lt, Rel::Gt, Rel::Ne]), left, right),
            3..=4 => Cond::compare(rel, Expr::binary(Op::Sub, left, right), num(0)),
            _ => Cond::compare(rel, left, right),
        }
    }

    /// Asserts, tells apart, assumes or only marks the place.
    fn check(&mut self, block: &mut Block, left: Expr, rel: Rel, right: Expr) {
        let claim = self.claim(left, rel, right);
        let marked = self.rng.percent(55);
        if marked {
            block.push(Stmt::Label(self.fresh("L")));
        }
        match self.rng.below(10) {
            0..=4 => block.push(Stmt::Assert(claim)),
            5 => {
                let spoiled = self.rng.pick(&self.pool).clone();
                block.push(Stmt::If(
                    Cond::not(claim),
                    vec![Stmt::Update(spoiled, Op::Add, num(1))],
                    Vec::new(),
                ));
            }
            6 if self.rng.percent(40) => block.push(Stmt::Assume(claim)),
            _ if marked => block.push(Stmt::Print(num(0))),
            _ => {}
        }
    }

    /// A loop, sometimes one that ticks.
    fn repeat(&mut self, test: Cond, body: Block) -> Stmt {
        let tick = self.rng.percent(40).then_some(Stmt::Tick);
        Stmt::While(test, tick.into_iter().chain(body).collect())
    }

    /// Takes from one and gives to the other, in one of many ways.
    fn transfer(&mut self, from: &Name, to: &Name, by: i64) -> Block {
        let take = Stmt::Update(from.clone(), Op::Sub, num(by));
        let give = Stmt::Update(to.clone(), Op::Add, num(by));
        let global = self.pool.contains(from) && self.pool.contains(to);
        match self.rng.below(8) {
            0..=2 => vec![take, give],
            3 => vec![give, take],
            4 => {
                let kept = self.fresh("t");
                let rest = Expr::binary(Op::Sub, var(from), num(by));
                vec![Stmt::Declare(kept.clone(), rest), give, Stmt::Assign(from.clone(), var(&kept))]
            }
            5..=6 if global && self.functions.len() < 2 => vec![self.mover(from, to, by)],
            _ => {
                // Never more than there is.
                let part = self.fresh("t");
                let scarce = Cond::compare(Rel::Lt, var(from), num(by));
                let least = Expr::Choose(Box::new(scarce), Box::new(var(from)), Box::new(num(by)));
                let moves = [(from, Op::Sub), (to, Op::Add)];
                let moves = moves.map(|(name, op)| Stmt::Update(name.clone(), op, var(&part)));
                [Stmt::Declare(part.clone(), least)].into_iter().chain(moves).collect()
            }
        }
    }

    /// A function of its own for the transfer, or for half of it; gives the call.
    fn mover(&mut self, from: &Name, to: &Name, by: i64) -> Stmt {
        let (name, parameter) = (self.fresh("move"), self.fresh("p"));
        let has_result = self.rng.percent(50);
        let mut body = vec![Stmt::Update(from.clone(), Op::Sub, var(&parameter))];
        body.push(match has_result {
            true => Stmt::Return(Some(var(&parameter))),
            false => Stmt::Update(to.clone(), Op::Add, var(&parameter)),
        });
        self.functions.push(Function { name: name.clone(), parameters: vec![parameter], has_result, body });
        match has_result {
            true => Stmt::Assign(to.clone(), Expr::binary(Op::Add, var(to), Expr::Call(name, vec![num(by)]))),
            false => Stmt::Call(name, vec![num(by)]),
        }
    }
}

/// A sum without the zeros people leave out.
fn plus(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (sum, Expr::Const(0)) | (Expr::Const(0), sum) => sum,
        (left, Expr::Const(value)) if value < 0 => Expr::binary(Op::Sub, left, num(-value)),
        (left, right) => Expr::binary(Op::Add, left, right),
    }
}

fn times(factor: i64, value: Expr) -> Expr {
    match factor {
        1 => value,
        _ => Expr::binary(Op::Mul, num(factor), value),
    }
}

fn add(name: &Name, by: i64) -> Stmt {
    match by < 0 {
        true => Stmt::Update(name.clone(), Op::Sub, num(-by)),
        false => Stmt::Update(name.clone(), Op::Add, num(by)),
    }
}
