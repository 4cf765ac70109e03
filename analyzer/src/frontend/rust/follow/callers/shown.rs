//! Results of made up calls as `Debug` shows them, for those who compare them with what Rust gives.

use super::super::super::types::Ty;
use super::super::Follower;
use super::super::value::Value;

impl Follower<'_, '_> {
    /// Numbers, truths, letters, and what is made of them.
    pub(super) fn shown(&self, value: &Value, ty: &Ty) -> Option<String> {
        match (ty, value) {
            (Ty::Integer(integer), Value::Number(number)) => Some(match integer.ty.signed {
                true => number.to_string(),
                false => (*number as u128).to_string(),
            }),
            (Ty::Bool, Value::Number(number)) => Some((*number != 0).to_string()),
            (Ty::Char, Value::Number(number)) => {
                let letter = char::from_u32(u32::try_from(*number).ok()?)?;
                Some(format!("{letter:?}"))
            }
            (Ty::Tuple(types), Value::Parts(parts)) if types.len() == parts.list.len() => {
                let inner = self.all_shown(types.iter().zip(&parts.list))?;
                Some(if types.len() == 1 { format!("({inner},)") } else { format!("({inner})") })
            }
            (Ty::Array(element, _) | Ty::Slice(element), Value::Parts(parts)) => {
                let inner = self.all_shown(parts.list.iter().map(|value| (&**element, value)))?;
                Some(format!("[{inner}]"))
            }
            (Ty::Reference(_, inner), Value::Place(place)) => match &**inner {
                Ty::Str => Some(format!("{:?}", self.text_at(place).ok()?)),
                inner => self.shown(&self.memory.load(place).ok()?, inner),
            },
            (Ty::Adt(id, arguments), Value::Parts(parts)) => {
                let is = |name| self.context.items.is_standard(*id, name);
                let names = match () {
                    () if is("Option") => ["None", "Some"],
                    () if is("Result") => ["Ok", "Err"],
                    () => return None,
                };
                let ty = arguments.get(if is("Result") { parts.tag as usize } else { 0 })?;
                let name = names.get(parts.tag as usize)?;
                match parts.list.first() {
                    Some(inner) => Some(format!("{name}({})", self.shown(inner, ty)?)),
                    None => Some(name.to_string()),
                }
            }
            _ => None,
        }
    }

    fn all_shown<'a>(&self, parts: impl Iterator<Item = (&'a Ty, &'a Value)>) -> Option<String> {
        let texts: Option<Vec<String>> = parts.map(|(ty, value)| self.shown(value, ty)).collect();
        Some(texts?.join(", "))
    }
}
