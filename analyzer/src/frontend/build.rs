//! Builds one function's graph step by step.
//!
//! Control is a `Point`: a place in the text that is not yet a location. A statement that is a step
//! fills the current point with a location; one that is not (a label, `goto`, an empty statement)
//! only gives a point another name. So jumps cost nothing, a label stands at the next step, and a
//! cycle of names without a step (`for (;;);`) is found at the end and becomes one `Skip` location.
//!
//! The failing parts of a step are collected in `Pending` while its expressions are built and become
//! guard edges, exclusive and in order of evaluation. Knows no source language.

use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};

use super::arith;
use crate::ir::view::View;
use crate::ir::{
    Cond, Edge, Effect, FailKind, Function, Input, InputSource, Location, LocationId, Place, StepKind, Type,
    Variable, VariableId, VariableKind,
};
use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point(usize);

#[derive(Clone, Copy, Debug)]
enum Slot {
    Open,
    /// Another name for a point; the span is the jump's.
    Same(Point, Span),
    Step(usize),
    Exit,
}

#[derive(Debug)]
struct Step {
    location: Location,
    edges: Vec<(Edge, Point)>,
    /// Kept only if something leads here.
    implicit: bool,
}

/// One way out of a step.
#[derive(Debug)]
pub struct Exit {
    pub guard: Cond,
    pub effect: Effect,
    pub target: Point,
    pub span: Span,
}

/// What the expressions of a step under construction need: inputs and checks.
#[derive(Debug, Default)]
pub struct Pending {
    pub inputs: Vec<Input>,
    failures: Vec<(Cond, FailKind, Span)>,
    /// Under which conditions the part being built is evaluated at all.
    reached: Vec<Cond>,
}

impl Pending {
    /// A step that draws one value.
    pub fn drawing(input: Input) -> Self {
        Self { inputs: vec![input], ..Self::default() }
    }

    /// Builds a part of the expression that is evaluated only where `cond` holds.
    pub fn enter(&mut self, cond: Cond) {
        self.reached.push(cond);
    }

    pub fn leave(&mut self) {
        self.reached.pop();
    }

    /// The step fails where the part being built is reached and `cond` holds.
    pub fn fails_if(&mut self, cond: Cond, kind: FailKind, span: Span) {
        let reached = self.reached.iter().cloned().reduce(Cond::and).unwrap_or(Cond::Literal(true));
        let cond = reached.and(cond);
        if cond != Cond::Literal(false) {
            self.failures.push((cond, kind, span));
        }
    }

    /// As `fails_if`, but kept even if it never happens: someone asks about every site.
    pub fn site(&mut self, cond: Cond, kind: FailKind, span: Span) {
        let reached = self.reached.iter().cloned().reduce(Cond::and).unwrap_or(Cond::Literal(true));
        let never = cond == Cond::Literal(false);
        self.failures.push((if never { cond } else { reached.and(cond) }, kind, span));
    }

    /// The step so far; what follows is still evaluated only where the parts around it are reached.
    pub fn take(&mut self) -> Self {
        let inputs = std::mem::take(&mut self.inputs);
        Self { inputs, failures: std::mem::take(&mut self.failures), reached: Vec::new() }
    }

    /// How many checks the step makes.
    pub fn checks_made(&self) -> usize {
        self.failures.len()
    }

    /// Where the part being built is evaluated, as a condition that is defined everywhere: nothing before it
    /// fails, and every part around it is reached. `None`: wherever the step is.
    pub fn reached(&self) -> Option<Cond> {
        let within = self.reached.iter().cloned().reduce(Cond::and)?;
        let failing = self.failures.iter().map(|(cond, ..)| cond.clone().negated());
        Some(failing.chain([within]).reduce(Cond::and).expect("at least one part"))
    }

    pub fn can_fail(&self) -> bool {
        !self.failures.is_empty()
    }
}

