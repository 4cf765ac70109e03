//! How much a failure matters: `fixtures/severity`, and what people and the exit status make of it.

use std::path::Path;

use crate::support::Folder;

/// Line, lint and severity, as a file records them.
fn recorded(text: &str) -> Vec<(u64, String, String)> {
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let Some((_, expected)) = text.split_once("//~ ").filter(|_| !text.starts_with("//!")) else {
            continue;
        };
        for pair in expected.split(", ") {
            let (lint, severity) = pair.split_once(' ').expect("a lint and a severity");
            found.push((line as u64 + 1, lint.to_string(), severity.to_string()));
        }
    }
    found
}

#[test]
fn severities_are_as_recorded() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/severity");
    for name in ["ordinary.rs", "dangers.rs", "intended.rs", "program.rs", "grown.cm", "asked.cm"] {
        let text = std::fs::read_to_string(fixtures.join(name)).expect("a fixture");
        let folder = Folder::new().with(name, &text);
        let ran = folder.kleene(&["lint", name, "--format", "json"]);
        let document = ran.json();
        let results = document["results"].as_array().expect("a list");
        let mut found: Vec<(u64, String, String)> = results
            .iter()
            .filter(|result| result["verdict"] == "false")
            .map(|result| {
                let text = |field: &str| result[field].as_str().unwrap_or_default().to_string();
                (result["line"].as_u64().unwrap_or(0), text("lint"), text("severity"))
            })
            .collect();
        let mut expected = recorded(&text);
        assert!(!expected.is_empty(), "{name}");
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{name}");
        assert_eq!(ran.code, 1, "{name}");
    }
}

#[test]
fn notes_are_counted_and_shown_only_on_demand() {
    let folder = Folder::new().with("a.rs", "pub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
    let ran = folder.kleene(&["lint", "a.rs"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("1 false; 1 note (shown with --all)"), "{}", ran.out);
    assert!(!ran.out.contains("a.rs:2"), "{}", ran.out);
    let all = folder.kleene(&["lint", "a.rs", "--all"]);
    assert_eq!(all.code, 0, "{}", all.out);
    assert!(all.out.contains("note[overflow]") && all.out.contains("a.rs:2:5"), "{}", all.out);
    assert!(all.out.ends_with("1 false; 1 note\n"), "{}", all.out);
}

/// One mistake is told once, with its other places; machines get all of them.
#[test]
fn one_cause_is_one_finding() {
    let text = "pub fn pair(table: &[u8], at: usize) -> bool {\n    table[at] == 1\n        && table[at + 1] == 2\n}\n\
                pub fn other(table: &[u8], at: usize) -> u8 {\n    table[at]\n}\n";
    let folder = Folder::new().with("a.rs", text);
    let ran = folder.kleene(&["lint", "a.rs"]);
    assert_eq!(ran.out.matches("[index_out_of_bounds]").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("also: line 3"), "{}", ran.out);
    let json = folder.kleene(&["lint", "a.rs", "--format", "json"]).json();
    let results = json["results"].as_array().expect("a list");
    let failing =
        |result: &&serde_json::Value| result["verdict"] == "false" && result["lint"] == "index_out_of_bounds";
    assert_eq!(results.iter().filter(failing).count(), 3);
}

#[test]
fn what_is_undecided_is_only_counted() {
    let folder = Folder::new().with("a.rs", "pub fn part(n: u32) -> u32 {\n    n / outside(n)\n}\n");
    let quiet = folder.kleene(&["lint", "a.rs"]);
    assert_eq!(quiet.code, 0, "{}", quiet.out);
    assert!(quiet.out.contains("1 maybe") && !quiet.out.contains("a.rs:2"), "{}", quiet.out);
    let loud = folder.kleene(&["lint", "a.rs", "--maybe"]);
    assert_eq!(loud.code, 0, "{}", loud.out);
    assert!(loud.out.contains("maybe[division_by_zero]") && loud.out.contains("a.rs:2:5"), "{}", loud.out);
    let denied = folder.kleene(&["lint", "a.rs", "--deny", "maybe"]);
    assert_eq!(denied.code, 1, "{}", denied.out);
    assert!(denied.out.contains("maybe[division_by_zero]"), "{}", denied.out);
}

/// What a macro writes is one text, however many functions come of it.
#[test]
fn a_macro_is_one_cause() {
    let text = "macro_rules! parts {\n    ($($name:ident $ty:ty),*) => {\n        $(pub fn $name(a: $ty, b: $ty) -> $ty {\n            a / b\n        })*\n    };\n}\n\
                parts!(small u8);\nparts!(large u64);\n";
    let ran = Folder::new().with("a.rs", text).kleene(&["lint", "a.rs", "-A", "overflow"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.out.matches("warning[division_by_zero]").count(), 1, "{}", ran.out);
    assert!(ran.out.contains("also: line 9") && ran.out.contains("2 warnings"), "{}", ran.out);
}

/// Where several callers come to a failure, the one with ordinary values says how much it matters.
#[test]
fn the_plainest_caller_counts() {
    let text = "fn sum(a: u32, b: u32) -> u32 {\n    a - b\n}\npub fn extreme(a: u32) -> u32 {\n    if a > 3_000_000_000 { sum(1, a) } else { a }\n}\n\
                pub fn plain(a: u32) -> u32 {\n    sum(10, a.min(50))\n}\n";
    let ran = Folder::new().with("a.rs", text).kleene(&["lint", "a.rs", "--format", "json"]);
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let failing = results.iter().find(|result| result["verdict"] == "false").expect("a failure");
    assert_eq!((&failing["line"], &failing["severity"]), (&2.into(), &"warning".into()));
    assert!(failing["call"].as_str().is_some_and(|call| call.starts_with("crate::plain(")), "{failing}");
}
