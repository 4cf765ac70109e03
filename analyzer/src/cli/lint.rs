//! `kleene lint`: every file, every entry side by side, reports in order.

mod inputs;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use inputs::Input;
use rayon::prelude::*;

use super::arguments::{Denied, ExplainArguments, Format, Kind, LintArguments};
use super::check::{STACK, answer_in_json, paint};
use super::config::{self, Config};
use super::files::{self, Modules, Unreadable};
use super::{Caller, Exit, guard};
use crate::evidence::{CauseKind, Evidence};
use crate::frontend::rust::RustOptions;
use crate::frontend::{self, FrontendOptions, Integers, Language, Lowered};
use crate::ir::{InputSource, Program};

use crate::lints::{self, Finding, Lint, Restricted};
use crate::pipeline::{Options, Solvers, Verdict};
use crate::report::{Entry, FileReport, Remark, Summary, snippet, tests, text};
use crate::source::spelling::closest_path;
use crate::source::{Diagnostic, FileId, Severity, SourceFile};

pub fn explain(arguments: &ExplainArguments) -> Exit {
    let _ = io::stdout().lock().write_all(lints::explain(arguments.lint).as_bytes());
    Exit::Fine
}

pub fn lint(arguments: &LintArguments, caller: Caller) -> Exit {
    let threads = arguments.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(problem) => {
            eprintln!("error: internal error: {problem}");
            return Exit::Internal;
        }
    };
    let config = match config::of_call(arguments.config.as_deref(), &arguments.rust) {
        Ok(config) => config,
        Err(remarks) => return Output::new(arguments).refused(remarks),
    };
    let (inputs, remarks) = inputs::of_call(arguments, &config.rust, caller);
    if inputs.is_empty() {
        return Output::new(arguments).refused(remarks);
    }
    let deadline = arguments.budget.map(|budget| Instant::now() + budget);
    let call = Call { arguments, wanted: wanted(arguments, &config), deadline };
    let mut output = Output::new(arguments);
    output.call(remarks);
    for input in &inputs {
        let report = pool.install(|| call.file(input));
        output.file(report, input);
    }
    output.finish()
}

/// The lints to look for, in their order.
fn wanted(arguments: &LintArguments, config: &Config) -> Vec<Lint> {
    let configured =
        |lint: &Lint| (lint.is_on_by_default() || config.warn.contains(lint)) && !config.allow.contains(lint);
    // The call has the last word.
    let on =
        |lint: &Lint| (configured(lint) || arguments.warn.contains(lint)) && !arguments.allow.contains(lint);
    Lint::ALL.into_iter().filter(on).collect()
}

struct Call<'a> {
    arguments: &'a LintArguments,
    wanted: Vec<Lint>,
    deadline: Option<Instant>,
}

/// What a file came to.
struct Linted {
    report: FileReport,
    /// What could not be seen into, with how often.
    opaque: Opaque,
    exit: Exit,
    analysed: bool,
}

impl Linted {
    fn refused(name: &str, source: Arc<SourceFile>, diagnostics: Vec<Diagnostic>, exit: Exit) -> Self {
        let remarks = diagnostics.into_iter().map(|diagnostic| Remark::of(&source, diagnostic)).collect();
        let report = FileReport { name: name.into(), source, entries: Vec::new(), remarks };
        Self { report, opaque: Opaque::new(), exit, analysed: false }
    }
}

