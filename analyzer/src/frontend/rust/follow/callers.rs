//! Calls that everybody can write, made up and followed.
//!
//! Values of each parameter are made from the inside out: plain ones are drawn, others are what public functions give and
//! change. No value is part of two others and each is lent by itself, as if it were leaked, so that whatever types of
//! lifetimes functions ask for, such a program is one that Rust takes. What is drawn is a list of numbers; one that came to
//! something new is kept and changed here and there (`draws`).

mod compiles;
pub(super) mod draws;
mod make;
mod objects;
mod plain;
mod shown;
mod ways;
mod words;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::draws::{Draws, Random};
use self::ways::Ways;
use self::words::Words;
use super::super::context::Context;
use super::super::hir::FnId;
use super::super::items::Owner;
use super::super::privacy::Touching;
use super::super::types::Ty;
use super::value::Value;
use super::{Flow, Flowing, Follower};
use crate::frontend::{CallEnd, MadeUp};

/// What it takes to make values up.
pub(super) struct Calling {
    touching: Touching,
    /// What everybody can call.
    public: Vec<FnId>,
    ways: FxHashMap<Ty, Rc<Ways>>,
    compiled: FxHashMap<(FnId, Vec<Ty>), bool>,
    words: Words,
    pub(super) draws: Draws,
    calls: Vec<MadeUp>,
    /// Somebody is asked for values while the calls run: the text does not say which.
    pub(super) answers: bool,
    /// All arguments of the last call are there.
    complete: bool,
    /// The calls as text, where somebody wants to read them.
    text: Option<String>,
}

/// What a run does last.
#[derive(Clone, Debug)]
enum Last {
    Call(FnId, Vec<Ty>),
    /// A value of this type ends.
    End(Ty),
}

struct Beginning {
    last: Last,
    parameters: Vec<Ty>,
    random: Random,
    /// Draws that came to something new.
    kept: Vec<Vec<u32>>,
    /// Runs in a row that did not.
    idle: u32,
    steps: usize,
    /// Some run of it was cut off.
    long: bool,
}

/// Expressions that one run may come to, those from one beginning, and all together.
const MOST_STEPS: usize = 20_000;
const MOST_STEPS_OF_ONE: usize = 250_000;
/// Those from one whose runs are longer than that.
const MOST_STEPS_OF_LONG: usize = 2_000_000;
const MOST_STEPS_OF_ALL: usize = 36_000_000;
const MOST_IDLE: u32 = 48;
const ROUND: u32 = 12;

