//! A record of the log.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use ts_rs::TS;

/// What a row of the log is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// A message of the protocol.
    Frame,
    /// A line that a server wrote to its stderr.
    Stderr,
    /// A decision about a call.
    Verdict,
    /// A change of a connection's state.
    State,
    /// Rows that could not be written.
    Gap,
    /// Something unusual that a server did.
    Diagnostic,
    /// A step of signing in, renewing a sign-in or signing out.
    Auth,
}

impl LogKind {
    /// The kind with this number.
    pub fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::Frame,
            1 => Self::Stderr,
            2 => Self::Verdict,
            3 => Self::State,
            4 => Self::Gap,
            5 => Self::Diagnostic,
            6 => Self::Auth,
            _ => return None,
        })
    }
}

/// Where a row's message was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Not a message.
    None,
    /// To the server.
    Out,
    /// From the server.
    In,
    /// From an app (an MCP client that uses the gateway) to Mooring.
    FromApp,
    /// From Mooring to an app.
    ToApp,
}

impl Direction {
    /// The direction with this number.
    pub fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::None,
            1 => Self::Out,
            2 => Self::In,
            3 => Self::FromApp,
            4 => Self::ToApp,
            _ => return None,
        })
    }
}

/// How the subject of a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogStatus {
    /// The subject is not something that ends.
    None,
    /// It succeeded.
    Ok,
    /// It failed.
    Error,
    /// It was cancelled.
    Cancelled,
    /// It timed out.
    TimedOut,
}

impl LogStatus {
    /// The status with this number.
    pub fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            0 => Self::None,
            1 => Self::Ok,
            2 => Self::Error,
            3 => Self::Cancelled,
            4 => Self::TimedOut,
            _ => return None,
        })
    }
}

/// A record to log. Its creator or its finisher removes secrets before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// When the event happened, in microseconds since the Unix epoch.
    pub at_us: i64,
    /// The saved server that the record belongs to.
    pub server_id: Option<i64>,
    /// The server's display name, or `app:` and the app's name.
    pub source: Arc<str>,
    /// The number of the connection in this run.
    pub connection: i64,
    /// What the record is about.
    pub kind: LogKind,
    /// Where the message was sent.
    pub direction: Direction,
    /// The message's method, or that of the request that it responds to. Names are cut to 256 characters,
    /// here and in the next two fields.
    pub method: Option<Arc<str>>,
    /// The message's id, as JSON text.
    pub rpc_id: Option<Arc<str>>,
    /// What the method is about, such as a tool's name.
    pub subject: Option<Arc<str>>,
    /// How the subject ended.
    pub status: LogStatus,
    /// How long the subject took, in microseconds.
    pub duration_us: Option<i64>,
    /// The message's size on the wire, in bytes.
    pub size: i64,
    /// The app that sent or received the message, or whose call it is part of.
    pub app: Option<Arc<str>>,
    /// The number of the app's call that the record is part of.
    pub call: Option<i64>,
    /// The message: normally UTF-8, but any bytes are possible.
    pub body: Bytes,
}

#[cfg(debug_assertions)]
impl LogRecord {
    /// A frame with this body, for tests.
    #[doc(hidden)]
    pub fn sample_frame(body: impl Into<Bytes>) -> Self {
        Self {
            at_us: 1,
            server_id: None,
            source: "s".into(),
            connection: 1,
            kind: LogKind::Frame,
            direction: Direction::In,
            method: None,
            rpc_id: None,
            subject: None,
            status: LogStatus::None,
            duration_us: None,
            size: 1,
            app: None,
            call: None,
            body: body.into(),
        }
    }
}
