//! Runs of tests and examples, followed expression by expression on whole values.
//!
//! Nothing is executed: bodies are trees (`hir`) whose types are known (`infer`), and what they do is carried out on values
//! of our own. Borrows are places, so that nothing is lost which is written through one, and lists are as long as they are.
//! The standard library is our own text of it, which is followed like any other; what that calls unseen is unseen here, and a
//! run ends where it depends on such a value, or comes to something that is not understood. Up to there it is the run that
//! Rust would make. It shows where runs come to, and nothing else (`marks`).

mod atomics;
mod call;
mod callers;
mod compare;
mod control;
mod either;
mod ends;
mod evaluate;
mod fit;
mod hashes;
mod integer;
mod marks;
mod native;
mod natives;
mod number;
mod operator;
mod pattern;
mod place;
mod sequence;
<<<<<<< HEAD
mod show;
=======
mod sizes;
>>>>>>> coverage
mod source;
mod standard;
mod tables;
mod value;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::marks::Marks;
use self::natives::Natives;
use self::show::Shows;
use self::value::{Memory, Place, Value};
use super::context::{BodyOf, Context};
use super::hir::{Body, ConstId, ExprId, FnId, LocalId, PatId};
use super::infer::Typing;
use super::items::ConstantKind;
use super::types::Ty;
use crate::frontend::Passed;

/// Why a run is not followed any further.
pub type Stop = &'static str;

/// How an expression is left other than with a value.
#[derive(Debug)]
pub enum Flow {
    Break(ExprId, Value),
    Continue(ExprId),
    Return(Value),
    /// It fails: there the run ends.
    Panic,
    Stop(Stop),
}

impl From<Stop> for Flow {
    fn from(reason: Stop) -> Self {
        Self::Stop(reason)
    }
}

pub type Flowing<T> = Result<T, Flow>;

/// Whose body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    Function(FnId),
    Constant(ConstId),
}

/// A body on the way.
pub struct Frame<'f> {
    code: Code,
    body: &'f Body,
    typing: Rc<Typing>,
    /// The slot of each local that is there.
    locals: Vec<Option<u32>>,
    result: Ty,
    /// Where its nodes are among those that are marked.
    marks: Option<usize>,
    /// It is our own text of std, which does not say where values end.
    standard: bool,
    /// What has something to do at its end, the last first.
    owned: Vec<Owned>,
    /// A block at whose end everything ends that it made on the way.
    ending: Option<ExprId>,
}

/// A value that ends with a scope.
#[derive(Debug)]
struct Owned {
    slot: u32,
    ty: Ty,
    /// A local has it; otherwise it has no name and ends with its statement.
    named: bool,
}

pub struct Follower<'f, 'c> {
    context: &'f Context<'c>,
    memory: Memory,
    marks: Marks,
    /// Above 0: what is passed does not count.
    quiet: u32,
    statics: FxHashMap<(ConstId, Vec<Ty>), u32>,
    /// Values of constants that refer to nothing.
    constants: FxHashMap<(ConstId, Vec<Ty>), Value>,
    /// The same of this run alone.
    own_constants: FxHashMap<(ConstId, Vec<Ty>), Value>,
    constant_typings: FxHashMap<(ConstId, Vec<Ty>), (Rc<Typing>, Ty)>,
    texts: FxHashMap<(Code, ExprId), u32>,
    natives: Natives,
    shows: Shows<'f>,
    signatures: RefCell<call::Signatures>,
    /// The function of our own text that asks in the place of one of std, in its own order.
    asking: Option<FnId>,
    either: either::Either,
    steps: usize,
    calls: usize,
    depth: usize,
    /// A constant fails: there is no such program.
    impossible: bool,
    /// While calls are made up.
    calling: Option<Box<callers::Calling>>,
}

/// Expressions that one run may come to, and all together.
const MOST_STEPS: usize = 400_000;
const MOST_STEPS_OF_ALL: usize = 12_000_000;
/// After so many runs in a row that pass nothing new.
const MOST_IDLE: usize = 200;
const MOST_CALLS: usize = 160;
/// Expressions inside each other, calls included.
const MOST_DEPTH: usize = 6_000;

