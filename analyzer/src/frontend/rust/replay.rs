//! Calls of functions as a caller writes them: their paths, and values as expressions.
//!
//! What a run begins with is a list of scalars per call; a `Callable` turns it back into Rust. Knows nothing of runs.

mod callable;

use kleene_domains::Int;

use super::hir::Mutability;
use crate::source::FileId;

/// Where tests find std, in crates without it and in any edition; all of core is there, too.
pub const STD: &str = "crate::kleene_replay::std";

/// A function that a test beside it can call.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Modules from the root to the one it stands in: a test there sees all it needs.
    pub module: Vec<String>,
    /// The file it stands in.
    pub file: FileId,
    /// Where the text of that module ends; `None` for the end of the file.
    pub module_end: Option<usize>,
    /// From the root of the crate, generic arguments included.
    pub path: String,
    pub parameters: Vec<Shape>,
    pub is_unsafe: bool,
    /// How a value is taken out of the result, where that is what the call is made for.
    pub unwrap: &'static str,
    /// What it is called for on the way to another call.
    pub purpose: Use,
    /// Whether slices start at their first element whatever the scalars say: nobody else calls it.
    pub begins: bool,
}

/// What a call is made for: its result, or what it does to the value it is lent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    pub result: bool,
    pub change: bool,
}

impl Use {
    pub const MADE: Self = Self { result: true, change: false };
    pub const CHANGED: Self = Self { result: false, change: true };

    pub fn and(self, other: Self) -> Self {
        Self { result: self.result || other.result, change: self.change || other.change }
    }
}

/// How scalars make a value of a type.
#[derive(Clone, Debug)]
pub enum Shape {
    Integer(String),
    Bool,
    Char,
    /// The bits of one of so many.
    Float(u32),
    Tuple(Vec<Shape>),
    Array {
        element: Box<Shape>,
        /// `None`: as long as the caller likes.
        length: Option<u64>,
        /// Whether its elements are among the scalars.
        followed: bool,
    },
    /// A slice, a vector, a text.
    Sequence {
        element: Box<Shape>,
        /// How many elements are among the scalars, if any are, and one that stands for the others.
        window: Option<u64>,
        kind: Kept,
    },
    Boxed(Box<Shape>),
    Reference(Mutability, Box<Shape>),
    Variants {
        variants: Vec<Variant>,
        /// An enumeration: a scalar says which variant it is.
        tagged: bool,
        /// Its variants hold the same in several ways, and have the same scalars.
        held: bool,
    },
    /// A value that earlier calls made, of so many scalars.
    Made(Vec<usize>),
    /// Not followed: any value will do, and this is one.
    Text(String),
}

/// How a sequence is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Slice,
    /// A slice that is lent as an array: where it is passed, it becomes one.
    Array,
    Vec,
    VecDeque,
    Str,
    String,
}

#[derive(Clone, Debug)]
pub struct Variant {
    pub path: String,
    pub fields: Vec<Shape>,
    /// Names of the fields; `None` for a tuple.
    pub names: Option<Vec<String>>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Text(String),
    /// A value that earlier calls made, as it is passed: `&mut `, `&` or nothing before it.
    Made(&'static str),
}

impl Callable {
    /// The arguments that these scalars are; `None` if they are not of this function.
    pub fn arguments(&self, scalars: &[Int]) -> Option<Vec<Argument>> {
        let mut rest = scalars.iter().cloned();
        let mut arguments = Vec::new();
        for shape in &self.parameters {
            let sizes = shape.sizes();
            let leaves: Vec<Vec<Int>> =
                sizes.iter().map(|size| rest.by_ref().take(*size).collect()).collect();
            if leaves.iter().zip(&sizes).any(|(leaf, size)| leaf.len() != *size) {
                return None;
            }
            let leaves = if self.begins { at_the_first(leaves, &shape.starts()) } else { leaves };
            arguments.push(shape.argument(&leaves)?);
        }
        rest.next().is_none().then_some(arguments)
    }
}

impl Shape {
    /// For each leaf of the type the number of its scalars.
    pub fn sizes(&self) -> Vec<usize> {
        let all = |shapes: &[Shape]| shapes.iter().flat_map(Shape::sizes).collect::<Vec<_>>();
        match self {
            Self::Integer(_) | Self::Bool | Self::Char | Self::Float(_) => vec![1],
            Self::Tuple(parts) => all(parts),
            Self::Array { element, length: Some(length), followed: true } => {
                element.sizes().into_iter().map(|size| size * *length as usize).collect()
            }
            Self::Array { .. } | Self::Text(_) => Vec::new(),
            Self::Sequence { element, window, .. } => {
                let inner = window.iter().flat_map(|window| {
                    element.sizes().into_iter().map(move |size| size * (*window as usize + 1))
                });
                [1, 1].into_iter().chain(inner).collect()
            }
            Self::Boxed(inner) | Self::Reference(_, inner) => inner.sizes(),
            Self::Variants { variants, tagged, held } => {
                let tag = tagged.then_some(1);
                let apart = if *held { &variants[..1] } else { variants };
                tag.into_iter().chain(apart.iter().flat_map(|variant| all(&variant.fields))).collect()
            }
            Self::Made(sizes) => sizes.clone(),
        }
    }

