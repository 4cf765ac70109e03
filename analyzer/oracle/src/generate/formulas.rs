//! Formulas about a program, drawn with a look at the states it really has.
//!
//! Constants come from reachable states, give or take one, and atoms that are the same everywhere are
//! mostly thrown away: what remains is decided by how the program moves.

mod relations;

use super::regions::{LARGEST, READ};
use crate::compile::FailKind;
use crate::logic::{Binary, Formula, Path, Unary};
use crate::model::{Granularity, Model};
use crate::program::{Cond, Expr, Name, Op, Program, Rel, labels, num, var};
use crate::reference::Exploration;
use crate::rng::Rng;

pub struct Writer<'w> {
    rng: &'w mut Rng,
    /// Some of the program's states.
    sample: &'w Exploration,
    /// For evaluating candidate atoms on them.
    plain: Model<'w>,
    ints: Vec<Expr>,
    /// Hold inputs without bounds: only comparisons with small constants have an exact answer.
    reads: Vec<Name>,
    flags: Vec<Name>,
    labels: Vec<Name>,
    constants: Vec<i64>,
    /// Globals that may not be asked under this granularity.
    unwatched: Vec<Name>,
    /// Where they are what the program is about.
    relations: Option<relations::Relations>,
}

const PATHS: [Path; 2] = [Path::All, Path::Some];
const UNARY: [Unary; 3] = [Unary::Next, Unary::Finally, Unary::Globally];
const BINARY: [Binary; 3] = [Binary::Until, Binary::Release, Binary::WeakUntil];

impl<'w> Writer<'w> {
    pub fn new(
        rng: &'w mut Rng,
        program: &Program,
        sample: &'w Exploration,
        granularity: Granularity,
        watch: &[Name],
    ) -> Self {
        let watched = |name: &Name| watch.is_empty() || watch.contains(name);
        let (mut ints, mut flags, mut unwatched) = (Vec::new(), Vec::new(), Vec::new());
        let mut reads = Vec::new();
        for global in &program.globals {
            let name = &global.name;
            match &global.initial {
                _ if !watched(name) => unwatched.push(name.clone()),
                _ if READ.contains(&name.as_str()) => reads.push(name.clone()),
                _ if global.is_flag() => flags.push(name.clone()),
                crate::program::Initial::Elements(values) => {
                    let element = |index: usize| Expr::Element(name.clone(), Box::new(num(index as i64)));
                    ints.extend((0..values.len()).map(element));
                }
                _ => ints.push(var(name)),
            }
        }
        let mut marks = Vec::new();
        if granularity != Granularity::Change {
            program.functions.iter().for_each(|function| labels(&function.body, &mut marks));
        }
        let plain = Model::new(sample, Granularity::Statement, &[]);
        let constants = program.constants();
        Self { rng, sample, plain, ints, reads, flags, labels: marks, constants, unwatched, relations: None }
    }

    /// Asks about relations between variables above all.
    pub fn with_relations(mut self) -> Self {
        self.relations = Some(relations::Relations::of(&self.ints, self.sample));
        self
    }

    pub fn formula(&mut self) -> Formula {
        // Rarely, something that must be refused.
        if !self.unwatched.is_empty() && self.rng.percent(4) {
            let name = self.rng.pick(&self.unwatched).clone();
            let odd = Formula::Atom(Cond::compare(Rel::Eq, var(&name), num(0)));
            return Formula::unary(Path::Some, Unary::Finally, odd);
        }
        if self.relations.is_some() && self.rng.percent(60) {
            return self.relational();
        }
        match self.rng.below(10) {
            0..=1 => self.random(1),
            2 => self.random(2),
            3 => self.random(3),
            _ => self.pattern(),
        }
    }

    fn unary(&mut self, path: Path, operator: Unary, inner: Formula) -> Formula {
        Formula::unary(path, operator, inner)
    }

