//! Every integer operation of the std table against the real one: all values of 8-bit types (second operands
//! from a list), edge values of wider ones, in both arithmetic modes.

use std::panic::catch_unwind;
use std::sync::Once;

use kleene::concrete::{Interpreter, Status};
use kleene::frontend::rust::Crate;
use kleene::frontend::{Arithmetic, FrontendOptions};
use kleene::ir::Program;
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let expected =
                info.payload().downcast_ref::<String>().is_some_and(|text| text.starts_with("attempt"))
                    || info.location().is_some_and(|at| at.file().contains("/library/"));
            if !expected {
                usual(info);
            }
        }));
    });
}

/// `r` is what the operation gives, as a number; `None` where it panics.
fn program(ty: &str, second: &str, result: &str, text: &str, arithmetic: Arithmetic) -> Option<Program> {
    let text = format!("fn check(a: {ty}, b: {second}, r: {result}) {{ assert!(({text}) == r); }}");
    let file = SourceFile::new(FileId(0), "row.rs", text.clone());
    let options = FrontendOptions { arithmetic, ..FrontendOptions::default() };
    let read = Crate::read(&file, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    let entry = read.entry_named("check").expect("the function is there");
    let lowered = read.program(&entry).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let power = text.contains("pow(");
    assert!(power || lowered.unknown.is_empty(), "{text}: {:?}", lowered.unknown);
    Some(lowered.program)
}

fn run(program: &Program, inputs: &[Int]) -> Option<Status> {
    let interpreter = Interpreter::new(program);
    let globals = program.globals.iter().flat_map(|global| vec![Int::ZERO; global.ty.slots() as usize]);
    let mut locals = inputs.to_vec();
    locals.resize(interpreter.layout.frame(program.entry) as usize, Int::ZERO);
    let mut choose = |_: &kleene::concrete::Choice<'_>| None;
    let mut state = interpreter.initial(globals.collect(), locals, &mut choose).ok()?;
    while state.status == Status::Running {
        // A power with a very large exponent is not known.
        state = interpreter.step(&state, &mut choose).ok()?;
    }
    Some(state.status)
}

fn agree(label: &str, programs: &[Program], inputs: [Int; 2], real: [Option<Vec<Int>>; 2]) {
    for (program, real) in programs.iter().zip(real) {
        let (result, fails) = match real {
            Some(result) => (result, false),
            None => (vec![Int::ZERO; 4], true),
        };
        let mut all = inputs.to_vec();
        all.extend(result);
        let parameters = program.entry_function().parameters as usize;
        all.truncate(parameters);
        all.resize(parameters, Int::ZERO);
        let found = run(program, &all);
        let right = match found {
            None => true,
            Some(Status::Ended) => !fails,
            Some(Status::Failed(kind)) => fails && kind != kleene::ir::FailKind::Assertion,
            Some(_) => false,
        };
        assert!(right, "{label} at {inputs:?}: {found:?}, really {all:?}, fails: {fails}");
    }
}

trait Numbers {
    fn numbers(self) -> Vec<Int>;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Numbers for $ty {
            fn numbers(self) -> Vec<Int> {
                vec![Int::from(self)]
            }
        }
    )*};
}
numbers!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, bool);

impl<T: Numbers + Default> Numbers for Option<T> {
    fn numbers(self) -> Vec<Int> {
        let tag = Int::from(self.is_some());
        [vec![tag], self.unwrap_or_default().numbers()].concat()
    }
}

impl<T: Numbers, U: Numbers> Numbers for (T, U) {
    fn numbers(self) -> Vec<Int> {
        [self.0.numbers(), self.1.numbers()].concat()
    }
}

