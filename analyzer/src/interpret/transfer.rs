//! One abstract step: from a node and a state to everything the program may do next.
//!
//! The soundness contract: every concrete step from a point of the state is covered by some move, and for
//! each part marked `must`, every point of the state has a step into one of that part's moves.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::packs::Shape;
use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Int, Interval, Value, Var, concrete};
use petgraph::graph::EdgeIndex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::State;
use super::aims::Aim;
use super::compile::{Command, Effect, Input, Scope, Source};
use super::context::{ContextId, ContextKind, Contexts, Node, NodeId, Point};
use super::draw::{Cutting, Drawn, DrawnPart, spread};
use super::offsets::Offsets;
use super::order::Order;
use super::packs;
use super::related::Related;
use super::telling::telling_slots;
use crate::concrete::{Choice, Interpreter};
use crate::ir::{FailKind, Initialiser, VariableId};
use crate::mutation::Mutation;
use crate::precision::{Precision, Split};
use crate::property::Predicate;

/// The moves of one way to draw the inputs.
#[derive(Clone, Debug)]
pub struct Part {
    /// Every point of the state can draw inputs of this part, and then takes one of its moves.
    pub must: bool,
    pub moves: Vec<(NodeId, State)>,
}

/// A guarded command whose inputs are drawn and whose guard holds.
#[derive(Clone, Debug)]
pub struct Enabled {
    pub part: usize,
    /// Index into `Command::edges`; `None` for a failure while drawing.
    pub edge: Option<usize>,
    pub state: State,
}

/// An initial cell, with a concrete initial state in it, if one was found.
#[derive(Clone, Debug)]
pub struct Initial {
    pub state: State,
    pub witness: Option<Vec<Int>>,
}

/// A call into a summary context: the caller's node, its state under the call's guard, and the call.
pub struct Caller<'a> {
    pub node: NodeId,
    pub state: &'a State,
}

pub struct Transfer<'p> {
    pub scope: Scope<'p>,
    pub contexts: Contexts,
    pub orders: Vec<Order>,
    pub precision: Precision,
    pub mutation: Option<Mutation>,
    interpreter: Interpreter<'p>,
    /// Slots of the entry's states by whose values joined states are told apart.
    telling: Vec<Var>,
    /// Input values that single runs drew from a state: cut out as parts of their own.
    pub drawn: FxHashMap<NodeId, FxHashMap<State, Vec<Vec<Int>>>>,
    /// Expressions whose values are drawn as parts of their own.
    pub aims: FxHashMap<NodeId, Rc<[Aim]>>,
    commands: FxHashMap<NodeId, Rc<Command>>,
    dead: FxHashMap<NodeId, Rc<[Var]>>,
    newly_dead: FxHashMap<(NodeId, NodeId), Rc<[Var]>>,
    shapes: FxHashMap<ContextId, Option<Arc<Shape<Related>>>>,
    /// What whole calls do to globals, once summaries ask for it.
    offsets: OnceCell<Offsets>,
    tracked_globals: OnceCell<Rc<[Var]>>,
    /// Some pack had too many variables for its domain.
    pub cut_packs: bool,
}

/// Initial states that are kept apart.
const MOST_INITIAL: usize = 400;

/// Who chooses on a single run.
pub trait Choices {
    /// One of the values, which are at least one.
    fn input(&mut self, input: &Input, values: &Value) -> Int;

    /// One of the edges that are enabled.
    fn edge(&mut self, enabled: &[usize]) -> Option<usize>;
}

impl<'p> Transfer<'p> {
    pub fn new(scope: Scope<'p>, precision: Precision) -> Self {
        let orders = scope
            .program
            .functions
            .iter()
            .map(|function| Order::of(&function.graph, function.entry))
            .collect();
        let contexts = Contexts::new(scope.program.entry, &scope.layout);
        let interpreter = Interpreter::new(scope.program);
        let telling = telling_slots(&scope, contexts.get(Contexts::ROOT).base, &precision);
        Self {
            scope,
            contexts,
            orders,
            precision,
            mutation: None,
            interpreter,
            telling,
            drawn: FxHashMap::default(),
            aims: FxHashMap::default(),
            commands: FxHashMap::default(),
            dead: FxHashMap::default(),
            newly_dead: FxHashMap::default(),
            shapes: FxHashMap::default(),
            offsets: OnceCell::new(),
            tracked_globals: OnceCell::new(),
            cut_packs: false,
        }
    }

