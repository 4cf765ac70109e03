//! What a formula is read on: the explicit graph with assumptions and a granularity.
//!
//! Two independent ways to the same answer. *Translated*: the operators of the contract's section 2 on
//! the full graph; linear, and right on graphs with open states. *Direct*: throw away the states that are
//! not live, then build the graph of visible states with its silent paths and silent divergence, then
//! check as in a textbook. The tests and every small case of a fuzzing run compare the two.

use crate::check::{Graph, Mode, Reading, Set, both, complement, satisfying};
use crate::compile::{Instruction, Point};
use crate::evaluate::{Cells, truths};
use crate::logic::{Formula, Path, Unary};
use crate::program::{Name, Program};
use crate::readings::{LiveReading, VisibleReading};
use crate::reference::Exploration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Granularity {
    Statement,
    Change,
    Tick,
}

impl Granularity {
    pub const ALL: [Granularity; 3] = [Granularity::Statement, Granularity::Change, Granularity::Tick];

    pub fn name(self) -> &'static str {
        match self {
            Granularity::Statement => "statement",
            Granularity::Change => "change",
            Granularity::Tick => "tick",
        }
    }
}

/// The reference's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    True,
    False,
    /// The assumptions exclude every run: an error.
    NoRun,
    /// A part of the formula has no value in a state that is reached: an error, or Maybe.
    Undefined,
    /// The formula may not be asked at this granularity: an error.
    Illegal,
    /// Beyond the reference's limits.
    Unknown,
}

/// The explored graph with, under `change`, a ghost bit in every node: did the step into it change a
/// watched value?
#[derive(Debug)]
pub struct Model<'e> {
    pub exploration: &'e Exploration,
    pub granularity: Granularity,
    /// The explored state of a node.
    pub state: Vec<u32>,
    pub graph: Graph,
    pub initial: Vec<u32>,
    pub visible: Set,
    pub discarded: Set,
    /// Cells of the watched globals; `None`: everything may be asked.
    watched: Option<Vec<bool>>,
}

impl<'e> Model<'e> {
    /// `watch` names globals; empty means all of them. It matters under `change` only.
    pub fn new(exploration: &'e Exploration, granularity: Granularity, watch: &[Name]) -> Self {
        let compiled = &exploration.compiled;
        let mut watched = vec![watch.is_empty(); compiled.global_cells];
        for name in watch {
            let slot = compiled.globals[name];
            watched[slot.base..slot.base + slot.length].fill(true);
        }
        let (state, successors, initial, ghost) = match granularity {
            Granularity::Change => with_ghost(exploration, &watched),
            _ => {
                let count = exploration.states.len();
                let state = (0..count as u32).collect();
                (state, exploration.successors.clone(), exploration.initial.clone(), vec![false; count])
            }
        };
        let state: Vec<u32> = state;
        let point = |node: usize| exploration.states[state[node] as usize].point;
        let ticks = |point: Point| match point {
            Point::At(at) => {
                matches!(compiled.instructions[at as usize], Instruction::Skip { tick: true, .. })
            }
            _ => false,
        };
        let visible = (0..state.len())
            .map(|node| match granularity {
                Granularity::Statement => true,
                _ if matches!(point(node), Point::End | Point::Fail(_)) => true,
                Granularity::Tick => ticks(point(node)),
                Granularity::Change => ghost[node],
            })
            .collect();
        let discarded = (0..state.len()).map(|node| point(node) == Point::Discarded).collect();
        let open = state.iter().map(|state| exploration.open[*state as usize]).collect();
        Self {
            exploration,
            granularity,
            graph: Graph::new(successors, open),
            state,
            initial,
            visible,
            discarded,
            watched: (granularity == Granularity::Change).then_some(watched),
        }
    }

    /// Where an atomic formula holds. No value counts as false; `undefined` finds such places.
    pub fn atoms(&self, formula: &Formula) -> Set {
        self.partial_atoms(formula).into_iter().map(|value| value.unwrap_or(false)).collect()
    }

    fn partial_atoms(&self, formula: &Formula) -> Vec<Option<bool>> {
        let compiled = &self.exploration.compiled;
        let by_state: Vec<Option<bool>> = match formula {
            Formula::Atom(cond) => {
                let cond = compiled.global_cond(cond).expect("generated atoms are over globals");
                let holds = |globals: &[i32]| {
                    let mut result = None;
                    truths(&cond, Cells { globals, locals: &[] }, &mut |value| result = value.ok());
                    result
                };
                self.exploration.states.iter().map(|state| holds(&state.globals)).collect()
            }
            _ => {
                let holds = |point: Point| match formula {
                    Formula::At(label) => compiled.labels.get(label) == Some(&point),
                    Formula::Terminated => point == Point::End,
                    Formula::Failed(None) => matches!(point, Point::Fail(_)),
                    Formula::Failed(Some(kind)) => point == Point::Fail(*kind),
                    other => unreachable!("{other} is not atomic"),
                };
                self.exploration.states.iter().map(|state| Some(holds(state.point))).collect()
            }
        };
        self.state.iter().map(|state| by_state[*state as usize]).collect()
    }

