//! A state with conditions that hold at all of its points and that it cannot express itself.
//!
//! The state does all the work; what else is known (`x * y == z`, `(a - b) % 4 == 0`) is kept beside it as long as
//! nobody writes what it mentions. Facts come from outside: somebody proves them and notes them here.

mod polynomial;
mod tidy;

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::concrete::holds;
use crate::expr::{Cond, Expr, Var};
use crate::int::Int;
use crate::interval::Thresholds;
use crate::lattice::{Lattice, Widen};
use crate::numeric::NumericState;
use crate::packs::{Packed, Shape};
use crate::product::Value;
use crate::relation::Relation;

pub use tidy::tidy;

/// The points of the state that satisfy every fact. Facts are conditions that are defined there; the state does
/// not decide them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Facts<S> {
    state: S,
    /// Tidy and in one order, whatever the order they were noted in; `None`: none.
    facts: Option<Arc<[Cond]>>,
}

impl<S: NumericState> Facts<S> {
    pub fn facts(&self) -> &[Cond] {
        self.facts.as_deref().unwrap_or_default()
    }

    /// Keeps the points at which a condition holds, which must be defined at all of them.
    pub fn note(&mut self, fact: &Cond) {
        self.state.assume(fact);
        match self.decide(fact) {
            Some(true) => {}
            Some(false) => self.state = S::bottom(self.state.dimensions()),
            None => self.add(fact),
        }
    }

    /// As [`note`](Self::note), but what the state itself says stays as it is.
    pub fn remember(&mut self, fact: &Cond) {
        if !self.is_bottom() && self.decide(fact).is_none() {
            self.add(fact);
        }
    }

    fn add(&mut self, fact: &Cond) {
        let noted = self.facts().iter().cloned().chain([tidy(fact)]).collect();
        self.keep(noted);
    }

    /// The facts in terms of a variable's new value, where the old one can be told from it.
    fn reassign(&mut self, variable: Var, value: &Expr) {
        let Some(before) = tidy::inverse(variable, value) else {
            return self.drop_if(|written| written == variable);
        };
        let replaced = self.facts().iter().map(|fact| {
            tidy(&fact.map(&mut |read| match *read == variable {
                true => before.clone(),
                false => Expr::Variable(*read),
            }))
        });
        let replaced = replaced.collect();
        self.keep(replaced);
    }

    fn keep(&mut self, mut facts: Vec<Cond>) {
        facts.retain(|fact| self.state.decide(fact) != Some(true));
        facts.sort_by_cached_key(|fact| (FxBuildHasher.hash_one(fact), format!("{fact:?}")));
        facts.dedup();
        let none = facts.is_empty() || self.state.is_bottom();
        self.facts = (!none).then(|| facts.into());
    }

    fn drop_if(&mut self, is_dropped: impl Fn(Var) -> bool) {
        let Some(facts) = &self.facts else { return };
        let stays = |fact: &Cond| {
            let mut mentioned = false;
            fact.for_each_variable(&mut |variable| mentioned |= is_dropped(*variable));
            !mentioned
        };
        if !facts.iter().all(stays) {
            let kept: Arc<[Cond]> = facts.iter().filter(|fact| stays(fact)).cloned().collect();
            self.facts = (!kept.is_empty()).then_some(kept);
        }
    }

    /// Above both: what either knows and both decide.
    fn above(&self, other: &Self, state: S) -> Self {
        let mut above = Self { state, facts: None };
        if self.facts.is_some() || other.facts.is_some() {
            let known = self.facts().iter().chain(other.facts());
            let common =
                known.filter(|fact| self.decide(fact) == Some(true) && other.decide(fact) == Some(true));
            above.keep(common.cloned().collect());
        }
        above
    }

    /// What facts say of a condition that the state does not decide.
    fn decide_by_facts(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Literal(value) => Some(*value),
            Cond::Compare(..) => {
                let wanted = tidy(cond);
                let negated = wanted.clone().negated();
                let find = |wanted: &Cond| self.facts().iter().any(|fact| fact == wanted);
                if find(&wanted) { Some(true) } else { find(&negated).then_some(false) }
            }
            Cond::Not(inner) => self.decide(inner).map(|value| !value),
            Cond::And(left, right) => match self.decide(left) {
                Some(true) => self.decide(right),
                Some(false) => Some(false),
                None => (!self.may_be_undefined(left) && self.decide(right) == Some(false)).then_some(false),
            },
            Cond::Or(left, right) => match self.decide(left) {
                Some(false) => self.decide(right),
                Some(true) => Some(true),
                None => (!self.may_be_undefined(left) && self.decide(right) == Some(true)).then_some(true),
            },
        }
    }
}

