//! Programs with recorded truths: is the evidence of every definite verdict accepted when it is checked again?

use std::path::{Path, PathBuf};
use std::time::Duration;

use kleene::evidence::certificate::Document;
use kleene::expectation;
use kleene::pipeline::{Options, certificate, check_text};
use kleene::source::{FileId, SourceFile};
use kleene::verify::{Outcome, verify};

/// How many entries had which outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub verified: usize,
    pub open: usize,
    pub refused: usize,
}

/// Asks everything that is expected of the programs of a folder and checks the evidence; `tell` hears of
/// entries that are not accepted.
pub fn verify_folder(folder: &Path, timeout: Duration, tell: &mut dyn FnMut(&str)) -> Result<Count, String> {
    let problem = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let entries = std::fs::read_dir(folder).map_err(|error| problem(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut count = Count::default();
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let Some(language) = extension.and_then(expectation::language) else { continue };
        let text = std::fs::read_to_string(&path).map_err(|error| problem(&path, error))?;
        let name = path.display().to_string();
        let Ok(expected) = expectation::read(&text) else { continue };
        for property in expected.properties {
            let options = Options { certify: true, timeout, ..property.options };
            let formulas = std::slice::from_ref(&property.formula);
            let report = check_text(&name, &text, language, formulas, &options);
            let source = SourceFile::new(FileId(0), name.as_str(), text.as_str());
            let entry = certificate(&name, &source, language, &options, &report.results[0]);
            let Some(entry) = entry else { continue };
            // As a file would have it.
            let read = Document::from_json(&Document::new(vec![entry]).to_json())?;
            for entry in &read.entries {
                let reason = match verify(entry, &text) {
                    Outcome::Verified => {
                        count.verified += 1;
                        continue;
                    }
                    Outcome::Open(reason) => {
                        count.open += 1;
                        format!("not verified: {reason}")
                    }
                    Outcome::Refused(reason) => {
                        count.refused += 1;
                        format!("refused: {reason}")
                    }
                };
                tell(&format!("{name}: {} is {}: {reason}", property.formula, entry.verdict));
            }
        }
    }
    Ok(count)
}
