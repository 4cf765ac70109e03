//! The `.kripke` text form of a model.
//!
//! One item a line, `#` starts a comment:
//! `state ID [init] [ATOM | !ATOM | ATOM?]…`, `may A B…`, `must A B…`, `step A B…`. States may be used before
//! they are declared. Atoms have to be names that a formula can mention. A must edge has to lie inside the may
//! edges: it does not add any. All mistakes of a file are reported, not only the first.

mod read;

pub use read::parse_model;

use crate::formula::Formula;
use crate::kripke::{AtomId, CellId, Model};
use crate::parse::ParseError;
use crate::syntax::{Atom, SourceSpan};
use crate::truth::Truth;
use std::fmt::{self, Write};

/// A model with the names its states and atoms have in the text.
#[derive(Clone, Debug)]
pub struct NamedModel {
    pub model: Model,
    pub state_names: Vec<String>,
    pub atom_names: Vec<String>,
}

/// A mistake in a model text. Lines and columns count from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTextError {
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub span: SourceSpan,
}

impl fmt::Display for ModelTextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ModelTextError {}

impl NamedModel {
    pub fn atom(&self, name: &str) -> Option<AtomId> {
        self.atom_names.iter().position(|known| known == name).map(|place| AtomId(place as u32))
    }

    pub fn state(&self, name: &str) -> Option<CellId> {
        self.state_names.iter().position(|known| known == name).map(|place| CellId(place as u32))
    }

    /// The formula over this model's atoms; only plain names can be atoms here.
    pub fn resolve(&self, formula: &Formula<Atom>) -> Result<Formula<AtomId>, ParseError> {
        formula.try_map(&mut |atom| {
            let (name, span) = match atom {
                Atom::Boolean(name) if name.fields.is_empty() && name.path.len() == 1 => {
                    (name.path[0].clone(), name.span)
                }
                Atom::Terminated => ("terminated".to_string(), SourceSpan::default()),
                Atom::Failed(None, span) => ("failed".to_string(), *span),
                other => {
                    let span = span_of(other);
                    return Err(ParseError::new(format!("`{other}` is not an atom of a model file"), span)
                        .with_help("formulas over a `.kripke` model use plain atom names"));
                }
            };
            self.atom(&name).ok_or_else(|| ParseError::new(format!("the model has no atom `{name}`"), span))
        })
    }
}

fn span_of(atom: &Atom) -> SourceSpan {
    match atom {
        Atom::Compare(_, left, right) => match (left.span(), right.span()) {
            (Some(a), Some(b)) => a.to(b),
            (a, b) => a.or(b).unwrap_or_default(),
        },
        Atom::Boolean(name) | Atom::BooleanElement(name, _) => name.span,
        Atom::At(_, span) | Atom::Line(_, span) | Atom::Failed(_, span) => *span,
        Atom::Terminated => SourceSpan::default(),
    }
}

/// The text of a model; [`parse_model`] reads it back to the same model.
pub fn print_model(named: &NamedModel) -> String {
    let mut text = String::new();
    let model = &named.model;
    for cell in model.cell_ids() {
        print_state(named, cell, &mut text);
    }
    for cell in model.cell_ids() {
        let from = &named.state_names[cell.index()];
        let may = model.may_successors(cell);
        let singles: Vec<CellId> =
            model.must_edges(cell).filter(|to| to.len() == 1).map(|to| to[0]).collect();
        print_edges("step", from, singles.iter(), named, &mut text);
        let rest: Vec<CellId> = may.iter().copied().filter(|to| singles.binary_search(to).is_err()).collect();
        print_edges("may", from, rest.iter(), named, &mut text);
        for targets in model.must_edges(cell).filter(|to| to.len() > 1) {
            print_edges("must", from, targets.iter(), named, &mut text);
        }
    }
    text
}

fn print_state(named: &NamedModel, cell: CellId, text: &mut String) {
    let _ = write!(text, "state {}", named.state_names[cell.index()]);
    if named.model.initial().binary_search(&cell).is_ok() {
        text.push_str(" init");
    }
    for (place, name) in named.atom_names.iter().enumerate() {
        match named.model.label(AtomId(place as u32), cell) {
            Truth::True => _ = write!(text, " {name}"),
            Truth::Maybe => _ = write!(text, " {name}?"),
            // The first state lists every atom, so that the order of atoms survives.
            Truth::False if cell.index() == 0 => _ = write!(text, " !{name}"),
            Truth::False => {}
        }
    }
    text.push('\n');
}

fn print_edges<'a>(
    keyword: &str,
    from: &str,
    targets: impl ExactSizeIterator<Item = &'a CellId>,
    named: &NamedModel,
    text: &mut String,
) {
    if targets.len() == 0 {
        return;
    }
    let _ = write!(text, "{keyword} {from}");
    targets.for_each(|to| _ = write!(text, " {}", named.state_names[to.index()]));
    text.push('\n');
}
