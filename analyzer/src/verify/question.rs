//! The question of an entry, read again: the program from its text, the formula from its words.
//!
//! Granularities and user assumptions are translations of programs and formulas; their pure functions
//! (`granularity`, `kleene_ctl::granularity`) are the ones the engine uses too.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use kleene_ctl::{AtomId, Formula};

use super::shape::Nodes;
use super::{Checked, Doubt, wrong};
use crate::evidence::certificate;
use crate::frontend::{self, Arithmetic, FrontendOptions, Integers, Language, ModuleFiles, ModuleText};
use crate::granularity::{self, Granularity, Watched};
use crate::ir::{Effect, Program, VariableKind};
use crate::property::{Leaf, Predicate, Predicates, PropertyError, Resolver, is_set};
use crate::source::digest::sha256;
use crate::source::{FileId, SourceFile};

/// Remembers which files of modules the program is made of.
#[derive(Debug)]
pub struct Seen {
    files: Option<Arc<dyn ModuleFiles>>,
    found: Mutex<Vec<Arc<SourceFile>>>,
}

impl Seen {
    pub fn new(files: Option<Arc<dyn ModuleFiles>>) -> Self {
        Self { files, found: Mutex::default() }
    }

    fn found(&self) -> Vec<Arc<SourceFile>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sorted.
    pub fn digests(&self) -> Vec<String> {
        let mut digests: Vec<String> = self.found().iter().map(|file| sha256(&file.text)).collect();
        digests.sort();
        digests
    }
}

impl ModuleFiles for Seen {
    fn text(&self, path: &Path) -> ModuleText {
        let text = self.files.as_ref().map_or(ModuleText::Missing, |files| files.text(path));
        if let ModuleText::Found(file) = &text {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if file.id != FileId(0) && !found.iter().any(|known| known.id == file.id) {
                found.push(file.clone());
            }
        }
        text
    }
}

pub struct Question {
    pub program: Program,
    pub predicates: Predicates,
    pub nodes: Nodes,
    /// The formula itself, and that some run keeps the user's assumptions (if there are any).
    pub root: usize,
    pub live: Option<usize>,
    /// What is assumed of initial states.
    pub assume: Option<Predicate>,
}

impl Question {
    pub fn read(text: &str, question: &certificate::Question, files: Arc<Seen>) -> Checked<Self> {
        let language = language(&question.lang)?;
        let options = FrontendOptions {
            entry: question.entry.clone(),
            integers: match question.ints.as_str() {
                "unbounded" => Integers::Unbounded,
                "machine" => Integers::Machine,
                other => return wrong(format!("unknown integers `{other}`")),
            },
            arithmetic: match question.arith.as_str() {
                "debug" => Arithmetic::Debug,
                "release" => Arithmetic::Release,
                other => return wrong(format!("unknown arithmetic `{other}`")),
            },
            rust: question.rust.clone(),
            modules: Some(files.clone()),
            notebook: None,
            deadline: None,
        };
        let file = SourceFile::new(FileId(0), "program", text);
        let lowered = frontend::lower(&file, language, &options)
            .map_err(|_| Doubt::Wrong("the program cannot be read with these options".into()))?;
        let file = file.with_modules(files.found());
        let resolver = Resolver { program: &lowered.program, file: &file };
        let formula = resolver.formula(&question.formula).map_err(misread)?;
        let assume = question.assume.as_ref().map(|assume| resolver.predicate(assume)).transpose();
        let assume = assume.map_err(misread)?;
        let (program, visible) = instrumented(&lowered.program, &formula, question)?;
        let discards = program
            .functions
            .iter()
            .flat_map(|function| function.graph.edge_weights())
            .any(|edge| matches!(edge.effect, Effect::Discard));
        let mut translated = formula;
        if let Some(visible) = visible {
            translated = kleene_ctl::read_on_visible(&translated, visible.clone());
            if question.granularity == Granularity::Tick.name() {
                translated = kleene_ctl::at_first_visible(translated, visible);
            }
        }
        if discards {
            translated = kleene_ctl::restrict_to_live(&translated, is_set(Leaf::Discarded));
        }
        let mut predicates = Predicates::default();
        let mut whole: Formula<AtomId> = predicates.compress(&translated);
        if discards {
            let live = predicates.compress(&kleene_ctl::live(is_set(Leaf::Discarded)));
            whole = whole.and(live);
        }
        let nodes = Nodes::of(&whole);
        let last = nodes.len() - 1;
        let (root, live) = match (discards, nodes.operands(last)) {
            (true, [root, live]) => (*root, Some(*live)),
            _ => (nodes.first(last), None),
        };
        Ok(Self { program, predicates, nodes, root, live, assume })
    }
}

fn misread(error: PropertyError) -> Doubt {
    Doubt::Wrong(format!("the formula cannot be read: {}", error.message))
}

fn language(name: &str) -> Checked<Language> {
    match name {
        "cm" => Ok(Language::CMinus),
        "c" => Ok(Language::C),
        "rs" => Ok(Language::Rust),
        "t2" => Ok(Language::T2),
        other => wrong(format!("unknown language `{other}`")),
    }
}

/// The program with its ghosts, and what is visible of it.
fn instrumented(
    program: &Program,
    formula: &Formula<Predicate>,
    question: &certificate::Question,
) -> Checked<(Program, Option<Predicate>)> {
    match Granularity::from_name(&question.granularity) {
        Some(Granularity::Statement) => Ok((program.clone(), None)),
        Some(Granularity::Tick) => match granularity::visible_at_ticks(program) {
            Some(visible) => Ok((program.clone(), Some(visible))),
            None => wrong("the program has no tick"),
        },
        Some(Granularity::Change) => {
            let watched = watched(program, &question.watch)?;
            only_watched(formula, &watched)?;
            let changed = granularity::watch_changes(program, &watched);
            changed.map(|(program, visible)| (program, Some(visible))).map_err(Doubt::Wrong)
        }
        None => wrong(format!("unknown granularity `{}`", question.granularity)),
    }
}

fn watched(program: &Program, names: &[String]) -> Checked<Vec<Watched>> {
    let global = |index: usize| Watched::Global(index as u32);
    if names.is_empty() {
        let named = program.globals.iter().enumerate();
        let named = named.filter(|(_, variable)| variable.kind == VariableKind::Global);
        return Ok(named.map(|(index, _)| global(index)).collect());
    }
    let find = |name: &String| {
        let named = program.globals.iter().position(|variable| variable.name == *name).map(global);
        let local = || program.entry_function().local_named(name).next();
        named
            .or_else(|| local().map(|index| Watched::EntryLocal(program.entry, index)))
            .ok_or_else(|| Doubt::Wrong(format!("no variable `{name}` to watch")))
    };
    names.iter().map(find).collect()
}

/// Under `change` nothing else has a meaning.
fn only_watched(formula: &Formula<Predicate>, watched: &[Watched]) -> Checked<()> {
    let mut fine = true;
    formula.for_each_atom(&mut |predicate| {
        predicate.for_each_variable(&mut |leaf| {
            fine &= match leaf {
                Leaf::Global { variable, .. } => watched.contains(&Watched::Global(*variable)),
                Leaf::Local { function, variable, .. } => {
                    watched.contains(&Watched::EntryLocal(*function, *variable))
                }
                Leaf::At(_) => false,
                Leaf::Terminated | Leaf::Failed(_) | Leaf::Discarded => true,
            };
        });
    });
    if fine { Ok(()) } else { wrong("the formula speaks of more than the watched variables") }
}
