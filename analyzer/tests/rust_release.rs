//! The functions of the fixtures compiled without overflow checks, against release arithmetic: all runs agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use kleene::concrete::{Choice, Interpreter, Status};
use kleene::frontend::rust::Crate;
use kleene::frontend::{Arithmetic, FrontendOptions};
use kleene::ir::Program;
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

const FILES: [&str; 4] = ["scalars", "aggregates", "more", "drops"];
const SECOND: [u8; 8] = [0, 1, 2, 3, 7, 100, 128, 255];

fn text(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rust/meaning").join(format!("{name}.rs"));
    std::fs::read_to_string(path).expect("a fixture")
}

/// Functions of two bytes, with their result types.
fn functions(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("pub fn ")?;
            let (name, rest) = rest.split_once("(a: u8, b: u8) -> ")?;
            let result = rest.strip_suffix(" {")?;
            let simple = result.chars().all(|letter| letter.is_ascii_alphanumeric());
            simple.then(|| (name.to_string(), result.to_string()))
        })
        .collect()
}

/// A function, and what it is called with.
type Call = (String, u8, u8);

/// Calls that wrap for ever where overflow checks would stop them: nobody should wait for those.
fn endless(programs: &BTreeMap<String, Program>) -> BTreeSet<Call> {
    let mut found = BTreeSet::new();
    for (name, program) in programs {
        for (a, b) in inputs() {
            if run(program, [a.into(), b.into(), 0]) == Status::Running {
                found.insert((name.clone(), a, b));
            }
        }
    }
    found
}

fn inputs() -> impl Iterator<Item = (u8, u8)> {
    (0..=255u8).flat_map(|a| SECOND.into_iter().map(move |b| (a, b)))
}

/// What the compiled functions do: a value, or a panic.
fn real(folder: &Path, endless: &BTreeSet<Call>) -> BTreeMap<Call, Option<i128>> {
    let mut main = String::from("#![allow(warnings)]\nuse std::panic::catch_unwind;\n");
    let mut body = String::new();
    for file in FILES {
        let text = text(file);
        let _ = write!(main, "mod {file} {{\n{text}\n}}\n");
        for (name, _) in functions(&text) {
            let full = format!("{file}::{name}");
            let skipped = endless.iter().filter(|(name, ..)| *name == full);
            let skipped = skipped.map(|(_, a, b)| format!("({a}, {b})")).collect::<Vec<_>>().join(" | ");
            let skipped = if skipped.is_empty() { "(1, 0) if false".into() } else { skipped };
            let _ = write!(
                body,
                "for a in 0..=255u8 {{ for b in {SECOND:?} {{\n\
                 if matches!((a, b), {skipped}) {{ continue; }}\n\
                 match catch_unwind(|| {file}::{name}(a, b) as i128) {{\n\
                 Ok(value) => println!(\"{file}::{name} {{a}} {{b}} {{value}}\"),\n\
                 Err(_) => println!(\"{file}::{name} {{a}} {{b}} panics\"),\n}} }} }}\n"
            );
        }
    }
    let _ = write!(main, "fn main() {{ std::panic::set_hook(Box::new(|_| {{}}));\n{body} }}\n");
    let (source, program) = (folder.join("release.rs"), folder.join("release"));
    std::fs::write(&source, main).expect("a temporary file");
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-C", "overflow-checks=off", "-C", "debug-assertions=off", "-o"])
        .args([&program, &source])
        .output()
        .expect("rustc is there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&program).output().expect("the program runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let lines = String::from_utf8(ran.stdout).expect("text");
    let one = |line: &str| {
        let mut words = line.split(' ');
        let mut next = || words.next().expect("four words").to_string();
        let (name, a, b, value) = (next(), next(), next(), next());
        ((name, a.parse().expect("a byte"), b.parse().expect("a byte")), value.parse().ok())
    };
    lines.lines().map(one).collect()
}

fn program(text: &str, name: &str, result: &str) -> Program {
    let text =
        format!("{text}\nfn checked_{name}(a: u8, b: u8, r: {result}) {{ assert!({name}(a, b) == r); }}\n");
    let file = SourceFile::new(FileId(0), "fixture.rs", text);
    let options = FrontendOptions { arithmetic: Arithmetic::Release, ..FrontendOptions::default() };
    let read = Crate::read(&file, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    let entry = read.entry_named(&format!("checked_{name}")).expect("the wrapper is there");
    read.program(&entry).unwrap_or_else(|errors| panic!("{name}: {errors:?}")).program
}

fn run(program: &Program, inputs: [i128; 3]) -> Status {
    let interpreter = Interpreter::new(program);
    let globals = program.globals.iter().flat_map(|global| vec![Int::ZERO; global.ty.slots() as usize]);
    let mut locals: Vec<Int> = inputs.into_iter().map(Int::from).collect();
    locals.resize(interpreter.layout.frame(program.entry) as usize, Int::ZERO);
    let mut choose = |_: &Choice<'_>| None;
    let mut state = interpreter.initial(globals.collect(), locals, &mut choose).expect("an initial state");
    for _ in 0..20_000 {
        if state.status != Status::Running {
            break;
        }
        state = interpreter.step(&state, &mut choose).expect("no inputs");
    }
    state.status
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kleene-release-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

#[test]
fn functions_agree_with_their_compiled_selves_without_overflow_checks() {
    let mut programs = BTreeMap::new();
    for file in FILES {
        let text = text(file);
        for (name, result) in functions(&text) {
            programs.insert(format!("{file}::{name}"), program(&text, &name, &result));
        }
    }
    let endless = endless(&programs);
    let folder = folder();
    let real = real(&folder, &endless);
    let _ = std::fs::remove_dir_all(&folder);
    for ((name, a, b), expected) in &real {
        let found = run(&programs[name], [(*a).into(), (*b).into(), expected.unwrap_or(0)]);
        let agrees = match expected {
            Some(_) => found == Status::Ended,
            None => matches!(found, Status::Failed(_)),
        };
        assert!(agrees, "{name}({a}, {b}): {found:?}, really {expected:?}");
    }
    let calls = programs.len() * inputs().count();
    assert_eq!(real.len() + endless.len(), calls);
    assert!(endless.len() * 100 < calls, "{} of {calls} calls do not end: {endless:?}", endless.len());
    // Some of them overflow: with checks they would fail.
    let sums = real.iter().filter(|((name, ..), _)| name == "scalars::sums");
    assert!(sums.filter(|(_, value)| value.is_some()).count() > 256);
}
