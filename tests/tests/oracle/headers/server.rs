//! A server of the SDK over HTTP, whose tools return their arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A running server. Dropping this ends it.
pub(super) struct Server {
    pub(super) url: String,
    /// How often its tools were listed.
    pub(super) listed: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

#[derive(Clone)]
struct MirrorServer {
    tools: Arc<Vec<Tool>>,
    listed: Arc<AtomicUsize>,
}

impl ServerHandler for MirrorServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.listed.fetch_add(1, Ordering::Relaxed);
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = Value::Object(request.arguments.unwrap_or_default());
        Ok(CallToolResult::structured(given).into())
    }
}

pub(super) async fn serve(tools: Vec<(String, Value)>) -> Server {
    let tool = |(name, schema): (String, Value)| {
        let Value::Object(schema) = schema else { panic!("{name}: {schema}") };
        Tool::new(name, "", schema)
    };
    let listed = Arc::<AtomicUsize>::default();
    let tools = Arc::new(tools.into_iter().map(tool).collect());
    let mirror = MirrorServer { tools, listed: Arc::clone(&listed) };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(mirror.clone()), sessions, config);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // The server ends with this task. An error here makes the test's calls fail.
        let _ = axum::serve(listener, Router::new().nest_service("/mcp", service)).await;
    });
    Server { url, listed, _tasks: tasks }
}
