//! What each lint means, for people.

use super::Lint;
use super::suppressions::clippy;

/// The page of a lint.
pub fn explain(lint: Lint) -> String {
    let Page { what, why, bad, good } = page(lint);
    let on = if lint.is_on_by_default() { "" } else { "\n\nOff unless it is asked for." };
    let polarity = match lint {
        Lint::ConstantCondition => {
            "False: the condition is reached and always has the same outcome (with a proof). \
             True: both outcomes occur, or it is never reached. Maybe: undecided."
        }
        Lint::UnreachableCode => {
            "False: no run comes here (with a proof). True: a run does. Maybe: undecided."
        }
        Lint::NonTermination => {
            "False: some input stays in the loop for ever (with the run). True: every run leaves it. \
             Maybe: undecided. A loop without a way out is meant to run for ever and is not looked at."
        }
        _ => {
            "False: it happens for some input (with the run, replayed). True: it never happens, whatever \
             the input. Maybe: undecided, with the reason."
        }
    };
    format!(
        "{}\n\n{what}\n\n{why}{on}\n\nBad:\n{}\nGood:\n{}\n{polarity}\n\n{}\n\n{}\n",
        lint.name(),
        indented(bad),
        indented(good),
        severity(lint),
        alone(lint),
    )
}

/// How much a False counts.
fn severity(lint: Lint) -> &'static str {
    match lint {
        Lint::Overflow => {
            "A False is a warning if numbers up to 65536 and data of up to 4096 elements show it, or if the result becomes \
             an index, a size of an allocation or part of unsafe code, or stands beside a checked_… on the same variables; \
             else a note."
        }
        Lint::DivisionByZero | Lint::IndexOutOfBounds | Lint::InvalidShift => {
            "A False is a warning, whatever the values; a note where `# Panics` announces it and in operators."
        }
        Lint::UnwrapFailed => {
            "A False is a warning, whatever the values; a note where `# Panics` announces it, and for `expect` on arguments."
        }
        Lint::AssertionFailed => {
            "A False is a warning if ordinary values show it; a note if the condition speaks of arguments only, or where \
             `# Panics` announces it."
        }
        Lint::ReachablePanic => {
            "A False is a warning for unreachable!, todo! and unimplemented!, and for others if ordinary values show it; a \
             note behind conditions on arguments only, or where `# Panics` announces it."
        }
        Lint::NonTermination => "A False is a warning, whatever the values.",
        Lint::LossyCast | Lint::ConstantCondition | Lint::UnreachableCode | Lint::UninitialisedRead => {
            "A False is a warning."
        }
    }
}

/// How to leave a place alone.
fn alone(lint: Lint) -> String {
    let name = lint.name();
    let others = clippy::names(lint);
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(", or #[allow({})]", others.join(", ")),
    };
    format!("Left alone by `// kleene: allow({name}) reason`{others}. Not looked for with -A {name}.")
}

/// What it looks for, in one line.
pub fn summary(lint: Lint) -> &'static str {
    page(lint).what
}

struct Page {
    what: &'static str,
    why: &'static str,
    bad: &'static str,
    good: &'static str,
}

fn indented(code: &str) -> String {
    code.lines().map(|line| format!("    {line}\n")).collect()
}

