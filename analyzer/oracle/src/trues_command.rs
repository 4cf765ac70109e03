//! `kleene-oracle trues`: a line per crate, what is wrong, and the sum.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kleene_oracle::trues::{Plan, Tried, try_all};

#[derive(clap::Args)]
pub struct Arguments {
    /// Crates of the list, or any as `name@version` [default: the whole list]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds for linting one crate, and for each run of its tests
    #[arg(long, default_value_t = 120.0)]
    timeout: f64,
    /// Where sources, copies and answers go
    #[arg(long, default_value = "target/crates")]
    folder: PathBuf,
}

pub fn run(arguments: Arguments) -> ExitCode {
    let Arguments { only, timeout, folder } = arguments;
    let all = match try_all(&Plan { only, timeout: Duration::from_secs_f64(timeout), folder }, tell) {
        Ok(all) => all,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let sum = |count: fn(&Tried) -> usize| all.iter().map(count).sum::<usize>();
    let wrong = sum(|it| it.wrong.len());
    println!(
        "{} lines and lints are True, {} of them are counted and {} visited; {wrong} fail all the same, {} other panics",
        sum(|it| it.said),
        sum(|it| it.counted),
        sum(|it| it.visited.len()),
        sum(|it| it.other_panics)
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(tried: &Tried) {
    let Tried { name, said, counted, visited, wrong, other_panics, called, not_run } = tried;
    println!(
        "{name}: {said} lines and lints True, {counted} counted, {} visited, {called} functions called, {other_panics} other panics",
        visited.len()
    );
    for (site, what) in wrong {
        println!("  WRONG {}:{} {}: {what}", site.file.display(), site.line, site.lint);
    }
    if let Some(why) = not_run {
        println!("  not run: {}", why.lines().take(12).collect::<Vec<_>>().join("\n    "));
    }
}
