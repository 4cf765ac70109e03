//! Questions about relations: linear comparisons of two or three variables, tight or just missed.
//!
//! Nothing is known here of how the program was made: a relation is a linear form that varies less over
//! the program's states than each of its variables.

use super::{BINARY, Writer};
use crate::evaluate::{Cells, values};
use crate::logic::{Binary, Formula, Path, Unary};
use crate::program::{Cond, Expr, Op, Rel, num};
use crate::reference::Exploration;

/// Coefficients of integers, by number; the first is positive.
type Form = Vec<(i64, usize)>;

/// Coefficients lie between minus this and this.
const LARGEST: i64 = 3;

pub struct Relations {
    /// The value of every integer in every state of the sample.
    columns: Vec<Vec<i64>>,
    /// The relations found, tightest first.
    tight: Vec<Form>,
}

impl Relations {
    pub fn of(ints: &[Expr], sample: &Exploration) -> Self {
        let column = |int: &Expr| {
            let resolved = sample.compiled.global_expr(int).expect("atoms are over globals");
            let value = |globals: &[i32]| {
                let mut found = 0;
                values(&resolved, Cells { globals, locals: &[] }, &mut |value| found = value.unwrap_or(0));
                found
            };
            sample.states.iter().map(|state| value(&state.globals)).collect()
        };
        let mut relations = Self { columns: ints.iter().map(column).collect(), tight: Vec::new() };
        let spreads: Vec<i64> = (0..ints.len()).map(|int| relations.spread(&[(1, int)])).collect();
        let mut found: Vec<(i64, Form)> = forms(ints.len())
            .into_iter()
            .map(|form| (relations.spread(&form), form))
            .filter(|(spread, form)| form.iter().all(|(_, int)| *spread < spreads[*int]))
            .collect();
        found.sort();
        relations.tight = found.into_iter().map(|(_, form)| form).collect();
        relations
    }

    fn value(&self, form: &[(i64, usize)], state: usize) -> i64 {
        form.iter().map(|(factor, int)| factor * self.columns[*int][state]).sum()
    }

    fn spread(&self, form: &[(i64, usize)]) -> i64 {
        let states = self.columns.first().map_or(0, Vec::len);
        let values = || (0..states).map(|state| self.value(form, state));
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    }
}

/// Every form over two or three of so many integers.
fn forms(ints: usize) -> Vec<Form> {
    let factors = || (-LARGEST..=LARGEST).filter(|factor| *factor != 0);
    let longer = |form: &Form| -> Vec<Form> {
        let next = form.last().map_or(0, |(_, int)| int + 1);
        let with = |int| factors().map(move |factor| [form.clone(), vec![(factor, int)]].concat());
        (next..ints).flat_map(with).collect()
    };
    let single = longer(&Form::new()).into_iter().filter(|form| form[0].0 > 0);
    let pairs: Vec<Form> = single.flat_map(|form| longer(&form)).collect();
    let triples: Vec<Form> = pairs.iter().flat_map(longer).collect();
    let primitive =
        |form: &Form| (2..=LARGEST).all(|divisor| form.iter().any(|(factor, _)| factor % divisor != 0));
    pairs.into_iter().chain(triples).filter(primitive).collect()
}

