//! Loop analyses on polyhedra at growing dimensions. `cargo bench -p kleene-domains --bench polyhedra`.

mod loops;
mod widened;

use divan::Bencher;
use kleene_domains::{Polyhedron, Relation};

fn main() {
    divan::main();
}

const DIMENSIONS: [usize; 4] = [4, 8, 12, 16];

#[divan::bench(args = DIMENSIONS)]
fn counters(dimensions: usize) -> Polyhedron {
    loops::counters(dimensions)
}

#[divan::bench(args = DIMENSIONS)]
fn ladder(dimensions: usize) -> Polyhedron {
    loops::ladder(dimensions)
}

#[divan::bench(args = DIMENSIONS)]
fn relay(dimensions: usize) -> Polyhedron {
    loops::relay(dimensions)
}

const WIDENED: [usize; 3] = [8, 12, 16];

/// One question to a polyhedron of which only the constraints are known.
#[divan::bench(args = WIDENED)]
fn asked_by_constraints(bencher: Bencher, dimensions: usize) {
    let (widened, question) = widened::random(dimensions);
    bencher.with_inputs(widened).bench_values(|element| assert!(element.entails(&question)));
}

/// The same once the generators are found: looking for an integer point asks for them.
#[divan::bench(args = WIDENED)]
fn asked_by_generators(bencher: Bencher, dimensions: usize) {
    let (widened, question) = widened::random(dimensions);
    bencher.with_inputs(widened).bench_values(|element| {
        divan::black_box(element.integer_point());
        assert!(element.entails(&question));
    });
}
