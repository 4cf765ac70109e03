//! What cargo says when it checks a crate: its build script and those of what it depends on say how they are built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Named;

/// The messages, kept from one call to the next; `None` where the crate cannot be checked with what was fetched.
pub fn messages(named: &Named, source: &Path, folder: &Path) -> Result<Option<PathBuf>, String> {
    let folder = folder.join("built");
    let file = folder.join(format!("{}-{}.json", named.name, named.version));
    let problem = |error: std::io::Error| format!("{}: {error}", file.display());
    if file.is_file() {
        let is_empty = fs::metadata(&file).map_err(problem)?.len() == 0;
        return Ok(Some(file).filter(|_| !is_empty));
    }
    fs::create_dir_all(&folder).map_err(problem)?;
    let target = std::path::absolute(folder.join("target")).map_err(problem)?;
    let done = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--offline", "--lib", "--quiet", "--message-format", "json"])
        .current_dir(source)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "--cap-lints=warn")
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let said = if done.status.success() { done.stdout } else { Vec::new() };
    fs::write(&file, &said).map_err(problem)?;
    Ok(Some(file).filter(|_| !said.is_empty()))
}
