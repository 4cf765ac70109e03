//! Texts that runs begin with: bytes that were chosen one by one are made whole characters.
//!
//! Of other bytes no run begins. Only what is proposed changes; the program asks by itself what it is given.

use std::collections::BTreeSet;

use kleene_domains::Int;

use crate::concrete::Interpreter;
use crate::interpret::cuts::Cuts;
use crate::ir::view::{Form, SequenceKind, When};
use crate::ir::{FunctionId, Place, Program, Type, VariableId};

/// Slots of the initial state: a length, and the bytes that are seen.
struct Text {
    length: usize,
    bytes: Vec<usize>,
}

pub struct Texts {
    texts: Vec<Text>,
    /// Letters of more than one byte that the program compares letters with.
    letters: Vec<u32>,
}

/// So many of those are tried.
const MOST_LETTERS: usize = 256;

impl Texts {
    pub fn of(interpreter: &Interpreter<'_>, cuts: &Cuts) -> Self {
        let program = interpreter.program;
        let entry = program.entry_function();
        let slot = |place: &Place| match place.variable {
            VariableId::Local(index) if index < entry.parameters && place.path.is_empty() => {
                let first = interpreter.layout.first_slot(program.entry, place.variable);
                Some((interpreter.layout.global_slots + first) as usize)
            }
            _ => None,
        };
        let mut found = Vec::new();
        for view in entry.views.iter().filter(|view| view.when != When::Later) {
            collect(&view.form, &slot, &mut found);
        }
        let letters = if found.is_empty() { Vec::new() } else { letters(program, cuts) };
        Self { texts: found, letters }
    }

    /// Makes bytes texts; one of four gets a letter that takes several.
    pub fn mend(&self, point: &mut [Int], next: &mut dyn FnMut() -> u64) {
        for text in &self.texts {
            let length = point.get(text.length).and_then(Int::to_i64).and_then(|it| usize::try_from(it).ok());
            let count = length.unwrap_or(usize::MAX).min(text.bytes.len());
            let slots = &text.bytes[..count];
            let byte = |slot: &usize| u8::try_from(point.get(*slot)?.to_i64()?).ok();
            let Some(mut bytes) = slots.iter().map(byte).collect::<Option<Vec<u8>>>() else { continue };
            if next() >> 7 & 3 == 0 {
                self.plant(&mut bytes, next);
            }
            whole(&mut bytes);
            for (slot, byte) in slots.iter().zip(bytes) {
                point[*slot] = Int::from(i64::from(byte));
            }
        }
    }
}

impl Texts {
    /// Puts a letter somewhere among the bytes, where there is room for it.
    fn plant(&self, bytes: &mut [u8], next: &mut dyn FnMut() -> u64) {
        let random = next() >> 5;
        let known = self.letters.get((random >> 8) as usize % self.letters.len().max(1));
        let code = match known {
            Some(letter) if random & 1 == 0 => letter + (random >> 40) as u32 % 2,
            _ => {
                let bits = 7 + (random >> 8) % 13;
                (1 << bits) | ((random >> 16) as u32 & ((1 << bits) - 1))
            }
        };
        let Some(letter) = char::from_u32(code) else { return };
        let width = letter.len_utf8();
        if width <= bytes.len() {
            let at = (next() >> 9) as usize % (bytes.len() - width + 1);
            letter.encode_utf8(&mut bytes[at..at + width]);
        }
    }
}

fn letters(program: &Program, cuts: &Cuts) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for (index, function) in program.functions.iter().enumerate() {
        for (local, variable) in function.locals.iter().enumerate() {
            if variable.ty == Type::Below(0x11_0000) {
                let cuts = cuts.of_variable(FunctionId(index as u32), VariableId::Local(local as u32));
                found.extend(cuts.iter().filter_map(Int::to_i64).filter_map(|cut| u32::try_from(cut).ok()));
            }
        }
    }
    found.into_iter().filter(|code| (0x80..0x11_0000).contains(code)).take(MOST_LETTERS).collect()
}

fn collect(form: &Form, slot: &dyn Fn(&Place) -> Option<usize>, found: &mut Vec<Text>) {
    let number = |form: &Form| match form {
        Form::Number(place) => slot(place),
        _ => None,
    };
    match form {
        Form::Sequence { length, elements, kind: SequenceKind::Text, .. } => {
            // The last one stands for all that are not seen.
            let seen = elements.len().saturating_sub(1);
            let bytes: Option<Vec<usize>> = elements[..seen].iter().map(number).collect();
            if let (Some(length), Some(bytes)) = (number(length), bytes) {
                found.push(Text { length, bytes });
            }
        }
        Form::Record(record) => record.fields.iter().for_each(|(_, field)| collect(field, slot, found)),
        Form::Choice { variants, .. } => {
            for variant in variants {
                variant.fields.iter().for_each(|(_, field)| collect(field, slot, found));
            }
        }
        Form::List(parts) => parts.iter().for_each(|part| collect(part, slot, found)),
        _ => {}
    }
}

/// What begins a character is followed by as many bytes as it wants; other bytes become letters of ASCII.
fn whole(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let more = match bytes[at] {
            0xc2..=0xdf => 1,
            0xe0..=0xec | 0xee..=0xef => 2,
            0xf0..=0xf3 => 3,
            _ => 0,
        };
        if more == 0 || at + more >= bytes.len() {
            bytes[at] &= 0x7f;
            at += 1;
            continue;
        }
        for next in 1..=more {
            bytes[at + next] = 0x80 | bytes[at + next] & 0x3f;
        }
        match bytes[at] {
            0xe0 => bytes[at + 1] |= 0x20,
            0xf0 if bytes[at + 1] < 0x90 => bytes[at + 1] |= 0x10,
            _ => {}
        }
        at += more + 1;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_become_texts() {
        let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
        for length in 0..9 {
            for _ in 0..3_000 {
                let mut bytes: Vec<u8> = Vec::new();
                for _ in 0..length {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    bytes.push((random >> 56) as u8);
                }
                let before = bytes.clone();
                super::whole(&mut bytes);
                assert!(std::str::from_utf8(&bytes).is_ok(), "{before:x?} became {bytes:x?}");
            }
        }
    }

    #[test]
    fn texts_stay() {
        for text in ["", "abc", "é1", "a€", "𝄞x", "\u{800}", "\u{10000}"] {
            let mut bytes = text.as_bytes().to_vec();
            super::whole(&mut bytes);
            assert_eq!(bytes, text.as_bytes());
        }
    }
}
