//! A second look at what fails: with values that people use, and whether there is any way past it.
//!
//! No verdict changes here. A run on ordinary values takes the place of one on extreme values, and a failure that no
//! run gets past is said to be inevitable.

use petgraph::Direction;
use petgraph::visit::EdgeRef;

use super::super::Place;
use super::super::ahead::Ahead;
use super::super::runs::{Audience, Glimpse, Journey};
use super::super::severity::{ORDINARY, is_ordinary};
use super::{Known, Open, Reach, Search, effort};
use crate::concrete::{State, Status};
use crate::evidence::Evidence;
use crate::interpret::context::Point;
use crate::interpret::explore::Exploration;
use crate::ir::{Effect, FailKind};
use crate::pipeline;

impl Search<'_> {
    pub(super) fn look_for_plain_runs(&mut self) {
        let failing: Vec<Open<Place>> = self.failing().collect();
        if failing.is_empty() {
            return;
        }
        let (open, loops) = (std::mem::take(&mut self.places), std::mem::take(&mut self.loops));
        let extreme = |open: &&Open<Place>| !self.is_shown_plainly(open.index);
        let extreme: Vec<Open<Place>> = failing.iter().filter(extreme).cloned().collect();
        let before: Vec<(usize, Known<Reach>)> = extreme
            .iter()
            .filter_map(|open| Some((open.index, self.known_places.remove(&open.index)?)))
            .collect();
        self.places = extreme;
        let blocked: Vec<Open<Place>> =
            failing.into_iter().filter(|open| self.is_conditional(open.what)).collect();
        let runs = self.runs;
        let mut again = Again { search: self, blocked };
        runs.walk_within(Some(ORDINARY), &mut again);
        let blocked = again.blocked;
        for (index, known) in before {
            let found = self.known_places.remove(&index).map(|new| new.evidence);
            let evidence = found.unwrap_or(known.evidence);
            self.known_places.insert(index, Known { evidence, ..known });
        }
        (self.places, self.loops) = (open, loops);
        self.find_inevitable(&blocked);
    }

    /// Places where something fails in a run.
    fn failing(&self) -> impl Iterator<Item = Open<Place>> {
        let reached = self.known_places.iter().filter(|(_, known)| known.answer == Reach::Reached);
        let places = reached.map(|(index, _)| (*index, self.marked.places[*index]));
        places.filter(|(_, place)| self.marked.failing.contains(place)).filter_map(|(index, place)| {
            let function = self.slice.own(place.function)?;
            Some(Open { index, what: Place { function, location: place.location } })
        })
    }

    fn is_shown_plainly(&self, index: usize) -> bool {
        match self.known_places.get(&index).map(|known| &known.evidence) {
            Some(Evidence::Run(run)) => is_ordinary(run, &self.marked.program),
            _ => true,
        }
    }

    /// Whether it fails because of values: a panic that is written as one is no surprise to those who come there.
    fn is_conditional(&self, place: Place) -> bool {
        let graph = &self.slice.program.function(place.function).graph;
        let kinds = graph.edges(place.location).map(|edge| &edge.weight().effect);
        kinds.clone().all(|effect| match effect {
            Effect::Fail(FailKind::Panic | FailKind::Abort) => false,
            Effect::Fail(FailKind::Assertion) => self.ways_around(place) > 0,
            _ => true,
        })
    }

    /// Other ways to go from where it fails.
    fn ways_around(&self, place: Place) -> usize {
        let graph = &self.slice.program.function(place.function).graph;
        let from = graph.neighbors_directed(place.location, Direction::Incoming);
        from.map(|from| graph.edges(from).count() - 1).sum()
    }

    /// Where it is decided whether it fails.
    fn is_before(&self, state: &State, place: Place) -> bool {
        let Some(frame) = state.frames.last().filter(|_| state.status == Status::Running) else {
            return false;
        };
        let graph = &self.slice.program.function(place.function).graph;
        frame.function == place.function
            && frame.location != place.location
            && graph.find_edge(frame.location, place.location).is_some()
    }

    pub(super) fn fails(&self, place: Place) -> bool {
        let origin = self.slice.origin[place.function.0 as usize];
        self.marked.failing.contains(&Place { function: origin, ..place })
    }

    /// Whether a run came before a place, and to something else that a step leads to from there.
    fn may_get_past(&self, glimpse: &Glimpse, place: Place) -> bool {
        let function = self.slice.program.function(place.function);
        let goes_to = |next: Place| glimpse.came_to(next) && !self.fails(next);
        let mut before = function.graph.neighbors_directed(place.location, Direction::Incoming);
        before.any(|location| {
            let mut edges = function.graph.edges(location);
            glimpse.came_to(Place { location, ..place })
                && edges.any(|edge| match edge.weight().effect {
                    // Where the run ends it comes to no place.
                    Effect::Assign(_) if edge.target() == function.exit => true,
                    Effect::Assign(_) => goes_to(Place { location: edge.target(), ..place }),
                    Effect::Call { function, .. } => {
                        goes_to(Place { function, location: self.slice.program.function(function).entry })
                    }
                    _ => true,
                })
        })
    }

    /// Nothing but failure lies behind what comes before, in any cell.
    fn find_inevitable(&mut self, blocked: &[Open<Place>]) {
        if blocked.is_empty() {
            return;
        }
        let Some((_, precision)) = effort::ladder(self.options).into_iter().next() else { return };
        let program = &self.slice.program;
        if self.effort.leaves_out(program) || effort::is_too_much(program, self.budget.left()) {
            return;
        }
        let places = blocked.iter().map(|open| open.what);
        let trimmed = match self.may_discard {
            true => None,
            false => Ahead::of(program, places, std::iter::empty()).trimmed(program),
        };
        let program = trimmed.as_ref().unwrap_or(program);
        let Ok(exploration) =
            pipeline::explore(program, Vec::new(), None, precision, self.options.mutation, &self.budget)
        else {
            return;
        };
        let inevitable: Vec<usize> = blocked
            .iter()
            .filter(|open| self.is_inevitable(&exploration, open.what))
            .map(|open| open.index)
            .collect();
        for index in inevitable {
            if let Some(known) = self.known_places.get_mut(&index) {
                known.inevitable = true;
            }
        }
    }

    fn is_inevitable(&self, exploration: &Exploration<'_>, place: Place) -> bool {
        let contexts = &exploration.transfer.contexts;
        let at = |cell: usize| {
            let node = contexts.node(exploration.cells[cell].node);
            let function = contexts.get(node.context).function;
            match node.point {
                Point::At(location) => Some(Place { function, location }),
                _ => None,
            }
        };
        let graph = &self.slice.program.function(place.function).graph;
        let is_before = |cell: &usize| {
            at(*cell).is_some_and(|here| {
                here.function == place.function && graph.find_edge(here.location, place.location).is_some()
            })
        };
        let mut before = (0..exploration.cells.len()).filter(is_before).peekable();
        before.peek().is_some()
            && before.all(|cell| {
                let targets = exploration.edges[cell].iter().flat_map(|part| &part.targets);
                targets.clone().next().is_some()
                    && targets.clone().all(|to| at(to.0 as usize).is_some_and(|to| self.fails(to)))
            })
    }
}

