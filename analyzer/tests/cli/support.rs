//! Runs the program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// x counts to 1.
pub const GOOD: &str = "int x = 0;\nvoid main() {\n    x = 1;\n}\n";

/// A folder that goes away with its test.
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kleene-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self { path }
    }

    pub fn with(self, name: &str, contents: impl AsRef<[u8]>) -> Self {
        let path = self.path.join(name);
        let folder = path.parent().expect("a path with a folder");
        std::fs::create_dir_all(folder).expect("a folder in the temporary folder");
        std::fs::write(path, contents).expect("a file in the temporary folder");
        self
    }

    pub fn kleene(&self, arguments: &[&str]) -> Ran {
        run(env!("CARGO_BIN_EXE_kleene"), &self.path, arguments)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A call that whoever runs the tests has no say in by variables.
pub fn called(program: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    for variable in [
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CARGO_TERM_COLOR",
        "RUST_BACKTRACE",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
    ] {
        command.env_remove(variable);
    }
    command
}

pub fn run(program: &str, folder: &Path, arguments: &[&str]) -> Ran {
    let output = called(program, folder, arguments).output();
    let Output { status, stdout, stderr } = output.expect("the program starts");
    Ran {
        code: status.code().expect("the program was not killed"),
        out: String::from_utf8(stdout).expect("the output is text"),
        err: String::from_utf8(stderr).expect("the messages are text"),
    }
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.out))
    }

    /// The output without what differs from run to run.
    pub fn timeless(&self) -> String {
        let human = |line: &str| match line.rfind(" cells, ").or_else(|| line.rfind(" cell, ")) {
            Some(at) if line.ends_with(" ms") || line.ends_with(" s") => line[..at].to_string() + " cells",
            _ => line.to_string(),
        };
        let machine = |line: String| match line.split_once("\"seconds\":") {
            Some((before, after)) => format!("{before}{}", &after[after.find(',').unwrap_or(0)..]),
            None => line,
        };
        self.out.lines().map(|line| machine(human(line)) + "\n").collect()
    }

    pub fn verdicts(&self) -> Vec<String> {
        let results = self.json()["results"].as_array().expect("a list").clone();
        results.iter().map(|result| result["verdict"].as_str().expect("a string").to_string()).collect()
    }
}
