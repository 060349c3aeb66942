//! `mooring import`: saves the servers of other apps, of a file or of a project's folder.

use std::path::{Path, PathBuf};

use mooring_app_access::AppPresence;
use mooring_apps::AppEnvironment;
use mooring_definitions::import::{ImportEntry, ImportInput, ImportReport, ImportValue, is_link};
use mooring_definitions::{NewServer, StartRule};
use mooring_host::{AppImport, Host, ImportChoice};
use mooring_server_state::ServerView;
use serde::Serialize;

use crate::CommandContext;
use crate::args::{Import, Start};
use crate::command::apps::with_host;
use crate::command::bundle;
use crate::command::import_values;
use crate::command::servers::{SavedServerJson, say_missing};
use crate::fault::{Exit, Fault};
use crate::output::{Output, escape_line, quote};
use crate::secret_input;
use crate::table::Table;

/// A server of an app, in JSON.
#[derive(Serialize)]
struct ImportJson {
    app: String,
    name: String,
    /// Whether a server with this name is already saved.
    exists: bool,
    /// Whether that one is started or reached differently.
    differs: bool,
    /// Why it can't be saved, if so.
    problem: Option<String>,
    /// Whether the app has it switched off.
    off: bool,
    /// Whether it is another way to run or reach the server before it.
    alternative: bool,
    /// Whether it lacks something that it needs to start; `notes` says what.
    incomplete: bool,
    /// What was understood differently from how it is written, what is ignored, and warnings.
    notes: Vec<String>,
    /// Names of the values that are encrypted when it is saved.
    secrets: Vec<String>,
    /// Names of the values that the app’s file doesn’t have, so that the person has to enter them.
    missing: Vec<String>,
    /// The values that it asks for.
    inputs: Vec<ImportInput>,
    /// Its command line or URL, for people.
    #[serde(skip)]
    address: String,
}

pub(crate) async fn run(session: &CommandContext, args: Import) -> Result<Exit, Fault> {
    let output = session.output;
    with_host(session, async |host, at| {
        if args.app.as_deref().is_some_and(|of| bundle::is_bundle(Path::new(of))) {
            return bundle::import(session, host, args).await;
        }
        let Some(of) = args.app else { return list_all(output, host, at).await };
        let source = Source::read(host, at, of).await?;
        if args.new_name.is_some() && args.servers.len() > 1 {
            return Err(Fault::usage("only one server can be saved under another name"));
        }
        let (given, secrets) = (args.values, args.secret_values);
        let names: Vec<String> = if args.all {
            // Servers that are switched off or incomplete are only saved if they are named.
            let is_ready = |entry: &&ImportEntry| {
                entry.server.is_ok() && !entry.exists && !entry.off && !entry.incomplete && !entry.alternative
            };
            let new = source.report().entries.iter().filter(is_ready);
            new.map(|entry| entry.name.clone()).collect()
        } else {
            args.servers
        };
        if names.is_empty() && !args.all {
            return print(output, &entries(host, source.name(), source.report().entries.clone()));
        }
        let wanted = ImportRequest {
            names,
            is_all: args.all,
            new_name: args.new_name,
            given,
            secrets,
            start: args.start,
        };
        import_servers(session, host, at, &source, wanted).await
    })
    .await
}

/// What is imported.
struct ImportRequest {
    names: Vec<String>,
    /// Whether these are all that can be saved.
    is_all: bool,
    new_name: Option<String>,
    /// Values of the form `NAME=VALUE`.
    given: Vec<String>,
    /// The names and sources of secrets.
    secrets: Vec<String>,
    start: Option<Start>,
}

/// Where servers are imported from.
enum Source {
    App { id: String, import: AppImport },
    Project { typed: String, folder: PathBuf, import: AppImport },
    Text { name: String, typed: String, text: String, report: ImportReport },
}

impl Source {
    async fn read(host: &Host, at: &AppEnvironment, of: String) -> Result<Self, Fault> {
        if is_link(&of) {
            return Self::of_text(host, "the link".to_owned(), of.clone(), of).await;
        }
        let path = Path::new(&of);
        let is_app = mooring_apps::app(&of).is_some();
        if path.is_dir() && !is_app {
            let unread = |error: std::io::Error| Fault::usage(format!("{of} can’t be read: {error}"));
            let folder = std::path::absolute(path).map_err(unread)?;
            let import = host.check_project_import(&folder).await?;
            return Ok(Self::Project { typed: of, folder, import });
        }
        if !path.is_file() {
            if of.contains(std::path::is_separator) || path.extension().is_some() {
                return Err(Fault::usage(format!("there is no file {of}")));
            }
            return Ok(Self::App { import: host.check_app_import(at, &of).await?, id: of });
        }
        let unread = |error: std::io::Error| Fault::usage(format!("{of} can’t be read: {error}"));
        let text = tokio::fs::read_to_string(&of).await.map_err(unread)?;
        Self::of_text(host, of.clone(), of, text).await
    }

