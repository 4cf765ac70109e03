//! The tools that are compared, each called on the copy of a crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::crates::Figures;
use crate::crates::child::{self, End, Spent};

/// Clippy's lints about panics, those that ours answer to.
pub const PANIC_LINTS: [&str; 8] = [
    "arithmetic_side_effects",
    "expect_used",
    "indexing_slicing",
    "panic",
    "string_slice",
    "todo",
    "unreachable",
    "unwrap_used",
];

pub struct Tools {
    /// The crate.
    pub copy: PathBuf,
    /// Where answers go.
    pub folder: PathBuf,
    pub name: String,
    /// For one call.
    pub timeout: Duration,
}

/// What `kleene lint` said.
pub struct Answer {
    pub spent: Spent,
    pub figures: Figures,
    /// Where it is.
    pub document: PathBuf,
}

impl Tools {
    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    pub fn empty_target(&self) -> Result<(), String> {
        removed(&self.target())
    }

    pub fn clean_package(&self) -> Result<(), String> {
        let cleaned = self.cargo("clean", &["clean", "--offline", "--quiet", "-p", &self.name])?;
        cleaned.map(|_| ())
    }

    /// What `cargo check` takes, or what it complains of.
    pub fn check(&self) -> Result<Result<Spent, String>, String> {
        self.cargo("check", &["check", "--offline", "--lib", "--quiet"])
    }

    /// The places that Clippy names, each lint counted by itself.
    pub fn clippy(&self) -> Result<usize, String> {
        self.clean_package()?;
        let names = PANIC_LINTS.map(|lint| format!("clippy::{lint}"));
        let mut words = vec!["clippy", "--offline", "--lib", "--quiet", "--message-format", "json", "--"];
        names.iter().for_each(|name| words.extend(["-W", name]));
        self.cargo("clippy", &words)??;
        let said = read(&self.folder.join("clippy.txt"))?;
        let messages = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let codes =
            messages.filter_map(|message| Some(message["message"]["code"]["code"].as_str()?.to_string()));
        Ok(codes.filter(|code| names.contains(code)).count())
    }

    /// The source files that the compiler read for the library; cargo's notes about the last check say it.
    pub fn files(&self) -> Result<Vec<PathBuf>, String> {
        let notes = self.target().join("debug/deps");
        let problem = |error: std::io::Error| format!("{}: {error}", notes.display());
        let start = format!("lib{}-", self.name.replace('-', "_"));
        for entry in std::fs::read_dir(&notes).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let crate_name = start.trim_start_matches("lib");
            if name.ends_with(".d") && (name.starts_with(&start) || name.starts_with(crate_name)) {
                let files = self.named_in(&read(&path)?);
                if !files.is_empty() {
                    return Ok(files);
                }
            }
        }
        Err(format!("{}: no notes about {}", notes.display(), self.name))
    }

    /// The files of the copy in notes as `make` reads them: `made: read read …`.
    fn named_in(&self, notes: &str) -> Vec<PathBuf> {
        let rule = notes.lines().find_map(|line| line.split_once(": ")).map_or("", |(_, files)| files);
        let paths = rule.split_whitespace().map(|path| self.copy.join(path));
        let of_copy = paths.filter(|path| path.starts_with(&self.copy));
        of_copy.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
    }

    /// Without answers of earlier calls.
    pub fn kleene(&self, name: &str, options: &[&str]) -> Result<Answer, String> {
        let no_cache: &[&str] = if self.has_cache()? { &["--no-cache"] } else { &[] };
        self.lint(name, &[options, no_cache].concat())
    }

    /// With answers of earlier calls.
    pub fn kleene_with_answers(&self, name: &str) -> Result<Answer, String> {
        self.lint(name, &[])
    }

    fn lint(&self, name: &str, options: &[&str]) -> Result<Answer, String> {
        let (out, said) = self.files_of(name);
        let copy = self.copy.display().to_string();
        let words = [&["kleene", "lint", &copy, "--lib", "--format", "json"], options].concat();
        let words: Vec<String> = words.into_iter().map(String::from).collect();
        let spent = child::run(&words, &out, &said, self.timeout)?;
        Ok(Answer { spent, figures: Figures::read(&out, &said)?, document: out })
    }

    /// Answers are kept under the target folder of the copy.
    pub fn forget_answers(&self) -> Result<(), String> {
        removed(&self.copy.join("target"))
    }

    /// Whether answers of earlier calls could be used.
    fn has_cache(&self) -> Result<bool, String> {
        let (out, said) = self.files_of("help");
        child::run(&["kleene", "lint", "--help"].map(String::from), &out, &said, self.timeout)?;
        Ok(read(&out)?.contains("--no-cache"))
    }

    /// What a call takes, or what cargo says.
    fn cargo(&self, name: &str, words: &[&str]) -> Result<Result<Spent, String>, String> {
        let (out, said) = self.files_of(name);
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(words).current_dir(&self.copy).env("CARGO_TARGET_DIR", self.target());
        // Some crates deny warnings; the compiler has learnt new ones since.
        command.env("RUSTFLAGS", "--cap-lints=warn").env("CARGO_INCREMENTAL", "0");
        let spent = child::watched(&mut command, &out, &said, self.timeout)?;
        if spent.is_success {
            return Ok(Ok(spent));
        }
        let said = read(&said)?;
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).take(3).collect();
        let why = if spent.end == End::Hung { "it takes too long".into() } else { errors.join("; ") };
        Ok(Err(format!("cargo {name}: {why}")))
    }

    fn files_of(&self, name: &str) -> (PathBuf, PathBuf) {
        (self.folder.join(format!("{name}.txt")), self.folder.join(format!("{name}_said.txt")))
    }
}

fn removed(folder: &Path) -> Result<(), String> {
    match folder.exists() {
        true => std::fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display())),
        false => Ok(()),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
