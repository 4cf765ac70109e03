//! Programs with their expected verdicts: `fixtures/{traps,papers,regressions}`.
//!
//! Expectations are comments `//~ [OPTIONS] FORMULA VERDICT` (see `fixtures/README.md`). They record the
//! concrete truth. Every level has to respect it: a lower one may say Maybe, none may say the opposite, and
//! the last one says exactly what is recorded. All mismatches of all files are reported together.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kleene::evidence::Evidence;
use kleene::frontend::{Integers, Language};
use kleene::granularity::Granularity;
use kleene::pipeline::{Level, Options, PropertyResult, Report, Verdict, check_text};
use kleene_ctl::{Formula, Quantifier};
use rayon::prelude::*;

const FOLDERS: [&str; 5] = ["traps", "papers", "regressions", "loops", "loops/broken"];
const LEVELS: [Level; 2] = [Level::Abstract, TOP];
const TOP: Level = Level::Smt;
const MARK: &str = "//~";

/// What is recorded of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Decided(bool),
    /// Accepted imprecision, with the concrete truth.
    Open(bool),
    Error,
}

struct Expectation {
    line: usize,
    options: Options,
    formula: String,
    truth: Truth,
    vacuous: Option<bool>,
}

struct Fixture {
    name: String,
    text: String,
    language: Language,
    expectations: Vec<Expectation>,
    /// Line and text that must occur in a diagnostic.
    diagnostics: Vec<(usize, String)>,
}

struct Mismatch {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.what)
    }
}

#[test]
fn recorded_truths() {
    let paths: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| files(folder)).collect();
    assert!(!paths.is_empty(), "no fixtures");
    let mut mismatches: Vec<Mismatch> = paths
        .par_iter()
        .flat_map_iter(|path| read(path).map_or_else(|wrong| wrong, |fixture| check(&fixture)))
        .collect();
    mismatches.sort_by(|a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
    let list: Vec<String> = mismatches.iter().map(Mismatch::to_string).collect();
    assert!(list.is_empty(), "{} mismatches in {} files:\n{}", list.len(), paths.len(), list.join("\n"));
}

#[test]
fn expectations_are_read() {
    let read = |text: &str| expectation(1, text).map(|read| (read.formula, read.truth, read.vacuous));
    assert_eq!(read("AG(b == 0) HOLDS"), Ok(("AG(b == 0)".into(), Truth::Decided(true), None)));
    assert_eq!(read("EF(b == 1) MAYBE, really FAILS"), Ok(("EF(b == 1)".into(), Truth::Open(false), None)));
    let vacuous = read("AG(r == 1 -> AF(a == 1)) HOLDS vacuous").map(|(.., vacuous)| vacuous);
    assert_eq!(vacuous, Ok(Some(true)));
    let options = |text: &str| expectation(1, text).map(|read| read.options);
    let read = options("[change, watch=g,h, assume=a[0] == 1 && a[1] >= 2, ints=machine] AG(g == 0) FAILS");
    let read = read.expect("a good line");
    assert_eq!(read.granularity, Granularity::Change);
    assert_eq!(read.watch, ["g", "h"]);
    assert_eq!(read.assume.as_deref(), Some("a[0] == 1 && a[1] >= 2"));
    assert_eq!(read.integers, Integers::Machine);
    for wrong in [
        "AG(b == 0)",
        "AG(b == 0) MAYBE",
        "HOLDS",
        "[tick AG(b == 0) HOLDS",
        "[often] AG(b == 0) HOLDS",
        "AG(b) FAILS vacuous",
    ] {
        assert!(options(wrong).is_err(), "{wrong}");
    }
}

/// The programs of a folder, which may be absent.
fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder);
    let entries = std::fs::read_dir(&root).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| language(path).is_some()).collect();
    files.sort();
    files
}

fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "cm" => Some(Language::CMinus),
        "c" => Some(Language::C),
        "rs" => Some(Language::Rust),
        _ => None,
    }
}

fn read(path: &Path) -> Result<Fixture, Vec<Mismatch>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    let name = format!("{folder}/{}", path.file_name().expect("a file").to_string_lossy());
    let (mut expectations, mut diagnostics, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let Some((_, marked)) = line.split_once(MARK) else { continue };
        match marked.trim().strip_prefix("DIAGNOSTIC ") {
            Some(fragment) => diagnostics.push((index + 1, fragment.trim().to_string())),
            None => match expectation(index + 1, marked.trim()) {
                Ok(expectation) => expectations.push(expectation),
                Err(what) => wrong.push(Mismatch { file: name.clone(), line: index + 1, what }),
            },
        }
    }
    if expectations.is_empty() && diagnostics.is_empty() {
        wrong.push(Mismatch { file: name.clone(), line: 1, what: "no expectation in this file".into() });
    }
    let language = language(path).expect("a known language");
    if wrong.is_empty() {
        Ok(Fixture { name, text, language, expectations, diagnostics })
    } else {
        Err(wrong)
    }
}

