//! `-W`, `-D` and `-A`: read in the order of the call, so that the last word counts as it does for rustc.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::lints::{Levels, Selector, Stance};
use crate::source::spelling::closest;

/// What the call says of lints, in its order.
#[derive(Clone, Debug, Default)]
pub struct LevelArguments {
    said: Vec<(Stance, Selector)>,
    /// What is undecided makes the call fail.
    pub denies_maybe: bool,
}

const OPTIONS: [(Stance, &str, char, &str); 3] = [
    (Stance::Warn, "warn", 'W', "Look for this lint or group; every failure is a warning at least"),
    (
        Stance::Deny,
        "deny",
        'D',
        "Look for this lint or group; every failure is an error. `maybe`: what is undecided fails, too",
    ),
    (Stance::Allow, "allow", 'A', "Do not look for this lint or group"),
];

/// What may stand behind an option.
#[derive(Clone, Copy, Debug)]
enum Word {
    Lints(Selector),
    Maybe,
}

impl LevelArguments {
    /// On top of what settings say.
    pub fn levels(&self) -> Levels {
        let mut levels = Levels::default();
        for (stance, selector) in &self.said {
            levels.set(*selector, *stance);
        }
        levels
    }
}

fn lints(name: &str) -> Result<Word, String> {
    Selector::from_name(name).map(Word::Lints).ok_or_else(|| unknown(name).join("; "))
}

fn denied(name: &str) -> Result<Word, String> {
    if name == "maybe" { Ok(Word::Maybe) } else { lints(name) }
}

/// What is wrong with a name, and what may have been meant.
pub fn unknown(name: &str) -> [String; 2] {
    let help = match closest(name, Selector::names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", Selector::names().collect::<Vec<_>>().join(", ")),
    };
    [format!("there is no lint `{name}`"), help]
}

impl FromArgMatches for LevelArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut said = Vec::new();
        let mut denies_maybe = false;
        for (stance, name, ..) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let words = matches.get_many::<Word>(name).into_iter().flatten();
            for (at, word) in places.zip(words) {
                match word {
                    Word::Lints(selector) => said.push((at, stance, *selector)),
                    Word::Maybe => denies_maybe = true,
                }
            }
        }
        said.sort_by_key(|(at, ..)| *at);
        let said = said.into_iter().map(|(_, stance, selector)| (stance, selector)).collect();
        Ok(Self { said, denies_maybe })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for LevelArguments {
    fn augment_args(command: Command) -> Command {
        OPTIONS.into_iter().fold(command, |command, (stance, name, short, help)| {
            let argument = Arg::new(name).short(short).long(name).value_name("LINT").help(help);
            let argument = argument.action(ArgAction::Append);
            command.arg(match stance {
                Stance::Deny => argument.value_parser(denied),
                _ => argument.value_parser(lints),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
