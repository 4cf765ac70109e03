//! The packages that one depends on: where their sources are, and which of their features are on.
//!
//! As cargo would build the package by itself with the chosen features. What another build may add to that (another
//! member of the workspace, tests and build scripts where an old resolver counts them, a package whose manifest is not
//! at hand) makes a feature one that nobody can decide here. Nothing is executed and nothing is fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::built::Built;
use super::lock::{Lock, Locked};
use super::manifest::{Kind, Manifest, Wanted};
use super::metadata::{Metadata, Package};
use crate::frontend::rust::{Configuration, Dependencies, Dependency, Target, Undecided};

/// Packages beyond this many are not looked at.
const MOST_PACKAGES: usize = 600;

/// Everything that is known of the packages of a workspace.
pub struct Graph {
    nodes: Vec<Node>,
    built: Built,
    by_folder: BTreeMap<PathBuf, usize>,
    lock: Lock,
    members: Vec<usize>,
    target: Target,
    /// What belongs to other targets, to tests and to build scripts counts for features, too.
    counts_all: bool,
}

struct Node {
    manifest: Manifest,
    locked: Option<Locked>,
    /// For each dependency that is asked for, its node; none where it is not at hand.
    edges: Vec<Option<usize>>,
}

/// Which features of which nodes are on, and which dependencies are taken in.
#[derive(Default)]
struct Chosen {
    features: BTreeSet<(usize, String)>,
    /// By node and the place among what it asks for.
    taken: BTreeSet<(usize, usize)>,
    /// Nodes that something depends on which is not at hand: it may ask for more.
    doubtful: BTreeSet<usize>,
}

/// What of a package is looked at: its other targets use its library, and tests what is there for them alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    Library,
    LibraryAndTests,
    Program,
    Tests,
}

impl Uses {
    fn has_tests(self) -> bool {
        matches!(self, Self::LibraryAndTests | Self::Tests)
    }

    fn has_library(self) -> bool {
        matches!(self, Self::Program | Self::Tests)
    }
}

impl Graph {
    pub fn of(metadata: &Metadata, target: &Target, built: &Built) -> Self {
        let mut graph = Self {
            built: built.clone(),
            nodes: Vec::new(),
            by_folder: BTreeMap::new(),
            lock: Lock::of(&metadata.workspace_root),
            members: Vec::new(),
            target: target.clone(),
            counts_all: counts_all(&metadata.workspace_root),
        };
        for package in metadata.members(&metadata.workspace_members) {
            let manifest = Manifest::of_member(package);
            let locked = graph.lock.local(&package.name, &package.version).cloned();
            let node = graph.add(package.folder(), manifest, locked);
            graph.members.push(node);
        }
        let mut next = 0;
        while next < graph.nodes.len() {
            graph.connect(next);
            next += 1;
        }
        graph
    }

    fn add(&mut self, folder: &Path, manifest: Manifest, locked: Option<Locked>) -> usize {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        self.by_folder.insert(folder, self.nodes.len());
        self.nodes.push(Node { manifest, locked, edges: Vec::new() });
        self.nodes.len() - 1
    }

    fn connect(&mut self, node: usize) {
        let wanted = self.nodes[node].manifest.wanted.clone();
        // Tests and scripts of others are not built.
        let member = self.members.contains(&node);
        let edges = wanted.iter().map(|wanted| match wanted.kind {
            Kind::Dev | Kind::Build if !(member || self.counts_all && wanted.kind == Kind::Build) => None,
            _ => self.found(node, wanted),
        });
        self.nodes[node].edges = edges.collect();
    }

