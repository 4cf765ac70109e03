//! Which functions of std are carried out in another way than their text in ours says.

use rustc_hash::FxHashMap;

use super::super::hir::{FnId, TypeRef};
use super::super::items::Definition;
use super::Follower;
use super::atomics::ATOMICS;
use super::native::Native;
use super::show::Written;
use super::tables::TABLES;

pub type Natives = FxHashMap<FnId, Option<Native>>;

/// By the path in our own text, what is done instead.
const NATIVES: &[(&str, Native)] = &[
    ("std::mem::forget", Native::Forget),
    ("std::sequences::_::fill", Native::Fill),
    ("std::sequences::_::copy_from_slice", Native::CopyAll),
    ("std::more_slices::_::as_chunks", Native::Chunks),
    ("std::more_slices::_::copy_within", Native::CopyWithin),
    ("std::mem::MaybeUninit::new", Native::Same),
    ("std::mem::MaybeUninit::uninit", Native::Absent),
    ("std::mem::MaybeUninit::uninit_array", Native::Absent),
    ("std::mem::MaybeUninit::zeroed", Native::Zeroed),
    ("std::mem::MaybeUninit::assume_init", Native::Same),
    ("std::mem::MaybeUninit::assume_init_read", Native::Read),
    ("std::mem::MaybeUninit::assume_init_ref", Native::Lent),
    ("std::mem::MaybeUninit::assume_init_mut", Native::Lent),
    ("std::mem::MaybeUninit::assume_init_drop", Native::EndInPlace),
    ("std::mem::MaybeUninit::write", Native::WriteAndLend),
    ("std::mem::MaybeUninit::as_ptr", Native::Lent),
    ("std::mem::MaybeUninit::as_mut_ptr", Native::Lent),
    ("std::pointing::_::as_ptr", Native::First { boxed: false }),
    ("std::pointing::_::as_mut_ptr", Native::First { boxed: false }),
    ("std::pointing::_::as_ptr_range", Native::FirstToLast),
    ("std::pointing::_::get_unchecked_mut", Native::Element),
    ("std::pointing::str::as_ptr", Native::First { boxed: false }),
    ("std::pointing::Vec::as_ptr", Native::First { boxed: true }),
    ("std::unchecked::_::get_unchecked", Native::Element),
    ("std::cell::UnsafeCell::new", Native::Held),
    ("std::cell::UnsafeCell::get", Native::HeldPlace),
    ("std::cell::UnsafeCell::get_mut", Native::HeldPlace),
    ("std::cell::UnsafeCell::into_inner", Native::Unwrapped),
    ("std::slice::from_raw_parts", Native::Elements),
    ("std::slice::from_raw_parts_mut", Native::Elements),
    ("std::ptr::slice_from_raw_parts", Native::Elements),
    ("std::ptr::slice_from_raw_parts_mut", Native::Elements),
    ("std::ptr::read", Native::Read),
    ("std::ptr::read_unaligned", Native::Read),
    ("std::ptr::read_volatile", Native::Read),
    ("std::ptr::write", Native::Write),
    ("std::ptr::write_unaligned", Native::Write),
    ("std::ptr::replace", Native::Replace),
    ("std::ptr::swap", Native::Swap),
    ("std::ptr::copy", Native::Copy { from_first: true }),
    ("std::ptr::copy_nonoverlapping", Native::Copy { from_first: true }),
    ("std::ptr::drop_in_place", Native::EndInPlace),
    ("std::ptr::from_mut", Native::Lent),
    ("std::ptr::from_ref", Native::Lent),
    ("std::ptr::NonNull::new_unchecked", Native::Wrapped),
    ("std::ptr::NonNull::new", Native::WrappedOption),
    ("std::ptr::NonNull::from", Native::Wrapped),
    ("std::ptr::NonNull::as_ptr", Native::Unwrapped),
    ("std::ptr::NonNull::as_ref", Native::UnwrappedPlace),
    ("std::ptr::NonNull::as_mut", Native::UnwrappedPlace),
    ("std::hash::BuildHasher::hash_one", Native::Hash),
    ("std::hash::RandomState::hash_one", Native::RandomHash),
    ("std::iter::Iterator::size_hint", Native::SizeHint),
    ("std::vec::Vec::capacity", Native::Capacity),
    ("std::string::String::capacity", Native::Capacity),
    ("std::collections::VecDeque::capacity", Native::Capacity),
];

