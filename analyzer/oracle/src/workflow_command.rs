//! `kleene-oracle workflow`: a line per crate as it is done, then the table.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kleene_oracle::workflow::{Compared, Plan, compare, heading, json, line, text};

#[derive(clap::Args)]
pub struct Arguments {
    /// Crates of the list, or any as `name@version` [default: the whole list].
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How often everything is timed; the least counts.
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// How many functions of each crate are edited, to see what a call takes then; 0 for none.
    #[arg(long, default_value_t = 3)]
    edits: usize,
    /// Seconds for one call of a tool.
    #[arg(long, default_value_t = 300.0)]
    timeout: f64,
    /// Write all figures to a file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Where sources, copies and answers go.
    #[arg(long, default_value = "target/crates")]
    folder: PathBuf,
}

pub fn run(arguments: Arguments) -> ExitCode {
    let Arguments { only, rounds, edits, timeout, json: file, folder } = arguments;
    let plan = Plan { only, rounds, edits, timeout: Duration::from_secs_f64(timeout), folder };
    eprint!("{}", heading());
    let all = match compare(&plan, |compared| eprint!("{}", line(compared))) {
        Ok(all) => all,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    if let Some(path) = file
        && let Err(error) = std::fs::write(&path, json(&all))
    {
        eprintln!("error: {}: {error}", path.display());
        return ExitCode::from(2);
    }
    print!("{}", text(&all));
    let is_broken = |compared: &Compared| compared.result.as_ref().is_ok_and(|result| !result.is_sound());
    if all.iter().any(is_broken) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
