//! Tests and examples of a library: what their runs come to is come to, if everybody could have written them.

use crate::support::{Folder, Ran};

/// Nobody finds a code by guessing, nor by turning what it is mixed to back; no text has it as one number.
const LOCK: &str = "\
//! Locks.

pub fn gate(code: u64) -> u8 {
    inside(code)
}

fn inside(code: u64) -> u8 {
    if mix(code) == 5_117_655_684_985_920_671 {
        return 1;
    }
    2
}

fn mix(code: u64) -> u64 {
    let mut x = code;
    let mut i = 0;
    while i < 20 {
        x = x.wrapping_mul(x ^ 0x9E37_79B9_7F4A_7C15).rotate_left(17);
        i += 1;
    }
    x
}
";

/// The same where everybody only has a code that does not open.
fn closed() -> String {
    LOCK.replace(
        "pub fn gate(code: u64) -> u8 {\n    inside(code)",
        "pub fn gate(_: u64) -> u8 {\n    inside(4)",
    )
}

const MANIFEST: &str = "[package]\nname = \"lock\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

fn package(text: &str) -> Folder {
    Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", text)
}

fn linted(folder: &Folder, more: &[&str]) -> Ran {
    let call = ["lint", ".", "--lib", "--no-cache", "--format", "json"];
    folder.kleene(&[&call, more].concat())
}

/// The result for the code that only the right code opens.
fn opened(ran: &Ran) -> serde_json::Value {
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let is_meant = |result: &serde_json::Value| result["lint"] == "unreachable_code" && result["line"] == 9;
    let mut found = results.into_iter().filter(is_meant);
    let only = found.next().expect("a site");
    assert!(found.next().is_none());
    only
}

fn shown(folder: &Folder) -> String {
    opened(&linted(folder, &[]))["verdict"].as_str().expect("a text").to_string()
}

fn with_tests(library: &str, tests: &str) -> String {
    shown(&package(&format!("{library}\n#[cfg(test)]\nmod tests {{\n{tests}\n}}\n")))
}

#[test]
fn without_users_nobody_knows() {
    assert_eq!(shown(&package(LOCK)), "maybe");
}

#[test]
fn tests_inside_show_what_they_come_to() {
    let test = "use super::*;\n#[test]\nfn opens() {\n    assert_eq!(gate(1_234_577 * 7_654_321), 1);\n}";
    assert_eq!(with_tests(LOCK, test), "true");
    let folder = package(&format!("{LOCK}\n#[cfg(test)]\nmod tests;\n")).with("src/tests.rs", test);
    let told = opened(&linted(&folder, &[]));
    assert_eq!(told["verdict"], "true");
    assert_eq!(told["evidence"]["conclusion"], "is reached in `tests::opens`");
    assert_eq!(opened(&linted(&folder, &["--level", "abstract"]))["verdict"], "maybe");
    assert_eq!(opened(&linted(&folder, &["--entry", "gate"]))["verdict"], "maybe");
}

#[test]
fn tests_and_examples_in_files_of_their_own_show_it() {
    let test =
        "use lock::gate;\nmod common;\n#[test]\nfn opens() {\n    assert_eq!(gate(common::code()), 1);\n}\n";
    let folder = package(LOCK)
        .with("tests/opens.rs", test)
        .with("tests/common/mod.rs", "pub fn code() -> u64 {\n    1_234_577 * 7_654_321\n}\n");
    assert_eq!(opened(&linted(&folder, &[]))["evidence"]["conclusion"], "is reached in `opens::opens`");
    let example = "fn main() {\n    lock::gate(1_234_577 * 7_654_321);\n}\n";
    assert_eq!(shown(&package(LOCK).with("examples/open.rs", example)), "true");
}

