//! Functions and macros that a configuration gives a meaning of its own: any value, an assumption, an
//! assertion. They override bodies, so that harnesses of other verifiers can be read.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Intrinsics {
    pub any: Vec<String>,
    pub assume: Vec<String>,
    pub assert: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    Any,
    Assume,
    Assert,
}

impl Intrinsics {
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.assume.is_empty() && self.assert.is_empty()
    }

    /// The meaning of a path as written; a macro's ends in `!`.
    pub fn meaning(&self, path: &str) -> Option<Intrinsic> {
        let named = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, path));
        if named(&self.any) {
            Some(Intrinsic::Any)
        } else if named(&self.assume) {
            Some(Intrinsic::Assume)
        } else if named(&self.assert) {
            Some(Intrinsic::Assert)
        } else {
            None
        }
    }
}

/// `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths() {
        for (pattern, text, expected) in [
            ("kani::any", "kani::any", true),
            ("kani::any", "kani::any_where", false),
            ("nondet_*", "nondet_u8", true),
            ("nondet_*", "nondet", false),
            ("*::assume", "kani::assume", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
