//! Expanded tokens as the parser takes them.
//!
//! Fragments that are one piece by themselves lose their group, others keep one that the parser knows. What
//! stands in calls of macros is left alone: it is for whoever expands those. Attributes lose their marks.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};

use super::fragment::{Kind, kind_of};
use super::hygiene::{base, is_reserved, stripped};

/// Tokens to be parsed, and how deep a parser may recurse over them, as `scan` counts it.
pub struct Surface {
    pub tokens: TokenStream,
    pub depth: usize,
}

pub fn surface(tokens: TokenStream, span: Span) -> Surface {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::with_capacity(trees.len());
    let mut depth = Depth::default();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            depth.token(tree);
            found.push(tree.clone());
            continue;
        };
        if is_call(&trees[..at]) {
            depth.current += 1;
            found.push(tree.clone());
        } else if is_attribute(&trees[..at]) {
            depth.current += 1;
            found.push(TokenTree::Group(same(group, stripped(surface(group.stream(), span).tokens))));
        } else if group.delimiter() == Delimiter::None {
            let inside = surface(group.stream(), span);
            depth.current += inside.depth + 1;
            fragment(group, inside.tokens, &trees[at + 1..], span, &mut found);
        } else {
            let inside = surface(group.stream(), span);
            depth.group(group.delimiter(), inside.depth, trees.get(at + 1));
            found.push(TokenTree::Group(same(group, inside.tokens)));
        }
    }
    Surface { tokens: found.into_iter().collect(), depth: depth.longest.max(depth.current) }
}

/// How long the longest part between separators is, with what is nested in it.
#[derive(Default)]
struct Depth {
    current: usize,
    longest: usize,
}

impl Depth {
    fn token(&mut self, tree: &TokenTree) {
        match tree {
            TokenTree::Punct(punct) if matches!(punct.as_char(), ';' | ',') => self.separate(),
            _ => self.current += 1,
        }
    }

    fn group(&mut self, delimiter: Delimiter, inside: usize, next: Option<&TokenTree>) {
        self.current += inside + 1;
        let continues = match next {
            Some(TokenTree::Ident(ident)) => ident == "else",
            Some(TokenTree::Punct(punct)) => punct.as_char() != '#',
            Some(_) => true,
            None => false,
        };
        if delimiter == Delimiter::Brace && !continues {
            self.separate();
        }
    }

    fn separate(&mut self) {
        self.longest = self.longest.max(self.current);
        self.current = 0;
    }
}

fn same(group: &Group, tokens: TokenStream) -> Group {
    let mut made = Group::new(group.delimiter(), tokens);
    made.set_span(group.span());
    made
}

/// Whether what comes next are the tokens of a macro: behind `name!` or `macro_rules! name`.
fn is_call(before: &[TokenTree]) -> bool {
    let is_bang = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '!');
    match before {
        [.., TokenTree::Ident(name), bang] if is_bang(bang) => !is_reserved(base(&name.to_string())),
        [.., TokenTree::Ident(rules), bang, TokenTree::Ident(_)] if is_bang(bang) => {
            base(&rules.to_string()) == "macro_rules"
        }
        _ => false,
    }
}

fn is_attribute(before: &[TokenTree]) -> bool {
    let is =
        |tree: &TokenTree, sign: char| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign);
    match before {
        [.., hash] if is(hash, '#') => true,
        [.., hash, bang] => is(hash, '#') && is(bang, '!'),
        _ => false,
    }
}

fn fragment(group: &Group, tokens: TokenStream, rest: &[TokenTree], span: Span, found: &mut Vec<TokenTree>) {
    let kind = kind_of(group);
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let grouped = |trees: Vec<TokenTree>, delimiter: Delimiter| {
        let mut group = Group::new(delimiter, trees.into_iter().collect());
        group.set_span(span);
        TokenTree::Group(group)
    };
    match (kind, trees.as_slice()) {
        (
            Some(Kind::Expression | Kind::Literal),
            [single @ (TokenTree::Ident(_) | TokenTree::Literal(_))],
        ) => {
            let mut single = single.clone();
            single.set_span(span);
            found.push(single);
        }
        (Some(Kind::Type), _) if begins_path(rest) => {
            let bracket = |sign: char| {
                let mut punct = Punct::new(sign, Spacing::Alone);
                punct.set_span(span);
                TokenTree::Punct(punct)
            };
            match is_plain_path(&trees) {
                true => found.extend(trees),
                false => {
                    found.push(bracket('<'));
                    found.extend(trees);
                    found.push(bracket('>'));
                }
            }
        }
        (Some(Kind::Type), _) if is_plain_path(&trees) => found.extend(trees),
        (Some(Kind::Pattern | Kind::SimplePattern), [_, _, ..]) if has_operator(&trees) => {
            found.push(grouped(trees, Delimiter::Parenthesis));
        }
        (Some(Kind::Expression), _) if is_block(&trees) && begins_statement(rest) => found.extend(trees),
        (Some(Kind::Expression | Kind::Type | Kind::Literal) | None, _) => {
            found.push(grouped(trees, Delimiter::None));
        }
        _ => found.extend(trees),
    }
}

fn begins_path(rest: &[TokenTree]) -> bool {
    match rest {
        [TokenTree::Punct(first), TokenTree::Punct(second), ..] => {
            first.as_char() == ':' && second.as_char() == ':' && first.spacing() == Spacing::Joint
        }
        _ => false,
    }
}

/// An expression that is a statement without a semicolon behind it.
fn is_block(trees: &[TokenTree]) -> bool {
    let is_brace =
        |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    match trees {
        [only] => is_brace(only),
        [TokenTree::Ident(word), .., last] => {
            let words = ["if", "match", "loop", "while", "for", "unsafe"];
            is_brace(last) && words.iter().any(|known| word == known)
        }
        _ => false,
    }
}

/// Whether what comes next cannot go on with an expression.
fn begins_statement(rest: &[TokenTree]) -> bool {
    match rest.first() {
        Some(TokenTree::Ident(word)) => word != "as" && word != "else",
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::None,
        _ => false,
    }
}

/// Names between `::`, without arguments.
fn is_plain_path(trees: &[TokenTree]) -> bool {
    trees.iter().all(|tree| match tree {
        TokenTree::Ident(ident) => !matches!(ident.to_string().as_str(), "dyn" | "impl" | "fn" | "_"),
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    })
}

fn has_operator(trees: &[TokenTree]) -> bool {
    trees.iter().any(|tree| matches!(tree, TokenTree::Punct(punct) if matches!(punct.as_char(), '|' | '.')))
}
