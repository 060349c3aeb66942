//! `mooring import FILE.mcpb` and `mooring rollback`: servers from bundles.

use std::path::Path;

use mooring_bundle_setup::{BundleChoice, BundleOutcome, BundleReview, EarlierBundle, InstalledServer};
use mooring_connect::{open_host, server_named};
use mooring_definitions::import::{ImportEntry, ImportInput, ImportValue};
use mooring_definitions::{NewServer, Transport};
use mooring_errors::HostError;
use mooring_host::Host;
use serde::Serialize;
use tokio::sync::watch;

use crate::CommandContext;
use crate::args::{Import, Rollback};
use crate::command::apps::ask;
use crate::command::import_values;
use crate::command::servers::SavedServerJson;
use crate::command::trust::print_changes;
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape_line, quote};

/// The extensions of bundles; the second is the one of old.
const EXTENSIONS: [&str; 2] = ["mcpb", "dxt"];

/// A bundle in JSON.
#[derive(Serialize)]
struct BundleJson<'a> {
    title: &'a str,
    version: &'a str,
    author: &'a str,
    description: &'a str,
    links: &'a [String],
    /// `node`, `python`, `binary` or `uv`.
    program: &'static str,
    /// `unsigned`, `self_signed`, `signed` or `unverified`.
    signature: &'static str,
    sha256: &'a str,
    bytes: u64,
    /// The name that its server gets without another one.
    name: &'a str,
    /// The program that it would start.
    command: Option<&'a str>,
    args: &'a [String],
    /// Why it can't be used on this computer.
    problem: Option<String>,
    notes: Vec<String>,
    inputs: Vec<ImportInput>,
    installed: Vec<InstalledJson<'a>>,
    /// What it changes about one of them.
    update: Option<UpdateJson<'a>>,
}

/// What an update changes, in JSON.
#[derive(Serialize)]
struct UpdateJson<'a> {
    id: i64,
    /// The parts of the definition that differ, as JSON pointers.
    changed: Vec<&'a str>,
    /// The secrets that the new version would get.
    kept: &'a [String],
    /// Why it gets them with `--keep-secrets` only.
    consent: Option<String>,
    /// The variables whose encrypted values are removed.
    removed: &'a [String],
}

/// A server that came from the bundle, in JSON.
#[derive(Serialize)]
struct InstalledJson<'a> {
    id: i64,
    name: &'a str,
    version: &'a str,
    /// Whether it came from this very file.
    same: bool,
}

