//! Runs with the values that earlier ones were compared with: where a comparison leads nowhere new, a value of the
//! beginning that it looked at is replaced by what it was compared with (Aschermann et al., "REDQUEEN: Fuzzing with
//! Input-to-State Correspondence", NDSS 2019).

use std::collections::VecDeque;
use std::ops::Range;

use fixedbitset::FixedBitSet;
use kleene_domains::{CompareOp, Int};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::kinds::Kind;
use super::policy::Policy;
use super::{Beginning, Runs, holds};
use crate::concrete::Machine;
use crate::ir::{Cond, Effect, Expr, FunctionId, LocationId, StepKind};

/// Beginnings that wait.
const MOST_PENDING: usize = 64;
/// How often a location is looked at in all runs; in one it is once.
const VISITS_IN_ALL: u8 = 2;
/// Slots that may have been compared; more of the same value say nothing.
const MOST_SLOTS: usize = 2;
/// The first digit.
const DIGIT: i64 = 48;

/// What was compared, and what is to be tried.
#[derive(Default)]
pub struct Compared {
    /// Where values would be equal, and others.
    equal: VecDeque<Beginning>,
    others: VecDeque<Beginning>,
    looks: FxHashMap<(FunctionId, LocationId), u8>,
    known: FxHashSet<Beginning>,
}

impl Compared {
    pub fn next(&mut self) -> Option<Beginning> {
        self.equal.pop_front().or_else(|| self.others.pop_front())
    }

    /// What was compared last is nearest to something new.
    fn add(&mut self, beginning: Beginning, exactly: bool) {
        let pending = if exactly { &mut self.equal } else { &mut self.others };
        if self.known.insert(beginning.clone()) {
            pending.push_front(beginning);
            pending.truncate(MOST_PENDING);
        }
    }
}

/// A comparison that fails: what is on its left, and what would have to be there.
struct Miss {
    value: Int,
    wanted: Int,
    /// Nothing else would do.
    exactly: bool,
}

impl Runs<'_, '_> {
    /// Looks at what a run compares on ways to where none was.
    pub(super) fn compare(
        &self,
        beginning: &Beginning,
        longest: usize,
        covered: &FixedBitSet,
        compared: &mut Compared,
    ) {
        let mut policy = Policy::again(beginning.drawn.clone(), &self.worth().kinds);
        let mut visited = FixedBitSet::with_capacity(self.compiled.locations());
        let mut misses: Vec<Vec<Miss>> = Vec::new();
        let looks = &mut compared.looks;
        self.glimpse(&beginning.point, longest, &mut policy, &mut |machine| {
            let here = machine.here();
            if !visited.put(self.compiled.number(here.0, here.1)) {
                let looks = looks.entry(here).or_default();
                if *looks < VISITS_IN_ALL && self.look(machine, covered, &mut misses) {
                    *looks += 1;
                }
            }
            true
        });
        for row in &misses {
            self.replace(beginning, row, compared);
        }
    }

    /// Comparisons that keep a run from where none was, and those whose results are stored; whether there are some.
    fn look(
        &self,
        machine: &Machine<'_, '_, '_>,
        covered: &FixedBitSet,
        misses: &mut Vec<Vec<Miss>>,
    ) -> bool {
        let (id, location) = machine.here();
        let function = self.interpreter.program.function(id);
        // Whoever begins with what nobody can make shows nothing.
        if function.graph[location].what == StepKind::Begin {
            return false;
        }
        let before = misses.len();
        for edge in function.graph.edges(location) {
            let mut row = Vec::new();
            if matches!(edge.weight().effect, Effect::Fail(_) | Effect::Discard) {
                continue;
            }
            if !covered.contains(self.compiled.number(id, edge.target())) {
                missed(machine, &edge.weight().guard, true, &mut row);
            } else if let Effect::Assign(assignments) = &edge.weight().effect {
                for (_, value) in assignments {
                    stored(machine, value, &mut row);
                }
            }
            if !row.is_empty() {
                misses.push(row);
            }
        }
        misses.len() > before
    }

    /// Beginnings with what was wanted: all of it where the values stand in a row, and each of it where it may come from.
    fn replace(&self, beginning: &Beginning, row: &[Miss], compared: &mut Compared) {
        let slots =
            if self.parameters.is_empty() { 0..beginning.point.len() } else { self.parameters.clone() };
        let exact: Vec<&Miss> = row.iter().filter(|miss| miss.exactly).collect();
        if exact.len() > 1 {
            let mut changed = beginning.clone();
            if put(&mut changed.point, slots.clone(), &exact) {
                return compared.add(changed, true);
            }
            let all = 0..changed.drawn.len();
            if put(&mut changed.drawn, all, &exact) {
                return compared.add(changed, true);
            }
        }
        let equal = !exact.is_empty();
        for miss in row.iter().filter(|miss| miss.exactly == equal && miss.value != miss.wanted) {
            // Digits are worth what they stand for.
            for shift in [0, DIGIT] {
                let shift = Int::from(shift);
                let (value, wanted) = (&miss.value + &shift, &miss.wanted + &shift);
                let fits = |at: &usize| {
                    let slot = &self.worth().slots[*at];
                    slot.holds(&wanted)
                        && slot.kind != Kind::Start
                        && (shift.is_zero() || slot.kind == Kind::Letter)
                };
                let most = if equal { MOST_SLOTS } else { 1 };
                let alike = slots.clone().filter(|at| beginning.point[*at] == value && fits(at));
                for at in alike.take(most) {
                    let mut changed = beginning.clone();
                    changed.point[at] = wanted.clone();
                    compared.add(changed, equal);
                }
                if shift.is_zero() {
                    self.replace_letters(beginning, miss, compared);
                }
                let alike = (0..beginning.drawn.len()).filter(|at| beginning.drawn[*at] == value);
                for at in alike.take(most) {
                    let mut changed = beginning.clone();
                    changed.drawn[at] = wanted.clone();
                    compared.add(changed, equal);
                }
            }
        }
    }
}

