//! Typed bodies to guarded steps: places, explicit order of evaluation, failures, calls.
//!
//! Functions are lowered on demand, from the entry on, once per choice of their generic parameters.
//! Aggregates are taken apart into scalars (`types::Leaf`). A call passes scalars; a result of one scalar is
//! the call's, larger ones and what `&mut` parameters leave behind travel through global registers that
//! are cleared as soon as they are read.

mod anew;
mod arithmetic;
mod assertion;
mod call;
mod calls;
mod closure;
mod condition;
mod constant;
mod control;
mod driver;
mod drops;
mod ends;
mod escape;
mod expression;
mod function;
mod inhabited;
mod letters;
mod loops;
mod matching;
mod order;
mod place;
mod pointers;
mod sequence;
mod slice_table;
mod standard;
mod steps;
mod tables;
mod transmute;
mod unknown;
mod value;
mod view;

use rustc_hash::{FxHashMap, FxHashSet};

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::{Drivers, Example, Unknown, Uses};
use super::context::Context;
use super::hir::{ConstId, ExprId, FnId};
use super::infer::Typing;
use super::replay::Callable;
use super::types::{Called, ClosureId, Ty};
use crate::ir::{self, FunctionId, Initialiser, Place, Program, Variable, VariableId, VariableKind};
use crate::source::Span;

/// A function with the types of its generic parameters.
pub type Instance = (FnId, Vec<Ty>);

/// An instance by which its closures are known: types of closures say which reading of a body they are of, and a body may
/// be read again.
fn known_by(instance: &Instance) -> Rc<Instance> {
    let unread = |ty: &Ty| match ty {
        Ty::Callable(Called::Closure(id), _) => {
            let id = ClosureId { reading: 0, expr: id.expr };
            Some(Ty::Callable(Called::Closure(id), Vec::new()))
        }
        _ => None,
    };
    let arguments = instance.1.iter().map(|ty| ty.map(&mut |ty| unread(ty))).collect();
    Rc::new((instance.0, arguments))
}

/// A finished program.
pub struct Done {
    pub program: Program,
    pub entries: Vec<FunctionId>,
    pub unknown: Vec<Unknown>,
    pub too_large: Vec<Span>,
    /// Entries that take values which not everybody can make.
    pub private: Vec<FunctionId>,
    /// Entries that take more than a megabyte.
    pub large: Vec<FunctionId>,
    pub drivers: Drivers,
    pub callables: BTreeMap<FunctionId, Callable>,
    /// Entries that only code which is not seen calls: nobody knows with what.
    pub hidden: Vec<FunctionId>,
    pub examples: Vec<Example>,
}

/// Where the runs of a whole program begin.
pub struct Beginnings {
    /// With any arguments.
    pub given: Vec<FnId>,
    /// Code of others may call these, too.
    pub open: FxHashSet<FnId>,
    /// Their bodies do not count.
    pub meant: FxHashSet<FnId>,
    /// Constants may call these: with what, is computed and not looked at.
    pub constant: FxHashSet<FnId>,
    /// Operators and ends of values call these: with what, only code that makes such values says.
    pub unnamed: FxHashSet<FnId>,
    /// Whether a function that is called nowhere is looked at as if everybody could call it.
    pub uncalled_are_given: bool,
}

