//! What one step is, beyond the statement: ghost bits for the `change` granularity, marks for `tick`.
//!
//! `change` is an instrumentation of the program: a ghost global says whether the step that led here
//! changed a watched value. Steps it adds are never visible, so nothing is counted twice.

use std::sync::Arc;

use kleene_domains::{CompareOp, Int};

use crate::ir::{
    Cond, Edge, Effect, Expr, Function, FunctionId, Initialiser, Input, Location, LocationId, Place, Program,
    Type, Variable, VariableId, VariableKind,
};
use crate::property::{Leaf, Predicate, is_set};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Granularity {
    Statement,
    Change,
    Tick,
}

impl Granularity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Change => "change",
            Self::Tick => "tick",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Statement, Self::Change, Self::Tick].into_iter().find(|granularity| granularity.name() == name)
    }
}

/// Name of the ghost; no program can spell it.
const GHOST: &str = "(changed)";

/// The end and failures are visible whatever the granularity.
fn at_rest() -> Predicate {
    is_set(Leaf::Terminated).or(is_set(Leaf::Failed(None)))
}

/// The states at tick marks, the end and failures. `None` if the program has no mark.
pub fn visible_at_ticks(program: &Program) -> Option<Predicate> {
    let mut marks = Vec::new();
    for (id, function) in program.functions.iter().enumerate() {
        let ticks = function.graph.node_indices().filter(|at| function.graph[*at].tick);
        marks.extend(ticks.map(|at| (FunctionId(id as u32), at)));
    }
    if marks.is_empty() {
        return None;
    }
    Some(is_set(Leaf::At(marks.into())).or(at_rest()))
}

/// The program with its ghost, and the predicate of its visible states.
pub fn watch_changes(program: &Program, watched: &[Watched]) -> Result<(Program, Predicate), String> {
    let mut program = program.clone();
    let ghost = program.globals.len() as u32;
    let span = program.entry_function().span;
    program.globals.push(Variable {
        name: GHOST.into(),
        ty: Type::Bool,
        kind: VariableKind::Temporary,
        span,
    });
    let place = Place::variable(VariableId::Global(ghost));
    // The first state is visible.
    program.initialisers.push(Initialiser::Assign(place.clone(), Expr::Constant(Int::ONE)));
    for id in 0..program.functions.len() {
        let watch = Watch { watched, function: FunctionId(id as u32), ghost: &place };
        let types: Vec<Type> = program.functions[id]
            .graph
            .node_weights()
            .flat_map(|location| &location.inputs)
            .map(|input| program.place_type(FunctionId(id as u32), &input.place).clone())
            .collect();
        watch.instrument(&mut program.functions[id], types)?;
    }
    let changed = is_set(Leaf::Global { variable: ghost, element: None });
    let visible = changed.or(at_rest());
    Ok((program, visible))
}

/// A variable whose changes are steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watched {
    Global(u32),
    EntryLocal(FunctionId, u32),
}

struct Watch<'w> {
    watched: &'w [Watched],
    function: FunctionId,
    ghost: &'w Place,
}

impl Watch<'_> {
    fn watches(&self, variable: VariableId) -> bool {
        self.watched.contains(&match variable {
            VariableId::Global(index) => Watched::Global(index),
            VariableId::Local(index) => Watched::EntryLocal(self.function, index),
        })
    }

    fn set_ghost(&self, value: bool) -> (Place, Expr) {
        (self.ghost.clone(), Expr::Constant(Int::from(value)))
    }

    fn instrument(&self, function: &mut Function, input_types: Vec<Type>) -> Result<(), String> {
        let drawn = self.draw_into_temporaries(function, input_types)?;
        for edge in function.graph.edge_indices().collect::<Vec<_>>() {
            let (from, to) = function.graph.edge_endpoints(edge).expect("an edge of the graph");
            let Edge { guard, effect, span } = Edge::clone(&function.graph[edge]);
            match effect {
                Effect::Assign(mut assignments) => {
                    assignments.extend(
                        drawn
                            .iter()
                            .filter(|(at, ..)| *at == from)
                            .map(|(_, place, temporary)| (place.clone(), Expr::Variable(temporary.clone()))),
                    );
                    let changed = self.changes(&assignments);
                    let with = |value: bool| {
                        let mut all = assignments.clone();
                        all.push(self.set_ghost(value));
                        Effect::Assign(all)
                    };
                    if changed == Cond::Literal(false) {
                        function.graph[edge] = Edge { guard, effect: with(false), span }.into();
                        continue;
                    }
                    let unchanged = guard.clone().and(changed.clone().negated());
                    function.graph[edge] =
                        Edge { guard: guard.and(changed), effect: with(true), span }.into();
                    let other = Edge { guard: unchanged, effect: with(false), span };
                    function.graph.add_edge(from, to, other.into());
                }
                Effect::Call { .. } | Effect::Return(_) => {
                    let Location { span: at, what, .. } = function.graph[from];
                    let between = function.graph.add_node(Location {
                        span: at,
                        what,
                        inputs: Vec::new(),
                        tick: false,
                        overlapping: false,
                        ends: Cond::Literal(false),
                    });
                    let reset = Effect::Assign(vec![self.set_ghost(false)]);
                    function.graph.add_edge(from, between, Edge { guard, effect: reset, span }.into());
                    let always = Edge { guard: Cond::Literal(true), effect, span };
                    function.graph.add_edge(between, to, always.into());
                    Arc::make_mut(&mut function.graph[edge]).guard = Cond::Literal(false);
                }
                Effect::Fail(_) | Effect::Discard | Effect::Stop => {}
            }
        }
        function.graph.retain_edges(|graph, edge| graph[edge].guard != Cond::Literal(false));
        Ok(())
    }

    /// Inputs of watched places go through a temporary, so that the old value is there to compare with.
    fn draw_into_temporaries(
        &self,
        function: &mut Function,
        types: Vec<Type>,
    ) -> Result<Vec<(LocationId, Place, Place)>, String> {
        let mut moved = Vec::new();
        let mut types = types.into_iter();
        for at in function.graph.node_indices().collect::<Vec<_>>() {
            for input in 0..function.graph[at].inputs.len() {
                let ty = types.next().expect("one type per input");
                let Input { place, span, .. } = function.graph[at].inputs[input].clone();
                if !self.watches(place.variable) {
                    continue;
                }
                if matches!(ty, Type::Array(..) | Type::Struct(_)) {
                    return Err(
                        "a watched array is drawn as a whole: its changes cannot be told apart".into()
                    );
                }
                let temporary = Place::variable(VariableId::Local(function.locals.len() as u32));
                let name = format!("(drawn {})", function.locals.len());
                Arc::make_mut(&mut function.locals).push(Variable {
                    name,
                    ty,
                    kind: VariableKind::Temporary,
                    span,
                });
                function.graph[at].inputs[input].place = temporary.clone();
                moved.push((at, place, temporary));
            }
        }
        Ok(moved)
    }

    /// Whether a simultaneous assignment changes a watched value.
    fn changes(&self, assignments: &[(Place, Expr)]) -> Cond {
        assignments.iter().filter(|(place, _)| self.watches(place.variable)).fold(
            Cond::Literal(false),
            |any, (place, value)| {
                let old = Expr::Variable(place.clone());
                any.or(Cond::Compare(CompareOp::NotEqual, value.clone(), old))
            },
        )
    }
}
