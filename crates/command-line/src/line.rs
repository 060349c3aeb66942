//! Reads a command line on which words name a server.

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory as _, Parser as _};

use crate::{Cli, Command};

/// Marks a word that looks like an option but isn't one of ours, while the rest is parsed.
const SHIELD: char = '\u{1}';

impl Cli {
    /// Reads a command line. If its words name a server, words that look like options but aren't ours are
    /// part of that name: `mooring tools npx -y PACKAGE`.
    pub fn read(line: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut line: Vec<OsString> = line.into_iter().collect();
        shield(&mut line);
        let mut cli = Self::try_parse_from(line)?;
        for word in cli.command.words().into_iter().flatten() {
            if let Some(bare) = word.strip_prefix(SHIELD) {
                *word = bare.to_owned();
            }
        }
        Ok(cli)
    }
}

fn shield(line: &mut [OsString]) {
    let root = Cli::command();
    let Some(at) = line.iter().skip(1).position(|word| !starts_with_dash(word)) else { return };
    let verb = line[at + 1].to_str().and_then(|name| root.find_subcommand(name));
    let Some(verb) = verb.filter(|verb| verb.get_arguments().any(|argument| argument.get_id() == WORDS))
    else {
        return;
    };
    let known: Vec<&clap::Arg> = verb.get_arguments().chain(root.get_arguments()).collect();
    let mut is_value = false;
    for word in &mut line[at + 2..] {
        if *word == "--" {
            return;
        }
        let Some(text) = word.to_str().filter(|text| !is_value && starts_with_dash(text)) else {
            is_value = false;
            continue;
        };
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let option = known.iter().find(|argument| is_named(argument, name));
        let is_help = ["-h", "--help"].contains(&name);
        is_value = option.is_some_and(|option| option.get_action().takes_values() && value.is_none());
        if option.is_none() && !is_help {
            *word = format!("{SHIELD}{text}").into();
        }
    }
}

/// The positional argument that names a server.
pub(crate) const WORDS: &str = "words";

pub(crate) fn starts_with_dash(word: impl AsRef<OsStr>) -> bool {
    let bytes = word.as_ref().as_encoded_bytes();
    bytes.len() > 1 && bytes[0] == b'-'
}

pub(crate) fn is_named(argument: &clap::Arg, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument.get_short().is_some_and(|short| name.chars().nth(1) == Some(short)),
    }
}

impl Command {
    /// The words that name a server.
    fn words(&mut self) -> Option<&mut Vec<String>> {
        let target = match self {
            Self::Add(add) => return Some(&mut add.place.words),
            Self::Edit(edit) => return Some(&mut edit.place.words),
            Self::Doctor(args) => return Some(&mut args.words),
            Self::Probe(args) => &mut args.target,
            Self::Tools(args)
            | Self::Resources(args)
            | Self::Templates(args)
            | Self::Prompts(args)
            | Self::Skills(args) => &mut args.target,
            Self::Call(args) => &mut args.target,
            Self::Read(args) => &mut args.target,
            Self::Prompt(args) => &mut args.target,
            Self::Subscribe(args) => &mut args.target,
            Self::Shell(args) => &mut args.target,
            Self::Bench(args) => &mut args.target,
            _ => return None,
        };
        Some(&mut target.words)
    }
}
