//! A product of closed matrices over disjoint variables, so that cost follows what is related.
//!
//! Two variables share a block if some constraint says more of them together than of each, directly
//! or through others. A variable without constraints is in no block.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::half::Empty;
use super::matrix::Matrix;
use super::weight::Weight;
use crate::expr::Var;
use crate::int::Int;
use crate::interval::Bound;

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Block {
    /// Ascending.
    pub variables: Vec<Var>,
    pub matrix: Matrix,
}

impl Block {
    fn position(&self, variable: Var) -> usize {
        self.variables.binary_search(&variable).expect("the block is the variable's home")
    }
}

/// The sides of a variable, as in `half`.
pub(super) fn plus(variable: Var) -> usize {
    2 * variable.0 as usize
}

pub(super) fn minus(variable: Var) -> usize {
    plus(variable) + 1
}

/// The value of a side where its variable has this value.
pub(super) fn signed(side: usize, value: &Int) -> Int {
    if side & 1 == 0 { value.clone() } else { value.neg() }
}

pub(super) fn variable_of(side: usize) -> Var {
    Var((side / 2) as u32)
}

/// Blocks in the order of their first variables. Those of an octagon are canonical: closed, settled
/// and as small as can be. Those that widening keeps are not.
#[derive(Clone)]
pub(super) struct Blocks {
    blocks: Vec<Arc<Block>>,
    /// For each dimension, the index of its block.
    homes: Vec<Option<u32>>,
}

impl PartialEq for Blocks {
    fn eq(&self, other: &Self) -> bool {
        self.blocks == other.blocks
    }
}

impl Eq for Blocks {}

impl Hash for Blocks {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.blocks.hash(hasher);
    }
}

impl Blocks {
    pub fn new(dimensions: usize, mut blocks: Vec<Arc<Block>>) -> Self {
        blocks.sort_by_key(|block| block.variables[0]);
        let mut homes = vec![None; dimensions];
        for (index, block) in blocks.iter().enumerate() {
            for variable in &block.variables {
                homes[variable.0 as usize] = Some(index as u32);
            }
        }
        Self { blocks, homes }
    }

