//! What the text says to leave alone: comments of ours, attributes of clippy, and those that nothing needs.

use serde_json::Value;

use crate::support::{Folder, Ran};

/// Lines of failures that count, and of those that are left alone.
fn lines(ran: &Ran) -> (Vec<u64>, Vec<u64>) {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let line = |result: &Value| result["line"].as_u64().unwrap_or(0);
    let failing: Vec<&Value> = results.iter().filter(|result| result["verdict"] == "false").collect();
    let (left, counted): (Vec<&Value>, Vec<&Value>) =
        failing.into_iter().partition(|result| result["suppressed"].is_string());
    let sorted = |list: Vec<&Value>| {
        let mut lines: Vec<u64> = list.into_iter().map(line).collect();
        lines.sort_unstable();
        lines
    };
    (sorted(counted), sorted(left))
}

fn linted(text: &str) -> Ran {
    Folder::new().with("a.rs", text).kleene(&["lint", "a.rs", "--format", "json"])
}

#[test]
fn a_comment_covers_its_line_the_next_statement_or_the_function_below() {
    let text = "\
pub fn on_the_line(a: u32, b: u32) -> u32 {
    let first = a / b; // kleene: allow(division_by_zero) callers know
    first + 1 / b
}
pub fn above(a: u32, b: u32) -> u32 {
    // kleene: allow(division_by_zero) callers know
    let first = a
        .max(1 / b);
    first % b
}
// kleene: allow(arithmetic) all of it is meant
#[inline]
pub fn whole(a: u8, b: u8) -> u8 {
    if a > 3 {
        return a / b;
    }
    a - b
}
pub fn other(a: u8, b: u8) -> u8 {
    a / b
}
";
    let ran = linted(text);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let (counted, left) = lines(&ran);
    assert_eq!(left, [2, 8, 15, 17], "{}", ran.out);
    assert!(counted.contains(&20) && !counted.contains(&2) && !counted.contains(&15), "{counted:?}");
    assert_eq!(ran.json()["diagnostics"].as_array().map(Vec::len), Some(0), "{}", ran.out);
}

#[test]
fn all_that_is_left_alone_is_0_and_counted() {
    let text = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b // kleene: allow(division_by_zero) the caller looked\n}\n";
    let folder = Folder::new().with("a.rs", text);
    let ran = folder.kleene(&["lint", "a.rs"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("1 suppressed") && !ran.out.contains("a.rs:2"), "{}", ran.out);
    let json = folder.kleene(&["lint", "a.rs", "--format", "json"]).json();
    let reasons: Vec<&str> = json["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|result| result["suppressed"].as_str())
        .collect();
    assert_eq!(reasons, ["the caller looked"]);
}

#[test]
fn comments_work_in_c_too() {
    let text = "int part(int a, int b) {\n    return a / b; // kleene: allow(division_by_zero) b is never 0\n}\n\
                // kleene: allow(division_by_zero) nor here\nint other(int a, int b) {\n    int c = a;\n    return c / b;\n}\n";
    let ran = Folder::new().with("a.c", text).kleene(&["lint", "a.c", "--format", "json"]);
    assert_eq!((ran.code, lines(&ran)), (0, (vec![], vec![2, 7])), "{}", ran.out);
}

#[test]
fn a_comment_that_is_wrong_is_an_error_with_its_place() {
    for (comment, said) in [
        ("// kleene: allow(division_by_zero)", "a reason is missing"),
        ("// kleene: allow(division_by_zer) sure", "did you mean `division_by_zero`?"),
        ("// kleene: alow(overflow) sure", "did you mean `allow`?"),
        ("// kleene: allow overflow sure", "the lints stand in parentheses"),
    ] {
        let text = format!("pub fn part(a: u32, b: u32) -> u32 {{\n    a / b {comment}\n}}\n");
        let ran = Folder::new().with("a.rs", &text).kleene(&["lint", "a.rs", "--format", "json"]);
        assert_eq!(ran.code, 2, "{comment}");
        assert!(ran.err.contains(said) && ran.err.contains("a.rs:2:11"), "{}", ran.err);
        assert_eq!(lines(&ran).0, [2], "{comment}");
    }
}

#[test]
fn what_nothing_needs_is_reported() {
    let text = "\
pub fn safe(a: u32) -> u32 {
    a / 3 // kleene: allow(division_by_zero) really
}
pub fn half(a: u32, b: u32) -> u32 {
    a / b // kleene: allow(division_by_zero, overflow) one of them
}
#[expect(clippy::indexing_slicing)]
pub fn first(table: [u8; 3]) -> u8 {
    table[0]
}
#[cfg(windows)]
pub fn elsewhere(a: u32, b: u32) -> u32 {
    a / b // kleene: allow(division_by_zero) not seen here
}
";
    let ran = linted(text);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let document = ran.json();
    let said: Vec<(u64, &str, &str)> = document["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|remark| {
            let text = |field: &str| remark[field].as_str().unwrap_or_default();
            (remark["line"].as_u64().unwrap_or(0), text("severity"), text("message"))
        })
        .collect();
    let expected = [
        (2, "warning", "nothing here needs `allow(division_by_zero)`"),
        (5, "warning", "nothing here needs `allow(overflow)`"),
        (7, "note", "nothing here can fail: `clippy::indexing_slicing` has no reason"),
    ];
    assert_eq!(said, expected);
    // What is not looked for is not judged.
    let quiet = Folder::new().with("a.rs", text).kleene(&["lint", "a.rs", "--format", "json", "-A", "all"]);
    assert_eq!(quiet.json()["diagnostics"].as_array().map(Vec::len), Some(0), "{}", quiet.out);
}

