//! Numbers, texts, lists, and what points into a text.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Reader, Stored, Writer, stored_fields, stored_names};
use crate::source::{Diagnostic, Severity, Span};

stored_names!(Severity: Error, Warning, Note);
stored_fields!(Diagnostic: severity, message, span, help);

impl Stored for Span {
    fn write(&self, to: &mut Writer<'_>) {
        to.span(*self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.span()
    }
}

macro_rules! stored_numbers {
    ($($number:ty),+) => {$(
        impl Stored for $number {
            fn write(&self, to: &mut Writer<'_>) {
                to.number(*self as u64);
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                from.number()?.try_into().ok()
            }
        }
    )+};
}

stored_numbers!(u32, u64, usize);

impl Stored for bool {
    fn write(&self, to: &mut Writer<'_>) {
        to.number(u64::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Stored for f64 {
    fn write(&self, to: &mut Writer<'_>) {
        to.bytes.extend(self.to_bits().to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let bytes: [u8; 8] = from.take(8)?.try_into().ok()?;
        Some(f64::from_bits(u64::from_le_bytes(bytes)))
    }
}

impl Stored for String {
    fn write(&self, to: &mut Writer<'_>) {
        to.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(Into::into)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, to: &mut Writer<'_>) {
        self.is_some().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, to: &mut Writer<'_>) {
        self.len().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let length = usize::read(from)?;
        // No value takes less than a byte: longer lists are not there.
        if length > from.bytes.len() {
            return None;
        }
        (0..length).map(|_| T::read(from)).collect()
    }
}

impl<T: Stored + 'static> Stored for Arc<[T]> {
    fn write(&self, to: &mut Writer<'_>) {
        let key = (self.as_ptr() as usize, self.len(), TypeId::of::<T>());
        if let Some(known) = to.shared.get(&key) {
            return to.number(known + 1);
        }
        to.number(0);
        self.len().write(to);
        self.iter().for_each(|value| value.write(to));
        let number = to.shared.len() as u64;
        to.shared.insert(key, number);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.number()? {
            0 => {
                let list: Self = Vec::<T>::read(from)?.into();
                from.shared.push(Box::new(list.clone()));
                Some(list)
            }
            known => from.shared.get(usize::try_from(known - 1).ok()?)?.downcast_ref::<Self>().cloned(),
        }
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

impl<K: Stored + Ord, V: Stored> Stored for BTreeMap<K, V> {
    fn write(&self, to: &mut Writer<'_>) {
        self.len().write(to);
        for (key, value) in self {
            key.write(to);
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let list: Vec<(K, V)> = Stored::read(from)?;
        Some(list.into_iter().collect())
    }
}
