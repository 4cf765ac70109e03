//! SARIF against its schema: `fixtures/sarif/sarif-2.1.0.json`.

use std::path::Path;

use serde_json::Value;

use crate::schema::problems;
use crate::support::Folder;

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sarif/sarif-2.1.0.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON")
}

/// One of everything: runs, proofs, notes, Maybe, suppressions, a baseline, files that are wrong, paths with odd letters.
#[test]
fn every_log_is_valid() {
    let fixture = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/severity").join(name);
        std::fs::read_to_string(path).expect("a fixture")
    };
    let many = fixture("ordinary.rs") + "// kleene: allow(overflow) nothing is here\n";
    let folder = Folder::new()
        .with("a b/ä.rs", many)
        .with("dangers.rs", fixture("dangers.rs"))
        .with("intended.rs", fixture("intended.rs"))
        .with("left.rs", "pub fn f(a: u8) -> u8 {\n    7 / a // kleene: allow(division_by_zero) never\n}\n")
        .with("grown.cm", fixture("grown.cm"))
        .with("program.rs", fixture("program.rs"))
        .with("open.rs", "pub fn open() -> u8 {\n    7 / outside::value()\n}\n")
        .with("bad.rs", "fn broken( {\n")
        .with("empty.rs", "");
    let files = [
        "a b/ä.rs",
        "dangers.rs",
        "intended.rs",
        "left.rs",
        "grown.cm",
        "program.rs",
        "open.rs",
        "bad.rs",
        "empty.rs",
    ];
    let baseline = folder.kleene(&["baseline", "dangers.rs", "--baseline", "known.json"]);
    assert_eq!(baseline.code, 0, "{}", baseline.err);
    let absolute = folder.path.join("dangers.rs").display().to_string();
    let mut calls: Vec<Vec<&str>> = vec![
        [&["lint"], &files[..], &["--all", "--maybe"]].concat(),
        vec!["lint", "dangers.rs", "--baseline", "known.json"],
        vec!["lint", "empty.rs"],
        vec!["lint", "missing.rs"],
        vec!["lint", &absolute],
        vec!["check", "grown.cm", "--prop", "AG !failed", "--prop", "EF terminated"],
    ];
    let schema = schema();
    for call in &mut calls {
        call.extend(["--format", "sarif"]);
        let ran = folder.kleene(call);
        let log = ran.json();
        assert_eq!(problems(&schema, &log), [] as [String; 0], "{call:?}");
        is_consistent(&log);
    }
    let all = folder.kleene(&calls[0]).json();
    let results = all["runs"][0]["results"].as_array().expect("results");
    for kind in ["fail", "review"] {
        assert!(results.iter().any(|result| result["kind"] == kind), "{kind}");
    }
    for level in ["error", "warning", "note", "none"] {
        assert!(results.iter().any(|result| result["level"] == level), "{level}");
    }
    assert!(results.iter().any(|result| result["suppressions"].is_array()));
    assert!(results.iter().any(|result| result["codeFlows"].is_array()));
}

/// What no schema says: indices lead to the rule that is named, places are in order, fingerprints tell results apart.
fn is_consistent(log: &Value) {
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let mut prints = Vec::new();
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if region.is_object() {
            let place = |line: &str, column: &str| (region[line].as_u64(), region[column].as_u64());
            assert!(place("startLine", "startColumn") <= place("endLine", "endColumn"), "{result}");
            assert!(region["startLine"].as_u64() >= Some(1) && region["startColumn"].as_u64() >= Some(1));
        }
        prints.extend(result["partialFingerprints"]["kleene/v1"].as_str().map(str::to_string));
    }
    let count = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), count, "two results have the same fingerprint");
}
