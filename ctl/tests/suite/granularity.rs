//! The two translations against graphs built for the purpose: the quotient of visible states, and the graph
//! without the states from which every run is discarded.

use crate::explicit::Graph;
use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::{AtomId, CellId, Formula, NoProgress, Truth};
use kleene_ctl::{
    at_first_visible, check, granularity::visible_size, live, parse, read_on_visible, restrict_to_live,
};

const VISIBLE: AtomId = AtomId(2);
const DISCARDED: AtomId = AtomId(3);

/// The graph restricted to some states, with the labels that go with them.
fn induced(graph: &Graph, kept: &[usize], successors: impl Fn(usize) -> Vec<usize>) -> Graph {
    let place = |state: usize| kept.iter().position(|known| *known == state);
    Graph {
        successors: kept
            .iter()
            .map(|state| successors(*state).into_iter().filter_map(place).collect())
            .collect(),
        labels: graph.labels.iter().map(|label| kept.iter().map(|state| label[*state]).collect()).collect(),
    }
}

/// Visible states; an edge for each path through invisible ones, a self-loop for silent divergence.
fn visible_quotient(graph: &Graph) -> (Graph, Vec<usize>) {
    let visible = |state: usize| graph.labels[VISIBLE.index()][state];
    let kept: Vec<usize> = (0..graph.states()).filter(|state| visible(*state)).collect();
    let silent_for_ever = graph.check(&live(VISIBLE));
    let quotient = induced(graph, &kept, |from| {
        let mut reached = Vec::new();
        let mut seen = vec![false; graph.states()];
        let mut pending = graph.successors[from].clone();
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                if visible(state) {
                    reached.push(state);
                } else {
                    pending.extend(&graph.successors[state]);
                }
            }
        }
        if graph.successors[from].iter().any(|to| silent_for_ever[*to]) && !reached.contains(&from) {
            reached.push(from);
        }
        reached
    });
    (quotient, kept)
}

fn live_part(graph: &Graph) -> (Graph, Vec<usize>) {
    let is_live = graph.check(&live(DISCARDED));
    let kept: Vec<usize> = (0..graph.states()).filter(|state| is_live[*state]).collect();
    (induced(graph, &kept, |state| graph.successors[state].clone()), kept)
}

/// Four atoms: two plain ones, the visible bit, and the discarded sink, which is the last state.
fn random_graph(random: &mut Random) -> Graph {
    let states = 2 + random.below(8);
    let mut graph = graph(random, states, 4);
    graph.labels[DISCARDED.index()] = (0..states).map(|state| state == states - 1).collect();
    graph.successors[states - 1] = vec![states - 1];
    graph
}

fn assert_agrees(
    original: &Graph,
    translated: &Formula<AtomId>,
    small: &Graph,
    kept: &[usize],
    f: &Formula<AtomId>,
) {
    let expected = small.check(f);
    let checked = check(&original.model(), translated, &NoProgress);
    for (place, state) in kept.iter().enumerate() {
        let truth = checked.truth(CellId(*state as u32));
        assert_eq!(truth, Truth::from_bool(expected[place]), "{f} in state {state} of {original:?}");
    }
}

#[test]
fn visible_reading_is_checking_the_quotient() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let formula = atom_formula(&mut random, 3, 2);
        let (quotient, kept) = visible_quotient(&graph);
        assert_agrees(&graph, &read_on_visible(&formula, VISIBLE), &quotient, &kept, &formula);
    }
}

#[test]
fn live_reading_is_checking_the_live_part() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let formula = atom_formula(&mut random, 3, 2);
        let (part, kept) = live_part(&graph);
        assert_agrees(&graph, &restrict_to_live(&formula, DISCARDED), &part, &kept, &formula);
    }
}

#[test]
fn visible_first_then_live_is_the_quotient_of_the_live_part() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let formula = atom_formula(&mut random, 3, 2);
        let (part, live_states) = live_part(&graph);
        let (quotient, visible_places) = visible_quotient(&part);
        let kept: Vec<usize> = visible_places.iter().map(|place| live_states[*place]).collect();
        let translated = restrict_to_live(&read_on_visible(&formula, VISIBLE), DISCARDED);
        assert_agrees(&graph, &translated, &quotient, &kept, &formula);
    }
}

#[test]
fn first_visible_states_are_those_met_first() {
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let visible = &graph.labels[VISIBLE.index()];
        let mut seen = vec![false; graph.states()];
        let mut pending = vec![0];
        let mut all_hold = true;
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                if visible[state] {
                    all_hold &= graph.labels[0][state];
                } else {
                    pending.extend(&graph.successors[state]);
                }
            }
        }
        let formula = at_first_visible(Formula::Atom(AtomId(0)), VISIBLE);
        let verdict = check(&graph.model(), &formula, &NoProgress).verdict_over_initial();
        assert_eq!(verdict, Truth::from_bool(all_hold), "{graph:?}");
    }
}

#[test]
fn visible_size_is_the_size_and_saturates() {
    for seed in 0..500 {
        let formula = atom_formula(&mut Random::new(seed), 4, 2);
        assert_eq!(visible_size(&formula), read_on_visible(&formula, VISIBLE).size(), "{formula}");
    }
    let nested = parse(&("EX ".repeat(200) + "x")).expect("a formula");
    assert_eq!(visible_size(&nested), usize::MAX);
}
