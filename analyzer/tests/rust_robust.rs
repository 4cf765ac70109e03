//! What the Rust front end does not understand costs precision, never more, and is said.

use kleene::frontend::rust::{Crate, Intrinsics, RustOptions};
use kleene::frontend::{FrontendOptions, Lowered};
use kleene::ir::{Effect, FailKind, InputSource, StepKind, verify};
use kleene::source::{FileId, SourceFile};

fn lower_with(text: &str, options: &FrontendOptions) -> Lowered {
    let file = SourceFile::new(FileId(0), "text.rs", text);
    let read = Crate::read(&file, options).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let lowered = read.whole().unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    assert_eq!(verify::verify(&lowered.program), Ok(()), "{text}");
    lowered
}

fn lower(text: &str) -> Lowered {
    lower_with(text, &FrontendOptions::default())
}

/// Whether a value of this name may be unknown: some edge that reads it stands behind an unknown draw.
fn draws(lowered: &Lowered) -> usize {
    let locations = lowered.program.functions.iter().flat_map(|function| function.graph.node_weights());
    // Where runs begin, very large values are not seen through, however well they are understood.
    let locations = locations.filter(|location| location.what != StepKind::Begin);
    let inputs = locations.flat_map(|location| &location.inputs);
    inputs.filter(|input| matches!(input.source, InputSource::Unknown)).count()
}

/// Values that nobody may choose, of steps that end.
fn unseen(lowered: &Lowered) -> usize {
    let locations = lowered.program.functions.iter().flat_map(|function| function.graph.node_weights());
    let inputs = locations.flat_map(|location| &location.inputs);
    inputs.filter(|input| matches!(input.source, InputSource::Unseen)).count()
}

fn sites(lowered: &Lowered, kind: FailKind) -> usize {
    let edges = lowered.program.functions.iter().flat_map(|function| function.graph.edge_weights());
    edges.filter(|edge| matches!(edge.effect, Effect::Fail(found) if found == kind)).count()
}

/// However many functions a file has, each call of them is looked into; generic recursion is not for ever.
#[test]
fn calls_are_looked_into_in_files_of_any_size() {
    let mut text = String::from("fn half(n: u8) -> u8 { n / 2 }\n");
    for number in 0..2_500 {
        text += &format!("pub fn f{number}(n: u8) -> u8 {{ half(n) + 1 }}\n");
    }
    let lowered = lower(&text);
    assert_eq!((lowered.unknown.len(), draws(&lowered)), (0, 0));
    let endless =
        "struct W<T>(T); fn grow<T>(n: u8, _: W<T>) -> u8 { if n == 0 { 0 } else { grow(n - 1, W(1u8)) } }
        fn deeper<T>(n: u8, x: Option<T>) -> u8 { if n == 0 { 0 } else { deeper(n - 1, Some(x)) } }
        fn main() { grow(3, W(2u16)); deeper(3, Some(1u8)); }";
    lower(endless);
}

/// Every module brings in all the others: names are looked up in all of them, and not once for every way there.
#[test]
fn imports_in_circles_are_looked_up_once() {
    let mut text = String::new();
    let globs: String = (0..24).map(|number| format!("    pub use super::m{number}::*;\n")).collect();
    for number in 0..24 {
        text += &format!("mod m{number} {{\n    pub use super::*;\n{globs}");
        text += &format!("    pub fn f{number}(n: u8) -> u8 {{ n / 2 }}\n");
        text += "    pub fn g(n: u8) -> u8 { f23(n) + missing(n) + local!(n) }\n}\n";
    }
    text += &(0..24).map(|number| format!("pub use m{number}::*;\n")).collect::<String>();
    let lowered = lower(&text);
    assert!(lowered.unknown.iter().any(|unknown| unknown.reason == "a function that is not in this file"));
    let calls = |function: &str| {
        let found = lowered.program.functions.iter().find(|found| found.name.ends_with(function));
        let edges = found.into_iter().flat_map(|found| found.graph.edge_weights());
        edges.filter(|edge| matches!(edge.effect, Effect::Call { .. })).count()
    };
    assert!(calls("m0::g") >= 1, "f23 is found through the globs");
}

