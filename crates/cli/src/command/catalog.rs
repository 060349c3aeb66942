//! `mooring catalog`: entries of an MCP registry are fetched, searched, shown and installed.

use mooring_connect::{open_host, server_named};
use mooring_definitions::import::{ImportEntry, ImportInput};
use mooring_definitions::{NewServer, StartRule};
use mooring_host::{CatalogEntryView, CatalogSource, CatalogUpdateReview, Host, ImportChoice};
use mooring_registry::{CatalogEntry, CatalogVersion, EntryStatus, RefreshReason, SyncProgress};
use mooring_terminal::time;
use serde::Serialize;
use tokio::sync::watch;

use crate::CommandContext;
use crate::args::{Catalog, CatalogAdd, CatalogCommand, CatalogUpdate, Start};
use crate::command::apps::ask;
use crate::command::import_values;
use crate::command::servers::{SavedServerJson, say_missing};
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape_line, quote};
use crate::table::Table;

/// An entry in JSON.
#[derive(Serialize)]
struct ShownEntryJson {
    #[serde(flatten)]
    entry: CatalogEntryView,
    packages: Vec<PackageJson>,
    /// All versions, if the registry was asked for them.
    versions: Option<Vec<CatalogVersion>>,
}

/// A way to run or reach an entry's server, in JSON.
#[derive(Serialize)]
struct PackageJson {
    name: String,
    command: Option<String>,
    args: Vec<String>,
    url: Option<String>,
    problem: Option<String>,
    notes: Vec<String>,
    inputs: Vec<ImportInput>,
}

pub(crate) async fn run(session: &CommandContext, args: Catalog) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let work = async {
        match args.command {
            CatalogCommand::Refresh => refresh(session, &host).await,
            CatalogCommand::Search { words, limit } => search(session.output, &host, &words, limit).await,
            CatalogCommand::Show { name, version, versions } => {
                show(session.output, &host, &name, version.as_deref(), versions).await
            }
            CatalogCommand::Add(args) => add(session, &host, args).await,
            CatalogCommand::Servers => list_servers(session.output, &host).await,
            CatalogCommand::Update(args) => update(session, &host, args).await,
        }
    };
    let done = session.interrupt.guard(Box::pin(work)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    done?.map(|()| Exit::Ok)
}

async fn refresh(session: &CommandContext, host: &Host) -> Result<(), Fault> {
    let output = session.output;
    let spinner = output.spinner(format!("Asking {}", host.registry_base()?.host()));
    let (sender, mut progress) = watch::channel(None);
    let on_progress = |now: SyncProgress| {
        sender.send_replace(Some(now));
    };
    let showing = async {
        while progress.changed().await.is_ok() {
            if let Some(now) = *progress.borrow_and_update() {
                spinner.set_message(format!("{} entries", now.entries));
            }
        }
        std::future::pending().await
    };
    tokio::select! {
        done = host.refresh_catalog(RefreshReason::Asked, &on_progress) => done?,
        never = showing => never,
    };
    drop(spinner);
    let state = host.catalog_state().await?;
    if output.json {
        return output.view(&state);
    }
    output.line(&format!("The catalog has {} entries of {}.", state.entries, escape_line(&state.base)))?;
    if state.left_out > 0 {
        output.note(&format!("{} entries couldn’t be understood and are left out.", state.left_out));
    }
    Ok(())
}

/// Fails if there is no copy yet: a search never contacts the registry.
async fn require_copy(host: &Host) -> Result<(), Fault> {
    let state = host.catalog_state().await?;
    if state.synced_ms.is_some() || state.entries > 0 {
        return Ok(());
    }
    let fault = Fault::new(Exit::Usage, "catalog", "the catalog is empty: nothing was fetched yet");
    Err(fault.next(format!("Fetch it from {}: mooring catalog refresh", state.host)))
}

async fn search(output: Output, host: &Host, words: &[String], limit: u32) -> Result<(), Fault> {
    require_copy(host).await?;
    let found = host.search_catalog(&words.join(" "), 0, limit).await?;
    if output.json {
        return output.view(&found);
    }
    if found.entries.is_empty() {
        output.line("No entry has all of these words.")?;
        return Ok(());
    }
    let mut table = Table::default();
    for row in &found.entries {
        let saved = if row.installed.is_empty() { "" } else { "saved" };
        let entry = &row.entry;
        table.row([&entry.name, &entry.version, &kinds(entry), saved, &entry.description]);
    }
    table.print(output, &[(0, TextStyle::Strong)])?;
    let shown = i64::try_from(found.entries.len()).unwrap_or(i64::MAX);
    if found.total > shown {
        output.note(&format!("{} more match. Add words, or --limit COUNT.", found.total - shown));
    }
    output.note("Listed doesn’t mean checked. Look at one: mooring catalog show NAME");
    Ok(())
}

fn kinds(entry: &CatalogEntry) -> String {
    entry.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
}

