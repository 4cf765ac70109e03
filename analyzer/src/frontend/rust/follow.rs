//! Runs of tests and examples, followed expression by expression on whole values.
//!
//! Nothing is executed: bodies are trees (`hir`) whose types are known (`infer`), and what they do is carried out on values
//! of our own. Borrows are places, so that nothing is lost which is written through one, and lists are as long as they are.
//! The standard library is our own text of it, which is followed like any other; what that calls unseen is unseen here, and a
//! run ends where it depends on such a value, or comes to something that is not understood. Up to there it is the run that
//! Rust would make. It shows where runs come to, and nothing else (`marks`). What runs from one beginning come to says nothing of
//! others, so it is found out once and kept (`trail`).

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
mod show;
mod sizes;
mod source;
mod standard;
mod tables;
mod trail;
mod value;
mod views;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::marks::{Marks, Sum};
use self::natives::Natives;
use self::show::Shows;
pub use self::trail::Desk;
use self::trail::{Run, Trail};
use self::value::{Memory, Place, Value};
use super::context::{BodyOf, Context};
use super::hir::{Body, ConstId, ExprId, FnId, LocalId, PatId};
use super::infer::Typing;
use super::items::ConstantKind;
use super::lower::Instance;
use super::types::Ty;
use crate::frontend::{CallEnd, MadeUp, Passed};

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
    /// Something was passed so that does not belong to constants.
    hushed: bool,
    statics: FxHashMap<(ConstId, Vec<Ty>), u32>,
    /// Values of constants that refer to nothing.
    constants: FxHashMap<(ConstId, Vec<Ty>), Computed<Value>>,
    /// The same of this run alone.
    own_constants: FxHashMap<(ConstId, Vec<Ty>), Value>,
    constant_typings: FxHashMap<(ConstId, Vec<Ty>), (Rc<Typing>, Ty)>,
    /// What functions call for these types, if they compile.
    compiled: FxHashMap<Instance, Computed<Rc<[Instance]>>>,
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
    /// Constants whose values wait for each other.
    computing: u32,
    /// Whose bodies what is being found out depends on.
    looked: FxHashSet<FnId>,
    /// A constant fails: there is no such program.
    impossible: bool,
    /// While calls are made up.
    calling: Option<Box<callers::Calling>>,
}

/// What is found out once for all runs.
#[derive(Clone)]
struct Computed<T> {
    /// Nothing where each run has its own.
    value: Option<Result<T, Stop>>,
    /// It fails.
    impossible: bool,
    looked: Rc<[FnId]>,
}

/// Expressions that one run may come to.
const MOST_STEPS: usize = 2_000_000;
const MOST_TESTS: usize = 2_000;
/// Constants inside each other.
const MOST_COMPUTING: u32 = 16;
const MOST_CALLS: usize = 160;
/// Expressions inside each other, calls included.
const MOST_DEPTH: usize = 6_000;
const MOST_DEPTH_APART: usize = 800;

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

/// What runs of these functions, and of calls that are made up, pass; which of the functions have no more to show.
pub fn follow(context: &Context<'_>, tests: &[FnId], desk: Desk<'_>) -> (Passed, FxHashSet<FnId>) {
    let mut follower = Follower::new(context);
    let (mut sum, mut names, mut calls) = (Sum::new(context.items), Vec::new(), Vec::new());
    let mut ended = FxHashSet::default();
    for test in tests.iter().take(MOST_TESTS).take_while(|_| !desk.is_late()) {
        let trail = desk.trail(("test", test), || follower.test(*test));
        if trail.runs.iter().all(|run| run.end.is_some()) {
            ended.insert(*test);
        }
        if trail.runs.iter().any(|run| sum.add(&run.passing, names.len() as u32)) {
            names.push(format!("`{}`", context.items.function_path(*test)));
        }
    }
    follower.callers(&desk, |run| {
        if sum.add(&run.passing, names.len() as u32) {
            let plain = run.call.replace("crate::kleene_replay::", "");
            names.push(format!("`{plain}`"));
            calls.extend(run.end.map(|end| MadeUp { call: run.call, end }));
        }
    });
    (Passed { runs: names, calls, ..sum.passed(context.items) }, ended)
}

