//! What pointers may point to: where a body has some, or calls what puts addresses away, nobody knows whether they point to what its values own elsewhere,
//! the elements of a vector, what is boxed, what a structure borrows. What a parameter borrows is its own.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::super::context::Context;
use super::super::super::hir::{LocalId, Mutability};
use super::super::super::types::{Called, Ty};
use super::{DEPTH_LIMIT, Escape};

/// In so many types one may be.
const TYPES: usize = 100;

impl Escape<'_, '_> {
    /// Gives up what pointers of others may have written.
    pub(super) fn pointed(&mut self) {
        let typing = self.typing;
        let mut types = typing.exprs.iter().chain(&typing.locals);
        if !self.stashes && !types.any(|ty| self.context.has_pointers(ty)) {
            return;
        }
        for (index, ty) in typing.locals.iter().enumerate() {
            let mut found = Vec::new();
            let inner = match ty {
                Ty::Reference(_, inner) => inner,
                ty => ty,
            };
            self.context.elsewhere(inner, 0, 0, &mut found);
            found.into_iter().for_each(|range| self.hide(LocalId(index as u32), range));
        }
    }
}

impl Context<'_> {
    /// Whether a value of a type may have a pointer in it through which something is written.
    pub(super) fn has_pointers(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Str => return false,
            Ty::Reference(_, inner) | Ty::Slice(inner) | Ty::Array(inner, _) => {
                return self.has_pointers(inner);
            }
            _ => {}
        }
        if let Some(known) = self.pointing.borrow().get(ty) {
            return *known;
        }
        let known = self.holds_pointer(ty);
        self.pointing.borrow_mut().insert(ty.clone(), known);
        known
    }

    fn holds_pointer(&self, ty: &Ty) -> bool {
        let mut seen: FxHashSet<Ty> = FxHashSet::default();
        let mut work = vec![ty.clone()];
        while let Some(ty) = work.pop() {
            if self.unfollowed(&ty).is_some() || seen.len() > TYPES {
                return true;
            }
            match &ty {
                Ty::Tuple(parts) => work.extend(parts.iter().cloned()),
                Ty::Reference(_, inner) | Ty::Slice(inner) | Ty::Array(inner, _) => {
                    work.push((**inner).clone())
                }
                Ty::Callable(Called::Closure(id), _) => {
                    let captures = self.captures(*id);
                    work.extend(captures.lent.iter().map(|(_, ty, _)| ty.clone()));
                    work.extend(captures.copied.iter().map(|(_, ty)| ty.clone()));
                }
                Ty::Adt(id, arguments) if !self.items.adt(*id).opaque && seen.insert(ty.clone()) => {
                    work.extend(self.field_types(*id, arguments));
                }
                _ => {}
            }
        }
        false
    }

    /// The leaves of a value that lie somewhere else.
    fn elsewhere(&self, ty: &Ty, at: usize, depth: u32, found: &mut Vec<Range<usize>>) {
        let end = at + self.leaf_count(ty);
        match ty {
            _ if depth > DEPTH_LIMIT => found.push(at..end),
            Ty::Reference(Mutability::Mutable, inner) => match **inner {
                Ty::Slice(_) | Ty::Str => found.push((at + 2).min(end)..end),
                _ => found.push(at..end),
            },
            Ty::Reference(_, inner) | Ty::Array(inner, _) => self.elsewhere(inner, at, depth + 1, found),
            Ty::Tuple(parts) => {
                let mut at = at;
                for part in parts {
                    self.elsewhere(part, at, depth + 1, found);
                    at += self.leaf_count(part);
                }
            }
            Ty::Adt(id, _) if self.items.is_standard(*id, "Box") => found.push(at..end),
            Ty::Adt(id, _) if self.dereferenced(ty).is_some() && self.wraps(*id) => {
                found.push((at + 2).min(end)..end);
            }
            Ty::Adt(id, arguments) => {
                let variants = self.items.adt(*id).variants.iter().enumerate();
                for (variant, field) in
                    variants.flat_map(|(at, it)| (0..it.fields.len()).map(move |field| (at as u32, field)))
                {
                    let (offset, part) = self.field_leaves(*id, variant, field, arguments);
                    self.elsewhere(&part, at + offset, depth + 1, found);
                }
            }
            Ty::Callable(..) => found.push(at..end),
            _ => {}
        }
    }
}
