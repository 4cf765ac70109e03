//! `kleene why FILE:LINE`: every check of one line, with all that stands behind its answer.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Parser;

use super::super::arguments::{Colour, LintArguments, WhyArguments};
use super::super::cache::Identity;
use super::super::check::{STACK, paint};
use super::super::{Caller, Exit};
use super::inputs::Input;
use super::{Call, inputs};
use crate::report::paint::Paint;
use crate::report::{Entry, FileReport, Remark, snippet, text};

pub fn why(arguments: &WhyArguments, caller: Caller) -> Exit {
    let Some((file, line)) = place(&arguments.place) else {
        let message = format!("`{}` is no place", arguments.place);
        return complain(&[Remark::call(message, Some("write FILE:LINE, for example src/lib.rs:12"))]);
    };
    if let Some(more) = arguments.lint.files.first() {
        let message = format!("one place at a time: `{}` is one too many", more.display());
        return complain(&[Remark::call(message, None)]);
    }
    let asked = Asked { file: &file, which: &|report, _, entry| is_at(report, entry, &file, line) };
    let nothing = format!("{}:{line}: there is nothing to check in this line", file.display());
    asked.answered(&arguments.lint, caller, &nothing)
}

/// `kleene explain FILE#NUMBER`: one result of `kleene lint FILE --format json`.
pub fn numbered(file: &Path, number: usize, caller: Caller) -> Exit {
    let Ok(arguments) = Alone::try_parse_from(["kleene"]) else { return Exit::Internal };
    let asked = Asked { file, which: &|report, at, _| at + 1 == number && Path::new(&report.name) == file };
    asked.answered(&arguments.lint, caller, &format!("{} has no result {number}", file.display()))
}

/// The options of `lint`, with none given.
#[derive(clap::Parser)]
struct Alone {
    #[command(flatten)]
    lint: LintArguments,
}

struct Asked<'q> {
    file: &'q Path,
    /// Of a report and the place of an entry in it.
    which: &'q dyn Fn(&FileReport, usize, &Entry) -> bool,
}

impl Asked<'_> {
    fn answered(&self, arguments: &LintArguments, caller: Caller, nothing: &str) -> Exit {
        let (inputs, remarks) = of_place(self.file, arguments, caller);
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
        let paint = paint(arguments.color, io::stdout().is_terminal());
        let (mut out, mut exit) = (String::new(), Exit::Fine);
        let call =
            Call { arguments, deadline: None, identity: Identity::default(), share: None, changes: None };
        for input in &inputs {
            let linted = pool.install(|| call.file(input));
            if !linted.report.remarks.is_empty() {
                complain(&linted.report.remarks);
            }
            exit = exit.max(linted.exit);
            out += &self.told(&linted.report, paint);
        }
        if out.is_empty() && exit == Exit::Fine {
            return complain(&[Remark::call(
                nothing,
                Some("`kleene lint FILE --format json` lists all places"),
            )]);
        }
        let _ = io::stdout().lock().write_all(out.as_bytes());
        exit
    }

    fn told(&self, report: &FileReport, paint: Paint) -> String {
        let own = report.entries.iter().enumerate().filter(|(at, entry)| (self.which)(report, *at, entry));
        let mut own: Vec<&Entry> = own.map(|(_, entry)| entry).collect();
        own.sort_by_key(|entry| entry.span);
        own.iter().map(|entry| text::explained(report, entry, paint)).collect()
    }
}

fn complain(remarks: &[Remark]) -> Exit {
    let mistakes = paint(Colour::Auto, io::stderr().is_terminal());
    let text: String = remarks.iter().map(|remark| snippet::remark(remark, mistakes)).collect();
    let _ = io::stderr().lock().write_all(text.as_bytes());
    Exit::Misuse
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

fn is_at(report: &FileReport, entry: &Entry, file: &Path, line: u32) -> bool {
    let Some(span) = entry.span else { return false };
    let own = Path::new(&report.source.of(span).name);
    let is_same = own == file
        || own.canonicalize().ok().is_some_and(|own| file.canonicalize().is_ok_and(|file| file == own));
    is_same && report.source.line_of(span) == line
}
