//! Why an answer is Maybe: the place where something is not definite, and what made it so.

use kleene_ctl::bits::BitSet;
use kleene_ctl::{
    CauseKind as ModelCause, CellId, Checked, Explanation, Formula, Model, SubformulaId, Truth,
};
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::Relation;
use kleene_domains::{Cond, Int, Var};
use rustc_hash::FxHashMap;

use super::Prepared;
use super::refine::strides;
use super::{shown, trail, witness};
use crate::concrete::{Choice, Interpreter, Status};
use crate::evidence::{Cause, CauseKind};
use crate::interpret::State;
use crate::interpret::context::Point;
use crate::interpret::explore::{Cell, Exploration};
use crate::ir::view::{Scalar, scalar};
use crate::ir::{FunctionId, VariableId};
use crate::property::{Leaf, Predicate, evaluate};
use crate::source::Span;

/// The nearest cause of a Maybe in an initial cell, and what it is in the model.
pub fn of_maybe(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    model: &Model,
    checked: &Checked,
) -> (Cause, Option<kleene_ctl::Cause>) {
    let undecided = model.initial().iter().find(|cell| checked.truth(**cell) == Truth::Maybe);
    let Some(cell) = undecided else {
        let message = "it is false from some state of the first cell, but no initial state in it is proven";
        let cause = at(prepared, exploration, CellId(0), CauseKind::Limit);
        return (Cause { message: message.into(), ..cause }, None);
    };
    let Explanation::Cause(found) = kleene_ctl::explain(model, checked, *cell) else {
        return (at(prepared, exploration, *cell, CauseKind::Limit), None);
    };
    let history = exploration.cells.get(found.cell.index()).map(|cell| cell.history).unwrap_or_default();
    let kind = match &found.kind {
        _ if draws_unknown(exploration, found.cell) => CauseKind::Unknown,
        ModelCause::Label(_) if history.widened => CauseKind::Widening,
        ModelCause::Label(_) => CauseKind::Join,
        ModelCause::Edge { .. } if draws(exploration, found.cell) => CauseKind::Input,
        ModelCause::Edge { .. } => CauseKind::Branch,
        ModelCause::Loop => CauseKind::Loop,
    };
    let mut cause = at(prepared, exploration, found.cell, kind);
    cause.path = found.path.iter().filter_map(|cell| span_of(prepared, exploration, *cell)).collect();
    cause.path.dedup();
    let (message, help) = words(kind, exploration, found.cell);
    cause.message = message;
    cause.help = help;
    (cause, Some(found))
}

/// The variables that the cause of a Maybe speaks of: those of the formula's atoms, and of the condition that is
/// not decided or the conditions of the loop that is not known to be left.
pub fn blamed(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    model: &Model,
    checked: &Checked,
) -> Vec<(FunctionId, VariableId)> {
    let mut found: Vec<(FunctionId, VariableId)> = Vec::new();
    let entry = prepared.program.entry;
    let mut add = |predicate: &Predicate| {
        predicate.for_each_variable(&mut |leaf| {
            let variable = match leaf {
                Leaf::Global { variable, .. } => (entry, VariableId::Global(*variable)),
                Leaf::Local { function, variable, .. } => (*function, VariableId::Local(*variable)),
                _ => return,
            };
            if !found.contains(&variable) {
                found.push(variable);
            }
        });
    };
    prepared.question.formula.for_each_atom(&mut |atom| add(atom));
    let undecided = model.initial().iter().find(|cell| checked.truth(**cell) == Truth::Maybe);
    if let Some(Explanation::Cause(cause)) = undecided.map(|cell| kleene_ctl::explain(model, checked, *cell))
        && let Some(cell) = exploration.cells.get(cause.cell.index())
    {
        let around = match cause.kind {
            ModelCause::Loop => {
                strides::loops(exploration).into_iter().find(|l| l.nodes.contains(&cell.node))
            }
            _ => None,
        };
        for node in around.map_or(vec![cell.node], |around| around.nodes) {
            let Some(command) = exploration.transfer.known_command(node) else { continue };
            let contexts = &exploration.transfer.contexts;
            let context = contexts.get(contexts.node(node).context);
            for edge in &command.edges {
                edge.guard.for_each_comparison(&mut |op, left, right| {
                    let compared = Cond::Compare(op, left.clone(), right.clone());
                    if let Some(predicate) = exploration.transfer.scope.as_predicate(context, &compared) {
                        add(&predicate);
                    }
                });
            }
        }
    }
    found
}

