//! `cfg` predicates, decided for one choice of features and target.
//!
//! A name that the choice does not set is false, as for rustc. `test` is off unless it is set. Of other packages it may
//! not be known what is set: what asks for that is neither left out nor taken in (`Undecided`).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

use super::items::Arrangement;

/// What `cfg` can ask of the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Target {
    pub name: String,
    pub arch: String,
    pub os: String,
    /// Empty where there is none.
    pub family: String,
    pub env: String,
    pub abi: String,
    pub vendor: String,
    pub pointer_width: u32,
    pub little_endian: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self::linux(64)
    }
}

impl Target {
    /// The usual target of files by themselves.
    pub fn linux(pointer_width: u32) -> Self {
        let arch = match pointer_width {
            16 => "msp430",
            32 => "x86",
            _ => "x86_64",
        };
        Self {
            name: "x86_64-unknown-linux-gnu".into(),
            arch: arch.into(),
            os: "linux".into(),
            family: "unix".into(),
            env: "gnu".into(),
            abi: String::new(),
            vendor: "unknown".into(),
            pointer_width,
            little_endian: true,
        }
    }

    /// What every processor of the target has, as the compiler takes it for granted.
    fn has_feature(&self, feature: &str) -> bool {
        let bare = matches!(self.os.as_str(), "none" | "uefi");
        match self.arch.as_str() {
            "x86_64" => !bare && matches!(feature, "fxsr" | "sse" | "sse2"),
            "x86" => self.name.starts_with("i686") && !bare && matches!(feature, "fxsr" | "sse" | "sse2"),
            "aarch64" => !self.name.contains("softfloat") && feature == "neon",
            _ => false,
        }
    }

    fn has_atomic(&self, width: &str) -> bool {
        let bare = ["thumbv6m", "riscv32i-", "riscv32im-", "riscv32imc", "msp430", "avr"];
        let none = bare.iter().any(|start| self.name.starts_with(start));
        let wide = self.pointer_width == 64
            || matches!(self.arch.as_str(), "x86" | "wasm32")
            || self.arch == "arm" && self.os != "none";
        match width {
            "8" | "16" | "32" | "ptr" => !none,
            "64" => !none && wide,
            _ => false,
        }
    }
}

/// What conditional compilation sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub features: Vec<String>,
    /// Set by the user: `name`, or `name = "value"`.
    pub cfg: Vec<(String, Option<String>)>,
    /// Bits of `usize`.
    pub pointer_width: u32,
    pub target: Target,
    /// `debug-assertions` of the profile; also decides `debug_assert!`.
    pub debug_assertions: bool,
    /// Whether a cast that changes the value is a step of its own.
    pub marks_casts: bool,
    /// Nobody runs what is made for single runs alone.
    pub only_explores: bool,
    /// Packages of the public registry that the crate depends on.
    pub crates: Vec<String>,
    /// Unknown for files by themselves.
    pub edition: Option<u32>,
    pub undecided: Undecided,
    /// Where what a build script made is found, if somebody says so.
    pub out_dir: Option<PathBuf>,
    /// Modules that only tests have are read, too, as code of others.
    pub reads_tests: bool,
}

/// Conditions that nobody can decide from here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Undecided {
    pub features: Vec<String>,
    /// Names that are set somewhere else.
    pub names: Vec<String>,
    /// A program that runs before the build may set any name that the compiler does not know.
    pub any_name: bool,
}

/// Names that the compiler and its tools set, or nobody but a person who looks at one package.
const OF_THE_COMPILER: &[&str] = &[
    "test",
    "doc",
    "docsrs",
    "doctest",
    "miri",
    "clippy",
    "rustfmt",
    "kani",
    "fuzzing",
    "debug_assertions",
    "overflow_checks",
    "proc_macro",
    "unix",
    "windows",
    "panic",
    "sanitize",
    "feature",
];

impl Undecided {
    fn has(&self, name: &str, value: Option<&str>) -> bool {
        let known = OF_THE_COMPILER.contains(&name) || name.starts_with("target_");
        let feature =
            name == "feature" && self.features.iter().any(|feature| Some(feature.as_str()) == value);
        feature || self.any_name && !known || self.names.iter().any(|given| given == name)
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            features: Vec::new(),
            cfg: Vec::new(),
            pointer_width: 64,
            target: Target::default(),
            debug_assertions: true,
            marks_casts: false,
            only_explores: false,
            crates: Vec::new(),
            edition: None,
            undecided: Undecided::default(),
            out_dir: None,
            reads_tests: false,
        }
    }
}

/// What the attributes of an item say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Left,
    Plain,
    /// An attribute of others may rewrite the item.
    Rewritten,
    /// Nobody knows whether it is there.
    Undecided,
}

