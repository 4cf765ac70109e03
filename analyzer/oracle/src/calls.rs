//! Calls that the analyzer made up and followed, run: each must compile in a copy of its crate, and end as it was
//! followed, with the same value.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::copies::{Build, written};
use crate::crates::child::{self, End};
use crate::crates::{Named, chosen, sources};
use crate::replays::copy;
use crate::replays::manifest::Manifest;
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub struct Plan {
    /// `name` or `name@version`; empty: the whole list.
    pub only: Vec<String>,
    /// How many calls of one crate.
    pub count: usize,
    pub seed: u64,
    /// For linting one crate, and for running its calls.
    pub timeout: Duration,
    /// Where sources, copies and answers go.
    pub folder: PathBuf,
}

/// What became of the calls of one crate.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub name: String,
    /// Calls that were followed to their end.
    pub followed: usize,
    pub agree: usize,
    /// Those of them whose values were compared.
    pub values: usize,
    /// With what happened.
    pub wrong: Vec<(String, String)>,
    /// Those that stand in modules which only their own crate names, under another name for everybody else.
    pub hidden: usize,
    /// With what the compiler says.
    pub refused: Vec<(String, String)>,
    /// Why nothing could be run.
    pub not_run: Option<String>,
}

/// A call with what must come of it.
#[derive(Clone, Debug, Deserialize)]
struct Call {
    call: String,
    end: String,
    value: Option<String>,
}

/// What stands around the calls in the root of a crate.
const BEFORE: &str = "\n#[cfg(test)]\nmod kleene_replay {\n    pub extern crate std;\n}\n#[cfg(test)]\nmod kleene_calls {\n    extern crate std;\n    use std::{boxed::Box, format, mem::forget, string::String, vec::Vec};\n    \
    fn lent<T>(value: T) -> &'static mut T { Box::leak(Box::new(value)) }\n    \
    fn ends<T>(call: impl FnOnce() -> T) -> bool { std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| forget(call()))).is_ok() }\n";

/// How the compiler begins where a path leads through something private.
const PRIVATE: &str = "error[E0603]";

/// Lints, draws and runs; `seen` hears of each crate when it is done.
///
/// # Errors
/// If sources cannot be fetched or files cannot be written.
pub fn run(plan: &Plan, mut seen: impl FnMut(&Run)) -> Result<Vec<Run>, String> {
    let crates = chosen(&plan.only)?;
    let vendor = sources::fetch(&crates, &plan.folder)?;
    let vendor = vendor.canonicalize().map_err(|error| format!("{}: {error}", vendor.display()))?;
    let mut all = Vec::new();
    for named in crates {
        let source = vendor.join(format!("{}-{}", named.name, named.version));
        let manifest = Manifest::read(&source, &vendor)?;
        let run = of_crate(plan, &named, &source, &manifest, &vendor)?;
        seen(&run);
        all.push(run);
    }
    Ok(all)
}

fn of_crate(
    plan: &Plan,
    named: &Named,
    source: &Path,
    manifest: &Manifest,
    vendor: &Path,
) -> Result<Run, String> {
    let mut run = Run { name: named.name.clone(), ..Run::default() };
    let folder = plan.folder.join("calls").join(&named.name);
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(problem)?;
    }
    std::fs::create_dir_all(&folder).map_err(problem)?;
    let file = folder.join("calls.json");
    let mut words: Vec<String> = ["kleene", "lint", "--lib", "--format", "json"].map(String::from).to_vec();
    words.extend([source.display().to_string(), "--emit-calls".into(), file.display().to_string()]);
    words.extend(["--no-default-features".into(), "--no-cache".into()]);
    if !manifest.features.is_empty() {
        words.extend(["--features".into(), manifest.features.join(",")]);
    }
    let spent = child::run(&words, &folder.join("answer.json"), &folder.join("said.txt"), plan.timeout)?;
    let Ok(text) = std::fs::read_to_string(&file) else {
        run.not_run = Some(format!("linting: {}", spent.end.name()));
        return Ok(run);
    };
    let mut calls: Vec<Call> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    calls.retain(|call| call.end != "open");
    run.followed = calls.len();
    let mut rng = Rng::new(plan.seed, 0);
    for at in (1..calls.len()).rev() {
        calls.swap(at, rng.below(at + 1));
    }
    calls.truncate(plan.count);
    compared(plan, &folder, (source, manifest, vendor), &calls, &mut run)?;
    Ok(run)
}

