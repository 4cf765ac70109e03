//! Values as bytes and back, for what is kept from one run to the next.
//!
//! Compact, and private to one build of the program: only what wrote the bytes reads them. Texts are written once, and
//! so is what several values share. A value that cannot be written makes the whole unwritten; bytes that do not read
//! back completely read as nothing.

mod plain;

use std::any::{Any, TypeId};

use rustc_hash::FxHashMap;

use super::{FileId, Span};

pub trait Stored: Sized {
    fn write(&self, to: &mut Writer<'_>);
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

/// What a part of a program consists of: its values name places and functions by their number in it, so that they stay
/// the same where the part merely moves.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Every place in a text where something of the part begins or ends, in order.
    positions: Vec<(FileId, u32)>,
    /// Its functions, by their numbers in the whole.
    functions: Vec<u32>,
    own: FxHashMap<u32, usize>,
}

impl Frame {
    pub fn new(positions: Vec<(FileId, u32)>, functions: Vec<u32>) -> Self {
        let own = functions.iter().enumerate().map(|(own, whole)| (*whole, own)).collect();
        Self { positions, functions, own }
    }

    fn position(&self, file: FileId, offset: u32) -> Option<u64> {
        self.positions.binary_search(&(file, offset)).ok().map(|at| at as u64)
    }

    /// The numbers of some positions among all.
    pub fn ranks(&self, positions: &[(FileId, u32)]) -> impl Iterator<Item = usize> {
        positions.iter().map(|position| self.positions.partition_point(|before| before < position))
    }

    /// Where positions in another file begin.
    pub fn files(&self) -> impl Iterator<Item = usize> {
        self.positions.windows(2).enumerate().filter(|(_, pair)| pair[0].0 != pair[1].0).map(|(at, _)| at)
    }

    pub fn function(&self, whole: u32) -> Option<usize> {
        self.own.get(&whole).copied()
    }
}

pub struct Writer<'f> {
    bytes: Vec<u8>,
    texts: FxHashMap<String, u64>,
    shared: FxHashMap<(usize, usize, TypeId), u64>,
    frame: Option<&'f Frame>,
    refused: bool,
}

impl<'f> Writer<'f> {
    pub fn new(frame: Option<&'f Frame>) -> Self {
        let (texts, shared) = (FxHashMap::default(), FxHashMap::default());
        Self { bytes: Vec::new(), texts, shared, frame, refused: false }
    }

    /// Nothing, if something could not be written.
    pub fn finish(self) -> Option<Vec<u8>> {
        (!self.refused).then_some(self.bytes)
    }

    /// There is no form for a value.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub fn text(&mut self, text: &str) {
        if let Some(known) = self.texts.get(text) {
            return self.number(known + 1);
        }
        let number = self.texts.len() as u64;
        self.texts.insert(text.into(), number);
        self.number(0);
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// A function, by its number in the whole.
    pub fn function(&mut self, whole: u32) {
        match self.frame {
            None => self.number(u64::from(whole)),
            Some(frame) => match frame.function(whole) {
                Some(own) => self.number(own as u64),
                None => self.refuse(),
            },
        }
    }

    fn span(&mut self, span: Span) {
        let Span { file, start, end } = span;
        match self.frame {
            None => [file.0, start, end].into_iter().for_each(|part| self.number(u64::from(part))),
            Some(frame) => match frame.position(file, start).zip(frame.position(file, end)) {
                Some((start, end)) => [start, end].into_iter().for_each(|part| self.number(part)),
                None => self.refuse(),
            },
        }
    }
}

pub struct Reader<'b> {
    bytes: &'b [u8],
    texts: Vec<&'b str>,
    shared: Vec<Box<dyn Any>>,
    frame: Option<&'b Frame>,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8], frame: Option<&'b Frame>) -> Self {
        Self { bytes, texts: Vec::new(), shared: Vec::new(), frame }
    }

    /// The one value that the bytes are.
    pub fn whole<T: Stored>(mut self) -> Option<T> {
        let value = T::read(&mut self)?;
        self.bytes.is_empty().then_some(value)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn text(&mut self) -> Option<&'b str> {
        match self.number()? {
            0 => {
                let length = usize::read(self)?;
                let text = std::str::from_utf8(self.take(length)?).ok()?;
                self.texts.push(text);
                Some(text)
            }
            known => self.texts.get(usize::try_from(known - 1).ok()?).copied(),
        }
    }

    pub fn function(&mut self) -> Option<u32> {
        let number = self.number()?;
        match self.frame {
            None => u32::try_from(number).ok(),
            Some(frame) => frame.functions.get(usize::try_from(number).ok()?).copied(),
        }
    }

    fn span(&mut self) -> Option<Span> {
        let Some(frame) = self.frame else {
            let [file, start, end] = [u32::read(self)?, u32::read(self)?, u32::read(self)?];
            return Some(Span { file: FileId(file), start, end });
        };
        let mut position = || frame.positions.get(usize::read(self)?).copied();
        let ((file, start), (same, end)) = (position()?, position()?);
        (file == same).then_some(Span { file, start, end })
    }
}

