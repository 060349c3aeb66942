//! `mooring read`: reads one resource.

use std::collections::BTreeMap;
use std::path::Path;

use mooring_base::uri_template::UriTemplate;
use mooring_calls::CompletionReference;
use mooring_command_line as args;
use mooring_connect::{ConnectedServer, Session, Verb, Visit, line_with, take_needed_item, with_connection};
use mooring_faults::{Exit, Fault};
use mooring_jsonrpc::parse_lenient;
use mooring_terminal::ask::{Question, ask_texts, ensure_terminal};
use mooring_terminal::content::{decode_base64, size};
use mooring_terminal::files::{already_exists, write_file};
use mooring_terminal::input::{self, Given};
use mooring_terminal::output::{ExchangeJson, Output, TextStyle, escape, escape_line, quote};
use mooring_typed::{Place, nearest};
use mooring_visits::{Outcome, ServerRequest, Wanted};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::call::{show_progress, with_option};

/// JSON-RPC's codes for a resource that doesn't exist: in the session era and in the stateless one (RES-03).
const NOT_FOUND: [i64; 2] = [-32002, -32602];

/// One part of the resource's contents.
struct ResourcePart<'a> {
    uri: &'a str,
    kind: Option<&'a str>,
    data: PartData<'a>,
}

enum PartData<'a> {
    Text(&'a str),
    Bytes(Vec<u8>),
    /// The contents are neither a text nor base64.
    Unreadable,
}

const VERB: Verb = Verb::with("read", "URI", true);

/// Runs `mooring read`.
pub async fn run(session: &Session, args: args::Read) -> Result<Exit, Fault> {
    if let Some(path) = args.output.as_deref().filter(|path| !args.force && path.exists()) {
        return Err(already_exists(path));
    }
    let args::Read { output: file, force, ask, target } = args;
    if ask {
        ensure_terminal()?;
    }
    let read = async |place: &Place, words: Vec<String>| {
        let (uri, rest) = take_needed_item(VERB, place, "resource", "resources", words)?;
        let variables = input::read_words(&rest).await.map_err(|fault| with_option(VERB, &rest, fault))?;
        Ok((uri, variables).into())
    };
    with_connection(
        session,
        target,
        Visit::new(VERB),
        read,
        async |visit: ConnectedServer<'_>, (uri, variables): (String, Given)| {
            let output = visit.session.output;
            let (uri, template) = fill_in(&visit, uri, variables, ask)?;
            let bar = output.spinner(format!("Reading {}", escape_line(&uri)));
            let request = ServerRequest { what: Wanted::Resource { uri, template }, timeout: visit.timeout };
            let outcome = visit.server.request(request, show_progress(output, bar.clone())).await;
            bar.finish_and_clear();
            print_outcome(&visit, outcome?, file.as_deref(), force)
        },
    )
    .await
}

