//! What relations cost and bring: questions that intervals answer, asked both ways; the loops that need
//! relations; and programs of growing size with a polyhedron in every pack. `cargo bench -p kleene --bench
//! relations`.

mod generate;

use std::path::Path;

use kleene::frontend::Language;
use kleene::pipeline::{Options, Verdict, check_text};
use kleene::precision::Domain;

fn main() {
    divan::main();
}

/// A program with a property.
type Question = (String, Vec<String>);

/// The plain expectations of a folder of fixtures: no options, a definite truth.
fn questions(folder: &str) -> Vec<Question> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder);
    let entries = std::fs::read_dir(folder).expect("the fixtures are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cm"));
    let text = |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a fixture");
    paths.iter().map(text).map(|text| (text.clone(), formulas(&text))).collect()
}

fn formulas(text: &str) -> Vec<String> {
    let marked = text.lines().filter_map(|line| line.strip_prefix("//~ "));
    let plain = marked.filter(|line| !line.starts_with('['));
    plain
        .filter_map(|line| line.strip_suffix(" HOLDS").or(line.strip_suffix(" FAILS")))
        .map(String::from)
        .collect()
}

fn ask((text, formulas): &Question, domain: Option<Domain>) -> Vec<Verdict> {
    let options = Options { domain, ..Options::default() };
    let report = check_text("bench.cm", text, Language::CMinus, formulas, &options);
    report.results.iter().map(|result| result.verdict).collect()
}

/// Questions of the traps that intervals decide, by intervals alone and as usual.
#[divan::bench(args = ["intervals", "auto"], sample_count = 10)]
fn nothing_more_needed(bencher: divan::Bencher<'_, '_>, name: &str) {
    let mut asked = questions("traps");
    for question in &mut asked {
        let mut verdicts = ask(question, Some(Domain::Intervals)).into_iter();
        question.1.retain(|_| matches!(verdicts.next(), Some(Verdict::True | Verdict::False)));
    }
    let domain = (name == "intervals").then_some(Domain::Intervals);
    bencher.bench(|| asked.iter().map(|question| ask(question, domain)).collect::<Vec<_>>());
}

/// `AG !failed` of the loops whose asserts need relations.
#[divan::bench(sample_count = 5)]
fn loops(bencher: divan::Bencher<'_, '_>) {
    let mut asked = questions("loops");
    asked.retain(|(_, formulas)| formulas.contains(&"AG !failed".to_string()));
    asked.iter_mut().for_each(|(_, formulas)| *formulas = vec!["AG !failed".into()]);
    bencher.bench(|| {
        for question in &asked {
            assert_eq!(ask(question, None), [Verdict::True], "{}", question.0);
        }
    });
}

/// A generated program of about this many lines, every related variable in a polyhedron or an octagon.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 3)]
fn generated(bencher: divan::Bencher<'_, '_>, lines: usize) {
    let question = (generate::program(lines), vec!["AG !failed".to_string()]);
    bencher.bench(|| assert_eq!(ask(&question, Some(Domain::Polyhedra)), [Verdict::True]));
}