    async fn of_text(host: &Host, name: String, typed: String, text: String) -> Result<Self, Fault> {
        let report = host.check_import(&text).await;
        match &report.error {
            Some(error) if report.entries.is_empty() => {
                Err(Fault::usage(format!("{name}: {}", error.message)))
            }
            _ => Ok(Self::Text { name, typed, text, report }),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::App { id, .. } => id,
            Self::Project { typed, .. } => typed,
            Self::Text { name, .. } => name,
        }
    }

    /// What the person typed for it.
    fn typed(&self) -> &str {
        match self {
            Self::App { id, .. } => id,
            Self::Project { typed, .. } | Self::Text { typed, .. } => typed,
        }
    }

    fn report(&self) -> &ImportReport {
        match self {
            Self::App { import, .. } | Self::Project { import, .. } => &import.report,
            Self::Text { report, .. } => report,
        }
    }

    async fn save(
        &self,
        host: &Host,
        at: &AppEnvironment,
        (names, values): (&[String], &[ImportValue]),
        new_name: Option<&str>,
        start: Option<Start>,
    ) -> Result<Vec<ServerView>, Fault> {
        let rule = |usual| match start {
            Some(Start::WithMooring) => StartRule::WithMooring,
            Some(Start::OnUse) => StartRule::OnUse,
            None => usual,
        };
        Ok(match self {
            Self::App { id, import } => {
                // Only apps use these servers until now.
                let choice = ImportChoice { names, values, new_name, start: rule(StartRule::OnUse) };
                host.import_app(at, id, &import.hash, choice).await?
            }
            Self::Project { folder, import, .. } => {
                let choice = ImportChoice { names, values, new_name, start: rule(StartRule::OnUse) };
                host.import_project(folder, &import.hash, choice).await?
            }
            Self::Text { text, .. } => {
                let choice = ImportChoice { names, values, new_name, start: rule(StartRule::WithMooring) };
                host.import_as(&[text], choice).await?
            }
        })
    }
}

async fn import_servers(
    session: &CommandContext,
    host: &Host,
    at: &AppEnvironment,
    source: &Source,
    ImportRequest { mut names, is_all, new_name, given, secrets, start }: ImportRequest,
) -> Result<(), Fault> {
    let output = session.output;
    let (app, report) = (source.name(), source.report());
    let named = |name: &String| report.entries.iter().find(|entry| entry.name == *name);
    if let Some(unknown) = names.iter().find(|name| named(name).is_none()) {
        return Err(Fault::usage(format!("{app} has no such server: {unknown}"))
            .next(format!("List them: mooring import {}", quote(source.typed()))));
    }
    let taken = names.iter().filter_map(named).find(|entry| entry.exists && new_name.is_none());
    if let Some(entry) = taken {
        let kind = if differs_from_saved(host, entry) { "another server" } else { "this server" };
        let words = format!("mooring import {} {} --as NAME", quote(source.typed()), quote(&entry.name));
        let fault = Fault::new(Exit::Usage, "name_taken", format!("{kind} is saved as {}", entry.name));
        return Err(fault.next(format!("Save it under another name: {words}")));
    }
    if let Some(why) = &report.stays_plain {
        output.note(&format!("Secrets are stored unencrypted: {why}"));
    }
    let chosen = |names: &[String]| names.iter().filter_map(named).collect::<Vec<&ImportEntry>>();
    let mut values = import_values::read_options(session, &chosen(&names), &given, &secrets).await?;
    if is_all && !can_enter(output) {
        // One that needs a value doesn't keep the others from being saved.
        names.retain(|name| {
            let lacking = named(name).filter(|entry| !import_values::has_required(entry, &values));
            lacking.inspect(|entry| note_needed(output, source, entry)).is_none()
        });
        values.retain(|value| names.contains(&value.entry));
    }
    import_values::ask_for_rest(session, &chosen(&names), &mut values).await?;
    let saved = source.save(host, at, (&names, &values), new_name.as_deref(), start).await?;
    for entry in names.iter().filter_map(named) {
        for note in &entry.notes {
            output.note(&format!("{}: {note}", escape_line(&entry.name)));
        }
    }
    if output.json {
        let shown = report.clone().with_values(&values).entries;
        let json = saved.iter().map(|saved| {
            let is_shown =
                |entry: &&ImportEntry| new_name.is_some() || entry.name.trim() == saved.config.name;
            let entry = shown.iter().filter(|entry| names.contains(&entry.name)).find(is_shown);
            match entry.and_then(|entry| entry.server.as_ref().ok()) {
                Some(shown) => SavedServerJson::from(saved).with_address(shown),
                None => SavedServerJson::from(saved),
            }
        });
        return Ok(output.result(&json.collect::<Vec<_>>())?);
    }
    for server in &saved {
        output.line(&format!("Saved {}", escape_line(&server.config.name)))?;
        say_missing(output, &server.config);
    }
    if saved.is_empty() {
        output.line("There is nothing new to save.")?;
    }
    Ok(())
}

