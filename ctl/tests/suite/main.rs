//! Tests of the crate through its public face.
//!
//! `generate` makes random inputs from a seed, `explicit` is a textbook checker that shares nothing with the
//! one under test, and the other modules compare.

mod explicit;
mod generate;

mod check_exact;
mod check_sound;
mod evidence;
mod formula_text;
mod granularity;
mod model_text;
mod strategy;
mod vacuity;
