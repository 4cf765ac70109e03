//! Definite answers on abstractions are never wrong.
//!
//! Each test makes a concrete graph, covers it with random overlapping cells (some of them empty), and builds
//! may edges, must hyper-edges and labels by their definitions, randomly weakened. What the checker then says
//! for sure has to be so in every concrete state of the cell.

use crate::explicit::Graph;
use crate::generate::{Random, atom_formula, graph};
use kleene_ctl::{AtomId, CellId, Checked, Model, ModelBuilder, NoProgress, Progress, Truth, check};

pub struct Abstraction {
    pub graph: Graph,
    /// By cell, its concrete states.
    pub states: Vec<Vec<usize>>,
    pub model: Model,
}

pub fn abstraction(random: &mut Random, atoms: usize) -> Abstraction {
    let states = 2 + random.below(8);
    let cells = 1 + random.below(6);
    // From models that know every must edge to models that know hardly any.
    let known_in_eight = random.pick(&[1, 2, 4, 6, 8]);
    let graph = graph(random, states, atoms);
    let mut members = vec![Vec::new(); cells];
    for state in 0..states {
        let home = random.below(cells);
        (0..cells)
            .filter(|cell| *cell == home || random.one_in(6))
            .for_each(|cell| members[cell].push(state));
    }
    let mut builder = ModelBuilder::new(cells, atoms);
    for cell in 0..cells {
        let may = may_edges(random, &graph, &members, cell);
        may.iter().for_each(|to| builder.may(id(cell), id(*to)));
        for set in 1..1usize << may.len() {
            let targets: Vec<usize> =
                may.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, to)| *to).collect();
            if is_must(&graph, &members, cell, &targets) && random.below(8) < known_in_eight {
                builder.must(id(cell), &targets.iter().map(|to| id(*to)).collect::<Vec<_>>());
            }
        }
        for atom in 0..atoms {
            let truth = if random.one_in(8) { Truth::Maybe } else { label(&graph, &members[cell], atom) };
            builder.label(AtomId(atom as u32), id(cell), truth);
        }
    }
    builder.initial(id(0));
    Abstraction { graph, states: members, model: builder.build().expect("built by definition") }
}

fn id(cell: usize) -> CellId {
    CellId(cell as u32)
}

/// Each concrete step is covered by some edge, not by all that could; a few edges cover nothing.
fn may_edges(random: &mut Random, graph: &Graph, members: &[Vec<usize>], cell: usize) -> Vec<usize> {
    let mut may = Vec::new();
    for state in &members[cell] {
        for to in &graph.successors[*state] {
            let homes: Vec<usize> = (0..members.len()).filter(|home| members[*home].contains(to)).collect();
            may.push(random.pick(&homes));
        }
    }
    if may.is_empty() || random.one_in(6) {
        may.push(random.below(members.len()));
    }
    may.sort_unstable();
    may.dedup();
    may
}

fn is_must(graph: &Graph, members: &[Vec<usize>], cell: usize, targets: &[usize]) -> bool {
    let inside = |state: &usize| targets.iter().any(|to| members[*to].contains(state));
    members[cell].iter().all(|state| graph.successors[*state].iter().any(inside))
}

fn label(graph: &Graph, states: &[usize], atom: usize) -> Truth {
    let holds = states.iter().filter(|state| graph.labels[atom][**state]).count();
    match holds {
        0 => Truth::False,
        all if all == states.len() => Truth::True,
        _ => Truth::Maybe,
    }
}

/// The strongest sound answers: looks for an infinite concrete run that follows the given edges.
impl Progress for Abstraction {
    fn no_infinite_stay(&self, model: &Model, cells: &[CellId]) -> bool {
        let inside = |to: &CellId| cells.contains(to);
        let steps: Vec<_> = cells
            .iter()
            .map(|cell| (*cell, model.may_successors(*cell).iter().copied().filter(inside).collect()))
            .collect();
        self.no_infinite_stay_under(model, &steps)
    }

    fn no_infinite_stay_under(&self, _: &Model, strategy: &[(CellId, Vec<CellId>)]) -> bool {
        let mut alive: Vec<(usize, usize)> = Vec::new();
        for (place, (cell, _)) in strategy.iter().enumerate() {
            alive.extend(self.states[cell.index()].iter().map(|state| (place, *state)));
        }
        loop {
            let goes_on = |(place, state): &(usize, usize)| {
                alive.iter().any(|(next, to)| {
                    strategy[*place].1.contains(&strategy[*next].0)
                        && self.graph.successors[*state].contains(to)
                })
            };
            let kept: Vec<_> = alive.iter().copied().filter(goes_on).collect();
            if kept.len() == alive.len() {
                return kept.is_empty();
            }
            alive = kept;
        }
    }
}

