//! Rows of the log, and queries for them.

use crate::record::{Direction, LogKind, LogStatus};
use bytes::Bytes;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;
use ts_rs::TS;

/// A row of the log without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    /// Greater than the id of every row before it.
    pub id: i64,
    /// When the event happened, in microseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_us: i64,
    /// The saved server that the row belongs to.
    pub server_id: Option<i64>,
    /// The server's display name at that time, or `app:` and the app's name.
    pub source: Arc<str>,
    /// The number of the connection in its run.
    pub connection: i64,
    /// What the row is about.
    pub kind: LogKind,
    /// Where the message was sent.
    pub direction: Direction,
    /// The message's method, or that of the request that it responds to.
    pub method: Option<Arc<str>>,
    /// The message's id, as JSON text.
    pub rpc_id: Option<String>,
    /// What the method is about, such as a tool's name.
    pub subject: Option<String>,
    /// How the subject ended.
    pub status: LogStatus,
    /// How long the subject took, in microseconds.
    pub duration_us: Option<i64>,
    /// The message's size on the wire, in bytes.
    pub size: i64,
    /// The app that sent or received the message, or whose call it is part of.
    pub app: Option<Arc<str>>,
    /// The number of the app's call that the row is part of. All rows of a call have the same number.
    pub call: Option<i64>,
    /// The body's first 240 characters.
    pub preview: String,
}

/// A row of the log with its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct LogEntry {
    /// The row.
    #[serde(flatten)]
    pub row: LogRow,
    /// The whole body, or its start if the rest is `lost`.
    #[serde(serialize_with = "serialize_text")]
    #[ts(type = "string")]
    pub body: Bytes,
    /// Bytes of the body that are no longer on disk: 0, unless a file was removed or damaged.
    #[serde(skip)]
    pub lost: u64,
}

/// Writes a body as text. Invalid UTF-8 is replaced.
fn serialize_text<S: Serializer>(body: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(body))
}

impl LogEntry {
    /// The body as text. Invalid UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Selects rows, and a page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "LogFilter")]
pub struct LogQuery {
    /// Only rows before this id. Pages go back in time, so the next page starts before the last row of this
    /// page.
    #[serde(skip)]
    pub before: Option<i64>,
    /// Only rows after this id. Without `before`, the page starts directly after this row, so that reading
    /// forward leaves no gap.
    #[serde(skip)]
    pub after: Option<i64>,
    /// Rows in a page, 1 to 1,000.
    #[serde(skip)]
    pub limit: u32,
    /// Only this source.
    pub source: Option<String>,
    /// Only this saved server.
    pub server_id: Option<i64>,
    /// Only messages of this app, and rows that its calls caused at servers.
    pub app: Option<String>,
    /// Only rows of this call of an app.
    pub call: Option<i64>,
    /// Only these kinds. Empty for all.
    pub kinds: Vec<LogKind>,
    /// Only this direction.
    pub direction: Option<Direction>,
    /// Only this method.
    pub method: Option<String>,
    /// Only rows that ended in one of these ways. Empty for all.
    pub statuses: Vec<LogStatus>,
    /// Only rows with at least this duration, in microseconds.
    pub min_duration_us: Option<i64>,
    /// Only rows with this text in the body. ASCII letters match in either case.
    pub text: Option<String>,
}

impl LogQuery {
    /// Whether the page follows a row rather than precedes one.
    pub fn is_forward(&self) -> bool {
        self.after.is_some() && self.before.is_none()
    }
}
