//! `kleene lint`: every file, every entry side by side, reports in order.

mod inputs;
mod known;
mod opaque;
mod output;
mod partition;
mod since;
mod style;
mod superfluous;
pub mod why;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub use inputs::Input;
use known::Known;
pub use opaque::Opaque;
use output::Output;
pub use partition::Partition;
use rayon::prelude::*;
use since::Changes;

use super::arguments::{ExplainArguments, Kind, LintArguments};
use super::cache::{Cache, Identity};
use super::check::STACK;
use super::files::{self, Earlier, Modules, Unreadable};
use super::levels;
use super::{Caller, Exit, guard};
use crate::evidence::{CauseKind, Evidence};
use crate::frontend::rust::RustOptions;
use crate::frontend::{self, FrontendOptions, Integers, Language, Lowered};
use crate::ir::FunctionId;
use crate::lints::{self, Finding, Kept, Lint, Restricted, Reuse, Scope, Selector, Suppressions, Usage};
use crate::outline::Outline;
use crate::pipeline::{Level, Options, Solvers, Verdict};
use crate::report::advice::Advice;
use crate::report::progress::Progress;
use crate::report::{Entry, FileReport, Remark, tests};
use crate::source::spelling::closest_path;
use crate::source::{Diagnostic, FileId, Severity, SourceFile, Span};

/// A lint, all lints of a group, or one result.
pub fn explain(arguments: &ExplainArguments, caller: Caller) -> Exit {
    if let Some(selector) = Selector::from_name(&arguments.what) {
        let pages: Vec<String> = selector.lints().iter().map(|lint| lints::explain(*lint)).collect();
        let _ = io::stdout().lock().write_all(pages.join("\n").as_bytes());
        return Exit::Fine;
    }
    if let Some((file, number)) = arguments.what.rsplit_once('#')
        && let Ok(number) = number.parse()
    {
        return why::numbered(Path::new(file), number, caller);
    }
    let [message, help] = levels::unknown(&arguments.what);
    eprintln!("error: {message}; {help}");
    Exit::Misuse
}

pub fn lint(arguments: &LintArguments, caller: Caller) -> Exit {
    match Known::of_call(arguments) {
        Ok(known) => run(arguments, caller, known),
        Err(remarks) => Output::new(arguments, Known::Nothing).refused(remarks),
    }
}

/// `kleene baseline`: the same, kept in a file.
pub fn baseline(arguments: &LintArguments, caller: Caller) -> Exit {
    run(arguments, caller, Known::kept(arguments))
}

fn run(arguments: &LintArguments, caller: Caller, known: Known) -> Exit {
    let threads = arguments.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(problem) => {
            eprintln!("error: internal error: {problem}");
            return Exit::Internal;
        }
    };
    if arguments.list {
        return listed();
    }
    let (inputs, remarks) = inputs::of_call(arguments, caller);
    if inputs.is_empty() {
        return Output::new(arguments, known).refused(remarks);
    }
    let chosen = match chosen(arguments, inputs) {
        Ok(chosen) => chosen,
        Err(remark) => return Output::new(arguments, known).refused(vec![remark]),
    };
    let deadline = arguments.budget.map(|budget| Instant::now() + budget);
    let Chosen { inputs, skipped, share, changes } = chosen;
    let call = Call { arguments, deadline, identity: Identity::default(), share, changes };
    let mut output = Output::new(arguments, known);
    output.call(remarks);
    output.skipped(&skipped);
    let progress = if arguments.quiet { Progress::silent() } else { Progress::new() };
    let count = inputs.len();
    for (at, input) in inputs.iter().enumerate() {
        progress.begin(&format!("{} of {count}", at + 1), &input.name());
        let report = pool.install(|| call.file(input));
        progress.suspended(|| output.file(report, input));
    }
    progress.finish();
    output.finish()
}

/// What of all there is.
struct Chosen {
    inputs: Vec<Input>,
    /// What `--since` and `--partition` leave out: why, and what.
    skipped: Vec<(String, Vec<Input>)>,
    /// Which part of the one input that is left.
    share: Option<Partition>,
    changes: Option<Changes>,
}

fn chosen(arguments: &LintArguments, inputs: Vec<Input>) -> Result<Chosen, Remark> {
    let mut chosen = Chosen { inputs, skipped: Vec::new(), share: None, changes: None };
    if let Some(revision) = &arguments.since {
        let changes = Changes::since(revision)?;
        let (inputs, skipped) = changes.split(chosen.inputs);
        chosen.inputs = inputs;
        chosen.skipped.push((format!("nothing changed since {revision}"), skipped));
        chosen.changes = Some(changes);
    }
    if let Some(partition) = arguments.partition {
        let all = chosen.inputs.clone();
        (chosen.inputs, chosen.share) = partition.take(chosen.inputs);
        let is_own = |input: &Input| chosen.inputs.iter().any(|own| own.same_as(input));
        let others = all.into_iter().filter(|input| !is_own(input)).collect();
        chosen.skipped.push((format!("not in part {partition}"), others));
    }
    Ok(chosen)
}

