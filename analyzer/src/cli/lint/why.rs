//! `kleene why FILE:LINE`: every check of one line, with all that stands behind its answer.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::super::arguments::{LintArguments, WhyArguments};
use super::super::check::{STACK, paint};
use super::super::{Caller, Exit};
use super::inputs::Input;
use super::{Call, Linted, inputs};
use crate::report::paint::Paint;
use crate::report::{Entry, FileReport, Remark, snippet, text};

pub fn why(arguments: &WhyArguments, caller: Caller) -> Exit {
    let mistakes = paint(arguments.lint.color, io::stderr().is_terminal());
    let complain = |remarks: &[Remark]| {
        let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
        let _ = io::stderr().lock().write_all(text.as_bytes());
        Exit::Misuse
    };
    let Some((file, line)) = place(&arguments.place) else {
        let message = format!("`{}` is no place", arguments.place);
        return complain(&[Remark::call(message, Some("write FILE:LINE, for example src/lib.rs:12"))]);
    };
    if let Some(more) = arguments.lint.files.first() {
        let message = format!("one place at a time: `{}` is one too many", more.display());
        return complain(&[Remark::call(message, None)]);
    }
    let (inputs, remarks) = of_place(&file, &arguments.lint, caller);
    if inputs.is_empty() {
        return complain(&remarks);
    }
    let pool = match rayon::ThreadPoolBuilder::new().stack_size(STACK).build() {
        Ok(pool) => pool,
        Err(problem) => {
            eprintln!("error: internal error: {problem}");
            return Exit::Internal;
        }
    };
    let answers = paint(arguments.lint.color, io::stdout().is_terminal());
    let (mut out, mut exit, mut found) = (String::new(), Exit::Fine, false);
    for input in &inputs {
        let call = Call { arguments: &arguments.lint, deadline: None };
        let linted = pool.install(|| call.file(input));
        if !linted.report.remarks.is_empty() {
            complain(&linted.report.remarks);
        }
        exit = exit.max(linted.exit);
        let told = told(&linted, &file, line, answers);
        found |= !told.is_empty();
        out += &told;
    }
    if !found && exit == Exit::Fine {
        let message = format!("{}:{line}: there is nothing to check in this line", file.display());
        return complain(&[Remark::call(message, Some("`kleene lint FILE --format json` lists all places"))]);
    }
    let _ = io::stdout().lock().write_all(out.as_bytes());
    exit
}

/// `FILE:LINE`, or `FILE:LINE:COLUMN` as reports write it.
fn place(text: &str) -> Option<(PathBuf, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file.into(), line)),
        None => Some((rest.into(), last)),
    }
    .filter(|(_, line)| *line > 0)
}

/// The file by itself, or everything of the package around that may take it in.
fn of_place(file: &Path, arguments: &LintArguments, caller: Caller) -> (Vec<Input>, Vec<Remark>) {
    match caller {
        Caller::Kleene => inputs::of_files(&[file.to_path_buf()], arguments, caller),
        Caller::Cargo => inputs::of_files(&[], arguments, caller),
    }
}

fn told(linted: &Linted, file: &Path, line: u32, paint: Paint) -> String {
    let report = &linted.report;
    let mut here: Vec<&Entry> =
        report.entries.iter().filter(|entry| is_at(report, entry, file, line)).collect();
    here.sort_by_key(|entry| entry.span);
    here.iter().map(|entry| text::explained(report, entry, paint)).collect()
}

fn is_at(report: &FileReport, entry: &Entry, file: &Path, line: u32) -> bool {
    let Some(span) = entry.span else { return false };
    let own = Path::new(&report.source.of(span).name);
    let is_same = own == file
        || own.canonicalize().ok().is_some_and(|own| file.canonicalize().is_ok_and(|file| file == own));
    is_same && report.source.line_of(span) == line
}
