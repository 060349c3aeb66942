//! Tools that ask something back: a short form, one with every kind of field, a page to visit, a model's words, the person's
//! folders. Each works in both eras: as a request of the server's own, or as a result that wants input (2026-07-28).
//! They are offered to clients that say they can be asked.
#![expect(deprecated, reason = "every revision that this server speaks has sampling and roots")]

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CustomNotification, ErrorCode,
    ErrorData, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use rmcp::{RoleServer, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::form::berth;
use crate::harbour::HARBOURS;
use crate::server::DemoServer;

/// The key of the one question of a round.
pub(crate) const QUESTION_KEY: &str = "question";

/// The client's answers from the previous round (stateless era).
pub(crate) struct InputAnswers(pub(crate) Option<InputResponses>);

impl FromContextPart<ToolCallContext<'_, DemoServer>> for InputAnswers {
    fn from_context_part(context: &mut ToolCallContext<'_, DemoServer>) -> Result<Self, ErrorData> {
        Ok(Self(context.input_responses.take()))
    }
}

/// The `requestState` this server sent in the previous round (stateless era).
pub(crate) struct RequestState(pub(crate) Option<String>);

impl FromContextPart<ToolCallContext<'_, DemoServer>> for RequestState {
    fn from_context_part(context: &mut ToolCallContext<'_, DemoServer>) -> Result<Self, ErrorData> {
        Ok(Self(context.request_state.take()))
    }
}

/// Arguments of `ask_model`.
#[derive(Debug, Deserialize, JsonSchema)]
struct AskModel {
    /// What the model is asked.
    #[serde(default = "tide")]
    #[schemars(length(min = 1, max = 2000))]
    question: String,
    /// How many tokens it may answer with.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    max_tokens: u32,
}

fn tide() -> String {
    "When is high water?".to_owned()
}

fn hundred() -> u32 {
    100
}

/// Arguments of `open_gate`.
#[derive(Debug, Deserialize, JsonSchema)]
struct OpenGate {
    /// Whether the harbour master says a second later that all was done, so that nobody has to.
    #[serde(default)]
    by_itself: bool,
}

/// The name of `open_gate`'s page.
const GATE: &str = "gate";

/// Whether a tool only works in the session era.
pub(crate) fn needs_session(tool: &str) -> bool {
    // The error that it fails with came and went with 2025-11-25.
    tool == "open_gate"
}

/// Whether the client supports what the tool asks for. Other tools need nothing.
pub(crate) fn is_offered(tool: &str, client: Option<&ClientCapabilities>) -> bool {
    let able = |has: fn(&ClientCapabilities) -> bool| client.is_some_and(has);
    match tool {
        "register_ship" | "reserve_berth" => able(|client| {
            // Without modes there are forms alone.
            let known = client.elicitation.as_ref();
            known.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
        }),
        "visit_page" | "open_gate" => {
            able(|client| client.elicitation.as_ref().is_some_and(|modes| modes.url.is_some()))
        }
        "ask_at_once" => is_offered("register_ship", client),
        "ask_model" => able(|client| client.sampling.is_some()),
        "ask_model_with_tools" => {
            able(|client| client.sampling.as_ref().is_some_and(|sampling| sampling.tools.is_some()))
        }
        "list_folders" => able(|client| client.roots.is_some()),
        _ => true,
    }
}

#[tool_router(router = question_tools, vis = "pub(crate)")]
impl DemoServer {
    /// Asks for your ship's name and the day, and keeps a berth for her.
    #[tool(title = "Reserve a berth", annotations(read_only_hint = true))]
    async fn reserve_berth(
        &self,
        round: InputAnswers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let days =
            json!([{ "const": "today", "title": "Today" }, { "const": "tomorrow", "title": "Tomorrow" }]);
        let fields = json!({
            "ship": { "type": "string", "title": "Name of your ship", "minLength": 1, "maxLength": 40 },
            "day": { "type": "string", "title": "Day", "oneOf": days, "default": "today" },
        });
        let schema = json!({ "type": "object", "properties": fields, "required": ["ship", "day"] });
        let params =
            json!({ "mode": "form", "message": "Who is coming in, and when?", "requestedSchema": schema });
        ask_and("elicitation/create", params, round, &context, reservation).await
    }

    /// Asks for a ship's papers with a form that has one field of every kind, and says what was answered.
    #[tool(title = "Register a ship", annotations(read_only_hint = true))]
    async fn register_ship(
        &self,
        round: InputAnswers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let colours = json!([
            { "const": "r", "title": "Red" },
            { "const": "g", "title": "Green" },
            { "const": "w", "title": "White" },
        ]);
        let fields = json!({
            "name": { "type": "string", "title": "Name", "description": "As painted on her stern", "minLength": 2, "maxLength": 40, "default": "Fair Wind" },
            "owner": { "type": "string", "title": "Owner's e-mail", "format": "email" },
            "page": { "type": "string", "title": "Her page", "format": "uri" },
            "built": { "type": "string", "title": "Launched", "format": "date" },
            "seen": { "type": "string", "title": "Last seen", "format": "date-time" },
            "length": { "type": "number", "title": "Length in metres", "minimum": 3, "maximum": 400, "default": 12.5 },
            "crew": { "type": "integer", "title": "Crew", "minimum": 1, "maximum": 60, "default": 2 },
            "engine": { "type": "boolean", "title": "She has an engine", "default": true },
            "rig": { "type": "string", "title": "Rig", "enum": ["sloop", "ketch", "yawl"], "default": "sloop" },
            "light": { "type": "string", "title": "Light", "oneOf": colours },
            "flags": { "type": "array", "title": "Flags on board", "items": { "type": "string", "enum": ["A", "B", "N"] }, "maxItems": 2, "default": ["A"] },
            "port": { "type": "string", "title": "Home port", "enum": ["q", "r"], "enumNames": ["Qingdao", "Rotterdam"] },
            "gate_pin": { "type": "string", "title": "PIN of the quay's gate", "description": "No server may ask for one in a form.", "maxLength": 12 },
            "lights": { "type": "array", "title": "Spare lights", "items": { "anyOf": colours }, "minItems": 1, "default": ["w"] },
        });
        let schema = json!({ "type": "object", "properties": fields, "required": ["name", "crew"] });
        let params = json!({ "mode": "form", "message": "The harbour master needs her papers.", "requestedSchema": schema });
        ask("elicitation/create", params, round, &context).await
    }

