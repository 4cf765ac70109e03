//! The order in which a loop goes through the places of a slice: `xs.iter_mut().rev().skip(n).enumerate()`.

use super::super::super::super::arith;
use super::super::super::hir::{ExprId, PatId, PatKind};
use super::super::super::std_table::WalkStep;
use super::super::Instance;
use super::super::steps::Lowerer;
use super::super::value::{Spot, Value};
use super::Source;
use crate::ir::{Expr, Place, StepKind, Type};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};

/// So many places, one after the other.
pub struct Walk {
    pub count: Expr,
    places: Line,
    /// The numbers that come with them.
    numbers: Option<Line>,
    /// Drawn in each turn after the place.
    pub beside: Option<(Spot, Instance)>,
}

/// Values one apart.
#[derive(Clone, PartialEq)]
struct Line {
    first: Expr,
    down: bool,
}

impl Line {
    fn at(&self, turn: Expr) -> Expr {
        match (self.down, arith::as_constant(&self.first)) {
            (false, Some(first)) if first.is_zero() => turn,
            (false, _) => arith::binary(BinaryOp::Add, self.first.clone(), turn),
            (true, _) => arith::binary(BinaryOp::Sub, self.first.clone(), turn),
        }
    }
}

impl Walk {
    pub fn over(count: Expr) -> Self {
        Self { count, places: Line { first: arith::constant(0), down: false }, numbers: None, beside: None }
    }

    pub fn place(&self, turn: Expr) -> Expr {
        self.places.at(turn)
    }

    /// What is written with the place of a turn.
    pub fn number(&self, turn: Expr) -> Option<Expr> {
        self.numbers.as_ref().filter(|numbers| **numbers != self.places).map(|numbers| numbers.at(turn))
    }
}

impl Lowerer<'_, '_, '_> {
    pub(super) fn walked(&mut self, id: ExprId, step: WalkStep, parts: (ExprId, &[ExprId])) -> Source {
        let span = self.span(id);
        let (receiver, arguments) = parts;
        let Source::Elements(spot, ty, walk) = self.source(receiver) else { return Source::Unknown };
        let walk = match step {
            WalkStep::Numbered => {
                let numbers = Some(Line { first: arith::constant(0), down: false });
                Some(Walk { numbers, ..*walk })
            }
            WalkStep::Reversed => Some(self.turned(*walk, span)),
            WalkStep::Skipped | WalkStep::Taken => {
                let value = self.value(arguments[0]);
                value.expr().cloned().map(|by| {
                    let by = self.kept_number(by, span);
                    let less = arith::compare(CompareOp::Less, by.clone(), walk.count.clone());
                    let by = self.kept_number(arith::choose(less, by, walk.count.clone()), span);
                    match step {
                        WalkStep::Taken => Walk { count: by, ..*walk },
                        _ => self.shortened(*walk, by, span),
                    }
                })
            }
            WalkStep::Zipped => {
                let value = self.value(arguments[0]);
                let next = self.frame.typing.draws.get(&id).cloned();
                let beside = next.map(|next| (self.placed(&value, span), next));
                beside.map(|beside| Walk { beside: Some(beside), ..*walk })
            }
        };
        match walk {
            Some(walk) => Source::Elements(spot, ty, Box::new(walk)),
            None => Source::Unknown,
        }
    }

    fn turned(&mut self, walk: Walk, span: Span) -> Walk {
        let last = arith::binary(BinaryOp::Sub, walk.count.clone(), arith::constant(1));
        let mut turn =
            |line: &Line| Line { first: self.kept_number(line.at(last.clone()), span), down: !line.down };
        let (places, numbers) = (turn(&walk.places), walk.numbers.as_ref().map(&mut turn));
        Walk { places, numbers, ..walk }
    }

    fn shortened(&mut self, walk: Walk, by: Expr, span: Span) -> Walk {
        let mut from =
            |line: &Line| Line { first: self.kept_number(line.at(by.clone()), span), ..line.clone() };
        let (places, numbers) = (from(&walk.places), walk.numbers.as_ref().map(&mut from));
        let count = arith::binary(BinaryOp::Sub, walk.count.clone(), by.clone());
        let count = self.kept_number(count, span);
        Walk { count, places, numbers, ..walk }
    }

    /// Where the number of a turn is kept: with the place, where they are the same.
    pub(super) fn number_variable(&mut self, walk: &Walk, index: &Place, span: Span) -> Place {
        match walk.number(arith::constant(0)) {
            Some(_) => self.builder.temporary(Type::Integer, span),
            None => index.clone(),
        }
    }

    /// Binds what comes with an element; the pattern of the element itself.
    pub(super) fn bind_number(&mut self, pat: PatId, walk: &Walk, number: Place, span: Span) -> PatId {
        match &self.frame.body.pat(pat).kind {
            PatKind::Tuple(pats, None) if walk.numbers.is_some() => {
                let number = Value::scalar(self.context.usize(), arith::read(number));
                self.bind_pattern(pats[0], &number, None, StepKind::Declaration, span);
                pats[1]
            }
            _ => pat,
        }
    }
}
