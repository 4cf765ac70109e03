//! Calls of std whose types depend on more than a signature says: conversions, derived orders, functions of traits by
//! their paths, sizes.

use super::super::hir::{ExprId, ExprKind, FnId, ModuleId, Mutability, Path, TypeRef};
use super::super::items::{Bound, Definition};
use super::super::scope::Scope;
use super::super::std_table::{Meaning, SliceOp};
use super::super::traits::TraitName;
use super::super::types::{Length, Ty};
use super::method::Passing;
use super::path::{Item, Through};
use super::standing::Standing;
use super::{Callee, Expected, Infer};
use kleene_domains::expr::CompareOp;

/// Traits of std whose functions are called by their paths, as far as methods of the same name do the same.
const TRAITS: [&str; 17] = [
    "cmp::Ord",
    "cmp::PartialOrd",
    "cmp::PartialEq",
    "clone::Clone",
    "string::ToString",
    "convert::Into",
    "convert::TryInto",
    "fmt::Display",
    "fmt::Debug",
    "fmt::LowerHex",
    "fmt::UpperHex",
    "fmt::Octal",
    "fmt::Binary",
    "fmt::LowerExp",
    "fmt::UpperExp",
    "fmt::Pointer",
    "fmt::Write",
];

impl Infer<'_, '_> {
    /// Methods whose types the receiver alone does not say.
    pub(super) fn described(
        &mut self,
        (id, place): (ExprId, ExprId),
        receiver: &Ty,
        name: &str,
        arguments: &[ExprId],
        scope: &Scope,
    ) -> Option<Ty> {
        self.attempted((id, place), receiver, name, arguments, scope)
            .or_else(|| self.lends_elements((id, place), receiver, name, arguments))
            .or_else(|| self.borrowed((id, place), receiver, name, (arguments, scope)))
    }

    /// `x.try_into()` of numbers and slices: into what, the rest of the body says.
    fn attempted(
        &mut self,
        (id, place): (ExprId, ExprId),
        receiver: &Ty,
        name: &str,
        arguments: &[ExprId],
        scope: &Scope,
    ) -> Option<Ty> {
        let number = matches!(receiver, Ty::Integer(_));
        let wanted = name == "try_into" && arguments.is_empty();
        if !wanted || !number && !matches!(self.indexed(receiver), Ty::Slice(_)) {
            return None;
        }
        let itself = self.standing(place, receiver) == Standing::Itself || !self.may_bounds_have(name);
        if !itself || !self.candidates(receiver, Passing::Value, (Standing::Itself, scope), name).is_empty() {
            return None;
        }
        let to = self.variables.fresh();
        self.typing.callees.insert(id, Callee::Standard(Meaning::TryFrom, to.clone()));
        let error = if number { Ty::Opaque } else { self.slice_error() };
        Some(self.context.result_of(to, error))
    }

    /// Elements of arrays that slices become are those of the slices.
    pub(super) fn attempted_arrays(&mut self) {
        let mut found: Vec<(ExprId, Ty, Ty)> = Vec::new();
        for (id, callee) in &self.typing.callees {
            let (Callee::Standard(Meaning::TryFrom, to), ExprKind::Method { receiver, .. }) =
                (callee, &self.body.expr(*id).kind)
            else {
                continue;
            };
            let to = match self.variables.known(to) {
                Ty::Adt(id, held) if self.context.items.is_standard(id, "Box") => held.first().cloned(),
                to => Some(to),
            };
            let from = self.variables.known(&self.typing.exprs[receiver.index()]);
            if let (Some(Ty::Array(wanted, _)), Some(held)) = (to, self.elements(&from)) {
                found.push((*id, held, *wanted));
            }
        }
        found.sort_unstable_by_key(|(id, ..)| id.index());
        found.iter().for_each(|(_, held, wanted)| self.variables.unify(held, wanted));
    }

    /// Why a slice is no array.
    pub(super) fn slice_error(&self) -> Ty {
        let wanted = TraitName::Standard("convert::TryFrom".into());
        let hidden = self.context.hides_impls() || self.context.impls_of(&wanted).next().is_some();
        match hidden {
            true => Ty::Opaque,
            false => self.context.standard_adt("array::TryFromSliceError", Vec::new()),
        }
    }

