//! What the values are that a run begins with or draws: letters of texts, where slices start; and the constants that a
//! program compares with. All of it only says what is worth trying.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use kleene_domains::Int;
use rustc_hash::FxHashSet;

use super::Sight;
use crate::ir::{Cond, Effect, Expr, FunctionId, Place, Program, StepKind, Type, VariableId};

/// Texts are of bytes that begin or go on with letters: whoever asks for a text compares with the first byte of the
/// least letter of two bytes.
const LEAST_OF_TWO: i64 = 0xc2;
/// Letters that programs compare with are these.
const LETTERS: std::ops::RangeInclusive<i64> = 32..=126;
const SPACES: [i64; 3] = [9, 10, 13];
/// So many numbers are characters, or could be.
const CHARACTERS: u32 = 0x11_0000;

/// Programs that compare with fewer letters of several bytes are not about those.
const FEW_WIDE: usize = 4;

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    /// A byte of a text.
    Letter,
    Character,
    /// Where a slice starts in what is known of its elements: behind the first of them nothing more is to be found.
    Start,
}

pub struct Kinds {
    texts: FxHashSet<(FunctionId, VariableId)>,
    begins: bool,
    pub sight: Sight,
    /// Letters that something is compared with, in order.
    pub letters: Vec<Int>,
    /// Letters of more than one byte that letters are compared with, in order, of programs that are about such. Spaces are
    /// what std compares with.
    pub wide: Vec<u32>,
}

/// What each function of a program says of kinds, once somebody asks.
#[derive(Debug, Default)]
pub struct AllSaid(Vec<OnceLock<Said>>);

impl AllSaid {
    pub fn new(program: &Program) -> Self {
        Self(program.functions.iter().map(|_| OnceLock::new()).collect())
    }

    pub fn of(&self, program: &Program, id: FunctionId) -> &Said {
        self.0[id.0 as usize].get_or_init(|| Said::of(program, id))
    }
}

/// What one function says of kinds, whatever program it stands in.
#[derive(Debug)]
pub struct Said {
    texts: Vec<VariableId>,
    /// Letters of one byte, and of several.
    letters: BTreeSet<Int>,
    wide: BTreeSet<u32>,
}

impl Said {
    fn of(program: &Program, id: FunctionId) -> Self {
        let function = program.function(id);
        let (mut texts, mut letters, mut wide) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let is_one =
            |word: &Int| word.to_i64().is_some_and(|word| LETTERS.contains(&word) || SPACES.contains(&word));
        for location in function.graph.node_indices() {
            let asks = matches!(function.graph[location].what, StepKind::Begin | StepKind::Skip);
            for edge in function.graph.edges(location) {
                compared(&edge.weight().guard, &mut |place, constant| {
                    if is_one(constant) {
                        letters.insert(constant.clone());
                    }
                    let letter = constant.to_i64().and_then(|letter| u32::try_from(letter).ok());
                    if let (Some(letter), Some(place)) = (letter.and_then(char::from_u32), place)
                        && !letter.is_ascii()
                        && !letter.is_whitespace()
                        && is_letter(program, id, place)
                    {
                        wide.insert(letter as u32);
                    }
                    if asks && *constant == Int::from(LEAST_OF_TWO) {
                        texts.extend(place.map(|place| place.variable));
                    }
                });
                if let Effect::Assign(assignments) = &edge.weight().effect {
                    for (_, value) in assignments {
                        compared_in(value, &mut |_, constant| {
                            if is_one(constant) {
                                letters.insert(constant.clone());
                            }
                        });
                    }
                }
            }
        }
        Self { texts, letters, wide }
    }
}

impl Kinds {
    /// Of a program whose functions say this.
    pub fn of<'s>(program: &Program, said: impl Iterator<Item = &'s Said>, sight: Sight) -> Self {
        let mut texts = FxHashSet::default();
        let (mut letters, mut wide) = (BTreeSet::new(), BTreeSet::new());
        for (id, said) in (0..).map(FunctionId).zip(said) {
            texts.extend(said.texts.iter().map(|variable| (id, *variable)));
            letters.extend(said.letters.iter().cloned());
            wide.extend(said.wide.iter().copied());
        }
        let begins = add_parameters(program, &mut texts);
        let letters = letters.into_iter().collect();
        let wide: Vec<u32> = wide.into_iter().collect();
        let wide = if wide.len() < FEW_WIDE { Vec::new() } else { wide };
        Self { texts, begins, sight, letters, wide }
    }

    /// Whether runs begin with texts.
    pub fn has_texts(&self) -> bool {
        self.begins
    }

    pub fn of_variable(&self, function: FunctionId, variable: VariableId, ty: &Type) -> Kind {
        match ty {
            Type::Natural => Kind::Start,
            Type::Below(CHARACTERS) => Kind::Character,
            _ if self.texts.contains(&(function, variable)) => Kind::Letter,
            _ => Kind::Number,
        }
    }
}

/// Whether a place is for letters.
fn is_letter(program: &Program, function: FunctionId, place: &Place) -> bool {
    let mut ty = &program.variable(function, place.variable).ty;
    while let Type::Array(element, _) = ty {
        ty = element;
    }
    *ty == Type::Below(CHARACTERS)
}

/// Adds parameters whose values get into texts at once; whether there are some.
fn add_parameters(program: &Program, texts: &mut FxHashSet<(FunctionId, VariableId)>) -> bool {
    let entry = program.entry;
    let before = texts.len();
    if texts.is_empty() {
        return false;
    }
    for edge in program.function(entry).graph.edge_weights() {
        let Effect::Assign(assignments) = &edge.effect else { continue };
        for (to, value) in assignments {
            if let Expr::Variable(from) = value
                && from.path.is_empty()
                && texts.contains(&(entry, to.variable))
            {
                texts.insert((entry, from.variable));
            }
        }
    }
    texts.len() > before
}

/// Visits the constants that places and other values are compared with.
fn compared(cond: &Cond, visit: &mut dyn FnMut(Option<&Place>, &Int)) {
    match cond {
        Cond::Literal(_) => {}
        Cond::Not(inner) => compared(inner, visit),
        Cond::And(left, right) | Cond::Or(left, right) => {
            compared(left, visit);
            compared(right, visit);
        }
        Cond::Compare(_, left, right) => match (left, right) {
            (Expr::Constant(constant), other) | (other, Expr::Constant(constant)) => match other {
                Expr::Variable(place) => visit(Some(place), constant),
                _ => {
                    visit(None, constant);
                    compared_in(other, visit);
                }
            },
            _ => {
                compared_in(left, visit);
                compared_in(right, visit);
            }
        },
    }
}

fn compared_in(value: &Expr, visit: &mut dyn FnMut(Option<&Place>, &Int)) {
    match value {
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => compared_in(inner, visit),
        Expr::Binary(_, left, right) => {
            compared_in(left, visit);
            compared_in(right, visit);
        }
        Expr::IfThenElse(cond, yes, no) => {
            compared(cond, visit);
            compared_in(yes, visit);
            compared_in(no, visit);
        }
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => {}
    }
}
