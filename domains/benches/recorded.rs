//! What analyses asked of relations, asked again. `cargo bench -p kleene-domains --bench recorded`; beside
//! APRON's in `kleene-apron`.

#[path = "recorded/mod.rs"]
mod files;

use std::path::Path;

use divan::{Bencher, black_box};
use kleene_domains::{Octagon, Polyhedron, Relation};

fn main() {
    divan::main();
}

const DIMENSIONS: [usize; 4] = [4, 8, 12, 16];

/// All sequences of so many dimensions.
#[divan::bench(types = [Polyhedron, Octagon], args = DIMENSIONS, sample_count = 10)]
fn recorded<R: Relation>(bencher: Bencher<'_, '_>, dimensions: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/recorded");
    let recordings = files::recordings(&folder, dimensions);
    bencher.bench(|| {
        for (_, recording) in &recordings {
            recording.replay::<R>(|_, answer| drop(black_box(answer)));
        }
    });
}