/// `[OPTIONS] FORMULA VERDICT`
fn expectation(line: usize, text: &str) -> Result<Expectation, String> {
    let (written, rest) = split_options(text)?;
    let (rest, vacuous) = match (rest.strip_suffix(" vacuous"), rest.strip_suffix(" not-vacuous")) {
        (Some(rest), _) => (rest, Some(true)),
        (_, Some(rest)) => (rest, Some(false)),
        _ => (rest, None),
    };
    let endings = [
        (" MAYBE, really HOLDS", Truth::Open(true)),
        (" MAYBE, really FAILS", Truth::Open(false)),
        (" HOLDS", Truth::Decided(true)),
        (" FAILS", Truth::Decided(false)),
        (" ERROR", Truth::Error),
    ];
    let found = endings.iter().find_map(|(ending, truth)| Some((rest.strip_suffix(ending)?, *truth)));
    let (formula, truth) = found.ok_or("no verdict at the end of the line")?;
    if vacuous.is_some() && truth != Truth::Decided(true) {
        return Err("only what holds can be vacuous".into());
    }
    Ok(Expectation { line, options: options(written)?, formula: formula.trim().into(), truth, vacuous })
}

/// The options in front, which may hold brackets of array elements, and the rest.
fn split_options(text: &str) -> Result<(&str, &str), String> {
    if !text.starts_with('[') {
        return Ok(("", text));
    }
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok((&text[1..at], &text[at + 1..]));
        }
    }
    Err("the options have no closing bracket".into())
}

fn options(written: &str) -> Result<Options, String> {
    let mut options = Options { timeout: Duration::from_secs(120), ..Options::default() };
    let mut watching = false;
    for part in written.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match (key, value) {
            ("watch", _) => options.watch.push(value.into()),
            ("assume", _) => options.assume = Some(value.into()),
            ("ints", "machine") => options.integers = Integers::Machine,
            _ => match Granularity::from_name(part) {
                Some(granularity) => options.granularity = granularity,
                None if watching => options.watch.push(part.into()),
                None => return Err(format!("unknown option `{part}`")),
            },
        }
        watching = key == "watch" || (watching && options.watch.last().is_some_and(|last| last == part));
    }
    Ok(options)
}

fn check(fixture: &Fixture) -> Vec<Mismatch> {
    let mut mismatches: Vec<Mismatch> = fixture
        .expectations
        .par_iter()
        .flat_map_iter(|expectation| check_one(fixture, expectation))
        .collect();
    let report = ask(fixture, &Options { level: Level::Abstract, ..Options::default() }, &[]);
    for (line, fragment) in &fixture.diagnostics {
        if !report.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(fragment.as_str())) {
            let said: Vec<&str> =
                report.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            let what = format!("no diagnostic says `{fragment}`; there is {said:?}");
            mismatches.push(Mismatch { file: fixture.name.clone(), line: *line, what });
        }
    }
    mismatches
}

fn ask(fixture: &Fixture, options: &Options, formulas: &[String]) -> Report {
    check_text(&fixture.name, &fixture.text, fixture.language, formulas, options)
}

fn check_one(fixture: &Fixture, expectation: &Expectation) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for level in LEVELS {
        let options = Options { level, ..expectation.options.clone() };
        let report = ask(fixture, &options, std::slice::from_ref(&expectation.formula));
        let mut complain = |what: String| {
            let what = format!("{}: {what} (level {})", expectation.formula, level.name());
            mismatches.push(Mismatch { file: fixture.name.clone(), line: expectation.line, what });
        };
        let [result] = report.results.as_slice() else {
            complain(format!("{} results for one property", report.results.len()));
            continue;
        };
        if let Some(what) = verdict_mismatch(expectation.truth, result, level) {
            let errors = report.diagnostics.iter().map(|diagnostic| format!("; {}", diagnostic.message));
            complain(if result.verdict == Verdict::Error {
                what + &errors.collect::<String>()
            } else {
                what
            });
        }
        let vacuity_known = level == TOP && result.verdict == Verdict::True;
        if vacuity_known && expectation.vacuous.is_some() && result.vacuous != expectation.vacuous {
            complain(format!("vacuous is {:?}, not {:?}", result.vacuous, expectation.vacuous));
        }
        if let Some(what) = evidence_mismatch(&expectation.formula, result) {
            complain(what);
        }
    }
    mismatches
}

