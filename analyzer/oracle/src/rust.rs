//! Lints against rustc: random functions over small types are compiled, with overflow checks or without, and run on all
//! inputs; which panic comes in which line is compared with what the lints say of it.
//!
//! The compiled program is the reference; it shares nothing with the analyzer but the text.

pub mod bulk;
mod generate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kleene::frontend::{self, Arithmetic, FrontendOptions, Language};
use kleene::lints::{self, Lint};
use kleene::pipeline::{Options, Verdict};
use kleene::source::{FileId, SourceFile};

pub use generate::{Generated, functions};

/// Counts of one comparison, and what was wrong.
#[derive(Debug, Default)]
pub struct Compared {
    pub functions: usize,
    /// Lines and kinds of failures with a site, by verdict.
    pub never: usize,
    pub happens: usize,
    pub open: usize,
    /// Lines and kinds of panics that some input shows.
    pub panicking: usize,
    pub wrong: Vec<String>,
}

impl Compared {
    pub fn decided(&self) -> usize {
        self.never + self.happens
    }

    pub fn add(&mut self, other: Compared) {
        self.functions += other.functions;
        self.never += other.never;
        self.happens += other.happens;
        self.open += other.open;
        self.panicking += other.panicking;
        self.wrong.extend(other.wrong);
    }

    pub fn table(&self) -> String {
        let lines = self.decided() + self.open;
        let share = 100.0 * self.open as f64 / lines.max(1) as f64;
        format!(
            "{} functions, {lines} lines and kinds with sites: {} never, {} happen, {} maybe ({share:.1} %); {} panic; {} wrong",
            self.functions,
            self.never,
            self.happens,
            self.open,
            self.panicking,
            self.wrong.len()
        )
    }
}

/// Compares `count` functions of a seed. The folder is used for the compiled program.
///
/// # Errors
/// If the functions cannot be compiled or run.
pub fn compare(
    seed: u64,
    count: usize,
    arithmetic: Arithmetic,
    timeout: Duration,
    folder: &Path,
) -> Result<Compared, String> {
    let generated = functions(seed, count);
    let panics = run(&generated, arithmetic, folder)?;
    let said = said(&generated, arithmetic, timeout)?;
    let mut compared = Compared { functions: count, panicking: panics.len(), ..Compared::default() };
    let mut wrong = |(line, lint): &(usize, Lint), what: &str| {
        let text = generated.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let lint = lint.name();
        compared.wrong.push(format!("seed {seed}, {arithmetic:?}, line {line}: {lint}: {what}: {text}"));
    };
    for (place, verdict) in &said {
        match (verdict, panics.contains(place)) {
            (Verdict::False, false) => wrong(place, "False, but no input panics"),
            (Verdict::True, true) => wrong(place, "True, but it panics"),
            _ => {}
        }
    }
    for place in panics.iter().filter(|place| !said.contains_key(place)) {
        wrong(place, "panics without a site");
    }
    for verdict in said.values() {
        match verdict {
            Verdict::True => compared.never += 1,
            Verdict::False => compared.happens += 1,
            _ => compared.open += 1,
        }
    }
    Ok(compared)
}

