//! Every kind of wrong input: status 2, a message with its place, no panic, and the good file beside it
//! is still checked.

use crate::support::{Folder, GOOD};

/// Checks `good.cm` and the bad file; the messages have to contain all of `expected`.
fn refuses(name: &str, contents: impl AsRef<[u8]>, expected: &[&str]) {
    let folder = Folder::new().with("good.cm", GOOD).with(name, contents);
    refuses_in(&folder, name, expected);
}

fn refuses_in(folder: &Folder, name: &str, expected: &[&str]) {
    let arguments = ["check", name, "good.cm", "--prop", "EF terminated", "--format", "json"];
    let ran = folder.kleene(&arguments);
    let err: String = ran.err.chars().take(2_000).collect();
    assert_eq!(ran.code, 2, "{name}: {err}");
    for text in expected {
        assert!(ran.err.contains(text), "{name}: no `{text}` in {err}");
    }
    assert!(!ran.err.contains("panicked") && !ran.err.contains("internal error"), "{name}: {err}");
    assert_eq!(ran.verdicts(), ["error", "true"], "{name}: {err}");
    assert!(ran.err.len() < 100_000, "{name}: {} bytes of messages", ran.err.len());
}

#[test]
fn a_truncated_file() {
    refuses("a.cm", "int x = 0;\nvoid main() {\n    x = 1 +", &["a.cm:3:"]);
    refuses("b.cm", "int x = 0;\nvoid main() {\n    x = 1;", &["b.cm:2:13"]);
}

#[test]
fn an_unknown_character() {
    refuses("a.cm", "int x = 0;\nvoid main() {\n    x = 1 @ 2;\n}\n", &["a.cm:3:11", "@"]);
    refuses("b.cm", "int x = 0;\nvoid main() {\n    x = 1 § 2;\n}\n", &["b.cm:3:11", "§"]);
}

#[test]
fn unbalanced_braces() {
    refuses("a.cm", "void main() {\n    if (true) {\n}\n", &["a.cm:"]);
    refuses("b.cm", "void main() {\n}\n}\n", &["b.cm:3:1"]);
}

#[test]
fn an_undeclared_variable() {
    refuses("a.cm", "void main() {\n    y = 1;\n}\n", &["a.cm:2:5", "y"]);
}

#[test]
fn a_type_error() {
    refuses("a.cm", "int a[3];\nvoid main() {\n    a = 1;\n}\n", &["a.cm:3:"]);
}

#[test]
fn deep_nesting_in_a_program() {
    let depth = 100_000;
    let text = format!("int x;\nvoid main() {{\n    x = {}1{};\n}}\n", "(".repeat(depth), ")".repeat(depth));
    refuses("a.cm", text, &["a.cm:3:"]);
    refuses("b.cm", format!("void main() {{\n{}", "{".repeat(depth)), &["b.cm:"]);
}

#[test]
fn a_huge_file() {
    let mut text = String::from("void main() {\n");
    while text.len() < 50 << 20 {
        text.push_str("    print(1); print(2); print(3); print(4); print(5); print(6); print(7);\n");
    }
    refuses("a.cm", text + "}\n", &["a.cm:1:1", "bytes"]);
    refuses("b.cm", vec![b' '; 65 << 20], &["b.cm", "too large"]);
}

#[test]
fn a_directory() {
    let folder = Folder::new().with("good.cm", GOOD);
    std::fs::create_dir(folder.path.join("d.cm")).expect("a folder");
    std::fs::create_dir(folder.path.join("plain")).expect("a folder");
    refuses_in(&folder, "d.cm", &["d.cm", "directory"]);
    refuses_in(&folder, "plain", &["plain", "directory"]);
}

#[test]
fn a_missing_file() {
    let folder = Folder::new().with("good.cm", GOOD);
    refuses_in(&folder, "gone.cm", &["gone.cm", "no such file"]);
    refuses_in(&folder, "gone", &["gone", "no such file"]);
}

#[test]
fn no_text() {
    refuses("a.cm", b"int x;\nint \xff\xfe;\n", &["a.cm:2:5", "UTF-8", "0xff"]);
    refuses("b.cm", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\xd0", &["b.cm:1:"]);
    refuses("c.cm", b"\x00\x01\x02\x03", &["c.cm:1:1"]);
    refuses("d.kripke", b"state a init\n\xc3", &["d.kripke:2:1", "UTF-8"]);
}

#[test]
fn an_empty_file() {
    refuses("a.cm", "", &["a.cm:1:1", "main"]);
    refuses("b.cm", "\n\n// nothing\n", &["b.cm", "main"]);
    refuses("c.kripke", "", &["c.kripke:1:1"]);
    refuses("d.c", "", &["d.c:1:1", "main"]);
}

#[test]
fn an_unknown_kind() {
    refuses("a.txt", GOOD, &["a.txt", "--lang"]);
    refuses("b", GOOD, &["b", "--lang"]);
    refuses("c.pet", "program p", &["c.pet", "not supported yet"]);
    refuses("d.pet", "", &["d.pet", "not supported yet"]);
}

#[test]
fn a_given_language_overrides_the_name() {
    let folder = Folder::new().with("a.txt", GOOD);
    assert_eq!(folder.kleene(&["check", "a.txt", "--lang", "cm", "--prop", "AG (x <= 1)"]).code, 0);
}

/// A bad formula beside a good one.
fn refuses_formula(formula: &str, expected: &[&str]) {
    let folder = Folder::new().with("good.cm", GOOD);
    let arguments = ["check", "good.cm", "--prop", formula, "--prop", "EF terminated", "--format", "json"];
    let ran = folder.kleene(&arguments);
    assert_eq!(ran.code, 2, "{}", ran.err);
    for text in expected {
        assert!(ran.err.contains(text), "no `{text}` in {}", ran.err);
    }
    assert_eq!(ran.verdicts(), ["error", "true"]);
    let message = ran.json()["results"][0]["message"].as_str().expect("a message").to_string();
    assert!(message.contains(expected[0]), "{message}");
}

#[test]
fn wrong_formulas() {
    refuses_formula("AG (x <", &["--prop:1:"]);
    refuses_formula("AG at(NOWHERE)", &["--prop:1:4", "NOWHERE"]);
    refuses_formula("AG (x == y)", &["--prop:1:10", "y"]);
    refuses_formula("AG line(99)", &["--prop:1:4", "99"]);
    refuses_formula("AG failed(luck)", &["--prop:1:4", "luck"]);
    refuses_formula("", &["--prop:1:1"]);
    refuses_formula("AG (x ≤ 1)", &["--prop:1:7"]);
}

#[test]
fn deep_nesting_in_a_formula() {
    let depth = 100_000;
    // Too long for an argument of a call, but not for a property file.
    let formula = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    let properties =
        format!("[[property]]\nformula = \"{formula}\"\n[[property]]\nformula = \"EF terminated\"\n");
    let folder = Folder::new().with("good.cm", GOOD).with("p.toml", properties);
    let ran = folder.kleene(&["check", "good.cm", "--props", "p.toml", "--format", "json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("p.toml:2:"), "{:.500}", ran.err);
    assert!(ran.err.len() < 5_000, "{} bytes of messages", ran.err.len());
    assert_eq!(ran.verdicts(), ["error", "true"]);
}
