//! `mooring call`: call one tool.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use indicatif::ProgressBar;
use mooring_calls::{CallEvent, OnCallEvent, check_value};
use mooring_command_line as args;
use mooring_connect::{
    ConnectedServer, NamedItem, Session, Verb, Visit, is_option, line_with, not_listed, take_needed_item,
    unknown_option, with_connection,
};
use mooring_faults::{Exit, Fault, hint};
use mooring_forms::{SchemaProblem, SchemaProblemCode};
use mooring_jsonrpc::{parse_lenient, read_value};
use mooring_terminal::ask::{ask_members, ensure_terminal};
use mooring_terminal::content::block_text;
use mooring_terminal::files::{already_exists, parts_of, save_parts, texts};
use mooring_terminal::input::{self, Given};
use mooring_terminal::output::{ExchangeJson, Output, bar_style, escape, escape_line, escape_to_line, quote};
use mooring_terminal::schema::{problem, unknown_members};
use mooring_terminal::secret_input::can_ask;
use mooring_typed::{Place, SchemaView};
use mooring_visits::{ItemKind, Outcome, ServerRequest, Wanted};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use serde_json_path::JsonPath;

/// The largest number of problems of the arguments that are printed.
const MOST_PROBLEMS: usize = 5;

/// The hint for people who may know better than the server's list.
pub(super) const SEND_ANYWAY: &str = "To send it as it is: --send-anyway";

const VERB: Verb = Verb::with("call", "TOOL", true);

/// Runs `mooring call`.
pub async fn run(session: &Session, args: args::Call) -> Result<Exit, Fault> {
    let args::Call { target, send_anyway, ask, output: file, force, text, structured, jsonpath } = args;
    if let Some(path) = file.as_deref().filter(|path| !force && path.is_file()) {
        return Err(already_exists(path));
    }
    let path = jsonpath.map(|path| {
        JsonPath::parse(&path)
            .map_err(|error| Fault::usage(format!("--jsonpath doesn’t take {path}: {error}")))
    });
    let shows = match (path.transpose()?, text, structured) {
        (Some(path), ..) => Shows::At(path),
        (None, true, _) => Shows::Text,
        (None, _, true) => Shows::Structured,
        (None, ..) => Shows::All,
    };
    if ask {
        ensure_terminal()?;
    }
    let read = async |place: &Place, words: Vec<String>| {
        let (tool, rest) = take_needed_item(VERB, place, "tool", "tools", words)?;
        let given = input::read_words(&rest).await.map_err(|fault| with_option(VERB, &rest, fault))?;
        Ok(NamedItem { tool: Some(tool.clone()), what: (tool, given) })
    };
    with_connection(
        session,
        target,
        Visit::new(VERB),
        read,
        async |visit: ConnectedServer<'_>, (name, given)| {
            let output = visit.session.output;
            let arguments = arguments(&visit, &name, given, send_anyway, ask).await?;
            let bar = output.spinner(format!("Calling {}", escape_line(&name)));
            let request = ServerRequest { what: Wanted::Tool(name, arguments), timeout: visit.timeout };
            let called = visit.server.request(request, show_progress(output, bar.clone())).await;
            bar.finish_and_clear();
            let outcome = called?;
            print_outcome(&visit, outcome, &shows, file.as_deref().map(|file| (file, force)))
        },
    )
    .await
}

/// The schema in a tool's definition.
#[derive(Default, Deserialize)]
struct Described<'a> {
    #[serde(borrow, rename = "inputSchema")]
    input_schema: Option<&'a RawValue>,
}

