//! APRON's numeric domains (Jeannet and Miné, CAV 2009) behind [`kleene_domains::Relation`]: boxes,
//! octagons and polyhedra over exact rationals, linked to a libapron that the user has.
//!
//! Empty without the feature `link`. With it, `APRON_DIR` names the folder whose `lib` holds the
//! libraries. APRON works on rationals and tightens for integers where it can, so its elements may
//! be empty of integers without saying so. What it reports as an exception (time, space, overflow)
//! gives a weaker sound result that is marked degraded; a failed `malloc` ends the process, inside
//! APRON and GMP.
#![cfg(feature = "link")]

mod element;
mod ffi;
mod form;
mod handle;
mod manager;
mod number;

pub use element::{Apron, ApronBox, ApronOctagon, ApronPolyhedron};
pub use manager::{Boxes, Library, Octagons, Polyhedra};
