//! What a call of `lint` looks at: files by themselves, and the targets of packages.

use std::path::PathBuf;

use kleene_solver::Choice;

use super::super::Caller;
use super::super::arguments::LintArguments;
use super::super::config::{self, Config};
use super::super::package::{self, Settings, Unit};
use crate::frontend::Arithmetic;
use crate::report::{self, Remark};

/// One root file, and how it is read.
#[derive(Clone, Debug)]
pub struct Input {
    pub path: PathBuf,
    pub arithmetic: Arithmetic,
    pub config: Config,
    /// What it is, where a package has more than one of them.
    pub header: Option<String>,
    pub unit: Option<report::Unit>,
    /// Other packages, by name.
    pub depends_on: Vec<String>,
    /// Where the workspace keeps what is built.
    pub target_folder: Option<PathBuf>,
}

impl Input {
    fn of_unit(unit: Unit) -> Self {
        let Unit { path, arithmetic, config, names, header, depends_on, target_folder } = unit;
        Self { path, arithmetic, config, header: Some(header), unit: Some(names), depends_on, target_folder }
    }

    /// What people call it: the target, or the file.
    pub fn name(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({} {})", unit.package, unit.kind, unit.target),
            None => self.path.display().to_string(),
        }
    }

    /// The same root, read in the same way.
    pub fn same_as(&self, other: &Self) -> bool {
        self.path == other.path
            && self.header == other.header
            && self.config.rust.root == other.config.rust.root
    }
}

/// All inputs in order, and what is wrong with the call. A package that cannot be found does not stop the others.
pub fn of_call(arguments: &LintArguments, caller: Caller) -> (Vec<Input>, Vec<Remark>) {
    of_files(&arguments.files, arguments, caller)
}

/// The same for other files than the call names.
pub fn of_files(files: &[PathBuf], arguments: &LintArguments, caller: Caller) -> (Vec<Input>, Vec<Remark>) {
    let nearest = Config { levels: arguments.levels.levels(), ..Config::of_rust(&arguments.rust) };
    let named_config = arguments.config.as_deref();
    let (mut inputs, mut remarks) = (Vec::new(), Vec::new());
    let named = match named(files, arguments, caller) {
        Ok(named) => named,
        Err(remark) => return (inputs, remark),
    };
    for named in named {
        match named {
            Named::Package(manifest) => {
                let LintArguments { selection, building, arith, .. } = arguments;
                let settings = Settings { named: named_config, nearest: &nearest };
                let found = package::units(&manifest, selection, building, &settings, *arith);
                inputs.extend(found.units.into_iter().map(Input::of_unit));
                remarks.extend(found.remarks);
            }
            Named::File(path) => {
                let arithmetic = arguments.arith.unwrap_or(Arithmetic::Debug);
                match config::of_file(&path, named_config) {
                    Ok(config) => {
                        let config = config.then(&nearest);
                        inputs.push(Input {
                            path,
                            arithmetic,
                            config,
                            header: None,
                            unit: None,
                            depends_on: Vec::new(),
                            target_folder: None,
                        });
                    }
                    Err(said) => {
                        for remark in said {
                            if !remarks.iter().any(|known: &Remark| known.repeats(&remark)) {
                                remarks.push(remark);
                            }
                        }
                    }
                }
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
fn named(files: &[PathBuf], arguments: &LintArguments, caller: Caller) -> Result<Vec<Named>, Vec<Remark>> {
    let speaks_of_packages = arguments.building.is_given(&arguments.selection);
    if files.is_empty() {
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
    let named: Vec<Named> = files.iter().map(of).collect();
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
