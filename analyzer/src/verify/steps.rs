//! The steps of a place, exactly as `docs/semantics.md` has them, as conditions and expressions.

use kleene_domains::{Bound, CompareOp, Cond, Expr, Interval, Var};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

use super::cells::{sum, total};
use super::slots::{Slots, State, store};
use super::{Checked, wrong};
use crate::evidence::certificate::{At, Drawn};
use crate::ir::{Effect, FailKind, Input, InputSource, LocationId};

/// One way to go on from a place.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it leads; `None`: into a call that no context knows.
    pub to: Option<(usize, At)>,
    /// When it is taken, with what is drawn.
    pub when: Vec<Cond>,
    /// The state after it, over the slots before and the variables drawn.
    pub after: State,
}

/// All steps of a place.
#[derive(Clone, Debug)]
pub struct Steps {
    pub list: Vec<Step>,
    /// What has to hold for the given values to be allowed.
    pub allowed: Vec<Cond>,
    /// The ranges of variables beyond the slots: values drawn, locals of new frames.
    pub fresh: Vec<Interval>,
}

impl Steps {
    /// Every step; with `draws`, those that draw these values.
    pub fn of(slots: &Slots<'_>, context: usize, at: &At, draws: Option<&[Drawn]>) -> Checked<Self> {
        let before = slots.contexts[context].before();
        let mut maker =
            Maker { slots, context, made: Self { list: Vec::new(), allowed: Vec::new(), fresh: Vec::new() } };
        if slots.is_terminal(context, at) {
            let stays = Step { to: Some((context, at.clone())), when: Vec::new(), after: before };
            maker.made.list.push(stays);
            return Ok(maker.made);
        }
        let At::Location(location) = at else { return wrong("a place where runs stay has no steps") };
        let location = LocationId::new(*location);
        if location == slots.exit(context) {
            maker.leaves(&before, None, Vec::new());
        } else {
            maker.location(location, &before, draws)?;
        }
        Ok(maker.made)
    }
}

struct Maker<'m, 'p> {
    slots: &'m Slots<'p>,
    context: usize,
    made: Steps,
}

impl Maker<'_, '_> {
    fn fresh(&mut self, range: Interval) -> Expr {
        let own = self.slots.contexts[self.context].slots() + self.made.fresh.len();
        self.made.fresh.push(range);
        Expr::Variable(Var(own as u32))
    }

    fn goes(&mut self, to: (usize, At), when: Vec<Cond>, after: State) {
        self.made.list.push(Step { to: Some(to), when, after });
    }

    fn location(&mut self, location: LocationId, before: &State, draws: Option<&[Drawn]>) -> Checked<()> {
        let (slots, context) = (self.slots, self.context);
        let graph = &slots.program.function(slots.contexts[context].function()).graph;
        let place = &graph[location];
        let mut when = Vec::new();
        let mut drawn = before.clone();
        let mut given = draws.map(|draws| draws.iter());
        for input in &place.inputs {
            self.draw(input, before, &mut drawn, &mut when, given.as_mut())?;
        }
        if given.is_some_and(|mut given| given.next().is_some()) {
            return wrong("more values are given than are drawn");
        }
        if draws.is_some() && place.overlapping {
            return wrong("the steps of an overlapping location cannot be chosen by values");
        }
        // As written: petgraph lists the newest edge first.
        let mut edges: Vec<_> = graph.edges(location).collect();
        edges.reverse();
        for edge in edges {
            let frame = slots.frame(context, &drawn);
            let mut when = when.clone();
            when.push(frame.cond(&edge.weight().guard));
            self.perform(edge.id(), edge.target(), before, &drawn, when);
        }
        Ok(())
    }

