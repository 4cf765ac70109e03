//! Tests that show failures of Rust functions: each makes the calls of the run and expects the panic at its line.
//!
//! A test sees private items only from inside their module, so what is written is a copy of the source, the files of its
//! modules included, with a module of tests in each module that needs one. No line of the source moves. Runs that no
//! caller can repeat are named in a comment, with the reason.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};
use std::sync::Arc;

use syn::spanned::Spanned;
use syn::visit::Visit;

use crate::evidence::{Called, Evidence};
use crate::frontend::rust::replay::{Argument, Callable, STD};
use crate::frontend::{Arithmetic, Lowered};
use crate::lints::{Finding, Lint};
use crate::pipeline::Verdict;
use crate::source::{FileId, SourceFile};

/// A file to write, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub name: String,
    pub text: String,
}

/// The files that show the failures of one source file, the one to compile first; none if there is nothing to show.
pub fn rust_tests(
    stem: &str,
    source: &SourceFile,
    lowered: &Lowered,
    findings: &[Finding],
    arithmetic: Arithmetic,
) -> Vec<Written> {
    let copies = copies(stem, source);
    let mut tests: BTreeMap<Module<'_>, Vec<String>> = BTreeMap::new();
    let mut left_out = Vec::new();
    let mut macros = Macros::of(&copies);
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.verdict == Verdict::False && panics(finding.lint))
    {
        let (line, column) = source.place(finding.span);
        // `a + b + c` is two sites that begin at the same place.
        let plain = format!("{}_at_{line}_{column}", finding.lint.name());
        let again = names.entry(plain.clone()).or_insert(0);
        *again += 1;
        let name = if *again == 1 { plain } else { format!("{plain}_{again}") };
        let written = copies.iter().find(|copy| copy.file.id == source.of(finding.span).id);
        match written.ok_or("it fails in a file elsewhere".to_string()).and_then(|copy| {
            let (callable, statements) = statements(lowered, &copies, finding)?;
            macros.called(source.snippet(finding.span), &copy.name, line);
            Ok((callable, test(&name, &copy.name, line, &statements)))
        }) {
            Ok((callable, test)) => {
                let module = Module { file: callable.file, path: &callable.module, end: callable.module_end };
                tests.entry(module).or_default().push(test);
            }
            Err(reason) => left_out.push(format!("{name}: {reason}")),
        }
    }
    left_out.extend(endless(source, &copies, lowered, findings));
    if tests.is_empty() && left_out.is_empty() {
        return Vec::new();
    }
    let footer = footer(stem, arithmetic, &macros);
    files(stem, &copies, &tests, &left_out, &footer)
}

/// A file that is written again, by the name of the copy.
struct Copied<'s> {
    file: &'s SourceFile,
    name: String,
}

/// The source first, then the files of its modules, where the copy looks for them.
fn copies<'s>(stem: &str, source: &'s SourceFile) -> Vec<Copied<'s>> {
    let folder = Path::new(&source.name).parent().unwrap_or(Path::new(""));
    let module = |module: &'s Arc<SourceFile>| {
        let name = Path::new(&module.name).strip_prefix(folder).ok()?;
        let below = name.components().all(|part| matches!(part, Component::Normal(_)));
        below.then(|| Copied { file: module.as_ref(), name: name.display().to_string() })
    };
    let root = Copied { file: source, name: format!("{stem}.rs") };
    std::iter::once(root).chain(source.modules().iter().filter_map(module)).collect()
}

/// Where tests stand: the file, the module, and the end of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Module<'m> {
    file: FileId,
    path: &'m [String],
    end: Option<usize>,
}

fn panics(lint: Lint) -> bool {
    !matches!(
        lint,
        Lint::ConstantCondition
            | Lint::UnreachableCode
            | Lint::NonTermination
            | Lint::LossyCast
            | Lint::UninitialisedRead
    )
}

/// The calls of the run as statements, and the function that is called last.
fn statements<'l>(
    lowered: &'l Lowered,
    copies: &[Copied<'_>],
    finding: &Finding,
) -> Result<(&'l Callable, Vec<String>), String> {
    let (callable, statements) = calls(lowered, finding)?;
    if !copies.iter().any(|copy| copy.file.id == callable.file) {
        return Err("it stands in a file elsewhere".into());
    }
    Ok((callable, statements))
}

/// The same, wherever the functions stand.
pub fn calls<'l>(lowered: &'l Lowered, finding: &Finding) -> Result<(&'l Callable, Vec<String>), String> {
    let Evidence::Run(run) = &finding.evidence else { return Err("its evidence is no run".into()) };
    let mut script = Script { lowered, objects: Vec::new(), made: 0, held: 0, statements: Vec::new() };
    let (last, before) = run.calls.split_last().ok_or("the run draws values that are no arguments")?;
    for call in before {
        script.earlier(call)?;
    }
    Ok((script.last(last)?, script.statements))
}

