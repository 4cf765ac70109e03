//! On two-valued graphs the checker is exact.

use crate::explicit::Graph;
use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::{AtomId, CellId, ModelBuilder, ModelError, NoProgress, Progress, Truth, check};

fn assert_exact(graph: &Graph, formula: &kleene_ctl::Formula<AtomId>, progress: &dyn Progress) {
    let expected = graph.check(formula);
    let checked = check(&graph.model(), formula, progress);
    for (state, holds) in expected.iter().enumerate() {
        let truth = checked.truth(CellId(state as u32));
        assert_eq!(truth, Truth::from_bool(*holds), "{formula} in state {state} of {graph:?}");
    }
    assert_eq!(checked.verdict_over_initial(), Truth::from_bool(expected[0]));
}

#[test]
fn random_graphs_and_formulas_agree_with_the_textbook() {
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let states = 1 + random.below(9);
        let graph = graph(&mut random, states, 3);
        let formula = atom_formula(&mut random, 4, 3);
        assert_exact(&graph, &formula, &NoProgress);
    }
}

/// Every graph of three states with one atom, for each temporal operator over two operands.
#[test]
fn all_small_graphs_agree_with_the_textbook() {
    let texts = [
        "EX p0",
        "AX p0",
        "EF p0",
        "AF p0",
        "EG p0",
        "AG p0",
        "E[p0 U p1]",
        "A[p0 U p1]",
        "E[p0 R p1]",
        "A[p0 R p1]",
        "E[p0 W p1]",
        "A[p0 W p1]",
    ];
    let formulas: Vec<_> = texts.iter().map(|text| numbered(text)).collect();
    let rows: Vec<Vec<usize>> =
        (1..8usize).map(|bits| (0..3).filter(|state| bits >> state & 1 == 1).collect()).collect();
    for code in 0..7 * 7 * 7 {
        let successors = vec![rows[code % 7].clone(), rows[code / 7 % 7].clone(), rows[code / 49].clone()];
        for label in 0..64usize {
            let bit = |place: usize| label >> place & 1 == 1;
            let labels = vec![vec![bit(0), bit(1), bit(2)], vec![bit(3), bit(4), bit(5)]];
            let graph = Graph { successors: successors.clone(), labels };
            let model = graph.model();
            for formula in &formulas {
                let checked = check(&model, formula, &NoProgress);
                let expected = graph.check(formula);
                for (state, holds) in expected.iter().enumerate() {
                    assert_eq!(
                        checked.truth(CellId(state as u32)),
                        Truth::from_bool(*holds),
                        "{formula} {graph:?}"
                    );
                }
            }
        }
    }
}

fn numbered(text: &str) -> kleene_ctl::Formula<AtomId> {
    let parsed = kleene_ctl::parse(text).expect("a formula");
    parsed.map_atoms(&mut |atom| AtomId(atom.to_string()[1..].parse().expect("a number")))
}

/// A wide and deep graph: nothing may recurse on it.
#[test]
fn long_chains_and_large_cycles_are_no_problem() {
    let states = 200_000;
    let successors = (0..states).map(|state| vec![(state + 1) % states]).collect();
    let labels = vec![(0..states).map(|state| state == states - 1).collect(), vec![true; states]];
    let graph = Graph { successors, labels };
    let model = graph.model();
    for text in ["AF p0", "EG p1", "AG EF p0", "A[p1 U p0]", "!EF AG p0"] {
        assert_eq!(check(&model, &numbered(text), &NoProgress).verdict_over_initial(), Truth::True, "{text}");
    }
}

#[test]
fn equal_subformulas_are_evaluated_once_but_occur_twice() {
    let graph = graph(&mut Random::new(7), 5, 2);
    let formula = numbered("EF p0 && AG (p1 -> EF p0)");
    let checked = check(&graph.model(), &formula, &NoProgress);
    let future: Vec<_> =
        checked.subformulas().filter(|sub| checked.subformula(*sub).to_string() == "EF p0").collect();
    assert_eq!(future.len(), 2);
    assert_ne!(checked.parent(future[0]), checked.parent(future[1]));
    assert_eq!(checked.parent(checked.root()), None);
    assert_eq!(checked.subformula(checked.root()), formula);
    assert!(std::ptr::eq(checked.must_hold(future[0]), checked.must_hold(future[1])));
    for sub in checked.subformulas() {
        for operand in checked.operands(sub) {
            assert!(operand < sub && checked.parent(operand) == Some(sub));
        }
    }
}

#[test]
fn builder_checks_and_completes() {
    let cell = CellId;
    let mut builder = ModelBuilder::new(3, 1);
    builder.may(cell(0), cell(1));
    builder.may(cell(0), cell(1));
    builder.may(cell(0), cell(2));
    builder.must(cell(0), &[cell(2), cell(1), cell(2)]);
    builder.must(cell(0), &[cell(1), cell(2)]);
    builder.label(AtomId(0), cell(1), Truth::Maybe);
    builder.initial(cell(0));
    builder.initial(cell(0));
    let model = builder.build().expect("well-formed");
    assert_eq!((model.cells(), model.may_edge_count(), model.must_edge_count()), (3, 4, 3));
    assert_eq!(model.may_successors(cell(0)), [cell(1), cell(2)]);
    assert_eq!(model.may_predecessors(cell(1)), [cell(0), cell(1)]);
    assert_eq!(model.must_edges(cell(0)).collect::<Vec<_>>(), [&[cell(1), cell(2)]]);
    assert_eq!(model.must_edges(cell(1)).collect::<Vec<_>>(), [&[cell(1)]], "the added self-loop");
    assert_eq!(model.label(AtomId(0), cell(1)), Truth::Maybe);
    assert_eq!(model.label(AtomId(0), cell(0)), Truth::False);
    assert_eq!(model.initial(), [cell(0)]);
    assert!(!model.edges_are_exact());
}

#[test]
fn builder_refuses_what_is_no_model() {
    let cell = CellId;
    let error = |describe: fn(&mut ModelBuilder)| {
        let mut builder = ModelBuilder::new(2, 1);
        describe(&mut builder);
        builder.build().expect_err("not a model")
    };
    let outside = error(|builder| {
        builder.may(CellId(0), CellId(1));
        builder.must(CellId(0), &[CellId(0), CellId(1)]);
    });
    assert_eq!(outside, ModelError::MustOutsideMay { from: cell(0), to: cell(0) });
    assert_eq!(error(|builder| builder.may(CellId(0), CellId(2))), ModelError::UnknownCell(cell(2)));
    assert_eq!(error(|builder| builder.must(CellId(0), &[])), ModelError::EmptyMust { from: cell(0) });
    let unknown = error(|builder| builder.label(AtomId(1), CellId(0), Truth::True));
    assert_eq!(unknown, ModelError::UnknownAtom(AtomId(1)));
    assert_eq!(unknown.to_string(), "atom 1 does not exist");
}
