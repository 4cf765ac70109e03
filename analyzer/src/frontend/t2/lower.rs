//! Blocks to the intermediate representation.
//!
//! A location of the file is a location of the graph, its blocks are the edges. Variables are
//! globals without initialisers. Where no block is enabled, the run has ended: the location says so
//! and has a loop there. Values are drawn into temporaries, which locations share.

use kleene_domains::expr::BinaryOp;
use kleene_domains::int::Int;
use rustc_hash::FxHashMap;

use super::super::arith;
use super::super::build::{Exit, FunctionBuilder, Pending, Point};
use super::ast::{Block, Command, Name, Node, NodeKind, Unit};
use super::block::{self, Outcome, Variables};
use super::choice::Choices;
use super::forms::Forms;
use super::solve::{self, Alternative, Draw, Unsolved};
use crate::ir::{
    Cond, Effect, Expr, FailKind, FunctionId, Input, InputSource, Place, Program, StepKind, Type, Variable,
    VariableId, VariableKind,
};
use crate::source::{Diagnostic, Span};

/// Guards of one location may not grow beyond this many nodes.
const GUARD_LIMIT: usize = 400_000;

/// A location of the file and the blocks that leave it.
struct Site<'u, 'a> {
    name: Name<'a>,
    blocks: Vec<&'u Block<'a>>,
}

/// The program, unless a block has a mistake. Mistakes are in `diagnostics`.
pub fn lower(unit: &Unit<'_>, start: Name<'_>, end: Span, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let mut variables = Variables::default();
    let mut globals = Vec::new();
    for block in &unit.blocks {
        name_variables(block, &mut variables, &mut globals);
    }
    let (locations, numbers) = locations(unit, start);
    let mut builder = FunctionBuilder::new("main", start.span);
    let mut points = vec![builder.current];
    points.extend((1..locations.len()).map(|_| builder.point()));
    let mut lowerer = Lowerer { variables, builder, numbers, points, pool: Pool::default(), diagnostics };
    for (index, location) in locations.iter().enumerate() {
        lowerer.location(index, location);
    }
    let function = lowerer.builder.finish(end);
    Program { globals, functions: vec![function], entry: FunctionId(0), initialisers: Vec::new() }
}

fn name_variables<'a>(block: &Block<'a>, variables: &mut Variables<'a>, globals: &mut Vec<Variable>) {
    let mut add = |name: &'a str, span: Span| {
        variables.entry(name).or_insert_with(|| {
            globals.push(Variable { name: name.into(), ty: Type::Integer, kind: VariableKind::Global, span });
            globals.len() as u32 - 1
        });
    };
    for command in &block.commands {
        match command {
            Command::Assume(condition) => variables_of(condition, &mut add),
            Command::Assign(target, value) => {
                add(target.text, target.span);
                variables_of(value, &mut add);
            }
        }
    }
}

fn variables_of<'a>(node: &Node<'a>, add: &mut impl FnMut(&'a str, Span)) {
    match &node.kind {
        NodeKind::Number(_) | NodeKind::Nondet | NodeKind::Literal(_) => {}
        NodeKind::Variable(name) => add(name, node.span),
        NodeKind::Negate(inner) | NodeKind::Not(inner) => variables_of(inner, add),
        NodeKind::Arithmetic(_, left, right) | NodeKind::Compare(_, left, right) => {
            variables_of(left, add);
            variables_of(right, add);
        }
        NodeKind::And(parts) | NodeKind::Or(parts) => {
            parts.iter().for_each(|part| variables_of(part, &mut *add));
        }
    }
}

type Locations<'u, 'a> = (Vec<Site<'u, 'a>>, FxHashMap<&'a str, usize>);

/// The start first, then in the order of the text.
fn locations<'u, 'a>(unit: &'u Unit<'a>, start: Name<'a>) -> Locations<'u, 'a> {
    let mut list: Vec<Site<'u, 'a>> = Vec::new();
    let mut numbers = FxHashMap::default();
    let mut number = |name: Name<'a>, list: &mut Vec<Site<'u, 'a>>| -> usize {
        *numbers.entry(name.text).or_insert_with(|| {
            list.push(Site { name, blocks: Vec::new() });
            list.len() - 1
        })
    };
    number(start, &mut list);
    for block in &unit.blocks {
        let from = number(block.from, &mut list);
        list[from].blocks.push(block);
        number(block.to, &mut list);
    }
    (list, numbers)
}

