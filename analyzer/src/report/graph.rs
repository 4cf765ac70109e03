//! Graphviz text of flow graphs and of models.
//!
//! In a model, must edges are solid and may edges dashed; a must edge to several states goes through a
//! small point. A may edge that is part of a must edge is not drawn again.

use std::collections::BTreeSet;
use std::fmt::Write;

use kleene_ctl::Truth;
use petgraph::visit::EdgeRef;

use super::paint::clipped;
use crate::ir::{Cond, Effect, Function, FunctionId, LocationId, Program, print};
use crate::source::SourceFile;

/// A model as far as it is drawn.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    pub nodes: Vec<Node>,
    pub may: Vec<(usize, usize)>,
    pub must: Vec<(usize, Vec<usize>)>,
    pub initial: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub label: String,
    /// The truth of the formula there, if one was asked.
    pub truth: Option<Truth>,
}

fn fill(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "palegreen",
        Truth::False => "lightcoral",
        Truth::Maybe => "khaki",
    }
}

const HEAD: &str = "  node [shape=box, fontname=\"monospace\", fontsize=10];\n  \
                    edge [fontname=\"monospace\", fontsize=9];\n";

pub fn model(picture: &Picture, title: &str) -> String {
    let mut out = format!("digraph model {{\n  label={};\n{HEAD}", quoted(title));
    let initial: BTreeSet<usize> = picture.initial.iter().copied().collect();
    for (index, node) in picture.nodes.iter().enumerate() {
        let color =
            node.truth.map_or(String::new(), |truth| format!(", style=filled, fillcolor={}", fill(truth)));
        let border = if initial.contains(&index) { ", penwidth=2.5" } else { "" };
        let _ = writeln!(out, "  n{index} [label={}{color}{border}];", quoted(&node.label));
    }
    let mut drawn = BTreeSet::new();
    for (number, (from, targets)) in picture.must.iter().enumerate() {
        drawn.extend(targets.iter().map(|to| (*from, *to)));
        if let [to] = targets.as_slice() {
            let _ = writeln!(out, "  n{from} -> n{to};");
            continue;
        }
        let _ = writeln!(out, "  h{number} [shape=point];\n  n{from} -> h{number} [dir=none];");
        for to in targets {
            let _ = writeln!(out, "  h{number} -> n{to};");
        }
    }
    for (from, to) in picture.may.iter().filter(|edge| !drawn.contains(edge)) {
        let _ = writeln!(out, "  n{from} -> n{to} [style=dashed];");
    }
    out + "}\n"
}

/// The flow graphs of all functions, one cluster each.
pub fn flow(program: &Program, source: &SourceFile) -> String {
    let mut out = format!("digraph flow {{\n  label={};\n{HEAD}", quoted(&source.name));
    for (id, function) in program.functions.iter().enumerate() {
        let id = FunctionId(id as u32);
        let _ = writeln!(out, "  subgraph cluster_{} {{\n    label={};", id.0, quoted(&function.name));
        for at in function.graph.node_indices() {
            location(program, id, function, at, source, &mut out);
        }
        out += "  }\n";
    }
    out + "}\n"
}

fn location(
    program: &Program,
    id: FunctionId,
    function: &Function,
    at: LocationId,
    source: &SourceFile,
    out: &mut String,
) {
    let node = |at: LocationId| format!("f{}_{}", id.0, at.index());
    let here = &function.graph[at];
    let line = source.line_named(here.span);
    let labels = function.labels.iter().filter(|(_, place)| *place == at);
    let labels: String = labels.map(|(label, _)| format!("{label}: ")).collect();
    let text = match at == function.exit {
        true => "end".to_string(),
        false => format!("{line}: {labels}{}", clipped(source.snippet(here.span).trim(), 40)),
    };
    let border = if at == function.entry { ", penwidth=2.5" } else { "" };
    let _ = writeln!(out, "    {} [label={}{border}];", node(at), quoted(&text));
    let mut edges: Vec<_> = function.graph.edges(at).collect();
    edges.sort_by_key(|edge| edge.id());
    for edge in edges {
        let guard = match &edge.weight().guard {
            Cond::Literal(true) => String::new(),
            guard => format!("[{}] ", clipped(&print::cond(program, id, guard), 60)),
        };
        let effect = clipped(&print::effect(program, id, &edge.weight().effect), 60);
        let color = match edge.weight().effect {
            Effect::Fail(_) => ", color=red, fontcolor=red",
            Effect::Discard => ", color=gray, fontcolor=gray",
            _ => "",
        };
        let label = quoted(&format!("{guard}{effect}"));
        let _ = writeln!(out, "    {} -> {} [label={label}{color}];", node(at), node(edge.target()));
    }
}

/// A Graphviz string: quotes and backslashes escaped, lines kept.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn must_is_solid_may_is_dashed_and_hyper_edges_pass_a_point() {
        let node = |label: &str, truth| Node { label: label.into(), truth };
        let picture = Picture {
            nodes: vec![node("a \"b\"", Some(Truth::Maybe)), node("c", None), node("d", None)],
            may: vec![(0, 1), (0, 2), (1, 1), (2, 0)],
            must: vec![(0, vec![1, 2]), (1, vec![1])],
            initial: vec![0],
        };
        let text = model(&picture, "t");
        assert!(
            text.contains(r#"n0 [label="a \"b\"", style=filled, fillcolor=khaki, penwidth=2.5];"#),
            "{text}"
        );
        assert!(text.contains("h0 [shape=point];"), "{text}");
        assert!(text.contains("h0 -> n1;") && text.contains("h0 -> n2;"), "{text}");
        assert!(text.contains("n1 -> n1;"), "{text}");
        assert!(text.contains("n2 -> n0 [style=dashed];"), "{text}");
        assert!(!text.contains("n0 -> n1 "), "{text}");
    }
}
