//! `--partition`, `merge` and `--since`: a part of the work, and the whole again.

use std::process::Command;

use crate::support::{Folder, Ran, run};

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
}

fn workspace() -> Folder {
    let divides = |name: &str| format!("pub fn {name}(a: u32, b: u32) -> u32 {{\n    a / b\n}}\n");
    Folder::new()
        .with("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\", \"three\"]\nresolver = \"2\"\n")
        .with("one/Cargo.toml", manifest("one", ""))
        .with("one/src/lib.rs", divides("first"))
        .with("two/Cargo.toml", manifest("two", "[dependencies]\none = { path = \"../one\" }\n"))
        .with("two/src/lib.rs", divides("second"))
        .with("three/Cargo.toml", manifest("three", ""))
        .with("three/src/lib.rs", divides("third"))
}

fn cargo(folder: &Folder, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = std::iter::once("kleene").chain(arguments.iter().copied()).collect();
    run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path, &all)
}

fn functions(ran: &Ran) -> Vec<String> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    results.iter().map(|result| result["function"].as_str().unwrap_or("").to_string()).collect()
}

#[test]
fn parts_put_together_are_the_whole() {
    let mut folder = workspace();
    let whole = cargo(&folder, &["lint", "--workspace", "--format", "json"]);
    assert_eq!(whole.code, 1);
    for of in [2, 5] {
        let mut names = Vec::new();
        for part in 1..=of {
            let ran = cargo(
                &folder,
                &["lint", "--workspace", "--format", "json", "--partition", &format!("{part}/{of}")],
            );
            assert!(ran.code <= 1, "{}", ran.err);
            assert!(ran.err.contains(&format!("skipped (not in part {part}/{of})")), "{}", ran.err);
            let name = format!("part{part}of{of}.json");
            folder = folder.with(&name, &ran.out);
            names.push(name);
        }
        names.reverse();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = folder.kleene(&[&["merge", "--format", "json"], &names[..]].concat());
        assert_eq!(merged.code, 1, "{}", merged.err);
        assert_eq!(functions(&merged), functions(&whole));
        assert_eq!(merged.json()["summary"], whole.json()["summary"]);
        let human = folder.kleene(&[&["merge"], &names[..]].concat());
        assert!(
            human.out.contains("warning[division_by_zero] in `first`") && human.out.contains("3 false"),
            "{}",
            human.out
        );
        let missing = folder.kleene(&[&["merge"], &names[1..]].concat());
        assert_eq!(missing.code, 2);
        assert!(missing.err.contains(&format!("missing: {of}/{of}")), "{}", missing.err);
        let twice = folder.kleene(&[&["merge", names[0]], &names[..]].concat());
        assert_eq!(twice.code, 2);
    }
}

#[test]
fn what_cannot_be_put_together_is_said() {
    let folder = workspace().with("other.json", "{\"schema\":\"else\"}").with("broken.json", "{");
    for name in ["other.json", "broken.json", "missing.json"] {
        let ran = folder.kleene(&["merge", name]);
        assert_eq!(ran.code, 2, "{name}");
        assert!(ran.err.contains(name), "{}", ran.err);
    }
    for wrong in ["0/2", "3/2", "1", "a/b", "1/0"] {
        let ran = cargo(&folder, &["lint", "--partition", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
        assert!(ran.err.contains("I/N"), "{}", ran.err);
    }
}

fn git(folder: &Folder, arguments: &[&str]) {
    let said = Command::new("git")
        .current_dir(&folder.path)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .expect("git starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn what_changed_and_what_depends_on_it_is_looked_at() {
    let folder = workspace();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    let since =
        |folder: &Folder| cargo(folder, &["lint", "--workspace", "--format", "json", "--since", "HEAD"]);
    let nothing = since(&folder);
    assert_eq!((nothing.code, functions(&nothing).len()), (0, 0), "{}", nothing.err);
    assert!(nothing.err.contains("nothing changed since HEAD"), "{}", nothing.err);
    for name in ["one (lib one)", "two (lib two)", "three (lib three)"] {
        assert!(nothing.err.contains(name), "{}", nothing.err);
    }
    let folder = folder
        .with("three/src/lib.rs", "pub fn third(a: u32, b: u32) -> u32 {\n    a % b\n}\n")
        .with("notes.md", "x");
    let third = since(&folder);
    assert_eq!((third.code, functions(&third)), (1, vec!["third".to_string()]), "{}", third.err);
    // A new file of `one`, which `two` depends on.
    let folder = folder.with("one/src/inner.rs", "");
    let all = since(&folder);
    assert_eq!(functions(&all), ["first", "second", "third"], "{}", all.err);
    let wrong = cargo(&folder, &["lint", "--since", "no-such-branch"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("no-such-branch"), "{}", wrong.err);
}

#[test]
fn settings_of_the_workspace_concern_all() {
    let folder = workspace();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    let folder = folder.with("kleene.toml", "[lints]\ndeny = [\"all\"]\n");
    let ran = cargo(&folder, &["lint", "--workspace", "--format", "json", "--since", "HEAD"]);
    assert_eq!(functions(&ran).len(), 3, "{}", ran.err);
}
