//! Tests that show failures of Rust functions: each calls the entry with the values of the run and expects the panic.
//!
//! Only what plain arguments show can be written: a run that draws inputs of its own, or an entry whose parameters are
//! no integers and booleans, is left out.

use std::fmt::Write;
use std::path::Path;

use kleene_domains::Int;

use crate::evidence::Evidence;
use crate::ir::{Function, Program, Type};
use crate::lints::{Finding, Lint};
use crate::pipeline::Verdict;
use crate::source::SourceFile;

/// The text of a test file for the failures of one source file; `None` if there is none to show.
pub fn rust_tests(
    path: &Path,
    source: &SourceFile,
    program: &Program,
    findings: &[Finding],
) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let mut text = format!(
        "// Written by `kleene lint --emit-tests`: each test panics where its name says.\n\
         #![allow(warnings)]\n\ninclude!({:?});\n",
        path.display().to_string()
    );
    let mut written = 0;
    for finding in findings.iter().filter(|finding| finding.verdict == Verdict::False) {
        let Some(call) = call(program, finding) else { continue };
        let (line, column) = source.place(finding.span);
        let _ = write!(
            text,
            "\n#[test]\n#[should_panic]\nfn kleene_{}_at_{line}_{column}() {{\n    let _ = {call};\n}}\n",
            finding.lint.name()
        );
        written += 1;
    }
    (written > 0).then_some(text)
}

/// The call whose run is the evidence, if it is one that panics.
fn call(program: &Program, finding: &Finding) -> Option<String> {
    let panics = !matches!(
        finding.lint,
        Lint::ConstantCondition
            | Lint::UnreachableCode
            | Lint::NonTermination
            | Lint::LossyCast
            | Lint::UninitialisedRead
    );
    let Evidence::Run(run) = &finding.evidence else { return None };
    if !panics || run.steps.iter().any(|step| !step.inputs.is_empty()) {
        return None;
    }
    let entry = finding.entry.as_ref()?;
    let function = program.function(program.function_named(entry)?);
    let arguments: Option<Vec<String>> = parameters(function)
        .map(|(name, ty)| {
            let (_, value) = run.initial.iter().find(|(known, _)| known == name)?;
            literal(ty, value)
        })
        .collect();
    Some(format!("{entry}({})", arguments?.join(", ")))
}

fn parameters(function: &Function) -> impl Iterator<Item = (&str, &Type)> {
    let parameters = function.locals.iter().take(function.parameters as usize);
    parameters.map(|parameter| (parameter.name.as_str(), &parameter.ty))
}

fn literal(ty: &Type, value: &Int) -> Option<String> {
    match ty {
        Type::Bool => Some((!value.is_zero()).to_string()),
        Type::Machine(_) => Some(value.to_string()),
        _ => None,
    }
}
