//! Evidence for files: the claims a verdict rests on, and no more.
//!
//! From the claims about initial cells (or the last state of a run) every claim demands others: of its
//! operands in the same cell, or of itself in the successors the checker chose. What is demanded is written
//! down with its cells, edges and rankings; `verify` looks at each by itself.

mod draws;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use kleene_ctl::{AtomId, CellId, Checked, Formula, Model, SubformulaId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;

use crate::concrete;
use crate::evidence::certificate::{self, Number};
use crate::frontend::{Arithmetic, Integers, Language};
use crate::interpret::explore::Exploration;
use crate::model::progress::Ranking;
use crate::pipeline::{Options, PropertyResult, Verdict};
use crate::source::SourceFile;
use crate::source::digest::sha256;
use crate::verify::shape::{Claim, Mode, Nodes, Shape};

/// Claims and what they rest on, as they are found.
pub struct Ledger<'l, 'p> {
    exploration: &'l Exploration<'p>,
    model: &'l Model,
    ranking: &'l Ranking<'l, 'p>,
    checked: Checked,
    nodes: Nodes,
    /// The formula, and that some run keeps the user's assumptions.
    root: usize,
    live: Option<usize>,
    claims: BTreeMap<Claim, BTreeMap<CellId, Reason>>,
    pending: Vec<(Claim, CellId)>,
    /// Cells of which nothing is claimed, but that others speak of.
    mentioned: BTreeSet<CellId>,
    /// A claim that the checker makes without saying why.
    lost: bool,
}

/// A rank and the cells that share it in a loop.
type RankedLoop = (usize, Vec<CellId>);

/// What a claim about a cell rests on, beyond its operands there.
#[derive(Clone, Debug, Default)]
struct Reason {
    /// The chosen must edge, unless it is the one to all successors.
    must: Option<Vec<CellId>>,
    /// The successors that count; none where the cell itself is reason enough.
    targets: Vec<CellId>,
}

impl<'l, 'p> Ledger<'l, 'p> {
    /// `formula` is checked on the model, together with that some run keeps the user's assumptions.
    pub fn new(
        exploration: &'l Exploration<'p>,
        model: &'l Model,
        ranking: &'l Ranking<'l, 'p>,
        formula: Formula<AtomId>,
        live: Option<Formula<AtomId>>,
    ) -> Self {
        let lives = live.is_some();
        let whole = match live {
            Some(live) => formula.and(live),
            None => formula,
        };
        let checked = kleene_ctl::check(model, &whole, ranking);
        let nodes = Nodes::of(&whole);
        let last = nodes.len() - 1;
        let (root, live) = match (lives, nodes.operands(last)) {
            (true, [root, live]) => (*root, Some(*live)),
            _ => (nodes.first(last), None),
        };
        Self {
            exploration,
            model,
            ranking,
            checked,
            nodes,
            root,
            live,
            claims: BTreeMap::new(),
            pending: Vec::new(),
            mentioned: BTreeSet::new(),
            lost: false,
        }
    }

    fn has(&self, claim: Claim, cell: CellId) -> bool {
        let sub = SubformulaId(claim.node as u32);
        match claim.value {
            true => self.checked.must_hold(sub).contains(cell.index()),
            false => !self.checked.may_hold(sub).contains(cell.index()),
        }
    }

    fn close(&mut self) {
        while let Some((claim, cell)) = self.pending.pop() {
            let reason = self.reason(claim, cell);
            if let Some(known) = self.claims.get_mut(&claim).and_then(|cells| cells.get_mut(&cell)) {
                *known = reason;
            }
        }
    }

    fn demand_all(&mut self, claims: &[Claim], cell: CellId) {
        for claim in claims {
            self.ask(*claim, cell);
        }
    }

    fn ask(&mut self, claim: Claim, cell: CellId) {
        // Cells that no exploration made have nothing to show.
        if !self.has(claim, cell) || cell.index() >= self.exploration.cells.len() {
            self.lost = true;
        } else if let std::collections::btree_map::Entry::Vacant(new) =
            self.claims.entry(claim).or_default().entry(cell)
        {
            new.insert(Reason::default());
            self.pending.push((claim, cell));
        }
    }