/// Calls written one after the other; values that were made and not yet used wait in order, and a call takes the last.
struct Script<'l> {
    lowered: &'l Lowered,
    objects: Vec<String>,
    made: usize,
    held: usize,
    statements: Vec<String>,
}

impl<'l> Script<'l> {
    fn callable(&self, call: &Called) -> Result<(&'l Callable, Vec<Argument>), String> {
        let name = || self.lowered.program.function(call.function).name.clone();
        let callable = self.lowered.callables.get(&call.function);
        let callable = callable.ok_or_else(|| format!("a call of `{}` cannot be written down", name()))?;
        let arguments = callable.arguments(&call.arguments);
        Ok((
            callable,
            arguments.ok_or_else(|| format!("an argument of `{}` cannot be written down", name()))?,
        ))
    }

    /// A call that makes a value or changes the one made last.
    fn earlier(&mut self, call: &Called) -> Result<(), String> {
        let (callable, arguments) = self.callable(call)?;
        let lends = arguments.contains(&Argument::Made("&mut "));
        let arguments = self.held(arguments);
        let taken = self.taken(&arguments)?;
        let written = written(callable, &arguments, &self.objects[taken..]);
        if lends && callable.purpose.result && callable.purpose.change {
            return Err(format!("what `{}` is called for is not known", callable.path));
        }
        if lends && !callable.purpose.result {
            self.statements.push(format!("let _ = {written};"));
            return Ok(());
        }
        self.objects.truncate(taken);
        self.made += 1;
        self.statements.push(format!("let mut made{} = {written}{};", self.made, callable.unwrap));
        self.objects.push(format!("made{}", self.made));
        Ok(())
    }

    /// What is borrowed stays as long as the value that may keep the borrow.
    fn held(&mut self, arguments: Vec<Argument>) -> Vec<Argument> {
        let mut hold = |argument: Argument| match argument {
            Argument::Text(text) if text.contains('&') => {
                self.held += 1;
                self.statements.push(format!("let held{} = {text};", self.held));
                Argument::Text(format!("held{}", self.held))
            }
            other => other,
        };
        arguments.into_iter().map(&mut hold).collect()
    }

    /// Where the values begin that a call takes; others wait for calls to come.
    fn taken(&self, arguments: &[Argument]) -> Result<usize, String> {
        let count = arguments.iter().filter(|argument| matches!(argument, Argument::Made(_))).count();
        let missing = || "a value that calls must make is missing".to_string();
        self.objects.len().checked_sub(count).ok_or_else(missing)
    }

    fn last(&mut self, call: &Called) -> Result<&'l Callable, String> {
        let (callable, arguments) = self.callable(call)?;
        let objects = &self.objects[self.taken(&arguments)?..];
        self.statements.push(format!("let _ = {};", written(callable, &arguments, objects)));
        Ok(callable)
    }
}

/// A call with as many objects as it takes.
fn written(callable: &Callable, arguments: &[Argument], objects: &[String]) -> String {
    let mut objects = objects.iter();
    let texts = arguments.iter().map(|argument| match argument {
        Argument::Text(text) => text.clone(),
        Argument::Made(sign) => format!("{sign}{}", objects.next().map_or("", String::as_str)),
    });
    let texts: Vec<String> = texts.collect();
    // Nobody calls the end of a value.
    if let (true, [only]) = (callable.path.ends_with("ops::Drop>::drop"), texts.as_slice()) {
        return format!("{STD}::mem::drop({})", only.strip_prefix("&mut ").unwrap_or(only));
    }
    let call = format!("{}({})", callable.path, texts.join(", "));
    if callable.is_unsafe { format!("unsafe {{ {call} }}") } else { call }
}

fn test(name: &str, file: &str, line: u32, statements: &[String]) -> String {
    let mut text = format!(
        "    #[test]\n    fn {name}() {{\n        crate::kleene_replay::panics_at({file:?}, {line}, || {{\n"
    );
    for statement in statements {
        let _ = writeln!(text, "            {statement}");
    }
    text + "        });\n    }\n"
}

/// A run that never ends is no test: the call is named, nobody makes it.
fn endless(
    source: &SourceFile,
    copies: &[Copied<'_>],
    lowered: &Lowered,
    findings: &[Finding],
) -> Vec<String> {
    let endless = findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::False && finding.lint == Lint::NonTermination);
    let said = endless.map(|finding| {
        let (line, column) = source.place(finding.span);
        let calls = match statements(lowered, copies, finding) {
            Ok((_, statements)) => statements.join(" "),
            Err(reason) => reason,
        };
        format!("non_termination_at_{line}_{column}: would not end: {calls}")
    });
    said.collect()
}

