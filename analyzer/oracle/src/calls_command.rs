//! `kleene-oracle calls`: a line per crate, what is wrong, and the sum.

use std::process::ExitCode;

use kleene_oracle::calls::{Plan, Run, run as run_calls};

pub fn run(plan: &Plan) -> ExitCode {
    let all = match run_calls(plan, tell) {
        Ok(all) => all,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let sum = |count: fn(&Run) -> usize| all.iter().map(count).sum::<usize>();
    let (wrong, refused) = (sum(|it| it.wrong.len()), sum(|it| it.refused.len()));
    println!(
        "{} calls followed to their end; {} agree ({} in their values), {wrong} do not, {refused} do not compile, {} have another path; {} crates without an answer",
        sum(|it| it.followed),
        sum(|it| it.agree),
        sum(|it| it.values),
        sum(|it| it.hidden),
        sum(|it| usize::from(it.not_run.is_some()))
    );
    if wrong + refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(run: &Run) {
    println!(
        "{}: {} followed to their end, {} agree, {} of them in their values",
        run.name, run.followed, run.agree, run.values
    );
    for (call, what) in &run.wrong {
        println!("  WRONG {call}: {what}");
    }
    let beginning = |said: &str| said.lines().take(14).collect::<Vec<_>>().join("\n    ");
    for (call, said) in &run.refused {
        println!("  DOES NOT COMPILE {call}:\n    {}", beginning(said));
    }
    if let Some(why) = &run.not_run {
        println!("  not run: {}", beginning(why));
    }
}
