//! What runs passed, by node, and what that says of places in the text.
//!
//! Nodes that macros bring stand where the macro is called. What all nodes of a kind passed that stand in one place, runs
//! have passed whichever of them is meant.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::hir::{Body, ExprId, ExprKind, FnId, PatId, Statement};
use super::super::items::Items;
use crate::frontend::Passed;
use crate::ir::StepKind;
use crate::source::Span;

/// Its value is there.
pub const DONE: u8 = 1;
/// Its operands are there.
pub const BEGUN: u8 = 2;
/// It was asked whether it holds or matches.
pub const ASKED: u8 = 4;
pub const YES: u8 = 8;
pub const NO: u8 = 16;

/// One byte for each node of each body of the crate that is looked at.
#[derive(Debug, Default)]
pub struct Marks {
    first: FxHashMap<FnId, usize>,
    /// Whose nodes begin where, in order.
    bodies: Vec<(usize, FnId)>,
    bytes: Vec<u8>,
    /// What the run under way has passed first.
    fresh: Vec<(usize, u8)>,
    /// What runs before it have passed.
    kept: Vec<usize>,
}

/// What a run was the first to pass: nodes of bodies, by their number there.
pub type Passing = Vec<(FnId, Vec<(u32, u32)>)>;

impl Marks {
    pub fn new(items: &Items) -> Self {
        let mut marks = Self::default();
        let mut count = 0;
        for id in items.own_functions() {
            if let Some(body) = items.body(id) {
                marks.first.insert(id, count);
                marks.bodies.push((count, id));
                count += nodes(body);
            }
        }
        marks.bytes = vec![0; count];
        marks
    }

    /// Where the nodes of a body are, if it is one of the crate.
    pub fn first(&self, id: FnId) -> Option<usize> {
        self.first.get(&id).copied()
    }

    pub fn put(&mut self, at: usize, bits: u8) {
        let new = bits & !self.bytes[at];
        if new != 0 {
            self.bytes[at] |= new;
            self.fresh.push((at, new));
        }
    }

    /// The run counts; what it was the first to pass.
    pub fn keep(&mut self) -> Passing {
        self.fresh.sort_unstable();
        let mut passing = Passing::new();
        for (at, bits) in self.fresh.drain(..) {
            self.kept.push(at);
            let body = self.bodies.partition_point(|(first, _)| *first <= at) - 1;
            let (first, id) = self.bodies[body];
            let node = (at - first) as u32;
            match passing.last_mut() {
                Some((last, nodes)) if *last == id => nodes.push((node, bits.into())),
                _ => passing.push((id, vec![(node, bits.into())])),
            }
        }
        passing
    }

    /// There is no such run.
    pub fn undo(&mut self) {
        for (at, bits) in self.fresh.drain(..) {
            self.bytes[at] &= !bits;
        }
    }

    /// From here on everything is new.
    pub fn forget(&mut self) {
        self.undo();
        self.kept.drain(..).for_each(|at| self.bytes[at] = 0);
    }
}

/// What all runs have passed together.
pub struct Sum {
    marks: Marks,
    /// The last run that was the first to pass something there.
    runs: Vec<u32>,
}

impl Sum {
    pub fn new(items: &Items) -> Self {
        let marks = Marks::new(items);
        Self { runs: vec![0; marks.bytes.len()], marks }
    }

    /// Whether a run was the first somewhere, as which it is known by this number.
    pub fn add(&mut self, passing: &Passing, run: u32) -> bool {
        for (id, nodes) in passing {
            let Some(first) = self.marks.first(*id) else { continue };
            nodes.iter().for_each(|(node, bits)| self.marks.put(first + *node as usize, *bits as u8));
        }
        let fresh = std::mem::take(&mut self.marks.fresh);
        fresh.iter().for_each(|(at, _)| self.runs[*at] = run);
        !fresh.is_empty()
    }

    /// The steps that runs have made, and the conditions that went both ways.
    pub fn passed(&self, items: &Items) -> Passed {
        let mut steps: FxHashMap<(Span, StepKind), Option<u32>> = FxHashMap::default();
        let mut conditions: FxHashMap<Span, Option<u32>> = FxHashMap::default();
        let both = |all: &mut Option<u32>, one: Option<u32>| *all = all.zip(one).map(|(a, b)| a.max(b));
        for (first, id) in &self.marks.bodies {
            let Some(body) = items.body(*id) else { continue };
            let of = |at: usize, bits: u8| {
                let at = first + at;
                (self.marks.bytes[at] & bits == bits).then(|| self.runs[at])
            };
            for Told { span, what, at, bits } in told(body) {
                let made = bits.and_then(|bits| of(at, bits));
                both(steps.entry((span, what)).or_insert(Some(0)), made);
                if what == StepKind::Condition {
                    both(conditions.entry(span).or_insert(Some(0)), of(at, YES | NO));
                }
            }
        }
        let steps = steps.into_iter().filter_map(|(step, run)| Some((step, run?)));
        let conditions = conditions.into_iter().filter_map(|(span, run)| Some((span, run?)));
        Passed { steps: steps.collect(), conditions: conditions.collect(), ..Passed::default() }
    }
}

