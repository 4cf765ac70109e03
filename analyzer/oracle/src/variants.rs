//! Every way to make a case smaller by one edit. Each variant weighs less, so reducing comes to an end;
//! not every variant is a program, which `validate` finds out.

use crate::generate::Case;
use crate::logic::Formula;
use crate::model::Granularity;
use crate::program::{Block, Cond, Expr, Global, Initial, Program, Stmt, num};

/// Simpler cases, the boldest edits first.
pub fn of_case(case: &Case) -> Vec<Case> {
    let mut found: Vec<Case> =
        of_program(&case.program).into_iter().map(|program| Case { program, ..case.clone() }).collect();
    if let [formula] = &case.formulas[..] {
        let formulas = of_formula(formula).into_iter();
        found.extend(formulas.map(|formula| Case { formulas: vec![formula], ..case.clone() }));
    }
    if !case.watch.is_empty() {
        found.push(Case { watch: Vec::new(), ..case.clone() });
    }
    if case.granularity != Granularity::Statement {
        let watch = Vec::new();
        found.push(Case { granularity: Granularity::Statement, watch, ..case.clone() });
    }
    let limit = weight(case);
    found.retain(|variant| weight(variant) < limit && names_known(variant));
    found
}

/// The length of the text, with large numbers and finer granularities counted as heavier.
fn weight(case: &Case) -> usize {
    let constants = case.program.constants();
    let size: i64 =
        constants.iter().map(|constant| constant.abs().min(1_000) + i64::from(*constant < 0)).sum();
    let formulas: usize = case.formulas.iter().map(formula_weight).sum();
    let layers = usize::from(case.granularity != Granularity::Statement) + case.watch.len();
    let assumed = case.program.assumption().map_or(0, |assume| crate::print::cond(&assume).len());
    crate::print::program(&case.program).len() * 20 + size as usize + formulas + layers + assumed * 20
}

fn formula_weight(formula: &Formula) -> usize {
    let mut constants = Vec::new();
    formula.walk(&mut |part| {
        if let Formula::Atom(cond) = part {
            cond.constants(&mut constants);
        }
    });
    let size: i64 = constants.iter().map(|constant| constant.abs().min(1_000)).sum();
    formula.to_string().len() * 20 + size as usize
}

/// Dropping a global or a label must not leave the formula or the watch list without it.
fn names_known(case: &Case) -> bool {
    let global = |name: &String| case.program.globals.iter().any(|global| global.name == *name);
    let mut labels = Vec::new();
    case.program.functions.iter().for_each(|f| crate::program::labels(&f.body, &mut labels));
    let mut known = case.watch.iter().all(global);
    for formula in &case.formulas {
        formula.walk(&mut |part| match part {
            Formula::Atom(cond) => {
                let mut names = Vec::new();
                crate::names::in_cond(cond, &mut names);
                known &= names.iter().all(global);
            }
            Formula::At(label) => known &= labels.contains(label),
            _ => {}
        });
    }
    known
}

fn of_program(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for index in 0..program.functions.len() - 1 {
        let mut made = program.clone();
        made.functions.remove(index);
        found.push(made);
    }
    for (index, function) in program.functions.iter().enumerate() {
        for body in of_block(&function.body) {
            let mut made = program.clone();
            made.functions[index].body = body;
            found.push(made);
        }
    }
    for index in 0..program.globals.len() {
        let mut made = program.clone();
        made.globals.remove(index);
        found.push(made);
        for initial in of_initial(&program.globals[index].initial) {
            let mut made = program.clone();
            made.globals[index] = Global { initial, ..program.globals[index].clone() };
            found.push(made);
        }
    }
    if let Some(assume) = &program.assume {
        found.push(Program { assume: None, ..program.clone() });
        let simpler = of_cond(assume).into_iter();
        found.extend(simpler.map(|assume| Program { assume: Some(assume), ..program.clone() }));
    }
    found
}

