//! Calls that traits decide: `Trait::method(x)`, one of several impls, operators on types of the file.

use super::super::hir::{ExprId, FnId, ImplId, Operator, TraitId, TypeRef};
use super::super::std_table::Meaning;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::{Callee, Expected, Infer};
use kleene_domains::expr::CompareOp;

impl Infer<'_, '_> {
    /// `Trait::name(x, …)`.
    pub(super) fn call_of_trait(
        &mut self,
        id: ExprId,
        seen: TraitId,
        name: &str,
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let items = self.context.items;
        let declared = items.traits[seen.index()].functions.get(name).copied();
        let takes_self = declared.is_some_and(|function| items.function(function).takes_self);
        if let (Some(declared), false) = (declared, takes_self) {
            return self.call_of_any(id, (seen, declared), arguments, expected);
        }
        let (Some(declared), Some(first)) = (declared, arguments.first()) else {
            return self.call_unknown(id, "a function of a trait", arguments);
        };
        let ty = self.expr(*first, &Expected::Nothing);
        let ty = self.variables.known(&ty);
        let own = match (items.function(declared).parameters.first(), &ty) {
            (Some(TypeRef::Reference(..)), Ty::Reference(_, inner)) => (**inner).clone(),
            _ => ty,
        };
        match self.implemented_as(seen, name, &own, expected) {
            Some((function, outer)) => {
                let generics = self.generic_arguments(function, &outer, None);
                self.call_function(id, function, generics, arguments, expected)
            }
            None => self.call_unknown(id, "a function of a trait", arguments),
        }
    }

    /// `Trait::name(x, …)` without a receiver: of which type it is, the rest of the body says.
    fn call_of_any(
        &mut self,
        id: ExprId,
        (seen, declared): (TraitId, FnId),
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        if self.context.items.traits[seen.index()].generics.len() != 1 {
            return self.call_unknown(id, "a function of a trait", arguments);
        }
        let own = self.variables.fresh();
        let generics = self.generic_arguments(declared, &[own], None);
        let ty = self.call_function(id, declared, generics, arguments, expected);
        self.of_any.push((id, seen));
        ty
    }

    /// Which functions such calls mean, now that it is known of which types they are.
    pub(super) fn settle_of_any(&mut self) {
        for (id, seen) in std::mem::take(&mut self.of_any) {
            let Some(Callee::Function(declared, generics)) = self.typing.callees.get(&id).cloned() else {
                continue;
            };
            let own = self.variables.known(&generics[0]);
            let name = self.context.items.function(declared).name.clone();
            let callee = match self.implemented(seen, &name, &own) {
                Some((function, mut outer)) => {
                    outer.extend(generics.into_iter().skip(1));
                    Callee::Function(function, outer)
                }
                None => Callee::Unknown("a function of a trait"),
            };
            self.typing.callees.insert(id, callee);
        }
    }

