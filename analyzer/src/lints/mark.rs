//! A program with its sites marked: where a check can tell something, control passes a location of its own.
//!
//! A failing edge leads to a location that then fails; a way out of a condition leads through one unless its target is
//! entered from nowhere else. That changes no value and no order of steps, so what holds of places holds of the
//! program as written.

use std::ops::Range;

use petgraph::visit::EdgeRef;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::runs::AllSaid;
use super::{
    Lint, Place, Question, Site, casts, choices, conditions, failures, loops, reachability, uninitialised,
};
use crate::interpret::cuts::AllFacts;
use crate::ir::slice::Names;
use crate::ir::{Cond, Edge, Effect, Function, FunctionId, Graph, Location, LocationId, Program, StepKind};
use crate::source::Span;

pub struct Marked {
    pub program: Program,
    pub names: Names,
    /// What functions say of values worth trying.
    pub facts: AllFacts,
    /// What they say of letters.
    pub kinds: AllSaid,
    pub sites: Vec<Site>,
    /// Every place some question is about, in order.
    pub places: Vec<Place>,
    /// Per function: the sites that are loops.
    loops: Vec<Vec<usize>>,
    /// Places that were added where a step fails: the step before shows the same thing.
    pub failing: FxHashSet<Place>,
    /// Places that were added behind a condition.
    pub added: FxHashSet<Place>,
    /// Functions that stand in no text: they have no sites, and what they call is called from outside.
    pub unwritten: FxHashSet<FunctionId>,
}

impl Marked {
    pub fn index(&self, place: Place) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    /// Those of one function.
    pub fn places_of(&self, function: FunctionId) -> &[Place] {
        &self.places[self.place_numbers(function)]
    }

    /// The numbers of those of one function.
    pub fn place_numbers(&self, function: FunctionId) -> Range<usize> {
        let first = self.places.partition_point(|place| place.function < function);
        first..first + self.places[first..].partition_point(|place| place.function == function)
    }

    /// A loop by its function and its number there.
    pub fn loop_number(&self, site: usize) -> Option<(FunctionId, usize)> {
        let function = self.sites.get(site)?.function;
        let number = self.loops.get(function.0 as usize)?.iter().position(|own| *own == site)?;
        Some((function, number))
    }

    pub fn loop_of(&self, function: FunctionId, number: usize) -> Option<usize> {
        self.loops.get(function.0 as usize)?.get(number).copied()
    }

    /// The loops of these functions, with the number of the site.
    pub fn loops_of(&self, functions: &[FunctionId]) -> impl Iterator<Item = (usize, &[Place])> {
        let of = |id: &FunctionId| self.loops.get(id.0 as usize).map(Vec::as_slice).unwrap_or_default();
        functions.iter().flat_map(of).filter_map(|index| match &self.sites[*index].question {
            Question::Stays(places) => Some((*index, places.as_slice())),
            _ => None,
        })
    }
}

pub fn marked(program: &Program, wanted: &[Lint], unwritten: &[FunctionId]) -> Marked {
    let unwritten: FxHashSet<FunctionId> = unwritten.iter().copied().collect();
    // Places in other packages are not those of whoever looks at this one.
    let is_written = |(id, function): &(FunctionId, &Function)| {
        !unwritten.contains(id) && !function.span.file.is_foreign()
    };
    let all = program.functions.iter().enumerate();
    let all: Vec<(FunctionId, &Function)> =
        all.map(|(index, function)| (FunctionId(index as u32), function)).collect();
    let shared = match wanted.contains(&Lint::UnreachableCode) {
        true => Shared::of(all.iter().copied().filter(is_written).map(|(_, function)| function)),
        false => Shared::default(),
    };
    let functions = all.par_iter().map(|(id, function)| match is_written(&(*id, *function)) {
        true => mark_function(function, *id, &shared, wanted),
        false => Marks::none((*function).clone()),
    });
    let mut marked = Marked {
        program: Program {
            globals: program.globals.clone(),
            functions: Vec::with_capacity(program.functions.len()),
            entry: program.entry,
            initialisers: program.initialisers.clone(),
        },
        names: Names::default(),
        facts: AllFacts::default(),
        kinds: AllSaid::default(),
        sites: Vec::new(),
        places: Vec::new(),
        loops: vec![Vec::new(); program.functions.len()],
        failing: FxHashSet::default(),
        added: FxHashSet::default(),
        unwritten: unwritten.clone(),
    };
    for marks in functions.collect::<Vec<Marks>>() {
        marked.program.functions.push(marks.function);
        marked.sites.extend(marks.sites);
        marked.failing.extend(marks.failing);
        marked.added.extend(marks.added);
    }
    marked.names = Names::of(&marked.program);
    marked.facts = AllFacts::new(&marked.program);
    marked.kinds = AllSaid::new(&marked.program);
    let mut places: Vec<Place> = Vec::new();
    for (index, site) in marked.sites.iter().enumerate() {
        match &site.question {
            Question::Stays(_) => marked.loops[site.function.0 as usize].push(index),
            others => places.extend(others.places()),
        }
    }
    places.sort_unstable();
    places.dedup();
    marked.places = places;
    marked
}