impl Call<'_> {
    /// Never panics: a panic of the analysis becomes a remark that says so.
    fn file(&self, input: &Input) -> Linted {
        let name = input.path.display().to_string();
        guard::caught(|| self.opened(input)).unwrap_or_else(|panic| {
            let source = SourceFile::new(FileId(0), &name, "");
            let diagnostic = Diagnostic { severity: Severity::Error, message: panic, span: None, help: None };
            Linted::refused(&name, source, vec![diagnostic], Exit::Internal)
        })
    }

    fn opened(&self, input: &Input) -> Linted {
        let path = &input.path;
        let name = path.display().to_string();
        let read = || -> Result<_, Box<Unreadable>> {
            let kind = files::kind(path, self.arguments.lang)?;
            Ok((kind, files::read(path, kind)?))
        };
        let (kind, source) = match read() {
            Ok(read) => read,
            Err(unreadable) => {
                let Unreadable { source, diagnostic } = *unreadable;
                return Linted::refused(&name, source, vec![diagnostic], Exit::Misuse);
            }
        };
        let Kind::Program(language) = kind else {
            let message = "models have no places to lint: use `kleene check`".to_string();
            let diagnostic = Diagnostic { severity: Severity::Error, message, span: None, help: None };
            return Linted::refused(&name, source, vec![diagnostic], Exit::Misuse);
        };
        let modules = Modules::of(path, &source);
        let options = FrontendOptions {
            entry: String::new(),
            integers: self.arguments.ints.unwrap_or(Integers::Unbounded),
            arithmetic: input.arithmetic,
            modules: Some(modules.clone()),
            rust: RustOptions { marks_casts: self.wanted.contains(&Lint::LossyCast), ..input.rust.clone() },
        };
        match frontend::lower(&source, language, &options) {
            Ok(lowered) => self.lowered(input, modules.joined(), lowered, language),
            Err(diagnostics) => {
                let wrong = diagnostics.iter().any(|said| said.severity == Severity::Error);
                let exit = if wrong { Exit::Misuse } else { Exit::Fine };
                Linted::refused(&name, source, diagnostics, exit)
            }
        }
    }

    fn lowered(
        &self,
        input: &Input,
        source: Arc<SourceFile>,
        lowered: Lowered,
        language: Language,
    ) -> Linted {
        let name = &input.path.display().to_string();
        let program = &lowered.program;
        let plain = |name: &String| name.strip_prefix("crate::").unwrap_or(name).to_string();
        let asked: Vec<String> = self.arguments.entries.iter().map(plain).collect();
        let entries = match lints::entries(program, &asked) {
            Ok(_) if self.arguments.entries.is_empty() && !lowered.entries.is_empty() => {
                lowered.entries.clone()
            }
            Ok(entries) => entries,
            Err(missing) => {
                let error = |missing: &String| {
                    let message = format!("the program has no function `{missing}`");
                    let names = program.functions.iter().map(|function| function.name.as_str());
                    let help = closest_path(missing, names).map(|near| format!("did you mean `{near}`?"));
                    Diagnostic { severity: Severity::Error, message, span: None, help }
                };
                let diagnostics = missing.iter().map(error).collect();
                return Linted::refused(name, source, diagnostics, Exit::Misuse);
            }
        };
        let options = Options {
            integers: self.arguments.ints.unwrap_or(Integers::Unbounded),
            arithmetic: input.arithmetic,
            level: self.arguments.level,
            domain: self.arguments.domain.domain(),
            timeout: self.arguments.timeout,
            deadline: self.deadline,
            solver: Solvers { choice: self.arguments.solver.clone(), record: None },
            ..Options::default()
        };
        let restricted = Restricted {
            private: &lowered.private,
            drivers: Some(&lowered.drivers),
            large: &lowered.large,
            hidden: &lowered.hidden,
            examples: &lowered.examples,
        };
        let mut findings = lints::lint_lowered(program, &entries, &restricted, &self.wanted, &options);
        say_what_is_unknown(&mut findings, &lowered.unknown);
        let mut remarks = Vec::new();
        if let Some(folder) = self.arguments.emit_tests.as_ref().filter(|_| language == Language::Rust) {
            let files = tests::rust_tests(&stem(&input.path), &source, &lowered, &findings, input.arithmetic);
            remarks.extend(files.iter().filter_map(|file| written(folder, file).err()));
        }
        let entries = findings.into_par_iter().map(Entry::of_finding).collect();
        // What the front end says of uninitialised reads is a lint here.
        let said = lowered.diagnostics.into_iter();
        let errors = said.filter(|diagnostic| diagnostic.severity == Severity::Error);
        remarks.extend(errors.map(|diagnostic| Remark::of(&source, diagnostic)));
        let exit = if remarks.is_empty() { Exit::Fine } else { Exit::Misuse };
        let opaque = match lowered.unknown.is_empty() {
            true => opaque(program, &source),
            false => reasons(&lowered.unknown, &source),
        };
        let report = FileReport { name: name.clone(), source, entries, remarks };
        Linted { report, opaque, exit, analysed: true }
    }
}

