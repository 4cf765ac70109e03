//! The abstract structure of a program, for drawing.

use kleene_ctl::{CellId, Truth};

use super::{Options, Prepared, cause, judge};
use crate::budget::Budget;
use crate::interpret::context::Point;
use crate::interpret::explore::Exploration;
use crate::ir::Program;
use crate::precision::{Domain, Precision};
use crate::property::PropertyError;
use crate::source::SourceFile;

#[derive(Clone, Debug)]
pub struct Structure {
    pub cells: Vec<DrawnCell>,
    pub may: Vec<(usize, usize)>,
    pub must: Vec<(usize, Vec<usize>)>,
    pub initial: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct DrawnCell {
    /// Place and known values, a line each.
    pub label: String,
    /// The truth of the formula there.
    pub truth: Truth,
}

/// The structure of the cheapest precision, whether or not it decides the formula: larger ones are not for
/// looking at. `None` if a limit was reached before there was any.
pub fn structure(
    file: &SourceFile,
    program: &Program,
    property: &str,
    options: &Options,
) -> Result<Option<Structure>, PropertyError> {
    let prepared = Prepared::new(file, program, property, options)?;
    let budget = Budget::new(super::MOST_STEPS, Some(options.timeout));
    let precision = match options.domain {
        None | Some(Domain::Intervals) => Precision::joined(),
        Some(domain) => Precision { domain, ..Precision::related() },
    };
    let explored = prepared.explore(precision, None, &budget);
    Ok(explored.ok().map(|exploration| draw(file, &prepared, &exploration, &budget)))
}

fn draw(file: &SourceFile, prepared: &Prepared, exploration: &Exploration<'_>, budget: &Budget) -> Structure {
    let (model, checked) = judge::checked(prepared, exploration, budget);
    let mut drawn = Structure { cells: Vec::new(), may: Vec::new(), must: Vec::new(), initial: Vec::new() };
    for cell in model.cell_ids() {
        drawn
            .cells
            .push(DrawnCell { label: label(file, prepared, exploration, cell), truth: checked.truth(cell) });
        drawn.may.extend(model.may_successors(cell).iter().map(|to| (cell.index(), to.index())));
        let all = model.may_successors(cell).iter().map(|to| to.index()).collect();
        let mut must: Vec<Vec<usize>> =
            model.must_edges(cell).map(|targets| targets.iter().map(|to| to.index()).collect()).collect();
        // By totality the successors together are a must edge, stored or not.
        if must.is_empty() {
            must.push(all);
        }
        drawn.must.extend(must.into_iter().map(|targets| (cell.index(), targets)));
    }
    drawn.initial = model.initial().iter().map(|cell| cell.index()).collect();
    drawn
}

fn label(file: &SourceFile, prepared: &Prepared, exploration: &Exploration<'_>, cell: CellId) -> String {
    let node = exploration.transfer.contexts.node(exploration.cells[cell.index()].node);
    let context = exploration.transfer.contexts.get(node.context);
    let function = prepared.program.function(context.function);
    let place = match node.point {
        Point::At(_) if exploration.transfer.is_terminal(exploration.cells[cell.index()].node) => {
            "end".into()
        }
        Point::At(location) => {
            let span = function.graph[location].span;
            let text = file.snippet(span).lines().next().unwrap_or_default().trim().to_string();
            format!("{}:{} {text}", function.name, file.line_named(span))
        }
        Point::Stopped => "stopped".into(),
        Point::Failed(kind) => format!("failed({kind})"),
        Point::Discarded => "discarded".into(),
        Point::Stuck => "does not return".into(),
    };
    let values = cause::values(prepared, exploration, cell).in_words();
    format!("{place}\n{}", values.join("\n")).trim_end().to_string()
}