impl<R: Relation> Facts<Packed<R>> {
    pub fn relations(&self) -> impl Iterator<Item = (&[Var], &R)> {
        self.state.relations()
    }

    pub fn is_degraded(&self) -> bool {
        self.state.is_degraded()
    }

    pub fn reshape(&mut self, dimensions: usize, shape: Option<&Arc<Shape<R>>>) {
        self.state.reshape(dimensions, shape);
        self.drop_if(|variable| variable.0 as usize >= dimensions);
    }
}

impl<S: NumericState> Lattice for Facts<S> {
    fn is_bottom(&self) -> bool {
        self.state.is_bottom()
    }

    fn leq(&self, other: &Self) -> bool {
        let follows = |fact: &Cond| self.decide(fact) == Some(true);
        self.state.leq(&other.state) && (self.is_bottom() || other.facts().iter().all(follows))
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        self.above(other, self.state.join(&other.state))
    }

    fn meet(&self, other: &Self) -> Self {
        let mut met = Self { state: self.state.meet(&other.state), facts: None };
        if self.facts.is_some() || other.facts.is_some() {
            met.keep(self.facts().iter().chain(other.facts()).cloned().collect());
        }
        met
    }
}

impl<S: NumericState> Widen for Facts<S> {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        let state = self.state.widen(&other.state, thresholds);
        // Only what was known before: a fact never comes back.
        let mut wide = Self { state, facts: None };
        let kept = self.facts().iter().filter(|fact| other.decide(fact) == Some(true));
        wide.keep(kept.cloned().collect());
        wide
    }

    fn narrow(&self, other: &Self) -> Self {
        let mut narrowed = Self { state: self.state.narrow(&other.state), facts: None };
        narrowed.keep(self.facts().to_vec());
        narrowed
    }
}

impl<S: NumericState> NumericState for Facts<S> {
    fn top(dimensions: usize) -> Self {
        Self { state: S::top(dimensions), facts: None }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { state: S::bottom(dimensions), facts: None }
    }

    fn dimensions(&self) -> usize {
        self.state.dimensions()
    }

    fn value(&self, expr: &Expr) -> Value {
        self.state.value(expr)
    }

    fn get(&self, variable: Var) -> Value {
        self.state.get(variable)
    }

    fn is_within(&self, other: &Self, variable: Var) -> bool {
        self.state.is_within(&other.state, variable)
    }

    fn set(&mut self, variable: Var, value: Value) {
        self.state.set(variable, value);
        self.drop_if(|written| written == variable);
    }

    fn assign(&mut self, variable: Var, expr: &Expr) {
        self.state.assign(variable, expr);
        if self.facts.is_some() {
            self.reassign(variable, expr);
        }
    }

    fn forget(&mut self, variable: Var) {
        self.state.forget(variable);
        self.drop_if(|written| written == variable);
    }

    fn forget_all(&mut self, variables: &[Var]) {
        self.state.forget_all(variables);
        self.drop_if(|written| variables.contains(&written));
    }

    fn assume(&mut self, cond: &Cond) {
        self.state.assume(cond);
        if self.facts.is_some() {
            match self.decide_by_facts(cond) {
                Some(false) => *self = Self::bottom(self.dimensions()),
                _ => self.keep(self.facts().to_vec()),
            }
        }
    }

    fn decide(&self, cond: &Cond) -> Option<bool> {
        match self.state.decide(cond) {
            None if self.facts.is_some() => self.decide_by_facts(cond),
            answer => answer,
        }
    }

    fn may_be_undefined(&self, cond: &Cond) -> bool {
        self.state.may_be_undefined(cond)
    }

    fn resize(&mut self, dimensions: usize) {
        self.state.resize(dimensions);
        self.drop_if(|variable| variable.0 as usize >= dimensions);
    }

    fn sample(&self) -> Option<Vec<Int>> {
        self.state.sample().filter(|point| self.contains(point))
    }

    fn contains(&self, point: &[Int]) -> bool {
        let mut at = |variable: &Var| point[variable.0 as usize].clone();
        self.state.contains(point) && self.facts().iter().all(|fact| holds(fact, &mut at) == Some(true))
    }
}

impl<S: fmt::Display> fmt::Display for Facts<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.state)?;
        let facts = self.facts.as_deref().unwrap_or_default();
        facts.iter().try_for_each(|fact| write!(f, ", {fact:?}"))
    }
}

impl<S: fmt::Display> fmt::Debug for Facts<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
