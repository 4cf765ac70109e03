//! How values compare that are more than one number: derived orders part by part, floats by their bits.

use std::ops::{Add, Div, Mul, Sub};

use super::super::super::arith;
use super::super::hir::{AdtId, Operator};
use super::super::items::AdtKind;
use super::super::std_table::Meaning;
use super::super::types::{Length, Ty};
use super::steps::Lowerer;
use super::value::Value;
use crate::ir::{Cond, Expr};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

/// Arrays up to this length are compared element by element.
const LONGEST_ARRAY: u64 = 16;

impl Lowerer<'_, '_, '_> {
    /// 0, 1 or 2 where the first value is less, equal or greater; `None` if a part has an order of its own.
    pub fn ordered(&self, ty: &Ty, left: &Value, right: &Value, derived: &str) -> Option<Expr> {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char => Some(three_ways(left.expr()?, right.expr()?)),
            Ty::Reference(_, inner) => self.ordered(inner, left, right, derived),
            Ty::Tuple(parts) => {
                let mut at = 0;
                let mut found = Vec::new();
                for part in parts {
                    let one = self.context.value_part(left, at, part.clone())?;
                    let other = self.context.value_part(right, at, part.clone())?;
                    found.push(self.ordered(part, &one, &other, derived)?);
                    at += self.context.leaf_count(part);
                }
                Some(first_that_differs(found))
            }
            Ty::Array(element, Length::Known(length))
                if *length <= LONGEST_ARRAY && self.context.is_followed(ty) =>
            {
                let (left, right) = (left.clone().with_type(ty.clone()), right.clone().with_type(ty.clone()));
                let each = (0..*length).map(|index| {
                    let one = self.context.element_value(&left, index)?;
                    let other = self.context.element_value(&right, index)?;
                    self.ordered(element, &one, &other, derived)
                });
                Some(first_that_differs(each.collect::<Option<_>>()?))
            }
            Ty::Adt(id, arguments) => self.ordered_adts(*id, arguments, (left, right), derived),
            _ => None,
        }
    }

    fn ordered_adts(
        &self,
        id: AdtId,
        arguments: &[Ty],
        (left, right): (&Value, &Value),
        derived: &str,
    ) -> Option<Expr> {
        let adt = self.context.items.adt(id);
        let plain = adt.variants.iter().all(|variant| variant.discriminant.is_none());
        let standard = self.context.items.is_std_module(adt.module);
        if adt.opaque || !adt.derives.contains(derived) || !plain && !standard {
            return None;
        }
        let (left, right) = match self.context.items.is_standard(id, "Reverse") {
            true => (right, left),
            false => (left, right),
        };
        let tag = |value: &Value| -> Option<Expr> { value.leaves.first()?.first().cloned() };
        let mut found = Vec::new();
        if adt.kind == AdtKind::Enum {
            found.push(three_ways(&tag(left)?, &tag(right)?));
        }
        for (index, variant) in adt.variants.iter().enumerate() {
            for field in 0..variant.fields.len() {
                let (at, ty) = self.context.field_leaves(id, index as u32, field, arguments);
                let one = self.context.value_part(left, at, ty.clone())?;
                let other = self.context.value_part(right, at, ty.clone())?;
                let order = self.ordered(&ty, &one, &other, derived)?;
                found.push(match adt.kind {
                    AdtKind::Struct => order,
                    // Fields of other variants say nothing.
                    AdtKind::Enum => {
                        let number = arith::constant(index as i64);
                        let here = arith::compare(CompareOp::Equal, tag(left)?, number);
                        arith::choose(here, order, arith::constant(1))
                    }
                });
            }
        }
        Some(first_that_differs(found))
    }

    /// Methods of orders and equalities on values that are no integers.
    pub fn derived(&mut self, meaning: Meaning, own: &Ty, values: &[Value], ty: &Ty, span: Span) -> Value {
        let [left, right] = values else { return self.unknown_value(ty, "a comparison", span) };
        let (left, right) = (left.clone().with_type(own.clone()), right.clone().with_type(own.clone()));
        let derived = if meaning == Meaning::PartialCompare { "PartialOrd" } else { "Ord" };
        if let Meaning::Relation(op) = meaning {
            return Value::truth(self.compare_values(op, &left, &right, span));
        }
        let Some(order) = self.ordered(own, &left, &right, derived) else {
            return self.unknown_value(ty, "a comparison of values of this type", span);
        };
        match meaning {
            Meaning::Compare => Value { ty: ty.clone(), leaves: vec![vec![order]] },
            Meaning::PartialCompare => {
                Value { ty: ty.clone(), leaves: vec![vec![arith::constant(1)], vec![order]] }
            }
            // Of equal ones the second is the greater.
            _ => {
                let op = if meaning == Meaning::Max { CompareOp::Greater } else { CompareOp::LessEqual };
                let first = arith::compare(op, order, arith::constant(1));
                let choose = |(one, other): (&Vec<Expr>, &Vec<Expr>)| {
                    let pairs = one.iter().zip(other);
                    pairs
                        .map(|(one, other)| arith::choose(first.clone(), one.clone(), other.clone()))
                        .collect()
                };
                let leaves = left.leaves.iter().zip(&right.leaves).map(choose).collect();
                let value = Value { ty: ty.clone(), leaves };
                self.keep(value, span)
            }
        }
    }

    /// What `into` makes of a value, where it is known.
    pub fn made_from(&mut self, value: Value, ty: &Ty, span: Span) -> Value {
        let (from, to) = (value.ty.clone(), ty.clone());
        let scalar = |ty: &Ty| matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char);
        if from == to {
            return value;
        }
        if scalar(&from) && matches!(to, Ty::Integer(_) | Ty::Char) {
            return self.converted(value, ty, span);
        }
        if let Some(instance) = self.context.conversion(&from, &to) {
            self.program.note_hidden(instance.0);
            let signature = self.program.signature(&instance);
            let value = self.fitted(&value, &signature.parameters[0], span);
            return self.call_step(instance, &signature, vec![value], vec![None], span);
        }
        let items = self.context.items;
        match (&from, &to) {
            (Ty::Reference(_, inner), Ty::Adt(id, _))
                if **inner == Ty::Str && items.is_standard(*id, "String") =>
            {
                self.fitted(&value, ty, span)
            }
            (_, Ty::Adt(id, arguments))
                if items.is_standard(*id, "Option") && arguments[..] == [from.clone()] =>
            {
                match self.context.variant_value(*id, 1, arguments, &[value]) {
                    Some(value) => value,
                    None => self.unknown_value(ty, "a conversion", span),
                }
            }
            (Ty::Integer(_) | Ty::Float(32), Ty::Float(_)) => self.unseen(ty, span),
            _ => self.unknown_value(ty, "a conversion", span),
        }
    }

    /// How two values compare by their derived order.
    pub fn compare_derived(&self, op: CompareOp, left: &Value, right: &Value) -> Option<Cond> {
        let ty = left.ty.behind();
        if ty != right.ty.behind() {
            return None;
        }
        if let Ty::Float(bits) = ty {
            return Some(compare_floats(op, *bits, left.expr()?, right.expr()?));
        }
        let order = self.ordered(ty, left, right, "PartialOrd")?;
        Some(arith::compare(op, order, arith::constant(1)))
    }
}

