//! The built-in checks: what can go wrong where, decided for every place at once.
//!
//! A program is marked (`mark`): wherever a check can tell something, control passes a place of its own. Then every
//! lint is a question about which places runs come to (`conditions`, `failures`, `reachability`) or stay in (`loops`),
//! and one exploration answers all of them (`decide`); only what is open climbs the ladder of precisions. What several
//! entries and calling contexts say of a place is put together before anything is judged. Knows no files and no output.

mod ahead;
mod asking;
mod casts;
mod choices;
mod conditions;
mod decide;
mod entries;
mod explain;
mod failures;
mod kept;
mod levels;
mod loops;
mod mark;
mod passing;
mod reachability;
mod runs;
mod scope;
mod severity;
mod standing;
mod summaries;
mod suppressions;
mod uninitialised;
mod uses;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::evidence::Evidence;
use crate::frontend::{Driver, Drivers, Example, Passed};
use crate::ir::{self, FunctionId, LocationId, Program};
use crate::pipeline::{Level, ModelSize, Options, Verdict};
use crate::source::Span;
use crate::source::stored::{Reader, Stored, Writer};

use asking::Asking;
use kept::Desk;
use scope::Chosen;
use standing::Standing;
use summaries::Summaries;

pub use entries::{Entries, entries};
pub use explain::{explain, summary};
pub use kept::{Digest, Kept, Reuse};
pub use levels::{GROUPS, Group, Levels, Selector, Stance};
pub use scope::{Earlier, Scope};
pub use severity::{Severity, rate};
pub use suppressions::{Suppressions, Usage, may_be_in as may_be_suppressed};
pub use uses::show as show_uses;

/// What is checked. One line here, one in each table below, and its question in the file of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lint {
    Overflow,
    DivisionByZero,
    IndexOutOfBounds,
    InvalidShift,
    UnwrapFailed,
    AssertionFailed,
    ReachablePanic,
    LossyCast,
    ConstantCondition,
    UnreachableCode,
    NonTermination,
    UninitialisedRead,
}

impl Lint {
    pub const ALL: [Lint; 12] = [
        Self::Overflow,
        Self::DivisionByZero,
        Self::IndexOutOfBounds,
        Self::InvalidShift,
        Self::UnwrapFailed,
        Self::AssertionFailed,
        Self::ReachablePanic,
        Self::LossyCast,
        Self::ConstantCondition,
        Self::UnreachableCode,
        Self::NonTermination,
        Self::UninitialisedRead,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::DivisionByZero => "division_by_zero",
            Self::IndexOutOfBounds => "index_out_of_bounds",
            Self::InvalidShift => "invalid_shift",
            Self::UnwrapFailed => "unwrap_failed",
            Self::AssertionFailed => "assertion_failed",
            Self::ReachablePanic => "reachable_panic",
            Self::LossyCast => "lossy_cast",
            Self::ConstantCondition => "constant_condition",
            Self::UnreachableCode => "unreachable_code",
            Self::NonTermination => "non_termination",
            Self::UninitialisedRead => "uninitialised_read",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lint| lint.name() == name)
    }

    /// Whether it is looked at where nobody asks for it.
    pub fn is_on_by_default(self) -> bool {
        self != Self::LossyCast
    }
}

impl Stored for Lint {
    fn write(&self, to: &mut Writer<'_>) {
        to.text(self.name());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Self::from_name(from.text()?)
    }
}

/// A place of the marked program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub function: FunctionId,
    pub location: LocationId,
}

/// What is known of a place, of all runs together. The greater of two answers counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// No run comes here.
    Never,
    Open,
    /// A replayed run does.
    Reached,
}

/// One place in the source that a lint speaks of, with the places of the program that decide it.
#[derive(Clone, Debug)]
pub struct Site {
    pub lint: Lint,
    pub span: Span,
    pub function: FunctionId,
    pub question: Question,
    /// Only another instance of the function has a question here: this one may know its answer.
    pub borrowed: bool,
}

#[derive(Clone, Debug)]
pub enum Question {
    /// It happens where a run comes here.
    Happens(Place),
    /// It happens where a run comes to a place of the first kind; it never does if none comes to any.
    Read { certain: Vec<Place>, possible: Vec<Place> },
    /// It fires if no run comes here.
    Unreachable(Place),
    /// It fires if runs come to `at` and never go one of the two ways.
    Constant { at: Place, yes: Place, no: Place },
    /// It happens if a run stays in these places for ever; calls from them included.
    Stays(Vec<Place>),
}

