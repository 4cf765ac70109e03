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
mod late;
mod lifetimes;
mod macros;
mod pattern;
mod shown;
mod tests;
mod types;
mod unseen;

pub use item::attributes;
pub use late::{Standard, without_bodies};
pub use macros::STANDARD as STANDARD_MACROS;
pub use types::name_of;

use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cfg::{Configuration, Kept};
use super::defs::{Namespace, Resolved, Target};
use super::dependencies::Loading;
use super::hir::{ConstId, FnId, ModuleId, Path, TypeRef};
use super::intrinsics::{Intrinsic, Intrinsics};
use super::items::{Constant, ConstantKind, Definition, Items, Krate, KrateId, Module, Owner, Written};
use super::macros::{Macros, ORIGIN, SIGN, Standing};
use super::modules::Texts;
use super::users::{User, Using};
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
        let at = |place: proc_macro2::LineColumn| self.file.byte_at(place.line, place.column);
        match self.offset == 0 {
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

/// The items so far, or all of them, where only a body is left to be read.
enum Held<'a> {
    Own(Box<Items>),
    Lent(&'a Items),
}

impl Held<'_> {
    fn into_own(self) -> Items {
        match self {
            Held::Own(items) => *items,
            Held::Lent(_) => panic!("who reads a body does not own the items"),
        }
    }
}

impl Deref for Held<'_> {
    type Target = Items;

    fn deref(&self) -> &Items {
        match self {
            Held::Own(items) => items,
            Held::Lent(items) => items,
        }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Items {
        match self {
            Held::Own(items) => items,
            Held::Lent(_) => panic!("a body that is read late declares nothing"),
        }
    }
}

pub struct Reader<'a, 's> {
    texts: &'s Texts,
    /// The text that is being read.
    text: usize,
    places: Places,
    configuration: &'a Configuration,
    intrinsics: &'a Intrinsics,
    items: Held<'a>,
    module: ModuleId,
    owner: Owner,
    pending: VecDeque<Pending<'s>>,
    macros: Macros,
    standing: Standing,
    /// Where the next tree that comes out of a macro is kept.
    kept: &'s kept::Kept,
    deferred: Vec<expand::Deferred<'s>>,
    /// Where bodies that are read late end, by where they begin.
    left: FxHashMap<u32, u32>,
    /// Something was met that nobody knows to be there.
    undecided: Cell<bool>,
    /// What the crate looks like to its tests, where those are read, too.
    of_tests: Option<&'a Configuration>,
    tests: Vec<tests::Module<'s>>,
}

/// `// kleene: assume(…)`: where, and the text of the condition with its place.
pub type Assumptions = Vec<(usize, usize, String)>;

const UNDECIDED: &str = "code behind a condition that is not known";

/// Crates that our own text beside that of std stands for.
const DESCRIBED: &[&str] = &["byteorder", "hashbrown"];

/// Reads a crate, and before it those that it names: their macros are expanded in its text.
pub fn files(
    texts: &Texts,
    configuration: &Configuration,
    intrinsics: &Intrinsics,
    loading: &Loading,
    using: &Using<'_>,
) -> Items {
    let mut items = Items { inner: texts.inner, ..Items::default() };
    let mut macros = Macros::default();
    // The crate that is looked at has the first number, though it is read last.
    new_crate(&mut items, String::new(), configuration);
    let mut roots = Vec::new();
    let named = |roots: &[ModuleId], named: &[(String, usize)]| {
        named.iter().map(|(name, index)| (name.clone(), roots[*index])).collect()
    };
    for loaded in &loading.crates {
        let root = new_crate(&mut items, loaded.name.clone(), &loaded.configuration);
        items.crates.last_mut().expect("it was added").named = named(&roots, &loaded.named);
        let nothing = Intrinsics::default();
        (items, macros) = one_crate(&loaded.texts, (items, macros), &loaded.configuration, &nothing, root);
        roots.push(root);
    }
    items.crates[0].named = named(&roots, &loading.named);
    (items, macros) = one_crate(texts, (items, macros), configuration, intrinsics, ModuleId(0));
    for User { name, texts, configuration } in using.users {
        let root = new_crate(&mut items, name.clone(), configuration);
        let own =
            items.crates[0].named.iter().cloned().chain([(using.name.to_string(), ModuleId(0))]).collect();
        let krate = items.crates.last_mut().expect("it was added");
        (krate.named, krate.in_use) = (own, true);
        let nothing = Intrinsics::default();
        (items, macros) = one_crate(texts, (items, macros), configuration, &nothing, root);
    }
    items
}

fn new_crate(items: &mut Items, name: String, configuration: &Configuration) -> ModuleId {
    let described = |name: &&String| DESCRIBED.contains(&name.as_str());
    let root = ModuleId(items.modules.len() as u32);
    items.modules.push(new_module(name, None, KrateId(items.crates.len() as u32)));
    items.crates.push(Krate {
        root,
        described: configuration.crates.iter().filter(described).cloned().collect(),
        public: configuration.crates.clone(),
        edition: configuration.edition,
        ..Krate::default()
    });
    root
}

