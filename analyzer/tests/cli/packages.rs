//! Packages and workspaces: what is chosen, how it is built, where runs begin.

use crate::support::{Folder, Ran, run};

fn cargo_kleene(folder: &Folder, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = std::iter::once("kleene").chain(arguments.iter().copied()).collect();
    run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path, &all)
}

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
}

/// Divides by its argument in the function of this name.
fn divides(name: &str) -> String {
    format!("pub fn {name}(x: u32) -> u32 {{\n    1 / x\n}}\n")
}

/// Function and verdict of every division.
fn divisions(ran: &Ran) -> Vec<(String, String)> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let text = |result: &serde_json::Value, field: &str| result[field].as_str().unwrap_or("").to_string();
    let mut found: Vec<(String, String)> = results
        .iter()
        .filter(|result| result["lint"] == "division_by_zero")
        .map(|result| (text(result, "function"), text(result, "verdict")))
        .collect();
    found.sort();
    found
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, verdict)| (name.to_string(), verdict.to_string())).collect()
}

fn workspace() -> Folder {
    Folder::new()
        .with(
            "Cargo.toml",
            "[workspace]\nmembers = [\"one\", \"two\", \"three\"]\ndefault-members = [\"one\"]\n",
        )
        .with("one/Cargo.toml", manifest("one", ""))
        .with("one/src/lib.rs", divides("first"))
        .with("two/Cargo.toml", manifest("two", ""))
        .with("two/src/lib.rs", divides("second"))
        .with("three/Cargo.toml", manifest("three", ""))
        .with("three/src/main.rs", "fn main() {\n    part(1);\n}\nfn part(x: u32) -> u32 {\n    1 / x\n}\n")
}

#[test]
fn a_package_is_what_can_be_reached_from_outside() {
    let text = "mod inner {\n    pub fn shown(x: u32) -> u32 { 1 / x }\n    pub fn hidden(x: u32) -> u32 { 2 / x }\n    \
                pub fn guarded(x: u32) -> u32 { 3 / x }\n}\n\
                pub use inner::shown as renamed;\nmod globbed {\n    pub fn by_glob(x: u32) -> u32 { 4 / x }\n}\n\
                pub use globbed::*;\npub fn calls(x: u32) -> u32 {\n    if x > 0 { inner::guarded(x) } else { 0 }\n}\n\
                pub struct Door(u32);\nimpl Door {\n    pub fn open(x: u32) -> u32 { 5 / x }\n    \
                fn unused(x: u32) -> u32 { 6 / x }\n}\n";
    let folder = Folder::new().with("Cargo.toml", manifest("reach", "")).with("src/lib.rs", text);
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let expected = pairs(&[
        ("Door::open", "false"),
        ("Door::unused", "maybe"),
        ("globbed::by_glob", "false"),
        ("inner::guarded", "true"),
        ("inner::hidden", "maybe"),
        ("inner::shown", "false"),
    ]);
    assert_eq!(divisions(&ran), expected);
    // The file alone is the same text under the rule for files.
    let ran = folder.kleene(&["lint", "src/lib.rs", "--format", "json"]);
    assert!(divisions(&ran).contains(&("inner::hidden".into(), "false".into())), "{}", ran.out);
}

#[test]
fn values_are_made_by_what_can_be_reached_from_outside() {
    let text = "mod inner {\n    pub struct Kept { n: u32 }\n    pub fn make(n: u32) -> Kept { Kept { n } }\n    \
                impl Kept {\n        pub fn part(&self) -> u32 { 1 / self.n }\n    }\n}\n\
                pub use inner::Kept;\npub fn one() -> u32 { inner::make(1).part() }\n\
                pub struct Given { n: u32 }\npub fn give(n: u32) -> Given { Given { n } }\n\
                impl Given {\n    pub fn part(&self) -> u32 { 1 / self.n }\n}\n";
    let folder = Folder::new().with("Cargo.toml", manifest("made", "")).with("src/lib.rs", text);
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    assert_eq!(divisions(&ran), pairs(&[("Given::part", "false"), ("inner::Kept::part", "maybe")]));
}

/// Lines of what fires.
fn fired(ran: &Ran, lint: &str) -> Vec<u64> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let fires = results.iter().filter(|result| result["lint"] == lint && result["verdict"] == "false");
    fires.map(|result| result["line"].as_u64().unwrap_or(0)).collect()
}

