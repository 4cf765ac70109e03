//! `kleene lint` and `kleene explain`.

use std::process::Command;

use crate::support::Folder;

const QUOTIENTS: &str = "int plain(int a, int b) {\n    return a / b;\n}\nint tested(int a, int b) {\n    \
                         if (b == 0) { b = 1; }\n    return a / b;\n}\n";

#[test]
fn a_warning_is_1_and_none_is_0() {
    let folder = Folder::new().with("a.c", QUOTIENTS);
    assert_eq!(folder.kleene(&["lint", "a.c"]).code, 1);
    assert_eq!(folder.kleene(&["lint", "a.c", "--entry", "tested"]).code, 0);
    assert_eq!(folder.kleene(&["lint", "a.c", "-A", "division_by_zero"]).code, 0);
    assert_eq!(folder.kleene(&["lint", "a.c", "--entry", "nothing"]).code, 2);
    assert_eq!(folder.kleene(&["lint", "a.c", "missing.c"]).code, 2);
    assert_eq!(folder.kleene(&["lint", "missing.c"]).code, 2);
    assert_eq!(folder.kleene(&["lint"]).code, 2);
    assert_eq!(folder.kleene(&["lint", "a.c", "-W", "no_such_lint"]).code, 2);
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::new().with("a.c", QUOTIENTS).with("b.c", "int f( {\n");
    let ran = folder.kleene(&["lint", "b.c", "a.c", "--format", "json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.json()["summary"]["false"].as_u64() == Some(1), "{}", ran.out);
    assert!(ran.json()["diagnostics"].as_array().is_some_and(|list| !list.is_empty()));
}

#[test]
fn every_site_is_an_entry() {
    let folder = Folder::new().with("a.c", QUOTIENTS);
    let ran = folder.kleene(&["lint", "a.c", "--format", "json"]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    let divisions: Vec<(u64, &str, &str, &str)> = results
        .iter()
        .filter(|result| result["lint"] == "division_by_zero")
        .map(|result| {
            let text = |field: &str| result[field].as_str().unwrap_or_default();
            (result["line"].as_u64().unwrap_or(0), text("verdict"), text("severity"), text("function"))
        })
        .collect();
    assert_eq!(divisions, [(2, "false", "warning", "plain"), (6, "true", "none", "tested")]);
    let failing = results.iter().find(|result| result["verdict"] == "false").expect("a finding");
    assert_eq!(failing["evidence"]["kind"], "run");
    assert_eq!(failing["evidence"]["initial"][1]["name"], "b");
    assert_eq!(failing["evidence"]["initial"][1]["value"], 0);
    let again = folder.kleene(&["lint", "a.c", "--format", "json", "--jobs", "3"]);
    assert_eq!(ran.timeless(), again.timeless());
}

#[test]
fn people_see_the_place_and_the_values() {
    let folder = Folder::new().with("a.c", QUOTIENTS);
    let ran = folder.kleene(&["lint", "a.c"]);
    for part in ["warning[division_by_zero]", "a.c:2:12", "b = 0", "sites:", "1 false"] {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
}

#[test]
fn settings_come_from_a_file() {
    let folder = Folder::new()
        .with("a.c", QUOTIENTS)
        .with("quiet.toml", "[lints]\nallow = [\"division_by_zero\"]\n")
        .with("wrong.toml", "[lint]\nallow = []\n")
        .with("unknown.toml", "[lints]\nallow = [\"division\"]\n");
    assert_eq!(folder.kleene(&["lint", "a.c", "--config", "quiet.toml"]).code, 0);
    assert_eq!(folder.kleene(&["lint", "a.c", "--config", "quiet.toml", "-W", "division_by_zero"]).code, 1);
    for wrong in ["wrong.toml", "unknown.toml", "missing.toml"] {
        let ran = folder.kleene(&["lint", "a.c", "--config", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
        assert!(ran.err.contains(wrong), "{}", ran.err);
    }
}

#[test]
fn every_lint_is_explained() {
    let folder = Folder::new();
    for lint in kleene::lints::Lint::ALL {
        let ran = folder.kleene(&["explain", lint.name()]);
        assert_eq!(ran.code, 0);
        for part in [lint.name(), "Bad:", "Good:", "False:", "True:", "Maybe:", "A False is", "Left alone by"]
        {
            assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
        }
    }
    let group = folder.kleene(&["explain", "dead_code"]);
    assert!(
        group.out.contains("constant_condition\n") && group.out.contains("unreachable_code\n"),
        "{}",
        group.out
    );
    let ran = folder.kleene(&["explain", "overflows"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `overflow`"), "{}", ran.err);
}

/// The id of a result in the JSON is one that `explain` knows.
#[test]
fn a_result_is_explained_by_its_id() {
    let folder = Folder::new().with("a.c", QUOTIENTS);
    let results = folder.kleene(&["lint", "a.c", "--format", "json"]).json()["results"].clone();
    let failing = results.as_array().expect("a list").iter().find(|result| result["verdict"] == "false");
    let id = failing.expect("a failure")["id"].as_str().expect("an id").to_string();
    let ran = folder.kleene(&["explain", &id]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("False[division_by_zero]") && ran.out.contains("a.c:2:12"), "{}", ran.out);
    let ran = folder.kleene(&["explain", "a.c#99"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("a.c has no result 99"), "{}", ran.err);
}

/// The failures of Rust functions fail in real Rust, at the line the finding names.
#[test]
fn written_tests_panic_where_they_say() {
    let source = include_str!("../../../fixtures/lints/overflow/sums.rs");
    let folder = Folder::new().with("sums.rs", source);
    let ran = folder.kleene(&["lint", "sums.rs", "--emit-tests", "tests", "--format", "json"]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    let failing = |result: &&serde_json::Value| {
        result["verdict"] == "false"
            && !["constant_condition", "unreachable_code"]
                .contains(&result["lint"].as_str().unwrap_or_default())
    };
    let expected: Vec<u64> =
        results.iter().filter(failing).filter_map(|result| result["line"].as_u64()).collect();
    assert!(expected.len() >= 4, "{}", ran.out);
    let compiled = Command::new("rustc")
        .current_dir(&folder.path)
        .args([
            "--test",
            "--edition",
            "2024",
            "-C",
            "debug-assertions=on",
            "-o",
            "shown",
            "tests/sums_kleene.rs",
        ])
        .output()
        .expect("rustc starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let shown = Command::new(folder.path.join("shown")).output().expect("the tests start");
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success(), "{text}");
    assert!(text.contains(&format!("{} passed", expected.len())), "{text}");
    for line in expected {
        assert!(text.contains(&format!("_at_{line}_")), "no test of line {line} in\n{text}");
    }
}

#[test]
fn what_is_opaque_is_counted_the_most_frequent_first() {
    let text = "pub fn one() -> u8 {\n    outside(1)\n}\npub fn two() -> u8 {\n    outside(2)\n}\n\
                pub fn three(x: u8) -> u8 {\n    let y = &raw const x;\n    x\n}\n";
    let folder = Folder::new().with("a.rs", text);
    let ran = folder.kleene(&["lint", "a.rs", "--stats"]);
    let counts: Vec<usize> = ran
        .err
        .lines()
        .skip_while(|line| !line.starts_with("opaque"))
        .skip(1)
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect();
    assert!(counts.first().is_some_and(|most| *most >= 2), "{}", ran.err);
    assert!(counts.is_sorted_by(|more, less| more >= less), "{}", ran.err);
    assert!(ran.err.contains("a function that is not in this file"), "{}", ran.err);
}

#[test]
fn casts_are_looked_at_where_somebody_asks() {
    let folder = Folder::new().with("a.rs", "pub fn low(x: u32) -> u8 {\n    x as u8\n}\n");
    assert_eq!(folder.kleene(&["lint", "a.rs"]).code, 0);
    let ran = folder.kleene(&["lint", "a.rs", "-W", "lossy_cast"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("warning[lossy_cast]") && ran.out.contains("a.rs:2:5"), "{}", ran.out);
}

/// Each function calls the next one twice: as many calls as 2 to the power of 40.
#[test]
fn calls_without_end_are_looked_at_once() {
    let mut text = String::new();
    for index in 0..40 {
        let visible = if index == 0 { "pub " } else { "" };
        let next = index + 1;
        text += &format!(
            "{visible}fn level_{index}(x: u32, y: u32) -> u32 {{\n    let left = level_{next}(x.min(50), y / 2);\n    \
             let right = level_{next}(y % 50, x.min(9));\n    \
             if left > 50 {{ left - 50 }} else {{ right / (left + 1) }}\n}}\n"
        );
    }
    text += "fn level_40(x: u32, y: u32) -> u32 {\n    x.min(1000) / (y.min(7) + 1)\n}\n";
    let folder = Folder::new().with("a.rs", text);
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let failing = ["overflow", "division_by_zero"];
    let mut sites = results.iter().filter(|result| failing.iter().any(|lint| result["lint"] == *lint));
    assert!(sites.clone().count() >= 120, "{}", sites.count());
    assert!(sites.all(|result| result["verdict"] == "true"));
}
