//! Completions for shells: commands and options from their definitions; names of servers, tools, arguments
//! and apps from [`KnownNames`].

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use clap::{Command, CommandFactory as _, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, ValueCompleter};
use clap_complete::env::Shells;

use crate::Cli;
use crate::line::{WORDS, is_named, starts_with_dash};

/// The variable with which a shell asks for completions.
pub const COMPLETE: &str = "COMPLETE";

/// The shells for which there is a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell", alias = "pwsh")]
    PowerShell,
    Elvish,
}

/// A completion and its description.
#[derive(Debug, Clone, Default)]
pub struct Suggestion {
    pub value: String,
    pub about: String,
    /// The values that can follow it.
    pub values: Vec<String>,
}

/// The names of what has been saved and of what servers offered last.
pub trait KnownNames: Send + Sync {
    /// The saved servers.
    fn servers(&self) -> Vec<Suggestion>;
    /// The apps.
    fn apps(&self) -> Vec<Suggestion>;
    /// The items of a server that a command takes.
    fn items(&self, verb: &str, server: &str) -> Vec<Suggestion>;
    /// The arguments that an item takes, with their possible values if they are known.
    fn arguments(&self, verb: &str, server: &str, item: &str) -> Vec<Suggestion>;
    /// Values that the server itself suggests. This needs a connection to the server.
    fn proposed(&self, _wanted: &WantedValue<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// The argument whose values are wanted.
#[derive(Debug)]
pub struct WantedValue<'a> {
    pub verb: &'a str,
    pub server: &'a str,
    pub item: &'a str,
    pub argument: &'a str,
    /// The beginning of the value.
    pub begun: &'a str,
    /// The arguments before it.
    pub given: &'a [String],
}

/// Answers a shell that asks for completions. Returns `false` if none asks.
pub fn complete(known: &Arc<dyn KnownNames>) -> Result<bool, clap::Error> {
    let (line, index) = (std::env::args_os(), index_of_word());
    let line = typed_line(line.skip_while(|word| word != "--").skip(1), index);
    let command = || with_names(Cli::command(), known, &line);
    CompleteEnv::with_factory(command).var(COMPLETE).try_complete(std::env::args_os(), None)
}

/// Completions of the last of these words. The first word is the command's name.
pub fn candidates_for(words: Vec<String>, known: &Arc<dyn KnownNames>) -> Vec<Suggestion> {
    let line = Arc::new(words);
    let words: Vec<OsString> = std::iter::once("mooring".into()).chain(line.iter().map(Into::into)).collect();
    let index = words.len() - 1;
    let mut command = with_names(Cli::command(), known, &line);
    let found = match clap_complete::engine::complete(&mut command, words, index, None) {
        Ok(found) => found,
        Err(_no_file) => return Vec::new(),
    };
    let suggestion = |found: CompletionCandidate| Suggestion {
        value: found.get_value().to_string_lossy().into_owned(),
        about: found.get_help().map(ToString::to_string).unwrap_or_default(),
        values: Vec::new(),
    };
    found.into_iter().filter(|found| !found.is_hide_set()).map(suggestion).collect()
}

/// The script that makes a shell ask for completions. `program` is what the script runs.
pub fn script(shell: Shell, program: &str) -> io::Result<Vec<u8>> {
    let name = shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&name) {
        shell.write_registration(COMPLETE, "mooring", "mooring", program, &mut script)?;
    }
    Ok(script)
}

/// The kind of names that an argument takes.
#[derive(Clone, Copy)]
enum NamesOf {
    Servers,
    Apps,
    /// A server, one of its items, and the item's arguments.
    Line,
}

fn names_of(verb: &str, argument: &str) -> Option<NamesOf> {
    match argument {
        "server" | "of" => Some(NamesOf::Servers),
        "name" if verb != "add" => Some(NamesOf::Servers),
        "app" => Some(NamesOf::Apps),
        WORDS if verb != "add" && verb != "edit" => Some(NamesOf::Line),
        _ => None,
    }
}