/// Compares every subformula and returns how many answers were definite.
fn assert_sound(abstraction: &Abstraction, checked: &Checked) -> usize {
    let mut definite = 0;
    for sub in checked.subformulas() {
        let formula = checked.subformula(sub);
        let concrete = abstraction.graph.check(&formula);
        for cell in abstraction.model.cell_ids() {
            let Some(claim) = checked.truth_of(sub, cell).to_bool() else { continue };
            definite += 1;
            for state in &abstraction.states[cell.index()] {
                assert_eq!(
                    claim, concrete[*state],
                    "{formula} in cell {cell:?}, state {state}\n{:?}\n{:?}\n{:?}",
                    abstraction.graph, abstraction.states, abstraction.model
                );
            }
        }
    }
    definite
}

#[test]
fn definite_answers_hold_in_all_states_of_the_cell() {
    let (mut plain, mut ranked) = (0, 0);
    for seed in 0..12_000 {
        let mut random = Random::new(seed);
        let abstraction = abstraction(&mut random, 2);
        let formula = atom_formula(&mut random, 3, 2);
        let without = check(&abstraction.model, &formula, &NoProgress);
        let with = check(&abstraction.model, &formula, &abstraction);
        plain += assert_sound(&abstraction, &without);
        ranked += assert_sound(&abstraction, &with);
        for (sub, cell) in with.contradictions() {
            assert!(abstraction.states[cell.index()].is_empty(), "{sub:?} proved both ways in a real cell");
        }
        assert!(without.contradictions().is_empty());
    }
    assert!(ranked > plain, "proofs that loops are left must decide something: {ranked} against {plain}");
}

/// A counter that runs down: `loop → {loop, done}` is a hyper-edge, and only a ranking shows that it ends.
struct Countdown;

impl Progress for Countdown {
    fn no_infinite_stay(&self, _: &Model, cells: &[CellId]) -> bool {
        cells == [CellId(0)]
    }

    fn no_infinite_stay_under(&self, _: &Model, strategy: &[(CellId, Vec<CellId>)]) -> bool {
        strategy == [(CellId(0), vec![CellId(0), CellId(1)])]
    }
}

#[test]
fn a_ranking_lets_a_loop_into_both_least_fixpoints() {
    let mut builder = ModelBuilder::new(3, 1);
    builder.may(CellId(0), CellId(0));
    builder.may(CellId(0), CellId(1));
    builder.label(AtomId(0), CellId(1), Truth::True);
    builder.initial(CellId(0));
    let model = builder.clone().build().expect("a model");
    let verdict = |model: &Model, text: &str, progress: &dyn Progress| {
        let formula = kleene_ctl::parse(text).expect("a formula").map_atoms(&mut |_| AtomId(0));
        check(model, &formula, progress).verdict_over_initial()
    };
    for (text, proved) in
        [("AF p", Truth::True), ("EF p", Truth::True), ("EG !p", Truth::False), ("AG !p", Truth::False)]
    {
        assert_eq!(verdict(&model, text, &NoProgress), Truth::Maybe, "{text}");
        assert_eq!(verdict(&model, text, &Countdown), proved, "{text}");
    }
    // An exit outside the fixpoint voids the rule.
    builder.may(CellId(0), CellId(2));
    let model = builder.build().expect("a model");
    for text in ["AF p", "EF p", "EG !p", "AG !p"] {
        assert_eq!(verdict(&model, text, &Countdown), Truth::Maybe, "{text}");
    }
}

/// A may cycle is no infinite run, and a may edge no step.
#[test]
fn may_edges_alone_prove_nothing_existential() {
    let mut builder = ModelBuilder::new(2, 1);
    builder.may(CellId(0), CellId(0));
    builder.may(CellId(0), CellId(1));
    builder.label(AtomId(0), CellId(0), Truth::True);
    builder.initial(CellId(0));
    let model = builder.build().expect("a model");
    for (text, expected) in [
        ("EG p", Truth::Maybe),
        ("AF !p", Truth::Maybe),
        ("EX p", Truth::Maybe),
        ("EX (p || !p)", Truth::True),
        ("AX p", Truth::Maybe),
        ("EX EX EX p", Truth::Maybe),
        ("EX AX !p", Truth::Maybe),
    ] {
        let formula = kleene_ctl::parse(text).expect("a formula").map_atoms(&mut |_| AtomId(0));
        assert_eq!(check(&model, &formula, &NoProgress).verdict_over_initial(), expected, "{text}");
    }
}
