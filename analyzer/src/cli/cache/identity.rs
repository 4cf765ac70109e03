//! Who answers: this very executable, and the solver it asks.
//!
//! A version number is not enough: whoever builds the program twice would be told what the first build thought.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use kleene_solver::Choice;
use kleene_solver::choice::on_path;

use crate::lints::Digest;

/// Grows with the form of what is kept.
const FORM: &str = "kleene cache 1";

/// Found when it is first needed.
#[derive(Debug, Default)]
pub struct Identity(OnceLock<Option<Digest>>);

impl Identity {
    /// The digest of the executable as it is loaded; none if it cannot be read.
    pub fn program(&self) -> Option<Digest> {
        *self.0.get_or_init(|| {
            let mut file = File::open(std::env::current_exe().ok()?).ok()?;
            let mut hasher = blake3::Hasher::new();
            hasher.update(FORM.as_bytes()).update(env!("CARGO_PKG_VERSION").as_bytes());
            let loaded = loaded(&mut file).unwrap_or(u64::MAX);
            file.seek(SeekFrom::Start(0)).ok()?;
            hasher.update_reader(file.take(loaded)).ok()?;
            Some(*hasher.finalize().as_bytes())
        })
    }

    pub fn with_solver(&self, choice: &Choice) -> Option<Digest> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.program()?).update(solver(choice)?.as_bytes());
        Some(*hasher.finalize().as_bytes())
    }
}

/// How many bytes at the beginning of an executable have all of it that is loaded; behind them stands what debuggers read,
/// several times as much. None where its form is another one than ELF of 64 bits.
fn loaded(file: &mut (impl Read + Seek)) -> Option<u64> {
    const SEGMENT: usize = 56;
    const LOADED: u32 = 1;
    let mut head = [0u8; 64];
    file.read_exact(&mut head).ok()?;
    if !head.starts_with(b"\x7fELF\x02\x01") || usize::from(short(&head, 54)?) != SEGMENT {
        return None;
    }
    file.seek(SeekFrom::Start(long(&head, 32)?)).ok()?;
    let mut segments = vec![0u8; SEGMENT * usize::from(short(&head, 56)?)];
    file.read_exact(&mut segments).ok()?;
    let mut end = 0;
    for segment in segments.chunks_exact(SEGMENT).filter(|segment| segment.starts_with(&LOADED.to_le_bytes()))
    {
        end = end.max(long(segment, 8)?.checked_add(long(segment, 32)?)?);
    }
    (end > 0).then_some(end)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// What is asked, as a program in a file; none if that cannot be said.
fn solver(choice: &Choice) -> Option<String> {
    match choice {
        Choice::Embedded => Some("embedded".into()),
        Choice::Auto => match ["z3", "cvc5"].into_iter().find_map(on_path) {
            Some(found) => file(&found),
            None => Some("embedded".into()),
        },
        Choice::Command(words) => {
            let program = words.first()?;
            let path = if program.contains('/') { Some(PathBuf::from(program)) } else { on_path(program) };
            Some(format!("{words:?} {}", file(&path?)?))
        }
    }
}

fn file(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let about = path.metadata().ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{path:?} {} {}", about.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(kind: u32, from: u64, size: u64) -> Vec<u8> {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend([0; 4]);
        [from, 0, 0, size, size, 0].iter().for_each(|part| bytes.extend(part.to_le_bytes()));
        bytes
    }

    /// Of 64 bytes, with its segments behind it.
    fn head(class: u8, segments: u16) -> Vec<u8> {
        let mut bytes = b"\x7fELF".to_vec();
        bytes.extend([class, 1]);
        bytes.resize(32, 0);
        bytes.extend(64u64.to_le_bytes());
        bytes.resize(54, 0);
        bytes.extend(56u16.to_le_bytes());
        bytes.extend(segments.to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }

    fn loaded_of(bytes: &[u8]) -> Option<u64> {
        loaded(&mut std::io::Cursor::new(bytes))
    }

    #[test]
    fn what_is_loaded_ends_with_the_last_loaded_segment() {
        let (code, data, note) = (segment(1, 0, 0x900), segment(1, 0x1000, 0x234), segment(4, 0x9000, 0x10));
        let file = [head(2, 3), data, code, note].concat();
        assert_eq!(loaded_of(&file), Some(0x1234));
        // Cut, of 32 bits, with nothing to load, or no executable at all.
        assert_eq!(loaded_of(&file[..file.len() - 1]), None);
        assert_eq!(loaded_of(&[head(1, 1), segment(1, 0, 9)].concat()), None);
        assert_eq!(loaded_of(&[head(2, 1), segment(4, 0, 9)].concat()), None);
        assert_eq!(loaded_of(b"#!/bin/sh"), None);
    }

    #[test]
    fn this_executable_has_a_digest() {
        assert!(Identity::default().program().is_some());
    }
}
