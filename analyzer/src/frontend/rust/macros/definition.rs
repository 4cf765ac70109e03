//! The text of a `macro_rules!`: rules of a matcher and a body each.
//!
//! What is not understood (unstable `${…}` and `$$`) or is malformed makes the whole macro unknown.

use proc_macro2::{Delimiter, Ident, Punct, TokenStream, TokenTree};

use super::fragment::{Kind, kind_of};
use super::hygiene::{base, is_name};
use super::token::{Token, first};

#[derive(Debug)]
pub struct Rule {
    /// The matcher as steps that a thread of matching goes through.
    pub steps: Vec<Step>,
    /// The names it binds, by their numbers in `steps`.
    pub variables: Vec<String>,
    pub body: Vec<Body>,
}

#[derive(Debug)]
pub enum Step {
    /// Of the input, brackets included.
    Token(Token),
    Variable {
        number: usize,
        kind: Kind,
        depth: usize,
    },
    /// Before a repetition: all variables in it are bound to lists.
    Repetition {
        operator: Repeated,
        first: usize,
        count: usize,
        depth: usize,
        after: usize,
    },
    /// Behind one round of a repetition without a separator.
    Again {
        operator: Repeated,
        start: usize,
    },
    /// Behind one round; the separator comes next, then `Next`.
    Separator(Token),
    Next {
        start: usize,
    },
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    Any,
    Some,
    Optional,
}

#[derive(Debug)]
pub enum Body {
    Tree(TokenTree),
    /// A name that gets the mark of the expansion.
    Name(Ident),
    Variable(usize),
    Crate,
    Group(Delimiter, Vec<Body>),
    /// What the macro that made this one has matched.
    Fragment(Kind, Vec<Body>),
    Repetition {
        inside: Vec<Body>,
        variables: Vec<usize>,
        separator: Vec<TokenTree>,
    },
}

/// `old`: patterns take no alternatives at the top, as before 2021.
pub fn rules(tokens: TokenStream, old: bool) -> Option<Vec<Rule>> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rules = Vec::new();
    let mut rest = trees.as_slice();
    while let [TokenTree::Group(matcher), tail @ ..] = rest {
        let (Token::Operator(arrow), length) = first(tail.iter().cloned()) else { return None };
        let [TokenTree::Group(body), tail @ ..] = tail.get(length..).filter(|_| arrow == "=>")? else {
            return None;
        };
        rules.push(rule(matcher.stream(), body.stream(), old)?);
        rest = match tail {
            [TokenTree::Punct(punct), tail @ ..] if punct.as_char() == ';' => tail,
            [] => tail,
            _ => return None,
        };
    }
    (rest.is_empty() && !rules.is_empty()).then_some(rules)
}

fn rule(matcher: TokenStream, body: TokenStream, old: bool) -> Option<Rule> {
    let mut builder = Builder { steps: Vec::new(), variables: Vec::new() };
    builder.matcher(matcher, 0)?;
    builder.steps.push(Step::End);
    builder.old_patterns(old);
    let body = bodies(body, &builder.variables)?;
    Some(Rule { steps: builder.steps, variables: builder.variables, body })
}

struct Builder {
    steps: Vec<Step>,
    variables: Vec<String>,
}

impl Builder {
    fn matcher(&mut self, tokens: TokenStream, depth: usize) -> Option<()> {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = trees.as_slice();
        while let Some(tree) = rest.first() {
            match (tree, rest.get(1)) {
                (TokenTree::Punct(dollar), Some(TokenTree::Group(group)))
                    if dollar.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
                {
                    let (separator, operator, length) = repetition(&rest[2..])?;
                    self.repetition(group.stream(), separator, operator, depth)?;
                    rest = &rest[2 + length..];
                }
                (TokenTree::Punct(dollar), Some(TokenTree::Ident(name))) if dollar.as_char() == '$' => {
                    let [TokenTree::Punct(colon), TokenTree::Ident(kind), ..] = rest.get(2..)? else {
                        return None;
                    };
                    let kind = Kind::named(base(&kind.to_string())).filter(|_| colon.as_char() == ':')?;
                    self.variable(name.to_string(), kind, depth)?;
                    rest = &rest[4..];
                }
                (TokenTree::Punct(dollar), _) if dollar.as_char() == '$' => return None,
                (TokenTree::Group(group), _) if group.delimiter() != Delimiter::None => {
                    self.steps.push(Step::Token(Token::Open(group.delimiter())));
                    self.matcher(group.stream(), depth)?;
                    self.steps.push(Step::Token(Token::Close(group.delimiter())));
                    rest = &rest[1..];
                }
                _ => {
                    let (token, length) = first(rest.iter().cloned());
                    if matches!(token, Token::Fragment(_) | Token::End) {
                        return None;
                    }
                    self.steps.push(Step::Token(token));
                    rest = &rest[length..];
                }
            }
        }
        Some(())
    }

    /// A pattern before `|` is only allowed where patterns end there: before 2021.
    fn old_patterns(&mut self, all: bool) {
        let bar = Token::Operator("|".into());
        for at in 1..self.steps.len() {
            let before_bar = match &self.steps[at] {
                Step::Token(token) | Step::Separator(token) => *token == bar,
                _ => false,
            };
            if let (true, Step::Variable { kind, .. }) = (before_bar || all, &mut self.steps[at - 1])
                && *kind == Kind::Pattern
            {
                *kind = Kind::SimplePattern;
            }
        }
    }

