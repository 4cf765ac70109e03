//! What all entries say together, and what that means for each site.

use rustc_hash::FxHashSet;

use super::super::mark::Marked;
use super::super::severity::is_ordinary;
use super::super::standing::{Standing, Wanted};
use super::super::{Finding, Place, Question, Reach, Severity, Site, conditions};
use super::{Answers, Known};
use crate::evidence::{Evidence, Proof};
use crate::ir::{FunctionId, Program};
use crate::pipeline::{Level, ModelSize, Verdict};

/// What all entries say together.
pub struct Merged<'a> {
    answers: &'a [Answers],
    /// The entry that knows most of each place.
    places: Vec<Option<usize>>,
    /// Places that every run comes to which comes before them, whatever the entry.
    inevitable: Vec<bool>,
    /// The entry that knows most of each loop, by the site's number.
    loops: Vec<Option<usize>>,
    standing: &'a Standing<'a>,
    /// Functions of which only what is shown is known.
    illustrating: &'a FxHashSet<FunctionId>,
}

pub fn merged<'a>(
    marked: &Marked,
    answers: &'a [Answers],
    standing: &'a Standing<'a>,
    illustrating: &'a FxHashSet<FunctionId>,
) -> Merged<'a> {
    let mut places: Vec<Option<usize>> = vec![None; marked.places.len()];
    for (at, answer) in answers.iter().enumerate() {
        for (index, known) in &answer.places {
            let better = places[*index].is_none_or(|best| {
                let best = &answers[best].places[index];
                best.answer < known.answer
                    || best.answer == known.answer && shows_more(known, best, &marked.program)
            });
            if better {
                places[*index] = Some(at);
            }
        }
    }
    let mut inevitable = vec![true; marked.places.len()];
    for (index, known) in answers.iter().flat_map(|answer| &answer.places) {
        inevitable[*index] &= known.inevitable || known.answer == Reach::Never;
    }
    let mut loops: Vec<Option<usize>> = vec![None; marked.sites.len()];
    for (at, answer) in answers.iter().enumerate() {
        for (index, known) in &answer.loops {
            let better =
                loops[*index].is_none_or(|best| rank(known.answer) > rank(answers[best].loops[index].answer));
            if better {
                loops[*index] = Some(at);
            }
        }
    }
    Merged { answers, places, inevitable, loops, standing, illustrating }
}

/// Of two runs the one on ordinary values.
fn shows_more(known: &Known<Reach>, best: &Known<Reach>, program: &Program) -> bool {
    match (&known.evidence, &best.evidence) {
        (Evidence::Run(known), Evidence::Run(best)) => {
            is_ordinary(known, program) && !is_ordinary(best, program)
        }
        _ => false,
    }
}

/// Of loops: False if some entry has an endless run, True if all leave.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::False => 2,
        Verdict::Maybe | Verdict::Error => 1,
        Verdict::True => 0,
    }
}

impl Merged<'_> {
    fn place(&self, marked: &Marked, place: Place) -> (Reach, Option<(&Answers, &Known<Reach>)>) {
        let Some(index) = marked.index(place) else { return (Reach::Open, None) };
        match self.places[index] {
            None if self.illustrating.contains(&place.function) => (Reach::Open, None),
            // What another instance of the function shows was not asked of this one.
            None if self.standing.of_place(index) == Wanted::Nothing => (Reach::Open, None),
            // No entry calls this function.
            None => (Reach::Never, None),
            Some(at) => {
                let known = &self.answers[at].places[&index];
                (known.answer, Some((&self.answers[at], known)))
            }
        }
    }

    pub fn finding(&self, marked: &Marked, index: usize, site: &Site) -> Finding {
        let mut finding = Finding {
            number: None,
            lint: site.lint,
            span: site.span,
            function: marked.program.function(site.function).name.clone(),
            verdict: Verdict::Maybe,
            level: Level::Abstract,
            model: ModelSize::default(),
            evidence: Evidence::Proof(Proof::default()),
            message: None,
            entry: None,
            inevitable: false,
            idle: false,
            severity: Severity::Warning,
            by_user: false,
            suppressed: None,
            solver: None,
            seconds: 0.0,
        };
        match &site.question {
            Question::Happens(place) => {
                let (reach, known) = self.place(marked, *place);
                finding.verdict = match reach {
                    Reach::Never => Verdict::True,
                    Reach::Open => Verdict::Maybe,
                    Reach::Reached => Verdict::False,
                };
                let is_inevitable = marked.index(*place).is_some_and(|index| self.inevitable[index]);
                // Of what only examples come to, other runs are not known.
                let all_known = !self.illustrating.contains(&site.function);
                finding.inevitable = reach == Reach::Reached && is_inevitable && all_known;
                finding.take(known);
            }
            Question::Read { certain, possible } => {
                let all = certain.iter().map(|place| (true, self.place(marked, *place)));
                let all = all.chain(possible.iter().map(|place| (false, self.place(marked, *place))));
                let rank = |(certain, (reach, _)): &(bool, (Reach, _))| match (certain, reach) {
                    (_, Reach::Never) => 0,
                    (true, Reach::Reached) => 2,
                    _ => 1,
                };
                let deciding = all.max_by_key(rank);
                finding.verdict = match deciding.as_ref().map_or(0, rank) {
                    0 => Verdict::True,
                    1 => Verdict::Maybe,
                    _ => Verdict::False,
                };
                finding.take(deciding.and_then(|(_, (_, known))| known));
            }
            Question::Unreachable(place) => {
                let (reach, known) = self.place(marked, *place);
                finding.idle = reach == Reach::Never;
                finding.verdict = match reach {
                    // A function nobody calls is no business of the code inside it.
                    Reach::Never if known.is_none() => Verdict::True,
                    Reach::Never => Verdict::False,
                    Reach::Open => Verdict::Maybe,
                    Reach::Reached => Verdict::True,
                };
                finding.take(known);
            }
            Question::Constant { at, yes, no } => {
                let [at, yes, no] = [at, yes, no].map(|place| self.place(marked, *place));
                let (verdict, outcome) = conditions::judge(at.0, yes.0, no.0);
                finding.idle = at.0 == Reach::Never;
                finding.verdict = verdict;
                finding.message = outcome.map(|outcome| format!("this condition is always {outcome}"));
                let deciding = match outcome {
                    Some(true) => no,
                    Some(false) => yes,
                    None => [no, yes, at]
                        .into_iter()
                        .max_by_key(|(reach, _)| *reach == Reach::Open)
                        .unwrap_or((Reach::Open, None)),
                };
                finding.take(deciding.1);
            }
            Question::Stays(_) => self.stays(index, &mut finding),
        }
        finding
    }

    fn stays(&self, index: usize, finding: &mut Finding) {
        let best = self.loops[index].map(|at| (&self.answers[at], &self.answers[at].loops[&index]));
        finding.verdict = match best {
            Some((_, known)) => known.answer,
            None if self.standing.of_loop(index) == Wanted::Nothing => Verdict::Maybe,
            None => Verdict::True,
        };
        finding.take(best);
    }
}

impl Finding {
    fn take<T>(&mut self, known: Option<(&Answers, &Known<T>)>) {
        let Some((answers, known)) = known else { return };
        self.level = known.level;
        self.model = known.model;
        self.evidence = known.evidence.clone();
        self.solver.clone_from(&known.solver);
        self.entry = Some(answers.entry.clone());
        self.seconds = answers.seconds;
        if let Evidence::Cause(cause) = &mut self.evidence {
            cause.span = cause.span.or(Some(self.span));
        }
    }
}
