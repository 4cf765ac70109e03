//! Whether calls of generic functions with chosen types compile: no constant that they need, used or not, may fail.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::super::super::hir::{Body, FnId};
use super::super::super::infer::{Callee, Named, Typing};
use super::super::super::lower::Instance;
use super::super::super::types::{Called, Ty};
use super::super::{Code, Follower};
use super::NOT_COMPILED;

impl<'f> Follower<'f, '_> {
    /// Whether a function and all that it may call are known to compile for these types.
    pub(super) fn compiles(&mut self, function: FnId, generics: &[Ty]) -> bool {
        // What has no parameters is compiled with the crate.
        if generics.is_empty() {
            return true;
        }
        let mut work = vec![(function, generics.to_vec())];
        let mut met = FxHashSet::default();
        while let Some(instance) = work.pop() {
            let known = self.calling.as_ref().is_some_and(|calling| calling.compiling.contains(&instance));
            if known || instance.1.is_empty() || !met.insert(instance.clone()) {
                continue;
            }
            let known = match self.compiled.get(&instance) {
                Some(known) => known.clone(),
                None => {
                    let found = self.apart(|follower| {
                        let mut called = Vec::new();
                        let good = follower.names_good_constants(&instance, &mut called);
                        Some(if good { Ok(Rc::from(called)) } else { Err(NOT_COMPILED) })
                    });
                    self.compiled.insert(instance, found.clone());
                    found
                }
            };
            self.looked.extend(known.looked.iter());
            match known.value {
                Some(Ok(called)) => work.extend(called.iter().cloned()),
                _ => return false,
            }
        }
        if let Some(calling) = self.calling.as_mut() {
            calling.compiling.extend(met);
        }
        true
    }

    /// Whether the constants in one body cannot fail; adds what it calls.
    fn names_good_constants(&mut self, instance: &Instance, work: &mut Vec<Instance>) -> bool {
        let items = self.context.items;
        // Our own text of std stands for code that has no such constants.
        let of_std = items.is_std_module(items.function(instance.0).module);
        let Some(body) = self.body(Code::Function(instance.0)) else { return of_std };
        let typing = self.context.typed(instance.0, &instance.1, body);
        if !of_std && !self.constant_blocks_are_good(instance, body, &typing) {
            return false;
        }
        for named in typing.paths.values() {
            let Named::Constant(id, arguments) = named else { continue };
            let environment = self.context.constant_environment(*id, arguments);
            if !of_std
                && self.context.depends_on_types(*id, &environment)
                && self.context.constant_value(*id, &environment).is_none()
                && !self.context.cannot_fail(*id, &environment)
                && self.constant(*id, arguments).is_err()
            {
                return false;
            }
        }
        for callee in typing.callees.values() {
            if let Callee::Function(function, generics) = callee {
                work.push((*function, generics.clone()));
            }
        }
        work.extend(typing.draws.values().chain(typing.entered.values()).cloned());
        for behind in typing.behind.values() {
            let functions = [Some(behind.function), behind.writing].into_iter().flatten();
            work.extend(functions.map(|function| (function, behind.generics.clone())));
        }
        for ty in typing.exprs.iter().chain(&typing.locals) {
            ty.any(&mut |part| {
                if let Ty::Callable(Called::Function(function, count), parts) = part {
                    work.push((*function, parts[..*count].to_vec()));
                }
                false
            });
            work.extend(self.context.droppers(ty).into_iter().map(|(_, dropper)| dropper));
        }
        true
    }

    /// Whether every `const { … }` of a body comes to its end.
    fn constant_blocks_are_good(&mut self, instance: &Instance, body: &'f Body, typing: &Rc<Typing>) -> bool {
        body.constants.iter().all(|block| {
            let mut frame = self.frame(Code::Function(instance.0), body, typing.clone(), Ty::Opaque);
            self.value(&mut frame, *block).is_ok()
        })
    }
}
