//! Types of everything in a body, by unification.
//!
//! Follows rustc's order: expressions are visited once, expected types flow down, what is learned stays.
//! A part that is not understood has the type `Opaque`, and everything unified with it is tainted: a
//! tainted integer variable does not fall back to `i32`, because the constraint that was not seen may
//! have said otherwise. Nothing is guessed; nothing is reported, because the code compiles.

mod behind;
mod call;
mod captures;
mod choosing;
mod closure;
mod collections;
mod conversions;
mod convert;
mod described;
mod expression;
mod iterate;
mod lending;
mod meant;
mod method;
mod only;
mod path;
mod pattern;
mod probing;
mod references;
mod related;
mod settle;
mod slice;
mod standing;
mod traits;
mod unify;

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{BodyOf, Context, Environment};
use super::hir::{
    AdtId, Body, ConstId, ExprId, ExprKind, FnId, LocalId, ModuleId, Mutability, Operator, PatId, TraitId,
    TypeRef,
};
use super::std_table::Meaning;
use super::types::{Called, ClosureId, Ty};
pub use captures::Captures;
use settle::Asking;
use unify::Variables;

/// What is known of a body after inference; every type is without variables.
#[derive(Debug, Default)]
pub struct Typing {
    pub exprs: Vec<Ty>,
    pub locals: Vec<Ty>,
    pub pats: Vec<Ty>,
    /// What calls and method calls call.
    pub callees: FxHashMap<ExprId, Callee>,
    /// What draws from the iterator beside the places that a loop goes through.
    pub draws: FxHashMap<ExprId, (FnId, Vec<Ty>)>,
    /// The `into_iter` of the crate's own that a loop calls first.
    pub entered: FxHashMap<ExprId, (FnId, Vec<Ty>)>,
    /// What paths mean as values.
    pub paths: FxHashMap<ExprId, Named>,
    /// Bindings that refer to a part of the matched place instead of copying it.
    pub references: FxHashMap<PatId, Mutability>,
    /// Which variant a pattern or a structure expression speaks of.
    pub variants: FxHashMap<PatId, (AdtId, u32)>,
    pub structures: FxHashMap<ExprId, (AdtId, u32)>,
    /// Calls of methods that give back what they are called on: the place of the receiver under another type.
    pub reborrows: FxHashSet<ExprId>,
    /// Receivers whose `deref` is called first; their types are those of what it gives.
    pub behind: FxHashMap<ExprId, Behind>,
}

impl Typing {
    /// Whether an expression is the place in a value that its own `deref` gives.
    pub fn is_place_behind(&self, id: ExprId) -> bool {
        self.behind.get(&id).is_some_and(|behind| behind.part.is_some())
    }

    /// Whether it is a call of `deref`, which gives a value.
    pub fn is_called_behind(&self, id: ExprId) -> bool {
        self.behind.get(&id).is_some_and(|behind| behind.part.is_none())
    }
}

