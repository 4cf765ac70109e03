//! What a call of `lint` answers: findings as they come, a summary at the end, and the exit status.

use std::io::{self, IsTerminal, Write};

use super::super::Exit;
use super::super::arguments::LintArguments;
use super::super::check::{answer_in_json, paint};
use super::inputs::{self, Input};
use super::known::{self, Known};
use super::style::{self, Style};
use super::superfluous::Superfluous;
use super::{Linted, Opaque};
use crate::lints::{self, Reuse};
use crate::pipeline::Verdict;
use crate::report::causes::{Cause, grouped};
use crate::report::github::Annotations;
use crate::report::paint::Paint;
use crate::report::text::Tally;
use crate::report::{Entry, FileReport, Remark, lines, sarif, snippet, text};
use crate::source::Severity;

pub struct Output<'a> {
    arguments: &'a LintArguments,
    known: Known,
    style: Style,
    annotations: Option<Annotations>,
    files: Vec<FileReport>,
    tally: Tally,
    opaque: Opaque,
    reuse: Option<Reuse>,
    superfluous: Superfluous,
    analysed: bool,
    exit: Exit,
    /// What is wrong with the call.
    remarks: Vec<Remark>,
}

impl<'a> Output<'a> {
    pub fn new(arguments: &'a LintArguments, known: Known) -> Self {
        Self {
            arguments,
            known,
            style: Style::of(arguments),
            annotations: style::annotates(arguments).then(Annotations::default),
            files: Vec::new(),
            tally: Tally { hides_notes: !arguments.all, ..Tally::default() },
            opaque: Opaque::default(),
            reuse: None,
            superfluous: Superfluous::default(),
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
        self.remarks.extend(remarks);
    }

    /// What is left out on purpose is said; then a call may look at nothing.
    pub fn skipped(&mut self, skipped: &[(String, Vec<Input>)]) {
        for (why, inputs) in skipped.iter().filter(|(_, inputs)| !inputs.is_empty()) {
            self.analysed = true;
            let names: Vec<String> = inputs.iter().map(Input::name).collect();
            if !self.arguments.quiet {
                let _ = writeln!(io::stderr().lock(), "skipped ({why}): {}", names.join(", "));
            }
        }
    }

    /// Mistakes of input files and of the call.
    fn tell(&mut self, remarks: &[Remark]) {
        let mistakes = paint(self.arguments.color, io::stderr().is_terminal());
        let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
        let _ = io::stderr().lock().write_all(text.as_bytes());
        if let Some(annotations) = &mut self.annotations {
            remarks.iter().for_each(|remark| annotations.remark(remark));
        }
    }

    pub fn file(&mut self, linted: Linted, input: &Input) {
        let Linted { mut report, opaque, usages, exit, analysed, reuse, skipped } = linted;
        if let Some(skipped) = skipped.filter(|_| !self.arguments.quiet) {
            let _ = writeln!(io::stderr().lock(), "{skipped}");
        }
        let is_headed = self.style.is_for_people() && !self.arguments.quiet;
        if let Some(header) = input.header.as_ref().filter(|_| is_headed) {
            answer(&format!("{header} · {}\n", inputs::solver_name(&self.arguments.solver)));
        }
        self.exit = self.exit.max(exit);
        self.analysed |= analysed;
        self.tell(&report.remarks);
        self.opaque.add(opaque);
        if let Some(Reuse { reused, made }) = reuse {
            let all = self.reuse.get_or_insert_default();
            (all.reused, all.made) = (all.reused + reused, all.made + made);
        }
        self.superfluous.add(&report.source, usages);
        if analysed {
            let mut known = std::mem::replace(&mut self.known, Known::Nothing);
            known.meet(&mut report, &|entry| self.counts(entry));
            self.known = known;
        }
        for entry in &report.entries {
            self.tally.add(entry);
            if self.counts(entry) {
                self.exit = self.exit.max(Exit::Refuted);
            }
        }
        self.show(&report);
        if matches!(self.style, Style::Json | Style::Sarif) {
            self.files.push(report);
        }
    }

    /// Whether an answer makes the call fail.
    fn counts(&self, entry: &Entry) -> bool {
        if entry.suppressed.is_some() || entry.known {
            return false;
        }
        match entry.verdict {
            Verdict::False => entry.rated > Some(lints::Severity::Note),
            Verdict::Maybe => self.arguments.levels.denies_maybe,
            Verdict::Error => true,
            Verdict::True => false,
        }
    }

    fn is_shown(&self, entry: &Entry) -> bool {
        let is_left = entry.suppressed.is_some() || entry.known;
        !is_left && self.is_asked_for(entry) || self.counts(entry)
    }

    fn is_asked_for(&self, entry: &Entry) -> bool {
        match entry.verdict {
            Verdict::False => self.arguments.all || entry.rated > Some(lints::Severity::Note),
            Verdict::Maybe => self.arguments.maybe || self.arguments.levels.denies_maybe,
            _ => false,
        }
    }

    fn show(&mut self, report: &FileReport) {
        let answers = self.paint();
        let shown: Vec<&Entry> = report.entries.iter().filter(|entry| self.is_shown(entry)).collect();
        let single = || shown.iter().map(|first| Cause { first, others: Vec::new() });
        match self.style {
            Style::Human => {
                let causes = grouped(report, shown.iter().copied());
                causes.iter().for_each(|cause| answer(&text::finding(report, cause, answers)));
            }
            Style::Short => single().for_each(|cause| answer(&lines::short(report, cause.first))),
            Style::Lines => {
                report.remarks.iter().for_each(|remark| answer(&lines::remark(report.unit.as_ref(), remark)));
                let causes = grouped(report, shown.iter().copied());
                causes.iter().for_each(|cause| answer(&lines::finding(report, cause)));
            }
            Style::Json | Style::Sarif | Style::Github => {}
        }
        if let Some(annotations) = &mut self.annotations {
            let causes = grouped(report, shown.iter().copied());
            causes.iter().for_each(|cause| annotations.finding(report, cause));
        }
    }

    /// What the baseline comes to.
    fn kept(&mut self, told: known::Told) {
        match told {
            known::Told::Stale(remarks) => {
                self.tell(&remarks);
                self.remarks.extend(remarks);
            }
            known::Told::Written(text) => {
                // What is known now is no failure.
                self.exit = if self.exit == Exit::Refuted { Exit::Fine } else { self.exit };
                if self.style.is_for_people() && !self.arguments.quiet {
                    answer(&text);
                }
            }
        }
    }

    fn paint(&self) -> Paint {
        paint(self.arguments.color, io::stdout().is_terminal())
    }

    pub fn finish(mut self) -> Exit {
        if !self.analysed {
            self.exit = self.exit.max(Exit::Misuse);
        }
        match std::mem::replace(&mut self.known, Known::Nothing).finished(self.arguments) {
            Ok(told) => self.kept(told),
            Err(remark) => self.call(vec![remark]),
        }
        let superfluous = std::mem::take(&mut self.superfluous).remarks();
        let is_told = |remark: &&Remark| self.arguments.all || remark.diagnostic.severity != Severity::Note;
        let told: Vec<Remark> = superfluous.iter().filter(is_told).cloned().collect();
        self.tell(&told);
        self.remarks.extend(superfluous);
        match self.style {
            Style::Json => answer_in_json(
                &self.files,
                &self.remarks,
                self.arguments.partition.map(|part| part.to_string()).as_deref(),
            ),
            Style::Sarif => {
                // What is left alone is said with its reason.
                let is_told = |entry: &Entry| self.is_asked_for(entry);
                let log = sarif::log(&self.files, &self.remarks, &is_told, self.exit < Exit::Misuse);
                answer(&format!("{log:#}\n"));
            }
            Style::Lines => {
                self.remarks.iter().for_each(|remark| answer(&lines::remark(None, remark)));
                answer(&lines::finished(self.exit == Exit::Fine));
            }
            Style::Human | Style::Short | Style::Github => {
                if let Some(annotations) = &self.annotations {
                    answer(&annotations.commands());
                    summarise(&annotations.summary(&text::sites(&self.tally, Paint::Plain)));
                }
                if self.analysed && !self.arguments.quiet {
                    answer(&text::sites(&self.tally, self.paint()));
                }
            }
        }
        if self.arguments.stats {
            // For people, beside whatever the output is.
            let _ = io::stderr().lock().write_all(self.opaque.told().as_bytes());
            if let Some(Reuse { reused, made }) = self.reuse {
                let _ = writeln!(io::stderr().lock(), "answers: {made} new, {reused} kept from earlier runs");
            }
        }
        self.exit
    }
}

/// Adds to the summary of the step, where GitHub's runner keeps one.
fn summarise(text: &str) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        let _ = writeln!(io::stderr().lock(), "warning: {}: {error}", path.to_string_lossy());
    }
}

/// Nobody may be reading any more: then there is nobody to tell.
fn answer(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
