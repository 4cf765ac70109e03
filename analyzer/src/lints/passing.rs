//! What runs of public calls have passed before anything is asked: code that is reached, conditions that go both ways.

use rustc_hash::FxHashMap;

use super::mark::Marked;
use super::{Finding, Lint, Question};
use crate::evidence::{Evidence, Run};
use crate::frontend::Passed;
use crate::ir::StepKind;
use crate::pipeline::Verdict;
use crate::source::Span;

/// What is settled, each with the words for why.
pub type Settled = FxHashMap<(Span, Lint), String>;

/// Spans with their lints of which nothing needs to be asked any more. What several steps stand behind all of them say.
pub fn settled(marked: &Marked, passed: &Passed) -> Settled {
    let mut found: FxHashMap<(Span, Lint), Option<u32>> = FxHashMap::default();
    for site in &marked.sites {
        let run = match &site.question {
            Question::Unreachable(place) => {
                let step = marked.program.function(place.function).graph[place.location].what;
                let run = passed.steps.get(&(site.span, step)).copied();
                // What is drawn in one instance of a function is a step like any other in another.
                if step == StepKind::Input && run.is_none() {
                    continue;
                }
                run
            }
            Question::Constant { .. } => passed.conditions.get(&site.span).copied(),
            Question::Happens(_) | Question::Read { .. } | Question::Stays(_) => continue,
        };
        let all = found.entry((site.span, site.lint)).or_insert(Some(0));
        *all = all.zip(run).map(|(all, run)| all.max(run));
    }
    let words = |((span, lint), run): ((Span, Lint), Option<u32>)| {
        let run = passed.runs.get(run? as usize)?;
        let words = match lint {
            Lint::ConstantCondition => format!("goes both ways, the second in {run}"),
            _ => format!("is reached in {run}"),
        };
        Some(((span, lint), words))
    };
    found.into_iter().filter_map(words).collect()
}

/// A finding with that in the place of what is open.
pub fn shown(mut finding: Finding, settled: &Settled) -> Finding {
    if finding.verdict == Verdict::Maybe
        && let Some(words) = settled.get(&(finding.span, finding.lint))
    {
        finding.verdict = Verdict::True;
        finding.by_user = true;
        finding.evidence = Evidence::Run(Run { conclusion: words.clone(), ..Run::default() });
    }
    finding
}