fn compared(
    plan: &Plan,
    folder: &Path,
    (source, manifest, vendor): (&Path, &Manifest, &Path),
    calls: &[Call],
    run: &mut Run,
) -> Result<(), String> {
    if calls.is_empty() {
        return Ok(());
    }
    let root = source.join(&manifest.root);
    let own = std::fs::read_to_string(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    let own = format!("{}\n", crate::replays::without_own_tests(&own).trim_end());
    let lines = own.lines().count() + BEFORE.lines().count();
    let copy = folder.join("copy");
    copy::made(source, manifest, &manifest.root, vendor, &copy)?;
    let mut left: Vec<usize> = (0..calls.len()).collect();
    let program = loop {
        let tests: Vec<String> = left.iter().map(|at| test(*at, &calls[*at])).collect();
        written(&copy.join(&manifest.root), &with(&own, &tests))?;
        let build = Build::run(&copy, &folder.join("target"), &["--offline", "--lib"])?;
        if build.is_done {
            break build.programs.into_iter().next();
        }
        let before = left.len();
        let numbers = left.clone();
        for error in &build.errors {
            let at = |(file, line): &(PathBuf, usize)| {
                let ours = manifest.root.ends_with(file) && *line > lines;
                numbers.get(line.checked_sub(lines + 1).filter(|_| ours)?).copied()
            };
            let Some(at) = error.places.iter().find_map(at) else { continue };
            if left.contains(&at) {
                left.retain(|it| *it != at);
                match error.said.starts_with(PRIVATE) {
                    true => run.hidden += 1,
                    false => run.refused.push((calls[at].call.clone(), error.said.clone())),
                }
            }
        }
        if left.len() == before {
            run.not_run = Some(build.said().to_string());
            return Ok(());
        }
    };
    let Some(program) = program else {
        run.not_run = Some("cargo names no program".into());
        return Ok(());
    };
    let (out, said) = (folder.join("run.txt"), folder.join("run_said.txt"));
    let mut command = std::process::Command::new(program);
    command.args(["--test-threads", "1", "kleene_calls::"]);
    let ended = child::watched(&mut command, &out, &said, plan.timeout)?;
    let output = std::fs::read_to_string(&out).unwrap_or_default();
    for at in left {
        let line = output.lines().find(|line| line.contains(&format!("kleene_calls::call_{at} ... ")));
        match line {
            Some(line) if line.ends_with(" ok") => {
                run.agree += 1;
                run.values += usize::from(calls[at].value.is_some());
            }
            Some(_) => run.wrong.push((calls[at].call.clone(), what(&calls[at], &output, at))),
            None if ended.end != End::Finished => {
                run.wrong.push((calls[at].call.clone(), format!("it was not run: {}", ended.end.name())));
            }
            None => {}
        }
    }
    Ok(())
}

/// The root of a crate with a test for each call that was followed to its end, and how many there are.
///
/// # Errors
/// If `calls` is not what `--emit-calls` writes.
pub fn tested(own: &str, calls: &str) -> Result<(String, usize), String> {
    let calls: Vec<Call> = serde_json::from_str(calls).map_err(|error| error.to_string())?;
    let ended = calls.iter().filter(|call| call.end != "open").enumerate();
    let tests: Vec<String> = ended.map(|(number, call)| test(number, call)).collect();
    Ok((with(own, &tests), tests.len()))
}

fn with(own: &str, tests: &[String]) -> String {
    format!("{own}{BEFORE}{}\n}}\n", tests.join("\n"))
}

/// One line of text.
fn test(number: usize, call: &Call) -> String {
    let body = match (call.end.as_str(), &call.value) {
        ("panics", _) => format!("assert!(!ends(|| {}), \"ends\")", call.call),
        (_, Some(value)) => {
            format!(
                "let value = {}; assert_eq!(format!(\"{{:?}}\", value), {value:?}); forget(value)",
                call.call
            )
        }
        _ => format!("assert!(ends(|| {}), \"panics\")", call.call),
    };
    format!("    #[test] fn call_{number}() {{ {body} }}")
}

fn what(call: &Call, output: &str, number: usize) -> String {
    let section = output
        .lines()
        .skip_while(|line| !(line.starts_with("---- ") && line.contains(&format!("call_{number} "))));
    let said = section.skip(1).take_while(|line| !line.starts_with("---- "));
    let said: Vec<&str> = said.filter(|line| !line.trim().is_empty()).take(6).collect();
    format!("followed to {} {:?}; {}", call.end, call.value, said.join(" "))
}
