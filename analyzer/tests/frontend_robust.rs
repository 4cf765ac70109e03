//! The front ends on hostile input: they answer with diagnostics, never with a panic.
//!
//! Mutated programs are drawn from a seeded generator, so a failure is repeatable.

use std::fmt::Write;

use kleene::frontend::{self, Arithmetic, FrontendOptions, Integers, Language, Lowered};
use kleene::ir::{print, verify};
use kleene::source::{Diagnostic, FileId, Severity, SourceFile};

fn lower(text: impl Into<String>, language: Language) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(text, language, &FrontendOptions::default())
}

fn lower_with(
    text: impl Into<String>,
    language: Language,
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    let file = SourceFile::new(FileId(0), "input", text);
    let result = frontend::lower(&file, language, options);
    match &result {
        Ok(lowered) => {
            assert_eq!(verify::verify(&lowered.program), Ok(()));
            assert!(lowered.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error));
            print::program(&lowered.program, &file);
        }
        Err(diagnostics) => {
            assert!(diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error));
            for diagnostic in diagnostics {
                if let Some(span) = diagnostic.span {
                    assert!(span.start <= span.end && span.end as usize <= file.text.len(), "{diagnostic:?}");
                    file.position(span.start);
                }
            }
        }
    }
    result
}

fn first_error(text: impl Into<String>, language: Language) -> String {
    let diagnostics = lower(text, language).expect_err("the input is wrong");
    diagnostics.into_iter().find(|it| it.severity == Severity::Error).map(|it| it.message).unwrap_or_default()
}

#[test]
fn deep_nesting_is_refused_with_its_place() {
    let deep = 100_000;
    let body = |inner: String| format!("int main() {{ int x; {inner} }}");
    let inputs = [
        body(format!("x = {}1{};", "(".repeat(deep), ")".repeat(deep))),
        body(format!("{}{}", "{".repeat(deep), "}".repeat(deep))),
        body(format!("x = {}1;", "!".repeat(deep))),
        body(format!("x = {}x;", "- ".repeat(deep))),
        body(format!("x = 1{};", " + 1".repeat(deep))),
        body(format!("x = {}1;", "x = ".repeat(deep))),
        body(format!("x = {}1;", "x ? 1 : ".repeat(deep))),
        body(format!("{}x = 1;", "if (x) ".repeat(deep))),
        body(format!("{}x = 1;", "while (x) ".repeat(deep))),
        body(format!("x = {}1{};", "nondet(".repeat(deep), ")".repeat(deep))),
        body("{".repeat(deep)),
        "(".repeat(deep),
        "int a[".repeat(deep),
    ];
    for input in inputs {
        lower(input.clone(), Language::CMinus).expect_err("too deep");
        lower(input, Language::C).expect_err("too deep");
    }
    let rust = [
        format!("fn main() {{ let x: i32 = {}1{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("fn main() {{ let x: i32 = 1{}; }}", " + 1".repeat(deep)),
        format!("fn main() {{ let x: bool = {}true; }}", "!".repeat(deep)),
        format!("fn main() {{ {} }}", "return ".repeat(deep)),
        format!("fn main() {}{}", "{".repeat(deep), "}".repeat(deep)),
        format!("fn main() {{ let x: {}u8 = 1; }}", "&".repeat(deep)),
        format!("fn main() {{ {} }}", "if a {} else ".repeat(deep)),
    ];
    for input in rust {
        lower(input, Language::Rust).expect_err("too deep");
    }
}

#[test]
fn long_is_not_deep() {
    let chain: String = (0..20_000).map(|n| format!("if (x == {n}) x = {n}; else ")).collect();
    lower(format!("int main() {{ int x = 1; {chain} ; }}"), Language::CMinus).expect("a long chain");
    let labels: String = (0..20_000).map(|n| format!("L{n}: ")).collect();
    lower(format!("int main() {{ {labels} ; }}"), Language::CMinus).expect("many labels");
    let jumps: String = (0..20_000).map(|n| format!("L{n}: goto L{}; ", n + 1)).collect();
    lower(format!("int main() {{ {jumps} L20000: ; }}"), Language::C).expect("many jumps");
    let locals: String = (0..20_000).map(|n| format!("int x{n}; x{n} = x{n} + 1; ")).collect();
    lower(format!("int main() {{ {locals} }}"), Language::CMinus).expect("many locals");
    let chain: String = (0..300).map(|n| format!("if x == {n} {{ x = {n}; }} else ")).collect();
    lower(format!("fn main() {{ let mut x: i32 = 1; {chain} {{}} }}"), Language::Rust).expect("a long chain");
}

#[test]
fn large_files_are_read_or_refused() {
    let mut text = String::from("int x = 0;\nint main() {\n");
    while text.len() < 4 << 20 {
        text.push_str("    x = x + 1;\n    if (x > 100) { x = 0; }\n");
    }
    text.push('}');
    lower(text, Language::CMinus).expect("a large program");
    assert!(first_error(" ".repeat(50 << 20), Language::CMinus).contains("bytes"));
    assert!(first_error("{".repeat(50 << 20), Language::Rust).contains("bytes"));
}

#[test]
fn growth_is_bounded() {
    let macros: String = (0..60).fold("#define M0 1 + 1\n".into(), |mut text, n| {
        let _ = writeln!(text, "#define M{} M{n} + M{n} + M{n}", n + 1);
        text
    });
    lower(format!("{macros}int main() {{ return M60; }}"), Language::C).expect_err("macros that explode");
    let masks = (0..200).fold("x".to_owned(), |inner, _| format!("({inner} & 5)"));
    lower(format!("int main() {{ int x = 1; return {masks}; }}"), Language::C).expect("masks of masks");
    let divisions = vec!["x / y"; 900].join(" && ");
    lower(format!("int main() {{ int x, y; return {divisions}; }}"), Language::C)
        .expect_err("guards that explode");
    let indices = (0..150).fold("0".to_owned(), |inner, _| format!("a[{inner} + x]"));
    let _ = lower(format!("int a[3]; int main() {{ int x; return {indices}; }}"), Language::C);
    lower("int main() { return 1 << 1000000000; }", Language::C).expect_err("a huge shift");
    lower(format!("int main() {{ return {}; }}", "9".repeat(9_000)), Language::CMinus)
        .expect("a long number");
    lower(format!("int main() {{ return {}; }}", "9".repeat(90_000)), Language::CMinus)
        .expect_err("too long");
    let product = vec!["9".repeat(9_000); 900].join(" * ");
    lower(format!("int main() {{ return {product}; }}"), Language::CMinus).expect("a large product");
    lower("int a[4000000000]; int main() { }", Language::C).expect_err("a huge array");
}

#[test]
fn strange_texts_are_refused() {
    for text in
        ["\0", "\u{feff}", "🦀", "int main() { 'x }", "int main() { \"\\", "/*", "//", "int", "int main", "#"]
    {
        for language in [Language::CMinus, Language::C, Language::Rust] {
            lower(text, language).expect_err(text);
        }
    }
    lower("\u{feff}int main() { return 0; }\r\n", Language::CMinus).expect("a byte order mark");
    lower("\u{feff}fn main() { }\r\n", Language::Rust).expect("a byte order mark");
}

/// A small xorshift generator: the tests need variety, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Words and symbols of a text, with the blanks between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length =
            if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (piece, tail) = rest.split_at(length);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

fn mutate_tokens(text: &str, random: &mut Random) -> String {
    const EXTRA: [&str; 24] = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "=",
        "0",
        "nondet()",
        "if",
        "else",
        "while",
        "?",
        ":",
        "&&",
        "/",
        "x",
        "int",
        "return",
        "goto",
        "case",
        "9999999999999999999999",
    ];
    let mut parts: Vec<&str> = pieces(text);
    for _ in 0..1 + random.below(6) {
        let at = random.below(parts.len());
        match random.below(4) {
            0 if !parts.is_empty() => {
                parts.remove(at);
            }
            1 => parts.insert(at.min(parts.len()), EXTRA[random.below(EXTRA.len())]),
            2 if !parts.is_empty() => parts[at] = EXTRA[random.below(EXTRA.len())],
            _ if !parts.is_empty() => {
                let other = random.below(parts.len());
                parts.swap(at, other);
            }
            _ => {}
        }
    }
    parts.concat()
}