impl Question {
    /// The places that decide it; loops are asked as a whole.
    fn places(&self) -> Vec<Place> {
        match self {
            Self::Happens(place) | Self::Unreachable(place) => vec![*place],
            Self::Constant { at, yes, no } => vec![*at, *yes, *no],
            Self::Read { certain, possible } => certain.iter().chain(possible).copied().collect(),
            Self::Stays(_) => Vec::new(),
        }
    }
}

/// The answer for one span and lint.
#[derive(Clone, Debug)]
pub struct Finding {
    pub lint: Lint,
    pub span: Span,
    /// Its number among all there are, where it is one of a share.
    pub number: Option<usize>,
    pub function: String,
    pub verdict: Verdict,
    pub level: Level,
    pub model: ModelSize,
    pub evidence: Evidence,
    pub message: Option<String>,
    /// The entry whose run is the evidence.
    pub entry: Option<String>,
    /// Every run that comes to the place fails there.
    pub inevitable: bool,
    /// No run comes to the place at all, so that it says nothing of other instances of the function.
    pub idle: bool,
    /// Of a False.
    pub severity: Severity,
    /// Code that uses the program shows it: its tests, or an example.
    pub by_user: bool,
    /// Why the text says to leave it alone.
    pub suppressed: Option<String>,
    pub solver: Option<String>,
    pub seconds: f64,
}

impl Finding {
    /// The question behind it, as people would write it.
    pub fn property(&self) -> String {
        match self.lint {
            Lint::ConstantCondition => "AG (at(condition) -> c), AG (at(condition) -> !c)".into(),
            Lint::UnreachableCode => "AG !at(here)".into(),
            Lint::NonTermination => "AG AF !at(loop)".into(),
            Lint::LossyCast => "AG !changed(here)".into(),
            Lint::UninitialisedRead => "AG !unset(here)".into(),
            failing => format!("AG !failed({})", failing.name()),
        }
    }
}

/// Decides every site of the wanted lints, from the entries, side by side.
pub fn lint(program: &Program, entries: &[FunctionId], wanted: &[Lint], options: &Options) -> Vec<Finding> {
    lint_lowered(program, entries, &Restricted::default(), wanted, options)
}

/// Entries whose runs are not all there is to them.
#[derive(Clone, Debug, Default)]
pub struct Restricted<'r> {
    /// They take values that not everybody can make: a run from one of them shows nothing yet, and what no run from it
    /// comes to still counts.
    pub private: &'r [FunctionId],
    pub drivers: Option<&'r Drivers>,
    /// They take arguments of more than a megabyte.
    pub large: &'r [FunctionId],
    /// Only code that is not seen calls them: a run from one of them shows nothing.
    pub hidden: &'r [FunctionId],
    /// What these show is shown, and nothing else counts: entries with some of the types they can be called with.
    pub examples: &'r [Example],
    /// Code that is not seen may call functions that no entry comes to.
    pub called_unseen: bool,
    /// What runs of public calls have passed already.
    pub passed: Option<&'r Passed>,
}

/// The same, where the front end has something to say about entries.
pub fn lint_lowered(
    program: &Program,
    entries: &[FunctionId],
    restricted: &Restricted<'_>,
    wanted: &[Lint],
    options: &Options,
) -> Vec<Finding> {
    lint_again(program, entries, restricted, wanted, options, None, Scope::Whole).findings
}

/// What was looked at, and what came of it.
pub struct Looked {
    pub findings: Vec<Finding>,
    /// Entries that were asked, of how many.
    pub entries: (usize, usize),
}

