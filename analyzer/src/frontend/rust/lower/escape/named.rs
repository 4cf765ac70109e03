//! Which fields of a parameter a body names: what it gives back refers to nothing else of the argument.
//!
//! A body that only says `self.field`, or calls methods on `self` of which the same is true, has no other way to the argument. Where the
//! argument holds no borrow and no pointer, a number that is only read is not lent, nor is anything by a method that
//! answers a number.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::super::defs::{Namespace, Resolved};
use super::super::super::hir::{
    Binding, Body, ExprId, ExprKind, FnId, ImplId, LocalId, Mutability, PatKind, Path, TypeRef,
};
use super::super::super::infer::Callee;
use super::super::super::items::Definition;
use super::super::super::types::Ty;
use super::Escape;

/// What is looked for: in these leaves of an argument, of this type.
struct Asked {
    whole: (Range<usize>, Ty),
    /// The argument holds nothing that refers to another part of it.
    plain: bool,
    /// Functions that were looked at, or are being.
    seen: FxHashSet<FnId>,
    found: Option<Range<usize>>,
}

impl Escape<'_, '_> {
    /// The leaves of an argument that the body of a call names.
    pub(super) fn part_named(
        &self,
        call: ExprId,
        at: usize,
        argument: ExprId,
    ) -> Option<(LocalId, Range<usize>)> {
        let Some(Callee::Function(function, _)) = self.typing.callees.get(&call) else { return None };
        let (local, whole) = self.range(argument)?;
        let ty = self.context.behind(self.ty(argument));
        let plain = matches!(ty, Ty::Adt(..)) && !self.may_hold(&ty, 0);
        if !plain && !self.context.is_pointer(self.ty(call)) {
            return None;
        }
        let start = whole.start;
        let mut asked = Asked { whole: (whole, ty), plain, seen: FxHashSet::default(), found: None };
        self.named_by(*function, at, &mut asked)?;
        let nothing = plain.then_some(start..start);
        Some((local, asked.found.or(nothing)?))
    }

