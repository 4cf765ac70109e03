//! What the text says to leave alone: `// kleene: allow(LINT) reason`, and attributes that allow a lint of clippy or
//! rustc with the same meaning.
//!
//! The innermost one that covers a finding counts for it. One that nothing needs is said to be superfluous.

pub mod clippy;
mod comments;

use super::{Finding, Lint};
use crate::ir::Program;
use crate::outline::Outline;
use crate::pipeline::Verdict;
use crate::source::stored::stored_fields;
use crate::source::{Diagnostic, Severity, SourceFile, Span};

#[derive(Debug)]
pub struct Suppression {
    /// The comment or the attribute.
    pub at: Span,
    covers: Span,
    permits: Vec<Permit>,
    reason: String,
    origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Comment,
    Allow,
    Expect,
}

/// One lint that is left alone, as far as its text begins like this.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Permit {
    /// As it is written.
    name: String,
    lint: Lint,
    beginning: &'static str,
}

#[derive(Debug, Default)]
pub struct Suppressions {
    list: Vec<Suppression>,
    /// Comments that say nothing that can be understood.
    pub mistakes: Vec<Diagnostic>,
}

/// Whether something needs a suppression.
#[derive(Clone, Debug)]
pub struct Usage {
    pub at: Span,
    pub name: String,
    pub is_used: bool,
    /// What to say if nothing does.
    pub superfluous: Diagnostic,
}

stored_fields!(Usage: at, name, is_used, superfluous);

/// Whether a text may say to leave something alone.
pub fn may_be_in(source: &SourceFile) -> bool {
    let mut texts = std::iter::once(source).chain(source.modules().iter().map(|module| &**module));
    texts.any(|file| comments::may_be_in(&file.text) || clippy::may_be_in(&file.text))
}

impl Suppressions {
    pub fn of(source: &SourceFile, outline: &Outline, program: &Program) -> Self {
        let mut found = Self::default();
        let texts = std::iter::once(source).chain(source.modules().iter().map(|module| &**module));
        for text in texts {
            comments::read(text, outline, program, &mut found);
        }
        for attribute in &outline.attributes {
            let permits: Vec<Permit> =
                attribute.lints.iter().flat_map(|name| clippy::permits(name)).collect();
            if !permits.is_empty() {
                let origin = if attribute.expects { Origin::Expect } else { Origin::Allow };
                let reason = source.snippet(attribute.at).split_whitespace().collect::<Vec<_>>().join(" ");
                let (at, covers) = (attribute.at, attribute.covers);
                found.list.push(Suppression { at, covers, permits, reason, origin });
            }
        }
        found
    }

    /// Marks what is left alone, and says of each suppression in code that was looked at whether something needs it.
    pub fn apply(
        &self,
        findings: &mut [Finding],
        source: &SourceFile,
        outline: &Outline,
        program: &Program,
        wanted: &[Lint],
    ) -> Vec<Usage> {
        let mut used = vec![Vec::new(); self.list.len()];
        for finding in findings.iter_mut().filter(|finding| finding.verdict != Verdict::True) {
            let beginning = Span { end: finding.span.start, ..finding.span };
            let text = source.snippet(finding.span);
            let fits = |permit: &Permit| permit.lint == finding.lint && text.starts_with(permit.beginning);
            let covering = self.list.iter().enumerate().filter_map(|(index, own)| {
                let permit = own.permits.iter().position(fits)?;
                outline.is_inside(beginning, own.covers).then_some((index, permit))
            });
            let length = |(index, _): &(usize, usize)| {
                let covers = self.list[*index].covers;
                (covers.file != finding.span.file, covers.end - covers.start)
            };
            if let Some((index, permit)) = covering.min_by_key(length) {
                finding.suppressed = Some(self.list[index].reason.clone());
                used[index].push(permit);
            }
        }
        let seen: Vec<Span> = program
            .functions
            .iter()
            .flat_map(|function| function.graph.node_weights())
            .map(|location| location.span)
            .collect();
        let mut usages = Vec::new();
        for (own, used) in self.list.iter().zip(&used) {
            // An attribute of others may well be needed by them.
            if own.origin == Origin::Allow {
                continue;
            }
            let is_seen =
                seen.iter().any(|place| outline.is_inside(Span { end: place.start, ..*place }, own.covers));
            if is_seen {
                usages.extend(own.usages(used, wanted));
            }
        }
        usages
    }
}

impl Suppression {
    /// One for each name that is looked for.
    fn usages<'s>(&'s self, used: &'s [usize], wanted: &'s [Lint]) -> impl Iterator<Item = Usage> {
        let permits = self.permits.iter().enumerate().filter(|(_, permit)| wanted.contains(&permit.lint));
        let is_first = |at: usize, name: &str| self.permits[..at].iter().all(|earlier| earlier.name != name);
        permits.filter(move |(at, permit)| is_first(*at, &permit.name)).map(|(_, permit)| {
            let is_used = used.iter().any(|at| self.permits[*at].name == permit.name);
            let (severity, message) = match self.origin {
                Origin::Comment => {
                    (Severity::Warning, format!("nothing here needs `allow({})`", permit.name))
                }
                _ => (Severity::Note, format!("nothing here can fail: `{}` has no reason", permit.name)),
            };
            let help = (self.origin == Origin::Comment).then(|| "remove it".to_string());
            let superfluous = Diagnostic { severity, message, span: Some(self.at), help };
            Usage { at: self.at, name: permit.name.clone(), is_used, superfluous }
        })
    }
}
