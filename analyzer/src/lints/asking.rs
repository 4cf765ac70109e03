//! Who is asked, in which order: entries, then the drivers of those that take values which not everybody can make, then
//! examples. What is settled is asked of nobody else.
//!
//! A driver makes private values through public calls. A run of it is a run like any other. What no run of it comes to is
//! never reached where the driver makes every value there can be.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::Restricted;
use super::decide::{self, Answers, Asked, OpenQuestions, Sight, Task};
use super::kept::{Desk, How, Part};
use super::scope::Chosen;
use super::standing::{Standing, Weight, waves};
use super::summaries::{self, Summaries};
use crate::frontend::{Driver, Example};
use crate::ir::FunctionId;
use crate::pipeline::Options;

const HIDDEN: &str = "its callers are not all seen: who could pass such values is not known";
const PRIVATE: &str = "private state: the run begins with a value that only its module can make";

/// So many drivers may cost more than other entries.
const FEW_DRIVERS: usize = 20;
/// Where there are more, those that can come to more locations than this only run.
const LARGEST_OF_MANY: usize = 600;
/// The same where little is done.
const LARGEST_IF_QUICK: usize = 150;

/// Entries that are looked at side by side, and drivers and examples, which have more in common.
const WAVE: usize = 16;
const WAVE_OF_RUNS: usize = 4;
/// How often runs are made for the same in vain, and where little is done.
const MOST_TRIES: u8 = 4;
const MOST_IF_QUICK: u8 = 2;
/// The same with more in sight: what that shows, the first of those who look show.
const MOST_IF_WIDE: u8 = 1;

pub struct Asking<'a> {
    pub desk: &'a Desk<'a>,
    pub summaries: &'a Summaries,
    pub standing: Standing<'a>,
    pub options: &'a Options,
    pub chosen: &'a Chosen,
}

/// What runs of a driver or an example say.
struct Told {
    answers: Answers,
    /// It speaks of all runs.
    complete: bool,
    /// What it can come to.
    functions: Vec<FunctionId>,
}