/// What is not seen into: why, and what stands there how often.
type Opaque = BTreeMap<String, BTreeMap<String, usize>>;

/// Examples of one reason.
const MOST_EXAMPLES: usize = 6;
const LONGEST_EXAMPLE: usize = 32;

/// What the tests of a source file are named after.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("program");
    let plain: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format!("{plain}_kleene")
}

fn written(folder: &Path, file: &tests::Written) -> Result<(), Remark> {
    let target = folder.join(&file.name);
    let around = target.parent().unwrap_or(folder);
    let write = || std::fs::create_dir_all(around).and_then(|()| std::fs::write(&target, &file.text));
    write().map_err(|error| Remark::call(format!("{}: {error}", target.display()), None))
}

/// A cause that points at something unknown says what it is.
fn say_what_is_unknown(findings: &mut [Finding], unknown: &[frontend::Unknown]) {
    for finding in findings {
        let Evidence::Cause(cause) = &mut finding.evidence else { continue };
        let (CauseKind::Unknown, Some(span)) = (cause.kind, cause.span) else { continue };
        // The list is in order of the text: the first that begins inside.
        let from =
            unknown.partition_point(|found| (found.span.file, found.span.start) < (span.file, span.start));
        let inside = unknown[from..].iter().take_while(|found| found.span.file == span.file);
        if let Some(found) = inside.take(1).find(|found| found.span.end <= span.end) {
            cause.message += ": ";
            cause.message += found.reason;
        }
    }
}

/// What the front end did not understand, by its reason.
fn reasons(unknown: &[frontend::Unknown], source: &SourceFile) -> Opaque {
    let mut found = Opaque::new();
    for unknown in unknown {
        let example = if unknown.reason.starts_with("a method") {
            method(source.of(unknown.span).snippet(unknown.span))
        } else {
            source.of(unknown.span).snippet(unknown.span)
        };
        let example: String = example.split_whitespace().collect::<Vec<_>>().join(" ");
        let examples = found.entry(unknown.reason.to_string()).or_default();
        *examples.entry(example.chars().take(LONGEST_EXAMPLE).collect()).or_insert(0) += 1;
    }
    found
}

/// The name in a call of a method.
fn method(call: &str) -> &str {
    let mut depth = 0;
    let end = call.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (c == '(' && depth == 0).then_some(at)
    });
    let before = end.map_or(call, |end| &call[..end]);
    before.rsplit('.').next().unwrap_or(before)
}

/// The places where something unknown is drawn, by what stands there.
fn opaque(program: &Program, source: &SourceFile) -> Opaque {
    let mut found = Opaque::new();
    for location in program.functions.iter().flat_map(|function| function.graph.node_weights()) {
        for input in &location.inputs {
            if matches!(input.source, InputSource::Unknown) {
                let text: String =
                    source.snippet(input.span).split_whitespace().collect::<Vec<_>>().join(" ");
                let text: String = text.chars().take(60).collect();
                *found.entry(text).or_default().entry(String::new()).or_insert(0) += 1;
            }
        }
    }
    found
}

struct Output<'a> {
    arguments: &'a LintArguments,
    files: Vec<FileReport>,
    summary: Summary,
    opaque: Opaque,
    analysed: bool,
    exit: Exit,
    /// What is wrong with the call.
    remarks: Vec<Remark>,
}

impl<'a> Output<'a> {
    fn new(arguments: &'a LintArguments) -> Self {
        Self {
            arguments,
            files: Vec::new(),
            summary: Summary::default(),
            opaque: Opaque::new(),
            analysed: false,
            exit: Exit::Fine,
            remarks: Vec::new(),
        }
    }

