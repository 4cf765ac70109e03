//! Truncated quotients: a fresh variable whose remainder is smaller than the divisor and has the sign of
//! the dividend. What a quotient is where the divisor is 0 is left open.

use kleene_domains::{Int, Interval, LinearExpr};

use super::{Derived, Linear, few};

impl Linear {
    /// The truncated quotient.
    pub(super) fn quotient(&mut self, left: &LinearExpr, right: &LinearExpr) -> LinearExpr {
        if let Some(divisor) = right.as_constant() {
            return self.quotient_by(left, &divisor.clone());
        }
        let key = (Derived::Quotient, left.clone(), right.clone());
        if let Some(known) = self.derived.get(&key) {
            return known.clone();
        }
        let (dividends, divisors) = (self.range(left), self.range(right));
        let values = dividends.div(&divisors).unwrap_or(Interval::TOP);
        let quotient = self.confined_form(values);
        match few(&divisors) {
            Some(divisors) => {
                for divisor in divisors.into_iter().filter(|divisor| !divisor.is_zero()) {
                    let case = self.equal(right, &LinearExpr::constant(divisor.clone()));
                    let same = self.quotient_by(left, &divisor);
                    let same = self.equal(&quotient, &same);
                    self.side_if(case, same);
                }
            }
            None => {
                let product = self.product(&quotient, right);
                self.remainder_of(left, right, &left.minus(&product));
            }
        }
        self.derived.insert(key, quotient.clone());
        quotient
    }

    fn quotient_by(&mut self, left: &LinearExpr, divisor: &Int) -> LinearExpr {
        if divisor.abs().is_one() {
            return left.scaled(divisor);
        }
        if let Some(value) = left.as_constant() {
            return LinearExpr::constant(value.div_trunc(divisor).unwrap_or_default());
        }
        if divisor.is_zero() {
            return LinearExpr::constant(Int::ZERO);
        }
        let key = (Derived::Quotient, left.clone(), LinearExpr::constant(divisor.clone()));
        if let Some(known) = self.derived.get(&key) {
            return known.clone();
        }
        let values = self.range(left).div(&Interval::constant(divisor.clone())).unwrap_or(Interval::TOP);
        let quotient = self.fresh_form(values);
        let rest = left.minus(&quotient.scaled(divisor));
        let most = divisor.abs() - Int::ONE;
        let everywhere = self.within(&rest, &most.neg(), &most);
        self.side(everywhere);
        let not_negative = self.at_most_zero(&left.scaled(&Int::MINUS_ONE));
        let same_sign = self.at_most_zero(&rest.scaled(&Int::MINUS_ONE));
        self.side_if(not_negative, same_sign);
        let same_sign = self.at_most_zero(&rest);
        self.side_if(!not_negative, same_sign);
        self.derived.insert(key, quotient.clone());
        quotient
    }

    /// Where the divisor is not zero, `rest` is of the sign of the dividend and smaller than it.
    fn remainder_of(&mut self, dividend: &LinearExpr, divisor: &LinearExpr, rest: &LinearExpr) {
        let zero = LinearExpr::constant(Int::ZERO);
        let one = LinearExpr::constant(Int::ONE);
        let not_negative = self.at_most(&zero, dividend);
        for divisor in [divisor.clone(), divisor.scaled(&Int::MINUS_ONE)] {
            let positive = self.at_most(&one, &divisor);
            let smaller = self.at_most(rest, &divisor.minus(&one));
            self.side_if(positive, smaller);
            let larger = self.at_most(&one.minus(&divisor), rest);
            self.side_if(positive, larger);
            let same = self.at_most(&zero, rest);
            let both = self.gates.and(positive, not_negative);
            self.side_if(both, same);
            let same = self.at_most(rest, &zero);
            let both = self.gates.and(positive, !not_negative);
            self.side_if(both, same);
        }
    }
}
