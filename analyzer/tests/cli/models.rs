//! `.kripke` files.

use crate::support::Folder;

const MODEL: &str = "\
# a goes round or gets stuck in c
state a init p
state b q?
state c p
step a b
may  b a c
must b a c
step c c
";

fn check(arguments: &[&str]) -> crate::support::Ran {
    let folder = Folder::new().with("m.kripke", MODEL);
    folder.kleene(&[&["check", "m.kripke"], arguments].concat())
}

fn entry(formula: &str) -> serde_json::Value {
    check(&["--prop", formula, "--format", "json"]).json()["results"][0].clone()
}

#[test]
fn verdicts() {
    for (formula, verdict) in [
        ("p", "true"),
        ("EX !p", "true"),
        ("AG p", "false"),
        ("EF q", "maybe"),
        ("AG EF p", "true"),
        ("EX EX p", "true"),
        ("EG p", "false"),
        ("AF !p", "true"),
    ] {
        assert_eq!(entry(formula)["verdict"], verdict, "{formula}");
    }
}

#[test]
fn evidence_names_states() {
    let path = entry("AG p");
    assert_eq!(path["evidence"]["kind"], "run");
    assert_eq!(path["evidence"]["states"], serde_json::json!(["a", "b"]));
    assert_eq!((&path["line"], &path["column"]), (&3.into(), &1.into()));
    assert_eq!(path["function"], serde_json::Value::Null);
    let cause = entry("EF q");
    assert_eq!(cause["evidence"]["kind"], "cause");
    assert_eq!(cause["evidence"]["cause"], "label");
    assert_eq!(cause["evidence"]["state"], "b");
    assert_eq!(entry("AG EF p")["evidence"]["kind"], "proof");
    assert_eq!(entry("AG EF p")["model"]["cells"], 3);
}

#[test]
fn lassos_say_where_they_turn() {
    let folder = Folder::new().with("q.kripke", "state a init\nstate b q\nstep a a b\n");
    let ran = folder.kleene(&["check", "q.kripke", "--prop", "AF q", "--format", "json"]);
    let evidence = ran.json()["results"][0]["evidence"].clone();
    assert_eq!(evidence["cycle"], 0, "{evidence}");
    let human = folder.kleene(&["check", "q.kripke", "--prop", "AF q"]);
    assert!(human.out.contains("(for ever: a)"), "{}", human.out);
}

#[test]
fn vacuity_names_the_parts() {
    assert_eq!(entry("EX !p")["vacuous"], false);
    let folder = Folder::new().with("v.kripke", "state a init p\nstate b q\nstep a b\n");
    let ran = folder.kleene(&["check", "v.kripke", "--prop", "AG (p && q -> EF p)"]);
    assert!(ran.out.contains("vacuous: the parts `EF p`, `q` do not matter"), "{}", ran.out);
}

#[test]
fn assumptions_choose_among_initial_states() {
    let folder = Folder::new().with("i.kripke", "state a init p\nstate b init\nstate c init q?\n");
    let status = |assume: &str| {
        let ran =
            folder.kleene(&["check", "i.kripke", "--prop", "p", "--assume", assume, "--format", "json"]);
        (ran.verdicts().remove(0), ran.code)
    };
    assert_eq!(status("true"), ("false".into(), 1));
    assert_eq!(status("p"), ("true".into(), 0));
    assert_eq!(status("p || q"), ("maybe".into(), 0));
    assert_eq!(status("p && q"), ("error".into(), 2));
    assert_eq!(status("EF p"), ("error".into(), 2));
}

#[test]
fn mistakes() {
    let granularity = check(&["--prop", "p", "--granularity", "tick"]);
    assert_eq!(granularity.code, 2);
    assert!(granularity.err.contains("statement"), "{}", granularity.err);
    let atom = check(&["--prop", "AG r"]);
    assert_eq!(atom.code, 2);
    assert!(atom.err.contains("--prop:1:4") && atom.err.contains("`r`"), "{}", atom.err);
    assert_eq!(check(&["--prop", "x > 1"]).code, 2);
    let folder = Folder::new().with("m.kripke", "state a init\nstep a b\n").with("n.kripke", "state a\n");
    let undeclared = folder.kleene(&["check", "m.kripke", "--prop", "true"]);
    assert_eq!(undeclared.code, 2);
    assert!(undeclared.err.contains("m.kripke:2:8"), "{}", undeclared.err);
    let endless = folder.kleene(&["check", "n.kripke", "--prop", "true"]);
    assert_eq!(endless.code, 2);
    assert!(endless.err.contains("no initial state"), "{}", endless.err);
}

#[test]
fn a_large_model_is_read() {
    let mut text = String::from("state s0 init\n");
    for state in 1..100_000 {
        text += &format!("state s{state}\nstep s{} s{state}\n", state - 1);
    }
    let folder = Folder::new().with("big.kripke", text + "state last goal\nstep s99999 last\n");
    let ran = folder.kleene(&["check", "big.kripke", "--prop", "AF goal"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.len() < 2_000, "{}", ran.out.len());
}