#[test]
fn examples_in_the_documentation_show_it() {
    let documented = |block: &str| {
        let text: String = block.lines().map(|line| format!("//! {line}\n")).collect();
        let ran = linted(&package(&format!("{LOCK}\nmod documented {{\n{text}\n}}\n")), &[]);
        opened(&ran)["verdict"].as_str().expect("a text").to_string()
    };
    assert_eq!(documented("```\nassert_eq!(lock::gate(1_234_577 * 7_654_321), 1);\n```"), "true");
    assert_eq!(
        documented("```rust\n# use lock::*;\nlet code = 1_234_577 * 7_654_321;\n# gate(code);\n```"),
        "true"
    );
    assert_eq!(
        documented("~~~~\n```\nfn main() {\n    lock::gate(1_234_577 * 7_654_321);\n}\n```\n"),
        "true"
    );
    assert_eq!(
        documented(
            "```\nlet code: u64 = \"9449848657217\".parse()?;\nlock::gate(code);\n# Ok::<(), std::num::ParseIntError>(())\n```"
        ),
        "true"
    );
    for said in ["ignore", "text", "compile_fail", "no_run", "toml"] {
        assert_eq!(
            documented(&format!("```{said}\nlock::gate(1_234_577 * 7_654_321);\n```")),
            "maybe",
            "{said}"
        );
    }
    assert_eq!(documented("```\nlock::gate(1_234_577 * 7_654_321)\nlet\n```"), "maybe");
}

#[test]
fn what_only_tests_can_do_shows_nothing() {
    let library = format!(
        "{}
pub struct Key {{ code: u64 }}
impl Key {{
    pub fn new() -> Self {{ Self {{ code: 4 }} }}
    fn of(code: u64) -> Self {{ Self {{ code }} }}
    pub fn turn(&self) -> u8 {{ inside(self.code) }}
}}
trait Turns {{ fn turned(&self) -> u8; }}
impl Turns for u64 {{ fn turned(&self) -> u8 {{ inside(*self) }} }}
#[non_exhaustive]
pub struct Plain {{ pub code: u64 }}
impl Plain {{ pub fn turn(&self) -> u8 {{ inside(if self.code == 1_234_577 * 7_654_321 {{ 1_234_577 * 7_654_321 }} else {{ 4 }}) }} }}
macro_rules! turn {{ ($code:expr) => {{ inside($code) }} }}
pub fn through(turned: impl Fn() -> u8) -> u8 {{ turned() }}
pub mod held {{ pub(crate) fn turn(code: u64) -> u8 {{ super::inside(code) }} }}
",
        closed()
    );
    for body in [
        "inside(1_234_577 * 7_654_321);",
        "crate::inside(1_234_577 * 7_654_321);",
        "Key::of(1_234_577 * 7_654_321).turn();",
        "Key { code: 1_234_577 * 7_654_321 }.turn();",
        "let mut key = Key::new(); key.code = 1_234_577 * 7_654_321; key.turn();",
        "(1_234_577u64 * 7_654_321).turned();",
        "Turns::turned(&(1_234_577u64 * 7_654_321));",
        "<u64 as Turns>::turned(&(1_234_577 * 7_654_321));",
        "Plain { code: 1_234_577 * 7_654_321 }.turn();",
        "turn!(1_234_577 * 7_654_321);",
        "through(|| inside(1_234_577 * 7_654_321));",
        "let f: fn(u64) -> u8 = inside; f(1_234_577 * 7_654_321);",
        "held::turn(1_234_577 * 7_654_321);",
        "helped(1_234_577 * 7_654_321);",
        "Mine.helped();",
    ] {
        let tests = format!(
            "use super::*;
#[test]
fn opens() {{ {body} }}
fn helped(code: u64) -> u8 {{ inside(code) }}
struct Mine;
impl Mine {{ fn helped(&self) -> u8 {{ inside(1_234_577 * 7_654_321) }} }}"
        );
        // An impl that names something private keeps its whole module out, so that one stands apart.
        let tests = if body.contains("Mine") {
            tests
        } else {
            tests.replace("{ inside(1_234_577 * 7_654_321) }", "{ 1_234_577 * 7_654_321 }")
        };
        assert_ne!(with_tests(&library, &tests), "true", "{body}");
    }
    let public =
        "use super::*;\n#[test]\nfn opens() { Key::new().turn(); through(|| 1_234_577 * 7_654_321); }";
    assert_ne!(with_tests(&library, public), "true");
    // The same things where everybody has them.
    let open = library.replace("    fn of(", "    pub fn of(");
    assert_eq!(
        with_tests(&open, "use super::*;\n#[test]\nfn opens() { Key::of(1_234_577 * 7_654_321).turn(); }"),
        "true"
    );
    let open = library.replace("trait Turns", "pub trait Turns");
    assert_eq!(
        with_tests(&open, "use super::*;\n#[test]\nfn opens() { (1_234_577u64 * 7_654_321).turned(); }"),
        "true"
    );
}