/// What the lints say of each line and kind of failure: False if a site is, True if all are.
fn said(
    generated: &Generated,
    arithmetic: Arithmetic,
    timeout: Duration,
) -> Result<BTreeMap<(usize, Lint), Verdict>, String> {
    let source = SourceFile::new(FileId(0), "generated.rs", generated.text.as_str());
    let options = FrontendOptions { entry: String::new(), arithmetic, ..FrontendOptions::default() };
    let lowered =
        frontend::lower(&source, Language::Rust, &options).map_err(|errors| format!("{errors:?}"))?;
    let program = &lowered.program;
    let named: Vec<String> = generated.functions.iter().map(|function| function.name.clone()).collect();
    let entries = lints::entries(program, &named).map_err(|missing| format!("no functions {missing:?}"))?;
    let failing: Vec<Lint> = Lint::ALL
        .into_iter()
        .filter(|lint| {
            !matches!(
                lint,
                Lint::ConstantCondition
                    | Lint::UnreachableCode
                    | Lint::NonTermination
                    | Lint::UninitialisedRead
                    | Lint::LossyCast
            )
        })
        .collect();
    let options = Options { arithmetic, timeout, ..Options::default() };
    let mut lines = BTreeMap::new();
    for finding in lints::lint(program, &entries, &failing, &options) {
        let line = source.line_of(finding.span) as usize;
        let known = lines.entry((line, finding.lint)).or_insert(finding.verdict);
        *known = match (*known, finding.verdict) {
            (Verdict::False, _) | (_, Verdict::False) => Verdict::False,
            (Verdict::True, Verdict::True) => Verdict::True,
            _ => Verdict::Maybe,
        };
    }
    Ok(lines)
}

/// The lines that panic for some input of some function, and how.
fn run(
    generated: &Generated,
    arithmetic: Arithmetic,
    folder: &Path,
) -> Result<BTreeSet<(usize, Lint)>, String> {
    let checks = if arithmetic == Arithmetic::Debug { "on" } else { "off" };
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let (source, program): (PathBuf, PathBuf) = (folder.join("generated.rs"), folder.join("generated"));
    std::fs::write(&source, harness(generated)).map_err(|error| error.to_string())?;
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-C", "opt-level=1"])
        .args(["-C", &format!("overflow-checks={checks}"), "-C", &format!("debug-assertions={checks}")])
        .args(["-A", "warnings", "-A", "unconditional_panic", "-A", "arithmetic_overflow"])
        .args(["-A", "overflowing_literals", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .map_err(|error| format!("rustc: {error}"))?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(&program).output().map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(format!("the compiled functions ended with {}", ran.status));
    }
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let place = |line: &str| {
        let (number, message) = line.split_once(' ')?;
        Some((number.parse().ok()?, lint_of(message)))
    };
    text.lines().map(|line| place(line).ok_or_else(|| format!("`{line}` is no line"))).collect()
}

/// The lint that looks for a panic of this message.
fn lint_of(message: &str) -> Lint {
    match message {
        text if text.contains("by zero") || text.contains("divisor of zero") => Lint::DivisionByZero,
        text if text.contains("attempt to shift") => Lint::InvalidShift,
        text if text.contains("with overflow") => Lint::Overflow,
        text if text.contains("index out of bounds") => Lint::IndexOutOfBounds,
        text if text.contains("called `") || text.starts_with("some") || text.starts_with("fine") => {
            Lint::UnwrapFailed
        }
        text if text.starts_with("assertion") || text.starts_with("only where") => Lint::AssertionFailed,
        _ => Lint::ReachablePanic,
    }
}

/// The functions as they are, and behind them a main function that calls each with every input.
fn harness(generated: &Generated) -> String {
    let mut text = generated.text.clone();
    text.push_str(include_str!("rust/main.rs.txt"));
    for function in &generated.functions {
        let mut call = String::new();
        for (index, ty) in function.parameters.iter().enumerate() {
            let all = match *ty {
                "bool" => "[false, true]".to_string(),
                ty => format!("{ty}::MIN..={ty}::MAX"),
            };
            let _ = write!(call, "for p{index} in {all} {{ ");
        }
        let arguments: Vec<String> =
            (0..function.parameters.len()).map(|index| format!("p{index}")).collect();
        let _ = write!(
            call,
            "let _ = std::panic::catch_unwind(|| std::hint::black_box({}({})));",
            function.name,
            arguments.join(", ")
        );
        let _ = writeln!(text, "    {call}{}", " }".repeat(function.parameters.len()));
    }
    text.push_str("    for line in SEEN.lock().unwrap().iter() {\n        println!(\"{line}\");\n    }\n}\n");
    text
}
