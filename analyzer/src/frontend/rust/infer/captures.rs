//! What closures keep of the code around them: copies, or the places themselves.

use rustc_hash::FxHashSet;

use super::super::context::Context;
use super::super::glue::Glue;
use super::super::hir::{Body, Closure, ExprId, ExprKind, LocalId, Mutability, PatId, PatKind, TypeRef};
use super::super::std_table::Meaning;
use super::super::types::{Called, Ty};
use super::{Callee, Typing};

/// Locals of the code around a closure that it uses.
#[derive(Debug, Default)]
pub struct Captures {
    /// Held by the closure: what it is made of.
    pub copied: Vec<(LocalId, Ty)>,
    /// Used where they are, and whether they can be written.
    pub lent: Vec<(LocalId, Ty, bool)>,
    /// Whether its body can stand where it is called.
    pub plain: bool,
}

pub fn captures(
    context: &Context<'_>,
    body: &Body,
    typing: &Typing,
    id: ExprId,
    closure: &Closure,
) -> Captures {
    let ends = |ty: &Ty| context.glue(ty) != Glue::Nothing;
    let nodes = closure.first.index()..id.index();
    let own = closure.locals.clone();
    let lasting = typing.exprs[nodes.clone()].iter().chain(&typing.locals[own]).any(ends);
    let outer =
        closure.names.iter().any(|local| body.local(*local).hidden || ends(&typing.locals[local.index()]));
    if lasting || outer {
        return Captures::default();
    }
    let mut found = Captures { plain: true, ..Captures::default() };
    let moves = Moves::new(context, body, typing, nodes.clone());
    for local in &closure.names {
        let ty = typing.locals[local.index()].clone();
        let borrowed = matches!(ty, Ty::Reference(Mutability::Mutable, _));
        let moved = closure.by_move || moves.whole.contains(local) && !moves.unsure.contains(local);
        if moved && !borrowed {
            found.copied.push((*local, ty));
            continue;
        }
        if moves.parts.contains(local) || moves.unsure.contains(local) && !borrowed {
            return Captures::default();
        }
        let inside = ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
        let writable = body.local(*local).mutable || inside;
        found.lent.push((*local, ty, writable));
    }
    found
}

/// Locals that a closure takes by value without saying so, as a whole or in part, and those of which nobody knows.
struct Moves {
    whole: FxHashSet<LocalId>,
    parts: FxHashSet<LocalId>,
    unsure: FxHashSet<LocalId>,
}

impl Moves {
    fn new(context: &Context<'_>, body: &Body, typing: &Typing, nodes: std::ops::Range<usize>) -> Self {
        let mut in_place = FxHashSet::default();
        for index in nodes.clone() {
            seen_in_place(context, body, typing, ExprId(index as u32), &mut in_place);
        }
        let mut found =
            Self { whole: FxHashSet::default(), parts: FxHashSet::default(), unsure: FxHashSet::default() };
        for index in nodes {
            let id = ExprId(index as u32);
            if let ExprKind::Method { receiver, .. } = &body.expr(id).kind
                && taken(context, body, typing, id) == Taken::Unsure
                && !context.copies(&typing.exprs[receiver.index()])
                && let Some(local) = root(body, *receiver)
                && context.leaf_count(&typing.locals[local.index()]) > 0
            {
                found.unsure.insert(local);
            }
            if in_place.contains(&id) || context.copies(&typing.exprs[index]) {
                continue;
            }
            match (&body.expr(id).kind, root(body, id)) {
                (ExprKind::Local(local), _) => {
                    found.whole.insert(*local);
                }
                (_, Some(local)) => {
                    found.parts.insert(local);
                }
                _ => {}
            }
        }
        found
    }
}

/// What a method does with what it is called on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    InPlace,
    Whole,
    Unsure,
}

