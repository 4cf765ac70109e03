//! Patterns against the type of what is matched, with rustc's default binding modes.

use super::super::hir::{Binding, ExprKind, Mutability, PatId, PatKind};
use super::super::types::{Length, Ty};
use super::Infer;

impl Infer<'_, '_> {
    pub(super) fn pattern(&mut self, pat: PatId, ty: Ty) {
        self.pattern_in(pat, ty, None);
    }

    /// `mode`: the reference that was looked through on the way here.
    fn pattern_in(&mut self, pat: PatId, ty: Ty, mode: Option<Mutability>) {
        let body = self.body;
        let kind = &body.pat(pat).kind;
        let (mut ty, mut mode) = (self.resolved(&ty), mode);
        let looks_through = match kind {
            PatKind::Wild | PatKind::Bind { .. } | PatKind::Reference(_) | PatKind::Or(_) | PatKind::Rest => {
                false
            }
            PatKind::Value(id) => !matches!(body.expr(*id).kind, ExprKind::Text(_) | ExprKind::Bytes(_)),
            _ => true,
        };
        while looks_through && let Ty::Reference(mutability, inner) = &ty {
            mode = Some(match (mode, mutability) {
                (None, mutability) => *mutability,
                (Some(Mutability::Mutable), Mutability::Mutable) => Mutability::Mutable,
                _ => Mutability::Shared,
            });
            ty = self.resolved(inner);
        }
        self.typing.pats[pat.index()] = ty.clone();
        match kind {
            PatKind::Wild | PatKind::Rest => {}
            PatKind::Bind { local, by, inner } => {
                let by = match (by, mode) {
                    (Binding::Reference(mutability), _) => Some(*mutability),
                    (Binding::Move, mode) => mode,
                };
                let bound = match by {
                    Some(mutability) => {
                        self.typing.references.insert(pat, mutability);
                        Ty::Reference(mutability, Box::new(ty.clone()))
                    }
                    None => ty.clone(),
                };
                let own = self.local(*local);
                self.variables.unify(&own, &bound);
                if let Some(inner) = inner {
                    self.pattern_in(*inner, ty, mode);
                }
            }
            PatKind::Value(id) => self.check(*id, &ty),
            PatKind::Range { low, high, .. } => {
                [low, high].into_iter().flatten().for_each(|id| self.check(*id, &ty));
            }
            PatKind::Tuple(pats, rest) => {
                let parts = match &ty {
                    Ty::Tuple(parts) => parts.clone(),
                    Ty::Variable(_) if rest.is_none() => {
                        let parts: Vec<Ty> = pats.iter().map(|_| self.variables.fresh()).collect();
                        self.variables.unify(&ty, &Ty::Tuple(parts.clone()));
                        parts
                    }
                    _ => Vec::new(),
                };
                self.pattern_list(pats, *rest, &parts, mode);
            }
            PatKind::TupleStruct(path, pats, rest) => match self.variant(path) {
                Some((adt, variant, arguments)) => {
                    self.variables.unify(&ty, &Ty::Adt(adt, arguments.clone()));
                    self.typing.variants.insert(pat, (adt, variant));
                    let count = self.context.items.adt(adt).variants[variant as usize].fields.len();
                    let parts: Vec<Ty> =
                        (0..count).map(|field| self.part_type(adt, variant, field, &arguments)).collect();
                    self.pattern_list(pats, *rest, &parts, mode);
                }
                None => self.pattern_list(pats, *rest, &[], mode),
            },
            PatKind::Struct(path, fields) => {
                let found = self.variant(path);
                if let Some((adt, variant, arguments)) = &found {
                    self.variables.unify(&ty, &Ty::Adt(*adt, arguments.clone()));
                    self.typing.variants.insert(pat, (*adt, *variant));
                }
                for (name, inner) in fields {
                    let part = found.as_ref().and_then(|(adt, variant, arguments)| {
                        let declared = &self.context.items.adt(*adt).variants[*variant as usize].fields;
                        let index = declared.iter().position(|field| field.name == *name)?;
                        Some(self.part_type(*adt, *variant, index, arguments))
                    });
                    self.pattern_in(*inner, part.unwrap_or(Ty::Opaque), mode);
                }
            }
            PatKind::Reference(inner) => match &ty {
                Ty::Reference(_, referred) => self.pattern_in(*inner, (**referred).clone(), None),
                // `&x` against a variable, or in a default binding mode.
                Ty::Variable(_) => {
                    let referred = self.variables.fresh();
                    let whole = Ty::Reference(Mutability::Shared, Box::new(referred.clone()));
                    self.variables.unify(&ty, &whole);
                    self.pattern_in(*inner, referred, None);
                }
                _ => self.pattern_in(*inner, Ty::Opaque, None),
            },
            PatKind::Or(cases) => cases.iter().for_each(|case| self.pattern_in(*case, ty.clone(), mode)),
            PatKind::Slice(pats, rest) => self.slice(pats, *rest, &ty, mode),
            PatKind::Opaque => self.variables.taint(&ty),
        }
    }

    fn pattern_list(&mut self, pats: &[PatId], rest: Option<usize>, parts: &[Ty], mode: Option<Mutability>) {
        let skipped = parts.len().saturating_sub(pats.len());
        for (index, pat) in pats.iter().enumerate() {
            let at = if rest.is_some_and(|rest| index >= rest) { index + skipped } else { index };
            self.pattern_in(*pat, parts.get(at).cloned().unwrap_or(Ty::Opaque), mode);
        }
    }

    fn slice(&mut self, pats: &[PatId], rest: Option<usize>, ty: &Ty, mode: Option<Mutability>) {
        let (element, length) = match ty {
            Ty::Array(element, length) => ((**element).clone(), length.clone()),
            Ty::Slice(element) => ((**element).clone(), Length::Unknown),
            _ => (Ty::Opaque, Length::Unknown),
        };
        for (index, pat) in pats.iter().enumerate() {
            if rest == Some(index) {
                let whole = match length {
                    Length::Known(length) => {
                        let left = length.saturating_sub(pats.len() as u64 - 1);
                        Ty::Array(Box::new(element.clone()), Length::Known(left))
                    }
                    _ => Ty::Slice(Box::new(element.clone())),
                };
                self.pattern_in(*pat, whole, mode);
            } else {
                self.pattern_in(*pat, element.clone(), mode);
            }
        }
    }
}
