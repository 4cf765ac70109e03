//! Cells and their edges: every step of a cell's states leads where the evidence says.

use std::cell::RefCell;

use kleene_domains::{Cond, Expr, Interval, Var};
use rustc_hash::FxHashMap;

use super::ask::{Asker, Known, interval, simple, simple_expr, undefined};
use super::cells::{Cell, Fact};
use super::offsets;
use super::question::Question;
use super::run;
use super::shape::Claim;
use super::slots::{Callers, Slots, store};
use super::steps::{Step, Steps, within};
use super::{Checked, Doubt, open, wrong};
use crate::concrete::{Interpreter, State, Status};
use crate::evidence::certificate::{self, At, Drawn, Held};
use crate::ir::{Initialiser, InputSource};

/// A cell, and one of its must edges or all its successors.
type Edge = (usize, Option<usize>);

pub struct Model<'q> {
    pub question: &'q Question,
    interpreter: &'q Interpreter<'q>,
    pub slots: Slots<'q>,
    pub cells: Vec<Cell>,
    pub written: &'q certificate::Model,
    pub claims: FxHashMap<Claim, FxHashMap<usize, Held>>,
    pub asker: Asker,
    /// Must edges already accepted, with the values to draw.
    accepted: RefCell<FxHashMap<Edge, Option<Vec<Drawn>>>>,
}

impl<'q> Model<'q> {
    /// Every edge and every claim of the model is right.
    pub fn checked(
        question: &'q Question,
        interpreter: &'q Interpreter<'q>,
        written: &'q certificate::Model,
    ) -> Checked<Self> {
        let mut slots = Slots::new(&question.program, &written.contexts)?;
        slots.offsets = offsets::checked(&slots, &written.offsets)?;
        let count = written.cells.len();
        let cells = written.cells.iter().map(|cell| Cell::read(cell, &slots, count));
        let cells = cells.collect::<Checked<Vec<Cell>>>()?;
        let mut claims: FxHashMap<Claim, FxHashMap<usize, Held>> = FxHashMap::default();
        for claimed in &written.claims {
            let claim = Claim { node: claimed.formula, value: claimed.value };
            if claim.node >= question.nodes.len() || question.nodes.first(claim.node) != claim.node {
                return wrong("a claim is about a subformula that is not there");
            }
            // Ranks and loops belong to all cells of a claim together.
            if claims.contains_key(&claim) {
                return wrong("a claim is made twice");
            }
            let held = claims.entry(claim).or_default();
            for own in &claimed.cells {
                if own.cell >= count || held.insert(own.cell, own.clone()).is_some() {
                    return wrong("a claim is about a cell that is not there, or twice about one");
                }
            }
        }
        let accepted = RefCell::default();
        let asker = Asker;
        let model = Self { question, interpreter, slots, cells, written, claims, asker, accepted };
        model.check_claims()?;
        Ok(model)
    }

    pub fn claimed(&self, claim: Claim, cell: usize) -> bool {
        self.claims.get(&claim).is_some_and(|held| held.contains_key(&cell))
    }

    /// Every initial state is in a cell where the claim holds, or has no run that counts.
    pub fn holds_initially(&self, claim: Claim) -> Checked<()> {
        let dead = self.question.live.map(|live| Claim { node: live, value: false });
        let entry = At::Location(self.question.program.entry_function().entry.index());
        for cell in &self.written.initial {
            let Some(own) = self.cells.get(*cell) else { return wrong("an initial cell is not there") };
            let holds = self.claimed(claim, *cell) || dead.is_some_and(|dead| self.claimed(dead, *cell));
            if !own.stands_at(0, &entry) || !holds {
                return wrong(format!("nothing is claimed of the initial cell {cell}"));
            }
        }
        self.cover_initial()
    }

    pub fn has_start(&self) -> bool {
        self.written.start.is_some()
    }

    /// There is an initial state, and a run from it that counts.
    pub fn starts(&self) -> Checked<()> {
        let Some(start) = &self.written.start else {
            return open("no initial state with a run that keeps the assumptions is given");
        };
        self.located(start)?;
        match self.question.live {
            Some(live) if !self.claimed(Claim { node: live, value: true }, start.cell) => {
                wrong("the initial state is not shown to keep the assumptions")
            }
            _ => Ok(()),
        }
    }

    /// A concrete initial state lies in a cell where the claim holds, and has a run that counts.
    pub fn fails_initially(&self, claim: Claim) -> Checked<()> {
        let Some(start) = &self.written.start else { return wrong("no initial state is given") };
        self.located(start)?;
        let live = self.question.live.map(|live| Claim { node: live, value: true });
        let counts = live.is_none_or(|live| self.claimed(live, start.cell));
        match self.claimed(claim, start.cell) && counts {
            true => Ok(()),
            false => wrong("nothing is claimed of the initial state's cell"),
        }
    }

