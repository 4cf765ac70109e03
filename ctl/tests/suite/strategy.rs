//! The chosen edges justify what they claim to justify.

use crate::check_sound::{Abstraction, abstraction};
use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::Quantifier::{self, All, Exists};
use kleene_ctl::{CellId, Checked, Formula, Model, NoProgress, Progress, SubformulaId, Truth};
use kleene_ctl::{check, parse, parse_model};
use std::cell::RefCell;

/// Whether the operator in this cell claims that there is a run: existential and True, or universal and False.
fn claims_a_run(checked: &Checked, sub: SubformulaId, cell: CellId) -> bool {
    let truth = checked.truth_of(sub, cell);
    match checked.subformula(sub) {
        Formula::Next(q, _) | Formula::Future(q, _) | Formula::Globally(q, _) => decides(q, truth),
        Formula::Until(q, ..) | Formula::Release(q, ..) | Formula::WeakUntil(q, ..) => decides(q, truth),
        _ => false,
    }
}

fn decides(q: Quantifier, truth: Truth) -> bool {
    matches!((q, truth), (Exists, Truth::True) | (All, Truth::False))
}

/// A claim that a finite run settles: the goal has to come.
fn is_least(formula: &Formula<kleene_ctl::AtomId>) -> bool {
    matches!(formula, Formula::Future(Exists, _) | Formula::Until(Exists, ..))
        || matches!(
            formula,
            Formula::Globally(All, _) | Formula::Release(All, ..) | Formula::WeakUntil(All, ..)
        )
}

/// The cell settles the claim by itself, going by the operands alone.
fn is_settled(checked: &Checked, sub: SubformulaId, cell: CellId) -> bool {
    let operands = checked.operands(sub);
    let truth = |place: usize| checked.truth_of(operands[place], cell);
    match checked.subformula(sub) {
        Formula::Future(Exists, _) => truth(0) == Truth::True,
        Formula::Until(Exists, ..) => truth(1) == Truth::True,
        Formula::Globally(All, _) => truth(0) == Truth::False,
        Formula::Release(All, ..) => truth(1) == Truth::False,
        Formula::WeakUntil(All, ..) => truth(0) == Truth::False && truth(1) == Truth::False,
        Formula::Release(Exists, ..) => truth(0) == Truth::True && truth(1) == Truth::True,
        Formula::WeakUntil(Exists, ..) => truth(1) == Truth::True,
        Formula::Until(All, ..) => truth(0) == Truth::False && truth(1) == Truth::False,
        _ => false,
    }
}

/// `is_real` says which cells have a concrete state; the others can be proved to be anything.
fn assert_edges_justify(checked: &Checked, is_real: impl Fn(CellId) -> bool) -> usize {
    let mut edges = 0;
    let model = checked.model();
    for sub in checked.subformulas() {
        for cell in model.cell_ids().filter(|cell| is_real(*cell)) {
            let chosen = checked.chosen_edge(sub, cell);
            if !claims_a_run(checked, sub, cell) {
                assert_eq!(chosen, None, "{} in {cell:?}", checked.subformula(sub));
                continue;
            }
            let Some(targets) = chosen else {
                assert!(
                    is_settled(checked, sub, cell),
                    "{} in {cell:?} of {model:?}",
                    checked.subformula(sub)
                );
                continue;
            };
            edges += 1;
            let is_edge =
                model.must_edges(cell).any(|edge| edge == targets) || model.may_successors(cell) == targets;
            assert!(is_edge && !is_settled(checked, sub, cell));
            if !matches!(checked.subformula(sub), Formula::Next(..)) {
                assert!(
                    targets.iter().all(|to| !is_real(*to) || claims_a_run(checked, sub, *to)),
                    "{}",
                    checked.subformula(sub)
                );
            }
        }
    }
    edges
}

#[test]
fn chosen_edges_lead_to_where_the_claim_still_holds() {
    let mut edges = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let abstraction = abstraction(&mut random, 2);
        let formula = atom_formula(&mut random, 3, 2);
        edges += assert_edges_justify(&check(&abstraction.model, &formula, &NoProgress), |_| true);
        edges += assert_edges_justify(&check(&abstraction.model, &formula, &abstraction), |cell| {
            !abstraction.states[cell.index()].is_empty()
        });
        let exact = graph(&mut random, 6, 2).model();
        edges += assert_edges_justify(&check(&exact, &formula, &NoProgress), |_| true);
    }
    assert!(edges > 10_000, "too few edges were compared: {edges}");
}

