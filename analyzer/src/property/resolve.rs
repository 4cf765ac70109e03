//! Names of a formula to places of a program.

use std::sync::Arc;

use kleene_ctl::syntax::{Atom, Comparison, Name, SourceSpan, Term as Written, TermOp};
use kleene_ctl::{Formula, ParseError};
use kleene_domains::{BinaryOp, CompareOp, Expr, Int};

use super::{Leaf, Predicate, Term, is_set};
use crate::ir::{FailKind, FunctionId, Program, Type, VariableKind};
use crate::source::SourceFile;
use crate::source::spelling::closest;

/// Powers of variables are written out as products.
const LARGEST_EXPONENT: u32 = 64;

/// A mistake in a formula, with its place in the formula's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    pub message: String,
    pub span: SourceSpan,
    pub help: Option<String>,
}

impl From<ParseError> for PropertyError {
    fn from(error: ParseError) -> Self {
        Self { message: error.message, span: error.span, help: error.help }
    }
}

pub struct Resolver<'p> {
    pub program: &'p Program,
    pub file: &'p SourceFile,
}

pub(super) type Resolved<T> = Result<T, PropertyError>;

impl<'p> Resolver<'p> {
    pub fn formula(&self, text: &str) -> Resolved<Formula<Predicate>> {
        kleene_ctl::parse(text)?.try_map(&mut |atom| self.atom(atom))
    }

    /// A formula without temporal operators, as `--assume` takes it.
    pub fn predicate(&self, text: &str) -> Resolved<Predicate> {
        let formula = self.formula(text)?;
        let predicate = super::as_predicate(&formula).map(|predicate| self.of_arguments(&predicate));
        predicate.ok_or_else(|| PropertyError {
            message: "an assumption on the initial state has no temporal operators".into(),
            span: SourceSpan { start: 0, end: text.len() },
            help: None,
        })
    }

    pub fn atom(&self, atom: &Atom) -> Resolved<Predicate> {
        Ok(match atom {
            Atom::Compare(op, left, right) => match self.compared(*op, left, right)? {
                Some(predicate) => predicate,
                None => Predicate::Compare(comparison(*op), self.term(left)?, self.term(right)?),
            },
            Atom::Boolean(name) => not_zero(self.name(name, None)?),
            Atom::BooleanElement(name, index) => not_zero(self.name(name, Some(index))?),
            Atom::At(label, span) => is_set(self.label(label, *span)?),
            Atom::Line(line, span) => is_set(self.line(*line, *span)?),
            Atom::Terminated => is_set(Leaf::Terminated),
            Atom::Failed(None, _) => is_set(Leaf::Failed(None)),
            Atom::Failed(Some(kind), span) => is_set(Leaf::Failed(Some(self.kind(kind, *span)?))),
        })
    }

    pub(super) fn term(&self, term: &Written) -> Resolved<Term> {
        Ok(match term {
            Written::Integer(digits) => {
                Expr::Constant(digits.parse::<Int>().expect("the parser reads decimal digits"))
            }
            Written::Name(name) => self.name(name, None)?,
            Written::Element(name, index) => self.name(name, Some(index))?,
            Written::Negate(inner) => Expr::Negate(Box::new(self.term(inner)?)),
            Written::Binary(op, left, right) => {
                let op = match op {
                    TermOp::Add => BinaryOp::Add,
                    TermOp::Sub => BinaryOp::Sub,
                    TermOp::Mul => BinaryOp::Mul,
                    TermOp::Div => BinaryOp::Div,
                    TermOp::Rem => BinaryOp::Rem,
                };
                Expr::binary(op, self.term(left)?, self.term(right)?)
            }
            Written::Power(base, exponent) => self.power(base, *exponent)?,
        })
    }

    fn power(&self, base: &Written, exponent: u32) -> Resolved<Term> {
        let base = self.term(base)?;
        if let Expr::Constant(value) = &base {
            return Ok(Expr::Constant(value.pow(exponent)));
        }
        if exponent > LARGEST_EXPONENT {
            return Err(PropertyError {
                message: format!("the exponent {exponent} is over {LARGEST_EXPONENT}"),
                span: SourceSpan { start: 0, end: 0 },
                help: None,
            });
        }
        Ok((0..exponent).fold(Expr::constant(1), |power, _| match power {
            Expr::Constant(_) => base.clone(),
            product => Expr::binary(BinaryOp::Mul, product, base.clone()),
        }))
    }

    fn name(&self, name: &Name, index: Option<&Written>) -> Resolved<Term> {
        if let Some(part) = self.viewed(name)? {
            return self.number(name, &part, index);
        }
        self.plain(name, index).map(Expr::Variable)
    }

    fn plain(&self, name: &Name, index: Option<&Written>) -> Resolved<Leaf> {
        let error = |message: String, help: Option<String>| PropertyError { message, span: name.span, help };
        let element = index.map(|index| self.term(index).map(Box::new)).transpose()?;
        let leaf = match name.path.as_slice() {
            [plain] => self.plain_name(name, plain, element)?,
            [path @ .., local] => {
                let path = path.join("::");
                let Some(function) = self.program.function_named(&path) else {
                    let names = self.program.functions.iter().map(|function| function.name.as_str());
                    let help = closest(&path, names).map(|near| format!("did you mean `{near}::{local}`?"));
                    return Err(error(format!("no function `{path}` in this program"), help));
                };
                self.local(name, function, local, element)?
            }
            [] => return Err(error("a name is missing".into(), None)),
        };
        if let Some(field) = name.fields.first() {
            return Err(error(format!("`{}` has no field `{field}`", name.path.join("::")), None));
        }
        match (self.type_of(&leaf), index) {
            (Type::Array(..), None) => Err(error(
                format!("`{}` is an array", name.path.join("::")),
                Some("name an element, as in `a[0]`".into()),
            )),
            (ty, Some(_)) if !matches!(ty, Type::Array(..)) => {
                Err(error(format!("`{}` is not an array", name.path.join("::")), None))
            }
            _ => Ok(leaf),
        }
    }

