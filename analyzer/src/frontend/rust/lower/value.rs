//! Values as lists of scalar expressions, and places as lists of variables.

use smallvec::SmallVec;

use super::super::super::arith;
use super::super::context::Context;
use super::super::hir::AdtId;
use super::super::types::{Leaf, Length, Ty};
use crate::ir::{Expr, Place, Projection, VariableId};

/// A value: for each leaf of its type the scalars it holds, in order of their indices.
#[derive(Clone, Debug)]
pub struct Value {
    pub ty: Ty,
    pub leaves: Vec<Vec<Expr>>,
}

impl Value {
    pub fn scalar(ty: Ty, expr: Expr) -> Self {
        Self { ty, leaves: vec![vec![expr]] }
    }

    /// A value without parts: unit, or of a type that is not followed.
    pub fn empty(ty: Ty) -> Self {
        Self { ty, leaves: Vec::new() }
    }

    pub fn truth(cond: crate::ir::Cond) -> Self {
        Self::scalar(Ty::Bool, arith::number(cond))
    }

    pub fn unit() -> Self {
        Self::empty(Ty::UNIT)
    }

    /// The one scalar of the value, if it is one.
    pub fn expr(&self) -> Option<&Expr> {
        match self.leaves.as_slice() {
            [leaf] => match leaf.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn slots(&self) -> impl Iterator<Item = &Expr> {
        self.leaves.iter().flatten()
    }

    pub fn with_type(mut self, ty: Ty) -> Self {
        self.ty = ty;
        self
    }
}

/// One leaf of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub variable: VariableId,
    /// Code that we do not see may write it at any time.
    pub hidden: bool,
}

/// Where a value of a type lives.
#[derive(Clone, Debug)]
pub struct Spot {
    pub ty: Ty,
    /// `None`: nobody knows where.
    pub leaves: Option<Vec<Stored>>,
    /// Indices into the arrays around it.
    pub indices: Vec<Expr>,
}

impl Spot {
    pub fn nowhere(ty: Ty) -> Self {
        Self { ty, leaves: None, indices: Vec::new() }
    }

    /// Whether reading it gives what was written last.
    pub fn is_plain(&self) -> bool {
        self.leaves.as_ref().is_some_and(|leaves| leaves.iter().all(|leaf| !leaf.hidden))
    }

    fn place(&self, variable: VariableId, more: &[u32]) -> Place {
        let constant = more.iter().map(|index| arith::constant(i64::from(*index)));
        let path =
            self.indices.iter().cloned().chain(constant).map(|index| Projection::Element(Box::new(index)));
        Place { variable, path: path.collect() }
    }
}

/// All index tuples of an array of these lengths, in order.
pub fn tuples(dimensions: &[u32]) -> Vec<SmallVec<[u32; 4]>> {
    let mut found = vec![SmallVec::new()];
    for length in dimensions {
        found = found
            .into_iter()
            .flat_map(|tuple| {
                (0..*length).map(move |index| {
                    let mut longer = tuple.clone();
                    longer.push(index);
                    longer
                })
            })
            .collect();
    }
    found
}

impl Context<'_> {
    /// The scalar places of each leaf of a spot; `None` for leaves that nobody can follow.
    pub fn scalar_places(&self, spot: &Spot) -> Vec<(Leaf, Option<Vec<Place>>)> {
        let leaves = self.leaves(&spot.ty);
        let stored = spot.leaves.as_deref().unwrap_or(&[]);
        leaves
            .iter()
            .cloned()
            .enumerate()
            .map(|(index, leaf)| {
                let places = stored.get(index).filter(|stored| !stored.hidden).map(|stored| {
                    tuples(&leaf.dimensions).iter().map(|tuple| spot.place(stored.variable, tuple)).collect()
                });
                (leaf, places)
            })
            .collect()
    }

    /// The whole leaves of a spot, as places to draw.
    pub fn leaf_places(&self, spot: &Spot) -> Vec<Place> {
        let stored = spot.leaves.as_deref().unwrap_or(&[]);
        stored.iter().filter(|stored| !stored.hidden).map(|stored| spot.place(stored.variable, &[])).collect()
    }

