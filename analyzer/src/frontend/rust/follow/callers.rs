//! Calls that everybody can write, made up and followed.
//!
//! Values of each parameter are made from the inside out: plain ones are drawn, others are what public functions give and
//! change. No value is part of two others and each is lent by itself, as if it were leaked, so that whatever types of
//! lifetimes functions ask for, such a program is one that Rust takes. What is drawn is a list of numbers; one that came to
//! something new is kept and changed here and there (`draws`). Each function is a beginning of its own, of which no other
//! knows anything.

mod closures;
mod compiles;
pub(super) mod draws;
mod make;
mod objects;
mod plain;
mod shown;
mod ways;
mod words;

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::draws::{Draws, Random};
use self::ways::Ways;
use self::words::Words;
use super::super::context::Context;
use super::super::hir::{AdtId, FnId};
use super::super::items::Owner;
use super::super::lower::Instance;
use super::super::privacy::Touching;
use super::super::types::Ty;
use super::trail::{Desk, Run, Trail};
use super::value::Value;
use super::{Flow, Flowing, Follower};
use crate::frontend::CallEnd;
use crate::source::sink::{Digest, Sink};

/// What it takes to make values up.
pub(super) struct Calling {
    touching: Touching,
    /// What everybody can call.
    public: Vec<FnId>,
    ways: FxHashMap<Ty, Rc<Ways>>,
    /// How functions are called from elsewhere, if somebody can write that down.
    paths: FxHashMap<Instance, Option<Rc<str>>>,
    words: Words,
    /// What was called for a value from this beginning, and nobody knows what it does.
    unknown: FxHashSet<Instance>,
    /// What runs from this beginning have called that compiles.
    compiling: FxHashSet<Instance>,
    pub(super) draws: Draws,
    /// Somebody is asked for values while the calls run: the text does not say which.
    pub(super) answers: bool,
    /// All arguments of the last call are there.
    complete: bool,
    /// The calls as text.
    text: String,
}

/// What a run does last.
#[derive(Clone, Debug, Hash)]
enum Last {
    Call(FnId, Vec<Ty>),
    /// A value of this type ends.
    End(Ty),
}

#[derive(Hash)]
struct Beginning {
    last: Last,
    parameters: Vec<Ty>,
    random: Random,
}

/// Expressions that one run may come to.
const MOST_STEPS: usize = 20_000;
/// Those from all beginnings, in equal parts, and those from one; all, and in a row that come to nothing new.
const MOST_STEPS_OF_ALL: [usize; 2] = [240_000_000, 48_000_000];
const MOST_STEPS_OF_ONE: [usize; 2] = [700_000, 280_000];
/// Where runs are longer than that there are so many times as many.
const LONGER: [usize; 3] = [20, 3, 2];
/// Runs in a row that come to nothing new, however short, and however long.
const MOST_IDLE: u32 = 256;
const LEAST_IDLE: u32 = 16;

