//! The embedded solver against z3 on random questions:
//! `cargo run --release -p kleene-solver --example against_z3 -- 20000 [seed [family left out]]`.
//! z3 is `$KLEENE_Z3`, or on PATH.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kleene_domains::laws::Numbers;
use kleene_solver::{Answer, Budget, Embedded, Problem, Process, Reason, Solver};

#[derive(Default)]
struct Tally {
    questions: u64,
    sat: u64,
    wrong: u64,
    invalid: u64,
    ours_open: u64,
    theirs_open: u64,
    both_open: u64,
    ours: Duration,
    theirs: Duration,
    slowest: (Duration, u64),
}

fn timed(solver: &mut dyn Solver, problem: &Problem, time: &mut Duration) -> Answer {
    *solver.problem_mut() = problem.clone();
    let start = Instant::now();
    let answer = solver.check(&Budget { time: Duration::from_secs(5), ..Budget::default() });
    *time += start.elapsed();
    answer
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize| arguments.get(index).map(|argument| argument.parse::<u64>().expect("a number"));
    let (count, first) = (number(0).unwrap_or(1000), number(1).unwrap_or(1));
    let left_out = |family: &str| arguments.get(2).is_some_and(|other| family.starts_with(other.as_str()));
    let command = std::env::var("KLEENE_Z3").unwrap_or_else(|_| "z3".to_string());
    let mut theirs = Process::new([command]).with_version();
    let mut ours = Embedded::new();
    println!("{} questions from seed {first}, {} against {}", count, ours.name(), theirs.name());
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for index in 0..count {
        let mut numbers = Numbers::seeded((first + index).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (family, problem) = support::any_problem(&mut numbers);
        if left_out(family) {
            continue;
        }
        let tally = tallies.entry(family).or_default();
        let before = tally.ours;
        let mine = timed(&mut ours, &problem, &mut tally.ours);
        tally.slowest = tally.slowest.max((tally.ours - before, first + index));
        let reference = timed(&mut theirs, &problem, &mut tally.theirs);
        tally.questions += 1;
        tally.sat += u64::from(mine.is_sat());
        if let Answer::Unsat(core) = &mine
            && core.len() < problem.assertions().len()
            && timed(&mut theirs, &problem.restricted(core), &mut Duration::default()).is_sat()
        {
            tally.wrong += 1;
            println!("WRONG CORE at {}: {core:?}\n{}", first + index, support::text(&problem));
        }
        match (&mine, &reference) {
            (Answer::Sat(_), Answer::Unsat(_)) | (Answer::Unsat(_), Answer::Sat(_)) => {
                tally.wrong += 1;
                println!(
                    "WRONG at {}: {mine:?} against {reference:?}\n{}",
                    first + index,
                    support::text(&problem)
                );
            }
            (Answer::Unknown(Reason::InvalidModel), _) => {
                tally.invalid += 1;
                println!("INVALID at {}:\n{}", first + index, support::text(&problem));
            }
            (Answer::Unknown(_), Answer::Unknown(_)) => tally.both_open += 1,
            (Answer::Unknown(reason), _) => {
                tally.ours_open += 1;
                if std::env::var_os("SHOW_OPEN").is_some() {
                    println!("OPEN at {} ({reason}):\n{}", first + index, support::text(&problem));
                }
            }
            (_, Answer::Unknown(_)) => tally.theirs_open += 1,
            _ => {}
        }
    }
    println!(
        "family                questions    sat  wrong invalid  open: ours theirs both   ours ms theirs ms"
    );
    for (family, t) in &tallies {
        println!(
            "{family:<21} {:>9} {:>6} {:>6} {:>7} {:>11} {:>6} {:>4} {:>9} {:>9} {:>8} ({})",
            t.questions,
            t.sat,
            t.wrong,
            t.invalid,
            t.ours_open,
            t.theirs_open,
            t.both_open,
            t.ours.as_millis(),
            t.theirs.as_millis(),
            t.slowest.0.as_millis(),
            t.slowest.1
        );
    }
    let wrong: u64 = tallies.values().map(|tally| tally.wrong + tally.invalid).sum();
    std::process::exit(i32::from(wrong > 0));
}