/// Whether a file is named as a bundle.
pub(super) fn is_bundle(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    path.is_file() && EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Shows a bundle, or saves its server if that is named.
pub(super) async fn import(session: &CommandContext, host: &Host, args: Import) -> Result<(), Fault> {
    let typed = args.app.unwrap_or_default();
    let path = std::path::absolute(&typed).map_err(anyhow::Error::from)?;
    let unchosen = BundleChoice { gives_secrets: args.keep_secrets, ..BundleChoice::default() };
    let review = host.read_bundle(&path, &unchosen, &[]).await?;
    if args.servers.len() > 1 {
        return Err(Fault::usage("a bundle has one server only"));
    }
    let Some(name) = args.servers.into_iter().next().or_else(|| args.all.then(|| default_name(&review)))
    else {
        return show(session.output, &review, &typed);
    };
    let installed = review.installed.iter().find(|server| server.name == name);
    let choice = match (&args.new_name, installed) {
        (Some(name), _) => BundleChoice { name: Some(name.clone()), ..unchosen },
        (None, Some(same)) if same.same && args.values.is_empty() && args.secret_values.is_empty() => {
            return say_unchanged(session.output, host, same);
        }
        (None, Some(server)) => BundleChoice { update: Some(server.id), ..unchosen },
        (None, None) => BundleChoice { name: Some(name), ..unchosen },
    };
    let review = host.read_bundle(&path, &choice, &[]).await?;
    let entry = entry_of(&review);
    let mut values =
        import_values::read_options(session, &[&entry], &args.values, &args.secret_values).await?;
    import_values::ask_for_rest(session, &[&entry], &mut values).await?;
    let shown = host.read_bundle(&path, &choice, &values).await?;
    print_review(session.output, &shown)?;
    let saved = add(session, host, &path, (&shown, choice), &values).await?;
    let view = saved.server();
    let done = match saved {
        BundleOutcome::Added(_) => "Saved",
        BundleOutcome::Updated(_) => "Updated",
        BundleOutcome::AlreadyInstalled(_) => "Nothing to do for",
    };
    if session.output.json {
        // What was entered for an argument may be a secret.
        let shown = shown.server.unwrap_or_else(|| view.config.clone());
        return Ok(session.output.result(&SavedServerJson::from(view).with_address(&shown))?);
    }
    session.output.line(&format!("{done} {}", escape_line(&view.config.name)))?;
    Ok(())
}

/// Brings a server back to the version of its bundle that it had before.
pub(crate) async fn roll_back(session: &CommandContext, args: Rollback) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let work = async {
        let id = server_named(&host, &args.name)?;
        let bundle = host.server_bundle(id).await?;
        let Some(earlier) = bundle.and_then(|it| it.previous) else {
            return Err(HostError::NoEarlierBundle(args.name.clone()).into());
        };
        if !session.output.json {
            print_earlier(session.output, &earlier)?;
        }
        let refused = Fault::usage("going back needs your consent").next("Add --yes.");
        if !ask(session.output, "Go back to it?", args.yes, refused).await? {
            return Ok(None);
        }
        Ok::<_, Fault>(Some((earlier.version, host.roll_back_bundle(id, &earlier.hash).await?)))
    };
    let done = session.interrupt.guard(Box::pin(work)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let Some((version, view)) = done?? else { return Ok(Exit::Ok) };
    if session.output.json {
        session.output.result(&SavedServerJson::from(&view))?;
        return Ok(Exit::Ok);
    }
    let name = escape_line(&view.config.name);
    session.output.line(&format!("{name} is back at version {}", escape_line(&version)))?;
    session.output.note(&format!("The other way: mooring rollback {}", quote(&view.config.name)));
    Ok(Exit::Ok)
}

/// Prints what going back to a version would change.
fn print_earlier(output: Output, earlier: &EarlierBundle) -> Result<(), Fault> {
    let version = escape_line(&earlier.version);
    output.line(&format!("Version {version} runs: {}", command_line(&earlier.server)))?;
    print_changes(output, &earlier.changes, earlier.unshown)?;
    if !earlier.missing.is_empty() {
        output.note(&format!("warning: Enter these secrets again afterwards: {}", names(&earlier.missing)));
    }
    note_removed(output, &earlier.removed);
    Ok(())
}

fn note_removed(output: Output, removed: &[String]) {
    if !removed.is_empty() {
        output.note(&format!("warning: The values of these secrets are removed: {}", names(removed)));
    }
}

fn names(names: &[String]) -> String {
    escape_line(&names.join(", ")).into_owned()
}

/// The server that the bundle would replace or add.
fn default_name(review: &BundleReview) -> String {
    review.installed.first().map_or_else(|| review.name.clone(), |server| server.name.clone())
}

fn say_unchanged(output: Output, host: &Host, server: &InstalledServer) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&SavedServerJson::from(&host.server(server.id)?))?);
    }
    output.line(&format!("{} already came from this file.", escape_line(&server.name)))?;
    Ok(())
}

/// The values that the bundle asks for.
fn entry_of(review: &BundleReview) -> ImportEntry {
    let server = review.server.clone().unwrap_or_else(|| NewServer::new(&review.name, Transport::Stdio));
    ImportEntry::asking(review.name.clone(), Ok(server), review.inputs.clone())
}

async fn add(
    session: &CommandContext,
    host: &Host,
    path: &Path,
    (review, choice): (&BundleReview, BundleChoice),
    values: &[ImportValue],
) -> Result<BundleOutcome, Fault> {
    let bar = session.output.bar(0);
    let (sender, mut progress) = watch::channel(None);
    let adding = host.add_bundle(path, &review.sha256, choice, values, move |now| {
        sender.send_replace(Some(now));
    });
    let showing = async {
        while progress.changed().await.is_ok() {
            if let Some(now) = *progress.borrow_and_update() {
                bar.set_length(now.total);
                bar.set_position(now.done);
            }
        }
        std::future::pending().await
    };
    tokio::select! {
        added = adding => Ok(added?),
        never = showing => never,
    }
}

