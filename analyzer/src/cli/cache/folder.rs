//! The folder on the disk: one below `target/kleene` for each build of the program, few files in it.
//!
//! A file is written beside its place and then moved there, so that nobody reads half of it and two runs at once lose
//! answers of one of them at most. Its first bytes say whether the rest is what was written.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashMap;

use crate::lints::Digest;

/// Builds of the program whose answers are kept side by side.
const MOST_BUILDS: usize = 3;
/// Of one build.
const MOST_FILES: usize = 400;
const MOST_BYTES: u64 = 1 << 30;
/// Runs that an answer is kept for without being asked for.
const LONGEST_UNUSED: u8 = 8;
/// What a run left behind that was ended while it wrote.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);
const UNFINISHED: &str = "part";
const DIGEST: usize = size_of::<Digest>();

pub struct Folder {
    target: PathBuf,
    all: PathBuf,
    own: PathBuf,
}

impl Folder {
    pub fn new(target: &Path, program: Digest) -> Self {
        let all = target.join("kleene");
        let own = all.join(&blake3::Hash::from_bytes(program).to_hex()[..16]);
        Self { target: target.into(), all, own }
    }

    /// What was written under this name, if it is whole.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.own.join(name)).ok()?;
        let (digest, payload) = bytes.split_at_checked(DIGEST)?;
        if blake3::hash(payload).as_bytes() != digest {
            return None;
        }
        bytes.drain(..DIGEST);
        Some(bytes)
    }

    pub fn write(&self, name: &str, payload: &[u8]) {
        let path = self.own.join(name);
        let beside = self.own.join(format!("{name}.{}.{UNFINISHED}", std::process::id()));
        let mut bytes = blake3::hash(payload).as_bytes().to_vec();
        bytes.extend(payload);
        let written =
            self.made().and_then(|()| fs::write(&beside, &bytes)).and_then(|()| fs::rename(&beside, &path));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
    }

    fn made(&self) -> io::Result<()> {
        if !self.target.exists() {
            fs::create_dir_all(&self.target)?;
            // As cargo does: tells programs that make copies that this can be made again.
            let tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by kleene.\n";
            let _ = fs::write(self.target.join("CACHEDIR.TAG"), tag);
        }
        fs::create_dir_all(&self.own)
    }

    /// Removes what nobody needs any more.
    pub fn prune(&self) {
        let mut builds = entries(&self.all);
        builds.retain(|(_, path, _)| *path != self.own && path.is_dir());
        builds.sort();
        let superfluous = (builds.len() + 1).saturating_sub(MOST_BUILDS);
        builds.iter().take(superfluous).for_each(|(_, path, _)| drop(fs::remove_dir_all(path)));

        let mut files = entries(&self.own);
        files.sort();
        let (mut count, mut bytes) = (files.len(), files.iter().map(|(_, _, size)| size).sum::<u64>());
        for (changed, path, size) in files {
            let unfinished = path.extension().is_some_and(|extension| extension == UNFINISHED);
            let is_old = changed.elapsed().is_ok_and(|age| age > LEFT_BEHIND);
            if count > MOST_FILES || bytes > MOST_BYTES || unfinished && is_old {
                let _ = fs::remove_file(path);
                (count, bytes) = (count - 1, bytes - size);
            }
        }
    }
}

/// What is in a folder: when it changed, where it is, how large it is.
fn entries(folder: &Path) -> Vec<(SystemTime, PathBuf, u64)> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let about = |entry: fs::DirEntry| {
        let about = entry.metadata().ok()?;
        Some((about.modified().ok()?, entry.path(), about.len()))
    };
    found.filter_map(about).collect()
}

/// Where each answer of a file stands in it. Records: a key, for how many runs nobody asked, the length, the bytes.
pub fn answers(bytes: Vec<u8>) -> (Vec<u8>, FxHashMap<Digest, Range<usize>>) {
    let found = records(&bytes).map(|record| (record.key, record.range)).collect();
    (bytes, found)
}

/// The answers of a file together with those that a run used.
pub fn with_answers(before: &[u8], used: Vec<(Digest, Vec<u8>)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |key: &Digest, unused: u8, answer: &[u8]| {
        bytes.extend(key);
        bytes.push(unused);
        bytes.extend((answer.len() as u64).to_le_bytes());
        bytes.extend(answer);
    };
    used.iter().for_each(|(key, answer)| put(key, 0, answer));
    let is_used = |key: &Digest| used.binary_search_by(|(own, _)| own.cmp(key)).is_ok();
    for record in records(before).filter(|record| !is_used(&record.key) && record.unused < LONGEST_UNUSED) {
        put(&record.key, record.unused + 1, &before[record.range]);
    }
    bytes
}

struct Record {
    key: Digest,
    unused: u8,
    range: Range<usize>,
}

fn records(bytes: &[u8]) -> impl Iterator<Item = Record> {
    const HEAD: usize = DIGEST + 1 + size_of::<u64>();
    let mut at = 0;
    std::iter::from_fn(move || {
        let head = bytes.get(at..at + HEAD)?;
        let (key, rest) = head.split_first_chunk()?;
        let (unused, length) = rest.split_first()?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
        let range = at + HEAD..(at + HEAD).checked_add(length)?;
        bytes.get(range.clone())?;
        at = range.end;
        Some(Record { key: *key, unused: *unused, range })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Digest {
        [number; DIGEST]
    }

    #[test]
    fn answers_that_nobody_asks_for_are_dropped_in_the_end() {
        let mut file = with_answers(&[], vec![(key(1), vec![7]), (key(2), vec![])]);
        for run in 0..=LONGEST_UNUSED {
            let (_, found) = answers(file.clone());
            assert_eq!((found.contains_key(&key(1)), found.len()), (true, 2), "{run}");
            file = with_answers(&file, vec![(key(2), vec![8, 9])]);
        }
        let (bytes, found) = answers(file);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&key(2)]);
        assert_eq!(bytes[found[&key(2)].clone()], [8, 9]);
    }

    #[test]
    fn what_is_cut_has_fewer_answers() {
        let file = with_answers(&[], vec![(key(1), vec![7; 20]), (key(2), vec![5; 20])]);
        for length in 0..file.len() {
            let (_, found) = answers(file[..length].to_vec());
            assert_eq!(found.len(), length / (file.len() / 2), "{length}");
        }
    }
}