/// A program under construction.
pub struct ProgramLowerer<'p, 'c> {
    pub context: &'p Context<'c>,
    functions: Vec<Option<ir::Function>>,
    instances: FxHashMap<Instance, FunctionId>,
    looked_into: FxHashSet<FnId>,
    queue: Vec<(Instance, FunctionId)>,
    globals: Vec<Variable>,
    initialisers: Vec<Initialiser>,
    /// Results and `&mut` parameters on their way back, by type and number.
    registers: FxHashMap<(ir::Type, u32), Place>,
    tables: FxHashMap<(ConstId, Vec<Ty>), Option<Vec<VariableId>>>,
    /// Types of bodies without closures, and what of their locals unknown code may write.
    typed: FxHashMap<Instance, (Rc<Typing>, call::Hidden)>,
    pub unknown: Vec<Unknown>,
    /// Steps whose guards are too large to build.
    pub too_large: Vec<Span>,
    start: Span,
    /// The one entry of the program, which nobody else need call.
    alone: Option<FunctionId>,
    private: Vec<FunctionId>,
    large: Vec<FunctionId>,
    callables: BTreeMap<FunctionId, Callable>,
    calls: calls::Calls,
    /// Functions with a constant that may fail for the types in the place of their parameters: those are not compiled.
    failing: FxHashSet<FunctionId>,
    /// The function under construction.
    current: Option<FunctionId>,
    /// Closures that were made, and which of them get into unknown code.
    closures: FxHashMap<ClosureId, closure::Made<'p>>,
    escaping: FxHashSet<(Option<Rc<Instance>>, ExprId)>,
    /// A closure was lost that was thought to be known: what is under construction is wrong.
    again: bool,
    /// Tells one function under construction from the next.
    lowering: u32,
    /// Nodes that were lowered in place of calls in this function.
    inlined: usize,
}

impl<'p, 'c> ProgramLowerer<'p, 'c> {
    pub fn new(context: &'p Context<'c>, start: Span) -> Self {
        Self {
            context,
            functions: Vec::new(),
            instances: FxHashMap::default(),
            looked_into: FxHashSet::default(),
            queue: Vec::new(),
            globals: Vec::new(),
            initialisers: Vec::new(),
            registers: FxHashMap::default(),
            tables: FxHashMap::default(),
            typed: FxHashMap::default(),
            unknown: Vec::new(),
            too_large: Vec::new(),
            start,
            alone: None,
            private: Vec::new(),
            large: Vec::new(),
            callables: BTreeMap::new(),
            calls: calls::Calls::default(),
            failing: FxHashSet::default(),
            current: None,
            closures: FxHashMap::default(),
            escaping: FxHashSet::default(),
            again: false,
            lowering: 0,
            inlined: 0,
        }
    }

    /// The program that begins with a function of the file.
    pub fn program(mut self, entry: FnId) -> Done {
        let entry = self.generic_instance(entry);
        self.alone = Some(entry);
        self.work();
        self.finish(vec![entry])
    }

    /// The program of all functions: those given are entries, and so are those that none of them comes to and those
    /// that may be called in ways that are not seen.
    pub fn whole(mut self, beginnings: &Beginnings) -> Done {
        let mut entries: Vec<FunctionId> =
            beginnings.given.iter().map(|id| self.generic_instance(*id)).collect();
        self.work();
        let mut begins: FxHashSet<FnId> = beginnings.given.iter().copied().collect();
        let (mut hidden, mut uncalled) = (Vec::new(), Vec::new());
        let own: Vec<FnId> = self.context.items.own_functions().collect();
        for id in &own {
            if !self.looked_into.contains(id) {
                let entry = self.generic_instance(*id);
                entries.push(entry);
                self.work();
                begins.insert(*id);
                uncalled.push((*id, entry));
            }
        }
        self.note_locals();
        let is_given = |id: &FnId| {
            beginnings.uncalled_are_given
                && !beginnings.constant.contains(id)
                && !beginnings.unnamed.contains(id)
                && !self.calls.may_hide(self.context.items, *id)
        };
        hidden.extend(uncalled.iter().filter(|(id, _)| !is_given(id)).map(|(_, entry)| *entry));
        // What is lowered for one of them may hide a call of another.
        loop {
            let unseen = |id: &&FnId| {
                !begins.contains(id)
                    && !beginnings.meant.contains(id)
                    && (beginnings.open.contains(id) || self.calls.may_hide(self.context.items, **id))
            };
            let more: Vec<FnId> = own.iter().filter(unseen).copied().collect();
            if more.is_empty() {
                break;
            }
            for id in more {
                let entry = self.generic_instance(id);
                self.work();
                begins.insert(id);
                entries.push(entry);
                hidden.push(entry);
            }
        }
        let callable: Vec<FunctionId> =
            entries.iter().filter(|entry| !hidden.contains(entry)).copied().collect();
        let (drivers, examples) = self.driven(&callable, !beginnings.uncalled_are_given);
        // Whether they are compiled depends on what is put in the place of their parameters: examples show.
        hidden.extend(callable.iter().filter(|entry| self.failing.contains(entry)));
        let mut done = self.finish(entries);
        (done.drivers, done.hidden, done.examples) = (drivers, hidden, examples);
        done
    }