    fn reason(&mut self, claim: Claim, cell: CellId) -> Reason {
        let all = |ledger: &Self, claims: &[Claim]| claims.iter().all(|claim| ledger.has(*claim, cell));
        match self.nodes.shape(claim) {
            Shape::Literal(_) | Shape::Atom(_) => Reason::default(),
            Shape::Choice(lists) => {
                match lists.iter().find(|list| all(self, list)) {
                    Some(list) => self.demand_all(list, cell),
                    None => self.lost = true,
                }
                Reason::default()
            }
            Shape::Step(mode, next) => self.step(mode, claim, next, cell),
            Shape::Least { mode, path, goal } => {
                if all(self, &goal) {
                    self.demand_all(&goal, cell);
                    return Reason::default();
                }
                path.into_iter().for_each(|path| self.ask(path, cell));
                self.step(mode, claim, claim, cell)
            }
            Shape::Greatest { mode, keep, exit } => {
                if let Some(exit) = exit.filter(|exit| all(self, exit)) {
                    self.demand_all(&exit, cell);
                    return Reason::default();
                }
                self.ask(keep, cell);
                self.step(mode, claim, claim, cell)
            }
        }
    }

    fn step(&mut self, mode: Mode, claim: Claim, next: Claim, cell: CellId) -> Reason {
        let may = self.model.may_successors(cell);
        let chosen = match mode {
            Mode::All => Some(may.to_vec()),
            Mode::Some => self.checked.chosen_edge(SubformulaId(claim.node as u32), cell),
        };
        let Some(targets) = chosen else {
            self.lost = true;
            return Reason::default();
        };
        for to in &targets {
            self.ask(next, *to);
        }
        let must = (mode == Mode::Some && targets != may).then(|| targets.clone());
        Reason { must, targets }
    }

    /// True in all initial states that count, and one that does.
    pub fn holds(mut self) -> Option<certificate::Model> {
        let holds = Claim { node: self.root, value: true };
        let mut initial = Vec::new();
        for cell in self.covering() {
            let claim = match self.live {
                Some(live) if !self.has(holds, cell) => Claim { node: live, value: false },
                _ => holds,
            };
            self.ask(claim, cell);
            initial.push(cell);
        }
        let live = self.live.map(|live| Claim { node: live, value: true });
        let start = self.start(|ledger, cell| live.is_none_or(|live| ledger.has(live, cell)));
        if let (Some(live), Some((cell, _))) = (live, &start) {
            self.ask(live, *cell);
        }
        if let Some((cell, _)) = &start {
            // Where nothing else is said of it, that it is an initial cell like the others.
            if self.live.is_none() {
                self.ask(holds, *cell);
            }
        }
        initial.sort_unstable();
        self.close();
        let written = write::Writer::new(&self);
        let mut model = written.model()?;
        model.initial = initial.iter().map(|cell| written.number(*cell)).collect();
        model.start = start.map(|(cell, point)| certificate::Located {
            cell: written.number(cell),
            state: self.point(&point),
        });
        Some(model)
    }

    /// False in a concrete initial state that counts.
    pub fn fails(mut self) -> Option<certificate::Model> {
        let fails = Claim { node: self.root, value: false };
        let live = self.live.map(|live| Claim { node: live, value: true });
        let (cell, point) = self.start(|ledger, cell| {
            ledger.has(fails, cell) && live.is_none_or(|live| ledger.has(live, cell))
        })?;
        live.into_iter().chain([fails]).for_each(|claim| self.ask(claim, cell));
        self.close();
        let written = write::Writer::new(&self);
        let mut model = written.model()?;
        let state = self.point(&point);
        model.start = Some(certificate::Located { cell: written.number(cell), state });
        Some(model)
    }

    /// What the end of a run rests on: a subformula's value there, and that the assumptions are kept. The
    /// pending calls of the run were made in `callers`.
    pub fn ends(
        mut self,
        cell: CellId,
        sub: Option<(SubformulaId, bool)>,
        callers: &[CellId],
    ) -> Option<certificate::Model> {
        let claim = sub.map(|(sub, value)| Claim { node: self.nodes.first(sub.0 as usize), value });
        let live = self.live.map(|live| Claim { node: live, value: true });
        claim.into_iter().chain(live).for_each(|claim| self.ask(claim, cell));
        self.expect(cell);
        self.mentioned.extend(callers);
        self.close();
        let written = write::Writer::new(&self);
        let mut model = written.model()?;
        model.end = Some(written.number(cell));
        Some(model)
    }

    /// Makes sure that a cell is written down.
    fn expect(&mut self, cell: CellId) {
        if !self.claims.values().any(|cells| cells.contains_key(&cell)) {
            self.lost = true;
        }
    }

    /// The first initial cell of a kind with a concrete state in it.
    fn start(&self, fits: impl Fn(&Self, CellId) -> bool) -> Option<(CellId, Vec<kleene_domains::Int>)> {
        self.exploration.initial.iter().find_map(|(cell, start)| {
            let cell = CellId(cell.0);
            let point = start.witness.clone()?;
            fits(self, cell).then_some((cell, point))
        })
    }

