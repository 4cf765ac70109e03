//! Calls that everybody can write, made up and followed: what they come to is come to, and nothing else.

use crate::support::Folder;

const MANIFEST: &str = "[package]\nname = \"made\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// Verdicts of the code in lines that end with a mark, with the words for why.
fn marked(text: &str) -> Vec<(String, String, String)> {
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", text);
    let ran = folder.kleene(&["lint", ".", "--lib", "--no-cache", "--format", "json"]);
    let results = ran.json()["results"].as_array().expect("a list").clone();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((_, mark)) = line.split_once(" // ") else { continue };
        let here = results
            .iter()
            .find(|result| result["line"] == number + 1 && result["lint"] == "unreachable_code");
        let here = here.unwrap_or_else(|| panic!("no site in line {}: {line}", number + 1));
        let words = here["evidence"]["conclusion"].as_str().unwrap_or_default();
        found.push((mark.to_string(), here["verdict"].as_str().expect("a text").into(), words.into()));
    }
    found
}

fn check(text: &str) {
    for (mark, verdict, words) in marked(text) {
        let expected = mark.split_once(' ').map_or(mark.as_str(), |(first, _)| first);
        assert_eq!(verdict, expected, "{mark}: {words}\n{text}");
    }
}

/// A checksum that no solver turns back, over a list that is longer than any window.
const SUM: &str = "
fn sum(list: &[u32]) -> u32 {
    let mut sum = 7u32;
    for item in list {
        sum = sum.wrapping_mul(sum ^ 0x9E37_79B9).rotate_left(5) ^ item;
    }
    sum
}
";

#[test]
fn values_are_made_and_changed_by_public_calls() {
    check(&format!(
        "{SUM}
pub struct Stack {{ items: Vec<u32>, sums: Vec<u32> }}
impl Stack {{
    pub fn new() -> Self {{ Stack {{ items: Vec::new(), sums: Vec::new() }} }}
    pub fn push(&mut self, item: u32) {{
        self.items.push(item);
        self.sums.push(sum(&self.items));
    }}
    pub fn is_deep(&self) -> bool {{
        let last = match self.sums.last() {{ Some(last) => *last, None => 0 }};
        if self.sums.len() > 3 && last != 0 && sum(&self.items) == last {{
            return true; // true
        }}
        if !self.sums.is_empty() && sum(&self.items) != last {{
            return true; // maybe
        }}
        false
    }}
}}
"
    ));
}

#[test]
fn the_words_are_the_call() {
    let text = format!(
        "{SUM}\npub fn f(x: u8) -> u8 {{\n    if sum(&[u32::from(x); 9]) % 2 == 0 {{\n        return 1; // true\n    }}\n    2\n}}\n"
    );
    let found = marked(&text);
    let [(_, verdict, words)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(verdict, "true");
    assert!(words.starts_with("is reached in `"), "{words}");
}

#[test]
fn nothing_is_made_up_when_there_is_no_time() {
    let text = format!(
        "{SUM}\npub fn f(x: u8) -> u8 {{\n    if sum(&[u32::from(x); 9]) % 2 == 0 {{ return 1; }}\n    2\n}}\n"
    );
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", text);
    let reached = |more: &[&str]| {
        let arguments = ["lint", ".", "--lib", "--format", "json"];
        let ran = folder.kleene(&[&arguments, more].concat());
        ran.out.matches("is reached in").count()
    };
    assert_eq!(reached(&["--budget", "0.000001"]), 0);
    // What was cut short is not kept.
    assert!(reached(&[]) > 0);
}

/// What nobody outside can call, with values that would come there.
#[test]
fn what_nobody_can_call_shows_nothing() {
    check(&format!(
        "{SUM}
mod inner {{
    pub struct Key {{ pub(crate) code: u32 }}
    impl Key {{
        pub fn turn(&self) -> bool {{
            if crate::sum(&[self.code; 3]) != crate::sum(&[4; 3]) {{
                return true; // maybe only `made` would
            }}
            false
        }}
    }}
    pub(crate) fn made(code: u32) -> Key {{ Key {{ code }} }}
}}
pub use inner::Key;
pub fn key() -> Key {{ inner::made(4) }}

pub struct Raw(u32);
impl Raw {{
    pub fn new() -> Self {{ Raw(1) }}
    /// # Safety
    /// Only 1.
    pub unsafe fn set(&mut self, to: u32) {{ self.0 = to; }}
    fn put(&mut self, to: u32) {{ self.0 = to; }}
    pub fn is_other(&self) -> bool {{
        if sum(&[self.0; 3]) != sum(&[1; 3]) {{
            return true; // maybe only `set` and `put` would
        }}
        false
    }}
    pub(crate) fn unused(&mut self) {{ self.put(3); }}
}}
"
    ));
}

#[test]
fn what_does_not_compile_for_chosen_types_shows_nothing() {
    check(&format!(
        "{SUM}
pub struct Few<const N: usize> {{ at: u32 }}
impl<const N: usize> Few<N> {{
    const FITS: () = assert!(N > 1_000);
    pub fn new() -> Self {{
        let _ = Self::FITS;
        Few {{ at: 1 }}
    }}
    pub fn ask(&self) -> bool {{
        if N == 4 && sum(&[self.at; 3]) != 0 {{
            return true; // maybe there is no such value
        }}
        false
    }}
}}
"
    ));
}

#[test]
fn a_value_that_stays_lent_is_not_used_again() {
    check(&format!(
        "{SUM}
pub struct Chain<'a> {{ count: u32, last: Option<&'a u32> }}
impl<'a> Chain<'a> {{
    pub fn new() -> Self {{ Chain {{ count: 0, last: None }} }}
    pub fn grow(&'a mut self) {{
        self.count += 1;
        self.last = Some(&self.count);
    }}
    pub fn is_grown(&self) -> bool {{
        if sum(&[self.count; 3]) != sum(&[0; 3]) {{
            return true; // maybe it is lent for ever once it grows
        }}
        false
    }}
}}
"
    ));
}

#[test]
fn the_abstract_level_makes_nothing_up() {
    let text = format!(
        "{SUM}\npub fn f(x: u8) -> u8 {{\n    if sum(&[u32::from(x); 9]) % 2 == 0 {{\n        return 1;\n    }}\n    2\n}}\n"
    );
    let folder = Folder::new().with("Cargo.toml", MANIFEST).with("src/lib.rs", &text);
    let words = |level: &str| {
        let call = ["lint", ".", "--lib", "--no-cache", "--format", "json", "--level", level];
        let ran = folder.kleene(&call).json();
        let results = ran["results"].as_array().expect("a list").clone();
        let made = |it: &serde_json::Value| {
            it["evidence"]["conclusion"].as_str().is_some_and(|words| words.contains("crate::f("))
        };
        results.iter().filter(|result| made(result)).count()
    };
    assert_eq!(words("abstract"), 0);
    assert!(words("smt") > 0);
}
