//! What helps: a call that fails, to be copied, and what would keep it from failing.

use syn::{BinOp, Expr, UnOp};

use super::tests;
use crate::evidence::Evidence;
use crate::frontend::rust::replay::STD;
use crate::frontend::{Language, Lowered};
use crate::lints::{Finding, Lint};
use crate::pipeline::Verdict;
use crate::source::SourceFile;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    pub call: Option<String>,
    pub guard: Option<String>,
}

/// Longer operands are not repeated.
const LONGEST: usize = 40;

impl Advice {
    /// Of a failure; empty for everything else.
    pub fn of(finding: &Finding, lowered: &Lowered, source: &SourceFile, language: Language) -> Self {
        if finding.verdict != Verdict::False {
            return Self::default();
        }
        let guard = match language {
            Language::Rust => {
                rust_guard(finding.lint, source.snippet(finding.span), Use::of(finding, source))
            }
            _ => c_guard(finding.lint),
        };
        Self { call: call(finding, lowered, language), guard: Some(guard) }
    }
}

fn call(finding: &Finding, lowered: &Lowered, language: Language) -> Option<String> {
    if language == Language::Rust {
        let (_, mut statements) = tests::calls(lowered, finding).ok()?;
        if let [only] = statements.as_mut_slice() {
            let plain = only.strip_prefix("let _ = ").and_then(|only| only.strip_suffix(';'));
            return Some(plainly(plain.unwrap_or(only)));
        }
        return Some(plainly(&statements.join(" ")));
    }
    let Evidence::Run(run) = &finding.evidence else { return None };
    let last = run.calls.last()?;
    let arguments: Vec<String> = last.arguments.iter().map(ToString::to_string).collect();
    Some(format!("{}({})", last.name, arguments.join(", ")))
}

/// What everybody sees without a path.
const PRELUDE: [&str; 10] = [
    "option::Option::Some",
    "option::Option::None",
    "option::Option",
    "result::Result::Ok",
    "result::Result::Err",
    "result::Result",
    "boxed::Box",
    "string::String",
    "vec::Vec",
    "vec!",
];

