//! Reads from the response to a tool call whether the tool failed, and whether the call is over.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use mooring_log::{LogRecord, LogStatus};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Completes the record of a response to a tool call. If the call isn't over, because it requires input or
/// became a task, the record has no duration. Only the whole call has a duration, which includes all of its
/// rounds.
pub(crate) fn note_call_end(record: &mut LogRecord) {
    if record.status != LogStatus::Ok {
        return;
    }
    if is_tool_error(&record.body) {
        record.status = LogStatus::Error;
    } else if !has_call_ended(&record.body) {
        record.duration_us = None;
    }
}

/// Whether a tool result says that the tool failed. A text inside the result can't be mistaken for the
/// member, because its quotes are escaped.
fn is_tool_error(bytes: &[u8]) -> bool {
    static NAME: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"isError\""));
    // The search goes forwards, because only this direction is vectorized.
    let Some(at) = NAME.find_iter(bytes).last() else { return false };
    let rest = bytes.get(at + NAME.needle().len()..).unwrap_or_default().trim_ascii_start();
    rest.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"true"))
}

#[derive(Deserialize)]
struct ResponseEnvelope<'a> {
    #[serde(borrow)]
    result: CallResponse<'a>,
}

#[derive(Deserialize)]
struct CallResponse<'a> {
    #[serde(rename = "resultType", borrow)]
    kind: Option<Cow<'a, str>>,
    task: Option<IgnoredAny>,
    content: Option<IgnoredAny>,
}

/// Whether the call is over with this result. The result is parsed only if it may say otherwise.
fn has_call_ended(bytes: &[u8]) -> bool {
    static KIND: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"resultType\""));
    static TASK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"task\""));
    if KIND.find(bytes).is_none() && TASK.find(bytes).is_none() {
        return true;
    }
    let Ok(ResponseEnvelope { result }) = serde_json::from_slice::<ResponseEnvelope<'_>>(bytes) else {
        return true;
    };
    let goes_on = match result.kind.as_deref() {
        Some(kind) => kind == "input_required" || kind == "task",
        None => result.task.is_some() && result.content.is_none(),
    };
    !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_tool_is_told_from_one_that_talks_about_failing() {
        assert!(is_tool_error(br#"{"result":{"content":[],"isError" : true}}"#));
        assert!(!is_tool_error(br#"{"result":{"content":[{"text":"{\"isError\":true}"}]}}"#));
        assert!(!is_tool_error(br#"{"result":{"isError":false}}"#));
    }

    #[test]
    fn only_what_asks_for_more_or_became_a_task_ends_no_call() {
        for (result, ends) in [
            (r#"{"content":[]}"#, true),
            (r#"{"resultType":"complete","content":[]}"#, true),
            (r#"{"resultType":"input_required","inputRequests":{}}"#, false),
            (r#"{"resultType":"input\u005frequired"}"#, false),
            (r#"{"resultType":"task","taskId":"t"}"#, false),
            (r#"{"task":{"taskId":"t"}}"#, false),
            (r#"{"task":{},"content":[]}"#, true),
            (r#"{"content":[{"task":1,"resultType":"input_required"}]}"#, true),
            (r#"{"content":[{"resultType":"task"}],"resultType":"complete"}"#, true),
            (r#"7,"task":"#, true),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            assert_eq!(has_call_ended(body.as_bytes()), ends, "{body}");
        }
    }
}
