//! A fuzzing run: cases in parallel until the time is over, counterexamples shrunk as they are found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::differential::{Engine, Judged, compare};
use crate::generate::{Case, Class, case};
use crate::shrink::{Budget, shrink};
use crate::statistics::Statistics;

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// The classes take turns.
    pub classes: Vec<Class>,
    pub first: u64,
    /// Stop after this many cases …
    pub cases: u64,
    /// … or this much time.
    pub time: Duration,
    pub jobs: usize,
    pub shrinking: Budget,
    /// Stop early once this many counterexamples have been found.
    pub enough: usize,
    pub progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Quiet,
    /// A line on stderr every few seconds.
    Lines,
}

/// Deeply nested formulas and call stacks of the engine need more than a thread's usual share.
const STACK: usize = 64 << 20;

/// The class whose turn it is.
pub fn class_of(classes: &[Class], index: u64) -> Class {
    classes[(index % classes.len() as u64) as usize]
}

pub fn run(engine: &Engine<'_>, plan: &Plan) -> (Statistics, Vec<(Case, Judged)>) {
    let (statistics, found) = (Mutex::new(Statistics::default()), Mutex::new(Vec::new()));
    let next = AtomicU64::new(plan.first);
    let finished = AtomicBool::new(false);
    let start = Instant::now();
    let running: Vec<Mutex<Option<(Instant, u64)>>> = (0..plan.jobs).map(|_| Mutex::new(None)).collect();
    let over = || {
        let found = found.lock().expect("no worker panics while holding it").len();
        start.elapsed() >= plan.time || found >= plan.enough
    };
    let work = |slot: usize| {
        while !over() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= plan.first + plan.cases {
                break;
            }
            *running[slot].lock().expect("a slot") = Some((Instant::now(), index));
            one(engine, plan, index, &statistics, &found);
        }
        *running[slot].lock().expect("a slot") = None;
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).stack_size(STACK).build();
    let pool = pool.expect("a pool of threads");
    std::thread::scope(|threads| {
        if plan.progress == Progress::Lines {
            threads.spawn(|| report(start, &statistics, &found, &running, &finished));
        }
        pool.scope(|scope| (0..plan.jobs).for_each(|slot| scope.spawn(move |_| work(slot))));
        finished.store(true, Ordering::Relaxed);
    });
    let statistics = statistics.into_inner().expect("every worker is done");
    (statistics, found.into_inner().expect("every worker is done"))
}

type Found = Mutex<Vec<(Case, Judged)>>;

fn one(engine: &Engine<'_>, plan: &Plan, index: u64, statistics: &Mutex<Statistics>, found: &Found) {
    let Some((case, exploration)) = case(class_of(&plan.classes, index), plan.seed, index) else {
        statistics.lock().expect("statistics").skipped += 1;
        return;
    };
    let start = Instant::now();
    let judged = compare(engine, &case, &exploration);
    let seconds = start.elapsed().as_secs_f64();
    statistics.lock().expect("statistics").record(&case, &exploration, &judged, seconds);
    // One counterexample a program is enough: they usually have one cause.
    if let Some(wrong) = judged.iter().find(|judged| judged.wrong.is_some()) {
        let small = shrink(engine, &case, wrong, plan.shrinking);
        found.lock().expect("counterexamples").push(small);
    }
}

type Running = [Mutex<Option<(Instant, u64)>>];

fn report(
    start: Instant,
    statistics: &Mutex<Statistics>,
    found: &Found,
    running: &Running,
    finished: &AtomicBool,
) {
    let mut shown = Instant::now();
    while !finished.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(200));
        if shown.elapsed() < Duration::from_secs(5) {
            continue;
        }
        shown = Instant::now();
        let (cases, total) = {
            let statistics = statistics.lock().expect("statistics");
            (statistics.cases, statistics.total())
        };
        let maybe = total.maybe as f64 * 100.0 / total.asked().max(1) as f64;
        eprintln!(
            "{:>5} s  {cases} programs, {} formulas, {maybe:.1} % Maybe, {} counterexamples",
            start.elapsed().as_secs(),
            total.asked(),
            found.lock().expect("counterexamples").len()
        );
        for slot in running {
            if let Some((since, index)) = *slot.lock().expect("a slot")
                && since.elapsed() > Duration::from_secs(60)
            {
                eprintln!("         case {index} has been running for {} s", since.elapsed().as_secs());
            }
        }
    }
}