/// `--list`: every lint with what happens where nobody says otherwise, and the groups.
fn listed() -> Exit {
    let mut out = String::from("Lints:\n");
    for lint in Lint::ALL {
        let usual = if lint.is_on_by_default() { "on" } else { "off" };
        out += &format!("  {:20} {usual:4} {}\n", lint.name(), lints::summary(lint));
    }
    out += "\nGroups:\n";
    for group in &lints::GROUPS {
        let names: Vec<&str> = group.lints.iter().map(|lint| lint.name()).collect();
        let names = if names.len() == Lint::ALL.len() { "every lint".to_string() } else { names.join(", ") };
        out += &format!("  {:20} {names}\n", group.name);
    }
    out += "\n`kleene explain LINT` says more.\n";
    let _ = io::stdout().lock().write_all(out.as_bytes());
    Exit::Fine
}

struct Call<'a> {
    arguments: &'a LintArguments,
    deadline: Option<Instant>,
    identity: Identity,
    share: Option<Partition>,
    changes: Option<Changes>,
}

/// What a file came to.
pub struct Linted {
    pub report: FileReport,
    /// What could not be seen into, with how often.
    pub opaque: Opaque,
    /// Whether the suppressions in its text are needed.
    pub usages: Vec<Usage>,
    pub exit: Exit,
    pub analysed: bool,
    /// Where answers are kept between runs.
    pub reuse: Option<Reuse>,
    /// What was left out on purpose.
    pub skipped: Option<String>,
}

impl Linted {
    fn refused(name: &str, source: Arc<SourceFile>, diagnostics: Vec<Diagnostic>, exit: Exit) -> Self {
        let remarks = diagnostics.into_iter().map(|diagnostic| Remark::of(&source, diagnostic)).collect();
        let report = FileReport { name: name.into(), source, entries: Vec::new(), remarks, unit: None };
        let (opaque, usages) = (Opaque::default(), Vec::new());
        Self { report, opaque, usages, exit, analysed: false, reuse: None, skipped: None }
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
        let cache = Cache::of(input, self.arguments, &self.identity);
        // Tests are written from the program, not from its results.
        // Those who share a target share all of it.
        let changes = self.changes.as_ref().filter(|_| self.share.is_none());
        let earlier = changes.and_then(|changes| changes.texts.as_ref());
        let complete = self.share.is_none() && earlier.is_none();
        let writes = self.arguments.emit_tests.is_some() || self.arguments.emit_calls.is_some();
        let results = cache.as_ref().filter(|_| !writes && complete);
        if let Some(known) = results.and_then(|cache| cache.unchanged(path, &source, input)) {
            return known;
        }
        let modules = Modules::of(path, &source);
        let wanted = input.config.levels.wanted();
        let kept = cache.as_ref().map(Cache::kept);
        let options = FrontendOptions {
            entry: String::new(),
            integers: self.arguments.ints.unwrap_or(Integers::Unbounded),
            arithmetic: input.arithmetic,
            modules: Some(modules.clone()),
            notebook: kept.clone().map(|kept| kept as Arc<dyn frontend::Notebook>),
            deadline: self.deadline,
            rust: RustOptions {
                marks_casts: wanted.contains(&Lint::LossyCast),
                only_explores: self.arguments.level == Level::Abstract,
                ..input.config.rust.clone()
            },
        };
        match frontend::lower(&source, language, &options) {
            Ok(lowered) => {
                let before = earlier.map(|texts| self.before(input, texts, language, &options));
                let scope = match (&before, self.share) {
                    (Some(before), _) => Scope::Since(before),
                    (None, Some(Partition { part, of })) => Scope::Share { part: part - 1, of },
                    (None, None) => Scope::Whole,
                };
                let source = modules.joined();
                let linted = self.lowered(input, source, lowered, language, kept.as_deref(), scope);
                if let Some((cache, kept)) = cache.zip(kept) {
                    cache.keep(&linted, &modules, &kept, complete);
                }
                linted
            }
            Err(diagnostics) => {
                let wrong = diagnostics.iter().any(|said| said.severity == Severity::Error);
                let exit = if wrong { Exit::Misuse } else { Exit::Fine };
                Linted::refused(&name, source, diagnostics, exit)
            }
        }
    }

    /// What there was before; nothing of a text that was not understood, so that everything is new.
    fn before(
        &self,
        input: &Input,
        texts: &Earlier,
        language: Language,
        options: &FrontendOptions,
    ) -> lints::Earlier {
        let nothing = lints::Earlier::default();
        let root = match files::whole_path(&input.path).and_then(|path| texts.get(&path)) {
            Some(Some(text)) => SourceFile::new(FileId(0), input.path.display().to_string(), text.clone()),
            Some(None) => return nothing,
            None => match files::read(&input.path, Kind::Program(language)) {
                Ok(root) => root,
                Err(_) => return nothing,
            },
        };
        let modules = Modules::earlier(&input.path, &root, texts.clone());
        // Nobody asks what runs come to there.
        let deadline = Some(Instant::now());
        let options = FrontendOptions { modules: Some(modules), notebook: None, deadline, ..options.clone() };
        let Ok(lowered) = frontend::lower(&root, language, &options) else { return nothing };
        let Ok(entries) = self.entries(&lowered) else { return nothing };
        let wanted = input.config.levels.wanted();
        lints::Earlier::of(&lowered.program, &entries, &restricted(&lowered), &wanted)
    }

