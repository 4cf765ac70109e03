//! Solver processes that misbehave, and a real one where there is one.

#![cfg(unix)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kleene_domains::laws::Numbers;
use kleene_domains::{CompareOp, Cond, Int, Var};
use kleene_solver::{Answer, Budget, Choice, Embedded, Limit, Process, Reason, Recorder, Replay, Solver};
use support::{compare, constant, variable};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kleene-solver-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// The command that runs a script. A shell reads it: a file that was just written cannot be executed
    /// itself while a process that another test starts still has it open.
    fn script(&self, name: &str, body: &str) -> [String; 2] {
        let path = self.0.join(name);
        fs::write(&path, format!("{body}\n")).expect("a script");
        ["/bin/sh".to_string(), path.to_str().expect("a plain path").to_string()]
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn budget(milliseconds: u64) -> Budget {
    Budget { time: Duration::from_millis(milliseconds), ..Budget::default() }
}

fn five() -> Cond {
    compare(CompareOp::Equal, variable(0), constant(5))
}

fn alive(id: u32) -> bool {
    Path::new(&format!("/proc/{id}")).exists()
}

/// Asks a script whether v0 can be 5; afterwards neither it nor its children are alive.
fn ask(body: &str, time: u64) -> Answer {
    let folder = Folder::new(&format!("ask-{:x}", Numbers::seeded(body.len() as u64 * 31 + time).next_u64()));
    let pids = folder.0.join("pids");
    let script = folder.script("solver", &format!("echo $$ >> {}\n{body}", pids.display()));
    let mut solver = Process::new(script);
    solver.assert(&five());
    let start = Instant::now();
    let answer = solver.check(&budget(time));
    assert!(start.elapsed() < Duration::from_millis(time + 3000), "it took {:?}", start.elapsed());
    drop(solver);
    let pids = fs::read_to_string(&pids).unwrap_or_default();
    assert!(!pids.trim().is_empty(), "the script has run");
    for pid in pids.lines() {
        let pid = pid.trim().parse().expect("a process id");
        let deadline = Instant::now() + Duration::from_secs(2);
        while alive(pid) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!alive(pid), "process {pid} is left");
    }
    answer
}

/// Shell that answers the question in `$1` and then each following one.
const POLITE: &str = r#"
answer() { while read line; do case "$line" in "(echo"*) printf '%s\n' "$1"; echo "$line" | sed 's/(echo "\(.*\)")/\1/'; return;; esac; done; }
"#;

fn polite(answers: &[&str]) -> String {
    let calls: Vec<String> = answers.iter().map(|answer| format!("answer '{answer}'")).collect();
    format!("{POLITE}{}", calls.join("\n"))
}

#[test]
fn a_script_that_behaves() {
    let Answer::Sat(model) = ask(&polite(&["sat", "((v0 5))"]), 5000) else { panic!("sat") };
    assert_eq!(model.value(Var(0)), Int::from(5));
    assert_eq!(ask(&polite(&["unsat", "(a0)"]), 5000), Answer::Unsat(vec![0]));
    assert_eq!(ask(&polite(&["unsat", "(error \"no cores here\")"]), 5000), Answer::Unsat(vec![0]));
}

#[test]
fn wrong_models_are_not_believed() {
    let wrong = ["((v0 6))", "()", "((v7 5))"];
    for model in wrong {
        assert_eq!(ask(&polite(&["sat", model]), 5000), Answer::Unknown(Reason::InvalidModel), "{model}");
    }
}

#[test]
fn garbage() {
    let garbage = |answer: Answer| matches!(answer, Answer::Unknown(Reason::Garbage(_)));
    assert!(garbage(ask("echo 'Segmentation fault (core dumped)'", 5000)));
    assert!(garbage(ask(&polite(&["maybe"]), 5000)));
    assert!(garbage(ask(&polite(&["(error \"line 1: unknown logic\")\nunsat"]), 5000)));
    assert!(garbage(ask(&polite(&["sat", "((v0 five))"]), 5000)));
    assert!(garbage(ask(&polite(&["sat", "((v0 5"]), 5000)));
    assert!(garbage(ask("printf '\\377\\376\\000'", 5000)));
}

