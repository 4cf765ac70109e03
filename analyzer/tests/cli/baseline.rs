//! `kleene baseline` and `--baseline`: only what is new counts.

use crate::support::{Folder, run};

const TEXT: &str = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\n";

fn kept(text: &str) -> Folder {
    let folder = Folder::new().with("a.rs", text);
    let ran = folder.kleene(&["baseline", "a.rs"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    folder
}

const KNOWN: [&str; 4] = ["lint", "a.rs", "--baseline", "kleene-baseline.json"];

#[test]
fn what_is_known_is_no_failure() {
    let folder = kept(TEXT);
    assert_eq!(folder.kleene(&["lint", "a.rs"]).code, 1);
    let ran = folder.kleene(&KNOWN);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("1 in the baseline") && !ran.out.contains("a.rs:2"), "{}", ran.out);
    assert_eq!(ran.err, "");
    let json = folder.kleene(&[&KNOWN[..], &["--format", "json"]].concat()).json();
    let known = json["results"].as_array().expect("a list").iter().filter(|result| result["known"] == true);
    assert_eq!(known.count(), 1);
    let sarif = folder.kleene(&[&KNOWN[..], &["--format", "sarif"]].concat()).json();
    assert_eq!(sarif["runs"][0]["results"][0]["baselineState"], "unchanged");
}

#[test]
fn lines_and_layout_do_not_matter() {
    let moved = "// New lines\n// above.\npub fn id(a: u32) -> u32 {\n    a\n}\n\npub fn part(a: u32, b: u32) -> u32 {\n    a\n        / b\n}\n";
    let folder = kept(TEXT).with("a.rs", moved);
    let ran = folder.kleene(&KNOWN);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
}

#[test]
fn one_more_of_the_same_is_new() {
    let twice = "pub fn part(a: u32, b: u32) -> u32 {\n    if a > 2 { a / b } else { a / b }\n}\n";
    let folder = kept(TEXT).with("a.rs", twice);
    let ran = folder.kleene(&[&KNOWN[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, 1);
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let new = results.iter().filter(|result| result["verdict"] == "false" && result["known"] != true);
    assert_eq!(new.count(), 1, "{}", ran.out);
    let other = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\npub fn rest(a: u32, b: u32) -> u32 {\n    a / b\n}\n";
    let folder = folder.with("a.rs", other);
    let ran = folder.kleene(&KNOWN);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("in `rest`") && !ran.out.contains("in `part`"), "{}", ran.out);
}

#[test]
fn what_is_gone_is_stale() {
    let folder = kept(TEXT).with("a.rs", "pub fn part(a: u32, b: u32) -> u32 {\n    a / b.max(1)\n}\n");
    let ran = folder.kleene(&KNOWN);
    assert_eq!(ran.code, 0, "{}", ran.out);
    for part in ["warning", "kleene-baseline.json", "stale", "division_by_zero", "`a / b`", "`part`"] {
        assert!(ran.err.contains(part), "no `{part}` in {}", ran.err);
    }
    let json = folder.kleene(&[&KNOWN[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["diagnostics"].as_array().map(Vec::len), Some(1));
    // Other files are none of this call's business.
    let folder = folder.with("b.rs", "pub fn id(a: u32) -> u32 {\n    a\n}\n");
    let ran = folder.kleene(&["lint", "b.rs", "--baseline", "kleene-baseline.json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn what_is_suppressed_or_a_note_is_not_kept() {
    let text = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b // kleene: allow(division_by_zero) known\n}\npub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
    let folder = kept(text);
    let written = std::fs::read_to_string(folder.path.join("kleene-baseline.json")).expect("a file");
    assert_eq!(written, "{\"schema\":\"kleene/baseline/1\",\"findings\":[]}\n");
}

#[test]
fn a_wrong_baseline_is_an_error_with_its_place() {
    let folder = Folder::new()
        .with("a.rs", TEXT)
        .with("broken.json", "{\"schema\":\"kleene/baseline/1\",\n \"findings\":[{]}\n")
        .with("other.json", "{\"schema\":\"kleene/9\",\"findings\":[]}\n");
    for (name, said) in
        [("broken.json", "broken.json:2:15"), ("other.json", "kleene/9"), ("missing.json", "no such file")]
    {
        let ran = folder.kleene(&["lint", "a.rs", "--baseline", name]);
        assert_eq!(ran.code, 2, "{name}");
        assert!(ran.err.contains(said) && ran.err.contains("`kleene baseline` writes one"), "{}", ran.err);
    }
    let ran = folder.kleene(&["baseline", "a.rs", "--baseline", "no/such/folder.json"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("folder.json"), "{}", ran.err);
}

/// A package keeps its findings under its name, whatever targets are looked at.
#[test]
fn packages_are_kept_by_name() {
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", format!("{TEXT}#[test]\nfn works() {{\n    assert_eq!(part(4, 2), 2);\n}}\n"));
    let cargo = |arguments: &[&str]| {
        let all: Vec<&str> = std::iter::once("kleene").chain(arguments.iter().copied()).collect();
        run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path, &all)
    };
    assert_eq!(cargo(&["baseline"]).code, 0);
    let written = std::fs::read_to_string(folder.path.join("kleene-baseline.json")).expect("a file");
    assert!(written.contains("\"crate\":\"parts\"") && written.contains("\"count\":1"), "{written}");
    for more in [&[][..], &["--all-targets"]] {
        let ran = cargo(&[&["lint", "--baseline", "kleene-baseline.json"], more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    }
}
