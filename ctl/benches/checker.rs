//! The checker on a random graph of 10^6 cells and 2.5·10^6 edges, beside a plain two-valued implementation
//! on arrays; and what the third value costs on the same graph with hyper-edges.
//!
//! `cargo bench -p kleene-ctl --bench checker`

use divan::Bencher;
use kleene_ctl::{
    AtomId, CellId, Formula, Model, ModelBuilder, NoProgress, Quantifier, Truth, check, parse_model,
};
use std::fmt::Write;
use std::sync::LazyLock;

const CELLS: usize = 1_000_000;
const EDGES: usize = 2_500_000;

fn main() {
    divan::main();
}

struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) as usize) % bound
    }
}

/// Edges in both directions as compressed rows, and two label arrays.
struct Plain {
    successors: (Vec<u32>, Vec<u32>),
    predecessors: (Vec<u32>, Vec<u32>),
    p: Vec<bool>,
    q: Vec<bool>,
}

fn edges() -> Vec<(usize, usize)> {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    let mut edges: Vec<(usize, usize)> = (0..CELLS).map(|from| (from, random.below(CELLS))).collect();
    edges.extend((CELLS..EDGES).map(|_| (random.below(CELLS), random.below(CELLS))));
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn rows(edges: impl Iterator<Item = (usize, usize)> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; CELLS + 1];
    edges.clone().for_each(|(from, _)| starts[from + 1] += 1);
    (0..CELLS).for_each(|cell| starts[cell + 1] += starts[cell]);
    let mut next = starts.clone();
    let mut values = vec![0u32; *starts.last().expect("not empty") as usize];
    for (from, to) in edges {
        values[next[from] as usize] = to as u32;
        next[from] += 1;
    }
    (starts, values)
}

static PLAIN: LazyLock<Plain> = LazyLock::new(|| {
    let edges = edges();
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    Plain {
        successors: rows(edges.iter().copied()),
        predecessors: rows(edges.iter().map(|(from, to)| (*to, *from))),
        p: (0..CELLS).map(|_| random.below(10) != 0).collect(),
        q: (0..CELLS).map(|_| random.below(1000) == 0).collect(),
    }
});

fn model(mut add_edges: impl FnMut(&mut ModelBuilder, CellId, &[CellId])) -> Model {
    let plain = &*PLAIN;
    let mut builder = ModelBuilder::new(CELLS, 2);
    for cell in 0..CELLS {
        let id = CellId(cell as u32);
        let row: Vec<CellId> = plain.row(&plain.successors, cell).iter().map(|to| CellId(*to)).collect();
        add_edges(&mut builder, id, &row);
        builder.label(AtomId(0), id, Truth::from_bool(plain.p[cell]));
        builder.label(AtomId(1), id, Truth::from_bool(plain.q[cell]));
    }
    builder.initial(CellId(0));
    builder.build().expect("a model")
}

static EXACT: LazyLock<Model> =
    LazyLock::new(|| model(|builder, from, row| row.iter().for_each(|to| builder.step(from, *to))));

/// Every edge may only, but for a hyper-edge to all targets but the last.
static HYPER: LazyLock<Model> = LazyLock::new(|| {
    model(|builder, from, row| {
        row.iter().for_each(|to| builder.may(from, *to));
        if row.len() > 1 {
            builder.must(from, &row[..row.len() - 1]);
        }
    })
});

impl Plain {
    fn row<'a>(&self, rows: &'a (Vec<u32>, Vec<u32>), cell: usize) -> &'a [u32] {
        &rows.1[rows.0[cell] as usize..rows.0[cell + 1] as usize]
    }

    fn exists_until(&self, path: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut inside = goal.to_vec();
        let mut pending: Vec<u32> = (0..CELLS as u32).filter(|cell| goal[*cell as usize]).collect();
        while let Some(cell) = pending.pop() {
            for &before in self.row(&self.predecessors, cell as usize) {
                if path[before as usize] && !inside[before as usize] {
                    inside[before as usize] = true;
                    pending.push(before);
                }
            }
        }
        inside
    }

    fn all_future(&self, goal: &[bool]) -> Vec<bool> {
        let mut inside = goal.to_vec();
        let starts = &self.successors.0;
        let mut missing: Vec<u32> = (0..CELLS).map(|cell| starts[cell + 1] - starts[cell]).collect();
        let mut pending: Vec<u32> = (0..CELLS as u32).filter(|cell| goal[*cell as usize]).collect();
        while let Some(cell) = pending.pop() {
            for &before in self.row(&self.predecessors, cell as usize) {
                if !inside[before as usize] {
                    missing[before as usize] -= 1;
                    if missing[before as usize] == 0 {
                        inside[before as usize] = true;
                        pending.push(before);
                    }
                }
            }
        }
        inside
    }

    fn exists_globally(&self, keep: &[bool]) -> Vec<bool> {
        let lost: Vec<bool> = keep.iter().map(|kept| !kept).collect();
        self.all_future(&lost).into_iter().map(|lost| !lost).collect()
    }
}