impl Writer<'_> {
    /// The questions that a relation answers.
    pub(super) fn relational(&mut self) -> Formula {
        use Path::{All, Some};
        use Unary::{Finally, Globally};
        let (unary, binary) = (Formula::unary, Formula::binary);
        let everywhere = Formula::Atom(Cond::Const(true));
        let (p, q) = (self.linear(&everywhere), self.proposition());
        match self.rng.below(30) {
            0..=4 => unary(All, Globally, p),
            5 => unary(Some, Finally, Formula::not(p)),
            6..=10 if !self.labels.is_empty() => {
                let here = Formula::At(self.rng.pick(&self.labels).clone());
                let p = self.linear(&here);
                match self.rng.below(4) {
                    0 => unary(Some, Finally, Formula::and(here, p)),
                    1 => unary(All, Globally, Formula::implies(here, unary(All, Finally, p))),
                    _ => unary(All, Globally, Formula::implies(here, p)),
                }
            }
            11..=13 => {
                let end = Formula::Terminated;
                let p = self.linear(&end);
                match self.rng.below(4) {
                    0 => unary(Some, Finally, Formula::and(end, p)),
                    1 => unary(All, Finally, Formula::and(end, p)),
                    _ => unary(All, Globally, Formula::implies(end, p)),
                }
            }
            14..=16 => unary(All, Globally, Formula::implies(q, p)),
            17..=18 => unary(All, Globally, unary(Some, Finally, p)),
            19..=20 => unary(All, Globally, Formula::implies(p, unary(All, Finally, q))),
            21 => binary(All, Binary::Until, p, q),
            22 => binary(Some, *self.rng.pick(&BINARY), p, q),
            23 => unary(Some, Globally, p),
            24 => unary(
                All,
                Globally,
                Formula::implies(q, binary(All, Binary::WeakUntil, p, Formula::Terminated)),
            ),
            25 => unary(All, Finally, unary(All, Globally, p)),
            26 => unary(All, Globally, Formula::not(Formula::Failed(None))),
            27 => unary(Some, Finally, Formula::Failed(None)),
            _ => unary(All, Finally, Formula::and(q, p)),
        }
    }

    /// A linear comparison whose bound is an extreme of the form where `place` holds, or nearly.
    pub(super) fn linear(&mut self, place: &Formula) -> Formula {
        let Some(form) = self.form() else { return Formula::Terminated };
        let holds = self.plain.atoms(place);
        let relations = self.relations.as_ref().expect("asked only where relations are");
        let value = |state: usize| relations.value(&form, state);
        let mut found: Vec<i64> = (0..holds.len()).filter(|state| holds[*state]).map(value).collect();
        if found.is_empty() {
            found = (0..holds.len()).map(value).collect();
        }
        found.sort_unstable();
        let (Some(least), Some(most)) = (found.first(), found.last()) else { return Formula::Terminated };
        let (rel, bound) = match self.rng.below(10) {
            0..=5 if least == most => (Rel::Eq, *least),
            0..=3 => (Rel::Le, *most),
            4..=6 => (Rel::Ge, *least),
            _ => (self.relation(), *self.rng.pick(&found)),
        };
        let bound = if self.rng.percent(25) { bound + self.rng.range(-1, 1) } else { bound };
        Formula::Atom(self.comparison(&form, rel, bound))
    }

    fn form(&mut self) -> Option<Form> {
        let tight = &self.relations.as_ref()?.tight;
        if !tight.is_empty() && self.rng.percent(60) {
            let near = self.rng.below(tight.len()).min(self.rng.below(tight.len()));
            return Some(tight[near.min(self.rng.below(tight.len()))].clone());
        }
        let mut free: Vec<usize> = (0..self.ints.len()).collect();
        let mut form = Form::new();
        for _ in 0..self.rng.range(2, 3).min(free.len() as i64) {
            let sign = if form.is_empty() || self.rng.percent(50) { 1 } else { -1 };
            let factor = *self.rng.pick(&[1, 1, 1, 2]);
            form.push((sign * factor, free.remove(self.rng.below(free.len()))));
        }
        (!form.is_empty()).then_some(form)
    }

    /// `x + y <= n + 1`: what is negative stands on the right.
    fn comparison(&self, form: &Form, rel: Rel, bound: i64) -> Cond {
        let side = |sign: i64| {
            let terms = form.iter().filter(move |(factor, _)| factor * sign > 0);
            let term = |(factor, int): &(i64, usize)| match factor.abs() {
                1 => self.ints[*int].clone(),
                factor => Expr::binary(Op::Mul, num(factor), self.ints[*int].clone()),
            };
            terms.map(term).reduce(|left, right| Expr::binary(Op::Add, left, right))
        };
        let left = side(1).expect("the first factor is positive");
        let right = match side(-1) {
            None => num(bound),
            Some(terms) if bound == 0 => terms,
            Some(terms) if bound < 0 => Expr::binary(Op::Sub, terms, num(-bound)),
            Some(terms) => Expr::binary(Op::Add, terms, num(bound)),
        };
        Cond::compare(rel, left, right)
    }
}