/// Whether a conjunction holds a comparison and its complement, as in `y != 0 && 10 / y > 1`.
fn contradictory(cond: &Cond) -> bool {
    let mut parts = Vec::new();
    let mut work = vec![cond];
    while let Some(cond) = work.pop() {
        match cond {
            Cond::And(left, right) => work.extend([&**left, &**right]),
            Cond::Compare(op, left, right) if parts.contains(&(op.negated(), left, right)) => return true,
            Cond::Compare(op, left, right) => parts.push((*op, left, right)),
            _ => {}
        }
    }
    false
}

/// Guards of one step may not grow beyond this many nodes: they repeat the checks before them.
const GUARD_LIMIT: usize = 400_000;

#[derive(Debug)]
pub struct FunctionBuilder {
    pub name: String,
    pub span: Span,
    pub locals: Vec<Variable>,
    pub parameters: u32,
    pub result: Option<Type>,
    /// Where the next step goes. Always open.
    pub current: Point,
    /// A step whose guards are too large to build.
    pub too_large: Option<Span>,
    slots: Vec<Slot>,
    steps: Vec<Step>,
    labels: Vec<(String, Point)>,
    pub views: Vec<View>,
    tick: Option<Point>,
    temporaries: u32,
}

impl FunctionBuilder {
    pub const EXIT: Point = Point(0);
    const ENTRY: Point = Point(1);

    pub fn new(name: impl Into<String>, span: Span) -> Self {
        Self {
            name: name.into(),
            span,
            locals: Vec::new(),
            parameters: 0,
            result: None,
            current: Self::ENTRY,
            too_large: None,
            slots: vec![Slot::Exit, Slot::Open],
            steps: Vec::new(),
            labels: Vec::new(),
            views: Vec::new(),
            tick: None,
            temporaries: 0,
        }
    }

    pub fn local(&mut self, name: &str, ty: Type, kind: VariableKind, span: Span) -> VariableId {
        self.locals.push(Variable { name: name.to_owned(), ty, kind, span });
        VariableId::Local(self.locals.len() as u32 - 1)
    }

    pub fn temporary(&mut self, ty: Type, span: Span) -> Place {
        self.temporaries += 1;
        let name = format!("${}", self.temporaries);
        Place::variable(self.local(&name, ty, VariableKind::Temporary, span))
    }

    pub fn point(&mut self) -> Point {
        self.slots.push(Slot::Open);
        Point(self.slots.len() - 1)
    }

    /// Control goes from the current point to `target` without a step and goes on at a new point
    /// that nothing leads to yet.
    pub fn jump(&mut self, target: Point, span: Span) {
        self.join(target, span);
        self.current = self.point();
    }

    /// Control goes from the current point to `target`, which becomes the current one.
    pub fn join(&mut self, target: Point, span: Span) {
        debug_assert!(matches!(self.slots[self.current.0], Slot::Open), "only an open point can be named");
        self.slots[self.current.0] = Slot::Same(target, span);
        self.current = target;
    }

    pub fn label(&mut self, name: &str) {
        self.labels.push((name.to_owned(), self.current));
    }

    /// Marks the location at `point` as visible under the `tick` granularity.
    pub fn mark_tick(&mut self, point: Point) {
        self.tick = Some(point);
    }

    /// Makes the current point a location with these ways out. The caller chooses the next point.
    pub fn step(&mut self, what: StepKind, span: Span, pending: Pending, exits: Vec<Exit>) {
        debug_assert!(matches!(self.slots[self.current.0], Slot::Open), "a point is filled once");
        let location = Location {
            span,
            what,
            inputs: pending.inputs,
            tick: false,
            overlapping: false,
            ends: Cond::Literal(false),
        };
        let edges = self.edges(span, pending.failures, exits);
        self.slots[self.current.0] = Slot::Step(self.steps.len());
        self.steps.push(Step { location, edges, implicit: false });
    }