fn one_crate(
    texts: &Texts,
    (items, macros): (Items, Macros),
    configuration: &Configuration,
    intrinsics: &Intrinsics,
    root: ModuleId,
) -> (Items, Macros) {
    let kept = Default::default();
    let all = (Held::Own(Box::new(items)), macros);
    let of_tests = configuration.reads_tests.then(|| configuration.of_tests());
    let mut reader = Reader::new(texts, all, configuration, intrinsics, &kept, root);
    reader.of_tests = of_tests.as_ref();
    let syntax = &texts.list[0].syntax;
    match configuration.keeps(&syntax.attrs) {
        Kept::Rewritten | Kept::Undecided => reader.items.modules[root.index()].opaque = true,
        Kept::Left | Kept::Plain => {}
    }
    reader.item_list(&syntax.items);
    reader.deferred_items();
    reader.bodies();
    reader.modules_of_tests();
    let krate = reader.items.module(root).krate;
    let mut own = reader.items.modules.iter().filter(|module| module.krate == krate);
    let hides = own.any(|module| module.opaque || module.hides_impls);
    reader.items.crates[krate.0 as usize].hides = hides;
    (reader.items.into_own(), reader.macros)
}

/// Reads our own text of the standard library beside the items of a file; `left` are the bodies that can wait.
pub fn standard(items: &mut Items, texts: &Texts, left: FxHashMap<u32, u32>, configuration: &Configuration) {
    let intrinsics = Intrinsics::default();
    let kept = Default::default();
    let mut items_of_all = std::mem::take(items);
    let root = new_crate(&mut items_of_all, "std".into(), configuration);
    items_of_all.std_root = Some(root);
    items_of_all.standard_text = Some(Standard::new(texts, configuration));
    let all = (Held::Own(Box::new(items_of_all)), Macros::default());
    let mut reader = Reader::new(texts, all, configuration, &intrinsics, &kept, root);
    reader.left = left;
    reader.item_list(&texts.list[0].syntax.items);
    reader.bodies();
    *items = reader.items.into_own();
}

fn new_module(name: String, parent: Option<ModuleId>, krate: KrateId) -> Module {
    Module {
        name,
        parent,
        krate,
        block: false,
        types: Default::default(),
        values: Default::default(),
        uses: Vec::new(),
        globs: Vec::new(),
        reach: Default::default(),
        exported: Default::default(),
        macros: Default::default(),
        opaque: false,
        hides_impls: false,
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
        (items, mut macros): (Held<'a>, Macros),
        configuration: &'a Configuration,
        intrinsics: &'a Intrinsics,
        kept: &'s kept::Kept,
        root: ModuleId,
    ) -> Self {
        let first = &texts.list[0];
        let is_signed =
            texts.own().iter().any(|text| !text.file.is_ascii() && text.file.text.contains([SIGN, ORIGIN]));
        let is_old = configuration.edition.is_some_and(|edition| edition < 2021);
        macros.enter(items.module(root).krate, is_signed, is_old);
        Reader {
            texts,
            text: 0,
            places: first.places(),
            configuration,
            intrinsics,
            items,
            module: root,
            owner: Owner::Module,
            pending: VecDeque::new(),
            macros,
            undecided: Cell::new(false),
            standing: Standing::default(),
            kept,
            deferred: Vec::new(),
            left: FxHashMap::default(),
            of_tests: None,
            tests: Vec::new(),
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
            module: self.module,
            owner: self.owner,
            ty,
            kind: ConstantKind::Anonymous,
            body: None,
            span: self.places.of(expr),
            is_public: false,
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
            self.undecided.set(false);
            match next.text {
                Text::Function(id, signature, block) => {
                    let body = body::function(self, signature, block);
                    let function = &mut self.items.functions[id.index()];
                    match self.undecided.get() {
                        true => function.opaque = Some(UNDECIDED),
                        false => function.written = Written::Read(body),
                    }
                }
                Text::Constant(id, expr) => {
                    let body = body::constant(self, expr);
                    self.items.constants[id.index()].body = Some(body).filter(|_| !self.undecided.get());
                }
            }
            self.deferred_items();
        }
    }

    /// The crate that is being read.
    fn krate(&self) -> KrateId {
        self.items.module(self.module).krate
    }

    /// What attributes say about something; notes where nobody knows.
    fn keeps(&self, attributes: &[syn::Attribute]) -> Kept {
        let kept = self.configuration.keeps(attributes);
        if kept == Kept::Undecided {
            self.undecided.set(true);
        }
        kept
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
        if let Held::Own(items) = &mut self.items {
            items.unknown.push((reason, span));
        }
    }
}
