//! Values that hold something else: what a type's own `Deref` says lies in it, as a place, and enumerations of several ways
//! to hold the same.

use super::context::Context;
use super::defs::{Namespace, Resolved};
use super::hir::{AdtId, Body, ExprId, ExprKind, FnId, LocalId, Mutability, PatId, PatKind, Path};
use super::items::{AdtKind, Definition};
use super::types::Ty;

/// So many expressions inside each other say where something lies.
const DEPTH_LIMIT: u32 = 12;

/// A place inside a value: where its leaves begin, and its type.
type Held = (usize, Ty);

/// The body of a `deref` and what its names stand for.
struct Reading<'r> {
    body: &'r Body,
    own: &'r Ty,
    names: Vec<(LocalId, Held)>,
}

impl Context<'_> {
    /// Whether the variants of an enumeration are ways to hold the same thing, borrowed or owned: `&mut [T]`, `Vec<T>`. Such
    /// variants have the same leaves, so that what they hold is one place, whichever it is.
    pub fn is_holder(&self, id: AdtId, arguments: &[Ty]) -> bool {
        let adt = self.items.adt(id);
        let single = adt.variants.len() > 1 && adt.variants.iter().all(|variant| variant.fields.len() == 1);
        if !single || adt.kind != AdtKind::Enum || adt.opaque || self.items.is_std_module(adt.module) {
            return false;
        }
        let held = |variant: usize| self.dereferenced(&self.field_type(id, variant as u32, 0, arguments));
        let Some(first) = held(0) else { return false };
        // What holds itself has no end.
        (1..adt.variants.len()).all(|variant| held(variant).as_ref() == Some(&first))
            && !self.is_recursive(&Ty::Adt(id, arguments.to_vec()))
    }

    /// The place in a value of a type that its `deref` or `deref_mut` gives, where the body says it in one word and does
    /// nothing else: `&self.items`, or such a word for each variant, all for the same leaves.
    pub fn place_behind(&self, function: FnId, own: &Ty, target: &Ty) -> Option<usize> {
        let declared = self.items.function(function);
        let body = self.body(function).filter(|_| declared.opaque.is_none())?;
        let [parameter] = body.parameters.as_slice() else { return None };
        let PatKind::Bind { local, inner: None, .. } = body.pat(*parameter).kind else { return None };
        let whole = Ty::Reference(Mutability::Shared, Box::new(own.clone()));
        let mut reading = Reading { body, own, names: vec![(local, (0, whole))] };
        let (at, mut ty) = self.held_in(&mut reading, body.root?, 0)?;
        while ty != *target {
            let inner = self.dereferenced(&ty)?;
            if self.leaf_count(&inner) != self.leaf_count(&ty) {
                return None;
            }
            ty = inner;
        }
        Some(at)
    }

    fn held_in(&self, reading: &mut Reading<'_>, id: ExprId, depth: u32) -> Option<Held> {
        let body = reading.body;
        match &body.expr(id).kind {
            _ if depth > DEPTH_LIMIT => None,
            ExprKind::Local(local) => {
                reading.names.iter().find(|(name, _)| name == local).map(|it| it.1.clone())
            }
            ExprKind::Block { statements, tail: Some(tail), labelled: false } if statements.is_empty() => {
                self.held_in(reading, *tail, depth + 1)
            }
            ExprKind::Reference(mutability, inner) => {
                let (at, ty) = self.held_in(reading, *inner, depth + 1)?;
                Some((at, Ty::Reference(*mutability, Box::new(ty))))
            }
            ExprKind::Deref(inner) => {
                let (at, ty) = self.held_in(reading, *inner, depth + 1)?;
                let inner = self.dereferenced(&ty)?;
                (self.leaf_count(&inner) == self.leaf_count(&ty)).then_some((at, inner))
            }
            ExprKind::Field(base, name) => {
                let (at, ty) = self.held_in(reading, *base, depth + 1)?;
                if self.leaf_count(&self.behind(&ty)) != self.leaf_count(&ty) {
                    return None;
                }
                let (part, field) = self.field_named(&ty, name)?;
                Some((at + part, field))
            }
            ExprKind::Match(value, arms) => {
                let (at, ty) = self.held_in(reading, *value, depth + 1)?;
                if at != 0 || ty.behind() != reading.own {
                    return None;
                }
                let mut found: Option<Held> = None;
                for arm in arms.iter() {
                    self.bound(reading, arm.pat)?;
                    let (at, ty) = self.held_in(reading, arm.body, depth + 1)?;
                    let held = (at, self.dereferenced(&ty)?);
                    let held = self.to_the_end(held);
                    if arm.guard.is_some() || found.as_ref().is_some_and(|found| *found != held) {
                        return None;
                    }
                    found = Some(held);
                }
                let (at, ty) = found?;
                Some((at, Ty::Reference(Mutability::Shared, Box::new(ty))))
            }
            _ => None,
        }
    }

    /// What lies behind all references and owners.
    fn to_the_end(&self, (at, mut ty): Held) -> Held {
        while let Some(inner) = self.dereferenced(&ty) {
            if self.leaf_count(&inner) != self.leaf_count(&ty) {
                break;
            }
            ty = inner;
        }
        (at, ty)
    }

    /// Notes the one name that a pattern for a variant of the type binds.
    fn bound(&self, reading: &mut Reading<'_>, pat: PatId) -> Option<()> {
        let body = reading.body;
        let (path, inner, field) = match &body.pat(pat).kind {
            PatKind::Reference(inner) => return self.bound(reading, *inner),
            PatKind::TupleStruct(path, pats, None) => match pats.as_slice() {
                [only] => (path, *only, "0"),
                _ => return None,
            },
            PatKind::Struct(path, fields) => match fields.as_slice() {
                [(name, only)] => (path, *only, name.as_str()),
                _ => return None,
            },
            _ => return None,
        };
        let Ty::Adt(id, arguments) = reading.own else { return None };
        let variant = self.variant_meant(path, *id)?;
        let fields = &self.items.adt(*id).variants[variant as usize].fields;
        let at = fields.iter().position(|it| it.name == field)?;
        let PatKind::Bind { local, inner: None, .. } = body.pat(inner).kind else { return None };
        reading.names.push((local, self.field_leaves(*id, variant, at, arguments)));
        Some(())
    }

    fn variant_meant(&self, path: &Path, own: AdtId) -> Option<u32> {
        if let [first, name] = path.segments.as_slice()
            && first.name == "Self"
        {
            let found = self.items.adt(own).variants.iter().position(|variant| variant.name == name.name);
            return found.map(|found| found as u32);
        }
        let target = self.items.resolve(path, Namespace::Values);
        match (self.known(target.found), target.rest) {
            (Resolved::Definition(Definition::Variant(id, variant)), []) if id == own => Some(variant),
            _ => None,
        }
    }
}
