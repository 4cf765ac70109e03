//! Which part of an argument the result of a call may refer to, where the body of what is called says so.

use std::ops::Range;

use super::super::super::defs::{Namespace, Resolved};
use super::super::super::hir::{Body, ExprId, ExprKind, LocalId, Mutability, PatKind, TypeRef};
use super::super::super::infer::Callee;
use super::super::super::items::Definition;
use super::super::super::types::{Called, Ty};
use super::Escape;

impl Escape<'_, '_> {
    /// The leaves of an argument that the result of a call may refer to, where its body says so.
    pub(super) fn part_given(
        &self,
        call: ExprId,
        at: usize,
        argument: ExprId,
    ) -> Option<(LocalId, Range<usize>)> {
        let said =
            if self.context.is_pointer(self.ty(call)) { None } else { self.part_said(call, at, argument) };
        said.or_else(|| self.part_named(call, at, argument))
    }

    /// The leaves that `&mut self.field` in the body of a call lends, for all ways in which it gives a result. Only a
    /// body that says it in one word is looked at: nothing else of the argument gets into the result then.
    fn part_said(&self, call: ExprId, at: usize, argument: ExprId) -> Option<(LocalId, Range<usize>)> {
        let Some(Callee::Function(function, _)) = self.typing.callees.get(&call) else { return None };
        let items = self.context.items;
        let body = self.context.body(*function).filter(|_| items.function(*function).opaque.is_none())?;
        let PatKind::Bind { local: parameter, inner: None, .. } = body.pat(*body.parameters.get(at)?).kind
        else {
            return None;
        };
        let (local, whole) = self.range(argument)?;
        let of_std = items.is_std_module(items.function(*function).module);
        let mut given: Option<Range<usize>> = None;
        let mut work = vec![body.root?];
        for expr in &body.exprs {
            match &expr.kind {
                ExprKind::Return(value) => work.extend(value),
                ExprKind::Try(_) if self.keeps_nothing_else(self.ty(call)) => {}
                ExprKind::Try(_) | ExprKind::Opaque(_) | ExprKind::Closure(_) => return None,
                _ => {}
            }
        }
        while let Some(id) = work.pop() {
            match &body.expr(id).kind {
                ExprKind::Block { tail: Some(tail), labelled: false, .. } => work.push(*tail),
                ExprKind::If { then, otherwise: Some(otherwise), .. } => work.extend([*then, *otherwise]),
                ExprKind::Match(_, arms) => work.extend(arms.iter().map(|arm| arm.body)),
                // What has no value to give: the values of `return` are looked at as such.
                ExprKind::Panic(_) | ExprKind::Return(_) => {}
                ExprKind::Block { tail: None, labelled: false, .. } => {}
                ExprKind::Call(callee, arguments) if self.is_error(body, *callee, arguments) => {}
                ExprKind::Reference(Mutability::Mutable, place) if matches!(&body.expr(*place).kind, ExprKind::Array(items) if items.is_empty()) =>
                    {}
                ExprKind::Path(path) if path.segments.last().is_some_and(|name| name.name == "None") => {}
                ExprKind::Call(callee, arguments) if self.is_some(body, *callee) => work.extend(arguments),
                // What our own text of std lends: parts of a structure, elements without a check.
                ExprKind::Struct { fields, base: None, .. } if of_std => {
                    let lent = fields.iter().map(|(_, value)| *value);
                    work.extend(lent.filter(|value| !is_kept(body, *value, parameter)));
                }
                ExprKind::Reference(Mutability::Shared, _) if of_std => {}
                ExprKind::Call(callee, arguments) if of_std && is_get(body, *callee) => {
                    let ty = self.context.behind(self.ty(argument));
                    let ExprKind::Reference(Mutability::Mutable, slice) = body.expr(*arguments.first()?).kind
                    else {
                        return None;
                    };
                    let (part, _) = self.part(body, slice, parameter, (whole.clone(), ty))?;
                    let part = (part.start + 2).min(part.end)..part.end;
                    given = Some(match given {
                        Some(given) => given.start.min(part.start)..given.end.max(part.end),
                        None => part,
                    });
                }
                ExprKind::Reference(Mutability::Mutable, place) => {
                    let ty = self.context.behind(self.ty(argument));
                    let (part, ty) = self.part(body, *place, parameter, (whole.clone(), ty))?;
                    // Nobody makes a slice longer or shorter who only borrows it.
                    let fixed = of_std && matches!(ty, Ty::Slice(_) | Ty::Str);
                    let start = if fixed { (part.start + 2).min(part.end) } else { part.start };
                    let part = start..part.end;
                    given = Some(match given {
                        Some(given) => given.start.min(part.start)..given.end.max(part.end),
                        None => part,
                    });
                }
                // A borrow that the argument holds, lent on.
                ExprKind::Field(..) => {
                    let ty = self.context.behind(self.ty(argument));
                    let (part, found) = self.part(body, id, parameter, (whole.clone(), ty))?;
                    let Ty::Reference(Mutability::Mutable, behind) = found else { return None };
                    let start = match *behind {
                        Ty::Slice(_) | Ty::Str => (part.start + 2).min(part.end),
                        _ => part.start,
                    };
                    given = Some(match given {
                        Some(given) => given.start.min(start)..given.end.max(part.end),
                        None => start..part.end,
                    });
                }
                _ => return None,
            }
        }
        given.map(|given| (local, given))
    }

