//! From locations of a program to what is done there: places become addresses, rows of copies become one copy.

use kleene_domains::Int;
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

use super::super::{is_for_beginnings, may_undo};
use super::cells::is_odd;
use super::code::{Address, Code, Indexed, Test};
use crate::ir::layout::Layout;
use crate::ir::{
    Cond, Effect, Expr, FailKind, FunctionId, Initialiser, Input, InputSource, LocationId, Place, Program,
    Projection, StepKind, Type, VariableId,
};

/// What comes before the first step.
#[derive(Debug)]
pub enum Initial<'p> {
    Assign(Target<'p>, Value<'p>),
    Draw(Draw<'p>),
}

/// What is done at a location.
#[derive(Debug)]
pub struct Step<'p> {
    pub is_exit: bool,
    /// Where a function begins that asks about what it is given.
    pub begins: bool,
    /// What was drawn may have to be put back.
    pub may_undo: bool,
    pub draws: Vec<Draw<'p>>,
    pub ways: Vec<Way<'p>>,
}

#[derive(Debug)]
pub struct Draw<'p> {
    pub input: &'p Input,
    pub to: Target<'p>,
    pub scalars: Vec<Scalar<'p>>,
    /// Only keeps runs from beginning here.
    pub is_passed: bool,
    /// The bounds of a range, or an index into a table.
    pub of: Vec<Value<'p>>,
}

/// A type of one slot, and its bounds.
#[derive(Debug)]
pub struct Scalar<'p> {
    pub ty: &'p Type,
    pub low: Option<Int>,
    pub high: Option<Int>,
}

impl<'p> Scalar<'p> {
    fn of(ty: &'p Type) -> Self {
        let range = ty.range();
        Self { ty, low: range.low().finite().cloned(), high: range.high().finite().cloned() }
    }
}

#[derive(Debug)]
pub struct Way<'p> {
    pub edge: EdgeIndex<u32>,
    pub target: LocationId,
    pub is_for_beginnings: bool,
    pub test: Test,
    pub guard: &'p Cond,
    pub action: Action<'p>,
}

#[derive(Debug)]
pub enum Action<'p> {
    Assign(Moves<'p>),
    Call { function: FunctionId, frame: usize, entry: LocationId, arguments: Moves<'p> },
    Return(Option<Value<'p>>),
    Fail(FailKind),
    Discard,
    Stop,
}

/// What is stored together.
#[derive(Debug)]
pub struct Moves<'p> {
    pub list: Vec<Move<'p>>,
    /// Nothing is written that is read later.
    pub in_order: bool,
}

#[derive(Debug)]
pub enum Move<'p> {
    Copy { from: Address, to: Address, count: u32 },
    Store { to: Target<'p>, value: Value<'p> },
}

#[derive(Debug)]
pub struct Value<'p> {
    pub code: Code,
    pub source: &'p Expr,
}

#[derive(Debug)]
pub struct Target<'p> {
    pub at: At,
    pub place: Option<&'p Place>,
}

#[derive(Debug)]
pub enum At {
    Slot(Address),
    Element(Box<Indexed>),
    /// Left to the layout.
    Place,
}

/// Builds what is in one function.
pub struct Builder<'b, 'p> {
    pub program: &'p Program,
    pub layout: &'b Layout,
    pub function: FunctionId,
}