    pub fn dimensions(&self) -> usize {
        self.homes.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Block>> {
        self.blocks.iter()
    }

    pub fn home(&self, variable: Var) -> Option<&Arc<Block>> {
        self.homes[variable.0 as usize].map(|index| &self.blocks[index as usize])
    }

    /// The least known bound of the sum of two sides.
    pub fn bound(&self, a: usize, b: usize) -> Bound {
        if a ^ 1 == b {
            return Bound::ZERO;
        }
        let (Some(home), Some(other)) = (self.home(variable_of(a)), self.home(variable_of(b))) else {
            return Bound::PosInfinity;
        };
        let place = |block: &Block, side: usize| 2 * block.position(variable_of(side)) + side % 2;
        if Arc::ptr_eq(home, other) {
            return home.matrix.at(place(home, a), place(home, b));
        }
        let twice = |block: &Block, side: usize| block.matrix.at(place(block, side), place(block, side));
        twice(home, a).plus(&twice(other, b)).halved()
    }

    /// What is known of these variables, as one matrix. Closed if the blocks are.
    pub fn gather(&self, variables: &[Var]) -> Matrix {
        if let Some(home) = variables.first().and_then(|first| self.home(*first))
            && home.variables == variables
        {
            return home.matrix.clone();
        }
        let mut used: Vec<u32> = Vec::new();
        let places = variables.iter().map(|variable| {
            let home = self.homes[variable.0 as usize]?;
            let part = used.iter().position(|index| *index == home).unwrap_or_else(|| {
                used.push(home);
                used.len() - 1
            });
            Some((part, self.blocks[home as usize].position(*variable)))
        });
        let places: Vec<_> = places.collect();
        let parts: Vec<&Matrix> = used.iter().map(|index| &self.blocks[*index as usize].matrix).collect();
        Matrix::gather(&parts, &places)
    }

    /// The variables that share a block with one of these, and these: ascending.
    pub fn related(&self, variables: impl IntoIterator<Item = Var>) -> Vec<Var> {
        let mut related = Vec::new();
        for variable in variables {
            match self.home(variable) {
                Some(home) => related.extend_from_slice(&home.variables),
                None => related.push(variable),
            }
        }
        related.sort_unstable();
        related.dedup();
        related
    }

    /// These variables, which are all of their blocks, get new blocks instead.
    pub fn replace(&mut self, variables: &[Var], blocks: Vec<Arc<Block>>) {
        let kept = self.blocks.iter().filter(|block| variables.binary_search(&block.variables[0]).is_err());
        let blocks = kept.cloned().chain(blocks).collect();
        *self = Self::new(self.dimensions(), blocks);
    }

    pub fn forget(&mut self, variable: Var) {
        if self.home(variable).is_some() {
            let variables = self.related([variable]);
            let others: Vec<Var> = variables.iter().copied().filter(|other| *other != variable).collect();
            let blocks = split(&others, self.gather(&others));
            self.replace(&variables, blocks);
        }
    }

    /// `variable := of`, then a change of its own cells that can be undone. Keeps closure.
    pub fn redefine(&mut self, variable: Var, of: Var, change: impl FnOnce(&mut Matrix, usize)) {
        if of == variable {
            if let Some(home) = self.homes[variable.0 as usize] {
                let block = Arc::make_mut(&mut self.blocks[home as usize]);
                let place = block.position(variable);
                change(&mut block.matrix, place);
                block.matrix.settle();
            }
            return;
        }
        self.forget(variable);
        let known = self.related([of]);
        let single = Matrix::unconstrained(1);
        let matrix = self.home(of).map_or(&single, |home| &home.matrix);
        let mut variables = [known.as_slice(), &[variable]].concat();
        variables.sort_unstable();
        let original = |of: Var| known.binary_search(&of).ok().map(|place| (0, place));
        let places = variables.iter().map(|other| original(if *other == variable { of } else { *other }));
        let mut matrix = Matrix::gather(&[matrix], &places.collect::<Vec<_>>());
        change(&mut matrix, variables.binary_search(&variable).expect("inserted"));
        let blocks = split(&variables, matrix);
        self.replace(&variables, blocks);
    }

    /// Changes what is known of these variables and their blocks, which become one matrix for it. The
    /// matrix is closed before and has to be after.
    pub fn rework(
        &mut self,
        variables: impl IntoIterator<Item = Var>,
        change: impl FnOnce(&mut Matrix, &[Var]) -> Result<(), Empty>,
    ) -> Result<(), Empty> {
        let variables = self.related(variables);
        let mut matrix = self.gather(&variables);
        change(&mut matrix, &variables)?;
        let blocks = split(&variables, matrix);
        self.replace(&variables, blocks);
        Ok(())
    }
}

/// The canonical blocks of a closed matrix.
pub(super) fn split(variables: &[Var], mut matrix: Matrix) -> Vec<Arc<Block>> {
    let classes = classes_of(variables.len(), |classes| {
        for y in 1..variables.len() {
            for x in 0..y {
                if !classes.same(x, y) && matrix.relates(x, y) {
                    classes.unite(x, y);
                }
            }
        }
    });
    if let [_] = classes.as_slice()
        && variables.len() > 1
    {
        matrix.settle();
        return vec![Arc::new(Block { variables: variables.to_vec(), matrix })];
    }
    let is_constrained =
        |x: usize| matrix.at(2 * x, 2 * x).is_finite() || matrix.at(2 * x + 1, 2 * x + 1).is_finite();
    let constrained = classes.iter().filter(|class| class.len() > 1 || is_constrained(class[0]));
    let blocks = constrained.map(|class| {
        let places: Vec<_> = class.iter().map(|x| Some((0, *x))).collect();
        let mut part = Matrix::gather(&[&matrix], &places);
        part.settle();
        Arc::new(Block { variables: class.iter().map(|x| variables[*x]).collect(), matrix: part })
    });
    blocks.collect()
}

/// Disjoint sets of small numbers.
pub(super) struct Classes {
    leaders: Vec<usize>,
}

impl Classes {
    fn leader(&self, mut of: usize) -> usize {
        while self.leaders[of] != of {
            of = self.leaders[of];
        }
        of
    }

    pub fn same(&self, a: usize, b: usize) -> bool {
        self.leader(a) == self.leader(b)
    }

    pub fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.leaders[a.max(b)] = a.min(b);
    }
}

/// The classes after some unions, each ascending, by first member.
pub(super) fn classes_of(count: usize, unite: impl FnOnce(&mut Classes)) -> Vec<Vec<usize>> {
    let mut classes = Classes { leaders: (0..count).collect() };
    unite(&mut classes);
    let mut members = vec![Vec::new(); count];
    for number in 0..count {
        members[classes.leader(number)].push(number);
    }
    members.retain(|class| !class.is_empty());
    members
}