    fn draw(
        &mut self,
        input: &Input,
        before: &State,
        drawn: &mut State,
        when: &mut Vec<Cond>,
        mut given: Option<&mut std::slice::Iter<'_, Drawn>>,
    ) -> Checked<()> {
        let (slots, context) = (self.slots, self.context);
        let frame = slots.frame(context, drawn);
        let bounds = match &input.source {
            InputSource::Type => None,
            InputSource::Range(low, high) => {
                let (low, high) = (frame.expr(low), frame.expr(high));
                let nonempty = Cond::Compare(CompareOp::LessEqual, low.clone(), high.clone());
                if given.is_some() {
                    self.made.allowed.push(nonempty.clone());
                } else {
                    let mut empty = when.clone();
                    empty.push(nonempty.clone().negated());
                    let failed = At::Failed(FailKind::EmptyRange.name().into());
                    self.goes((context, failed), empty, before.clone());
                    when.push(nonempty);
                }
                Some((low, high))
            }
            InputSource::Unknown => {
                if given.is_some() {
                    return wrong("nobody may choose a value that cannot be seen");
                }
                let failed = At::Failed(FailKind::Opaque.name().into());
                self.goes((context, failed), when.clone(), before.clone());
                self.goes((context, At::Stuck), when.clone(), before.clone());
                None
            }
        };
        let (places, ranges) = (frame.places(&input.place), frame.ranges(&input.place));
        for (offset, range) in ranges.into_iter().enumerate() {
            let value = match given.as_mut() {
                None => {
                    let value = self.fresh(range);
                    when.extend(bounds.iter().flat_map(|bounds| between(&value, bounds)));
                    value
                }
                Some(given) => {
                    let Some(value) = given.next() else {
                        return wrong("fewer values are given than are drawn");
                    };
                    let value = match value {
                        Drawn::Number(value) if !range.contains(&value.0) => {
                            return wrong(format!("{} is no value of the type that is drawn", value.0));
                        }
                        Drawn::Number(value) => Expr::Constant(value.0.clone()),
                        Drawn::Sum(form) => {
                            let (terms, constant) = sum(form);
                            if terms.iter().any(|(slot, _)| *slot as usize >= before.len()) {
                                return wrong("a value to draw is a sum of slots that do not exist");
                            }
                            let value = total(&terms, &constant, before);
                            self.made.allowed.extend(within(&value, &range));
                            value
                        }
                    };
                    self.made.allowed.extend(bounds.iter().flat_map(|bounds| between(&value, bounds)));
                    value
                }
            };
            let places: Vec<(Cond, usize)> =
                places.iter().map(|(cond, slot)| (cond.clone(), slot + offset)).collect();
            store(drawn, &places, &value);
        }
        Ok(())
    }

    fn perform(
        &mut self,
        edge: EdgeIndex<u32>,
        target: LocationId,
        before: &State,
        drawn: &State,
        when: Vec<Cond>,
    ) {
        let (slots, context) = (self.slots, self.context);
        let function = slots.contexts[context].function();
        let frame = slots.frame(context, drawn);
        match &slots.program.function(function).graph[edge].effect {
            Effect::Assign(assignments) => {
                let mut after = drawn.clone();
                for (place, value) in assignments {
                    store(&mut after, &frame.places(place), &frame.expr(value));
                }
                self.goes((context, At::Location(target.index())), when, after);
            }
            Effect::Call { function: callee, arguments, .. } => {
                let mut after = drawn.clone();
                let locals = &slots.program.function(*callee).locals;
                let base = after.len();
                for local in locals {
                    for ty in local.ty.scalars() {
                        let value = self.fresh(ty.range());
                        after.push(value);
                    }
                }
                for (index, argument) in arguments.iter().enumerate() {
                    let parameter = crate::ir::VariableId::Local(index as u32);
                    let slot = slots.layout.first_slot(*callee, parameter) as usize;
                    after[base + slot] = frame.expr(argument);
                }
                let entry = slots.program.function(*callee).entry;
                let to = slots.callee(context, edge).map(|to| (to, At::Location(entry.index())));
                self.made.list.push(Step { to, when, after });
            }
            Effect::Return(value) => {
                let value = value.as_ref().map(|value| frame.expr(value));
                self.leaves(drawn, value, when);
            }
            Effect::Fail(kind) => self.goes((context, At::Failed(kind.name().into())), when, before.clone()),
            Effect::Discard => self.goes((context, At::Discarded), when, before.clone()),
            Effect::Stop => self.goes((context, At::Stopped), when, drawn.clone()),
        }
    }

    /// Back to the caller, or to the end of the run.
    fn leaves(&mut self, state: &State, value: Option<Expr>, when: Vec<Cond>) {
        let slots = self.slots;
        let Some((caller, edge)) = slots.contexts[self.context].caller else {
            let end = At::Location(slots.exit(self.context).index());
            return self.goes((self.context, end), when, state.clone());
        };
        let mut after = state[..slots.contexts[caller].slots()].to_vec();
        let graph = &slots.program.function(slots.contexts[caller].function()).graph;
        let Some((_, target)) = graph.edge_endpoints(edge) else { return };
        if let (Effect::Call { result: Some(place), .. }, Some(value)) = (&graph[edge].effect, value) {
            let places = slots.frame(caller, &after).places(place);
            store(&mut after, &places, &value);
        }
        self.goes((caller, At::Location(target.index())), when, after);
    }
}

fn between(value: &Expr, (low, high): &(Expr, Expr)) -> [Cond; 2] {
    [
        Cond::Compare(CompareOp::LessEqual, low.clone(), value.clone()),
        Cond::Compare(CompareOp::LessEqual, value.clone(), high.clone()),
    ]
}

/// A range as conditions on an expression.
pub fn within(value: &Expr, range: &Interval) -> Vec<Cond> {
    let mut conds = Vec::new();
    if let Bound::Finite(low) = range.low() {
        conds.push(Cond::Compare(CompareOp::GreaterEqual, value.clone(), Expr::Constant(low.clone())));
    }
    if let Bound::Finite(high) = range.high() {
        conds.push(Cond::Compare(CompareOp::LessEqual, value.clone(), Expr::Constant(high.clone())));
    }
    conds
}
