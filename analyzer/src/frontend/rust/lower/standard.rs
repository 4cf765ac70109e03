//! What the rows of the std table mean.

use super::super::super::{Arithmetic, arith};
use super::super::glue::Glue;
use super::super::hir::{ExprId, Operator};
use super::super::std_table::{Arith, Meaning, Order, SliceOp};
use super::super::types::{Integer, Length, Ty, U8, U32};
use super::arithmetic::{inverted, masked_count, out_of_range, quotient_overflows, shift_overflows, shifted};
use super::steps::{Goal, Lowerer};
use super::value::Value;
use crate::ir::{Cond, Effect, Expr, FailKind, StepKind};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp, UnaryOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

/// The exact value of an operation and where it does not fit.
struct Exact {
    value: Expr,
    /// The value leaves the type (or a shift its width): wraps, saturates, gives `None` …
    overflows: Cond,
    /// There is no value: division by zero.
    undefined: Cond,
}

impl Lowerer<'_, '_, '_> {
    /// `Default::default()` of a type whose default is known.
    fn default_value(&mut self, ty: &Ty, span: Span) -> Value {
        if self.context.is_zero_by_default(ty) {
            return self.context.zero(ty);
        }
        if let Some(instance) = self.context.default_function(ty) {
            let function = self.program.instance(instance);
            let spot = self.temporary(ty, span);
            self.call_bare(function, &spot, span);
            return self.read(&spot, span);
        }
        let Ty::Adt(id, arguments) = ty else { return self.context.zero(ty) };
        let variant = self.context.default_variant(*id);
        let chosen = variant.and_then(|variant| self.context.variant_value(*id, variant, arguments, &[]));
        if let Some(value) = chosen {
            return value;
        }
        let mut leaves = Vec::new();
        for field in self.context.field_types(*id, arguments) {
            leaves.extend(self.default_value(&field, span).leaves);
        }
        Value { ty: ty.clone(), leaves }
    }

    pub fn standard(
        &mut self,
        meaning: Meaning,
        own: &Ty,
        arguments: &[ExprId],
        ty: &Ty,
        (span, site): (Span, Span),
    ) -> Value {
        match meaning {
            Meaning::Exit => {
                arguments.iter().for_each(|argument| self.run(*argument, &Goal::Nothing));
                let pending = self.taken();
                self.builder.end(StepKind::Return, span, pending, Effect::Stop);
                self.dead();
                return Value::empty(Ty::Never);
            }
            Meaning::Drop if self.context.glue(own) != Glue::Nothing => {
                for value in self.values(arguments) {
                    let spot = self.placed(&value, span);
                    self.end_of(&spot, span);
                }
                return Value::unit();
            }
            Meaning::Drop if *own == Ty::Opaque => {
                arguments.iter().for_each(|argument| self.run(*argument, &Goal::Nothing));
                return self.unknown_value(&Ty::UNIT, "the end of a value of unknown type", span);
            }
            Meaning::Drop => {
                arguments.iter().for_each(|argument| self.run(*argument, &Goal::Nothing));
                return Value::unit();
            }
            Meaning::Iterate | Meaning::Walked(_) | Meaning::Reversed | Meaning::StepBy => {
                self.values(arguments);
                self.flush(span);
                return Value::empty(ty.clone());
            }
            Meaning::Slice(SliceOp::GetPart) => return self.get_part(arguments, ty, span),
            Meaning::Slice(SliceOp::Contains) => return self.range_contains(arguments, span),
            Meaning::SizeOf => {
                return match self.context.exact_size(own) {
                    Some(size) => Value::scalar(ty.clone(), arith::constant(Int::from(size))),
                    None => self.unseen(ty, span),
                };
            }
            Meaning::AlignOf => return self.unseen(ty, span),
            Meaning::StartBound | Meaning::EndBound => {
                arguments.iter().for_each(|argument| self.run(*argument, &Goal::Nothing));
                return self.unseen(ty, span);
            }
            Meaning::AboutBytes => {
                let is_hidden = |part: &Ty| matches!(part, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_));
                let greatest = u64::MAX >> (64 - self.context.configuration.pointer_width);
                let bytes =
                    if own.any(&mut |part| is_hidden(part)) { greatest } else { self.context.bytes(own) };
                return Value::scalar(ty.clone(), arith::constant(Int::from(bytes.min(greatest))));
            }
            Meaning::Slice(SliceOp::Parse) => return self.parsed(own, arguments, ty, span),
            Meaning::Slice(op) => return self.slice_operation(op, arguments, ty, span),
            Meaning::Length => {
                let Ty::Array(_, Length::Known(length)) = own else {
                    return self.slice_length(arguments[0], ty, span);
                };
                let value = Value::scalar(ty.clone(), arith::constant(Int::from(*length)));
                if !self.is_place(arguments[0]) {
                    self.values(arguments);
                }
                return value;
            }
            _ => {}
        }
        let values = self.values(arguments);
        match meaning {
            Meaning::Identity => match values.first() {
                Some(value) => self.fitted(value, ty, span),
                None => Value::empty(Ty::Opaque),
            },
            Meaning::From => self.made_from(behind_scalar(&values[0]), ty, span),
            Meaning::Compare
            | Meaning::PartialCompare
            | Meaning::Relation(_)
            | Meaning::Min
            | Meaning::Max
                if !matches!(own, Ty::Integer(_))
                    || matches!(meaning, Meaning::PartialCompare | Meaning::Relation(_)) =>
            {
                self.derived(meaning, own, &values, ty, site)
            }
            Meaning::Default => match self.context.has_known_default(own, 0) {
                true => self.default_value(own, span),
                false => self.unknown_value(ty, "a default value", span),
            },
            Meaning::TryFrom => self.try_from(&values[0], own, ty, span),
            Meaning::Unwrap => self.unwrap(&values[0], own, Good::First, ty, site),
            Meaning::UnwrapErr => self.unwrap(&values[0], own, Good::Second, ty, site),
            Meaning::HasTag(tag) => match values[0].leaves.first().and_then(|leaf| leaf.first()) {
                Some(found) => Value::truth(arith::compare(
                    CompareOp::Equal,
                    found.clone(),
                    arith::constant(i64::from(tag)),
                )),
                None => self.unseen_value(ty, "a value of unknown type", span),
            },
            _ => self.integer_method(meaning, own, &values, ty, site),
        }
    }

    fn integer_method(&mut self, meaning: Meaning, own: &Ty, values: &[Value], ty: &Ty, site: Span) -> Value {
        let Ty::Integer(integer) = own else {
            return self.unknown_value(ty, "an operation on a value of unknown type", site);
        };
        if let Meaning::FromBytes(order) = meaning {
            return self.joined_bytes(order, integer.ty, &values[0], ty, site);
        }
        let operands: Vec<Expr> = values.iter().filter_map(|value| value.expr().cloned()).collect();
        if operands.len() != values.len() {
            return self.unknown_value(ty, "an operation on a value of unknown type", site);
        }
        let (left, right) = (operands[0].clone(), operands.get(1).cloned().unwrap_or(arith::constant(0)));
        match meaning {
            Meaning::Plain(arith) => self.plain(arith, *integer, left, right, ty, site),
            Meaning::Wrapping(Arith::Pow) => self.power_wraps(*integer, left, right, ty, site),
            Meaning::Overflowing(Arith::Pow) => {
                let exact = self.exact(Arith::Pow, *integer, &left, &right);
                let wrapped = self.power_wraps(*integer, left, right, &Ty::Integer(*integer), site);
                let Some(wrapped) = wrapped.expr().cloned() else { return wrapped };
                pair(ty, wrapped, exact.overflows)
            }
            Meaning::Wrapping(op) => {
                let exact = self.exact(op, *integer, &left, &right);
                self.divides(op, exact.undefined.clone(), site);
                Value::scalar(ty.clone(), arith::wrap(integer.ty, exact.value))
            }
            Meaning::Checked(op) => {
                let exact = self.exact(op, *integer, &left, &right);
                let none = exact.undefined.clone().or(exact.overflows.clone());
                let value = arith::choose(none.clone(), arith::constant(0), exact.value);
                self.option(ty, arith::not(none), value)
            }
            Meaning::Saturating(op) => {
                let exact = self.exact(op, *integer, &left, &right);
                self.divides(op, exact.undefined.clone(), site);
                let low = arith::binary(BinaryOp::Max, exact.value, Expr::Constant(integer.ty.min()));
                Value::scalar(ty.clone(), arith::binary(BinaryOp::Min, low, Expr::Constant(integer.ty.max())))
            }
            Meaning::Overflowing(op) => {
                let exact = self.exact(op, *integer, &left, &right);
                self.divides(op, exact.undefined.clone(), site);
                pair(ty, arith::wrap(integer.ty, exact.value), exact.overflows)
            }
            _ => self.bit_method(meaning, *integer, &operands, ty, site),
        }
    }

    /// The exact value of an operation; shifts are by a masked count and have no bits beyond the type.
    fn exact(&mut self, op: Arith, integer: Integer, left: &Expr, right: &Expr) -> Exact {
        let ty = integer.ty;
        let never = Cond::Literal(false);
        let within = |value: Expr| {
            let overflows = out_of_range(ty, &value);
            Exact { value, overflows, undefined: Cond::Literal(false) }
        };
        let binary = |op| arith::binary(op, left.clone(), right.clone());
        let zero = arith::compare(CompareOp::Equal, right.clone(), arith::constant(0));
        let divisor = match arith::as_constant(right) {
            Some(value) if value.is_zero() => arith::constant(1),
            Some(_) => right.clone(),
            None => arith::choose(zero.clone(), arith::constant(1), right.clone()),
        };
        match op {
            Arith::Add => within(binary(BinaryOp::Add)),
            Arith::Sub => within(binary(BinaryOp::Sub)),
            Arith::Mul => within(binary(BinaryOp::Mul)),
            Arith::Neg => within(arith::negate(left.clone())),
            Arith::Abs => within(absolute(left)),
            Arith::Pow => within(raised(left, right)),
            Arith::Div | Arith::Rem => {
                let op = if op == Arith::Div { BinaryOp::Div } else { BinaryOp::Rem };
                let value = arith::binary(op, left.clone(), divisor);
                let overflows = if ty.signed { quotient_overflows(ty, left, right) } else { never };
                Exact { value, overflows, undefined: zero }
            }
            Arith::DivEuclid | Arith::RemEuclid => {
                let value = euclid(op, left, &divisor);
                let overflows = if ty.signed { quotient_overflows(ty, left, right) } else { never };
                Exact { value, overflows, undefined: zero }
            }
            Arith::Shl | Arith::Shr => {
                let count = masked_count(i64::from(ty.bits), right.clone());
                let operator = if op == Arith::Shl { Operator::ShiftLeft } else { Operator::ShiftRight };
                let value = shifted(operator, ty, left.clone(), count);
                Exact { value, overflows: shift_overflows(ty, right), undefined: never }
            }
        }
    }

    /// Division is a site whatever its divisor; nothing else is one.
    fn divides(&mut self, op: Arith, undefined: Cond, site: Span) {
        if matches!(op, Arith::Div | Arith::Rem | Arith::DivEuclid | Arith::RemEuclid) {
            self.fails_if(undefined, FailKind::DivisionByZero, site);
        }
    }

    /// As the operator: fails or wraps by the arithmetic; division fails in any.
    fn plain(&mut self, op: Arith, integer: Integer, left: Expr, right: Expr, ty: &Ty, site: Span) -> Value {
        let exact = self.exact(op, integer, &left, &right);
        match op {
            Arith::DivEuclid | Arith::RemEuclid => {
                self.fails_if(exact.undefined, FailKind::DivisionByZero, site);
                if integer.ty.signed {
                    self.fails_if(exact.overflows, FailKind::Overflow, site);
                }
                Value::scalar(ty.clone(), exact.value)
            }
            Arith::Pow if self.context.arithmetic == Arithmetic::Release => {
                self.power_wraps(integer, left, right, ty, site)
            }
            _ => {
                let expr = self.in_range(integer.ty, exact.value, exact.overflows, site);
                let value = Value::scalar(ty.clone(), expr);
                // A power fails after its operands were evaluated: what comes behind it happens later.
                if op == Arith::Pow { self.keep(value, site) } else { value }
            }
        }
    }

    /// A power modulo 2^bits: known for exponents that are not too large.
    fn power_wraps(&mut self, integer: Integer, base: Expr, exponent: Expr, ty: &Ty, site: Span) -> Value {
        let most = arith::constant(EXPONENT_LIMIT);
        let small = arith::compare(CompareOp::LessEqual, exponent.clone(), most);
        let value = Value::scalar(ty.clone(), arith::wrap(integer.ty, raised(&base, &exponent)));
        if small == Cond::Literal(true) {
            return value;
        }
        let spot = self.temporary(ty, site);
        let (known, beyond, after) = (self.builder.point(), self.builder.point(), self.builder.point());
        self.split(site, small, known, beyond);
        self.builder.current = known;
        self.store(&spot, &value, StepKind::Assignment, site);
        self.join(after, site);
        self.builder.current = beyond;
        let unknown = self.unseen_value(ty, "a power with a very large exponent", site);
        self.store(&spot, &unknown, StepKind::Assignment, site);
        self.join(after, site);
        self.builder.current = after;
        self.read(&spot, site)
    }

    fn bit_method(
        &mut self,
        meaning: Meaning,
        integer: Integer,
        operands: &[Expr],
        ty: &Ty,
        site: Span,
    ) -> Value {
        let int = integer.ty;
        let bits = arith::constant(i64::from(int.bits));
        let own = operands[0].clone();
        let other = operands.get(1).cloned().unwrap_or(arith::constant(0));
        let unsigned = arith_unsigned(int, own.clone());
        let minus = |left: Expr, right: Expr| arith::binary(BinaryOp::Sub, left, right);
        let compare = |op, value: i64| arith::compare(op, own.clone(), arith::constant(value));
        let scalar = |expr: Expr| Value::scalar(ty.clone(), expr);
        match meaning {
            Meaning::Min => scalar(arith::binary(BinaryOp::Min, own, other)),
            Meaning::Max => scalar(arith::binary(BinaryOp::Max, own, other)),
            Meaning::Clamp => {
                let high = operands.get(2).cloned().unwrap_or(arith::constant(0));
                let wrong = arith::compare(CompareOp::Greater, other.clone(), high.clone());
                self.fails_if(wrong, FailKind::Panic, site);
                scalar(arith::binary(BinaryOp::Min, arith::binary(BinaryOp::Max, own, other), high))
            }
            Meaning::Signum => {
                let positive =
                    arith::choose(compare(CompareOp::Greater, 0), arith::constant(1), arith::constant(0));
                scalar(arith::choose(compare(CompareOp::Less, 0), arith::constant(-1), positive))
            }
            Meaning::IsPositive => Value::truth(compare(CompareOp::Greater, 0)),
            Meaning::IsNegative => Value::truth(compare(CompareOp::Less, 0)),
            Meaning::AbsDiff => scalar(absolute(&minus(own, other))),
            Meaning::UnsignedAbs => scalar(absolute(&own)),
            Meaning::CountOnes => scalar(arith::unary(UnaryOp::CountOnes, unsigned)),
            Meaning::CountZeros => scalar(minus(bits, arith::unary(UnaryOp::CountOnes, unsigned))),
            Meaning::LeadingZeros => scalar(minus(bits, arith::unary(UnaryOp::BitLength, unsigned))),
            Meaning::LeadingOnes => {
                let inverse = arith_unsigned(int, inverted(int, own));
                scalar(minus(bits, arith::unary(UnaryOp::BitLength, inverse)))
            }
            Meaning::TrailingZeros => scalar(trailing_zeros(int, unsigned)),
            Meaning::TrailingOnes => scalar(trailing_zeros(int, arith_unsigned(int, inverted(int, own)))),
            Meaning::IsPowerOfTwo => Value::truth(arith::compare(
                CompareOp::Equal,
                arith::unary(UnaryOp::CountOnes, own),
                arith::constant(1),
            )),
            Meaning::NextPowerOfTwo | Meaning::CheckedNextPowerOfTwo => {
                self.next_power(meaning, integer, own, ty, site)
            }
            Meaning::SquareRoot => {
                if int.signed {
                    self.fails_if(compare(CompareOp::Less, 0), FailKind::Panic, site);
                }
                scalar(arith::unary(UnaryOp::SquareRoot, at_least(own, 0)))
            }
            Meaning::Log2 => {
                self.fails_if(compare(CompareOp::LessEqual, 0), FailKind::Panic, site);
                scalar(minus(arith::unary(UnaryOp::BitLength, at_least(own, 1)), arith::constant(1)))
            }
            Meaning::CheckedLog2 => {
                let some = compare(CompareOp::Greater, 0);
                let log = minus(arith::unary(UnaryOp::BitLength, at_least(own, 1)), arith::constant(1));
                self.option(ty, some, log)
            }
            Meaning::DivCeil | Meaning::NextMultipleOf => {
                self.multiples(meaning, integer, own, other, ty, site)
            }
            Meaning::RotateLeft | Meaning::RotateRight => {
                self.rotated(meaning, integer, unsigned, other, ty, site)
            }
            Meaning::SwapBytes => {
                let bytes = bytes_of(int, &unsigned);
                scalar(arith::wrap(int, number_of(bytes.iter().rev())))
            }
            Meaning::InOrder(order) => {
                let bytes = bytes_of(int, &unsigned);
                let number = match self.is_big(order) == self.is_big(Order::Native) {
                    true => number_of(bytes.iter()),
                    false => number_of(bytes.iter().rev()),
                };
                scalar(arith::wrap(int, number))
            }
            Meaning::ToBytes(order) => {
                let mut bytes = bytes_of(int, &unsigned);
                if self.is_big(order) {
                    bytes.reverse();
                }
                let values: Vec<Value> = bytes.into_iter().map(|byte| Value::scalar(U8, byte)).collect();
                self.context.array_value(&U8, &values)
            }
            Meaning::Compare => {
                let less = arith::compare(CompareOp::Less, own.clone(), other.clone());
                let equal = arith::compare(CompareOp::Equal, own, other);
                let rest = arith::choose(equal, arith::constant(1), arith::constant(2));
                Value { ty: ty.clone(), leaves: vec![vec![arith::choose(less, arith::constant(0), rest)]] }
            }
            Meaning::CastSigned => scalar(arith::wrap(IntType::signed(int.bits), own)),
            Meaning::CastUnsigned => scalar(arith::wrap(IntType::unsigned(int.bits), own)),
            _ => self.unknown_value(ty, "an operation that is not carried out", site),
        }
    }

    fn next_power(&mut self, meaning: Meaning, integer: Integer, own: Expr, ty: &Ty, site: Span) -> Value {
        let below = arith::binary(BinaryOp::Sub, own.clone(), arith::constant(1));
        let length = arith::unary(UnaryOp::BitLength, at_least(below, 0));
        let exact = arith::binary(BinaryOp::ShiftLeft, arith::constant(1), length);
        let beyond = arith::compare(CompareOp::Greater, own, Expr::Constant(top_power(integer.ty)));
        match (meaning, self.context.arithmetic) {
            (Meaning::CheckedNextPowerOfTwo, _) => {
                let value = arith::choose(beyond.clone(), arith::constant(0), exact);
                self.option(ty, arith::not(beyond), value)
            }
            (_, Arithmetic::Debug) => {
                self.fails_if(beyond, FailKind::Overflow, site);
                Value::scalar(ty.clone(), exact)
            }
            (_, Arithmetic::Release) => {
                Value::scalar(ty.clone(), arith::choose(beyond, arith::constant(0), exact))
            }
        }
    }

    fn multiples(
        &mut self,
        meaning: Meaning,
        integer: Integer,
        own: Expr,
        by: Expr,
        ty: &Ty,
        site: Span,
    ) -> Value {
        let zero = arith::compare(CompareOp::Equal, by.clone(), arith::constant(0));
        self.fails_if(zero.clone(), FailKind::DivisionByZero, site);
        let divisor = arith::choose(zero, arith::constant(1), by);
        let shifted = arith::binary(
            BinaryOp::Add,
            own,
            arith::binary(BinaryOp::Sub, divisor.clone(), arith::constant(1)),
        );
        let ceiling = arith::binary(BinaryOp::Div, shifted, divisor.clone());
        if meaning == Meaning::DivCeil {
            return Value::scalar(ty.clone(), ceiling);
        }
        let exact = arith::binary(BinaryOp::Mul, ceiling, divisor);
        let beyond = arith::compare(CompareOp::Greater, exact.clone(), Expr::Constant(integer.ty.max()));
        let expr = self.in_range(integer.ty, exact, beyond, site);
        Value::scalar(ty.clone(), expr)
    }

    fn rotated(
        &mut self,
        meaning: Meaning,
        integer: Integer,
        own: Expr,
        by: Expr,
        ty: &Ty,
        site: Span,
    ) -> Value {
        let (int, bits) = (integer.ty, i64::from(integer.ty.bits));
        let kept = self.keep(
            Value::scalar(Ty::Integer(Integer { ty: IntType::unsigned(int.bits), ..integer }), own),
            site,
        );
        let by = self.keep(Value::scalar(U32, masked_count(bits, by)), site);
        let (Some(own), Some(by)) = (kept.expr().cloned(), by.expr().cloned()) else {
            return self.unknown_value(ty, "a rotation", site);
        };
        let back = arith::binary(BinaryOp::Sub, arith::constant(bits), by.clone());
        let (left, right) = if meaning == Meaning::RotateLeft { (by, back) } else { (back, by) };
        let high =
            arith::wrap(IntType::unsigned(int.bits), arith::binary(BinaryOp::ShiftLeft, own.clone(), left));
        let low = arith::binary(BinaryOp::ShiftRight, own, right);
        Value::scalar(ty.clone(), arith::wrap(int, arith::binary(BinaryOp::BitOr, high, low)))
    }

    fn joined_bytes(&mut self, order: Order, int: IntType, bytes: &Value, ty: &Ty, site: Span) -> Value {
        let count = int.bits as usize / 8;
        let slots: Vec<Expr> = bytes.slots().cloned().collect();
        if slots.len() != count {
            return self.unseen_value(ty, "a number from bytes that are not known", site);
        }
        let number = match self.is_big(order) {
            true => number_of(slots.iter().rev()),
            false => number_of(slots.iter()),
        };
        Value::scalar(ty.clone(), arith::wrap(int, number))
    }

    fn is_big(&self, order: Order) -> bool {
        match order {
            Order::Big => true,
            Order::Little => false,
            Order::Native => !self.context.configuration.is_little_endian(),
        }
    }

    /// `Some(value)` where `some` holds, else `None`.
    fn option(&mut self, ty: &Ty, some: Cond, value: Expr) -> Value {
        Value { ty: ty.clone(), leaves: vec![vec![arith::number(some)], vec![value]] }
    }

    fn try_from(&mut self, value: &Value, own: &Ty, ty: &Ty, span: Span) -> Value {
        let array = match own.behind() {
            // A box is what it holds.
            Ty::Adt(id, held) if self.context.items.is_standard(*id, "Box") => held.first(),
            own => Some(own),
        };
        if let (Some(Ty::Array(element, Length::Known(length))), Ty::Adt(adt, arguments)) = (array, ty)
            && let Some(array) = self.array_of_slice(value, element, *length, span)
            && let Some(mut value) =
                self.context.variant_value(*adt, 0, arguments, &[array.0.with_type(own.clone())])
        {
            value.leaves[0] = vec![arith::number(arith::not(array.1))];
            return value;
        }
        let from = matches!(value.ty.behind(), Ty::Integer(_));
        let (Ty::Integer(to), Some(expr), Ty::Adt(adt, arguments), true) =
            (own, value.expr().cloned(), ty, from)
        else {
            return self.unknown_value(ty, "a conversion", span);
        };
        let bad = out_of_range(to.ty, &expr);
        let good = Value::scalar(own.clone(), arith::choose(bad.clone(), arith::constant(0), expr));
        match self.context.variant_value(*adt, 0, arguments, &[good]) {
            Some(mut value) => {
                value.leaves[0] = vec![arith::number(bad)];
                value
            }
            None => self.unknown_value(ty, "a conversion", span),
        }
    }

    fn unwrap(&mut self, value: &Value, own: &Ty, good: Good, ty: &Ty, site: Span) -> Value {
        let Ty::Adt(adt, arguments) = own else { return self.unknown_value(ty, "an unwrap", site) };
        let option = self.context.items.is_standard(*adt, "Option");
        let variant = match (option, good) {
            (true, _) => 1,
            (false, Good::First) => 0,
            (false, Good::Second) => 1,
        };
        let Some(tag) = value.leaves.first().and_then(|leaf| leaf.first()).cloned() else {
            self.maybe_fails(FailKind::Unwrap, "an unwrap of a value of unknown type", site);
            return self.unseen_value(ty, "an unwrap", site);
        };
        let wrong = arith::compare(CompareOp::NotEqual, tag, arith::constant(i64::from(variant)));
        self.fails_if(wrong, FailKind::Unwrap, site);
        let (at, part) = self.context.field_leaves(*adt, variant, 0, arguments);
        match self.context.value_part(value, at, part) {
            Some(value) => value,
            None => self.unseen_value(ty, "an unwrap", site),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Good {
    First,
    Second,
}

/// Exponents up to this are computed.
const EXPONENT_LIMIT: i64 = 200;

fn behind_scalar(value: &Value) -> Value {
    let mut value = value.clone();
    if matches!(value.ty.behind(), Ty::Integer(_) | Ty::Bool | Ty::Char) {
        value.ty = value.ty.behind().clone();
    }
    value
}

fn pair(ty: &Ty, value: Expr, flag: Cond) -> Value {
    Value { ty: ty.clone(), leaves: vec![vec![value], vec![arith::number(flag)]] }
}

fn absolute(expr: &Expr) -> Expr {
    arith::binary(BinaryOp::Max, expr.clone(), arith::negate(expr.clone()))
}

/// A power whose exponent is cut where the result is out of every type anyway, keeping its parity.
fn raised(base: &Expr, exponent: &Expr) -> Expr {
    let most = arith::constant(EXPONENT_LIMIT);
    let parity = arith::binary(BinaryOp::Rem, exponent.clone(), arith::constant(2));
    let cut = arith::binary(BinaryOp::Add, most.clone(), parity);
    let beyond = arith::compare(CompareOp::Greater, exponent.clone(), most);
    arith::binary(BinaryOp::Power, base.clone(), arith::choose(beyond, cut, exponent.clone()))
}

fn euclid(op: Arith, left: &Expr, divisor: &Expr) -> Expr {
    let remainder = arith::binary(BinaryOp::Rem, left.clone(), divisor.clone());
    let negative = arith::compare(CompareOp::Less, remainder.clone(), arith::constant(0));
    if op == Arith::RemEuclid {
        let lifted = arith::binary(BinaryOp::Add, remainder.clone(), absolute(divisor));
        return arith::choose(negative, lifted, remainder);
    }
    let quotient = arith::binary(BinaryOp::Div, left.clone(), divisor.clone());
    let up = arith::compare(CompareOp::Greater, divisor.clone(), arith::constant(0));
    let moved = arith::choose(up, arith::constant(-1), arith::constant(1));
    arith::choose(negative, arith::binary(BinaryOp::Add, quotient.clone(), moved), quotient)
}

/// The bits of a value read as a number that is not negative.
pub(super) fn arith_unsigned(ty: IntType, value: Expr) -> Expr {
    if ty.signed { arith::wrap(IntType::unsigned(ty.bits), value) } else { value }
}

fn trailing_zeros(ty: IntType, unsigned: Expr) -> Expr {
    let zero = arith::compare(CompareOp::Equal, unsigned.clone(), arith::constant(0));
    let count = arith::unary(UnaryOp::TrailingZeros, at_least(unsigned, 1));
    arith::choose(zero, arith::constant(i64::from(ty.bits)), count)
}

/// The value where it is in an operator's domain; the bound elsewhere, where it is not used.
fn at_least(value: Expr, low: i64) -> Expr {
    arith::binary(BinaryOp::Max, value, arith::constant(low))
}

/// The largest power of two of an unsigned type.
fn top_power(ty: IntType) -> Int {
    Int::from(2).pow(ty.bits - 1)
}

/// Lowest byte first.
fn bytes_of(ty: IntType, unsigned: &Expr) -> Vec<Expr> {
    (0..ty.bits / 8)
        .map(|index| {
            let down = match index {
                0 => unsigned.clone(),
                _ => arith::binary(
                    BinaryOp::ShiftRight,
                    unsigned.clone(),
                    arith::constant(i64::from(index * 8)),
                ),
            };
            arith::wrap(IntType::U8, down)
        })
        .collect()
}

fn number_of<'e>(bytes: impl Iterator<Item = &'e Expr>) -> Expr {
    let terms = bytes.enumerate().map(|(index, byte)| match index {
        0 => byte.clone(),
        _ => arith::binary(BinaryOp::Mul, byte.clone(), Expr::Constant(Int::from(256).pow(index as u32))),
    });
    terms.reduce(|sum, term| arith::binary(BinaryOp::Add, sum, term)).unwrap_or(arith::constant(0))
}