    /// The program of functions that somebody runs to show what others do.
    pub fn uses(mut self, tests: &[FnId]) -> Option<Box<Uses>> {
        let items = self.context.items;
        self.context.widen();
        let mut list: Vec<FunctionId> = tests.iter().map(|id| self.generic_instance(*id)).collect();
        self.work();
        list.retain(|test| self.compiles(*test));
        let groups = self.grouped(&list);
        let is_users = |instance: &Instance| items.is_in_use(items.function(instance.0).module);
        let own = self.instances.iter().filter(|(instance, _)| is_users(instance)).map(|(_, id)| *id);
        let mut added: Vec<FunctionId> = own.chain(groups.iter().map(|group| group.begins)).collect();
        added.sort_unstable();
        // What is not built at all is not run either.
        if !self.too_large.is_empty() || groups.is_empty() {
            return None;
        }
        let program = self.finish(groups.iter().map(|group| group.begins).collect()).program;
        Some(Box::new(Uses { program, groups, added }))
    }

    /// A function with its generic parameters standing for any type.
    fn generic_instance(&mut self, id: FnId) -> FunctionId {
        let generics = self.context.items.generics_of(self.context.items.function(id));
        let arguments = generics.iter().map(|generic| Ty::Parameter(generic.name.clone())).collect();
        self.instance((id, arguments))
    }

    /// Lowers what is called, and what that calls.
    fn work(&mut self) {
        while let Some((instance, id)) = self.queue.pop() {
            let role = if self.alone == Some(id) { function::Role::Entry } else { function::Role::Callee };
            self.current = Some(id);
            let lowered = function::lower(self, &instance, role);
            self.functions[id.0 as usize] = Some(lowered);
        }
    }

    fn finish(self, entries: Vec<FunctionId>) -> Done {
        let functions = self.functions.into_iter().map(|function| function.expect("the queue is worked off"));
        let program = Program {
            globals: self.globals,
            functions: functions.collect(),
            entry: entries.first().copied().unwrap_or(FunctionId(0)),
            initialisers: self.initialisers,
        };
        let mut unknown = self.unknown;
        unknown.sort();
        unknown.dedup();
        Done {
            program,
            unknown,
            too_large: self.too_large,
            private: self.private,
            large: self.large,
            drivers: Drivers::default(),
            callables: self.callables,
            hidden: Vec::new(),
            examples: Vec::new(),
            entries,
        }
    }

    /// The number of a function, which is lowered later.
    fn instance(&mut self, instance: Instance) -> FunctionId {
        if let Some(id) = self.instances.get(&instance) {
            return *id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(None);
        self.instances.insert(instance.clone(), id);
        self.looked_into.insert(instance.0);
        self.queue.push((instance, id));
        id
    }

    /// A global that carries a scalar from a callee to its caller.
    fn register(&mut self, ty: &ir::Type, number: u32) -> Place {
        if let Some(place) = self.registers.get(&(ty.clone(), number)) {
            return place.clone();
        }
        let name = format!("$result{}", self.registers.len());
        let variable = self.global(name, ty.clone(), VariableKind::Temporary, self.start);
        let place = Place::variable(variable);
        let zero = super::super::arith::constant(0);
        self.initialisers.push(Initialiser::Assign(place.clone(), zero));
        self.registers.insert((ty.clone(), number), place.clone());
        place
    }

    /// Counts what is made one by one.
    fn counter(&mut self, ty: &ir::Type) -> Place {
        self.register(ty, 0)
    }

    fn global(&mut self, name: String, ty: ir::Type, kind: VariableKind, span: Span) -> VariableId {
        self.globals.push(Variable { name, ty, kind, span });
        VariableId::Global(self.globals.len() as u32 - 1)
    }
}
