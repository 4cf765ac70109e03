//! What the rows of the std table mean, on whole values.

use super::super::hir::{ExprId, ExprKind, Mutability};
use super::super::items::{AdtKind, Definition};
use super::super::std_table::Meaning;
use super::super::types::{Length, Ty};
use super::ends::Waiting;
use super::marks::BEGUN;
use super::number::fits;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame};

/// Whether what stays the same value is given away: a clone is not.
fn is_moved(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Method { name, .. } => name == "into",
        kind => matches!(kind, ExprKind::Call(..)),
    }
}

/// The variants of `Bound`.
const INCLUDED: u32 = 0;
const EXCLUDED: u32 = 1;
const UNBOUNDED: u32 = 2;

pub(super) const FALSE_NUMBER: &str = "an operation on a value of unknown type";

impl<'f> Follower<'f, '_> {
    pub(super) fn standard(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        (meaning, own): (Meaning, &Ty),
        operands: &[ExprId],
        ty: &Ty,
    ) -> Flowing<Value> {
        let typing = frame.typing.clone();
        match meaning {
            Meaning::Slice(op) => return self.sequence(frame, id, (op, own), operands, ty),
            Meaning::Exit => return Err(Flow::Stop("the program ends")),
            Meaning::Drop => {
                for operand in operands {
                    let value = self.value(frame, *operand)?;
                    self.mark(frame, id, BEGUN);
                    if *own == Ty::Opaque {
                        return Err(Flow::Stop("the end of a value of unknown type"));
                    }
                    self.ended(value, &typing.exprs[operand.index()])?;
                }
                return Ok(Value::unit());
            }
            Meaning::SizeOf => {
                self.mark(frame, id, BEGUN);
                let size = self.context.exact_size(own).or_else(|| Some(self.layout(own)?.0));
                return Ok(size.map_or(Value::Unseen, |size| Value::Number(size.into())));
            }
            Meaning::AlignOf => {
                self.mark(frame, id, BEGUN);
                let alignment = self.layout(own).map(|(_, alignment)| alignment);
                return Ok(alignment.map_or(Value::Unseen, |size| Value::Number(size.into())));
            }
            Meaning::AboutBytes => return Ok(Value::Number(self.context.bytes(own).into())),
            Meaning::Length => {
                let place = self.place(frame, operands[0])?;
                let (list, _) = self.list_at(frame, place, operands[0])?;
                self.mark(frame, id, BEGUN);
                return Ok(Value::size(self.memory.length(&list)?));
            }
            Meaning::StartBound | Meaning::EndBound => {
                let place = self.place(frame, operands[0])?;
                let (place, _) = self.referred(place, &typing.exprs[operands[0].index()])?;
                self.mark(frame, id, BEGUN);
                return self.range_bound(&place, own, meaning);
            }
            Meaning::HasTag(tag) => {
                let (value, ty) = self.looked_at(frame, operands[0])?;
                self.mark(frame, id, BEGUN);
                let value = self.behind(value, &ty)?;
                return Ok(match value {
                    Value::Unseen => Value::Unseen,
                    value => Value::truth(value.parts()?.tag == tag),
                });
            }
            Meaning::Default => {
                self.mark(frame, id, BEGUN);
                return self.default_value(own, 0);
            }
            Meaning::Iterate | Meaning::Walked(_) | Meaning::Reversed | Meaning::StepBy => {
                return Err(Flow::Stop("an iterator that is not followed"));
            }
            Meaning::Unwrap | Meaning::UnwrapErr => {
                // What a message is made of comes first.
                let value = self.value(frame, operands[0])?;
                let mut waiting = Waiting::default();
                waiting.with(self.ends(own), Ok(()))?;
                for operand in &operands[1..] {
                    let message = self.looked_at(frame, *operand);
                    waiting.with(false, message)?;
                }
                self.mark(frame, id, BEGUN);
                let Ty::Adt(adt, _) = own else { return Err(Flow::Stop("an unwrap")) };
                let option = self.context.items.is_standard(*adt, "Option");
                let good = u32::from(option || meaning == Meaning::UnwrapErr);
                let mut parts = value.into_parts()?;
                return match parts.tag == good {
                    true => Ok(parts.list.swap_remove(0)),
                    false => Err(Flow::Panic),
                };
            }
            _ => {}
        }
        // A part of a list as an array that is lent.
        if let (Meaning::TryFrom, [list], Ty::Reference(mutability, _)) = (meaning, operands, own)
            && let of @ Ty::Slice(_) = &typing.exprs[list.index()]
        {
            let place = self.place(frame, *list)?;
            self.mark(frame, id, BEGUN);
            let of = Ty::Reference(*mutability, Box::new(of.clone()));
            return self.try_from((Value::Place(place.into()), of), own, ty);
        }
        let identity = meaning == Meaning::Identity;
        if let ([only], true) = (operands, identity)
            && *ty == typing.exprs[only.index()]
            && self.ends(ty)
            && is_moved(&frame.body.expr(id).kind)
        {
            let value = self.value(frame, *only)?;
            self.mark(frame, id, BEGUN);
            return Ok(value);
        }
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            let of = typing.exprs[operand.index()].clone();
            if self.ends(&of) && (identity || operands.len() > 1) {
                return Err(Flow::Stop("a value with an end in an operation of std"));
            }
            // A clone leaves what it is made of.
            values.push(match identity || matches!(of, Ty::Reference(..)) {
                true => self.looked_at(frame, *operand)?,
                false => (self.value(frame, *operand)?, of),
            });
        }
        self.mark(frame, id, BEGUN);
        match meaning {
            Meaning::Identity => {
                let (value, of) = values.swap_remove(0);
                match (&of, ty) {
                    (Ty::Reference(..), Ty::Reference(..)) => self.fitted(value, &of, ty),
                    _ => {
                        let value = self.behind(value, &of)?;
                        self.fitted(value, of.behind(), ty)
                    }
                }
            }
            Meaning::From => self.made_from(values.swap_remove(0), ty),
            Meaning::TryFrom => self.try_from(values.swap_remove(0), own, ty),
            Meaning::Compare
            | Meaning::PartialCompare
            | Meaning::Relation(_)
            | Meaning::Min
            | Meaning::Max
                if !matches!(own, Ty::Integer(_))
                    || matches!(meaning, Meaning::PartialCompare | Meaning::Relation(_)) =>
            {
                self.relation(meaning, values)
            }
            _ => {
                let Ty::Integer(integer) = own else { return Err(Flow::Stop(FALSE_NUMBER)) };
                self.integer_method(meaning, *integer, &values, ty)
            }
        }
    }

    /// Where a range begins or ends: a bound that lends what is there.
    fn range_bound(&mut self, range: &Place, ty: &Ty, meaning: Meaning) -> Flowing<Value> {
        let Ty::Range(bound) = ty else { return Err(Flow::Stop("a range that is not understood")) };
        if !matches!(**bound, Ty::Integer(_) | Ty::Char | Ty::Reference(..)) {
            return Err(Flow::Stop("a range that is not understood"));
        }
        let inclusive = self.memory.whole(range)?.parts()?.tag == 1;
        let (at, tag) = match (meaning, inclusive) {
            (Meaning::EndBound, false) => (1, EXCLUDED),
            (Meaning::EndBound, true) => (1, INCLUDED),
            _ => (0, INCLUDED),
        };
        let place = range.at(at);
        match self.memory.whole(&place)? {
            Value::Parts(parts) if parts.list.is_empty() => Ok(Value::variant(UNBOUNDED, Vec::new())),
            _ => Ok(Value::variant(tag, vec![Value::Place(place.into())])),
        }
    }

    fn list_at(
        &mut self,
        frame: &Frame<'f>,
        place: super::value::Place,
        id: ExprId,
    ) -> Flowing<(super::value::Place, bool)> {
        let ty = frame.typing.exprs[id.index()].clone();
        match frame.typing.behind.contains_key(&id) {
            true => self.list(place, ty.behind()),
            false => self.list(place, &ty),
        }
    }

    /// What lies behind the borrows of a value.
    pub(super) fn behind(&self, mut value: Value, ty: &Ty) -> Flowing<Value> {
        let mut ty = ty;
        while let Ty::Reference(_, inner) = ty {
            value = match &value {
                Value::Place(place) => self.memory.load(place)?,
                Value::Unseen => Value::Unseen,
                _ => return Err(Flow::Stop("a borrow that is none")),
            };
            ty = inner;
        }
        Ok(value)
    }

    pub(super) fn default_value(&mut self, ty: &Ty, depth: u32) -> Flowing<Value> {
        if depth > 24 {
            return Err(Flow::Stop("a default value"));
        }
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) => return Ok(Value::Number(0)),
            Ty::Reference(_, inner) if matches!(**inner, Ty::Slice(_) | Ty::Str) => {
                let place = self.placed(Value::unit())?;
                return Ok(Value::Place(place.into()));
            }
            Ty::Tuple(parts) => {
                let list: Flowing<Vec<Value>> =
                    parts.iter().map(|part| self.default_value(part, depth + 1)).collect();
                return list.map(Value::list);
            }
            Ty::Array(element, Length::Known(length)) if *length <= 32 => {
                let list: Flowing<Vec<Value>> =
                    (0..*length).map(|_| self.default_value(element, depth + 1)).collect();
                return list.map(Value::list);
            }
            _ => {}
        }
        if let Some((function, generics)) = self.context.default_function(ty) {
            return self.call(function, &generics, Vec::new());
        }
        let Ty::Adt(id, arguments) = ty else { return Err(Flow::Stop("a default value")) };
        if let Some(variant) = self.context.default_variant(*id) {
            return Ok(Value::variant(variant, Vec::new()));
        }
        let items = self.context.items;
        let adt = items.adt(*id);
        // An empty text, list or option is what a type of std is by default.
        if ["Vec", "String", "VecDeque"].iter().any(|name| items.is_standard(*id, name))
            && let Some(Definition::Adt(_)) = items.standard("vec::Vec")
        {
            return match adt.variants[0].fields.len() {
                1 => Ok(Value::list(vec![Value::unit()])),
                _ => Err(Flow::Stop("a default value")),
            };
        }
        if items.is_standard(*id, "Option") {
            return Ok(Value::option(None));
        }
        let derived = adt.derives.contains("Default") || items.is_standard(*id, "Box");
        if adt.kind != AdtKind::Struct || adt.opaque || !derived {
            return Err(Flow::Stop("a default value"));
        }
        let fields = self.context.field_types(*id, arguments);
        let list: Flowing<Vec<Value>> =
            fields.iter().map(|field| self.default_value(field, depth + 1)).collect();
        list.map(Value::list)
    }

    /// `From` and `Into` between types of std.
    fn made_from(&mut self, (value, of): (Value, Ty), to: &Ty) -> Flowing<Value> {
        let number = |ty: &Ty| matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_));
        match (&of, to) {
            (Ty::Reference(_, inner), Ty::Adt(id, _))
                if **inner == Ty::Str && self.context.items.is_standard(*id, "String") =>
            {
                let text = self.behind(value, &of)?;
                Ok(Value::list(vec![text]))
            }
            (from, Ty::Adt(id, arguments))
                if self.context.items.is_standard(*id, "Option")
                    && arguments.as_slice() == [from.clone()] =>
            {
                Ok(Value::option(Some(value)))
            }
            (from, to) if number(from.behind()) && number(to) => {
                let value = self.behind(value, from)?;
                self.cast(value, from.behind(), to)
            }
            _ => Err(Flow::Stop("a conversion")),
        }
    }

    fn try_from(&mut self, (value, of): (Value, Ty), own: &Ty, ty: &Ty) -> Flowing<Value> {
        let failed = || Value::result(Err(Value::Unseen));
        if let (Ty::Integer(to), Ty::Integer(from)) = (own, of.behind()) {
            let value = self.behind(value, &of)?;
            let number = self.number(&value)?;
            let Ty::Adt(_, arguments) = ty else { return Err(Flow::Stop("a conversion")) };
            return Ok(match fits(from.ty, number, to.ty) {
                true => Value::result(Ok(Value::Number(number))),
                // An error of std says nothing else; one of an enumeration without values cannot be.
                false if arguments.len() == 2 => Value::result(Err(Value::unit())),
                false => failed(),
            });
        }
        if let (Ty::Char, Ty::Integer(_)) = (own, of.behind()) {
            let number = self.number(&value)?;
            let letter = u32::try_from(number).ok().and_then(char::from_u32);
            return Ok(letter.map_or_else(failed, |letter| Value::result(Ok(Value::Number(letter as i128)))));
        }
        if let (Ty::Adt(id, held), Value::Parts(parts)) = (own, &value)
            && self.context.items.is_standard(*id, "Box")
            && let Some(Ty::Array(_, Length::Known(length))) = held.first()
        {
            let count = parts.list.first().ok_or("a part")?.parts()?.list.len();
            return match count as u64 == *length {
                true => Ok(Value::result(Ok(value))),
                false => Ok(Value::result(Err(value))),
            };
        }
        // Elements that are looked at without a sign.
        if let (Ty::Array(element, Length::Known(length)), Ty::Slice(given), Value::Parts(parts)) =
            (own, &of, &value)
            && element == given
        {
            return Ok(match parts.list.len() as u64 == *length {
                true => Value::result(Ok(Value::list(parts.list.clone()))),
                false => failed(),
            });
        }
        let (Ty::Array(_, Length::Known(length)), Value::Place(place)) = (own.behind(), &value) else {
            return Err(Flow::Stop("a conversion"));
        };
        let (list, _) = match &of {
            Ty::Reference(_, inner) => self.list((**place).clone(), inner)?,
            _ => return Err(Flow::Stop("a conversion")),
        };
        if self.memory.length(&list)? as u64 != *length {
            return Ok(failed());
        }
        Ok(Value::result(Ok(match own {
            Ty::Reference(..) => Value::Place(list.into()),
            _ => Value::list(self.memory.elements(&list)?.to_vec()),
        })))
    }

    /// Methods of orders and equalities.
    fn relation(&mut self, meaning: Meaning, mut values: Vec<(Value, Ty)>) -> Flowing<Value> {
        if values.len() != 2 {
            return Err(Flow::Stop("a comparison"));
        }
        let (other, other_ty) = values.swap_remove(1);
        let (one, one_ty) = values.swap_remove(0);
        if let Meaning::Relation(op) = meaning {
            return Ok(Value::truth(self.compared(op, (&one, &one_ty), (&other, &other_ty))?));
        }
        let derived = if meaning == Meaning::PartialCompare { "PartialOrd" } else { "Ord" };
        let order = self.ordered((&one, &one_ty), (&other, &other_ty), derived, 0)?;
        let number = |order: std::cmp::Ordering| Value::variant((order as i8 + 1) as u32, Vec::new());
        match (meaning, order) {
            (Meaning::PartialCompare, order) => Ok(Value::option(order.map(number))),
            (_, None) => Err(Flow::Stop("a comparison")),
            (Meaning::Compare, Some(order)) => Ok(number(order)),
            // Of equal ones the second is the greater.
            (Meaning::Max, Some(order)) => Ok(if order.is_gt() { one } else { other }),
            (_, Some(order)) => Ok(if order.is_le() { one } else { other }),
        }
    }

    /// Whether closures in a value of this type may write to places around them.
    pub(super) fn writes(&self, ty: &Ty) -> bool {
        use super::super::types::Called;
        ty.any(&mut |part| match part {
            Ty::Callable(Called::Closure(id), _) => {
                let captures = self.context.captures(*id);
                !captures.plain || captures.lent.iter().any(|(_, _, writable)| *writable)
            }
            Ty::Reference(Mutability::Mutable, _) => true,
            _ => false,
        })
    }

    /// Texts that a number of another kind is read from.
    pub(super) fn read_from(&mut self, own: &Ty, text: &str) -> Flowing<Value> {
        let failed = Value::result(Err(Value::Unseen));
        let good = |number: i128| Value::result(Ok(Value::Number(number)));
        Ok(match own {
            Ty::Bool => text.parse::<bool>().map_or(failed, |truth| good(truth.into())),
            Ty::Char => text.parse::<char>().map_or(failed, |letter| good(letter as i128)),
            Ty::Float(32) => text.parse::<f32>().map_or(failed, |float| good(float.to_bits().into())),
            Ty::Float(64) => text.parse::<f64>().map_or(failed, |float| good(float.to_bits().into())),
            _ => return Err(Flow::Stop("a text read as a value of this type")),
        })
    }
}
