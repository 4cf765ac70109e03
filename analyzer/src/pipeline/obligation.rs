//! What is left to decide of a Maybe, over initial values and inputs: when its cause is reached, and the
//! condition there whose truth is not known.

use kleene_ctl::{AtomId, CauseKind, CellId};
use kleene_domains::{Cond, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Prepared;
use crate::evidence::Obligation;
use crate::interpret::context::{Context, Contexts, Point};
use crate::interpret::explore::Exploration;
use crate::ir::{VariableId, VariableKind};
use crate::property::Predicate;
use crate::source::Span;
use crate::symbolic::simplify::{Simplifier, in_words};
use crate::symbolic::{Drawn, Way, way};

/// Longer lists help nobody.
const MOST_PARTS: usize = 12;

/// The cell a Maybe comes from, and what is not definite there.
#[derive(Clone, Debug)]
pub struct Undecided {
    pub cell: CellId,
    pub what: Open,
}

#[derive(Clone, Debug)]
pub enum Open {
    Atom(Predicate),
    Edge(CellId),
    Loop,
}

impl Undecided {
    pub fn new(cell: CellId, kind: &CauseKind, atom: impl Fn(AtomId) -> Predicate) -> Self {
        let what = match kind {
            CauseKind::Label(label) => Open::Atom(atom(*label)),
            CauseKind::Edge { to } => Open::Edge(*to),
            CauseKind::Loop => Open::Loop,
        };
        Self { cell, what }
    }
}

/// The obligation in words. `None` if no way to the cause is found, or too much would have to be said.
pub fn obligation(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    undecided: &Undecided,
) -> Option<Obligation> {
    let (entry, _) = exploration.initial.first()?;
    let entry = exploration.cells[entry.0 as usize].node;
    let assume = prepared.assume.as_ref().map(|assume| exploration.transfer.predicate(assume, entry));
    let way = way(exploration, undecided.cell, assume.as_ref())?;
    let range = |var: Var| way.range(var);
    let simplified = |conds: Vec<Cond>, known: &[Cond]| Simplifier::new(&range, known).simplify(conds);
    let mut there = way.known.clone();
    let taken = simplified(way.conditions.clone(), &there);
    there.extend(taken.iter().cloned());
    let inside = simplified(way.inside(exploration), &there);
    there.extend(inside.iter().cloned());
    let open = open(exploration, undecided, &way);
    let open = open.map(|open| simplified(open, &there)).unwrap_or_default();
    let inside = connected(inside, taken.iter().chain(&open));
    let reached = simplified(taken.into_iter().chain(inside).collect(), &way.known);
    if reached.len() > MOST_PARTS || open.len() > MOST_PARTS {
        return None;
    }
    let names = Names::of(prepared, exploration, &way, reached.iter().chain(&open));
    let words = |conds: &[Cond]| conds.iter().map(|cond| names.words(cond)).collect::<Vec<_>>();
    // What is decided on the one way that was found says nothing of the others.
    let settled = open.iter().all(|cond| matches!(cond, Cond::Literal(_)));
    Some(Obligation {
        reached_if: words(&reached),
        undecided: if settled { Vec::new() } else { words(&open) },
        inputs: names.inputs,
    })
}

/// The conditions that have to do with the others: the rest of what a cell is like does not matter to them.
fn connected<'c>(conds: Vec<Cond>, others: impl Iterator<Item = &'c Cond>) -> Vec<Cond> {
    let mut reached = FxHashSet::default();
    let add = |cond: &Cond, reached: &mut FxHashSet<Var>| {
        cond.for_each_variable(&mut |var| {
            reached.insert(*var);
        });
    };
    others.for_each(|cond| add(cond, &mut reached));
    if reached.is_empty() {
        return conds;
    }
    let (mut kept, mut left) = (Vec::new(), conds);
    loop {
        let touches = |cond: &Cond| {
            let mut found = false;
            cond.for_each_variable(&mut |var| found |= reached.contains(var));
            found
        };
        let (near, far): (Vec<Cond>, Vec<Cond>) = left.into_iter().partition(touches);
        if near.is_empty() {
            return kept;
        }
        near.iter().for_each(|cond| add(cond, &mut reached));
        kept.extend(near);
        left = far;
    }
}

