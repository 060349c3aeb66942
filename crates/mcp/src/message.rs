//! Parses the JSON-RPC envelope of a frame. Members stay slices of the frame's bytes, and ids keep their JSON
//! type. Missing members are diagnostics as long as the meaning is clear.

pub(crate) mod write;

use bytes::Bytes;
use mooring_jsonrpc::{Span, string};
use mooring_words::say;
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::frame::{self, Envelope, FrameError, FrameKind, numbers};
use crate::limits::Limits;

/// A message by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// A request of the server. `id` is JSON text.
    Request { id: Bytes, method: String, params: Option<Bytes> },
    /// A notification of the server.
    Notification { method: String, params: Option<Bytes> },
    /// A response, or an error that belongs to no request (`id` absent or null).
    Response { id: Option<ResponseId>, body: ResponseBody },
}

/// The id of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResponseId {
    /// A number that may be one of this client's ids. `exact` is false if it was a string or had a fraction.
    Ours { number: u64, exact: bool },
    /// Any other id, as JSON text.
    Foreign(Bytes),
}

/// The unparsed content of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResponseBody {
    Result(Bytes),
    Error(Bytes),
}

/// A message with its diagnostics.
#[derive(Debug)]
pub(crate) struct ParsedMessage {
    pub(crate) message: Message,
    /// Size in bytes.
    pub(crate) size: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The messages in one frame.
#[derive(Debug, Default)]
pub(crate) struct ParsedFrame {
    /// Whether the frame is an array.
    pub(crate) is_batch: bool,
    /// The message, or the valid messages of a batch.
    pub(crate) messages: Vec<ParsedMessage>,
    /// The number of invalid elements in the batch.
    pub(crate) unread: usize,
    /// Problems of the frame. Invalid elements share one, because a batch may have very many.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses the messages of one frame: a single message or a batch.
pub(crate) fn parse_frame(bytes: &Bytes, limits: &Limits) -> Result<ParsedFrame, FrameError> {
    let bytes = frame::trim_frame(bytes);
    match frame::inspect_frame(&bytes, limits)? {
        FrameKind::Object(members) => {
            Ok(ParsedFrame { messages: vec![parse_envelope(&bytes, members)?], ..ParsedFrame::default() })
        }
        FrameKind::Array => parse_batch(&bytes, limits),
        FrameKind::OddNumbers => {
            let (bytes, diagnostics) = numbers::replace_odd_numbers(&bytes);
            let mut read = parse_frame(&bytes, limits)?;
            match read.messages.as_mut_slice() {
                [only] if !read.is_batch => only.diagnostics.extend(diagnostics),
                _ => read.diagnostics.extend(diagnostics),
            }
            Ok(read)
        }
    }
}

fn parse_batch(bytes: &Bytes, limits: &Limits) -> Result<ParsedFrame, FrameError> {
    let elements: Vec<&RawValue> = serde_json::from_slice(bytes)
        .map_err(|_| FrameError::NotJson { reason: say!("the batch isn’t valid JSON") })?;
    let mut read = ParsedFrame { is_batch: true, ..ParsedFrame::default() };
    let mut first = None;
    for (index, element) in elements.into_iter().enumerate() {
        let element = bytes.slice_ref(element.get().as_bytes());
        let message = match frame::inspect_frame(&element, limits) {
            Ok(FrameKind::Object(members)) => parse_envelope(&element, members),
            Ok(_) => Err(FrameError::NotJson { reason: say!("it is an array") }),
            Err(error) => Err(error),
        };
        match message {
            Ok(message) => read.messages.push(message),
            Err(error) => {
                read.unread += 1;
                first.get_or_insert((index, error));
            }
        }
    }
    read.diagnostics.extend(first.map(|(index, error)| {
        let reason = error.sentence();
        let message = match read.unread {
            1 => reason,
            count => say!("{reason}; {count} elements of the array can’t be read", reason, count),
        };
        Diagnostic::new(DiagnosticCode::Envelope, format!("[{index}]"), message)
    }));
    Ok(read)
}

fn parse_envelope(bytes: &Bytes, members: Envelope) -> Result<ParsedMessage, FrameError> {
    let mut diagnostics = Vec::new();
    let slice = |span: Span| bytes.slice(span);
    if members.jsonrpc.as_ref().and_then(|span| bytes.get(span.clone())) != Some(b"\"2.0\"") {
        diagnostics.push(Diagnostic::new(DiagnosticCode::Envelope, "jsonrpc", say!("isn’t “2.0”")));
    }
    if members.repeated {
        diagnostics.push(Diagnostic::new(
            DiagnosticCode::Envelope,
            "",
            say!("a member appears twice; the last one counts"),
        ));
    }
    let is_null = |span: &Span| bytes.get(span.clone()) == Some(b"null");
    let result = members.result;
    let error = members.error.filter(|span| !is_null(span));
    let id = members.id.filter(|span| !is_null(span));
    let body = match (result, error) {
        (None, None) => None,
        (Some(result), None) => Some(ResponseBody::Result(slice(result))),
        (result, Some(error)) => {
            if result.is_some_and(|span| !is_null(&span)) {
                diagnostics.push(Diagnostic::new(
                    DiagnosticCode::Envelope,
                    "result",
                    say!("comes with an error; the error counts"),
                ));
            }
            Some(ResponseBody::Error(slice(error)))
        }
    };
    let message = match (body, members.method) {
        (Some(body), _) => Message::Response { id: id.map(|span| parse_response_id(slice(span))), body },
        (None, Some(method)) => {
            let method = serde_json::from_slice::<String>(&slice(method))
                .map_err(|_| FrameError::NotJson { reason: say!("method isn’t a string") })?;
            let params = members.params.filter(|span| !is_null(span)).map(slice);
            match id {
                Some(id) => Message::Request { id: slice(id), method, params },
                None => Message::Notification { method, params },
            }
        }
        (None, None) => {
            return Err(FrameError::NotJson { reason: say!("it has neither method, result nor error") });
        }
    };
    Ok(ParsedMessage { message, size: bytes.len(), diagnostics })
}

/// Parses a response's id. This client sends integers; some servers echo strings or zero fractions.
pub(crate) fn parse_response_id(text: Bytes) -> ResponseId {
    let digits = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(number) = digits(&text) {
        return ResponseId::Ours { number, exact: true };
    }
    let quoted = std::str::from_utf8(&text).ok().and_then(string);
    let fraction = text.strip_suffix(b".0");
    match quoted.as_deref().map(str::as_bytes).or(fraction).and_then(digits) {
        Some(number) => ResponseId::Ours { number, exact: false },
        None => ResponseId::Foreign(text),
    }
}

/// Reads the number in an id's JSON text. `None` if it can't be the id of a request of this client.
pub(crate) fn read_own_id(text: &[u8]) -> Option<u64> {
    match parse_response_id(Bytes::copy_from_slice(text)) {
        ResponseId::Ours { number, .. } => Some(number),
        ResponseId::Foreign(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (Message, Vec<String>) {
        let mut parsed =
            parse_frame(&Bytes::copy_from_slice(text.as_bytes()), &Limits::default()).unwrap().messages;
        assert_eq!(parsed.len(), 1);
        let parsed = parsed.remove(0);
        (parsed.message, parsed.diagnostics.iter().map(ToString::to_string).collect())
    }

    fn ours(number: u64, exact: bool) -> ResponseId {
        ResponseId::Ours { number, exact }
    }

    // Requirements: BASE-06.
    #[test]
    fn an_error_of_null_beside_a_result_is_a_result() {
        let (message, odd) = one(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#);
        assert_eq!(
            message,
            Message::Response { id: Some(ours(1, true)), body: ResponseBody::Result("{}".into()) }
        );
        assert!(odd.is_empty());
    }

    // Requirements: BASE-05, BASE-06.
    #[test]
    fn a_result_of_null_beside_an_error_is_an_error() {
        let (message, odd) = one(r#"{"jsonrpc":"2.0","id":"12","result":null,"error":{"code":1}}"#);
        assert_eq!(
            message,
            Message::Response {
                id: Some(ours(12, false)),
                body: ResponseBody::Error(r#"{"code":1}"#.into())
            }
        );
        assert!(odd.is_empty());
    }

    // Requirements: BASE-01.
    #[test]
    fn a_message_without_jsonrpc_is_read_with_a_diagnostic() {
        let (message, odd) = one(r#"{"method":"notifications/message","params":null}"#);
        assert_eq!(message, Message::Notification { method: "notifications/message".into(), params: None });
        assert_eq!(odd, ["jsonrpc: isn’t “2.0”"]);
    }

    // Requirements: BASE-02.
    #[test]
    fn a_request_keeps_the_text_of_its_id() {
        let (message, _) = one(r#"{"jsonrpc":"2.0","id":"a b","method":"ping"}"#);
        assert_eq!(message, Message::Request { id: "\"a b\"".into(), method: "ping".into(), params: None });
    }

    // Requirements: BASE-07.
    #[test]
    fn an_error_without_an_id_is_an_answer_to_nobody() {
        let (message, _) = one(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#);
        assert_eq!(
            message,
            Message::Response { id: None, body: ResponseBody::Error(r#"{"code":-32700}"#.into()) }
        );
    }

    // Requirements: STD-07.
    #[test]
    fn a_byte_order_mark_and_line_ends_do_not_disturb() {
        let (message, _) = one("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}\r\n");
        assert_eq!(
            message,
            Message::Response { id: Some(ours(1, false)), body: ResponseBody::Result("{}".into()) }
        );
    }

    // Requirements: BASE-10.
    #[test]
    fn batch_is_read_per_message_and_bad_ones_spoil_no_other() {
        let odd = |text: &'static str| {
            let read = parse_frame(&Bytes::from_static(text.as_bytes()), &Limits::default()).unwrap();
            (read.messages.len(), read.unread, read.diagnostics.first().map(ToString::to_string))
        };
        assert_eq!(
            odd(r#"[{"jsonrpc":"2.0","id":1,"result":{}},7,{"jsonrpc":"2.0","method":"x"}]"#),
            (2, 1, Some("[1]: not a JSON message: it doesn’t start with { or [".into()))
        );
        assert_eq!(
            odd(r#"[{"jsonrpc":"2.0","id":1,"result":{}},[],{}]"#),
            (
                1,
                2,
                Some("[1]: not a JSON message: it is an array; 2 elements of the array can’t be read".into())
            )
        );
        assert_eq!(odd("[]"), (0, 0, None));
    }
}