/// Where stretches of code begin in functions that have several instances, by the function and by place and kind. What
/// one instance reads as unknown, and so as a choice, is plain in another: it is the same code, and runs of any of them
/// come to it.
#[derive(Default)]
struct Shared(FxHashMap<Span, FxHashSet<(Span, StepKind)>>);

impl Shared {
    fn of<'a>(functions: impl Iterator<Item = &'a Function>) -> Self {
        let mut instances: FxHashMap<Span, Vec<&Function>> = FxHashMap::default();
        for function in functions {
            instances.entry(function.span).or_default().push(function);
        }
        instances.retain(|_, instances| instances.len() > 1);
        let begins = |function: &&Function| {
            let leaders = reachability::leaders(function).into_iter();
            leaders.map(|location| stands(function, location)).collect::<Vec<_>>()
        };
        let begins = |(span, instances): (Span, Vec<&Function>)| {
            (span, instances.iter().flat_map(begins).collect::<FxHashSet<_>>())
        };
        Self(instances.into_iter().map(begins).collect())
    }

    /// Where others say that a stretch of code begins, and this instance does not.
    fn missing(&self, function: &Function, leaders: &[LocationId]) -> Vec<LocationId> {
        let Some(shared) = self.0.get(&function.span) else { return Vec::new() };
        let own: FxHashSet<Span> = leaders.iter().map(|location| function.graph[*location].span).collect();
        let is_missing = |location: &LocationId| {
            !own.contains(&function.graph[*location].span) && shared.contains(&stands(function, *location))
        };
        function.graph.node_indices().filter(is_missing).collect()
    }
}

fn stands(function: &Function, location: LocationId) -> (Span, StepKind) {
    (function.graph[location].span, function.graph[location].what)
}

/// A function with its sites marked.
struct Marks {
    function: Function,
    sites: Vec<Site>,
    failing: Vec<Place>,
    added: Vec<Place>,
}

impl Marks {
    fn none(function: Function) -> Self {
        Self { function, sites: Vec::new(), failing: Vec::new(), added: Vec::new() }
    }
}

