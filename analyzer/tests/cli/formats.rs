//! What cargo, editors, code scanners and GitHub's runner read.

use std::process::Command;

use serde_json::Value;

use crate::support::Folder;

const TWO: &str = "pub fn part(a: u32, b: u32) -> u32 {\n    a / b\n}\npub fn sum(a: u8, b: u8) -> u8 {\n    a + b // kleene: allow(overflow) small numbers\n}\n";

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn people_get_a_call_to_copy_and_a_guard() {
    let folder =
        Folder::new().with("a.rs", TWO).with("b.c", "int part(int a, int b) {\n    return a / b;\n}\n");
    let ran = folder.kleene(&["lint", "a.rs", "b.c"]);
    assert!(ran.out.contains("  call: crate::part(0u32, 0u32)\n"), "{}", ran.out);
    assert!(ran.out.contains("help: use `a.checked_div(b)`, or test `b == 0` before"), "{}", ran.out);
    assert!(ran.out.contains("  call: part(0, 0)\n"), "{}", ran.out);
}

/// Private state is made through calls, all of them on one line.
#[test]
fn a_call_makes_what_it_needs() {
    let text = "pub struct Meter {\n    level: u8,\n}\nimpl Meter {\n    pub fn new() -> Meter {\n        Meter { level: 0 }\n    }\n    \
                pub fn add(&mut self, more: u8) {\n        self.level = more;\n    }\n    pub fn share(&self) -> u8 {\n        100 / self.level\n    }\n}\n";
    let ran = Folder::new().with("a.rs", text).kleene(&["lint", "a.rs"]);
    let call =
        ran.out.lines().find(|line| line.starts_with("  call: ")).unwrap_or_else(|| panic!("{}", ran.out));
    assert!(call.contains("Meter::new()") && call.contains("Meter::share(&made1)"), "{call}");
}