/// Looks for ordinary runs to what is open, and for ways past what fails.
struct Again<'a, 's> {
    search: &'a mut Search<'s>,
    /// No run got past these yet.
    blocked: Vec<Open<Place>>,
}

impl Audience for Again<'_, '_> {
    fn is_done(&self) -> bool {
        self.search.places.is_empty() && self.blocked.is_empty()
    }

    fn open(&self) -> usize {
        self.search.places.len() + self.blocked.len()
    }

    fn wants(&self, glimpse: &Glimpse) -> bool {
        self.search.may_show_place(glimpse)
            || self.blocked.iter().any(|open| self.search.may_get_past(glimpse, open.what))
    }

    fn learn(&mut self, journey: &Journey) -> bool {
        let (search, count) = (&*self.search, self.blocked.len());
        let gets_past = |place: Place| {
            journey.states.windows(2).any(|pair| {
                let next = pair[1]
                    .frames
                    .last()
                    .map(|frame| Place { function: frame.function, location: frame.location });
                search.is_before(&pair[0], place) && !next.is_some_and(|next| search.fails(next))
            })
        };
        self.blocked.retain(|open| !gets_past(open.what));
        let passed = self.blocked.len() < count;
        self.search.learned(journey) || passed
    }

    fn wants_ends(&self) -> bool {
        self.search.may_be_refused || !self.blocked.is_empty()
    }

    fn wants_place(&self, place: Place) -> bool {
        self.search.wants_place(place)
    }

    fn has_settled(&self, place: Place) -> bool {
        self.search.places.iter().all(|open| open.what != place)
    }
}
