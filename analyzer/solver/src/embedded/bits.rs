//! Terms as two's complement bit vectors that are always wide enough: arithmetic is exact, and only
//! `wrap` cuts. What a wrap cuts off is never written down, since the circuit is read from its roots.
//!
//! Needs a finite range for every variable.

mod operators;

use std::collections::BTreeMap;

use kleene_domains::{BinaryOp, Bound, CompareOp, Int, IntType, UnaryOp, Var};

use super::gates::{Gates, Signal};
use super::lower::Arithmetic;
use crate::problem::Problem;

/// Lowest bit first; the last is the sign. Never empty.
pub type Word = Vec<Signal>;

pub struct Bits {
    gates: Gates,
    /// At most so many gates; beyond, products and quotients are left out.
    limit: usize,
    pub exceeded: bool,
    pub variables: BTreeMap<Var, Word>,
    /// True always: the values of every variable are of its range.
    pub sides: Vec<Signal>,
}

impl Bits {
    /// Every variable with the width of its range; one without finite range has `guess` bits.
    pub fn new(problem: &Problem, guess: usize, limit: usize) -> Self {
        let mut bits = Self {
            gates: Gates::new(),
            limit,
            exceeded: false,
            variables: BTreeMap::new(),
            sides: Vec::new(),
        };
        for (variable, range) in problem.ranges() {
            let (Bound::Finite(low), Bound::Finite(high)) = (range.values.low(), range.values.high()) else {
                let word = (0..guess).map(|_| bits.gates.input()).collect();
                bits.variables.insert(variable, word);
                continue;
            };
            let width = low.bits().max(high.bits()) as usize + 1;
            let mut word: Word = (1..width).map(|_| bits.gates.input()).collect();
            word.push(match (low.is_negative(), high.is_negative()) {
                (false, _) => Signal::FALSE,
                (true, true) => Signal::TRUE,
                (true, false) => bits.gates.input(),
            });
            for (op, bound) in [(CompareOp::GreaterEqual, low), (CompareOp::LessEqual, high)] {
                let bound = bits.constant(bound);
                let within = bits.compare(op, &word, &bound);
                bits.sides.push(within);
            }
            bits.variables.insert(variable, word);
        }
        bits
    }

    pub fn circuit(&self) -> &Gates {
        &self.gates
    }

    fn full(&mut self) -> bool {
        self.exceeded |= self.gates.len() > self.limit;
        self.exceeded
    }

    /// The sum with a carry, cut to a width.
    fn sum(&mut self, left: &Word, right: &Word, mut carry: Signal, width: usize) -> Word {
        let mut sum = Vec::with_capacity(width);
        for index in 0..width {
            let (low, high) = self.gates.sum(bit(left, index), bit(right, index), carry);
            sum.push(low);
            carry = high;
        }
        sum
    }

    fn add(&mut self, left: &Word, right: &Word) -> Word {
        let width = left.len().max(right.len()) + 1;
        trimmed(self.sum(left, right, Signal::FALSE, width))
    }

    fn subtract(&mut self, left: &Word, right: &Word) -> Word {
        let width = left.len().max(right.len()) + 1;
        let inverted: Word = right.iter().map(|bit| !*bit).collect();
        trimmed(self.sum(left, &inverted, Signal::TRUE, width))
    }

    fn masked(&mut self, word: &Word, mask: Signal) -> Word {
        word.iter().map(|bit| self.gates.and(*bit, mask)).collect()
    }

    fn select(&mut self, condition: Signal, yes: &Word, no: &Word) -> Word {
        let width = yes.len().max(no.len());
        let bits = (0..width).map(|index| self.gates.choose(condition, bit(yes, index), bit(no, index)));
        trimmed(bits.collect())
    }

    fn multiply(&mut self, left: &Word, right: &Word) -> Word {
        // The shorter one is walked through.
        let (left, right) = if left.len() >= right.len() { (left, right) } else { (right, left) };
        let width = left.len() + right.len();
        let mut product: Word = vec![Signal::FALSE; width];
        for (index, mask) in right.iter().enumerate() {
            if self.full() {
                return vec![Signal::FALSE];
            }
            if *mask == Signal::FALSE {
                continue;
            }
            let mut row = vec![Signal::FALSE; index];
            row.extend(self.masked(left, *mask));
            // The last bit is the sign: it counts negatively.
            if index + 1 == right.len() {
                let inverted: Word = row.iter().map(|bit| !*bit).collect();
                product = self.sum(&product, &inverted, Signal::TRUE, width);
            } else {
                product = self.sum(&product, &row, Signal::FALSE, width);
            }
        }
        trimmed(product)
    }

