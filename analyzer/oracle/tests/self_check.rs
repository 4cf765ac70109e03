//! The oracle checked against itself: two ways to every answer, the fixpoints against their defining
//! equations, the judge, the generators and the reducer.

use kleene_oracle::check::{Graph, Mode, Set, both, complement, either, satisfying};
use kleene_oracle::differential::{Answer, Outcome, Wrong, compare, judge, reference};
use kleene_oracle::fuzz::{Plan, Progress, run};
use kleene_oracle::generate::{Case, Class, case};
use kleene_oracle::logic::{Binary, Formula, Path, Unary};
use kleene_oracle::model::{Expected, Granularity};
use kleene_oracle::print;
use kleene_oracle::program::{Cond, Expr, Initial, Op, Program, Reach, Rel, Stmt, num, var};
use kleene_oracle::reference::{Limits, explore};
use kleene_oracle::rng::Rng;
use kleene_oracle::shrink::Budget;

fn said(answer: Answer) -> Outcome {
    Outcome { answer, level: "none".into(), granularity: None }
}

#[test]
fn translated_and_direct_answers_agree() {
    let mut count = [0; 2];
    for (class, cases) in [(Class::Tiny, 300), (Class::Hard, 25), (Class::Related, 8)] {
        for index in 0..cases {
            let Some((case, exploration)) = case(class, 77, index) else { continue };
            for granularity in Granularity::ALL {
                // Panics where the two disagree.
                let asked = Case { granularity, watch: Vec::new(), ..case.clone() };
                let answers = reference(&asked, &exploration);
                count[0] += answers.iter().filter(|answer| **answer == Expected::True).count();
                count[1] += answers.iter().filter(|answer| **answer == Expected::False).count();
            }
        }
    }
    assert!(count.iter().all(|count| *count > 1_500), "{count:?}");
}

/// Iterates a defining equation from below or above until nothing changes.
fn fixpoint(start: Set, step: &dyn Fn(&Set) -> Set) -> Set {
    let mut current = start;
    loop {
        let next = step(&current);
        if next == current {
            return current;
        }
        current = next;
    }
}

fn by_definition(graph: &Graph, path: Path, operator: Binary, left: &Set, right: &Set) -> Set {
    let next = |set: &Set| match path {
        Path::Some => graph.ex(set, Mode::Sure),
        Path::All => complement(graph.ex(&complement(set.clone()), Mode::Sure)),
    };
    let (none, all) = (vec![false; graph.len()], vec![true; graph.len()]);
    match operator {
        Binary::Until => fixpoint(none, &|set| either(right, &both(left, &next(set)))),
        Binary::WeakUntil => fixpoint(all, &|set| either(right, &both(left, &next(set)))),
        Binary::Release => fixpoint(all, &|set| both(right, &either(left, &next(set)))),
    }
}

#[test]
fn every_operator_is_the_fixpoint_of_its_equation() {
    let mut rng = Rng::new(5, 0);
    let (p, q) = (Formula::Terminated, Formula::Failed(None));
    for _ in 0..400 {
        let size = rng.range(1, 9) as usize;
        let successors = (0..size).map(|_| {
            let mut targets: Vec<u32> = (0..rng.range(1, 3)).map(|_| rng.below(size) as u32).collect();
            targets.sort_unstable();
            targets.dedup();
            targets
        });
        let graph = Graph::new(successors.collect(), vec![false; size]);
        let mut random = || -> Set { (0..size).map(|_| rng.percent(50)).collect() };
        let (left, right) = (random(), random());
        let atoms = |atom: &Formula| if *atom == p { left.clone() } else { right.clone() };
        let holds = |formula: &Formula| satisfying(&graph, &atoms, formula, Mode::Sure);
        let (all, none) = (vec![true; size], vec![false; size]);
        for path in [Path::All, Path::Some] {
            for operator in [Binary::Until, Binary::Release, Binary::WeakUntil] {
                let formula = Formula::binary(path, operator, p.clone(), q.clone());
                assert_eq!(
                    holds(&formula),
                    by_definition(&graph, path, operator, &left, &right),
                    "{formula}"
                );
            }
            let finally = Formula::unary(path, Unary::Finally, p.clone());
            assert_eq!(holds(&finally), by_definition(&graph, path, Binary::Until, &all, &left));
            let globally = Formula::unary(path, Unary::Globally, p.clone());
            assert_eq!(holds(&globally), by_definition(&graph, path, Binary::Release, &none, &left));
        }
    }
}

