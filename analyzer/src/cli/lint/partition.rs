//! `--partition I/N`: one of N parts of what a call would look at, for machines that share the work.
//!
//! Parts are runs of neighbouring targets, so that their results one after the other are the results of the whole.

use std::fmt;
use std::str::FromStr;

use super::inputs::Input;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    pub part: usize,
    pub of: usize,
}

impl Partition {
    pub fn take(self, inputs: Vec<Input>) -> Vec<Input> {
        let count = inputs.len();
        let edge = |part: usize| part * count / self.of;
        let own = edge(self.part - 1)..edge(self.part);
        inputs.into_iter().enumerate().filter(|(at, _)| own.contains(at)).map(|(_, input)| input).collect()
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