    fn found(&mut self, of: usize, wanted: &Wanted) -> Option<usize> {
        let (folder, said, locked) = match &wanted.path {
            Some(path) => (path.clone(), None, None),
            None => {
                let locked = self.lock.dependency(self.nodes[of].locked.as_ref()?, &wanted.package)?.clone();
                let (folder, said) = self.lock.sources(&locked)?;
                (folder, Some(said), Some(locked))
            }
        };
        let folder = folder.canonicalize().ok()?;
        if let Some(known) = self.by_folder.get(&folder) {
            return Some(*known).filter(|known| self.nodes[*known].manifest.name == wanted.package);
        }
        if self.nodes.len() >= MOST_PACKAGES {
            return None;
        }
        let manifest = match said {
            Some(said) => Manifest::of(&said, &folder),
            None => Manifest::read(&folder),
        };
        let manifest = manifest.filter(|manifest| manifest.name == wanted.package)?;
        let locked = locked.or_else(|| self.lock.local(&manifest.name, &manifest.version).cloned());
        Some(self.add(&folder, manifest, locked))
    }

    /// What a package's code may be read of, with these features of its own.
    pub fn of_package(
        &self,
        package: &Package,
        features: &[String],
        uses: Uses,
        is_same_profile: &dyn Fn(&str) -> bool,
    ) -> Dependencies {
        let folder = package.folder().canonicalize().unwrap_or_else(|_| package.folder().to_path_buf());
        let Some(own) = self.by_folder.get(&folder).copied() else { return Dependencies::default() };
        let tests: &[usize] = if uses.has_tests() { &[own] } else { &[] };
        let certain = self.chosen(&[(own, features.to_vec())], tests, Extent::Needed);
        let default = |node: &usize| (*node, vec!["default".to_string()]);
        let mut roots: Vec<(usize, Vec<String>)> = self.members.iter().map(default).collect();
        roots.push((own, features.to_vec()));
        let extent = if self.counts_all { Extent::All } else { Extent::Needed };
        let all = if self.counts_all { self.members.clone() } else { tests.to_vec() };
        let possible = self.chosen(&roots, &all, extent);
        self.listed(own, uses, &certain, &possible, is_same_profile)
    }

    fn listed(
        &self,
        own: usize,
        uses: Uses,
        certain: &Chosen,
        possible: &Chosen,
        is_same_profile: &dyn Fn(&str) -> bool,
    ) -> Dependencies {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let reached = certain.taken.iter().filter_map(|(node, at)| self.nodes[*node].edges[*at]);
        let library = uses.has_library().then_some(own);
        for node in reached.filter(|node| *node != own).chain(library).collect::<BTreeSet<usize>>() {
            let manifest = &self.nodes[node].manifest;
            if manifest.library.is_some() && is_same_profile(&manifest.name) {
                numbers.insert(node, numbers.len());
            }
        }
        let of = |node: usize, kinds: &[Kind]| self.named(node, kinds, certain, &numbers);
        let normal = [Kind::Normal];
        let list = numbers.keys().map(|node| self.described(*node, certain, possible, of(*node, &normal)));
        let list = list.collect();
        let kinds = [Kind::Normal, Kind::Dev];
        let mut named = of(own, if uses.has_tests() { &kinds } else { &normal });
        let library = self.nodes[own].manifest.library.as_ref().map(|(_, name)| name.clone());
        named.extend(library.zip(numbers.get(&own).copied()).filter(|_| uses.has_library()));
        Dependencies { list, named }
    }

    fn described(
        &self,
        node: usize,
        certain: &Chosen,
        possible: &Chosen,
        named: Vec<(String, usize)>,
    ) -> Dependency {
        let manifest = &self.nodes[node].manifest;
        let doubtful = certain.doubtful.contains(&node) || possible.doubtful.contains(&node);
        let (mut features, mut undecided) = (Vec::new(), Vec::new());
        for name in manifest.features.keys() {
            let key = (node, name.clone());
            if certain.features.contains(&key) {
                features.push(name.clone());
            } else if doubtful || possible.features.contains(&key) {
                undecided.push(name.clone());
            }
        }
        let public = manifest.wanted.iter().filter(|it| it.kind == Kind::Normal && it.renamed.is_none());
        let public = public.filter(|it| it.path.is_none()).map(|it| it.package.replace('-', "_"));
        let (root, _) = manifest.library.clone().unwrap_or_default();
        let said = self.built.said(&manifest.name, &manifest.version);
        Dependency {
            name: manifest.name.clone(),
            root: root.canonicalize().unwrap_or(root),
            edition: manifest.edition,
            features,
            undecided: Undecided {
                features: undecided,
                names: Vec::new(),
                any_name: manifest.sets_conditions && said.is_none(),
            },
            cfg: said.map(|said| said.cfg.clone()).unwrap_or_default(),
            out_dir: said.map(|said| said.out_dir.clone()),
            named,
            public: public.collect(),
        }
    }

