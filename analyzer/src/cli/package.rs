//! Packages and workspaces: what of them is looked at, and how it is built.
//!
//! `cargo metadata` says what there is, without dependencies and offline, so that nothing of the tree is executed.
//! Everything else is read here: features, profiles, targets.

mod built;
mod dependencies;
mod features;
mod lock;
mod manifest;
mod metadata;
mod profile;
mod selection;
mod target;

use std::path::{Path, PathBuf};

use clap::Args;

use super::config::{self, Config};
use crate::frontend::Arithmetic;
use crate::frontend::rust::{Root, RustOptions, Users};
use crate::report::{self, Remark};

use built::Built;
use dependencies::{Graph, Uses};
pub use metadata::Metadata;
use metadata::{Package, Target};
pub use target::triple;

/// Which packages.
#[derive(Clone, Debug, Default, Args)]
pub struct Selection {
    /// A package to look at; may be given several times [default: as cargo chooses]
    #[arg(short = 'p', long = "package", value_name = "NAME")]
    pub packages: Vec<String>,
    /// All packages of the workspace
    #[arg(long)]
    pub workspace: bool,
    /// With `--workspace`: not this one
    #[arg(long, value_name = "NAME", requires = "workspace")]
    pub exclude: Vec<String>,
    /// The package or workspace [default: the one around the current folder]
    #[arg(long, value_name = "Cargo.toml")]
    pub manifest_path: Option<PathBuf>,
}

impl Selection {
    fn is_given(&self) -> bool {
        !self.packages.is_empty() || self.workspace || self.manifest_path.is_some()
    }
}

/// What of a package, and how it is built.
#[derive(Clone, Debug, Default, Args)]
pub struct Building {
    /// All features of the packages
    #[arg(long)]
    pub all_features: bool,
    /// Without the feature `default`
    #[arg(long)]
    pub no_default_features: bool,
    /// The target it is built for [default: this machine]
    #[arg(long, value_name = "TRIPLE", value_parser = triple)]
    pub target: Option<String>,
    /// As built with `--release`
    #[arg(long, conflicts_with = "profile")]
    pub release: bool,
    /// As built with this profile [default: dev]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// What cargo said when it built them, with what build scripts set and made: `cargo check --message-format json`
    #[arg(long, value_name = "FILE")]
    pub built: Option<PathBuf>,
    /// The library
    #[arg(long)]
    pub lib: bool,
    /// All binaries
    #[arg(long)]
    pub bins: bool,
    /// A binary; may be given several times
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    /// Tests: of the library, of binaries, and those in files of their own
    #[arg(long)]
    pub tests: bool,
    /// Examples
    #[arg(long)]
    pub examples: bool,
    /// All of these
    #[arg(long)]
    pub all_targets: bool,
}

impl Building {
    fn names_targets(&self) -> bool {
        self.lib || self.bins || !self.bin.is_empty() || self.tests || self.examples || self.all_targets
    }

    /// Whether something is asked that only packages have.
    pub fn is_given(&self, selection: &Selection) -> bool {
        let Self { all_features, no_default_features, target, release, profile, .. } = self;
        let built = *all_features || *no_default_features || *release;
        built || target.is_some() || profile.is_some() || self.names_targets() || selection.is_given()
    }
}

/// One root file, with how it is built.
#[derive(Clone, Debug)]
pub struct Unit {
    pub path: PathBuf,
    pub arithmetic: Arithmetic,
    pub config: Config,
    /// In the words of cargo.
    pub names: report::Unit,
    /// What people are told of it: package, profile, arithmetic, features, target.
    pub header: String,
    /// Other packages, by name.
    pub depends_on: Vec<String>,
    /// Where the workspace keeps what is built.
    pub target_folder: Option<PathBuf>,
}

/// Where settings come from besides manifests.
pub struct Settings<'s> {
    /// The file that the call names.
    pub named: Option<&'s Path>,
    /// What the call itself says.
    pub nearest: &'s Config,
}

/// What there is, and what is wrong: one package does not stop the others.
#[derive(Debug, Default)]
pub struct Units {
    pub units: Vec<Unit>,
    pub remarks: Vec<Remark>,
}

