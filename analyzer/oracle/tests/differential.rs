//! A fixed slice of the fuzzing run against the analyzer: the same cases every time, in under a minute.

use std::time::Duration;

use kleene_oracle::differential::fixture;
use kleene_oracle::domains::Comparison;
use kleene_oracle::engine::{Settings, ask};
use kleene_oracle::fuzz::{Plan, Progress, run};
use kleene_oracle::generate::{Case, Class};
use kleene_oracle::shrink::Budget;

fn slice(classes: Vec<Class>, seed: u64, cases: u64) {
    let settings = Settings { timeout: Duration::from_secs(2), ..Settings::default() };
    let plan = Plan {
        seed,
        classes,
        first: 0,
        cases,
        time: Duration::from_secs(25),
        jobs: 2,
        shrinking: Budget { tries: 300, time: Duration::from_secs(10) },
        enough: 3,
        progress: Progress::Quiet,
    };
    let (statistics, found) = run(&|case: &Case| ask(case, &settings), &plan);
    let texts: Vec<String> = found.iter().map(|(case, judged)| fixture(case, judged)).collect();
    assert!(texts.is_empty(), "{}\n{}", texts.join("\n"), statistics.table());
    let total = statistics.total();
    // A tool that only says Maybe is never wrong; this one is expected to decide.
    assert!(total.asked() > 0 && total.decided * 2 > total.asked(), "{}", statistics.table());
}

#[test]
fn small_programs() {
    slice(vec![Class::Tiny], 2024, 600);
}

#[test]
fn larger_programs() {
    slice(vec![Class::Hard, Class::Unbounded, Class::Wide], 2025, 90);
}

#[test]
fn programs_about_relations() {
    slice(vec![Class::Related], 2026, 12);
}

#[test]
fn domains_never_contradict_each_other() {
    let settings = Settings { timeout: Duration::from_secs(2), ..Settings::default() };
    let classes = [Class::Tiny, Class::Hard, Class::Unbounded];
    let mut comparison = Comparison::default();
    (0..60).for_each(|index| comparison.add(&classes, 2026, index, &settings));
    let good = comparison.flips.is_empty() && comparison.wrong.iter().all(|wrong| *wrong == 0);
    assert!(good, "{}", comparison.table());
    assert!(comparison.asked > 200, "{}", comparison.table());
}
