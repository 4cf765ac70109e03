//! `--solver` and `--record-smt`: whatever the solver does, the verdict is right or Maybe with the reason.

use std::time::{Duration, Instant};

use crate::support::{Folder, Ran};

/// Only a solver finds the inputs.
const HIDDEN: &str = "int hit = 0;\nvoid main() {\n    int x = nondet();\n    int y = nondet();\n    \
                      if (x == (100 + y) * 567 % 2347)\n        hit = 1;\n}\n";

fn asked(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = ["check", "hidden.cm", "--prop", "AG(hit == 0)", "--format", "json"];
    folder.kleene(&[&arguments, more].concat())
}

#[test]
fn the_embedded_solver_finds_the_inputs() {
    let folder = Folder::new().with("hidden.cm", HIDDEN);
    let ran = asked(&folder, &["--solver", "embedded"]);
    assert_eq!((ran.code, ran.verdicts()), (1, vec!["false".to_string()]), "{}", ran.err);
    let result = &ran.json()["results"][0];
    assert_eq!(result["level"], "smt");
    assert_eq!(result["solver"], "embedded");
}

#[test]
fn questions_are_recorded() {
    let folder = Folder::new().with("hidden.cm", HIDDEN);
    let ran = asked(&folder, &["--solver", "embedded", "--record-smt", "asked"]);
    assert_eq!(ran.verdicts(), ["false"], "{}", ran.err);
    let recorded = std::fs::read_dir(folder.path.join("asked")).expect("the folder of questions");
    assert!(recorded.count() > 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = Folder::new().with("hidden.cm", HIDDEN);
    let ran = asked(&folder, &["--record-smt", "hidden.cm/asked"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("hidden.cm/asked"), "{}", ran.err);
}

#[test]
fn a_misspelt_solver_is_refused() {
    let folder = Folder::new().with("hidden.cm", HIDDEN);
    let ran = asked(&folder, &["--solver", "z33"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("there is no program `z33`"), "{}", ran.err);
}

/// Solvers that do not do what they should.
#[cfg(unix)]
#[test]
fn bad_solvers_cost_an_answer_and_nothing_else() {
    let broken = [
        ("garbage", "while read line; do echo no such thing; done\n", ""),
        ("ends", "exit 7\n", "ended early"),
        ("killed", "read line\nkill -9 $$\n", "ended early"),
        ("liar", "while read line; do echo sat; done\n", ""),
        ("asleep", "exec sleep 60\n", ""),
    ];
    for (name, script, reason) in broken {
        let folder = Folder::new().with("hidden.cm", HIDDEN).with(name, script);
        // Read by a shell: executing a file that was just written may fail while other tests start processes.
        let solver = format!("/bin/sh {}", folder.path.join(name).display());
        let start = Instant::now();
        let ran = asked(&folder, &["--solver", &solver, "--timeout", "8"]);
        assert_eq!((ran.code, ran.verdicts()), (0, vec!["maybe".to_string()]), "{name}: {}", ran.err);
        assert!(start.elapsed() < Duration::from_secs(40), "{name} took {:?}", start.elapsed());
        let tried = ran.json()["results"][0]["evidence"]["tried"].to_string();
        assert!(tried.contains(reason), "{name}: {tried}");
        assert!(tried.contains("solver") || tried.contains("limit of"), "{name}: {tried}");
    }
}

/// Nobody knows whether it ends, but not for the lack of trying small numbers.
#[test]
fn a_maybe_says_when_it_holds() {
    let text = "int n;\nvoid main() {\n    while (n > 1) {\n        if (n % 2 == 0)\n            n = n / 2;\n        \
                else\n            n = 3 * n + 1;\n    }\n}\n";
    let folder = Folder::new().with("collatz.cm", text);
    let arguments = ["check", "collatz.cm", "--prop", "AF terminated", "--format", "json"];
    let ran = folder.kleene(&arguments);
    assert_eq!(ran.verdicts(), ["maybe"], "{}", ran.err);
    let condition = ran.json()["results"][0]["evidence"]["holds_if"].as_str().map(String::from);
    assert_eq!(condition.as_deref(), Some("n <= 2"));
    let assumed = folder.kleene(&[&arguments[..], &["--assume", "n <= 2"]].concat());
    assert_eq!(assumed.verdicts(), ["true"], "{}", assumed.err);
}
