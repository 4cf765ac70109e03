//! What could keep a borrow after a call: another argument, or the result.

use super::super::super::hir::{ExprId, Mutability};
use super::super::super::infer::Callee;
use super::super::super::types::{Called, Ty};
use super::{DEPTH_LIMIT, Escape};

impl Escape<'_, '_> {
    /// Whether a function of the crate says that a borrow ends with the call, as far as other arguments go: Rust lets
    /// nobody put a reference where one of another lifetime is.
    pub(super) fn is_alone(&self, call: ExprId, at: usize) -> bool {
        match self.typing.callees.get(&call) {
            Some(Callee::Function(function, _)) => {
                let function = self.context.items.function(*function);
                let own = !self.context.items.is_std_module(function.module);
                own && function.alone.get(at).copied().unwrap_or(false)
            }
            _ => false,
        }
    }

    /// Whether another argument could keep a borrow after the call.
    pub(super) fn may_take(&self, id: ExprId) -> bool {
        let Ty::Callable(Called::Closure(closure), _) = self.holder(id) else {
            return self.may_hold(self.holder(id), 0);
        };
        // Only its body puts something into what a closure captured, and a reference that cannot be set anew does not
        // keep another one; what it refers to may.
        let captures = self.context.captures(*closure);
        let made = self.typing.exprs.get(closure.expr.index());
        // One that was handed to this function captured locals of another.
        let own = made.is_some_and(|ty| matches!(ty, Ty::Callable(Called::Closure(id), _) if id == closure));
        let lent = captures.lent.iter().map(|(local, ty, _)| (local, ty));
        lent.chain(captures.copied.iter().map(|(local, ty)| (local, ty))).any(|(local, ty)| match ty {
            Ty::Reference(_, inner) if own && !self.body.local(*local).mutable => self.may_hold(inner, 1),
            ty => self.may_hold(ty, 1),
        })
    }

    /// What another argument could keep a borrow in.
    pub(super) fn holder(&self, id: ExprId) -> &Ty {
        match self.ty(id) {
            // The borrow itself does not keep another one; what it refers to may.
            Ty::Reference(_, inner) => inner,
            other => other,
        }
    }

    /// Whether a value of a type may keep a mutable borrow.
    pub(super) fn may_hold(&self, ty: &Ty, depth: u32) -> bool {
        // What closures capture turns out on the way.
        let is_closed = |ty: &Ty| !ty.any(&mut |part| matches!(part, Ty::Callable(..)));
        if depth > 1 || !matches!(ty, Ty::Adt(..)) || !is_closed(ty) {
            return self.holds(ty, depth);
        }
        let asked = (ty.clone(), depth);
        if let Some(known) = self.context.holding.borrow().get(&asked) {
            return *known;
        }
        let found = self.holds(ty, depth);
        self.context.holding.borrow_mut().insert(asked, found);
        found
    }

    fn holds(&self, ty: &Ty, depth: u32) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str | Ty::Never | Ty::Constant(_) => {
                false
            }
            // Whoever casts it may write through it.
            _ if self.context.is_pointer(ty) => true,
            Ty::Tuple(parts) => parts.iter().any(|part| self.may_hold(part, depth)),
            Ty::Array(inner, _) | Ty::Slice(inner) | Ty::Range(inner) => self.may_hold(inner, depth),
            Ty::Reference(Mutability::Mutable, _) => true,
            Ty::Reference(Mutability::Shared, inner) => self.may_hold(inner, depth),
            Ty::Adt(id, arguments) => {
                let adt = self.context.items.adt(*id);
                if adt.opaque || depth > DEPTH_LIMIT {
                    return true;
                }
                // Our own text of std does not say what all its types keep.
                let of_std = self.context.items.is_std_module(adt.module);
                if of_std && arguments.iter().any(|argument| self.may_hold(argument, depth + 1)) {
                    return true;
                }
                adt.variants.iter().enumerate().any(|(index, variant)| {
                    (0..variant.fields.len()).any(|field| {
                        let ty = self.context.field_type(*id, index as u32, field, arguments);
                        self.may_hold(&ty, depth + 1)
                    })
                })
            }
            Ty::Callable(Called::Closure(id), _) => {
                let captures = self.context.captures(*id);
                let lent = captures.lent.iter().any(|(_, ty, _)| self.may_hold(ty, depth + 1));
                lent || captures.copied.iter().any(|(_, ty)| self.may_hold(ty, depth + 1))
            }
            Ty::Callable(..) => false,
            Ty::Parameter(_) | Ty::Opaque | Ty::Variable(_) => true,
        }
    }
}