struct Lowerer<'a, 'd> {
    variables: Variables<'a>,
    builder: FunctionBuilder,
    numbers: FxHashMap<&'a str, usize>,
    points: Vec<Point>,
    pool: Pool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

/// Temporaries by type; a location takes them in order.
#[derive(Default)]
struct Pool {
    integers: Vec<Place>,
    naturals: Vec<Place>,
}

/// The inputs of a location under construction.
#[derive(Default)]
struct Inputs {
    list: Vec<Input>,
    integers: usize,
    naturals: usize,
}

/// An alternative with what it takes to make an edge of it.
struct Way {
    alternative: Alternative,
    target: Point,
    span: Span,
}

impl Lowerer<'_, '_> {
    fn location(&mut self, index: usize, location: &Site<'_, '_>) {
        let point = self.points[index];
        self.builder.current = point;
        self.builder.label(location.name.text);
        let span = location.blocks.first().map_or(location.name.span, |block| block.span);
        let mut forms = Forms::default();
        let mut ways = Vec::new();
        for block in &location.blocks {
            self.ways(block, &mut forms, &mut ways);
        }
        let enabled: Vec<Cond> = ways.iter().map(|way| way.alternative.enabled.clone()).collect();
        let choices = Choices::of(&enabled, &mut forms);
        if choices.size(&enabled, GUARD_LIMIT) > GUARD_LIMIT {
            let message = "too many blocks leave this location under conditions that overlap";
            self.diagnostics.push(Diagnostic::error(span, message));
            return;
        }
        let mut inputs = Inputs::default();
        let drawn = (choices.count > 1).then(|| {
            let last = Expr::constant(choices.count as i64 - 1);
            self.ranged(&mut inputs, Expr::constant(0), last, &[], span)
        });
        let what = kind(&ways, &choices);
        let mut exits = Vec::with_capacity(ways.len() + 1);
        for (index, way) in ways.into_iter().enumerate() {
            let guard = choices.guard(index, &enabled, drawn.as_ref());
            let taken = drawn.iter().cloned().collect();
            let effect = self.effect(way.alternative, &mut inputs, taken, way.span);
            let target = if matches!(effect, Effect::Fail(_)) { FunctionBuilder::EXIT } else { way.target };
            exits.push(Exit { guard, effect, target, span: way.span });
        }
        if choices.none != Cond::Literal(false) {
            exits.push(Exit { guard: choices.none.clone(), effect: Effect::SKIP, target: point, span });
        }
        let mut pending = Pending::default();
        pending.inputs = inputs.list;
        self.builder.step(what, span, pending, exits);
        self.builder.ends_where(choices.none);
    }

    fn ways(&mut self, block: &Block<'_>, forms: &mut Forms, ways: &mut Vec<Way>) {
        let drafts = match block::execute(block, &self.variables, forms) {
            Ok(drafts) => drafts,
            Err(mistake) => {
                self.diagnostics.push(Diagnostic::error(mistake.span, mistake.message));
                return;
            }
        };
        let target = self.points[self.numbers[block.to.text]];
        for draft in &drafts {
            let span = match &draft.outcome {
                Outcome::DivisionByZero(span) => *span,
                Outcome::Assign(_) => block.span,
            };
            match solve::solve(draft, forms) {
                Ok(found) => {
                    found.into_iter().for_each(|new| add_way(ways, Way { alternative: new, target, span }));
                }
                Err(why) => {
                    self.diagnostics.push(unsolved(why, draft.place));
                    return;
                }
            }
        }
    }

    /// Draws into places that are not `own` already.
    fn effect(
        &mut self,
        alternative: Alternative,
        inputs: &mut Inputs,
        mut own: Vec<Place>,
        span: Span,
    ) -> Effect {
        let Outcome::Assign(writes) = alternative.outcome else {
            return Effect::Fail(FailKind::DivisionByZero);
        };
        let mut values: FxHashMap<u32, Expr> = FxHashMap::default();
        for (number, draw) in alternative.draws {
            let bound = |expr: &Expr| substituted(expr, &values);
            let (place, value) = match draw {
                Draw::Any => self.free(inputs, Type::Integer, &own, span, |drawn| drawn),
                Draw::AtLeast(low) => {
                    let low = bound(&low);
                    self.free(inputs, Type::Natural, &own, span, |drawn| add(low, drawn))
                }
                Draw::AtMost(high) => {
                    let high = bound(&high);
                    self.free(inputs, Type::Natural, &own, span, |drawn| {
                        arith::binary(BinaryOp::Sub, high, drawn)
                    })
                }
                Draw::Between(low, high) => {
                    let (low, high) = (bound(&low), bound(&high));
                    self.between(inputs, low, high, &own, span)
                }
            };
            own.push(place);
            values.insert(number, value);
        }
        let write = |(variable, value): (u32, Expr)| {
            (Place::variable(VariableId::Global(variable)), substituted(&value, &values))
        };
        Effect::Assign(writes.into_iter().map(write).collect())
    }

