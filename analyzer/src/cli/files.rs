//! Input files: what a name stands for, and its text or the reason why there is none.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::arguments::Kind;
use crate::frontend::{Language, ModuleFiles, ModuleText};
use crate::source::{Diagnostic, FileId, Severity, SourceFile, Span};

/// Larger programs are refused unread.
const LARGEST_PROGRAM: u64 = 64 << 20;
/// Models are read in one pass and may be large.
const LARGEST_MODEL: u64 = 1 << 30;

/// The file as far as it could be read, and what is wrong with it.
pub struct Unreadable {
    pub source: Arc<SourceFile>,
    pub diagnostic: Diagnostic,
}

impl Unreadable {
    fn new(name: &str, message: impl Into<String>, help: Option<&str>) -> Self {
        let help = help.map(Into::into);
        let diagnostic = Diagnostic { severity: Severity::Error, message: message.into(), span: None, help };
        Self { source: SourceFile::new(FileId(0), name, ""), diagnostic }
    }
}

/// The kind of a file, by its extension unless the call says otherwise.
pub fn kind(path: &Path, given: Option<Kind>) -> Result<Kind, Box<Unreadable>> {
    if let Some(kind) = given {
        return Ok(kind);
    }
    let name = path.display().to_string();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("cm") => Ok(Kind::Program(Language::CMinus)),
        Some("c") => Ok(Kind::Program(Language::C)),
        Some("rs") => Ok(Kind::Program(Language::Rust)),
        Some("t2") => Ok(Kind::Program(Language::T2)),
        Some("kripke") => Ok(Kind::Model),
        Some("pet") => Err(Box::new(Unreadable::new(&name, "`.pet` files are not supported yet", None))),
        _ => {
            // A directory or a missing file is the better thing to complain about.
            let problem = metadata_problem(path, &name);
            let unknown = || {
                let help =
                    "known are .cm, .c, .rs, .t2 and .kripke; `--lang` names the language of other files";
                Unreadable::new(&name, "unknown kind of file", Some(help))
            };
            Err(Box::new(problem.unwrap_or_else(unknown)))
        }
    }
}

/// The text of a file.
pub fn read(path: &Path, kind: Kind) -> Result<Arc<SourceFile>, Box<Unreadable>> {
    let limit = match kind {
        Kind::Program(_) => LARGEST_PROGRAM,
        Kind::Model => LARGEST_MODEL,
    };
    read_up_to(path, limit)
}

/// The text of a property file.
pub fn read_small(path: &Path) -> Result<Arc<SourceFile>, Box<Unreadable>> {
    read_up_to(path, LARGEST_PROGRAM)
}

/// The text of an evidence file, which may be large.
pub fn read_evidence(path: &Path) -> Result<Arc<SourceFile>, Box<Unreadable>> {
    read_up_to(path, LARGEST_MODEL)
}

/// The files of a program's modules, opened when they are asked for.
#[derive(Debug)]
pub struct Modules {
    given: PathBuf,
    root: Arc<SourceFile>,
    opened: Mutex<Vec<(PathBuf, ModuleText)>>,
    /// Files of other packages.
    foreign: Mutex<Vec<(PathBuf, ModuleText)>>,
    /// Every question, with its answer.
    asked: Mutex<Vec<(Asked, ModuleText)>>,
    /// Files that held something else, or were not there.
    earlier: Earlier,
}

/// What files held once, by their whole paths; nothing of those that were not there.
pub type Earlier = BTreeMap<PathBuf, Option<String>>;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Module(PathBuf),
    Dependency(PathBuf),
}

impl Modules {
    pub fn of(given: &Path, root: &Arc<SourceFile>) -> Arc<Self> {
        Self::earlier(given, root, Earlier::new())
    }

    /// As they were once.
    pub fn earlier(given: &Path, root: &Arc<SourceFile>, earlier: Earlier) -> Arc<Self> {
        Arc::new(Self {
            given: given.into(),
            root: root.clone(),
            opened: Mutex::default(),
            foreign: Mutex::default(),
            asked: Mutex::default(),
            earlier,
        })
    }

    /// What was asked for and answered, in order.
    pub fn asked(&self) -> Vec<(Asked, ModuleText)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn answer(&self, asked: &Asked) -> ModuleText {
        match asked {
            Asked::Module(path) => self.text(path),
            Asked::Dependency(path) => self.of_dependency(path),
        }
    }

    /// The given file with all files that were opened for it.
    pub fn joined(&self) -> Arc<SourceFile> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let found = opened.iter().chain(foreign.iter()).filter_map(|(_, text)| match text {
            ModuleText::Found(file) => Some(file.clone()),
            _ => None,
        });
        self.root.with_modules(found.collect())
    }
}

