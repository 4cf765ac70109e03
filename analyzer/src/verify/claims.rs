//! Claims, one by one: each has its reason in other claims, in its cell or behind checked edges.
//!
//! Greatest fixpoints may lean on themselves. In least ones every step leads to a smaller rank, or stays in
//! a loop that is shown to be left.

use rustc_hash::FxHashSet;

use super::model::Model;
use super::shape::{Claim, Mode, Shape};
use super::{Checked, wrong};
use crate::evidence::certificate::{Claims, Held};

impl Model<'_> {
    pub(super) fn check_claims(&self) -> Checked<()> {
        let mut loops = FxHashSet::default();
        for written in &self.written.loops {
            let Some(claims) = self.written.claims.get(written.claims) else {
                return wrong("a loop belongs to claims that are not there");
            };
            loops.insert((Claim { node: claims.formula, value: claims.value }, written.rank));
        }
        for claims in &self.written.claims {
            self.check(claims, &loops)?;
        }
        self.written.loops.iter().try_for_each(|written| self.check_loop(written))
    }

    fn check(&self, claims: &Claims, loops: &FxHashSet<(Claim, usize)>) -> Checked<()> {
        let claim = Claim { node: claims.formula, value: claims.value };
        let shape = self.question.nodes.shape(claim);
        for held in &claims.cells {
            let fine = match &shape {
                Shape::Literal(value) => *value,
                Shape::Atom(atom) => {
                    let predicate = self.question.predicates.get(*atom);
                    let decided = self.decides(held.cell, predicate, claim.value);
                    decided.map_err(|doubt| doubt.of_cell(held.cell, "an atom does not have its value"))?;
                    true
                }
                Shape::Choice(lists) => lists.iter().any(|list| self.all(list, held.cell)),
                Shape::Step(mode, next) => self.next(held, *mode)?.iter().all(|to| self.claimed(*next, *to)),
                Shape::Greatest { mode, keep, exit } => {
                    let leaves = exit.as_ref().is_some_and(|exit| self.all(exit, held.cell));
                    leaves
                        || (self.claimed(*keep, held.cell)
                            && self.next(held, *mode)?.iter().all(|to| self.claimed(claim, *to)))
                }
                Shape::Least { mode, path, goal } => {
                    let walks = path.is_none_or(|path| self.claimed(path, held.cell));
                    let nearer = |to: &usize| {
                        self.all(goal, *to)
                            || self.claims.get(&claim).and_then(|all| all.get(to)).is_some_and(|next| {
                                next.rank < held.rank
                                    || (next.rank == held.rank && loops.contains(&(claim, held.rank)))
                            })
                    };
                    self.all(goal, held.cell)
                        || (walks
                            && self
                                .next(held, *mode)?
                                .iter()
                                .all(|to| self.claimed(claim, *to) && nearer(to)))
                }
            };
            if !fine {
                let Held { cell, .. } = held;
                return wrong(format!(
                    "cell {cell}: the claim about subformula {} has no reason",
                    claim.node
                ));
            }
        }
        Ok(())
    }

    pub(super) fn all(&self, claims: &[Claim], cell: usize) -> bool {
        claims.iter().all(|claim| self.claimed(*claim, cell))
    }

    /// The checked successors that count.
    pub(super) fn next(&self, held: &Held, mode: Mode) -> Checked<&[usize]> {
        match mode {
            Mode::Some => self.successors(held.cell, held.must),
            Mode::All => self.successors(held.cell, None),
        }
    }
}
