//! How arguments come about: drawn where everybody has such values, made by calls where not, and put together of both
//! where everybody can write the type but not all of its parts.

use super::super::super::hir::{AdtId, FnId};
use super::super::super::items::AdtKind;
use super::super::super::types::{Length, Ty};
use super::super::ProgramLowerer;
use super::super::steps::Lowerer;
use super::super::value::{Spot, Value};
use super::{Maker, Making, parameter_name};
use crate::ir::StepKind;
use crate::source::Span;

/// Types inside each other that are put together.
const DEPTH_LIMIT: u32 = 6;
/// Elements of slices that are made.
const MOST_ELEMENTS: u64 = 2;

/// How a value of a parameter's type comes about.
pub(super) enum Plan {
    /// Anything will do.
    Drawn,
    Made(Maker),
    /// Part by part: a tuple, or a structure whose fields everybody can write.
    Parts(Vec<Plan>),
    /// A few elements: of a slice any number up to this, of an array all.
    Elements(Box<Plan>, u64),
    /// One of the variants; those that cannot be made are missing.
    Variants(Vec<Option<Vec<Plan>>>),
}

impl Plan {
    pub fn is_complete(&self) -> bool {
        match self {
            Plan::Drawn => true,
            Plan::Made(maker) => maker.complete,
            Plan::Elements(..) => false,
            Plan::Parts(parts) => parts.iter().all(Plan::is_complete),
            Plan::Variants(variants) => variants
                .iter()
                .all(|variant| variant.as_ref().is_some_and(|parts| parts.iter().all(Plan::is_complete))),
        }
    }
}

impl ProgramLowerer<'_, '_> {
    pub(super) fn plans(&mut self, types: &[Ty], making: &mut Making) -> Option<Vec<Plan>> {
        types.iter().map(|ty| self.plan(ty, making, 0)).collect()
    }

    fn plan(&mut self, ty: &Ty, making: &mut Making, depth: u32) -> Option<Plan> {
        if !self.context.is_private(ty) {
            return (!self.context.is_had_by_nobody(ty)).then_some(Plan::Drawn);
        }
        if depth > DEPTH_LIMIT {
            return None;
        }
        let context = self.context;
        let mut all = |types: &[Ty]| {
            types.iter().map(|ty| self.plan(ty, making, depth + 1)).collect::<Option<Vec<_>>>()
        };
        match ty {
            Ty::Reference(_, inner) => self.plan(inner, making, depth),
            Ty::Tuple(parts) => Some(Plan::Parts(all(parts)?)),
            Ty::Adt(id, _) if context.is_kept(*id) => None,
            Ty::Adt(id, _) if context.has_private_field(*id) => self.maker(ty, making).map(Plan::Made),
            Ty::Adt(id, arguments) => match context.items.adt(*id).kind {
                AdtKind::Struct => match all(&context.fields_of(*id, 0, arguments)) {
                    Some(parts) => Some(Plan::Parts(parts)),
                    // What nobody else can put together its module may make.
                    None => {
                        let maker = self.maker(ty, making)?;
                        Some(Plan::Made(Maker { complete: false, ..maker }))
                    }
                },
                AdtKind::Enum => {
                    let count = context.items.adt(*id).variants.len() as u32;
                    let closed =
                        |variant: u32| context.items.adt(*id).variants[variant as usize].is_extensible;
                    let mut plan = |variant: u32| match closed(variant) {
                        true => None,
                        false => all(&context.fields_of(*id, variant, arguments)),
                    };
                    let variants: Vec<Option<Vec<Plan>>> = (0..count).map(&mut plan).collect();
                    variants.iter().any(Option::is_some).then_some(Plan::Variants(variants))
                }
            },
            Ty::Slice(element) => {
                Some(Plan::Elements(Box::new(self.plan(element, making, depth + 1)?), MOST_ELEMENTS))
            }
            Ty::Array(element, Length::Known(length @ 1..=MOST_ELEMENTS)) => {
                Some(Plan::Elements(Box::new(self.plan(element, making, depth + 1)?), *length))
            }
            _ => None,
        }
    }
}

impl super::super::super::context::Context<'_> {
    fn fields_of(&self, id: AdtId, variant: u32, arguments: &[Ty]) -> Vec<Ty> {
        let fields = self.items.adt(id).variants.get(variant as usize).map_or(0, |found| found.fields.len());
        (0..fields).map(|field| self.field_type(id, variant, field, arguments)).collect()
    }
}

