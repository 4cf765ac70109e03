//! A slice of `calls`: what is made up for a small crate compiles there, and ends as it was followed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Values behind private fields, borrows that are kept, ends, generic types and constants, texts, failures.
const SAMPLE: &str = include_str!("calls/sample.rs");

const MANIFEST: &str =
    "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    folder
}

#[test]
fn made_up_calls_end_as_they_were_followed() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("Cargo.toml", MANIFEST);
    write("src/lib.rs", SAMPLE);
    let said = Command::new(env!("CARGO_BIN_EXE_kleene-oracle"))
        .args([
            "kleene",
            "lint",
            ".",
            "--lib",
            "--no-cache",
            "--format",
            "json",
            "--emit-calls",
            "calls.json",
        ])
        .current_dir(&folder)
        .output()
        .expect("a process");
    assert!(matches!(said.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&said.stderr));
    let calls = std::fs::read_to_string(folder.join("calls.json")).expect("calls");
    let (text, count) = kleene_oracle::calls::tested(SAMPLE, &calls).expect("calls");
    assert!(count >= 25, "{count} calls");
    write("tests.rs", &text);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(rustc)
        .args([
            "--test",
            "--edition",
            "2021",
            "--cap-lints",
            "allow",
            "-C",
            "overflow-checks=on",
            "-C",
            "debug-assertions=on",
        ])
        .args(["tests.rs", "-o", "tests"])
        .current_dir(&folder)
        .output()
        .expect("a process");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("tests")).output().expect("a process");
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{output}");
    assert!(output.contains(&format!("{count} passed")), "{output}");
}
