//! One path: where it is, what its values are, and what had to hold on the way.

use std::rc::Rc;

use kleene_ctl::CellId;
use kleene_domains::concrete::eval;
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::Relation;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, Interval, LinearExpr, Value, Var};
use petgraph::graph::EdgeIndex;

use crate::interpret::State;
use crate::interpret::compile::{Command, Edge, Effect, Source};
use crate::interpret::context::{ContextKind, NodeId, Point};
use crate::interpret::explore::Exploration;
use crate::interpret::transfer::Transfer;
use crate::precision::Script;

/// Nodes of an expression that is still followed.
const LARGEST: usize = 120;
/// Cells a step may be thought to lead to.
const MOST_TARGETS: usize = 3;

#[derive(Clone)]
pub struct Path {
    pub cell: CellId,
    pub length: usize,
    /// The value of each slot, over the variables of the path.
    values: Rc<Vec<Expr>>,
    conditions: Option<Rc<Link>>,
    /// Variables in the order they were drawn.
    draws: Vec<Var>,
    /// Edges chosen where several may be enabled.
    edges: Vec<u32>,
    start: Rc<Vec<Expr>>,
    next: u32,
    /// Where the variables beyond the initial values come from.
    pub origins: Vec<Origin>,
    trail: Option<Rc<Trail>>,
}

/// The steps so far, the last one first.
struct Trail {
    step: Taken,
    before: Option<Rc<Trail>>,
}

/// A step of a path: the cell it leaves and the edge it takes, `None` where a function is left without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub from: CellId,
    pub edge: Option<EdgeIndex<u32>>,
}

/// A variable that stands for what a slot holds from a node on.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub variable: Var,
    pub slot: Var,
    pub node: NodeId,
    pub drawn: Drawn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// An input, drawn in a step from the node.
    Input,
    /// Whatever was there when the node was reached.
    Unset,
}

/// Conditions shared by paths with the same beginning.
struct Link {
    condition: Cond,
    why: Why,
    before: Option<Rc<Link>>,
}

/// Why a condition has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// There are no other initial values, and no others can be drawn.
    Given,
    /// Else the path goes on elsewhere.
    Taken,
}

impl Path {
    pub fn start(cell: CellId, state: &State, assume: Option<&Cond>) -> Self {
        let values =
            (0..state.dimensions() as u32).map(Var).map(|slot| match state.get(slot).as_constant() {
                Some(value) => Expr::Constant(value.clone()),
                None => Expr::Variable(slot),
            });
        let values: Rc<Vec<Expr>> = Rc::new(values.collect());
        let next = values.len() as u32;
        let start = values.clone();
        let mut path = Self {
            cell,
            length: 0,
            values,
            conditions: None,
            draws: Vec::new(),
            edges: Vec::new(),
            start,
            next,
            origins: Vec::new(),
            trail: None,
        };
        let mut known = path.inside(state);
        known.extend(assume.map(|assume| path.condition(assume)));
        known.into_iter().for_each(|condition| path.require(condition, Why::Given));
        path
    }

    /// A path that begins in the middle of others, with its own variables from `next` on.
    pub fn resumed(cell: CellId, values: Vec<Expr>, next: u32) -> Self {
        Self {
            cell,
            length: 0,
            start: Rc::new(Vec::new()),
            values: Rc::new(values),
            conditions: None,
            draws: Vec::new(),
            edges: Vec::new(),
            next,
            origins: Vec::new(),
            trail: None,
        }
    }

    /// What the slots hold.
    pub fn values(&self) -> &[Expr] {
        &self.values
    }

    pub fn draws(&self) -> &[Var] {
        &self.draws
    }