fn taken(context: &Context<'_>, body: &Body, typing: &Typing, id: ExprId) -> Taken {
    let ExprKind::Method { receiver, name, .. } = &body.expr(id).kind else { return Taken::Unsure };
    match typing.callees.get(&id) {
        Some(Callee::Function(function, generics)) => {
            let environment = context.environment_of(*function, generics);
            let parameter = context.items.function(*function).parameters.first();
            if matches!(parameter, Some(TypeRef::Reference(..))) {
                return Taken::InPlace;
            }
            match parameter.map(|ty| context.type_of(ty, &environment)) {
                // An impl for references is called on a borrow.
                Some(Ty::Reference(..)) if !matches!(typing.exprs[receiver.index()], Ty::Reference(..)) => {
                    Taken::InPlace
                }
                Some(Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_)) | None => Taken::Unsure,
                Some(_) => Taken::Whole,
            }
        }
        Some(Callee::Standard(meaning, _)) => match meaning {
            Meaning::Length
            | Meaning::HasTag(_)
            | Meaning::Compare
            | Meaning::PartialCompare
            | Meaning::Relation(_)
            | Meaning::Slice(_) => Taken::InPlace,
            Meaning::Iterate if name != "into_iter" => Taken::InPlace,
            Meaning::Iterate | Meaning::Unwrap | Meaning::UnwrapErr => Taken::Whole,
            _ => Taken::Unsure,
        },
        _ => Taken::Unsure,
    }
}

/// Operands that are looked at where they are.
fn seen_in_place(
    context: &Context<'_>,
    body: &Body,
    typing: &Typing,
    id: ExprId,
    found: &mut FxHashSet<ExprId>,
) {
    match &body.expr(id).kind {
        ExprKind::Field(inner, _)
        | ExprKind::Index(inner, _)
        | ExprKind::Deref(inner)
        | ExprKind::Reference(_, inner)
        | ExprKind::Update(_, inner, _) => {
            found.insert(*inner);
        }
        ExprKind::Assign(left, _) => found.extend(body.assigned(*left)),
        ExprKind::Binary(super::super::hir::Operator::Compare(_), left, right)
        | ExprKind::AssertCompare { left, right, .. } => found.extend([*left, *right]),
        ExprKind::Format { arguments, .. } | ExprKind::Panic(arguments) => found.extend(arguments),
        ExprKind::Call(callee, _) => {
            found.insert(*callee);
        }
        ExprKind::Method { receiver, .. } if taken(context, body, typing, id) == Taken::InPlace => {
            found.insert(*receiver);
        }
        ExprKind::Match(value, arms)
            if arms.iter().all(|arm| binds_copies(context, body, typing, arm.pat)) =>
        {
            found.insert(*value);
        }
        ExprKind::Let(pat, value) if binds_copies(context, body, typing, *pat) => {
            found.insert(*value);
        }
        _ => {}
    }
}

/// Whether no name of a pattern takes something away from what is matched.
fn binds_copies(context: &Context<'_>, body: &Body, typing: &Typing, pat: PatId) -> bool {
    match &body.pat(pat).kind {
        PatKind::Bind { local, inner, .. } => {
            let ty = &typing.locals[local.index()];
            let borrowed = typing.references.contains_key(&pat);
            (borrowed || context.copies(ty))
                && inner.is_none_or(|inner| binds_copies(context, body, typing, inner))
        }
        PatKind::Reference(inner) => binds_copies(context, body, typing, *inner),
        PatKind::Or(pats)
        | PatKind::Tuple(pats, _)
        | PatKind::TupleStruct(_, pats, _)
        | PatKind::Slice(pats, _) => pats.iter().all(|pat| binds_copies(context, body, typing, *pat)),
        PatKind::Struct(_, fields) => fields.iter().all(|(_, pat)| binds_copies(context, body, typing, *pat)),
        PatKind::Opaque => false,
        PatKind::Wild | PatKind::Rest | PatKind::Value(_) | PatKind::Range { .. } => true,
    }
}

fn root(body: &Body, id: ExprId) -> Option<LocalId> {
    match &body.expr(id).kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Field(inner, _) | ExprKind::Index(inner, _) | ExprKind::Deref(inner) => root(body, *inner),
        _ => None,
    }
}

impl Context<'_> {
    /// Whether values of a type are copied rather than moved, for certain.
    pub fn copies(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Never => true,
            Ty::Reference(mutability, _) => *mutability == Mutability::Shared,
            Ty::Tuple(parts) => parts.iter().all(|part| self.copies(part)),
            Ty::Array(element, _) => self.copies(element),
            Ty::Adt(id, arguments) => {
                self.is_copy(*id)
                    && arguments.iter().all(|ty| self.copies(ty) || matches!(ty, Ty::Constant(_)))
            }
            Ty::Callable(called, _) => !matches!(called, Called::Closure(_)),
            _ => false,
        }
    }
}