    fn located(&self, start: &certificate::Located) -> Checked<()> {
        let state = run::initial(self.question, self.interpreter, &start.state)?;
        self.held(start.cell, &[state])
    }

    /// The run ends in the cell it is said to.
    pub fn holds_run(&self, states: &[State]) -> Checked<()> {
        match self.written.end {
            Some(end) => self.held(end, states),
            None => wrong("the run does not lead into the model"),
        }
    }

    pub fn claimed_at_end(&self, claim: Claim) -> bool {
        self.written.end.is_some_and(|end| self.claimed(claim, end))
    }

    fn held(&self, cell: usize, states: &[State]) -> Checked<()> {
        match cell < self.cells.len() && self.holds(cell, states) {
            true => Ok(()),
            false => wrong(format!("a state is not in the cell {cell} it is said to be in")),
        }
    }

    /// The last state of a run lies in a cell.
    fn holds(&self, cell: usize, states: &[State]) -> bool {
        let Some(last) = states.last() else { return false };
        // From the outermost pending call on: the cells in which it was made.
        let mut callers = Vec::new();
        for call in pending_calls(states) {
            let cells = 0..self.cells.len();
            callers = cells.filter(|cell| self.holds_state(*cell, &states[call], &callers)).collect();
        }
        self.holds_state(cell, last, &callers)
    }

    /// A state lies in a cell, if its innermost call was made in one of the others.
    fn holds_state(&self, cell: usize, state: &State, callers: &[usize]) -> bool {
        let cell = &self.cells[cell];
        let context = &self.slots.contexts[cell.context];
        let summary = self.slots.is_summary(cell.context);
        let innermost = state.frames.last().expect("a state has a frame");
        let location = innermost.location.index();
        let ended = state.frames.len() == 1 && location == self.slots.exit(0).index();
        let stands = match (&cell.at, state.status) {
            (At::Location(at), Status::Running) => *at == location,
            (At::Location(at), Status::Ended) => ended && *at == location,
            (At::Stopped, Status::Ended) => true,
            (At::Failed(kind), Status::Failed(failed)) => failed.name() == kind,
            (At::Discarded, Status::Discarded) => true,
            _ => false,
        };
        if !stands || innermost.function != context.function() {
            return false;
        }
        let frames = if summary { std::slice::from_ref(innermost) } else { state.frames.as_slice() };
        let mut point = state.globals.to_vec();
        frames.iter().for_each(|frame| point.extend(frame.locals.iter().cloned()));
        let types = &context.types;
        let typed = types.len() == point.len() && types.iter().zip(&point).all(|(ty, at)| ty.contains(at));
        let called = match summary {
            true => self.is_called_in(cell.context, state, callers),
            false => self.is_called_by(cell.context, state),
        };
        typed && called && cell.contains(&point)
    }

    /// The frames of a state are those of an exact context.
    fn is_called_by(&self, context: usize, state: &State) -> bool {
        let mut own = context;
        for depth in (1..state.frames.len()).rev() {
            let Callers::One(caller, edge) = self.slots.contexts[own].callers else { return false };
            if state.frames[depth - 1].pending != Some(edge) {
                return false;
            }
            own = caller;
        }
        own == 0
    }

    /// The innermost call of a state was made in a cell that calls into the summary, where that matters.
    fn is_called_in(&self, summary: usize, state: &State, callers: &[usize]) -> bool {
        let returns = |cell: &Cell| cell.context == summary && self.slots.returns(summary, &cell.at);
        if !self.cells.iter().any(returns) {
            return true;
        }
        let below = state.frames.len().checked_sub(2).and_then(|below| state.frames[below].pending);
        callers.iter().any(|caller| {
            let own = &self.cells[*caller];
            let calls = self.slots.calls(own.context, &own.at, summary);
            calls.iter().any(|edge| below == Some(*edge))
        })
    }

