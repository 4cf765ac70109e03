//! Where expressions and statements begin and end, from their outermost tokens.
//!
//! The parser's own way prints all tokens of a node to find its first and last: read at every node, that is the square
//! of the text in its depth. What is rare is left to it.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Member, Stmt};

pub fn of_expr(expr: &Expr) -> Span {
    joined(first(expr), last(expr))
}

pub fn of_block(block: &syn::Block) -> Span {
    block.brace_token.span.join()
}

pub fn of_statement(statement: &Stmt) -> Span {
    match statement {
        Stmt::Local(local) if local.attrs.is_empty() => joined(local.let_token.span, local.semi_token.span),
        Stmt::Expr(expr, None) => of_expr(expr),
        Stmt::Expr(expr, Some(semicolon)) => joined(first(expr), semicolon.span),
        other => other.span(),
    }
}

pub fn joined(first: Span, last: Span) -> Span {
    first.join(last).unwrap_or(first)
}

fn first(mut expr: &Expr) -> Span {
    loop {
        expr = match expr {
            Expr::Binary(it) if it.attrs.is_empty() => &it.left,
            Expr::Assign(it) if it.attrs.is_empty() => &it.left,
            Expr::Call(it) if it.attrs.is_empty() => &it.func,
            Expr::MethodCall(it) if it.attrs.is_empty() => &it.receiver,
            Expr::Field(it) if it.attrs.is_empty() => &it.base,
            Expr::Index(it) if it.attrs.is_empty() => &it.expr,
            Expr::Cast(it) if it.attrs.is_empty() => &it.expr,
            Expr::Try(it) if it.attrs.is_empty() => &it.expr,
            Expr::Unary(it) if it.attrs.is_empty() => return it.op.span(),
            Expr::Reference(it) if it.attrs.is_empty() => return it.and_token.span,
            Expr::Let(it) if it.attrs.is_empty() => return it.let_token.span,
            Expr::Paren(it) if it.attrs.is_empty() => return it.paren_token.span.open(),
            Expr::Tuple(it) if it.attrs.is_empty() => return it.paren_token.span.open(),
            Expr::Array(it) if it.attrs.is_empty() => return it.bracket_token.span.open(),
            Expr::Repeat(it) if it.attrs.is_empty() => return it.bracket_token.span.open(),
            Expr::If(it) if it.attrs.is_empty() => return it.if_token.span,
            Expr::While(it) if it.attrs.is_empty() && it.label.is_none() => return it.while_token.span,
            Expr::ForLoop(it) if it.attrs.is_empty() && it.label.is_none() => return it.for_token.span,
            Expr::Loop(it) if it.attrs.is_empty() && it.label.is_none() => return it.loop_token.span,
            Expr::Match(it) if it.attrs.is_empty() => return it.match_token.span,
            Expr::Return(it) if it.attrs.is_empty() => return it.return_token.span,
            Expr::Block(it) if it.attrs.is_empty() && it.label.is_none() => {
                return it.block.brace_token.span.open();
            }
            Expr::Path(it) if it.attrs.is_empty() && it.qself.is_none() => return first_of_path(&it.path),
            Expr::Struct(it) if it.attrs.is_empty() && it.qself.is_none() => return first_of_path(&it.path),
            Expr::Macro(it) if it.attrs.is_empty() => return first_of_path(&it.mac.path),
            Expr::Lit(it) if it.attrs.is_empty() => return it.lit.span(),
            short => return short.span(),
        }
    }
}

fn first_of_path(path: &syn::Path) -> Span {
    match (&path.leading_colon, path.segments.first()) {
        (Some(colon), _) => colon.spans[0],
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => path.span(),
    }
}

/// `None` where arguments stand at the end.
fn last_of_path(path: &syn::Path) -> Option<Span> {
    let last = path.segments.last()?;
    last.arguments.is_none().then(|| last.ident.span())
}

fn last(mut expr: &Expr) -> Span {
    loop {
        expr = match expr {
            Expr::Binary(it) => &it.right,
            Expr::Assign(it) => &it.right,
            Expr::Call(it) => return it.paren_token.span.close(),
            Expr::MethodCall(it) => return it.paren_token.span.close(),
            Expr::Field(it) => match &it.member {
                Member::Named(name) => return name.span(),
                Member::Unnamed(index) => return index.span,
            },
            Expr::Index(it) => return it.bracket_token.span.close(),
            Expr::Unary(it) => &it.expr,
            Expr::Reference(it) => &it.expr,
            Expr::Let(it) => &it.expr,
            Expr::Cast(it) => return it.ty.span(),
            Expr::Try(it) => return it.question_token.span,
            Expr::Paren(it) => return it.paren_token.span.close(),
            Expr::Tuple(it) => return it.paren_token.span.close(),
            Expr::Array(it) => return it.bracket_token.span.close(),
            Expr::Repeat(it) => return it.bracket_token.span.close(),
            Expr::If(it) => match &it.else_branch {
                Some((_, other)) => other,
                None => return it.then_branch.brace_token.span.close(),
            },
            Expr::While(it) => return it.body.brace_token.span.close(),
            Expr::ForLoop(it) => return it.body.brace_token.span.close(),
            Expr::Loop(it) => return it.body.brace_token.span.close(),
            Expr::Match(it) => return it.brace_token.span.close(),
            Expr::Block(it) => return it.block.brace_token.span.close(),
            Expr::Path(it) => return last_of_path(&it.path).unwrap_or_else(|| it.span()),
            Expr::Struct(it) => return it.brace_token.span.close(),
            Expr::Lit(it) => return it.lit.span(),
            short => return short.span(),
        }
    }
}
