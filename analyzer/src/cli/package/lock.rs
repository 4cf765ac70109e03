//! `Cargo.lock`: which version of a package another one depends on, and where its sources are.
//!
//! Nothing is fetched: a package is where cargo has put it before, or it is not there.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The packages of a build, as cargo has chosen them.
#[derive(Debug, Default)]
pub struct Lock {
    packages: Vec<Locked>,
    sources: Sources,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    pub name: String,
    pub version: String,
    /// None for packages in a folder.
    source: Option<String>,
    /// `name`, `name version` or `name version (source)`.
    depends_on: Vec<String>,
}

/// Where the sources of a registry are.
#[derive(Debug, Default)]
enum Sources {
    #[default]
    Nowhere,
    /// `registry/src/*`, one folder for each registry.
    Registries(Vec<PathBuf>),
    /// The folder that takes the place of the registry.
    Vendored(PathBuf),
}

impl Lock {
    /// The lock beside the manifest of a workspace; without one nothing is known of registries.
    pub fn of(workspace: &Path) -> Self {
        let text = std::fs::read_to_string(workspace.join("Cargo.lock")).unwrap_or_default();
        let table: Table = text.parse().unwrap_or_default();
        let list = table.get("package").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Self { packages: list.iter().filter_map(locked).collect(), sources: Sources::of(workspace) }
    }

    /// The one package of a name that another depends on; none where several could be meant.
    pub fn dependency(&self, of: &Locked, name: &str) -> Option<&Locked> {
        let mut found = of.depends_on.iter().filter(|entry| entry.split(' ').next() == Some(name));
        let entry = found.next().filter(|_| found.next().is_none())?;
        let mut words = entry.split(' ').skip(1);
        let (version, source) = (words.next(), words.next());
        let source = source.map(|text| text.trim_matches(['(', ')']));
        let mut fitting = self.packages.iter().filter(|package| {
            package.name == name
                && version.is_none_or(|version| package.version == version)
                && source.is_none_or(|source| package.source.as_deref() == Some(source))
        });
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// A package and all that it may bring along.
    pub fn below<'l>(&'l self, first: &'l Locked) -> Vec<&'l Locked> {
        let mut found = vec![first];
        let mut next = 0;
        while let Some(package) = found.get(next).copied() {
            next += 1;
            for entry in &package.depends_on {
                let name = entry.split(' ').next().unwrap_or_default();
                let named = self.packages.iter().filter(|package| package.name == name);
                let new: Vec<&Locked> = named.filter(|package| !found.contains(package)).collect();
                found.extend(new);
            }
        }
        found
    }

    /// A package that is built from a folder.
    pub fn local(&self, name: &str, version: &str) -> Option<&Locked> {
        let named = |package: &&Locked| package.name == name && package.version == version;
        self.packages.iter().filter(named).find(|package| package.source.is_none())
    }

    /// The folder with the sources of a package of a registry, and what its manifest says.
    pub fn sources(&self, package: &Locked) -> Option<(PathBuf, Table)> {
        package.source.as_ref().filter(|source| source.starts_with("registry+"))?;
        let named = format!("{}-{}", package.name, package.version);
        let candidates: Vec<PathBuf> = match &self.sources {
            Sources::Nowhere => Vec::new(),
            Sources::Registries(all) => all.iter().map(|folder| folder.join(&named)).collect(),
            Sources::Vendored(folder) => vec![folder.join(&named), folder.join(&package.name)],
        };
        let said = |folder: PathBuf| manifest(&folder, package).map(|table| (folder, table));
        let mut found = candidates.into_iter().filter_map(said);
        found.next().filter(|_| found.next().is_none())
    }
}

fn locked(value: &Value) -> Option<Locked> {
    let word = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
    let depends_on = value.get("dependencies").and_then(Value::as_array).map(Vec::as_slice);
    let depends_on = depends_on.unwrap_or_default().iter().filter_map(Value::as_str);
    Some(Locked {
        name: word("name")?,
        version: word("version")?,
        source: word("source"),
        depends_on: depends_on.map(str::to_string).collect(),
    })
}

/// The manifest of a folder, if it is that of a package.
fn manifest(folder: &Path, package: &Locked) -> Option<Table> {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let table: Table = text.parse().ok()?;
    let said = |name: &str| table.get("package")?.get(name)?.as_str();
    let is_it = said("name") == Some(&package.name) && said("version") == Some(&package.version);
    is_it.then_some(table)
}

impl Sources {
    fn of(workspace: &Path) -> Self {
        let settings = ["config.toml", "config"].map(|name| workspace.join(".cargo").join(name));
        for path in settings {
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let table: Table = text.parse().unwrap_or_default();
            let Some(sources) = table.get("source").and_then(Value::as_table) else { continue };
            let replaced = sources.get("crates-io").and_then(|own| own.get("replace-with")?.as_str());
            let folder = replaced.and_then(|name| sources.get(name)?.get("directory")?.as_str());
            return folder.map_or(Self::Nowhere, |folder| Self::Vendored(workspace.join(folder)));
        }
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let Some(home) = home else { return Self::Nowhere };
        let folders = std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        folders.sort();
        Self::Registries(folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_versions_are_told_apart_by_who_asks() {
        let text = "[[package]]\nname = \"own\"\nversion = \"1.0.0\"\ndependencies = [\"a 1.0.0\", \"b\", \"c 1.0.0\", \"c 2.0.0\"]\n\
                    [[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n\
                    [[package]]\nname = \"a\"\nversion = \"2.0.0\"\nsource = \"registry+x\"\n\
                    [[package]]\nname = \"b\"\nversion = \"0.1.0\"\nsource = \"registry+x\"\ndependencies = [\"a 2.0.0\"]\n";
        let table: Table = text.parse().expect("TOML");
        let list = table["package"].as_array().expect("packages");
        let lock = Lock { packages: list.iter().filter_map(locked).collect(), sources: Sources::Nowhere };
        let own = lock.local("own", "1.0.0").expect("the package itself");
        let version = |of: &Locked, name: &str| lock.dependency(of, name).map(|found| found.version.clone());
        assert_eq!(version(own, "a").as_deref(), Some("1.0.0"));
        let other = lock.dependency(own, "b").expect("one version");
        assert_eq!(version(other, "a").as_deref(), Some("2.0.0"));
        assert_eq!(version(own, "c"), None, "either of two");
        assert_eq!(lock.sources(other), None, "sources that are nowhere");
    }
}