impl Configuration {
    /// The same as tests of the crate see it.
    pub fn of_tests(&self) -> Self {
        let cfg = self.cfg.iter().cloned().chain([("test".into(), None)]).collect();
        Self { cfg, reads_tests: false, ..self.clone() }
    }

    pub fn keeps(&self, attributes: &[Attribute]) -> Kept {
        let mut kept = Kept::Plain;
        for attribute in attributes {
            match self.attribute(&attribute.meta) {
                Kept::Left => return Kept::Left,
                Kept::Undecided => kept = Kept::Undecided,
                Kept::Rewritten if kept == Kept::Plain => kept = Kept::Rewritten,
                Kept::Rewritten | Kept::Plain => {}
            }
        }
        kept
    }

    fn attribute(&self, meta: &Meta) -> Kept {
        let path = meta.path();
        let Some(first) = path.segments.first().map(|segment| segment.ident.to_string()) else {
            return Kept::Rewritten;
        };
        match first.as_str() {
            "cfg" => match parts(meta).as_slice() {
                [only] => match self.holds(only) {
                    Some(true) => Kept::Plain,
                    Some(false) => Kept::Left,
                    None => Kept::Undecided,
                },
                _ => Kept::Rewritten,
            },
            "cfg_attr" => match parts(meta).as_slice() {
                [condition, rest @ ..] => match self.holds(condition) {
                    Some(true) => rest
                        .iter()
                        .map(|meta| self.attribute(meta))
                        .find(|kept| *kept != Kept::Plain)
                        .unwrap_or(Kept::Plain),
                    Some(false) => Kept::Plain,
                    None => match rest.iter().all(|meta| self.is_remark(meta)) {
                        true => Kept::Plain,
                        false => Kept::Undecided,
                    },
                },
                _ => Kept::Plain,
            },
            "test" if self.is_given("test", None) => Kept::Plain,
            "test" | "bench" => Kept::Left,
            "kani" if is_harmless_path(path) => Kept::Plain,
            name if HARMLESS.contains(&name) || TOOLS.contains(&name) => Kept::Plain,
            _ => Kept::Rewritten,
        }
    }

