//! The steps of a place, exactly as `docs/semantics.md` has them, as conditions and expressions.

use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Interval, Var};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

use super::cells::{Cell, sum, total};
use super::slots::{Callers, Slots, State, kept_ranges, store};
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
    pub crossing: Crossing,
}

/// What a step has to do with summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    Nothing,
    /// It returns from one.
    Leaves,
    /// No step: from before a call into one to behind it.
    Over,
}

/// All steps of a place.
#[derive(Clone, Debug)]
pub struct Steps {
    pub list: Vec<Step>,
    /// Calls into summaries that return, each as one.
    pub over: Vec<Step>,
    /// What has to hold for the given values to be allowed.
    pub allowed: Vec<Cond>,
    /// The ranges of variables beyond the slots: values drawn, locals of new frames.
    pub fresh: Vec<Interval>,
}

impl Steps {
    /// Every step from a place; with `draws`, those that draw these values. `cells` are all there are: the
    /// callers of summaries are among them.
    pub fn of(
        slots: &Slots<'_>,
        cells: &[Cell],
        (context, at): (usize, &At),
        draws: Option<&[Drawn]>,
    ) -> Checked<Self> {
        let before = slots.contexts[context].before();
        let first = before.len();
        let made = Self { list: Vec::new(), over: Vec::new(), allowed: Vec::new(), fresh: Vec::new() };
        let mut maker = Maker { slots, cells, context, first, made };
        if slots.is_terminal(context, at) {
            maker.goes((context, at.clone()), Vec::new(), before);
            return Ok(maker.made);
        }
        let At::Location(location) = at else { return wrong("a place where runs stay has no steps") };
        let location = LocationId::new(*location);
        if location == slots.exit(context) {
            maker.leaves(&before, None, Vec::new())?;
        } else {
            maker.location(location, &before, draws)?;
        }
        Ok(maker.made)
    }
}

struct Maker<'m, 'p> {
    slots: &'m Slots<'p>,
    cells: &'m [Cell],
    context: usize,
    /// Variables from here on are fresh.
    first: usize,
    made: Steps,
}

impl Maker<'_, '_> {
    fn fresh(&mut self, range: Interval) -> Expr {
        let own = self.first + self.made.fresh.len();
        self.made.fresh.push(range);
        Expr::Variable(Var(own as u32))
    }

    fn goes(&mut self, to: (usize, At), when: Vec<Cond>, after: State) {
        self.made.list.push(Step { to: Some(to), when, after, crossing: Crossing::Nothing });
    }

    fn location(&mut self, location: LocationId, before: &State, draws: Option<&[Drawn]>) -> Checked<()> {
        let (slots, context) = (self.slots, self.context);
        let graph = &slots.program.function(slots.contexts[context].function()).graph;
        if draws.is_some() && graph[location].overlapping {
            return wrong("the steps of an overlapping location cannot be chosen by values");
        }
        let (drawn, when) = self.drawn(location, before, draws)?;
        // As written: petgraph lists the newest edge first.
        let mut edges: Vec<_> = graph.edges(location).collect();
        edges.reverse();
        for edge in edges {
            let frame = slots.frame(context, &drawn);
            let mut when = when.clone();
            when.push(frame.cond(&edge.weight().guard));
            self.perform(edge.id(), edge.target(), before, &drawn, when)?;
        }
        Ok(())
    }

