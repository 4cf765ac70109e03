//! What `for` loops go through.

use super::super::hir::{ExprId, ExprKind, Mutability};
use super::super::infer::Callee;
use super::super::std_table::{Meaning, WalkStep};
use super::super::types::{Integer, Ty};
use super::marks::{BEGUN, DONE};
use super::number::{compared, greatest};
use super::value::{Place, Value};
use super::{Flow, Flowing, FnId, Follower, Frame};

pub(super) enum Source {
    /// From one number to another, which belongs to it; `None` where nothing is left.
    Counted { next: Option<i128>, last: i128, step: i128, down: bool, integer: Integer },
    /// The elements of a list, from one up to another: as places, or taken out of them.
    Elements { list: Place, from: usize, to: usize, down: bool, element: Option<Ty> },
    /// The same with the numbers of the turns, from one on.
    Numbered { inner: Box<Source>, turn: usize },
    /// With what another gives beside it.
    Zipped { inner: Box<Source>, other: Box<Source> },
    /// What a function takes out of an iterator.
    Drawn { iterator: Place, next: (FnId, Vec<Ty>), ty: Ty, by_value: bool },
}

impl<'f> Follower<'f, '_> {
    pub(super) fn source(&mut self, frame: &mut Frame<'f>, id: ExprId, iterated: ExprId) -> Flowing<Source> {
        let typing = frame.typing.clone();
        let over = &typing.exprs[iterated.index()];
        let Some(next) = self.next_function(frame, id) else { return self.plain_source(frame, iterated) };
        if let Some((function, generics)) = typing.entered.get(&id) {
            let arguments = self.arguments(frame, *function, generics, &[iterated])?;
            // Nobody wrote that it is called.
            let iterator = self.call(*function, generics, arguments)?;
            let place = self.placed(iterator)?;
            let ty = match self.parameters(next.0, &next.1).first() {
                Some(Ty::Reference(_, inner)) => (**inner).clone(),
                _ => return Err(Flow::Stop("a loop over something unknown")),
            };
            return Ok(Source::Drawn { iterator: place, next, ty, by_value: true });
        }
        let wanted = match self.parameters(next.0, &next.1).first() {
            Some(Ty::Reference(_, inner)) => (**inner).clone(),
            _ => return Err(Flow::Stop("a loop over something unknown")),
        };
        if let (Ty::Reference(Mutability::Mutable, inner), false) = (over, *over == wanted)
            && **inner == wanted
        {
            // Of an iterator that is lent, the same is drawn.
            let value = self.value(frame, iterated)?;
            let Value::Place(place) = value else { return Err(Flow::Stop("a borrow that is none")) };
            let iterator = (*place).clone();
            return Ok(Source::Drawn { iterator, next, ty: wanted, by_value: false });
        }
        let value = self.value(frame, iterated)?;
        let value = self.iterator_of(value, over, &wanted)?;
        let iterator = self.placed(value)?;
        Ok(Source::Drawn { iterator, next, ty: wanted, by_value: true })
    }

    /// The iterator over a collection: its fields are those of the collection, or borrows of them.
    pub(super) fn iterator_of(&mut self, value: Value, have: &Ty, wanted: &Ty) -> Flowing<Value> {
        if have == wanted {
            return Ok(value);
        }
        let same = |one: &Ty, other: &Ty| match (one, other) {
            (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
            _ => false,
        };
        if same(have, wanted) {
            return Ok(value);
        }
        let (Ty::Adt(iterator, given), of_std) = (wanted, |ty: &Ty| match ty {
            Ty::Adt(id, _) => self.context.items.is_std_module(self.context.items.adt(*id).module),
            _ => false,
        }) else {
            return Err(Flow::Stop("a loop over something unknown"));
        };
        if let Some(scattered) = self.scattered_iterator(&value, have, wanted)? {
            return Ok(scattered);
        }
        let fields = self.context.field_types(*iterator, given);
        match (have, value) {
            (Ty::Adt(id, arguments), Value::Parts(parts)) if of_std(have) => {
                let own = self.context.field_types(*id, arguments);
                match own == fields {
                    true => Ok(Value::Parts(parts)),
                    false => Err(Flow::Stop("a loop over something unknown")),
                }
            }
            (Ty::Reference(mutability, inner), Value::Place(place)) if of_std(inner) => {
                let Ty::Adt(id, arguments) = &**inner else {
                    return Err(Flow::Stop("a loop over something unknown"));
                };
                let own = self.context.field_types(*id, arguments);
                let lent = own.iter().map(|ty| Ty::Reference(*mutability, Box::new(ty.clone())));
                if lent.collect::<Vec<_>>() != fields {
                    return Err(Flow::Stop("a loop over something unknown"));
                }
                let places = (0..own.len()).map(|at| Value::Place(place.at(at as u32).into()));
                Ok(Value::list(places.collect()))
            }
            _ => Err(Flow::Stop("a loop over something unknown")),
        }
    }

    /// The iterator that a collection gives whose elements have an order that nobody knows.
    fn scattered_iterator(&mut self, value: &Value, have: &Ty, wanted: &Ty) -> Flowing<Option<Value>> {
        if !self.is_scattered(wanted) {
            return Ok(None);
        }
        let (name, own) = match have {
            Ty::Reference(Mutability::Shared, inner) => ("iter", &**inner),
            Ty::Reference(Mutability::Mutable, inner) => ("iter_mut", &**inner),
            own => ("into_iter", own),
        };
        let Some((function, generics)) = self.inherent(own, name) else { return Ok(None) };
        self.call(function, &generics, vec![value.clone()]).map(Some)
    }

    pub(super) fn is_scattered(&self, ty: &Ty) -> bool {
        let Ty::Adt(id, _) = ty else { return false };
        let adt = self.context.items.adt(*id);
        self.context.items.is_std_module(adt.module) && adt.name.contains("Scattered")
    }

    /// The items of such an iterator that nobody has drawn from yet, and the list whose elements are lent.
    pub(super) fn scattered_items(&self, source: &Source) -> Flowing<Option<(Place, Vec<Value>)>> {
        let Source::Drawn { iterator, ty, by_value: true, .. } = source else { return Ok(None) };
        let Ty::Adt(id, _) = ty else { return Ok(None) };
        if !self.is_scattered(ty) {
            return Ok(None);
        }
        let fields = self.memory.load(iterator)?.into_parts()?.list;
        let Some((gone, lists)) = fields.split_last() else { return Ok(None) };
        if self.ends(ty) || self.number(gone)? != 0 {
            return Ok(None);
        }
        let owned = self.context.items.adt(*id).name.starts_with("Owned");
        let mut places = Vec::new();
        for (at, list) in lists.iter().enumerate() {
            places.push(match list {
                Value::Place(list) if !owned => (**list).clone(),
                _ => iterator.at(at as u32).at(0),
            });
        }
        let count = self.memory.length(&places[0])?;
        let mut items = Vec::with_capacity(count);
        for at in 0..count as u32 {
            let mut parts = Vec::with_capacity(places.len());
            for list in &places {
                let place = list.element(at);
                parts.push(if owned { self.memory.load(&place)? } else { Value::Place(place.into()) });
            }
            items.push(if parts.len() == 1 { parts.swap_remove(0) } else { Value::list(parts) });
        }
        Ok(places.pop().map(|list| (list, items)))
    }

    fn plain_source(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Source> {
        let source = self.plain_source_of(frame, id)?;
        self.mark(frame, id, DONE | BEGUN);
        Ok(source)
    }

    fn plain_source_of(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Source> {
        let body = frame.body;
        let typing = frame.typing.clone();
        match &body.expr(id).kind {
            ExprKind::Range { low: Some(low), high: Some(high), inclusive } => {
                let Ty::Integer(integer) = typing.exprs[low.index()] else {
                    return Err(Flow::Stop("a loop over something unknown"));
                };
                let low = self.value(frame, *low)?;
                let high = self.value(frame, *high)?;
                let (low, high) = (self.number(&low)?, self.number(&high)?);
                let order = compared(integer.ty, low, high);
                let any = order.is_lt() || *inclusive && order.is_eq();
                let last = if *inclusive || !any { high } else { high.wrapping_sub(1) };
                Ok(Source::Counted { next: any.then_some(low), last, step: 1, down: false, integer })
            }
            ExprKind::Method { receiver, arguments, .. } => {
                let meaning = match typing.callees.get(&id) {
                    Some(Callee::Standard(meaning, _)) => Some(*meaning),
                    _ => None,
                };
                match meaning {
                    Some(Meaning::Iterate)
                        if matches!(typing.exprs[receiver.index()].behind(), Ty::Range(_)) =>
                    {
                        self.plain_source(frame, *receiver)
                    }
                    Some(Meaning::Iterate) => self.elements_of(frame, *receiver, id),
                    Some(Meaning::Walked(step)) => self.walked(frame, id, step, *receiver, arguments),
                    Some(Meaning::Reversed) => {
                        let inner = self.plain_source(frame, *receiver)?;
                        reversed(inner)
                    }
                    Some(Meaning::StepBy) => {
                        let inner = self.plain_source(frame, *receiver)?;
                        let by = self.value(frame, arguments[0])?;
                        let by = self.number(&by)?;
                        match inner {
                            Source::Counted { next, last, step: 1, down, integer } => match by {
                                0 => Err(Flow::Panic),
                                step => Ok(Source::Counted { next, last, step, down, integer }),
                            },
                            _ => Err(Flow::Stop("a loop over something unknown")),
                        }
                    }
                    _ => self.elements_of(frame, id, id),
                }
            }
            ExprKind::Reference(_, inner) => self.elements_of(frame, *inner, id),
            _ => self.elements_of(frame, id, id),
        }
    }

    /// The elements of a list; `whole` has the type that says how they are passed.
    fn elements_of(&mut self, frame: &mut Frame<'f>, list: ExprId, whole: ExprId) -> Flowing<Source> {
        let typing = frame.typing.clone();
        let own = &typing.exprs[list.index()];
        let element = match self.context.behind(own) {
            Ty::Array(element, _) => Some(*element),
            ty => self.context.element_type(&ty),
        };
        let (Some(element), false) = (element, *self.context.behind(own).behind() == Ty::Str) else {
            return Err(Flow::Stop("a loop over something unknown"));
        };
        let by_value = !matches!(typing.exprs[whole.index()], Ty::Reference(..));
        let place = match by_value {
            true => {
                let value = self.value(frame, list)?;
                self.placed(value)?
            }
            false if typing.behind.contains_key(&list) => self.place(frame, list)?,
            false => {
                let place = self.place(frame, list)?;
                self.referred(place, own)?.0
            }
        };
        let ty = if typing.behind.contains_key(&list) { own.behind() } else { own };
        let ty = if by_value { ty } else { ty.behind() };
        let (list, _) = self.list(place, ty)?;
        let to = self.memory.length(&list)?;
        Ok(Source::Elements { list, from: 0, to, down: false, element: by_value.then_some(element) })
    }

    fn walked(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        step: WalkStep,
        receiver: ExprId,
        arguments: &[ExprId],
    ) -> Flowing<Source> {
        let inner = self.plain_source(frame, receiver)?;
        match step {
            WalkStep::Numbered => Ok(Source::Numbered { inner: Box::new(inner), turn: 0 }),
            WalkStep::Reversed => reversed(inner),
            WalkStep::Skipped | WalkStep::Taken => {
                let by = self.value(frame, arguments[0])?;
                let by = self.size(&by)?;
                match step {
                    WalkStep::Taken => taken(inner, by),
                    _ => Ok(skipped(inner, by)?.0),
                }
            }
            WalkStep::Zipped => {
                let Some(next) = frame.typing.draws.get(&id).cloned() else {
                    return Err(Flow::Stop("a loop over something unknown"));
                };
                let have = frame.typing.exprs[arguments[0].index()].clone();
                let value = self.value(frame, arguments[0])?;
                let wanted = match self.parameters(next.0, &next.1).first() {
                    Some(Ty::Reference(_, inner)) => (**inner).clone(),
                    _ => return Err(Flow::Stop("a loop over something unknown")),
                };
                let value = self.iterator_of(value, &have, &wanted)?;
                let iterator = self.placed(value)?;
                let other = Source::Drawn { iterator, next, ty: wanted, by_value: true };
                Ok(Source::Zipped { inner: Box::new(inner), other: Box::new(other) })
            }
        }
    }

    /// The next item, if there is one.
    pub(super) fn next(&mut self, source: &mut Source) -> Flowing<Option<Value>> {
        match source {
            Source::Counted { next, last, step, down, integer } => {
                let Some(now) = *next else { return Ok(None) };
                let left = if *down { now.wrapping_sub(*last) } else { last.wrapping_sub(now) };
                let more = (left as u128) >= (*step as u128) && *last != now;
                *next = more.then(|| if *down { now.wrapping_sub(*step) } else { now.wrapping_add(*step) });
                debug_assert!(integer.ty.signed || compared(integer.ty, now, greatest(integer.ty)).is_le());
                Ok(Some(Value::Number(now)))
            }
            Source::Elements { list, from, to, down, element } => {
                if from >= to {
                    return Ok(None);
                }
                let at = if *down { *to - 1 } else { *from };
                if *down {
                    *to -= 1;
                } else {
                    *from += 1;
                }
                let place = list.element(at as u32);
                Ok(Some(match element {
                    Some(ty) => self.taken(&place, &ty.clone())?,
                    None => Value::Place(place.into()),
                }))
            }
            Source::Numbered { inner, turn } => {
                let Some(item) = self.next(inner)? else { return Ok(None) };
                *turn += 1;
                Ok(Some(Value::list(vec![Value::size(*turn - 1), item])))
            }
            Source::Zipped { inner, other } => {
                let Some(item) = self.next(inner)? else { return Ok(None) };
                let Some(beside) = self.next(other)? else { return Ok(None) };
                Ok(Some(Value::list(vec![item, beside])))
            }
            Source::Drawn { iterator, next, .. } => {
                let (function, generics) = next.clone();
                let iterator = Value::Place(iterator.clone().into());
                let item = self.call(function, &generics, vec![iterator])?;
                let mut item = item.into_parts()?;
                Ok((item.tag == 1).then(|| item.list.swap_remove(0)))
            }
        }
    }
}

/// At most so many items.
fn taken(source: Source, most: usize) -> Flowing<Source> {
    match source {
        Source::Elements { list, from, to, down: false, element } => {
            let to = to.min(from.saturating_add(most));
            Ok(Source::Elements { list, from, to, down: false, element })
        }
        Source::Elements { list, from, to, down: true, element } => {
            let from = from.max(to.saturating_sub(most));
            Ok(Source::Elements { list, from, to, down: true, element })
        }
        Source::Numbered { inner, turn } => {
            Ok(Source::Numbered { inner: Box::new(taken(*inner, most)?), turn })
        }
        _ => Err(Flow::Stop("a loop over something unknown")),
    }
}

/// Without the first so many items, and how many that were.
fn skipped(source: Source, by: usize) -> Flowing<(Source, usize)> {
    match source {
        Source::Elements { list, mut from, mut to, down, element } => {
            let by = by.min(to.saturating_sub(from));
            if down {
                to -= by;
            } else {
                from += by;
            }
            Ok((Source::Elements { list, from, to, down, element }, by))
        }
        Source::Numbered { inner, turn } => {
            let (inner, by) = skipped(*inner, by)?;
            Ok((Source::Numbered { inner: Box::new(inner), turn: turn + by }, by))
        }
        _ => Err(Flow::Stop("a loop over something unknown")),
    }
}

fn reversed(source: Source) -> Flowing<Source> {
    match source {
        Source::Counted { next, last, step, down: false, integer } => {
            let Some(first) = next else {
                return Ok(Source::Counted { next, last, step, down: true, integer });
            };
            // The last value on the way up is the first one on the way down.
            let reach = (last.wrapping_sub(first) as u128 / step as u128) as i128;
            let top = first.wrapping_add(reach.wrapping_mul(step));
            Ok(Source::Counted { next: Some(top), last: first, step, down: true, integer })
        }
        Source::Elements { list, from, to, down, element } => {
            Ok(Source::Elements { list, from, to, down: !down, element })
        }
        _ => Err(Flow::Stop("a loop over something unknown")),
    }
}
