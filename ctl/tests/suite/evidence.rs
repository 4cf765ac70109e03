//! Explanations: causes of Maybe and witnesses of definite answers.

use crate::check_sound::abstraction;
use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::{
    AtomId, Cause, CauseKind, CellId, Checked, Explanation, Model, NamedModel, NoProgress, Truth, check,
    explain, parse, parse_model,
};

fn is_path(model: &Model, path: &[CellId]) -> bool {
    path.windows(2).all(|step| model.may_successors(step[0]).contains(&step[1]))
}

fn reaches(model: &Model, from: CellId, to: CellId) -> bool {
    let mut seen = vec![false; model.cells()];
    let mut pending: Vec<CellId> = model.may_successors(from).to_vec();
    while let Some(cell) = pending.pop() {
        if cell == to {
            return true;
        }
        if !std::mem::replace(&mut seen[cell.index()], true) {
            pending.extend(model.may_successors(cell));
        }
    }
    false
}

fn assert_cause(model: &Model, checked: &Checked, start: CellId, cause: &Cause) {
    let shown = || format!("{} from {start:?}: {cause:?} in {model:?}", checked.subformula(checked.root()));
    assert_eq!((cause.path.first(), cause.path.last()), (Some(&start), Some(&cause.cell)), "{}", shown());
    assert!(is_path(model, &cause.path), "{}", shown());
    assert_eq!(checked.truth_of(cause.subformula, cause.cell), Truth::Maybe, "{}", shown());
    match &cause.kind {
        CauseKind::Label(atom) => assert_eq!(model.label(*atom, cause.cell), Truth::Maybe, "{}", shown()),
        CauseKind::Edge { to } => {
            assert!(model.may_successors(cause.cell).contains(to), "{}", shown());
            assert!(
                !model.must_edges(cause.cell).any(|edge| edge == [*to]),
                "the edge is known: {}",
                shown()
            );
            assert!(model.may_successors(cause.cell).len() > 1, "the edge is the only one: {}", shown());
        }
        CauseKind::Loop => assert!(reaches(model, cause.cell, cause.cell), "no loop: {}", shown()),
    }
}

#[test]
fn every_maybe_has_a_cause_that_is_one() {
    let mut kinds = [0; 3];
    for seed in 0..12_000 {
        let mut random = Random::new(seed);
        let model = abstraction(&mut random, 2).model;
        let formula = atom_formula(&mut random, 3, 2);
        let checked = check(&model, &formula, &NoProgress);
        for cell in model.cell_ids().filter(|cell| checked.truth(*cell) == Truth::Maybe) {
            let Explanation::Cause(cause) = explain(&model, &checked, cell) else {
                panic!("a Maybe needs a cause")
            };
            assert_cause(&model, &checked, cell, &cause);
            kinds[match cause.kind {
                CauseKind::Label(_) => 0,
                CauseKind::Edge { .. } => 1,
                CauseKind::Loop => 2,
            }] += 1;
        }
    }
    assert!(kinds.iter().all(|count| *count > 50), "each kind has to occur: {kinds:?}");
}

/// Proofs that loops are left can prove cells without states both ways; explaining has to stand that.
#[test]
fn contradictions_are_explained_without_a_crash() {
    let mut contradictory = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let abstraction = abstraction(&mut random, 2);
        let formula = atom_formula(&mut random, 3, 2);
        let checked = check(&abstraction.model, &formula, &abstraction);
        contradictory += checked.contradictions().len();
        for cell in abstraction.model.cell_ids() {
            let is_cause = matches!(explain(&abstraction.model, &checked, cell), Explanation::Cause(_));
            assert_eq!(is_cause, checked.truth(cell) == Truth::Maybe, "{formula}");
        }
    }
    assert!(contradictory > 0, "the case has to occur");
}

