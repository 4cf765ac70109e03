//! Vacuity: does a True formula hold only because a part of it does not matter?
//!
//! After Kupferman and Vardi ("Vacuity detection in temporal model checking", STTT 2003): an occurrence of a
//! subformula does not matter if the formula stays True when the occurrence is replaced by the strongest
//! opposite, `false` where it stands positively and `true` where it stands negatively. Under `<->` it stands both
//! ways, and both replacements have to stay True.

use crate::check::{Progress, check};
use crate::formula::Formula;
use crate::kripke::{AtomId, Model};
use crate::truth::Truth;
use std::fmt::Display;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// Every part matters, or the formula is not True in the first place.
    NotVacuous,
    /// These occurrences do not matter.
    Vacuous(Vec<Occurrence>),
    /// None is known not to matter, but of these it is not known that they do.
    Undecided(Vec<Occurrence>),
}

/// A place in a formula: the operands to take from the top (see [`Formula::at_path`]), and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub path: Vec<usize>,
    pub text: String,
}

impl Occurrence {
    /// This occurrence is the other one or a part of it.
    pub fn is_within(&self, other: &Occurrence) -> bool {
        self.path.starts_with(&other.path)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Positive,
    Negative,
    Both,
}

impl Polarity {
    fn flipped(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Both => Polarity::Both,
        }
    }

    fn replacements(self) -> &'static [bool] {
        match self {
            Polarity::Positive => &[false],
            Polarity::Negative => &[true],
            Polarity::Both => &[false, true],
        }
    }
}

/// Each occurrence but the whole formula and the constants, larger ones before their parts, with the formula
/// in which it is replaced. An occurrence under `<->` comes twice in a row, and only if both of its mutants
/// are True does it not matter.
pub fn vacuity_mutants<A: Clone + Display>(f: &Formula<A>) -> Vec<(Occurrence, Formula<A>)> {
    let mut mutants = Vec::new();
    for (path, polarity) in occurrences(f) {
        let text = f.at_path(&path).map(ToString::to_string).unwrap_or_default();
        for value in polarity.replacements() {
            let occurrence = Occurrence { path: path.clone(), text: text.clone() };
            mutants.push((occurrence, replaced(f, &path, *value)));
        }
    }
    mutants
}

/// Breadth first, so that every occurrence comes before its parts.
fn occurrences<A>(f: &Formula<A>) -> Vec<(Vec<usize>, Polarity)> {
    let mut found = vec![(Vec::new(), Polarity::Positive, f)];
    let mut next = 0;
    while next < found.len() {
        let (path, polarity, sub) = found[next].clone();
        next += 1;
        for (place, operand) in sub.operands().into_iter().enumerate() {
            let Some(operand) = operand else { continue };
            let below = match (sub, place) {
                (Formula::Not(_), _) | (Formula::Implies(..), 0) => polarity.flipped(),
                (Formula::Iff(..), _) => Polarity::Both,
                _ => polarity,
            };
            let path = path.iter().copied().chain([place]).collect();
            found.push((path, below, operand));
        }
    }
    let inner = found.into_iter().skip(1).filter(|(_, _, sub)| !matches!(sub, Formula::Literal(_)));
    inner.map(|(path, polarity, _)| (path, polarity)).collect()
}

fn replaced<A: Clone>(f: &Formula<A>, path: &[usize], value: bool) -> Formula<A> {
    let Some((step, rest)) = path.split_first() else { return Formula::Literal(value) };
    let mut place = 0;
    let [left, right] = f.operands().map(|operand| {
        let taken = place == *step;
        place += 1;
        operand.map(|operand| if taken { replaced(operand, rest, value) } else { operand.clone() })
    });
    f.with_operands(left, right)
}

/// Which occurrences do not matter for the formula being True in all initial cells.
pub fn vacuity(model: &Model, formula: &Formula<AtomId>, progress: &dyn Progress) -> Vacuity {
    if check(model, formula, progress).verdict_over_initial() != Truth::True {
        return Vacuity::NotVacuous;
    }
    judge(vacuity_mutants(formula), |mutant| check(model, mutant, progress).verdict_over_initial())
}

/// Combines the verdicts of mutants, as they come from [`vacuity_mutants`], of a True formula. Parts of a
/// reported occurrence are neither checked nor reported.
pub fn judge<A>(
    mutants: Vec<(Occurrence, Formula<A>)>,
    mut verdict_of: impl FnMut(&Formula<A>) -> Truth,
) -> Vacuity {
    let mut vacuous: Vec<Occurrence> = Vec::new();
    let mut undecided: Vec<Occurrence> = Vec::new();
    let mut mutants = mutants.into_iter().peekable();
    while let Some((occurrence, mutant)) = mutants.next() {
        let mut verdict = Truth::False;
        let reported = vacuous.iter().any(|outer| occurrence.is_within(outer));
        if !reported {
            verdict = verdict_of(&mutant);
        }
        while let Some((_, other)) = mutants.next_if(|(next, _)| next.path == occurrence.path) {
            if verdict != Truth::False {
                verdict = verdict.and(verdict_of(&other));
            }
        }
        match verdict {
            Truth::True => vacuous.push(occurrence),
            Truth::Maybe if undecided.iter().all(|outer| !occurrence.is_within(outer)) => {
                undecided.push(occurrence)
            }
            Truth::Maybe | Truth::False => {}
        }
    }
    if !vacuous.is_empty() {
        Vacuity::Vacuous(vacuous)
    } else if !undecided.is_empty() {
        Vacuity::Undecided(undecided)
    } else {
        Vacuity::NotVacuous
    }
}
