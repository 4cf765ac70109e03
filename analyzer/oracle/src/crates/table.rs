//! The table of all crates, for people and for machines.

use std::collections::BTreeMap;

use serde_json::{Value, json as value};

use super::{Figures, Measured, Share};

const MOST_CAUSES: usize = 10;

/// A line per crate, the sum, and what stands most often behind a Maybe.
pub fn text(all: &[Measured]) -> String {
    let mut out = heading();
    let mut sum = Figures::default();
    let (mut seconds, mut peak) = (0.0, 0);
    for measured in all {
        out += &line(measured);
        seconds += measured.spent.seconds;
        peak = peak.max(measured.spent.peak);
        add(&mut sum, &measured.figures);
    }
    out += &row("all", &sum, seconds, peak, "");
    for measured in all {
        let figures = &measured.figures;
        out += &most("open in", &measured.named.name, &figures.causes);
        for said in figures.panics.iter().chain(&figures.mistakes) {
            out += &format!("  ! {said}\n");
        }
    }
    out += &most("open in", "all", &sum.causes);
    out += &most("not seen into in", "all", &sum.opaque);
    out += "\nby lint\n";
    for (lint, share) in &sum.lints {
        out += &format!("{:8}  {:5.1} % decided  {lint}\n", share.sites(), share.decided());
    }
    out
}

pub fn heading() -> String {
    format!(
        "{:18}{:>7}{:>8}{:>8}{:>8}{:>10}{:>10}{:>9}{:>8}  {}\n",
        "crate", "sites", "True", "False", "Maybe", "decided", "safe", "seconds", "MB", "end"
    )
}

/// The line of one crate.
pub fn line(measured: &Measured) -> String {
    let Measured { named, spent, figures } = measured;
    let end = match figures.panics.is_empty() {
        true => spent.end.name(),
        false => "PANIC".into(),
    };
    row(&named.name, figures, spent.seconds, spent.peak, &end)
}

fn row(name: &str, figures: &Figures, seconds: f64, peak: u64, end: &str) -> String {
    let Share { holds, fails, open } = figures.all;
    let of = |part: usize| figures.all.percent(part);
    format!(
        "{name:18}{:7}{:7.1}%{:7.1}%{:7.1}%{:9.1}%{:9.1}%{seconds:9.1}{:8}  {end}\n",
        figures.all.sites(),
        of(holds),
        of(fails),
        of(open),
        figures.all.decided(),
        figures.safe.decided(),
        peak >> 10,
    )
}

fn most(what: &str, name: &str, counts: &BTreeMap<String, usize>) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{what} {name}\n");
    for (cause, count) in sorted(counts).into_iter().take(MOST_CAUSES) {
        out += &format!("{count:8}  {cause}\n");
    }
    out
}

fn sorted(counts: &BTreeMap<String, usize>) -> Vec<(&String, usize)> {
    let mut list: Vec<(&String, usize)> = counts.iter().map(|(cause, count)| (cause, *count)).collect();
    list.sort_by_key(|(cause, count)| (std::cmp::Reverse(*count), *cause));
    list
}

fn add(sum: &mut Figures, figures: &Figures) {
    sum.all.add(figures.all);
    sum.safe.add(figures.safe);
    for (lint, share) in &figures.lints {
        sum.lints.entry(lint.clone()).or_default().add(*share);
    }
    for (cause, count) in &figures.causes {
        *sum.causes.entry(cause.clone()).or_default() += count;
    }
    for (what, count) in &figures.opaque {
        *sum.opaque.entry(what.clone()).or_default() += count;
    }
}

/// One object per crate, everything counted.
pub fn json(all: &[Measured]) -> String {
    let list: Vec<Value> = all.iter().map(one).collect();
    format!("{:#}\n", Value::Array(list))
}

fn one(measured: &Measured) -> Value {
    let Measured { named, spent, figures } = measured;
    let share = |share: &Share| value!({ "true": share.holds, "false": share.fails, "maybe": share.open });
    let lints: BTreeMap<&String, Value> =
        figures.lints.iter().map(|(lint, counted)| (lint, share(counted))).collect();
    let counts = |counts: &BTreeMap<String, usize>| -> Value {
        sorted(counts).into_iter().map(|(what, count)| value!({ "what": what, "count": count })).collect()
    };
    value!({
        "crate": named.name,
        "version": named.version,
        "sites": share(&figures.all),
        "without_unsafe": share(&figures.safe),
        "seconds": spent.seconds,
        "peak_kilobytes": spent.peak,
        "end": spent.end.name(),
        "lints": lints,
        "causes": counts(&figures.causes),
        "opaque": counts(&figures.opaque),
        "mistakes": figures.mistakes,
        "panics": figures.panics,
    })
}
