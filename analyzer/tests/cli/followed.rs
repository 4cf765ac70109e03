//! What runs of tests pass is told of the text that they have passed, and of no other.

use crate::support::Folder;

/// Nobody finds a code by guessing, nor by turning what it is mixed to back; no text has it as one number.
const LOCK: &str = "\
//! Locks.

pub const CODE: u64 = 1_234_577 * 7_654_321;

const fn opens(code: u64) -> bool {
    let mut x = code;
    let mut i = 0;
    while i < 20 {
        x = x.wrapping_mul(x ^ 0x9E37_79B9_7F4A_7C15).rotate_left(17);
        i += 1;
    }
    x == 5_117_655_684_985_920_671
}
";

const MANIFEST: &str = "[package]\nname = \"lock\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// What is said of the line that ends with a sign, where tests do this.
fn told(lint: &str, library: &str, test: &str) -> String {
    let tests = format!("#[cfg(test)]\nmod tests {{\nuse super::*;\n#[test]\nfn uses() {{\n{test}\n}}\n}}\n");
    let text = format!("{LOCK}\n{library}\n{tests}");
    let line = text.lines().position(|line| line.ends_with("// here")).expect("a sign") + 1;
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", &text);
    let ran = folder.kleene(&["lint", ".", "--lib", "--no-cache", "--format", "json", "--all"]);
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let found = results.iter().filter(|result| result["lint"] == lint && result["line"] == line);
    let verdicts: Vec<&str> = found.map(|result| result["verdict"].as_str().expect("a text")).collect();
    assert!(!verdicts.is_empty(), "nothing is said of line {line}: {results:?}");
    verdicts.join(" ")
}

fn reached(library: &str, test: &str) -> String {
    told("unreachable_code", library, test)
}

#[test]
fn closures_are_passed_where_they_are_called() {
    let library = "
pub fn gate(code: u64, asks: bool) -> u8 {
    let mut inside = 2;
    let mut look = |code: u64| {
        if opens(code) {
            inside = 1; // here
        }
    };
    if asks {
        look(code);
    }
    inside
}";
    assert_eq!(reached(library, "assert_eq!(gate(CODE, true), 1);"), "true");
    assert_eq!(reached(library, "gate(CODE, false); gate(4, true);"), "maybe");
}

#[test]
fn what_nobody_knows_in_general_is_passed_where_it_stands() {
    let library = "
pub fn gate<T: AsRef<[u8]>>(code: u64, list: &T) -> u8 {
    let mut sum = 1;
    if opens(code) {
        sum = list.as_ref().len() as u8; // here
    }
    sum
}";
    assert_eq!(reached(library, "gate(CODE, &[1u8]);"), "true true");
    assert_eq!(reached(library, "gate(CODE - 1, &[1u8]); gate(4, &[2u8]);"), "maybe");
}

#[test]
fn constants_are_no_runs() {
    let library = "
const fn inside(code: u64) -> u8 {
    if opens(code) {
        return 1; // here
    }
    2
}
const FIVE: u8 = inside(CODE);
static AGAIN: u8 = inside(CODE);
pub fn gate(code: u64) -> u8 {
    inside(code) + FIVE + AGAIN
}";
    assert_eq!(reached(library, "gate(CODE);"), "true");
    assert_eq!(reached(library, "assert_eq!(gate(4), 4);"), "maybe");
}

#[test]
fn nothing_behind_what_stops_a_run_is_passed() {
    let library = "
pub fn gate(code: u64) -> u8 {
    if opens(code) {
        return 1; // here
    }
    2
}";
    assert_eq!(reached(library, "gate(CODE); panic!();"), "true");
    for before in [
        "panic!();",
        "let list = [1, 2]; list[list.len()];",
        "let home = std::env::var(\"HOME\"); if home.is_err() { return; }",
        "std::process::exit(0);",
        "let none: Option<u8> = None; none.unwrap();",
        "assert_eq!(gate(4), 1);",
        "loop {}",
        "let wait = async { gate(CODE) }; drop(wait); return;",
    ] {
        assert_eq!(reached(library, &format!("{before} gate(CODE);")), "maybe", "{before}");
    }
}

#[test]
fn orders_of_std_pass_nothing() {
    let library = "
pub fn gate(list: &mut [u64]) {
    list.sort_by(|one, other| {
        if opens(*one) {
            return one.cmp(other); // here
        }
        one.cmp(other)
    });
}";
    assert_eq!(reached(library, "gate(&mut [3, CODE, 4]);"), "maybe");
}

