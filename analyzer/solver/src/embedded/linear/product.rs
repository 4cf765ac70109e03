//! Products of two forms: exact where one has few values, else a fresh variable with lemmas.
//!
//! The lemma at a point (a, b) is that (x - a)(y - b) has the sign its factors say (incremental
//! linearisation, Cimatti et al. 2018): it fixes the product on both lines through the point and bounds it
//! in the four quarters between them.

use kleene_domains::{Int, LinearExpr};

use super::{Derived, Linear, few};
use crate::embedded::gates::Signal;

/// Products of two variables that a product of sums may be made of.
const MOST_PRODUCTS: usize = 6;

#[derive(Clone, Debug)]
pub struct Product {
    left: LinearExpr,
    right: LinearExpr,
    value: LinearExpr,
}

impl Linear {
    pub(super) fn product(&mut self, left: &LinearExpr, right: &LinearExpr) -> LinearExpr {
        if let Some(factor) = left.as_constant() {
            return right.scaled(factor);
        }
        if let Some(factor) = right.as_constant() {
            return left.scaled(factor);
        }
        let key = (Derived::Product, left.clone(), right.clone());
        let mirrored = (Derived::Product, right.clone(), left.clone());
        if let Some(known) = self.derived.get(&key).or_else(|| self.derived.get(&mirrored)) {
            return known.clone();
        }
        let (left_values, right_values) = (self.range(left), self.range(right));
        let value = self.confined_form(left_values.mul(&right_values));
        match (few(&left_values), few(&right_values)) {
            (Some(values), _) => self.by_cases(left, &values, right, &value),
            (_, Some(values)) => self.by_cases(right, &values, left, &value),
            _ => {
                let product = Product { left: left.clone(), right: right.clone(), value: value.clone() };
                self.tangent(&product, &Int::ZERO, &Int::ZERO);
                self.products.push(product);
                self.multiplied_out(left, right, &value);
            }
        }
        self.derived.insert(key, value.clone());
        value
    }

    /// A product of sums is the sum of the products: what linear arithmetic needs to compare polynomials.
    fn multiplied_out(&mut self, left: &LinearExpr, right: &LinearExpr, value: &LinearExpr) {
        let single = |form: &LinearExpr| {
            matches!(form.terms(), [(_, factor)] if factor.is_one()) && form.offset().is_zero()
        };
        let terms = left.terms().len() * right.terms().len();
        if single(left) && single(right) || terms > MOST_PRODUCTS {
            return;
        }
        let plain = LinearExpr::constant(left.offset() * right.offset());
        let plain = plain.plus(&left.without_offset().scaled(right.offset()));
        let mut sum = plain.plus(&right.without_offset().scaled(left.offset()));
        for (x, by) in left.terms().to_vec() {
            for (y, factor) in right.terms() {
                let product = self.product(&LinearExpr::variable(x), &LinearExpr::variable(*y));
                sum = sum.plus(&product.scaled(&(&by * factor)));
            }
        }
        let same = self.equal(value, &sum);
        self.side(same);
    }

    fn by_cases(&mut self, factor: &LinearExpr, values: &[Int], other: &LinearExpr, product: &LinearExpr) {
        for value in values {
            let case = self.equal(factor, &LinearExpr::constant(value.clone()));
            let multiple = self.equal(product, &other.scaled(value));
            self.side_if(case, multiple);
        }
    }

    /// Adds lemmas that exclude what the point says wrongly of products. Whether there were any.
    pub fn refine(&mut self, point: &[Int]) -> bool {
        let wrong =
            |product: &&Product| product.value.at(point) != product.left.at(point) * product.right.at(point);
        let products: Vec<Product> = self.products.iter().filter(wrong).cloned().collect();
        for product in &products {
            let (a, b) = (product.left.at(point), product.right.at(point));
            self.tangent(product, &a, &b);
            // Around a corner of the region below a curved surface single points say little.
            let step = Int::from(1i64 << (a.bits().min(b.bits()).min(40) / 2 + 1));
            let too_large = product.value.at(point) > &a * &b;
            let far = if too_large { [&b + &step, &b - &step] } else { [&b - &step, &b + &step] };
            self.tangent(product, &(&a - &step), &far[0]);
            self.tangent(product, &(&a + &step), &far[1]);
        }
        !products.is_empty()
    }

    fn tangent(&mut self, product: &Product, a: &Int, b: &Int) {
        let (x, y) = (&product.left, &product.right);
        let plane = x.scaled(b).plus(&y.scaled(a)).minus(&LinearExpr::constant(a * b));
        let above = self.at_most(&plane, &product.value);
        let below = self.at_most(&product.value, &plane);
        let (a, b) = (LinearExpr::constant(a.clone()), LinearExpr::constant(b.clone()));
        let (x_low, x_high) = (self.at_most(x, &a), self.at_most(&a, x));
        let (y_low, y_high) = (self.at_most(y, &b), self.at_most(&b, y));
        let quarters: [(Signal, Signal, Signal); 4] =
            [(x_high, y_high, above), (x_low, y_low, above), (x_high, y_low, below), (x_low, y_high, below)];
        for (x_side, y_side, lemma) in quarters {
            let quarter = self.gates.and(x_side, y_side);
            self.side_if(quarter, lemma);
        }
    }
}