/// Reads the arguments in the form that the tool's schema expects. Problems are reported before anything is
/// sent.
async fn arguments(
    visit: &ConnectedServer<'_>,
    name: &str,
    given: Given,
    send_anyway: bool,
    ask: bool,
) -> Result<Option<Box<RawValue>>, Fault> {
    // A server that can't list its tools may still answer calls.
    let Ok(list) = visit.server.list(ItemKind::Tools, false).await else {
        return given.or_piped(visit.session, false).await?.into_object(None);
    };
    let Some(tool) = list.items.iter().find(|tool| tool.name == name) else {
        if send_anyway {
            return given.or_piped(visit.session, false).await?.into_object(None);
        }
        let names = list.items.iter().map(|tool| tool.name.as_str());
        return Err(not_listed(visit.place, "tool", "tools", name, names).and_next(SEND_ANYWAY));
    };
    let described: Described<'_> = serde_json::from_str(tool.raw.get()).unwrap_or_default();
    let raw = described.input_schema.filter(|raw| raw.get().starts_with('{'));
    let given = match raw {
        Some(raw) if ask => ask_members(visit.session.output, raw, given).await?,
        _ => given,
    };
    let text = raw.map(RawValue::get);
    let schema = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let view = schema.as_ref().map(SchemaView::new);
    let needed = !ask && view.is_some_and(|view| !view.required().is_empty());
    let object = given.or_piped(visit.session, needed).await?.into_object(view)?;
    let (Some(text), Some(view), false) = (text, view, send_anyway) else { return Ok(object) };
    let value = object.as_ref().map_or("{}", |object| object.get());
    let check = check_value(text.to_owned(), value.to_owned(), BTreeMap::new()).await;
    let unknown = unknown_members(view, value);
    if check.problems.is_empty() {
        for (key, meant) in unknown.iter().filter_map(|(key, meant)| Some((key, (*meant)?))) {
            let remark = format!("remark: {name} names no argument {key}. Did you mean {meant}?");
            visit.session.output.note(&escape_line(&remark));
        }
        return Ok(object);
    }
    let meant = unknown.iter().find_map(|(_, meant)| *meant);
    Err(misfit(
        visit.place,
        "tools",
        name,
        wrong_in(name, view, &check.problems, &unknown),
        meant,
        !ask && can_ask(),
    ))
}

/// What is wrong with a tool's arguments: values that don't fit, and names that it doesn't take.
fn wrong_in(
    name: &str,
    schema: SchemaView<'_>,
    problems: &[SchemaProblem],
    unknown: &[(String, Option<&str>)],
) -> Vec<String> {
    let is_named = |found: &&SchemaProblem| {
        found.code != SchemaProblemCode::UnknownProperty || found.at.matches('/').count() > 1
    };
    let wrong = problems.iter().filter(is_named).map(|found| problem(schema, found));
    wrong.chain(unknown.iter().map(|(key, _)| format!("{name} takes no {key}"))).collect()
}

/// The fault for wrong arguments, with the name that was probably meant and the command that shows the right
/// ones; `list` is that command.
pub(super) fn misfit(
    place: &Place,
    list: &str,
    name: &str,
    mut wrong: Vec<String>,
    meant: Option<&str>,
    can_be_asked: bool,
) -> Fault {
    wrong.truncate(MOST_PROBLEMS);
    let meant = meant.map(|meant| format!("Did you mean {meant}? ")).unwrap_or_default();
    let lacks = wrong.iter().any(|wrong| wrong.ends_with(" is missing"));
    let ask = if lacks && can_be_asked { " To be asked for it: --ask." } else { "" };
    let next = format!("{meant}See what it takes: {}.{ask}", line_with(place, list, &quote(name)));
    Fault { kind: "arguments".into(), ..Fault::usage(wrong.join("; ")).next(next).and_next(SEND_ANYWAY) }
}

/// If a word looks like a misspelled option of ours, the fault says so instead.
pub(super) fn with_option(verb: Verb, words: &[String], fault: Fault) -> Fault {
    let option = words.iter().find(|word| is_option(word));
    match option.map(|option| unknown_option(verb, option)) {
        Some(named) if named.details.next.as_deref().is_some_and(|next| next.starts_with("Did you mean")) => {
            named
        }
        _ => fault,
    }
}

/// Turns the spinner into a bar once the server reports its progress. The server's log messages are printed
/// above it, or, without a terminal, on standard error like all other remarks.
pub(crate) fn show_progress(output: Output, bar: ProgressBar) -> OnCallEvent {
    Arc::new(move |event| match event {
        // The call was cancelled.
        _ if bar.is_finished() => {}
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
            // Further lines are indented, so that they visibly belong to the first.
            let line = escape(&format!("{level}{logger}: {text}")).replace('\n', "\n  ");
            if !bar.is_hidden() {
                bar.println(line);
            } else if !output.json {
                output.note(&line);
            }
        }
    })
}

