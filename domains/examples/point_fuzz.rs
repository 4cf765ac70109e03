//! `cargo run --release -p kleene-domains --example point_fuzz -- 1000000`: so many point checks for
//! each family of operations, on polyhedra of 2 to 6 dimensions with small and huge numbers. A second
//! number changes the seeds.

#[path = "../tests/relation_fuzz/mod.rs"]
mod relation_fuzz;

use kleene_domains::Polyhedron;
use relation_fuzz::{Counts, FAMILIES, run};

fn main() {
    let least: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let spans = [(2, 6), (3, 6), (4, 8), (5, 4), (6, 3), (3, 1 << 40), (3, i64::MAX / 4)];
    let mut total = Counts::default();
    for (seed, (dimensions, span)) in (1..).zip(spans) {
        let started = std::time::Instant::now();
        let seed = seed + std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(0);
        let counts = run::<Polyhedron>(dimensions, span, seed, least.div_ceil(spans.len() as u64));
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        println!("{dimensions} dimensions, span {span}: {:.1} s", started.elapsed().as_secs_f64());
    }
    FAMILIES.iter().zip(total).for_each(|(family, count)| println!("{family:12} {count:9}"));
}
