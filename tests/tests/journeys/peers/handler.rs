//! The client's handler: answers the peer's questions, and records log messages and diagnostics.

use std::sync::Mutex;

use futures_util::future::BoxFuture;
use mooring_mcp::{
    ClientCapabilities, ClientHandler, Diagnostic, Notification, Question, QuestionKind, Refusal,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::parsed;

/// The result of the tool `ask`.
pub(super) const ANSWERS: &str = "Ana; a sample; file:///harbour";

#[derive(Default)]
pub(super) struct AnsweringHandler {
    /// The diagnostics.
    remarks: Mutex<Vec<String>>,
    /// The log messages: level and data.
    logs: Mutex<Vec<(String, String)>>,
}

impl AnsweringHandler {
    pub(super) fn remarks(&self) -> Vec<String> {
        self.remarks.lock().unwrap().clone()
    }

    /// The levels of the messages with this text.
    pub(super) fn levels_of(&self, text: &str) -> Vec<String> {
        let logs = self.logs.lock().unwrap();
        logs.iter().filter(|(_, data)| data.contains(text)).map(|(level, _)| level.clone()).collect()
    }
}

impl ClientHandler for AnsweringHandler {
    fn notify(&self, notification: Notification) {
        if notification.method == "notifications/message" {
            let params = parsed(notification.params.as_deref().unwrap());
            let level = params["level"].as_str().unwrap().to_owned();
            self.logs.lock().unwrap().push((level, params["data"].to_string()));
        }
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.remarks.lock().unwrap().push(diagnostic.to_string());
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities { forms: true, sampling: true, roots: true, ..ClientCapabilities::default() }
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        Box::pin(std::future::ready(Ok(to_raw_value(&answer(&question)).unwrap())))
    }
}

/// Checks that the question is complete, and answers it.
fn answer(question: &Question) -> Value {
    let params = parsed(&question.params);
    match question.kind {
        QuestionKind::Elicitation => {
            assert_eq!(params["message"], "Who are you?", "{params}");
            assert_eq!(params["requestedSchema"]["properties"]["name"]["type"], "string", "{params}");
            json!({"action": "accept", "content": {"name": "Ana"}})
        }
        QuestionKind::Sampling => {
            assert_eq!(params["maxTokens"], 10, "{params}");
            let content = json!({"type": "text", "text": "a sample"});
            json!({"role": "assistant", "content": content, "model": "none", "stopReason": "endTurn"})
        }
        QuestionKind::Roots => json!({"roots": [{"uri": "file:///harbour", "name": "harbour"}]}),
    }
}