impl Asking<'_> {
    fn task(&self) -> Task<'_> {
        let Self { desk, summaries, standing, options, .. } = self;
        Task { marked: desk.marked(), summaries, standing, options }
    }

    /// What each entry says, in their order.
    pub fn entries(&mut self, entries: &[FunctionId], restricted: &Restricted<'_>) -> Vec<Answers> {
        let is_driven = |entry: FunctionId| {
            let complete = |driver: &Driver| driver.complete && driver.entry == entry;
            restricted.drivers.is_some_and(|drivers| drivers.list.iter().any(complete))
        };
        let mut all: Vec<Option<Answers>> = Vec::new();
        all.resize_with(entries.len(), || None);
        for mut wave in self.waves(entries, WAVE) {
            wave.retain(|at| self.chosen.asks(entries[*at]));
            let begins: Vec<FunctionId> = wave.iter().map(|at| entries[*at]).collect();
            let told = self.side_by_side(&begins, |at, part| self.entry(begins[at], part, restricted));
            for (at, answers) in wave.into_iter().zip(told) {
                let entry = entries[at];
                let passing = restricted.private.contains(&entry) && is_driven(entry);
                self.standing.note(&answers, if passing { Weight::Passing } else { Weight::Final });
                all[at] = Some(answers);
            }
        }
        // Of those who are not asked nothing is known, and nothing is open.
        all.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Asks all of a wave. Instances of a function may be the same step by step: the first of them is asked, and what it
    /// said is known to the others.
    fn side_by_side<T: Send>(
        &self,
        begins: &[FunctionId],
        ask: impl Fn(usize, Option<&Part>) -> T + Sync,
    ) -> Vec<T> {
        let parts: Vec<Option<Part>> = begins.par_iter().map(|begins| self.desk.part(*begins)).collect();
        let name = |at: usize| parts[at].as_ref().map(|part| part.digest);
        let is_first = |at: &usize| name(*at).is_none() || (0..*at).all(|before| name(before) != name(*at));
        let (first, others): (Vec<usize>, Vec<usize>) = (0..begins.len()).partition(is_first);
        let told = |at: &usize| (*at, ask(*at, parts[*at].as_ref()));
        let mut all: Vec<(usize, T)> = first.par_iter().map(told).collect();
        all.par_extend(others.par_iter().map(told));
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, told)| told).collect()
    }

    fn waves(&self, begins: &[FunctionId], most: usize) -> Vec<Vec<usize>> {
        waves(&self.task().marked.program, begins, most, &|id| self.chosen.group(id))
    }

    fn entry(&self, entry: FunctionId, part: Option<&Part>, restricted: &Restricted<'_>) -> Answers {
        let work = || decide::decide(self.task(), entry);
        let answers = self.desk.answers(part, How::All, self.task(), work);
        if restricted.hidden.contains(&entry) {
            answers.held_back(HIDDEN)
        } else if restricted.private.contains(&entry) {
            answers.held_back(PRIVATE)
        } else if restricted.large.contains(&entry) {
            answers.held_back(decide::VERY_LARGE)
        } else {
            answers
        }
    }

    /// What entries left open because there was too much of it is asked of the functions that it stands in, each by
    /// itself: what none of their calls comes to is never reached, whoever calls.
    pub fn alone(&self, entries: &[FunctionId], answers: &mut [Answers]) {
        if decide::is_quick(self.options) {
            return;
        }
        let program = &self.task().marked.program;
        let written = summaries::written(program);
        let first = summaries::fixed(program, &written);
        let told: Vec<Answers> = self
            .unfinished(answers)
            .par_iter()
            .map(|(function, open)| {
                let is_entry = entries.contains(function);
                let work = || decide::alone(self.task(), *function, is_entry, &first, open);
                let how = How::Alone { open, written: &written, is_entry };
                let part = self.desk.part(*function);
                self.desk.answers(part.as_ref(), how, self.task(), || work().unwrap_or_default())
            })
            .collect();
        for told in told {
            answers.iter_mut().for_each(|answers| answers.take_proofs(&told));
        }
    }

    /// Failures and loops that are still open because there was too much of something, by their functions. What fires
    /// where no run comes is not among them: nearly all of that is reached.
    fn unfinished(&self, answers: &[Answers]) -> Vec<(FunctionId, OpenQuestions)> {
        let marked = self.task().marked;
        let mut asked: BTreeMap<FunctionId, OpenQuestions> = BTreeMap::new();
        for open in answers.iter().map(Answers::unfinished) {
            let open = open.without_settled(&self.standing);
            let places = open.places().into_iter().map(|index| (index, marked.places[index]));
            for (index, place) in places.filter(|(_, place)| marked.failing.contains(place)) {
                asked.entry(place.function).or_default().add_place(index);
            }
            for site in open.loops() {
                asked.entry(marked.sites[site].function).or_default().add_loop(site);
            }
        }
        asked.into_iter().collect()
    }

    /// Puts what drivers say in the place of what was open.
    pub fn drivers(&mut self, entries: &[FunctionId], drivers: &[Driver], answers: &mut Vec<Answers>) {
        let asked = drivers.iter().filter_map(|driver| {
            let at = entries.iter().position(|entry| *entry == driver.entry)?;
            (!answers[at].open().is_empty()).then_some((at, *driver))
        });
        let asked: Vec<(usize, Driver)> = asked.collect();
        // How many there are, not what is open of them: shares know no more than that.
        let closely = drivers.len() <= FEW_DRIVERS && !decide::is_quick(self.options);
        let begins: Vec<FunctionId> = asked.iter().map(|(_, driver)| driver.driver).collect();
        for wave in self.waves(&begins, WAVE_OF_RUNS) {
            let begins: Vec<FunctionId> = wave.iter().map(|number| begins[*number]).collect();
            let told = self.side_by_side(&begins, |number, part| {
                let (at, driver) = asked[wave[number]];
                Some((at, self.driver(driver, part, &answers[at], closely)?))
            });
            for (at, Told { answers: told, complete, functions }) in told.into_iter().flatten() {
                if complete {
                    answers[at].take_over(&told);
                    self.standing.note(&answers[at], Weight::Final);
                }
                let shown = told.reached();
                self.standing.note(&shown, Weight::Final);
                self.standing.note_tries(&functions);
                answers.push(shown);
            }
        }
    }

    /// What a driver says; `None` if nothing is left to ask.
    fn driver(&self, driver: Driver, part: Option<&Part>, entry: &Answers, closely: bool) -> Option<Told> {
        let begins = driver.driver;
        let program = &self.task().marked.program;
        let functions = self.task().marked.names.reached(begins);
        let size: usize = functions.iter().map(|id| program.function(*id).graph.node_count()).sum();
        let largest = if decide::is_quick(self.options) { LARGEST_IF_QUICK } else { LARGEST_OF_MANY };
        // What a driver that does not make all values never comes to says nothing.
        if !driver.complete || !closely && size > largest {
            return self.shown(begins, part, functions, Sight::Usual);
        }
        let open = entry.open().without_settled(&self.standing);
        if open.is_empty() {
            return None;
        }
        let by_runs = closely || !self.standing.is_exhausted(&functions, self.most_tries());
        let asked = Asked { open: &open, closely, by_runs };
        let work = || decide::decide_only(self.task(), begins, Some(&asked));
        let answers = self.desk.answers(part, How::Some(&asked), self.task(), work);
        Some(Told { answers, complete: driver.complete, functions })
    }

    fn most_tries(&self) -> u8 {
        if decide::is_quick(self.options) { MOST_IF_QUICK } else { MOST_TRIES }
    }

    /// Whether runs were made so often in vain that one more hardly shows anything.
    fn is_vain(&self, functions: &[FunctionId], sight: Sight) -> bool {
        let most = if sight == Sight::Wide { MOST_IF_WIDE } else { self.most_tries() };
        self.standing.is_exhausted(functions, most)
    }

    /// What runs show; `None` if nothing is left to show.
    fn shown(
        &self,
        begins: FunctionId,
        part: Option<&Part>,
        functions: Vec<FunctionId>,
        sight: Sight,
    ) -> Option<Told> {
        if self.is_vain(&functions, sight) {
            return None;
        }
        let work = || decide::shown(self.task(), begins, sight);
        let answers = self.desk.answers(part, How::Shown(sight), self.task(), work);
        Some(Told { answers, complete: false, functions })
    }

    /// What entries show with some of the types they can be called with, and then with more of their slices followed.
    pub fn examples(&mut self, entries: &[FunctionId], restricted: &Restricted<'_>) -> Vec<Answers> {
        let mut among = FixedBitSet::with_capacity(self.task().marked.program.functions.len());
        among.extend(entries.iter().map(|entry| entry.0 as usize));
        let mut all = Vec::new();
        for sight in [Sight::Usual, Sight::Wide] {
            let own = |example: &&Example| {
                (example.wide == (sight == Sight::Wide)) && among.contains(example.entry.0 as usize)
            };
            let examples = restricted.examples.iter().filter(own);
            let begins: Vec<FunctionId> = examples.map(|example| example.begins).collect();
            if sight == Sight::Wide {
                if decide::is_quick(self.options) {
                    break;
                }
                // What was looked for in vain with little in sight may be found with more.
                self.standing.forget_tries();
            }
            self.examples_of(&begins, sight, &mut all);
        }
        all
    }

    fn examples_of(&mut self, begins: &[FunctionId], sight: Sight, all: &mut Vec<Answers>) {
        for mut wave in self.waves(begins, WAVE_OF_RUNS) {
            let reached = |at: usize| self.task().marked.names.reached(begins[at]);
            wave.retain(|at| self.chosen.asks(begins[*at]) && !self.is_vain(&reached(*at), sight));
            let asked: Vec<FunctionId> = wave.iter().map(|at| begins[*at]).collect();
            let told = self.side_by_side(&asked, |number, part| {
                self.shown(asked[number], part, reached(wave[number]), sight)
            });
            for Told { answers, functions, .. } in told.into_iter().flatten() {
                self.standing.note(&answers, Weight::Passing);
                self.standing.note_tries(&functions);
                all.push(answers);
            }
        }
    }
}
