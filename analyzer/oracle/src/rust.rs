//! Lints against rustc: random functions are compiled, with overflow checks or without, and run on all inputs, or on
//! all short ones where they are slices, vectors and texts; which panic comes in which line is compared with what the lints
//! say of it. A failure that no tried input shows must show itself: the test that replays it is compiled and run.
//!
//! The compiled program is the reference; it shares nothing with the analyzer but the text.

pub mod bulk;
mod compiled;
mod generate;
mod shown;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kleene::evidence::Evidence;
use kleene::frontend::{self, Arithmetic, FrontendOptions, Language, Lowered};
use kleene::lints::{self, Finding, Lint, Restricted};
use kleene::pipeline::{Options, Verdict};
use kleene::source::{FileId, SourceFile};

pub use generate::{Class, Generated, functions};

/// A line, and the kind of its failure.
type Place = (usize, Lint);

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
    /// Of what happens, what only its own replay shows.
    pub replayed: usize,
    pub wrong: Vec<String>,
    /// What stays open, with the reason that is given.
    pub undecided: Vec<String>,
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
        self.replayed += other.replayed;
        self.wrong.extend(other.wrong);
        self.undecided.extend(other.undecided);
    }

    pub fn table(&self) -> String {
        let lines = self.decided() + self.open;
        let share = 100.0 * self.open as f64 / lines.max(1) as f64;
        format!(
            "{} functions, {lines} lines and kinds with sites: {} never, {} happen ({} by replay), {} maybe ({share:.1} %); {} panic; {} wrong",
            self.functions,
            self.never,
            self.happens,
            self.replayed,
            self.open,
            self.panicking,
            self.wrong.len()
        )
    }
}

/// What to generate, and how long the analyzer may think.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub class: Class,
    pub seed: u64,
    pub functions: usize,
    pub arithmetic: Arithmetic,
    /// Per entry.
    pub timeout: Duration,
}

/// Compares the functions of a seed. The folder is used for compiled programs.
///
/// # Errors
/// If the functions cannot be compiled or run.
pub fn compare(request: &Request, folder: &Path) -> Result<Compared, String> {
    let Request { class, seed, functions: count, arithmetic, .. } = *request;
    let generated = functions(class, seed, count);
    let panics = compiled::panics(&generated, arithmetic, folder)?;
    let said = Said::of(&generated, request)?;
    let verdicts = said.verdicts();
    let mut compared = Compared { functions: count, panicking: panics.len(), ..Compared::default() };
    let unseen =
        |(place, verdict): &(&Place, &Verdict)| **verdict == Verdict::False && !panics.contains(*place);
    let own: Vec<Place> = verdicts.iter().filter(unseen).map(|(place, _)| *place).collect();
    let not_shown = shown::not_shown(&said, &own, arithmetic, folder)?;
    compared.replayed = own.len() - not_shown.len();
    let tell = |(line, lint): &Place, what: &str| {
        let text = generated.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let (class, lint) = (class.name(), lint.name());
        format!("{class} {seed}, {arithmetic:?}, line {line}: {lint}: {what}: {text}")
    };
    for (place, what) in &not_shown {
        compared.wrong.push(tell(place, &format!("False, but no input panics, {what}")));
    }
    for (place, verdict) in &verdicts {
        match verdict {
            Verdict::True if panics.contains(place) => {
                compared.wrong.push(tell(place, "True, but it panics"))
            }
            Verdict::True | Verdict::False => {}
            _ => compared.undecided.push(tell(place, &said.cause(*place))),
        }
    }
    for place in panics.iter().filter(|place| !verdicts.contains_key(place)) {
        compared.wrong.push(tell(place, "panics without a site"));
    }
    for verdict in verdicts.values() {
        match verdict {
            Verdict::True => compared.never += 1,
            Verdict::False => compared.happens += 1,
            _ => compared.open += 1,
        }
    }
    Ok(compared)
}

/// What the lints say of a text.
struct Said {
    source: Arc<SourceFile>,
    lowered: Lowered,
    findings: Vec<Finding>,
}

/// The rest is about other things than panics.
const PANICS: [Lint; 7] = [
    Lint::Overflow,
    Lint::DivisionByZero,
    Lint::IndexOutOfBounds,
    Lint::InvalidShift,
    Lint::UnwrapFailed,
    Lint::AssertionFailed,
    Lint::ReachablePanic,
];

impl Said {
    fn of(generated: &Generated, request: &Request) -> Result<Self, String> {
        let Request { arithmetic, timeout, .. } = *request;
        let source = SourceFile::new(FileId(0), "generated.rs", generated.text.as_str());
        let options = FrontendOptions { entry: String::new(), arithmetic, ..FrontendOptions::default() };
        let lowered =
            frontend::lower(&source, Language::Rust, &options).map_err(|errors| format!("{errors:?}"))?;
        let program = &lowered.program;
        let named: Vec<String> = generated.functions.iter().map(|function| function.name.clone()).collect();
        let entries =
            lints::entries(program, &named).map_err(|missing| format!("no functions {missing:?}"))?;
        let options = Options { arithmetic, timeout, ..Options::default() };
        let restricted =
            Restricted { large: &lowered.large, hidden: &lowered.hidden, ..Restricted::default() };
        let findings = lints::lint_lowered(program, &entries, &restricted, &PANICS, &options);
        Ok(Self { source, lowered, findings })
    }

    fn place(&self, finding: &Finding) -> Place {
        (self.source.line_of(finding.span) as usize, finding.lint)
    }

    /// Of each line and kind of failure: False if a site is, True if all are.
    fn verdicts(&self) -> BTreeMap<Place, Verdict> {
        let mut lines = BTreeMap::new();
        for finding in &self.findings {
            let known = lines.entry(self.place(finding)).or_insert(finding.verdict);
            *known = match (*known, finding.verdict) {
                (Verdict::False, _) | (_, Verdict::False) => Verdict::False,
                (Verdict::True, Verdict::True) => Verdict::True,
                _ => Verdict::Maybe,
            };
        }
        lines
    }

    /// Why a place is open.
    fn cause(&self, place: Place) -> String {
        let open = self.findings.iter().find(|it| self.place(it) == place && it.verdict == Verdict::Maybe);
        match open.map(|finding| &finding.evidence) {
            Some(Evidence::Cause(cause)) => cause.message.clone(),
            _ => "no cause is given".into(),
        }
    }
}
