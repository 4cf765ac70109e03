//! Functions of the fixtures as rustc compiles them: what each call really does.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A function, by its file and its name, and what it is called with.
pub type Call = (String, u8, u8);

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rust/meaning")
}

/// The text of a fixture, by the name of its file.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.rs"))).expect("a fixture")
}

/// Functions of two bytes, with their result types.
pub fn functions(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("pub fn ")?;
            let (name, rest) = rest.split_once("(a: u8, b: u8) -> ")?;
            let (result, _) = rest.split_once(" {")?;
            let simple = result.chars().all(|letter| letter.is_ascii_alphanumeric());
            simple.then(|| (name.to_string(), result.to_string()))
        })
        .collect()
}

/// Texts as modules of one program, which is told on its input what to call.
fn program(texts: &[(&str, &str)]) -> String {
    let mut program = String::from("#![allow(warnings)]\n");
    let mut arms = String::new();
    for (file, text) in texts {
        let _ = writeln!(program, "mod {file};");
        for (name, _) in functions(text) {
            let _ = writeln!(arms, "\"{file}::{name}\" => {file}::{name}(a, b) as i128,");
        }
    }
    let _ = write!(
        program,
        "fn main() {{
    std::panic::set_hook(Box::new(|_| {{}}));
    for line in std::io::stdin().lines() {{
        let line = line.unwrap();
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let (a, b) = (words.next().unwrap().parse::<u8>().unwrap(), words.next().unwrap().parse::<u8>().unwrap());
        match std::panic::catch_unwind(|| match name {{\n{arms}_ => unreachable!() }}) {{
            Ok(value) => println!(\"{{value}}\"),
            Err(_) => println!(\"panics\"),
        }}
    }}
}}
"
    );
    program
}

/// What calls of functions in these texts give where they are compiled so; `None`: a panic.
pub fn called(texts: &[(&str, &str)], checked: bool, calls: &[Call]) -> Vec<Option<i128>> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kleene-real-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (source, file) = (folder.join("real.rs"), folder.join("real"));
    std::fs::write(&source, program(texts)).expect("a temporary file");
    for (name, text) in texts {
        // Files of their own: they may ask for their lines.
        std::fs::write(folder.join(format!("{name}.rs")), text).expect("a temporary file");
    }
    let checks = if checked { "on" } else { "off" };
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-C", &format!("overflow-checks={checks}")])
        .args(["-C", &format!("debug-assertions={checks}"), "-o"])
        .args([&file, &source])
        .output()
        .expect("rustc is there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let input: String = calls.iter().map(|(name, a, b)| format!("{name} {a} {b}\n")).collect();
    let mut running =
        Command::new(&file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut stdin = running.stdin.take().expect("its input");
    let writing = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let ran = running.wait_with_output().expect("the program ends");
    let _ = writing.join();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(ran.status.success(), "{:?}", ran.status);
    let lines = String::from_utf8(ran.stdout).expect("text");
    let given: Vec<Option<i128>> = lines.lines().map(|line| line.parse().ok()).collect();
    assert_eq!(given.len(), calls.len());
    given
}
