//! What stands around a place in Rust text: its function, what that says of itself, what it does with a value.
//!
//! Read off the syntax alone, after the front end accepted the text. What macros expand to is not looked into: there
//! nothing is known, and every question about it is answered with no.

mod attributes;
mod names;
mod read;

use std::collections::BTreeSet;

use crate::source::{FileId, SourceFile, Span};

/// Names of variables.
pub type Names = BTreeSet<String>;

#[derive(Clone, Debug, Default)]
pub struct Outline {
    functions: Vec<Function>,
    /// What is allowed or expected of which text.
    pub attributes: Vec<Attribute>,
    /// Statements without blocks.
    statements: Vec<Span>,
    /// Files of modules, with where they are declared.
    declared: Vec<(FileId, Span)>,
    /// Traits with their functions whose documentation has a section `# Panics`.
    documented: BTreeSet<(String, String)>,
}

/// `#[allow(…)]` or `#[expect(…)]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub at: Span,
    pub covers: Span,
    pub expects: bool,
    /// As written: `clippy::unwrap_used`.
    pub lints: Vec<String>,
}

/// One function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The whole item.
    pub span: Span,
    /// Where it begins behind its attributes.
    head: Span,
    /// Its documentation has a section `# Panics`.
    pub documents_panics: bool,
    /// The trait that it implements a function of, and the name of that.
    implements: Option<(String, String)>,
    /// It is part of the implementation of an operator.
    pub is_operator: bool,
    parameters: Names,
    /// Conditions with what stands behind them.
    conditions: Vec<Named>,
    /// Calls of `expect` by the place of the name, with the names of what they are called on.
    expected: Vec<Named>,
    /// Indices, sizes of allocations and unsafe blocks.
    dangers: Vec<Named>,
    /// Values with the variables they are stored in.
    stores: Vec<Named>,
    /// What is passed to `checked_…`.
    checked: Names,
    /// Conditions that speak of no variable, that choose an arm, or that the language asks for.
    switches: Vec<Span>,
    /// Text behind them, and arms that a `match` must have.
    alternatives: Vec<Span>,
}

/// A piece of text with the names that belong to it.
#[derive(Clone, Debug)]
struct Named {
    span: Span,
    names: Names,
}

impl Outline {
    /// Of a text and its modules, bodies of functions as far as they are `asked` about. Empty where a text does not parse.
    pub fn of(source: &SourceFile, asked: &[Span]) -> Self {
        let mut outline = read::outline(source, asked);
        // What a trait says of its function holds for those who implement it.
        for function in &mut outline.functions {
            let said = function.implements.as_ref().is_some_and(|own| outline.documented.contains(own));
            function.documents_panics |= said;
        }
        outline
    }

    /// Whether a place lies in a piece of text, or in the file of a module that is declared there.
    pub fn is_inside(&self, place: Span, outer: Span) -> bool {
        let declared = |file: FileId| self.declared.iter().find(|(own, _)| *own == file).map(|(_, at)| *at);
        // Each file is declared once: the way up has an end.
        let mut place = Some(place);
        for _ in 0..=self.declared.len() {
            match place {
                Some(here) if outer.covers(here) => return true,
                Some(here) => place = declared(here.file),
                None => return false,
            }
        }
        false
    }

    /// The whole text of what begins between two places of a file: a function, or a statement without blocks.
    pub fn beginning_in(&self, lines: Span) -> Option<Span> {
        let begins = |at: Span| at.file == lines.file && (lines.start..lines.end).contains(&at.start);
        let functions =
            self.functions.iter().filter(|function| begins(function.span) || begins(function.head));
        let statements = self.statements.iter().copied().filter(|span| begins(*span));
        let all = functions.map(|function| function.span).chain(statements);
        all.max_by_key(|span| span.end - span.start)
    }

    /// Whether a trait says that a function of it panics.
    pub fn trait_documents_panics(&self, of_trait: &str, function: &str) -> bool {
        self.documented.contains(&(of_trait.to_string(), function.to_string()))
    }

