//! 0 fine, 1 refuted, 2 misuse, 3 internal.

use std::path::Path;

use crate::support::{Folder, GOOD, run};

fn status(arguments: &[&str]) -> i32 {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(arguments);
    assert!(!ran.err.contains("internal error"), "{}", ran.err);
    ran.code
}

#[test]
fn true_is_0_and_false_is_1() {
    assert_eq!(status(&["check", "good.cm", "--prop", "AG (x <= 1)"]), 0);
    assert_eq!(status(&["check", "good.cm", "--prop", "AG (x <= 0)"]), 1);
    assert_eq!(status(&["check", "good.cm", "--prop", "AG (x <= 0)", "--prop", "EF (x == 1)"]), 1);
}

#[test]
fn maybe_is_0_unless_denied() {
    let folder = Folder::new().with("m.kripke", "state a init p?\n");
    assert_eq!(folder.kleene(&["check", "m.kripke", "--prop", "p"]).code, 0);
    assert_eq!(folder.kleene(&["check", "m.kripke", "--prop", "p", "--deny", "maybe"]).code, 1);
    assert_eq!(folder.kleene(&["check", "m.kripke", "--prop", "p || !p", "--deny", "maybe"]).code, 1);
}

#[test]
fn a_wrong_call_is_2() {
    for arguments in [
        &["check"] as &[&str],
        &["check", "good.cm"],
        &["check", "--prop", "AG true"],
        &["check", "good.cm", "--prop", "AG true", "--level", "magic"],
        &["check", "good.cm", "--prop", "AG true", "--format", "xml"],
        &["check", "good.cm", "--prop", "AG true", "--timeout", "0"],
        &["check", "good.cm", "--prop", "AG true", "--timeout", "soon"],
        &["check", "good.cm", "--prop", "AG true", "--jobs", "0"],
        &["check", "good.cm", "--prop", "AG true", "--watch", "x"],
        &["check", "good.cm", "--prop", "AG true", "--entry", "start"],
        &["check", "good.cm", "--prop", "AG true", "--assume", "x == 7"],
        &["check", "good.cm", "--prop", "AG true", "--assume", "AG true"],
        &["check", "good.cm", "--prop", "AG true", "--granularity", "change", "--watch", "y"],
        &["check", "good.cm", "--prop", "AG true", "--granularity", "tick"],
        &["dance"],
        &[],
    ] {
        assert_eq!(status(arguments), 2, "{arguments:?}");
    }
}

#[test]
fn an_error_beside_a_false_is_2() {
    assert_eq!(status(&["check", "good.cm", "--prop", "AG (x <= 0)", "--prop", "AG ("]), 2);
    assert_eq!(status(&["check", "good.cm", "gone.cm", "--prop", "AG (x <= 0)"]), 2);
}

#[test]
fn help_and_version_are_0() {
    assert_eq!(status(&["--help"]), 0);
    assert_eq!(status(&["check", "--help"]), 0);
    assert_eq!(status(&["--version"]), 0);
}

#[test]
fn cargo_kleene_is_kleene() {
    let folder = Folder::new().with("good.cm", GOOD);
    let cargo =
        |arguments: &[&str]| run(env!("CARGO_BIN_EXE_cargo-kleene"), Path::new(&folder.path), arguments);
    assert_eq!(cargo(&["kleene", "check", "good.cm", "--prop", "AG (x <= 1)"]).code, 0);
    assert_eq!(cargo(&["kleene", "check", "good.cm", "--prop", "AG (x <= 0)"]).code, 1);
    let bare = cargo(&["kleene"]);
    assert_eq!(bare.code, 2);
    assert!(bare.err.contains("there is no `Cargo.toml`"), "{}", bare.err);
}

#[test]
fn a_spent_budget_is_a_maybe_with_that_cause() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["check", "good.cm", "--prop", "AG (x <= 1)", "--budget", "0.000000001"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("Maybe"), "{}", ran.out);
    assert!(ran.out.contains("time budget"), "{}", ran.out);
}
