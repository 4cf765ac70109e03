//! The calls behind a run: what a caller of the program writes to repeat it.

use kleene_domains::Int;

use super::Search;
use crate::concrete::{Frame, State};
use crate::evidence::Called;
use crate::ir::FunctionId;

impl Search<'_> {
    /// What a caller of the program does in this run: the entry, or the calls of one that stands in no text.
    /// None, if functions of the text draw values themselves: no argument says those.
    pub(super) fn calls(&self, states: &[State], drawn: &[Vec<Int>]) -> Vec<Called> {
        let origin = |function: FunctionId| self.slice.origin[function.0 as usize];
        let called = |frame: &Frame| {
            let function = self.slice.program.function(frame.function);
            Called {
                function: origin(frame.function),
                name: function.name.clone(),
                arguments: frame.locals.iter().take(function.parameters as usize).cloned().collect(),
            }
        };
        let draws = |(state, drawn): (&State, &Vec<Int>)| {
            !drawn.is_empty() && !state.frames.last().is_some_and(|frame| self.is_unwritten(frame))
        };
        if states.iter().zip(drawn).any(draws) {
            return Vec::new();
        }
        if !self.is_unwritten(&states[0].frames[0]) {
            return vec![called(&states[0].frames[0])];
        }
        let entered = states.windows(2).filter_map(|pair| {
            let [.., caller, callee] = pair[1].frames.as_slice() else { return None };
            let new = pair[1].frames.len() > pair[0].frames.len();
            (new && self.is_unwritten(caller) && !self.is_unwritten(callee)).then(|| called(callee))
        });
        entered.collect()
    }

    pub(super) fn is_unwritten(&self, frame: &Frame) -> bool {
        self.marked.unwritten.contains(&self.slice.origin[frame.function.0 as usize])
    }
}