    /// What an attribute comes to: itself, or those behind a `cfg_attr` that holds.
    pub fn applied(&self, meta: &Meta) -> Vec<Meta> {
        if !meta.path().is_ident("cfg_attr") {
            return vec![meta.clone()];
        }
        match parts(meta).as_slice() {
            [condition, rest @ ..] if self.holds(condition) == Some(true) => {
                rest.iter().flat_map(|meta| self.applied(meta)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it makes no difference to what is looked at if an attribute is there.
    fn is_remark(&self, meta: &Meta) -> bool {
        let tells = ["derive", "path", "macro_use", "macro_export", "cfg", "cfg_attr", "test"];
        !tells.iter().any(|name| meta.path().is_ident(name)) && self.attribute(meta) == Kept::Plain
    }

    /// Whether the predicate of a `cfg!(…)` holds; `None` if it is none, or if nobody knows.
    pub fn holds_in(&self, tokens: proc_macro2::TokenStream) -> Option<bool> {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        match parser.parse2(tokens).ok()?.iter().collect::<Vec<_>>().as_slice() {
            [only] => self.holds(only),
            _ => None,
        }
    }

    /// Whether a condition as it stands in a manifest holds; `None` if it is none, or if nobody knows.
    pub fn holds_text(&self, condition: &str) -> Option<bool> {
        self.holds_in(condition.parse().ok()?)
    }

    /// `None`: nobody knows.
    fn holds(&self, meta: &Meta) -> Option<bool> {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        match meta {
            Meta::Path(_) if self.undecided.has(&name, None) => None,
            Meta::Path(_) => Some(match name.as_str() {
                "panic" => true,
                "unix" | "windows" => self.target.family == name || self.is_given(&name, None),
                "debug_assertions" => self.debug_assertions,
                name => self.is_given(name, None),
            }),
            Meta::NameValue(pair) => {
                let Expr::Lit(literal) = &pair.value else { return Some(false) };
                let Lit::Str(text) = &literal.lit else { return Some(false) };
                match self.undecided.has(&name, Some(&text.value())) {
                    true => None,
                    false => Some(self.is_set(&name, &text.value())),
                }
            }
            Meta::List(_) => {
                let inner = parts(meta);
                let among = |wanted: bool| {
                    let answers: Vec<Option<bool>> = inner.iter().map(|meta| self.holds(meta)).collect();
                    match answers.contains(&Some(wanted)) {
                        true => Some(wanted),
                        false if answers.contains(&None) => None,
                        false => Some(!wanted),
                    }
                };
                match name.as_str() {
                    "all" => among(false),
                    "any" => among(true),
                    "not" => inner.first().map_or(Some(false), |meta| self.holds(meta).map(|holds| !holds)),
                    _ => Some(false),
                }
            }
        }
    }

    /// Of the target, unless the call says otherwise.
    pub fn is_little_endian(&self) -> bool {
        self.target.little_endian && !self.is_given("target_endian", Some("big"))
    }

    fn is_given(&self, name: &str, value: Option<&str>) -> bool {
        self.cfg.iter().any(|(known, given)| known == name && given.as_deref() == value)
    }

    fn is_set(&self, name: &str, value: &str) -> bool {
        if self.is_given(name, Some(value)) {
            return true;
        }
        match name {
            "feature" => self.features.iter().any(|feature| feature == value),
            "target_pointer_width" => value == self.pointer_width.to_string(),
            "target_os" => value == self.target.os,
            "target_family" => !value.is_empty() && value == self.target.family,
            "target_arch" => value == self.target.arch,
            "target_endian" => value == if self.target.little_endian { "little" } else { "big" },
            "target_env" => value == self.target.env,
            "target_abi" => value == self.target.abi,
            "target_vendor" => value == self.target.vendor,
            "target_feature" => self.target.has_feature(value),
            "target_has_atomic" => self.target.has_atomic(value),
            "panic" => value == "unwind",
            _ => false,
        }
    }
}

/// Attributes of the compiler that change nothing we look at.
const HARMLESS: &[&str] = &[
    "doc",
    "allow",
    "warn",
    "deny",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "cold",
    "derive",
    "repr",
    "track_caller",
    "non_exhaustive",
    "automatically_derived",
    "deprecated",
    "no_mangle",
    "export_name",
    "link_section",
    "link_name",
    "target_feature",
    "macro_use",
    "macro_export",
    "collapse_debuginfo",
    "default",
    "path",
    "feature",
    "no_std",
    "recursion_limit",
    "should_panic",
    "ignore",
    "global_allocator",
    "unsafe",
    "crate_type",
    "crate_name",
    "stable",
    "unstable",
];

const TOOLS: &[&str] = &["rustfmt", "clippy", "diagnostic", "miri", "rust_analyzer", "kleene"];

/// Attributes of other verifiers that say how to look at a harness, not what it does.
fn is_harmless_path(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|segment| segment.ident.to_string());
    path.segments.len() == 2 && matches!(last.as_deref(), Some("proof" | "unwind" | "solver"))
}

fn parts(meta: &Meta) -> Vec<Meta> {
    let Meta::List(list) = meta else { return Vec::new() };
    list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .map(|found| found.into_iter().collect())
        .unwrap_or_default()
}

/// The last names in `#[derive(…)]`, those behind a `cfg_attr` that holds included.
pub fn derives(configuration: &Configuration, attributes: &[Attribute]) -> Vec<String> {
    let mut names = Vec::new();
    let applied = attributes.iter().flat_map(|attribute| configuration.applied(&attribute.meta));
    for derive in applied.filter(|meta| meta.path().is_ident("derive")) {
        for part in parts(&derive) {
            names.extend(part.path().segments.last().map(|segment| segment.ident.to_string()));
        }
    }
    names
}

/// What `repr` says of how the parts of a value lie.
pub fn arrangement(configuration: &Configuration, attributes: &[Attribute]) -> Arrangement {
    let applied = attributes.iter().flat_map(|attribute| configuration.applied(&attribute.meta));
    let said = applied.filter(|meta| meta.path().is_ident("repr")).flat_map(|meta| parts(&meta));
    let said: Vec<Meta> = said.filter(|part| !part.path().is_ident("transparent")).collect();
    let only = match said.as_slice() {
        [] => return Arrangement::Free,
        [Meta::Path(only)] => only.get_ident().map(ToString::to_string).unwrap_or_default(),
        _ => return Arrangement::Otherwise,
    };
    match only.as_str() {
        "C" => Arrangement::InOrder,
        "u8" | "i8" => Arrangement::Numbered(8),
        "u16" | "i16" => Arrangement::Numbered(16),
        "u32" | "i32" => Arrangement::Numbered(32),
        "u64" | "i64" => Arrangement::Numbered(64),
        _ => Arrangement::Otherwise,
    }
}

/// The greatest of `#[repr(align(N))]`, or 0.
pub fn alignment(configuration: &Configuration, attributes: &[Attribute]) -> u64 {
    let applied = attributes.iter().flat_map(|attribute| configuration.applied(&attribute.meta));
    let said = applied.filter(|meta| meta.path().is_ident("repr")).flat_map(|meta| parts(&meta));
    let aligned = said.filter_map(|part| match part {
        Meta::List(list) if list.path.is_ident("align") => list.parse_args::<syn::LitInt>().ok(),
        _ => None,
    });
    // A number that is none is refused by rustc.
    aligned.filter_map(|number| number.base10_parse().ok()).max().unwrap_or(0)
}