fn p() -> Formula<AtomId> {
    Formula::Atom(AtomId(0))
}

fn q() -> Formula<AtomId> {
    Formula::Atom(AtomId(1))
}

fn run(bencher: Bencher<'_, '_>, model: &Model, formula: &Formula<AtomId>) {
    bencher.bench_local(|| check(model, formula, &NoProgress).verdict_over_initial());
}

#[divan::bench_group(sample_count = 20, sample_size = 1)]
mod plain_arrays {
    use super::*;

    #[divan::bench]
    fn eu(bencher: Bencher<'_, '_>) {
        let plain = &*PLAIN;
        bencher.bench_local(|| plain.exists_until(&plain.p, &plain.q));
    }

    #[divan::bench]
    fn ef(bencher: Bencher<'_, '_>) {
        let plain = &*PLAIN;
        let all = vec![true; CELLS];
        bencher.bench_local(|| plain.exists_until(&all, &plain.q));
    }

    #[divan::bench]
    fn eg(bencher: Bencher<'_, '_>) {
        let plain = &*PLAIN;
        bencher.bench_local(|| plain.exists_globally(&plain.p));
    }

    #[divan::bench]
    fn af(bencher: Bencher<'_, '_>) {
        let plain = &*PLAIN;
        bencher.bench_local(|| plain.all_future(&plain.p));
    }
}

#[divan::bench_group(sample_count = 20, sample_size = 1)]
mod two_valued_graph {
    use super::*;

    #[divan::bench]
    fn eu(bencher: Bencher<'_, '_>) {
        run(bencher, &EXACT, &p().until(Quantifier::Exists, q()));
    }

    #[divan::bench]
    fn ef(bencher: Bencher<'_, '_>) {
        run(bencher, &EXACT, &q().future(Quantifier::Exists));
    }

    #[divan::bench]
    fn eg(bencher: Bencher<'_, '_>) {
        run(bencher, &EXACT, &p().globally(Quantifier::Exists));
    }

    #[divan::bench]
    fn af(bencher: Bencher<'_, '_>) {
        run(bencher, &EXACT, &p().future(Quantifier::All));
    }
}

#[divan::bench_group(sample_count = 20, sample_size = 1)]
mod hyper_edges {
    use super::*;

    #[divan::bench]
    fn eu(bencher: Bencher<'_, '_>) {
        run(bencher, &HYPER, &p().until(Quantifier::Exists, q()));
    }

    #[divan::bench]
    fn ef(bencher: Bencher<'_, '_>) {
        run(bencher, &HYPER, &q().future(Quantifier::Exists));
    }

    #[divan::bench]
    fn eg(bencher: Bencher<'_, '_>) {
        run(bencher, &HYPER, &p().globally(Quantifier::Exists));
    }

    #[divan::bench]
    fn af(bencher: Bencher<'_, '_>) {
        run(bencher, &HYPER, &p().future(Quantifier::All));
    }
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn load_text(bencher: Bencher<'_, '_>) {
    let plain = &*PLAIN;
    let mut text = String::new();
    for cell in 0..CELLS {
        let _ = write!(text, "state {cell}{}", if cell == 0 { " init" } else { "" });
        text.push_str(if plain.p[cell] { " p\n" } else { "\n" });
        let _ = write!(text, "step {cell}");
        plain.row(&plain.successors, cell).iter().for_each(|to| _ = write!(text, " {to}"));
        text.push('\n');
    }
    bencher.bench_local(|| parse_model(&text).expect("a model").model.may_edge_count());
}
