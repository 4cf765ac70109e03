//! What is kept between runs: the same answers with less work, whatever happened in between.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{Folder, Ran, called};

const MANIFEST: &str = "[package]\nname = \"kept\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
                        [features]\nwide = []\n";

const ROOT: &str = "mod inner;\npub mod door;\npub use inner::shared;\n\n\
    pub fn alone(x: u32, y: u32) -> u32 {\n    if y > 3 { x / y } else { x - y }\n}\n\n\
    fn helper(x: u32) -> u32 {\n    100 / x\n}\n\n\
    pub fn first(x: u32) -> u32 {\n    helper(x) + 1\n}\n\n\
    pub fn second(x: u32) -> u32 {\n    if x == 0 { return 0; }\n    helper(x)\n}\n\n\
    #[cfg(feature = \"wide\")]\npub fn wide(x: u64) -> u64 {\n    x + 1\n}\n\n\
    pub fn sum(data: &[u8]) -> u8 {\n    let mut all = 0u8;\n    for value in data { all += *value; }\n    all\n}\n";

const INNER: &str = "const TABLE: [u8; 4] = [1, 2, 3, 0];\n\n\
    pub fn shared(at: usize, by: u8) -> u8 {\n    by / TABLE[at]\n}\n";

const DOOR: &str = "pub struct Door {\n    open: bool,\n    count: u8,\n}\n\n\
    impl Door {\n    pub fn new() -> Self {\n        Door { open: false, count: 0 }\n    }\n\n    \
    pub fn turn(&mut self) {\n        self.open = !self.open;\n        self.count += 1;\n    }\n\n    \
    pub fn state(&self) -> u8 {\n        if self.open { self.count } else { 200 / (self.count + 1) }\n    }\n}\n";

fn package() -> Folder {
    Folder::new()
        .with("Cargo.toml", MANIFEST)
        .with("src/lib.rs", ROOT)
        .with("src/inner.rs", INNER)
        .with("src/door.rs", DOOR)
}

/// A call with the cache, and how many answers were new and kept.
fn counted(folder: &Folder, more: &[&str]) -> (Ran, (usize, usize)) {
    let arguments: Vec<&str> = ["lint", ".", "--stats"].iter().chain(more).copied().collect();
    let ran = folder.kleene(&arguments);
    let line = ran.err.lines().find(|line| line.starts_with("answers: "));
    let line = line.unwrap_or_else(|| panic!("no count in {}", ran.err)).to_string();
    let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    (ran, (numbers[0], numbers[1]))
}

/// The same call without anything that was kept.
fn fresh(folder: &Folder, more: &[&str]) -> Ran {
    let arguments: Vec<&str> = ["lint", ".", "--no-cache"].iter().chain(more).copied().collect();
    folder.kleene(&arguments)
}

/// Asserts that a call with the cache says what one without it says; its counts.
fn agrees(folder: &Folder, more: &[&str], about: &str) -> (usize, usize) {
    let (ran, counts) = counted(folder, more);
    let expected = fresh(folder, more);
    assert_eq!((ran.code, ran.timeless()), (expected.code, expected.timeless()), "{about}");
    counts
}

const JSON: &[&str] = &["--format", "json"];

/// The files that are kept.
fn kept(folder: &Folder) -> Vec<PathBuf> {
    let below = |folder: PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut found: Vec<PathBuf> =
        below(folder.path.join("target/kleene")).into_iter().flat_map(below).collect();
    found.sort();
    found
}

fn edit(folder: &Folder, file: &str, old: &str, new: &str) {
    let path = folder.path.join(file);
    let text = fs::read_to_string(&path).expect("a file of the package");
    assert!(text.contains(old), "{file} has no {old}");
    fs::write(path, text.replacen(old, new, 1)).expect("a file of the package");
}

#[test]
fn a_second_run_says_the_same_and_decides_nothing() {
    let forms: [&[&str]; 5] = [
        JSON,
        &["--format", "sarif"],
        &["--all", "--maybe"],
        &["--message-format", "json"],
        &["--format", "github"],
    ];
    let folder = package();
    let (_, (new, known)) = counted(&folder, JSON);
    assert!(new > 6 && known == 0, "{new} {known}");
    for form in forms {
        assert_eq!(agrees(&folder, form, "unchanged"), (0, new), "{form:?}");
    }
}