    pub fn offsets(&self) -> &Offsets {
        self.offsets.get_or_init(|| Offsets::of(self.scope.program, &self.scope.layout))
    }

    /// Slots of a context's states by whose values joined states are told apart.
    pub fn telling_slots(&self, context: ContextId) -> impl Iterator<Item = Var> {
        let summary = self.contexts.get(context).kind == ContextKind::Summary;
        let globals = self.scope.layout.global_slots;
        self.telling.iter().copied().filter(move |slot| !summary || slot.0 < globals)
    }

    /// Brings a state into the form of a context: its dimensions and its packs.
    fn reshape(&mut self, state: &mut State, context: ContextId) {
        let (scope, at, domain) = (&self.scope, self.contexts.get(context), self.precision.domain);
        let shape = self.shapes.entry(context).or_insert_with(|| {
            let (shape, cut) = packs::shape(scope, at, domain);
            self.cut_packs |= cut;
            shape
        });
        state.reshape(at.dimensions, shape.as_ref());
    }

    pub fn entry_node(&mut self) -> NodeId {
        let location = self.scope.program.entry_function().entry;
        self.contexts.node_id(Node { context: Contexts::ROOT, point: Point::At(location) })
    }

    /// Runs stay here for ever: the end, failures, discarded runs.
    pub fn is_terminal(&self, node: NodeId) -> bool {
        let Node { context, point } = self.contexts.node(node);
        let context = self.contexts.get(context);
        match point {
            Point::At(location) => {
                context.kind == ContextKind::Root
                    && location == self.scope.program.function(context.function).exit
            }
            _ => true,
        }
    }

    /// Whether every cycle through this node's location must be cut here.
    pub fn is_widening_point(&self, node: NodeId) -> bool {
        let Node { context, point } = self.contexts.node(node);
        let Point::At(location) = point else { return false };
        let context = self.contexts.get(context);
        // Recursion closes cycles at a summary's entry and behind its calls: widen everywhere in it.
        context.kind == ContextKind::Summary
            || self.orders[context.function.0 as usize].is_head[location.index()]
    }

    pub fn command(&mut self, node: NodeId) -> Option<Rc<Command>> {
        if let Some(known) = self.commands.get(&node) {
            return Some(known.clone());
        }
        let Node { context, point } = self.contexts.node(node);
        let Point::At(location) = point else { return None };
        let command = Rc::new(self.scope.command(self.contexts.get(context), location));
        self.commands.insert(node, command.clone());
        Some(command)
    }

    /// The command of a node that was visited before.
    pub fn known_command(&self, node: NodeId) -> Option<Rc<Command>> {
        self.commands.get(&node).cloned()
    }

    /// Where a return from an exact context puts its result, in the slots of the caller; `None` if the call was
    /// never looked at.
    pub fn stored_by_return(&self, context: ContextId) -> Option<Vec<Var>> {
        let ContextKind::Exact { caller, edge } = self.contexts.get(context).kind else { return None };
        let graph = &self.scope.program.function(self.contexts.get(caller).function).graph;
        let (location, _) = graph.edge_endpoints(edge)?;
        let call = self.contexts.known_node(Node { context: caller, point: Point::At(location) })?;
        let command = self.known_command(call)?;
        let call = command.edges.iter().find(|compiled| compiled.id == edge)?;
        match &call.effect {
            Effect::Call { result, .. } => Some(result.clone()),
            _ => None,
        }
    }