    /// Where runs begin, or the names that there are none of.
    fn entries(&self, lowered: &Lowered) -> Result<Vec<FunctionId>, Vec<String>> {
        let plain = |name: &String| name.strip_prefix("crate::").unwrap_or(name).to_string();
        let asked: Vec<String> = self.arguments.entries.iter().map(plain).collect();
        let entries = lints::entries(&lowered.program, &asked)?;
        let told = self.arguments.entries.is_empty() && !lowered.entries.is_empty();
        Ok(if told { lowered.entries.clone() } else { entries })
    }

    fn skipped(&self, input: &Input, (asked, all): (usize, usize)) -> Option<String> {
        let why = match (&self.changes, self.share) {
            (_, Some(_)) => format!("not in part {}", self.arguments.partition?),
            (Some(changes), None) => format!("nothing changed since {}", changes.revision),
            (None, None) => return None,
        };
        let left = all - asked;
        (left > 0).then(|| format!("skipped ({why}): {left} of {all} entries of {}", input.name()))
    }

    fn lowered(
        &self,
        input: &Input,
        source: Arc<SourceFile>,
        lowered: Lowered,
        language: Language,
        kept: Option<&Kept>,
        scope: Scope<'_>,
    ) -> Linted {
        let name = &input.path.display().to_string();
        let program = &lowered.program;
        let entries = match self.entries(&lowered) {
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
            passed: self.arguments.entries.is_empty().then_some(&lowered.passed),
            ..restricted(&lowered)
        };
        let wanted = input.config.levels.wanted();
        let looked = lints::lint_again(program, &entries, &restricted, &wanted, &options, kept, scope);
        let skipped = self.skipped(input, looked.entries);
        let mut findings = looked.findings;
        if let Some(uses) = lowered.uses.as_ref().filter(|_| self.arguments.entries.is_empty()) {
            lints::show_uses(&mut findings, uses, &wanted, &options, kept);
        }
        // What stands around a place is asked only of what fails and of what may be left alone.
        let fails = |finding: &Finding| finding.verdict == Verdict::False;
        let is_asked = || findings.iter().any(fails) || lints::may_be_suppressed(&source);
        let failing: Vec<Span> = findings.iter().filter(|finding| fails(finding)).map(|it| it.span).collect();
        let outline = match language {
            Language::Rust if is_asked() => Outline::of(&source, &failing),
            _ => Outline::default(),
        };
        say_what_is_unknown(&mut findings, &lowered.unknown);
        lints::rate(&mut findings, &lowered, &source, &outline);
        input.config.levels.apply(&mut findings);
        let suppressions = Suppressions::of(&source, &outline, program);
        let mut usages = suppressions.apply(&mut findings, &source, &outline, program, &wanted);
        if !self.arguments.entries.is_empty() || !matches!(scope, Scope::Whole) {
            // What is needed elsewhere is not known then.
            usages.clear();
        }
        let opaque = Opaque::of(&lowered, &source);
        let mistakes = suppressions.mistakes.into_iter();
        let mut remarks: Vec<Remark> = mistakes.map(|mistake| Remark::of(&source, mistake)).collect();
        if let Some(folder) = self.arguments.emit_tests.as_ref().filter(|_| language == Language::Rust) {
            let files = tests::rust_tests(&stem(&input.path), &source, &lowered, &findings, input.arithmetic);
            remarks.extend(files.iter().filter_map(|file| written(folder, file).err()));
        }
        if let Some(file) = &self.arguments.emit_calls {
            let text = crate::report::calls::json(&lowered.passed.calls);
            if let Err(error) = std::fs::write(file, text) {
                remarks.push(Remark::call(format!("{}: {error}", file.display()), None));
            }
        }
        let entry = |finding: Finding| {
            let advice = Advice::of(&finding, &lowered, &source, language);
            Entry::of_finding(finding, advice)
        };
        let entries = findings.into_par_iter().map(entry).collect();
        // What the front end says of uninitialised reads is a lint here.
        let said = lowered.diagnostics.into_iter();
        let errors = said.filter(|diagnostic| diagnostic.severity == Severity::Error);
        remarks.extend(errors.map(|diagnostic| Remark::of(&source, diagnostic)));
        let exit = if remarks.is_empty() { Exit::Fine } else { Exit::Misuse };
        let unit = input.unit.clone();
        let report = FileReport { name: name.clone(), source, entries, remarks, unit };
        Linted { report, opaque, usages, exit, analysed: true, reuse: kept.map(Kept::reuse), skipped }
    }
}

fn restricted(lowered: &Lowered) -> Restricted<'_> {
    Restricted {
        private: &lowered.private,
        drivers: Some(&lowered.drivers),
        large: &lowered.large,
        hidden: &lowered.hidden,
        examples: &lowered.examples,
        called_unseen: !lowered.entries.is_empty(),
        passed: None,
    }
}

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
