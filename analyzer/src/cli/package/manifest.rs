//! What a manifest says of a library that others depend on: of members of the workspace cargo says it, of others their
//! `Cargo.toml` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::metadata;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub edition: u32,
    /// The root of the library and its name in code; none where there is no library that code can be read of.
    pub library: Option<(PathBuf, String)>,
    /// A program that runs before the build may set conditions.
    pub sets_conditions: bool,
    pub features: BTreeMap<String, Vec<String>>,
    pub wanted: Vec<Wanted>,
}

/// A dependency as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub package: String,
    /// The name that the manifest has for it, if that is another one.
    pub renamed: Option<String>,
    pub kind: Kind,
    pub optional: bool,
    pub default_features: bool,
    pub features: Vec<String>,
    pub target: Option<String>,
    pub path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Normal,
    Dev,
    Build,
}

impl Wanted {
    /// What features call it.
    pub fn called(&self) -> &str {
        self.renamed.as_deref().unwrap_or(&self.package)
    }
}

impl Manifest {
    pub fn of_member(package: &metadata::Package) -> Self {
        let library = package.targets.iter().find(|target| target.is_library());
        let readable = library.filter(|target| !target.is("proc-macro"));
        let edition = library.or(package.targets.first()).and_then(|target| target.edition.parse().ok());
        let script = package.targets.iter().find(|target| target.is("custom-build"));
        let wanted = package.dependencies.iter().map(|dependency| Wanted {
            package: dependency.name.clone(),
            renamed: dependency.rename.clone(),
            kind: match dependency.kind.as_deref() {
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                _ => Kind::Normal,
            },
            optional: dependency.optional,
            default_features: dependency.uses_default_features,
            features: dependency.features.clone(),
            target: dependency.target.clone(),
            path: dependency.path.clone(),
        });
        let wanted: Vec<Wanted> = wanted.collect();
        Self {
            name: package.name.clone(),
            version: package.version.clone(),
            edition: edition.unwrap_or(2015),
            library: readable.map(|target| (target.src_path.clone(), target.name.replace('-', "_"))),
            sets_conditions: script.is_some_and(|script| sets_conditions(&script.src_path, &wanted)),
            features: package.features.clone(),
            wanted,
        }
    }

    /// `None` where it is not there, or says something that only its own workspace knows.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        Self::of(&text.parse().ok()?, folder)
    }

    /// What the manifest in a folder says.
    pub fn of(table: &Table, folder: &Path) -> Option<Self> {
        let package = table.get("package")?.as_table()?;
        let edition = match package.get("edition") {
            Some(edition) => edition.as_str()?.parse().ok()?,
            None => 2015,
        };
        let name = package.get("name")?.as_str()?.to_string();
        let wanted = wanted(table, folder)?;
        let script = match package.get("build") {
            Some(Value::Boolean(false)) => None,
            Some(Value::String(path)) => Some(folder.join(path)),
            _ => Some(folder.join("build.rs")).filter(|path| path.is_file()),
        };
        Some(Self {
            version: package.get("version").map_or(Some("0.0.0"), Value::as_str)?.to_string(),
            edition,
            library: library(table, folder, &name),
            sets_conditions: script.is_some_and(|script| sets_conditions(&script, &wanted)),
            features: features(table, &wanted)?,
            name,
            wanted,
        })
    }
}

/// Whether a build script may set conditions: it says so, or others say it for it.
fn sets_conditions(script: &Path, wanted: &[Wanted]) -> bool {
    let text = std::fs::read_to_string(script).unwrap_or_default();
    let asks_others = wanted.iter().any(|wanted| wanted.kind == Kind::Build);
    text.is_empty() || text.contains("rustc-cfg") || text.contains("mod ") || asks_others
}

fn library(table: &Table, folder: &Path, package: &str) -> Option<(PathBuf, String)> {
    let own = table.get("lib").and_then(Value::as_table);
    let said = |name: &str| own.and_then(|own| own.get(name));
    let flag = |name: &str| said(name).and_then(Value::as_bool).unwrap_or(false);
    if flag("proc-macro") || flag("proc_macro") {
        return None;
    }
    let path = said("path").and_then(Value::as_str).unwrap_or("src/lib.rs");
    let name = said("name").and_then(Value::as_str).unwrap_or(package);
    Some((folder.join(path), name.replace('-', "_"))).filter(|(path, _)| path.is_file())
}

fn wanted(table: &Table, folder: &Path) -> Option<Vec<Wanted>> {
    let mut found = Vec::new();
    let mut among = |table: &Table, target: Option<&str>| -> Option<()> {
        let sections = [
            ("dependencies", Kind::Normal),
            ("dev-dependencies", Kind::Dev),
            ("dev_dependencies", Kind::Dev),
            ("build-dependencies", Kind::Build),
            ("build_dependencies", Kind::Build),
        ];
        for (section, kind) in sections {
            let list = table.get(section).and_then(Value::as_table);
            for (name, value) in list.into_iter().flatten() {
                found.push(one(name, value, kind, target, folder)?);
            }
        }
        Some(())
    };
    among(table, None)?;
    for (target, inner) in table.get("target").and_then(Value::as_table).into_iter().flatten() {
        among(inner.as_table()?, Some(target))?;
    }
    Some(found)
}

fn one(name: &str, value: &Value, kind: Kind, target: Option<&str>, folder: &Path) -> Option<Wanted> {
    let said = |name: &str| value.as_table().and_then(|table| table.get(name));
    // What the workspace says stands in another file.
    if said("workspace").is_some() {
        return None;
    }
    let default = said("default-features").or(said("default_features"));
    let features = said("features").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let package = said("package").and_then(Value::as_str);
    Some(Wanted {
        package: package.unwrap_or(name).to_string(),
        renamed: package.map(|_| name.to_string()),
        kind,
        optional: said("optional").and_then(Value::as_bool).unwrap_or(false),
        default_features: default.and_then(Value::as_bool).unwrap_or(true),
        features: features.iter().filter_map(Value::as_str).map(str::to_string).collect(),
        target: target.map(str::to_string),
        path: said("path").and_then(Value::as_str).map(|path| folder.join(path)),
    })
}

/// The table of features, and one for each dependency that may be left out and that no `dep:` speaks of.
fn features(table: &Table, wanted: &[Wanted]) -> Option<BTreeMap<String, Vec<String>>> {
    let mut found = BTreeMap::new();
    for (name, list) in table.get("features").and_then(Value::as_table).into_iter().flatten() {
        let list = list.as_array()?.iter().map(|entry| entry.as_str().map(str::to_string));
        found.insert(name.clone(), list.collect::<Option<Vec<String>>>()?);
    }
    let spoken: Vec<String> = found.values().flatten().filter(|it| it.starts_with("dep:")).cloned().collect();
    for wanted in wanted.iter().filter(|wanted| wanted.optional) {
        let entry = format!("dep:{}", wanted.called());
        if !spoken.contains(&entry) && !found.contains_key(wanted.called()) {
            found.insert(wanted.called().to_string(), vec![entry]);
        }
    }
    Some(found)
}