#[test]
fn early_ends() {
    let exited = |answer: Answer| matches!(answer, Answer::Unknown(Reason::Exited(_)));
    assert!(exited(ask("exit 3", 5000)));
    assert!(exited(ask("kill -9 $$", 5000)));
    assert!(exited(ask("exec 1>&-; sleep 100", 5000)), "closes its output");
    assert!(exited(ask("exec cat > /dev/null", 5000)), "writes elsewhere");
    assert!(exited(ask(&polite(&["sat"]), 5000)), "no model after sat");
    assert!(exited(ask("echo sat", 5000)), "ends without the marker");
}

#[test]
fn silence_and_chatter() {
    let late = Answer::Unknown(Reason::Limit(Limit::Time));
    assert_eq!(ask("sleep 100", 300), late);
    assert_eq!(ask(&format!("{}\nsleep 100", polite(&["sat"])), 300), late, "hangs before the model");
    let children =
        "sleep 100 & echo $! >> $(dirname $0)/pids; sleep 101 & echo $! >> $(dirname $0)/pids; wait";
    assert_eq!(ask(children, 300), late, "children are ended too");
    assert_eq!(ask("exec yes sat", 20_000), Answer::Unknown(Reason::TooMuchOutput));
    assert_eq!(ask("exec cat /dev/zero", 20_000), Answer::Unknown(Reason::TooMuchOutput));
}

#[test]
fn a_solver_that_gives_up_is_kept() {
    let body = polite(&["unknown", "(:reason-unknown \"incomplete\")", "sat", "((v0 5))"]);
    let folder = Folder::new("gives-up");
    let mut solver = Process::new(folder.script("solver", &body));
    solver.assert(&five());
    let Answer::Unknown(Reason::GaveUp(why)) = solver.check(&budget(5000)) else { panic!("it gives up") };
    assert!(why.contains("incomplete"));
    let id = solver.id().expect("it is alive");
    assert!(solver.check(&budget(5000)).is_sat());
    assert_eq!(solver.id(), Some(id));
}

#[test]
fn a_dead_solver_is_started_again() {
    let folder = Folder::new("again");
    let script = folder.script("solver", &format!("{}\nexit 1", polite(&["sat", "((v0 5))"])));
    let mut solver = Process::new(script);
    solver.assert(&five());
    assert!(solver.check(&budget(5000)).is_sat());
    assert!(!solver.check(&budget(5000)).is_sat());
    assert!(solver.check(&budget(5000)).is_sat());
}

#[test]
fn no_such_program() {
    let mut solver = Process::new(["/nonexistent/solver"]).with_version();
    assert_eq!(solver.name(), "solver");
    assert!(matches!(solver.check(&budget(100)), Answer::Unknown(Reason::NotStarted(_))));
    let mut nothing = Process::new(Vec::<String>::new());
    assert!(matches!(nothing.check(&budget(100)), Answer::Unknown(Reason::NotStarted(_))));
}

#[test]
fn questions_larger_than_a_pipe() {
    let folder = Folder::new("large");
    // Never reads: writing must not hang either.
    let mut solver = Process::new(folder.script("solver", "sleep 100"));
    for value in 0..20_000 {
        solver.assert(&compare(CompareOp::NotEqual, variable(0), constant(value)));
    }
    assert_eq!(solver.check(&budget(300)), Answer::Unknown(Reason::Limit(Limit::Time)));
}

#[test]
fn choices_are_read() {
    assert_eq!("auto".parse(), Ok(Choice::Auto));
    assert_eq!("embedded".parse(), Ok(Choice::Embedded));
    assert_eq!("z3 -in".parse(), Ok(Choice::Command(vec!["z3".to_string(), "-in".to_string()])));
    assert!("  ".parse::<Choice>().is_err());
    assert_eq!(Choice::Embedded.open().name(), "embedded");
    assert!(!Choice::Auto.open().name().is_empty());
}

