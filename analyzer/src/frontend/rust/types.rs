//! Types, and how values of a type are laid out as scalars.
//!
//! A value is a list of *leaves*: one scalar, or an array of scalars, for each part of the type that is not
//! opaque. A structure has the leaves of its fields, an enumeration a tag and the leaves of all its
//! variants, an array those of its element with one more dimension, a reference those of what it refers to.
//! Opaque types have none: their values are unknown wherever they are read.
//!
//! A slice is where it starts, how long it is, and a *window*: the first elements of what it is a part of, and one
//! more that stands for all the others (`lower/sequence` says what it holds when). `Vec`, `String` and `Box` are
//! structures of our own text of std around a slice, a `str` and what is boxed.

use std::rc::Rc;

use kleene_domains::machine::IntType;

use super::context::Context;
use super::hir::{AdtId, ExprId, FnId, Mutability};
use super::items::AdtKind;
use super::std_table::Meaning;
use crate::ir;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Integer(Integer),
    Bool,
    Char,
    /// Of so many bits; a value is its bits.
    Float(u32),
    Str,
    Never,
    Tuple(Vec<Ty>),
    Array(Box<Ty>, Length),
    Slice(Box<Ty>),
    Reference(Mutability, Box<Ty>),
    Adt(AdtId, Vec<Ty>),
    /// `a..b`, `a..=b` and iterators made of them: only loops look at them.
    Range(Box<Ty>),
    /// A value that can be called: types of its generic parameters, of its parameters, and of its result.
    Callable(Called, Vec<Ty>),
    /// A type parameter that stands for any type.
    Parameter(String),
    /// The value of a constant parameter.
    Constant(i128),
    /// Not understood: may be any type.
    Opaque,
    /// To be inferred.
    Variable(u32),
}

/// What a value that can be called calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Called {
    Closure(ClosureId),
    /// With so many generic parameters.
    Function(FnId, usize),
    Variant(AdtId, u32),
    /// An operation on a value of the first type.
    Standard(Meaning),
}

/// A closure of one reading of a body: types differ from one choice of generic parameters to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClosureId {
    pub reading: u32,
    pub expr: ExprId,
}

impl Called {
    /// How many types stand before those of the parameters.
    pub fn generics(self) -> usize {
        match self {
            Called::Closure(_) | Called::Variant(..) => 0,
            Called::Function(_, count) => count,
            Called::Standard(_) => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    Known(u64),
    /// A generic parameter by this name.
    Parameter(String),
    /// To be inferred.
    Variable(u32),
    Unknown,
}

impl Length {
    /// What a type in the place of a constant says of a length.
    pub fn of(ty: &Ty) -> Self {
        match ty {
            Ty::Constant(value) => u64::try_from(*value).map_or(Length::Unknown, Length::Known),
            Ty::Parameter(name) => Length::Parameter(name.clone()),
            Ty::Variable(index) => Length::Variable(*index),
            _ => Length::Unknown,
        }
    }

    /// Whether another length is one that this one may stand for, where `matches` says so of what stands in the place of
    /// types; one that nobody knows binds nothing.
    pub fn fits(&self, other: &Self, matches: impl FnOnce(&Ty, &Ty) -> bool) -> bool {
        match (self.as_type(), other.as_type()) {
            (Some(own), Some(other)) => matches(&own, &other),
            (Some(Ty::Parameter(_)) | None, None) | (None, Some(Ty::Variable(_))) => true,
            _ => false,
        }
    }

    /// The same as what stands in the place of a type, where it is of use there.
    pub fn as_type(&self) -> Option<Ty> {
        match self {
            Length::Variable(index) => Some(Ty::Variable(*index)),
            Length::Known(count) => Some(Ty::Constant(i128::from(*count))),
            Length::Parameter(name) => Some(Ty::Parameter(name.clone())),
            Length::Unknown => None,
        }
    }

    pub fn is_known(&self) -> bool {
        matches!(self, Length::Known(_))
    }

    /// What something else may say later: a parameter, a variable.
    fn open(&self) -> Option<Ty> {
        self.as_type().filter(|ty| matches!(ty, Ty::Parameter(_) | Ty::Variable(_)))
    }
}

/// An integer type: `usize` and `u64` have the same values and are different types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    pub ty: IntType,
    pub pointer: bool,
}

impl Integer {
    pub fn named(name: &str, pointer_width: u32) -> Option<Self> {
        match name {
            "usize" => Some(Self { ty: IntType::unsigned(pointer_width), pointer: true }),
            "isize" => Some(Self { ty: IntType::signed(pointer_width), pointer: true }),
            "u8" | "u16" | "u32" | "u64" | "u128" | "i8" | "i16" | "i32" | "i64" | "i128" => {
                Some(Self { ty: IntType::from_name(name)?, pointer: false })
            }
            _ => None,
        }
    }

