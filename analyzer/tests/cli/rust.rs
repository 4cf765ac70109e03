//! How Rust is read: features, targets, intrinsics, entries.

use crate::support::{Folder, Ran};

fn lints(ran: &Ran) -> Vec<(u64, String, String)> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let text =
        |result: &serde_json::Value, field: &str| result[field].as_str().unwrap_or_default().to_string();
    let one = |result: &serde_json::Value| {
        (result["line"].as_u64().unwrap_or(0), text(result, "lint"), text(result, "verdict"))
    };
    results.iter().map(one).collect()
}

fn verdict(ran: &Ran, line: u64, lint: &str) -> Option<String> {
    lints(ran).into_iter().find(|(at, name, _)| *at == line && name == lint).map(|(_, _, verdict)| verdict)
}

#[test]
fn features_and_cfg_choose_the_code() {
    let text = "#[cfg(feature = \"fast\")]\npub fn f(b: u8) -> u8 { 1 / b }\n\
                #[cfg(feature = \"safe\")]\npub fn g(b: u8) -> u8 { 1 / b }\n\
                #[cfg(own)]\npub fn h(b: u8) -> u8 { 1 / b }\n\
                #[cfg(kind = \"small\")]\npub fn i(b: u8) -> u8 { 1 / b }\n\
                #[cfg(test)]\nmod tests {\n    #[test]\n    fn j() { assert!(1 > 2); }\n}\n\
                pub fn always() {}\n";
    let folder =
        Folder::new().with("a.rs", text).with("a.toml", "[rust]\nfeatures = [\"safe\"]\ncfg = [\"own\"]\n");
    let lines = |arguments: &[&str]| {
        let ran = folder.kleene(&[&["lint", "a.rs", "--format", "json"], arguments].concat());
        let mut lines: Vec<u64> = lints(&ran).into_iter().map(|(line, ..)| line).collect();
        lines.dedup();
        lines
    };
    assert_eq!(lines(&[]), Vec::<u64>::new());
    assert_eq!(lines(&["--features", "fast,safe"]), [2, 4]);
    assert_eq!(lines(&["--config", "a.toml"]), [4, 6]);
    assert_eq!(lines(&["--config", "a.toml", "--features", "fast", "--cfg", "kind=\"small\""]), [2, 4, 6, 8]);
    assert_eq!(lines(&["--cfg", "test"]), [12]);
    for wrong in
        [["--cfg", "a b"], ["--cfg", "a=b"], ["--target-pointer-width", "20"], ["--debug-assertions", "x"]]
    {
        assert_eq!(folder.kleene(&[&["lint", "a.rs"], &wrong[..]].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn pointers_and_debug_assertions_are_chosen() {
    let text = "pub fn wide(n: u32) -> usize {\n    (n as usize) * 3\n}\n\
                pub fn checked(n: u32) {\n    debug_assert!(n < 10);\n}\n\
                pub fn main() {\n    let x: usize = 65_535;\n}\n";
    let folder = Folder::new().with("a.rs", text).with("b.toml", "[rust]\ntarget-pointer-width = 32\n");
    let lint =
        |arguments: &[&str]| folder.kleene(&[&["lint", "a.rs", "--format", "json"], arguments].concat());
    assert_eq!(verdict(&lint(&[]), 2, "overflow").as_deref(), Some("true"));
    assert_eq!(verdict(&lint(&["--target-pointer-width", "32"]), 2, "overflow").as_deref(), Some("false"));
    assert_eq!(verdict(&lint(&["--config", "b.toml"]), 2, "overflow").as_deref(), Some("false"));
    let near = lint(&["--config", "b.toml", "--target-pointer-width", "64"]);
    assert_eq!(verdict(&near, 2, "overflow").as_deref(), Some("true"));
    assert_eq!(verdict(&lint(&[]), 5, "assertion_failed").as_deref(), Some("false"));
    assert_eq!(verdict(&lint(&["--debug-assertions", "off"]), 5, "assertion_failed"), None);
    assert_eq!(verdict(&lint(&["--arith", "release"]), 5, "assertion_failed"), None);
    let mixed = lint(&["--arith", "release", "--debug-assertions", "on"]);
    assert_eq!(verdict(&mixed, 5, "assertion_failed").as_deref(), Some("false"));
    let asked = ["check", "a.rs", "--entry", "wide", "--prop", "AG !failed", "--format", "json"];
    assert_eq!(folder.kleene(&asked).verdicts(), ["true"]);
    let narrow = folder.kleene(&[&asked[..], &["--target-pointer-width", "32"]].concat());
    assert_eq!(narrow.verdicts(), ["false"]);
    let narrow = folder.kleene(&[&asked[..], &["--config", "b.toml", "--evidence", "e.json"]].concat());
    assert_eq!(narrow.verdicts(), ["false"]);
    assert!(folder.kleene(&["verify", "e.json"]).out.contains("1 verified"));
}

#[test]
fn mistakes_in_the_settings_are_shown_with_their_place() {
    let folder = Folder::new().with("a.rs", "fn main() {}\n");
    for (text, place, said) in [
        ("[intrinsic]\nany = []\n", "c.toml:1:2", "did you mean `intrinsics`?"),
        ("[intrinsics]\nasume = []\n", "c.toml:2:1", "did you mean `assume`?"),
        ("[rust]\nfeature = []\n", "c.toml:2:1", "did you mean `features`?"),
        ("[rust]\ntarget_pointer_width = 32\n", "c.toml:2:1", "did you mean `target-pointer-width`?"),
        ("[rust]\ntarget-pointer-width = 8\n", "c.toml:2:24", "16, 32 or 64"),
        ("[rust]\ndebug-assertions = 1\n", "c.toml:2:20", "true or false"),
        ("[rust]\ncfg = [\"a=b\"]\n", "c.toml:2:8", "in quotes"),
        ("[lints]\nallow = [\"overflo\"]\n", "c.toml:2:10", "did you mean `overflow`?"),
        ("rust = 1\n", "c.toml:1:8", "is a table"),
        ("[rust\n", "c.toml:1:", ""),
    ] {
        let folder = Folder { path: folder.path.clone() }.with("c.toml", text);
        for call in [&["lint", "a.rs"][..], &["check", "a.rs", "--prop", "AG true"][..]] {
            let ran = folder.kleene(&[call, &["--config", "c.toml"]].concat());
            assert_eq!(ran.code, 2, "{text}");
            assert!(ran.err.contains(place) && ran.err.contains(said), "{text}\n{}", ran.err);
        }
        std::mem::forget(folder);
    }
}

const HARNESS: &str = "\
fn middle(low: u32, high: u32) -> u32 {
    (low + high) / 2
}
fn safe_middle(low: u32, high: u32) -> u32 {
    low + (high - low) / 2
}
#[cfg(kani)]
mod verification {
    use super::*;
    #[kani::proof]
    fn overflows() {
        let low: u32 = kani::any();
        let high = kani::any::<u32>();
        kani::assume(low <= high);
        middle(low, high);
    }
    #[kani::proof]
    #[kani::unwind(3)]
    fn holds() {
        let low: u32 = kani::any();
        let high: u32 = kani::any();
        kani::assume(low <= high);
        let found = safe_middle(low, high);
        kani::assert(low <= found && found <= high, \"in between\");
    }
}
";

const KANI: &str = "[intrinsics]\nany = [\"kani::any\", \"nondet_*\"]\n\
                    assume = [\"kani::assume\", \"assume!\"]\nassert = [\"kani::assert\", \"verify!\"]\n\
                    [rust]\ncfg = [\"kani\"]\n";

#[test]
fn harnesses_of_another_verifier_can_be_read() {
    let folder = Folder::new().with("a.rs", HARNESS).with("kani.toml", KANI);
    let lint = |entry: &str| {
        let entry = format!("verification::{entry}");
        folder.kleene(&["lint", "a.rs", "--config", "kani.toml", "--entry", &entry, "--format", "json"])
    };
    let overflows = lint("overflows");
    assert_eq!(verdict(&overflows, 2, "overflow").as_deref(), Some("false"), "{}", overflows.out);
    let holds = lint("holds");
    let expected = [(5, "overflow"), (24, "assertion_failed")];
    for (line, lint) in expected {
        assert_eq!(verdict(&holds, line, lint).as_deref(), Some("true"), "{line} {lint}: {}", holds.out);
    }
    assert_eq!(holds.code, 0);
    // Without the settings nobody knows what the harness means.
    let plain = folder.kleene(&[
        "lint",
        "a.rs",
        "--cfg",
        "kani",
        "--entry",
        "verification::holds",
        "--format",
        "json",
    ]);
    assert!(lints(&plain).iter().all(|(_, _, verdict)| verdict != "false"), "{}", plain.out);
}

#[test]
fn functions_and_macros_of_the_file_may_mean_something_else() {
    let text = "fn nondet_small() -> u8 { 0 }\nfn nondet_any<T: Default>() -> T { T::default() }\n\
                macro_rules! assume { ($c:expr) => {} }\nmacro_rules! verify { ($c:expr) => {} }\n\
                pub fn f() {\n    let x = nondet_small();\n    let y: i8 = nondet_any();\n    assume!(x < 10);\n\
                \n    verify!(x < 10);\n    verify!(x < 9);\n    verify!(y >= 0);\n}\n";
    let folder = Folder::new().with("a.rs", text).with("kani.toml", KANI);
    let ran = folder.kleene(&["lint", "a.rs", "--config", "kani.toml", "--entry", "f", "--format", "json"]);
    for (line, expected) in [(10, "true"), (11, "false"), (12, "false")] {
        assert_eq!(verdict(&ran, line, "assertion_failed").as_deref(), Some(expected), "{line}: {}", ran.out);
    }
}

const GUARDS: &str = "\
struct Guard { code: u8 }
impl Drop for Guard {
    fn drop(&mut self) {
        if self.code == 7 {
            panic!();
        }
    }
}
struct Adds<'a>(&'a mut u8);
impl Drop for Adds<'_> {
    fn drop(&mut self) { *self.0 += 1; }
}
fn make(code: u8) -> Guard { Guard { code } }
pub fn certain(b: u8) -> u8 {
    {
        let guard = Guard { code: 7 };
    }
    1 / b
}
pub fn in_an_option(b: u8) -> u8 {
    {
        let guard = Some(Guard { code: 7 });
    }
    1 / b
}
pub fn of_a_statement(b: u8) -> u8 {
    make(7);
    1 / b
}
pub fn of_no_name(b: u8) -> u8 {
    let _ = make(7);
    1 / b
}
pub fn in_a_pattern(b: u8) -> u8 {
    match (make(7), b) {
        (guard, _) => {}
    }
    1 / b
}
pub fn in_an_array(b: u8) -> u8 {
    {
        let guards = [make(7), make(6)];
    }
    1 / b
}
pub fn moved_on_one_way(b: u8) -> u8 {
    let guard = make(7);
    if b > 100 {
        make(guard.code);
    } else {
        drop(guard);
    }
    1 / b
}
pub fn written_through_a_borrow() {
    let mut x = 0;
    {
        let adds = Adds(&mut x);
    }
    assert!(x == 0);
}
pub fn harmless(b: u8) -> u8 {
    let guard = make(1);
    1 / b
}
fn main() {}
";

#[test]
fn what_happens_at_the_end_of_values_is_never_passed_by() {
    let folder = Folder::new().with("a.rs", GUARDS);
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    let divisions: Vec<(u64, String)> = lints(&ran)
        .into_iter()
        .filter(|(_, lint, _)| lint == "division_by_zero")
        .map(|(line, _, verdict)| (line, verdict))
        .collect();
    // Each is behind a panic but the last.
    let (last, others) = divisions.split_last().expect("divisions");
    assert_eq!(others.first(), Some(&(18, "true".to_string())), "{}", ran.out);
    assert!(others.iter().all(|(_, verdict)| verdict != "false"), "{divisions:?}");
    assert_eq!((others.len(), last.1.as_str()), (7, "false"));
    let assertions = lints(&ran).into_iter().find(|(_, lint, _)| lint == "assertion_failed");
    assert!(assertions.is_some_and(|(_, _, verdict)| verdict == "maybe"), "{}", ran.out);
    // The panic itself is a place of those who end the value.
    for (entry, expected) in [("certain", "false"), ("in_an_option", "maybe"), ("of_a_statement", "maybe")] {
        let ran = folder.kleene(&["lint", "a.rs", "--format", "json", "--entry", entry]);
        assert_eq!(verdict(&ran, 5, "reachable_panic").as_deref(), Some(expected), "{entry}: {}", ran.out);
    }
}

#[test]
fn of_functions_that_unseen_code_may_call_an_entry_says_nothing() {
    let text = "fn behind(n: u8) -> u8 {\n    10 / n\n}\nfn within(n: u8) -> u8 {\n    9 / (n / 2 + 1)\n}\n\
                pub fn begin(a: u8) -> u8 {\n    let all: Vec<fn(u8) -> u8> = vec![behind];\n    within(a) + all[0](a)\n}\n";
    let folder = Folder::new().with("a.rs", text);
    let alone = folder.kleene(&["lint", "a.rs", "--format", "json", "--entry", "begin"]);
    assert_eq!(verdict(&alone, 2, "division_by_zero"), None, "{}", alone.out);
    assert_eq!(verdict(&alone, 5, "division_by_zero").as_deref(), Some("true"), "{}", alone.out);
    // Without an entry it is looked at with any arguments, but nobody is known to pass them.
    let all = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    assert_eq!(verdict(&all, 2, "division_by_zero").as_deref(), Some("maybe"), "{}", all.out);
}
