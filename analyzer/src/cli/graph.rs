//! `kleene graph`: flow graphs and structures as Graphviz text.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use kleene_ctl::{AtomId, NamedModel, NoProgress, Truth};

use super::arguments::{Colour, Drawing, GraphArguments, Kind};
use super::files::{self, Modules, Unreadable};
use super::plan::{Asked, argument};
use super::tables::Text;
use super::{Exit, analyse, check, config, guard, model_file};
use crate::frontend::{self, FrontendOptions, Integers, Language, Lowered};
use crate::pipeline::{self, Level, Options, Structure};
use crate::precision::Domain;
use crate::report::graph::{self, Node, Picture};
use crate::report::{Remark, snippet};
use crate::source::SourceFile;

/// Larger pictures help nobody, and Graphviz would not finish.
const LARGEST: usize = 10_000;
const STACK: usize = 512 << 20;
const TIMEOUT: Duration = Duration::from_secs(60);

type Drawn = Result<String, Vec<Remark>>;

pub fn graph(arguments: &GraphArguments) -> Exit {
    let work = || guard::caught(|| drawn(arguments));
    let drawn = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|error| error.to_string()).and_then(|thread| {
            thread.join().unwrap_or_else(|_| Err("internal error: the analysis was lost".into()))
        })
    });
    match drawn {
        Ok(Ok(text)) => {
            let _ = io::stdout().lock().write_all(text.as_bytes());
            Exit::Fine
        }
        Ok(Err(remarks)) => {
            let paint = check::paint(Colour::Auto, io::stderr().is_terminal());
            remarks.iter().for_each(|remark| eprint!("{}", snippet::remark(remark, paint)));
            Exit::Misuse
        }
        Err(panic) => {
            eprintln!("{panic}");
            Exit::Internal
        }
    }
}

fn drawn(arguments: &GraphArguments) -> Drawn {
    let unreadable = |unreadable: Box<Unreadable>| {
        let Unreadable { source, diagnostic } = *unreadable;
        vec![Remark::of(&source, diagnostic)]
    };
    let kind = files::kind(&arguments.file, arguments.reading.lang).map_err(unreadable)?;
    let source = files::read(&arguments.file, kind).map_err(unreadable)?;
    let formula = arguments.property.as_ref().map(|text| argument("--prop", text));
    match (kind, arguments.what) {
        (Kind::Program(language), Drawing::Cfg) => flow(&source, language, arguments),
        (Kind::Program(language), Drawing::Kripke) => structure(&source, language, arguments),
        (Kind::Model, Drawing::Kripke) => model(&source, formula.as_ref()),
        (Kind::Model, Drawing::Cfg) => refused("a model has no flow graph; use `--what kripke`"),
    }
}

fn refused(message: &str) -> Drawn {
    Err(vec![Remark::call(message, None)])
}

fn lowered(
    source: &Arc<SourceFile>,
    language: Language,
    arguments: &GraphArguments,
) -> Result<(Lowered, Arc<SourceFile>), Vec<Remark>> {
    let reading = &arguments.reading;
    let modules = Modules::of(&arguments.file, source);
    let config = config::of_call(reading.config.as_deref(), &reading.rust)?;
    let options = FrontendOptions {
        entry: reading.entry.clone().unwrap_or_else(|| "main".into()),
        integers: reading.ints.unwrap_or(Integers::Unbounded),
        arithmetic: reading.arith,
        modules: Some(modules.clone()),
        notebook: None,
        deadline: None,
        rust: config.rust,
    };
    let lowered = frontend::lower(source, language, &options);
    let source = modules.joined();
    match lowered {
        Ok(lowered) => Ok((lowered, source)),
        Err(diagnostics) => Err(diagnostics.into_iter().map(|said| Remark::of(&source, said)).collect()),
    }
}

fn flow(source: &Arc<SourceFile>, language: Language, arguments: &GraphArguments) -> Drawn {
    let (lowered, source) = lowered(source, language, arguments)?;
    Ok(graph::flow(&lowered.program, &source))
}

