//! Tokens as macros compare them: operators of several characters are one, so are lifetimes.

use proc_macro2::{Delimiter, Spacing, TokenTree};

use super::fragment::{self, Kind};
use super::hygiene::base;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Lifetime(String),
    Operator(String),
    Literal(String),
    Open(Delimiter),
    Close(Delimiter),
    /// What another macro has matched, as one piece; `None` where it is not known what it was matched as.
    Fragment(Option<Kind>),
    End,
}

const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "==",
    "!=", ">=", "<=", "=>", "->", "<-", "::", "..",
];

/// The token that trees begin with, and how many of them it takes. Groups count as their opening bracket.
pub fn first(mut trees: impl Iterator<Item = TokenTree>) -> (Token, usize) {
    let punct = match trees.next() {
        None => return (Token::End, 0),
        Some(TokenTree::Ident(ident)) => return (Token::Word(base(&ident.to_string()).into()), 1),
        Some(TokenTree::Literal(literal)) => return (Token::Literal(literal.to_string()), 1),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            return (Token::Fragment(fragment::kind_of(&group)), 1);
        }
        Some(TokenTree::Group(group)) => return (Token::Open(group.delimiter()), 1),
        Some(TokenTree::Punct(punct)) => punct,
    };
    let mut text = String::from(punct.as_char());
    let mut spacing = punct.spacing();
    while spacing == Spacing::Joint && text.len() < 3 {
        match trees.next() {
            Some(TokenTree::Punct(next)) => {
                text.push(next.as_char());
                spacing = next.spacing();
            }
            Some(TokenTree::Ident(ident)) if text == "'" => {
                return (Token::Lifetime(base(&ident.to_string()).into()), 2);
            }
            _ => break,
        }
    }
    let longest = OPERATORS.iter().find(|operator| text.starts_with(**operator));
    let operator = longest.map_or_else(|| text.chars().take(1).collect(), |operator| operator.to_string());
    let length = operator.len();
    (Token::Operator(operator), length)
}