#[test]
fn attributes_of_clippy_are_honoured_wherever_they_stand() {
    let text = "\
#[allow(clippy::arithmetic_side_effects)]
pub fn item(a: u8, b: u8) -> u8 {
    a - b
}
pub fn statement(a: u8, b: u8) -> u8 {
    #[allow(clippy::arithmetic_side_effects, reason = \"b is smaller\")]
    let c = a - b;
    c / b
}
pub mod inner {
    #![allow(clippy::unwrap_used)]
    pub fn unwraps(n: u8) -> u8 {
        n.checked_add(1).unwrap()
    }
    pub fn expects(table: &[u8]) -> u8 {
        *table.first().expect(\"one\")
    }
}
pub struct Table(pub [u8; 4]);
impl Table {
    #[expect(clippy::indexing_slicing)]
    pub fn at(&self, index: usize) -> u8 {
        self.0[index]
    }
    pub fn never(&self, n: u8) -> u8 {
        match n {
            #[allow(clippy::unreachable)]
            9 => unreachable!(),
            8 => unreachable!(),
            _ => n,
        }
    }
}
";
    let (counted, left) = lines(&linted(text));
    assert_eq!(left, [3, 7, 13, 23, 28]);
    assert_eq!(counted, [8, 16, 29]);
    let whole = format!("#![allow(clippy::arithmetic_side_effects)]\n{text}");
    let (counted, _) = lines(&linted(&whole));
    assert_eq!(counted, [17, 30]);
}

#[test]
fn attributes_of_a_module_reach_its_file() {
    let folder = Folder::new()
        .with("lib.rs", "#[allow(clippy::arithmetic_side_effects)]\npub mod door;\npub mod gate;\n")
        .with("door.rs", "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\npub mod lock;\n")
        .with("door/lock.rs", "pub fn rest(a: u32, b: u32) -> u32 {\n    a % b\n}\n")
        .with("gate.rs", "pub fn part(a: u32, b: u32) -> u32 {\n\n    a / b\n}\n");
    let ran = folder.kleene(&["lint", "lib.rs", "--format", "json"]);
    assert_eq!(lines(&ran), (vec![3], vec![2, 2]), "{}", ran.out);
}
