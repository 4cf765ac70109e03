//! Operations on relations, written down while an analysis runs and performed again on any domain.
//!
//! [`Recorded`] is a relation that writes down what is asked of it between the two ends of [`record`].
//! Meant for benches, which compare domains on what an analysis really does, and for tests: a domain that
//! replays its own recording gives the same answers.

mod recorded;
mod replay;
mod text;

use std::cell::RefCell;

use crate::expr::Var;
use crate::interval::Interval;
use crate::linear::LinearExpr;
use crate::relation::Constraint;
pub use recorded::Recorded;

/// The elements of a recording are numbered as they arise.
pub type Element = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Top(usize),
    Bottom(usize),
    Constrain(Element, Vec<Constraint>),
    Assign(Element, Var, LinearExpr),
    Forget(Element, Var),
    Join(Element, Element),
    Meet(Element, Element),
    /// With thresholds.
    Widen(Element, Element, Vec<Constraint>),
    Narrow(Element, Element),
    Rearrange(Element, Vec<Option<Var>>),
    IsBottom(Element),
    Leq(Element, Element),
    Equals(Element, Element),
    Entails(Element, Constraint),
    Bounds(Element, LinearExpr),
    /// The bounds of each of the first so many variables, one by one.
    Box(Element, usize),
    Constraints(Element),
}

impl Operation {
    /// What it is applied to.
    pub fn operands(&self) -> impl Iterator<Item = Element> {
        use Operation::*;
        let (first, second) = match self {
            Top(_) | Bottom(_) => (None, None),
            Constrain(one, _) | Assign(one, ..) | Forget(one, _) | Rearrange(one, _) => (Some(*one), None),
            IsBottom(one) | Entails(one, _) | Bounds(one, _) | Box(one, _) | Constraints(one) => {
                (Some(*one), None)
            }
            Join(one, other) | Meet(one, other) | Widen(one, other, _) | Narrow(one, other) => {
                (Some(*one), Some(*other))
            }
            Leq(one, other) | Equals(one, other) => (Some(*one), Some(*other)),
        };
        first.into_iter().chain(second)
    }

    /// Questions give an answer instead.
    pub fn gives_element(&self) -> bool {
        use Operation::*;
        !matches!(
            self,
            IsBottom(_) | Leq(..) | Equals(..) | Entails(..) | Bounds(..) | Box(..) | Constraints(_)
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The next element.
    Element,
    Truth(bool),
    Bounds(Option<Interval>),
    Box(Vec<Option<Interval>>),
    /// So many constraints.
    Count(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub operation: Operation,
    /// As [`Answer`] is shown, empty for an element.
    pub answer: String,
}

/// A sequence of operations with the answers of the domain they were recorded on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    pub steps: Vec<Step>,
}

impl Recording {
    /// The most dimensions an element begins with: those of a pack, without temporaries.
    pub fn dimensions(&self) -> usize {
        let begun = self.steps.iter().filter_map(|step| match step.operation {
            Operation::Top(dimensions) | Operation::Bottom(dimensions) => Some(dimensions),
            _ => None,
        });
        begun.max().unwrap_or(0)
    }
}

#[derive(Default)]
struct Log {
    recording: Recording,
    elements: Element,
    /// Bounds of the first variables of an element, asked last.
    asked: Option<(Element, Vec<Option<Interval>>)>,
}

impl Log {
    fn push_asked(&mut self) {
        if let Some((element, bounds)) = self.asked.take() {
            let operation = Operation::Box(element, bounds.len());
            self.recording.steps.push(Step { operation, answer: Answer::Box(bounds).to_string() });
        }
    }

    fn push(&mut self, operation: Operation, answer: &Answer) -> Element {
        self.push_asked();
        let element = self.elements;
        self.elements += u32::from(operation.gives_element());
        self.recording.steps.push(Step { operation, answer: answer.to_string() });
        element
    }

    fn bounds(&mut self, element: Element, form: &LinearExpr, bounds: &Option<Interval>) {
        let next = |at: usize| *form == LinearExpr::variable(Var(at as u32));
        match &mut self.asked {
            Some((one, asked)) if *one == element && next(asked.len()) => asked.push(bounds.clone()),
            None if next(0) => self.asked = Some((element, vec![bounds.clone()])),
            _ => {
                self.push(Operation::Bounds(element, form.clone()), &Answer::Bounds(bounds.clone()));
            }
        }
    }
}

thread_local! {
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// What `work` does with recorded relations, on this thread. They must not outlive it.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, Recording) {
    LOG.set(Some(Log::default()));
    let result = work();
    let mut log = LOG.take().unwrap_or_default();
    log.push_asked();
    (result, log.recording)
}

/// Writes a step down. The number of the element it gave, if it gave one.
fn note(operation: impl FnOnce() -> Operation, answer: &Answer) -> Element {
    LOG.with_borrow_mut(|log| log.as_mut().map_or(0, |log| log.push(operation(), answer)))
}