impl Runs<'_, '_> {
    /// The same for letters of several bytes.
    fn replace_letters(&self, beginning: &Beginning, miss: &Miss, compared: &mut Compared) {
        let letter = |value: &Int| value.to_i64().and_then(|value| u32::try_from(value).ok());
        let letter = |value: &Int| letter(value).and_then(char::from_u32);
        let (Some(value), Some(wanted)) = (letter(&miss.value), letter(&miss.wanted)) else { return };
        if !self.worth().kinds.wide.contains(&(wanted as u32)) {
            return;
        }
        for text in &self.worth().texts {
            let Some(mut letters) = text.letters(&beginning.point) else { continue };
            let Some(at) = letters.iter().position(|letter| *letter == value) else { continue };
            letters[at] = wanted;
            let mut changed = beginning.clone();
            text.spell(&letters, &mut changed.point);
            compared.add(changed, miss.exactly);
        }
    }
}

/// Replaces values that stand in a row.
fn put(values: &mut [Int], among: Range<usize>, row: &[&Miss]) -> bool {
    let matches = |values: &[Int]| values.iter().zip(row).all(|(value, miss)| *value == miss.value);
    let Some(at) = among.into_iter().find(|at| values.get(*at..at + row.len()).is_some_and(matches)) else {
        return false;
    };
    values[at..].iter_mut().zip(row).for_each(|(value, miss)| value.clone_from(&miss.wanted));
    true
}

/// What would have to be different for a condition to be true, or false. Of what must be equal, what is already is
/// told too: it says where the rest comes from.
fn missed(machine: &Machine<'_, '_, '_>, cond: &Cond, wanted: bool, row: &mut Vec<Miss>) {
    match cond {
        Cond::Literal(_) => {}
        Cond::Not(inner) => missed(machine, inner, !wanted, row),
        Cond::And(left, right) | Cond::Or(left, right) => {
            let all = matches!(cond, Cond::And(..)) == wanted;
            // One of them is enough.
            if !all && holds(machine, cond) == Some(wanted) {
                return remembered(machine, right, row);
            }
            missed(machine, left, wanted, row);
            missed(machine, right, wanted, row);
        }
        Cond::Compare(op, left, right) => {
            let values = (machine.evaluated(left), machine.evaluated(right));
            let (Some(left), Some(right)) = values else { return };
            let op = if wanted { *op } else { op.negated() };
            row.extend(needed(op, left, right));
        }
    }
}

fn remembered(machine: &Machine<'_, '_, '_>, cond: &Cond, row: &mut Vec<Miss>) {
    if let Cond::Compare(CompareOp::Equal, left, right) = cond
        && let (Some(left), Some(right)) = (machine.evaluated(left), machine.evaluated(right))
        && left == right
    {
        row.push(Miss { value: left, wanted: right, exactly: true });
    }
}

/// What to change for a comparison to hold. Which side comes from the beginning is not known: constants are on the
/// right, most often, and what is equal is told once.
fn needed(op: CompareOp, left: Int, right: Int) -> Vec<Miss> {
    let one = |value: Int, wanted: Int| Miss { value, wanted, exactly: false };
    match op {
        CompareOp::Equal => vec![Miss { exactly: true, ..one(left, right) }],
        _ if op.holds(&left, &right) => Vec::new(),
        CompareOp::NotEqual => vec![one(left, &right + &Int::ONE)],
        CompareOp::Less => vec![one(left.clone(), &right - &Int::ONE), one(right, &left + &Int::ONE)],
        CompareOp::Greater => vec![one(left.clone(), &right + &Int::ONE), one(right, &left - &Int::ONE)],
        CompareOp::LessEqual | CompareOp::GreaterEqual => {
            vec![one(left.clone(), right.clone()), one(right, left)]
        }
    }
}

/// Comparisons whose results are stored, for the other result.
fn stored(machine: &Machine<'_, '_, '_>, value: &Expr, row: &mut Vec<Miss>) {
    match value {
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => stored(machine, inner, row),
        Expr::Binary(_, left, right) => {
            stored(machine, left, row);
            stored(machine, right, row);
        }
        Expr::IfThenElse(cond, ..) => {
            if let Some(value) = holds(machine, cond) {
                missed(machine, cond, !value, row);
            }
        }
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => {}
    }
}
