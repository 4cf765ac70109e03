//! Addresses that a call puts away: in a static, in a number, in a pointer of another argument or of the value itself. Rust
//! forgets their lifetimes, so whoever finds one may write after the call, as long as the value lives.
//!
//! A body is read for what may carry the address of a parameter: borrows of it, pointers made of those, what holds
//! one. Code that is not seen puts nothing away but what it is given as a pointer.

use rustc_hash::FxHashSet;

use super::super::super::hir::{
    Body, ExprId, ExprKind, FnId, LocalId, Mutability, PatId, PatKind, Statement, TypeRef,
};
use super::super::super::infer::{Callee, Typing};
use super::super::super::types::Ty;
use super::Escape;

/// A function, the types of its generic parameters, and one of its parameters.
pub(super) type Position = (FnId, Vec<Ty>, usize);

/// So many functions are looked at for one call.
const FUNCTIONS: usize = 1_000;

/// Methods that put an argument behind what they are called on, without a sign that it is written.
const STORING: &[&str] = &[
    "store",
    "swap",
    "compare_exchange",
    "compare_exchange_weak",
    "set",
    "replace",
    "push",
    "insert",
    "get_or_init",
    "write",
    "send",
];

/// What unknown functions do with pointers and puts none away: those of `ptr`, `slice` and `mem`, methods of pointers.
const PASSING: &[&str] = &[
    "read",
    "read_unaligned",
    "read_volatile",
    "write_unaligned",
    "write_volatile",
    "write_bytes",
    "copy",
    "copy_nonoverlapping",
    "copy_from",
    "copy_from_nonoverlapping",
    "copy_to",
    "copy_to_nonoverlapping",
    "drop_in_place",
    "swap_nonoverlapping",
    "add",
    "sub",
    "offset",
    "offset_from",
    "byte_add",
    "byte_sub",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_offset",
    "cast",
    "cast_mut",
    "cast_const",
    "is_null",
    "as_ref",
    "as_mut",
    "as_ptr",
    "as_mut_ptr",
    "as_ptr_range",
    "as_mut_ptr_range",
    "assume_init_ref",
    "assume_init_mut",
    "assume_init_drop",
    "new",
    "new_unchecked",
    "from",
    "into",
    "from_raw",
    "from_raw_parts",
    "from_raw_parts_mut",
    "slice_from_raw_parts",
    "slice_from_raw_parts_mut",
    "from_mut",
    "forget",
    "drop",
    "zeroed",
    "transmute",
    "clone",
    "get",
    "get_mut",
    "get_unchecked",
    "get_unchecked_mut",
    "eq",
    "len",
];

/// What of a body may carry the address of its parameter.
struct Carried<'b> {
    body: &'b Body,
    typing: &'b Typing,
    locals: FxHashSet<LocalId>,
    exprs: Vec<bool>,
}

impl Escape<'_, '_> {
    /// Whether a call may put an address of what it is lent away: it, or what it hands the address to.
    pub(super) fn is_stashed(&self, call: ExprId, at: usize) -> bool {
        let Some(Callee::Function(function, generics)) = self.typing.callees.get(&call) else { return false };
        let position = (*function, generics.clone(), at);
        let known = self.context.stashing.borrow().get(&position).copied();
        known.unwrap_or_else(|| self.stashes(position))
    }

    /// Whether a closure, or what nobody knows but the crate may declare, is called where addresses are put away.
    pub(super) fn is_stashed_here(&self, call: ExprId) -> bool {
        self.calls_what_may_stash(self.body, self.typing, call)
    }

    fn calls_what_may_stash(&self, body: &Body, typing: &Typing, call: ExprId) -> bool {
        self.context.items.mentions.writes_through_addresses()
            && match typing.callees.get(&call) {
                Some(Callee::Closure(_)) => true,
                None | Some(Callee::Unknown(_)) => match &body.expr(call).kind {
                    ExprKind::Call(callee, _) => match &body.expr(*callee).kind {
                        ExprKind::Path(path) => {
                            path.segments.last().is_some_and(|last| self.context.may_be_own(&last.name))
                        }
                        _ => true,
                    },
                    ExprKind::Method { name, .. } => self.context.may_be_own(name),
                    _ => false,
                },
                _ => false,
            }
    }

