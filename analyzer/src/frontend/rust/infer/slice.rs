//! Methods of slices and texts that our own text of std cannot declare, because their types depend on more than the
//! receiver's.

use super::super::hir::{ExprId, ExprKind, Mutability, TypeRef};
use super::super::std_table::{Meaning, SliceOp};
use super::super::types::Ty;
use super::{Callee, Expected, Infer};

impl Infer<'_, '_> {
    pub(super) fn of_slice(
        &mut self,
        id: ExprId,
        receiver: &Ty,
        name: &str,
        written: &[TypeRef],
        arguments: &[ExprId],
    ) -> Option<Ty> {
        if !matches!(receiver, Ty::Slice(_) | Ty::Str) {
            return None;
        }
        let (meaning, ty) = match (name, arguments) {
            ("len", []) => (Meaning::Length, self.context.usize()),
            // A loop goes through the elements themselves; all others take an iterator of our own text.
            ("iter" | "iter_mut", []) if matches!(receiver, Ty::Slice(_)) && self.looped == Some(id) => {
                let mutability = if name == "iter_mut" { Mutability::Mutable } else { Mutability::Shared };
                (Meaning::Iterate, Ty::Reference(mutability, Box::new(receiver.clone())))
            }
            ("get" | "get_mut", [range]) if self.is_range(*range) => {
                let found = self.expr(*range, &Expected::Nothing);
                if let Ty::Range(bound) = self.resolved(&found) {
                    self.variables.unify(&bound, &self.context.usize());
                }
                let mutability = if name == "get_mut" { Mutability::Mutable } else { Mutability::Shared };
                let part = Ty::Reference(mutability, Box::new(receiver.clone()));
                (Meaning::Slice(SliceOp::GetPart), self.context.option_of(part))
            }
            ("parse", []) if *receiver == Ty::Str => {
                let value = match written {
                    [written] => self.ty(written),
                    _ => self.variables.fresh(),
                };
                self.typing
                    .callees
                    .insert(id, Callee::Standard(Meaning::Slice(SliceOp::Parse), value.clone()));
                return Some(self.context.result_of(value, Ty::Opaque));
            }
            _ => return None,
        };
        self.typing.callees.insert(id, Callee::Standard(meaning, receiver.clone()));
        Some(ty)
    }

    fn is_range(&self, id: ExprId) -> bool {
        matches!(self.body.expr(id).kind, ExprKind::Range { .. })
    }
}
