//! Code of other packages: which of it is read beside a crate, and with which features.
//!
//! Whoever knows the package says where the sources are (`Dependencies`); nothing is looked for here. A crate is read
//! only if the text of one that is read already names it, so that a long list of dependencies costs nothing. What is
//! not read stays unknown, as it is without a list.

use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use rustc_hash::FxHashSet;
use syn::visit::{self, Visit};

use super::cfg::{Configuration, Kept, Undecided};
use super::modules::Texts;
use crate::frontend::{ModuleFiles, ModuleText};

/// More crates than this are not read, nor more text than this in all of them.
const CRATE_LIMIT: usize = 40;
const BYTE_LIMIT: usize = 12 << 20;

/// Packages that are not read because something better is known of them: what a logger does is nobody's business.
const TOLD: &[&str] = &["byteorder", "hashbrown", "log"];

/// The packages that one depends on, and what its own code calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    pub list: Vec<Dependency>,
    /// Names in the code of the package itself.
    pub named: Vec<(String, usize)>,
}

/// A library whose sources are at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    /// The whole path of its root file.
    pub root: PathBuf,
    pub edition: u32,
    /// Features that are certainly on.
    pub features: Vec<String>,
    /// What conditions in its code may ask without an answer.
    pub undecided: Undecided,
    /// Conditions that its build script sets, where somebody said so.
    pub cfg: Vec<(String, Option<String>)>,
    /// Where what it makes lies, where somebody said so.
    pub out_dir: Option<PathBuf>,
    /// Other packages of the list, by their names in its code.
    pub named: Vec<(String, usize)>,
    /// Packages of the public registry that it depends on, under their own names.
    pub public: Vec<String>,
}

/// A crate whose texts are there to be read.
pub struct Loaded {
    pub name: String,
    pub texts: Texts,
    pub configuration: Configuration,
    /// Names of others, with their number among all that is loaded.
    pub named: Vec<(String, usize)>,
}

/// All crates that are to be read, each behind those that it names, and what the first one calls them.
#[derive(Default)]
pub struct Loading {
    pub crates: Vec<Loaded>,
    pub named: Vec<(String, usize)>,
}

/// What a crate of the list has become.
#[derive(Clone, Copy)]
enum State {
    New,
    /// Under way: packages do not depend on themselves.
    Open,
    Done(Option<usize>),
}

struct Loader<'l> {
    list: &'l [Dependency],
    files: &'l dyn ModuleFiles,
    own: &'l Configuration,
    states: Vec<State>,
    crates: Vec<Loaded>,
    bytes: usize,
}

impl Loading {
    pub fn of(
        texts: &Texts,
        configuration: &Configuration,
        dependencies: &Dependencies,
        files: Option<&dyn ModuleFiles>,
    ) -> Self {
        let Some(files) = files.filter(|_| !dependencies.named.is_empty()) else { return Self::default() };
        let list = dependencies.list.as_slice();
        let states = vec![State::New; list.len()];
        let mut loader = Loader { list, files, own: configuration, states, crates: Vec::new(), bytes: 0 };
        let named = loader.mentioned(texts, configuration, &dependencies.named);
        Self { crates: loader.crates, named }
    }
}

impl Loader<'_> {
    /// Loads what some texts name.
    fn mentioned(
        &mut self,
        texts: &Texts,
        configuration: &Configuration,
        named: &[(String, usize)],
    ) -> Vec<(String, usize)> {
        let mut words = Words { configuration, wanted: named, found: FxHashSet::default() };
        texts.own().iter().for_each(|text| words.visit_file(&text.syntax));
        let found = words.found;
        let mut known = Vec::new();
        for (name, index) in named.iter().filter(|(name, _)| found.contains(name.as_str())) {
            known.extend(self.load(*index).map(|loaded| (name.clone(), loaded)));
        }
        known
    }

    fn load(&mut self, index: usize) -> Option<usize> {
        match *self.states.get(index)? {
            State::Done(found) => return found,
            State::Open => return None,
            State::New => self.states[index] = State::Open,
        }
        let found = self.read(index);
        self.states[index] = State::Done(found);
        found
    }

    fn read(&mut self, index: usize) -> Option<usize> {
        let dependency = &self.list[index];
        let told = TOLD.contains(&dependency.name.as_str());
        if told || self.crates.len() >= CRATE_LIMIT || self.bytes >= BYTE_LIMIT {
            return None;
        }
        let configuration = self.configuration(dependency);
        let ModuleText::Found(root) = self.files.of_dependency(&dependency.root) else { return None };
        let folder = dependency.root.parent()?.to_path_buf();
        let within = Within { files: self.files, folder };
        let mut texts = Texts::read(&root, Some(&within), &configuration).ok()?;
        let bytes: usize = texts.list.iter().map(|text| text.file.text.len()).sum();
        // What is too large leaves room for others.
        if self.bytes + bytes > BYTE_LIMIT {
            return None;
        }
        self.bytes += bytes;
        // What is assumed there was said by somebody else, about something else.
        texts.list.iter_mut().for_each(|text| text.assumptions.clear());
        let named = self.mentioned(&texts, &configuration, &dependency.named);
        self.crates.push(Loaded { name: dependency.name.replace('-', "_"), texts, configuration, named });
        Some(self.crates.len() - 1)
    }

    /// Built for the same target and profile, with features of its own.
    fn configuration(&self, dependency: &Dependency) -> Configuration {
        let mut undecided = dependency.undecided.clone();
        // Whether these reach other packages depends on who sets them.
        undecided.names.extend(self.own.cfg.iter().map(|(name, _)| name.clone()));
        Configuration {
            features: dependency.features.clone(),
            cfg: dependency.cfg.clone(),
            crates: dependency.public.clone(),
            edition: Some(dependency.edition),
            undecided,
            marks_casts: false,
            only_explores: false,
            out_dir: dependency.out_dir.clone(),
            reads_tests: false,
            ..self.own.clone()
        }
    }
}

/// The files of another package, by their paths from the folder of its root.
#[derive(Debug)]
pub struct Within<'w> {
    pub files: &'w dyn ModuleFiles,
    pub folder: PathBuf,
}

impl ModuleFiles for Within<'_> {
    fn text(&self, path: &Path) -> ModuleText {
        self.files.of_dependency(&self.folder.join(path))
    }
}

/// Which names stand in code that is compiled.
struct Words<'w> {
    configuration: &'w Configuration,
    wanted: &'w [(String, usize)],
    found: FxHashSet<&'w str>,
}

impl Words<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => self.visit_ident(&ident),
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Words<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if self.configuration.keeps(super::read::attributes(item)) != Kept::Left {
            visit::visit_item(self, item);
        }
    }

    fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
        self.found.extend(self.wanted.iter().map(|(name, _)| name.as_str()).find(|name| ident == name));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_path(self, &call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
