//! Reads of variables that no write may have reached: a forward analysis of the finished program.
//!
//! The state is the set of variables that some path has left without a value. A declaration without
//! initialiser puts a local in, any write takes a variable out (for an array, a write of any element).
//! Globals without an initial value start in it. A call takes out what the callee writes on every way
//! to its end; inside the callee, the globals of all its call sites together are missing.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::visit::EdgeRef;

use crate::ir::{
    Effect, Expr, Function, FunctionId, Initialiser, Input, InputSource, Location, LocationId, Place,
    Program, Projection, StepKind, VariableId, VariableKind,
};
use crate::source::{Diagnostic, Span};

type Set = BTreeSet<VariableId>;

/// Variables × locations of one function that are followed at most; beyond, later ones are left out.
const WORK_LIMIT: usize = 20_000_000;

pub fn warnings(program: &Program) -> Vec<Diagnostic> {
    let mut analysis = Analysis {
        program,
        written: vec![None; program.functions.len()],
        missing: vec![None; program.functions.len()],
        reads: BTreeMap::new(),
    };
    let globals = unset_globals(program);
    if !globals.is_empty() {
        analysis.summarise(&globals);
    }
    analysis.run(globals);
    analysis
        .reads
        .into_iter()
        .map(|((function, variable), span)| {
            let name = &program.variable(function, variable).name;
            Diagnostic::warning(span, format!("`{name}` may be read before it is assigned"))
        })
        .collect()
}

fn unset_globals(program: &Program) -> Set {
    let mut globals: Set = (0..program.globals.len() as u32).map(VariableId::Global).collect();
    for initialiser in &program.initialisers {
        let place = match initialiser {
            Initialiser::Assign(place, _) => place,
            Initialiser::Input(input) => &input.place,
        };
        globals.remove(&place.variable);
    }
    globals
}

struct Analysis<'p> {
    program: &'p Program,
    /// Globals a function has written whenever it returns; `None`: it never returns, as far as known.
    written: Vec<Option<Set>>,
    /// Globals that may be missing where a function starts; `None`: never called.
    missing: Vec<Option<Set>>,
    /// First read of each variable. Globals are filed under the entry function.
    reads: BTreeMap<(FunctionId, VariableId), Span>,
}

