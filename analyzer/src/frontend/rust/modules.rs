//! The texts of a program: the given file, and the files of its modules, found the way rustc finds them.
//!
//! Files are asked for through `ModuleFiles`; nothing is opened here. A module without a text is not known, and
//! why. Nothing is known of names here: `cfg` decides which modules there are, attributes where they stand.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use rustc_hash::FxHashMap;
use syn::{Expr, Lit, Meta};

use super::cfg::{Configuration, Kept};
use super::read::{Assumptions, Places, assumptions};
use super::{SIZE_LIMIT, included, scan};
use crate::frontend::{ModuleFiles, ModuleText};
use crate::source::{Diagnostic, SourceFile, Span};

/// Texts beyond these are not followed: one file may be the module of many others.
const TEXT_LIMIT: usize = 2_000;
const BYTE_LIMIT: usize = 64 << 20;

#[derive(Default)]
pub struct Texts {
    /// The given file first, those that only tests have last.
    pub list: Vec<Text>,
    /// How many are not only for tests.
    pub own: usize,
    /// What is wrong with the files of modules.
    pub remarks: Vec<Diagnostic>,
    /// The given file is itself a module of another: what lies outside of it is not known.
    pub inner: bool,
}

pub struct Text {
    pub file: Arc<SourceFile>,
    /// Where the text that the parser saw begins.
    pub offset: usize,
    pub syntax: syn::File,
    pub assumptions: Assumptions,
    /// By the place of `mod name;` or `include!(…)`: its text, or why it has none.
    pub modules: FxHashMap<u32, Result<usize, &'static str>>,
}

impl Text {
    /// A part of a file that is parsed elsewhere.
    pub fn empty(file: Arc<SourceFile>, offset: usize) -> Self {
        let syntax = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: Vec::new() };
        Self { file, offset, syntax, assumptions: Vec::new(), modules: FxHashMap::default() }
    }

    pub fn places(&self) -> Places {
        Places { file: self.file.clone(), offset: self.offset }
    }
}

/// Where the modules of a text are looked for.
#[derive(Clone)]
struct Folder {
    path: PathBuf,
    /// The modules of `a.rs` stand in `a/`, those of `a/mod.rs` beside it.
    below: Option<String>,
}

/// Whose modules are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Own,
    /// Those that tests have beside them.
    Tests,
}

/// A text whose modules are yet to be found.
struct Work {
    text: usize,
    folder: Folder,
    /// The texts around it, itself included: none of them can be a module of it.
    around: Vec<Arc<SourceFile>>,
}

/// A module in a file of its own, as it is declared, or items in one (`include!`).
struct Declared {
    name: String,
    span: Span,
    /// `#[path = "…"]`
    path: Option<String>,
    folder: Folder,
    included: bool,
    /// A macro may declare it, or not.
    given_to_macro: bool,
}

/// What is declared in a text, as far as it stands elsewhere.
struct Collect<'c> {
    configuration: &'c Configuration,
    places: Places,
    /// Of the text.
    folder: &'c Path,
    declared: Vec<Declared>,
    /// Files that are taken in and not found.
    missing: Vec<(u32, &'static str)>,
}

impl Texts {
    /// Those of the crate itself.
    pub fn own(&self) -> &[Text] {
        &self.list[..self.own]
    }