    /// Methods of orders and equalities that are derived or the language's own.
    pub(super) fn derived_method(
        &mut self,
        id: ExprId,
        receiver: &Ty,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<Ty> {
        let [other] = arguments else { return None };
        let (needed, meaning) = match name {
            "cmp" => ("Ord", Meaning::Compare),
            "max" => ("Ord", Meaning::Max),
            "min" => ("Ord", Meaning::Min),
            "partial_cmp" => ("PartialOrd", Meaning::PartialCompare),
            "lt" => ("PartialOrd", Meaning::Relation(CompareOp::Less)),
            "le" => ("PartialOrd", Meaning::Relation(CompareOp::LessEqual)),
            "gt" => ("PartialOrd", Meaning::Relation(CompareOp::Greater)),
            "ge" => ("PartialOrd", Meaning::Relation(CompareOp::GreaterEqual)),
            "eq" => ("PartialEq", Meaning::Relation(CompareOp::Equal)),
            "ne" => ("PartialEq", Meaning::Relation(CompareOp::NotEqual)),
            _ => return None,
        };
        let ty = self.variables.known(receiver);
        if matches!(ty, Ty::Float(_)) || !self.has_derived(&ty, needed) {
            return None;
        }
        let by_value = matches!(meaning, Meaning::Max | Meaning::Min);
        // One of the same name may come first: that of the type itself, and what takes it where this borrows.
        if matches!(ty, Ty::Adt(..)) && self.has_own(&ty, name) {
            let passing = if by_value { Passing::Value } else { Passing::Reference(Mutability::Shared) };
            return match self.goes_first(&ty, name, passing) {
                true => None,
                false => Some(self.call_unknown(id, "a method that another one may hide", arguments)),
            };
        }
        let wanted =
            if by_value { ty.clone() } else { Ty::Reference(Mutability::Shared, Box::new(ty.clone())) };
        self.check(*other, &wanted);
        self.typing.callees.insert(id, Callee::Standard(meaning, ty.clone()));
        Some(match meaning {
            Meaning::Compare => self.context.ordering(),
            Meaning::PartialCompare => self.context.option_of(self.context.ordering()),
            Meaning::Relation(_) => Ty::Bool,
            _ => ty,
        })
    }

    pub(super) fn has_own(&self, ty: &Ty, name: &str) -> bool {
        self.context.impls.iter().any(|(id, target)| {
            let declares = self.context.items.impls[id.index()].functions.contains_key(name);
            declares && self.matched(*id, target, ty).is_some()
        })
    }

    /// Whether a type has a method itself that is found before a derived one, which takes the value this way.
    pub(super) fn goes_first(&self, ty: &Ty, name: &str, passing: Passing) -> bool {
        let items = self.context.items;
        self.context.impls_with(name).iter().any(|(id, function)| {
            let before = match items.function(*function).parameters.first() {
                Some(TypeRef::Reference(Mutability::Shared, _)) => passing != Passing::Value,
                Some(TypeRef::Reference(Mutability::Mutable, _)) => false,
                _ => true,
            };
            let itself = items.impls[id.index()].of_trait.is_none();
            itself && before && self.matched(*id, &self.context.impls[id.index()].1, ty).is_some()
        })
    }

    /// Whether values of a type compare part by part.
    pub(super) fn has_derived(&self, ty: &Ty, needed: &str) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char => true,
            Ty::Float(_) => needed != "Ord",
            Ty::Variable(_) => self.variables.is_integer_variable(ty),
            Ty::Reference(_, inner) | Ty::Array(inner, Length::Known(_)) => self.has_derived(inner, needed),
            Ty::Tuple(parts) => parts.iter().all(|part| self.has_derived(part, needed)),
            Ty::Adt(id, arguments) => {
                self.context.items.adt(*id).derives.contains(needed)
                    && arguments.iter().all(|part| self.has_derived(part, needed))
            }
            _ => false,
        }
    }

    /// `Trait::name(x, …)` of a trait of std.
    pub(super) fn call_standard_trait(
        &mut self,
        id: ExprId,
        (module, path): (ModuleId, &str),
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Option<Ty> {
        let (owner, name) = path.rsplit_once("::")?;
        let [first, others @ ..] = arguments else { return None };
        if !TRAITS.contains(&owner) {
            return None;
        }
        let ty = self.expr(*first, &Expected::Nothing);
        let own = self.variables.known(&ty).behind().clone();
        if let Ty::Adt(adt, _) = &own
            && !self.context.items.is_std_module(self.context.items.adt(*adt).module)
        {
            let through = Through::Trait(TraitName::Standard(owner.into()));
            return match self.associated(&own, &through, name, &[]) {
                Item::Function(function, generics) => {
                    Some(self.call_function(id, function, generics, arguments, expected))
                }
                Item::Associated(..) => self.derived_method(id, &own, name, others),
                _ => None,
            };
        }
        match own {
            Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_) => None,
            _ => Some(self.method((id, module), *first, (name, &[]), others, expected)),
        }
    }

    /// `<Type as Trait>::name(x, …)` of a trait of std, where `x` is of that type.
    pub(super) fn by_trait_of_std(
        &mut self,
        id: ExprId,
        callee: ExprId,
        (own, name): (&Ty, &str),
        (arguments, expected): (&[ExprId], &Expected),
    ) -> Option<Ty> {
        let ExprKind::Path(path) = &self.body.expr(callee).kind else { return None };
        let of_trait = path.qself.as_ref()?.of_trait.as_ref()?;
        let TraitName::Standard(owner) = self.context.trait_named(of_trait) else { return None };
        let first = self.expr(*arguments.first()?, &Expected::Nothing);
        let Ty::Reference(_, referred) = self.variables.known(&first) else { return None };
        if *referred != self.variables.known(own) {
            return None;
        }
        self.call_standard_trait(id, (path.module, &format!("{owner}::{name}")), arguments, expected)
    }

    /// `size_of::<T>()`.
    pub(super) fn size_of(&mut self, id: ExprId, path: &Path) -> Option<Ty> {
        let [written] = path.segments.last()?.arguments.as_slice() else { return None };
        let ty = self.ty(written);
        self.typing.callees.insert(id, Callee::Standard(Meaning::SizeOf, ty));
        Some(self.context.usize())
    }

    /// `align_of::<T>()`.
    pub(super) fn align_of(&mut self, id: ExprId, path: &Path) -> Option<Ty> {
        let [written] = path.segments.last()?.arguments.as_slice() else { return None };
        let ty = self.ty(written);
        self.typing.callees.insert(id, Callee::Standard(Meaning::AlignOf, ty));
        Some(self.context.usize())
    }

    /// `about_bytes::<T>()` of our own text.
    pub(super) fn about_bytes(&mut self, id: ExprId, path: &Path) -> Option<Ty> {
        let [written] = path.segments.last()?.arguments.as_slice() else { return None };
        let ty = self.ty(written);
        self.typing.callees.insert(id, Callee::Standard(Meaning::AboutBytes, ty));
        Some(self.context.usize())
    }

    /// `needs_drop::<T>()`, where nothing happens at the end of a value.
    pub(super) fn needs_drop(&mut self, id: ExprId, function: FnId, generics: &[Ty]) -> Option<Ty> {
        let asked = self.context.items.standard("mem::needs_drop");
        let ([ty], true) = (generics, asked == Some(Definition::Function(function))) else { return None };
        let ty = self.variables.known(ty);
        if !self.context.ends_quietly(&ty) {
            return None;
        }
        self.typing.callees.insert(id, Callee::Number(0, Ty::Bool));
        Some(Ty::Bool)
    }

    /// `size_of_val(&local)`, where the type of the local has a size.
    pub(super) fn size_of_value(&mut self, id: ExprId, of: ExprId) -> Option<Ty> {
        let ExprKind::Reference(_, inner) = self.body.expr(of).kind else { return None };
        let ExprKind::Local(_) = self.body.expr(inner).kind else { return None };
        let ty = self.expr(of, &Expected::Nothing);
        let Ty::Reference(_, referred) = self.variables.known(&ty) else { return None };
        let bytes = self.context.size(&referred)?;
        let usize = self.context.usize();
        self.typing.callees.insert(id, Callee::Number(bytes, usize.clone()));
        Some(usize)
    }

    /// Looks at what a function of our own text draws from: whatever can be gone through is one of its iterators.
    pub(super) fn takes_iterated(&mut self, function: FnId, last: ExprId, parameters: &[Ty]) -> bool {
        let found = self.context.items.function(function);
        let asks = found.generics.iter().any(|generic| generic.name == "Iterated");
        let (true, Some(parameter)) = (asks, parameters.last()) else { return false };
        let ty = self.expr(last, &Expected::Nothing);
        let ty = self.promoted(last).unwrap_or(ty);
        let ty = self.variables.known(&ty);
        let ty = self.as_iterator(&ty, function).unwrap_or(ty);
        self.variables.unify(&ty, parameter);
        true
    }

    /// The iterator of our own text that has the same scalars as what it goes through.
    fn as_iterator(&self, ty: &Ty, function: FnId) -> Option<Ty> {
        let items = self.context.items;
        let adt = |path: &str, inner: Ty| self.context.standard_adt(path, vec![inner]);
        if let Some(through) = self.through_collection(ty) {
            // What is borrowed of a map is not what another one holds.
            let copies = items.function(function).name == "extend" && matches!(ty, Ty::Reference(..));
            let of_set = matches!(&through, Ty::Adt(_, held) if held.len() == 1);
            return match (copies, of_set) {
                (true, true) => Some(adt("iter::Copied", through)),
                (true, false) => None,
                (false, _) => Some(through),
            };
        }
        match ty {
            Ty::Reference(Mutability::Shared, inner) => {
                let element = match self.indexed(inner) {
                    Ty::Slice(element) | Ty::Array(element, _) => *element,
                    _ => return None,
                };
                let iter = adt("slice::Iter", element);
                // What takes values of the elements' type copies them.
                let copies = items.function(function).name == "extend";
                Some(if copies { adt("iter::Copied", iter) } else { iter })
            }
            Ty::Adt(id, arguments) if items.is_standard(*id, "Vec") || items.is_standard(*id, "VecDeque") => {
                Some(adt("vec::IntoIter", arguments.first()?.clone()))
            }
            Ty::Array(element, Length::Known(_)) => Some(adt("vec::IntoIter", (**element).clone())),
            Ty::Adt(id, arguments) if items.is_standard(*id, "Option") => {
                Some(adt("iter::Once", arguments.first()?.clone()))
            }
            _ => None,
        }
    }

    /// `range.start_bound()`. What a range without bounds is one of the bounds of the parameter say: `R: RangeBounds<usize>`.
    pub(super) fn range_bound(&mut self, id: ExprId, range: &Ty, name: &str) -> Option<Ty> {
        let range = self.variables.known(range);
        let Ty::Range(bound) = &range else { return None };
        let bound = match **bound {
            Ty::Opaque | Ty::Variable(_) => self.bound_asked_for(&range)?,
            _ => (**bound).clone(),
        };
        let meaning = if name == "start_bound" { Meaning::StartBound } else { Meaning::EndBound };
        let own = Ty::Range(Box::new(bound.clone()));
        self.typing.callees.insert(id, Callee::Standard(meaning, own));
        let lent = Ty::Reference(Mutability::Shared, Box::new(bound));
        Some(self.context.standard_adt("ops::Bound", vec![lent]))
    }

    /// What bounds here say that a range is one of.
    fn bound_asked_for(&self, range: &Ty) -> Option<Ty> {
        let asked = self.predicates().into_iter().filter_map(|predicate| {
            let Bound::Trait(path, _) = &predicate.bound else { return None };
            let subject = self.context.type_of(&predicate.subject, self.environment);
            let fits = self.is_of_std(&predicate.bound, "ops::RangeBounds") && subject == *range;
            let given = path.segments.last().filter(|_| fits)?.arguments.first()?;
            Some(self.context.type_of(given, self.environment))
        });
        let mut asked = asked.collect::<Vec<_>>().into_iter();
        asked.next().filter(|_| asked.next().is_none())
    }

    /// `(a..b).contains(&x)`.
    pub(super) fn range_contains(&mut self, id: ExprId, bound: &Ty, value: ExprId) -> Option<Ty> {
        self.check(value, &Ty::Reference(Mutability::Shared, Box::new(bound.clone())));
        self.typing.callees.insert(id, Callee::Standard(Meaning::Slice(SliceOp::Contains), bound.clone()));
        Some(Ty::Bool)
    }
}
