//! Source text: files, spans, positions and the diagnostics that point into them.
//!
//! Knows no language. A `Diagnostic` is a user's mistake or a remark, never an internal failure.

pub mod digest;
pub mod sink;
pub mod skim;
pub mod spelling;
pub mod stored;

use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// Files of packages that a program depends on are numbered from here on.
    pub const FOREIGN: u32 = 1 << 30;

    /// Whether it belongs to another package than the one that is looked at.
    pub fn is_foreign(self) -> bool {
        self.0 >= Self::FOREIGN
    }
}

/// A byte range of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both; both lie in one file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn covers(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// One text with its line table, and the texts that it takes in as modules.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub id: FileId,
    /// As the user named it.
    pub name: String,
    pub text: String,
    line_starts: Vec<u32>,
    ascii: bool,
    modules: Vec<Arc<SourceFile>>,
    /// Texts of other packages that were read beside it: spans point there, and nothing is told of them.
    foreign: Vec<Arc<SourceFile>>,
}

impl SourceFile {
    pub fn new(id: FileId, name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        let ascii = text.is_ascii();
        Arc::new(Self {
            id,
            name: name.into(),
            text,
            line_starts,
            ascii,
            modules: Vec::new(),
            foreign: Vec::new(),
        })
    }

    /// The same text with the files that belong to it: spans may point into any of them.
    pub fn with_modules(self: &Arc<Self>, modules: Vec<Arc<SourceFile>>) -> Arc<Self> {
        let (foreign, modules): (Vec<_>, Vec<_>) = modules.into_iter().partition(|file| file.id.is_foreign());
        if modules.len() == self.modules.len() && foreign.len() == self.foreign.len() {
            return self.clone();
        }
        Arc::new(Self { modules, foreign, ..Self::clone(self) })
    }

    pub fn modules(&self) -> &[Arc<SourceFile>] {
        &self.modules
    }

    /// The file that a span points into: this one, one of its modules, or one of another package.
    pub fn of(&self, span: Span) -> &SourceFile {
        let files = if span.file.is_foreign() { &self.foreign } else { &self.modules };
        files.iter().find(|module| module.id == span.file).map_or(self, |module| module)
    }

    /// Whether a span points into this text itself.
    pub fn is_own(&self, span: Span) -> bool {
        std::ptr::eq(self.of(span), self)
    }

    /// Line and column of the start of a span, in the file that it points into.
    pub fn place(&self, span: Span) -> (u32, u32) {
        self.of(span).position(span.start)
    }

    /// Line and column of a byte offset, both counted from 1; columns count characters.
    pub fn position(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let offset = self.text.floor_char_boundary(offset as usize).max(start);
        let column = self.text[start..offset].chars().count() + 1;
        (line as u32, column as u32)
    }

    pub fn line_of(&self, span: Span) -> u32 {
        self.place(span).0
    }

    /// `12`, or `other.rs:12` where the span points into a module.
    pub fn line_named(&self, span: Span) -> String {
        let line = self.line_of(span);
        if self.is_own(span) { line.to_string() } else { format!("{}:{line}", self.of(span).name) }
    }

    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// Where a line begins, counted from 0.
    pub fn line_start(&self, line: usize) -> Option<u32> {
        self.line_starts.get(line).copied()
    }

    /// The byte at a line counted from 1 and a character of it counted from 0, where every character is a byte.
    pub fn byte_at(&self, line: usize, character: usize) -> Option<usize> {
        let line = self.line_start(line.checked_sub(1)?).filter(|_| self.ascii)?;
        Some(line as usize + character)
    }

    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The text of a line counted from 1, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(index) = (line as usize).checked_sub(1).filter(|index| *index < self.line_starts.len())
        else {
            return "";
        };
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| *next as usize - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    pub fn snippet(&self, span: Span) -> &str {
        let (text, start, end) = self.bounds(span);
        &text[start..end]
    }

    /// What stands before a span, and behind it.
    pub fn around(&self, span: Span) -> (&str, &str) {
        let (text, start, end) = self.bounds(span);
        (&text[..start], &text[end..])
    }

    fn bounds(&self, span: Span) -> (&str, usize, usize) {
        let text = &self.of(span).text;
        let end = text.floor_char_boundary(span.end as usize);
        (text, text.floor_char_boundary(span.start as usize).min(end), end)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// Something to tell the user about a place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// `None` where the whole input is meant.
    pub span: Option<Span>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span: Some(span), help: None }
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, message: message.into(), span: Some(span), help: None }
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
