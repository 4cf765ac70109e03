//! A concrete run as a table: line, source text, what the step draws and changes.

use std::collections::BTreeMap;

use ariadne::Color;

use super::{WIDTH, indented};
use crate::evidence::{Run, RunStep};
use crate::pipeline::Verdict;
use crate::report::paint::{Paint, Tint, clipped};
use crate::report::snippet::{self, Caption};
use crate::source::SourceFile;

/// Steps shown at either end of a long run.
const SHOWN: usize = 12;
/// What was before is said of short values only.
const LONG: usize = 60;
/// Columns of the source text.
const SOURCE: usize = 34;

pub(super) fn table(run: &Run, source: &SourceFile, verdict: Verdict, paint: Paint) -> String {
    let mut out = String::new();
    if !run.start.shown.is_empty() {
        let values: Vec<String> =
            run.start.shown.iter().map(|shown| format!("{} = {}", shown.name, shown.value)).collect();
        out += &indented(&format!("starts with {}", values.join(", ")));
    }
    let rows = rows(run, source, paint);
    // A run of 2 × SHOWN steps and one more: leaving out one step saves no line.
    let left_out = if rows.len() > 2 * SHOWN + 1 { SHOWN..rows.len() - SHOWN } else { 0..0 };
    let mut previous = None;
    for (position, (step, row)) in run.steps.iter().zip(&rows).enumerate() {
        if left_out.contains(&position) {
            continue;
        }
        let expected = previous.map_or(0, |index: usize| index + 1);
        if step.index > expected {
            out += &gap(run, expected..step.index, paint);
        }
        if run.cycle == Some(position) {
            out += &format!("       {}\n", paint.with(Tint::Cyan, "┌ from here on for ever:"));
        }
        let bar = if run.cycle.is_some_and(|cycle| cycle <= position) { "│" } else { " " };
        out += &format!("       {}{row}", paint.with(Tint::Cyan, bar)).trim_end().replace('\n', "\n        ");
        out.push('\n');
        previous = Some(step.index);
    }
    if let Some(first) = run.cycle.and_then(|cycle| run.steps.get(cycle)) {
        let back = format!("└ and again from line {}", source.line_named(first.span));
        out += &format!("       {}\n", paint.with(Tint::Cyan, &back));
    }
    out + &end(run, source, verdict, paint)
}

fn gap(run: &Run, steps: std::ops::Range<usize>, paint: Paint) -> String {
    let count = super::counted(steps.len(), "step");
    let repeats =
        run.cycle.and_then(|cycle| run.steps.get(cycle)).filter(|first| steps.contains(&first.index));
    let repeats =
        repeats.map_or(String::new(), |first| format!("; for ever from step {} on", first.index + 1));
    let text = format!("… {count} left out{repeats} …");
    format!("             {}\n", paint.with(Tint::Dim, &text))
}

