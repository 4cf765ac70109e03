//! Formulas over values of Rust that are no numbers, and how reports write them.

use crate::support::{Folder, Ran};

const DOOR: &str = "\
#[derive(Clone, Copy, PartialEq)]
enum State { Closed, Open { angle: u8 }, Locked(u16) }
struct Point { pub x: i32, pub y: i32 }
struct Door { state: State, at: Point, bell: bool, sign: char, log: [u8; 3] }
fn step(door: &mut Door, push: bool) {
    door.bell = push;
    door.state = match door.state {
        State::Closed if push => State::Open { angle: 90 },
        State::Open { angle } => State::Closed,
        other => other,
    };
}
fn main() {
    let mut door =
        Door { state: State::Closed, at: Point { x: 1, y: -2 }, bell: false, sign: 'a', log: [0; 3] };
    let mut last: Option<u8> = None;
    let mut n = 0;
    while n < 3 {
        step(&mut door, n == 1);
        door.log[n] = n as u8 + 5;
        last = Some(n as u8);
        n += 1;
    }
    let done = true;
}
fn other(point: Point, o: Option<u8>, list: [u8; 2]) -> u8 {
    let r: Result<u8, bool> = Ok(1);
    o.unwrap()
}
";

fn check(folder: &Folder, more: &[&str], formula: &str) -> Ran {
    let call = ["check", "a.rs", "--prop", formula, "--format", "json"];
    folder.kleene(&[&call[..], more].concat())
}

#[test]
fn fields_variants_and_elements_are_named() {
    let folder = Folder::new().with("a.rs", DOOR);
    for (formula, expected) in [
        ("AF (door.at.x == 1 && door.at.y == -2)", "true"),
        ("EF (door.state == State::Open)", "true"),
        ("AG (last == None || n >= 0)", "true"),
        ("AF (last == Some)", "true"),
        ("AF (last != None && last.Some.0 == 2)", "true"),
        ("EF (line(18) && door.bell)", "true"),
        ("AG (line(24) -> door.sign == 'a')", "true"),
        ("AF (door.log[0] == 5 && door.log[2] == 7)", "true"),
        ("AG (line(24) -> door.state == Closed)", "true"),
        ("EF (door.state == State::Locked && line(24))", "false"),
        ("AF done", "true"),
    ] {
        let ran = check(&folder, &[], formula);
        assert_eq!(ran.verdicts(), [expected], "{formula}: {}", ran.out);
    }
    let other = check(&folder, &["--entry", "other", "--assume", "o != None"], "AG !failed");
    assert_eq!(other.verdicts(), ["true"], "{}", other.out);
    let passed =
        check(&folder, &["--entry", "other", "--assume", "list[0] == 3"], "AG (line(28) -> list[0] == 3)");
    assert_eq!(passed.verdicts(), ["true"], "{}", passed.out);
    let passed =
        check(&folder, &["--entry", "other", "--assume", "list[0] == 3"], "AG (line(28) -> list[1] == 3)");
    assert_eq!(passed.verdicts(), ["false"], "{}", passed.out);
}

#[test]
fn misspelt_names_get_suggestions() {
    let folder = Folder::new().with("a.rs", DOOR);
    for (formula, said) in [
        ("AG dor.bell", "did you mean `door`?"),
        ("AG door.bel", "did you mean `door.bell`?"),
        ("AG (door.at.z == 1)", "`door.at` has no field `z`"),
        ("AG (door.state == State::Opened)", "did you mean `State::Open`?"),
        ("AG (door.state == State::Broken)", "its variants are State::Closed, State::Open, State::Locked"),
        ("AG (door.state == Colour::Open)", "`Colour::Open` is no variant of State"),
        ("AG (last.Som.0 == 1)", "did you mean `last.Some`?"),
        ("AG (door.state < State::Open)", "compared with `==` and `!=`"),
        ("AG (door.state == 1)", "`door.state` is no number"),
        ("AG (door == 1)", "`door` is no number"),
        ("AG (door.log == 1)", "`door.log` is no number"),
        ("AG last", "compare it with a variant, as in `last == None`"),
        ("AG (n.x == 1)", "`n` has no field `x`"),
        ("AG stp::push", "did you mean `step::push`?"),
        ("AG step::pusch", "did you mean `push`?"),
    ] {
        let ran = check(&folder, &[], formula);
        assert_eq!(ran.code, 2, "{formula}");
        assert!(ran.out.contains(said), "{formula}: {}", ran.out);
    }
}

