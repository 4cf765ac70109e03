//! Recordings of analyses: read, written and replayed, they stay what they were.

#[path = "../benches/recorded/mod.rs"]
mod files;

use std::path::Path;

use kleene_domains::recording::{Answer, Recorded, Recording, record};
use kleene_domains::{Constraint, Int, LinearExpr, Octagon, Polyhedron, Relation, Var};

fn same_answers<R: Relation>(name: &str, recording: &Recording) {
    let mut number = 0;
    recording.replay::<R>(|step, answer| {
        assert_eq!(answer.to_string(), step.answer, "{name}: step {number}, {:?}", step.operation);
        number += 1;
    });
    assert_eq!(number, recording.steps.len());
}

fn recordings() -> Vec<(String, Recording)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/recorded");
    let mut all = Vec::new();
    for dimensions in [4, 8, 12, 16] {
        let some = files::recordings(&folder, dimensions);
        assert!(some.len() > 2 && some.iter().all(|(_, one)| one.dimensions() == dimensions));
        all.extend(some);
    }
    all
}

/// The answers of the recorded analyses, which had polyhedra, are those of the replay.
#[test]
fn polyhedra_answer_as_recorded() {
    for (name, recording) in recordings() {
        assert_eq!(recording.to_string().parse(), Ok(recording.clone()), "{name}");
        same_answers::<Polyhedron>(&name, &recording);
    }
}

/// The same operations recorded anew on octagons.
#[test]
fn octagons_answer_alike_again() {
    for (name, recording) in recordings() {
        let ((), own) = record(|| recording.replay::<Recorded<Octagon>>(|_, _| {}));
        assert!(own.steps.len() == recording.steps.len());
        same_answers::<Octagon>(&name, &own);
    }
}

/// Every operation there is, once.
fn everything<R: Relation>() -> Vec<Answer> {
    let form = |x: i64, y: i64, constant: i64| {
        LinearExpr::from_terms([(Var(0), Int::from(x)), (Var(1), Int::from(y))], Int::from(constant))
    };
    let mut answers = Vec::new();
    let mut old = R::top(2);
    old.constrain(&[Constraint::zero(form(1, -1, 0)), Constraint::at_least_zero(form(0, 1, 0))]);
    let mut new = old.clone();
    new.assign(Var(0), &form(1, 0, 1));
    let joined = old.join(&new);
    let widened = old.widen(&joined, &[Constraint::at_least_zero(form(-1, 1, 3))]);
    answers.push(Answer::Truth(joined.leq(&widened)));
    answers.push(Answer::Truth(joined == widened));
    answers.push(Answer::Bounds(widened.narrow(&joined).bounds(&form(1, -1, 0))));
    answers.push(Answer::Bounds(R::bottom(2).bounds(&form(0, 1, 0))));
    answers
        .push(Answer::Box([form(1, 0, 0), form(0, 1, 0)].iter().map(|form| joined.bounds(form)).collect()));
    answers.push(Answer::Truth(joined.meet(&R::bottom(2)).is_bottom()));
    answers.push(Answer::Truth(joined.entails(&Constraint::at_least_zero(form(1, 0, 0)))));
    old.forget(Var(1));
    answers.push(Answer::Count(joined.rearranged(&[None, Some(Var(0))]).constraints().len()));
    answers
}

#[test]
fn recording_changes_nothing() {
    let (answers, recording) = record(everything::<Recorded<Polyhedron>>);
    assert_eq!(answers, everything::<Polyhedron>());
    let asked = recording.steps.iter().filter(|step| !step.operation.gives_element());
    let shown: Vec<String> = answers.iter().map(Answer::to_string).collect();
    assert_eq!(asked.map(|step| step.answer.clone()).collect::<Vec<_>>(), shown);
    assert_eq!(recording.to_string().parse(), Ok(recording.clone()));
    same_answers::<Polyhedron>("everything", &recording);
}

#[test]
fn what_is_no_recording_is_refused() {
    for line in ["join 1", "join 1 2 3", "bounds 1 x0 0..1", "bounds 1 1x0,0", "constrain 0 1x0,1", "leq 1 2"]
    {
        assert!(line.parse::<Recording>().is_err(), "{line}");
    }
}
