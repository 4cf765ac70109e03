//! The part of the C preprocessor that verification suites need: object- and function-like macros,
//! `#ifdef` sections, attributes that say nothing about values. Included files are not read.

use rustc_hash::FxHashMap;

use super::token::{Token, TokenKind};
use crate::source::{Diagnostic, Span};

/// Expansion stops here: macros can grow without bound.
const EXPANSION_LIMIT: usize = 1 << 20;
const DEPTH_LIMIT: usize = 64;

struct Macro<'a> {
    parameters: Option<Vec<&'a str>>,
    body: Vec<Token<'a>>,
}

struct Preprocessor<'a, 'd> {
    macros: FxHashMap<&'a str, Macro<'a>>,
    /// Open `#if` sections: where each began and whether its text counts.
    sections: Vec<(Span, bool)>,
    diagnostics: &'d mut Vec<Diagnostic>,
    expanded: usize,
}

pub fn preprocess<'a>(tokens: Vec<Token<'a>>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut state =
        Preprocessor { macros: FxHashMap::default(), sections: Vec::new(), diagnostics, expanded: 0 };
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        if token.kind == TokenKind::End {
            out.push(token);
            break;
        }
        if token.is("#") && token.opens_line {
            let length =
                tokens[at + 1..].iter().position(|token| token.opens_line).unwrap_or(tokens.len() - at - 1);
            state.directive(token.span, &tokens[at + 1..at + 1 + length]);
            at += 1 + length;
        } else if state.sections.iter().any(|(_, counts)| !counts) {
            at += 1;
        } else if ["__attribute__", "__attribute", "__asm__", "asm"].contains(&token.text) {
            at = skip_group(&tokens, at + 1);
        } else {
            at = state.expand_at(&tokens, at, None, &mut Vec::new(), &mut out);
        }
    }
    if let Some((span, _)) = state.sections.first() {
        state.diagnostics.push(Diagnostic::error(*span, "this `#if` has no `#endif`"));
    }
    out
}

/// Behind a parenthesised group that starts at `at`.
fn skip_group(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || token.kind == TokenKind::End {
            return if token.text == ")" { index + 1 } else { index };
        }
    }
    tokens.len()
}

