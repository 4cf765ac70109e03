//! Answers as bytes, by places that stay the same where functions merely move.

use std::collections::BTreeMap;

use super::super::mark::Marked;
use super::super::{Place, Reach};
use super::{Answers, Known};
use crate::ir::{FunctionId, LocationId};
use crate::pipeline::{Level, ModelSize, Verdict};
use crate::source::stored::{Frame, Reader, Stored, Writer, stored_fields, stored_names};

stored_names!(Reach: Never, Open, Reached);
stored_names!(Verdict: True, False, Maybe, Error);
stored_names!(Level: Abstract, Refine, Smt);
stored_fields!(ModelSize: cells, may, must);

impl<T: Stored> Stored for Known<T> {
    fn write(&self, to: &mut Writer<'_>) {
        let Self { answer, level, model, evidence, solver, inevitable } = self;
        answer.write(to);
        level.write(to);
        model.write(to);
        evidence.write(to);
        solver.write(to);
        inevitable.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            answer: Stored::read(from)?,
            level: Stored::read(from)?,
            model: Stored::read(from)?,
            evidence: Stored::read(from)?,
            solver: Stored::read(from)?,
            inevitable: Stored::read(from)?,
        })
    }
}

/// A function of the part, and which of its places or loops.
type Own = (FunctionId, usize);

type Parts = (Vec<(Own, Known<Reach>)>, Vec<(Own, Known<Verdict>)>);

impl Answers {
    /// `None` if something of it has no form.
    pub fn stored(&self, marked: &Marked, frame: &Frame) -> Option<Vec<u8>> {
        let Self { entry, seconds, places, loops } = self;
        let mut to = Writer::new(Some(frame));
        entry.write(&mut to);
        seconds.write(&mut to);
        places.len().write(&mut to);
        for (index, known) in places {
            let Place { function, location } = marked.places[*index];
            (function, location.index()).write(&mut to);
            known.write(&mut to);
        }
        loops.len().write(&mut to);
        for (index, known) in loops {
            marked.loop_number(*index)?.write(&mut to);
            known.write(&mut to);
        }
        to.finish()
    }

    pub fn restored(bytes: &[u8], marked: &Marked, frame: &Frame) -> Option<Self> {
        let ((entry, seconds), (places, loops)): ((String, f64), Parts) =
            Reader::new(bytes, Some(frame)).whole()?;
        let place = |((function, location), known): (Own, Known<Reach>)| {
            let location = LocationId::new(location);
            Some((marked.index(Place { function, location })?, known))
        };
        let site = |((function, number), known): (Own, Known<Verdict>)| {
            Some((marked.loop_of(function, number)?, known))
        };
        let places: Option<BTreeMap<usize, Known<Reach>>> = places.into_iter().map(place).collect();
        let loops: Option<BTreeMap<usize, Known<Verdict>>> = loops.into_iter().map(site).collect();
        Some(Self { entry, seconds, places: places?, loops: loops? })
    }
}
