//! Explains in our own words what is wrong with a command line, with a line that helps.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Error};
use mooring_typed::nearest;

use crate::Cli;

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub message: String,
    pub next: String,
}

/// Explains what is wrong with the words that follow `mooring`.
pub fn mistake(error: &Error, line: &[String]) -> Mistake {
    let command = command_in(line);
    let help = format!("See {command} --help.");
    let argument = argument(error).unwrap_or_default();
    let value = text(error, ContextKind::InvalidValue);
    let said = |message: String, next: Option<String>| Mistake {
        message,
        next: next.unwrap_or_else(|| help.clone()),
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let next = likely_command(&command, &word)
                .map(|meant| format!("Did you mean {meant}? {command} {meant}"));
            let all = "See all commands: mooring help".to_owned();
            said(format!("{command} has no command {word}"), Some(next.unwrap_or(all)))
        }
        ErrorKind::UnknownArgument => {
            let near = text(error, ContextKind::SuggestedArg).map(|near| format!("Did you mean {near}?"));
            if argument.starts_with('-') {
                said(format!("{command} has no option {argument}"), near)
            } else {
                said(format!("{command} takes nothing more: {argument}"), near)
            }
        }
        ErrorKind::MissingRequiredArgument => said(format!("{command} needs {argument}"), usage(error)),
        ErrorKind::MissingSubcommand => said(format!("{command} needs a command"), None),
        ErrorKind::InvalidValue if value.as_deref().is_none_or(str::is_empty) => {
            said(format!("{argument} needs a value"), values(error))
        }
        ErrorKind::InvalidValue => {
            let value = value.unwrap_or_default();
            let near = text(error, ContextKind::SuggestedValue).map(|near| format!("Did you mean {near}?"));
            said(format!("{argument} doesn’t take {value}"), near.or_else(|| values(error)))
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            said(format!("{argument} doesn’t take {}: {why}", value.unwrap_or_default()), None)
        }
        ErrorKind::ArgumentConflict => match text(error, ContextKind::PriorArg) {
            Some(other) if name(&other) == argument => {
                said(format!("{argument} can be given once only"), None)
            }
            Some(other) => said(format!("{argument} and {} can’t be used together", name(&other)), None),
            None => said(format!("{argument} can’t be used with what else was given"), None),
        },
        ErrorKind::NoEquals | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            said(format!("{argument} needs a value"), None)
        }
        ErrorKind::TooManyValues => {
            let value = value.unwrap_or_default();
            let takes_arguments = ["mooring call", "mooring prompt", "mooring read"].contains(&&*command);
            let bare = argument.trim_start_matches('-');
            let next = format!("An argument of the server is written without dashes: {bare}={value}");
            said(format!("{argument} takes no value: {value}"), takes_arguments.then_some(next))
        }
        ErrorKind::InvalidUtf8 => said("a word of the line isn’t text".to_owned(), None),
        _ => said(first_line(&error.to_string()), None),
    }
}

/// Words that other programs use for our commands.
const OTHER_WORDS: [(&str, &str); 38] = [
    ("approve", "trust"),
    ("auth", "login"),
    ("cat", "read"),
    ("config", "set"),
    ("configure", "set"),
    ("create", "add"),
    ("daemon", "serve"),
    ("del", "remove"),
    ("delete", "remove"),
    ("describe", "tools"),
    ("exec", "call"),
    ("find", "search"),
    ("get", "read"),
    ("grep", "search"),
    ("history", "logs"),
    ("info", "probe"),
    ("inspect", "probe"),
    ("install", "add"),
    ("interactive", "shell"),
    ("invoke", "call"),
    ("man", "help"),
    ("new", "add"),
    ("ps", "list"),
    ("repl", "shell"),
    ("run", "call"),
    ("servers", "list"),
    ("show", "list"),
    ("signin", "login"),
    ("signout", "logout"),
    ("start", "enable"),
    ("status", "list"),
    ("stop", "disable"),
    ("tail", "logs"),
    ("uninstall", "remove"),
    ("update", "edit"),
    ("use", "shell"),
    ("watch", "subscribe"),
    ("whoami", "accounts"),
];

