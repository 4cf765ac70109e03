//! Which variables are looked at together: those that the program or a property relates.
//!
//! A guard, an assignment, a call or an atom of the property relates its variables. Booleans are left to
//! partitioning, arrays to boxes.

use std::sync::Arc;

use kleene_domains::packs::{Pack, Shape};
use kleene_domains::relation::Constraint;
use kleene_domains::{Int, LinearExpr, Var};
use petgraph::unionfind::UnionFind;

use super::compile::Scope;
use super::context::Context;
use super::related::Related;
use super::relevance::Relevance;
use crate::ir::variables::{read_by_expr, read_by_input};
use crate::ir::{self, Effect, FunctionId, Initialiser, Place, Program, Type, VariableId};
use crate::precision::{Domain, Precision};
use crate::property::{Leaf, Predicate};

/// Larger packs are cut: variables of outer frames go first.
const MOST_IN_A_POLYHEDRON: usize = if cfg!(feature = "record") { 16 } else { 12 };
const MOST_IN_AN_OCTAGON: usize = 24;
/// So many variables of a program are one pack in any case.
const FEW: usize = 10;
const MOST_THRESHOLDS: usize = 24;

/// The packs of a program, before it is known in which frames its variables live.
#[derive(Clone, Debug)]
pub struct Packs {
    first_local: Vec<usize>,
    /// The pack of each variable, all variables in one numbering.
    pack: Vec<Option<usize>>,
    /// There are packs that were not asked for.
    pub left_out: bool,
}

impl Packs {
    pub fn of<'a>(
        program: &Program,
        relevance: &Relevance,
        predicates: impl Iterator<Item = &'a Predicate>,
        precision: &Precision,
    ) -> Self {
        let mut finder = Finder::new(program, relevance);
        // Boxes relate nothing.
        if precision.domain == Domain::Intervals && precision.related.is_none() {
            return finder.packs();
        }
        finder.program();
        predicates.for_each(|predicate| finder.predicate(predicate));
        finder.few();
        let mut packs = finder.packs();
        if let Some(wanted) = &precision.related {
            packs.keep(wanted);
            if precision.related_alone {
                packs.keep_alone(wanted);
            }
        }
        packs
    }

    /// Only the packs of these variables.
    fn keep(&mut self, wanted: &[(FunctionId, VariableId)]) {
        let asked =
            wanted.iter().filter_map(|(function, variable)| self.pack[self.index(*function, *variable)]);
        let asked: Vec<usize> = asked.collect();
        for pack in &mut self.pack {
            if pack.is_some_and(|pack| !asked.contains(&pack)) {
                self.left_out = true;
                *pack = None;
            }
        }
    }

    /// Of each pack only these variables.
    fn keep_alone(&mut self, wanted: &[(FunctionId, VariableId)]) {
        let own: Vec<usize> =
            wanted.iter().map(|(function, variable)| self.index(*function, *variable)).collect();
        for (index, pack) in self.pack.iter_mut().enumerate() {
            if pack.is_some() && !own.contains(&index) {
                self.left_out = true;
                *pack = None;
            }
        }
    }

    /// No two variables are related.
    pub fn is_empty(&self) -> bool {
        self.pack.iter().all(Option::is_none)
    }

    fn index(&self, function: FunctionId, variable: VariableId) -> usize {
        index(&self.first_local, function, variable)
    }
}

fn index(first_local: &[usize], function: FunctionId, variable: VariableId) -> usize {
    match variable {
        VariableId::Global(index) => index as usize,
        VariableId::Local(index) => first_local[function.0 as usize] + index as usize,
    }
}