#[test]
fn short_is_a_line_each() {
    let ran = Folder::new().with("a.rs", TWO).kleene(&["lint", "a.rs", "--message-format", "short", "-q"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (1, "a.rs:2:5: warning[division_by_zero]: the divisor can be zero\n")
    );
}

#[test]
fn rustc_json_is_a_line_each_and_ends() {
    let folder = Folder::new().with("a.rs", TWO).with("bad.rs", "fn broken( {\n");
    let needless = "pub fn id(a: u32) -> u32 {\n    a // kleene: allow(overflow) none\n}\n";
    let extra = Folder::new().with("c.rs", needless).kleene(&["lint", "c.rs", "--message-format", "json"]);
    let said = lines(&extra.out);
    assert_eq!((extra.code, said.len()), (0, 2), "{}", extra.out);
    assert_eq!((&said[0]["message"]["level"], &said[1]["success"]), (&"warning".into(), &true.into()));
    let ran = folder.kleene(&["lint", "a.rs", "bad.rs", "--message-format", "json"]);
    assert_eq!(ran.code, 2);
    let all = lines(&ran.out);
    assert_eq!(all.len(), 3, "{}", ran.out);
    let (finding, mistake, end) = (&all[0], &all[1], &all[2]);
    assert_eq!(finding["reason"], "compiler-message");
    assert!(finding["package_id"].is_string() && finding["target"]["src_path"].is_string());
    let message = &finding["message"];
    assert_eq!(
        (&message["level"], &message["code"]["code"]),
        (&"warning".into(), &"kleene::division_by_zero".into())
    );
    assert_eq!(message["$message_type"], "diagnostic");
    let span = &message["spans"][0];
    for (field, value) in [
        ("line_start", 2),
        ("line_end", 2),
        ("column_start", 5),
        ("column_end", 10),
        ("byte_start", 41),
        ("byte_end", 46),
    ] {
        assert_eq!(span[field], value, "{field}");
    }
    assert_eq!((&span["file_name"], &span["is_primary"]), (&"a.rs".into(), &true.into()));
    assert_eq!(span["text"][0]["text"], "    a / b");
    let children: Vec<&str> = message["children"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|child| child["level"].as_str())
        .collect();
    assert_eq!(children, ["note", "help"]);
    assert!(message["rendered"].as_str().is_some_and(|text| text.contains("a.rs:2:5")));
    assert_eq!(
        (&mistake["message"]["level"], &mistake["message"]["spans"][0]["line_start"]),
        (&"error".into(), &1.into())
    );
    assert_eq!((&end["reason"], &end["success"]), (&"build-finished".into(), &false.into()));
}

/// The library that editors and converters read cargo's messages with understands every line.
#[test]
fn consumers_of_cargo_understand_every_line() {
    use cargo_metadata::Message;
    use cargo_metadata::diagnostic::DiagnosticLevel;
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", format!("{TWO}pub fn always(n: u8) -> u8 {{\n    n / (n / 255 / 2)\n}}\n"))
        .with("alone.rs", TWO)
        .with("bad.rs", "fn broken( {\n");
    let ran =
        folder.kleene(&["lint", ".", "alone.rs", "bad.rs", "--all", "--maybe", "--message-format", "json"]);
    let messages: Vec<Message> = Message::parse_stream(ran.out.as_bytes())
        .map(|message| message.unwrap_or_else(|error| panic!("{error}: {}", ran.out)))
        .collect();
    assert_eq!(messages.len(), ran.out.lines().count());
    let mut levels = Vec::new();
    for message in &messages[..messages.len() - 1] {
        let Message::CompilerMessage(said) = message else { panic!("{message:?}") };
        assert!(!said.message.message.is_empty() && said.message.rendered.is_some(), "{said:?}");
        assert!(
            said.message.spans.iter().all(|span| span.line_start >= 1 && span.byte_start <= span.byte_end)
        );
        levels.push(said.message.level);
    }
    for level in [DiagnosticLevel::Error, DiagnosticLevel::Warning] {
        assert!(levels.contains(&level), "{levels:?}");
    }
    let Some(Message::BuildFinished(end)) = messages.last() else { panic!("{}", ran.out) };
    assert!(!end.success);
}

#[test]
fn a_package_is_named_as_cargo_names_it() {
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2018\"\n")
        .with("src/lib.rs", TWO);
    let ran = folder.kleene(&["lint", ".", "--message-format", "json"]);
    let first = &lines(&ran.out)[0];
    assert!(first["package_id"].as_str().is_some_and(|id| id.contains("parts")), "{first}");
    assert!(first["manifest_path"].as_str().is_some_and(|path| path.ends_with("Cargo.toml")), "{first}");
    assert_eq!((&first["target"]["name"], &first["target"]["kind"][0]), (&"parts".into(), &"lib".into()));
    assert_eq!(first["target"]["edition"], "2018");
    assert_eq!(first["message"]["spans"][0]["file_name"], "src/lib.rs");
}

#[test]
fn two_formats_are_one_too_many() {
    let folder = Folder::new().with("a.rs", TWO);
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json", "--message-format", "json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--message-format"), "{}", ran.err);
}

fn sarif(text: &str) -> Value {
    let ran = Folder::new().with("a b.rs", text).kleene(&["lint", "a b.rs", "--format", "sarif"]);
    ran.json()
}