    /// The shapes people write.
    fn pattern(&mut self) -> Formula {
        use Path::{All, Some};
        use Unary::{Finally, Globally, Next};
        let (p, q) = (self.proposition(), self.proposition());
        let unary = Formula::unary;
        let binary = Formula::binary;
        match self.rng.below(34) {
            0..=2 => unary(All, Globally, p),
            3..=4 => unary(Some, Finally, p),
            5..=7 => unary(All, Finally, p),
            8 => unary(Some, Globally, p),
            9..=11 => unary(All, Globally, Formula::implies(p, unary(All, Finally, q))),
            12..=13 => unary(All, Globally, unary(Some, Finally, p)),
            14 => unary(Some, Finally, unary(All, Globally, p)),
            15 => unary(All, Globally, unary(All, Finally, p)),
            16 => unary(All, Finally, unary(All, Globally, p)),
            17 => unary(Some, Globally, unary(Some, Finally, p)),
            18 => binary(All, Binary::Until, p, q),
            19 => binary(Some, *self.rng.pick(&BINARY), p, q),
            20 => binary(All, *self.rng.pick(&BINARY), p, q),
            21 => unary(All, Finally, Formula::Terminated),
            22 => unary(Some, Globally, Formula::not(Formula::Terminated)),
            23 => unary(All, Globally, Formula::not(Formula::Failed(None))),
            24 => unary(All, Globally, Formula::implies(p, unary(All, Next, q))),
            25 => unary(Some, Finally, Formula::and(p, unary(Some, Next, q))),
            26 => {
                let r = self.proposition();
                let path = *self.rng.pick(&PATHS);
                unary(All, Globally, Formula::implies(p, binary(path, *self.rng.pick(&BINARY), q, r)))
            }
            27 => unary(All, Globally, Formula::implies(p, unary(Some, Finally, q))),
            28 => unary(Some, Finally, Formula::and(p, unary(Some, Globally, q))),
            // What can be drawn here and now.
            29 => unary(All, Globally, Formula::implies(p, unary(Some, Next, q))),
            30 => unary(All, Finally, unary(Some, Next, p)),
            31..=32 if !self.labels.is_empty() => {
                let here = Formula::At(self.rng.pick(&self.labels).clone());
                let path = *self.rng.pick(&PATHS);
                unary(All, Globally, Formula::implies(here, unary(path, *self.rng.pick(&UNARY), p)))
            }
            _ => unary(All, Globally, Formula::implies(Formula::Terminated, p)),
        }
    }

    /// Any operators, nested up to `depth` temporal ones.
    fn random(&mut self, depth: usize) -> Formula {
        let path = *self.rng.pick(&PATHS);
        if self.rng.percent(65) {
            let operator = *self.rng.pick(&UNARY);
            let inner = self.below(depth - 1);
            self.unary(path, operator, inner)
        } else {
            let operator = *self.rng.pick(&BINARY);
            let (left, right) = (self.below(depth - 1), self.below(depth - 1));
            Formula::binary(path, operator, left, right)
        }
    }

    fn below(&mut self, depth: usize) -> Formula {
        if depth == 0 {
            return self.proposition();
        }
        let inner = self.random(depth);
        match self.rng.below(8) {
            0 => Formula::not(inner),
            1 => Formula::and(self.proposition(), inner),
            2 => Formula::or(inner, self.proposition()),
            3 => Formula::implies(self.proposition(), inner),
            4 => Formula::Iff(Box::new(self.proposition()), Box::new(inner)),
            _ => inner,
        }
    }

    /// Atoms, one or two, mostly such that some states satisfy them and some do not.
    fn proposition(&mut self) -> Formula {
        let mut made = self.boolean();
        for _ in 0..6 {
            if !self.is_constant(&made) || self.rng.percent(10) {
                break;
            }
            made = self.boolean();
        }
        made
    }

    fn boolean(&mut self) -> Formula {
        let first = self.atom();
        match self.rng.below(12) {
            0 => Formula::and(first, self.atom()),
            1 => Formula::or(first, self.atom()),
            2 => Formula::not(first),
            3 => match (first, self.atom()) {
                (Formula::Atom(left), Formula::Atom(right)) => Formula::Atom(match self.rng.percent(50) {
                    true => Cond::and(left, right),
                    false => Cond::or(left, right),
                }),
                (left, right) => Formula::implies(left, right),
            },
            _ => first,
        }
    }