    /// All variables that may occur.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = Var> + use<> {
        (0..self.next).map(Var)
    }

    /// What it means that the values lie in a state.
    pub fn inside(&self, state: &State) -> Vec<Cond> {
        let mut found = Vec::new();
        for (slot, value) in self.values.iter().enumerate() {
            if !matches!(value, Expr::Constant(_)) {
                within(value, &state.get(Var(slot as u32)), &mut found);
            }
        }
        for (variables, relation) in state.relations() {
            for constraint in relation.constraints() {
                let form = constraint.form().renamed(|dimension| variables[dimension.0 as usize]);
                let op = if constraint.is_equality() { CompareOp::Equal } else { CompareOp::GreaterEqual };
                found.push(self.condition(&Cond::Compare(op, form.to_expr(), Expr::constant(0))));
            }
        }
        found.extend(state.facts().iter().map(|fact| self.condition(fact)));
        found
    }

    pub fn conditions(&self) -> impl Iterator<Item = Cond> {
        self.reasons().map(|(condition, _)| condition)
    }

    /// The conditions with their reasons, latest first.
    pub fn reasons(&self) -> impl Iterator<Item = (Cond, Why)> {
        let mut link = self.conditions.clone();
        std::iter::from_fn(move || {
            let at = link.take()?;
            link = at.before.clone();
            Some((at.condition.clone(), at.why))
        })
    }

    /// The steps of the path, in order.
    pub fn taken(&self) -> Vec<Taken> {
        let mut steps = Vec::new();
        let mut link = self.trail.as_deref();
        while let Some(Trail { step, before }) = link {
            steps.push(*step);
            link = before.as_deref();
        }
        steps.reverse();
        steps
    }

    pub fn script(&self, value: &dyn Fn(Var) -> Int) -> Script {
        let of = |start: &Expr| match start {
            Expr::Constant(value) => value.clone(),
            Expr::Variable(variable) => value(*variable),
            _ => Int::ZERO,
        };
        Script {
            start: self.start.iter().map(of).collect(),
            draws: self.draws.iter().map(|variable| value(*variable)).collect(),
            edges: self.edges.clone(),
            steps: self.length,
        }
    }

    /// The path one step longer, each way that comes nearer to a goal.
    pub fn steps(&self, exploration: &Exploration<'_>, distance: &[Option<usize>]) -> Vec<Path> {
        let transfer = &exploration.transfer;
        let node = exploration.cells[self.cell.index()].node;
        if transfer.is_terminal(node) {
            return Vec::new();
        }
        let Some(command) = transfer.known_command(node) else { return Vec::new() };
        let Some(drawn) = self.draw(node, &command) else { return Vec::new() };
        let mut longer = Vec::new();
        if command.edges.is_empty() {
            drawn.clone().take(exploration, node, None, distance, &mut longer);
        }
        for (index, edge) in command.edges.iter().enumerate() {
            let guard = drawn.condition(&edge.guard);
            if guard == Cond::Literal(false) {
                continue;
            }
            let mut next = drawn.clone();
            next.require(guard, Why::Taken);
            if command.overlapping {
                next.edges.push(index as u32);
            }
            next.take(exploration, node, Some(edge), distance, &mut longer);
        }
        longer
    }

    /// The path with the inputs of a step drawn; `None` for what nobody may choose.
    pub fn draw(&self, node: NodeId, command: &Command) -> Option<Path> {
        let mut path = self.clone();
        path.draw_on(node, command).map(|_| path)
    }

    /// Draws the inputs of a step. Answers their variables, `None` for what nobody may choose.
    pub fn draw_on(&mut self, node: NodeId, command: &Command) -> Option<Vec<Var>> {
        let before = self.draws.len();
        for input in &command.inputs {
            let Some((slot, _)) = input.targets.first() else { continue };
            // All elements of an array get the same value, as on the runs that are followed.
            let drawn = self.made_up(*slot, node, Drawn::Input);
            let value = Expr::Variable(drawn);
            match &input.source {
                Source::Unknown | Source::Unseen | Source::Looked(..) => return None,
                Source::Type => {}
                Source::Range(low, high) => {
                    let (low, high) = (self.expression(low)?, self.expression(high)?);
                    self.require(Cond::Compare(CompareOp::LessEqual, low, value.clone()), Why::Given);
                    self.require(Cond::Compare(CompareOp::LessEqual, value.clone(), high), Why::Given);
                }
            }
            self.draws.push(drawn);
            for (slot, all) in &input.targets {
                let mut bounds = Vec::new();
                within(&value, all, &mut bounds);
                bounds.into_iter().for_each(|bound| self.require(bound, Why::Given));
                self.set(*slot, value.clone());
            }
        }
        Some(self.draws[before..].to_vec())
    }

    /// Notes which of several enabled edges is taken.
    pub fn choose(&mut self, edge: usize) {
        self.edges.push(edge as u32);
    }

    /// Replaces what has grown by its value.
    pub fn settle(&mut self, value: &dyn Fn(Var) -> Int) {
        for grown in Rc::make_mut(&mut self.values)
            .iter_mut()
            .filter(|value| LinearExpr::of(value).is_none_or(|form| form.terms().len() > 4))
        {
            if let Some(settled) = eval(grown, &mut |variable: &Var| value(*variable)) {
                *grown = Expr::Constant(settled);
            }
        }
    }

    /// Follows an edge into the cells that it may lead to.
    fn take(
        mut self,
        exploration: &Exploration<'_>,
        node: NodeId,
        edge: Option<&Edge>,
        distance: &[Option<usize>],
        longer: &mut Vec<Path>,
    ) {
        let transfer = &exploration.transfer;
        let targets = exploration.edges[self.cell.index()].iter().flat_map(|part| &part.targets);
        let leads = targets.filter(|to| goes_to(transfer, node, edge, exploration.cells[to.0 as usize].node));
        let mut targets: Vec<(usize, u32)> =
            leads.filter_map(|to| Some((distance[to.0 as usize]?, to.0))).collect();
        targets.sort_unstable();
        targets.dedup();
        let Some((_, first)) = targets.first() else { return };
        let to = exploration.cells[*first as usize].node;
        if self.perform(&exploration.transfer, node, edge, to).is_none() {
            return;
        }
        self.length += 1;
        let step = Taken { from: self.cell, edge: edge.map(|edge| edge.id) };
        self.trail = Some(Rc::new(Trail { step, before: self.trail.take() }));
        longer.extend(targets.into_iter().take(MOST_TARGETS).map(|(_, cell)| {
            // What several paths have in common is cloned cheaply.
            Path { cell: CellId(cell), ..self.clone() }
        }));
    }

    /// Takes an edge, or leaves a function without a value.
    pub fn perform(
        &mut self,
        transfer: &Transfer<'_>,
        node: NodeId,
        edge: Option<&Edge>,
        to: NodeId,
    ) -> Option<()> {
        let contexts = &transfer.contexts;
        let dimensions = contexts.get(contexts.node(to).context).dimensions;
        match edge.map(|edge| &edge.effect) {
            Some(Effect::Assign(assignments)) => {
                let values = assignments.iter().map(|(slot, value)| Some((*slot, self.expression(value)?)));
                let values: Vec<(Var, Expr)> = values.collect::<Option<_>>()?;
                values.into_iter().for_each(|(slot, value)| self.set(slot, value));
            }
            Some(Effect::Call { arguments, .. }) => {
                let base = contexts.get(contexts.node(to).context).base;
                let values =
                    arguments.iter().map(|(slot, value)| Some((base + slot.0, self.expression(value)?)));
                let values: Vec<(u32, Expr)> = values.collect::<Option<_>>()?;
                self.resize(dimensions, to);
                values.into_iter().for_each(|(slot, value)| self.set(Var(slot), value));
            }
            Some(Effect::Return(_)) | None => {
                let value = match edge.map(|edge| &edge.effect) {
                    Some(Effect::Return(Some(value))) => Some(self.expression(value)?),
                    _ => None,
                };
                let context = contexts.node(node).context;
                let stored = match contexts.get(context).kind {
                    ContextKind::Root => Vec::new(),
                    _ => transfer.stored_by_return(context)?,
                };
                self.resize(dimensions, to);
                for slot in &stored {
                    let unknown = Expr::Variable(self.made_up(*slot, to, Drawn::Unset));
                    let stored = match (&value, stored.len()) {
                        (Some(value), 1) => value.clone(),
                        _ => unknown,
                    };
                    self.set(*slot, stored);
                }
            }
            Some(Effect::Fail(_) | Effect::Stop) => {}
            Some(Effect::Discard) => return None,
        }
        Some(())
    }

    fn resize(&mut self, dimensions: usize, to: NodeId) {
        Rc::make_mut(&mut self.values).truncate(dimensions);
        while self.values.len() < dimensions {
            let slot = Var(self.values.len() as u32);
            let unknown = self.made_up(slot, to, Drawn::Unset);
            Rc::make_mut(&mut self.values).push(Expr::Variable(unknown));
        }
    }

    /// Paths that are alike share their values until one of them changes.
    fn set(&mut self, slot: Var, value: Expr) {
        Rc::make_mut(&mut self.values)[slot.0 as usize] = value;
    }

    fn made_up(&mut self, slot: Var, node: NodeId, drawn: Drawn) -> Var {
        let variable = Var(self.next);
        self.next += 1;
        self.origins.push(Origin { variable, slot, node, drawn });
        variable
    }

    pub fn require(&mut self, condition: Cond, why: Why) {
        if condition != Cond::Literal(true) {
            self.conditions = Some(Rc::new(Link { condition, why, before: self.conditions.take() }));
        }
    }

    /// A condition on the slots, over the variables of the path.
    pub fn condition(&self, condition: &Cond) -> Cond {
        let placed = condition.map(&mut |slot| self.values[slot.0 as usize].clone());
        simplified(placed)
    }

    /// `None` if it has grown too large.
    fn expression(&self, expr: &Expr) -> Option<Expr> {
        let placed = folded(expr.map(&mut |slot| self.values[slot.0 as usize].clone()));
        let tidy = LinearExpr::of(&placed).map_or(placed, |form| form.to_expr());
        let mut size = 0;
        tidy.for_each_variable(&mut |_| size += 1);
        (size <= LARGEST).then_some(tidy)
    }
}