/// Without rankings, going on along chosen edges of a least fixpoint never comes back.
#[test]
fn least_fixpoints_are_chosen_in_rank_order() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let model = if random.one_in(2) {
            abstraction(&mut random, 2).model
        } else {
            graph(&mut random, 8, 2).model()
        };
        let formula = atom_formula(&mut random, 2, 2);
        let checked = check(&model, &formula, &NoProgress);
        for sub in checked.subformulas().filter(|sub| is_least(&checked.subformula(*sub))) {
            let mut alive: Vec<CellId> = model.cell_ids().collect();
            loop {
                let goes_on = |cell: &CellId| {
                    let targets = checked.chosen_edge(sub, *cell).unwrap_or_default();
                    targets.iter().any(|to| alive.contains(to))
                };
                let kept: Vec<CellId> = alive.iter().copied().filter(goes_on).collect();
                if kept.len() == alive.len() {
                    assert!(kept.is_empty(), "{formula}: the choice in {kept:?} goes round");
                    break;
                }
                alive = kept;
            }
        }
    }
}

/// With rankings, every concrete run along chosen edges ends, and ends in a cell that settles the claim.
#[test]
fn concrete_runs_along_chosen_edges_reach_the_goal() {
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let abstraction = abstraction(&mut random, 2);
        let formula = atom_formula(&mut random, 2, 2);
        let checked = check(&abstraction.model, &formula, &abstraction);
        for sub in checked.subformulas().filter(|sub| is_least(&checked.subformula(*sub))) {
            assert_runs_end(&abstraction, &checked, sub);
        }
    }
}

fn assert_runs_end(abstraction: &Abstraction, checked: &Checked, sub: SubformulaId) {
    let mut steps = Vec::new();
    for cell in abstraction.model.cell_ids() {
        let Some(targets) = checked.chosen_edge(sub, cell) else { continue };
        for state in &abstraction.states[cell.index()] {
            let goes_on =
                |to: &usize| targets.iter().any(|target| abstraction.states[target.index()].contains(to));
            assert!(
                abstraction.graph.successors[*state].iter().any(goes_on),
                "no step through the chosen edge"
            );
        }
        steps.push((cell, targets));
    }
    let ends = abstraction.no_infinite_stay_under(&abstraction.model, &steps);
    assert!(ends, "{} can be followed for ever", checked.subformula(sub));
}

/// Vouches for every loop it is asked about, and remembers the questions.
#[derive(Default)]
struct Trusting {
    asked: RefCell<Vec<Vec<CellId>>>,
}

impl Progress for Trusting {
    fn no_infinite_stay(&self, _: &Model, cells: &[CellId]) -> bool {
        self.asked.borrow_mut().push(cells.to_vec());
        true
    }

    fn no_infinite_stay_under(&self, model: &Model, strategy: &[(CellId, Vec<CellId>)]) -> bool {
        self.no_infinite_stay(model, &strategy.iter().map(|(cell, _)| *cell).collect::<Vec<_>>())
    }
}

fn chosen(text: &str, formula: &str, cell: &str) -> (Option<Vec<String>>, Vec<Vec<CellId>>) {
    let named = parse_model(text).expect("a model");
    let formula = named.resolve(&parse(formula).expect("a formula")).expect("atoms of the model");
    let progress = Trusting::default();
    let checked = check(&named.model, &formula, &progress);
    let targets = checked.chosen_edge(checked.root(), named.state(cell).expect("a state"));
    let names =
        |cells: Vec<CellId>| cells.iter().map(|cell| named.state_names[cell.index()].clone()).collect();
    (targets.map(names), progress.asked.into_inner())
}

/// `x` is a trap: no chosen edge may lead there, however near to the goal `y` it also leads.
#[test]
fn rankings_never_choose_edges_into_a_trap() {
    let declared = "state a init\nstate b\nstate y p\nstate x\n";
    let (targets, _) =
        chosen(&format!("{declared}may a y b x\nmust a b\nmay b y b x\nmust b y b\n"), "EF p", "a");
    assert_eq!(targets.as_deref(), Some(&["b".to_string()][..]), "not all may successors");
    let text = format!("{declared}may a a b y x\nmust a a b y\nmust a y x\nmay b y b x\nmust b y b\n");
    let (targets, _) = chosen(&text, "EF p", "a");
    assert_eq!(targets.as_deref(), Some(&["a", "b", "y"].map(String::from)[..]), "not the smaller edge");
}

#[test]
fn among_usable_edges_the_smallest_is_chosen() {
    let declared = "state a init\nstate b\nstate c\nstate y p\n";
    let edges = "may a b c y\nmust a b c y\nmust a c y\nmay b y b\nmay c y c\n";
    let (targets, _) = chosen(&format!("{declared}{edges}"), "EF p", "a");
    assert_eq!(targets.as_deref(), Some(&["c", "y"].map(String::from)[..]));
}

#[test]
fn only_loops_are_asked_about() {
    let text = "state pre init\nstate loop\nstate y p\nmay pre loop\nmay loop loop y\n";
    for formula in ["EF p", "AF p"] {
        let (_, asked) = chosen(text, formula, "pre");
        assert_eq!(asked, [[CellId(1)]], "{formula}");
    }
    let exact = "state pre init\nstate loop\nstate y p\nstep pre loop\nstep loop loop y\n";
    assert_eq!(
        chosen(exact, "AF p", "pre").1,
        Vec::<Vec<CellId>>::new(),
        "two-valued graphs need no ranking"
    );
}
