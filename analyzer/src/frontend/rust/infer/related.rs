//! Types that bounds relate to each other: what is drawn from an iterator to what is made of it, and the arguments of a
//! trait to the type that has it. rustc learns from them which type a literal is of.

use super::super::context::Environment;
use super::super::hir::{FnId, Mutability, Path, TraitId};
use super::super::items::{Bound, Owner, Predicate};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::Infer;
use super::only::NESTED;
use super::settle::Asking;

/// Traits whose `Item` is what a value of the type gives.
pub(super) const DRAWN: &[&str] = &["Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"];
/// Traits that numbers have for many other numbers: nothing is learned from one.
const CONVERSIONS: &[&str] = &["From", "Into", "TryFrom", "TryInto"];

impl Infer<'_, '_> {
    /// `I: Iterator<Item = T>`.
    pub(super) fn by_items(&mut self, predicate: &Predicate, environment: &Environment) {
        let Bound::Trait(path, items) = &predicate.bound else { return };
        let Some((_, wanted)) = items.iter().find(|(name, _)| name == "Item") else { return };
        let subject = self.context.type_of(&predicate.subject, environment);
        if is_one_of(path, DRAWN)
            && let Some(item) = self.item_of(&subject)
        {
            self.variables.unify(&item, &self.context.type_of(wanted, environment));
        }
    }

    /// What going through a value gives.
    pub(super) fn item_of(&mut self, ty: &Ty) -> Option<Ty> {
        let ty = self.variables.known(ty);
        let lent = match &ty {
            Ty::Reference(Mutability::Mutable, inner) => inner,
            ty => ty,
        };
        let through = self.through_collection(&ty);
        match self.next_of(through.as_ref().unwrap_or(lent)) {
            Some((_, item)) => Some(item),
            None => Some(self.iterated(&ty)).filter(|item| *item != Ty::Opaque),
        }
    }

    /// All types that a bound speaks of, what it is asked of first.
    pub(super) fn types_of(&self, predicate: &Predicate, environment: &Environment) -> Vec<Ty> {
        let mut found = vec![&predicate.subject];
        match &predicate.bound {
            Bound::Callable(inputs, output) => found.extend(inputs.iter().chain([output])),
            Bound::Trait(path, items) => {
                found.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
                found.extend(items.iter().map(|(_, ty)| ty));
            }
        }
        let types = found.into_iter().map(|ty| self.context.type_of(ty, environment));
        types.map(|ty| self.variables.known(&ty)).collect()
    }

    /// Whether nothing can be learned from a bound any more.
    pub(super) fn is_understood(
        &mut self,
        asking: Asking,
        predicate: &Predicate,
        environment: &Environment,
    ) -> bool {
        let types = self.types_of(predicate, environment);
        let Bound::Trait(path, items) = &predicate.bound else {
            // Of functions that was asked while their arguments were looked at.
            return matches!(asking, Asking::Function(_));
        };
        if is_one_of(path, DRAWN) && items.iter().all(|(name, _)| name == "Item") {
            return items.is_empty() || self.item_of(&types[0]).is_some();
        }
        if let Some((seen, arguments)) = self.asked_trait(predicate, environment)
            && !arguments.is_empty()
            && self.by_only_impl(&types[0], seen, &arguments, NESTED)
        {
            return true;
        }
        self.is_plainly_understood(predicate, &types)
    }

    /// The same, where no impl says more about the types than they do themselves.
    pub(super) fn is_plainly_understood(&self, predicate: &Predicate, types: &[Ty]) -> bool {
        let Bound::Trait(path, _) = &predicate.bound else { return false };
        match (self.context.trait_named(path), types) {
            (TraitName::Seen(seen), [only]) => !self.variables.is_number(only) || self.has_numbers(seen),
            (TraitName::Standard(_) | TraitName::Unknown, [_]) => true,
            (TraitName::Standard(_), [_, rest @ ..]) if is_one_of(path, CONVERSIONS) => {
                rest.iter().all(|ty| matches!(ty, Ty::Integer(_) | Ty::Float(_)))
            }
            (_, [first, rest @ ..]) => rest.iter().all(|ty| ty == first),
            (_, []) => true,
        }
    }

    /// Whether more than one type of numbers has a trait, each by an impl of its own.
    fn has_numbers(&self, seen: TraitId) -> bool {
        let of_trait = |id| self.context.trait_of(id) == Some(&TraitName::Seen(seen));
        let targets = self.context.impls.iter().filter(|(id, _)| of_trait(*id));
        let is_number = |ty: &&Ty| matches!(ty, Ty::Integer(_) | Ty::Float(_));
        let mut numbers = targets.map(|(_, target)| target).filter(is_number);
        let first = numbers.next();
        first.is_some_and(|first| numbers.any(|other| other != first))
    }

