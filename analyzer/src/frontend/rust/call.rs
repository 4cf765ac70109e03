//! Calls, and what expressions show before they are lowered: their types and their need for steps.

use syn::visit::Visit;
use syn::{BinOp, Expr};

use super::super::arith;
use super::super::build::Pending;
use super::expression::{Operator, operator};
use super::lower::{Lowerer, Lowering};
use super::types::{Ty, Value, bound_of};
use crate::ir::{Effect, StepKind};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Value,
    Nothing,
}

impl Lowerer<'_> {
    pub(super) fn call(
        &mut self,
        call: &syn::ExprCall,
        wanted: Use,
        outer: &mut Pending,
    ) -> Lowering<Option<Value>> {
        let span = self.places.of(call);
        let name = match &*call.func {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let Some(signature) = name.as_ref().and_then(|name| self.signatures.get(name).cloned()) else {
            return self.unsupported(&*call.func, "calls of anything but functions of this file");
        };
        if signature.parameters.len() != call.args.len() {
            return self.refuse(span, format!("{} arguments are needed here", signature.parameters.len()));
        }
        let mut pending = Pending::default();
        let mut arguments = Vec::new();
        for (argument, ty) in call.args.iter().zip(&signature.parameters) {
            arguments.push(self.value(argument, Some(*ty), &mut pending)?.expr);
        }
        // Operands to the left are evaluated, and may fail, before the call.
        if let Some(before) = outer.checks() {
            self.builder.advance(StepKind::Skip, span, before, Effect::SKIP);
        }
        let ty = signature.result.filter(|_| wanted == Use::Value);
        let result = ty.map(|ty| self.builder.temporary(ty.stored(), span));
        let effect = Effect::Call { function: signature.id, arguments, result: result.clone() };
        self.builder.advance(StepKind::Call, span, pending, effect);
        Ok(result.zip(ty).map(|(place, ty)| Value { expr: arith::read(place), ty }))
    }

    /// The type an expression shows by itself, without what surrounds it.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<Ty> {
        match expr {
            Expr::Paren(inner) => self.type_of(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Bool(_) => Some(Ty::Bool),
                syn::Lit::Int(value) => Ty::named(value.suffix()),
                _ => None,
            },
            Expr::Path(path) => {
                let segments: Vec<_> =
                    path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                match segments.as_slice() {
                    [name] => self
                        .lookup(name)
                        .map(|(_, ty)| ty)
                        .or_else(|| self.constants.get(name).map(|it| it.ty)),
                    [ty, name] => bound_of(ty, name).map(|(_, ty)| ty),
                    _ => None,
                }
            }
            Expr::Unary(unary) => self.type_of(&unary.expr),
            Expr::Binary(binary) => match operator(&binary.op)? {
                Operator::Arithmetic(_) => self.type_of(&binary.left).or_else(|| self.type_of(&binary.right)),
                _ => Some(Ty::Bool),
            },
            Expr::Cast(cast) => Ty::of(&cast.ty),
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => self.signatures.get(&path.path.get_ident()?.to_string())?.result,
                _ => None,
            },
            Expr::If(inner) => {
                let tail = self.tail_type(&inner.then_branch);
                tail.or_else(|| inner.else_branch.as_ref().and_then(|(_, other)| self.type_of(other)))
            }
            Expr::Block(block) => self.tail_type(&block.block),
            _ => None,
        }
    }

    fn tail_type(&self, block: &syn::Block) -> Option<Ty> {
        match block.stmts.as_slice() {
            // Names of the block itself are not known yet.
            [syn::Stmt::Expr(tail, None)] => self.type_of(tail),
            _ => None,
        }
    }
}

/// Whether a lazy operator has a call to its right.
pub(super) fn splits(binary: &syn::ExprBinary) -> bool {
    let lazy = matches!(binary.op, BinOp::And(_) | BinOp::Or(_));
    let inside = |expr: &Expr| matches!(expr, Expr::Binary(inner) if splits(inner));
    lazy && (needs_steps(&binary.right) || inside(&binary.left))
}

struct Finder<'n> {
    /// `None`: any call or macro.
    name: Option<&'n str>,
    found: bool,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let called = match &*call.func {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        self.found |= self.name.is_none_or(|name| called.is_some_and(|ident| ident == name));
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.found |= self.name.is_none();
    }
}

/// Whether evaluating the expression needs a step of its own.
pub(super) fn needs_steps(expr: &Expr) -> bool {
    let mut finder = Finder { name: None, found: false };
    finder.visit_expr(expr);
    finder.found
}

/// Whether some function of the file calls `name`.
pub(super) fn calls(file: &syn::File, name: &str) -> bool {
    let mut finder = Finder { name: Some(name), found: false };
    finder.visit_file(file);
    finder.found
}