    /// The states at the start of every run: the entry's, cut where it helps.
    pub fn initial(&mut self, assume: Option<&Cond>) -> Vec<State> {
        let program = self.scope.program;
        let root = self.contexts.get(Contexts::ROOT).clone();
        let mut anything = State::top(root.dimensions);
        self.reshape(&mut anything, Contexts::ROOT);
        let mut states = vec![anything];
        let mut set_by_initialiser = vec![false; program.globals.len()];
        for initialiser in &program.initialisers {
            if let VariableId::Global(index) = initialiser.place().variable {
                set_by_initialiser[index as usize] = true;
            }
        }
        let globals = (0..program.globals.len() as u32).map(VariableId::Global);
        let locals = (0..program.entry_function().locals.len() as u32).map(VariableId::Local);
        for variable in globals.chain(locals) {
            if !self.scope.relevance.tracks(program.entry, variable) {
                continue;
            }
            let declared = program.variable(program.entry, variable);
            let split = declared.ty.slots() == 1
                && match variable {
                    VariableId::Global(index) => !set_by_initialiser[index as usize],
                    VariableId::Local(local) => self.scope.relevance.is_live(
                        program.entry,
                        program.entry_function().entry.index(),
                        local,
                    ),
                };
            let slot = self.scope.layout.first_slot(program.entry, variable)
                + if matches!(variable, VariableId::Local(_)) { root.base } else { 0 };
            for (offset, ty) in declared.ty.scalars().into_iter().enumerate() {
                let cuts = split && self.cuts_start(Var(slot + offset as u32));
                let parts = if cuts && states.len() < self.precision.input_parts.max(4) {
                    let cuts = self.scope.cuts.of_variable(program.entry, variable);
                    self.parts_of(&ty.any_value(), cuts, Cutting::Parts(&[]))
                } else {
                    vec![ty.any_value()]
                };
                states = spread(states, Var(slot + offset as u32), &parts);
            }
        }
        for initialiser in self.scope.program.initialisers.clone() {
            states = self.run_initialiser(&initialiser, states);
        }
        let node = self.entry_node();
        for state in &mut states {
            if let Some(assume) = assume {
                state.assume(assume);
            }
            self.normalise(node, state);
        }
        states.retain(|state| !state.is_bottom());
        self.enumerated(states, assume)
    }

    /// Whether parts of a slot's initial values make a difference.
    fn cuts_start(&self, slot: Var) -> bool {
        self.precision.cuts_start || self.telling.contains(&slot)
    }

    /// Initial values of which there are few, one by one.
    fn enumerated(&self, mut states: Vec<State>, assume: Option<&Cond>) -> Vec<State> {
        let limit = self.precision.enumerated_inputs;
        let few = |value: &Value| value.size().is_some_and(|size| size > 1 && size <= limit as u64);
        for slot in self.tracked_slots().into_iter().filter(|slot| self.cuts_start(*slot)) {
            if !states.iter().any(|state| few(&state.get(slot))) {
                continue;
            }
            let values = |state: &State| self.parts_of(&state.get(slot), &[], Cutting::Parts(&[]));
            let parts: usize = states.iter().map(|state| values(state).len()).sum();
            if parts <= MOST_INITIAL {
                states = states
                    .iter()
                    .flat_map(|state| spread(vec![state.clone()], slot, &values(state)))
                    .collect();
                if let Some(assume) = assume {
                    states.iter_mut().for_each(|state| state.assume(assume));
                    states.retain(|state| !state.is_bottom());
                }
            }
        }
        states
    }