/// Without a formula there is nothing to tell states apart by, nor to colour them with.
fn structure(source: &Arc<SourceFile>, language: Language, arguments: &GraphArguments) -> Drawn {
    let text = arguments.property.as_deref().unwrap_or("true");
    let asked = Asked::new(argument("--prop", text), &arguments.reading);
    let (lowered, source) = lowered(source, language, arguments)?;
    let source = &source;
    if let Some(mistake) = analyse::wrong_assumption(&asked, &lowered, source) {
        return Err(vec![mistake]);
    }
    let domain = arguments.domain.domain().or(Some(Domain::Polyhedra));
    let options = Options { domain, ..analyse::options(&asked, Level::Abstract, TIMEOUT) };
    let found = pipeline::structure(source, &lowered.program, text, &options).map_err(|error| {
        let origin = &asked.formula.origin;
        vec![origin.remark(error.span.start, error.span.end, error.message, error.help)]
    })?;
    let Some(Structure { cells, may, must, initial }) = found else {
        return refused("a limit was reached before the structure was complete");
    };
    if cells.len() > LARGEST {
        return refused(&format!("the structure has {} states; at most {LARGEST} are drawn", cells.len()));
    }
    let asked_for = |truth| arguments.property.is_some().then_some(truth);
    let nodes = cells.into_iter().map(|cell| Node { label: cell.label, truth: asked_for(cell.truth) });
    let picture = Picture { nodes: nodes.collect(), may, must, initial };
    Ok(graph::model(&picture, &title(source, arguments.property.as_deref())))
}

fn title(source: &SourceFile, formula: Option<&str>) -> String {
    formula.map_or(source.name.clone(), |formula| format!("{}: {formula}", source.name))
}

fn model(source: &Arc<SourceFile>, formula: Option<&Text>) -> Drawn {
    let named = model_file::read(source).map_err(|diagnostics| {
        diagnostics.into_iter().map(|diagnostic| Remark::of(source, diagnostic)).collect::<Vec<_>>()
    })?;
    if named.model.cells() > LARGEST {
        return refused(&format!(
            "the model has {} states; at most {LARGEST} are drawn",
            named.model.cells()
        ));
    }
    let title = title(source, formula.map(|formula| formula.text.as_str()));
    Ok(graph::model(&picture(&named, formula)?, &title))
}

fn picture(named: &NamedModel, formula: Option<&Text>) -> Result<Picture, Vec<Remark>> {
    let model = &named.model;
    let checked = match formula {
        None => None,
        Some(text) => {
            let resolved = model_file::resolve(named, &text.text).map_err(|error| {
                vec![text.origin.remark(error.span.start, error.span.end, error.message, error.help)]
            })?;
            Some(kleene_ctl::check(model, &resolved, &NoProgress))
        }
    };
    let mut picture = Picture::default();
    for cell in model.cell_ids() {
        let atoms: Vec<String> = named
            .atom_names
            .iter()
            .enumerate()
            .filter_map(|(atom, name)| match model.label(AtomId(atom as u32), cell) {
                Truth::True => Some(name.clone()),
                Truth::Maybe => Some(format!("{name}?")),
                Truth::False => None,
            })
            .collect();
        let label = format!("{}\n{}", named.state_names[cell.index()], atoms.join(" "));
        let truth = checked.as_ref().map(|checked| checked.truth(cell));
        picture.nodes.push(Node { label: label.trim_end().into(), truth });
        picture.may.extend(model.may_successors(cell).iter().map(|to| (cell.index(), to.index())));
        let must = model.must_edges(cell).map(|targets| targets.iter().map(|to| to.index()).collect());
        picture.must.extend(must.map(|targets| (cell.index(), targets)));
    }
    picture.initial = model.initial().iter().map(|cell| cell.index()).collect();
    Ok(picture)
}