fn mutate_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(8) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 if !bytes.is_empty() => {
                bytes.remove(at);
            }
            1 => bytes.insert(at.min(bytes.len()), random.below(256) as u8),
            2 if !bytes.is_empty() => bytes[at] = random.below(128) as u8,
            _ => bytes.truncate(bytes.len() - random.below(bytes.len() / 4)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn seeds(extension: &str) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/cfg");
    let mut files: Vec<_> = std::fs::read_dir(root)
        .expect("the fixtures")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).expect("a fixture")).collect()
}

fn fuzz(extension: &str, language: Language, inputs: usize, seed: u64) {
    let seeds = seeds(extension);
    let mut random = Random(seed);
    for round in 0..inputs {
        let text = &seeds[random.below(seeds.len())];
        let mutated = match round % 2 {
            0 => mutate_tokens(text, &mut random),
            _ => mutate_bytes(text, &mut random),
        };
        let integers = if round % 3 == 0 { Integers::Machine } else { Integers::Unbounded };
        let arithmetic = if round % 3 == 0 { Arithmetic::Release } else { Arithmetic::Debug };
        let options = FrontendOptions { integers, arithmetic, ..FrontendOptions::default() };
        let run = std::panic::catch_unwind(|| lower_with(mutated.clone(), language, &options).is_ok());
        assert!(run.is_ok(), "round {round} of {extension} with seed {seed}:\n{mutated}");
    }
}

#[test]
fn mutated_cminus_never_panics() {
    fuzz("cm", Language::CMinus, 10_000, 0x9e37_79b9_7f4a_7c15);
}

#[test]
fn mutated_c_never_panics() {
    fuzz("c", Language::C, 6_000, 0x1234_5678_9abc_def1);
}

#[test]
fn mutated_rust_never_panics() {
    fuzz("rs", Language::Rust, 4_000, 0xdead_beef_cafe_f00d);
}