/// A call of a type's own `deref`.
#[derive(Clone, Debug)]
pub struct Behind {
    pub function: FnId,
    /// The `deref_mut` that is meant where something is written.
    pub writing: Option<FnId>,
    pub generics: Vec<Ty>,
    /// The type of the value itself.
    pub own: Ty,
    /// What lies behind it.
    pub target: Ty,
    /// Where in the value that is, if it is a place there.
    pub part: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// With the types of its generic parameters, those of the impl first.
    Function(FnId, Vec<Ty>),
    Variant(AdtId, u32),
    /// The value in the place of the callee is this closure.
    Closure(ClosureId),
    /// An operation of the standard library on a value of this type.
    Standard(Meaning, Ty),
    /// What is called gives this number.
    Number(u64, Ty),
    Unknown(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    Constant(ConstId, Vec<Ty>),
    Variant(AdtId, u32),
    /// The value of a constant of an integer type (`u8::MAX`) or of a constant parameter.
    Number(kleene_domains::int::Int),
    /// A function: all there is to it is its type.
    Callable,
    Unknown,
}

pub struct Infer<'i, 'c> {
    pub context: &'i Context<'c>,
    body: &'i Body,
    environment: &'i Environment,
    result: Ty,
    variables: Variables,
    typing: Typing,
    /// Types of the values that loops and labelled blocks are left with.
    breaks: FxHashMap<ExprId, Option<Ty>>,
    /// What the loop goes through that is looked at.
    looped: Option<ExprId>,
    /// What a method is called on that is looked at.
    chained: Option<ExprId>,
    /// Operators whose left operand is not known yet, and what they give.
    waiting: Vec<(Operator, Ty, Ty, Ty)>,
    /// Tells the closures of this reading from those of others.
    reading: u32,
    /// Calls through values, with what those are.
    through: FxHashMap<ExprId, Called>,
    /// What has generic parameters that were not all known where it stands.
    unsettled: Vec<(Asking, Vec<Ty>)>,
    /// What `.into()` is called on, and what it gives, where that was not all known.
    converting: Vec<(Ty, Ty)>,
    /// Elements and parts at an index of a type that is still open.
    indexing: Vec<Indexing>,
    /// Calls of functions of traits that take no value of the type.
    of_any: Vec<(ExprId, TraitId)>,
    /// The module or block of the path that is looked at.
    standing_in: Option<ModuleId>,
    /// Looked for when they are first needed.
    bounds: OnceCell<Rc<standing::Bounds>>,
}

/// `list[at]`, and what that is.
#[derive(Clone, Debug)]
struct Indexing {
    at: Ty,
    element: Ty,
    found: Ty,
}

#[derive(Clone, Debug)]
enum Expected {
    Nothing,
    Has(Ty),
    /// The type something is cast to.
    Cast(Ty),
    /// A value that is called with these types and gives that one.
    Callable(Vec<Ty>, Ty),
}

impl Expected {
    fn known(&self) -> Option<&Ty> {
        match self {
            Self::Has(ty) => Some(ty),
            _ => None,
        }
    }
}

/// Types of a body whose parameters have these types and whose value has type `result`.
pub fn infer(
    context: &Context<'_>,
    body: &Body,
    environment: &Environment,
    parameters: &[Ty],
    result: Ty,
) -> Typing {
    let mut infer = Infer {
        context,
        body,
        environment,
        result: result.clone(),
        variables: Variables::default(),
        typing: Typing {
            exprs: vec![Ty::Opaque; body.exprs.len()],
            pats: vec![Ty::Opaque; body.pats.len()],
            ..Typing::default()
        },
        breaks: FxHashMap::default(),
        looped: None,
        chained: None,
        waiting: Vec::new(),
        reading: context.next_reading(),
        through: FxHashMap::default(),
        unsettled: Vec::new(),
        converting: Vec::new(),
        indexing: Vec::new(),
        of_any: Vec::new(),
        standing_in: None,
        bounds: OnceCell::new(),
    };
    infer.typing.locals = body
        .locals
        .iter()
        .map(|local| if local.hidden { Ty::Opaque } else { infer.variables.fresh() })
        .collect();
    let result = match environment.of {
        Some(BodyOf::Function(id)) if context.gives_unnamed(id) => infer.variables.fresh(),
        _ => result,
    };
    infer.result = result.clone();
    for (pat, ty) in body.parameters.iter().zip(parameters) {
        infer.pattern(*pat, ty.clone());
    }
    if let Some(root) = body.root {
        let expected = infer.given_closure(root).unwrap_or_else(|| Expected::Has(result.clone()));
        let found = infer.expr(root, &expected);
        infer.coerce(&found, &result);
    }
    infer.finish()
}

impl<'i, 'c> Infer<'i, 'c> {
    fn finish(mut self) -> Typing {
        self.settle_indices();
        self.settle_operators();
        self.attempted_arrays();
        self.settle_conversions();
        self.settle_rest();
        self.settle_indices();
        self.doubt_indices();
        self.settle_of_any();
        let mut typing = std::mem::take(&mut self.typing);
        for (id, called) in &self.through {
            if self.variables.clashed.contains(called) {
                typing.callees.insert(*id, Callee::Unknown("a call of one of several functions"));
            }
        }
        for ty in typing.exprs.iter_mut().chain(&mut typing.pats).chain(&mut typing.locals) {
            *ty = self.variables.finished(ty);
        }
        for callee in typing.callees.values_mut() {
            match callee {
                Callee::Function(_, arguments) => {
                    arguments.iter_mut().for_each(|ty| *ty = self.variables.finished(ty));
                }
                Callee::Standard(_, ty) => *ty = self.variables.finished(ty),
                _ => {}
            }
        }
        for behind in typing.behind.values_mut() {
            behind.own = self.variables.finished(&behind.own);
            behind.target = self.variables.finished(&behind.target);
            behind.part = behind.part.and_then(|_| behind.place(self.context));
            behind.generics.iter_mut().for_each(|ty| *ty = self.variables.finished(ty));
        }
        for (_, arguments) in typing.draws.values_mut().chain(typing.entered.values_mut()) {
            arguments.iter_mut().for_each(|ty| *ty = self.variables.finished(ty));
        }
        for named in typing.paths.values_mut() {
            if let Named::Constant(_, arguments) = named {
                arguments.iter_mut().for_each(|ty| *ty = self.variables.finished(ty));
            }
        }
        self.conversions(&mut typing);
        typing.reborrows = self.reborrows(&typing);
        self.closures(&typing);
        typing
    }

