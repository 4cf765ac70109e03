//! `--built`: what build scripts said, as cargo tells it.

use std::collections::BTreeMap;

use crate::support::{Folder, Ran};

const OWN: &str = "[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                   [dependencies]\nother = { path = \"../other\" }\n";
const OTHER: &str = "[package]\nname = \"other\"\nversion = \"0.2.0\"\nedition = \"2021\"\n";
/// Whatever it does, nobody runs it here.
const SCRIPT: &str = "fn main() { panic!(\"cargo:rustc-cfg=never\") }\n";
const LIBRARY: &str = "\
include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));
pub fn own(x: u32) -> u32 { if cfg!(odd) { 1 / (x | 1) } else { 1 / x } }
pub fn made() -> u32 { 2 / MADE }
pub fn theirs(x: u32) -> u32 { 3 / other::odd(x) }
";
const THEIRS: &str = "\
#[cfg(careful = \"yes\")]
pub fn odd(x: u32) -> u32 { x | THEIRS }
#[cfg(not(careful = \"yes\"))]
pub fn odd(x: u32) -> u32 { x }
#[cfg(careful = \"yes\")]
include!(concat!(env!(\"OUT_DIR\"), \"/theirs.rs\"));
";

fn folder() -> Folder {
    Folder::new()
        .with("own/Cargo.toml", OWN)
        .with("own/build.rs", SCRIPT)
        .with("own/src/lib.rs", LIBRARY)
        .with("other/Cargo.toml", OTHER)
        .with("other/build.rs", SCRIPT)
        .with("other/src/lib.rs", THEIRS)
        .with("made/made.rs", "pub const MADE: u32 = 7;\n")
        .with("made/theirs.rs", "pub const THEIRS: u32 = 1;\n")
}

/// What cargo says of one package.
fn message(folder: &Folder, id: &str, cfgs: &str) -> String {
    let made = folder.path.join("made");
    format!(
        "{{\"reason\":\"build-script-executed\",\"package_id\":\"{id}\",\"linked_libs\":[],\"linked_paths\":[],\
         \"cfgs\":[{cfgs}],\"env\":[],\"out_dir\":{:?}}}\n",
        made.display().to_string()
    )
}

const END: &str = "{\"reason\":\"build-finished\",\"success\":true}\n";
const OF_OWN: &str = "path+file:///somewhere/own#0.1.0";
const OF_OTHER: &str = "path+file:///somewhere/else#other@0.2.0";

fn divisions(ran: &Ran) -> BTreeMap<String, String> {
    assert!(ran.code < 2, "{}", ran.err);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    let of_divisions = results.iter().filter(|result| result["lint"] == "division_by_zero");
    let word = |value: &serde_json::Value| value.as_str().expect("a text").to_string();
    of_divisions.map(|result| (word(&result["function"]), word(&result["verdict"]))).collect()
}

fn all(verdicts: [&str; 3]) -> Vec<(String, String)> {
    let names = ["made", "own", "theirs"];
    names.iter().zip(verdicts).map(|(name, verdict)| (name.to_string(), verdict.to_string())).collect()
}

#[test]
fn build_scripts_are_believed_and_not_run() {
    let mut folder = folder();
    let lint = |folder: &Folder| {
        let ran = folder.kleene(&["lint", "own", "--format", "json", "--built", "built.json"]);
        divisions(&ran).into_iter().filter(|(name, _)| name != "odd").collect::<Vec<_>>()
    };
    let said = [message(&folder, OF_OWN, "\"odd\""), message(&folder, OF_OTHER, "\"careful=\\\"yes\\\"\"")];
    folder = folder.with("built.json", said.concat() + END);
    assert_eq!(lint(&folder), all(["true", "true", "true"]));
    // Another build, with the answers of the one before at hand.
    let said = [message(&folder, OF_OWN, ""), message(&folder, OF_OTHER, "\"careful=\\\"no\\\"\"")];
    folder = folder.with("built.json", said.concat() + END);
    assert_eq!(lint(&folder), all(["true", "false", "false"]));
    folder = folder.with("made/made.rs", "pub const MADE: u32 = 0;\n");
    assert_eq!(lint(&folder), all(["false", "false", "false"]));
    // Of a build of something else nothing is known, nor of one that says it in two ways.
    let twice = [message(&folder, OF_OTHER, "\"careful=\\\"yes\\\"\""), message(&folder, OF_OTHER, "")];
    folder = folder.with("built.json", twice.concat() + END);
    assert_eq!(lint(&folder), all(["maybe", "false", "maybe"]));
}

#[test]
fn what_is_no_message_of_cargo_is_said() {
    let folder = folder()
        .with("text.json", "{\"reason\":\"compiler-artifact\"}\nCompiling own\n")
        .with("empty.json", "")
        .with("nobody.json", "{\"reason\":\"build-script-executed\",\"package_id\":\"own\"}\n")
        .with(
            "cfg.json",
            format!(
                "{{\"reason\":\"build-script-executed\",\"package_id\":\"{OF_OWN}\",\"cfgs\":[\"a b\"]}}\n"
            ),
        );
    for (file, wanted) in [
        ("text.json", "`text.json`, line 2: this is not a message of cargo"),
        ("empty.json", "`empty.json` holds no messages of cargo"),
        ("nobody.json", "`nobody.json`, line 1: this names no package"),
        ("cfg.json", "`cfg.json`, line 1: `cfgs`: `a b` is no `name`"),
        ("missing.json", "cannot read `missing.json`"),
    ] {
        let ran = folder.kleene(&["lint", "own", "--built", file]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(
            ran.err.contains(wanted) && ran.err.contains("cargo check --message-format json"),
            "{}",
            ran.err
        );
    }
}
