//! `--evidence FILE`: what stands behind the definite verdicts of a call, for `kleene verify`.

use std::path::{Component, Path, PathBuf};

use crate::evidence::certificate::{Document, Entry};

/// Writes the file; the error is for people.
pub fn write(path: &Path, entries: Vec<Entry>) -> Result<(), String> {
    let written = std::fs::write(path, Document::new(entries).to_json());
    written.map_err(|error| format!("{}: the evidence cannot be written: {error}", path.display()))
}

/// How a program is named in an evidence file: from where that file lies, if both have an absolute name.
pub fn relative(program: &Path, evidence: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let found = absolute(program).zip(absolute(evidence)).map(|(program, evidence)| {
        let folder: Vec<Component<'_>> =
            evidence.parent().map(|folder| folder.components().collect()).unwrap_or_default();
        let names: Vec<Component<'_>> = program.components().collect();
        let common = folder.iter().zip(&names).take_while(|(left, right)| left == right).count();
        let up = folder[common..].iter().map(|_| Component::ParentDir);
        up.chain(names[common..].iter().copied()).collect::<PathBuf>()
    });
    let path = found.unwrap_or_else(|| program.to_path_buf());
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_from_the_evidence() {
        let relative = |program: &str, evidence: &str| relative(Path::new(program), Path::new(evidence));
        assert_eq!(relative("/a/b/p.cm", "/a/b/e.json"), "p.cm");
        assert_eq!(relative("/a/b/p.cm", "/a/c/d/e.json"), "../../b/p.cm");
        assert_eq!(relative("p.cm", "out/e.json"), "../p.cm");
    }
}
