//! `--partition I/N`: one of N parts of what a call would look at, for machines that share the work.
//!
//! Parts are runs of neighbouring targets, so that their results one after the other are the results of the whole. Where
//! there are fewer targets than parts, neighbouring parts share the entries of one target.

use std::fmt;
use std::str::FromStr;

use super::inputs::Input;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    pub part: usize,
    pub of: usize,
}

impl Partition {
    /// The own targets, and which part of them if not all of it.
    pub fn take(self, inputs: Vec<Input>) -> (Vec<Input>, Option<Self>) {
        let (count, of, part) = (inputs.len(), self.of, self.part - 1);
        let (own, share) = if count >= of || count == 0 {
            let edge = |part: usize| part * count / of;
            (edge(part)..edge(part + 1), None)
        } else {
            let edge = |target: usize| target * of / count;
            let target = (0..count).find(|target| part < edge(target + 1)).unwrap_or(0);
            let share = Self { part: part - edge(target) + 1, of: edge(target + 1) - edge(target) };
            (target..target + 1, (share.of > 1).then_some(share))
        };
        let own = inputs.into_iter().enumerate().filter(|(at, _)| own.contains(at));
        (own.map(|(_, input)| input).collect(), share)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((part, of)) if (1..=of).contains(&part) && of <= 10_000 => Ok(Self { part, of }),
            _ => Err("a part is written I/N with 1 <= I <= N, for example 2/5".into()),
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.part, self.of)
    }
}
