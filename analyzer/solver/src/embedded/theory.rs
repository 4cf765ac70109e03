//! Linear integer arithmetic as a theory of the boolean search: literals are bounds on forms.
//!
//! Partial assignments are checked over the rationals, complete ones over the integers. Every conflict
//! is an explanation of the tableau. When the meter runs out everything is accepted: the caller asks
//! the meter before it believes a model.

use std::rc::Rc;

use batsat::{Lit, Theory, TheoryArg, Var};
use kleene_domains::Int;
use rustc_hash::FxHashMap;

use super::integer::{Integers, integers};
use super::simplex::{Cause, Explanation, Side, Simplex};
use crate::budget::{Limit, Meter};

/// What a literal says: `variable <= at_most`, and `variable >= at_most + 1` where it is false.
#[derive(Clone, Debug)]
pub struct Atom {
    pub variable: usize,
    pub at_most: Int,
}

pub struct Bounds {
    pub simplex: Simplex,
    /// By the positive literal.
    atoms: FxHashMap<u32, Atom>,
    meter: Rc<Meter>,
    /// How far the trail has been read, and the marks of the tableau, at each level.
    levels: Vec<(usize, usize)>,
    read: usize,
    /// What holds at level 0 is contradictory by itself.
    refuted: bool,
    model: Vec<Int>,
}

impl Bounds {
    pub fn new(meter: Rc<Meter>) -> Self {
        Self {
            simplex: Simplex::default(),
            atoms: FxHashMap::default(),
            meter,
            levels: Vec::new(),
            read: 0,
            refuted: false,
            model: Vec::new(),
        }
    }

    /// Between searches only.
    pub fn atom(&mut self, literal: Lit, atom: Atom) {
        debug_assert!(literal.sign(), "atoms are named by positive literals");
        self.atoms.insert(literal.idx(), atom);
        // Literals that are already decided may have been passed over.
        self.read = 0;
    }

    pub fn refuted(&self) -> bool {
        self.refuted
    }

    /// The integer values of the last accepted assignment.
    pub fn model(&self) -> &[Int] {
        &self.model
    }

    fn follow(&mut self, trail: &[Lit]) -> Result<(), Explanation> {
        while self.read < trail.len() {
            let literal = trail[self.read];
            self.read += 1;
            let positive = if literal.sign() { literal } else { !literal };
            let Some(atom) = self.atoms.get(&positive.idx()) else { continue };
            let (side, value) = match literal.sign() {
                true => (Side::Upper, atom.at_most.clone()),
                false => (Side::Lower, &atom.at_most + Int::ONE),
            };
            self.simplex.bound(atom.variable, side, value, literal.idx())?;
        }
        Ok(())
    }

    /// Causes that hold at level 0 are left out: they hold for good, and the search would not
    /// take a clause of nothing but them from a higher level.
    fn conflict(&mut self, explanation: &[Cause], acts: &mut TheoryArg) {
        let root = self.levels.first().map_or(0, |(read, _)| *read);
        let at_root = &acts.model()[..root];
        let open = explanation.iter().filter(|cause| !at_root.iter().any(|literal| literal.idx() == **cause));
        let clause: Vec<Lit> =
            open.map(|cause| !Lit::new(Var::unsafe_from_idx(cause / 2), cause % 2 == 0)).collect();
        if clause.is_empty() {
            self.refuted = true;
        } else {
            acts.raise_conflict(&clause, false);
        }
    }

    fn stopped(&self) -> bool {
        self.refuted || self.meter.met().is_some()
    }
}

impl Theory for Bounds {
    fn partial_check(&mut self, acts: &mut TheoryArg) {
        if self.stopped() {
            return;
        }
        let followed = self.follow(acts.model());
        let checked = followed.and_then(|()| self.simplex.check(&self.meter));
        if let Err(explanation) = checked {
            self.conflict(&explanation, acts);
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.partial_check(acts);
        if self.stopped() || !acts.is_ok() {
            return;
        }
        match integers(&mut self.simplex, &self.meter) {
            Integers::Found(model) => self.model = model,
            Integers::None(explanation) => self.conflict(&explanation, acts),
            Integers::Open => self.meter.meet(Limit::Nodes),
        }
    }

    fn create_level(&mut self) {
        self.levels.push((self.read, self.simplex.mark()));
    }

    fn pop_levels(&mut self, n: usize) {
        let kept = self.levels.len() - n;
        (self.read, _) = self.levels[kept];
        self.simplex.undo(self.levels[kept].1);
        self.levels.truncate(kept);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("nothing is propagated")
    }
}