/// One row per step, without its margin. Old values are known as far as every step between is.
fn rows(run: &Run, source: &SourceFile, paint: Paint) -> Vec<String> {
    let mut values: BTreeMap<&str, &str> =
        run.start.shown.iter().map(|shown| (shown.name.as_str(), shown.value.as_str())).collect();
    let mut expected = 0;
    let mut rows = Vec::new();
    for step in &run.steps {
        if step.index != expected {
            values.clear();
        }
        expected = step.index + 1;
        rows.push(row(step, source, &values, paint));
        values.extend(step.shown.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    }
    rows
}

fn row(step: &RunStep, source: &SourceFile, values: &BTreeMap<&str, &str>, paint: Paint) -> String {
    let line = source.line_of(step.span);
    let file = source.of(step.span);
    let name = if source.is_own(step.span) { String::new() } else { format!("{}: ", base_name(&file.name)) };
    let text = clipped(&format!("{name}{}", file.line_text(line).trim()), SOURCE);
    let padding = " ".repeat(SOURCE - text.chars().count());
    let inputs = step.inputs.iter().map(|(name, value)| format!("{name} ← {value}"));
    // What was drawn need not be said twice.
    let drawn: Vec<(&str, String)> =
        step.inputs.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
    let others = step.shown.iter().filter(|(name, value)| !drawn.contains(&(name.as_str(), value.clone())));
    let changes = others.map(|(name, value)| match values.get(name.as_str()) {
        Some(old) if old != value && old.len() + value.len() < LONG => format!("{name} = {old} → {value}"),
        _ => format!("{name} = {value}"),
    });
    let effects: Vec<String> = inputs.chain(changes).chain(step.outcome.clone()).collect();
    let margin = format!("{line:>5} ");
    let width = WIDTH - 8 - margin.len() - SOURCE - 2;
    let indent = " ".repeat(margin.len() + SOURCE + 2);
    let effects = joined(&effects, width).join(&format!("\n{indent}"));
    format!("{}{text}{padding}  {effects}", paint.with(Tint::Dim, &margin))
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Pieces with commas between, broken into lines between pieces.
fn joined(pieces: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (index, piece) in pieces.iter().enumerate() {
        let comma = if index + 1 < pieces.len() { "," } else { "" };
        let line = lines.last_mut().expect("at least one line");
        let length = line.chars().count();
        if length > 0 && length + 1 + piece.chars().count() + comma.len() > width {
            lines.push(format!("{piece}{comma}"));
            continue;
        }
        if length > 0 {
            line.push(' ');
        }
        line.push_str(piece);
        line.push_str(comma);
    }
    lines
}

/// Where the run ends, drawn; a run without steps has only its first state.
fn end(run: &Run, source: &SourceFile, verdict: Verdict, paint: Paint) -> String {
    let color = if verdict == Verdict::True { Color::Green } else { Color::Red };
    match run.steps.last() {
        Some(last) => {
            let label = match run.conclusion.as_str() {
                "" => "the run ends here".to_string(),
                conclusion => conclusion.into(),
            };
            let caption = Caption { label, notes: Vec::new() };
            snippet::place(source, last.span, &caption, color, paint)
        }
        None if run.conclusion.is_empty() => String::new(),
        None => indented(&run.conclusion),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Shown, Start};
    use crate::ir::StepKind;
    use crate::source::{FileId, Span};
    use kleene_domains::Int;

    const TEXT: &str = "int x = 0;\nwhile (x < n)\n  x = x + 1;\n";

    fn step(index: usize, start: usize, changes: &[(&str, i64)]) -> RunStep {
        RunStep {
            index,
            span: Span::new(FileId(0), start, start + 3),
            what: StepKind::Assignment,
            inputs: Vec::new(),
            changes: changes.iter().map(|(name, value)| (name.to_string(), Int::from(*value))).collect(),
            shown: changes.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            outcome: None,
        }
    }

    fn shown(steps: Vec<RunStep>, cycle: Option<usize>) -> String {
        let length = steps.len();
        let initial = [("n".to_string(), Int::from(9))].into();
        let shown = [Shown { name: "n".into(), value: "9".into(), argument: true }].into();
        let conclusion = "x is 2".into();
        let start = Start { initial, shown };
        let run = Run { start, steps, cycle, length, conclusion, calls: Vec::new() };
        let source = SourceFile::new(FileId(0), "a.cm", TEXT);
        table(&run, &source, Verdict::False, Paint::Plain)
    }

    #[test]
    fn values_show_what_they_were() {
        let text =
            shown(vec![step(0, 0, &[("x", 0)]), step(1, 27, &[("x", 1)]), step(2, 27, &[("x", 2)])], None);
        let table = "       starts with n = 9
            1 int x = 0;                          x = 0
            3 x = x + 1;                          x = 0 → 1
            3 x = x + 1;                          x = 1 → 2
";
        assert!(text.starts_with(table), "{text}");
        assert!(text.contains("a.cm:3:3") && text.contains("x is 2"), "{text}");
    }

    #[test]
    fn a_cycle_is_marked() {
        let text = shown(vec![step(0, 0, &[("x", 0)]), step(1, 11, &[]), step(2, 27, &[("x", 1)])], Some(1));
        let table = "       starts with n = 9
            1 int x = 0;                          x = 0
       ┌ from here on for ever:
       │    2 while (x < n)
       │    3 x = x + 1;                          x = 0 → 1
       └ and again from line 2
";
        assert!(text.starts_with(table), "{text}");
    }

    #[test]
    fn a_long_run_loses_its_middle() {
        let steps = (0..100).map(|index| step(index, 27, &[("x", index as i64)])).collect();
        let text = shown(steps, Some(50));
        assert!(text.contains("… 76 steps left out; for ever from step 51 on …"), "{text}");
        assert!(text.contains("x = 10 → 11\n"), "{text}");
        assert!(!text.contains("→ 12\n"), "{text}");
        assert!(text.contains("│    3 x = x + 1;                          x = 87 → 88\n"), "{text}");
    }

    #[test]
    fn steps_the_run_itself_leaves_out_are_counted() {
        let text = shown(vec![step(0, 0, &[("x", 0)]), step(40, 27, &[("x", 7)])], None);
        assert!(text.contains("… 39 steps left out …"), "{text}");
        assert!(text.contains("x = 7\n"), "{text}");
    }
}