    /// Text that nobody may come to without anything being wrong: what is switched off, or must be written.
    pub fn alternatives(&self) -> impl Iterator<Item = Span> + '_ {
        self.functions.iter().flat_map(|function| function.alternatives.iter().copied())
    }

    /// The innermost function around a place.
    pub fn function_at(&self, span: Span) -> Option<&Function> {
        let around = self.functions.iter().filter(|function| function.span.covers(span));
        around.min_by_key(|function| function.span.end - function.span.start)
    }
}

impl Function {
    /// Whether a condition that stands here may always have the same outcome without anything being wrong.
    pub fn is_switch(&self, span: Span) -> bool {
        self.switches.iter().any(|switch| switch.covers(span))
    }

    /// Whether a condition that stands here, of `assert!` and its like, speaks of arguments only.
    pub fn asserts_arguments(&self, span: Span, source: &SourceFile) -> bool {
        self.is_of_arguments(&names::asserted(source.snippet(span)))
    }

    /// Whether the `expect` that stands here is called on something made of arguments only.
    pub fn expects_arguments(&self, span: Span) -> bool {
        let same = |call: &&Named| span.covers(call.span);
        self.expected.iter().find(same).is_some_and(|call| self.is_of_arguments(&call.names))
    }

    /// Whether all conditions around a place speak of arguments only, and there is one.
    pub fn is_behind_arguments(&self, span: Span) -> bool {
        let around: Vec<&Named> =
            self.conditions.iter().filter(|condition| condition.span.covers(span)).collect();
        !around.is_empty() && around.iter().all(|condition| self.is_of_arguments(&condition.names))
    }

    /// Whether a value that is computed here becomes an index, the size of an allocation, or part of unsafe code.
    pub fn is_dangerous(&self, span: Span) -> bool {
        let stored = self.stores.iter().filter(|store| store.span.covers(span));
        let names: Names = stored.flat_map(|store| store.names.iter().cloned()).collect();
        self.dangers.iter().any(|danger| danger.span.covers(span) || !danger.names.is_disjoint(&names))
    }

    /// Whether a `checked_…` of this function has to do with the same values.
    pub fn is_checked_beside(&self, span: Span, source: &SourceFile) -> bool {
        !self.checked.is_disjoint(&names::used(source.snippet(span)))
    }

    /// Arguments beside `self` have to be among them: `self` alone is the type's own business.
    fn is_of_arguments(&self, names: &Names) -> bool {
        let own = |name: &String| name == "self" || self.parameters.contains(name);
        names.iter().all(own) && names.iter().any(|name| self.parameters.contains(name))
    }
}

/// The variables that a piece of Rust uses.
pub fn names_in(text: &str) -> Names {
    names::used(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/// # Panics\n/// always\npub fn asked(x: u8) -> u8 {\n    if x > 1 { 2 } else { 3 }\n}\n\
                        fn other(x: u8) -> u8 {\n    if x > 1 { 2 } else { 3 }\n}\n\
                        fn told(x: u8) -> u8 {\n    #[allow(unused)]\n    let y = if x > 1 { 2 } else { 3 };\n    y\n}\n";

    #[test]
    fn bodies_are_read_where_somebody_asks() {
        let source = SourceFile::new(FileId(0), "a.rs", TEXT);
        let at = |text: &str| TEXT.find(text).expect("it is there");
        let asked = Span::new(FileId(0), at("x > 1"), at("x > 1") + 1);
        let outline = Outline::of(&source, &[asked]);
        let conditions: Vec<usize> =
            outline.functions.iter().map(|function| function.conditions.len()).collect();
        assert_eq!(conditions, [2, 0, 2]);
        // What stands around them is there, at its place.
        let other = outline.functions[1].span;
        assert_eq!(source.snippet(other), &TEXT[at("fn other")..at("\nfn told")]);
        assert!(outline.functions[0].documents_panics);
        assert_eq!(outline.attributes.len(), 1);
    }

    #[test]
    fn a_text_with_other_letters_is_read_as_a_whole() {
        let source = SourceFile::new(FileId(0), "a.rs", format!("// \u{e4}\n{TEXT}"));
        let outline = Outline::of(&source, &[]);
        assert!(outline.functions.iter().all(|function| function.conditions.len() == 2));
    }
}
