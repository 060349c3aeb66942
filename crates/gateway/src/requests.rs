//! The requests of apps that servers answer. Results and errors of servers pass unchanged. If a request
//! doesn't reach its server, the error is a sentence for people.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use mooring_addresses::{Holder, with_addresses, with_texts};
use mooring_base::resource_address::without_prefix;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallErrorCode, CallEvent, CallOutcome, CompletionReference, CompletionRequest, OnCallEvent, PromptCall,
    ResourceRead, ToolCall,
};
use mooring_catalogue::Catalogue;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::AppResponder;
use mooring_instances::InstanceId;
use mooring_jsonrpc::{JsonObject, Params, code};
use mooring_policy::Caller;
use mooring_revisions::{OfferKind, ServerOffers};
use mooring_tool_list::{Unusable, definitions};
use mooring_words::Sentence;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed, read_arguments, read_params};
use crate::exchange::Exchange;
use crate::followed::Followed;
use crate::instances::{is_being_started, wait_for_start};
use crate::profile::{Profile, left_out, left_out_error};
use crate::search_tools::{self, CallArguments};
use crate::view::AppView;

/// How often the app is notified while a request waits for the user. Official SDKs give up after a silent
/// minute.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// When the app is first notified that its request waits.
const FIRST_NOTICE: Duration = Duration::from_secs(1);

/// The method of a tool call.
const TOOLS_CALL: &str = "tools/call";
/// The error for a call that the user cancels.
const CANCELLED: &str = "The call was cancelled in Mooring.";

struct ToolParams {
    name: String,
    arguments: Option<Box<RawValue>>,
}

impl ToolParams {
    /// Takes the arguments as raw JSON, because nothing here reads them.
    fn of(mut params: Params) -> Result<Self, Failed> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let arguments = params.take("arguments").filter(|arguments| arguments.get() != "null");
        let Named { name } = read_params(&params)?;
        Ok(Self { name, arguments })
    }
}