/// How many nodes of a body can be marked.
pub fn nodes(body: &Body) -> usize {
    body.exprs.len() + body.pats.len()
}

/// What a node tells of a kind of step at a place: where its byte is, and which bits say that the step was made; `None`
/// where nobody can say that.
struct Told {
    span: Span,
    what: StepKind,
    at: usize,
    bits: Option<u8>,
}

fn told(body: &Body) -> Vec<Told> {
    let mut all = Vec::new();
    let pat_at = |id: PatId| body.exprs.len() + id.index();
    let mut tell = |span: Span, what: StepKind, at: usize, bits: Option<u8>| {
        all.push(Told { span, what, at, bits });
    };
    // Whether there is a next one is drawn there, too.
    let gone_through: FxHashSet<usize> = body
        .exprs
        .iter()
        .filter_map(|expr| match expr.kind {
            ExprKind::For { iterated, .. } => Some(iterated.index()),
            _ => None,
        })
        .collect();
    for (index, expr) in body.exprs.iter().enumerate() {
        // Steps with the place of what branches stand on one of its ways.
        let branches = matches!(
            expr.kind,
            ExprKind::If { .. }
                | ExprKind::Match(..)
                | ExprKind::Block { .. }
                | ExprKind::Lazy(..)
                | ExprKind::Let(..)
                | ExprKind::Opaque(_)
                | ExprKind::Any(_)
        );
        let done = (!branches).then_some(DONE);
        tell(expr.span, StepKind::Assignment, index, done);
        tell(expr.span, StepKind::Return, index, done);
        // What nobody knows is drawn where its expression stands.
        let drawn = done.filter(|_| !matches!(expr.kind, ExprKind::Try(_)) && !gone_through.contains(&index));
        tell(expr.span, StepKind::Input, index, drawn);
        match &expr.kind {
            // What runs code of somebody else's, or may: operators, `Deref`.
            ExprKind::Call(..)
            | ExprKind::Format { .. }
            | ExprKind::Binary(..)
            | ExprKind::Update(..)
            | ExprKind::Not(_)
            | ExprKind::Negate(_)
            | ExprKind::Index(..)
            | ExprKind::Local(_)
            | ExprKind::Field(..)
            | ExprKind::Deref(_) => tell(expr.span, StepKind::Call, index, Some(BEGUN)),
            ExprKind::Method { site, .. } => {
                tell(site.0, StepKind::Call, index, Some(BEGUN));
                tell(site.0, StepKind::Input, index, drawn);
            }
            ExprKind::Assert(_) | ExprKind::AssertCompare { .. } => {
                tell(expr.span, StepKind::Assert, index, Some(BEGUN));
            }
            ExprKind::Block { statements, .. } => {
                for statement in statements {
                    let Statement::Let { pat, init: Some(_), otherwise, span, .. } = statement else {
                        continue;
                    };
                    match otherwise {
                        None => tell(span.0, StepKind::Declaration, pat_at(*pat), Some(DONE)),
                        Some(_) => tell(span.0, StepKind::Condition, pat_at(*pat), Some(ASKED)),
                    }
                }
            }
            ExprKind::Match(_, arms) => {
                for arm in arms {
                    // A guard is asked for each alternative.
                    let asked = (arm.guard.is_none()).then_some(ASKED);
                    tell(body.pat(arm.pat).span, StepKind::Declaration, pat_at(arm.pat), asked);
                }
            }
            ExprKind::For { iterated, .. } => {
                tell(body.expr(*iterated).span, StepKind::Condition, iterated.index(), Some(ASKED));
            }
            _ => {}
        }
    }
    for id in conditions(body) {
        let expr = body.expr(id);
        let asked = match expr.kind {
            ExprKind::Block { .. } | ExprKind::If { .. } | ExprKind::Match(..) => None,
            _ => Some(ASKED),
        };
        tell(expr.span, StepKind::Condition, id.index(), asked);
    }
    all
}

/// Expressions that decide where control goes.
fn conditions(body: &Body) -> FxHashSet<ExprId> {
    let mut work = Vec::new();
    for expr in &body.exprs {
        match &expr.kind {
            ExprKind::If { cond, .. } | ExprKind::While { cond, .. } => work.push(*cond),
            ExprKind::Lazy(_, left, right) => work.extend([*left, *right]),
            ExprKind::Match(_, arms) => work.extend(arms.iter().filter_map(|arm| arm.guard)),
            _ => {}
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = work.pop() {
        if !found.insert(id) {
            continue;
        }
        match &body.expr(id).kind {
            ExprKind::Not(inner) => work.push(*inner),
            ExprKind::Block { tail, .. } => work.extend(*tail),
            ExprKind::If { then, otherwise, .. } => {
                work.extend([Some(*then), *otherwise].into_iter().flatten())
            }
            ExprKind::Match(_, arms) => work.extend(arms.iter().map(|arm| arm.body)),
            _ => {}
        }
    }
    found
}
