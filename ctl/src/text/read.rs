//! Reads the `.kripke` form, byte by byte and in one pass.

use super::{ModelTextError, NamedModel};
use crate::kripke::{AtomId, CellId, Model, ModelBuilder, ModelError};
use crate::lex::{is_word_part, is_word_start};
use crate::parse::is_reserved;
use crate::syntax::SourceSpan;
use crate::truth::Truth;
use rustc_hash::FxHashMap;

/// More mistakes than this are not worth reading.
const MOST_ERRORS: usize = 100;

/// Reads a model, or says everything that is wrong with the text.
pub fn parse_model(text: &str) -> Result<NamedModel, Vec<ModelTextError>> {
    let mut reader = Reader::new(text);
    if u32::try_from(text.len()).is_err() {
        reader.error(SourceSpan::default(), "model files of 4 GiB or more cannot be read");
        return Err(reader.errors);
    }
    let mut start = 0;
    for line in text.split('\n') {
        reader.line(start, line);
        start += line.len() + 1;
    }
    reader.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    May,
    Must,
    Step,
}

struct Reader<'t> {
    text: &'t str,
    states: Interner<'t>,
    /// Where each state was declared, or `UNDECLARED`.
    declared: Vec<u32>,
    /// Where each state was first mentioned.
    mentioned: Vec<u32>,
    atoms: Interner<'t>,
    labels: Vec<(AtomId, CellId, Truth)>,
    initial: Vec<CellId>,
    may: Vec<(CellId, CellId)>,
    must: Vec<(CellId, u32, u32, u32)>,
    must_targets: Vec<CellId>,
    step: Vec<(CellId, CellId)>,
    errors: Vec<ModelTextError>,
    unreported: usize,
}

const UNDECLARED: u32 = u32::MAX;

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Reader<'t> {
        Reader {
            text,
            states: Interner::default(),
            declared: Vec::new(),
            mentioned: Vec::new(),
            atoms: Interner::default(),
            labels: Vec::new(),
            initial: Vec::new(),
            may: Vec::new(),
            must: Vec::new(),
            must_targets: Vec::new(),
            step: Vec::new(),
            errors: Vec::new(),
            unreported: 0,
        }
    }

    fn error(&mut self, span: SourceSpan, message: impl Into<String>) {
        if self.errors.len() == MOST_ERRORS {
            self.unreported += 1;
        } else {
            let before = &self.text[..span.start];
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            self.errors.push(ModelTextError { line, column, message: message.into(), span });
        }
    }

    fn line(&mut self, start: usize, line: &'t str) {
        let mut words = Words { text: line, start, at: 0 };
        let Some((keyword, span)) = words.next() else { return };
        match keyword {
            "state" => self.state(span, words),
            "may" => self.edges(EdgeKind::May, span, words),
            "must" => self.edges(EdgeKind::Must, span, words),
            "step" => self.edges(EdgeKind::Step, span, words),
            _ => self.error(
                span,
                format!("`{keyword}` is not an item; items are `state`, `may`, `must` and `step`"),
            ),
        }
    }

    fn state_id(&mut self, name: &'t str, span: SourceSpan) -> Option<CellId> {
        if !name.chars().all(is_word_part) {
            self.error(span, format!("`{name}` is not a state: states are numbers or names"));
            return None;
        }
        let id = self.states.id(name);
        if id as usize == self.declared.len() {
            self.declared.push(UNDECLARED);
            self.mentioned.push(span.start as u32);
        }
        Some(CellId(id))
    }

    fn state(&mut self, keyword: SourceSpan, mut words: Words<'t>) {
        let Some((name, span)) = words.next() else { return self.error(keyword, "`state` needs a state") };
        let Some(cell) = self.state_id(name, span) else { return };
        if self.declared[cell.index()] != UNDECLARED {
            self.error(span, format!("state `{name}` is declared twice"));
        }
        self.declared[cell.index()] = span.start as u32;
        let first_label = self.labels.len();
        for (word, span) in words {
            if word == "init" {
                self.initial.push(cell);
                continue;
            }
            let (name, truth) = match (word.strip_prefix('!'), word.strip_suffix('?')) {
                (Some(name), _) => (name, Truth::False),
                (None, Some(name)) => (name, Truth::Maybe),
                (None, None) => (word, Truth::True),
            };
            if !is_atom_name(name) {
                self.error(span, format!("`{name}` cannot be an atom: no formula could mention it"));
                continue;
            }
            let atom = AtomId(self.atoms.id(name));
            if self.labels[first_label..].iter().any(|(known, _, other)| *known == atom && *other != truth) {
                self.error(
                    span,
                    format!("state `{}` gives atom `{name}` two values", self.states.names[cell.index()]),
                );
            }
            self.labels.push((atom, cell, truth));
        }
    }

    fn edges(&mut self, kind: EdgeKind, keyword: SourceSpan, mut words: Words<'t>) {
        let Some((name, span)) = words.next() else {
            return self.error(keyword, "an edge needs a state to start from");
        };
        let source = self.state_id(name, span);
        let first = self.must_targets.len() as u32;
        let mut any = false;
        for (name, span) in words {
            any = true;
            let (Some(from), Some(to)) = (source, self.state_id(name, span)) else { continue };
            match kind {
                EdgeKind::May => self.may.push((from, to)),
                EdgeKind::Step => self.step.push((from, to)),
                EdgeKind::Must => self.must_targets.push(to),
            }
        }
        if !any {
            self.error(keyword, "an edge needs at least one state to lead to");
        } else if let (EdgeKind::Must, Some(from)) = (kind, source) {
            self.must.push((from, first, self.must_targets.len() as u32, keyword.start as u32));
        }
    }

    fn finish(mut self) -> Result<NamedModel, Vec<ModelTextError>> {
        self.report_undeclared();
        if self.states.names.is_empty() && self.errors.is_empty() {
            self.error(SourceSpan::default(), "the model has no state");
        } else if self.initial.is_empty() && self.errors.is_empty() {
            self.error(SourceSpan::default(), "the model has no initial state: mark one with `init`");
        }
        let model = if self.errors.is_empty() { self.build() } else { None };
        match model {
            Some(model) => {
                let owned = |interner: Interner| interner.names.into_iter().map(str::to_string).collect();
                Ok(NamedModel { model, state_names: owned(self.states), atom_names: owned(self.atoms) })
            }
            None => {
                self.errors.sort_by_key(|error| error.span.start);
                if let (Some(last), 1..) = (self.errors.last_mut(), self.unreported) {
                    last.message.push_str(&format!(" (and {} more mistakes in this file)", self.unreported));
                }
                Err(self.errors)
            }
        }
    }

    fn report_undeclared(&mut self) {
        for cell in 0..self.declared.len() {
            if self.declared[cell] == UNDECLARED {
                let (name, start) = (self.states.names[cell], self.mentioned[cell] as usize);
                let span = SourceSpan::new(start, start + name.len());
                self.error(span, format!("state `{name}` is not declared"));
            }
        }
    }

    fn build(&mut self) -> Option<Model> {
        let mut builder = ModelBuilder::new(self.states.names.len(), self.atoms.names.len());
        self.may.iter().for_each(|(from, to)| builder.may(*from, *to));
        self.step.iter().for_each(|(from, to)| builder.step(*from, *to));
        for (from, first, last, _) in &self.must {
            builder.must(*from, &self.must_targets[*first as usize..*last as usize]);
        }
        self.labels.iter().for_each(|(atom, cell, truth)| builder.label(*atom, *cell, *truth));
        self.initial.iter().for_each(|cell| builder.initial(*cell));
        match builder.build() {
            Ok(model) => Some(model),
            Err(ModelError::MustOutsideMay { .. }) => {
                self.report_must_outside_may();
                None
            }
            Err(error) => {
                self.error(SourceSpan::default(), error.to_string());
                None
            }
        }
    }

    fn report_must_outside_may(&mut self) {
        let may: rustc_hash::FxHashSet<_> = self.may.iter().chain(&self.step).copied().collect();
        for (from, first, last, start) in std::mem::take(&mut self.must) {
            let targets = self.must_targets[first as usize..last as usize].to_vec();
            for to in targets.into_iter().filter(|to| !may.contains(&(from, *to))) {
                let (from, to) = (self.states.names[from.index()], self.states.names[to.index()]);
                let span = SourceSpan::new(start as usize, start as usize + "must".len());
                self.error(
                    span,
                    format!("a must edge leads from `{from}` to `{to}`, but no `may {from} {to}` does"),
                );
            }
        }
    }
}

