//! Where each scalar of a program lives: slots of the globals and of one frame per function.
//!
//! Concrete states and abstract states share this numbering, so a point of one is a point of the other.

use std::cell::RefCell;
use std::ops::Range;

use kleene_domains::{Int, IntType, Interval, Value};
use rustc_hash::FxHashMap;

use super::{Function, FunctionId, Place, Program, Projection, Type, Variable, VariableId};

/// First slot and number of slots of every variable.
#[derive(Clone, Debug)]
pub struct Layout {
    globals: Vec<u32>,
    /// Per function: first slot of each local, counted from the start of its frame.
    locals: Vec<Vec<u32>>,
    pub global_slots: u32,
    pub frame_slots: Vec<u32>,
}

impl Layout {
    pub fn of(program: &Program) -> Self {
        let (globals, global_slots) = place_variables(&program.globals);
        let (locals, frame_slots) =
            program.functions.iter().map(|function| place_variables(&function.locals)).unzip();
        Self { globals, locals, global_slots, frame_slots }
    }

    pub fn frame(&self, function: FunctionId) -> u32 {
        self.frame_slots[function.0 as usize]
    }

    /// First slot of a variable: among the globals, or in the frame of `function`.
    pub fn first_slot(&self, function: FunctionId, variable: VariableId) -> u32 {
        match variable {
            VariableId::Global(index) => self.globals[index as usize],
            VariableId::Local(index) => self.locals[function.0 as usize][index as usize],
        }
    }

    /// The slots of a local, in the frame of `function`.
    pub fn local_slots(&self, function: FunctionId, local: u32) -> Range<u32> {
        let firsts = &self.locals[function.0 as usize];
        let end = firsts.get(local as usize + 1).copied().unwrap_or_else(|| self.frame(function));
        firsts[local as usize]..end
    }

    /// The local that has a slot of the frame of `function`.
    pub fn local_at(&self, function: FunctionId, slot: u32) -> u32 {
        owner(&self.locals[function.0 as usize], slot)
    }

    pub fn global_at(&self, slot: u32) -> u32 {
        owner(&self.globals, slot)
    }

    /// The slot of a place whose indices `index` evaluates; `None` out of bounds or undefined.
    pub fn slot(
        &self,
        program: &Program,
        function: FunctionId,
        place: &Place,
        mut index: impl FnMut(&super::Expr) -> Option<Int>,
    ) -> Option<u32> {
        let mut slot = self.first_slot(function, place.variable);
        let mut ty = &program.variable(function, place.variable).ty;
        for projection in &place.path {
            match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => {
                    slot += fields[..*field as usize].iter().map(|(_, ty)| ty.slots() as u32).sum::<u32>();
                    ty = &fields[*field as usize].1;
                }
                (Projection::Element(at), Type::Array(element, length)) => {
                    let at = index(at)?.to_i64().filter(|at| (0..i64::from(*length)).contains(at))?;
                    slot += at as u32 * element.slots() as u32;
                    ty = element;
                }
                _ => return None,
            }
        }
        Some(slot)
    }
}

/// Which variable has a slot: of those that begin there, the others take no room.
fn owner(firsts: &[u32], slot: u32) -> u32 {
    firsts.partition_point(|first| *first <= slot) as u32 - 1
}

fn place_variables(variables: &[Variable]) -> (Vec<u32>, u32) {
    let mut next = 0;
    let firsts = variables
        .iter()
        .map(|variable| {
            let first = next;
            next += variable.ty.slots() as u32;
            first
        })
        .collect();
    (firsts, next)
}

impl Type {
    /// All values a scalar of this type can hold.
    pub fn range(&self) -> Interval {
        match self {
            Self::Bool => Interval::between(0, 1).expect("0 <= 1"),
            Self::Natural => Interval::at_least(Int::ZERO),
            Self::Machine(ty) => ty.range(),
            Self::Below(bound) => {
                Interval::between(0, i64::from(bound.saturating_sub(1))).expect("0 is not above it")
            }
            _ => Interval::top(),
        }
    }

    pub fn any_value(&self) -> Value {
        match self {
            Self::Machine(ty) => any_of(*ty),
            _ => Value::from_interval(self.range()),
        }
    }

    /// The scalar types of a variable, slot by slot.
    pub fn scalars(&self) -> Vec<&Type> {
        match self {
            Self::Array(element, length) => {
                let one = element.scalars();
                (0..*length).flat_map(|_| one.iter().copied()).collect()
            }
            Self::Struct(fields) => fields.iter().flat_map(|(_, ty)| ty.scalars()).collect(),
            scalar => vec![scalar],
        }
    }
}

thread_local! {
    /// Few types, asked for at most steps; of each thread its own.
    static ANY: RefCell<FxHashMap<IntType, Value>> = RefCell::default();
}

fn any_of(ty: IntType) -> Value {
    ANY.with_borrow_mut(|any| any.entry(ty).or_insert_with(|| Value::from_interval(ty.range())).clone())
}

impl Program {
    pub fn place_type(&self, function: FunctionId, place: &Place) -> &Type {
        let mut ty = &self.variable(function, place.variable).ty;
        for projection in &place.path {
            ty = match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => &fields[*field as usize].1,
                (Projection::Element(_), Type::Array(element, _)) => element,
                _ => panic!("ill-typed place {place:?}: the verifier should have refused it"),
            };
        }
        ty
    }
}

impl Function {
    pub fn local_named<'f>(&'f self, name: &'f str) -> impl Iterator<Item = u32> + 'f {
        self.locals
            .iter()
            .enumerate()
            .filter(move |(_, local)| local.name == name && local.kind != super::VariableKind::Temporary)
            .map(|(index, _)| index as u32)
    }
}
