//! Which mentions of functions are calls that were lowered, so that what else calls a function can be told.

use rustc_hash::FxHashSet;

use super::super::hir::{Body, ExprId, ExprKind, FnId};
use super::super::items::Items;
use super::ProgramLowerer;
use crate::source::{FileId, Span};

/// The calls of a program under construction.
#[derive(Debug, Default)]
pub struct Calls {
    /// Places of names whose call is a step of the program.
    lowered: FxHashSet<Place>,
    /// Places of names whose call is unknown in some instance of the function around it.
    unknown: FxHashSet<Place>,
    /// Functions with a call that was not looked into.
    hidden: FxHashSet<FnId>,
    /// Places of locals, which may have the name of a function.
    locals: FxHashSet<Span>,
}

/// Where a name begins or ends. What stands around it may be part of the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Start(FileId, u32),
    End(FileId, u32),
}

impl Calls {
    /// Whether some mention of a function is no call that was lowered.
    pub fn may_hide(&self, items: &Items, id: FnId) -> bool {
        let mentions = &items.mentions;
        let explained = |span: &Span| {
            let places = [Place::Start(span.file, span.start), Place::End(span.file, span.end)];
            self.locals.contains(span)
                || places.iter().any(|place| self.lowered.contains(place))
                    && !places.iter().any(|place| self.unknown.contains(place))
        };
        mentions.anything
            || self.hidden.contains(&id)
            || !mentions.of_name(&items.function(id).name).iter().all(explained)
    }

    fn places(body: &Body, call: ExprId) -> Vec<Place> {
        match &body.expr(call).kind {
            ExprKind::Call(callee, _) => {
                let span = body.expr(*callee).span;
                let end = Place::End(span.file, span.end);
                match &body.expr(*callee).kind {
                    ExprKind::Path(path) if path.segments.len() == 1 => {
                        vec![Place::Start(span.file, span.start), end]
                    }
                    _ => vec![end],
                }
            }
            ExprKind::Method { site, .. } => vec![Place::Start(site.0.file, site.0.start)],
            _ => Vec::new(),
        }
    }
}

impl ProgramLowerer<'_, '_> {
    pub fn note_lowered(&mut self, body: &Body, call: ExprId) {
        self.calls.lowered.extend(Calls::places(body, call));
    }

    pub fn note_unknown(&mut self, body: &Body, call: ExprId) {
        self.calls.unknown.extend(Calls::places(body, call));
    }

    pub fn note_hidden(&mut self, function: FnId) {
        self.calls.hidden.insert(function);
    }

    /// Locals of all bodies, by where they are named.
    pub fn note_locals(&mut self) {
        for (_, body) in self.context.items.bodies() {
            let locals = body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Local(_)));
            self.calls.locals.extend(locals.map(|expr| expr.span));
        }
    }
}
