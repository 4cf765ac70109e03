//! A check that cannot fail proves nothing: each deliberately wrong rule must be found by the oracle, in the
//! partitioned and unrolled engine.

use std::time::Duration;

use kleene::mutation::Mutation;
use kleene::precision::Precision;
use kleene_oracle::engine::{Settings, ask};
use kleene_oracle::fuzz::{Plan, Progress, run};
use kleene_oracle::generate::{Case, Class};
use kleene_oracle::shrink::Budget;

/// Looks for a wrong verdict under a wrong rule, with one precision alone.
fn finds(mutation: Option<Mutation>, precision: Precision, seed: u64, cases: u64) -> bool {
    let settings = Settings {
        timeout: Duration::from_secs(2),
        ladder: Some(vec![precision]),
        mutation,
        ..Settings::default()
    };
    let plan = Plan {
        seed,
        classes: vec![Class::Hard, Class::Tiny],
        first: 0,
        cases,
        time: Duration::from_secs(600),
        jobs: 2,
        shrinking: Budget { tries: 0, time: Duration::ZERO },
        enough: 1,
        progress: Progress::Quiet,
    };
    let (_, found) = run(&|case: &Case| ask(case, &settings), &plan);
    !found.is_empty()
}

fn is_caught(mutation: Mutation, precision: Precision) {
    assert!(finds(Some(mutation), precision.clone(), 77, 2_000), "{mutation:?} is not noticed by the oracle");
    // The same cases with the right rules: what was found was the mutation.
    assert!(!finds(None, precision, 77, 60), "a wrong verdict without any mutation");
}

#[test]
fn may_edges_as_must_edges() {
    is_caught(Mutation::MayAsMust, Precision::unrolled());
}

#[test]
fn no_as_the_rest_of_yes() {
    is_caught(Mutation::NoIsNotYes, Precision::unrolled());
}

#[test]
fn ends_without_a_successor() {
    is_caught(Mutation::DroppedSelfLoops, Precision::unrolled());
}

#[test]
fn must_edges_into_empty_cells() {
    is_caught(Mutation::MustIntoEmptyCells, Precision::unrolled());
}

#[test]
fn inputs_without_a_witness_value() {
    is_caught(Mutation::InputMustWithoutWitness, Precision::unrolled());
}

#[test]
fn labels_before_the_fixpoint_is_stable() {
    // Partitions follow the property's atoms, so that labels of joined cells do not change while the cells
    // grow: the unrolled engine without them has to show the difference.
    let precision = Precision { cells_per_location: 3, partitions: 0, ..Precision::unrolled() };
    is_caught(Mutation::LabelsBeforeStabilisation, precision);
}