#[derive(Deserialize)]
struct ResourceParams {
    uri: String,
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

/// Answers a request. Dropping the future cancels the request at its server.
pub(crate) async fn run(exchange: &Exchange, method: &str, params: Params) -> Answer {
    let view = &exchange.view;
    let profile = &view.settle_profile(exchange.roots_responder()).await;
    check_offered(view, profile, method).await?;
    if let Some(kind) = OfferKind::ALL.into_iter().find(|kind| kind.list_method() == method) {
        let listed = list_offers(view, profile, kind).await;
        if kind == OfferKind::Tools && listed.is_ok() {
            view.host.app_listed(&view.app);
        }
        return listed;
    }
    match method {
        TOOLS_CALL => call_tool(exchange, profile, ToolParams::of(params)?).await,
        "prompts/get" => get_prompt(exchange, profile, ToolParams::of(params)?).await,
        "resources/read" => read_resource(exchange, profile, read_params(&params)?).await,
        "completion/complete" => complete_argument(exchange, profile, read_params(&params)?).await,
        _ => Err(method_not_found(method)),
    }
}

/// Refuses a method that no server of the app supports, whatever the profile.
pub(crate) async fn check_offered(view: &AppView, profile: &Profile, method: &str) -> Result<(), Failed> {
    let catalogue = view.catalogue(profile).await?;
    let is_offered =
        catalogue.offers.answers(method) || offers_without_profile(view, &catalogue).await?.answers(method);
    if is_offered { Ok(()) } else { Err(method_not_found(method)) }
}

/// The kinds of items that servers offer to the app without a profile. They are declared, because another profile may
/// be used later. `catalogue` is what the app sees now.
pub(crate) async fn offers_without_profile(
    view: &AppView,
    catalogue: &Catalogue,
) -> Result<ServerOffers, HostError> {
    if view.host.profiles().has_none() {
        return Ok(catalogue.offers.clone());
    }
    Ok(view.catalogue(&None).await?.offers.clone())
}

fn method_not_found(method: &str) -> Failed {
    Failed::new(code::METHOD_NOT_FOUND, format!("Method not found: {method}"))
}

/// The whole list on one page. It is in memory, so more pages would save nothing.
async fn list_offers(view: &AppView, profile: &Profile, kind: OfferKind) -> Answer {
    let catalogue = view.catalogue(profile).await?;
    if view.is_of_one() {
        return Ok(catalogue.list(kind));
    }
    let list = catalogue.list_beside(kind, &view.links);
    // The app now knows these URIs, so the server that each one belongs to stays the same.
    view.catalogues.addresses.settle();
    view.catalogues.addresses.save(&view.host).await;
    Ok(list)
}

async fn call_tool(exchange: &Exchange, profile: &Profile, params: ToolParams) -> Answer {
    let view = &exchange.view;
    let catalogue = view.catalogue(profile).await?;
    let params = if catalogue.is_searched() {
        match params.name.as_str() {
            definitions::SEARCH => {
                return search_tools::answer_search(&catalogue, params.arguments.as_deref());
            }
            definitions::DESCRIBE => {
                return search_tools::answer_describe(&catalogue, params.arguments.as_deref());
            }
            definitions::CALL => {
                let CallArguments { name, arguments } = read_arguments(params.arguments.as_deref())?;
                ToolParams { name, arguments }
            }
            _ => params,
        }
    } else {
        params
    };
    let Some(tool) = catalogue.find_tool(&params.name) else {
        if let Some(profile) = profile
            && view.catalogue(&None).await?.find_tool(&params.name).is_some()
        {
            return Ok(error_result(&format!("Mooring: {}", left_out(profile, &params.name))));
        }
        let message = match catalogue.unusable_tools.get(&params.name) {
            Some(Unusable(why)) => format!("Mooring leaves {} out: {why}", params.name),
            None => format!("Unknown tool: {}", params.name),
        };
        return Err(Failed::new(code::INVALID_PARAMS, message));
    };
    let arguments = restore_uris(view, tool.server, params.arguments);
    let wanted = Wanted { server: tool.server, method: TOOLS_CALL, subject: &tool.own, arguments };
    let called = send_call(exchange, wanted, |at, caller, wanted| {
        view.host.call_tool(at, wanted.into_tool_call(exchange, caller), forward_events(exchange))
    });
    match called.await {
        // The model can act on a call that failed on its way (server/tools#error-handling). An error from the
        // server passes unchanged.
        Ok(CallOutcome { error: Some(error), .. }) if error.code != CallErrorCode::Rpc => {
            Ok(failed_call_result(view, tool.server, &error.sentence(), error.next))
        }
        Ok(outcome) => Ok(view.expose_uris(tool.server, to_answer(outcome)?, Holder::Result).await),
        Err(CallFailure::Cancelled) => Ok(error_result(CANCELLED)),
        Err(CallFailure::Host(error @ HostError::InvalidArguments(_))) => {
            Err(Failed::new(code::INVALID_PARAMS, error.sentence().to_string()))
        }
        Err(CallFailure::Host(error)) => {
            Ok(failed_call_result(view, tool.server, &error.sentence(), error.next_step()))
        }
    }
}

/// Why a call has no outcome.
enum CallFailure {
    /// The user cancelled it.
    Cancelled,
    Host(HostError),
}

impl From<HostError> for CallFailure {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl From<CallFailure> for Failed {
    fn from(error: CallFailure) -> Self {
        match error {
            CallFailure::Cancelled => Self::new(code::INTERNAL_ERROR, CANCELLED),
            CallFailure::Host(error) => error.into(),
        }
    }
}

/// What an app wants of a server.
struct Wanted<'a> {
    server: ServerId,
    method: &'static str,
    /// The server's own name for the tool, prompt or resource.
    subject: &'a str,
    arguments: Option<Box<RawValue>>,
}

impl Wanted<'_> {
    fn into_tool_call(self, exchange: &Exchange, caller: Caller) -> ToolCall {
        ToolCall {
            tool: self.subject.to_owned(),
            arguments: self.arguments,
            caller,
            request: Some(exchange.call.name()),
            idle: None,
            total: None,
        }
    }

