//! One function: parameters, body, result.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::super::arith;
use super::super::super::build::{FunctionBuilder, Pending};
use super::super::hir::{Binding, PatKind};
use super::super::types::{Part, Ty};
use super::steps::{Frame, Goal, Lowerer};
use super::value::{Spot, Stored, Value, tuples};
use super::{Instance, ProgramLowerer};
use crate::ir::view::When;
use crate::ir::{self, Cond, Effect, Expr, Place, StepKind, VariableKind};
use crate::source::Span;

/// Where in their windows slices start that are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    AtTheFirst,
    Anywhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Entry,
    Callee,
}

pub fn lower(program: &mut ProgramLowerer<'_, '_>, instance: &Instance, role: Role) -> ir::Function {
    loop {
        (program.again, program.inlined) = (false, 0);
        program.lowering += 1;
        let lowered = lower_once(program, instance, role);
        // Each turn knows of one more closure that gets into unknown code.
        if !program.again {
            return lowered;
        }
    }
}

fn lower_once(program: &mut ProgramLowerer<'_, '_>, instance: &Instance, role: Role) -> ir::Function {
    let context = program.context;
    let function = context.items.function(instance.0);
    let signature = program.signature(instance);
    let name = name(program, instance);
    let mut builder = FunctionBuilder::new(name, function.span);
    builder.result = program.scalar_result(&signature.result);
    let typed = program.typing(instance, &signature);
    let (Some(body), Some((typing, hidden))) = (context.body(instance.0), typed) else {
        return without_body(program, builder, &signature.parameters, &signature.result, function.span);
    };
    let ends = Rc::new(super::ends::ends(context, body, &typing, &signature.result));
    let frame = Frame::new(body, typing, hidden, signature.result.clone());
    let frame = Frame { ends, scopes: vec![Vec::new()], function: Some(super::known_by(instance)), ..frame };
    let mut lowerer = Lowerer::new(program, builder, frame);
    if !instance.1.is_empty() {
        lowerer.note_failing_constants();
    }
    let spots = lowerer.parameters(&signature.parameters);
    let begins = if context.may_be_called(instance.0) { Begins::Anywhere } else { Begins::AtTheFirst };
    lowerer.first_slices(&spots, begins, StepKind::Begin, function.span);
    // Any function may be where runs begin; what callers pass is valid anyway.
    for spot in &spots {
        let value = lowerer.seen(spot);
        lowerer.assume_valid(&value, StepKind::Begin, function.span);
    }
    lowerer.own_ends_of_parameters(function.span);
    lowerer.body(&signature.result, role, begins)
}

fn name(program: &ProgramLowerer<'_, '_>, (id, generics): &Instance) -> String {
    let path = program.context.items.function_path(*id);
    let plain = generics.iter().all(|ty| matches!(ty, Ty::Parameter(_)));
    if plain {
        return path;
    }
    let shown: Vec<String> =
        generics.iter().map(|ty| super::super::types::shown(program.context, ty)).collect();
    format!("{path}<{}>", shown.join(", "))
}

/// An entry whose body is not looked into.
fn without_body(
    program: &mut ProgramLowerer<'_, '_>,
    mut builder: FunctionBuilder,
    _: &[Ty],
    _: &Ty,
    span: Span,
) -> ir::Function {
    program.unknown.push(crate::frontend::Unknown { span, reason: "a function that is not looked into" });
    let place = builder.temporary(ir::Type::Bool, span);
    let mut pending = Pending::default();
    pending.inputs.push(ir::Input { place, source: ir::InputSource::Unknown, span });
    builder.advance(StepKind::Input, span, pending, Effect::SKIP);
    builder.implicit_return(span);
    builder.finish(span)
}

