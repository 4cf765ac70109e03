//! Conditions to signals, for any arithmetic.
//!
//! Every expression becomes a term and a signal that says where it is defined; every condition a
//! truth and a signal of the same kind. The truth means nothing where the condition is undefined. Knows
//! evaluation order; what terms are is the engine's.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, Needs, UnaryOp, Var};

use super::gates::{Gates, Signal};

/// What an engine must be able to build. All operations are exact, unless the engine says that it approximates.
pub trait Arithmetic {
    type Term;

    fn gates(&mut self) -> &mut Gates;
    fn constant(&mut self, value: &Int) -> Self::Term;
    fn variable(&mut self, variable: Var) -> Self::Term;
    fn negate(&mut self, term: &Self::Term) -> Self::Term;
    /// Where the operator is undefined the result may be anything.
    fn binary(&mut self, op: BinaryOp, left: &Self::Term, right: &Self::Term) -> Self::Term;
    /// As `binary`.
    fn unary(&mut self, op: UnaryOp, term: &Self::Term) -> Self::Term;
    fn wrap(&mut self, ty: IntType, term: &Self::Term) -> Self::Term;
    fn choose(&mut self, condition: Signal, yes: &Self::Term, no: &Self::Term) -> Self::Term;
    fn compare(&mut self, op: CompareOp, left: &Self::Term, right: &Self::Term) -> Signal;
}

/// True exactly where `concrete::holds` answers `Some(true)`.
pub fn satisfied<A: Arithmetic>(engine: &mut A, cond: &Cond) -> Signal {
    let (truth, defined) = condition(engine, cond);
    engine.gates().and(truth, defined)
}

/// Truth and definedness.
fn condition<A: Arithmetic>(engine: &mut A, cond: &Cond) -> (Signal, Signal) {
    match cond {
        Cond::Literal(value) => (Signal::constant(*value), Signal::TRUE),
        Cond::Compare(op, left, right) => {
            let (left, left_defined) = expression(engine, left);
            let (right, right_defined) = expression(engine, right);
            let truth = engine.compare(*op, &left, &right);
            (truth, engine.gates().and(left_defined, right_defined))
        }
        Cond::Not(inner) => {
            let (truth, defined) = condition(engine, inner);
            (!truth, defined)
        }
        Cond::And(left, right) => {
            let (left, left_defined) = condition(engine, left);
            let (right, right_defined) = condition(engine, right);
            let gates = engine.gates();
            let reached = gates.implies(left, right_defined);
            (gates.and(left, right), gates.and(left_defined, reached))
        }
        Cond::Or(left, right) => {
            let (left, left_defined) = condition(engine, left);
            let (right, right_defined) = condition(engine, right);
            let gates = engine.gates();
            let reached = gates.or(left, right_defined);
            (gates.or(left, right), gates.and(left_defined, reached))
        }
    }
}

/// Value and definedness.
fn expression<A: Arithmetic>(engine: &mut A, expr: &Expr) -> (A::Term, Signal) {
    match expr {
        Expr::Constant(value) => (engine.constant(value), Signal::TRUE),
        Expr::Variable(variable) => (engine.variable(*variable), Signal::TRUE),
        Expr::Any(_) => (engine.constant(&Int::ZERO), Signal::FALSE),
        Expr::Negate(inner) => {
            let (inner, defined) = expression(engine, inner);
            (engine.negate(&inner), defined)
        }
        Expr::Wrap(ty, inner) => {
            let (inner, defined) = expression(engine, inner);
            (engine.wrap(*ty, &inner), defined)
        }
        Expr::Unary(op, inner) => {
            let (inner, defined) = expression(engine, inner);
            let defined = allowed(engine, &op.needs(), &inner, defined);
            (engine.unary(*op, &inner), defined)
        }
        Expr::Binary(op, left, right) => {
            let (left, left_defined) = expression(engine, left);
            let (right, right_defined) = expression(engine, right);
            let mut defined = engine.gates().and(left_defined, right_defined);
            if op.is_partial() {
                let (of_left, of_right) = op.needs();
                defined = allowed(engine, &of_left, &left, defined);
                defined = allowed(engine, &of_right, &right, defined);
            }
            (engine.binary(*op, &left, &right), defined)
        }
        Expr::IfThenElse(cond, yes, no) => {
            let (truth, cond_defined) = condition(engine, cond);
            let (yes, yes_defined) = expression(engine, yes);
            let (no, no_defined) = expression(engine, no);
            let gates = engine.gates();
            let side = gates.choose(truth, yes_defined, no_defined);
            let defined = gates.and(cond_defined, side);
            (engine.choose(truth, &yes, &no), defined)
        }
    }
}

/// Where all of `so_far` holds and the operand has a value it may have.
fn allowed<A: Arithmetic>(engine: &mut A, needs: &Needs, operand: &A::Term, so_far: Signal) -> Signal {
    let mut compare = |op, with: &Int, so_far| {
        let with = engine.constant(with);
        let holds = engine.compare(op, operand, &with);
        engine.gates().and(so_far, holds)
    };
    match needs {
        Needs::Anything => so_far,
        Needs::NotZero => compare(CompareOp::NotEqual, &Int::ZERO, so_far),
        Needs::Within(low, high) => {
            let above = compare(CompareOp::GreaterEqual, low, so_far);
            match high {
                Some(high) => compare(CompareOp::LessEqual, high, above),
                None => above,
            }
        }
    }
}
