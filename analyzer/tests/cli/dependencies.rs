//! Code of other packages: it is read where a path leads into it, and nothing is told of its own places.

use std::collections::BTreeMap;

use crate::support::{Folder, Ran};

fn manifest(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
}

/// A package that depends on another one in a folder beside it.
fn package(dependency: &str, own: &str, other: &str) -> Folder {
    Folder::new()
        .with("own/Cargo.toml", manifest("own", &format!("[dependencies]\n{dependency}\n")))
        .with("own/src/lib.rs", own)
        .with("other/Cargo.toml", manifest("other", "[features]\nzero = []\n"))
        .with("other/src/lib.rs", other)
}

const PLAIN: &str = "other = { path = \"../other\" }";

/// The verdict on the only division of each function.
fn divisions(ran: &Ran) -> BTreeMap<String, String> {
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    let mut found = BTreeMap::new();
    for result in results.iter().filter(|result| result["lint"] == "division_by_zero") {
        let word = |field: &str| result[field].as_str().unwrap_or_default().to_string();
        let before = found.insert(word("function"), word("verdict"));
        assert_eq!(before, None, "one division in each function: {}", ran.out);
    }
    found
}

fn linted(folder: &Folder, more: &[&str]) -> Ran {
    let arguments: Vec<&str> =
        ["lint", "own", "--format", "json", "--no-cache"].iter().chain(more).copied().collect();
    let ran = folder.kleene(&arguments);
    assert!(ran.code < 2, "{}", ran.err);
    ran
}

fn expect(ran: &Ran, wanted: &[(&str, &str)]) {
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(name, verdict)| (name.to_string(), verdict.to_string())).collect();
    assert_eq!(divisions(ran), wanted, "{}", ran.out);
}

#[test]
fn what_is_called_is_looked_into() {
    let other = "pub fn odd(x: u32) -> u32 { x | 1 }\npub fn third(x: u32) -> u32 { x % 3 }\n\
                 pub mod inner {\n    pub fn next(x: u8) -> u16 { crate::inner::wide(x) + 1 }\n    \
                 fn wide(x: u8) -> u16 { x as u16 }\n}\n";
    let own = "pub fn never(x: u32) -> u32 { 1 / other::odd(x) }\n\
               pub fn sometimes(x: u32) -> u32 { 1 / other::third(x) }\n\
               use other::inner::next;\npub fn imported(x: u8) -> u16 { 1 / next(x) }\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    expect(&ran, &[("never", "true"), ("sometimes", "false"), ("imported", "true")]);
    let document = ran.json();
    let results = document["results"].as_array().expect("a list");
    assert!(results.iter().all(|result| result["file"] == "own/src/lib.rs"), "{}", ran.out);
}

