//! Formulas that hold for no good reason.

use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::{
    Formula, NamedModel, NoProgress, Truth, Vacuity, check, parse, parse_model, vacuity, vacuity_mutants,
};

fn texts(model: &NamedModel, formula: &str) -> (Truth, &'static str, Vec<String>) {
    let parsed = parse(formula).expect("a formula");
    let resolved = model.resolve(&parsed).expect("atoms of the model");
    let verdict = check(&model.model, &resolved, &NoProgress).verdict_over_initial();
    let shown = |path: &[usize]| parsed.at_path(path).expect("a path into the formula").to_string();
    match vacuity(&model.model, &resolved, &NoProgress) {
        Vacuity::NotVacuous => (verdict, "not", Vec::new()),
        Vacuity::Vacuous(found) => {
            (verdict, "vacuous", found.iter().map(|place| shown(&place.path)).collect())
        }
        Vacuity::Undecided(found) => {
            (verdict, "undecided", found.iter().map(|place| shown(&place.path)).collect())
        }
    }
}

fn model(text: &str) -> NamedModel {
    parse_model(text).expect("a model")
}

#[test]
fn a_request_that_never_comes_is_vacuous() {
    let silent = model("state 0 init !req !ack\nstate 1 !req\nstep 0 1\nstep 1 0\n");
    let expected = (Truth::True, "vacuous", vec!["AF ack".to_string()]);
    assert_eq!(texts(&silent, "AG (req -> AF ack)"), expected);
    let busy = model("state 0 init req\nstate 1 ack\nstep 0 1\nstep 1 0\n");
    assert_eq!(texts(&busy, "AG (req -> AF ack)"), (Truth::True, "vacuous", vec!["req".to_string()]));
    let mixed = model("state 0 init req\nstate 1 ack\nstate 2\nstep 0 1\nstep 1 2\nstep 2 0 2\n");
    assert_eq!(texts(&mixed, "AG (req -> AF ack)"), (Truth::True, "not", vec![]));
    assert_eq!(texts(&mixed, "AG ack"), (Truth::False, "not", vec![]));
}

#[test]
fn parts_of_a_reported_occurrence_are_not_reported() {
    let silent = model("state 0 init !req !ack !done\n");
    let expected = (Truth::True, "vacuous", vec!["AF (ack && EX done)".to_string()]);
    assert_eq!(texts(&silent, "AG (req -> AF (ack && EX done))"), expected);
}

#[test]
fn maybe_mutants_leave_it_undecided() {
    let unclear = model("state 0 init !p q\nstate 1 p? q\nstep 0 1\n");
    assert_eq!(texts(&unclear, "AG (p -> q)").1, "vacuous");
    let unclear = model("state 0 init p q\nstate 1 p? !q r\nmay 0 0 1\n");
    assert_eq!(texts(&unclear, "AG (p || q || r)").0, Truth::True);
    assert_eq!(texts(&unclear, "E[p U q]").1, "vacuous");
    let undecided = model("state 0 init p q\nstate 1 !p !q r\nmay 0 0 1\n");
    assert_eq!(texts(&undecided, "AG (p || r)"), (Truth::True, "undecided", vec!["r".to_string()]));
}

#[test]
fn mutants_follow_polarity_and_skip_constants() {
    let formula = parse("AG (a -> !b && true)").expect("a formula");
    let shown: Vec<(String, String)> = vacuity_mutants(&formula)
        .into_iter()
        .map(|(place, mutant)| (place.text, mutant.to_string()))
        .collect();
    let expected = [
        ("a -> !b && true", "AG false"),
        ("a", "AG (true -> !b && true)"),
        ("!b && true", "AG (a -> false)"),
        ("!b", "AG (a -> false && true)"),
        ("b", "AG (a -> !true && true)"),
    ];
    assert_eq!(shown, expected.map(|(place, mutant)| (place.to_string(), mutant.to_string())));
    let both: Vec<String> = vacuity_mutants(&parse("a <-> b").expect("a formula"))
        .iter()
        .map(|(_, mutant)| mutant.to_string())
        .collect();
    assert_eq!(both, ["false <-> b", "true <-> b", "a <-> false", "a <-> true"]);
}

/// A mutant is stronger than the formula: where it holds, so does the formula.
#[test]
fn mutants_of_one_polarity_imply_the_formula() {
    let mut compared = 0;
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let graph = graph(&mut random, 5, 2);
        let formula = atom_formula(&mut random, 3, 2);
        let mut has_iff = false;
        formula.for_each(&mut |sub| has_iff |= matches!(sub, Formula::Iff(..)));
        if has_iff {
            continue;
        }
        let holds = graph.check(&formula);
        for (place, mutant) in vacuity_mutants(&formula) {
            compared += 1;
            let stronger = graph.check(&mutant);
            assert!((0..5).all(|state| !stronger[state] || holds[state]), "{formula} at {place:?}");
        }
    }
    assert!(compared > 1_000, "{compared}");
}
