//! Loop analyses on ours and on APRON's, at growing dimensions.
//! `cargo bench -p kleene-apron --features link`.

#[path = "../../benches/loops/mod.rs"]
mod loops;

use kleene_apron::{ApronOctagon, ApronPolyhedron};
use kleene_domains::{Constraint, Int, LinearExpr, Octagon, Polyhedron, Relation, Var};

fn main() {
    divan::main();
}

const DIMENSIONS: [usize; 4] = [4, 8, 12, 16];

#[divan::bench(types = [Polyhedron, ApronPolyhedron], args = DIMENSIONS, max_time = 5)]
fn counters<R: Relation>(dimensions: usize) -> R {
    loops::counters(dimensions)
}

#[divan::bench(types = [Polyhedron, ApronPolyhedron, Octagon, ApronOctagon], args = DIMENSIONS, max_time = 5)]
fn ladder<R: Relation>(dimensions: usize) -> R {
    loops::ladder(dimensions)
}

#[divan::bench(types = [Polyhedron, ApronPolyhedron, Octagon, ApronOctagon], args = DIMENSIONS, max_time = 5)]
fn relay<R: Relation>(dimensions: usize) -> R {
    loops::relay(dimensions)
}

/// For each two variables after n, one loop: `i = 0; j = n; while i < n { i++; j-- }`.
#[divan::bench(types = [Polyhedron, ApronPolyhedron, Octagon, ApronOctagon], args = DIMENSIONS, max_time = 5)]
fn meeting<R: Relation>(dimensions: usize) -> R {
    let x = |at: usize| LinearExpr::variable(Var(at as u32));
    let one = LinearExpr::constant(Int::ONE);
    let mut state = R::top(dimensions);
    state.constrain(&[Constraint::at_least_zero(x(0))]);
    for i in (1..dimensions - 1).step_by(2) {
        state.assign(Var(i as u32), &LinearExpr::constant(Int::ZERO));
        state.assign(Var(i as u32 + 1), &x(0));
        loop {
            let mut body = state.clone();
            body.constrain(&[Constraint::at_least_zero(x(0).minus(&x(i)).minus(&one))]);
            body.assign(Var(i as u32), &x(i).plus(&one));
            body.assign(Var(i as u32 + 1), &x(i + 1).minus(&one));
            if body.leq(&state) {
                break;
            }
            state = state.widen(&state.join(&body), &[]);
        }
        state.constrain(&[Constraint::at_least_zero(x(i).minus(&x(0)))]);
    }
    state
}