    /// All initial states lie in the initial cells.
    fn cover_initial(&self) -> Checked<()> {
        let (program, root) = (&self.question.program, &self.slots.contexts[0]);
        // Values of the types, as they are before the initialisers.
        let mut ranges = Vec::new();
        for variable in program.globals.iter().chain(program.entry_function().locals.iter()) {
            ranges.extend(variable.ty.scalars().iter().map(|ty| ty.range()));
        }
        let mut state = root.before();
        let mut when = Vec::new();
        for initialiser in &program.initialisers {
            let frame = self.slots.frame(0, &state);
            match initialiser {
                Initialiser::Assign(place, value) => {
                    let (places, value) = (frame.places(place), frame.expr(value));
                    store(&mut state, &places, &value);
                }
                Initialiser::Input(input) => {
                    let places = frame.places(&input.place);
                    let bounds = match &input.source {
                        InputSource::Range(low, high) => Some((frame.expr(low), frame.expr(high))),
                        _ => None,
                    };
                    for (offset, range) in frame.ranges(&input.place).into_iter().enumerate() {
                        let value = Expr::Variable(Var(ranges.len() as u32));
                        ranges.push(range);
                        if let Some((low, high)) = &bounds {
                            let at_most = kleene_domains::CompareOp::LessEqual;
                            when.push(Cond::Compare(at_most, low.clone(), value.clone()));
                            when.push(Cond::Compare(at_most, value.clone(), high.clone()));
                        }
                        let places: Vec<_> =
                            places.iter().map(|(cond, slot)| (cond.clone(), slot + offset)).collect();
                        store(&mut state, &places, &value);
                    }
                }
            }
        }
        let entry = At::Location(program.entry_function().entry.index());
        if let Some(assume) = &self.question.assume {
            let assume = self.slots.predicate(assume, 0, &entry);
            when.push(assume.map(&mut |var| state[var.0 as usize].clone()));
        }
        let range = |var: Var| ranges.get(var.0 as usize).cloned().unwrap_or_else(Interval::top);
        let typed = state.iter().zip(&root.types).filter(|(value, ty)| !interval(value, &range).leq(ty));
        let typed = typed.flat_map(|(value, ty)| within(value, ty)).fold(Cond::Literal(true), Cond::and);
        for cell in &self.written.initial {
            let facts = self.cells[*cell].facts.iter().map(|fact| fact.condition(&state));
            when.push(facts.fold(typed.clone(), Cond::and).negated());
        }
        let known = Known { range: &range, facts: &[] };
        self.asker
            .impossible(&known, &when)
            .map_err(|doubt| doubt.about("an initial state is in no initial cell"))
    }

    /// What is known of the slots of a cell and of the variables of a step.
    fn range(&self, cell: usize, fresh: &[Interval], var: Var) -> Interval {
        let own = &self.cells[cell];
        let types = &self.slots.contexts[own.context].types;
        match types.get(var.0 as usize) {
            Some(ty) => own.range(var.0).meet(ty).unwrap_or_else(|| ty.clone()),
            None => fresh.get(var.0 as usize - types.len()).cloned().unwrap_or_else(Interval::top),
        }
    }

    /// The conditions hold in no state of the cell.
    pub fn impossible(&self, cell: usize, fresh: &[Interval], conds: &[Cond]) -> Checked<()> {
        let before = self.slots.contexts[self.cells[cell].context].before();
        let facts: Vec<Cond> = self.cells[cell].facts.iter().map(|fact| fact.condition(&before)).collect();
        let range = |var: Var| self.range(cell, fresh, var);
        self.asker.impossible(&Known { range: &range, facts: &facts }, conds)
    }

    /// A predicate has a value, and this one, in every state of the cell.
    pub fn decides(&self, cell: usize, predicate: &crate::property::Predicate, value: bool) -> Checked<()> {
        let own = &self.cells[cell];
        let cond = self.slots.predicate(predicate, own.context, &own.at);
        let otherwise = if value { cond.clone().negated() } else { cond.clone() };
        self.impossible(cell, &[], &[otherwise])?;
        self.impossible(cell, &[], &[undefined(&cond)])
    }

    /// The successors of a cell: of one of its must edges, or all.
    pub fn successors(&self, cell: usize, must: Option<usize>) -> Checked<&[usize]> {
        let own = &self.cells[cell];
        let targets = match must {
            Some(index) => own.must.get(index).map(|must| must.to.as_slice()),
            None => own.may.as_deref(),
        };
        let Some(targets) = targets else { return wrong(format!("cell {cell} has no such edge")) };
        if !self.accepted.borrow().contains_key(&(cell, must)) {
            let draws = self.accept(cell, must, targets)?;
            self.accepted.borrow_mut().insert((cell, must), draws);
        }
        Ok(targets)
    }

    /// The steps that an accepted edge stands for.
    pub fn steps(&self, cell: usize, must: Option<usize>) -> Checked<Steps> {
        let own = &self.cells[cell];
        let draws = self.accepted.borrow().get(&(cell, must)).cloned().flatten();
        Steps::of(&self.slots, &self.cells, (own.context, &own.at), draws.as_deref())
    }

