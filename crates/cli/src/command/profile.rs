//! `mooring profile`: named sets of servers, tools and folders.

mod file;

use std::path::PathBuf;

use mooring_connect::{open_host, server_named};
use mooring_errors::HostError;
use mooring_host::{Host, ProfileView};
use mooring_profiles::{HiddenItem, NewProfile, ProfileServer};
use serde::Serialize;

use crate::CommandContext;
use crate::args::{NewProfileArgs, ProfileArgs, ProfileCommand};
use crate::fault::{Exit, Fault};
use crate::output::{Output, escape_line, quote};
use crate::table::Table;

/// The word for the use of no profile.
const NONE: &str = "none";

/// A profile in JSON.
#[derive(Serialize)]
struct ProfileJson {
    name: String,
    active: bool,
    servers: Vec<String>,
    /// Servers that were removed, or were never found here.
    missing: Vec<String>,
    hidden: Vec<HiddenJson>,
    /// `None` for all shared folders.
    folders: Option<Vec<String>>,
    project: Option<String>,
}

/// Something that apps don’t see, in JSON.
#[derive(Serialize)]
struct HiddenJson {
    /// `None` for all apps.
    app: Option<String>,
    server: String,
    /// `None` for the whole server.
    tool: Option<String>,
}

pub(crate) async fn run(session: &CommandContext, args: ProfileArgs) -> Result<Exit, Fault> {
    let host = open_host(session, true).await?;
    let command = args.command.unwrap_or(ProfileCommand::List);
    let done = session.interrupt.guard(run_command(session.output, &host, command)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    done?
}

async fn run_command(output: Output, host: &Host, command: ProfileCommand) -> Result<Exit, Fault> {
    match command {
        ProfileCommand::List => list(output, host)?,
        ProfileCommand::Show { profile } => print_profile(output, to_json(host, named(host, &profile)?))?,
        ProfileCommand::Use { profile } => switch(output, host, &profile).await?,
        ProfileCommand::Create(args) => {
            let saved = host.save_profile(None, read_new(host, args)?).await?;
            let use_it = format!("Use it: mooring profile use {}", quote(&saved.name));
            print_profile(output, to_json(host, saved))?;
            output.note(&escape_line(&use_it));
        }
        ProfileCommand::Delete { profile } => delete(output, host, named(host, &profile)?).await?,
        ProfileCommand::Export { profile, file, force } => {
            file::export(output, host, &profile, file.as_deref(), force)?;
        }
        ProfileCommand::Import(args) => file::import(output, host, args).await?,
    }
    Ok(Exit::Ok)
}

fn named(host: &Host, name: &str) -> Result<ProfileView, Fault> {
    let id = host.profile_named(name)?.id;
    let found = host.profile_views().into_iter().find(|view| view.id == id);
    found.ok_or_else(|| Fault::usage(format!("no profile is called {name}")))
}

fn list(output: Output, host: &Host) -> Result<(), Fault> {
    let profiles = host.profile_views().into_iter().map(|view| to_json(host, view));
    let profiles: Vec<ProfileJson> = profiles.collect();
    if output.json {
        return Ok(output.result(&profiles)?);
    }
    if profiles.is_empty() {
        return Ok(output.line("No profiles. Save one: mooring profile create NAME --server SERVER")?);
    }
    let is_any_active = profiles.iter().any(|profile| profile.active);
    let mut table = Table::default();
    for profile in profiles {
        let missing = profile.missing.join(", ");
        table.row([
            profile.name,
            if profile.active { "in use".to_owned() } else { String::new() },
            profile.servers.join(", "),
            if missing.is_empty() { missing } else { format!("missing: {missing}") },
            profile.project.unwrap_or_default(),
        ]);
    }
    table.print(output, &[])?;
    if !is_any_active {
        output.note("No profile is in use: apps see everything that you allowed them.");
    }
    Ok(())
}

fn print_profile(output: Output, profile: ProfileJson) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(&profile)?);
    }
    let hidden = profile.hidden.iter().map(|HiddenJson { app, server, tool }| {
        let item = tool.as_ref().map_or_else(|| server.clone(), |tool| format!("{server}/{tool}"));
        app.as_ref().map_or_else(|| item.clone(), |app| format!("{item} (from {app})"))
    });
    let hidden = hidden.collect::<Vec<_>>().join(", ");
    let folders = match &profile.folders {
        None => "all that are shared".to_owned(),
        Some(folders) if folders.is_empty() => NONE.to_owned(),
        Some(folders) => folders.join(", "),
    };
    let servers = if profile.servers.is_empty() { NONE.to_owned() } else { profile.servers.join(", ") };
    let mut table = Table::default();
    for (what, value) in [
        ("Profile", profile.name),
        ("In use", if profile.active { "yes" } else { "no" }.to_owned()),
        ("Servers", servers),
        ("Missing", profile.missing.join(", ")),
        ("Hidden", hidden),
        ("Folders", folders),
        ("Project folder", profile.project.unwrap_or_default()),
    ] {
        if !value.is_empty() {
            table.row([what.to_owned(), value]);
        }
    }
    Ok(table.print(output, &[])?)
}

