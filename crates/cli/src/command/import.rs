//! `mooring import`: saves the servers of other apps.

use mooring_host::{AppEnvironment, AppImport, AppPresence, Host, ImportEntry};
use serde::Serialize;

use crate::CommandContext;
use crate::args::Import;
use crate::command::apps::with_host;
use crate::fault::{Exit, Fault};
use crate::output::{Output, escape_line};
use crate::table::Table;

/// A server of an app, in JSON.
#[derive(Serialize)]
struct ImportJson {
    app: String,
    name: String,
    /// A server of this name is saved.
    exists: bool,
    /// Why it can't be saved.
    problem: Option<String>,
    /// The app has it switched off.
    off: bool,
    /// Something is missing without which it can't start; `notes` says what.
    incomplete: bool,
    /// What was read differently from how it is written, what is ignored, and what to watch for.
    notes: Vec<String>,
    /// Names of values that are encrypted when it is saved.
    secrets: Vec<String>,
}

pub(crate) async fn run(session: &CommandContext, args: Import) -> Result<Exit, Fault> {
    let output = session.output;
    with_host(session, async |host, at| {
        let Some(app) = args.app else { return list_all(output, host, at).await };
        let import = host.check_app_import(at, &app).await?;
        let names: Vec<String> = if args.all {
            // One that is switched off or incomplete is saved by its name.
            let is_ready = |entry: &&ImportEntry| {
                entry.server.is_ok() && !entry.exists && !entry.off && !entry.incomplete
            };
            let new = import.report.entries.iter().filter(is_ready);
            new.map(|entry| entry.name.clone()).collect()
        } else {
            args.servers
        };
        if names.is_empty() && !args.all {
            return print(output, &entries(&app, import.report.entries));
        }
        take(output, host, at, &app, &import, &names).await
    })
    .await
}

async fn take(
    output: Output,
    host: &Host,
    at: &AppEnvironment,
    app: &str,
    import: &AppImport,
    names: &[String],
) -> Result<(), Fault> {
    let is_there = |name: &&String| import.report.entries.iter().any(|entry| entry.name == **name);
    if let Some(unknown) = names.iter().find(|name| !is_there(name)) {
        return Err(Fault::usage(format!("the app has no such server: {unknown}"))
            .next(format!("List them: mooring import {app}")));
    }
    if let Some(why) = &import.report.stays_plain {
        output.note(&format!("Secrets are stored unencrypted: {why}"));
    }
    let servers = host.import_app(at, app, &import.hash, names).await?;
    let saved: Vec<_> = servers.into_iter().map(|server| server.config.name).collect();
    let is_saved = |entry: &&ImportEntry| names.contains(&entry.name);
    for entry in import.report.entries.iter().filter(is_saved) {
        for note in &entry.notes {
            output.note(&format!("{}: {note}", escape_line(&entry.name)));
        }
    }
    if output.json {
        return Ok(output.result(&saved)?);
    }
    for name in &saved {
        output.line(&format!("Saved {}", escape_line(name)))?;
    }
    if saved.is_empty() {
        output.line("There is nothing new to save.")?;
    }
    Ok(())
}

/// The servers of every app whose file can be read.
async fn list_all(output: Output, host: &Host, at: &AppEnvironment) -> Result<(), Fault> {
    let mut all = Vec::new();
    for app in host.apps(at).await? {
        let has_servers = app.servers.iter().any(|server| !server.ours);
        if has_servers && app.state != AppPresence::Unreadable {
            all.extend(entries(&app.id, host.check_app_import(at, &app.id).await?.report.entries));
        }
    }
    print(output, &all)
}

fn entries(app: &str, entries: Vec<ImportEntry>) -> Vec<ImportJson> {
    let json = |entry: ImportEntry| ImportJson {
        app: app.to_owned(),
        name: entry.name,
        exists: entry.exists,
        problem: entry.server.err().map(|problem| problem.message.to_string()),
        off: entry.off,
        incomplete: entry.incomplete,
        notes: entry.notes.iter().map(ToString::to_string).collect(),
        secrets: entry.secrets,
    };
    entries.into_iter().map(json).collect()
}

fn print(output: Output, servers: &[ImportJson]) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&servers)?);
    }
    if servers.is_empty() {
        output.line("No servers of other apps were found.")?;
        return Ok(());
    }
    let mut table = Table::default();
    for server in servers {
        let state = match &server.problem {
            Some(problem) => problem.as_str(),
            None if server.exists => "a server of this name is saved",
            None if server.off => "switched off in the app",
            None if server.incomplete => "incomplete",
            None => "new",
        };
        table.row([server.app.as_str(), server.name.as_str(), state]);
    }
    table.print(output, &[])?;
    for server in servers {
        for note in &server.notes {
            output.note(&format!("{}: {note}", escape_line(&server.name)));
        }
    }
    output.note("Save one: mooring import APP SERVER");
    Ok(())
}
