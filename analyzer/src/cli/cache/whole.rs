//! The results of a whole target, with all that was read for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::Exit;
use super::super::arguments::LintArguments;
use super::super::files::{Asked, Modules};
use super::super::lint::{Input, Linted, Opaque};
use crate::frontend::ModuleText;
use crate::lints::{Digest, Reuse, Usage};
use crate::report::{Entry, FileReport};
use crate::source::SourceFile;
use crate::source::stored::{Reader, Stored, Writer};

/// Everything that is said about a target and its analysis, but for the texts. `LintArguments` has more, which only
/// decides what is shown, or how much time there is: what that cuts short is not kept.
pub fn key(input: &Input, arguments: &LintArguments, identity: &Digest) -> Digest {
    let Input { path, arithmetic, config, unit, .. } = input;
    let LintArguments { entries, lang, ints, level, domain, timeout, solver, .. } = arguments;
    let mut hasher = blake3::Hasher::new();
    hasher.update(identity);
    hasher.update(format!("{path:?} {arithmetic:?} {config:?} {unit:?}").as_bytes());
    let said = format!("{entries:?} {lang:?} {ints:?} {level:?} {domain:?} {timeout:?} {solver:?}");
    hasher.update(said.as_bytes());
    *hasher.finalize().as_bytes()
}

/// The text of the root, and what every other file was asked for and held, those of other packages marked.
type Read = (String, Vec<(String, String)>);
const DEPENDENCY: &str = "dependency ";
type Results = ((Vec<Entry>, Opaque), (Vec<Usage>, usize));

/// `None` where the results are not those of a finished analysis.
pub fn written(key: &Digest, linted: &Linted, modules: &Modules) -> Option<Vec<u8>> {
    let Linted { report, opaque, usages, exit, analysed, reuse, skipped: _ } = linted;
    if *exit != Exit::Fine || !analysed || !report.remarks.is_empty() {
        return None;
    }
    let asked = modules.asked().into_iter();
    let asked: Option<Vec<(String, String)>> =
        asked.map(|(asked, text)| Some((named(&asked)?, told(&text)))).collect();
    let mut head = Writer::new(None);
    (digest(&report.source), asked?).write(&mut head);
    let head = head.finish()?;
    let mut body = Writer::new(None);
    report.entries.write(&mut body);
    opaque.write(&mut body);
    usages.write(&mut body);
    reuse.map_or(0, |reuse| reuse.made + reuse.reused).write(&mut body);
    let mut bytes = key.to_vec();
    bytes.extend((head.len() as u64).to_le_bytes());
    bytes.extend(head);
    bytes.extend(body.finish()?);
    Some(bytes)
}

/// The results, if every file still answers the same.
pub fn read(
    bytes: &[u8],
    key: &Digest,
    path: &Path,
    source: &Arc<SourceFile>,
    input: &Input,
) -> Option<Linted> {
    let (own, rest) = bytes.split_first_chunk::<32>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (head, body) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let (root, asked): Read = Reader::new(head, None).whole()?;
    let modules = Modules::of(path, source);
    let same = |(name, before): &(String, String)| told(&modules.answer(&asked_by(name))) == *before;
    if own != key || root != digest(source) || !asked.iter().all(same) {
        return None;
    }
    let ((entries, opaque), (usages, answers)): Results = Reader::new(body, None).whole()?;
    let (name, unit) = (path.display().to_string(), input.unit.clone());
    let report = FileReport { name, source: modules.joined(), entries, remarks: Vec::new(), unit };
    let reuse = Some(Reuse { reused: answers, made: 0 });
    Some(Linted { report, opaque, usages, exit: Exit::Fine, analysed: true, reuse, skipped: None })
}

fn named(asked: &Asked) -> Option<String> {
    Some(match asked {
        Asked::Module(path) => format!("module {}", path.to_str()?),
        Asked::Dependency(path) => format!("{DEPENDENCY}{}", path.to_str()?),
    })
}

fn asked_by(name: &str) -> Asked {
    match name.strip_prefix(DEPENDENCY) {
        Some(path) => Asked::Dependency(PathBuf::from(path)),
        None => Asked::Module(PathBuf::from(name.strip_prefix("module ").unwrap_or(name))),
    }
}

/// What a question for a file was answered.
fn told(text: &ModuleText) -> String {
    match text {
        ModuleText::Found(file) => format!("found {} {:?} {}", file.id.0, file.name, digest(file)),
        ModuleText::Missing => "missing".into(),
        ModuleText::Unreadable(why) => format!("unreadable {why}"),
    }
}

fn digest(file: &SourceFile) -> String {
    blake3::hash(file.text.as_bytes()).to_hex().to_string()
}