    fn edges(
        &mut self,
        span: Span,
        failures: Vec<(Cond, FailKind, Span)>,
        exits: Vec<Exit>,
    ) -> Vec<(Edge, Point)> {
        let mut edges = Vec::with_capacity(failures.len() + exits.len());
        let mut passed = Cond::Literal(true);
        let mut budget = GUARD_LIMIT;
        let mut known: Vec<Cond> = Vec::new();
        for (cond, kind, span) in failures {
            let guard = match &cond {
                Cond::Literal(false) => cond.clone(),
                _ => passed.clone().and(cond.clone()),
            };
            budget = budget.saturating_sub(arith::cond_size(&guard, budget));
            if budget == 0 {
                self.too_large.get_or_insert(span);
                return edges;
            }
            edges.push((Edge { guard, effect: Effect::Fail(kind), span }, Self::EXIT));
            // What comes after learns nothing from a check made twice, nor from one that never fires.
            if !known.contains(&cond) && !contradictory(&cond) {
                passed = passed.and(arith::not(cond.clone()));
                known.push(cond);
            }
        }
        for Exit { guard, effect, target, span: exit_span } in exits {
            let guard = passed.clone().and(guard);
            budget = budget.saturating_sub(arith::cond_size(&guard, budget));
            if budget == 0 {
                self.too_large.get_or_insert(span);
            }
            edges.push((Edge { guard, effect, span: exit_span }, target));
        }
        edges
    }

    /// A step with one way on; the current point moves behind it.
    pub fn advance(&mut self, what: StepKind, span: Span, pending: Pending, effect: Effect) {
        let target = self.point();
        self.step(what, span, pending, vec![Exit { guard: Cond::Literal(true), effect, target, span }]);
        self.current = target;
    }

    /// A step without effect, visible under the `tick` granularity.
    pub fn tick(&mut self, span: Span) {
        self.advance(StepKind::Skip, span, Pending::default(), Effect::SKIP);
        if let Some(step) = self.steps.last_mut() {
            step.location.tick = true;
        }
    }

    /// Where the condition holds, the run is over at the last step made: it has a loop there.
    pub fn ends_where(&mut self, cond: Cond) {
        if let Some(step) = self.steps.last_mut() {
            step.location.ends = cond;
        }
    }

    /// A step that does not go on (`Return`, `Fail`, `Stop`).
    pub fn end(&mut self, what: StepKind, span: Span, pending: Pending, effect: Effect) {
        let target = Self::EXIT;
        self.step(what, span, pending, vec![Exit { guard: Cond::Literal(true), effect, target, span }]);
        self.current = self.point();
    }

    /// A two-way step on `cond`, each way with an effect.
    pub fn split(
        &mut self,
        what: StepKind,
        span: Span,
        pending: Pending,
        cond: Cond,
        ways: [(Effect, Point); 2],
    ) {
        let [(yes_effect, yes), (no_effect, no)] = ways;
        let negated = arith::not(cond.clone());
        let exits = vec![
            Exit { guard: cond, effect: yes_effect, target: yes, span },
            Exit { guard: negated, effect: no_effect, target: no, span },
        ];
        self.step(what, span, pending, exits);
    }

    /// The return that a function without a final `return` makes; vanishes if nothing reaches it.
    pub fn implicit_return(&mut self, span: Span) {
        let mut pending = Pending::default();
        let reached = self.reachable();
        let value = self.result.clone().map(|ty| {
            if !reached {
                return arith::constant(0);
            }
            let place = self.temporary(ty, span);
            pending.inputs.push(Input { place: place.clone(), source: InputSource::Type, span });
            arith::read(place)
        });
        self.end(StepKind::Return, span, pending, Effect::Return(value));
        if let Some(step) = self.steps.last_mut() {
            step.implicit = true;
        }
    }

    /// Whether control may come from the entry to the current point.
    pub fn reachable(&self) -> bool {
        let mut seen = vec![false; self.slots.len()];
        let mut work = vec![Self::ENTRY];
        while let Some(point) = work.pop() {
            if std::mem::replace(&mut seen[point.0], true) {
                continue;
            }
            match self.slots[point.0] {
                Slot::Same(next, _) => work.push(next),
                Slot::Step(step) => {
                    let possible =
                        self.steps[step].edges.iter().filter(|(edge, _)| edge.guard != Cond::Literal(false));
                    work.extend(possible.map(|(_, target)| *target));
                }
                Slot::Open | Slot::Exit => {}
            }
        }
        seen[self.current.0]
    }

