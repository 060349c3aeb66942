//! The tools, resources, prompts and log of the server.
#![expect(deprecated, reason = "logging is deprecated, and every revision has it")]
#![expect(clippy::unused_self, reason = "the SDK takes prompts as methods only")]

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::handler::server::router::{prompt::PromptRouter, tool::ToolRouter};
use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock,
    ErrorData, Implementation, ListResourceTemplatesResult, ListResourcesResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, PromptMessage,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities, ServerConfig,
    SetLevelRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{
    RoleServer, ServerHandler, prompt, prompt_handler, prompt_router, tool, tool_handler, tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::questions;

const NOTE: &str = "peer://note";
const NAMED: &str = "peer://notes/";
const TEMPLATE: &str = "peer://notes/{name}";

/// One server. In the session era each session has its own.
#[derive(Clone)]
pub(crate) struct PeerServer {
    level: Arc<Mutex<LoggingLevel>>,
    tools: ToolRouter<Self>,
    prompts: PromptRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Terms {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    to: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[tool_router(router = peer_tools)]
impl PeerServer {
    #[tool]
    fn echo(Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    #[tool]
    fn add(Parameters(Terms { a, b }): Parameters<Terms>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool]
    fn fail() -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("it went wrong on purpose")])
    }

    #[tool]
    async fn count(
        Parameters(Steps { to }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for step in 1..=to {
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
                let told = context.peer.notify_progress(progress.with_total(f64::from(to))).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok(format!("counted to {to}"))
    }

    #[tool]
    async fn wait(context: RequestContext<RoleServer>) -> String {
        context.ct.cancelled().await;
        "never".to_owned()
    }

    #[tool]
    async fn log(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let wanted = self.min_log_level(&context);
        for (level, text) in [(LoggingLevel::Debug, "mist"), (LoggingLevel::Warning, "fog")] {
            if wanted.is_some_and(|least| least as u8 <= level as u8) {
                let message = LoggingMessageNotificationParam::new(level, text.into());
                let told = context.peer.notify_logging_message(message).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok("logged".to_owned())
    }

    #[tool]
    async fn ask(
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answers = match answers {
            None if has_no_session(&context) => return Ok(questions::at_once()?.into()),
            None => questions::one_by_one(&context.peer).await?,
            Some(answers) if state.as_deref() == Some(questions::STATE) => answers,
            Some(_) => return Err(ErrorData::invalid_params("the state did not come back", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(questions::summary(&answers)?)]).into())
    }
}

#[prompt_router(router = "peer_prompts")]
impl PeerServer {
    #[prompt]
    fn greet(&self, Parameters(Name { name }): Parameters<Name>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Greet {name}."))]
    }
}

impl PeerServer {
    pub(crate) fn new() -> Self {
        Self {
            level: Arc::new(Mutex::new(LoggingLevel::Debug)),
            tools: Self::peer_tools(),
            prompts: Self::peer_prompts(),
        }
    }

    /// The lowest log level that this client wants, if any.
    fn min_log_level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if has_no_session(context) {
            return context.meta.log_level();
        }
        Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn has_no_session(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::NO_INITIALIZE)
}

#[tool_handler(router = self.tools)]
#[prompt_handler(router = self.prompts)]
impl ServerHandler for PeerServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("peer-rmcp", "1.0.0"))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = match &request.r#ref {
            Reference::Prompt(prompt) => prompt.name == "greet",
            Reference::Resource(template) => template.uri == TEMPLATE,
            _ => false,
        };
        let begins = |name: &&str| name.starts_with(&request.argument.value);
        let names = ["Ana", "Anselm", "Bo"].into_iter().filter(begins).map(str::to_owned);
        let values = if known && request.argument.name == "name" { names.collect() } else { Vec::new() };
        let values = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(values))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(NOTE, "note")]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(TEMPLATE, "named");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match request.uri.strip_prefix(NAMED) {
            Some(name) => format!("a note for {name}"),
            None if request.uri == NOTE => "a note".to_owned(),
            None => {
                return Err(ErrorData::resource_not_found(format!("no such note: {}", request.uri), None));
            }
        };
        let contents = ResourceContents::text(text, request.uri).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
