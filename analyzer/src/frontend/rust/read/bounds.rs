//! What generic parameters must have, as far as names of traits say it.

use super::types::name_of;

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