    /// The step behind a point. A cycle of names gets a `Skip` step of its own.
    fn resolve(&mut self, start: Point) -> Slot {
        let mut root = start;
        let mut hops = 0;
        while let Slot::Same(next, span) = self.slots[root.0] {
            root = next;
            hops += 1;
            if hops > self.slots.len() {
                self.skip_forever(root, span);
            }
        }
        // Shorten the chain so that long ones are walked once.
        let mut at = start;
        while let Slot::Same(next, span) = self.slots[at.0] {
            self.slots[at.0] = Slot::Same(root, span);
            at = next;
        }
        self.slots[root.0]
    }

    fn skip_forever(&mut self, at: Point, span: Span) {
        let location = Location {
            span,
            what: StepKind::Skip,
            inputs: Vec::new(),
            tick: false,
            overlapping: false,
            ends: Cond::Literal(false),
        };
        let edge = Edge { guard: Cond::Literal(true), effect: Effect::SKIP, span };
        self.slots[at.0] = Slot::Step(self.steps.len());
        self.steps.push(Step { location, edges: vec![(edge, at)], implicit: false });
    }

    /// The finished function. `end` is where its text ends (the closing brace).
    pub fn finish(mut self, end: Span) -> Function {
        let tick = self.tick.map(|point| self.resolve(point));
        let entry = self.resolve(Self::ENTRY);
        let labels: Vec<_> = std::mem::take(&mut self.labels);
        let labels: Vec<_> = labels.into_iter().map(|(name, point)| (name, self.resolve(point))).collect();
        // Resolving may add steps, so the list is walked by index.
        let mut targets: Vec<Vec<Slot>> = Vec::new();
        let mut index = 0;
        while index < self.steps.len() {
            let points: Vec<_> = self.steps[index].edges.iter().map(|(_, point)| *point).collect();
            targets.push(points.into_iter().map(|point| self.resolve(point)).collect());
            index += 1;
        }
        if let Some(Slot::Step(step)) = tick {
            self.steps[step].location.tick = true;
        }
        let named: Vec<Slot> = labels.iter().map(|(_, slot)| *slot).collect();
        let kept = self.kept(entry, &targets, &named);
        self.assemble(end, entry, targets, labels, &kept)
    }

    fn kept(&self, entry: Slot, targets: &[Vec<Slot>], named: &[Slot]) -> Vec<bool> {
        let mut kept: Vec<bool> = self.steps.iter().map(|step| !step.implicit).collect();
        for slot in targets.iter().flatten().chain(named).chain([&entry]) {
            if let Slot::Step(step) = slot {
                kept[*step] = true;
            }
        }
        kept
    }

    fn assemble(
        self,
        end: Span,
        entry: Slot,
        targets: Vec<Vec<Slot>>,
        labels: Vec<(String, Slot)>,
        kept: &[bool],
    ) -> Function {
        let mut count = 0;
        let mut numbers = Vec::with_capacity(kept.len());
        for keep in kept {
            numbers.push(count);
            count += usize::from(*keep);
        }
        let exit = NodeIndex::new(count);
        let locate = |slot: &Slot| -> LocationId {
            match slot {
                Slot::Step(step) => NodeIndex::new(numbers[*step]),
                _ => exit,
            }
        };
        let mut graph = DiGraph::default();
        let mut edges = Vec::new();
        for ((step, targets), keep) in self.steps.into_iter().zip(targets).zip(kept) {
            if *keep {
                let from = graph.add_node(step.location);
                edges.extend(
                    step.edges.into_iter().zip(targets).map(|((edge, _), target)| (from, edge, target)),
                );
            }
        }
        let last = Location {
            span: end,
            what: StepKind::End,
            inputs: Vec::new(),
            tick: false,
            overlapping: false,
            ends: Cond::Literal(false),
        };
        graph.add_node(last);
        for (from, edge, target) in edges {
            graph.add_edge(from, locate(&target), edge.into());
        }
        Function {
            name: self.name,
            locals: Arc::new(self.locals),
            parameters: self.parameters,
            result: self.result,
            graph,
            entry: locate(&entry),
            exit,
            labels: labels.into_iter().map(|(name, slot)| (name, locate(&slot))).collect(),
            views: self.views.into(),
            span: self.span,
        }
    }
}
