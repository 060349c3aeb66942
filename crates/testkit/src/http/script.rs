//! The behaviour of a scripted HTTP server for each kind of request.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::body::{BodyPiece, Gate};

/// How the server behaves. Build it with [`HttpScript::json`] or [`HttpScript::sse`].
pub struct HttpScript {
    pub(super) streams: bool,
    pub(super) session: bool,
    pub(super) primed: bool,
    pub(super) draft: bool,
    pub(super) closes: bool,
    pub(super) always: HashMap<String, HttpReply>,
    pub(super) next: HashMap<String, VecDeque<HttpReply>>,
}

impl HttpScript {
    /// Answers with one JSON document.
    pub fn json() -> Self {
        Self {
            streams: false,
            session: true,
            primed: false,
            draft: false,
            closes: false,
            always: HashMap::new(),
            next: HashMap::new(),
        }
    }

    /// Answers each request with an event stream that ends with the answer.
    pub fn sse() -> Self {
        Self { streams: true, ..Self::json() }
    }

    /// Issues no session and asks for none.
    #[must_use]
    pub fn without_session(mut self) -> Self {
        self.session = false;
        self
    }

    /// Begins every event stream with an event that has an id and no data.
    #[must_use]
    pub fn with_priming_event(mut self) -> Self {
        self.primed = true;
        self
    }

    /// Closes the connection after each exchange.
    #[must_use]
    pub fn closing_connections(mut self) -> Self {
        self.closes = true;
        self
    }

    /// Requires sessions, and on every message the headers of the draft between the eras: `Mcp-Method`, and
    /// `Mcp-Name` for calls, prompts and resources.
    #[must_use]
    pub fn with_draft_headers(mut self) -> Self {
        self.draft = true;
        self
    }

    /// Replies this way to every message of a JSON-RPC method, or to `GET` or `DELETE`.
    #[must_use]
    pub fn on(mut self, method: &str, reply: HttpReply) -> Self {
        self.always.insert(method.to_owned(), reply);
        self
    }

    /// Replies this way to the next message of a method, before what [`HttpScript::on`] says; several
    /// of them are used up in order.
    #[must_use]
    pub fn once(mut self, method: &str, reply: HttpReply) -> Self {
        self.next.entry(method.to_owned()).or_default().push_back(reply);
        self
    }
}

/// The reply to one message.
#[derive(Clone)]
pub enum HttpReply {
    /// The normal reply.
    Usual,
    /// This result, in the script's usual way.
    Result(Value),
    /// This JSON-RPC error, in the script's usual way.
    Error {
        /// The JSON-RPC error code.
        code: i64,
        /// The message.
        message: String,
    },
    /// Exactly this HTTP response.
    Raw(RawReply),
    /// Waits for the gate, then gives the reply.
    After(Gate, Box<Self>),
    /// Never says anything, not even a status.
    Hang,
}

impl HttpReply {
    /// A status with a plain text body.
    pub fn status(status: u16, body: &str) -> Self {
        RawReply::new(status).header("content-type", "text/plain").text(body).into()
    }

    /// A page for people, with status 200.
    pub fn html() -> Self {
        RawReply::new(200)
            .header("content-type", "text/html; charset=utf-8")
            .text("<!doctype html><title>Harbour</title><h1>Welcome</h1>")
            .into()
    }

    /// 401 with this `WWW-Authenticate`.
    pub fn unauthorized(challenge: &str) -> Self {
        RawReply::new(401).header("www-authenticate", challenge).text("").into()
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        RawReply::new(status).header("location", location).into()
    }

    /// 202 without a body, which is wrong for a request.
    pub fn accepted() -> Self {
        RawReply::new(202).into()
    }

    /// Status 200 and this text as `application/json`; `$ID` is replaced by the request's id.
    pub fn json_text(text: &str) -> Self {
        RawReply::new(200).header("content-type", "application/json").text(text).into()
    }

    /// Status 200 and this text as `text/event-stream`; `$ID` is replaced by the request's id. The stream
    /// ends after it.
    pub fn stream_text(text: &str) -> Self {
        RawReply::new(200).header("content-type", "text/event-stream").text(text).into()
    }
}

impl From<RawReply> for HttpReply {
    fn from(raw: RawReply) -> Self {
        Self::Raw(raw)
    }
}

/// One HTTP response, piece by piece.
#[derive(Clone)]
pub struct RawReply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) pieces: Vec<BodyPiece>,
}

impl RawReply {
    /// A response with this status, without headers or body.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), pieces: Vec::new() }
    }

    /// An event stream with status 200.
    pub fn stream() -> Self {
        Self::new(200).header("content-type", "text/event-stream")
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds text to the body; `$ID` is replaced by the request's id.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.piece(BodyPiece::text(text))
    }

    /// Adds anything to the body.
    #[must_use]
    pub fn piece(mut self, piece: BodyPiece) -> Self {
        self.pieces.push(piece);
        self
    }
}