/// The same; what was decided before and depends on nothing that changed is not decided again.
pub fn lint_again(
    program: &Program,
    entries: &[FunctionId],
    restricted: &Restricted<'_>,
    wanted: &[Lint],
    options: &Options,
    kept: Option<&Kept>,
    scope: Scope<'_>,
) -> Looked {
    let added = restricted.drivers.map_or(&[][..], |drivers| &drivers.added);
    let marked = mark::marked(program, wanted, added);
    let desk = Desk::new(&marked, kept, options);
    let chosen = Chosen::of(&marked, entries, restricted, scope);
    let own: Vec<FunctionId> = entries.iter().copied().filter(|entry| chosen.asks(*entry)).collect();
    let summaries = Summaries::of(&marked, &own, &desk, options);
    let mut standing = Standing::new(&marked);
    let passed = restricted.passed.map(|passed| passing::settled(&marked, passed)).unwrap_or_default();
    standing.set_aside(|key| passed.contains_key(&key));
    let mut asking = Asking { desk: &desk, summaries: &summaries, standing, options, chosen: &chosen };
    let mut answers = asking.entries(entries, restricted);
    asking.alone(entries, &mut answers);
    if let Some(drivers) = restricted.drivers {
        let small = |driver: &&Driver| !restricted.large.contains(&driver.entry);
        let drivers: Vec<Driver> = drivers.list.iter().filter(small).copied().collect();
        asking.drivers(entries, &drivers, &mut answers);
    }
    answers.extend(asking.examples(entries, restricted));
    let standing = asking.standing;
    let illustrating = illustrating(&marked.program, entries, restricted);
    let merged = decide::merged(&marked, &answers, &standing, &illustrating);
    let numbers = matches!(scope, Scope::Share { .. }).then(|| scope::numbers(&marked));
    let sites = marked.sites.par_iter().enumerate().filter(|(_, site)| chosen.tells(site.function));
    let mut told: Vec<(Finding, bool)> = sites
        .map(|(index, site)| (site, passing::shown(merged.finding(&marked, index, site), &passed)))
        .filter(|(site, finding)| !illustrating.contains(&site.function) || finding.is_shown())
        .map(|(site, finding)| {
            let number = numbers.as_ref().map(|of| of[&(finding.span, finding.lint)]);
            (Finding { number, ..finding }, site.borrowed)
        })
        .collect();
    told.par_sort_by_key(|(finding, _)| (finding.span, finding.lint));
    told.dedup_by(|(second, second_borrowed), (first, borrowed)| {
        let same = (second.span, second.lint) == (first.span, first.lint);
        if same {
            let also = |finding: &Finding| finding.inevitable || finding.verdict == Verdict::True;
            let inevitable = also(first) && also(second);
            if outweighs(second, first, program) {
                std::mem::swap(second, first);
            } else if is_different(second, first) {
                (first.verdict, first.message) = (Verdict::True, None);
            }
            first.inevitable = inevitable && first.verdict == Verdict::False;
            *borrowed &= *second_borrowed;
        }
        same
    });
    // What nobody asks needs no answer, unless a run gives it.
    let is_told = |(finding, borrowed): &(Finding, bool)| !borrowed || finding.is_shown();
    let findings: Vec<Finding> = told.into_iter().filter(is_told).map(|(finding, _)| finding).collect();
    // Answers of many entries take long to take down.
    drop(standing);
    drop(desk);
    rayon::join(|| drop(answers), || drop(marked));
    Looked { findings, entries: chosen.count }
}

/// Functions that no entry comes to, where some were made for drivers and examples or unseen code may call them: of these
/// only what is shown is known, because their runs are not looked at, or not all of them.
fn illustrating(
    program: &Program,
    entries: &[FunctionId],
    restricted: &Restricted<'_>,
) -> FxHashSet<FunctionId> {
    let added = restricted.drivers.is_some_and(|drivers| !drivers.added.is_empty());
    if !added && restricted.examples.is_empty() && !restricted.called_unseen {
        return FxHashSet::default();
    }
    let entered = entries.iter().flat_map(|begins| ir::slice::reached(program, *begins));
    let entered: FxHashSet<FunctionId> = entered.collect();
    let all = (0..program.functions.len() as u32).map(FunctionId);
    all.filter(|id| !entered.contains(id)).collect()
}

/// Whether the second of two answers for one place in the source counts: False if any, True if both, else Maybe. For
/// what fires where nothing happens it is the other way round. Of two runs the one on ordinary values.
fn outweighs(second: &Finding, first: &Finding, program: &Program) -> bool {
    let is_plainer = || match (&second.evidence, &first.evidence) {
        (Evidence::Run(second), Evidence::Run(first)) => {
            severity::is_ordinary(second, program) && !severity::is_ordinary(first, program)
        }
        _ => false,
    };
    second.weight() > first.weight() || second.verdict == first.verdict && is_plainer()
}

/// Whether a condition is always true in one instance of a function and always false in another.
fn is_different(second: &Finding, first: &Finding) -> bool {
    let fires = |finding: &Finding| finding.verdict == Verdict::False;
    first.lint == Lint::ConstantCondition && fires(first) && fires(second) && first.message != second.message
}

impl Finding {
    fn weight(&self) -> u8 {
        let fires_on_absence = matches!(self.lint, Lint::UnreachableCode | Lint::ConstantCondition);
        match (self.verdict, fires_on_absence) {
            (Verdict::False, false) => 3,
            (Verdict::True, true) if !self.idle => 3,
            (Verdict::Maybe | Verdict::Error, _) => 2,
            (Verdict::False, true) => 1,
            (Verdict::True, _) => 0,
        }
    }

    /// Whether a run shows it, whatever other runs do.
    fn is_shown(&self) -> bool {
        self.weight() == 3
    }
}