    /// The names that the code of a package has for others.
    fn named(
        &self,
        node: usize,
        kinds: &[Kind],
        chosen: &Chosen,
        numbers: &BTreeMap<usize, usize>,
    ) -> Vec<(String, usize)> {
        let mut found: Vec<(String, usize)> = Vec::new();
        let mut doubtful: BTreeSet<String> = BTreeSet::new();
        for (at, wanted) in self.nodes[node].manifest.wanted.iter().enumerate() {
            if !kinds.contains(&wanted.kind) || !chosen.taken.contains(&(node, at)) {
                continue;
            }
            let edge = self.nodes[node].edges.get(at).copied().flatten();
            let library = edge.and_then(|edge| self.nodes[edge].manifest.library.as_ref());
            let own = library.map_or(wanted.package.replace('-', "_"), |(_, name)| name.clone());
            let name = wanted.renamed.as_ref().map_or(own, |name| name.replace('-', "_"));
            match edge.and_then(|edge| numbers.get(&edge)) {
                Some(number) if found.iter().all(|(known, other)| *known != name || other == number) => {
                    found.push((name, *number));
                }
                _ => drop(doubtful.insert(name)),
            }
        }
        found.retain(|(name, _)| !doubtful.contains(name));
        found.dedup();
        found
    }
}

/// What of a build counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Needed,
    All,
}

/// Something that is yet to be switched on.
enum Work {
    Feature(usize, String),
    Dependency(usize, usize),
}

impl Graph {
    /// Switches on what some packages with some features ask for, and all that follows from it.
    fn chosen(&self, roots: &[(usize, Vec<String>)], tests: &[usize], extent: Extent) -> Chosen {
        let mut chosen = Chosen::default();
        let mut work: Vec<Work> = Vec::new();
        let mut begun: BTreeSet<usize> = BTreeSet::new();
        for (node, features) in roots {
            self.begin(*node, tests, extent, &mut begun, &mut work);
            work.extend(features.iter().map(|name| Work::Feature(*node, name.clone())));
        }
        // `name?/feature`: counts as soon as the dependency is taken in.
        let mut waiting: Vec<(usize, String, String)> = Vec::new();
        while !work.is_empty() {
            while let Some(next) = work.pop() {
                self.switch_on(next, extent, &mut chosen, &mut begun, &mut work, &mut waiting);
            }
            for (node, name, feature) in &waiting {
                let taken = self.places(*node, name).filter(|at| chosen.taken.contains(&(*node, *at)));
                let edges = taken.filter_map(|at| self.nodes[*node].edges[at]);
                let new = edges.filter(|edge| !chosen.features.contains(&(*edge, feature.clone())));
                let known = new.filter(|edge| self.nodes[*edge].manifest.features.contains_key(feature));
                work.extend(known.map(|edge| Work::Feature(edge, feature.clone())));
            }
        }
        chosen
    }

    fn switch_on(
        &self,
        next: Work,
        extent: Extent,
        chosen: &mut Chosen,
        begun: &mut BTreeSet<usize>,
        work: &mut Vec<Work>,
        waiting: &mut Vec<(usize, String, String)>,
    ) {
        match next {
            Work::Feature(node, name) => {
                let Some(implied) = self.nodes[node].manifest.features.get(&name) else { return };
                if chosen.features.insert((node, name)) {
                    implied.iter().for_each(|entry| self.imply(node, entry, work, waiting));
                }
            }
            Work::Dependency(node, at) if chosen.taken.insert((node, at)) => {
                let wanted = &self.nodes[node].manifest.wanted[at];
                let Some(edge) = self.nodes[node].edges.get(at).copied().flatten() else {
                    return self.doubt(node, wanted, chosen);
                };
                self.begin(edge, &[], extent, begun, work);
                let default = wanted.default_features.then(|| "default".to_string());
                let asked = wanted.features.iter().cloned().chain(default);
                work.extend(asked.map(|name| Work::Feature(edge, name)));
            }
            Work::Dependency(..) => {}
        }
    }

