//! What `cargo metadata` says of a workspace.
//!
//! Always without dependencies and offline: with them cargo may run a wrapper that the tree configures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::frontend::rust::Users;
use crate::report::Remark;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    /// Older versions of cargo do not say.
    pub workspace_default_members: Option<Vec<String>>,
    pub workspace_root: PathBuf,
    pub target_directory: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub manifest_path: PathBuf,
    pub targets: Vec<Target>,
    pub features: BTreeMap<String, Vec<String>>,
    pub dependencies: Vec<Dependency>,
    #[serde(default)]
    pub metadata: Value,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    pub rename: Option<String>,
    pub optional: bool,
    /// Where it comes from; none for a path.
    pub source: Option<String>,
    /// `dev` or `build`; none for what the code itself uses.
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default = "yes")]
    pub uses_default_features: bool,
    #[serde(default)]
    pub features: Vec<String>,
    /// For which targets only.
    #[serde(default)]
    pub target: Option<String>,
    #[serde(default)]
    pub path: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

impl Package {
    /// What it depends on that comes from a registry and keeps its name.
    pub fn public_dependencies(&self) -> Vec<String> {
        let public = |source: &String| source.starts_with("registry+");
        let found = self.dependencies.iter().filter(|it| it.rename.is_none() && it.source.iter().any(public));
        found.map(|dependency| dependency.name.replace('-', "_")).collect()
    }
}

#[derive(Debug, Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
    pub src_path: PathBuf,
    #[serde(default)]
    pub edition: String,
    #[serde(rename = "required-features", default)]
    pub required_features: Vec<String>,
}

impl Metadata {
    pub fn of(manifest: &Path) -> Result<Self, Vec<Remark>> {
        let fail = |message: String, help: Option<&str>| vec![Remark::call(message, help)];
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let said = Command::new(&cargo)
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
            .arg(manifest)
            .output()
            .map_err(|error| {
                let message = format!("`{}` cannot be started: {error}", cargo.to_string_lossy());
                fail(message, Some("packages are found by cargo: it is taken from CARGO or PATH"))
            })?;
        if !said.status.success() {
            let text = String::from_utf8_lossy(&said.stderr);
            let message = text.trim().strip_prefix("error: ").unwrap_or(text.trim()).to_string();
            return Err(fail(message, None));
        }
        serde_json::from_slice(&said.stdout)
            .map_err(|error| fail(format!("what cargo says is not understood: {error}"), None))
    }

    /// The packages of some ids, in the order of the workspace.
    pub fn members(&self, ids: &[String]) -> Vec<&Package> {
        self.packages.iter().filter(|package| ids.contains(&package.id)).collect()
    }
}

impl Package {
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// The tests and examples that use its library and are built with these features.
    pub fn users(&self, features: &[String]) -> Users {
        let library = self.targets.iter().find(|target| target.is_library());
        let is_built = |target: &&Target| {
            let all = target.required_features.iter().all(|feature| features.contains(feature));
            all && (target.is("test") || target.is("example"))
        };
        let roots = self.targets.iter().filter(is_built);
        Users {
            name: library.map_or(String::new(), |library| library.name.replace('-', "_")),
            roots: roots.map(|target| (target.src_path.clone(), target.edition.parse().ok())).collect(),
        }
    }

    /// The name under which the package's own code knows a dependency that may be left out.
    pub fn is_optional(&self, name: &str) -> bool {
        let called = |dependency: &Dependency| {
            dependency.rename.as_deref().unwrap_or(&dependency.name) == name && dependency.optional
        };
        self.dependencies.iter().any(called)
    }

    /// `[package.metadata.kleene] properties = […]`
    pub fn properties(&self) -> Result<Vec<PathBuf>, Vec<Remark>> {
        let Some(stated) = self.metadata.pointer("/kleene/properties") else { return Ok(Vec::new()) };
        let names =
            stated.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let Some(names) = names else {
            let message = format!(
                "{}: `properties` of `[package.metadata.kleene]` is a list of strings",
                self.manifest_path.display()
            );
            return Err(vec![Remark::call(message, Some("for example properties = [\"checks/door.toml\"]"))]);
        };
        Ok(names.into_iter().map(PathBuf::from).collect())
    }
}

impl Target {
    pub fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|own| own == kind)
    }

    /// A library of whatever kind.
    pub fn is_library(&self) -> bool {
        const KINDS: [&str; 6] = ["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"];
        KINDS.iter().any(|kind| self.is(kind))
    }

    pub fn kind(&self) -> &str {
        if self.is_library() { "lib" } else { self.kind.first().map_or("target", String::as_str) }
    }
}
