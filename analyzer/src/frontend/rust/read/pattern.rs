//! Patterns.

use super::super::hir::{Binding, ExprKind, LocalId, PatId, PatKind};
use super::super::macros::base;
use super::body::BodyReader;
use super::expression::member;
use super::types::{marked_name_of, mutability, name_of};
use crate::source::Span;

impl<'s> BodyReader<'_, '_, 's> {
    pub fn pattern(&mut self, pat: &'s syn::Pat) -> PatId {
        let mut names = Vec::new();
        self.pattern_in(pat, &mut names)
    }

    /// `names` are those of the whole pattern: alternatives bind the same ones.
    fn pattern_in(&mut self, pat: &'s syn::Pat, names: &mut Vec<(String, LocalId)>) -> PatId {
        let span = self.place(pat);
        let kind = match pat {
            syn::Pat::Paren(inner) => return self.pattern_in(&inner.pat, names),
            syn::Pat::Wild(_) => PatKind::Wild,
            syn::Pat::Rest(_) => PatKind::Rest,
            syn::Pat::Ident(ident) => self.ident(ident, span, names),
            syn::Pat::Lit(literal) => self.value_pattern(&literal.lit, span),
            syn::Pat::Path(path) => {
                let path = self.reader.qualified(path.qself.as_ref(), &path.path);
                PatKind::Value(self.add(ExprKind::Path(path), span))
            }
            syn::Pat::Range(range) => self.range(range),
            syn::Pat::Reference(inner) => PatKind::Reference(self.pattern_in(&inner.pat, names)),
            syn::Pat::Tuple(tuple) => {
                let (pats, rest) = self.pattern_list(tuple.elems.iter(), names);
                PatKind::Tuple(pats, rest)
            }
            syn::Pat::TupleStruct(inner) => {
                let path = self.reader.qualified(inner.qself.as_ref(), &inner.path);
                let (pats, rest) = self.pattern_list(inner.elems.iter(), names);
                PatKind::TupleStruct(path, pats, rest)
            }
            syn::Pat::Struct(inner) => {
                let path = self.reader.qualified(inner.qself.as_ref(), &inner.path);
                let mut fields = Vec::new();
                for field in &inner.fields {
                    fields.push((member(&field.member), self.pattern_in(&field.pat, names)));
                }
                PatKind::Struct(path, fields)
            }
            syn::Pat::Or(or) => {
                PatKind::Or(or.cases.iter().map(|case| self.pattern_in(case, names)).collect())
            }
            syn::Pat::Slice(slice) => self.slice(slice, names),
            syn::Pat::Type(typed) => return self.pattern_in(&typed.pat, names),
            syn::Pat::Macro(call) => match self.reader.pattern_call(&call.mac) {
                Some((pat, inside)) => {
                    let around = std::mem::replace(&mut self.reader.standing, inside);
                    let found = self.pattern_in(pat, names);
                    self.reader.standing = around;
                    return found;
                }
                None => {
                    // A constant in it may be a block.
                    if super::unseen::may_declare_impls(call.mac.tokens.clone()) {
                        self.reader.hide_impls();
                    }
                    PatKind::Opaque
                }
            },
            _ => PatKind::Opaque,
        };
        self.add_pat(kind, span)
    }

    fn ident(&mut self, ident: &'s syn::PatIdent, span: Span, names: &mut Vec<(String, LocalId)>) -> PatKind {
        let name = marked_name_of(&ident.ident);
        let plain = ident.subpat.is_none() && ident.by_ref.is_none() && ident.mutability.is_none();
        let is_value = if plain { self.names_a_value(base(&name)) } else { Some(false) };
        if is_value == Some(true) {
            let name = name_of(&ident.ident);
            let segment = super::super::hir::Segment { name, arguments: Vec::new() };
            let module = self.reader.module;
            let path =
                super::super::hir::Path { module, global: false, qself: None, segments: vec![segment] };
            return PatKind::Value(self.add(ExprKind::Path(path), span));
        }
        let name_span = self.reader.places.span(ident.ident.span());
        let local = match names.iter().find(|(known, _)| *known == name) {
            Some((_, local)) => *local,
            None => {
                let local = self.bind(name.clone(), name_span);
                names.push((name, local));
                local
            }
        };
        self.body.locals[local.index()].mutable |= ident.mutability.is_some() && ident.by_ref.is_none();
        if is_value.is_none() {
            self.body.locals[local.index()].hidden = true;
            return PatKind::Opaque;
        }
        let by = match &ident.by_ref {
            Some(_) => Binding::Reference(mutability(ident.mutability.is_some())),
            None => Binding::Move,
        };
        let inner = ident.subpat.as_ref().map(|(_, inner)| self.pattern_in(inner, names));
        PatKind::Bind { local, by, inner }
    }

    fn value_pattern(&mut self, literal: &'s syn::Lit, span: Span) -> PatKind {
        match self.literal_kind(literal) {
            Some(kind) => PatKind::Value(self.add(kind, span)),
            None => PatKind::Opaque,
        }
    }

    fn range(&mut self, range: &'s syn::ExprRange) -> PatKind {
        let low = range.start.as_ref().map(|low| self.expr(low));
        let high = range.end.as_ref().map(|high| self.expr(high));
        PatKind::Range { low, high, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) }
    }

    fn pattern_list(
        &mut self,
        list: impl Iterator<Item = &'s syn::Pat>,
        names: &mut Vec<(String, LocalId)>,
    ) -> (Vec<PatId>, Option<usize>) {
        let mut pats = Vec::new();
        let mut rest = None;
        for pat in list {
            match pat {
                syn::Pat::Rest(_) => rest = Some(pats.len()),
                pat => pats.push(self.pattern_in(pat, names)),
            }
        }
        (pats, rest)
    }

    fn slice(&mut self, slice: &'s syn::PatSlice, names: &mut Vec<(String, LocalId)>) -> PatKind {
        let mut pats = Vec::new();
        let mut rest = None;
        for pat in &slice.elems {
            let is_rest = match pat {
                syn::Pat::Rest(_) => true,
                syn::Pat::Ident(ident) => {
                    ident.subpat.as_ref().is_some_and(|(_, inner)| matches!(**inner, syn::Pat::Rest(_)))
                }
                _ => false,
            };
            if is_rest {
                rest = Some(pats.len());
            }
            pats.push(self.pattern_in(pat, names));
        }
        PatKind::Slice(pats, rest)
    }
}
