//! Expressions of the slice: values with their checks, and conditions.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;
use syn::{BinOp, Expr, UnOp};

use super::super::build::{Pending, Point};
use super::super::{Arithmetic, arith};
use super::call::{Use, needs_steps, splits};
use super::lower::{Lowerer, Lowering};
use super::types::{Ty, Value, bound_of};
use crate::ir::{Cond, Effect, FailKind, StepKind};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn value(
        &mut self,
        expr: &Expr,
        expected: Option<Ty>,
        pending: &mut Pending,
    ) -> Lowering<Value> {
        let value = match expr {
            Expr::Paren(inner) => self.value(&inner.expr, expected, pending)?,
            Expr::Group(inner) => self.value(&inner.expr, expected, pending)?,
            Expr::Lit(literal) => self.literal(&literal.lit, expected, Sign::Plus)?,
            Expr::Path(path) => self.path(path)?,
            Expr::Unary(unary) => self.unary(unary, expected, pending)?,
            Expr::Binary(binary) => match operator(&binary.op) {
                Some(Operator::Arithmetic(op)) => {
                    let ty = self.type_of(&binary.left).or_else(|| self.type_of(&binary.right)).or(expected);
                    let left = self.value(&binary.left, ty, pending)?;
                    let right = self.value(&binary.right, Some(left.ty), pending)?;
                    let span = self.places.of(binary);
                    self.arithmetic(op, left, right, span, pending)?
                }
                Some(_) => Value { expr: arith::number(self.condition(expr, pending)?), ty: Ty::Bool },
                None => return self.unsupported(&binary.op, "this operator"),
            },
            Expr::Cast(cast) => self.cast(cast, pending)?,
            Expr::Call(call) => match self.call(call, Use::Value, pending)? {
                Some(value) => value,
                None => return self.refuse(self.places.of(call), "this call gives no value"),
            },
            Expr::If(inner) => self.choice(inner, expected, pending)?,
            Expr::Block(block) if block.block.stmts.len() == 1 && block.label.is_none() => {
                match &block.block.stmts[0] {
                    syn::Stmt::Expr(inner, None) => self.value(inner, expected, pending)?,
                    _ => return self.unsupported(expr, "a block inside an expression"),
                }
            }
            Expr::Block(_) => return self.unsupported(expr, "a block inside an expression"),
            other => return self.unsupported(other, described(other)),
        };
        match expected {
            Some(ty) if ty != value.ty => {
                let span = self.places.of(expr);
                self.refuse(span, format!("expected `{}`, found `{}`", ty.name(), value.ty.name()))
            }
            _ => Ok(value),
        }
    }

    fn literal(&mut self, literal: &syn::Lit, expected: Option<Ty>, sign: Sign) -> Lowering<Value> {
        match literal {
            syn::Lit::Bool(value) => {
                Ok(Value { expr: arith::constant(i64::from(value.value)), ty: Ty::Bool })
            }
            syn::Lit::Int(value) => {
                let span = self.places.span(value.span());
                let ty = match (value.suffix(), expected) {
                    ("", Some(Ty::Int(ty))) => ty,
                    ("", Some(Ty::Bool)) => return self.refuse(span, "expected `bool`, found an integer"),
                    ("", None) => IntType::I32,
                    (suffix, _) => match Ty::named(suffix) {
                        Some(Ty::Int(ty)) => ty,
                        _ => return self.unsupported(value, "this literal"),
                    },
                };
                let Ok(digits) = value.base10_digits().parse::<Int>() else {
                    return self.unsupported(value, "this literal");
                };
                let number = if sign == Sign::Minus { digits.neg() } else { digits };
                if !ty.contains(&number) {
                    return self.refuse(span, format!("{number} is no `{}`", ty.name()));
                }
                Ok(Value { expr: arith::constant(number), ty: Ty::Int(ty) })
            }
            other => self.unsupported(other, "literals other than integers and booleans"),
        }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Lowering<Value> {
        let segments: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match segments.as_slice() {
            [name] => {
                if let Some((variable, ty)) = self.lookup(name) {
                    return Ok(Value { expr: arith::read(crate::ir::Place::variable(variable)), ty });
                }
                if let Some(value) = self.constants.get(name) {
                    return Ok(value.clone());
                }
                let span = self.places.of(path);
                self.refuse(span, format!("`{name}` is not a variable or constant here"))
            }
            [ty, name] => match bound_of(ty, name) {
                Some((value, ty)) => Ok(Value { expr: arith::constant(value), ty }),
                None => self.unsupported(path, "this path"),
            },
            _ => self.unsupported(path, "this path"),
        }
    }

    fn unary(
        &mut self,
        unary: &syn::ExprUnary,
        expected: Option<Ty>,
        pending: &mut Pending,
    ) -> Lowering<Value> {
        match (&unary.op, &*unary.expr) {
            // `-128i8` is one number: 128 alone would not fit.
            (UnOp::Neg(_), Expr::Lit(literal)) => self.literal(&literal.lit, expected, Sign::Minus),
            (UnOp::Neg(_), inner) => {
                let value = self.value(inner, expected, pending)?;
                let span = self.places.of(unary);
                match value.ty {
                    Ty::Int(ty) if ty.signed => self.negate(value, ty, span, pending),
                    _ => self.refuse(span, format!("`{}` has no negation", value.ty.name())),
                }
            }
            (UnOp::Not(_), inner) if expected.or_else(|| self.type_of(inner)) == Some(Ty::Bool) => {
                Ok(Value { expr: arith::number(arith::not(self.condition(inner, pending)?)), ty: Ty::Bool })
            }
            _ => self.unsupported(unary, "this operator"),
        }
    }

    fn negate(&mut self, value: Value, ty: IntType, span: Span, pending: &mut Pending) -> Lowering<Value> {
        if self.arithmetic == Arithmetic::Debug {
            let least = arith::compare(CompareOp::Equal, value.expr.clone(), arith::constant(ty.min()));
            pending.fails_if(least, FailKind::Overflow, span);
            return Ok(Value { expr: arith::negate(value.expr), ty: value.ty });
        }
        Ok(Value { expr: arith::wrap(ty, arith::negate(value.expr)), ty: value.ty })
    }

    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
        pending: &mut Pending,
    ) -> Lowering<Value> {
        let (Ty::Int(ty), true) = (left.ty, left.ty == right.ty) else {
            return self.refuse(
                span,
                format!("no such operator for `{}` and `{}`", left.ty.name(), right.ty.name()),
            );
        };
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            let zero = arith::compare(CompareOp::Equal, right.expr.clone(), arith::constant(0));
            pending.fails_if(zero, FailKind::DivisionByZero, span);
            if ty.signed {
                // MIN / -1 fails whatever the arithmetic mode.
                let least = arith::compare(CompareOp::Equal, left.expr.clone(), arith::constant(ty.min()));
                let minus = arith::compare(CompareOp::Equal, right.expr.clone(), arith::constant(-1));
                let both = if minus == Cond::Literal(false) { minus } else { least.and(minus) };
                pending.fails_if(both, FailKind::Overflow, span);
            }
            return Ok(Value { expr: arith::binary(op, left.expr, right.expr), ty: left.ty });
        }
        let result = arith::binary(op, left.expr, right.expr);
        if self.arithmetic == Arithmetic::Release {
            return Ok(Value { expr: arith::wrap(ty, result), ty: left.ty });
        }
        let below = arith::compare(CompareOp::Less, result.clone(), arith::constant(ty.min()));
        let above = arith::compare(CompareOp::Greater, result.clone(), arith::constant(ty.max()));
        let overflow = match (ty.signed, op) {
            (false, BinaryOp::Sub) => below,
            (false, _) => above,
            (true, _) => below.or(above),
        };
        pending.fails_if(overflow, FailKind::Overflow, span);
        Ok(Value { expr: result, ty: left.ty })
    }

    fn cast(&mut self, cast: &syn::ExprCast, pending: &mut Pending) -> Lowering<Value> {
        let Some(to) = Ty::of(&cast.ty) else { return self.unsupported(&*cast.ty, "this type") };
        let from = self.type_of(&cast.expr);
        let Ty::Int(target) = to else { return self.unsupported(cast, "casts to `bool`") };
        // A bare literal takes the type it is cast to, if it fits.
        let value = self.value(&cast.expr, from.or(Some(to)), pending)?;
        let kept = match value.ty {
            Ty::Bool => true,
            Ty::Int(source) => target.contains(&source.min()) && target.contains(&source.max()),
        };
        let expr = if kept { value.expr } else { arith::wrap(target, value.expr) };
        Ok(Value { expr, ty: to })
    }

    /// `if` as a part of an expression: both sides must be plain values.
    fn choice(
        &mut self,
        inner: &syn::ExprIf,
        expected: Option<Ty>,
        pending: &mut Pending,
    ) -> Lowering<Value> {
        let tail = |block: &syn::Block| match block.stmts.as_slice() {
            [syn::Stmt::Expr(tail, None)] => Some(tail.clone()),
            _ => None,
        };
        let (Some(yes), Some((_, no))) = (tail(&inner.then_branch), &inner.else_branch) else {
            return self.unsupported(inner, "statements inside an expression");
        };
        if needs_steps(&yes) || needs_steps(no) {
            return self.unsupported(inner, "calls in an `if` inside an expression");
        }
        let expected = expected.or_else(|| self.type_of(&yes)).or_else(|| self.type_of(no));
        let cond = self.condition(&inner.cond, pending)?;
        pending.enter(cond.clone());
        let yes = self.value(&yes, expected, pending);
        pending.leave();
        let yes = yes?;
        pending.enter(arith::not(cond.clone()));
        let no = self.value(no, Some(yes.ty), pending);
        pending.leave();
        Ok(Value { expr: arith::choose(cond, yes.expr, no?.expr), ty: yes.ty })
    }

    pub(super) fn condition(&mut self, expr: &Expr, pending: &mut Pending) -> Lowering<Cond> {
        match expr {
            Expr::Paren(inner) => self.condition(&inner.expr, pending),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                Ok(arith::not(self.condition(&unary.expr, pending)?))
            }
            Expr::Binary(binary) => match operator(&binary.op) {
                Some(Operator::Compare(op)) => {
                    let ty = self.type_of(&binary.left).or_else(|| self.type_of(&binary.right));
                    let left = self.value(&binary.left, ty, pending)?;
                    let right = self.value(&binary.right, Some(left.ty), pending)?;
                    Ok(arith::compare(op, left.expr, right.expr))
                }
                Some(lazy @ (Operator::And | Operator::Or)) => {
                    let left = self.condition(&binary.left, pending)?;
                    if needs_steps(&binary.right) {
                        return self
                            .unsupported(expr, "a call on the right of `&&` or `||` inside an expression");
                    }
                    let reached = if lazy == Operator::And { left.clone() } else { arith::not(left.clone()) };
                    pending.enter(reached);
                    let right = self.condition(&binary.right, pending);
                    pending.leave();
                    let right = right?;
                    Ok(if lazy == Operator::And { left.and(right) } else { left.or(right) })
                }
                _ => self.unsupported(expr, "this condition"),
            },
            Expr::Let(_) => self.unsupported(expr, "`let` in a condition"),
            _ => Ok(arith::truth(self.value(expr, Some(Ty::Bool), pending)?.expr)),
        }
    }

    /// A condition step; several where a call is evaluated lazily.
    pub(super) fn branch(&mut self, expr: &Expr, yes: Point, no: Point) -> Lowering<()> {
        match expr {
            Expr::Paren(inner) => return self.branch(&inner.expr, yes, no),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) && needs_steps(&unary.expr) => {
                return self.branch(&unary.expr, no, yes);
            }
            Expr::Binary(binary) if splits(binary) => {
                let middle = self.builder.point();
                match binary.op {
                    BinOp::And(_) => self.branch(&binary.left, middle, no)?,
                    _ => self.branch(&binary.left, yes, middle)?,
                }
                self.builder.current = middle;
                return self.branch(&binary.right, yes, no);
            }
            _ => {}
        }
        let mut pending = Pending::default();
        let cond = self.condition(expr, &mut pending)?;
        let span = self.places.of(expr);
        let ways = [(Effect::SKIP, yes), (Effect::SKIP, no)];
        self.builder.split(StepKind::Condition, span, pending, cond, ways);
        Ok(())
    }

    pub(super) fn compound(&self, op: &BinOp) -> Option<BinaryOp> {
        Some(match op {
            BinOp::AddAssign(_) => BinaryOp::Add,
            BinOp::SubAssign(_) => BinaryOp::Sub,
            BinOp::MulAssign(_) => BinaryOp::Mul,
            BinOp::DivAssign(_) => BinaryOp::Div,
            BinOp::RemAssign(_) => BinaryOp::Rem,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Arithmetic(BinaryOp),
    Compare(CompareOp),
    And,
    Or,
}

pub(super) fn operator(op: &BinOp) -> Option<Operator> {
    Some(match op {
        BinOp::Add(_) => Operator::Arithmetic(BinaryOp::Add),
        BinOp::Sub(_) => Operator::Arithmetic(BinaryOp::Sub),
        BinOp::Mul(_) => Operator::Arithmetic(BinaryOp::Mul),
        BinOp::Div(_) => Operator::Arithmetic(BinaryOp::Div),
        BinOp::Rem(_) => Operator::Arithmetic(BinaryOp::Rem),
        BinOp::Eq(_) => Operator::Compare(CompareOp::Equal),
        BinOp::Ne(_) => Operator::Compare(CompareOp::NotEqual),
        BinOp::Lt(_) => Operator::Compare(CompareOp::Less),
        BinOp::Le(_) => Operator::Compare(CompareOp::LessEqual),
        BinOp::Gt(_) => Operator::Compare(CompareOp::Greater),
        BinOp::Ge(_) => Operator::Compare(CompareOp::GreaterEqual),
        BinOp::And(_) => Operator::And,
        BinOp::Or(_) => Operator::Or,
        _ => return None,
    })
}

fn described(expr: &Expr) -> &'static str {
    match expr {
        Expr::Array(_) | Expr::Repeat(_) | Expr::Index(_) => "arrays",
        Expr::Async(_) | Expr::Await(_) => "async code",
        Expr::Closure(_) => "closures",
        Expr::Field(_) | Expr::Struct(_) => "structures",
        Expr::ForLoop(_) => "`for` loops",
        Expr::Loop(_) | Expr::While(_) => "a loop inside an expression",
        Expr::Macro(_) => "a macro inside an expression",
        Expr::Match(_) => "`match`",
        Expr::MethodCall(_) => "method calls",
        Expr::Range(_) => "ranges",
        Expr::Reference(_) => "references",
        Expr::Try(_) => "`?`",
        Expr::Tuple(_) => "tuples",
        Expr::Unsafe(_) => "unsafe code",
        _ => "this expression",
    }
}
