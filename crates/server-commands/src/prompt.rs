//! `mooring prompt`: lets the server fill in a prompt.

use mooring_calls::CompletionReference;
use mooring_command_line as args;
use mooring_connect::{ConnectedServer, Session, Verb, Visit, not_listed, take_needed_item, with_connection};
use mooring_faults::{Exit, Fault};
use mooring_jsonrpc::parse_lenient;
use mooring_terminal::ask::{Question, ask_texts, ensure_terminal};
use mooring_terminal::content::block_text;
use mooring_terminal::input::{self, Given};
use mooring_terminal::item::needed;
use mooring_terminal::output::{ExchangeJson, Output, TextStyle, escape, escape_line};
use mooring_terminal::secret_input::can_ask;
use mooring_typed::{Place, nearest};
use mooring_visits::{ItemKind, Outcome, ServerRequest, Wanted};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::call::{SEND_ANYWAY, misfit, show_progress, with_option};

const VERB: Verb = Verb::with("prompt", "PROMPT", true);

/// Runs `mooring prompt`.
pub async fn run(session: &Session, args: args::Prompt) -> Result<Exit, Fault> {
    let args::Prompt { target, send_anyway, ask } = args;
    if ask {
        ensure_terminal()?;
    }
    let read = async |place: &Place, words: Vec<String>| {
        let (prompt, rest) = take_needed_item(VERB, place, "prompt", "prompts", words)?;
        let given = input::read_words(&rest).await.map_err(|fault| with_option(VERB, &rest, fault))?;
        Ok((prompt, given).into())
    };
    with_connection(
        session,
        target,
        Visit::new(VERB),
        read,
        async |visit: ConnectedServer<'_>, (prompt, given)| {
            let output = visit.session.output;
            let arguments = arguments(&visit, &prompt, given, send_anyway, ask).await?;
            let bar = output.spinner(format!("Getting {}", escape_line(&prompt)));
            let request = ServerRequest { what: Wanted::Prompt(prompt, arguments), timeout: visit.timeout };
            let outcome = visit.server.request(request, show_progress(output, bar.clone())).await;
            bar.finish_and_clear();
            print_outcome(&visit, &outcome?)
        },
    )
    .await
}

/// Reads the arguments, all of them texts. Unknown and missing ones are reported before anything is sent.
async fn arguments(
    visit: &ConnectedServer<'_>,
    name: &str,
    given: Given,
    send_anyway: bool,
    ask: bool,
) -> Result<Option<Box<RawValue>>, Fault> {
    let prompts = visit.server.list(ItemKind::Prompts, false).await.ok();
    let Some(listing) = prompts.filter(|_| !send_anyway) else {
        return given.or_piped(visit.session, false).await?.into_object(None);
    };
    let Some(prompt) = listing.items.iter().find(|prompt| prompt.name == name) else {
        let names = listing.items.iter().map(|prompt| prompt.name.as_str());
        return Err(not_listed(visit.place, "prompt", "prompts", name, names).and_next(SEND_ANYWAY));
    };
    let prompt: Value = parse_lenient(prompt.raw.get()).unwrap_or_default();
    let required = needed(&prompt);
    let mut object = given.or_piped(visit.session, !ask && !required.is_empty()).await?.into_object(None)?;
    let mut values: serde_json::Map<String, Value> = match &object {
        Some(object) => serde_json::from_str(object.get()).map_err(anyhow::Error::from)?,
        None => serde_json::Map::new(),
    };
    if ask {
        ask_for(visit, name, &prompt, &required, &mut values)?;
        object = Some(serde_json::value::to_raw_value(&values).map_err(anyhow::Error::from)?);
    }
    let arguments = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> =
        arguments.filter_map(|argument| argument.get("name").and_then(Value::as_str)).collect();
    let missing = required.into_iter().filter(|name| !values.contains_key(name));
    let mut wrong: Vec<String> = missing.map(|name| format!("{name} is missing")).collect();
    let unknown = values.keys().filter(|key| !names.contains(&key.as_str()));
    let meant = unknown.clone().find_map(|key| nearest(key, names.iter().copied()));
    wrong.extend(unknown.map(|key| format!("the prompt takes no {key}")));
    let others = values.iter().filter(|(_, value)| !value.is_string());
    wrong.extend(others.map(|(key, _)| format!("{key} must be a text")));
    if wrong.is_empty() {
        return Ok(object);
    }
    Err(misfit(visit.place, "prompts", name, wrong, meant, !ask && can_ask()))
}

/// Asks for the required arguments that weren't given.
fn ask_for(
    visit: &ConnectedServer<'_>,
    name: &str,
    prompt: &Value,
    required: &[String],
    values: &mut serde_json::Map<String, Value>,
) -> Result<(), Fault> {
    let arguments = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let word = |argument: &Value, key: &str| argument.get(key)?.as_str().map(str::to_owned);
    let asked = arguments
        .map(|argument| Question {
            name: word(argument, "name").unwrap_or_default(),
            about: word(argument, "description").unwrap_or_default(),
            ..Question::default()
        })
        .filter(|asked| required.contains(&asked.name) && !values.contains_key(&asked.name));
    let asked: Vec<Question> = asked.collect();
    let of = CompletionReference::Prompt { name: name.to_owned() };
    let mut texts =
        values.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    ask_texts(visit.session.output, &asked, &mut texts, &visit.proposals(&of))?;
    for Question { name, .. } in asked {
        if let Some(text) = texts.remove(&name) {
            values.insert(name, Value::String(text));
        }
    }
    Ok(())
}

fn print_outcome(visit: &ConnectedServer<'_>, outcome: &Outcome) -> Result<Exit, Fault> {
    let output = visit.session.output;
    let result = outcome.result.as_deref();
    if let Some(fault) = &outcome.fault {
        if let Some(beginning) = result.filter(|_| !output.json) {
            print(output, beginning.get())?;
        }
        return visit.report_failure(fault, result, outcome.elapsed);
    }
    let result = result.unwrap_or(RawValue::NULL);
    if output.json {
        let facts = visit.server.facts();
        output.answer(&result, ExchangeJson::new(&facts, &outcome.remarks, outcome.elapsed))?;
        return Ok(Exit::Ok);
    }
    print(output, result.get())?;
    visit.say_remarks(&outcome.remarks);
    Ok(Exit::Ok)
}

/// Prints the messages with their roles.
fn print(output: Output, result: &str) -> Result<(), Fault> {
    // What can't be parsed is printed as it came.
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
        // Some servers send a list of blocks, as other protocols do.
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
