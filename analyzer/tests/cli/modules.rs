//! Programs whose modules stand in files of their own.

use crate::support::{Folder, Ran};

/// Lint, verdict, file and line of every result.
fn results(ran: &Ran, lint: &str) -> Vec<(String, String, u64)> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let mut found: Vec<(String, String, u64)> = results
        .iter()
        .filter(|result| result["lint"] == lint)
        .map(|result| {
            let text = |field: &str| result[field].as_str().unwrap_or_default().to_string();
            (text("verdict"), text("file"), result["line"].as_u64().unwrap_or(0))
        })
        .collect();
    found.sort();
    found
}

fn expected(list: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    list.iter().map(|(verdict, file, line)| (verdict.to_string(), file.to_string(), *line)).collect()
}

fn diagnostics(ran: &Ran, severity: &str) -> Vec<String> {
    let document = ran.json();
    let all = document["diagnostics"].as_array().expect("a list").clone();
    let of_severity = all.iter().filter(|said| said["severity"] == severity);
    of_severity
        .map(|said| {
            let text = |field: &str| said[field].as_str().unwrap_or_default().to_string();
            format!("{}:{}:{}: {}", text("file"), said["line"], said["column"], text("message"))
        })
        .collect()
}

#[test]
fn modules_are_followed_as_rustc_follows_them() {
    let divides = |name: &str| format!("pub fn {name}(b: u8) -> u8 {{\n    1 / b\n}}\n");
    let folder = Folder::new()
        .with(
            "src/main.rs",
            "mod beside;\nmod folder;\n#[path = \"odd/name.rs\"]\nmod given;\n\
             mod inline {\n    pub mod deep;\n    #[path = \"here.rs\"]\n    pub mod there;\n}\n\
             #[cfg_attr(unix, path = \"for_unix.rs\")]\nmod system;\n#[cfg(test)]\nmod tests;\n\
             fn main() {\n    beside::own(1);\n}\n",
        )
        .with("src/beside.rs", format!("pub mod inner;\n{}", divides("own")))
        .with("src/beside/inner.rs", divides("inner"))
        .with("src/folder/mod.rs", format!("pub mod next;\n{}", divides("folder")))
        .with("src/folder/next.rs", divides("next"))
        .with("src/odd/name.rs", format!("mod near;\n{}", divides("given")))
        .with("src/odd/near.rs", divides("near"))
        .with("src/inline/deep.rs", divides("deep"))
        .with("src/inline/here.rs", divides("here"))
        .with("src/for_unix.rs", divides("system"))
        .with("src/tests.rs", "this is no Rust");
    let ran = folder.kleene(&["lint", "src/main.rs", "--format", "json"]);
    assert_eq!(diagnostics(&ran, "error"), Vec::<String>::new());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let found = results(&ran, "division_by_zero");
    let wanted = expected(&[
        ("false", "src/beside.rs", 3),
        ("false", "src/beside/inner.rs", 2),
        ("false", "src/folder/mod.rs", 3),
        ("false", "src/folder/next.rs", 2),
        ("false", "src/for_unix.rs", 2),
        ("false", "src/inline/deep.rs", 2),
        ("false", "src/inline/here.rs", 2),
        ("false", "src/odd/name.rs", 3),
        ("false", "src/odd/near.rs", 2),
    ]);
    assert_eq!(found, wanted);
    let human = folder.kleene(&["lint", "src/main.rs"]);
    assert!(human.out.contains("src/inline/deep.rs:2:5"), "{}", human.out);
}

#[test]
fn modules_that_a_macro_is_given_are_followed_where_it_declares_them() {
    let divides = |name: &str| format!("pub fn {name}(b: u8) -> u8 {{\n    1 / b\n}}\n");
    let folder = Folder::new()
        .with(
            "src/lib.rs",
            "macro_rules! choose {\n    (if ($yes:meta) { $($first:item)* } else { $($second:item)* }) => {\n        \
             $(#[cfg($yes)] $first)*\n        $(#[cfg(not($yes))] $second)*\n    };\n}\n\
             macro_rules! nothing {\n    ($($all:tt)*) => {};\n}\n\
             choose! { if (unix) { mod here; pub mod both; } else { mod there; } }\n\
             nothing! { mod unread; mod missing; }\n\
             pub mod inline {\n    choose! { if (unix) { pub mod deep; } else {} }\n}\n\
             pub fn own(b: u8) -> u8 {\n    here::inside(b)\n}\n",
        )
        .with("src/here.rs", divides("inside"))
        .with("src/both.rs", divides("both"))
        .with("src/there.rs", divides("there"))
        .with("src/unread.rs", "this is no Rust")
        .with("src/inline/deep.rs", divides("deep"));
    let ran = folder.kleene(&["lint", "src/lib.rs", "--format", "json"]);
    assert_eq!(diagnostics(&ran, "error"), Vec::<String>::new());
    let found = results(&ran, "division_by_zero");
    let wanted = expected(&[
        ("false", "src/both.rs", 2),
        ("false", "src/here.rs", 2),
        ("false", "src/inline/deep.rs", 2),
    ]);
    assert_eq!(found, wanted);
}