#[test]
fn values_are_written_as_rust_writes_them() {
    let folder = Folder::new().with("a.rs", DOOR);
    let ran = folder.kleene(&["check", "a.rs", "--prop", "AG !terminated"]);
    for part in [
        "door = Door { state: State::Closed, at: Point { x: 1, y: -2 }",
        "sign: 'a', log: [0, 0, 0] }",
        "State::Open { angle: 90 }",
        "Some(1) → Some(2)",
        "done = true",
        "door.log[2] = 7",
    ] {
        let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "no `{part}` in\n{}", ran.out);
    }
    let lint = folder.kleene(&["lint", "a.rs", "--entry", "other"]);
    assert!(lint.out.contains("o = None"), "{}", lint.out);
    assert!(lint.out.contains("point = Point { x: "), "{}", lint.out);
    let machine = folder.kleene(&["lint", "a.rs", "--entry", "other", "--format", "json"]).json();
    let results = machine["results"].as_array().expect("a list").clone();
    let failing = results.iter().find(|result| result["lint"] == "unwrap_failed").expect("a finding");
    let shown = failing["evidence"]["shown"].as_array().expect("values").clone();
    assert!(shown.iter().any(|shown| shown["name"] == "o" && shown["value"] == "None"), "{shown:?}");
    let plain = failing["evidence"]["initial"].as_array().expect("values").clone();
    assert!(plain.iter().any(|value| value["name"] == "o" && value["value"] == 0), "{plain:?}");
    assert!(plain.iter().any(|value| value["name"] == "point.x"), "{plain:?}");
}

#[test]
fn entries_are_paths() {
    let text = "mod shapes {\n    pub struct Square { pub side: u8 }\n    impl Square {\n        \
                pub fn area(&self) -> u8 {\n            self.side * self.side\n        }\n    }\n    \
                pub fn half(x: u8) -> u8 { x / 2 }\n}\nfn main() {}\n";
    let folder = Folder::new().with("a.rs", text);
    let lint = |entries: &[&str]| {
        let mut call = vec!["lint", "a.rs", "--format", "json"];
        entries.iter().for_each(|entry| call.extend(["--entry", entry]));
        folder.kleene(&call)
    };
    assert_eq!(lint(&["shapes::Square::area"]).json()["summary"]["false"], 1);
    assert_eq!(lint(&["crate::shapes::half"]).json()["summary"]["false"], 0);
    assert_eq!(lint(&["shapes::half", "shapes::Square::area", "main"]).json()["summary"]["false"], 1);
    for (wrong, near) in
        [("area", "shapes::Square::area"), ("shapes::hlaf", "shapes::half"), ("mian", "main")]
    {
        let ran = lint(&[wrong]);
        assert_eq!(ran.code, 2);
        assert!(ran.out.contains(&format!("did you mean `{near}`?")), "{wrong}: {}", ran.out);
        let ran = check(&folder, &["--entry", wrong], "AG true");
        assert_eq!(ran.code, 2);
        assert!(ran.out.contains(&format!("did you mean `{near}`?")), "{wrong}: {}", ran.out);
    }
    let area = check(&folder, &["--entry", "shapes::Square::area"], "AG (self.side > 15 || !failed)");
    assert_eq!(area.verdicts(), ["true"], "{}", area.out);
}