fn of_initial(initial: &Initial) -> Vec<Initial> {
    match initial {
        Initial::Value(value) => of_expr(value).into_iter().map(Initial::Value).collect(),
        Initial::Free(low, high) if low < high => vec![
            Initial::Value(num(*low)),
            Initial::Value(num(*high)),
            Initial::Free(*low, low + (high - low) / 2),
            Initial::Free(low + (high - low + 1) / 2, *high),
            Initial::Free(*low, high - 1),
            Initial::Free(low + 1, *high),
        ],
        Initial::Free(low, _) => vec![Initial::Value(num(*low))],
        Initial::Elements(values) => {
            let mut found = vec![Initial::Elements(vec![0; values.len()])];
            if values.len() > 1 {
                found.push(Initial::Elements(values[..values.len() - 1].to_vec()));
            }
            found
        }
        Initial::Any(_) => vec![Initial::Value(num(0))],
        Initial::FreeFlag => vec![Initial::Flag(false), Initial::Flag(true)],
        Initial::Flag(_) => Vec::new(),
    }
}

fn of_block(block: &Block) -> Vec<Block> {
    let mut found = Vec::new();
    let mut width = block.len();
    while width > 0 {
        for start in (0..block.len()).step_by(width) {
            let end = (start + width).min(block.len());
            found.push([&block[..start], &block[end..]].concat());
        }
        width /= 2;
    }
    for (index, stmt) in block.iter().enumerate() {
        for replacement in of_stmt(stmt) {
            found.push([&block[..index], &replacement[..], &block[index + 1..]].concat());
        }
    }
    found
}

/// What may stand in a statement's place.
fn of_stmt(stmt: &Stmt) -> Vec<Block> {
    let one = |stmt: Stmt| vec![stmt];
    match stmt {
        Stmt::Declare(name, value) => {
            of_expr(value).into_iter().map(|value| one(Stmt::Declare(name.clone(), value))).collect()
        }
        Stmt::Assign(name, value) => {
            of_expr(value).into_iter().map(|value| one(Stmt::Assign(name.clone(), value))).collect()
        }
        Stmt::Update(name, op, value) => {
            let simpler = of_expr(value).into_iter();
            let mut found: Vec<Block> =
                simpler.map(|value| one(Stmt::Update(name.clone(), *op, value))).collect();
            found.push(one(Stmt::Assign(name.clone(), value.clone())));
            found
        }
        Stmt::AssignElement(name, index, value) => {
            let make = |index: Expr, value: Expr| one(Stmt::AssignElement(name.clone(), index, value));
            let mut found: Vec<Block> =
                of_expr(index).into_iter().map(|index| make(index, value.clone())).collect();
            found.extend(of_expr(value).into_iter().map(|value| make(index.clone(), value)));
            found
        }
        Stmt::AssignFlag(name, value) => {
            of_cond(value).into_iter().map(|value| one(Stmt::AssignFlag(name.clone(), value))).collect()
        }
        Stmt::Call(name, arguments) => {
            of_list(arguments).into_iter().map(|list| one(Stmt::Call(name.clone(), list))).collect()
        }
        Stmt::If(test, yes, no) => {
            let mut found = vec![yes.clone(), no.clone()];
            if !no.is_empty() {
                found.push(one(Stmt::If(test.clone(), yes.clone(), Vec::new())));
                found.push(one(Stmt::If(Cond::not(test.clone()), no.clone(), Vec::new())));
            }
            found.extend(of_block(yes).into_iter().map(|yes| one(Stmt::If(test.clone(), yes, no.clone()))));
            found.extend(of_block(no).into_iter().map(|no| one(Stmt::If(test.clone(), yes.clone(), no))));
            found.extend(of_cond(test).into_iter().map(|test| one(Stmt::If(test, yes.clone(), no.clone()))));
            found
        }
        Stmt::While(test, body) => {
            let mut found = vec![body.clone()];
            found.extend(of_block(body).into_iter().map(|body| one(Stmt::While(test.clone(), body))));
            found.extend(of_cond(test).into_iter().map(|test| one(Stmt::While(test, body.clone()))));
            found
        }
        Stmt::Do(body, test) => {
            let mut found = vec![body.clone(), one(Stmt::While(test.clone(), body.clone()))];
            found.extend(of_block(body).into_iter().map(|body| one(Stmt::Do(body, test.clone()))));
            found.extend(of_cond(test).into_iter().map(|test| one(Stmt::Do(body.clone(), test))));
            found
        }
        Stmt::For(name, first, test, step, body) => {
            let make = |first: &Expr, test: &Cond, step: &Expr, body: &Block| {
                one(Stmt::For(name.clone(), first.clone(), test.clone(), step.clone(), body.clone()))
            };
            let mut found = vec![body.clone(), one(Stmt::While(test.clone(), body.clone()))];
            found.extend(of_block(body).iter().map(|body| make(first, test, step, body)));
            found.extend(of_expr(first).iter().map(|first| make(first, test, step, body)));
            found.extend(of_cond(test).iter().map(|test| make(first, test, step, body)));
            found.extend(of_expr(step).iter().map(|step| make(first, test, step, body)));
            found
        }
        Stmt::Return(Some(value)) => {
            of_expr(value).into_iter().map(|value| one(Stmt::Return(Some(value)))).collect()
        }
        Stmt::Assert(test) => of_cond(test).into_iter().map(|test| one(Stmt::Assert(test))).collect(),
        Stmt::Assume(test) => of_cond(test).into_iter().map(|test| one(Stmt::Assume(test))).collect(),
        Stmt::Print(value) => of_expr(value).into_iter().map(|value| one(Stmt::Print(value))).collect(),
        Stmt::Nested(body) => {
            let mut found = vec![body.clone()];
            found.extend(of_block(body).into_iter().map(|body| one(Stmt::Nested(body))));
            found
        }
        Stmt::Break | Stmt::Continue | Stmt::Return(None) | Stmt::Label(_) | Stmt::Tick | Stmt::Empty => {
            Vec::new()
        }
    }
}