    /// Whether what is called takes an argument as `&mut dyn Trait`: which places that are nobody follows.
    pub(super) fn is_taken_as_trait(&self, call: ExprId, at: usize) -> bool {
        match self.typing.callees.get(&call) {
            Some(Callee::Function(function, _)) => {
                let parameter = self.context.items.function(*function).parameters.get(at);
                matches!(parameter, Some(TypeRef::Reference(Mutability::Mutable, inner)) if self.is_opaque(inner, 0))
            }
            Some(Callee::Closure(closure)) => {
                // One that is made here.
                let Some(Ty::Callable(Called::Closure(own), _)) = self.typing.exprs.get(closure.expr.index())
                else {
                    return false;
                };
                let (true, ExprKind::Closure(made)) = (own == closure, &self.body.expr(closure.expr).kind)
                else {
                    return false;
                };
                let pat = made.parameters.get(at).map(|(pat, _)| &self.typing.pats[pat.index()]);
                matches!(pat, Some(Ty::Reference(Mutability::Mutable, inner)) if **inner == Ty::Opaque)
            }
            _ => false,
        }
    }

    /// Whether what is called takes a borrow as a pointer.
    pub(super) fn is_taken_as_pointer(&self, call: ExprId, at: usize, argument: ExprId) -> bool {
        // What lies behind a value by its own `Deref` is as little known.
        let is_pointer = |ty: &Ty| {
            *ty == Ty::Opaque || self.context.is_pointer(ty) || self.context.is_turned(self.ty(argument), ty)
        };
        match self.typing.callees.get(&call) {
            Some(Callee::Function(function, generics)) => {
                let environment = self.context.environment_of(*function, generics);
                let parameter = self.context.items.function(*function).parameters.get(at);
                parameter.is_some_and(|ty| is_pointer(&self.context.type_of(ty, &environment)))
            }
            Some(Callee::Closure(_)) => {
                let ExprKind::Call(callee, _) = &self.body.expr(call).kind else { return true };
                let called = self.ty(*callee).behind().called();
                let parameter = called.and_then(|(_, parameters, _)| parameters.get(at));
                parameter.is_none_or(is_pointer)
            }
            _ => false,
        }
    }

