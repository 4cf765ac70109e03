//! The text form of programs: stable, readable, with the source's names.
//!
//! `program` is what goldens compare; `expr`, `cond`, `place` and `effect` are what reports quote.
//! Where one name means several variables of a function, all but the first carry their number.

use std::fmt::Write;

use kleene_domains::expr::BinaryOp;
use petgraph::visit::EdgeRef;

use super::{
    Cond, Effect, Expr, Function, FunctionId, Initialiser, Input, InputSource, LocationId, Place, Program,
    Projection, StepKind, Type, VariableId,
};
use crate::source::SourceFile;

pub fn expr(program: &Program, function: FunctionId, expr: &Expr) -> String {
    Printer { program, function }.expr(expr, 0)
}

pub fn cond(program: &Program, function: FunctionId, cond: &Cond) -> String {
    Printer { program, function }.cond(cond, 0)
}

pub fn place(program: &Program, function: FunctionId, place: &Place) -> String {
    Printer { program, function }.place(place)
}

pub fn effect(program: &Program, function: FunctionId, effect: &Effect) -> String {
    Printer { program, function }.effect(effect)
}

pub fn input(program: &Program, function: FunctionId, input: &Input) -> String {
    Printer { program, function }.input(input)
}

/// The whole program; positions are those of `source`.
pub fn program(program: &Program, source: &SourceFile) -> String {
    let mut out = format!("entry {}\n", program.entry_function().name);
    let top = Printer { program, function: program.entry };
    for global in &program.globals {
        let _ = writeln!(out, "global {}: {}", global.name, ty(&global.ty));
    }
    for initialiser in &program.initialisers {
        let text = match initialiser {
            Initialiser::Assign(place, value) => format!("{} := {}", top.place(place), top.expr(value, 0)),
            Initialiser::Input(input) => top.input(input),
        };
        let _ = writeln!(out, "init {text}");
    }
    for (index, function) in program.functions.iter().enumerate() {
        let printer = Printer { program, function: FunctionId(index as u32) };
        printer.function(function, source, &mut out);
    }
    out
}

pub fn ty(ty: &Type) -> String {
    match ty {
        Type::Integer => "int".into(),
        Type::Natural => "nat".into(),
        Type::Bool => "bool".into(),
        Type::Machine(machine) => machine.name(),
        Type::Below(bound) => format!("below {bound}"),
        Type::Array(element, length) => format!("{}[{length}]", self::ty(element)),
        Type::Struct(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, field)| format!("{name}: {}", self::ty(field))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
    }
}

pub fn step(what: StepKind) -> &'static str {
    match what {
        StepKind::Assignment => "assignment",
        StepKind::Declaration => "declaration",
        StepKind::Input => "input",
        StepKind::Condition => "condition",
        StepKind::Assert => "assert",
        StepKind::Assume => "assume",
        StepKind::Call => "call",
        StepKind::Return => "return",
        StepKind::Skip => "skip",
        StepKind::Begin => "begin",
        StepKind::Cast => "cast",
        StepKind::End => "end",
    }
}

struct Printer<'p> {
    program: &'p Program,
    function: FunctionId,
}

/// How tightly expressions bind; higher is tighter.
const BITS: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;
const ATOM: u8 = 4;

