//! Evidence files: check → evidence → verify over the fixtures, and what happens to evidence that is changed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kleene::evidence::certificate::{Document, Entry};
use kleene::expectation;
use kleene::frontend::Language;
use kleene::mutation::Mutation;
use kleene::pipeline::{Level, Options, certificate, check_text};
use kleene::source::{FileId, SourceFile};
use kleene::verify::{Outcome, verify};
use rayon::prelude::*;

const FOLDERS: [&str; 7] = ["traps", "papers", "regressions", "loops", "loops/broken", "suite", "t2"];
/// Every how many-th property is tried; `KLEENE_EVIDENCE=all` tries all of them and says what came out.
const SLICE: usize = 7;

/// A property of a fixture.
struct Asked {
    name: String,
    text: String,
    language: Language,
    formula: String,
    truth: expectation::Truth,
    options: Options,
}

fn asked() -> Vec<Asked> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut all = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder of fixtures");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        for file in files {
            let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let Some(language) = expectation::language(extension) else { continue };
            let text = std::fs::read_to_string(&file).expect("a readable fixture");
            let Ok(expected) = expectation::read(&text) else { continue };
            for property in expected.properties.into_iter().filter(|property| !property.slow) {
                let name = format!("{folder}/{}", file.file_name().expect("a name").to_string_lossy());
                let options = Options { certify: true, timeout: Duration::from_secs(60), ..property.options };
                all.push(Asked {
                    name,
                    text: text.clone(),
                    language,
                    formula: property.formula,
                    truth: property.truth,
                    options,
                });
            }
        }
    }
    all
}

/// The evidence of a verdict as the file has it, read back; `None` if there is no definite verdict.
fn evidence(asked: &Asked) -> Option<Entry> {
    let formulas = std::slice::from_ref(&asked.formula);
    let report = check_text(&asked.name, &asked.text, asked.language, formulas, &asked.options);
    let entry = certificate(
        &asked.name,
        &SourceFile::new(FileId(0), asked.name.as_str(), asked.text.as_str()),
        asked.language,
        &asked.options,
        &report.results[0],
    )?;
    let written = Document::new(vec![entry]).to_json();
    let mut read = Document::from_json(&written).expect("what was written can be read");
    assert_eq!(read.to_json(), written, "{}", asked.name);
    read.entries.pop()
}

#[test]
fn fixtures_are_verified() {
    let whole = std::env::var("KLEENE_EVIDENCE").unwrap_or_default();
    let all: Vec<Asked> = asked()
        .into_iter()
        .enumerate()
        .filter(|(index, asked)| match whole.as_str() {
            "" => index % SLICE == 0,
            "all" => true,
            name => asked.name.contains(name),
        })
        .map(|(_, asked)| asked)
        .collect();
    let outcomes: Vec<(String, Outcome)> = all
        .par_iter()
        .filter_map(|asked| {
            let start = Instant::now();
            let entry = evidence(asked)?;
            let found = start.elapsed();
            let kind = match (&entry.evidence.run, &entry.evidence.model) {
                (Some(_), Some(_)) => "run and model",
                (Some(_), None) => "run",
                (None, Some(_)) => "model",
                (None, None) => "nothing",
            };
            let cells = entry.evidence.model.as_ref().map_or(0, |model| model.cells.len());
            let outcome = verify(&entry, &asked.text);
            let what = format!(
                "{}: {} is {}: {kind}, {cells} cells, {found:.2?} + {:.2?}",
                asked.name,
                asked.formula,
                entry.verdict,
                start.elapsed() - found
            );
            if !whole.is_empty() {
                println!("{what}: {outcome:?}");
            }
            Some((what, outcome))
        })
        .collect();
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| is(outcome)).count();
    let open = count(|outcome| matches!(outcome, Outcome::Open(_)));
    println!(
        "{} entries, {} verified, {open} not verified",
        outcomes.len(),
        count(|o| *o == Outcome::Verified)
    );
    let refused: Vec<String> = outcomes
        .iter()
        .filter_map(|(what, outcome)| match outcome {
            Outcome::Refused(reason) => Some(format!("{what}: {reason}")),
            _ => None,
        })
        .collect();
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}

/// A checker that believed the engine would accept what deliberately wrong rules find out.
#[test]
fn wrong_verdicts_are_not_verified() {
    let wrong_rules = Mutation::ALL;
    let traps: Vec<Asked> = asked().into_iter().filter(|asked| asked.name.starts_with("traps/")).collect();
    let cases: Vec<(&Asked, Mutation)> =
        traps.iter().flat_map(|asked| wrong_rules.iter().map(move |rule| (asked, *rule))).collect();
    let wrong: Vec<(Mutation, String, Outcome)> = cases
        .par_iter()
        .filter_map(|(asked, rule)| {
            let options = Options {
                mutation: Some(*rule),
                timeout: Duration::from_secs(5),
                level: Level::Abstract,
                ..asked.options.clone()
            };
            let formulas = std::slice::from_ref(&asked.formula);
            let report = check_text(&asked.name, &asked.text, asked.language, formulas, &options);
            let result = &report.results[0];
            let entry = certificate(
                &asked.name,
                &SourceFile::new(FileId(0), asked.name.as_str(), asked.text.as_str()),
                asked.language,
                &options,
                result,
            )?;
            let is_wrong = asked.truth.against(result.verdict) == expectation::Agreement::Wrong;
            let what = format!("{}: {}", asked.name, asked.formula);
            is_wrong.then(|| (*rule, what, verify(&entry, &asked.text)))
        })
        .collect();
    let accepted: Vec<_> = wrong.iter().filter(|(.., outcome)| *outcome == Outcome::Verified).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!(wrong.len() > 10, "only {} wrong verdicts to refuse", wrong.len());
}
