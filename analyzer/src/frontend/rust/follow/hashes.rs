//! Hashes: those of a hasher whose code is there, which is told what std tells it; and those of `RandomState`, numbers that
//! nobody knows, the same for the same values.
//!
//! The latter are values of what was hashed, and no numbers: only whether two are the same can be asked.

use super::super::hir::FnId;
use super::super::items::AdtKind;
use super::super::types::{Integer, Ty, U8, U32};
use super::number::bits;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower};

const HASHER: &str = "hash::Hasher";

impl Follower<'_, '_> {
    /// What a hasher answers that is built for one value.
    pub(super) fn hash_of(&mut self, builder: Value, own: &Ty, value: &Value, ty: &Ty) -> Flowing<Value> {
        let builds = self.own_method(own, "hash::BuildHasher", "build_hasher", None);
        let Some((function, generics)) = builds else { return Err(Flow::Stop("what std does there")) };
        let hasher = self.call(function, &generics, vec![builder])?;
        let of = self.signature(function, &generics).result.clone();
        let at = self.placed(hasher)?;
        self.tell_hasher(&at, &of, (value, ty), 0)?;
        let (finish, generics) = self.hashing(&of, "finish").ok_or(Flow::Stop("what std does there"))?;
        self.call(finish, &generics, vec![Value::Place(at.into())])
    }

    fn hashing(&self, of: &Ty, name: &str) -> Option<(FnId, Vec<Ty>)> {
        self.own_method(of, HASHER, name, None)
    }

    /// What is written to a hasher when std or a derived impl hashes a value.
    fn tell_hasher(&mut self, at: &Place, of: &Ty, (value, ty): (&Value, &Ty), depth: u32) -> Flowing<()> {
        let unknown = Err(Flow::Stop("a hash of a value of this type"));
        if depth > 24 {
            return unknown;
        }
        let size = self.context.usize();
        match ty {
            Ty::Reference(_, inner) => {
                let Value::Place(place) = value else { return unknown };
                let inside = self.memory.load(place)?;
                self.tell_hasher(at, of, (&inside, inner), depth + 1)
            }
            Ty::Integer(integer) => self.tell_number(at, of, (value, *integer)),
            Ty::Bool => self.tell_hasher(at, of, (value, &U8), depth + 1),
            Ty::Char => self.tell_hasher(at, of, (value, &U32), depth + 1),
            Ty::Str => {
                self.tell_bytes(at, of, value.parts()?.list.clone())?;
                self.tell_hasher(at, of, (&Value::Number(0xFF), &U8), depth + 1)
            }
            Ty::Array(element, _) | Ty::Slice(element) => {
                let list = value.parts()?.list.clone();
                self.tell_hasher(at, of, (&Value::size(list.len()), &size), depth + 1)?;
                if let Ty::Integer(_) = **element {
                    let mut bytes = Vec::new();
                    for value in &list {
                        self.bytes_of(value, element, &mut bytes)?;
                    }
                    let bytes = bytes.into_iter().map(|byte| Value::Number(byte.into()));
                    return self.tell_bytes(at, of, bytes.collect());
                }
                list.iter().try_for_each(|value| self.tell_hasher(at, of, (value, element), depth + 1))
            }
            Ty::Tuple(parts) => {
                let list = value.parts()?.list.clone();
                let mut pairs = list.iter().zip(parts);
                pairs.try_for_each(|pair| self.tell_hasher(at, of, pair, depth + 1))
            }
            Ty::Adt(id, arguments) => {
                let items = self.context.items;
                let adt = items.adt(*id);
                let list = value.parts()?.list.clone();
                let wraps = ["Box", "Vec", "String"].iter().any(|name| items.is_standard(*id, name));
                let plain = adt.kind == AdtKind::Struct && adt.derives.contains("Hash") && !adt.opaque;
                if !wraps && (!plain || items.is_std_module(adt.module)) {
                    return unknown;
                }
                let types = self.context.field_types(*id, arguments);
                let mut pairs = list.iter().zip(&types);
                pairs.try_for_each(|pair| self.tell_hasher(at, of, pair, depth + 1))
            }
            _ => unknown,
        }
    }

