//! Random Rust functions of a class. *Scalar* ones are about `u8`, `i8` and `bool`: arithmetic, casts, shifts, arrays,
//! tuples, structs, enums, options, matches, loops, borrows, calls, closures, traits, iterators and local macros; all
//! their inputs can be tried. The other classes each have a subject of their own between plain statements, and take slices,
//! vectors and texts too. Every loop ends.
//!
//! Nearly every operation that can fail stands in a line of its own, so that lines tell failures apart.

mod callables;
mod class;
mod closures;
mod expansions;
mod expressions;
mod generics;
mod iterators;
mod references;
mod sequences;
mod statements;
mod strings;
mod vectors;

use std::fmt::Write;

use crate::rng::Rng;

pub use class::Class;

/// A text of functions, and those that are called with every input.
#[derive(Clone, Debug)]
pub struct Generated {
    pub class: Class,
    pub text: String,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<&'static str>,
}

/// Types of values; wider ones only inside functions.
const TYPES: [&str; 5] = ["u8", "i8", "bool", "i16", "u32"];
const INPUTS: [&str; 3] = ["u8", "i8", "bool"];
const RESULTS: [&str; 6] = ["u8", "i8", "bool", "i16", "Option<u8>", "Option<u8>"];

/// What all functions use.
const COMMON: &str = "\
const LIMIT: u8 = 20;
const TABLE: [u8; 4] = [3, 1, 4, 255];
static STEP: i8 = 3;
#[derive(Clone, Copy)]
struct Pair {
    left: u8,
    right: i8,
}
impl Pair {
    const ZERO: Pair = Pair { left: 0, right: 0 };
    fn total(&self) -> u8 {
        let wide = self.left as i16 + self.right as i16;
        (wide / 2) as u8
    }
    fn bump(&mut self, by: u8) -> u8 {
        self.left -= by;
        self.left
    }
    fn flipped(self) -> Pair {
        let right = -self.right;
        Pair { right, ..self }
    }
}
#[derive(Clone, Copy)]
enum Shape {
    Dot,
    Line(u8),
    Area { width: i8, open: bool },
}
impl Shape {
    fn size(&self) -> u8 {
        match self {
            Shape::Dot => 1,
            Shape::Line(length) => length
                + 1,
            Shape::Area { width, open: true } => width.unsigned_abs(),
            Shape::Area { .. } => 7,
        }
    }
}
macro_rules! spread {
    ($x:expr, $y:expr) => {{
        let v1 = $x;
        let p0 = $y;
        v1 - p0 / 3
    }};
}
macro_rules! least {
    ($p1:expr) => { $p1 };
    ($first:expr, $($rest:expr),+) => {{
        let p0 = $first;
        let p1 = least!($($rest),+);
        if p0 < p1 { p0 } else { p1 }
    }};
}
macro_rules! joined {
    (plus $x:expr, $y:expr) => { $x + $y };
    ($op:tt $x:expr, $y:expr) => { $x $op $y };
}
macro_rules! attempts {
    ($count:ident, $until:expr) => {
        let mut $count: u8 = 0;
        let v2 = 3u8;
        'v1: loop {
            if $until || $count > v2 {
                break 'v1;
            }
            $count += 1;
        }
    };
}
macro_rules! scalers {
    ($($name:ident($($p:ident),*): $t:ident by $by:expr;)*) => {$(
        fn $name(v1: $t, $($p: $t),*) -> $t {
            let p0 = v1 / $by;
            p0 $(* $p)* - v1
        }
    )*};
}
scalers! {
    scaled(): u8 by 2;
    scaled_by(p0): u8 by 4;
    shifted(p1, p2): i8 by 3;
}
fn half(x: u8) -> u8 {
    x / 2
}
fn share(x: i8, by: i8) -> i8 {
    x / by
}
fn found(x: u8) -> Option<u8> {
    if x > 100 { None } else { Some(x + 100) }
}
fn asked(x: i8) -> Result<i8, u8> {
    if x < 0 {
        return Err(x as u8);
    }
    Ok(x)
}
fn chained(x: u8) -> Option<u8> {
    let y = found(x)?;
    let z = found(y - 100)?;
    Some(z / 2)
}
fn take(from: &mut u8, by: u8) -> u8 {
    let old = *from;
    *from = old
        - by;
    old
}
fn exchange(left: &mut u8, right: &mut u8) {
    let kept = *left;
    *left = *right;
    *right = kept;
}
";

pub fn functions(class: Class, seed: u64, count: usize) -> Generated {
    let text = format!("{COMMON}{}{}", callables::COMMON, class.common());
    let mut generated = Generated { class, text, functions: Vec::new() };
    for index in 0..count {
        let mut maker = Maker::new(class, Rng::new(seed, index as u64));
        let function = maker.function(index);
        generated.text.push_str(&maker.text);
        generated.functions.push(function);
    }
    generated
}

#[derive(Clone, Debug)]
struct Variable {
    /// Or a place behind a borrow.
    name: String,
    ty: &'static str,
    assignable: bool,
}

impl Variable {
    fn is_plain(&self) -> bool {
        self.name.starts_with('v')
    }
}

/// What is in scope and may be read; what may not be written is lent or was never to be.
#[derive(Clone, Debug, Default)]
struct Known {
    variables: Vec<Variable>,
    /// Arrays of four bytes.
    arrays: Vec<String>,
    pairs: Vec<String>,
    /// Borrowed slices of bytes.
    slices: Vec<String>,
    /// Slices of bytes that may be written through.
    rows: Vec<String>,
    /// Vectors of bytes.
    vectors: Vec<String>,
    texts: Vec<String>,
    strings: Vec<String>,
    counters: Vec<String>,
}

struct Maker {
    class: Class,
    rng: Rng,
    known: Known,
    result: &'static str,
    next: usize,
    text: String,
    depth: usize,
}

impl Maker {
    fn new(class: Class, rng: Rng) -> Self {
        Self { class, rng, known: Known::default(), result: "u8", next: 0, text: String::new(), depth: 1 }
    }

    fn function(&mut self, index: usize) -> Function {
        let name = format!("f{index}");
        let parameters = self.parameters();
        let list: Vec<String> =
            parameters.iter().enumerate().map(|(at, ty)| format!("p{at}: {ty}")).collect();
        self.result = *self.rng.pick(&RESULTS);
        let _ = writeln!(self.text, "fn {name}({}) -> {} {{", list.join(", "), self.result);
        for (at, ty) in parameters.iter().enumerate() {
            self.know_parameter(format!("p{at}"), ty);
        }
        for _ in 0..2 + self.rng.below(5) {
            self.statement(2);
        }
        let value = self.returned();
        self.line(&value);
        self.text.push_str("}\n");
        Function { name, parameters }
    }

    /// A value of the function's result type.
    fn returned(&mut self) -> String {
        match self.result {
            "Option<u8>" => match self.rng.below(3) {
                0 => format!("found({})", self.expr("u8", 1)),
                1 => "None".into(),
                _ => format!("Some({})", self.expr("u8", 2)),
            },
            ty => self.expr(ty, 2),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth));
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn know(&mut self, name: String, ty: &'static str, assignable: bool) {
        self.known.variables.push(Variable { name, ty, assignable });
    }

    /// What is made inside is not known behind it.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = self.known.clone();
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.known = before;
    }

    /// A variable of a type that may be written.
    fn assignable(&mut self, ty: Option<&str>) -> Option<Variable> {
        let fits = |it: &&Variable| it.assignable && ty.is_none_or(|ty| it.ty == ty);
        let all: Vec<Variable> = self.known.variables.iter().filter(fits).cloned().collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }
}