fn words(kind: CauseKind, exploration: &Exploration<'_>, cell: CellId) -> (String, Option<String>) {
    let history = exploration.cells.get(cell.index()).map(|cell| cell.history).unwrap_or_default();
    let limited = exploration.limits.cells || exploration.limits.cells_per_location;
    let (message, help) = match kind {
        CauseKind::Widening => (
            "the formula's atoms are not decided here: the values were widened because a loop does not settle",
            "state a bound the loop keeps, as an assert or an assumption",
        ),
        CauseKind::Join => (
            "the formula's atoms are not decided here: states with different answers share one cell",
            "a narrower input range or an assumption would tell them apart",
        ),
        CauseKind::Branch => (
            "both sides of this step remain possible, and the answer depends on which is taken",
            "relate the variables of the condition with an assumption",
        ),
        CauseKind::Input => {
            ("it is not known which values drawn here lead to the answer", "narrow the range of the input")
        }
        CauseKind::Loop => (
            "this loop could be proved neither to end nor to go on for ever",
            "a counter that moves by a constant and is compared with a bound is understood",
        ),
        CauseKind::Unknown => ("a value drawn here cannot be seen", "give the function a body"),
        CauseKind::Undefined => {
            ("an atom of the formula may have no value here", "guard it, as in `x != 0 && …`")
        }
        CauseKind::Limit => ("a limit was reached", "raise --timeout"),
    };
    let more = match (limited, history.rest) {
        (true, true) => " (more states than are kept apart)",
        _ => "",
    };
    (format!("{message}{more}"), Some(help.to_string()))
}

/// A cause at a cell, with the values known there.
fn at(prepared: &Prepared, exploration: &Exploration<'_>, cell: CellId, kind: CauseKind) -> Cause {
    let Known { values, relations } = values(prepared, exploration, cell);
    Cause {
        kind,
        span: span_of(prepared, exploration, cell),
        message: String::new(),
        values,
        relations,
        path: Vec::new(),
        help: None,
        holds_if: None,
        fails_if: None,
        obligation: None,
        tried: Vec::new(),
    }
}

pub fn undefined(prepared: &Prepared, exploration: &Exploration<'_>, cell: CellId) -> Cause {
    let (message, help) = words(CauseKind::Undefined, exploration, cell);
    Cause { message, help, ..at(prepared, exploration, cell, CauseKind::Undefined) }
}

pub fn span_of(prepared: &Prepared, exploration: &Exploration<'_>, cell: CellId) -> Option<Span> {
    let contexts = &exploration.transfer.contexts;
    let node = contexts.node(exploration.cells.get(cell.0 as usize)?.node);
    let function = prepared.program.function(contexts.get(node.context).function);
    match node.point {
        Point::At(location) => Some(function.graph[location].span),
        _ => None,
    }
}

/// What is known in a cell, in the words of the program.
#[derive(Default)]
pub struct Known {
    pub values: Vec<(String, String)>,
    pub relations: Vec<String>,
}

impl Known {
    pub fn in_words(&self) -> Vec<String> {
        let values = self.values.iter().map(|(name, value)| format!("{name} = {value}"));
        values.chain(self.relations.iter().cloned()).collect()
    }
}

/// Globals and own locals of a cell, as far as something is known of them.
pub fn values(prepared: &Prepared, exploration: &Exploration<'_>, cell: CellId) -> Known {
    let mut known = Known::default();
    let Some(cell) = exploration.cells.get(cell.0 as usize) else { return known };
    let node = exploration.transfer.contexts.node(cell.node);
    let context = exploration.transfer.contexts.get(node.context);
    let program = &prepared.program;
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..program.function(context.function).locals.len() as u32).map(VariableId::Local);
    let mut names: FxHashMap<Var, String> = FxHashMap::default();
    for id in globals.chain(locals) {
        let variable = program.variable(context.function, id);
        let temporary = variable.kind == crate::ir::VariableKind::Temporary;
        if temporary || !exploration.transfer.scope.relevance.tracks(context.function, id) {
            continue;
        }
        let base = if matches!(id, VariableId::Local(_)) { context.base } else { 0 };
        let first = base + exploration.transfer.scope.layout.first_slot(context.function, id);
        let slots = variable.ty.slots() as u32;
        for offset in 0..slots {
            let value = cell.state.get(Var(first + offset));
            let name =
                if slots == 1 { variable.name.clone() } else { format!("{}[{offset}]", variable.name) };
            let of_people = scalar(&program.function(context.function).views, id).filter(|_| slots == 1);
            match of_people {
                Some(scalar @ (Scalar::Bool | Scalar::Tag(_))) => {
                    let words = scalar.text(&|at| value.contains(&Int::from(at)));
                    known.values.extend(words.map(|words| (name.clone(), words)));
                }
                _ if !value.is_top() => known.values.push((name.clone(), value.to_string())),
                _ => {}
            }
            names.insert(Var(first + offset), name);
        }
    }
    known.relations = relations(&cell.state, &names);
    known
}

/// What relates several variables that have names here.
fn relations(state: &State, names: &FxHashMap<Var, String>) -> Vec<String> {
    let mut shown = Vec::new();
    for (variables, relation) in state.relations() {
        for constraint in relation.constraints() {
            let own: Vec<Var> = constraint.variables().map(|at| variables[at.0 as usize]).collect();
            if own.len() > 1 && own.iter().all(|variable| names.contains_key(variable)) {
                shown.push(constraint.shown(|at| names[&variables[at.0 as usize]].clone()));
            }
        }
    }
    shown
}

fn draws(exploration: &Exploration<'_>, cell: CellId) -> bool {
    let Some(Cell { node, .. }) = exploration.cells.get(cell.index()) else { return false };
    exploration.transfer.known_command(*node).is_some_and(|command| !command.inputs.is_empty())
}

