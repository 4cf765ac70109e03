//! The `.kripke` form.

use crate::check_sound::abstraction;
use crate::generate::{Random, graph};
use kleene_ctl::{
    AtomId, CellId, Model, NamedModel, NoProgress, Truth, check, parse, parse_model, print_model,
};

fn errors(text: &str) -> Vec<String> {
    parse_model(text).map(|_| ()).expect_err(text).iter().map(ToString::to_string).collect()
}

#[test]
fn every_item_is_understood() {
    let text = "# a comment\nstate 0 init p q? !r  # trailing\n\nstate one\r\nstate 2 r\nmay 0 one 2\nmust 0 2 one\n\tstep one 0 2\n";
    let named = parse_model(text).expect("a model");
    let model = &named.model;
    assert_eq!(named.state_names, ["0", "one", "2"]);
    assert_eq!(named.atom_names, ["p", "q", "r"]);
    assert_eq!(model.initial(), [CellId(0)]);
    let labels = |cell| (0..3).map(|atom| model.label(AtomId(atom), CellId(cell))).collect::<Vec<_>>();
    assert_eq!(labels(0), [Truth::True, Truth::Maybe, Truth::False]);
    assert_eq!(labels(2), [Truth::False, Truth::False, Truth::True]);
    assert_eq!(model.must_edges(CellId(0)).collect::<Vec<_>>(), [&[CellId(1), CellId(2)]]);
    assert_eq!(model.must_edges(CellId(1)).count(), 2);
    assert_eq!(model.may_successors(CellId(2)), [CellId(2)], "a state without successor loops");
    assert_eq!((named.state("2"), named.atom("q")), (Some(CellId(2)), Some(AtomId(1))));
}

#[test]
fn formulas_use_plain_atom_names() {
    let named = parse_model("state a init p terminated\nstate b failed\nstep a b\n").expect("a model");
    let verdict = |text: &str| {
        let formula = named.resolve(&parse(text).expect("a formula"))?;
        Ok(check(&named.model, &formula, &NoProgress).verdict_over_initial())
    };
    assert_eq!(verdict("terminated && AX (failed && !p)"), Ok(Truth::True));
    let unknown: kleene_ctl::ParseError = verdict("AG zz").expect_err("no such atom");
    assert_eq!((unknown.message.as_str(), unknown.span.start), ("the model has no atom `zz`", 3));
    let wrong = verdict("p && x > 1").expect_err("no comparison");
    assert_eq!((wrong.message.as_str(), wrong.span.start), ("`x > 1` is not an atom of a model file", 5));
}

#[test]
fn all_mistakes_are_reported_in_order() {
    let text = "state 0 init p !p\nstate 0\nedge 0 1\nmay 0 7\nmay\nmust 0\nstate 1 AG x-y\nstate %\nstate\n";
    let expected = [
        "1:16: state `0` gives atom `p` two values",
        "2:7: state `0` is declared twice",
        "3:1: `edge` is not an item; items are `state`, `may`, `must` and `step`",
        "4:7: state `7` is not declared",
        "5:1: an edge needs a state to start from",
        "6:1: an edge needs at least one state to lead to",
        "7:9: `AG` cannot be an atom: no formula could mention it",
        "7:12: `x-y` cannot be an atom: no formula could mention it",
        "8:7: `%` is not a state: states are numbers or names",
        "9:1: `state` needs a state",
    ];
    assert_eq!(errors(text), expected);
}

#[test]
fn endless_mistakes_are_counted() {
    let found = errors(&"edge\n".repeat(250));
    assert_eq!(found.len(), 100);
    assert!(found[99].ends_with("(and 150 more mistakes in this file)"), "{}", found[99]);
}

