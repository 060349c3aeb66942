//! Properties that must hold for any input to the parsers of a peer's bytes. The tests check a number of
//! inputs derived from examples. `cargo xtask fuzz` checks inputs until its time is over.

mod readings;
#[cfg(test)]
mod tests;

pub use readings::{CODES, ParsedStream, ParsedView, read_events, read_messages};

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mooring_jsonrpc::raw;
use serde_json::Value;

use crate::frame::{self, FrameError, FrameKind};
use crate::headers::{encode_header_value, param_headers};
use crate::limits::Limits;
use crate::message::{self, Message, ResponseBody};
use mooring_base::auth_challenge::AuthChallenge;
use mooring_base::uri_template::UriTemplate;

/// A property's name, the property, and examples of its input.
pub type FuzzTarget = (&'static str, fn(&[u8]), &'static [&'static str]);

/// All properties.
pub const TARGETS: [FuzzTarget; 6] = [
    ("frame", frame, &MESSAGES),
    ("envelope", envelope, &MESSAGES),
    (
        "event-stream",
        event_stream,
        &[
            "\u{1}data: a\n\ndata:b\ndata: c\n\n",
            "\u{2}\u{feff}event: message\r\nid: 7\r\ndata: {\"a\":1}\r\n\r\n",
            "\u{5}: comment\rretry: 3000\rdata\r\rid\rdata: x\r\r",
            "\u{3}id: a\0b\nretry: x\nunknown: y\n\n\n",
        ],
    ),
    (
        "challenge",
        challenge,
        &[
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
            "Bearer error=\"invalid_token\",resource_metadata=\"https://a/.well-known/oauth-protected-resource\"",
            "Negotiate YWJj+/==, Digest abc=",
            "DPoP algs = \"ES256 PS256\" , scope=a",
        ],
    ),
    (
        "uri-template",
        uri_template,
        &[
            "http://a/{+path}/b{?x,y:3,list*}{&more}#{frag}",
            "{#a}{.b,c}{/d}{;e}",
            "db://{table}/rows/{id}",
            "a b%41%zé{var:9999}",
        ],
    ),
    (
        "mcp-header",
        mcp_header,
        &[
            " us-west1",
            "=?base64?literal?=",
            "日本語\r\n",
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"integer","x-mcp-header":"C"}}}}}"#,
        ],
    ),
];

const MESSAGES: [&str; 7] = [
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#,
    r#"{"jsonrpc":"2.0","id":"x","method":"elicitation/create","params":{"message":"é\n\u0041"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.5e3,"total":null}}"#,
    r#" {"id": null , "error" : {"code":-32603,"message":"x","data":[true,false]}, "id":2}"#,
    r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]"#,
    r#"{"i\u0064":7,"res\u0075lt":[[[[[[[["deep"]]]]]]]]}"#,
    "[]",
];

/// Small limits, so that inputs exceed them.
fn limits() -> Limits {
    Limits { message_bytes: 4_096, nodes: 100, depth: 8, ..Limits::default() }
}