impl Analysis<'_> {
    /// Fills `written`, from "never returns" downwards until nothing changes.
    fn summarise(&mut self, globals: &Set) {
        loop {
            let mut changed = false;
            for (index, function) in self.program.functions.iter().enumerate() {
                let at_exit = self.flow(function, globals.clone(), &mut |_, _| {}).remove(&function.exit);
                let written = at_exit.map(|missing| globals.difference(&missing).copied().collect::<Set>());
                if written != self.written[index] {
                    self.written[index] = written;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Visits the functions that are called, until no call adds a missing global.
    fn run(&mut self, globals: Set) {
        let entry = self.program.entry.0 as usize;
        self.missing[entry] = Some(globals);
        let mut work = vec![entry];
        while let Some(index) = work.pop() {
            let function = &self.program.functions[index];
            let start = self.missing[index].clone().unwrap_or_default();
            let mut calls = Vec::new();
            let states =
                self.flow(function, start, &mut |callee, missing| calls.push((callee, missing.clone())));
            self.collect(FunctionId(index as u32), function, &states);
            for (callee, missing) in calls {
                let known = &mut self.missing[callee.0 as usize];
                let larger = known.as_ref().is_none_or(|known| !missing.is_subset(known));
                if larger {
                    known.get_or_insert_default().extend(missing);
                    work.push(callee.0 as usize);
                }
            }
        }
    }

    /// Missing variables before each location that control may reach.
    fn flow(
        &self,
        function: &Function,
        start: Set,
        on_call: &mut dyn FnMut(FunctionId, &Set),
    ) -> BTreeMap<LocationId, Set> {
        let followed = WORK_LIMIT / function.graph.node_count().max(1);
        let mut states = BTreeMap::from([(function.entry, start)]);
        let mut work = BTreeSet::from([function.entry]);
        while let Some(location) = work.pop_first() {
            let mut drawn = states[&location].clone();
            draw(&function.graph[location], &mut drawn);
            while drawn.len() > followed {
                drawn.pop_last();
            }
            for edge in function.graph.edges_directed(location, Direction::Outgoing) {
                let Some(after) = self.after(&edge.weight().effect, &drawn, on_call) else { continue };
                let target = edge.target();
                match states.get_mut(&target) {
                    Some(known) if after.is_subset(known) => continue,
                    Some(known) => known.extend(after),
                    None => {
                        states.insert(target, after);
                    }
                }
                work.insert(target);
            }
        }
        states
    }

    /// The state behind an effect; `None` where it does not arrive.
    fn after(&self, effect: &Effect, before: &Set, on_call: &mut dyn FnMut(FunctionId, &Set)) -> Option<Set> {
        let mut after = before.clone();
        match effect {
            Effect::Assign(writes) => {
                for (place, _) in writes {
                    after.remove(&place.variable);
                }
            }
            Effect::Call { function, result, .. } => {
                let globals: Set =
                    before.iter().filter(|id| matches!(id, VariableId::Global(_))).copied().collect();
                on_call(*function, &globals);
                // Without globals there are no summaries, and none are needed.
                match &self.written[function.0 as usize] {
                    Some(written) => after.retain(|id| !written.contains(id)),
                    None if globals.is_empty() => {}
                    None => return None,
                }
                if let Some(place) = result {
                    after.remove(&place.variable);
                }
            }
            Effect::Return(_) => {}
            Effect::Fail(_) | Effect::Discard | Effect::Stop => return None,
        }
        Some(after)
    }

    fn collect(&mut self, id: FunctionId, function: &Function, states: &BTreeMap<LocationId, Set>) {
        for (location, missing) in states {
            let mut missing = missing.clone();
            let mut found = Set::new();
            let node = &function.graph[*location];
            for input in &node.inputs {
                if let InputSource::Range(low, high) = &input.source {
                    reads_of_expr(low, &missing, &mut found);
                    reads_of_expr(high, &missing, &mut found);
                }
                reads_of_path(&input.place, &missing, &mut found);
                draw_one(node, input, &mut missing);
            }
            for edge in function.graph.edges(*location) {
                edge.weight()
                    .guard
                    .for_each_variable(&mut |place| reads_of_place(place, &missing, &mut found));
                reads_of_effect(&edge.weight().effect, &missing, &mut found);
            }
            for variable in found {
                self.note(id, variable, node.span);
            }
        }
    }

    fn note(&mut self, function: FunctionId, variable: VariableId, span: Span) {
        if self.program.variable(function, variable).kind == VariableKind::Temporary {
            return;
        }
        let owner = if matches!(variable, VariableId::Global(_)) { self.program.entry } else { function };
        let first = self.reads.entry((owner, variable)).or_insert(span);
        *first = (*first).min(span);
    }
}

fn draw(location: &Location, missing: &mut Set) {
    for input in &location.inputs {
        draw_one(location, input, missing);
    }
}

/// A declaration's input is no value of the user's.
fn draw_one(location: &Location, input: &Input, missing: &mut Set) {
    let declared = location.what == StepKind::Declaration && matches!(input.source, InputSource::Type);
    if declared && input.place.path.is_empty() {
        missing.insert(input.place.variable);
    } else {
        missing.remove(&input.place.variable);
    }
}

fn reads_of_effect(effect: &Effect, missing: &Set, found: &mut Set) {
    match effect {
        Effect::Assign(writes) => {
            for (place, value) in writes {
                reads_of_path(place, missing, found);
                reads_of_expr(value, missing, found);
            }
        }
        Effect::Call { arguments, result, .. } => {
            arguments.iter().for_each(|argument| reads_of_expr(argument, missing, found));
            result.iter().for_each(|place| reads_of_path(place, missing, found));
        }
        Effect::Return(Some(value)) => reads_of_expr(value, missing, found),
        Effect::Return(None) | Effect::Fail(_) | Effect::Discard | Effect::Stop => {}
    }
}

fn reads_of_expr(expr: &Expr, missing: &Set, found: &mut Set) {
    expr.for_each_variable(&mut |place| reads_of_place(place, missing, found));
}

fn reads_of_place(place: &Place, missing: &Set, found: &mut Set) {
    if missing.contains(&place.variable) {
        found.insert(place.variable);
    }
    reads_of_path(place, missing, found);
}

/// Indices are read even where the place is written.
fn reads_of_path(place: &Place, missing: &Set, found: &mut Set) {
    for projection in &place.path {
        if let Projection::Element(index) = projection {
            reads_of_expr(index, missing, found);
        }
    }
}
