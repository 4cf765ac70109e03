//! Copies of crates, and what cargo says when it builds the tests of one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything below a folder, with the texts of Rust as `text` makes them.
pub fn copied(from: &Path, to: &Path, text: fn(String) -> String) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(problem)?;
    for entry in std::fs::read_dir(from).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copied(&path, &target, text)?;
            continue;
        }
        std::fs::copy(&path, &target).map_err(problem)?;
        if path.extension().is_some_and(|extension| extension == "rs") {
            written(&target, &text(std::fs::read_to_string(&path).map_err(problem)?))?;
        }
    }
    Ok(())
}

/// Writes a file, and the folders it stands in.
pub fn written(path: &Path, text: &str) -> Result<(), String> {
    let around = path.parent().unwrap_or(Path::new(""));
    let write = || std::fs::create_dir_all(around).and_then(|()| std::fs::write(path, text));
    write().map_err(|error| format!("{}: {error}", path.display()))
}

/// The tests of a copy, built or not.
#[derive(Clone, Debug, Default)]
pub struct Build {
    pub is_done: bool,
    /// The programs that run the tests, the library's own first.
    pub programs: Vec<PathBuf>,
    pub errors: Vec<Refusal>,
    /// What cargo says beside.
    said: String,
}

/// An error of the compiler.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Files below the copy, with lines.
    pub places: Vec<(PathBuf, usize)>,
    pub said: String,
}

impl Build {
    /// `cargo test --no-run` in the copy, with these options; what is built goes to `target`.
    pub fn run(copy: &Path, target: &Path, options: &[&str]) -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["test", "--no-run", "--quiet", "--message-format", "json"])
            .args(options)
            .env("CARGO_TARGET_DIR", target)
            .env("RUSTFLAGS", "--cap-lints=allow")
            .current_dir(copy)
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        let said = String::from_utf8_lossy(&built.stderr).trim().to_string();
        let mut build = Self { is_done: built.status.success(), said, ..Self::default() };
        let output = String::from_utf8_lossy(&built.stdout);
        for message in output.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            build.read(&message);
        }
        Ok(build)
    }

    /// Why it is not done.
    pub fn said(&self) -> &str {
        self.errors.first().map_or(&self.said, |error| &error.said)
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
        let mut places = Vec::new();
        for span in message["spans"].as_array().into_iter().flatten() {
            let (first, last) = (span["line_start"].as_u64(), span["line_end"].as_u64());
            if let (Some(file), Some(first), Some(last)) = (span["file_name"].as_str(), first, last) {
                places.extend((first..=last).map(|line| (PathBuf::from(file), line as usize)));
            }
        }
        let said = message["rendered"].as_str().unwrap_or_default().trim().to_string();
        self.errors.push(Refusal { places, said });
    }
}
