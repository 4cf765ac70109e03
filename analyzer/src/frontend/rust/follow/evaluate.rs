//! Expressions: what their values are, in Rust's order of evaluation.

use kleene_domains::expr::CompareOp;

use super::super::hir::{ExprId, ExprKind, Formatted, Operator};
use super::super::infer::{Callee, Named};
use super::super::types::{Called, Integer, Length, Ty};
use super::either::UNKNOWN;
use super::ends::Waiting;
use super::marks::{BEGUN, DONE};
use super::number::wrapped;
use super::value::{Made, Place, Value};
use super::{Flow, Flowing, Follower, Frame, MOST_DEPTH};

/// Arrays beyond this length are not followed.
const LONGEST_ARRAY: u64 = 1 << 17;

impl<'f> Follower<'f, '_> {
    /// The value of an expression; a place is left without it.
    pub(super) fn value(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Value> {
        self.count()?;
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Flow::Stop("expressions in expressions"));
        }
        let value = self.value_of(frame, id);
        self.depth -= 1;
        let value = value?;
        self.mark(frame, id, DONE);
        Ok(value)
    }

    fn value_of(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Value> {
        let body = frame.body;
        let typing = frame.typing.clone();
        let ty = &typing.exprs[id.index()];
        if typing.behind.contains_key(&id) {
            let place = self.place(frame, id)?;
            return Ok(Value::Place(place.into()));
        }
        match &body.expr(id).kind {
            ExprKind::Integer(value, _) => match ty {
                Ty::Integer(integer) => {
                    let number = value.to_i128().ok_or("a number that is too large");
                    let number = number.or_else(|_| wide(value, *integer))?;
                    Ok(Value::Number(wrapped(integer.ty, number)))
                }
                _ => Err(Flow::Stop("a number of unknown type")),
            },
            ExprKind::Bool(value) => Ok(Value::truth(*value)),
            ExprKind::Char(value) => Ok(Value::Number(u32::from(*value).into())),
            ExprKind::Text(Some(text)) => {
                let place = self.written(frame, id, |_| Value::text(text.as_bytes()))?;
                Ok(Value::Place(place.into()))
            }
            ExprKind::Text(None) => Ok(Value::Unseen),
            ExprKind::Bytes(bytes) => match ty {
                Ty::Reference(..) => {
                    let place = self.written(frame, id, |_| Value::text(bytes))?;
                    Ok(Value::Place(place.into()))
                }
                _ => Ok(Value::text(bytes)),
            },
            ExprKind::Float(Some((single, double)), _) => match ty {
                Ty::Float(32) => Ok(Value::Number((*single).into())),
                Ty::Float(64) => Ok(Value::Number((*double).into())),
                _ => Err(Flow::Stop("a number of unknown type")),
            },
            ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Deref(_) => {
                let place = self.place(frame, id)?;
                self.taken(&place, ty)
            }
            ExprKind::Path(_) => self.named(frame, id, ty),
            ExprKind::Underscore => Ok(Value::unit()),
            ExprKind::Not(inner) if !typing.callees.contains_key(&id) => self.complement(frame, id, *inner),
            ExprKind::Negate(inner) if !typing.callees.contains_key(&id) => self.negation(frame, id, *inner),
            ExprKind::Binary(Operator::Compare(op), ..) if typing.callees.contains_key(&id) => {
                if let Some(Callee::Function(function, _)) = typing.callees.get(&id)
                    && *op != CompareOp::Equal
                    && self.says(*function, "ne")
                {
                    return Err(Flow::Stop("a comparison that a type makes in two ways"));
                }
                let equal = self.called(frame, id)?;
                let equal = self.number(&equal)? != 0;
                Ok(Value::truth(if *op == CompareOp::Equal { equal } else { !equal }))
            }
            ExprKind::Not(_) | ExprKind::Negate(_) => self.called(frame, id),
            ExprKind::Binary(..) | ExprKind::Update(..) if typing.callees.contains_key(&id) => {
                self.called(frame, id)
            }
            ExprKind::Binary(Operator::Compare(op), left, right) => {
                let (one, one_ty) = self.looked_at(frame, *left)?;
                let (other, other_ty) = self.looked_at(frame, *right)?;
                self.mark(frame, id, BEGUN);
                self.related(*op, (&one, &one_ty), (&other, &other_ty))
            }
            ExprKind::Binary(operator, left, right) => {
                let one = self.value(frame, *left)?;
                let other = self.value(frame, *right)?;
                self.mark(frame, id, BEGUN);
                let (left, right) = (&typing.exprs[left.index()], &typing.exprs[right.index()]);
                self.operated(*operator, (&one, left), (&other, right))
            }
            ExprKind::Update(operator, left, right) => {
                let (place, other) = self.updated(frame, *left, *right)?;
                let one = self.memory.load(&place)?;
                self.mark(frame, id, BEGUN);
                let (left, right) = (&typing.exprs[left.index()], &typing.exprs[right.index()]);
                if !is_primitive(left) || !is_primitive(right.behind()) {
                    return Err(Flow::Stop("an operator on values of unknown type"));
                }
                let new = self.operated(*operator, (&one, left), (&other, right))?;
                self.memory.store(&place, new)?;
                Ok(Value::unit())
            }
            ExprKind::Lazy(..) | ExprKind::Let(..) => Ok(Value::truth(self.holds(frame, id)?)),
            ExprKind::Assign(left, right) => self.assigned(frame, *left, *right),
            ExprKind::Reference(_, inner) => {
                let place = self.place(frame, *inner)?;
                Ok(Value::Place(place.into()))
            }
            ExprKind::Cast(inner, _) => {
                let value = self.value(frame, *inner)?;
                self.cast(value, &typing.exprs[inner.index()], ty)
            }
            ExprKind::Tuple(parts) => {
                let wanted = match ty {
                    Ty::Tuple(wanted) if wanted.len() == parts.len() => wanted.as_slice(),
                    _ => &[],
                };
                let mut list = Vec::with_capacity(parts.len());
                let mut waiting = Waiting::default();
                for (index, part) in parts.iter().enumerate() {
                    let value = self.fitting(frame, *part, wanted.get(index).unwrap_or(&Ty::Opaque));
                    list.push(waiting.with(self.ends(&typing.exprs[part.index()]), value)?);
                }
                Ok(Value::list(list))
            }
            ExprKind::Array(elements) => {
                let Ty::Array(wanted, _) = ty else { return Err(Flow::Stop("an array of unknown type")) };
                let mut list = Vec::with_capacity(elements.len());
                let (mut waiting, ends) = (Waiting::default(), self.ends(wanted));
                for element in elements {
                    let value = self.fitting(frame, *element, wanted);
                    list.push(waiting.with(ends, value)?);
                }
                Ok(Value::list(list))
            }
            ExprKind::Repeat(element, _) => {
                let Ty::Array(wanted, Length::Known(length)) = ty else {
                    return Err(Flow::Stop("an array of unknown length"));
                };
                let value = self.fitting(frame, *element, wanted)?;
                if *length > LONGEST_ARRAY {
                    return Err(Flow::Stop("an array that is too long"));
                }
                Ok(Value::list(vec![value; *length as usize]))
            }
            ExprKind::Struct { fields, base, .. } => self.structure(frame, id, fields, *base),
            ExprKind::Call(..) | ExprKind::Method { .. } => self.called(frame, id),
            ExprKind::Range { low, high, inclusive } => {
                let low = low.map(|low| self.value(frame, low)).transpose()?;
                let high = high.map(|high| self.value(frame, high)).transpose()?;
                Ok(match (ty, low, high) {
                    (Ty::Adt(..), Some(low), Some(high)) if *inclusive => {
                        Value::list(vec![low, high, Value::truth(false)])
                    }
                    (Ty::Adt(..), Some(low), Some(high)) => Value::list(vec![low, high]),
                    (Ty::Adt(..), Some(bound), None) | (Ty::Adt(..), None, Some(bound)) => {
                        Value::list(vec![bound])
                    }
                    (_, low, high) => {
                        let bound = |bound: Option<Value>| bound.unwrap_or_else(Value::unit);
                        Value::variant(u32::from(*inclusive), vec![bound(low), bound(high)])
                    }
                })
            }
            ExprKind::Block { .. }
            | ExprKind::If { .. }
            | ExprKind::Match(..)
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break(..)
            | ExprKind::Continue(_)
            | ExprKind::Return(_)
            | ExprKind::Try(_) => self.controlled(frame, id),
            ExprKind::Assert(cond) => {
                let value = self.value(frame, *cond)?;
                self.mark(frame, id, BEGUN);
                if self.number(&value)? == 0 { Err(Flow::Panic) } else { Ok(Value::unit()) }
            }
            ExprKind::AssertCompare { equal, left, right } => {
                let (one, one_ty) = self.looked_at(frame, *left)?;
                let (other, other_ty) = self.looked_at(frame, *right)?;
                self.mark(frame, id, BEGUN);
                let op = if *equal { CompareOp::Equal } else { CompareOp::NotEqual };
                match self.compared(op, (&one, &one_ty), (&other, &other_ty))? {
                    true => Ok(Value::unit()),
                    false => Err(Flow::Panic),
                }
            }
            ExprKind::Panic(arguments) => {
                for argument in arguments {
                    self.looked_at(frame, *argument)?;
                }
                Err(Flow::Panic)
            }
            // Without a logger nothing is evaluated, and who sets one is not followed.
            ExprKind::Format { gives: Formatted::Line, .. } => Ok(Value::unit()),
            ExprKind::Format { arguments, gives, pieces } => {
                self.formats(frame, id, arguments, (*gives, pieces.as_deref()))
            }
            ExprKind::Closure(closure) => {
                let Ty::Callable(Called::Closure(_), _) = ty else {
                    return Err(Flow::Stop("a closure among others"));
                };
                let (mut names, mut held) = (Vec::with_capacity(closure.names.len()), Vec::new());
                for local in &closure.names {
                    // What is declared later is not there yet.
                    let Some(slot) = frame.locals[local.index()] else {
                        return Err(Flow::Stop("a local that is not there"));
                    };
                    let ty = &typing.locals[local.index()];
                    if self.ends(ty) {
                        return Err(Flow::Stop("a closure that keeps values with an end"));
                    }
                    match closure.by_move {
                        true => held.push((*local, self.memory.load(&Place::of(slot))?)),
                        false => names.push((*local, slot)),
                    }
                }
                let typing = typing.clone();
                Ok(Value::Closure(Made { code: frame.code, typing, expr: id, names, held }.into()))
            }
            ExprKind::Opaque(opaque) => match opaque.idle {
                true => Ok(Value::Unseen),
                false => Err(Flow::Stop(opaque.reason)),
            },
            ExprKind::Float(None, _) | ExprKind::Table(..) | ExprKind::Any(_) | ExprKind::Assume(_) => {
                Err(Flow::Stop("an expression that is not followed"))
            }
        }
    }

    /// What is written in the text: one place, whoever comes there.
    fn written(
        &mut self,
        frame: &Frame<'f>,
        id: ExprId,
        value: impl FnOnce(&mut Self) -> Value,
    ) -> Flowing<Place> {
        let key = (frame.code, id);
        if let Some(slot) = self.texts.get(&key) {
            return Ok(Place::of(*slot));
        }
        let value = value(self);
        let place = self.placed(value)?;
        self.texts.insert(key, place.slot);
        Ok(place)
    }

    /// The value of an expression as one of this type.
    pub(super) fn fitting(&mut self, frame: &mut Frame<'f>, id: ExprId, wanted: &Ty) -> Flowing<Value> {
        let value = self.value(frame, id)?;
        let typing = frame.typing.clone();
        self.fitted(value, &typing.exprs[id.index()], wanted)
    }

    /// A value that is only looked at: of a place the value there, which stays.
    pub(super) fn looked_at(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<(Value, Ty)> {
        let ty = frame.typing.exprs[id.index()].clone();
        if self.is_place(frame, id) {
            let place = self.place(frame, id)?;
            let value = match frame.typing.behind.contains_key(&id) {
                true => Value::Place(place.into()),
                false => self.memory.load(&place)?,
            };
            return Ok((value, ty));
        }
        let value = self.value(frame, id)?;
        if self.ends(&ty) {
            let slot = self.memory.new_slot(value.clone())?;
            self.owns(frame, slot, &ty, false);
        }
        Ok((value, ty))
    }

    fn named(&mut self, frame: &mut Frame<'f>, id: ExprId, ty: &Ty) -> Flowing<Value> {
        match frame.typing.paths.get(&id).cloned() {
            Some(Named::Number(value)) => {
                let Ty::Integer(integer) = ty else {
                    return value.to_i128().map(Value::Number).ok_or(Flow::Stop("a number"));
                };
                let number = value.to_i128().ok_or("a number that is too large");
                Ok(Value::Number(number.or_else(|_| wide(&value, *integer))?))
            }
            Some(Named::Variant(_, variant)) => Ok(Value::variant(variant, Vec::new())),
            Some(Named::Constant(constant, arguments)) => {
                let place = self.constant_place(constant, &arguments)?;
                Ok(self.memory.load(&place)?)
            }
            Some(Named::Callable) => Ok(Value::unit()),
            _ => Err(Flow::Stop("a name that is not understood")),
        }
    }

    fn structure(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        fields: &[(String, ExprId)],
        base: Option<ExprId>,
    ) -> Flowing<Value> {
        let typing = frame.typing.clone();
        let (Some((adt, variant)), Ty::Adt(_, arguments)) =
            (typing.structures.get(&id).copied(), &typing.exprs[id.index()])
        else {
            return Err(Flow::Stop("a structure of unknown type"));
        };
        let declared = &self.context.items.adt(adt).variants[variant as usize].fields;
        let mut list: Vec<Option<Value>> = vec![None; declared.len()];
        let mut waiting = Waiting::default();
        for (name, value) in fields {
            let Some(index) = declared.iter().position(|field| field.name == *name) else {
                return Err(Flow::Stop("a field that is not known"));
            };
            let wanted = self.context.field_type(adt, variant, index, arguments);
            let value = self.fitting(frame, *value, &wanted);
            list[index] = Some(waiting.with(self.ends(&wanted), value)?);
        }
        if let Some(base) = base {
            let place = self.place(frame, base);
            let place = waiting.with(false, place)?;
            for (index, field) in list.iter_mut().enumerate().filter(|(_, field)| field.is_none()) {
                let ty = self.context.field_type(adt, variant, index, arguments);
                *field = Some(self.taken(&place.at(index as u32), &ty)?);
            }
        }
        let list: Option<Vec<Value>> = list.into_iter().collect();
        let list = list.ok_or("a field that is not there")?;
        Ok(Value::variant(variant, list))
    }

    fn assigned(&mut self, frame: &mut Frame<'f>, left: ExprId, right: ExprId) -> Flowing<Value> {
        let body = frame.body;
        let typing = frame.typing.clone();
        if let ExprKind::Underscore = body.expr(left).kind {
            match self.is_place(frame, right) {
                true => drop(self.place(frame, right)?),
                false => {
                    let value = self.value(frame, right)?;
                    self.ended(value, &typing.exprs[right.index()])?;
                }
            }
            return Ok(Value::unit());
        }
        if body.taking_apart(left).is_some() {
            let value = self.value(frame, right)?;
            let ty = &typing.exprs[right.index()];
            if self.ends(ty) {
                return Err(Flow::Stop("an assignment that takes a value with an end apart"));
            }
            self.taken_apart(frame, left, value)?;
            return Ok(Value::unit());
        }
        let ty = typing.exprs[left.index()].clone();
        let value = self.fitting(frame, right, &ty)?;
        if let ExprKind::Local(local) = body.expr(left).kind
            && frame.locals[local.index()].is_none()
        {
            // `let x;`, written for the first time.
            self.bound(frame, local, value)?;
            self.mark(frame, left, DONE | BEGUN);
            return Ok(Value::unit());
        }
        let place = self.place(frame, left)?;
        self.replaced(&place, &ty, value)?;
        Ok(Value::unit())
    }

    fn taken_apart(&mut self, frame: &mut Frame<'f>, left: ExprId, value: Value) -> Flowing<()> {
        let body = frame.body;
        let Some(places) = body.taking_apart(left) else {
            if matches!(body.expr(left).kind, ExprKind::Underscore) {
                return Ok(());
            }
            let ty = frame.typing.exprs[left.index()].clone();
            if let ExprKind::Local(local) = body.expr(left).kind
                && frame.locals[local.index()].is_none()
            {
                return self.bound(frame, local, value);
            }
            let place = self.place(frame, left)?;
            return self.replaced(&place, &ty, value);
        };
        let plain = |id: &ExprId| !matches!(body.expr(*id).kind, ExprKind::Range { .. });
        if !matches!(body.expr(left).kind, ExprKind::Tuple(_) | ExprKind::Array(_))
            || !places.iter().all(plain)
        {
            return Err(Flow::Stop("an assignment that takes a value apart"));
        }
        let parts = value.into_parts()?;
        for (place, part) in places.into_iter().zip(parts.list) {
            self.taken_apart(frame, place, part)?;
        }
        Ok(())
    }

    /// The number that a value is; what is unseen decides nothing.
    pub(super) fn number(&self, value: &Value) -> Flowing<i128> {
        match value {
            Value::Number(number) => Ok(*number),
            Value::Place(place) if place.part.is_none() => {
                let inner = self.memory.whole(place)?.clone();
                self.number(&inner)
            }
            Value::Unseen | Value::Between(..) => Err(Flow::Stop(UNKNOWN)),
            _ => Err(Flow::Stop("a value that is no number")),
        }
    }

    pub(super) fn size(&self, value: &Value) -> Flowing<usize> {
        let number = self.number(value)?;
        Ok(usize::try_from(number).map_err(|_| "a size that is too large")?)
    }
}

pub(super) fn is_primitive(ty: &Ty) -> bool {
    matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Float(_) | Ty::Char)
}

/// The bits of a number beyond `i128`.
fn wide(value: &kleene_domains::int::Int, integer: Integer) -> Flowing<i128> {
    if integer.ty.signed || integer.ty.bits < 128 {
        return Err(Flow::Stop("a number that is too large"));
    }
    let two = kleene_domains::int::Int::from(2).pow(128);
    (value - &two).to_i128().ok_or(Flow::Stop("a number that is too large"))
}
