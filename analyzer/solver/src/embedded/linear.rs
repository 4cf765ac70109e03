//! Terms as linear forms over integer variables: what is not linear gets a fresh variable and the
//! constraints that define it.
//!
//! Quotients and remainders by constants, wrapping, minima, maxima and choices are exact. A product is
//! exact where one factor has few values and otherwise only as good as its lemmas (`product`). An atom is
//! always `form <= constant` over a form whose first factor is positive and whose factors have no common
//! divisor, so equal questions become one literal.

mod product;

mod quotient;

mod bits;

use std::collections::{BTreeMap, BTreeSet};

use kleene_domains::{BinaryOp, Bound, CompareOp, Int, IntType, Interval, LinearExpr, UnaryOp, Var};
use rustc_hash::FxHashMap;

use super::gates::{Gates, Signal};
use super::lower::Arithmetic;
use crate::problem::{Problem, Range, Sort};

pub(crate) use bits::runs;
pub use product::Product;

/// Factors and divisors with at most this many values are taken one by one.
const FEW: i64 = 16;

/// `forms[form] <= at_most`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    pub form: usize,
    pub at_most: Int,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Derived {
    Quotient,
    Floor,
    Product,
    Minimum,
    /// How often a value of the type must be wound around.
    Turns(IntType),
}

pub struct Linear {
    gates: Gates,
    known: BTreeMap<Var, Range>,
    sorts: BTreeMap<Var, IntType>,
    /// Our variable for each of the problem's.
    pub own: BTreeMap<Var, Var>,
    /// The values each of our variables can take; they may be read only through `range`.
    ranges: Vec<(Interval, Vec<usize>)>,
    /// Assertions the lowering took for granted.
    pub relied: BTreeSet<usize>,
    pub forms: Vec<LinearExpr>,
    form_of: FxHashMap<LinearExpr, usize>,
    /// With the signal of each.
    pub atoms: Vec<(Atom, Signal)>,
    atom_of: FxHashMap<Atom, Signal>,
    derived: FxHashMap<(Derived, LinearExpr, LinearExpr), LinearExpr>,
    /// What defines the fresh variables: true always.
    pub sides: Vec<Signal>,
    pub products: Vec<Product>,
    /// Whether a term may have values it must not have: then only the absence of models counts.
    pub approximate: bool,
}

impl Linear {
    pub fn new(problem: &Problem) -> Self {
        let machine = |variable: Var| match problem.sort(variable) {
            Sort::Machine(ty) => Some((variable, ty)),
            Sort::Integer => None,
        };
        Self {
            gates: Gates::new(),
            known: problem.ranges(),
            sorts: problem.variables().into_iter().filter_map(machine).collect(),
            own: BTreeMap::new(),
            ranges: Vec::new(),
            relied: BTreeSet::new(),
            forms: Vec::new(),
            form_of: FxHashMap::default(),
            atoms: Vec::new(),
            atom_of: FxHashMap::default(),
            derived: FxHashMap::default(),
            sides: Vec::new(),
            products: Vec::new(),
            approximate: false,
        }
    }

    pub fn circuit(&self) -> &Gates {
        &self.gates
    }

    pub fn variables(&self) -> usize {
        self.ranges.len()
    }

    fn fresh(&mut self, values: Interval, sources: Vec<usize>) -> Var {
        self.ranges.push((values, sources));
        Var(self.ranges.len() as u32 - 1)
    }

    /// A new variable whose range follows from what defines it.
    fn fresh_form(&mut self, values: Interval) -> LinearExpr {
        LinearExpr::variable(self.fresh(values, Vec::new()))
    }

    /// The same where nothing else keeps the variable within its range.
    fn confined_form(&mut self, values: Interval) -> LinearExpr {
        let form = self.fresh_form(values.clone());
        if let Bound::Finite(low) = values.low() {
            let above = self.at_most(&LinearExpr::constant(low.clone()), &form);
            self.side(above);
        }
        if let Bound::Finite(high) = values.high() {
            let below = self.at_most(&form, &LinearExpr::constant(high.clone()));
            self.side(below);
        }
        form
    }