fn three_ways(left: &Expr, right: &Expr) -> Expr {
    let less = arith::compare(CompareOp::Less, left.clone(), right.clone());
    let equal = arith::compare(CompareOp::Equal, left.clone(), right.clone());
    arith::choose(less, arith::constant(0), arith::choose(equal, arith::constant(1), arith::constant(2)))
}

fn first_that_differs(orders: Vec<Expr>) -> Expr {
    orders.into_iter().rev().fold(arith::constant(1), |rest, order| {
        let equal = arith::compare(CompareOp::Equal, order.clone(), arith::constant(1));
        arith::choose(equal, rest, order)
    })
}

/// The bit of the sign as a number.
fn sign(bits: u32) -> Expr {
    Expr::Constant(Int::from(2).pow(bits - 1))
}

/// What lies beyond is no number.
fn infinity(bits: u32) -> Expr {
    let (exponent, fraction) = if bits == 32 { (8, 23) } else { (11, 52) };
    Expr::Constant((Int::from(2).pow(exponent) - Int::ONE) * Int::from(2).pow(fraction))
}

pub fn compare_floats(op: CompareOp, bits: u32, left: &Expr, right: &Expr) -> Cond {
    let minus = |left: &Expr, right: Expr| arith::binary(BinaryOp::Sub, left.clone(), right);
    let negative = |value: &Expr| arith::compare(CompareOp::GreaterEqual, value.clone(), sign(bits));
    let magnitude = |value: &Expr| arith::choose(negative(value), minus(value, sign(bits)), value.clone());
    let number = |value: &Expr| arith::compare(CompareOp::LessEqual, magnitude(value), infinity(bits));
    // Zeros are equal whatever their signs.
    let place = |value: &Expr| {
        arith::choose(negative(value), arith::binary(BinaryOp::Sub, sign(bits), value.clone()), value.clone())
    };
    let numbers = number(left).and(number(right));
    match op {
        CompareOp::NotEqual => {
            arith::not(numbers.and(arith::compare(CompareOp::Equal, place(left), place(right))))
        }
        op => numbers.and(arith::compare(op, place(left), place(right))),
    }
}

/// A float with the other sign.
pub fn negated(bits: u32, value: &Expr) -> Expr {
    let negative = arith::compare(CompareOp::GreaterEqual, value.clone(), sign(bits));
    let op = |op| arith::binary(op, value.clone(), sign(bits));
    arith::choose(negative, op(BinaryOp::Sub), op(BinaryOp::Add))
}

/// The bits of what an operator makes of two floats that are known; what is no number has no bits that are certain.
pub fn computed(operator: Operator, bits: u32, left: &Expr, right: &Expr) -> Option<Int> {
    let known = |expr: &Expr| arith::as_constant(expr)?.to_string().parse::<u64>().ok();
    let (left, right) = (known(left)?, known(right)?);
    if bits == 32 {
        let value = applied(operator, f32::from_bits(left as u32), f32::from_bits(right as u32))?;
        return (!value.is_nan()).then(|| Int::from(value.to_bits()));
    }
    let value = applied(operator, f64::from_bits(left), f64::from_bits(right))?;
    (!value.is_nan()).then(|| Int::from(value.to_bits()))
}

fn applied<F>(operator: Operator, left: F, right: F) -> Option<F>
where
    F: Add<Output = F> + Sub<Output = F> + Mul<Output = F> + Div<Output = F>,
{
    Some(match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mul => left * right,
        Operator::Div => left / right,
        _ => return None,
    })
}