    /// A concrete initial state inside an abstract one, as a point: the program's own initialisers are run on
    /// the values that `pick` proposes, so that relations a box does not see are kept.
    pub fn initial_point(
        &self,
        state: &State,
        assume: Option<&Cond>,
        pick: &mut dyn FnMut(&Value) -> Option<Int>,
    ) -> Option<Vec<Int>> {
        let slots = 0..state.dimensions() as u32;
        let mut wanted = slots.map(|slot| pick(&state.get(Var(slot)))).collect::<Option<Vec<Int>>>()?;
        let locals = wanted.split_off(self.scope.layout.global_slots as usize);
        let globals = wanted.clone();
        let initial = self.interpreter.initial(globals, locals, &mut |choice: &Choice<'_>| {
            let value = &wanted[choice.slot as usize];
            Some(choice.nearest(value))
        });
        let initial = initial.ok()?;
        let mut point = initial.globals.to_vec();
        point.extend(initial.frames.first()?.locals.iter().cloned());
        let assumed = assume.is_none_or(|assume| {
            let truth = concrete::holds(assume, &mut |var: &Var| point[var.0 as usize].clone());
            truth == Some(true)
        });
        (assumed && state.contains(&point)).then_some(point)
    }

    /// The slots of the entry's states that hold tracked values.
    pub fn tracked_slots(&self) -> Vec<Var> {
        let program = self.scope.program;
        let base = self.contexts.get(Contexts::ROOT).base;
        let globals = (0..program.globals.len() as u32).map(|index| (VariableId::Global(index), 0));
        let locals = 0..program.entry_function().locals.len() as u32;
        let locals = locals.map(|index| (VariableId::Local(index), base));
        let tracked = globals.chain(locals).filter(|(id, _)| self.scope.relevance.tracks(program.entry, *id));
        let slots = tracked.flat_map(|(id, base)| {
            let first = base + self.scope.layout.first_slot(program.entry, id);
            (first..first + program.variable(program.entry, id).ty.slots() as u32).map(Var)
        });
        slots.collect()
    }

    fn run_initialiser(&mut self, initialiser: &Initialiser, states: Vec<State>) -> Vec<State> {
        let root = self.contexts.get(Contexts::ROOT).clone();
        match initialiser {
            Initialiser::Assign(place, value) => {
                let assignments = self.scope.assignment(&root, place, value);
                let assign = |mut state: State| {
                    assign_all(&mut state, &assignments);
                    state
                };
                states.into_iter().map(assign).collect()
            }
            Initialiser::Input(input) => {
                let input = self.scope.input(&root, input);
                let many = states.len() >= MOST_INITIAL;
                let cutting = if many { Cutting::Whole } else { Cutting::Parts(&[]) };
                let drawn = |state: State| {
                    let parts = self.draw(&input, Drawn::nothing_yet(state), cutting);
                    parts.into_iter().filter_map(|part| match part {
                        DrawnPart::Value(drawn) => Some(drawn.state),
                        DrawnPart::EmptyRange(_) => None,
                    })
                };
                states.into_iter().flat_map(drawn).collect()
            }
        }
    }

    /// A predicate on the states of a node.
    pub fn predicate(&self, predicate: &Predicate, node: NodeId) -> Cond {
        let Node { context, point } = self.contexts.node(node);
        self.scope.predicate(predicate, self.contexts.get(context), point)
    }

    /// Those of the splits that speak of a node's location only, as conditions on its states.
    pub fn local_conditions(&self, node: NodeId, splits: &[Split]) -> Vec<Cond> {
        let Node { context, point } = self.contexts.node(node);
        let Point::At(location) = point else { return Vec::new() };
        let here = (self.contexts.get(context).function, location);
        let own = splits.iter().filter(|split| split.at == Some(here));
        own.map(|split| self.predicate(&split.predicate, node)).collect()
    }

    /// Everything that may happen next. `callers` answers who called a summary context.
    pub fn step<'a>(
        &mut self,
        node: NodeId,
        state: &State,
        callers: &mut dyn FnMut(ContextId) -> Vec<Caller<'a>>,
    ) -> Vec<Part> {
        if self.is_terminal(node) {
            return vec![Part { must: true, moves: vec![(node, state.clone())] }];
        }
        let command = self.command(node).expect("a node that is not terminal has a command");
        if command.edges.is_empty() {
            return vec![Part { must: true, moves: self.leave(node, state, None, callers) }];
        }
        let has_unknown = command.inputs.iter().any(|input| matches!(input.source, Source::Unknown));
        let drawn = self.drawn.get(&node).and_then(|states| states.get(state)).cloned().unwrap_or_default();
        let aims = self.aims.get(&node).cloned().unwrap_or_default();
        let (musts, enabled) = self.enabled(&command, state, &drawn, &aims);
        let mut parts: Vec<Part> = musts.into_iter().map(|must| Part { must, moves: Vec::new() }).collect();
        for Enabled { part, edge, state: guarded } in enabled {
            let moves = match edge {
                None => vec![(self.sibling(node, Point::Failed(FailKind::EmptyRange)), guarded)],
                Some(edge) => self.perform(node, &command, edge, guarded, callers),
            };
            parts[part].moves.extend(moves);
        }
        if has_unknown {
            for point in [Point::Failed(FailKind::Opaque), Point::Stuck] {
                let to = self.sibling(node, point);
                parts.push(Part { must: false, moves: vec![(to, state.clone())] });
            }
        }
        parts.retain(|part| !part.moves.is_empty());
        parts
    }

    /// The step of a single state under choices; `None` if it is not a single step.
    pub fn step_of_point(
        &mut self,
        node: NodeId,
        state: &State,
        choices: &mut dyn Choices,
    ) -> Option<(NodeId, State, Vec<Int>)> {
        if self.is_terminal(node) {
            return None;
        }
        let command = self.command(node)?;
        let mut drawn = state.clone();
        let mut chosen = Vec::new();
        for input in &command.inputs {
            let Some((_, all)) = input.targets.first() else {
                if input.source.is_given() && !matches!(input.source, Source::Looked(..)) {
                    return None;
                }
                chosen.push(Int::ZERO);
                continue;
            };
            if let Source::Looked(table, index) = &input.source {
                let value = table.at(drawn.value(index).as_constant()?);
                input.targets.iter().for_each(|(slot, _)| drawn.set(*slot, Value::constant(value.clone())));
                chosen.push(value);
                continue;
            }
            let values = match &input.source {
                Source::Unknown | Source::Unseen | Source::Looked(..) => return None,
                Source::Type => all.clone(),
                Source::Range(low, high) => {
                    let (low, high) = (drawn.value(low), drawn.value(high));
                    let (low, high) = (low.as_constant()?.clone(), high.as_constant()?.clone());
                    Value::from_interval(Interval::finite(low, high)?).meet(all)
                }
            };
            // All elements of an array get the same value.
            let value = choices.input(input, &values);
            input.targets.iter().for_each(|(slot, _)| drawn.set(*slot, Value::constant(value.clone())));
            chosen.push(value);
        }
        if command.edges.is_empty() {
            let moves = self.leave(node, &drawn, None, &mut |_| Vec::new());
            let [(to, state)] = <[_; 1]>::try_from(moves).ok()?;
            return Some((to, state, chosen));
        }
        let enabled = |edge: &usize| drawn.decide(&command.edges[*edge].guard) == Some(true);
        let edge = match command.overlapping {
            false => (0..command.edges.len()).find(enabled)?,
            true => {
                let enabled: Vec<usize> = (0..command.edges.len()).filter(enabled).collect();
                choices.edge(&enabled)?
            }
        };
        let moves = self.perform(node, &command, edge, drawn, &mut |_| Vec::new());
        let [(to, state)] = <[_; 1]>::try_from(moves).ok()?;
        Some((to, state, chosen))
    }

    pub(super) fn sibling(&mut self, node: NodeId, point: Point) -> NodeId {
        let context = self.contexts.node(node).context;
        self.contexts.node_id(Node { context, point })
    }

    fn perform<'a>(
        &mut self,
        node: NodeId,
        command: &Command,
        edge: usize,
        mut state: State,
        callers: &mut dyn FnMut(ContextId) -> Vec<Caller<'a>>,
    ) -> Vec<(NodeId, State)> {
        let edge = &command.edges[edge];
        let to = match &edge.effect {
            Effect::Assign(assignments) => {
                assign_all(&mut state, assignments);
                self.sibling(node, Point::At(edge.target))
            }
            Effect::Call { .. } => return vec![self.call(node, edge, state)],
            Effect::Return(value) => return self.leave(node, &state, value.as_ref(), callers),
            // Inputs of a location that can fail are drawn into temporaries, which nobody sees.
            Effect::Fail(kind) => self.sibling(node, Point::Failed(*kind)),
            Effect::Discard => self.sibling(node, Point::Discarded),
            Effect::Stop => self.sibling(node, Point::Stopped),
        };
        if state.is_bottom() {
            return Vec::new();
        }
        match edge.effect {
            Effect::Assign(_) => state.forget_all(&self.newly_dead(node, to, command)),
            _ => self.normalise(to, &mut state),
        }
        vec![(to, state)]
    }

    fn call(&mut self, node: NodeId, edge: &super::compile::Edge, state: State) -> (NodeId, State) {
        let Effect::Call { function, arguments, forgotten, .. } = &edge.effect else {
            unreachable!("only calls arrive here")
        };
        let Node { context: caller, point } = self.contexts.node(node);
        let Point::At(location) = point else { unreachable!("a call stands at a location") };
        let owner = self.contexts.get(caller).function;
        let position = self.orders[owner.0 as usize].position[location.index()];
        let context =
            self.contexts.enter(caller, edge.id, *function, position, &self.scope.layout, &self.precision);
        let callee = self.contexts.get(context);
        let (base, summary) = (callee.base, callee.kind == ContextKind::Summary);
        let mut next = state;
        if summary {
            let values: Vec<_> = arguments.iter().map(|(slot, value)| (*slot, next.value(value))).collect();
            next.resize(self.scope.layout.global_slots as usize);
            self.reshape(&mut next, context);
            self.enter_frame(*function, base, &mut next);
            values.into_iter().for_each(|(slot, value)| next.set(Var(base + slot.0), value));
        } else {
            self.reshape(&mut next, context);
            self.enter_frame(*function, base, &mut next);
            arguments.iter().for_each(|(slot, value)| next.assign(Var(base + slot.0), value));
            forgotten.iter().for_each(|slot| next.forget(*slot));
        }
        let entry = self.scope.program.function(*function).entry;
        let to = self.contexts.node_id(Node { context, point: Point::At(entry) });
        self.normalise(to, &mut next);
        (to, next)
    }

    /// Locals of a new frame hold any value of their type.
    fn enter_frame(&self, function: crate::ir::FunctionId, base: u32, state: &mut State) {
        let entered = self.scope.program.function(function);
        for (index, local) in entered.locals.iter().enumerate() {
            let variable = VariableId::Local(index as u32);
            // Of what is written before it is read, nobody asks what it was.
            let is_read = self.scope.relevance.is_live(function, entered.entry.index(), index as u32);
            if !self.scope.relevance.tracks(function, variable) || !is_read {
                continue;
            }
            let first = base + self.scope.layout.first_slot(function, variable);
            for (offset, ty) in local.ty.scalars().into_iter().enumerate() {
                state.set(Var(first + offset as u32), ty.any_value());
            }
        }
    }

    fn leave<'a>(
        &mut self,
        node: NodeId,
        state: &State,
        value: Option<&Expr>,
        callers: &mut dyn FnMut(ContextId) -> Vec<Caller<'a>>,
    ) -> Vec<(NodeId, State)> {
        let context = self.contexts.node(node).context;
        let function = self.contexts.get(context).function;
        match self.contexts.get(context).kind {
            ContextKind::Root => {
                let exit = self.scope.program.function(function).exit;
                let to = self.sibling(node, Point::At(exit));
                let mut state = state.clone();
                self.normalise(to, &mut state);
                vec![(to, state)]
            }
            ContextKind::Exact { caller, edge } => {
                let graph = &self.scope.program.function(self.contexts.get(caller).function).graph;
                let location = graph.edge_endpoints(edge).expect("the call's edge").0;
                let call = self.contexts.node_id(Node { context: caller, point: Point::At(location) });
                // The result is stored while the callee's frame is still there.
                let stored = self.result_slots(call, edge);
                let mut state = state.clone();
                match (stored.as_slice(), value) {
                    ([slot], Some(value)) => state.assign(*slot, value),
                    (slots, _) => slots.iter().for_each(|slot| state.forget(*slot)),
                }
                if state.is_bottom() {
                    return Vec::new();
                }
                self.reshape(&mut state, caller);
                vec![self.arrive(call, edge, state)]
            }
            ContextKind::Summary => {
                let value = value.map(|value| state.value(value));
                let mut moves = Vec::new();
                for caller in callers(context) {
                    moves.extend(self.return_to(caller, function, state, value.as_ref()));
                }
                moves
            }
        }
    }

    /// A summary's return to one caller: the caller's frames, the callee's globals.
    fn return_to(
        &mut self,
        caller: Caller<'_>,
        callee: crate::ir::FunctionId,
        state: &State,
        value: Option<&Value>,
    ) -> Vec<(NodeId, State)> {
        let command = self.command(caller.node).expect("a caller stands at a location");
        let (_, enabled) = self.enabled(&command, caller.state, &[], &[]);
        let mut moves = Vec::new();
        for Enabled { edge, state: mut before, .. } in enabled {
            let Some(edge) = edge.map(|edge| &command.edges[edge]) else { continue };
            let Effect::Call { function, forgotten, .. } = &edge.effect else { continue };
            if *function != callee {
                continue;
            }
            forgotten.iter().for_each(|slot| before.forget(*slot));
            for slot in self.tracked_globals().iter() {
                self.returned(callee, *slot, state, &mut before);
            }
            match (self.result_slots(caller.node, edge.id).as_slice(), value) {
                ([slot], Some(value)) => before.set(*slot, value.clone()),
                (slots, _) => slots.iter().for_each(|slot| before.forget(*slot)),
            }
            if !before.is_bottom() {
                moves.push(self.arrive(caller.node, edge.id, before));
            }
        }
        moves
    }

    /// The slots of globals that are tracked: nothing is known of the others.
    fn tracked_globals(&mut self) -> Rc<[Var]> {
        let scope = &self.scope;
        let all = self.tracked_globals.get_or_init(|| {
            let globals = (0..scope.program.globals.len() as u32).map(VariableId::Global);
            let tracked = globals.filter(|id| scope.relevance.tracks(scope.program.entry, *id));
            let slots = tracked.flat_map(|id| {
                let first = scope.layout.first_slot(scope.program.entry, id);
                let count = scope.program.variable(scope.program.entry, id).ty.slots() as u32;
                (first..first + count).map(Var)
            });
            slots.collect()
        });
        all.clone()
    }

    /// A global behind a call: what the callee left in it, which may be what it was before plus a constant.
    fn returned(&self, callee: crate::ir::FunctionId, slot: Var, state: &State, before: &mut State) {
        let Some(by) = self.offsets().over(self.scope.program, callee, slot.0) else {
            return before.set(slot, state.get(slot));
        };
        // Most calls leave most globals alone, and know no more of them than their callers.
        if by.is_zero() && before.is_within(state, slot) {
            return;
        }
        let (own, value) = (Expr::Variable(slot), state.get(slot));
        before.assign(slot, &Expr::binary(BinaryOp::Add, own.clone(), Expr::Constant(by.clone())));
        let met = before.get(slot).meet(&value);
        if met.is_bottom() {
            return before.assume(&Cond::Literal(false));
        }
        // Relations are kept where bounds say everything.
        if value.hull().map(Value::from_interval).as_ref() != Some(&value) {
            return before.set(slot, met);
        }
        let bound = |op: CompareOp, bound: Bound| {
            let bound = Expr::Constant(bound.finite()?.clone());
            Some(Cond::Compare(op, own.clone(), bound))
        };
        let low = bound(CompareOp::GreaterEqual, value.low());
        low.into_iter()
            .chain(bound(CompareOp::LessEqual, value.high()))
            .for_each(|cond| before.assume(&cond));
    }

    fn called(&mut self, call: NodeId, edge: EdgeIndex<u32>) -> (Rc<Command>, usize) {
        let command = self.command(call).expect("a call stands at a location");
        let at = command.edges.iter().position(|compiled| compiled.id == edge).expect("the call's edge");
        (command, at)
    }

    /// Where a call's result goes, in the slots of the caller.
    fn result_slots(&mut self, call: NodeId, edge: EdgeIndex<u32>) -> Vec<Var> {
        let (command, at) = self.called(call, edge);
        match &command.edges[at].effect {
            Effect::Call { result, .. } => result.clone(),
            _ => Vec::new(),
        }
    }

    /// Behind a call, its result stored: what is dead is forgotten.
    fn arrive(&mut self, call: NodeId, edge: EdgeIndex<u32>, mut state: State) -> (NodeId, State) {
        let (command, at) = self.called(call, edge);
        let to = self.sibling(call, Point::At(command.edges[at].target));
        self.normalise(to, &mut state);
        (to, state)
    }

    /// Forgets what nobody reads any more, so that equal futures have equal states.
    pub fn normalise(&mut self, node: NodeId, state: &mut State) {
        state.forget_all(&self.dead_slots(node));
    }

    /// What nobody reads any more behind a step inside a function: what was dead before it is forgotten already.
    fn newly_dead(&mut self, from: NodeId, to: NodeId, command: &Command) -> Rc<[Var]> {
        if let Some(dead) = self.newly_dead.get(&(from, to)) {
            return dead.clone();
        }
        let Node { context, point } = self.contexts.node(to);
        let (context, before) = (self.contexts.get(context), self.contexts.node(from).point);
        let (Point::At(before), Point::At(after)) = (before, point) else { return self.dead_slots(to) };
        let mut written: Vec<Var> = command.drawn().collect();
        for edge in &command.edges {
            if let Effect::Assign(assignments) = &edge.effect {
                written.extend(assignments.iter().map(|(slot, _)| *slot));
            }
        }
        written.sort_unstable();
        let dead: Rc<[Var]> = self.scope.newly_dead_slots(context, before, after, &written).into();
        self.newly_dead.insert((from, to), dead.clone());
        dead
    }

    /// What nobody reads any more, in the frames of the callers too.
    pub fn dead_slots(&mut self, node: NodeId) -> Rc<[Var]> {
        if let Some(dead) = self.dead.get(&node) {
            return dead.clone();
        }
        let Node { context, point } = self.contexts.node(node);
        let context = self.contexts.get(context);
        let location = match point {
            Point::At(location) => location,
            _ => self.scope.program.function(context.function).exit,
        };
        let mut dead = self.scope.dead_slots(context, location);
        if let ContextKind::Exact { caller, edge } = context.kind {
            let graph = &self.scope.program.function(self.contexts.get(caller).function).graph;
            let location = graph.edge_endpoints(edge).expect("the call's edge").0;
            let call = self.contexts.node_id(Node { context: caller, point: Point::At(location) });
            let (command, at) = self.called(call, edge);
            if let Effect::Call { forgotten, .. } = &command.edges[at].effect {
                dead.extend(forgotten);
            }
            dead.extend(self.dead_slots(call).iter());
        }
        let dead: Rc<[Var]> = dead.into();
        self.dead.insert(node, dead.clone());
        dead
    }
}

