//! Methods of integers.

use super::super::super::Arithmetic;
use super::super::std_table::{Arith, Meaning, Order};
use super::super::types::{Integer, Ty};
use super::number::{bits, compared, computed, greatest, least, wrapped};
use super::standard::FALSE_NUMBER;
use super::value::Value;
use super::{Flow, Flowing, Follower};

impl Follower<'_, '_> {
    pub(super) fn integer_method(
        &mut self,
        meaning: Meaning,
        integer: Integer,
        values: &[(Value, Ty)],
        result: &Ty,
    ) -> Flowing<Value> {
        let ty = integer.ty;
        if let Meaning::FromBytes(order) = meaning {
            let bytes = self.behind(values[0].0.clone(), &values[0].1)?;
            return self.joined(order, integer, &bytes);
        }
        if let [(one, _), (other, _)] = values
            && let Some(between) = between(meaning, one, other)
        {
            return Ok(between);
        }
        let own = self.number(&values[0].0)?;
        let other = match values.get(1) {
            Some((value, _)) => self.number(value)?,
            None => 0,
        };
        let unsigned = bits(ty, own);
        let width = ty.bits;
        let count = |count: u32| Ok(Value::Number(count.into()));
        let number = |number: i128| Ok(Value::Number(number));
        let debug = self.context.arithmetic == Arithmetic::Debug;
        let computed = |op: Arith| computed(op, ty, own, other).ok_or(Flow::Panic);
        match meaning {
            Meaning::Plain(op) => {
                let outcome = computed(op)?;
                let always = matches!(op, Arith::DivEuclid | Arith::RemEuclid);
                match outcome.overflows && (always || debug) {
                    true => Err(Flow::Panic),
                    false => number(outcome.value),
                }
            }
            Meaning::Wrapping(op) => number(computed(op)?.value),
            Meaning::Checked(op) => Ok(Value::option(match computed(op) {
                Ok(outcome) if !outcome.overflows => Some(Value::Number(outcome.value)),
                _ => None,
            })),
            Meaning::Saturating(op) => {
                let outcome = computed(op)?;
                let low = match op {
                    Arith::Add => ty.signed && other < 0,
                    Arith::Sub => !ty.signed || other > 0,
                    Arith::Mul => ty.signed && (own < 0) != (other < 0),
                    Arith::Pow => own < 0 && ty.signed && other & 1 == 1,
                    _ => false,
                };
                number(match (outcome.overflows, low) {
                    (false, _) => outcome.value,
                    (true, true) => least(ty),
                    (true, false) => greatest(ty),
                })
            }
            Meaning::Overflowing(op) => {
                let outcome = computed(op)?;
                Ok(Value::list(vec![Value::Number(outcome.value), Value::truth(outcome.overflows)]))
            }
            Meaning::Min => number(if compared(ty, own, other).is_le() { own } else { other }),
            Meaning::Max => number(if compared(ty, own, other).is_gt() { own } else { other }),
            Meaning::Clamp => {
                let high = self.number(&values[2].0)?;
                if compared(ty, other, high).is_gt() {
                    return Err(Flow::Panic);
                }
                let least = if compared(ty, own, other).is_lt() { other } else { own };
                number(if compared(ty, least, high).is_gt() { high } else { least })
            }
            Meaning::Signum => number(own.signum()),
            Meaning::IsPositive => Ok(Value::truth(own > 0)),
            Meaning::IsNegative => Ok(Value::truth(own < 0)),
            Meaning::AbsDiff => {
                let (low, high) = if compared(ty, own, other).is_lt() { (own, other) } else { (other, own) };
                number(high.wrapping_sub(low) & mask(width))
            }
            Meaning::UnsignedAbs => number(own.wrapping_abs()),
            Meaning::CountOnes => count(unsigned.count_ones()),
            Meaning::CountZeros => count(width - unsigned.count_ones()),
            Meaning::LeadingZeros => count(width - (128 - unsigned.leading_zeros())),
            Meaning::LeadingOnes => {
                let inverse = bits(ty, !own);
                count(width - (128 - inverse.leading_zeros()))
            }
            Meaning::TrailingZeros => count(unsigned.trailing_zeros().min(width)),
            Meaning::TrailingOnes => count(bits(ty, !own).trailing_zeros().min(width)),
            Meaning::IsPowerOfTwo => Ok(Value::truth(unsigned.count_ones() == 1)),
            Meaning::NextPowerOfTwo | Meaning::CheckedNextPowerOfTwo => {
                let next = unsigned.checked_next_power_of_two();
                let next = next.filter(|next| width == 128 || *next >> width == 0);
                match (meaning, next) {
                    (Meaning::CheckedNextPowerOfTwo, next) => {
                        Ok(Value::option(next.map(|next| Value::Number(next as i128))))
                    }
                    (_, Some(next)) => number(next as i128),
                    (_, None) if debug => Err(Flow::Panic),
                    (_, None) => number(0),
                }
            }
            Meaning::SquareRoot if ty.signed && own < 0 => Err(Flow::Panic),
            Meaning::SquareRoot => number(unsigned.isqrt() as i128),
            Meaning::Log2 | Meaning::CheckedLog2 => {
                let log = (own != 0 && !(ty.signed && own < 0)).then(|| 127 - unsigned.leading_zeros());
                match (meaning, log) {
                    (Meaning::CheckedLog2, log) => {
                        Ok(Value::option(log.map(|log| Value::Number(log.into()))))
                    }
                    (_, Some(log)) => count(log),
                    (_, None) => Err(Flow::Panic),
                }
            }
            Meaning::DivCeil | Meaning::NextMultipleOf => {
                let by = other as u128;
                if by == 0 {
                    return Err(Flow::Panic);
                }
                let ceiling = unsigned.div_ceil(by);
                if meaning == Meaning::DivCeil {
                    return number(ceiling as i128);
                }
                let exact = ceiling.checked_mul(by).filter(|exact| width == 128 || *exact >> width == 0);
                match exact {
                    Some(exact) => number(exact as i128),
                    None if debug => Err(Flow::Panic),
                    None => number(wrapped(ty, ceiling.wrapping_mul(by) as i128)),
                }
            }
            Meaning::RotateLeft | Meaning::RotateRight => {
                let by = (other as u32) % width;
                let by = if meaning == Meaning::RotateLeft { by } else { (width - by) % width };
                let turned = match by {
                    0 => unsigned,
                    by => unsigned << by | unsigned >> (width - by),
                };
                number(wrapped(ty, turned as i128))
            }
            Meaning::SwapBytes => number(self.swapped(integer, unsigned)),
            Meaning::InOrder(order) => match self.is_big(order) == self.is_big(Order::Native) {
                true => number(own),
                false => number(self.swapped(integer, unsigned)),
            },
            Meaning::ToBytes(order) => {
                let mut bytes = unsigned.to_le_bytes()[..width as usize / 8].to_vec();
                if self.is_big(order) {
                    bytes.reverse();
                }
                Ok(Value::text(&bytes))
            }
            Meaning::Compare => {
                let order = compared(ty, own, other);
                Ok(Value::variant((order as i8 + 1) as u32, Vec::new()))
            }
            Meaning::CastSigned | Meaning::CastUnsigned => match result {
                Ty::Integer(into) => number(wrapped(into.ty, own)),
                _ => Err(Flow::Stop(FALSE_NUMBER)),
            },
            _ => Err(Flow::Stop("an operation that is not carried out")),
        }
    }

