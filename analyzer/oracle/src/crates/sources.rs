//! The sources of crates, brought by cargo into a folder: a scratch project names them, exact versions only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Named;

/// The folder that holds `name-version` for each; cargo is asked only for what is not there yet.
pub fn fetch(crates: &[Named], folder: &Path) -> Result<PathBuf, String> {
    let project = folder.join("project");
    let vendor = project.join("vendor");
    let is_there =
        |named: &Named| vendor.join(format!("{}-{}", named.name, named.version)).join("Cargo.toml").is_file();
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder.join("answers")).map_err(problem)?;
    if crates.iter().all(is_there) {
        return Ok(vendor);
    }
    // What was brought before stays: cargo removes what the project does not name.
    let mut all = super::chosen(&[])?;
    all.extend(crates.iter().filter(|named| !all.contains(named)).cloned().collect::<Vec<_>>());
    fs::create_dir_all(project.join("src")).map_err(problem)?;
    fs::write(project.join("src/lib.rs"), "").map_err(problem)?;
    fs::write(project.join("Cargo.toml"), manifest(&all)).map_err(problem)?;
    let done = Command::new(cargo())
        .args(["vendor", "--quiet", "--versioned-dirs", "vendor"])
        .current_dir(&project)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !done.status.success() {
        return Err(format!("the sources cannot be fetched: {}", String::from_utf8_lossy(&done.stderr)));
    }
    for named in crates {
        bring_dependencies(&vendor.join(format!("{}-{}", named.name, named.version)));
    }
    Ok(vendor)
}

/// What a crate depends on is read where its text is at hand; what cannot be brought stays unknown.
fn bring_dependencies(of: &Path) {
    let done = Command::new(cargo()).args(["fetch", "--quiet"]).current_dir(of).output();
    if !done.is_ok_and(|done| done.status.success()) {
        eprintln!("{}: not all dependencies were fetched", of.display());
    }
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Each crate by an alias of its own, so that two versions of one may stand side by side.
fn manifest(crates: &[Named]) -> String {
    let mut text = String::from(
        "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [workspace]\nexclude = [\"vendor\"]\n\n[dependencies]\n",
    );
    for (index, Named { name, version }) in crates.iter().enumerate() {
        text += &format!(
            "c{index} = {{ package = \"{name}\", version = \"={version}\", default-features = false }}\n"
        );
    }
    text
}
