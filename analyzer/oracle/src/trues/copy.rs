//! A copy of a crate with its own tests, built with counters in it.

use std::path::{Path, PathBuf};

use super::counters::Counters;
use crate::copies::{Build, copied, written};

/// Counters that do not compile are left out, so often.
const MOST_BUILDS: usize = 12;

/// Copies everything.
pub fn made(source: &Path, folder: &Path) -> Result<PathBuf, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let copy = folder.join("copy");
    if copy.exists() {
        std::fs::remove_dir_all(&copy).map_err(problem)?;
    }
    copied(source, &copy, |text| text)?;
    let manifest = copy.join("Cargo.toml");
    let mut text = std::fs::read_to_string(&manifest).map_err(problem)?;
    if !text.lines().any(|line| line.trim() == "[workspace]") {
        text += "\n[workspace]\n";
    }
    written(&manifest, &text)?;
    copy.canonicalize().map_err(problem)
}

/// The programs that run the crate's tests, the library's own first; or why there are none.
pub fn built(
    copy: &Path,
    folder: &Path,
    counters: &mut Counters,
) -> Result<Result<Vec<PathBuf>, String>, String> {
    let mut which = ["--lib", "--tests"].as_slice();
    let mut said = String::new();
    for _ in 0..MOST_BUILDS {
        for (file, text) in counters.texts() {
            written(&copy.join(file), &text)?;
        }
        let build = Build::run(copy, &folder.join("target"), which)?;
        if build.is_done {
            return Ok(Ok(build.programs));
        }
        said = build.said().to_string();
        let mut fewer = false;
        for (file, line) in build.errors.iter().flat_map(|error| &error.places) {
            fewer |= counters.leave_out(file, *line);
        }
        match fewer {
            true => {}
            // What only the tests in files of their own need may not be there.
            false if which.len() > 1 => which = &["--lib"],
            false => break,
        }
    }
    Ok(Err(said))
}
