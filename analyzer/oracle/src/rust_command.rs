//! `kleene-oracle rust`: files of random functions, class by class, and a line for each class.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use kleene::frontend::Arithmetic;
use kleene_oracle::rust::{Class, Compared, Request, compare, functions};

/// Functions of one file.
const FUNCTIONS_PER_FILE: usize = 25;

/// What is printed beside the counts.
#[derive(Clone, Copy)]
pub struct Printed {
    pub maybe: bool,
    pub show: bool,
}

pub fn run(
    class: &str,
    seed: u64,
    count: usize,
    arithmetic: Arithmetic,
    timeout: f64,
    printed: Printed,
) -> ExitCode {
    let chosen: Vec<Class> =
        Class::ALL.into_iter().filter(|it| class == "all" || it.name() == class).collect();
    if chosen.is_empty() {
        eprintln!("no such class; there are {}", Class::ALL.map(Class::name).join(", "));
        return ExitCode::from(2);
    }
    let folder = std::env::temp_dir().join(format!("kleene-oracle-rust-{}", std::process::id()));
    let mut by_class: BTreeMap<&'static str, Compared> = BTreeMap::new();
    for file in 0..count.div_ceil(FUNCTIONS_PER_FILE) {
        let request = Request {
            class: chosen[file % chosen.len()],
            seed: seed + file as u64,
            functions: FUNCTIONS_PER_FILE.min(count - file * FUNCTIONS_PER_FILE),
            arithmetic,
            timeout: Duration::from_secs_f64(timeout),
        };
        if printed.show {
            print!("{}", functions(request.class, request.seed, request.functions).text);
            continue;
        }
        match compare(&request, &folder) {
            Ok(compared) => {
                compared.wrong.iter().for_each(|wrong| println!("{wrong}"));
                if printed.maybe {
                    compared.undecided.iter().for_each(|open| println!("maybe: {open}"));
                }
                by_class.entry(request.class.name()).or_default().add(compared);
            }
            Err(problem) => {
                eprintln!("{} {}: {problem}", request.class.name(), request.seed);
                return ExitCode::from(2);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    if printed.show { ExitCode::SUCCESS } else { report(by_class) }
}

fn report(by_class: BTreeMap<&'static str, Compared>) -> ExitCode {
    let several = by_class.len() > 1;
    let mut all = Compared::default();
    for (name, compared) in by_class {
        if several {
            println!("{name}: {}", compared.table());
        }
        all.add(compared);
    }
    println!("{}", all.table());
    if all.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
