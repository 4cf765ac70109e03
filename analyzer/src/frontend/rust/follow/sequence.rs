//! What our own text of std is made of (`kleene::…` there), on whole lists.

use super::super::hir::{AdtId, ExprId, ExprKind, Mutability};
use super::super::items::{AdtKind, Arrangement, Definition};
use super::super::std_table::SliceOp;
use super::super::types::{Integer, Ty};
use super::marks::BEGUN;
use super::number::{compared, wrapped};
use super::value::{Place, Value};
use super::{Code, Flow, Flowing, FnId, Follower, Frame};

/// Lists beyond this length are not followed.
const LONGEST: usize = 1 << 20;

impl<'f> Follower<'f, '_> {
    pub(super) fn sequence(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        (op, own): (SliceOp, &Ty),
        operands: &[ExprId],
        ty: &Ty,
    ) -> Flowing<Value> {
        // What puts a list in order writes it, other than those that it asks.
        let module = |id: FnId| self.context.items.function(id).module;
        let orders = matches!((frame.code, self.asking),
            (Code::Function(own), Some(asking)) if module(own) == module(asking));
        if !orders || !matches!(op, SliceOp::Get | SliceOp::Put) {
            return self.sequence_of(frame, id, (op, own), operands, ty);
        }
        let sealed = self.memory.unsealed();
        let value = self.sequence_of(frame, id, (op, own), operands, ty);
        self.memory.seal_again(sealed);
        value
    }

    fn sequence_of(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        (op, own): (SliceOp, &Ty),
        operands: &[ExprId],
        ty: &Ty,
    ) -> Flowing<Value> {
        let typing = frame.typing.clone();
        let of = |id: &ExprId| &typing.exprs[id.index()];
        match (op, operands) {
            (SliceOp::Chosen, []) => self.chosen(frame, ty),
            (SliceOp::Empty, []) => Ok(self.slice(Value::unit(), ty)?),
            (SliceOp::Vector, [array]) => {
                let list = self.value(frame, *array)?;
                Ok(Value::list(vec![list]))
            }
            (SliceOp::Repeat, [element, count]) => {
                let wanted = self.context.element_type(ty).unwrap_or(Ty::Opaque);
                let element = self.fitting(frame, *element, &wanted)?;
                let count = self.value(frame, *count)?;
                let count = self.size(&count)?;
                if count > LONGEST {
                    return Err(Flow::Stop("a list that is too long"));
                }
                Ok(self.slice(Value::list(vec![element; count]), ty)?)
            }
            (SliceOp::Get, [list, index]) => {
                let list = self.list_of(frame, *list)?;
                let index = self.value(frame, *index)?;
                let at = self.size(&index)?;
                if at >= self.memory.length(&list)? {
                    return Err(Flow::Stop("an element that is not there"));
                }
                let element = self.context.element_type(of(&operands[0]));
                let element = match (element, self.context.behind(of(&operands[0]))) {
                    (Some(element), _) => element,
                    (None, Ty::Array(element, _)) => *element,
                    _ => return Err(Flow::Stop("an element of unknown type")),
                };
                let place = list.element(at as u32);
                // Where borrows of elements are given back, the text takes an element for its place.
                let lends = |part: &Ty| matches!(part, Ty::Reference(_, inner) if **inner == element);
                match ty {
                    Ty::Reference(_, inner) if **inner == element => Ok(Value::Place(place.into())),
                    ty if *ty == element && frame.standard && frame.result.any(&mut |part| lends(part)) => {
                        Ok(Value::Place(place.into()))
                    }
                    _ => {
                        let value = self.taken(&place, &element)?;
                        self.fitted(value, &element, ty)
                    }
                }
            }
            (SliceOp::Put, [list, index, value]) => {
                let place = self.list_of(frame, *list)?;
                let element = self.context.element_type(of(list));
                let element = match (element, self.context.behind(of(list))) {
                    (Some(element), _) => element,
                    (None, Ty::Array(element, _)) => *element,
                    _ => return Err(Flow::Stop("an element of unknown type")),
                };
                let index = self.value(frame, *index)?;
                let at = self.size(&index)?;
                let value = self.fitting(frame, *value, &element)?;
                if at >= self.memory.length(&place)? {
                    return Err(Flow::Stop("an element that is not there"));
                }
                let place = place.at(at as u32);
                let gone = matches!(self.memory.whole(&place)?, Value::Moved | Value::Unseen);
                if self.ends(&element) && !gone {
                    return Err(Flow::Stop("the end of a value in code of std"));
                }
                self.memory.store(&place, value)?;
                Ok(Value::unit())
            }
            (SliceOp::Part, [list, low, high]) => {
                let list = self.list_of(frame, *list)?;
                let low = self.value(frame, *low)?;
                let high = self.value(frame, *high)?;
                let (low, high) = (self.size(&low)?, self.size(&high)?);
                if low > high || high > self.memory.length(&list)? {
                    return Err(Flow::Stop("a part that is not there"));
                }
                let part = Value::Place(list.narrowed(low as u32, (high - low) as u32).into());
                match ty {
                    Ty::Reference(..) => Ok(part),
                    _ => Err(Flow::Stop("a part of unknown type")),
                }
            }
            (SliceOp::SetLength, [list, length]) => {
                let place = self.list_of(frame, *list)?;
                let length = self.value(frame, *length)?;
                let length = self.size(&length)?;
                if place.part.is_some() || length > LONGEST {
                    return Err(Flow::Stop("a list that is too long"));
                }
                let element = self.context.element_type(of(list)).unwrap_or(Ty::Opaque);
                let ends = self.ends(&element);
                let whole = self.memory.whole_mut(&place)?;
                whole.parts()?;
                let Value::Parts(parts) = whole else { return Err(Flow::Stop("a list")) };
                let parts = std::rc::Rc::make_mut(parts);
                let kept = parts.list.iter().skip(length).any(|value| !matches!(value, Value::Moved));
                if ends && kept {
                    return Err(Flow::Stop("the end of a value in code of std"));
                }
                let fill = if ends { Value::Moved } else { Value::Unseen };
                parts.list.resize(length, fill);
                self.memory.written(&place)?;
                Ok(Value::unit())
            }
            (SliceOp::Forget, [list]) => {
                let place = self.list_of(frame, *list)?;
                let element = self.context.element_type(of(list)).unwrap_or(Ty::Opaque);
                if self.ends(&element) {
                    return Err(Flow::Stop("the end of a value in code of std"));
                }
                for at in 0..self.memory.length(&place)? {
                    self.memory.store(&place.at(at as u32), Value::Unseen)?;
                }
                Ok(Value::unit())
            }
            (SliceOp::CheckIndex | SliceOp::CheckPanic, [cond]) => {
                if self.holds(frame, *cond)? {
                    Ok(Value::unit())
                } else {
                    Err(Flow::Panic)
                }
            }
            (SliceOp::Assume, [cond]) => match self.holds(frame, *cond)? {
                true => Ok(Value::unit()),
                false => Err(Flow::Stop("what happens is undefined")),
            },
            (SliceOp::Unseen, []) => match self.ends(ty) {
                false => self.absent(ty, 0),
                true => Err(Flow::Stop("a value that nobody knows")),
            },
            (SliceOp::Foreign, [value]) => {
                let (_, ty) = self.looked_at(frame, *value)?;
                match self.is_plain(&ty) {
                    true => Ok(Value::unit()),
                    false => Err(Flow::Stop("code of others with a value of this type")),
                }
            }
            (SliceOp::Writes, [value]) => Ok(Value::truth(self.writes(of(value)))),
            (SliceOp::ClonesPlainly, [value]) => {
                let plainly = match of(value) {
                    Ty::Reference(_, lent) => self.context.clones_plainly(lent, 0),
                    _ => false,
                };
                Ok(Value::truth(plainly))
            }
            (SliceOp::Cloned, [value]) => match self.context.clones_plainly(of(value), 0) {
                true => self.looked_at(frame, *value).map(|(value, _)| value),
                false => Err(Flow::Stop("a clone that its type makes itself")),
            },
            (SliceOp::Ordered, [one, other]) => {
                let (one, one_ty) = self.looked_at(frame, *one)?;
                let (other, other_ty) = self.looked_at(frame, *other)?;
                match self.ordered((&one, &one_ty), (&other, &other_ty), "Ord", 0)? {
                    Some(order) => Ok(Value::variant((order as i8 + 1) as u32, Vec::new())),
                    None => Err(Flow::Stop("a comparison")),
                }
            }
            (SliceOp::Equals, [one, other]) => {
                let (one, one_ty) = self.looked_at(frame, *one)?;
                let (other, other_ty) = self.looked_at(frame, *other)?;
                Ok(Value::truth(self.equal((&one, &one_ty), (&other, &other_ty), 0)?))
            }
            (SliceOp::OrdersPlainly | SliceOp::HashesPlainly, [all, one]) => {
                let element = self.context.element_type(of(all)).unwrap_or(Ty::Opaque);
                let derives: &[&str] =
                    if op == SliceOp::OrdersPlainly { &["Ord"] } else { &["Hash", "PartialEq"] };
                Ok(Value::truth(self.context.compares_plainly(&element, of(one), derives)))
            }
            (SliceOp::Ended, [value]) => match self.ends(of(value).behind()) {
                false => Ok(Value::unit()),
                true => Err(Flow::Stop("the end of a value in code of std")),
            },
            (SliceOp::Unknown, []) => Err(Flow::Stop("what std does there")),
            (SliceOp::Sight, []) => Ok(Value::size(usize::MAX >> 1)),
            (SliceOp::Add, [left, right]) => {
                let (left, right) = (self.value(frame, *left)?, self.value(frame, *right)?);
                Ok(Value::Number(self.number(&left)? + self.number(&right)?))
            }
            (SliceOp::Sub, [left, right]) => {
                let (left, right) = (self.value(frame, *left)?, self.value(frame, *right)?);
                Ok(Value::Number(self.number(&left)? - self.number(&right)?))
            }
            (SliceOp::Retype, [value]) => {
                // A value that stands for the place it was taken from: what is written there is lost.
                let (value, have) = self.looked_at(frame, *value)?;
                let lends = ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
                let held = have.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
                match lends && !held {
                    true => Err(Flow::Stop("a borrow of a value that nobody else sees")),
                    false => self.retyped(value, &have, ty),
                }
            }
            (SliceOp::Transmute, [value]) => {
                let (value, have) = self.looked_at(frame, *value)?;
                self.transmuted(value, &have, ty)
            }
            (SliceOp::FirstLetter | SliceOp::LastLetter, [text]) => {
                let place = self.list_of(frame, *text)?;
                let text = self.text_at(&place)?;
                let mut letters = text.chars();
                let letter = if op == SliceOp::FirstLetter { letters.next() } else { letters.next_back() };
                Ok(Value::Number(u32::from(letter.ok_or("a letter that is not there")?).into()))
            }
            (SliceOp::Boundary, [text, at]) => {
                let place = self.list_of(frame, *text)?;
                let at = self.value(frame, *at)?;
                let at = self.size(&at)?;
                Ok(Value::truth(self.is_boundary(&place, at)?))
            }
            (SliceOp::GetPart, [list, range]) => {
                let place = self.place(frame, *list)?;
                let of = of(list).clone();
                let of = if typing.behind.contains_key(list) { of.behind().clone() } else { of };
                let (place, text) = self.list(place, &of)?;
                let bounds = self.bounds(frame, *range)?;
                self.mark(frame, id, BEGUN);
                let part = self.part(&place, text, &bounds)?;
                Ok(Value::option(part.map(|part| Value::Place(part.into()))))
            }
            (SliceOp::Contains, [range, value]) => {
                let bounds = self.bounds(frame, *range)?;
                let value = self.value(frame, *value)?;
                self.mark(frame, id, BEGUN);
                let number = self.number(&value)?;
                let int = match own {
                    Ty::Integer(integer) => integer.ty,
                    Ty::Char => kleene_domains::machine::IntType::U32,
                    _ => return Err(Flow::Stop("a range of values of this type")),
                };
                let mut inside = true;
                if let Some(low) = &bounds.low {
                    inside &= compared(int, self.number(low)?, number).is_le();
                }
                if let Some(high) = &bounds.high {
                    let order = compared(int, number, self.number(high)?);
                    inside &= order.is_lt() || bounds.inclusive && order.is_eq();
                }
                Ok(Value::truth(inside))
            }
            (SliceOp::Parse, [text]) => {
                let place = self.list_of(frame, *text)?;
                self.mark(frame, id, BEGUN);
                match own {
                    Ty::Integer(_) => {
                        let Some(Definition::Function(function)) = self.context.items.standard("num::parsed")
                        else {
                            return Err(Flow::Stop("a text read as a number"));
                        };
                        self.call(function, std::slice::from_ref(own), vec![Value::Place(place.into())])
                    }
                    own => {
                        let text = self.text_at(&place)?;
                        self.read_from(own, &text)
                    }
                }
            }
            _ => Err(Flow::Stop("an operation that is not carried out")),
        }
    }

    /// A list as what is expected: itself, or a borrow of it.
    fn slice(&mut self, list: Value, ty: &Ty) -> Flowing<Value> {
        match ty {
            Ty::Reference(..) => {
                let place = self.placed(list)?;
                Ok(Value::Place(place.into()))
            }
            _ => Ok(list),
        }
    }

    /// The list that an argument stands for.
    fn list_of(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Place> {
        let inner = match &frame.body.expr(id).kind {
            ExprKind::Reference(_, inner) => *inner,
            _ => id,
        };
        let ty = frame.typing.exprs[inner.index()].clone();
        let place = self.place(frame, inner)?;
        let ty = if frame.typing.behind.contains_key(&inner) { ty.behind().clone() } else { ty };
        Ok(self.list(place, &ty)?.0)
    }

    pub(super) fn text_at(&self, place: &Place) -> Flowing<String> {
        let bytes: Flowing<Vec<u8>> =
            self.memory.elements(place)?.iter().map(|byte| Ok(self.number(byte)? as u8)).collect();
        Ok(String::from_utf8(bytes?).map_err(|_| "a text that is none")?)
    }

    /// The same bits under another type: texts and bytes, floats and their bits, letters and numbers.
    fn retyped(&mut self, value: Value, have: &Ty, ty: &Ty) -> Flowing<Value> {
        match (have, ty) {
            (Ty::Float(_), Ty::Integer(Integer { ty, .. })) => match value {
                Value::Unseen => Ok(Value::Unseen),
                value => Ok(Value::Number(wrapped(*ty, self.number(&value)?))),
            },
            (Ty::Integer(integer), Ty::Float(_)) => match value {
                Value::Unseen => Ok(Value::Unseen),
                value => Ok(Value::Number(self.as_bits(&value, integer)? as i128)),
            },
            (Ty::Reference(..), Ty::Reference(..)) => Ok(value),
            (Ty::Reference(_, inner), other) if !matches!(other, Ty::Reference(..)) => {
                let Value::Place(place) = value else { return Ok(Value::Unseen) };
                let value = self.taken(&place, inner)?;
                self.retyped(value, inner, other)
            }
            (other, Ty::Reference(..)) if !matches!(other, Ty::Reference(..)) => {
                let place = self.placed(value)?;
                Ok(Value::Place(place.into()))
            }
            _ => Ok(value),
        }
    }

    /// The same bits as a value of another type: numbers and lists of them.
    fn transmuted(&mut self, value: Value, have: &Ty, ty: &Ty) -> Flowing<Value> {
        let (have, ty) = (self.form(have), self.form(ty));
        if have == ty {
            return Ok(value);
        }
        let mut bytes = Vec::new();
        self.bytes_of(&value, &have, &mut bytes)?;
        let mut left = bytes.into_iter();
        let made = self.made_of(&mut left, &ty)?;
        match left.next() {
            None => Ok(made),
            Some(_) => Err(Flow::Stop("the bits of a value of this type")),
        }
    }

    pub(super) fn bytes_of(&mut self, value: &Value, ty: &Ty, bytes: &mut Vec<u8>) -> Flowing<()> {
        let little = self.context.configuration.is_little_endian();
        let mut number = |number: i128, width: usize| {
            let mut own = number.to_le_bytes()[..width].to_vec();
            if !little {
                own.reverse();
            }
            bytes.extend(own);
        };
        match ty {
            Ty::Integer(integer) => number(self.number(value)?, integer.ty.bits as usize / 8),
            Ty::Float(bits) => number(self.number(value)?, *bits as usize / 8),
            Ty::Bool => number(self.number(value)?, 1),
            Ty::Char => number(self.number(value)?, 4),
            Ty::Array(element, _) => {
                for inner in &value.parts()?.list {
                    self.bytes_of(inner, element, bytes)?;
                }
            }
            Ty::Adt(id, arguments) => return self.bytes_of_parts(value, ty, (*id, arguments), bytes),
            _ => return Err(Flow::Stop("the bits of a value of this type")),
        }
        Ok(())
    }

    /// A structure of one field, or with nothing between its fields; the number of a variant.
    fn bytes_of_parts(
        &mut self,
        value: &Value,
        ty: &Ty,
        (id, arguments): (AdtId, &[Ty]),
        bytes: &mut Vec<u8>,
    ) -> Flowing<()> {
        const UNKNOWN: Flow = Flow::Stop("the bits of a value of this type");
        let adt = self.context.items.adt(id);
        if adt.opaque || self.context.items.is_std_module(adt.module) {
            return Err(UNKNOWN);
        }
        let fields = self.context.field_types(id, arguments);
        match (adt.kind, adt.arranged, fields.as_slice()) {
            (AdtKind::Struct, Arrangement::Free | Arrangement::InOrder, [only]) => {
                let inner = value.parts()?.list.first().cloned().ok_or("a part")?;
                self.bytes_of(&inner, only, bytes)
            }
            (AdtKind::Struct, Arrangement::InOrder, _) => {
                let sizes: Option<u64> = fields.iter().map(|field| Some(self.layout(field)?.0)).sum();
                // All of it is there, so that nothing lies between them.
                if sizes.is_none() || sizes != self.layout(ty).map(|(size, _)| size) {
                    return Err(UNKNOWN);
                }
                let parts = value.parts()?.clone();
                fields.iter().zip(&parts.list).try_for_each(|(ty, part)| self.bytes_of(part, ty, bytes))
            }
            (AdtKind::Enum, Arrangement::Numbered(width), []) => {
                let number = self.discriminant(id, value.parts()?.tag)?;
                let mut own = number.to_le_bytes()[..width as usize / 8].to_vec();
                if !self.context.configuration.is_little_endian() {
                    own.reverse();
                }
                bytes.extend(own);
                Ok(())
            }
            _ => Err(UNKNOWN),
        }
    }

    fn made_of(&self, bytes: &mut impl Iterator<Item = u8>, ty: &Ty) -> Flowing<Value> {
        let little = self.context.configuration.is_little_endian();
        let mut number = |width: usize| {
            let mut own: Vec<u8> = bytes.by_ref().take(width).collect();
            if own.len() != width {
                return Err(Flow::Stop("the bits of a value of this type"));
            }
            if !little {
                own.reverse();
            }
            own.resize(16, 0);
            Ok(i128::from_le_bytes(own.try_into().unwrap_or([0; 16])))
        };
        match ty {
            Ty::Integer(integer) => {
                Ok(Value::Number(wrapped(integer.ty, number(integer.ty.bits as usize / 8)?)))
            }
            Ty::Float(bits) => Ok(Value::Number(number(*bits as usize / 8)?)),
            Ty::Array(element, super::super::types::Length::Known(length)) => {
                let mut list = Vec::new();
                for _ in 0..*length {
                    list.push(self.made_of(bytes, element)?);
                }
                Ok(Value::list(list))
            }
            _ => Err(Flow::Stop("the bits of a value of this type")),
        }
    }

    /// Whether no code of others makes a text of such a value, compares it or makes a hash of it.
    fn is_plain(&self, ty: &Ty) -> bool {
        match ty.behind() {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => true,
            Ty::Array(element, _) | Ty::Slice(element) => self.is_plain(element),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_plain(part)),
            Ty::Adt(id, arguments) => {
                let own = ["String", "Vec", "VecDeque", "Option", "Result"];
                own.iter().any(|name| self.context.items.is_standard(*id, name))
                    && arguments.iter().all(|argument| self.is_plain(argument))
            }
            _ => false,
        }
    }
}
