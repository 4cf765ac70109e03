//! The end of values: calls of `drop` in Rust's order, and steps of unknown code where that is not followed.

use super::super::glue::Glue;
use super::super::hir::{ExprId, FnId, LocalId, Mutability};
use super::super::items::AdtKind;
use super::super::types::Ty;
use super::ends::Fate;
use super::steps::{Lowerer, Owned};
use super::value::{Spot, Value};
use crate::ir::{Input, InputSource};
use crate::source::Span;

const UNFOLLOWED: &str = "the end of a value that is not followed";

impl Lowerer<'_, '_, '_> {
    pub fn open_scope(&mut self) {
        self.frame.scopes.push(Vec::new());
    }

    /// Leaves the innermost scope at its end.
    pub fn close_scope(&mut self, span: Span) {
        let depth = self.frame.scopes.len().saturating_sub(1);
        self.leave_scopes(depth, span);
        self.frame.scopes.pop();
    }

    /// Ends what the scopes from this depth on own, the innermost first; they may be left on other ways too.
    pub fn leave_scopes(&mut self, depth: usize, span: Span) {
        if self.frame.scopes.iter().skip(depth).all(Vec::is_empty) || !self.builder.reachable() {
            return;
        }
        self.flush(span);
        let inside = self.frame.scopes.iter().skip(depth).rev();
        let owned: Vec<Owned> = inside.flat_map(|scope| scope.iter().rev().cloned()).collect();
        for owned in owned {
            let (spot, is_there) = match owned {
                Owned::Local(local) => {
                    (self.local(local, span), self.frame.ends.fates.get(&local) == Some(&Fate::Kept))
                }
                Owned::Value(spot) => (spot, true),
            };
            match is_there {
                true => self.end_of(&spot, span),
                false => self.unsure_end(&spot.ty, span),
            }
        }
    }

    /// An operand that is there until all others of its expression are.
    pub fn hold(&mut self, id: ExprId, value: Value, span: Span) -> Value {
        if !self.frame.ends.held.contains(&id) {
            return value;
        }
        let spot = self.placed(&value, span);
        let value = self.read(&spot, span);
        if let Some(scope) = self.frame.scopes.last_mut() {
            scope.push(Owned::Value(spot));
        }
        value
    }

    /// All operands are there: whoever takes them ends them.
    pub fn hand_over(&mut self) {
        self.frame.scopes.pop();
    }

    /// A local is there from now on.
    pub fn begin(&mut self, local: LocalId) {
        if self.frame.ends.fates.contains_key(&local)
            && let Some(scope) = self.frame.scopes.last_mut()
        {
            scope.push(Owned::Local(local));
        }
    }

    /// A use after which a local is gone on every way.
    pub fn used(&mut self, id: ExprId, local: LocalId) {
        if self.frame.ends.last_uses.contains(&id) {
            self.disown(local);
        }
    }

    fn disown(&mut self, local: LocalId) {
        let other = |owned: &Owned| !matches!(owned, Owned::Local(owned) if *owned == local);
        self.frame.scopes.iter_mut().for_each(|scope| scope.retain(other));
    }

    /// The local that a `return` gives back does not end with the others.
    pub fn give_back(&mut self, id: ExprId) {
        if let Some(local) = self.frame.ends.given_back.get(&id).copied() {
            self.disown(local);
        }
    }

    /// A value that nobody owns ends here or later: what is behind this point is not certain.
    pub fn loose_end(&mut self, id: ExprId, span: Span) {
        if self.frame.ends.loose.contains(&id) {
            let ty = self.ty(id);
            self.unsure_end(&ty, span);
        }
    }

    /// The old value of a place that is assigned.
    pub fn replaced(&mut self, local: Option<LocalId>, spot: &Spot, span: Span) {
        match self.context.glue(&spot.ty) {
            Glue::Nothing => {}
            _ if local.is_some_and(|local| self.frame.ends.fates.get(&local) == Some(&Fate::Kept)) => {
                self.end_of(spot, span);
            }
            _ => self.unsure_end(&spot.ty.clone(), span),
        }
    }

    /// A value ends: its own `drop`, then its fields in order.
    pub fn end_of(&mut self, spot: &Spot, span: Span) {
        let ty = spot.ty.clone();
        match (self.context.glue(&ty), &ty) {
            (Glue::Nothing, _) => {}
            (Glue::Known, Ty::Tuple(parts)) => {
                let mut at = 0;
                for part in parts {
                    let inner = self.context.spot_part(spot, at, part.clone());
                    self.end_of(&inner, span);
                    at += self.context.leaf_count(part);
                }
            }
            (Glue::Known, Ty::Adt(id, arguments)) if self.context.items.adt(*id).kind == AdtKind::Struct => {
                if let Some(Ok(dropper)) = self.context.dropper(*id, arguments) {
                    self.drop_call(dropper, spot, span);
                }
                for field in 0..self.context.items.adt(*id).variants[0].fields.len() {
                    let (at, part) = self.context.field_leaves(*id, 0, field, arguments);
                    let inner = self.context.spot_part(spot, at, part);
                    self.end_of(&inner, span);
                }
            }
            (Glue::Known, Ty::Adt(id, arguments)) => match self.context.dropper(*id, arguments) {
                Some(Ok(dropper)) => self.drop_call(dropper, spot, span),
                _ => self.unsure_end(&ty, span),
            },
            _ => self.unsure_end(&ty, span),
        }
    }

    fn drop_call(&mut self, dropper: super::super::glue::Dropper, spot: &Spot, span: Span) {
        let signature = self.program.signature(&dropper);
        let lent = Ty::Reference(Mutability::Mutable, Box::new(spot.ty.clone()));
        let value = self.read(spot, span);
        let value = match signature.parameters.first() {
            Some(parameter) => self.fitted(&value, parameter, span),
            None => return self.unsure_end(&spot.ty.clone(), span),
        };
        let lent = self.context.retyped(spot.clone(), lent);
        self.unwritten += 1;
        let _ = self.call_step(dropper, &signature, vec![value], vec![Some(lent)], span);
        self.unwritten -= 1;
    }

    /// A value that no name stands for, or only for parts of it, ends somewhere in what follows.
    pub fn unnamed_end(&mut self, ty: &Ty, span: Span) {
        if self.context.glue(ty) != Glue::Nothing {
            self.unsure_end(ty, span);
        }
    }

    /// Our own text of std does not say where values end that code of others makes for it.
    pub fn made_for_standard(&mut self, maker: FnId, ty: &Ty, span: Span) {
        let items = self.context.items;
        let is_standard = |id: FnId| items.is_std_module(items.function(id).module);
        let taken = self.frame.function.as_ref().is_some_and(|instance| is_standard(instance.0));
        if taken && !is_standard(maker) {
            self.unnamed_end(ty, span);
        }
    }

    /// A value becomes one of a type that says nothing of a `drop` it has: it ends somewhere in what follows.
    pub fn forgotten_end(&mut self, from: &Ty, to: &Ty, span: Span) {
        let borrowed = matches!(to, Ty::Reference(..));
        if from == to || borrowed || self.context.glue(from) == Glue::Nothing {
            return;
        }
        let known = self.context.droppers(to);
        let kept = self.context.glue(to) != Glue::Nothing
            && self.context.droppers(from).iter().all(|dropper| known.contains(dropper));
        if !kept {
            self.unsure_end(from, span);
        }
    }

    /// Nobody knows whether a value of this type ends here, nor which.
    pub fn unsure_end(&mut self, ty: &Ty, span: Span) {
        let droppers = self.context.droppers(ty);
        self.note_unknown(UNFOLLOWED, span);
        self.flush(span);
        self.unwritten += 1;
        let _ = self.unknown_value(&Ty::UNIT, UNFOLLOWED, span);
        for (of, dropper) in droppers {
            let (yes, after) = (self.builder.point(), self.builder.point());
            let choice = self.builder.temporary(crate::ir::Type::Bool, span);
            self.pending.inputs.push(Input { place: choice.clone(), source: InputSource::Unknown, span });
            let happens = Value::scalar(Ty::Bool, super::super::super::arith::read(choice));
            let cond = self.truth(&happens, span);
            self.split(span, cond, yes, after);
            self.builder.current = yes;
            let value = self.unknown_value(&of, UNFOLLOWED, span);
            let spot = self.placed(&value, span);
            self.drop_call(dropper, &spot, span);
            self.join(after, span);
            self.builder.current = after;
        }
        self.unwritten -= 1;
    }
}
