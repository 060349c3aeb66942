//! `mooring export`: the saved servers in the format of other apps.

use mooring_connect::{open_host, server_named};
use mooring_definitions::write_config;

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::files::{already_exists, write_file};
use crate::output::escape_line;

pub(crate) async fn run(session: &CommandContext, args: args::Export) -> Result<Exit, Fault> {
    let args::Export { name: names, output: file, force } = args;
    if let Some(path) = file.as_deref().filter(|path| !force && path.exists()) {
        return Err(already_exists(path));
    }
    let output = session.output;
    let host = open_host(session, false).await?;
    let named = names.iter().map(|name| server_named(&host, name)).collect::<Result<Vec<_>, _>>();
    let servers = host.servers();
    session.interrupt.clean_up(host.shutdown()).await;
    let named = named?;
    let wanted = servers.iter().filter(|server| named.is_empty() || named.contains(&server.id));
    let config = write_config(wanted.map(|server| &server.config));
    let text = serde_json::to_string_pretty(&config.content).map_err(anyhow::Error::from)? + "\n";
    if let Some(file) = &file {
        write_file(file, text.as_bytes(), force)?;
        output.note(&format!("Saved: {}", escape_line(&file.display().to_string())));
    }
    if output.json {
        output.result(&config.content)?;
    } else if file.is_none() {
        output.text(&text)?;
    }
    if config.has_placeholders {
        output.note(
            "Secret values are left out. mooring import asks for each ${input:NAME}; for another app, put the value there.",
        );
    }
    for name in config.exposed {
        let name = escape_line(&name).into_owned();
        output.note(&format!(
            "warning: {name}: an argument or the URL looks like it holds a secret. It was exported."
        ));
    }
    Ok(Exit::Ok)
}
