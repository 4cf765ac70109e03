//! Functions that are called in ways that are not seen: nothing may be said of them that only the seen calls show.

use crate::support::Folder;

/// The verdicts of a lint by line.
fn verdicts(text: &str, lint: &str) -> Vec<(u64, String)> {
    let ran = Folder::new().with("a.rs", text).kleene(&["lint", "a.rs", "--format", "json"]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let of_lint = results.iter().filter(|result| result["lint"] == lint);
    of_lint
        .map(|result| {
            let verdict = result["verdict"].as_str().unwrap_or_default().to_string();
            (result["line"].as_u64().unwrap_or(0), verdict)
        })
        .collect()
}

fn division(rest: &str) -> String {
    let text = format!(
        "fn helper(x: u32) -> u32 {{\n    10 / x\n}}\npub fn seen() -> u32 {{\n    helper(5)\n}}\n{rest}"
    );
    let found = verdicts(&text, "division_by_zero");
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].1.clone()
}

#[test]
fn calls_that_are_all_seen_say_everything() {
    assert_eq!(
        division("pub fn also(x: u32) -> u32 {\n    if x > 3 { self::helper(x) } else { 1 }\n}\n"),
        "true"
    );
    assert_eq!(division("pub fn also(helper: u32) -> u32 {\n    helper + 1\n}\n"), "true");
    assert_eq!(
        division("/// Not `helper`.\n#[cfg(test)]\nmod tests {\n    fn t() { super::helper(0); }\n}\n"),
        "true"
    );
}

#[test]
fn other_mentions_may_be_calls_with_anything() {
    for rest in [
        "pub fn f(v: &[u32]) -> u32 {\n    v.iter().map(|x| helper(*x)).sum()\n}\n",
        "pub fn f(v: Option<u32>) -> Option<u32> {\n    v.map(helper)\n}\n",
        "pub fn f() -> u32 {\n    others::apply!(helper(0))\n}\n",
        "pub const F: fn(u32) -> u32 = helper;\n",
        "use helper as h;\npub fn f(v: Option<u32>) -> Option<u32> {\n    v.map(h)\n}\n",
        "macro_rules! m { () => { helper(0) } }\npub fn f() -> u32 {\n    m!()\n}\n",
        "#[others::rewrites]\npub fn f() -> u32 {\n    helper(0)\n}\n",
        "#[derive(others::Derived)]\npub struct S {\n    #[others(default = \"helper\")]\n    pub s: u32,\n}\n",
        "pub async fn f() -> u32 {\n    helper(0)\n}\n",
        "mod missing;\n",
        "include!(\"more.rs\");\n",
    ] {
        assert_ne!(division(rest), "true", "{rest}");
    }
}

#[test]
fn methods_of_traits_are_called_by_others() {
    let text = "struct Counter {\n    n: u32,\n}\nimpl Iterator for Counter {\n    type Item = u32;\n    \
                fn next(&mut self) -> Option<u32> {\n        let r = 10 / self.n;\n        self.n -= 1;\n        \
                Some(r)\n    }\n}\npub fn seen() -> u32 {\n    let mut c = Counter { n: 3 };\n    \
                match c.next() {\n        Some(x) => x,\n        None => 0,\n    }\n}\n\
                pub fn unseen() -> u32 {\n    Counter { n: 3 }.sum()\n}\n";
    // `sum` goes on until the counter is 0, and the division fails before the subtraction can.
    assert_eq!(verdicts(text, "division_by_zero"), [(7, "false".to_string())]);
    assert!(verdicts(text, "overflow").iter().all(|(_, verdict)| verdict != "false"));
}

#[test]
fn methods_of_values_that_are_handed_out_are_called_by_others() {
    let text = "mod inner {\n    pub struct Handle {\n        pub n: u32,\n    }\n    impl Handle {\n        \
                pub fn part(&self, x: u32) -> u32 {\n            self.n / x\n        }\n    }\n}\n\
                pub fn make() -> inner::Handle {\n    let h = inner::Handle { n: 1 };\n    h.part(1);\n    h\n}\n";
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"handles\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", text);
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let division = results.iter().find(|result| result["lint"] == "division_by_zero").expect("a site");
    assert_eq!(division["verdict"], "maybe", "{}", ran.out);
}

