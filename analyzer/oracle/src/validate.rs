//! Which syntax trees are programs: scopes, loops, results and labels in order.
//!
//! The generator only makes such programs; the reducer proposes anything and asks here.

use rustc_hash::FxHashSet;

use crate::program::{Cond, Expr, Function, Initial, Name, Program, Stmt, labels};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Flag,
    Array,
}

pub fn validate(program: &Program) -> Result<(), String> {
    let main = program.functions.last().ok_or("no function")?;
    if main.name != "main" || main.has_result || !main.parameters.is_empty() {
        return Err("the last function is not main".into());
    }
    let mut names = FxHashSet::default();
    let globals = program.globals.iter().map(|global| &global.name);
    for name in globals.chain(program.functions.iter().map(|function| &function.name)) {
        if !names.insert(name) {
            return Err(format!("{name} twice"));
        }
    }
    let mut marks = Vec::new();
    program.functions.iter().for_each(|function| labels(&function.body, &mut marks));
    if marks.iter().any(|mark| names.contains(mark))
        || marks.iter().collect::<FxHashSet<_>>().len() < marks.len()
    {
        return Err("a label twice".into());
    }
    for (index, global) in program.globals.iter().enumerate() {
        let scope =
            Scope::new(program, &program.globals[..index].iter().map(|g| &g.name).collect::<Vec<_>>());
        match &global.initial {
            Initial::Value(value) => scope.expr(value, Calls::Forbidden)?,
            Initial::Free(low, high) if low > high => return Err("an empty range".into()),
            Initial::Elements(values) if values.is_empty() => return Err("an empty array".into()),
            _ => {}
        }
    }
    let all: Vec<&Name> = program.globals.iter().map(|global| &global.name).collect();
    if let Some(assume) = &program.assume {
        Scope::new(program, &all).cond(assume)?;
    }
    program.functions.iter().try_for_each(|function| function_valid(program, &all, function))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    Allowed,
    Forbidden,
}

struct Scope<'p> {
    program: &'p Program,
    visible: Vec<(Name, Kind)>,
    /// Every local declared so far: one name per function, so that no formula is ambiguous.
    declared: FxHashSet<Name>,
    loops: usize,
    has_result: bool,
}

impl<'p> Scope<'p> {
    fn new(program: &'p Program, globals: &[&Name]) -> Self {
        let kind = |name: &Name| {
            let global = program.globals.iter().find(|global| global.name == *name);
            match global {
                Some(global) if global.is_flag() => Kind::Flag,
                Some(global) if global.is_array() => Kind::Array,
                _ => Kind::Int,
            }
        };
        let visible = globals.iter().map(|name| ((*name).clone(), kind(name))).collect();
        Self { program, visible, declared: FxHashSet::default(), loops: 0, has_result: false }
    }

    fn is(&self, name: &str, kind: Kind) -> Result<(), String> {
        let found = self.visible.iter().any(|(other, its)| other == name && *its == kind);
        if found { Ok(()) } else { Err(format!("{name} is not in scope here")) }
    }

    fn declare(&mut self, name: &Name) -> Result<(), String> {
        let taken = self.program.globals.iter().any(|global| global.name == *name);
        if taken || !self.declared.insert(name.clone()) {
            return Err(format!("{name} twice"));
        }
        self.visible.push((name.clone(), Kind::Int));
        Ok(())
    }