    /// The values of a form. What it is used for depends on the assertions that say so.
    fn range(&mut self, form: &LinearExpr) -> Interval {
        let mut sum = Interval::constant(form.offset().clone());
        for (variable, factor) in form.terms() {
            let (values, sources) = &self.ranges[variable.0 as usize];
            sum = sum.add(&values.mul(&Interval::constant(factor.clone())));
            self.relied.extend(sources);
        }
        sum
    }

    fn side(&mut self, signal: Signal) {
        if signal != Signal::TRUE {
            self.sides.push(signal);
        }
    }

    fn side_if(&mut self, condition: Signal, signal: Signal) {
        let implied = self.gates.implies(condition, signal);
        self.side(implied);
    }

    /// `form <= 0`.
    fn at_most_zero(&mut self, form: &LinearExpr) -> Signal {
        let divisor = form.divisor();
        if divisor.is_zero() {
            return Signal::constant(!form.offset().is_positive());
        }
        // Rounded down, the constant says less than nothing: d*f + c <= 0 iff f <= floor(-c / d).
        let at_most = form.offset().neg().div_floor(&divisor).expect("a divisor is not zero");
        let plain = form.without_offset().divided(&divisor);
        if plain.terms()[0].1.is_positive() {
            return self.atom(plain, at_most);
        }
        !self.atom(plain.scaled(&Int::MINUS_ONE), at_most.neg() - Int::ONE)
    }

    fn atom(&mut self, form: LinearExpr, at_most: Int) -> Signal {
        let index = match self.form_of.get(&form) {
            Some(index) => *index,
            None => {
                self.forms.push(form.clone());
                self.form_of.insert(form, self.forms.len() - 1);
                self.forms.len() - 1
            }
        };
        let atom = Atom { form: index, at_most };
        if let Some(signal) = self.atom_of.get(&atom) {
            return *signal;
        }
        let signal = self.gates.input();
        self.atom_of.insert(atom.clone(), signal);
        self.atoms.push((atom, signal));
        signal
    }

    fn at_most(&mut self, left: &LinearExpr, right: &LinearExpr) -> Signal {
        self.at_most_zero(&left.minus(right))
    }

    fn equal(&mut self, left: &LinearExpr, right: &LinearExpr) -> Signal {
        let difference = left.minus(right);
        if !difference.divisor().divides(difference.offset()) {
            return Signal::FALSE;
        }
        let above = self.at_most_zero(&difference);
        let below = self.at_most_zero(&difference.scaled(&Int::MINUS_ONE));
        self.gates.and(above, below)
    }

    fn within(&mut self, form: &LinearExpr, low: &Int, high: &Int) -> Signal {
        let above = self.at_most(&LinearExpr::constant(low.clone()), form);
        let below = self.at_most(form, &LinearExpr::constant(high.clone()));
        self.gates.and(above, below)
    }

    fn minimum(&mut self, left: &LinearExpr, right: &LinearExpr) -> LinearExpr {
        if let Some(difference) = left.minus(right).as_constant() {
            return if difference.is_positive() { right.clone() } else { left.clone() };
        }
        let key = (Derived::Minimum, left.clone(), right.clone());
        if let Some(known) = self.derived.get(&key) {
            return known.clone();
        }
        let values = self.range(left).min(&self.range(right));
        let minimum = self.fresh_form(values);
        for side in [left, right] {
            let below = self.at_most(&minimum, side);
            self.side(below);
        }
        let left_first = self.at_most(left, right);
        let is_left = self.at_most(left, &minimum);
        self.side_if(left_first, is_left);
        let is_right = self.at_most(right, &minimum);
        self.side_if(!left_first, is_right);
        self.derived.insert(key, minimum.clone());
        minimum
    }
}

/// The values of a range that has few.
fn few(range: &Interval) -> Option<Vec<Int>> {
    let (Bound::Finite(low), Bound::Finite(high)) = (range.low(), range.high()) else { return None };
    let count = (high - low).to_i64().filter(|width| *width < FEW)?;
    Some((0..=count).map(|step| low + Int::from(step)).collect())
}

impl Arithmetic for Linear {
    type Term = LinearExpr;

    fn gates(&mut self) -> &mut Gates {
        &mut self.gates
    }