    /// The call itself is wrong: nothing is looked at.
    fn refused(mut self, remarks: Vec<Remark>) -> Exit {
        self.call(remarks);
        self.finish()
    }

    fn call(&mut self, remarks: Vec<Remark>) {
        let mistakes = paint(self.arguments.color, io::stderr().is_terminal());
        let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
        let _ = io::stderr().lock().write_all(text.as_bytes());
        if !remarks.is_empty() {
            self.exit = self.exit.max(Exit::Misuse);
        }
        self.remarks = remarks;
    }

    fn file(&mut self, linted: Linted, input: &Input) {
        let Linted { report, opaque, exit, analysed } = linted;
        if let Some(header) = input.header.as_ref().filter(|_| self.arguments.format == Format::Human) {
            answer(&format!("{header} · {}\n", inputs::solver_name(&self.arguments.solver)));
        }
        self.exit = self.exit.max(exit);
        self.analysed |= analysed;
        let mistakes = paint(self.arguments.color, io::stderr().is_terminal());
        for remark in &report.remarks {
            let _ = io::stderr().lock().write_all(snippet::remark(remark, mistakes).as_bytes());
        }
        for (what, examples) in opaque {
            let known = self.opaque.entry(what).or_default();
            for (example, count) in examples {
                *known.entry(example).or_insert(0) += count;
            }
        }
        let answers = paint(self.arguments.color, io::stdout().is_terminal());
        for entry in &report.entries {
            self.summary.add(entry.verdict);
            let denied = entry.verdict == Verdict::Maybe && self.arguments.deny == Some(Denied::Maybe);
            if entry.verdict == Verdict::False || denied {
                self.exit = self.exit.max(Exit::Refuted);
            }
            let shown = entry.verdict == Verdict::False
                || (entry.verdict == Verdict::Maybe && (self.arguments.maybe || denied));
            if shown && self.arguments.format == Format::Human {
                answer(&text::finding(&report, entry, answers));
            }
        }
        if self.arguments.format == Format::Json {
            self.files.push(report);
        }
    }

    fn finish(mut self) -> Exit {
        if !self.analysed {
            self.exit = self.exit.max(Exit::Misuse);
        }
        match self.arguments.format {
            Format::Json => answer_in_json(&self.files, &self.remarks),
            Format::Human => {
                if self.analysed {
                    answer(&text::sites(
                        &self.summary,
                        paint(self.arguments.color, io::stdout().is_terminal()),
                    ));
                }
            }
        }
        if self.arguments.stats {
            self.stats();
        }
        self.exit
    }

    /// For people, beside whatever the output is.
    fn stats(&self) {
        let total = |examples: &BTreeMap<String, usize>| examples.values().sum::<usize>();
        let mut all: Vec<(&String, &BTreeMap<String, usize>)> = self.opaque.iter().collect();
        all.sort_by_key(|(what, examples)| (std::cmp::Reverse(total(examples)), (*what).clone()));
        let mut out = match all.is_empty() {
            true => "nothing was opaque\n".to_string(),
            false => "opaque, the most frequent first:\n".to_string(),
        };
        for (what, examples) in all.into_iter().take(40) {
            out += &format!("{:6}  {what}\n", total(examples));
            let mut examples: Vec<(&String, &usize)> =
                examples.iter().filter(|(example, _)| !example.is_empty()).collect();
            examples.sort_by_key(|(example, count)| (std::cmp::Reverse(**count), (*example).clone()));
            let shown = examples.iter().take(MOST_EXAMPLES);
            let shown: Vec<String> = shown.map(|(example, count)| format!("`{example}` ({count})")).collect();
            if !shown.is_empty() {
                out += &format!("        such as {}\n", shown.join(", "));
            }
        }
        let _ = io::stderr().lock().write_all(out.as_bytes());
    }
}

/// Nobody may be reading any more: then there is nobody to tell.
fn answer(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
