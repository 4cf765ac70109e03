//! Texts and numbers as wide as they are asked for.

use super::super::super::hir::{Align, Way};
use super::super::super::types::Integer;
use super::super::number::bits;

/// A `Formatter` of ours: the text it writes, and how it is asked to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formatter {
    pub text: Option<usize>,
    pub align: Option<Align>,
    pub fill: char,
    pub plus: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: Option<usize>,
    pub precision: Option<usize>,
}

impl Formatter {
    /// As wide as it is asked for.
    pub fn padded(&self, text: &str, usual: Align) -> Vec<u8> {
        let missing = self.width.map_or(0, |width| width.saturating_sub(text.chars().count()));
        let before = match self.align.unwrap_or(usual) {
            Align::Left => 0,
            Align::Middle => missing / 2,
            Align::Right => missing,
        };
        let fill = |count: usize| self.fill.to_string().repeat(count);
        [fill(before), text.into(), fill(missing - before)].concat().into_bytes()
    }

    /// `Formatter::pad_integral`.
    pub fn number(&self, nonnegative: bool, prefix: &str, digits: &str) -> Vec<u8> {
        let sign = match (nonnegative, self.plus) {
            (false, _) => "-",
            (true, true) => "+",
            (true, false) => "",
        };
        let prefix = if self.alternate { prefix } else { "" };
        let length = sign.len() + prefix.chars().count() + digits.len();
        match self.width {
            Some(width) if self.zero => {
                let zeros = "0".repeat(width.saturating_sub(length));
                [sign, prefix, &zeros, digits].concat().into_bytes()
            }
            _ => self.padded(&[sign, prefix, digits].concat(), Align::Right),
        }
    }
}

/// How a number is shown, if that is known.
pub(super) fn integral(number: i128, integer: Integer, way: Way, to: &Formatter) -> Option<Vec<u8>> {
    let all = bits(integer.ty, number);
    let (prefix, digits) = match way {
        Way::Display | Way::Debug if integer.ty.signed => {
            return Some(to.number(number >= 0, "", &number.unsigned_abs().to_string()));
        }
        Way::Display | Way::Debug => ("", all.to_string()),
        Way::LowerHex => ("0x", format!("{all:x}")),
        Way::UpperHex => ("0x", format!("{all:X}")),
        Way::Octal => ("0o", format!("{all:o}")),
        Way::Binary => ("0b", format!("{all:b}")),
        Way::DebugHex | Way::LowerExp | Way::UpperExp | Way::Pointer => return None,
    };
    Some(to.number(true, prefix, &digits))
}