    /// For each leaf whether it says where a slice starts.
    fn starts(&self) -> Vec<bool> {
        let all = |shapes: &[Shape]| shapes.iter().flat_map(Shape::starts).collect::<Vec<_>>();
        match self {
            Self::Tuple(parts) => all(parts),
            Self::Array { element, length: Some(_), followed: true } => element.starts(),
            Self::Sequence { element, window, .. } => {
                let inner = window.iter().flat_map(|_| element.starts());
                [true, false].into_iter().chain(inner).collect()
            }
            Self::Boxed(inner) | Self::Reference(_, inner) => inner.starts(),
            Self::Variants { variants, tagged, held } => {
                let tag = tagged.then_some(false);
                let apart = if *held { &variants[..1] } else { variants };
                tag.into_iter().chain(apart.iter().flat_map(|variant| all(&variant.fields))).collect()
            }
            other => vec![false; other.sizes().len()],
        }
    }

    pub fn is_made(&self) -> bool {
        match self {
            Self::Made(_) => true,
            Self::Reference(_, inner) => inner.is_made(),
            _ => false,
        }
    }

    fn argument(&self, leaves: &[Vec<Int>]) -> Option<Argument> {
        match self {
            Self::Made(_) => Some(Argument::Made("")),
            Self::Reference(mutability, inner) if matches!(**inner, Self::Made(_)) => {
                Some(Argument::Made(sign(*mutability)))
            }
            shape => shape.text(Some(leaves)).map(Argument::Text),
        }
    }

    /// The value as an expression; without scalars, one that is as good as any.
    pub fn text(&self, leaves: Option<&[Vec<Int>]>) -> Option<String> {
        let scalar = || match leaves {
            Some(leaves) => leaves.first()?.first().cloned(),
            None => Some(Int::ZERO),
        };
        match self {
            Self::Integer(name) => Some(format!("{}{name}", scalar()?)),
            Self::Bool => Some((!scalar()?.is_zero()).to_string()),
            Self::Char => Some(format!("'\\u{{{:x}}}'", scalar()?.to_i64()?)),
            Self::Float(bits) => Some(format!("f{bits}::from_bits({}u{bits})", scalar()?)),
            Self::Tuple(parts) => {
                let parts = texts(parts, leaves)?;
                Some(if parts.len() == 1 {
                    format!("({},)", parts[0])
                } else {
                    format!("({})", parts.join(", "))
                })
            }
            Self::Array { element, length: Some(length), followed: true } => {
                let each = (0..*length as usize)
                    .map(|index| element.text(element_of(leaves, *length, index).as_deref()));
                Some(format!("[{}]", each.collect::<Option<Vec<_>>>()?.join(", ")))
            }
            Self::Array { element, .. } => {
                Some(format!("{STD}::array::from_fn(|_| {})", element.text(None)?))
            }
            Self::Sequence { element, window, kind } => sequence_text(element, *window, *kind, leaves),
            Self::Boxed(inner) => Some(format!("{STD}::boxed::Box::new({})", inner.text(leaves)?)),
            // A text is a reference already.
            Self::Reference(Mutability::Shared, inner)
                if matches!(**inner, Self::Sequence { kind: Kept::Str, .. }) =>
            {
                inner.text(leaves)
            }
            Self::Reference(mutability, inner) => {
                Some(format!("{}{}", sign(*mutability), inner.text(leaves)?))
            }
            Self::Variants { variants, tagged, held } => {
                self.variant_text(variants, (*tagged, *held), leaves)
            }
            Self::Made(_) => None,
            Self::Text(text) => Some(text.clone()),
        }
    }

