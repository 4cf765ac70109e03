//! Kleene beside what people run already: on copies of real crates `cargo check`, Clippy's lints about panics and
//! `kleene lint`, with the same features, in the same run.
//!
//! Nothing is run of a crate but its build script, by cargo. Times are the least of all rounds; the rounds take turns.

mod edits;
mod lines;
mod table;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::crates::child::{End, Spent};
use crate::crates::{Figures, Named, chosen, sources};
use crate::replays::copy;
use crate::replays::manifest::Manifest;

pub use edits::{Edit, Kept};
pub use table::{heading, json, line, text};
pub use tools::PANIC_LINTS;
use tools::Tools;

#[derive(Clone, Debug)]
pub struct Plan {
    /// `name` or `name@version`; empty: the whole list.
    pub only: Vec<String>,
    /// How often everything is timed.
    pub rounds: usize,
    /// How many functions are edited, one after the other, to see what is decided anew.
    pub edits: usize,
    /// For one call of a tool.
    pub timeout: Duration,
    /// Where sources, copies and answers go.
    pub folder: PathBuf,
}

/// What became of one crate.
#[derive(Clone, Debug)]
pub struct Compared {
    pub named: Named,
    /// The features that are on.
    pub features: Vec<String>,
    /// Or why cargo does not build it here.
    pub result: Result<Comparison, String>,
}

#[derive(Clone, Debug)]
pub struct Comparison {
    /// Lines with code, without tests.
    pub lines: usize,
    /// At the default level.
    pub figures: Figures,
    /// Places that Clippy's lints about panics name.
    pub clippy: usize,
    pub times: Times,
    /// What calls take where answers are kept, if that was asked for.
    pub kept: Option<Kept>,
    /// Of the default level, in kilobytes.
    pub peak: u64,
    /// How the worse of both levels ended.
    pub end: End,
}

#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// `cargo check` with an empty target folder.
    pub clean: Time,
    /// `cargo check` after `cargo clean -p` of the crate: what it depends on is there.
    pub alone: Time,
    /// `kleene lint --level abstract`.
    pub cheap: Time,
    /// `kleene lint`.
    pub usual: Time,
}

/// In seconds.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub wall: f64,
    /// Of all processors.
    pub processor: f64,
}

impl Times {
    const NONE: Self = Self { clean: Time::NONE, alone: Time::NONE, cheap: Time::NONE, usual: Time::NONE };
}

impl Time {
    const NONE: Self = Self { wall: f64::INFINITY, processor: f64::INFINITY };

    fn least(&mut self, spent: &Spent) {
        self.wall = self.wall.min(spent.seconds);
        self.processor = self.processor.min(spent.processor);
    }
}

impl Comparison {
    pub fn warned(&self) -> usize {
        self.figures.warned.values().sum()
    }

    /// So many on this number of lines come to how many on a thousand.
    pub fn per_thousand(&self, count: usize) -> f64 {
        1000.0 * count as f64 / self.lines.max(1) as f64
    }

    pub fn is_sound(&self) -> bool {
        self.end == End::Finished && self.figures.panics.is_empty()
    }
}

/// Compares on every crate, one after the other; `seen` hears of each when it is done.
///
/// # Errors
/// If sources cannot be fetched, files cannot be written or a tool cannot be called.
pub fn compare(plan: &Plan, mut seen: impl FnMut(&Compared)) -> Result<Vec<Compared>, String> {
    let crates = chosen(&plan.only)?;
    let vendor = sources::fetch(&crates, &plan.folder)?;
    let vendor = vendor.canonicalize().map_err(|error| format!("{}: {error}", vendor.display()))?;
    let mut all = Vec::new();
    for named in crates {
        let source = vendor.join(format!("{}-{}", named.name, named.version));
        let manifest = Manifest::read(&source, &vendor)?;
        let result = one(plan, &named, &source, &manifest, &vendor)?;
        let compared = Compared { named, features: manifest.features, result };
        seen(&compared);
        all.push(compared);
    }
    Ok(all)
}

fn one(
    plan: &Plan,
    named: &Named,
    source: &Path,
    manifest: &Manifest,
    vendor: &Path,
) -> Result<Result<Comparison, String>, String> {
    let folder = plan.folder.join("workflow").join(&named.name);
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(problem)?;
    }
    std::fs::create_dir_all(&folder).map_err(problem)?;
    let folder = folder.canonicalize().map_err(problem)?;
    let copy = folder.join("copy");
    copy::made(source, manifest, &manifest.root, vendor, &copy)?;
    let tools = Tools { copy, folder, name: named.name.clone(), timeout: plan.timeout };
    // Not timed: it writes the lock file, and everything has been read once before anything is timed.
    tools.empty_target()?;
    if let Err(said) = tools.check()? {
        return Ok(Err(said));
    }
    let lines = lines::count(&tools.files()?)?;
    let mut times = Times::NONE;
    let (mut figures, mut peak, mut end) = (Figures::default(), 0, End::Finished);
    for _ in 0..plan.rounds.max(1) {
        tools.empty_target()?;
        times.clean.least(&tools.check()??);
        tools.clean_package()?;
        times.alone.least(&tools.check()??);
        let cheap = tools.kleene("abstract", &["--level", "abstract"])?;
        let usual = tools.kleene("default", &[])?;
        times.cheap.least(&cheap.spent);
        times.usual.least(&usual.spent);
        peak = peak.max(usual.spent.peak);
        end = [end, cheap.spent.end, usual.spent.end]
            .into_iter()
            .find(|end| *end != End::Finished)
            .unwrap_or(End::Finished);
        figures = usual.figures;
    }
    let clippy = tools.clippy()?;
    let kept = match plan.edits {
        0 => None,
        count => Some(edits::measured(&tools, count)?),
    };
    Ok(Ok(Comparison { lines, figures, clippy, times, kept, peak, end }))
}