    fn constant(&mut self, value: &Int) -> LinearExpr {
        LinearExpr::constant(value.clone())
    }

    fn variable(&mut self, variable: Var) -> LinearExpr {
        if let Some(own) = self.own.get(&variable) {
            return LinearExpr::variable(*own);
        }
        let range = self.known.get(&variable).cloned();
        let Range { values, sources } = range.unwrap_or(Range { values: Interval::TOP, sources: Vec::new() });
        let own = self.fresh(values, sources);
        self.own.insert(variable, own);
        let form = LinearExpr::variable(own);
        if let Some(ty) = self.sorts.get(&variable).copied() {
            let typed = self.within(&form, &ty.min(), &ty.max());
            self.side(typed);
        }
        form
    }

    fn negate(&mut self, term: &LinearExpr) -> LinearExpr {
        term.scaled(&Int::MINUS_ONE)
    }

    fn binary(&mut self, op: BinaryOp, left: &LinearExpr, right: &LinearExpr) -> LinearExpr {
        match op {
            BinaryOp::Add => left.plus(right),
            BinaryOp::Sub => left.minus(right),
            BinaryOp::Mul => self.product(left, right),
            BinaryOp::Div => self.quotient(left, right),
            BinaryOp::Rem => {
                let quotient = self.quotient(left, right);
                left.minus(&self.product(&quotient, right))
            }
            BinaryOp::Min => self.minimum(left, right),
            BinaryOp::Max => {
                // max(a, b) = a + b - min(a, b)
                let minimum = self.minimum(left, right);
                left.plus(right).minus(&minimum)
            }
            _ => self.bits(op, left, right),
        }
    }

    fn unary(&mut self, op: UnaryOp, term: &LinearExpr) -> LinearExpr {
        self.bits_unary(op, term)
    }

    fn wrap(&mut self, ty: IntType, term: &LinearExpr) -> LinearExpr {
        if let Some(value) = term.as_constant() {
            return LinearExpr::constant(ty.wrap(value));
        }
        let values = self.range(term);
        if values.leq(&ty.range()) {
            return term.clone();
        }
        let modulus = ty.modulus();
        let shifted = values.sub(&Interval::constant(ty.min()));
        let turns = |bound: &Bound| match bound {
            Bound::Finite(value) => Bound::Finite(value.div_floor(&modulus).unwrap_or_default()),
            infinite => infinite.clone(),
        };
        let turns = Interval::new(turns(shifted.low()), turns(shifted.high())).unwrap_or(Interval::TOP);
        if let Some(turns) = turns.as_constant() {
            return term.minus(&LinearExpr::constant(turns * &modulus));
        }
        let key = (Derived::Turns(ty), term.clone(), term.clone());
        let turns = match self.derived.get(&key) {
            Some(known) => known.clone(),
            None => self.fresh_form(turns),
        };
        self.derived.insert(key, turns.clone());
        let wrapped = term.minus(&turns.scaled(&modulus));
        let typed = self.within(&wrapped, &ty.min(), &ty.max());
        self.side(typed);
        wrapped
    }

    fn choose(&mut self, condition: Signal, yes: &LinearExpr, no: &LinearExpr) -> LinearExpr {
        if condition == Signal::TRUE || yes == no {
            return yes.clone();
        }
        if condition == Signal::FALSE {
            return no.clone();
        }
        let values = self.range(yes).join(&self.range(no));
        let chosen = self.fresh_form(values);
        let is_yes = self.equal(&chosen, yes);
        self.side_if(condition, is_yes);
        let is_no = self.equal(&chosen, no);
        self.side_if(!condition, is_no);
        chosen
    }

    fn compare(&mut self, op: CompareOp, left: &LinearExpr, right: &LinearExpr) -> Signal {
        match op {
            CompareOp::Equal => self.equal(left, right),
            CompareOp::NotEqual => !self.equal(left, right),
            CompareOp::LessEqual => self.at_most(left, right),
            CompareOp::GreaterEqual => self.at_most(right, left),
            CompareOp::Less => !self.at_most(right, left),
            CompareOp::Greater => !self.at_most(left, right),
        }
    }
}
