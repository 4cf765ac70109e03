//! The manifest of a copy: what the library needs, and nothing that is not there.
//!
//! No tests, benches or examples of its own and no dependencies that only those have. Its default features are on if all they
//! bring was fetched; else none is, for the analyzer as for the compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

#[derive(Clone, Debug)]
pub struct Manifest {
    table: Table,
    /// Where the library's root file stands.
    pub sources: PathBuf,
    /// Whether the default features are on.
    pub default: bool,
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
        let sources = Path::new(root.unwrap_or("src/lib.rs")).parent().unwrap_or(Path::new("")).to_path_buf();
        let mut manifest = Self { table, sources, default: true };
        let wanted = manifest.reached();
        let fetched = |name: &String| manifest.packages(name).iter().all(|package| is_there(vendor, package));
        manifest.default = wanted.dependencies.iter().all(fetched);
        let wanted = if manifest.default { wanted } else { Reached::default() };
        manifest.cut_down(&wanted);
        Ok(manifest)
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

    /// What the feature `default` turns on.
    fn reached(&self) -> Reached {
        let mut reached = Reached::default();
        let features = self.table.get("features").and_then(Value::as_table);
        let mut pending = vec!["default".to_string()];
        while let Some(name) = pending.pop() {
            let list = features.and_then(|features| features.get(&name)).and_then(Value::as_array);
            let Some(list) = list else {
                reached.dependencies.insert(name);
                continue;
            };
            if !reached.features.insert(name) {
                continue;
            }
            for entry in list.iter().filter_map(Value::as_str) {
                match (entry.strip_prefix("dep:"), entry.split_once('/')) {
                    (Some(name), _) => {
                        reached.dependencies.insert(name.into());
                    }
                    (None, Some((name, _))) if name.ends_with('?') => {}
                    (None, Some((name, _))) => {
                        reached.dependencies.insert(name.into());
                    }
                    (None, None) => pending.push(entry.into()),
                }
            }
        }
        reached.dependencies.remove("default");
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
