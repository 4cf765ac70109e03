//! What references and boxes have themselves by traits of std, which goes before what is behind them.

use super::super::hir::{ExprId, ImplId, Mutability};
use super::super::std_table::Meaning;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::standing::Standing;
use super::{Callee, Infer};

/// What takes a borrow.
const BORROWING: &[&str] = &[
    "clone_from",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "cmp",
    "partial_cmp",
    "to_owned",
    "to_string",
    "borrow",
    "as_ref",
    "hash",
    "fmt",
    "type_id",
];
/// What takes the value.
const TAKING: &[&str] = &["max", "min", "clamp"];

impl Infer<'_, '_> {
    /// A method that a reference has: it is not the one that the type behind it has.
    pub(super) fn of_reference(
        &mut self,
        (id, step): (ExprId, &Ty),
        standing: Standing,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<Ty> {
        let Ty::Reference(mutability, inner) = step else { return None };
        let inner = self.resolved(inner);
        // A reference to it is there or made: for a type parameter, the bound says so.
        let lent = matches!(inner, Ty::Reference(..));
        let (parameter, doubtful) = self.is_argument(step, standing);
        if matches!(name, "clone" | "to_owned") && arguments.is_empty() {
            let cloned = match &inner {
                Ty::Reference(Mutability::Shared, _) if *mutability == Mutability::Shared => Some(&inner),
                _ if name == "clone" && parameter && *mutability == Mutability::Shared => Some(step),
                _ => None,
            };
            if let Some(ty) = cloned {
                self.typing.callees.insert(id, Callee::Standard(Meaning::Identity, ty.clone()));
                return Some(ty.clone());
            }
        }
        let behind = self.context.behind(&inner);
        let other = match name {
            "clone" => {
                (doubtful || matches!(inner, Ty::Reference(Mutability::Shared, _)))
                    && self.has_own(&behind, name)
            }
            name if TAKING.contains(&name) => {
                self.may_be_ordered(&behind) && self.says(&behind, name, |_| true)
            }
            name => {
                (lent || parameter || doubtful) && BORROWING.contains(&name) && self.has_other(&behind, name)
            }
        };
        other.then(|| self.call_unknown(id, "a method that another one may hide", arguments))
    }

    /// A method that a box has itself where what is in it has another one of the same name.
    pub(super) fn is_of_box(&self, step: &Ty, name: &str) -> bool {
        let Some(inner) = self.context.dereferenced(step).filter(|_| matches!(step, Ty::Adt(..))) else {
            return false;
        };
        let behind = self.context.behind(&self.variables.known(&inner));
        let items = self.context.items;
        let is_list = matches!(step, Ty::Adt(id, _) if ["String", "Vec"].iter().any(|name| items.is_standard(*id, name)));
        match name {
            "to_owned" if !is_list => true,
            // What an array has its slice has otherwise.
            "as_ref" | "as_mut" | "borrow" | "borrow_mut"
                if !is_list && !matches!(self.resolved(&inner), Ty::Slice(_) | Ty::Str) =>
            {
                true
            }
            "clone" => self.has_own(&behind, name),
            name if TAKING.contains(&name) => {
                self.may_be_ordered(&behind) && self.says(&behind, name, |_| true)
            }
            name => BORROWING.contains(&name) && self.has_other(&behind, name),
        }
    }

    /// Whether a type is the one of the parameter that a value is of, and whether it may be that of one.
    fn is_argument(&self, ty: &Ty, standing: Standing) -> (bool, bool) {
        let known = self.variables.known(ty);
        let is_known = |argument: &Ty| self.variables.known(argument) == known;
        match standing {
            Standing::Itself => (false, false),
            Standing::Parameter(number) => (is_known(&self.environment.names[number].1), false),
            Standing::Either => (false, self.arguments().any(is_known)),
        }
    }

    /// Whether a type has a method of a name that is not of a trait of std.
    fn has_other(&self, ty: &Ty, name: &str) -> bool {
        let items = self.context.items;
        self.says(ty, name, |id| match self.context.trait_of(id) {
            Some(TraitName::Standard(_)) => false,
            Some(TraitName::Seen(id)) => !items.is_std_trait(*id),
            _ => true,
        })
    }

    /// Whether code that is not our own text of std says what a type does by a name, in an impl that counts.
    fn says(&self, ty: &Ty, name: &str, counts: impl Fn(ImplId) -> bool) -> bool {
        let items = self.context.items;
        self.context.impls_with(name).iter().any(|(id, function)| {
            let in_std = items.is_std_module(items.function(*function).module);
            let target = &self.context.impls[id.index()].1;
            !in_std && counts(*id) && self.matched(*id, target, ty).is_some()
        })
    }
}
