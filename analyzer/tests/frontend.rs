//! The front ends against their fixtures.
//!
//! `fixtures/parse/*` and `fixtures/t2/wrong/*` are wrong programs; their diagnostics stand beside them in
//! `.err`. `fixtures/cfg/*`, `fixtures/rust/graphs/*` and `fixtures/t2/graphs/*` are programs; their graphs and warnings stand beside them in
//! `.ir`. `fixtures/rust/stages/*` have the text forms of the Rust front end's stages in `.items` and `.types`. A first line
//! `// options: machine, release, entry NAME` sets options. `KLEENE_BLESS=1` rewrites the goldens.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kleene::frontend::{self, Arithmetic, FrontendOptions, Integers, Language, ModuleFiles, ModuleText};
use kleene::ir::{print, verify};
use kleene::source::{Diagnostic, FileId, Severity, SourceFile};

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder);
    let entries = std::fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| language(path).is_some())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no fixtures in {}", root.display());
    files
}

fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "cm" => Some(Language::CMinus),
        "c" => Some(Language::C),
        "rs" => Some(Language::Rust),
        "t2" => Some(Language::T2),
        _ => None,
    }
}

fn options(text: &str) -> FrontendOptions {
    let mut options = FrontendOptions::default();
    let line = text.lines().next().and_then(|line| line.strip_prefix("// options: ")).unwrap_or("");
    for word in line.split(", ").filter(|word| !word.is_empty()) {
        match word.split_once(' ') {
            None if word == "machine" => options.integers = Integers::Machine,
            None if word == "release" => options.arithmetic = Arithmetic::Release,
            Some(("entry", name)) => options.entry = name.into(),
            _ => panic!("unknown option {word}"),
        }
    }
    options
}

fn shown(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let place = diagnostic.span.map_or("-".into(), |span| {
            let (line, column) = file.position(span.start);
            format!("{line}:{column}")
        });
        let severity = match diagnostic.severity {
            Severity::Error => "",
            Severity::Warning => "warning: ",
            Severity::Note => "note: ",
        };
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        writeln!(out, "{place}: {severity}{}{help}", diagnostic.message).expect("strings grow");
    }
    out
}

fn load(path: &Path) -> (Arc<SourceFile>, Language, FrontendOptions) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let options = options(&text);
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    (SourceFile::new(FileId(0), name, text), language(path).expect("a program"), options)
}

/// The files of modules, from the folder of a fixture.
#[derive(Debug)]
struct Beside {
    folder: PathBuf,
    opened: Mutex<Vec<Arc<SourceFile>>>,
}

impl ModuleFiles for Beside {
    fn text(&self, path: &Path) -> ModuleText {
        let Ok(text) = std::fs::read_to_string(self.folder.join(path)) else { return ModuleText::Missing };
        let mut opened = self.opened.lock().expect("nobody panics");
        let file = SourceFile::new(FileId(opened.len() as u32 + 1), path.to_string_lossy(), text);
        opened.push(file.clone());
        ModuleText::Found(file)
    }
}

/// Compares with the golden beside `path`, or rewrites it.
fn golden(path: &Path, extension: &str, actual: &str, failures: &mut Vec<String>) {
    let mut name = path.file_name().expect("a file").to_os_string();
    name.push(extension);
    let golden = path.with_file_name(name);
    if std::env::var_os("KLEENE_BLESS").is_some() {
        std::fs::write(&golden, actual).expect("goldens can be written");
        return;
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    if expected != actual {
        failures.push(format!("{}\n--- expected\n{expected}--- actual\n{actual}", golden.display()));
    }
}

#[test]
fn wrong_programs_are_explained() {
    let mut failures = Vec::new();
    for path in fixtures("parse").into_iter().chain(fixtures("t2/wrong")) {
        let (file, language, options) = load(&path);
        match frontend::lower(&file, language, &options) {
            Ok(_) => failures.push(format!("{} is accepted", path.display())),
            Err(diagnostics) => {
                assert!(diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error));
                golden(&path, ".err", &shown(&file, &diagnostics), &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_stages_of_rust_have_the_expected_text() {
    let mut failures = Vec::new();
    for path in fixtures("rust/stages") {
        let (file, _, mut options) = load(&path);
        let folder = path.parent().expect("a folder").to_path_buf();
        let beside = Arc::new(Beside { folder, opened: Mutex::default() });
        options.modules = Some(beside.clone());
        let read = frontend::rust::Crate::read(&file, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
        let file = file.with_modules(beside.opened.lock().expect("nobody panics").clone());
        golden(&path, ".items", &read.items_text(&file), &mut failures);
        golden(&path, ".types", &read.types_text(&file), &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_have_the_expected_graphs() {
    let mut failures = Vec::new();
    for path in fixtures("cfg").into_iter().chain(fixtures("t2/graphs")).chain(fixtures("rust/graphs")) {
        let (file, language, options) = load(&path);
        match frontend::lower(&file, language, &options) {
            Ok(lowered) => {
                let checked = verify::verify(&lowered.program);
                assert_eq!(checked, Ok(()), "{}", path.display());
                let text = print::program(&lowered.program, &file);
                let text = format!("{}{text}", shown(&file, &lowered.diagnostics));
                golden(&path, ".ir", &text, &mut failures);
            }
            Err(diagnostics) => failures.push(format!("{}\n{}", path.display(), shown(&file, &diagnostics))),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
