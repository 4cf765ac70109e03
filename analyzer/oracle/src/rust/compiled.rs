//! The compiled functions, called with every input there is of small types, and with all short ones of the others.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use kleene::frontend::Arithmetic;
use kleene::lints::Lint;

use super::generate::{Function, Generated};
use super::{Class, Place};

/// The lines that panic for some input of some function, and how.
pub(super) fn panics(
    generated: &Generated,
    arithmetic: Arithmetic,
    folder: &Path,
) -> Result<BTreeSet<Place>, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let (source, program): (PathBuf, PathBuf) = (folder.join("generated.rs"), folder.join("generated"));
    std::fs::write(&source, harness(generated)).map_err(|error| error.to_string())?;
    compile(&source, &program, arithmetic, &["-C", "opt-level=1"])?;
    let ran = Command::new(&program).output().map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(format!("the compiled functions ended with {}", ran.status));
    }
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let place = |line: &str| {
        let (number, message) = line.split_once(' ')?;
        Some((number.parse().ok()?, lint_of(message)))
    };
    text.lines().map(|line| place(line).ok_or_else(|| format!("`{line}` is no line"))).collect()
}

pub(super) fn compile(
    source: &Path,
    program: &Path,
    arithmetic: Arithmetic,
    options: &[&str],
) -> Result<(), String> {
    let checks = if arithmetic == Arithmetic::Debug { "on" } else { "off" };
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-C", "debuginfo=line-tables-only"])
        .args(options)
        .args(["-C", &format!("overflow-checks={checks}"), "-C", &format!("debug-assertions={checks}")])
        .args(["-A", "warnings", "-A", "unconditional_panic", "-A", "arithmetic_overflow"])
        .args(["-A", "overflowing_literals", "-o"])
        .arg(program)
        .arg(source)
        .output()
        .map_err(|error| format!("rustc: {error}"))?;
    match compiled.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&compiled.stderr).into_owned()),
    }
}

/// What panics about indices and parts say; digits are replaced.
const INDEX: [&str; 12] = [
    "index out of bounds",
    "out of range for slice",
    "slice index starts at",
    "mid > len",
    "index (is ",
    "is out of bounds of",
    "not a char boundary",
    "begin <= end",
    "begin > end",
    "failed to slice string",
    "copy_from_slice: source slice length",
    "is_char_boundary",
];

/// The lint that looks for a panic of this message.
fn lint_of(message: &str) -> Lint {
    match message {
        text if text.contains("by zero") || text.contains("divisor of zero") => Lint::DivisionByZero,
        text if text.contains("attempt to shift") => Lint::InvalidShift,
        text if text.contains("with overflow") => Lint::Overflow,
        text if INDEX.iter().any(|part| text.contains(part)) => Lint::IndexOutOfBounds,
        text if text.contains("called `") || text.starts_with("some") || text.starts_with("fine") => {
            Lint::UnwrapFailed
        }
        text if text.starts_with("assertion") || text.starts_with("only where") => Lint::AssertionFailed,
        _ => Lint::ReachablePanic,
    }
}

/// The functions as they are, and behind them a main function that calls each with every input.
fn harness(generated: &Generated) -> String {
    let mut text = generated.text.clone();
    text.push_str(include_str!("main.rs.txt"));
    for function in &generated.functions {
        let mut call = String::new();
        for (index, ty) in function.parameters.iter().enumerate() {
            let _ = write!(call, "for p{index} in {} {{ ", values(generated.class, function, index, ty));
        }
        let arguments: Vec<String> =
            function.parameters.iter().enumerate().map(|(index, ty)| argument(index, ty)).collect();
        let _ = write!(
            call,
            "try_out(|| {{ std::hint::black_box({}({})); }});",
            function.name,
            arguments.join(", ")
        );
        let _ = writeln!(text, "    {call}{}", " }".repeat(function.parameters.len()));
    }
    text.push_str("    for line in SEEN.lock().unwrap().iter() {\n        println!(\"{line}\");\n    }\n}\n");
    text
}

/// What a parameter goes through: all values of small types, all short values of others; of bytes behind two
/// other parameters, those that matter most.
fn values(class: Class, function: &Function, index: usize, ty: &str) -> String {
    match ty {
        "bool" => "[false, true]".into(),
        "&[u8]" | "&mut [u8]" | "Vec<u8>" | "&mut Vec<u8>" => "slices()".into(),
        "[u8; 4]" | "&mut [u8; 4]" => "arrays()".into(),
        "&str" | "String" => "texts()".into(),
        "Option<u8>" => "std::iter::once(None).chain((0..=255u8).map(Some))".into(),
        _ if class != Class::Scalar && function.parameters.len() > 2 && index > 0 => "some_bytes()".into(),
        ty => {
            let plain = ty.trim_start_matches("&mut ").trim_start_matches('&');
            format!("{plain}::MIN..={plain}::MAX")
        }
    }
}

/// A parameter's value as the argument of a call, made anew for each.
fn argument(index: usize, ty: &str) -> String {
    match ty {
        "&[u8]" => format!("&p{index}[..]"),
        "&mut [u8]" => format!("&mut p{index}.clone()[..]"),
        "&mut Vec<u8>" | "&mut [u8; 4]" => format!("&mut p{index}.clone()"),
        "Vec<u8>" => format!("p{index}.clone()"),
        "String" => format!("p{index}.to_string()"),
        "&u8" => format!("&p{index}"),
        "&mut u8" => format!("&mut p{index}.clone()"),
        _ => format!("p{index}"),
    }
}