/// How a run ends that is looked at by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The number that a function gives, of `u128` all bits.
    Value(i128),
    /// It fails.
    Panic,
    /// Nobody knows what comes then, and why.
    Stop(Stop),
}

/// How runs of a function end, one for each list of numbers that it is given.
pub fn ends(context: &Context<'_>, function: FnId, inputs: &[Vec<i128>]) -> Vec<Ended> {
    let mut follower = Follower::new(context);
    let one = |input: &Vec<i128>| {
        follower.begin(MOST_STEPS);
        let arguments = input.iter().map(|number| Value::Number(*number)).collect();
        let end = follower.call(function, &[], arguments);
        let number = end.and_then(|value| follower.number(&value));
        match number {
            Ok(number) => Ended::Value(number),
            Err(Flow::Panic) => Ended::Panic,
            Err(Flow::Stop(reason)) => Ended::Stop(reason),
            Err(_) => Ended::Stop("it leaves what it is not in"),
        }
    };
    inputs.iter().map(one).collect()
}

/// What runs of these functions pass.
pub fn follow(context: &Context<'_>, tests: &[FnId]) -> Passed {
    let mut follower = Follower::new(context);
    let (mut left, mut idle) = (MOST_STEPS_OF_ALL, 0);
    for (number, test) in tests.iter().enumerate() {
        let steps = follower.run(*test, left.min(MOST_STEPS));
        left -= steps;
        idle = if follower.marks.keep(number as u32) > 0 { 0 } else { idle + 1 };
        if left == 0 || idle > MOST_IDLE {
            break;
        }
    }
    let mut runs: Vec<String> =
        tests.iter().map(|test| format!("`{}`", context.items.function_path(*test))).collect();
    let (more, calls) = follower.callers(tests.len());
    runs.extend(more);
    Passed { calls, ..follower.marks.passed(context.items, runs) }
}

impl<'f, 'c> Follower<'f, 'c> {
    fn new(context: &'f Context<'c>) -> Self {
        Self {
            context,
            memory: Memory::default(),
            marks: Marks::new(context.items),
            quiet: 0,
            statics: FxHashMap::default(),
            constants: FxHashMap::default(),
            own_constants: FxHashMap::default(),
            constant_typings: FxHashMap::default(),
            texts: FxHashMap::default(),
            natives: Natives::default(),
            shows: Shows::default(),
            signatures: RefCell::default(),
            asking: None,
            either: either::Either::default(),
            steps: 0,
            calls: 0,
            depth: 0,
            impossible: false,
            calling: None,
        }
    }

    /// Forgets the run before.
    fn begin(&mut self, most: usize) {
        self.memory = Memory::default();
        self.statics.clear();
        self.own_constants.clear();
        self.texts.clear();
        self.shows = Shows::default();
        (self.steps, self.calls, self.depth, self.quiet, self.impossible) = (most, 0, 0, 0, false);
        (self.asking, self.either) = (None, either::Either::default());
    }

    /// Follows one function without parameters, and counts its steps.
    fn run(&mut self, test: FnId, most: usize) -> usize {
        self.begin(most);
        let generics = self.context.items.generics_of(self.context.items.function(test));
        if !generics.is_empty() {
            return 0;
        }
        // However it ends: what was passed up to there was passed.
        let _ = self.call(test, &[], Vec::new());
        if self.impossible {
            self.marks.undo();
        }
        most - self.steps
    }

    /// One more expression.
    fn count(&mut self) -> Flowing<()> {
        match self.steps.checked_sub(1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(Flow::Stop("a run that is too long")),
        }
    }

    fn frame(&self, code: Code, body: &'f Body, typing: Rc<Typing>, result: Ty) -> Frame<'f> {
        let items = self.context.items;
        let (marks, standard) = match code {
            Code::Function(id) => (self.marks.first(id), items.is_std_module(items.function(id).module)),
            Code::Constant(id) => (None, items.is_std_module(items.constant(id).module)),
        };
        let locals = vec![None; body.locals.len()];
        Frame { code, body, typing, locals, result, marks, standard, owned: Vec::new(), ending: None }
    }

    fn body(&self, code: Code) -> Option<&'f Body> {
        let items = self.context.items;
        match code {
            Code::Function(id) => items.body(id),
            Code::Constant(id) => items.constant(id).body.as_ref(),
        }
    }

