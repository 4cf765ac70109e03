//! `kleene init`: a file of settings that means the defaults, with a word on each.

use std::path::PathBuf;

use super::config::FILE;
use super::package::{self, Selection};
use super::{Caller, Exit};

const TEMPLATE: &str = include_str!("init/kleene.toml.txt");

/// Writes the file, unless there is one.
pub fn init(caller: Caller) -> Exit {
    let folder = match caller {
        Caller::Kleene => PathBuf::new(),
        // Settings of a workspace stand at its root.
        Caller::Cargo => match package::workspace_root(&Selection::default()) {
            Ok(root) => package::shown(&root),
            Err(remarks) => {
                remarks.iter().for_each(|remark| eprintln!("error: {}", remark.diagnostic.message));
                return Exit::Misuse;
            }
        },
    };
    let path = folder.join(FILE);
    let mut options = std::fs::OpenOptions::new();
    let written = options
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, TEMPLATE.as_bytes()));
    match written {
        Ok(()) => {
            println!("wrote {}", path.display());
            Exit::Fine
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            eprintln!("error: {}: there is such a file already; it was left as it is", path.display());
            Exit::Misuse
        }
        Err(error) => {
            eprintln!("error: {}: {error}", path.display());
            Exit::Misuse
        }
    }
}
