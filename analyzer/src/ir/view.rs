//! How values of the source are made of scalars: what formulas and reports call by one name.
//!
//! Programs mean the same without views. A front end gives one to every variable that is more than a number.

use kleene_domains::Int;

use super::{Place, VariableId};
use crate::source::Span;

/// A variable of the source.
#[derive(Clone, Debug)]
pub struct View {
    pub name: String,
    pub span: Span,
    pub form: Form,
    pub when: When,
}

/// Which states a view speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// Arguments, before they are copied to where they are read.
    Start,
    /// From then on.
    Later,
}

#[derive(Clone, Debug)]
pub enum Form {
    Number(Place),
    Bool(Place),
    Char(Place),
    Record(Record),
    /// A tag that says which of these it is.
    Choice {
        name: String,
        tag: Place,
        variants: Vec<Record>,
    },
    List(Vec<Form>),
    /// So many elements from `start` on, of which the first are known; the last one stands for all others.
    Sequence {
        start: Place,
        /// The length, as a number of its own.
        length: Box<Form>,
        elements: Vec<Form>,
        kind: SequenceKind,
    },
    /// Nobody knows its value.
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceKind {
    Elements,
    Text,
}

#[derive(Clone, Debug)]
pub struct Record {
    /// As it stands before the fields: `Point`, `State::Open`, `Some`; empty for a tuple.
    pub name: String,
    pub style: Style,
    pub fields: Vec<(String, Form)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Unit,
    Tuple,
    Named,
}

/// A scalar that is no number to people.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'v> {
    Bool,
    Char,
    Tag(&'v [Record]),
}

/// What a variable is to people, if it is more than a number.
pub fn scalar(views: &[View], variable: VariableId) -> Option<Scalar<'_>> {
    views.iter().find_map(|view| view.form.scalar(variable))
}

impl Scalar<'_> {
    /// The values that `has` has, in words; `None` where that says nothing, or too much.
    pub fn text(&self, has: &dyn Fn(i64) -> bool) -> Option<String> {
        match self {
            Self::Bool => match (has(0), has(1)) {
                (true, false) => Some("false".into()),
                (false, true) => Some("true".into()),
                _ => None,
            },
            Self::Char => None,
            Self::Tag(variants) => {
                let possible = variants.iter().enumerate().filter(|(at, _)| has(*at as i64));
                let names: Vec<&str> = possible.map(|(_, variant)| variant.name.as_str()).collect();
                (!names.is_empty() && names.len() < variants.len()).then(|| names.join(" | "))
            }
        }
    }
}

/// The value of a place, if it has one.
pub type Values<'v> = &'v dyn Fn(&Place) -> Option<Int>;

impl Form {
    /// The value as the source writes it.
    pub fn text(&self, values: Values<'_>) -> String {
        let number = |place: &Place| values(place).map_or("_".to_string(), |value| value.to_string());
        match self {
            Self::Number(place) => number(place),
            Self::Bool(place) => values(place).map_or("_".into(), |value| (!value.is_zero()).to_string()),
            Self::Char(place) => {
                let code =
                    values(place).and_then(|value| value.to_i64()).and_then(|code| u32::try_from(code).ok());
                code.and_then(char::from_u32).map_or_else(|| number(place), |letter| format!("{letter:?}"))
            }
            Self::Record(record) => record.text(values),
            Self::Choice { tag, variants, .. } => {
                let chosen =
                    values(tag).and_then(|tag| tag.to_i64()).and_then(|tag| usize::try_from(tag).ok());
                chosen.and_then(|tag| variants.get(tag)).map_or("_".into(), |variant| variant.text(values))
            }
            Self::List(elements) => {
                let elements: Vec<String> = elements.iter().map(|element| element.text(values)).collect();
                match elements.as_slice() {
                    [first, .., _]
                        if elements.len() > 8 && elements.iter().all(|element| element == first) =>
                    {
                        format!("[{first}; {}]", elements.len())
                    }
                    _ => format!("[{}]", elements.join(", ")),
                }
            }
            Self::Sequence { start, length, elements, kind } => {
                let number = |value: Option<Int>| value.and_then(|value| value.to_i64());
                let length = match &**length {
                    Self::Number(place) => number(values(place)),
                    _ => None,
                };
                match (number(values(start)), length) {
                    (Some(start), Some(length)) => sequence_text(start, length, elements, *kind, values),
                    _ => "_".into(),
                }
            }
            Self::Hidden => "_".into(),
        }
    }