/// Whether the person can enter values.
fn can_enter(output: Output) -> bool {
    !output.json && secret_input::can_ask()
}

/// Says how to save a server that needs values.
fn note_needed(output: Output, source: &Source, entry: &ImportEntry) {
    let inputs = entry.inputs.iter().filter(|input| input.required && input.default.is_none());
    let options: Vec<String> = inputs.map(import_values::option_for).collect();
    let (from, name) = (quote(source.typed()), quote(&entry.name));
    let line = format!("{} needs values: mooring import {from} {name} {}", entry.name, options.join(" "));
    output.note(&escape_line(&line));
}

/// Whether the saved server with this name is started or reached differently.
fn differs_from_saved(host: &Host, entry: &ImportEntry) -> bool {
    let saved = host.servers().into_iter().find(|server| server.config.name == entry.name);
    let (Some(saved), Ok(server)) = (saved, &entry.server) else { return false };
    let reached = |it: &NewServer| (it.transport, it.command.clone(), it.args.clone(), it.url.clone());
    reached(&saved.config) != reached(server)
}

/// Lists the servers of every app whose file can be read.
async fn list_all(output: Output, host: &Host, at: &AppEnvironment) -> Result<(), Fault> {
    let mut all = Vec::new();
    for app in host.apps(at).await? {
        let has_servers = app.servers.iter().any(|server| !server.ours);
        if has_servers && app.state != AppPresence::Unreadable {
            all.extend(entries(host, &app.id, host.check_app_import(at, &app.id).await?.report.entries));
        }
    }
    print(output, &all)
}

fn entries(host: &Host, app: &str, entries: Vec<ImportEntry>) -> Vec<ImportJson> {
    let json = |entry: ImportEntry| ImportJson {
        app: app.to_owned(),
        differs: differs_from_saved(host, &entry),
        missing: missing(&entry),
        inputs: entry.inputs.clone(),
        address: entry.server.as_ref().map(address).unwrap_or_default(),
        name: entry.name,
        exists: entry.exists,
        problem: entry.server.err().map(|problem| problem.message.to_string()),
        off: entry.off,
        alternative: entry.alternative,
        incomplete: entry.incomplete,
        notes: entry.notes.iter().map(ToString::to_string).collect(),
        secrets: entry.secrets,
    };
    entries.into_iter().map(json).collect()
}

/// The command line of a server as one would type it, or its URL.
fn address(server: &NewServer) -> String {
    let words = server.command.iter().chain(&server.args).map(|word| quote(word));
    server.url.clone().unwrap_or_else(|| words.collect::<Vec<_>>().join(" "))
}

/// The names of the values that the person has to enter.
fn missing(entry: &ImportEntry) -> Vec<String> {
    let secrets = entry.server.as_ref().map(|server| server.secrets.as_slice()).unwrap_or_default();
    secrets.iter().filter(|secret| secret.value.is_none()).map(|secret| secret.name.clone()).collect()
}

fn print(output: Output, servers: &[ImportJson]) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&servers)?);
    }
    if servers.is_empty() {
        output.line("No servers were found.")?;
        return Ok(());
    }
    let mut table = Table::default();
    for server in servers {
        let state = match &server.problem {
            Some(problem) => problem.as_str(),
            None if server.exists && server.differs => "another server of this name is saved",
            None if server.exists => "saved",
            None if server.off => "switched off in the app",
            None if server.incomplete => "incomplete",
            None if server.alternative => "another way to reach the one above",
            None => "new",
        };
        table.row([server.app.as_str(), server.name.as_str(), state, server.address.as_str()]);
    }
    table.print(output, &[])?;
    for server in servers {
        for note in &server.notes {
            output.note(&format!("{}: {note}", escape_line(&server.name)));
        }
        if !server.missing.is_empty() {
            let missing = server.missing.join(", ");
            output.note(&format!("{}: to be entered: {}", escape_line(&server.name), escape_line(&missing)));
        }
    }
    output.note(
        "Save one: mooring import APP SERVER, or with a FILE, FOLDER or LINK instead of APP; under another name: --as NAME",
    );
    Ok(())
}
