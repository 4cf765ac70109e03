//! Random Rust functions over `u8`, `i8` and `bool`: arithmetic, casts, shifts, arrays, structs, enums, options, loops
//! and calls. Every loop ends; inputs are at most two bytes and a bool, so all of them can be tried.

use std::fmt::Write;

use crate::rng::Rng;

/// A text of functions, and those that are called with every input.
#[derive(Clone, Debug, Default)]
pub struct Generated {
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

const COMMON: &str = "#[derive(Clone, Copy)]\nstruct Pair {\n    left: u8,\n    right: i8,\n}\n\
                      #[derive(Clone, Copy)]\nenum Shape {\n    Dot,\n    Line(u8),\n    Area(i8, bool),\n}\n\
                      fn half(x: u8) -> u8 {\n    x / 2\n}\nfn share(x: i8, by: i8) -> i8 {\n    x / by\n}\n\
                      fn found(x: u8) -> Option<u8> {\n    if x > 100 { None } else { Some(x + 100) }\n}\n";

pub fn functions(seed: u64, count: usize) -> Generated {
    let mut generated = Generated { text: COMMON.into(), functions: Vec::new() };
    for index in 0..count {
        let mut maker = Maker {
            rng: Rng::new(seed, index as u64),
            variables: Vec::new(),
            next: 0,
            text: String::new(),
            depth: 1,
        };
        let function = maker.function(index);
        generated.text.push_str(&maker.text);
        generated.functions.push(function);
    }
    generated
}

struct Maker {
    rng: Rng,
    /// Name, type, and whether it may be assigned.
    variables: Vec<(String, &'static str, bool)>,
    next: usize,
    text: String,
    depth: usize,
}

impl Maker {
    fn function(&mut self, index: usize) -> Function {
        let name = format!("f{index}");
        let mut parameters = vec![*self.rng.pick(&INPUTS), *self.rng.pick(&INPUTS)];
        if self.rng.percent(30) {
            parameters.push("bool");
        }
        for (at, ty) in parameters.iter().enumerate() {
            self.variables.push((format!("p{at}"), ty, false));
        }
        let list: Vec<String> =
            parameters.iter().enumerate().map(|(at, ty)| format!("p{at}: {ty}")).collect();
        let result = *self.rng.pick(&TYPES[..4]);
        let _ = writeln!(self.text, "fn {name}({}) -> {result} {{", list.join(", "));
        for _ in 0..2 + self.rng.below(5) {
            self.statement(2);
        }
        let value = self.expr(result, 2);
        self.line(&value);
        self.text.push_str("}\n");
        Function { name, parameters }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth));
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn statement(&mut self, nesting: usize) {
        match self.rng.below(if nesting == 0 { 7 } else { 12 }) {
            0..=3 => {
                let ty = *self.rng.pick(&TYPES);
                let (value, name) = (self.expr(ty, 2), self.fresh());
                self.line(&format!("let mut {name}: {ty} = {value};"));
                self.variables.push((name, ty, true));
            }
            4 | 5 => {
                let assignable: Vec<_> = self.variables.iter().filter(|it| it.2).cloned().collect();
                let Some((name, ty, _)) = assignable.get(self.rng.below(assignable.len().max(1))) else {
                    return;
                };
                let value = self.expr(ty, 2);
                let op = match *ty {
                    "bool" => *self.rng.pick(&["=", "&=", "|=", "^="]),
                    _ => *self.rng.pick(&["=", "+=", "-=", "*=", "/=", "%=", "^=", "&="]),
                };
                self.line(&format!("{name} {op} {value};"));
            }
            6 => {
                let cond = self.expr("bool", 2);
                self.line(&format!("assert!({cond});"));
            }
            7 | 8 => self.branch(nesting),
            9 => self.counted(nesting),
            10 => self.chosen(),
            _ => self.indexed(),
        }
    }

    fn block(&mut self, nesting: usize) {
        let known = self.variables.len();
        self.depth += 1;
        for _ in 0..1 + self.rng.below(2) {
            self.statement(nesting - 1);
        }
        self.depth -= 1;
        self.variables.truncate(known);
    }

    fn branch(&mut self, nesting: usize) {
        let cond = self.expr("bool", 2);
        self.line(&format!("if {cond} {{"));
        self.block(nesting);
        if self.rng.percent(50) {
            self.line("} else {");
            self.block(nesting);
        }
        self.line("}");
    }

    fn counted(&mut self, nesting: usize) {
        let name = self.fresh();
        let end = self.rng.range(1, 6);
        self.line(&format!("for {name} in 0u8..{end} {{"));
        self.variables.push((name, "u8", false));
        self.block(nesting);
        self.variables.pop();
        self.line("}");
    }