impl<'f> Follower<'f, '_> {
    /// Follows made up calls of what everybody can call, from each beginning by itself.
    pub(super) fn callers(&mut self, desk: &Desk<'_>, mut seen: impl FnMut(Run)) {
        let (beginnings, calling) = self.beginnings();
        let words = calling.words.digest();
        self.calling = Some(Box::new(calling));
        let ways = if desk.keeps() { self.ways_to_private_values() } else { Digest::default() };
        let part = |of: usize| MOST_STEPS_OF_ALL[of] / beginnings.len().max(1);
        let most = [0, 1].map(|of| part(of).clamp(MOST_STEPS, MOST_STEPS_OF_ONE[of]));
        for beginning in beginnings.into_iter().take_while(|_| !desk.is_late()) {
            let asked = ("call", &beginning, most, words, ways);
            let trail = desk.trail(asked, || self.made_up_from(&beginning, most));
            trail.runs.into_iter().for_each(&mut seen);
        }
        self.calling = None;
    }

    fn beginnings(&self) -> (Vec<Beginning>, Calling) {
        let context = self.context;
        let items = context.items;
        let all = items.effectively_public();
        context.kept.get_or_init(|| items.kept_inside());
        let callable: FxHashSet<FnId> = all.iter().copied().collect();
        let touching = context.touching(Some(callable));
        let mut found = Vec::new();
        for id in all.iter().copied() {
            let Some((last, parameters)) = beginning(context, id, &touching) else { continue };
            let open = |part: &Ty| matches!(part, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_));
            if parameters.iter().any(|ty| ty.any(&mut |part| open(part))) {
                continue;
            }
            let random = Random::named(&items.function_path(id));
            found.push(Beginning { last, parameters, random });
        }
        let calling = Calling {
            touching,
            public: all,
            ways: FxHashMap::default(),
            paths: FxHashMap::default(),
            words: Words::of(items),
            unknown: FxHashSet::default(),
            compiling: FxHashSet::default(),
            draws: Draws::default(),
            answers: false,
            complete: false,
            text: String::new(),
        };
        (found, calling)
    }

    /// How values of the crate's own types come about. Bodies have a say there without being noted.
    fn ways_to_private_values(&mut self) -> Digest {
        let items = self.context.items;
        let mut sink = Sink::new();
        for (index, adt) in items.adts.iter().enumerate() {
            let ty = Ty::Adt(AdtId(index as u32), Vec::new());
            if items.is_own_module(adt.module) && adt.generics.is_empty() && self.context.is_private(&ty) {
                let ways = self.ways(&ty).ok();
                ways.hash(&mut sink);
            }
        }
        sink.digest()
    }

    /// Follows runs until they come to nothing new.
    fn made_up_from(&mut self, beginning: &Beginning, [most, in_vain]: [usize; 2]) -> Trail {
        self.start();
        let mut random = beginning.random.clone();
        // Draws that came to something new.
        let (mut runs, mut kept) = (Vec::new(), Vec::new());
        let mut most = [MOST_STEPS, most, in_vain];
        let (mut steps, mut in_vain, mut idle) = (0, 0, 0);
        while steps < most[1] && idle < MOST_IDLE && (idle < LEAST_IDLE || in_vain < most[2]) {
            let draws = Draws::new(draws::varied(&kept, &mut random), random.fork());
            let (run, drawn, taken) = self.attempt(beginning, draws, most[0]);
            if taken >= most[0] && most[0] == MOST_STEPS {
                (0..3).for_each(|which| most[which] *= LONGER[which]);
            }
            // The shortest one is some work, too.
            (steps, in_vain, idle) = (steps + taken.max(100), in_vain + taken, idle + 1);
            if !run.passing.is_empty() {
                (in_vain, idle) = (0, 0);
                runs.push(run);
                kept.push(drawn);
            }
        }
        if let Some(calling) = self.calling.as_mut() {
            calling.words.forget();
            calling.compiling.clear();
            calling.unknown.clear();
        }
        self.trail(runs)
    }

    /// One more run, what it drew and how many steps it took.
    fn attempt(&mut self, beginning: &Beginning, draws: Draws, most: usize) -> (Run, Vec<u32>, usize) {
        let calling = self.calling.as_mut().expect("there while calls are made up");
        (calling.draws, calling.text) = (draws, String::new());
        (calling.answers, calling.complete) = (false, false);
        self.begin(most);
        // What it passed is what counts.
        let end = self.ends_with(beginning);
        if self.impossible || matches!(end, Err(Flow::Stop(NOT_COMPILED))) {
            self.marks.undo();
        }
        let passing = self.marks.keep();
        let taken = most - self.steps;
        let calling = self.calling.as_mut().expect("there while calls are made up");
        calling.words.learn(self.context.items, &self.looked);
        let mut call = std::mem::take(&mut calling.text);
        let end = match end {
            Ok(value) => CallEnd::Value(value),
            Err(Flow::Panic) => CallEnd::Panics,
            Err(_) => CallEnd::Open,
        };
        let end = Some(end).filter(|_| calling.complete && !calling.answers);
        if !calling.complete {
            call.push_str(" …");
        }
        (Run { call, end, passing }, std::mem::take(&mut calling.draws.taken), taken)
    }

    fn ends_with(&mut self, beginning: &Beginning) -> Flowing<Option<String>> {
        match &beginning.last {
            Last::Call(function, generics) => {
                self.tell_path(*function, generics);
                let values = self.all_made(&beginning.parameters, 0)?;
                self.calling()?.complete = true;
                let value = self.called_by_anybody(*function, generics, values)?;
                let ty = self.signature(*function, generics).result.clone();
                Ok(self.shown(&value, &ty))
            }
            Last::End(ty) => {
                self.tell(|_| "drop".into());
                let values = self.all_made(std::slice::from_ref(ty), 0)?;
                self.calling()?.complete = true;
                values.into_iter().try_for_each(|value| self.ended(value, ty))?;
                Ok(None)
            }
        }
    }

    /// A call, if everything that it needs compiles.
    fn called_by_anybody(&mut self, function: FnId, generics: &[Ty], values: Vec<Value>) -> Flowing<Value> {
        if !self.compiles(function, generics) {
            return Err(Flow::Stop(NOT_COMPILED));
        }
        self.call(function, generics, values)
    }

    pub(super) fn calling(&mut self) -> Flowing<&mut Calling> {
        self.calling.as_deref_mut().ok_or(Flow::Stop("a value that its caller chooses"))
    }

    fn tell(&mut self, text: impl FnOnce(&Self) -> String) {
        if self.calling.is_some() {
            let text = text(self);
            if let Some(calling) = self.calling.as_mut() {
                calling.text.push_str(&text);
            }
        }
    }

    /// Tells what is called; one that nobody can write down from elsewhere has its name.
    fn tell_path(&mut self, function: FnId, generics: &[Ty]) {
        let instance = (function, generics.to_vec());
        let known = self.calling.as_ref().and_then(|calling| calling.paths.get(&instance));
        let path = known.cloned().unwrap_or_else(|| {
            let parameters = self.parameters(function, generics);
            let callable = self.context.callable(&instance, &parameters);
            callable.map(|callable| callable.path.into())
        });
        let nobody = path.is_none();
        let told = path.clone().unwrap_or_else(|| self.context.items.function_path(function).into());
        if let Some(calling) = self.calling.as_mut() {
            calling.paths.insert(instance, path);
            calling.answers |= nobody;
            calling.text.push_str(&told);
        }
    }
}

const NOT_COMPILED: &str = "a call that is not known to compile";

/// How everybody can call a function: what comes last, and what it takes.
fn beginning(context: &Context<'_>, id: FnId, touching: &Touching) -> Option<(Last, Vec<Ty>)> {
    let function = context.items.function(id);
    let of_trait = matches!(function.owner, Owner::Trait(_));
    if function.is_unsafe || function.opaque.is_some() || !function.has_body() {
        return None;
    }
    let generics = match context.items.generics_of(function).is_empty() {
        true => Vec::new(),
        false => context.example(id)?,
    };
    let environment = context.environment_of(id, &generics);
    let parameters: Vec<Ty> =
        function.parameters.iter().map(|ty| context.type_of(ty, &environment)).collect();
    let by_nobody = parameters.iter().any(|ty| context.is_had_by_nobody(ty));
    if by_nobody || !context.is_called_by_some(id) || context.takes_what_may_be_nobodys(id, &generics) {
        return None;
    }
    if let Owner::Impl(owner) = function.owner
        && context.is_drop(owner) == Some(true)
    {
        let own = environment.own?;
        return Some((Last::End(own.clone()), vec![own]));
    }
    (of_trait || context.is_callable(id, touching)).then_some((Last::Call(id, generics), parameters))
}