/// Operators on constants replaced by their results, where they have one.
pub fn folded(expr: Expr) -> Expr {
    let constant = |expr: &Expr| matches!(expr, Expr::Constant(_));
    let expr = match expr {
        Expr::Negate(inner) => Expr::Negate(Box::new(folded(*inner))),
        Expr::Unary(op, inner) => Expr::unary(op, folded(*inner)),
        Expr::Binary(op, left, right) => Expr::binary(op, folded(*left), folded(*right)),
        Expr::Wrap(ty, inner) => Expr::Wrap(ty, Box::new(folded(*inner))),
        Expr::IfThenElse(condition, yes, no) => match simplified(*condition) {
            Cond::Literal(true) => return folded(*yes),
            Cond::Literal(false) => return folded(*no),
            open => Expr::IfThenElse(Box::new(open), Box::new(folded(*yes)), Box::new(folded(*no))),
        },
        leaf => return leaf,
    };
    let operands_known = match &expr {
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => constant(inner),
        Expr::Binary(_, left, right) => constant(left) && constant(right),
        _ => false,
    };
    let value = if operands_known { eval(&expr, &mut |_: &Var| Int::ZERO) } else { None };
    value.map_or(expr, Expr::Constant)
}

/// Comparisons of constants decided, the others left as they are.
pub fn simplified(condition: Cond) -> Cond {
    match condition {
        Cond::Compare(op, left, right) => {
            let (left, right) = (folded(left), folded(right));
            match (LinearExpr::of(&left), LinearExpr::of(&right)) {
                (Some(a), Some(b)) => match a.minus(&b).as_constant() {
                    Some(difference) => Cond::Literal(op.holds(difference, &Int::ZERO)),
                    None => Cond::Compare(op, a.to_expr(), b.to_expr()),
                },
                _ => Cond::Compare(op, left, right),
            }
        }
        Cond::Not(inner) => simplified(*inner).negated(),
        Cond::And(left, right) => simplified(*left).and(simplified(*right)),
        Cond::Or(left, right) => simplified(*left).or(simplified(*right)),
        literal => literal,
    }
}

