//! The recorded calls, as the log has them. Secrets are missing, because they never reach the log. A call
//! that took several rounds because the server asked for input is one call.

use std::borrow::Cow;
use std::collections::HashMap;

use mooring_disk::StoreError;
use mooring_log::{Item, LogEntry, LogKind, LogStatus};
use mooring_store::{CallRows, LogReader};
use mooring_words::StoredSentence;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::scan::REDACTED;

/// The most calls in one page.
const MAX_PAGE: u32 = 100;
/// How many more pages are read to find the first round of a call.
const MAX_READS: usize = 10;
/// Bodies longer than this are not read for a page, in bytes.
const LISTED_BODY: i64 = 64 << 10;
/// How much of the arguments a page shows, in characters.
const EXCERPT: usize = 300;

/// How a call ended, according to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LoggedCallStatus {
    /// With a result.
    Ok,
    /// With a result whose tool failed.
    ToolError,
    /// With a JSON-RPC error.
    RpcError,
    /// Without a response in time.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
    /// The connection or the message failed.
    Failed,
    /// The log doesn't have the end of the call.
    Unknown,
}

/// A call in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoggedCall {
    /// The row of the call's request.
    pub id: i64,
    /// The row of the call's response, or the row that says how the call ended without a response.
    pub answer: Option<i64>,
    /// When the call was made, in microseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_us: i64,
    /// The caller. The log only knows the callers of tools.
    pub caller: Option<String>,
    /// How the call ended.
    pub status: LoggedCallStatus,
    /// The call's duration in microseconds, without the time that it waited for a person.
    pub duration_us: Option<i64>,
    /// The size of the response in bytes.
    pub size: i64,
    /// The start of the call's arguments.
    pub excerpt: String,
}

/// Calls in the log, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct LoggedCallPage {
    /// The calls.
    pub calls: Vec<LoggedCall>,
    /// Where the next page begins. `None` if there are no older calls.
    pub next: Option<i64>,
}

/// The JSON-RPC error that a call ended with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LoggedError {
    /// The error code.
    pub code: i64,
    /// The server's message.
    #[serde(default)]
    pub message: String,
}

/// The messages of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct LoggedCallContent {
    /// The arguments.
    pub arguments: CallArguments,
    /// The result as JSON text.
    pub result: Option<String>,
    /// The JSON-RPC error.
    pub error: Option<LoggedError>,
    /// Why there is neither a result nor an error.
    pub said: Option<StoredSentence>,
}

/// Arguments without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CallArguments {
    /// The text of a JSON object.
    pub text: String,
    /// The paths that were removed because they were, or looked like, secrets.
    pub withheld: Vec<String>,
}

impl Default for CallArguments {
    fn default() -> Self {
        Self { text: "{}".to_owned(), withheld: Vec::new() }
    }
}

impl CallArguments {
    /// Removes every member that contains a redacted text.
    pub(crate) fn from_redacted(text: &str) -> Self {
        if !text.contains(REDACTED) {
            return Self { text: text.to_owned(), withheld: Vec::new() };
        }
        let Ok(mut value) = serde_json::from_str(text) else { return Self::default() };
        let mut withheld = Vec::new();
        remove_redacted(&mut value, "", &mut withheld);
        Self { text: value.to_string(), withheld }
    }
}