impl ModuleFiles for Modules {
    fn text(&self, path: &Path) -> ModuleText {
        let text = self.found(path);
        self.note(Asked::Module(path.into()), &text);
        text
    }

    fn of_dependency(&self, path: &Path) -> ModuleText {
        let text = self.found_outside(path);
        self.note(Asked::Dependency(path.into()), &text);
        text
    }
}

impl Modules {
    fn note(&self, asked: Asked, text: &ModuleText) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push((asked, text.clone()));
    }

    fn found_outside(&self, path: &Path) -> ModuleText {
        let same = match self.standing(path) {
            Ok(same) => same,
            Err(answer) => return answer,
        };
        let mut opened = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = opened.iter().find(|(known, _)| *known == same) {
            return text.clone();
        }
        let text = self.numbered(path, &same, FileId(FileId::FOREIGN + opened.len() as u32));
        opened.push((same, text.clone()));
        text
    }

    fn found(&self, path: &Path) -> ModuleText {
        let path = self.given.parent().unwrap_or(Path::new("")).join(path);
        let same = match self.standing(&path) {
            Ok(same) => same,
            Err(answer) => return answer,
        };
        if self.given.canonicalize().is_ok_and(|given| given == same) {
            return ModuleText::Found(self.root.clone());
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = opened.iter().find(|(known, _)| *known == same) {
            return text.clone();
        }
        let text = self.numbered(&path, &same, FileId(opened.len() as u32 + 1));
        opened.push((same, text.clone()));
        text
    }
}

impl Modules {
    /// The whole path of a file that can be read, or why it cannot.
    fn standing(&self, path: &Path) -> Result<PathBuf, ModuleText> {
        if let Some((same, text)) = whole_path(path).and_then(|same| self.earlier.get_key_value(&same)) {
            return text.as_ref().map(|_| same.clone()).ok_or(ModuleText::Missing);
        }
        let same = path.canonicalize().map_err(|_| ModuleText::Missing)?;
        // Reading anything else may wait for ever.
        match same.is_file() {
            true => Ok(same),
            false => Err(ModuleText::Unreadable(format!("{}: this is no plain file", path.display()))),
        }
    }

    fn numbered(&self, path: &Path, same: &Path, id: FileId) -> ModuleText {
        match self.earlier.get(same) {
            Some(Some(text)) => {
                ModuleText::Found(SourceFile::new(id, path.display().to_string(), text.clone()))
            }
            Some(None) => ModuleText::Missing,
            None => numbered(path, id),
        }
    }
}

/// Files that are gone have a folder still.
pub fn whole_path(path: &Path) -> Option<PathBuf> {
    let gone = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(gone)
}

fn numbered(path: &Path, id: FileId) -> ModuleText {
    match read_up_to(path, LARGEST_PROGRAM) {
        Ok(file) => ModuleText::Found(SourceFile::new(id, file.name.clone(), file.text.clone())),
        Err(unreadable) => {
            let Unreadable { source, diagnostic } = *unreadable;
            ModuleText::Unreadable(format!("{}: {}", source.name, diagnostic.message))
        }
    }
}

fn read_up_to(path: &Path, limit: u64) -> Result<Arc<SourceFile>, Box<Unreadable>> {
    let name = path.display().to_string();
    if let Some(problem) = metadata_problem(path, &name) {
        return Err(Box::new(problem));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed: a pipe does not say beforehand how much it holds.
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(Box::new(Unreadable::new(&name, reason(&error), None)));
    }
    if bytes.len() as u64 > limit {
        let message = format!("the file is too large: at most {} MB are read", limit >> 20);
        return Err(Box::new(Unreadable::new(&name, message, None)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(FileId(0), name, text)),
        Err(error) => Err(Box::new(not_text(&name, &error))),
    }
}

fn metadata_problem(path: &Path, name: &str) -> Option<Unreadable> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            Some(Unreadable::new(name, "this is a directory, not a file", None))
        }
        Ok(_) => None,
        Err(error) => Some(Unreadable::new(name, reason(&error), None)),
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission to read the file is denied".into(),
        _ => format!("the file cannot be read: {error}"),
    }
}

/// Points at the first byte that is no text.
fn not_text(name: &str, error: &std::string::FromUtf8Error) -> Unreadable {
    let bytes = error.as_bytes();
    let at = error.utf8_error().valid_up_to();
    let message = format!("not UTF-8 text: the byte 0x{:02x} cannot stand here", bytes[at]);
    let line_end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end);
    // The rest of the line is enough to show the place.
    let source = SourceFile::new(FileId(0), name, String::from_utf8_lossy(&bytes[..line_end]));
    let diagnostic = Diagnostic::error(Span::new(FileId(0), at, at + 1), message);
    Unreadable { source, diagnostic }
}
