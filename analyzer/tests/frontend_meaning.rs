//! What lowered programs compute, run by the concrete interpreter and compared with Rust's arithmetic.

use kleene::concrete::{Interpreter, Status};
use kleene::frontend::{self, Arithmetic, FrontendOptions, Integers, Language};
use kleene::ir::FailKind;
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Value(Int),
    Failed(FailKind),
    /// Steps taken when the run ended or was given up.
    Other(Status, usize),
}

/// Runs `main` with these parameters; the outcome is the first global.
fn run(text: &str, language: Language, options: &FrontendOptions, parameters: &[i128]) -> (Outcome, usize) {
    let file = SourceFile::new(FileId(0), "program", text);
    let lowered =
        frontend::lower(&file, language, options).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let interpreter = Interpreter::new(&lowered.program);
    let globals =
        lowered.program.globals.iter().flat_map(|global| vec![Int::ZERO; global.ty.slots() as usize]);
    let frame = interpreter.layout.frame(lowered.program.entry) as usize;
    let mut locals: Vec<Int> = parameters.iter().map(|value| Int::from(*value)).collect();
    locals.resize(frame, Int::ZERO);
    let mut choose = |choice: &kleene::concrete::Choice<'_>| {
        choice.low.clone().or(choice.high.clone()).or(Some(Int::ZERO))
    };
    let mut state = interpreter.initial(globals.collect(), locals, &mut choose).expect("an initial state");
    let mut steps = 0;
    while state.status == Status::Running && steps < 10_000 {
        state = interpreter.step(&state, &mut choose).expect("a step");
        steps += 1;
    }
    let outcome = match state.status {
        Status::Ended => Outcome::Value(state.globals.get(0).cloned().unwrap_or(Int::ZERO)),
        Status::Failed(kind) => Outcome::Failed(kind),
        status => Outcome::Other(status, steps),
    };
    (outcome, steps)
}

fn unbounded() -> FrontendOptions {
    FrontendOptions::default()
}

fn machine() -> FrontendOptions {
    FrontendOptions { integers: Integers::Machine, ..FrontendOptions::default() }
}

type Reference = fn(i128, i128) -> i128;

#[test]
fn unbounded_operators_are_exact() {
    let table: [(&str, Reference); 26] = [
        ("x + y * 2", |x, y| x + y * 2),
        ("x - -y", |x, y| x + y),
        ("x / 3", |x, _| x / 3),
        ("x % 3", |x, _| x % 3),
        ("x & 7", |x, _| x & 7),
        ("x & 1", |x, _| x & 1),
        ("x & 12", |x, _| x & 12),
        ("x & 5", |x, _| x & 5),
        ("x & -4", |x, _| x & -4),
        ("x & ~5", |x, _| x & !5),
        ("9 & x", |x, _| 9 & x),
        ("x | 6", |x, _| x | 6),
        ("x | -8", |x, _| x | -8),
        ("x ^ 5", |x, _| x ^ 5),
        ("x ^ -1", |x, _| x ^ -1),
        ("~x", |x, _| !x),
        ("x << 3", |x, _| x << 3),
        ("x >> 2", |x, _| x >> 2),
        ("(x >> 1) & 3", |x, _| (x >> 1) & 3),
        ("x < y", |x, y| i128::from(x < y)),
        ("(x < y) + (x == y) * 2", |x, y| i128::from(x < y) + i128::from(x == y) * 2),
        ("x && y || !x", |x, y| i128::from(x == 0 || y != 0)),
        ("x > 0 ? y : -y", |x, y| if x > 0 { y } else { -y }),
        ("!x ? 1 : !!y", |x, y| i128::from(x == 0 || y != 0)),
        ("(x > 0) & (y > 0) | (x < y) ^ 1", |x, y| i128::from(x > 0 && y > 0) | (i128::from(x < y) ^ 1)),
        ("(_Bool) (x + y)", |x, y| i128::from(x + y != 0)),
    ];
    for (text, reference) in table {
        let program = format!("int r; int main(int x, int y) {{ r = {text}; }}");
        for x in -9..=9 {
            for y in [-3, 0, 1, 8] {
                let (outcome, steps) = run(&program, Language::C, &unbounded(), &[x, y]);
                assert_eq!(outcome, Outcome::Value(Int::from(reference(x, y))), "{text} at {x}, {y}");
                assert_eq!(steps, 1, "{text} is one step");
            }
        }
    }
}