/// The command that a word probably means.
fn likely_command(command: &str, word: &str) -> Option<String> {
    let other = OTHER_WORDS.iter().find(|(other, _)| command == "mooring" && *other == word);
    if let Some((_, ours)) = other {
        return Some((*ours).to_owned());
    }
    let root = Cli::command();
    let at = command.split(' ').skip(1).try_fold(&root, |at, word| at.find_subcommand(word))?;
    let names: Vec<&str> =
        at.get_subcommands().flat_map(clap::Command::get_name_and_visible_aliases).collect();
    nearest(word, names).map(str::to_owned)
}

/// The full name of the command in a line, such as `mooring apps set`.
fn command_in(line: &[String]) -> String {
    let mut words = vec!["mooring".to_owned()];
    let root = Cli::command();
    let mut at = &root;
    for word in line.iter().filter(|word| !word.starts_with('-')) {
        let Some(command) = at.find_subcommand(word) else { break };
        words.push(word.clone());
        at = command;
    }
    words.join(" ")
}

/// The argument that an error is about: an option without its value's name, or a value's name.
fn argument(error: &Error) -> Option<String> {
    let named = match error.get(ContextKind::InvalidArg)? {
        ContextValue::Strings(several) => {
            several.iter().map(|one| name(one)).collect::<Vec<_>>().join(" and ")
        }
        _ => name(&text(error, ContextKind::InvalidArg)?),
    };
    Some(named)
}

fn name(argument: &str) -> String {
    let option = argument.split([' ', '=']).next().unwrap_or(argument);
    if option.starts_with('-') {
        return option.to_owned();
    }
    argument.trim_end_matches("...").trim_matches(['<', '>', '[', ']']).to_owned()
}

/// The possible values, if there are only a few.
fn values(error: &Error) -> Option<String> {
    match error.get(ContextKind::ValidValue)? {
        ContextValue::Strings(values) if !values.is_empty() => {
            Some(format!("It takes {}.", values.join(", ")))
        }
        _ => None,
    }
}

/// The usage line of the command.
fn usage(error: &Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let line = usage.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(format!("Write: {}", line.trim_start_matches("Usage: ")))
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_what_helps() {
        for (line, message, next) in [
            ("tols demo", "mooring has no command tols", "Did you mean tools? mooring tools"),
            ("zzz", "mooring has no command zzz", "See all commands: mooring help"),
            ("log", "mooring has no command log", "Did you mean logs? mooring logs"),
            ("status", "mooring has no command status", "Did you mean list? mooring list"),
            (
                "call demo echo --text=hi",
                "--text takes no value: hi",
                "An argument of the server is written without dashes: text=hi",
            ),
            ("apps sett", "mooring apps has no command sett", "Did you mean set? mooring apps set"),
            ("restore 1 --yes", "mooring restore has no option --yes", "See mooring restore --help."),
            ("logs --limi 3", "mooring logs has no option --limi", "Did you mean --limit?"),
            ("version more", "mooring version takes nothing more: more", "See mooring version --help."),
            ("rename a", "mooring rename needs NEW_NAME", "Write: mooring rename <NAME> <NEW_NAME>"),
            ("tools demo --era old", "--era doesn’t take old", "It takes auto, modern, session, sse."),
            ("tools demo --era modrn", "--era doesn’t take modrn", "Did you mean modern?"),
            ("tools demo --era", "--era needs a value", "It takes auto, modern, session, sse."),
            (
                "tools demo --timeout soon",
                "--timeout doesn’t take soon: a number of seconds is required",
                "See mooring tools --help.",
            ),
            (
                "call demo echo --text --structured",
                "--text and --structured can’t be used together",
                "See mooring call --help.",
            ),
            (
                "call demo echo --timeout 1 --timeout 2",
                "--timeout can be given once only",
                "See mooring call --help.",
            ),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let read =
                Cli::read(std::iter::once("mooring".to_owned()).chain(words.clone()).map(OsString::from));
            let found = mistake(&read.unwrap_err(), &words);
            assert_eq!((found.message.as_str(), found.next.as_str()), (message, next), "{line}");
        }
    }

    #[test]
    fn the_words_of_others_lead_to_a_command_of_ours() {
        let root = Cli::command();
        for (other, ours) in OTHER_WORDS {
            assert!(root.find_subcommand(other).is_none(), "{other} is one of ours");
            assert!(root.find_subcommand(ours).is_some(), "{ours}");
        }
    }
}