    fn mark(&mut self, frame: &Frame<'f>, id: ExprId, bits: u8) {
        if let Some(first) = frame.marks
            && self.quiet == 0
        {
            self.marks.put(first + id.index(), bits);
        }
    }

    fn mark_pat(&mut self, frame: &Frame<'f>, id: PatId, bits: u8) {
        if let Some(first) = frame.marks
            && self.quiet == 0
        {
            self.marks.put(first + frame.body.exprs.len() + id.index(), bits);
        }
    }

    /// A place of its own for a value.
    fn placed(&mut self, value: Value) -> Flowing<Place> {
        Ok(Place::of(self.memory.new_slot(value)?))
    }

    fn local(&self, frame: &Frame<'f>, local: LocalId) -> Flowing<Place> {
        match frame.locals[local.index()] {
            Some(slot) => Ok(Place::of(slot)),
            None => Err(Flow::Stop("a local that is not there")),
        }
    }

    /// The place of a static, or the value of a constant in a place of its own.
    fn constant_place(&mut self, id: ConstId, arguments: &[Ty]) -> Flowing<Place> {
        if !self.is_static(id) {
            let value = self.constant(id, arguments)?;
            return self.placed(value);
        }
        let key = (id, arguments.to_vec());
        if let Some(slot) = self.statics.get(&key) {
            return Ok(Place::of(*slot));
        }
        let value = self.constant(id, arguments)?;
        let place = self.placed(value)?;
        self.memory.keep(place.slot);
        self.statics.insert(key, place.slot);
        Ok(place)
    }

    fn is_static(&self, id: ConstId) -> bool {
        let kind = self.context.items.constant(id).kind;
        !matches!(kind, ConstantKind::Constant | ConstantKind::Anonymous)
    }

    fn constant(&mut self, id: ConstId, arguments: &[Ty]) -> Flowing<Value> {
        let key = (id, arguments.to_vec());
        if let Some(known) = self.constants.get(&key).or_else(|| self.own_constants.get(&key)) {
            return Ok(known.clone());
        }
        let constant = self.context.items.constant(id);
        let root = constant.body.as_ref().and_then(|body| Some((body, body.root?)));
        let Some((body, root)) = root else { return Err(Flow::Stop("a constant without a value")) };
        let (typing, ty) = match self.constant_typings.get(&key) {
            Some(known) => known.clone(),
            None => {
                let environment = self.context.constant_environment(id, arguments);
                debug_assert!(matches!(environment.of, Some(BodyOf::Constant(_))));
                let ty = self.context.type_of(&constant.ty, &environment);
                let typing = super::infer::infer(self.context, body, &environment, &[], ty.clone());
                let known = (Rc::new(typing), ty);
                self.constant_typings.insert(key.clone(), known.clone());
                known
            }
        };
        let mut frame = self.frame(Code::Constant(id), body, typing, ty.clone());
        self.enter()?;
        self.quiet += 1;
        let value = self.fitting(&mut frame, root, &ty);
        self.quiet -= 1;
        self.leave();
        let value = match value {
            Err(Flow::Panic) => {
                self.impossible = true;
                Err(Flow::Stop("a constant that fails"))
            }
            other => other,
        }?;
        let of_all = refers_to_nothing(&value);
        let known = if of_all { &mut self.constants } else { &mut self.own_constants };
        known.insert(key, value.clone());
        Ok(value)
    }

    fn enter(&mut self) -> Flowing<()> {
        self.calls += 1;
        if self.calls > MOST_CALLS { Err(Flow::Stop("calls in calls in calls")) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.calls -= 1;
    }
}

fn refers_to_nothing(value: &Value) -> bool {
    match value {
        Value::Place(_) | Value::Address(_) | Value::Closure(_) => false,
        Value::Parts(parts) => parts.list.iter().all(refers_to_nothing),
        Value::Unseen | Value::Moved | Value::Number(_) | Value::Between(..) => true,
    }
}
