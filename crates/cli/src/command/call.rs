//! `mooring call`: call one tool.

use std::sync::Arc;

use indicatif::ProgressBar;
use mooring_host::{CallEvent, CallOutcome, CallStatus, OnCallEvent, parse_lenient, read_value};
use serde_json::Value;

use crate::CommandContext;
use crate::args;
use crate::connect::{ConnectedServer, with_connection};
use crate::content::block_text;
use crate::fault::{Exit, Fault};
use crate::hint;
use crate::input;
use crate::output::{ExchangeJson, Output, bar_style, escape, escape_line, escape_to_line};

pub(crate) async fn run(session: &CommandContext, args: args::Call) -> Result<Exit, Fault> {
    let arguments = match &args.arguments {
        Some(word) => Some(session.interrupt.guard(input::arguments(word)).await??),
        None => None,
    };
    let target = args::Target { tool: Some(args.name.clone()), ..args.target };
    with_connection(session, target, true, false, async |visit: ConnectedServer<'_>| {
        let output = visit.session.output;
        let bar = output.spinner(format!("Calling {}", escape_line(&args.name)));
        let call = input::call(args.name.clone(), arguments, visit.timeout);
        let called = visit.connection.call_tool(call, show_progress(output, bar.clone())).await;
        bar.finish_and_clear();
        let outcome = called?;
        conclude(&visit, outcome)
    })
    .await
}

/// Turns the spinner into a bar once the server tells how far it goes. What the server logs stands above it, or, where
/// nobody looks, on standard error like every other remark.
pub(crate) fn show_progress(output: Output, bar: ProgressBar) -> OnCallEvent {
    Arc::new(move |event| match event {
        CallEvent::Progress { progress, total, message } => {
            if let Some(total) = total.filter(|total| *total > 0.0) {
                if bar.length().is_none() {
                    bar.set_length(1_000);
                    bar.set_style(bar_style());
                }
                let share = (progress / total).clamp(0.0, 1.0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "from 0 to 1000"
                )]
                bar.set_position((share * 1_000.0) as u64);
            }
            if let Some(message) = message {
                bar.set_message(escape_to_line(&message));
            }
        }
        CallEvent::Log { level, logger, data } => {
            let text = serde_json::from_str::<String>(data.get()).unwrap_or_else(|_| data.get().to_owned());
            let logger = logger.map(|logger| format!(" {logger}")).unwrap_or_default();
            // What it says on further lines is seen to belong to the first.
            let line = escape(&format!("{level}{logger}: {text}")).replace('\n', "\n  ");
            if !bar.is_hidden() {
                bar.println(line);
            } else if !output.json {
                output.note(&line);
            }
        }
    })
}

fn conclude(visit: &ConnectedServer<'_>, outcome: CallOutcome) -> Result<Exit, Fault> {
    let output = visit.session.output;
    let view = visit.connection.view();
    let exit = match (outcome.status, outcome.error) {
        // Of an answer that is too large there is a beginning.
        (_, Some(error)) => {
            let beginning = outcome.result.as_ref();
            if let Some(beginning) = beginning.filter(|_| !output.json) {
                print(output, beginning.get())?;
            }
            return visit.report_failure(&error.into(), beginning, &view, outcome.elapsed);
        }
        (CallStatus::Ok, None) => Exit::Ok,
        (_, None) => Exit::ToolError,
    };
    let result = outcome.result.unwrap_or_default();
    let fault = || hint::for_message(result.get()).into_iter().fold(Fault::tool_error(), Fault::next);
    let fault = (exit == Exit::ToolError).then(fault);
    if output.json {
        let exchange = ExchangeJson::new(&view, visit.transport, &outcome.diagnostics, outcome.elapsed);
        match fault {
            None => output.answer(&result, exchange)?,
            Some(fault) => output.print_failure(&fault, Some(&result), Some(exchange))?,
        }
        return Ok(exit);
    }
    let exit = exit.after_printing(print(output, result.get()))?;
    for diagnostic in &outcome.diagnostics {
        output.note(&format!("remark: {}", escape_line(&diagnostic.to_string())));
    }
    if let Some(fault) = fault {
        output.fault(&fault);
    }
    Ok(exit)
}

/// Prints a result for a person: texts as they are, everything else named.
fn print(output: Output, result: &str) -> Result<(), Fault> {
    // What cannot be taken apart is shown as it came.
    let Some(value) = parse_lenient(result) else {
        return Ok(output.line(&escape(result))?);
    };
    let mut printed = false;
    for block in value.get("content").and_then(Value::as_array).into_iter().flatten() {
        output.line(&block_text(output, block))?;
        printed = true;
    }
    match value.get("structuredContent") {
        Some(structured) if !printed || !repeats_structured(&value, structured) => {
            output.line(&escape(&serde_json::to_string_pretty(structured).map_err(anyhow::Error::from)?))?;
        }
        None if !printed => {
            output.line(&escape(&serde_json::to_string_pretty(&value).map_err(anyhow::Error::from)?))?;
        }
        _ => {}
    }
    Ok(())
}

/// Whether a text of the result is the structured content once more, as the specification asks for.
fn repeats_structured(value: &Value, structured: &Value) -> bool {
    value.get("content").and_then(Value::as_array).is_some_and(|blocks| {
        blocks.iter().any(|block| {
            let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
            read_value(text).is_ok_and(|parsed| parsed == *structured)
        })
    })
}
