//! Programs with their expected verdicts: `fixtures/{traps,papers,regressions,loops,suite}`.
//!
//! Expectations are comments `//~ [OPTIONS] FORMULA VERDICT` (see `fixtures/README.md`). They record the
//! concrete truth. Every level has to respect it: a lower one may say Maybe, none may say the opposite, and
//! the last one says exactly what is recorded. All mismatches of all files are reported together.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kleene::evidence::Evidence;
use kleene::expectation::{self, Agreement, Expectation, Expectations, Truth};
use kleene::frontend::Language;
use kleene::pipeline::{Level, Options, PropertyResult, Report, Verdict, check_text};
use kleene_ctl::{Formula, Quantifier};
use rayon::prelude::*;

const FOLDERS: [&str; 6] = ["traps", "papers", "regressions", "loops", "loops/broken", "t2"];
const LEVELS: [Level; 2] = [Level::Abstract, TOP];
const TOP: Level = Level::Smt;
/// For what has to be decided; no limit that a slow machine could meet.
const PATIENCE: Duration = Duration::from_secs(120);
/// For what need not be decided and only must not be wrong.
const IMPATIENCE: Duration = Duration::from_millis(500);

struct Fixture {
    name: String,
    text: String,
    language: Language,
    expected: Expectations,
}

struct Mismatch {
    file: String,
    line: usize,
    what: String,
    /// Nothing is wrong: a definite verdict where Maybe was recorded.
    better: bool,
}

impl Mismatch {
    fn new(file: &str, line: usize, what: String) -> Self {
        Self { file: file.into(), line, what, better: false }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.what)
    }
}

#[test]
fn recorded_truths() {
    let check_one = |fixture: &Fixture, expectation: &Expectation| -> Vec<Mismatch> {
        LEVELS.iter().flat_map(|level| check_at(fixture, expectation, *level, PATIENCE)).collect()
    };
    check_all(&FOLDERS, &check_one);
}

/// The suite measures how much is decided in limited time (`kleene-oracle suite`). Here nothing may be wrong,
/// and what is recorded as decided, and not as slow, is.
#[test]
fn recorded_truths_of_the_suite() {
    let check_one = |fixture: &Fixture, expectation: &Expectation| -> Vec<Mismatch> {
        match (expectation.truth, expectation.slow) {
            (Truth::Open(truth), _) | (Truth::Decided(truth), true) => {
                let lenient = Expectation { truth: Truth::Open(truth), ..expectation.clone() };
                let mut mismatches = check_at(fixture, &lenient, TOP, IMPATIENCE);
                mismatches.retain(|mismatch| !mismatch.better);
                mismatches
            }
            _ => check_at(fixture, expectation, TOP, PATIENCE),
        }
    };
    check_all(&["suite"], &check_one);
}

type Check<'a> = &'a (dyn Fn(&Fixture, &Expectation) -> Vec<Mismatch> + Sync);

fn check_all(folders: &[&str], check_one: Check<'_>) {
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    assert!(!paths.is_empty(), "no fixtures");
    let mut mismatches: Vec<Mismatch> = paths
        .par_iter()
        .flat_map_iter(|path| read(path).map_or_else(|wrong| wrong, |fixture| check(&fixture, check_one)))
        .collect();
    mismatches.sort_by(|a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
    let list: Vec<String> = mismatches.iter().map(Mismatch::to_string).collect();
    assert!(list.is_empty(), "{} mismatches in {} files:\n{}", list.len(), paths.len(), list.join("\n"));
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
    expectation::language(path.extension()?.to_str()?)
}

fn read(path: &Path) -> Result<Fixture, Vec<Mismatch>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    let name = format!("{folder}/{}", path.file_name().expect("a file").to_string_lossy());
    let language = language(path).expect("a known language");
    match expectation::read(&text) {
        Ok(expected) => Ok(Fixture { name, text, language, expected }),
        Err(wrong) => Err(wrong.into_iter().map(|one| Mismatch::new(&name, one.line, one.what)).collect()),
    }
}

fn check(fixture: &Fixture, check_one: Check<'_>) -> Vec<Mismatch> {
    let properties = fixture.expected.properties.par_iter();
    let mut mismatches: Vec<Mismatch> =
        properties.flat_map_iter(|expectation| check_one(fixture, expectation)).collect();
    let report = ask(fixture, &Options { level: Level::Abstract, ..Options::default() }, &[]);
    for (line, fragment) in &fixture.expected.diagnostics {
        if !report.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(fragment.as_str())) {
            let said: Vec<&str> =
                report.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            let what = format!("no diagnostic says `{fragment}`; there is {said:?}");
            mismatches.push(Mismatch::new(&fixture.name, *line, what));
        }
    }
    mismatches
}

fn ask(fixture: &Fixture, options: &Options, formulas: &[String]) -> Report {
    check_text(&fixture.name, &fixture.text, fixture.language, formulas, options)
}

fn check_at(fixture: &Fixture, expectation: &Expectation, level: Level, timeout: Duration) -> Vec<Mismatch> {
    let options = Options { level, timeout, ..expectation.options.clone() };
    let report = ask(fixture, &options, std::slice::from_ref(&expectation.formula));
    let complaint = |what: String| {
        let what = format!("{}: {what} (level {})", expectation.formula, level.name());
        Mismatch::new(&fixture.name, expectation.line, what)
    };
    let [result] = report.results.as_slice() else {
        return vec![complaint(format!("{} results for one property", report.results.len()))];
    };
    let mut mismatches = Vec::new();
    if let Some(what) = verdict_mismatch(expectation.truth, result, level) {
        let errors = report.diagnostics.iter().map(|diagnostic| format!("; {}", diagnostic.message));
        let all = if result.verdict == Verdict::Error { what + &errors.collect::<String>() } else { what };
        let better = expectation.truth.against(result.verdict) == Agreement::Better;
        mismatches.push(Mismatch { better, ..complaint(all) });
    }
    let vacuity_known = level == TOP && result.verdict == Verdict::True;
    if vacuity_known && expectation.vacuous.is_some() && result.vacuous != expectation.vacuous {
        mismatches.push(complaint(format!("vacuous is {:?}, not {:?}", result.vacuous, expectation.vacuous)));
    }
    mismatches.extend(evidence_mismatch(&expectation.formula, result).map(complaint));
    mismatches
}

fn verdict_mismatch(truth: Truth, result: &PropertyResult, level: Level) -> Option<String> {
    let (said, at_top) = (result.verdict.name(), level == TOP);
    let message = result.message.as_deref().unwrap_or("");
    let recorded = match truth {
        Truth::Decided(truth) | Truth::Open(truth) => truth.to_string(),
        Truth::Error => "an error".into(),
    };
    match truth.against(result.verdict) {
        Agreement::Wrong if result.verdict == Verdict::Error => Some(format!("unexpected error: {message}")),
        Agreement::Wrong => Some(format!("WRONG: said {said}, really {recorded}")),
        Agreement::Undecided if at_top => Some(format!("maybe, should be {recorded}; {}", reason(result))),
        Agreement::Better if at_top => Some(format!("better than recorded: {recorded} was decided")),
        Agreement::Same if truth == Truth::Error && message.is_empty() => {
            Some("an error without a message".into())
        }
        _ => None,
    }
}

/// Why a verdict is Maybe, and which limits were met on the way.
fn reason(result: &PropertyResult) -> String {
    let Evidence::Cause(cause) = &result.evidence else { return "no cause is given".into() };
    let mut limits: Vec<&str> = cause.tried.iter().filter_map(|attempt| attempt.limit.as_deref()).collect();
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