impl Lowerer<'_, '_, '_> {
    /// Declares the parameters as scalars and binds their patterns.
    fn parameters(&mut self, types: &[Ty]) -> Vec<Spot> {
        let pats = self.frame.body.parameters.clone();
        let mut scalars: Vec<Vec<Vec<Place>>> = Vec::new();
        let mut names = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let pat = pats.get(index).map(|pat| self.frame.body.pat(*pat).clone());
            let name = match pat.as_ref().map(|pat| &pat.kind) {
                Some(PatKind::Bind { local, .. }) => self.frame.body.local(*local).name.clone(),
                Some(PatKind::Wild) => "_".into(),
                _ => format!("parameter{}", index + 1),
            };
            let span = pat.map_or(self.builder.span, |pat| pat.span);
            let leaves = self.context.leaves(ty);
            let declared = leaves.iter().map(|leaf| {
                let each = tuples(&leaf.dimensions).into_iter().map(|tuple| {
                    let at: String = tuple.iter().map(|index| format!("[{index}]")).collect();
                    let name = format!("{name}{at}{}", leaf.name);
                    Place::variable(self.builder.local(
                        &name,
                        leaf.scalar.clone(),
                        VariableKind::Parameter,
                        span,
                    ))
                });
                each.collect::<Vec<_>>()
            });
            scalars.push(declared.collect());
            names.push((name, span));
        }
        self.builder.parameters = self.builder.locals.len() as u32;
        let mut spots = Vec::new();
        let mut copies = Vec::new();
        for ((ty, scalars), (name, span)) in types.iter().zip(&scalars).zip(&names) {
            spots.push(self.parameter_spot(ty, scalars, name, *span, &mut copies));
        }
        if !copies.is_empty() {
            let span = self.builder.span;
            self.advance(StepKind::Declaration, span, Effect::Assign(copies));
        }
        for (index, spot) in spots.iter_mut().enumerate() {
            let Some(pat) = pats.get(index).copied() else { continue };
            self.bind_parameter(pat, spot);
            self.view_parameter(&names[index], spot, &scalars[index]);
            if let PatKind::Bind { local, inner: None, .. } = self.frame.body.pat(pat).kind {
                self.begin(local);
            }
        }
        for (ty, spot) in types.iter().zip(&spots) {
            if matches!(ty, Ty::Reference(super::super::hir::Mutability::Mutable, _)) {
                self.outs.push(spot.clone());
            }
        }
        // What is lent later is its own at the beginning.
        for (pat, spot) in pats.iter().zip(&mut spots) {
            if let PatKind::Bind { local, inner: None, .. } = self.frame.body.pat(*pat).kind
                && let Some(before) = self.frame.before.get(&local)
            {
                spot.leaves.clone_from(&before.leaves);
            }
        }
        spots
    }

    /// Slices that a run begins with start at their first element. A run that begins with values which not everybody
    /// can write down shows nothing.
    pub fn first_slices(&mut self, spots: &[Spot], begins: Begins, what: StepKind, span: Span) {
        let (mut cond, mut spelled) = (Cond::Literal(true), Cond::Literal(true));
        let mut starts = Vec::new();
        for spot in spots {
            for (leaf, places) in self.context.scalar_places(spot) {
                if leaf.part == Part::Start && begins == Begins::AtTheFirst {
                    starts.extend(places.into_iter().flatten().map(|place| (place, arith::constant(0))));
                }
            }
            let [own, texts] = self.ordinary(&self.seen(spot));
            (cond, spelled) = (cond.and(own), spelled.and(texts));
        }
        if !starts.is_empty() {
            self.advance(StepKind::Skip, span, Effect::Assign(starts));
        }
        self.begin_with(cond, ir::Type::Bool, what, span);
        // Texts that a call passes need not begin where their first letter is seen: there is one way to go on.
        self.begin_with(spelled, ir::Type::Below(1), what, span);
    }

    /// Runs that begin with something else draw a value of this type that nobody may choose.
    fn begin_with(&mut self, cond: Cond, drawn: ir::Type, what: StepKind, span: Span) {
        if cond == Cond::Literal(true) {
            return;
        }
        let (plain, strange) = (self.builder.point(), self.builder.point());
        let pending = self.taken();
        let ways = [(Effect::SKIP, plain), (Effect::SKIP, strange)];
        self.builder.split(what, span, pending, cond, ways);
        self.dead();
        self.builder.current = strange;
        let place = self.builder.temporary(drawn, span);
        self.pending.inputs.push(ir::Input { place, source: ir::InputSource::Unknown, span });
        self.advance(what, span, Effect::SKIP);
        self.builder.jump(plain, span);
        self.dead();
        self.builder.current = plain;
    }

    /// Scalars are their own variables; arrays are copied into one.
    fn parameter_spot(
        &mut self,
        ty: &Ty,
        scalars: &[Vec<Place>],
        name: &str,
        span: Span,
        copies: &mut Vec<(Place, Expr)>,
    ) -> Spot {
        let mut stored = Vec::new();
        for (leaf, places) in self.context.leaves(ty).iter().zip(scalars) {
            if leaf.dimensions.is_empty() {
                stored.push(Stored { variable: places[0].variable, hidden: false });
                continue;
            }
            let full = format!("{name}{}", leaf.name);
            let variable = self.builder.local(&full, leaf.ty(), VariableKind::Local, span);
            for (tuple, place) in tuples(&leaf.dimensions).iter().zip(places) {
                let path = tuple
                    .iter()
                    .map(|index| ir::Projection::Element(Box::new(arith::constant(i64::from(*index)))));
                copies.push((Place { variable, path: path.collect() }, arith::read(place.clone())));
            }
            stored.push(Stored { variable, hidden: false });
        }
        Spot { ty: ty.clone(), leaves: Some(stored), indices: Vec::new() }
    }

    /// Arrays are copied on entry: until then they are their scalars.
    fn view_parameter(&mut self, (name, span): &(String, Span), spot: &Spot, scalars: &[Vec<Place>]) {
        let Some(stored) = spot.leaves.as_deref() else { return };
        let dimensions: Vec<Vec<u32>> =
            self.context.leaves(&spot.ty).iter().map(|leaf| leaf.dimensions.clone()).collect();
        if dimensions.iter().all(Vec::is_empty) {
            return self.view(name, &spot.ty, stored, When::Always, *span);
        }
        self.view(name, &spot.ty, stored, When::Later, *span);
        let place = |leaf: usize, indices: &[u32]| {
            let flat = indices.iter().zip(dimensions.get(leaf)?);
            let flat = flat.fold(0, |flat, (index, length)| flat * length + index);
            scalars.get(leaf)?.get(flat as usize).cloned()
        };
        self.view_of(name, &spot.ty, &place, When::Start, *span);
    }

    fn bind_parameter(&mut self, pat: super::super::hir::PatId, spot: &mut Spot) {
        let span = self.frame.body.pat(pat).span;
        match self.frame.body.pat(pat).kind.clone() {
            PatKind::Bind { local, by, inner: None } => {
                if by != Binding::Move {
                    self.unnamed_end(&spot.ty.clone(), span);
                }
                let ty = self.frame.typing.locals[local.index()].clone();
                if self.frame.hidden.is_late(local) {
                    let before = self.context.retyped(spot.clone(), ty.clone());
                    self.frame.before.insert(local, before);
                }
                if let (Some(hidden), Some(leaves)) = (self.frame.hidden.get(&local), &mut spot.leaves) {
                    for (leaf, hidden) in leaves.iter_mut().zip(hidden) {
                        leaf.hidden |= *hidden;
                    }
                }
                self.frame.locals[local.index()] = Some(self.context.retyped(spot.clone(), ty));
            }
            PatKind::Wild => self.unnamed_end(&spot.ty.clone(), span),
            _ => {
                self.unnamed_end(&spot.ty.clone(), span);
                if self.loses_parts(pat, false)
                    && let Some(leaves) = &mut spot.leaves
                {
                    leaves.iter_mut().for_each(|leaf| leaf.hidden = true);
                }
                let value = self.read(spot, span);
                let place = spot.clone();
                self.bind_pattern(pat, &value, Some(&place), StepKind::Declaration, span);
            }
        }
    }

    /// Whether a pattern lends parts to names that nobody follows: unknown code may write them, there are several of
    /// them, or no place is so many elements of an array.
    fn loses_parts(&self, pat: super::super::hir::PatId, among: bool) -> bool {
        let body = self.frame.body;
        let lent = |pat: super::super::hir::PatId| match body.pat(pat).kind {
            PatKind::Bind { local, .. } => match &self.frame.typing.locals[local.index()] {
                Ty::Reference(super::super::hir::Mutability::Mutable, inner) => {
                    Some((local, (**inner).clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let kind = &body.pat(pat).kind;
        if lent(pat).is_some_and(|(local, _)| among || self.frame.hidden.contains_key(&local)) {
            return true;
        }
        if let PatKind::Slice(pats, Some(rest)) = kind
            && let Some((_, ty)) = pats.get(*rest).and_then(|pat| lent(*pat))
            && !matches!(ty, Ty::Slice(_))
        {
            return true;
        }
        let among = among || matches!(kind, PatKind::Or(_));
        body.inside(pat).into_iter().any(|inner| self.loses_parts(inner, among))
    }

    fn body(mut self, result: &Ty, role: Role, begins: Begins) -> ir::Function {
        let body = self.frame.body;
        let end = body.end.unwrap_or(self.builder.span);
        let has_result = self.context.leaf_count(result) > 0;
        if let Some(root) = body.root {
            // A closure in a result without leaves is called by others.
            let is_given = has_result || !matches!(result, Ty::Never) && *result != Ty::UNIT;
            let goal = if is_given { Goal::Return } else { Goal::Nothing };
            self.run(root, &goal);
        }
        if !has_result {
            self.leave_scopes(0, end);
        }
        let alone = role == Role::Entry && begins == Begins::AtTheFirst;
        let quiet = alone && !has_result && self.outs.is_empty();
        if quiet {
            self.flush(end);
            self.builder.join(FunctionBuilder::EXIT, end);
        } else if has_result || self.outs.is_empty() {
            self.flush(end);
            self.builder.implicit_return(end);
        } else if self.builder.reachable() {
            self.return_value(&Value::unit(), end);
            self.builder.implicit_return(end);
        } else {
            self.builder.implicit_return(end);
        }
        if role == Role::Entry {
            let endless = self.main_loops.iter().find(|(_, endless)| *endless);
            if let Some((head, _)) = endless.or(self.main_loops.first()) {
                self.builder.mark_tick(*head);
            }
        }
        if let Some(span) = self.builder.too_large {
            self.program.too_large.push(span);
        }
        self.builder.finish(end)
    }

    /// Leaves the function with a value.
    pub fn return_step(&mut self, value: &Value, span: Span) {
        let result = self.frame.result.clone();
        let value = self.fitted(value, &result, span);
        let mut next = FxHashMap::default();
        let mut writes = Vec::new();
        let scalar = self.program.scalar_result(&result);
        if scalar.is_none() {
            let registers = self.program.value_registers(&result, &mut next);
            for (leaf, slots) in registers.into_iter().zip(&value.leaves) {
                writes.extend(leaf.into_iter().zip(slots.iter().cloned()));
            }
        }
        for spot in self.outs.clone() {
            let back = self.read(&spot, span);
            let registers = self.program.value_registers(&spot.ty, &mut next);
            for (leaf, slots) in registers.into_iter().zip(&back.leaves) {
                writes.extend(leaf.into_iter().zip(slots.iter().cloned()));
            }
        }
        let mut returned = scalar.and_then(|_| value.expr().cloned());
        if !writes.is_empty() {
            if let Some(expr) = returned.take() {
                let kept = self.keep(Value::scalar(result, expr), span);
                returned = kept.expr().cloned();
            }
            self.advance(StepKind::Return, span, Effect::Assign(writes));
        }
        let pending = self.taken();
        let what = self.called(StepKind::Return);
        self.builder.end(what, span, pending, Effect::Return(returned));
    }
}