async fn switch(output: Output, host: &Host, name: &str) -> Result<(), Fault> {
    let wanted = if name.eq_ignore_ascii_case(NONE) { None } else { Some(host.profile_named(name)?) };
    let id = wanted.as_ref().map(|profile| profile.id);
    let before = host.profiles().switch(id).await.map_err(HostError::from)?;
    let before = host.profile_views().into_iter().find(|view| Some(view.id) == before).map(|view| view.name);
    let now = wanted.map(|profile| profile.content.name);
    if output.json {
        return Ok(output.result(&serde_json::json!({ "profile": now, "before": before }))?);
    }
    match &now {
        Some(name) => output.line(&format!("Apps now see the profile {}.", escape_line(name)))?,
        None => output.line("No profile is in use: apps see everything that you allowed them.")?,
    }
    if before != now {
        let before = before.map_or_else(|| NONE.to_owned(), |name| quote(&name));
        output.note(&format!("Undo: mooring profile use {}", escape_line(&before)));
    }
    Ok(())
}

async fn delete(output: Output, host: &Host, view: ProfileView) -> Result<(), Fault> {
    let (_, was_active) = host.profiles().remove(view.id).await.map_err(HostError::from)?;
    if output.json {
        output.result(&to_json(host, ProfileView { is_active: false, ..view }))?;
    } else {
        output.line(&format!("Deleted {}.", escape_line(&view.name)))?;
    }
    if was_active {
        output.note("It was in use: apps see everything that you allowed them again.");
    }
    Ok(())
}

/// The profile that the options describe.
fn read_new(host: &Host, args: NewProfileArgs) -> Result<NewProfile, Fault> {
    let here = std::env::current_dir().map_err(anyhow::Error::from)?;
    let servers = args.server.into_iter().map(|name| {
        let server = Some(server_named(host, &name)?);
        Ok::<_, Fault>(ProfileServer { server, name })
    });
    let of_all = args.hide.iter().map(|item| Ok((None, item.as_str())));
    let of_apps = args.hide_from.iter().map(|item| match item.split_once(':') {
        Some((app, item)) => Ok((Some(app.to_owned()), item)),
        None => Err(Fault::usage(format!("--hide-from takes APP:SERVER or APP:SERVER/TOOL, not {item}"))),
    });
    let hidden = of_all.chain(of_apps).map(|item| {
        let (app, item) = item?;
        let (server, tool) = item.split_once('/').map_or((item, None), |(server, tool)| (server, Some(tool)));
        Ok::<_, Fault>(HiddenItem { app, server: server_named(host, server)?, tool: tool.map(str::to_owned) })
    });
    let real = |folder: PathBuf| {
        let folder = here.join(folder);
        folder.canonicalize().unwrap_or(folder)
    };
    let is_chosen = args.no_roots || !args.root.is_empty();
    Ok(NewProfile {
        name: args.profile,
        servers: servers.collect::<Result<_, _>>()?,
        hidden: hidden.collect::<Result<_, _>>()?,
        folders: is_chosen.then(|| args.root.into_iter().map(real).collect()),
        project: args.project.map(|project| here.join(project)),
    })
}

fn to_json(host: &Host, view: ProfileView) -> ProfileJson {
    let name = |id| host.server(id).map(|server| server.config.name).ok();
    let hidden = view
        .hidden
        .into_iter()
        .filter_map(|HiddenItem { app, server, tool }| Some(HiddenJson { app, server: name(server)?, tool }));
    ProfileJson {
        name: view.name,
        active: view.is_active,
        servers: view.servers.into_iter().filter_map(name).collect(),
        missing: view.missing.into_iter().map(|server| server.name).collect(),
        hidden: hidden.collect(),
        folders: view.folders,
        project: view.project,
    }
}
