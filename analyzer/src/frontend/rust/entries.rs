//! Where programs begin: `main`, public functions, and functions that nobody calls.

use rustc_hash::FxHashSet;

use super::Crate;
use super::hir::{ExprKind, FnId, TypeRef};
use super::items::{Definition, Owner, Visibility};
use crate::source::spelling::closest_path;
use crate::source::{Diagnostic, Severity, Span};

/// A function that a program may begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `path::to::function`, `Type::method`.
    pub path: String,
    pub span: Span,
    /// A parameter's type has fields that only its own module can write: not every value of it exists.
    pub private_state: bool,
    /// Generic: what depends on its type parameters is unknown.
    pub generic: bool,
    pub(super) function: FnId,
}

impl Crate {
    /// `main`, every public function and every function nobody calls, in order of the text.
    pub fn entries(&self) -> Vec<Entry> {
        let called = self.called_names();
        let mut found = Vec::new();
        for index in 0..self.items.functions.len() {
            let id = FnId(index as u32);
            let function = self.items.function(id);
            if function.body.is_none() || self.items.is_std_module(function.module) {
                continue;
            }
            // Its body does not count.
            if self.intrinsics.meaning(&self.items.function_path(id)).is_some() {
                continue;
            }
            let public = function.visibility == Visibility::Public || function.name == "main";
            if public || !called.contains(function.name.as_str()) {
                found.push(self.entry(id));
            }
        }
        found.sort_by_key(|entry| entry.span);
        found
    }

    /// The function of this path: `f`, `module::f`, `Type::f`.
    pub fn entry_named(&self, path: &str) -> Option<Entry> {
        let path = path.strip_prefix("crate::").unwrap_or(path);
        let candidates = (0..self.items.functions.len() as u32).map(FnId).filter(|id| {
            let function = self.items.function(*id);
            !self.items.is_std_module(function.module)
        });
        let mut exact = Vec::new();
        for id in candidates {
            let own = self.items.function_path(id);
            if own == path {
                exact.push(id);
            }
        }
        let free = |id: &&FnId| self.items.function(**id).owner == Owner::Module;
        let id = exact.iter().find(free).or(exact.first())?;
        Some(self.entry(*id))
    }

    pub(super) fn no_such_entry(&self, path: &str) -> Diagnostic {
        let functions =
            self.items.functions.iter().enumerate().filter(|(_, function)| {
                function.body.is_some() && !self.items.is_std_module(function.module)
            });
        let names: Vec<String> =
            functions.map(|(index, _)| self.items.function_path(FnId(index as u32))).collect();
        let known = match names.len() {
            0 => "it has no functions".into(),
            1..=20 => format!("it has `{}`", names.join("`, `")),
            count => format!("it has `{}` and {} more", names[..20].join("`, `"), count - 20),
        };
        let near = closest_path(path, names.iter().map(String::as_str));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let message = format!("the program has no function `{path}`; {known}");
        Diagnostic { severity: Severity::Error, message, span: None, help }
    }

    fn entry(&self, id: FnId) -> Entry {
        let function = self.items.function(id);
        Entry {
            path: self.items.function_path(id),
            span: function.span,
            private_state: self.takes_private_state(id),
            generic: !self.items.generics_of(function).is_empty(),
            function: id,
        }
    }

    pub(super) fn takes_private_state(&self, id: FnId) -> bool {
        let function = self.items.function(id);
        let own = match function.owner {
            Owner::Impl(owner) => Some(&self.items.impls[owner.index()].target),
            _ => None,
        };
        function.parameters.iter().any(|ty| self.is_private(ty, own, 0))
    }

    /// Whether values of a type are made by its own module only.
    fn is_private(&self, ty: &TypeRef, own: Option<&TypeRef>, depth: u32) -> bool {
        if depth > 6 {
            return true;
        }
        match ty {
            TypeRef::Reference(_, inner) | TypeRef::Array(inner, _) | TypeRef::Slice(inner) => {
                self.is_private(inner, own, depth + 1)
            }
            TypeRef::Tuple(parts) => parts.iter().any(|part| self.is_private(part, own, depth + 1)),
            TypeRef::Path(path) => {
                if path.single() == Some("Self") {
                    return own.is_none_or(|own| self.is_private(own, None, depth + 1));
                }
                let inside = path.segments.iter().flat_map(|segment| &segment.arguments);
                if inside.clone().any(|ty| self.is_private(ty, own, depth + 1)) {
                    return true;
                }
                let target = self.items.resolve(path, super::defs::Namespace::Types);
                match target.found {
                    super::defs::Resolved::Definition(Definition::Adt(id)) => {
                        let adt = self.items.adt(id);
                        let fields = adt.variants.iter().flat_map(|variant| &variant.fields);
                        let is_enum = adt.kind == super::items::AdtKind::Enum;
                        fields.clone().any(|field| !is_enum && field.visibility == Visibility::Private)
                            || fields.clone().any(|field| self.is_private(&field.ty, None, depth + 1))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn called_names(&self) -> FxHashSet<&str> {
        let mut names = FxHashSet::default();
        let functions = self.items.functions.iter().filter_map(|function| {
            let own = function.body.as_ref()?;
            Some((function.name.as_str(), own))
        });
        for (caller, body) in functions {
            for expr in &body.exprs {
                let name = match &expr.kind {
                    ExprKind::Path(path) => path.segments.last().map(|segment| segment.name.as_str()),
                    ExprKind::Method { name, .. } => Some(name.as_str()),
                    _ => None,
                };
                // A call of itself does not make a function called.
                names.extend(name.filter(|name| *name != caller));
            }
        }
        names
    }
}