    /// `xs.as_mut()` on what is a slice or stands for one: all elements, where they are. `it.by_ref()` is `it`.
    fn reborrows(&self, typing: &Typing) -> FxHashSet<ExprId> {
        let is_reborrow = |(id, callee): (&ExprId, &Callee)| {
            let Callee::Function(function, _) = callee else { return None };
            let function = self.context.items.function(*function);
            let gives_all = matches!(function.name.as_str(), "as_mut" | "as_mut_slice");
            let ExprKind::Method { receiver, .. } = &self.body.expr(*id).kind else { return None };
            let Ty::Reference(Mutability::Mutable, given) = &typing.exprs[id.index()] else { return None };
            let of_std = self.context.items.is_std_module(function.module);
            if of_std && function.name == "by_ref" && typing.exprs[receiver.index()].behind() == &**given {
                return Some(*id);
            }
            let Ty::Slice(element) = &**given else { return None };
            let held = self.context.element_type(&typing.exprs[receiver.index()]);
            let same = held.as_ref() == Some(&**element);
            (gives_all && same && of_std).then_some(*id)
        };
        typing.callees.iter().filter_map(is_reborrow).collect()
    }

    /// Notes what the closures of the body keep; those inside others come first.
    fn closures(&self, typing: &Typing) {
        for (index, expr) in self.body.exprs.iter().enumerate() {
            if let ExprKind::Closure(closure) = &expr.kind {
                let id = ExprId(index as u32);
                let found = captures::captures(self.context, self.body, typing, id, closure);
                self.context.note_captures(ClosureId { reading: self.reading, expr: id }, found);
            }
        }
    }

    /// The type of a field, where something may be known of the type's arguments by now.
    fn part_type(&self, adt: AdtId, variant: u32, field: usize, arguments: &[Ty]) -> Ty {
        let known: Vec<Ty> = arguments.iter().map(|ty| self.variables.known(ty)).collect();
        self.context.field_type(adt, variant, field, &known)
    }

    fn resolved(&self, ty: &Ty) -> Ty {
        self.variables.shallow(ty)
    }

    fn ty(&mut self, ty: &TypeRef) -> Ty {
        let variables = &mut self.variables;
        self.context.resolve_type(ty, self.environment, &mut |_| variables.fresh(), 16)
    }

    fn local(&self, local: LocalId) -> Ty {
        self.typing.locals[local.index()].clone()
    }

    /// The value flows to where this type is wanted.
    fn coerce(&mut self, from: &Ty, to: &Ty) {
        let (from, to) = (self.resolved(from), self.resolved(to));
        match (&from, &to) {
            (Ty::Never, _) => {}
            (Ty::Reference(_, from), Ty::Reference(Mutability::Shared, to))
            | (Ty::Reference(Mutability::Mutable, from), Ty::Reference(Mutability::Mutable, to)) => {
                self.coerce_referred(from, to);
            }
            (Ty::Reference(Mutability::Mutable, from), Ty::Adt(..)) => {
                match self.context.unfollowed(&to).map(|pointed| self.resolved(pointed)) {
                    Some(pointed) => match (self.resolved(from), &pointed) {
                        (Ty::Array(element, _), Ty::Slice(wanted)) => self.variables.unify(&element, wanted),
                        (from, pointed) => self.variables.unify(&from, pointed),
                    },
                    None => self.variables.unify(&Ty::Reference(Mutability::Mutable, from.clone()), &to),
                }
            }
            _ => self.variables.unify(&from, &to),
        }
    }

    /// Whether two types are of one definition, or nobody knows yet.
    fn is_same_kind(&self, one: &Ty, other: &Ty) -> bool {
        match (one, other) {
            (_, Ty::Variable(_) | Ty::Opaque | Ty::Parameter(_)) => true,
            (Ty::Adt(a, _), Ty::Adt(b, _)) => a == b,
            _ => false,
        }
    }

    fn coerce_referred(&mut self, from: &Ty, to: &Ty) {
        let (from, to) = (self.resolved(from), self.resolved(to));
        match (&from, &to) {
            (Ty::Array(element, _), Ty::Slice(wanted)) => self.variables.unify(element, wanted),
            // `&Vec<T>` where `&[T]` is wanted, `&Box<T>` where `&T` is.
            (Ty::Adt(..), wanted) if !self.is_same_kind(&from, wanted) => {
                match self.context.dereferenced(&from) {
                    Some(inner) => {
                        let to = to.clone();
                        self.coerce_referred(&inner, &to);
                    }
                    None => self.variables.unify(&from, &to),
                }
            }
            // Dereferencing on the way: `&&T` where `&T` is wanted.
            (Ty::Reference(_, inner), to) if !matches!(to, Ty::Reference(..) | Ty::Variable(_)) => {
                let (inner, to) = ((**inner).clone(), to.clone());
                self.coerce_referred(&inner, &to);
            }
            _ => self.variables.unify(&from, &to),
        }
    }
}
