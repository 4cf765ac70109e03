//! Evidence of a `.kripke` model, in the names of its states.

use ariadne::Color;

use super::indented;
use crate::pipeline::Verdict;
use crate::report::paint::Paint;
use crate::report::snippet::{self, Caption};
use crate::report::{Entry, ModelEvidence};
use crate::source::SourceFile;

/// States shown at either end of a long path.
const SHOWN: usize = 12;

pub(super) fn behind(evidence: &ModelEvidence, entry: &Entry, source: &SourceFile, paint: Paint) -> String {
    match evidence {
        ModelEvidence::Whole => {
            let (cells, edges) = (entry.model.cells, entry.model.may);
            indented(&format!("proof: {}, {}", super::counted(cells, "state"), super::counted(edges, "edge")))
        }
        ModelEvidence::Path { states, cycle } => {
            let color = if entry.verdict == Verdict::True { Color::Green } else { Color::Red };
            let label = if cycle.is_some() { "the cycle passes here for ever" } else { "decided here" };
            indented(&path(states, *cycle)) + &drawn(entry, source, label, Vec::new(), color, paint)
        }
        ModelEvidence::Cause { message, path: states, .. } => {
            let notes = vec![("way there", path(states, None))];
            drawn(entry, source, message, notes, Color::Yellow, paint)
        }
    }
}

fn drawn(
    entry: &Entry,
    source: &SourceFile,
    label: &str,
    notes: Vec<(&'static str, String)>,
    color: Color,
    paint: Paint,
) -> String {
    let Some(span) = entry.span else { return indented(label) };
    snippet::place(source, span, &Caption { label: label.into(), notes }, color, paint)
}

/// `a → b → ( c → d → … )` where the part in parentheses repeats.
fn path(states: &[String], cycle: Option<usize>) -> String {
    let mut words: Vec<String> = Vec::new();
    for (index, state) in states.iter().enumerate() {
        let opening = if cycle == Some(index) { "(for ever: " } else { "" };
        let closing = if cycle.is_some() && index + 1 == states.len() { ")" } else { "" };
        words.push(format!("{opening}{state}{closing}"));
    }
    if words.len() > 2 * SHOWN + 1 {
        let left_out = SHOWN..words.len() - SHOWN;
        let cut = cycle.filter(|cycle| left_out.contains(cycle));
        let repeats = cut.map_or(String::new(), |_| " (for ever: …".to_string());
        words.splice(left_out.clone(), [format!("… {} states left out …{repeats}", left_out.len())]);
    }
    words.join(" → ")
}
