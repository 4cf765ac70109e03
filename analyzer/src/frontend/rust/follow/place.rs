//! Places: locals, fields, elements, what borrows refer to; and what leaves them.

use super::super::hir::{ExprId, ExprKind};
use super::super::infer::{Callee, Named, Typing};
use super::super::items::AdtKind;
use super::super::types::Ty;
use super::marks::{BEGUN, DONE};
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame};

/// From where, up to where, and whether that belongs to it.
pub(super) struct Bounds {
    pub low: Option<Value>,
    pub high: Option<Value>,
    pub inclusive: bool,
}

impl<'f> Follower<'f, '_> {
    pub(super) fn is_place(&self, frame: &Frame<'f>, id: ExprId) -> bool {
        match &frame.body.expr(id).kind {
            ExprKind::Local(_) => true,
            ExprKind::Deref(_) => true,
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => {
                self.is_place(frame, *inner) || matches!(frame.typing.exprs[inner.index()], Ty::Reference(..))
            }
            _ => false,
        }
    }

    /// The place that an expression names; a value has one of its own.
    pub(super) fn place(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Place> {
        self.count()?;
        let typing = frame.typing.clone();
        let place = match typing.behind.get(&id) {
            Some(behind) => {
                let own = self.place_of(frame, id, &behind.own)?;
                let (own, _) = self.referred(own, &behind.own)?;
                // Which of the two is meant where something is written need not show.
                let plain = behind.writing.is_none()
                    || behind.part.is_some()
                    || matches!(
                        typing.exprs[id.index()],
                        Ty::Reference(super::super::hir::Mutability::Shared, _)
                    );
                if !plain {
                    return Err(Flow::Stop("what lies behind a value by its own Deref"));
                }
                let quiet = u32::from(behind.writing.is_some());
                self.mark(frame, id, BEGUN);
                self.hushed |= quiet > 0;
                self.quiet += quiet;
                let found = self.call(behind.function, &behind.generics, vec![Value::Place(own.into())]);
                self.quiet -= quiet;
                match found? {
                    Value::Place(place) => (*place).clone(),
                    _ => return Err(Flow::Stop("a borrow that nobody knows")),
                }
            }
            None => {
                let ty = &typing.exprs[id.index()];
                let place = self.place_of(frame, id, ty)?;
                self.mark(frame, id, BEGUN);
                place
            }
        };
        self.mark(frame, id, DONE);
        Ok(place)
    }

    fn place_of(&mut self, frame: &mut Frame<'f>, id: ExprId, ty: &Ty) -> Flowing<Place> {
        let body = frame.body;
        let typing = frame.typing.clone();
        match &body.expr(id).kind {
            ExprKind::Local(local) => self.local(frame, *local),
            ExprKind::Field(base, name) => {
                let place = self.place(frame, *base)?;
                self.field(place, self.type_there(frame, *base, &typing), name)
            }
            ExprKind::Deref(inner) => {
                let of = typing.exprs[inner.index()].clone();
                let place = self.place(frame, *inner)?;
                match &of {
                    of if self.context.is_pointer(of) => self.referred_once(&place),
                    Ty::Reference(..) => self.referred_once(&place),
                    _ => match self.context.dereferenced(&of) {
                        Some(_) => Ok(place.at(0)),
                        None => Err(Flow::Stop("what lies behind a value by its own Deref")),
                    },
                }
            }
            ExprKind::Index(base, index) => match typing.callees.get(&id) {
                Some(Callee::Function(function, generics)) => {
                    let arguments = self.arguments(frame, *function, generics, &[*base, *index])?;
                    self.mark(frame, id, BEGUN);
                    match self.call(*function, generics, arguments)? {
                        Value::Place(place) => Ok((*place).clone()),
                        _ => Err(Flow::Stop("a borrow that nobody knows")),
                    }
                }
                Some(_) => Err(Flow::Stop("an index into something unknown")),
                None => self.element(frame, *base, *index),
            },
            ExprKind::Path(_) => match typing.paths.get(&id) {
                Some(Named::Constant(constant, arguments)) => {
                    let place = self.constant_place(*constant, arguments)?;
                    // Whoever names a constant has a value of his own.
                    if !self.is_static(*constant) {
                        self.owns(frame, place.slot, ty, false);
                    }
                    Ok(place)
                }
                _ => {
                    let value = self.value(frame, id)?;
                    self.placed(value)
                }
            },
            _ => {
                let value = self.value(frame, id)?;
                let place = self.placed(value)?;
                self.owns(frame, place.slot, ty, false);
                Ok(place)
            }
        }
    }

    /// The type of what is in the place of an expression: what its own `deref` lends is behind a borrow in its type.
    fn type_there<'t>(&self, frame: &Frame<'f>, id: ExprId, typing: &'t Typing) -> &'t Ty {
        let ty = &typing.exprs[id.index()];
        match (frame.typing.behind.contains_key(&id), ty) {
            (true, Ty::Reference(_, inner)) => inner,
            _ => ty,
        }
    }

    fn referred_once(&self, place: &Place) -> Flowing<Place> {
        match self.memory.load(place)? {
            Value::Place(inner) => Ok((*inner).clone()),
            Value::Unseen => Err(Flow::Stop("a value that nobody knows")),
            _ => Err(Flow::Stop("a borrow that is none")),
        }
    }

    /// The place behind all references, and its type.
    pub(super) fn referred(&self, mut place: Place, ty: &Ty) -> Flowing<(Place, Ty)> {
        let mut ty = ty;
        while let Ty::Reference(_, inner) = ty {
            place = self.referred_once(&place)?;
            ty = inner;
        }
        Ok((place, ty.clone()))
    }

    /// A field of what is there, behind references and boxes.
    fn field(&mut self, place: Place, ty: &Ty, name: &str) -> Flowing<Place> {
        let (place, ty) = self.referred(place, ty)?;
        match &ty {
            Ty::Tuple(parts) => {
                let at = name.parse::<u32>().ok().filter(|at| (*at as usize) < parts.len());
                Ok(place.at(at.ok_or("a field that is not known")?))
            }
            Ty::Adt(id, _) => {
                let adt = self.context.items.adt(*id);
                let fields = adt.variants.first().filter(|_| adt.kind == AdtKind::Struct);
                let at =
                    fields.and_then(|variant| variant.fields.iter().position(|field| field.name == name));
                match (at, self.context.dereferenced(&ty)) {
                    (Some(at), _) if !adt.opaque => Ok(place.at(at as u32)),
                    (None, Some(inner)) => self.field(place.at(0), &inner, name),
                    _ => Err(Flow::Stop("a field that is not known")),
                }
            }
            _ => Err(Flow::Stop("a field of a value of unknown type")),
        }
    }

    /// The list behind references, vectors, texts and boxes, and whether it is a text.
    pub(super) fn list(&self, place: Place, ty: &Ty) -> Flowing<(Place, bool)> {
        let (place, ty) = self.referred(place, ty)?;
        match &ty {
            Ty::Array(..) | Ty::Slice(_) => Ok((place, false)),
            Ty::Str => Ok((place, true)),
            ty => match self.context.dereferenced(ty) {
                Some(inner) => self.list(place.at(0), &inner),
                None => Err(Flow::Stop("the elements of something unknown")),
            },
        }
    }

    fn element(&mut self, frame: &mut Frame<'f>, base: ExprId, index: ExprId) -> Flowing<Place> {
        let typing = frame.typing.clone();
        let place = self.place(frame, base)?;
        let (list, text) = self.list(place, self.type_there(frame, base, &typing))?;
        let of = typing.exprs[index.index()].clone();
        if self.context.is_range(&of) {
            let bounds = self.bounds(frame, index)?;
            return match self.part(&list, text, &bounds)? {
                Some(part) => Ok(part),
                None => Err(Flow::Panic),
            };
        }
        let at = self.value(frame, index)?;
        if !matches!(of.behind(), Ty::Integer(_)) {
            return Err(Flow::Stop("an index of another type"));
        }
        let at = self.number(&at)?;
        let count = self.memory.length(&list)?;
        if at < 0 || at >= count as i128 {
            return Err(Flow::Panic);
        }
        Ok(list.element(at as u32))
    }

    /// The bounds that a range gives.
    pub(super) fn bounds(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Bounds> {
        if let ExprKind::Range { low, high, inclusive } = &frame.body.expr(id).kind {
            let low = low.map(|low| self.value(frame, low)).transpose()?;
            let high = high.map(|high| self.value(frame, high)).transpose()?;
            self.mark(frame, id, DONE);
            return Ok(Bounds { low, high, inclusive: *inclusive });
        }
        let ty = frame.typing.exprs[id.index()].clone();
        let (value, _) = self.looked_at(frame, id)?;
        self.bounds_of(&value, &ty)
    }

    pub(super) fn bounds_of(&mut self, value: &Value, ty: &Ty) -> Flowing<Bounds> {
        let ty = ty.behind().clone();
        let mut value = value.clone();
        while let Value::Place(place) = &value {
            value = self.memory.load(place)?;
        }
        let parts = value.parts()?;
        let some = |value: &Value| match value {
            Value::Parts(parts) if parts.list.is_empty() => None,
            value => Some(value.clone()),
        };
        match (&ty, parts.list.as_slice()) {
            (Ty::Range(_), [low, high]) => {
                Ok(Bounds { low: some(low), high: some(high), inclusive: parts.tag == 1 })
            }
            (Ty::Adt(id, _), [low, high]) if self.context.items.is_standard(*id, "Range") => {
                Ok(Bounds { low: Some(low.clone()), high: Some(high.clone()), inclusive: false })
            }
            (Ty::Adt(id, _), [low]) if self.context.items.is_standard(*id, "RangeFrom") => {
                Ok(Bounds { low: Some(low.clone()), high: None, inclusive: false })
            }
            (Ty::Adt(id, _), [high]) if self.context.items.is_standard(*id, "RangeTo") => {
                Ok(Bounds { low: None, high: Some(high.clone()), inclusive: false })
            }
            _ => Err(Flow::Stop("a range that is not understood")),
        }
    }

    /// The part of a list between bounds, if they lie in order and inside, in texts between letters.
    pub(super) fn part(&mut self, list: &Place, text: bool, bounds: &Bounds) -> Flowing<Option<Place>> {
        let count = self.memory.length(list)?;
        let low = match &bounds.low {
            Some(low) => self.number(low)?,
            None => 0,
        };
        let high = match &bounds.high {
            Some(high) => self.number(high)? + i128::from(bounds.inclusive),
            None => count as i128,
        };
        if low < 0 || low > high || high > count as i128 {
            return Ok(None);
        }
        let (low, high) = (low as usize, high as usize);
        if text && !(self.is_boundary(list, low)? && self.is_boundary(list, high)?) {
            return Ok(None);
        }
        Ok(Some(list.narrowed(low as u32, (high - low) as u32)))
    }

    /// Whether a letter begins or the text ends here.
    pub(super) fn is_boundary(&self, text: &Place, at: usize) -> Flowing<bool> {
        let bytes = self.memory.elements(text)?;
        Ok(match bytes.get(at) {
            Some(byte) => self.number(byte)? & 0xC0 != 0x80,
            None => at == bytes.len(),
        })
    }

    /// What a place holds leaves it, if it is not a copy.
    pub(super) fn taken(&mut self, place: &Place, ty: &Ty) -> Flowing<Value> {
        let value = self.memory.load(place)?;
        if self.ends(ty) {
            self.memory.store(place, Value::Moved)?;
        }
        Ok(value)
    }
}
