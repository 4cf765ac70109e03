//! Random calls of a crate's public functions of plain arguments: numbers, truths, characters, bytes and texts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use syn::{FnArg, ImplItem, Item, ReturnType, Type, Visibility};

use super::counters::{Counters, MODULE as COUNTERS};

/// The module of the calls, in every file that has some.
pub const MODULE: &str = "kleene_calls";
/// For all calls of one function.
pub const LONGEST: Duration = Duration::from_secs(10);
const ROUNDS: usize = 3_000;

/// What the calls draw from: edges as often as anything.
const VALUES: &str = "
    struct Random(u64);
    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; self.0
        }
        fn number(&mut self) -> u128 {
            let random = self.next();
            match random % 6 {
                0 => (random >> 8) as u128 % 5,
                1 => u128::MAX - (random >> 8) as u128 % 3,
                2 => 1u128 << ((random >> 8) % 128),
                3 => (1u128 << ((random >> 8) % 128)).wrapping_sub(1),
                4 => (random >> 8) as u128 % 300,
                _ => (random as u128) << 64 | self.next() as u128,
            }
        }
        fn character(&mut self) -> char {
            let near = ['a', 'Z', '0', '9', ' ', '.', '-', '+', 'e', ':', '%', '\\u{e9}', '\\u{4e2d}', '\\u{1f600}'];
            let random = self.next() as usize;
            if random % 8 == 0 { char::from_u32(random as u32 >> 8).unwrap_or('\\0') } else { near[(random >> 8) % near.len()] }
        }
        fn bytes(&mut self) -> std::vec::Vec<u8> {
            let length = self.next() as usize % 70;
            (0..length).map(|_| self.number() as u8).collect()
        }
        fn text(&mut self) -> std::string::String {
            let length = self.next() as usize % 24;
            (0..length).map(|_| self.character()).collect()
        }
    }
";

/// Puts the calls at the ends of files, and the counters at the root's; the names of the tests.
pub fn written(copy: &Path, counters: &mut Counters) -> Result<Vec<String>, String> {
    let root = root_of(copy)?;
    counters.append(copy, &root, COUNTERS)?;
    let mut names = Vec::new();
    for (file, path) in public_files(copy, &root)? {
        let text = read(&copy.join(&file))?;
        let Ok(parsed) = syn::parse_file(&text) else { continue };
        let calls = calls_of(&parsed.items);
        if calls.is_empty() {
            continue;
        }
        let mut module = format!(
            "\n#[cfg(test)] #[allow(warnings)] mod {MODULE} {{\n    extern crate std;\n    use std::prelude::v1::*;{VALUES}"
        );
        for (index, call) in calls.iter().enumerate() {
            module += &format!(
                "    #[test] fn call{index}() {{\n        let mut random = Random(0x9E37_79B9_7F4A_7C15);\n        for _ in 0..{ROUNDS} {{\n            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {{ {call} }}));\n        }}\n    }}\n"
            );
            names.push(format!("{path}{MODULE}::call{index}"));
        }
        counters.append(copy, &file, &(module + "}\n"))?;
    }
    Ok(names)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn root_of(copy: &Path) -> Result<PathBuf, String> {
    let text = read(&copy.join("Cargo.toml"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let root = table.get("lib").and_then(|lib| lib.get("path")).and_then(toml::Value::as_str);
    Ok(root.unwrap_or("src/lib.rs").into())
}

/// The root and the files of its public modules, each with its path in the crate.
fn public_files(copy: &Path, root: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let mut files = vec![(root.to_path_buf(), String::new())];
    let Ok(parsed) = syn::parse_file(&read(&copy.join(root))?) else { return Ok(files) };
    let folder = root.parent().unwrap_or(Path::new(""));
    for item in &parsed.items {
        let Item::Mod(module) = item else { continue };
        if !matches!(module.vis, Visibility::Public(_))
            || module.content.is_some()
            || !module.attrs.is_empty()
        {
            continue;
        }
        let places =
            [folder.join(format!("{}.rs", module.ident)), folder.join(format!("{}/mod.rs", module.ident))];
        let file = places.into_iter().find(|file| copy.join(file).is_file());
        files.extend(file.map(|file| (file, format!("{}::", module.ident))));
    }
    Ok(files)
}

/// A call, as a statement, of each public function of plain arguments.
fn calls_of(items: &[Item]) -> Vec<String> {
    let mut calls = Vec::new();
    for item in items {
        match item {
            Item::Fn(function)
                if matches!(function.vis, Visibility::Public(_)) && function.attrs.iter().all(is_plain) =>
            {
                calls.extend(call(&format!("super::{}", function.sig.ident), &function.sig));
            }
            Item::Impl(item)
                if item.trait_.is_none()
                    && item.generics.params.is_empty()
                    && item.attrs.iter().all(is_plain) =>
            {
                let Type::Path(ty) = &*item.self_ty else { continue };
                let Some(name) = ty.path.get_ident() else { continue };
                for member in &item.items {
                    let ImplItem::Fn(function) = member else { continue };
                    if matches!(function.vis, Visibility::Public(_)) && function.attrs.iter().all(is_plain) {
                        calls.extend(call(&format!("super::{name}::{}", function.sig.ident), &function.sig));
                    }
                }
            }
            _ => {}
        }
    }
    calls
}

/// Documentation and hints change nothing.
fn is_plain(attribute: &syn::Attribute) -> bool {
    ["doc", "inline", "must_use", "cold", "allow"].iter().any(|name| attribute.path().is_ident(name))
}

fn call(path: &str, signature: &syn::Signature) -> Option<String> {
    let is_special = matches!(signature.safety, syn::Safety::Unsafe(_)) || signature.asyncness.is_some();
    let diverges = matches!(&signature.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)));
    if is_special || diverges || !signature.generics.params.is_empty() {
        return None;
    }
    let arguments: Option<Vec<String>> = signature
        .inputs
        .iter()
        .map(|input| match input {
            FnArg::Typed(typed) => argument(&typed.ty),
            FnArg::Receiver(_) => None,
        })
        .collect();
    Some(format!("let _ = {path}({});", arguments?.join(", ")))
}

const NUMBERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

fn argument(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => {
            let name = path.path.get_ident()?.to_string();
            match name.as_str() {
                "bool" => Some("random.next() & 64 == 0".into()),
                "char" => Some("random.character()".into()),
                "String" => Some("random.text()".into()),
                "f64" | "f32" => Some(format!("{name}::from_bits(random.number() as _)")),
                _ if NUMBERS.contains(&name.as_str()) => Some(format!("random.number() as {name}")),
                _ => None,
            }
        }
        Type::Reference(reference) => {
            let exclusive = if reference.mutability.is_some() { "mut " } else { "" };
            match &*reference.elem {
                Type::Slice(slice) if is_named(&slice.elem, "u8") => {
                    Some(format!("&{exclusive}random.bytes()[..]"))
                }
                inner if is_named(inner, "str") && exclusive.is_empty() => Some("&random.text()[..]".into()),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_plain_arguments_are_called() {
        let text = "pub fn a(n: u8, s: &str) -> u8 { n } fn b(n: u8) {} pub fn c<T>(t: T) {} pub unsafe fn d() {}\n\
                    pub struct S; impl S { pub fn new(x: &mut [u8]) -> S { S } pub fn get(&self) -> u8 { 1 } }";
        let calls = calls_of(&syn::parse_file(text).expect("Rust").items);
        assert_eq!(
            calls,
            [
                "let _ = super::a(random.number() as u8, &random.text()[..]);",
                "let _ = super::S::new(&mut random.bytes()[..]);",
            ]
        );
    }
}
