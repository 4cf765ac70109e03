//! What is kept between runs of `lint`, under the target folder of a workspace (`target/kleene`).
//!
//! Two layers. The results of a whole target stand under everything that was said about it, together with every file
//! that was asked for and what it held: if all of them are still the same, nothing is read any further, parsed or
//! decided. Otherwise the target is read anew, and `lints::Kept` finds the answers of entries whose part of the program
//! did not change.
//!
//! A file that cannot be read, is cut or is not ours counts as none. Nothing here is ever an error: at worst the work is
//! done again.

mod folder;
mod identity;
mod whole;

use std::path::Path;
use std::sync::Arc;

use super::arguments::LintArguments;
use super::files::Modules;
use super::lint::{Input, Linted};
use crate::lints::{Digest, Kept};
use crate::source::SourceFile;

use folder::Folder;
pub use identity::Identity;

/// The files of one target.
pub struct Cache {
    folder: Folder,
    /// Of the program and the solver.
    identity: Digest,
    /// Of everything that is said about the target.
    whole: Digest,
    name: String,
}

impl Cache {
    /// None for what belongs to no package: there is no folder to keep things in.
    pub fn of(input: &Input, arguments: &LintArguments, identity: &Identity) -> Option<Self> {
        if arguments.no_cache {
            return None;
        }
        let (target, unit) = (input.target_folder.as_ref()?, input.unit.as_ref()?);
        let folder = Folder::new(target, identity.program()?);
        let identity = identity.with_solver(&arguments.solver)?;
        let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "-");
        let said = [&unit.package_id, &unit.kind, &unit.root].map(String::as_str).join("\n");
        let short = blake3::hash(said.as_bytes()).to_hex();
        let name = format!("{}-{}-{}", plain(&unit.package), plain(&unit.target), &short[..8]);
        Some(Self { folder, identity, whole: whole::key(input, arguments, &identity), name })
    }

    /// The results, if nothing changed.
    pub fn unchanged(&self, path: &Path, source: &Arc<SourceFile>, input: &Input) -> Option<Linted> {
        whole::read(&self.folder.read(&self.results())?, &self.whole, path, source, input)
    }

    /// Answers of earlier runs.
    pub fn kept(&self) -> Arc<Kept> {
        let (bytes, before) = folder::answers(self.folder.read(&self.answers()).unwrap_or_default());
        Arc::new(Kept::new(self.identity, bytes, before))
    }

    /// `complete` results are those of the whole target.
    pub fn keep(&self, linted: &Linted, modules: &Modules, kept: &Kept, complete: bool) {
        if kept.is_new() {
            let before = self.folder.read(&self.answers()).unwrap_or_default();
            self.folder.write(&self.answers(), &folder::with_answers(&before, kept.used()));
        }
        if complete
            && !kept.is_cut()
            && let Some(bytes) = whole::written(&self.whole, linted, modules)
        {
            self.folder.write(&self.results(), &bytes);
        }
        self.folder.prune();
    }

    fn answers(&self) -> String {
        format!("{}.answers", self.name)
    }

    fn results(&self) -> String {
        let short = &blake3::Hash::from_bytes(self.whole).to_hex()[..8];
        format!("{}-{short}.results", self.name)
    }
}