    fn stashes(&self, position: Position) -> bool {
        let mut seen: FxHashSet<Position> = FxHashSet::default();
        let mut work = vec![position.clone()];
        while let Some(next) = work.pop() {
            let known = self.context.stashing.borrow().get(&next).copied();
            if known == Some(false) || !seen.insert(next.clone()) {
                continue;
            }
            if known == Some(true) || seen.len() > FUNCTIONS || self.stashes_itself(next, &mut work) {
                self.context.stashing.borrow_mut().insert(position, true);
                return true;
            }
        }
        // Nor does anything that was come to.
        self.context.stashing.borrow_mut().extend(seen.into_iter().map(|it| (it, false)));
        false
    }

    /// Whether a body puts the address of a parameter away; adds what it hands it to.
    fn stashes_itself(&self, (function, generics, at): Position, work: &mut Vec<Position>) -> bool {
        let items = self.context.items;
        let declared = items.function(function);
        // Our own text of std says what it gives back.
        let unseen = items.is_std_module(declared.module) || declared.opaque.is_some();
        let Some(body) = self.context.body(function).filter(|_| !unseen) else { return false };
        let Some(parameter) = body.parameters.get(at) else { return false };
        let typing = self.context.typed(function, &generics, body);
        let mut carried = Carried {
            body,
            typing: &typing,
            locals: FxHashSet::default(),
            exprs: vec![false; body.exprs.len()],
        };
        self.bind(&mut carried, *parameter, true);
        while self.carries_more(&mut carried) {}
        (0..body.exprs.len()).any(|index| self.puts_away(&carried, ExprId(index as u32), work))
    }

    /// Whether a value of a type has a pointer in it.
    fn has_address(&self, ty: &Ty) -> bool {
        self.context.is_pointer(ty) || self.context.has_pointers(ty)
    }

    /// Whether one may be put there.
    fn takes_address(&self, ty: &Ty) -> bool {
        *ty == Ty::Opaque || self.has_address(ty)
    }

    /// Names of a pattern that get an address: all, or those that borrow a part of the matched place.
    fn bind(&self, carried: &mut Carried<'_>, pat: PatId, all: bool) -> bool {
        let mut more = false;
        if let PatKind::Bind { local, .. } = carried.body.pat(pat).kind
            && (all || carried.typing.references.contains_key(&pat))
            && self.may_hold(&carried.typing.locals[local.index()], 0)
        {
            more |= carried.locals.insert(local);
        }
        let inside = carried.body.inside(pat);
        inside.into_iter().fold(more, |more, inner| self.bind(carried, inner, all) | more)
    }

    fn carries_more(&self, carried: &mut Carried<'_>) -> bool {
        let mut more = false;
        for index in 0..carried.body.exprs.len() {
            let id = ExprId(index as u32);
            if !carried.exprs[index] && self.carries(carried, id) {
                carried.exprs[index] = true;
                more = true;
            }
            more |= self.hands_on(carried, id);
        }
        more
    }