/// As people write it: what tests name by where they find std is named by std, or by its name alone.
/// `<crate::Meter>::new()` is `crate::Meter::new()` where nothing but a path stands in the brackets.
fn plainly(text: &str) -> String {
    let mut text = text.replace(STD, "std");
    for path in PRELUDE {
        text = text.replace(&format!("std::{path}"), path.rsplit("::").next().unwrap_or(path));
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('<') {
        let (before, behind) = rest.split_at(at);
        out += before;
        let path: usize = behind[1..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
            .map(char::len_utf8)
            .sum();
        let is_alone = path > 0 && behind[1 + path..].starts_with(">::") && !before.ends_with("::");
        rest = match is_alone {
            true => {
                out += &behind[1..=path];
                &behind[path + 2..]
            }
            false => {
                out.push('<');
                &behind[1..]
            }
        };
    }
    out + rest
}

/// What becomes of the place that an expression names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
}

impl Use {
    fn of(finding: &Finding, source: &SourceFile) -> Self {
        let (before, behind) = source.around(finding.span);
        Self::between(before, behind)
    }

    /// Written are places, and fields and elements of them, that are assigned or lent by `&mut`.
    fn between(before: &str, behind: &str) -> Self {
        let word = before.trim_end().strip_suffix("mut").unwrap_or_default();
        if word.trim_end().ends_with('&') {
            return Self::Written;
        }
        let rest = behind_parts(behind).trim_start();
        let operator = rest.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
        let behind = operator.strip_prefix('=').filter(|behind| !behind.starts_with(['=', '>']));
        let compares = matches!(&rest[..rest.len() - operator.len()], "<" | ">");
        if behind.is_some() && !compares { Self::Written } else { Self::Read }
    }
}

/// What stands behind fields and elements.
fn behind_parts(mut text: &str) -> &str {
    loop {
        if let Some(field) = text.strip_prefix('.') {
            text = field.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        } else if text.starts_with('[') {
            let mut depth = 0;
            let closes = text.find(|c| {
                depth += i32::from(c == '[') - i32::from(c == ']');
                depth == 0
            });
            let Some(at) = closes else { return "" };
            text = &text[at + 1..];
        } else {
            return text;
        }
    }
}

fn rust_guard(lint: Lint, text: &str, used: Use) -> String {
    let expression = syn::parse_str::<Expr>(text).ok();
    let written = match (lint, expression.as_ref()) {
        (Lint::Overflow | Lint::DivisionByZero | Lint::InvalidShift, Some(Expr::Binary(binary))) => {
            let operands =
                operand(text, &binary.left, Side::Receiver).zip(operand(text, &binary.right, Side::Argument));
            checked(&binary.op).zip(operands).map(|(name, (left, right))| match lint {
                Lint::DivisionByZero => {
                    format!("use `{left}.{name}({right})`, or test `{right} == 0` before")
                }
                _ => format!("use `{left}.{name}({right})`, or a type with more room"),
            })
        }
        (Lint::Overflow, Some(Expr::Unary(unary))) if matches!(unary.op, UnOp::Neg(_)) => {
            operand(text, &unary.expr, Side::Receiver).map(|value| format!("use `{value}.checked_neg()`"))
        }
        (Lint::IndexOutOfBounds, Some(Expr::Index(indexed))) => {
            let parts = operand(text, &indexed.expr, Side::Receiver).zip(operand(
                text,
                &indexed.index,
                Side::Argument,
            ));
            let get = if used == Use::Written { "get_mut" } else { "get" };
            parts.map(|(table, index)| format!("use `{table}.{get}({index})`, or test the index before"))
        }
        (Lint::LossyCast, Some(Expr::Cast(cast))) => {
            let parts = operand(text, &cast.expr, Side::Argument).zip(piece(text, &cast.ty));
            parts.map(|(value, ty)| format!("use `{ty}::try_from({value})`"))
        }
        _ => None,
    };
    written.unwrap_or_else(|| plain_guard(lint).to_string())
}

/// What would help where the text does not say more.
fn plain_guard(lint: Lint) -> &'static str {
    match lint {
        Lint::Overflow => "use `checked_…`, or a type with more room",
        Lint::DivisionByZero => "test the divisor before",
        Lint::IndexOutOfBounds => "use `get`, or test the index before",
        Lint::InvalidShift => "use `checked_shl` or `checked_shr`, or test the count before",
        Lint::UnwrapFailed => "handle the other case: `?`, `let … else`, `unwrap_or`",
        Lint::AssertionFailed => "test it in the callers, or say so under `# Panics`",
        Lint::ReachablePanic => "return an error, or say so under `# Panics`",
        Lint::LossyCast => "use `try_from`",
        Lint::ConstantCondition => "leave the condition out, or compare what was meant",
        Lint::UnreachableCode => "leave it out, or correct the condition before it",
        Lint::NonTermination => "see that every round comes nearer to the way out",
        Lint::UninitialisedRead => "assign it where it is declared",
    }
}

fn c_guard(lint: Lint) -> String {
    let text = match lint {
        Lint::Overflow => "test the operands before, or use a wider type",
        Lint::IndexOutOfBounds => "test the index before",
        Lint::InvalidShift => "test the count before",
        Lint::AssertionFailed | Lint::ReachablePanic => "see that the callers keep to it",
        other => plain_guard(other),
    };
    text.to_string()
}

fn checked(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Add(_) | BinOp::AddAssign(_) => "checked_add",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "checked_sub",
        BinOp::Mul(_) | BinOp::MulAssign(_) => "checked_mul",
        BinOp::Div(_) | BinOp::DivAssign(_) => "checked_div",
        BinOp::Rem(_) | BinOp::RemAssign(_) => "checked_rem",
        BinOp::Shl(_) | BinOp::ShlAssign(_) => "checked_shl",
        BinOp::Shr(_) | BinOp::ShrAssign(_) => "checked_shr",
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A method is called on it.
    Receiver,
    Argument,
}