/// On a two-valued graph nothing is Maybe, and what is shown are real paths and lassos.
#[test]
fn definite_answers_are_shown_by_paths_and_lassos() {
    let (mut longer, mut lassos) = (0, 0);
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let model = if random.one_in(2) {
            abstraction(&mut random, 2).model
        } else {
            graph(&mut random, 7, 2).model()
        };
        let formula = atom_formula(&mut random, 3, 2);
        let checked = check(&model, &formula, &NoProgress);
        for cell in model.cell_ids().filter(|cell| checked.truth(*cell).is_definite()) {
            match explain(&model, &checked, cell) {
                Explanation::Path(path) => {
                    longer += usize::from(path.len() > 1);
                    assert!(path[0] == cell && is_path(&model, &path), "{formula}");
                }
                Explanation::Lasso { stem, cycle } => {
                    lassos += 1;
                    let whole: Vec<CellId> = stem.iter().chain(&cycle).chain(&cycle[..1]).copied().collect();
                    assert!(whole[0] == cell && is_path(&model, &whole), "{formula}");
                }
                Explanation::Cause(cause) => panic!("{formula} is definite but has a cause {cause:?}"),
            }
        }
    }
    assert!(longer > 100 && lassos > 100, "{longer} paths, {lassos} lassos");
}

fn explained(named: &NamedModel, formula: &str) -> Explanation {
    let formula = named.resolve(&parse(formula).expect("a formula")).expect("atoms of the model");
    let checked = check(&named.model, &formula, &NoProgress);
    explain(&named.model, &checked, named.model.initial()[0])
}

fn cells(numbers: &[u32]) -> Vec<CellId> {
    numbers.iter().copied().map(CellId).collect()
}

#[test]
fn witnesses_follow_the_formula() {
    let text = "state 0 init p\nstate 1 p\nstate 2 q\nstate 3 p\nstep 0 1 3\nstep 1 2\nstep 2 2\nstep 3 3\n";
    let named = parse_model(text).expect("a model");
    assert_eq!(explained(&named, "EF q"), Explanation::Path(cells(&[0, 1, 2])));
    assert_eq!(explained(&named, "AG p"), Explanation::Path(cells(&[0, 1, 2])));
    assert_eq!(explained(&named, "EG p"), Explanation::Lasso { stem: cells(&[0]), cycle: cells(&[3]) });
    assert_eq!(
        explained(&named, "AG (p -> AF q)"),
        Explanation::Lasso { stem: cells(&[0]), cycle: cells(&[3]) }
    );
    assert_eq!(explained(&named, "EX EX q"), Explanation::Path(cells(&[0, 1, 2])));
    assert_eq!(explained(&named, "!(q || AG !q)"), Explanation::Path(cells(&[0, 1, 2])));
    assert_eq!(explained(&named, "AG EF p"), Explanation::Path(cells(&[0, 1, 2])));
    assert_eq!(explained(&named, "AG (p || q)"), Explanation::Path(cells(&[0])), "about all runs");
}

#[test]
fn causes_are_the_nearest_ones() {
    let label = parse_model("state 0 init p\nstate 1 p\nstate 2 p?\nstep 0 1\nstep 1 2\n").expect("a model");
    let Explanation::Cause(cause) = explained(&label, "AG p") else { panic!("Maybe") };
    assert_eq!((cause.kind, cause.path), (CauseKind::Label(AtomId(0)), cells(&[0, 1, 2])));

    let edge = parse_model("state 0 init\nstate 1 p\nstate 2\nmay 0 1 2\n").expect("a model");
    for formula in ["EX p", "EF p", "AG !p", "AX !p"] {
        let Explanation::Cause(cause) = explained(&edge, formula) else { panic!("Maybe") };
        assert_eq!((cause.kind, cause.path), (CauseKind::Edge { to: CellId(1) }, cells(&[0])), "{formula}");
    }

    let looping = parse_model("state 0 init\nstate 1\nstate 2 p\nstep 0 1\nmay 1 1 2\n").expect("a model");
    for formula in ["AF p", "EG !p", "EF p", "AG !p"] {
        let Explanation::Cause(cause) = explained(&looping, formula) else { panic!("Maybe") };
        assert_eq!((cause.kind, cause.path), (CauseKind::Loop, cells(&[0, 1])), "{formula}");
    }
}