/// A structure by its fields.
macro_rules! stored_fields {
    ($name:ty: $($field:ident),+) => {
        impl $crate::source::stored::Stored for $name {
            fn write(&self, to: &mut $crate::source::stored::Writer<'_>) {
                let Self { $($field),+ } = self;
                $($crate::source::stored::Stored::write($field, to);)+
            }

            fn read(from: &mut $crate::source::stored::Reader<'_>) -> Option<Self> {
                $(let $field = $crate::source::stored::Stored::read(from)?;)+
                Some(Self { $($field),+ })
            }
        }
    };
}

/// An enumeration by the names of its variants.
macro_rules! stored_names {
    ($name:ty: $($variant:ident),+) => {
        impl $crate::source::stored::Stored for $name {
            fn write(&self, to: &mut $crate::source::stored::Writer<'_>) {
                to.text(match self { $(Self::$variant => stringify!($variant)),+ });
            }

            fn read(from: &mut $crate::source::stored::Reader<'_>) -> Option<Self> {
                match from.text()? {
                    $(stringify!($variant) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {stored_fields, stored_names};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn written<T: Stored>(value: &T, frame: Option<&Frame>) -> Option<Vec<u8>> {
        let mut writer = Writer::new(frame);
        value.write(&mut writer);
        writer.finish()
    }

    type Value = Vec<(String, Option<u64>)>;

    fn value() -> Value {
        vec![
            ("a".into(), None),
            ("bcd".into(), Some(u64::MAX)),
            ("a".into(), Some(127)),
            ("".into(), Some(128)),
        ]
    }

    #[test]
    fn values_come_back() {
        let bytes = written(&value(), None).expect("it has a form");
        assert_eq!(Reader::new(&bytes, None).whole::<Value>(), Some(value()));
        let numbers = vec![0.25, -0.0, f64::INFINITY];
        let bytes = written(&numbers, None).expect("it has a form");
        assert_eq!(Reader::new(&bytes, None).whole::<Vec<f64>>(), Some(numbers));
    }

    #[test]
    fn what_is_cut_or_longer_is_nothing() {
        let mut bytes = written(&value(), None).expect("it has a form");
        for length in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..length], None).whole::<Value>(), None, "{length}");
        }
        bytes.push(0);
        assert_eq!(Reader::new(&bytes, None).whole::<Value>(), None);
    }

    #[test]
    fn what_is_shared_stays_shared() {
        let list: Arc<[u64]> = vec![1, 2, 3].into();
        let all = vec![list.clone(), list, vec![4].into()];
        let bytes = written(&all, None).expect("it has a form");
        let back: Vec<Arc<[u64]>> = Reader::new(&bytes, None).whole().expect("it reads");
        assert_eq!(back, all);
        assert!(Arc::ptr_eq(&back[0], &back[1]));
    }

    #[test]
    fn spans_move_with_their_part() {
        let span = |start: usize, end: usize| Span::new(FileId(1), start, end);
        let frame = |by: u32| {
            let positions = [3, 5, 9].map(|at| (FileId(1), at + by)).to_vec();
            Frame::new(positions, vec![7 + by, 2 + by])
        };
        let (here, there) = (frame(0), frame(100));
        let bytes = written(&vec![span(3, 9), span(5, 9)], Some(&here)).expect("it has a form");
        let moved: Option<Vec<Span>> = Reader::new(&bytes, Some(&there)).whole();
        assert_eq!(moved, Some(vec![span(103, 109), span(105, 109)]));
        assert_eq!(written(&span(3, 8), Some(&here)), None);
        let mut writer = Writer::new(Some(&here));
        writer.function(2);
        let bytes = writer.finish().expect("it has a form");
        assert_eq!(Reader::new(&bytes, Some(&there)).function(), Some(102));
    }
}
