//! A circuit of two-input gates with sharing and constant folding.
//!
//! Inputs mean nothing here: the engines say what they stand for.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// The output of a node, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(u32);

impl Signal {
    pub const TRUE: Signal = Signal(0);
    pub const FALSE: Signal = Signal(1);

    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    pub fn node(self) -> usize {
        (self.0 / 2) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 % 2 == 1
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Node {
    True,
    Input,
    And(Signal, Signal),
}

#[derive(Debug)]
pub struct Gates {
    nodes: Vec<Node>,
    known: FxHashMap<(Signal, Signal), Signal>,
}

impl Gates {
    pub fn new() -> Self {
        Self { nodes: vec![Node::True], known: FxHashMap::default() }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    fn add(&mut self, node: Node) -> Signal {
        self.nodes.push(node);
        Signal((self.nodes.len() as u32 - 1) * 2)
    }

    pub fn input(&mut self) -> Signal {
        self.add(Node::Input)
    }

    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Signal::TRUE || a == b {
            return b;
        }
        if a == Signal::FALSE || a == !b {
            return Signal::FALSE;
        }
        if let Some(signal) = self.known.get(&(a, b)) {
            return *signal;
        }
        let signal = self.add(Node::And(a, b));
        self.known.insert((a, b), signal);
        signal
    }

    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(a, !b)
    }

    pub fn choose(&mut self, condition: Signal, yes: Signal, no: Signal) -> Signal {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    pub fn differ(&mut self, a: Signal, b: Signal) -> Signal {
        self.choose(a, !b, b)
    }

    /// The sum of three bits: low and high.
    pub fn sum(&mut self, a: Signal, b: Signal, c: Signal) -> (Signal, Signal) {
        let half = self.differ(a, b);
        let low = self.differ(half, c);
        let both = self.and(a, b);
        let through = self.and(half, c);
        (low, self.or(both, through))
    }
}