/// That nobody calls a function with some types does not mean that runs come to all of it.
#[test]
fn code_of_a_type_that_nobody_makes_is_not_said_to_be_reached() {
    let text = "pub struct Sealed<T> {\n    x: T,\n}\nimpl<T: Copy> Sealed<T> {\n    \
                pub fn pick(&self, a: u8) -> u8 {\n        if a < 100 {\n            if a > 200 {\n                \
                return 1;\n            }\n        }\n        2\n    }\n    \
                pub fn get(&self) -> T {\n        self.x\n    }\n}\n";
    let folder = Folder::new().with("sealed.rs", text);
    let ran = folder.kleene(&["lint", "sealed.rs", "--format", "json"]);
    assert_eq!(fired(&ran, "unreachable_code"), [8]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    assert!(results.iter().all(|result| result["verdict"] != "true"), "{}", ran.out);
}

/// What is in a public structure, a variant or a slice is made, and closures answer as their makers choose.
#[test]
fn arguments_are_put_together_of_what_calls_make() {
    let text = "pub struct Step {\n    width: u8,\n}\nimpl Step {\n    pub fn new(width: u8) -> Option<Step> {\n        \
                if width > 7 { None } else { Some(Step { width }) }\n    }\n}\n\
                pub struct Pair {\n    pub step: Step,\n    pub more: u8,\n}\n\
                pub fn total(pair: &Pair) -> u8 {\n    pair.step.width * 36 + 4\n}\n\
                pub fn below(pair: &Pair) -> u8 {\n    pair.step.width * 36 + 3\n}\n\
                pub fn of_either(step: Option<Step>, way: Result<Step, u8>) -> u8 {\n    match (step, way) {\n        \
                (Some(one), Ok(other)) => one.width + other.width,\n        \
                (None, Err(code)) => code + 1,\n        _ => 0,\n    }\n}\n\
                pub fn first_of(steps: &[Step]) -> u8 {\n    \
                if steps.len() == 2 {\n        return steps[0].width - steps[1].width;\n    }\n    0\n}\n\
                pub fn by_answers<F: FnMut(u8) -> u8>(mut answer: F) -> u8 {\n    answer(1) + answer(2)\n}\n";
    let folder = Folder::new().with("steps.rs", text);
    let ran = folder.kleene(&["lint", "steps.rs", "--format", "json"]);
    assert_eq!(fired(&ran, "overflow"), [14, 22, 28, 33]);
}

#[test]
fn a_binary_begins_with_main() {
    let folder = workspace();
    let ran = cargo_kleene(&folder, &["lint", "-p", "three", "--format", "json"]);
    assert_eq!((ran.code, divisions(&ran)), (0, pairs(&[("part", "true")])), "{}", ran.err);
}

#[test]
fn packages_are_chosen_as_cargo_chooses_them() {
    let folder = workspace();
    let functions = |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(&["--format", "json"]).copied().collect();
        let ran = cargo_kleene(&folder, &all);
        divisions(&ran).into_iter().map(|(function, _)| function).collect::<Vec<_>>()
    };
    assert_eq!(functions(&[]), ["first"]);
    assert_eq!(functions(&["lint", "--workspace"]), ["first", "part", "second"]);
    assert_eq!(functions(&["lint", "--workspace", "--exclude", "two"]), ["first", "part"]);
    assert_eq!(functions(&["-p", "two", "-p", "one@0.1.0"]), ["first", "second"]);
    assert_eq!(functions(&["--manifest-path", "two/Cargo.toml"]), ["second"]);
    assert_eq!(functions(&["lint", "two", "three/Cargo.toml"]), ["part", "second"]);
    assert_eq!(functions(&["--workspace", "--bins"]), ["part"]);
    let inside = run(env!("CARGO_BIN_EXE_cargo-kleene"), &folder.path.join("two/src"), &["kleene"]);
    assert!(inside.out.contains("two 0.1.0 (lib two)"), "{}", inside.out);
}

#[test]
fn mistakes_in_the_choice_are_said() {
    let folder = workspace();
    let said = |arguments: &[&str], expected: &[&str]| {
        let ran = cargo_kleene(&folder, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.out);
        for part in expected {
            assert!(ran.err.contains(part), "no `{part}` in {}", ran.err);
        }
    };
    said(&["-p", "twoo"], &["no package `twoo`", "did you mean `two`?"]);
    said(&["--workspace", "--exclude", "tree"], &["no package `tree`", "three"]);
    said(&["-p", "two", "--bins"], &["nothing to look at"]);
    said(&["-p", "two", "--features", "fast"], &["feature `fast`"]);
    said(&["--target", "z80-unknown-none"], &["z80"]);
    said(&["--profile", "relase"], &["no profile `relase`", "did you mean `release`?"]);
    said(&["--manifest-path", "four/Cargo.toml"], &["four"]);
    said(&["lint", "one/src/lib.rs", "--release"], &["single files"]);
    let none = Folder::new().with("Cargo.toml", "[workspace]\nmembers = []\n");
    let ran = cargo_kleene(&none, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("nothing to look at"), "{}", ran.err);
    let json = cargo_kleene(&none, &["--format", "json"]);
    assert_eq!(json.json()["diagnostics"][0]["severity"], "error");
}

