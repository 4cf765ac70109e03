//! `kleene check`: plan, analyse the files side by side, report in order.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Instant;

use rayon::prelude::*;

use super::analyse::{self, Surroundings};
use super::arguments::{CheckArguments, Colour, Denied, Format};
use super::plan::{Job, Plan};
use super::{Caller, Exit, config, evidence, package};
use crate::pipeline::{Solvers, Verdict};
use crate::report::causes::Cause;
use crate::report::github::Annotations;
use crate::report::paint::Paint;
use crate::report::progress::Progress;
use crate::report::{Entry, FileReport, Remark, Summary, Trouble, json, sarif, snippet, text};

/// Analyses recurse; address space costs nothing.
pub const STACK: usize = 512 << 20;

pub fn check(arguments: &CheckArguments, caller: Caller) -> Exit {
    let mut output = Output::new(arguments);
    let around = match property_files(arguments, caller) {
        Ok(found) => found,
        Err(remarks) => {
            output.call(&remarks);
            return output.finish(&remarks);
        }
    };
    let with_those_around = CheckArguments { property_files: around, ..arguments.clone() };
    checked(&with_those_around, output)
}

/// The property files of the call, or those of the packages around it.
fn property_files(arguments: &CheckArguments, caller: Caller) -> Result<Vec<PathBuf>, Vec<Remark>> {
    let stated = !arguments.files.is_empty()
        || !arguments.properties.is_empty()
        || !arguments.property_files.is_empty();
    match caller {
        Caller::Cargo if !stated => {
            let manifest = package::manifest_here(&arguments.selection)?;
            package::property_files(&manifest, &arguments.selection)
        }
        _ => Ok(arguments.property_files.clone()),
    }
}

fn checked(arguments: &CheckArguments, mut output: Output) -> Exit {
    let config = match config::of_call(arguments.reading.config.as_deref(), &arguments.reading.rust) {
        Ok(config) => config,
        Err(remarks) => {
            output.call(&remarks);
            return output.finish(&remarks);
        }
    };
    let around = Surroundings {
        kind: arguments.reading.lang,
        rust: config.rust,
        level: arguments.level,
        domain: arguments.domain.domain(),
        solver: Solvers { choice: arguments.solver.clone(), record: arguments.record_smt.clone() },
        timeout: arguments.timeout,
        deadline: arguments.budget.map(|budget| Instant::now() + budget),
        progress: Progress::new(),
        evidence: arguments.evidence.clone(),
    };
    let plan = Plan::new(arguments);
    output.call(&plan.remarks);
    let jobs: Vec<Job> = plan.jobs.into_iter().filter(|job| !job.asked.is_empty()).collect();
    let mut certificates = Vec::new();
    let started = in_order(&jobs, arguments.jobs, &around, |report| {
        around.progress.suspended(|| output.file(&report));
        certificates.extend(report.entries.iter().filter_map(|entry| entry.certificate.clone()));
        output.keep(report);
    });
    around.progress.finish();
    if let Err(problem) = started {
        output.call(&[Remark::call(format!("internal error: {problem}"), None)]);
        output.exit = Exit::Internal;
    }
    let written = arguments.evidence.as_ref().map_or(Ok(()), |path| evidence::write(path, certificates));
    if let Err(problem) = written {
        output.call(&[Remark::call(problem, None)]);
    }
    output.finish(&plan.remarks)
}

/// Analyses the files on some threads and hands on the reports in the order of the files.
fn in_order(
    jobs: &[Job],
    threads: Option<u16>,
    around: &Surroundings,
    mut report: impl FnMut(FileReport),
) -> Result<(), rayon::ThreadPoolBuildError> {
    // No number given: rayon takes one thread per processor.
    let threads = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let work = move || {
            jobs.par_iter().enumerate().with_max_len(1).for_each_with(sender, |sender, (index, job)| {
                // The receiver lives until the last sender is gone.
                let _ = sender.send((index, analyse::file(job, around)));
            });
        };
        scope.spawn(move || pool.install(work));
        let mut waiting: Vec<Option<FileReport>> = jobs.iter().map(|_| None).collect();
        let mut next = 0;
        for (index, finished) in receiver {
            waiting[index] = Some(finished);
            while let Some(ready) = waiting.get_mut(next).and_then(Option::take) {
                report(ready);
                next += 1;
            }
        }
    });
    Ok(())
}