#[test]
fn sarif_has_one_run_with_rules_results_and_flows() {
    let log = sarif(TWO);
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.contains("sarif-2.1.0")));
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let rules = runs[0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for lint in kleene::lints::Lint::ALL {
        let rule = rules.iter().find(|rule| rule["id"] == lint.name()).expect("a rule for every lint");
        assert!(rule["help"]["text"].as_str().is_some_and(|help| help.contains("Good:")), "{rule}");
    }
    let results = runs[0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2, "{results:?}");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!((&result["kind"], &result["level"]), (&"fail".into(), &"warning".into()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.rs");
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert!(flow.as_array().is_some_and(|steps| !steps.is_empty()), "{result}");
    }
    let [division, overflow] = &results[..] else { panic!("{results:?}") };
    assert_eq!(division["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    assert!(division["suppressions"].is_null());
    assert_eq!(overflow["suppressions"][0]["kind"], "inSource");
    assert_eq!(overflow["suppressions"][0]["justification"], "small numbers");
    assert_eq!(runs[0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn fingerprints_do_not_depend_on_lines() {
    let prints = |text: &str| -> Vec<String> {
        let log = sarif(text);
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        let print =
            |result: &Value| result["partialFingerprints"]["kleene/v1"].as_str().expect("a word").to_string();
        results.iter().map(print).collect()
    };
    let twice = "pub fn part(a: u32, b: u32) -> u32 {\n    if a > 3 { a / b } else { a / b }\n}\n";
    let [first, second] = &prints(twice)[..] else { panic!("two divisions") };
    assert_ne!(first, second);
    let moved = format!("// A line.\n\n{}", twice.replace("a / b", "a  /  b"));
    assert_eq!(prints(&moved), prints(twice));
}

#[test]
fn sarif_says_what_is_wrong_with_files() {
    let folder = Folder::new().with("bad.rs", "fn broken( {\n");
    let ran = folder.kleene(&["lint", "bad.rs", "--format", "sarif"]);
    assert_eq!(ran.code, 2);
    let invocation = &ran.json()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
}

#[test]
fn properties_have_these_formats_too() {
    let folder = Folder::new().with("a.cm", "int x = 0;\nvoid main() {\n    x = 1;\n}\n");
    let call = |format: &str| {
        folder.kleene(&[
            "check",
            "a.cm",
            "--prop",
            "AG (x == 0)",
            "--prop",
            "AF (x == 1)",
            "--format",
            format,
        ])
    };
    let log = call("sarif");
    assert_eq!(log.code, 1);
    let results = log.json()["runs"][0]["results"].as_array().expect("results").clone();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "property");
    let github = call("github");
    assert!(github.out.starts_with("::error ") && github.out.lines().count() == 1, "{}", github.out);
}

/// Twelve divisions in as many functions: ten annotations, all of them in the summary.
#[test]
fn annotations_are_capped_and_the_rest_is_in_the_summary() {
    let text: String =
        (0..12).map(|n| format!("pub fn part{n}(a: u32, b: u32) -> u32 {{\n    a / b\n}}\n")).collect();
    let folder = Folder::new().with("a.rs", text);
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kleene"));
        command.current_dir(&folder.path).args(arguments).env_remove("GITHUB_ACTIONS");
        command.env("GITHUB_STEP_SUMMARY", "summary.md").envs(variables.iter().copied());
        String::from_utf8(command.output().expect("the program starts").stdout).expect("text")
    };
    let asked = run(&["lint", "a.rs", "--format", "github"], &[]);
    assert_eq!(asked.matches("::warning file=a.rs,line=").count(), 10, "{asked}");
    assert!(asked.contains("::notice title=kleene::2 more in the summary of this step"), "{asked}");
    assert!(asked.contains("%0Afails in: crate::part0(0u32, 0u32)"), "{asked}");
    let summary = std::fs::read_to_string(folder.path.join("summary.md")).expect("a summary");
    assert_eq!(summary.matches("| warning |").count(), 12, "{summary}");
    assert!(summary.contains("12 false"), "{summary}");
    // By itself under the runner, beside what people read; not where the call says what it wants.
    let own = run(&["lint", "a.rs"], &[("GITHUB_ACTIONS", "true")]);
    assert!(own.contains("::warning ") && own.contains("warning[division_by_zero]"), "{own}");
    let plain = run(&["lint", "a.rs", "--message-format", "short"], &[("GITHUB_ACTIONS", "true")]);
    assert!(!plain.contains("::warning "), "{plain}");
    assert!(!run(&["lint", "a.rs"], &[]).contains("::warning "));
}

#[test]
fn quiet_is_nothing_but_findings() {
    let folder = Folder::new().with("a.rs", TWO).with("b.rs", "pub fn id(a: u32) -> u32 {\n    a\n}\n");
    assert_eq!(folder.kleene(&["lint", "b.rs", "-q"]).out, "");
    let ran = folder.kleene(&["lint", "a.rs", "-q"]);
    assert!(ran.out.contains("warning[") && !ran.out.contains("sites"), "{}", ran.out);
}

#[test]
fn colours_follow_the_surroundings() {
    let folder = Folder::new().with("a.rs", TWO);
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kleene"));
        command.current_dir(&folder.path).args(["lint", "a.rs"]);
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
            command.env_remove(variable);
        }
        command.envs(variables.iter().copied());
        String::from_utf8(command.output().expect("the program starts").stdout)
            .expect("text")
            .contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CARGO_TERM_COLOR", "always")]));
    assert!(!coloured(&[("CARGO_TERM_COLOR", "always"), ("NO_COLOR", "1")]));
    assert!(!coloured(&[("CARGO_TERM_COLOR", "never"), ("CLICOLOR_FORCE", "1")]));
}
