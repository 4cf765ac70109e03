//! What a call of `lint` answers: findings as they come, a summary at the end, and the exit status.

use std::io::{self, IsTerminal, Write};

use super::super::Exit;
use super::super::arguments::{Format, LintArguments};
use super::super::check::{answer_in_json, paint};
use super::inputs::{self, Input};
use super::{Linted, Opaque};
use crate::lints::Severity;
use crate::pipeline::Verdict;
use crate::report::causes::grouped;
use crate::report::text::Tally;
use crate::report::{Entry, FileReport, Remark, snippet, text};

pub struct Output<'a> {
    arguments: &'a LintArguments,
    files: Vec<FileReport>,
    tally: Tally,
    opaque: Opaque,
    analysed: bool,
    exit: Exit,
    /// What is wrong with the call.
    remarks: Vec<Remark>,
}

impl<'a> Output<'a> {
    pub fn new(arguments: &'a LintArguments) -> Self {
        Self {
            arguments,
            files: Vec::new(),
            tally: Tally::default(),
            opaque: Opaque::default(),
            analysed: false,
            exit: Exit::Fine,
            remarks: Vec::new(),
        }
    }

    /// The call itself is wrong: nothing is looked at.
    pub fn refused(mut self, remarks: Vec<Remark>) -> Exit {
        self.call(remarks);
        self.finish()
    }

    pub fn call(&mut self, remarks: Vec<Remark>) {
        self.tell(&remarks);
        if !remarks.is_empty() {
            self.exit = self.exit.max(Exit::Misuse);
        }
        self.remarks = remarks;
    }

    /// Mistakes of input files and of the call.
    fn tell(&self, remarks: &[Remark]) {
        let mistakes = paint(self.arguments.color, io::stderr().is_terminal());
        let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    pub fn file(&mut self, linted: Linted, input: &Input) {
        let Linted { report, opaque, exit, analysed } = linted;
        if let Some(header) = input.header.as_ref().filter(|_| self.arguments.format == Format::Human) {
            answer(&format!("{header} · {}\n", inputs::solver_name(&self.arguments.solver)));
        }
        self.exit = self.exit.max(exit);
        self.analysed |= analysed;
        self.tell(&report.remarks);
        self.opaque.add(opaque);
        for entry in &report.entries {
            self.tally.add(entry);
            if self.counts(entry) {
                self.exit = self.exit.max(Exit::Refuted);
            }
        }
        match self.arguments.format {
            Format::Human => self.show(&report),
            Format::Json => self.files.push(report),
        }
    }

    /// Whether an answer makes the call fail.
    fn counts(&self, entry: &Entry) -> bool {
        match entry.verdict {
            Verdict::False => entry.rated > Some(Severity::Note),
            Verdict::Maybe => self.arguments.levels.denies_maybe,
            Verdict::Error => true,
            Verdict::True => false,
        }
    }

    fn is_shown(&self, entry: &Entry) -> bool {
        let asked = match entry.verdict {
            Verdict::False => self.arguments.all,
            Verdict::Maybe => self.arguments.maybe,
            _ => false,
        };
        asked || self.counts(entry)
    }

    fn show(&self, report: &FileReport) {
        let answers = paint(self.arguments.color, io::stdout().is_terminal());
        let shown = report.entries.iter().filter(|entry| self.is_shown(entry));
        for cause in grouped(report, shown) {
            answer(&text::finding(report, &cause, answers));
        }
    }

    pub fn finish(mut self) -> Exit {
        if !self.analysed {
            self.exit = self.exit.max(Exit::Misuse);
        }
        match self.arguments.format {
            Format::Json => answer_in_json(&self.files, &self.remarks),
            Format::Human if self.analysed => {
                self.tally.hides_notes = !self.arguments.all;
                answer(&text::sites(&self.tally, paint(self.arguments.color, io::stdout().is_terminal())));
            }
            Format::Human => {}
        }
        if self.arguments.stats {
            // For people, beside whatever the output is.
            let _ = io::stderr().lock().write_all(self.opaque.told().as_bytes());
        }
        self.exit
    }
}

/// Nobody may be reading any more: then there is nobody to tell.
fn answer(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