impl Lowerer<'_, '_, '_> {
    /// The arguments of a function, as planned.
    pub(super) fn planned(&mut self, function: FnId, types: &[Ty], plans: &[Plan], span: Span) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (index, (ty, plan)) in types.iter().zip(plans).enumerate() {
            let name = parameter_name(self, function, index);
            spots.push(self.by_plan(&name, ty, plan, span));
        }
        spots
    }

    fn by_plan(&mut self, name: &str, ty: &Ty, plan: &Plan, span: Span) -> Spot {
        if let Plan::Drawn = plan {
            return self.drawn(name, ty, span);
        }
        let ty = ty.behind();
        let spot = self.named(if matches!(plan, Plan::Made(_)) { "made" } else { name }, ty, None, span);
        match (plan, ty) {
            (Plan::Made(maker), _) => self.call_bare(maker.function, &spot, span),
            (Plan::Parts(plans), Ty::Tuple(parts)) => {
                let mut at = 0;
                for (part, plan) in parts.iter().zip(plans) {
                    self.put_part(&spot, at, part, name, plan, span);
                    at += self.context.leaf_count(part);
                }
            }
            (Plan::Parts(plans), Ty::Adt(id, arguments)) => {
                for (field, plan) in plans.iter().enumerate() {
                    let (at, part) = self.context.field_leaves(*id, 0, field, arguments);
                    self.put_part(&spot, at, &part, name, plan, span);
                }
            }
            (Plan::Elements(plan, count), Ty::Array(element, _)) => {
                let value = self.few(name, element, plan, *count, span);
                self.store(&spot, &value, StepKind::Assignment, span);
            }
            (Plan::Elements(plan, most), Ty::Slice(element)) => {
                let after = self.builder.point();
                for (count, way) in (0..).zip(self.choose(*most as usize + 1, span)) {
                    self.builder.current = way;
                    let value = self.few(name, element, plan, count, span);
                    let value = match self.as_slice(&value, ty) {
                        Some(value) => value,
                        None => self.unknown_value(ty, "a slice that is not followed", span),
                    };
                    self.store(&spot, &value, StepKind::Assignment, span);
                    self.flush(span);
                    self.builder.jump(after, span);
                }
                self.builder.current = after;
            }
            (Plan::Variants(variants), Ty::Adt(id, arguments)) => {
                self.put_variant(&spot, (*id, arguments), name, variants, span);
            }
            _ => {}
        }
        spot
    }

    fn few(&mut self, name: &str, ty: &Ty, plan: &Plan, count: u64, span: Span) -> Value {
        let mut elements = Vec::new();
        for _ in 0..count {
            let made = self.by_plan(name, ty, plan, span);
            let value = self.read(&made, span);
            elements.push(self.fitted(&value, ty, span));
        }
        self.context.array_value(ty, &elements)
    }

    fn put_part(&mut self, whole: &Spot, at: usize, ty: &Ty, name: &str, plan: &Plan, span: Span) {
        let made = self.by_plan(name, ty, plan, span);
        let value = self.read(&made, span);
        let value = self.fitted(&value, ty, span);
        let place = self.context.spot_part(whole, at, ty.clone());
        self.store(&place, &value, StepKind::Assignment, span);
    }

    fn put_variant(
        &mut self,
        whole: &Spot,
        (id, arguments): (AdtId, &[Ty]),
        name: &str,
        variants: &[Option<Vec<Plan>>],
        span: Span,
    ) {
        let known: Vec<(u32, &Vec<Plan>)> =
            (0..).zip(variants).filter_map(|(index, plans)| Some((index, plans.as_ref()?))).collect();
        let after = self.builder.point();
        let ways = self.choose(known.len(), span);
        for ((variant, plans), way) in known.into_iter().zip(ways) {
            self.builder.current = way;
            let mut fields = Vec::new();
            for (field, plan) in plans.iter().enumerate() {
                let ty = self.context.field_type(id, variant, field, arguments);
                let made = self.by_plan(name, &ty, plan, span);
                let value = self.read(&made, span);
                fields.push(self.fitted(&value, &ty, span));
            }
            match self.context.variant_value(id, variant, arguments, &fields) {
                Some(value) => self.store(whole, &value, StepKind::Assignment, span),
                None => {
                    let value = self.unknown_value(&whole.ty, "a variant that is not followed", span);
                    self.store(whole, &value, StepKind::Assignment, span);
                }
            }
            self.flush(span);
            self.builder.jump(after, span);
        }
        self.builder.current = after;
    }
}