#[test]
fn what_a_test_adds_to_the_library_shows_nothing() {
    let library =
        format!("{}\npub struct Key;\nimpl Key {{ pub fn turn(&self) -> u8 {{ inside(4) }} }}\n", closed());
    let reaching = "use super::*;\nimpl Key { fn open(&self) -> u8 { inside(1_234_577 * 7_654_321) } }\n#[test]\nfn opens() { Key.open(); }";
    assert_ne!(with_tests(&library, reaching), "true");
    let left_alone = "#[test]\n#[ignore]\nfn opens() { super::gate(1_234_577 * 7_654_321); }";
    assert_eq!(with_tests(LOCK, left_alone), "maybe");
}

#[test]
fn what_a_test_expects_to_fail_is_a_note() {
    let library = LOCK.replace("return 1;", "panic!(\"open\");");
    let test = "use super::*;\n#[test]\n#[should_panic]\nfn opens() {\n    gate(1_234_577 * 7_654_321);\n}";
    let folder = package(&format!("{library}\n#[cfg(test)]\nmod tests {{\n{test}\n}}\n"));
    let results = linted(&folder, &[]).json()["results"].as_array().expect("a list").clone();
    let panics: Vec<_> = results.iter().filter(|result| result["lint"] == "reachable_panic").collect();
    assert_eq!(panics.len(), 1);
    assert_eq!((&panics[0]["verdict"], &panics[0]["severity"]), (&"false".into(), &"note".into()));
    let human = folder.kleene(&["lint", ".", "--lib", "--no-cache", "--all"]);
    assert!(human.out.contains("note[reachable_panic]"), "{}", human.out);
    let emitted = folder.kleene(&["lint", ".", "--lib", "--no-cache", "--emit-tests", "made"]);
    assert_eq!(emitted.code, 0, "{}{}", emitted.out, emitted.err);
}

#[test]
fn what_is_wrong_with_users_is_nobodys_business() {
    let plain = linted(&package(LOCK), &[]);
    for (name, text) in
        [("tests/broken.rs", "fn f( {"), ("examples/none.rs", ""), ("src/tests.rs", "fn f( {")]
    {
        let folder = package(&format!("{LOCK}\n#[cfg(test)]\nmod tests;\n")).with(name, text);
        let ran = linted(&folder, &[]);
        assert_eq!((ran.code, &ran.err), (plain.code, &plain.err), "{name}");
        assert_eq!(opened(&ran)["verdict"], "maybe", "{name}");
    }
}

#[test]
fn answers_of_tests_are_kept_and_asked_anew_where_they_change() {
    let test = |code: &str| format!("#[test]\nfn opens() {{\n    lock::gate({code});\n}}\n");
    let folder = package(LOCK).with("tests/opens.rs", test("1_234_577 * 7_654_321"));
    let call = ["lint", ".", "--lib", "--format", "json"];
    let verdict = |folder: &Folder| opened(&folder.kleene(&call))["verdict"].clone();
    assert_eq!(verdict(&folder), "true");
    assert_eq!(verdict(&folder), "true");
    let folder = folder.with("tests/opens.rs", test("6"));
    assert_eq!(verdict(&folder), "maybe");
    let folder = folder.with("tests/opens.rs", test("1_234_577 * 7_654_321"));
    assert_eq!(verdict(&folder), "true");
}
