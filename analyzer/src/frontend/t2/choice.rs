//! Which of the enabled blocks is taken: a drawn number decides where more than one is.
//!
//! Blocks that exclude each other may share a number. If none of the enabled blocks has the number
//! drawn, the first of them is taken; so the guards are exclusive and exhaustive, and every enabled
//! block can be taken.

use kleene_domains::expr::CompareOp;

use super::super::arith;
use super::block::balanced;
use super::forms::Forms;
use super::surface;
use crate::ir::{Cond, Expr, Place};

/// More blocks of one location are not compared with each other.
const COMPARED: usize = 500;

/// How the blocks of a location are told apart.
#[derive(Debug)]
pub struct Choices {
    /// How many numbers there are to draw from; 1 if there is no choice.
    pub count: usize,
    numbers: Vec<usize>,
    /// Blocks that may be enabled together, by index.
    rivals: Vec<Vec<usize>>,
    /// No block is enabled.
    pub none: Cond,
}

impl Choices {
    pub fn of(enabled: &[Cond], forms: &mut Forms) -> Self {
        let count = enabled.len();
        let mut rivals: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, cond) in enabled.iter().enumerate() {
            for other in index + 1..count {
                if count > COMPARED || !surface::exclusive(forms, &[cond, &enabled[other]]) {
                    rivals[index].push(other);
                    rivals[other].push(index);
                }
            }
        }
        let mut numbers: Vec<usize> = Vec::with_capacity(count);
        for rivals in &rivals {
            let taken: Vec<usize> = rivals.iter().filter_map(|rival| numbers.get(*rival).copied()).collect();
            numbers.push((0..count).find(|number| !taken.contains(number)).unwrap_or(0));
        }
        let disabled: Vec<Cond> = enabled.iter().cloned().map(arith::not).collect();
        let covered = surface::exclusive(forms, &disabled.iter().collect::<Vec<_>>());
        let none = match covered {
            true => Cond::Literal(false),
            false => balanced(disabled, Cond::and).unwrap_or(Cond::Literal(true)),
        };
        let count = numbers.iter().max().map_or(1, |most| most + 1);
        Self { count, numbers, rivals, none }
    }

    /// How many nodes the guards have, about.
    pub fn size(&self, enabled: &[Cond], limit: usize) -> usize {
        let sizes: Vec<usize> = enabled.iter().map(|cond| arith::cond_size(cond, limit)).collect();
        let rivals = self.rivals.iter().flatten().map(|rival| sizes[*rival] + 4);
        rivals.chain(sizes.iter().copied()).fold(0, usize::saturating_add)
    }

    /// When a block is taken, given the number drawn.
    pub fn guard(&self, index: usize, enabled: &[Cond], drawn: Option<&Place>) -> Cond {
        let own = enabled[index].clone();
        let (Some(drawn), false) = (drawn, self.rivals[index].is_empty()) else { return own };
        let is = |op: CompareOp, number: usize| {
            Cond::Compare(op, arith::read(drawn.clone()), Expr::constant(number as i64))
        };
        let (before, behind): (Vec<usize>, Vec<usize>) =
            self.rivals[index].iter().partition(|rival| **rival < index);
        // Nobody else was drawn, and nobody enabled comes first.
        let mut alone: Vec<Cond> = before.iter().map(|rival| arith::not(enabled[*rival].clone())).collect();
        alone.extend(behind.iter().map(|rival| {
            let other = is(CompareOp::NotEqual, self.numbers[*rival]);
            other.or(arith::not(enabled[*rival].clone()))
        }));
        let alone = balanced(alone, Cond::and).unwrap_or(Cond::Literal(true));
        match before.is_empty() {
            true => own.and(alone),
            false => own.and(is(CompareOp::Equal, self.numbers[index]).or(alone)),
        }
    }
}
