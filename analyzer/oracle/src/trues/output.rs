//! What tests print: which counters were passed, and where something panicked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::counters::VISITED;
use crate::crates::child::{self, End};

/// The lints whose failures name themselves in a panic.
pub const LINTS: [&str; 4] = ["overflow", "division_by_zero", "index_out_of_bounds", "invalid_shift"];

/// Where something panicked, and what it said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Panic {
    pub file: PathBuf,
    pub line: usize,
    pub said: String,
}

#[derive(Clone, Debug, Default)]
pub struct Output {
    pub visited: BTreeSet<usize>,
    pub panics: BTreeSet<Panic>,
}

impl Output {
    /// Runs a test program and takes down what it prints; what kept it from ending by itself.
    pub fn run(
        &mut self,
        program: &Path,
        words: &[&str],
        folder: &Path,
        log: &Path,
        limit: Duration,
    ) -> Result<Option<String>, String> {
        let said = log.with_extension("said.txt");
        let mut command = Command::new(program);
        let spent = child::watched(command.args(words).current_dir(folder), log, &said, limit)?;
        for path in [log, &said] {
            let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            self.read(&String::from_utf8_lossy(&text));
        }
        // Tests that fail end with 101, which is no trouble of ours.
        let in_order = matches!(spent.end, End::Finished | End::Panicked);
        Ok((!in_order).then(|| format!("{}: {}", program.display(), spent.end.name())))
    }

    fn read(&mut self, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let ids = line.match_indices(VISITED).filter_map(|(at, _)| {
                line[at + VISITED.len()..].split_whitespace().next()?.parse::<usize>().ok()
            });
            self.visited.extend(ids);
            let Some((_, place)) = line.split_once(" panicked at ") else { continue };
            if let Some((file, line)) = place_of(place) {
                let said = lines.next().unwrap_or_default().to_string();
                self.panics.insert(Panic { file, line, said });
            }
        }
    }
}

/// `src/lib.rs:12:5:`.
fn place_of(text: &str) -> Option<(PathBuf, usize)> {
    let mut parts = text.trim_end_matches(':').rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.into(), line.parse().ok()?))
}

/// The lint that speaks of such a panic.
pub fn lint_of(said: &str) -> Option<&'static str> {
    let shift = said.contains("attempt to shift");
    let division = said.contains("attempt to divide by zero") || said.contains("with a divisor of zero");
    let overflow = said.contains("attempt to") && said.contains("with overflow");
    let index = ["index out of bounds", "out of range for", "slice index starts at", "char boundary"];
    match () {
        () if shift => Some("invalid_shift"),
        () if division => Some("division_by_zero"),
        () if overflow => Some("overflow"),
        () if index.iter().any(|words| said.contains(words)) => Some("index_out_of_bounds"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_and_panics_are_read_from_what_tests_print() {
        let text = "test a ... kleene visits 7 \nthread 'a' (12) panicked at src/x.rs:12:5:\nattempt to add with overflow\nnote: x\n";
        let mut output = Output::default();
        output.read(text);
        assert_eq!(output.visited, BTreeSet::from([7]));
        let panic = output.panics.first().expect("a panic");
        assert_eq!((panic.file.as_path(), panic.line), (Path::new("src/x.rs"), 12));
        assert_eq!(lint_of(&panic.said), Some("overflow"));
    }

    #[test]
    fn panics_are_told_apart() {
        for (said, lint) in [
            ("attempt to shift left with overflow", Some("invalid_shift")),
            ("attempt to calculate the remainder with a divisor of zero", Some("division_by_zero")),
            ("attempt to divide with overflow", Some("overflow")),
            ("range end index 4 out of range for slice of length 3", Some("index_out_of_bounds")),
            ("index out of bounds: the len is 0 but the index is 0", Some("index_out_of_bounds")),
            ("called `Option::unwrap()` on a `None` value", None),
        ] {
            assert_eq!(lint_of(said), lint, "{said}");
        }
    }
}