    /// The state once the inputs of a location are drawn, and what holds of it.
    fn drawn(
        &mut self,
        location: LocationId,
        before: &State,
        draws: Option<&[Drawn]>,
    ) -> Checked<(State, Vec<Cond>)> {
        let graph = &self.slots.program.function(self.slots.contexts[self.context].function()).graph;
        let mut when = Vec::new();
        let mut drawn = before.clone();
        let mut given = draws.map(|draws| draws.iter());
        for input in &graph[location].inputs {
            self.draw(input, before, &mut drawn, &mut when, given.as_mut())?;
        }
        if given.is_some_and(|mut given| given.next().is_some()) {
            return wrong("more values are given than are drawn");
        }
        Ok((drawn, when))
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
        let mut looked = None;
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
            InputSource::Unseen if given.is_some() => {
                return wrong("nobody may choose a value that cannot be seen");
            }
            InputSource::Unseen => None,
            // There is nothing to choose; what the checker knows is between which bounds it is.
            InputSource::Looked(table, index) => {
                if given.is_some() {
                    return wrong("nobody may choose what stands in a table");
                }
                let index = frame.expr(index);
                let [first, last] = [0, table.values().len() as i64 - 1].map(Expr::constant);
                let inside = between(&index, &(first, last)).into_iter().fold(Cond::Literal(true), Cond::and);
                looked = Some((inside.negated(), (table.low().clone(), table.high().clone())));
                None
            }
        };
        let (places, ranges) = (frame.places(&input.place), frame.ranges(&input.place));
        for (offset, range) in ranges.into_iter().enumerate() {
            let value = match given.as_mut() {
                None => {
                    let value = self.fresh(range);
                    when.extend(bounds.iter().flat_map(|bounds| between(&value, bounds)));
                    if let Some((outside, (low, high))) = &looked {
                        let bounds = (Expr::Constant(low.clone()), Expr::Constant(high.clone()));
                        when.extend(between(&value, &bounds).map(|bound| outside.clone().or(bound)));
                    }
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
            store(drawn, &shifted(&places, offset), &value);
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
    ) -> Checked<()> {
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
            Effect::Call { .. } => self.calls(edge, drawn, when),
            Effect::Return(value) => {
                let value = value.as_ref().map(|value| frame.expr(value));
                self.leaves(drawn, value, when)?;
            }
            Effect::Fail(kind) => self.goes((context, At::Failed(kind.name().into())), when, before.clone()),
            Effect::Discard => self.goes((context, At::Discarded), when, before.clone()),
            Effect::Stop => self.goes((context, At::Stopped), when, drawn.clone()),
        }
        Ok(())
    }

    /// Into the callee, and over the call if that is summarised.
    fn calls(&mut self, edge: EdgeIndex<u32>, drawn: &State, when: Vec<Cond>) {
        let (slots, context) = (self.slots, self.context);
        let graph = &slots.program.function(slots.contexts[context].function()).graph;
        let Effect::Call { function: callee, arguments, result } = &graph[edge].effect else { return };
        let frame = slots.frame(context, drawn);
        let into = slots.callee(context, edge);
        let summary = into.is_some_and(|into| slots.is_summary(into));
        let globals = slots.layout.global_slots as usize;
        let mut after = if summary { drawn[..globals].to_vec() } else { drawn.clone() };
        let base = after.len();
        for local in slots.program.function(*callee).locals.iter() {
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
        let to = into.map(|to| (to, At::Location(entry.index())));
        self.made.list.push(Step { to, when: when.clone(), after, crossing: Crossing::Nothing });
        if !summary {
            return;
        }
        let mut behind = drawn.clone();
        for (slot, ty) in slots.contexts[context].types[..globals].iter().enumerate() {
            behind[slot] = self.fresh(ty.clone());
        }
        if let Some(place) = result {
            let places = slots.frame(context, &behind).places(place);
            let ty = slots.program.place_type(slots.contexts[context].function(), place);
            for (offset, range) in kept_ranges(ty).into_iter().enumerate() {
                let value = self.fresh(range);
                store(&mut behind, &shifted(&places, offset), &value);
            }
        }
        let Some((_, target)) = graph.edge_endpoints(edge) else { return };
        let to = Some((context, At::Location(target.index())));
        self.made.over.push(Step { to, when, after: behind, crossing: Crossing::Over });
    }

    /// Back to the caller, or to the end of the run.
    fn leaves(&mut self, state: &State, value: Option<Expr>, when: Vec<Cond>) -> Checked<()> {
        let slots = self.slots;
        match slots.contexts[self.context].callers {
            Callers::Nobody => {
                let end = At::Location(slots.exit(self.context).index());
                self.goes((self.context, end), when, state.clone());
            }
            Callers::One(caller, edge) => {
                let after = state[..slots.contexts[caller].slots()].to_vec();
                self.arrives((caller, edge), after, value.as_ref(), when, Crossing::Nothing);
            }
            Callers::Any => {
                let cells = self.cells;
                for caller in cells {
                    for edge in slots.calls(caller.context, &caller.at, self.context) {
                        self.leaves_to(caller, edge, state, value.as_ref(), &when)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// From a summary back to a state of a caller, of which nothing is known but its cell.
    fn leaves_to(
        &mut self,
        caller: &Cell,
        edge: EdgeIndex<u32>,
        state: &State,
        value: Option<&Expr>,
        when: &[Cond],
    ) -> Checked<()> {
        let (slots, context) = (self.slots, caller.context);
        let types = slots.contexts[context].types.iter().enumerate();
        let known = types.map(|(slot, ty)| caller.range(slot as u32).meet(ty).unwrap_or_else(|| ty.clone()));
        let suspended: State = known.map(|range| self.fresh(range)).collect();
        let Some((location, _)) =
            slots.program.function(slots.contexts[context].function()).graph.edge_endpoints(edge)
        else {
            return Ok(());
        };
        let fresh = std::mem::take(&mut self.made.fresh);
        let made = Steps { list: Vec::new(), over: Vec::new(), allowed: Vec::new(), fresh };
        let mut there = Maker { slots, cells: self.cells, context, first: self.first, made };
        let (mut after, called) = there.drawn(location, &suspended, None)?;
        self.made.fresh = there.made.fresh;
        let guard = &slots.program.function(slots.contexts[context].function()).graph[edge].guard;
        let mut when: Vec<Cond> = when.iter().cloned().chain(called).collect();
        when.push(slots.frame(context, &after).cond(guard));
        when.extend(caller.facts.iter().map(|fact| fact.condition(&suspended)));
        let globals = slots.layout.global_slots as usize;
        let callee = slots.contexts[self.context].function();
        for slot in 0..globals {
            if let Some(by) = slots.offsets.get(&(callee, slot)) {
                let sum = Expr::binary(BinaryOp::Add, after[slot].clone(), Expr::Constant(by.clone()));
                when.push(Cond::Compare(CompareOp::Equal, state[slot].clone(), sum));
            }
        }
        after[..globals].clone_from_slice(&state[..globals]);
        self.arrives((context, edge), after, value, when, Crossing::Leaves);
        Ok(())
    }

    /// Behind a call, in the frames it was made from; the result is yet to be stored.
    fn arrives(
        &mut self,
        (context, edge): (usize, EdgeIndex<u32>),
        mut after: State,
        value: Option<&Expr>,
        when: Vec<Cond>,
        crossing: Crossing,
    ) {
        let slots = self.slots;
        let graph = &slots.program.function(slots.contexts[context].function()).graph;
        let Some((_, target)) = graph.edge_endpoints(edge) else { return };
        if let (Effect::Call { result: Some(place), .. }, Some(value)) = (&graph[edge].effect, value) {
            let places = slots.frame(context, &after).places(place);
            store(&mut after, &places, value);
        }
        let to = Some((context, At::Location(target.index())));
        self.made.list.push(Step { to, when, after, crossing });
    }
}

fn shifted(places: &[(Cond, usize)], offset: usize) -> Vec<(Cond, usize)> {
    places.iter().map(|(cond, slot)| (cond.clone(), slot + offset)).collect()
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