#[test]
fn an_edit_concerns_the_function_and_its_callers() {
    let folder = package();
    let (_, (all, _)) = counted(&folder, JSON);
    // What stands below moves, and is the same.
    edit(&folder, "src/lib.rs", "    if y > 3 {", "    // a line more\n\n    if y > 4 {");
    assert_eq!(agrees(&folder, JSON, "an entry"), (1, all - 1));
    edit(&folder, "src/lib.rs", "    100 / x", "    let part = 101;\n    part / x");
    assert_eq!(agrees(&folder, JSON, "what two entries call"), (2, all - 2));
    edit(&folder, "src/inner.rs", "[1, 2, 3, 0]", "[1, 2, 3, 4]");
    assert_eq!(agrees(&folder, JSON, "a table"), (1, all - 1));
    edit(&folder, "src/lib.rs", "mod inner;", "// moved\n\nmod inner;");
    assert_eq!(agrees(&folder, JSON, "nothing but lines"), (0, all));
    edit(
        &folder,
        "src/lib.rs",
        "pub fn alone",
        "pub fn another(x: [u16; 3]) -> [u16; 3] { [x[0] / x[1]; 3] }\npub fn alone",
    );
    assert_eq!(agrees(&folder, JSON, "a function more"), (1, all));
}

/// Code that no solver comes to, behind a checksum.
const SUMS: &str = "const ODD: u32 = 1;\n\n\
    fn sum(list: &[u32]) -> u32 {\n    let mut sum = 7u32;\n    for item in list {\n        \
    sum = sum.wrapping_mul(sum ^ 0x9E37_79B9).rotate_left(5) ^ item;\n    }\n    sum\n}\n\n\
    fn is_good(x: u8) -> bool {\n    sum(&[u32::from(x); 9]) % 2 == ODD\n}\n\n\
    pub fn by_number(x: u8) -> u8 {\n    if is_good(x) {\n        return 1;\n    }\n    2\n}\n\n\
    pub fn by_text(x: &str) -> u8 {\n    if x.len() == 11 && x.contains(\"overture\") && sum(&[9; 9]) > 0 {\n        \
    return 1;\n    }\n    2\n}\n\n\
    pub struct Level(u32);\n\nimpl Level {\n    pub fn new(x: u8) -> Self {\n        \
    Level(sum(&[u32::from(x); 9]))\n    }\n\n    \
    pub fn is_low(&self) -> bool {\n        if sum(&[self.0; 9]) % 3 == 0 {\n            return true;\n        }\n        \
    false\n    }\n}\n\n\
    #[cfg(test)]\nmod tests {\n    #[test]\n    fn words() {\n        crate::by_text(\"an overture\");\n    }\n}\n";

#[test]
fn what_made_up_calls_come_to_is_found_again_where_it_may_be_different() {
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", SUMS);
    let reached = || counted(&folder, JSON).0.out.matches("is reached in").count();
    let all = reached();
    assert!(all >= 5, "{all}");
    let edits = [
        ("nothing but a line", "pub fn by_number", "// a line\npub fn by_number"),
        ("a body that says the same", "    if is_good(x) {", "    let _edited = 0u8;\n    if is_good(x) {"),
        ("what is called says no", "% 2 == ODD", "% 2 == ODD + 1"),
        ("a constant", "const ODD: u32 = 1;", "const ODD: u32 = 0;"),
        ("what is called by all", "rotate_left(5)", "rotate_left(7)"),
        ("a test", "\"an overture\"", "\"no overture\""),
        ("how a value is made", "Level(sum(&[u32::from(x); 9]))", "Level(u32::from(x))"),
        ("nobody makes one", "pub fn new(x: u8)", "fn new(x: u8)"),
        (
            "another one makes them",
            "impl Level {",
            "impl Level {\n    pub fn low() -> Self {\n        Level(0)\n    }\n",
        ),
        ("a word that was searched for", "contains(\"overture\")", "contains(\"offer\")"),
        ("the checksum", "let mut sum = 7u32;", "let mut sum = 8u32;"),
    ];
    let mut counts = Vec::new();
    for (about, old, new) in edits {
        edit(&folder, "src/lib.rs", old, new);
        agrees(&folder, JSON, about);
        counts.push(reached());
    }
    assert_eq!(counts[..2], [all, all]);
    assert!(counts[2] < all, "{counts:?}");
}

