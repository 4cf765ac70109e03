//! Slices and what is made of them: elements, parts, lengths that change.
//!
//! A slice has the leaves *start*, *length* and a window per leaf of its element: the first elements of what it is a
//! part of, and one more, the *far* one, that stands for all elements behind them. Whoever comes to an element behind
//! the window draws the far one anew first, as a value nobody may choose; what is written there is forgotten. So
//! lengths are exact, elements are exact in short slices, and elements of long ones are anything. A slice whose
//! elements nobody knows starts behind its window.
//!
//! A part of a slice has a start and a length of its own and the window of the whole: it is the same elements.

use super::super::super::arith;
use super::super::super::build::Exit;
use super::super::hir::{ExprId, ExprKind};
use super::super::types::{Length, Part, Ty, U8};
use super::steps::Lowerer;
use super::value::{Spot, Stored, Value};
use crate::ir::{Cond, Effect, Expr, FailKind, Input, InputSource, Place, Projection, StepKind, Type};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

/// Longer arrays are not copied out of slices element by element.
const MOST_COPIED: u64 = 32;

/// Bounds of a part: `a..b`, `..=b` and so on, as far as they are written.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub low: Option<Expr>,
    pub high: Option<Expr>,
    pub inclusive: bool,
}

/// A place lent to a call, and the array that gets back what the call leaves in it.
pub struct Lent {
    pub spot: Spot,
    pub array: Option<Spot>,
}

