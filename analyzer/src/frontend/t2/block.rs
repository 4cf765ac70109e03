//! One block, executed symbolically: what its commands compute from the values at its start and from
//! the values it draws.
//!
//! A block is one step, so an `assume` behind assignments speaks about their results. Operations that
//! can fail split the block: the run up to a division by zero is an outcome of its own.

use kleene_domains::expr::{BinaryOp, CompareOp};
use rustc_hash::FxHashMap;

use super::super::arith;
use super::ast::{Block, Command, Node, NodeKind};
use super::forms::Forms;
use super::surface;
use crate::ir::{Cond, Expr, Place, VariableId};
use crate::source::Span;

/// An expression of more nodes is written as a sum where it is one.
const COMPACT: usize = 24;
/// Values may not grow beyond this many nodes.
const SIZE_LIMIT: usize = 20_000;

/// A way through a block: conditions in order of evaluation, and what comes of it.
#[derive(Debug)]
pub struct Draft {
    pub conds: Vec<Cond>,
    pub outcome: Outcome,
    /// The place to name if the conditions on drawn values cannot be solved.
    pub place: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Globals and their new values.
    Assign(Vec<(u32, Expr)>),
    DivisionByZero(Span),
}

/// The variables of the program, by name.
pub type Variables<'a> = FxHashMap<&'a str, u32>;

#[derive(Debug)]
pub struct Mistake {
    pub span: Span,
    pub message: String,
}

pub fn execute(
    block: &Block<'_>,
    variables: &Variables<'_>,
    forms: &mut Forms,
) -> Result<Vec<Draft>, Mistake> {
    let mut run = Run {
        variables,
        forms,
        values: FxHashMap::default(),
        drawn: 0,
        reached: Vec::new(),
        conds: Vec::new(),
        failed: Vec::new(),
        place: block.span,
    };
    for command in &block.commands {
        match command {
            Command::Assume(condition) => {
                let cond = run.condition(condition)?;
                if super::forms::cond_reads_drawn(&cond) {
                    run.place = condition.span;
                }
                run.conds.push(cond);
            }
            Command::Assign(target, value) => {
                let value = run.term(value)?;
                let value = run.compact(value, target.span)?;
                run.values.insert(variables[target.text], value);
            }
        }
    }
    let Run { values, conds, mut failed, place, .. } = run;
    let mut writes: Vec<(u32, Expr)> = values.into_iter().collect();
    writes.sort_by_key(|(variable, _)| *variable);
    writes.retain(|(variable, value)| *value != global(*variable));
    failed.push(Draft { conds, outcome: Outcome::Assign(writes), place });
    Ok(failed)
}

struct Run<'a, 'v> {
    variables: &'v Variables<'a>,
    forms: &'v mut Forms,
    /// Where they differ from those at the start.
    values: FxHashMap<u32, Expr>,
    drawn: u32,
    /// Under which conditions the part being built is evaluated at all.
    reached: Vec<Cond>,
    /// What has to hold to come this far.
    conds: Vec<Cond>,
    failed: Vec<Draft>,
    place: Span,
}

impl Run<'_, '_> {
    fn term(&mut self, node: &Node<'_>) -> Result<Expr, Mistake> {
        Ok(match &node.kind {
            NodeKind::Number(value) => Expr::Constant(value.clone()),
            NodeKind::Variable(name) => {
                let variable = self.variables[name];
                self.values.get(&variable).cloned().unwrap_or_else(|| global(variable))
            }
            NodeKind::Nondet => {
                self.drawn += 1;
                arith::read(Place::variable(VariableId::Local(self.drawn - 1)))
            }
            NodeKind::Negate(inner) => arith::negate(self.term(inner)?),
            NodeKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
                    self.check(&right, node.span);
                }
                let value = arith::binary(*op, left, right);
                self.compact(value, node.span)?
            }
            _ => arith::number(self.condition(node)?),
        })
    }

    /// The block fails here where the divisor is 0.
    fn check(&mut self, divisor: &Expr, span: Span) {
        let zero = surface::compare(self.forms, CompareOp::Equal, divisor.clone(), arith::constant(0));
        if zero == Cond::Literal(false) {
            return;
        }
        let mut conds = self.conds.clone();
        conds.extend(self.reached.iter().cloned());
        conds.push(zero.clone());
        self.failed.push(Draft { conds, outcome: Outcome::DivisionByZero(span), place: span });
        let reached = self.reached.iter().cloned().reduce(Cond::and).unwrap_or(Cond::Literal(true));
        self.conds.push(arith::not(reached.and(zero)));
    }

    fn condition(&mut self, node: &Node<'_>) -> Result<Cond, Mistake> {
        Ok(match &node.kind {
            NodeKind::Literal(value) => Cond::Literal(*value),
            NodeKind::Compare(op, left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                surface::compare(self.forms, *op, left, right)
            }
            NodeKind::Not(inner) => arith::not(self.condition(inner)?),
            NodeKind::And(parts) => self.parts(parts, true)?,
            NodeKind::Or(parts) => self.parts(parts, false)?,
            _ => {
                let value = self.term(node)?;
                surface::compare(self.forms, CompareOp::NotEqual, value, arith::constant(0))
            }
        })
    }

    /// Parts joined by `&&` or `||`; each is evaluated only if those before it leave the answer open.
    fn parts(&mut self, parts: &[Node<'_>], all: bool) -> Result<Cond, Mistake> {
        let outside = self.reached.len();
        let mut conds = Vec::with_capacity(parts.len());
        for part in parts {
            let cond = self.condition(part)?;
            self.reached.push(if all { cond.clone() } else { arith::not(cond.clone()) });
            conds.push(cond);
        }
        self.reached.truncate(outside);
        Ok(balanced(conds, if all { Cond::and } else { Cond::or }).unwrap_or(Cond::Literal(all)))
    }

    /// Keeps the values of a block from growing with every use.
    fn compact(&mut self, value: Expr, span: Span) -> Result<Expr, Mistake> {
        if arith::expr_size(&value, COMPACT) < COMPACT {
            return Ok(value);
        }
        let value = match self.forms.of(&value) {
            Some(form) => self.forms.expr(&form),
            None => value,
        };
        if arith::expr_size(&value, SIZE_LIMIT) < SIZE_LIMIT {
            return Ok(value);
        }
        Err(Mistake { span, message: "the values computed in this block are too large; split it".into() })
    }
}

fn global(variable: u32) -> Expr {
    arith::read(Place::variable(VariableId::Global(variable)))
}

/// A tree that is no higher than it has to be, with the parts in order.
pub fn balanced(mut conds: Vec<Cond>, join: fn(Cond, Cond) -> Cond) -> Option<Cond> {
    match conds.len() {
        0 | 1 => conds.pop(),
        count => {
            let right = conds.split_off(count / 2);
            Some(join(balanced(conds, join)?, balanced(right, join)?))
        }
    }
}
