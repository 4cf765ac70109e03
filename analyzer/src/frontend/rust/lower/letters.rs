//! Letters of a text that take more than one byte, read from the bytes that are seen.
//!
//! A text is whole characters, so its bytes say which. Where one of them lies behind the window nobody knows the letter;
//! nor where bytes are none, which no text has.

use super::super::super::arith;
use super::super::super::build::Exit;
use super::super::types::{I32, Ty, U8};
use super::sequence::{between, continuing, sum};
use super::steps::Lowerer;
use super::value::{Spot, Value};
use crate::ir::{Cond, Effect, Expr, StepKind};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};

/// Which letter of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    First,
    Last,
}

impl Lowerer<'_, '_, '_> {
    /// The first or the last letter of a text that has one, of at least two bytes.
    pub fn long_letter(&mut self, which: Letter, spot: &Spot, span: Span) -> Value {
        let (Some(window), Some((start, length))) = (self.context.window(&U8), self.ends(spot, span)) else {
            return self.unseen(&Ty::Char, span);
        };
        let window = arith::constant(i64::from(window));
        let end = sum(start.clone(), length);
        let index = |back: i64| match which {
            Letter::First => sum(start.clone(), arith::constant(back)),
            Letter::Last => arith::binary(BinaryOp::Sub, end.clone(), arith::constant(back + 1)),
        };
        let mut bytes = Vec::new();
        for back in 0..4 {
            let at = arith::binary(BinaryOp::Max, index(back), arith::constant(0));
            let at = arith::binary(BinaryOp::Min, at, window.clone());
            let byte = self.element_at(spot, &U8, at);
            let byte = self.read(&byte, span);
            let byte = self.keep(byte, span);
            let Some(byte) = byte.expr().cloned() else { return self.unseen(&Ty::Char, span) };
            bytes.push(byte);
        }
        let (code, width) = match which {
            Letter::First => first_of(&bytes),
            Letter::Last => (last_of(&bytes), arith::constant(0)),
        };
        let code = self.keep(Value::scalar(I32, code), span);
        let Some(code) = code.expr().cloned() else { return self.unseen(&Ty::Char, span) };
        let behind = if which == Letter::First { sum(start, width) } else { end };
        let seen = arith::compare(CompareOp::LessEqual, behind, window);
        self.seen_or_any(seen.and(is_long_letter(&code)), code, span)
    }

    /// A letter where it is seen, else one that nobody knows.
    fn seen_or_any(&mut self, seen: Cond, code: Expr, span: Span) -> Value {
        let letter = self.temporary(&Ty::Char, span);
        let place = self.context.leaf_places(&letter)[0].clone();
        self.flush(span);
        let (unseen, after) = (self.builder.point(), self.builder.point());
        let pending = self.taken();
        let exits = vec![
            Exit { guard: seen.clone(), effect: Effect::Assign(vec![(place, code)]), target: after, span },
            Exit { guard: arith::not(seen), effect: Effect::SKIP, target: unseen, span },
        ];
        self.builder.step(StepKind::Skip, span, pending, exits);
        self.dead();
        self.builder.current = unseen;
        self.draw_unseen(&letter, span);
        self.advance(StepKind::Skip, span, Effect::SKIP);
        self.builder.jump(after, span);
        self.dead();
        self.builder.current = after;
        self.read(&letter, span)
    }
}

/// The letter that bytes begin with, and how many it takes.
fn first_of(bytes: &[Expr]) -> (Expr, Expr) {
    let two = below(&bytes[0], 0xe0);
    let three = below(&bytes[0], 0xf0);
    let longer = arith::choose(
        three.clone(),
        joined(&[(&bytes[0], 0xe0), (&bytes[1], 0x80), (&bytes[2], 0x80)]),
        joined(&[(&bytes[0], 0xf0), (&bytes[1], 0x80), (&bytes[2], 0x80), (&bytes[3], 0x80)]),
    );
    let code = arith::choose(two.clone(), joined(&[(&bytes[0], 0xc0), (&bytes[1], 0x80)]), longer);
    let width = arith::choose(three, arith::constant(3), arith::constant(4));
    (code, arith::choose(two, arith::constant(2), width))
}