impl Lowerer<'_, '_, '_> {
    /// Where a slice starts and how long it is.
    pub fn ends(&mut self, spot: &Spot, span: Span) -> Option<(Expr, Expr)> {
        let usize = self.context.usize();
        let leaf = |this: &mut Self, at: usize| {
            let spot = this.context.spot_part(spot, at, usize.clone());
            spot.leaves.as_ref()?;
            this.read(&spot, span).expr().cloned()
        };
        Some((leaf(self, 0)?, leaf(self, 1)?))
    }

    /// The place of an element that is there.
    pub fn near_or_far(&mut self, spot: &Spot, element: &Ty, at: Expr, span: Span) -> Spot {
        let (Some(window), Some(leaves)) = (self.context.window(element), spot.leaves.clone()) else {
            return match self.context.leaf_count(element) {
                0 => Spot { ty: element.clone(), leaves: Some(Vec::new()), indices: Vec::new() },
                _ => Spot::nowhere(element.clone()),
            };
        };
        let Some((start, _)) = self.ends(spot, span) else { return Spot::nowhere(element.clone()) };
        let place = sum(start, at);
        let contents: Vec<Stored> = leaves[2.min(leaves.len())..].to_vec();
        let within = |index: Expr| {
            let indices = spot.indices.iter().cloned().chain([index]).collect();
            Spot { ty: element.clone(), leaves: Some(contents.clone()), indices }
        };
        let near = arith::compare(CompareOp::Less, place.clone(), arith::constant(i64::from(window)));
        if near == Cond::Literal(true) {
            return within(place);
        }
        self.flush(span);
        let index = self.builder.temporary(Type::Natural, span);
        let (far, after) = (self.builder.point(), self.builder.point());
        let pending = self.taken();
        let assign = |expr: Expr| Effect::Assign(vec![(index.clone(), expr)]);
        let exits = vec![
            Exit { guard: near.clone(), effect: assign(place), target: after, span },
            Exit { guard: arith::not(near), effect: Effect::SKIP, target: far, span },
        ];
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = far;
        let last = within(arith::constant(i64::from(window)));
        self.draw_unseen(&last, span);
        let pending = self.taken();
        self.builder.advance(StepKind::Skip, span, pending, assign(arith::constant(i64::from(window))));
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = after;
        within(arith::read(index))
    }

    /// The next step draws these places, and nobody may choose what.
    pub fn draw_unseen(&mut self, spot: &Spot, span: Span) {
        let places = self.context.leaf_places(spot);
        let inputs = places.into_iter().map(|place| Input { place, source: InputSource::Unseen, span });
        self.pending.inputs.extend(inputs);
    }

    /// A value nobody may choose.
    pub fn unseen(&mut self, ty: &Ty, span: Span) -> Value {
        self.flush(span);
        let spot = self.temporary(ty, span);
        self.draw_unseen(&spot, span);
        self.advance(StepKind::Skip, span, Effect::SKIP);
        self.read(&spot, span)
    }

    /// The elements of a slice are no longer known; it keeps its length.
    pub fn forget(&mut self, spot: &Spot, span: Span) {
        let Some(leaves) = spot.leaves.clone() else { return };
        let contents = leaves[2.min(leaves.len())..].to_vec();
        let mut inputs = Vec::new();
        for stored in contents.into_iter().filter(|stored| !stored.hidden) {
            let path = spot.indices.iter().cloned().map(|index| Projection::Element(Box::new(index)));
            let place = Place { variable: stored.variable, path: path.collect() };
            inputs.push(Input { place, source: InputSource::Unseen, span });
        }
        if !inputs.is_empty() {
            self.flush(span);
            self.pending.inputs.extend(inputs);
            self.advance(StepKind::Skip, span, Effect::SKIP);
        }
    }

    /// A slice becomes longer or shorter; where memory cannot hold it the run is over.
    pub fn set_length(&mut self, spot: &Spot, length: Expr, span: Span) {
        let Some(element) = self.context.element_type(&spot.ty) else { return };
        let part = self.context.spot_part(spot, 1, self.context.usize());
        let places = self.context.leaf_places(&part);
        let [place] = places.as_slice() else { return };
        let Type::Machine(limit) = self.context.length_type(&element) else { return };
        let fits = arith::compare(CompareOp::LessEqual, length.clone(), arith::constant(limit.max()));
        self.flush(span);
        let after = self.builder.point();
        let pending = self.taken();
        let exit = super::super::super::build::FunctionBuilder::EXIT;
        let assign = Effect::Assign(vec![(place.clone(), length)]);
        let mut exits = vec![Exit { guard: fits.clone(), effect: assign, target: after, span }];
        if fits != Cond::Literal(true) {
            let effect = Effect::Fail(FailKind::Opaque);
            exits.push(Exit { guard: arith::not(fits), effect, target: exit, span });
        }
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = after;
    }

    /// An element that an index expression names.
    pub fn indexed(&mut self, spot: &Spot, element: &Ty, at: Expr, span: Span) -> Spot {
        match self.ends(spot, span) {
            Some((_, length)) => {
                let outside = arith::compare(CompareOp::GreaterEqual, at.clone(), length);
                self.fails_if(outside, FailKind::Index, span);
            }
            None => self.maybe_fails(FailKind::Index, "an index into something of unknown length", span),
        }
        self.near_or_far(spot, element, at, span)
    }

    /// What stands between the dots, evaluated in order.
    pub fn bounds(&mut self, range: ExprId) -> Option<Bounds> {
        let ExprKind::Range { low, high, inclusive } = self.frame.body.expr(range).kind.clone() else {
            return self.bounds_of_value(range);
        };
        let ids: Vec<ExprId> = [low, high].into_iter().flatten().collect();
        let values = self.values(&ids);
        let mut values = values.iter().map(|value| value.expr().cloned());
        let mut next = |written: Option<ExprId>| match written {
            Some(_) => values.next().flatten().map(Some),
            None => Some(None),
        };
        Some(Bounds { low: next(low)?, high: next(high)?, inclusive })
    }

    /// The bounds of a range that is a value: its two fields.
    fn bounds_of_value(&mut self, range: ExprId) -> Option<Bounds> {
        if !matches!(self.ty(range), Ty::Adt(..)) {
            return None;
        }
        let value = self.value(range);
        let mut ends = value.leaves.iter().map(|leaf| leaf.first().cloned());
        let low = Some(ends.next()??);
        let high = match ends.next() {
            Some(high) => Some(high?),
            None => None,
        };
        Some(Bounds { low, high, inclusive: false })
    }

    /// The part of a slice between bounds; the step fails where there is none.
    pub fn part(&mut self, spot: &Spot, whole: &Ty, bounds: &Bounds, span: Span) -> Spot {
        let Some((start, length)) = self.ends(spot, span) else { return Spot::nowhere(whole.clone()) };
        let low = bounds.low.clone().unwrap_or(arith::constant(0));
        let high = match &bounds.high {
            Some(high) if bounds.inclusive => sum(high.clone(), arith::constant(1)),
            Some(high) => high.clone(),
            None => length.clone(),
        };
        let mut outside = Cond::Literal(false);
        if bounds.low.is_some() {
            outside = arith::compare(CompareOp::Greater, low.clone(), high.clone());
        }
        if bounds.high.is_some() {
            outside = outside.or(arith::compare(CompareOp::Greater, high.clone(), length.clone()));
        }
        if outside != Cond::Literal(false) {
            self.fails_if(outside, FailKind::Index, span);
        }
        self.flush(span);
        let inside = self.narrowed(
            spot,
            whole,
            (sum(start, low.clone()), difference(high.clone(), low.clone())),
            span,
        );
        if *whole == Ty::Str {
            for at in
                [bounds.low.as_ref().map(|_| low), bounds.high.as_ref().map(|_| high)].into_iter().flatten()
            {
                self.at_boundary(spot, at, &length, span);
            }
        }
        inside
    }

    /// The same elements, from another start and of another length.
    pub fn narrowed(&mut self, spot: &Spot, whole: &Ty, (start, length): (Expr, Expr), span: Span) -> Spot {
        let leaves = self.context.leaves(whole);
        let ends = [start, length].into_iter().zip(leaves.iter()).map(|(expr, leaf)| {
            let place = self.builder.temporary(leaf.scalar.clone(), span);
            (place, expr)
        });
        let ends: Vec<(Place, Expr)> = ends.collect();
        let own = ends.iter().map(|(place, _)| Stored { variable: place.variable, hidden: false });
        let contents = spot.leaves.clone().unwrap_or_default();
        let contents = contents.get(2..).unwrap_or_default();
        if spot.indices.is_empty() {
            let leaves = own.chain(contents.iter().copied()).collect();
            self.advance(StepKind::Skip, span, Effect::Assign(ends));
            return Spot { ty: whole.clone(), leaves: Some(leaves), indices: Vec::new() };
        }
        // Elements of elements: a copy of them.
        let value = self.read(spot, span).with_type(whole.clone());
        let copy = self.placed(&value, span);
        let copied = copy.leaves.clone().unwrap_or_default();
        let leaves = own.chain(copied.get(2..).unwrap_or_default().iter().copied()).collect();
        self.advance(StepKind::Skip, span, Effect::Assign(ends));
        Spot { ty: whole.clone(), leaves: Some(leaves), indices: Vec::new() }
    }

    /// Where a `str` is cut a character must begin.
    fn at_boundary(&mut self, spot: &Spot, at: Expr, length: &Expr, span: Span) {
        let Some(inside) = self.is_boundary(spot, at, length, span) else { return };
        self.fails_if(arith::not(inside), FailKind::Index, span);
        self.flush(span);
    }

    /// Whether a character begins or the text ends at a place that is not behind its end.
    pub fn is_boundary(&mut self, spot: &Spot, at: Expr, length: &Expr, span: Span) -> Option<Cond> {
        let end = arith::compare(CompareOp::Equal, at.clone(), arith::constant(0)).or(arith::compare(
            CompareOp::Equal,
            at.clone(),
            length.clone(),
        ));
        if arith::as_constant(&at).is_some_and(Int::is_zero) || at == *length {
            return None;
        }
        let answer = self.temporary(&Ty::Bool, span);
        let (inner, after) = (self.builder.point(), self.builder.point());
        let places = self.context.leaf_places(&answer);
        let exits = vec![
            Exit {
                guard: end.clone(),
                effect: Effect::Assign(vec![(places[0].clone(), arith::constant(1))]),
                target: after,
                span,
            },
            Exit { guard: arith::not(end), effect: Effect::SKIP, target: inner, span },
        ];
        let pending = self.taken();
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = inner;
        let byte = self.near_or_far(spot, &U8, at, span);
        let byte = self.read(&byte, span);
        let begins = match byte.expr() {
            Some(byte) => continues(byte).map(arith::not),
            None => None,
        };
        let begins = Value::truth(begins.unwrap_or(Cond::Literal(true)));
        let writes = self.writes(&answer, &begins, span);
        self.advance(StepKind::Skip, span, Effect::Assign(writes));
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = after;
        self.read(&answer, span).expr().map(|expr| arith::truth(expr.clone()))
    }

    /// An array as a slice of all its elements.
    pub fn as_slice(&self, array: &Value, slice: &Ty) -> Option<Value> {
        let Ty::Array(own, Length::Known(count)) = self.context.behind(&array.ty) else { return None };
        let element = self.context.element_type(slice).unwrap_or_else(|| (*own).clone());
        let window = self.context.window(&element).map(|window| window as usize);
        // Nobody knows elements that are not followed, or that became something else on the way.
        let same = *own == element || self.context.leaves(&own) == self.context.leaves(&element);
        let followed = same && !array.leaves.is_empty();
        let start = if followed { 0 } else { window.unwrap_or(0) as i64 };
        let mut leaves = vec![vec![arith::constant(start)], vec![arith::constant(Int::from(count))]];
        if let Some(window) = window {
            let inner = self.context.leaves(&element);
            for (index, leaf) in inner.iter().enumerate() {
                let size: usize = leaf.dimensions.iter().map(|length| *length as usize).product();
                let mut slots = array.leaves.get(index).cloned().unwrap_or_default();
                slots.resize(slots.len().min(window * size), arith::constant(0));
                slots.resize((window + 1) * size, arith::constant(0));
                leaves.push(slots);
            }
        }
        Some(Value { ty: slice.clone(), leaves })
    }

    /// The first elements of a slice as an array, and whether the slice is as long as that.
    pub fn array_of_slice(
        &mut self,
        value: &Value,
        element: &Ty,
        length: u64,
        span: Span,
    ) -> Option<(Value, Cond)> {
        if self.context.element_type(&value.ty).as_ref() != Some(element) {
            return None;
        }
        let count = value.leaves.get(1)?.first()?.clone();
        let count = self.kept_number(count, span);
        let ty = Ty::Array(Box::new(element.clone()), Length::Known(length));
        let array = match length <= MOST_COPIED && self.context.is_followed(&ty) {
            true => {
                let spot = self.placed(value, span);
                let mut elements = Vec::new();
                for index in 0..length {
                    let place = self.near_or_far(&spot, element, arith::constant(index as i64), span);
                    let element = self.read(&place, span);
                    elements.push(self.keep(element, span));
                }
                self.context.array_value(element, &elements)
            }
            false => self.unseen(&ty, span),
        };
        let whole = arith::compare(CompareOp::Equal, count, arith::constant(length as i64));
        Some((array, whole))
    }

    /// `(a..b).contains(&x)`.
    pub fn range_contains(&mut self, arguments: &[ExprId], span: Span) -> Value {
        let [range, value] = arguments else { return self.unseen(&Ty::Bool, span) };
        let Some(bounds) = self.bounds(*range) else {
            return self.unknown_value(&Ty::Bool, "a range that is not written here", span);
        };
        let kept = |this: &mut Self, bound: Option<Expr>| bound.map(|bound| this.kept_number(bound, span));
        let (low, high) = (kept(self, bounds.low), kept(self, bounds.high));
        let value = self.value(*value);
        let Some(value) = value.expr().cloned() else { return self.unseen(&Ty::Bool, span) };
        let mut inside = Cond::Literal(true);
        if let Some(low) = low {
            inside = inside.and(arith::compare(CompareOp::LessEqual, low, value.clone()));
        }
        if let Some(high) = high {
            let op = if bounds.inclusive { CompareOp::LessEqual } else { CompareOp::Less };
            inside = inside.and(arith::compare(op, value, high));
        }
        Value::truth(inside)
    }

    /// A slice of so many equal elements.
    pub fn repeated(&self, element: &Value, count: Expr, slice: &Ty) -> Value {
        let mut leaves = vec![vec![arith::constant(0)], vec![count]];
        if let Some(window) = self.context.window(&element.ty) {
            for leaf in &element.leaves {
                leaves.push(leaf.iter().cloned().cycle().take(leaf.len() * (window as usize + 1)).collect());
            }
        }
        Value { ty: slice.clone(), leaves }
    }

    /// A text of known bytes, or of any.
    pub fn text_value(&mut self, text: Option<&str>, ty: &Ty, span: Span) -> Value {
        let Some(text) = text else {
            let value = self.unseen(&Ty::Str, span);
            return value.with_type(ty.clone());
        };
        let window = self.context.window(&U8).unwrap_or(0) as usize;
        let mut bytes: Vec<Expr> =
            text.bytes().take(window).map(|byte| arith::constant(i64::from(byte))).collect();
        bytes.resize(window + 1, arith::constant(0));
        let length = arith::constant(text.len() as i64);
        Value { ty: ty.clone(), leaves: vec![vec![arith::constant(0)], vec![length], bytes] }
    }

    /// An array gets back what a call left in the slice that stood for it.
    pub fn restore(&mut self, lent: &Lent, span: Span) {
        let Some(array) = &lent.array else { return };
        let Ty::Array(element, Length::Known(count)) = self.context.behind(&array.ty) else { return };
        let (Some(from), Some(into)) = (&lent.spot.leaves, &array.leaves) else { return };
        let window = self.context.window(&element).map_or(0, u64::from);
        let mut writes = Vec::new();
        let mut inputs = Vec::new();
        let place = |variable, indices: &[Expr], at: u64| {
            let all = indices.iter().cloned().chain([arith::constant(at as i64)]);
            Place { variable, path: all.map(|index| Projection::Element(Box::new(index))).collect() }
        };
        let contents = from.get(2..).unwrap_or_default();
        for (index, stored) in into.iter().enumerate().filter(|(_, stored)| !stored.hidden) {
            for at in 0..count {
                let target = place(stored.variable, &array.indices, at);
                match contents.get(index).filter(|from| at < window && !from.hidden) {
                    Some(from) => writes.push((target, arith::read(place(from.variable, &[], at)))),
                    None => inputs.push(Input { place: target, source: InputSource::Unseen, span }),
                }
            }
        }
        let plain = self.context.leaves(&element).iter().all(|leaf| leaf.dimensions.is_empty());
        if !plain {
            // Arrays in arrays: whole leaves at once.
            inputs = into
                .iter()
                .filter(|stored| !stored.hidden)
                .map(|stored| Input {
                    place: Place {
                        variable: stored.variable,
                        path: array
                            .indices
                            .iter()
                            .cloned()
                            .map(|index| Projection::Element(Box::new(index)))
                            .collect(),
                    },
                    source: InputSource::Unseen,
                    span,
                })
                .collect();
            writes.clear();
        }
        self.flush(span);
        self.pending.inputs.extend(inputs);
        self.advance(StepKind::Skip, span, Effect::Assign(writes));
    }

    /// Whether two slices hold the same; drawn where that is not seen.
    pub fn same_elements(&mut self, element: &Ty, left: &Value, right: &Value, span: Span) -> Option<Cond> {
        let ends = |value: &Value| {
            Some((value.leaves.first()?.first()?.clone(), value.leaves.get(1)?.first()?.clone()))
        };
        let ((_, one), (_, other)) = (ends(left)?, ends(right)?);
        let answer = self.temporary(&Ty::Bool, span);
        let (left, right) = (self.placed(left, span), self.placed(right, span));
        let (alike, shown, unseen, after) =
            (self.builder.point(), self.builder.point(), self.builder.point(), self.builder.point());
        let place = self.context.leaf_places(&answer)[0].clone();
        let same = arith::compare(CompareOp::Equal, one.clone(), other);
        let set = |expr: Expr| Effect::Assign(vec![(place.clone(), expr)]);
        let pending = self.taken();
        let exits = vec![
            Exit { guard: same.clone(), effect: Effect::SKIP, target: alike, span },
            Exit { guard: arith::not(same), effect: set(arith::constant(0)), target: after, span },
        ];
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = alike;
        let (first, _) = self.ends(&left, span)?;
        let (second, length) = self.ends(&right, span)?;
        let window = self.context.window(element).unwrap_or(0);
        let end = |start: &Expr| {
            arith::compare(
                CompareOp::LessEqual,
                sum(start.clone(), length.clone()),
                arith::constant(i64::from(window)),
            )
        };
        let visible = end(&first).and(end(&second));
        let pending = self.taken();
        let exits = vec![
            Exit { guard: visible.clone(), effect: Effect::SKIP, target: shown, span },
            Exit { guard: arith::not(visible), effect: Effect::SKIP, target: unseen, span },
        ];
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = shown;
        let equal = self.elements_agree(element, (&left, &first), (&right, &second), (&length, window), span);
        let value = match equal {
            Some(equal) => Value::truth(equal),
            None => self.unseen_comparison(element, span),
        };
        let writes = self.writes(&answer, &value, span);
        self.advance(StepKind::Skip, span, Effect::Assign(writes));
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = unseen;
        let value = self.unseen_comparison(element, span);
        let writes = self.writes(&answer, &value, span);
        self.advance(StepKind::Skip, span, Effect::Assign(writes));
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = after;
        Some(arith::truth(arith::read(place)))
    }

    /// What comparing many elements gives. Those of other types may be compared by code of their own.
    pub fn unseen_comparison(&mut self, element: &Ty, span: Span) -> Value {
        match element.behind() {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => self.unseen(&Ty::Bool, span),
            _ => self.unknown_value(&Ty::Bool, "a comparison of values of this type", span),
        }
    }

    /// Elements one by one, of slices that end within their windows.
    fn elements_agree(
        &mut self,
        element: &Ty,
        (left, first): (&Spot, &Expr),
        (right, second): (&Spot, &Expr),
        (length, window): (&Expr, u32),
        span: Span,
    ) -> Option<Cond> {
        if !matches!(element, Ty::Integer(_) | Ty::Bool | Ty::Char) {
            return None;
        }
        let mut all = Cond::Literal(true);
        for index in 0..window {
            let at = |start: &Expr| sum(start.clone(), arith::constant(i64::from(index)));
            let behind =
                arith::compare(CompareOp::LessEqual, length.clone(), arith::constant(i64::from(index)));
            let one = self.element_at(left, element, at(first));
            let other = self.element_at(right, element, at(second));
            let (one, other) = (self.read(&one, span), self.read(&other, span));
            let same = arith::compare(CompareOp::Equal, one.expr()?.clone(), other.expr()?.clone());
            all = all.and(behind.or(same));
        }
        Some(all)
    }

    pub fn element_at(&self, spot: &Spot, element: &Ty, index: Expr) -> Spot {
        let leaves = spot.leaves.clone().unwrap_or_default();
        let indices = spot.indices.iter().cloned().chain([index]).collect();
        Spot { ty: element.clone(), leaves: Some(leaves.get(2..).unwrap_or_default().to_vec()), indices }
    }

    /// What slices among arguments must be for a run that begins with them to be one that anybody can make: not too
    /// large, and texts of characters whose bytes are plain to see. Nothing is asked of leaves that are not there.
    pub fn ordinary(&self, value: &Value) -> [Cond; 2] {
        let leaves = self.context.leaves(&value.ty);
        let (mut cond, mut spelled) = (Cond::Literal(true), Cond::Literal(true));
        for (index, (leaf, slots)) in leaves.iter().zip(&value.leaves).enumerate() {
            match leaf.part {
                Part::Length(bytes) => {
                    let most = arith::constant((super::driver::LARGE / bytes.max(1)) as i64);
                    for slot in slots {
                        cond = cond.and(arith::compare(CompareOp::LessEqual, slot.clone(), most.clone()));
                    }
                }
                Part::Text if !slots.is_empty() => {
                    let (starts, lengths) = (&value.leaves[index - 2], &value.leaves[index - 1]);
                    let texts = slots.chunks(slots.len() / starts.len().max(1));
                    for ((start, length), bytes) in starts.iter().zip(lengths).zip(texts) {
                        let ends = (start.clone(), length.clone());
                        spelled = spelled.and(match self.context.is_about_letters() {
                            true => super::letters::text(ends, bytes),
                            false => plain_text(ends, bytes),
                        });
                    }
                }
                Part::Element if leaf.scalar == Type::Below(0x11_0000) => {
                    for slot in slots {
                        let below = arith::compare(CompareOp::Less, slot.clone(), arith::constant(0xd800));
                        let above = arith::compare(CompareOp::Greater, slot.clone(), arith::constant(0xdfff));
                        cond = cond.and(below.or(above));
                    }
                }
                Part::Value | Part::Start | Part::Element | Part::Text => {}
            }
        }
        [cond, spelled]
    }
}

