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
    // A new file of `one`, which `two` depends on: nobody reads it.
    let folder = folder.with("one/src/inner.rs", "");
    let same = since(&folder);
    assert_eq!(functions(&same), ["third"], "{}", same.err);
    for name in ["one (lib one)", "two (lib two)"] {
        assert!(same.err.contains(&format!("1 of 1 entries of {name}")), "{}", same.err);
    }
    // What `two` calls in `one`.
    let calls = "pub fn second(a: u32, b: u32) -> u32 {\n    one::first(a, b) + a / b\n}\n";
    let folder = folder.with("two/src/lib.rs", calls);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "second"]);
    let folder = folder.with("one/src/lib.rs", "pub fn first(a: u32, b: u32) -> u32 {\n    a / b / 2\n}\n");
    let both = since(&folder);
    let mut names = functions(&both);
    names.dedup();
    assert_eq!(names, ["first", "second"], "{}", both.err);
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

/// One package of several functions that have nothing in common, and some that share a callee, a type, a macro, a constant.
const MANY: &str = "mod inner;
pub const LIMIT: u32 = 7;
macro_rules! less { ($e:expr) => { $e - 1 }; }
pub struct Pair { a: u32, b: u32 }
fn shared(a: u32, b: u32) -> u32 { a / b }
pub fn one(a: u32) -> u32 { shared(a, 2) }
pub fn two(a: u32, b: u32) -> u32 { shared(a, b) + 1 }
pub fn three(a: &[u8]) -> u8 { a[3] }
pub fn four(a: u32) -> u32 { if a < LIMIT { a + 1 } else { a * 2 } }
pub fn five(a: u32) -> u32 { less!(a) }
pub fn six<T: Copy>(a: &[T]) -> T { a[0] }
impl Pair {
    pub fn new(a: u32) -> Self { Pair { a, b: 3 } }
    pub fn ratio(&self) -> u32 { self.a / self.b }
}
pub fn seven(a: u32) -> u32 { inner::deep(a) + 1 }
";
const INNER: &str = "pub fn deep(a: u32) -> u32 { a << 40 }\n";

fn package() -> Folder {
    Folder::new()
        .with("Cargo.toml", manifest("many", ""))
        .with("src/lib.rs", MANY)
        .with("src/inner.rs", INNER)
}

/// All results without how long they took.
fn results(ran: &Ran) -> Vec<serde_json::Value> {
    let document = ran.json();
    let mut results = document["results"].as_array().expect("a list").clone();
    results.iter_mut().for_each(|result| result["seconds"] = 0.into());
    results
}

#[test]
fn entries_of_one_target_are_shared() {
    let mut folder = package();
    let whole = cargo(&folder, &["lint", "--format", "json", "--no-cache"]);
    assert_eq!(whole.code, 1, "{}", whole.err);
    for of in [2, 3, 20] {
        let (mut names, mut largest) = (Vec::new(), 0);
        for part in 1..=of {
            let place = format!("{part}/{of}");
            let ran = cargo(&folder, &["lint", "--format", "json", "--partition", &place]);
            assert!(ran.code <= 1, "{}", ran.err);
            assert!(ran.err.contains(&format!("skipped (not in part {place}): ")), "{}", ran.err);
            largest = largest.max(results(&ran).len());
            let name = format!("part{part}of{of}.json");
            folder = folder.with(&name, &ran.out);
            names.push(name);
        }
        assert!(largest < results(&whole).len(), "nothing is shared");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = folder.kleene(&[&["merge", "--format", "json"], &names[..]].concat());
        assert_eq!(merged.code, 1, "{}", merged.err);
        assert_eq!(results(&merged), results(&whole));
        assert_eq!(merged.json()["summary"], whole.json()["summary"]);
    }
    // What parts left behind is not taken for the whole.
    let again = cargo(&folder, &["lint", "--format", "json"]);
    assert_eq!(results(&again), results(&whole));
}

#[test]
fn functions_that_changed_and_those_that_depend_on_them_are_looked_at() {
    let folder = package().with(".gitignore", "target\n");
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    let looked = |folder: &Folder| {
        let ran = cargo(folder, &["lint", "--format", "json", "--since", "HEAD", "--no-cache"]);
        let whole = cargo(folder, &["lint", "--format", "json", "--no-cache"]);
        assert!(ran.code <= 1, "{}", ran.err);
        // What is said is what the whole says.
        let whole: Vec<(String, String)> = results(&whole).iter().map(said).collect();
        assert!(results(&ran).iter().map(said).all(|said| whole.contains(&said)), "{}", ran.err);
        let mut names = functions(&ran);
        names.dedup();
        (names, ran.err)
    };
    let edits: [(&str, &str, &[&str]); 7] = [
        ("a[3]", "a[4]", &["three"]),
        ("a / b }", "a % b }", &["shared", "one", "two"]),
        ("LIMIT: u32 = 7", "LIMIT: u32 = 8", &["four"]),
        ("$e - 1", "$e - 2", &["five"]),
        ("b: 3", "b: 4", &["Pair::new", "Pair::ratio"]),
        ("a: u32, b: u32 }", "b: u32, a: u32 }", &["Pair::new", "Pair::ratio"]),
        ("pub fn five", "/// More.\n\npub fn five", &[]),
    ];
    let mut folder = folder;
    for (from, to, expected) in edits {
        folder = folder.with("src/lib.rs", MANY.replacen(from, to, 1));
        let (names, said) = looked(&folder);
        let stray: Vec<&String> = names.iter().filter(|name| !expected.contains(&name.as_str())).collect();
        assert!(stray.is_empty(), "{to}: {names:?}");
        let has_sites = |name: &&&str| **name != "one" && **name != "Pair::new";
        let missing: Vec<&&str> =
            expected.iter().filter(has_sites).filter(|name| !names.contains(&name.to_string())).collect();
        assert!(missing.is_empty(), "{to}: {names:?} without {missing:?}");
        assert!(said.contains("skipped (nothing changed since HEAD): "), "{said}");
        assert!(said.contains("entries of many (lib many)"), "{said}");
    }
    // Files of modules, those that are new and those that are gone.
    folder = folder.with("src/lib.rs", MANY).with("src/inner.rs", INNER.replace("40", "3"));
    assert_eq!(looked(&folder).0, ["seven", "inner::deep"]);
    std::fs::remove_file(folder.path.join("src/inner.rs")).expect("it is there");
    folder = folder.with("src/inner/mod.rs", INNER);
    let (names, _) = looked(&folder);
    assert!(names.iter().all(|name| name == "inner::deep" || name == "seven"), "{names:?}");
    // A text that was not understood says nothing of what it was.
    std::fs::remove_dir_all(folder.path.join("src/inner")).expect("it is there");
    folder = folder.with("src/lib.rs", MANY.replace("a[3]", "a[")).with("src/inner.rs", INNER);
    git(&folder, &["commit", "-q", "-a", "-m", "broken"]);
    folder = folder.with("src/lib.rs", MANY);
    let (names, _) = looked(&folder);
    assert!(names.len() > 5, "{names:?}");
}

fn said(result: &serde_json::Value) -> (String, String) {
    let place = format!("{}:{}:{}", result["file"], result["line"], result["column"]);
    (place, format!("{} {}", result["lint"], result["verdict"]))
}
