//! Answers by splicing bytes, without parsing. The id follows the first `"id":`. Every client here writes it
//! before anything else that could contain those bytes.

use memchr::memmem;

/// Answers messages. Caches the last big result.
#[derive(Default)]
pub(crate) struct EchoResponder {
    big: Vec<u8>,
    big_size: usize,
}

const HEAD: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":";
const ECHO: &[u8] = b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ahoy\"}]}}";
const EMPTY: &[u8] = b",\"result\":{}}";
const INITIALIZE: &[u8] = b",\"result\":{\"protocolVersion\":\"2025-11-25\",\
\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}}";
const TOOLS: &[u8] = b",\"result\":{\"tools\":[\
{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}},\
{\"name\":\"big\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"bytes\":{\"type\":\"integer\"}}}}]}}";
const UNKNOWN: &[u8] = b",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}";

impl EchoResponder {
    /// Appends the answer to `message`, without a line end. Returns false if the message needs no answer.
    pub(crate) fn append(&mut self, message: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(id) = id(message) else {
            return false;
        };
        out.extend_from_slice(HEAD);
        out.extend_from_slice(id);
        if contains(message, b"\"tools/call\"") {
            if contains(message, b"\"big\"") {
                out.extend_from_slice(self.big(message));
            } else {
                out.extend_from_slice(ECHO);
            }
        } else if contains(message, b"\"initialize\"") {
            out.extend_from_slice(INITIALIZE);
        } else if contains(message, b"\"tools/list\"") {
            out.extend_from_slice(TOOLS);
        } else if contains(message, b"\"ping\"") {
            out.extend_from_slice(EMPTY);
        } else {
            out.extend_from_slice(UNKNOWN);
        }
        true
    }

    fn big(&mut self, message: &[u8]) -> &[u8] {
        let size = after(message, b"\"bytes\":").map_or(0, number);
        if self.big.is_empty() || size != self.big_size {
            self.big_size = size;
            self.big.clear();
            self.big.extend_from_slice(b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
            self.big.resize(self.big.len() + size, b'b');
            self.big.extend_from_slice(b"\"}]}}");
        }
        &self.big
    }
}

fn contains(message: &[u8], needle: &[u8]) -> bool {
    memmem::find(message, needle).is_some()
}

/// The bytes after `needle`, without leading spaces.
pub(crate) fn after<'a>(message: &'a [u8], needle: &[u8]) -> Option<&'a [u8]> {
    let start = memmem::find(message, needle)? + needle.len();
    Some(message.get(start..)?.trim_ascii_start())
}

/// The raw id. `None` for a notification.
pub(crate) fn id(message: &[u8]) -> Option<&[u8]> {
    let rest = after(message, b"\"id\":")?;
    let end = match rest.first()? {
        b'"' => rest.iter().skip(1).position(|byte| *byte == b'"')? + 2,
        _ => rest.iter().position(|byte| matches!(byte, b',' | b'}' | b' '))?,
    };
    rest.get(..end)
}

/// The decimal number at the beginning.
pub(crate) fn number(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |sum: usize, byte| sum.saturating_mul(10).saturating_add(usize::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::EchoResponder;

    fn check(message: &str, expected: &str) {
        let mut out = Vec::new();
        EchoResponder::default().append(message.as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn the_id_comes_back_as_it_was_written() {
        check(
            r#"{"jsonrpc":"2.0","id": "a b","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a b","result":{}}"#,
        );
        check(r#"{"jsonrpc":"2.0","method":"ping","id":17}"#, r#"{"jsonrpc":"2.0","id":17,"result":{}}"#);
    }

    #[test]
    fn a_notification_gets_nothing() {
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "");
    }

    #[test]
    fn a_big_result_has_the_size_asked_for() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":3}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"bbb"}]}}"#,
        );
    }

    #[test]
    fn methods_of_a_newer_era_are_not_found() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}"#,
        );
    }
}