    fn variable(&mut self, name: String, kind: Kind, depth: usize) -> Option<()> {
        if self.variables.contains(&name) {
            return None;
        }
        let number = self.variables.len();
        self.variables.push(name);
        self.steps.push(Step::Variable { number, kind, depth });
        Some(())
    }

    fn repetition(
        &mut self,
        inside: TokenStream,
        separator: Vec<TokenTree>,
        operator: Repeated,
        depth: usize,
    ) -> Option<()> {
        let (at, first_variable) = (self.steps.len(), self.variables.len());
        let placeholder = Step::Repetition { operator, first: first_variable, count: 0, depth, after: 0 };
        self.steps.push(placeholder);
        self.matcher(inside, depth + 1)?;
        let takes_nothing = self.takes_nothing(at + 1);
        if separator.is_empty() {
            if takes_nothing {
                return None;
            }
            self.steps.push(Step::Again { operator, start: at + 1 });
        } else {
            self.steps.push(Step::Separator(first(separator.into_iter()).0));
            self.steps.push(Step::Next { start: at + 1 });
        }
        let (count, after) = (self.variables.len() - first_variable, self.steps.len());
        self.steps[at] = Step::Repetition { operator, first: first_variable, count, depth, after };
        Some(())
    }

    /// Whether all steps from here to the end may be passed without a token.
    fn takes_nothing(&self, from: usize) -> bool {
        let mut at = from;
        while let Some(step) = self.steps.get(at) {
            at = match step {
                Step::Repetition { operator, after, .. } if *operator != Repeated::Some => *after,
                Step::Variable { kind: Kind::Visibility, .. } => at + 1,
                _ => return false,
            };
        }
        true
    }
}

/// What stands behind `$(…)`: the separator, the operator, and how many trees they take.
fn repetition(trees: &[TokenTree]) -> Option<(Vec<TokenTree>, Repeated, usize)> {
    let operator = |token: &Token| match token {
        Token::Operator(text) => match text.as_str() {
            "*" => Some(Repeated::Any),
            "+" => Some(Repeated::Some),
            "?" => Some(Repeated::Optional),
            _ => None,
        },
        _ => None,
    };
    let (token, length) = first(trees.iter().cloned());
    if let Some(found) = operator(&token) {
        return Some((Vec::new(), found, length));
    }
    let separates =
        matches!(token, Token::Word(_) | Token::Lifetime(_) | Token::Literal(_) | Token::Operator(_));
    let (next, more) = first(trees[length..].iter().cloned());
    let found = operator(&next).filter(|found| separates && *found != Repeated::Optional)?;
    Some((trees[..length].to_vec(), found, length + more))
}

fn bodies(tokens: TokenStream, variables: &[String]) -> Option<Vec<Body>> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    let mut rest = trees.as_slice();
    while let Some(tree) = rest.first() {
        let taken = match (tree, rest.get(1)) {
            (TokenTree::Punct(dollar), Some(next)) if dollar.as_char() == '$' => {
                let (body, taken) = behind_dollar(dollar, next, &rest[2..], variables)?;
                found.extend(body);
                2 + taken
            }
            (TokenTree::Group(group), _) => {
                let inside = bodies(group.stream(), variables)?;
                found.push(match (group.delimiter(), kind_of(group)) {
                    (Delimiter::None, Some(kind)) => Body::Fragment(kind, inside),
                    (delimiter, _) => Body::Group(delimiter, inside),
                });
                1
            }
            (TokenTree::Ident(ident), next) => {
                found.push(named(ident, next));
                1
            }
            _ => {
                found.push(Body::Tree(tree.clone()));
                1
            }
        };
        rest = &rest[taken..];
    }
    Some(found)
}

fn named(ident: &Ident, next: Option<&TokenTree>) -> Body {
    let text = ident.to_string();
    match text.starts_with("r#") || is_name(&text, next) {
        true => Body::Name(ident.clone()),
        false => Body::Tree(TokenTree::Ident(ident.clone())),
    }
}

fn behind_dollar(
    dollar: &Punct,
    next: &TokenTree,
    rest: &[TokenTree],
    variables: &[String],
) -> Option<(Vec<Body>, usize)> {
    match next {
        TokenTree::Ident(ident) if ident == "crate" => Some((vec![Body::Crate], 0)),
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            match variables.iter().position(|variable| *variable == name) {
                Some(number) => Some((vec![Body::Variable(number)], 0)),
                // A variable of a macro that this one defines.
                None => {
                    let dollar = TokenTree::Punct(dollar.clone());
                    Some((vec![Body::Tree(dollar), Body::Name(ident.clone())], 0))
                }
            }
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            let inside = bodies(group.stream(), variables)?;
            let (separator, _, length) = repetition(rest)?;
            let mut used = Vec::new();
            variables_in(&inside, &mut used);
            used.sort_unstable();
            used.dedup();
            Some((vec![Body::Repetition { inside, variables: used, separator }], length))
        }
        _ => None,
    }
}

fn variables_in(body: &[Body], found: &mut Vec<usize>) {
    for part in body {
        match part {
            Body::Variable(number) => found.push(*number),
            Body::Group(_, inside) | Body::Fragment(_, inside) => variables_in(inside, found),
            Body::Repetition { variables, .. } => found.extend(variables),
            Body::Tree(_) | Body::Name(_) | Body::Crate => {}
        }
    }
}
