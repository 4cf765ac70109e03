//! Which variables commands read and write.

use super::{Cond, Effect, Expr, Input, InputSource, Place, Projection, VariableId};

/// Visits every variable read by an expression, those of indices included.
pub fn read_by_expr(expr: &Expr, visit: &mut dyn FnMut(VariableId)) {
    expr.for_each_variable(&mut |place| read_by_place(place, visit));
}

pub fn read_by_cond(cond: &Cond, visit: &mut dyn FnMut(VariableId)) {
    cond.for_each_variable(&mut |place| read_by_place(place, visit));
}

/// The variable itself and those of its indices.
pub fn read_by_place(place: &Place, visit: &mut dyn FnMut(VariableId)) {
    visit(place.variable);
    read_by_indices(place, visit);
}

/// The variables that say where a place is.
pub fn read_by_indices(place: &Place, visit: &mut dyn FnMut(VariableId)) {
    for projection in &place.path {
        if let Projection::Element(index) = projection {
            read_by_expr(index, visit);
        }
    }
}

pub fn read_by_input(input: &Input, visit: &mut dyn FnMut(VariableId)) {
    read_by_indices(&input.place, visit);
    match &input.source {
        InputSource::Range(low, high) => {
            read_by_expr(low, visit);
            read_by_expr(high, visit);
        }
        InputSource::Looked(_, index) => read_by_expr(index, visit),
        InputSource::Type | InputSource::Unknown | InputSource::Unseen => {}
    }
}

pub fn read_by_effect(effect: &Effect, visit: &mut dyn FnMut(VariableId)) {
    match effect {
        Effect::Assign(assignments) => {
            for (place, value) in assignments {
                read_by_indices(place, visit);
                read_by_expr(value, visit);
            }
        }
        Effect::Call { arguments, result, .. } => {
            arguments.iter().for_each(|argument| read_by_expr(argument, visit));
            if let Some(place) = result {
                read_by_indices(place, visit);
            }
        }
        Effect::Return(Some(value)) => read_by_expr(value, visit),
        Effect::Return(None) | Effect::Fail(_) | Effect::Discard | Effect::Stop => {}
    }
}

/// The variables an effect overwrites entirely.
pub fn overwritten_by_effect(effect: &Effect, visit: &mut dyn FnMut(VariableId)) {
    let mut whole = |place: &Place| {
        if place.path.is_empty() {
            visit(place.variable);
        }
    };
    match effect {
        Effect::Assign(assignments) => assignments.iter().for_each(|(place, _)| whole(place)),
        Effect::Call { result: Some(place), .. } => whole(place),
        _ => {}
    }
}

/// The variables an effect writes, in whole or in part.
pub fn written_by_effect(effect: &Effect, visit: &mut dyn FnMut(VariableId)) {
    match effect {
        Effect::Assign(assignments) => assignments.iter().for_each(|(place, _)| visit(place.variable)),
        Effect::Call { result: Some(place), .. } => visit(place.variable),
        _ => {}
    }
}
