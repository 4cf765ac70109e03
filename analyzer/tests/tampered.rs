//! Evidence that was changed: refused, or still evidence for the very same verdict.

use kleene::evidence::certificate::{Document, Entry};
use kleene::frontend::Language;
use kleene::pipeline::{Options, certificate, check_text};
use kleene::source::{FileId, SourceFile};
use kleene::verify::{Outcome, verify};
use serde_json::{Value, json};

const COUNTER: &str = "int x = 0;\nvoid main() {\n  while (x < 10) { x = x + 1; }\n}\n";
const INPUT: &str = "int x; int y = 0;\nvoid main() {\n  x = nondet(0, 9);\n  y = 0;\n  while (y < x) { y = y + 1; }\n  if (y == 4) { while (true) { y = y; } }\n}\n";
const CALLS: &str =
    "int g = 0;\nint add(int a) { return a + 2; }\nvoid main() {\n  while (g < 100) { g = add(g); }\n}\n";
const ROUNDS: &str = "int a = 0;\nint b = 5;\nvoid main() {\n  while (true) {\n    if (b > 0) { b = b - 1; a = a + 1; } else { b = a; a = 0; }\n  }\n}\n";
const FREE: &str =
    "int x = 0;\nint y = 0;\nvoid main() {\n  while (true) {\n    pick: x = nondet();\n    y = x;\n  }\n}\n";
const RECURSION: &str = "int n; int g = 0;\nint up(int k) {\n  if (k > 0) { g = g + 1; int r = up(k - 1); return r + 1; }\n  return 0;\n}\nvoid main() { int r = up(n); g = g + 2; }\n";
const BALANCED: &str = "int n; int depth = 0;\nvoid down(int k) {\n  if (k > 0) { depth = depth + 1; down(k - 1); depth = depth - 1; }\n}\nvoid main() { down(n); }\n";
const PENDING: &str = "int n = 30; int g = 0;\nvoid walk(int k) {\n  if (k > 0) { walk(k - 1); } else { g = nondet(0, 1); }\n}\nvoid main() { walk(n); while (g == 1) { g = g; } }\n";
const APART: &str = "int x; int y;\nvoid main() {\n  y = x;\n  while (nondet(0, 1)) { if (nondet(0, 1)) { x = x + 3; } else { y = y - 3; } }\n  assert((x - y) % 3 == 0);\n}\n";

const CASES: [(&str, &str, bool); 17] = [
    (COUNTER, "AG(x <= 10)", true),
    (COUNTER, "AF(terminated)", true),
    (COUNTER, "AG(x < 7)", false),
    (COUNTER, "E[x < 9 U x == 9]", true),
    (INPUT, "AG(y <= 9)", true),
    (INPUT, "AF(terminated)", false),
    (INPUT, "EF(y == 8)", true),
    (INPUT, "AG(EF(terminated))", false),
    (INPUT, "A[y <= 9 W terminated]", true),
    (CALLS, "AF(g >= 100)", true),
    (ROUNDS, "EG(a + b >= 4)", true),
    (FREE, "AG(at(pick) -> EX(x == y + 1))", true),
    (RECURSION, "AF(terminated)", true),
    (RECURSION, "AG(g >= 0)", true),
    (BALANCED, "AG(depth >= 0)", true),
    (PENDING, "AG(EF(terminated))", false),
    (APART, "AG(!failed)", true),
];

fn evidence(program: &str, formula: &str) -> Entry {
    let options = Options { certify: true, ..Options::default() };
    let report = check_text("p.cm", program, Language::CMinus, &[formula.to_string()], &options);
    let entry = certificate(
        "p.cm",
        &SourceFile::new(FileId(0), "p.cm", program),
        Language::CMinus,
        &options,
        &report.results[0],
    );
    entry.unwrap_or_else(|| panic!("{formula}: {:?}", report.results[0].verdict))
}

fn outcome(entry: &Value, program: &str) -> Outcome {
    let text = json!({"schema": "kleene-evidence/1", "entries": [entry]}).to_string();
    match Document::from_json(&text) {
        Ok(document) => verify(&document.entries[0], program),
        Err(problem) => Outcome::Refused(problem),
    }
}

