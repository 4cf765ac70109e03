//! Property files: what they say, and what is wrong with them.

use crate::support::{Folder, GOOD};

fn folder(properties: &str) -> Folder {
    Folder::new().with("good.cm", GOOD).with("p.toml", properties)
}

#[test]
fn properties_come_after_those_of_the_call_and_in_order() {
    let folder = folder("[[property]]\nformula = \"AG (x <= 1)\"\n[[property]]\nformula = \"AG (x <= 0)\"\n");
    let ran = folder.kleene(&[
        "check",
        "good.cm",
        "--props",
        "p.toml",
        "--prop",
        "EF (x == 1)",
        "--format",
        "json",
    ]);
    assert_eq!(ran.verdicts(), ["true", "true", "false"]);
    assert_eq!(ran.code, 1);
    let results = ran.json()["results"].clone();
    assert_eq!(results[0]["id"], "good.cm#1");
    assert_eq!(results[2]["id"], "good.cm#3");
    assert_eq!(results[0]["property"], "EF (x == 1)");
}

#[test]
fn a_file_is_relative_to_the_property_file_and_need_not_be_named_in_the_call() {
    let folder = Folder::new().with("other.cm", GOOD);
    std::fs::create_dir(folder.path.join("sub")).expect("a folder");
    let folder = folder
        .with("sub/good.cm", GOOD)
        .with("sub/p.toml", "[[property]]\nfile = \"good.cm\"\nformula = \"AG (x <= 1)\"\n");
    let ran = folder.kleene(&["check", "--props", "sub/p.toml", "--format", "json"]);
    assert_eq!(ran.verdicts(), ["true"]);
    assert_eq!(ran.json()["results"][0]["file"], "sub/good.cm");
    // The same file under another name is still one file.
    let both = folder.kleene(&["check", "./sub/good.cm", "--props", "sub/p.toml", "--format", "json"]);
    assert_eq!(both.verdicts(), ["true"]);
    assert_eq!(both.json()["results"][0]["file"], "./sub/good.cm");
}

#[test]
fn the_nearer_setting_wins() {
    let properties = "granularity = \"change\"\nwatch = [\"x\"]\n\
        [[property]]\nformula = \"AX (x == 1)\"\n\
        [[property]]\nformula = \"AX (x == 1)\"\ngranularity = \"statement\"\n";
    let ran = folder(properties).kleene(&["check", "good.cm", "--props", "p.toml", "--format", "json"]);
    let results = ran.json()["results"].clone();
    assert_eq!(results[0]["granularity"], "change");
    assert_eq!(results[1]["granularity"], "statement");
}

#[test]
fn assumptions_add_up() {
    let program = "int n;\nvoid main() {\n    n = n + 1;\n}\n";
    let properties =
        "assume = \"n >= 0\"\n[[property]]\nformula = \"AG (0 <= n && n <= 6)\"\nassume = \"n <= 5\"\n";
    let folder = Folder::new().with("n.cm", program).with("p.toml", properties);
    assert_eq!(folder.kleene(&["check", "n.cm", "--props", "p.toml"]).code, 0);
    let excluded = folder.kleene(&["check", "n.cm", "--props", "p.toml", "--assume", "n < 0"]);
    assert_eq!(excluded.code, 2);
    assert!(excluded.err.contains("excludes every"), "{}", excluded.err);
}