/// One row: the type, the second operand's type, the result's, the expression in debug arithmetic, and the
/// one that has its meaning in release arithmetic.
macro_rules! row {
    ($ty:ident, $second:ident, $result:ty, $values:expr, $others:expr, |$a:ident, $b:ident| $debug:expr, $release:expr) => {{
        quiet();
        let text = stringify!($debug);
        let result = stringify!($result);
        let second = stringify!($second);
        let programs: Vec<Program> = [Arithmetic::Debug, Arithmetic::Release]
            .into_iter()
            .filter_map(|arithmetic| program(stringify!($ty), second, result, text, arithmetic))
            .collect();
        for $a in $values {
            for $b in $others {
                let debug = catch_unwind(|| {
                    let r: $result = $debug;
                    r.numbers()
                })
                .ok();
                let release = catch_unwind(|| {
                    let r: $result = $release;
                    r.numbers()
                })
                .ok();
                agree(text, &programs, [Int::from($a), Int::from($b)], [debug, release]);
            }
        }
    }};
}

macro_rules! same {
    ($ty:ident, $second:ident, $result:ty, $values:expr, $others:expr, |$a:ident, $b:ident| $debug:expr) => {
        row!($ty, $second, $result, $values, $others, |$a, $b| $debug, $debug)
    };
}