    /// One text that has no modules in other files.
    pub fn alone(file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self { list: vec![parsed(file)?], own: 1, ..Self::default() })
    }

    /// A text of which the parser sees another form, in which all that it still has stands at the same place.
    pub fn seen_as(file: &Arc<SourceFile>, form: &str) -> syn::Result<Self> {
        let text = Text { syntax: syn::parse_str(form)?, ..Text::empty(file.clone(), 0) };
        Ok(Self { list: vec![text], own: 1, ..Self::default() })
    }

    /// The given file and all files it takes in; fails if the given file itself is no Rust.
    pub fn read(
        file: &Arc<SourceFile>,
        files: Option<&dyn ModuleFiles>,
        configuration: &Configuration,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut texts = Self::alone(file)?;
        let folder = Folder { path: PathBuf::new(), below: None };
        let mut bytes = file.text.len();
        let first = Work { text: 0, folder, around: vec![file.clone()] };
        let left = texts.follow(vec![first], (configuration, &mut bytes), files, Part::Own);
        texts.own = texts.list.len();
        if configuration.reads_tests {
            // What is wrong with tests is not what is asked.
            let (inner, said) = (texts.inner, texts.remarks.len());
            texts.follow(left, (&configuration.of_tests(), &mut bytes), files, Part::Tests);
            texts.remarks.truncate(said);
            texts.inner = inner;
        }
        Ok(texts)
    }

    /// Reads what these texts take in, and what that takes in. All texts are given back.
    fn follow(
        &mut self,
        mut work: Vec<Work>,
        (configuration, bytes): (&Configuration, &mut usize),
        files: Option<&dyn ModuleFiles>,
        part: Part,
    ) -> Vec<Work> {
        let mut left = Vec::new();
        while let Some(next) = work.pop() {
            let text = &self.list[next.text];
            let mut collect = Collect {
                configuration,
                places: text.places(),
                folder: &next.folder.path,
                declared: Vec::new(),
                missing: Vec::new(),
            };
            collect.items(&text.syntax.items, &next.folder);
            let Collect { declared, missing, .. } = collect;
            if part == Part::Own {
                let missing = missing.into_iter().map(|(at, reason)| (at, Err(reason)));
                self.list[next.text].modules.extend(missing);
            }
            for module in declared {
                let known = &self.list[next.text].modules;
                if part == Part::Tests && known.contains_key(&module.span.start) {
                    continue;
                }
                let (inner, said) = (self.inner, self.remarks.len());
                let found = match files {
                    Some(files) if self.list.len() < TEXT_LIMIT && *bytes < BYTE_LIMIT => {
                        self.module(&module, files, &next.around, next.text == 0)
                    }
                    Some(_) => Err("a module beyond the limit of files"),
                    None => Err("a module in a file of its own"),
                };
                let found = found.map(|(text, folder)| {
                    *bytes += text.file.text.len();
                    let mut around = next.around.clone();
                    around.push(text.file.clone());
                    self.list.push(text);
                    work.push(Work { text: self.list.len() - 1, folder, around });
                    self.list.len() - 1
                });
                if module.given_to_macro {
                    // Whether the macro declares it shows later.
                    self.inner = inner;
                    self.remarks.truncate(said);
                }
                if part == Part::Own && !module.given_to_macro || found.is_ok() {
                    self.list[next.text].modules.insert(module.span.start, found);
                }
            }
            left.push(next);
        }
        left
    }

    fn module(
        &mut self,
        module: &Declared,
        files: &dyn ModuleFiles,
        around: &[Arc<SourceFile>],
        outermost: bool,
    ) -> Result<(Text, Folder), &'static str> {
        let (file, folder) = self.file_of(module, files, outermost)?;
        if around.iter().any(|outer| outer.id == file.id) {
            self.remarks.push(Diagnostic::error(
                module.span,
                format!("the module `{}` would contain itself: its file is {}", module.name, file.name),
            ));
            return Err("a module that contains itself");
        }
        match parsed(&file) {
            Ok(text) => Ok((text, folder)),
            Err(problems) => {
                let new = problems.into_iter().filter(|problem| !self.remarks.contains(problem));
                let new: Vec<Diagnostic> = new.collect();
                self.remarks.extend(new);
                Err("a module whose file does not parse")
            }
        }
    }

    /// The one file that the module can stand in.
    fn file_of(
        &mut self,
        module: &Declared,
        files: &dyn ModuleFiles,
        outermost: bool,
    ) -> Result<(Arc<SourceFile>, Folder), &'static str> {
        let mut found = self.existing(module, candidates(module), files)?;
        if module.included {
            return found.pop().ok_or("a file that is taken in and missing");
        }
        // A file that is no crate's root has its modules in a folder of its name.
        if outermost && module.path.is_none() && module.folder.below.is_none() {
            let stem = Path::new(&self.list[0].file.name).file_stem().and_then(|stem| stem.to_str());
            let stem = stem.filter(|stem| !matches!(*stem, "main" | "lib" | "mod"));
            if let Some(stem) = stem {
                let path = Path::new(stem).join(&module.folder.path);
                let folder = Folder { path, below: None };
                let moved = Declared { name: module.name.clone(), path: None, folder, ..*module };
                let inner = self.existing(module, candidates(&moved), files)?;
                self.inner |= found.is_empty() && !inner.is_empty();
                found.extend(inner);
            }
        }
        match found.len() {
            0 => Err("a module whose file is missing"),
            1 => found.pop().ok_or("a module whose file is missing"),
            _ => Err("a module that several files may be"),
        }
    }

    fn existing(
        &mut self,
        module: &Declared,
        candidates: Vec<(PathBuf, Folder)>,
        files: &dyn ModuleFiles,
    ) -> Result<Vec<(Arc<SourceFile>, Folder)>, &'static str> {
        let mut found = Vec::new();
        for (path, folder) in candidates {
            match files.text(&path) {
                ModuleText::Found(file) => found.push((file, folder)),
                ModuleText::Missing => {}
                ModuleText::Unreadable(problem) => {
                    let message = format!("the file of the module `{}`: {problem}", module.name);
                    self.remarks.push(Diagnostic::error(module.span, message));
                    return Err("a module whose file cannot be read");
                }
            }
        }
        Ok(found)
    }
}