#[test]
fn recordings_answer_as_recorded() {
    let folder = Folder::new("recording");
    let mut recorder = Recorder::new(Embedded::new(), &folder.0).expect("a folder");
    let mut replay = Replay::new(&folder.0);
    let (mut questions, mut decided) = (Vec::new(), 0);
    for seed in 1..60 {
        let (_, problem) = support::any_problem(&mut Numbers::seeded(seed * 7919));
        *recorder.problem_mut() = problem.clone();
        let answer = recorder.check(&Budget::default());
        decided += usize::from(!matches!(answer, Answer::Unknown(_)));
        questions.push((problem, answer));
    }
    assert!(recorder.trouble().is_none() && decided > 50);
    for (problem, answer) in questions.iter().rev() {
        *replay.problem_mut() = problem.clone();
        match (answer, replay.check(&Budget::default())) {
            (Answer::Unknown(_), replayed) => assert!(matches!(replayed, Answer::Unknown(Reason::GaveUp(_)))),
            (answer, replayed) => assert_eq!(*answer, replayed),
        }
    }
    replay.assert(&five());
    assert_eq!(replay.check(&Budget::default()), Answer::Unknown(Reason::NotRecorded));
}

/// `$KLEENE_Z3`, else on PATH.
fn real() -> Option<Process> {
    let found = std::env::var("KLEENE_Z3").ok();
    let found =
        found.or_else(|| kleene_solver::choice::on_path("z3").map(|path| path.to_string_lossy().into()));
    found.map(|command| Process::new([command]).with_version())
}

#[test]
fn the_embedded_solver_agrees_with_z3() {
    let Some(mut z3) = real() else {
        println!("0 live comparisons: no z3 found");
        return;
    };
    let (mut ours, mut compared, mut cores) = (Embedded::new(), 0, 0);
    for seed in 1..=150 {
        let (family, problem) = support::any_problem(&mut Numbers::seeded(seed * 104_729));
        *ours.problem_mut() = problem.clone();
        *z3.problem_mut() = problem.clone();
        let (mine, theirs) = (ours.check(&budget(10_000)), z3.check(&budget(2_000)));
        if let Answer::Unsat(core) = &mine {
            *z3.problem_mut() = problem.restricted(core);
            let rest = z3.check(&budget(2_000));
            cores += usize::from(rest.is_unsat());
            assert!(!rest.is_sat(), "{family}, seed {seed}: the core {core:?} has a model");
        }
        if let (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) = (&mine, &theirs) {
            continue;
        }
        compared += 1;
        assert_eq!(mine.is_sat(), theirs.is_sat(), "{family}, seed {seed}:\n{}", support::text(&problem));
    }
    println!("{compared} live comparisons, {cores} of cores, with {}", z3.name());
    assert!(compared > 120);
}

/// Recorded by `examples/record_z3`: the embedded solver must not contradict.
#[test]
fn the_embedded_solver_agrees_with_what_z3_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let (mut replay, mut ours, mut compared) = (Replay::new(&folder), Embedded::new(), 0);
    for seed in 1..=support::RECORDED {
        let (family, problem) = support::any_problem(&mut Numbers::seeded(seed * 15_485_863));
        *replay.problem_mut() = problem.clone();
        let recorded = replay.check(&Budget::default());
        assert!(recorded != Answer::Unknown(Reason::NotRecorded), "seed {seed}: run examples/record_z3");
        *ours.problem_mut() = problem.clone();
        let mine = ours.check(&budget(10_000));
        if let (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) = (&mine, &recorded) {
            continue;
        }
        compared += 1;
        assert_eq!(mine.is_sat(), recorded.is_sat(), "{family}, seed {seed}:\n{}", support::text(&problem));
    }
    assert!(compared * 10 >= support::RECORDED * 9, "{compared} comparisons");
}