/// The words that follow `mooring`. The last one is incomplete.
type TypedLine = Arc<Vec<String>>;

fn with_names(mut command: Command, known: &Arc<dyn KnownNames>, line: &TypedLine) -> Command {
    let verb = command.get_name().to_owned();
    // Includes every argument, because changing one moves it behind the others.
    let arguments: Vec<_> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in arguments {
        let names = names_of(&verb, id.as_str());
        command = command.mut_arg(id, |argument| match names {
            Some(of) => {
                let (known, line) = (Arc::clone(known), Arc::clone(line));
                argument.add(ArgValueCompleter::new(Names { of, known, line }))
            }
            None => argument,
        });
    }
    let verbs: Vec<_> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs
        .into_iter()
        .fold(command, |command, verb| command.mut_subcommand(verb, |verb| with_names(verb, known, line)))
}

struct Names {
    of: NamesOf,
    known: Arc<dyn KnownNames>,
    line: TypedLine,
}

impl ValueCompleter for Names {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else { return Vec::new() };
        let suggestions = match self.of {
            NamesOf::Servers => self.known.servers(),
            NamesOf::Apps => self.known.apps(),
            NamesOf::Line => return self.in_line(current),
        };
        candidates(suggestions, current)
    }
}

impl Names {
    fn in_line(&self, current: &str) -> Vec<CompletionCandidate> {
        let Some((verb, words)) = split_command_words(&self.line) else { return Vec::new() };
        let suggestions = match &*words {
            [] => self.known.servers(),
            [server] => self.known.items(&verb, server),
            [server, item, given @ ..] => {
                let proposed = |argument: &str, begun: &str| {
                    let (verb, given) = (&*verb, given);
                    self.known.proposed(&WantedValue { verb, server, item, argument, begun, given })
                };
                return of_arguments(self.known.arguments(&verb, server, item), proposed, given, current);
            }
        };
        candidates(suggestions, current)
    }
}

/// Completions of a tool's or prompt's argument: names that aren't given yet, or values for the name that is
/// typed.
fn of_arguments(
    known: Vec<Suggestion>,
    proposed: impl Fn(&str, &str) -> Vec<String>,
    given: &[String],
    current: &str,
) -> Vec<CompletionCandidate> {
    // Some shells split a word at `=`.
    let is_known = |name: &str| known.iter().any(|argument| argument.value == name);
    let (name, value) = match (current.split_once('='), given) {
        (Some((name, value)), _) if !name.is_empty() => (Some(name.to_owned()), value),
        (_, [.., name, sign]) if sign == "=" => (Some(name.clone()), current),
        (_, [.., name]) if ["", "="].contains(&current) && is_known(name) => (Some(name.clone()), ""),
        _ => (None, current),
    };
    let Some(name) = name else {
        let is_given = |argument: &Suggestion| {
            given.iter().any(|word| word.split('=').next() == Some(argument.value.as_str()))
        };
        let left = known.into_iter().filter(|argument| !is_given(argument));
        return candidates(
            left.map(|argument| Suggestion { value: format!("{}=", argument.value), ..argument }),
            current,
        );
    };
    let values = known.into_iter().find(|argument| argument.value == name).map(|argument| argument.values);
    let prefix = if current.len() > 1 && current.contains('=') { format!("{name}=") } else { String::new() };
    let values = match values.unwrap_or_default() {
        none if none.is_empty() => proposed(&name, value),
        values => values.into_iter().filter(|known| known.starts_with(value)).collect(),
    };
    let values = values.into_iter();
    values.map(|value| CompletionCandidate::new(format!("{prefix}{value}"))).collect()
}

fn candidates(suggestions: impl IntoIterator<Item = Suggestion>, current: &str) -> Vec<CompletionCandidate> {
    let fitting = suggestions.into_iter().filter(|suggestion| suggestion.value.starts_with(current));
    let candidate = |Suggestion { value, about, .. }: Suggestion| {
        let about = Some(about).filter(|about| !about.is_empty());
        CompletionCandidate::new(value).help(about.map(Into::into))
    };
    fitting.map(candidate).collect()
}