fn verdict_mismatch(truth: Truth, result: &PropertyResult, level: Level) -> Option<String> {
    let decided = match result.verdict {
        Verdict::True => Some(true),
        Verdict::False => Some(false),
        Verdict::Maybe => None,
        Verdict::Error => {
            let message = result.message.as_deref().unwrap_or("");
            return match truth {
                Truth::Error if message.is_empty() => Some("an error without a message".into()),
                Truth::Error => None,
                _ => Some(format!("unexpected error: {message}")),
            };
        }
    };
    let at_top = level == TOP;
    match (truth, decided) {
        (Truth::Decided(truth) | Truth::Open(truth), Some(said)) if said != truth => {
            Some(format!("WRONG: said {}, really {truth}", result.verdict.name()))
        }
        (Truth::Decided(truth), None) if at_top => {
            Some(format!("maybe, should be {truth}; {}", reason(result)))
        }
        (Truth::Open(truth), Some(_)) if at_top => Some(format!("better than recorded: {truth} was decided")),
        (Truth::Error, Some(_)) => Some(format!("WRONG: said {}, should be an error", result.verdict.name())),
        (Truth::Error, None) if at_top => Some(format!("maybe, should be an error; {}", reason(result))),
        _ => None,
    }
}

/// Why a verdict is Maybe, and which limits were met on the way.
fn reason(result: &PropertyResult) -> String {
    let Evidence::Cause(cause) = &result.evidence else { return "no cause is given".into() };
    let mut limits: Vec<&str> = cause.tried.iter().filter_map(|attempt| attempt.limit).collect();
    limits.dedup();
    let limits = limits.iter().map(|limit| format!(", limit of {limit}"));
    format!("{}: {}{}", cause.kind.name(), cause.message, limits.collect::<String>())
}

/// Evidence of the kinds that can prove such a verdict of such a formula.
fn evidence_mismatch(formula: &str, result: &PropertyResult) -> Option<String> {
    let shape = kleene_ctl::parse(formula).map(|formula| shape(&formula, true)).unwrap_or_default();
    let holds = result.verdict == Verdict::True;
    // A run shows that something is possible, a proof that something is not.
    let shows_existence = match (shape.universal, shape.existential) {
        (true, false) => Some(!holds),
        (false, true) => Some(holds),
        _ => None,
    };
    let fits = match (&result.evidence, result.verdict) {
        (Evidence::Cause(_), Verdict::Maybe) | (Evidence::None, Verdict::Error) => true,
        (_, Verdict::Maybe | Verdict::Error) | (Evidence::Cause(_) | Evidence::None, _) => false,
        (Evidence::Run(_) | Evidence::Mixed { .. }, _) => shows_existence != Some(false),
        // A broken promise may need an infinite run that never repeats itself: then only a strategy shows it.
        (Evidence::Strategy(_), _) => shows_existence != Some(false) && (holds || shape.promises),
        (Evidence::Proof(_), _) => shows_existence != Some(true),
    };
    let kind = result.evidence.kind().unwrap_or("nothing");
    (!fits).then(|| format!("{kind} is no evidence for {}", result.verdict.name()))
}

/// The path quantifiers of a formula, once negations are pushed inward.
#[derive(Clone, Copy, Default)]
struct Shape {
    universal: bool,
    existential: bool,
    /// Something has to come on every path.
    promises: bool,
}

impl Shape {
    fn of(quantifier: Quantifier, positive: bool) -> Self {
        let universal = (quantifier == Quantifier::All) == positive;
        Self { universal, existential: !universal, promises: false }
    }

    fn and(self, other: Self) -> Self {
        Self {
            universal: self.universal || other.universal,
            existential: self.existential || other.existential,
            promises: self.promises || other.promises,
        }
    }
}

fn shape<A>(formula: &Formula<A>, positive: bool) -> Shape {
    use Formula::*;
    let of = |formula: &Formula<A>| shape(formula, positive);
    let path = |quantifier: &Quantifier, least: bool| {
        let shape = Shape::of(*quantifier, positive);
        Shape { promises: shape.universal && least == positive, ..shape }
    };
    match formula {
        Literal(_) | Atom(_) => Shape::default(),
        Not(inner) => shape(inner, !positive),
        And(left, right) | Or(left, right) => of(left).and(of(right)),
        Implies(left, right) => shape(left, !positive).and(of(right)),
        Iff(left, right) => {
            let sides = of(left).and(of(right));
            let any = sides.universal || sides.existential;
            Shape { universal: any, existential: any, promises: any }
        }
        Next(quantifier, inner) => Shape::of(*quantifier, positive).and(of(inner)),
        Future(quantifier, inner) => path(quantifier, true).and(of(inner)),
        Globally(quantifier, inner) => path(quantifier, false).and(of(inner)),
        Until(quantifier, left, right) => path(quantifier, true).and(of(left)).and(of(right)),
        Release(quantifier, left, right) | WeakUntil(quantifier, left, right) => {
            path(quantifier, false).and(of(left)).and(of(right))
        }
    }
}
