//! A function as a program of its own: its calls are inputs between the bounds of what is answered.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use kleene_domains::numeric::NumericState;
use kleene_domains::{CompareOp, Interval, Value, Var};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashSet;

use super::{Answer, Summaries};
use crate::interpret::context::Point;
use crate::interpret::explore::Exploration;
use crate::ir::slice::{named_globals, of_functions};
use crate::ir::variables::{read_by_expr, read_by_indices, read_by_input};
use crate::ir::{
    Cond, Edge, Effect, Expr, Function, FunctionId, Graph, Initialiser, Input, InputSource, Location,
    LocationId, Place, Program, StepKind, Variable, VariableId, VariableKind,
};
use crate::source::Span;

pub struct Alone {
    pub program: Program,
    /// Where what is answered stands in a variable of its own.
    answering: Vec<LocationId>,
    answered: VariableId,
}

impl Alone {
    pub fn of(program: &Program, id: FunctionId, fixed: &[Initialiser], summaries: &Summaries) -> Self {
        let original = program.function(id);
        let answered = VariableId::Local(original.locals.len() as u32);
        let mut maker = Maker {
            named: named_globals(std::slice::from_ref(original), &[]),
            summaries,
            graph: Graph::new(),
            answering: Vec::new(),
            answered,
            exit: original.exit,
        };
        for location in original.graph.node_weights() {
            maker.graph.add_node(location.clone());
        }
        for edge in original.graph.edge_references() {
            maker.edge(edge.source(), edge.target(), edge.weight());
        }
        let mut function = Function {
            name: original.name.clone(),
            locals: original.locals.clone(),
            result: original.result.clone(),
            graph: maker.graph,
            labels: original.labels.clone(),
            views: original.views.clone(),
            ..*original
        };
        let ty = original.result.clone().unwrap_or(crate::ir::Type::Bool);
        let (name, kind) = ("$answer".to_string(), VariableKind::Temporary);
        Arc::make_mut(&mut function.locals).push(Variable { name, ty, kind, span: original.span });
        let program = of_functions(vec![function], &program.globals, fixed);
        Self { program, answering: maker.answering, answered }
    }

    /// What is answered, as the cells have it.
    pub fn answer(&self, exploration: &Exploration<'_>, reached: &FxHashSet<LocationId>) -> Answer {
        let function = self.program.entry_function();
        if !reached.contains(&function.exit) {
            return Answer::Nothing;
        }
        let plain = |location: LocationId| !self.answering.contains(&location);
        let mut arriving = function.graph.edges_directed(function.exit, petgraph::Direction::Incoming);
        let without = arriving.any(|edge| {
            let ends =
                matches!(edge.weight().effect, Effect::Assign(_) | Effect::Return(_) | Effect::Call { .. });
            ends && plain(edge.source()) && reached.contains(&edge.source())
        });
        let is_scalar = function.result.as_ref().is_some_and(|result| result.slots() == 1);
        if !is_scalar || without {
            return Answer::Anything;
        }
        let contexts = &exploration.transfer.contexts;
        let slot = exploration.transfer.scope.layout.global_slots
            + exploration.transfer.scope.layout.first_slot(FunctionId(0), self.answered);
        let mut all = Value::bottom();
        for cell in &exploration.cells {
            if let Point::At(location) = contexts.node(cell.node).point
                && self.answering.contains(&location)
            {
                all = all.join(&cell.state.get(Var(slot)));
            }
        }
        match all.hull() {
            Some(hull) if hull.low().is_finite() && hull.high().is_finite() => Answer::Between(hull),
            _ => Answer::Anything,
        }
    }
}