    /// What is different between two states, each part by its own name where others stay as they are.
    pub fn changes(
        &self,
        name: &str,
        before: Values<'_>,
        after: Values<'_>,
        found: &mut Vec<(String, String)>,
    ) {
        // Most steps touch nothing of most values: texts are made of the others only.
        let differs = |form: &Form| {
            let mut is_touched = false;
            form.for_each_place(&mut |place| is_touched = is_touched || before(place) != after(place));
            is_touched && form.text(before) != form.text(after)
        };
        if !differs(self) {
            return;
        }
        let parts: Vec<(String, &Form)> = match self {
            Self::Record(record) => {
                record.fields.iter().map(|(field, form)| (format!("{name}.{field}"), form)).collect()
            }
            Self::List(elements) => {
                elements.iter().enumerate().map(|(index, form)| (format!("{name}[{index}]"), form)).collect()
            }
            _ => Vec::new(),
        };
        let changed: Vec<&(String, &Form)> = parts.iter().filter(|(_, form)| differs(form)).collect();
        match changed.as_slice() {
            [(name, form)] if parts.len() > 1 => form.changes(name, before, after, found),
            _ => found.push((name.to_string(), self.text(after))),
        }
    }

    /// Visits every place it is made of.
    pub fn for_each_place(&self, visit: &mut dyn FnMut(&Place)) {
        match self {
            Self::Number(place) | Self::Bool(place) | Self::Char(place) => visit(place),
            Self::Record(record) => record.fields.iter().for_each(|(_, form)| form.for_each_place(visit)),
            Self::Choice { tag, variants, .. } => {
                visit(tag);
                let fields = variants.iter().flat_map(|variant| &variant.fields);
                fields.for_each(|(_, form)| form.for_each_place(visit));
            }
            Self::List(elements) => elements.iter().for_each(|form| form.for_each_place(visit)),
            Self::Sequence { start, length, elements, .. } => {
                visit(start);
                length.for_each_place(visit);
                elements.iter().for_each(|form| form.for_each_place(visit));
            }
            Self::Hidden => {}
        }
    }

    fn scalar(&self, variable: VariableId) -> Option<Scalar<'_>> {
        let own = |place: &Place| place.variable == variable && place.path.is_empty();
        match self {
            Self::Bool(place) if own(place) => Some(Scalar::Bool),
            Self::Char(place) if own(place) => Some(Scalar::Char),
            Self::Record(record) => record.fields.iter().find_map(|(_, form)| form.scalar(variable)),
            Self::Choice { tag, variants, .. } if own(tag) => Some(Scalar::Tag(variants)),
            Self::Choice { variants, .. } => {
                let fields = variants.iter().flat_map(|variant| &variant.fields);
                fields.into_iter().find_map(|(_, form)| form.scalar(variable))
            }
            _ => None,
        }
    }

    /// Whether nothing of it is known.
    pub fn is_hidden(&self) -> bool {
        match self {
            Self::Hidden => true,
            Self::Record(record) => {
                !record.fields.is_empty() && record.fields.iter().all(|(_, form)| form.is_hidden())
            }
            Self::List(elements) => elements.iter().all(Form::is_hidden),
            _ => false,
        }
    }
}

