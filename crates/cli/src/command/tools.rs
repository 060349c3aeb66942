//! `mooring tools`: what a server can do.

use std::time::Instant;

use mooring_host::{Tool, ToolList};
use serde_json::Value;

use crate::Session;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Exchange, Output, Tone, shown, width};
use crate::table::Table;
use crate::visit::{How, Visit, visit};

pub(crate) async fn run(session: &Session, args: args::Tools) -> Result<Exit, Fault> {
    visit(session, args.target, true, How::default(), async |visit: Visit<'_>| {
        let started = Instant::now();
        let listed = visit.connection.tools(true).await;
        let elapsed = started.elapsed();
        let view = visit.connection.view();
        let list = match listed {
            Ok(list) => list,
            Err(error) => return visit.failed(&error.into(), &view, elapsed),
        };
        let output = visit.session.output;
        if output.json {
            let tools = list.tools.iter().flat_map(|tool| &tool.diagnostics);
            let all = list.diagnostics.iter().chain(tools);
            output.answer(&list.raw, Exchange::new(&view, visit.transport, all, elapsed))?;
        } else {
            print(output, &list)?;
        }
        Ok(Exit::Ok)
    })
    .await
}

fn print(output: Output, list: &ToolList) -> Result<(), Fault> {
    if list.tools.is_empty() {
        output.line("The server offers no tools.")?;
    }
    let mut table = Table::default();
    for tool in &list.tools {
        table.row([shown(&tool.name).into_owned(), parameters(tool), summary(tool)]);
    }
    for line in table.lines(width(), |_, column, cell| match column {
        0 => output.tone(Tone::Strong, cell).into_owned(),
        1 => output.tone(Tone::Quiet, cell).into_owned(),
        _ => cell.to_owned(),
    }) {
        output.line(&line)?;
    }
    for diagnostic in list.diagnostics.iter().chain(list.tools.iter().flat_map(|tool| &tool.diagnostics)) {
        output.note(&format!("remark: {}", shown(&diagnostic.to_string())));
    }
    Ok(())
}

/// The names of the parameters; optional ones carry a question mark.
fn parameters(tool: &Tool) -> String {
    let schema: Value =
        tool.input_schema.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let names: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(|name| (name, required(name))))
        .into_iter()
        .flatten()
        .map(|(name, required)| format!("{}{}", shown(name), if required { "" } else { "?" }))
        .collect();
    names.join(" ")
}

/// The first line of the description, or the title.
fn summary(tool: &Tool) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    shown(line).into_owned()
}