#[test]
fn a_failure_there_ends_the_run_and_is_nobodys_finding() {
    let other = "pub fn checked(x: u32) { if x == 0 { panic!(\"zero\") } }\n\
                 pub fn divided(x: u32) -> u32 { 100 / x }\npub fn summed(x: u8) -> u8 { x + 1 }\n";
    let own = "pub fn after(x: u32) -> u32 { other::checked(x); 1 / x }\n\
               pub fn behind(x: u32) -> u32 { let _ = other::divided(x); 2 / x }\n\
               pub fn wrapped(x: u8) -> u8 { let next = other::summed(x); 3 / next }\n";
    let folder = package(PLAIN, own, other);
    let ran = linted(&folder, &[]);
    expect(&ran, &[("after", "true"), ("behind", "true"), ("wrapped", "true")]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    // Without checks the sum comes to 0.
    expect(&linted(&folder, &["--release"]), &[("after", "true"), ("behind", "true"), ("wrapped", "false")]);
}

#[test]
fn methods_are_those_that_rustc_finds() {
    let other = "pub struct Number(u32);\nimpl Number {\n    pub fn new(x: u32) -> Self { Number(x) }\n    \
                 pub fn get(&self) -> u32 { self.0 | 1 }\n    fn kept(&self) -> u32 { 0 }\n}\n\
                 pub trait Odd { fn odd(&self) -> u32; fn twice(&self) -> u32 { self.odd() * 2 } }\n\
                 impl Odd for u8 { fn odd(&self) -> u32 { *self as u32 | 1 } }\n\
                 pub mod zero {\n    pub trait Zero { fn odd(&self) -> u32; }\n    \
                 impl Zero for u8 { fn odd(&self) -> u32 { 0 } }\n    \
                 pub trait Cast { fn from(x: u8) -> Option<u32>; fn turned(x: u8) -> u32; }\n    \
                 impl Cast for u32 { fn from(_: u8) -> Option<u32> { None } fn turned(_: u8) -> u32 { 0 } }\n    \
                 impl Cast for u16 { fn from(_: u8) -> Option<u32> { None } fn turned(_: u8) -> u32 { 3 } }\n}\n";
    let own = "use other::{Number, Odd};\npub trait Kept { fn kept(&self) -> u32; }\n\
               impl Kept for Number { fn kept(&self) -> u32 { 1 } }\n\
               pub fn own_trait(x: u32) -> u32 { 1 / Number::new(x).kept() }\n\
               pub fn inherent(x: u32) -> u32 { 2 / Number::new(x).get() }\n\
               pub fn of_trait(x: u8) -> u32 { 3 / x.twice() }\n\
               pub fn in_scope(x: u8) -> u32 { 4 / x.odd() }\n\
               pub fn named(x: u8) -> u32 { 5 / other::zero::Zero::odd(&x) }\n\
               pub fn of_std(x: u8) -> u32 { 6 / (u32::from(x) + 1) }\n\
               pub fn imported(x: u8) -> u32 { use other::zero::Cast; 7 / u16::turned(x) }\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    let never = ["own_trait", "inherent", "of_trait", "in_scope", "of_std", "imported"];
    let never = never.map(|name| (name, "true"));
    expect(&ran, &[&never[..], &[("named", "false")]].concat());
}

#[test]
fn a_glob_brings_in_what_is_public() {
    let other = "use std::fmt::Result;\nfn limit() -> u32 { 0 }\npub(crate) fn most() -> u32 { 0 }\n\
                 mod inner { pub fn shown() -> u32 { 3 } pub fn hidden() -> u32 { 0 } }\npub use inner::shown;\n\
                 use inner::hidden;\npub fn uses() -> Result { let _ = (limit(), most(), hidden()); Ok(()) }\n";
    let own = "mod mine {\n    pub fn limit() -> u32 { 1 }\n    pub fn most() -> u32 { 2 }\n    \
               pub fn hidden() -> u32 { 3 }\n}\nuse mine::*;\nuse other::*;\n\
               pub fn first() -> u32 { 1 / limit() }\npub fn second() -> u32 { 2 / most() }\n\
               pub fn third() -> u32 { 3 / hidden() }\npub fn fourth() -> u32 { 4 / shown() }\n\
               pub fn fifth(x: Result<u32, u32>) -> u32 { match x { Ok(x) => 5 / (x | 1), Err(_) => 0 } }\n";
    let never = ["first", "second", "third", "fourth", "fifth"].map(|name| (name, "true"));
    expect(&linted(&package(PLAIN, own, other), &[]), &never);
}

const GATED: &str = "#[cfg(feature = \"zero\")]\npub fn divisor() -> u32 { 0 }\n\
                     #[cfg(not(feature = \"zero\"))]\npub fn divisor() -> u32 { 1 }\n";
const GATED_USE: &str = "pub fn divides() -> u32 { 1 / other::divisor() }\n";

#[test]
fn features_are_those_of_the_build() {
    expect(&linted(&package(PLAIN, GATED_USE, GATED), &[]), &[("divides", "true")]);
    let asked = "other = { path = \"../other\", features = [\"zero\"] }";
    expect(&linted(&package(asked, GATED_USE, GATED), &[]), &[("divides", "false")]);
    let passed = "other = { path = \"../other\" }\n[features]\nzero = [\"other/zero\"]";
    let folder = package(passed, GATED_USE, GATED);
    expect(&linted(&folder, &[]), &[("divides", "true")]);
    expect(&linted(&folder, &["--features", "zero"]), &[("divides", "false")]);
    let optional = "other = { path = \"../other\", optional = true }\n[features]\nmore = [\"dep:other\"]\n\
                    weak = [\"other?/zero\"]";
    let own = "#[cfg(feature = \"more\")]\npub fn divides() -> u32 { 1 / other::divisor() }\n\
               #[cfg(not(feature = \"more\"))]\npub fn divides() -> u32 { 1 / 1 }\n";
    let folder = package(optional, own, GATED);
    expect(&linted(&folder, &["--features", "weak"]), &[("divides", "true")]);
    expect(&linted(&folder, &["--features", "more"]), &[("divides", "true")]);
    expect(&linted(&folder, &["--features", "more", "--features", "weak"]), &[("divides", "false")]);
}

#[test]
fn what_another_build_decides_is_not_known() {
    let other = format!(
        "{GATED}pub struct Pair {{ #[cfg(feature = \"zero\")] pub first: u32, pub second: u32 }}\n\
         impl Pair {{ pub fn new() -> Self {{ Pair {{ #[cfg(feature = \"zero\")] first: 0, second: 1 }} }} }}\n\
         pub fn inside() -> u32 {{ #[cfg(feature = \"zero\")] return 0; 1 }}\n\
         pub fn asked() -> u32 {{ if cfg!(feature = \"zero\") {{ 0 }} else {{ 1 }} }}\npub fn plain() -> u32 {{ 1 }}\n\
         #[cfg(set_by_script)]\npub fn script() -> u32 {{ 0 }}\n#[cfg(not(set_by_script))]\npub fn script() -> u32 {{ 1 }}\n"
    );
    let own = "pub fn divides() -> u32 { 1 / other::divisor() }\n\
               pub fn made() -> u32 { 2 / other::Pair::new().second }\npub fn inside() -> u32 { 3 / other::inside() }\n\
               pub fn asked() -> u32 { 4 / other::asked() }\npub fn plain() -> u32 { 5 / other::plain() }\n\
               pub fn script() -> u32 { 6 / other::script() }\n";
    // Another member of the workspace switches the feature on.
    let folder = package(PLAIN, own, &other)
        .with("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"own\", \"other\", \"third\"]\n")
        .with(
            "third/Cargo.toml",
            manifest("third", "[dependencies]\nother = { path = \"../other\", features = [\"zero\"] }\n"),
        )
        .with("third/src/lib.rs", "");
    let open = ["divides", "made", "inside", "asked"].map(|name| (name, "maybe"));
    expect(&linted(&folder, &[]), &[&open[..], &[("plain", "true"), ("script", "true")]].concat());
    // A build script may set conditions that nobody sees.
    let folder = package(PLAIN, own, &other)
        .with("other/build.rs", "fn main() { println!(\"cargo:rustc-cfg=set_by_script\"); }\n");
    let ran = linted(&folder, &[]);
    let found = divisions(&ran);
    let verdicts = ["script", "plain", "divides"].map(|name| found[name].as_str());
    assert_eq!(verdicts, ["maybe", "true", "true"], "{}", ran.out);
}

#[test]
fn names_are_those_of_the_manifest() {
    let other = "pub fn odd(x: u32) -> u32 { x | 1 }\n";
    let own = "extern crate fresh_name as shorter;\npub fn renamed(x: u32) -> u32 { 1 / fresh_name::odd(x) }\n\
               pub fn shorter(x: u32) -> u32 { 2 / shorter::odd(x) }\n";
    let renamed = "fresh-name = { path = \"../other\", package = \"other\" }";
    let folder = package(renamed, own, other);
    expect(&linted(&folder, &[]), &[("renamed", "true"), ("shorter", "true")]);
    // A library may have another name than its package, and what is declared in the crate goes before both.
    let library = manifest("other", "[lib]\nname = \"inner_name\"\npath = \"src/lib.rs\"\n");
    let own = "pub fn named(x: u32) -> u32 { 1 / inner_name::odd(x) }\n\
               pub mod shown {\n    mod inner_name { pub fn odd(_: u32) -> u32 { 0 } }\n    \
               pub fn hidden(x: u32) -> u32 { 2 / inner_name::odd(x) }\n}\n";
    let folder = package(PLAIN, own, other).with("other/Cargo.toml", library);
    expect(&linted(&folder, &[]), &[("named", "true"), ("shown::hidden", "false")]);
}

#[test]
fn private_values_of_others_are_made_by_their_functions() {
    let other = "#[derive(Clone, Copy)]\npub struct Positive { value: u32 }\nimpl Positive {\n    \
                 pub fn new(x: u32) -> Option<Self> { if x > 0 { Some(Positive { value: x }) } else { None } }\n    \
                 pub fn get(self) -> u32 { self.value }\n}\n\
                 pub struct Any { value: u32 }\nimpl Any {\n    pub fn new(value: u32) -> Self { Any { value } }\n    \
                 pub fn get(&self) -> u32 { self.value }\n}\n\
                 mod hidden { pub fn zero() -> crate::Sealed { crate::Sealed { value: 0 } } }\n\
                 pub struct Sealed { value: u32 }\nimpl Sealed {\n    pub fn one() -> Self { Sealed { value: 1 } }\n    \
                 pub(crate) fn none() -> Self { hidden::zero() }\n    pub fn get(&self) -> u32 { self.value }\n}\n\
                 pub fn uses() { let _ = Sealed::none(); }\n";
    let own = "pub fn positive(x: other::Positive) -> u32 { 1 / x.get() }\n\
               pub fn any(x: other::Any) -> u32 { 2 / x.get() }\n\
               pub fn sealed(x: other::Sealed) -> u32 { 3 / x.get() }\n\
               pub struct Pair { pub one: other::Positive, pub two: u32 }\n\
               pub fn inside(x: &Pair) -> u32 { 4 / x.one.get() }\n\
               pub fn made(x: u32) -> u32 { match other::Positive::new(x) { Some(x) => 5 / x.get(), None => 0 } }\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    let found = divisions(&ran);
    for name in ["positive", "sealed", "inside"] {
        assert_ne!(found[name], "false", "no such value can be made: {name} in {}", ran.out);
    }
    assert_ne!(found["any"], "true", "{}", ran.out);
    assert_eq!(found["made"], "true", "{}", ran.out);
}

#[test]
fn macros_of_others_mean_their_own_crate() {
    let other = "pub fn odd(x: u32) -> u32 { x | 1 }\n#[macro_export]\nmacro_rules! odd {\n    \
                 ($x:expr) => { $crate::odd($crate::inner!($x)) };\n}\n\
                 #[macro_export]\nmacro_rules! inner { ($x:expr) => { $x }; }\n\
                 #[macro_export]\nmacro_rules! declare { ($name:ident) => { pub fn $name(x: u32) -> u32 { 1 / $crate::odd(x) } }; }\n";
    let own = "pub fn odd(_: u32) -> u32 { 0 }\nother::declare!(declared);\n\
               pub fn by_path(x: u32) -> u32 { 1 / other::odd!(x) }\nuse other::odd as of_others;\n\
               pub fn imported(x: u32) -> u32 { 2 / of_others!(x) }\npub fn own_one(x: u32) -> u32 { 3 / odd(x) }\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    expect(&ran, &[("declared", "true"), ("by_path", "true"), ("imported", "true"), ("own_one", "false")]);
}

/// A macro with the name of its crate: the name of the crate still means the crate.
#[test]
fn a_macro_may_have_the_name_of_its_crate() {
    let other = "pub fn odd(x: u32) -> u32 { x | 1 }\n#[macro_export]\nmacro_rules! other {\n    \
                 ($name:ident) => { pub fn $name(x: u32) -> u32 { 1 / $crate::odd(x) } };\n}\n";
    let own = "use other::other;\nother!(declared);\npub fn called(x: u32) -> u32 { 1 / other::odd(x) }\n\
               pub mod shadowed {\n    use crate::first::*;\n    \
               pub fn own_one(x: u32) -> u32 { 2 / other::odd(x) }\n}\n\
               pub mod first {\n    pub mod other { pub fn odd(x: u32) -> u32 { x & 1 } }\n}\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    expect(&ran, &[("declared", "true"), ("called", "true"), ("shadowed::own_one", "false")]);
}

/// `#[macro_export(local_inner_macros)]`: plain names of macros in the text of a macro mean those of its crate, names that
/// the caller wrote mean the caller's.
#[test]
fn macros_among_themselves_are_those_of_their_crate() {
    let other = "#[macro_export(local_inner_macros)]\nmacro_rules! declare {\n    \
                 ($name:ident, $value:expr) => {\n        pub fn $name(x: u32) -> u32 { 1 / (inner!(x) * $value) }\n    };\n}\n\
                 #[macro_export]\nmacro_rules! inner { ($x:expr) => { $x % 5 + 1 }; }\n\
                 #[macro_export]\nmacro_rules! open {\n    \
                 ($name:ident) => { pub fn $name(x: u32) -> u32 { 1 / inner!(x) } };\n}\n";
    let own = "macro_rules! inner { ($x:expr) => { $x & 1 }; }\n\
               other::declare!(theirs, 1);\nother::open!(ours);\nother::declare!(mixed, inner!(8));\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    expect(&ran, &[("theirs", "true"), ("ours", "false"), ("mixed", "false")]);
}

/// Macros name those of std by a name that their crate has for it.
#[test]
fn macros_of_std_have_other_names_elsewhere() {
    let other = "pub extern crate core as _core;\npub mod _own { pub use crate::zero as assert; }\n\
                 #[macro_export]\nmacro_rules! zero { ($x:expr) => {}; }\n\
                 #[macro_export]\nmacro_rules! named {\n    ($name:ident, $divides:ident) => {\n        \
                 pub fn $name(x: u32) -> &'static str { $crate::_core::assert!(x < 9); $crate::_core::stringify!($name) }\n        \
                 pub fn $divides(x: u32) -> u32 { $crate::_core::assert!(x > 0); 1 / x }\n    };\n}\n\
                 #[macro_export]\nmacro_rules! unchecked {\n    \
                 ($name:ident) => { pub fn $name(x: u32) -> u32 { $crate::_own::assert!(x > 0); 2 / x } };\n}\n";
    let own = "other::named!(shown, checked);\nother::unchecked!(open);\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    assert_eq!(divisions(&ran)["checked"], "true");
    assert_ne!(divisions(&ran)["open"], "true");
}

/// What is described of `byteorder` holds for every order of bytes.
#[test]
fn bytes_are_read_and_written_in_their_order() {
    let own = "use byteorder::{BigEndian, ByteOrder, NativeEndian, NetworkEndian, LE};\n\
               pub fn three(x: u32) -> u32 { let mut b = [7; 3]; BigEndian::write_u24(&mut b, x & 0xff_ffff); \
               1 / (1 + (BigEndian::read_u24(&b) ^ (x & 0xff_ffff))) }\n\
               pub fn first(x: u32) -> u32 { let mut b = [7; 3]; NetworkEndian::write_u24(&mut b, x & 0xff); 2 / (1 - u32::from(b[0])) }\n\
               pub fn last(x: u32) -> u32 { let mut b = [7; 3]; LE::write_u24(&mut b, x & 0xff00); 3 / (1 - u32::from(b[0])) }\n\
               pub fn other() -> u32 { let mut b = [7; 3]; LE::write_u24(&mut b, 0x1_0000); 4 / (1 - u32::from(b[2])) }\n\
               pub fn native(x: u32) -> u32 { let mut b = [0; 4]; NativeEndian::write_u32(&mut b, x); \
               5 / (1 + (u32::from_ne_bytes(b) ^ x)) }\n";
    let manifest = manifest("own", "[dependencies]\nbyteorder = \"1\"\n");
    let folder = Folder::new().with("own/Cargo.toml", manifest).with("own/src/lib.rs", own);
    let wanted =
        [("three", "true"), ("first", "true"), ("last", "true"), ("other", "false"), ("native", "true")];
    expect(&linted(&folder, &[]), &wanted);
}

#[test]
fn old_editions_begin_at_the_root() {
    let old = "[package]\nname = \"other\"\nversion = \"0.1.0\"\n";
    let other = "mod inner;\npub use inner::deep::odd;\npub mod side {\n    use inner::deep::odd;\n    \
                 mod inner { pub mod deep { pub fn odd(_: u32) -> u32 { 0 } } }\n    \
                 pub fn uses(x: u32) -> u32 { odd(x) }\n    pub fn near(x: u32) -> u32 { self::inner::deep::odd(x) }\n}\n";
    let own = "pub fn first(x: u32) -> u32 { 1 / other::odd(x) }\n\
               pub fn second(x: u32) -> u32 { 2 / other::side::uses(x) }\n\
               pub fn third(x: u32) -> u32 { 3 / other::side::near(x) }\n";
    let folder = package(PLAIN, own, other)
        .with("other/Cargo.toml", old)
        .with("other/src/inner/mod.rs", "pub mod deep;\n")
        .with("other/src/inner/deep.rs", "pub fn odd(x: u32) -> u32 { x | 1 }\n");
    expect(&linted(&folder, &[]), &[("first", "true"), ("second", "true"), ("third", "false")]);
}

#[test]
fn constants_in_the_place_of_types_keep_their_own() {
    let other = "#[derive(Clone, Copy)]\npub struct Ranged<const LOW: i8, const HIGH: i8>(i8);\n\
                 impl<const LOW: i8, const HIGH: i8> Ranged<LOW, HIGH> {\n    pub const LEAST: Self = Ranged(LOW);\n    \
                 pub const fn new(x: i8) -> Option<Self> { if x < LOW || x > HIGH { None } else { Some(Ranged(x)) } }\n    \
                 pub const fn get(self) -> i8 { unsafe { core::hint::assert_unchecked(LOW <= self.0 && self.0 <= HIGH) }; self.0 }\n}\n";
    let own = "use other::Ranged;\nconst MOST: i8 = -2;\ntype Below = Ranged<-9, MOST>;\n\
               pub fn below(x: i8) -> i8 { match Below::new(x) { Some(x) => 1 / (x.get() + 1), None => 0 } }\n\
               pub fn around(x: i8) -> i8 { match Ranged::<{ -3 }, 4>::new(x) { Some(x) => 2 / (x.get() + 3), None => 0 } }\n\
               pub fn least() -> i8 { 3 / (Below::LEAST.get() + 8) }\npub fn zero() -> i8 { 4 / (Below::LEAST.get() + 9) }\n\
               pub fn given(x: Below) -> i8 { 5 / x.get() }\n";
    let ran = linted(&package(PLAIN, own, other), &[]);
    let wanted = [("below", "true"), ("around", "false"), ("least", "true"), ("zero", "false")];
    expect(&ran, &[&wanted[..], &[("given", "true")]].concat());
}

#[test]
fn a_registry_is_read_as_the_lock_says() {
    let lock = "version = 4\n\n[[package]]\nname = \"other\"\nversion = \"1.2.3\"\n\
                source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"00\"\n\n\
                [[package]]\nname = \"own\"\nversion = \"0.1.0\"\ndependencies = [\"other\"]\n";
    let own = "pub fn divides(x: u32) -> u32 { 1 / other::odd(x) }\n";
    let settings =
        "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n";
    let vendored = |version: &str| {
        Folder::new()
            .with("own/Cargo.toml", manifest("own", "[dependencies]\nother = \"1\"\n"))
            .with("own/src/lib.rs", own)
            .with("own/.cargo/config.toml", settings)
            .with(
                "own/vendor/other/Cargo.toml",
                format!("[package]\nname = \"other\"\nversion = \"{version}\"\nedition = \"2021\"\n"),
            )
            .with("own/vendor/other/src/lib.rs", "pub fn odd(x: u32) -> u32 { x | 1 }\n")
    };
    expect(&linted(&vendored("1.2.3").with("own/Cargo.lock", lock), &[]), &[("divides", "true")]);
    expect(&linted(&vendored("1.2.4").with("own/Cargo.lock", lock), &[]), &[("divides", "maybe")]);
    expect(&linted(&vendored("1.2.3"), &[]), &[("divides", "maybe")]);
}

/// What is lent of it may empty and fill it, and which of others are compared nobody knows.
#[test]
fn a_table_of_hashes_is_described_where_it_is_depended_on() {
    let own = include_str!("dependencies/tables.rs.txt");
    let folder = |dependency: &str| {
        Folder::new()
            .with("own/Cargo.toml", manifest("own", &format!("[dependencies]\n{dependency}\n")))
            .with("own/src/lib.rs", own)
    };
    let shown = [("missing", "false"), ("kept", "false")];
    let open = ["found", "of_another_hash", "by_its_entry", "by_an_entry", "through_what_is_absent"];
    let more = ["filled", "written", "asked_again"];
    let open: Vec<_> = open.iter().chain(&more).map(|name| (*name, "maybe")).collect();
    expect(&linted(&folder("hashbrown = \"0.17\""), &[]), &[&shown[..], &open].concat());
    let unknown = [("missing", "maybe"), ("kept", "maybe")];
    expect(&linted(&folder(""), &[]), &[&unknown[..], &open].concat());
}

#[test]
fn programs_see_their_library() {
    let folder = Folder::new()
        .with("own/Cargo.toml", manifest("own", ""))
        .with("own/src/lib.rs", "pub fn odd(x: u32) -> u32 { x | 1 }\npub fn zero() -> u32 { 0 }\n")
        .with("own/src/main.rs", "fn main() { part(3) }\nfn part(x: u32) { let _ = 1 / own::odd(x); }\n");
    let ran = linted(&folder, &["--bins"]);
    expect(&ran, &[("part", "true")]);
    assert!(!ran.out.contains("lib.rs"), "{}", ran.out);
}

#[test]
fn what_is_kept_is_forgotten_when_a_dependency_changes() {
    let other = "pub fn divisor(x: u32) -> u32 { x | 1 }\n";
    let own = "pub fn divides(x: u32) -> u32 { 1 / other::divisor(x) }\n";
    let folder = package(PLAIN, own, other);
    let kept = |folder: &Folder| folder.kleene(&["lint", "own", "--format", "json"]);
    expect(&kept(&folder), &[("divides", "true")]);
    expect(&kept(&folder), &[("divides", "true")]);
    let folder = folder.with("other/src/lib.rs", "pub fn divisor(x: u32) -> u32 { x & 6 }\n");
    expect(&kept(&folder), &[("divides", "false")]);
    let gated = GATED.replace("divisor()", "divisor(_: u32)");
    let folder = folder.with("other/src/lib.rs", gated);
    expect(&kept(&folder), &[("divides", "true")]);
    let asked = manifest("own", "[dependencies]\nother = { path = \"../other\", features = [\"zero\"] }\n");
    expect(&kept(&folder.with("own/Cargo.toml", asked)), &[("divides", "false")]);
}