impl<'f> Follower<'f, '_> {
    /// Follows made up calls of what everybody can call; runs count from this number on. Says what each run that was the
    /// first somewhere is.
    pub fn callers(&mut self, first: usize) -> (Vec<String>, Vec<MadeUp>) {
        let (mut beginnings, calling) = self.beginnings();
        self.calling = Some(Box::new(calling));
        let (mut names, mut left) = (Vec::new(), MOST_STEPS_OF_ALL);
        let mut going = true;
        while going && left > 0 {
            going = false;
            for beginning in &mut beginnings {
                for _ in 0..ROUND {
                    if beginning.idle >= MOST_IDLE || beginning.steps >= most_of(beginning) || left == 0 {
                        break;
                    }
                    going = true;
                    let most = if beginning.long { MOST_STEPS * 10 } else { MOST_STEPS };
                    let steps = self.attempt(beginning, most.min(left), first, &mut names);
                    beginning.long |= steps >= most;
                    beginning.steps += steps.max(100);
                    left = left.saturating_sub(steps.max(100));
                }
            }
        }
        let calls = self.calling.take().map(|calling| calling.calls).unwrap_or_default();
        (names, calls)
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
            found.push(Beginning {
                last,
                parameters,
                random,
                kept: Vec::new(),
                idle: 0,
                steps: 0,
                long: false,
            });
        }
        let calling = Calling {
            touching,
            public: all,
            ways: FxHashMap::default(),
            compiled: FxHashMap::default(),
            words: Words::of(items),
            draws: Draws::default(),
            calls: Vec::new(),
            answers: false,
            complete: false,
            text: None,
        };
        (found, calling)
    }

    /// One more run; says how many steps it took.
    fn attempt(
        &mut self,
        beginning: &mut Beginning,
        most: usize,
        first: usize,
        names: &mut Vec<String>,
    ) -> usize {
        let given = draws::varied(&beginning.kept, &mut beginning.random);
        let calling = self.calling.as_mut().expect("there while calls are made up");
        calling.draws = Draws::new(given, beginning.random.fork());
        (calling.text, calling.answers) = (None, false);
        // What it passed is what counts.
        let _ = self.made_up(beginning, most);
        let steps = most - self.steps;
        if self.marks.keep((first + names.len()) as u32) == 0 {
            beginning.idle += 1;
            return steps;
        }
        beginning.idle = 0;
        let calling = self.calling.as_mut().expect("there while calls are made up");
        let drawn = std::mem::take(&mut calling.draws.taken);
        calling.draws = Draws::new(drawn.clone(), beginning.random.fork());
        (calling.text, calling.answers, calling.complete) = (Some(String::new()), false, false);
        let end = self.made_up(beginning, most);
        self.marks.undo();
        let calling = self.calling.as_mut().expect("there while calls are made up");
        let call = calling.text.take().unwrap_or_default();
        let complete = std::mem::take(&mut calling.complete);
        let plain = call.replace("crate::kleene_replay::", "");
        names.push(if complete { format!("`{plain}`") } else { format!("`{plain} …`") });
        if complete && !calling.answers {
            let end = match end {
                Ok(value) => CallEnd::Value(value),
                Err(Flow::Panic) => CallEnd::Panics,
                Err(_) => CallEnd::Open,
            };
            calling.calls.push(MadeUp { call, end });
        }
        beginning.kept.push(drawn);
        steps
    }

    fn made_up(&mut self, beginning: &Beginning, most: usize) -> Flowing<Option<String>> {
        self.begin(most);
        let end = self.ends_with(beginning);
        if self.impossible || matches!(end, Err(Flow::Stop(NOT_COMPILED))) {
            self.marks.undo();
        }
        end
    }

    fn ends_with(&mut self, beginning: &Beginning) -> Flowing<Option<String>> {
        match &beginning.last {
            Last::Call(function, generics) => {
                self.tell_path(*function, generics);
                let values = self.all_made(&beginning.parameters, 0)?;
                self.calling()?.complete = true;
                let value = self.called_by_anybody(*function, generics, values)?;
                let ty = self.signature(*function, generics).result.clone();
                let told = self.calling()?.text.is_some();
                Ok(if told { self.shown(&value, &ty) } else { None })
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
        if self.calling.as_ref().is_some_and(|calling| calling.text.is_some()) {
            let text = text(self);
            if let Some(told) = self.calling.as_mut().and_then(|calling| calling.text.as_mut()) {
                told.push_str(&text);
            }
        }
    }

    /// Tells what is called; one that nobody can write down from elsewhere has its name.
    fn tell_path(&mut self, function: FnId, generics: &[Ty]) {
        if self.calling.as_ref().is_none_or(|calling| calling.text.is_none()) {
            return;
        }
        let parameters = self.parameters(function, generics);
        let callable = self.context.callable(&(function, generics.to_vec()), &parameters);
        if let (None, Some(calling)) = (&callable, self.calling.as_mut()) {
            calling.answers = true;
        }
        let named = || self.context.items.function_path(function);
        let path = callable.map_or_else(named, |callable| callable.path);
        self.tell(|_| path);
    }
}

const NOT_COMPILED: &str = "a call that is not known to compile";

fn most_of(beginning: &Beginning) -> usize {
    if beginning.long { MOST_STEPS_OF_LONG } else { MOST_STEPS_OF_ONE }
}

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