/// The one-pass check of a frame agrees with a parser about the frame's size, and finds the same members.
fn frame(bytes: &[u8]) {
    let limits = limits();
    let inspected = frame::inspect_frame(bytes, &limits);
    if bytes.len() > limits.message_bytes {
        assert_eq!(inspected, Err(FrameError::TooLarge { limit: limits.message_bytes }));
        return;
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    if !value.is_object() && !value.is_array() {
        assert!(inspected.is_err());
        return;
    }
    let (nodes, depth) = cost(&value);
    let fits = nodes <= limits.nodes && depth <= limits.depth;
    // A repeated key counts twice, but a parser only keeps one member.
    assert!(inspected.is_err() || fits, "{nodes} values, {depth} deep");
    let Ok(FrameKind::Object(members)) = inspected else {
        return;
    };
    for (name, span) in [
        ("jsonrpc", members.jsonrpc),
        ("id", members.id),
        ("method", members.method),
        ("params", members.params),
        ("result", members.result),
        ("error", members.error),
    ] {
        let found = span.map(|span| serde_json::from_slice::<Value>(&bytes[span]).ok());
        assert_eq!(found, value.get(name).cloned().map(Some), "{name}");
    }
}

/// The number of values and levels of a document.
fn cost(value: &Value) -> (usize, usize) {
    let inner: Vec<(usize, usize)> = match value {
        Value::Array(items) => items.iter().map(cost).collect(),
        Value::Object(members) => members.values().map(cost).collect(),
        _ => return (1, 0),
    };
    let nodes = inner.iter().map(|(nodes, _)| nodes).sum::<usize>() + 1;
    (nodes, inner.iter().map(|(_, depth)| *depth).max().unwrap_or_default() + 1)
}

/// Members of an envelope are slices of its bytes, and members of a valid envelope are valid JSON.
fn envelope(bytes: &[u8]) {
    let bytes = Bytes::copy_from_slice(bytes);
    let Ok(read) = message::parse_frame(&bytes, &limits()) else {
        return;
    };
    let valid = serde_json::from_slice::<Value>(&frame::trim_frame(&bytes)).is_ok();
    for parsed in read.messages {
        let parts = match parsed.message {
            Message::Request { id, params, .. } => vec![Some(id), params],
            Message::Notification { params, .. } => vec![params],
            Message::Response { body: ResponseBody::Result(part) | ResponseBody::Error(part), .. } => {
                vec![Some(part)]
            }
        };
        for part in parts.into_iter().flatten() {
            // The parser replaces numbers that JSON does not have in a copy.
            if valid {
                let _within = bytes.slice_ref(&part);
            }
            assert!(!valid || serde_json::from_slice::<Value>(&part).is_ok(), "{part:?}");
        }
    }
}

/// A stream has the same events in any chunking, and no event over the limit.
fn event_stream(bytes: &[u8]) {
    let Some((size, stream)) = bytes.split_first() else {
        return;
    };
    let read = |limit: usize, size: usize| read_events(stream.chunks(size.max(1)), limit);
    let at_once = read(bytes.len(), stream.len());
    assert!(at_once.whole);
    assert_eq!(at_once, read(bytes.len(), usize::from(*size)));
    let limited = read(16, usize::from(*size));
    assert_eq!(read(16, stream.len()), limited);
    for (_, data) in limited.events {
        assert!(data.len() <= 16);
    }
}

/// Challenges survive writing and parsing, and their number is limited.
fn challenge(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let challenges = AuthChallenge::read_all(&text);
    assert!(challenges.len() <= AuthChallenge::MOST);
    for challenge in challenges {
        assert!(challenge.parameters.len() <= AuthChallenge::MOST_PARAMETERS);
        assert_eq!(AuthChallenge::read_all(&challenge.to_string()), [challenge]);
    }
}

/// With any values, a template only produces characters that are allowed in a URI.
fn uri_template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(template) = UriTemplate::parse(&text) else {
        return;
    };
    assert_eq!(template.to_string(), text);
    let names = template.variables();
    for value in ["", "plain", "a b/ü?%41%zz{}\u{202e}", &text] {
        let values: BTreeMap<String, String> =
            names.iter().map(|name| (name.clone(), value.to_owned())).collect();
        assert_eq!(values.len(), names.len(), "each name once");
        let uri = template.expand(&values);
        let mut rest = uri.as_bytes();
        while let [byte, after @ ..] = rest {
            let escape =
                *byte == b'%' && after.iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2;
            let plain = byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte);
            assert!(escape || plain, "{uri}");
            rest = after;
        }
    }
}

/// An encoded header value decodes to its text, and only has visible characters.
fn mcp_header(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let header = encode_header_value(&text);
    let Ok(header) = header else {
        return;
    };
    assert!(header.as_bytes().iter().all(|byte| (0x20..0x7f).contains(byte)));
    let inside = |header: &[u8]| {
        let inside = header.strip_prefix(b"=?base64?")?.strip_suffix(b"?=")?;
        STANDARD.decode(inside).ok()
    };
    let decoded = inside(header.as_bytes()).unwrap_or_else(|| header.as_bytes().to_owned());
    assert_eq!(decoded, text.as_bytes());

    if let Some(Ok(found)) = raw(&text).map(|schema| param_headers(&schema)) {
        for mirrored in found {
            let _unsuited = mirrored.to_header(&text);
        }
    }
}
