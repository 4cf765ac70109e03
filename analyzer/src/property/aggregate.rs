//! Names of values that are more than a number: fields, variants, elements.

use kleene_ctl::syntax::{Comparison, Name, Term as Written};
use kleene_domains::{BinaryOp, CompareOp, Expr, Int};

use super::resolve::{PropertyError, Resolved, Resolver, comparison};
use super::{Leaf, Predicate, Term};
use crate::ir::view::{Form, Record, View, When};
use crate::ir::{FunctionId, Place, Projection, VariableId};
use crate::source::spelling::closest;

/// A part of a value, and the tags that must have these numbers for it to be there.
#[derive(Clone)]
pub(super) struct Part<'p> {
    form: &'p Form,
    function: FunctionId,
    needs: Vec<(&'p Place, usize)>,
}

impl<'p> Resolver<'p> {
    /// The view that a name begins with; `None`: it is a plain variable, or nothing.
    pub(super) fn viewed(&self, name: &Name) -> Resolved<Option<Part<'p>>> {
        let Some((local, path)) = name.path.split_last() else { return Ok(None) };
        let function = match path {
            [] if self.is_global(local) => return Ok(None),
            [] => self.program.entry,
            path => match self.program.function_named(&path.join("::")) {
                Some(function) => function,
                None => return Ok(None),
            },
        };
        let owner = self.program.function(function);
        let views: Vec<&View> =
            owner.views.iter().filter(|view| view.name == *local && view.when != When::Start).collect();
        let apart = owner.local_named(local).filter(|variable| !is_part(&owner.views, *variable)).count();
        match views.as_slice() {
            [] => Ok(None),
            [view] if apart == 0 => {
                let whole = Part { form: &view.form, function, needs: Vec::new() };
                self.descended(name, whole).map(Some)
            }
            _ => Err(self.several(name, &owner.name, local, views.len() + apart)),
        }
    }

    fn descended(&self, name: &Name, whole: Part<'p>) -> Resolved<Part<'p>> {
        let mut part = whole;
        let mut so_far = name.path.join("::");
        let mut record: Option<&Record> = None;
        for field in &name.fields {
            let known = match (record.take(), part.form) {
                (Some(variant), _) => variant,
                (None, Form::Record(record)) => record,
                (None, Form::Choice { tag, variants, .. }) => {
                    let at = variants.iter().position(|variant| variant_name(variant) == field);
                    let Some(at) = at else {
                        let names = variants.iter().map(variant_name).collect();
                        return Err(missing(name, &so_far, "variant", field, names));
                    };
                    part.needs.push((tag, at));
                    record = Some(&variants[at]);
                    so_far += &format!(".{field}");
                    continue;
                }
                (None, Form::Sequence { length, .. }) if field == "len" => {
                    part.form = length;
                    so_far += ".len";
                    continue;
                }
                (None, Form::Sequence { .. }) => {
                    let help = Some(format!("`{so_far}.len` is its length"));
                    return Err(error(name, format!("`{so_far}` is a slice, a vector or a text"), help));
                }
                (None, Form::Hidden) => return Err(hidden(name, &so_far)),
                (None, _) => return Err(error(name, format!("`{so_far}` has no fields"), None)),
            };
            let Some((_, form)) = known.fields.iter().find(|(own, _)| own == field) else {
                let names = known.fields.iter().map(|(name, _)| name.as_str()).collect();
                return Err(missing(name, &so_far, "field", field, names));
            };
            part.form = form;
            so_far += &format!(".{field}");
        }
        match record {
            Some(_) => Err(error(name, format!("`{so_far}` is a variant, not a value"), None)),
            None => Ok(part),
        }
    }

    /// The number that a part is.
    pub(super) fn number(&self, name: &Name, part: &Part<'p>, index: Option<&Written>) -> Resolved<Term> {
        let text = written(name);
        let form = match (part.form, index) {
            (Form::List(elements), Some(index)) => return self.element(name, part, elements, index),
            (_, Some(_)) => return Err(error(name, format!("`{text}` is not an array"), None)),
            (form, None) => form,
        };
        let place = match form {
            Form::Number(place) | Form::Bool(place) | Form::Char(place) => place,
            Form::Hidden => return Err(hidden(name, &text)),
            Form::Sequence { .. } => {
                let help = format!("name its length, as in `{text}.len`");
                return Err(error(name, format!("`{text}` is no number"), Some(help)));
            }
            Form::List(_) => {
                let help = "name an element, as in `a[0]`".to_string();
                return Err(error(name, format!("`{text}` is an array"), Some(help)));
            }
            Form::Choice { name: of, variants, .. } => {
                let first = variants.first().map_or(String::new(), |variant| variant.name.clone());
                let help = format!("compare it with a variant, as in `{text} == {first}`");
                return Err(error(name, format!("`{text}` is no number but a {of}"), Some(help)));
            }
            Form::Record(record) => {
                let fields = record.fields.iter().map(|(field, _)| format!("{text}.{field}")).take(4);
                let fields = fields.collect::<Vec<_>>().join("`, `");
                let help = (!fields.is_empty()).then(|| format!("name one of its fields: `{fields}`"));
                return Err(error(name, format!("`{text}` is no number"), help));
            }
        };
        Ok(self.guarded(part, leaf(part.function, place).map_or_else(undefined, Expr::Variable)))
    }

    fn element(&self, name: &Name, part: &Part<'p>, list: &[Form], index: &Written) -> Resolved<Term> {
        let text = written(name);
        let first = match list.first() {
            Some(Form::Number(place) | Form::Bool(place) | Form::Char(place)) => place,
            Some(Form::Hidden) | None => return Err(hidden(name, &text)),
            Some(_) => {
                return Err(error(name, format!("the elements of `{text}` are no numbers"), None));
            }
        };
        if first.path.len() != 1 {
            return Err(error(name, format!("`{text}` is an array of arrays"), None));
        }
        let element = Some(Box::new(self.term(index)?));
        let leaf = match first.variable {
            VariableId::Global(variable) => Leaf::Global { variable, element },
            VariableId::Local(variable) => Leaf::Local { function: part.function, variable, element },
        };
        Ok(self.guarded(part, Expr::Variable(leaf)))
    }

    /// A payload has a value only while its variant is there.
    fn guarded(&self, part: &Part<'p>, value: Term) -> Term {
        part.needs.iter().rev().fold(value, |value, (tag, at)| {
            let Some(tag) = leaf(part.function, tag) else { return undefined() };
            let is_there = Predicate::Compare(CompareOp::Equal, Expr::Variable(tag), number(*at));
            Expr::IfThenElse(Box::new(is_there), Box::new(value), Box::new(undefined()))
        })
    }

    /// The same of the first state: arrays that are passed are still where the caller put them.
    pub(super) fn of_arguments(&self, predicate: &Predicate) -> Predicate {
        predicate.map(&mut |leaf| self.argument(leaf))
    }

    fn argument(&self, leaf: &Leaf) -> Term {
        let Leaf::Local { function, variable, element: Some(element) } = leaf else {
            return Expr::Variable(leaf.clone());
        };
        let index: Term = element.map(&mut |leaf| self.argument(leaf));
        let copies = copies(&self.program.function(*function).views, *variable);
        let passed =
            |variable: u32| Expr::Variable(Leaf::Local { function: *function, variable, element: None });
        if copies.is_empty() {
            let element = Some(Box::new(index));
            return Expr::Variable(Leaf::Local { function: *function, variable: *variable, element });
        }
        if let Expr::Constant(value) = &index
            && let Some((_, from)) = copies.iter().find(|(at, _)| at == value)
        {
            return passed(*from);
        }
        copies.iter().rev().fold(undefined(), |rest, (at, from)| {
            let is_here = Predicate::Compare(CompareOp::Equal, index.clone(), Expr::Constant(at.clone()));
            Expr::IfThenElse(Box::new(is_here), Box::new(passed(*from)), Box::new(rest))
        })
    }

    /// `state == State::Open`, `p == q`: comparisons of values that are no numbers. `None`: they are numbers.
    pub(super) fn compared(
        &self,
        op: Comparison,
        left: &Written,
        right: &Written,
    ) -> Resolved<Option<Predicate>> {
        let named = |term: &Written| match term {
            Written::Name(name) => Some(name.clone()),
            _ => None,
        };
        let (left, right) = (named(left), named(right));
        let is_value = |name: &Option<Name>| -> Resolved<Option<Part<'p>>> {
            match name {
                Some(name) => Ok(self.viewed(name)?.filter(|part| {
                    matches!(part.form, Form::Choice { .. } | Form::Record(_) | Form::List(_))
                })),
                None => Ok(None),
            }
        };
        let (one, two) = (is_value(&left)?, is_value(&right)?);
        let (Some(name), other, part) = (match (&one, &two) {
            (Some(part), _) => (left, right, part),
            (None, Some(part)) => (right, left, part),
            (None, None) => return Ok(None),
        }) else {
            return Ok(None);
        };
        if !matches!(op, Comparison::Equal | Comparison::NotEqual) {
            let help = Some("values that are no numbers are compared with `==` and `!=`".to_string());
            return Err(error(&name, format!("`{}` is no number", written(&name)), help));
        }
        let equal = match (&one, &two, other) {
            (Some(one), Some(two), _) => same(one, two).ok_or_else(|| {
                error(
                    &name,
                    format!("`{}` has another type than what it is compared with", written(&name)),
                    None,
                )
            })?,
            (_, _, Some(other)) => self.is_variant(&name, part, &other)?,
            _ => return Err(error(&name, format!("`{}` is no number", written(&name)), None)),
        };
        Ok(Some(if comparison(op) == CompareOp::Equal { equal } else { equal.negated() }))
    }

    fn is_variant(&self, name: &Name, part: &Part<'p>, other: &Name) -> Resolved<Predicate> {
        let text = written(name);
        let Form::Choice { name: of, tag, variants } = part.form else {
            return Err(error(name, format!("`{text}` is no number and no enum"), None));
        };
        let wanted = other.path.last().map_or("", String::as_str);
        let qualified = other.path.len() < 2 || other.path[other.path.len() - 2] == *of;
        let at = variants.iter().position(|variant| variant_name(variant) == wanted);
        match at.filter(|_| qualified && other.fields.is_empty()) {
            Some(at) => {
                let Some(tag) = leaf(part.function, tag) else { return Err(hidden(name, &text)) };
                let tag = self.guarded(part, Expr::Variable(tag));
                Ok(Predicate::Compare(CompareOp::Equal, tag, number(at)))
            }
            None => {
                let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
                let near = closest(wanted, names.iter().copied().map(last));
                let near = near.and_then(|near| names.iter().copied().find(|name| last(name) == near));
                let help = near.map_or_else(
                    || format!("its variants are {}", names.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                Err(error(
                    other,
                    format!("`{}` is no variant of {of}, which `{text}` is", written(other)),
                    Some(help),
                ))
            }
        }
    }
}

/// Two values are equal: their tags, and what is there under them.
fn same(one: &Part<'_>, two: &Part<'_>) -> Option<Predicate> {
    // A payload may not be there: then the comparison would have no value.
    if !one.needs.is_empty() || !two.needs.is_empty() {
        return None;
    }
    same_forms((one.form, one.function), (two.form, two.function))
}

fn same_forms(one: (&Form, FunctionId), two: (&Form, FunctionId)) -> Option<Predicate> {
    let equal = |a: &Place, b: &Place| {
        let (a, b) = (leaf(one.1, a)?, leaf(two.1, b)?);
        Some(Predicate::Compare(CompareOp::Equal, Expr::Variable(a), Expr::Variable(b)))
    };
    let fields = |a: &Record, b: &Record| {
        if a.name != b.name || a.fields.len() != b.fields.len() {
            return None;
        }
        a.fields.iter().zip(&b.fields).try_fold(Predicate::Literal(true), |all, (a, b)| {
            Some(all.and(same_forms((&a.1, one.1), (&b.1, two.1))?))
        })
    };
    match (one.0, two.0) {
        (Form::Number(a), Form::Number(b))
        | (Form::Bool(a), Form::Bool(b))
        | (Form::Char(a), Form::Char(b)) => equal(a, b),
        (Form::Record(a), Form::Record(b)) => fields(a, b),
        (Form::List(a), Form::List(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_fold(Predicate::Literal(true), |all, (a, b)| {
                Some(all.and(same_forms((a, one.1), (b, two.1))?))
            })
        }
        (
            Form::Choice { name: a, tag: first, variants: left },
            Form::Choice { name: b, tag: second, variants: right },
        ) if a == b && left.len() == right.len() => {
            let tags = equal(first, second)?;
            let tag = leaf(one.1, first)?;
            left.iter().zip(right).enumerate().try_fold(tags, |all, (at, (a, b))| {
                let is = Predicate::Compare(CompareOp::NotEqual, Expr::Variable(tag.clone()), number(at));
                Some(all.and(is.or(fields(a, b)?)))
            })
        }
        _ => None,
    }
}

/// A scalar, or an element at a constant index.
fn leaf(function: FunctionId, place: &Place) -> Option<Leaf> {
    let element = match place.path.as_slice() {
        [] => None,
        [Projection::Element(index)] => match &**index {
            Expr::Constant(value) => Some(Box::new(Expr::Constant(value.clone()))),
            _ => return None,
        },
        _ => return None,
    };
    Some(match place.variable {
        VariableId::Global(variable) => Leaf::Global { variable, element },
        VariableId::Local(variable) => Leaf::Local { function, variable, element },
    })
}

/// The elements of an array that is copied on entry, and the arguments they come from.
fn copies(views: &[View], variable: u32) -> Vec<(Int, u32)> {
    let places = |view: &View| {
        let mut places = Vec::new();
        view.form.for_each_place(&mut |place| places.push(place.clone()));
        places
    };
    let mut found = Vec::new();
    for later in views.iter().filter(|view| view.when == When::Later) {
        let starts = views.iter().filter(|view| view.when == When::Start && view.span == later.span);
        for start in starts.filter(|start| start.name == later.name) {
            for (to, from) in places(later).iter().zip(places(start)) {
                let at = match to.path.as_slice() {
                    [Projection::Element(index)] => match &**index {
                        Expr::Constant(at) => at.clone(),
                        _ => continue,
                    },
                    _ => continue,
                };
                if let (VariableId::Local(own), VariableId::Local(from)) = (to.variable, from.variable)
                    && own == variable
                {
                    found.push((at, from));
                }
            }
        }
    }
    found
}

fn number(value: usize) -> Term {
    Expr::constant(value as i64)
}

/// An expression without a value.
fn undefined() -> Term {
    Expr::binary(BinaryOp::Div, Expr::constant(0), Expr::constant(0))
}

fn is_part(views: &[View], variable: u32) -> bool {
    let mut found = false;
    for view in views {
        view.form.for_each_place(&mut |place| found |= place.variable == VariableId::Local(variable));
    }
    found
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn variant_name(variant: &Record) -> &str {
    last(&variant.name)
}

fn written(name: &Name) -> String {
    let fields: String = name.fields.iter().map(|field| format!(".{field}")).collect();
    format!("{}{fields}", name.path.join("::"))
}

fn error(name: &Name, message: String, help: Option<String>) -> PropertyError {
    PropertyError { message, span: name.span, help }
}

fn hidden(name: &Name, text: &str) -> PropertyError {
    let help = "code that is not seen may write it at any time".to_string();
    error(name, format!("the value of `{text}` is not known"), Some(help))
}

fn missing(name: &Name, so_far: &str, kind: &str, wanted: &str, names: Vec<&str>) -> PropertyError {
    let help = match closest(wanted, names.iter().copied()) {
        Some(near) => Some(format!("did you mean `{so_far}.{near}`?")),
        None if names.is_empty() => None,
        None => Some(format!("it has {}", names.join(", "))),
    };
    error(name, format!("`{so_far}` has no {kind} `{wanted}`"), help)
}
