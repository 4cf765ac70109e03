//! Values that callers choose.

use super::super::super::hir::{AdtId, Mutability};
use super::super::super::items::AdtKind;
use super::super::super::types::{Called, Integer, Length, Ty};
use super::super::value::Value;
use super::super::{Flow, Flowing, Follower, Frame};

/// Types inside each other.
const DEEPEST: u32 = 12;
const FEWEST_ZEROS: usize = 4;
const LONGEST_ARRAY: u64 = 1 << 13;
pub(super) const NO_WAY: &str = "a value that nobody knows how to make";

impl<'f> Follower<'f, '_> {
    /// Arguments in brackets.
    pub(super) fn all_made(&mut self, types: &[Ty], depth: u32) -> Flowing<Vec<Value>> {
        let mut values = Vec::with_capacity(types.len());
        self.tell(|_| "(".into());
        for (index, ty) in types.iter().enumerate() {
            if index > 0 {
                self.tell(|_| ", ".into());
            }
            values.push(self.made(ty, depth)?);
        }
        self.tell(|_| ")".into());
        Ok(values)
    }

    /// What a closure answers, or whoever calls chooses inside of code of std.
    pub(in super::super) fn chosen(&mut self, frame: &Frame<'f>, ty: &Ty) -> Flowing<Value> {
        let calling = self.calling()?;
        // It stands nowhere in the calls.
        let text = std::mem::take(&mut calling.text);
        let value = self.written_by_caller(frame).and_then(|()| self.made(ty, 0));
        let calling = self.calling()?;
        (calling.text, calling.answers) = (text, true);
        value
    }

    pub(super) fn made(&mut self, ty: &Ty, depth: u32) -> Flowing<Value> {
        if depth > DEEPEST {
            return Err(Flow::Stop(NO_WAY));
        }
        self.count()?;
        match ty {
            Ty::Integer(integer) => self.made_integer(*integer),
            Ty::Bool => {
                let truth = self.calling()?.draws.below(2) == 1;
                self.tell(|_| truth.to_string());
                Ok(Value::truth(truth))
            }
            Ty::Char => {
                let letter = self.letter()?;
                self.tell(|_| format!("{letter:?}"));
                Ok(Value::Number(u32::from(letter).into()))
            }
            Ty::Float(bits) => self.made_float(*bits),
            Ty::Reference(mutability, inner) => self.made_borrow(*mutability, inner, depth),
            Ty::Array(element, Length::Known(length)) if *length <= LONGEST_ARRAY => {
                self.made_list(element, *length as usize, depth)
            }
            Ty::Tuple(parts) => {
                let mut list = Vec::with_capacity(parts.len());
                self.tell(|_| "(".into());
                for part in parts {
                    list.push(self.made(part, depth + 1)?);
                    self.tell(|_| ", ".into());
                }
                self.tell(|_| ")".into());
                Ok(Value::list(list))
            }
            Ty::Adt(id, arguments) => self.made_adt(*id, arguments, ty, depth),
            Ty::Callable(Called::Function(..), _) => {
                if let Some(calling) = self.calling.as_mut() {
                    calling.answers = true;
                }
                self.tell(|_| "|..| ..".into());
                Ok(Value::unit())
            }
            _ => Err(Flow::Stop(NO_WAY)),
        }
    }

    /// What lies behind a borrow has a place of its own.
    fn made_borrow(&mut self, mutability: Mutability, inner: &Ty, depth: u32) -> Flowing<Value> {
        let mutable = mutability == Mutability::Mutable;
        let value = match inner {
            Ty::Str => {
                let text = self.words(true)?;
                self.tell(|_| {
                    let shown = format!("{:?}", String::from_utf8_lossy(&text));
                    if mutable { format!("lent(String::from({shown})).as_mut_str()") } else { shown }
                });
                Value::text(&text)
            }
            Ty::Slice(element) => {
                self.tell(|_| if mutable { "&mut lent(" } else { "&lent(" }.into());
                let list = self.elements(element, depth)?;
                self.tell(|_| ")[..]".into());
                list
            }
            Ty::Adt(id, _) if self.context.is_private(inner) && self.is_only_lent(*id, inner)? => {
                let whole = Ty::Reference(mutability, Box::new(inner.clone()));
                return self.made_by_calls(&whole, depth);
            }
            inner => {
                self.tell(|_| if mutable { "&mut *lent(" } else { "&*lent(" }.into());
                let value = self.made(inner, depth + 1)?;
                self.tell(|_| ")".into());
                value
            }
        };
        let place = self.placed(value)?;
        Ok(Value::Place(place.into()))
    }

    /// Whether nobody gives values of a type of the crate itself, only borrows of some.
    fn is_only_lent(&mut self, id: AdtId, ty: &Ty) -> Flowing<bool> {
        Ok(self.context.items.is_own_module(self.context.items.adt(id).module) && self.ways(ty)?.count() == 0)
    }

    /// The elements of a slice.
    fn elements(&mut self, element: &Ty, depth: u32) -> Flowing<Value> {
        if matches!(element, Ty::Integer(integer) if integer.ty.bits == 8 && !integer.ty.signed) {
            let bytes = self.words(false)?;
            self.tell(|_| match bytes.is_empty() {
                true => "[0u8; 0]".into(),
                false => format!("{bytes:?}").replacen(',', "u8,", 1).replacen(
                    "]",
                    if bytes.len() == 1 { "u8]" } else { "]" },
                    1,
                ),
            });
            return Ok(Value::text(&bytes));
        }
        let count = [0, 1, 1, 2, 2, 3, 4, 5, 8, 17][self.calling()?.draws.below(10)];
        if count == 0 {
            let text = self.context.plain_type_text(element);
            self.tell(|_| text.map_or("[]".into(), |ty| format!("<[{ty}; 0]>::default()")));
            return Ok(Value::unit());
        }
        self.made_list(element, count, depth)
    }

    fn made_list(&mut self, element: &Ty, count: usize, depth: u32) -> Flowing<Value> {
        let draws = &mut self.calling()?.draws;
        // Long arrays mostly have one value.
        let different = if count > 64 && draws.below(4) > 0 { 1 } else { count };
        if different < count && matches!(element, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_)) {
            self.tell(|_| "[".into());
            let value = self.made(element, depth + 1)?;
            self.tell(|_| format!("; {count}]"));
            return Ok(Value::list(vec![value; count]));
        }
        let zeros = self.mostly_zeros(element, count)?;
        let mut list = Vec::with_capacity(count);
        self.tell(|_| "[".into());
        for _ in 0..count {
            list.push(match zeros {
                Some(integer) if self.calling()?.draws.below(4) > 0 => {
                    self.tell(|_| format!("0{}", integer.name()));
                    Value::Number(0)
                }
                _ => self.made(element, depth + 1)?,
            });
            self.tell(|_| ", ".into());
        }
        self.tell(|_| "]".into());
        Ok(Value::list(list))
    }

    /// Numbers one after the other, as in addresses and tables, are mostly zero every other time.
    fn mostly_zeros(&mut self, element: &Ty, count: usize) -> Flowing<Option<Integer>> {
        match element {
            Ty::Integer(integer) if count >= FEWEST_ZEROS => {
                Ok((self.calling()?.draws.below(2) == 0).then_some(*integer))
            }
            _ => Ok(None),
        }
    }

    fn made_adt(&mut self, id: AdtId, arguments: &[Ty], ty: &Ty, depth: u32) -> Flowing<Value> {
        let context = self.context;
        let items = context.items;
        let adt = items.adt(id);
        if adt.opaque {
            return Err(Flow::Stop(NO_WAY));
        }
        if items.is_std_module(adt.module) {
            match (adt.name.as_str(), arguments) {
                ("Vec", [element]) if items.is_standard(id, "Vec") => {
                    self.tell(|_| "Vec::from(".into());
                    let list = self.elements(element, depth)?;
                    self.tell(|_| ")".into());
                    return Ok(Value::list(vec![list]));
                }
                ("String", []) if items.is_standard(id, "String") => {
                    let text = self.words(true)?;
                    self.tell(|_| format!("String::from({:?})", String::from_utf8_lossy(&text)));
                    return Ok(Value::list(vec![Value::text(&text)]));
                }
                ("Box", [inner]) if !matches!(inner, Ty::Slice(_) | Ty::Str) => {
                    self.tell(|_| "Box::new(".into());
                    let inner = self.made(inner, depth + 1)?;
                    self.tell(|_| ")".into());
                    return Ok(Value::list(vec![inner]));
                }
                ("Duration", []) => {
                    let draws = &mut self.calling()?.draws;
                    let secs = [0, 1, 59, 60, 3_600, 86_400, 1 << 20, 1 << 40, u64::MAX][draws.below(9)];
                    let secs = if draws.below(2) == 0 { secs } else { u64::from(draws.draw()) };
                    let nanos = [0, 1, 999_999_999, 1_000, 1_000_000, 500_000_000][draws.below(6)];
                    self.tell(|_| format!("std::time::Duration::new({secs}, {nanos})"));
                    let nanos = Value::list(vec![Value::Number(nanos)]);
                    return Ok(Value::list(vec![Value::Number(secs.into()), nanos]));
                }
                ("Option" | "Result" | "Ordering" | "Bound", _) if adt.kind == AdtKind::Enum => {}
                ("RangeInclusive", [bound]) => {
                    self.tell(|_| "std::ops::RangeInclusive::new".into());
                    let mut ends = self.all_made(&[bound.clone(), bound.clone()], depth + 1)?;
                    ends.push(Value::truth(false));
                    return Ok(Value::list(ends));
                }
                ("Formatter", []) => self.calling()?.answers = true,
                ("Range" | "RangeFrom" | "Wrapping" | "Ipv4Addr" | "Ipv6Addr", _) => {}
                _ => return self.made_by_calls(ty, depth),
            }
        }
        if context.is_private(ty)
            && (context.has_private_field(id) || context.is_kept(id) || adt.is_extensible)
        {
            return self.made_by_calls(ty, depth);
        }
        let open: Vec<usize> = (0..adt.variants.len())
            .filter(|at| !adt.variants[*at].is_extensible)
            .filter(|at| !context.is_uninhabited_variant(id, *at as u32, arguments))
            .collect();
        if open.is_empty() {
            return Err(Flow::Stop(NO_WAY));
        }
        let variant = open[self.calling()?.draws.below(open.len())];
        let fields: Vec<Ty> = (0..adt.variants[variant].fields.len())
            .map(|field| context.field_type(id, variant as u32, field, arguments))
            .collect();
        self.tell(|_| structure_text(context, id, variant));
        let mut list = Vec::with_capacity(fields.len());
        let named =
            adt.variants[variant].fields.first().is_some_and(|field| field.name.parse::<u32>().is_err());
        if !fields.is_empty() {
            self.tell(|_| if named { " { " } else { "(" }.into());
        }
        for (field, ty) in adt.variants[variant].fields.iter().zip(&fields) {
            if named {
                self.tell(|_| format!("{}: ", field.name));
            }
            list.push(self.made(ty, depth + 1)?);
            self.tell(|_| ", ".into());
        }
        if !fields.is_empty() {
            self.tell(|_| if named { " }" } else { ")" }.into());
        }
        Ok(Value::variant(variant as u32, list))
    }
}

fn structure_text(context: &super::super::super::context::Context<'_>, id: AdtId, variant: usize) -> String {
    let adt = context.items.adt(id);
    let path = context.adt_path(id).unwrap_or_else(|| adt.name.clone());
    match adt.kind {
        AdtKind::Enum => format!("{path}::{}", adt.variants[variant].name),
        // Addresses of std have fields only in our own text.
        _ if context.items.is_std_module(adt.module) && adt.name.ends_with("Addr") => format!("{path}::from"),
        _ => path,
    }
}
