//! Fragments: what `$x:expr` and its like take, found by the parser.
//!
//! Where editions differ, and where it is not certain what rustc makes of a fragment that another macro has
//! matched, the answer is an error: the expansion is then not known.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{ParseBuffer, ParseStream};
use syn::{Expr, Ident, Item, Lit, Pat, Token};

use super::hygiene::is_reserved;
use super::token::{Token as Start, first};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Expression,
    Type,
    Tree,
    Pattern,
    /// Without `|` at the top.
    SimplePattern,
    Statement,
    Block,
    Item,
    Path,
    Lifetime,
    Literal,
    Visibility,
    Attribute,
}

const NAMES: &[(&str, Kind)] = &[
    ("ident", Kind::Name),
    ("expr", Kind::Expression),
    ("expr_2021", Kind::Expression),
    ("ty", Kind::Type),
    ("tt", Kind::Tree),
    ("pat", Kind::Pattern),
    ("pat_param", Kind::SimplePattern),
    ("stmt", Kind::Statement),
    ("block", Kind::Block),
    ("item", Kind::Item),
    ("path", Kind::Path),
    ("lifetime", Kind::Lifetime),
    ("literal", Kind::Literal),
    ("vis", Kind::Visibility),
    ("meta", Kind::Attribute),
];

impl Kind {
    pub fn named(name: &str) -> Option<Kind> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}

/// Places in a text of our own: a group at such a place is a fragment of that kind.
pub struct Signs(Vec<(Kind, Span)>);

impl Signs {
    pub fn new() -> Self {
        let text: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        let tokens: TokenStream = text.join(" ").parse().unwrap_or_default();
        Self(NAMES.iter().map(|(_, kind)| *kind).zip(tokens.into_iter().map(|token| token.span())).collect())
    }

    /// Tokens that later macros see as one piece.
    pub fn wrapped(&self, kind: Kind, tokens: TokenStream) -> TokenTree {
        let mut group = Group::new(Delimiter::None, tokens);
        if let Some((_, span)) = self.0.iter().find(|(known, _)| *known == kind) {
            group.set_span(*span);
        }
        TokenTree::Group(group)
    }
}

pub fn kind_of(group: &Group) -> Option<Kind> {
    Kind::named(&group.span().source_text()?)
}

/// Whether rustc would try to take such a fragment here. `None`: not known.
pub fn may_start(kind: Kind, token: &Start) -> Option<bool> {
    if let Start::Fragment(given) = token {
        return may_be(kind, (*given)?);
    }
    if matches!(token, Start::End | Start::Close(_)) {
        return Some(false);
    }
    let operator = |list: &[&str]| matches!(token, Start::Operator(text) if list.contains(&text.as_str()));
    let word = match token {
        Start::Word(word) => Some(word.as_str()),
        _ => None,
    };
    let is_lifetime = matches!(token, Start::Lifetime(_));
    Some(match kind {
        Kind::Tree | Kind::Item | Kind::Statement => true,
        Kind::Name => word.is_some_and(|word| word != "_"),
        Kind::Lifetime => is_lifetime,
        Kind::Literal => {
            matches!(token, Start::Literal(_)) || operator(&["-"]) || matches!(word, Some("true" | "false"))
        }
        Kind::Block => matches!(token, Start::Open(Delimiter::Brace)),
        Kind::Path | Kind::Attribute => word.is_some() || operator(&["::"]),
        Kind::Visibility => word.is_some() || is_lifetime || operator(&[","]) || begins_type(token),
        Kind::Type => begins_type(token),
        Kind::Expression => return begins_expression(token),
        Kind::Pattern | Kind::SimplePattern => {
            let brackets = [Delimiter::Parenthesis, Delimiter::Bracket];
            word.is_some()
                || matches!(token, Start::Literal(_))
                || brackets.iter().any(|bracket| *token == Start::Open(*bracket))
                || operator(&["&", "&&", "-", "..", "...", "..=", "::", "<", "<<"])
                || kind == Kind::Pattern && operator(&["|"])
        }
    })
}

fn begins_type(token: &Start) -> bool {
    match token {
        Start::Word(word) => {
            let words = ["_", "for", "impl", "fn", "unsafe", "extern", "typeof", "dyn"];
            !is_reserved(word) || is_path_word(word) || words.contains(&word.as_str())
        }
        Start::Operator(text) => ["!", "*", "&", "&&", "?", "<", "<<", "::"].contains(&text.as_str()),
        Start::Open(bracket) => matches!(bracket, Delimiter::Parenthesis | Delimiter::Bracket),
        Start::Lifetime(_) => true,
        _ => false,
    }
}

fn begins_expression(token: &Start) -> Option<bool> {
    const WORDS: &[&str] = &[
        "async", "box", "break", "continue", "do", "false", "for", "if", "loop", "match", "move", "return",
        "static", "true", "try", "unsafe", "while", "yield",
    ];
    const OPERATORS: &[&str] =
        &["!", "-", "*", "|", "||", "&", "&&", "..", "...", "..=", "<", "<<", "::", "#"];
    match token {
        // Editions differ.
        Start::Word(word) if word == "_" || word == "const" => None,
        Start::Word(word) => Some(!is_reserved(word) || is_path_word(word) || WORDS.contains(&word.as_str())),
        Start::Operator(text) => Some(OPERATORS.contains(&text.as_str())),
        Start::Open(_) | Start::Literal(_) | Start::Lifetime(_) => Some(true),
        _ => Some(false),
    }
}

