//! Programs with expected findings: `fixtures/lints/<lint>/`.
//!
//! Expectations stand at the end of the line they speak of: `//~ LINT VERDICT, LINT VERDICT …`, with the verdicts of
//! `fixtures/README.md` and the concrete truth. At every level no finding may contradict them, the last level says
//! exactly what is recorded, and nothing fires that is not expected. Elsewhere lints and properties agree.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kleene::evidence::Evidence;
use kleene::expectation::{self, Agreement, Truth};
use kleene::frontend::rust::RustOptions;
use kleene::frontend::{self, FrontendOptions, Language, Lowered};
use kleene::lints::{self, Finding, Lint, Restricted};
use kleene::pipeline::{Level, Options, Verdict, check_program};
use kleene::source::{FileId, SourceFile};
use rayon::prelude::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of fixtures") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if path.is_dir() {
                pending.push(path);
            } else if expectation::language(extension).is_some_and(|language| language != Language::T2) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

struct Program {
    name: String,
    source: Arc<SourceFile>,
    lowered: Lowered,
}

fn lower(path: &Path) -> Program {
    let name = path.strip_prefix(root()).expect("a fixture").display().to_string();
    let text = std::fs::read_to_string(path).expect("a fixture");
    let language = expectation::language(path.extension().and_then(|it| it.to_str()).expect("an extension"));
    let source = SourceFile::new(FileId(0), &name, text);
    let rust = RustOptions { marks_casts: true, ..RustOptions::default() };
    let options = FrontendOptions { entry: String::new(), rust, ..FrontendOptions::default() };
    let lowered = frontend::lower(&source, language.expect("a language"), &options);
    let lowered = lowered.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    Program { name, source, lowered }
}

fn linted(program: &Program, level: Level, timeout: Duration) -> Vec<Finding> {
    let options = Options { level, timeout, ..Options::default() };
    let Lowered { program, entries, private, drivers, large, hidden, examples, .. } = &program.lowered;
    let called_unseen = !entries.is_empty();
    let restricted =
        Restricted { private, drivers: Some(drivers), large, hidden, examples, called_unseen, passed: None };
    let entries = match entries.is_empty() {
        true => lints::entries(program, &[]).expect("entries"),
        false => entries.clone(),
    };
    lints::lint_lowered(program, &entries, &restricted, &Lint::ALL, &options)
}

/// Line, lint and what is recorded of it.
fn expected(program: &Program) -> Vec<(u32, Lint, Truth)> {
    let expected = expectation::of_lints(&program.source.text);
    expected.unwrap_or_else(|wrong| panic!("{}: {wrong}", program.name))
}

fn mismatches(program: &Program, level: Level) -> Vec<String> {
    let findings = linted(program, level, Duration::from_secs(120));
    let line = |finding: &Finding| program.source.line_of(finding.span);
    let expected = expected(program);
    let mut wrong = Vec::new();
    for (at, lint, truth) in &expected {
        let place = format!("{}:{at}: {} at {}", program.name, lint.name(), level.name());
        let of_line: Vec<&Finding> =
            findings.iter().filter(|finding| line(finding) == *at && finding.lint == *lint).collect();
        if of_line.is_empty() {
            wrong.push(format!("{place}: no such site"));
        }
        // Of several sites in a line one has to fail, or all have to hold.
        let verdicts = || of_line.iter().map(|finding| finding.verdict);
        let verdict = match () {
            () if verdicts().any(|verdict| verdict == Verdict::False) => Verdict::False,
            () if verdicts().all(|verdict| verdict == Verdict::True) => Verdict::True,
            () => Verdict::Maybe,
        };
        match truth.against(verdict) {
            Agreement::Same => {}
            Agreement::Undecided if level != Level::Smt => {}
            Agreement::Better if level != Level::Smt => {}
            other => wrong.push(format!("{place}: {verdict:?} is {other:?} ({truth:?})")),
        }
    }
    for finding in findings.iter().filter(|finding| finding.verdict == Verdict::False) {
        let place = format!("{}:{}: {}", program.name, line(finding), finding.lint.name());
        if !expected.iter().any(|(at, lint, _)| *at == line(finding) && *lint == finding.lint) {
            wrong.push(format!("{place}: fires unexpectedly at {}", level.name()));
        }
        if matches!(finding.evidence, Evidence::None | Evidence::Cause(_)) {
            wrong.push(format!("{place}: no evidence"));
        }
    }
    wrong
}

