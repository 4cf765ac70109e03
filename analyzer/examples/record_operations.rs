//! Records the operations on relations for the benches of `domains`: analyses of the loops of
//! `fixtures/loops`, one after the other in one program, until it has 4, 8, 12 and 16 variables in one pack.
//! `cargo run --release -p kleene --features record --example record_operations` rewrites
//! `domains/benches/recorded`.

use std::cmp::Ordering;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use kleene::frontend::Language;
use kleene::pipeline::{Options, check_text};
use kleene::precision::{Domain, Precision};
use kleene_domains::recording::{Recording, record};

const DIMENSIONS: [usize; 4] = [4, 8, 12, 16];
/// Of each number of dimensions.
const SEQUENCES: usize = 8;
/// Each begins with another program, so many apart.
const STRIDE: usize = 7;

const KEPT: [&str; 15] = [
    "int", "if", "else", "while", "for", "return", "break", "continue", "true", "false", "nondet", "assert",
    "print", "assume", "main",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let loops = loops(&root.join("fixtures/loops"));
    let folder = root.join("domains/benches/recorded");
    fs::create_dir_all(&folder).expect("a folder for the recordings");
    for dimensions in DIMENSIONS {
        let starts = (0..loops.len()).map(|at| at * STRIDE % loops.len());
        let mut known: Vec<String> = Vec::new();
        for chosen in starts.filter_map(|start| choice(&loops, start, dimensions)) {
            let names: Vec<&str> = chosen.iter().map(|one| one.name.as_str()).collect();
            let names = names.join(", ");
            if known.contains(&names) {
                continue;
            }
            let recording = recorded(&chosen, Domain::Polyhedra);
            assert_eq!(recording.dimensions(), dimensions, "{names}");
            let file = folder.join(format!("{dimensions:02}-{}.ops", known.len() + 1));
            fs::write(file, format!("# {names}\n{recording}")).expect("the recording can be written");
            println!("{dimensions} dimensions, {} steps: {names}", recording.steps.len());
            known.push(names);
            if known.len() == SEQUENCES {
                break;
            }
        }
    }
}

/// A program of one function without arrays.
struct Loop {
    name: String,
    globals: String,
    body: String,
    variables: Vec<String>,
    /// The first variable that begins with an input.
    input: Option<String>,
}

fn loops(folder: &Path) -> Vec<Loop> {
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "cm"))
        .filter_map(|path| read(path))
        .collect()
}

fn read(path: &Path) -> Option<Loop> {
    let text = fs::read_to_string(path).expect("a fixture");
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let (globals, body) = code.split_once("int main() {")?;
    let (body, rest) = body.rsplit_once('}')?;
    if !rest.trim().is_empty() || globals.contains(['(', '[']) {
        return None;
    }
    let declared = code.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("int "));
    let declared = declared.filter(|line| !line.starts_with("main("));
    let mut variables: Vec<String> = Vec::new();
    let mut input = None;
    for line in declared {
        let name = line.split(|c: char| !c.is_alphanumeric() && c != '_').next()?.to_string();
        if input.is_none() && line.contains("= nondet(") && body.contains(&format!("\n    int {line}")) {
            input = Some(name.clone());
        }
        if !variables.contains(&name) {
            variables.push(name);
        }
    }
    let name = path.file_stem()?.to_str()?.to_string();
    Some(Loop { name, globals: globals.into(), body: body.into(), variables, input })
}

/// Programs from `start` on, but for those that would make the pack too large. Inputs of conditions may be
/// variables too, so that only an analysis tells.
fn choice(loops: &[Loop], start: usize, dimensions: usize) -> Option<Vec<&Loop>> {
    let mut chosen = Vec::new();
    for one in loops.iter().cycle().skip(start).take(loops.len()) {
        chosen.push(one);
        match recorded(&chosen, Domain::Octagons).dimensions().cmp(&dimensions) {
            Ordering::Less => {}
            Ordering::Equal => return Some(chosen),
            Ordering::Greater => drop(chosen.pop()),
        }
    }
    None
}

/// One after the other, names told apart by their number. An endless loop ends at some time, and each input
/// is at least that of the program before, so that no part is independent of the others.
fn combined(chosen: &[&Loop]) -> String {
    let (mut globals, mut body, mut before) = (String::new(), String::new(), None);
    for (number, one) in chosen.iter().enumerate() {
        globals.push_str(&renamed(&one.globals, number));
        let text = renamed(&one.body.replace("while (true)", "while (nondet(0, 1))"), number);
        let input = one.input.as_ref().map(|input| format!("{input}_{number}"));
        for line in text.lines() {
            writeln!(body, "{line}").expect("a string takes it");
            let own = input.as_ref().filter(|input| line.starts_with(&format!("    int {input} ")));
            if let (Some(own), Some(before)) = (own, &before) {
                writeln!(body, "    assume({before} <= {own});").expect("a string takes it");
            }
        }
        before = input.or(before);
    }
    format!("{globals}\nint main() {{\n{body}}}\n")
}

fn renamed(text: &str, number: usize) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        result.push_str(&word);
        if word.starts_with(|c: char| !c.is_numeric()) && !KEPT.contains(&word.as_str()) {
            write!(result, "_{number}").expect("a string takes it");
        }
        word.clear();
        result.push(c);
    }
    result
}

fn recorded(chosen: &[&Loop], domain: Domain) -> Recording {
    let numbered = chosen.iter().enumerate();
    let names =
        numbered.flat_map(|(number, one)| one.variables.iter().map(move |name| format!("{name}_{number}")));
    // Mentions every variable, so that all are in one pack to the end, and splits nothing.
    let nothing: Vec<String> = names.map(|name| format!("{name} - {name}")).collect();
    let formula = format!("AG(!failed && {} == 0)", nothing.join(" + "));
    let precision = Precision { domain, ..Precision::related() };
    let options = Options { ladder: Some(vec![precision]), ..Options::default() };
    let text = combined(chosen);
    let (report, recording) =
        record(|| check_text("recorded.cm", &text, Language::CMinus, &[formula], &options));
    assert!(report.diagnostics.is_empty(), "{:?}\n{text}", report.diagnostics);
    recording
}