    pub fn name(self) -> String {
        match (self.pointer, self.ty.signed) {
            (true, true) => "isize".into(),
            (true, false) => "usize".into(),
            _ => self.ty.name(),
        }
    }
}

pub const U8: Ty = Ty::Integer(Integer { ty: IntType::U8, pointer: false });
pub const U32: Ty = Ty::Integer(Integer { ty: IntType::U32, pointer: false });
pub const I32: Ty = Ty::Integer(Integer { ty: IntType::I32, pointer: false });

impl Ty {
    pub const UNIT: Ty = Ty::Tuple(Vec::new());

    /// What is behind references.
    pub fn behind(&self) -> &Ty {
        let mut ty = self;
        while let Ty::Reference(_, inner) = ty {
            ty = inner;
        }
        ty
    }

    /// Types of the parameters and the result of a value that can be called.
    pub fn called(&self) -> Option<(Called, &[Ty], &Ty)> {
        let Ty::Callable(called, parts) = self else { return None };
        let (result, before) = parts.split_last()?;
        Some((*called, before.get(called.generics()..)?, result))
    }

    /// The closures that a value of this type may hold.
    pub fn closures(&self) -> Vec<ClosureId> {
        let mut found = Vec::new();
        self.any(&mut |part| {
            if let Ty::Callable(Called::Closure(id), _) = part {
                found.push(*id);
            }
            false
        });
        found
    }

    /// Whether it is a type in a type in a type … beyond all use: generic recursion makes such.
    pub fn is_deep(&self, limit: u32) -> bool {
        if limit == 0 {
            return true;
        }
        match self {
            Ty::Tuple(parts) | Ty::Adt(_, parts) => parts.iter().any(|part| part.is_deep(limit - 1)),
            Ty::Array(inner, _) | Ty::Slice(inner) | Ty::Reference(_, inner) | Ty::Range(inner) => {
                inner.is_deep(limit - 1)
            }
            _ => false,
        }
    }

    pub fn any(&self, test: &mut dyn FnMut(&Ty) -> bool) -> bool {
        test(self)
            || match self {
                Ty::Tuple(parts) | Ty::Adt(_, parts) | Ty::Callable(_, parts) => {
                    parts.iter().any(|part| part.any(test))
                }
                Ty::Array(inner, length) => inner.any(test) || length.open().is_some_and(|ty| test(&ty)),
                Ty::Slice(inner) | Ty::Reference(_, inner) | Ty::Range(inner) => inner.any(test),
                _ => false,
            }
    }

