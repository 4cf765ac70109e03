//! What analyses asked of relations, asked of ours and of APRON's by turns: the ratio of the times, sequence by
//! sequence. `cargo bench -p kleene-apron --features link --bench recorded`.

#[path = "../../benches/recorded/mod.rs"]
mod files;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use kleene_apron::{ApronOctagon, ApronPolyhedron};
use kleene_domains::recording::Recording;
use kleene_domains::{Octagon, Polyhedron, Relation};

/// Of each side.
const FEWEST_SAMPLES: usize = 3;
const MOST_SAMPLES: usize = 51;
const TIME: Duration = Duration::from_millis(400);

fn main() {
    compare::<Polyhedron, ApronPolyhedron>("polyhedra", "polka");
    compare::<Octagon, ApronOctagon>("octagons", "oct");
}

fn compare<Ours: Relation, Theirs: Relation>(kind: &str, theirs: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/recorded");
    let mut all = Vec::new();
    for dimensions in [4, 8, 12, 16] {
        let mut ratios = Vec::new();
        for (name, recording) in files::recordings(&folder, dimensions) {
            let (ours, other) = medians::<Ours, Theirs>(&recording);
            let ratio = ours.as_secs_f64() / other.as_secs_f64();
            println!(
                "{kind} {name}: {:5} steps, ours {ours:9.2?}, {theirs} {other:9.2?}, ratio {ratio:.3}",
                recording.steps.len()
            );
            ratios.push(ratio);
        }
        summary(&format!("{kind} / {theirs}, {dimensions} dimensions"), &mut ratios);
        all.append(&mut ratios);
    }
    summary(&format!("{kind} / {theirs}, all"), &mut all);
}

fn summary(what: &str, ratios: &mut [f64]) {
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let median = ratios[ratios.len() / 2];
        println!("{what}: {} sequences, median {median:.3}, {least:.3} to {most:.3}", ratios.len());
    }
}

/// By turns, so that both have the same company.
fn medians<Ours: Relation, Theirs: Relation>(recording: &Recording) -> (Duration, Duration) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    while ours.len() < FEWEST_SAMPLES || (begin.elapsed() < TIME && ours.len() < MOST_SAMPLES) {
        ours.push(time::<Ours>(recording));
        theirs.push(time::<Theirs>(recording));
    }
    (median(ours), median(theirs))
}

fn time<R: Relation>(recording: &Recording) -> Duration {
    let begin = Instant::now();
    recording.replay::<R>(|_, answer| {
        black_box(answer);
    });
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
