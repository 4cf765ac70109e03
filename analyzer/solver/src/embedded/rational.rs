//! Exact fractions of [`Int`]s.

use kleene_domains::Int;

/// Invariant: in lowest terms, the denominator positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational {
    numerator: Int,
    denominator: Int,
}

impl Rational {
    pub const ZERO: Rational = Rational { numerator: Int::ZERO, denominator: Int::ONE };

    pub fn integer(value: Int) -> Self {
        Self { numerator: value, denominator: Int::ONE }
    }

    /// The divisor is not zero.
    fn fraction(numerator: Int, denominator: Int) -> Self {
        if denominator.is_one() {
            return Self::integer(numerator);
        }
        let mut divisor = numerator.gcd(&denominator);
        if denominator.is_negative() {
            divisor = -divisor;
        }
        if divisor.is_one() {
            return Self { numerator, denominator };
        }
        let part = |number: Int| number.div_trunc(&divisor).expect("a divisor of a number that is not zero");
        Self { numerator: part(numerator), denominator: part(denominator) }
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub fn is_positive(&self) -> bool {
        self.numerator.is_positive()
    }

    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    pub fn floor(&self) -> Int {
        self.numerator.div_floor(&self.denominator).expect("a denominator is positive")
    }

    pub fn plus(&self, other: &Self) -> Self {
        if self.is_integer() && other.is_integer() {
            return Self::integer(&self.numerator + &other.numerator);
        }
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Self::fraction(numerator, &self.denominator * &other.denominator)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub fn times(&self, other: &Self) -> Self {
        let numerator = &self.numerator * &other.numerator;
        Self::fraction(numerator, &self.denominator * &other.denominator)
    }

    pub fn negated(&self) -> Self {
        Self { numerator: self.numerator.neg(), denominator: self.denominator.clone() }
    }

    /// One over a number that is not zero.
    pub fn inverted(&self) -> Self {
        if self.numerator.is_negative() {
            Self { numerator: self.denominator.neg(), denominator: self.numerator.neg() }
        } else {
            Self { numerator: self.denominator.clone(), denominator: self.numerator.clone() }
        }
    }

    /// Compared with an integer.
    pub fn against(&self, value: &Int) -> std::cmp::Ordering {
        if self.is_integer() {
            return self.numerator.cmp(value);
        }
        self.numerator.cmp(&(value * &self.denominator))
    }
}