    /// The function that stands for one of a trait's on a type, with the types of what is around it.
    pub(super) fn implemented(&mut self, seen: TraitId, name: &str, own: &Ty) -> Option<(FnId, Vec<Ty>)> {
        match self.implementations(seen, name, own)?.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The same, where several impls differ in what they give: a number is never turned into another one.
    fn implemented_as(
        &mut self,
        seen: TraitId,
        name: &str,
        own: &Ty,
        expected: &Expected,
    ) -> Option<(FnId, Vec<Ty>)> {
        let mut found = self.implementations(seen, name, own)?;
        let wanted = expected.known().map(|ty| self.variables.known(ty));
        if let (2.., Some(wanted @ Ty::Integer(_))) = (found.len(), wanted) {
            let mut fitting = Vec::new();
            for (function, outer) in found {
                let generics = self.generic_arguments(function, &outer, None);
                let (_, result) = self.signature(function, &generics);
                match self.variables.known(&result) {
                    Ty::Integer(_) | Ty::Adt(..) | Ty::Bool | Ty::Tuple(_) if result != wanted => {}
                    _ => fitting.push((function, outer)),
                }
            }
            found = fitting;
        }
        match found.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    fn implementations(&mut self, seen: TraitId, name: &str, own: &Ty) -> Option<Vec<(FnId, Vec<Ty>)>> {
        if matches!(own, Ty::Opaque | Ty::Variable(_)) {
            return None;
        }
        let mut found = Vec::new();
        let context = self.context;
        for (id, target) in context.impls_of(&TraitName::Seen(seen)) {
            let Some(bound) = self.matched(*id, target, own) else { continue };
            let items = self.context.items;
            let declared = items.impls[id.index()].functions.get(name);
            let function = *declared.or_else(|| items.traits[seen.index()].functions.get(name))?;
            if self.says_otherwise(*id, function) {
                return None;
            }
            let arguments = match declared {
                Some(_) => self.impl_arguments(*id, &bound),
                None => self.context.trait_arguments(*id, own, &bound),
            };
            found.push((function, arguments));
        }
        Some(found)
    }

    /// Whether an impl of `Iterator` says more than what comes next (`nth`, `fold`, …), and a function is one of std or
    /// called by one: it may ask for any of that, and our own text does not say when.
    pub(super) fn says_otherwise(&self, id: ImplId, function: FnId) -> bool {
        let items = self.context.items;
        let Some(TraitName::Seen(of)) = self.context.trait_of(id) else { return false };
        let of_iterators =
            matches!(items.traits[of.index()].name.as_str(), "Iterator" | "DoubleEndedIterator");
        let owner = &items.impls[id.index()];
        if !of_iterators || !items.is_std_trait(*of) || items.is_std_module(owner.module) {
            return false;
        }
        let asked = items.is_std_module(items.function(function).module)
            || items.std_root.is_some_and(|root| items.module(root).krate == self.krate());
        let more = |name: &String| !matches!(name.as_str(), "next" | "next_back" | "size_hint");
        asked && owner.functions.keys().any(more)
    }

    /// Several impls have the function: the one whose parameters are of the types of the arguments, or else one of the
    /// standard library.
    pub(super) fn call_one_of(
        &mut self,
        id: ExprId,
        candidates: &[(FnId, Vec<Ty>)],
        otherwise: Option<(Ty, String)>,
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let mut fitting = Vec::new();
        for (function, generics) in candidates {
            let generics = self.taking(*function, generics, arguments, 0);
            fitting.extend(generics.map(|generics| (*function, generics)));
        }
        let types: Vec<Ty> = arguments.iter().map(|id| self.expr(*id, &Expected::Nothing)).collect();
        let types: Vec<Ty> = types.iter().map(|ty| self.variables.known(ty)).collect();
        if fitting.is_empty() && self.takes_numbers(candidates, otherwise.as_ref(), &types) {
            fitting = candidates.to_vec();
        }
        // The only way to make such a type of such a value.
        if let (true, Some((own @ Ty::Adt(adt, _), name)), [from]) =
            (fitting.is_empty(), &otherwise, types.as_slice())
            && name == "from"
            && let Some(made) = self.by_only_target(from, *adt, own)
        {
            fitting.push(made);
        }
        match (fitting.as_slice(), otherwise) {
            ([(function, generics)], _) => {
                self.call_function(id, *function, generics.clone(), arguments, expected)
            }
            ([], Some((ty, name))) if !types.iter().any(is_open) => {
                if name == "from" && types == [ty.clone()] {
                    self.typing.callees.insert(id, Callee::Standard(Meaning::Identity, ty.clone()));
                    return ty;
                }
                self.call_associated(id, &ty, &name, arguments)
            }
            _ => self.call_unknown(id, "one of several functions", arguments),
        }
    }

    /// Whether the only impl there can be takes numbers where numbers stand whose type nobody has said: then it says it.
    fn takes_numbers(
        &mut self,
        candidates: &[(FnId, Vec<Ty>)],
        otherwise: Option<&(Ty, String)>,
        types: &[Ty],
    ) -> bool {
        let items = self.context.items;
        let own = match otherwise {
            Some((Ty::Adt(id, _), _)) => !items.is_std_module(items.adt(*id).module),
            Some(_) => false,
            None => true,
        };
        let [(function, generics)] = candidates else { return false };
        let foreign = match otherwise {
            Some((Ty::Adt(id, _), _)) => items.is_foreign_module(items.adt(*id).module),
            _ => false,
        };
        if !own || foreign || self.context.hides_impls() {
            return false;
        }
        let (parameters, _) = self.signature(*function, generics);
        let fits = |(parameter, ty): (&Ty, &Ty)| {
            let parameter = self.variables.known(parameter);
            parameter == *ty && !is_open(ty)
                || matches!(parameter, Ty::Integer(_)) && self.variables.is_integer_variable(ty)
        };
        parameters.len() == types.len() && parameters.iter().zip(types).all(fits)
    }

    /// The type of an operator's value where an impl of the file says what it does.
    pub(super) fn overloaded(&mut self, id: ExprId, name: &str, operands: &[Ty]) -> Option<Ty> {
        let (path, method) = OPERATORS.iter().find(|(_, method)| *method == name)?;
        let operands: Vec<Ty> = operands.iter().map(|ty| self.variables.known(ty)).collect();
        let own = operands.first()?;
        if !matches!(own.behind(), Ty::Adt(..)) {
            return None;
        }
        let wanted = TraitName::Standard((*path).into());
        let mut found = Vec::new();
        let context = self.context;
        for (impl_id, target) in context.impls_of(&wanted) {
            let Some(bound) = self.matched(*impl_id, target, own) else { continue };
            let owner = &self.context.items.impls[impl_id.index()];
            let Some(function) = owner.functions.get(*method).copied() else { continue };
            // What `!=` says itself is not what `==` says.
            if owner.functions.contains_key("ne") {
                continue;
            }
            let generics = self.impl_arguments(*impl_id, &bound);
            let (parameters, result) = self.signature(function, &generics);
            if parameters.len() == operands.len() {
                found.push((function, generics, parameters, result));
            }
        }
        let other = operands.get(1);
        // There is one impl for two types. For types that are not known yet there may be more than are seen.
        let derives = matches!(own.behind(), Ty::Adt(id, _) if self.context.items.adt(*id).derives.contains("PartialEq"));
        let is_open = other.is_some_and(is_open);
        // Crates that are not read may have more for the types of others, which those do not see.
        let items = self.context.items;
        let foreign = matches!(own.behind(), Ty::Adt(id, _) if items.is_foreign_module(items.adt(*id).module)
            && items.module(items.adt(*id).module).krate != self.krate());
        let compared = *method == "eq" && derives;
        let only = is_open && !foreign && !self.context.hides_impls() && !compared;
        if let ([(_, _, parameters, _)], Some(other), true) = (found.as_slice(), other, only) {
            // The only one there is: the other operand is what it takes.
            let parameter = match (*method, &parameters[1]) {
                ("eq", Ty::Reference(_, inner)) => (**inner).clone(),
                (_, parameter) => parameter.clone(),
            };
            self.variables.unify(&parameter, other);
        } else if let Some(other) = other {
            found.retain(|(_, _, parameters, _)| fits(method, &parameters[1], other));
        }
        match found.as_slice() {
            [(function, generics, _, result)] => {
                self.typing.callees.insert(id, Callee::Function(*function, generics.clone()));
                Some(result.clone())
            }
            _ => None,
        }
    }
}

pub(super) fn is_open(ty: &Ty) -> bool {
    ty.any(&mut |ty| matches!(ty, Ty::Variable(_) | Ty::Opaque))
}

/// Whether an operand is one that an operator's function takes; comparisons borrow theirs.
fn fits(method: &str, parameter: &Ty, operand: &Ty) -> bool {
    let borrowed = method == "eq" && matches!(parameter, Ty::Reference(_, inner) if **inner == *operand);
    !is_open(operand) && (parameter == operand || borrowed)
}

const OPERATORS: &[(&str, &str)] = &[
    ("ops::Add", "add"),
    ("ops::Sub", "sub"),
    ("ops::Mul", "mul"),
    ("ops::Div", "div"),
    ("ops::Rem", "rem"),
    ("ops::BitAnd", "bitand"),
    ("ops::BitOr", "bitor"),
    ("ops::BitXor", "bitxor"),
    ("ops::Shl", "shl"),
    ("ops::Shr", "shr"),
    ("ops::Neg", "neg"),
    ("ops::Not", "not"),
    ("cmp::PartialEq", "eq"),
    ("ops::AddAssign", "add_assign"),
    ("ops::SubAssign", "sub_assign"),
    ("ops::MulAssign", "mul_assign"),
    ("ops::DivAssign", "div_assign"),
    ("ops::RemAssign", "rem_assign"),
    ("ops::BitAndAssign", "bitand_assign"),
    ("ops::BitOrAssign", "bitor_assign"),
    ("ops::BitXorAssign", "bitxor_assign"),
    ("ops::ShlAssign", "shl_assign"),
    ("ops::ShrAssign", "shr_assign"),
];

/// The method that an operator stands for.
pub(super) fn method_of(operator: Operator) -> Option<&'static str> {
    Some(match operator {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mul => "mul",
        Operator::Div => "div",
        Operator::Rem => "rem",
        Operator::And => "bitand",
        Operator::Or => "bitor",
        Operator::Xor => "bitxor",
        Operator::ShiftLeft => "shl",
        Operator::ShiftRight => "shr",
        Operator::Compare(CompareOp::Equal | CompareOp::NotEqual) => "eq",
        Operator::Compare(_) => return None,
    })
}
