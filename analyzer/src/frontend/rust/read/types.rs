//! Types and paths as written.

use super::super::hir::{Mutability, Path, Qualified, Segment, TypeRef};
use super::super::macros::base;
use super::Reader;

impl<'s> Reader<'_, 's> {
    pub(super) fn type_ref(&mut self, ty: &'s syn::Type) -> TypeRef {
        match ty {
            syn::Type::Paren(inner) => self.type_ref(&inner.elem),
            syn::Type::Group(inner) => self.type_ref(&inner.elem),
            syn::Type::Path(path) => TypeRef::Path(self.qualified(path.qself.as_ref(), &path.path)),
            syn::Type::Tuple(tuple) => {
                TypeRef::Tuple(tuple.elems.iter().map(|ty| self.type_ref(ty)).collect())
            }
            syn::Type::Array(array) => {
                let element = self.type_ref(&array.elem);
                let usize = self.usize_ref();
                let length = self.anonymous(&array.len, usize);
                TypeRef::Array(Box::new(element), length)
            }
            syn::Type::Slice(slice) => TypeRef::Slice(Box::new(self.type_ref(&slice.elem))),
            syn::Type::Reference(reference) => {
                let mutability = mutability(reference.mutability.is_some());
                TypeRef::Reference(mutability, Box::new(self.type_ref(&reference.elem)))
            }
            syn::Type::Ptr(pointer) => {
                let mutable = !matches!(pointer.mutability, syn::PointerMutability::Const(_));
                TypeRef::Pointer(mutability(mutable), Box::new(self.type_ref(&pointer.elem)))
            }
            syn::Type::Macro(call) => match self.type_call(&call.mac) {
                Some((ty, inside)) => {
                    let around = std::mem::replace(&mut self.standing, inside);
                    let found = self.type_ref(ty);
                    self.standing = around;
                    found
                }
                None => TypeRef::Opaque,
            },
            syn::Type::Never(_) => TypeRef::Never,
            syn::Type::Infer(_) => TypeRef::Infer,
            _ => TypeRef::Opaque,
        }
    }

    pub(super) fn usize_ref(&self) -> TypeRef {
        let segment = Segment { name: "usize".into(), arguments: Vec::new() };
        TypeRef::Path(Path { module: self.module, global: false, qself: None, segments: vec![segment] })
    }

    pub(super) fn path(&mut self, path: &'s syn::Path) -> Path {
        self.qualified(None, path)
    }

    pub(super) fn qualified(&mut self, qself: Option<&'s syn::QSelf>, path: &'s syn::Path) -> Path {
        let mut segments = Vec::new();
        for segment in &path.segments {
            let arguments = match &segment.arguments {
                syn::PathArguments::AngleBracketed(inside) => self.generic_arguments(inside),
                syn::PathArguments::Parenthesized(_) => vec![TypeRef::Opaque],
                syn::PathArguments::None => Vec::new(),
            };
            segments.push(Segment { name: name_of(&segment.ident), arguments });
        }
        let qself = qself.map(|qself| {
            let ty = self.type_ref(&qself.ty);
            let of_trait: Vec<Segment> = segments.drain(..qself.position.min(segments.len())).collect();
            let of_trait = (!of_trait.is_empty()).then_some(Path {
                module: self.module,
                global: path.leading_colon.is_some(),
                qself: None,
                segments: of_trait,
            });
            Box::new(Qualified { ty, of_trait })
        });
        let global = qself.is_none() && path.leading_colon.is_some();
        Path { module: self.module, global, qself, segments }
    }

    pub(super) fn generic_arguments(
        &mut self,
        inside: &'s syn::AngleBracketedGenericArguments,
    ) -> Vec<TypeRef> {
        let mut arguments = Vec::new();
        for argument in &inside.args {
            match argument {
                syn::GenericArgument::Type(ty) => arguments.push(self.type_ref(ty)),
                syn::GenericArgument::Const(expr) => {
                    let usize = TypeRef::Infer;
                    arguments.push(TypeRef::Const(self.anonymous(expr, usize)));
                }
                // What associated types are is asked for with the bounds.
                syn::GenericArgument::Lifetime(_) | syn::GenericArgument::AssocType(_) => {}
                _ => arguments.push(TypeRef::Opaque),
            }
        }
        arguments
    }
}

pub(super) fn mutability(mutable: bool) -> Mutability {
    if mutable { Mutability::Mutable } else { Mutability::Shared }
}

/// A name without its `r#`, whoever wrote it.
pub fn name_of(ident: &syn::Ident) -> String {
    base(&marked_name_of(ident)).to_string()
}

/// The name of a local: those of different expansions are different.
pub(super) fn marked_name_of(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_string).unwrap_or(text)
}
