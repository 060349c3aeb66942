//! An entry as text to copy, for apps that are not in the table or whose file can't be edited.

use mooring_app_key::VARIABLE;

use crate::app::App;
use crate::document::Document;
use crate::entry::{Entry, EntryForm};
use crate::error::Error;
use crate::format::{Format, Place, ServersPath};
use crate::value::Value;

impl App {
    /// The entry as it would be in an empty file of this app.
    pub fn snippet(&self, entry: &Entry) -> Result<String, Error> {
        let section = self.section(&Value::Null);
        build_file(self.format, &section.path(), section.form, entry)
    }
}

/// The entry as JSON, in the form that most apps have.
pub fn json_snippet(entry: &Entry) -> Result<String, Error> {
    build_file(Format::Json, &to_servers_path("mcpServers"), EntryForm::Plain, entry)
}

/// The entry as TOML, in Codex's form.
pub fn toml_snippet(entry: &Entry) -> Result<String, Error> {
    build_file(Format::Toml, &to_servers_path("mcp_servers"), EntryForm::Plain, entry)
}

/// The entry as YAML, in a map by name.
pub fn yaml_snippet(entry: &Entry) -> Result<String, Error> {
    build_file(Format::Yaml, &to_servers_path("mcpServers"), EntryForm::Plain, entry)
}

/// The command line that starts the server, for a shell of this system. A key is set as a variable, which
/// does not appear in the process's arguments.
pub fn command_line(entry: &Entry) -> String {
    let words = [&entry.command].into_iter().chain(&entry.args);
    let line = words.map(|word| quote_word(word)).collect::<Vec<_>>().join(" ");
    match &entry.key {
        Some(key) if cfg!(windows) => format!("set {VARIABLE}={key}&& {line}"),
        Some(key) => format!("{VARIABLE}={key} {line}"),
        None => line,
    }
}

fn to_servers_path(key: &str) -> ServersPath {
    ServersPath { keys: vec![key.to_owned()], list: false }
}

fn build_file(format: Format, path: &ServersPath, form: EntryForm, entry: &Entry) -> Result<String, Error> {
    let place = Place { path, name: &entry.name };
    Ok(Document::read(format, "")?.insert_entry(place, &form.to_value(entry))?.0)
}

/// Quotes a word if needed: with single quotes for a POSIX shell, with double quotes on Windows.
fn quote_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=@%+,".contains(letter);
    if cfg!(windows) {
        let is_plain = !word.is_empty() && word.chars().all(|letter| is_plain(letter) || letter == '\\');
        return if is_plain { word.to_owned() } else { format!("\"{}\"", word.replace('"', "\\\"")) };
    }
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