    /// Refuses a tool call that the rules deny, so that it starts nothing.
    async fn refuse_denied(&self, exchange: &Exchange, caller: &Caller) -> Result<(), HostError> {
        if self.method != TOOLS_CALL {
            return Ok(());
        }
        let call = || {
            let copy = Wanted { arguments: self.arguments.clone(), ..*self };
            copy.into_tool_call(exchange, caller.clone())
        };
        exchange.view.host.refuse_denied(self.server, call).await
    }
}

/// Calls a server: waits until the app may use the server, and until the app's instance is connected.
/// Meanwhile, the app is asked what the server asks, and is notified that the call is alive.
async fn send_call<'a, F>(
    exchange: &Exchange,
    wanted: Wanted<'a>,
    call: impl FnOnce(InstanceId, Caller, Wanted<'a>) -> F,
) -> Result<CallOutcome, CallFailure>
where
    F: Future<Output = Result<CallOutcome, HostError>>,
{
    let (host, request, server) = (&exchange.view.host, exchange.call.name(), wanted.server);
    let _asked = exchange.register_responder(&request);
    let (caller, at) = admit_call(exchange, server, wanted.method, Some(&wanted)).await?;
    tokio::select! {
        () = wait_until_connected(host, at, &exchange.view.app) => {}
        never = send_keep_alives(exchange, server, &request) => match never {},
    }
    let mut running = host.app_call_started(&exchange.call, server, wanted.method, wanted.subject);
    tokio::select! {
        outcome = call(at, caller, wanted) => Ok(outcome?),
        () = running.cancelled() => Err(CallFailure::Cancelled),
        never = send_keep_alives(exchange, server, &request) => match never {},
    }
}

/// Waits until the app may use the server. Returns the caller and the instance for the request. A `call` that
/// the rules deny needs no instance.
async fn admit_call(
    exchange: &Exchange,
    server: ServerId,
    method: &'static str,
    call: Option<&Wanted<'_>>,
) -> Result<(Caller, InstanceId), HostError> {
    let (view, request) = (&exchange.view, exchange.call.name());
    let admitted = async {
        let caller = view.admit(server, method, &exchange.call).await?;
        if let Some(call) = call {
            call.refuse_denied(exchange, &caller).await?;
        }
        let at = view.choose_instance(server, &caller, exchange.roots_responder()).await?;
        Ok((caller, at))
    };
    tokio::select! {
        admitted = admitted => admitted,
        never = send_keep_alives(exchange, server, &request) => match never {},
    }
}

async fn get_prompt(exchange: &Exchange, profile: &Profile, params: ToolParams) -> Answer {
    let view = &exchange.view;
    let catalogue = view.catalogue(profile).await?;
    let Some(prompt) = catalogue.find(OfferKind::Prompts, &params.name) else {
        if let Some(profile) = profile
            && view.catalogue(&None).await?.find(OfferKind::Prompts, &params.name).is_some()
        {
            return Err(left_out_error(profile, &params.name));
        }
        return Err(Failed::new(code::INVALID_PARAMS, format!("Unknown prompt: {}", params.name)));
    };
    let arguments = restore_uris(view, prompt.server, params.arguments);
    let wanted = Wanted { server: prompt.server, method: "prompts/get", subject: &prompt.own, arguments };
    let outcome = send_call(exchange, wanted, |at, caller, wanted| {
        let call = PromptCall {
            prompt: prompt.own.clone(),
            arguments: wanted.arguments,
            caller,
            request: Some(exchange.call.name()),
            idle: None,
            total: None,
        };
        view.host.get_prompt(at, call, forward_events(exchange))
    })
    .await?;
    Ok(view.expose_uris(prompt.server, to_answer(outcome)?, Holder::Prompt).await)
}

/// Replaces prefixed URIs in arguments with the server's own, because a model passes on the URIs that it
/// received.
fn restore_uris(view: &AppView, server: ServerId, arguments: Option<Box<RawValue>>) -> Option<Box<RawValue>> {
    let own = |text: &str| without_prefix(text).filter(|(of, _)| *of == server).map(|(_, own)| own);
    match arguments {
        Some(arguments) if !view.is_of_one() => {
            // The result is valid JSON.
            RawValue::from_string(with_texts(arguments.get().to_owned(), own)).ok().or(Some(arguments))
        }
        arguments => arguments,
    }
}

