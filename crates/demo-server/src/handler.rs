//! Dispatches requests to the part of the server that answers them.
#![expect(deprecated, reason = "every revision that this server speaks has logging")]

use std::sync::atomic::Ordering;

use rmcp::model::{
    ErrorData, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler, prompt_handler, tool_handler};

use crate::resources;
use crate::server::DemoServer;
use crate::tools::{questions, trials};

/// The server's `instructions`.
const INSTRUCTIONS: &str = "This server is a small harbour to practise in; nothing here touches \
your files or the network. Start with `echo`, run `progress` and cancel it half way, then fill in \
`book_berth`, which has one field of every kind. `image`, `audio`, `structured` and `link` return \
the kinds of content a tool can return. `fail` fails on purpose. Log messages follow the level you ask for.";

#[tool_handler(router = self.tools)]
#[prompt_handler(router = self.prompts)]
impl ServerHandler for DemoServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_logging()
                .enable_prompts()
                .enable_resources()
                .enable_tools()
                .enable_tool_list_changed()
                .build(),
        )
        .with_server_info(
            Implementation::new("mooring-demo-server", env!("CARGO_PKG_VERSION"))
                .with_title("Demo harbour")
                .with_description("One MCP server to try everything on"),
        )
        .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = context.client_capabilities();
        let mut tools = self.tools.list_all();
        let is_modern = questions::is_modern(&context);
        tools.retain(|tool| {
            questions::is_offered(&tool.name, client.as_ref())
                && !(is_modern && questions::needs_session(&tool.name))
        });
        let repainted = *self.repainted.borrow();
        self.listed_repainted.store(repainted, Ordering::Relaxed);
        if repainted {
            trials::repaint(&mut tools);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Says that the tools have changed whenever the buoy is painted (2026-07-28).
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut repainted = self.repainted.subscribe();
        // It may have been painted since the subscription was acknowledged.
        let mut is_news = *repainted.borrow_and_update() != self.listed_repainted.load(Ordering::Relaxed);
        loop {
            if is_news && context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(()); // the client is gone
            }
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = repainted.changed() => changed,
            };
            if changed.is_err() {
                return Ok(()); // the server ends
            }
            is_news = true;
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log.set_level(request.level);
        Ok(())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(ReadResourceResponse::from)
    }
}
