//! What is not understood: a step that draws values nobody may choose.
//!
//! Such a step may also fail or never end. Everything it can reach is drawn anew with it.

use super::super::super::build::Exit;
use super::super::hir::{ExprId, Opaque};
use super::super::types::{Part, Ty};
use super::function::Begins;
use super::steps::{Goal, Lowerer, Owned};
use super::value::{Spot, Value};
use crate::ir::{Cond, Effect, Input, InputSource, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

impl Lowerer<'_, '_, '_> {
    pub fn note_unknown(&mut self, reason: &'static str, span: Span) {
        self.program.unknown.push(crate::frontend::Unknown { span, reason });
    }

    /// A step of unknown code that gives a value of this type.
    pub fn unknown_value(&mut self, ty: &Ty, reason: &'static str, span: Span) -> Value {
        self.unknown_step(ty, &[], reason, span)
    }

    /// A value that is not known, of a step that certainly goes on: no code of others runs for it.
    pub fn unseen_value(&mut self, ty: &Ty, reason: &'static str, span: Span) -> Value {
        self.note_unknown(reason, span);
        self.unseen(ty, span)
    }

    /// A step of unknown code that may write these places.
    pub fn unknown_step(&mut self, ty: &Ty, written: &[Spot], reason: &'static str, span: Span) -> Value {
        self.note_unknown(reason, span);
        self.described_unknown(ty, written, span)
    }

    /// The same where our own text of std says that nobody knows: there is nothing that was not understood.
    pub fn described_unknown(&mut self, ty: &Ty, written: &[Spot], span: Span) -> Value {
        self.flush(span);
        let result = self.temporary(ty, span);
        let mut places = self.context.leaf_places(&result);
        if places.is_empty() {
            places.push(self.builder.temporary(crate::ir::Type::Bool, span));
        }
        places.extend(written.iter().flat_map(|spot| self.context.leaf_places(spot)));
        let inputs = places.into_iter().map(|place| Input { place, source: InputSource::Unknown, span });
        self.pending.inputs.extend(inputs);
        self.advance(StepKind::Input, span, Effect::SKIP);
        self.read(&result, span)
    }

    /// Any value of a type, as an input of the program.
    pub fn any_value(&mut self, ty: &Ty, span: Span) -> Value {
        self.flush(span);
        let result = self.temporary(ty, span);
        let inputs = self.context.leaf_places(&result);
        let inputs = inputs.into_iter().map(|place| Input { place, source: InputSource::Type, span });
        self.pending.inputs.extend(inputs);
        self.advance(StepKind::Input, span, Effect::SKIP);
        self.first_slices(std::slice::from_ref(&result), Begins::AtTheFirst, StepKind::Skip, span);
        let value = self.read(&result, span);
        self.assume_valid(&value, StepKind::Input, span);
        value
    }

    /// Restricts drawn values to those their type has: the scalars of `char` have a hole.
    pub fn assume_valid(&mut self, value: &Value, what: StepKind, span: Span) {
        let mut valid = Cond::Literal(true);
        for (leaf, slots) in self.context.leaves(&value.ty).iter().zip(&value.leaves) {
            if leaf.scalar == crate::ir::Type::Below(0x11_0000) && leaf.part == Part::Value {
                for slot in slots {
                    let compare = |op, with: i64| {
                        super::super::super::arith::compare(
                            op,
                            slot.clone(),
                            super::super::super::arith::constant(with),
                        )
                    };
                    let outside = compare(CompareOp::Less, 0xd800).or(compare(CompareOp::Greater, 0xdfff));
                    valid = valid.and(outside);
                }
            }
        }
        if !self.context.is_uninhabited(&value.ty) {
            valid = valid.and(self.context.inhabited(&value.ty, &value.leaves));
        }
        if valid != Cond::Literal(true) {
            self.restrict(what, valid, span);
        }
    }

    pub fn assume(&mut self, cond: Cond, span: Span) {
        self.restrict(StepKind::Assume, cond, span);
    }

    /// Goes on where something holds; elsewhere nobody knows what happens, and nothing behind is meant to.
    pub fn go_on_if(&mut self, cond: Cond, span: Span) {
        let (after, undefined) = (self.builder.point(), self.builder.point());
        let pending = self.taken();
        let ways = [(Effect::SKIP, after), (Effect::SKIP, undefined)];
        self.builder.split(StepKind::Skip, span, pending, cond, ways);
        self.builder.current = undefined;
        let place = self.builder.temporary(crate::ir::Type::Bool, span);
        let source = crate::ir::InputSource::Unknown;
        self.pending.inputs.push(crate::ir::Input { place, source, span });
        self.advance(StepKind::Input, span, Effect::SKIP);
        let pending = self.taken();
        self.builder.end(StepKind::Skip, span, pending, Effect::Stop);
        self.builder.current = after;
    }

    fn restrict(&mut self, kind: StepKind, cond: Cond, span: Span) {
        let after = self.builder.point();
        let pending = self.taken();
        let exit = super::super::super::build::FunctionBuilder::EXIT;
        let ways = [(Effect::SKIP, after), (Effect::Discard, exit)];
        self.builder.split(kind, span, pending, cond, ways);
        self.builder.current = after;
    }

    /// An expression that the reader could not read.
    pub fn opaque(&mut self, id: ExprId, opaque: &Opaque) -> Value {
        let ty = self.ty(id);
        let span = self.span(id);
        for operand in &opaque.operands {
            self.run(*operand, &Goal::Nothing);
            self.lose(&self.ty(*operand));
        }
        for local in &opaque.mentions {
            let ty = self.frame.typing.locals[local.index()].clone();
            self.lose(&ty);
        }
        if opaque.idle {
            self.note_unknown(opaque.reason, span);
            return Value::empty(Ty::Opaque);
        }
        let value = self.unknown_step(&ty, &[], opaque.reason, span);
        if opaque.leaves {
            self.may_leave(opaque, span);
        }
        value
    }

    /// Unknown code may return from the function, or break or continue the loop around it.
    fn may_leave(&mut self, opaque: &Opaque, span: Span) {
        for owned in self.frame.scopes.concat() {
            let ty = match owned {
                Owned::Local(local) => self.frame.typing.locals[local.index()].clone(),
                Owned::Value(spot) => spot.ty,
            };
            self.unsure_end(&ty, span);
        }
        let target = opaque.around.and_then(|id| self.frame.targets.get(&id).cloned());
        let returns = self.builder.point();
        let on = self.builder.point();
        let mut ways = vec![returns];
        if let Some(target) = &target {
            ways.push(target.outside);
            ways.extend(target.again);
        }
        let choice = self.builder.temporary(crate::ir::Type::Below(ways.len() as u32 + 1), span);
        self.pending.inputs.push(Input { place: choice.clone(), source: InputSource::Unknown, span });
        let number = super::super::super::arith::read(choice);
        let is = |op, index: usize| {
            super::super::super::arith::compare(
                op,
                number.clone(),
                super::super::super::arith::constant(index as i64),
            )
        };
        let mut exits: Vec<Exit> = ways
            .iter()
            .enumerate()
            .map(|(index, way)| Exit {
                guard: is(CompareOp::Equal, index),
                effect: Effect::SKIP,
                target: *way,
                span,
            })
            .collect();
        let none = (0..ways.len()).map(|index| is(CompareOp::NotEqual, index)).reduce(Cond::and);
        let guard = none.unwrap_or(Cond::Literal(true));
        exits.push(Exit { guard, effect: Effect::SKIP, target: on, span });
        self.exits(StepKind::Condition, span, exits);
        self.builder.current = returns;
        let result = self.frame.result.clone();
        let value = self.unknown_value(&result, "what unknown code returns", span);
        self.return_value(&value, span);
        self.builder.current = on;
    }
}
