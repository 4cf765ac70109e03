//! Operators on numbers, and casts.

use super::super::super::Arithmetic;
use super::super::hir::{Body, ExprId, ExprKind, Operator};
use super::super::infer::Typing;
use super::super::items::AdtKind;
use super::super::std_table::Arith;
use super::super::types::{Integer, Ty};
use super::marks::BEGUN;
use super::number::{bits, computed, least, wrapped};
use super::value::{Place, Value};
use super::{Code, Flow, Flowing, Follower, Frame};

impl<'f> Follower<'f, '_> {
    /// An operator on primitive values.
    pub(super) fn operated(
        &mut self,
        operator: Operator,
        (one, one_ty): (&Value, &Ty),
        (other, other_ty): (&Value, &Ty),
    ) -> Flowing<Value> {
        if let (Operator::Sub, Value::Address(one), Value::Address(other)) = (operator, one, other) {
            let distance = super::native::distance(one, other)?;
            return if distance < 0 { Err(Flow::Stop("an address")) } else { Ok(Value::Number(distance)) };
        }
        if let (Some((least, most)), Some((low, high))) = (one.range(), other.range()) {
            match operator {
                _ if low == high && least == most => {}
                Operator::Sub if high <= least => return Ok(Value::between(least - high, most - low)),
                Operator::Div if low > 0 => return Ok(Value::between(least / high, most / low)),
                _ => {}
            }
        }
        let (left, right) = match (self.number(one), self.number(other)) {
            (Ok(left), Ok(right)) => (left, right),
            (Err(stop), _) | (_, Err(stop)) => return self.unless_fails(operator, one_ty.behind(), stop),
        };
        match (one_ty.behind(), other_ty.behind()) {
            (Ty::Integer(integer), Ty::Integer(by)) => {
                self.integers(operator, *integer, left, right, *by).map(Value::Number)
            }
            (Ty::Bool, Ty::Bool) => Ok(Value::Number(match operator {
                Operator::And => left & right,
                Operator::Or => left | right,
                Operator::Xor => left ^ right,
                _ => return Err(Flow::Stop("an operator on values of unknown type")),
            })),
            (Ty::Float(32), Ty::Float(32)) => {
                let (one, other) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
                let value = match operator {
                    Operator::Add => one + other,
                    Operator::Sub => one - other,
                    Operator::Mul => one * other,
                    Operator::Div => one / other,
                    Operator::Rem => one % other,
                    _ => return Err(Flow::Stop("an operator on values of unknown type")),
                };
                self.float(value.is_nan(), value.to_bits().into())
            }
            (Ty::Float(64), Ty::Float(64)) => {
                let (one, other) = (f64::from_bits(left as u64), f64::from_bits(right as u64));
                let value = match operator {
                    Operator::Add => one + other,
                    Operator::Sub => one - other,
                    Operator::Mul => one * other,
                    Operator::Div => one / other,
                    Operator::Rem => one % other,
                    _ => return Err(Flow::Stop("an operator on values of unknown type")),
                };
                self.float(value.is_nan(), value.to_bits().into())
            }
            _ => Err(Flow::Stop("an operator on values of unknown type")),
        }
    }

    /// The bits of what is no number are not said.
    pub(super) fn float(&self, is_nan: bool, bits: i128) -> Flowing<Value> {
        Ok(if is_nan { Value::Unseen } else { Value::Number(bits) })
    }

    /// What an operator makes of a value that nobody knows is not known either, if it cannot fail.
    fn unless_fails(&self, operator: Operator, ty: &Ty, stop: Flow) -> Flowing<Value> {
        let safe = match (operator, ty) {
            (Operator::And | Operator::Or | Operator::Xor, Ty::Integer(_) | Ty::Bool) => true,
            (Operator::Add | Operator::Sub | Operator::Mul, Ty::Integer(_)) => {
                self.context.arithmetic == Arithmetic::Release
            }
            (_, Ty::Float(_)) => true,
            _ => false,
        };
        match stop {
            Flow::Stop("a value that nobody knows") if safe => Ok(Value::Unseen),
            stop => Err(stop),
        }
    }

    pub(super) fn integers(
        &self,
        operator: Operator,
        integer: Integer,
        left: i128,
        right: i128,
        by: Integer,
    ) -> Flowing<i128> {
        let ty = integer.ty;
        let op = match operator {
            Operator::And => return Ok(left & right),
            Operator::Or => return Ok(left | right),
            Operator::Xor => return Ok(wrapped(ty, left ^ right)),
            Operator::Add => Arith::Add,
            Operator::Sub => Arith::Sub,
            Operator::Mul => Arith::Mul,
            Operator::Div => Arith::Div,
            Operator::Rem => Arith::Rem,
            Operator::ShiftLeft => Arith::Shl,
            Operator::ShiftRight => Arith::Shr,
            Operator::Compare(_) => return Err(Flow::Stop("an operator")),
        };
        // A count beyond `i128` is too large in any case.
        let huge = matches!(op, Arith::Shl | Arith::Shr) && !by.ty.signed && by.ty.bits == 128 && right < 0;
        let Some(outcome) = computed(op, ty, left, if huge { i128::MAX } else { right }) else {
            return Err(Flow::Panic);
        };
        let always = matches!(op, Arith::Div | Arith::Rem);
        if outcome.overflows && (always || self.context.arithmetic == Arithmetic::Debug) {
            return Err(Flow::Panic);
        }
        if huge {
            return computed(op, ty, left, right & i128::from(ty.bits - 1))
                .map(|outcome| outcome.value)
                .ok_or(Flow::Panic);
        }
        Ok(outcome.value)
    }

    /// The operands of `x += y`. Of numbers the right one comes first; where it is a call the left one does.
    pub(super) fn updated(
        &mut self,
        frame: &mut Frame<'f>,
        left: ExprId,
        right: ExprId,
    ) -> Flowing<(Place, Value)> {
        let body = frame.body;
        if matches!(frame.typing.exprs[right.index()], Ty::Reference(..)) {
            let place = self.place(frame, left)?;
            return Ok((place, self.value(frame, right)?));
        }
        let generic = match frame.code {
            Code::Function(id) => {
                let items = self.context.items;
                !items.generics_of(items.function(id)).is_empty()
            }
            Code::Constant(_) => false,
        };
        // Nobody has kept which of the two it is where types are parameters.
        let typing = &frame.typing;
        if generic && !(is_plain_place(body, typing, left) && is_plain(body, right)) && has_index(body, left)
        {
            return Err(Flow::Stop("the order of operands in a generic function"));
        }
        let other = self.value(frame, right)?;
        Ok((self.place(frame, left)?, other))
    }

    pub(super) fn negation(&mut self, frame: &mut Frame<'f>, id: ExprId, inner: ExprId) -> Flowing<Value> {
        let ty = frame.typing.exprs[id.index()].clone();
        if let ExprKind::Integer(value, _) = &frame.body.expr(inner).kind
            && let Ty::Integer(integer) = &ty
        {
            // `-128i8` is one number.
            let negative = value.neg();
            if integer.ty.contains(&negative) {
                self.mark(frame, inner, super::marks::DONE | BEGUN);
                self.mark(frame, id, BEGUN);
                return negative.to_i128().map(Value::Number).ok_or(Flow::Stop("a number"));
            }
        }
        let value = self.value(frame, inner)?;
        self.mark(frame, id, BEGUN);
        match frame.typing.exprs[inner.index()].behind() {
            Ty::Integer(integer) => {
                let number = self.number(&value)?;
                if number == least(integer.ty)
                    && integer.ty.signed
                    && self.context.arithmetic == Arithmetic::Debug
                {
                    return Err(Flow::Panic);
                }
                Ok(Value::Number(wrapped(integer.ty, number.wrapping_neg())))
            }
            Ty::Float(32) => {
                let number = self.number(&value)?;
                Ok(Value::Number(i128::from(number as u32 ^ (1 << 31))))
            }
            Ty::Float(64) => {
                let number = self.number(&value)?;
                Ok(Value::Number(i128::from(number as u64 ^ (1 << 63))))
            }
            _ => Err(Flow::Stop("a negation of a value of unknown type")),
        }
    }

    pub(super) fn complement(&mut self, frame: &mut Frame<'f>, id: ExprId, inner: ExprId) -> Flowing<Value> {
        if frame.typing.exprs[inner.index()] == Ty::Bool {
            self.mark(frame, id, BEGUN);
            return Ok(Value::truth(self.holds(frame, id)?));
        }
        let value = self.value(frame, inner)?;
        self.mark(frame, id, BEGUN);
        let number = self.number(&value)?;
        match frame.typing.exprs[inner.index()].behind() {
            Ty::Integer(integer) => Ok(Value::Number(wrapped(integer.ty, !number))),
            Ty::Bool => Ok(Value::truth(number == 0)),
            _ => Err(Flow::Stop("a complement of a value of unknown type")),
        }
    }

    pub(super) fn cast(&mut self, value: Value, from: &Ty, to: &Ty) -> Flowing<Value> {
        let unseen = matches!(value, Value::Unseen);
        match (from, to) {
            (from, to) if from == to => Ok(value),
            (_, to) if self.context.is_pointer(to) => self.pointed(value, from, to),
            (from, Ty::Integer(_)) if self.context.is_pointer(from) => {
                let byte = self.pointee(from).and_then(|ty| self.layout(&self.form(ty))) == Some((1, 1));
                match value {
                    Value::Place(place) if byte => Ok(Value::Address(place)),
                    _ => Ok(Value::Unseen),
                }
            }
            (Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_), _) if unseen && is_number(to) => {
                Ok(Value::Unseen)
            }
            // A hash that nobody knows, as it is.
            (Ty::Integer(from), Ty::Integer(into))
                if from.ty.bits == into.ty.bits && matches!(value, Value::Parts(_)) =>
            {
                Ok(value)
            }
            (Ty::Integer(_) | Ty::Bool | Ty::Char, Ty::Integer(into)) => {
                let number = self.number(&value)?;
                Ok(Value::Number(wrapped(into.ty, number)))
            }
            (Ty::Integer(_), Ty::Char) => Ok(value),
            (Ty::Adt(id, _), Ty::Integer(into)) => {
                let tag = value.parts()?.tag;
                let number = self.discriminant(*id, tag)?;
                Ok(Value::Number(wrapped(into.ty, number)))
            }
            (Ty::Integer(integer), Ty::Float(bits)) => {
                let number = self.number(&value)?;
                let huge = !integer.ty.signed && integer.ty.bits == 128;
                let bits = match (bits, huge) {
                    (32, false) => i128::from((number as f32).to_bits()),
                    (32, true) => i128::from((number as u128 as f32).to_bits()),
                    (_, false) => i128::from((number as f64).to_bits()),
                    (_, true) => i128::from((number as u128 as f64).to_bits()),
                };
                Ok(Value::Number(bits))
            }
            (Ty::Float(32), Ty::Float(64)) => {
                let float = f32::from_bits(self.number(&value)? as u32);
                self.float(float.is_nan(), f64::from(float).to_bits().into())
            }
            (Ty::Float(64), Ty::Float(32)) => {
                let float = f64::from_bits(self.number(&value)? as u64);
                self.float(float.is_nan(), (float as f32).to_bits().into())
            }
            (Ty::Float(bits), Ty::Integer(into)) => {
                let number = self.number(&value)?;
                let float = match bits {
                    32 => f64::from(f32::from_bits(number as u32)),
                    _ => f64::from_bits(number as u64),
                };
                // Casts saturate, and what is no number is 0.
                Ok(Value::Number(match (into.ty.signed, into.ty.bits) {
                    (false, 128) => float as u128 as i128,
                    (true, 128) => float as i128,
                    (false, width) => i128::from((float as u64).min(u64::MAX >> (64 - width))),
                    (true, width) => {
                        let most = i64::MAX >> (64 - width);
                        i128::from((float as i64).clamp(-most - 1, most))
                    }
                }))
            }
            (Ty::Reference(..), Ty::Reference(..)) => self.fitted(value, from, to),
            (Ty::Callable(..), _) => Ok(value),
            _ => Err(Flow::Stop("a cast of a value of this type")),
        }
    }

    /// The number of an enumeration's variant, as `as` gives it.
    pub(super) fn discriminant(&mut self, id: super::super::hir::AdtId, tag: u32) -> Flowing<i128> {
        let adt = self.context.items.adt(id);
        if adt.kind != AdtKind::Enum || adt.opaque {
            return Err(Flow::Stop("a cast of a value of this type"));
        }
        let mut number = -1;
        for variant in adt.variants.iter().take(tag as usize + 1) {
            number = match variant.discriminant {
                Some(constant) => {
                    let slots = self.context.constant_value(constant, &Default::default());
                    let slot = slots.and_then(|slots| slots.first()?.to_i128());
                    slot.ok_or("a number of a variant that is not known")?
                }
                None => number + 1,
            };
        }
        Ok(number)
    }

    /// A number as all of its bits.
    pub(super) fn as_bits(&self, value: &Value, ty: &Integer) -> Flowing<u128> {
        Ok(bits(ty.ty, self.number(value)?))
    }
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_))
}

fn has_index(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(inner, _) | ExprKind::Deref(inner) => has_index(body, *inner),
        _ => false,
    }
}

/// A place in whose expression nothing happens, but that it may fail.
fn is_plain_place(body: &Body, typing: &Typing, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Index(inner, index) => {
            is_plain_place(body, typing, *inner) && is_plain_index(body, typing, *index)
        }
        ExprKind::Field(inner, _) | ExprKind::Deref(inner) => is_plain_place(body, typing, *inner),
        ExprKind::Local(_) => true,
        _ => false,
    }
}

fn is_plain_index(body: &Body, typing: &Typing, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Binary(_, left, right) if !typing.callees.contains_key(&id) => {
            is_plain_index(body, typing, *left) && is_plain_index(body, typing, *right)
        }
        _ => is_plain(body, id),
    }
}

fn is_plain(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).kind {
        ExprKind::Local(_) | ExprKind::Path(_) => true,
        ExprKind::Integer(..) | ExprKind::Bool(_) | ExprKind::Float(..) => true,
        ExprKind::Field(inner, _) | ExprKind::Cast(inner, _) => is_plain(body, *inner),
        _ => false,
    }
}