#[test]
fn an_expectation_that_is_not_met_is_1() {
    let met = folder("[[property]]\nformula = \"AG (x <= 0)\"\nexpect = \"false\"\n");
    assert_eq!(met.kleene(&["check", "good.cm", "--props", "p.toml"]).code, 0);
    let missed = folder("[[property]]\nformula = \"AG (x <= 1)\"\nexpect = \"maybe\"\n");
    let ran = missed.kleene(&["check", "good.cm", "--props", "p.toml"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("expected maybe, but the verdict is true"), "{}", ran.out);
    assert!(ran.out.contains("p.toml:3:11"), "{}", ran.out);
    let machine = missed.kleene(&["check", "good.cm", "--props", "p.toml", "--format", "json"]);
    let diagnostic = machine.json()["diagnostics"][0].clone();
    assert_eq!(diagnostic["file"], "p.toml");
    assert_eq!(diagnostic["line"], 3);
}

fn refuses(properties: &str, expected: &[&str]) {
    let folder = folder(properties);
    let ran = folder.kleene(&[
        "check",
        "good.cm",
        "--prop",
        "EF terminated",
        "--props",
        "p.toml",
        "--format",
        "json",
    ]);
    assert_eq!(ran.code, 2, "{properties}: {}", ran.err);
    for text in expected {
        assert!(ran.err.contains(text), "{properties}: no `{text}` in {}", ran.err);
    }
    assert_eq!(ran.verdicts()[0], "true", "{properties}");
}

#[test]
fn mistakes_have_places_and_guesses() {
    refuses("[[property]]\nformulla = \"AG true\"\n", &["p.toml:2:1", "did you mean `formula`?"]);
    refuses(
        "granularty = \"tick\"\n[[property]]\nformula = \"AG true\"\n",
        &["p.toml:1:1", "`granularity`?"],
    );
    refuses("[[property]]\nformula = \"AG true\"\nzzz = 1\n", &["p.toml:3:1", "zzz", "the keys here are"]);
    refuses("[[property]]\nname = \"x\"\n", &["p.toml:1:1", "needs a `formula`"]);
    refuses("[[property]]\nformula = 3\n", &["p.toml:2:11", "is a string"]);
    refuses(
        "granularity = \"weekly\"\n[[property]]\nformula = \"AG true\"\n",
        &["p.toml:1:15", "one of statement"],
    );
    refuses("[[property]]\nformula = \"AG true\"\nexpect = \"yes\"\n", &["p.toml:3:10", "no verdict"]);
    refuses("[[property]]\nformula = \"AG true\"\nwatch = \"x\"\n", &["p.toml:3:9", "list of strings"]);
    refuses("[property]\nformula = \"AG true\"\n", &["p.toml:1:", "[[property]]"]);
    refuses("[[property]\n", &["p.toml:1:"]);
    refuses("", &["p.toml:1:1", "no property"]);
    refuses("[[property]]\nformula = \"AG (x <\"\n", &["p.toml:2:"]);
    refuses("[[property]]\nformula = \"AG (y < 1)\"\n", &["p.toml:2:16", "`y`"]);
    refuses("[[property]]\nformula = \"AG \\u0079\"\n", &["p.toml (string on line 2):1:4", "`y`"]);
    refuses("[[property]]\nformula = \"AG true\"\nassume = \"y > 1\"\n", &["p.toml:3:11", "`y`"]);
    refuses("[[property]]\nformula = \"AG true\"\nfile = \"gone.cm\"\n", &["gone.cm", "no such file"]);
}

#[test]
fn a_bad_property_is_an_entry_and_the_next_is_still_asked() {
    let properties =
        "[[property]]\nformula = \"AG true\"\nexpct = \"true\"\n[[property]]\nformula = \"AG (x <= 1)\"\n";
    let ran = folder(properties).kleene(&["check", "good.cm", "--props", "p.toml", "--format", "json"]);
    assert_eq!(ran.verdicts(), ["error", "true"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn missing_property_files_and_missing_programs() {
    let folder = folder("[[property]]\nformula = \"AG true\"\n");
    let gone = folder.kleene(&["check", "good.cm", "--props", "gone.toml"]);
    assert_eq!(gone.code, 2);
    assert!(gone.err.contains("gone.toml: no such file"), "{}", gone.err);
    let nothing = folder.kleene(&["check", "--props", "p.toml"]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.err.contains("no file to check this property on"), "{}", nothing.err);
    assert!(nothing.err.contains("p.toml:2:12"), "{}", nothing.err);
}
