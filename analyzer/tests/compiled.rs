//! The compiled interpreter beside the plain one: step by step the same states, for every function of the fixtures on
//! values of all kinds.

use std::path::{Path, PathBuf};

use kleene::concrete::{Choice, Compiled, Interpreter, Machine};
use kleene::frontend::{self, FrontendOptions, Language};
use kleene::ir::slice::{Names, Slice};
use kleene::ir::{FunctionId, Program, Type, VariableId};
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

/// Beginnings of each function, and steps of each run.
const ROUNDS: u64 = 6;
const LONGEST: usize = 250;
/// Functions whose states are very large are left to others.
const MOST_SLOTS: u64 = 3_000;

/// Boundaries, small numbers and anything.
struct Drawing(u64);

impl Drawing {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn value(&mut self, low: Option<&Int>, high: Option<&Int>) -> Int {
        let random = self.next();
        let value = match random >> 8 & 7 {
            0 | 1 => Int::from((random >> 16) as i64 % 10),
            2 => low.cloned().unwrap_or(Int::from(-7)),
            3 => high.cloned().unwrap_or(Int::from(1000)),
            4 => Int::from(self.next()) * Int::from(self.next()),
            5 => -Int::from(self.next()),
            _ => Int::from((random >> 16) as i64 % 300 - 40),
        };
        match (low, high) {
            (Some(low), _) if value < *low => low.clone(),
            (_, Some(high)) if value > *high => high.clone(),
            _ => value,
        }
    }

    fn of_type(&mut self, ty: &Type) -> Int {
        let range = ty.range();
        self.value(range.low().finite(), range.high().finite())
    }

    fn chosen(&mut self, choice: &Choice<'_>) -> Option<Int> {
        Some(self.value(choice.low.as_ref(), choice.high.as_ref()))
    }
}

fn fixtures(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = folder.read_dir().expect("a folder of fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            fixtures(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn lowered(path: &Path) -> Option<Program> {
    let language = match path.extension()?.to_str()? {
        "rs" => Language::Rust,
        "cm" => Language::CMinus,
        "c" => Language::C,
        "t2" => Language::T2,
        _ => return None,
    };
    let text = std::fs::read_to_string(path).ok()?;
    let file = SourceFile::new(FileId(0), "fixture", text);
    // Without an entry every function of a Rust file is lowered.
    let entry = if language == Language::Rust { String::new() } else { "main".into() };
    let options = FrontendOptions { entry, ..FrontendOptions::default() };
    frontend::lower(&file, language, &options).ok().map(|lowered| lowered.program)
}

fn point(program: &Program, drawing: &mut Drawing) -> (Vec<Int>, Vec<Int>) {
    let entry = program.entry;
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..program.entry_function().locals.len() as u32).map(VariableId::Local);
    let mut values = |variable: VariableId| -> Vec<Int> {
        let scalars = program.variable(entry, variable).ty.scalars();
        scalars.into_iter().map(|ty| drawing.of_type(ty)).collect()
    };
    let globals = globals.flat_map(&mut values).collect();
    (globals, locals.flat_map(&mut values).collect())
}

/// Follows one run with both; how many steps it has.
fn compare(interpreter: &Interpreter<'_>, compiled: &Compiled<'_, '_>, round: u64, name: &str) -> usize {
    let mut drawing = Drawing(0x9E37_79B9_7F4A_7C15 ^ (round << 21) ^ name.len() as u64);
    let (globals, locals) = point(interpreter.program, &mut drawing);
    let whole: Vec<Int> = globals.iter().chain(&locals).cloned().collect();
    let own = &mut |choice: &Choice<'_>| Some(choice.nearest(&globals[choice.slot as usize]));
    let state = interpreter.initial(globals.clone(), locals, own);
    let machine = Machine::new(compiled, &whole);
    let (mut state, mut machine) = match (state, machine) {
        (Ok(state), Ok(machine)) => (state, machine),
        (Err(plain), Err(other)) => {
            assert_eq!(plain, other, "{name}");
            return 0;
        }
        (plain, other) => panic!("{name}: {:?} against {:?}", plain.is_ok(), other.is_ok()),
    };
    for step in 0..LONGEST {
        assert_eq!(machine.state(), state, "{name}, step {step} of round {round}");
        let seed = drawing.next();
        let (mut one, mut other) = (Drawing(seed), Drawing(seed));
        let plain = interpreter.advance(&mut state, &mut |choice| one.chosen(choice));
        let moved = machine.advance(&mut |choice| other.chosen(choice));
        assert_eq!(moved, plain, "{name}, step {step} of round {round}");
        if plain.is_err() || !machine.is_running() {
            assert!(plain.is_err() || machine.state() == state, "{name}, the end of round {round}");
            return step;
        }
    }
    LONGEST
}

fn compare_all(folder: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder);
    let (mut files, mut steps) = (Vec::new(), 0);
    fixtures(&root, &mut files);
    for path in files {
        let Some(program) = lowered(&path) else { continue };
        let names = Names::of(&program);
        for id in 0..program.functions.len() as u32 {
            let slice = Slice::of(&program, &names, FunctionId(id));
            let interpreter = Interpreter::bounding_unseen(&slice.program);
            let slots = interpreter.layout.frame(slice.program.entry) + interpreter.layout.global_slots;
            if u64::from(slots) > MOST_SLOTS {
                continue;
            }
            let compiled = Compiled::new(&interpreter);
            let name = format!("{}: {}", path.display(), slice.program.entry_function().name);
            steps += (0..ROUNDS).map(|round| compare(&interpreter, &compiled, round, &name)).sum::<usize>();
        }
    }
    steps
}

#[test]
fn functions_of_the_checks_run_alike() {
    assert!(compare_all("lints") > 10_000);
}

#[test]
fn functions_of_all_constructs_run_alike() {
    assert!(compare_all("rust/meaning") > 50_000);
}

#[test]
fn programs_of_unbounded_numbers_run_alike() {
    assert!(compare_all("suite") + compare_all("traps") + compare_all("papers") > 5_000);
}
