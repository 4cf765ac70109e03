//! `-W`, `-D`, `-A`, groups, and the settings they are an end of.

use crate::support::{Folder, Ran, run};

const BOTH: &str =
    "pub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\npub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\n";

/// Lint and severity of everything that is False.
fn failing(ran: &Ran) -> Vec<(String, String)> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let text = |result: &serde_json::Value, field: &str| result[field].as_str().unwrap_or("").to_string();
    let failing = results.iter().filter(|result| result["verdict"] == "false");
    failing.map(|result| (text(result, "lint"), text(result, "severity"))).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(lint, severity)| (lint.to_string(), severity.to_string())).collect()
}

#[test]
fn the_last_word_of_the_call_counts() {
    let folder = Folder::new().with("a.rs", BOTH);
    let of = |arguments: &[&str]| {
        let all = [&["lint", "a.rs", "--format", "json"], arguments].concat();
        let ran = folder.kleene(&all);
        (ran.code, failing(&ran))
    };
    assert_eq!(of(&[]), (1, pairs(&[("overflow", "note"), ("division_by_zero", "warning")])));
    assert_eq!(of(&["-W", "overflow"]).1, pairs(&[("overflow", "warning"), ("division_by_zero", "warning")]));
    assert_eq!(of(&["-D", "arithmetic"]).1, pairs(&[("overflow", "error"), ("division_by_zero", "error")]));
    assert_eq!(of(&["-A", "all"]), (0, vec![]));
    assert_eq!(of(&["-A", "all", "-W", "overflow"]), (1, pairs(&[("overflow", "warning")])));
    assert_eq!(of(&["-W", "overflow", "-A", "arithmetic"]), (0, vec![]));
    assert_eq!(
        of(&["-A", "arithmetic", "--deny", "division_by_zero"]).1,
        pairs(&[("division_by_zero", "error")])
    );
}

#[test]
fn a_misspelt_lint_is_an_error_with_a_suggestion() {
    let folder = Folder::new().with("a.rs", BOTH);
    for option in ["-W", "-D", "-A"] {
        let ran = folder.kleene(&["lint", "a.rs", option, "arithmetics"]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("did you mean `arithmetic`?"), "{}", ran.err);
    }
    assert_eq!(folder.kleene(&["lint", "a.rs", "-W", "maybe"]).code, 2);
    assert_eq!(folder.kleene(&["lint", "a.rs", "-D", "maybe", "-A", "division_by_zero"]).code, 0);
}

#[test]
fn everything_there_is_can_be_listed() {
    let ran = Folder::new().kleene(&["lint", "--list"]);
    assert_eq!(ran.code, 0);
    for lint in kleene::lints::Lint::ALL {
        assert!(ran.out.contains(lint.name()), "{}", ran.out);
    }
    for group in ["all", "arithmetic", "panics", "dead_code"] {
        assert!(ran.out.contains(group), "{}", ran.out);
    }
}

#[test]
fn the_nearest_settings_around_a_file_are_found() {
    let folder = Folder::new()
        .with("kleene.toml", "[lints]\nallow = [\"division_by_zero\"]\n")
        .with("src/a.rs", BOTH)
        .with(
            "inner/kleene.toml",
            "[lints]\ndeny = [\"all\"]\nwarn = [\"overflow\"]\nallow = [\"dead_code\"]\n",
        )
        .with("inner/a.rs", BOTH)
        .with("plain.toml", "");
    let of =
        |arguments: &[&str]| failing(&folder.kleene(&[&["lint", "--format", "json"], arguments].concat()));
    assert_eq!(of(&["src/a.rs"]), pairs(&[("overflow", "note")]));
    assert_eq!(of(&["inner/a.rs"]), pairs(&[("overflow", "warning"), ("division_by_zero", "error")]));
    assert_eq!(of(&["src/a.rs", "--config", "plain.toml"]).len(), 2);
    assert_eq!(of(&["src/a.rs", "-W", "division_by_zero"]).len(), 2);
}

fn workspace() -> Folder {
    let member = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    Folder::new()
        .with(
            "Cargo.toml",
            "[workspace]\nmembers = [\"one\", \"two\"]\n[workspace.metadata.kleene.lints]\nallow = [\"overflow\"]\n",
        )
        .with("one/Cargo.toml", member("one", "[package.metadata.kleene.lints]\ndeny = [\"arithmetic\"]\n"))
        .with("one/src/lib.rs", BOTH)
        .with("two/Cargo.toml", member("two", ""))
        .with("two/src/lib.rs", BOTH)
}

fn cargo(folder: &Folder, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = std::iter::once("kleene").chain(arguments.iter().copied()).collect();
    run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path, &all)
}

#[test]
fn manifests_have_settings() {
    let folder = workspace();
    let of =
        |arguments: &[&str]| failing(&cargo(&folder, &[&["lint", "--format", "json"], arguments].concat()));
    assert_eq!(of(&["-p", "one"]), pairs(&[("overflow", "error"), ("division_by_zero", "error")]));
    assert_eq!(of(&["-p", "two"]), pairs(&[("division_by_zero", "warning")]));
    assert_eq!(of(&["-p", "two", "-A", "all"]), vec![]);
}

#[test]
fn wrong_settings_of_one_package_do_not_stop_the_others() {
    let folder = workspace().with(
        "one/Cargo.toml",
        "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[package.metadata.kleene]\nlint = 1\n\
         [package.metadata.kleene.lints]\nwarn = [\"overflw\"]\n",
    );
    let ran = cargo(&folder, &["lint", "--workspace", "--format", "json"]);
    assert_eq!(ran.code, 2);
    for part in
        ["one/Cargo.toml:6:1", "did you mean `lints`?", "one/Cargo.toml:8:9", "did you mean `overflow`?"]
    {
        assert!(ran.err.contains(part), "no `{part}` in {}", ran.err);
    }
    assert_eq!(failing(&ran), pairs(&[("division_by_zero", "warning")]));
}

#[test]
fn a_lint_stands_in_one_list() {
    let folder = Folder::new()
        .with("a.rs", BOTH)
        .with("kleene.toml", "[lints]\nwarn = [\"overflow\"]\nallow = [\"overflow\"]\n");
    let ran = folder.kleene(&["lint", "a.rs"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("stands in two lists") && ran.err.contains("kleene.toml:3:10"), "{}", ran.err);
}

/// What `init` writes parses and changes nothing; a file that is there stays as it is.
#[test]
fn the_template_means_the_defaults() {
    let folder = Folder::new().with("a.rs", BOTH);
    let before = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    let ran = folder.kleene(&["init"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(folder.path.join("kleene.toml")).expect("the file is written");
    assert!(text.lines().filter(|line| line.starts_with('#')).count() >= 10, "{text}");
    let after = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    assert_eq!((after.code, after.timeless()), (before.code, before.timeless()));
    // What is commented out is right, too.
    let all: String = text
        .lines()
        .map(|line| {
            line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_string() + "\n"
        })
        .collect();
    let folder = folder.with("kleene.toml", &all);
    assert_eq!(folder.kleene(&["lint", "a.rs"]).code, 1, "{all}");
    let again = folder.kleene(&["init"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("kleene.toml"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(folder.path.join("kleene.toml")).ok(), Some(all));
}

#[test]
fn cargo_writes_settings_at_the_root_of_the_workspace() {
    let folder = workspace();
    let member = Folder { path: folder.path.join("one") };
    let ran = cargo(&member, &["init"]);
    std::mem::forget(member);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(folder.path.join("kleene.toml").is_file());
}