/// The units of a package or workspace.
pub fn units(
    manifest: &Path,
    selection: &Selection,
    building: &Building,
    settings: &Settings<'_>,
    arithmetic: Option<Arithmetic>,
) -> Units {
    found(manifest, selection, building, settings, arithmetic)
        .unwrap_or_else(|remarks| Units { units: Vec::new(), remarks })
}

fn found(
    manifest: &Path,
    selection: &Selection,
    building: &Building,
    settings: &Settings<'_>,
    arithmetic: Option<Arithmetic>,
) -> Result<Units, Vec<Remark>> {
    let metadata = Metadata::of(manifest)?;
    let packages = selection::packages(&metadata, manifest, selection)?;
    features::known(&packages, &settings.nearest.rust.features)?;
    let wanted = match (&building.profile, building.release) {
        (Some(name), _) => name.as_str(),
        (None, true) => "release",
        (None, false) => "dev",
    };
    if settings.nearest.rust.out_dir.is_some() && packages.len() > 1 {
        let message = "`--out-dir` names what the build script of one package made";
        return Err(vec![Remark::call(message, Some("choose one with `--package`"))]);
    }
    let target = target::described(building.target.as_deref());
    let built = building.built.as_deref().map(Built::read).transpose().map_err(|remark| vec![remark])?;
    let built = built.unwrap_or_default();
    let graph = Graph::of(&metadata, &target, &built);
    let mut found = Units::default();
    for package in packages {
        let config =
            match config::of_package(&metadata.workspace_root, &package.manifest_path, settings.named) {
                Ok(config) => config.then(settings.nearest),
                Err(remarks) => {
                    for remark in remarks {
                        // Members share what is wrong with their workspace.
                        if !found.remarks.iter().any(|known| known.repeats(&remark)) {
                            found.remarks.push(remark);
                        }
                    }
                    continue;
                }
            };
        let said = built.said(&package.name, &package.version);
        let mut config = config;
        if let Some(said) = said {
            config.rust.cfg.extend(said.cfg.iter().cloned());
            config.rust.out_dir.get_or_insert_with(|| said.out_dir.clone());
        }
        let rust = &config.rust;
        let profile = profile::of(&metadata, wanted, &package.name)?;
        let features = features::enabled(package, building, &rust.features);
        for (target_of, root) in selection::targets(package, building, &features)? {
            let same_profile =
                |name: &str| profile::of_dependency(&metadata, wanted, name).ok() == Some(profile);
            let uses = match root {
                Root::Tests if target_of.is_library() => Uses::LibraryAndTests,
                Root::Tests => Uses::Tests,
                _ if target_of.is("example") => Uses::Tests,
                _ if target_of.is_library() => Uses::Library,
                _ => Uses::Program,
            };
            let dependencies = graph.of_package(package, &features, uses, &same_profile);
            let options = RustOptions {
                features: features.clone(),
                root,
                pointer_width: rust.pointer_width.or(Some(target.pointer_width)),
                target: Some(target.clone()),
                debug_assertions: rust.debug_assertions.or(Some(profile.debug_assertions)),
                cfg: cfg_of(rust, root),
                crates: package.public_dependencies(),
                users: if root == Root::Library { package.users(&features) } else { Users::default() },
                dependencies,
                edition: target_of.edition.parse().ok(),
                ..rust.clone()
            };
            let config = Config { rust: options, ..config.clone() };
            let own = if profile.overflow_checks { Arithmetic::Debug } else { Arithmetic::Release };
            let arithmetic = arithmetic.unwrap_or(own);
            let checks = (arithmetic, config.rust.debug_assertions == Some(true));
            let mut header = header(package, target_of, wanted, checks, &features, &target.name);
            if let Some(file) = &building.built {
                header += &format!(" · build scripts as {} says", file.display());
            } else if let Some(made) = &config.rust.out_dir {
                header += &format!(" · build script's files in {}", shown(made).display());
            }
            let depends_on = package.dependencies.iter().map(|other| other.name.clone()).collect();
            let names = report::Unit {
                package: package.name.clone(),
                package_id: package.id.clone(),
                manifest: package.manifest_path.display().to_string(),
                target: target_of.name.clone(),
                kind: target_of.kind().to_string(),
                root: target_of.src_path.display().to_string(),
                edition: target_of.edition.clone(),
            };
            found.units.push(Unit {
                path: shown(&target_of.src_path),
                arithmetic,
                config,
                names,
                header,
                depends_on,
                target_folder: metadata.target_directory.clone(),
            });
        }
    }
    match found.units.is_empty() && found.remarks.is_empty() {
        true => Err(vec![Remark::call(
            "nothing to look at: no package has such a target",
            Some("`--lib`, `--bins`, `--tests`, `--examples` and `--all-targets` choose targets"),
        )]),
        false => Ok(found),
    }
}

