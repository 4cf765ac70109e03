//! What the repository offers to CI: the hooks for pre-commit and the scripts of the action, on a sample with real git.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::Folder;

const BAD: &str = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\n";
const GOOD: &str = "pub fn part(a: u32, b: u32) -> u32 {\n    a.checked_div(b).unwrap_or(0)\n}\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

fn sample() -> Folder {
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", BAD);
    assert!(in_folder(&folder, "git", &["init", "-q"], &[]).status.success());
    folder
}

/// With our programs in front of all others.
fn path() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_kleene")).parent().expect("a folder").to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).expect("plain folders")
}

fn in_folder(folder: &Folder, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(&folder.path).args(arguments).env("PATH", path());
    for name in [
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "KLEENE_ARGUMENTS",
        "KLEENE_BASELINE",
        "KLEENE_SINCE",
        "KLEENE_SARIF",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command.output().expect("the program starts")
}

/// The command of a hook, as `.pre-commit-hooks.yaml` states it.
fn entry(id: &str) -> String {
    let hooks = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks");
    let own = hooks.split("- id: ").find(|hook| hook.lines().next() == Some(id)).expect("such a hook");
    let line = own.lines().find_map(|line| line.trim().strip_prefix("entry: ")).expect("an entry");
    line.to_string()
}

#[cfg(unix)]
fn install_hook(folder: &Folder, command: &str) {
    use std::os::unix::fs::PermissionsExt;
    let hook = folder.path.join(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("the folder of hooks");
    std::fs::write(&hook, format!("#!/bin/sh\nexec {command}\n")).expect("the hook");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("the hook can be run");
}

#[cfg(unix)]
#[test]
fn a_commit_with_a_finding_is_refused() {
    for (id, more) in [("kleene", ""), ("kleene-files", " src/lib.rs")] {
        let folder = sample();
        install_hook(&folder, &(entry(id) + more));
        let commit = |folder: &Folder| {
            assert!(in_folder(folder, "git", &["add", "."], &[]).status.success());
            let author =
                ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
            in_folder(folder, "git", &[&author[..], &["commit", "-q", "-m", "change"]].concat(), &[])
        };
        let refused = commit(&folder);
        let said =
            String::from_utf8_lossy(&refused.stdout).to_string() + &String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success(), "{id}: {said}");
        assert!(said.contains("src/lib.rs:2:5: warning[division_by_zero]"), "{id}: {said}");
        let folder = folder.with("src/lib.rs", GOOD);
        let taken = commit(&folder);
        assert!(taken.status.success(), "{id}: {}", String::from_utf8_lossy(&taken.stderr));
    }
}

#[cfg(unix)]
#[test]
fn the_script_of_the_action_annotates_and_writes_sarif() {
    let action = std::fs::read_to_string(root().join("action.yml")).expect("the action");
    for script in ["ci/install.sh", "ci/lint.sh"] {
        assert!(action.contains(script), "{script} is not in the action");
        assert!(root().join(script).is_file(), "{script}");
    }
    let script = root().join("ci/lint.sh").display().to_string();
    let folder = sample();
    let runner = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", "summary.md"),
        ("KLEENE_ARGUMENTS", "--workspace --lib"),
    ];
    let ran =
        in_folder(&folder, "bash", &[&script], &[&runner[..], &[("KLEENE_SARIF", "found.sarif")]].concat());
    let said = String::from_utf8_lossy(&ran.stdout).to_string();
    assert_eq!(ran.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("::warning file=src/lib.rs,line=2"), "{said}");
    let sarif = std::fs::read_to_string(folder.path.join("found.sarif")).expect("SARIF");
    let log: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1), "{sarif}");
    assert!(
        std::fs::read_to_string(folder.path.join("summary.md"))
            .is_ok_and(|text| text.contains("division_by_zero"))
    );
    // With a baseline, or without the mistake, it is fine.
    let kept = in_folder(&folder, "cargo", &["kleene", "baseline"], &[]);
    assert!(kept.status.success(), "{}", String::from_utf8_lossy(&kept.stderr));
    let known = [&runner[..], &[("KLEENE_BASELINE", "kleene-baseline.json")]].concat();
    assert_eq!(in_folder(&folder, "bash", &[&script], &known).status.code(), Some(0));
    let folder = folder.with("src/lib.rs", GOOD);
    assert_eq!(in_folder(&folder, "bash", &[&script], &runner).status.code(), Some(0));
    // A wrong option is no finding.
    let wrong = in_folder(&folder, "bash", &[&script], &[("KLEENE_ARGUMENTS", "--no-such-option")]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn what_is_installed_is_not_built_again() {
    let script = root().join("ci/install.sh").display().to_string();
    let ran = in_folder(&sample(), "bash", &[&script], &[]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
}