    /// Whether every atom may be asked at this granularity.
    fn is_legal(&self, formula: &Formula) -> bool {
        let mut legal = true;
        formula.walk(&mut |part| match (part, &self.watched) {
            (Formula::At(label), watched) => {
                legal &= watched.is_none() && self.exploration.compiled.labels.contains_key(label);
            }
            (Formula::Atom(cond), Some(watched)) => {
                let mut names = Vec::new();
                crate::names::in_cond(cond, &mut names);
                legal &= names.iter().all(|name| watched[self.exploration.compiled.globals[name].base]);
            }
            _ => {}
        });
        legal
    }

    fn live(&self, mode: Mode) -> Set {
        // Without a user assumption nothing can be discarded, not even in states nobody has seen.
        let assumes = |instruction: &Instruction| {
            matches!(instruction, Instruction::Branch { no: Point::Discarded, .. })
        };
        if !self.exploration.compiled.instructions.iter().any(assumes) {
            return vec![true; self.graph.len()];
        }
        self.graph.eg(&complement(self.discarded.clone()), mode)
    }

    /// Whether a part of the formula has no value somewhere it can be asked: `Undefined` where the
    /// contract says so beyond doubt, `Unknown` where it depends on which states an operator looks at.
    fn undefined(&self, formula: &Formula) -> Option<Expected> {
        let live = self.live(Mode::Perhaps);
        let mut parts = Vec::new();
        propositional_parts(formula, &mut parts);
        let lacks = |part: &&Formula| {
            let values = self.partial(part);
            (0..values.len()).any(|node| values[node].is_none() && live[node] && self.visible[node])
        };
        parts.iter().any(lacks).then(|| match formula {
            Formula::Unary(Path::All, Unary::Globally, inner)
            | Formula::Unary(Path::Some, Unary::Finally, inner)
                if inner.is_propositional() =>
            {
                Expected::Undefined
            }
            _ => Expected::Unknown,
        })
    }

    /// The value of a formula without temporal operators in every node, with short circuit.
    fn partial(&self, formula: &Formula) -> Vec<Option<bool>> {
        let pair =
            |left: &Formula, right: &Formula, join: &dyn Fn(Option<bool>, Option<bool>) -> Option<bool>| {
                let (left, right) = (self.partial(left), self.partial(right));
                left.into_iter().zip(right).map(|(left, right)| join(left, right)).collect()
            };
        match formula {
            Formula::Not(inner) => {
                self.partial(inner).into_iter().map(|value| value.map(|value| !value)).collect()
            }
            Formula::And(left, right) => {
                pair(left, right, &|left, right| if left? { right } else { Some(false) })
            }
            Formula::Or(left, right) => {
                pair(left, right, &|left, right| if left? { Some(true) } else { right })
            }
            Formula::Implies(left, right) => {
                pair(left, right, &|left, right| if left? { right } else { Some(true) })
            }
            Formula::Iff(left, right) => pair(left, right, &|left, right| Some(left? == right?)),
            _ => self.partial_atoms(formula),
        }
    }

    /// The answer by translated operators.
    pub fn check(&self, formula: &Formula) -> Expected {
        if !self.is_legal(formula) {
            return Expected::Illegal;
        }
        let (sure, perhaps) = (self.live(Mode::Sure), self.live(Mode::Perhaps));
        if !self.initial.iter().any(|node| perhaps[*node as usize]) {
            return Expected::NoRun;
        }
        if !self.initial.iter().any(|node| sure[*node as usize]) {
            return Expected::Unknown;
        }
        let complete = self.exploration.is_complete();
        if let Some(undefined) = self.undefined(formula) {
            return if complete { undefined } else { Expected::Unknown };
        }
        if !complete && crate::names::is_partial(formula) {
            return Expected::Unknown;
        }
        let live = LiveReading { graph: &self.graph, discarded: &self.discarded, sure, perhaps };
        let invisible = complement(self.visible.clone());
        let visible = VisibleReading { live: &live, visible: &self.visible, invisible };
        if self.granularity == Granularity::Tick && visible.some_run_never_visible(&self.initial) {
            return Expected::Unknown;
        }
        let atoms = |atom: &Formula| self.atoms(atom);
        let reading: &dyn Reading = if self.granularity == Granularity::Statement { &live } else { &visible };
        // The first visible states count: a bad one must not be reached through invisible ones.
        let holds = |mode: Mode, other: Mode| {
            let bad = complement(satisfying(reading, &atoms, formula, mode));
            complement(live.eu(&visible.invisible, &both(&self.visible, &bad), other))
        };
        let surely = holds(Mode::Sure, Mode::Perhaps);
        if self.initial.iter().all(|node| surely[*node as usize] || !live.perhaps[*node as usize]) {
            return Expected::True;
        }
        let possibly = if complete { surely } else { holds(Mode::Perhaps, Mode::Sure) };
        if self.initial.iter().any(|node| !possibly[*node as usize] && live.sure[*node as usize]) {
            return Expected::False;
        }
        Expected::Unknown
    }

