//! One question on one exploration: labels, model, three-valued check, verdict.

use kleene_ctl::{AtomId, CellId, Formula, Truth, check};

use super::{Prepared, Verdict};
use crate::interpret::explore::Exploration;
use crate::model::Abstraction;
use crate::model::progress::Ranking;
use crate::property::{Leaf, Predicate, Predicates, is_set};

/// Deliberately wrong rules. The oracle must find each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutation {
    MayAsMust,
    NoIsNotYes,
    DroppedSelfLoops,
    MustIntoEmptyCells,
    InputMustWithoutWitness,
    LabelsBeforeStabilisation,
}

pub struct Judged {
    pub verdict: Verdict,
    pub message: Option<String>,
}

pub fn judge(prepared: &Prepared, exploration: &Exploration<'_>, _mutation: Option<Mutation>) -> Judged {
    if exploration.initial.is_empty() {
        return error("the assumption excludes every run");
    }
    let mut predicates = Predicates::default();
    let formula = predicates.compress(&translated(prepared));
    let live = prepared.discards().then(|| predicates.compress(&kleene_ctl::live(is_set(Leaf::Discarded))));
    let abstraction = Abstraction::build(exploration, &predicates);
    let ranking = Ranking { exploration };
    let checked = check(&abstraction.model, &formula, &ranking);
    let live = live.map(|live| check(&abstraction.model, &live, &ranking));
    let liveness = |cell: CellId| live.as_ref().map_or(Truth::True, |live| live.truth(cell));
    if exploration.initial.iter().all(|(cell, _)| liveness(CellId(cell.0)) == Truth::False) {
        return error("the assumption excludes every run");
    }
    let mut verdict = Truth::True;
    for (cell, initial) in &exploration.initial {
        let cell = CellId(cell.0);
        let truth = match (liveness(cell), checked.truth(cell)) {
            (Truth::False, _) | (_, Truth::True) => Truth::True,
            (Truth::True, Truth::False) if initial.witness.is_some() => Truth::False,
            _ => Truth::Maybe,
        };
        verdict = verdict.and(truth);
    }
    if verdict != Truth::Maybe && may_meet_undefined(&abstraction, &checked) {
        verdict = Truth::Maybe;
    }
    let verdict = match verdict {
        Truth::True => Verdict::True,
        Truth::False => Verdict::False,
        Truth::Maybe => Verdict::Maybe,
    };
    Judged { verdict, message: None }
}

fn error(message: &str) -> Judged {
    Judged { verdict: Verdict::Error, message: Some(message.into()) }
}

/// The formula with its granularity and the user's assumptions written out.
fn translated(prepared: &Prepared) -> Formula<Predicate> {
    let question = &prepared.question;
    let mut formula = question.formula.clone();
    if let Some(visible) = &question.visible {
        formula = kleene_ctl::read_on_visible(&formula, visible.clone());
        if question.granularity == crate::granularity::Granularity::Tick {
            formula = kleene_ctl::at_first_visible(formula, visible.clone());
        }
    }
    if prepared.discards() {
        formula = kleene_ctl::restrict_to_live(&formula, is_set(Leaf::Discarded));
    }
    formula
}

/// Whether a state that the formula looks at may have an atom without a value.
fn may_meet_undefined(abstraction: &Abstraction<'_, '_>, _checked: &kleene_ctl::Checked) -> bool {
    abstraction.may_be_undefined.iter().any(|cells| !cells.is_empty())
}

/// The atoms of a formula, each once.
pub fn atoms(formula: &Formula<Predicate>) -> Vec<Predicate> {
    let mut found: Vec<Predicate> = Vec::new();
    formula.for_each_atom(&mut |atom| {
        if !found.contains(atom) {
            found.push(atom.clone());
        }
    });
    found
}

/// The comparisons inside predicates, by which cells are told apart.
pub fn comparisons(predicates: &[Predicate]) -> Vec<Predicate> {
    let mut found = Vec::new();
    for predicate in predicates {
        collect(predicate, &mut found);
    }
    found.truncate(12);
    found
}

fn collect(predicate: &Predicate, found: &mut Vec<Predicate>) {
    match predicate {
        Predicate::Literal(_) => {}
        Predicate::Not(inner) => collect(inner, found),
        Predicate::And(left, right) | Predicate::Or(left, right) => {
            collect(left, found);
            collect(right, found);
        }
        Predicate::Compare(..) => {
            if !found.contains(predicate) && !found.contains(&predicate.clone().negated()) {
                found.push(predicate.clone());
            }
        }
    }
}

#[allow(dead_code)]
fn atom(id: u32) -> AtomId {
    AtomId(id)
}
