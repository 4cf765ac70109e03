//! Patterns: the condition under which they match, and what they bind.

use super::super::super::arith;
use super::super::super::build::Point;
use super::super::hir::{Arm, ExprId, LocalId, Mutability, PatId, PatKind};
use super::super::items::AdtKind;
use super::super::types::{Length, Ty};
use super::sequence::{difference, sum};
use super::steps::{Goal, Lowerer, Way};
use super::value::{Spot, Value};
use crate::ir::{Cond, Effect, Expr, Place, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

/// Patterns with more ways than this to choose among alternatives are looked at as a whole.
const WAY_LIMIT: usize = 256;

impl Lowerer<'_, '_, '_> {
    /// What is matched: its value, and its place where it has one.
    pub fn scrutinee(&mut self, id: ExprId) -> (Value, Option<Spot>) {
        use super::super::hir::ExprKind;
        let span = self.span(id);
        let inner = match &self.frame.body.expr(id).kind {
            ExprKind::Reference(_, inner) if self.is_place(*inner) => *inner,
            _ => id,
        };
        if self.is_place(inner) {
            self.loose_end(id, span);
            let ty = self.ty(id);
            let spot = self.spot(inner);
            let spot = self.settled(spot, span);
            if spot.is_plain() {
                let value = self.read(&spot, span).with_type(ty.clone());
                return (value, Some(self.context.retyped(spot, ty)));
            }
            let value = self.read(&spot, span).with_type(ty);
            return (self.keep(value, span), Some(spot));
        }
        let value = self.value(id);
        let plain = |expr: &Expr| match expr {
            Expr::Constant(_) => true,
            Expr::Variable(place) => place.path.is_empty(),
            _ => false,
        };
        let value = if value.slots().all(plain) { value } else { self.keep(value, span) };
        (value, None)
    }

    pub fn matching(&mut self, scrutinee: ExprId, arms: &[Arm], goal: &Goal, span: Span) {
        let (mut value, spot) = self.scrutinee(scrutinee);
        if spot.is_none() && arms.iter().any(|arm| arm.guard.is_some()) {
            // Guards may change what it was computed from.
            value = self.keep(value, span);
        }
        let goal = goal.inner();
        let after = self.builder.point();
        for (index, arm) in arms.iter().enumerate() {
            let last = index + 1 == arms.len();
            let mut ways = self.guarded_ways(arm);
            let next = match ways.len() {
                1 => {
                    let next = self.arm(arm, ways.remove(0), (&value, spot.as_ref()), last);
                    self.run(arm.body, &goal);
                    next
                }
                _ => {
                    let (body, mut next) = (self.builder.point(), self.builder.current);
                    for way in ways {
                        self.builder.current = next;
                        next = self.arm(arm, way, (&value, spot.as_ref()), last);
                        self.join(body, span);
                        self.pending = Default::default();
                    }
                    self.builder.current = body;
                    self.run(arm.body, &goal);
                    next
                }
            };
            self.join(after, span);
            self.builder.current = next;
            self.pending = Default::default();
        }
        // Nothing is left behind the last arm.
        self.dead();
        self.builder.current = after;
    }

    /// Tests an arm and its guard, goes on where both hold, and gives the point where they do not.
    fn arm(&mut self, arm: &Arm, way: Way, (value, spot): (&Value, Option<&Spot>), last: bool) -> Point {
        let next = self.builder.point();
        let body = self.builder.point();
        let at = self.here(self.frame.body.pat(arm.pat).span);
        self.frame.chosen = way;
        let known = match last && arm.guard.is_none() {
            // Rust's matches are exhaustive.
            true => Cond::Literal(true),
            false => self.test(arm.pat, value),
        };
        // An arm that always matches is no mistake, unlike a condition that always holds.
        let what = StepKind::Declaration;
        self.match_arm(arm.pat, known, (value, spot), (body, next), what, at);
        self.frame.chosen.clear();
        self.builder.current = body;
        if let Some(guard) = arm.guard {
            let passed = self.builder.point();
            self.branch(guard, passed, next);
            self.builder.current = passed;
        }
        next
    }

    /// A guard is asked for each alternative that matches, until it holds: in how many ways that matters.
    fn guarded_ways(&mut self, arm: &Arm) -> Vec<Way> {
        let whole = vec![Way::new()];
        let Some(guard) = arm.guard else { return whole };
        let matters = match self.named_in_alternatives(arm.pat).is_empty() {
            true => self.needs_steps(guard) && self.may_overlap(arm.pat),
            false => true,
        };
        if matters { self.ways(arm.pat).unwrap_or(whole) } else { whole }
    }

    /// All ways to choose among the alternatives of a pattern, in order.
    fn ways(&self, pat: PatId) -> Option<Vec<Way>> {
        let body = self.frame.body;
        if let PatKind::Or(cases) = &body.pat(pat).kind {
            let mut found = Vec::new();
            for (index, case) in cases.iter().enumerate() {
                for mut way in self.ways(*case)? {
                    way.push((pat, index));
                    found.push(way);
                }
            }
            return (found.len() <= WAY_LIMIT).then_some(found);
        }
        let mut found = vec![Way::new()];
        for inner in body.inside(pat) {
            let own = self.ways(inner)?;
            found =
                found.iter().flat_map(|way| own.iter().map(move |more| [&way[..], more].concat())).collect();
            if found.len() > WAY_LIMIT {
                return None;
            }
        }
        Some(found)
    }

    /// The names that alternatives of a pattern bind.
    fn named_in_alternatives(&self, pat: PatId) -> Vec<LocalId> {
        let body = self.frame.body;
        let (mut found, mut work) = (Vec::new(), vec![(pat, false)]);
        while let Some((pat, among)) = work.pop() {
            let kind = &body.pat(pat).kind;
            if let (PatKind::Bind { local, .. }, true) = (kind, among) {
                found.push(*local);
            }
            let among = among || matches!(kind, PatKind::Or(_));
            work.extend(body.inside(pat).into_iter().map(|inner| (inner, among)));
        }
        found
    }

    /// Whether more than one alternative may match; different values do not.
    fn may_overlap(&self, pat: PatId) -> bool {
        let body = self.frame.body;
        let inside = body.inside(pat);
        let values = inside.iter().all(|inner| matches!(body.pat(*inner).kind, PatKind::Value(_)));
        matches!(body.pat(pat).kind, PatKind::Or(_)) && !values
            || inside.into_iter().any(|inner| self.may_overlap(inner))
    }

    /// A step that tests a pattern and binds its names where it matches.
    fn match_arm(
        &mut self,
        pat: PatId,
        cond: Cond,
        (value, spot): (&Value, Option<&Spot>),
        (yes, no): (Point, Point),
        what: StepKind,
        span: Span,
    ) {
        let what = self.called(what);
        if self.looks_at_elements(pat) {
            // There may be no such elements where the pattern does not match.
            if cond != Cond::Literal(true) {
                let matched = self.builder.point();
                let pending = self.taken();
                let ways = [(Effect::SKIP, matched), (Effect::SKIP, no)];
                self.builder.split(what, span, pending, cond, ways);
                self.dead();
                self.builder.current = matched;
            }
            self.bind_pattern(pat, value, spot, StepKind::Skip, span);
            self.builder.jump(yes, span);
            self.dead();
            return;
        }
        let writes = self.bound(pat, value, spot, span);
        let pending = self.taken();
        if cond == Cond::Literal(true) {
            if writes.is_empty() && !pending.can_fail() && pending.inputs.is_empty() {
                self.builder.jump(yes, span);
            } else {
                let exit = super::super::super::build::Exit {
                    guard: Cond::Literal(true),
                    effect: Effect::Assign(writes),
                    target: yes,
                    span,
                };
                self.builder.step(what, span, pending, vec![exit]);
            }
        } else {
            let ways = [(Effect::Assign(writes), yes), (Effect::SKIP, no)];
            self.builder.split(what, span, pending, cond, ways);
        }
        self.dead();
    }

    /// Whether a pattern has one of a slice's elements in it.
    fn looks_at_elements(&self, pat: PatId) -> bool {
        let all = |pats: &[PatId]| pats.iter().any(|pat| self.looks_at_elements(*pat));
        match &self.frame.body.pat(pat).kind {
            PatKind::Slice(pats, _) => {
                self.context.element_type(&self.frame.typing.pats[pat.index()]).is_some() || all(pats)
            }
            PatKind::Tuple(pats, _) | PatKind::TupleStruct(_, pats, _) | PatKind::Or(pats) => all(pats),
            PatKind::Struct(_, fields) => fields.iter().any(|(_, inner)| self.looks_at_elements(*inner)),
            PatKind::Reference(inner) | PatKind::Bind { inner: Some(inner), .. } => {
                self.looks_at_elements(*inner)
            }
            _ => false,
        }
    }

    /// `let P = e` as a condition.
    pub fn let_condition(&mut self, pat: PatId, value: ExprId, yes: Point, no: Point, span: Span) {
        let (value, spot) = self.scrutinee(value);
        let cond = self.test(pat, &value);
        self.match_arm(pat, cond, (&value, spot.as_ref()), (yes, no), StepKind::Condition, span);
    }

    /// Binds the names of a pattern that always matches.
    pub fn bind_pattern(
        &mut self,
        pat: PatId,
        value: &Value,
        spot: Option<&Spot>,
        what: StepKind,
        span: Span,
    ) {
        let writes = self.bound(pat, value, spot, span);
        self.advance(what, span, Effect::Assign(writes));
    }

    /// The assignments that bind the names of a pattern. A name for one of several places is a name for none that is
    /// followed.
    fn bound(&mut self, pat: PatId, value: &Value, spot: Option<&Spot>, span: Span) -> Vec<(Place, Expr)> {
        let mut writes = Vec::new();
        self.bindings(pat, value, spot, &mut writes, span);
        for local in self.named_in_alternatives(pat) {
            let ty = self.frame.typing.locals[local.index()].clone();
            if matches!(ty, Ty::Reference(Mutability::Mutable, _)) {
                self.frame.locals[local.index()] = Some(Spot::nowhere(ty));
            }
        }
        writes
    }

    /// The alternative that is looked at, where it is one at a time.
    fn chosen(&self, pat: PatId, cases: &[PatId]) -> Option<PatId> {
        let (_, index) = self.frame.chosen.iter().find(|(of, _)| *of == pat)?;
        cases.get(*index).copied()
    }

    /// Where the pattern matches the value.
    pub fn test(&mut self, pat: PatId, value: &Value) -> Cond {
        let body = self.frame.body;
        let span = self.here(body.pat(pat).span);
        match &body.pat(pat).kind {
            PatKind::Wild | PatKind::Rest => Cond::Literal(true),
            PatKind::Bind { inner, .. } => inner.map_or(Cond::Literal(true), |inner| self.test(inner, value)),
            PatKind::Reference(inner) => self.test(*inner, value),
            PatKind::Or(cases) => match self.chosen(pat, cases) {
                Some(case) => self.test(case, value),
                None => cases
                    .iter()
                    .map(|case| self.test(*case, value))
                    .reduce(Cond::or)
                    .unwrap_or(Cond::Literal(false)),
            },
            PatKind::Value(id) => {
                // A variant without fields is told by its tag, whatever equality its type has.
                if let Some(super::super::infer::Named::Variant(adt, variant)) =
                    self.frame.typing.paths.get(id)
                {
                    let single = self.context.items.adt(*adt).variants.len() == 1;
                    let tag = value.leaves.first().and_then(|leaf| leaf.first()).cloned();
                    return match tag {
                        _ if single => Cond::Literal(true),
                        Some(tag) => {
                            arith::compare(CompareOp::Equal, tag, arith::constant(i64::from(*variant)))
                        }
                        None => self.unknown_test(span),
                    };
                }
                let wanted = self.value(*id);
                self.compare_values(CompareOp::Equal, value, &wanted, span)
            }
            PatKind::Range { low, high, inclusive } => {
                if value.expr().is_none() {
                    return self.unknown_test(span);
                }
                let mut cond = Cond::Literal(true);
                if let Some(low) = low {
                    let low = self.value(*low);
                    cond = cond.and(self.compare_values(CompareOp::GreaterEqual, value, &low, span));
                }
                if let Some(high) = high {
                    let high = self.value(*high);
                    let op = if *inclusive { CompareOp::LessEqual } else { CompareOp::Less };
                    cond = cond.and(self.compare_values(op, value, &high, span));
                }
                cond
            }
            PatKind::Tuple(..) | PatKind::TupleStruct(..) | PatKind::Struct(..) | PatKind::Slice(..) => {
                if let PatKind::Slice(pats, rest) = &body.pat(pat).kind
                    && self.context.element_type(&value.ty).is_some()
                {
                    return self.slice_test(pats, *rest, value, span);
                }
                let Some(tag) = self.tag_test(pat, value, span) else { return self.unknown_test(span) };
                let Some(parts) = self.parts(pat, value, None) else {
                    return self.unknown_test(span);
                };
                parts.into_iter().fold(tag, |cond, (inner, value, _)| cond.and(self.test(inner, &value)))
            }
            PatKind::Opaque => self.unknown_test(span),
        }
    }

    /// A slice has as many elements as its pattern, and they match.
    fn slice_test(&mut self, pats: &[PatId], rest: Option<usize>, value: &Value, span: Span) -> Cond {
        let Some(length) = value.leaves.get(1).and_then(|leaf| leaf.first()).cloned() else {
            return self.unknown_test(span);
        };
        let count = (pats.len() - usize::from(rest.is_some())) as i64;
        let op = if rest.is_some() { CompareOp::GreaterEqual } else { CompareOp::Equal };
        let enough = arith::compare(op, length, arith::constant(count));
        let trivial = |pat: &PatId| {
            matches!(
                self.frame.body.pat(*pat).kind,
                PatKind::Wild | PatKind::Rest | PatKind::Bind { inner: None, .. }
            )
        };
        if pats.iter().enumerate().all(|(index, pat)| rest == Some(index) || trivial(pat)) {
            return enough;
        }
        // Elements are looked at only where there are enough of them.
        let answer = self.temporary(&Ty::Bool, span);
        let (inner, after) = (self.builder.point(), self.builder.point());
        let none = self.writes(&answer, &Value::scalar(Ty::Bool, arith::constant(0)), span);
        let pending = self.taken();
        let ways = [(Effect::SKIP, inner), (Effect::Assign(none), after)];
        self.builder.split(StepKind::Skip, span, pending, enough, ways);
        self.dead();
        self.builder.current = inner;
        let mut all = Cond::Literal(true);
        for (pat, value, _) in self.slice_elements(pats, rest, value, None, span) {
            if rest.is_none_or(|rest| pats[rest] != pat) {
                all = all.and(self.test(pat, &value));
            }
        }
        let writes = self.writes(&answer, &Value::truth(all), span);
        self.advance(StepKind::Skip, span, Effect::Assign(writes));
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = after;
        self.read(&answer, span).expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
    }

    /// Patterns of a slice with the elements they stand for, and the part that is left.
    fn slice_elements(
        &mut self,
        pats: &[PatId],
        rest: Option<usize>,
        value: &Value,
        spot: Option<&Spot>,
        span: Span,
    ) -> Vec<(PatId, Value, Option<Spot>)> {
        let Some(element) = self.context.element_type(&value.ty) else { return Vec::new() };
        let place = match spot {
            Some(spot) => spot.clone(),
            None => self.placed(value, span),
        };
        let Some((start, length)) = self.ends(&place, span) else { return Vec::new() };
        let mut found = Vec::new();
        for (index, pat) in pats.iter().enumerate() {
            let left = (pats.len() - index) as i64;
            match rest {
                Some(rest) if rest == index => {
                    if matches!(self.frame.body.pat(*pat).kind, PatKind::Rest | PatKind::Wild) {
                        continue;
                    }
                    let before = arith::constant(index as i64);
                    let others = arith::constant(pats.len() as i64 - 1);
                    let ends = (sum(start.clone(), before), difference(length.clone(), others));
                    let whole = Ty::Slice(Box::new(element.clone()));
                    let part = self.narrowed(&place, &whole, ends, span);
                    let value = self.read(&part, span);
                    found.push((*pat, value, Some(part)));
                }
                _ => {
                    let at = match rest {
                        Some(rest) if index > rest => difference(length.clone(), arith::constant(left)),
                        _ => arith::constant(index as i64),
                    };
                    let inner = self.near_or_far(&place, &element, at, span);
                    let value = self.read(&inner, span);
                    let value = self.keep(value, span);
                    found.push((*pat, value, Some(inner)));
                }
            }
        }
        found
    }

    fn unknown_test(&mut self, span: Span) -> Cond {
        let value = self.unseen_value(&Ty::Bool, "a pattern that is not understood", span);
        value.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
    }

    /// Whether the value is of the pattern's variant.
    fn tag_test(&self, pat: PatId, value: &Value, _: Span) -> Option<Cond> {
        let body = self.frame.body;
        if matches!(body.pat(pat).kind, PatKind::Tuple(..) | PatKind::Slice(..)) {
            return Some(Cond::Literal(true));
        }
        let (adt, variant) = self.frame.typing.variants.get(&pat).copied()?;
        match self.context.items.adt(adt).kind {
            AdtKind::Struct => Some(Cond::Literal(true)),
            AdtKind::Enum if self.context.items.adt(adt).variants.len() == 1 => Some(Cond::Literal(true)),
            AdtKind::Enum => {
                let tag = value.leaves.first()?.first()?.clone();
                Some(arith::compare(CompareOp::Equal, tag, arith::constant(i64::from(variant))))
            }
        }
    }

    /// The patterns inside a pattern with what they are matched against.
    fn parts(
        &self,
        pat: PatId,
        value: &Value,
        spot: Option<&Spot>,
    ) -> Option<Vec<(PatId, Value, Option<Spot>)>> {
        let body = self.frame.body;
        let mut found = Vec::new();
        let mut add = |inner: PatId, at: usize, ty: Ty| -> Option<()> {
            let part = self.context.value_part(value, at, ty.clone())?;
            let place = spot.map(|spot| self.context.spot_part(spot, at, ty));
            found.push((inner, part, place));
            Some(())
        };
        match &body.pat(pat).kind {
            PatKind::Tuple(pats, rest) => {
                let Ty::Tuple(parts) = value.ty.behind() else { return None };
                for (index, inner) in placed(pats, *rest, parts.len()) {
                    let at = parts.get(..index)?.iter().map(|part| self.context.leaf_count(part)).sum();
                    add(inner, at, parts.get(index)?.clone())?;
                }
            }
            PatKind::TupleStruct(_, pats, rest) => {
                let (adt, variant) = self.frame.typing.variants.get(&pat).copied()?;
                let Ty::Adt(_, arguments) = value.ty.behind() else { return None };
                let count = self.context.items.adt(adt).variants[variant as usize].fields.len();
                for (index, inner) in placed(pats, *rest, count) {
                    let (at, ty) = self.context.field_leaves(adt, variant, index, arguments);
                    add(inner, at, ty)?;
                }
            }
            PatKind::Struct(_, fields) => {
                let (adt, variant) = self.frame.typing.variants.get(&pat).copied()?;
                let Ty::Adt(_, arguments) = value.ty.behind() else { return None };
                let declared = &self.context.items.adt(adt).variants[variant as usize].fields;
                for (name, inner) in fields {
                    let index = declared.iter().position(|field| field.name == *name)?;
                    let (at, ty) = self.context.field_leaves(adt, variant, index, arguments);
                    add(*inner, at, ty)?;
                }
            }
            PatKind::Slice(pats, rest) => return self.slice_parts(pats, *rest, value, spot),
            _ => {}
        }
        Some(found)
    }

    fn slice_parts(
        &self,
        pats: &[PatId],
        rest: Option<usize>,
        value: &Value,
        spot: Option<&Spot>,
    ) -> Option<Vec<(PatId, Value, Option<Spot>)>> {
        let Ty::Array(element, Length::Known(length)) = value.ty.behind() else { return None };
        let skipped = (*length + 1).checked_sub(pats.len() as u64)?;
        let mut found = Vec::new();
        for (index, pat) in pats.iter().enumerate() {
            if rest == Some(index) {
                match &self.frame.body.pat(*pat).kind {
                    PatKind::Rest => {}
                    PatKind::Bind { local, .. }
                        if !matches!(
                            self.frame.typing.locals[local.index()],
                            Ty::Reference(Mutability::Mutable, _)
                        ) =>
                    {
                        let within = index as u64..index as u64 + skipped;
                        let elements = within.map(|at| self.context.element_value(value, at));
                        let part = self.context.array_value(element, &elements.collect::<Option<Vec<_>>>()?);
                        found.push((*pat, part, None));
                    }
                    _ => return None,
                }
                continue;
            }
            let behind = rest.is_some_and(|rest| index > rest);
            let at = if behind { index as u64 + skipped - 1 } else { index as u64 };
            let inner = self.context.element_value(value, at)?;
            let place = spot.map(|spot| self.element_spot(spot, arith::constant(at as i64)));
            found.push((*pat, inner, place));
        }
        Some(found)
    }

    /// The assignments that bind the names of a pattern; references to parts become names of the places.
    fn bindings(
        &mut self,
        pat: PatId,
        value: &Value,
        spot: Option<&Spot>,
        writes: &mut Vec<(Place, Expr)>,
        span: Span,
    ) {
        let body = self.frame.body;
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner, .. } => {
                let by = self.frame.typing.references.get(&pat).copied();
                let ty = self.frame.typing.locals[local.index()].clone();
                let refers = by == Some(Mutability::Mutable)
                    || matches!(ty, Ty::Reference(Mutability::Mutable, _)) && spot.is_some();
                if refers {
                    if let Some(spot) = spot {
                        self.retypes(&spot.ty, &ty);
                    }
                    let place = spot.cloned().unwrap_or_else(|| Spot::nowhere(ty.clone()));
                    self.frame.locals[local.index()] = Some(self.context.retyped(place, ty));
                } else {
                    let target = self.local(*local, span);
                    let new = self.writes(&target, value, span);
                    writes.extend(new);
                }
                if let Some(inner) = inner {
                    self.bindings(*inner, value, spot, writes, span);
                }
            }
            PatKind::Reference(inner) => self.bindings(*inner, value, spot, writes, span),
            PatKind::Or(cases) => match self.chosen(pat, cases) {
                Some(case) => self.bindings(case, value, spot, writes, span),
                None => self.or_bindings(cases, value, spot, writes, span),
            },
            PatKind::Tuple(..) | PatKind::TupleStruct(..) | PatKind::Struct(..) | PatKind::Slice(..) => {
                let parts = match &body.pat(pat).kind {
                    PatKind::Slice(pats, rest) if self.context.element_type(&value.ty).is_some() => {
                        Some(self.slice_elements(pats, *rest, value, spot, span))
                    }
                    _ => self.parts(pat, value, spot),
                };
                match parts {
                    Some(parts) => {
                        for (inner, value, spot) in parts {
                            self.bindings(inner, &value, spot.as_ref(), writes, span);
                        }
                    }
                    None => self.unknown_bindings(pat, writes, span),
                }
            }
            _ => {}
        }
    }

    /// Alternatives bind the same names, each to its own part.
    fn or_bindings(
        &mut self,
        cases: &[PatId],
        value: &Value,
        spot: Option<&Spot>,
        writes: &mut Vec<(Place, Expr)>,
        span: Span,
    ) {
        let mut merged: Vec<(Place, Expr)> = Vec::new();
        for case in cases.iter().rev() {
            let mut own = Vec::new();
            self.bindings(*case, value, spot, &mut own, span);
            if own.is_empty() {
                continue;
            }
            let cond = self.test(*case, value);
            for (place, expr) in own {
                match merged.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, known)) => *known = arith::choose(cond.clone(), expr, known.clone()),
                    None => merged.push((place, expr)),
                }
            }
        }
        writes.extend(merged);
    }

    /// Names of a pattern that is not understood hold anything.
    fn unknown_bindings(&mut self, pat: PatId, writes: &mut Vec<(Place, Expr)>, span: Span) {
        let body = self.frame.body;
        if let PatKind::Bind { local, .. } = &body.pat(pat).kind {
            let target = self.local(*local, span);
            let ty = target.ty.clone();
            let value = self.unseen_value(&ty, "a name bound by a pattern that is not understood", span);
            let new = self.writes(&target, &value, span);
            writes.extend(new);
        }
        body.inside(pat).into_iter().for_each(|inner| self.unknown_bindings(inner, writes, span));
    }

    /// Binds the names of a pattern to unknown values.
    pub fn bind_unknown(&mut self, pat: PatId, span: Span) {
        let mut writes = Vec::new();
        self.unknown_bindings(pat, &mut writes, span);
        self.advance(StepKind::Declaration, span, Effect::Assign(writes));
    }
}

/// The places of patterns in a list of so many parts, some of which `..` skips.
fn placed(pats: &[PatId], rest: Option<usize>, count: usize) -> Vec<(usize, PatId)> {
    let skipped = count.saturating_sub(pats.len());
    let at = |index: usize| if rest.is_some_and(|rest| index >= rest) { index + skipped } else { index };
    pats.iter().enumerate().map(|(index, pat)| (at(index), *pat)).collect()
}
