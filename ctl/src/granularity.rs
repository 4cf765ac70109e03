//! Translations of formulas: what one step is, and which runs count.
//!
//! [`read_on_visible`] reads a formula on the visible states only, [`restrict_to_live`] ranges its path
//! quantifiers over runs that never hit a violated assumption. Both leave the model alone. Apply
//! `read_on_visible` first and `restrict_to_live` to its result: the second restricts the runs of the model,
//! and these are what the first one speaks about, silent steps included.

use crate::formula::Formula::{self, *};
use crate::formula::Quantifier::{All, Exists};

/// Reads `f` on the visible states: a step is a path through invisible states to the next visible one, and
/// a run that never sees another visible state stutters at its last one. Meant for visible states.
///
/// EX f = EX E[¬V U V∧f] ∨ (f ∧ EX EG ¬V), E[f U g] = E[(V→f) U (V∧g)], E[f W g] = E[(V→f) W (V∧g)],
/// E[f R g] = E[(V∧f) R (V→g)]; the A-forms by duality, which gives the same shapes for U, W and R.
///
/// The reading of X mentions its operand twice, so nested Xs grow exponentially: ask [`visible_size`] first.
pub fn read_on_visible<A: Clone>(f: &Formula<A>, visible: A) -> Formula<A> {
    let translate = |f: &Formula<A>| read_on_visible(f, visible.clone());
    let at_visible = |f: &Formula<A>| Atom(visible.clone()).and(translate(f));
    let if_visible = |f: &Formula<A>| Atom(visible.clone()).implies(translate(f));
    match f {
        Next(Exists, f) => visible_exists_next(translate(f), visible),
        Next(All, f) => visible_exists_next(translate(f).not(), visible).not(),
        Future(q, f) => at_visible(f).future(*q),
        Globally(q, f) => if_visible(f).globally(*q),
        Until(q, f, g) => if_visible(f).until(*q, at_visible(g)),
        WeakUntil(q, f, g) => if_visible(f).weak_until(*q, at_visible(g)),
        Release(q, f, g) => at_visible(f).release(*q, if_visible(g)),
        _ => map_operands(f, translate),
    }
}

fn visible_exists_next<A: Clone>(f: Formula<A>, visible: A) -> Formula<A> {
    let silent = || Atom(visible.clone()).not();
    let next = silent().until(Exists, Atom(visible.clone()).and(f.clone())).next(Exists);
    let stutter = f.and(silent().globally(Exists).next(Exists));
    next.or(stutter)
}

/// The size of [`read_on_visible`] of `f`, without building it; saturating.
pub fn visible_size<A>(f: &Formula<A>) -> usize {
    let below: Vec<usize> = f.operands().into_iter().flatten().map(visible_size).collect();
    let sum = below.iter().fold(0usize, |sum, size| sum.saturating_add(*size));
    match f {
        Literal(_) | Atom(_) => 1,
        Next(Exists, _) => sum.saturating_mul(2).saturating_add(12),
        Next(All, _) => sum.saturating_mul(2).saturating_add(15),
        Future(..) | Globally(..) => sum.saturating_add(3),
        Until(..) | WeakUntil(..) | Release(..) => sum.saturating_add(5),
        Not(_) | And(..) | Or(..) | Implies(..) | Iff(..) => sum.saturating_add(1),
    }
}

/// `f` holds in every first visible state of every run: A[V R (V→f)]. For a formula already read on visible
/// states, where initial states need not be visible.
pub fn at_first_visible<A: Clone>(f: Formula<A>, visible: A) -> Formula<A> {
    Atom(visible.clone()).release(All, Atom(visible).implies(f))
}

/// Some run from here never hits a violated assumption.
pub fn live<A>(discarded: A) -> Formula<A> {
    Atom(discarded).not().globally(Exists)
}

/// Lets the path quantifiers of `f` range over live runs; `discarded` has to hold exactly in the sink that
/// violated assumptions lead to. Meant for live states.
///
/// EX f = EX(f∧live), E[f U g] = E[f U (g∧live)], EG f = EG(f∧¬d), E[f W g] = E[(f∧¬d) W (g∧live)],
/// E[f R g] = E[(f∧live) R (g∧¬d)]; dually AX f = AX(f∨¬live), A[f U g] = A[(f∨¬live) U (g∨d)],
/// AG f = AG(f∨¬live), A[f W g] = A[(f∨¬live) W g], A[f R g] = A[f R (g∨¬live)].
pub fn restrict_to_live<A: Clone>(f: &Formula<A>, discarded: A) -> Formula<A> {
    let translate = |f: &Formula<A>| restrict_to_live(f, discarded.clone());
    let and_live = |f: &Formula<A>| translate(f).and(live(discarded.clone()));
    let or_dead = |f: &Formula<A>| translate(f).or(live(discarded.clone()).not());
    let and_kept = |f: &Formula<A>| translate(f).and(Atom(discarded.clone()).not());
    let or_discarded = |f: &Formula<A>| translate(f).or(Atom(discarded.clone()));
    match f {
        Next(Exists, f) => and_live(f).next(Exists),
        Next(All, f) => or_dead(f).next(All),
        Future(Exists, f) => and_live(f).future(Exists),
        Future(All, f) => or_discarded(f).future(All),
        Globally(Exists, f) => and_kept(f).globally(Exists),
        Globally(All, f) => or_dead(f).globally(All),
        Until(Exists, f, g) => translate(f).until(Exists, and_live(g)),
        Until(All, f, g) => or_dead(f).until(All, or_discarded(g)),
        WeakUntil(Exists, f, g) => and_kept(f).weak_until(Exists, and_live(g)),
        WeakUntil(All, f, g) => or_dead(f).weak_until(All, translate(g)),
        Release(Exists, f, g) => and_live(f).release(Exists, and_kept(g)),
        Release(All, f, g) => translate(f).release(All, or_dead(g)),
        _ => map_operands(f, translate),
    }
}

fn map_operands<A: Clone>(
    f: &Formula<A>,
    mut translate: impl FnMut(&Formula<A>) -> Formula<A>,
) -> Formula<A> {
    let [left, right] = f.operands().map(|operand| operand.map(&mut translate));
    f.with_operands(left, right)
}
