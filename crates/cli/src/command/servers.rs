//! `mooring add`, `list` and `remove`: the saved servers.

use std::path::{Path, PathBuf};

use mooring_base::command_line::relative_path_warnings;
use mooring_base::credentials::looks_secret;
use mooring_connect::{Verb, instance_rule, is_option, open_host, split_command, unknown_option};
use mooring_definitions::{NewServer, ServerSecret, StartRule, Transport};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_instances::InstanceRule;
use mooring_policy::review_command;
use mooring_server_state::ServerView;
use mooring_store::SecretPlace;
use mooring_typed::url_of;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape_line, quote};
use crate::secret_input::{self, NamedSecret, SecretSource};
use crate::table::Table;

/// A saved server in JSON. Only the names of variables and headers are printed, because their values may be secrets.
#[derive(Serialize)]
pub(super) struct SavedServerJson<'a> {
    id: i64,
    name: &'a str,
    transport: &'a str,
    command: Option<&'a str>,
    args: &'a [String],
    env: Vec<&'a String>,
    cwd: Option<&'a str>,
    url: Option<&'a str>,
    headers: Vec<&'a String>,
    secrets: Vec<SecretJson<'a>>,
    timeout_ms: Option<u64>,
    start: StartRule,
    enabled: bool,
    /// Whether the server needs the vault's passphrase before it can start.
    locked: bool,
    /// Warnings about a server that was just added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A variable or header whose value is encrypted. The value is never printed.
#[derive(Serialize)]
struct SecretJson<'a> {
    place: &'static str,
    name: &'a str,
    /// Whether a value is stored. If not, the person still has to enter it.
    entered: bool,
}

impl<'a> From<&'a ServerSecret> for SecretJson<'a> {
    fn from(secret: &'a ServerSecret) -> Self {
        Self { place: secret.place.as_str(), name: &secret.name, entered: secret.entered }
    }
}

impl<'a> SavedServerJson<'a> {
    /// Sets the warnings.
    pub(super) fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// Shows other arguments and another URL, without the secrets that were entered for them.
    pub(super) fn with_address(self, shown: &'a NewServer) -> Self {
        Self { args: &shown.args, url: shown.url.as_deref(), ..self }
    }
}

impl<'a> From<&'a ServerView> for SavedServerJson<'a> {
    fn from(view: &'a ServerView) -> Self {
        let config = &view.config;
        Self {
            id: view.id.0,
            name: &config.name,
            transport: config.transport.as_str(),
            command: config.command.as_deref(),
            args: &config.args,
            env: config.env.keys().collect(),
            cwd: config.cwd.as_deref(),
            url: config.url.as_deref(),
            headers: config.headers.keys().collect(),
            secrets: config.secrets.iter().map(SecretJson::from).collect(),
            timeout_ms: config.timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            start: config.start,
            enabled: view.enabled,
            locked: false,
            warnings: Vec::new(),
        }
    }
}

