//! A copy of a crate with other files in the place of its own, compiled with its tests.
//!
//! Its manifest is cut down to what a library needs: no tests, benches or examples of its own, no dependencies that only
//! those have, and of optional ones those that are there.

use std::path::{Path, PathBuf};
use std::process::Command;

use toml::{Table, Value};

use super::emitted::Emitted;

/// The program that runs the tests, or why there is none.
pub fn compiled(
    source: &Path,
    emitted: &Emitted,
    vendor: &Path,
    folder: &Path,
) -> Result<Result<PathBuf, String>, String> {
    let copy = folder.join("copy");
    copied(source, &copy)?;
    let manifest = copy.join("Cargo.toml");
    let text =
        std::fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let mut table: Table = text.parse().map_err(|error| format!("{}: {error}", manifest.display()))?;
    let root = root_file(&table);
    let Some((main, _)) = emitted.files.first() else { return Ok(Err("there are no tests".into())) };
    let source_folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
    cut_down(&mut table, vendor, &source_folder.join(main));
    for (path, text) in &emitted.files {
        written(&copy.join(&source_folder).join(path), text)?;
    }
    written(&manifest, &table.to_string())?;
    let config = format!(
        "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = {:?}\n",
        vendor.display().to_string()
    );
    written(&copy.join(".cargo/config.toml"), &config)?;
    let _ = std::fs::remove_file(copy.join("Cargo.lock"));
    tests_of(&copy, folder)
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

fn root_file(table: &Table) -> PathBuf {
    let path = table.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
    PathBuf::from(path.unwrap_or("src/lib.rs"))
}

fn cut_down(table: &mut Table, vendor: &Path, root: &Path) {
    for unneeded in
        ["dev-dependencies", "bench", "test", "example", "bin", "lints", "profile", "badges", "workspace"]
    {
        table.remove(unneeded);
    }
    let mut dropped = Vec::new();
    if let Some(Value::Table(dependencies)) = table.get_mut("dependencies") {
        dropped.extend(without_missing(dependencies, vendor));
    }
    if let Some(Value::Table(targets)) = table.get_mut("target") {
        for (_, target) in targets.iter_mut() {
            let Value::Table(target) = target else { continue };
            target.remove("dev-dependencies");
            if let Some(Value::Table(dependencies)) = target.get_mut("dependencies") {
                dropped.extend(without_missing(dependencies, vendor));
            }
        }
    }
    if let Some(Value::Table(features)) = table.get_mut("features") {
        for (_, list) in features.iter_mut() {
            let Value::Array(list) = list else { continue };
            list.retain(|entry| !entry.as_str().is_some_and(|entry| names_one(entry, &dropped)));
        }
    }
    let lib = table.entry("lib").or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(lib) = lib {
        lib.insert("path".into(), Value::String(root.display().to_string()));
        lib.remove("bench");
        lib.insert("test".into(), Value::Boolean(true));
    }
    table.insert("workspace".into(), Value::Table(Table::new()));
}

/// Leaves out optional dependencies that were not fetched; their names.
fn without_missing(dependencies: &mut Table, vendor: &Path) -> Vec<String> {
    let is_there = |package: &str| {
        let entries = std::fs::read_dir(vendor).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.into_iter().any(|name| {
            let version = name.strip_prefix(package).and_then(|rest| rest.strip_prefix('-'));
            version.is_some_and(|version| version.starts_with(|letter: char| letter.is_ascii_digit()))
        })
    };
    let is_missing = |(name, value): (&String, &Value)| {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
        let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
        (optional && !is_there(package)).then(|| name.clone())
    };
    let missing: Vec<String> = dependencies.iter().filter_map(is_missing).collect();
    missing.iter().for_each(|name| {
        dependencies.remove(name);
    });
    missing
}

/// Whether an entry of a feature is about one of these dependencies.
fn names_one(entry: &str, dropped: &[String]) -> bool {
    let plain = entry.strip_prefix("dep:").unwrap_or(entry);
    let name = plain.split(['/', '?']).next().unwrap_or(plain);
    dropped.iter().any(|dropped| dropped == name)
}

fn written(path: &Path, text: &str) -> Result<(), String> {
    let around = path.parent().unwrap_or(Path::new(""));
    let write = || std::fs::create_dir_all(around).and_then(|()| std::fs::write(path, text));
    write().map_err(|error| format!("{}: {error}", path.display()))
}

fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(problem)?;
    for entry in std::fs::read_dir(from).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let target = to.join(entry.file_name());
        match entry.file_type().map_err(problem)?.is_dir() {
            true => copied(&entry.path(), &target)?,
            false => std::fs::copy(entry.path(), &target).map(|_| ()).map_err(problem)?,
        }
    }
    Ok(())
}