    /// The answer by building the graph the formula speaks of. Only where nothing is open.
    pub fn check_direct(&self, formula: &Formula) -> Expected {
        assert!(self.exploration.is_complete(), "the direct graph needs every state");
        if !self.is_legal(formula) {
            return Expected::Illegal;
        }
        let live = self.live(Mode::Sure);
        let kept = |targets: &[u32]| -> Vec<u32> {
            targets.iter().copied().filter(|next| live[*next as usize]).collect()
        };
        let successors: Vec<Vec<u32>> = self.graph.successors.iter().map(|targets| kept(targets)).collect();
        let initial = kept(&self.initial);
        if initial.is_empty() {
            return Expected::NoRun;
        }
        if let Some(undefined) = self.undefined(formula) {
            return undefined;
        }
        // A node that is not live has no edge left; nothing leads to it, so a loop keeps it harmless.
        let total = successors
            .into_iter()
            .enumerate()
            .map(|(node, targets)| if targets.is_empty() { vec![node as u32] } else { targets });
        let graph = Graph::new(total.collect(), vec![false; self.graph.len()]);
        let silent = graph.eg(&complement(self.visible.clone()), Mode::Sure);
        if initial.iter().any(|node| silent[*node as usize]) {
            return Expected::Unknown;
        }
        let first: Vec<u32> = initial
            .iter()
            .flat_map(|node| match self.visible[*node as usize] {
                true => vec![*node],
                false => self.visible_after(&graph, *node),
            })
            .collect();
        let jumps = (0..graph.len() as u32).map(|node| {
            if !self.visible[node as usize] {
                return vec![node];
            }
            let mut targets = self.visible_after(&graph, node);
            if graph.successors[node as usize].iter().any(|next| silent[*next as usize]) {
                targets.push(node);
            }
            targets
        });
        let seen = Graph::new(jumps.collect(), vec![false; graph.len()]);
        let holds = satisfying(&seen, &|atom| self.atoms(atom), formula, Mode::Sure);
        if first.iter().all(|node| holds[*node as usize]) { Expected::True } else { Expected::False }
    }

    /// The visible nodes reached from a node by one step and then invisible ones only.
    fn visible_after(&self, graph: &Graph, from: u32) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut work = graph.successors[from as usize].clone();
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            if self.visible[node as usize] {
                found.push(node);
            } else {
                work.extend(&graph.successors[node as usize]);
            }
        }
        found.sort_unstable();
        found
    }
}

type Ghosted = (Vec<u32>, Vec<Vec<u32>>, Vec<u32>, Vec<bool>);

/// Node 2s is state s reached without a watched change, 2s+1 with one (or first of all). Nodes that
/// nothing reaches are left out of the numbering.
fn with_ghost(exploration: &Exploration, watched: &[bool]) -> Ghosted {
    let mut numbers = vec![u32::MAX; exploration.states.len() * 2];
    let (mut state, mut ghost, mut successors) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = |key: usize, state: &mut Vec<u32>, ghost: &mut Vec<bool>| {
        if numbers[key] == u32::MAX {
            numbers[key] = state.len() as u32;
            state.push(key as u32 / 2);
            ghost.push(key % 2 == 1);
        }
        numbers[key]
    };
    let initial: Vec<u32> = exploration
        .initial
        .iter()
        .map(|first| number(*first as usize * 2 + 1, &mut state, &mut ghost))
        .collect();
    while successors.len() < state.len() {
        let from = state[successors.len()] as usize;
        let before = &exploration.states[from].globals;
        let targets = exploration.successors[from].iter().map(|to| {
            let after = &exploration.states[*to as usize].globals;
            let changed = (0..watched.len()).any(|cell| watched[cell] && before[cell] != after[cell]);
            number(*to as usize * 2 + usize::from(changed), &mut state, &mut ghost)
        });
        let targets = targets.collect();
        successors.push(targets);
    }
    (state, successors, initial, ghost)
}

/// The largest parts without temporal operators.
fn propositional_parts<'f>(formula: &'f Formula, found: &mut Vec<&'f Formula>) {
    match formula.is_propositional() {
        true => found.push(formula),
        false => formula.children().into_iter().for_each(|child| propositional_parts(child, found)),
    }
}

/// Whether the program marks a place for `tick`.
pub fn has_tick(program: &Program) -> bool {
    let mut found = false;
    crate::names::each_statement(program, &mut |stmt| found |= matches!(stmt, crate::program::Stmt::Tick));
    found
}
