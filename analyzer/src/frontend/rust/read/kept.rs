//! Trees that are parsed while others are read: kept as long as those.

use std::cell::OnceCell;

/// What the tokens of a macro were parsed as.
pub enum Tree {
    Items(Vec<syn::Item>),
    Members(Vec<syn::ImplItem>),
    Declared(Vec<syn::TraitItem>),
    Statements(Vec<syn::Stmt>),
    Expression(syn::Expr),
    Pattern(syn::Pat),
    Type(syn::Type),
}

/// The place of the next tree; each tree is followed by another such place.
pub type Kept = OnceCell<Box<Link>>;

pub struct Link {
    pub tree: Tree,
    pub next: Kept,
}

impl Drop for Link {
    /// Link by link: a list of many is not dropped by recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut link) = next {
            next = link.next.take();
        }
    }
}
