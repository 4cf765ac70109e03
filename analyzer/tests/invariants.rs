//! What loop heads hold, visit by visit: goldens beside their programs in `fixtures/invariants`.
//!
//! `KLEENE_BLESS=1` rewrites them; review the diff.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kleene::budget::Budget;
use kleene::frontend::{self, FrontendOptions, Language};
use kleene::interpret::context::Point;
use kleene::ir::VariableId;
use kleene::pipeline::{Options, Prepared};
use kleene::precision::Precision;
use kleene::source::{FileId, SourceFile};
use kleene_domains::Var;
use kleene_domains::numeric::NumericState;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// The hulls of the globals at the head of the loop on `line`, after each visit.
fn visits(program: &Path, line: u32) -> String {
    let text = std::fs::read_to_string(program).expect("the program is there");
    let file = SourceFile::new(FileId(0), "program.cm", text);
    let lowered =
        frontend::lower(&file, Language::CMinus, &FrontendOptions::default()).expect("the program is right");
    let globals: Vec<String> = lowered.program.globals.iter().map(|global| global.name.clone()).collect();
    // A formula that mentions every global, so that all are tracked and nothing is split.
    let all: Vec<String> = globals.iter().map(|name| format!("{name} - {name} == 0")).collect();
    let prepared = Prepared::new(&file, &lowered.program, &all.join(" && "), &Options::default())
        .unwrap_or_else(|error| panic!("{}", error.message));
    let precision = Precision { records_visits: true, ..Precision::joined() };
    let explored = prepared.explore(precision, None, &Budget::unlimited());
    let exploration = explored.unwrap_or_else(|_| panic!("nothing limits this"));
    let mut table = format!("visit  {}\n", globals.join("  "));
    let mut number = 0;
    for (node, state) in &exploration.visits {
        let at = exploration.transfer.contexts.node(*node);
        let function = &prepared.program.function(exploration.transfer.contexts.get(at.context).function);
        let Point::At(location) = at.point else { continue };
        if file.line_of(function.graph[location].span) != line {
            continue;
        }
        number += 1;
        let hulls = (0..globals.len() as u32).map(|global| {
            let layout = &exploration.transfer.scope.layout;
            let slot = layout.first_slot(prepared.program.entry, VariableId::Global(global));
            state.get(Var(slot)).hull().map_or("nothing".into(), |hull| hull.to_string())
        });
        writeln!(table, "{number}  {}", hulls.collect::<Vec<_>>().join("  ")).expect("a string takes it");
    }
    table
}

fn compare(golden: &Path, table: &str) {
    if std::env::var_os("KLEENE_BLESS").is_some() {
        std::fs::write(golden, table).expect("the golden can be written");
    }
    let expected = std::fs::read_to_string(golden).expect("the golden is there");
    assert_eq!(table, expected, "{} (KLEENE_BLESS=1 rewrites it)", golden.display());
}

/// Table 1 of Chechik and Ding: b and xy at the head of the loop of their Figure 3.
#[test]
fn the_published_table_of_figure_3() {
    let program = fixtures().join("papers/E-FIG3.cm");
    let text = std::fs::read_to_string(&program).expect("the program is there");
    let line =
        text.lines().position(|line| line.trim_start().starts_with("while")).expect("a loop") as u32 + 1;
    let table = visits(&program, line);
    compare(&fixtures().join("invariants/E-FIG3.visits"), &table);
    let published = [
        (1, "[13, 13]", "[-20, -20]"),
        (6, "[5, 416]", "[-20, 0]"),
        (7, "[5, 832]", "[-20, 4]"),
        (19, "[5, 3407872]", "[-20, 52]"),
        (20, "[5, +∞]", "[-20, +∞]"),
    ];
    for (visit, b, xy) in published {
        let row = table.lines().nth(visit).unwrap_or_else(|| panic!("no visit {visit} in\n{table}"));
        assert!(row.contains(b) && row.contains(xy), "visit {visit}: {row}, published {b} {xy}");
    }
    // Later visits settle congruences and gaps, which the hulls do not show.
    let hulls = |row: &str| row.split_once("  ").map(|(_, hulls)| hulls.to_string());
    let widened = table.lines().nth(20).and_then(hulls);
    assert!(
        table.lines().skip(21).all(|row| hulls(row) == widened),
        "nothing changes after visit 20:\n{table}"
    );
}
