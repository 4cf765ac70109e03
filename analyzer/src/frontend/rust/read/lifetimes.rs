//! What signatures say of how long their parameters are lent.

/// Whether a parameter is a reference whose lifetime has no name: no other parameter has the same one.
pub(super) fn has_own_lifetime(input: &syn::FnArg) -> bool {
    lifetime_of(input).is_some_and(|lifetime| lifetime.is_none_or(|lifetime| lifetime.ident == "_"))
}

/// The lifetime that a parameter is lent for, if it is lent; within, if it has a name.
fn lifetime_of(input: &syn::FnArg) -> Option<Option<&syn::Lifetime>> {
    match input {
        syn::FnArg::Typed(typed) => match &*typed.ty {
            syn::Type::Reference(reference) => Some(reference.lifetime.as_ref()),
            _ => None,
        },
        syn::FnArg::Receiver(receiver) => match &receiver.kind {
            syn::ReceiverKind::Reference(_, lifetime, _) => Some(lifetime.as_ref()),
            _ => None,
        },
    }
}

/// Whether a parameter is lent for a lifetime that the function itself declares, of which nothing is asked.
pub(super) fn is_brief(input: &syn::FnArg, generics: &syn::Generics) -> bool {
    let Some(Some(lifetime)) = lifetime_of(input) else { return has_own_lifetime(input) };
    let declared = generics.lifetimes().any(|it| it.lifetime == *lifetime && it.bounds.is_empty());
    let mut asked = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let bound = asked
        .any(|predicate| matches!(predicate, syn::WherePredicate::Lifetime(it) if it.lifetime == *lifetime));
    lifetime.ident == "_" || declared && !bound
}

pub(super) fn has_lifetime_of_result(input: &syn::FnArg, output: &syn::ReturnType) -> bool {
    let syn::FnArg::Typed(typed) = input else { return false };
    match (&*typed.ty, output) {
        (
            syn::Type::Reference(syn::TypeReference { lifetime: Some(lifetime), .. }),
            syn::ReturnType::Type(_, ty),
        ) => names_lifetime(ty, lifetime),
        _ => false,
    }
}

/// Whether a type names a lifetime where generic arguments of types that are written out stand.
pub(super) fn names_lifetime(ty: &syn::Type, lifetime: &syn::Lifetime) -> bool {
    let syn::Type::Path(path) = ty else { return false };
    let arguments = path.path.segments.iter().filter_map(|segment| match &segment.arguments {
        syn::PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    arguments.flatten().any(|argument| match argument {
        syn::GenericArgument::Lifetime(found) => found.ident == lifetime.ident,
        syn::GenericArgument::Type(inner) => names_lifetime(inner, lifetime),
        _ => false,
    })
}