    fn call(&self, name: &str, arguments: &[Expr]) -> Result<&'p Function, String> {
        let function = self.program.functions.iter().find(|function| function.name == name);
        let function = function.filter(|function| function.name != "main").ok_or("no such function")?;
        if function.parameters.len() != arguments.len() {
            return Err(format!("{name} takes another number of arguments"));
        }
        arguments.iter().try_for_each(|argument| self.expr(argument, Calls::Allowed))?;
        Ok(function)
    }

    fn expr(&self, value: &Expr, calls: Calls) -> Result<(), String> {
        match value {
            Expr::Const(_) | Expr::Any(_) => Ok(()),
            Expr::Truth(test) => self.cond(test),
            Expr::Var(name) => self.is(name, Kind::Int),
            Expr::Element(name, index) => {
                self.is(name, Kind::Array)?;
                self.expr(index, calls)
            }
            Expr::Negate(inner) => self.expr(inner, calls),
            Expr::Binary(_, left, right) | Expr::Nondet(left, right) => {
                self.expr(left, calls)?;
                self.expr(right, calls)
            }
            Expr::Choose(test, yes, no) => {
                self.cond(test)?;
                self.expr(yes, Calls::Forbidden)?;
                self.expr(no, Calls::Forbidden)
            }
            Expr::Call(..) if calls == Calls::Forbidden => Err("a call in a lazy place".into()),
            Expr::Call(name, arguments) => {
                let function = self.call(name, arguments)?;
                if function.has_result { Ok(()) } else { Err(format!("{name} has no result")) }
            }
        }
    }

    fn cond(&self, value: &Cond) -> Result<(), String> {
        match value {
            Cond::Const(_) => Ok(()),
            Cond::Flag(name) => self.is(name, Kind::Flag),
            Cond::Compare(_, left, right) => {
                self.expr(left, Calls::Forbidden)?;
                self.expr(right, Calls::Forbidden)
            }
            Cond::Nonzero(inner) => self.expr(inner, Calls::Forbidden),
            Cond::Not(inner) => self.cond(inner),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.cond(left)?;
                self.cond(right)
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) -> Result<(), String> {
        let outer = self.visible.len();
        for (index, stmt) in block.iter().enumerate() {
            if matches!((stmt, block.get(index + 1)), (Stmt::Label(_), Some(Stmt::Declare(..)))) {
                return Err("a label on a declaration".into());
            }
            self.statement(stmt)?;
        }
        self.visible.truncate(outer);
        Ok(())
    }

    fn body(&mut self, block: &[Stmt]) -> Result<(), String> {
        self.loops += 1;
        let result = self.block(block);
        self.loops -= 1;
        result
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), String> {
        match stmt {
            Stmt::Declare(name, value) => {
                self.expr(value, Calls::Allowed)?;
                self.declare(name)
            }
            Stmt::Assign(name, value) => {
                self.is(name, Kind::Int)?;
                self.expr(value, Calls::Allowed)
            }
            // The contract leaves open whether `x` is read before or after a call in `x += f()`.
            Stmt::Update(name, _, value) => {
                self.is(name, Kind::Int)?;
                self.expr(value, Calls::Forbidden)
            }
            Stmt::AssignElement(name, index, value) => {
                self.is(name, Kind::Array)?;
                self.expr(index, Calls::Forbidden)?;
                self.expr(value, Calls::Forbidden)
            }
            Stmt::AssignFlag(name, value) => {
                self.is(name, Kind::Flag)?;
                self.cond(value)
            }
            Stmt::Call(name, arguments) => self.call(name, arguments).map(|_| ()),
            Stmt::If(test, yes, no) => {
                self.cond(test)?;
                self.block(yes)?;
                self.block(no)
            }
            Stmt::While(test, body) | Stmt::Do(body, test) => {
                self.cond(test)?;
                self.body(body)
            }
            Stmt::For(name, first, test, step, body) => {
                self.is(name, Kind::Int)?;
                self.expr(first, Calls::Forbidden)?;
                self.cond(test)?;
                self.expr(step, Calls::Forbidden)?;
                self.body(body)
            }
            Stmt::Break | Stmt::Continue if self.loops == 0 => Err("a jump outside a loop".into()),
            Stmt::Break | Stmt::Continue | Stmt::Label(_) | Stmt::Tick | Stmt::Empty => Ok(()),
            Stmt::Return(value) if value.is_some() != self.has_result => {
                Err("a result too many or few".into())
            }
            Stmt::Return(value) => value.as_ref().map_or(Ok(()), |value| self.expr(value, Calls::Allowed)),
            Stmt::Assert(test) | Stmt::Assume(test) => self.cond(test),
            Stmt::Print(value) => self.expr(value, Calls::Forbidden),
            Stmt::Nested(body) => self.block(body),
        }
    }
}

fn function_valid(program: &Program, globals: &[&Name], function: &Function) -> Result<(), String> {
    let mut scope = Scope::new(program, globals);
    scope.has_result = function.has_result;
    function.parameters.iter().try_for_each(|name| scope.declare(name))?;
    if function.has_result && !matches!(function.body.last(), Some(Stmt::Return(Some(_)))) {
        return Err("a function that may end without its result".into());
    }
    scope.block(&function.body)
}
