//! Hashes of `RandomState`: numbers that nobody knows, the same for the same values.
//!
//! Such a hash is a value of what was hashed, and no number: only whether two are the same can be asked.

use super::super::types::Ty;
use super::value::Value;
use super::{Flow, Flowing, Follower};

impl Follower<'_, '_> {
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
