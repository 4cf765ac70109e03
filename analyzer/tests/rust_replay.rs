//! Failures that `kleene lint` claims of Rust code, replayed by rustc: `fixtures/rust/replay`, `fixtures/rust/historic`.
//!
//! Verdicts are the recorded ones, nothing else fires, and every failure is written as a test that is compiled, run, and
//! panics at its line.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use kleene::evidence::{Called, Evidence};
use kleene::expectation::{self, Agreement};
use kleene::frontend::{self, Arithmetic, FrontendOptions, Language, Lowered};
use kleene::ir::FunctionId;
use kleene::lints::{self, Finding, Lint, Restricted};
use kleene::pipeline::{Options, Verdict};
use kleene::report::advice::Advice;
use kleene::report::tests::{Written, rust_tests};
use kleene::source::{FileId, SourceFile};
use rayon::prelude::*;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rust").join(folder);
    let entries = std::fs::read_dir(&folder).expect("a folder of fixtures");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    assert!(!found.is_empty(), "no fixtures in {}", folder.display());
    found
}

struct Linted {
    stem: String,
    source: Arc<SourceFile>,
    lowered: Lowered,
    findings: Vec<Finding>,
    arithmetic: Arithmetic,
}

/// What else is on would only repeat what the conditions of the fixtures say.
const WANTED: [Lint; 8] = [
    Lint::Overflow,
    Lint::DivisionByZero,
    Lint::IndexOutOfBounds,
    Lint::InvalidShift,
    Lint::UnwrapFailed,
    Lint::AssertionFailed,
    Lint::ReachablePanic,
    Lint::NonTermination,
];

fn linted(stem: &str, text: &str, arithmetic: Arithmetic) -> Linted {
    let source = SourceFile::new(FileId(0), format!("{stem}.rs"), text);
    let options = FrontendOptions { entry: String::new(), arithmetic, ..FrontendOptions::default() };
    let lowered = frontend::lower(&source, Language::Rust, &options);
    let lowered = lowered.unwrap_or_else(|errors| panic!("{stem}: {errors:?}"));
    let options = Options { arithmetic, timeout: Duration::from_secs(120), ..Options::default() };
    let restricted = Restricted {
        private: &lowered.private,
        drivers: Some(&lowered.drivers),
        large: &lowered.large,
        hidden: &lowered.hidden,
        examples: &lowered.examples,
        called_unseen: true,
        passed: None,
    };
    let findings = lints::lint_lowered(&lowered.program, &lowered.entries, &restricted, &WANTED, &options);
    Linted { stem: stem.into(), source, lowered, findings, arithmetic }
}

impl Linted {
    fn of(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a fixture");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        linted(stem, &text, Arithmetic::Debug)
    }

    fn tests(&self) -> Vec<Written> {
        rust_tests(&self.stem, &self.source, &self.lowered, &self.findings, self.arithmetic)
    }

    /// The same tests with the calls that people are shown in the place of their own.
    fn shown_calls(&self) -> Vec<Written> {
        let mut files = self.tests();
        for finding in &self.findings {
            let advice = Advice::of(finding, &self.lowered, &self.source, Language::Rust);
            let (line, column) = self.source.place(finding.span);
            let name = format!("fn {}_at_{line}_{column}() {{", finding.lint.name());
            let Some(call) = advice.call else { continue };
            let Some(file) = files.iter_mut().find(|file| file.text.contains(&name)) else { continue };
            let (before, test) = file.text.split_once(&name).expect("it is there");
            let (opening, rest) = test.split_once("|| {\n").expect("a call");
            let (_, after) = rest.split_once("        });\n").expect("its end");
            file.text = format!("{before}{name}{opening}|| {{\n{call};\n        }});\n{after}");
        }
        files
    }

    /// Of several sites in a line one has to fail, or all have to hold.
    fn verdict(&self, line: u32, lint: Lint) -> Option<Verdict> {
        let of_line =
            self.findings.iter().filter(|it| self.source.line_of(it.span) == line && it.lint == lint);
        let verdicts: Vec<Verdict> = of_line.map(|finding| finding.verdict).collect();
        match () {
            () if verdicts.is_empty() => None,
            () if verdicts.contains(&Verdict::False) => Some(Verdict::False),
            () if verdicts.iter().all(|verdict| *verdict == Verdict::True) => Some(Verdict::True),
            () => Some(Verdict::Maybe),
        }
    }

    fn mismatches(&self) -> Vec<String> {
        let expected = expectation::of_lints(&self.source.text);
        let expected = expected.unwrap_or_else(|wrong| panic!("{}: {wrong}", self.stem));
        let mut wrong = Vec::new();
        for (line, lint, truth) in &expected {
            let verdict = self.verdict(*line, *lint);
            if verdict.map(|verdict| truth.against(verdict)) != Some(Agreement::Same) {
                wrong.push(format!("{}:{line}: {} is {verdict:?}, not {truth:?}", self.stem, lint.name()));
            }
        }
        for finding in self.findings.iter().filter(|finding| finding.verdict != Verdict::True) {
            let line = self.source.line_of(finding.span);
            if !expected.iter().any(|(at, lint, _)| *at == line && *lint == finding.lint) {
                let (name, verdict) = (finding.lint.name(), finding.verdict);
                wrong.push(format!("{}:{line}: {name} is {verdict:?} and not expected", self.stem));
            }
        }
        wrong
    }

    fn failures(&self) -> usize {
        let panics = |it: &&Finding| it.verdict == Verdict::False && it.lint != Lint::NonTermination;
        self.findings.iter().filter(panics).count()
    }
}