#[test]
fn strange_code_is_unknown_and_the_rest_exact() {
    let texts = [
        "async fn f(x: u8) -> u8 { x } fn main() { let y = 3u8; let z = f(y); let w = y + 1; }",
        "fn main() { let mut x = 1u8; let p = &mut x as *mut u8; unsafe { *p = 2; } let y = x + 1; }",
        "use std::arch::asm; fn main() { let mut x = 1u64; unsafe { asm!(\"nop\", inout(reg) x); } let y = x + 1; }",
        "#[wrap::me] fn f(x: u8) -> u8 { x } fn main() { let y = f(3) ; let z = 1u8 + 2; }",
        "pub fn f<T: Clone>(x: T) -> T { x.clone() } fn main() { let z = f(3u8) + 1; }",
        "fn main() { let mut n = 0u8; let add: Box<dyn Fn(u8) -> u8> = Box::new(|k| k + 1); n = add(3); let m = n + 1; }",
        "fn main() { let mut n = 0u8; others::inc!(n); let m = n + 1; }",
        "#[macro_use] mod m; fn main() { let mut n = 0u8; inc!(n); let m = n + 1; }",
        "macro_rules! inc { ($x:ident) => { $x += 1 } } #[macro_use] mod m; fn main() { let mut n = 0u8; inc!(n); }",
        "use std::collections::LinkedList; fn main() { let mut m = LinkedList::new(); m.push_back(2u8); let x = m.front().unwrap() + 1; }",
        "use std::cell::RefCell; fn main() { let c = RefCell::new(1u8); *c.borrow_mut() += 1; let x = *c.borrow() + 1; }",
        "fn main() { let s = String::from(\"a b\"); for unit in s.encode_utf16() { let n = unit + 1; } }",
        "extern \"C\" { fn abs(x: i32) -> i32; } fn main() { let x = unsafe { abs(-3) } + 1; }",
        "static mut N: u8 = 0; fn main() { unsafe { N += 1; let x = N + 1; } }",
        "union U { a: u8, b: i8 } fn main() { let u = U { a: 1 }; let x = unsafe { u.b } + 1; }",
        "trait T { fn f(&self) -> u8; } fn g(t: &dyn T) -> u8 { t.f() + 1 } fn main() {}",
        "fn main() { let f = 1.5f64; let n = f as u8; let m = n + 1; let b = f < 2.0; assert!(b); }",
        "fn main() { let x = 5; other(x); let y = x + 1; } use somewhere::other;",
        "mod m; use m::f; fn main() { let x: u8 = f(); let y = x + 1; }",
        "fn main() { let x: Result<std::net::Ipv4Addr, ()> = \"3\".parse(); let y = x.is_ok(); }",
    ];
    for text in texts {
        let lowered = lower(text);
        assert!(!lowered.unknown.is_empty(), "nothing is said of {text}");
        assert!(draws(&lowered) + unseen(&lowered) > 0, "nothing is drawn in {text}");
        assert!(!lowered.entries.is_empty());
    }
}

#[test]
fn what_is_understood_draws_nothing() {
    let texts = [
        "fn main() { let mut n = 0u8; let r = &mut n; *r += 1; let m = n + 1; }",
        "fn f(x: &mut u8) { *x += 1; } fn main() { let mut n = 0u8; f(&mut n); let m = n + 1; }",
        "struct S { a: u8, v: Vec<u8> } fn f(s: &mut S) { s.a += 1; } fn main() {}",
        "fn main() { let x = 5; let y = x << 3; println!(\"{} {y}\", x); }",
        "macro_rules! inc { ($x:ident) => { $x += 1 } } fn main() { let mut n = 0u8; inc!(n); let m = n + 1; }",
        "later! { f } use inner::later; fn main() { f(); } \
         mod inner { macro_rules! later { ($f:ident) => { fn $f() {} } } pub(crate) use later; }",
        "fn main() { crate::exported!(); } mod m { #[macro_export] macro_rules! exported { () => { let x = 1u8; } } }",
        "struct S; macro_rules! get { ($($n:ident)*) => { $(fn $n(&self) -> u8 { 1 })* } } impl S { get!(a b); } \
         fn main() { let x = S.a() + S.b(); }",
        "fn main() { let x = cfg!(unix) && cfg!(not(feature = \"x\")); assert!(x); let y = line!() + 1; ; }",
    ];
    for text in texts {
        let lowered = lower(text);
        assert_eq!(draws(&lowered), 0, "{text}: {:?}", lowered.unknown);
    }
}