    fn carries(&self, carried: &Carried<'_>, id: ExprId) -> bool {
        let ty = &carried.typing.exprs[id.index()];
        let has = |id: &ExprId| carried.exprs[id.index()];
        self.may_hold(ty, 0) && match &carried.body.expr(id).kind {
            ExprKind::Local(local) => carried.locals.contains(local),
            ExprKind::Reference(_, place) => carried.lends(*place),
            // What lies behind a reference is no address of it.
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => {
                has(base) && !matches!(carried.typing.exprs[base.index()], Ty::Reference(..))
            }
            ExprKind::Block { tail, .. } => tail.iter().any(has),
            ExprKind::If { then, otherwise, .. } => has(then) || otherwise.iter().any(has),
            ExprKind::Match(_, arms) => arms.iter().any(|arm| has(&arm.body)),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().any(has),
            ExprKind::Repeat(part, _) | ExprKind::Cast(part, _) | ExprKind::Try(part) => has(part),
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().any(|(_, value)| has(value)) || base.iter().any(has)
            }
            ExprKind::Call(..) | ExprKind::Method { .. } => !self.given_to(carried, id).is_empty(),
            ExprKind::Loop { .. } => carried.body.exprs.iter().any(
                |it| matches!(&it.kind, ExprKind::Break(target, Some(value)) if *target == id && has(value)),
            ),
            ExprKind::Closure(closure) => closure.names.iter().any(|it| carried.locals.contains(it)),
            ExprKind::Opaque(opaque) => opaque.mentions.iter().any(|it| carried.locals.contains(it)),
            _ => false,
        }
    }

    /// Names that get what carries an address.
    fn hands_on(&self, carried: &mut Carried<'_>, id: ExprId) -> bool {
        let body = carried.body;
        match &body.expr(id).kind {
            ExprKind::Block { statements, .. } => statements.iter().fold(false, |more, statement| {
                let Statement::Let { pat, init: Some(init), .. } = statement else { return more };
                self.matches(carried, *pat, *init) | more
            }),
            ExprKind::Match(value, arms) => {
                arms.iter().fold(false, |more, arm| self.matches(carried, arm.pat, *value) | more)
            }
            ExprKind::Let(pat, value) | ExprKind::For { pat, iterated: value, .. } => {
                self.matches(carried, *pat, *value)
            }
            ExprKind::Assign(left, right) if carried.exprs[right.index()] => {
                carried.own(*left).is_some_and(|local| carried.locals.insert(local))
            }
            // `fill(&mut slot, place)`: what is called may have put it there.
            ExprKind::Call(..) | ExprKind::Method { .. } | ExprKind::Update(..) => self.put_into(carried, id),
            _ => false,
        }
    }

    fn matches(&self, carried: &mut Carried<'_>, pat: PatId, value: ExprId) -> bool {
        let all = carried.exprs[value.index()];
        (all || carried.is_there(value)) && self.bind(carried, pat, all)
    }

    /// Locals that a call may put an address into which another argument carries.
    fn put_into(&self, carried: &mut Carried<'_>, call: ExprId) -> bool {
        let given = self.given_to(carried, call);
        let mut more = false;
        for to in arguments_of(carried.body, call) {
            let place = match &carried.body.expr(to).kind {
                ExprKind::Reference(Mutability::Mutable, place) => *place,
                _ => to,
            };
            if let Some(local) = carried.own(place)
                && self.takes_address(carried.typing.locals[local.index()].behind())
                && given.iter().any(|(_, argument)| *argument != to)
            {
                more |= carried.locals.insert(local);
            }
        }
        more
    }

    /// The arguments of a call that carry an address, or lend what has it.
    fn given_to(&self, carried: &Carried<'_>, call: ExprId) -> Vec<(usize, ExprId)> {
        let takes_value = match carried.typing.callees.get(&call) {
            Some(Callee::Function(function, _)) => !matches!(
                self.context.items.function(*function).parameters.first(),
                Some(TypeRef::Reference(..))
            ),
            _ => false,
        };
        // A receiver, and what an operator changes, is borrowed without a sign.
        let is_plain = matches!(carried.body.expr(call).kind, ExprKind::Call(..) | ExprKind::Binary(..));
        let is_lent = !takes_value && !is_plain;
        let all = arguments_of(carried.body, call).into_iter().enumerate();
        all.filter(|(at, id)| carried.exprs[id.index()] || *at == 0 && is_lent && carried.is_there(*id))
            .collect()
    }

    fn puts_away(&self, carried: &Carried<'_>, id: ExprId, work: &mut Vec<Position>) -> bool {
        let ty = |id: ExprId| &carried.typing.exprs[id.index()];
        match &carried.body.expr(id).kind {
            ExprKind::Cast(inner, _) => {
                let is_address = self.has_address(ty(*inner))
                    || matches!(carried.body.expr(*inner).kind, ExprKind::Opaque(_));
                carried.exprs[inner.index()] && is_address && matches!(ty(id), Ty::Integer(_))
            }
            ExprKind::Assign(left, right) => {
                carried.exprs[right.index()]
                    && carried.own(*left).is_none()
                    && (self.has_address(ty(*left)) || self.has_address(ty(*right)))
            }
            ExprKind::Update(..) | ExprKind::Binary(..) if !carried.typing.callees.contains_key(&id) => false,
            ExprKind::Update(..) | ExprKind::Binary(..) | ExprKind::Call(..) | ExprKind::Method { .. } => {
                self.call_puts_away(carried, id, work)
            }
            _ => false,
        }
    }

    fn call_puts_away(&self, carried: &Carried<'_>, id: ExprId, work: &mut Vec<Position>) -> bool {
        let items = self.context.items;
        let mut given = self.given_to(carried, id).into_iter();
        match carried.typing.callees.get(&id) {
            Some(Callee::Function(function, generics))
                if !items.is_std_module(items.function(*function).module) =>
            {
                work.extend(given.map(|(at, _)| (*function, generics.clone(), at)));
                false
            }
            Some(Callee::Variant(..) | Callee::Number(..)) => false,
            _ if self.calls_what_may_stash(carried.body, carried.typing, id) => given.next().is_some(),
            callee => {
                let known = matches!(callee, Some(Callee::Function(..) | Callee::Standard(..)));
                given.any(|(at, argument)| self.is_put(carried, id, (at, argument), known))
            }
        }
    }

    /// Whether code of others puts what an argument carries where another one says.
    fn is_put(
        &self,
        carried: &Carried<'_>,
        call: ExprId,
        (at, argument): (usize, ExprId),
        known: bool,
    ) -> bool {
        let ty = |id: ExprId| &carried.typing.exprs[id.index()];
        let is_address = carried.exprs[argument.index()] && self.has_address(ty(argument));
        let all = arguments_of(carried.body, call).into_iter().enumerate();
        let mut others = all.filter(|(other, _)| *other != at).map(|(_, it)| it);
        // A place that is lent to hold pointers, and is not a local of the body.
        let holds = |other: ExprId| {
            let own = match &carried.body.expr(other).kind {
                ExprKind::Reference(_, place) => carried.own(*place),
                _ if matches!(ty(other), Ty::Reference(..)) => None,
                _ => carried.own(other),
            };
            let pointee = match ty(other) {
                Ty::Reference(_, inner) => inner,
                other => self.context.unfollowed(other).unwrap_or(other),
            };
            own.is_none() && self.takes_address(pointee)
        };
        if known {
            // A borrow becomes a pointer where one is wanted.
            let wanted = |other: ExprId| self.has_address(ty(other).behind());
            return others.any(|other| holds(other) && (is_address || wanted(other)));
        }
        let name = match &carried.body.expr(call).kind {
            ExprKind::Method { name, .. } => name.as_str(),
            ExprKind::Call(callee, _) => match &carried.body.expr(*callee).kind {
                ExprKind::Path(path) => path.segments.last().map_or("", |name| name.name.as_str()),
                _ => "",
            },
            _ => "",
        };
        if STORING.contains(&name) {
            return others.any(holds);
        }
        is_address && !PASSING.contains(&name)
    }
}

