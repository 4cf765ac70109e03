//! What a call takes where answers of earlier calls are kept: with nothing changed, and after one function was edited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::Time;
use super::tools::Tools;
use crate::crates::child::End;

/// Changes what a function is lowered to, and nothing that it does.
const EDIT: &str = " let _edited = 0u8;";

#[derive(Clone, Debug)]
pub struct Kept {
    /// The first call, which writes down what it finds.
    pub cold: Time,
    /// The same call again.
    pub warm: Time,
    pub edits: Vec<Edit>,
}

#[derive(Clone, Debug)]
pub struct Edit {
    pub function: String,
    pub time: Time,
}

impl Kept {
    /// What edits take of a cold call, one by one.
    pub fn shares(&self, of: fn(Time) -> f64) -> impl Iterator<Item = f64> {
        self.edits.iter().map(move |edit| of(edit.time) / of(self.cold))
    }
}

/// Edits so many functions that have sites, evenly spread over the crate. Each edit is taken back before the next.
pub fn measured(tools: &Tools, count: usize) -> Result<Kept, String> {
    tools.forget_answers()?;
    let (cold, document) = called(tools, "cold")?;
    let (warm, _) = called(tools, "warm")?;
    let mut kept = Kept { cold, warm, edits: Vec::new() };
    for (path, function) in spread(&with_sites(&document)?, count) {
        let text = read(path)?;
        let edited = format!("{}{EDIT}{}", &text[..function.body], &text[function.body..]);
        write(path, &edited)?;
        let time = called(tools, "edit").map(|(time, _)| time);
        write(path, &text)?;
        kept.edits.push(Edit { function: function.name.clone(), time: time? });
    }
    Ok(kept)
}

/// One call, and where its answer is.
fn called(tools: &Tools, name: &str) -> Result<(Time, PathBuf), String> {
    let answer = tools.kleene_with_answers(name)?;
    match answer.spent.end {
        End::Finished if answer.figures.mistakes.is_empty() => {}
        End::Finished => return Err(format!("{name}: {}", answer.figures.mistakes.join("; "))),
        end => return Err(format!("{name}: {}", end.name())),
    }
    let mut time = Time::NONE;
    time.least(&answer.spent);
    Ok((time, answer.document))
}

#[derive(Deserialize)]
struct Document {
    results: Vec<Site>,
}

#[derive(Deserialize)]
struct Site {
    file: PathBuf,
    line: usize,
}

/// The innermost functions around the sites of an answer, in the order of the text.
fn with_sites(document: &Path) -> Result<Vec<(PathBuf, Function)>, String> {
    let problem = |error: serde_json::Error| format!("{}: {error}", document.display());
    let document: Document = serde_json::from_str(&read(document)?).map_err(problem)?;
    let mut lines: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for site in document.results {
        lines.entry(site.file).or_default().push(site.line);
    }
    let mut found = Vec::new();
    for (path, lines) in lines {
        let functions = Functions::of(&read(&path)?);
        let mut chosen: Vec<usize> =
            lines.iter().filter_map(|line| functions.innermost_around(*line)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        found.extend(chosen.into_iter().map(|index| (path.clone(), functions.0[index].clone())));
    }
    Ok(found)
}

fn spread<T>(all: &[T], count: usize) -> impl Iterator<Item = &T> {
    let count = count.min(all.len());
    (0..count).map(move |index| &all[(2 * index + 1) * all.len() / (2 * count)])
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    first: usize,
    last: usize,
    /// Behind the brace that opens its body, in bytes.
    body: usize,
}

#[derive(Default)]
struct Functions(Vec<Function>);

impl Functions {
    /// A text that cannot be parsed has none.
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        if let Ok(file) = syn::parse_file(text) {
            found.visit_file(&file);
        }
        found
    }

    fn innermost_around(&self, line: usize) -> Option<usize> {
        let around = self.0.iter().enumerate().filter(|(_, it)| it.first <= line && line <= it.last);
        around.min_by_key(|(_, function)| function.last - function.first).map(|(index, _)| index)
    }

    fn add(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        // Attributes inside a body stand before everything else in it.
        let opens = |attribute: &syn::Attribute| matches!(attribute.style, syn::AttrStyle::Inner(_));
        if attributes.iter().any(opens) {
            return;
        }
        self.0.push(Function {
            name: signature.ident.to_string(),
            first: signature.span().start().line,
            last: block.span().end().line,
            body: block.brace_token.span.open().byte_range().end,
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.attrs, &function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.attrs, &function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.attrs, &function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{EDIT, Functions, spread};

    #[test]
    fn an_edit_stands_first_in_the_innermost_function() {
        let text = "fn f(ä: u8) -> u8 {\n    fn g() {\n        h();\n    }\n    1 + ä\n}\n";
        let functions = Functions::of(text);
        let name = |line: usize| functions.innermost_around(line).map(|it| functions.0[it].name.as_str());
        assert_eq!([name(3), name(5), name(7)], [Some("g"), Some("f"), None]);
        let body = functions.0[functions.innermost_around(3).unwrap()].body;
        let edited = format!("{}{EDIT}{}", &text[..body], &text[body..]);
        assert!(edited.contains("fn g() { let _edited = 0u8;\n"), "{edited}");
    }

    #[test]
    fn edits_are_spread_over_all() {
        let all: Vec<usize> = (0..10).collect();
        assert_eq!(spread(&all, 2).copied().collect::<Vec<_>>(), [2, 7]);
        assert_eq!(spread(&all, 20).count(), 10);
        assert_eq!(spread(&all[..0], 3).count(), 0);
    }
}