/// Whether the visible bytes of a text are characters of one or two bytes, whole ones.
fn plain_text((start, length): (Expr, Expr), bytes: &[Expr]) -> Cond {
    let window = bytes.len() - 1;
    let mut cond = arith::compare(CompareOp::Equal, start, arith::constant(0));
    for (index, byte) in bytes[..window].iter().enumerate() {
        let at = arith::constant(index as i64);
        let outside = arith::compare(CompareOp::LessEqual, length.clone(), at.clone());
        let plain = arith::compare(CompareOp::Less, byte.clone(), arith::constant(0x80));
        let mut valid = outside.or(plain);
        if index + 1 < window {
            let inside =
                arith::compare(CompareOp::Greater, length.clone(), arith::constant(index as i64 + 1));
            let next = continuing(&bytes[index + 1]);
            valid = valid.or(between(byte, 0xc2, 0xdf).and(inside).and(next));
        }
        if index > 0 {
            valid = valid.or(continuing(byte).and(between(&bytes[index - 1], 0xc2, 0xdf)));
        }
        cond = cond.and(valid);
    }
    cond
}

pub fn between(byte: &Expr, low: i64, high: i64) -> Cond {
    arith::compare(CompareOp::GreaterEqual, byte.clone(), arith::constant(low)).and(arith::compare(
        CompareOp::LessEqual,
        byte.clone(),
        arith::constant(high),
    ))
}

pub fn continuing(byte: &Expr) -> Cond {
    between(byte, 0x80, 0xbf)
}

fn continues(byte: &Expr) -> Option<Cond> {
    Some(continuing(byte))
}

pub fn sum(left: Expr, right: Expr) -> Expr {
    match (arith::as_constant(&left), arith::as_constant(&right)) {
        (Some(zero), _) if zero.is_zero() => right,
        (_, Some(zero)) if zero.is_zero() => left,
        _ => arith::binary(BinaryOp::Add, left, right),
    }
}

pub fn difference(left: Expr, right: Expr) -> Expr {
    match arith::as_constant(&right) {
        Some(zero) if zero.is_zero() => left,
        _ => arith::binary(BinaryOp::Sub, left, right),
    }
}