    fn variant_text(
        &self,
        variants: &[Variant],
        (tagged, held): (bool, bool),
        leaves: Option<&[Vec<Int>]>,
    ) -> Option<String> {
        let tag = match (tagged, leaves) {
            (true, Some(leaves)) => usize::try_from(leaves.first()?.first()?.to_i64()?).ok()?,
            (true, None) => variants.iter().position(|variant| variant.text(None).is_some())?,
            (false, _) => 0,
        };
        let before: usize = variants[..if held { 0 } else { tag.min(variants.len()) }]
            .iter()
            .flat_map(|variant| &variant.fields)
            .map(|field| field.sizes().len())
            .sum();
        let own = leaves.map(|leaves| &leaves[before + usize::from(tagged)..]);
        variants.get(tag)?.text(own)
    }
}

impl Variant {
    fn text(&self, leaves: Option<&[Vec<Int>]>) -> Option<String> {
        let fields = texts(&self.fields, leaves)?;
        match &self.names {
            Some(names) => {
                let named: Vec<String> =
                    names.iter().zip(&fields).map(|(name, value)| format!("{name}: {value}")).collect();
                Some(format!("{} {{ {} }}", self.path, named.join(", ")))
            }
            None if fields.is_empty() => Some(self.path.clone()),
            None => Some(format!("{}({})", self.path, fields.join(", "))),
        }
    }
}

fn at_the_first(mut leaves: Vec<Vec<Int>>, starts: &[bool]) -> Vec<Vec<Int>> {
    for (leaf, _) in leaves.iter_mut().zip(starts).filter(|(_, starts)| **starts) {
        leaf.iter_mut().for_each(|slot| *slot = Int::ZERO);
    }
    leaves
}

/// More elements than this are not written one by one.
const WRITTEN: u64 = 64;

/// Elements that are known, then as many others as there are.
fn sequence_text(
    element: &Shape,
    window: Option<u64>,
    kind: Kept,
    leaves: Option<&[Vec<Int>]>,
) -> Option<String> {
    let number = |at: usize| match leaves {
        Some(leaves) => u64::try_from(leaves.get(at)?.first()?.to_i64()?).ok(),
        None => Some(0),
    };
    let (start, length) = (number(0)?, number(1)?);
    let known = window.unwrap_or(0).saturating_sub(start).min(length);
    let inner = leaves.map(|leaves| leaves[2..].to_vec());
    let slots = window.map_or(1, |window| window + 1);
    let at = |index: u64| element_of(inner.as_deref(), slots, (start + index) as usize);
    if matches!(kind, Kept::Str | Kept::String) {
        let byte = |index: u64| u8::try_from(at(index)?.first()?.first()?.to_i64()?).ok();
        let bytes = (0..known).map(byte).collect::<Option<Vec<u8>>>()?;
        let text = String::from_utf8(bytes).ok()?;
        let rest = length - known;
        let written = match rest {
            0 => format!("{text:?}"),
            rest => format!("&({STD}::string::String::from({text:?}) + &\"a\".repeat({rest}))[..]"),
        };
        return Some(if kind == Kept::String {
            format!("{STD}::string::String::from({written})")
        } else {
            written
        });
    }
    let first = (0..known).map(|index| element.text(at(index).as_deref())).collect::<Option<Vec<_>>>()?;
    let rest = length - known;
    let list = |elements: Vec<String>| elements.join(", ");
    if length <= WRITTEN {
        let all = first.into_iter().map(Some).chain((0..rest).map(|_| element.text(None)));
        let all = list(all.collect::<Option<Vec<_>>>()?);
        return Some(match kind {
            Kept::Vec => format!("{STD}::vec![{all}]"),
            Kept::VecDeque => format!("{STD}::collections::VecDeque::from({STD}::vec![{all}])"),
            Kept::Array => format!("[{all}]"),
            _ => format!("[{all}][..]"),
        });
    }
    let filler = element.text(None)?;
    let whole = format!(
        "{STD}::iter::Iterator::collect::<{STD}::vec::Vec<_>>(\
         {STD}::iter::IntoIterator::into_iter([{}]).chain((0..{rest}usize).map(|_| {filler})))",
        list(first)
    );
    Some(match kind {
        Kept::Vec => whole,
        Kept::VecDeque => format!("{STD}::collections::VecDeque::from({whole})"),
        _ => format!("{whole}[..]"),
    })
}

/// Values that stand one after the other.
fn texts(shapes: &[Shape], leaves: Option<&[Vec<Int>]>) -> Option<Vec<String>> {
    let mut rest = leaves;
    let each = shapes.iter().map(|shape| {
        let count = shape.sizes().len();
        let own = rest.map(|rest| &rest[..count.min(rest.len())]);
        rest = rest.map(|rest| &rest[count.min(rest.len())..]);
        shape.text(own)
    });
    each.collect()
}

/// The scalars of one element of an array.
fn element_of(leaves: Option<&[Vec<Int>]>, length: u64, index: usize) -> Option<Vec<Vec<Int>>> {
    let part = |leaf: &Vec<Int>| {
        let size = leaf.len() / length as usize;
        leaf[index * size..(index + 1) * size].to_vec()
    };
    leaves.map(|leaves| leaves.iter().map(part).collect())
}

fn sign(mutability: Mutability) -> &'static str {
    match mutability {
        Mutability::Shared => "&",
        Mutability::Mutable => "&mut ",
    }
}