    fn point(&self, point: &[kleene_domains::Int]) -> certificate::Start {
        let globals = self.exploration.transfer.scope.layout.global_slots as usize;
        let (globals, locals) = point.split_at(globals);
        let numbers = |values: &[kleene_domains::Int]| values.iter().cloned().map(Number).collect();
        certificate::Start { globals: numbers(globals), locals: numbers(locals) }
    }

    /// Initial cells that hold every initial state, without those that others contain.
    fn covering(&self) -> Vec<CellId> {
        use kleene_domains::lattice::Lattice;
        let mut kept: Vec<CellId> = Vec::new();
        for (cell, _) in &self.exploration.initial {
            let state = |cell: CellId| &self.exploration.cells[cell.index()].state;
            let own = CellId(cell.0);
            if kept.iter().any(|other| state(own).leq(state(*other))) {
                continue;
            }
            kept.retain(|other| !state(*other).leq(state(own)));
            kept.push(own);
        }
        kept
    }

    /// Ranks along which a least fixpoint is left, and the loops that share one.
    fn ranks(&self, cells: &BTreeMap<CellId, Reason>) -> (FxHashMap<CellId, usize>, Vec<RankedLoop>) {
        let mut graph = DiGraph::<CellId, (), u32>::default();
        let open = cells.iter().filter(|(_, reason)| !reason.targets.is_empty());
        let nodes: BTreeMap<CellId, _> = open.map(|(cell, _)| (*cell, graph.add_node(*cell))).collect();
        for (cell, node) in &nodes {
            for to in cells[cell].targets.iter().filter_map(|to| nodes.get(to)) {
                graph.add_edge(*node, *to, ());
            }
        }
        let mut ranks = FxHashMap::default();
        let mut loops = Vec::new();
        // Successors come first.
        for (index, part) in tarjan_scc(&graph).into_iter().enumerate() {
            let mut inside: Vec<CellId> = part.iter().map(|node| graph[*node]).collect();
            inside.sort_unstable();
            inside.iter().for_each(|cell| {
                ranks.insert(*cell, index + 1);
            });
            let around = part.iter().any(|from| graph.neighbors(*from).any(|to| part.contains(&to)));
            if around {
                loops.push((index + 1, inside));
            }
        }
        (ranks, loops)
    }
}

/// A run as it is written.
pub fn run(
    states: &[concrete::State],
    drawn: &[Vec<kleene_domains::Int>],
    cycle: Option<usize>,
) -> certificate::Run {
    let numbers = |values: &[kleene_domains::Int]| values.iter().cloned().map(Number).collect::<Vec<_>>();
    let start = &states[0];
    certificate::Run {
        start: certificate::Start {
            globals: numbers(&start.globals.to_vec()),
            locals: numbers(&start.frames[0].locals.to_vec()),
        },
        inputs: drawn.iter().map(|values| numbers(values)).collect(),
        cycle,
    }
}

/// The entry of a definite verdict in an evidence file; `None` if it is not definite or no evidence was kept.
pub fn certificate(
    path: &str,
    source: &SourceFile,
    language: Language,
    options: &Options,
    result: &PropertyResult,
) -> Option<certificate::Entry> {
    let evidence = result.certificate.clone()?;
    let verdict = match result.verdict {
        Verdict::True => true,
        Verdict::False => false,
        Verdict::Maybe | Verdict::Error => return None,
    };
    let question = certificate::Question {
        formula: result.property.clone(),
        lang: match language {
            Language::CMinus => "cm",
            Language::C => "c",
            Language::Rust => "rs",
            Language::T2 => "t2",
        }
        .into(),
        entry: options.entry.clone(),
        ints: match options.integers {
            Integers::Unbounded => "unbounded",
            Integers::Machine => "machine",
        }
        .into(),
        arith: match options.arithmetic {
            Arithmetic::Debug => "debug",
            Arithmetic::Release => "release",
        }
        .into(),
        granularity: options.granularity.name().into(),
        watch: options.watch.clone(),
        assume: options.assume.clone(),
        rust: options.rust.clone(),
    };
    let mut modules: Vec<String> = source.modules().iter().map(|module| sha256(&module.text)).collect();
    modules.sort();
    let program = certificate::ProgramText { path: path.into(), sha256: sha256(&source.text), modules };
    Some(certificate::Entry { program, question, verdict, evidence })
}