fn within(value: &Expr, values: &Value, found: &mut Vec<Cond>) {
    let bounds = |part: &Interval| {
        let low = part
            .low()
            .finite()
            .map(|low| Cond::Compare(CompareOp::LessEqual, Expr::Constant(low.clone()), value.clone()));
        let high = part
            .high()
            .finite()
            .map(|high| Cond::Compare(CompareOp::LessEqual, value.clone(), Expr::Constant(high.clone())));
        low.into_iter().chain(high).collect::<Vec<Cond>>()
    };
    match values.parts().as_slice() {
        [part] => found.extend(bounds(part)),
        parts => {
            let parts =
                parts.iter().map(|part| bounds(part).into_iter().fold(Cond::Literal(true), Cond::and));
            found.push(parts.fold(Cond::Literal(false), Cond::or));
        }
    }
    let congruence = values.congruence();
    let (modulus, residue) = (congruence.modulus(), congruence.residue());
    if *modulus > Int::ONE {
        let distance = Expr::binary(BinaryOp::Sub, value.clone(), Expr::Constant(residue.clone()));
        let rest = Expr::binary(BinaryOp::Rem, distance, Expr::Constant(modulus.clone()));
        found.push(Cond::Compare(CompareOp::Equal, rest, Expr::constant(0)));
    }
}

/// Whether a step by the edge arrives at a node.
pub fn goes_to(transfer: &Transfer<'_>, from: NodeId, edge: Option<&Edge>, to: NodeId) -> bool {
    let contexts = &transfer.contexts;
    let (from, to) = (contexts.node(from), contexts.node(to));
    match edge.map(|edge| (&edge.effect, edge)) {
        Some((Effect::Assign(_), edge)) => to.context == from.context && to.point == Point::At(edge.target),
        Some((Effect::Call { .. }, edge)) => {
            contexts.get(to.context).kind == ContextKind::Exact { caller: from.context, edge: edge.id }
        }
        Some((Effect::Return(_), _)) | None => match contexts.get(from.context).kind {
            ContextKind::Root => to.context == from.context,
            ContextKind::Exact { caller, .. } => to.context == caller,
            ContextKind::Summary => false,
        },
        Some((Effect::Fail(kind), _)) => to.context == from.context && to.point == Point::Failed(*kind),
        Some((Effect::Stop, _)) => to.context == from.context && to.point == Point::Stopped,
        Some((Effect::Discard, _)) => false,
    }
}