/// The index of the word to complete, if the shell passes it. Other shells pass no words behind it.
fn index_of_word() -> Option<usize> {
    std::env::var("_CLAP_COMPLETE_INDEX").ok()?.parse().ok()
}

/// The words that follow `mooring`, up to the one to complete.
fn typed_line(line: impl IntoIterator<Item = OsString>, index: Option<usize>) -> TypedLine {
    let words: Vec<String> = line.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let end = index.map_or(words.len(), |index| index + 1).min(words.len());
    Arc::new(words.into_iter().take(end).skip(1).collect())
}

/// The command and the words between it and the one to complete, without options.
fn split_command_words(words: &[String]) -> Option<(String, Vec<String>)> {
    let (_begun, before) = words.split_last()?;
    let root = Cli::command();
    let at = before.iter().position(|word| !starts_with_dash(word))?;
    let verb = root.find_subcommand(before.get(at)?)?;
    let mut words = Vec::new();
    let mut is_value = false;
    for word in before.get(at + 1..)? {
        let (name, value) = word.split_once('=').map_or((&**word, None), |(name, value)| (name, Some(value)));
        if std::mem::take(&mut is_value) {
            continue;
        }
        if starts_with_dash(word) {
            let mut known = verb.get_arguments().chain(root.get_arguments());
            let option = known.find(|argument| is_named(argument, name));
            is_value = option.is_some_and(|option| option.get_action().takes_values()) && value.is_none();
        } else {
            words.push(word.clone());
        }
    }
    Some((verb.get_name().to_owned(), words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str, index: Option<usize>) -> Option<(String, Vec<String>)> {
        split_command_words(&typed_line(words.split(' ').map(OsString::from), index))
    }

    #[test]
    fn words_before_the_one_that_is_typed_are_told_from_options() {
        let expect = |verb: &str, words: &[&str]| {
            Some((verb.to_owned(), words.iter().map(|word| (*word).to_owned()).collect()))
        };
        assert_eq!(line("mooring tools ", None), expect("tools", &[]));
        assert_eq!(line("mooring call --json demo --timeout 3 ec", None), expect("call", &["demo"]));
        assert_eq!(
            line("mooring call demo --era=modern echo te more", Some(5)),
            expect("call", &["demo", "echo"])
        );
        assert_eq!(line("mooring nothing a", None), None);
        assert_eq!(line("mooring", None), None);
    }

    #[test]
    fn arguments_are_proposed_once_and_then_their_values() {
        let known = || {
            let argument = |value: &str, values: &[&str]| Suggestion {
                value: value.to_owned(),
                values: values.iter().map(|value| (*value).to_owned()).collect(),
                ..Suggestion::default()
            };
            vec![argument("kind", &["small", "large"]), argument("text", &[])]
        };
        let typed = |given: &[&str], current: &str| -> Vec<String> {
            let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
            let proposed = |argument: &str, begun: &str| match argument {
                "text" => vec![format!("{begun}!")],
                _ => Vec::new(),
            };
            let found = of_arguments(known(), proposed, &given, current);
            found.iter().map(|found| found.get_value().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(typed(&[], ""), ["kind=", "text="]);
        assert_eq!(typed(&["text=a"], ""), ["kind="]);
        assert_eq!(typed(&[], "kind=l"), ["kind=large"]);
        assert_eq!(typed(&["kind"], "="), ["small", "large"]);
        assert_eq!(typed(&["kind"], ""), ["small", "large"]);
        assert_eq!(typed(&["kind", "="], "s"), ["small"]);
        assert_eq!(typed(&[], "text=a"), ["text=a!"], "what nobody knows is asked of the server");
    }

    #[test]
    fn every_shell_has_a_script() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell, "mooring").unwrap()).unwrap();
            assert!(script.contains("mooring") && script.contains(COMPLETE), "{shell:?}");
        }
    }
}