#[test]
fn models_that_make_no_sense_are_refused() {
    assert_eq!(errors(""), ["1:1: the model has no state"]);
    assert_eq!(errors("state 0\n"), ["1:1: the model has no initial state: mark one with `init`"]);
    let outside = "state 0 init\nstate 1\nmay 0 1\nmust 0 0 1\nmust 1 0\n";
    let expected = [
        "4:1: a must edge leads from `0` to `0`, but no `may 0 0` does",
        "5:1: a must edge leads from `1` to `0`, but no `may 1 0` does",
    ];
    assert_eq!(errors(outside), expected);
}

fn assert_same(a: &Model, b: &Model) {
    assert_eq!((a.cells(), a.atoms(), a.initial()), (b.cells(), b.atoms(), b.initial()));
    for cell in a.cell_ids() {
        assert_eq!(a.may_successors(cell), b.may_successors(cell));
        assert!(a.must_edges(cell).eq(b.must_edges(cell)));
        for atom in 0..a.atoms() as u32 {
            assert_eq!(a.label(AtomId(atom), cell), b.label(AtomId(atom), cell));
        }
    }
}

#[test]
fn printing_round_trips() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let model = if random.one_in(2) {
            abstraction(&mut random, 3).model
        } else {
            graph(&mut random, 6, 3).model()
        };
        let state_names =
            (0..model.cells()).map(|cell| if cell % 2 == 0 { format!("s{cell}") } else { cell.to_string() });
        let named = NamedModel {
            state_names: state_names.collect(),
            atom_names: vec!["p".into(), "q".into(), "r_1".into()],
            model,
        };
        let text = print_model(&named);
        let again = parse_model(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        assert_eq!((&again.state_names, &again.atom_names), (&named.state_names, &named.atom_names));
        assert_same(&again.model, &named.model);
        assert_eq!(print_model(&again), text);
    }
}

#[test]
fn random_text_never_crashes_the_reader() {
    const PIECES: [&str; 18] = [
        "state ",
        "may ",
        "must ",
        "step ",
        "0",
        "1 ",
        "init ",
        "p ",
        "!p ",
        "p? ",
        "\n",
        "\n",
        "#",
        "é",
        "\r\n",
        " ",
        "99999999999",
        "?",
    ];
    let (mut good, mut bad) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let text = match random.below(3) {
            0 => (0..random.below(30)).map(|_| random.pick(&PIECES)).collect::<String>(),
            1 => {
                let lines = [
                    "state 0 init p\n",
                    "state 1 p?\n",
                    "may 0 1 0\n",
                    "must 0 1 0\n",
                    "step 1 0\n",
                    "step 0 2\n",
                ];
                (0..random.below(8)).map(|_| random.pick(&lines)).collect()
            }
            _ => {
                let bytes: Vec<u8> = (0..random.below(40)).map(|_| (random.next() >> 40) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        match parse_model(&text) {
            Ok(named) => {
                good += 1;
                assert!(named.model.cell_ids().all(|cell| !named.model.may_successors(cell).is_empty()));
            }
            Err(errors) => {
                bad += 1;
                assert!(!errors.is_empty(), "{text:?}");
                assert!(
                    errors.iter().all(|error| text.get(error.span.start..error.span.end).is_some()),
                    "{text:?}"
                );
            }
        }
    }
    assert!(good > 100 && bad > 1_000, "{good} read, {bad} refused");
}

#[test]
fn large_files_load() {
    use std::fmt::Write;
    let mut random = Random::new(1);
    let states = 100_000;
    let mut text = String::new();
    for state in 0..states {
        let _ = writeln!(text, "state {state}{}", if state == 0 { " init p" } else { "" });
    }
    for state in 0..states {
        let _ = writeln!(text, "step {state} {} {}", random.below(states), (state + 1) % states);
    }
    let named = parse_model(&text).expect("a model");
    assert_eq!(named.model.cells(), states);
    assert!(named.model.edges_are_exact());
    let formula = named.resolve(&parse("AG EF p").expect("a formula")).expect("an atom");
    assert_eq!(check(&named.model, &formula, &NoProgress).verdict_over_initial(), Truth::True);
}
