//! The comparison, for people and for machines.

use serde_json::{Value, json as value};

use super::{Compared, Comparison, PANIC_LINTS, Time, Times};

pub fn heading() -> String {
    format!(
        "{:18}{:>7}{:>7}{:>9}{:>7}{:>7}{:>8}{:>15}{:>15}{:>15}{:>15}{:>7}{:>7}{:>6}\n",
        "crate",
        "lines",
        "sites",
        "decided",
        "shown",
        "/1000",
        "clippy",
        "check clean",
        "check alone",
        "abstract",
        "default",
        "ratio",
        "ratio",
        "MB"
    )
}

/// The line of one crate.
pub fn line(compared: &Compared) -> String {
    let name = &compared.named.name;
    match &compared.result {
        Ok(result) if result.is_sound() => row(name, result),
        Ok(result) => format!("{} {}\n", row(name, result).trim_end(), result.end.name()),
        Err(said) => format!("{name:18}is not built here: {said}\n"),
    }
}

/// The ratios are those of processor time to `check clean`: of `abstract`, then of the default level.
fn row(name: &str, result: &Comparison) -> String {
    let Times { clean, alone, cheap, usual } = result.times;
    let both = |time: Time| format!("{:.2} / {:.2}", time.processor, time.wall);
    format!(
        "{name:18}{:7}{:7}{:8.1}%{:7}{:7.1}{:8.1}{:>15}{:>15}{:>15}{:>15}{:7.2}{:7.2}{:6}\n",
        result.lines,
        result.figures.all.sites(),
        result.figures.all.decided(),
        result.warned(),
        result.per_thousand(result.warned()),
        result.per_thousand(result.clippy),
        both(clean),
        both(alone),
        both(cheap),
        both(usual),
        cheap.processor / clean.processor,
        usual.processor / clean.processor,
        result.peak >> 10,
    )
}

/// A line per crate, the sum, and how many crates are within what is aimed at.
pub fn text(all: &[Compared]) -> String {
    let mut out = heading();
    all.iter().for_each(|compared| out += &line(compared));
    let results: Vec<&Comparison> = all.iter().filter_map(|compared| compared.result.as_ref().ok()).collect();
    let sum = |of: &dyn Fn(&Comparison) -> f64| results.iter().map(|result| of(result)).sum::<f64>();
    let lines = sum(&|result| result.lines as f64);
    let per_thousand = |count: f64| 1000.0 * count / lines.max(1.0);
    out += &format!(
        "\n{} crates, {lines} lines: {:.1} shown and {:.1} by Clippy on 1,000 lines\n",
        results.len(),
        per_thousand(sum(&|result| result.warned() as f64)),
        per_thousand(sum(&|result| result.clippy as f64)),
    );
    for (what, of) in MEASURES {
        let total = |time: fn(&Times) -> Time| sum(&|result| of(time(&result.times)));
        out += &format!(
            "{what}: check clean {:.1}, check alone {:.1}, abstract {:.1}, default {:.1} seconds in all",
            total(|it| it.clean),
            total(|it| it.alone),
            total(|it| it.cheap),
            total(|it| it.usual),
        );
        let within = |one: fn(&Times) -> Time, other: fn(&Times) -> Time| {
            results.iter().filter(|it| of(one(&it.times)) <= of(other(&it.times))).count()
        };
        out += &format!(
            "; no slower than check clean: abstract {}, default {}; than check alone: {}, {}\n",
            within(|it| it.cheap, |it| it.clean),
            within(|it| it.usual, |it| it.clean),
            within(|it| it.cheap, |it| it.alone),
            within(|it| it.usual, |it| it.alone),
        );
        for (level, time, limit) in LEVELS {
            let ratio = |times: &Times| of(time(times)) / of(times.clean);
            out += &format!("{what}: {}\n", slower(all, level, limit, &ratio));
        }
    }
    out
}

/// A level with what it may take, in times of `check clean`.
type Limit = (&'static str, fn(&Times) -> Time, f64);

const LEVELS: [Limit; 2] = [("abstract", |times| times.cheap, 1.0), ("default", |times| times.usual, 3.0)];

/// The crates on which a level takes longer than it may, the worst first.
fn slower(all: &[Compared], level: &str, limit: f64, ratio: &dyn Fn(&Times) -> f64) -> String {
    let ratios = all.iter().filter_map(|compared| {
        let times = &compared.result.as_ref().ok()?.times;
        Some((compared.named.name.as_str(), ratio(times)))
    });
    let mut over: Vec<(&str, f64)> = ratios.filter(|(_, ratio)| *ratio > limit).collect();
    over.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let names: Vec<String> = over.iter().map(|(name, ratio)| format!("{name} ({ratio:.1})")).collect();
    match names.is_empty() {
        true => format!("{level} is within {limit} times check clean everywhere"),
        false => format!(
            "{level} takes more than {limit} times check clean on {}: {}",
            over.len(),
            names.join(", ")
        ),
    }
}

/// What is printed of a time, with its heading.
type Measure = (&'static str, fn(Time) -> f64);

const MEASURES: [Measure; 2] = [("processors", |time| time.processor), ("clock", |time| time.wall)];

/// One object per crate.
pub fn json(all: &[Compared]) -> String {
    let list: Vec<Value> = all.iter().map(one).collect();
    format!("{:#}\n", Value::Array(list))
}

fn one(compared: &Compared) -> Value {
    let mut object = value!({
        "crate": compared.named.name,
        "version": compared.named.version,
        "features": compared.features,
    });
    match &compared.result {
        Err(said) => object["not_built"] = said.as_str().into(),
        Ok(result) => {
            let share = result.figures.all;
            object["lines"] = result.lines.into();
            object["sites"] = value!({ "true": share.holds, "false": share.fails, "maybe": share.open });
            object["shown"] = value!(result.figures.warned);
            object["clippy"] = value!({ "lints": PANIC_LINTS, "places": result.clippy });
            let Times { clean, alone, cheap, usual } = result.times;
            for (name, time) in
                [("check_clean", clean), ("check_alone", alone), ("abstract", cheap), ("default", usual)]
            {
                object["seconds"][name] = value!({ "processor": time.processor, "clock": time.wall });
            }
            object["peak_kilobytes"] = result.peak.into();
            object["end"] = result.end.name().into();
        }
    }
    object
}
