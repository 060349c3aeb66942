//! The values that imported servers ask for: from options, or from the person at a terminal.

use std::collections::BTreeSet;

use mooring_definitions::import::{ImportEntry, ImportInput, ImportValue};
use secrecy::SecretString;

use crate::CommandContext;
use crate::fault::{Exit, Fault};
use crate::input::read_line;
use crate::output::{Output, escape_line, quote};
use crate::secret_input::{self, NamedSecret, SecretSource};

/// Reads the values of `--value` and `--secret-value`. Each goes to every one of these entries that asks for it.
pub(super) async fn read_options(
    session: &CommandContext,
    entries: &[&ImportEntry],
    values: &[String],
    secrets: &[String],
) -> Result<Vec<ImportValue>, Fault> {
    let mut read = Vec::new();
    for text in values {
        // A name can contain an equals sign.
        let is_named = |key: &str| text.strip_prefix(key).is_some_and(|rest| rest.starts_with('='));
        let keys = inputs_of(entries).map(|(_, input)| input.key.as_str()).filter(|key| is_named(key));
        let (name, value) = match keys.max_by_key(|key| key.len()) {
            Some(key) => (key, text.get(key.len() + 1..).unwrap_or_default()),
            None => text.split_once('=').ok_or_else(|| {
                Fault::usage(format!("a value requires a name: {text}")).next("--value NAME=VALUE")
            })?,
        };
        // Every program on the machine can read the command line.
        if inputs_of(entries).any(|(_, input)| input.key == name && input.secret) {
            let next = format!("Use {}.", secret_option(name));
            return Err(Fault::usage(format!("don’t put a secret on the command line: {name}")).next(next));
        }
        add_value(&mut read, entries, name, &value.into())?;
    }
    let named = secrets.iter().map(|text| NamedSecret::read(text)).collect::<Result<Vec<_>, _>>()?;
    if named.iter().filter(|named| named.source == SecretSource::Stdin).count() > 1 {
        return Err(Fault::usage("standard input can hold one secret only"));
    }
    for NamedSecret { name, source } in named {
        let value = secret_input::read(session, source, format!("Value of {}", escape_line(&name))).await?;
        add_value(&mut read, entries, &name, &value)?;
    }
    Ok(read)
}

/// Adds a value for each entry that asks for it.
fn add_value(
    read: &mut Vec<ImportValue>,
    entries: &[&ImportEntry],
    name: &str,
    value: &SecretString,
) -> Result<(), Fault> {
    if read.iter().any(|known| known.key == name) {
        return Err(Fault::usage(format!("{name} has two values")));
    }
    let before = read.len();
    let asking = inputs_of(entries).filter(|(_, input)| input.key == name);
    read.extend(asking.map(|(entry, input)| ImportValue {
        entry: entry.name.clone(),
        key: input.key.clone(),
        value: Some(value.clone()),
    }));
    if read.len() > before {
        return Ok(());
    }
    let known: BTreeSet<&str> = inputs_of(entries).map(|(_, input)| input.key.as_str()).collect();
    let known = known.into_iter().collect::<Vec<_>>().join(", ");
    let next =
        if known.is_empty() { "It asks for no values.".to_owned() } else { format!("It asks for: {known}") };
    Err(Fault::usage(format!("no value of this name is asked for: {name}")).next(next))
}

/// Whether the server can be saved with these values.
pub(super) fn has_required(entry: &ImportEntry, values: &[ImportValue]) -> bool {
    missing_inputs(entry, values).all(|input| !is_needed(input))
}

/// Asks for the values that are missing, if there is a terminal to ask on. Else fails if a server can't be saved
/// without one.
pub(super) async fn ask_for_rest(
    session: &CommandContext,
    entries: &[&ImportEntry],
    values: &mut Vec<ImportValue>,
) -> Result<(), Fault> {
    if session.output.json || !secret_input::can_ask() {
        return require_all(entries, values);
    }
    for entry in entries {
        let asked: Vec<&ImportInput> = missing_inputs(entry, values).collect();
        for input in asked {
            if let Some(value) = ask_for(session, entry, input).await? {
                values.push(value);
            }
        }
    }
    require_all(entries, values)
}

/// As [`ask_for_rest`], without asking for values that are not needed.
pub(super) async fn ask_for_needed(
    session: &CommandContext,
    entry: &ImportEntry,
    values: &mut Vec<ImportValue>,
) -> Result<(), Fault> {
    let mut needed = entry.clone();
    needed.inputs.retain(is_needed);
    ask_for_rest(session, &[&needed], values).await
}