    /// The type with every part replaced that `leaf` has something for.
    pub fn map(&self, leaf: &mut dyn FnMut(&Ty) -> Option<Ty>) -> Ty {
        if let Some(replaced) = leaf(self) {
            return replaced;
        }
        match self {
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.map(leaf)).collect()),
            Ty::Adt(id, parts) => Ty::Adt(*id, parts.iter().map(|part| part.map(leaf)).collect()),
            Ty::Callable(called, parts) => {
                Ty::Callable(*called, parts.iter().map(|part| part.map(leaf)).collect())
            }
            Ty::Array(inner, length) => {
                let replaced = length.open().and_then(|ty| leaf(&ty));
                let length = replaced.map_or_else(|| length.clone(), |ty| Length::of(&ty));
                Ty::Array(Box::new(inner.map(leaf)), length)
            }
            Ty::Slice(inner) => Ty::Slice(Box::new(inner.map(leaf))),
            Ty::Range(inner) => Ty::Range(Box::new(inner.map(leaf))),
            Ty::Reference(mutability, inner) => Ty::Reference(*mutability, Box::new(inner.map(leaf))),
            other => other.clone(),
        }
    }

    pub fn substitute(&self, names: &[(String, Ty)]) -> Ty {
        self.map(&mut |ty| match ty {
            Ty::Parameter(name) => names.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone()),
            _ => None,
        })
    }
}

/// One scalar part of a type, or one array of such parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// How it is named behind the variable: `.x`, `.Some.0`.
    pub name: String,
    pub scalar: ir::Type,
    /// Lengths of the arrays around it, outermost first.
    pub dimensions: Vec<u32>,
    pub part: Part,
}

/// What a leaf is of the value it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Value,
    /// Where a slice begins in its window.
    Start,
    /// How long a slice is, and how many bytes an element takes.
    Length(u64),
    /// Elements of a slice.
    Element,
    /// Bytes of a `str`.
    Text,
}

impl Leaf {
    pub fn ty(&self) -> ir::Type {
        self.dimensions
            .iter()
            .rev()
            .fold(self.scalar.clone(), |ty, length| ir::Type::Array(Box::new(ty), *length))
    }
}

/// More scalars than this are not followed one by one.
const SLOT_LIMIT: u64 = 256;
/// The same of constants that are looked up.
const LONG_LIMIT: u64 = 32_768;
/// Elements of a slice that are followed one by one, and how many scalars they may have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    elements: u64,
    slots: u64,
}

impl Window {
    pub const USUAL: Self = Self { elements: 8, slots: 24 };
    /// For single runs, whose states cost little: headers of formats are this long.
    pub const WIDE: Self = Self { elements: 64, slots: 64 };
    /// While constants are computed that cannot be computed with less.
    pub const LONG: Self = Self { elements: 256, slots: 1_024 };

    pub fn elements(self) -> i64 {
        self.elements as i64
    }
}

const DEPTH_LIMIT: u32 = 24;