    /// Whether a call may let a name for a place, or what holds one, name another place: it is given `&mut &mut T`.
    pub(super) fn is_set_anew(&self, call: ExprId, at: usize, argument: ExprId, is_receiver: bool) -> bool {
        let is_name = |ty: &Ty| matches!(ty, Ty::Reference(Mutability::Mutable, _));
        let lends_name = |ty: &Ty| match ty {
            Ty::Reference(Mutability::Mutable, inner) => {
                is_name(inner) || matches!(**inner, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_))
            }
            _ => false,
        };
        let own = self.ty(argument);
        let is_lent = matches!(own, Ty::Reference(Mutability::Mutable, inner) if is_name(inner));
        // A receiver is borrowed without a sign.
        let can_be = match self.body.expr(argument).kind {
            ExprKind::Local(local) => self.body.local(local).mutable,
            _ => true,
        };
        if !(is_lent || is_receiver && can_be && is_name(own)) {
            return false;
        }
        match self.typing.callees.get(&call) {
            Some(Callee::Function(function, generics)) => {
                let (items, environment) =
                    (self.context.items, self.context.environment_of(*function, generics));
                let function = items.function(*function);
                let parameter = function.parameters.get(at);
                // Our own text of std says what it gives back.
                !items.is_std_module(function.module)
                    && parameter.is_none_or(|ty| lends_name(&self.context.type_of(ty, &environment)))
            }
            Some(Callee::Closure(_)) => {
                let ExprKind::Call(callee, _) = &self.body.expr(call).kind else { return true };
                let called = self.ty(*callee).behind().called();
                called.and_then(|(_, parameters, _)| parameters.get(at)).is_none_or(lends_name)
            }
            _ => true,
        }
    }

    fn is_opaque(&self, ty: &TypeRef, depth: u32) -> bool {
        let TypeRef::Path(path) = ty else { return *ty == TypeRef::Opaque };
        let target = self.context.items.resolve(path, Namespace::Types);
        match self.context.known(target.found) {
            Resolved::Definition(Definition::Alias(alias)) if depth < super::DEPTH_LIMIT => {
                self.is_opaque(&self.context.items.aliases[alias.index()].ty, depth + 1)
            }
            _ => false,
        }
    }

    /// Whether `?` gives back nothing that holds a borrow: `None`, or an error without one.
    fn keeps_nothing_else(&self, result: &Ty) -> bool {
        match result {
            Ty::Adt(id, arguments) if self.context.items.is_standard(*id, "Result") => {
                arguments.get(1).is_some_and(|error| !self.may_hold(error, 0))
            }
            Ty::Adt(id, _) => self.context.items.is_standard(*id, "Option"),
            _ => false,
        }
    }

    /// `Err(Name)`: a name holds no borrow of an argument.
    fn is_error(&self, body: &Body, callee: ExprId, arguments: &[ExprId]) -> bool {
        let is_err = match &body.expr(callee).kind {
            ExprKind::Path(path) => path.single().is_some_and(|name| name == "Err"),
            _ => false,
        };
        is_err && arguments.iter().all(|argument| matches!(body.expr(*argument).kind, ExprKind::Path(_)))
    }

    fn is_some(&self, body: &Body, callee: ExprId) -> bool {
        match &body.expr(callee).kind {
            ExprKind::Path(path) => path.single().is_some_and(|name| name == "Some" || name == "Ok"),
            _ => false,
        }
    }

    /// The leaves of a place inside the parameter of another body, and its type here.
    pub(super) fn part(
        &self,
        body: &Body,
        place: ExprId,
        parameter: LocalId,
        whole: (Range<usize>, Ty),
    ) -> Option<(Range<usize>, Ty)> {
        match &body.expr(place).kind {
            ExprKind::Local(local) if *local == parameter => Some(whole),
            ExprKind::Deref(inner) => {
                let (range, ty) = self.part(body, *inner, parameter, whole)?;
                // The parameter is a reference to what was handed over; what a type of the crate says lies behind it is
                // somewhere in the value.
                match body.expr(*inner).kind {
                    ExprKind::Local(_) => Some((range, ty)),
                    _ => Some((range, self.context.dereferenced(&ty).unwrap_or(Ty::Opaque))),
                }
            }
            ExprKind::Field(base, name) => {
                let (range, ty) = self.part(body, *base, parameter, whole)?;
                match self.context.field_named(&ty, name) {
                    Some((at, ty)) => {
                        let start = range.start + at;
                        Some((start..(start + self.context.leaf_count(&ty)).min(range.end), ty))
                    }
                    // Our own text of std names what lies between a list and its elements.
                    None => {
                        let listed = name == "items" && matches!(ty, Ty::Adt(..));
                        let inner = self.context.dereferenced(&ty).filter(|_| listed);
                        Some((range, inner.unwrap_or(Ty::Opaque)))
                    }
                }
            }
            ExprKind::Index(base, _) => {
                let (range, ty) = self.part(body, *base, parameter, whole)?;
                match self.context.element_type(&ty) {
                    Some(_) => Some(((range.start + 2).min(range.end)..range.end, Ty::Opaque)),
                    None => Some((range, Ty::Opaque)),
                }
            }
            _ => None,
        }
    }
}

/// `kleene::get` in our own text of std.
fn is_get(body: &Body, callee: ExprId) -> bool {
    match &body.expr(callee).kind {
        ExprKind::Path(path) => {
            let mut names = path.segments.iter().rev().map(|segment| segment.name.as_str());
            names.next() == Some("get") && names.next() == Some("kleene")
        }
        _ => false,
    }
}

/// A part of a structure that is no borrow: a name, a number, a test.
fn is_kept(body: &Body, value: ExprId, lent: LocalId) -> bool {
    match body.expr(value).kind {
        ExprKind::Local(local) => local != lent,
        ExprKind::Integer(..) | ExprKind::Not(_) => true,
        _ => false,
    }
}
