//! Real crates: their sources are fetched, each is linted by a process of its own, and a table says what came of it.
//!
//! Before that cargo checks it, as whoever works on it has: what build scripts say is told to `kleene lint`, which runs
//! nothing. A process of its own shows what one crate costs, and one that panics, hangs or overflows its stack is seen as such.

mod built;
pub(crate) mod child;
mod figures;
pub(crate) mod sources;
mod table;
mod unsafe_code;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use child::{End, Spent};
pub use figures::{Figures, Share};
pub use table::{heading, json, line, text};

/// What to look at, and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `name` or `name@version`; empty: the whole list.
    pub only: Vec<String>,
    /// For one crate.
    pub timeout: Duration,
    /// Threads of each process.
    pub jobs: Option<usize>,
    /// Passed on to `kleene lint`.
    pub options: Vec<String>,
    /// Where sources and answers go.
    pub folder: PathBuf,
}

/// A crate of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub version: String,
}

/// What became of one crate.
#[derive(Clone, Debug)]
pub struct Measured {
    pub named: Named,
    pub spent: Spent,
    pub figures: Figures,
}

impl Measured {
    /// The analyzer did what it must: no panic, no hang, no overflow of the stack, and an answer.
    pub fn is_sound(&self) -> bool {
        matches!(self.spent.end, End::Finished) && self.figures.panics.is_empty()
    }
}

/// The crates to look at, with the versions that figures are compared on.
pub fn chosen(only: &[String]) -> Result<Vec<Named>, String> {
    let list: Vec<Named> = include_str!("crates/list.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, version)| Named { name: name.into(), version: version.into() })
        .collect();
    if only.is_empty() {
        return Ok(list);
    }
    let named = |word: &String| match word.split_once('@') {
        Some((name, version)) => Ok(Named { name: name.into(), version: version.into() }),
        None => list.iter().find(|known| known.name == *word).cloned().ok_or_else(|| {
            format!("`{word}` is not in the list; `{word}@VERSION` takes any crate of the registry")
        }),
    };
    only.iter().map(named).collect()
}

/// Lints every crate, one after the other; `seen` hears of each when it is done.
pub fn measure(plan: &Plan, mut seen: impl FnMut(&Measured)) -> Result<Vec<Measured>, String> {
    let crates = chosen(&plan.only)?;
    let vendor = sources::fetch(&crates, &plan.folder)?;
    let mut all = Vec::new();
    for named in crates {
        let source = vendor.join(format!("{}-{}", named.name, named.version));
        let measured = one(plan, named, &source)?;
        seen(&measured);
        all.push(measured);
    }
    Ok(all)
}

fn one(plan: &Plan, named: Named, source: &Path) -> Result<Measured, String> {
    let answers = plan.folder.join("answers");
    let (out, said) =
        (answers.join(format!("{}.json", named.name)), answers.join(format!("{}.txt", named.name)));
    let mut words = vec!["kleene".to_string(), "lint".into(), source.display().to_string()];
    words.extend(["--lib", "--format", "json", "--stats", "--no-cache"].map(String::from));
    if let Some(jobs) = plan.jobs {
        words.extend(["--jobs".into(), jobs.to_string()]);
    }
    if let Some(file) = built::messages(&named, source, &plan.folder)? {
        words.extend(["--built".into(), file.display().to_string()]);
    }
    words.extend(plan.options.iter().cloned());
    let spent = child::run(&words, &out, &said, plan.timeout)?;
    let figures = Figures::read(&out, &said)?;
    Ok(Measured { named, spent, figures })
}