#[test]
fn what_is_the_same_step_by_step_is_said_of_each() {
    let by = |ty: &str, by: &str| {
        format!(
            "impl std::ops::DivAssign<{ty}> for N {{\n    fn div_assign(&mut self, by: {ty}) {{\n        self.0 /= {by};\n    }}\n}}\n"
        )
    };
    let text = format!("pub struct N(pub u32);\n{}{}", by("u32", "by"), by("&u32", "*by"));
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", text);
    let (new, known) = agrees(&folder, JSON, "at first");
    assert!(new >= 2 && known == 0, "{new} {known}");
    let failing = counted(&folder, JSON).0.out.matches("\"verdict\":\"false\"").count();
    assert_eq!(failing, 2, "each divides by 0 at its own line");
    // One of them is another function then: the other one is as it was.
    edit(&folder, "src/lib.rs", "self.0 /= *by;", "self.0 /= *by + 1;");
    let (again, left) = agrees(&folder, JSON, "one is edited");
    assert!(again > 0 && left > 0 && again + left == new, "{again} {left}");
}

#[test]
fn what_is_known_before_an_edit_is_known_after_it_is_taken_back() {
    let folder = package();
    let (_, (all, _)) = counted(&folder, JSON);
    edit(&folder, "src/lib.rs", "y > 3", "y > 4");
    assert_eq!(agrees(&folder, JSON, "there"), (1, all - 1));
    edit(&folder, "src/lib.rs", "y > 4", "y > 3");
    assert_eq!(agrees(&folder, JSON, "and back"), (0, all));
}

#[test]
fn what_is_asked_differently_is_answered_anew() {
    let folder = package();
    let (_, (all, _)) = counted(&folder, JSON);
    let others: [&[&str]; 7] = [
        &["--format", "json", "--arith", "release"],
        &["--format", "json", "--level", "abstract"],
        &["--format", "json", "--domain", "intervals"],
        &["--format", "json", "--solver", "embedded"],
        &["--format", "json", "--features", "wide"],
        &["--format", "json", "-W", "lossy_cast"],
        &["--format", "json", "--entry", "first"],
    ];
    for other in others {
        agrees(&folder, other, "once");
        let (new, _) = agrees(&folder, other, "twice");
        assert_eq!(new, 0, "{other:?}");
    }
    let (_, (new, _)) = counted(&folder, &["--format", "json", "--level", "refine"]);
    assert_eq!(new, all, "another level");
    assert_eq!(agrees(&folder, JSON, "as at first"), (0, all));
}

#[test]
fn settings_count() {
    let folder = package();
    counted(&folder, JSON);
    fs::write(folder.path.join("kleene.toml"), "[lints]\nallow = [\"division_by_zero\"]\n")
        .expect("settings");
    agrees(&folder, JSON, "a lint is off");
    fs::write(folder.path.join("kleene.toml"), "[lints]\ndeny = [\"overflow\"]\n").expect("settings");
    agrees(&folder, JSON, "a lint is an error");
    edit(
        &folder,
        "src/lib.rs",
        "    100 / x",
        "    // kleene: allow(division_by_zero) the caller knows\n    100 / x",
    );
    agrees(&folder, JSON, "a suppression");
}

#[test]
fn files_that_come_and_go_count() {
    let folder = package();
    counted(&folder, JSON);
    let (from, to) = (folder.path.join("src/inner.rs"), folder.path.join("src/inner/mod.rs"));
    fs::create_dir(folder.path.join("src/inner")).expect("a folder");
    fs::rename(&from, &to).expect("a file moves");
    agrees(&folder, JSON, "a module moved");
    // Both: rustc refuses that.
    fs::copy(&to, &from).expect("a file is copied");
    let (code, text) = (fresh(&folder, JSON).code, fresh(&folder, JSON).timeless());
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    assert_eq!((ran.code, ran.timeless()), (code, text), "a module twice");
    fs::remove_file(&to).expect("a file goes");
    agrees(&folder, JSON, "a module is back");
    fs::remove_file(&from).expect("a file goes");
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    assert_eq!(ran.timeless(), fresh(&folder, JSON).timeless(), "a module is gone");
}

