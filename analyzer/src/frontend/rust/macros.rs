//! The macros of the slice: assertions, panics, output.

use kleene_domains::expr::CompareOp;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use super::super::build::{FunctionBuilder, Pending};
use super::super::{Arithmetic, arith};
use super::lower::{Lowerer, Lowering};
use crate::ir::{Cond, Effect, FailKind, StepKind};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn macro_statement(&mut self, mac: &syn::Macro, span: Span) -> Lowering<()> {
        let Some(name) = mac.path.get_ident().map(ToString::to_string) else {
            return self.unsupported(&mac.path, "this macro");
        };
        let debug_only = name.starts_with("debug_assert");
        let arguments = match mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(arguments) => arguments.into_iter().collect::<Vec<_>>(),
            Err(_) => return self.unsupported(mac, "these macro arguments"),
        };
        match name.as_str() {
            _ if debug_only && self.arithmetic == Arithmetic::Release => Ok(()),
            "assert" | "debug_assert" => {
                let Some(condition) = arguments.first() else {
                    return self.refuse(span, "a condition is needed");
                };
                let mut pending = Pending::default();
                let cond = self.condition(condition, &mut pending)?;
                self.assertion(cond, pending, span)
            }
            "assert_eq" | "debug_assert_eq" => self.comparison(CompareOp::Equal, &arguments, span),
            "assert_ne" | "debug_assert_ne" => self.comparison(CompareOp::NotEqual, &arguments, span),
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                self.builder.end(StepKind::Assert, span, Pending::default(), Effect::Fail(FailKind::Panic));
                Ok(())
            }
            "println" | "print" | "eprintln" | "eprint" => {
                let mut pending = Pending::default();
                for argument in arguments.iter().skip(1) {
                    let ty = self.type_of(argument);
                    self.value(argument, ty, &mut pending)?;
                }
                self.builder.advance(StepKind::Skip, span, pending, Effect::SKIP);
                Ok(())
            }
            _ => self.unsupported(&mac.path, "this macro"),
        }
    }

    fn comparison(&mut self, op: CompareOp, arguments: &[Expr], span: Span) -> Lowering<()> {
        let [left, right, ..] = arguments else { return self.refuse(span, "two values are needed") };
        let mut pending = Pending::default();
        let ty = self.type_of(left).or_else(|| self.type_of(right));
        let left = self.value(left, ty, &mut pending)?;
        let right = self.value(right, Some(left.ty), &mut pending)?;
        self.assertion(arith::compare(op, left.expr, right.expr), pending, span)
    }

    fn assertion(&mut self, cond: Cond, pending: Pending, span: Span) -> Lowering<()> {
        let after = self.builder.point();
        let ways = [(Effect::SKIP, after), (Effect::Fail(FailKind::Assertion), FunctionBuilder::EXIT)];
        self.builder.split(StepKind::Assert, span, pending, cond, ways);
        self.builder.current = after;
        Ok(())
    }
}