/// Prints what is known of a bundle, and how to save its server.
fn show(output: Output, review: &BundleReview, typed: &str) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&json(review))?);
    }
    print_review(output, review)?;
    let needed = review.inputs.iter().filter(|input| import_values::is_needed(input));
    let options: Vec<String> = needed.map(import_values::option_for).collect();
    let words = [quote(typed), quote(&default_name(review))];
    let words: Vec<String> = words.into_iter().chain(options).collect();
    if review.problem.is_none() {
        let does = match review.installed.first() {
            None => "Save it",
            Some(server) if server.same => "Change its values",
            Some(_) => "Update it",
        };
        output.note(&format!("{does}: mooring import {}", escape_line(&words.join(" "))));
    }
    Ok(())
}

fn print_review(output: Output, review: &BundleReview) -> Result<(), Fault> {
    if output.json {
        return Ok(());
    }
    let title = output.tone(TextStyle::Strong, &escape_line(&review.title)).to_string();
    let (version, author) = (escape_line(&review.version), escape_line(&review.author));
    output.line(&format!("{title} {version} by {author}"))?;
    if !review.description.is_empty() {
        output.line(&escape_line(&review.description))?;
    }
    output.line(&review.signature_text.to_string())?;
    output.line(&format!("SHA-256 {}", review.sha256))?;
    if let Some(server) = &review.server {
        output.line(&format!("It runs: {}", command_line(server)))?;
    }
    for server in &review.installed {
        let (name, version) = (escape_line(&server.name), escape_line(&server.version));
        let from = if server.same { "this file".to_owned() } else { format!("version {version}") };
        output.line(&format!("{name} came from {from}."))?;
    }
    for input in &review.inputs {
        let name = escape_line(&input.key);
        let about = input.title.iter().chain(&input.description).map(|text| escape_line(text));
        let about = about.collect::<Vec<_>>().join(": ");
        let needed = if import_values::is_needed(input) { " (required)" } else { "" };
        output.line(&format!("Asks for {name}{needed}: {about}"))?;
    }
    if let Some(update) = &review.update {
        print_changes(output, &update.changes, update.unshown)?;
        note_removed(output, &update.removed);
        if let Some(consent) = &update.consent {
            let next = "Agree with --keep-secrets, or enter them again.";
            output.note(&format!("warning: {} {next}", escape_line(&consent.to_string())));
        }
    }
    for note in review.notes.iter().chain(&review.problem) {
        output.note(&format!("warning: {}", escape_line(&note.to_string())));
    }
    Ok(())
}

/// The command of a server, as one would type it.
fn command_line(server: &NewServer) -> String {
    let words = server.command.iter().chain(&server.args).map(|word| quote(word));
    escape_line(&words.collect::<Vec<_>>().join(" ")).into_owned()
}

fn json(review: &BundleReview) -> BundleJson<'_> {
    BundleJson {
        title: &review.title,
        version: &review.version,
        author: &review.author,
        description: &review.description,
        links: &review.links,
        program: review.program.as_str(),
        signature: review.signature.as_str(),
        sha256: &review.sha256,
        bytes: review.file_bytes,
        name: &review.name,
        command: review.server.as_ref().and_then(|server| server.command.as_deref()),
        args: review.server.as_ref().map(|server| server.args.as_slice()).unwrap_or_default(),
        problem: review.problem.as_ref().map(ToString::to_string),
        notes: review.notes.iter().map(ToString::to_string).collect(),
        inputs: review.inputs.clone(),
        installed: review
            .installed
            .iter()
            .map(|server| InstalledJson {
                id: server.id.0,
                name: &server.name,
                version: &server.version,
                same: server.same,
            })
            .collect(),
        update: review.update.as_ref().map(|update| UpdateJson {
            id: update.id.0,
            changed: update.changes.iter().map(|change| change.pointer.as_str()).collect(),
            kept: &update.kept,
            consent: update.consent.as_ref().map(ToString::to_string),
            removed: &update.removed,
        }),
    }
}