/// The same of the three types of pointers.
const OF_POINTERS: &[(&str, Native)] = &[
    ("add", Native::Moved { back: false }),
    ("wrapping_add", Native::Moved { back: false }),
    ("sub", Native::Moved { back: true }),
    ("wrapping_sub", Native::Moved { back: true }),
    ("offset", Native::Offset),
    ("wrapping_offset", Native::Offset),
    ("offset_from", Native::Distance),
    ("read", Native::Read),
    ("read_unaligned", Native::Read),
    ("write", Native::Write),
    ("write_unaligned", Native::Write),
    ("replace", Native::Replace),
    ("swap", Native::Swap),
    ("is_null", Native::IsNull),
    ("cast", Native::Cast),
    ("cast_mut", Native::Same),
    ("cast_const", Native::Same),
    ("elements", Native::Elements),
    ("copy_to", Native::Copy { from_first: true }),
    ("copy_to_nonoverlapping", Native::Copy { from_first: true }),
    ("copy_from", Native::Copy { from_first: false }),
    ("copy_from_nonoverlapping", Native::Copy { from_first: false }),
    ("drop_in_place", Native::EndInPlace),
];

/// By the path in our own text, the function there that says it exactly, and whether it asks closures in its own way.
const EXACT: &[(&str, &str, bool)] = &[
    ("std::more_slices::_::sort_by", "sort_by", true),
    ("std::more_slices::_::sort_unstable_by", "sort_unstable_by", true),
    ("std::more_slices::_::sort_by_key", "sort_by_key", true),
    ("std::more_slices::_::sort_unstable_by_key", "sort_unstable_by_key", true),
    ("std::more_slices::_::sort_by_cached_key", "sort_by_key", true),
    ("std::more_slices::_::partition_point", "partition_point", true),
    ("std::more_slices::_::binary_search_by", "binary_search_by", true),
    ("std::more_slices::_::binary_search_by_key", "binary_search_by_key", true),
    ("std::more_slices::_::binary_search", "binary_search", true),
    ("std::str::from_utf8", "from_utf8", false),
    ("std::patterns::char::match_begin", "char_begin", false),
    ("std::patterns::char::match_end", "char_end", false),
    ("std::patterns::char::match_first", "char_first", false),
    ("std::patterns::char::match_last", "char_last", false),
    ("std::patterns::str::match_first", "text_first", false),
    ("std::patterns::str::match_last", "text_last", false),
];

/// By the path in our own text, what part of a text it writes.
const WRITING: &[(&str, Written)] = &[
    ("std::fmt::written", Written::Somewhere),
    ("std::fmt::shown", Written::Shown),
    ("std::fmt::Formatter::write_str", Written::Str),
    ("std::fmt::Formatter::write_char", Written::Char),
    ("std::fmt::Formatter::pad", Written::Padded),
    ("std::fmt::Formatter::pad_integral", Written::PaddedNumber),
    ("std::fmt::Formatter::write_fmt", Written::Arguments),
    ("std::string::String::write_fmt", Written::ToString),
    ("std::builders::Formatter::debug_struct", Written::Builder),
    ("std::builders::Formatter::debug_tuple", Written::Builder),
    ("std::builders::DebugStruct::field", Written::Field { named: true }),
    ("std::builders::DebugTuple::field", Written::Field { named: false }),
    ("std::builders::DebugStruct::finish", Written::Finish),
    ("std::builders::DebugStruct::finish_non_exhaustive", Written::Finish),
    ("std::builders::DebugTuple::finish", Written::Finish),
];

