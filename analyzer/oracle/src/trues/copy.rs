//! A copy of a crate with its own tests, built with counters in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::counters::Counters;

/// Counters that do not compile are left out, so often.
const MOST_BUILDS: usize = 12;

/// Copies everything.
pub fn made(source: &Path, folder: &Path) -> Result<PathBuf, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let copy = folder.join("copy");
    if copy.exists() {
        std::fs::remove_dir_all(&copy).map_err(problem)?;
    }
    copied(source, &copy)?;
    let manifest = copy.join("Cargo.toml");
    let mut text = std::fs::read_to_string(&manifest).map_err(problem)?;
    if !text.lines().any(|line| line.trim() == "[workspace]") {
        text += "\n[workspace]\n";
    }
    std::fs::write(&manifest, text).map_err(problem)?;
    copy.canonicalize().map_err(problem)
}

fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(problem)?;
    for entry in std::fs::read_dir(from).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true => copied(&path, &target)?,
            false => drop(std::fs::copy(&path, &target).map_err(problem)?),
        }
    }
    Ok(())
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
            let path = copy.join(file);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let build = Build::run(copy, folder, which)?;
        if build.is_done {
            return Ok(Ok(build.programs));
        }
        said = build.said;
        let mut fewer = false;
        for (file, line) in &build.places {
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

struct Build {
    is_done: bool,
    programs: Vec<PathBuf>,
    /// Where errors are.
    places: Vec<(PathBuf, usize)>,
    said: String,
}

impl Build {
    fn run(copy: &Path, folder: &Path, which: &[&str]) -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["test", "--no-run", "--quiet", "--message-format", "json"])
            .args(which)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env("RUSTFLAGS", "--cap-lints=allow")
            .current_dir(copy)
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        let output = String::from_utf8_lossy(&built.stdout);
        let mut build = Self {
            is_done: built.status.success(),
            programs: Vec::new(),
            places: Vec::new(),
            said: String::new(),
        };
        for message in output.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            build.read(&message);
        }
        if build.said.is_empty() {
            build.said = String::from_utf8_lossy(&built.stderr).trim().to_string();
        }
        Ok(build)
    }

    fn read(&mut self, message: &serde_json::Value) {
        if let Some(program) = message["executable"].as_str() {
            let is_library = message["target"]["kind"].as_array().is_some_and(|kinds| {
                kinds.iter().filter_map(serde_json::Value::as_str).any(|kind| kind.ends_with("lib"))
            });
            let at = if is_library { 0 } else { self.programs.len() };
            self.programs.insert(at, program.into());
        }
        let message = &message["message"];
        if message["level"] != "error" {
            return;
        }
        for span in message["spans"].as_array().into_iter().flatten() {
            let (first, last) = (span["line_start"].as_u64(), span["line_end"].as_u64());
            if let (Some(file), Some(first), Some(last)) = (span["file_name"].as_str(), first, last) {
                self.places.extend((first..=last).map(|line| (PathBuf::from(file), line as usize)));
            }
        }
        if self.said.is_empty() {
            self.said = message["rendered"].as_str().unwrap_or_default().trim().to_string();
        }
    }
}