#[test]
fn operands_that_are_not_asked_are_not_passed() {
    let library = "
fn inside(code: u64) -> bool {
    if opens(code) {
        return true; // here
    }
    false
}
pub fn both(code: u64, asks: bool) -> bool { asks && inside(code) }
pub fn lazily(code: u64, there: Option<bool>) -> bool { there.unwrap_or_else(|| inside(code)) }
pub fn message(code: u64, there: bool) { assert!(there, \"{}\", inside(code)); }
pub fn arm(code: u64, number: u8) -> bool { match number { 1 if inside(code) => true, _ => false } }";
    for run in ["both(CODE, true);", "lazily(CODE, None);", "arm(CODE, 1);"] {
        assert_eq!(reached(library, run), "true", "{run}");
    }
    for run in ["both(CODE, false);", "lazily(CODE, Some(true));", "message(CODE, true);", "arm(CODE, 2);"] {
        assert_eq!(reached(library, run), "maybe", "{run}");
    }
}

#[test]
fn ways_out_of_a_question_are_told_apart() {
    let library = "
fn checked(code: u64) -> Result<u8, u8> {
    if opens(code) { Err(3) } else { Ok(2) }
}
pub fn gate(code: u64) -> Result<u8, u8> {
    let first = checked(code)?;
    let second = first + 1; // here
    Ok(second)
}";
    assert_eq!(told("unreachable_code", library, "assert!(gate(4).is_ok());"), "true");
}

#[test]
fn conditions_go_both_ways_where_runs_did() {
    let library = "
pub fn gate(code: u64) -> u8 {
    if opens(code) { // here
        return 1;
    }
    2
}";
    let asked = |test: &str| told("constant_condition", library, test);
    assert_eq!(asked("gate(4); gate(CODE);"), "true");
    assert_eq!(asked("gate(4); gate(6);"), "maybe");
}

#[test]
fn what_a_macro_brings_stands_where_it_is_called() {
    let library = "
macro_rules! asked { ($code:expr) => { if opens($code) { 1 } else { 2 } }; }
pub fn gate(one: u64, other: u64) -> u8 {
    asked!(one) + asked!(other / 2) // here
}";
    let asked = |test: &str| told("constant_condition", library, test);
    assert_eq!(asked("gate(4, CODE * 2); gate(CODE, 4);"), "true true");
    assert_eq!(asked("gate(4, 4); gate(CODE, 4);"), "true maybe");
    assert_eq!(asked("gate(4, 4); gate(6, 4);"), "maybe maybe");
}

#[test]
fn instances_of_a_function_are_passed_together() {
    let library = "
trait Code {
    fn code(&self) -> u64;
}
impl Code for u64 {
    fn code(&self) -> u64 { *self }
}
struct Other(u64);
impl Code for Other {
    fn code(&self) -> u64 { self.0 }
}
fn inside<T: Code>(code: T) -> u8 {
    if opens(code.code() ^ 0x5_DEEC_E66D) {
        return 1; // here
    }
    2
}
pub fn gate(wide: u64, other: u64) -> u8 {
    inside(wide) + inside(Other(other))
}";
    assert_eq!(reached(library, "gate(4, CODE ^ 0x5_DEEC_E66D);"), "true");
    assert_eq!(reached(library, "gate(4, 6 ^ 0x5_DEEC_E66D);"), "maybe");
}

#[test]
fn what_ends_with_a_value_is_passed_when_it_ends() {
    let library = "
pub struct Guard { code: u64 }
impl Drop for Guard {
    fn drop(&mut self) {
        if opens(self.code) {
            self.code = 1; // here
        }
    }
}
pub fn gate(code: u64) -> Guard {
    Guard { code }
}
pub fn kept(code: u64) {
    std::mem::forget(gate(code));
}";
    for run in [
        "gate(CODE);",
        "let _ = gate(CODE);",
        "let held = gate(CODE); drop(held);",
        "let _held = Some(gate(CODE));",
    ] {
        assert_eq!(reached(library, run), "true", "{run}");
    }
    for run in ["kept(CODE);", "gate(4);", "let _held = gate(CODE); std::process::exit(0);"] {
        assert_eq!(reached(library, run), "maybe", "{run}");
    }
}
