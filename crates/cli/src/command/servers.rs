//! `mooring add`, `list` and `remove`: the saved servers.

use std::collections::BTreeMap;

use mooring_host::{HostError, NewServer, ServerView, Transport};
use serde::Serialize;

use crate::Session;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Tone, shown, width};
use crate::table::Table;
use crate::visit::open;

/// A saved server in JSON. Values of variables and headers may be secrets: only their names are told.
#[derive(Serialize)]
struct ServerJson<'a> {
    id: i64,
    name: &'a str,
    transport: &'a str,
    command: Option<&'a str>,
    args: &'a [String],
    env: Vec<&'a String>,
    cwd: Option<&'a str>,
    url: Option<&'a str>,
    headers: Vec<&'a String>,
    timeout_ms: Option<u64>,
    enabled: bool,
}

impl<'a> From<&'a ServerView> for ServerJson<'a> {
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
            timeout_ms: config.timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            enabled: view.enabled,
        }
    }
}

pub(crate) async fn add(session: &Session, args: args::Add) -> Result<Exit, Fault> {
    let mut words = args.place.command.into_iter();
    let command = words.next();
    // A path is meant from here, not from the private directory the server will run in.
    let command = match command {
        Some(word) if word.contains(std::path::is_separator) && !word.starts_with('~') => {
            let path = std::path::absolute(&word).map_err(anyhow::Error::from)?;
            Some(path.display().to_string())
        }
        other => other,
    };
    let cwd = match args.cwd {
        Some(folder) => Some(std::path::absolute(folder).map_err(anyhow::Error::from)?.display().to_string()),
        None => None,
    };
    let server = NewServer {
        name: args.name,
        transport: if args.place.url.is_some() { Transport::Http } else { Transport::Stdio },
        command,
        args: words.collect(),
        env: args.env.into_iter().collect::<BTreeMap<_, _>>(),
        cwd,
        url: args.place.url,
        headers: args.header.into_iter().collect(),
        timeout: args.timeout,
        era: args.era.into(),
        secrets: Vec::new(),
    };
    let host = open(false).await?;
    let added = host.add_server(server).await;
    host.shutdown().await;
    let view = added?;
    if session.output.json {
        session.output.result(&ServerJson::from(&view))?;
    } else {
        let name = shown(&view.config.name).into_owned();
        session.output.line(&format!("Added {}.", session.output.tone(Tone::Strong, &name)))?;
        session.output.note(&format!("Try it: mooring tools --server {}", quoted(&view.config.name)));
    }
    Ok(Exit::Ok)
}

pub(crate) async fn list(session: &Session) -> Result<Exit, Fault> {
    let host = open(false).await?;
    let servers = host.servers();
    host.shutdown().await;
    let output = session.output;
    if output.json {
        output.result(&servers.iter().map(ServerJson::from).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    if servers.is_empty() {
        output.line("No server is saved yet.")?;
        output.note("Save one: mooring add NAME -- COMMAND ARGS…, or mooring add NAME --url URL");
        return Ok(Exit::Ok);
    }
    let mut table = Table::default();
    for server in &servers {
        let config = &server.config;
        let words = config.command.iter().chain(&config.args).map(|word| quoted(word));
        let place = config.url.clone().unwrap_or_else(|| words.collect::<Vec<_>>().join(" "));
        let enabled = if server.enabled { "" } else { "stopped" };
        let cells = [&config.name, config.transport.as_str(), enabled, &place];
        table.row(cells.map(|cell| shown(cell).into_owned()));
    }
    for line in table.lines(width(), |_, column, cell| match column {
        0 => output.tone(Tone::Strong, cell).into_owned(),
        1 | 2 => output.tone(Tone::Quiet, cell).into_owned(),
        _ => cell.to_owned(),
    }) {
        output.line(&line)?;
    }
    Ok(Exit::Ok)
}

pub(crate) async fn remove(session: &Session, args: args::Remove) -> Result<Exit, Fault> {
    let host = open(false).await?;
    let servers = host.servers();
    let found = servers.iter().find(|server| server.config.name == args.name);
    let removed = match found {
        Some(server) => host.remove_server(server.id).await.map(|()| server),
        None => Err(HostError::NameNotFound {
            name: args.name,
            known: servers.iter().map(|server| server.config.name.clone()).collect(),
        }),
    };
    host.shutdown().await;
    let server = removed?;
    if session.output.json {
        session.output.result(&ServerJson::from(server))?;
    } else {
        session.output.line(&format!("Removed {}.", shown(&server.config.name)))?;
    }
    Ok(Exit::Ok)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a-b/c=@1"), "a-b/c=@1");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
