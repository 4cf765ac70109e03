//! Answers of a solver: s-expressions, read without trust.

use kleene_domains::{Int, Var};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

/// Nesting beyond this is no answer of ours.
const MAX_DEPTH: usize = 64;

impl Sexp {
    /// The one s-expression that is the text.
    pub fn parse(text: &str) -> Option<Sexp> {
        let mut open: Vec<Vec<Sexp>> = Vec::new();
        let mut whole = None;
        for token in tokens(text) {
            if whole.is_some() {
                return None;
            }
            let done = match token {
                "(" if open.len() < MAX_DEPTH => {
                    open.push(Vec::new());
                    continue;
                }
                "(" => return None,
                ")" => Sexp::List(open.pop()?),
                atom => Sexp::Atom(atom.to_string()),
            };
            match open.last_mut() {
                Some(parent) => parent.push(done),
                None => whole = Some(done),
            }
        }
        if open.is_empty() { whole } else { None }
    }

    /// `5`, `(- 5)`.
    fn number(&self) -> Option<Int> {
        match self {
            Sexp::Atom(text) => text.parse().ok(),
            Sexp::List(parts) => match &parts[..] {
                [Sexp::Atom(minus), inner] if minus == "-" => Some(inner.number()?.neg()),
                _ => None,
            },
        }
    }

    fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(parts) => Some(parts),
            Sexp::Atom(_) => None,
        }
    }

    /// The number behind a one-letter prefix.
    fn numbered(&self, prefix: char) -> Option<u32> {
        match self {
            Sexp::Atom(text) => text.strip_prefix(prefix)?.parse().ok(),
            Sexp::List(_) => None,
        }
    }
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

/// `((v0 5) (v1 (- 3)))`.
pub fn values(text: &str) -> Option<Vec<(Var, Int)>> {
    let whole = Sexp::parse(text)?;
    let pair = |pair: &Sexp| match pair.list()? {
        [name, value] => Some((Var(name.numbered('v')?), value.number()?)),
        _ => None,
    };
    whole.list()?.iter().map(pair).collect()
}

/// `(a0 a3)`, sorted.
pub fn core(text: &str) -> Option<Vec<usize>> {
    let whole = Sexp::parse(text)?;
    let mut indices: Vec<usize> =
        whole.list()?.iter().map(|name| Some(name.numbered('a')? as usize)).collect::<Option<_>>()?;
    indices.sort_unstable();
    indices.dedup();
    Some(indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(
            values("((v0 5)\n (v1 (- 3)))"),
            Some(vec![(Var(0), Int::from(5)), (Var(1), Int::from(-3))])
        );
        assert_eq!(core(" (a3 a0 a3) "), Some(vec![0, 3]));
        assert_eq!(core("()"), Some(vec![]));
    }

    #[test]
    fn nothing_else_is() {
        let deep = "(".repeat(100_000);
        for wrong in ["", "(", ")", "(a0", "(b0)", "((v0 5)) x", "((v0 5.0))", "((v0 (/ 1 2)))", "sat", &deep]
        {
            assert_eq!(core(wrong), None, "{wrong:?}");
            assert_eq!(values(wrong), None, "{wrong:?}");
        }
    }
}
