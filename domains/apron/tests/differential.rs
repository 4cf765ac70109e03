//! Ours against APRON's on ten thousand random operation sequences.
//!
//! Before each operation the operands of both are built from the same constraints, so that a
//! difference shows where it arises. Results are compared as sets of integers: APRON's are read back and tightened.

use std::fmt::Debug;

use kleene_apron::{ApronOctagon, ApronPolyhedron};
use kleene_domains::laws::Numbers;
use kleene_domains::{Bound, Constraint, Int, Lattice, LinearExpr, Octagon, Polyhedron, Relation, Var};

const SEQUENCES: usize = 10_000;
const STEPS: usize = 8;

#[derive(Clone, Debug)]
enum Step {
    Constrain(Vec<Constraint>),
    Assign(Var, LinearExpr),
    Forget(Var),
    Join,
    Meet,
    Widen,
    Rearrange(Vec<Option<Var>>),
}

/// Whether forms are `±x ± y + c` only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    Octagonal,
    Linear,
}

fn form(numbers: &mut Numbers, dimensions: usize, forms: Forms, most: usize) -> LinearExpr {
    let (terms, reach) = match forms {
        Forms::Octagonal => (1 + numbers.below(most), 1),
        Forms::Linear => (1 + numbers.below(3), 3),
    };
    let mut picked: Vec<(Var, Int)> = Vec::new();
    for _ in 0..terms {
        let variable = Var(numbers.below(dimensions) as u32);
        if picked.iter().all(|(other, _)| *other != variable) {
            let factor = numbers.between(1, reach) * [1, -1][numbers.below(2)];
            picked.push((variable, Int::from(factor)));
        }
    }
    LinearExpr::from_terms(picked, Int::from(numbers.between(-6, 6)))
}

fn step(numbers: &mut Numbers, dimensions: usize, forms: Forms) -> Step {
    let variable = Var(numbers.below(dimensions) as u32);
    match numbers.below(12) {
        0..=3 => {
            let constraint = |numbers: &mut Numbers| match numbers.below(5) {
                0 => Constraint::zero(form(numbers, dimensions, forms, 2)),
                _ => Constraint::at_least_zero(form(numbers, dimensions, forms, 2)),
            };
            Step::Constrain((0..1 + numbers.below(3)).map(|_| constraint(numbers)).collect())
        }
        4..=6 => Step::Assign(variable, form(numbers, dimensions, forms, 1)),
        7 => Step::Forget(variable),
        8 => Step::Join,
        9 => Step::Meet,
        10 => Step::Widen,
        _ => {
            let mut from: Vec<Option<Var>> = (0..dimensions as u32).map(|at| Some(Var(at))).collect();
            from.swap(numbers.below(dimensions), numbers.below(dimensions));
            if numbers.below(2) == 0 {
                from[numbers.below(dimensions)] = None;
            }
            Step::Rearrange(from)
        }
    }
}

fn apply<R: Relation>(step: &Step, state: &R, other: &R) -> R {
    let mut result = state.clone();
    match step {
        Step::Constrain(constraints) => result.constrain(constraints),
        Step::Assign(variable, form) => result.assign(*variable, form),
        Step::Forget(variable) => result.forget(*variable),
        Step::Join => result = state.join(other),
        Step::Meet => result = state.meet(other),
        Step::Widen => result = state.widen(other, &[]),
        Step::Rearrange(from) => result = state.rearranged(from),
    }
    result
}

fn built<R: Relation>(dimensions: usize, constraints: &[Constraint]) -> R {
    let mut relation = R::top(dimensions);
    relation.constrain(constraints);
    relation
}

/// Every octagonal bound of a closed octagon: widening compares with what its left side was told.
fn told(octagon: &Octagon) -> ApronOctagon {
    let dimensions = octagon.dimensions();
    if octagon.is_bottom() {
        return ApronOctagon::bottom(dimensions);
    }
    let variables = || (0..dimensions as u32).map(|at| LinearExpr::variable(Var(at)));
    let mut sums: Vec<LinearExpr> = variables().collect();
    for (index, x) in variables().enumerate() {
        sums.extend(variables().take(index).flat_map(|y| [x.plus(&y), x.minus(&y)]));
    }
    let mut constraints = Vec::new();
    for sum in sums {
        let bounds = octagon.bounds(&sum).expect("not empty");
        if let Bound::Finite(low) = bounds.low() {
            constraints.push(Constraint::at_least_zero(sum.minus(&LinearExpr::constant(low.clone()))));
        }
        if let Bound::Finite(high) = bounds.high() {
            constraints.push(Constraint::at_least_zero(LinearExpr::constant(high.clone()).minus(&sum)));
        }
    }
    built(dimensions, &constraints)
}

