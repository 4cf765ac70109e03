//! What a variable of the source is made of, for formulas and reports.

use super::super::items::{AdtKind, Shape};
use super::super::types::{Length, Ty, U8};
use super::steps::Lowerer;
use super::value::Stored;
use crate::frontend::arith;
use crate::ir::view::{Form, Record, SequenceKind, Style, View, When};
use crate::ir::{Place, Projection};
use crate::source::Span;

const DEPTH_LIMIT: u32 = 24;

/// The leaves that are left, in the order of `types::Leaf`.
struct Leaves<'l> {
    places: &'l dyn Fn(usize, &[u32]) -> Option<Place>,
    next: usize,
    indices: Vec<u32>,
}

impl Leaves<'_> {
    fn take(&mut self) -> Option<Place> {
        self.next += 1;
        (self.places)(self.next - 1, &self.indices)
    }
}

impl Lowerer<'_, '_, '_> {
    /// Says what a variable is made of, unless it is a plain number.
    pub fn view(&mut self, name: &str, ty: &Ty, stored: &[Stored], when: When, span: Span) {
        let place = |leaf: usize, indices: &[u32]| {
            let stored = stored.get(leaf).filter(|stored| !stored.hidden)?;
            let path =
                indices.iter().map(|index| Projection::Element(Box::new(arith::constant(i64::from(*index)))));
            Some(Place { variable: stored.variable, path: path.collect() })
        };
        self.view_of(name, ty, &place, when, span);
    }

    /// The same for a value whose scalars lie anywhere, by leaf and index.
    pub fn view_of(
        &mut self,
        name: &str,
        ty: &Ty,
        places: &dyn Fn(usize, &[u32]) -> Option<Place>,
        when: When,
        span: Span,
    ) {
        if self.frame.at.is_some() {
            return;
        }
        let form = self.form(ty, &mut Leaves { places, next: 0, indices: Vec::new() }, 0);
        if !matches!(form, Form::Number(_)) {
            self.builder.views.push(View { name: name.into(), span, form, when });
        }
    }

    fn form(&self, ty: &Ty, leaves: &mut Leaves<'_>, depth: u32) -> Form {
        let scalar =
            |leaves: &mut Leaves<'_>, make: fn(Place) -> Form| leaves.take().map_or(Form::Hidden, make);
        match ty {
            _ if depth > DEPTH_LIMIT => Form::Hidden,
            Ty::Integer(_) => scalar(leaves, Form::Number),
            Ty::Bool => scalar(leaves, Form::Bool),
            Ty::Char => scalar(leaves, Form::Char),
            Ty::Reference(_, inner) => self.form(inner, leaves, depth + 1),
            Ty::Tuple(parts) => {
                let fields = parts.iter().enumerate();
                let fields =
                    fields.map(|(index, part)| (index.to_string(), self.form(part, leaves, depth + 1)));
                Form::Record(Record { name: String::new(), style: Style::Tuple, fields: fields.collect() })
            }
            Ty::Array(element, Length::Known(length)) if self.context.is_followed(ty) => {
                let first = leaves.next;
                let mut elements = Vec::new();
                for index in 0..*length as u32 {
                    leaves.next = first;
                    leaves.indices.push(index);
                    elements.push(self.form(element, leaves, depth + 1));
                    leaves.indices.pop();
                }
                leaves.next = first + self.context.leaf_count(element);
                Form::List(elements)
            }
            Ty::Slice(element) => self.sequence_form(element, SequenceKind::Elements, leaves, depth),
            Ty::Str => self.sequence_form(&U8, SequenceKind::Text, leaves, depth),
            Ty::Adt(..) if self.context.leaf_count(ty) == 0 => Form::Hidden,
            Ty::Adt(id, _)
                if self.context.items.is_std_module(self.context.items.adt(*id).module)
                    && self.context.dereferenced(ty).is_some() =>
            {
                let inner = self.context.dereferenced(ty).unwrap_or(Ty::Opaque);
                self.form(&inner, leaves, depth + 1)
            }
            Ty::Adt(id, arguments) if !self.context.items.adt(*id).opaque => {
                self.named_parts(*id, arguments, leaves, depth)
            }
            _ => {
                leaves.next += self.context.leaf_count(ty);
                Form::Hidden
            }
        }
    }

    fn sequence_form(&self, element: &Ty, kind: SequenceKind, leaves: &mut Leaves<'_>, depth: u32) -> Form {
        let (start, length) = (leaves.take(), leaves.take());
        let mut elements = Vec::new();
        if let Some(window) = self.context.window(element) {
            let first = leaves.next;
            for index in 0..=window {
                leaves.next = first;
                leaves.indices.push(index);
                elements.push(self.form(element, leaves, depth + 1));
                leaves.indices.pop();
            }
            leaves.next = first + self.context.leaf_count(element);
        }
        match (start, length) {
            (Some(start), Some(length)) => {
                Form::Sequence { start, length: Box::new(Form::Number(length)), elements, kind }
            }
            _ => Form::Hidden,
        }
    }

    fn named_parts(
        &self,
        id: super::super::hir::AdtId,
        arguments: &[Ty],
        leaves: &mut Leaves<'_>,
        depth: u32,
    ) -> Form {
        let items = self.context.items;
        let adt = items.adt(id);
        let tag = match adt.kind {
            AdtKind::Enum => Some(leaves.take()),
            AdtKind::Struct => None,
        };
        let (held, first) = (self.context.is_holder(id, arguments), leaves.next);
        let plain = items.is_standard(id, "Option") || items.is_standard(id, "Result");
        let mut variants = Vec::new();
        for (index, variant) in adt.variants.iter().enumerate() {
            // Ways to hold the same thing have the same leaves.
            leaves.next = if held { first } else { leaves.next };
            let fields = variant.fields.iter().enumerate().map(|(position, field)| {
                let ty = self.context.field_type(id, index as u32, position, arguments);
                (field.name.clone(), self.form(&ty, leaves, depth + 1))
            });
            let fields = fields.collect();
            let name = match adt.kind {
                AdtKind::Enum if !plain => format!("{}::{}", adt.name, variant.name),
                _ => variant.name.clone(),
            };
            let style = match variant.shape {
                Shape::Unit => Style::Unit,
                Shape::Tuple => Style::Tuple,
                Shape::Named => Style::Named,
            };
            variants.push(Record { name, style, fields });
        }
        match tag {
            Some(Some(tag)) => Form::Choice { name: adt.name.clone(), tag, variants },
            Some(None) => Form::Hidden,
            None => variants.pop().map_or(Form::Hidden, Form::Record),
        }
    }
}