struct Finder<'p> {
    program: &'p Program,
    first_local: Vec<usize>,
    /// Scalars that are tracked and not booleans.
    candidate: Vec<bool>,
    classes: UnionFind<usize>,
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program, relevance: &Relevance) -> Self {
        let fits = |function: FunctionId, variable: VariableId| {
            let ty = &program.variable(function, variable).ty;
            ty.slots() == 1 && *ty != Type::Bool && relevance.tracks(function, variable)
        };
        let globals = (0..program.globals.len() as u32).map(VariableId::Global);
        let mut candidate: Vec<bool> = globals.map(|variable| fits(program.entry, variable)).collect();
        let mut first_local = Vec::new();
        for (id, function) in program.functions.iter().enumerate() {
            first_local.push(candidate.len());
            let locals = (0..function.locals.len() as u32).map(VariableId::Local);
            candidate.extend(locals.map(|variable| fits(FunctionId(id as u32), variable)));
        }
        let classes = UnionFind::new(candidate.len());
        Self { program, first_local, candidate, classes }
    }

    fn program(&mut self) {
        let program = self.program;
        for initialiser in &program.initialisers {
            match initialiser {
                Initialiser::Assign(place, value) => {
                    self.assignment(program.entry, place, program.entry, value)
                }
                Initialiser::Input(input) => self.input(program.entry, input),
            }
        }
        for (id, function) in program.functions.iter().enumerate() {
            let id = FunctionId(id as u32);
            for input in function.graph.node_weights().flat_map(|location| &location.inputs) {
                self.input(id, input);
            }
            for edge in function.graph.edge_weights() {
                self.guard(id, &edge.guard);
                self.effect(id, &edge.effect);
            }
        }
    }

    fn effect(&mut self, id: FunctionId, effect: &Effect) {
        match effect {
            Effect::Assign(assignments) => {
                assignments.iter().for_each(|(place, value)| self.assignment(id, place, id, value));
            }
            Effect::Call { function: callee, arguments, result } => {
                for (index, argument) in arguments.iter().enumerate() {
                    let parameter = Place::variable(VariableId::Local(index as u32));
                    self.assignment(*callee, &parameter, id, argument);
                }
                let Some(place) = result else { return };
                for edge in self.program.function(*callee).graph.edge_weights() {
                    if let Effect::Return(Some(value)) = &edge.effect {
                        self.assignment(id, place, *callee, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn assignment(&mut self, to: FunctionId, place: &Place, from: FunctionId, value: &ir::Expr) {
        let mut related = vec![index(&self.first_local, to, place.variable)];
        read_by_expr(value, &mut |read| related.push(index(&self.first_local, from, read)));
        self.relate(related);
    }

    fn input(&mut self, function: FunctionId, input: &ir::Input) {
        let mut related = vec![index(&self.first_local, function, input.place.variable)];
        read_by_input(input, &mut |read| related.push(index(&self.first_local, function, read)));
        self.relate(related);
    }

    fn guard(&mut self, function: FunctionId, guard: &ir::Cond) {
        guard.for_each_comparison(&mut |_, left, right| {
            let mut related = Vec::new();
            for side in [left, right] {
                read_by_expr(side, &mut |read| related.push(index(&self.first_local, function, read)));
            }
            self.relate(related);
        });
    }

    fn predicate(&mut self, predicate: &Predicate) {
        predicate.for_each_comparison(&mut |_, left, right| {
            let mut related = Vec::new();
            for side in [left, right] {
                side.for_each_variable(&mut |leaf| match leaf {
                    Leaf::Global { variable, element: None } => {
                        related.push(index(
                            &self.first_local,
                            self.program.entry,
                            VariableId::Global(*variable),
                        ));
                    }
                    Leaf::Local { function, variable, element: None } => {
                        related.push(index(&self.first_local, *function, VariableId::Local(*variable)));
                    }
                    _ => {}
                });
            }
            self.relate(related);
        });
    }

    fn relate(&mut self, related: Vec<usize>) {
        let mut related = related.into_iter().filter(|index| self.candidate[*index]);
        if let Some(first) = related.next() {
            for other in related {
                self.classes.union(first, other);
            }
        }
    }

    /// Steps of one loop relate variables that no expression relates: where there are few, all are taken.
    fn few(&mut self) {
        let candidates = (0..self.candidate.len()).filter(|index| self.candidate[*index]);
        let candidates: Vec<usize> = candidates.collect();
        if candidates.len() <= FEW {
            self.relate(candidates);
        }
    }

    fn packs(self) -> Packs {
        let class = self.classes.into_labeling();
        let mut size = vec![0; class.len()];
        for (index, class) in class.iter().enumerate() {
            size[*class] += usize::from(self.candidate[index]);
        }
        let pack = class.iter().enumerate();
        let pack = pack.map(|(index, class)| (self.candidate[index] && size[*class] > 1).then_some(*class));
        Packs { first_local: self.first_local, pack: pack.collect(), left_out: false }
    }
}

/// The packs of the states of a context, `None` if there are none; and whether one was too large for its
/// domain.
pub fn shape(scope: &Scope<'_>, context: &Context, domain: Domain) -> (Option<Arc<Shape<Related>>>, bool) {
    if domain == Domain::Intervals || scope.packs.is_empty() {
        return (None, false);
    }
    let mut cut = false;
    let thresholds = thresholds(scope, context);
    let mut members: Vec<(usize, Vec<Var>)> = Vec::new();
    for (slot, pack) in slots(scope, context) {
        match members.iter_mut().find(|(known, _)| *known == pack) {
            Some((_, slots)) => slots.push(slot),
            None => members.push((pack, vec![slot])),
        }
    }
    let packs = members.into_iter().filter(|(_, slots)| slots.len() > 1).map(|(_, mut slots)| {
        let most = match domain {
            Domain::Polyhedra => MOST_IN_A_POLYHEDRON,
            _ => MOST_IN_AN_OCTAGON,
        };
        cut |= slots.len() > most;
        slots.truncate(MOST_IN_AN_OCTAGON);
        slots.sort_unstable();
        let top = match domain {
            Domain::Polyhedra if slots.len() <= MOST_IN_A_POLYHEDRON => Related::polyhedron(slots.len()),
            _ => Related::octagon(slots.len()),
        };
        Pack::new(slots, top, &thresholds)
    });
    let packs: Vec<_> = packs.collect();
    ((!packs.is_empty()).then(|| Shape::new(packs)), cut)
}

/// The slots of a context that belong to packs: globals, then frames from the innermost out.
fn slots(scope: &Scope<'_>, context: &Context) -> Vec<(Var, usize)> {
    let program = scope.program;
    let mut found = Vec::new();
    let mut add = |function: FunctionId, variable: VariableId, base: u32| {
        if let Some(pack) = scope.packs.pack[scope.packs.index(function, variable)] {
            found.push((Var(base + scope.layout.first_slot(function, variable)), pack));
        }
    };
    for global in 0..program.globals.len() as u32 {
        add(program.entry, VariableId::Global(global), 0);
    }
    for (function, base) in context.frames.iter().rev() {
        for local in 0..program.function(*function).locals.len() as u32 {
            add(*function, VariableId::Local(local), *base);
        }
    }
    found
}

/// What the function's guards compare, and one beyond.
fn thresholds(scope: &Scope<'_>, context: &Context) -> Vec<Constraint> {
    let mut found: Vec<Constraint> = Vec::new();
    let mut add = |stop: Constraint| {
        if stop.form().terms().len() > 1 && found.len() < MOST_THRESHOLDS && !found.contains(&stop) {
            found.push(stop);
        }
    };
    for location in scope.program.function(context.function).graph.node_indices() {
        for edge in scope.command(context, location).edges {
            edge.guard.for_each_comparison(&mut |op, left, right| {
                let Some((left, right)) = LinearExpr::of(left).zip(LinearExpr::of(right)) else { return };
                for op in [op, op.negated()] {
                    let compared = Constraint::compare(op, &left, &right);
                    for stop in compared.iter().flat_map(Constraint::inequalities) {
                        add(Constraint::at_least_zero(stop.form().plus(&LinearExpr::constant(Int::ONE))));
                        add(stop);
                    }
                }
            });
        }
    }
    found
}
