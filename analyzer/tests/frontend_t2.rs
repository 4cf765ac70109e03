//! Transition systems: random blocks against a direct reading of them, and input that is no program.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use kleene::concrete::{Choice, Interpreter, State, Status};
use kleene::frontend::{self, FrontendOptions, Language, Lowered};
use kleene::ir::verify;
use kleene::source::{Diagnostic, FileId, SourceFile};
use kleene_domains::Int;
use kleene_domains::laws::Numbers;

fn lower(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let file: Arc<SourceFile> = SourceFile::new(FileId(0), "program.t2", text);
    frontend::lower(&file, Language::T2, &FrontendOptions::default())
}

/// A random command of a block: `d` draws, `x` and `y` are what it is about.
enum Command {
    Assume(Condition),
    Assign(usize, Term),
    Draw(usize),
}

/// `a*x + b*y + c*d + e`
struct Term([i64; 4]);

enum Condition {
    Compare(Term, &'static str),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

const NAMES: [&str; 3] = ["x", "y", "d"];
/// Drawn values of random blocks lie between minus this and this.
const REACH: i64 = 4;

impl Term {
    fn random(numbers: &mut Numbers) -> Self {
        Self([0; 4].map(|_| match numbers.below(3) {
            0 => 0,
            _ => numbers.between(-3, 3),
        }))
    }

    fn text(&self) -> String {
        let Self([x, y, d, constant]) = self;
        format!("{x}*x + {y}*y - {}*d + ({constant})", -d)
    }

    fn value(&self, at: &[i64; 3]) -> i64 {
        let Self([x, y, d, constant]) = self;
        x * at[0] + y * at[1] + d * at[2] + constant
    }
}

impl Condition {
    fn random(numbers: &mut Numbers, depth: usize) -> Self {
        let part = |numbers: &mut Numbers| Box::new(Self::random(numbers, depth - 1));
        match numbers.below(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => {
                let operators = ["<", "<=", ">", ">=", "==", "=", "!="];
                let operator = operators[numbers.below(operators.len())];
                Self::Compare(Term::random(numbers), operator)
            }
            2 => Self::Both(part(numbers), part(numbers)),
            3 => Self::Either(part(numbers), part(numbers)),
            _ => Self::Not(part(numbers)),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Compare(term, operator) => format!("{} {operator} 0", term.text()),
            Self::Both(left, right) => format!("({} && {})", left.text(), right.text()),
            Self::Either(left, right) => format!("({} || {})", left.text(), right.text()),
            Self::Not(inner) => format!("!({})", inner.text()),
        }
    }

    fn holds(&self, at: &[i64; 3]) -> bool {
        match self {
            Self::Compare(term, operator) => match *operator {
                "<" => term.value(at) < 0,
                "<=" => term.value(at) <= 0,
                ">" => term.value(at) > 0,
                ">=" => term.value(at) >= 0,
                "!=" => term.value(at) != 0,
                _ => term.value(at) == 0,
            },
            Self::Both(left, right) => left.holds(at) && right.holds(at),
            Self::Either(left, right) => left.holds(at) || right.holds(at),
            Self::Not(inner) => !inner.holds(at),
        }
    }
}

fn random_block(numbers: &mut Numbers) -> Vec<Command> {
    let mut commands = Vec::new();
    for _ in 0..1 + numbers.below(5) {
        commands.push(match numbers.below(5) {
            0 => Command::Draw(numbers.below(3)),
            1 | 2 => Command::Assume(Condition::random(numbers, 2)),
            _ => Command::Assign(numbers.below(3), Term::random(numbers)),
        });
    }
    commands
}

/// What a block makes of a state, whatever it draws.
fn successors(commands: &[Command], at: [i64; 3], found: &mut BTreeSet<[i64; 3]>) {
    let Some((first, rest)) = commands.split_first() else {
        found.insert(at);
        return;
    };
    let with = |variable: usize, value: i64| {
        let mut next = at;
        next[variable] = value;
        next
    };
    match first {
        Command::Assume(condition) if !condition.holds(&at) => {}
        Command::Assume(_) => successors(rest, at, found),
        Command::Assign(variable, term) => successors(rest, with(*variable, term.value(&at)), found),
        Command::Draw(variable) => {
            (-REACH..=REACH).for_each(|value| successors(rest, with(*variable, value), found));
        }
    }
}

fn written(blocks: &[Vec<Command>]) -> String {
    // Every variable exists, in this order.
    let mut text = "START: 0;\nFROM: 9; x := x; y := y; d := d; TO: 9;\n".to_string();
    for commands in blocks {
        text.push_str("FROM: 0;\n");
        for command in commands {
            let _ = match command {
                Command::Assume(condition) => writeln!(text, "assume({});", condition.text()),
                Command::Assign(variable, term) => writeln!(text, "{} := {};", NAMES[*variable], term.text()),
                Command::Draw(variable) => {
                    let name = NAMES[*variable];
                    writeln!(text, "{name} := nondet(); assume({name} >= -{REACH} && {name} <= {REACH});")
                }
            };
        }
        text.push_str("TO: 0;\n");
    }
    text
}

/// All steps of the lowered program from a state: every combination of inputs. `None` if there are too many.
fn steps(interpreter: &Interpreter<'_>, state: &State) -> Option<Vec<State>> {
    let mut found = Vec::new();
    let mut prefix: Vec<i64> = Vec::new();
    for _ in 0..5_000 {
        let mut drawn: Vec<(i64, i64)> = Vec::new();
        let next = interpreter.step(state, &mut |choice: &Choice<'_>| {
            // Draws of random blocks are bounded on both sides, or nobody reads them.
            let low = choice.low.as_ref().and_then(Int::to_i64).unwrap_or(-40);
            let high = choice.high.as_ref().and_then(Int::to_i64).unwrap_or(40);
            let value = prefix.get(drawn.len()).copied().unwrap_or(low);
            drawn.push((value, high));
            Some(Int::from(value))
        });
        found.push(next.expect("every input may be chosen"));
        // The next combination, the last input first.
        let Some(at) = drawn.iter().rposition(|(value, high)| value < high) else { return Some(found) };
        prefix = drawn[..=at].iter().map(|(value, _)| *value).collect();
        prefix[at] += 1;
    }
    None
}

#[test]
fn random_blocks_do_what_they_say() {
    let mut numbers = Numbers::seeded(3);
    let (mut compared, mut ended, mut solved) = (0, 0, 0);
    for _ in 0..1500 {
        let blocks: Vec<_> = (0..1 + numbers.below(3)).map(|_| random_block(&mut numbers)).collect();
        let text = written(&blocks);
        // Conditions without an exact solution are refused; that is told apart below.
        let Ok(lowered) = lower(&text) else { continue };
        solved += 1;
        assert_eq!(verify::verify(&lowered.program), Ok(()), "{text}");
        let interpreter = Interpreter::new(&lowered.program);
        let locals = vec![Int::ZERO; interpreter.layout.frame(lowered.program.entry) as usize];
        for at in [[0, 0, 0], [1, -1, 2], [-3, 2, 0], [5, 1, -4], [2, 7, 1]] {
            let globals = at.iter().map(|value| Int::from(*value)).collect();
            let state = interpreter.initial(globals, locals.clone(), &mut |_| None).expect("no initialiser");
            let mut expected = BTreeSet::new();
            blocks.iter().for_each(|block| successors(block, at, &mut expected));
            assert_eq!(interpreter.has_ended(&state), expected.is_empty(), "{text} at {at:?}");
            if expected.is_empty() {
                ended += 1;
                expected.insert(at);
            }
            let Some(found) = steps(&interpreter, &state) else { continue };
            let found: BTreeSet<[i64; 3]> = found
                .into_iter()
                .map(|next| {
                    assert_eq!(next.status, Status::Running, "{text} at {at:?}");
                    [0, 1, 2].map(|slot: usize| next.globals[slot].to_i64().expect("small numbers"))
                })
                .collect();
            assert_eq!(found, expected, "{text} at {at:?}");
            compared += 1;
        }
    }
    assert!(compared > 2000 && ended > 300 && solved > 1000, "{compared} {ended} {solved}");
}

#[test]
fn wrong_input_is_refused_and_nothing_panics() {
    let deep = |open: &str, close: &str| {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        format!("START: 0; FROM: 0; assume({open}x > 0{close}); TO: 0;")
    };
    let many = "x + ".repeat(100_000);
    let wrong = [
        String::new(),
        "\u{0}\u{1}\u{fffd}\u{7f}ELF".into(),
        "START".into(),
        "START:".into(),
        "START: ;".into(),
        "FROM: 0; TO: 1;".into(),
        "START: 0; FROM: 0; TO:".into(),
        "START: 0; FROM: 0; START: 1; TO: 1;".into(),
        "START: 0; TO: 0; TO: 0;".into(),
        deep("(", ")"),
        deep("!", ""),
        deep("-", ""),
        deep("!(", ")"),
        format!("START: 0; FROM: 0; x := {many} 1; TO: 0;"),
        format!("START: 0; FROM: 0; x := {}; TO: 0;", "9".repeat(100_000)),
        format!("START: 0; FROM: 0; {} TO: 0;", "x := x * x; ".repeat(60)),
        format!("START: 0; FROM: 0; {}", "assume(".repeat(50_000)),
        format!("START: 0; {}", "FROM: 0; ".repeat(50_000)),
    ];
    for text in &wrong {
        let errors = lower(text).expect_err(&text[..text.len().min(60)]);
        assert!(!errors.is_empty() && errors.len() <= 101, "{} errors", errors.len());
    }
}

#[test]
fn unusual_programs_are_read() {
    let chain = vec!["x > 0"; 20_000].join(" && ");
    let right = [
        "START: 0;".to_string(),
        "START: 0; FROM: 5; TO: 6;".into(),
        "START: 0; FROM: 0; TO: nowhere;".into(),
        "\u{feff}START: 0;\r\nFROM: 0;\r\nTO: 0;\r\n".into(),
        "START: 0 FROM: 0 TO: 0 FROM: 0; x := 1; TO: 0;".into(),
        format!("START: 0; FROM: 0; assume({chain}); TO: 0;"),
        format!("START: 0; FROM: 0; {} TO: 0;", "x := x + x; ".repeat(200)),
        format!("START: 0; FROM: 0; {} TO: 0;", "x := nondet(); ".repeat(2000)),
        format!("START: 0; {}", "FROM: 0; assume(x > 0); x := x - 1; TO: 0; ".repeat(2000)),
        (0..20_000).fold("START: 0; ".to_string(), |mut text, at| {
            let _ = writeln!(text, "FROM: {at}; assume(x{at} > {at}); x := x + 1; TO: {};", at + 1);
            text
        }),
    ];
    for text in &right {
        let lowered =
            lower(text).unwrap_or_else(|errors| panic!("{}: {errors:?}", &text[..text.len().min(80)]));
        assert_eq!(verify::verify(&lowered.program), Ok(()));
    }
}