#[test]
fn a_part_that_unknown_code_may_write_is_given_up_alone() {
    let text = "struct S { a: u8, v: other::List } \
                impl S { fn f(&mut self) -> u8 { self.v.push(3); self.a += 1; self.a } }";
    let lowered = lower(text);
    // The push itself; `a` is read exactly.
    assert_eq!(draws(&lowered), 1, "{:?}", lowered.unknown);
}

#[test]
fn literals_fall_back_only_where_every_constraint_was_understood() {
    let text =
        "use other::f; fn main() { let x = 200; f(x); let y = x + 100; let z = 200; let w = z + 100; }";
    let lowered = lower(text);
    // `x + 100` may be of any type: a site that nobody decides. `z + 100` is an i32 that fits.
    assert_eq!(sites(&lowered, FailKind::Overflow), 2);
    assert!(draws(&lowered) > 1);
}

#[test]
fn sites_that_never_fail_are_there() {
    let lowered = lower(
        "fn main() { let t = [1u8, 2]; let x = t[1] / 2; let y = 3u8 + 4; let z = 1u8 << 3; assert!(true); }",
    );
    for (kind, count) in [
        (FailKind::Index, 1),
        (FailKind::DivisionByZero, 1),
        (FailKind::Overflow, 1),
        (FailKind::Shift, 1),
        (FailKind::Assertion, 1),
    ] {
        assert_eq!(sites(&lowered, kind), count, "{kind}");
    }
}

#[test]
fn entries_are_main_public_and_uncalled_functions() {
    let text = "struct P { x: u8 } pub struct Q { pub x: u8 } \
                impl P { pub fn new() -> P { P { x: 1 } } fn get(&self) -> u8 { self.x } } \
                impl Q { pub fn get(&self) -> u8 { self.x + helper() } } \
                fn helper() -> u8 { 1 } fn alone(x: u8) {} \
                mod m { pub fn inside(p: &super::P) {} fn hidden() { hidden() } } \
                #[cfg(test)] mod tests { fn t() {} } #[test] fn u() {} \
                fn main() { alone2(); } fn alone2() {}";
    let file = SourceFile::new(FileId(0), "text.rs", text);
    let read = Crate::read(&file, &FrontendOptions::default()).expect("it is Rust");
    let found: Vec<(String, bool)> =
        read.entries().into_iter().map(|entry| (entry.path, entry.private_state)).collect();
    let expected = [
        ("P::new", false),
        ("P::get", true),
        ("Q::get", false),
        ("alone", false),
        ("m::inside", true),
        ("m::hidden", false),
        ("main", false),
    ];
    let expected: Vec<(String, bool)> =
        expected.iter().map(|(path, private)| (path.to_string(), *private)).collect();
    let without_get: Vec<_> = expected.iter().filter(|(path, _)| path != "P::get").cloned().collect();
    assert!(found == expected || found == without_get, "{found:?}");
}

#[test]
fn assumptions_and_intrinsics_restrict() {
    let text = "fn f(n: u8) {\n    // kleene: assume(n < 16)\n    let m = n * 16;\n    verify!(m < 250);\n    \
                let x: u8 = kani::any();\n    kani::assume(x > 3);\n    let y = nondet_u8() as u16;\n}";
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let intrinsics = Intrinsics {
        any: list(&["kani::any", "nondet_*"]),
        assume: list(&["kani::assume"]),
        assert: list(&["verify!"]),
    };
    let rust = RustOptions { intrinsics, ..RustOptions::default() };
    let lowered = lower_with(text, &FrontendOptions { rust, ..FrontendOptions::default() });
    let edges = || lowered.program.functions.iter().flat_map(|function| function.graph.edge_weights());
    assert_eq!(edges().filter(|edge| matches!(edge.effect, Effect::Discard)).count(), 2);
    assert_eq!(sites(&lowered, FailKind::Assertion), 1);
    let inputs = lowered.program.functions[0].graph.node_weights().flat_map(|location| &location.inputs);
    assert!(inputs.filter(|input| matches!(input.source, InputSource::Type)).count() >= 1);
}