#[test]
fn a_package_that_does_not_parse_does_not_stop_the_others() {
    let folder = workspace().with("one/src/lib.rs", "pub fn broken( {\n");
    let ran = cargo_kleene(&folder, &["--workspace", "--format", "json"]);
    assert_eq!(ran.code, 2);
    assert_eq!(divisions(&ran), pairs(&[("part", "true"), ("second", "false")]));
    assert_eq!(ran.json()["diagnostics"][0]["file"], "one/src/lib.rs");
}

#[test]
fn features_and_targets_decide_what_there_is() {
    let folder = Folder::new()
        .with(
            "Cargo.toml",
            manifest(
                "choices",
                "[features]\ndefault = [\"small\"]\nsmall = []\nlarge = [\"extra\"]\nextra = []\n",
            ),
        )
        .with(
            "src/lib.rs",
            [
                ("#[cfg(feature = \"small\")]\n", "small"),
                ("#[cfg(feature = \"extra\")]\n", "extra"),
                ("#[cfg(windows)]\n", "windows"),
                ("#[cfg(target_pointer_width = \"32\")]\n", "narrow"),
                ("#[cfg(target_endian = \"big\")]\n", "big"),
            ]
            .map(|(cfg, name)| cfg.to_string() + &divides(name))
            .concat()
                + "pub fn always() {}\n",
        );
    let there = |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(&["--format", "json"]).copied().collect();
        divisions(&cargo_kleene(&folder, &all)).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(there(&[]), ["small"]);
    assert!(there(&["--no-default-features"]).is_empty());
    assert_eq!(there(&["--no-default-features", "--features", "large"]), ["extra"]);
    assert_eq!(there(&["--all-features"]), ["extra", "small"]);
    let bare = "--no-default-features";
    assert_eq!(there(&[bare, "--target", "i686-pc-windows-gnu"]), ["narrow", "windows"]);
    assert_eq!(there(&[bare, "--target", "s390x-unknown-linux-gnu"]), ["big"]);
}

