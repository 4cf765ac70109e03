//! Elements of long constants: they are looked up in a table that is part of the program.

use std::rc::Rc;
use std::sync::Arc;

use kleene_domains::expr::{BinaryOp, CompareOp};

use super::super::super::arith;
use super::super::context::Context;
use super::super::hir::{ConstId, ExprId, ExprKind};
use super::super::infer::{Callee, Named};
use super::super::types::{Length, Ty};
use super::steps::Lowerer;
use super::value::{Spot, Value, tuples};
use crate::ir::table::Table;
use crate::ir::{Expr, Input, InputSource, Place, Projection};
use crate::source::Span;

/// A step from a constant to a part of it.
enum Inwards {
    Field(String),
    Element(Index),
}

/// An index into an array of this length.
struct Index {
    at: ExprId,
    length: u64,
    /// Whether somebody looks where it points; elsewhere a run that is wrong about it is none.
    checked: bool,
    span: Span,
}

/// A part of a long constant that is short enough to be a variable.
struct Part {
    tables: Vec<Arc<Table>>,
    ty: Ty,
    /// What the constant itself is of: each use makes a value of its own.
    whole: Ty,
    indices: Vec<Index>,
}

impl Context<'_> {
    /// What stands in each leaf of a long constant; `None` where nobody knows.
    fn long_table(&self, id: ConstId, arguments: &[Ty], ty: &Ty) -> Option<Rc<[Arc<Table>]>> {
        let key = (id, arguments.to_vec());
        if let Some(known) = self.long_tables.borrow().get(&key) {
            return known.clone();
        }
        let found = self.widely(|| {
            let environment = self.constant_environment(id, arguments);
            let mut values = self.constant_value(id, &environment)?.into_iter();
            let mut tables = Vec::new();
            for leaf in self.leaves(ty).iter() {
                let count: usize = leaf.dimensions.iter().map(|length| *length as usize).product();
                let table = Table::new(values.by_ref().take(count).collect())?;
                tables.push(Arc::new(table));
            }
            values.next().is_none().then(|| Rc::from(tables))
        });
        self.long_tables.borrow_mut().insert(key, found.clone());
        found
    }
}

