//! Everything that knows programs: front ends, the intermediate representation, the abstract
//! interpreter, the must/may model and the reports.

pub mod source;

pub mod ir;

pub mod frontend;

pub mod outline;

pub mod concrete;

pub mod property;

pub mod granularity;

pub mod precision;

pub mod mutation;

pub mod budget;

pub mod evidence;

pub mod verify;

pub mod interpret;

pub mod model;

pub mod symbolic;

pub mod pipeline;

pub mod lints;

pub mod expectation;

pub mod report;

pub mod cli;