impl<'a> Preprocessor<'a, '_> {
    fn directive(&mut self, start: Span, words: &[Token<'a>]) {
        let Some((first, rest)) = words.split_first() else { return };
        let counts = self.sections.iter().all(|(_, counts)| *counts);
        match first.text {
            "ifdef" | "ifndef" => {
                let defined = rest.first().is_some_and(|name| self.macros.contains_key(name.text));
                self.sections.push((start, defined == (first.text == "ifdef")));
            }
            "if" => {
                let value = match rest {
                    [token] if token.text == "0" => false,
                    [token] if token.text == "1" => true,
                    _ => {
                        self.unsupported(first.span, "`#if` with anything but 0 or 1");
                        true
                    }
                };
                self.sections.push((start, value));
            }
            "elif" => self.unsupported(first.span, "`#elif`"),
            "else" => match self.sections.last_mut() {
                Some((_, counts)) => *counts = !*counts,
                None => self.diagnostics.push(Diagnostic::error(first.span, "this `#else` has no `#if`")),
            },
            "endif" => {
                if self.sections.pop().is_none() {
                    self.diagnostics.push(Diagnostic::error(first.span, "this `#endif` has no `#if`"));
                }
            }
            "define" if counts => self.define(first.span, rest),
            "undef" if counts => {
                if let Some(name) = rest.first() {
                    self.macros.remove(name.text);
                }
            }
            "error" if counts => self.diagnostics.push(Diagnostic::error(first.span, "`#error` reached")),
            "define" | "undef" | "error" | "include" | "pragma" | "line" | "warning" | "ident" => {}
            _ if first.kind == TokenKind::Number => {}
            other => {
                self.diagnostics.push(Diagnostic::error(first.span, format!("unknown directive `#{other}`")))
            }
        }
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.diagnostics.push(Diagnostic::error(span, format!("not supported: {what}")));
    }

    fn define(&mut self, span: Span, words: &[Token<'a>]) {
        let Some((name, mut body)) = words.split_first().filter(|(name, _)| name.kind == TokenKind::Word)
        else {
            self.diagnostics.push(Diagnostic::error(span, "`#define` needs a name"));
            return;
        };
        let mut parameters = None;
        // Only a parenthesis that touches the name opens a parameter list.
        if let Some(open) = body.first().filter(|token| token.is("(") && token.span.start == name.span.end) {
            let Some(close) = body.iter().position(|token| token.is(")")) else {
                self.diagnostics
                    .push(Diagnostic::error(open.span, "the macro's parameter list is not closed"));
                return;
            };
            let words = body[1..close].iter().filter(|token| token.kind == TokenKind::Word);
            parameters = Some(words.map(|token| token.text).collect());
            body = &body[close + 1..];
        }
        if let Some(paste) = body.iter().find(|token| token.is("#")) {
            self.unsupported(paste.span, "`#` in a macro");
            return;
        }
        self.macros.insert(name.text, Macro { parameters, body: body.to_vec() });
    }

    /// Copies the token at `at`, or the expansion of the macro used there, and answers the position
    /// behind it. `site` is the outermost use; `active` are the macros being expanded.
    fn expand_at(
        &mut self,
        tokens: &[Token<'a>],
        at: usize,
        site: Option<Span>,
        active: &mut Vec<&'a str>,
        out: &mut Vec<Token<'a>>,
    ) -> usize {
        let token = tokens[at];
        let plain = |out: &mut Vec<Token<'a>>| out.push(Token { span: site.unwrap_or(token.span), ..token });
        let expandable = token.kind == TokenKind::Word
            && !active.contains(&token.text)
            && active.len() < DEPTH_LIMIT
            && self.expanded < EXPANSION_LIMIT;
        let Some(definition) = self.macros.get(token.text).filter(|_| expandable) else {
            plain(out);
            return at + 1;
        };
        let mut behind = at + 1;
        let mut span = site.unwrap_or(token.span);
        let mut body = definition.body.clone();
        if let Some(parameters) = definition.parameters.clone() {
            if !tokens.get(at + 1).is_some_and(|next| next.is("(")) {
                plain(out);
                return at + 1;
            }
            let Some((arguments, close)) = arguments(tokens, at + 1) else {
                self.diagnostics.push(Diagnostic::error(span, "the arguments of the macro are not closed"));
                return tokens.len() - 1;
            };
            behind = close + 1;
            span = site.unwrap_or(token.span.to(tokens[close].span));
            if arguments.len() != parameters.len() && !(parameters.is_empty() && arguments.len() == 1) {
                let message = format!("the macro `{}` takes {} arguments", token.text, parameters.len());
                self.diagnostics.push(Diagnostic::error(span, message));
                return behind;
            }
            let arguments: Vec<_> =
                arguments.into_iter().map(|argument| self.expand_all(argument, span, active)).collect();
            body = substitute(&body, &parameters, &arguments);
        }
        self.spend(body.len(), span);
        active.push(token.text);
        let mut inner = 0;
        while inner < body.len() {
            inner = self.expand_at(&body, inner, Some(span), active, out);
        }
        active.pop();
        behind
    }

    /// An argument is expanded before it is put in: it may use the macro it is given to.
    fn expand_all(&mut self, tokens: &[Token<'a>], site: Span, active: &mut Vec<&'a str>) -> Vec<Token<'a>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            at = self.expand_at(tokens, at, Some(site), active, &mut out);
        }
        out
    }

    fn spend(&mut self, tokens: usize, span: Span) {
        let before = self.expanded;
        self.expanded = self.expanded.saturating_add(tokens + 1);
        if before < EXPANSION_LIMIT && self.expanded >= EXPANSION_LIMIT {
            self.diagnostics.push(Diagnostic::error(span, "macros expand to too much text"));
        }
    }
}

/// The arguments between the parenthesis at `open` and its partner, whose position comes second.
fn arguments<'t, 'a>(tokens: &'t [Token<'a>], open: usize) -> Option<(Vec<&'t [Token<'a>]>, usize)> {
    let mut depth = 0usize;
    let mut start = open + 1;
    let mut arguments = Vec::new();
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => depth += 1,
            ")" if depth == 1 => {
                arguments.push(&tokens[start..index]);
                return Some((arguments, index));
            }
            ")" => depth -= 1,
            "," if depth == 1 => {
                arguments.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    None
}

fn substitute<'a>(
    body: &[Token<'a>],
    parameters: &[&'a str],
    arguments: &[Vec<Token<'a>>],
) -> Vec<Token<'a>> {
    let mut out = Vec::new();
    for token in body {
        match parameters
            .iter()
            .position(|parameter| token.kind == TokenKind::Word && *parameter == token.text)
        {
            Some(index) => out.extend_from_slice(arguments.get(index).map_or(&[], |argument| argument)),
            None => out.push(*token),
        }
        if out.len() > EXPANSION_LIMIT {
            break;
        }
    }
    out
}
