//! `mooring prompt`: have one prompt filled in.

use mooring_host::{CallOutcome, Caller, PromptCall, parse_lenient};
use serde_json::Value;

use crate::CommandContext;
use crate::args;
use crate::command::call::show_progress;
use crate::connect::{ConnectedServer, with_connection};
use crate::content::block_text;
use crate::fault::{Exit, Fault};
use crate::input;
use crate::output::{ExchangeJson, Output, TextStyle, escape, escape_line};

pub(crate) async fn run(session: &CommandContext, args: args::Prompt) -> Result<Exit, Fault> {
    let arguments = match &args.arguments {
        Some(word) => Some(session.interrupt.guard(input::arguments(word)).await??),
        None => None,
    };
    with_connection(session, args.target, true, false, async |visit: ConnectedServer<'_>| {
        let output = visit.session.output;
        let bar = output.spinner(format!("Getting {}", escape_line(&args.name)));
        let (idle, total) = (visit.timeout, visit.timeout);
        let call = PromptCall {
            request: None,
            prompt: args.name,
            arguments,
            caller: Caller::CommandLine,
            idle,
            total,
        };
        let outcome = visit.connection.get_prompt(call, show_progress(output, bar.clone())).await;
        bar.finish_and_clear();
        conclude(&visit, outcome?)
    })
    .await
}

fn conclude(visit: &ConnectedServer<'_>, outcome: CallOutcome) -> Result<Exit, Fault> {
    let output = visit.session.output;
    let view = visit.connection.view();
    if let Some(error) = outcome.error {
        let beginning = outcome.result.as_ref();
        if let Some(beginning) = beginning.filter(|_| !output.json) {
            print(output, beginning.get())?;
        }
        return visit.report_failure(&error.into(), beginning, &view, outcome.elapsed);
    }
    let result = outcome.result.unwrap_or_default();
    if output.json {
        let exchange = ExchangeJson::new(&view, visit.transport, &outcome.diagnostics, outcome.elapsed);
        output.answer(&result, exchange)?;
        return Ok(Exit::Ok);
    }
    print(output, result.get())?;
    for diagnostic in &outcome.diagnostics {
        output.note(&format!("remark: {}", escape_line(&diagnostic.to_string())));
    }
    Ok(Exit::Ok)
}

/// Prints the messages with who says them.
fn print(output: Output, result: &str) -> Result<(), Fault> {
    // What cannot be taken apart is shown as it came.
    let Some(value) = parse_lenient(result) else {
        return Ok(output.line(&escape(result))?);
    };
    if let Some(description) = value.get("description").and_then(Value::as_str) {
        output.note(&output.error_tone(TextStyle::Quiet, &escape(description)));
    }
    let messages: Vec<&Value> =
        value.get("messages").and_then(Value::as_array).into_iter().flatten().collect();
    if messages.is_empty() {
        output.note("The prompt has no messages.");
    }
    for message in messages {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("without a role");
        output.line(&output.tone(TextStyle::Strong, &escape_line(&format!("{role}:"))))?;
        // Some servers send a list of blocks, as other protocols have it.
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
        for block in blocks {
            for line in block_text(output, block).lines() {
                output.line(&format!("  {line}"))?;
            }
        }
    }
    Ok(())
}