#[derive(Debug, Default)]
struct Tally {
    equal: usize,
    ours_smaller: usize,
    theirs_smaller: usize,
    neither: usize,
}

impl Tally {
    fn add<R: Relation>(&mut self, ours: &R, theirs: &R) {
        match (ours.leq(theirs), theirs.leq(ours)) {
            (true, true) => self.equal += 1,
            (true, false) => self.ours_smaller += 1,
            (false, true) => self.theirs_smaller += 1,
            (false, false) => self.neither += 1,
        }
    }
}

fn run<R: Relation>(seed: u64, dimensions: usize, forms: Forms, mut check: impl FnMut(&Step, &R, &R, &R)) {
    let mut numbers = Numbers::seeded(seed);
    for _ in 0..SEQUENCES {
        let dimensions = 2 + numbers.below(dimensions - 1);
        let mut pool = [R::top(dimensions), R::top(dimensions)];
        for _ in 0..STEPS {
            let step = step(&mut numbers, dimensions, forms);
            let at = numbers.below(2);
            let result = apply(&step, &pool[at], &pool[1 - at]);
            check(&step, &pool[at], &pool[1 - at], &result);
            // What is told is what is kept: polyhedra are tight only once they are asked.
            pool[at] = if result.is_bottom() {
                R::top(dimensions)
            } else {
                built(dimensions, &result.constraints())
            };
        }
    }
}

/// The same octagon after every operation that both do exactly.
#[test]
fn octagons_agree_on_octagonal_forms() {
    let mut compared = 0;
    run::<Octagon>(41, 5, Forms::Octagonal, |step, state, other, ours| {
        let theirs = apply(step, &told(state), &told(other));
        let read: Octagon = built(ours.dimensions(), &theirs.constraints());
        assert_eq!(*ours, read, "{state} and {other}: {step:?}");
        compared += 1;
    });
    println!("{compared} results, all equal");
}

/// Longer forms are approximated on both sides, each in its own way.
#[test]
fn octagons_on_linear_forms() {
    let mut tally = Tally::default();
    run::<Octagon>(42, 4, Forms::Linear, |step, state, other, ours| {
        let theirs = apply(step, &told(state), &told(other));
        tally.add(ours, &built(ours.dimensions(), &theirs.constraints()));
    });
    println!("{tally:?}");
    assert!(tally.ours_smaller > 10 * (tally.theirs_smaller + tally.neither), "{tally:?}");
}

/// Ours is included in APRON's and holds the same integer points.
#[test]
fn polyhedra_agree() {
    let (mut tally, mut widened, mut degraded) = (Tally::default(), Tally::default(), 0);
    run::<Polyhedron>(43, 4, Forms::Linear, |step, state, other, result| {
        let dimensions = state.dimensions();
        let told = |relation: &Polyhedron| built::<ApronPolyhedron>(dimensions, &relation.constraints());
        let theirs = apply(step, &told(state), &told(other));
        // Both may keep more than they say, as long as it is no integer point.
        let [ours, read] = [result.constraints(), theirs.constraints()]
            .map(|constraints| built::<Polyhedron>(dimensions, &constraints));
        if result.is_degraded() || read.is_degraded() {
            degraded += 1;
        } else if matches!(step, Step::Widen) {
            widened.add(&ours, &read);
        } else {
            tally.add(&ours, &read);
            assert!(ours.leq(&read), "{state} and {other}: {step:?}\n{ours} exceeds {read}");
            for kept in ours.constraints().iter().flat_map(Constraint::inequalities) {
                let mut beyond = read.clone();
                beyond.constrain(&kept.complement().into_iter().collect::<Vec<_>>());
                let lost = beyond.integer_point();
                assert!(lost.is_none(), "{state} and {other}: {step:?}\n{ours} loses {lost:?} of {read}");
            }
        }
    });
    println!("{tally:?}, widening {widened:?}, {degraded} degraded");
}