#[test]
fn a_missing_module_is_not_known_and_counted() {
    let folder = Folder::new()
        .with("a.rs", "mod gone;\npub fn f(x: u8) -> u8 {\n    let y = gone::g(x);\n    10 / (x | 1)\n}\n");
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json", "--stats"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(diagnostics(&ran, "error"), Vec::<String>::new());
    assert_eq!(results(&ran, "division_by_zero"), expected(&[("true", "a.rs", 4)]));
    assert!(ran.err.contains("1  a module whose file is missing"), "{}", ran.err);
}

#[test]
fn a_module_that_does_not_parse_does_not_stop_the_rest() {
    let folder = Folder::new()
        .with("a.rs", "mod bad;\nmod text;\npub fn f(b: u8) -> u8 {\n    1 / b\n}\n")
        .with("bad.rs", "pub fn fine() {}\npub fn g( {\n")
        .with("text.rs", b"pub fn h() {}\n\xff");
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    assert_eq!(ran.code, 2);
    let errors = diagnostics(&ran, "error");
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().any(|error| error.starts_with("bad.rs:2:")), "{errors:?}");
    assert!(
        errors.iter().any(|error| error.starts_with("a.rs:2:1: ") && error.contains("text.rs")),
        "{errors:?}"
    );
    assert_eq!(results(&ran, "division_by_zero"), expected(&[("false", "a.rs", 4)]));
    let checked =
        folder.kleene(&["check", "a.rs", "--entry", "f", "--prop", "AG !failed", "--format", "json"]);
    assert_eq!((checked.code, checked.verdicts()), (2, vec!["false".to_string()]));
}

#[test]
fn modules_that_contain_themselves_end() {
    let folder = Folder::new()
        .with("a.rs", "mod b;\n#[path = \"a.rs\"]\nmod again;\npub fn f() {}\n")
        .with("b.rs", "#[path = \"b.rs\"]\nmod c;\npub fn g(x: u8) -> u8 {\n    1 / x\n}\n");
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    let errors = diagnostics(&ran, "error");
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().all(|error| error.contains("contain itself")), "{errors:?}");
    assert_eq!(results(&ran, "division_by_zero"), expected(&[("false", "b.rs", 4)]));
}

#[test]
fn one_file_may_be_many_modules() {
    let wide: String = (0..40).map(|n| format!("#[path = \"x.rs\"]\nmod m{n};\n")).collect();
    let next: String = (0..40).map(|n| format!("#[path = \"y.rs\"]\nmod m{n};\n")).collect();
    let last: String = (0..40).map(|n| format!("#[path = \"z.rs\"]\nmod m{n};\n")).collect();
    let folder = Folder::new()
        .with("a.rs", format!("{wide}pub fn f(b: u8) -> u8 {{\n    1 / b\n}}\n"))
        .with("x.rs", next)
        .with("y.rs", last)
        .with("z.rs", "");
    let ran = folder.kleene(&["lint", "a.rs", "--format", "json"]);
    assert_eq!(results(&ran, "division_by_zero"), expected(&[("false", "a.rs", 82)]));
}

#[test]
fn the_file_of_a_module_may_be_the_given_one() {
    let folder = Folder::new()
        .with("parser.rs", "mod lexer;\npub fn f(x: u8) -> u8 {\n    lexer::g(x) / crate::other(x)\n}\n")
        .with(
            "parser/lexer.rs",
            "pub fn g(x: u8) -> u8 {\n    x / 2\n}\npub fn other(x: u8) -> u8 {\n    1\n}\n",
        );
    let ran = folder.kleene(&["lint", "parser.rs", "--format", "json"]);
    let found = results(&ran, "division_by_zero");
    // What `crate` means there is not known.
    assert_eq!(found, expected(&[("maybe", "parser.rs", 3), ("true", "parser/lexer.rs", 2)]));
    let both = Folder::new()
        .with("parser.rs", "mod lexer;\npub fn f(x: u8) -> u8 {\n    lexer::g(x)\n}\n")
        .with("lexer.rs", "pub fn g(x: u8) -> u8 {\n    1 / x\n}\n")
        .with("parser/lexer.rs", "pub fn g(x: u8) -> u8 {\n    x\n}\n");
    let ran = both.kleene(&["lint", "parser.rs", "--format", "json", "--stats"]);
    assert!(ran.err.contains("a module that several files may be"), "{}", ran.err);
}