/// Tests are built with `cfg(test)`.
fn cfg_of(rust: &RustOptions, root: Root) -> Vec<(String, Option<String>)> {
    let test = (root == Root::Tests).then(|| ("test".to_string(), None));
    rust.cfg.iter().cloned().chain(test).collect()
}

fn header(
    package: &Package,
    target: &Target,
    profile: &str,
    (arithmetic, asserts): (Arithmetic, bool),
    features: &[String],
    triple: &str,
) -> String {
    let features = match features.is_empty() {
        true => "no features".to_string(),
        false => format!("features {}", features.join(", ")),
    };
    let arithmetic = match (arithmetic, asserts) {
        (Arithmetic::Debug, true) => "overflow fails",
        (Arithmetic::Debug, false) => "overflow fails, no debug assertions",
        (Arithmetic::Release, false) => "overflow wraps",
        (Arithmetic::Release, true) => "overflow wraps, debug assertions",
    };
    let Package { name, version, .. } = package;
    let target = format!("{} {}", target.kind(), target.name);
    format!("{name} {version} ({target}) · profile {profile}, {arithmetic} · {features} · {triple}")
}

/// As people name it from where they are.
pub fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let inside = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    inside.unwrap_or_else(|| path.to_path_buf())
}

/// The manifest that an argument means: a `Cargo.toml`, or the one of a folder.
pub fn manifest_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.join("Cargo.toml")).filter(|manifest| manifest.is_file());
    }
    (path.file_name()? == "Cargo.toml").then(|| path.to_path_buf())
}

/// The folder of the workspace around the current one.
pub fn workspace_root(selection: &Selection) -> Result<PathBuf, Vec<Remark>> {
    Ok(Metadata::of(&manifest_here(selection)?)?.workspace_root)
}

/// The manifest of a call that names no file: the one given, or the nearest one around the current folder.
pub fn manifest_here(selection: &Selection) -> Result<PathBuf, Vec<Remark>> {
    if let Some(given) = &selection.manifest_path {
        return Ok(given.clone());
    }
    let here = std::env::current_dir().unwrap_or_default();
    let found = here.ancestors().map(|folder| folder.join("Cargo.toml")).find(|path| path.is_file());
    found.ok_or_else(|| {
        let message = format!("there is no `Cargo.toml` in {} nor in a folder around it", here.display());
        vec![Remark::call(message, Some("name a file, or use `--manifest-path`"))]
    })
}

/// The property files of the selected packages: `properties/*.toml`, and those that
/// `[package.metadata.kleene] properties = […]` names.
pub fn property_files(manifest: &Path, selection: &Selection) -> Result<Vec<PathBuf>, Vec<Remark>> {
    let metadata = Metadata::of(manifest)?;
    let mut found = Vec::new();
    for package in selection::packages(&metadata, manifest, selection)? {
        let folder = package.folder();
        let entries = std::fs::read_dir(folder.join("properties")).into_iter().flatten().flatten();
        let mut own: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
            .collect();
        own.extend(package.properties()?.into_iter().map(|path| folder.join(path)));
        own.sort();
        found.extend(own.iter().map(|path| shown(path)));
    }
    found.dedup();
    match found.is_empty() {
        true => Err(vec![Remark::call(
            "nothing to check: no package has a property file",
            Some(
                "property files stand in `properties/*.toml`, or in the list `properties` of `[package.metadata.kleene]`",
            ),
        )]),
        false => Ok(found),
    }
}
