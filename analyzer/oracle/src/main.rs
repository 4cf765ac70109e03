//! The oracle's command line: `fuzz` compares until the time is over, `one` shows a single case, `sample`
//! shows what the generators make without asking the engine, `suite` asks programs with recorded truths.

mod calls_command;
mod replays_command;
mod rust_command;
mod trues_command;
mod workflow_command;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use kleene::frontend::Arithmetic;
use kleene::mutation::Mutation;
use kleene::pipeline::Level;
use kleene::precision::{Domain, Precision};
use kleene_oracle::calls;
use kleene_oracle::crates;
use kleene_oracle::differential::{Answer, Outcome, compare, fixture};
use kleene_oracle::domains::Comparison;
use kleene_oracle::engine::{Settings, ask};
use kleene_oracle::evidence::{Count, verify_folder};
use kleene_oracle::fuzz::{Plan, Progress, class_of, run};
use kleene_oracle::generate::{Case, Class, case};
use kleene_oracle::print;
use kleene_oracle::replays;
use kleene_oracle::rust::bulk::{self, Shape};
use kleene_oracle::shrink::Budget;
use kleene_oracle::statistics::Statistics;
use kleene_oracle::suite::measure;

#[derive(Parser)]
#[command(about = "Random programs and formulas against an explicit-state reference checker")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare until the time is over; exit 1 on any mismatch.
    Fuzz {
        #[arg(long, default_value_t = 1.0)]
        minutes: f64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The first case.
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// At most this many cases.
        #[arg(long, default_value_t = u64::MAX / 2)]
        cases: u64,
        #[arg(long, value_enum, default_value_t = ClassName::All)]
        class: ClassName,
        /// Threads; all cores by default.
        #[arg(long)]
        jobs: Option<usize>,
        #[arg(long, value_enum, default_value_t = LevelName::Smt)]
        level: LevelName,
        #[arg(long, value_enum, default_value_t = DomainName::Auto)]
        domain: DomainName,
        /// Seconds per formula.
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
        /// Where shrunk counterexamples go.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Ask with one precision alone instead of the usual ladder.
        #[arg(long)]
        precision: Option<String>,
        /// Ask with a deliberately wrong rule, by its name in the analyzer (`MayAsMust` …).
        #[arg(long)]
        mutation: Option<String>,
        /// Stop after this many counterexamples.
        #[arg(long, default_value_t = 20)]
        enough: usize,
    },
    /// Compile random Rust functions, run them on all inputs, and compare what panics with the lints; exit 1 if one is
    /// wrong.
    Rust {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Functions, in files of 25.
        #[arg(long, default_value_t = 2000)]
        functions: usize,
        /// With overflow checks and debug assertions, or without.
        #[arg(long, value_enum, default_value_t = Arithmetic::Debug)]
        arith: Arithmetic,
        /// Seconds per entry.
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
        /// What the functions are about; `all` takes turns, file by file.
        #[arg(long, default_value = "all")]
        class: String,
        /// Print every line that stays Maybe, with its cause.
        #[arg(long)]
        maybe: bool,
        /// Print the functions instead.
        #[arg(long)]
        show: bool,
    },
    /// Print a Rust file of functions of 30 lines, to measure what `kleene lint` costs.
    Bulk {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 5000)]
        functions: usize,
        #[arg(long, value_enum, default_value_t = ShapeName::Plain)]
        shape: ShapeName,
    },
    /// Ask the same cases with every domain; exit 1 if two of them contradict each other or one is wrong.
    Domains {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 400)]
        cases: u64,
        #[arg(long, value_enum, default_value_t = ClassName::All)]
        class: ClassName,
        #[arg(long, value_enum, default_value_t = LevelName::Smt)]
        level: LevelName,
        /// Seconds per formula.
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
    },
    /// Show one case: program, formulas, both answers.
    One {
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        index: u64,
        #[arg(long, value_enum, default_value_t = ClassName::All)]
        class: ClassName,
        #[arg(long, value_enum, default_value_t = LevelName::Smt)]
        level: LevelName,
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
    },
    /// Show what the generators make, and how the reference answers.
    Sample {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 1000)]
        cases: u64,
        #[arg(long, value_enum, default_value_t = ClassName::All)]
        class: ClassName,
        /// Print this many of the programs.
        #[arg(long, default_value_t = 0)]
        show: u64,
    },
    /// Ask everything that is expected of the programs of a folder, one after the other; exit 1 if a verdict
    /// is wrong.
    Suite {
        #[arg(default_value = "fixtures/suite")]
        folder: PathBuf,
        /// Seconds per property.
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
        #[arg(long, value_enum, default_value_t = LevelName::Smt)]
        level: LevelName,
        #[arg(long, value_enum, default_value_t = DomainName::Auto)]
        domain: DomainName,
        /// One line per property instead of a summary.
        #[arg(long)]
        csv: bool,
    },
    /// Lint real crates, each in a process of its own, and say how much of them is decided; exit 1 on a panic, a hang
    /// or a stack overflow.
    Crates {
        /// Crates of the list, or any as `name@version` [default: the whole list].
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Seconds for one crate.
        #[arg(long, default_value_t = 120.0)]
        timeout: f64,
        /// Threads of each process; all cores by default.
        #[arg(long)]
        jobs: Option<usize>,
        /// Write all figures to a file.
        #[arg(long)]
        json: Option<PathBuf>,
        /// Where sources and answers go.
        #[arg(long, default_value = "target/crates")]
        folder: PathBuf,
        /// Passed on to `kleene lint`.
        #[arg(last = true)]
        options: Vec<String>,
    },
    /// Replay a sample of what is False in real crates: each test is compiled in a copy of the crate and must panic at
    /// its line; exit 1 if one does not.
    Replays {
        /// Crates of the list, or any as `name@version` [default: the whole list].
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// How many results, over all crates.
        #[arg(long, default_value_t = 40)]
        count: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Leave out notes: only errors and warnings.
        #[arg(long)]
        shown: bool,
        /// Seconds for linting one crate, and for its tests.
        #[arg(long, default_value_t = 120.0)]
        timeout: f64,
        /// Where sources, copies and answers go.
        #[arg(long, default_value = "target/crates")]
        folder: PathBuf,
    },
    /// Run the calls of real crates that the analyzer made up and followed, in copies of the crates: each must compile, and
    /// end as it was followed; exit 1 if one does not.
    Calls {
        /// Crates of the list, or any as `name@version` [default: the whole list].
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// How many calls of each crate.
        #[arg(long, default_value_t = 100)]
        count: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds for linting one crate, and for its calls.
        #[arg(long, default_value_t = 120.0)]
        timeout: f64,
        /// Where sources, copies and answers go.
        #[arg(long, default_value = "target/crates")]
        folder: PathBuf,
    },
    /// Compare with `cargo check` and Clippy on real crates: warnings per 1,000 lines, and time; exit 1 on a panic, a hang
    /// or a stack overflow.
    Workflow(workflow_command::Arguments),
    /// Count visits of what is True in real crates, run their own tests and random calls; exit 1 if something fails there.
    Trues(trues_command::Arguments),
    /// The analyzer itself, for a process of its own.
    #[command(hide = true)]
    Kleene {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Check the evidence of every definite verdict on the programs of some folders again; exit 1 if any is
    /// refused.
    VerifyFixtures {
        #[arg(default_values = ["fixtures/traps", "fixtures/papers", "fixtures/regressions", "fixtures/loops",
            "fixtures/loops/broken", "fixtures/suite"])]
        folders: Vec<PathBuf>,
        /// Seconds per property.
        #[arg(long, default_value_t = 10.0)]
        timeout: f64,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum ClassName {
    Tiny,
    Hard,
    Wide,
    Unbounded,
    Related,
    Recursive,
    All,
}

