//! What code shows that uses the program: its tests, and examples of it.
//!
//! They are a program of their own beside the one that is looked at, with the same texts in it. Each is one run, of calls
//! that everybody can make: what it comes to in these texts is come to. That settles places that are still open, and
//! nothing else; what such runs never come to says nothing.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::decide::{self, Answers, Task};
use super::kept::{Desk, How, Kept};
use super::mark;
use super::standing::{Standing, Weight};
use super::summaries::Summaries;
use super::{Finding, Lint};
use crate::frontend::{Group, Uses};
use crate::ir::FunctionId;
use crate::pipeline::{Options, Verdict};
use crate::source::Span;

/// Groups that are followed side by side: what they show the others need not.
const WAVE: usize = 4;

/// Puts what runs of users show in the place of what is open.
pub fn show(findings: &mut [Finding], uses: &Uses, wanted: &[Lint], options: &Options, kept: Option<&Kept>) {
    let open = findings.iter_mut().filter(|finding| finding.verdict == Verdict::Maybe);
    let mut open: FxHashMap<(Span, Lint), &mut Finding> =
        open.map(|finding| ((finding.span, finding.lint), finding)).collect();
    if open.is_empty() || decide::is_quick(options) {
        return;
    }
    let marked = mark::marked(&uses.program, wanted, &uses.added);
    let desk = Desk::new(&marked, kept, options);
    let summaries = Summaries::of(&marked, &[], &desk, options);
    let mut standing = Standing::new(&marked);
    standing.set_aside(|key| !open.contains_key(&key));
    let mut answers: Vec<Answers> = Vec::new();
    for wave in uses.groups.chunks(WAVE) {
        let task = Task { marked: &marked, summaries: &summaries, standing: &standing, options };
        let follow = |group: &Group| {
            let work = || decide::followed(task, group);
            desk.answers(desk.part(group.begins).as_ref(), How::Followed, task, work)
        };
        let told: Vec<Answers> = wave.par_iter().map(follow).collect();
        told.iter().for_each(|answers| standing.note(answers, Weight::Passing));
        answers.extend(told);
    }
    let all: FxHashSet<FunctionId> = (0..marked.program.functions.len() as u32).map(FunctionId).collect();
    let merged = decide::merged(&marked, &answers, &standing, &all);
    for (index, site) in marked.sites.iter().enumerate() {
        let Some(finding) = open.get_mut(&(site.span, site.lint)) else { continue };
        let shown = merged.finding(&marked, index, site);
        if shown.is_shown() && finding.verdict == Verdict::Maybe {
            let (number, function) = (finding.number, std::mem::take(&mut finding.function));
            **finding = Finding { number, function, by_user: true, inevitable: false, ..shown };
        }
    }
}
