//! An app built with the official Rust SDK uses server-everything through the gateway, in both eras.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, GetPromptRequestParams, JsonObject, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RequestContext, RoleClient,
};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

use super::Served;

/// An app that declines all questions and counts them.
#[derive(Clone, Default)]
struct App {
    asked: Arc<AtomicU32>,
    steps: Arc<AtomicU32>,
}

impl ClientHandler for App {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.capabilities = ClientCapabilities::builder().enable_elicitation().build();
        info
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(ElicitResult::new(ElicitationAction::Decline))
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

fn arguments(value: Value) -> JsonObject {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_of_the_rust_sdk_uses_a_server() {
    let served = Served::new().await;
    let modern = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for lifecycle in [ClientLifecycleMode::Initialize, modern] {
        let [program, words @ ..] = Served::bridge();
        let mut command = tokio::process::Command::new(program);
        command.args(words).env("MOORING_HOME", served.home.path()).env("MOORING_APP_KEY", &served.key);
        let app = App::default();
        let transport = TokioChildProcess::new(command).unwrap();
        let client = app.clone().serve_with_lifecycle(transport, lifecycle).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "echo"), "{tools:?}");
        let call = async |name: &'static str, given: Value| {
            let params = CallToolRequestParams::new(name).with_arguments(arguments(given));
            let result = client.call_tool(params).await.unwrap();
            serde_json::to_value(result).unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
        };
        assert_eq!(call("echo", json!({"message": "hello"})).await, "Echo: hello");
        let long = call("trigger-long-running-operation", json!({"duration": 0.5, "steps": 5})).await;
        assert!(long.contains("completed"), "{long}");
        let elicited = call("trigger-elicitation-request", json!({})).await;
        assert!(elicited.contains("decline"), "{elicited}");
        assert_eq!(app.asked.load(Ordering::Relaxed), 1);
        // Notifications are handled in parallel with the answer.
        let counted = async {
            while app.steps.load(Ordering::Relaxed) < 5 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), counted).await.expect("steps are missing");
        let params =
            GetPromptRequestParams::new("args-prompt").with_arguments(arguments(json!({"city": "Paris"})));
        let prompt = client.get_prompt(params).await.unwrap();
        assert!(serde_json::to_string(&prompt).unwrap().contains("Paris"));
        let uri = "demo://resource/static/document/features.md";
        let read = client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        assert!(serde_json::to_string(&read).unwrap().contains("text/markdown"));
        client.cancel().await.unwrap();
    }
    served.close().await;
}