#[test]
fn recorded_findings() {
    let programs: Vec<Program> = programs(&root().join("lints")).iter().map(|path| lower(path)).collect();
    assert!(programs.len() >= 10, "only {} programs", programs.len());
    let wrong: Vec<String> = programs
        .par_iter()
        .flat_map_iter(|program| {
            [Level::Abstract, Level::Smt].into_iter().flat_map(|level| mismatches(program, level))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every lint that has sites in these languages has both verdicts recorded somewhere.
#[test]
fn every_lint_is_shown_with_both_verdicts() {
    let recorded: Vec<(u32, Lint, Truth)> =
        programs(&root().join("lints")).iter().flat_map(|path| expected(&lower(path))).collect();
    for lint in Lint::ALL {
        let folder = root().join("lints").join(lint.name());
        if !folder.is_dir() {
            continue;
        }
        for verdict in [true, false] {
            let shown =
                recorded.iter().any(|(_, of, truth)| *of == lint && *truth == Truth::Decided(verdict));
            assert!(shown, "{} is never shown {verdict}", lint.name());
        }
    }
}

/// `AG !failed(KIND)` and the sites of that kind, on programs that were written for something else.
#[test]
fn lints_agree_with_properties() {
    const KINDS: [(Lint, &str); 3] = [
        (Lint::AssertionFailed, "assertion"),
        (Lint::DivisionByZero, "division_by_zero"),
        (Lint::IndexOutOfBounds, "index"),
    ];
    let folders = ["traps", "papers", "regressions", "loops"];
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| programs(&root().join(folder))).collect();
    let compared: usize = paths
        .par_iter()
        .map(|path| {
            let program = lower(path);
            let Some(main) = program.lowered.program.function_named("main") else { return 0 };
            let mut whole = program.lowered.program.clone();
            whole.entry = main;
            let quick = Duration::from_millis(500);
            let findings = linted(&program, Level::Abstract, quick);
            let options = Options { level: Level::Abstract, timeout: quick, ..Options::default() };
            let mut compared = 0;
            for (lint, kind) in KINDS {
                let sites: Vec<Verdict> =
                    findings.iter().filter(|it| it.lint == lint).map(|it| it.verdict).collect();
                if sites.is_empty() {
                    continue;
                }
                let property = [format!("AG !failed({kind})")];
                let result = &check_program(&program.source, &whole, &property, &options)[0];
                let fails = sites.contains(&Verdict::False);
                let never = sites.iter().all(|verdict| *verdict == Verdict::True);
                let name = format!("{}: {}", program.name, lint.name());
                assert!(!(fails && result.verdict == Verdict::True), "{name} fires, {} holds", property[0]);
                assert!(!(never && result.verdict == Verdict::False), "{name} never, {} fails", property[0]);
                compared += 1;
            }
            compared
        })
        .sum();
    assert!(compared > 60, "only {compared} comparisons");
}

#[test]
fn the_same_findings_whatever_the_number_of_threads() {
    let path = root().join("lints/division_by_zero/quotients.c");
    let shown = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let program = lower(&path);
        let findings = pool.install(|| linted(&program, Level::Smt, Duration::from_secs(120)));
        let plain = |finding: Finding| format!("{:?}", Finding { seconds: 0.0, ..finding });
        findings.into_iter().map(plain).collect::<Vec<String>>()
    };
    assert_eq!(shown(1), shown(4));
}
