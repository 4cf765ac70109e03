//! The comparison, for people and for machines.

use serde_json::{Value, json as value};

use super::{Compared, Comparison, Kept, PANIC_LINTS, Time, Times};

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
    out + &edited(all)
}

/// Where answers are kept: a line per crate, then what an edit takes in the mean.
fn edited(all: &[Compared]) -> String {
    let kept = |compared: &Compared| compared.result.as_ref().ok()?.kept.clone();
    let rows: Vec<(&str, Kept)> =
        all.iter().filter_map(|compared| Some((compared.named.name.as_str(), kept(compared)?))).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{:18}{:>15}{:>15}{:>8}{:>8}  {}\n",
        "answers kept", "cold", "warm", "edit", "worst", "by an edit of"
    );
    for (name, kept) in &rows {
        let worst =
            kept.edits.iter().max_by(|left, right| processor(left.time).total_cmp(&processor(right.time)));
        out += &format!(
            "{name:18}{:>15}{:>15}{:>7.0}%{:>7.0}%  {}\n",
            both(kept.cold),
            both(kept.warm),
            100.0 * mean(kept.shares(processor)),
            100.0 * kept.shares(processor).fold(0.0, f64::max),
            worst.map_or("", |edit| edit.function.as_str()),
        );
    }
    for (what, of) in MEASURES {
        let edits = || rows.iter().flat_map(|(_, kept)| kept.shares(of));
        let sum = |time: fn(&Kept) -> Time| rows.iter().map(|(_, kept)| of(time(kept))).sum::<f64>();
        out += &format!(
            "{what}: cold {:.1}, warm {:.1} seconds in all; an edit takes {:.1}% of cold in the mean, at most 10% in {} of {}\n",
            sum(|kept| kept.cold),
            sum(|kept| kept.warm),
            100.0 * mean(edits()),
            edits().filter(|share| *share <= 0.1).count(),
            edits().count(),
        );
    }
    out
}

fn processor(time: Time) -> f64 {
    time.processor
}

fn mean(shares: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = shares.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Of all processors, and of the clock.
fn both(time: Time) -> String {
    format!("{:.2} / {:.2}", time.processor, time.wall)
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

const MEASURES: [Measure; 2] = [("processors", processor), ("clock", |time| time.wall)];

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
            let seconds = |time: Time| value!({ "processor": time.processor, "clock": time.wall });
            for (name, time) in
                [("check_clean", clean), ("check_alone", alone), ("abstract", cheap), ("default", usual)]
            {
                object["seconds"][name] = seconds(time);
            }
            if let Some(kept) = &result.kept {
                let edits = kept.edits.iter();
                object["kept"] = value!({
                    "cold": seconds(kept.cold),
                    "warm": seconds(kept.warm),
                    "edits": edits.map(|edit| value!({ "function": edit.function, "seconds": seconds(edit.time) })).collect::<Vec<_>>(),
                });
            }
            object["peak_kilobytes"] = result.peak.into();
            object["end"] = result.end.name().into();
        }
    }
    object
}
