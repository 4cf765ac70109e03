//! The picture in `docs/architecture.md`, as a test: who may use whom.

use std::path::{Path, PathBuf};

/// Modules of the analyzer from the bottom up; a module may use those in earlier rows and in its own.
const ROWS: &[&[&str]] = &[
    &["source"],
    &["ir"],
    &["concrete", "mutation", "frontend", "outline"],
    &["property", "precision", "evidence"],
    &["granularity"],
    // Checks evidence again: knows nothing of what lies above it.
    &["verify"],
    &["budget", "interpret"],
    &["model", "symbolic"],
    &["pipeline"],
    &["lints"],
    &["report", "expectation"],
    &["cli"],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder of the project");
        for entry in entries {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The module a file of the analyzer belongs to.
fn module(file: &Path) -> Option<String> {
    let below = file.strip_prefix(root().join("analyzer/src")).ok()?;
    let first = below.components().next()?.as_os_str().to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (name != "lib" && name != "bin").then(|| name.to_string())
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("analyzer/src")) {
        let Some(own) = module(&file) else { continue };
        let own_row = row(&own).unwrap_or_else(|| panic!("`{own}` is not in the picture: add it to ROWS"));
        let text = std::fs::read_to_string(&file).expect("a source file");
        for (number, line) in text.lines().enumerate() {
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if row(&name).is_some_and(|used| used > own_row) {
                    wrong.push(format!("{}:{}: {own} uses {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn domains_and_ctl_know_nobody() {
    for folder in ["domains/src", "ctl/src"] {
        for file in rust_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            for other in ["kleene::", "kleene_domains::", "kleene_ctl::"] {
                // Examples in documentation name the crate they belong to.
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                let used = code.clone().any(|line| line.contains(other));
                assert!(!used, "{} uses {other}", file.display());
            }
        }
    }
}

#[test]
fn the_solver_knows_only_domains() {
    for file in rust_files(&root().join("analyzer/solver/src")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for other in ["kleene::", "kleene_ctl::"] {
            assert!(!text.contains(other), "{} uses {other}", file.display());
        }
    }
}

#[test]
fn evidence_is_checked_by_separate_code() {
    let own = |file: &PathBuf| module(file).is_some_and(|module| module == "verify");
    for file in rust_files(&root().join("analyzer/src")).into_iter().filter(own) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for other in ["kleene_ctl::check", "kleene_ctl::Model", "NumericState", "Relation>", "packs::"] {
            assert!(!text.contains(other), "{} uses {other}", file.display());
        }
    }
}

#[test]
fn no_file_is_two_rooms() {
    let folders = ["domains/src", "ctl/src", "analyzer/src", "analyzer/oracle/src", "analyzer/solver/src"];
    for file in folders.iter().flat_map(|folder| rust_files(&root().join(folder))) {
        let lines = std::fs::read_to_string(&file).expect("a source file").lines().count();
        assert!(lines <= 800, "{} has {lines} lines", file.display());
    }
}

/// What the context finds out from bodies is kept with the names of these: whoever goes around it says so here.
#[test]
fn bodies_are_looked_into_through_the_context() {
    let free =
        ["context.rs", "follow.rs", "follow/", "in_use.rs", "items.rs", "privacy.rs", "read", "text.rs"];
    let folder = root().join("analyzer/src/frontend/rust");
    for file in rust_files(&folder) {
        let name = file.strip_prefix(&folder).expect("a file of the folder").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("a source file");
        let goes_around = text.contains("items.body(") && !free.iter().any(|known| name.starts_with(known));
        assert!(!goes_around, "{name}: `Context::body` notes whose body was looked into");
    }
}