    fn swapped(&self, integer: Integer, unsigned: u128) -> i128 {
        wrapped(integer.ty, (unsigned.swap_bytes() >> (128 - integer.ty.bits)) as i128)
    }

    fn joined(&self, order: Order, integer: Integer, bytes: &Value) -> Flowing<Value> {
        let list = &bytes.parts()?.list;
        if list.len() != integer.ty.bits as usize / 8 {
            return Err(Flow::Stop("a number from bytes that are not known"));
        }
        let mut number = 0_u128;
        for index in 0..list.len() {
            let at = if self.is_big(order) { index } else { list.len() - 1 - index };
            let byte = match self.number(&list[at]) {
                Ok(byte) => byte,
                Err(Flow::Stop(_)) => return Ok(Value::Unseen),
                Err(flow) => return Err(flow),
            };
            number = number << 8 | byte as u128;
        }
        Ok(Value::Number(wrapped(integer.ty, number as i128)))
    }

    fn is_big(&self, order: Order) -> bool {
        match order {
            Order::Big => true,
            Order::Little => false,
            Order::Native => !self.context.configuration.is_little_endian(),
        }
    }
}

fn mask(width: u32) -> i128 {
    if width == 128 { -1 } else { (1 << width) - 1 }
}

/// What comes of two counts of which one is not quite known.
fn between(meaning: Meaning, one: &Value, other: &Value) -> Option<Value> {
    if !matches!(one, Value::Between(..)) && !matches!(other, Value::Between(..)) {
        return None;
    }
    let ((least, most), (low, high)) = (one.range()?, other.range()?);
    match meaning {
        Meaning::Min => Some(Value::between(least.min(low), most.min(high))),
        Meaning::Max => Some(Value::between(least.max(low), most.max(high))),
        Meaning::Saturating(Arith::Sub) => Some(Value::between((least - high).max(0), (most - low).max(0))),
        _ => None,
    }
}
