//! `kleene why`, completions and manual pages.

use crate::support::{Folder, run};

const TEXT: &str = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\npub fn rest(a: u32, b: u32) -> u32 {\n    if b == 0 { 0 } else { a % b }\n}\npub fn far(a: u32) -> u32 {\n    a / outside(a)\n}\n";

#[test]
fn every_answer_of_a_line_is_explained() {
    let folder = Folder::new().with("a.rs", TEXT);
    let failing = folder.kleene(&["why", "a.rs:2"]);
    assert_eq!(failing.code, 0, "{}", failing.err);
    for part in [
        "False[division_by_zero] (warning)",
        "a.rs:2:5",
        "call: crate::part(0u32, 0u32)",
        "starts with a = 0, b = 0",
        "fails (division_by_zero)",
    ] {
        assert!(failing.out.contains(part), "no `{part}` in\n{}", failing.out);
    }
    let safe = folder.kleene(&["why", "a.rs:5:29"]);
    assert!(
        safe.out.contains("True[division_by_zero]: the divisor is never zero") && safe.out.contains("proof"),
        "{}",
        safe.out
    );
    let open = folder.kleene(&["why", "a.rs:8"]);
    assert!(
        open.out.contains("Maybe[division_by_zero]") && open.out.contains("cannot be seen"),
        "{}",
        open.out
    );
}

#[test]
fn a_line_that_says_nothing_is_an_error() {
    let folder = Folder::new().with("a.rs", TEXT);
    for (place, said) in [
        ("a.rs:3", "nothing to check in this line"),
        ("a.rs", "is no place"),
        ("a.rs:0", "is no place"),
        ("b.rs:1", "no such file"),
    ] {
        let ran = folder.kleene(&["why", place]);
        assert_eq!(ran.code, 2, "{place}");
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

/// In a package a line is looked at as part of it.
#[test]
fn a_line_of_a_package_is_asked_of_the_package() {
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", "mod inner;\npub fn part(a: u32) -> u32 {\n    inner::part(a, 2)\n}\n")
        .with("src/inner.rs", "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\n");
    let ran = run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path, &["kleene", "why", "src/inner.rs:2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("True[division_by_zero]"), "{}", ran.out);
    let alone = folder.kleene(&["why", "src/inner.rs:2"]);
    assert!(alone.out.contains("False[division_by_zero]"), "{}", alone.out);
}

#[test]
fn shells_get_completions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = folder.kleene(&["completions", shell]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("baseline") && ran.out.contains("kleene"), "{shell}");
    }
    assert_eq!(folder.kleene(&["completions", "cmd"]).code, 2);
}

#[test]
fn there_are_manual_pages() {
    let folder = Folder::new();
    let ran = folder.kleene(&["man"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains(".TH kleene 1"), "{}", ran.out);
    assert_eq!(folder.kleene(&["man", "--out", "pages"]).code, 0);
    for page in ["kleene.1", "kleene-lint.1", "kleene-check.1", "kleene-baseline.1"] {
        let text = std::fs::read_to_string(folder.path.join("pages").join(page)).expect("a page");
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    let folder = folder.with("file", "");
    assert_eq!(folder.kleene(&["man", "--out", "file"]).code, 2);
}