impl Context<'_> {
    pub fn leaves(&self, ty: &Ty) -> Rc<[Leaf]> {
        if let Some(known) = self.known_leaves.borrow().get(ty) {
            return known.clone();
        }
        let mut leaves = Vec::new();
        let before = self.closures_met.get();
        self.collect_leaves(ty, String::new(), &mut Vec::new(), 0, &mut leaves);
        let leaves: Rc<[Leaf]> = leaves.into();
        // What a closure keeps is found out later than its type.
        if self.closures_met.get() == before {
            self.known_leaves.borrow_mut().insert(ty.clone(), leaves.clone());
        }
        leaves
    }

    pub fn leaf_count(&self, ty: &Ty) -> usize {
        if let Some(count) = self.leaf_counts.borrow().get(ty) {
            return *count;
        }
        let count = self.leaves(ty).len();
        self.leaf_counts.borrow_mut().insert(ty.clone(), count);
        count
    }

    fn collect_leaves(
        &self,
        ty: &Ty,
        name: String,
        around: &mut Vec<u32>,
        depth: u32,
        leaves: &mut Vec<Leaf>,
    ) {
        if depth > DEPTH_LIMIT {
            return;
        }
        let scalar = |scalar: ir::Type| Leaf {
            name: name.clone(),
            scalar,
            dimensions: around.clone(),
            part: Part::Value,
        };
        match ty {
            Ty::Integer(integer) => leaves.push(scalar(ir::Type::Machine(integer.ty))),
            Ty::Bool => leaves.push(scalar(ir::Type::Bool)),
            Ty::Char => leaves.push(scalar(ir::Type::Below(0x11_0000))),
            Ty::Float(bits) => leaves.push(scalar(ir::Type::Machine(IntType::unsigned(*bits)))),
            Ty::Reference(_, inner) => self.collect_leaves(inner, name, around, depth + 1, leaves),
            Ty::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.collect_leaves(part, format!("{name}.{index}"), around, depth + 1, leaves);
                }
            }
            Ty::Array(element, Length::Known(length)) if self.is_followed(ty) => {
                around.push(*length as u32);
                self.collect_leaves(element, name, around, depth + 1, leaves);
                around.pop();
            }
            Ty::Callable(Called::Closure(id), _) => {
                self.closures_met.set(self.closures_met.get() + 1);
                for (index, (_, ty)) in self.captures(*id).copied.iter().enumerate() {
                    self.collect_leaves(ty, format!("{name}.{index}"), around, depth + 1, leaves);
                }
            }
            Ty::Slice(element) => self.sequence_leaves(element, name, around, depth, leaves),
            Ty::Str => {
                let first = leaves.len();
                self.sequence_leaves(&U8, name, around, depth, leaves);
                for leaf in leaves[first..].iter_mut().filter(|leaf| leaf.part == Part::Element) {
                    leaf.part = Part::Text;
                }
            }
            Ty::Adt(..) if self.is_cut(ty) => {}
            Ty::Adt(id, _) if self.items.is_standard(*id, "Nanoseconds") => {
                leaves.push(scalar(ir::Type::Below(1_000_000_000)));
            }
            Ty::Adt(id, arguments)
                if self.items.is_std_module(self.items.adt(*id).module) && self.wraps(*id) =>
            {
                // Nobody names what lies between a `Vec` and its elements.
                let inner = self.field_type(*id, 0, 0, arguments);
                self.collect_leaves(&inner, name, around, depth + 1, leaves);
            }
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let adt = self.items.adt(*id);
                if adt.kind == AdtKind::Enum {
                    leaves.push(scalar(ir::Type::Below(adt.variants.len().max(1) as u32)));
                }
                if self.is_holder(*id, arguments) {
                    let held = self.field_type(*id, 0, 0, arguments);
                    return self.collect_leaves(&held, name, around, depth + 1, leaves);
                }
                for (index, variant) in adt.variants.iter().enumerate() {
                    let prefix = match adt.kind {
                        AdtKind::Struct => name.clone(),
                        AdtKind::Enum => format!("{name}.{}", variant.name),
                    };
                    for field in 0..variant.fields.len() {
                        let ty = self.field_type(*id, index as u32, field, arguments);
                        let name = format!("{prefix}.{}", variant.fields[field].name);
                        self.collect_leaves(&ty, name, around, depth + 1, leaves);
                    }
                }
            }
            _ => {}
        }
    }

    fn sequence_leaves(
        &self,
        element: &Ty,
        name: String,
        around: &mut Vec<u32>,
        depth: u32,
        leaves: &mut Vec<Leaf>,
    ) {
        let leaf = |name: String, scalar: ir::Type, part: Part| Leaf {
            name,
            scalar,
            dimensions: around.clone(),
            part,
        };
        let bytes = self.bytes(element);
        leaves.push(leaf(format!("{name}.start"), ir::Type::Natural, Part::Start));
        leaves.push(leaf(format!("{name}.len"), self.length_type(element), Part::Length(bytes)));
        if let Some(window) = self.window(element) {
            let first = leaves.len();
            around.push(window + 1);
            self.collect_leaves(element, name, around, depth + 1, leaves);
            around.pop();
            for leaf in leaves[first..].iter_mut().filter(|leaf| leaf.part == Part::Value) {
                leaf.part = Part::Element;
            }
        }
    }

    /// The numbers that can be the length of a slice: its elements fit into half of the memory.
    pub fn length_type(&self, element: &Ty) -> ir::Type {
        let width = self.configuration.pointer_width;
        let sized = self.takes_room(element, 0);
        ir::Type::Machine(IntType::unsigned(if sized { width - 1 } else { width }))
    }

    /// Whether a value certainly takes at least a byte.
    pub fn takes_room(&self, ty: &Ty, depth: u32) -> bool {
        match ty {
            _ if depth > DEPTH_LIMIT => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Reference(..) => true,
            Ty::Tuple(parts) => parts.iter().any(|part| self.takes_room(part, depth + 1)),
            Ty::Array(element, Length::Known(length)) => *length > 0 && self.takes_room(element, depth + 1),
            Ty::Adt(id, _) if self.items.is_std_module(self.items.adt(*id).module) && self.wraps(*id) => true,
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let adt = self.items.adt(*id);
                match adt.variants.as_slice() {
                    [only] => (0..only.fields.len())
                        .any(|field| self.takes_room(&self.field_type(*id, 0, field, arguments), depth + 1)),
                    // Uninhabited variants may leave one that takes no room.
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// How much of slices is followed now.
    pub fn in_sight(&self) -> Window {
        if self.widely.get() { Window::LONG } else { self.window.get() }
    }

    /// How many elements of a slice are followed one by one; `None` for none.
    pub fn window(&self, element: &Ty) -> Option<u32> {
        if self.is_recursive(element) {
            return None;
        }
        match self.slots(element, 0) {
            0 => None,
            slots => {
                let Window { elements, slots: most } = self.in_sight();
                Some((most / slots).min(elements) as u32).filter(|window| *window > 0)
            }
        }
    }

    /// Whether a type of our own text of std is one value in a wrapper that nobody names.
    pub fn wraps(&self, id: AdtId) -> bool {
        matches!(self.items.adt(id).name.as_str(), "Vec" | "VecDeque" | "String" | "Box" | "ManuallyDrop")
    }

    /// A box around something that may have such a box in it: nobody knows how deep it goes.
    pub(super) fn is_cut(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Box") => {
                arguments.iter().any(|inner| self.is_recursive(inner))
            }
            _ => false,
        }
    }

    /// Whether values of a type may have values of the same type in them.
    pub fn is_recursive(&self, ty: &Ty) -> bool {
        if let Some(known) = self.recursive.borrow().get(ty) {
            return *known;
        }
        let known = self.reaches_itself(ty, &mut Vec::new());
        self.recursive.borrow_mut().insert(ty.clone(), known);
        known
    }

    fn reaches_itself(&self, ty: &Ty, around: &mut Vec<Ty>) -> bool {
        match ty {
            Ty::Tuple(parts) => parts.iter().any(|part| self.reaches_itself(part, around)),
            Ty::Array(inner, _) | Ty::Slice(inner) | Ty::Reference(_, inner) | Ty::Range(inner) => {
                self.reaches_itself(inner, around)
            }
            Ty::Adt(..) if around.len() as u32 > DEPTH_LIMIT || around.contains(ty) => true,
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                around.push(ty.clone());
                let variants = self.items.adt(*id).variants.iter().enumerate();
                let mut fields = variants.flat_map(|(variant, found)| {
                    (0..found.fields.len()).map(move |field| (variant as u32, field))
                });
                let found = fields.any(|(variant, field)| {
                    self.reaches_itself(&self.field_type(*id, variant, field, arguments), around)
                });
                around.pop();
                found
            }
            _ => false,
        }
    }

    /// What a value of a type of std stands for when it is dereferenced: `Vec`, `String`, `Box`.
    pub fn dereferenced(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Reference(_, inner) => Some((**inner).clone()),
            Ty::Adt(id, arguments)
                if self.items.is_std_module(self.items.adt(*id).module) && self.wraps(*id) =>
            {
                Some(self.field_type(*id, 0, 0, arguments))
            }
            _ => None,
        }
    }

    /// What lies behind references and boxes.
    pub fn behind(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Reference(_, inner) => self.behind(inner),
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Box") => {
                arguments.first().map_or(Ty::Opaque, |inner| self.behind(inner))
            }
            other => other.clone(),
        }
    }

    /// The type of the elements, if a value of a type is a slice, a `str` or something that stands for one.
    pub fn element_type(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Slice(element) => Some((**element).clone()),
            Ty::Str => Some(U8),
            ty => self.element_type(&self.dereferenced(ty)?),
        }
    }

    /// The elements that an iterator over a borrowed slice goes through.
    pub fn gone_through(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Iter") => arguments.first().cloned(),
            // What owns its elements, too, where an array is taken apart.
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "IntoIter") => arguments.first().cloned(),
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Copied") => {
                self.gone_through(arguments.first()?)
            }
            _ => None,
        }
    }

    /// How many bytes a value takes, where the language says so.
    pub fn exact_size(&self, ty: &Ty) -> Option<u64> {
        let pointer = u64::from(self.configuration.pointer_width / 8);
        match ty {
            Ty::Integer(integer) => Some(u64::from(integer.ty.bits / 8)),
            Ty::Float(bits) => Some(u64::from(bits / 8)),
            Ty::Bool => Some(1),
            Ty::Char => Some(4),
            Ty::Tuple(parts) if parts.is_empty() => Some(0),
            Ty::Array(element, Length::Known(length)) => self.exact_size(element)?.checked_mul(*length),
            Ty::Reference(_, inner) => match **inner {
                Ty::Slice(_) | Ty::Str => Some(2 * pointer),
                Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_) => None,
                _ => Some(pointer),
            },
            _ => None,
        }
    }

    /// Whether the elements of an array are variables of their own.
    pub fn is_followed(&self, ty: &Ty) -> bool {
        self.slots(ty, 0) <= if self.widely.get() { LONG_LIMIT } else { SLOT_LIMIT }
    }

    /// Whether a constant of a type is too long to be a variable, and not too long to be looked up.
    pub fn is_long(&self, ty: &Ty) -> bool {
        (SLOT_LIMIT + 1..=LONG_LIMIT).contains(&self.slots(ty, 0))
    }

    /// Answers as if long arrays were followed.
    pub fn widely<T>(&self, answer: impl FnOnce() -> T) -> T {
        self.with_long(true, answer)
    }

    /// Answers as if long arrays were followed or not.
    pub fn with_long<T>(&self, long: bool, answer: impl FnOnce() -> T) -> T {
        if self.widely.get() == long {
            return answer();
        }
        let swap = || {
            self.widely.set(!self.widely.get());
            self.known_leaves.swap(&self.other_leaves);
            self.leaf_counts.swap(&self.other_counts);
        };
        swap();
        let answer = answer();
        swap();
        answer
    }

    fn slots(&self, ty: &Ty, depth: u32) -> u64 {
        match ty {
            _ if depth > DEPTH_LIMIT => 0,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) => 1,
            Ty::Reference(_, inner) => self.slots(inner, depth + 1),
            Ty::Tuple(parts) => parts.iter().map(|part| self.slots(part, depth + 1)).sum(),
            Ty::Array(element, Length::Known(length)) => {
                self.slots(element, depth + 1).saturating_mul(*length)
            }
            Ty::Callable(Called::Closure(id), _) => {
                self.captures(*id).copied.iter().map(|(_, ty)| self.slots(ty, depth + 1)).sum()
            }
            Ty::Str => 3 + self.in_sight().elements,
            Ty::Slice(element) => {
                let window = self.window(element).map_or(0, |window| u64::from(window) + 1);
                2 + window * if window == 0 { 0 } else { self.slots(element, depth + 1) }
            }
            Ty::Adt(..) if self.is_cut(ty) => 0,
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let adt = self.items.adt(*id);
                let fields = adt.variants.iter().enumerate().flat_map(|(index, variant)| {
                    (0..variant.fields.len()).map(move |field| (index as u32, field))
                });
                fields
                    .map(|(variant, field)| {
                        self.slots(&self.field_type(*id, variant, field, arguments), depth + 1)
                    })
                    .fold(1, u64::saturating_add)
            }
            _ => 0,
        }
    }

    /// Where the leaves of a field begin among those of its type, and the field's type.
    pub fn field_leaves(&self, id: AdtId, variant: u32, field: usize, arguments: &[Ty]) -> (usize, Ty) {
        let adt = self.items.adt(id);
        let mut at = usize::from(adt.kind == AdtKind::Enum);
        if self.is_holder(id, arguments) {
            return (at, self.field_type(id, variant, field, arguments));
        }
        for (index, inner) in adt.variants.iter().enumerate() {
            for position in 0..inner.fields.len() {
                let ty = self.field_type(id, index as u32, position, arguments);
                if (index as u32, position) == (variant, field) {
                    return (at, ty);
                }
                at += self.leaf_count(&ty);
            }
        }
        (at, Ty::Opaque)
    }

    pub fn field_type(&self, id: AdtId, variant: u32, field: usize, arguments: &[Ty]) -> Ty {
        let at = (id, variant, field);
        if let Some(known) = self.fields.borrow().get(&at).and_then(|known| known.get(arguments)) {
            return known.clone();
        }
        let ty = self.declared_field_type(at, arguments);
        // As a part of something else it may have been too much, and lengths may be constants that are under way.
        if self.resolving.get().0 == 0 && !self.is_computing() {
            self.fields.borrow_mut().entry(at).or_default().insert(arguments.to_vec(), ty.clone());
        }
        ty
    }

    fn declared_field_type(&self, (id, variant, field): Field, arguments: &[Ty]) -> Ty {
        let adt = self.items.adt(id);
        let Some(found) = adt.variants.get(variant as usize).and_then(|variant| variant.fields.get(field))
        else {
            return Ty::Opaque;
        };
        let names: Vec<(String, Ty)> =
            adt.generics.iter().map(|generic| generic.name.clone()).zip(arguments.iter().cloned()).collect();
        let own = Ty::Adt(id, arguments.to_vec());
        self.type_of(&found.ty, &super::context::Environment { names, own: Some(own), ..Default::default() })
    }
}