fn draws_unknown(exploration: &Exploration<'_>, cell: CellId) -> bool {
    let Some(Cell { node, .. }) = exploration.cells.get(cell.index()) else { return false };
    exploration
        .transfer
        .known_command(*node)
        .is_some_and(|command| command.inputs.iter().any(|input| input.source.is_given()))
}

/// Which cells each subformula is looked at in, from the initial cells down; conjunctions and disjunctions
/// look at their right side only where the left one does not decide.
pub fn demanded(model: &Model, checked: &Checked) -> Vec<(SubformulaId, BitSet)> {
    let mut initial = BitSet::empty(model.cells());
    model.initial().iter().for_each(|cell| initial.insert(cell.index()));
    let mut pending = vec![(checked.root(), initial)];
    let mut all = Vec::new();
    while let Some((sub, cells)) = pending.pop() {
        let operands = checked.operands(sub);
        let unless = |truth: Truth| {
            let mut kept = BitSet::empty(model.cells());
            let undecided =
                cells.iter().filter(|cell| checked.truth_of(operands[0], CellId(*cell as u32)) != truth);
            undecided.for_each(|cell| kept.insert(cell));
            kept
        };
        match checked.subformula(sub) {
            Formula::Literal(_) | Formula::Atom(_) => {}
            Formula::Not(_) => pending.push((operands[0], cells.clone())),
            Formula::And(..) | Formula::Implies(..) => {
                pending.push((operands[1], unless(Truth::False)));
                pending.push((operands[0], cells.clone()));
            }
            Formula::Or(..) => {
                pending.push((operands[1], unless(Truth::True)));
                pending.push((operands[0], cells.clone()));
            }
            Formula::Iff(..) => operands.iter().for_each(|operand| pending.push((*operand, cells.clone()))),
            Formula::Next(..) => pending.push((operands[0], successors(model, &cells))),
            _ => {
                let reached = reachable(model, &cells);
                operands.iter().for_each(|operand| pending.push((*operand, reached.clone())));
            }
        }
        all.push((sub, cells));
    }
    all
}

fn successors(model: &Model, cells: &BitSet) -> BitSet {
    let mut next = BitSet::empty(model.cells());
    for cell in cells.iter() {
        model.may_successors(CellId(cell as u32)).iter().for_each(|to| next.insert(to.index()));
    }
    next
}

fn reachable(model: &Model, cells: &BitSet) -> BitSet {
    let mut reached = cells.clone();
    let mut pending: Vec<usize> = cells.iter().collect();
    while let Some(cell) = pending.pop() {
        for to in model.may_successors(CellId(cell as u32)) {
            if !reached.contains(to.index()) {
                reached.insert(to.index());
                pending.push(to.index());
            }
        }
    }
    reached
}

/// A concrete run to a state of one of these cells in which its predicate has no value, in words.
pub fn undefined_run(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    suspects: &[(Predicate, Vec<CellId>)],
) -> Option<String> {
    let interpreter = Interpreter::new(&prepared.program);
    let mut steps = 0;
    for round in 0..16u32 {
        for (_, initial) in exploration.initial.iter().take(16) {
            let Some(point) = &initial.witness else { continue };
            let Some(mut state) = trail::initial_state(&interpreter, point) else { continue };
            for step in 0..2_000u32 {
                steps += 1;
                let undefined = suspects.iter().any(|(predicate, cells)| {
                    evaluate::holds(&interpreter, &state, predicate).is_none()
                        && cells.iter().any(|cell| witness::covers(exploration, &interpreter, *cell, &state))
                });
                if undefined {
                    return Some(in_words(prepared, &interpreter, &state, step));
                }
                if state.status != Status::Running || steps > 100_000 {
                    break;
                }
                let next = interpreter.step(&state, &mut |choice| Some(pick(choice, round, step)));
                match next {
                    Ok(next) => state = next,
                    Err(_) => break,
                }
            }
        }
    }
    None
}

fn in_words(
    prepared: &Prepared,
    interpreter: &Interpreter<'_>,
    state: &crate::concrete::State,
    steps: u32,
) -> String {
    let values = shown::initial(interpreter, state);
    let shown: Vec<String> =
        values.iter().take(6).map(|shown| format!("{} = {}", shown.name, shown.value)).collect();
    format!(
        "`{}` has no value in a state that is reached after {steps} steps ({})",
        prepared.question.text,
        shown.join(", ")
    )
}

/// Low ends, high ends, then a spread of values.
pub fn pick(choice: &Choice<'_>, round: u32, step: u32) -> Int {
    let low = choice.low.clone().unwrap_or(Int::from(-8));
    let high = choice.high.clone().unwrap_or_else(|| &low + &Int::from(16));
    match round {
        0 => low,
        1 => high,
        _ => {
            let span = &(&high - &low) + &Int::ONE;
            let offset = Int::from(i64::from(
                round.wrapping_mul(2_654_435_761).wrapping_add(step.wrapping_mul(40_503)),
            ));
            &low + &offset.rem_euclid(&span).unwrap_or(Int::ZERO)
        }
    }
}
