//! Numbers that others may write at any time: nobody else runs in a run that is followed.

use super::super::types::Ty;
use super::native::place_of;
use super::number::wrapped;
use super::value::Value;
use super::{Flow, Flowing, Follower};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    Load,
    Store,
    Swap,
    Add,
    Sub,
    And,
    Or,
    CompareExchange,
}

pub const ATOMICS: &[(&str, Atomic)] = &[
    ("load", Atomic::Load),
    ("store", Atomic::Store),
    ("swap", Atomic::Swap),
    ("fetch_add", Atomic::Add),
    ("fetch_sub", Atomic::Sub),
    ("fetch_and", Atomic::And),
    ("fetch_or", Atomic::Or),
    ("compare_exchange", Atomic::CompareExchange),
];

/// `Ordering`, by the numbers of its variants.
const RELEASE: u32 = 1;
const ACQUIRE: u32 = 2;
const BOTH: u32 = 3;

impl Follower<'_, '_> {
    pub(super) fn atomic(&mut self, operation: Atomic, arguments: Vec<Value>, result: &Ty) -> Flowing<Value> {
        let place = place_of(&arguments[0])?.at(0);
        let refused: &[u32] = match operation {
            Atomic::Load | Atomic::CompareExchange => &[RELEASE, BOTH],
            Atomic::Store => &[ACQUIRE, BOTH],
            _ => &[],
        };
        let order = arguments.last().ok_or("a call with other arguments")?.parts()?.tag;
        if refused.contains(&order) {
            return Err(Flow::Panic);
        }
        // Of a static nobody says which runs came before.
        if self.memory.is_shared(&place) {
            if operation != Atomic::Load {
                self.memory.store(&place, Value::Unseen)?;
            }
            return Ok(if operation == Atomic::Store { Value::unit() } else { Value::Unseen });
        }
        let old = self.memory.load(&place)?;
        let given = |at: usize| arguments.get(at).cloned().ok_or(Flow::Stop("a call with other arguments"));
        let (new, answer) = match operation {
            Atomic::Load => return Ok(old),
            Atomic::Store => (given(1)?, Value::unit()),
            Atomic::Swap => (given(1)?, old),
            Atomic::CompareExchange => match self.number(&old)? == self.number(&given(1)?)? {
                true => (given(2)?, Value::result(Ok(old))),
                false => return Ok(Value::result(Err(old))),
            },
            _ => {
                let (one, other) = (self.number(&old)?, self.number(&given(1)?)?);
                let number = match operation {
                    Atomic::Add => one.wrapping_add(other),
                    Atomic::Sub => one.wrapping_sub(other),
                    Atomic::And => one & other,
                    _ => one | other,
                };
                let number = match result {
                    Ty::Integer(integer) => wrapped(integer.ty, number),
                    Ty::Bool => number,
                    _ => return Err(Flow::Stop("a number of unknown type")),
                };
                (Value::Number(number), old)
            }
        };
        self.memory.store(&place, new)?;
        Ok(answer)
    }
}