fn is_path_word(word: &str) -> bool {
    matches!(word, "super" | "self" | "Self" | "crate") || word.starts_with("crate\u{e01ee}")
}

/// Whether a fragment that was matched as `given` may begin one of `kind`. `None`: not known.
fn may_be(kind: Kind, given: Kind) -> Option<bool> {
    use Kind::{
        Block, Expression, Item, Literal, Path, Pattern, SimplePattern, Statement, Tree, Type, Visibility,
    };
    let pattern = |kind: Kind| matches!(kind, Pattern | SimplePattern);
    match (kind, given) {
        (Tree | Visibility, _) => Some(true),
        (kind, given) if kind == given => Some(true),
        (Expression, Literal | Path | Block) => Some(true),
        (Expression, Type | Item | Pattern | SimplePattern | Statement | Visibility) => Some(false),
        (Type, Path) => Some(true),
        (Type, Expression | Literal | Block | Statement | Item | Pattern | SimplePattern | Visibility) => {
            Some(false)
        }
        (Statement, Expression | Item) => Some(true),
        (Kind::Name | Kind::Lifetime, _) => Some(false),
        (kind, Literal | Path) if pattern(kind) => Some(true),
        (Pattern, SimplePattern) => Some(true),
        _ => None,
    }
}

/// Takes a fragment from the input. An error where the parser finds none: rustc stops there too.
pub fn take(kind: Kind, input: &ParseBuffer<'_>) -> syn::Result<Vec<TokenTree>> {
    let begin = input.cursor();
    match kind {
        Kind::Name | Kind::Lifetime | Kind::Tree => skip(input)?,
        Kind::Expression => drop(input.parse::<Expr>()?),
        Kind::Type => drop(input.parse::<syn::Type>()?),
        Kind::Pattern => pattern(input)?,
        Kind::SimplePattern => drop(Pat::parse_single(input)?),
        Kind::Statement => statement(input)?,
        Kind::Block => drop(input.parse::<syn::Block>()?),
        Kind::Item => drop(input.parse::<Item>()?),
        Kind::Path => drop(input.parse::<syn::Path>()?),
        Kind::Literal => {
            let _: Option<Token![-]> = input.parse()?;
            drop(input.parse::<Lit>()?);
        }
        Kind::Visibility => visibility(input)?,
        Kind::Attribute => drop(input.parse::<syn::Meta>()?),
    }
    let mut taken = Vec::new();
    let mut at = begin;
    while at != input.cursor() {
        let (tree, next) =
            at.token_tree().ok_or_else(|| input.error("a fragment that ends inside another"))?;
        taken.push(tree);
        at = next;
    }
    // A fragment that is all there is keeps its kind.
    match taken.as_slice() {
        [TokenTree::Group(group)]
            if group.delimiter() == Delimiter::None && kind_of(group) == Some(kind) && kind != Kind::Tree =>
        {
            Ok(group.stream().into_iter().collect())
        }
        _ => Ok(taken),
    }
}

/// Goes on behind one token; groups are one.
pub fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    input.step(|cursor| {
        let mut ahead = *cursor;
        let trees = std::iter::from_fn(|| {
            let (tree, next) = ahead.token_tree()?;
            ahead = next;
            Some(tree)
        });
        let (_, length) = first(trees);
        let mut rest = *cursor;
        for _ in 0..length.max(1) {
            rest = rest.token_tree().ok_or_else(|| cursor.error("the end"))?.1;
        }
        Ok(((), rest))
    })
}

/// Alternatives at the top belong to the pattern since 2021: where there are some, the edition decides.
fn pattern(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![|]) {
        return Err(input.error("the edition decides"));
    }
    Pat::parse_single(input)?;
    match input.peek(Token![|]) && !input.peek(Token![||]) {
        true => Err(input.error("the edition decides")),
        false => Ok(()),
    }
}

fn visibility(input: ParseStream<'_>) -> syn::Result<()> {
    if let Some((TokenTree::Group(group), _)) = input.cursor().token_tree()
        && group.delimiter() == Delimiter::None
    {
        return match kind_of(&group) {
            Some(Kind::Visibility) => skip(input),
            _ => Ok(()),
        };
    }
    input.parse::<syn::Visibility>().map(drop)
}

/// A statement without its semicolon; items have theirs.
fn statement(input: ParseStream<'_>) -> syn::Result<()> {
    if let Some((TokenTree::Group(group), _)) = input.cursor().token_tree()
        && matches!(kind_of(&group), Some(Kind::Statement | Kind::Item))
    {
        return skip(input);
    }
    let ahead = input.fork();
    syn::Attribute::parse_outer(&ahead)?;
    if ahead.peek(Token![let]) {
        syn::Attribute::parse_outer(input)?;
        input.parse::<Token![let]>()?;
        Pat::parse_multi_with_leading_vert(input)?;
        if input.parse::<Option<Token![:]>>()?.is_some() {
            input.parse::<syn::Type>()?;
        }
        if input.parse::<Option<Token![=]>>()?.is_some() {
            input.parse::<Expr>()?;
            if input.parse::<Option<Token![else]>>()?.is_some() {
                input.parse::<syn::Block>()?;
            }
        }
        return Ok(());
    }
    // `name ! …` is a call of a macro, whose tokens are not looked at.
    let is_call = ahead.peek(Ident) && ahead.peek2(Token![!]) && !ahead.peek2(Token![!=]);
    if !is_call && input.fork().parse::<Item>().is_ok() {
        return input.parse::<Item>().map(drop);
    }
    input.parse::<Expr>().map(drop)
}
