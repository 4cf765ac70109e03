//! `kleene graph`.

use crate::support::{Folder, GOOD};

#[test]
fn a_flow_graph() {
    let ran = Folder::new().with("good.cm", GOOD).kleene(&["graph", "good.cm", "--what", "cfg"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("digraph flow {"), "{}", ran.out);
    assert!(ran.out.contains("3: x = 1"), "{}", ran.out);
    assert!(ran.out.contains("x := 1"), "{}", ran.out);
}

#[test]
fn the_structure_of_a_program() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["graph", "good.cm", "--what", "kripke", "--prop", "x == 1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("digraph model {"), "{}", ran.out);
    assert!(ran.out.contains("fillcolor=lightcoral, penwidth=2.5"), "{}", ran.out);
    assert!(ran.out.contains("fillcolor=palegreen"), "{}", ran.out);
    let plain = folder.kleene(&["graph", "good.cm", "--what", "kripke"]);
    assert!(plain.code == 0 && !plain.out.contains("fillcolor"), "{}", plain.out);
    let wrong = folder.kleene(&["graph", "good.cm", "--what", "kripke", "--prop", "AG y"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("--prop:1:4"), "{}", wrong.err);
}

#[test]
fn a_model_with_verdicts() {
    let model = "state a init\nstate b p?\nstate c p\nmay a b c\nmust a b c\nmay b b a\nstep c c\n";
    let folder = Folder::new().with("m.kripke", model);
    let ran = folder.kleene(&["graph", "m.kripke", "--what", "kripke", "--prop", "EX p"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("n1 [label=\"b\\np?\", style=filled, fillcolor=khaki];"), "{}", ran.out);
    assert!(ran.out.contains("fillcolor=palegreen"), "{}", ran.out);
    assert!(ran.out.contains("n1 -> n0 [style=dashed];"), "{}", ran.out);
    assert!(ran.out.contains("[shape=point]"), "{}", ran.out);
}

#[test]
fn wrong_calls() {
    let folder = Folder::new().with("good.cm", GOOD).with("m.kripke", "state a init\n").with("bad.cm", "int");
    for arguments in [
        ["graph", "m.kripke", "--what", "cfg"],
        ["graph", "good.cm", "--what", "picture"],
        ["graph", "gone.cm", "--what", "cfg"],
        ["graph", "bad.cm", "--what", "cfg"],
    ] {
        let ran = folder.kleene(&arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{arguments:?}");
    }
    let formula = folder.kleene(&["graph", "m.kripke", "--what", "kripke", "--prop", "AG q"]);
    assert_eq!(formula.code, 2);
    assert!(formula.err.contains("--prop:1:4"), "{}", formula.err);
}