/// Elements as far as they are known, dots for the others.
fn sequence_text(
    start: i64,
    length: i64,
    elements: &[Form],
    kind: SequenceKind,
    values: Values<'_>,
) -> String {
    let elements = &elements[..elements.len().saturating_sub(1)];
    let first = usize::try_from(start).unwrap_or(usize::MAX).min(elements.len());
    let count = usize::try_from(length).unwrap_or(0).min(elements.len() - first);
    let known = &elements[first..first + count];
    let more = length > count as i64;
    if kind == SequenceKind::Text {
        let byte = |form: &Form| match form {
            Form::Number(place) => values(place).and_then(|value| value.to_i64()).map(|byte| byte as u8),
            _ => None,
        };
        let bytes: Vec<u8> = known.iter().filter_map(byte).collect();
        let text = format!("{:?}", String::from_utf8_lossy(&bytes));
        return if more { format!("{text}… of {length} bytes") } else { text };
    }
    let known: Vec<String> = known.iter().map(|form| form.text(values)).collect();
    match (known.as_slice(), more) {
        (known, false) => format!("[{}]", known.join(", ")),
        ([], true) => format!("[…; {length}]"),
        (known, true) => format!("[{}, …; {length}]", known.join(", ")),
    }
}

impl Record {
    fn text(&self, values: Values<'_>) -> String {
        let fields = self.fields.iter().map(|(name, form)| match self.style {
            Style::Named => format!("{name}: {}", form.text(values)),
            _ => form.text(values),
        });
        let fields: Vec<String> = fields.collect();
        match self.style {
            Style::Unit => self.name.clone(),
            Style::Tuple if self.name.is_empty() && fields.len() == 1 => format!("({},)", fields[0]),
            Style::Tuple => format!("{}({})", self.name, fields.join(", ")),
            Style::Named if fields.is_empty() => format!("{} {{}}", self.name),
            Style::Named => format!("{} {{ {} }}", self.name, fields.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(index: u32) -> Place {
        Place::variable(VariableId::Local(index))
    }

    fn number(index: u32) -> Form {
        Form::Number(place(index))
    }

    fn point() -> Form {
        let fields = vec![("x".to_string(), number(0)), ("y".to_string(), number(1))];
        Form::Record(Record { name: "Point".into(), style: Style::Named, fields })
    }

    fn option() -> Form {
        let none = Record { name: "None".into(), style: Style::Unit, fields: Vec::new() };
        let fields = vec![("0".to_string(), Form::Char(place(3)))];
        let some = Record { name: "Some".into(), style: Style::Tuple, fields };
        Form::Choice { name: "Option".into(), tag: place(2), variants: vec![none, some] }
    }

    fn values(numbers: &[i64]) -> impl Fn(&Place) -> Option<Int> {
        move |place: &Place| match place.variable {
            VariableId::Local(index) => numbers.get(index as usize).map(|value| Int::from(*value)),
            VariableId::Global(_) => None,
        }
    }

    #[test]
    fn values_read_as_they_are_written() {
        assert_eq!(point().text(&values(&[1, -2])), "Point { x: 1, y: -2 }");
        assert_eq!(point().text(&values(&[1])), "Point { x: 1, y: _ }");
        assert_eq!(option().text(&values(&[0, 0, 0, 97])), "None");
        assert_eq!(option().text(&values(&[0, 0, 1, 39])), "Some('\\'')");
        assert_eq!(option().text(&values(&[0, 0, 7, 39])), "_");
        let list = Form::List(vec![number(0), number(1)]);
        assert_eq!(list.text(&values(&[3, 4])), "[3, 4]");
        let pair = Record { name: String::new(), style: Style::Tuple, fields: vec![("0".into(), number(0))] };
        assert_eq!(Form::Record(pair).text(&values(&[3])), "(3,)");
    }

    #[test]
    fn what_changed_is_named_as_narrowly_as_it_can_be() {
        let changes = |form: &Form, before: &[i64], after: &[i64]| {
            let mut found = Vec::new();
            form.changes("v", &values(before), &values(after), &mut found);
            found.into_iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>()
        };
        assert_eq!(changes(&point(), &[1, 2], &[1, 3]), ["v.y = 3"]);
        assert_eq!(changes(&point(), &[1, 2], &[2, 3]), ["v = Point { x: 2, y: 3 }"]);
        assert_eq!(changes(&point(), &[1, 2], &[1, 2]), Vec::<String>::new());
        // What lies behind another variant is no value.
        assert_eq!(changes(&option(), &[0, 0, 0, 97], &[0, 0, 0, 98]), Vec::<String>::new());
        assert_eq!(changes(&option(), &[0, 0, 0, 97], &[0, 0, 1, 98]), ["v = Some('b')"]);
    }
}