    /// Adds the fields that a function names of its parameter; `None` where it has another way to it.
    fn named_by(&self, function: FnId, at: usize, asked: &mut Asked) -> Option<()> {
        if !asked.seen.insert(function) {
            return Some(());
        }
        let items = self.context.items;
        let body = items.body(function).filter(|_| items.function(function).opaque.is_none())?;
        let PatKind::Bind { local: parameter, inner: None, .. } = body.pat(*body.parameters.get(at)?).kind
        else {
            return None;
        };
        let is_parameter =
            |id: ExprId| matches!(body.expr(id).kind, ExprKind::Local(local) if local == parameter);
        let lent = self.lent_in(body);
        let (mut named, mut taken) = (0, 0);
        for (index, expr) in body.exprs.iter().enumerate() {
            let id = ExprId(index as u32);
            match &expr.kind {
                ExprKind::Opaque(_) | ExprKind::Closure(_) => return None,
                ExprKind::Field(base, _) if is_parameter(*base) => {
                    let (part, ty) = self.part(body, id, parameter, asked.whole.clone())?;
                    let is_number = matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_));
                    if !(asked.plain && is_number && !self.is_lent(id, &ty, lent.as_ref())) {
                        asked.add(part);
                    }
                }
                ExprKind::Method { receiver, name, .. } if is_parameter(*receiver) => {
                    self.named_by_method(name, asked)?;
                }
                ExprKind::Call(callee, arguments)
                    if arguments.first().is_some_and(|first| is_parameter(*first)) =>
                {
                    let name = self.method_called(body, *callee)?;
                    self.named_by_method(name, asked)?;
                }
                _ => {
                    named += usize::from(is_parameter(id));
                    continue;
                }
            }
            taken += 1;
        }
        (named == taken).then_some(())
    }

    /// The same for all methods of a name that a type of the crate has.
    fn named_by_method(&self, name: &str, asked: &mut Asked) -> Option<()> {
        let Ty::Adt(id, _) = asked.whole.1 else { return None };
        let of_type =
            |owner: ImplId| matches!(&self.context.impls[owner.index()].1, Ty::Adt(of, _) if *of == id);
        // One for all types may be meant instead.
        let for_all = |owner: ImplId| {
            matches!(self.context.impls[owner.index()].1, Ty::Parameter(_) | Ty::Reference(..) | Ty::Opaque)
        };
        if self.context.impls_with(name).iter().any(|(owner, _)| for_all(*owner)) {
            return None;
        }
        let all: Vec<FnId> = self
            .context
            .impls_with(name)
            .iter()
            .filter(|(owner, _)| of_type(*owner))
            .map(|(_, function)| *function)
            .collect();
        if all.is_empty() {
            return None;
        }
        for function in all {
            let found = self.context.items.function(function);
            if !found.takes_self {
                return None;
            }
            let result = self.context.type_of(&found.result, &self.context.plain_environment(found));
            let answers = matches!(result, Ty::Integer(_) | Ty::Bool | Ty::Char) || result == Ty::UNIT;
            let alone = found.parameters.len() == 1;
            if !(asked.plain && answers && alone) {
                self.named_by(function, 0, asked)?;
            }
        }
        Some(())
    }

    /// The method in `Self::name(self)`, `Trait::name(self)`.
    fn method_called<'b>(&self, body: &'b Body, callee: ExprId) -> Option<&'b str> {
        let ExprKind::Path(path) = &body.expr(callee).kind else { return None };
        let [first, name] = path.segments.as_slice() else { return None };
        let owner = Path { segments: vec![first.clone()], ..path.clone() };
        let of_type = first.name == "Self"
            || matches!(
                self.context.items.resolve(&owner, Namespace::Types).found,
                Resolved::Definition(Definition::Trait(_) | Definition::Adt(_))
            );
        of_type.then_some(name.name.as_str())
    }

    /// What a body may lend: operands of `&mut`, and what methods are called on, each with the name. `None`: anything.
    fn lent_in<'b>(&self, body: &'b Body) -> Option<Vec<(ExprId, Option<&'b str>)>> {
        let binds = |kind: &PatKind| {
            matches!(
                kind,
                PatKind::Bind { by: Binding::Reference(Mutability::Mutable), .. } | PatKind::Opaque
            )
        };
        if body.pats.iter().any(|pat| binds(&pat.kind)) {
            return None;
        }
        let lent = body.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Reference(Mutability::Mutable, place) => Some((*place, None)),
            ExprKind::Method { receiver, name, .. } => Some((*receiver, Some(name.as_str()))),
            _ => None,
        });
        Some(lent.collect())
    }

    fn is_lent(&self, id: ExprId, ty: &Ty, lent: Option<&Vec<(ExprId, Option<&str>)>>) -> bool {
        let Some(lent) = lent else { return true };
        lent.iter().filter(|(place, _)| *place == id).any(|(_, method)| match method {
            Some(name) => !self.takes_value(name, ty),
            None => true,
        })
    }

    /// Whether a trait of the crate has a method of this name for a type, and it takes the value itself: such a method goes before
    /// those that borrow it.
    fn takes_value(&self, name: &str, ty: &Ty) -> bool {
        let of_type = |(owner, _): &&(ImplId, FnId)| self.context.impls[owner.index()].1 == *ty;
        self.context.impls_with(name).iter().filter(of_type).any(|(_, function)| {
            let own = self.context.items.function(*function).parameters.first();
            matches!(own, Some(TypeRef::Path(path)) if path.single() == Some("Self"))
        })
    }
}

impl Asked {
    fn add(&mut self, part: Range<usize>) {
        self.found = Some(match self.found.take() {
            Some(found) => found.start.min(part.start)..found.end.max(part.end),
            None => part,
        });
    }
}
