//! What a function or a global is, whatever stands around it.
//!
//! A digest of everything the intermediate representation says of it, with all that depends on its surroundings taken
//! out and listed apart: where it stands, which functions it calls, which globals it names. Every structure is taken
//! apart field by field, so that a new field is a question here and not an oversight.

use std::hash::Hash;

use petgraph::visit::EdgeRef;
use rayon::prelude::*;

use super::super::Place as Marker;
use super::super::mark::Marked;
use crate::ir::variables::{read_by_cond, read_by_expr, read_by_place};
use crate::ir::view::{Form, Record, View};
use crate::ir::{
    Cond, Edge, Effect, Expr, Function, FunctionId, Initialiser, Input, InputSource, Location, LocationId,
    Place, Projection, Variable, VariableId, VariableKind,
};
use crate::source::sink::{Digest, Sink};
use crate::source::{FileId, Span};

/// A function or a global.
pub struct Content {
    pub digest: Digest,
    /// Where something of it begins or ends, in order.
    pub positions: Vec<(FileId, u32)>,
    /// By first mention.
    pub globals: Vec<u32>,
    /// In the order of its graph, each as often as it is called.
    pub callees: Vec<FunctionId>,
}

/// The contents of all functions and of all globals.
pub fn contents(marked: &Marked) -> (Vec<Content>, Vec<Content>) {
    let program = &marked.program;
    let functions = program.functions.par_iter().enumerate();
    let functions = functions.map(|(index, function)| {
        let mut walk = Walk::new();
        walk.function(function);
        walk.marks(marked, FunctionId(index as u32), function);
        walk.content()
    });
    let mut first: Vec<Vec<&Initialiser>> = vec![Vec::new(); program.globals.len()];
    for initialiser in &program.initialisers {
        if let VariableId::Global(index) = initialiser.place().variable {
            first[index as usize].push(initialiser);
        }
    }
    let globals = program.globals.par_iter().zip(first).map(|(global, first)| {
        let mut walk = Walk::new();
        walk.global(global);
        walk.list(&first, |walk, initialiser| walk.initialiser(initialiser));
        walk.content()
    });
    (functions.collect(), globals.collect())
}

struct Walk {
    sink: Sink,
    spans: Vec<Span>,
    globals: Vec<u32>,
    callees: Vec<FunctionId>,
}

impl Walk {
    fn new() -> Self {
        Self { sink: Sink::new(), spans: Vec::new(), globals: Vec::new(), callees: Vec::new() }
    }

    /// Places count by their order alone: nobody asks how far they are apart.
    fn content(mut self) -> Content {
        let ends = |span: &Span| [(span.file, span.start), (span.file, span.end)];
        let mut positions: Vec<(FileId, u32)> = self.spans.iter().flat_map(ends).collect();
        let all = positions.clone();
        positions.sort_unstable();
        positions.dedup();
        for position in &all {
            positions.partition_point(|before| before < position).hash(&mut self.sink);
        }
        let Self { sink, globals, callees, .. } = self;
        Content { digest: sink.digest(), positions, globals, callees }
    }

    fn put(&mut self, value: impl Hash) {
        value.hash(&mut self.sink);
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.put(list.len());
        list.iter().for_each(|value| each(self, value));
    }

    fn span(&mut self, span: Span) {
        self.spans.push(span);
    }

    fn variable(&mut self, variable: &Variable) {
        let Variable { name, ty, kind, span } = variable;
        self.put((name, ty, kind));
        self.span(*span);
    }

    /// Globals that are made have names by their number, which nobody reads.
    fn global(&mut self, global: &Variable) {
        let Variable { name, ty, kind, span } = global;
        self.put((ty, kind, (*kind != VariableKind::Temporary).then_some(name)));
        self.span(*span);
    }

    fn function(&mut self, function: &Function) {
        let Function { name, locals, parameters, result, graph, entry, exit, labels, views, span } = function;
        self.put((name, parameters, result, entry, exit, labels));
        self.span(*span);
        self.list(locals, Self::variable);
        self.list(views, Self::view);
        self.put((graph.node_count(), graph.edge_count()));
        graph.node_weights().for_each(|location| self.location(location));
        for edge in graph.edge_references() {
            self.put((edge.source(), edge.target()));
            self.edge(edge.weight());
        }
    }

    /// What is asked about the function.
    fn marks(&mut self, marked: &Marked, id: FunctionId, function: &Function) {
        self.put(marked.unwritten.contains(&id));
        for index in 0..function.graph.node_count() {
            let place = Marker { function: id, location: LocationId::new(index) };
            self.put((marked.failing.contains(&place), marked.added.contains(&place)));
        }
        let own = |places: &[Marker]| places.iter().map(|place| place.location).collect::<Vec<LocationId>>();
        self.put(own(marked.places_of(id)));
        for (_, places) in marked.loops_of(&[id]) {
            self.put((places.iter().all(|place| place.function == id), own(places)));
        }
    }