impl<'p> Builder<'_, 'p> {
    pub fn initial(&self) -> Vec<Initial<'p>> {
        let initial = self.program.initialisers.iter().map(|initialiser| match initialiser {
            Initialiser::Assign(place, value) => Initial::Assign(self.target(place), self.value(value)),
            Initialiser::Input(input) => Initial::Draw(self.draw(input, false)),
        });
        initial.collect()
    }

    pub fn step(&self, location: LocationId) -> Step<'p> {
        let function = self.program.function(self.function);
        let here = &function.graph[location];
        let begins = here.what == StepKind::Begin;
        let ways = function.graph.edges(location).map(|edge| Way {
            edge: edge.id(),
            target: edge.target(),
            is_for_beginnings: begins && is_for_beginnings(function, edge),
            test: self.test(&edge.weight().guard),
            guard: &edge.weight().guard,
            action: self.action(&edge.weight().effect),
        });
        Step {
            is_exit: location == function.exit,
            begins,
            may_undo: !here.inputs.is_empty() && may_undo(function, location),
            draws: here.inputs.iter().map(|input| self.draw(input, begins)).collect(),
            ways: ways.collect(),
        }
    }

    fn draw(&self, input: &'p Input, begins: bool) -> Draw<'p> {
        let ty = self.program.place_type(self.function, &input.place);
        let of = match &input.source {
            InputSource::Range(low, high) => vec![self.value(low), self.value(high)],
            InputSource::Looked(_, index) => vec![self.value(index)],
            InputSource::Type | InputSource::Unknown | InputSource::Unseen => Vec::new(),
        };
        let is_passed =
            begins && matches!(input.source, InputSource::Unknown) && matches!(ty, Type::Below(1));
        let scalars = ty.scalars().into_iter().map(Scalar::of).collect();
        Draw { input, to: self.target(&input.place), scalars, is_passed, of }
    }

    fn action(&self, effect: &'p Effect) -> Action<'p> {
        match effect {
            Effect::Assign(assignments) => {
                let stores = assignments.iter().map(|(place, value)| (self.target(place), value));
                Action::Assign(self.moves(stores.collect(), true))
            }
            Effect::Call { function, arguments, .. } => {
                let parameter = |index: usize| {
                    let slot = self.layout.first_slot(*function, VariableId::Local(index as u32));
                    Target { at: At::Slot(Address::Local(slot)), place: None }
                };
                let stores = arguments.iter().enumerate().map(|(index, value)| (parameter(index), value));
                Action::Call {
                    function: *function,
                    frame: self.layout.frame(*function) as usize,
                    entry: self.program.function(*function).entry,
                    // What is written is a frame of its own.
                    arguments: self.moves(stores.collect(), false),
                }
            }
            Effect::Return(value) => Action::Return(value.as_ref().map(|value| self.value(value))),
            Effect::Fail(kind) => Action::Fail(*kind),
            Effect::Discard => Action::Discard,
            Effect::Stop => Action::Stop,
        }
    }

    fn moves(&self, stores: Vec<(Target<'p>, &'p Expr)>, same_frame: bool) -> Moves<'p> {
        let mut list: Vec<Move<'p>> = Vec::new();
        for (to, source) in stores {
            let value = self.value(source);
            let (&At::Slot(to), Code::Slot(from)) = (&to.at, &value.code) else {
                list.push(Move::Store { to, value });
                continue;
            };
            match list.last_mut() {
                Some(Move::Copy { from: first, to: into, count })
                    if first.plus(*count) == *from && into.plus(*count) == to =>
                {
                    *count += 1
                }
                _ => list.push(Move::Copy { from: *from, to, count: 1 }),
            }
        }
        let in_order = list.len() < 2 || !same_frame || is_in_order(&list);
        Moves { list, in_order }
    }

    fn value(&self, source: &'p Expr) -> Value<'p> {
        Value { code: self.code(source), source }
    }

    pub fn target(&self, place: &'p Place) -> Target<'p> {
        Target { at: self.at(place), place: Some(place) }
    }

    fn at(&self, place: &Place) -> At {
        let address = |slot: u32| match place.variable {
            VariableId::Global(_) => Address::Global(slot),
            VariableId::Local(_) => Address::Local(slot),
        };
        let whole = &self.program.variable(self.function, place.variable).ty;
        let first = self.layout.first_slot(self.function, place.variable);
        let (mut slot, mut ty, mut indices) = (first, whole, Vec::new());
        for projection in &place.path {
            match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => {
                    slot += fields[..*field as usize].iter().map(|(_, ty)| ty.slots() as u32).sum::<u32>();
                    ty = &fields[*field as usize].1;
                }
                (Projection::Element(at), Type::Array(element, length)) => {
                    let slots = element.slots() as u32;
                    match self.code(at) {
                        Code::Constant(at) if (0..i128::from(*length)).contains(&at) => {
                            slot += at as u32 * slots
                        }
                        index => indices.push((index, *length, slots)),
                    }
                    ty = element;
                }
                _ => return At::Place,
            }
        }
        if indices.is_empty() {
            return At::Slot(address(slot));
        }
        let whole = (address(first), whole.slots() as u32);
        At::Element(Box::new(Indexed { first: address(slot), whole, indices }))
    }

    fn code(&self, expr: &Expr) -> Code {
        match expr {
            Expr::Constant(value) => {
                value.to_i128().filter(|value| !is_odd(*value)).map_or(Code::Nothing, Code::Constant)
            }
            Expr::Variable(place) => match self.at(place) {
                At::Slot(address) => Code::Slot(address),
                At::Element(indexed) => Code::Element(indexed),
                At::Place => Code::Nothing,
            },
            Expr::Any(_) => Code::Nothing,
            Expr::Negate(inner) => Code::Negate(Box::new(self.code(inner))),
            Expr::Unary(op, inner) => Code::Unary(*op, Box::new(self.code(inner))),
            Expr::Binary(op, left, right) => Code::Binary(*op, Box::new([self.code(left), self.code(right)])),
            Expr::Wrap(ty, inner) => Code::Wrap(*ty, Box::new(self.code(inner))),
            Expr::IfThenElse(cond, yes, no) => {
                Code::IfThenElse(Box::new((self.test(cond), self.code(yes), self.code(no))))
            }
        }
    }

    fn test(&self, cond: &Cond) -> Test {
        match cond {
            Cond::Literal(value) => Test::Literal(*value),
            Cond::Compare(op, left, right) => Test::Compare(*op, self.code(left), self.code(right)),
            Cond::Not(inner) => Test::Not(Box::new(self.test(inner))),
            Cond::And(left, right) => Test::And(Box::new([self.test(left), self.test(right)])),
            Cond::Or(left, right) => Test::Or(Box::new([self.test(left), self.test(right)])),
        }
    }
}

/// Slots in a row.
type Row = (Address, u32);

/// Whether no move reads what one before it wrote. Only what is written to fixed slots is looked through.
fn is_in_order(list: &[Move<'_>]) -> bool {
    let mut written: Vec<Row> = Vec::new();
    for one in list {
        match one {
            Move::Copy { to, count, .. } => written.push((*to, *count)),
            Move::Store { to: Target { at: At::Slot(to), .. }, .. } => written.push((*to, 1)),
            Move::Store { to: Target { at: At::Element(_) | At::Place, .. }, .. } => return false,
        }
    }
    written.sort_unstable();
    let is_written = |(from, count): Row| {
        let behind = written.partition_point(|(to, _)| *to < from.plus(count));
        // Rows do not overlap, as nothing is written twice.
        written[..behind].last().is_some_and(|(to, length)| to.plus(*length) > from && is_alike(*to, from))
    };
    let mut once = written
        .windows(2)
        .all(|pair| pair[0].0.plus(pair[0].1) <= pair[1].0 || !is_alike(pair[0].0, pair[1].0));
    for one in list {
        match one {
            Move::Copy { from, count, .. } => once &= !is_written((*from, *count)),
            Move::Store { value, .. } => read_by(&value.code, &mut |row| once &= !is_written(row)),
        }
    }
    once
}

fn is_alike(left: Address, right: Address) -> bool {
    matches!(left, Address::Global(_)) == matches!(right, Address::Global(_))
}

fn read_by(code: &Code, visit: &mut dyn FnMut(Row)) {
    match code {
        Code::Constant(_) => {}
        // Whatever the expression reads.
        Code::Nothing => {
            [Address::Global(0), Address::Local(0)].into_iter().for_each(|all| visit((all, u32::MAX)))
        }
        Code::Slot(address) => visit((*address, 1)),
        Code::Element(indexed) => {
            visit(indexed.whole);
            indexed.indices.iter().for_each(|(index, ..)| read_by(index, visit));
        }
        Code::Negate(inner) | Code::Unary(_, inner) | Code::Wrap(_, inner) => read_by(inner, visit),
        Code::Binary(_, operands) => operands.iter().for_each(|operand| read_by(operand, visit)),
        Code::IfThenElse(parts) => {
            read_by_test(&parts.0, visit);
            read_by(&parts.1, visit);
            read_by(&parts.2, visit);
        }
    }
}

fn read_by_test(test: &Test, visit: &mut dyn FnMut(Row)) {
    match test {
        Test::Literal(_) => {}
        Test::Compare(_, left, right) => {
            read_by(left, visit);
            read_by(right, visit);
        }
        Test::Not(inner) => read_by_test(inner, visit),
        Test::And(sides) | Test::Or(sides) => sides.iter().for_each(|side| read_by_test(side, visit)),
    }
}
