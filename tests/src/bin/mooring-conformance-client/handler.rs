//! The person behind the client: prints notifications and accepts forms with their default values.

use futures_util::future::BoxFuture;
use mooring_mcp::{
    ClientCapabilities, ClientHandler, Diagnostic, Notification, Question, QuestionKind, Refusal,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Accepts every form with its default values.
#[derive(Debug)]
pub(crate) struct AgreeingHandler;

impl ClientHandler for AgreeingHandler {
    fn notify(&self, notification: Notification) {
        eprintln!("told {}", notification.method);
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        eprintln!("{diagnostic}");
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities { forms: true, ..ClientCapabilities::default() }
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        Box::pin(std::future::ready(answer(&question)))
    }
}

fn answer(question: &Question) -> Result<Box<RawValue>, Refusal> {
    let failed = |error: serde_json::Error| Refusal { code: -32603, message: error.to_string() };
    if question.kind != QuestionKind::Elicitation {
        return Err(Refusal {
            code: -32601,
            message: format!("{} is not supported", question.kind.method()),
        });
    }
    let params: Value = serde_json::from_str(question.params.get()).map_err(failed)?;
    let mut content = Map::new();
    for (name, field) in params["requestedSchema"]["properties"].as_object().into_iter().flatten() {
        // Ticks a check box. Other fields without a default stay empty.
        let ticked = (field["type"] == "boolean").then(|| json!(true));
        if let Some(value) = field.get("default").cloned().or(ticked) {
            content.insert(name.clone(), value);
        }
    }
    to_raw_value(&json!({"action": "accept", "content": content})).map_err(failed)
}
