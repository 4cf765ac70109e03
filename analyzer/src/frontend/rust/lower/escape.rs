//! Which parts of which locals code that we do not see may write at any time.
//!
//! A `&mut` borrow is understood where the place it lends is known until it ends: as an argument of a call
//! whose other parts cannot keep it, as a name for the place, in a pattern, in front of a field, an index or
//! a `*`. Everywhere else the borrowed leaves are given up for the whole body: each read of them is unknown.

mod anew;
mod drawn;
mod given;
mod kept;
mod late;
mod named;
mod pointed;
mod stashed;
mod written;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::anew::{is_set_anew, names_slice};
use super::super::context::Context;
use super::super::hir::{Body, ExprId, ExprKind, LocalId, Mutability, PatId, PatKind, Statement, TypeRef};
use super::super::infer::{Callee, Typing};
use super::super::std_table::{Meaning, SliceOp};
use super::super::types::{Called, Ty};

pub use late::Hidden;

const DEPTH_LIMIT: u32 = 8;

struct Escape<'e, 'c> {
    context: &'e Context<'c>,
    body: &'e Body,
    typing: &'e Typing,
    /// Expressions whose borrow is understood where they stand.
    understood: FxHashSet<ExprId>,
    /// Calls that `for` walks over, place by place.
    walked: FxHashSet<ExprId>,
    /// Names for parts of other locals.
    aliases: Vec<(LocalId, LocalId, Range<usize>)>,
    /// Parts of arrays: copies, unless a call takes them.
    copies: Vec<(ExprId, ExprId)>,
    taken: FxHashSet<ExprId>,
    hidden: FxHashMap<LocalId, Vec<bool>>,
    /// The call that is looked at, while it gives up what its result may keep; what calls gave up, and what is given up
    /// in any other way.
    giving: Option<ExprId>,
    given: Vec<(LocalId, ExprId)>,
    always: FxHashSet<LocalId>,
    /// A call may have put an address away.
    stashes: bool,
}

/// `escapes` says which closures get into unknown code.
pub fn hidden(
    context: &Context<'_>,
    body: &Body,
    typing: &Typing,
    escapes: &dyn Fn(ExprId) -> bool,
) -> Hidden {
    let mut escape = Escape {
        context,
        body,
        typing,
        understood: FxHashSet::default(),
        walked: FxHashSet::default(),
        aliases: Vec::new(),
        copies: Vec::new(),
        taken: FxHashSet::default(),
        hidden: FxHashMap::default(),
        giving: None,
        given: Vec::new(),
        always: FxHashSet::default(),
        stashes: false,
    };
    for index in 0..body.exprs.len() {
        escape.parent(ExprId(index as u32));
    }
    if let Some(root) = body.root {
        escape.given_back(root);
    }
    for index in 0..body.exprs.len() {
        escape.written(ExprId(index as u32));
        escape.borrow(ExprId(index as u32));
        escape.closure(ExprId(index as u32), escapes);
    }
    for (part, base) in std::mem::take(&mut escape.copies) {
        if !escape.taken.contains(&part) {
            escape.give_up(base);
        }
    }
    escape.pointed();
    escape.names_of_parts();
    escape.spread();
    escape.finished()
}

impl Escape<'_, '_> {
    fn ty(&self, id: ExprId) -> &Ty {
        &self.typing.exprs[id.index()]
    }

