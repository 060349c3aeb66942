//! `mooring roots`: folders that are shared with servers.

use std::path::PathBuf;

use mooring_connect::{open_host, server_named};
use mooring_errors::ErrorCode;
use mooring_folders::RootView;
use mooring_host::Host;
use mooring_roots::RootBreadth;
use serde::Serialize;

use crate::CommandContext;
use crate::args::{RootsCommand, RootsScope};
use crate::fault::{Exit, Fault};
use crate::output::{Output, escape_line};
use crate::table::Table;

/// A folder in JSON.
#[derive(Serialize)]
struct RootJson {
    id: i64,
    path: PathBuf,
    name: Option<String>,
    /// `None` for every server that shares the common folders.
    server: Option<String>,
    wide: bool,
    /// Why the folder isn't shared at the moment, if so.
    problem: Option<String>,
}

pub(crate) async fn run(session: &CommandContext, args: crate::args::Roots) -> Result<Exit, Fault> {
    let host = open_host(session, true).await?;
    let done = session.interrupt.guard(run_command(session.output, &host, args)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    done?
}

async fn run_command(output: Output, host: &Host, args: crate::args::Roots) -> Result<Exit, Fault> {
    match args.command {
        None => list(output, host, args.of).await?,
        Some(RootsCommand::Add { folder, name, of, wide_root }) => {
            let server = of.server.as_deref().map(|name| server_named(host, name)).transpose()?;
            let breadth = if wide_root { RootBreadth::Wide } else { RootBreadth::Narrow };
            let here = std::env::current_dir().map_err(anyhow::Error::from)?;
            let folder = here.join(folder);
            let root = host.folders().grant(server, &folder.to_string_lossy(), name, breadth).await;
            let root = root.map_err(|error| match error.code() {
                ErrorCode::RootTooWide => {
                    Fault::from(error).next("Name a folder inside it, or add --wide-root.")
                }
                _ => error.into(),
            })?;
            let line = format!("{} {}", root.id, escape_line(&root.path.to_string_lossy()));
            print_root(output, host, root, &line)?;
            output.note("This doesn’t limit access: a local server can read whatever you can.");
        }
        Some(RootsCommand::Remove { id }) => {
            let root = find(host, id).await?;
            host.folders().remove(id).await?;
            let line = format!("No longer shared: {}", escape_line(&root.path.to_string_lossy()));
            print_root(output, host, root, &line)?;
        }
        Some(RootsCommand::Share { server, withhold }) => {
            let id = server_named(host, &server)?;
            host.folders().share(id, !withhold).await?;
            if output.json {
                output.result(&serde_json::json!({ "server": server, "shared": !withhold }))?;
            } else {
                let what = if withhold { "no longer sees" } else { "now sees" };
                output
                    .line(&format!("{} {what} the folders shared with all servers.", escape_line(&server)))?;
            }
        }
    }
    Ok(Exit::Ok)
}

async fn list(output: Output, host: &Host, of: RootsScope) -> Result<(), Fault> {
    let roots = match of.server {
        Some(name) => host.folders().of_server(server_named(host, &name)?).await?.roots,
        None => host.folders().list().await?,
    };
    let roots: Vec<_> = roots.into_iter().map(|root| json(host, root)).collect();
    if output.json {
        return Ok(output.result(&roots)?);
    }
    if roots.is_empty() {
        output.line("No folders shared. Share one: mooring roots add DIR --server NAME")?;
        return Ok(());
    }
    let mut table = Table::default();
    for root in roots {
        table.row([
            root.id.to_string(),
            root.path.to_string_lossy().into_owned(),
            root.name.unwrap_or_default(),
            root.server.unwrap_or_else(|| "all servers that may see shared folders".to_owned()),
            root.problem.unwrap_or_default(),
        ]);
    }
    Ok(table.print(output, &[])?)
}

async fn find(host: &Host, id: i64) -> Result<RootView, Fault> {
    let found = host.folders().list().await?.into_iter().find(|root| root.id == id);
    found.ok_or_else(|| mooring_errors::HostError::NoSuchRoot(id).into())
}

fn json(host: &Host, root: RootView) -> RootJson {
    let RootView { id, server, path, name, wide, problem } = root;
    let server = server.and_then(|server| host.server(server).ok()).map(|server| server.config.name);
    let problem = problem.map(|problem| problem.sentence().to_string());
    RootJson { id, path, name, server, wide, problem }
}

fn print_root(output: Output, host: &Host, root: RootView, line: &str) -> Result<(), Fault> {
    if output.json {
        output.result(&json(host, root))?;
    } else {
        output.line(line)?;
    }
    Ok(())
}
