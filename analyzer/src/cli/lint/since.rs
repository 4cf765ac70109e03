//! `--since REV`: what changed since a revision, as git knows it, and so what is worth looking at.
//!
//! A target is looked at again if a file of its package changed, or one of a package that it depends on. Files that belong
//! to no package count for all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::inputs::Input;
use crate::report::Remark;

/// Files that changed, whole paths.
#[derive(Debug)]
pub struct Changes {
    files: Vec<PathBuf>,
}

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
        Ok(Self { files: files.map(|name| root.join(name)).collect() })
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

/// Files that are gone have a folder still.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
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
