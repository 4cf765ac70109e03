//! Code that uses a library: tests and examples in files of their own, and the examples in its documentation.
//!
//! Each is a crate that depends on the library and nothing else that is not read anyway. Somebody has written it to show
//! what happens, so its runs are worth following; nothing in it is asked about. What is not there or does not parse is
//! left out: nothing rests on it.

use std::path::PathBuf;

use super::cfg::Configuration;
use super::dependencies::Within;
use super::modules::{Text, Texts};
use crate::frontend::{ModuleFiles, ModuleText};
use crate::source::{FileId, SourceFile};

/// More text than this is not read.
const BYTE_LIMIT: usize = 8 << 20;
/// All examples of a documentation in one text.
const EXAMPLES: FileId = FileId(u32::MAX - 1);

/// Who uses a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// What they call it.
    pub name: String,
    /// Whole paths of root files, each with its edition.
    pub roots: Vec<(PathBuf, Option<u32>)>,
}

/// One of them, ready to be read.
pub struct User {
    pub name: String,
    pub texts: Texts,
    pub configuration: Configuration,
}

/// Those whose texts are there, and what they call the library.
#[derive(Clone, Copy, Default)]
pub struct Using<'u> {
    pub name: &'u str,
    pub users: &'u [User],
}

impl Users {
    /// Their texts: those in files first, in order, then the examples among these texts.
    pub fn texts(
        &self,
        library: &Texts,
        configuration: &Configuration,
        files: Option<&dyn ModuleFiles>,
    ) -> Vec<User> {
        let in_files = self.roots.iter().filter_map(|(path, edition)| {
            let files = files?;
            let configuration = Configuration { edition: *edition, ..configuration.of_tests() };
            let ModuleText::Found(root) = files.of_dependency(path) else { return None };
            let within = Within { files, folder: path.parent()?.to_path_buf() };
            let texts = Texts::read(&root, Some(&within), &configuration).ok()?;
            Some(User { name: path.file_stem()?.to_str()?.to_string(), texts, configuration })
        });
        in_files.chain(documented(library, configuration)).collect()
    }
}

/// The examples among these texts.
fn documented(library: &Texts, configuration: &Configuration) -> Vec<User> {
    let mut examples = String::new();
    let mut places = Vec::new();
    for text in library.own() {
        for (line, code) in examples_in(&text.file.text) {
            let start = examples.len();
            examples += &code;
            places.push((format!("example at {}:{line}", text.file.name), start..examples.len()));
        }
    }
    if examples.len() > BYTE_LIMIT {
        return Vec::new();
    }
    let file = SourceFile::new(EXAMPLES, "documentation", examples);
    let parsed = places.into_iter().filter_map(|(name, range)| {
        let syntax = syn::parse_str(&file.text[range.clone()]).ok()?;
        let text = Text { syntax, ..Text::empty(file.clone(), range.start) };
        let texts = Texts { list: vec![text], own: 1, ..Texts::default() };
        let configuration = Configuration { reads_tests: false, ..configuration.clone() };
        Some(User { name, texts, configuration })
    });
    parsed.collect()
}

/// The examples that stand in the comments of a text, each with its line and as a program.
fn examples_in(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (line, number) in text.lines().map(str::trim_start).zip(1..) {
        let said = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        let Some(said) = said.filter(|_| !line.starts_with("////")) else {
            open = None;
            continue;
        };
        let fence = said.trim_start();
        let ticks = fence.len() - fence.trim_start_matches('`').len();
        match open.take() {
            None if ticks >= 3 => {
                let (runs, indent) = (is_run(&fence[ticks..]), said.len() - fence.len());
                open = Some(Block { line: number, ticks, indent, runs, lines: Vec::new() });
            }
            None => {}
            Some(block) if ticks >= block.ticks && fence[ticks..].trim().is_empty() => {
                found.extend(block.program());
            }
            Some(mut block) => {
                block.lines.push(said.get(block.indent..).unwrap_or(fence));
                open = Some(block);
            }
        }
    }
    found
}

/// Whether what is said of a block of code lets it be compiled and run.
fn is_run(said: &str) -> bool {
    let mut words = said.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    words.all(|word| matches!(word, "rust" | "should_panic") || word.starts_with("edition"))
}

struct Block<'t> {
    line: usize,
    ticks: usize,
    indent: usize,
    runs: bool,
    lines: Vec<&'t str>,
}

impl Block<'_> {
    /// The code as it is compiled: lines that are only hidden are there, and it has a `main`.
    fn program(self) -> Option<(usize, String)> {
        if !self.runs {
            return None;
        }
        let lines = self.lines.iter().map(|line| match line.trim_start() {
            "#" => "",
            hidden if hidden.starts_with("# ") => &hidden[2..],
            escaped if escaped.starts_with("##") => &escaped[1..],
            _ => line,
        });
        let (attributes, code): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.trim_start().starts_with("#!["));
        // Unstable features mean what nobody here knows.
        if attributes.iter().any(|line| line.contains("feature")) {
            return None;
        }
        let code = code.join("\n");
        let program = if code.contains("fn main") {
            format!("{code}\n")
        } else if code.trim_end().ends_with("(())") {
            format!("fn main() {{ let _ = (|| {{\n{code}\n}})(); }}\n")
        } else {
            format!("fn main() {{\n{code}\n}}\n")
        };
        Some((self.line, program))
    }
}
