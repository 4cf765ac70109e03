//! `// kleene: allow(LINT, …) reason`, on the line it is about or above the line, statement or function.

use super::{Origin, Permit, Suppression, Suppressions};
use crate::ir::{Function, Program};
use crate::lints::Selector;
use crate::outline::Outline;
use crate::source::spelling::closest;
use crate::source::{Diagnostic, SourceFile, Span};

const KEYWORDS: [&str; 2] = ["allow", "assume"];

/// Whether a text may have such comments.
pub fn may_be_in(text: &str) -> bool {
    text.contains("kleene:")
}

pub fn read(file: &SourceFile, outline: &Outline, program: &Program, found: &mut Suppressions) {
    for line in 1..=file.line_count() {
        let Some((column, said)) = comment(file.line_text(line)) else { continue };
        let start = file.line_start(line as usize - 1).unwrap_or(0) as usize + column;
        let at = Span::new(file.id, start, start + file.line_text(line)[column..].trim_end().len());
        match permits(said, at) {
            Ok(None) => {}
            Ok(Some((permits, reason))) => {
                let covers = covered(file, line, column, outline, program);
                found.list.push(Suppression { at, covers, permits, reason, origin: Origin::Comment });
            }
            Err(mistake) => found.mistakes.push(mistake),
        }
    }
}

/// Where the comment begins in its line, and what stands behind `kleene:`.
fn comment(line: &str) -> Option<(usize, &str)> {
    let at = line.find("// kleene:").or_else(|| line.find("//kleene:"))?;
    // Not in a text that speaks of such comments, nor in documentation.
    let is_text = line[..at].matches('"').count() % 2 == 1 || line[..at].ends_with('/');
    let said = line[at..].split_once("kleene:")?.1.trim();
    (!is_text && !line[..at].contains("//")).then_some((at, said))
}

type Permits = Option<(Vec<Permit>, String)>;

/// The lints and the reason; nothing if it is a comment of another kind.
fn permits(said: &str, at: Span) -> Result<Permits, Diagnostic> {
    let word = said.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    if word == "assume" {
        return Ok(None);
    }
    let form = "write `// kleene: allow(LINT) reason`";
    if word != "allow" {
        let help = closest(word, KEYWORDS).map(|near| format!("did you mean `{near}`?"));
        return Err(Diagnostic::error(at, format!("`kleene: {word}` is not known"))
            .with_help(help.unwrap_or(form.into())));
    }
    let inside = said[word.len()..].trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let Some((names, reason)) = inside else {
        return Err(Diagnostic::error(at, "the lints stand in parentheses").with_help(form));
    };
    let mut permits = Vec::new();
    for name in names.split(',').map(str::trim) {
        let Some(selector) = Selector::from_name(name) else {
            let near = closest(name, Selector::names()).map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| "`kleene lint --list` names them".into());
            return Err(Diagnostic::error(at, format!("there is no lint `{name}`")).with_help(help));
        };
        let lints = selector.lints().iter();
        permits.extend(lints.map(|lint| Permit { name: name.to_string(), lint: *lint, beginning: "" }));
    }
    let reason = reason.trim().trim_start_matches([':', '-', '–', '—']).trim();
    match reason.is_empty() {
        true => Err(Diagnostic::error(at, "a reason is missing behind `allow(…)`").with_help(form)),
        false => Ok(Some((permits, reason.to_string()))),
    }
}

/// The line of the comment, if code stands before it; or else what begins in the next line of code: a function, a
/// statement without blocks, or that line.
fn covered(file: &SourceFile, line: u32, column: usize, outline: &Outline, program: &Program) -> Span {
    let start = |line: u32| file.line_start(line as usize - 1).unwrap_or(file.text.len() as u32);
    let end = |line: u32| start(line) + file.line_text(line).len() as u32;
    let own = Span { file: file.id, start: start(line), end: end(line) };
    if !file.line_text(line)[..column].trim().is_empty() {
        return own;
    }
    let is_code = |line: &u32| {
        let text = file.line_text(*line).trim();
        !(text.is_empty() || text.starts_with("//") || text.starts_with("#["))
    };
    let Some(next) = (line + 1..=file.line_count()).find(is_code) else { return own };
    let between = Span { start: own.end, end: end(next), ..own };
    let begins = |function: &&Function| {
        function.span.file == between.file && (between.start..between.end).contains(&function.span.start)
    };
    let function = program.functions.iter().find(begins).map(extent);
    let whole = outline.beginning_in(between).or(function);
    whole.unwrap_or(Span { start: start(next), end: end(next), ..own })
}

/// From the name to the last step.
fn extent(function: &Function) -> Span {
    let steps = function.graph.node_weights().map(|location| location.span);
    steps.filter(|span| span.file == function.span.file).fold(function.span, Span::to)
}