/// Macros that never end or grow beyond all bounds, and definitions that are none.
#[test]
fn macros_have_limits() {
    let endless = [
        "macro_rules! m { () => { m!() } } fn main() { let mut x = 1u8; m!(); let y = x + 1; }",
        "macro_rules! m { () => { { m!() } } } fn main() { let x: u8 = 1 + m!(); }",
        "macro_rules! m { ($($t:tt)*) => { m!($($t)* $($t)*) } } fn main() { let x = m!(a b c d); }",
        "macro_rules! m { ($($t:tt)*) => { m!(($($t)*)) } } fn main() { let x = m!(a); }",
        "macro_rules! m { ($e:expr) => { m!($e + $e) } } fn main() { let x: u8 = m!(1); }",
        "macro_rules! m { ($e:expr) => { m!(-(-($e))) } } fn main() { let x: i8 = m!(1); }",
        "macro_rules! m { () => { m! {} m! {} } } m! {} fn main() {}",
        "macro_rules! m { () => { fn f() { m! {} } } } m! {} fn main() {}",
        "macro_rules! m { () => { let x = m!(); let y = m!(); } } fn main() { m!(); }",
        "macro_rules! m { ($($t:tt)*) => { mod a { m! { $($t)* } } } } m! { a } fn main() {}",
        "macro_rules! m { () => { { fn f() -> u8 { m!() } f() } } } fn main() { let x: u8 = m!(); }",
        "macro_rules! m { () => { (m!(), m!()) } } fn main() { match (1, 2) { m!() => {} _ => {} } }",
    ];
    for text in endless {
        let lowered = lower(text);
        assert!(!lowered.unknown.is_empty(), "nothing is said of {text}");
    }
    // The length needs nothing of what stands before it.
    lower("macro_rules! m { () => { [u8; { let x: m!() = [0]; 1 }] } } fn main() { let x: m!() = [0]; }");
    let malformed = [
        "($x:ident",
        "() => {};; () => {}",
        "($x) => {}",
        "($x:nothing) => {}",
        "($x:expr $x:expr) => {}",
        "($($x:expr)) => {}",
        "($()*) => {}",
        "($($($x:expr)*)*) => {}",
        "() => { $($x)* }",
        "() = {}",
        "",
        "($($x:expr),*) => { $x }",
        "($($x:ident)* ; $($y:ident)*) => { $($x $y)* }",
        "() => { ${count(x)} }",
        "() => { $$ }",
        "($x:expr) => { 1 + }",
        "() => { } }  mod broken {",
        "(\u{e01ef}) => {}",
    ];
    for rules in malformed {
        for call in ["m!()", "m!(1)", "m!(a b ; c)", "m! { }"] {
            let text =
                format!("macro_rules! m {{ {rules} }} fn main() {{ let x = 1u8; {call}; let y = x + 1; }}");
            let file = SourceFile::new(FileId(0), "text.rs", text.clone());
            if let Ok(read) = Crate::read(&file, &FrontendOptions::default()) {
                read.whole().unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
            }
        }
    }
}