    fn location(&mut self, location: &Location) {
        let Location { span, what, inputs, tick, overlapping, ends } = location;
        self.span(*span);
        self.put((what, tick, overlapping));
        self.cond(ends);
        self.list(inputs, Self::input);
    }

    fn input(&mut self, input: &Input) {
        let Input { place, source, span } = input;
        self.place(place);
        self.span(*span);
        match source {
            InputSource::Type => self.put(0u8),
            InputSource::Range(low, high) => {
                self.put(1u8);
                self.expr(low);
                self.expr(high);
            }
            InputSource::Unknown => self.put(2u8),
            InputSource::Unseen => self.put(3u8),
            InputSource::Looked(table, index) => {
                self.put(4u8);
                self.put(table);
                self.expr(index);
            }
        }
    }

    fn initialiser(&mut self, initialiser: &Initialiser) {
        match initialiser {
            Initialiser::Assign(place, value) => {
                self.put(0u8);
                self.place(place);
                self.expr(value);
            }
            Initialiser::Input(input) => {
                self.put(1u8);
                self.input(input);
            }
        }
    }

    fn edge(&mut self, edge: &Edge) {
        let Edge { guard, effect, span } = edge;
        self.cond(guard);
        self.span(*span);
        match effect {
            Effect::Assign(assignments) => {
                self.put(0u8);
                self.list(assignments, |walk, (place, value)| {
                    walk.place(place);
                    walk.expr(value);
                });
            }
            Effect::Call { function, arguments, result } => {
                self.put((1u8, result.is_some()));
                self.callees.push(*function);
                self.list(arguments, Self::expr);
                result.iter().for_each(|place| self.place(place));
            }
            Effect::Return(value) => {
                self.put((2u8, value.is_some()));
                value.iter().for_each(|value| self.expr(value));
            }
            Effect::Fail(kind) => self.put((3u8, kind)),
            Effect::Discard => self.put(4u8),
            Effect::Stop => self.put(5u8),
        }
    }

    fn view(&mut self, view: &View) {
        let View { name, span, form, when } = view;
        self.put((name, std::mem::discriminant(when)));
        self.span(*span);
        self.form(form);
    }

    fn form(&mut self, form: &Form) {
        self.put(std::mem::discriminant(form));
        match form {
            Form::Number(place) | Form::Bool(place) | Form::Char(place) => self.place(place),
            Form::Record(record) => self.record(record),
            Form::Choice { name, tag, variants } => {
                self.put(name);
                self.place(tag);
                self.list(variants, Self::record);
            }
            Form::List(elements) => self.list(elements, Self::form),
            Form::Sequence { start, length, elements, kind } => {
                self.put(std::mem::discriminant(kind));
                self.place(start);
                self.form(length);
                self.list(elements, Self::form);
            }
            Form::Hidden => {}
        }
    }

    fn record(&mut self, record: &Record) {
        let Record { name, style, fields } = record;
        self.put((name, std::mem::discriminant(style)));
        self.list(fields, |walk, (name, form)| {
            walk.put(name);
            walk.form(form);
        });
    }

    fn place(&mut self, place: &Place) {
        if !has_global(|visit| read_by_place(place, visit)) {
            return self.put(place);
        }
        let own = own_place(&mut self.globals, place);
        self.put(own);
    }

    fn expr(&mut self, expr: &Expr) {
        if !has_global(|visit| read_by_expr(expr, visit)) {
            return self.put(expr);
        }
        let globals = &mut self.globals;
        let own: Expr = expr.map(&mut |place| Expr::Variable(own_place(globals, place)));
        self.put(own);
    }

    fn cond(&mut self, cond: &Cond) {
        if !has_global(|visit| read_by_cond(cond, visit)) {
            return self.put(cond);
        }
        let globals = &mut self.globals;
        let own: Cond = cond.map(&mut |place| Expr::Variable(own_place(globals, place)));
        self.put(own);
    }
}

/// Whether something that is read names a global. Most does not, and is what it is wherever it stands.
fn has_global(read: impl FnOnce(&mut dyn FnMut(VariableId))) -> bool {
    let mut found = false;
    read(&mut |variable| found |= matches!(variable, VariableId::Global(_)));
    found
}

/// The same place, with the global by its number among those that are mentioned.
fn own_place(globals: &mut Vec<u32>, place: &Place) -> Place {
    let variable = match place.variable {
        VariableId::Global(index) => {
            let at = globals.iter().position(|known| *known == index).unwrap_or_else(|| {
                globals.push(index);
                globals.len() - 1
            });
            VariableId::Global(at as u32)
        }
        local => local,
    };
    let path = place.path.iter().map(|projection| match projection {
        Projection::Field(field) => Projection::Field(*field),
        Projection::Element(index) => {
            Projection::Element(Box::new(index.map(&mut |place| Expr::Variable(own_place(globals, place)))))
        }
    });
    Place { variable, path: path.collect() }
}