/// In programs that only compare what they read, more values make no difference.
#[test]
fn a_few_values_stand_for_all() {
    let mut compared = 0;
    for index in 0..400 {
        let Some((case, graph)) = case(Class::Unbounded, 4, index) else { continue };
        let reads = format!("{:?}", case.program).contains("Exact(");
        if !reads || !graph.is_complete() || graph.states.len() > 1_500 {
            continue;
        }
        let mut wider = case.program.clone();
        widen(&mut wider);
        assert_ne!(wider, case.program);
        let wider = explore(&wider, Limits::default()).expect("a little larger");
        for granularity in Granularity::ALL {
            let asked = Case { granularity, watch: Vec::new(), ..case.clone() };
            assert_eq!(reference(&asked, &graph), reference(&asked, &wider), "{asked:?}");
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared}");
}

fn widen(program: &mut Program) {
    fn block(body: &mut [Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Declare(_, Expr::Any(Reach::Exact(reach)))
                | Stmt::Assign(_, Expr::Any(Reach::Exact(reach))) => {
                    *reach += 2;
                }
                Stmt::If(_, yes, no) => {
                    block(yes);
                    block(no);
                }
                Stmt::While(_, body) => block(body),
                _ => {}
            }
        }
    }
    for global in &mut program.globals {
        if let Initial::Any(reach) = &mut global.initial {
            *reach += 2;
        }
    }
    program.functions.iter_mut().for_each(|function| block(&mut function.body));
}

/// Cutting off a graph may lose an answer and may not change one.
#[test]
fn open_graphs_never_contradict_complete_ones() {
    let mut kept = 0;
    for index in 0..400 {
        let Some((case, whole)) = case(Class::Tiny, 78, index) else { continue };
        if !whole.is_complete() {
            continue;
        }
        let limits = Limits { states: whole.states.len() / 2, initial: 500 };
        let part = explore(&case.program, limits).expect("explored before");
        for (full, cut) in reference(&case, &whole).into_iter().zip(reference(&case, &part)) {
            assert!(cut == Expected::Unknown || cut == full, "{cut:?} for {full:?}: {case:?}");
            kept += usize::from(cut != Expected::Unknown);
        }
    }
    assert!(kept > 500, "{kept}");
}

#[test]
fn the_judge_accepts_maybe_and_nothing_wrong() {
    let verdict = |expected, answer| judge(expected, &said(answer), Granularity::Statement);
    let error = || Answer::Error("e".into());
    assert_eq!(verdict(Expected::True, Answer::True), None);
    assert_eq!(verdict(Expected::True, Answer::False), Some(Wrong::Verdict));
    assert_eq!(verdict(Expected::False, Answer::True), Some(Wrong::Verdict));
    assert_eq!(verdict(Expected::False, Answer::Maybe), None);
    assert_eq!(verdict(Expected::False, error()), Some(Wrong::SpuriousError));
    assert_eq!(verdict(Expected::NoRun, error()), None);
    assert_eq!(verdict(Expected::NoRun, Answer::True), Some(Wrong::MissingError));
    assert_eq!(verdict(Expected::Undefined, Answer::Maybe), None);
    assert_eq!(verdict(Expected::Undefined, Answer::False), Some(Wrong::MissingError));
    assert_eq!(verdict(Expected::Illegal, Answer::Maybe), Some(Wrong::MissingError));
    assert_eq!(verdict(Expected::Unknown, Answer::True), None);
    assert_eq!(verdict(Expected::Unknown, Answer::Panic("p".into())), Some(Wrong::Panic));
    let elsewhere = Outcome { granularity: Some(Granularity::Tick), ..said(Answer::Maybe) };
    assert_eq!(judge(Expected::True, &elsewhere, Granularity::Change), Some(Wrong::Report));
}

#[test]
fn a_panicking_engine_is_a_counterexample() {
    let (case, exploration) = case(Class::Tiny, 1, 0).expect("a small program");
    let panics = |case: &Case| -> Vec<Outcome> {
        assert!(case.formulas.len() > 1, "only one formula");
        vec![said(Answer::Maybe); case.formulas.len()]
    };
    let fine = compare(&panics, &case, &exploration);
    assert!(fine.iter().all(|judged| judged.wrong.is_none_or(|wrong| wrong == Wrong::MissingError)));
    let alone = Case { formulas: case.formulas[..1].to_vec(), ..case };
    assert_eq!(compare(&panics, &alone, &exploration)[0].wrong, Some(Wrong::Panic));
    let short = |_: &Case| Vec::new();
    assert_eq!(compare(&short, &alone, &exploration)[0].wrong, Some(Wrong::Report));
}