    pub(super) fn is_global(&self, name: &str) -> bool {
        let globals = &self.program.globals;
        globals.iter().any(|global| global.name == name && global.kind != VariableKind::Temporary)
    }

    fn plain_name(&self, name: &Name, plain: &str, element: Option<Box<Term>>) -> Resolved<Leaf> {
        let global = self
            .program
            .globals
            .iter()
            .position(|global| global.name == plain && global.kind != VariableKind::Temporary);
        match global {
            Some(index) => Ok(Leaf::Global { variable: index as u32, element }),
            None => self.local(name, self.program.entry, plain, element),
        }
    }

    fn local(
        &self,
        name: &Name,
        function: FunctionId,
        local: &str,
        element: Option<Box<Term>>,
    ) -> Resolved<Leaf> {
        let owner = self.program.function(function);
        let found: Vec<u32> = owner.local_named(local).collect();
        match found.as_slice() {
            [variable] => Ok(Leaf::Local { function, variable: *variable, element }),
            [] => {
                let globals = self.program.globals.iter().map(|global| global.name.as_str());
                let locals = owner.locals.iter().map(|local| local.name.as_str());
                let locals = locals.chain(owner.views.iter().map(|view| view.name.as_str()));
                // Variables that only the front end knows, and parts of others, are no help.
                let locals = locals.filter(|name| !name.starts_with('$') && !name.contains(['.', '[']));
                Err(PropertyError {
                    message: format!("no variable `{}` in this program", name.path.join("::")),
                    span: name.span,
                    help: closest(local, globals.chain(locals)).map(|near| format!("did you mean `{near}`?")),
                })
            }
            _ => Err(self.several(name, &owner.name, local, found.len())),
        }
    }

    pub(super) fn several(&self, name: &Name, owner: &str, local: &str, count: usize) -> PropertyError {
        PropertyError {
            message: format!("`{owner}` has {count} locals named `{local}`"),
            span: name.span,
            help: Some("rename one of them: a formula cannot tell them apart".into()),
        }
    }

    fn type_of(&self, leaf: &Leaf) -> &Type {
        match leaf {
            Leaf::Global { variable, .. } => &self.program.globals[*variable as usize].ty,
            Leaf::Local { function, variable, .. } => {
                &self.program.function(*function).locals[*variable as usize].ty
            }
            _ => &Type::Bool,
        }
    }

    fn label(&self, label: &str, span: SourceSpan) -> Resolved<Leaf> {
        let all = || {
            self.program.functions.iter().enumerate().flat_map(|(id, function)| {
                function.labels.iter().map(move |(name, at)| (name.as_str(), (FunctionId(id as u32), *at)))
            })
        };
        let places: Arc<[_]> = all().filter(|(name, _)| *name == label).map(|(_, place)| place).collect();
        if places.is_empty() {
            let help =
                closest(label, all().map(|(name, _)| name)).map(|near| format!("did you mean `{near}`?"));
            return Err(PropertyError { message: format!("no label `{label}` in this program"), span, help });
        }
        Ok(Leaf::At(places))
    }

    fn line(&self, line: u32, span: SourceSpan) -> Resolved<Leaf> {
        let mut places = Vec::new();
        let mut elsewhere = None;
        for (id, function) in self.program.functions.iter().enumerate() {
            for location in function.graph.node_indices().filter(|at| *at != function.exit) {
                let found = function.graph[location].span;
                if self.file.line_of(found) != line {
                    continue;
                }
                match self.file.is_own(found) {
                    true => places.push((FunctionId(id as u32), location)),
                    false => elsewhere = Some(self.file.of(found).name.clone()),
                }
            }
        }
        if places.is_empty() {
            let message = format!("no statement starts on line {line}");
            let help = elsewhere
                .map(|name| format!("one does in {name}; lines in formulas are those of {}", self.file.name));
            return Err(PropertyError { message, span, help });
        }
        Ok(Leaf::At(places.into()))
    }

    fn kind(&self, kind: &str, span: SourceSpan) -> Resolved<FailKind> {
        FailKind::from_name(kind).ok_or_else(|| PropertyError {
            message: format!("no kind of failure is called `{kind}`"),
            span,
            help: Some(format!("one of {}", FailKind::ALL.map(FailKind::name).join(", "))),
        })
    }
}

/// The predicate "this is not 0".
fn not_zero(term: Term) -> Predicate {
    Predicate::Compare(CompareOp::NotEqual, term, Expr::constant(0))
}

pub(super) fn comparison(op: Comparison) -> CompareOp {
    match op {
        Comparison::Equal => CompareOp::Equal,
        Comparison::NotEqual => CompareOp::NotEqual,
        Comparison::Less => CompareOp::Less,
        Comparison::LessEqual => CompareOp::LessEqual,
        Comparison::Greater => CompareOp::Greater,
        Comparison::GreaterEqual => CompareOp::GreaterEqual,
    }
}
