//! Bodies as trees of our own: every name that is a local is resolved, every macro we know is expanded.
//!
//! A body owns its nodes and forgets the parser, so that bodies can be read on one thread and lowered on
//! another. Nothing here knows a type; paths to items are still text, with the module they stand in.

use std::hash::{Hash, Hasher};

use kleene_domains::int::Int;

use crate::source::Span;

macro_rules! ids {
    ($($name:ident),*) => {$(
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids!(ExprId, PatId, LocalId, ModuleId, FnId, AdtId, ConstId, ImplId, TraitId, AliasId);

#[derive(Clone, Debug, Default)]
pub struct Body {
    pub exprs: Vec<Expr>,
    pub pats: Vec<Pat>,
    pub locals: Vec<Local>,
    /// Patterns of the parameters, `self` included; their types stand in the signature.
    pub parameters: Vec<PatId>,
    pub root: Option<ExprId>,
    /// What stands in `// kleene: assume(…)` comments, by the statement they come before.
    pub end: Option<Span>,
    /// Blocks `const { … }`.
    pub constants: Vec<ExprId>,
}

impl Body {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    pub fn pat(&self, id: PatId) -> &Pat {
        &self.pats[id.index()]
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// The patterns that a pattern is made of.
    pub fn inside(&self, id: PatId) -> Vec<PatId> {
        match &self.pat(id).kind {
            PatKind::Bind { inner, .. } => inner.iter().copied().collect(),
            PatKind::Reference(inner) => vec![*inner],
            PatKind::Or(pats)
            | PatKind::Tuple(pats, _)
            | PatKind::TupleStruct(_, pats, _)
            | PatKind::Slice(pats, _) => pats.clone(),
            PatKind::Struct(_, fields) => fields.iter().map(|(_, inner)| *inner).collect(),
            PatKind::Wild | PatKind::Value(_) | PatKind::Range { .. } | PatKind::Rest | PatKind::Opaque => {
                Vec::new()
            }
        }
    }

    /// What stands on the left of an assignment that takes a value apart; nothing where it is a place.
    pub fn taking_apart(&self, left: ExprId) -> Option<Vec<ExprId>> {
        match &self.expr(left).kind {
            ExprKind::Tuple(parts) | ExprKind::Array(parts) | ExprKind::Call(_, parts) => Some(parts.clone()),
            ExprKind::Struct { fields, base: None, .. } => {
                Some(fields.iter().map(|(_, value)| *value).collect())
            }
            _ => None,
        }
    }

    /// The places that an assignment writes.
    pub fn assigned(&self, left: ExprId) -> Vec<ExprId> {
        match self.taking_apart(left) {
            Some(parts) => parts.into_iter().flat_map(|part| self.assigned(part)).collect(),
            None => vec![left],
        }
    }
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub span: Span,
    pub mutable: bool,
    /// Its name may mean something else after a macro that is not understood.
    pub hidden: bool,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, Hash)]
pub enum ExprKind {
    Integer(Int, String),
    Bool(bool),
    Char(char),
    /// A text, if what it says is known.
    Text(Option<String>),
    /// `b"…"`: an array of this many bytes.
    Bytes(Vec<u8>),
    /// Bits of the nearest value as an `f32` and as an `f64`, and the suffix.
    Float(Option<(u32, u64)>, String),
    Local(LocalId),
    Path(Path),
    /// `_` on the left of an assignment.
    Underscore,
    Not(ExprId),
    Negate(ExprId),
    Deref(ExprId),
    Reference(Mutability, ExprId),
    Binary(Operator, ExprId, ExprId),
    Lazy(Lazy, ExprId, ExprId),
    Assign(ExprId, ExprId),
    Update(Operator, ExprId, ExprId),
    Cast(ExprId, TypeRef),
    Call(ExprId, Vec<ExprId>),
    Method {
        /// Where it stands: traits have to be in scope there.
        module: ModuleId,
        receiver: ExprId,
        name: String,
        site: At,
        generics: Vec<TypeRef>,
        arguments: Vec<ExprId>,
    },
    Field(ExprId, String),
    Index(ExprId, ExprId),
    Tuple(Vec<ExprId>),
    Array(Vec<ExprId>),
    /// A literal array too long to be looked at: its length and one element.
    Table(u64, ExprId),
    Repeat(ExprId, ConstId),
    Struct {
        path: Path,
        fields: Vec<(String, ExprId)>,
        base: Option<ExprId>,
    },
    Range {
        low: Option<ExprId>,
        high: Option<ExprId>,
        inclusive: bool,
    },
    Block {
        statements: Vec<Statement>,
        tail: Option<ExprId>,
        labelled: bool,
    },
    If {
        cond: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
    },
    /// `let P = e` inside a condition.
    Let(PatId, ExprId),
    Match(ExprId, Vec<Arm>),
    Loop {
        label: Option<String>,
        body: ExprId,
    },
    While {
        label: Option<String>,
        cond: ExprId,
        body: ExprId,
    },
    For {
        label: Option<String>,
        pat: PatId,
        iterated: ExprId,
        body: ExprId,
    },
    /// The loop or labelled block that is left.
    Break(ExprId, Option<ExprId>),
    Continue(ExprId),
    Return(Option<ExprId>),
    Try(ExprId),
    Assert(ExprId),
    AssertCompare {
        equal: bool,
        left: ExprId,
        right: ExprId,
    },
    Panic(Vec<ExprId>),
    /// Arguments of a formatting macro, those that its text names itself behind the others.
    Format {
        arguments: Vec<ExprId>,
        gives: Formatted,
        /// What it shows, if its text is known.
        pieces: Option<Box<[Piece]>>,
    },
    /// Any value of the type that is expected, or that the function says it gives (`[intrinsics]`).
    Any(Option<Path>),
    Assume(ExprId),
    Closure(Closure),
    /// What is not understood.
    Opaque(Opaque),
}

/// A closure: its body stands among the nodes of the body around it.
#[derive(Clone, Debug, Hash)]
pub struct Closure {
    pub parameters: Vec<(PatId, Option<TypeRef>)>,
    pub result: Option<TypeRef>,
    pub body: ExprId,
    /// `move`: what it names is copied when it is made.
    pub by_move: bool,
    /// Locals of the code around it that it names, each once.
    pub names: Vec<LocalId>,
    /// The first node inside it; the closure itself is the first one behind.
    pub first: ExprId,
    /// Its own locals.
    pub locals: std::ops::Range<usize>,
}

#[derive(Clone, Debug, Hash)]
pub struct Opaque {
    pub reason: &'static str,
    /// Evaluated first, in order.
    pub operands: Vec<ExprId>,
    /// Whether control may leave through it (`return`, `break` … inside a macro), and the loop it may leave.
    pub leaves: bool,
    pub around: Option<ExprId>,
    /// Locals that the text names: it may keep a hold on them and write those that can be written.
    pub mentions: Vec<LocalId>,
    /// Whether nothing can happen there: a closure is made, not run.
    pub idle: bool,
}

/// A piece of what a formatting macro shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    Text(String),
    Shown(Shown),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    /// Its number among the arguments.
    pub argument: usize,
    pub way: Way,
    pub spec: Spec,
}

/// The trait that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    Display,
    Debug,
    /// `x?` and `X?`.
    DebugHex,
    LowerHex,
    UpperHex,
    Octal,
    Binary,
    LowerExp,
    UpperExp,
    Pointer,
}

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    pub fill: char,
    pub align: Option<Align>,
    pub plus: bool,
    pub minus: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: Option<Count>,
    pub precision: Option<Count>,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            fill: ' ',
            align: None,
            plus: false,
            minus: false,
            alternate: false,
            zero: false,
            width: None,
            precision: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    Number(u16),
    /// The value of an argument.
    Argument(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formatted {
    Nothing,
    Text,
    /// What `format_args!` gives.
    Arguments,
    /// A line for a log, if whoever runs the program wants one.
    Line,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutability {
    Shared,
    Mutable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lazy {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Compare(kleene_domains::expr::CompareOp),
}

#[derive(Clone, Debug, Hash)]
pub enum Statement {
    Let { pat: PatId, ty: Option<TypeRef>, init: Option<ExprId>, otherwise: Option<ExprId>, span: At },
    Expr(ExprId),
}

#[derive(Clone, Debug, Hash)]
pub struct Arm {
    pub pat: PatId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
}

#[derive(Clone, Debug)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, Debug, Hash)]
pub enum PatKind {
    Wild,
    Bind {
        local: LocalId,
        by: Binding,
        inner: Option<PatId>,
    },
    /// A literal, or a path to a constant or a variant without fields.
    Value(ExprId),
    Range {
        low: Option<ExprId>,
        high: Option<ExprId>,
        inclusive: bool,
    },
    Tuple(Vec<PatId>, Option<usize>),
    /// `Path(a, .., b)`.
    TupleStruct(Path, Vec<PatId>, Option<usize>),
    Struct(Path, Vec<(String, PatId)>),
    Reference(PatId),
    Or(Vec<PatId>),
    /// `[a, .., b]` with the place of the rest, which may be bound.
    Slice(Vec<PatId>, Option<usize>),
    Rest,
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    Move,
    Reference(Mutability),
}

/// A path as written; `module` is where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    pub module: ModuleId,
    pub global: bool,
    pub qself: Option<Box<Qualified>>,
    pub segments: Vec<Segment>,
}

/// `<ty>::` or `<ty as of_trait>::`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Qualified {
    pub ty: TypeRef,
    pub of_trait: Option<Path>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    pub name: String,
    pub arguments: Vec<TypeRef>,
}

impl Path {
    pub fn single(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [only] if !self.global && self.qself.is_none() => Some(&only.name),
            _ => None,
        }
    }

    pub fn text(&self) -> String {
        self.segments.iter().map(|segment| segment.name.as_str()).collect::<Vec<_>>().join("::")
    }
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeRef {
    Path(Path),
    Tuple(Vec<TypeRef>),
    Array(Box<TypeRef>, ConstId),
    Slice(Box<TypeRef>),
    Reference(Mutability, Box<TypeRef>),
    /// `*const T` and `*mut T`.
    Pointer(Mutability, Box<TypeRef>),
    Never,
    Infer,
    Opaque,
    /// A constant where a generic argument stands.
    Const(ConstId),
}

/// Where something stands: it is the same thing wherever that is.
#[derive(Clone, Copy, Debug)]
pub struct At(pub Span);

impl Hash for At {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kind, span: _ } = self;
        kind.hash(state);
    }
}

impl Hash for Pat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kind, span: _ } = self;
        kind.hash(state);
    }
}

impl Hash for Local {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { name, span: _, mutable, hidden } = self;
        (name, mutable, hidden).hash(state);
    }
}

impl Hash for Body {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { exprs, pats, locals, parameters, root, end: _, constants } = self;
        (exprs, pats, locals, parameters, root, constants).hash(state);
    }
}
