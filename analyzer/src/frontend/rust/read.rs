//! Reads a parsed file into the item tree, bodies included.
//!
//! The only place that knows the parser's types. Nothing is refused here: what is not understood is
//! recorded and left opaque.

mod body;
mod bounds;
mod ends;
mod expand;
mod expression;
mod item;
mod kept;
mod macros;
mod pattern;
mod types;

pub use item::attributes;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::cfg::Configuration;
use super::defs::{Namespace, Resolved, Target};
use super::hir::{ConstId, FnId, ModuleId, Path, TypeRef};
use super::intrinsics::{Intrinsic, Intrinsics};
use super::items::{Constant, ConstantKind, Definition, Items, Module, Owner};
use super::macros::{Macros, SIGN, Standing};
use super::modules::Texts;
use crate::source::{SourceFile, Span};

/// Translates the parser's places into ours.
#[derive(Clone)]
pub struct Places {
    pub file: Arc<SourceFile>,
    /// Where the text that the parser saw begins.
    pub offset: usize,
}

impl Places {
    pub fn span(&self, span: proc_macro2::Span) -> Span {
        let limit = self.file.text.len();
        let range = self.by_lines(span).unwrap_or_else(|| {
            let range = span.byte_range();
            range.start + self.offset..range.end + self.offset
        });
        Span::new(self.file.id, range.start.min(limit), range.end.min(limit))
    }

    /// Where every character is a byte, lines tell; the parser searches long to count bytes.
    fn by_lines(&self, span: proc_macro2::Span) -> Option<Range<usize>> {
        let at = |place: proc_macro2::LineColumn| {
            Some(self.file.line_start(place.line.checked_sub(1)?)? as usize + place.column)
        };
        match self.offset == 0 && self.file.is_ascii() {
            true => Some(at(span.start())?..at(span.end())?),
            false => None,
        }
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

/// A text that is read later, with where it stands.
struct Pending<'s> {
    text: Text<'s>,
    module: ModuleId,
    owner: Owner,
    standing: Standing,
    file: usize,
    places: Places,
}

pub struct Reader<'a, 's> {
    texts: &'s Texts,
    /// The text that is being read.
    text: usize,
    places: Places,
    configuration: &'a Configuration,
    intrinsics: &'a Intrinsics,
    items: Items,
    module: ModuleId,
    owner: Owner,
    pending: VecDeque<Pending<'s>>,
    macros: Macros,
    standing: Standing,
    /// Where the next tree that comes out of a macro is kept.
    kept: &'s kept::Kept,
    deferred: Vec<expand::Deferred<'s>>,
}

/// `// kleene: assume(…)`: where, and the text of the condition with its place.
pub type Assumptions = Vec<(usize, usize, String)>;

/// Crates that our own text beside that of std stands for.
const DESCRIBED: &[&str] = &["byteorder"];

pub fn files(texts: &Texts, configuration: &Configuration, intrinsics: &Intrinsics) -> Items {
    let kept = Default::default();
    let mut reader = Reader::new(texts, Items::default(), configuration, intrinsics, &kept);
    reader.items.modules.push(new_module(String::new(), None));
    reader.items.inner = texts.inner;
    let described = |name: &&String| DESCRIBED.contains(&name.as_str());
    reader.items.crates = configuration.crates.iter().filter(described).cloned().collect();
    reader.items.public = configuration.crates.clone();
    reader.items.begins_with_crates = configuration.edition.is_some_and(|edition| edition >= 2018);
    let syntax = &texts.list[0].syntax;
    if configuration.keeps(&syntax.attrs) == super::cfg::Kept::Rewritten {
        reader.items.modules[0].opaque = true;
    }
    reader.item_list(&syntax.items);
    reader.deferred_items();
    reader.bodies();
    reader.items
}

/// Reads our own text of the standard library beside the items of a file.
pub fn standard(items: &mut Items, texts: &Texts, configuration: &Configuration) {
    let root = ModuleId(items.modules.len() as u32);
    let intrinsics = Intrinsics::default();
    let kept = Default::default();
    let mut reader = Reader::new(texts, std::mem::take(items), configuration, &intrinsics, &kept);
    reader.module = root;
    reader.items.modules.push(new_module("std".into(), None));
    reader.items.std_root = Some(root);
    reader.item_list(&texts.list[0].syntax.items);
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
        public_globs: Vec::new(),
        exported: Default::default(),
        macros: Default::default(),
        opaque: false,
        made: false,
        end: None,
    }
}

/// Comments that restrict: the place of the comment, of the condition, and its text.
pub fn assumptions(text: &str) -> Assumptions {
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

impl<'a, 's> Reader<'a, 's> {
    fn new(
        texts: &'s Texts,
        items: Items,
        configuration: &'a Configuration,
        intrinsics: &'a Intrinsics,
        kept: &'s kept::Kept,
    ) -> Self {
        let first = &texts.list[0];
        let is_signed = texts.list.iter().any(|text| text.file.text.contains(SIGN));
        Reader {
            texts,
            text: 0,
            places: first.places(),
            configuration,
            intrinsics,
            items,
            module: ModuleId(0),
            owner: Owner::Module,
            pending: VecDeque::new(),
            macros: Macros::new(is_signed, configuration.edition.is_some_and(|edition| edition < 2021)),
            standing: Standing::default(),
            kept,
            deferred: Vec::new(),
        }
    }

    /// Goes on in another text.
    fn turn_to(&mut self, text: usize) {
        if text == self.text {
            return;
        }
        self.text = text;
        self.places = self.texts.list[text].places();
    }

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
        self.pending.push_back(Pending {
            text,
            module: self.module,
            owner: self.owner,
            standing: self.standing,
            file: self.text,
            places: self.places.clone(),
        });
    }

    /// Bodies declare items too, so the queue grows while it is worked off.
    fn bodies(&mut self) {
        while let Some(next) = self.pending.pop_front() {
            (self.text, self.places) = (next.file, next.places);
            (self.module, self.owner, self.standing) = (next.module, next.owner, next.standing);
            match next.text {
                Text::Function(id, signature, block) => {
                    let body = body::function(self, signature, block);
                    self.items.functions[id.index()].body = Some(body);
                }
                Text::Constant(id, expr) => {
                    let body = body::constant(self, expr);
                    self.items.constants[id.index()].body = Some(body);
                }
            }
            self.deferred_items();
        }
    }

    /// What the configuration says a function means: by its path as written, as imported, or as declared.
    fn meaning(&self, path: &Path) -> Option<Intrinsic> {
        if self.intrinsics.is_empty() {
            return None;
        }
        let mut module = Some(self.module);
        let mut imported = None;
        while let (Some(id), None) = (module, &imported) {
            let around = self.items.module(id);
            let first = path.segments.first()?;
            imported = around.uses.iter().find(|import| import.name == first.name);
            module = around.parent.filter(|_| around.block);
        }
        let imported = imported.map(|import| {
            let rest = path.segments[1..].iter().map(|segment| segment.name.clone());
            let all: Vec<String> = std::iter::once(import.path.text()).chain(rest).collect();
            all.join("::")
        });
        let declared = match self.items.resolve(path, Namespace::Values) {
            Target { found: Resolved::Definition(Definition::Function(id)), rest: [], .. } => {
                Some(self.items.function_path(id))
            }
            _ => None,
        };
        let names = std::iter::once(path.text()).chain(imported).chain(declared);
        names.into_iter().find_map(|name| self.intrinsics.meaning(&name))
    }

    fn unknown(&mut self, reason: &'static str, span: Span) {
        self.items.unknown.push((reason, span));
    }
}
