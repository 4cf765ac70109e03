//! From the syntax tree to single steps: what one step is, written down once more.
//!
//! One instruction is one step of the contract: an assignment, declaration, whole condition, assert,
//! assume, call, return or effectless statement. Blocks, labels, empty statements, `break` and
//! `continue` are none: they only decide where the step before them leads. Statements are compiled from
//! the last to the first, so that "what comes next" is always known.

use rustc_hash::FxHashMap;

use crate::program::{Cond, Expr, Function, Name, Program, Stmt};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailKind {
    Assertion,
    DivisionByZero,
    Index,
    EmptyRange,
}

impl FailKind {
    pub const ALL: [FailKind; 4] =
        [FailKind::Assertion, FailKind::DivisionByZero, FailKind::Index, FailKind::EmptyRange];

    pub fn name(self) -> &'static str {
        match self {
            FailKind::Assertion => "assertion",
            FailKind::DivisionByZero => "division_by_zero",
            FailKind::Index => "index",
            FailKind::EmptyRange => "empty_range",
        }
    }
}

/// Where control is. Everything but `At` loops on itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    At(u32),
    End,
    Fail(FailKind),
    Discarded,
}

/// A variable's place: the first cell and how many there are (more than one for arrays).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    pub local: bool,
    pub base: usize,
    pub length: usize,
}

#[derive(Clone, Debug)]
pub enum Instruction {
    Set {
        target: Slot,
        index: Option<Expr<Slot>>,
        value: Expr<Slot>,
        next: Point,
    },
    SetFlag {
        target: Slot,
        value: Cond<Slot>,
        next: Point,
    },
    Branch {
        test: Cond<Slot>,
        yes: Point,
        no: Point,
    },
    Call {
        function: usize,
        arguments: Vec<Expr<Slot>>,
        result: Option<Slot>,
        next: Point,
    },
    Return(Option<Expr<Slot>>),
    /// No effect, but the arguments of a `print` are evaluated.
    Skip {
        value: Option<Expr<Slot>>,
        tick: bool,
        next: Point,
    },
}

#[derive(Clone, Debug, Default)]
pub struct CompiledFunction {
    pub entry: Option<Point>,
    pub parameters: usize,
    /// Parameters, locals, temporaries.
    pub cells: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Compiled {
    pub instructions: Vec<Instruction>,
    pub functions: Vec<CompiledFunction>,
    pub main: usize,
    pub labels: FxHashMap<Name, Point>,
    pub globals: FxHashMap<Name, Slot>,
    pub global_cells: usize,
}

/// Refuses programs outside the language (the reducer proposes such).
pub fn compile(program: &Program) -> Result<Compiled, String> {
    crate::validate::validate(program)?;
    let mut unit = Unit { program, output: Compiled::default() };
    for global in &program.globals {
        let length = match &global.initial {
            crate::program::Initial::Elements(values) => values.len(),
            _ => 1,
        };
        let slot = Slot { local: false, base: unit.output.global_cells, length };
        unit.output.global_cells += length;
        unit.output.globals.insert(global.name.clone(), slot);
    }
    unit.output.main = program.functions.len() - 1;
    for (index, function) in program.functions.iter().enumerate() {
        let compiled = unit.function(function, index == unit.output.main)?;
        unit.output.functions.push(compiled);
    }
    Ok(unit.output)
}

struct Unit<'p> {
    program: &'p Program,
    output: Compiled,
}

/// The function being compiled: its cells so far and where `break` and `continue` lead.
struct Frame {
    cells: FxHashMap<Name, usize>,
    count: usize,
    loops: Vec<(Point, Point)>,
}

impl Frame {
    fn cell(&mut self, name: &str) -> Slot {
        let next = self.count;
        let base = *self.cells.entry(name.to_string()).or_insert(next);
        self.count = self.count.max(base + 1);
        Slot { local: true, base, length: 1 }
    }

    fn temporary(&mut self) -> Slot {
        self.count += 1;
        Slot { local: true, base: self.count - 1, length: 1 }
    }
}

/// A call taken out of an expression, to be executed before it.
struct Hoisted {
    function: Name,
    arguments: Vec<Expr<Slot>>,
    result: Slot,
}

