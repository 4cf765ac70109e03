//! How values compare: what is derived part by part, lists element by element, and what types say themselves.

use std::cmp::Ordering;

use kleene_domains::expr::CompareOp;

use super::super::hir::Mutability;
use super::super::items::AdtKind;
use super::super::types::{Length, Ty};
use super::either::UNKNOWN;
use super::evaluate::is_primitive;
use super::number::compared;
use super::value::Value;
use super::{Flow, Flowing, Follower};

const DEPTH_LIMIT: usize = 200;

impl Follower<'_, '_> {
    pub(super) fn compared(
        &mut self,
        op: CompareOp,
        (one, one_ty): (&Value, &Ty),
        (other, other_ty): (&Value, &Ty),
    ) -> Flowing<bool> {
        match op {
            CompareOp::Equal => self.equal((one, one_ty), (other, other_ty), 0),
            CompareOp::NotEqual => Ok(!self.equal((one, one_ty), (other, other_ty), 0)?),
            _ => {
                let order = self.ordered((one, one_ty), (other, other_ty), "PartialOrd", 0)?;
                Ok(match (op, order) {
                    (_, None) => false,
                    (CompareOp::Less, Some(order)) => order.is_lt(),
                    (CompareOp::LessEqual, Some(order)) => order.is_le(),
                    (CompareOp::Greater, Some(order)) => order.is_gt(),
                    (_, Some(order)) => order.is_ge(),
                })
            }
        }
    }

    /// Whether a relation holds; of numbers that nobody knows that is not known either.
    pub(super) fn related(
        &mut self,
        op: CompareOp,
        (one, one_ty): (&Value, &Ty),
        (other, other_ty): (&Value, &Ty),
    ) -> Flowing<Value> {
        let numbers = is_primitive(one_ty.behind()) && is_primitive(other_ty.behind());
        match self.compared(op, (one, one_ty), (other, other_ty)) {
            Err(Flow::Stop(UNKNOWN)) if numbers => {}
            holds => return Ok(Value::truth(holds?)),
        }
        let known = one.range().zip(other.range()).and_then(|(one, other)| apart(op, one, other));
        Ok(known.map_or(Value::Unseen, Value::truth))
    }

    /// What lies behind borrows and boxes of a value, and its type.
    fn plain(&self, value: &Value, ty: &Ty) -> Flowing<(Value, Ty)> {
        let (mut value, mut ty) = (value.clone(), ty.clone());
        loop {
            match &ty {
                Ty::Reference(_, inner) => {
                    value = match &value {
                        Value::Place(place) => self.memory.load(place)?,
                        Value::Unseen => Value::Unseen,
                        _ => return Err(Flow::Stop("a borrow that is none")),
                    };
                    ty = (**inner).clone();
                }
                Ty::Adt(..) => match self.context.dereferenced(&ty) {
                    Some(inner) => {
                        value = match &value {
                            Value::Parts(parts) => parts.list.first().cloned().ok_or("a part")?,
                            Value::Unseen => Value::Unseen,
                            _ => return Err(Flow::Stop("a value of another kind")),
                        };
                        ty = inner;
                    }
                    None => return Ok((value, ty)),
                },
                _ => return Ok((value, ty)),
            }
        }
    }