    /// A number by its own method, by that of the unsigned one, or as its bytes.
    fn tell_number(&mut self, at: &Place, of: &Ty, (value, integer): (&Value, Integer)) -> Flowing<()> {
        let name = |signed: bool| {
            let letter = if signed { 'i' } else { 'u' };
            match integer.pointer {
                true => format!("write_{letter}size"),
                false => format!("write_{letter}{}", integer.ty.bits),
            }
        };
        let own = Ty::Integer(integer);
        let signed = integer.ty.signed.then(|| self.hashing(of, &name(true))).flatten();
        let (function, number) = match signed {
            Some(function) => (Some(function), value.clone()),
            None => {
                let number = bits(integer.ty, self.number(value)?);
                (self.hashing(of, &name(false)), Value::Number(number as i128))
            }
        };
        if let Some((function, generics)) = function {
            let arguments = vec![Value::Place(at.clone().into()), number];
            return self.call(function, &generics, arguments).map(|_| ());
        }
        let mut bytes = Vec::new();
        self.bytes_of(value, &own, &mut bytes)?;
        self.tell_bytes(at, of, bytes.into_iter().map(|byte| Value::Number(byte.into())).collect())
    }

    fn tell_bytes(&mut self, at: &Place, of: &Ty, bytes: Vec<Value>) -> Flowing<()> {
        let (write, generics) = self.hashing(of, "write").ok_or(Flow::Stop("what std does there"))?;
        let bytes = self.placed(Value::list(bytes))?;
        let arguments = vec![Value::Place(at.clone().into()), Value::Place(bytes.into())];
        self.call(write, &generics, arguments).map(|_| ())
    }

    pub(super) fn random_hash(&self, value: &Value, ty: &Ty) -> Flowing<Value> {
        self.hashed(value, ty, 0)
    }

    /// What is written when a value is hashed; values of different kinds are told apart.
    fn hashed(&self, value: &Value, ty: &Ty, depth: u32) -> Flowing<Value> {
        const TEXT: u32 = 1 << 16;
        const LIST: u32 = 2 << 16;
        const TUPLE: u32 = 3 << 16;
        const OWN: u32 = 4 << 16;
        let unknown = Err(Flow::Stop("a hash of a value of this type"));
        if depth > 24 {
            return unknown;
        }
        let number =
            |tag: u32| self.number(value).map(|number| Value::variant(tag, vec![Value::Number(number)]));
        let all = |list: &[Value], ty: &Ty| -> Flowing<Vec<Value>> {
            list.iter().map(|value| self.hashed(value, ty, depth + 1)).collect()
        };
        match ty {
            Ty::Reference(_, inner) => {
                let Value::Place(place) = value else { return unknown };
                self.hashed(&self.memory.load(place)?, inner, depth + 1)
            }
            Ty::Integer(integer) => {
                number(u32::from(integer.ty.bits as u16) << 1 | u32::from(integer.ty.signed))
            }
            Ty::Bool => number(1 << 10),
            Ty::Char => number(1 << 11),
            Ty::Str => Ok(Value::variant(TEXT, value.parts()?.list.clone())),
            Ty::Array(element, _) | Ty::Slice(element) => {
                Ok(Value::variant(LIST, all(&value.parts()?.list, element)?))
            }
            Ty::Tuple(parts) => {
                let pairs = value.parts()?.list.iter().zip(parts);
                let list: Flowing<Vec<Value>> =
                    pairs.map(|(value, ty)| self.hashed(value, ty, depth + 1)).collect();
                Ok(Value::variant(TUPLE, list?))
            }
            Ty::Adt(id, arguments) => {
                let items = self.context.items;
                let adt = items.adt(*id);
                if let Some(inner) = self.context.dereferenced(ty) {
                    let known = ["Box", "Vec", "String"].iter().any(|name| items.is_standard(*id, name));
                    let inside = value.parts()?.list.first().cloned().ok_or("a part")?;
                    return if known { self.hashed(&inside, &inner, depth + 1) } else { unknown };
                }
                let derived = !items.is_std_module(adt.module) && adt.derives.contains("Hash") && !adt.opaque
                    || items.is_standard(*id, "Option");
                if !derived {
                    return unknown;
                }
                let parts = value.parts()?;
                let mut list = vec![Value::Number(id.index() as i128)];
                for (at, value) in parts.list.iter().enumerate() {
                    let ty = self.context.field_type(*id, parts.tag, at, arguments);
                    list.push(self.hashed(value, &ty, depth + 1)?);
                }
                Ok(Value::variant(OWN + parts.tag, list))
            }
            _ => unknown,
        }
    }
}