/// Waits for a server that is about to connect, for instance because it was started along with the app. A
/// server between two attempts is tried at once. If the connection fails, the request itself reports the
/// reason.
async fn wait_until_connected(host: &Host, at: InstanceId, app: &str) {
    // Other instances were already waited for when they were chosen.
    if at.number == 0 {
        wait_for_start(host, at, Some(app)).await;
    }
}

/// Waits for all servers whose resources the app sees, but whose lists haven't been read yet.
async fn wait_until_all_are_connected(view: &AppView, profile: &Profile) -> Result<(), HostError> {
    let unread = view.catalogue(profile).await?.unread_servers.clone();
    join_all(unread.into_iter().map(|server| wait_until_connected(&view.host, server.into(), &view.app)))
        .await;
    Ok(())
}

/// Subscribes an app to a resource.
pub(crate) async fn subscribe_to_resource(
    view: &AppView,
    profile: &Profile,
    followed: &Followed,
    uri: &str,
    responder: Option<&dyn AppResponder>,
) -> Result<(), Failed> {
    let (server, own) = find_resource(view, profile, uri).await?;
    let caller = view.admit(server, "resources/subscribe", &view.name_call()).await?;
    let at = view.choose_instance(server, &caller, responder).await?;
    wait_until_connected(&view.host, at, &view.app).await;
    Ok(followed.subscribe(at, &own, uri).await?)
}

/// The server of a resource, and the server's own URI for it.
async fn find_resource(view: &AppView, profile: &Profile, uri: &str) -> Result<(ServerId, String), Failed> {
    if let Some(found) = view.find_resource(uri, profile).await? {
        return Ok(found);
    }
    // The resources of a server are known once it is connected.
    wait_until_all_are_connected(view, profile).await?;
    if let Some(found) = view.find_resource(uri, profile).await? {
        return Ok(found);
    }
    let why = match profile {
        Some(profile) if view.find_resource(uri, &None).await?.is_some() => left_out(profile, uri),
        _ => "Resource not found".to_owned(),
    };
    let data = Some(JsonObject::new().text("uri", uri).whole());
    Err(Failed { data, ..Failed::new(code::RESOURCE_NOT_FOUND, why) })
}

async fn read_resource(exchange: &Exchange, profile: &Profile, params: ResourceParams) -> Answer {
    let view = &exchange.view;
    let (server, own) = find_resource(view, profile, &params.uri).await?;
    let wanted = Wanted { server, method: "resources/read", subject: &own, arguments: None };
    let outcome = send_call(exchange, wanted, |at, caller, _| {
        let wanted = ResourceRead {
            uri: own.clone(),
            template: None,
            caller,
            request: Some(exchange.call.name()),
            idle: None,
            total: None,
        };
        view.host.read_resource(at, wanted, forward_events(exchange))
    })
    .await?;
    if view.is_of_one() {
        return to_answer(outcome);
    }
    let expose = |of: &str| Some(if of == own { params.uri.clone() } else { view.expose_uri(server, of) });
    match to_answer(outcome) {
        Ok(result) => Ok(with_addresses(result, Holder::Contents, expose)),
        Err(Failed { code, message, data: Some(data) }) => {
            let data = Some(with_addresses(data, Holder::ErrorData, expose));
            Err(Failed { code, message, data })
        }
        Err(error) => Err(error),
    }
}