async fn show(
    output: Output,
    host: &Host,
    name: &str,
    version: Option<&str>,
    versions: bool,
) -> Result<(), Fault> {
    require_copy(host).await?;
    let entry = host.catalog_entry(name, version).await?;
    let report = host.check_import(&entry.server_json).await;
    let versions = if versions { Some(host.catalog_versions(name).await?) } else { None };
    if output.json {
        let packages = report.entries.iter().map(package_json).collect();
        return output.view(&ShownEntryJson { entry, packages, versions });
    }
    print_entry(output, &entry)?;
    for package in &report.entries {
        print_package(output, package)?;
    }
    for version in versions.iter().flatten() {
        let published = version.published_ms.map(|at| time(at * 1_000)).unwrap_or_default();
        let status = match version.status {
            EntryStatus::Active => "",
            EntryStatus::Deprecated => " (deprecated)",
            EntryStatus::Deleted => " (withdrawn)",
        };
        output.line(&format!("Version {}{status} {published}", escape_line(&version.version)))?;
    }
    match &entry.problem {
        Some(problem) => {
            output.note(&format!("It can’t be installed: {}", escape_line(&problem.to_string())));
        }
        None => output.note(&format!("Save it: mooring catalog add {}", quote(name))),
    }
    Ok(())
}

fn print_entry(output: Output, view: &CatalogEntryView) -> Result<(), Fault> {
    let CatalogEntryView { entry, status_message, repository, website, installed, .. } = view;
    let title = output.tone(TextStyle::Strong, &escape_line(&entry.title)).to_string();
    output.line(&format!("{title} {}", escape_line(&entry.version)))?;
    output.line(&format!("Name: {}", escape_line(&entry.name)))?;
    output.line(&format!("Published under: {}", escape_line(&entry.publisher)))?;
    if !entry.description.is_empty() {
        output.line(&escape_line(&entry.description))?;
    }
    output.line(&format!("Repository: {}", escape_line(repository.as_deref().unwrap_or("not given"))))?;
    if let Some(website) = website {
        output.line(&format!("Website: {}", escape_line(website)))?;
    }
    for (label, at) in [("Published", entry.published_ms), ("Updated", entry.updated_ms)] {
        if let Some(at) = at {
            output.line(&format!("{label}: {}", time(at * 1_000)))?;
        }
    }
    for server in installed {
        let (name, version) = (escape_line(&server.name), escape_line(&server.version));
        output.line(&format!("Saved as {name} from version {version}"))?;
    }
    let message = status_message.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    match entry.status {
        EntryStatus::Active => {}
        EntryStatus::Deprecated => {
            output.note(&escape_line(&format!("Deprecated by its publisher{message}")));
        }
        EntryStatus::Deleted => output.note(&escape_line(&format!("Withdrawn{message}"))),
    }
    Ok(())
}

fn print_package(output: Output, package: &ImportEntry) -> Result<(), Fault> {
    let name = output.tone(TextStyle::Strong, &escape_line(&package.name)).to_string();
    match &package.server {
        Ok(server) => {
            let verb = if server.url.is_some() { "connects to" } else { "runs" };
            output.line(&format!("{name} {verb}: {}", address(server)))?;
        }
        Err(problem) => {
            output.line(&format!("{name}: {}", escape_line(&problem.message.to_string())))?;
        }
    }
    for input in &package.inputs {
        let about = input.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let needed = if import_values::is_needed(input) { " (required)" } else { "" };
        output.line(&escape_line(&format!("Asks for {}{needed}{about}", input.key)))?;
    }
    for note in &package.notes {
        output.note(&format!("warning: {}", escape_line(&note.to_string())));
    }
    Ok(())
}

fn package_json(package: &ImportEntry) -> PackageJson {
    let server = package.server.as_ref().ok();
    PackageJson {
        name: package.name.clone(),
        command: server.and_then(|server| server.command.clone()),
        args: server.map(|server| server.args.clone()).unwrap_or_default(),
        url: server.and_then(|server| server.url.clone()),
        problem: package.server.as_ref().err().map(|problem| problem.message.to_string()),
        notes: package.notes.iter().map(ToString::to_string).collect(),
        inputs: package.inputs.clone(),
    }
}

async fn add(session: &CommandContext, host: &Host, args: CatalogAdd) -> Result<(), Fault> {
    let output = session.output;
    require_copy(host).await?;
    let view = host.catalog_entry(&args.name, args.version.as_deref()).await?;
    if let Some(problem) = &view.problem {
        return Err(Fault::new(Exit::Usage, "catalog", format!("it can’t be installed: {problem}")));
    }
    let report = host.check_import(&view.server_json).await;
    let wanted = |entry: &&ImportEntry| match &args.package {
        Some(name) => entry.name == *name,
        None => entry.server.is_ok(),
    };
    let Some(package) = report.entries.iter().find(wanted) else {
        let names: Vec<_> = report.entries.iter().map(|entry| quote(&entry.name)).collect();
        return Err(
            Fault::usage("the entry has no such package").next(format!("It has: {}", names.join(", ")))
        );
    };
    if let Some(why) = &report.stays_plain {
        output.note(&format!("Secrets are stored unencrypted: {why}"));
    }
    let mut values =
        import_values::read_options(session, &[package], &args.values, &args.secret_values).await?;
    import_values::ask_for_rest(session, &[package], &mut values).await?;
    let shown = report.clone().with_values(&values).entries;
    let shown = shown.iter().find(|entry| entry.name == package.name).unwrap_or(package);
    if !output.json {
        print_entry(output, &view)?;
        print_package(output, shown)?;
    }
    let start = if args.start == Some(Start::OnUse) { StartRule::OnUse } else { StartRule::WithMooring };
    let source = CatalogSource { name: args.name, version: view.entry.version };
    let names = [package.name.clone()];
    let choice = ImportChoice { names: &names, values: &values, new_name: args.new_name.as_deref(), start };
    for saved in host.add_from_catalog(&source, &view.server_json, choice).await? {
        if output.json {
            let json = SavedServerJson::from(&saved);
            let shown = shown.server.as_ref().ok();
            return Ok(output
                .result(&shown.map_or_else(|| SavedServerJson::from(&saved), |it| json.with_address(it)))?);
        }
        output.line(&format!("Saved {}", escape_line(&saved.config.name)))?;
        say_missing(output, &saved.config);
    }
    Ok(())
}