/// All places below a value that a path with `*` reaches, as JSON pointers.
fn places(value: &Value, path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for step in path.split('/').filter(|step| !step.is_empty()) {
        let below = |at: &String| -> Vec<String> {
            let Some(here) = value.pointer(at) else { return Vec::new() };
            match (step, here) {
                ("*", Value::Array(items)) => (0..items.len()).map(|index| format!("{at}/{index}")).collect(),
                (step, here) if here.get(step).is_some() => vec![format!("{at}/{step}")],
                (step, Value::Array(items))
                    if step.parse::<usize>().is_ok_and(|index| index < items.len()) =>
                {
                    vec![format!("{at}/{step}")]
                }
                _ => Vec::new(),
            }
        };
        found = found.iter().flat_map(below).collect();
    }
    found
}

/// The values a kind of change puts in a place.
fn changes(value: &Value, change: Change) -> Vec<Value> {
    match (change, value) {
        (Change::Flip, Value::Bool(value)) => vec![json!(!value)],
        (Change::Shift, Value::Number(number)) => {
            let number = number.as_i64().unwrap_or(0);
            vec![json!(number + 1), json!(number - 1)]
        }
        (Change::Negate, Value::Number(number)) => vec![json!(-number.as_i64().unwrap_or(0)), json!(0)],
        (Change::Open, Value::Number(_)) => vec![Value::Null],
        (Change::Drop, Value::Array(items)) => (0..items.len())
            .map(|index| {
                let kept = items.iter().enumerate().filter(|(at, _)| *at != index);
                Value::Array(kept.map(|(_, item)| item.clone()).collect())
            })
            .collect(),
        (Change::Text(text), Value::String(old)) if old != text => vec![json!(text)],
        (Change::Deny, Value::String(formula)) => vec![json!(format!("!({formula})"))],
        (Change::Double, Value::Array(items)) => {
            items.iter().map(|item| Value::Array(items.iter().chain([item]).cloned().collect())).collect()
        }
        (Change::Last, Value::Array(items)) => vec![json!(items[..items.len() - 1])],
        (Change::Remove, _) => vec![Value::Null],
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy)]
enum Change {
    Flip,
    Shift,
    Negate,
    /// A bound becomes infinite.
    Open,
    /// One item is left out.
    Drop,
    Text(&'static str),
    /// A formula becomes its opposite.
    Deny,
    /// One item comes twice.
    Double,
    /// The last item is left out, so that the numbers of the others stay.
    Last,
    /// The whole part is left out.
    Remove,
}

/// Where, what, and whether some change of the kind has to be refused somewhere.
const KINDS: [(&str, Change, bool); 55] = [
    ("verdict", Change::Flip, true),
    ("program/sha256", Change::Text("00"), true),
    ("question/formula", Change::Deny, true),
    ("question/entry", Change::Text("nobody"), true),
    ("question/lang", Change::Text("rs"), true),
    ("question/granularity", Change::Text("often"), true),
    ("evidence/run", Change::Remove, true),
    ("evidence/model", Change::Remove, true),
    ("evidence/run/start/globals/*", Change::Shift, true),
    ("evidence/run/inputs/*/*", Change::Shift, true),
    ("evidence/run/inputs", Change::Drop, true),
    ("evidence/run/inputs/*", Change::Drop, true),
    ("evidence/run/cycle", Change::Shift, true),
    ("evidence/model/contexts", Change::Drop, true),
    ("evidence/model/contexts/*/call/edge", Change::Shift, true),
    ("evidence/model/contexts/*/summary/function", Change::Text("main"), true),
    ("evidence/model/contexts/*/summary/function", Change::Text("nobody"), true),
    ("evidence/model/contexts", Change::Double, true),
    ("evidence/model/cells", Change::Last, true),
    ("evidence/model/offsets", Change::Drop, true),
    ("evidence/model/offsets", Change::Double, true),
    ("evidence/model/offsets/*/function", Change::Text("main"), true),
    ("evidence/model/offsets/*/slot", Change::Shift, true),
    ("evidence/model/offsets/*/by", Change::Shift, true),
    ("evidence/model/offsets/*/at", Change::Drop, true),
    ("evidence/model/offsets/*/at/*/*", Change::Shift, true),
    ("evidence/model/cells/*/context", Change::Shift, true),
    ("evidence/model/cells/*/at/location", Change::Shift, true),
    ("evidence/model/cells/*/values/*/slot", Change::Shift, true),
    ("evidence/model/cells/*/values/*/parts/*/0", Change::Shift, true),
    ("evidence/model/cells/*/values/*/parts/*/1", Change::Shift, true),
    ("evidence/model/cells/*/values/*/parts/*/*", Change::Open, true),
    ("evidence/model/cells/*/values", Change::Drop, true),
    ("evidence/model/cells/*/may", Change::Drop, true),
    ("evidence/model/cells/*/must/*/to", Change::Drop, true),
    ("evidence/model/cells/*/facts", Change::Drop, true),
    ("evidence/model/cells/*/facts/*/0", Change::Text("<"), true),
    ("evidence/model/cells/*/facts/*/1/2", Change::Shift, true),
    ("evidence/model/cells/*/must/*/draws/*/*/constant", Change::Shift, true),
    ("evidence/model/cells/*/must/*/draws/*/*/terms/*/0", Change::Shift, true),
    ("evidence/model/cells/*/must/*/draws/*/*/terms/*/1", Change::Negate, true),
    ("evidence/model/initial", Change::Drop, true),
    ("evidence/model/start/state/globals/*", Change::Shift, true),
    ("evidence/model/end", Change::Shift, true),
    ("evidence/model/claims/*/value", Change::Flip, true),
    ("evidence/model/claims/*/formula", Change::Shift, true),
    ("evidence/model/claims", Change::Drop, true),
    ("evidence/model/claims", Change::Double, true),
    ("evidence/model/claims/*/cells", Change::Drop, true),
    ("evidence/model/claims/*/cells/*/rank", Change::Shift, true),
    ("evidence/model/loops", Change::Drop, true),
    ("evidence/model/loops/*/calls", Change::Text("with_returns"), true),
    ("evidence/model/loops/*/calls", Change::Text("nowhere"), true),
    ("evidence/model/loops/*/calls", Change::Remove, true),
    ("evidence/model/loops/*/rankings/*/phases/*/*/form/terms/*/1", Change::Negate, true),
];

/// Changes of one kind in one entry that are tried.
const MOST: usize = 24;

#[test]
fn changed_evidence_is_refused() {
    let mut refused = [0usize; KINDS.len()];
    for (program, formula, verdict) in CASES {
        let entry = evidence(program, formula);
        assert_eq!(entry.verdict, verdict, "{formula}");
        let whole = serde_json::to_value(&entry).expect("plain data");
        assert_eq!(outcome(&whole, program), Outcome::Verified, "{formula}");
        for (kind, (path, change, _)) in KINDS.iter().enumerate() {
            let places = places(&whole, path);
            let stride = places.len().div_ceil(MOST).max(1);
            for place in places.iter().step_by(stride) {
                for value in changes(whole.pointer(place).expect("a place"), *change) {
                    let mut changed = whole.clone();
                    *changed.pointer_mut(place).expect("a place") = value.clone();
                    let outcome = outcome(&changed, program);
                    let asked = |entry: &Value| {
                        (entry["program"].clone(), entry["question"].clone(), entry["verdict"].clone())
                    };
                    // What is still accepted says the same of the same program: there is no harm in it.
                    let harmless = outcome == Outcome::Verified && asked(&changed) == asked(&whole);
                    let noticed = matches!(outcome, Outcome::Refused(_));
                    assert!(harmless || noticed, "{formula}: {place} := {value}: {outcome:?}");
                    refused[kind] += usize::from(noticed);
                }
            }
        }
    }
    let unnoticed = KINDS.iter().zip(refused).filter(|((_, _, must), refused)| *must && *refused == 0);
    let unnoticed: Vec<&str> = unnoticed.map(|((path, ..), _)| *path).collect();
    assert!(unnoticed.is_empty(), "never refused: {unnoticed:?}");
}

/// A number from a number: good enough to spread changes over a text.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn garbage_is_no_evidence() {
    let mut seed = 7;
    for (program, formula, _) in [CASES[0], CASES[5], CASES[7], CASES[9]] {
        let text = Document::new(vec![evidence(program, formula)]).to_json();
        for _ in 0..150 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..1 + next(&mut seed) % 3 {
                let at = next(&mut seed) as usize % bytes.len();
                bytes[at] = b"0123456789-,:{}[]\"antfru"[next(&mut seed) as usize % 24];
            }
            // Only that nothing panics: digits may well change without harm.
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            if let Ok(document) = Document::from_json(&changed) {
                document.entries.iter().for_each(|entry| {
                    verify(entry, program);
                });
            }
        }
    }
}
