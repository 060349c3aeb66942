//! The requests of an app that servers answer. Results and errors of servers pass as they came; what never reached one
//! is said in a sentence.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_host::{
    CallErrorCode, CallEvent, CallOutcome, Caller, CompletionReference, Host, HostError, InteractionView,
    OnCallEvent, PromptCall, ResourceRead, ServerId, ServerView, StateName, ToolCall,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed, read};
use crate::catalogue::OfferKind;
use crate::message::{code, notification, quoted, with_members};
use crate::outbox::Outbox;
use crate::session::{Exchange, Session};

/// How often an app hears that a request waits for the person. Official SDKs give up after a silent minute.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// How long a call waits for a server that is being connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The token under which an app wants to hear of progress.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ToolParams {
    name: String,
    arguments: Option<Box<RawValue>>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct ResourceParams {
    uri: String,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct CompletionParams {
    #[serde(rename = "ref")]
    reference: Reference,
    argument: Argument,
    #[serde(default)]
    context: Context,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
struct Context {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

/// Answers a request. Dropping the future cancels it at the server.
pub(crate) async fn run(exchange: &Exchange, method: &str, params: Option<&RawValue>) -> Answer {
    let session = &exchange.session;
    match method {
        "tools/list" => list(session, OfferKind::Tools).await,
        "prompts/list" => list(session, OfferKind::Prompts).await,
        "resources/list" => list(session, OfferKind::Resources).await,
        "resources/templates/list" => list(session, OfferKind::Templates).await,
        "tools/call" => call_tool(exchange, read(params)?).await,
        "prompts/get" => get_prompt(exchange, read(params)?).await,
        "resources/read" => read_resource(exchange, read(params)?).await,
        "resources/subscribe" => {
            let ResourceParams { uri, .. } = read(params)?;
            let (server, own) = find_resource(session, &uri).await?;
            wait_until_connected(&session.host, Some(server)).await;
            session.followed.add(server, &own, &uri).await?;
            Ok("{}".to_owned())
        }
        "resources/unsubscribe" => {
            let ResourceParams { uri, .. } = read(params)?;
            session.followed.remove(&uri).await?;
            Ok("{}".to_owned())
        }
        "completion/complete" => complete(session, read(params)?).await,
        _ => Err(Failed::new(code::METHOD_NOT_FOUND, format!("Method not found: {method}"))),
    }
}

/// A whole list on one page: it is held, and nothing is gained by asking for it in parts.
async fn list(session: &Session, kind: OfferKind) -> Answer {
    Ok(session.catalogue().await?.list(kind))
}

async fn call_tool(exchange: &Exchange, params: ToolParams) -> Answer {
    let session = &exchange.session;
    let catalogue = session.catalogue().await?;
    let Some(tool) = catalogue.find(OfferKind::Tools, &params.name) else {
        return Err(Failed::new(code::INVALID_PARAMS, format!("Unknown tool: {}", params.name)));
    };
    let request = session.name_request();
    let call = ToolCall {
        tool: tool.own.clone(),
        arguments: params.arguments,
        caller: Caller::app(&session.app),
        request: Some(Arc::clone(&request)),
        idle: None,
        total: None,
    };
    let progress =
        params.meta.and_then(|meta| meta.progress_token).map(|token| Progress::new(exchange, token));
    let progress = Arc::new(progress);
    let _asked = exchange.answers(&request);
    wait_until_connected(&session.host, Some(tool.server)).await;
    let called = session.host.call_tool(tool.server, call, on_event(exchange, Arc::clone(&progress)));
    let outcome = tokio::select! {
        outcome = called => outcome,
        never = keep_alive(exchange, &request, progress.as_ref().as_ref()) => match never {},
    };
    match outcome {
        // What went wrong on the way is for the model to act on (server/tools#error-handling); a server's own error is
        // its word.
        Ok(CallOutcome { error: Some(error), .. }) if error.code != CallErrorCode::Rpc => {
            Ok(failed_call(&error.sentence().to_string()))
        }
        Ok(outcome) => answered(outcome),
        Err(error @ HostError::InvalidArguments(_)) => {
            Err(Failed::new(code::INVALID_PARAMS, error.sentence().to_string()))
        }
        Err(error) => Ok(failed_call(&error.sentence().to_string())),
    }
}

async fn get_prompt(exchange: &Exchange, params: ToolParams) -> Answer {
    let session = &exchange.session;
    let catalogue = session.catalogue().await?;
    let Some(prompt) = catalogue.find(OfferKind::Prompts, &params.name) else {
        return Err(Failed::new(code::INVALID_PARAMS, format!("Unknown prompt: {}", params.name)));
    };
    let request = session.name_request();
    let _asked = exchange.answers(&request);
    let call = PromptCall {
        prompt: prompt.own.clone(),
        arguments: params.arguments,
        caller: Caller::app(&session.app),
        request: Some(request),
        idle: None,
        total: None,
    };
    wait_until_connected(&session.host, Some(prompt.server)).await;
    answered(
        session
            .host
            .get_prompt(prompt.server, call, on_event(exchange, Progress::of(exchange, params.meta)))
            .await?,
    )
}

/// Waits for servers that are about to be connected, which may be when an app has just been started with them: for this
/// one, or for all.
async fn wait_until_connected(host: &Host, server: Option<ServerId>) {
    let mut events = host.events();
    let settled = async {
        loop {
            let is_starting = |view: &ServerView| {
                matches!(view.connection.state, StateName::Starting | StateName::Reconnecting)
            };
            let waits = match server {
                Some(server) => host.server(server).is_ok_and(|view| is_starting(&view)),
                None => host.servers().iter().any(is_starting),
            };
            if !waits {
                return;
            }
            let _lagged = events.recv().await;
        }
    };
    // The request says that it is not connected.
    let _late = tokio::time::timeout(CONNECT_TIMEOUT, settled).await;
}

/// Whose resource this is, and what its server calls it.
async fn find_resource(session: &Session, uri: &str) -> Result<(ServerId, String), Failed> {
    if let Some(found) = session.catalogue().await?.resource(uri) {
        return Ok(found);
    }
    // A server alone may have more than it lists.
    if let Some(only) = session.only_server() {
        return Ok((only, uri.to_owned()));
    }
    // Resources are known once their server is connected.
    wait_until_connected(&session.host, None).await;
    session.catalogue().await?.resource(uri).ok_or_else(|| Failed {
        data: Some(format!(r#"{{"uri":{}}}"#, quoted(uri))),
        ..Failed::new(code::RESOURCE_NOT_FOUND, "Resource not found")
    })
}

async fn read_resource(exchange: &Exchange, params: ResourceParams) -> Answer {
    let session = &exchange.session;
    let (server, own) = find_resource(session, &params.uri).await?;
    let is_renamed = own != params.uri;
    let request = session.name_request();
    let _asked = exchange.answers(&request);
    let wanted = ResourceRead {
        uri: own,
        template: None,
        caller: Caller::app(&session.app),
        request: Some(request),
        idle: None,
        total: None,
    };
    wait_until_connected(&session.host, Some(server)).await;
    let outcome = session
        .host
        .read_resource(server, wanted, on_event(exchange, Progress::of(exchange, params.meta)))
        .await?;
    let result = answered(outcome)?;
    Ok(if is_renamed { with_uri_prefix(&result, &params.uri) } else { result })
}

/// The contents of a resource under the URI that the app knows it by.
fn with_uri_prefix(result: &str, uri: &str) -> String {
    let Some(members) = crate::message::members(result) else { return result.to_owned() };
    let contents = members.iter().find(|(name, _)| name == "contents");
    let parts = contents.and_then(|(_, parts)| serde_json::from_str::<Vec<Box<RawValue>>>(parts.get()).ok());
    let Some([part]) = parts.as_deref() else { return result.to_owned() };
    let part = with_members(part.get(), &[("uri", &quoted(uri))]);
    with_members(result, &[("contents", &format!("[{part}]"))])
}

async fn complete(session: &Session, params: CompletionParams) -> Answer {
    let catalogue = session.catalogue().await?;
    let unknown = |what: &str| Failed::new(code::INVALID_PARAMS, format!("Unknown reference: {what}"));
    let (server, reference) = match params.reference {
        Reference::Prompt { name } => {
            let prompt = catalogue.find(OfferKind::Prompts, &name).ok_or_else(|| unknown(&name))?;
            (prompt.server, CompletionReference::Prompt { name: prompt.own.clone() })
        }
        Reference::Resource { uri } => {
            let template = catalogue.find(OfferKind::Templates, &uri).ok_or_else(|| unknown(&uri))?;
            (template.server, CompletionReference::Template { uri_template: template.own.clone() })
        }
    };
    let Argument { name, value } = &params.argument;
    let found =
        session.host.complete_argument(server, &reference, name, value, &params.context.arguments).await?;
    let total = found.total.map(|total| format!(r#","total":{total}"#)).unwrap_or_default();
    let values: Vec<String> = found.values.iter().map(|value| quoted(value)).collect();
    let (values, more) = (values.join(","), found.has_more);
    Ok(format!(r#"{{"completion":{{"values":[{values}]{total},"hasMore":{more}}}}}"#))
}

/// The result that a server gave, or its error. What never came from a server has our code for it.
fn answered(outcome: CallOutcome) -> Answer {
    // Beside an error the result is only the beginning of one.
    match (outcome.result, outcome.error) {
        (Some(result), None) => Ok(result.get().to_owned()),
        (_, Some(error)) if error.code == CallErrorCode::Rpc => Err(Failed {
            code: error.rpc_code.unwrap_or(code::INTERNAL_ERROR),
            message: error.message,
            data: error.data.map(|data| data.get().to_owned()),
        }),
        (_, Some(error)) => Err(Failed::new(code::INTERNAL_ERROR, error.sentence().to_string())),
        (None, None) => Err(Failed::new(code::INTERNAL_ERROR, "the call has ended without a result")),
    }
}

/// How far a request is, as the app was told.
struct Progress {
    out: Outbox,
    /// Under which it wants to hear.
    token: Box<RawValue>,
    last: Mutex<f64>,
}

impl Progress {
    /// Less than any step of a server.
    const STEP: f64 = 1e-6;

    fn new(exchange: &Exchange, token: Box<RawValue>) -> Self {
        Self { out: exchange.out.clone(), token, last: Mutex::new(f64::NEG_INFINITY) }
    }

    /// None where the app does not want to hear of it.
    fn of(exchange: &Exchange, meta: Option<Meta>) -> Arc<Option<Self>> {
        Arc::new(meta.and_then(|meta| meta.progress_token).map(|token| Self::new(exchange, token)))
    }

    /// Tells the app. `progress` none: as far as it was. Each is more than the last (basic/utilities/progress).
    fn tell(&self, progress: Option<f64>, total: Option<f64>, message: Option<&str>) {
        let progress = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let next = progress.filter(|progress| *progress > *last);
            *last = next.unwrap_or_else(|| last.max(0.0) + Self::STEP);
            *last
        };
        let total = total.map(|total| format!(r#","total":{}"#, number(total))).unwrap_or_default();
        let message = message.map(|text| format!(r#","message":{}"#, quoted(text))).unwrap_or_default();
        let (token, progress) = (self.token.get(), number(progress));
        let params = format!(r#"{{"progressToken":{token},"progress":{progress}{total}{message}}}"#);
        self.out.send(notification("notifications/progress", Some(&params)));
    }
}

/// Tells the app, where it wants to hear of progress, that a request waits for the person: it would give up otherwise.
async fn keep_alive(exchange: &Exchange, request: &str, progress: Option<&Progress>) -> Infallible {
    let Some(progress) = progress else { return std::future::pending().await };
    loop {
        tokio::time::sleep(KEEP_ALIVE).await;
        let waits = |question: &InteractionView| question.occasion.requests.iter().any(|one| one == request);
        if exchange.session.host.inbox().waiting.iter().any(waits) {
            progress.tell(None, None, Some("waits for your answer in Mooring"));
        }
    }
}

/// The result of a call that did not run, in a sentence that a model can act on.
fn failed_call(message: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}],"isError":true}}"#, quoted(message))
}

/// Passes on what a server tells while it works on this request, to the app that waits for it.
fn on_event(exchange: &Exchange, progress: Arc<Option<Progress>>) -> OnCallEvent {
    let exchange = exchange.clone();
    Arc::new(move |event| match event {
        CallEvent::Progress { progress: so_far, total, message } => {
            if let Some(progress) = &*progress {
                progress.tell(Some(so_far), total, message.as_deref());
            }
        }
        CallEvent::Log { level, logger, data } => {
            if !exchange.session.wants_log(&level) {
                return;
            }
            let logger = logger.map(|name| format!(r#","logger":{}"#, quoted(&name))).unwrap_or_default();
            let (level, data) = (quoted(&level), data.get());
            let params = format!(r#"{{"level":{level}{logger},"data":{data}}}"#);
            exchange.out.send(notification("notifications/message", Some(&params)));
        }
    })
}

/// A number as JSON: whole ones without a fraction.
fn number(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(
        || "0".to_owned(),
        |number| {
            let text = number.to_string();
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        },
    )
}