fn page(lint: Lint) -> Page {
    match lint {
        Lint::Overflow => Page {
            what: "Arithmetic whose result does not fit its type: + - * and negation, and MIN / -1.",
            why: "Debug builds panic, release builds go on with a wrong number.",
            bad: "fn middle(low: u32, high: u32) -> u32 {\n    (low + high) / 2\n}",
            good: "fn middle(low: u32, high: u32) -> u32 {\n    low / 2 + high / 2 + (low % 2 + high % 2) / 2\n}",
        },
        Lint::DivisionByZero => Page {
            what: "A division or remainder whose divisor can be 0.",
            why: "It panics (in C it is undefined).",
            bad: "fn average(sum: u32, count: u32) -> u32 {\n    sum / count\n}",
            good: "fn average(sum: u32, count: u32) -> u32 {\n    if count == 0 { 0 } else { sum / count }\n}",
        },
        Lint::IndexOutOfBounds => Page {
            what: "An index, slice or split that can lie outside.",
            why: "It panics (in C it reads or writes something else).",
            bad: "fn last(table: [u8; 4], count: usize) -> u8 {\n    table[count]\n}",
            good: "fn last(table: [u8; 4], count: usize) -> u8 {\n    table[count % 4]\n}",
        },
        Lint::InvalidShift => Page {
            what: "A shift by at least the width of the type, or by a negative count.",
            why: "Debug builds panic, release builds shift by another count (in C it is undefined).",
            bad: "fn bit(index: u32) -> u32 {\n    1 << index\n}",
            good: "fn bit(index: u32) -> u32 {\n    if index < 32 { 1 << index } else { 0 }\n}",
        },
        Lint::UnwrapFailed => Page {
            what: "`unwrap` or `expect` of a value that can be None or Err.",
            why: "It panics.",
            bad: "fn next(x: u8) -> u8 {\n    x.checked_add(1).unwrap()\n}",
            good: "fn next(x: u8) -> u8 {\n    x.checked_add(1).unwrap_or(u8::MAX)\n}",
        },
        Lint::AssertionFailed => Page {
            what: "An assertion that can be wrong: assert!, assert_eq!, debug_assert!, assert() of C and C-.",
            why: "It says what the author took for granted.",
            bad: "fn half(x: u32) -> u32 {\n    assert!(x % 2 == 0);\n    x / 2\n}",
            good: "fn half(x: u32) -> u32 {\n    x / 2\n}",
        },
        Lint::ReachablePanic => Page {
            what: "A panic!, unreachable!, todo! or abort() that a run can come to.",
            why: "What was thought impossible is possible.",
            bad: "fn sign(x: i32) -> i32 {\n    if x > 0 { 1 } else if x < 0 { -1 } else { unreachable!() }\n}",
            good: "fn sign(x: i32) -> i32 {\n    if x > 0 { 1 } else if x < 0 { -1 } else { 0 }\n}",
        },
        Lint::LossyCast => Page {
            what: "An `as` that changes the value.",
            why: "The number goes on as another one, silently.",
            bad: "fn low(x: u32) -> u8 {\n    x as u8\n}",
            good: "fn low(x: u32) -> u8 {\n    (x & 0xff) as u8\n}",
        },
        Lint::ConstantCondition => Page {
            what: "A condition that has the same outcome whenever it is reached.",
            why: "One of the two ways was written for nothing, or the comparison is the wrong one.",
            bad: "fn check(x: u8) -> bool {\n    if x >= 0 { true } else { false }\n}",
            good: "fn check(x: i8) -> bool {\n    if x >= 0 { true } else { false }\n}",
        },
        Lint::UnreachableCode => Page {
            what: "Code that no run comes to.",
            why: "It is either superfluous or kept from running by a mistake.",
            bad: "int f(int x) {\n    if (x > 5 && x < 3) { return 1; }\n    return 0;\n}",
            good: "int f(int x) {\n    if (x > 3 && x < 5) { return 1; }\n    return 0;\n}",
        },
        Lint::NonTermination => Page {
            what: "A loop with a way out in which some input stays for ever.",
            why: "The program hangs.",
            bad: "void f(int n, int step) {\n    while (n > 0) { n = n - step; }\n}",
            good: "void f(int n, int step) {\n    if (step < 1) { step = 1; }\n    while (n > 0) { n = n - step; }\n}",
        },
        Lint::UninitialisedRead => Page {
            what: "A variable that is read before anything was stored in it (C-, C).",
            why: "It can hold any value.",
            bad: "int f(int c) {\n    int x;\n    if (c) { x = 1; }\n    return x;\n}",
            good: "int f(int c) {\n    int x = 0;\n    if (c) { x = 1; }\n    return x;\n}",
        },
    }
}