#[test]
fn targets_decide_the_order_of_bytes() {
    let claims = [
        "0x0102u16.to_ne_bytes() == [1, 2]",
        "u16::from_ne_bytes([1, 2]) == 0x0102",
        "0x0102u16.to_be() == 0x0102 && u16::from_be(0x0102) == 0x0102",
        "0x0102u16.to_le() == 0x0201 && u16::from_le(0x0102) == 0x0201",
        "0x0102u16.to_le_bytes() == [2, 1] && u16::from_be_bytes([1, 2]) == 0x0102",
    ];
    let text =
        claims.iter().enumerate().map(|(at, it)| format!("pub fn f{at}() {{\n    assert!({it});\n}}\n"));
    let folder = Folder::new()
        .with("Cargo.toml", manifest("orders", ""))
        .with("src/lib.rs", text.collect::<Vec<_>>().concat());
    let held = |target: &str| {
        let document = cargo_kleene(&folder, &["--target", target, "--format", "json"]).json();
        let results = document["results"].as_array().expect("a list").clone();
        let of_lint = results.iter().filter(|result| result["lint"] == "assertion_failed");
        of_lint.map(|result| result["verdict"].as_str().unwrap_or("").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(held("s390x-unknown-linux-gnu"), ["true"; 5]);
    assert_eq!(held("x86_64-unknown-linux-gnu"), ["false", "false", "false", "false", "true"]);
}

/// `into_iter` of an array gives its elements since 2021; before, it lent them.
#[test]
fn the_edition_decides_what_arrays_give() {
    let text = "trait Kind {\n    fn kind(self) -> u8;\n}\nimpl Kind for u8 {\n    fn kind(self) -> u8 {\n        1\n    }\n}\n\
                impl Kind for &u8 {\n    fn kind(self) -> u8 {\n        2\n    }\n}\npub fn given() {\n    \
                for x in [7u8].into_iter() {\n        assert!(Kind::kind(x) == 1);\n    }\n}\n";
    let verdicts = |edition: &str| {
        let manifest =
            format!("[package]\nname = \"arrays\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n");
        let folder = Folder::new().with("Cargo.toml", manifest).with("src/lib.rs", text);
        let document = cargo_kleene(&folder, &["--format", "json"]).json();
        let results = document["results"].as_array().expect("a list").clone();
        let of_lint = results.iter().filter(|result| result["lint"] == "assertion_failed");
        of_lint.map(|result| result["verdict"].as_str().unwrap_or("").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("2018"), ["false"]);
    assert_eq!(verdicts("2021"), ["true"]);
}

#[test]
fn profiles_decide_what_overflow_does() {
    let sum = "pub fn sum(a: u8) -> u8 {\n    debug_assert!(a < 200);\n    a + 100\n}\n";
    let folder = Folder::new()
        .with("Cargo.toml", manifest("sums", "[profile.release]\noverflow-checks = true\n[profile.bench]\n"))
        .with("src/lib.rs", sum);
    let found = |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(&["--format", "json"]).copied().collect();
        let document = cargo_kleene(&folder, &all).json();
        let results = document["results"].as_array().expect("a list").clone();
        let fails = results.iter().filter(|result| result["verdict"] == "false");
        fails.map(|result| result["lint"].as_str().unwrap_or("").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), ["assertion_failed", "overflow"]);
    assert_eq!(found(&["--release"]), ["overflow"]);
    assert!(found(&["--release", "--arith", "release"]).is_empty());
    let ran = cargo_kleene(&folder, &["--release"]);
    let header =
        "sums 0.1.0 (lib sums) · profile release, overflow fails, no debug assertions · no features · ";
    assert!(ran.out.starts_with(header), "{}", ran.out);
    assert!(ran.out.lines().next().is_some_and(|line| line.contains("solver ")), "{}", ran.out);
}

#[test]
fn tests_and_examples_are_looked_at_when_asked() {
    let folder = Folder::new()
        .with("Cargo.toml", manifest("kinds", ""))
        .with("src/lib.rs", "pub fn plain() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn inner() { let x = 0; let _ = 1 / x; }\n}\n")
        .with("tests/outer.rs", "#[test]\nfn outer() {\n    let x = 0;\n    let _ = 2 / x;\n}\n")
        .with("examples/shown.rs", "fn main() {\n    let x = 0;\n    let _ = 3 / x;\n}\n");
    let functions = |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(&["--format", "json"]).copied().collect();
        divisions(&cargo_kleene(&folder, &all))
    };
    assert!(functions(&[]).is_empty());
    assert_eq!(functions(&["--tests"]), pairs(&[("outer", "false"), ("tests::inner", "false")]));
    assert_eq!(functions(&["--examples"]), pairs(&[("main", "false")]));
    assert_eq!(functions(&["--all-targets"]).len(), 3);
}

#[test]
fn properties_of_a_package_are_checked() {
    let property = |file: &str| format!("[[property]]\nformula = \"AF terminated\"\nfile = \"{file}\"\n");
    let folder = Folder::new()
        .with(
            "Cargo.toml",
            manifest("checked", "[package.metadata.kleene]\nproperties = [\"more/b.toml\"]\n"),
        )
        .with("src/main.rs", "fn main() {}\n")
        .with("properties/a.toml", property("../src/main.rs"))
        .with("more/b.toml", property("../src/main.rs"));
    let ran = cargo_kleene(&folder, &["check", "--format", "json"]);
    assert_eq!((ran.code, ran.verdicts()), (0, vec!["true".into(), "true".into()]), "{}", ran.err);
    let bare = Folder::new().with("Cargo.toml", manifest("bare", "")).with("src/main.rs", "fn main() {}\n");
    let ran = cargo_kleene(&bare, &["check"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no package has a property file"), "{}", ran.err);
}

#[test]
fn the_time_of_a_call_is_kept() {
    let mut text = String::new();
    for index in 0..300 {
        text += &format!(
            "pub fn f{index}(a: u64, b: u64) -> u64 {{\n    let mut s = 1u64;\n    for i in 0..b {{\n        \
             s = s * (a ^ i) % (b + {index});\n    }}\n    s / (a - b)\n}}\n"
        );
    }
    let folder = Folder::new().with("Cargo.toml", manifest("long", "")).with("src/lib.rs", text);
    let start = std::time::Instant::now();
    let ran = cargo_kleene(&folder, &["--budget", "1", "--format", "json"]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    assert!(ran.verdicts().iter().any(|verdict| verdict == "maybe"));
    assert!(ran.out.contains("the time of the whole call is over"), "{}", ran.out.len());
}
