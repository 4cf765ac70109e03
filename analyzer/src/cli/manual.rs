//! Completions and manual pages, made of the same description as the command line itself.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::arguments::Arguments;
use super::{Caller, Exit};

pub fn completions(shell: Shell, caller: Caller) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), program(caller), &mut text);
    let _ = io::stdout().lock().write_all(&text);
    Exit::Fine
}

/// `cargo kleene` is a program of its own name.
fn program(caller: Caller) -> &'static str {
    match caller {
        Caller::Kleene => "kleene",
        Caller::Cargo => "cargo-kleene",
    }
}

/// The page of the whole program, or a page for every command in a folder.
pub fn man(out: Option<&Path>) -> Exit {
    let command = Arguments::command();
    let Some(folder) = out else {
        let mut page = Vec::new();
        return match clap_mangen::Man::new(command).render(&mut page) {
            Ok(()) => {
                let _ = io::stdout().lock().write_all(&page);
                Exit::Fine
            }
            Err(error) => complain(&error.to_string()),
        };
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    match written {
        Ok(()) => Exit::Fine,
        Err(error) => complain(&format!("{}: {error}", folder.display())),
    }
}

fn complain(message: &str) -> Exit {
    eprintln!("error: {message}");
    Exit::Misuse
}
