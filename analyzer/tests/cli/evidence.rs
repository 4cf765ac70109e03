//! `--evidence` and `kleene verify`.

use crate::support::{Folder, GOOD};

fn checked(folder: &Folder) -> i32 {
    let properties = ["--prop", "AG(x <= 1)", "--prop", "AF terminated", "--prop", "AG(x == 0)"];
    let mut call = vec!["check", "good.cm", "--evidence", "evidence.json"];
    call.extend(properties);
    folder.kleene(&call).code
}

#[test]
fn evidence_is_verified() {
    let folder = Folder::new().with("good.cm", GOOD);
    assert_eq!(checked(&folder), 1);
    let ran = folder.kleene(&["verify", "evidence.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("good.cm: AG(x == 0) is false: verified\n"), "{}", ran.out);
    assert!(ran.out.ends_with("3 verified, 0 refused, 0 not verified\n"), "{}", ran.out);
    let first = std::fs::read(folder.path.join("evidence.json")).expect("the evidence");
    assert_eq!(checked(&folder), 1);
    assert_eq!(std::fs::read(folder.path.join("evidence.json")).expect("the evidence"), first);
}

#[test]
fn another_program_is_refused() {
    let folder =
        Folder::new().with("good.cm", GOOD).with("same.cm", GOOD).with("other.cm", "void main() {}\n");
    checked(&folder);
    assert_eq!(folder.kleene(&["verify", "evidence.json", "--program", "same.cm"]).code, 0);
    let ran = folder.kleene(&["verify", "evidence.json", "--program", "other.cm"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("refused: the program's text is not the one"), "{}", ran.out);
    assert!(ran.out.ends_with("0 verified, 3 refused, 0 not verified\n"), "{}", ran.out);
    std::fs::remove_file(folder.path.join("good.cm")).expect("a file to remove");
    let gone = folder.kleene(&["verify", "evidence.json"]);
    assert_eq!(gone.code, 2);
    assert!(gone.err.contains("good.cm: no such file"), "{}", gone.err);
}

#[test]
fn what_is_no_evidence() {
    let folder = Folder::new()
        .with("text.json", "nothing")
        .with("other.json", "{\"schema\": \"kleene-evidence/0\", \"entries\": []}")
        .with("empty.json", "{\"schema\": \"kleene-evidence/1\", \"entries\": []}");
    for (file, says) in [
        ("text.json", "this is no evidence"),
        ("other.json", "unknown schema `kleene-evidence/0`"),
        ("empty.json", "there is no evidence in it"),
        ("absent.json", "no such file"),
    ] {
        let ran = folder.kleene(&["verify", file]);
        assert_eq!(ran.code, 2, "{file}");
        assert!(ran.err.contains(says), "{file}: {}", ran.err);
    }
}