fn is_atom_name(name: &str) -> bool {
    name.chars().next().is_some_and(is_word_start) && name.chars().all(is_word_part) && !is_reserved(name)
}

/// The words of a line with their places in the whole text, up to a comment.
struct Words<'t> {
    text: &'t str,
    start: usize,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = (&'t str, SourceSpan);

    fn next(&mut self) -> Option<(&'t str, SourceSpan)> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let first = self.at;
        while bytes.get(self.at).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'#') {
            self.at += 1;
        }
        let word = &self.text[first..self.at];
        (!word.is_empty()).then(|| (word, SourceSpan::new(self.start + first, self.start + self.at)))
    }
}

/// Numbers names in the order of their first mention. Small numbers, the usual names of generated states, are
/// looked up in a table.
#[derive(Default)]
struct Interner<'t> {
    names: Vec<&'t str>,
    by_number: Vec<u32>,
    by_name: FxHashMap<&'t str, u32>,
}

const LARGEST_TABLED: usize = 1 << 24;

impl<'t> Interner<'t> {
    fn id(&mut self, name: &'t str) -> u32 {
        let fresh = self.names.len() as u32;
        let slot = match tabled(name) {
            Some(number) => {
                if number >= self.by_number.len() {
                    self.by_number.resize((number + 1).next_power_of_two(), UNDECLARED);
                }
                &mut self.by_number[number]
            }
            None => self.by_name.entry(name).or_insert(UNDECLARED),
        };
        if *slot == UNDECLARED {
            *slot = fresh;
            self.names.push(name);
        }
        *slot
    }
}

/// The number a name is the plain decimal form of, if it is a small one.
fn tabled(name: &str) -> Option<usize> {
    let bytes = name.as_bytes();
    if bytes.len() > 8 || (bytes[0] == b'0' && bytes.len() > 1) {
        return None;
    }
    let number = bytes.iter().try_fold(0usize, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + usize::from(byte - b'0'))
    })?;
    (number < LARGEST_TABLED).then_some(number)
}