/// The files a module may stand in, each with the folder of its own modules.
fn candidates(module: &Declared) -> Vec<(PathBuf, Folder)> {
    let Folder { path, below } = &module.folder;
    if let Some(given) = &module.path {
        let file = path.join(given);
        let parent = file.parent().map(Path::to_path_buf).unwrap_or_default();
        return vec![(file, Folder { path: parent, below: None })];
    }
    let path = below.as_ref().map_or(path.clone(), |below| path.join(below));
    let beside = (
        path.join(format!("{}.rs", module.name)),
        Folder { path: path.clone(), below: Some(module.name.clone()) },
    );
    let inner = path.join(&module.name);
    vec![beside, (inner.join("mod.rs"), Folder { path: inner, below: None })]
}

impl Collect<'_> {
    /// The modules that are declared without a body and the files that are taken in, inline modules included.
    fn items(&mut self, items: &[syn::Item], folder: &Folder) {
        for item in items {
            match item {
                syn::Item::Mod(module) if self.configuration.keeps(&module.attrs) == Kept::Plain => {
                    self.module(module, folder);
                }
                syn::Item::Macro(call) if self.configuration.keeps(&call.attrs) == Kept::Plain => {
                    self.included(call);
                    self.given_to_macro(call.mac.tokens.clone(), folder);
                }
                _ => {}
            }
        }
    }

    fn module(&mut self, module: &syn::ItemMod, folder: &Folder) {
        let name = module.ident.to_string().trim_start_matches("r#").to_string();
        let path = module.attrs.iter().find_map(|attribute| given_path(self.configuration, &attribute.meta));
        match &module.content {
            Some((_, items)) => {
                let inside = match &path {
                    Some(path) => folder.path.join(path),
                    None => {
                        folder.below.as_ref().map_or(folder.path.clone(), |b| folder.path.join(b)).join(name)
                    }
                };
                self.items(items, &Folder { path: inside, below: None });
            }
            None => {
                let span = self.places.of(module);
                let folder = folder.clone();
                self.declared.push(Declared {
                    name,
                    span,
                    path,
                    folder,
                    included: false,
                    given_to_macro: false,
                });
            }
        }
    }

    /// `mod name;` that a macro is given, as by `cfg_if!`: where it stands if the macro declares it where it is called.
    fn given_to_macro(&mut self, tokens: TokenStream, folder: &Folder) {
        let mut tokens = tokens.into_iter().peekable();
        let mut has_path = false;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(word) if word == "mod" => {
                    let name = tokens.next();
                    let (Some(TokenTree::Ident(name)), Some(end)) = (name, tokens.peek()) else { continue };
                    match end {
                        TokenTree::Punct(end) if end.as_char() == ';' && !has_path => {
                            self.declared.push(Declared {
                                name: name.to_string().trim_start_matches("r#").to_string(),
                                span: self.places.span(word.span()),
                                path: None,
                                folder: folder.clone(),
                                included: false,
                                given_to_macro: true,
                            });
                        }
                        // Its modules stand elsewhere.
                        TokenTree::Group(_) => drop(tokens.next()),
                        _ => {}
                    }
                    has_path = false;
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    let text = group.stream().to_string();
                    has_path |= text.contains("path");
                }
                TokenTree::Group(group) => {
                    // `pub(crate)` may stand between an attribute and its module.
                    has_path &= group.delimiter() == Delimiter::Parenthesis;
                    self.given_to_macro(group.stream(), folder);
                }
                TokenTree::Punct(sign) if sign.as_char() == ';' => has_path = false,
                _ => {}
            }
        }
    }

    fn included(&mut self, call: &syn::ItemMacro) {
        let made = self.configuration.out_dir.as_deref();
        let Some(file) = included::file_of(call, self.folder, made) else { return };
        let span = self.places.of(call);
        match file.map(|file| file.to_str().map(str::to_string)) {
            Ok(Some(name)) => self.declared.push(Declared {
                path: Some(name.clone()),
                name,
                span,
                folder: Folder { path: PathBuf::new(), below: None },
                included: true,
                given_to_macro: false,
            }),
            Ok(None) => {
                self.missing.push((span.start, "a file that is taken in under a name that is no text"))
            }
            Err(reason) => self.missing.push((span.start, reason)),
        }
    }
}

