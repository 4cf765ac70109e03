//! What build scripts said when cargo ran them: the messages of `cargo check --message-format json`.
//!
//! Nothing is run here. Who gives the file says that it is from the build that is looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::config;
use crate::report::Remark;

/// By package and version.
#[derive(Clone, Debug, Default)]
pub struct Built {
    said: BTreeMap<(String, String), Option<Said>>,
}

/// What the script of one package said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Conditions that it set.
    pub cfg: Vec<(String, Option<String>)>,
    /// Where it put what it made.
    pub out_dir: PathBuf,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    cfgs: Vec<String>,
    #[serde(default)]
    out_dir: PathBuf,
}

impl Built {
    pub fn read(path: &Path) -> Result<Self, Remark> {
        let problem = |message: String| Remark::call(message, Some(HELP));
        let text = std::fs::read_to_string(path)
            .map_err(|error| problem(format!("cannot read `{}`: {error}", path.display())))?;
        let mut built = Self::default();
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let wrong = |what: &str| problem(format!("`{}`, line {number}: {what}", path.display()));
            let message: Message =
                serde_json::from_str(line).map_err(|_| wrong("this is not a message of cargo"))?;
            if message.reason != "build-script-executed" {
                continue;
            }
            let key = named(&message.package_id).ok_or_else(|| wrong("this names no package"))?;
            let cfg = message.cfgs.iter().map(|text| config::cfg(text)).collect::<Result<_, _>>();
            let cfg = cfg.map_err(|error| wrong(&format!("`cfgs`: {error}")))?;
            let said = Said { cfg, out_dir: message.out_dir };
            // Built for two targets, or in two ways: nobody knows which of them is looked at.
            let known = built.said.entry(key).or_insert_with(|| Some(said.clone()));
            if known.as_ref().is_some_and(|known| *known != said) {
                *known = None;
            }
        }
        match built.said.is_empty() && !text.contains("\"build-finished\"") {
            true => Err(problem(format!("`{}` holds no messages of cargo", path.display()))),
            false => Ok(built),
        }
    }

    pub fn said(&self, name: &str, version: &str) -> Option<&Said> {
        self.said.get(&(name.to_string(), version.to_string()))?.as_ref()
    }
}

const HELP: &str = "`cargo check --message-format json > FILE` writes one";

/// The name and the version at the end of an identifier: `…/folder#1.2.3` or `…#name@1.2.3`.
fn named(id: &str) -> Option<(String, String)> {
    let (source, last) = id.rsplit_once('#')?;
    let (name, version) = match last.split_once('@') {
        Some((name, version)) => (name, version),
        None => (source.trim_end_matches('/').rsplit('/').next()?, last),
    };
    Some((name.to_string(), version.to_string()))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn identifiers_end_with_name_and_version() {
        let pair = |name: &str, version: &str| Some((name.to_string(), version.to_string()));
        assert_eq!(named("registry+https://a.b/index#some-name@1.2.3"), pair("some-name", "1.2.3"));
        assert_eq!(named("path+file:///a/folder/thing#0.1.0"), pair("thing", "0.1.0"));
        assert_eq!(named("path+file:///a/folder#thing@0.1.0"), pair("thing", "0.1.0"));
        assert_eq!(named("thing 0.1.0"), None);
    }
}