pub(crate) async fn add(session: &CommandContext, args: args::Add) -> Result<Exit, Fault> {
    let (url, command) = written_place("add", args.place)?;
    if url.is_none() && command.is_empty() {
        return Err(
            Fault::usage("which server?").next("Name a URL or a command: mooring add NAME npx -y PACKAGE")
        );
    }
    if url.is_none() && !(args.header.is_empty() && args.secret_header.is_empty()) {
        return Err(Fault::usage("headers are for a URL").next("A command takes --env and --secret-env."));
    }
    if url.is_some() && !(args.env.is_empty() && args.secret_env.is_empty() && args.fields.cwd.is_none()) {
        return Err(Fault::usage("variables and a folder are for a command")
            .next("A URL takes --header and --secret-header."));
    }
    let WrittenCommand { folder, program: command, args: words, is_split: split } = written_command(command)?;
    let secrets = secrets(session, &args.secret_env, &args.secret_header).await?;
    let transport = if url.is_some() { Transport::Http } else { Transport::Stdio };
    let server = NewServer {
        command,
        args: words,
        env: args.env.into_iter().collect(),
        url,
        headers: args.header.into_iter().collect(),
        secrets,
        ..NewServer::new(&args.name, transport)
    };
    let server = with_fields(server, args.fields)?;
    let mut warnings = warnings(&server, split, &folder);
    let rule = instance_rule(args.instances);
    let host = open_host(session, false).await?;
    let missing = missing_program(&host, &server).await;
    warnings.extend(missing);
    let add = async {
        // Encrypting a value may ask for the vault's passphrase.
        let view = host.add_server(server).await?;
        if rule != InstanceRule::Automatic {
            host.set_instance_rule(view.id, rule).await?;
        }
        Ok::<_, HostError>(view)
    };
    let added = session.interrupt.guard(Box::pin(add)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let view = added??;
    if rule == InstanceRule::Automatic && view.single_user.is_some() {
        let shared = "all apps share what this server keeps, such as a page or a session: `--instances per-app` keeps them apart";
        warnings.push(shared.to_owned());
    }
    if session.output.json {
        session.output.result(&SavedServerJson::from(&view).with_warnings(warnings))?;
    } else {
        let name = escape_line(&view.config.name).into_owned();
        session.output.line(&format!("Added {}.", session.output.tone(TextStyle::Strong, &name)))?;
        for warning in warnings {
            session.output.note(&format!("warning: {}", escape_line(&warning)));
        }
        session.output.note(&format!("Try it: mooring tools {}", quote(&view.config.name)));
    }
    Ok(Exit::Ok)
}

/// The server with the fields that options give.
pub(super) fn with_fields(server: NewServer, fields: args::ServerFields) -> Result<NewServer, Fault> {
    let cwd = match fields.cwd {
        Some(folder) => Some(std::path::absolute(folder).map_err(anyhow::Error::from)?.display().to_string()),
        None => None,
    };
    let read = || {
        let members = serde_json::to_value(args::ServerFields { cwd, ..fields })?;
        let mut members: Map<String, Value> = serde_json::from_value(members)?;
        members.retain(|_, value| !value.is_null());
        server.with_members(members)
    };
    Ok(read().map_err(anyhow::Error::from)?)
}

/// Reads the words as a URL or a command. A URL may lack its scheme, as in the window.
pub(super) fn written_place(
    verb: &'static str,
    place: args::ServerPlace,
) -> Result<(Option<String>, Vec<String>), Fault> {
    let args::ServerPlace { words, url, command } = place;
    if let Some(url) = url {
        return Ok((Some(url_of(&url).unwrap_or(url)), Vec::new()));
    }
    let Some(first) = words.first() else { return Ok((None, command)) };
    if is_option(first) {
        return Err(unknown_option(Verb::of(verb), first));
    }
    // Names of programs contain dots, but no schemes.
    let url = url_of(first).filter(|_| words.len() == 1 || first.contains("://"));
    match (url, words.get(1)) {
        (None, _) => Ok((None, words)),
        (Some(url), None) => Ok((Some(url), Vec::new())),
        (Some(_), Some(more)) if is_option(more) => Err(unknown_option(Verb::of(verb), more)),
        (Some(_), Some(more)) => Err(Fault::usage(format!("a URL takes nothing more: {more}"))
            .next(format!("See mooring {verb} --help"))),
    }
}

/// A command as the person wrote it.
pub(super) struct WrittenCommand {
    /// The current folder at that time.
    pub(super) folder: PathBuf,
    /// `None` if there is no program.
    pub(super) program: Option<String>,
    pub(super) args: Vec<String>,
    /// Whether one word was split into a program and its arguments.
    pub(super) is_split: bool,
}

pub(super) fn written_command(command: Vec<String>) -> Result<WrittenCommand, Fault> {
    let folder = std::env::current_dir().map_err(anyhow::Error::from)?;
    let is_one_word = command.len() == 1;
    let (program, args) = split_command(command, &folder);
    // A relative path is relative to the current folder, not to the private folder in which the server will
    // run.
    let program = match Some(program).filter(|program| !program.is_empty()) {
        Some(word) if word.contains(std::path::is_separator) && !word.starts_with('~') => {
            let path = std::path::absolute(&word).map_err(anyhow::Error::from)?;
            Some(path.display().to_string())
        }
        other => other,
    };
    Ok(WrittenCommand { is_split: is_one_word && !args.is_empty(), folder, program, args })
}

/// The problem with a program that isn't found. The server is saved anyway.
pub(super) async fn missing_program(host: &Host, server: &NewServer) -> Option<String> {
    let command = server.command.as_deref()?;
    let path = server.env.get("PATH").map(String::as_str);
    host.check_command(command, path).await.problem.map(|problem| problem.message.to_string())
}

/// The warnings that the window would show before saving this server.
pub(super) fn warnings(server: &NewServer, split: bool, folder: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    if split {
        warnings.push("the command line is split into its program and its arguments".to_owned());
    }
    if let Some(command) = &server.command {
        let env: Vec<String> = server.env.keys().cloned().collect();
        let elsewhere = relative_path_warnings(command, &server.args, server.cwd.as_deref(), Some(folder));
        let notes = review_command(command, &server.args, &env).into_iter().map(|note| note.text);
        let all = elsewhere.into_iter().chain(notes);
        warnings.extend(all.map(|warning| warning.to_string()));
    }
    let plain = server.env.keys().chain(server.headers.keys()).filter(|name| looks_secret(name));
    let plain = plain.map(|name| {
        format!("{name} is stored unencrypted. --secret-env and --secret-header encrypt a value.")
    });
    warnings.extend(plain);
    warnings
}

/// Reads the values to encrypt, each from its source.
pub(super) async fn secrets(
    session: &CommandContext,
    env: &[String],
    headers: &[String],
) -> Result<Vec<ServerSecret>, Fault> {
    let env = env.iter().map(|text| (SecretPlace::Env, text));
    let headers = headers.iter().map(|text| (SecretPlace::Header, text));
    let mut named = Vec::new();
    for (place, text) in env.chain(headers) {
        named.push((place, NamedSecret::read(text)?));
    }
    if named.iter().filter(|(_, named)| named.source == SecretSource::Stdin).count() > 1 {
        return Err(Fault::usage("standard input can hold one secret only"));
    }
    let mut secrets = Vec::with_capacity(named.len());
    for (place, NamedSecret { name, source }) in named {
        let value = secret_input::read(session, source, format!("Value of {}", escape_line(&name))).await?;
        secrets.push(ServerSecret { place, name, value: Some(value), entered: false });
    }
    Ok(secrets)
}

pub(crate) async fn list(session: &CommandContext) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let servers = host.servers();
    let waiting = session.interrupt.guard(host.servers_waiting_for_passphrase()).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let waiting = waiting??;
    let is_locked =
        |server: &ServerView| !secret_input::names_passphrase_file() && waiting.contains(&server.id);
    let output = session.output;
    if output.json {
        let json = |server| SavedServerJson { locked: is_locked(server), ..SavedServerJson::from(server) };
        output.result(&servers.iter().map(json).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    if servers.is_empty() {
        output.line("No servers saved yet.")?;
        output.note("Save one: mooring add NAME COMMAND, or mooring add NAME URL");
        return Ok(Exit::Ok);
    }
    let mut table = Table::default();
    for server in &servers {
        let config = &server.config;
        let words = config.command.iter().chain(&config.args).map(|word| quote(word));
        let place = config.url.clone().unwrap_or_else(|| words.collect::<Vec<_>>().join(" "));
        let state = match (server.enabled, is_locked(server)) {
            (false, _) => "stopped",
            (true, true) => "locked",
            (true, false) if config.start == StartRule::OnUse => "on use",
            (true, false) => "",
        };
        let cells = [&config.name, config.transport.as_str(), state, &secrets_summary(config), &place];
        table.row(cells);
    }
    table.print(
        output,
        &[(0, TextStyle::Strong), (1, TextStyle::Quiet), (2, TextStyle::Quiet), (3, TextStyle::Quiet)],
    )?;
    Ok(Exit::Ok)
}

pub(crate) async fn remove(session: &CommandContext, args: args::Named) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let servers = host.servers();
    let found = servers.iter().find(|server| server.config.name == args.name);
    let removed = async {
        let Some(server) = found else {
            let known = servers.iter().map(|server| server.config.name.clone()).collect();
            return Err(HostError::NameNotFound { name: args.name, known });
        };
        host.remove_server(server.id).await.map(|()| server)
    };
    let removed = session.interrupt.guard(removed).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let server = removed??;
    if session.output.json {
        session.output.result(&SavedServerJson::from(server))?;
    } else {
        session.output.line(&format!("Removed {}.", escape_line(&server.config.name)))?;
    }
    Ok(Exit::Ok)
}

/// Prints which values a server still needs, and the command that sets them.
pub(super) fn say_missing(output: Output, config: &NewServer) {
    let missing = config.secrets.iter().filter(|secret| !secret.entered);
    let words = missing.map(|secret| match secret.place {
        SecretPlace::Env => format!("--secret-env {}", quote(&secret.name)),
        SecretPlace::Header => format!("--secret-header {}", quote(&secret.name)),
    });
    let words: Vec<_> = words.collect();
    if !words.is_empty() {
        let name = quote(&config.name);
        let line = format!("{} still needs values: mooring set {name} {}", config.name, words.join(" "));
        output.note(&escape_line(&line));
    }
}

/// The names of the encrypted values, as one text.
fn secrets_summary(config: &NewServer) -> String {
    let names = config.secrets.iter().map(|secret| {
        if secret.entered { secret.name.clone() } else { format!("{} (missing)", secret.name) }
    });
    let names: Vec<String> = names.collect();
    if names.is_empty() { String::new() } else { format!("encrypted: {}", names.join(", ")) }
}