    /// The same place read as another type of the same layout: a reference and what it refers to.
    pub fn retyped(&self, mut spot: Spot, ty: Ty) -> Spot {
        let layout = |ty: &Ty| -> Vec<_> {
            self.leaves(ty).iter().map(|leaf| (leaf.scalar.clone(), leaf.dimensions.clone())).collect()
        };
        let other = spot.ty != ty && spot.ty.behind() != ty.behind() && layout(&spot.ty) != layout(&ty);
        if other || self.is_turned(&spot.ty, &ty) {
            return Spot::nowhere(ty);
        }
        spot.ty = ty;
        spot
    }

    fn part(&self, leaves: usize, at: usize, count: usize) -> Option<std::ops::Range<usize>> {
        (at + count <= leaves).then_some(at..at + count)
    }

    pub fn value_part(&self, value: &Value, at: usize, ty: Ty) -> Option<Value> {
        let range = self.part(value.leaves.len(), at, self.leaf_count(&ty))?;
        Some(Value { ty, leaves: value.leaves[range].to_vec() })
    }

    pub fn spot_part(&self, spot: &Spot, at: usize, ty: Ty) -> Spot {
        let Some(leaves) = &spot.leaves else { return Spot::nowhere(ty) };
        match self.part(leaves.len(), at, self.leaf_count(&ty)) {
            Some(range) => Spot { leaves: Some(leaves[range].to_vec()), indices: spot.indices.clone(), ty },
            None => Spot::nowhere(ty),
        }
    }

    /// Where a named field begins among the leaves of its type, and its type.
    pub fn field_named(&self, ty: &Ty, name: &str) -> Option<(usize, Ty)> {
        match &self.behind(ty) {
            Ty::Tuple(parts) => {
                let index: usize = name.parse().ok()?;
                let at = parts.get(..index)?.iter().map(|part| self.leaf_count(part)).sum();
                Some((at, parts.get(index)?.clone()))
            }
            Ty::Adt(id, arguments) => {
                let [only] = self.items.adt(*id).variants.as_slice() else { return None };
                let index = only.fields.iter().position(|field| field.name == name)?;
                Some(self.field_leaves(*id, 0, index, arguments))
            }
            _ => None,
        }
    }

    /// The element of an array value at a constant index.
    pub fn element_value(&self, value: &Value, index: u64) -> Option<Value> {
        let Ty::Array(element, Length::Known(length)) = value.ty.behind() else { return None };
        if index >= *length {
            return None;
        }
        let leaves = value
            .leaves
            .iter()
            .map(|leaf| {
                let size = leaf.len() / *length as usize;
                leaf.get(index as usize * size..(index as usize + 1) * size).map(<[Expr]>::to_vec)
            })
            .collect::<Option<_>>()?;
        Some(Value { ty: (**element).clone(), leaves })
    }

    /// A value of an array type from those of its elements.
    pub fn array_value(&self, element: &Ty, elements: &[Value]) -> Value {
        let ty = Ty::Array(Box::new(element.clone()), Length::Known(elements.len() as u64));
        let count = if self.is_followed(&ty) { self.leaf_count(element) } else { 0 };
        let leaves = (0..count)
            .map(|leaf| {
                elements
                    .iter()
                    .flat_map(|value| value.leaves.get(leaf).cloned().unwrap_or_default())
                    .collect()
            })
            .collect();
        Value { ty, leaves }
    }

    /// A value of a type whose every scalar is 0.
    pub fn zero(&self, ty: &Ty) -> Value {
        let leaves = self.leaves(ty);
        let zeros = |leaf: &Leaf| {
            let count = leaf.dimensions.iter().map(|length| *length as usize).product::<usize>();
            vec![arith::constant(0); count]
        };
        Value { ty: ty.clone(), leaves: leaves.iter().map(zeros).collect() }
    }

    /// A variant with its fields; those of other variants are 0.
    pub fn variant_value(
        &self,
        id: AdtId,
        variant: u32,
        arguments: &[Ty],
        fields: &[Value],
    ) -> Option<Value> {
        let ty = Ty::Adt(id, arguments.to_vec());
        let mut value = self.zero(&ty);
        if self.items.adt(id).kind == super::super::items::AdtKind::Enum {
            *value.leaves.first_mut()? = vec![arith::constant(i64::from(variant))];
        }
        for (index, field) in fields.iter().enumerate() {
            let (at, ty) = self.field_leaves(id, variant, index, arguments);
            let count = self.leaf_count(&ty);
            if field.leaves.len() != count {
                return None;
            }
            for (offset, leaf) in field.leaves.iter().enumerate() {
                *value.leaves.get_mut(at + offset)? = leaf.clone();
            }
        }
        Some(value)
    }
}