/// `#[path = "…"]`, also behind a `cfg_attr` that holds.
fn given_path(configuration: &Configuration, meta: &Meta) -> Option<String> {
    configuration.applied(meta).into_iter().find_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

fn told(error: &syn::Error, is_lexical: bool) -> String {
    match is_lexical {
        true => "no token of Rust begins here, or it does not end".to_string(),
        false => error.to_string(),
    }
}

/// The tree of one text, or what is wrong with it.
fn parsed(file: &Arc<SourceFile>) -> Result<Text, Vec<Diagnostic>> {
    let start = Span::new(file.id, 0, 0);
    if file.text.len() > SIZE_LIMIT {
        let message = format!("the file has {} bytes; at most {SIZE_LIMIT} are supported", file.text.len());
        return Err(vec![Diagnostic::error(start, message)]);
    }
    if let Some(deep) = scan::too_deep(file) {
        return Err(vec![deep]);
    }
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let offset = file.text.len() - text.len();
    match syn::parse_str::<syn::File>(text) {
        Ok(syntax) => {
            let assumptions = assumptions(&file.text);
            Ok(Text { file: file.clone(), offset, syntax, assumptions, modules: FxHashMap::default() })
        }
        Err(errors) => {
            // The parser says no more of a text without tokens than that it is one.
            let is_lexical = text.parse::<proc_macro2::TokenStream>().is_err();
            if let Some(bracket) = is_lexical.then(|| scan::unbalanced(file)).flatten() {
                return Err(vec![bracket]);
            }
            let places = Places { file: file.clone(), offset };
            let found = errors
                .into_iter()
                .map(|error| Diagnostic::error(places.span(error.span()), told(&error, is_lexical)));
            Err(found.collect())
        }
    }
}
