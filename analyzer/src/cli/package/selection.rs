//! Which packages of a workspace, and which of their targets: as cargo chooses, with the same options.

use std::path::Path;

use super::metadata::{Metadata, Package, Target};
use super::{Building, Selection};
use crate::frontend::rust::Root;
use crate::report::Remark;
use crate::source::spelling::closest;

pub fn packages<'m>(
    metadata: &'m Metadata,
    manifest: &Path,
    selection: &Selection,
) -> Result<Vec<&'m Package>, Vec<Remark>> {
    let members = metadata.members(&metadata.workspace_members);
    let remarks: Vec<Remark> = selection
        .packages
        .iter()
        .chain(&selection.exclude)
        .filter(|name| !members.iter().any(|package| is_named(package, name)))
        .map(|name| no_package(&members, name))
        .collect();
    if !remarks.is_empty() {
        return Err(remarks);
    }
    let chosen: Vec<&Package> = if !selection.packages.is_empty() {
        let named = |package: &&Package| selection.packages.iter().any(|name| is_named(package, name));
        members.into_iter().filter(named).collect()
    } else if selection.workspace {
        let left = |package: &&Package| !selection.exclude.iter().any(|name| is_named(package, name));
        members.into_iter().filter(left).collect()
    } else {
        default_packages(metadata, manifest)
    };
    match chosen.is_empty() {
        true => Err(vec![Remark::call("nothing to look at: no package is chosen", None)]),
        false => Ok(chosen),
    }
}

/// The package of the manifest itself, or those that its workspace looks at by default.
fn default_packages<'m>(metadata: &'m Metadata, manifest: &Path) -> Vec<&'m Package> {
    let own = manifest.canonicalize().unwrap_or_else(|_| manifest.to_path_buf());
    let is_root = own
        .parent()
        .is_some_and(|folder| metadata.workspace_root.canonicalize().is_ok_and(|root| root == folder));
    let same = |package: &&Package| package.manifest_path.canonicalize().is_ok_and(|path| path == own);
    let itself = metadata.packages.iter().find(same);
    match (&metadata.workspace_default_members, itself) {
        (Some(default), _) if is_root => metadata.members(default),
        (_, Some(package)) => vec![package],
        _ => metadata.members(&metadata.workspace_members),
    }
}

/// `name` or `name@version`.
fn is_named(package: &Package, name: &str) -> bool {
    match name.split_once('@') {
        Some((name, version)) => package.name == name && package.version == version,
        None => package.name == name,
    }
}

fn no_package(members: &[&Package], name: &str) -> Remark {
    let names = || members.iter().map(|package| package.name.as_str());
    let help = match closest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the workspace has {}", names().collect::<Vec<_>>().join(", ")),
    };
    Remark::call(format!("the workspace has no package `{name}`"), Some(&help))
}

/// The chosen targets of a package, each with where its runs begin.
pub fn targets<'p>(
    package: &'p Package,
    building: &Building,
    features: &[String],
) -> Result<Vec<(&'p Target, Root)>, Vec<Remark>> {
    let all = building.all_targets;
    let default = !building.names_targets();
    let mut found = Vec::new();
    for target in &package.targets {
        let library = target.is_library();
        let named = building.bin.contains(&target.name);
        let program = target.is("bin") && (default || all || building.bins || named)
            || target.is("example") && (all || building.examples);
        let missing = target.required_features.iter().any(|feature| !features.contains(feature));
        if missing {
            if named && target.is("bin") {
                let needed = target.required_features.join(", ");
                let message = format!("the binary `{}` needs the features {needed}", target.name);
                return Err(vec![Remark::call(message, Some("add them with `--features`"))]);
            }
            continue;
        }
        if library && (default || all || building.lib) {
            found.push((target, Root::Library));
        }
        if program {
            found.push((target, Root::Program));
        }
        if (all || building.tests) && (library || target.is("bin") || target.is("test")) {
            found.push((target, Root::Tests));
        }
    }
    Ok(found)
}
