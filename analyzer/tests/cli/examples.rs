//! The programs of `examples/`, as the README shows them.

use std::path::PathBuf;

use crate::support::{Ran, run};

fn kleene(arguments: &[&str]) -> Ran {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    run(env!("CARGO_BIN_EXE_kleene"), &root, arguments)
}

fn verdicts(file: &str, arguments: &[&str]) -> Vec<String> {
    let file = format!("examples/{file}");
    kleene(&[&["check", &file, "--format", "json"], arguments].concat()).verdicts()
}

/// Every file of `examples/` has to be run by one of the tests here.
#[test]
fn every_example_is_run() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let source = include_str!("examples.rs");
    for entry in std::fs::read_dir(root).expect("the folder of the examples") {
        let name = entry.expect("an entry of the folder").file_name();
        let name = name.to_str().expect("a plain name");
        assert!(source.contains(&format!("\"{name}\"")), "no test runs {name}");
    }
}

#[test]
fn counter() {
    let formulas = [
        "--prop",
        "AG !failed",
        "--prop",
        "AF terminated",
        "--prop",
        "AG (x <= 10)",
        "--prop",
        "EF at(DONE)",
    ];
    assert_eq!(verdicts("counter.cm", &formulas), ["true", "true", "false", "true"]);
}

#[test]
fn counter_with_its_properties() {
    let properties = ["check", "--props", &format!("examples/{}", "counter.toml")];
    let ran = kleene(&properties);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("3 properties: 2 true, 1 false\n"), "{}", ran.out);
}

#[test]
fn door() {
    let formulas = [
        "--granularity",
        "tick",
        "--prop",
        "AG EF open",
        "--prop",
        "AG AF open",
        "--prop",
        "AG (position <= 3)",
    ];
    assert_eq!(verdicts("door.cm", &formulas), ["true", "false", "true"]);
}

#[test]
fn division() {
    let formulas = ["--prop", "AG !failed(division_by_zero)", "--prop", "EF terminated"];
    assert_eq!(verdicts("division.cm", &formulas), ["false", "true"]);
}

#[test]
fn turnstile() {
    let formulas = [
        "--entry",
        "visit",
        "--prop",
        "EF (turnstile.gate == Gate::Open)",
        "--prop",
        "AG (terminated -> turnstile.takings == first + second)",
        "--prop",
        "AG !failed",
    ];
    assert_eq!(verdicts("turnstile.rs", &formulas), ["false", "true", "false"]);
    let ran = kleene(&["lint", &format!("examples/{}", "turnstile.rs")]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("warning[overflow]") && ran.out.contains("turnstile.rs:16:9"), "{}", ran.out);
}

#[test]
fn lock() {
    let formulas = ["--prop", "AG !(c1 && c2)", "--prop", "EF c1", "--prop", "AG (w1 -> EX c1)"];
    assert_eq!(verdicts("lock.kripke", &formulas), ["true", "true", "maybe"]);
}

/// Decided by a relation between three variables, not by intervals.
#[test]
fn transfer() {
    assert_eq!(
        verdicts("transfer.cm", &["--prop", "AG !failed", "--prop", "AF terminated"]),
        ["true", "true"]
    );
    let ran = kleene(&["check", "examples/transfer.cm", "--prop", "AG !failed"]);
    assert!(ran.out.contains("total == left + right"), "{}", ran.out);
    let boxes = ["--domain", "intervals", "--level", "abstract", "--prop", "AG !failed"];
    assert_eq!(verdicts("transfer.cm", &boxes), ["maybe"]);
}
