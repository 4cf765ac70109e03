//! The command line as its users see it: exit status, output, and every kind of wrong input.

#[path = "cli/support.rs"]
mod support;

#[path = "cli/schema.rs"]
mod schema;

#[path = "cli/sarif.rs"]
mod sarif;

#[path = "cli/exit_status.rs"]
mod exit_status;

#[path = "cli/bad_input.rs"]
mod bad_input;

#[path = "cli/property_files.rs"]
mod property_files;

#[path = "cli/made_up.rs"]
mod made_up;

#[path = "cli/models.rs"]
mod models;

#[path = "cli/json.rs"]
mod json;

#[path = "cli/human.rs"]
mod human;

#[path = "cli/explain.rs"]
mod explain;

#[path = "cli/graphs.rs"]
mod graphs;

#[path = "cli/examples.rs"]
mod examples;

#[path = "cli/evidence.rs"]
mod evidence;

#[path = "cli/solvers.rs"]
mod solvers;

#[path = "cli/modules.rs"]
mod modules;

#[path = "cli/rust.rs"]
mod rust;

#[path = "cli/rust_values.rs"]
mod rust_values;

#[path = "cli/severity.rs"]
mod severity;

#[path = "cli/levels.rs"]
mod levels;

#[path = "cli/suppression.rs"]
mod suppression;

#[path = "cli/formats.rs"]
mod formats;

#[path = "cli/baseline.rs"]
mod baseline;

#[path = "cli/manual.rs"]
mod manual;

#[path = "cli/sharing.rs"]
mod sharing;

#[path = "cli/ci.rs"]
mod ci;

#[path = "cli/lint.rs"]
mod lint;

#[path = "cli/callers.rs"]
mod callers;

#[path = "cli/packages.rs"]
mod packages;

#[path = "cli/users.rs"]
mod users;

#[path = "cli/built.rs"]
mod built;

#[path = "cli/followed.rs"]
mod followed;

#[path = "cli/cache.rs"]
mod cache;

#[path = "cli/dependencies.rs"]
mod dependencies;
