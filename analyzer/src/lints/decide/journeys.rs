//! What single runs show: a run is replayed before it is believed, and cut where it shows something.

use rustc_hash::FxHashSet;

use super::super::loops;
use super::super::runs::{Glimpse, Journey};
use super::{LONGEST_RUN, Open, Place, Reach, Search};
use crate::concrete::Status;
use crate::evidence::{Evidence, Run, Start};
use crate::ir::Variable;
use crate::pipeline::{Trail, Verdict};

/// How far a run is known to replay, and how it starts.
#[derive(Default)]
struct Replay {
    count: usize,
    start: Option<Start>,
}

impl<'s> Search<'s> {
    /// What a run shows; whether something of it is new.
    pub(super) fn learned(&mut self, journey: &Journey) -> bool {
        let mut news = false;
        if journey.states.last().is_some_and(|state| state.status == Status::Discarded) {
            return false;
        }
        // A run that may yet be discarded shows only where it fails, which it does for ever.
        let live = journey.cycle.is_some()
            || !self.may_be_refused
            || journey
                .states
                .last()
                .is_some_and(|state| matches!(state.status, Status::Ended | Status::Failed(_)));
        let mut replay = Replay::default();
        for (place, at) in journey.places() {
            let Some(open) = self.places.iter().position(|open| open.what == place) else { continue };
            let origin = Place { function: self.slice.origin[place.function.0 as usize], ..place };
            if !live && !self.marked.failing.contains(&origin) {
                continue;
            }
            let Some(end) = self.end(journey, at) else { continue };
            // Whether it may yet be discarded is known at its end.
            let counts = if self.may_be_refused { journey.drawn.len() } else { end };
            let Some(start) = self.replayed(journey, &mut replay, counts) else { return news };
            let run = self.shown(journey, start, (at, end), None);
            let Open { index, .. } = self.places.swap_remove(open);
            self.known_places.insert(index, self.known(Reach::Reached, Evidence::Run(run)));
            news = true;
        }
        if let Some(from) = journey.cycle {
            let stays = |open: &Open<Vec<Place>>| {
                journey.states[from..].iter().all(|state| loops::holds_in(state, &open.what))
            };
            let found: Vec<usize> = (0..self.loops.len()).filter(|at| stays(&self.loops[*at])).collect();
            for at in found.into_iter().rev() {
                let length = journey.drawn.len();
                let Some(end) = self.end(journey, length) else { continue };
                let Some(start) = self.replayed(journey, &mut replay, length) else { return news };
                let run = self.shown(journey, start, (length, end), Some(from));
                let Open { index, .. } = self.loops.swap_remove(at);
                self.known_loops.insert(index, self.known(Verdict::False, Evidence::Run(run)));
                news = true;
            }
        }
        news
    }

    /// Whether such a run may show an open place.
    pub(super) fn may_show_place(&self, glimpse: &Glimpse) -> bool {
        let ends = matches!(glimpse.status, Status::Ended | Status::Failed(_));
        let live = glimpse.cycles || !self.may_be_refused || ends;
        let shows = |place: Place| glimpse.came_to(place) && (live || self.fails(place));
        (live || glimpse.status == Status::Running) && self.places.iter().any(|open| shows(open.what))
    }

    /// How the run starts, if so many steps of it are those of one; with all of them, if it also comes back to where it
    /// says.
    fn replayed<'r>(&self, journey: &Journey, replay: &'r mut Replay, count: usize) -> Option<&'r Start> {
        let Journey { states, drawn, cycle } = journey;
        let trail = Trail { interpreter: self.interpreter, states, drawn, cycle: *cycle };
        if replay.count < count {
            let comes_back = count < drawn.len() || trail.comes_back();
            if !comes_back || !trail.replays_between(replay.count, count) {
                return None;
            }
            replay.count = count;
        }
        Some(replay.start.get_or_insert_with(|| self.arguments(&trail.start())))
    }

    /// Where a run ends that shows what it comes to in a step: behind it, if it fails there. `None` if it is too long.
    fn end(&self, journey: &Journey, at: usize) -> Option<usize> {
        let end = if self.fails_at(journey, at) { at + 1 } else { at };
        (end < journey.states.len() && end <= LONGEST_RUN).then_some(end)
    }

    fn own_place(&self, journey: &Journey, at: usize) -> Option<Place> {
        let frame = journey.states[at].frames.last()?;
        let function = self.slice.origin[frame.function.0 as usize];
        Some(Place { function, location: frame.location })
    }

    fn fails_at(&self, journey: &Journey, at: usize) -> bool {
        self.own_place(journey, at).is_some_and(|place| self.marked.failing.contains(&place))
    }

    /// The run, which replays, up to its end, and what it comes to in a step.
    fn shown(
        &self,
        journey: &Journey,
        start: &Start,
        (at, end): (usize, usize),
        cycle: Option<usize>,
    ) -> Run {
        let own = |at: usize| self.own_place(journey, at);
        let fails = self.fails_at(journey, at);
        let trail = Trail {
            interpreter: self.interpreter,
            states: &journey.states[..=end],
            drawn: &journey.drawn[..end],
            cycle,
        };
        let conclusion = match (cycle, journey.states[end].status) {
            (Some(_), _) => "and so on for ever".to_string(),
            (None, Status::Failed(kind)) => format!("fails ({kind})"),
            _ => "is reached".to_string(),
        };
        let hides = |step: usize| {
            let leads_to_failure = own(step + 1).is_some_and(|place| {
                self.marked.failing.contains(&place) && journey.states[step + 1].status == Status::Running
            });
            leads_to_failure || own(step).is_some_and(|place| self.marked.added.contains(&place))
        };
        let wanted = fails || cycle.is_some();
        // Of places that are merely reached the start of the run is enough.
        let parts = &mut self.parts.borrow_mut();
        let mut run = trail.replayed(start.clone(), conclusion, &|step| wanted && !hides(step), parts);
        // What was called says which ways were chosen.
        let unwritten = self.is_unwritten(&journey.states[0].frames[0]);
        if unwritten {
            run.steps.iter_mut().for_each(|step| step.inputs.retain(|(name, _)| name != "nondet()"));
        }
        if wanted || unwritten {
            run.calls = self.calls(&journey.states[..=end], &journey.drawn[..end]);
        }
        run
    }

    /// The values a caller chooses: locals of the entry start with anything.
    fn arguments(&self, start: &Start) -> Start {
        let entry = self.slice.program.entry_function();
        let (parameters, locals) = entry.locals.split_at(entry.parameters as usize);
        let names = |variables: &'s [Variable]| variables.iter().map(|variable| variable.name.as_str());
        // Globals of other functions take no room here.
        let globals = self.slice.program.globals.iter().filter(|global| global.ty.slots() > 0);
        let globals = globals.map(|global| global.name.as_str());
        let chosen: FxHashSet<&str> = names(parameters).chain(globals).collect();
        let others: FxHashSet<&str> = names(locals).filter(|name| !chosen.contains(name)).collect();
        let own = |name: &'_ str| !others.contains(name.split('[').next().unwrap_or(name));
        Start {
            initial: start.initial.iter().filter(|(name, _)| own(name)).cloned().collect(),
            shown: start.shown.iter().filter(|shown| shown.argument).cloned().collect(),
        }
    }
}