#[test]
fn large_macros_are_expanded() {
    let list: String = (0..10_000).map(|number| format!("{number}, ")).collect();
    let sum = "macro_rules! sum { ($($x:expr),* $(,)?) => { [$($x as u64),*] } }";
    lower(&format!("{sum} fn f(i: usize) -> u64 {{ let t = sum!({list}); t[i] }}"));
    let names: String = (0..2_000).map(|number| format!("f{number} ")).collect();
    let functions =
        "macro_rules! all { ($($name:ident)*) => { $(pub fn $name(x: u8) -> u8 { x / 2 + 1 })* } }";
    let lowered = lower(&format!("{functions} all! {{ {names} }}"));
    assert_eq!((lowered.entries.len(), draws(&lowered)), (2_000, 0));
    // Each step takes one token of the rest.
    let muncher = "macro_rules! munch { ($n:expr;) => { $n }; ($n:expr; $first:tt $($rest:tt)*) => { munch!($n; $($rest)*) } }";
    let tokens = "(a b c) ".repeat(120);
    let lowered = lower(&format!("{muncher} fn main() {{ let x = munch!(1u8; {tokens}) + 1; }}"));
    assert_eq!((lowered.unknown.len(), sites(&lowered, FailKind::Overflow)), (0, 1));
}

#[test]
fn large_and_deep_texts_are_read() {
    let table: String = (0..100_000).map(|index| format!("{},", index % 251)).collect();
    let text = format!("static T: [u8; 100000] = [{table}]; fn f(i: usize) -> u8 {{ T[i] }}");
    let lowered = lower(&text);
    assert_eq!(sites(&lowered, FailKind::Index), 1);
    let (open, close) = ("(".repeat(1_000), ")".repeat(1_000));
    let lowered = lower(&format!("fn main() {{ let x = {open}1u8{close} + 1; }}"));
    assert_eq!(sites(&lowered, FailKind::Overflow), 1);
    let sums = "x + ".repeat(800);
    lower(&format!("fn f(x: u64) -> u64 {{ {sums}1 }}"));
    let nested: String = (0..300).map(|_| "if x > 1 { ").collect();
    lower(&format!("fn f(x: u64) {{ {nested} {} }}", "}".repeat(300)));
}

/// Words and everything between them.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if is_word(c) && last.chars().all(is_word) => last.push(c),
            _ => pieces.push(c.into()),
        }
    }
    pieces
}

const KEYWORDS: [&str; 24] = [
    "fn", "let", "mut", "if", "else", "match", "for", "in", "while", "loop", "return", "break", "continue",
    "pub", "struct", "enum", "impl", "const", "static", "mod", "use", "as", "trait", "type",
];

/// Words change places: most results still parse, few of them are typed.
fn shuffled(text: &str, seed: &mut u64) -> String {
    let mut below = |limit: usize| {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed % limit.max(1) as u64) as usize
    };
    let mut pieces = pieces(text);
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let words: Vec<usize> = (0..pieces.len())
        .filter(|at| is_word(&pieces[*at]) && !KEYWORDS.contains(&pieces[*at].as_str()))
        .collect();
    for _ in 0..1 + below(6) {
        let (one, other) = (words[below(words.len())], words[below(words.len())]);
        match below(3) {
            0 => pieces[one] = pieces[other].clone(),
            _ => pieces.swap(one, other),
        }
    }
    pieces.concat()
}

#[test]
fn code_that_makes_no_sense_is_lowered_or_refused() {
    let texts = [
        include_str!("../../fixtures/rust/meaning/scalars.rs"),
        include_str!("../../fixtures/rust/meaning/aggregates.rs"),
        include_str!("../../fixtures/rust/meaning/more.rs"),
        include_str!("../../fixtures/rust/meaning/macros.rs"),
        include_str!("../../fixtures/rust/stages/names.rs"),
        include_str!("../../fixtures/rust/graphs/unknown.rs"),
    ];
    let mut seed = 0x1234_5678_9abc_def1;
    let mut lowered = 0;
    for round in 0..60 {
        let text = shuffled(texts[round % texts.len()], &mut seed);
        let file = SourceFile::new(FileId(0), "text.rs", text.clone());
        let Ok(read) = Crate::read(&file, &FrontendOptions::default()) else { continue };
        if let Ok(found) = read.whole() {
            assert_eq!(verify::verify(&found.program), Ok(()), "{text}");
            lowered += 1;
        }
    }
    assert!(lowered > 20, "only {lowered} texts were read");
}
