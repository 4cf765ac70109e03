//! A copy of a crate with other files in the place of its own, compiled with its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::emitted::{Emitted, without_own_tests};
use super::manifest::Manifest;

/// The program that runs the tests, or why there is none.
pub fn compiled(
    source: &Path,
    manifest: &Manifest,
    emitted: &Emitted,
    vendor: &Path,
    folder: &Path,
) -> Result<Result<PathBuf, String>, String> {
    let Some((main, _)) = emitted.files.first() else { return Ok(Err("there are no tests".into())) };
    let copy = folder.join("copy");
    made(source, manifest, &manifest.sources().join(main), vendor, &copy)?;
    for (path, text) in &emitted.files {
        written(&copy.join(manifest.sources()).join(path), text)?;
    }
    tests_of(&copy, folder)
}

/// Copies a crate without its own tests; cargo builds the copy from `vendor` alone, with `root` as the library.
pub fn made(
    source: &Path,
    manifest: &Manifest,
    root: &Path,
    vendor: &Path,
    copy: &Path,
) -> Result<(), String> {
    copied(source, copy)?;
    written(&copy.join("Cargo.toml"), &manifest.with_root(root))?;
    let config = format!(
        "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = {:?}\n",
        vendor.display().to_string()
    );
    written(&copy.join(".cargo/config.toml"), &config)?;
    let _ = std::fs::remove_file(copy.join("Cargo.lock"));
    Ok(())
}

fn tests_of(copy: &Path, folder: &Path) -> Result<Result<PathBuf, String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["test", "--offline", "--lib", "--no-run", "--quiet", "--message-format", "json"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("RUSTFLAGS", "--cap-lints=warn")
        .current_dir(copy)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let output = String::from_utf8_lossy(&built.stdout);
    let messages = || output.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    if built.status.success() {
        let executable = messages().find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)));
        return Ok(executable.ok_or_else(|| "cargo names no program".to_string()));
    }
    let errors = messages().filter(|message| message["message"]["level"] == "error");
    let said: Vec<String> = errors
        .filter_map(|message| Some(message["message"]["rendered"].as_str()?.trim().to_string()))
        .take(3)
        .collect();
    match said.is_empty() {
        true => Ok(Err(String::from_utf8_lossy(&built.stderr).trim().to_string())),
        false => Ok(Err(said.join("\n"))),
    }
}

fn written(path: &Path, text: &str) -> Result<(), String> {
    let around = path.parent().unwrap_or(Path::new(""));
    let write = || std::fs::create_dir_all(around).and_then(|()| std::fs::write(path, text));
    write().map_err(|error| format!("{}: {error}", path.display()))
}

/// Everything, without the crate's own tests.
fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(problem)?;
    for entry in std::fs::read_dir(from).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copied(&path, &target)?;
            continue;
        }
        std::fs::copy(&path, &target).map_err(problem)?;
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).map_err(problem)?;
            written(&target, &without_own_tests(&text))?;
        }
    }
    Ok(())
}