#[test]
fn cases_are_reproducible_and_varied() {
    let classes = [
        (Class::Tiny, 200),
        (Class::Hard, 30),
        (Class::Wide, 8),
        (Class::Unbounded, 60),
        (Class::Related, 24),
    ];
    for (class, cases) in classes {
        let (mut open, mut answers) = (0, [0usize; 3]);
        for index in 0..cases {
            let Some((first, graph)) = case(class, 9, index) else { continue };
            if index < 20 {
                let (again, _) = case(class, 9, index).expect("as before");
                assert_eq!(print::program(&first.program), print::program(&again.program));
                assert_eq!(first.formulas, again.formulas);
            }
            open += usize::from(!graph.is_complete());
            for answer in reference(&first, &graph) {
                answers[match answer {
                    Expected::True => 0,
                    Expected::False => 1,
                    _ => 2,
                }] += 1;
            }
        }
        let total: usize = answers.iter().sum();
        assert!(answers[0] * 4 > total && answers[1] * 4 > total, "{class:?}: {answers:?}");
        assert!(answers[2] * 4 < total, "{class:?}: {answers:?}");
        assert!(open * 3 < cases as usize, "{class:?}: {open} cut off");
    }
}

/// An engine that believes divisions never fail.
#[test]
fn the_reducer_finds_the_heart_of_the_matter() {
    let naive = |case: &Case| {
        let text = print::program(&case.program);
        let answer = |formula: &Formula| match formula {
            Formula::Unary(Path::All, Unary::Globally, inner)
                if **inner == Formula::not(Formula::Failed(None)) && text.contains(" / ") =>
            {
                Answer::True
            }
            _ => Answer::Maybe,
        };
        // Refuses what must be refused, so that only the wrong verdict is left.
        let exploration = explore(&case.program, case.class.limits()).expect("small");
        let expected = reference(case, &exploration);
        let said_of = |(formula, expected): (&Formula, Expected)| match expected {
            Expected::Illegal => said(Answer::Error("illegal".into())),
            _ => said(answer(formula)),
        };
        case.formulas.iter().zip(expected).map(said_of).collect()
    };
    let plan = Plan {
        seed: 3,
        classes: vec![Class::Tiny],
        first: 0,
        cases: 4_000,
        time: std::time::Duration::from_secs(40),
        jobs: 2,
        shrinking: Budget::default(),
        enough: 1,
        progress: Progress::Quiet,
    };
    let (statistics, found) = run(&naive, &plan);
    assert!(statistics.total().wrong > 0);
    let (case, judged) = &found[0];
    let text = print::program(&case.program);
    assert_eq!(judged.expected, Expected::False, "{text}");
    assert_eq!(judged.formula.to_string(), "AG !failed");
    assert!(text.lines().count() <= 8, "{text}");
    let fixture = kleene_oracle::differential::fixture(case, judged);
    assert!(fixture.contains("// FAILS: AG !failed\n// got: True"), "{fixture}");
}

#[test]
fn text_needs_no_more_parentheses_than_the_grammar() {
    let (x, y) = (|| var("x"), || var("y"));
    let difference = Expr::binary(Op::Sub, x(), Expr::binary(Op::Sub, y(), num(1)));
    assert_eq!(print::expr(&difference), "x - (y - 1)");
    let chain = Expr::binary(Op::Sub, Expr::binary(Op::Sub, x(), y()), num(1));
    assert_eq!(print::expr(&chain), "x - y - 1");
    let product = Expr::binary(Op::Mul, Expr::binary(Op::Div, x(), num(2)), num(2));
    assert_eq!(print::expr(&product), "x / 2 * 2");
    let scaled = Expr::binary(Op::Rem, Expr::binary(Op::Add, x(), num(-1)), num(3));
    assert_eq!(print::expr(&scaled), "(x + -1) % 3");
    let twice = Expr::Negate(Box::new(Expr::Negate(Box::new(x()))));
    assert_eq!(print::expr(&twice), "-(-x)");
    let less = Cond::compare(Rel::Lt, x(), num(1));
    let mixed = Cond::and(Cond::or(less.clone(), less.clone()), Cond::not(less.clone()));
    assert_eq!(print::cond(&mixed), "(x < 1 || x < 1) && !(x < 1)");
    let choice = Expr::Choose(Box::new(mixed), Box::new(num(1)), Box::new(y()));
    assert_eq!(
        print::expr(&Expr::binary(Op::Add, choice, num(1))),
        "((x < 1 || x < 1) && !(x < 1) ? 1 : y) + 1"
    );
    let nonzero = Expr::Truth(Box::new(Cond::Nonzero(Box::new(x()))));
    assert_eq!(print::expr(&nonzero), "(x != 0)");
    let atom = Formula::Atom(less);
    let next = Formula::unary(Path::Some, Unary::Next, Formula::Terminated);
    let response = Formula::implies(atom.clone(), Formula::implies(next.clone(), atom.clone()));
    assert_eq!(response.to_string(), "x < 1 -> EX terminated -> x < 1");
    let nested = Formula::implies(Formula::implies(atom.clone(), next), Formula::not(atom.clone()));
    assert_eq!(nested.to_string(), "(x < 1 -> EX terminated) -> !(x < 1)");
    let until = Formula::binary(Path::All, Binary::Until, nested, atom);
    assert_eq!(until.to_string(), "A[(x < 1 -> EX terminated) -> !(x < 1) U x < 1]");
}