    /// What a package needs whatever its features are.
    fn begin(
        &self,
        node: usize,
        tests: &[usize],
        extent: Extent,
        begun: &mut BTreeSet<usize>,
        work: &mut Vec<Work>,
    ) {
        if !begun.insert(node) {
            return;
        }
        for (at, wanted) in self.nodes[node].manifest.wanted.iter().enumerate() {
            let counts = match wanted.kind {
                Kind::Normal => true,
                Kind::Dev => tests.contains(&node),
                Kind::Build => extent == Extent::All,
            };
            if counts && !wanted.optional && (extent == Extent::All || self.is_built(wanted)) {
                work.push(Work::Dependency(node, at));
            }
        }
    }

    fn imply(
        &self,
        node: usize,
        entry: &str,
        work: &mut Vec<Work>,
        waiting: &mut Vec<(usize, String, String)>,
    ) {
        if let Some(name) = entry.strip_prefix("dep:") {
            work.extend(self.places(node, name).map(|at| Work::Dependency(node, at)));
            return;
        }
        let Some((name, feature)) = entry.split_once('/') else {
            work.push(Work::Feature(node, entry.to_string()));
            return;
        };
        let plain = name.strip_suffix('?');
        if plain.is_none() {
            work.extend(self.places(node, name).map(|at| Work::Dependency(node, at)));
            work.push(Work::Feature(node, name.to_string()));
        }
        waiting.push((node, plain.unwrap_or(name).to_string(), feature.to_string()));
    }

    /// What a manifest asks for under a name.
    fn places<'g>(&'g self, node: usize, name: &'g str) -> impl Iterator<Item = usize> + 'g {
        let wanted = self.nodes[node].manifest.wanted.iter().enumerate();
        let built = wanted.filter(|(_, wanted)| self.is_built(wanted) && wanted.kind == Kind::Normal);
        built.filter(move |(_, wanted)| wanted.called() == name).map(|(at, _)| at)
    }

    /// Whether a dependency is one for the target; what nobody can decide is.
    fn is_built(&self, wanted: &Wanted) -> bool {
        let Some(target) = &wanted.target else { return true };
        match target.strip_prefix("cfg(").and_then(|rest| rest.strip_suffix(')')) {
            Some(condition) => {
                let pointer_width = self.target.pointer_width;
                let target = self.target.clone();
                let configuration = Configuration { target, pointer_width, ..Configuration::default() };
                configuration.holds_text(condition) != Some(false)
            }
            None => *target == self.target.name,
        }
    }

    /// What a package that is not at hand depends on may have more features.
    fn doubt(&self, of: usize, wanted: &Wanted, chosen: &mut Chosen) {
        let locked = self.nodes[of].locked.as_ref();
        let first = locked.and_then(|locked| self.lock.dependency(locked, &wanted.package));
        match first {
            Some(first) => {
                let below = self.lock.below(first);
                let named = |locked: &Option<Locked>| locked.as_ref().is_some_and(|own| below.contains(&own));
                let found = self.nodes.iter().enumerate().filter(|(_, node)| named(&node.locked));
                chosen.doubtful.extend(found.map(|(index, _)| index));
            }
            None => chosen.doubtful.extend(0..self.nodes.len()),
        }
    }
}

/// Whether the resolver of a workspace is the one that counts everything for features.
fn counts_all(workspace: &Path) -> bool {
    let text = std::fs::read_to_string(workspace.join("Cargo.toml")).unwrap_or_default();
    let table: Table = text.parse().unwrap_or_default();
    let said = |section: &str| table.get(section).and_then(|found| found.get("resolver")?.as_str());
    let edition = table.get("package").and_then(|package| package.get("edition")).and_then(Value::as_str);
    match said("workspace").or(said("package")) {
        Some(resolver) => resolver == "1",
        None => edition.and_then(|edition| edition.parse::<u32>().ok()).is_none_or(|edition| edition < 2021),
    }
}
