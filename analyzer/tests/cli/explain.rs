//! What is said of a Maybe that remains: goldens beside their programs in `fixtures/explain`.
//!
//! The first two lines of a program have the options and the formula. `KLEENE_BLESS=1` rewrites the goldens.

use std::path::PathBuf;

use crate::support::Folder;

fn programs() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/explain");
    let files = std::fs::read_dir(folder).expect("the folder of fixtures");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    files
}

#[test]
fn a_maybe_says_what_is_left_to_decide() {
    let mut wrong = Vec::new();
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("a program");
        let line = |start: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(start));
            found.unwrap_or_else(|| panic!("{}: no `{start}`", path.display()))
        };
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let mut arguments = vec!["check", name, "--prop", line("formula: ")];
        arguments.extend(line("options: ").split_whitespace());
        let ran = Folder::new().with(name, &text).kleene(&arguments);
        let actual = ran.timeless();
        let golden = path.with_file_name(format!("{name}.txt"));
        if std::env::var_os("KLEENE_BLESS").is_some() {
            std::fs::write(&golden, &actual).expect("goldens can be written");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if actual != expected {
            wrong.push(format!("{name}\n--- expected\n{expected}--- actual\n{actual}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn machines_are_told_too() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/explain/two_inputs.cm");
    let text = std::fs::read_to_string(path).expect("a program");
    let folder = Folder::new().with("a.cm", &text);
    let formula = "AG(x * x * x + y * y * y != 123456)";
    let ran = folder.kleene(&["check", "a.cm", "--prop", formula, "--level", "abstract", "--format", "json"]);
    let obligation = &ran.json()["results"][0]["evidence"]["obligation"];
    assert!(obligation["reached_if"].is_array(), "{obligation}");
    assert!(obligation["undecided"].is_array(), "{obligation}");
    assert_eq!(obligation["inputs"][0]["line"], 9, "{obligation}");
}
