//! The session state of an app that a new gateway has to know: the handshake, the log level, and the
//! resources that the app subscribes to.

use std::collections::BTreeMap;

use mooring_jsonrpc::BATCH_REVISION;
use mooring_jsonrpc::{Message, Params, RequestId, parse, request, text_member};

/// The prefix of the ids of repeated requests. Their answers are for the bridge, not for the app.
const ID_PREFIX: &str = "mooring:repeated:";

/// A request with a lasting effect. If a gateway granted it, the request is repeated at the next gateway.
#[derive(Debug)]
pub(crate) enum Lasting {
    /// `initialize`, with its parameters.
    Handshake(String),
    /// `logging/setLevel`, with its parameters.
    Level(String),
    /// `resources/subscribe`: the URI and the parameters.
    Follow(String, String),
}

#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// The parameters of `initialize`.
    initialize: Option<String>,
    /// The protocol version that was negotiated.
    revision: Option<String>,
    /// `notifications/initialized`, as the app sent it.
    initialized: Option<String>,
    /// The parameters of `logging/setLevel`.
    level: Option<String>,
    /// The parameters of `resources/subscribe`, by URI.
    followed: BTreeMap<String, String>,
    /// How many requests were repeated so far.
    repeated: u64,
}

impl Replay {
    /// Notes a request from the app. Returns its lasting effect, if it has one.
    pub(crate) fn note_request(&mut self, method: &str, params: Option<&Params>) -> Option<Lasting> {
        let text = || params.map_or_else(|| "{}".to_owned(), Params::to_json);
        let uri = || params?.text("uri");
        match method {
            "initialize" => Some(Lasting::Handshake(text())),
            "logging/setLevel" => Some(Lasting::Level(text())),
            "resources/subscribe" => Some(Lasting::Follow(uri()?, text())),
            "resources/unsubscribe" => {
                self.followed.remove(&uri()?);
                None
            }
            _ => None,
        }
    }

    /// Notes a notification from the app.
    pub(crate) fn note_notification(&mut self, method: &str, line: &str) {
        if method == "notifications/initialized" {
            self.initialized = Some(line.to_owned());
        }
    }

    /// Notes the answer to a request with a lasting effect.
    pub(crate) fn note_answer(&mut self, request: Lasting, answer: &str) {
        // A refused request has no effect.
        let Ok(Message::Response { answer: Ok(result), .. }) = parse(answer) else { return };
        match request {
            Lasting::Handshake(params) => {
                self.revision = text_member(result.get(), "protocolVersion");
                self.initialize = Some(params);
            }
            Lasting::Level(params) => self.level = Some(params),
            Lasting::Follow(uri, params) => drop(self.followed.insert(uri, params)),
        }
    }

    /// Whether the negotiated protocol version has batches.
    pub(crate) fn has_batches(&self) -> bool {
        self.revision.as_deref() == Some(BATCH_REVISION)
    }

    /// The URIs that the app subscribes to.
    pub(crate) fn followed_uris(&self) -> impl Iterator<Item = &str> {
        self.followed.keys().map(String::as_str)
    }

    /// Whether a gateway has answered the app's `initialize`.
    pub(crate) fn is_initialized(&self) -> bool {
        self.initialize.is_some()
    }

    /// Whether this is the id of a request that the bridge repeated.
    pub(crate) fn is_repeated_id(id: &RequestId) -> bool {
        id.get().strip_prefix('"').is_some_and(|id| id.starts_with(ID_PREFIX))
    }

    /// Builds the messages for a new gateway, in order.
    pub(crate) fn build_messages(&mut self) -> Vec<String> {
        let initialize = self.initialize.iter().map(|params| ("initialize", params));
        let level = self.level.iter().map(|params| ("logging/setLevel", params));
        let followed = self.followed.values().map(|params| ("resources/subscribe", params));
        let mut lines: Vec<String> = Vec::new();
        for (method, params) in initialize.chain(level).chain(followed) {
            let id = RequestId::from_text(&format!("{ID_PREFIX}{}", self.repeated));
            self.repeated += 1;
            lines.push(request(&id, method, params));
            if method == "initialize" {
                lines.extend(self.initialized.clone());
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use mooring_jsonrpc::response_id;

    use super::*;

    /// Notes a request and its answer.
    fn exchange(replay: &mut Replay, method: &str, params: &str, answer: &str) {
        let params: Params = serde_json::from_str(params).unwrap();
        if let Some(lasting) = replay.note_request(method, Some(&params)) {
            replay.note_answer(lasting, &format!(r#"{{"jsonrpc":"2.0","id":1,{answer}}}"#));
        }
    }

    #[test]
    fn a_new_gateway_is_told_what_still_counts() {
        let (done, refused) = (r#""result":{}"#, r#""error":{"code":-1,"message":"no"}"#);
        let mut replay = Replay::default();
        exchange(&mut replay, "initialize", r#"{"protocolVersion":"wrong"}"#, refused);
        assert!(replay.build_messages().is_empty() && !replay.is_initialized(), "the app tries again");
        let agreed = r#""result":{"protocolVersion":"2025-03-26"}"#;
        exchange(&mut replay, "initialize", r#"{"protocolVersion":"x"}"#, agreed);
        assert!(replay.has_batches());
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        replay.note_notification("notifications/initialized", initialized);
        for (uri, method, answer) in [
            ("a", "subscribe", done),
            ("b", "subscribe", done),
            ("c", "subscribe", refused),
            ("a", "unsubscribe", done),
        ] {
            exchange(&mut replay, &format!("resources/{method}"), &format!(r#"{{"uri":"{uri}"}}"#), answer);
        }
        exchange(&mut replay, "logging/setLevel", r#"{"level":"error"}"#, done);
        assert_eq!(replay.followed_uris().collect::<Vec<_>>(), ["b"]);
        assert_eq!(
            replay.build_messages(),
            [
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:0","method":"initialize","params":{"protocolVersion":"x"}}"#,
                initialized,
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:1","method":"logging/setLevel","params":{"level":"error"}}"#,
                r#"{"jsonrpc":"2.0","id":"mooring:repeated:2","method":"resources/subscribe","params":{"uri":"b"}}"#,
            ]
        );
        let answered = response_id(r#"{"jsonrpc":"2.0","id":"mooring:repeated:2","result":{}}"#).unwrap();
        assert!(Replay::is_repeated_id(&answered));
        assert!(!Replay::is_repeated_id(&response_id(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).unwrap()));
    }
}