/// Removes the redacted members of objects. Returns whether the value itself has to be removed. An array with
/// a redacted item is removed as a whole, because the other items would move up.
fn remove_redacted(value: &mut Value, path: &str, withheld: &mut Vec<String>) -> bool {
    match value {
        Value::String(text) => text.contains(REDACTED),
        Value::Array(items) => items.iter_mut().any(|item| remove_redacted(item, path, &mut Vec::new())),
        Value::Object(members) => {
            members.retain(|name, member| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let goes = name.contains(REDACTED) || remove_redacted(member, &path, withheld);
                if goes {
                    withheld.push(path);
                }
                !goes
            });
            false
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[derive(Default, Deserialize)]
struct Request<'a> {
    #[serde(borrow, default)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input_responses: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<LoggedError>,
}

impl<'a> Response<'a> {
    /// Parses a body. A body that isn't a response or is truncated has neither a result nor an error.
    fn parse_body(body: &'a str) -> Self {
        serde_json::from_str(body).unwrap_or_default()
    }

    fn needs_input(&self) -> bool {
        #[derive(Deserialize)]
        struct Kind<'a> {
            #[serde(rename = "resultType", borrow)]
            kind: Option<Cow<'a, str>>,
        }
        let kind = self.result.and_then(|result| serde_json::from_str::<Kind<'_>>(result.get()).ok());
        kind.is_some_and(|result| result.kind.as_deref() == Some("input_required"))
    }
}

/// The last round of a call. It waits until the backward scan reaches the first round.
struct LastRound {
    rows: CallRows,
    status: LoggedCallStatus,
    duration_us: Option<i64>,
}

/// The calls of an item before the row `before` of the log, newest first.
pub async fn logged_calls(
    log: &LogReader,
    item: &Item,
    mut before: Option<i64>,
    limit: u32,
) -> Result<LoggedCallPage, StoreError> {
    let limit = limit.clamp(1, MAX_PAGE);
    let mut page = LoggedCallPage::default();
    let mut rounds: HashMap<i64, LastRound> = HashMap::new();
    // A page ends only when the first round of every call in it was found, or is too far away.
    for _ in 0..MAX_READS {
        let rows = log.calls(item, before, limit).await?;
        let bodies = read_bodies(log, &rows).await?;
        for row in &rows {
            add_call(&mut page, &mut rounds, row, &bodies);
        }
        before = rows.last().map(|row| row.request);
        page.next = before.filter(|_| rows.len() == limit as usize);
        if page.next.is_none() || rounds.is_empty() {
            break;
        }
    }
    Ok(page)
}

/// Reads the bodies of a page that aren't too long, and the verdicts.
async fn read_bodies(log: &LogReader, rows: &[CallRows]) -> Result<HashMap<i64, LogEntry>, StoreError> {
    let listed = |id: i64, size: i64| (size <= LISTED_BODY).then_some(id);
    let ids: Vec<i64> = rows
        .iter()
        .flat_map(|row| {
            let answer = row.answer.zip(row.answer_size).and_then(|(id, size)| listed(id, size));
            [row.verdict, listed(row.request, row.request_size), answer]
        })
        .flatten()
        .collect();
    Ok(log.entries(&ids).await?.into_iter().map(|entry| (entry.row.id, entry)).collect())
}

fn add_call(
    page: &mut LoggedCallPage,
    rounds: &mut HashMap<i64, LastRound>,
    row: &CallRows,
    bodies: &HashMap<i64, LogEntry>,
) {
    let text = |id: Option<i64>| id.and_then(|id| bodies.get(&id)).map(LogEntry::text).unwrap_or_default();
    let request = text(Some(row.request));
    let params = serde_json::from_str::<Request<'_>>(&request).unwrap_or_default().params;
    let answer = text(row.answer);
    let response = Response::parse_body(&answer);
    let ended = row.answer.and_then(|id| bodies.get(&id));
    let status = status_of(row, ended, &response);
    if params.input_responses.is_some() {
        let duration_us = ended.and_then(|ended| ended.row.duration_us);
        rounds.entry(row.connection).or_insert_with(|| LastRound { rows: row.clone(), status, duration_us });
        return;
    }
    let last = if response.needs_input() {
        let unfinished =
            LastRound { rows: row.clone(), status: LoggedCallStatus::Unknown, duration_us: None };
        Some(rounds.remove(&row.connection).unwrap_or(unfinished))
    } else {
        None
    };
    let verdict = serde_json::from_str::<Value>(&text(row.verdict)).ok();
    let caller = verdict.as_ref().and_then(|verdict| verdict.get("caller")?.as_str());
    let rows = last.as_ref().map_or(row, |last| &last.rows);
    page.calls.push(LoggedCall {
        id: row.request,
        answer: rows.answer,
        at_us: row.at_us,
        caller: caller.map(str::to_owned),
        status: last.as_ref().map_or(status, |last| last.status),
        duration_us: match &last {
            Some(last) => last.duration_us,
            None => ended.and_then(|ended| ended.row.duration_us),
        },
        size: rows.answer_size.unwrap_or_default(),
        excerpt: params.arguments.map_or("{}", RawValue::get).chars().take(EXCERPT).collect(),
    });
}

/// How a call ended. A response that is too long to be read counts as a result, because errors are short.
fn status_of(row: &CallRows, ended: Option<&LogEntry>, response: &Response<'_>) -> LoggedCallStatus {
    let Some(ended) = ended else {
        return if row.answer.is_some() { LoggedCallStatus::Ok } else { LoggedCallStatus::Unknown };
    };
    match (ended.row.kind, ended.row.status) {
        (_, LogStatus::TimedOut) => LoggedCallStatus::TimedOut,
        (_, LogStatus::Cancelled) => LoggedCallStatus::Cancelled,
        (LogKind::Frame, LogStatus::Error) if response.error.is_some() => LoggedCallStatus::RpcError,
        (LogKind::Frame, LogStatus::Error) if response.result.is_some() => LoggedCallStatus::ToolError,
        (LogKind::Frame, LogStatus::Ok) => LoggedCallStatus::Ok,
        _ => LoggedCallStatus::Failed,
    }
}

/// The messages of a call from [`logged_calls`]. `None` if its request is no longer in the log.
pub async fn logged_call(
    log: &LogReader,
    id: i64,
    answer: Option<i64>,
) -> Result<Option<LoggedCallContent>, StoreError> {
    let entries = log.entries(&[Some(id), answer].into_iter().flatten().collect::<Vec<_>>()).await?;
    let find = |id: i64| entries.iter().find(|entry| entry.row.id == id);
    let Some(request) = find(id) else { return Ok(None) };
    let body = request.text();
    let params = serde_json::from_str::<Request<'_>>(&body).unwrap_or_default().params;
    let mut content = LoggedCallContent {
        arguments: params.arguments.map(|raw| CallArguments::from_redacted(raw.get())).unwrap_or_default(),
        ..LoggedCallContent::default()
    };
    let Some(answer) = answer.and_then(find) else { return Ok(Some(content)) };
    let body = answer.text();
    if answer.row.kind == LogKind::Frame {
        let response = Response::parse_body(&body);
        content.result = response.result.map(|raw| raw.get().to_owned());
        content.error = response.error;
    } else {
        let body = serde_json::from_str::<Value>(&body).unwrap_or_default();
        content.said = body.get("said").and_then(|said| StoredSentence::deserialize(said).ok());
    }
    Ok(Some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lose_what_was_redacted_and_nothing_else() {
        for (text, expected, withheld) in [
            (r#"{"n":1e999,"text":"a"}"#, r#"{"n":1e999,"text":"a"}"#, &[][..]),
            (r#"{"token":"[redacted]","text":"a"}"#, r#"{"text":"a"}"#, &["token"]),
            (
                r#"{"a":{"key":"x [redacted]","b":[1]},"list":["[redacted]","b"]}"#,
                r#"{"a":{"b":[1]}}"#,
                &["a.key", "list"],
            ),
        ] {
            let arguments = CallArguments::from_redacted(text);
            assert_eq!(
                (arguments.text.as_str(), &arguments.withheld[..]),
                (expected, &withheld.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()[..])
            );
        }
    }
}