fn mark_function(function: &Function, id: FunctionId, shared: &Shared, wanted: &[Lint]) -> Marks {
    let mut marked = Marks::none(function.clone());
    let is_wanted = |lint: Lint| wanted.contains(&lint);
    if is_wanted(Lint::UnreachableCode) {
        let leaders = reachability::leaders(function);
        let missing = shared.missing(function, &leaders);
        let site = |location: LocationId, borrowed: bool| Site {
            lint: Lint::UnreachableCode,
            span: function.graph[location].span,
            function: id,
            question: Question::Unreachable(Place { function: id, location }),
            borrowed,
        };
        marked.sites.extend(leaders.into_iter().map(|location| site(location, false)));
        marked.sites.extend(missing.into_iter().map(|location| site(location, true)));
    }
    if is_wanted(Lint::LossyCast) {
        marked.sites.extend(casts::sites(function, id));
    }
    let asks =
        |location: LocationId| is_wanted(Lint::ConstantCondition) && conditions::is_site(function, location);
    let mut graph = Graph::new();
    for location in function.graph.node_weights() {
        graph.add_node(location.clone());
    }
    // Per condition: its ways, the one whose guard is written first first.
    let mut ways: Vec<(LocationId, Vec<Place>)> = Vec::new();
    for edge in function.graph.edge_references() {
        let (from, to, weight) = (edge.source(), edge.target(), edge.weight());
        let failing = match weight.effect {
            Effect::Fail(kind) => failures::lint_of(kind).filter(|lint| is_wanted(*lint)),
            _ => None,
        };
        if let Some(lint) = failing {
            let what = function.graph[from].what;
            let location = split(&mut graph, from, to, weight, what);
            let place = Place { function: id, location };
            marked.failing.push(place);
            let question = Question::Happens(place);
            marked.sites.push(Site { lint, span: weight.span, function: id, question, borrowed: false });
        } else if asks(from) && conditions::is_way(weight) {
            let alone = function.graph.edges_directed(to, petgraph::Direction::Incoming).count() == 1;
            let location = match alone && to != function.entry && to != function.exit {
                true => {
                    graph.add_edge(from, to, weight.clone());
                    to
                }
                false => {
                    let added = split(&mut graph, from, to, weight, StepKind::Skip);
                    marked.added.push(Place { function: id, location: added });
                    added
                }
            };
            let place = Place { function: id, location };
            match ways.iter_mut().find(|(at, _)| *at == from) {
                Some((_, known)) => known.push(place),
                None => ways.push((from, vec![place])),
            }
        } else {
            for edge in choices::taken_apart(&function.graph[from], weight) {
                graph.add_edge(from, to, edge);
            }
        }
    }
    for (at, ways) in ways {
        let [yes, no] = ways[..] else { continue };
        let question = Question::Constant { at: Place { function: id, location: at }, yes, no };
        let span = function.graph[at].span;
        marked.sites.push(Site {
            lint: Lint::ConstantCondition,
            span,
            function: id,
            question,
            borrowed: false,
        });
    }
    marked.function.graph = graph;
    if is_wanted(Lint::UninitialisedRead) {
        watch_reads(&mut marked, id);
    }
    // Last: what was added inside a loop belongs to it.
    if is_wanted(Lint::NonTermination) {
        let sites = loops::sites(&marked.function).into_iter().map(|(span, locations)| {
            let places = locations.into_iter().map(|location| Place { function: id, location });
            let question = Question::Stays(places.collect());
            Site { lint: Lint::NonTermination, span, function: id, question, borrowed: false }
        });
        marked.sites.extend(sites);
    }
    // Code of other packages may stand in place of a call.
    marked.sites.retain(|site| !site.span.file.is_foreign());
    marked
}

fn watch_reads(marked: &mut Marks, id: FunctionId) {
    let before = marked.function.graph.node_count();
    let watched = uninitialised::watched(&marked.function);
    marked.function = watched.function;
    for read in watched.reads {
        let places = |locations: Vec<LocationId>| {
            locations.into_iter().map(|location| Place { function: id, location }).collect::<Vec<_>>()
        };
        let question = Question::Read { certain: places(read.certain), possible: places(read.possible) };
        marked.sites.push(Site {
            lint: Lint::UninitialisedRead,
            span: read.span,
            function: id,
            question,
            borrowed: false,
        });
    }
    let added = before..marked.function.graph.node_count();
    marked.added.extend(added.map(|at| Place { function: id, location: LocationId::new(at) }));
}

/// Puts a location on an edge: the guard before it, the effect behind it.
fn split(graph: &mut Graph, from: LocationId, to: LocationId, edge: &Edge, what: StepKind) -> LocationId {
    let middle = graph.add_node(Location {
        span: mark_span(edge, &graph[from]),
        what,
        inputs: Vec::new(),
        tick: false,
        overlapping: false,
        ends: Cond::Literal(false),
    });
    let before = Edge { guard: edge.guard.clone(), effect: Effect::SKIP, span: edge.span };
    graph.add_edge(from, middle, before.into());
    graph.add_edge(middle, to, Edge { guard: Cond::Literal(true), ..edge.clone() }.into());
    middle
}

/// What fails has a place of its own; a way is shown where its condition stands.
fn mark_span(edge: &Edge, from: &Location) -> Span {
    match edge.effect {
        Effect::Fail(_) => edge.span,
        _ => from.span,
    }
}