/// The letter that bytes end with, the last one first.
fn last_of(bytes: &[Expr]) -> Expr {
    let longer = arith::choose(
        below(&bytes[2], 0xc0),
        joined(&[(&bytes[3], 0xf0), (&bytes[2], 0x80), (&bytes[1], 0x80), (&bytes[0], 0x80)]),
        joined(&[(&bytes[2], 0xe0), (&bytes[1], 0x80), (&bytes[0], 0x80)]),
    );
    arith::choose(below(&bytes[1], 0xc0), longer, joined(&[(&bytes[1], 0xc0), (&bytes[0], 0x80)]))
}

fn below(byte: &Expr, limit: i64) -> Cond {
    arith::compare(CompareOp::Less, byte.clone(), arith::constant(limit))
}

/// Six bits of each, without its mark.
fn joined(bytes: &[(&Expr, i64)]) -> Expr {
    let mut code = arith::constant(0);
    for (byte, mark) in bytes {
        let shifted = arith::binary(BinaryOp::Mul, code, arith::constant(64));
        let bits = arith::binary(BinaryOp::Sub, (*byte).clone(), arith::constant(*mark));
        code = sum(shifted, bits);
    }
    code
}

/// Whether the visible bytes of a text are characters, whole ones; of three and four bytes only such as have no neighbours
/// that are none.
pub fn text((start, length): (Expr, Expr), bytes: &[Expr]) -> Cond {
    let bytes = &bytes[..bytes.len() - 1];
    let compare =
        |op: CompareOp, left: &Expr, right: i64| arith::compare(op, left.clone(), arith::constant(right));
    // The bytes behind this one are there, and go on with the letter.
    let goes_on = |at: usize, more: usize| {
        let inside = compare(CompareOp::Greater, &length, (at + more) as i64);
        bytes.get(at + 1..=at + more).map(|next| next.iter().map(continuing).fold(inside, Cond::and))
    };
    let mut cond = compare(CompareOp::Equal, &start, 0);
    for (at, byte) in bytes.iter().enumerate() {
        let outside = compare(CompareOp::LessEqual, &length, at as i64);
        let mut valid = outside.or(compare(CompareOp::Less, byte, 0x80));
        if let Some(more) = goes_on(at, 1) {
            valid = valid.or(between(byte, 0xc2, 0xdf).and(more));
        }
        if let Some(more) = goes_on(at, 2) {
            let first = between(byte, 0xe1, 0xec).or(between(byte, 0xee, 0xef));
            valid = valid.or(first.and(more));
        }
        if let Some(more) = goes_on(at, 3) {
            let first = compare(CompareOp::Equal, byte, 0xf0).and(between(&bytes[at + 1], 0x90, 0xbf));
            valid = valid.or(first.and(more));
        }
        // Every byte that goes on belongs to a letter that is long enough.
        let begins = [(1, 0xc2), (2, 0xe1), (3, 0xf0)].into_iter().filter(|(back, _)| *back <= at);
        let belongs = begins.map(|(back, least)| between(&bytes[at - back], least, 0xf0));
        if let Some(belongs) = belongs.reduce(Cond::or) {
            valid = valid.or(continuing(byte).and(belongs));
        }
        cond = cond.and(valid);
    }
    cond
}

fn is_long_letter(code: &Expr) -> Cond {
    let between = |low: i64, high: i64| {
        arith::compare(CompareOp::GreaterEqual, code.clone(), arith::constant(low)).and(arith::compare(
            CompareOp::LessEqual,
            code.clone(),
            arith::constant(high),
        ))
    };
    between(0x80, 0xd7ff).or(between(0xe000, 0x10_ffff))
}
