//! `--since REV`: what changed since a revision, as git knows it, and so what is worth looking at.
//!
//! A target is looked at again if a file of its package changed, or one of a package that it depends on. Files that belong
//! to no package count for all. Where nothing but texts changed, the target is read as it was, too, and what is looked at
//! are the entries that can come to something that is not the same: `lints::Scope`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::files::{Earlier, whole_path};
use super::inputs::Input;
use crate::report::Remark;

/// Files that changed, whole paths.
#[derive(Debug)]
pub struct Changes {
    files: Vec<PathBuf>,
    pub revision: String,
    /// What texts held before; `None` where something else changed, or too many of them.
    pub texts: Option<Earlier>,
}

/// More files than this are not read as they were: most of what there is depends on them.
const MOST_FILES: usize = 100;

impl Changes {
    /// Between the revision and what is there now, new files included.
    pub fn since(revision: &str) -> Result<Self, Remark> {
        let root = git(&["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(root.trim_end());
        // A revision that looks like an option is none.
        let known =
            git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")]);
        let commit = known.map_err(|_| {
            let message = format!("git knows no revision `{revision}`");
            Remark::call(
                message,
                Some("name a commit, a branch or a tag; in CI it may have to be fetched first"),
            )
        })?;
        let top = root.display().to_string();
        let changed =
            git(&["-C", &top, "diff", "--no-ext-diff", "--name-only", "-z", commit.trim_end(), "--"])?;
        let new = git(&["-C", &top, "ls-files", "--others", "--exclude-standard", "-z"])?;
        let files = changed.split('\0').chain(new.split('\0')).filter(|name| !name.is_empty());
        let names: Vec<&str> = files.collect();
        let relevant: Vec<&&str> = names.iter().filter(|name| matters(Path::new(name))).collect();
        let texts_alone = relevant.len() <= MOST_FILES && relevant.iter().all(|name| name.ends_with(".rs"));
        let before = |name: &&&str| {
            let path = whole(&root.join(name));
            let object = format!("{}:{name}", commit.trim_end());
            (path, git(&["-C", &top, "cat-file", "blob", &object]).ok())
        };
        let texts = texts_alone.then(|| relevant.iter().map(before).collect::<Earlier>());
        let texts = texts
            .filter(|texts| texts.iter().all(|(path, before)| !settings_changed(path, before.as_deref())));
        let files = names.iter().map(|name| root.join(name)).collect();
        Ok(Self { files, revision: revision.to_string(), texts })
    }

    /// The inputs to look at, and those that are skipped.
    pub fn split(&self, inputs: Vec<Input>) -> (Vec<Input>, Vec<Input>) {
        let relevant: Vec<PathBuf> =
            self.files.iter().filter(|file| matters(file)).map(|file| whole(file)).collect();
        let folders: BTreeSet<PathBuf> = inputs.iter().map(folder).collect();
        // The innermost package that a file belongs to.
        let owner = |file: &PathBuf| {
            let around = folders.iter().filter(|folder| file.starts_with(folder));
            around.max_by_key(|folder| folder.components().count())
        };
        let anywhere = relevant.iter().any(|file| owner(file).is_none());
        let touched: BTreeSet<&PathBuf> = relevant.iter().filter_map(owner).collect();
        let names = |touched: &dyn Fn(&Input) -> bool| -> BTreeSet<String> {
            inputs
                .iter()
                .filter(|input| touched(input))
                .filter_map(|input| Some(input.unit.as_ref()?.package.clone()))
                .collect()
        };
        let mut changed = names(&|input| touched.contains(&folder(input)));
        loop {
            let depends = |input: &Input| input.depends_on.iter().any(|name| changed.contains(name));
            let more: BTreeSet<String> = names(&depends).union(&changed).cloned().collect();
            if more.len() == changed.len() {
                break;
            }
            changed = more;
        }
        inputs.into_iter().partition(|input| {
            let package = input.unit.as_ref().map(|unit| &unit.package);
            anywhere || touched.contains(&folder(input)) || package.is_some_and(|name| changed.contains(name))
        })
    }
}

/// Whether lines differ that may say what is left alone, or what follows them: those change what is told of functions that
/// are the same.
fn settings_changed(path: &Path, before: Option<&str>) -> bool {
    let now = std::fs::read_to_string(path).unwrap_or_default();
    settings(before.unwrap_or_default()) != settings(&now)
}

fn settings(text: &str) -> Vec<[&str; 2]> {
    let says =
        |line: &str| ["allow(", "[expect", "clippy::", "kleene:"].iter().any(|word| line.contains(word));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let next = |at: usize| lines.get(at + 1).copied().unwrap_or_default();
    (0..lines.len()).filter(|at| says(lines[*at])).map(|at| [lines[at], next(at)]).collect()
}

/// Texts and settings; a picture changes no answer.
fn matters(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "rs" | "toml" | "c" | "cm" | "t2" | "h")
}

/// The folder whose files an input is made of.
fn folder(input: &Input) -> PathBuf {
    let file = match &input.unit {
        Some(unit) => Path::new(&unit.manifest),
        None => &input.path,
    };
    let file = whole(file);
    file.parent().map_or(file.clone(), Path::to_path_buf)
}

fn whole(path: &Path) -> PathBuf {
    whole_path(path).or_else(|| std::path::absolute(path).ok()).unwrap_or_else(|| path.to_path_buf())
}

fn git(arguments: &[&str]) -> Result<String, Remark> {
    // Nothing that the tree configures is run.
    let said = Command::new("git").args(["-c", "core.fsmonitor=false"]).args(arguments).output();
    let said = said.map_err(|error| {
        Remark::call(format!("`git` cannot be started: {error}"), Some("`--since` asks git what changed"))
    })?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => Err(Remark::call(String::from_utf8_lossy(&said.stderr).trim().to_string(), None)),
    }
}
