//! Shifts, masks and bitwise operators over linear forms: exact by constants, elsewhere a variable of the right range
//! that makes the lowering approximate.

use kleene_domains::{BinaryOp, Int, Interval, LinearExpr, UnaryOp};

use super::{Derived, Linear, few};

/// A mask is a sum over its runs of ones; more runs than this are not written out.
const RUNS: usize = 8;
/// Powers up to this are written as products.
const PRODUCTS: i64 = 8;

impl Linear {
    pub(super) fn bits(&mut self, op: BinaryOp, left: &LinearExpr, right: &LinearExpr) -> LinearExpr {
        let exact = match (op, left.as_constant(), right.as_constant()) {
            (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, _, Some(mask)) => {
                self.bitwise(op, left, &mask.clone())
            }
            (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, Some(mask), _) => {
                self.bitwise(op, right, &mask.clone())
            }
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, ..) => self.shifted(op, left, right),
            (BinaryOp::Power, _, Some(exponent)) => match exponent.to_i64() {
                Some(exponent @ 0..=PRODUCTS) => {
                    let one = LinearExpr::constant(Int::ONE);
                    Some((0..exponent).fold(one, |power, _| self.product(&power, left)))
                }
                _ => None,
            },
            _ => None,
        };
        exact.unwrap_or_else(|| {
            let parts = self.range(left).bits(op, &self.range(right));
            let hull = parts.into_iter().reduce(|hull, part| hull.join(&part));
            self.approximated(hull)
        })
    }

    pub(super) fn bits_unary(&mut self, op: UnaryOp, term: &LinearExpr) -> LinearExpr {
        if let Some(value) = term.as_constant() {
            let value = kleene_domains::concrete::apply_unary(op, value);
            return LinearExpr::constant(value.unwrap_or_default());
        }
        let values = self.range(term).unary(op);
        self.approximated(values)
    }

    fn approximated(&mut self, values: Option<Interval>) -> LinearExpr {
        self.approximate = true;
        self.confined_form(values.unwrap_or(Interval::TOP))
    }

    /// By one constant, `x | c` is `x + c - (x & c)` and `x ^ c` is `x + c - 2 (x & c)`.
    fn bitwise(&mut self, op: BinaryOp, term: &LinearExpr, mask: &Int) -> Option<LinearExpr> {
        let common = self.masked(term, mask)?;
        let sum = term.plus(&LinearExpr::constant(mask.clone()));
        Some(match op {
            BinaryOp::BitAnd => common,
            BinaryOp::BitOr => sum.minus(&common),
            _ => sum.minus(&common.scaled(&Int::from(2))),
        })
    }

    fn masked(&mut self, term: &LinearExpr, mask: &Int) -> Option<LinearExpr> {
        if mask.is_negative() {
            return Some(term.minus(&self.masked(term, &mask.complement())?));
        }
        let mut sum = LinearExpr::constant(Int::ZERO);
        for (low, high) in runs(mask)? {
            let (from, to) = (self.floor(term, low), self.floor(term, high));
            let field = from.scaled(&Int::power_of_two(low)).minus(&to.scaled(&Int::power_of_two(high)));
            sum = sum.plus(&field);
        }
        Some(sum)
    }

    /// Divided by 2^by and rounded down.
    fn floor(&mut self, term: &LinearExpr, by: u32) -> LinearExpr {
        if by == 0 {
            return term.clone();
        }
        if let Some(value) = term.as_constant() {
            return LinearExpr::constant(value.shifted_right(by));
        }
        let divisor = Int::power_of_two(by);
        let key = (Derived::Floor, term.clone(), LinearExpr::constant(divisor.clone()));
        if let Some(known) = self.derived.get(&key) {
            return known.clone();
        }
        let values = self.range(term).bits(BinaryOp::ShiftRight, &Interval::constant(i64::from(by)));
        let quotient = self.fresh_form(values.into_iter().next().unwrap_or(Interval::TOP));
        let rest = term.minus(&quotient.scaled(&divisor));
        let within = self.within(&rest, &Int::ZERO, &(divisor - Int::ONE));
        self.side(within);
        self.derived.insert(key, quotient.clone());
        quotient
    }

    fn shifted(&mut self, op: BinaryOp, left: &LinearExpr, right: &LinearExpr) -> Option<LinearExpr> {
        let count =
            |value: &Int| value.to_i64().filter(|count| (0..256).contains(count)).map(|count| count as u32);
        let by = |linear: &mut Self, count: u32| match op {
            BinaryOp::ShiftLeft => left.scaled(&Int::power_of_two(count)),
            _ => linear.floor(left, count),
        };
        if let Some(value) = right.as_constant() {
            return Some(match count(value) {
                Some(count) => by(self, count),
                None => LinearExpr::constant(Int::ZERO),
            });
        }
        let counts = self.range(right);
        let values = few(&counts)?;
        let hull = self.range(left).bits(op, &counts).into_iter().next();
        let shifted = self.confined_form(hull.unwrap_or(Interval::TOP));
        for value in values {
            let Some(count) = count(&value) else { continue };
            let case = self.equal(right, &LinearExpr::constant(value));
            let same = by(self, count);
            let same = self.equal(&shifted, &same);
            self.side_if(case, same);
        }
        Some(shifted)
    }
}

/// The runs of ones in a mask that is not negative: first bit and the one behind the last.
pub(crate) fn runs(mask: &Int) -> Option<Vec<(u32, u32)>> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for index in (0..mask.bits().min(1024) as u32).filter(|index| mask.bit(*index)) {
        match runs.last_mut() {
            Some((_, end)) if *end == index => *end += 1,
            _ => runs.push((index, index + 1)),
        }
    }
    (mask.bits() <= 1024 && runs.len() <= RUNS).then_some(runs)
}