/// Fails if a server can't be saved without a value. The error names all of them.
fn require_all(entries: &[&ImportEntry], values: &[ImportValue]) -> Result<(), Fault> {
    let mut missing = Vec::new();
    for entry in entries {
        let inputs = missing_inputs(entry, values).filter(|input| is_needed(input));
        missing.extend(inputs.map(|input| (entry, input)));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = missing
        .iter()
        .map(|(entry, input)| match &input.description {
            Some(about) => format!("{}: {} ({about})", entry.name, input.key),
            None => format!("{}: {}", entry.name, input.key),
        })
        .collect();
    let options: BTreeSet<String> = missing.iter().map(|(_, input)| option_for(input)).collect();
    let options = options.into_iter().collect::<Vec<_>>().join(" ");
    let fault =
        Fault::new(Exit::Usage, "values_missing", format!("values are missing: {}", named.join("; ")));
    Err(fault.next(format!("Add them: {options}")))
}

/// The option that gives an input its value.
pub(super) fn option_for(input: &ImportInput) -> String {
    if input.secret { secret_option(&input.key) } else { format!("--value {}=VALUE", quote(&input.key)) }
}

fn secret_option(name: &str) -> String {
    format!("--secret-value {}=@FILE", quote(name))
}

/// Asks for one value until it is valid. Without an answer its default counts, or it is left out.
async fn ask_for(
    session: &CommandContext,
    entry: &ImportEntry,
    input: &ImportInput,
) -> Result<Option<ImportValue>, Fault> {
    let output = session.output;
    if let Some(about) = &input.description {
        output.note(&escape_line(about));
    }
    loop {
        let what = format!("{} of {}{}", escape_line(&input.key), escape_line(&entry.name), hint(input));
        let typed = if input.secret {
            match secret_input::read(session, SecretSource::Terminal, what).await {
                Ok(value) => Some(value),
                Err(fault) if fault.exit == Exit::Interrupted => return Err(fault),
                // Nothing was entered.
                Err(_) => None,
            }
        } else {
            read_visible(session, output, &what).await?
        };
        let Some(typed) = typed else { return Ok(None) };
        let value = ImportValue { entry: entry.name.clone(), key: input.key.clone(), value: Some(typed) };
        match entry.check_value(&value) {
            None => return Ok(Some(value)),
            Some(problem) => output.note(&escape_line(&problem.to_string())),
        }
    }
}

/// A line that the person types. `None` if it is empty, or if the input ended.
async fn read_visible(
    session: &CommandContext,
    output: Output,
    what: &str,
) -> Result<Option<SecretString>, Fault> {
    output.note(&format!("{what}:"));
    let line = session.interrupt.guard(read_line()).await?;
    let line = line.map(|line| line.trim_end_matches(['\r', '\n']).to_owned());
    Ok(line.filter(|line| !line.trim().is_empty()).map(SecretString::from))
}

/// What can be entered, and what an empty line means.
fn hint(input: &ImportInput) -> String {
    let choices = input.choices.join(", ");
    let offered = match (&input.default, &input.example) {
        _ if !choices.is_empty() => Some(format!("one of: {choices}")),
        (None, Some(example)) => Some(format!("such as {example}")),
        _ => None,
    };
    let empty = match &input.default {
        Some(default) => Some(format!("empty: {default}")),
        None if input.required => None,
        None => Some("empty: later".to_owned()),
    };
    let parts: Vec<String> = offered.into_iter().chain(empty).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", escape_line(&parts.join("; "))) }
}

/// Whether the server can't be saved without the person's value.
pub(super) fn is_needed(input: &ImportInput) -> bool {
    input.required && input.default.is_none()
}

/// The inputs of an entry without a value.
fn missing_inputs<'a>(
    entry: &'a ImportEntry,
    values: &[ImportValue],
) -> impl Iterator<Item = &'a ImportInput> {
    let has =
        |input: &ImportInput| values.iter().any(|value| value.entry == entry.name && value.key == input.key);
    let missing: Vec<&ImportInput> = entry.inputs.iter().filter(|input| !has(input)).collect();
    missing.into_iter()
}

fn inputs_of<'a>(entries: &[&'a ImportEntry]) -> impl Iterator<Item = (&'a ImportEntry, &'a ImportInput)> {
    let inputs = |entry: &&'a ImportEntry| {
        let entry: &'a ImportEntry = entry;
        entry.inputs.iter().map(move |input| (entry, input))
    };
    entries.iter().flat_map(inputs).collect::<Vec<_>>().into_iter()
}
