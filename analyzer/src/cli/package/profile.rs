//! `[profile.NAME]` of the workspace: whether overflow fails, and whether `debug_assert!` counts.

use std::path::Path;

use toml::{Table, Value};

use super::metadata::Metadata;
use crate::report::Remark;
use crate::source::spelling::closest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    pub overflow_checks: bool,
    pub debug_assertions: bool,
}

const CHECKED: Profile = Profile { overflow_checks: true, debug_assertions: true };
const UNCHECKED: Profile = Profile { overflow_checks: false, debug_assertions: false };
/// Profiles may inherit from each other in circles.
const HOPS: usize = 16;

/// The profile of this name for a package. Profiles stand in the manifest of the workspace's root.
pub fn of(metadata: &Metadata, name: &str, package: &str) -> Result<Profile, Vec<Remark>> {
    settled_for(metadata, name, &[package])
}

/// The same for a package that others depend on.
pub fn of_dependency(metadata: &Metadata, name: &str, package: &str) -> Result<Profile, Vec<Remark>> {
    settled_for(metadata, name, &["*", package])
}

fn settled_for(metadata: &Metadata, name: &str, packages: &[&str]) -> Result<Profile, Vec<Remark>> {
    let path = metadata.workspace_root.join("Cargo.toml");
    let fail = |message: String| vec![Remark::call(format!("{}: {message}", path.display()), None)];
    let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| fail(error.message().to_string()))?;
    let empty = Table::new();
    let profiles = table.get("profile").and_then(Value::as_table).unwrap_or(&empty);
    read(profiles, name, packages, HOPS).map_err(|message| with_help(&path, profiles, name, message))
}

fn with_help(path: &Path, profiles: &Table, name: &str, message: String) -> Vec<Remark> {
    let known = ["dev", "release", "test", "bench"].into_iter().chain(profiles.keys().map(String::as_str));
    let help = closest(name, known).map(|near| format!("did you mean `{near}`?"));
    vec![Remark::call(format!("{}: {message}", path.display()), help.as_deref())]
}

fn read(profiles: &Table, name: &str, packages: &[&str], hops: usize) -> Result<Profile, String> {
    // What people call `debug` is the folder of the profile `dev`.
    let name = if name == "debug" { "dev" } else { name };
    let own = profiles.get(name).and_then(Value::as_table);
    let inherits = own.and_then(|own| own.get("inherits")).and_then(Value::as_str);
    let base = match (name, inherits) {
        _ if hops == 0 => return Err(format!("the profile `{name}` inherits from itself")),
        ("dev", _) => CHECKED,
        ("release", _) => UNCHECKED,
        ("test", _) => read(profiles, "dev", packages, hops - 1)?,
        ("bench", _) => read(profiles, "release", packages, hops - 1)?,
        (_, Some(base)) => read(profiles, base, packages, hops - 1)?,
        (_, None) if own.is_some() => return Err(format!("the profile `{name}` inherits from no other")),
        (_, None) => return Err(format!("there is no profile `{name}`")),
    };
    let nearer = |package: &&str| own.and_then(|own| own.get("package")?.get(package)?.as_table());
    Ok(own.into_iter().chain(packages.iter().filter_map(nearer)).fold(base, settled))
}

fn settled(base: Profile, table: &Table) -> Profile {
    let flag = |name: &str| table.get(name).and_then(Value::as_bool);
    Profile {
        overflow_checks: flag("overflow-checks").unwrap_or(base.overflow_checks),
        debug_assertions: flag("debug-assertions").unwrap_or(base.debug_assertions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(text: &str, name: &str) -> Result<Profile, String> {
        read(&text.parse().expect("TOML"), name, &["p"], HOPS)
    }

    #[test]
    fn what_nobody_says_is_as_in_cargo() {
        assert_eq!(profile("", "dev"), Ok(CHECKED));
        assert_eq!(profile("", "test"), Ok(CHECKED));
        assert_eq!(profile("", "release"), Ok(UNCHECKED));
        assert_eq!(profile("", "bench"), Ok(UNCHECKED));
        assert!(profile("", "fast").is_err());
    }

    #[test]
    fn the_nearer_setting_wins() {
        let text = "[release]\noverflow-checks = true\n[fast]\ninherits = \"release\"\ndebug-assertions = true\n\
                    [fast.package.p]\noverflow-checks = false\n[round]\ninherits = \"round\"";
        assert_eq!(profile(text, "release"), Ok(Profile { overflow_checks: true, debug_assertions: false }));
        assert_eq!(profile(text, "fast"), Ok(Profile { overflow_checks: false, debug_assertions: true }));
        assert!(profile(text, "round").is_err());
    }
}
