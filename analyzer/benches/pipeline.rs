//! Whole questions, from text to verdict: the Safety-Injection System, and generated programs of growing
//! size. `cargo bench -p kleene`.

mod generate;

use kleene::frontend::Language;
use kleene::granularity::Granularity;
use kleene::pipeline::{Options, Verdict, check_text};

fn main() {
    divan::main();
}

fn fixture(name: &str) -> String {
    let path = format!("{}/../fixtures/papers/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the fixture is there")
}

/// Model and all four properties of the published case study, at ticks.
#[divan::bench(args = ["E-SIS-A.cm", "E-SIS-B.cm"], sample_count = 20)]
fn safety_injection(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = fixture(name);
    let properties = [
        "AG (Reset == 1 && Pressure != 2 -> Overriden == 0)",
        "AG (Reset == 1 && Pressure == 0 -> Injection == 1)",
        "AG (Block == 1 && Reset == 0 && Pressure != 2 -> Overriden == 1)",
        "AG (Pressure == 1 && WaterPres <= 15 -> AX (WaterPres >= 15 -> AF (Pressure == 2)))",
    ]
    .map(String::from);
    let options = Options { granularity: Granularity::Tick, ..Options::default() };
    bencher.bench(|| {
        let report = check_text(name, &text, Language::CMinus, &properties, &options);
        assert!(report.results.iter().all(|result| result.verdict != Verdict::Maybe));
        report
    });
}

/// A generated program of about this many lines: does it fail, does it end.
#[divan::bench(args = [1_000, 2_000, 5_000, 10_000], sample_count = 3)]
fn generated(bencher: divan::Bencher<'_, '_>, lines: usize) {
    let text = generate::program(lines);
    let properties = ["AG !failed", "AF terminated"].map(String::from);
    bencher.bench(|| {
        let report = check_text("generated.cm", &text, Language::CMinus, &properties, &Options::default());
        assert!(report.results.iter().all(|result| result.verdict == Verdict::True));
        report
    });
}