macro_rules! families {
    ($ty:ident, $unsigned:ident, $values:expr, $others:expr) => {{
        let counts = [0u32, 1, 2, 3, 7, 8, 15, 31, 33, 63, 64, 127, 128, 129];
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_add(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_sub(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_mul(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_div(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_rem(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_div_euclid(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.wrapping_rem_euclid(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.wrapping_shl(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.wrapping_shr(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.wrapping_pow(b));
        same!($ty, u8, $ty, $values, [0u8], |a, b| a.wrapping_neg().wrapping_add(b as $ty));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_add(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_sub(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_mul(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_div(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_rem(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_div_euclid(b));
        same!($ty, $ty, Option<$ty>, $values, $others, |a, b| a.checked_rem_euclid(b));
        same!($ty, u32, Option<$ty>, $values, counts, |a, b| a.checked_shl(b));
        same!($ty, u32, Option<$ty>, $values, counts, |a, b| a.checked_shr(b));
        same!($ty, u32, Option<$ty>, $values, counts, |a, b| a.checked_pow(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.saturating_add(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.saturating_sub(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.saturating_mul(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.saturating_div(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.saturating_pow(b));
        same!($ty, $ty, ($ty, bool), $values, $others, |a, b| a.overflowing_add(b));
        same!($ty, $ty, ($ty, bool), $values, $others, |a, b| a.overflowing_sub(b));
        same!($ty, $ty, ($ty, bool), $values, $others, |a, b| a.overflowing_mul(b));
        same!($ty, $ty, ($ty, bool), $values, $others, |a, b| a.overflowing_div(b));
        same!($ty, $ty, ($ty, bool), $values, $others, |a, b| a.overflowing_rem(b));
        same!($ty, u32, ($ty, bool), $values, counts, |a, b| a.overflowing_shl(b));
        same!($ty, u32, ($ty, bool), $values, counts, |a, b| a.overflowing_shr(b));
        same!($ty, u32, ($ty, bool), $values, counts, |a, b| a.overflowing_pow(b));
        row!($ty, u32, $ty, $values, counts, |a, b| a.pow(b), a.wrapping_pow(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.div_euclid(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.rem_euclid(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.min(b).max(1));
        same!($ty, $ty, $ty, $values, $others, |a, b| a.clamp(b, 9));
        same!($ty, $ty, $unsigned, $values, $others, |a, b| a.abs_diff(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.rotate_left(b));
        same!($ty, u32, $ty, $values, counts, |a, b| a.rotate_right(b));
        same!($ty, u32, u32, $values, [0u32], |a, b| a.count_ones() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.count_zeros() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.leading_zeros() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.leading_ones() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.trailing_zeros() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.trailing_ones() + b);
        same!($ty, u32, u32, $values, [0u32], |a, b| a.ilog2() + b);
        same!($ty, u32, Option<u32>, $values, [0u32], |a, b| if b == 0 { a.checked_ilog2() } else { None });
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.isqrt() + b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.swap_bytes() | b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| $ty::from_be_bytes(a.to_le_bytes()) | b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| $ty::from_le_bytes(a.to_le_bytes()) | b);
        same!($ty, $ty, $ty, $values, $others, |a, b| a & b | (a ^ !b));
        row!($ty, $ty, $ty, $values, $others, |a, b| a + b, a.wrapping_add(b));
        row!($ty, $ty, $ty, $values, $others, |a, b| a - b, a.wrapping_sub(b));
        row!($ty, $ty, $ty, $values, $others, |a, b| a * b, a.wrapping_mul(b));
        same!($ty, $ty, $ty, $values, $others, |a, b| a / b);
        same!($ty, $ty, $ty, $values, $others, |a, b| a % b);
        row!($ty, u32, $ty, $values, counts, |a, b| a << b, a.wrapping_shl(b));
        row!($ty, u32, $ty, $values, counts, |a, b| a >> b, a.wrapping_shr(b));
    }};
}

macro_rules! signed {
    ($ty:ident, $unsigned:ident, $values:expr, $others:expr) => {{
        families!($ty, $unsigned, $values, $others);
        row!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.abs() | b, a.wrapping_abs() | b);
        row!($ty, $ty, $ty, $values, [0 as $ty], |a, b| -a | b, a.wrapping_neg() | b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.wrapping_abs() | b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.saturating_abs() | b);
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.saturating_neg() | b);
        same!($ty, $ty, Option<$ty>, $values, [0 as $ty], |a, b| if b == 0 { a.checked_abs() } else { None });
        same!($ty, $ty, Option<$ty>, $values, [0 as $ty], |a, b| if b == 0 { a.checked_neg() } else { None });
        same!($ty, $ty, ($ty, bool), $values, [0 as $ty], |a, b| if b == 0 {
            a.overflowing_neg()
        } else {
            (0, true)
        });
        same!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.signum() | b);
        same!($ty, bool, bool, $values, [false], |a, b| a.is_positive() || a.is_negative() && b);
        same!($ty, $unsigned, $unsigned, $values, [0 as $unsigned], |a, b| a.unsigned_abs() | b);
    }};
}

macro_rules! unsigned {
    ($ty:ident, $values:expr, $others:expr) => {{
        families!($ty, $ty, $values, $others);
        same!($ty, bool, bool, $values, [false], |a, b| a.is_power_of_two() || b);
        row!($ty, $ty, $ty, $values, [0 as $ty], |a, b| a.next_power_of_two() | b, {
            let _ = b;
            a.checked_next_power_of_two().unwrap_or(0)
        });
        same!($ty, $ty, Option<$ty>, $values, [0 as $ty], |a, b| if b == 0 {
            a.checked_next_power_of_two()
        } else {
            None
        });
        same!($ty, $ty, $ty, $values, $others, |a, b| a.div_ceil(b));
        same!($ty, $ty, Option<$ty>, $values, [0 as $ty], |a, b| if b == 0 { a.checked_neg() } else { None });
    }};
}

#[test]
fn eight_bits_unsigned() {
    unsigned!(u8, 0..=255u8, [0u8, 1, 2, 3, 10, 127, 128, 200, 254, 255]);
}

#[test]
fn eight_bits_signed() {
    signed!(i8, u8, -128..=127i8, [-128i8, -127, -3, -1, 0, 1, 2, 5, 100, 127]);
}

macro_rules! edges {
    ($ty:ident) => {
        [
            $ty::MIN,
            $ty::MIN + 1,
            $ty::MIN / 2,
            0,
            1,
            2,
            3,
            100,
            $ty::MAX / 2,
            $ty::MAX / 2 + 1,
            $ty::MAX - 1,
            $ty::MAX,
        ]
    };
}

#[test]
fn wider_types_on_edges() {
    signed!(i32, u32, edges!(i32), edges!(i32));
    unsigned!(u32, edges!(u32), edges!(u32));
    unsigned!(u16, edges!(u16), edges!(u16));
}

#[test]
fn widest_types_on_edges() {
    signed!(i64, u64, edges!(i64), edges!(i64));
    unsigned!(u64, edges!(u64), edges!(u64));
    signed!(i128, u128, edges!(i128), edges!(i128));
    unsigned!(u128, edges!(u128), edges!(u128));
}