async fn list_servers(output: Output, host: &Host) -> Result<(), Fault> {
    let servers = host.catalog_servers().await?;
    if output.json {
        return output.view(&servers);
    }
    if servers.is_empty() {
        output.line("No saved server came from the catalog.")?;
        return Ok(());
    }
    let mut table = Table::default();
    for server in &servers {
        let state = match (&server.update, server.status) {
            (Some(version), _) => format!("{version} is newer"),
            (None, Some(EntryStatus::Deleted)) => "withdrawn".to_owned(),
            (None, Some(EntryStatus::Deprecated)) => "deprecated".to_owned(),
            (None, Some(EntryStatus::Active)) => "newest".to_owned(),
            (None, None) => "not in the copy".to_owned(),
        };
        table.row([server.server.as_str(), &server.name, &server.version, &state]);
    }
    table.print(output, &[])?;
    if let Some(server) = servers.iter().find(|server| server.update.is_some()) {
        output.note(&format!("See what changes: mooring catalog update {}", quote(&server.server)));
    }
    Ok(())
}

async fn update(session: &CommandContext, host: &Host, args: CatalogUpdate) -> Result<(), Fault> {
    let output = session.output;
    let id = server_named(host, &args.server)?;
    let review = host.review_catalog_update(id, args.version.as_deref(), &[]).await?;
    let entry = entry_of(&review);
    let mut values =
        import_values::read_options(session, &[&entry], &args.values, &args.secret_values).await?;
    import_values::ask_for_needed(session, &entry, &mut values).await?;
    let review = host.review_catalog_update(id, Some(&review.version), &values).await?;
    print_changes(output, &review)?;
    let refused = Fault::usage("an update needs your consent").next("Add --yes.");
    let question = format!("Update it to version {}?", escape_line(&review.version));
    if !ask(output, &question, args.yes, refused).await? {
        return Ok(());
    }
    let saved = host.update_from_catalog(id, &review.version, &values, &review.after).await?;
    if output.json {
        return Ok(output.result(&SavedServerJson::from(&saved).with_address(&review.after))?);
    }
    let (name, version) = (escape_line(&saved.config.name), escape_line(&review.version));
    output.line(&format!("{name} is now at version {version}"))?;
    say_missing(output, &saved.config);
    Ok(())
}

/// The values that an update asks for.
fn entry_of(review: &CatalogUpdateReview) -> ImportEntry {
    ImportEntry::asking(review.before.name.clone(), Ok(review.after.clone()), review.inputs.clone())
}

/// Prints the parts of the definition that an update changes.
fn print_changes(output: Output, review: &CatalogUpdateReview) -> Result<(), Fault> {
    if output.json {
        return Ok(());
    }
    let (from, to) = (escape_line(&review.from), escape_line(&review.version));
    output.line(&format!("{} {from} → {to}", escape_line(&review.name)))?;
    let lines = |server: &NewServer| {
        let variables = server.env.iter().chain(&server.headers).map(|(name, text)| format!("{name}={text}"));
        let secrets = server.secrets.iter().map(|secret| format!("{} (encrypted)", secret.name));
        std::iter::once(address(server)).chain(variables).chain(secrets).collect::<Vec<_>>()
    };
    let (before, after) = (lines(&review.before), lines(&review.after));
    for line in before.iter().filter(|line| !after.contains(line)) {
        output.line(&output.tone(TextStyle::Bad, &escape_line(&format!("- {line}"))))?;
    }
    for line in after.iter().filter(|line| !before.contains(line)) {
        output.line(&output.tone(TextStyle::Good, &escape_line(&format!("+ {line}"))))?;
    }
    for note in &review.notes {
        output.note(&format!("warning: {}", escape_line(&note.to_string())));
    }
    Ok(())
}

/// The command line of a server as one would type it, or its URL.
fn address(server: &NewServer) -> String {
    let words = server.command.iter().chain(&server.args).map(|word| quote(word));
    let line = server.url.clone().unwrap_or_else(|| words.collect::<Vec<_>>().join(" "));
    escape_line(&line).into_owned()
}