impl Follower<'_, '_> {
    /// What is done in the place of a function of our own text of std.
    pub(super) fn native(&mut self, function: FnId) -> Option<Native> {
        if let Some(known) = self.natives.get(&function) {
            return *known;
        }
        let found = self.find_native(function);
        self.natives.insert(function, found);
        found
    }

    fn find_native(&self, function: FnId) -> Option<Native> {
        let items = self.context.items;
        let path = items.function_path(function);
        let found = NATIVES.iter().find(|(known, _)| *known == path).map(|(_, native)| *native);
        let of_pointer = || {
            let (owner, name) = path.rsplit_once("::")?;
            let kinds = ["std::ptr::Pointer", "std::ptr::Writing", "std::ptr::Reading", "std::ptr::_"];
            kinds.contains(&owner).then_some(())?;
            OF_POINTERS.iter().find(|(known, _)| *known == name).map(|(_, native)| *native)
        };
        let exact = || {
            let (_, name, quiet) = EXACT.iter().find(|(known, ..)| *known == path)?;
            match items.standard(&format!("exact::{name}"))? {
                Definition::Function(id) if name.starts_with("sort_unstable") => Some(Native::Unstable(id)),
                Definition::Function(id) if *quiet => Some(Native::Quiet(id)),
                Definition::Function(id) => Some(Native::Exact(id)),
                _ => None,
            }
        };
        let zipped = || {
            let own = ["std::iter::Zip::next", "std::iter::Zip::next_back"].contains(&path.as_str());
            own.then_some(Native::Zipped(function))
        };
        let writing = || {
            let found = WRITING.iter().find(|(known, _)| *known == path).map(|(_, written)| *written);
            let of_std = || path.ends_with("::fmt").then_some(Written::Value);
            found.or_else(of_std).map(Native::Written)
        };
        let room = || match path.as_str() {
            "std::vec::has_room" => Some(Native::HasRoom(function)),
            "std::io::Error::new" => Some(Native::IoError(function)),
            "std::vec::room" => Some(Native::Room(function)),
            _ => None,
        };
        let atomic = || {
            let (_, name) = path.strip_prefix("std::sync::atomic::Atomic")?.split_once("::")?;
            let known = ATOMICS.iter().find(|(known, _)| *known == name);
            let made = (name == "new").then_some(Native::Held);
            made.or_else(|| known.map(|(_, operation)| Native::Atomic(*operation)))
        };
        let reversed = || path.ends_with("::reverse_bits").then_some(Native::ReverseBits);
        let table = || {
            let name = path.strip_prefix("std::hashbrown::hash_table::")?;
            TABLES.iter().find(|(known, _)| *known == name).map(|(_, table)| Native::OnTable(*table))
        };
        found
            .or_else(of_pointer)
            .or_else(table)
            .or_else(atomic)
            .or_else(room)
            .or_else(reversed)
            .or_else(exact)
            .or_else(zipped)
            .or_else(writing)
            .or_else(|| {
                let function = items.function(function);
                let written = function.parameters.iter().chain([&function.result]);
                let pointers = written.filter(|ty| self.speaks_of_pointers(ty)).count() > 0;
                let of_them = path.starts_with("std::ptr::");
                let followed = path.ends_with("::as_mut_ptr_range");
                (pointers && !followed || of_them).then_some(Native::Unknown)
            })
    }

    fn speaks_of_pointers(&self, ty: &TypeRef) -> bool {
        match ty {
            TypeRef::Pointer(..) => true,
            TypeRef::Tuple(parts) => parts.iter().any(|part| self.speaks_of_pointers(part)),
            TypeRef::Array(inner, _) | TypeRef::Slice(inner) | TypeRef::Reference(_, inner) => {
                self.speaks_of_pointers(inner)
            }
            TypeRef::Path(path) => {
                let inside = path.segments.iter().flat_map(|segment| &segment.arguments);
                inside.into_iter().any(|ty| self.speaks_of_pointers(ty))
            }
            _ => false,
        }
    }
}