    /// Asks you to look at a page in your browser, and says what you decided.
    #[tool(title = "Visit a page", annotations(read_only_hint = true))]
    async fn visit_page(
        &self,
        round: InputAnswers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({
            "mode": "url",
            "message": "The tide tables are on this page.",
            "url": "https://example.org/tides?harbour=demo",
            "elicitationId": "tides",
        });
        ask("elicitation/create", params, round, &context).await
    }

    /// Opens the quay's gate, for which the client first has to be told of a page: the call fails with the address, and
    /// succeeds when it is made again.
    #[tool(title = "Open the gate", annotations(read_only_hint = true))]
    async fn open_gate(
        &self,
        Parameters(OpenGate { by_itself }): Parameters<OpenGate>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if self.gate_asked.swap(false, Ordering::Relaxed) {
            return Ok("The gate is open.".to_owned());
        }
        self.gate_asked.store(true, Ordering::Relaxed);
        if by_itself {
            let peer = context.peer.clone();
            let notification = CustomNotification::new(
                "notifications/elicitation/complete",
                Some(json!({ "elicitationId": GATE })),
            );
            self.sayings.lock().unwrap_or_else(PoisonError::into_inner).spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                // A client that is gone gets no notification.
                let _gone = peer.send_notification(notification.into()).await;
            });
        }
        let page = json!({
            "mode": "url",
            "message": "Show yourself to the harbour master on this page.",
            "url": "https://example.org/gate?harbour=demo",
            "elicitationId": GATE,
        });
        let data = json!({ "elicitations": [page] });
        Err(ErrorData::new(ErrorCode(-32042), "The harbour master has to see you first", Some(data)))
    }

    /// Asks a model through the client, and says what it answered.
    #[tool(title = "Ask a model", annotations(read_only_hint = true))]
    async fn ask_model(
        &self,
        Parameters(AskModel { question, max_tokens }): Parameters<AskModel>,
        round: InputAnswers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let content = json!({ "type": "text", "text": question });
        let params = json!({
            "messages": [{ "role": "user", "content": content }],
            "systemPrompt": "You are a harbour pilot. Answer in one sentence.",
            "modelPreferences": { "hints": [{ "name": "small" }], "speedPriority": 0.8 },
            "maxTokens": max_tokens,
        });
        ask("sampling/createMessage", params, round, &context).await
    }

    /// Lists the folders that the client tells this server of.
    #[tool(title = "List folders", annotations(read_only_hint = true))]
    async fn list_folders(
        &self,
        round: InputAnswers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        ask("roots/list", json!({}), round, &context).await
    }
}

/// The result of a reservation.
fn reservation(answer: &Value) -> CallToolResponse {
    let content = &answer["content"];
    let text = match (answer["action"].as_str(), content["ship"].as_str(), content["day"].as_str()) {
        (Some("accept"), Some(ship), Some(day)) => {
            format!("Berth {} is kept for {ship} {day}.", berth(ship, HARBOURS[0].berths))
        }
        _ => "No berth is kept.".to_owned(),
    };
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// Asks the client once, as its protocol version requires, and returns the answer.
async fn ask(
    method: &str,
    params: Value,
    round: InputAnswers,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    ask_and(method, params, round, context, answer_response).await
}

/// Asks the client once, as its protocol version requires, and returns the result for the answer.
async fn ask_and(
    method: &str,
    params: Value,
    InputAnswers(responses): InputAnswers,
    context: &RequestContext<RoleServer>,
    respond: fn(&Value) -> CallToolResponse,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(answer) = responses.as_ref().and_then(|responses| responses.get(QUESTION_KEY)) {
        return Ok(respond(answer));
    }
    let request: InputRequest = serde_json::from_value(json!({ "method": method, "params": params }))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    if is_modern(context) {
        let requests = [(QUESTION_KEY.to_owned(), request)].into();
        return Ok(InputRequiredResult::from_input_requests(requests).into());
    }
    let answer = send_request(request, &context.peer).await;
    Ok(match answer {
        Ok(answer) => respond(&answer),
        Err(error) => {
            CallToolResult::error(vec![ContentBlock::text(format!("The client did not answer: {error}"))])
                .into()
        }
    })
}

/// Whether the client speaks the stateless era.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Sends a question as a request to the client (session era).
pub(crate) async fn send_request(
    request: InputRequest,
    peer: &Peer<RoleServer>,
) -> Result<Value, ServiceError> {
    match request {
        InputRequest::Elicitation(request) => {
            peer.create_elicitation(request.params).await.map(|answer| json!(answer))
        }
        InputRequest::CreateMessage(request) => {
            peer.create_message(request.params).await.map(|answer| json!(answer))
        }
        InputRequest::ListRoots(_) => peer.list_roots().await.map(|answer| json!(answer)),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// The answer, as text.
pub(crate) fn answer_response(answer: &Value) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(answer.to_string())]).into()
}
