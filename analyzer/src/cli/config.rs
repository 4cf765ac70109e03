//! Settings: of the built-in checks, and how Rust is read.
//!
//! They stand in `kleene.toml`, in the manifests of packages and workspaces, or in the file that `--config` names. The
//! nearer one counts: workspace, then package, then the call.

mod table;

use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use super::arguments::RustReading;
use super::files;
use super::tables::Reader;
use crate::frontend::rust::RustOptions;
use crate::lints::Levels;
use crate::report::Remark;
use crate::source::SourceFile;

#[derive(Clone, Debug, Default)]
pub struct Config {
    pub levels: Levels,
    pub rust: RustOptions,
}

/// The name of the file that is found without being named.
pub const FILE: &str = "kleene.toml";

impl Config {
    /// Lists grow; of single values the nearer one counts.
    pub fn then(mut self, nearer: &Self) -> Self {
        self.levels = self.levels.then(&nearer.levels);
        let (own, other) = (&mut self.rust, &nearer.rust);
        own.features.extend(other.features.iter().cloned());
        own.cfg.extend(other.cfg.iter().cloned());
        own.pointer_width = other.pointer_width.or(own.pointer_width);
        own.debug_assertions = other.debug_assertions.or(own.debug_assertions);
        own.out_dir = other.out_dir.clone().or(own.out_dir.take());
        own.intrinsics.any.extend(other.intrinsics.any.iter().cloned());
        own.intrinsics.assume.extend(other.intrinsics.assume.iter().cloned());
        own.intrinsics.assert.extend(other.intrinsics.assert.iter().cloned());
        self
    }

    /// What the call itself says of Rust.
    pub fn of_rust(call: &RustReading) -> Self {
        let rust = RustOptions {
            features: call.features.clone(),
            cfg: call.cfg.clone(),
            pointer_width: call.target_pointer_width,
            debug_assertions: call.debug_assertions,
            // Files are asked for from the folder of the given one.
            out_dir: call.out_dir.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())),
            ..RustOptions::default()
        };
        Self { rust, ..Self::default() }
    }
}

/// The settings of the file and, nearer, those of the call; or what is wrong with the file.
pub fn of_call(path: Option<&Path>, call: &RustReading) -> Result<Config, Vec<Remark>> {
    let config = path.map_or(Ok(Config::default()), read)?;
    Ok(config.then(&Config::of_rust(call)))
}

/// The settings around a single file: those of the file that the call names, or of the nearest `kleene.toml`.
pub fn of_file(path: &Path, named: Option<&Path>) -> Result<Config, Vec<Remark>> {
    if let Some(named) = named {
        return read(named);
    }
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let found = whole.ancestors().skip(1).map(|folder| folder.join(FILE)).find(|path| path.is_file());
    found.map_or(Ok(Config::default()), |path| read(&shown(&path)))
}

/// The settings of a package: of its workspace and its own.
pub fn of_package(root: &Path, manifest: &Path, named: Option<&Path>) -> Result<Config, Vec<Remark>> {
    let folder = manifest.parent().unwrap_or(root);
    let is_root = root.canonicalize().ok() == folder.canonicalize().ok();
    let workspace = of_manifest(&root.join("Cargo.toml"), "workspace")?;
    let package = of_manifest(manifest, "package")?;
    if let Some(named) = named {
        return Ok(workspace.then(&package).then(&read(named)?));
    }
    let beside = |folder: &Path| match folder.join(FILE) {
        path if path.is_file() => read(&shown(&path)),
        _ => Ok(Config::default()),
    };
    let outer = workspace.then(&beside(root)?);
    let inner = if is_root { package } else { package.then(&beside(folder)?) };
    Ok(outer.then(&inner))
}

fn read(path: &Path) -> Result<Config, Vec<Remark>> {
    with_table(path, |reader, table| Some(table::config(reader, table, &[])))
}

/// `[workspace.metadata.kleene]` or `[package.metadata.kleene]`.
fn of_manifest(path: &Path, kind: &str) -> Result<Config, Vec<Remark>> {
    if !path.is_file() {
        return Ok(Config::default());
    }
    let more: &[&str] = if kind == "package" { &["properties"] } else { &[] };
    with_table(&shown(path), |reader, table| {
        let inner = [kind, "metadata", "kleene"]
            .into_iter()
            .try_fold(table, |table, key| table.get(key)?.get_ref().as_table());
        inner.map(|inner| table::config(reader, inner, more))
    })
}

fn with_table(
    path: &Path,
    work: impl for<'f> FnOnce(&mut Reader<'f>, &DeTable<'f>) -> Option<Config>,
) -> Result<Config, Vec<Remark>> {
    let source: Arc<SourceFile> = files::read_small(path).map_err(|unreadable| {
        let source = unreadable.source.clone();
        vec![Remark::of(&source, unreadable.diagnostic)]
    })?;
    let mut reader = Reader::new(&source);
    let table: Option<Spanned<DeTable<'_>>> = reader.table();
    let config = table.and_then(|table| work(&mut reader, table.get_ref())).unwrap_or_default();
    if reader.remarks.is_empty() { Ok(config) } else { Err(reader.remarks) }
}

/// As people name it from where they are.
fn shown(path: &Path) -> std::path::PathBuf {
    super::package::shown(path)
}

pub fn pointer_width(bits: u32) -> Result<u32, String> {
    match bits {
        16 | 32 | 64 => Ok(bits),
        _ => Err("pointers have 16, 32 or 64 bits".into()),
    }
}

/// `name` or `name="value"`, as for rustc.
pub fn cfg(text: &str) -> Result<(String, Option<String>), String> {
    let is_name = |name: &str| {
        let first = name.chars().next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (text.trim(), None),
    };
    let value = value.map(|value| value.strip_prefix('"').and_then(|value| value.strip_suffix('"')));
    match value {
        _ if !is_name(name) => Err(format!("`{text}` is no `name` and no `name=\"value\"`")),
        Some(None) => Err(format!("the value in `{text}` stands in quotes: `{name}=\"value\"`")),
        Some(Some(value)) => Ok((name.into(), Some(value.into()))),
        None => Ok((name.into(), None)),
    }
}