impl Unit<'_> {
    fn emit(&mut self, instruction: Instruction) -> Point {
        self.output.instructions.push(instruction);
        Point::At(self.output.instructions.len() as u32 - 1)
    }

    fn function(&mut self, function: &Function, is_main: bool) -> Result<CompiledFunction, String> {
        let mut frame = Frame { cells: FxHashMap::default(), count: 0, loops: Vec::new() };
        for name in &function.parameters {
            frame.cell(name);
        }
        // Falling off the end of main arrives in the end state; elsewhere it is a return step.
        let exit = if is_main { Point::End } else { self.emit(Instruction::Return(None)) };
        let entry = self.block(&mut frame, &function.body, exit)?;
        Ok(CompiledFunction { entry: Some(entry), parameters: function.parameters.len(), cells: frame.count })
    }

    fn block(&mut self, frame: &mut Frame, block: &[Stmt], mut next: Point) -> Result<Point, String> {
        for stmt in block.iter().rev() {
            next = self.statement(frame, stmt, next)?;
        }
        Ok(next)
    }

    fn statement(&mut self, frame: &mut Frame, stmt: &Stmt, next: Point) -> Result<Point, String> {
        let mut calls = Vec::new();
        let instruction = match stmt {
            Stmt::Declare(name, value) | Stmt::Assign(name, value) => {
                let value = self.expr(frame, value, &mut calls)?;
                Instruction::Set { target: self.slot(frame, name), index: None, value, next }
            }
            Stmt::Update(name, op, value) => {
                let value = self.expr(frame, value, &mut calls)?;
                let target = self.slot(frame, name);
                let value = Expr::binary(*op, Expr::Var(target), value);
                Instruction::Set { target, index: None, value, next }
            }
            Stmt::AssignElement(name, index, value) => {
                let index = Some(self.expr(frame, index, &mut calls)?);
                let value = self.expr(frame, value, &mut calls)?;
                Instruction::Set { target: self.slot(frame, name), index, value, next }
            }
            Stmt::AssignFlag(name, value) => {
                let value = self.cond(frame, value)?;
                Instruction::SetFlag { target: self.slot(frame, name), value, next }
            }
            Stmt::Call(name, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.expr(frame, argument, &mut calls))
                    .collect::<Result<_, _>>()?;
                Instruction::Call { function: self.function_index(name)?, arguments, result: None, next }
            }
            Stmt::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(frame, value, &mut calls)).transpose()?;
                Instruction::Return(value)
            }
            Stmt::Print(value) => {
                let value = Some(self.expr(frame, value, &mut calls)?);
                Instruction::Skip { value, tick: false, next }
            }
            Stmt::Tick => Instruction::Skip { value: None, tick: true, next },
            Stmt::Assert(test) => {
                let no = Point::Fail(FailKind::Assertion);
                Instruction::Branch { test: self.cond(frame, test)?, yes: next, no }
            }
            Stmt::Assume(test) => {
                Instruction::Branch { test: self.cond(frame, test)?, yes: next, no: Point::Discarded }
            }
            Stmt::If(test, yes, no) => {
                let yes = self.block(frame, yes, next)?;
                let no = self.block(frame, no, next)?;
                Instruction::Branch { test: self.cond(frame, test)?, yes, no }
            }
            Stmt::While(test, body) => {
                let head = self.head(frame, test, next)?;
                let entry = self.in_loop(frame, body, head, (next, head))?;
                self.enter(head, entry);
                return Ok(head);
            }
            Stmt::Do(body, test) => {
                let head = self.head(frame, test, next)?;
                let entry = self.in_loop(frame, body, head, (next, head))?;
                self.enter(head, entry);
                return Ok(entry);
            }
            Stmt::For(name, first, test, step, body) => {
                let target = self.slot(frame, name);
                let head = self.head(frame, test, next)?;
                let value = self.expr(frame, step, &mut calls)?;
                let step = self.emit(Instruction::Set { target, index: None, value, next: head });
                let entry = self.in_loop(frame, body, step, (next, step))?;
                self.enter(head, entry);
                let value = self.expr(frame, first, &mut calls)?;
                if !calls.is_empty() {
                    return Err("a call in the head of a for".into());
                }
                Instruction::Set { target, index: None, value, next: head }
            }
            Stmt::Break => return Ok(frame.loops.last().ok_or("break outside a loop")?.0),
            Stmt::Continue => return Ok(frame.loops.last().ok_or("continue outside a loop")?.1),
            Stmt::Label(name) => {
                self.output.labels.insert(name.clone(), next);
                return Ok(next);
            }
            Stmt::Empty => return Ok(next),
            Stmt::Nested(body) => return self.block(frame, body, next),
        };
        let mut entry = self.emit(instruction);
        for call in calls.into_iter().rev() {
            let function = self.function_index(&call.function)?;
            let result = Some(call.result);
            entry = self.emit(Instruction::Call { function, arguments: call.arguments, result, next: entry });
        }
        Ok(entry)
    }

    /// A loop's condition; where it leads when it holds is filled in by `enter`.
    fn head(&mut self, frame: &mut Frame, test: &Cond, exit: Point) -> Result<Point, String> {
        let test = self.cond(frame, test)?;
        Ok(self.emit(Instruction::Branch { test, yes: exit, no: exit }))
    }

    fn enter(&mut self, head: Point, entry: Point) {
        let Point::At(index) = head else { unreachable!("a loop head is an instruction") };
        match &mut self.output.instructions[index as usize] {
            Instruction::Branch { yes, .. } => *yes = entry,
            other => unreachable!("a loop head is a branch, not {other:?}"),
        }
    }

    fn in_loop(
        &mut self,
        frame: &mut Frame,
        body: &[Stmt],
        next: Point,
        targets: (Point, Point),
    ) -> Result<Point, String> {
        frame.loops.push(targets);
        let entry = self.block(frame, body, next);
        frame.loops.pop();
        entry
    }

    fn slot(&self, frame: &mut Frame, name: &str) -> Slot {
        match self.output.globals.get(name) {
            Some(slot) => *slot,
            None => frame.cell(name),
        }
    }

    fn function_index(&self, name: &str) -> Result<usize, String> {
        let found = self.program.functions.iter().position(|function| function.name == name);
        found.ok_or_else(|| format!("no function {name}"))
    }

    fn expr(&self, frame: &mut Frame, value: &Expr, calls: &mut Vec<Hoisted>) -> Result<Expr<Slot>, String> {
        let mut boxed = |inner: &Expr| self.expr(frame, inner, calls).map(Box::new);
        Ok(match value {
            Expr::Const(number) => Expr::Const(*number),
            Expr::Any(reach) => Expr::Any(*reach),
            Expr::Truth(test) => Expr::Truth(Box::new(self.cond(frame, test)?)),
            Expr::Var(name) => Expr::Var(self.slot(frame, name)),
            Expr::Element(name, index) => {
                let index = boxed(index)?;
                Expr::Element(self.slot(frame, name), index)
            }
            Expr::Negate(inner) => Expr::Negate(boxed(inner)?),
            Expr::Binary(op, left, right) => {
                let left = boxed(left)?;
                Expr::Binary(*op, left, boxed(right)?)
            }
            Expr::Nondet(low, high) => {
                let low = boxed(low)?;
                Expr::Nondet(low, boxed(high)?)
            }
            Expr::Choose(test, yes, no) => {
                let test = Box::new(self.cond(frame, test)?);
                let before = calls.len();
                let yes = Box::new(self.expr(frame, yes, calls)?);
                let no = Box::new(self.expr(frame, no, calls)?);
                if calls.len() > before {
                    return Err("a call that may not be reached".into());
                }
                Expr::Choose(test, yes, no)
            }
            Expr::Call(function, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.expr(frame, argument, calls))
                    .collect::<Result<_, _>>()?;
                let result = frame.temporary();
                calls.push(Hoisted { function: function.clone(), arguments, result });
                Expr::Var(result)
            }
        })
    }

    fn cond(&self, frame: &mut Frame, value: &Cond) -> Result<Cond<Slot>, String> {
        let plain = |frame: &mut Frame, inner: &Expr| -> Result<Box<Expr<Slot>>, String> {
            let mut calls = Vec::new();
            let inner = self.expr(frame, inner, &mut calls)?;
            if calls.is_empty() { Ok(Box::new(inner)) } else { Err("a call in a condition".into()) }
        };
        Ok(match value {
            Cond::Const(constant) => Cond::Const(*constant),
            Cond::Flag(name) => Cond::Flag(self.slot(frame, name)),
            Cond::Compare(rel, left, right) => {
                let left = plain(frame, left)?;
                Cond::Compare(*rel, left, plain(frame, right)?)
            }
            Cond::Nonzero(inner) => Cond::Nonzero(plain(frame, inner)?),
            Cond::Not(inner) => Cond::not(self.cond(frame, inner)?),
            Cond::And(left, right) => Cond::and(self.cond(frame, left)?, self.cond(frame, right)?),
            Cond::Or(left, right) => Cond::or(self.cond(frame, left)?, self.cond(frame, right)?),
        })
    }
}

impl Compiled {
    /// Resolves a condition over globals: an atom, or the assumption on the initial state.
    pub fn global_cond(&self, cond: &Cond) -> Result<Cond<Slot>, String> {
        let program = Program { globals: Vec::new(), functions: Vec::new(), assume: None };
        let output = Compiled { globals: self.globals.clone(), ..Compiled::default() };
        let unit = Unit { program: &program, output };
        let mut frame = Frame { cells: FxHashMap::default(), count: 0, loops: Vec::new() };
        let resolved = unit.cond(&mut frame, cond)?;
        if frame.count == 0 { Ok(resolved) } else { Err("a name that is no global".into()) }
    }

    /// Resolves a global's initialiser.
    pub fn global_expr(&self, value: &Expr) -> Result<Expr<Slot>, String> {
        let test = self.global_cond(&Cond::Nonzero(Box::new(value.clone())))?;
        match test {
            Cond::Nonzero(inner) => Ok(*inner),
            other => unreachable!("resolving keeps the shape, not {other:?}"),
        }
    }
}