/// What is printed of a result.
#[derive(Debug)]
enum Shows {
    All,
    Text,
    Structured,
    At(JsonPath),
}

fn print_outcome(
    visit: &ConnectedServer<'_>,
    outcome: Outcome,
    shows: &Shows,
    save: Option<(&Path, bool)>,
) -> Result<Exit, Fault> {
    let output = visit.session.output;
    let exit = match (outcome.is_tool_error, outcome.fault) {
        // The start of an answer that is too large is available.
        (_, Some(fault)) => {
            let beginning = outcome.result.as_deref();
            if let Some(beginning) = beginning.filter(|_| !output.json) {
                print(output, beginning.get())?;
            }
            return visit.report_failure(&fault, beginning, outcome.elapsed);
        }
        (false, None) => Exit::Ok,
        (true, None) => Exit::ToolError,
    };
    let result = outcome.result.as_deref().unwrap_or(RawValue::NULL);
    let fault = || hint::for_message(result.get()).into_iter().fold(Fault::tool_error(), Fault::next);
    let fault = (exit == Exit::ToolError).then(fault);
    // An error that a tool reports isn't saved as a result.
    let saved = match save.filter(|_| fault.is_none()) {
        Some((place, force)) => {
            let value = parse_lenient(result.get()).unwrap_or_default();
            save_parts(&parts_of(&value)?, place, force)?
        }
        None => Vec::new(),
    };
    if output.json {
        let facts = visit.server.facts();
        let exchange = ExchangeJson::new(&facts, &outcome.remarks, outcome.elapsed);
        match fault {
            None => output.answer(&result, exchange)?,
            Some(fault) => output.print_failure(&fault, Some(result), Some(exchange))?,
        }
        return Ok(exit);
    }
    for path in &saved {
        output.note(&format!("Saved: {}", escape_line(&path.display().to_string())));
    }
    let printed = match shows {
        Shows::All if !saved.is_empty() => Ok(()),
        Shows::All => print(output, result.get()),
        Shows::Text => print_texts(output, result.get()),
        Shows::Structured => print_structured(output, result.get()),
        Shows::At(path) => print_found(output, result.get(), path),
    };
    let exit = exit.after_printing(printed)?;
    visit.say_remarks(&outcome.remarks);
    if let Some(fault) = fault {
        output.fault(&fault);
    }
    Ok(exit)
}

fn print_texts(output: Output, result: &str) -> Result<(), Fault> {
    let value = parse_lenient(result).unwrap_or_default();
    for text in texts(&value) {
        if output.is_terminal() {
            output.line(&escape(text.trim_end_matches('\n')))?;
        } else {
            output.text(text)?;
        }
    }
    Ok(())
}

/// Prints texts as they are, everything else as JSON.
fn print_found(output: Output, result: &str, path: &JsonPath) -> Result<(), Fault> {
    let value = parse_lenient(result).unwrap_or_default();
    let found = path.query(&value).all();
    if found.is_empty() {
        return Err(Fault::new(Exit::ServerError, "no_match", format!("the result has nothing at {path}"))
            .next("See all of it: --json"));
    }
    for value in found {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output.line(&escape(&text))?;
    }
    Ok(())
}

fn print_structured(output: Output, result: &str) -> Result<(), Fault> {
    let value = parse_lenient(result).unwrap_or_default();
    let Some(structured) = value.get("structuredContent") else {
        return Err(Fault::new(Exit::ServerError, "no_structure", "the result has no structured data")
            .next("Print its texts: --text"));
    };
    output.line(&escape(&serde_json::to_string_pretty(structured).map_err(anyhow::Error::from)?))?;
    Ok(())
}

/// Prints a result for people: texts as they are, everything else with its kind.
fn print(output: Output, result: &str) -> Result<(), Fault> {
    // What can't be parsed is printed as it came.
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

/// Whether a text of the result repeats the structured content, as the specification recommends.
fn repeats_structured(value: &Value, structured: &Value) -> bool {
    value.get("content").and_then(Value::as_array).is_some_and(|blocks| {
        blocks.iter().any(|block| {
            let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
            read_value(text).is_ok_and(|parsed| parsed == *structured)
        })
    })
}
