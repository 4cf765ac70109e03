//! The textbook: CTL by explicit fixpoints on a graph of known states.
//!
//! Graphs may have *open* states with successors nobody knows. Each formula is then evaluated twice: the
//! states that satisfy it for sure (`Sure`) and those that perhaps do (`Perhaps`). Without open states the
//! two agree and this is the two-valued checker of any textbook.

use crate::logic::{Binary, Formula, Path, Unary};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Sure,
    Perhaps,
}

impl Mode {
    fn flipped(self) -> Self {
        match self {
            Mode::Sure => Mode::Perhaps,
            Mode::Perhaps => Mode::Sure,
        }
    }
}

pub type Set = Vec<bool>;

#[derive(Clone, Debug)]
pub struct Graph {
    pub successors: Vec<Vec<u32>>,
    pub predecessors: Vec<Vec<u32>>,
    pub open: Vec<bool>,
}

impl Graph {
    pub fn new(successors: Vec<Vec<u32>>, open: Vec<bool>) -> Self {
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, targets) in successors.iter().enumerate() {
            for to in targets {
                predecessors[*to as usize].push(from as u32);
            }
        }
        Self { successors, predecessors, open }
    }

    pub fn len(&self) -> usize {
        self.successors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// An unknown successor counts as a good one only if "perhaps" is asked.
    fn unknown(&self, state: usize, mode: Mode) -> bool {
        mode == Mode::Perhaps && self.open[state]
    }

    pub fn ex(&self, inner: &Set, mode: Mode) -> Set {
        let has = |state: usize| self.successors[state].iter().any(|next| inner[*next as usize]);
        (0..self.len()).map(|state| self.unknown(state, mode) || has(state)).collect()
    }

    pub fn eu(&self, left: &Set, right: &Set, mode: Mode) -> Set {
        let mut found: Set =
            (0..self.len()).map(|state| right[state] || left[state] && self.unknown(state, mode)).collect();
        let mut work: Vec<usize> = (0..self.len()).filter(|state| found[*state]).collect();
        while let Some(state) = work.pop() {
            for before in &self.predecessors[state] {
                let before = *before as usize;
                if left[before] && !found[before] {
                    found[before] = true;
                    work.push(before);
                }
            }
        }
        found
    }

    pub fn eg(&self, inner: &Set, mode: Mode) -> Set {
        let mut found = inner.clone();
        let inside =
            |state: usize| self.successors[state].iter().filter(|next| inner[**next as usize]).count();
        let mut left: Vec<usize> = (0..self.len()).map(inside).collect();
        let stuck = |state: usize, left: &[usize]| left[state] == 0 && !self.unknown(state, mode);
        let mut work: Vec<usize> =
            (0..self.len()).filter(|state| found[*state] && stuck(*state, &left)).collect();
        work.iter().for_each(|state| found[*state] = false);
        while let Some(state) = work.pop() {
            for before in &self.predecessors[state] {
                let before = *before as usize;
                left[before] -= 1;
                if found[before] && stuck(before, &left) {
                    found[before] = false;
                    work.push(before);
                }
            }
        }
        found
    }
}

/// The three existential operators everything else is defined by. Plain graphs read them as they are;
/// assumptions and granularities read them differently.
pub trait Reading {
    fn ex(&self, inner: &Set, mode: Mode) -> Set;
    fn eu(&self, left: &Set, right: &Set, mode: Mode) -> Set;
    fn eg(&self, inner: &Set, mode: Mode) -> Set;
}

impl Reading for Graph {
    fn ex(&self, inner: &Set, mode: Mode) -> Set {
        Graph::ex(self, inner, mode)
    }

    fn eu(&self, left: &Set, right: &Set, mode: Mode) -> Set {
        Graph::eu(self, left, right, mode)
    }

    fn eg(&self, inner: &Set, mode: Mode) -> Set {
        Graph::eg(self, inner, mode)
    }
}

pub fn complement(mut set: Set) -> Set {
    set.iter_mut().for_each(|member| *member = !*member);
    set
}

pub fn both(left: &Set, right: &Set) -> Set {
    left.iter().zip(right).map(|(left, right)| *left && *right).collect()
}

pub fn either(left: &Set, right: &Set) -> Set {
    left.iter().zip(right).map(|(left, right)| *left || *right).collect()
}

/// The states that satisfy the formula; `atoms` says where an atomic formula holds.
pub fn satisfying(
    reading: &dyn Reading,
    atoms: &dyn Fn(&Formula) -> Set,
    formula: &Formula,
    mode: Mode,
) -> Set {
    let sat = |part: &Formula| satisfying(reading, atoms, part, mode);
    let unsat = |part: &Formula| complement(satisfying(reading, atoms, part, mode.flipped()));
    let implies = |left: &Formula, right: &Formula| either(&unsat(left), &sat(right));
    match formula {
        Formula::Atom(_) | Formula::At(_) | Formula::Terminated | Formula::Failed(_) => atoms(formula),
        Formula::Not(inner) => unsat(inner),
        Formula::And(left, right) => both(&sat(left), &sat(right)),
        Formula::Or(left, right) => either(&sat(left), &sat(right)),
        Formula::Implies(left, right) => implies(left, right),
        Formula::Iff(left, right) => both(&implies(left, right), &implies(right, left)),
        Formula::Unary(Path::Some, operator, inner) => exists_unary(reading, *operator, &sat(inner), mode),
        Formula::Unary(Path::All, operator, inner) => {
            // The complement of "some path violates", asked in the other mode.
            let no = complement(sat(inner));
            let dual = match operator {
                Unary::Next => Unary::Next,
                Unary::Finally => Unary::Globally,
                Unary::Globally => Unary::Finally,
            };
            complement(exists_unary(reading, dual, &no, mode.flipped()))
        }
        Formula::Binary(Path::Some, operator, left, right) => {
            exists_binary(reading, *operator, &sat(left), &sat(right), mode)
        }
        Formula::Binary(Path::All, operator, left, right) => {
            let (no_left, no_right) = (complement(sat(left)), complement(sat(right)));
            let mode = mode.flipped();
            complement(match operator {
                Binary::Until => exists_binary(reading, Binary::Release, &no_left, &no_right, mode),
                Binary::Release => exists_binary(reading, Binary::Until, &no_left, &no_right, mode),
                Binary::WeakUntil => reading.eu(&no_right, &both(&no_left, &no_right), mode),
            })
        }
    }
}

fn exists_unary(reading: &dyn Reading, operator: Unary, inner: &Set, mode: Mode) -> Set {
    match operator {
        Unary::Next => reading.ex(inner, mode),
        Unary::Finally => reading.eu(&vec![true; inner.len()], inner, mode),
        Unary::Globally => reading.eg(inner, mode),
    }
}

fn exists_binary(reading: &dyn Reading, operator: Binary, left: &Set, right: &Set, mode: Mode) -> Set {
    match operator {
        Binary::Until => reading.eu(left, right, mode),
        // g holds up to and including the moment f joins it, or for ever.
        Binary::Release => either(&reading.eu(right, &both(left, right), mode), &reading.eg(right, mode)),
        Binary::WeakUntil => either(&reading.eu(left, right, mode), &reading.eg(left, mode)),
    }
}
