//! The operations of a recording, performed again.

use super::{Answer, Element, Operation, Recording, Step};
use crate::expr::Var;
use crate::linear::LinearExpr;
use crate::relation::Relation;

/// The elements that are needed later.
struct Pool<R> {
    elements: Vec<Option<R>>,
    /// The last step that uses each; its own if none does.
    last: Vec<usize>,
}

impl<R: Relation> Pool<R> {
    fn get(&self, element: Element) -> &R {
        self.elements[element as usize].as_ref().expect("a recording uses what it has made")
    }

    /// The element itself if this is its last use.
    fn take(&mut self, element: Element, step: usize) -> R {
        match self.last[element as usize] == step {
            true => self.elements[element as usize].take().expect("a recording uses what it has made"),
            false => self.get(element).clone(),
        }
    }
}

impl Recording {
    /// Performs every step and shows it with the answer it gives now.
    pub fn replay<R: Relation>(&self, mut answered: impl FnMut(&Step, Answer)) {
        let mut pool = Pool::<R> { elements: Vec::new(), last: self.last_uses() };
        for (index, step) in self.steps.iter().enumerate() {
            let answer = answer(&pool, &step.operation);
            if let Some(element) = made(&mut pool, &step.operation, index) {
                let needed = pool.last[pool.elements.len()] > index;
                pool.elements.push(needed.then_some(element));
            }
            for operand in step.operation.operands() {
                if pool.last[operand as usize] == index {
                    pool.elements[operand as usize] = None;
                }
            }
            answered(step, answer);
        }
    }

    fn last_uses(&self) -> Vec<usize> {
        let mut last = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            step.operation.operands().for_each(|operand| last[operand as usize] = index);
            if step.operation.gives_element() {
                last.push(index);
            }
        }
        last
    }
}

/// The element that an operation gives; `None` if it is a question.
fn made<R: Relation>(pool: &mut Pool<R>, operation: &Operation, step: usize) -> Option<R> {
    Some(match operation {
        Operation::Top(dimensions) => R::top(*dimensions),
        Operation::Bottom(dimensions) => R::bottom(*dimensions),
        Operation::Constrain(one, constraints) => {
            let mut relation = pool.take(*one, step);
            relation.constrain(constraints);
            relation
        }
        Operation::Assign(one, variable, form) => {
            let mut relation = pool.take(*one, step);
            relation.assign(*variable, form);
            relation
        }
        Operation::Forget(one, variable) => {
            let mut relation = pool.take(*one, step);
            relation.forget(*variable);
            relation
        }
        Operation::Join(one, other) => pool.get(*one).join(pool.get(*other)),
        Operation::Meet(one, other) => pool.get(*one).meet(pool.get(*other)),
        Operation::Widen(one, other, thresholds) => pool.get(*one).widen(pool.get(*other), thresholds),
        Operation::Narrow(one, other) => pool.get(*one).narrow(pool.get(*other)),
        Operation::Rearrange(one, from) => pool.get(*one).rearranged(from),
        _ => return None,
    })
}

fn answer<R: Relation>(pool: &Pool<R>, question: &Operation) -> Answer {
    match question {
        Operation::IsBottom(one) => Answer::Truth(pool.get(*one).is_bottom()),
        Operation::Leq(one, other) => Answer::Truth(pool.get(*one).leq(pool.get(*other))),
        Operation::Equals(one, other) => Answer::Truth(pool.get(*one) == pool.get(*other)),
        Operation::Entails(one, constraint) => Answer::Truth(pool.get(*one).entails(constraint)),
        Operation::Bounds(one, form) => Answer::Bounds(pool.get(*one).bounds(form)),
        Operation::Box(one, variables) => {
            let variables = (0..*variables as u32).map(|at| LinearExpr::variable(Var(at)));
            Answer::Box(variables.map(|variable| pool.get(*one).bounds(&variable)).collect())
        }
        Operation::Constraints(one) => Answer::Count(pool.get(*one).constraints().len()),
        _ => Answer::Element,
    }
}
