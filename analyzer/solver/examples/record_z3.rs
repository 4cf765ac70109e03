//! Writes `tests/recorded` anew: z3's answers to fixed random questions.
//! `KLEENE_Z3=/path/to/z3 cargo run -p kleene-solver --example record_z3`.

#[path = "../tests/support/mod.rs"]
mod support;

use kleene_domains::laws::Numbers;
use kleene_solver::{Budget, Process, Recorder, Solver};

fn main() -> std::io::Result<()> {
    let command = std::env::var("KLEENE_Z3").unwrap_or_else(|_| "z3".to_string());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
    let mut recorder = Recorder::new(Process::new([command]), folder)?;
    for seed in 1..=support::RECORDED {
        let (_, problem) = support::any_problem(&mut Numbers::seeded(seed * 15_485_863));
        *recorder.problem_mut() = problem;
        recorder.check(&Budget::default());
    }
    Ok(())
}
