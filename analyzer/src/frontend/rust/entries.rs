//! Where programs begin: `main`, public functions, and functions that nobody calls.

use rustc_hash::FxHashSet;

use super::Crate;
use super::context::Context;
use super::hir::{ExprKind, FnId};
use super::items::{Owner, Visibility};
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
        let context = self.context();
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
                found.push(self.entry(id, &context));
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
        Some(self.entry(*id, &self.context()))
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

    fn entry(&self, id: FnId, context: &Context<'_>) -> Entry {
        let function = self.items.function(id);
        Entry {
            path: self.items.function_path(id),
            span: function.span,
            private_state: context.takes_private_state(id),
            generic: !self.items.generics_of(function).is_empty(),
            function: id,
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
