//! A copy of a crate with other files in the place of its own, compiled with its tests.

use std::path::{Path, PathBuf};

use super::emitted::{Emitted, without_own_tests};
use super::manifest::Manifest;
use crate::copies::{Build, copied, written};

/// The program that runs tests.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub program: PathBuf,
    /// Tests that are not in it, with what the compiler says of them.
    pub refused: Vec<(String, String)>,
}

/// Tests of a crate, those that do not compile left out; or why there is no program.
pub fn compiled(
    source: &Path,
    manifest: &Manifest,
    emitted: &Emitted,
    chosen: &[String],
    vendor: &Path,
    folder: &Path,
) -> Result<Result<Compiled, String>, String> {
    let Some((main, _)) = emitted.files.first() else { return Ok(Err("there are no tests".into())) };
    let copy = folder.join("copy");
    made(source, manifest, &manifest.sources().join(main), vendor, &copy)?;
    let mut left = chosen.to_vec();
    let mut refused: Vec<(String, String)> = Vec::new();
    loop {
        let tests = emitted.only(&left);
        for (path, text) in &tests.files {
            written(&copy.join(manifest.sources()).join(path), text)?;
        }
        let build = Build::run(&copy, &folder.join("target"), &["--offline", "--lib"])?;
        if build.is_done {
            let program = build.programs.into_iter().next();
            let compiled = program.map(|program| Compiled { program, refused });
            return Ok(compiled.ok_or_else(|| "cargo names no program".to_string()));
        }
        let before = left.len();
        for error in &build.errors {
            let at = |(file, line): &(PathBuf, usize)| {
                tests.test_at(file.strip_prefix(manifest.sources()).unwrap_or(file), *line)
            };
            let Some(name) = error.places.iter().find_map(at) else { continue };
            if left.contains(&name) {
                left.retain(|it| *it != name);
                refused.push((name, error.said.clone()));
            }
        }
        if left.len() == before {
            return Ok(Err(build.said().to_string()));
        }
    }
}

/// Copies a crate without its own tests; cargo builds the copy from `vendor` alone, with `root` as the library.
pub fn made(
    source: &Path,
    manifest: &Manifest,
    root: &Path,
    vendor: &Path,
    copy: &Path,
) -> Result<(), String> {
    copied(source, copy, |text| without_own_tests(&text))?;
    written(&copy.join("Cargo.toml"), &manifest.with_root(root))?;
    let config = format!(
        "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = {:?}\n",
        vendor.display().to_string()
    );
    written(&copy.join(".cargo/config.toml"), &config)?;
    let _ = std::fs::remove_file(copy.join("Cargo.lock"));
    Ok(())
}