/// A function that stands in a body is called there and nowhere else, whatever the body belongs to.
#[test]
fn functions_in_bodies_are_not_called_by_others() {
    let text = "pub trait Part {\n    fn part(&self, x: u8) -> u8;\n    fn own(&self, x: u8) -> u8 {\n        \
                fn inner(x: u8) -> u8 {\n            1 / x\n        }\n        inner(x | 1)\n    }\n}\n\
                impl Part for u8 {\n    fn part(&self, x: u8) -> u8 {\n        fn inner(x: u8) -> u8 {\n            \
                1 / x\n        }\n        inner(x | 1)\n    }\n}\n";
    let folder = Folder::new()
        .with("Cargo.toml", "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .with("src/lib.rs", text);
    let ran = folder.kleene(&["lint", ".", "--format", "json"]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list").clone();
    let divisions = results.iter().filter(|result| result["lint"] == "division_by_zero");
    let found: Vec<_> =
        divisions.map(|result| (result["line"].as_u64(), result["verdict"].clone())).collect();
    assert_eq!(found, [(Some(5), "true".into()), (Some(13), "true".into())], "{}", ran.out);
}

#[test]
fn symbols_are_called_by_others() {
    let text = "#[no_mangle]\nextern \"C\" fn part(x: u32) -> u32 {\n    1 / x\n}\npub fn seen() -> u32 {\n    part(1)\n}\n";
    assert_eq!(verdicts(text, "division_by_zero"), [(3, "maybe".to_string())]);
}

/// Types in the place of parameters, and no way to make what else is needed: nothing was looked at, so nothing is known.
#[test]
fn examples_that_nothing_begins_say_nothing() {
    let text = "pub struct Sealed {
    size: usize,
}
impl Sealed {
    pub fn new<T: Into<usize> + std::fmt::Write>(size: T) -> Self {
        Self { size: size.into() }
    }
}
pub trait Shape {
    fn narrow(size: usize) -> Option<usize>;
}
pub struct Round;
impl Shape for Round {
    fn narrow(size: usize) -> Option<usize> {
        if size > 3 { Some(size) } else { None }
    }
}
pub fn even<T: AsRef<[u8]>>(sealed: &Sealed, text: T) -> usize {
    let odd = text.as_ref().len() & 1;
    if odd > 1 {
        return sealed.size;
    }
    0
}
pub fn narrow<T: Shape>(sealed: &Sealed) -> usize {
    T::narrow(sealed.size).expect(\"narrow\")
}
";
    let of = |lint: &str, line: u64| {
        let mut found = verdicts(text, lint);
        found.retain(|(at, _)| *at == line);
        found
    };
    for (lint, line) in [("constant_condition", 20), ("unreachable_code", 21), ("unwrap_failed", 26)] {
        assert!(of(lint, line).iter().all(|(_, verdict)| verdict != "true"), "{lint}: {:?}", of(lint, line));
    }
}

/// Bytes as they are where a parameter need not have a size, and behind a trait object.
#[test]
fn bytes_are_an_example_of_what_lends_bytes() {
    let text = "pub struct Packet<T: AsRef<[u8]>> {
    buffer: T,
}
impl<T: AsRef<[u8]>> Packet<T> {
    pub fn new(buffer: T) -> Self {
        Self { buffer }
    }
    pub fn kind(&self) -> u8 {
        self.buffer.as_ref()[0]
    }
}
pub fn parsed<T: AsRef<[u8]> + ?Sized>(packet: &Packet<&T>) -> u8 {
    if packet.kind() == 3 { 1 } else { 2 }
}
pub fn shown(buffer: &dyn AsRef<[u8]>) -> u8 {
    if Packet::new(buffer).kind() == 3 { 1 } else { 2 }
}
";
    let conditions = verdicts(text, "constant_condition");
    assert_eq!(conditions, [(13, "true".to_string()), (16, "true".to_string())]);
}