/// What every call starts with: of globals that a step of the program writes, a caller may have left any value. What
/// others were made of them has nothing to do with the values that they have now.
pub fn fixed(program: &Program, written: &FixedBitSet) -> Vec<Initialiser> {
    let stays = |variable: VariableId| match variable {
        VariableId::Global(index) => !written.contains(index as usize),
        VariableId::Local(_) => false,
    };
    let is_fixed = |initialiser: &&Initialiser| {
        let mut all = stays(initialiser.place().variable);
        let mut note = |variable: VariableId| all &= stays(variable);
        read_by_indices(initialiser.place(), &mut note);
        match initialiser {
            Initialiser::Assign(_, value) => read_by_expr(value, &mut note),
            Initialiser::Input(input) => read_by_input(input, &mut note),
        }
        all
    };
    program.initialisers.iter().filter(is_fixed).cloned().collect()
}

struct Maker<'a> {
    /// Nobody asks what became of the other globals.
    named: FixedBitSet,
    summaries: &'a Summaries,
    graph: Graph,
    answering: Vec<LocationId>,
    answered: VariableId,
    exit: LocationId,
}

impl Maker<'_> {
    fn edge(&mut self, from: LocationId, to: LocationId, edge: &Arc<Edge>) {
        match &edge.effect {
            Effect::Call { function, result, .. } => self.call(from, to, edge, *function, result.as_ref()),
            Effect::Return(Some(value)) => self.answer(from, edge, value),
            _ => {
                self.graph.add_edge(from, to, edge.clone());
            }
        }
    }

    fn call(
        &mut self,
        from: LocationId,
        to: LocationId,
        edge: &Edge,
        callee: FunctionId,
        result: Option<&Place>,
    ) {
        let summary = self.summaries.get(callee);
        if summary.is_some_and(|summary| matches!(summary.answer, Answer::Nothing)) {
            self.graph.add_edge(from, to, Edge { effect: Effect::Stop, ..edge.clone() }.into());
            return;
        }
        let any = |place: Place| Input { place, source: InputSource::Type, span: edge.span };
        let globals = match summary {
            Some(summary) => summary.writes.intersection(&self.named).collect::<Vec<usize>>(),
            None => self.named.ones().collect(),
        };
        let globals = globals.into_iter().map(|index| any(Place::variable(VariableId::Global(index as u32))));
        let mut inputs: Vec<Input> = globals.collect();
        if let Some(place) = result {
            let source = match summary.map(|summary| &summary.answer) {
                Some(Answer::Between(values)) => between(values),
                _ => InputSource::Type,
            };
            inputs.push(Input { place: place.clone(), source, span: edge.span });
        }
        let middle = self.graph.add_node(plain(edge.span, inputs));
        self.graph.add_edge(from, middle, Edge { effect: Effect::SKIP, ..edge.clone() }.into());
        self.graph.add_edge(
            middle,
            to,
            Edge { guard: Cond::Literal(true), effect: Effect::SKIP, span: edge.span }.into(),
        );
    }

    /// Stores what is answered, and asks a question about it so that it counts.
    fn answer(&mut self, from: LocationId, edge: &Edge, value: &Expr) {
        let place = Place::variable(self.answered);
        let answering = self.graph.add_node(plain(edge.span, Vec::new()));
        self.answering.push(answering);
        let effect = Effect::Assign(vec![(place.clone(), value.clone())]);
        self.graph.add_edge(from, answering, Edge { effect, ..edge.clone() }.into());
        for op in [CompareOp::LessEqual, CompareOp::Greater] {
            let guard = Cond::Compare(op, Expr::Variable(place.clone()), Expr::constant(0));
            let asked = Edge { guard, effect: Effect::SKIP, span: edge.span };
            self.graph.add_edge(answering, self.exit, asked.into());
        }
    }
}

fn between(values: &Interval) -> InputSource {
    match (values.low().finite(), values.high().finite()) {
        (Some(low), Some(high)) => {
            InputSource::Range(Expr::Constant(low.clone()), Expr::Constant(high.clone()))
        }
        _ => InputSource::Type,
    }
}

fn plain(span: Span, inputs: Vec<Input>) -> Location {
    Location {
        span,
        what: StepKind::Skip,
        inputs,
        tick: false,
        overlapping: false,
        ends: Cond::Literal(false),
    }
}
