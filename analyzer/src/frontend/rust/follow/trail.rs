//! What the runs from one beginning come to, and how that is kept for later.
//!
//! It is found out from the items alone, and of the bodies only from those that are noted on the way: the follower notes
//! which it follows, the context which it looks into for anything that it knows since (`Context::body`). So it is the same
//! again where all but the bodies is the same, the words that values are drawn from and the ways to private values
//! included, and of the bodies those that were noted.

use std::cell::RefCell;
use std::hash::Hash;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::super::context::Context;
use super::super::hir::FnId;
use super::super::items::Items;
use super::marks::{Passing, nodes};
use crate::frontend::{CallEnd, Notebook};
use crate::source::sink::{Digest, Sink};
use crate::source::stored::{Reader, Stored, Writer, stored_fields};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Those that came to something new.
    pub runs: Vec<Run>,
    /// Whose bodies it depends on, in order.
    pub looked: Vec<FnId>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// What is called, where it is made up; not all of it may be followed.
    pub call: String,
    /// How it ends, where others can write it down.
    pub end: Option<CallEnd>,
    pub passing: Passing,
}

/// Where trails are asked for: kept ones first.
pub struct Desk<'d> {
    items: &'d Items,
    notebook: Option<&'d dyn Notebook>,
    deadline: Option<Instant>,
    /// Of everything but bodies.
    frame: Digest,
    bodies: RefCell<FxHashMap<FnId, Option<Digest>>>,
}

impl<'d> Desk<'d> {
    pub fn new(context: &Context<'d>, notebook: Option<&'d dyn Notebook>, deadline: Option<Instant>) -> Self {
        let frame = notebook.map(|_| {
            let mut sink = Sink::new();
            context.items.put_frame(&mut sink);
            (context.configuration, context.arithmetic, context.is_about_letters()).hash(&mut sink);
            sink.digest()
        });
        let (items, frame) = (context.items, frame.unwrap_or_default());
        Self { items, notebook, deadline, frame, bodies: RefCell::default() }
    }

    /// Whether anything is kept.
    pub fn keeps(&self) -> bool {
        self.notebook.is_some()
    }

    /// Whether there is no time for more.
    pub fn is_late(&self) -> bool {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let (true, Some(notebook)) = (is_late, self.notebook) {
            notebook.cut();
        }
        is_late
    }

    /// What is known, or comes of the work.
    pub fn trail(&self, asked: impl Hash, work: impl FnOnce() -> Trail) -> Trail {
        let Some(notebook) = self.notebook else { return work() };
        let key = Sink::of(&("trail", self.frame, asked));
        if let Some(known) = notebook.recall(&key).and_then(|bytes| self.restored(bytes)) {
            notebook.used(&key);
            return known;
        }
        let trail = work();
        let mut writer = Writer::new(None);
        (self.of_bodies(&trail.looked)).iter().for_each(|digest| write_digest(digest, &mut writer));
        trail.write(&mut writer);
        if let Some(bytes) = writer.finish() {
            notebook.keep(&key, bytes);
        }
        trail
    }

    /// What was kept, if the bodies are what they were.
    fn restored(&self, bytes: &[u8]) -> Option<Trail> {
        let mut reader = Reader::new(bytes, None);
        let digest = read_digest(&mut reader)?;
        let trail: Trail = reader.whole()?;
        let fits = |(id, passed): &(FnId, Vec<(u32, u32)>)| {
            let count = self.items.body(*id).map_or(0, nodes);
            passed.iter().all(|(node, _)| (*node as usize) < count)
        };
        let same = self.of_bodies(&trail.looked) == Some(digest);
        (same && trail.runs.iter().flat_map(|run| &run.passing).all(fits)).then_some(trail)
    }

    fn of_bodies(&self, looked: &[FnId]) -> Option<Digest> {
        let mut bodies = self.bodies.borrow_mut();
        let mut sink = Sink::new();
        for id in looked {
            let digest = bodies.entry(*id).or_insert_with(|| self.items.digest_of_body(*id));
            (id, (*digest)?).hash(&mut sink);
        }
        Some(sink.digest())
    }
}

fn write_digest(digest: &Digest, to: &mut Writer<'_>) {
    digest.iter().for_each(|byte| to.number(u64::from(*byte)));
}

fn read_digest(from: &mut Reader<'_>) -> Option<Digest> {
    let mut digest = Digest::default();
    for byte in &mut digest {
        *byte = from.number()?.try_into().ok()?;
    }
    Some(digest)
}

stored_fields!(Trail: runs, looked);
stored_fields!(Run: call, end, passing);

impl Stored for FnId {
    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        u32::read(from).map(Self)
    }
}

impl Stored for CallEnd {
    fn write(&self, to: &mut Writer<'_>) {
        match self {
            Self::Value(value) => (0u32, value.clone()).write(to),
            Self::Panics => (1u32, None::<String>).write(to),
            Self::Open => (2u32, None::<String>).write(to),
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match <(u32, Option<String>)>::read(from)? {
            (0, value) => Some(Self::Value(value)),
            (1, _) => Some(Self::Panics),
            (2, _) => Some(Self::Open),
            _ => None,
        }
    }
}