async fn complete_argument(exchange: &Exchange, profile: &Profile, params: CompletionParams) -> Answer {
    let view = &exchange.view;
    let catalogue = view.catalogue(profile).await?;
    let unknown = |what: &str| Failed::new(code::INVALID_PARAMS, format!("Unknown reference: {what}"));
    let (server, reference) = match params.reference {
        Reference::Prompt { name } => {
            let prompt = catalogue.find(OfferKind::Prompts, &name).ok_or_else(|| unknown(&name))?;
            (prompt.server, CompletionReference::Prompt { name: prompt.own.clone() })
        }
        Reference::Resource { uri } => {
            let prefixed = || {
                without_prefix(&uri).and_then(|(of, own)| catalogue.of_server(OfferKind::Templates, of, &own))
            };
            let (server, own) = match catalogue.find(OfferKind::Templates, &uri).or_else(prefixed) {
                Some(template) => (template.server, template.own.clone()),
                // The reference may also be the URI of a resource.
                None => view.find_resource(&uri, profile).await?.ok_or_else(|| unknown(&uri))?,
            };
            (server, CompletionReference::Template { uri_template: own })
        }
    };
    let (_, at) = admit_call(exchange, server, "completion/complete", None).await?;
    let Argument { name: argument, value: begun } = params.argument;
    let wanted = CompletionRequest { of: reference, argument, begun, chosen: params.context.arguments };
    let found = view.host.complete_argument(at, &wanted).await?;
    let mut completion = JsonObject::new().texts("values", found.values.iter().map(String::as_str));
    if let Some(total) = found.total {
        completion = completion.number("total", total);
    }
    Ok(JsonObject::new().object("completion", &completion.flag("hasMore", found.has_more)).whole())
}

/// The result or error that a server sent. Other errors get a code of the gateway.
fn to_answer(outcome: CallOutcome) -> Answer {
    // With an error, the result is incomplete.
    match (outcome.result, outcome.error) {
        (Some(result), None) => Ok(result.get().to_owned()),
        (_, Some(error)) if error.code == CallErrorCode::Rpc => Err(Failed {
            // An error without a code has none that an app could read.
            code: error.rpc_code.filter(|code| *code != 0).unwrap_or(code::INTERNAL_ERROR),
            message: error.message,
            data: error.data.map(|data| data.get().to_owned()),
        }),
        (_, Some(error)) => Err(Failed::new(code::INTERNAL_ERROR, error.sentence().to_string())),
        (None, None) => Err(Failed::new(code::INTERNAL_ERROR, "the call has ended without a result")),
    }
}

/// Reports progress while a request waits for the user or for the start of its server, because the app gives
/// up otherwise. Does nothing if the app wants no progress.
async fn send_keep_alives(exchange: &Exchange, server: ServerId, request: &str) -> Infallible {
    let view = &exchange.view;
    let mut pause = FIRST_NOTICE;
    loop {
        tokio::time::sleep(pause).await;
        let is_asked = view.host.asks_because_of(request);
        if is_asked {
            exchange.reports.send_progress(None, None, Some("waits for your answer in Mooring"));
        } else if is_being_started(&view.host, view.instances.latest_instance(server)) {
            exchange.reports.send_progress(None, None, Some("waits until Mooring has started the server"));
        }
        pause = KEEP_ALIVE;
    }
}

/// The result of a call that its server didn't answer. The text tells the model what happened, where, and
/// what the user can do about it.
fn failed_call_result(
    view: &AppView,
    server: ServerId,
    happened: &Sentence,
    next: Option<Sentence>,
) -> String {
    // A server that was removed meanwhile has no name.
    let server = view.host.server(server).ok();
    let name =
        server.as_ref().map(|server| format!(" (server “{}”)", server.config.name)).unwrap_or_default();
    // If the server can't connect, its failure says what to do.
    let next = next.or_else(|| server?.connection.failure?.next);
    let next = next.map(|next| format!(" The user can act on it in Mooring: {next}")).unwrap_or_default();
    error_result(&format!("Mooring: {happened}{name}.{next}"))
}

fn error_result(text: &str) -> String {
    let block = JsonObject::new().text("type", "text").text("text", text).whole();
    JsonObject::new().list("content", [block]).flag("isError", true).whole()
}

/// Passes on progress and log messages of the server to the app that waits for the request.
fn forward_events(exchange: &Exchange) -> OnCallEvent {
    let reports = Arc::clone(&exchange.reports);
    Arc::new(move |event| match event {
        CallEvent::Progress { progress, total, message } => {
            reports.send_progress(Some(progress), total, message.as_deref());
        }
        CallEvent::Log { level, logger, data } => reports.send_log(&level, logger.as_deref(), data.get()),
    })
}
