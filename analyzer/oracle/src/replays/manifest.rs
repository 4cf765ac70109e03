//! The manifest of a copy: what the library needs, and nothing that is not there.
//!
//! No tests, benches or examples of its own and no dependencies that only those have. Of its default features those are on
//! that bring nothing which was not fetched, for the analyzer as for the compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

#[derive(Clone, Debug)]
pub struct Manifest {
    table: Table,
    /// The library's root file.
    pub root: PathBuf,
    /// The features that are on.
    pub features: Vec<String>,
}

const UNNEEDED: [&str; 9] =
    ["dev-dependencies", "bench", "test", "example", "bin", "lints", "profile", "badges", "workspace"];

impl Manifest {
    pub fn read(source: &Path, vendor: &Path) -> Result<Self, String> {
        let path = source.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut table: Table = text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
        UNNEEDED.iter().for_each(|unneeded| {
            table.remove(*unneeded);
        });
        let root = table.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
        let root = PathBuf::from(root.unwrap_or("src/lib.rs"));
        let mut manifest = Self { table, root, features: Vec::new() };
        let mut wanted = Reached::default();
        for entry in manifest.entries("default") {
            let reached = manifest.reached(&entry);
            let is_fetched = |name: &String| manifest.packages(name).iter().all(|it| is_there(vendor, it));
            if reached.dependencies.iter().all(is_fetched) {
                wanted.features.extend(reached.features);
                wanted.dependencies.extend(reached.dependencies);
                manifest.features.push(entry);
            }
        }
        manifest.cut_down(&wanted);
        Ok(manifest)
    }

    /// The folder of the library's root file.
    pub fn sources(&self) -> &Path {
        self.root.parent().unwrap_or(Path::new(""))
    }

    /// The text, with another file as the library's root.
    pub fn with_root(&self, root: &Path) -> String {
        let mut table = self.table.clone();
        let lib = table.entry("lib").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(lib) = lib {
            lib.insert("path".into(), Value::String(root.display().to_string()));
            lib.insert("test".into(), Value::Boolean(true));
            lib.remove("bench");
        }
        table.insert("workspace".into(), Value::Table(Table::new()));
        table.to_string()
    }

    /// What a feature turns on directly.
    fn entries(&self, feature: &str) -> Vec<String> {
        let features = self.table.get("features").and_then(Value::as_table);
        let list = features.and_then(|features| features.get(feature)).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|entry| Some(entry.as_str()?.to_string())).collect()
    }

    /// What a feature, or what one may name, turns on.
    fn reached(&self, entry: &str) -> Reached {
        let mut reached = Reached::default();
        let features = self.table.get("features").and_then(Value::as_table);
        let mut pending = vec![entry.to_string()];
        while let Some(entry) = pending.pop() {
            match (entry.strip_prefix("dep:"), entry.split_once('/')) {
                (None, Some((name, _))) if name.ends_with('?') => {}
                (Some(name), _) | (None, Some((name, _))) => {
                    reached.dependencies.insert(name.into());
                }
                (None, None) if features.is_some_and(|features| features.contains_key(&entry)) => {
                    if reached.features.insert(entry.clone()) {
                        pending.extend(self.entries(&entry));
                    }
                }
                (None, None) => {
                    reached.dependencies.insert(entry);
                }
            }
        }
        reached
    }

    fn cut_down(&mut self, wanted: &Reached) {
        let mut left_out = BTreeSet::new();
        for dependencies in dependencies(&mut self.table) {
            let is_unneeded = |(name, value): (&String, &Value)| {
                let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
                (optional && !wanted.dependencies.contains(name)).then(|| name.clone())
            };
            let unneeded: Vec<String> = dependencies.iter().filter_map(is_unneeded).collect();
            for name in unneeded {
                dependencies.remove(&name);
                left_out.insert(name);
            }
        }
        if let Some(Value::Table(features)) = self.table.get_mut("features") {
            features.retain(|name, _| wanted.features.contains(name));
            let on = self.features.iter().cloned().map(Value::String).collect();
            features.insert("default".into(), Value::Array(on));
            for (_, list) in features.iter_mut() {
                let Value::Array(list) = list else { continue };
                let name = |entry: &str| entry.split(['/', '?']).next().unwrap_or(entry).to_string();
                list.retain(|entry| !entry.as_str().is_some_and(|entry| left_out.contains(&name(entry))));
            }
        }
    }

    /// What a dependency is called where it comes from, for all targets.
    fn packages(&self, name: &str) -> Vec<String> {
        let mut table = self.table.clone();
        let found = dependencies(&mut table).into_iter().filter_map(|list| list.get(name).cloned());
        let package = |value: Value| value.get("package").and_then(Value::as_str).unwrap_or(name).to_string();
        found.map(package).collect()
    }
}

/// Features that are on, and optional dependencies that they bring.
#[derive(Clone, Debug, Default)]
struct Reached {
    features: BTreeSet<String>,
    dependencies: BTreeSet<String>,
}

/// All tables of dependencies; those of tests are removed.
fn dependencies(table: &mut Table) -> Vec<&mut Table> {
    let mut found = Vec::new();
    for (key, value) in table.iter_mut() {
        match (key.as_str(), value) {
            ("dependencies", Value::Table(list)) => found.push(list),
            ("target", Value::Table(targets)) => {
                for (_, target) in targets.iter_mut() {
                    let Value::Table(target) = target else { continue };
                    target.remove("dev-dependencies");
                    if let Some(Value::Table(list)) = target.get_mut("dependencies") {
                        found.push(list);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn is_there(vendor: &Path, package: &str) -> bool {
    let entries = std::fs::read_dir(vendor).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.into_iter().any(|name| {
        let version = name.strip_prefix(package).and_then(|rest| rest.strip_prefix('-'));
        version.is_some_and(|version| version.starts_with(|letter: char| letter.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
[package]
name = "sample"
version = "1.0.0"

[lib]
path = "code/lib.rs"
bench = false

[dependencies.there]
version = "1"
optional = true

[dependencies.missing]
version = "1"
optional = true

[dependencies.needed]
version = "1"

[dev-dependencies.criterion]
version = "1"

[features]
default = ["std", "fancy", "more"]
std = ["there?/std"]
fancy = ["dep:missing", "std"]
more = ["dep:there"]
unused = ["missing/all"]
"#;

    #[test]
    fn what_was_not_fetched_is_off() {
        let folder = std::env::temp_dir().join(format!("kleene-manifest-{}", std::process::id()));
        let vendor = folder.join("vendor");
        std::fs::create_dir_all(vendor.join("there-1.2.3")).expect("a folder");
        std::fs::write(folder.join("Cargo.toml"), TEXT).expect("a file");
        let manifest = Manifest::read(&folder, &vendor).expect("a manifest");
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(manifest.features, ["std", "more"]);
        assert_eq!(manifest.sources(), Path::new("code"));
        let text = manifest.with_root(Path::new("code/other.rs"));
        for gone in ["missing", "criterion", "unused", "fancy", "code/lib.rs"] {
            assert!(!text.contains(gone), "{gone} in\n{text}");
        }
        for kept in ["needed", "there?/std", "dep:there", "code/other.rs"] {
            assert!(text.contains(kept), "no {kept} in\n{text}");
        }
    }
}
