//! What a call of `lint` looks at: files by themselves, and the targets of packages.

use std::path::PathBuf;

use kleene_solver::Choice;

use super::super::Caller;
use super::super::arguments::LintArguments;
use super::super::package::{self, Unit};
use crate::frontend::Arithmetic;
use crate::frontend::rust::RustOptions;
use crate::report::Remark;

/// One root file, and how it is read.
#[derive(Clone, Debug)]
pub struct Input {
    pub path: PathBuf,
    pub arithmetic: Arithmetic,
    pub rust: RustOptions,
    /// What it is, where a package has more than one of them.
    pub header: Option<String>,
}

impl Input {
    fn of_unit(unit: Unit) -> Self {
        let Unit { path, arithmetic, rust, header } = unit;
        Self { path, arithmetic, rust, header: Some(header) }
    }
}

/// All inputs in order, and what is wrong with the call. A package that cannot be found does not stop the others.
pub fn of_call(arguments: &LintArguments, rust: &RustOptions, caller: Caller) -> (Vec<Input>, Vec<Remark>) {
    let (mut inputs, mut remarks) = (Vec::new(), Vec::new());
    let named = match named(arguments, caller) {
        Ok(named) => named,
        Err(remark) => return (inputs, remark),
    };
    for named in named {
        match named {
            Named::Package(manifest) => {
                let LintArguments { selection, building, arith, .. } = arguments;
                match package::units(&manifest, selection, building, rust, *arith) {
                    Ok(units) => inputs.extend(units.into_iter().map(Input::of_unit)),
                    Err(said) => remarks.extend(said),
                }
            }
            Named::File(path) => {
                let arithmetic = arguments.arith.unwrap_or(Arithmetic::Debug);
                inputs.push(Input { path, arithmetic, rust: rust.clone(), header: None });
            }
        }
    }
    (inputs, remarks)
}

enum Named {
    File(PathBuf),
    /// By its manifest.
    Package(PathBuf),
}

/// What the call names, or what it means where it names nothing.
fn named(arguments: &LintArguments, caller: Caller) -> Result<Vec<Named>, Vec<Remark>> {
    let speaks_of_packages = arguments.building.is_given(&arguments.selection);
    if arguments.files.is_empty() {
        if caller == Caller::Kleene && !speaks_of_packages {
            let help = "name a file, a `Cargo.toml` or its folder";
            return Err(vec![Remark::call("no file to look at", Some(help))]);
        }
        return Ok(vec![Named::Package(package::manifest_here(&arguments.selection)?)]);
    }
    let of = |path: &PathBuf| match package::manifest_of(path) {
        Some(manifest) => Named::Package(manifest),
        None => Named::File(path.clone()),
    };
    let named: Vec<Named> = arguments.files.iter().map(of).collect();
    if speaks_of_packages && !named.iter().any(|named| matches!(named, Named::Package(_))) {
        let message = "options that choose packages, targets or profiles have no meaning for single files";
        let help = "name a `Cargo.toml` or its folder instead";
        return Err(vec![Remark::call(message, Some(help))]);
    }
    Ok(named)
}

/// Who is asked what the domains do not decide.
pub fn solver_name(choice: &Choice) -> String {
    let name = match choice {
        Choice::Embedded => "embedded",
        Choice::Command(command) => command.first().map_or("", String::as_str),
        Choice::Auto => {
            ["z3", "cvc5"].into_iter().find(|name| kleene_solver::is_runnable(name)).unwrap_or("embedded")
        }
    };
    format!("solver {name}")
}
