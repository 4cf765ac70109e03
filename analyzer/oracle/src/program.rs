//! The oracle's own picture of a C- program: a small syntax tree, made by the generator, shrunk by the
//! reducer, printed for the engine and compiled for the reference.
//!
//! It shares nothing with the analyzer's front end, so that a misreading there cannot repeat itself here.

/// Names are plain strings in generated programs; the compiler replaces them by slots.
pub type Name = String;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rel {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Rel {
    pub const ALL: [Rel; 6] = [Rel::Lt, Rel::Le, Rel::Gt, Rel::Ge, Rel::Eq, Rel::Ne];

    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Rel::Lt => left < right,
            Rel::Le => left <= right,
            Rel::Gt => left > right,
            Rel::Ge => left >= right,
            Rel::Eq => left == right,
            Rel::Ne => left != right,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr<V = Name> {
    Const(i64),
    Var(V),
    Element(V, Box<Expr<V>>),
    Negate(Box<Expr<V>>),
    Binary(Op, Box<Expr<V>>, Box<Expr<V>>),
    /// `c ? a : b`
    Choose(Box<Cond<V>>, Box<Expr<V>>, Box<Expr<V>>),
    /// `nondet(lo, hi)`, inclusive.
    Nondet(Box<Expr<V>>, Box<Expr<V>>),
    /// `nondet()`: any integer.
    Any(Reach),
    /// A condition as a number, one or zero.
    Truth(Box<Cond<V>>),
    Call(Name, Vec<Expr<V>>),
}

/// What the reference makes of an input without bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Values up to this size stand for all: the program compares what it reads with smaller constants,
    /// copies it and does nothing else with it, and so do the formulas. The generator sees to that.
    Exact(i64),
    /// Values up to this size are tried, others are successors nobody knows.
    Sampled(i64),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cond<V = Name> {
    Const(bool),
    /// A `bool` variable.
    Flag(V),
    Compare(Rel, Box<Expr<V>>, Box<Expr<V>>),
    /// An integer used as a condition.
    Nonzero(Box<Expr<V>>),
    Not(Box<Cond<V>>),
    And(Box<Cond<V>>, Box<Cond<V>>),
    Or(Box<Cond<V>>, Box<Cond<V>>),
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// `int x = e;`
    Declare(Name, Expr),
    Assign(Name, Expr),
    /// `x += e;` and its kin; `x++` and `x--` where the operand is one.
    Update(Name, Op, Expr),
    AssignElement(Name, Expr, Expr),
    /// `b = c;` for a `bool` variable.
    AssignFlag(Name, Cond),
    Call(Name, Vec<Expr>),
    If(Cond, Block, Block),
    While(Cond, Block),
    Do(Block, Cond),
    /// `for (i = first; c; i = e) …`, of a variable declared before.
    For(Name, Expr, Cond, Expr, Block),
    Break,
    Continue,
    Return(Option<Expr>),
    /// Marks the step that follows.
    Label(Name),
    Assert(Cond),
    Assume(Cond),
    Tick,
    Print(Expr),
    Empty,
    Nested(Block),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Initial {
    /// `int x = e;` over earlier globals; part of the initial state. May be a `nondet`.
    Value(Expr),
    /// `int x;` held between two values by the assumption on the initial state.
    Free(i64, i64),
    /// `int a[n];` with every element held at the given value by the assumption.
    Elements(Vec<i64>),
    /// `int x;` of any value, where those up to this size stand for all (see `Reach::Exact`).
    Any(i64),
    /// `bool b = c;`
    Flag(bool),
    /// `bool b;`
    FreeFlag,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Global {
    pub name: Name,
    pub initial: Initial,
}

impl Global {
    pub fn is_flag(&self) -> bool {
        matches!(self.initial, Initial::Flag(_) | Initial::FreeFlag)
    }

    pub fn is_array(&self) -> bool {
        matches!(self.initial, Initial::Elements(_))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub has_result: bool,
    pub body: Block,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    pub globals: Vec<Global>,
    /// Callees before callers where possible; `main` last.
    pub functions: Vec<Function>,
    /// A further restriction of the initial states (`--assume`), beside the bounds of free globals.
    pub assume: Option<Cond>,
}

impl<V> Expr<V> {
    pub fn binary(op: Op, left: Expr<V>, right: Expr<V>) -> Self {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn nondet(low: i64, high: i64) -> Self {
        Expr::Nondet(Box::new(Expr::Const(low)), Box::new(Expr::Const(high)))
    }
}

impl<V> Cond<V> {
    pub fn compare(rel: Rel, left: Expr<V>, right: Expr<V>) -> Self {
        Cond::Compare(rel, Box::new(left), Box::new(right))
    }

    pub fn and(left: Cond<V>, right: Cond<V>) -> Self {
        Cond::And(Box::new(left), Box::new(right))
    }

    pub fn or(left: Cond<V>, right: Cond<V>) -> Self {
        Cond::Or(Box::new(left), Box::new(right))
    }

    #[expect(clippy::should_implement_trait, reason = "a constructor beside `and` and `or`")]
    pub fn not(inner: Cond<V>) -> Self {
        Cond::Not(Box::new(inner))
    }
}

pub fn var(name: &str) -> Expr {
    Expr::Var(name.to_string())
}

pub fn num(value: i64) -> Expr {
    Expr::Const(value)
}

impl Program {
    pub fn main(&self) -> &Function {
        self.functions.last().expect("a program has a main function")
    }

    /// What the engine must be told about the initial state: bounds of free globals, array contents and
    /// the extra restriction.
    pub fn assumption(&self) -> Option<Cond> {
        let mut parts = Vec::new();
        for global in &self.globals {
            match &global.initial {
                Initial::Free(low, high) if low == high => {
                    parts.push(Cond::compare(Rel::Eq, var(&global.name), num(*low)));
                }
                Initial::Free(low, high) => {
                    parts.push(Cond::compare(Rel::Ge, var(&global.name), num(*low)));
                    parts.push(Cond::compare(Rel::Le, var(&global.name), num(*high)));
                }
                Initial::Elements(values) => {
                    for (index, value) in values.iter().enumerate() {
                        let element = Expr::Element(global.name.clone(), Box::new(num(index as i64)));
                        parts.push(Cond::compare(Rel::Eq, element, num(*value)));
                    }
                }
                Initial::Value(_) | Initial::Any(_) | Initial::Flag(_) | Initial::FreeFlag => {}
            }
        }
        parts.extend(self.assume.clone());
        parts.into_iter().reduce(Cond::and)
    }

    /// Every integer literal, in order of appearance: the places where something happens.
    pub fn constants(&self) -> Vec<i64> {
        let mut found = Vec::new();
        for global in &self.globals {
            match &global.initial {
                Initial::Value(value) => value.constants(&mut found),
                Initial::Free(low, high) => found.extend([*low, *high]),
                Initial::Elements(values) => found.extend(values),
                Initial::Any(_) | Initial::Flag(_) | Initial::FreeFlag => {}
            }
        }
        for function in &self.functions {
            block_constants(&function.body, &mut found);
        }
        found
    }
}

impl<V> Expr<V> {
    pub fn constants(&self, found: &mut Vec<i64>) {
        match self {
            Expr::Const(value) => found.push(*value),
            Expr::Var(_) | Expr::Any(_) => {}
            Expr::Truth(cond) => cond.constants(found),
            Expr::Element(_, inner) | Expr::Negate(inner) => inner.constants(found),
            Expr::Binary(_, left, right) | Expr::Nondet(left, right) => {
                left.constants(found);
                right.constants(found);
            }
            Expr::Choose(cond, left, right) => {
                cond.constants(found);
                left.constants(found);
                right.constants(found);
            }
            Expr::Call(_, arguments) => arguments.iter().for_each(|argument| argument.constants(found)),
        }
    }
}

impl<V> Cond<V> {
    pub fn constants(&self, found: &mut Vec<i64>) {
        match self {
            Cond::Const(_) | Cond::Flag(_) => {}
            Cond::Compare(_, left, right) => {
                left.constants(found);
                right.constants(found);
            }
            Cond::Nonzero(inner) => inner.constants(found),
            Cond::Not(inner) => inner.constants(found),
            Cond::And(left, right) | Cond::Or(left, right) => {
                left.constants(found);
                right.constants(found);
            }
        }
    }
}

fn block_constants(block: &[Stmt], found: &mut Vec<i64>) {
    for stmt in block {
        match stmt {
            Stmt::Declare(_, value)
            | Stmt::Assign(_, value)
            | Stmt::Update(_, _, value)
            | Stmt::Print(value)
            | Stmt::Return(Some(value)) => value.constants(found),
            Stmt::AssignElement(_, index, value) => {
                index.constants(found);
                value.constants(found);
            }
            Stmt::AssignFlag(_, cond) | Stmt::Assert(cond) | Stmt::Assume(cond) => cond.constants(found),
            Stmt::Call(_, arguments) => arguments.iter().for_each(|argument| argument.constants(found)),
            Stmt::If(cond, yes, no) => {
                cond.constants(found);
                block_constants(yes, found);
                block_constants(no, found);
            }
            Stmt::While(cond, body) | Stmt::Do(body, cond) => {
                cond.constants(found);
                block_constants(body, found);
            }
            Stmt::For(_, first, cond, step, body) => {
                first.constants(found);
                cond.constants(found);
                step.constants(found);
                block_constants(body, found);
            }
            Stmt::Nested(body) => block_constants(body, found),
            Stmt::Return(None) | Stmt::Break | Stmt::Continue | Stmt::Label(_) | Stmt::Tick | Stmt::Empty => {
            }
        }
    }
}

/// Names of the labels of a block, in order.
pub fn labels(block: &[Stmt], found: &mut Vec<Name>) {
    for stmt in block {
        match stmt {
            Stmt::Label(name) => found.push(name.clone()),
            Stmt::If(_, yes, no) => {
                labels(yes, found);
                labels(no, found);
            }
            Stmt::While(_, body) | Stmt::Do(body, _) | Stmt::For(_, _, _, _, body) | Stmt::Nested(body) => {
                labels(body, found);
            }
            _ => {}
        }
    }
}