#[test]
fn lines_of_formulas_are_those_of_the_given_file() {
    let folder = Folder::new()
        .with("a.rs", "mod m;\nfn main() {\n    let x = m::f(1);\n}\n")
        .with("m.rs", "\n\n\n\n\n\npub fn f(x: u8) -> u8 {\n    let y = x + 1;\n    y\n}\n");
    let asked = |formula: &str| folder.kleene(&["check", "a.rs", "--prop", formula, "--format", "json"]);
    assert_eq!(asked("EF line(3)").verdicts(), ["true"]);
    let ran = asked("EF line(8)");
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("one does in m.rs"), "{}", ran.out);
    let run = asked("AG !terminated");
    assert_eq!(run.verdicts(), ["false"]);
    let document = run.json();
    let steps = document["results"][0]["evidence"]["steps"].as_array().expect("steps").clone();
    assert!(steps.iter().any(|step| step["file"] == "m.rs" && step["line"] == 8), "{}", run.out);
    assert!(steps.iter().any(|step| step["file"].is_null() && step["line"] == 3), "{}", run.out);
    let human = folder.kleene(&["check", "a.rs", "--prop", "AG !terminated"]);
    assert!(human.out.contains("m.rs: let y = x + 1;"), "{}", human.out);
}

#[test]
fn evidence_speaks_of_all_files() {
    let folder = Folder::new()
        .with("a.rs", "mod m;\nfn main() {\n    let x = m::f(1);\n}\n")
        .with("m.rs", "pub fn f(x: u8) -> u8 {\n    x + 1\n}\n");
    let ran = folder.kleene(&["check", "a.rs", "--prop", "AG !failed", "--evidence", "e.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let verified = folder.kleene(&["verify", "e.json"]);
    assert!(verified.out.contains("1 verified"), "{}{}", verified.out, verified.err);
    let folder = folder.with("m.rs", "pub fn f(x: u8) -> u8 {\n    x + 2\n}\n");
    let refused = folder.kleene(&["verify", "e.json"]);
    assert!(refused.code == 1 && refused.out.contains("1 refused"), "{}{}", refused.out, refused.err);
}

/// Items of `include!` stand where the call stands; what a build script made is found where the call says.
#[test]
fn files_that_are_taken_in_are_read() {
    let made = "include!(concat!(env!(\"OUT_DIR\"), \"/sizes.rs\"));";
    let folder = Folder::new()
        .with(
            "src/lib.rs",
            format!(
                "mod sizes {{\n    {made}\n}}\ninclude!(\"more.rs\");\n\
                 pub fn chosen(at: usize) -> u8 {{\n    [7; sizes::COUNT][at % 3] + own()\n}}\n"
            ),
        )
        .with("src/more.rs", "fn own() -> u8 {\n    1 / SOME\n}\nconst SOME: u8 = 2;\n")
        .with("made/sizes.rs", "pub const COUNT: usize = 3;\n");
    let known = folder.kleene(&["lint", "src/lib.rs", "--format", "json", "--out-dir", "made"]);
    assert_eq!(diagnostics(&known, "error"), Vec::<String>::new());
    assert_eq!(results(&known, "index_out_of_bounds"), expected(&[("true", "src/lib.rs", 6)]));
    let divisions = expected(&[("true", "src/lib.rs", 6), ("true", "src/more.rs", 2)]);
    assert_eq!(results(&known, "division_by_zero"), divisions);
    // Whoever does not say where it is knows neither the number nor who else calls `own`.
    let unknown = folder.kleene(&["lint", "src/lib.rs", "--format", "json"]);
    assert!(results(&unknown, "index_out_of_bounds").iter().all(|(verdict, ..)| verdict == "maybe"));
}

/// A file that takes itself in, one that is missing and one that is no Rust are unknown, and nothing else is.
#[test]
fn files_that_cannot_be_taken_in_are_unknown() {
    for (text, more) in [
        ("include!(\"lib.rs\");", ""),
        ("include!(\"missing.rs\");", ""),
        ("include!(\"more.rs\");", "this is no Rust"),
        ("include!(concat!(\"mo\", \"re.rs\"));", "fn more() { helper(0); }"),
    ] {
        let folder = Folder::new()
            .with(
                "src/lib.rs",
                format!("{text}\nfn helper(x: u32) -> u32 {{\n    10 / x\n}}\npub fn seen() -> u32 {{\n    helper(5)\n}}\n"),
            )
            .with("src/more.rs", more);
        let ran = folder.kleene(&["lint", "src/lib.rs", "--format", "json"]);
        assert_eq!(results(&ran, "division_by_zero"), expected(&[("maybe", "src/lib.rs", 3)]), "{text}");
    }
}
