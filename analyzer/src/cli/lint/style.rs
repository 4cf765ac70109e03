//! The form of the answer: ours, or the one that cargo, GitHub or a code scanner reads.

use super::super::arguments::{Format, LintArguments, MessageFormat};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Human,
    Short,
    /// rustc's diagnostics, a line each.
    Lines,
    Json,
    Sarif,
    Github,
}

impl Style {
    pub fn of(arguments: &LintArguments) -> Self {
        match (arguments.format, arguments.message_format) {
            (Some(Format::Json), _) => Self::Json,
            (Some(Format::Sarif), _) => Self::Sarif,
            (Some(Format::Github), _) => Self::Github,
            (_, Some(MessageFormat::Short)) => Self::Short,
            (_, Some(MessageFormat::Json)) => Self::Lines,
            _ => Self::Human,
        }
    }

    /// Whether people read along.
    pub fn is_for_people(self) -> bool {
        matches!(self, Self::Human | Self::Short)
    }
}

/// Under GitHub's runner annotations come by themselves, unless the call says what it wants.
pub fn annotates(arguments: &LintArguments) -> bool {
    let runs_there = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let says = arguments.format.is_some() || arguments.message_format.is_some();
    Style::of(arguments) == Style::Github || runs_there && !says
}