#[test]
fn broken_files_count_as_none() {
    let folder = package();
    let (_, (all, _)) = counted(&folder, JSON);
    type Break = fn(&mut Vec<u8>);
    let breaks: [Break; 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        Vec::clear,
        |bytes| *bytes = b"something else entirely".to_vec(),
        |bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        },
        |bytes| bytes.push(0),
    ];
    for (number, wrong) in breaks.iter().enumerate() {
        assert!(!kept(&folder).is_empty());
        for path in kept(&folder) {
            let mut bytes = fs::read(&path).expect("a kept file");
            wrong(&mut bytes);
            fs::write(path, bytes).expect("a kept file");
        }
        assert_eq!(agrees(&folder, JSON, "broken"), (all, 0), "{number}");
        assert_eq!(agrees(&folder, JSON, "mended"), (0, all), "{number}");
    }
}

#[test]
fn answers_of_one_file_do_not_pass_for_those_of_another() {
    let folder = package();
    let (_, (all, _)) = counted(&folder, JSON);
    edit(&folder, "src/lib.rs", "y > 3", "y > 0");
    // Results of an earlier text under the name of this one are seen to be older.
    let before: Vec<(PathBuf, Vec<u8>)> =
        kept(&folder).into_iter().map(|path| (path.clone(), fs::read(path).expect("a kept file"))).collect();
    assert_eq!(agrees(&folder, JSON, "edited"), (1, all - 1));
    for (path, bytes) in before {
        fs::write(path, bytes).expect("a kept file");
    }
    assert_eq!(agrees(&folder, JSON, "older files"), (1, all - 1));
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let folder = package();
    let expected = fresh(&folder, JSON).timeless();
    let start = || {
        called(env!("CARGO_BIN_EXE_kleene"), &folder.path, &["lint", ".", "--format", "json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    };
    for _ in 0..3 {
        let running: Vec<_> = (0..4).map(|_| start()).collect();
        for child in running {
            let output = child.wait_with_output().expect("it ends");
            let out = String::from_utf8(output.stdout).expect("text");
            let ran = Ran { code: 0, out, err: String::new() };
            assert_eq!(ran.timeless(), expected);
        }
        assert_eq!(agrees(&folder, JSON, "afterwards").0, 0);
        edit(&folder, "src/lib.rs", "mod inner;", "// once more\nmod inner;");
        let expected_now = fresh(&folder, JSON).timeless();
        assert_eq!(counted(&folder, JSON).0.timeless(), expected_now);
        edit(&folder, "src/lib.rs", "// once more\nmod inner;", "mod inner;");
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_wrong() {
    let folder = package();
    for delay in [0, 5, 20, 60, 120, 250] {
        edit(&folder, "src/lib.rs", "mod inner;", &format!("// after {delay}\nmod inner;"));
        edit(&folder, "src/inner.rs", "by /", &format!("{delay} + by /"));
        let mut child = called(env!("CARGO_BIN_EXE_kleene"), &folder.path, &["lint", "."])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().expect("it ends");
        agrees(&folder, JSON, "after a kill");
    }
    assert_eq!(agrees(&folder, JSON, "in the end").0, 0);
}

#[test]
fn nothing_is_kept_where_nobody_wants_it() {
    let folder = package();
    fresh(&folder, JSON);
    assert!(!folder.path.join("target").exists());
    // A file by itself belongs to no package, whatever stands around it.
    folder.kleene(&["lint", "src/door.rs"]);
    assert!(!folder.path.join("target").exists() && !folder.path.join("src/target").exists());
    counted(&folder, JSON);
    let before: Vec<(PathBuf, Vec<u8>)> =
        kept(&folder).into_iter().map(|path| (path.clone(), fs::read(path).expect("a kept file"))).collect();
    edit(&folder, "src/lib.rs", "y > 3", "y > 5");
    fresh(&folder, JSON);
    for (path, bytes) in before {
        assert_eq!(fs::read(path).expect("a kept file"), bytes);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    // Whoever may write everywhere finds a file in the way.
    let folder = package().with("target/kleene", "not a folder");
    let expected = fresh(&folder, JSON);
    let (ran, (new, _)) = counted(&folder, JSON);
    assert_eq!((ran.code, ran.timeless()), (expected.code, expected.timeless()));
    assert_eq!(counted(&folder, JSON).1, (new, 0));
    assert!(!ran.err.contains("target"), "{}", ran.err);
}

#[test]
fn what_the_clock_cut_short_is_not_kept() {
    let folder = package();
    let (ran, _) = counted(&folder, &["--format", "json", "--budget", "0.000001"]);
    assert!(ran.out.contains("the time of the whole call is over"), "{}", ran.out);
    let (new, known) = agrees(&folder, JSON, "with time");
    assert!(new > 0 && known == 0, "{new} {known}");
}

#[test]
fn other_commands_agree() {
    let folder = package();
    let before = folder.kleene(&["why", "src/lib.rs:10", "--no-cache"]);
    counted(&folder, JSON);
    let after = folder.kleene(&["why", "src/lib.rs:10"]);
    assert_eq!((before.code, before.timeless()), (after.code, after.timeless()));
    // Tests are written from the program, which is read again for that.
    folder.kleene(&["lint", ".", "--emit-tests", "kept-tests"]);
    folder.kleene(&["lint", ".", "--emit-tests", "fresh-tests", "--no-cache"]);
    let texts = |name: &str| {
        let entries = fs::read_dir(folder.path.join(name)).expect("tests").flatten();
        let mut texts: Vec<String> =
            entries.filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts("kept-tests"), texts("fresh-tests"));
    assert!(!texts("kept-tests").is_empty());
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// One function of a generated file; later ones call earlier ones.
fn function(number: usize, numbers: &mut Numbers) -> String {
    let callee = if number == 0 { "x".into() } else { format!("f{}(x)", numbers.below(number)) };
    let constant = numbers.below(5);
    let body = match numbers.below(6) {
        0 => format!("    let y = {callee};\n    y / {constant}\n").replace("/ 0", "/ x"),
        1 => format!("    let y = {callee};\n    if y > {constant} {{ x - y }} else {{ y + 1 }}\n"),
        2 => format!("    let table = [1u32, 2, {constant}];\n    table[({callee} % 4) as usize]\n"),
        3 => format!("    let mut y = {callee} % 9;\n    while y > {constant} {{ y -= 2; }}\n    y\n"),
        4 => format!("    assert!({callee} != {constant});\n    x\n"),
        _ => format!("    let (y, z) = pair({callee});\n    y / (z + {constant})\n"),
    };
    let public = if numbers.below(3) == 0 { "" } else { "pub " };
    format!("{public}fn f{number}(x: u32) -> u32 {{\n{body}}}\n")
}

fn text(functions: &[String], lines: usize) -> String {
    let pair = "fn pair(x: u32) -> (u32, u32) {\n    (x, x % 7)\n}\n";
    format!("{}{pair}{}", "// a line\n".repeat(lines), functions.join("\n"))
}

#[test]
fn after_any_edits_the_answers_are_those_of_a_fresh_run() {
    for seed in [1, 2] {
        let numbers = &mut Numbers(seed);
        let mut functions: Vec<String> = (0..7).map(|number| function(number, numbers)).collect();
        let mut lines = 0;
        let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", text(&functions, lines));
        let mut reused = 0;
        for step in 0..14 {
            let (new, known) = agrees(&folder, JSON, &format!("seed {seed}, step {step}"));
            assert!(new + known > 0);
            reused += known;
            match numbers.below(5) {
                0 => lines = numbers.below(4),
                1 => functions.push(function(functions.len(), numbers)),
                _ => {
                    let at = numbers.below(functions.len());
                    functions[at] = function(at, numbers);
                }
            }
            fs::write(folder.path.join("src/lib.rs"), text(&functions, lines)).expect("a file");
        }
        assert!(reused > 20, "{reused}");
    }
}
