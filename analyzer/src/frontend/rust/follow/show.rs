//! What formatting macros show: texts as far as they are known, by code of the types that show themselves.
//!
//! A text that is made in memory takes whatever it is given. Of somebody's own writer nobody knows that: whoever makes the
//! call up says it each time.

mod wide;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::wide::{Formatter, integral};
use super::super::hir::{Align, Count, ExprId, Formatted, Piece, Shown, Spec, Way};
use super::super::items::AdtKind;
use super::super::types::Ty;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame};

const DEPTH_LIMIT: usize = 100;
/// Longer texts are not kept.
const LONGEST: usize = 1 << 16;
/// One of so many times a writer refuses what it is given.
const SELDOM: usize = 8;
const NOT_SHOWN: Flow = Flow::Stop("how a value of this type is shown");

/// What `format_args!` gives.
#[derive(Clone, Debug)]
pub struct Showing<'f> {
    pieces: &'f [Piece],
    /// Where the arguments are, and their types.
    arguments: Rc<Vec<(Place, Ty)>>,
}

/// Texts on the way.
#[derive(Debug, Default)]
pub struct Shows<'f> {
    showings: Vec<Showing<'f>>,
    /// `None`: nobody knows what it says.
    texts: Vec<Option<Vec<u8>>>,
    /// Those of ours, by their places.
    formatters: FxHashMap<u32, Formatter>,
    /// What is written since somebody asked: the oldest text that is.
    oldest: Option<usize>,
    /// Texts before this one may not be written.
    fence: usize,
}

impl Shows<'_> {
    /// From now on it is known which texts are written.
    pub(super) fn watch(&mut self) -> (Option<usize>, usize) {
        (self.oldest.take(), self.texts.len())
    }

    /// Whether no text was written that was there when the watch began.
    pub(super) fn watched(&mut self, (before, count): (Option<usize>, usize)) -> bool {
        let untouched = self.oldest.is_none_or(|oldest| oldest >= count);
        self.oldest = [before, self.oldest].into_iter().flatten().min();
        untouched
    }

    /// Texts that are there stay as they are, until the fence is taken down.
    pub(super) fn fence(&mut self) -> Fence {
        let before = std::mem::replace(&mut self.fence, self.texts.len());
        Fence { before, formatters: self.formatters.clone() }
    }

    pub(super) fn unfence(&mut self, fence: Fence) {
        (self.fence, self.formatters) = (fence.before, fence.formatters);
    }
}

/// What there was before ways were tried.
pub(super) struct Fence {
    before: usize,
    formatters: FxHashMap<u32, Formatter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Str,
    Char,
    Padded,
    PaddedNumber,
    Arguments,
    /// A value of std.
    Value,
    /// `String::write_fmt`
    ToString,
    /// `fmt::shown`
    Shown,
    /// `debug_struct` and the like.
    Builder,
    Field {
        named: bool,
    },
    Finish,
    /// Where nobody says which writer it is.
    Somewhere,
}