    fn is_constant(&mut self, formula: &Formula) -> bool {
        let atoms = |atom: &Formula| self.plain.atoms(atom);
        let set = crate::check::satisfying(&self.plain.graph, &atoms, formula, crate::check::Mode::Sure);
        set.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn atom(&mut self) -> Formula {
        if !self.reads.is_empty() && (self.ints.is_empty() || self.rng.percent(50)) {
            let name = self.rng.pick(&self.reads).clone();
            let value = self.rng.range(-LARGEST, LARGEST);
            return Formula::Atom(Cond::compare(self.relation(), var(&name), num(value)));
        }
        if self.relations.is_some() && self.rng.percent(45) {
            return self.linear(&Formula::Atom(Cond::Const(true)));
        }
        match self.rng.below(40) {
            0..=2 if !self.labels.is_empty() => Formula::At(self.rng.pick(&self.labels).clone()),
            3 => Formula::Terminated,
            4 => Formula::Failed(None),
            5 => Formula::Failed(Some(*self.rng.pick(&FailKind::ALL))),
            6 if !self.flags.is_empty() => Formula::Atom(Cond::Flag(self.rng.pick(&self.flags).clone())),
            _ if self.ints.is_empty() => match self.flags.first() {
                Some(flag) => Formula::Atom(Cond::Flag(flag.clone())),
                None => Formula::Terminated,
            },
            7..=10 if self.ints.len() > 1 => {
                let (left, right) = (self.int(), self.int());
                Formula::Atom(Cond::compare(self.relation(), left, right))
            }
            11..=14 if self.ints.len() > 1 => {
                let op = *self.rng.pick(&[Op::Add, Op::Sub]);
                let sum = Expr::binary(op, self.int(), self.int());
                let value = self.value_of(&sum);
                Formula::Atom(Cond::compare(self.relation(), sum, num(value)))
            }
            15 => {
                let rest = Expr::binary(Op::Rem, self.int(), num(self.rng.range(2, 4)));
                let value = self.value_of(&rest);
                Formula::Atom(Cond::compare(Rel::Eq, rest, num(value)))
            }
            16 => self.partial(),
            _ => {
                let name = self.int();
                let value = self.value_of(&name);
                Formula::Atom(Cond::compare(self.relation(), name, num(value)))
            }
        }
    }

    /// `x == 0 || 12 / x >= c`, rarely without its guard.
    fn partial(&mut self) -> Formula {
        let divisor = self.int();
        let quotient = Expr::binary(Op::Div, num(self.rng.range(4, 20)), divisor.clone());
        let large = Cond::compare(self.relation(), quotient, num(self.rng.range(0, 4)));
        let zero = Cond::compare(Rel::Eq, divisor, num(0));
        Formula::Atom(if self.rng.percent(92) { Cond::or(zero, large) } else { large })
    }

    fn int(&mut self) -> Expr {
        self.rng.pick(&self.ints).clone()
    }

    fn relation(&mut self) -> Rel {
        *self.rng.pick(&Rel::ALL)
    }

    /// What the expression is in some reachable state, give or take one; or a constant of the program.
    fn value_of(&mut self, value: &Expr) -> i64 {
        if !self.constants.is_empty() && self.rng.percent(20) {
            return *self.rng.pick(&self.constants) + self.rng.range(-1, 1);
        }
        let compiled = &self.sample.compiled;
        let resolved = compiled.global_expr(value).expect("atoms are over globals");
        let Some(last) = self.sample.states.len().checked_sub(1) else { return 0 };
        let state = &self.sample.states[self.rng.range(0, last as i64) as usize];
        let cells = crate::evaluate::Cells { globals: &state.globals, locals: &[] };
        let mut found = 0;
        crate::evaluate::values(&resolved, cells, &mut |value| found = value.unwrap_or(0));
        if self.rng.percent(25) { found + self.rng.range(-1, 1) } else { found }
    }
}
