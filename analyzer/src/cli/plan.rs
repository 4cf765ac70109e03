//! Which properties are asked of which files, and how each is read.
//!
//! The nearer setting wins: the property's, then its file's, then the call's, then the default.
//! Assumptions do not replace each other; all of them hold.

use std::path::{Path, PathBuf};

use super::arguments::{CheckArguments, Reading};
use super::property_file::{self, PropertyFile, Stated};
use super::tables::Text;
use crate::frontend::{Arithmetic, Integers};
use crate::granularity::Granularity;
use crate::report::{Expectation, Origin, Remark};
use crate::source::{FileId, SourceFile};

/// One property to check on one file.
#[derive(Clone, Debug)]
pub struct Asked {
    pub formula: Text,
    pub name: Option<String>,
    pub entry: String,
    pub integers: Integers,
    pub arithmetic: Arithmetic,
    pub granularity: Granularity,
    pub watch: Vec<String>,
    pub assumptions: Vec<Text>,
    pub expected: Option<Expectation>,
    /// What is wrong with its text, wherever it is asked.
    pub mistake: Option<Remark>,
    /// The property file says things on top that cannot be understood.
    pub spoiled: bool,
}

impl Asked {
    pub fn new(formula: Text, reading: &Reading) -> Self {
        Self {
            formula,
            name: None,
            entry: reading.entry.clone().unwrap_or_else(|| "main".into()),
            integers: reading.ints.unwrap_or(Integers::Unbounded),
            arithmetic: reading.arith,
            granularity: reading.granularity.unwrap_or(Granularity::Statement),
            watch: reading.watch.clone(),
            assumptions: reading.assume.iter().map(|text| argument("--assume", text)).collect(),
            expected: None,
            mistake: None,
            spoiled: false,
        }
    }

    fn stated(stated: &Stated, file: &PropertyFile, reading: &Reading) -> Self {
        let (own, common) = (&stated.settings, &file.settings);
        let base = Self::new(stated.formula.clone(), reading);
        let mut assumptions = base.assumptions.clone();
        assumptions.extend(common.assume.iter().chain(&own.assume).cloned());
        Self {
            name: stated.name.clone(),
            entry: common.entry.clone().unwrap_or(base.entry),
            integers: common.ints.unwrap_or(base.integers),
            granularity: own.granularity.or(common.granularity).unwrap_or(base.granularity),
            watch: own.watch.clone().or_else(|| common.watch.clone()).unwrap_or(base.watch),
            assumptions,
            expected: stated.expect.clone(),
            mistake: stated.mistake.clone(),
            // With wrong settings on top no answer would be the right one.
            spoiled: !file.remarks.is_empty(),
            ..base
        }
    }
}

/// A text from the command line.
pub fn argument(option: &str, text: &str) -> Text {
    let file = SourceFile::new(FileId(0), option, text);
    Text { text: text.into(), origin: Origin { file, start: 0 } }
}

/// One file with its questions.
#[derive(Debug)]
pub struct Job {
    pub path: PathBuf,
    pub asked: Vec<Asked>,
}

#[derive(Debug, Default)]
pub struct Plan {
    pub jobs: Vec<Job>,
    /// What is wrong with the call or the property files.
    pub remarks: Vec<Remark>,
}

impl Plan {
    pub fn new(arguments: &CheckArguments) -> Self {
        let mut plan = Plan::default();
        for path in &arguments.files {
            plan.job(path);
        }
        let on_the_call = plan.jobs.len();
        for formula in &arguments.properties {
            plan.ask_all(on_the_call, Asked::new(argument("--prop", formula), &arguments.reading));
        }
        for path in &arguments.property_files {
            plan.add_file(path, on_the_call, &arguments.reading);
        }
        plan.complain(arguments);
        plan
    }

    /// The job of a file, new unless the file is already there.
    fn job(&mut self, path: &Path) -> &mut Job {
        let same = |job: &Job| job.path == path || is_same_file(&job.path, path);
        let index = self.jobs.iter().position(same).unwrap_or_else(|| {
            self.jobs.push(Job { path: path.into(), asked: Vec::new() });
            self.jobs.len() - 1
        });
        &mut self.jobs[index]
    }

    fn ask_all(&mut self, count: usize, asked: Asked) {
        if count == 0 && asked.mistake.is_none() {
            let length = asked.formula.text.len();
            let help = Some("name a file in the call, or with `file` in the property file".into());
            let message = "no file to check this property on".into();
            self.remarks.push(asked.formula.origin.remark(0, length, message, help));
        }
        for job in &mut self.jobs[..count] {
            job.asked.push(asked.clone());
        }
    }

    fn add_file(&mut self, path: &Path, on_the_call: usize, reading: &Reading) {
        let file = property_file::read(path);
        for stated in &file.properties {
            let asked = Asked::stated(stated, &file, reading);
            match &stated.file {
                Some(path) => self.job(path).asked.push(asked),
                None if on_the_call == 0 && stated.mistake.is_some() => {
                    self.remarks.extend(stated.mistake.clone());
                }
                None => self.ask_all(on_the_call, asked),
            }
        }
        self.remarks.extend(file.remarks);
    }

    fn complain(&mut self, arguments: &CheckArguments) {
        if let Some(folder) = &arguments.record_smt
            && let Err(error) = std::fs::create_dir_all(folder)
        {
            let message = format!("{}: questions cannot be recorded here: {error}", folder.display());
            self.remarks.push(Remark::call(message, None));
        }
        if arguments.properties.is_empty() && arguments.property_files.is_empty() {
            let help = "state one with `--prop FORMULA` or `--props FILE.toml`";
            self.remarks.push(Remark::call("no property to check", Some(help)));
        } else if self.jobs.is_empty() && self.remarks.is_empty() {
            self.remarks.push(Remark::call("no file to check", None));
        }
        for job in &self.jobs {
            if job.asked.is_empty() && self.remarks.is_empty() {
                let message = format!("{}: no property speaks of this file", job.path.display());
                self.remarks.push(Remark::call(message, None));
            }
        }
        let changes = |asked: &Asked| asked.granularity == Granularity::Change;
        let asked = || self.jobs.iter().flat_map(|job| &job.asked);
        if !arguments.reading.watch.is_empty() && asked().next().is_some() && !asked().any(changes) {
            let help = "add `--granularity change`";
            let message = "`--watch` has no meaning here: no property counts changes";
            self.remarks.push(Remark::call(message, Some(help)));
        }
    }
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}