impl<'f> Follower<'f, '_> {
    /// A formatting macro.
    pub(super) fn formats(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        arguments: &[ExprId],
        (gives, pieces): (Formatted, Option<&'f [Piece]>),
    ) -> Flowing<Value> {
        let mut shown = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let ty = frame.typing.exprs[argument.index()].clone();
            shown.push(
                match self.is_place(frame, *argument) && !frame.typing.behind.contains_key(argument) {
                    true => (self.place(frame, *argument)?, ty),
                    false => {
                        let (value, ty) = self.looked_at(frame, *argument)?;
                        (self.placed(value)?, ty)
                    }
                },
            );
        }
        let Some(pieces) = pieces else {
            if shown.iter().all(|(_, ty)| self.shows_plainly(ty, 0)) {
                self.mark(frame, id, super::marks::BEGUN);
                return Ok(match gives {
                    Formatted::Text => Value::list(vec![Value::Unseen]),
                    Formatted::Arguments => Value::Unseen,
                    Formatted::Nothing | Formatted::Line => Value::unit(),
                });
            }
            return Err(NOT_SHOWN);
        };
        self.mark(frame, id, super::marks::BEGUN);
        let showing = Showing { pieces, arguments: Rc::new(shown) };
        if gives == Formatted::Arguments {
            self.shows.showings.push(showing);
            return Ok(Value::size(self.shows.showings.len() - 1));
        }
        let text = self.new_text();
        let result = self.show_all(&showing, Some(text), 0)?;
        // The writer takes all of it: whoever shows a value must not say otherwise.
        if result.parts()?.tag != 0 {
            return Err(Flow::Panic);
        }
        Ok(match gives {
            Formatted::Text => self.string(text),
            _ => Value::unit(),
        })
    }

    fn new_text(&mut self) -> usize {
        self.shows.texts.push(Some(Vec::new()));
        self.shows.texts.len() - 1
    }

    /// A `String` that says it.
    fn string(&mut self, text: usize) -> Value {
        let bytes = self.shows.texts[text].as_deref().map(Value::text);
        Value::list(vec![bytes.unwrap_or(Value::Unseen)])
    }

    fn show_all(&mut self, showing: &Showing<'f>, text: Option<usize>, depth: usize) -> Flowing<Value> {
        for piece in showing.pieces {
            let result = match piece {
                // What is not ours takes them with what stands around them.
                Piece::Text(_) if text.is_none() && showing.pieces.len() > 1 => good(),
                Piece::Text(plain) => self.write(text, Some(plain.as_bytes()))?,
                Piece::Shown(shown) => {
                    let (place, ty) = &showing.arguments[shown.argument];
                    let formatter = self.asked_to(shown, showing, text)?;
                    let result = self.show(place, ty, shown.way, (&formatter, depth))?;
                    self.shows.formatters.remove(&formatter.slot);
                    result
                }
            };
            if result.parts()?.tag != 0 {
                return Ok(result);
            }
        }
        Ok(good())
    }

    /// The formatter that one argument is shown with.
    fn asked_to(&mut self, shown: &Shown, showing: &Showing<'f>, text: Option<usize>) -> Flowing<Place> {
        let spec: Spec = shown.spec;
        let count = |count: Option<Count>| match count {
            None => Ok(None),
            Some(Count::Number(number)) => Ok(Some(number.into())),
            Some(Count::Argument(at)) => {
                let (place, ty) = &showing.arguments[at];
                let value = self.memory.load(place)?;
                let number = self.number(&self.behind(value, ty)?)?;
                // How wide a text can be asked for depends on the version of Rust.
                let number = u16::try_from(number).map_err(|_| "a text that is too wide")?;
                Ok::<_, Flow>(Some(usize::from(number)))
            }
        };
        let (width, precision) = (count(spec.width)?, count(spec.precision)?);
        // Numbers inside are shown otherwise, too.
        if let (Way::DebugHex, Some(_)) = (shown.way, text) {
            self.write(text, None)?;
        }
        let formatter = Formatter {
            text,
            align: spec.align,
            fill: spec.fill,
            plus: spec.plus,
            alternate: spec.alternate,
            zero: spec.zero,
            width,
            precision,
        };
        self.new_formatter(formatter, spec.minus)
    }

    fn new_formatter(&mut self, formatter: Formatter, minus: bool) -> Flowing<Place> {
        let number = |count: Option<usize>| Value::size(count.unwrap_or_default());
        let place = self.placed(Value::list(vec![
            Value::truth(formatter.alternate),
            Value::truth(formatter.plus),
            Value::truth(minus),
            Value::truth(formatter.zero),
            Value::Number(u32::from(formatter.fill).into()),
            Value::truth(formatter.width.is_some()),
            Value::truth(formatter.precision.is_some()),
            number(formatter.width),
            number(formatter.precision),
            Value::truth(false),
        ]))?;
        // Whose writer it is nobody asks of one that is made up.
        match formatter.text {
            Some(_) => self.shows.formatters.insert(place.slot, formatter),
            None => self.shows.formatters.remove(&place.slot),
        };
        Ok(place)
    }

    /// Writes some text, if it is known; the result.
    fn write(&mut self, text: Option<usize>, bytes: Option<&[u8]>) -> Flowing<Value> {
        let Some(text) = text else {
            let calling = self.calling()?;
            calling.answers = true;
            let taken = calling.draws.below(SELDOM) != 0;
            return Ok(if taken { good() } else { Value::variant(1, vec![Value::unit()]) });
        };
        self.count()?;
        if text < self.shows.fence {
            return Err(Flow::Stop("a text that is written on one of several ways"));
        }
        self.shows.oldest = Some(self.shows.oldest.map_or(text, |oldest| oldest.min(text)));
        let known = &mut self.shows.texts[text];
        match (known.as_mut(), bytes) {
            (Some(known), Some(bytes)) if known.len() + bytes.len() <= LONGEST => {
                known.extend_from_slice(bytes)
            }
            _ => *known = None,
        }
        Ok(good())
    }

    fn show(&mut self, place: &Place, ty: &Ty, way: Way, (to, depth): (&Place, usize)) -> Flowing<Value> {
        self.count()?;
        if depth > DEPTH_LIMIT {
            return Err(Flow::Stop("values in values"));
        }
        let formatter = self.shows.formatters.get(&to.slot).copied();
        let text = formatter.and_then(|formatter| formatter.text);
        match ty {
            Ty::Reference(..) if way == Way::Pointer => self.write(text, None),
            Ty::Reference(_, inner) => match self.memory.load(place)? {
                Value::Place(at) => self.show(&at, inner, way, (to, depth + 1)),
                _ => Err(Flow::Stop("a borrow that is none")),
            },
            Ty::Integer(integer) => {
                let bytes = match (self.memory.load(place)?, formatter) {
                    (Value::Number(number), Some(formatter)) => integral(number, *integer, way, &formatter),
                    _ => None,
                };
                self.write(text, bytes.as_deref())
            }
            Ty::Bool => {
                let word = match self.memory.load(place)? {
                    Value::Number(0) => Some("false"),
                    Value::Number(_) => Some("true"),
                    _ => None,
                };
                self.pad(word.map(str::as_bytes), formatter)
            }
            Ty::Char => {
                let letter = match self.memory.load(place)? {
                    Value::Number(number) => u32::try_from(number).ok().and_then(char::from_u32),
                    _ => None,
                };
                match way {
                    Way::Display => {
                        self.pad(letter.map(String::from).as_deref().map(str::as_bytes), formatter)
                    }
                    _ => {
                        let quoted = letter.filter(char::is_ascii).map(|letter| format!("{letter:?}"));
                        self.write(text, quoted.as_deref().map(str::as_bytes))
                    }
                }
            }
            Ty::Str => {
                let bytes = self.bytes_at(place)?;
                match way {
                    Way::Display => self.pad(bytes.as_deref(), formatter),
                    _ => {
                        let ascii = bytes.filter(|bytes| bytes.is_ascii());
                        let quoted =
                            ascii.and_then(|bytes| Some(format!("{:?}", String::from_utf8(bytes).ok()?)));
                        self.write(text, quoted.as_deref().map(str::as_bytes))
                    }
                }
            }
            Ty::Float(_) => self.write(text, None),
            Ty::Tuple(parts) if way != Way::Display => {
                let fields: Vec<(Place, Ty)> =
                    (0..).zip(parts).map(|(at, ty)| (place.at(at), ty.clone())).collect();
                match fields.is_empty() {
                    true => self.pad(Some(b"()"), formatter),
                    false => self.show_parts("", &[], &fields, (to, depth)),
                }
            }
            Ty::Array(element, _) | Ty::Slice(element) if way != Way::Display => {
                let count = self.memory.length(place)? as u32;
                let result = self.write(text, Some(b"["))?;
                let elements = (0..count).map(|at| (place.element(at), (**element).clone()));
                self.show_listed(result, elements, b"]", (to, depth))
            }
            Ty::Adt(..) => self.show_adt(place, ty, way, (to, depth)),
            _ => Err(NOT_SHOWN),
        }
    }

    fn show_adt(&mut self, place: &Place, ty: &Ty, way: Way, (to, depth): (&Place, usize)) -> Flowing<Value> {
        let Ty::Adt(id, arguments) = ty else { return Err(NOT_SHOWN) };
        let items = self.context.items;
        let adt = items.adt(*id);
        let text = self.shows.formatters.get(&to.slot).and_then(|formatter| formatter.text);
        let of_std = items.is_std_module(adt.module);
        if of_std && adt.name == "Arguments" {
            let showing = self.showing(place)?;
            return self.show_all(&showing, text, depth + 1);
        }
        if of_std && let Some(inner) = self.context.dereferenced(ty) {
            return self.show(&place.at(0), &inner, way, (to, depth + 1));
        }
        let derived = match of_std {
            true => ["Option", "Result", "Ordering"].contains(&adt.name.as_str()),
            false => adt.derives.contains("Debug") && !adt.opaque,
        };
        let of_trait = match way {
            Way::Display => "fmt::Display",
            Way::Debug | Way::DebugHex => "fmt::Debug",
            Way::LowerHex => "fmt::LowerHex",
            Way::UpperHex => "fmt::UpperHex",
            Way::Octal => "fmt::Octal",
            Way::Binary => "fmt::Binary",
            Way::LowerExp => "fmt::LowerExp",
            Way::UpperExp => "fmt::UpperExp",
            Way::Pointer => "fmt::Pointer",
        };
        if !of_std && let Some((function, generics)) = self.own_method(ty, of_trait, "fmt", None) {
            if derived && of_trait == "fmt::Debug" {
                return Err(NOT_SHOWN);
            }
            let arguments = vec![Value::Place(place.clone().into()), Value::Place(to.clone().into())];
            return self.call(function, &generics, arguments);
        }
        if !derived || of_trait != "fmt::Debug" {
            return match of_std && self.shows_plainly(ty, 0) {
                true => self.write(text, None),
                false => Err(NOT_SHOWN),
            };
        }
        let value = self.memory.load(place)?;
        let tag = value.parts()?.tag;
        let variant = if adt.kind == AdtKind::Enum { tag } else { 0 };
        let found = adt.variants.get(variant as usize).ok_or("a variant that is not there")?;
        let name = match adt.kind {
            AdtKind::Enum => found.name.as_str(),
            _ => adt.name.as_str(),
        };
        let mut fields = Vec::new();
        for at in 0..found.fields.len() {
            fields.push((place.at(at as u32), self.context.field_type(*id, variant, at, arguments)));
        }
        let names: Vec<&str> = found.fields.iter().map(|field| field.name.as_str()).collect();
        let names = if names.iter().all(|name| name.starts_with(|it: char| it.is_ascii_digit())) {
            Vec::new()
        } else {
            names
        };
        match fields.is_empty() {
            true => self.write(text, Some(name.as_bytes())),
            false => self.show_parts(name, &names, &fields, (to, depth)),
        }
    }

    /// `Name(a, b)`, or `Name { a: a, b: b }` if they have names.
    fn show_parts(
        &mut self,
        name: &str,
        names: &[&str],
        fields: &[(Place, Ty)],
        (to, depth): (&Place, usize),
    ) -> Flowing<Value> {
        let text = self.open(to)?;
        let mut result = match name {
            "" => good(),
            name => self.write(text, Some(name.as_bytes()))?,
        };
        for (at, (place, ty)) in fields.iter().enumerate() {
            let before = match (names.get(at), at) {
                (None, 0) => "(".to_string(),
                (None, _) => ", ".to_string(),
                (Some(name), 0) => format!(" {{ {name}: "),
                (Some(name), _) => format!(", {name}: "),
            };
            if result.parts()?.tag == 0 {
                result = self.write(text, Some(before.as_bytes()))?;
            }
            if result.parts()?.tag == 0 {
                result = self.show(place, ty, Way::Debug, (to, depth + 1))?;
            }
        }
        let end: &[u8] = match (names.is_empty(), name.is_empty() && fields.len() == 1) {
            (false, _) => b" }",
            (true, true) => b",)",
            (true, false) => b")",
        };
        if result.parts()?.tag == 0 { self.write(text, Some(end)) } else { Ok(result) }
    }

    fn show_listed(
        &mut self,
        mut result: Value,
        elements: impl Iterator<Item = (Place, Ty)>,
        end: &[u8],
        (to, depth): (&Place, usize),
    ) -> Flowing<Value> {
        let text = self.open(to)?;
        for (at, (place, ty)) in elements.enumerate() {
            if at > 0 && result.parts()?.tag == 0 {
                result = self.write(text, Some(b", "))?;
            }
            if result.parts()?.tag == 0 {
                result = self.show(&place, &ty, Way::Debug, (to, depth + 1))?;
            }
        }
        if result.parts()?.tag == 0 { self.write(text, Some(end)) } else { Ok(result) }
    }

    /// The text behind a formatter; of one on several lines nobody knows how it looks.
    fn open(&mut self, to: &Place) -> Flowing<Option<usize>> {
        let Some(formatter) = self.shows.formatters.get(&to.slot).copied() else { return Ok(None) };
        let Some(text) = formatter.text else { return Ok(None) };
        if formatter.alternate {
            self.write(Some(text), None)?;
        }
        Ok(Some(text))
    }

    fn showing(&self, place: &Place) -> Flowing<Showing<'f>> {
        let number = self.number(&self.memory.load(place)?)?;
        let found = usize::try_from(number).ok().and_then(|at| self.shows.showings.get(at));
        found.cloned().ok_or(Flow::Stop("a text that nobody knows"))
    }

    /// The bytes of a text, if they are known.
    fn bytes_at(&self, place: &Place) -> Flowing<Option<Vec<u8>>> {
        if matches!(self.memory.load(place)?, Value::Unseen) {
            return Ok(None);
        }
        let bytes = self.memory.elements(place)?.iter().map(|byte| match byte {
            Value::Number(byte) => u8::try_from(*byte).ok(),
            _ => None,
        });
        Ok(bytes.collect())
    }

    /// `Formatter::pad`.
    fn pad(&mut self, bytes: Option<&[u8]>, formatter: Option<Formatter>) -> Flowing<Value> {
        let padded = bytes.zip(formatter).and_then(|(bytes, formatter)| {
            let text = std::str::from_utf8(bytes).ok()?;
            let end = formatter.precision.and_then(|most| text.char_indices().nth(most));
            let text = end.map_or(text, |(end, _)| &text[..end]);
            Some(formatter.padded(text, Align::Left))
        });
        self.write(formatter.and_then(|formatter| formatter.text), padded.as_deref())
    }

    /// What our own text of std writes.
    pub(super) fn written_by_std(
        &mut self,
        written: Written,
        generics: &[Ty],
        arguments: &[Value],
    ) -> Flowing<Value> {
        let at = |index: usize| match arguments.get(index) {
            Some(Value::Place(place)) => Ok((**place).clone()),
            _ => Err(Flow::Stop("a borrow that is none")),
        };
        let ours = |own: &Self, index: usize| -> Flowing<Option<Formatter>> {
            Ok(own.shows.formatters.get(&at(index)?.slot).copied())
        };
        let bytes = |own: &Self, index: usize| match arguments.get(index) {
            Some(Value::Unseen) => Ok(None),
            _ => own.bytes_at(&at(index)?),
        };
        match written {
            Written::Somewhere if self.shows.formatters.is_empty() => self.write(None, None),
            Written::Somewhere => Err(Flow::Stop("who takes a text")),
            Written::Str | Written::Padded => {
                let (formatter, bytes) = (ours(self, 0)?, bytes(self, 1)?);
                match written {
                    Written::Str => self.write(formatter.and_then(|it| it.text), bytes.as_deref()),
                    _ => self.pad(bytes.as_deref(), formatter),
                }
            }
            Written::Char => {
                let letter = match arguments.get(1) {
                    Some(Value::Number(number)) => u32::try_from(*number).ok().and_then(char::from_u32),
                    _ => None,
                };
                let bytes = letter.map(String::from);
                let text = ours(self, 0)?.and_then(|it| it.text);
                self.write(text, bytes.as_deref().map(str::as_bytes))
            }
            Written::PaddedNumber => {
                let formatter = ours(self, 0)?;
                let (prefix, digits) = (bytes(self, 2)?, bytes(self, 3)?);
                let bytes = match (arguments.get(1), prefix, digits, formatter) {
                    (Some(Value::Number(good)), Some(prefix), Some(digits), Some(formatter)) => {
                        let word = |bytes| String::from_utf8(bytes).unwrap_or_default();
                        Some(formatter.number(*good != 0, &word(prefix), &word(digits)))
                    }
                    _ => None,
                };
                self.write(formatter.and_then(|it| it.text), bytes.as_deref())
            }
            Written::Value => {
                let text = ours(self, 1)?.and_then(|it| it.text);
                self.write(text, None)
            }
            Written::Arguments => {
                let text = ours(self, 0)?.and_then(|it| it.text);
                let showing = self.placed(arguments.get(1).cloned().unwrap_or(Value::Unseen))?;
                let showing = self.showing(&showing)?;
                self.show_all(&showing, text, 0)
            }
            Written::ToString => {
                let showing = self.placed(arguments.get(1).cloned().unwrap_or(Value::Unseen))?;
                let showing = self.showing(&showing)?;
                let text = self.new_text();
                let result = self.show_all(&showing, Some(text), 0)?;
                let place = at(0)?.at(0);
                let value = match (self.bytes_at(&place)?, self.shows.texts[text].take()) {
                    (Some(before), Some(more)) => Value::text(&[before, more].concat()),
                    _ => Value::Unseen,
                };
                self.memory.store(&place, value)?;
                Ok(result)
            }
            Written::Shown => {
                let own = generics.first().cloned().unwrap_or(Ty::Opaque);
                let text = self.new_text();
                let plain = Shown { argument: 0, way: Way::Display, spec: Spec::default() };
                let shown = Showing { pieces: &[], arguments: Rc::new(vec![(at(0)?, own.clone())]) };
                let to = self.asked_to(&plain, &shown, Some(text))?;
                let result = self.show(&at(0)?, &own, Way::Display, (&to, 0))?;
                self.shows.formatters.remove(&to.slot);
                if result.parts()?.tag != 0 {
                    return Err(Flow::Panic);
                }
                Ok(self.string(text))
            }
            Written::Builder => {
                let to = at(0)?;
                if let Some(text) = ours(self, 0)?.and_then(|it| it.text) {
                    self.write(Some(text), None)?;
                    return Ok(Value::list(vec![Value::Place(to.into()), Value::truth(false)]));
                }
                let result = self.write(None, None)?;
                let failed = result.parts()?.tag != 0;
                Ok(Value::list(vec![Value::Place(to.into()), Value::truth(failed)]))
            }
            Written::Field { named } => {
                let builder = at(0)?;
                let parts = self.memory.load(&builder)?.parts()?.list.clone();
                let [Value::Place(to), Value::Number(failed)] = parts.as_slice() else {
                    return Err(NOT_SHOWN);
                };
                if *failed == 0 {
                    let value = arguments.get(1 + usize::from(named)).cloned().unwrap_or(Value::Unseen);
                    let own = generics.last().cloned().unwrap_or(Ty::Opaque);
                    let value = self.placed(value)?;
                    let result = self.show(&value, &own, Way::Debug, (to, 0))?;
                    let failed = result.parts()?.tag != 0;
                    self.memory.store(&builder.at(1), Value::truth(failed))?;
                }
                Ok(Value::Place(builder.into()))
            }
            Written::Finish => {
                let builder = at(0)?;
                let parts = self.memory.load(&builder)?.parts()?.list.clone();
                let [Value::Place(to), Value::Number(failed)] = parts.as_slice() else {
                    return Err(NOT_SHOWN);
                };
                if *failed != 0 {
                    return Ok(Value::variant(1, vec![Value::unit()]));
                }
                let text = self.shows.formatters.get(&to.slot).and_then(|it| it.text);
                self.write(text, None)
            }
        }
    }

    /// Whether a value is shown without code of its type, and how long that takes nobody asks.
    pub(super) fn shows_plainly(&self, ty: &Ty, depth: u32) -> bool {
        let plain = |ty: &Ty| self.shows_plainly(ty, depth + 1);
        match ty {
            _ if depth > 12 => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => true,
            Ty::Reference(_, inner) | Ty::Slice(inner) | Ty::Array(inner, _) => plain(inner),
            Ty::Tuple(parts) => parts.iter().all(plain),
            Ty::Adt(id, arguments) => {
                let items = self.context.items;
                let adt = items.adt(*id);
                // Code of std asks nobody else than what is in it.
                if items.is_std_module(adt.module) {
                    return adt.name != "Arguments" && arguments.iter().all(plain);
                }
                // What else shows it than what is derived may do anything.
                let own = self.context.impls_with("fmt").iter().any(|(of, _)| {
                    let target = &self.context.impls[of.index()].1;
                    !matches!(target, Ty::Adt(other, _) if other != id)
                });
                let derived = adt.derives.contains("Debug") && !adt.opaque && !own;
                derived
                    && (matches!(adt.kind, AdtKind::Enum | AdtKind::Struct))
                    && self.context.field_types(*id, arguments).iter().all(plain)
            }
            _ => false,
        }
    }
}

fn good() -> Value {
    Value::variant(0, vec![Value::unit()])
}