/// Where reports go. Answers go to the standard output, mistakes to the standard error.
struct Output {
    format: Format,
    deny: Option<Denied>,
    answers: Paint,
    mistakes: Paint,
    summary: Summary,
    /// What the final document needs.
    files: Vec<FileReport>,
    exit: Exit,
}

impl Output {
    fn new(arguments: &CheckArguments) -> Self {
        Self {
            format: arguments.format,
            deny: arguments.deny,
            answers: paint(arguments.color, io::stdout().is_terminal()),
            mistakes: paint(arguments.color, io::stderr().is_terminal()),
            summary: Summary::default(),
            files: Vec::new(),
            exit: Exit::Fine,
        }
    }

    fn rises(&mut self, exit: Exit) {
        self.exit = self.exit.max(exit);
    }

    fn call(&mut self, remarks: &[Remark]) {
        for remark in remarks {
            self.mistake(&snippet::remark(remark, self.mistakes));
            if remark.is_error() {
                self.rises(Exit::Misuse);
            }
        }
    }

    fn file(&mut self, report: &FileReport) {
        self.call(&report.remarks);
        for entry in &report.entries {
            self.summary.add(entry.verdict);
            self.rises(self.exit_of(entry));
            let human = self.format == Format::Human;
            match (entry.verdict, entry.trouble) {
                // Its file's remarks have said it.
                (Verdict::Error, Trouble::Input) => {}
                (Verdict::Error, _) => self.mistake(&text::entry(report, entry, self.mistakes)),
                _ if human => self.answer(&text::entry(report, entry, self.answers)),
                _ => {
                    if let Some(surprise) = entry.surprise() {
                        self.mistake(&snippet::remark(&surprise, self.mistakes));
                    }
                }
            }
        }
    }

    fn keep(&mut self, report: FileReport) {
        if self.format != Format::Human {
            self.files.push(report);
        }
    }

    /// An expectation that is met is no failure, whatever it expects.
    fn exit_of(&self, entry: &Entry) -> Exit {
        match (entry.verdict, entry.trouble) {
            (Verdict::Error, Trouble::Internal) => Exit::Internal,
            (Verdict::Error, _) => Exit::Misuse,
            (verdict, _) => match &entry.expected {
                Some(expected) if expected.verdict == verdict => Exit::Fine,
                Some(_) => Exit::Refuted,
                None if verdict == Verdict::False => Exit::Refuted,
                None if verdict == Verdict::Maybe && self.deny == Some(Denied::Maybe) => Exit::Refuted,
                None => Exit::Fine,
            },
        }
    }

    fn finish(mut self, remarks: &[Remark]) -> Exit {
        if self.summary.total() == 0 {
            self.rises(Exit::Misuse);
        }
        match self.format {
            Format::Json => answer_in_json(&self.files, remarks, None),
            Format::Sarif => {
                let is_told = |entry: &Entry| self.exit_of(entry) != Exit::Fine;
                let log = sarif::log(&self.files, remarks, &is_told, self.exit < Exit::Misuse);
                self.answer(&format!("{log:#}\n"));
            }
            Format::Github => self.answer(&self.annotations(remarks).commands()),
            Format::Human if self.summary.total() > 0 => {
                self.answer(&text::summary(&self.summary, self.answers));
            }
            Format::Human => {}
        }
        self.exit
    }

    fn annotations(&self, remarks: &[Remark]) -> Annotations {
        let mut annotations = Annotations::default();
        remarks.iter().for_each(|remark| annotations.remark(remark));
        for report in &self.files {
            report.remarks.iter().for_each(|remark| annotations.remark(remark));
            for first in report.entries.iter().filter(|entry| self.exit_of(entry) != Exit::Fine) {
                annotations.finding(report, &Cause { first, others: Vec::new() });
            }
        }
        annotations
    }

    /// Nobody may be reading any more: then there is nobody to tell.
    fn answer(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn mistake(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Nobody may be reading any more: then there is nobody to tell.
pub fn answer_in_json(files: &[FileReport], remarks: &[Remark], partition: Option<&str>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let _ = json::write(files, remarks, partition, &mut out).and_then(|()| out.flush());
}

/// `NO_COLOR`, `CARGO_TERM_COLOR` and `CLICOLOR` count where the call does not say.
pub fn paint(colour: Colour, terminal: bool) -> Paint {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    let colours = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if set("NO_COLOR") || is("CARGO_TERM_COLOR", "never") => false,
        Colour::Auto if is("CARGO_TERM_COLOR", "always") => true,
        Colour::Auto if set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
        Colour::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
    };
    if colours { Paint::Colours } else { Paint::Plain }
}
