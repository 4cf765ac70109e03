//! Failures that no input shows which was tried: each must panic in the test that replays it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kleene::frontend::Arithmetic;
use kleene::lints::{Finding, Lint};
use kleene::pipeline::Verdict;
use kleene::report::tests::rust_tests;

use super::{Place, Said, compiled};

/// Those of the places whose tests do not panic there, with what became of them.
pub(super) fn not_shown(
    said: &Said,
    places: &[Place],
    arithmetic: Arithmetic,
    folder: &Path,
) -> Result<BTreeMap<Place, String>, String> {
    if places.is_empty() {
        return Ok(BTreeMap::new());
    }
    let claimed = |it: &&Finding| it.verdict == Verdict::False && places.contains(&said.place(it));
    let findings: Vec<Finding> = said.findings.iter().filter(claimed).cloned().collect();
    let files = rust_tests("replayed", &said.source, &said.lowered, &findings, arithmetic);
    for file in &files {
        std::fs::write(folder.join(&file.name), &file.text).map_err(|error| error.to_string())?;
    }
    let main = files.first().ok_or("no tests were written")?;
    let program = folder.join("replayed");
    compiled::compile(&folder.join(&main.name), &program, arithmetic, &["--test"])?;
    let ran = Command::new(&program).output().map_err(|error| format!("the replay: {error}"))?;
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut problems = BTreeMap::new();
    for place in places {
        let of_place = findings.iter().filter(|it| said.place(it) == *place).count();
        let passed = output.lines().filter(|line| is_test_of(line, *place) && line.ends_with(" ok")).count();
        if passed < of_place {
            problems.insert(*place, reason(&main.text, &output, *place));
        }
    }
    Ok(problems)
}

/// `test kleene_tests::overflow_at_12_5 ... ok`.
fn is_test_of(line: &str, place: Place) -> bool {
    line.starts_with("test ") && line.contains(&format!("::{}", name(place)))
}

fn name((line, lint): Place) -> String {
    let lint: Lint = lint;
    format!("{}_at_{line}_", lint.name())
}

/// What the copy says of a test that was left out, or the test itself of its panic.
fn reason(text: &str, output: &str, place: Place) -> String {
    let left_out = text.lines().find(|line| line.starts_with("// Left out: ") && line.contains(&name(place)));
    let said = output.lines().find(|line| line.contains("was expected in line") || line.contains("no panic"));
    left_out.or(said).unwrap_or("and its replay fails").to_string()
}
