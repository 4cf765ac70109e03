//! What people see.

use crate::support::{Folder, GOOD};

#[test]
fn a_false_shows_its_run() {
    let program = "int x = 0;\nvoid main() {\n    int d = nondet(1, 3);\n    x = x + d;\n}\n";
    let folder = Folder::new().with("a.cm", program);
    let ran = folder.kleene(&["check", "a.cm", "--prop", "AG (x != 2)"]);
    let out = ran.timeless();
    assert!(out.starts_with("False  AG (x != 2)\n       a.cm, main · per statement · "), "{out}");
    assert!(out.contains("            3 int d = nondet(1, 3);               d ← 2\n"), "{out}");
    assert!(out.contains("            4 x = x + d;                          x = 0 → 2, ends\n"), "{out}");
    assert!(out.contains("[ a.cm:4:5 ]"), "{out}");
    assert!(out.ends_with("\n1 property: 1 false\n"), "{out}");
}

#[test]
fn a_true_says_what_it_rests_on() {
    let folder = Folder::new().with("good.cm", GOOD);
    let out = folder.kleene(&["check", "good.cm", "--prop", "AG (x <= 1)"]).out;
    assert!(out.contains("       proof: "), "{out}");
    assert!(out.ends_with("\n1 property: 1 true\n"), "{out}");
}

#[test]
fn a_maybe_shows_its_cause() {
    let folder = Folder::new().with("m.kripke", "state a init\nstate b p?\nstep a b\n");
    let expected = "\
Maybe  EF p
       m.kripke · per statement · abstract, 2 cells
   ╭─[ m.kripke:2:1 ]
   │
 2 │ state b p?
   │ ─────┬────
   │      ╰────── `p` is Maybe in state b
───╯
  way there: a → b

1 property: 1 maybe
";
    assert_eq!(folder.kleene(&["check", "m.kripke", "--prop", "EF p"]).timeless(), expected);
}

#[test]
fn a_mistake_in_a_formula_is_marked_in_it() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["check", "good.cm", "--prop", "AG at(NOWHERE)"]);
    let expected = "\
error  AG at(NOWHERE)
       good.cm, main · per statement
error: no label `NOWHERE` in this program
   ╭─[ --prop:1:4 ]
   │
 1 │ AG at(NOWHERE)
   │    ─────┬─────
   │         ╰─────── here
───╯

";
    assert_eq!(ran.err, expected);
    assert_eq!(ran.out, "1 property: 1 error\n");
}

#[test]
fn lines_fit_80_columns() {
    let long = "x + ".repeat(60) + "0";
    let program =
        format!("int x = 0;\nvoid main() {{\n    int a_rather_long_name = {long};\n    x = nondet();\n}}\n");
    let folder = Folder::new().with("a.cm", program);
    let formula = format!("AG (x == {long} || x == 0)");
    let out = folder.kleene(&["check", "a.cm", "--prop", &formula, "--prop", "AG (x == 0)"]).out;
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn colours_only_when_asked() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = |color: &str| {
        folder.kleene(&["check", "good.cm", "--prop", "AG (x <= 0)", "--prop", "(", "--color", color])
    };
    for colour in ["auto", "never"] {
        let plain = ran(colour);
        assert!(!plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'), "{colour}: {}", plain.out);
    }
    let coloured = ran("always");
    assert!(
        coloured.out.contains("\u{1b}[1;31mFalse") && coloured.err.contains('\u{1b}'),
        "{}",
        coloured.out
    );
}

#[test]
fn warnings_do_not_hide_answers() {
    let program = "int x = 0;\nvoid main() {\n    int y;\n    x = y;\n}\n";
    let folder = Folder::new().with("a.cm", program);
    let ran = folder.kleene(&["check", "a.cm", "--prop", "EF (x == 7)"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("warning") && ran.err.contains("a.cm:4:"), "{}", ran.err);
    assert!(ran.out.starts_with("True"), "{}", ran.out);
}
