//! What a claim about a subformula needs: the local rules of three-valued CTL.
//!
//! A claim says that a subformula has a value in a cell. Every operator and value comes down to one of a
//! few shapes over claims about its operands, in the same cell or in its successors.

use kleene_ctl::{AtomId, Formula, Quantifier};
use rustc_hash::FxHashMap;

/// A subformula and the value it is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    pub node: usize,
    pub value: bool,
}

/// Which successors count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those of one must edge.
    Some,
    /// All may successors.
    All,
}

#[derive(Clone, Debug)]
pub enum Shape {
    /// Nothing more, or never.
    Literal(bool),
    Atom(AtomId),
    /// All claims of one of the lists, in the same cell.
    Choice(Vec<Vec<Claim>>),
    /// In the successors.
    Step(Mode, Claim),
    /// The goal here, or the path here and the same claim in the successors, but not for ever.
    Least {
        mode: Mode,
        path: Option<Claim>,
        goal: Vec<Claim>,
    },
    /// The exit here, or what is kept here and the same claim in the successors.
    Greatest {
        mode: Mode,
        keep: Claim,
        exit: Option<Vec<Claim>>,
    },
}

/// The subformulas of a formula, numbered in post order; equal ones are known by the first.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    list: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    operator: Operator,
    operands: Vec<usize>,
    first: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operator {
    Literal(bool),
    Atom(AtomId),
    Not,
    And,
    Or,
    Implies,
    Iff,
    Next(Quantifier),
    Future(Quantifier),
    Globally(Quantifier),
    Until(Quantifier),
    Release(Quantifier),
    WeakUntil(Quantifier),
}

impl Nodes {
    pub fn of(formula: &Formula<AtomId>) -> Self {
        let mut nodes = Self::default();
        let mut known = FxHashMap::default();
        nodes.add(formula, &mut known);
        nodes
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first of all equal subformulas.
    pub fn first(&self, node: usize) -> usize {
        self.list[node].first
    }

    pub fn operands(&self, node: usize) -> &[usize] {
        &self.list[node].operands
    }

    fn add(
        &mut self,
        formula: &Formula<AtomId>,
        known: &mut FxHashMap<(Operator, Vec<usize>), usize>,
    ) -> usize {
        let below = formula.operands();
        let operands: Vec<usize> =
            below.into_iter().flatten().map(|operand| self.add(operand, known)).collect();
        let operator = match formula {
            Formula::Literal(value) => Operator::Literal(*value),
            Formula::Atom(atom) => Operator::Atom(*atom),
            Formula::Not(_) => Operator::Not,
            Formula::And(..) => Operator::And,
            Formula::Or(..) => Operator::Or,
            Formula::Implies(..) => Operator::Implies,
            Formula::Iff(..) => Operator::Iff,
            Formula::Next(path, _) => Operator::Next(*path),
            Formula::Future(path, _) => Operator::Future(*path),
            Formula::Globally(path, _) => Operator::Globally(*path),
            Formula::Until(path, ..) => Operator::Until(*path),
            Formula::Release(path, ..) => Operator::Release(*path),
            Formula::WeakUntil(path, ..) => Operator::WeakUntil(*path),
        };
        let own = self.list.len();
        let operands: Vec<usize> = operands.into_iter().map(|operand| self.list[operand].first).collect();
        let first = *known.entry((operator, operands.clone())).or_insert(own);
        self.list.push(Node { operator, operands, first });
        own
    }

    pub fn shape(&self, claim: Claim) -> Shape {
        let Node { operator, operands, .. } = &self.list[claim.node];
        let is = |index: usize, value: bool| Claim { node: operands[index], value };
        let choice = |lists: Vec<Vec<Claim>>| Shape::Choice(lists);
        // A universal operator that fails does so on some run, an existential one on all.
        let mode = |path: &Quantifier| match (*path == Quantifier::Exists) == claim.value {
            true => Mode::Some,
            false => Mode::All,
        };
        match (operator, claim.value) {
            (Operator::Literal(value), wanted) => Shape::Literal(*value == wanted),
            (Operator::Atom(atom), _) => Shape::Atom(*atom),
            (Operator::Not, value) => choice(vec![vec![is(0, !value)]]),
            (Operator::And, true) => choice(vec![vec![is(0, true), is(1, true)]]),
            (Operator::And, false) => choice(vec![vec![is(0, false)], vec![is(1, false)]]),
            (Operator::Or, true) => choice(vec![vec![is(0, true)], vec![is(1, true)]]),
            (Operator::Or, false) => choice(vec![vec![is(0, false), is(1, false)]]),
            (Operator::Implies, true) => choice(vec![vec![is(0, false)], vec![is(1, true)]]),
            (Operator::Implies, false) => choice(vec![vec![is(0, true), is(1, false)]]),
            (Operator::Iff, value) => {
                choice(vec![vec![is(0, true), is(1, value)], vec![is(0, false), is(1, !value)]])
            }
            (Operator::Next(path), value) => Shape::Step(mode(path), is(0, value)),
            (Operator::Future(path), true) => {
                Shape::Least { mode: mode(path), path: None, goal: vec![is(0, true)] }
            }
            (Operator::Until(path), true) => {
                Shape::Least { mode: mode(path), path: Some(is(0, true)), goal: vec![is(1, true)] }
            }
            (Operator::Globally(path), false) => {
                Shape::Least { mode: mode(path), path: None, goal: vec![is(0, false)] }
            }
            (Operator::WeakUntil(path), false) => Shape::Least {
                mode: mode(path),
                path: Some(is(1, false)),
                goal: vec![is(0, false), is(1, false)],
            },
            (Operator::Release(path), false) => {
                Shape::Least { mode: mode(path), path: Some(is(0, false)), goal: vec![is(1, false)] }
            }
            (Operator::Globally(path), true) => {
                Shape::Greatest { mode: mode(path), keep: is(0, true), exit: None }
            }
            (Operator::WeakUntil(path), true) => {
                Shape::Greatest { mode: mode(path), keep: is(0, true), exit: Some(vec![is(1, true)]) }
            }
            (Operator::Release(path), true) => Shape::Greatest {
                mode: mode(path),
                keep: is(1, true),
                exit: Some(vec![is(0, true), is(1, true)]),
            },
            (Operator::Future(path), false) => {
                Shape::Greatest { mode: mode(path), keep: is(0, false), exit: None }
            }
            (Operator::Until(path), false) => Shape::Greatest {
                mode: mode(path),
                keep: is(1, false),
                exit: Some(vec![is(0, false), is(1, false)]),
            },
        }
    }
}
