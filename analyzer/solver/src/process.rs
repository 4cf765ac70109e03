//! A solver that is another program, spoken to in SMT-LIB over its standard input and output.
//!
//! Nothing it says is trusted with a panic or a hang: whatever is not a clean answer in time becomes
//! `Unknown` with its reason, and the next check starts a new process.

mod child;

use std::path::Path;
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::clock;
use crate::embedded;
use crate::problem::Problem;
use crate::smtlib;
use crate::solver::{Answer, Model, Reason, Solver};
use child::Child;

const OPTIONS: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n\
                       (set-option :produce-unsat-cores true)\n(set-logic ALL)\n";

/// How long a program may think about its own version.
const VERSION_TIME: Duration = Duration::from_secs(2);

pub struct Process {
    command: Vec<String>,
    name: String,
    problem: Problem,
    child: Option<Child>,
}

impl Process {
    /// The program and its arguments; for a plain `z3` or `cvc5` the arguments are known. Nothing is
    /// started before the first check.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut command: Vec<String> = command.into_iter().map(Into::into).collect();
        let program = command.first().and_then(|program| Path::new(program).file_name()?.to_str());
        let program = program.unwrap_or("no solver").to_string();
        if command.len() == 1 {
            let arguments: &[&str] = match program.as_str() {
                "z3" => &["-in", "-smt2"],
                "cvc5" => &["--incremental", "--lang=smt2"],
                _ => &[],
            };
            command.extend(arguments.iter().map(ToString::to_string));
        }
        Self { command, name: program, problem: Problem::default(), child: None }
    }

    /// The name with the version, which costs a run of the program.
    pub fn with_version(mut self) -> Self {
        let Some(program) = self.command.first() else { return self };
        let probe = Child::start(&[program.clone(), "--version".to_string()]);
        let text = probe.ok().and_then(|probe| probe.transcript(Instant::now() + VERSION_TIME));
        if text.is_none() {
            clock::had_a_say();
        }
        let first = text.as_deref().and_then(|text| text.lines().next()).map(shortened);
        if let Some(version) = first.filter(|version| !version.is_empty()) {
            self.name = format!("{} ({version})", self.name);
        }
        self
    }

    /// The process that is alive, if any: for tests that look for it afterwards.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn ask(&mut self, deadline: Instant) -> Result<Answer, Reason> {
        let fresh = self.child.is_none();
        let child = match &mut self.child {
            Some(child) => child,
            none => none.insert(Child::start(&self.command)?),
        };
        let reset = if fresh { "" } else { "(reset)\n" };
        let question = format!("{reset}{OPTIONS}{}(check-sat)\n", smtlib::script(&self.problem));
        let answer = child.exchange(&question, deadline)?;
        match answer.trim() {
            "sat" => {
                let variables = self.problem.variables();
                if variables.is_empty() {
                    return Ok(Answer::Sat(Model::default()));
                }
                let names: Vec<String> =
                    variables.iter().map(|variable| smtlib::variable_name(*variable)).collect();
                let text = child.exchange(&format!("(get-value ({}))\n", names.join(" ")), deadline)?;
                let values = smtlib::values(&text).ok_or_else(|| garbage(&text))?;
                Ok(Answer::Sat(values.into_iter().collect()))
            }
            "unsat" => {
                let text = child.exchange("(get-unsat-core)\n", deadline)?;
                let count = self.problem.assertions().len();
                let core = smtlib::core(&text).filter(|core| core.iter().all(|index| *index < count));
                // The answer stands without the core.
                Ok(Answer::Unsat(core.unwrap_or_else(|| (0..count).collect())))
            }
            "unknown" => {
                let text = child.exchange("(get-info :reason-unknown)\n", deadline)?;
                Err(Reason::GaveUp(shortened(&text)))
            }
            other => Err(garbage(other)),
        }
    }
}

fn garbage(text: &str) -> Reason {
    Reason::Garbage(shortened(text))
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(200).collect()
}

impl Solver for Process {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn problem_mut(&mut self) -> &mut Problem {
        &mut self.problem
    }

    fn solve(&mut self, budget: &Budget) -> Answer {
        // What has no form in the logic of integers is decided here.
        if !smtlib::expressible(&self.problem) {
            return embedded::decide(&self.problem, budget);
        }
        // A deadline beyond the clock's range is none.
        let time = budget.time.min(Duration::from_secs(1 << 30));
        match self.ask(Instant::now() + time) {
            Ok(answer) => answer,
            Err(reason) => {
                let has_no_method = matches!(&reason, Reason::GaveUp(why) if why.contains("incomplete"));
                if !has_no_method {
                    clock::had_a_say();
                }
                if !matches!(reason, Reason::GaveUp(_)) {
                    self.child = None;
                }
                Answer::Unknown(reason)
            }
        }
    }
}