/// Compiles and runs tests; what they print, and whether all pass.
fn run(name: &str, files: &[Written], arithmetic: Arithmetic) -> (bool, String) {
    let folder = std::env::temp_dir().join(format!("kleene-replay-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file");
    }
    let checks = if arithmetic == Arithmetic::Debug { "on" } else { "off" };
    let program = folder.join("replay");
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "--test", "-C", "debuginfo=line-tables-only"])
        .args(["-C", &format!("overflow-checks={checks}"), "-C", &format!("debug-assertions={checks}"), "-o"])
        .arg(&program)
        .arg(folder.join(&files[0].name))
        .output()
        .expect("rustc runs");
    if !compiled.status.success() {
        return (false, String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(&program).output().expect("the tests run");
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    (ran.status.success(), String::from_utf8_lossy(&ran.stdout).into_owned())
}

fn replays(folder: &str, fewest: usize) {
    let told: Vec<(Vec<String>, usize)> = programs(folder)
        .par_iter()
        .map(|path| {
            let linted = Linted::of(path);
            let mut wrong = linted.mismatches();
            let (files, failures) = (linted.tests(), linted.failures());
            let left_out = files.iter().flat_map(|file| file.text.lines());
            let left_out =
                left_out.filter(|line| line.starts_with("// Left out: ") && !line.contains("would not end"));
            wrong.extend(left_out.map(|line| format!("{}: {line}", linted.stem)));
            if failures > 0 {
                let (passed, output) = run(&linted.stem, &files, Arithmetic::Debug);
                if !passed || !output.contains(&format!("{failures} passed")) {
                    wrong.push(format!("{}: of {failures} failures not all are seen\n{output}", linted.stem));
                }
            }
            (wrong, failures)
        })
        .collect();
    let wrong: Vec<&String> = told.iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.iter().map(|line| format!("{line}\n")).collect::<String>());
    let shown: usize = told.iter().map(|(_, failures)| failures).sum();
    assert!(shown >= fewest, "only {shown} failures were replayed");
}

#[test]
fn every_kind_of_argument_replays() {
    replays("replay", 75);
}

#[test]
fn calls_that_are_shown_replay_too() {
    for name in ["aggregates.rs", "private.rs", "written.rs"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rust/replay");
        let linted = Linted::of(&folder.join(name));
        let (own, files) = (linted.tests(), linted.shown_calls());
        assert_ne!(own, files, "{name}: they are written for people");
        let failures = linted.failures();
        let (passed, output) = run(&format!("shown-{}", linted.stem), &files, Arithmetic::Debug);
        assert!(passed && output.contains(&format!("{failures} passed")), "{name}: {output}");
    }
}

/// A call takes the values that were made last: one that was made before waits for another.
#[test]
fn a_value_that_waits_is_not_passed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rust/replay");
    let mut linted = Linted::of(&folder.join("written.rs"));
    let functions = &linted.lowered.program.functions;
    let start = functions.iter().position(|function| function.name == "Moment::start").expect("it is there");
    let start =
        Called { function: FunctionId(start as u32), name: "Moment::start".into(), arguments: Vec::new() };
    let mut changed = 0;
    for finding in &mut linted.findings {
        if let Evidence::Run(run) = &mut finding.evidence
            && run.calls.len() > 1
        {
            run.calls.insert(0, start.clone());
            changed += 1;
        }
    }
    assert!(changed >= 4, "{changed}");
    let (passed, output) = run("waits", &linted.tests(), Arithmetic::Debug);
    assert!(passed && output.contains(&format!("{} passed", linted.failures())), "{output}");
}

#[test]
fn historic_bugs_are_found_and_their_fixes_hold() {
    let (mut found, mut proved) = (0, 0);
    for path in programs("historic") {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let half = |name: &str| text.find(&format!("\nmod {name} {{\n")).expect("both halves");
        let (buggy, fixed) = text.split_at(half("fixed"));
        let buggy = &buggy[half("buggy")..];
        assert!(buggy.contains(" FAILS"), "{}: no bug", path.display());
        assert!(!fixed.contains(" FAILS"), "{}: not fixed", path.display());
        found += usize::from(buggy.replace("really FAILS", "").contains(" FAILS"));
        proved += usize::from(!fixed.contains("MAYBE"));
    }
    assert!(found >= 32 && proved >= 29, "{found} found, {proved} fixes proved");
    replays("historic", 36);
}

const QUOTIENT: &str = "pub fn share(of: u8, by: u8) -> u8 {\n    let more = of + 1;\n    more / by\n}\n";

#[test]
fn a_panic_in_another_line_is_seen() {
    let linted = linted("quotient", QUOTIENT, Arithmetic::Debug);
    let mut files = linted.tests();
    let (passed, output) = run("right", &files, Arithmetic::Debug);
    assert!(passed && output.contains("2 passed"), "{output}");
    files[0].text = files[0].text.replace("panics_at(\"quotient.rs\", 3,", "panics_at(\"quotient.rs\", 2,");
    let (passed, output) = run("wrong", &files, Arithmetic::Debug);
    assert!(!passed && output.contains("one was expected in line 2"), "{output}");
    files[0].text = files[0].text.replace("more / by", "more");
    let (passed, output) = run("none", &files, Arithmetic::Debug);
    assert!(!passed && output.contains("no panic"), "{output}");
}

#[test]
fn wrapping_arithmetic_replays_without_checks() {
    let linted = linted("wrapping", QUOTIENT, Arithmetic::Release);
    assert_eq!(linted.failures(), 1);
    let (passed, output) = run("release", &linted.tests(), Arithmetic::Release);
    assert!(passed && output.contains("1 passed"), "{output}");
}
