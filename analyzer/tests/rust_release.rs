//! The functions of the fixtures compiled without overflow checks, against release arithmetic: all runs agree.

#[path = "support/real.rs"]
mod real;

use std::collections::{BTreeMap, BTreeSet};

use kleene::concrete::{Choice, Interpreter, Status};
use kleene::frontend::rust::Crate;
use kleene::frontend::{Arithmetic, FrontendOptions};
use kleene::ir::Program;
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

use real::Call;

const FILES: [&str; 4] = ["scalars", "aggregates", "more", "drops"];
const SECOND: [u8; 8] = [0, 1, 2, 3, 7, 100, 128, 255];

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

#[test]
fn functions_agree_with_their_compiled_selves_without_overflow_checks() {
    let texts: Vec<(&str, String)> = FILES.iter().map(|file| (*file, real::text(file))).collect();
    let mut programs = BTreeMap::new();
    for (file, text) in &texts {
        for (name, result) in real::functions(text) {
            programs.insert(format!("{file}::{name}"), program(text, &name, &result));
        }
    }
    let endless = endless(&programs);
    let all = programs.keys().flat_map(|name| inputs().map(move |(a, b)| (name.clone(), a, b)));
    let calls: Vec<Call> = all.filter(|call| !endless.contains(call)).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(file, text)| (*file, text.as_str())).collect();
    let given = real::called(&texts, false, &calls);
    let real: BTreeMap<Call, Option<i128>> = calls.into_iter().zip(given).collect();
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