fn files(
    stem: &str,
    copies: &[Copied<'_>],
    tests: &BTreeMap<Module<'_>, Vec<String>>,
    left_out: &[String],
    footer: &str,
) -> Vec<Written> {
    let mut all = Vec::new();
    for (index, copied) in copies.iter().enumerate() {
        let (mut text, included) = with_tests(stem, copied, tests);
        if index == 0 {
            if !text.starts_with("#!/") {
                text.insert_str(0, "#![allow(warnings, unconditional_panic, arithmetic_overflow)] ");
            }
            text.push_str(footer);
            for reason in left_out {
                let _ = writeln!(text, "// Left out: {reason}");
            }
        }
        let is_own = |module: &Module<'_>| module.file == copied.file.id && module.end.is_none();
        let own = tests.iter().filter(|(module, _)| is_own(module)).flat_map(|(_, tests)| tests);
        let own: Vec<String> = own.cloned().collect();
        if !own.is_empty() {
            let tests = own.join("\n");
            let _ = write!(text, "\n#[cfg(test)]\nmod kleene_tests {{\n    use super::*;\n\n{tests}}}\n");
        }
        all.push(Written { name: copied.name.clone(), text });
        all.extend(included);
    }
    all
}

/// The text of a file with tests in the modules that stand in it, and what they include.
fn with_tests(
    stem: &str,
    copied: &Copied<'_>,
    tests: &BTreeMap<Module<'_>, Vec<String>>,
) -> (String, Vec<Written>) {
    let all = &copied.file.text;
    let text = all.strip_prefix('\u{feff}').unwrap_or(all);
    let skipped = all.len() - text.len();
    let mut copy = text.to_string();
    let mut inner: Vec<(&Module<'_>, usize)> = tests
        .keys()
        .filter(|module| module.file == copied.file.id)
        .filter_map(|module| Some((module, module.end?)))
        .collect();
    // From the end, so that places before stay where they are.
    inner.sort_unstable_by_key(|(_, end)| std::cmp::Reverse(*end));
    let mut included = Vec::new();
    for (module, end) in inner {
        let name = format!("{stem}_{}.rs", module.path.join("_"));
        copy.insert_str(end - skipped, &format!(" #[cfg(test)] mod kleene_tests {{ include!({name:?}); }} "));
        let text = format!("use super::*;\n\n{}", tests[module].join("\n"));
        included.push(Written { name: beside(&copied.name, &name), text });
    }
    included.reverse();
    (copy, included)
}

/// A name in the folder of another.
fn beside(file: &str, name: &str) -> String {
    Path::new(file).with_file_name(name).display().to_string()
}

/// Where macros stand, and which of them are called where a panic is expected.
struct Macros {
    /// By name: the file, the first and the last line, of each that has it.
    lines: BTreeMap<String, Vec<(String, usize, usize)>>,
    /// Rows of the table that tests look into.
    rows: Vec<String>,
}

impl Macros {
    fn of(copies: &[Copied<'_>]) -> Self {
        let mut macros = Self { lines: BTreeMap::new(), rows: Vec::new() };
        for copied in copies.iter().filter(|copied| copied.file.text.contains("macro_rules!")) {
            let Ok(parsed) = syn::parse_file(&copied.file.text) else { continue };
            let mut found = Definitions::default();
            found.visit_file(&parsed);
            for (name, (first, last)) in found.0 {
                macros.lines.entry(name).or_default().push((copied.name.clone(), first, last));
            }
        }
        macros
    }

    fn called(&mut self, text: &str, file: &str, line: u32) {
        let name = text.split_once('!').and_then(|(path, _)| path.rsplit("::").next());
        let all = name.and_then(|name| self.lines.get(name.trim())).map_or(&[][..], Vec::as_slice);
        // Those of the file go before those of others.
        let is_near = all.iter().any(|(of, ..)| of == file);
        for (of, first, last) in all.iter().filter(|(of, ..)| !is_near || of == file) {
            let row = format!("({file:?}, {line}, {of:?}, {first}, {last})");
            if !self.rows.contains(&row) {
                self.rows.push(row);
            }
        }
    }
}

#[derive(Default)]
struct Definitions(Vec<(String, (usize, usize))>);

impl<'s> Visit<'s> for Definitions {
    fn visit_item_macro(&mut self, item: &'s syn::ItemMacro) {
        if let Some(name) = &item.ident {
            let span = item.span();
            self.0.push((name.to_string(), (span.start().line, span.end().line)));
        }
    }
}

/// How to run the tests, and what all of them use.
fn footer(stem: &str, arithmetic: Arithmetic, macros: &Macros) -> String {
    let checks = match arithmetic {
        Arithmetic::Debug => "on",
        Arithmetic::Release => "off",
    };
    format!(
        "\n// Written by `kleene lint --emit-tests`: a copy of the source with tests, each of which panics at its line.\n\
         // rustc --edition 2024 --test -g -C overflow-checks={checks} -C debug-assertions={checks} {stem}.rs && ./{stem}\n{}",
        include_str!("tests/replay.rs.txt").replace("&[];", &format!("&[{}];", macros.rows.join(", ")))
    )
}
