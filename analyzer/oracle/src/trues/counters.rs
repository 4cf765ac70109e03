//! Counters in the text of a crate: an operand of the expression in question is put into a block that counts first.
//!
//! Lines stay where they are. Constants and `const fn` are left alone, and so is what macros expand to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use proc_macro2::{LineColumn, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

use super::{Position, Site};

/// What a counter prints when it is passed first, before its number.
pub const VISITED: &str = "kleene visits ";

/// What the root of the crate gets at its end.
pub const MODULE: &str = "
#[doc(hidden)] #[allow(warnings)] pub mod kleene_counters {
    extern crate std;
    static VISITED: std::sync::Mutex<std::collections::BTreeSet<usize>> = std::sync::Mutex::new(std::collections::BTreeSet::new());
    pub fn at(id: usize) {
        let mut visited = match VISITED.lock() { Ok(visited) => visited, Err(broken) => broken.into_inner() };
        if visited.insert(id) { std::eprintln!(\"kleene visits {}\", id); }
    }
}
";

/// An operand to count at.
#[derive(Clone, Debug)]
struct Counter {
    id: usize,
    bytes: Range<usize>,
    lines: Range<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Counters {
    sites: Vec<Site>,
    files: BTreeMap<PathBuf, (String, Vec<Counter>)>,
    /// What stands at the end of a file.
    ends: BTreeMap<PathBuf, String>,
}

impl Counters {
    pub fn of(copy: &Path, sites: &BTreeMap<Site, BTreeSet<Position>>) -> Result<Self, String> {
        let mut counters = Self::default();
        let mut by_file: BTreeMap<&Path, Vec<(&Site, &BTreeSet<Position>)>> = BTreeMap::new();
        for (site, positions) in sites {
            by_file.entry(&site.file).or_default().push((site, positions));
        }
        for (file, sites) in by_file {
            let path = copy.join(file);
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let Ok(parsed) = syn::parse_file(&text) else { continue };
            let mut operands = Operands::default();
            operands.visit_file(&parsed);
            let mut found = Vec::new();
            for (site, positions) in sites {
                let id = counters.sites.len();
                let of_site = operands.found.iter().filter(|operand| {
                    operand.lint == site.lint && positions.contains(&position(operand.start))
                });
                let before = found.len();
                found.extend(of_site.map(|operand| Counter {
                    id,
                    bytes: operand.span.byte_range(),
                    lines: operand.span.start().line..operand.span.end().line + 1,
                }));
                if found.len() > before {
                    counters.sites.push(site.clone());
                }
            }
            counters.files.insert(file.into(), (text, found));
        }
        Ok(counters)
    }

    /// A site by its number.
    pub fn site(&self, id: usize) -> Option<&Site> {
        self.sites.get(id)
    }

    /// Those whose visits are counted.
    pub fn counted(&self) -> BTreeSet<&Site> {
        let counters = self.files.values().flat_map(|(_, counters)| counters);
        counters.filter_map(|counter| self.site(counter.id)).collect()
    }

    /// The crate's own text of a file is read before anything is written to it.
    pub fn append(&mut self, copy: &Path, file: &Path, text: &str) -> Result<(), String> {
        if !self.files.contains_key(file) {
            let path = copy.join(file);
            let own =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            self.files.insert(file.into(), (own, Vec::new()));
        }
        self.ends.entry(file.into()).or_default().push_str(text);
        Ok(())
    }

    /// Whether something was there to leave out at a line that does not compile.
    pub fn leave_out(&mut self, file: &Path, line: usize) -> bool {
        let Some((_, counters)) = self.files.get_mut(file) else { return false };
        let before = counters.len();
        counters.retain(|counter| !counter.lines.contains(&line));
        counters.len() < before
    }

    /// All files that differ from the crate's own.
    pub fn texts(&self) -> impl Iterator<Item = (&Path, String)> {
        self.files.iter().map(|(file, (text, counters))| {
            let end = self.ends.get(file).map_or("", String::as_str);
            (file.as_path(), with_counters(text, counters) + end)
        })
    }
}

fn position(at: LineColumn) -> Position {
    (at.line, at.column + 1)
}

fn with_counters(text: &str, counters: &[Counter]) -> String {
    // Ends before beginnings at one place; of two beginnings the longer operand's first.
    let mut marks: Vec<(usize, u8, usize, String)> = Vec::new();
    for Counter { id, bytes, .. } in counters {
        let length = bytes.len();
        marks.push((bytes.start, 1, usize::MAX - length, format!("({{crate::kleene_counters::at({id}); ")));
        marks.push((bytes.end, 0, length, "})".into()));
    }
    marks.sort();
    let (mut out, mut done) = (String::new(), 0);
    for (at, _, _, mark) in marks {
        out += &text[done..at];
        out += &mark;
        done = at;
    }
    out + &text[done..]
}

struct Operand {
    lint: &'static str,
    /// Where the whole expression begins.
    start: LineColumn,
    span: Span,
}

#[derive(Default)]
struct Operands {
    found: Vec<Operand>,
}

impl Operands {
    fn add(&mut self, lint: &'static str, whole: &impl Spanned, operand: &Expr) {
        let (start, span) = (whole.span().start(), operand.span());
        if !span.byte_range().is_empty() {
            self.found.push(Operand { lint, start, span });
        }
    }
}

fn lint_of(operator: &BinOp) -> Option<&'static str> {
    use BinOp::{
        Add, AddAssign, Div, DivAssign, Mul, MulAssign, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub,
        SubAssign,
    };
    match operator {
        Add(_) | AddAssign(_) | Sub(_) | SubAssign(_) | Mul(_) | MulAssign(_) => Some("overflow"),
        Div(_) | DivAssign(_) | Rem(_) | RemAssign(_) => Some("division_by_zero"),
        Shl(_) | ShlAssign(_) | Shr(_) | ShrAssign(_) => Some("invalid_shift"),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Operands {
    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        if let Some(lint) = lint_of(&expr.op) {
            // A literal on the right may decide the type: the other operand is counted at.
            let literal = matches!(*expr.right, Expr::Lit(_));
            let compound = matches!(
                expr.op,
                BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_)
            );
            let operand = if literal && !compound { &expr.left } else { &expr.right };
            self.add(lint, expr, operand);
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_index(&mut self, expr: &'ast syn::ExprIndex) {
        self.add("index_out_of_bounds", expr, &expr.index);
        visit::visit_expr_index(self, expr);
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        if matches!(expr.op, UnOp::Neg(_)) && !matches!(*expr.expr, Expr::Lit(_)) {
            self.add("overflow", expr, &expr.expr);
        }
        visit::visit_expr_unary(self, expr);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_counted_at_without_moving_lines() {
        let text = "fn f(a: u8, i: usize, x: &[u8]) -> u8 {\n    let b = a + x[i + 1];\n    -1;\n    b\n}\nconst fn g(a: u8) -> u8 { a + a }\n";
        let parsed = syn::parse_file(text).expect("Rust");
        let mut operands = Operands::default();
        operands.visit_file(&parsed);
        let counters: Vec<Counter> = operands
            .found
            .iter()
            .enumerate()
            .map(|(id, operand)| Counter { id, bytes: operand.span.byte_range(), lines: 0..0 })
            .collect();
        let written = with_counters(text, &counters);
        assert_eq!(written.lines().count(), text.lines().count());
        assert!(syn::parse_file(&written).is_ok(), "{written}");
        let starts: Vec<Position> = operands.found.iter().map(|operand| position(operand.start)).collect();
        assert_eq!(starts, [(2, 13), (2, 17), (2, 19)]);
        let at = "{crate::kleene_counters::at";
        let expected = ["a + (", at, "(0); x[(", at, "(1); (", at, "(2); i}) + 1})]});"].concat();
        assert!(written.contains(&expected), "{written}");
    }
}