/// A field of a variant.
pub type Field = (AdtId, u32, usize);

/// A type as people write it.
pub fn shown(context: &Context<'_>, ty: &Ty) -> String {
    let list = |parts: &[Ty]| parts.iter().map(|part| shown(context, part)).collect::<Vec<_>>().join(", ");
    match ty {
        Ty::Integer(integer) => integer.name(),
        Ty::Bool => "bool".into(),
        Ty::Char => "char".into(),
        Ty::Float(bits) => format!("f{bits}"),
        Ty::Str => "str".into(),
        Ty::Never => "!".into(),
        Ty::Tuple(parts) => format!("({})", list(parts)),
        Ty::Array(element, Length::Known(length)) => format!("[{}; {length}]", shown(context, element)),
        Ty::Array(element, Length::Parameter(name)) => format!("[{}; {name}]", shown(context, element)),
        Ty::Array(element, Length::Variable(_) | Length::Unknown) => {
            format!("[{}; ?]", shown(context, element))
        }
        Ty::Slice(element) => format!("[{}]", shown(context, element)),
        Ty::Reference(Mutability::Shared, inner) => format!("&{}", shown(context, inner)),
        Ty::Reference(Mutability::Mutable, inner) => format!("&mut {}", shown(context, inner)),
        Ty::Adt(id, parts) if parts.is_empty() => context.items.adt(*id).name.clone(),
        Ty::Adt(id, parts) => format!("{}<{}>", context.items.adt(*id).name, list(parts)),
        Ty::Range(inner) => format!("range of {}", shown(context, inner)),
        Ty::Callable(_, parts) => format!("fn({})", list(parts)),
        Ty::Parameter(name) => name.clone(),
        Ty::Constant(value) => value.to_string(),
        Ty::Opaque => "?".into(),
        Ty::Variable(index) => format!("?{index}"),
    }
}