fn operand(text: &str, part: &Expr, side: Side) -> Option<String> {
    if let (Side::Argument, Expr::Paren(inner)) = (side, part) {
        return operand(text, &inner.expr, side);
    }
    let written = piece(text, part)?;
    // A number alone does not say its type.
    if side == Side::Receiver && matches!(part, Expr::Lit(_)) {
        return None;
    }
    let binds = matches!(
        part,
        Expr::Path(_)
            | Expr::Field(_)
            | Expr::MethodCall(_)
            | Expr::Call(_)
            | Expr::Index(_)
            | Expr::Paren(_)
    );
    Some(if side == Side::Argument || binds { written } else { format!("({written})") })
}

fn piece(text: &str, part: &impl syn::spanned::Spanned) -> Option<String> {
    // In a text of its own lines and columns count from its beginning.
    let (start, end) = (part.span().start(), part.span().end());
    let line = text.lines().nth(start.line.checked_sub(1)?)?;
    if start.line != end.line {
        return None;
    }
    let written: String = line.chars().skip(start.column).take(end.column - start.column).collect();
    (!written.is_empty() && written.chars().count() <= LONGEST).then_some(written)
}

#[cfg(test)]
mod wording {
    use super::*;

    fn guard(lint: Lint, text: &str) -> String {
        rust_guard(lint, text, Use::Read)
    }

    #[test]
    fn elements_that_are_written_are_lent_to_be() {
        let written = |before, behind| Use::between(before, behind) == Use::Written;
        for (before, behind) in
            [("", " = 1;"), ("", " += 1"), ("", " <<= 1"), ("", ".x[a[0]].y = 1"), ("f(&mut ", ")")]
        {
            assert!(written(before, behind), "{before}…{behind}");
        }
        for (before, behind) in
            [("", " == 1"), ("", " <= 1"), ("", " >= 1"), ("", " + 1"), ("", ".f(&mut a)"), ("&", "")]
        {
            assert!(!written(before, behind), "{before}…{behind}");
        }
        let help = rust_guard(Lint::IndexOutOfBounds, "t[i]", Use::Written);
        assert_eq!(help, "use `t.get_mut(i)`, or test the index before");
    }

    #[test]
    fn paths_alone_need_no_brackets() {
        assert_eq!(plainly("let x = <crate::Meter>::new(3u8);"), "let x = crate::Meter::new(3u8);");
        for same in
            ["<crate::A as std::ops::Add>::add(1, 2)", "a::<u8>::b()", "<crate::A<u8>>::new()", "1 < 2"]
        {
            assert_eq!(plainly(same), same);
        }
        let written = format!(
            "f({STD}::option::Option::Some({STD}::vec![1u8]), {STD}::ops::Range {{ start: 1, end: 0 }})"
        );
        assert_eq!(plainly(&written), "f(Some(vec![1u8]), std::ops::Range { start: 1, end: 0 })");
    }

    #[test]
    fn operands_are_written_as_they_stand() {
        assert_eq!(
            guard(Lint::Overflow, "a + b * 2"),
            "use `a.checked_add(b * 2)`, or a type with more room"
        );
        assert_eq!(
            guard(Lint::Overflow, "a * 2 - b"),
            "use `(a * 2).checked_sub(b)`, or a type with more room"
        );
        assert_eq!(
            guard(Lint::Overflow, "self.n += 1"),
            "use `self.n.checked_add(1)`, or a type with more room"
        );
        assert_eq!(
            guard(Lint::DivisionByZero, "x % y.z"),
            "use `x.checked_rem(y.z)`, or test `y.z == 0` before"
        );
        assert_eq!(guard(Lint::IndexOutOfBounds, "t[a..b]"), "use `t.get(a..b)`, or test the index before");
        assert_eq!(
            guard(Lint::DivisionByZero, "x / (y - 1)"),
            "use `x.checked_div(y - 1)`, or test `y - 1 == 0` before"
        );
        assert_eq!(guard(Lint::Overflow, "1 + a"), "use `checked_…`, or a type with more room");
        assert_eq!(guard(Lint::LossyCast, "x as u8"), "use `u8::try_from(x)`");
    }
}
