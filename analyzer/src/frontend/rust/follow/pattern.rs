//! Patterns against places: whether they match, and what they bind.

use kleene_domains::expr::CompareOp;

use super::super::hir::{ExprKind, LocalId, PatId, PatKind};
use super::super::infer::Named;
use super::super::items::AdtKind;
use super::super::types::Ty;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame};

impl<'f> Follower<'f, '_> {
    /// Whether a pattern matches what is in a place; if so, its names are bound.
    pub(super) fn binds(&mut self, frame: &mut Frame<'f>, pat: PatId, place: &Place) -> Flowing<bool> {
        if !self.matches(frame, pat, place)? {
            return Ok(false);
        }
        self.bind(frame, pat, place)?;
        Ok(true)
    }

    /// The place behind the references that a pattern looks through.
    fn looked_through(&self, frame: &Frame<'f>, pat: PatId, place: &Place) -> Flowing<Place> {
        let body = frame.body;
        let looks = match &body.pat(pat).kind {
            PatKind::Wild | PatKind::Bind { .. } | PatKind::Reference(_) | PatKind::Or(_) | PatKind::Rest => {
                false
            }
            PatKind::Value(id) => !matches!(body.expr(*id).kind, ExprKind::Text(_) | ExprKind::Bytes(_)),
            _ => true,
        };
        let mut place = place.clone();
        while looks && place.part.is_none() {
            let Value::Place(inner) = self.memory.whole(&place)? else { break };
            // A constant may be a borrow itself.
            if matches!(frame.typing.pats[pat.index()], Ty::Reference(..)) {
                break;
            }
            place = (**inner).clone();
        }
        Ok(place)
    }

    fn matches(&mut self, frame: &mut Frame<'f>, pat: PatId, place: &Place) -> Flowing<bool> {
        let body = frame.body;
        self.count()?;
        let place = self.looked_through(frame, pat, place)?;
        match &body.pat(pat).kind {
            PatKind::Wild | PatKind::Rest => Ok(true),
            PatKind::Bind { inner, .. } => match inner {
                Some(inner) => self.matches(frame, *inner, &place),
                None => Ok(true),
            },
            PatKind::Reference(inner) => {
                let place = self.behind_reference(&place)?;
                self.matches(frame, *inner, &place)
            }
            PatKind::Or(cases) => {
                for case in cases {
                    if self.matches(frame, *case, &place)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            PatKind::Value(id) => {
                if let Some(Named::Variant(adt, variant)) = frame.typing.paths.get(id) {
                    let single = self.context.items.adt(*adt).kind == AdtKind::Struct;
                    return Ok(single || self.memory.whole(&place)?.parts()?.tag == *variant);
                }
                let (wanted, of) = self.looked_at(frame, *id)?;
                let value = self.memory.load(&place)?;
                let ty = frame.typing.pats[pat.index()].clone();
                self.compared(CompareOp::Equal, (&value, &ty), (&wanted, &of))
            }
            PatKind::Range { low, high, inclusive } => {
                let value = self.memory.load(&place)?;
                let ty = frame.typing.pats[pat.index()].clone();
                for (bound, op) in [
                    (low, CompareOp::GreaterEqual),
                    (high, if *inclusive { CompareOp::LessEqual } else { CompareOp::Less }),
                ] {
                    let Some(bound) = bound else { continue };
                    let (bound, of) = self.looked_at(frame, *bound)?;
                    if !self.compared(op, (&value, &ty), (&bound, &of))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            PatKind::Tuple(..) | PatKind::TupleStruct(..) | PatKind::Struct(..) | PatKind::Slice(..) => {
                let Some(parts) = self.parts(frame, pat, &place)? else { return Ok(false) };
                for (inner, part) in parts {
                    if !self.matches(frame, inner, &part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            PatKind::Opaque => Err(Flow::Stop("a pattern that is not understood")),
        }
    }

    fn behind_reference(&self, place: &Place) -> Flowing<Place> {
        match self.memory.load(place)? {
            Value::Place(inner) => Ok((*inner).clone()),
            // A binding mode has looked through it before.
            Value::Unseen => Err(Flow::Stop("a value that nobody knows")),
            _ => Ok(place.clone()),
        }
    }

    /// The patterns inside a pattern with the places they stand for; `None` where it is of another variant or length.
    fn parts(
        &mut self,
        frame: &Frame<'f>,
        pat: PatId,
        place: &Place,
    ) -> Flowing<Option<Vec<(PatId, Place)>>> {
        let body = frame.body;
        match &body.pat(pat).kind {
            PatKind::Tuple(pats, rest) => {
                let count = self.memory.whole(place)?.parts()?.list.len();
                Ok(Some(listed(pats, *rest, count).map(|(at, inner)| (inner, place.at(at))).collect()))
            }
            PatKind::TupleStruct(_, pats, rest) => {
                if !self.is_of_variant(frame, pat, place)? {
                    return Ok(None);
                }
                let count = self.memory.whole(place)?.parts()?.list.len();
                Ok(Some(listed(pats, *rest, count).map(|(at, inner)| (inner, place.at(at))).collect()))
            }
            PatKind::Struct(_, fields) => {
                if !self.is_of_variant(frame, pat, place)? {
                    return Ok(None);
                }
                let (adt, variant) = frame.typing.variants.get(&pat).copied().ok_or("a pattern")?;
                let declared = &self.context.items.adt(adt).variants[variant as usize].fields;
                let mut found = Vec::new();
                for (name, inner) in fields {
                    let at = declared.iter().position(|field| field.name == *name);
                    found.push((*inner, place.at(at.ok_or("a field that is not known")? as u32)));
                }
                Ok(Some(found))
            }
            PatKind::Slice(pats, rest) => {
                let ty = frame.typing.pats[pat.index()].clone();
                let (list, _) = self.list(place.clone(), &ty)?;
                let count = self.memory.length(&list)?;
                let fixed = pats.len() - usize::from(rest.is_some());
                if count < fixed || rest.is_none() && count != fixed {
                    return Ok(None);
                }
                let mut found = Vec::new();
                for (index, inner) in pats.iter().enumerate() {
                    let skipped = count - fixed;
                    found.push(match rest {
                        Some(rest) if index == *rest => (*inner, list.narrowed(index as u32, skipped as u32)),
                        Some(rest) if index > *rest => (*inner, list.element((index + skipped - 1) as u32)),
                        _ => (*inner, list.element(index as u32)),
                    });
                }
                Ok(Some(found))
            }
            _ => Ok(Some(Vec::new())),
        }
    }

    fn is_of_variant(&self, frame: &Frame<'f>, pat: PatId, place: &Place) -> Flowing<bool> {
        let (adt, variant) =
            frame.typing.variants.get(&pat).copied().ok_or("a pattern that is not understood")?;
        let single = self.context.items.adt(adt).kind == AdtKind::Struct;
        Ok(self.memory.whole(place)?.parts()?.tag == variant || single)
    }

    /// Binds the names of a pattern that matches.
    fn bind(&mut self, frame: &mut Frame<'f>, pat: PatId, place: &Place) -> Flowing<()> {
        let body = frame.body;
        let place = &self.looked_through(frame, pat, place)?;
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner, .. } => {
                let typing = frame.typing.clone();
                let value = match typing.references.contains_key(&pat) {
                    true => Value::Place(place.clone().into()),
                    false => self.taken(place, &typing.locals[local.index()])?,
                };
                self.bound(frame, *local, value)?;
                match inner {
                    Some(inner) => self.bind(frame, *inner, place),
                    None => Ok(()),
                }
            }
            PatKind::Reference(inner) => {
                let place = self.behind_reference(place)?;
                self.bind(frame, *inner, &place)
            }
            PatKind::Or(cases) => {
                for case in cases {
                    if self.matches(frame, *case, place)? {
                        return self.bind(frame, *case, place);
                    }
                }
                Ok(())
            }
            PatKind::Tuple(..) | PatKind::TupleStruct(..) | PatKind::Struct(..) | PatKind::Slice(..) => {
                for (inner, part) in self.parts(frame, pat, place)?.unwrap_or_default() {
                    self.bind(frame, inner, &part)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A local is there from now on: each time it is another one.
    pub(super) fn bound(&mut self, frame: &mut Frame<'f>, local: LocalId, value: Value) -> Flowing<()> {
        let slot = self.memory.new_slot(value)?;
        frame.locals[local.index()] = Some(slot);
        let ty = &frame.typing.locals[local.index()];
        let ty = ty.clone();
        self.owns(frame, slot, &ty, true);
        Ok(())
    }

    /// Whether a pattern takes something with an end away from what it matches.
    pub(super) fn takes(&self, frame: &Frame<'f>, pat: PatId) -> bool {
        let own = match &frame.body.pat(pat).kind {
            PatKind::Bind { local, .. } => {
                !frame.typing.references.contains_key(&pat) && self.ends(&frame.typing.locals[local.index()])
            }
            _ => false,
        };
        own || frame.body.inside(pat).into_iter().any(|inner| self.takes(frame, inner))
    }
}

/// The places of patterns in a list of so many parts, some of which `..` skips.
fn listed(pats: &[PatId], rest: Option<usize>, count: usize) -> impl Iterator<Item = (u32, PatId)> + '_ {
    let skipped = count.saturating_sub(pats.len());
    pats.iter().enumerate().map(move |(index, pat)| {
        let at = if rest.is_some_and(|rest| index >= rest) { index + skipped } else { index };
        (at as u32, *pat)
    })
}
