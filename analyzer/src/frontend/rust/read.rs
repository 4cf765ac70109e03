//! Reads a parsed file into the item tree, bodies included.
//!
//! The only place that knows the parser's types. Nothing is refused here: what is not understood is
//! recorded and left opaque.

mod body;
mod bounds;
mod expression;
mod item;
mod macros;
mod pattern;
mod types;

use std::collections::VecDeque;

use super::cfg::Configuration;
use super::hir::{ConstId, FnId, ModuleId, TypeRef};
use super::intrinsics::Intrinsics;
use super::items::{Constant, ConstantKind, Items, Module, Owner};
use crate::source::{SourceFile, Span};

/// Translates the parser's places into ours.
#[derive(Clone, Copy)]
pub struct Places<'f> {
    pub file: &'f SourceFile,
    /// Where the text that the parser saw begins.
    pub offset: usize,
}

impl Places<'_> {
    pub fn span(&self, span: proc_macro2::Span) -> Span {
        let range = span.byte_range();
        let limit = self.file.text.len();
        let (start, end) = (range.start + self.offset, range.end + self.offset);
        Span::new(self.file.id, start.min(limit), end.min(limit))
    }

    pub fn of(&self, node: &impl syn::spanned::Spanned) -> Span {
        self.span(node.span())
    }
}

/// A body that is read once all names are declared.
#[derive(Clone, Copy)]
enum Text<'s> {
    Function(FnId, &'s syn::Signature, &'s syn::Block),
    Constant(ConstId, &'s syn::Expr),
}

pub struct Reader<'a, 's> {
    places: Places<'a>,
    configuration: &'a Configuration,
    intrinsics: &'a Intrinsics,
    items: Items,
    module: ModuleId,
    owner: Owner,
    /// `// kleene: assume(…)`: where, and the text of the condition with its place.
    assumptions: Vec<(usize, usize, String)>,
    pending: VecDeque<(Text<'s>, ModuleId, Owner)>,
}

pub fn file(
    syntax: &syn::File,
    places: Places<'_>,
    configuration: &Configuration,
    intrinsics: &Intrinsics,
) -> Items {
    let mut reader = Reader {
        places,
        configuration,
        intrinsics,
        items: Items::default(),
        module: ModuleId(0),
        owner: Owner::Module,
        assumptions: assumptions(&places.file.text),
        pending: VecDeque::new(),
    };
    reader.items.modules.push(new_module(String::new(), None));
    if configuration.keeps(&syntax.attrs) == super::cfg::Kept::Rewritten {
        reader.items.modules[0].opaque = true;
    }
    reader.item_list(&syntax.items);
    reader.bodies();
    reader.items
}

/// Reads our own text of the standard library beside the items of a file.
pub fn standard(items: &mut Items, syntax: &syn::File, places: Places<'_>, configuration: &Configuration) {
    let root = ModuleId(items.modules.len() as u32);
    let intrinsics = Intrinsics::default();
    let mut reader = Reader {
        places,
        configuration,
        intrinsics: &intrinsics,
        items: std::mem::take(items),
        module: root,
        owner: Owner::Module,
        assumptions: Vec::new(),
        pending: VecDeque::new(),
    };
    reader.items.modules.push(new_module("std".into(), None));
    reader.items.std_root = Some(root);
    reader.item_list(&syntax.items);
    reader.bodies();
    *items = reader.items;
}

fn new_module(name: String, parent: Option<ModuleId>) -> Module {
    Module {
        name,
        parent,
        block: false,
        types: Default::default(),
        values: Default::default(),
        uses: Vec::new(),
        globs: Vec::new(),
        macros: Default::default(),
        opaque: false,
        end: None,
    }
}

/// Comments that restrict: the place of the comment, of the condition, and its text.
fn assumptions(text: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = line.find("// kleene: assume(") {
            let inside = at + "// kleene: assume(".len();
            if let Some(end) = line.rfind(')').filter(|end| *end >= inside) {
                found.push((start + at, start + inside, line[inside..end].to_string()));
            }
        }
        start += line.len();
    }
    found
}

impl<'s> Reader<'_, 's> {
    /// A constant without a name: an array length, a discriminant, a generic argument.
    fn anonymous(&mut self, expr: &'s syn::Expr, ty: TypeRef) -> ConstId {
        let id = ConstId(self.items.constants.len() as u32);
        self.items.constants.push(Constant {
            name: String::new(),
            owner: self.owner,
            ty,
            kind: ConstantKind::Anonymous,
            body: None,
            span: self.places.of(expr),
        });
        self.later(Text::Constant(id, expr));
        id
    }

    fn later(&mut self, text: Text<'s>) {
        self.pending.push_back((text, self.module, self.owner));
    }

    /// Bodies declare items too, so the queue grows while it is worked off.
    fn bodies(&mut self) {
        while let Some((text, module, owner)) = self.pending.pop_front() {
            (self.module, self.owner) = (module, owner);
            match text {
                Text::Function(id, signature, block) => {
                    let body = body::function(self, signature, block);
                    self.items.functions[id.index()].body = Some(body);
                }
                Text::Constant(id, expr) => {
                    let body = body::constant(self, expr);
                    self.items.constants[id.index()].body = Some(body);
                }
            }
        }
    }

    fn unknown(&mut self, reason: &'static str, span: Span) {
        self.items.unknown.push((reason, span));
    }
}
