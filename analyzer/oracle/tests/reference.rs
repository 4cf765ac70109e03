//! The reference against answers worked out by hand: the known soundness traps, the meaning of a step,
//! assumptions and granularities. Every question is answered in both of the reference's ways.

use kleene_oracle::logic::{Binary, Formula, Path, Unary};
use kleene_oracle::model::{Expected, Granularity, Model};
use kleene_oracle::program::{Cond, Expr, Function, Global, Initial, Op, Program, Rel, Stmt, num, var};
use kleene_oracle::reference::{Limits, explore};

use Expected::{False, True};
use Granularity::{Change, Statement, Tick};

fn set(name: &str, value: Expr) -> Stmt {
    Stmt::Assign(name.into(), value)
}

fn local(name: &str, value: Expr) -> Stmt {
    Stmt::Declare(name.into(), value)
}

fn bump(name: &str, op: Op, by: i64) -> Stmt {
    Stmt::Update(name.into(), op, num(by))
}

fn op(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

fn input(low: i64, high: i64) -> Expr {
    Expr::nondet(low, high)
}

fn cmp(name: &str, rel: Rel, value: i64) -> Cond {
    Cond::compare(rel, var(name), num(value))
}

fn eq(name: &str, value: i64) -> Cond {
    cmp(name, Rel::Eq, value)
}

fn is(name: &str, value: i64) -> Formula {
    Formula::Atom(eq(name, value))
}

fn atom(name: &str, rel: Rel, value: i64) -> Formula {
    Formula::Atom(cmp(name, rel, value))
}

fn when(test: Cond, yes: Vec<Stmt>) -> Stmt {
    Stmt::If(test, yes, Vec::new())
}

fn forever(body: Vec<Stmt>) -> Stmt {
    Stmt::While(Cond::Const(true), body)
}

fn choose(test: Cond, yes: i64, no: i64) -> Expr {
    Expr::Choose(Box::new(test), Box::new(num(yes)), Box::new(num(no)))
}

fn ag(inner: Formula) -> Formula {
    Formula::unary(Path::All, Unary::Globally, inner)
}

fn af(inner: Formula) -> Formula {
    Formula::unary(Path::All, Unary::Finally, inner)
}

fn ax(inner: Formula) -> Formula {
    Formula::unary(Path::All, Unary::Next, inner)
}

fn ef(inner: Formula) -> Formula {
    Formula::unary(Path::Some, Unary::Finally, inner)
}

fn eg(inner: Formula) -> Formula {
    Formula::unary(Path::Some, Unary::Globally, inner)
}

fn ex(inner: Formula) -> Formula {
    Formula::unary(Path::Some, Unary::Next, inner)
}

fn never_fails() -> Formula {
    ag(Formula::not(Formula::Failed(None)))
}

/// A program whose globals start with the given values.
fn program(globals: &[(&str, i64)], body: Vec<Stmt>) -> Program {
    let initial = |value: i64| Initial::Value(num(value));
    let globals =
        globals.iter().map(|(name, value)| Global { name: (*name).into(), initial: initial(*value) });
    Program { globals: globals.collect(), functions: vec![void("main", body)], assume: None }
}

fn void(name: &str, body: Vec<Stmt>) -> Function {
    Function { name: name.into(), parameters: Vec::new(), has_result: false, body }
}

fn free(mut program: Program, name: &str, low: i64, high: i64) -> Program {
    program.globals.push(Global { name: name.into(), initial: Initial::Free(low, high) });
    program
}

fn with_function(mut program: Program, function: Function) -> Program {
    program.functions.insert(0, function);
    program
}

fn ask(program: &Program, granularity: Granularity, formula: &Formula) -> Expected {
    let exploration = explore(program, Limits::default()).expect("a small program");
    assert!(exploration.is_complete());
    let model = Model::new(&exploration, granularity, &[]);
    let answer = model.check(formula);
    assert_eq!(answer, model.check_direct(formula), "{formula} under {granularity:?}");
    answer
}

fn expect(program: &Program, granularity: Granularity, formula: Formula, wanted: Expected) {
    assert_eq!(ask(program, granularity, &formula), wanted, "{formula} under {granularity:?}");
}

/// The number of steps until `main` ends, for a program without choices.
fn steps(program: &Program) -> usize {
    let exploration = explore(program, Limits::default()).expect("a small program");
    let mut at = exploration.initial[0] as usize;
    let mut count = 0;
    loop {
        assert_eq!(exploration.successors[at].len(), 1, "no choices");
        let next = exploration.successors[at][0] as usize;
        if next == at {
            return count;
        }
        at = next;
        count += 1;
    }
}

#[test]
fn t01_t02_label_behind_an_impossible_branch() {
    let body = vec![
        Stmt::While(cmp("x", Rel::Lt, 10), vec![bump("x", Op::Add, 2)]),
        when(eq("x", 11), vec![set("b", num(1))]),
    ];
    let program = program(&[("x", 0), ("b", 0)], body);
    expect(&program, Statement, ef(is("b", 1)), False);
    expect(&program, Statement, ag(is("b", 0)), True);
}

#[test]
fn t03_dead_code() {
    let program = program(&[("x", 1), ("b", 0)], vec![when(eq("x", 2), vec![set("b", num(7))])]);
    expect(&program, Statement, ef(is("b", 7)), False);
}

#[test]
fn t04_t05_t14_a_loop_that_ends() {
    let count = Stmt::While(cmp("x", Rel::Lt, 3), vec![bump("x", Op::Add, 1)]);
    let program = program(&[("x", 0), ("d", 0)], vec![count, set("d", num(1))]);
    expect(&program, Statement, eg(is("d", 0)), False);
    expect(&program, Statement, af(is("d", 1)), True);
    expect(&program, Change, af(is("d", 1)), True);
}

#[test]
fn t06_backward_must() {
    let body = vec![set("x", input(0, 9)), when(eq("x", 5), vec![set("b", num(1))])];
    let program = program(&[("x", 0), ("b", 0)], body);
    let three = Formula::and(is("x", 3), is("b", 0));
    expect(&program, Statement, ag(Formula::implies(three, ef(is("b", 1)))), False);
    expect(&program, Statement, ef(is("b", 1)), True);
}

#[test]
fn t07_correlated_branches() {
    let positive = || choose(cmp("x", Rel::Gt, 0), 1, 0);
    let body = vec![set("x", input(-5, 5)), set("a", positive()), set("c", positive()), set("k", num(1))];
    let program = program(&[("x", 0), ("a", 0), ("c", 0), ("k", 0)], body);
    let same = Formula::Atom(Cond::compare(Rel::Eq, var("a"), var("c")));
    expect(&program, Statement, ag(Formula::or(is("k", 0), same)), True);
}

#[test]
fn t09_input_then_scaled() {
    let program = program(&[("x", 0)], vec![set("x", input(0, 1)), bump("x", Op::Mul, 10)]);
    expect(&program, Statement, ag(atom("x", Rel::Ne, 5)), True);
    expect(&program, Statement, ef(is("x", 10)), True);
    expect(&program, Statement, af(is("x", 10)), False);
}

#[test]
fn t10_response_refuted() {
    let program = program(&[("x", 0), ("q", 0)], vec![set("x", input(0, 1)), forever(vec![])]);
    expect(&program, Statement, ag(Formula::implies(is("x", 1), af(is("q", 1)))), False);
}

#[test]
fn t13_unreachable_code() {
    let program = program(&[("x", 0)], vec![when(Cond::Const(false), vec![set("x", num(-1))])]);
    expect(&program, Statement, ag(atom("x", Rel::Ge, 0)), True);
}

#[test]
fn t15_late_second_phase() {
    let late = when(cmp("y", Rel::Gt, 25), vec![bump("x", Op::Add, 1)]);
    let body = vec![Stmt::While(cmp("y", Rel::Lt, 100), vec![bump("y", Op::Add, 1), late])];
    let program = program(&[("x", 0), ("y", 0)], body);
    expect(&program, Statement, ag(atom("x", Rel::Le, 1)), False);
    expect(&program, Statement, ag(atom("x", Rel::Le, 75)), True);
    expect(&program, Statement, af(is("x", 75)), True);
}

#[test]
fn t16_disequality_of_inputs() {
    let differ = Cond::compare(Rel::Ne, var("x"), var("y"));
    let body = vec![set("x", input(0, 5)), set("y", input(2, 4)), when(differ, vec![set("b", var("x"))])];
    let program = program(&[("x", 0), ("y", 0), ("b", 0)], body);
    expect(&program, Statement, ag(atom("b", Rel::Ne, 3)), False);
}

#[test]
fn t17_no_rational_witness() {
    let twice = Cond::compare(Rel::Eq, op(Op::Mul, num(2), var("x")), num(7));
    let program =
        program(&[("x", 0), ("b", 0)], vec![set("x", input(-20, 20)), when(twice, vec![set("b", num(1))])]);
    expect(&program, Statement, ef(is("b", 1)), False);
}

#[test]
fn t18_beyond_any_bound() {
    let count = Stmt::While(cmp("x", Rel::Lt, 100), vec![bump("x", Op::Add, 1)]);
    let program = program(&[("x", 0), ("b", 0)], vec![count, set("b", num(1))]);
    expect(&program, Statement, ag(is("b", 0)), False);
}

#[test]
fn t19_assert_is_no_assume() {
    let body = |check: Stmt| vec![set("x", input(0, 5)), check, set("d", num(1))];
    let asserted = program(&[("x", 0), ("d", 0)], body(Stmt::Assert(cmp("x", Rel::Lt, 3))));
    expect(&asserted, Statement, af(is("d", 1)), False);
    expect(&asserted, Statement, ef(Formula::Failed(None)), True);
    expect(&asserted, Statement, ag(Formula::implies(Formula::Failed(None), is("d", 0))), True);
    let assumed = program(&[("x", 0), ("d", 0)], body(Stmt::Assume(cmp("x", Rel::Lt, 3))));
    expect(&assumed, Statement, af(is("d", 1)), True);
    // x = 4 is a state of no live run.
    expect(&assumed, Statement, ag(atom("x", Rel::Lt, 3)), True);
    expect(&assumed, Statement, ex(is("x", 4)), False);
    expect(&assumed, Change, ex(is("x", 4)), False);
}

#[test]
fn t20_division_by_zero_stays() {
    let body = vec![set("x", input(-1, 1)), set("y", op(Op::Div, num(10), var("x"))), set("d", num(1))];
    let program = program(&[("x", 5), ("y", 0), ("d", 0)], body);
    let division = Formula::Failed(Some(kleene_oracle::compile::FailKind::DivisionByZero));
    expect(&program, Statement, af(is("d", 1)), False);
    expect(&program, Statement, ef(division.clone()), True);
    expect(&program, Statement, ag(Formula::implies(division, is("y", 0))), True);
    expect(&program, Statement, ef(Formula::Failed(Some(kleene_oracle::compile::FailKind::Index))), False);
}

#[test]
fn t21_short_circuit() {
    let large = Cond::compare(Rel::Gt, op(Op::Div, num(10), var("y")), num(1));
    let guard = |swapped: bool| {
        let parts = (cmp("y", Rel::Ne, 0), large.clone());
        if swapped { Cond::and(parts.1, parts.0) } else { Cond::and(parts.0, parts.1) }
    };
    let body = |swapped| vec![set("y", input(0, 3)), when(guard(swapped), vec![set("b", num(1))])];
    expect(&program(&[("y", 0), ("b", 0)], body(false)), Statement, never_fails(), True);
    expect(&program(&[("y", 0), ("b", 0)], body(true)), Statement, never_fails(), False);
}

#[test]
fn t22_t23_the_end_loops() {
    let program = program(&[("x", 1)], vec![]);
    expect(&program, Statement, af(ax(is("x", 2))), False);
    expect(&program, Statement, eg(is("x", 1)), True);
    expect(&program, Statement, Formula::Terminated, True);
    expect(&program, Change, eg(is("x", 1)), True);
    expect(&program, Tick, eg(is("x", 1)), True);
}

#[test]
fn t24_several_initial_states() {
    let program = free(program(&[], vec![forever(vec![])]), "x", 0, 1);
    expect(&program, Statement, ef(is("x", 1)), False);
    expect(&program, Statement, ag(atom("x", Rel::Le, 1)), True);
    expect(&program, Statement, Formula::not(ef(is("x", 1))), False);
}

#[test]
fn t26_precondition() {
    let program = free(program(&[], vec![Stmt::Assert(cmp("x", Rel::Gt, 0))]), "x", 1, 3);
    expect(&program, Statement, never_fails(), True);
}

#[test]
fn t27_t28_truncation() {
    let divide = |how: Op, by: i64| vec![set("y", op(how, num(-7), num(by)))];
    expect(&program(&[("y", 0)], divide(Op::Div, 2)), Statement, ag(atom("y", Rel::Ne, -4)), True);
    expect(&program(&[("y", 0)], divide(Op::Div, 2)), Statement, af(is("y", -3)), True);
    expect(&program(&[("y", 0)], divide(Op::Rem, 3)), Statement, ag(atom("y", Rel::Ge, 0)), False);
    expect(&program(&[("y", 0)], divide(Op::Rem, 3)), Statement, af(is("y", -1)), True);
}

#[test]
fn t32_next_depends_on_granularity() {
    let program = program(&[("g", 0)], vec![local("t", num(5)), set("g", num(1))]);
    expect(&program, Statement, ax(is("g", 1)), False);
    expect(&program, Change, ax(is("g", 1)), True);
}

#[test]
fn t33_silent_divergence() {
    let lower = when(cmp("k", Rel::Gt, 0), vec![bump("k", Op::Sub, 1)]);
    let body = vec![local("k", var("k0")), Stmt::While(cmp("k", Rel::Ne, 0), vec![lower]), set("g", num(1))];
    let program = free(program(&[("g", 0)], body), "k0", -2, 2);
    for granularity in [Statement, Change] {
        expect(&program, granularity, af(is("g", 1)), False);
        let fine = atom("k0", Rel::Ge, 0);
        expect(&program, granularity, Formula::implies(fine, af(is("g", 1))), True);
        let stuck = atom("k0", Rel::Lt, 0);
        expect(&program, granularity, Formula::implies(stuck, eg(is("g", 0))), True);
    }
    // A diverging run stutters: its next state is itself.
    let stuck = Formula::implies(atom("k0", Rel::Lt, 0), ax(is("g", 0)));
    expect(&program, Change, stuck, True);
}

#[test]
fn t34_same_value_is_no_change() {
    let program = program(&[("g", 0), ("h", 0)], vec![set("g", num(1)), set("g", num(1)), set("h", num(1))]);
    expect(&program, Change, ex(ex(is("h", 1))), True);
    expect(&program, Statement, ex(ex(is("h", 1))), False);
}

#[test]
fn t35_concrete_change() {
    let body = vec![set("x", op(Op::Sub, num(1), var("x"))), set("z", num(1))];
    let program = free(program(&[("z", 0)], body), "x", 0, 1);
    expect(&program, Change, ax(is("z", 1)), False);
    expect(&program, Change, ax(ax(is("z", 1))), True);
}

#[test]
fn t36_glitch() {
    let program = program(&[("i", 0)], vec![forever(vec![Stmt::Tick, set("i", num(1)), set("i", num(0))])]);
    expect(&program, Statement, ag(is("i", 0)), False);
    expect(&program, Change, ag(is("i", 0)), False);
    expect(&program, Tick, ag(is("i", 0)), True);
    expect(&program, Change, ag(af(is("i", 1))), True);
}

#[test]
fn t39_until_is_strong() {
    let program = program(&[("x", 0)], vec![forever(vec![])]);
    for (path, operator, wanted) in [
        (Path::All, Binary::Until, False),
        (Path::Some, Binary::Until, False),
        (Path::All, Binary::WeakUntil, True),
        (Path::Some, Binary::WeakUntil, True),
    ] {
        for granularity in [Statement, Change] {
            expect(&program, granularity, Formula::binary(path, operator, is("x", 0), is("x", 1)), wanted);
        }
    }
    let released = Formula::binary(Path::All, Binary::Release, is("x", 1), is("x", 0));
    expect(&program, Statement, released, True);
}

#[test]
fn t40_t41_inputs_in_a_server_loop() {
    let read = vec![local("w", input(0, 3)), set("x", choose(eq("w", 0), 0, 1))];
    let program = program(&[("x", 0)], vec![forever(read)]);
    expect(&program, Statement, ag(ef(is("x", 0))), True);
    expect(&program, Statement, ag(af(is("x", 0))), False);
    let both = vec![
        local("w", input(-3, 3)),
        Stmt::If(cmp("w", Rel::Gt, 0), vec![set("x", num(1))], vec![set("x", num(1))]),
        set("x", num(0)),
    ];
    let program = self::program(&[("x", 0)], vec![forever(both)]);
    expect(&program, Statement, ag(af(is("x", 1))), True);
}

#[test]
fn t42_partial_atoms() {
    let program = program(&[("x", 0)], vec![]);
    let quotient = Cond::compare(Rel::Ge, op(Op::Div, num(10), var("x")), num(1));
    expect(&program, Statement, ag(Formula::Atom(Cond::or(eq("x", 0), quotient.clone()))), True);
    expect(&program, Statement, ag(Formula::Atom(quotient)), Expected::Undefined);
}

#[test]
fn t43_irrelevant_branch() {
    let branch = when(cmp("a", Rel::Gt, 0), vec![set("c", num(2))]);
    let program = program(&[("c", 0), ("b", 0)], vec![local("a", input(-9, 9)), branch, set("b", num(5))]);
    expect(&program, Statement, ef(is("b", 5)), True);
    expect(&program, Statement, af(is("b", 5)), True);
}

#[test]
fn t48_returns_match_their_calls() {
    let call = || Stmt::Call("f".into(), Vec::new());
    let main = vec![call(), set("g", num(1)), call(), set("h", num(1))];
    let program = with_function(program(&[("g", 0), ("h", 0)], main), void("f", vec![]));
    expect(&program, Statement, ef(Formula::and(is("h", 1), is("g", 0))), False);
    // Each call is a call and an implicit return.
    assert_eq!(steps(&program), 6);
}

#[test]
fn t49_recursion() {
    let deeper = Expr::Call("f".into(), vec![op(Op::Sub, var("n"), num(1))]);
    let body = vec![when(eq("n", 0), vec![Stmt::Return(Some(num(0)))]), Stmt::Return(Some(deeper))];
    let f = Function { name: "f".into(), parameters: vec!["n".into()], has_result: true, body };
    let first = Expr::Call("f".into(), vec![num(5)]);
    let program = with_function(program(&[("x", 0)], vec![set("x", op(Op::Sub, first, num(1)))]), f);
    expect(&program, Statement, ag(atom("x", Rel::Ge, 0)), False);
    expect(&program, Statement, af(is("x", -1)), True);
    // Call and condition for n = 5..0, a return for each, the assignment.
    assert_eq!(steps(&program), 6 + 6 + 6 + 1);
}

#[test]
fn what_one_step_is() {
    let count = |body: Vec<Stmt>| steps(&program(&[("x", 0), ("y", 3)], body));
    assert_eq!(count(vec![]), 0);
    assert_eq!(count(vec![Stmt::Empty, Stmt::Nested(vec![Stmt::Label("L".into())]), Stmt::Empty]), 0);
    assert_eq!(count(vec![set("x", num(1)), Stmt::Return(None)]), 2);
    let both = Cond::and(eq("x", 0), Cond::or(eq("y", 1), eq("y", 3)));
    assert_eq!(count(vec![when(both, vec![Stmt::Tick, Stmt::Print(num(1))])]), 3);
    assert_eq!(count(vec![Stmt::Assert(eq("x", 0)), Stmt::Assume(eq("y", 3))]), 2);
    // Two conditions hold, then break, which is no step.
    let leave = when(eq("x", 0), vec![Stmt::Break]);
    assert_eq!(count(vec![forever(vec![leave])]), 2);
    // First assignment, three conditions that hold and one that does not, three bodies, three steps.
    let next = op(Op::Add, var("x"), num(1));
    let body = vec![Stmt::Update("y".into(), Op::Add, num(1)), Stmt::Continue, set("y", num(0))];
    assert_eq!(count(vec![Stmt::For("x".into(), num(0), cmp("x", Rel::Lt, 3), next, body)]), 1 + 4 + 3 + 3);
    assert_eq!(count(vec![Stmt::Do(vec![bump("x", Op::Add, 1)], cmp("x", Rel::Lt, 2))]), 4);
    // A failing step leads to the failed state.
    assert_eq!(count(vec![set("y", op(Op::Div, num(1), var("x"))), set("x", num(2))]), 1);
}

#[test]
fn labels_mark_the_step_that_follows() {
    let body = vec![
        set("x", num(1)),
        Stmt::Label("L".into()),
        set("x", num(2)),
        Stmt::Label("M".into()),
        Stmt::While(cmp("x", Rel::Lt, 4), vec![bump("x", Op::Add, 1)]),
    ];
    let program = program(&[("x", 0)], body);
    let at = |label: &str| Formula::At(label.into());
    let exactly = |label: &str, value: i64| ag(Formula::implies(at(label), is("x", value)));
    expect(&program, Statement, exactly("L", 1), True);
    expect(&program, Statement, ef(Formula::and(at("M"), is("x", 3))), True);
    expect(&program, Statement, ef(Formula::and(at("M"), is("x", 1))), False);
    expect(&program, Change, ef(at("M")), Expected::Illegal);
}

#[test]
fn inputs_inside_expressions() {
    let sum = op(Op::Add, input(0, 3), op(Op::Mul, num(10), input(0, 1)));
    let program = program(&[("x", 0), ("y", 1)], vec![set("x", sum), set("y", input(0, 0))]);
    expect(&program, Statement, ex(is("x", 13)), True);
    expect(&program, Statement, ex(is("x", 4)), False);
    let low = Expr::Nondet(Box::new(var("y")), Box::new(num(0)));
    let empty = self::program(&[("x", 0), ("y", 1)], vec![set("x", low.clone())]);
    expect(&empty, Statement, ax(Formula::Failed(Some(kleene_oracle::compile::FailKind::EmptyRange))), True);
    let lazy = Expr::Choose(Box::new(eq("y", 0)), Box::new(low), Box::new(num(4)));
    let skipped = self::program(&[("x", 0), ("y", 1)], vec![set("x", lazy)]);
    expect(&skipped, Statement, ax(is("x", 4)), True);
}

#[test]
fn index_out_of_range_fails() {
    let write = Stmt::AssignElement("a".into(), var("x"), num(9));
    let mut program = program(&[("x", 0)], vec![set("x", input(0, 2)), write]);
    program.globals.push(Global { name: "a".into(), initial: Initial::Elements(vec![5, 6]) });
    let element = |index: i64| Expr::Element("a".into(), Box::new(num(index)));
    let index = Formula::Failed(Some(kleene_oracle::compile::FailKind::Index));
    expect(&program, Statement, ag(Formula::implies(index, is("x", 2))), True);
    let second = Formula::Atom(Cond::compare(Rel::Eq, element(1), num(9)));
    expect(&program, Statement, ef(second), True);
    let first = Formula::Atom(Cond::compare(Rel::Ne, element(0), num(6)));
    expect(&program, Statement, ag(first), True);
}

#[test]
fn an_assumption_may_exclude_every_run() {
    let never = program(&[("x", 0)], vec![set("x", input(0, 5)), Stmt::Assume(cmp("x", Rel::Gt, 7))]);
    expect(&never, Statement, ag(is("x", 0)), Expected::NoRun);
    // Only the initial state with a live run counts.
    let some = vec![Stmt::Assume(cmp("x", Rel::Gt, 2)), set("y", num(1))];
    let some = free(program(&[("y", 0)], some), "x", 0, 3);
    expect(&some, Statement, is("x", 3), True);
    expect(&some, Statement, af(is("y", 1)), True);
    let mut excluded = free(program(&[], vec![]), "x", 0, 3);
    excluded.assume = Some(cmp("x", Rel::Gt, 3));
    expect(&excluded, Statement, is("x", 0), Expected::NoRun);
}

#[test]
fn ticks_see_the_first_visit() {
    let body = vec![
        set("x", num(5)),
        Stmt::While(cmp("x", Rel::Gt, 0), vec![Stmt::Tick, bump("x", Op::Sub, 1), bump("y", Op::Add, 1)]),
    ];
    let program = program(&[("x", 0), ("y", 0)], body);
    let sum = Cond::compare(Rel::Eq, op(Op::Add, var("x"), var("y")), num(5));
    expect(&program, Tick, ag(Formula::Atom(sum.clone())), True);
    expect(&program, Statement, ag(Formula::Atom(sum)), False);
    expect(&program, Tick, is("x", 5), True);
    expect(&program, Tick, ax(ax(is("x", 3))), True);
    expect(&program, Tick, af(Formula::Terminated), True);
}

#[test]
fn open_graphs_answer_what_they_can() {
    let program = program(&[("x", 0)], vec![forever(vec![bump("x", Op::Add, 1)])]);
    let exploration = explore(&program, Limits { states: 50, initial: 10 }).expect("a small program");
    assert!(!exploration.is_complete());
    let model = Model::new(&exploration, Statement, &[]);
    assert_eq!(model.check(&ef(is("x", 9))), True);
    assert_eq!(model.check(&af(is("x", 9))), True);
    assert_eq!(model.check(&ag(atom("x", Rel::Lt, 9))), False);
    assert_eq!(model.check(&eg(atom("x", Rel::Lt, 9))), False);
    assert_eq!(model.check(&ag(atom("x", Rel::Ge, 0))), Expected::Unknown);
    assert_eq!(model.check(&ef(atom("x", Rel::Lt, 0))), Expected::Unknown);
    let model = Model::new(&exploration, Change, &[]);
    assert_eq!(model.check(&ax(ax(is("x", 2)))), True);
}
