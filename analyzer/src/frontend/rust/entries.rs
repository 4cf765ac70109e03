//! Where programs begin: `main`, public functions, and functions that nobody calls.

use rustc_hash::FxHashSet;

use super::Crate;
use super::context::Context;
use super::hir::{Body, ExprKind, FnId, ModuleId};
use super::items::{Owner, Visibility};
use super::lower::Beginnings;
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

/// What a text is the beginning of: who can call what in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// A file by itself: what is declared public can be called, and what nobody calls is looked at all the same.
    #[default]
    File,
    /// The root of a library: what is effectively public can be called.
    Library,
    /// The root of a program: it begins with `main`.
    Program,
    /// The root of tests: functions without parameters that nobody mentions are begun with.
    Tests,
}

impl Crate {
    /// The functions that everybody can call, in order of the text. For a file: `main`, every public function and
    /// every function nobody calls.
    pub fn entries(&self) -> Vec<Entry> {
        let context = self.context();
        let given = match self.root {
            Root::File => self.file_entries(),
            Root::Library => self.items.effectively_public(),
            Root::Program => self.items.own_functions().filter(|id| self.is_main(*id)).collect(),
            Root::Tests => self.tests(),
        };
        // The body of one that means something else does not count.
        let given = given.into_iter().filter(|id| !self.is_intrinsic(*id));
        let mut found: Vec<Entry> = given.map(|id| self.entry(id, &context)).collect();
        found.sort_by_key(|entry| entry.span);
        found
    }

    /// Where the runs of the whole program begin.
    pub(super) fn beginnings(&self) -> Beginnings {
        Beginnings {
            given: self.entries().iter().map(|entry| entry.function).collect(),
            open: self.items.callable_through_values(),
            unnamed: self.items.called_without_a_name(),
            meant: self.items.own_functions().filter(|id| self.is_intrinsic(*id)).collect(),
            constant: self.called_by_constants(),
            uncalled_are_given: self.root == Root::File,
        }
    }

    /// The functions that constants may call, by their names.
    fn called_by_constants(&self) -> FxHashSet<FnId> {
        let names = self.names_in_constants();
        let is_named = |id: &FnId| names.contains(self.items.function(*id).name.as_str());
        self.items.own_functions().filter(is_named).collect()
    }

    fn is_intrinsic(&self, id: FnId) -> bool {
        !self.intrinsics.is_empty() && self.intrinsics.meaning(&self.items.function_path(id)).is_some()
    }

    fn is_main(&self, id: FnId) -> bool {
        let function = self.items.function(id);
        function.name == "main" && function.module == ModuleId(0) && function.owner == Owner::Module
    }

    fn file_entries(&self) -> Vec<FnId> {
        let (called, constant) = (self.called_names(), self.names_in_constants());
        let is_called = |name: &str| called.contains(name) || constant.contains(name);
        let unnamed = self.items.called_without_a_name();
        let begins = |id: &FnId| {
            let function = self.items.function(*id);
            let public = function.visibility == Visibility::Public || function.name == "main";
            public || !is_called(&function.name) && !unnamed.contains(id)
        };
        self.items.own_functions().filter(begins).collect()
    }

    fn tests(&self) -> Vec<FnId> {
        let begins = |id: &FnId| {
            let function = self.items.function(*id);
            function.parameters.is_empty()
                && function.owner == Owner::Module
                && self.items.mentions.of_name(&function.name).is_empty()
        };
        self.items.own_functions().filter(begins).collect()
    }

    /// The function of this path: `f`, `module::f`, `Type::f`.
    pub fn entry_named(&self, path: &str) -> Option<Entry> {
        let path = path.strip_prefix("crate::").unwrap_or(path);
        let candidates = (0..self.items.functions.len() as u32).map(FnId).filter(|id| {
            let function = self.items.function(*id);
            self.items.is_own_module(function.module)
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
        let functions = self
            .items
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| function.has_body() && self.items.is_own_module(function.module));
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
        let bodies = self.items.bodies();
        // A call of itself does not make a function called.
        bodies
            .flat_map(|(caller, body)| named_in(body).filter(|name| *name != caller.name.as_str()))
            .collect()
    }

    fn names_in_constants(&self) -> FxHashSet<&str> {
        let own = self.items.constants.iter().filter(|constant| self.items.is_own_module(constant.module));
        own.filter_map(|constant| constant.body.as_ref()).flat_map(named_in).collect()
    }
}

/// What a body may call, by name.
fn named_in(body: &Body) -> impl Iterator<Item = &str> {
    body.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Path(path) => path.segments.last().map(|segment| segment.name.as_str()),
        ExprKind::Method { name, .. } => Some(name.as_str()),
        _ => None,
    })
}
