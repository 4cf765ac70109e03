//! The document for machines.

use crate::support::{Folder, GOOD};

const LOOPS: &str = "\
int n;
int x = 0;
void main() {
    n = nondet(0, 40);
    while (x < n) {
        x = x + 1;
    }
}
";

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn fields_stand_in_the_documented_order() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["check", "good.cm", "--prop", "AG (x <= 1)", "--format", "json"]);
    let document = ran.json();
    assert_eq!(keys(&document), ["schema", "results", "diagnostics", "summary"]);
    assert_eq!(document["schema"], "kleene/1");
    let result = &document["results"][0];
    let expected = "id file line column function property lint granularity verdict severity level seconds model \
                    vacuous evidence message solver";
    assert_eq!(keys(result), expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(keys(&result["model"]), ["cells", "may", "must"]);
    assert_eq!(keys(&document["summary"]), ["true", "false", "maybe", "errors"]);
    assert_eq!(result["id"], "good.cm#1");
    assert_eq!(result["function"], "main");
    assert_eq!(result["lint"], serde_json::Value::Null);
    assert_eq!(result["severity"], "none");
    assert!(result["seconds"].is_f64());
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn a_run_has_its_steps() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["check", "good.cm", "--prop", "AG (x <= 0)", "--format", "json"]);
    let result = ran.json()["results"][0].clone();
    assert_eq!(result["severity"], "error");
    let run = &result["evidence"];
    assert_eq!(keys(run), ["kind", "initial", "steps", "cycle", "length", "conclusion"]);
    let step = &run["steps"][0];
    assert_eq!(keys(step), ["index", "line", "column", "what", "inputs", "changes", "outcome"]);
    assert_eq!(step["line"], 3);
    assert_eq!(step["changes"], serde_json::json!([{"name": "x", "value": 1}]));
}

#[test]
fn one_entry_per_file_and_property_with_numbers_per_file() {
    let folder = Folder::new().with("a.cm", GOOD).with("b.cm", GOOD);
    let arguments =
        ["check", "a.cm", "b.cm", "--prop", "EF terminated", "--prop", "AG (x <= 0)", "--format", "json"];
    let document = folder.kleene(&arguments).json();
    let ids: Vec<_> =
        document["results"].as_array().expect("a list").iter().map(|result| &result["id"]).collect();
    assert_eq!(ids, ["a.cm#1", "a.cm#2", "b.cm#1", "b.cm#2"]);
    assert_eq!(document["summary"], serde_json::json!({"true": 2, "false": 2, "maybe": 0, "errors": 0}));
}

#[test]
fn files_that_cannot_be_read_still_have_their_entries() {
    let folder = Folder::new().with("bad.cm", "int x;\nvoid main() { y = 1; }\n");
    let arguments = ["check", "bad.cm", "gone.cm", "--prop", "EF terminated", "--format", "json"];
    let ran = folder.kleene(&arguments);
    let document = ran.json();
    assert_eq!(ran.code, 2);
    assert_eq!(ran.verdicts(), ["error", "error"]);
    assert_eq!(document["results"][0]["line"], 2);
    let diagnostics = document["diagnostics"].as_array().expect("a list");
    assert_eq!(keys(&diagnostics[0]), ["file", "line", "column", "severity", "message", "help"]);
    assert_eq!((&diagnostics[0]["file"], &diagnostics[0]["line"]), (&"bad.cm".into(), &2.into()));
    assert_eq!(diagnostics.last().expect("one per file")["file"], "gone.cm");
}

#[test]
fn a_wrong_call_still_prints_a_document() {
    let folder = Folder::new().with("good.cm", GOOD);
    let ran = folder.kleene(&["check", "good.cm", "--format", "json"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.json()["results"], serde_json::json!([]));
    assert_eq!(ran.json()["diagnostics"][0]["message"], "no property to check");
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let mut folder =
        Folder::new().with("good.cm", GOOD).with("bad.cm", "int").with("m.kripke", "state a init x?\n");
    let mut arguments = vec!["check".to_string()];
    for number in 0..6 {
        let name = format!("loop{number}.cm");
        folder = folder.with(&name, LOOPS.replace("40", &format!("{}", 60 - 10 * number)));
        arguments.push(name);
    }
    arguments.extend(["good.cm", "bad.cm", "m.kripke", "gone.cm"].map(String::from));
    for formula in ["AG (x <= 12)", "AF terminated", "EF x", "AG ("] {
        arguments.extend(["--prop".into(), formula.into()]);
    }
    for format in ["json", "human"] {
        let run = |jobs: &str| {
            let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
            all.extend(["--format", format, "--jobs", jobs]);
            let ran = folder.kleene(&all);
            (ran.code, ran.timeless(), ran.err)
        };
        assert_eq!(run("1"), run("2"));
        assert_eq!(run("1"), run("7"));
    }
}

/// The safety-injection system fails after pressing Block twice and Reset twice; no iteration of the run is
/// superfluous.
#[test]
fn runs_leave_out_iterations_that_do_not_matter() {
    let folder = Folder::new().with("sis.cm", include_str!("../../../fixtures/papers/E-SIS-A.cm"));
    let properties = [
        "AG(Reset == 1 && Pressure != 2 -> Overriden == 0)",
        "AG(Reset == 1 && Pressure == 0 -> Injection == 1)",
    ];
    for property in properties {
        let ran = folder.kleene(&[
            "check",
            "sis.cm",
            "--granularity",
            "tick",
            "--prop",
            property,
            "--format",
            "json",
        ]);
        let result = &ran.json()["results"][0];
        assert_eq!(result["verdict"], "false", "{property}");
        let steps = result["evidence"]["steps"].as_array().expect("a run");
        let drawn = steps.iter().flat_map(|step| step["inputs"].as_array().expect("inputs"));
        let pressed = drawn.filter(|input| input["name"] == "semo").map(|input| input["value"].as_i64());
        // The first value is the declaration's.
        let mut pressed: Vec<Option<i64>> = pressed.skip(1).collect();
        pressed.sort_unstable();
        assert_eq!(pressed, [1, 1, 2, 2].map(Some), "{property}");
    }
}