impl ClassName {
    fn classes(self) -> Vec<Class> {
        match self {
            ClassName::Tiny => vec![Class::Tiny],
            ClassName::Hard => vec![Class::Hard],
            ClassName::Wide => vec![Class::Wide],
            ClassName::Unbounded => vec![Class::Unbounded],
            ClassName::Related => vec![Class::Related],
            ClassName::Recursive => vec![Class::Recursive],
            ClassName::All => {
                vec![
                    Class::Tiny,
                    Class::Hard,
                    Class::Unbounded,
                    Class::Wide,
                    Class::Related,
                    Class::Recursive,
                ]
            }
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeName {
    Plain,
    Diamond,
    Web,
}

impl ShapeName {
    fn shape(self) -> Shape {
        match self {
            ShapeName::Plain => Shape::Plain,
            ShapeName::Diamond => Shape::Diamond,
            ShapeName::Web => Shape::Web,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum DomainName {
    Intervals,
    Octagons,
    Polyhedra,
    Auto,
}

impl DomainName {
    fn domain(self) -> Option<Domain> {
        match self {
            DomainName::Intervals => Some(Domain::Intervals),
            DomainName::Octagons => Some(Domain::Octagons),
            DomainName::Polyhedra => Some(Domain::Polyhedra),
            DomainName::Auto => None,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum LevelName {
    Abstract,
    Refine,
    Smt,
}

fn settings(level: LevelName, timeout: f64) -> Settings {
    let level = match level {
        LevelName::Abstract => Level::Abstract,
        LevelName::Refine => Level::Refine,
        LevelName::Smt => Level::Smt,
    };
    Settings { level, timeout: Duration::from_secs_f64(timeout), ..Settings::default() }
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Fuzz {
            minutes,
            seed,
            first,
            cases,
            class,
            jobs,
            level,
            domain,
            timeout,
            out,
            precision,
            mutation,
            enough,
        } => {
            let plan = Plan {
                seed,
                classes: class.classes(),
                first,
                cases,
                time: Duration::from_secs_f64(minutes * 60.0),
                jobs: jobs.unwrap_or_else(rayon::current_num_threads),
                shrinking: Budget::default(),
                enough,
                progress: Progress::Lines,
            };
            let named = |name: &String| Mutation::ALL.into_iter().find(|known| format!("{known:?}") == *name);
            let chosen = mutation.as_ref().map(named);
            if chosen == Some(None) {
                eprintln!("no such mutation; there are {:?}", Mutation::ALL);
                return ExitCode::from(2);
            }
            let domain = domain.domain();
            let alone = |name: &String| {
                let known = Precision::ladder().into_iter().find(|known| known.name == *name)?;
                Some(Precision { domain: domain.unwrap_or(known.domain), ..known })
            };
            let ladder = precision.as_ref().map(|name| alone(name).into_iter().collect::<Vec<_>>());
            if ladder.as_ref().is_some_and(Vec::is_empty) {
                eprintln!("no such precision; there are {:?}", Precision::ladder().map(|known| known.name));
                return ExitCode::from(2);
            }
            let settings =
                Settings { domain, ladder, mutation: chosen.flatten(), ..settings(level, timeout) };
            fuzz(&plan, &settings, out)
        }
        Command::Rust { seed, functions, arith, timeout, class, maybe, show } => {
            rust_command::run(&class, seed, functions, arith, timeout, rust_command::Printed { maybe, show })
        }
        Command::Crates { only, timeout, jobs, json, folder, options } => {
            let timeout = Duration::from_secs_f64(timeout);
            real_crates(&crates::Plan { only, timeout, jobs, options, folder }, json)
        }
        Command::Replays { only, count, seed, shown, timeout, folder } => {
            let timeout = Duration::from_secs_f64(timeout);
            let which = if shown { replays::Which::Shown } else { replays::Which::All };
            replays_command::run(&replays::Plan { only, count, seed, which, timeout, folder })
        }
        Command::Calls { only, count, seed, timeout, folder } => {
            let timeout = Duration::from_secs_f64(timeout);
            calls_command::run(&calls::Plan { only, count, seed, timeout, folder })
        }
        Command::Workflow(arguments) => workflow_command::run(arguments),
        Command::Trues(arguments) => trues_command::run(arguments),
        Command::Kleene { arguments } => {
            kleene::cli::kleene(std::iter::once("kleene".into()).chain(arguments))
        }
        Command::Bulk { seed, functions, shape } => {
            print!("{}", bulk::file(seed, functions, shape.shape()));
            ExitCode::SUCCESS
        }
        Command::Domains { seed, cases, class, level, timeout } => {
            domains(&class.classes(), seed, cases, &settings(level, timeout))
        }
        Command::One { seed, index, class, level, timeout } => {
            one(class_of(&class.classes(), index), seed, index, &settings(level, timeout))
        }
        Command::Sample { seed, cases, class, show } => sample(&class.classes(), seed, cases, show),
        Command::Suite { folder, timeout, level, domain, csv } => {
            let settings = Settings { domain: domain.domain(), ..settings(level, timeout) };
            suite(&folder, &settings, csv)
        }
        Command::VerifyFixtures { folders, timeout } => verify_fixtures(&folders, timeout),
    }
}

fn fuzz(plan: &Plan, settings: &Settings, out: Option<PathBuf>) -> ExitCode {
    // Panics of the engine are counterexamples, not noise.
    std::panic::set_hook(Box::new(|_| {}));
    let (statistics, found) = run(&|case: &Case| ask(case, settings), plan);
    let _ = std::panic::take_hook();
    println!("{}", statistics.table());
    for (number, (case, judged)) in found.iter().enumerate() {
        let text = fixture(case, judged);
        println!("---- counterexample {}\n{text}", number + 1);
        if let Some(folder) = &out {
            let name = format!("{}_{}_{}.cm", case.class.name(), case.seed, case.index);
            let written =
                std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), text));
            if let Err(error) = written {
                eprintln!("{}: {error}", folder.display());
            }
        }
    }
    if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn domains(classes: &[Class], seed: u64, cases: u64, settings: &Settings) -> ExitCode {
    let mut comparison = Comparison::default();
    (0..cases).for_each(|index| comparison.add(classes, seed, index, settings));
    print!("{}", comparison.table());
    for (case, formula) in &comparison.flips {
        println!("---- {formula}\n{}", heading(case));
    }
    let good = comparison.flips.is_empty() && comparison.wrong.iter().all(|wrong| *wrong == 0);
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(class: Class, seed: u64, index: u64, settings: &Settings) -> ExitCode {
    let Some((case, exploration)) = case(class, seed, index) else {
        println!("skipped: too many initial states");
        return ExitCode::SUCCESS;
    };
    print!("{}", heading(&case));
    println!(
        "// {} states{}",
        exploration.states.len(),
        if exploration.is_complete() { "" } else { ", cut off" }
    );
    let judged = compare(&|case: &Case| ask(case, settings), &case, &exploration);
    for one in &judged {
        let mark = if one.wrong.is_some() { "  <-- WRONG" } else { "" };
        let (expected, answer) = (format!("{:?}", one.expected), &one.outcome.answer);
        println!("// {expected:<10} got {answer:?} ({}): {}{mark}", one.outcome.level, one.formula);
    }
    if judged.iter().any(|one| one.wrong.is_some()) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn heading(case: &Case) -> String {
    let mut text = print::program(&case.program);
    text.push_str(&format!("// granularity: {}\n", case.granularity.name()));
    if !case.watch.is_empty() {
        text.push_str(&format!("// watch: {}\n", case.watch.join(", ")));
    }
    if let Some(assume) = case.program.assumption() {
        text.push_str(&format!("// assume: {}\n", print::cond(&assume)));
    }
    text
}

fn sample(classes: &[Class], seed: u64, cases: u64, show: u64) -> ExitCode {
    let silent = |case: &Case| {
        let nothing = Outcome { answer: Answer::Maybe, level: String::new(), granularity: None };
        vec![nothing; case.formulas.len()]
    };
    let mut statistics = Statistics::default();
    for index in 0..cases {
        let Some((case, exploration)) = case(class_of(classes, index), seed, index) else {
            statistics.skipped += 1;
            continue;
        };
        let judged = compare(&silent, &case, &exploration);
        if index < show {
            println!("// ---- {} {index}: {} states", case.class.name(), exploration.states.len());
            print!("{}", heading(&case));
            judged.iter().for_each(|one| println!("// {:?}: {}", one.expected, one.formula));
        }
        statistics.record(&case, &exploration, &judged, 0.0);
    }
    println!("{}", statistics.table());
    ExitCode::SUCCESS
}

fn verify_fixtures(folders: &[PathBuf], timeout: f64) -> ExitCode {
    let mut refused = 0;
    for folder in folders {
        match verify_folder(folder, Duration::from_secs_f64(timeout), &mut |line| println!("{line}")) {
            Ok(count) => {
                let Count { verified, open, refused: own } = count;
                println!("{}: {verified} verified, {own} refused, {open} not verified", folder.display());
                refused += own;
            }
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::from(2);
            }
        }
    }
    if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn suite(folder: &Path, settings: &Settings, csv: bool) -> ExitCode {
    match measure(folder, settings) {
        Ok(measurement) => {
            print!("{}", if csv { measurement.csv() } else { measurement.table() });
            if measurement.wrong() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn real_crates(plan: &crates::Plan, json: Option<PathBuf>) -> ExitCode {
    eprint!("{}", crates::heading());
    let measured = match crates::measure(plan, |measured| eprint!("{}", crates::line(measured))) {
        Ok(measured) => measured,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    if let Some(path) = json
        && let Err(error) = std::fs::write(&path, crates::json(&measured))
    {
        eprintln!("error: {}: {error}", path.display());
        return ExitCode::from(2);
    }
    print!("{}", crates::text(&measured));
    if measured.iter().all(crates::Measured::is_sound) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
