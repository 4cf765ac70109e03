//! Predicates in a concrete state.

use kleene_domains::{Int, concrete as arithmetic};

use super::{Leaf, Predicate, Term};
use crate::concrete::{Interpreter, State, Status};
use crate::ir::{Type, VariableId};

/// The truth of a predicate in a state; `None` where it has no value there.
pub fn holds(interpreter: &Interpreter<'_>, state: &State, predicate: &Predicate) -> Option<bool> {
    let mut defined = true;
    let truth = arithmetic::holds(predicate, &mut |leaf: &Leaf| {
        read(interpreter, state, leaf).unwrap_or_else(|| {
            defined = false;
            Int::ZERO
        })
    });
    truth.filter(|_| defined)
}

fn term(interpreter: &Interpreter<'_>, state: &State, term: &Term) -> Option<Int> {
    let mut defined = true;
    let value = arithmetic::eval(term, &mut |leaf: &Leaf| {
        read(interpreter, state, leaf).unwrap_or_else(|| {
            defined = false;
            Int::ZERO
        })
    });
    value.filter(|_| defined)
}

fn read(interpreter: &Interpreter<'_>, state: &State, leaf: &Leaf) -> Option<Int> {
    let offset = |ty: &Type, element: &Option<Box<Term>>| match (ty, element) {
        (Type::Array(_, length), Some(index)) => {
            let index = term(interpreter, state, index)?.to_i64()?;
            (0..i64::from(*length)).contains(&index).then_some(index as usize)
        }
        _ => Some(0),
    };
    let program = interpreter.program;
    match leaf {
        Leaf::Global { variable, element } => {
            let ty = &program.globals[*variable as usize].ty;
            let first = interpreter.layout.first_slot(program.entry, VariableId::Global(*variable));
            Some(state.globals[first as usize + offset(ty, element)?].clone())
        }
        Leaf::Local { function, variable, element } => {
            let frame = state.frames.iter().rev().find(|frame| frame.function == *function)?;
            let ty = &program.function(*function).locals[*variable as usize].ty;
            let first = interpreter.layout.first_slot(*function, VariableId::Local(*variable));
            Some(frame.locals[first as usize + offset(ty, element)?].clone())
        }
        Leaf::At(places) => {
            let frame = state.frames.last().expect("a state has a frame");
            let at = places.contains(&(frame.function, frame.location));
            let present = match state.status {
                Status::Running => true,
                // The entry's exit is a location; `exit()` elsewhere is none.
                Status::Ended => frame.location == program.function(frame.function).exit,
                Status::Failed(_) | Status::Discarded => false,
            };
            Some(Int::from(at && present))
        }
        Leaf::Terminated => Some(Int::from(interpreter.has_ended(state))),
        Leaf::Failed(wanted) => Some(Int::from(match state.status {
            Status::Failed(kind) => wanted.is_none_or(|wanted| wanted == kind),
            _ => false,
        })),
        Leaf::Discarded => Some(Int::from(state.status == Status::Discarded)),
    }
}
