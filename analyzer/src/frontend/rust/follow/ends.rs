//! The end of values: `drop` in Rust's order, where it is certain which values those are.

use super::super::glue::Glue;
use super::super::hir::{AdtId, Body, ExprId, ExprKind};
use super::super::infer::Callee;
use super::super::items::AdtKind;
use super::super::types::{Length, Ty};
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame, Owned};

/// Types of our own text of std whose values end part by part, as they stand there.
const ENDING: &[&str] = &["Box", "Vec", "VecDeque", "Option", "Result", "IntoIter"];

impl<'f> Follower<'f, '_> {
    /// Whether something happens at the end of a value of this type: it leaves a place by being taken away.
    pub(super) fn ends(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Reference(..) | Ty::Str => false,
            ty => self.context.glue(ty) != Glue::Nothing,
        }
    }

    /// A value without a name ends.
    pub(super) fn ended(&mut self, value: Value, ty: &Ty) -> Flowing<()> {
        if !self.ends(ty) {
            return Ok(());
        }
        let place = self.placed(value)?;
        self.end(&place, ty)
    }

    /// What is in a place ends: its own `drop`, then its parts in order.
    pub(super) fn end(&mut self, place: &Place, ty: &Ty) -> Flowing<()> {
        if !self.ends(ty) || matches!(self.memory.whole(place)?, Value::Moved) {
            return Ok(());
        }
        if matches!(self.memory.whole(place)?, Value::Unseen) {
            return Err(Flow::Stop("the end of a value that nobody knows"));
        }
        match ty {
            Ty::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.end(&place.at(index as u32), part)?;
                }
                Ok(())
            }
            Ty::Array(element, Length::Known(_)) | Ty::Slice(element) => {
                for index in 0..self.memory.length(place)? {
                    self.end(&place.at(index as u32), element)?;
                }
                Ok(())
            }
            Ty::Adt(id, arguments) => {
                let adt = self.context.items.adt(*id);
                if adt.opaque || !self.says_how_it_ends(*id) {
                    return Err(Flow::Stop("the end of a value that is not followed"));
                }
                match self.context.dropper(*id, arguments) {
                    Some(Ok((function, generics))) => {
                        self.call(function, &generics, vec![Value::Place(place.clone().into())])?;
                    }
                    Some(Err(())) => return Err(Flow::Stop("the end of a value that is not followed")),
                    None => {}
                }
                let variant = match adt.kind {
                    AdtKind::Struct => 0,
                    AdtKind::Enum => self.memory.whole(place)?.parts()?.tag,
                };
                let count = adt.variants.get(variant as usize).map_or(0, |variant| variant.fields.len());
                for field in 0..count {
                    let ty = self.context.field_type(*id, variant, field, arguments);
                    self.end(&place.at(field as u32), &ty)?;
                }
                Ok(())
            }
            _ => Err(Flow::Stop("the end of a value that is not followed")),
        }
    }

    /// A place gets another value, and the old one ends.
    pub(super) fn replaced(&mut self, place: &Place, ty: &Ty, value: Value) -> Flowing<()> {
        if self.ends(ty) {
            self.end(place, ty)?;
        }
        Ok(self.memory.store(place, value)?)
    }

    fn says_how_it_ends(&self, id: AdtId) -> bool {
        let items = self.context.items;
        !items.is_std_module(items.adt(id).module) || ENDING.iter().any(|name| items.is_standard(id, name))
    }

    /// Whether nothing is left of a value that has something to do at its end.
    fn is_over(&self, place: &Place, ty: &Ty) -> bool {
        if !self.ends(ty) {
            return true;
        }
        let value = match self.memory.whole(place) {
            Ok(Value::Moved) => return true,
            Ok(Value::Parts(parts)) => parts.clone(),
            _ => return false,
        };
        match ty {
            Ty::Tuple(parts) => {
                parts.iter().enumerate().all(|(index, part)| self.is_over(&place.at(index as u32), part))
            }
            Ty::Adt(id, arguments) => {
                let adt = self.context.items.adt(*id);
                let variant = if adt.kind == AdtKind::Enum { value.tag } else { 0 };
                let fields = adt.variants.get(variant as usize).map_or(0, |variant| variant.fields.len());
                let field = |at: usize| self.context.field_type(*id, variant, at, arguments);
                !adt.opaque
                    && self.context.dropper(*id, arguments).is_none()
                    && (0..fields).all(|at| self.is_over(&place.at(at as u32), &field(at)))
            }
            _ => false,
        }
    }

    /// What is in a slot ends with the scope that the body is in, or with the statement.
    pub(super) fn owns(&self, frame: &mut Frame<'f>, slot: u32, ty: &Ty, named: bool) {
        if self.ends(ty) {
            frame.owned.push(Owned { slot, ty: ty.clone(), named });
        }
    }

    /// A scope is left: what it owns ends, the last first. Where a run ends, nothing does.
    pub(super) fn left<T>(&mut self, frame: &mut Frame<'f>, owned: usize, value: Flowing<T>) -> Flowing<T> {
        if matches!(value, Err(Flow::Panic | Flow::Stop(_))) {
            frame.owned.truncate(owned);
            return value;
        }
        self.passed(frame, owned)?;
        value
    }

    /// What was made from here on ends.
    pub(super) fn passed(&mut self, frame: &mut Frame<'f>, before: usize) -> Flowing<()> {
        while frame.owned.len() > before {
            let Some(Owned { slot, ty, .. }) = frame.owned.pop() else { break };
            let place = Place::of(slot);
            // Our own text of std does not say where values end.
            if frame.standard && !self.is_over(&place, &ty) {
                return Err(Flow::Stop("the end of a value in code of std"));
            }
            self.end(&place, &ty)?;
        }
        Ok(())
    }

    /// A condition is decided: what it made on the way ends, but for what its names look at.
    pub(super) fn decided(&mut self, frame: &mut Frame<'f>, before: usize, cond: ExprId) -> Flowing<()> {
        if frame.owned.len() == before {
            return Ok(());
        }
        if !binds_names(frame.body, cond) {
            return self.passed(frame, before);
        }
        self.forget_what_is_over(frame, before);
        match frame.owned[before..].iter().all(|owned| owned.named) {
            true => Ok(()),
            // Until when it stays depends on the edition.
            false => Err(Flow::Stop("a condition on a value with an end")),
        }
    }

    fn forget_what_is_over(&self, frame: &mut Frame<'f>, before: usize) {
        let from_here = frame.owned.split_off(before);
        let is_there = |owned: &Owned| owned.named || !self.is_over(&Place::of(owned.slot), &owned.ty);
        frame.owned.extend(from_here.into_iter().filter(is_there));
    }

    /// The last expression of a block has its value. What it made on the way ends before the names of the block or behind
    /// the whole statement, as the edition says; which of them does not matter where it ends at the same time.
    pub(super) fn tail_is_over(
        &mut self,
        frame: &mut Frame<'f>,
        (block, tail): (usize, usize),
        ends_here: bool,
    ) -> Flowing<()> {
        if frame.owned.len() > tail {
            self.forget_what_is_over(frame, tail);
        }
        match frame.owned.len() == tail || ends_here && tail == block {
            true => Ok(()),
            false => Err(Flow::Stop("a value that ends with a block or behind it")),
        }
    }

    /// A `let` is over: what it made on the way ends, but for what is lent to its names, which stays as long as they do.
    pub(super) fn declared(
        &mut self,
        frame: &mut Frame<'f>,
        before: usize,
        init: ExprId,
        lent: Option<u32>,
    ) -> Flowing<()> {
        if frame.owned[before..].iter().all(|owned| owned.named) {
            return Ok(());
        }
        let inner = match &frame.body.expr(init).kind {
            ExprKind::Reference(_, inner) => *inner,
            _ => init,
        };
        let (mut stays, mut ends) = (Vec::new(), Vec::new());
        for owned in frame.owned.split_off(before) {
            match owned.named || Some(owned.slot) == lent {
                true => stays.push(Owned { named: true, ..owned }),
                false => ends.push(owned),
            }
        }
        if self.lends(frame, inner) && !ends.is_empty() {
            return Err(Flow::Stop("a borrow of a value that stays"));
        }
        frame.owned.extend(ends);
        self.passed(frame, before)?;
        frame.owned.extend(stays);
        Ok(())
    }

    /// Whether what an expression in a `let` borrows may stay behind the statement.
    fn lends(&self, frame: &Frame<'f>, id: ExprId) -> bool {
        let any = |parts: &[ExprId]| parts.iter().any(|part| self.lends(frame, *part));
        match &frame.body.expr(id).kind {
            ExprKind::Reference(_, inner) => !self.is_rooted(frame, *inner),
            ExprKind::Opaque(_) => true,
            ExprKind::Field(inner, _)
            | ExprKind::Index(inner, _)
            | ExprKind::Deref(inner)
            | ExprKind::Cast(inner, _) => self.lends(frame, *inner),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => any(parts),
            ExprKind::Call(_, arguments) => {
                matches!(frame.typing.callees.get(&id), Some(Callee::Variant(..))) && any(arguments)
            }
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().any(|(_, value)| self.lends(frame, *value))
                    || base.is_some_and(|base| self.lends(frame, base))
            }
            ExprKind::Block { tail, .. } => tail.is_some_and(|tail| self.lends(frame, tail)),
            ExprKind::If { then, otherwise, .. } => {
                self.lends(frame, *then) || otherwise.is_some_and(|otherwise| self.lends(frame, otherwise))
            }
            ExprKind::Match(_, arms) => arms.iter().any(|arm| self.lends(frame, arm.body)),
            _ => false,
        }
    }

    /// Whether a place lies in a local, or behind a borrow: it stays as it is.
    fn is_rooted(&self, frame: &Frame<'f>, id: ExprId) -> bool {
        match &frame.body.expr(id).kind {
            ExprKind::Local(_) => true,
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) | ExprKind::Deref(inner) => {
                matches!(frame.typing.exprs[inner.index()], Ty::Reference(..))
                    || self.is_rooted(frame, *inner)
            }
            _ => false,
        }
    }
}

/// Values that wait for others, with which they are put together.
#[derive(Default)]
pub(super) struct Waiting {
    /// One of them has something to do at its end, which comes where control goes elsewhere in between.
    ends: bool,
}

impl Waiting {
    /// One more of them.
    pub(super) fn with<T>(&mut self, ends: bool, value: Flowing<T>) -> Flowing<T> {
        match value {
            Err(Flow::Break(..) | Flow::Continue(_) | Flow::Return(_)) if self.ends => {
                Err(Flow::Stop("a value that waits for others where control goes elsewhere"))
            }
            value => {
                self.ends |= ends;
                value
            }
        }
    }
}

/// Whether a condition has a `let` in it.
fn binds_names(body: &Body, cond: ExprId) -> bool {
    match &body.expr(cond).kind {
        ExprKind::Let(..) => true,
        ExprKind::Lazy(_, left, right) => binds_names(body, *left) || binds_names(body, *right),
        _ => false,
    }
}