impl Printer<'_> {
    fn function(&self, function: &Function, source: &SourceFile, out: &mut String) {
        let name = |index: usize| self.variable(VariableId::Local(index as u32));
        let parameters: Vec<_> = (0..function.parameters as usize)
            .map(|index| format!("{}: {}", name(index), ty(&function.locals[index].ty)))
            .collect();
        let result = function.result.as_ref().map_or(String::new(), |result| format!(" -> {}", ty(result)));
        let _ = writeln!(out, "\nfn {}({}){result}", function.name, parameters.join(", "));
        for (index, local) in function.locals.iter().enumerate().skip(function.parameters as usize) {
            let _ = writeln!(out, "  local {}: {}", name(index), ty(&local.ty));
        }
        for (label, location) in &function.labels {
            let _ = writeln!(out, "  label {label} = {}", location.index());
        }
        if function.entry.index() != 0 {
            let _ = writeln!(out, "  starts at {}", function.entry.index());
        }
        for location in function.graph.node_indices() {
            self.location(function, location, source, out);
        }
    }

    fn location(&self, function: &Function, id: LocationId, source: &SourceFile, out: &mut String) {
        let location = &function.graph[id];
        let (line, column) = source.place(location.span);
        let tick = if location.tick { " tick" } else { "" };
        let overlapping = if location.overlapping { " overlapping" } else { "" };
        let what = step(location.what);
        let ends = match &location.ends {
            Cond::Literal(false) => String::new(),
            ends => format!(" ends where {}", self.cond(ends, 0)),
        };
        let _ = writeln!(out, "  {}: {what} {line}:{column}{tick}{overlapping}{ends}", id.index());
        for input in &location.inputs {
            let _ = writeln!(out, "       {}", self.input(input));
        }
        let mut edges: Vec<_> = function.graph.edges(id).collect();
        edges.sort_by_key(|edge| edge.id());
        for edge in edges {
            let (guard, effect) = (&edge.weight().guard, &edge.weight().effect);
            let guard = match guard {
                Cond::Literal(true) => String::new(),
                guard => format!("[{}] ", self.cond(guard, 0)),
            };
            let arrives =
                !matches!(effect, Effect::Return(_) | Effect::Fail(_) | Effect::Discard | Effect::Stop);
            let target = if arrives { format!(" -> {}", edge.target().index()) } else { String::new() };
            let _ = writeln!(out, "     {guard}{}{target}", self.effect(effect));
        }
    }

    fn input(&self, input: &Input) -> String {
        let place = self.place(&input.place);
        match &input.source {
            InputSource::Type => format!("{place} := any"),
            InputSource::Range(low, high) => {
                format!("{place} := any({}, {})", self.expr(low, 0), self.expr(high, 0))
            }
            InputSource::Unknown => format!("{place} := unknown"),
            InputSource::Unseen => format!("{place} := unseen"),
            InputSource::Looked(table, index) => {
                format!("{place} := table({}, {})", table.values().len(), self.expr(index, 0))
            }
        }
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Assign(writes) if writes.is_empty() => "skip".into(),
            Effect::Assign(writes) => {
                let one = |(place, value): &(Place, Expr)| {
                    format!("{} := {}", self.place(place), self.expr(value, 0))
                };
                writes.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Effect::Call { function, arguments, result } => {
                let arguments: Vec<_> = arguments.iter().map(|argument| self.expr(argument, 0)).collect();
                let name = &self.program.function(*function).name;
                let result =
                    result.as_ref().map_or(String::new(), |place| format!("{} := ", self.place(place)));
                format!("{result}call {name}({})", arguments.join(", "))
            }
            Effect::Return(None) => "return".into(),
            Effect::Return(Some(value)) => format!("return {}", self.expr(value, 0)),
            Effect::Fail(kind) => format!("fail({kind})"),
            Effect::Discard => "discard".into(),
            Effect::Stop => "stop".into(),
        }
    }

    fn variable(&self, id: VariableId) -> String {
        let variable = self.program.variable(self.function, id);
        let VariableId::Local(index) = id else { return variable.name.clone() };
        let locals = &self.program.function(self.function).locals;
        let earlier = locals[..index as usize].iter().any(|local| local.name == variable.name);
        let hidden = self.program.globals.iter().any(|global| global.name == variable.name);
        match earlier || hidden {
            true => format!("{}#{index}", variable.name),
            false => variable.name.clone(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.variable(place.variable);
        let mut ty = &self.program.variable(self.function, place.variable).ty;
        for projection in &place.path {
            match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) if (*field as usize) < fields.len() => {
                    let (name, inner) = &fields[*field as usize];
                    let _ = write!(text, ".{name}");
                    ty = inner;
                }
                (Projection::Field(field), _) => {
                    let _ = write!(text, ".{field}");
                }
                (Projection::Element(index), outer) => {
                    let _ = write!(text, "[{}]", self.expr(index, 0));
                    if let Type::Array(element, _) = outer {
                        ty = element;
                    }
                }
            }
        }
        text
    }

    fn expr(&self, expr: &Expr, tightness: u8) -> String {
        let (own, text) = match expr {
            Expr::Constant(value) if value.is_negative() => (SUM, value.to_string()),
            Expr::Constant(value) => (ATOM, value.to_string()),
            Expr::Variable(place) => (ATOM, self.place(place)),
            Expr::Any(interval) => (ATOM, format!("any({interval:?})")),
            Expr::Negate(inner) => (PRODUCT, format!("-{}", self.expr(inner, ATOM))),
            Expr::Binary(op, left, right) => {
                let (own, symbol) = match op {
                    BinaryOp::Add => (SUM, "+"),
                    BinaryOp::Sub => (SUM, "-"),
                    BinaryOp::Mul => (PRODUCT, "*"),
                    BinaryOp::Div => (PRODUCT, "/"),
                    BinaryOp::Rem => (PRODUCT, "%"),
                    BinaryOp::Min => return format!("min({}, {})", self.expr(left, 0), self.expr(right, 0)),
                    BinaryOp::Max => return format!("max({}, {})", self.expr(left, 0), self.expr(right, 0)),
                    BinaryOp::BitAnd => (BITS, "&"),
                    BinaryOp::BitOr => (BITS, "|"),
                    BinaryOp::BitXor => (BITS, "^"),
                    BinaryOp::ShiftLeft => (BITS, "<<"),
                    BinaryOp::ShiftRight => (BITS, ">>"),
                    BinaryOp::Power => (BITS, "**"),
                };
                // Nobody remembers how bit operators bind: their operands stand in parentheses.
                let (of_left, of_right) = if own == BITS { (ATOM, ATOM) } else { (own, own + 1) };
                (own, format!("{} {symbol} {}", self.expr(left, of_left), self.expr(right, of_right)))
            }
            Expr::Unary(op, inner) => (ATOM, format!("{}({})", op.name(), self.expr(inner, 0))),
            Expr::Wrap(ty, inner) => (ATOM, format!("{}({})", ty.name(), self.expr(inner, 0))),
            Expr::IfThenElse(cond, yes, no) => {
                (0, format!("{} ? {} : {}", self.cond(cond, 1), self.expr(yes, BITS), self.expr(no, 0)))
            }
        };
        if own < tightness { format!("({text})") } else { text }
    }

    fn cond(&self, cond: &Cond, tightness: u8) -> String {
        let (own, text) = match cond {
            Cond::Literal(value) => (ATOM, value.to_string()),
            Cond::Compare(op, left, right) => {
                (PRODUCT, format!("{} {} {}", self.expr(left, SUM), op.symbol(), self.expr(right, SUM)))
            }
            Cond::Not(inner) => (ATOM, format!("!({})", self.cond(inner, 0))),
            Cond::And(left, right) => (SUM, format!("{} && {}", self.cond(left, SUM), self.cond(right, SUM))),
            Cond::Or(left, right) => (1, format!("{} || {}", self.cond(left, 1), self.cond(right, 1))),
        };
        if own < tightness { format!("({text})") } else { text }
    }
}