#[test]
fn machine_operators_wrap_and_convert() {
    let table: [(&str, Reference); 16] = [
        ("x + y", |x, y| i128::from((x as i32).wrapping_add(y as i32))),
        ("x - y", |x, y| i128::from((x as i32).wrapping_sub(y as i32))),
        ("x * y", |x, y| i128::from((x as i32).wrapping_mul(y as i32))),
        ("-x", |x, _| i128::from((x as i32).wrapping_neg())),
        ("~x", |x, _| i128::from(!(x as i32))),
        ("x << 5", |x, _| i128::from((x as i32).wrapping_shl(5))),
        ("x >> 5", |x, _| i128::from((x as i32) >> 5)),
        ("(unsigned) x >> 5", |x, _| i128::from(((x as u32) >> 5) as i32)),
        ("(unsigned) x / 3", |x, _| i128::from(((x as u32) / 3) as i32)),
        ("(unsigned) x < (unsigned) y", |x, y| i128::from((x as u32) < (y as u32))),
        ("x < (unsigned) y", |x, y| i128::from((x as u32) < (y as u32))),
        ("(char) x", |x, _| i128::from(x as i8)),
        ("(unsigned char) x + (short) y", |x, y| i128::from(i32::from(x as u8) + i32::from(y as i16))),
        ("(unsigned char) x & 0x3c", |x, _| i128::from(x as u8 & 0x3c)),
        ("((long) x * y) >> 32", |x, y| i128::from((((x as i64) * (y as i64)) >> 32) as i32)),
        ("x ^ 0x55", |x, _| i128::from(x as i32 ^ 0x55)),
    ];
    let values =
        [0, 1, -1, 2, 77, -300, 65_535, -65_536, i128::from(i32::MAX), i128::from(i32::MIN), 123_456_789];
    for (text, reference) in table {
        let program = format!("int r; int main(int x, int y) {{ r = {text}; }}");
        for x in values {
            for y in values {
                let (outcome, _) = run(&program, Language::C, &machine(), &[x, y]);
                assert_eq!(outcome, Outcome::Value(Int::from(reference(x, y))), "{text} at {x}, {y}");
            }
        }
    }
}

#[test]
fn failures_come_in_order_of_evaluation() {
    use FailKind::{Assertion, DivisionByZero, Index};
    let cases: [(&str, Option<FailKind>); 10] = [
        ("r = 10 / x;", Some(DivisionByZero)),
        ("r = x != 0 && 10 / x > 1;", None),
        ("r = x == 0 || 10 / x > 1;", None),
        ("r = x ? 10 / x : 3;", None),
        ("r = a[x - 1];", Some(Index)),
        ("r = a[3];", Some(Index)),
        ("r = a[10 / x];", Some(DivisionByZero)),
        ("a[x + 3] = 10 / x;", Some(Index)),
        ("assert(10 / x > 0);", Some(DivisionByZero)),
        ("assert(x > 0 || x < 0);", Some(Assertion)),
    ];
    for (text, failure) in cases {
        let program = format!("int r = 7; int a[3] = {{0, 0, 0}}; int main(int x) {{ {text} }}");
        let (outcome, steps) = run(&program, Language::CMinus, &unbounded(), &[0]);
        match failure {
            Some(kind) => assert_eq!(outcome, Outcome::Failed(kind), "{text}"),
            None => assert!(matches!(outcome, Outcome::Value(_)), "{text}: {outcome:?}"),
        }
        assert_eq!(steps, 1, "{text}");
    }
}

#[test]
fn statements_compute_what_c_says() {
    let cases = [
        ("int i = 3; r = i++ * 10 + i;", 34),
        ("int i = 3; r = --i * 10 + i;", 22),
        ("int a, b; r = a = b = 4; r = r + a + b;", 12),
        ("int i = 5; while (i-- > 0) r++;", 5),
        ("for (int i = 0, j = 10; i < j; i++, j--) r += j - i;", 30),
        ("int s = 0; for (;;) { if (s > 4) break; s++; if (s % 2) continue; r += s; }", 6),
        ("int i = 0; do { r += i; } while (++i < 4);", 6),
        ("switch (3) { case 1: r = 1; case 3: r += 3; case 4: r += 4; break; default: r = 9; }", 7),
        ("switch (8) { case 1: r = 1; default: r += 5; case 2: r += 2; }", 7),
        ("int i = 0; again: r += 2; if (++i < 3) goto again;", 6),
        ("r = f(3) + f(4) * 10;", 106),
        ("if (f(0) && f(1 / 0)) r = 1; else r = 2;", 2),
        ("r = f(2) ? f(3) : f(1 / 0);", 6),
        ("int n = 0; r = n && f(1 / n);", 0),
        ("static int c = 3; c++; r = c;", 4),
        ("int x = 1; { int x = 2; { int x = 3; } x++; r = x; } r = r * 10 + x;", 31),
        ("int a[] = {1, 2, 3}; int i = 0; a[i++] = 7; a[i] += a[0]; r = a[1] * 10 + i;", 91),
        ("_Bool b = 5; r = b; b = 0; b--; r = r * 10 + b;", 11),
        ("r = (1, 2, 3);", 3),
        ("r = BLUE * 10 + RED;", 60),
    ];
    for (text, expected) in cases {
        let program = format!(
            "int r; enum {{ RED, GREEN = 5, BLUE }}; int f(int n) {{ if (n <= 0) return 0; return n + f(n - 1); }}
             int main(void) {{ {text} }}"
        );
        let (outcome, _) = run(&program, Language::C, &machine(), &[]);
        assert_eq!(outcome, Outcome::Value(Int::from(expected)), "{text}");
    }
}