    fn magnitude(&mut self, word: &Word) -> Word {
        let negated = self.subtract(&vec![Signal::FALSE], word);
        self.select(sign(word), &negated, word)
    }

    /// Quotient and remainder, truncated; anything where the divisor is 0.
    fn divide(&mut self, left: &Word, right: &Word) -> (Word, Word) {
        let (dividend, divisor) = (self.magnitude(left), self.magnitude(right));
        let mut quotient = vec![Signal::FALSE; dividend.len()];
        let mut rest: Word = vec![Signal::FALSE];
        for index in (0..dividend.len()).rev() {
            if self.full() {
                return (vec![Signal::FALSE], vec![Signal::FALSE]);
            }
            rest.insert(0, dividend[index]);
            let less = self.subtract(&rest, &divisor);
            quotient[index] = !sign(&less);
            rest = self.select(sign(&less), &rest, &less);
        }
        quotient.push(Signal::FALSE);
        let opposite = self.gates.differ(sign(left), sign(right));
        let zero = vec![Signal::FALSE];
        let negated = self.subtract(&zero, &quotient);
        let quotient = self.select(opposite, &negated, &quotient);
        let negated = self.subtract(&zero, &rest);
        (quotient, self.select(sign(left), &negated, &rest))
    }

    fn less(&mut self, left: &Word, right: &Word) -> Signal {
        let difference = self.subtract(left, right);
        sign(&difference)
    }

    fn equal(&mut self, left: &Word, right: &Word) -> Signal {
        let mut same = Signal::TRUE;
        for index in 0..left.len().max(right.len()) {
            let differ = self.gates.differ(bit(left, index), bit(right, index));
            same = self.gates.and(same, !differ);
        }
        same
    }
}

fn sign(word: &Word) -> Signal {
    *word.last().expect("a word has a sign")
}

/// A bit of the word extended by its sign.
fn bit(word: &Word, index: usize) -> Signal {
    word.get(index).copied().unwrap_or_else(|| sign(word))
}

/// Without the high bits that repeat the sign.
fn trimmed(mut word: Word) -> Word {
    while word.len() > 1 && word[word.len() - 1] == word[word.len() - 2] {
        word.pop();
    }
    word
}

impl Arithmetic for Bits {
    type Term = Word;

    fn gates(&mut self) -> &mut Gates {
        &mut self.gates
    }

    fn constant(&mut self, value: &Int) -> Word {
        let mut word = Vec::new();
        let mut rest = value.clone();
        let two = Int::from(2);
        for _ in 0..=value.bits() {
            word.push(Signal::constant(!rest.is_even()));
            rest = rest.div_floor(&two).unwrap_or_default();
        }
        trimmed(word)
    }

    fn variable(&mut self, variable: Var) -> Word {
        self.variables[&variable].clone()
    }

    fn negate(&mut self, term: &Word) -> Word {
        self.subtract(&vec![Signal::FALSE], term)
    }

    fn binary(&mut self, op: BinaryOp, left: &Word, right: &Word) -> Word {
        match op {
            BinaryOp::Add => self.add(left, right),
            BinaryOp::Sub => self.subtract(left, right),
            BinaryOp::Mul => self.multiply(left, right),
            BinaryOp::Div => self.divide(left, right).0,
            BinaryOp::Rem => self.divide(left, right).1,
            BinaryOp::Min => {
                let less = self.less(left, right);
                self.select(less, left, right)
            }
            BinaryOp::Max => {
                let less = self.less(left, right);
                self.select(less, right, left)
            }
            _ => self.operate(op, left, right),
        }
    }

    fn unary(&mut self, op: UnaryOp, term: &Word) -> Word {
        self.operate_unary(op, term)
    }

    fn wrap(&mut self, ty: IntType, term: &Word) -> Word {
        let mut word: Word = (0..ty.bits as usize).map(|index| bit(term, index)).collect();
        if !ty.signed {
            word.push(Signal::FALSE);
        }
        trimmed(word)
    }

    fn choose(&mut self, condition: Signal, yes: &Word, no: &Word) -> Word {
        self.select(condition, yes, no)
    }

    fn compare(&mut self, op: CompareOp, left: &Word, right: &Word) -> Signal {
        match op {
            CompareOp::Equal => self.equal(left, right),
            CompareOp::NotEqual => !self.equal(left, right),
            CompareOp::Less => self.less(left, right),
            CompareOp::Greater => self.less(right, left),
            CompareOp::LessEqual => !self.less(right, left),
            CompareOp::GreaterEqual => !self.less(left, right),
        }
    }
}
