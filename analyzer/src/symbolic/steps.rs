//! Steps that a solver proves impossible: what the domains cannot see of a command, an exact question does.
//!
//! A question is one step: values in a cell, a command, values in another. Only the embedded solver is asked, because
//! verdicts rest on the answer; a question it does not decide leaves the step possible.

use std::time::Duration;

use kleene_ctl::CellId;
use kleene_domains::{Cond, Expr, NumericState};
use kleene_solver::{Answer, Embedded};
use rustc_hash::FxHashMap;

use super::ask;
use super::path::{Path, Why, goes_to};
use crate::budget::Budget;
use crate::interpret::State;
use crate::interpret::compile::{Command, Edge, Effect, Source};
use crate::interpret::context::{NodeId, Point};
use crate::interpret::explore::Steps;
use crate::interpret::transfer::Transfer;
use crate::ir::FailKind;

/// Questions of one exploration.
const MOST_QUESTIONS: usize = 2_000;
/// The backstop of one question.
const LONGEST_QUESTION: Duration = Duration::from_millis(500);

type Question = (NodeId, State, NodeId, State);

pub struct SolvedSteps<'b> {
    budget: &'b Budget,
    solver: Embedded,
    /// Answers already given: the same question never gets another one.
    known: FxHashMap<Question, bool>,
}

impl<'b> SolvedSteps<'b> {
    pub fn new(budget: &'b Budget) -> Self {
        Self { budget, solver: Embedded::new(), known: FxHashMap::default() }
    }

    /// `None` if the step cannot be put into a question.
    fn ask(&mut self, transfer: &Transfer<'_>, question: &Question) -> Option<bool> {
        let (from, before, to, _) = question;
        let command = transfer.known_command(*from)?;
        if transfer.is_terminal(*from) || !is_plain(&command) || is_met_while_drawing(transfer, *to) {
            return None;
        }
        let drawn = Path::start(CellId(0), before, None).draw(*from, &command)?;
        if command.edges.is_empty() {
            return goes_to(transfer, *from, None, *to)
                .then(|| self.is_impossible(transfer, drawn, None, question))?;
        }
        let mut leads =
            command.edges.iter().filter(|edge| goes_to(transfer, *from, Some(edge), *to)).peekable();
        leads.peek()?;
        for edge in leads {
            if !self.is_impossible(transfer, drawn.clone(), Some(edge), question)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn is_impossible(
        &mut self,
        transfer: &Transfer<'_>,
        mut path: Path,
        edge: Option<&Edge>,
        (from, _, to, after): &Question,
    ) -> Option<bool> {
        if let Some(edge) = edge {
            let guard = path.condition(&edge.guard);
            if guard == Cond::Literal(false) {
                return Some(true);
            }
            path.require(guard, Why::Taken);
        }
        path.perform(transfer, *from, edge, *to)?;
        let left = self.budget.time_left().unwrap_or(LONGEST_QUESTION);
        let inside = path.inside(after);
        if inside.contains(&Cond::Literal(false)) {
            return Some(true);
        }
        let answer = ask(&path, inside, &mut self.solver, left.min(LONGEST_QUESTION));
        Some(matches!(answer, Answer::Unsat(_)))
    }
}

impl Steps for SolvedSteps<'_> {
    fn impossible(
        &mut self,
        transfer: &Transfer<'_>,
        (from, before): (NodeId, &State),
        (to, after): (NodeId, &State),
    ) -> bool {
        let question = (from, before.clone(), to, after.clone());
        if let Some(known) = self.known.get(&question) {
            return *known;
        }
        let allowed = self.known.len() < MOST_QUESTIONS && self.budget.tick().is_ok();
        let answer = allowed && self.ask(transfer, &question) == Some(true);
        self.known.insert(question, answer);
        answer
    }

    fn empty(&mut self, state: &State) -> bool {
        let path = Path::start(CellId(0), state, None);
        let left = self.budget.time_left().unwrap_or(LONGEST_QUESTION);
        matches!(ask(&path, Vec::new(), &mut self.solver, left.min(LONGEST_QUESTION)), Answer::Unsat(_))
    }
}

/// What has to hold at a node for a condition to hold behind one step to another, for each edge between them.
/// Nothing where that depends on what is drawn.
pub fn preconditions(transfer: &Transfer<'_>, from: NodeId, to: NodeId, behind: &Cond) -> Vec<Cond> {
    let contexts = &transfer.contexts;
    let dimensions = contexts.get(contexts.node(from).context).dimensions;
    let Some(command) = transfer.known_command(from) else { return Vec::new() };
    let Some(start) = Path::start(CellId(0), &State::top(dimensions), None).draw(from, &command) else {
        return Vec::new();
    };
    let edges = command.edges.iter().map(Some).chain(command.edges.is_empty().then_some(None));
    let leads = edges.filter(|edge| goes_to(transfer, from, *edge, to));
    let before = leads.filter_map(|edge| {
        let mut path = start.clone();
        path.perform(transfer, from, edge, to)?;
        let before = path.condition(behind);
        let mut seen = true;
        before.for_each_variable(&mut |slot| seen &= (slot.0 as usize) < dimensions);
        (seen && !is_open_cond(&before)).then_some(before)
    });
    before.collect()
}

/// Failures that are met before an edge is chosen.
fn is_met_while_drawing(transfer: &Transfer<'_>, to: NodeId) -> bool {
    matches!(
        transfer.contexts.node(to).point,
        Point::Failed(FailKind::EmptyRange | FailKind::Opaque) | Point::Stuck
    )
}

/// Whether a path through the command has all of its behaviour: every input is one scalar, nothing is left open.
fn is_plain(command: &Command) -> bool {
    let inputs = command.inputs.iter().all(|input| {
        let closed = match &input.source {
            Source::Type => true,
            Source::Range(low, high) => !is_open(low) && !is_open(high),
            Source::Unknown | Source::Unseen | Source::Looked(..) => false,
        };
        closed && input.targets.len() <= 1
    });
    let edge = |edge: &Edge| {
        let values = match &edge.effect {
            Effect::Assign(assignments) => assignments.iter().all(|(_, value)| !is_open(value)),
            Effect::Call { arguments, .. } => arguments.iter().all(|(_, value)| !is_open(value)),
            Effect::Return(value) => value.as_ref().is_none_or(|value| !is_open(value)),
            Effect::Fail(_) | Effect::Discard | Effect::Stop => true,
        };
        values && !is_open_cond(&edge.guard)
    };
    inputs && command.edges.iter().all(edge)
}

/// Holds a value that is chosen anew at every evaluation.
fn is_open(expr: &Expr) -> bool {
    match expr {
        Expr::Any(_) => true,
        Expr::Constant(_) | Expr::Variable(_) => false,
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => is_open(inner),
        Expr::Binary(_, left, right) => is_open(left) || is_open(right),
        Expr::IfThenElse(cond, yes, no) => is_open_cond(cond) || is_open(yes) || is_open(no),
    }
}

fn is_open_cond(cond: &Cond) -> bool {
    let mut open = false;
    cond.for_each_comparison(&mut |_, left, right| open |= is_open(left) || is_open(right));
    open
}
