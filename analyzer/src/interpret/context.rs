//! Calls: who called the code that is running, as far as it is told apart.
//!
//! An exact context is a whole call string; its states carry the frames of all callers. Beyond the
//! limits of the precision (recursion, depth, number of contexts) a function runs in its one summary
//! context, whose states carry the globals and its own frame only: its returns go to every caller.

use std::rc::Rc;

use petgraph::graph::EdgeIndex;
use rustc_hash::FxHashMap;

use crate::ir::layout::Layout;
use crate::ir::{FailKind, FunctionId, LocationId};
use crate::precision::Precision;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(pub u32);

#[derive(Clone, Debug)]
pub struct Context {
    pub function: FunctionId,
    pub kind: ContextKind,
    /// First slot of this function's frame.
    pub base: u32,
    /// Dimensions of a state in this context.
    pub dimensions: usize,
    /// Functions of the frames below, outermost first, with the base of each.
    pub frames: Vec<(FunctionId, u32)>,
    /// Where this context stands in the order of visits: positions of the calls that lead here.
    pub prefix: Rc<[u32]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// The entry function itself.
    Root,
    Exact {
        caller: ContextId,
        edge: EdgeIndex<u32>,
    },
    Summary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A location in a context, or a place where runs stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    pub context: ContextId,
    pub point: Point,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    At(LocationId),
    /// `exit()` was called somewhere.
    Stopped,
    Failed(FailKind),
    Discarded,
    /// Code we cannot see does not return.
    Stuck,
}

#[derive(Clone, Debug)]
pub struct Contexts {
    list: Vec<Context>,
    exact: FxHashMap<(ContextId, EdgeIndex<u32>), ContextId>,
    summaries: FxHashMap<FunctionId, ContextId>,
    nodes: Vec<Node>,
    node_ids: FxHashMap<Node, NodeId>,
    /// Whether a limit of the precision made a summary context.
    pub limited: bool,
}

impl Contexts {
    pub const ROOT: ContextId = ContextId(0);

    pub fn new(entry: FunctionId, layout: &Layout) -> Self {
        let base = layout.global_slots;
        let root = Context {
            function: entry,
            kind: ContextKind::Root,
            base,
            dimensions: (base + layout.frame(entry)) as usize,
            frames: vec![(entry, base)],
            prefix: Rc::new([1]),
        };
        Self {
            list: vec![root],
            exact: FxHashMap::default(),
            summaries: FxHashMap::default(),
            nodes: Vec::new(),
            node_ids: FxHashMap::default(),
            limited: false,
        }
    }

    pub fn get(&self, id: ContextId) -> &Context {
        &self.list[id.0 as usize]
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn node_id(&mut self, node: Node) -> NodeId {
        *self.node_ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            NodeId(self.nodes.len() as u32 - 1)
        })
    }

    pub fn known_node(&self, node: Node) -> Option<NodeId> {
        self.node_ids.get(&node).copied()
    }

    /// The context in which `callee` runs when called over `edge` from `caller`.
    pub fn enter(
        &mut self,
        caller: ContextId,
        edge: EdgeIndex<u32>,
        callee: FunctionId,
        position: u32,
        layout: &Layout,
        precision: &Precision,
    ) -> ContextId {
        if let Some(known) = self.exact.get(&(caller, edge)) {
            return *known;
        }
        let from = self.get(caller);
        let recursion = from.frames.iter().filter(|(function, _)| *function == callee).count();
        let over = recursion > precision.recursion_depth
            || from.frames.len() > precision.call_depth
            || self.exact.len() >= precision.contexts;
        if over || from.kind == ContextKind::Summary {
            self.limited = true;
            return self.summary(callee, layout);
        }
        let base = from.dimensions as u32;
        let mut frames = from.frames.clone();
        frames.push((callee, base));
        let prefix = from.prefix.iter().copied().chain([position]).collect();
        let dimensions = (base + layout.frame(callee)) as usize;
        let kind = ContextKind::Exact { caller, edge };
        let id = ContextId(self.list.len() as u32);
        self.list.push(Context { function: callee, kind, base, dimensions, frames, prefix });
        self.exact.insert((caller, edge), id);
        id
    }

    fn summary(&mut self, callee: FunctionId, layout: &Layout) -> ContextId {
        if let Some(known) = self.summaries.get(&callee) {
            return *known;
        }
        let base = layout.global_slots;
        let id = ContextId(self.list.len() as u32);
        self.list.push(Context {
            function: callee,
            kind: ContextKind::Summary,
            base,
            dimensions: (base + layout.frame(callee)) as usize,
            frames: vec![(callee, base)],
            prefix: Rc::new([0]),
        });
        self.summaries.insert(callee, id);
        id
    }
}