/// The condition that is not definite, over the variables of the way.
fn open(exploration: &Exploration<'_>, undecided: &Undecided, way: &Way) -> Option<Vec<Cond>> {
    match &undecided.what {
        Open::Atom(atom) => {
            let node = exploration.cells[undecided.cell.index()].node;
            Some(vec![way.at_end(&exploration.transfer.predicate(atom, node))])
        }
        // Several ways there are a choice nobody wants to read.
        Open::Edge(to) => match <[Vec<Cond>; 1]>::try_from(way.onward(exploration, *to)) {
            Ok([only]) => Some(only),
            Err(_) => None,
        },
        Open::Loop => None,
    }
}

/// The variables of some conditions in the words of the source.
struct Names {
    known: FxHashMap<Var, String>,
    /// The inputs among them, with where they are drawn.
    inputs: Vec<(String, Span)>,
}

impl Names {
    fn of<'c>(
        prepared: &Prepared,
        exploration: &Exploration<'_>,
        way: &Way,
        conds: impl Iterator<Item = &'c Cond>,
    ) -> Self {
        let mut used: Vec<Var> = Vec::new();
        conds.for_each(|cond| cond.for_each_variable(&mut |var| used.push(*var)));
        used.sort_unstable();
        used.dedup();
        let contexts = &exploration.transfer.contexts;
        let mut names = Self { known: FxHashMap::default(), inputs: Vec::new() };
        for var in used {
            let origin = way.origin(var);
            let (context, slot) = match origin {
                Some(origin) => (contexts.get(contexts.node(origin.node).context), origin.slot),
                None => (contexts.get(Contexts::ROOT), var),
            };
            let mut name = named(prepared, exploration, context, slot).unwrap_or_else(|| "input".into());
            // An initial value comes first; what is drawn into the same variable later is told apart.
            while names.known.values().any(|known| *known == name) {
                name.push('\'');
            }
            names.known.insert(var, name.clone());
            if let Some(origin) = origin.filter(|origin| origin.drawn == Drawn::Input)
                && let Some(span) = span(prepared, exploration, origin.node)
            {
                names.inputs.push((name, span));
            }
        }
        names
    }

    fn words(&self, cond: &Cond) -> String {
        let name = |var: Var| self.known.get(&var).cloned().unwrap_or_else(|| format!("x{}", var.0));
        in_words(cond, &name)
    }
}

fn span(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    node: crate::interpret::context::NodeId,
) -> Option<Span> {
    let contexts = &exploration.transfer.contexts;
    let node = contexts.node(node);
    let function = prepared.program.function(contexts.get(node.context).function);
    match node.point {
        Point::At(location) => Some(function.graph[location].span),
        _ => None,
    }
}

/// The name of a slot; `None` for what has none in the source.
fn named(prepared: &Prepared, exploration: &Exploration<'_>, context: &Context, slot: Var) -> Option<String> {
    let (program, layout) = (&prepared.program, &exploration.transfer.scope.layout);
    let frame = context.frames.iter().rev().find(|(_, base)| *base <= slot.0);
    let (function, base, ids): (_, _, Vec<VariableId>) = match frame {
        Some((function, base)) => {
            let locals = 0..program.function(*function).locals.len() as u32;
            (*function, *base, locals.map(VariableId::Local).collect())
        }
        None => {
            let globals = 0..program.globals.len() as u32;
            (program.entry, 0, globals.map(VariableId::Global).collect())
        }
    };
    ids.into_iter().find_map(|id| {
        let variable = program.variable(function, id);
        let first = base + layout.first_slot(function, id);
        let slots = variable.ty.slots() as u32;
        let inside = (first..first + slots).contains(&slot.0) && variable.kind != VariableKind::Temporary;
        inside.then(|| match slots {
            1 => variable.name.clone(),
            _ => format!("{}[{}]", variable.name, slot.0 - first),
        })
    })
}