/// Simultaneous assignment: one after the other as long as nobody reads what is written, which keeps
/// relations; the rest at once.
fn assign_all(state: &mut State, assignments: &[(Var, Expr)]) {
    if let [(slot, value)] = assignments {
        return state.assign(*slot, value);
    }
    let reads = |(_, value): &(Var, Expr)| {
        let mut read: SmallVec<[Var; 4]> = SmallVec::new();
        value.for_each_variable(&mut |slot| read.push(*slot));
        read
    };
    let mut written: SmallVec<[Var; 8]> = assignments.iter().map(|(slot, _)| *slot).collect();
    written.sort_unstable();
    let reads_written = |(own, value): &(Var, Expr)| {
        let mut found = false;
        value.for_each_variable(&mut |slot| found |= slot != own && written.binary_search(slot).is_ok());
        found
    };
    // Most of what is stored together are elements or fields of one value.
    if written.windows(2).all(|pair| pair[0] != pair[1]) && !assignments.iter().any(reads_written) {
        return assignments.iter().for_each(|(slot, value)| state.assign(*slot, value));
    }
    let mut left: Vec<_> = assignments.iter().map(|assignment| (assignment, reads(assignment))).collect();
    while let Some(next) = left.iter().position(|((slot, _), _)| {
        left.iter().all(|((other, _), reads)| other == slot || !reads.contains(slot))
            && left.iter().filter(|((other, _), _)| other == slot).count() == 1
    }) {
        let ((slot, value), _) = left.remove(next);
        state.assign(*slot, value);
    }
    let values: Vec<_> = left.into_iter().map(|((slot, value), _)| (*slot, state.value(value))).collect();
    values.into_iter().for_each(|(slot, value)| state.set(slot, value));
}