    fn chosen(&mut self) {
        let name = self.fresh();
        match self.rng.below(3) {
            0 => {
                let value = self.expr("u8", 1);
                self.line(&format!("let {name}: u8 = match found({value}) {{"));
                let some = self.expr("u8", 1);
                self.line(&format!("    Some(x) => x ^ {some},"));
                let none = self.expr("u8", 1);
                self.line(&format!("    None => {none},"));
                self.line("};");
            }
            1 => {
                let value = self.expr("u8", 1);
                self.line(&format!("let {name}: u8 = found({value}).unwrap();"));
            }
            _ => {
                let (cond, dot, area) = (self.expr("bool", 1), self.expr("u8", 1), self.expr("i8", 1));
                let shape = self.fresh();
                self.line(&format!(
                    "let {shape} = if {cond} {{ Shape::Line({dot}) }} else {{ Shape::Area({area}, {cond}) }};"
                ));
                self.line(&format!("let {name}: u8 = match {shape} {{"));
                self.line("    Shape::Dot => 0,");
                self.line("    Shape::Line(x) => x / 3,");
                self.line("    Shape::Area(x, true) => x as u8,");
                self.line("    Shape::Area(_, _) => 7,");
                self.line("};");
            }
        }
        self.variables.push((name, "u8", false));
    }

    fn indexed(&mut self) {
        let (array, name) = (self.fresh(), self.fresh());
        let values: Vec<String> = (0..4).map(|_| self.expr("u8", 1)).collect();
        self.line(&format!("let mut {array} = [{}];", values.join(", ")));
        let index = self.expr("u8", 1);
        let value = self.expr("u8", 1);
        let masked = if self.rng.percent(50) { " & 3" } else { "" };
        self.line(&format!("{array}[({index}{masked}) as usize] = {value};"));
        let index = self.rng.below(4);
        self.line(&format!("let {name}: u8 = {array}[{index}];"));
        self.variables.push((name, "u8", false));
    }

    fn expr(&mut self, ty: &'static str, depth: usize) -> String {
        let known: Vec<String> =
            self.variables.iter().filter(|(_, of, _)| *of == ty).map(|(name, ..)| name.clone()).collect();
        if depth == 0 || self.rng.percent(20) {
            if !known.is_empty() && self.rng.percent(75) {
                return self.rng.pick(&known).clone();
            }
            return self.literal(ty);
        }
        if ty == "bool" { self.truth(depth) } else { self.number(ty, depth) }
    }

    fn literal(&mut self, ty: &'static str) -> String {
        match ty {
            "bool" => self.rng.percent(50).to_string(),
            "i8" | "i16" => match self.rng.range(-12, 40) {
                negative if negative < 0 => format!("({negative}{ty})"),
                other => format!("{other}{ty}"),
            },
            _ => format!("{}{ty}", self.rng.range(0, 60)),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let ty = *self.rng.pick(&["u8", "i8", "i16", "u32"]);
        let below = depth - 1;
        match self.rng.below(8) {
            0..=4 => {
                let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({} {op} {})", self.expr(ty, below), self.expr(ty, below))
            }
            5 => format!("({} && {})", self.expr("bool", below), self.expr("bool", below)),
            6 => format!("({} || {})", self.expr("bool", below), self.expr("bool", below)),
            _ => format!("(!{})", self.expr("bool", below)),
        }
    }

    fn number(&mut self, ty: &'static str, depth: usize) -> String {
        let below = depth - 1;
        let signed = ty.starts_with('i');
        match self.rng.below(17) {
            0..=3 => {
                let op = *self.rng.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.expr(ty, below), self.expr(ty, below))
            }
            4 => {
                let op = *self.rng.pick(&["/", "%"]);
                format!("({} {op} {})", self.expr(ty, below), self.expr(ty, below))
            }
            5 | 6 => {
                let op = *self.rng.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.expr(ty, below), self.expr(ty, below))
            }
            7 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                format!("({} {op} {})", self.expr(ty, below), self.expr("u8", below))
            }
            8..=10 => {
                let from = *self.rng.pick(&["u8", "i8", "i16", "u32", "bool"]);
                format!("({} as {ty})", self.expr(from, below))
            }
            11 => {
                let method =
                    *self.rng.pick(&["wrapping_add", "wrapping_mul", "saturating_sub", "min", "max"]);
                format!("{}.{method}({})", self.expr(ty, below), self.expr(ty, below))
            }
            12 => {
                let checked = *self.rng.pick(&["checked_add", "checked_sub", "checked_mul"]);
                let (left, right) = (self.expr(ty, below), self.expr(ty, below));
                format!("{left}.{checked}({right}).unwrap_or({})", self.literal(ty))
            }
            13 if signed => format!("(-{})", self.expr(ty, below)),
            13 => format!("(!{})", self.expr(ty, below)),
            14 if ty == "u8" => format!("half({})", self.expr("u8", below)),
            14 if ty == "i8" => format!("share({}, {})", self.expr("i8", below), self.expr("i8", below)),
            15 if ty == "u8" || ty == "i8" => {
                let field = if ty == "u8" { "left" } else { "right" };
                format!(
                    "(Pair {{ left: {}, right: {} }}).{field}",
                    self.expr("u8", below),
                    self.expr("i8", below)
                )
            }
            _ => {
                let cond = self.expr("bool", below);
                format!("(if {cond} {{ {} }} else {{ {} }})", self.expr(ty, below), self.expr(ty, below))
            }
        }
    }
}