impl<'f, 'c> Follower<'f, 'c> {
    fn new(context: &'f Context<'c>) -> Self {
        Self {
            context,
            memory: Memory::default(),
            marks: Marks::new(context.items),
            quiet: 0,
            hushed: false,
            statics: FxHashMap::default(),
            constants: FxHashMap::default(),
            own_constants: FxHashMap::default(),
            constant_typings: FxHashMap::default(),
            compiled: FxHashMap::default(),
            texts: FxHashMap::default(),
            natives: Natives::default(),
            shows: Shows::default(),
            signatures: RefCell::default(),
            asking: None,
            either: either::Either::default(),
            steps: 0,
            calls: 0,
            depth: 0,
            computing: 0,
            looked: FxHashSet::default(),
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
        (self.asking, self.either, self.hushed) = (None, either::Either::default(), false);
    }

    /// Follows one function without parameters.
    fn test(&mut self, test: FnId) -> Trail {
        self.start();
        self.begin(MOST_STEPS);
        let mut run = Run::default();
        let generics = self.context.items.generics_of(self.context.items.function(test));
        if generics.is_empty() {
            // However it ends: what was passed up to there was passed.
            let end = self.call(test, &[], Vec::new());
            if self.impossible {
                self.marks.undo();
            } else if end.is_ok() && !self.hushed {
                run.end = Some(CallEnd::Value(None));
            }
        }
        run.passing = self.marks.keep();
        self.trail(vec![run])
    }

    /// Forgets what other beginnings came to.
    fn start(&mut self) {
        self.marks.forget();
        self.looked.clear();
    }

    fn trail(&self, runs: Vec<Run>) -> Trail {
        let items = self.context.items;
        let known = self.context.looked.borrow();
        let is_read =
            |id: &&FnId| !items.is_std_module(items.function(**id).module) && items.body(**id).is_some();
        let mut looked: Vec<FnId> = self.looked.union(&known).filter(is_read).copied().collect();
        looked.sort_unstable();
        Trail { runs, looked }
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

    /// A body that is followed.
    fn body(&mut self, code: Code) -> Option<&'f Body> {
        let items = self.context.items;
        match code {
            Code::Function(id) => {
                self.looked.insert(id);
                items.body(id)
            }
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
        if let Some(known) = self.own_constants.get(&key) {
            return Ok(known.clone());
        }
        let known = match self.constants.get(&key) {
            Some(known) => known.clone(),
            None => {
                let computed = self.apart(|follower| {
                    let value = follower.computed(&key);
                    Some(value).filter(|value| value.as_ref().map_or(true, refers_to_nothing))
                });
                self.constants.insert(key.clone(), computed.clone());
                computed
            }
        };
        self.looked.extend(known.looked.iter());
        self.impossible |= known.impossible;
        match known.value {
            Some(value) => Ok(value?),
            None => {
                self.enter()?;
                let value = self.computed(&key);
                self.leave();
                let value = value?;
                self.own_constants.insert(key, value.clone());
                Ok(value)
            }
        }
    }

    /// Finds out what does not depend on the run that asks for it first: nothing of that is there.
    fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> Option<Result<T, Stop>>) -> Computed<T> {
        if self.computing == MOST_COMPUTING {
            let value = Some(Err("constants in constants in constants"));
            return Computed { value, impossible: false, looked: Rc::default() };
        }
        let outer = (std::mem::take(&mut self.memory), std::mem::take(&mut self.statics));
        let known = (std::mem::take(&mut self.own_constants), std::mem::take(&mut self.texts));
        let around = (self.asking.take(), self.calling.take(), std::mem::take(&mut self.looked));
        let counts = (self.steps, self.calls, self.depth, self.quiet, self.impossible);
        (self.steps, self.calls, self.depth) = (MOST_STEPS, 0, MOST_DEPTH - MOST_DEPTH_APART);
        (self.quiet, self.impossible) = (1, false);
        self.computing += 1;
        let value = work(self);
        self.computing -= 1;
        let looked = self.looked.drain().collect();
        let computed = Computed { value, impossible: self.impossible, looked };
        (self.steps, self.calls, self.depth, self.quiet, self.impossible) = counts;
        (self.asking, self.calling, self.looked) = around;
        (self.own_constants, self.texts) = known;
        (self.memory, self.statics) = outer;
        computed
    }

    fn computed(&mut self, key: &(ConstId, Vec<Ty>)) -> Result<Value, Stop> {
        let (id, arguments) = (key.0, key.1.as_slice());
        let constant = self.context.items.constant(id);
        let root = constant.body.as_ref().and_then(|body| Some((body, body.root?)));
        let (body, root) = root.ok_or("a constant without a value")?;
        let (typing, ty) = match self.constant_typings.get(key) {
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
        self.quiet += 1;
        let value = self.fitting(&mut frame, root, &ty);
        self.quiet -= 1;
        match value {
            Ok(value) => Ok(value),
            Err(Flow::Panic) => {
                self.impossible = true;
                Err("a constant that fails")
            }
            Err(Flow::Stop(reason)) => Err(reason),
            Err(_) => Err("a constant that is left"),
        }
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
