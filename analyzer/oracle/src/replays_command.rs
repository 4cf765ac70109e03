//! `kleene-oracle replays`: a line per crate, what is wrong, and the sum.

use std::process::ExitCode;

use kleene_oracle::replays::{Plan, Replayed, replay};

pub fn run(plan: &Plan) -> ExitCode {
    let all = match replay(plan, tell) {
        Ok(all) => all,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let sum = |count: fn(&Replayed) -> usize| all.iter().map(count).sum::<usize>();
    let (written, panic, wrong) = (sum(|it| it.written), sum(|it| it.panics.len()), sum(|it| it.wrong.len()));
    let refused = sum(|it| it.refused.len());
    let not_run = sum(|it| if it.not_run.is_some() { it.chosen.len() } else { 0 });
    let without = sum(|it| usize::from(it.not_run.is_some() && it.chosen.is_empty()));
    println!(
        "{written} failures with tests; {panic} panic at their lines, {wrong} do not, {refused} do not compile, {not_run} could not be run; {without} crates without an answer"
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(replayed: &Replayed) {
    let Replayed { name, written, chosen, panics, wrong, refused, not_run } = replayed;
    println!("{name}: {written} with tests, {} chosen, {} panic at their lines", chosen.len(), panics.len());
    for (test, what) in wrong {
        println!("  WRONG {test}: {what}");
    }
    let beginning = |said: &str| said.lines().take(12).collect::<Vec<_>>().join("\n    ");
    for (test, said) in refused {
        println!("  DOES NOT COMPILE {test}: {}", beginning(said));
    }
    if let Some(why) = not_run {
        println!("  not run: {}", beginning(why));
    }
}