    fn accept(&self, cell: usize, must: Option<usize>, targets: &[usize]) -> Checked<Option<Vec<Drawn>>> {
        let own = &self.cells[cell];
        let attempts = must.map(|must| own.must[must].draws.as_slice()).unwrap_or_default();
        let mut doubts = Vec::new();
        for attempt in attempts {
            match self.covers_drawing(cell, attempt, targets) {
                Ok(()) => return Ok(Some(attempt.clone())),
                Err(doubt) => doubts.push(doubt),
            }
        }
        // Whatever is drawn: some step there is.
        let steps = Steps::of(&self.slots, &self.cells, (own.context, &own.at), None)?;
        let all = self.covers(cell, &steps, targets).map(|()| None);
        let unsure = |doubt: &Doubt| matches!(doubt, Doubt::Open(_));
        all.map_err(|doubt| doubts.into_iter().find(unsure).unwrap_or(doubt))
    }

    fn covers_drawing(&self, cell: usize, draws: &[Drawn], targets: &[usize]) -> Checked<()> {
        let own = &self.cells[cell];
        let steps = Steps::of(&self.slots, &self.cells, (own.context, &own.at), Some(draws))?;
        for allowed in &steps.allowed {
            let refused = self.impossible(cell, &steps.fresh, &[allowed.clone().negated()]);
            refused.map_err(|doubt| doubt.about(&format!("cell {cell}: a value cannot always be drawn")))?;
        }
        self.covers(cell, &steps, targets)
    }

    /// Every step from the cell arrives in one of the targets.
    fn covers(&self, cell: usize, steps: &Steps, targets: &[usize]) -> Checked<()> {
        steps.list.iter().try_for_each(|step| {
            let covered = self.arrives(cell, steps, step, targets);
            covered.map_err(|doubt| doubt.about(&format!("cell {cell}: a step is not covered")))
        })
    }

    fn arrives(&self, cell: usize, steps: &Steps, step: &Step, targets: &[usize]) -> Checked<()> {
        let range = |var: Var| self.range(cell, &steps.fresh, var);
        let mut conds: Vec<Cond> = step.when.iter().map(|cond| simple(cond, &range)).collect();
        if conds.iter().any(|cond| *cond == Cond::Literal(false)) {
            return Ok(());
        }
        if let Some((context, at)) = &step.to {
            let after: Vec<Expr> = step.after.iter().map(|expr| simple_expr(expr, &range)).collect();
            for to in targets.iter().filter(|to| self.cells[**to].stands_at(*context, at)) {
                let left = self.unsaid(cell, &range, &after, *to);
                if left.is_empty() {
                    return Ok(());
                }
                conds.push(left.into_iter().fold(Cond::Literal(true), Cond::and).negated());
            }
        }
        self.impossible(cell, &steps.fresh, &conds)
    }

    /// What has to be shown for a state after a step to lie in a cell: its facts and the types of what has
    /// changed, without what is plain.
    fn unsaid(&self, from: usize, range: &dyn Fn(Var) -> Interval, after: &[Expr], to: usize) -> Vec<Cond> {
        let own = self.slots.contexts[self.cells[from].context].slots();
        let unchanged =
            |slot: u32| (slot as usize) < own && after[slot as usize] == Expr::Variable(Var(slot));
        let said = |fact: &&Fact| {
            let facts = &self.cells[from].facts;
            fact.slots().into_iter().all(unchanged) && facts.iter().any(|own| own.says(fact))
        };
        let target = &self.cells[to];
        let mut left: Vec<Cond> =
            target.facts.iter().filter(|fact| !said(fact)).map(|fact| fact.condition(after)).collect();
        for (slot, ty) in self.slots.contexts[target.context].types.iter().enumerate() {
            let value = &after[slot];
            if !unchanged(slot as u32) && !ty.is_top() && !interval(value, range).leq(ty) {
                left.extend(within(value, ty));
            }
        }
        left.iter_mut().for_each(|cond| *cond = simple(cond, range));
        left.retain(|cond| *cond != Cond::Literal(true));
        left
    }
}

/// The states of a run in which the calls were made that have not returned at its end, outermost first.
fn pending_calls(states: &[State]) -> Vec<usize> {
    let mut depth = states.last().map_or(0, |state| state.frames.len());
    let mut calls = Vec::new();
    for (at, state) in states.iter().enumerate().rev() {
        if state.frames.len() < depth {
            depth = state.frames.len();
            calls.push(at);
        }
    }
    calls.reverse();
    calls
}

impl Doubt {
    pub(super) fn of_cell(self, cell: usize, what: &str) -> Self {
        self.about(&format!("cell {cell}: {what}"))
    }

    fn about(self, what: &str) -> Self {
        match self {
            Self::Wrong(reason) => Self::Wrong(format!("{what} ({reason})")),
            Self::Open(reason) => Self::Open(format!("{what} ({reason})")),
        }
    }
}
