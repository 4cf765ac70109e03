//! Loop analyses on polyhedra at growing dimensions. `cargo bench -p kleene-domains --bench polyhedra`.

mod loops;

use kleene_domains::Polyhedron;

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