/// Fills variables into a URI template and returns the URI with the template, or returns a plain URI as it
/// is.
fn fill_in(
    visit: &ConnectedServer<'_>,
    uri: String,
    variables: Given,
    ask: bool,
) -> Result<(String, Option<String>), Fault> {
    let template = match UriTemplate::parse(&uri) {
        Ok(template) => template,
        // A URI may contain braces without being a template.
        Err(_) if matches!(variables, Given::Nothing) => return Ok((uri, None)),
        Err(error) => return Err(Fault::usage(format!("no template: {uri}: {}", error.sentence()))),
    };
    let names = template.variables();
    let given: serde_json::Map<String, Value> = match variables.into_object(None)? {
        Some(object) => serde_json::from_str(object.get()).map_err(anyhow::Error::from)?,
        None => serde_json::Map::new(),
    };
    let text = |(key, value): (String, Value)| {
        (key, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let mut values: BTreeMap<String, String> = given.into_iter().map(text).collect();
    if let Some(unknown) = values.keys().find(|name| !names.contains(name)) {
        let message = if names.is_empty() {
            format!("the URI takes no {unknown}: only a template has variables")
        } else {
            format!("the template takes no {unknown}")
        };
        let near = nearest(unknown, names.iter().map(String::as_str));
        let next = near.map_or_else(
            || format!("List them: {}", line_with(visit.place, "templates", "")),
            |near| format!("Did you mean {near}?"),
        );
        return Err(Fault::usage(message).next(next));
    }
    if names.is_empty() {
        return Ok((uri, None));
    }
    if ask {
        let asked = |name: &String| Question { name: name.clone(), ..Question::default() };
        let asked: Vec<Question> = names.iter().map(asked).collect();
        let of = CompletionReference::Template { uri_template: uri.clone() };
        ask_texts(visit.session.output, &asked, &mut values, &visit.proposals(&of))?;
    } else if values.is_empty() {
        let words = names.iter().map(|name| format!("{name}=…")).collect::<Vec<_>>().join(" ");
        let line = line_with(visit.place, "read", &format!("{} {words}", quote(&uri)));
        return Err(
            Fault::usage(format!("{} is missing", names.join(", "))).next(format!("{line} (or --ask)"))
        );
    }
    Ok((template.expand(&values), Some(uri)))
}

fn print_outcome(
    visit: &ConnectedServer<'_>,
    outcome: Outcome,
    file: Option<&Path>,
    force: bool,
) -> Result<Exit, Fault> {
    let output = visit.session.output;
    if let Some(mut fault) = outcome.fault {
        if fault.details.code.is_some_and(|code| NOT_FOUND.contains(&code)) {
            let lines = ["resources", "templates"].map(|verb| line_with(visit.place, verb, ""));
            fault = fault.next(format!("List them: {}", lines.join(", ")));
        }
        let beginning = outcome.result.as_deref();
        if let Some(value) =
            beginning.filter(|_| !output.json).and_then(|beginning| parse_lenient(beginning.get()))
        {
            print(output, &parts(&value))?;
        }
        return visit.report_failure(&fault, beginning, outcome.elapsed);
    }
    let result = outcome.result.as_deref().unwrap_or(RawValue::NULL);
    let value = parse_lenient(result.get());
    let parts = value.as_ref().map(parts).unwrap_or_default();
    if let Some(file) = file {
        save(file, force, &parts)?;
    }
    if output.json {
        let facts = visit.server.facts();
        output.answer(&result, ExchangeJson::new(&facts, &outcome.remarks, outcome.elapsed))?;
        return Ok(Exit::Ok);
    }
    match file {
        Some(file) => {
            let bytes = parts.first().map_or(0, |part| part.data.bytes().len());
            let place = file.display().to_string();
            output.note(&format!("Saved: {}, {}", escape_line(&place), size(bytes as u64)));
        }
        // What can't be parsed is printed as it came.
        None if value.is_none() => output.line(&escape(result.get()))?,
        None => print(output, &parts)?,
    }
    visit.say_remarks(&outcome.remarks);
    Ok(Exit::Ok)
}

fn parts(value: &Value) -> Vec<ResourcePart<'_>> {
    value.get("contents").and_then(Value::as_array).into_iter().flatten().map(ResourcePart::read).collect()
}

impl<'a> ResourcePart<'a> {
    fn read(content: &'a Value) -> Self {
        let text = |name: &str| content.get(name).and_then(Value::as_str);
        let data = match (text("text"), text("blob")) {
            (Some(words), _) => PartData::Text(words),
            (None, Some(blob)) => decode_base64(blob).map_or(PartData::Unreadable, PartData::Bytes),
            (None, None) => PartData::Unreadable,
        };
        Self { uri: text("uri").unwrap_or("a part without a URI"), kind: text("mimeType"), data }
    }

    /// Describes a part that can't be printed.
    fn describe(&self) -> String {
        let kind = self.kind.unwrap_or("bytes of an unknown type");
        match &self.data {
            PartData::Unreadable => format!("[{kind}: neither text nor base64]"),
            data => format!("[{kind}, {}]", size(data.bytes().len() as u64)),
        }
    }
}

impl PartData<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
            Self::Unreadable => &[],
        }
    }
}

/// On a terminal, prints the parts with their names; elsewhere, only the texts.
fn print(output: Output, parts: &[ResourcePart<'_>]) -> Result<(), Fault> {
    if parts.is_empty() {
        output.note("The server sent nothing: the resource is empty or doesn’t exist.");
    }
    let mut unsaved = false;
    for part in parts {
        if parts.len() > 1 {
            let heading = format!("{} {}", part.uri, part.describe());
            output.note(&output.error_tone(TextStyle::Quiet, &escape_line(&heading)));
        }
        match &part.data {
            PartData::Text(text) if output.is_terminal() => {
                output.line(&escape(text.strip_suffix('\n').unwrap_or(text)))?;
            }
            PartData::Text(text) => output.text(text)?,
            PartData::Bytes(_) | PartData::Unreadable => {
                unsaved |= matches!(part.data, PartData::Bytes(_));
                output.line(&output.tone(TextStyle::Accent, &escape_line(&part.describe())))?;
            }
        }
    }
    if unsaved && parts.len() == 1 {
        output.note("  → Save it: --output FILE");
    }
    Ok(())
}

/// Saves the only part. An existing file is only replaced if the person asked for that (RES-12).
fn save(file: &Path, force: bool, parts: &[ResourcePart<'_>]) -> Result<(), Fault> {
    let [part] = parts else {
        let count = parts.len();
        return Err(Fault::usage(format!(
            "only one part can be written to a file, but the resource has {count}"
        ))
        .next("Show all of them with --json."));
    };
    if matches!(part.data, PartData::Unreadable) {
        return Err(Fault::new(Exit::ServerError, "malformed", "the content is neither text nor base64"));
    }
    write_file(file, part.data.bytes(), force)
}
