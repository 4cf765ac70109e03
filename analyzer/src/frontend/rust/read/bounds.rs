//! What generic parameters must have, as far as names of traits say it.

use super::super::hir::{Path, Segment, TypeRef};
use super::super::items::{Bound, Generic, Predicate};
use super::Reader;
use super::types::{mutability, name_of};

type Bounds = syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>;

impl<'s> Reader<'_, 's> {
    /// What a list of generic parameters and its `where` ask for.
    pub(super) fn predicates(&mut self, generics: &'s syn::Generics) -> Vec<Predicate> {
        let mut found = Vec::new();
        for parameter in &generics.params {
            if let syn::GenericParam::Type(ty) = parameter {
                let subject = self.named(name_of(&ty.ident));
                self.asked(&subject, &ty.bounds, &mut found);
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate {
                let subject = self.type_ref(&predicate.bounded_ty);
                self.asked(&subject, &predicate.bounds, &mut found);
            }
        }
        found
    }

    /// The type of a parameter that has no name: `impl Trait`, or a reference to one.
    pub(super) fn anonymous_type(
        &mut self,
        ty: &'s syn::Type,
        generics: &mut Vec<Generic>,
        predicates: &mut Vec<Predicate>,
    ) -> Option<TypeRef> {
        match ty {
            syn::Type::Paren(inner) => self.anonymous_type(&inner.elem, generics, predicates),
            syn::Type::Group(inner) => self.anonymous_type(&inner.elem, generics, predicates),
            syn::Type::ImplTrait(inner) => Some(self.anonymous_generic(&inner.bounds, generics, predicates)),
            syn::Type::Reference(reference) => {
                let inner = match &*reference.elem {
                    // What is behind it is of one type or another; nothing but its bounds is known of it.
                    syn::Type::TraitObject(object) if lends_parts(&object.bounds) => {
                        self.anonymous_generic(&object.bounds, generics, predicates)
                    }
                    elem => self.anonymous_type(elem, generics, predicates)?,
                };
                Some(TypeRef::Reference(mutability(reference.mutability.is_some()), Box::new(inner)))
            }
            _ => None,
        }
    }

    fn anonymous_generic(
        &mut self,
        bounds: &'s Bounds,
        generics: &mut Vec<Generic>,
        predicates: &mut Vec<Predicate>,
    ) -> TypeRef {
        let name = format!("impl {}", generics.len() + 1);
        generics.push(Generic::plain(name.clone(), None));
        let subject = self.named(name);
        self.asked(&subject, bounds, predicates);
        subject
    }

    pub(super) fn named(&self, name: String) -> TypeRef {
        let segments = vec![Segment { name, arguments: Vec::new() }];
        TypeRef::Path(Path { module: self.module, global: false, qself: None, segments })
    }

    pub(super) fn asked(&mut self, subject: &TypeRef, bounds: &'s Bounds, found: &mut Vec<Predicate>) {
        for bound in bounds {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            let relaxes = bound.maybe.is_some();
            let bound = match &last.arguments {
                syn::PathArguments::Parenthesized(inside) => {
                    let inputs = inside.inputs.iter().map(|input| self.type_ref(&input.ty)).collect();
                    let output = match &inside.output {
                        syn::ReturnType::Default => TypeRef::Tuple(Vec::new()),
                        syn::ReturnType::Type(_, ty) => self.type_ref(ty),
                    };
                    Bound::Callable(inputs, output)
                }
                arguments => {
                    let mut items = Vec::new();
                    if let syn::PathArguments::AngleBracketed(inside) = arguments {
                        for argument in &inside.args {
                            if let syn::GenericArgument::AssocType(item) = argument {
                                items.push((name_of(&item.ident), self.type_ref(&item.ty)));
                            }
                        }
                    }
                    Bound::Trait(self.path(&bound.path), items)
                }
            };
            found.push(Predicate { subject: subject.clone(), bound, relaxes });
        }
    }
}

/// `dyn AsRef<…>`: a trait that has no methods but those it names, whoever has it.
fn lends_parts(bounds: &Bounds) -> bool {
    bounds.iter().all(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|last| last.ident == "AsRef" || last.ident == "AsMut")
        }
        syn::TypeParamBound::Lifetime(_) => true,
        _ => false,
    })
}

/// Names of the traits that bounds and `where` ask of a parameter; `None` where they ask for more.
pub fn of<'b>(
    name: &str,
    own: impl IntoIterator<Item = &'b syn::TypeParamBound>,
    clause: Option<&'b syn::WhereClause>,
) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for bound in own {
        plain(bound, &mut names)?;
    }
    for predicate in clause.iter().flat_map(|clause| &clause.predicates) {
        let syn::WherePredicate::Type(predicate) = predicate else { continue };
        let of_this = matches!(&predicate.bounded_ty, syn::Type::Path(path) if is_named(&path.path, name));
        if of_this && predicate.lifetimes.is_none() {
            for bound in &predicate.bounds {
                plain(bound, &mut names)?;
            }
        } else {
            // It may speak of the parameter in a way that is not looked into.
            return None;
        }
    }
    Some(names)
}

/// A constant parameter is bound by its type alone: integers have the value that is chosen for them.
pub fn of_constant(ty: &syn::Type) -> Option<Vec<String>> {
    let integers = ["usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128"];
    match ty {
        syn::Type::Path(path) if integers.iter().any(|name| is_named(&path.path, name)) => Some(Vec::new()),
        _ => None,
    }
}

fn plain(bound: &syn::TypeParamBound, names: &mut Vec<String>) -> Option<()> {
    match bound {
        syn::TypeParamBound::Lifetime(_) => Some(()),
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last()?;
            if !matches!(last.arguments, syn::PathArguments::None) {
                return None;
            }
            names.push(name_of(&last.ident));
            Some(())
        }
        _ => None,
    }
}

fn is_named(path: &syn::Path, name: &str) -> bool {
    path.get_ident().is_some_and(|ident| name_of(ident) == name)
}
