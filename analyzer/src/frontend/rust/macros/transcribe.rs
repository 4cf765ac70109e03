//! Bodies with their variables filled in.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

use super::super::items::KrateId;
use super::definition::Body;
use super::fragment::{Kind, Signs};
use super::hygiene::{ORIGIN, marked};
use super::matcher::Bound;

pub struct Transcriber<'e> {
    pub signs: &'e Signs,
    pub mark: u32,
    /// Where everything stands that the macro's own text brings.
    pub span: Span,
    /// How many tokens may still be made.
    pub left: usize,
    /// The crate that declares the macro, if the call stands in another one.
    pub origin: Option<KrateId>,
}

const UNEVEN: &str = "a macro whose repetitions do not agree";

impl Transcriber<'_> {
    /// `bound` are the variables by number, inside the repetitions around this part.
    pub fn transcribed(&mut self, body: &[Body], bound: &[&Bound]) -> Result<TokenStream, &'static str> {
        let mut found = Vec::new();
        self.parts(body, bound, &mut found)?;
        Ok(found.into_iter().collect())
    }

    fn parts(
        &mut self,
        body: &[Body],
        bound: &[&Bound],
        found: &mut Vec<TokenTree>,
    ) -> Result<(), &'static str> {
        for part in body {
            match part {
                Body::Tree(tree) => {
                    let mut tree = tree.clone();
                    tree.set_span(self.span);
                    self.push(tree, found)?;
                }
                Body::Name(ident) => {
                    self.push(TokenTree::Ident(marked(ident, self.mark, self.span)), found)?;
                }
                Body::Crate => {
                    let name = self.origin.map_or("crate".into(), |KrateId(id)| format!("crate{ORIGIN}{id}"));
                    self.push(TokenTree::Ident(Ident::new(&name, self.span)), found)?;
                }
                Body::Variable(number) => match bound[*number] {
                    Bound::Fragment(kind, tokens) => self.fragment(*kind, tokens, found)?,
                    Bound::List(_) => return Err(UNEVEN),
                },
                Body::Group(delimiter, inside) => {
                    let mut group = Group::new(*delimiter, self.transcribed(inside, bound)?);
                    group.set_span(self.span);
                    self.push(TokenTree::Group(group), found)?;
                }
                Body::Fragment(kind, inside) => {
                    let inside = self.transcribed(inside, bound)?;
                    self.push(self.signs.wrapped(*kind, inside), found)?;
                }
                Body::Repetition { inside, variables, separator } => {
                    self.repetition(inside, variables, separator, bound, found)?;
                }
            }
        }
        Ok(())
    }

    fn fragment(
        &mut self,
        kind: Kind,
        tokens: &[TokenTree],
        found: &mut Vec<TokenTree>,
    ) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(count(tokens)).ok_or(TOO_MANY)?;
        match kind {
            Kind::Name | Kind::Lifetime | Kind::Tree => found.extend(tokens.iter().cloned()),
            _ => found.push(self.signs.wrapped(kind, tokens.iter().cloned().collect())),
        }
        Ok(())
    }

    fn repetition(
        &mut self,
        inside: &[Body],
        variables: &[usize],
        separator: &[TokenTree],
        bound: &[&Bound],
        found: &mut Vec<TokenTree>,
    ) -> Result<(), &'static str> {
        let lists = variables.iter().filter_map(|number| match bound[*number] {
            Bound::List(list) => Some((*number, list)),
            Bound::Fragment(..) => None,
        });
        let lists: Vec<(usize, &Vec<Bound>)> = lists.collect();
        let rounds = lists.first().ok_or(UNEVEN)?.1.len();
        if lists.iter().any(|(_, list)| list.len() != rounds) {
            return Err(UNEVEN);
        }
        let mut inner = bound.to_vec();
        for round in 0..rounds {
            if round > 0 {
                for tree in separator {
                    let mut tree = tree.clone();
                    tree.set_span(self.span);
                    self.push(tree, found)?;
                }
            }
            for (number, list) in &lists {
                inner[*number] = &list[round];
            }
            self.left = self.left.checked_sub(1).ok_or(TOO_MANY)?;
            self.parts(inside, &inner, found)?;
        }
        Ok(())
    }

    fn push(&mut self, tree: TokenTree, found: &mut Vec<TokenTree>) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or(TOO_MANY)?;
        found.push(tree);
        Ok(())
    }
}

pub const TOO_MANY: &str = "a macro that makes too many tokens";

fn count(tokens: &[TokenTree]) -> usize {
    let mut total = 0;
    let mut work: Vec<TokenTree> = tokens.to_vec();
    while let Some(tree) = work.pop() {
        total += 1;
        if let TokenTree::Group(group) = tree {
            work.extend(group.stream());
        }
    }
    total
}