#[test]
fn files_of_c_may_declare_what_c_has_by_now() {
    let cases = [
        ("typedef enum {false, true} bool; int r; int main() { bool b = true; b = b + 1; r = b; }", 2),
        ("enum {true, false}; int r; int main() { r = true * 10 + false; }", 1),
        ("typedef int bool; int r; int main(void) { bool b = 7; r = b; }", 7),
        ("typedef unsigned char boolean; int r; int main(void) { boolean b = 257; r = b; }", 1),
        ("int r; int main(void) { bool b = 7; r = b; }", 1),
        ("int nondet(int a, int b) { return a * b; } int r; int main() { r = [5, 8] + nondet(2, 3); }", 11),
        ("int r; int main() { int a[] = {4, 5}; r = a[[1, 1]]; }", 5),
    ];
    for (text, expected) in cases {
        let (outcome, _) = run(text, Language::C, &machine(), &[]);
        assert_eq!(outcome, Outcome::Value(Int::from(expected)), "{text}");
    }
}

#[test]
fn steps_are_counted_as_documented() {
    let cases = [
        ("", 0),
        (";;{}", 0),
        ("int x;", 1),
        ("int x = 1, y; x = y;", 3),
        ("L: x: ;", 0),
        ("if (1) ; else ;", 1),
        ("int i; for (i = 0; i < 2; i++) ;", 7),
        ("int i = 0; while (i < 2) { i++; continue; }", 6),
        ("int x = f(1);", 3),
        ("f(1);", 2),
        ("g();", 2),
        ("print(1); tick(); assert(1); assume(1);", 4),
        ("if (f(1) > 0 && 1 > 0) ;", 3),
        ("if (1 > 0 && f(1) > 0) ;", 4),
        ("int x = nondet(1, 2) + nondet(); x = nondet(); scanf(x);", 3),
        ("return;", 1),
    ];
    for (text, expected) in cases {
        let program = format!("int f(int n) {{ return n; }} void g() {{ }} void main() {{ {text} }}");
        let (outcome, steps) = run(&program, Language::CMinus, &unbounded(), &[]);
        assert!(matches!(outcome, Outcome::Value(_)), "{text}: {outcome:?}");
        assert_eq!(steps, expected, "{text}");
    }
}

#[test]
fn rust_arithmetic_fails_or_wraps() {
    use FailKind::{Assertion, DivisionByZero, Overflow};
    let ok: Option<FailKind> = None;
    let release = FrontendOptions { arithmetic: Arithmetic::Release, ..FrontendOptions::default() };
    type Case = (&'static str, i128, i128, Option<FailKind>, Option<FailKind>);
    let cases: [Case; 14] = [
        ("x + y == 255", 250, 5, ok, ok),
        ("x + y == 4", 250, 10, Some(Overflow), ok),
        ("x - y == 255", 0, 1, Some(Overflow), ok),
        ("x * y == 0", 16, 16, Some(Overflow), ok),
        ("x / y == 2", 5, 2, ok, ok),
        ("x / y == 2", 5, 0, Some(DivisionByZero), Some(DivisionByZero)),
        ("x % y == 2", 5, 0, Some(DivisionByZero), Some(DivisionByZero)),
        ("x as i8 == -1", 255, 0, ok, ok),
        ("-(x as i8) == -128", 128, 0, Some(Overflow), ok),
        ("(x as i8) / (y as i8) == 1", 128, 255, Some(Overflow), Some(Overflow)),
        ("(x as i8) % (y as i8) == 1", 128, 255, Some(Overflow), Some(Overflow)),
        ("y == 0 || x / y > 0", 3, 0, ok, ok),
        ("x as u32 * 1000 == 255000", 255, 0, ok, ok),
        ("(if x > y { x } else { y }) == 9", 9, 3, ok, ok),
    ];
    for (text, x, y, debug, wrapping) in cases {
        let program = format!("fn main(x: u8, y: u8) {{ assert!({text}); }}");
        for (options, failure) in [(&unbounded(), debug), (&release, wrapping)] {
            let (outcome, steps) = run(&program, Language::Rust, options, &[x, y]);
            let expected = failure.map_or(Outcome::Value(Int::ZERO), Outcome::Failed);
            assert_eq!(outcome, expected, "{text} at {x}, {y}");
            assert_eq!(steps, 1);
        }
    }
    let order = "fn boom() -> u8 { panic!() } fn main(x: u8) { let y: u8 = 1 / x + boom(); }";
    assert_eq!(run(order, Language::Rust, &release, &[0]).0, Outcome::Failed(DivisionByZero));
    let failing = "fn main() { assert_eq!(1u8, 2); }";
    assert_eq!(run(failing, Language::Rust, &release, &[]).0, Outcome::Failed(Assertion));
}
