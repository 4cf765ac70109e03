//! Which features are on, from the package's own table.

use std::collections::BTreeSet;

use super::Building;
use super::metadata::Package;
use crate::report::Remark;
use crate::source::spelling::closest;

/// Every feature that is asked for is one of some package.
pub fn known(packages: &[&Package], asked: &[String]) -> Result<(), Vec<Remark>> {
    let has = |feature: &String| packages.iter().any(|package| named(package, feature).is_some());
    let missing = asked.iter().filter(|feature| !has(feature));
    let remarks: Vec<Remark> = missing
        .map(|feature| {
            let all = packages.iter().flat_map(|package| package.features.keys());
            let near = closest(feature, all.map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("none of the packages has the feature `{feature}`");
            Remark::call(message, help.as_deref())
        })
        .collect();
    if remarks.is_empty() { Ok(()) } else { Err(remarks) }
}

/// The feature of this package that is meant: `name`, or `package/name`.
fn named<'f>(package: &Package, asked: &'f str) -> Option<&'f str> {
    let (of, name) = asked.split_once('/').map_or((None, asked), |(of, name)| (Some(of), name));
    let here = of.is_none_or(|of| of == package.name) && package.features.contains_key(name);
    here.then_some(name)
}

/// The features that are on, and all they switch on, by name.
pub fn enabled(package: &Package, building: &Building, asked: &[String]) -> Vec<String> {
    let mut work: Vec<&str> = asked.iter().filter_map(|asked| named(package, asked)).collect();
    if building.all_features {
        work.extend(package.features.keys().map(String::as_str));
    }
    if !building.no_default_features {
        work.push("default");
    }
    let mut on: BTreeSet<&str> = BTreeSet::new();
    while let Some(next) = work.pop() {
        let Some(implied) = package.features.get(next) else { continue };
        if on.insert(next) {
            work.extend(implied.iter().filter_map(|entry| switched_on(package, entry)));
        }
    }
    on.into_iter().map(str::to_string).collect()
}

/// The feature of the package itself that an entry of its table switches on.
fn switched_on<'e>(package: &Package, entry: &'e str) -> Option<&'e str> {
    if entry.starts_with("dep:") {
        return None;
    }
    match entry.split_once('/') {
        None => Some(entry),
        // `name?/feature` changes nothing here; `name/feature` brings the dependency, which may be a feature.
        Some((name, _)) => (!name.ends_with('?') && package.is_optional(name)).then_some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        serde_json::from_value(serde_json::json!({
            "id": "p", "name": "p", "version": "1.0.0", "manifest_path": "/p/Cargo.toml", "targets": [],
            "features": {
                "default": ["std"], "std": ["alloc", "serde?/std"], "alloc": [], "serde": ["dep:serde"],
                "net": ["serde/derive", "tls?/ring", "dep:tls"], "round": ["trip"], "trip": ["round"],
            },
            "dependencies": [
                { "name": "serde", "rename": null, "optional": true },
                { "name": "tls", "rename": null, "optional": true },
            ],
        }))
        .expect("a package")
    }

    fn on(building: &Building, asked: &[&str]) -> Vec<String> {
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        enabled(&package(), building, &asked)
    }

    #[test]
    fn default_features_are_on_unless_they_are_switched_off() {
        let building = Building::default();
        assert_eq!(on(&building, &[]), ["alloc", "default", "std"]);
        let bare = Building { no_default_features: true, ..Building::default() };
        assert!(on(&bare, &[]).is_empty());
        assert_eq!(on(&bare, &["std"]), ["alloc", "std"]);
    }

    #[test]
    fn dependencies_are_features_where_cargo_says_so() {
        let bare = Building { no_default_features: true, ..Building::default() };
        assert_eq!(on(&bare, &["net"]), ["net", "serde"]);
        assert_eq!(on(&bare, &["p/trip"]), ["round", "trip"]);
        assert!(on(&bare, &["other/trip"]).is_empty());
        let all = Building { all_features: true, ..Building::default() };
        assert_eq!(on(&all, &[]).len(), package().features.len());
    }

    #[test]
    fn a_misspelt_feature_is_an_error() {
        let package = package();
        let asked = ["allocc".to_string()];
        let remarks = known(&[&package], &asked).expect_err("there is no such feature");
        assert_eq!(remarks[0].diagnostic.help.as_deref(), Some("did you mean `alloc`?"));
    }
}
