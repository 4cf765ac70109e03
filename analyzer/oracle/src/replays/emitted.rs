//! What `--emit-tests` wrote for a crate: copies of its files with tests in them.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct Emitted {
    /// By the path below the folder of the crate's root file; that file first.
    pub files: Vec<(PathBuf, String)>,
}

/// One test of ours, with the place it must panic at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    pub file: String,
    pub line: usize,
}

impl Test {
    /// What a text begins with: its name, then `panics_at("file", line, …`.
    fn read(text: &str) -> Option<Self> {
        let name = name(text)?;
        let place = &text[name.len() + OURS.len()..];
        let (file, rest) = place.strip_prefix('"')?.split_once("\", ")?;
        let line = rest.split_once(',')?.0.parse().ok()?;
        // The root file has another name, beside the crate's own.
        Some(Self { name: name.into(), file: file.replace("_kleene.rs", ".rs"), line })
    }
}

const BEGIN: &str = "    #[test]\n    fn ";
/// What tells our tests from those of the crate.
const OURS: &str = "() {\n        crate::kleene_replay::panics_at(";
const END: &str = "        });\n    }\n";
/// The root file of the copy holds what all tests use.
const ROOT: &str = "mod kleene_replay {";
/// Never on.
const OFF: &str = "kleene_off";

impl Emitted {
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        let mut pending = vec![folder.to_path_buf()];
        while let Some(next) = pending.pop() {
            let problem = |error: std::io::Error| format!("{}: {error}", next.display());
            for entry in std::fs::read_dir(&next).map_err(problem)? {
                let path = entry.map_err(problem)?.path();
                if path.is_dir() {
                    pending.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).map_err(problem)?;
                let below = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
                files.push((below, text));
            }
        }
        files.sort_by_key(|(path, text)| (!text.contains(ROOT), path.clone()));
        Ok(Self { files })
    }

    /// All tests.
    pub fn tests(&self) -> Vec<Test> {
        let mut tests = Vec::new();
        for (_, text) in &self.files {
            tests.extend(text.split(BEGIN).skip(1).filter_map(Test::read));
        }
        tests
    }

    /// The test of ours that stands at a line of a file.
    pub fn test_at(&self, file: &Path, line: usize) -> Option<String> {
        let (_, text) = self.files.iter().find(|(path, _)| path == file)?;
        let end = text.split_inclusive('\n').take(line).map(str::len).sum();
        let (_, test) = text.get(text[..end].rfind(BEGIN)?..)?.split_once(BEGIN)?;
        name(test).map(String::from)
    }

    /// The same files with these tests only, and without the crate's own: they need what is not there.
    pub fn only(&self, chosen: &[String]) -> Self {
        let files = self.files.iter().map(|(path, text)| {
            let text = without_own_tests(text)
                .replace(&format!("#[cfg({OFF})] mod kleene_"), "#[cfg(test)] mod kleene_")
                .replace(&format!("#[cfg({OFF})]\nmod kleene_"), "#[cfg(test)]\nmod kleene_");
            (path.clone(), with_tests(&text, chosen))
        });
        Self { files: files.collect() }
    }
}

/// The name of a test of ours that a text begins with.
fn name(text: &str) -> Option<&str> {
    text.split_once("()").map(|(name, _)| name).filter(|name| text[name.len()..].starts_with(OURS))
}

/// Our tests come back if they are chosen, and go if not.
fn with_tests(text: &str, chosen: &[String]) -> String {
    let off = BEGIN.replace("#[test]", &format!("#[cfg({OFF})]"));
    let mut parts = text.split(&off);
    let mut kept = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let is_chosen = name(part).map(|name| chosen.iter().any(|it| it == name));
        match (is_chosen, part.find(END)) {
            (Some(false), Some(end)) => kept.push_str(&part[end + END.len()..]),
            (Some(true), _) => kept.extend([BEGIN, part]),
            _ => kept.extend([off.as_str(), part]),
        }
    }
    kept
}

/// In conditions of compilation `test` becomes a name that is never on; tests that need no condition are never there.
pub fn without_own_tests(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("cfg") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let open =
            after.find('(').filter(|open| matches!(after[..*open].trim_end(), "cfg" | "cfg_attr" | "cfg!"));
        let Some(open) = open else {
            out.push_str("cfg");
            rest = &after[3..];
            continue;
        };
        let end = open + closing(&after[open..]);
        out.push_str(&words_replaced(&after[..end]));
        rest = &after[end..];
    }
    (out + rest).replace("#[test]", &format!("#[cfg({OFF})]"))
}

/// How long a text is up to the parenthesis that closes its first one.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn words_replaced(text: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("test") {
        let (before, after) = (&rest[..at], &rest[at + 4..]);
        let whole = !before.ends_with(|it| is_part(it) || it == '"')
            && !after.starts_with(|it| is_part(it) || it == '"');
        out.push_str(before);
        out.push_str(if whole { OFF } else { "test" });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_tests_are_off_and_ours_are_chosen() {
        let text = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn own() {}\n}\n#[cfg(all(test, feature = \"test\"))] fn f() {}\n\
            #[cfg(test)]\nmod kleene_tests {\n    use super::*;\n\n\
            \x20   #[test]\n    fn one() {\n        crate::kleene_replay::panics_at(\"lib.rs\", 1, || {\n        });\n    }\n\n\
            \x20   #[test]\n    fn two() {\n        crate::kleene_replay::panics_at(\"lib.rs\", 2, || {\n        });\n    }\n}\n";
        let emitted = Emitted { files: vec![(PathBuf::from("lib.rs"), text.into())] };
        let test = |name: &str, line| Test { name: name.into(), file: "lib.rs".into(), line };
        assert_eq!(emitted.tests(), [test("one", 1), test("two", 2)]);
        let kept = emitted.only(&["two".into()]).files.remove(0).1;
        assert!(kept.starts_with("#[cfg(kleene_off)]\nmod tests"));
        assert!(kept.contains("#[cfg(all(kleene_off, feature = \"test\"))]"));
        assert!(kept.contains("#[cfg(test)]\nmod kleene_tests"));
        assert!(
            kept.contains("fn two()") && kept.contains("\"lib.rs\", 2") && !kept.contains("\"lib.rs\", 1")
        );
        assert!(kept.contains("#[cfg(kleene_off)]\n    fn own()") && kept.contains("#[test]\n    fn two()"));
        let at = |line| emitted.test_at(Path::new("lib.rs"), line);
        let lines: Vec<Option<String>> = [4, 12, 16, 18].map(at).to_vec();
        assert_eq!(lines, [None, Some("one".to_string()), Some("one".into()), Some("two".into())]);
    }
}