impl Lowerer<'_, '_, '_> {
    /// The element of a long constant that an expression names, in a place of its own.
    pub fn looked_up(&mut self, id: ExprId, span: Span) -> Option<Spot> {
        let Part { tables, ty, whole, indices } = self.part_of_table(id)?;
        self.unnamed_end(&whole, span);
        let mut at: Vec<(Expr, u64)> = Vec::new();
        for Index { at: index, length, checked, span } in indices {
            if self.needs_steps(index) {
                for (known, _) in &mut at {
                    let kept = self.keep(Value::scalar(self.context.usize(), known.clone()), span);
                    *known = kept.expr().cloned().unwrap_or(arith::constant(0));
                }
            }
            let value = self.value(index);
            let found = value.expr().cloned().unwrap_or(arith::constant(0));
            let found = match checked {
                true => self.checked_index(found, length, span),
                false => {
                    let found = self.keep(Value::scalar(self.context.usize(), found), span);
                    let found = found.expr().cloned().unwrap_or(arith::constant(0));
                    let bound = arith::constant(length as i64);
                    self.go_on_if(arith::compare(CompareOp::Less, found.clone(), bound), span);
                    found
                }
            };
            at.push((found, length));
        }
        self.flush(span);
        let row = at.into_iter().fold(arith::constant(0), |row, (index, length)| {
            let row = arith::binary(BinaryOp::Mul, row, arith::constant(length as i64));
            arith::binary(BinaryOp::Add, row, index)
        });
        let spot = self.temporary(&ty, span);
        let leaves = self.context.leaves(&ty);
        for ((leaf, stored), table) in leaves.iter().zip(spot.leaves.iter().flatten()).zip(&tables) {
            let all = tuples(&leaf.dimensions);
            let first = arith::binary(BinaryOp::Mul, row.clone(), arith::constant(all.len() as i64));
            for (offset, tuple) in all.into_iter().enumerate() {
                let path = tuple.into_iter().map(|index| arith::constant(i64::from(index)));
                let path = path.map(|index| Projection::Element(Box::new(index)));
                let place = Place { variable: stored.variable, path: path.collect() };
                let index = arith::binary(BinaryOp::Add, first.clone(), arith::constant(offset as i64));
                let source = InputSource::Looked(table.clone(), index);
                self.pending.inputs.push(Input { place, source, span });
            }
        }
        Some(spot)
    }

    /// Whether it is a call of the method of slices that looks at no bounds.
    fn is_unchecked(&self, id: ExprId) -> bool {
        let Some(Callee::Function(function, _)) = self.frame.typing.callees.get(&id) else { return false };
        let function = self.context.items.function(*function);
        function.name == "get_unchecked" && self.context.items.is_std_module(function.module)
    }

    fn part_of_table(&self, id: ExprId) -> Option<Part> {
        let body = self.frame.body;
        let mut inwards = Vec::new();
        let mut at = id;
        loop {
            match &body.expr(at).kind {
                ExprKind::Index(base, index) => {
                    let Ty::Array(_, Length::Known(length)) = self.context.behind(&self.ty(*base)) else {
                        return None;
                    };
                    if !matches!(self.ty(*index), Ty::Integer(_)) {
                        return None;
                    }
                    let span = self.span(at);
                    inwards.push(Inwards::Element(Index { at: *index, length, checked: true, span }));
                    at = *base;
                }
                ExprKind::Method { receiver, arguments, .. } => {
                    let Ty::Array(_, Length::Known(length)) = self.context.behind(&self.ty(*receiver)) else {
                        return None;
                    };
                    let [index] = arguments.as_slice() else { return None };
                    if !self.is_unchecked(at) || !matches!(self.ty(*index), Ty::Integer(_)) {
                        return None;
                    }
                    let span = self.span(at);
                    inwards.push(Inwards::Element(Index { at: *index, length, checked: false, span }));
                    at = *receiver;
                }
                ExprKind::Field(base, name) => {
                    inwards.push(Inwards::Field(name.clone()));
                    at = *base;
                }
                ExprKind::Deref(inner) if self.is_pointer(*inner) => return None,
                ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => at = *inner,
                ExprKind::Path(_) => break,
                _ => return None,
            }
        }
        let Some(Named::Constant(constant, arguments)) = self.frame.typing.paths.get(&at) else {
            return None;
        };
        let whole = self.ty(at);
        if !self.context.is_long(&whole) || self.context.widely.get() {
            return None;
        }
        let tables = self.context.long_table(*constant, arguments, &whole)?;
        let context = self.context;
        let (range, ty, indices) = context.widely(|| {
            let (mut ty, mut range, mut indices) = (context.behind(&whole), 0..tables.len(), Vec::new());
            for inwards in inwards.into_iter().rev() {
                match inwards {
                    Inwards::Field(name) => {
                        let (first, part) = context.field_named(&ty, &name)?;
                        let first = range.start + first;
                        range = first..first + context.leaf_count(&part);
                        ty = context.behind(&part);
                    }
                    Inwards::Element(index) => {
                        let Ty::Array(element, Length::Known(known)) = &ty else { return None };
                        if *known != index.length {
                            return None;
                        }
                        ty = context.behind(element);
                        indices.push(index);
                    }
                }
            }
            Some((range, ty, indices))
        })?;
        let wanted = self.ty(id);
        let short = context.is_followed(&wanted) && context.behind(&wanted) == ty;
        // Every array that is followed anywhere in it is followed as a part.
        let same = short && context.widely(|| context.leaves(&wanted)) == context.leaves(&wanted);
        let tables = tables.get(range).filter(|_| same)?.to_vec();
        Some(Part { tables, ty: wanted, whole, indices })
    }
}