    /// Any value of a type, made into what is wanted. Blocks may share a place that is not their `own` yet.
    fn free(
        &mut self,
        inputs: &mut Inputs,
        ty: Type,
        own: &[Place],
        span: Span,
        made: impl FnOnce(Expr) -> Expr,
    ) -> (Place, Expr) {
        let of_type = |input: &&Input| {
            let pool = if ty == Type::Natural { &self.pool.naturals } else { &self.pool.integers };
            matches!(input.source, InputSource::Type) && pool.contains(&input.place)
        };
        let known = inputs.list.iter().filter(of_type).find(|input| !own.contains(&input.place));
        let place = match known.map(|input| input.place.clone()) {
            Some(place) => place,
            None => self.input(inputs, ty, InputSource::Type, span),
        };
        (place.clone(), made(arith::read(place)))
    }

    /// Inputs are drawn whether or not their block is enabled, so the range must never be empty.
    fn between(
        &mut self,
        inputs: &mut Inputs,
        low: Expr,
        high: Expr,
        own: &[Place],
        span: Span,
    ) -> (Place, Expr) {
        if let (Some(from), Some(to)) = (arith::as_constant(&low), arith::as_constant(&high))
            && from <= to
        {
            let place = self.ranged(inputs, low, high, own, span);
            return (place.clone(), arith::read(place));
        }
        let width = arith::binary(BinaryOp::Sub, high, low.clone());
        let mut forms = Forms::default();
        let width = match forms.of(&width).as_ref().and_then(|form| form.as_constant()) {
            Some(width) => Expr::Constant(width.clone().max(Int::ZERO)),
            None => arith::binary(BinaryOp::Max, Expr::constant(0), width),
        };
        let place = self.ranged(inputs, Expr::constant(0), width, own, span);
        (place.clone(), add(low, arith::read(place)))
    }

    fn ranged(&mut self, inputs: &mut Inputs, low: Expr, high: Expr, own: &[Place], span: Span) -> Place {
        let same = |input: &&Input| match &input.source {
            InputSource::Range(from, to) => *from == low && *to == high && !own.contains(&input.place),
            _ => false,
        };
        match inputs.list.iter().find(same) {
            Some(known) => known.place.clone(),
            None => self.input(inputs, Type::Integer, InputSource::Range(low, high), span),
        }
    }

    fn input(&mut self, inputs: &mut Inputs, ty: Type, source: InputSource, span: Span) -> Place {
        let (pool, used) = match ty {
            Type::Natural => (&mut self.pool.naturals, &mut inputs.naturals),
            _ => (&mut self.pool.integers, &mut inputs.integers),
        };
        if *used == pool.len() {
            pool.push(self.builder.temporary(ty, span));
        }
        let place = pool[*used].clone();
        *used += 1;
        inputs.list.push(Input { place: place.clone(), source, span });
        place
    }
}

/// Blocks that do the same are one edge.
fn add_way(ways: &mut Vec<Way>, new: Way) {
    let same = ways.iter_mut().find(|way| {
        way.target == new.target
            && way.alternative.draws == new.alternative.draws
            && way.alternative.outcome == new.alternative.outcome
    });
    match same {
        Some(way) => {
            let enabled = std::mem::replace(&mut way.alternative.enabled, Cond::Literal(false));
            way.alternative.enabled = enabled.or(new.alternative.enabled);
        }
        None => ways.push(new),
    }
}

fn kind(ways: &[Way], choices: &Choices) -> StepKind {
    match ways {
        [] => StepKind::End,
        [way] if choices.none == Cond::Literal(false) => match &way.alternative.outcome {
            Outcome::Assign(writes) if writes.is_empty() => StepKind::Skip,
            Outcome::Assign(_) if !way.alternative.draws.is_empty() => StepKind::Input,
            _ => StepKind::Assignment,
        },
        _ => StepKind::Condition,
    }
}

fn add(left: Expr, right: Expr) -> Expr {
    match arith::as_constant(&left) {
        Some(zero) if zero.is_zero() => right,
        _ => arith::binary(BinaryOp::Add, left, right),
    }
}

/// Drawn values replaced by what they are drawn into.
fn substituted(expr: &Expr, values: &FxHashMap<u32, Expr>) -> Expr {
    expr.map(&mut |place: &Place| match place.variable {
        VariableId::Local(number) => {
            values.get(&number).cloned().unwrap_or_else(|| arith::read(place.clone()))
        }
        VariableId::Global(_) => arith::read(place.clone()),
    })
}

fn unsolved(why: Unsolved, span: Span) -> Diagnostic {
    let (why, help) = match why {
        Unsolved::NotLinear => (
            "it is not linear in the value, or its factors do not allow an exact answer",
            "compare the value itself, or a sum in which it has the factor 1",
        ),
        Unsolved::TooManyCases => ("it has too many cases", "split the block"),
    };
    let message = format!("a `nondet()` value stands under a condition that cannot be solved exactly: {why}");
    Diagnostic::error(span, message).with_help(help)
}