    /// Functions of our own text of std that make something of what they draw, or put it together with what others
    /// draw. Whether it is understood what types that relates.
    pub(super) fn by_what_is_drawn(&mut self, function: FnId, generics: &[Ty]) -> bool {
        let found = self.context.items.function(function);
        let of_iterators = matches!(found.owner, Owner::Trait(of) if Some(of) == self.iterator_trait());
        let in_std = self.context.items.is_std_module(found.module);
        match (found.name.as_str(), generics) {
            _ if !in_std => true,
            ("from", [.., from]) if found.generics.iter().any(|generic| generic.name == "Iterated") => {
                let into = self.signature(function, generics).1;
                self.item_of(from).is_some_and(|item| self.holds(&into, &item))
            }
            ("from_iter", [.., from]) => {
                let into = self.signature(function, generics).1;
                self.item_of(from).is_some_and(|item| self.holds(&into, &item))
            }
            ("extend", [.., from]) => self.extends(function, generics, from),
            _ if !of_iterators => true,
            ("collect" | "partition", [from, into, ..]) => {
                self.item_of(from).is_some_and(|item| self.holds(into, &item))
            }
            ("sum" | "product", [from, into]) => {
                self.item_of(from).is_some_and(|item| self.totals(into, &item))
            }
            ("chain" | "eq" | "ne", [one, other]) => match (self.item_of(one), self.item_of(other)) {
                (Some(one), Some(other)) => {
                    self.variables.unify(&one, &other);
                    true
                }
                _ => false,
            },
            _ => true,
        }
    }

    /// Lists take their elements, and copy borrowed ones.
    fn extends(&mut self, function: FnId, generics: &[Ty], from: &Ty) -> bool {
        let whole = self.signature(function, generics).0.swap_remove(0);
        let whole = self.variables.known(whole.behind());
        let Some(item) = self.item_of(from).map(|item| self.variables.known(&item)) else { return false };
        let held = match &whole {
            Ty::Adt(_, parts) => parts.first(),
            _ => None,
        };
        match (held, &item) {
            (Some(Ty::Reference(..)), _) => self.holds(&whole, &item),
            (Some(open @ Ty::Variable(_)), Ty::Reference(..)) if !self.variables.is_number(open) => false,
            _ => self.holds(&whole, item.behind()),
        }
    }

    /// What is collected of such items.
    fn holds(&mut self, whole: &Ty, item: &Ty) -> bool {
        let items = self.context.items;
        let (Ty::Adt(id, parts), item) = (self.resolved(whole), self.resolved(item)) else { return false };
        match (items.adt(id).name.as_str(), parts.as_slice(), &item) {
            _ if !items.is_std_module(items.adt(id).module) => {
                self.by_only_standard("iter::FromIterator", whole, &item)
            }
            ("Vec" | "VecDeque" | "BTreeSet" | "HashSet" | "BinaryHeap", [held, ..], _) => {
                self.variables.unify(held, &item);
                true
            }
            ("BTreeMap" | "HashMap", [key, value, ..], Ty::Tuple(pair)) if pair.len() == 2 => {
                self.variables.unify(key, &pair[0]);
                self.variables.unify(value, &pair[1]);
                true
            }
            ("Option", [held], Ty::Adt(given, inner)) if *given == id => self.holds(held, &inner[0]),
            ("Result", [held, error], Ty::Adt(given, inner)) if *given == id => {
                self.variables.unify(error, &inner[1]);
                self.holds(held, &inner[0])
            }
            ("String", [], _) => true,
            _ => false,
        }
    }

    /// The sum of such items: of numbers, also of borrowed ones, their own type.
    fn totals(&mut self, total: &Ty, item: &Ty) -> bool {
        let (total, item) = (self.resolved(total), self.resolved(item));
        match (&total, &item) {
            (Ty::Adt(one, totals), Ty::Adt(other, items)) => {
                let items_of = self.context.items;
                let wraps = items_of.is_standard(*one, "Option") || items_of.is_standard(*one, "Result");
                one == other && wraps && self.totals(&totals[0], &items[0])
            }
            _ if matches!(total, Ty::Integer(_) | Ty::Float(_)) || self.variables.is_number(&total) => {
                self.variables.unify(&total, item.behind());
                true
            }
            _ => false,
        }
    }
}

pub(super) fn is_one_of(path: &Path, names: &[&str]) -> bool {
    path.segments.last().is_some_and(|last| names.contains(&last.name.as_str()))
}