impl Carried<'_> {
    /// Whether a value carries the address, or is a place there that a method may borrow.
    fn lends(&self, id: ExprId) -> bool {
        self.exprs[id.index()] || self.is_there(id)
    }

    /// A place whose address is carried: a pointer that was read there leads elsewhere.
    fn is_there(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => self.locals.contains(local),
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => self.lends(*inner),
            ExprKind::Deref(inner) => {
                let is_pointer = matches!(self.typing.exprs[inner.index()], Ty::Adt(..));
                self.exprs[inner.index()] || !is_pointer && self.is_there(*inner)
            }
            _ => false,
        }
    }

    /// The local that a place is a part of, where nothing lies in between.
    fn own(&self, place: ExprId) -> Option<LocalId> {
        let parameters = &self.body.parameters;
        let is_own = |local: LocalId| {
            !matches!(self.typing.locals[local.index()], Ty::Reference(..))
                && !parameters.iter().any(
                    |pat| matches!(self.body.pat(*pat).kind, PatKind::Bind { local: bound, .. } if bound == local),
                )
        };
        match &self.body.expr(place).kind {
            ExprKind::Local(local) => {
                let whole = matches!(self.typing.locals[local.index()], Ty::Reference(..));
                (whole || is_own(*local)).then_some(*local)
            }
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => {
                self.own(*inner).filter(|local| is_own(*local))
            }
            _ => None,
        }
    }
}

/// The arguments of a call, or of an operator, the receiver first.
pub(super) fn arguments_of(body: &Body, call: ExprId) -> Vec<ExprId> {
    match &body.expr(call).kind {
        ExprKind::Call(_, arguments) => arguments.clone(),
        ExprKind::Method { receiver, arguments, .. } => {
            std::iter::once(*receiver).chain(arguments.iter().copied()).collect()
        }
        ExprKind::Update(_, left, right) | ExprKind::Binary(_, left, right) => vec![*left, *right],
        _ => Vec::new(),
    }
}
