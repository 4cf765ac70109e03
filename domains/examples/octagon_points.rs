//! No point lost, a million times per family of operations or as often as the argument says.

#[path = "../tests/octagon_points.rs"]
mod points;

use kleene_domains::Octagon;
use points::{Checker, FAMILIES};

fn main() {
    let wanted =
        std::env::args().nth(1).map_or(1_000_000, |count| count.parse().expect("a number of points"));
    let mut checker = Checker::seeded(22);
    while checker.checked.iter().any(|count| *count < wanted) {
        checker.sequence::<Octagon>(40, 6);
    }
    for (family, count) in FAMILIES.iter().zip(checker.checked) {
        println!("{family:<12}{count:>12} points");
    }
}
