//! `mooring export`: the saved servers in the format of other apps.

use mooring_connect::{open_host, server_named};
use mooring_definitions::{ConfigFormat, WrittenConfig, write_config};

use crate::CommandContext;
use crate::args::{self, ExportFormat};
use crate::fault::{Exit, Fault};
use crate::files::{already_exists, write_file};
use crate::output::{Output, escape_line};

pub(crate) async fn run(session: &CommandContext, args: args::Export) -> Result<Exit, Fault> {
    let args::Export { name: names, format, output: file, force } = args;
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
    let written =
        write_config(wanted.map(|server| &server.config), to_config(format)).map_err(anyhow::Error::from)?;
    if let Some(file) = &file {
        write_file(file, written.text.as_bytes(), force)?;
        output.note(&format!("Saved: {}", escape_line(&file.display().to_string())));
    }
    if output.json {
        output.result(&written.content)?;
    } else if file.is_none() {
        output.text(&written.text)?;
    }
    note_rest(output, format, &written);
    Ok(Exit::Ok)
}

fn to_config(format: ExportFormat) -> ConfigFormat {
    match format {
        ExportFormat::McpServers => ConfigFormat::McpServers,
        ExportFormat::Vscode => ConfigFormat::VsCode,
        ExportFormat::Codex => ConfigFormat::Codex,
        ExportFormat::Opencode => ConfigFormat::OpenCode,
    }
}

/// Says what the file lacks, and what it shows.
fn note_rest(output: Output, format: ExportFormat, written: &WrittenConfig) {
    if !written.missing.is_empty() {
        let names = written.missing.iter().map(|name| escape_line(name)).collect::<Vec<_>>().join(", ");
        let where_from = match format {
            ExportFormat::McpServers => {
                "mooring import asks for each ${input:NAME}; for another app, put the value there".to_owned()
            }
            ExportFormat::Vscode => format!("VS Code asks for them: {names}"),
            ExportFormat::Codex => format!("Codex reads them from these variables: {names}"),
            ExportFormat::Opencode => format!("OpenCode reads them from these variables: {names}"),
        };
        output.note(&format!("Secret values are left out. {where_from}."));
    }
    for (name, new) in &written.renamed {
        output.note(&format!(
            "{}: named {new}, because the app allows only some characters",
            escape_line(name)
        ));
    }
    for (name, what) in &written.lost {
        output.note(&format!("warning: {}: left out: {what}", escape_line(name)));
    }
    for name in &written.exposed {
        let name = escape_line(name);
        output.note(&format!(
            "warning: {name}: an argument or the URL looks like it holds a secret. It was exported."
        ));
    }
}
