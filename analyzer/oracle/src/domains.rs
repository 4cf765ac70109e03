//! The same cases asked with every domain: verdicts may be more or less definite, never opposite.

use kleene::precision::Domain;

use crate::differential::{Answer, compare};
use crate::engine::{Settings, ask};
use crate::fuzz::class_of;
use crate::generate::{Case, Class, case};
use crate::logic::Formula;

/// As `--domain` names them.
pub const DOMAINS: [(&str, Option<Domain>); 4] = [
    ("intervals", Some(Domain::Intervals)),
    ("octagons", Some(Domain::Octagons)),
    ("polyhedra", Some(Domain::Polyhedra)),
    ("auto", None),
];

#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub asked: usize,
    /// Per domain, in the order of `DOMAINS`.
    pub maybe: [usize; DOMAINS.len()],
    pub wrong: [usize; DOMAINS.len()],
    /// Formulas that two domains answer differently, and definitely.
    pub flips: Vec<(Case, Formula)>,
}

impl Comparison {
    /// Asks one case in every domain; cases the generator refuses are left out.
    pub fn add(&mut self, classes: &[Class], seed: u64, index: u64, settings: &Settings) {
        let Some((case, exploration)) = case(class_of(classes, index), seed, index) else { return };
        let mut answers: Vec<Vec<Answer>> = Vec::new();
        for (at, (_, domain)) in DOMAINS.iter().enumerate() {
            let settings = Settings { domain: *domain, ..settings.clone() };
            let judged = compare(&|case: &Case| ask(case, &settings), &case, &exploration);
            self.wrong[at] += judged.iter().filter(|one| one.wrong.is_some()).count();
            let given: Vec<Answer> = judged.into_iter().map(|one| one.outcome.answer).collect();
            self.maybe[at] += given.iter().filter(|answer| **answer == Answer::Maybe).count();
            answers.push(given);
        }
        self.asked += case.formulas.len();
        for (number, formula) in case.formulas.iter().enumerate() {
            let said = |wanted: Answer| answers.iter().any(|given| given[number] == wanted);
            if said(Answer::True) && said(Answer::False) {
                self.flips.push((case.clone(), formula.clone()));
            }
        }
    }

    pub fn table(&self) -> String {
        let mut text = format!("{} formulas, {} flips\n", self.asked, self.flips.len());
        for (at, (name, _)) in DOMAINS.iter().enumerate() {
            let share = self.maybe[at] as f64 * 100.0 / self.asked.max(1) as f64;
            text +=
                &format!("{name:<10} Maybe {:>6} ({share:.2} %), wrong {}\n", self.maybe[at], self.wrong[at]);
        }
        text
    }
}