fn of_list(list: &[Expr]) -> Vec<Vec<Expr>> {
    let mut found = Vec::new();
    for (index, item) in list.iter().enumerate() {
        for simpler in of_expr(item) {
            let mut made = list.to_vec();
            made[index] = simpler;
            found.push(made);
        }
    }
    found
}

fn of_number(value: i64) -> Vec<i64> {
    let mut found = vec![0, 1, value / 2, value - value.signum(), -value];
    found.retain(|other| other.abs() < value.abs() || *other == -value && value < 0);
    found.dedup();
    found
}

fn of_expr(expr: &Expr) -> Vec<Expr> {
    let pair = |left: &Expr, right: &Expr, make: &dyn Fn(Expr, Expr) -> Expr| -> Vec<Expr> {
        let mut found = vec![left.clone(), right.clone(), num(0), num(1)];
        found.extend(of_expr(left).into_iter().map(|left| make(left, right.clone())));
        found.extend(of_expr(right).into_iter().map(|right| make(left.clone(), right)));
        found
    };
    match expr {
        Expr::Const(value) => of_number(*value).into_iter().map(num).collect(),
        Expr::Var(_) | Expr::Any(_) => vec![num(0), num(1)],
        Expr::Truth(test) => {
            let mut found = vec![num(0), num(1)];
            found.extend(of_cond(test).into_iter().map(|test| Expr::Truth(Box::new(test))));
            found
        }
        Expr::Element(name, index) => {
            let mut found = vec![num(0), (**index).clone()];
            let simpler = of_expr(index).into_iter();
            found.extend(simpler.map(|index| Expr::Element(name.clone(), Box::new(index))));
            found
        }
        Expr::Negate(inner) => {
            let mut found = vec![(**inner).clone()];
            found.extend(of_expr(inner).into_iter().map(|inner| Expr::Negate(Box::new(inner))));
            found
        }
        Expr::Binary(op, left, right) => pair(left, right, &|left, right| Expr::binary(*op, left, right)),
        Expr::Nondet(low, high) => pair(low, high, &|low, high| Expr::Nondet(Box::new(low), Box::new(high))),
        Expr::Choose(test, yes, no) => {
            let make = |yes: Expr, no: Expr| Expr::Choose(test.clone(), Box::new(yes), Box::new(no));
            let mut found = pair(yes, no, &make);
            let simpler = of_cond(test).into_iter();
            found.extend(simpler.map(|test| Expr::Choose(Box::new(test), yes.clone(), no.clone())));
            found
        }
        Expr::Call(name, arguments) => {
            let mut found = vec![num(0)];
            found.extend(of_list(arguments).into_iter().map(|list| Expr::Call(name.clone(), list)));
            found
        }
    }
}