    /// Marks the borrows inside an expression that it understands.
    fn parent(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) => self.accept(*inner),
            ExprKind::Index(base, at) => {
                self.accept(*base);
                if self.context.is_range(self.ty(*at)) && self.is_copied(*base) {
                    self.copies.push((id, *base));
                }
            }
            // `&mut *r` and `&mut r.x` are borrows themselves, and looked at as such.
            ExprKind::Reference(mutability, inner) => {
                self.accept(*inner);
                if *mutability == Mutability::Shared {
                    self.taken.insert(*inner);
                }
            }
            ExprKind::Binary(_, left, right)
                if matches!(self.typing.callees.get(&id), Some(Callee::Function(..))) =>
            {
                self.call(id, &[*left, *right], None);
            }
            ExprKind::Binary(_, left, right) | ExprKind::AssertCompare { left, right, .. } => {
                self.accept(*left);
                self.accept(*right);
            }
            ExprKind::Format { arguments, .. } | ExprKind::Panic(arguments) => {
                arguments.iter().for_each(|argument| self.accept(*argument));
            }
            ExprKind::Call(callee, arguments) => {
                self.accept(*callee);
                self.call(id, arguments, None);
            }
            ExprKind::Method { receiver, .. } if self.reborrows(id) => self.accept(*receiver),
            ExprKind::Method { receiver, arguments, .. } => {
                let all: Vec<ExprId> = std::iter::once(*receiver).chain(arguments.iter().copied()).collect();
                self.call(id, &all, Some(*receiver));
            }
            // Who writes an operator between a number and a type of one's own may keep the number's address.
            ExprKind::Update(_, left, right) if self.is_own_operator(*left, *right) => self.give_up(*left),
            // An operator of one's own borrows what it changes.
            ExprKind::Update(_, left, right) if self.typing.callees.contains_key(&id) => {
                self.call(id, &[*left, *right], Some(*left));
            }
            ExprKind::Block { statements, .. } => {
                statements.iter().for_each(|statement| self.statement(statement))
            }
            ExprKind::Match(scrutinee, arms) => {
                arms.iter().for_each(|arm| self.matched(arm.pat, *scrutinee));
            }
            ExprKind::Let(pat, value) => self.matched(*pat, *value),
            ExprKind::Assign(left, right) => self.set_anew(*left, *right),
            ExprKind::For { iterated, .. } if self.lends_values(*iterated) => self.accept(*iterated),
            ExprKind::For { pat, iterated, .. } if self.draws(id, *pat, *iterated) => self.accept(*iterated),
            ExprKind::For { pat, iterated, .. } => self.iterated(*pat, *iterated),
            ExprKind::Opaque(opaque) => {
                for local in opaque.mentions.clone() {
                    self.mention(local);
                }
            }
            _ => {}
        }
    }

    /// Whether an operator that changes a number is none of std: nobody says which one it is.
    fn is_own_operator(&self, left: ExprId, right: ExprId) -> bool {
        let is_number = matches!(self.ty(left).behind(), Ty::Integer(_) | Ty::Float(_) | Ty::Bool | Ty::Char);
        is_number && matches!(self.ty(right).behind(), Ty::Adt(..))
    }

    /// A closure that is not understood, or that others may call, may write what it names at any time.
    fn closure(&mut self, id: ExprId, escapes: &dyn Fn(ExprId) -> bool) {
        let ExprKind::Closure(closure) = &self.body.expr(id).kind else { return };
        let known = match self.ty(id) {
            Ty::Callable(Called::Closure(id), _) => self.context.captures(*id).plain,
            _ => false,
        };
        if !known || escapes(id) {
            closure.names.iter().for_each(|local| self.mention(*local));
        }
    }

    /// Whether a part of a place is a copy of its elements: those of arrays, and those inside other elements.
    fn is_copied(&self, base: ExprId) -> bool {
        matches!(self.context.behind(self.ty(base)), Ty::Array(..)) || self.has_index(base)
    }

    fn has_index(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Index(..) => true,
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => {
                self.has_index(*inner)
            }
            ExprKind::Method { receiver, .. } => self.reborrows(id) && self.has_index(*receiver),
            _ => false,
        }
    }

    /// A borrow that is handed on as a part of the result: nothing is written through it any more, and whoever called
    /// has given up what was lent.
    fn given_back(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Block { tail: Some(tail), .. } => self.given_back(*tail),
            ExprKind::Struct { fields, base: None, .. } => {
                fields.iter().for_each(|(_, value)| self.given_back(*value));
            }
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.given_back(*part)),
            ExprKind::Call(_, parts) if matches!(self.typing.callees.get(&id), Some(Callee::Variant(..))) => {
                parts.iter().for_each(|part| self.given_back(*part));
            }
            ExprKind::Local(local) if self.borrows(id) && self.is_named_once(*local) => self.accept(id),
            ExprKind::Field(..) if self.borrows(id) => {
                // All that is left of what was taken whole.
                let mut base = id;
                while let ExprKind::Field(inner, _) = &body.expr(base).kind {
                    base = *inner;
                }
                if let ExprKind::Local(local) = body.expr(base).kind
                    && !matches!(self.ty(base), Ty::Reference(..))
                    && self.is_named_once(local)
                {
                    self.accept(id);
                }
            }
            _ => {}
        }
    }

    fn is_named_once(&self, local: LocalId) -> bool {
        let names = self.body.exprs.iter().map(|expr| match &expr.kind {
            ExprKind::Local(named) => usize::from(*named == local),
            ExprKind::Opaque(opaque) => 2 * usize::from(opaque.mentions.contains(&local)),
            ExprKind::Closure(closure) => 2 * usize::from(closure.names.contains(&local)),
            _ => 0,
        });
        names.sum::<usize>() == 1
    }

    fn accept(&mut self, id: ExprId) {
        self.understood.insert(id);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { pat, init: Some(init), otherwise, .. } => match &self.body.pat(*pat).kind {
                PatKind::Bind { local, inner: None, .. } if otherwise.is_none() => {
                    let lends = match &self.body.expr(*init).kind {
                        ExprKind::Reference(Mutability::Mutable, inner) => self.is_place(*inner),
                        ExprKind::Local(_) => matches!(self.ty(*init), Ty::Reference(Mutability::Mutable, _)),
                        ExprKind::Method { .. } => self.is_place(*init),
                        _ => false,
                    };
                    let turned = matches!(self.typing.locals[local.index()].behind(), Ty::Slice(_))
                        && self.turns_array(*init);
                    // A borrow that becomes a pointer is no name: nobody follows what is written through it.
                    let named = matches!(self.typing.locals[local.index()], Ty::Reference(..));
                    let other = self.context.is_turned(self.ty(*init), &self.typing.locals[local.index()]);
                    if lends && !turned && named && !other {
                        self.alias(*local, *init);
                        self.accept(*init);
                    } else if matches!(&self.typing.locals[local.index()], Ty::Reference(_, inner) if matches!(**inner, Ty::Slice(_)))
                    {
                        self.one_of_several(*init);
                    }
                }
                PatKind::Wild => self.accept(*init),
                _ => self.matched(*pat, *init),
            },
            // What is dropped at once keeps nothing.
            Statement::Expr(id) => self.accept(*id),
            Statement::Let { .. } => {}
        }
    }

    /// `if c { &mut xs[1..] } else { &mut ys }` where a slice is wanted: nobody makes either longer or shorter.
    fn one_of_several(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Block { tail: Some(tail), .. } => self.one_of_several(*tail),
            ExprKind::If { then, otherwise: Some(otherwise), .. } => {
                self.one_of_several(*then);
                self.one_of_several(*otherwise);
            }
            ExprKind::Match(_, arms) => arms.iter().for_each(|arm| self.one_of_several(arm.body)),
            ExprKind::Reference(Mutability::Mutable, place)
                if self.is_place(*place) && self.has_length(*place) =>
            {
                if let Some((local, range)) = self.range(*place) {
                    let elements = if self.is_part(*place) { range.start } else { range.start + 2 };
                    self.hide(local, elements..range.end);
                    self.accept(id);
                }
            }
            _ => {}
        }
    }

    fn has_length(&self, place: ExprId) -> bool {
        self.context.element_type(self.ty(place)).is_some() && !self.turns_array(place)
    }

    /// Whether a place stands in brackets: its leaves are those of elements.
    fn is_part(&self, place: ExprId) -> bool {
        matches!(self.body.expr(place).kind, ExprKind::Index(..))
    }

    /// Whether an array is borrowed, or a part of one, where a slice is wanted.
    fn turns_array(&self, id: ExprId) -> bool {
        let inner = match &self.body.expr(id).kind {
            ExprKind::Reference(_, inner) => *inner,
            _ => id,
        };
        match &self.body.expr(inner).kind {
            ExprKind::Index(base, at) if self.context.is_range(self.ty(*at)) => self.is_copied(*base),
            _ => matches!(self.context.behind(self.ty(inner)), Ty::Array(..)),
        }
    }

    fn is_place(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(_) => true,
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Index(inner, _) => {
                self.is_place(*inner)
            }
            ExprKind::Method { .. } => self.reborrows(id),
            _ => false,
        }
    }

    /// A method that gives back the place it is called on, where that is a place.
    fn reborrows(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Method { receiver, .. } => {
                self.typing.reborrows.contains(&id) && self.is_place(*receiver)
            }
            _ => false,
        }
    }

    fn alias(&mut self, local: LocalId, place: ExprId) {
        if let Some((base, range)) = self.range(place) {
            self.aliases.push((local, base, range));
        }
    }

    /// Names bound by reference in a pattern are names for parts of the matched place.
    fn matched(&mut self, pat: PatId, value: ExprId) {
        self.accept(value);
        let inner = match &self.body.expr(value).kind {
            ExprKind::Reference(_, inner) => *inner,
            _ => value,
        };
        if !self.is_place(inner) {
            // References inside a value that is no place: nobody follows them.
            self.understood.remove(&value);
            if !matches!(self.body.expr(value).kind, ExprKind::Reference(..)) {
                return;
            }
        }
        let mut work = vec![(pat, false)];
        while let Some((pat, among)) = work.pop() {
            let kind = &self.body.pat(pat).kind;
            if let PatKind::Bind { local, .. } = kind
                && let Ty::Reference(Mutability::Mutable, _) = &self.typing.locals[local.index()]
            {
                self.alias(*local, value);
                // Each alternative names a place of its own.
                if among {
                    self.give_up(value);
                }
            }
            if self.lends_rest(kind) {
                self.give_up(value);
            }
            let among = among || matches!(kind, PatKind::Or(_));
            work.extend(self.body.inside(pat).into_iter().map(|inner| (inner, among)));
        }
    }

    /// Whether the rest of an array is lent to be written: no place names so many of its elements.
    fn lends_rest(&self, kind: &PatKind) -> bool {
        let PatKind::Slice(pats, Some(rest)) = kind else { return false };
        let Some(PatKind::Bind { local, .. }) = pats.get(*rest).map(|pat| &self.body.pat(*pat).kind) else {
            return false;
        };
        let ty = &self.typing.locals[local.index()];
        matches!(ty, Ty::Reference(Mutability::Mutable, inner) if !matches!(**inner, Ty::Slice(_)))
    }

    fn iterated(&mut self, pat: PatId, iterated: ExprId) {
        match &self.body.expr(iterated).kind {
            ExprKind::Reference(_, inner)
                if self.is_place(*inner)
                    && (matches!(self.ty(*inner), Ty::Array(..))
                        || self.context.element_type(self.ty(*inner)).is_some()) =>
            {
                self.matched(pat, iterated);
            }
            ExprKind::Method { receiver, .. } => {
                let meaning = match self.typing.callees.get(&iterated) {
                    Some(Callee::Standard(meaning, _)) => Some(*meaning),
                    _ => None,
                };
                if let Some(Meaning::Walked(_)) = meaning {
                    self.accept(iterated);
                    return self.iterated(pat, *receiver);
                }
                let iterates = meaning == Some(Meaning::Iterate);
                if iterates && self.is_place(*receiver) {
                    self.accept(*receiver);
                    self.accept(iterated);
                    self.walked.insert(iterated);
                    self.matched(pat, *receiver);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, id: ExprId, arguments: &[ExprId], receiver: Option<ExprId>) {
        let callee = self.typing.callees.get(&id);
        if let (Some(Callee::Standard(Meaning::Slice(SliceOp::GetPart), _)), [whole, range]) =
            (callee, arguments)
            && self.may_hold(self.ty(id), 0)
        {
            // The part is a copy: what is written through it is written to the whole.
            self.accept(*range);
            return self.give_up(*whole);
        }
        if let Some(Callee::Standard(meaning, _)) = callee {
            // A conversion that gives no borrow away has made a copy.
            if *meaning == Meaning::TryFrom && !self.may_hold(self.ty(id), 0) {
                self.taken.extend(arguments.iter().copied());
            }
            // What is handed through is still a borrow.
            let hands_on = !matches!(
                meaning,
                Meaning::Iterate
                    | Meaning::Walked(_)
                    | Meaning::Reversed
                    | Meaning::StepBy
                    | Meaning::Slice(_)
            );
            let handed = hands_on && self.may_hold(self.ty(id), 0);
            let keeps = |argument: &ExprId| handed && self.borrows(*argument);
            if *meaning != Meaning::Iterate {
                let understood: Vec<ExprId> = arguments.iter().copied().filter(|it| !keeps(it)).collect();
                understood.into_iter().for_each(|argument| self.accept(argument));
            }
            return;
        }
        if matches!(callee, Some(Callee::Variant(..))) {
            return;
        }
        let known = matches!(callee, Some(Callee::Function(..) | Callee::Closure(_)));
        if known {
            for argument in arguments {
                let inner = match &self.body.expr(*argument).kind {
                    ExprKind::Reference(_, inner) => *inner,
                    _ => *argument,
                };
                if matches!(self.context.behind(self.ty(self.array_of(inner))), Ty::Array(..)) {
                    self.taken.insert(inner);
                }
            }
        }
        // In our own text of std results are copies, whatever their types say.
        let result_keeps = self.may_hold(self.ty(id), 0) && !self.understood_result(id);
        for (at, argument) in arguments.iter().enumerate() {
            let others = arguments.iter().filter(|other| *other != argument);
            let others_keep = !self.is_alone(id, at) && others.clone().any(|other| self.may_take(*other));
            let keeps = result_keeps || others_keep;
            self.giving = (known && !others_keep).then_some(id);
            let borrowed = self.borrows(*argument) || (receiver == Some(*argument) && !known);
            let turned = self.is_taken_as_trait(id, at) || self.is_taken_as_pointer(id, at, *argument);
            if self.borrows(*argument) && turned {
                // Whoever writes it does not say what.
                self.giving = None;
                self.give_up(*argument);
            }
            let stashed = self.is_stashed(id, at) || self.is_stashed_here(id);
            if stashed && self.lends_mutably(id, *argument, receiver) {
                // Somebody may write it whenever something is called.
                self.stashes = true;
                self.give_up(*argument);
            }
            if self.is_set_anew(id, at, *argument, receiver == Some(*argument)) {
                self.giving = None;
                self.give_up(*argument);
            }
            match (borrowed, keeps) {
                (true, true) => {
                    let takes = self.lends_mutably(id, *argument, receiver);
                    if takes {
                        self.give_up_to(id, at, *argument, receiver);
                    }
                    self.accept(*argument);
                }
                (true, false) => self.accept(*argument),
                (false, keeps) => {
                    // A receiver of a known method that is borrowed without a sign.
                    if keeps && receiver == Some(*argument) && self.lends_mutably(id, *argument, receiver) {
                        self.give_up_to(id, at, *argument, receiver);
                    }
                }
            }
            self.giving = None;
        }
    }

    /// What stands before the brackets of a part.
    fn array_of(&self, id: ExprId) -> ExprId {
        match &self.body.expr(id).kind {
            ExprKind::Index(base, at) if self.context.is_range(self.ty(*at)) => *base,
            _ => id,
        }
    }

    /// A call may keep a borrow of an argument: of the part it gives back, or of the elements only, where it takes a slice.
    fn give_up_to(&mut self, call: ExprId, at: usize, argument: ExprId, receiver: Option<ExprId>) {
        if let Some((local, part)) = self.part_given(call, at, argument) {
            return self.hide(local, part);
        }
        let of_slice = match self.typing.callees.get(&call) {
            Some(Callee::Function(function, _)) if receiver == Some(argument) => {
                match self.context.items.function(*function).owner {
                    super::super::items::Owner::Impl(owner) => {
                        matches!(self.context.impls[owner.index()].1, Ty::Slice(_) | Ty::Str)
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        match (of_slice, self.range(argument)) {
            (true, Some((local, range)))
                if self.context.element_type(self.ty(argument)).is_some() && !self.turns_array(argument) =>
            {
                self.hide(local, self.elements(argument, range));
            }
            _ if self.giving.is_some() && self.lends_numbers(self.ty(call)) => self.give_up_numbers(argument),
            _ => self.give_up(argument),
        }
    }

    fn borrows(&self, id: ExprId) -> bool {
        matches!(self.ty(id), Ty::Reference(Mutability::Mutable, _))
    }

    /// Whether a call may write through an argument.
    fn lends_mutably(&self, call: ExprId, argument: ExprId, receiver: Option<ExprId>) -> bool {
        match self.typing.callees.get(&call) {
            Some(Callee::Function(function, _)) if receiver == Some(argument) => {
                match self.context.items.function(*function).parameters.first() {
                    Some(TypeRef::Reference(mutability, _)) => *mutability == Mutability::Mutable,
                    // The value may be a borrow.
                    _ => self.borrows(argument),
                }
            }
            Some(Callee::Function(..)) => self.borrows(argument),
            _ => self.borrows(argument) || self.is_writable(argument),
        }
    }

    fn is_writable(&self, id: ExprId) -> bool {
        writable(self.body, self.typing, id)
    }

    /// Whether the result of a call is dropped at the end of its statement.
    fn understood_result(&self, id: ExprId) -> bool {
        self.body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Block { statements, .. } => {
                statements.iter().any(|statement| matches!(statement, Statement::Expr(found) if *found == id))
            }
            _ => false,
        })
    }

    /// A mutable borrow in a position that nobody understood.
    fn borrow(&mut self, id: ExprId) {
        if self.typing.is_called_behind(id)
            && self.borrows(id)
            && let Some((local, whole)) = self.whole_range(id)
        {
            // Somebody writes what lies behind it, and nobody knows where that is.
            self.hide(local, whole);
        }
        let borrows = match &self.body.expr(id).kind {
            ExprKind::Reference(Mutability::Mutable, _) => true,
            ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Deref(_) => {
                self.borrows(id)
            }
            ExprKind::Method { .. } if self.reborrows(id) => true,
            ExprKind::Method { receiver, name, .. } if name == "iter_mut" => {
                // Nobody but `for` follows the elements of an array.
                let followed = match self.typing.callees.get(&id) {
                    Some(Callee::Standard(Meaning::Iterate, _)) => self.walked.contains(&id),
                    _ => self.understood.contains(&id),
                };
                if !followed {
                    self.give_up(*receiver);
                }
                false
            }
            _ => false,
        };
        if borrows && !self.understood.contains(&id) {
            // Before it is made nobody has such a borrow.
            let is_made = matches!(self.body.expr(id).kind, ExprKind::Reference(..));
            self.giving = is_made.then_some(id);
            self.give_up(id);
            self.giving = None;
        }
    }

    fn give_up(&mut self, place: ExprId) {
        if let Some((local, range)) = self.range(place) {
            // Nobody makes a slice longer or shorter who only borrows it.
            let fixed = matches!(self.ty(place).behind(), Ty::Slice(_) | Ty::Str) && !self.turns_array(place);
            let given = if fixed { self.elements(place, range) } else { range };
            self.hide(local, given);
        }
    }

    /// Of the leaves of a slice those of its elements; a part has no others.
    fn elements(&self, place: ExprId, range: Range<usize>) -> Range<usize> {
        match self.is_cut_out(place) {
            true => range,
            false => (range.start + 2).min(range.end)..range.end,
        }
    }

    /// Whether a place is a part of a slice, between bounds.
    fn is_cut_out(&self, place: ExprId) -> bool {
        match &self.body.expr(place).kind {
            ExprKind::Index(_, at) => self.context.is_range(self.ty(*at)),
            ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => self.is_cut_out(*inner),
            ExprKind::Method { receiver, .. } if self.reborrows(place) => self.is_cut_out(*receiver),
            _ => false,
        }
    }

    fn mention(&mut self, local: LocalId) {
        let ty = &self.typing.locals[local.index()];
        let mutable = ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
        if self.body.local(local).mutable || mutable {
            let count = self.context.leaf_count(ty);
            self.hide(local, 0..count);
        }
    }

    fn hide(&mut self, local: LocalId, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        match self.giving {
            Some(call) => self.given.push((local, call)),
            None => drop(self.always.insert(local)),
        }
        let count = self.context.leaf_count(&self.typing.locals[local.index()]);
        let leaves = self.hidden.entry(local).or_insert_with(|| vec![false; count]);
        for index in range {
            if let Some(leaf) = leaves.get_mut(index) {
                *leaf = true;
            }
        }
    }

    /// The leaves of a local that a place covers.
    fn range(&self, id: ExprId) -> Option<(LocalId, Range<usize>)> {
        let (local, whole) = self.whole_range(id)?;
        let Some(behind) = self.typing.behind.get(&id) else { return Some((local, whole)) };
        let Some(at) = behind.part else { return Some((local, whole)) };
        let start = whole.start + at;
        Some((local, start..(start + self.context.leaf_count(&behind.target)).min(whole.end)))
    }

    /// The same of the value itself where what lies behind it is meant.
    fn whole_range(&self, id: ExprId) -> Option<(LocalId, Range<usize>)> {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => {
                let count = self.context.leaf_count(&self.typing.locals[local.index()]);
                Some((*local, 0..count))
            }
            ExprKind::Field(base, name) => {
                let (local, range) = self.range(*base)?;
                match self.context.field_named(self.ty(*base), name) {
                    Some((at, ty)) => {
                        let start = range.start + at;
                        Some((local, start..(start + self.context.leaf_count(&ty)).min(range.end)))
                    }
                    None => Some((local, range)),
                }
            }
            ExprKind::Index(inner, _) => {
                let (local, range) = self.range(*inner)?;
                match self.context.element_type(self.ty(*inner)) {
                    Some(_) => Some((local, (range.start + 2).min(range.end)..range.end)),
                    None => Some((local, range)),
                }
            }
            ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => self.range(*inner),
            ExprKind::Method { receiver, .. } if self.reborrows(id) => self.range(*receiver),
            _ => None,
        }
    }

    /// What is written through a name is written to the place it names.
    fn spread(&mut self) {
        loop {
            let before: usize = self.hidden.values().flatten().filter(|hidden| **hidden).count();
            for (name, base, range) in self.aliases.clone() {
                if let Some(given) = self.given_through(name, range) {
                    self.hide(base, given);
                }
            }
            let after: usize = self.hidden.values().flatten().filter(|hidden| **hidden).count();
            if before == after {
                return;
            }
        }
    }
}

/// Whether a place can be written: its local is declared `mut`, or it lies behind a `&mut`.
pub fn writable(body: &Body, typing: &Typing, id: ExprId) -> bool {
    let behind = matches!(typing.exprs[id.index()], Ty::Reference(Mutability::Mutable, _));
    behind
        || match &body.expr(id).kind {
            ExprKind::Local(local) => body.local(*local).mutable,
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Index(inner, _) => {
                writable(body, typing, *inner)
            }
            _ => false,
        }
}
