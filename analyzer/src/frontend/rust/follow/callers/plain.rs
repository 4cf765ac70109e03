//! Numbers, letters and texts that callers choose.

use super::super::super::types::Integer;
use super::super::number::{greatest, least, wrapped};
use super::super::value::Value;
use super::super::{Flow, Flowing, Follower};
use super::make::NO_WAY;

impl Follower<'_, '_> {
    pub(super) fn made_integer(&mut self, integer: Integer) -> Flowing<Value> {
        let calling = self.calling()?;
        let ty = integer.ty;
        let (low, high) = (least(ty), greatest(ty));
        let number = match calling.draws.below(16) {
            0..=5 => calling.draws.below(9) as i128,
            6..=7 => calling.draws.below(300) as i128,
            8 => high.wrapping_sub(calling.draws.below(3) as i128),
            9 => low.wrapping_add(calling.draws.below(3) as i128),
            10 => {
                (1_i128 << calling.draws.below(ty.bits as usize)).wrapping_sub(calling.draws.below(2) as i128)
            }
            11 if ty.signed => -(calling.draws.below(300) as i128),
            12..=14 if !calling.words.numbers.is_empty() => {
                let at = calling.draws.below(calling.words.numbers.len());
                let by = [0, 0, 0, 1, -1][calling.draws.below(5)];
                calling.words.numbers[at].wrapping_add(by)
            }
            _ => calling.draws.wide() as i128,
        };
        let number = wrapped(ty, number);
        self.tell(|_| match ty.signed || number >= 0 {
            true => format!("{number}{}", integer.name()),
            false => format!("{}{}", number as u128, integer.name()),
        });
        Ok(Value::Number(number))
    }

    pub(super) fn made_float(&mut self, bits: u32) -> Flowing<Value> {
        let plain =
            [0.0, 1.0, -1.0, 0.5, 1.5, 2.0, 10.0, 100.0, 1e10, 1e-7, -0.0, 1e300, f64::NAN, f64::INFINITY];
        let draws = &mut self.calling()?.draws;
        let at = draws.below(plain.len() + 4);
        let wide = draws.wide();
        let (value, bits) = match bits {
            32 => {
                let bits = plain.get(at).map_or(wide as u32, |plain| (*plain as f32).to_bits());
                (Value::Number(bits.into()), format!("f32::from_bits({bits})"))
            }
            64 => {
                let bits = plain.get(at).map_or(wide as u64, |plain| plain.to_bits());
                (Value::Number(bits.into()), format!("f64::from_bits({bits})"))
            }
            _ => return Err(Flow::Stop(NO_WAY)),
        };
        self.tell(|_| bits);
        Ok(value)
    }

    pub(super) fn letter(&mut self) -> Flowing<char> {
        let calling = self.calling()?;
        Ok(match calling.draws.below(8) {
            0..=2 => char::from(b' ' + calling.draws.below(95) as u8),
            3..=5 if !calling.words.letters.is_empty() => {
                calling.words.letters[calling.draws.below(calling.words.letters.len())]
            }
            6 => char::from_u32(calling.draws.below(0x11_0000) as u32).unwrap_or('\u{fffd}'),
            _ => ['a', '0', '\n', '\0', 'é', '日', '\u{1f600}', '\u{301}', '\u{200d}', '-']
                [calling.draws.below(10)],
        })
    }

    /// A text or bytes, half of what the crate speaks of.
    pub(super) fn words(&mut self, utf8: bool) -> Flowing<Vec<u8>> {
        let mut found = Vec::new();
        for _ in 0..[0, 1, 1, 1, 1, 2, 2, 3, 4, 6][self.calling()?.draws.below(10)] {
            let calling = self.calling()?;
            match calling.draws.below(4) {
                0..=1 if !calling.words.texts.is_empty() => {
                    let text = &calling.words.texts[calling.draws.below(calling.words.texts.len())];
                    found.extend_from_slice(text);
                }
                2 if !utf8 => {
                    let count = [1, 1, 2, 3, 4, 8, 16, 40, 80, 200][calling.draws.below(10)];
                    let kind = calling.draws.below(4);
                    for _ in 0..count {
                        let byte = calling.draws.draw();
                        found.push(if kind == 0 { 0 } else { byte as u8 });
                    }
                }
                _ => {
                    let count = [1, 1, 1, 2, 3, 5, 9, 20][calling.draws.below(8)];
                    for _ in 0..count {
                        let letter = self.letter()?;
                        found.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
            }
        }
        let calling = self.calling()?;
        if !found.is_empty() && calling.draws.below(3) == 0 {
            // A little of it is different.
            let (at, byte) = (calling.draws.below(found.len()), calling.draws.draw() as u8);
            match calling.draws.below(3) {
                0 => found.truncate(at),
                1 => found[at] = byte % if utf8 { 128 } else { 255 },
                _ => found.insert(at, byte % 128),
            }
        }
        Ok(if utf8 { String::from_utf8_lossy(&found).into_owned().into_bytes() } else { found })
    }
}