fn of_cond(cond: &Cond) -> Vec<Cond> {
    let pair = |left: &Cond, right: &Cond, make: &dyn Fn(Cond, Cond) -> Cond| -> Vec<Cond> {
        let mut found = vec![left.clone(), right.clone()];
        found.extend(of_cond(left).into_iter().map(|left| make(left, right.clone())));
        found.extend(of_cond(right).into_iter().map(|right| make(left.clone(), right)));
        found
    };
    match cond {
        Cond::Const(_) => Vec::new(),
        Cond::Flag(_) => vec![Cond::Const(true), Cond::Const(false)],
        Cond::Compare(rel, left, right) => {
            let mut found = vec![Cond::Const(true), Cond::Const(false)];
            let make = |left: Expr, right: Expr| Cond::compare(*rel, left, right);
            found.extend(of_expr(left).into_iter().map(|left| make(left, (**right).clone())));
            found.extend(of_expr(right).into_iter().map(|right| make((**left).clone(), right)));
            found
        }
        Cond::Nonzero(inner) => {
            let mut found = vec![Cond::Const(true), Cond::Const(false)];
            found.extend(of_expr(inner).into_iter().map(|inner| Cond::Nonzero(Box::new(inner))));
            found
        }
        Cond::Not(inner) => {
            let mut found = vec![(**inner).clone()];
            found.extend(of_cond(inner).into_iter().map(Cond::not));
            found
        }
        Cond::And(left, right) => pair(left, right, &Cond::and),
        Cond::Or(left, right) => pair(left, right, &Cond::or),
    }
}

fn of_formula(formula: &Formula) -> Vec<Formula> {
    let mut found: Vec<Formula> = formula.children().into_iter().cloned().collect();
    let inner = |inner: &Formula, make: &dyn Fn(Formula) -> Formula| -> Vec<Formula> {
        of_formula(inner).into_iter().map(make).collect()
    };
    let pair = |left: &Formula, right: &Formula, make: &dyn Fn(Formula, Formula) -> Formula| {
        let mut found: Vec<Formula> =
            of_formula(left).into_iter().map(|left| make(left, right.clone())).collect();
        found.extend(of_formula(right).into_iter().map(|right| make(left.clone(), right)));
        found
    };
    found.extend(match formula {
        Formula::Atom(cond) => of_cond(cond).into_iter().map(Formula::Atom).collect(),
        Formula::At(_) | Formula::Terminated => Vec::new(),
        Formula::Failed(None) => Vec::new(),
        Formula::Failed(Some(_)) => vec![Formula::Failed(None)],
        Formula::Not(part) => inner(part, &Formula::not),
        Formula::Unary(path, operator, part) => inner(part, &|part| Formula::unary(*path, *operator, part)),
        Formula::And(left, right) => pair(left, right, &Formula::and),
        Formula::Or(left, right) => pair(left, right, &Formula::or),
        Formula::Implies(left, right) => pair(left, right, &Formula::implies),
        Formula::Iff(left, right) => {
            pair(left, right, &|left, right| Formula::Iff(Box::new(left), Box::new(right)))
        }
        Formula::Binary(path, operator, left, right) => {
            pair(left, right, &|left, right| Formula::binary(*path, *operator, left, right))
        }
    });
    // A bare constant is no formula people ask about, and says nothing about the program.
    found.retain(|made| !matches!(made, Formula::Atom(Cond::Const(_))));
    found
}