    pub(super) fn equal(
        &mut self,
        (one, one_ty): (&Value, &Ty),
        (other, other_ty): (&Value, &Ty),
        depth: usize,
    ) -> Flowing<bool> {
        self.count()?;
        if depth > DEPTH_LIMIT {
            return Err(Flow::Stop("values in values"));
        }
        let (one, one_ty) = self.plain(one, one_ty)?;
        let (other, other_ty) = self.plain(other, other_ty)?;
        match (&one_ty, &other_ty) {
            (ty, _) if self.context.is_pointer(ty) => match (&one, &other) {
                (Value::Place(one), Value::Place(other)) => Ok(self.pointers(ty, one, other)?.is_eq()),
                _ => Err(Flow::Stop("a pointer that nobody knows")),
            },
            (Ty::Integer(_) | Ty::Bool | Ty::Char, Ty::Integer(_) | Ty::Bool | Ty::Char) => {
                Ok(self.number(&one)? == self.number(&other)?)
            }
            (Ty::Float(bits), Ty::Float(_)) => {
                let (one, other) = (self.number(&one)?, self.number(&other)?);
                Ok(floats(*bits, one, other) == Some(Ordering::Equal))
            }
            (Ty::Tuple(parts), Ty::Tuple(others)) if parts.len() == others.len() => {
                let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                for (index, (part, with)) in parts.iter().zip(others).enumerate() {
                    let pair = ((&one.list[index], part), (&other.list[index], with));
                    if !self.equal(pair.0, pair.1, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Ty::Array(element, _) | Ty::Slice(element), Ty::Array(with, _) | Ty::Slice(with)) => {
                let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                if one.list.len() != other.list.len() {
                    return Ok(false);
                }
                for (left, right) in one.list.iter().zip(&other.list) {
                    if !self.equal((left, element), (right, with), depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Ty::Str, Ty::Str) => {
                let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                if one.list.len() != other.list.len() {
                    return Ok(false);
                }
                for (left, right) in one.list.iter().zip(&other.list) {
                    if self.number(left)? != self.number(right)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Ty::Adt(id, arguments), _) => {
                let adt = self.context.items.adt(*id);
                if one_ty == other_ty && adt.derives.contains("PartialEq") && !adt.opaque {
                    let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                    if one.tag != other.tag {
                        return Ok(false);
                    }
                    let variant = if adt.kind == AdtKind::Enum { one.tag } else { 0 };
                    let field = |at: usize| self.context.field_type(*id, variant, at, arguments);
                    let fields: Vec<Ty> = (0..one.list.len()).map(field).collect();
                    return self.equal_fields(&one.list, &other.list, &fields, depth);
                }
                let own = self.own_method(&one_ty, "cmp::PartialEq", "eq", Some(&other_ty));
                let own = own.filter(|(function, _)| !self.says(*function, "ne"));
                let Some((function, generics)) = own else {
                    return Err(Flow::Stop("a comparison of values of this type"));
                };
                let answer = self.asked((function, generics), one, other)?;
                Ok(self.number(&answer)? != 0)
            }
            _ => Err(Flow::Stop("a comparison of values of this type")),
        }
    }

    /// What is derived looks at numbers before it calls anybody, whatever the order of the fields.
    fn equal_fields(&mut self, one: &[Value], other: &[Value], fields: &[Ty], depth: usize) -> Flowing<bool> {
        let calls = |ty: &Ty| !self.equals_plainly(ty, 0);
        let calls: Vec<bool> = fields.iter().map(calls).collect();
        for calling in [false, true] {
            for (at, ty) in fields.iter().enumerate().filter(|(at, _)| calls[*at] == calling) {
                if !self.equal((&one[at], ty), (&other[at], ty), depth + 1)? {
                    return match !calling && calls.contains(&true) {
                        true => Err(Flow::Stop("the order in which fields are compared")),
                        false => Ok(false),
                    };
                }
            }
        }
        Ok(true)
    }

    /// Whether no code of the crate is called where values of this type are compared.
    fn equals_plainly(&self, ty: &Ty, depth: usize) -> bool {
        let plainly = |ty: &Ty| self.equals_plainly(ty, depth + 1);
        match ty {
            _ if depth > 12 => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => true,
            Ty::Reference(_, inner) | Ty::Array(inner, _) | Ty::Slice(inner) => plainly(inner),
            Ty::Tuple(parts) => parts.iter().all(plainly),
            Ty::Adt(id, arguments) => {
                let adt = self.context.items.adt(*id);
                match self.context.items.is_std_module(adt.module) {
                    true => arguments.iter().all(plainly),
                    false => {
                        adt.derives.contains("PartialEq")
                            && self.context.field_types(*id, arguments).iter().all(plainly)
                    }
                }
            }
            _ => false,
        }
    }

    /// What a method of a type answers about two values.
    fn asked(
        &mut self,
        (function, generics): (super::super::hir::FnId, Vec<Ty>),
        one: Value,
        other: Value,
    ) -> Flowing<Value> {
        let parameters = self.parameters(function, &generics);
        let both = parameters.iter().all(|ty| matches!(ty, Ty::Reference(Mutability::Shared, _)));
        if !both {
            return Err(Flow::Stop("a comparison of values of this type"));
        }
        let (one, other) = (self.placed(one)?, self.placed(other)?);
        self.call(function, &generics, vec![Value::Place(one.into()), Value::Place(other.into())])
    }

    /// `None` where two values have no order.
    pub(super) fn ordered(
        &mut self,
        (one, one_ty): (&Value, &Ty),
        (other, other_ty): (&Value, &Ty),
        derived: &str,
        depth: usize,
    ) -> Flowing<Option<Ordering>> {
        self.count()?;
        if depth > DEPTH_LIMIT {
            return Err(Flow::Stop("values in values"));
        }
        let (one, one_ty) = self.plain(one, one_ty)?;
        let (other, other_ty) = self.plain(other, other_ty)?;
        match (&one_ty, &other_ty) {
            (ty, _) if self.context.is_pointer(ty) => match (&one, &other) {
                (Value::Place(one), Value::Place(other)) => Ok(Some(self.pointers(ty, one, other)?)),
                _ => Err(Flow::Stop("a pointer that nobody knows")),
            },
            (Ty::Integer(integer), Ty::Integer(_)) => {
                Ok(Some(compared(integer.ty, self.number(&one)?, self.number(&other)?)))
            }
            (Ty::Bool | Ty::Char, Ty::Bool | Ty::Char) => {
                Ok(Some(self.number(&one)?.cmp(&self.number(&other)?)))
            }
            (Ty::Float(bits), Ty::Float(_)) => Ok(floats(*bits, self.number(&one)?, self.number(&other)?)),
            (Ty::Tuple(parts), Ty::Tuple(others)) if parts == others => {
                let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                for (index, part) in parts.iter().enumerate() {
                    let pair = ((&one.list[index], part), (&other.list[index], part));
                    match self.ordered(pair.0, pair.1, derived, depth + 1)? {
                        Some(Ordering::Equal) => {}
                        found => return Ok(found),
                    }
                }
                Ok(Some(Ordering::Equal))
            }
            (Ty::Str, Ty::Str) => self.ordered_lists(&one, &other, &super::super::types::U8, derived, depth),
            (
                Ty::Array(element, Length::Known(_)) | Ty::Slice(element),
                Ty::Array(with, _) | Ty::Slice(with),
            ) if element == with => {
                let element = (**element).clone();
                self.ordered_lists(&one, &other, &element, derived, depth)
            }
            (Ty::Adt(id, arguments), _) if one_ty == other_ty => {
                let adt = self.context.items.adt(*id);
                let plain = adt.variants.iter().all(|variant| variant.discriminant.is_none());
                let standard = self.context.items.is_std_module(adt.module);
                if !standard && !adt.derives.contains(derived) {
                    return self.ordered_by_itself(&one_ty, one, other, derived);
                }
                if adt.opaque || !adt.derives.contains(derived) || !plain && !standard {
                    return Err(Flow::Stop("a comparison of values of this type"));
                }
                let turned = self.context.items.is_standard(*id, "Reverse");
                let (one, other) = if turned { (other, one) } else { (one, other) };
                let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
                if adt.kind == AdtKind::Enum && one.tag != other.tag {
                    return Ok(Some(one.tag.cmp(&other.tag)));
                }
                let variant = if adt.kind == AdtKind::Enum { one.tag } else { 0 };
                for (index, (left, right)) in one.list.iter().zip(&other.list).enumerate() {
                    let ty = self.context.field_type(*id, variant, index, arguments);
                    match self.ordered((left, &ty), (right, &ty), derived, depth + 1)? {
                        Some(Ordering::Equal) => {}
                        found => return Ok(found),
                    }
                }
                Ok(Some(Ordering::Equal))
            }
            _ => Err(Flow::Stop("a comparison of values of this type")),
        }
    }

    /// What a type says itself, and says in one way only.
    fn ordered_by_itself(
        &mut self,
        ty: &Ty,
        one: Value,
        other: Value,
        derived: &str,
    ) -> Flowing<Option<Ordering>> {
        let partial = derived == "PartialOrd";
        let (of_trait, name) = if partial { ("cmp::PartialOrd", "partial_cmp") } else { ("cmp::Ord", "cmp") };
        let own = self.own_method(ty, of_trait, name, Some(ty));
        let own = own.filter(|(id, _)| !["lt", "le", "gt", "ge"].iter().any(|name| self.says(*id, name)));
        let Some((function, generics)) = own else {
            return Err(Flow::Stop("a comparison of values of this type"));
        };
        let answer = self.asked((function, generics), one, other)?;
        let order = match (partial, answer.parts()?) {
            (true, option) if option.tag == 0 => return Ok(None),
            (true, option) => option.list.first().ok_or("an order")?.parts()?.tag,
            (false, order) => order.tag,
        };
        Ok(Some(match order {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        }))
    }

    fn ordered_lists(
        &mut self,
        one: &Value,
        other: &Value,
        element: &Ty,
        derived: &str,
        depth: usize,
    ) -> Flowing<Option<Ordering>> {
        let (one, other) = (one.parts()?.clone(), other.parts()?.clone());
        for (left, right) in one.list.iter().zip(&other.list) {
            match self.ordered((left, element), (right, element), derived, depth + 1)? {
                Some(Ordering::Equal) => {}
                found => return Ok(found),
            }
        }
        Ok(Some(one.list.len().cmp(&other.list.len())))
    }
}

fn floats(bits: u32, one: i128, other: i128) -> Option<Ordering> {
    match bits {
        32 => f32::from_bits(one as u32).partial_cmp(&f32::from_bits(other as u32)),
        _ => f64::from_bits(one as u64).partial_cmp(&f64::from_bits(other as u64)),
    }
}

/// Whether a relation holds between any numbers in two ranges, if that says it.
fn apart(op: CompareOp, (least, most): (i128, i128), (low, high): (i128, i128)) -> Option<bool> {
    match op {
        CompareOp::Less if most < low => Some(true),
        CompareOp::Less if least >= high => Some(false),
        CompareOp::LessEqual if most <= low => Some(true),
        CompareOp::LessEqual if least > high => Some(false),
        CompareOp::Greater | CompareOp::GreaterEqual => apart(op.swapped(), (low, high), (least, most)),
        CompareOp::Equal if most < low || least > high => Some(false),
        CompareOp::NotEqual if most < low || least > high => Some(true),
        _ => None,
    }
}
