//! What a new gateway has to be told of an app that another one knew: its handshake, the log level that it wants and the
//! resources that it follows.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::message::{RequestId, quoted};

/// With this every id of a repeated request begins. It is the bridge's, so its answer is not for the app.
const ID_PREFIX: &str = "mooring:repeated:";

#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// The request, as it came.
    initialize: Option<String>,
    initialize_params: Option<String>,
    is_answered: bool,
    /// The notification, as it came.
    initialized: Option<String>,
    /// The parameters of `logging/setLevel`.
    level: Option<String>,
    /// The parameters of `resources/subscribe`, by URI.
    followed: BTreeMap<String, String>,
    /// How many requests were repeated.
    repeated: u64,
}

impl Replay {
    /// A request that the app sends.
    pub(crate) fn note_request(&mut self, method: &str, line: &str, params: Option<&RawValue>) {
        let text = params.map_or("{}", RawValue::get).to_owned();
        match method {
            "initialize" if !self.is_answered => {
                self.initialize = Some(line.to_owned());
                self.initialize_params = Some(text);
            }
            "logging/setLevel" => self.level = Some(text),
            "resources/subscribe" => {
                if let Some(uri) = uri_of(&text) {
                    self.followed.insert(uri, text);
                }
            }
            "resources/unsubscribe" => {
                if let Some(uri) = uri_of(&text) {
                    self.followed.remove(&uri);
                }
            }
            _ => {}
        }
    }

    /// A notification that the app sends.
    pub(crate) fn note_notification(&mut self, method: &str, line: &str) {
        if method == "notifications/initialized" {
            self.initialized = Some(line.to_owned());
        }
    }

    /// A request of the app was answered.
    pub(crate) fn note_answer(&mut self, request: &str) {
        self.is_answered |= self.initialize.as_deref() == Some(request);
    }

    /// Whether the app has been through its handshake.
    pub(crate) fn is_initialized(&self) -> bool {
        self.is_answered
    }

    /// Whether this is an answer to a request that was repeated here.
    pub(crate) fn is_own(id: &RequestId) -> bool {
        id.get().strip_prefix('"').is_some_and(|id| id.starts_with(ID_PREFIX))
    }

    /// All that a new gateway is told, in this order.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        if !self.is_answered {
            return Vec::new();
        }
        let initialize = self.initialize_params.iter().map(|params| ("initialize", params));
        let level = self.level.iter().map(|params| ("logging/setLevel", params));
        let followed = self.followed.values().map(|params| ("resources/subscribe", params));
        let mut lines: Vec<String> = Vec::new();
        for (method, params) in initialize.chain(level).chain(followed) {
            let id = quoted(&format!("{ID_PREFIX}{}", self.repeated));
            self.repeated += 1;
            lines.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
            if method == "initialize" {
                lines.extend(self.initialized.clone());
            }
        }
        lines
    }
}

fn uri_of(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct FollowParams {
        uri: String,
    }
    // Without one the gateway refuses the request.
    serde_json::from_str::<FollowParams>(params).ok().map(|params| params.uri)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, parse, response_id};

    #[test]
    fn a_new_gateway_is_told_what_still_counts() {
        let mut replay = Replay::default();
        let say = |replay: &mut Replay, text: &str| match parse(text).unwrap() {
            Message::Request { method, params, .. } => replay.note_request(&method, text, params.as_deref()),
            Message::Notification { method, .. } => replay.note_notification(&method, text),
            Message::Response { .. } => panic!("{text}"),
        };
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}}"#;
        say(&mut replay, initialize);
        assert!(replay.lines().is_empty(), "it waits for its answer, and is sent once more by that");
        replay.note_answer(initialize);
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        say(&mut replay, initialized);
        for (uri, method) in [("a", "subscribe"), ("b", "subscribe"), ("a", "unsubscribe")] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"resources/{method}","params":{{"uri":"{uri}"}}}}"#
            );
            say(&mut replay, &text);
        }
        say(
            &mut replay,
            r#"{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}"#,
        );
        let lines = replay.lines();
        assert_eq!(
            lines,
            [
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:0","method":"initialize","params":{"protocolVersion":"x"}}"#,
                initialized,
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:1","method":"logging/setLevel","params":{"level":"error"}}"#,
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:2","method":"resources/subscribe","params":{"uri":"b"}}"#,
            ]
        );
        let answered = response_id(r#"{"jsonrpc":"2.0","id":"mooring:repeated:2","result":{}}"#).unwrap();
        assert!(Replay::is_own(&answered));
        assert!(!Replay::is_own(&response_id(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).unwrap()));
    }
}
